/* Statistics of observables over time: the study, its configuration and its file. */
#include "studies/ensemble.h"
#include "base/owned.h"
#include "base/scratch.h"
#include "engine/chunks.h"
#include "engine/outcome.h"
#include "engine/output.h"
#include "engine/resume/identity.h"
#include "files/trajectories/checkpoint.h"

#include <limits.h>
#include <math.h>

enum { PILOT_PATHS = 64 };

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_time_span_options},
    CAS_OPTION(cas_ensemble_options, INT, every, .fallback = "", .low = 1, .high = 1e15,
               .help = "statistics at the initial time and then each time after this number of "
                       "steps; divides steps"),
    CAS_OPTION(cas_ensemble_options, REALS, times, .fallback = "", .low = 0, .high = 1e300,
               .identity = CAS_MORE_STEPS,
               .help = "instead of every: ascending times, multiples of the step"),
    CAS_OPTION(cas_ensemble_options, INT, paths, .low = 1, .high = 1e12, .identity = CAS_MORE_PATHS,
               .help = "number of paths"),
    CAS_OPTION(cas_ensemble_options, INT, first_path, .fallback = "0", .high = 1e12,
               .identity = CAS_OF_PART, .help = CAS_SPAN_FIRST_PATH_HELP),
    CAS_OPTION(cas_ensemble_options, FORMULAS, observables,
               .fallback = "[hamiltonian, casimir_departure]",
               .help = "observables of which statistics are computed"),
    CAS_OPTION(cas_ensemble_options, INT, members, .fallback = "0", .low = 0, .high = 1e12,
               .help = "number of paths, from the first on, of which full states are stored"),
    {.type = CAS_INCLUDE,
     .offset = offsetof(cas_ensemble_options, quantiles),
     .section = cas_span_probability_options},
    CAS_OPTION(cas_ensemble_options, INT, bins, .fallback = "256", .low = 0, .high = 65536,
               .help =
                   "number of bins of histograms, from which quantiles are computed; 0: neither of "
                   "them, in a small part of the memory"),
    CAS_OPTION(cas_ensemble_options, INT, path_groups, .fallback = "0",
               .high = CAS_SPAN_PATH_GROUPS_MOST, .help = CAS_SPAN_PATH_GROUPS_HELP),
    CAS_OPTION(cas_ensemble_options, BOOL, ends, .fallback = "false", .identity = CAS_OF_FILE,
               .help = CAS_SPAN_ENDS_HELP ", with all values of its paths"),
    {0}};

static cas_status count_times(const cas_study_run *r, const cas_ensemble_options *o,
                              cas_ensemble_study *e, cas_error *err) {
  CAS_REFUSE(r->config, o->times.n == 0 && cas_config_has(r->config, "study.times"), "study.times",
             "found an empty list, must have a time");
  CAS_REFUSE(r->config, (o->times.n > 0) == (o->every > 0), "study", "found %s, must have one",
             o->every ? "both times and every" : "neither times nor every");
  CAS_REFUSE(r->config, o->every && o->span.steps % o->every, "study.every",
             "found %lld, must divide steps: %lld", (long long)o->every, (long long)o->span.steps);
  int64_t records = o->every ? o->span.steps / o->every + 1 : o->times.n;
  CAS_REFUSE(r->config, records > INT_MAX / 2, "study.every", "found %lld, which gives %lld times",
             (long long)o->every, (long long)records);
  e->records = (int)records;
  return CAS_OK;
}

/* Bins, or what departures are from, come from the first paths of all, which a range that begins
   later integrates too. */
static cas_status check_first_path(const cas_study_run *r, const cas_ensemble_options *o,
                                   cas_error *err) {
  const int least = o->bins ? PILOT_PATHS : r->problem.W;
  CAS_REFUSE(r->config, o->first_path > 0 && o->first_path < least, "study.first_path",
             "found %lld, must be 0 or at least %d: so many paths choose the %s",
             (long long)o->first_path, least,
             o->bins ? "bins" : "numbers that departures are from");
  CAS_REFUSE(r->config, o->first_path > 0 && o->members > 0, "study.members",
             "found %lld, but members are the first of all paths; must be 0 where "
             "study.first_path is not",
             (long long)o->members);
  return CAS_OK;
}

/* On rank 0, for these chunks. Results without bins are written by all ranks, part by part, and
   read back when the sums are gone. */
static double root_bytes(const cas_study_run *r, int64_t chunks) {
  const cas_ensemble_study *e = r->prepared;
  double collected = (double)cas_ensemble_rank_bytes(r, chunks),
         results = (double)cas_ensemble_result_bytes(r);
  if (e->bins)
    return collected + 3 * results;
  return r->in_memory ? collected + results : fmax(collected, results);
}

