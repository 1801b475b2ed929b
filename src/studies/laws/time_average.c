/* Averages over time after burn-in: of every observable the mean over a window and over paths, with
   the error of batch means, and its integrated autocorrelation time. Quantities of a path, for each
   observable: means over the 2B halves of batches, over the B batches, over the whole window, and
   the mean of (phi - phi(x0))^2. */
#include "studies/laws/time_average.h"
#include "base/owned.h"
#include "engine/sums.h"
#include "files/results/table.h"
#include "paths/problem/initial.h"
#include "studies/span.h"

#include <math.h>

typedef struct {
  cas_time_span span;
  double from;
  int64_t every, batches, paths, path_groups;
  cas_formulas observables;
} average_options;

typedef struct {
  cas_observables observables;
  int batches;
  int64_t before; /* observations before the window, that of the initial state among them */
  int64_t half;   /* observations in half a batch */
  double *centre; /* [observables] of the initial state */
} average_study;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_time_span_options},
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
               .identity = CAS_MORE_PATHS, .help = "number of paths"),
    CAS_OPTION(average_options, INT, path_groups, .fallback = "0",
               .high = CAS_SPAN_PATH_GROUPS_MOST, .help = CAS_SPAN_PATH_GROUPS_HELP),
    CAS_OPTION(average_options, FORMULAS, observables, .fallback = "[hamiltonian]",
               .help = "observables that are averaged; single numbers only"),
    {0}};

/* ---- the table ---- */

enum { BY_BATCH, BY_GROUP };

static int axes(const cas_table *t, const cas_field *column, cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_time_average *a = t->object;
  axis[0] = column->extra == BY_GROUP ? cas_span_path_group_axis(a->path_groups)
                                      : (cas_file_axis){.name = t->kind->axis.name,
                                                        .long_name = t->kind->axis.long_name,
                                                        .unit = t->kind->axis.unit,
                                                        .length = a->batches,
                                                        .coordinates = a->end};
  return 1;
}

static void get(cas_h5 *h, hid_t group, cas_table *t) {
  cas_time_average *a = t->object;
  a->path_groups =
      cas_h5_has_dataset(h, group, "group_mean") ? cas_h5_length(h, group, "group_mean") : 0;
}

#define VALUE(called, member, meaning, ...) \
  CAS_TABLE_VALUE(cas_time_average, REAL, called, member, meaning, __VA_ARGS__)

const cas_table_kind cas_table_time_average = {
    .group = "time_average",
    .place = CAS_TABLE_EACH,
    .size = sizeof(cas_time_average),
    .columns = CAS_FIELDS(
        CAS_FIELD_STATISTIC(cas_time_average, "batch_mean", batch_mean, BY_BATCH,
                            "mean over the batch and over paths", NULL,
                            "batch_end: mean realization: mean", .error = "batch_standard_error"),
        CAS_FIELD_COLUMN(cas_time_average, REAL, "batch_standard_error", batch_standard_error,
                         BY_BATCH, "its standard error, over paths", NULL),
        CAS_FIELD_STATISTIC(cas_time_average, "group_mean", group_mean, BY_GROUP,
                            "mean over the window and over each group of paths", NULL,
                            "batch_end: mean realization: mean"),
        CAS_FIELD_COLUMN(cas_time_average, INT64, "group_paths", group_paths, BY_GROUP,
                         "counted paths of each group", "1")),
    .values = CAS_FIELDS(
        VALUE("mean", average.mean, "mean over the window and over paths", NULL,
              .error = "standard_error", .low = "low", .high = "high", .headline = true),
        VALUE("standard_error", average.standard_error, "its standard error", NULL),
        VALUE("low", average.low, "lower end of its 95% interval", NULL),
        VALUE("high", average.high, "upper end of its 95% interval", NULL),
        VALUE("variance", average.variance, "variance over the window and over paths", "^2"),
        VALUE("autocorrelation_time", average.autocorrelation_time,
              "integral of the autocorrelation over all lags", "time_unit",
              .low = "autocorrelation_low", .high = "autocorrelation_high"),
        VALUE("autocorrelation_low", average.autocorrelation_low, "lower end of its 95% interval",
              "time_unit"),
        VALUE("autocorrelation_high", average.autocorrelation_high, "upper end of its 95% interval",
              "time_unit"),
        VALUE("effective_samples", average.effective_samples, "number of independent values", "1"),
        VALUE("half_correlation", average.half_correlation, "correlation of halves of batches",
              "1"),
        CAS_TABLE_VALUE(
            cas_time_average, INT, "short_batches", average.short_batches,
            "1 if batches may be too short: errors of fewer than 32 paths and the autocorrelation "
            "time may be too small; let batches be fewer, or steps more",
            "1"),
        VALUE("from", from, "time at which the window begins", "time_unit"),
        VALUE("to", to, "time at which the window ends", "time_unit"),
        CAS_TABLE_VALUE(cas_time_average, INT64, "paths_counted", counted, "counted paths", "1")),
    .name = offsetof(cas_time_average, name),
    .unit = offsetof(cas_time_average, unit),
    .axis = {"batch_end", "time at which the batch ends", "time_unit",
             offsetof(cas_time_average, batches), offsetof(cas_time_average, end)},
    .axes = axes,
    .get = get,
};

