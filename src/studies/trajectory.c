/* Whole paths over time. A chunk is a block; each rank writes the records of its own. */
#include "base/owned.h"
#include "engine/chunks.h"
#include "engine/outcome.h"
#include "engine/resume/identity.h"
#include "engine/resume/store.h"
#include "files/trajectories/checkpoint.h"
#include "studies/span.h"

#include <math.h>

typedef struct {
  cas_time_span span;
  int64_t every, paths;
  cas_reals times;
  cas_formulas observables;
  bool state, ends;
} trajectory_options;

/* The study, as prepared. Dataset 0 is the state, if that is recorded. */
typedef struct {
  cas_observables observables;
  int datasets;
  int64_t records;
  int64_t *
      at; /* [records] steps of the records, then the last step; NULL: records are equally spaced */
} trajectory;

/* What a block in progress needs besides its pass. */
typedef struct {
  int64_t first; /* number of the first record in the slab */
  bool failed[]; /* [W]: whether a record of the path was not finite */
} block_memory;

static size_t memory_size(const cas_study_run *r) {
  return sizeof(block_memory) + (size_t)r->problem.W * sizeof(bool);
}

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_time_span_options},
    CAS_OPTION(trajectory_options, INT, every, .fallback = "", .low = 1, .high = 1e15,
               .help = "number of steps between two records; divides steps"),
    CAS_OPTION(trajectory_options, REALS, times, .fallback = "", .low = 0, .high = 1e300,
               .identity = CAS_MORE_STEPS,
               .help = "instead of every: ascending times, multiples of the step"),
    CAS_OPTION(trajectory_options, INT, paths, .fallback = "1", .low = 1, .high = 1e12,
               .identity = CAS_MORE_PATHS, .help = "number of paths"),
    CAS_OPTION(trajectory_options, FORMULAS, observables,
               .fallback = "[hamiltonian, casimir_departure]",
               .help = "observables that are recorded in addition to the state"),
    CAS_OPTION(trajectory_options, BOOL, state, .fallback = "true",
               .help = "record the state itself"),
    CAS_OPTION(trajectory_options, BOOL, ends, .fallback = "true", .identity = CAS_OF_FILE,
               .help = CAS_SPAN_ENDS_HELP),
    {0}};

/* ---- checking ---- */

static int64_t records_of(const cas_study_run *r) {
  return ((const trajectory *)r->prepared)->records;
}

static int64_t doubles_of(const cas_study_run *r, const trajectory *t, int dataset) {
  int states = t->datasets - t->observables.n;
  return dataset < states ? (int64_t)cas_problem_state_doubles(&r->problem)
                          : t->observables.observable[dataset - states].numbers;
}

/* Doubles of all datasets for one path at one time. */
static int64_t doubles_of_all(const cas_study_run *r) {
  const trajectory *t = r->prepared;
  int64_t sum = 0;
  for (int k = 0; k < t->datasets; k++)
    sum += doubles_of(r, t, k);
  return sum;
}

static double ends_bytes(const cas_study_run *r) {
  const trajectory_options *o = r->options;
  return o->ends ? cas_blocks_ends_bytes(r, memory_size(r)) : 0;
}

static double file_bytes(const cas_study_run *r) {
  const double few = 1 << 15; /* names, scales and health */
  return sizeof(double) * (double)records_of(r) *
             ((double)r->paths * (double)doubles_of_all(r) + 1) +
         few + ends_bytes(r);
}

static cas_status choose_records(cas_study_run *r, trajectory_options *o, trajectory *t,
                                 cas_error *err) {
  if (o->times.n > 0) {
    CAS_REFUSE(r->config, o->every, "study", "found both times and every, must have one");
    t->records = o->times.n;
    t->at = calloc((size_t)o->times.n + 1, sizeof *t->at);
    CAS_NEED(t->at);
    t->at[o->times.n] = o->span.steps;
    r->plan = cas_time_span_plan(&o->span, o->span.steps);
    CAS_CALL(cas_time_span_times(r, &o->span, &o->times, t->at, err));
    r->plan.observed = t->at + (t->at[0] == 0);
    return CAS_OK;
  }
  if (o->every == 0)
    o->every = 1;
  CAS_REFUSE(r->config, o->span.steps % o->every, "study.every",
             "found %lld, must divide steps: %lld", (long long)o->every, (long long)o->span.steps);
  r->plan = cas_time_span_plan(&o->span, o->every);
  t->records = o->span.steps / o->every + 1;
  return CAS_OK;
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  trajectory_options *o = r->options;
  trajectory *t = r->prepared;
  CAS_CALL(cas_time_span_check(r, &o->span, err));
  CAS_CALL(choose_records(r, o, t, err));
  r->paths = o->paths;
  CAS_CALL(cas_observables_find(r->config, "study.observables", &o->observables, &r->problem,
                                &t->observables, err));
  t->datasets = o->state + t->observables.n;
  CAS_REFUSE(r->config, t->datasets == 0, "study.observables",
             "nothing to record: no observables, and state is false");
  const double bytes = file_bytes(r);
  CAS_REFUSE(r->config, !(bytes <= 0x1p60), "study.every",
             "found %lld, which makes %lld records of %lld paths, a file of %.2g "
             "bytes; must be more, or steps or paths fewer",
             (long long)r->plan.grid, (long long)t->records, (long long)r->paths, bytes);
  return CAS_OK;
}

