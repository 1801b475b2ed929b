/* The bins of an ensemble's histograms. They come from the pilot, the first blocks of the study,
   wherever these lie. So that nothing is integrated twice, every rank holds the values of its first
   paths until all know the extremes of the pilot; that is agreed on without waiting. */
#include "base/owned.h"
#include "statistics/reduce.h"
#include "studies/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- agreeing ---- */

/* Sets the bins and counts the values held. They stay, for exact quantiles, where the pilot is all
   paths. */
static void set_bins(cas_collector *g) {
  size_t m = (size_t)g->study->quantities;
  double *greatest = g->extreme.value + m;
  for (size_t i = 0; i < m; i++)
    greatest[i] = -greatest[i];
  cas_histogram_set_bins(&g->histogram, g->extreme.value, greatest);
  for (size_t i = 0; i < m; i++)
    greatest[i] = -greatest[i];
  for (int64_t p = 0; p < g->held; p++)
    g->path[p] = g->held_value + (size_t)p * m;
  cas_histogram_add(&g->histogram, g->held, g->path);
  if (!g->study->exact)
    g->held = 0;
  g->bins_known = true;
}

static void poll_bins(cas_collector *g) {
  if (!g->bins_known && cas_least_is_known(&g->extreme))
    set_bins(g);
}

void cas_ensemble_bins_choose(cas_collector *g) {
  cas_least_wait(&g->extreme);
  poll_bins(g);
}

/* Blocks come in ascending order: behind the pilot this rank gets none of it. */
cas_status cas_ensemble_bins_wait(cas_collector *g, cas_pass *s, int64_t block, int active,
                                  cas_error *err) {
  if (block >= g->study->pilot)
    cas_least_begin(&g->extreme);
  poll_bins(g);
  if (!g->bins_known && g->held + active > g->capacity)
    CAS_CALL(cas_least_await(&g->extreme, s->poll, s->poll_context, err));
  poll_bins(g);
  return CAS_OK;
}

static void widen(cas_collector *g, const double *value) {
  size_t m = (size_t)g->study->quantities;
  double *least = g->extreme.value, *negative = least + m;
  for (size_t i = 0; i < m; i++) { /* + 0.0: of 0 and -0 the least is whichever comes first */
    least[i] = fmin(least[i], value[i] + 0.0);
    negative[i] = fmin(negative[i], -value[i] + 0.0);
  }
}

void cas_ensemble_bins_count(cas_collector *g, int64_t block, int paths) {
  size_t m = (size_t)g->study->quantities;
  bool pilot = block < g->study->pilot, counts = block >= g->state->first_chunk;
  if (g->bins_known && counts)
    cas_histogram_add(&g->histogram, paths, g->path);
  for (int p = 0; p < paths && counts && (!g->bins_known || g->study->exact); p++)
    memcpy(g->held_value + (size_t)g->held++ * m, g->path[p], m * sizeof(double));
  for (int p = 0; p < paths && pilot && !g->bins_known; p++)
    widen(g, g->path[p]);
  poll_bins(g);
}

/* ---- checkpoints: what there is, the extremes so far, then held rows or counts ---- */

typedef struct {
  int64_t bins_known, held;
} bins_head;

static const char head_name[] = "bins", extremes_name[] = "extremes", held_name[] = "held",
                  counts_name[] = "counts";

static cas_status store_counts(const cas_collector *g, cas_sections *s, cas_error *err) {
  MPI_Comm comm = g->run->comm;
  const bool root = g->run->rank == 0;
  const size_t size = cas_histogram_counts(&g->histogram) * sizeof(int64_t);
  CAS_OWNED int64_t *sum = root ? malloc(size) : NULL;
  CAS_CALL(cas_agree(sum || !root ? CAS_OK : cas_no_memory(err), comm, err));
  CAS_CALL(cas_agree(cas_histogram_sum(&g->histogram, sum, comm, err), comm, err));
  return root ? cas_sections_put(s, counts_name, sum, size, err) : CAS_OK;
}

static cas_status store_held(const cas_collector *g, const cas_sample *all, cas_sections *s,
                             cas_error *err) {
  if (g->run->rank != 0)
    return CAS_OK;
  return cas_sections_put(s, held_name, all->value,
                          (size_t)all->paths * (size_t)g->study->quantities * sizeof *all->value,
                          err);
}

static cas_status store_head(const cas_collector *g, const double *extreme, int64_t held,
                             cas_sections *s, cas_error *err) {
  const bins_head head = {g->bins_known && !g->study->exact, held};
  if (g->run->rank != 0)
    return CAS_OK;
  CAS_CALL(cas_sections_put(s, head_name, &head, sizeof head, err));
  return cas_sections_put(s, extremes_name, extreme,
                          2 * (size_t)g->study->quantities * sizeof *extreme, err);
}

static void free_sample(cas_sample *s) { free(s->value); }