/* Memory for at most as many chunks as there are blocks. */
static cas_status check_memory(cas_study_run *r, const cas_ensemble_study *e, cas_error *err) {
  double quantities = (double)e->records * e->observables.numbers;
  double machine = cas_scratch_of_machine(), needed = 0;
  bool fits = e->quantities < INT_MAX / 4;
  if (fits) {
    needed = root_bytes(r, (r->paths + r->problem.W - 1) / r->problem.W);
    fits = needed < machine && cas_sum_node_size(cas_ensemble_shape(r)) <= INT_MAX;
  }
  CAS_REFUSE(
      r->config, !fits, "study",
      "statistics of %d numbers at %d times with %d bins need %.3g GB on rank 0, of %.3g GB that "
      "this machine has: fewer times or numbers%s are needed",
      e->observables.numbers, e->records, e->bins,
      (needed > 0 ? needed : quantities * (e->bins + 50.0) * 8) / 1e9, machine / 1e9,
      e->bins ? ", or study.bins: 0, without histograms," : "");
  return CAS_OK;
}

/* Without bins, the digits of more paths would not fit into a sum. */
static cas_status check_sums(const cas_study_run *r, const cas_ensemble_study *e, cas_error *err) {
  CAS_REFUSE(r->config, e->bins == 0 && r->path_groups, "study.path_groups",
             "found %d, must be 0 where study.bins is 0: such sums are of all paths",
             r->path_groups);
  CAS_REFUSE(r->config, e->bins == 0 && ((const cas_ensemble_options *)r->options)->ends,
             "study.ends",
             "found true, must be false where study.bins is 0: such sums cannot go "
             "on to later times");
  CAS_REFUSE(r->config, e->bins == 0 && r->paths > CAS_POWER_SUMS_MOST, "study.paths",
             "found %lld, must be at most %lld where study.bins is 0", (long long)r->paths,
             (long long)CAS_POWER_SUMS_MOST);
  return CAS_OK;
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  cas_ensemble_options *o = r->options;
  cas_ensemble_study *e = r->prepared;
  int W = r->problem.W;
  r->paths = o->paths;
  r->first_path = o->first_path;
  e->bins = (int)o->bins;
  e->members = r->in_memory && o->members > o->paths ? o->paths : o->members;
  e->pilot = e->bins ? (PILOT_PATHS + W - 1) / W : 1;
  e->exact = e->bins && r->first_path == 0 && r->paths <= e->pilot * W;
  CAS_CALL(cas_time_span_check(r, &o->span, err));
  CAS_CALL(count_times(r, o, e, err));
  CAS_CALL(cas_span_probabilities_check(r, &o->quantiles, err));
  /* The report of a checkpoint has no file of members, and fewer paths may be done. */
  CAS_REFUSE(r->config, o->members > o->paths && !r->in_memory, "study.members",
             "found %lld, must be at most the number of paths, %lld", (long long)o->members,
             (long long)o->paths);
  CAS_CALL(check_first_path(r, o, err));
  CAS_CALL(cas_observables_find(r->config, "study.observables", &o->observables, &r->problem,
                                &e->observables, err));
  CAS_REFUSE(r->config, e->observables.n == 0, "study.observables",
             "is empty: there is nothing to take statistics of");
  CAS_CALL(cas_span_path_groups(r, o->path_groups, err));
  e->quantities = (int)fmin((double)e->records * e->observables.numbers, INT_MAX / 4);
  e->known = e->bins ? 2 * e->quantities : e->quantities;
  CAS_CALL(check_memory(r, e, err));
  CAS_CALL(check_sums(r, e, err));
  e->at = calloc((size_t)e->records + 1, sizeof *e->at);
  CAS_FAIL_IF(!e->at, CAS_NO_MEMORY, "out of memory: %d times", e->records);
  for (int64_t i = 0; o->every && i < e->records; i++)
    e->at[i] = i * o->every;
  e->at[e->records] = o->span.steps;
  CAS_CALL(o->every ? CAS_OK : cas_time_span_times(r, &o->span, &o->times, e->at, err));
  r->plan = cas_time_span_plan(&o->span, o->span.steps);
  r->plan.observed = e->at + (e->at[0] == 0);
  return CAS_OK;
}

static void release(cas_study_run *r) { free(((const cas_ensemble_study *)r->prepared)->at); }

/* A longer run can go on from the sums of this one. */
static bool is_extendable(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  bool keeps_sums = e->bins || (!e->members && !cas_ensemble_is_large(r));
  return keeps_sums && r->paths % r->problem.W == 0;
}

static size_t value_size(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  return (size_t)r->problem.W * (size_t)e->quantities * sizeof(double);
}

static double ends_bytes(const cas_study_run *r) {
  const cas_ensemble_options *o = r->options;
  return o->ends ? cas_blocks_ends_bytes(r, value_size(r)) : 0;
}

