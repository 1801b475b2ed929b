/* What a rank collects from its blocks: moments and extremes, for the summary of a chunk, and
   counts in bins, which are summed by themselves. */
#include "studies/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static int quantities_of(const cas_ensemble_study *e) {
  return e->records * e->observables.numbers;
}

cas_summary_shape cas_ensemble_shape(const cas_run_state *r) {
  return (cas_summary_shape){
      .quantities = quantities_of(r->prepared), .levels = 1, .groups = 1, .detailed = 1};
}

size_t cas_ensemble_rank_bytes(const cas_run_state *r, int64_t chunks) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)quantities_of(e);
  size_t doubles = m * (W * (1 + (size_t)e->pilot) + 2) + W * cas_observables_most(&e->observables);
  if (e->members)
    doubles += W * cas_state_doubles(&r->problem);
  return doubles * sizeof(double) + cas_histogram_bytes((int)m, e->bins) +
         4 * cas_sum_tree_bytes(cas_ensemble_shape(r), chunks);
}

size_t cas_ensemble_result_bytes(const cas_run_state *r) {
  const cas_ensemble_study *e = r->prepared;
  const cas_ensemble_options *o = r->options;
  size_t numbers = 9 + (size_t)e->bins + 3 * (size_t)o->quantiles.n; /* with bounds of quantiles */
  return (size_t)quantities_of(e) * numbers * sizeof(double);
}

size_t cas_ensemble_restart_bytes(const cas_run_state *r) {
  const cas_ensemble_study *e = r->prepared;
  size_t m = (size_t)quantities_of(e), extremes = 2 * m * sizeof(double);
  size_t values =
      e->exact ? (size_t)r->paths * m * sizeof(double) : cas_histogram_bytes((int)m, e->bins);
  return extremes + values + cas_sum_tree_bytes(cas_ensemble_shape(r), r->chunks);
}

cas_status cas_collector_create(cas_run_state *r, cas_collector *g, cas_error *err) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)e->quantities;
  *g = (cas_collector){.run = r, .study = e, .shape = cas_ensemble_shape(r), .comm = MPI_COMM_NULL};
  if (MPI_Comm_dup(r->comm, &g->comm))
    return cas_fail(err, CAS_INTERNAL, "MPI_Comm_dup failed");
  g->value = malloc(W * m * sizeof(double));
  g->extreme = malloc(2 * m * sizeof(double));
  g->lanes = malloc(W * cas_observables_most(&e->observables) * sizeof(double));
  g->packed = malloc((size_t)r->problem.components * sizeof(double));
  g->states = malloc(W * cas_state_doubles(&r->problem) * sizeof(double));
  if (!g->value || !g->extreme || !g->lanes || !g->packed || !g->states)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: statistics need %zu bytes on each rank",
                    cas_ensemble_rank_bytes(r, r->chunks));
  for (size_t i = 0; i < 2 * m; i++)
    g->extreme[i] = INFINITY;
  return cas_histogram_create((int)m, e->bins, &g->histogram, err);
}

void cas_collector_free(cas_collector *g) {
  if (g->comm != MPI_COMM_NULL) {
    int able = g->extreme && g->histogram.count;
    MPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, g->comm);
    if (able)
      cas_bins_choose(g); /* no rank leaves while another waits for it */
    MPI_Comm_free(&g->comm);
  }
  cas_histogram_free(&g->histogram);
  free(g->value);
  free(g->held_value);
  free(g->extreme);
  free(g->path);
  free(g->lanes);
  free(g->packed);
  free(g->states);
}

/* ---- one block ---- */

typedef struct {
  cas_collector *collector;
  int64_t path;
  int active;
} block_context;

/* The number of paths of the block that are members. */
static int members_of(const block_context *b) {
  int64_t remaining = b->collector->study->members - b->path;
  return remaining <= 0 ? 0 : remaining < b->active ? (int)remaining : b->active;
}

static cas_status put_members(const block_context *b, const cas_sweep *s, int record,
                              cas_error *err) {
  cas_collector *g = b->collector;
  size_t doubles = cas_state_doubles(s->problem);
  int members = members_of(b);
  const double *states = g->states;
  if (members == 0)
    return CAS_OK;
  for (int l = 0; l < members; l++)
    cas_state_put(s->problem, s->level[0].x + l, g->packed, g->states + (size_t)l * doubles);
  return cas_trajectory_write(g->file, record, 1, b->path, members, &states, err);
}

static cas_status observe(void *context, cas_sweep *s, int64_t observation, cas_error *err) {
  const block_context *b = context;
  cas_collector *g = b->collector;
  const cas_observables *o = &g->study->observables;
  int W = s->problem->W, record = (int)observation - (g->study->at[0] != 0);
  if (record < 0 || record >= g->study->records)
    return CAS_OK;
  double *to = g->value + (size_t)record * (size_t)o->numbers;
  for (int i = 0; i < o->n; i++) {
    cas_observable_evaluate(&o->observable[i], s, 0, g->lanes);
    if (s->abandoned)
      return CAS_OK;
    for (int k = 0; k < o->observable[i].numbers; k++, to++)
      for (int l = 0; l < b->active; l++)
        to[(size_t)l * (size_t)g->study->quantities] = g->lanes[k * W + l];
  }
  return g->file ? put_members(b, s, record, err) : CAS_OK;
}

/* Writes which members of the block failed, which their states alone do not show. */
static cas_status put_failures(const block_context *b, const cas_sweep *s, cas_error *err) {
  cas_collector *g = b->collector;
  int members = members_of(b);
  const double *failed = g->lanes;
  if (!g->file || members == 0)
    return CAS_OK;
  for (int l = 0; l < members; l++)
    g->lanes[l] = cas_sweep_failed_level(s, l) >= 0;
  return cas_trajectory_write_once(g->file, b->path, members, &failed, err);
}

cas_status cas_collect_block(void *collector, cas_sweep *s, int64_t block, int active,
                             cas_summary *chunk, cas_error *err) {
  cas_collector *g = collector;
  int m = g->study->quantities, counted = 0;
  const double *value = g->value;
  block_context b = {g, block * s->problem->W, active};
  cas_status st = cas_bins_wait(g, s, block, active, err);
  if (!st)
    st = cas_sweep_run(s, block, observe, &b, err);
  for (int l = 0; !st && l < active; l++)
    (void)cas_sweep_admits(s, l, m, value + (size_t)l * (size_t)m);
  /* what is counted cannot be taken back: a failure seen only now can still end the run */
  if (!st && s->poll)
    st = s->poll(s->poll_context, err);
  if (!st)
    st = put_failures(&b, s, err);
  if (st)
    return st;
  for (int l = 0; l < active; l++, value += m)
    if (cas_sweep_counts(s, l)) {
      cas_summary_add(g->shape, chunk, 0, value);
      g->path[counted++] = value;
    }
  cas_sweep_health(s, b.path, active, chunk);
  cas_bins_count(g, block, counted);
  return CAS_OK;
}
