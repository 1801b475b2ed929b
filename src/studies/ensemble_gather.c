/* What a rank gathers of its blocks. Moments and extremes go to the chunk's summary and along the
   fixed tree. Counts need bins that are the same on all ranks: these come from the pilot, the first
   blocks of the study, which lie on the first ranks. So that nobody waits for those and nothing is
   integrated twice, every rank holds the values of as many blocks of its own until all can agree on
   the bins. */
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
      .quantities = quantities_of(r->prepared), .levels = 1, .groups = 1, .extremes = 1};
}

/* Blocks that every rank holds: those of the pilot on rank 0, which has at least as many as any. */
static int64_t blocks_held(const cas_run_state *r) {
  const cas_ensemble_study *e = r->prepared;
  int64_t first, next, chunk = r->blocks_per_chunk ? r->blocks_per_chunk : 1;
  if (!r->blocks_per_chunk)
    return e->pilot;
  cas_chunk_range(r, 0, &first, &next);
  int64_t blocks = (r->paths + r->problem.W - 1) / r->problem.W, mine = next * chunk;
  mine = mine < blocks ? mine : blocks;
  return mine < e->pilot ? mine : e->pilot;
}

static size_t most_numbers(const cas_observables *o) {
  int most = 1;
  for (int i = 0; i < o->n; i++)
    if (o->observable[i].numbers > most)
      most = o->observable[i].numbers;
  return (size_t)most;
}

size_t cas_ensemble_rank_bytes(const cas_run_state *r, int64_t chunks) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)quantities_of(e);
  size_t doubles = m * (W * (1 + (size_t)blocks_held(r)) + 2) + W * most_numbers(&e->observables);
  if (e->members)
    doubles += W * cas_state_doubles(&r->problem);
  return doubles * sizeof(double) + cas_histogram_bytes((int)m, e->bins) +
         3 * cas_forest_bytes(cas_ensemble_shape(r), chunks); /* one's own, another's, joined */
}

size_t cas_ensemble_result_bytes(const cas_run_state *r) {
  const cas_ensemble_study *e = r->prepared;
  const cas_ensemble_options *o = r->options;
  return (size_t)quantities_of(e) * (9 + (size_t)e->bins + (size_t)o->quantiles.n) * sizeof(double);
}

cas_status cas_gathering_create(cas_run_state *r, cas_gathering *g, cas_error *err) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)e->quantities;
  *g = (cas_gathering){.run = r, .study = e, .shape = cas_ensemble_shape(r)};
  g->hold = blocks_held(r);
  g->value = malloc(W * m * sizeof(double));
  g->held_value = malloc((size_t)g->hold * W * m * sizeof(double));
  g->path = malloc((size_t)g->hold * W * sizeof *g->path);
  g->least = malloc(m * sizeof(double));
  g->greatest = malloc(m * sizeof(double));
  g->lanes = malloc(W * most_numbers(&e->observables) * sizeof(double));
  g->packed = malloc((size_t)r->problem.components * sizeof(double));
  g->states = malloc(W * cas_state_doubles(&r->problem) * sizeof(double));
  if (!g->value || !g->held_value || !g->path || !g->least || !g->greatest || !g->lanes ||
      !g->packed || !g->states)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: statistics need %zu bytes on each rank",
                    cas_ensemble_rank_bytes(r, cas_chunks(r)));
  for (size_t i = 0; i < m; i++) {
    g->least[i] = INFINITY;
    g->greatest[i] = -INFINITY;
  }
  return cas_histogram_create((int)m, e->bins, &g->histogram, err);
}

void cas_gathering_free(cas_gathering *g) {
  cas_histogram_free(&g->histogram);
  free(g->value);
  free(g->held_value);
  free(g->path);
  free(g->least);
  free(g->greatest);
  free(g->lanes);
  free(g->packed);
  free(g->states);
}

/* ---- one block ---- */

typedef struct {
  cas_gathering *gathering;
  int64_t path;
  int active;
} block_context;

static cas_status put_members(const block_context *b, const cas_sweep *s, int record,
                              cas_error *err) {
  cas_gathering *g = b->gathering;
  size_t doubles = cas_state_doubles(s->problem);
  int64_t left = g->study->members - b->path;
  int members = left < b->active ? (int)left : b->active;
  const double *states = g->states;
  if (members <= 0)
    return CAS_OK;
  for (int l = 0; l < members; l++)
    cas_state_put(s->problem, s->level[0].x + l, g->packed, g->states + (size_t)l * doubles);
  return cas_trajectory_put(g->file, record, 1, b->path, members, &states, err);
}