/* ---- checking ---- */

static cas_status check_window(const cas_study_run *r, const average_options *o, average_study *v,
                               cas_error *err) {
  int64_t first;
  CAS_CALL(cas_time_span_step(r, "study.from", &o->span, o->from, &first, err));
  CAS_REFUSE(r->config, o->span.steps % o->every, "study.every",
             "found %lld, must divide steps: %lld", (long long)o->every, (long long)o->span.steps);
  int64_t all = o->span.steps / o->every, burnt = (first + o->every - 1) / o->every;
  v->batches = (int)o->batches;
  v->half = (all - burnt) / (2 * o->batches);
  v->before = 1 + all - 2 * o->batches * v->half;
  CAS_REFUSE(r->config, v->half < 1, "study.batches",
             "found %lld, but the window has %lld observations: must be at most %lld",
             (long long)o->batches, (long long)(all - burnt), (long long)(all - burnt) / 2);
  return CAS_OK;
}

/* phi(x0) of every observable, by a pass that takes no step. */
static cas_status find_centres(cas_study_run *r, average_study *v, cas_error *err) {
  const cas_problem *p = &r->problem;
  const size_t W = (size_t)p->W;
  CAS_OWNED_BY(cas_pass_free) cas_pass s = {0};
  CAS_OWNED double *out = calloc(W, sizeof *out);
  v->centre = calloc((size_t)v->observables.n, sizeof *v->centre);
  CAS_NEED(v->centre && out);
  CAS_CALL(cas_pass_create(p, &r->plan, &s, err));
  CAS_CALL(cas_initial_block(p, 0, 0, s.level[0].x, s.lanes, err));
  for (int i = 0; i < v->observables.n; i++)
    if (v->observables.observable[i].functional || v->observables.observable[i].expression) {
      cas_observable_evaluate(&v->observables.observable[i], &s, 0, out);
      v->centre[i] = out[0];
    }
  return CAS_OK;
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  average_options *o = r->options;
  average_study *v = r->prepared;
  CAS_CALL(cas_time_span_check(r, &o->span, err));
  CAS_CALL(check_window(r, o, v, err));
  CAS_CALL(cas_observables_find(r->config, "study.observables", &o->observables, &r->problem,
                                &v->observables, err));
  CAS_REFUSE(r->config, v->observables.n == 0, "study.observables", "is empty");
  for (int i = 0; i < v->observables.n; i++)
    CAS_REFUSE(r->config, v->observables.observable[i].axes, "study.observables",
               "'%s' has several numbers, must be a single one", v->observables.observable[i].name);
  CAS_CALL(cas_span_path_groups(r, o->path_groups, err));
  r->paths = o->paths;
  r->plan = cas_time_span_plan(&o->span, o->every);
  return find_centres(r, v, err);
}

static void release(cas_study_run *r) { free(((const average_study *)r->prepared)->centre); }

static void describe(FILE *f, const cas_study_run *r) {
  const average_study *v = r->prepared;
  double every = (double)r->plan.grid * r->plan.h[0];
  fprintf(f, "  average    from %.10g on, of %d batches of %lld observations a path\n",
          (double)(v->before - 1) * every, v->batches, (long long)(2 * v->half));
}

