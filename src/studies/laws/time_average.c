/* Averages over time after burn-in: of every observable the mean over a window and over paths, with
   the error of batch means, and its integrated autocorrelation time. Quantities of a path, for each
   observable: means over the 2B halves of batches, over the B batches, over the whole window, and
   the mean of (phi - phi(x0))^2. */
#include "studies/laws/time_average.h"
#include "engine/chunks.h"
#include "engine/outcome.h"
#include "paths/observables.h"
#include "results/table.h"
#include "studies/span.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  cas_time_span span;
  double from;
  int64_t every, batches, paths;
  cas_formulas observables;
} average_options;

/* The study, as checked. */
typedef struct {
  cas_observables observables;
  int batches;
  int64_t before; /* observations before the window, that of the initial state among them */
  int64_t half;   /* observations in half a batch */
  double *centre; /* [observables] of the initial state */
} average_study;

static const cas_option options[] = {
    {.type = CAS_INCLUDE,
     .offset = offsetof(average_options, span),
     .section = cas_time_span_options},
    CAS_OPTION(
        average_options, REAL, from, .fallback = "0", .low = 0, .high = 1e300,
        .help =
            "start of the averages; should be late enough that the initial state has no influence"),
    CAS_OPTION(average_options, INT, every, .fallback = "1", .low = 1, .high = 1e15,
               .help = "number of steps between two observations; divides steps"),
    CAS_OPTION(average_options, INT, batches, .fallback = "16", .low = 4, .high = 1024,
               .help = "batches of each path, treated as independent: a batch should be longer "
                       "than correlations and must have at least two observations"),
    CAS_OPTION(average_options, INT, paths, .fallback = "1", .low = 1, .high = 1e12,
               .help = "number of paths"),
    CAS_OPTION(average_options, FORMULAS, observables, .fallback = "[hamiltonian]",
               .help = "observables that are averaged; single numbers only"),
    {0}};

/* ---- the table ---- */

extern const cas_table_kind cas_table_time_average;

static const cas_field columns[] = {CAS_FIELD_STATISTIC(cas_time_average, "batch_mean", batch_mean,
                                                        0, "mean over the batch and over paths",
                                                        NULL, "batch_end: mean realization: mean"),
                                    CAS_FIELD_COLUMN(cas_time_average, REAL, "batch_standard_error",
                                                     batch_standard_error, 0,
                                                     "its standard error, over paths", NULL),
                                    {0}};

static const cas_field values[] = {
    CAS_FIELD_VALUE(cas_time_average, REAL, "mean", average.mean),
    CAS_FIELD_VALUE(cas_time_average, REAL, "standard_error", average.standard_error),
    CAS_FIELD_VALUE(cas_time_average, REAL, "low", average.low),
    CAS_FIELD_VALUE(cas_time_average, REAL, "high", average.high),
    CAS_FIELD_VALUE(cas_time_average, REAL, "variance", average.variance),
    CAS_FIELD_VALUE(cas_time_average, REAL, "autocorrelation_time", average.autocorrelation_time),
    CAS_FIELD_VALUE(cas_time_average, REAL, "autocorrelation_low", average.autocorrelation_low),
    CAS_FIELD_VALUE(cas_time_average, REAL, "autocorrelation_high", average.autocorrelation_high),
    CAS_FIELD_VALUE(cas_time_average, REAL, "effective_samples", average.effective_samples),
    CAS_FIELD_VALUE(cas_time_average, REAL, "half_correlation", average.half_correlation),
    CAS_FIELD_VALUE(cas_time_average, INT, "short_batches", average.short_batches),
    CAS_FIELD_VALUE(cas_time_average, REAL, "from", from),
    CAS_FIELD_VALUE(cas_time_average, REAL, "to", to),
    CAS_FIELD_VALUE(cas_time_average, INT64, "paths_counted", counted),
    CAS_FIELD_CHARACTERS(cas_time_average, "units", unit),
    {0}};

static int axes(const cas_table *t, const cas_field *column, const cas_step_axes *steps,
                cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_time_average *a = t->object;
  (void)column, (void)steps;
  axis[0] = (cas_file_axis){.name = "batch_end",
                            .long_name = "time at which the batch ends",
                            .unit = "time_unit",
                            .length = a->batches,
                            .coordinates = a->end};
  return 1;
}

