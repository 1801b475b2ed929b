/* What a rank collects: moments and extremes for the summary of a chunk, and counts in bins, which
   follow from the pilot, the first blocks. So that nothing is integrated twice, every rank holds
   values until all know the pilot's extremes, without waiting. */
#include "base/owned.h"
#include "files/io.h"
#include "statistics/reduce.h"
#include "studies/ensemble.h"

#include <math.h>

cas_summary_shape cas_ensemble_shape(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  return (cas_summary_shape){.quantities = e->bins ? e->quantities : 0,
                             .levels = 1,
                             .groups = 1,
                             .detailed = 1,
                             .means = (int16_t)r->path_groups};
}

int64_t cas_ensemble_part_numbers(const cas_ensemble_study *e) {
  const int64_t record = (int64_t)cas_observables_most(&e->observables);
  return cas_count_least(fmax(record, CAS_ENSEMBLE_PART_NUMBERS), e->quantities);
}

/* Bytes of the sums of all paths, with what they are of. */
static size_t stored_bytes(const cas_ensemble_study *e) {
  size_t m = (size_t)e->quantities;
  return e->bins ? cas_histogram_bytes((int)m, e->bins) : m * sizeof(cas_power_sums);
}

bool cas_ensemble_is_large(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  return e->bins == 0 && stored_bytes(e) > CAS_ENSEMBLE_MUCH;
}

size_t cas_ensemble_rank_bytes(const cas_study_run *r, int64_t chunks) {
  const cas_ensemble_study *e = r->prepared;
  size_t W = (size_t)r->problem.W, m = (size_t)e->quantities;
  size_t doubles = W * cas_observables_most(&e->observables);
  if (e->members)
    doubles += W * cas_problem_state_doubles(&r->problem);
  doubles += e->bins ? m * (W * (1 + (size_t)e->pilot) + 2) : m * W;
  /* Sums, what the pilot gives, and what it takes to put a part of the sums together. */
  const size_t part = (size_t)cas_ensemble_part_numbers(e),
               moments = m * (sizeof(double) + sizeof(cas_power_sums)) +
                         part * (2 * sizeof(cas_power_sums) +
                                 (size_t)cas_ensemble_columns() * sizeof(double));
  return doubles * sizeof(double) + (e->bins ? cas_histogram_bytes((int)m, e->bins) : moments) +
         4 * cas_sum_tree_bytes(cas_ensemble_shape(r), chunks);
}

size_t cas_ensemble_restart_bytes(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  size_t values = ((size_t)r->paths + 2) * (size_t)e->quantities * sizeof(double);
  return (e->exact ? values : stored_bytes(e)) +
         cas_sum_tree_bytes(cas_ensemble_shape(r), r->chunks);
}

static bool allocate(const cas_study_run *r, cas_collector *g) {
  const cas_ensemble_study *e = g->study;
  size_t W = (size_t)r->problem.W, m = (size_t)e->quantities;
  g->value = malloc(W * m * sizeof(double));
  if (!e->bins) { /* with bins, load_values() allocates g->path */
    g->path = malloc(W * sizeof *g->path);
    g->sum = malloc(m * sizeof *g->sum); /* filled when departures are known */
  }
  g->lanes = malloc(W * cas_observables_most(&e->observables) * sizeof(double));
  g->packed = malloc((size_t)r->problem.components * sizeof(double));
  g->states = malloc(W * cas_problem_state_doubles(&r->problem) * sizeof(double));
  return g->value && (e->bins || (g->path && g->sum)) && g->lanes && g->packed && g->states;
}

cas_status cas_collector_create(cas_run_state *state, cas_collector *g, cas_error *err) {
  const cas_study_run *r = &state->run;
  const cas_ensemble_study *e = r->prepared;
  *g = (cas_collector){.state = state, .run = r, .study = e, .shape = cas_ensemble_shape(r)};
  g->pilot.comm = MPI_COMM_NULL;
  cas_status st = CAS_OK;
  if (!allocate(r, g))
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory: statistics need %zu bytes on each rank",
                  cas_ensemble_rank_bytes(r, r->chunks));
  else if (e->bins)
    st = cas_histogram_create(e->quantities, e->bins, &g->histogram, err);
  CAS_CALL(cas_agree(st, r->comm, err));
  return cas_least_create(e->known, r->comm, &g->pilot, err);
}