cas_status cas_ensemble_bins_store(cas_collector *g, cas_sections *s, cas_error *err) {
  MPI_Comm comm = g->run->comm;
  int begun = g->extreme.begun;
  CAS_OWNED_BY(free_sample) cas_sample all = {0};
  CAS_OWNED double *extreme = malloc(2 * (size_t)g->study->quantities * sizeof *extreme);
  cas_status st = cas_agree(extreme ? CAS_OK : cas_no_memory(err), comm, err);
  /* All ranks store the same: if all have begun with the extremes, they wait for them. */
  cas_allreduce(MPI_IN_PLACE, &begun, 1, MPI_INT, MPI_MIN, comm);
  if (begun)
    cas_ensemble_bins_choose(g);
  CAS_CALL(st);
  if (MPI_Reduce(g->extreme.value, extreme, 2 * g->study->quantities, MPI_DOUBLE, MPI_MIN, 0, comm))
    st = cas_fail(err, CAS_INTERNAL, "MPI_Reduce of the pilot's extremes failed");
  CAS_CALL(cas_agree(st, comm, err));
  const bool counts = g->bins_known && !g->study->exact;
  if (!counts)
    CAS_CALL(cas_sample_collect(g, &all, err));
  CAS_CALL(cas_agree(store_head(g, extreme, all.paths, s, err), comm, err));
  return counts ? store_counts(g, s, err) : store_held(g, &all, s, err);
}

static bool load_counts(cas_collector *g) {
  cas_histogram *h = &g->histogram;
  cas_section found;
  g->extreme.begun = g->extreme.known = true; /* on all ranks: they read the same */
  set_bins(g);
  if (!cas_sections_find(&g->state->earlier, counts_name, &found) ||
      found.size != cas_histogram_counts(h) * sizeof *h->count)
    return false;
  if (g->run->rank == 0)
    memcpy(h->count, found.bytes, found.size);
  return true;
}

static bool load_held(cas_collector *g, int64_t held) {
  size_t size = (size_t)held * (size_t)g->study->quantities * sizeof(double);
  if (g->run->rank != 0 || held == 0)
    return true;
  g->held = held;
  return cas_sections_get(&g->state->earlier, held_name, g->held_value, size);
}

static bool load(cas_collector *g, const bins_head *head) {
  size_t size = 2 * (size_t)g->study->quantities * sizeof(double);
  if (!cas_sections_get(&g->state->earlier, extremes_name, g->extreme.value, size))
    return false;
  return head->bins_known ? load_counts(g) : load_held(g, head->held);
}

/* Adds counts to the counts of other paths, in the same bins, that *all holds. */
static cas_status merge_counts(cas_sections *all, const cas_sections *part, const char *file,
                               cas_error *err) {
  cas_section a, b, bins[2];
  CAS_FAIL_IF(!cas_sections_find(all, extremes_name, &bins[0]) ||
                  !cas_sections_find(part, extremes_name, &bins[1]) ||
                  !cas_sections_find(all, counts_name, &a) ||
                  !cas_sections_find(part, counts_name, &b) || a.size != b.size ||
                  bins[0].size != bins[1].size ||
                  memcmp(bins[0].bytes, bins[1].bytes, bins[0].size) != 0,
              CAS_BAD_INPUT,
              "%s: its histograms have other bins, as those of another random.seed have, and "
              "cannot be merged; more paths to merge are ranges of the paths of one seed, by "
              "study.first_path",
              file);
  int64_t *sum = (void *)(all->bytes + ((const char *)a.bytes - all->bytes));
  for (size_t i = 0; i < a.size / sizeof *sum; i++)
    sum[i] += ((const int64_t *)b.bytes)[i];
  return CAS_OK;
}

cas_status cas_ensemble_bins_merge(cas_sections *all, const cas_sections *part, const char *file,
                                   cas_error *err) {
  static const char *const names[] = {head_name, extremes_name, counts_name};
  bins_head head = {0};
  cas_section found;
  cas_status st = CAS_OK;
  CAS_FAIL_IF(!cas_sections_get(part, head_name, &head, sizeof head) || !head.bins_known,
              CAS_BAD_INPUT,
              "%s: holds no histograms yet, as so few paths have exact quantiles instead; to "
              "merge, run more than the paths that choose the bins (64, in whole blocks)",
              file);
  if (cas_sections_find(all, head_name, &found))
    return merge_counts(all, part, file, err);
  for (size_t i = 0; !st && i < sizeof names / sizeof *names; i++)
    if (cas_sections_find(part, names[i], &found))
      st = cas_sections_put(all, names[i], found.bytes, found.size, err);
  return st;
}

/* Any rank may get as many blocks as the pilot has. */
cas_status cas_ensemble_bins_begin(cas_collector *g, cas_error *err) {
  bins_head head = {0};
  const bool earlier = cas_sections_get(&g->state->earlier, head_name, &head, sizeof head);
  const int64_t most = g->study->pilot * g->run->problem.W; /* paths that all ranks hold */
  const bool sound = head.held >= 0 && head.held <= most;
  g->capacity = most + (sound && g->run->rank == 0 ? head.held : 0);
  g->held_value = malloc((size_t)g->capacity * (size_t)g->study->quantities * sizeof(double));
  g->path = malloc((size_t)g->capacity * sizeof *g->path);
  CAS_FAIL_IF(!g->held_value || !g->path, CAS_NO_MEMORY, "out of memory: the values of %lld paths",
              (long long)g->capacity);
  CAS_FAIL_IF(!sound || (earlier && !load(g, &head)) || (!earlier && g->state->earlier_tree.nodes),
              CAS_FILE_ERROR,
              "--resume: the checkpoint has no histograms for these observables; remove %s "
              "to begin anew.",
              g->state->checkpoint);
  return CAS_OK;
}