static void release(cas_study_run *r) { free(((const trajectory *)r->prepared)->at); }

/* ---- recording ---- */

/* A slab holds the records of a block until they are written together. */
typedef struct {
  cas_study_run *run;
  const trajectory *study;
  cas_trajectory_file *file;
  int64_t slab; /* records in a slab */
  int64_t path; /* first of the block */
  int active;   /* paths of it that are recorded */
  block_memory *block;
  int64_t held;           /* records in the slab: block->first .. block->first + held - 1 */
  double **values;        /* [datasets], each [slab][active][numbers] */
  double *lanes, *packed; /* one observable, one state */
} recorder;

static cas_status flush(void *context, cas_error *err) {
  recorder *w = context;
  if (w->held == 0)
    return CAS_OK;
  cas_status st = cas_trajectory_write(w->file, w->block->first, w->held, w->path, w->active,
                                       (const double *const *)w->values, err);
  w->block->first += w->held;
  w->held = 0;
  return st;
}

static void refuse_failed(const recorder *w, cas_pass *s) {
  for (int l = 0; l < w->active; l++)
    if (w->block->failed[l])
      cas_pass_refuse(s, l);
}

static cas_status record(void *context, cas_pass *s, int64_t observation, cas_error *err) {
  recorder *w = context;
  const cas_observables *o = &w->study->observables;
  int states = w->study->datasets - o->n;
  int64_t n = observation - (w->study->at && w->study->at[0] != 0);
  if (n < 0 || n >= w->study->records)
    return CAS_OK;
  if (states) {
    size_t doubles = cas_problem_state_doubles(s->problem);
    double *state = w->values[0] + (size_t)(w->held * w->active) * doubles;
    for (int l = 0; l < w->active; l++, state += doubles)
      cas_problem_state_put(s->problem, s->level[0].x + l, w->packed, state);
  }
  for (int i = 0; i < o->n; i++) {
    const int numbers = o->observable[i].numbers;
    double *to = w->values[states + i] + w->held * w->active * numbers;
    cas_observable_evaluate(&o->observable[i], s, 0, w->lanes);
    for (int l = 0; l < w->active; l++)
      for (int k = 0; k < numbers; k++)
        *to++ = w->lanes[k * s->problem->W + l];
  }
  if (s->abandoned)
    return CAS_OK;
  /* Paths with a record that is not finite have failed, as they have in studies that average. */
  for (int k = 0; k < w->study->datasets; k++) {
    const int64_t numbers = doubles_of(w->run, w->study, k);
    const double *value = w->values[k] + w->held * w->active * numbers;
    for (int l = 0; l < w->active; l++)
      for (int64_t i = 0; i < numbers; i++)
        w->block->failed[l] |= !isfinite(*value++);
  }
  refuse_failed(w, s);
  w->held++;
  const bool last = w->block->first + w->held == w->study->records;
  return w->held == w->slab || last ? flush(w, err) : CAS_OK;
}

static cas_status record_block(void *context, cas_pass *s, int64_t block, int active,
                               cas_summary *chunk, cas_error *err) {
  recorder *w = context;
  w->path = block * s->problem->W;
  w->active = active;
  w->held = 0;
  if (!s->resume)
    memset(w->block, 0, memory_size(w->run));
  CAS_CALL(cas_pass_run(s, block, record, w, err));
  refuse_failed(w, s); /* one that was resumed after its last record, too */
  cas_pass_health(s, w->path, 0, active, chunk);
  return CAS_OK;
}

static cas_status store(void *context, cas_sections *s, cas_error *err) {
  const recorder *w = context;
  return cas_trajectory_store(w->file, s, err);
}