void cas_collector_free(cas_collector *g) {
  cas_least_free(&g->pilot);
  cas_histogram_free(&g->histogram);
  free(g->sum);
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

/* The first quantity of an observable at a record; `before`: numbers of the observables before. */
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

/* Sets the bins by what the pilot has given, and counts the values held. These stay, for exact
   quantiles, where the pilot is all paths. */
static void set_bins(cas_collector *g) {
  const size_t m = (size_t)g->study->quantities;
  const double *least = g->pilot.value;
  for (size_t i = 0; i < m; i++)
    cas_histogram_set_bins(&g->histogram, (int)i, least[i], -least[m + i]);
  for (int64_t p = 0; p < g->held; p++)
    g->path[p] = g->held_value + (size_t)p * m;
  cas_histogram_add(&g->histogram, g->held, g->path);
  if (!g->study->exact)
    g->held = 0;
}

/* Counts the paths g->path[0 .. paths) of a block, or holds them until bins are known. */
static void count_paths(cas_collector *g, int64_t block, int paths) {
  const size_t m = (size_t)g->study->quantities;
  double *least = g->pilot.value, *negative = least + m;
  bool pilot = block < g->study->pilot, counts = block >= g->state->first_chunk;
  if (g->known && counts)
    cas_histogram_add(&g->histogram, paths, g->path);
  for (int p = 0; p < paths && counts && (!g->known || g->study->exact); p++)
    memcpy(g->held_value + (size_t)g->held++ * m, g->path[p], m * sizeof(double));
  for (int p = 0; p < paths && pilot && !g->known; p++)
    for (size_t i = 0; i < m; i++) { /* + 0.0: of 0 and -0 the least is whichever comes first */
      least[i] = fmin(least[i], g->path[p][i] + 0.0);
      negative[i] = fmin(negative[i], -g->path[p][i] + 0.0);
    }
}

static bool is_known(cas_collector *g) {
  if (g->known || !cas_least_is_known(&g->pilot))
    return g->known;
  g->known = true;
  if (g->study->bins) {
    set_bins(g);
    return true;
  }
  for (int i = 0; !g->has_sums && i < g->study->quantities; i++)
    cas_power_sums_clear(&g->sum[i], g->pilot.value[i]);
  free(g->pilot.value); /* which may be much, and is in the sums */
  g->pilot.value = NULL;
  return true;
}

void cas_collector_know(cas_collector *g) {
  (void)!cas_least_await(&g->pilot, NULL, NULL, NULL);
  (void)is_known(g);
}

/* Departures are from the first path that counts. So that no path is integrated twice, every rank
   waits at the end of its first block until all know that path's values. */
static cas_status know_departures(cas_collector *g, cas_pass *s, int64_t block, int active,
                                  cas_error *err) {
  const size_t m = (size_t)g->study->quantities;
  for (int l = 0; block == 0 && !g->pilot.begun && l < active; l++)
    if (cas_pass_counts(s, l)) {
      memcpy(g->pilot.value, g->value + (size_t)l * m, m * sizeof(double));
      break;
    }
  CAS_CALL(cas_least_await(&g->pilot, s->poll, s->poll_context, err));
  (void)is_known(g);
  return CAS_OK;
}

/* Blocks come in ascending order: behind the pilot this rank gets none of it. */
cas_status cas_collector_block(void *collector, cas_pass *s, int64_t block, int active,
                               cas_summary *chunk, cas_error *err) {
  cas_collector *g = collector;
  int m = g->study->quantities, counted = 0;
  bool bins = g->study->bins > 0;
  const double *value = g->value;
  block_context b = {g, block * s->problem->W, active};
  if (block >= g->study->pilot)
    cas_least_begin(&g->pilot);
  if (bins && !is_known(g) && g->held + active > g->capacity) { /* no space to hold its values */
    CAS_CALL(cas_least_await(&g->pilot, s->poll, s->poll_context, err));
    (void)is_known(g);
  }
  CAS_CALL(cas_pass_run(s, block, observe, &b, err));
  for (int l = 0; l < active; l++)
    (void)cas_pass_admits(s, l, m, value + (size_t)l * (size_t)m);
  if (!bins)
    CAS_CALL(know_departures(g, s, block, active, err));
  /* what is counted cannot be taken back: a failure seen only now can still end the run */
  if (s->poll)
    CAS_CALL(s->poll(s->poll_context, err));
  CAS_CALL(put_failures(&b, s, err));
  for (int l = 0; l < active; l++, value += m)
    if (cas_pass_counts(s, l)) {
      g->path[counted++] = value;
      cas_summary_add_mean(g->shape, chunk, b.path + l, value);
      cas_summary_add(g->shape, chunk, 0, value);
    }
  if (bins)
    count_paths(g, block, counted);
  for (int p = 0; !bins && block >= g->state->first_chunk && p < counted; p++)
    for (int i = 0; i < m; i++)
      cas_power_sums_add(&g->sum[i], g->path[p][i]);
  cas_pass_health(s, b.path, 0, active, chunk);
  return CAS_OK;
}

/* ---- checkpoints and results ----

   What stays of the paths besides their summary is one section, of the sums of all ranks; of
   histograms behind the extremes of the pilot. Before the bins are known, and where quantiles are
   exact, it is another section: the extremes so far, then the values that ranks hold. */

static const char counts_name[] = "counts", moments_name[] = "moments", large_name[] = "@moments",
                  values_name[] = "values";

/* Bytes before the counts or values. */
static size_t known_bytes(const cas_ensemble_study *e) {
  return e->bins ? (size_t)e->known * sizeof(double) : 0;
}

static size_t row_bytes(const cas_ensemble_study *e) {
  return (size_t)e->quantities * sizeof(double);
}

static int compare_rows(const void *a, const void *b, void *size) {
  return memcmp(*(const double *const *)a, *(const double *const *)b, *(const size_t *)size);
}

cas_status cas_sample_collect(const cas_collector *g, cas_sample *all, cas_error *err) {
  CAS_OWNED_BY(cas_sections_free) cas_sections mine = {0};
  size_t row = row_bytes(g->study), at = 0;
  cas_section of_rank;
  CAS_CALL(
      cas_agree(cas_sections_put(&mine, values_name, g->held_value, (size_t)g->held * row, err),
                g->run->comm, err));
  CAS_CALL(cas_store_gather(g->state, &mine, &all->stored, err));
  const size_t most = all->stored.size / row + 1;
  all->row = malloc(most * sizeof *all->row);
  all->one = malloc(most * sizeof *all->one);
  CAS_CALL(cas_agree(all->row && all->one ? CAS_OK : cas_no_memory(err), g->run->comm, err));
  while (cas_sections_next(&all->stored, values_name, &at, &of_rank))
    for (size_t done = 0; done < of_rank.size; done += row)
      all->row[all->paths++] = (const void *)((const char *)of_rank.bytes + done);
  /* which rank had which path would show in the file */
  qsort_r(all->row, (size_t)all->paths, sizeof *all->row, compare_rows, &row);
  return CAS_OK;
}

void cas_sample_free(cas_sample *s) {
  cas_sections_free(&s->stored);
  free(s->row);
  free(s->one);
}

static cas_status store_values(const cas_collector *g, cas_sections *s, cas_error *err) {
  const size_t known = known_bytes(g->study), row = row_bytes(g->study);
  const bool root = g->run->rank == 0;
  CAS_OWNED_BY(cas_sample_free) cas_sample all = {0};
  CAS_CALL(cas_sample_collect(g, &all, err));
  char *to = root ? cas_sections_add(s, values_name, known + (size_t)all.paths * row, err) : NULL;
  CAS_CALL(cas_agree(to || !root ? CAS_OK : CAS_NO_MEMORY, g->run->comm, err));
  CAS_FAIL_IF(MPI_Reduce(g->pilot.value, to, g->study->known, MPI_DOUBLE, MPI_MIN, 0, g->run->comm),
              CAS_INTERNAL, "MPI_Reduce of the pilot's extremes failed");
  for (int64_t p = 0; p < all.paths; p++)
    memcpy(to + known + (size_t)p * row, all.row[p], row);
  return CAS_OK;
}

static cas_status store_sums(const cas_collector *g, cas_sections *s, cas_error *err) {
  const cas_ensemble_study *e = g->study;
  const bool root = g->run->rank == 0;
  char *to =
      root ? cas_sections_add(s, e->bins ? counts_name : moments_name, stored_bytes(e), err) : NULL;
  void *sums = root ? to + known_bytes(e) : NULL;
  CAS_CALL(cas_agree(to || !root ? CAS_OK : CAS_NO_MEMORY, g->run->comm, err));
  if (root && e->bins)
    memcpy(to, g->pilot.value, known_bytes(e));
  return e->bins ? cas_histogram_sum(&g->histogram, sums, g->run->comm, err)
                 : cas_power_sums_reduce(g->sum, e->quantities, 0, g->run->comm, sums, err);
}

/* Whether all ranks know what the pilot gives, or will without another path of it. */
static bool are_known(cas_collector *g) {
  int begun = g->pilot.begun;
  cas_allreduce(MPI_IN_PLACE, &begun, 1, MPI_INT, MPI_MIN, g->run->comm);
  if (begun)
    cas_collector_know(g);
  return begun;
}

/* Without bins, nothing is kept until departures are known, as no path has been added. */
cas_status cas_collector_store(cas_collector *g, cas_sections *s, cas_error *err) {
  const bool known = are_known(g);
  if (g->study->bins && (!known || g->study->exact))
    return store_values(g, s, err);
  return known && !cas_ensemble_is_large(g->run) ? store_sums(g, s, err) : CAS_OK;
}

cas_status cas_collector_stream(void *collector, cas_checkpoint_writer *w, cas_error *err) {
  const cas_collector *g = collector;
  const MPI_Comm comm = g->run->comm;
  const int64_t all = g->study->quantities, most = CAS_ENSEMBLE_PART_NUMBERS;
  if (!are_known(collector))
    return CAS_OK;
  CAS_OWNED cas_power_sums *sum = w ? malloc((size_t)most * sizeof *sum) : NULL;
  cas_status st = sum || !w ? CAS_OK : cas_no_memory(err);
  if (!st && w)
    st = cas_checkpoint_section(w, large_name, stored_bytes(g->study), err);
  st = cas_agree(st, comm, err);
  for (int64_t first = 0, n; !st && first < all; first += n) {
    n = all - first < most ? all - first : most;
    st = cas_power_sums_reduce(g->sum + first, n, 0, comm, sum, err);
    if (!st && w)
      st = cas_checkpoint_put(w, sum, (size_t)n * sizeof *sum, err);
    st = cas_agree(st, comm, err);
  }
  return st;
}

/* ---- from checkpoints and results ---- */

/* Takes over the sums of the earlier run on rank 0, and what they are of on all. *found: there are
   some, of these quantities. */
static cas_status load_sums(cas_collector *g, bool *found, cas_error *err) {
  const cas_ensemble_study *e = g->study;
  const cas_run_state *r = g->state;
  const size_t known = known_bytes(e), size = stored_bytes(e);
  const bool root = r->run.rank == 0;
  cas_section s = {0};
  cas_stored_section large = {0};
  const bool in_file = cas_sections_get(&r->earlier.sections, large_name, &large, sizeof large);
  if (!in_file)
    (void)cas_sections_find(&r->earlier.sections, e->bins ? counts_name : moments_name, &s);
  *found = (in_file ? large.size : s.size) == size;
  if (!*found)
    return CAS_OK;
  void *sums = e->bins ? (void *)g->histogram.count : g->sum;
  if (!cas_blocks_read(r, s.bytes, large.offset, g->pilot.value, known) ||
      (root && !cas_blocks_read(r, s.bytes, large.offset + known, sums, size - known)))
    return cas_file_fail(err, r->checkpoint, "cannot be read");
  g->has_sums = root;
  for (int i = 0; !e->bins && root && i < e->quantities; i++)
    g->pilot.value[i] = g->sum[i].shift;
  cas_least_begin(&g->pilot);
  return CAS_OK;
}

/* Takes over the extremes so far, and on rank 0 the values of the earlier run. */
static cas_status load_values(cas_collector *g, bool *found, cas_error *err) {
  const size_t known = known_bytes(g->study), row = row_bytes(g->study);
  cas_section s;
  *found = g->study->bins && cas_sections_find(&g->state->earlier.sections, values_name, &s) &&
           s.size >= known && (s.size - known) % row == 0;
  const int64_t rows = *found && g->run->rank == 0 ? (int64_t)((s.size - known) / row) : 0;
  if (g->study->bins) {
    /* Values wait for bins: `rows` of an earlier run, and any rank may get as many blocks as the
       pilot has. */
    g->capacity = rows + g->study->pilot * g->run->problem.W;
    g->held_value = malloc((size_t)g->capacity * row);
    g->path = malloc((size_t)g->capacity * sizeof *g->path);
    CAS_FAIL_IF(!g->held_value || !g->path, CAS_NO_MEMORY,
                "out of memory: the values of %lld paths", (long long)g->capacity);
  }
  if (*found)
    memcpy(g->pilot.value, s.bytes, known);
  g->held = rows;
  if (rows)
    memcpy(g->held_value, (const char *)s.bytes + known, (size_t)rows * row);
  return CAS_OK;
}

cas_status cas_collector_begin(void *collector, cas_error *err) {
  cas_collector *g = collector;
  bool values, sums = false;
  CAS_CALL(load_values(g, &values, err));
  if (!values)
    CAS_CALL(load_sums(g, &sums, err));
  CAS_FAIL_IF(!values && !sums && g->state->earlier.tree.nodes, CAS_FILE_ERROR,
              "--resume: the checkpoint has no sums of these observables; remove %s to begin anew.",
              g->state->checkpoint);
  return CAS_OK;
}

/* Adds to the sums of all; false: they are of other bins, or of departures from another number. */
static bool merge_sums(const cas_ensemble_study *e, char *all, const char *more) {
  const size_t known = known_bytes(e);
  int64_t *count = (void *)(all + known);
  cas_power_sums *sum = (void *)all;
  const cas_power_sums *part = (const void *)more;
  bool fits = memcmp(all, more, known) == 0;
  for (size_t i = 0; e->bins && fits && i < (stored_bytes(e) - known) / sizeof *count; i++)
    count[i] += ((const int64_t *)(const void *)(more + known))[i];
  for (int i = 0; !e->bins && fits && i < e->quantities; i++) {
    fits = sum[i].shift == part[i].shift;
    cas_power_sums_merge(&sum[i], &part[i]);
  }
  return fits;
}

cas_status cas_collector_merge(const cas_study_run *r, cas_sections *all, const cas_sections *part,
                               const char *file, cas_error *err) {
  const cas_ensemble_study *e = r->prepared;
  const char *name = e->bins ? counts_name : moments_name;
  const size_t size = stored_bytes(e);
  cas_section sum, more;
  CAS_FAIL_IF(e->members > 0 && !r->in_memory, CAS_BAD_INPUT,
              "%s: has members (study.members), and ensembles with members are not merged", file);
  CAS_FAIL_IF(!cas_sections_find(part, name, &more), CAS_BAD_INPUT,
              "%s: holds no histograms yet, as so few paths have exact quantiles instead; to "
              "merge, run more than the paths that choose the bins (64, in whole blocks)",
              file);
  if (!cas_sections_find(all, name, &sum))
    return cas_sections_put(all, name, more.bytes, more.size, err);
  CAS_FAIL_IF(sum.size != size || more.size != size ||
                  !merge_sums(e, all->bytes + ((const char *)sum.bytes - all->bytes), more.bytes),
              CAS_BAD_INPUT,
              "%s: has other bins, or departures from another path, as runs of another random.seed "
              "have, and cannot be merged; more paths to merge are ranges of the paths of one "
              "seed, by study.first_path",
              file);
  return CAS_OK;
}