/* ---- one block ---- */

static void sizes(const cas_study_run *r, size_t *doubles, int *quantities) {
  const average_study *v = r->prepared;
  const size_t n = (size_t)v->observables.n * (size_t)r->problem.W;
  *doubles = n * (2 * (size_t)v->batches + 2);
  *quantities = v->observables.n * (3 * v->batches + 2);
}

typedef struct {
  double *value;  /* [observables][W] now */
  double *half;   /* [observables][2B][W]: sums so far */
  double *square; /* [observables][W]: sums so far */
} arrays;

static arrays arrays_of(const cas_study_run *r, double *value) {
  const average_study *v = r->prepared;
  const size_t n = (size_t)v->observables.n * (size_t)r->problem.W;
  return (arrays){value, value + n, value + n * (1 + 2 * (size_t)v->batches)};
}

static void observe(const cas_study_run *r, cas_pass *s, int64_t observation, double *value) {
  const average_study *v = r->prepared;
  const arrays a = arrays_of(r, value);
  const int W = r->problem.W;
  const size_t n = (size_t)v->observables.n * (size_t)W;
  if (observation == 0) {
    memset(a.half, 0, n * 2 * (size_t)v->batches * sizeof *a.half);
    memset(a.square, 0, n * sizeof *a.square);
  }
  if (observation < v->before)
    return;
  for (int i = 0; i < v->observables.n && !s->abandoned; i++)
    cas_observable_evaluate(&v->observables.observable[i], s, 0, a.value + i * W);
  const int64_t half = (observation - v->before) / v->half;
  for (int i = 0; i < v->observables.n && !s->abandoned; i++) {
    const double *now = a.value + i * W;
    double *sum = a.half + ((int64_t)i * 2 * v->batches + half) * W, *square = a.square + i * W;
    for (int l = 0; l < W; l++) {
      sum[l] += now[l];
      square[l] += (now[l] - v->centre[i]) * (now[l] - v->centre[i]);
    }
  }
}

static void collect(const cas_study_run *r, const double *value, int lane, double *quantity) {
  const average_study *v = r->prepared;
  const arrays a = arrays_of(r, (double *)value);
  for (int i = 0; i < v->observables.n; i++) {
    double *q = quantity + (size_t)i * (size_t)(3 * v->batches + 2);
    const int B = v->batches;
    const double *sum = a.half + (int64_t)i * 2 * B * r->problem.W + lane, n = (double)v->half;
    double *batch = q + 2 * B, all = 0;
    for (int k = 0; k < 2 * B; k++)
      q[k] = sum[k * r->problem.W] / n;
    for (int k = 0; k < B; k++) {
      batch[k] = (q[2 * k] + q[2 * k + 1]) / 2;
      all += batch[k];
    }
    batch[B] = all / B;
    batch[B + 1] = a.square[i * r->problem.W + lane] / (2 * B * n);
  }
}

/* ---- batch means ---- */

/* Batch means over paths and time, [Asmussen and Glynn, Stochastic Simulation, 2007, IV.5]: the
   window of every path is cut into batches, each of two halves; all batches of all paths count as
   independent values of one mean, which they are where batches are longer than correlations. */

/* Fewer paths have too few degrees of freedom of their own. */
enum { ENOUGH_PATHS = 32 };

/* The variance of n means of each path about the mean of all. */
static double pooled_variance(const double *mean, const double *m2, int n, int64_t paths,
                              double all) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += m2[i] + (double)paths * (mean[i] - all) * (mean[i] - all);
  return sum / ((double)n * (double)paths - 1);
}

/* The quantile of chi-square over its degrees of freedom, by Wilson and Hilferty (PNAS 17, 1931).
   z: the quantile of the standard normal. */
static double chi_square_ratio(double z, double degrees) {
  double width = 2 / (9 * degrees), root = 1 - width + z * sqrt(width);
  return root > 0 ? root * root * root : 0;
}