static void get(cas_h5 *h, hid_t group, cas_table *t) {
  cas_time_average *a = t->object;
  a->batches = cas_h5_length(h, group, "batch_end");
  if (!h->status && a->batches < 1)
    cas_h5_refuse(h, "'time_average' has no batches");
  if (!h->status && !(a->end = calloc((size_t)a->batches, sizeof *a->end)))
    cas_h5_no_memory(h);
  if (!h->status)
    cas_h5_get_column(h, group, "batch_end", CAS_FIELD_REAL, a->batches, a->end);
}

static void release_table(void *object) { free(((cas_time_average *)object)->end); }

static void print(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_time_average *a = t->object;
  const cas_time_mean *e = &a->average;
  (void)r;
  fprintf(f, "\nAverage of %s from %.6g to %.6g over %" PRId64 " path%s\n", a->name, a->from, a->to,
          a->counted, a->counted == 1 ? "" : "s");
  fprintf(f, "  mean                 %.8g +- %.2g, 95%% interval [%.8g, %.8g]\n", e->mean,
          e->standard_error, e->low, e->high);
  fprintf(f, "  standard deviation   %.4g\n", sqrt(e->variance));
  fprintf(f, "  autocorrelation time %.4g, 95%% interval [%.3g, %.3g]: %.4g independent values\n",
          e->autocorrelation_time, e->autocorrelation_low, e->autocorrelation_high,
          e->effective_samples);
  if (e->short_batches)
    fprintf(
        f,
        "  The %d batches of %.4g may be too short: they should last several times the upper end\n"
        "  of the autocorrelation time; their halves have the correlation %.2f. Errors of fewer\n"
        "  than 32 paths and the autocorrelation time may be too small. Let batches be fewer, or\n"
        "  steps more.\n",
        a->batches, (a->to - a->from) / a->batches, e->half_correlation);
}

const cas_table_kind cas_table_time_average = {
    .group = "time_average",
    .place = CAS_TABLE_EACH,
    .size = sizeof(cas_time_average),
    .columns = columns,
    .values = values,
    .name = offsetof(cas_time_average, name),
    .unit = offsetof(cas_time_average, unit),
    .axes = axes,
    .get = get,
    .release = release_table,
    .print = print,
};

/* ---- checking ---- */

static cas_status check_window(const cas_run_state *r, const average_options *o, average_study *v,
                               cas_error *err) {
  int64_t first;
  CAS_CALL(cas_time_span_step(r, "study.from", &o->span, o->from, &first, err));
  if (o->span.steps % o->every)
    return cas_config_fail(r->config, err, "study.every", "found %lld, must divide steps: %lld",
                           (long long)o->every, (long long)o->span.steps);
  int64_t all = o->span.steps / o->every, burnt = (first + o->every - 1) / o->every;
  v->batches = (int)o->batches;
  v->half = (all - burnt) / (2 * o->batches);
  v->before = 1 + all - 2 * o->batches * v->half;
  if (v->half < 1)
    return cas_config_fail(r->config, err, "study.batches",
                           "found %lld, but the window has %lld observations: must be at most %lld",
                           (long long)o->batches, (long long)(all - burnt),
                           (long long)(all - burnt) / 2);
  return CAS_OK;
}

static cas_status find_observables(cas_run_state *r, const average_options *o, average_study *v,
                                   cas_error *err) {
  CAS_CALL(cas_observables_find(r->config, "study.observables", &o->observables, &r->problem,
                                &v->observables, err));
  if (v->observables.n == 0)
    return cas_config_fail(r->config, err, "study.observables", "is empty");
  for (int i = 0; i < v->observables.n; i++)
    if (v->observables.observable[i].axes)
      return cas_config_fail(r->config, err, "study.observables",
                             "'%s' has several numbers, must be a single one",
                             v->observables.observable[i].name);
  return CAS_OK;
}

/* phi(x0) of every observable, by a pass that takes no step. */
static cas_status find_centres(cas_run_state *r, average_study *v, cas_error *err) {
  const cas_problem *p = &r->problem;
  size_t W = (size_t)p->W, n = W * (size_t)p->components;
  cas_pass s;
  v->centre = calloc((size_t)v->observables.n, sizeof *v->centre);
  if (!v->centre)
    return cas_no_memory(err);
  CAS_CALL(cas_pass_create(p, &r->plan, &s, err));
  double *out = calloc(W, sizeof *out);
  for (size_t i = 0; i < n; i++)
    s.level[0].x[i] = p->x0[i / W];
  for (int i = 0; out && i < v->observables.n; i++)
    if (v->observables.observable[i].functional || v->observables.observable[i].expression) {
      cas_observable_evaluate(&v->observables.observable[i], &s, 0, out);
      v->centre[i] = out[0];
    }
  cas_pass_free(&s);
  free(out);
  return out ? CAS_OK : cas_no_memory(err);
}