/* Whether ranks write results into the file themselves, where space is kept from the beginning. */
static bool are_apart(const cas_study_run *r) {
  return ((const cas_ensemble_study *)r->prepared)->bins == 0;
}

static double late_bytes(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  /* names, scales and health; where there are members, more space is tried out for HDF5 */
  const double few = 0x1p16 + 0x1p13 * e->observables.n, more = 0x1p18 + 0x1p17 * e->observables.n;
  return (e->members || are_apart(r) ? more : few) +
         (are_apart(r) ? 0 : (double)cas_ensemble_result_bytes(r)) +
         (is_extendable(r) ? (double)cas_ensemble_restart_bytes(r) : 0) + ends_bytes(r);
}

static double file_bytes(const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  double of_member = (double)e->records * (double)cas_problem_state_doubles(&r->problem) + 1;
  return (double)e->members * of_member * sizeof(double) + late_bytes(r) +
         (are_apart(r) ? (double)cas_ensemble_result_bytes(r) : 0);
}

/* As the profile of a run of many observables has it, on a processor of 3 GHz. */
static double adding_seconds(const cas_study_run *r) { return are_apart(r) ? 27e-9 : 15e-9; }

static double bytes(const cas_study_run *r) { return root_bytes(r, r->chunks) + 3 * ends_bytes(r); }

static void describe(FILE *f, const cas_study_run *r) {
  const cas_ensemble_study *e = r->prepared;
  double mine = (double)cas_ensemble_rank_bytes(r, r->chunks) / 1e6,
         results = (double)cas_ensemble_result_bytes(r) / 1e6, step = r->plan.h[0];
  fprintf(f, "  times      %d, from %.10g to %.10g\n", e->records, (double)e->at[0] * step,
          (double)e->at[e->records - 1] * step);
  fprintf(f, "  statistics of %d number%s at each, ", e->observables.numbers,
          e->observables.numbers > 1 ? "s" : "");
  if (e->bins)
    fprintf(f, "%d bins: %.3g MB a rank, and on the first %.3g MB for the results\n", e->bins, mine,
            3 * results);
  else
    fprintf(f, "without bins: %.3g MB a rank; results of %.3g MB\n", mine, results);
  fprintf(f, "  quantiles  %s\n",
          e->exact       ? "order statistics of all paths"
          : e->bins == 0 ? "none, without bins"
                         : "from the histograms");
  if (e->members)
    fprintf(f, "  members    %lld, %.3g MB in the file\n", (long long)e->members,
            (double)e->members * e->records * (double)cas_problem_state_doubles(&r->problem) *
                sizeof(double) / 1e6);
}

/* ---- running ---- */

static cas_trajectory_layout layout_of(const cas_run_state *r, const double *time) {
  const cas_ensemble_study *e = r->run.prepared;
  return (cas_trajectory_layout){
      .members = true, .records = e->records, .time = time, .identity = cas_identity_hash(r)};
}

static cas_trajectory_layout lay_out_members(const cas_run_state *r, const double *time,
                                             cas_file_dataset dataset[2]) {
  cas_trajectory_layout l = layout_of(r, time);
  cas_observables_state_dataset(&r->run.problem, &dataset[0]);
  dataset[0].name = "members";
  dataset[0].long_name = "states of the first paths";
  dataset[1] = (cas_file_dataset){.name = "member_failed",
                                  .long_name = "1 where the path of the member failed, 0 elsewhere",
                                  .unit = "1",
                                  .once = true};
  l.paths = ((const cas_ensemble_study *)r->run.prepared)->members;
  l.datasets = 2;
  l.dataset = dataset;
  return l;
}

typedef char group_name[80];

static cas_trajectory_layout lay_out_moments(const cas_run_state *r, const cas_observable *o,
                                             char *group, cas_file_dataset *dataset) {
  cas_trajectory_layout l = layout_of(r, NULL);
  snprintf(group, sizeof(group_name), "ensemble/%s", o->name);
  for (; cas_ensemble_column(l.datasets); l.datasets++) {
    cas_observable_dataset(o, &dataset[l.datasets]);
    dataset[l.datasets].name = cas_ensemble_column(l.datasets)->name;
  }
  l.paths = 1;
  l.bare = true;
  l.group = group;
  l.dataset = dataset;
  return l;
}