static cas_status create_file(cas_run_state *r, recorder *w, cas_error *err) {
  const trajectory *t = r->run.prepared;
  const int states = t->datasets - t->observables.n;
  CAS_OWNED cas_file_dataset *dataset = calloc((size_t)t->datasets, sizeof *dataset);
  CAS_OWNED double *time = calloc((size_t)t->records, sizeof *time);
  CAS_CALL(cas_agree(dataset && time ? CAS_OK : cas_no_memory(err), r->run.comm, err));
  if (states)
    cas_observables_state_dataset(&r->run.problem, dataset);
  for (int i = 0; i < t->observables.n; i++)
    cas_observable_dataset(&t->observables.observable[i], &dataset[states + i]);
  for (int64_t n = 0; n < t->records; n++)
    time[n] = (double)(t->at ? t->at[n] : n * r->run.plan.grid) * r->run.plan.h[0];
  const cas_trajectory_layout layout = {.records = t->records,
                                        .time = time,
                                        .paths = r->run.paths,
                                        .datasets = t->datasets,
                                        .dataset = dataset,
                                        .identity = cas_identity_hash(r)};
  if (!r->earlier.from_results)
    return cas_trajectory_resume(r->file, 1, &layout, &r->earlier.sections, r->run.comm, &w->file,
                                 err);
  CAS_CALL(cas_trajectory_create_groups(r->file, 1, &layout, r->run.comm, &w->file, err));
  return cas_trajectory_copy(w->file, false, err);
}

/* ---- memory ---- */

static int64_t slab_of(const cas_study_run *r) {
  const int64_t enough = 1 << 16; /* doubles */
  int64_t W = r->paths < r->problem.W ? r->paths : r->problem.W, row = W * doubles_of_all(r);
  int64_t slab = enough / row > 0 ? enough / row : 1;
  return slab < records_of(r) ? slab : records_of(r);
}

/* Bytes of the records not yet written, the times, and the largest observable for all lanes. */
static double bytes(const cas_study_run *r) {
  int64_t W = r->paths < r->problem.W ? r->paths : r->problem.W;
  double doubles = (double)(W * doubles_of_all(r)) * (double)slab_of(r) + (double)records_of(r);
  return sizeof(double) *
             (doubles + (double)cas_observables_most(r->prepared) * (double)r->problem.W) +
         3 * ends_bytes(r);
}

static void describe(FILE *f, const cas_study_run *r) {
  fprintf(f, "  records    %lld of %lld numbers a path\n", (long long)records_of(r),
          (long long)doubles_of_all(r));
}

static cas_status allocate(const cas_study_run *r, recorder *w, cas_error *err) {
  const trajectory *t = r->prepared;
  int64_t W = r->paths < r->problem.W ? r->paths : r->problem.W;
  w->slab = slab_of(r);
  w->block = calloc(1, memory_size(r));
  w->values = calloc((size_t)t->datasets, sizeof *w->values);
  w->packed = calloc((size_t)r->problem.components, sizeof(double));
  w->lanes = calloc(cas_observables_most(&t->observables) * (size_t)r->problem.W, sizeof(double));
  bool complete = w->block && w->values && w->packed && w->lanes;
  for (int k = 0; complete && k < t->datasets; k++) {
    w->values[k] = calloc((size_t)(w->slab * W * doubles_of(r, t, k)), sizeof(double));
    complete = w->values[k];
  }
  return complete ? CAS_OK : cas_no_memory(err);
}

/* ---- the whole study ---- */

/* Health alone is summed. */
static const cas_summary_shape shape = {.levels = 1, .groups = 1};

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const trajectory_options *o = r->run.options;
  const trajectory *t = r->run.prepared;
  recorder w = {.run = &r->run, .study = t};
  CAS_OWNED cas_summary *total = NULL;
  if (r->earlier.steps && t->at)
    CAS_CALL(cas_time_span_goes_on(r, t->records, t->at, err));
  cas_status st = cas_agree(allocate(&r->run, &w, err), r->run.comm, err);
  if (!st)
    st = create_file(r, &w, err);
  cas_block_work work = {.block = record_block,
                         .context = &w,
                         .memory = w.block,
                         .memory_size = memory_size(&r->run),
                         .rows = 1, /* which was shorter in older files */
                         .settle = flush,
                         .store = store,
                         .keeps_ends = o->ends};
  if (!st)
    st = cas_chunks_run(r, shape, &work, &total, err);
  if (!st)
    st = cas_agree(r->run.rank == 0 ? cas_outcome_fill(r, shape, total, out, err) : CAS_OK,
                   r->run.comm, err);
  if (!st) {
    st = cas_trajectory_close(w.file, out, err);
    w.file = NULL;
  }
  if (!st)
    st = cas_outcome_read_back(r, out, err);
  cas_store_suspend_file(r, w.file);
  for (int k = 0; w.values && k < w.study->datasets; k++)
    free(w.values[k]);
  free(w.values);
  free(w.lanes);
  free(w.packed);
  free(w.block);
  return st;
}

const cas_study cas_study_trajectory = {
    .name = "trajectory",
    .summary = "paths over time: state and observables",
    .options = {options, sizeof(trajectory_options), sizeof(trajectory)},
    .defaults = {.compensated = true, .blocks_per_chunk = 1, .recorded = true},
    .prepare = prepare,
    .run = run,
    .release = release,
    .costs =
        &(const cas_study_costs){
            .file_bytes = file_bytes, .bytes = bytes, .observed = true, .describe = describe},
};