static int quantities_of(const average_study *v) { return v->observables.n * (3 * v->batches + 2); }

static cas_status prepare(cas_run_state *r, cas_error *err) {
  average_options *o = r->options;
  average_study *v = r->prepared;
  CAS_CALL(cas_time_span_check(r, &o->span, err));
  CAS_CALL(check_window(r, o, v, err));
  CAS_CALL(find_observables(r, o, v, err));
  r->paths = o->paths;
  r->plan = (cas_pass_plan){
      .levels = 1, .h = {o->span.step}, .ratio = {1}, .steps = o->span.steps, .grid = o->every};
  return find_centres(r, v, err);
}

static void release(cas_run_state *r) {
  average_study *v = r->prepared;
  cas_observables_free(&v->observables);
  free(v->centre);
}

static const cas_observables *observables(const cas_run_state *r) {
  return &((const average_study *)r->prepared)->observables;
}

static void describe(FILE *f, const cas_run_state *r) {
  const average_study *v = r->prepared;
  double every = (double)r->plan.grid * r->plan.h[0];
  fprintf(f, "  average    from %.10g on, of %d batches of %lld observations a path\n",
          (double)(v->before - 1) * every, v->batches, (long long)(2 * v->half));
}

/* ---- one block ---- */

typedef struct {
  const average_study *study;
  cas_summary_shape shape;
  double *value;         /* [observables][W] now */
  double *half, *square; /* [observables][2B][W] and [observables][W]: sums so far */
  double *quantity;      /* of one path */
} block_context;

static void add(block_context *b, int W, int64_t half) {
  const average_study *v = b->study;
  for (int i = 0; i < v->observables.n; i++) {
    const double *value = b->value + i * W;
    double *sum = b->half + ((int64_t)i * 2 * v->batches + half) * W, *square = b->square + i * W;
    for (int l = 0; l < W; l++) {
      sum[l] += value[l];
      square[l] += (value[l] - v->centre[i]) * (value[l] - v->centre[i]);
    }
  }
}

static cas_status observe(void *context, cas_pass *s, int64_t observation, cas_error *err) {
  block_context *b = context;
  const average_study *v = b->study;
  int W = s->problem->W;
  size_t n = (size_t)v->observables.n * (size_t)W;
  (void)err;
  if (observation == 0) {
    memset(b->half, 0, n * 2 * (size_t)v->batches * sizeof *b->half);
    memset(b->square, 0, n * sizeof *b->square);
  }
  if (observation < v->before)
    return CAS_OK;
  for (int i = 0; i < v->observables.n && !s->abandoned; i++)
    cas_observable_evaluate(&v->observables.observable[i], s, 0, b->value + i * W);
  if (!s->abandoned)
    add(b, W, (observation - v->before) / v->half);
  return CAS_OK;
}

/* The quantities of a lane and an observable, from its sums. */
static void collect(const block_context *b, int W, int i, int lane, double *q) {
  const average_study *v = b->study;
  const int B = v->batches;
  const double *sum = b->half + (int64_t)i * 2 * B * W + lane, n = (double)v->half;
  double *batch = q + 2 * B, all = 0;
  for (int k = 0; k < 2 * B; k++)
    q[k] = sum[k * W] / n;
  for (int k = 0; k < B; k++) {
    batch[k] = (q[2 * k] + q[2 * k + 1]) / 2;
    all += batch[k];
  }
  batch[B] = all / B;
  batch[B + 1] = b->square[i * W + lane] / (2 * B * n);
}

static cas_status run_block(void *context, cas_pass *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err) {
  block_context *b = context;
  const int W = s->problem->W, each = 3 * b->study->batches + 2;
  CAS_CALL(cas_pass_run(s, block, observe, b, err));
  for (int lane = 0; lane < active; lane++) {
    for (int i = 0; i < b->study->observables.n; i++)
      collect(b, W, i, lane, b->quantity + (size_t)i * (size_t)each);
    if (cas_pass_admits(s, lane, b->shape.quantities, b->quantity))
      cas_summary_add(b->shape, chunk, 0, b->quantity);
  }
  cas_pass_health(s, block * W, active, chunk);
  return CAS_OK;
}

