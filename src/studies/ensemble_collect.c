/* What a rank collects from its blocks: moments and extremes, for the summary of a chunk, and
   counts in bins, which are summed by themselves. */
#include "base/owned.h"
#include "files/io.h"
#include "studies/ensemble.h"

#include <casimir/parallel.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static int quantities_of(const cas_ensemble_study *e) {
  return e->records * e->observables.numbers;
}

cas_summary_shape cas_ensemble_shape(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  return (cas_summary_shape){.quantities = e->bins ? quantities_of(e) : 0,
                             .levels = 1,
                             .groups = 1,
                             .detailed = 1,
                             .means = (int16_t)r->path_groups};
}

/* Numbers of a part whose sums are put together at a time: of whole records. */
static int64_t part_numbers(const cas_ensemble_study *e) {
  int64_t most = (int64_t)cas_observables_most(&e->observables);
  return most > CAS_ENSEMBLE_PART_NUMBERS ? most : CAS_ENSEMBLE_PART_NUMBERS;
}

/* Sums, and what it takes to put a part of them together. */
static size_t moments_bytes(const cas_ensemble_study *e) {
  size_t part = (size_t)part_numbers(e);
  return cas_path_moments_bytes(quantities_of(e)) + cas_path_moments_part_bytes((int64_t)part) +
         part * CAS_MOMENT_COLUMNS * sizeof(double);
}

bool cas_ensemble_is_large(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  return e->bins == 0 && cas_path_moments_stored_bytes(quantities_of(e)) > CAS_ENSEMBLE_MUCH;
}

size_t cas_ensemble_rank_bytes(const cas_study_run *r, int64_t chunks) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)quantities_of(e);
  size_t doubles = W * cas_observables_most(&e->observables);
  if (e->members)
    doubles += W * cas_problem_state_doubles(&r->problem);
  doubles += e->bins ? m * (W * (1 + (size_t)e->pilot) + 2) : m * W;
  return doubles * sizeof(double) +
         (e->bins ? cas_histogram_bytes((int)m, e->bins) : moments_bytes(e)) +
         4 * cas_sum_tree_bytes(cas_ensemble_shape(r), chunks);
}

size_t cas_ensemble_result_bytes(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  const cas_ensemble_options *o = r->options;
  size_t numbers = CAS_MOMENT_COLUMNS;
  if (e->bins)
    numbers = 9 + (size_t)e->bins + 3 * (size_t)o->quantiles.n /* with bounds of quantiles */ +
              (size_t)r->path_groups;
  return (size_t)quantities_of(e) * numbers * sizeof(double);
}

size_t cas_ensemble_restart_bytes(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  size_t m = (size_t)quantities_of(e), extremes = 2 * m * sizeof(double);
  size_t tree = cas_sum_tree_bytes(cas_ensemble_shape(r), r->chunks);
  if (e->bins == 0)
    return cas_path_moments_stored_bytes((int64_t)m) + tree;
  size_t values =
      e->exact ? (size_t)r->paths * m * sizeof(double) : cas_histogram_bytes((int)m, e->bins);
  return extremes + values + tree;
}

static bool allocate(const cas_study_run *r, cas_collector *g) {
  const cas_ensemble_study *e = g->study;
  size_t W = (size_t)r->problem.W, m = (size_t)e->quantities;
  g->value = malloc(W * m * sizeof(double));
  if (!e->bins) /* with bins, cas_ensemble_bins_begin allocates it */
    g->path = malloc(W * sizeof *g->path);
  g->lanes = malloc(W * cas_observables_most(&e->observables) * sizeof(double));
  g->packed = malloc((size_t)r->problem.components * sizeof(double));
  g->states = malloc(W * cas_problem_state_doubles(&r->problem) * sizeof(double));
  return g->value && (e->bins || g->path) && g->lanes && g->packed && g->states;
}

cas_status cas_collector_create(cas_run_state *state, cas_collector *g, cas_error *err) {
  const cas_study_run *r = &state->run;
  const cas_ensemble_study *e = r->prepared;
  *g = (cas_collector){.state = state, .run = r, .study = e, .shape = cas_ensemble_shape(r)};
  g->extreme.comm = g->moments.shift.comm = MPI_COMM_NULL;
  cas_status st = CAS_OK;
  if (!allocate(r, g))
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory: statistics need %zu bytes on each rank",
                  cas_ensemble_rank_bytes(r, r->chunks));
  else if (e->bins)
    st = cas_histogram_create(e->quantities, e->bins, &g->histogram, err);
  st = cas_agree(st, r->comm, err);
  if (st)
    return st;
  return e->bins ? cas_least_create(2 * e->quantities, r->comm, &g->extreme, err)
                 : cas_path_moments_create(e->quantities, r->comm, &g->moments, err);
}