cas_time_mean cas_batch_moments_estimate(const cas_batch_moments *m) {
  const double z = 1.959963984540054, paths = (double)m->paths, batches = m->batches * paths;
  const bool by_paths = m->paths >= ENOUGH_PATHS;
  cas_time_mean e = {.mean = m->mean, .variance = m->square - pow(m->mean - m->centre, 2)};
  double of_batches = pooled_variance(m->batch, m->batch_m2, m->batches, m->paths, m->mean),
         of_halves = pooled_variance(m->half, m->half_m2, 2 * m->batches, m->paths, m->mean),
         n = by_paths ? paths : batches, variance = by_paths ? m->mean_m2 / (n - 1) : of_batches;
  e.standard_error = sqrt(variance / n);
  const double width = e.standard_error * cas_student_quantile(0.95, n - 1);
  e.low = e.mean - width;
  e.high = e.mean + width;
  e.autocorrelation_time = m->batch_time * of_batches / e.variance;
  e.autocorrelation_low = e.autocorrelation_time / chi_square_ratio(z, batches - 1);
  e.autocorrelation_high = e.autocorrelation_time / chi_square_ratio(-z, batches - 1);
  e.effective_samples = m->batch_time * m->batches * paths / e.autocorrelation_time;
  e.half_correlation = 2 * of_batches / of_halves - 1;
  /* Short batches hide correlations from the variance of their means, so that the autocorrelation
     time is underestimated as well: its upper end is compared, with few batches more strictly. */
  const double enough = batches < 16 ? 10 : 5;
  e.short_batches = !(m->batch_time >= enough * e.autocorrelation_high) ||
                    e.half_correlation > 0.1 + 2 / sqrt(batches);
  return e;
}

/* ---- the whole study ---- */

/* An event that no path has, or every path throughout: that others have it at times is as probable
   as that of any event that is not seen, and their averages are bounded by it. */
static void bound_event(const cas_study_run *r, const cas_observable *o, double paths,
                        cas_time_mean *e) {
  double low, high;
  if (e->standard_error > 0 || !(e->mean == 0 || e->mean == 1))
    return;
  cas_span_probability_interval(r, o, e->mean, paths, &low, &high);
  if (isnan(low))
    return;
  e->standard_error = NAN;
  e->low = low;
  e->high = high;
}

static void estimate(const cas_study_run *r, int i, cas_time_average *a) {
  const average_study *v = r->prepared;
  const int B = v->batches, first = i * (3 * B + 2);
  const double *moments = cas_sums_group(r, 0), *mean = moments + 1 + first,
               *m2 = mean + r->sums->shape.quantities, paths = moments[0],
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
    a->batch_mean[k] = cas_sums_mean(r, first + 2 * B + k);
    a->batch_standard_error[k] = cas_sums_standard_error(r, first + 2 * B + k);
  }
  a->average = cas_batch_moments_estimate(&m);
  if (paths == 0)
    a->average.mean = NAN;
  bound_event(r, &v->observables.observable[i], paths, &a->average);
  cas_sums_path_groups(r, first + 3 * B, a->group_paths, a->group_mean);
}

static cas_status conclude(const cas_study_run *r, cas_results *out, cas_error *err) {
  const average_study *v = r->prepared;
  const double every = (double)r->plan.grid * r->plan.h[0];
  const cas_time_average like = {.batches = v->batches, .path_groups = r->path_groups};
  for (int i = 0; i < v->observables.n; i++) {
    const cas_observable *o = &v->observables.observable[i];
    cas_time_average *a =
        cas_table_create(out, &cas_table_time_average, o->name, o->unit, &like, err);
    CAS_NEED(a);
    a->from = (double)(v->before - 1) * every;
    a->to = (double)r->plan.steps * r->plan.h[0];
    for (int k = 0; k < v->batches; k++)
      a->end[k] = (double)(v->before - 1 + 2 * v->half * (k + 1)) * every;
    estimate(r, i, a);
  }
  return CAS_OK;
}

const cas_study cas_study_time_average = {
    .name = "time_average",
    .summary = "averages over a time window and over paths, with autocorrelation times",
    .options = {options, sizeof(average_options), sizeof(average_study)},
    .defaults = {.compensated = true, .blocks_per_chunk = 1},
    .prepare = prepare,
    .sums = {.sizes = sizes, .observe = observe, .collect = collect, .conclude = conclude},
    .release = release,
    .costs = &(const cas_study_costs){.observed = true, .describe = describe},
};