static cas_status observe(void *context, cas_sweep *s, int64_t observation, cas_error *err) {
  const block_context *b = context;
  cas_gathering *g = b->gathering;
  const cas_observables *o = &g->study->observables;
  int W = s->problem->W, record = (int)observation - (g->study->at[0] != 0);
  if (record < 0 || record >= g->study->records)
    return CAS_OK;
  double *to = g->value + (size_t)record * (size_t)o->numbers;
  for (int i = 0; i < o->n; i++) {
    cas_observable_evaluate(&o->observable[i], s, 0, g->lanes);
    for (int k = 0; k < o->observable[i].numbers; k++, to++)
      for (int l = 0; l < b->active; l++)
        to[(size_t)l * (size_t)g->study->quantities] = g->lanes[k * W + l];
  }
  return g->file ? put_members(b, s, record, err) : CAS_OK;
}

static bool is_finite(const double *x, int n) {
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite &= isfinite(x[i]) != 0;
  return finite;
}

static void widen(cas_gathering *g, const double *value) {
  for (int i = 0; i < g->study->quantities; i++) {
    g->least[i] = fmin(g->least[i], value[i]);
    g->greatest[i] = fmax(g->greatest[i], value[i]);
  }
}

/* the values of a path until the bins are chosen */
static void hold(cas_gathering *g, int64_t block, const double *value) {
  size_t m = (size_t)g->study->quantities;
  memcpy(g->held_value + (size_t)g->held++ * m, value, m * sizeof *value);
  if (block < g->study->pilot)
    widen(g, value);
}

/* The lanes that did not fail, into the chunk and the histograms. */
static void count_block(cas_gathering *g, cas_sweep *s, int64_t block, int active,
                        cas_summary *chunk) {
  int m = g->study->quantities, counted = 0;
  for (int l = 0; l < active; l++) {
    const double *value = g->value + (size_t)l * (size_t)m;
    if (cas_sweep_failed_level(s, l) >= 0)
      continue;
    if (!is_finite(value, m)) {
      cas_sweep_fail(s, 0, l);
      continue;
    }
    cas_summary_add(g->shape, chunk, 0, value);
    g->path[counted++] = value;
    if (!g->chosen)
      hold(g, block, value);
  }
  if (g->chosen)
    cas_histogram_add(&g->histogram, counted, g->path);
}

/* Collective, once a run, whether or not this rank still goes on. */
static cas_status choose_bins(cas_gathering *g, cas_status st, cas_error *err) {
  MPI_Comm comm = g->run->comm;
  int m = g->study->quantities;
  g->chosen = true;
  st = cas_agree(st, comm, err);
  if (st)
    return st;
  if (MPI_Allreduce(MPI_IN_PLACE, g->least, m, MPI_DOUBLE, MPI_MIN, comm) ||
      MPI_Allreduce(MPI_IN_PLACE, g->greatest, m, MPI_DOUBLE, MPI_MAX, comm))
    return cas_fail(err, CAS_INTERNAL, "MPI_Allreduce of the ranges failed");
  cas_histogram_set_bins(&g->histogram, g->least, g->greatest);
  for (int64_t p = 0; p < g->held; p++)
    g->path[p] = g->held_value + (size_t)p * (size_t)m;
  cas_histogram_add(&g->histogram, g->held, g->path);
  return CAS_OK;
}

cas_status cas_gather_block(void *gathering, cas_sweep *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err) {
  cas_gathering *g = gathering;
  block_context b = {g, block * s->problem->W, active};
  cas_status st = cas_sweep_run(s, block, observe, &b, err);
  if (!st) {
    count_block(g, s, block, active, chunk);
    cas_sweep_health(s, b.path, active, chunk);
  }
  g->blocks++;
  return g->chosen || (!st && g->blocks < g->hold) ? st : choose_bins(g, st, err);
}

cas_status cas_gather_done(void *gathering, cas_status st, cas_error *err) {
  cas_gathering *g = gathering;
  return g->chosen ? st : choose_bins(g, st, err);
}