/* The file of members and moments, which all ranks write. */
static cas_status create_file(cas_run_state *r, cas_collector *g, cas_error *err) {
  const cas_ensemble_study *e = r->run.prepared;
  const size_t groups = are_apart(&r->run) ? (size_t)e->observables.n : 0,
               columns = (size_t)cas_ensemble_columns();
  const cas_sections nothing = {0}; /* without members there is nothing in it before the end */
  const cas_sections *from =
      e->members && !r->earlier.from_results ? &r->earlier.sections : &nothing;
  cas_file_dataset of_members[2];
  CAS_OWNED double *time = malloc((size_t)e->records * sizeof *time);
  CAS_OWNED cas_trajectory_layout *layout = malloc((groups + 1) * sizeof *layout);
  CAS_OWNED group_name *name = malloc((groups + 1) * sizeof *name);
  CAS_OWNED cas_file_dataset *dataset = malloc((groups + 1) * columns * sizeof *dataset);
  int n = 0;
  const bool there = time && layout && name && dataset;
  CAS_CALL(cas_agree(there ? CAS_OK : cas_no_memory(err), r->run.comm, err));
  for (int t = 0; t < e->records; t++)
    time[t] = (double)e->at[t] * r->run.plan.h[0];
  if (e->members)
    layout[n++] = lay_out_members(r, time, of_members);
  for (size_t i = 0; i < groups; i++)
    layout[n++] = lay_out_moments(r, &e->observables.observable[i], name[i], dataset + i * columns);
  CAS_CALL(cas_trajectory_resume(r->file, n, layout, from, r->run.comm, &g->file, err));
  /* that a member failed is written at the end of its path */
  return r->earlier.from_results && e->members
             ? cas_trajectory_copy(g->file, !r->earlier.steps, err)
             : CAS_OK;
}

static cas_status write_results(cas_run_state *r, cas_collector *g, cas_results *out,
                                cas_error *err) {
  cas_output_release(r);
  if (!g->file)
    return r->run.rank == 0 ? cas_output_write(r, out, err) : CAS_OK;
  free(g->sum);
  g->sum = NULL;
  cas_status st = cas_trajectory_close(g->file, r->run.rank == 0 ? out : NULL, err);
  g->file = NULL;
  return st || !are_apart(&r->run) ? st : cas_outcome_read_back(r, out, err);
}

static cas_status store(void *collector, cas_sections *s, cas_error *err) {
  cas_collector *g = collector;
  cas_status st = cas_collector_store(g, s, err);
  return !st && g->study->members && g->file ? cas_trajectory_store(g->file, s, err) : st;
}

static void end(void *collector) { cas_least_begin(&((cas_collector *)collector)->pilot); }

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const cas_ensemble_study *e = r->run.prepared;
  cas_collector g;
  CAS_OWNED cas_summary *total = NULL;
  CAS_REFUSE(r->run.config, e->members && !r->file && !r->earlier.merged, "study.members",
             "found %lld, which are kept in a file, and a run in memory has none",
             (long long)e->members);
  cas_status st = cas_agree(cas_collector_create(r, &g, err), r->run.comm, err);
  cas_block_work work = {.block = cas_collector_block,
                         .begin = cas_collector_begin,
                         .end = end,
                         .context = &g,
                         .memory = g.value,
                         .memory_size = value_size(&r->run),
                         .store = store,
                         .rows = r->run.problem.W,
                         .keeps_ends = ((const cas_ensemble_options *)r->run.options)->ends,
                         .stream = cas_ensemble_is_large(&r->run) ? cas_collector_stream : NULL,
                         .pilot = e->pilot,
                         .extendable = is_extendable(&r->run)};
  if (!st && r->earlier.steps)
    st = cas_time_span_goes_on(r, e->records, e->at, err);
  if (!st && r->file && (e->members || are_apart(&r->run)))
    st = create_file(r, &g, err);
  if (!st)
    st = cas_chunks_run(r, g.shape, &work, &total, err);
  if (!st)
    st = cas_agree(cas_ensemble_results(&g, total, out, err), r->run.comm, err);
  if (!st)
    st = cas_agree(write_results(r, &g, out, err), r->run.comm, err);
  /* After a failure or an interruption. */
  cas_error ignored = {0}; /* what ended the run counts */
  if (g.study->members)
    cas_store_suspend_file(r, g.file);
  else
    (void)!cas_trajectory_close(g.file, NULL, &ignored);
  cas_collector_free(&g);
  return st;
}

const cas_study cas_study_ensemble = {
    .name = "ensemble",
    .summary = "statistics of observables over time: means, extremes, quantiles, histograms",
    .options = {options, sizeof(cas_ensemble_options), sizeof(cas_ensemble_study)},
    .defaults = {.compensated = true, .blocks_per_chunk = 1, .sums_version = 1},
    .prepare = prepare,
    .run = run,
    .release = release,
    .merge = cas_collector_merge,
    .costs = &(const cas_study_costs){.file_bytes = file_bytes,
                                      .late_bytes = late_bytes,
                                      .bytes = bytes,
                                      .observed = true,
                                      .adding_seconds = adding_seconds,
                                      .describe = describe},
};