void cas_collector_free(cas_collector *g) {
  cas_least_free(&g->extreme);
  cas_path_moments_free(&g->moments);
  cas_histogram_free(&g->histogram);
  free(g->value);
  free(g->held_value);
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

static cas_status put_members(const block_context *b, const cas_pass *s, int record,
                              cas_error *err) {
  cas_collector *g = b->collector;
  size_t doubles = cas_problem_state_doubles(s->problem);
  int members = members_of(b);
  const double *states = g->states;
  if (members == 0)
    return CAS_OK;
  for (int l = 0; l < members; l++)
    cas_problem_state_put(s->problem, s->level[0].x + l, g->packed,
                          g->states + (size_t)l * doubles);
  return cas_trajectory_write(g->file, record, 1, b->path, members, &states, err);
}

/* The place of the first quantity of an observable at one time; `before`: numbers of the
   observables in front of it. */
static size_t place_of(const cas_ensemble_study *e, int before, int numbers, int record) {
  if (e->bins)
    return (size_t)record * (size_t)e->observables.numbers + (size_t)before;
  return (size_t)e->records * (size_t)before + (size_t)record * (size_t)numbers;
}

static cas_status observe(void *context, cas_pass *s, int64_t observation, cas_error *err) {
  const block_context *b = context;
  cas_collector *g = b->collector;
  const cas_observables *o = &g->study->observables;
  int W = s->problem->W, record = (int)observation - (g->study->at[0] != 0);
  if (record < 0 || record >= g->study->records)
    return CAS_OK;
  int before = 0;
  for (int i = 0; i < o->n; before += o->observable[i++].numbers) {
    double *to = g->value + place_of(g->study, before, o->observable[i].numbers, record);
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
static cas_status put_failures(const block_context *b, const cas_pass *s, cas_error *err) {
  cas_collector *g = b->collector;
  int members = members_of(b);
  const double *failed = g->lanes;
  if (!g->file || members == 0)
    return CAS_OK;
  for (int l = 0; l < members; l++)
    g->lanes[l] = cas_pass_failed_level(s, l) >= 0;
  return cas_trajectory_write_once(g->file, b->path, members, &failed, err);
}

/* Departures are from the first path that counts. So that no path is integrated twice, every rank
   waits at the end of its first block until all know that path's values. */
static cas_status know_departures(cas_collector *g, cas_pass *s, int64_t block, int active,
                                  cas_error *err) {
  for (int l = 0; block == 0 && !g->moments.shift.begun && l < active; l++)
    if (cas_pass_counts(s, l)) {
      cas_path_moments_give(&g->moments, g->value + (size_t)l * (size_t)g->study->quantities);
      break;
    }
  cas_least_begin(&g->moments.shift);
  return cas_least_await(&g->moments.shift, s->poll, s->poll_context, err);
}

/* Adds the paths g->path[0 .. paths) of a block. */
static void add_paths(cas_collector *g, int64_t block, int paths, cas_summary *chunk) {
  for (int p = 0; p < paths; p++)
    cas_summary_add(g->shape, chunk, 0, g->path[p]);
  if (g->study->bins)
    cas_ensemble_bins_count(g, block, paths);
  else if (block >= g->state->first_chunk)
    for (int p = 0; p < paths; p++)
      cas_path_moments_add(&g->moments, g->path[p]);
}

cas_status cas_collector_block(void *collector, cas_pass *s, int64_t block, int active,
                               cas_summary *chunk, cas_error *err) {
  cas_collector *g = collector;
  int m = g->study->quantities, counted = 0;
  bool bins = g->study->bins > 0;
  const double *value = g->value;
  block_context b = {g, block * s->problem->W, active};
  cas_status st = CAS_OK;
  if (bins)
    st = cas_ensemble_bins_wait(g, s, block, active, err);
  else if (block >= g->study->pilot)
    cas_least_begin(&g->moments.shift);
  if (!st)
    st = cas_pass_run(s, block, observe, &b, err);
  for (int l = 0; !st && l < active; l++)
    (void)cas_pass_admits(s, l, m, value + (size_t)l * (size_t)m);
  if (!st && !bins)
    st = know_departures(g, s, block, active, err);
  /* what is counted cannot be taken back: a failure seen only now can still end the run */
  if (!st && s->poll)
    st = s->poll(s->poll_context, err);
  if (!st)
    st = put_failures(&b, s, err);
  if (st)
    return st;
  for (int l = 0; l < active; l++, value += m)
    if (cas_pass_counts(s, l)) {
      g->path[counted++] = value;
      cas_summary_add_mean(g->shape, chunk, b.path + l, value);
    }
  add_paths(g, block, counted, chunk);
  cas_pass_health(s, b.path, 0, active, chunk);
  return CAS_OK;
}

/* ---- power sums in checkpoints and results ---- */

static const char in_memory[] = "moments", in_file[] = "@moments";

/* Where bytes come from: memory, or the file of an earlier run. */
typedef struct {
  const cas_run_state *run;
  const char *bytes; /* or NULL */
  uint64_t at;
} source;

static cas_status take(void *context, void *bytes, size_t size, cas_error *err) {
  source *s = context;
  if (s->bytes)
    memcpy(bytes, s->bytes + s->at, size);
  else if (!cas_io_read_at(s->run->earlier_file, bytes, size, s->at))
    return cas_file_fail(err, s->run->checkpoint, "cannot be read");
  s->at += size;
  return CAS_OK;
}

static cas_status load_moments(cas_collector *g, cas_error *err) {
  const cas_run_state *r = g->state;
  cas_section found;
  cas_stored_section stored;
  source from = {.run = r};
  uint64_t size = 0, expected = cas_path_moments_stored_bytes(g->study->quantities);
  if (cas_sections_get(&r->earlier, in_file, &stored, sizeof stored)) {
    from.at = stored.offset;
    size = stored.size;
  } else if (cas_sections_find(&r->earlier, in_memory, &found)) {
    from.bytes = found.bytes;
    size = found.size;
  } else if (r->earlier_tree.nodes == 0) {
    return CAS_OK;
  }
  CAS_FAIL_IF(size != expected, CAS_FILE_ERROR,
              "--resume: the checkpoint has no moments of these observables; remove %s to "
              "begin anew.",
              r->checkpoint);
  cas_status st = r->run.rank == 0 ? cas_path_moments_get(&g->moments, take, &from, err) : CAS_OK;
  if (!st)
    cas_least_begin(&g->moments.shift); /* what departures are from is among them */
  return st;
}

/* Whether all ranks know what departures are from: before, no path has been added. */
static bool are_known(cas_collector *g) {
  int begun = g->moments.shift.begun;
  cas_allreduce(MPI_IN_PLACE, &begun, 1, MPI_INT, MPI_MIN, g->run->comm);
  if (begun)
    cas_least_wait(&g->moments.shift);
  return begun;
}

static cas_status put_in_file(void *writer, const void *bytes, size_t size, cas_error *err) {
  return cas_checkpoint_put(writer, bytes, size, err);
}

cas_status cas_collector_stream(void *collector, cas_checkpoint_writer *w, cas_error *err) {
  cas_collector *g = collector;
  cas_status st = CAS_OK;
  if (!are_known(g))
    return CAS_OK;
  if (w)
    st = cas_checkpoint_section(w, in_file, cas_path_moments_stored_bytes(g->study->quantities),
                                err);
  st = cas_agree(st, g->run->comm, err);
  return st ? st : cas_path_moments_put(&g->moments, put_in_file, w, err);
}

static cas_status put_in_memory(void *to, const void *bytes, size_t size,
                                cas_error *err CAS_UNUSED) {
  char **at = to;
  memcpy(*at, bytes, size);
  *at += size;
  return CAS_OK;
}

static cas_status store_moments(cas_collector *g, cas_sections *s, cas_error *err) {
  const bool root = g->run->rank == 0;
  const size_t size = cas_path_moments_stored_bytes(g->study->quantities);
  if (cas_ensemble_is_large(g->run) || !are_known(g))
    return CAS_OK;
  CAS_OWNED char *bytes = root ? malloc(size) : NULL;
  char *at = bytes;
  CAS_CALL(cas_agree(bytes || !root ? CAS_OK : cas_no_memory(err), g->run->comm, err));
  CAS_CALL(cas_path_moments_put(&g->moments, put_in_memory, &at, err));
  return root ? cas_sections_put(s, in_memory, bytes, size, err) : CAS_OK;
}

static cas_status merge_moments(cas_sections *all, const cas_section *more, const char *file,
                                cas_error *err) {
  cas_section sum;
  if (!cas_sections_find(all, in_memory, &sum))
    return cas_sections_put(all, in_memory, more->bytes, more->size, err);
  int64_t quantities = (int64_t)(sum.size / cas_path_moments_stored_bytes(1));
  void *to = all->bytes + ((const char *)sum.bytes - all->bytes);
  if (sum.size == more->size && cas_path_moments_merge(to, more->bytes, quantities))
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: its sums are of departures from another path, as those of another "
                  "random.seed are, and cannot be merged; more paths to merge are ranges of the "
                  "paths of one seed, by study.first_path",
                  file);
}

cas_status cas_collector_merge(cas_sections *all, const cas_sections *part, const char *file,
                               cas_error *err) {
  cas_section more;
  return cas_sections_find(part, in_memory, &more) ? merge_moments(all, &more, file, err)
                                                   : cas_ensemble_bins_merge(all, part, file, err);
}

cas_status cas_collector_begin(void *collector, cas_error *err) {
  cas_collector *g = collector;
  return g->study->bins ? cas_ensemble_bins_begin(g, err) : load_moments(g, err);
}

void cas_collector_end(void *collector) {
  cas_collector *g = collector;
  cas_least_begin(g->study->bins ? &g->extreme : &g->moments.shift);
}

cas_status cas_collector_store(cas_collector *g, cas_sections *s, cas_error *err) {
  return g->study->bins ? cas_ensemble_bins_store(g, s, err) : store_moments(g, s, err);
}