/* ---- the whole study ---- */

static cas_status create_table(const cas_run_state *r, int i, cas_results *out,
                               cas_time_average **a, cas_error *err) {
  const average_study *v = r->prepared;
  const cas_observable *o = &v->observables.observable[i];
  const double every = (double)r->plan.grid * r->plan.h[0];
  *a = calloc(1, sizeof **a);
  CAS_CALL(cas_results_add(out, &cas_table_time_average, *a, err));
  snprintf((*a)->name, sizeof(*a)->name, "%s", o->name);
  snprintf((*a)->unit, sizeof(*a)->unit, "%s", o->unit);
  (*a)->batches = v->batches;
  (*a)->from = (double)(v->before - 1) * every;
  (*a)->to = (double)r->plan.steps * r->plan.h[0];
  (*a)->end = calloc((size_t)v->batches, sizeof *(*a)->end);
  if (!(*a)->end)
    return cas_no_memory(err);
  for (int k = 0; k < v->batches; k++)
    (*a)->end[k] = (double)(v->before - 1 + 2 * v->half * (k + 1)) * every;
  return cas_table_create_columns(&(cas_table){&cas_table_time_average, *a, NULL}, err);
}

static void estimate(const cas_run_state *r, const double *moments, int quantities, int i,
                     cas_time_average *a) {
  const average_study *v = r->prepared;
  const int B = v->batches;
  const double *mean = moments + 1 + i * (3 * B + 2), *m2 = mean + quantities, paths = moments[0],
               every = (double)r->plan.grid * r->plan.h[0];
  const cas_batch_moments m = {.paths = (int64_t)paths,
                               .batches = B,
                               .batch_time = 2 * (double)v->half * every,
                               .half = mean,
                               .half_m2 = m2,
                               .batch = mean + 2 * B,
                               .batch_m2 = m2 + 2 * B,
                               .mean = mean[3 * B],
                               .mean_m2 = m2[3 * B],
                               .square = mean[3 * B + 1],
                               .centre = v->centre[i]};
  a->counted = m.paths;
  for (int k = 0; k < B; k++) {
    a->batch_mean[k] = paths > 0 ? m.batch[k] : NAN;
    a->batch_standard_error[k] = paths > 1 ? sqrt(m.batch_m2[k] / (paths - 1) / paths) : NAN;
  }
  a->average = cas_batch_moments_estimate(&m);
  if (paths == 0)
    a->average.mean = NAN;
}

static cas_status fill(cas_run_state *r, cas_summary *total, cas_summary_shape shape,
                       cas_results *out, cas_error *err) {
  const average_study *v = r->prepared;
  CAS_CALL(cas_outcome_fill(r, shape, total, out, err));
  for (int i = 0; i < v->observables.n; i++) {
    cas_time_average *a;
    CAS_CALL(create_table(r, i, out, &a, err));
    estimate(r, cas_summary_group(shape, total, 0), shape.quantities, i, a);
  }
  return CAS_OK;
}

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const average_study *v = r->prepared;
  size_t n = (size_t)v->observables.n * (size_t)r->problem.W, halves = 2 * (size_t)v->batches,
         quantities = (size_t)quantities_of(v),
         size = (n * (halves + 2) + quantities) * sizeof(double);
  double *memory = calloc(1, size);
  cas_status st = cas_agree(memory ? CAS_OK : cas_no_memory(err), r->comm, err);
  if (!st) {
    block_context b = {.study = v,
                       .shape = {(int)quantities, 1, 1, 0},
                       .value = memory,
                       .half = memory + n,
                       .square = memory + n * (1 + halves),
                       .quantity = memory + n * (2 + halves)};
    cas_block_work work = {.block = run_block,
                           .context = &b,
                           .memory = memory,
                           .memory_size = size,
                           .extendable = true};
    st = cas_chunks_run_to_results(r, b.shape, &work, fill, out, err);
  }
  free(memory);
  return st;
}

extern const cas_study cas_study_time_average;
const cas_study cas_study_time_average = {
    .name = "time_average",
    .summary = "averages over a time window and over paths, with autocorrelation times",
    .options = options,
    .options_size = sizeof(average_options),
    .prepared_size = sizeof(average_study),
    .compensated = true,
    .blocks_per_chunk = 1,
    .prepare = prepare,
    .run = run,
    .release = release,
    .describe = describe,
    .observables = observables,
};
