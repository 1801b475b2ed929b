/* Weak errors at several times and their supremum. Quantities of a path, for each functional and
   time: phi of the reference, then phi(X_j) - phi(X_ref) for each level j. */
#include "studies/laws/weak_times.h"
#include "engine/sums.h"
#include "files/results/frame.h"
#include "files/results/table.h"
#include "studies/convergence.h"

#include <math.h>

typedef struct {
  cas_convergence_options convergence;
  cas_reals times;
} times_options;

typedef struct {
  cas_observables functionals;
  int times;
  int64_t *at; /* [times] finest steps, then the last step unless it is one of them */
} times_study;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    CAS_OPTION(cas_convergence_options, FORMULAS, functionals,
               .help = "test functions of the system"),
    CAS_OPTION(times_options, REALS, times, .low = 0, .high = 1e300,
               .help = "ascending times after 0, multiples of the coarsest step"),
    {0}};

static double time_of_supremum(const cas_weak_times *w, int level) {
  for (int k = 0; k < w->times; k++)
    if (fabs(w->error.value[level * w->times + k]) == w->supremum.value[level])
      return w->time[k];
  return NAN;
}

static void say(const cas_results *r, const cas_table *t, char *text, size_t size) {
  const cas_weak_times *w = t->object;
  const int last = w->levels - 1;
  cas_append(text, size, "weak errors of %s at %d time%s: largest ", w->name, w->times,
             w->times == 1 ? "" : "s");
  for (int l = 0; l <= last; l += last > 0 ? last : 1) {
    cas_append(text, size, "%s", l > 0 ? "; " : "");
    cas_frame_append(text, size, w->supremum.value[l], NAN, w->supremum.low[l], w->supremum.high[l],
                     INFINITY);
    cas_append(text, size, " at t = %.6g", time_of_supremum(w, l));
    cas_table_append_level(text, size, ", step ", r, l);
    cas_append(text, size, w->supremum.low[l] > 0 ? "" : " (NOT RESOLVED)");
  }
  cas_table_append_pair_order(text, size, r, t, 0);
}

const cas_table_kind cas_table_weak_times = {
    .group = "weak_times",
    .place = CAS_TABLE_EACH,
    .size = sizeof(cas_weak_times),
    .columns = CAS_FIELDS(CAS_FIELD_ESTIMATE(cas_weak_times, "error", error, "standard_error", 0,
                                             "E phi(X_h) - E phi(X_ref)", NULL),
                          CAS_FIELD_INTERVAL(cas_weak_times, supremum, 0,
                                             "largest absolute value of the error over the times",
                                             NULL, .over = CAS_TABLE_OVER_STEPS),
                          CAS_FIELD_INTERVAL(cas_weak_times, local_order, -1,
                                             "order of the supremum between neighbouring levels",
                                             "1", .over = CAS_TABLE_OVER_STEPS),
                          CAS_FIELD_MEAN(cas_weak_times, "mean", mean, "mean_standard_error", mean,
                                         0, "E phi(X_ref)", CAS_TABLE_OVER_AXIS)),
    .values = CAS_FIELDS(
        CAS_TABLE_VALUE(cas_weak_times, INT64, "paths_counted", counted, "counted paths", "1")),
    .name = offsetof(cas_weak_times, name),
    .unit = offsetof(cas_weak_times, unit),
    .levels = offsetof(cas_weak_times, levels),
    .axis = {"time", "time", "time_unit", offsetof(cas_weak_times, times),
             offsetof(cas_weak_times, time)},
    .say = say,
};

/* The interval of the supremum of one level; NaN where one of its errors has none. */
static void interval_of(const cas_weak_times *w, int level, double confidence, double *low,
                        double *high) {
  const double *error = w->error.value + level * w->times,
               *deviation = w->error.standard_error + level * w->times;
  double t = cas_student_quantile(1 - (1 - confidence) / w->times, (double)w->counted - 1);
  *low = *high = 0;
  for (int k = 0; k < w->times && !isnan(*low); k++) {
    const double width = t * deviation[k];
    *low = isnan(width) ? NAN : fmax(*low, fabs(error[k]) - width);
    *high = isnan(width) ? NAN : fmax(*high, fabs(error[k]) + width);
  }
}

/* Fills suprema and orders from errors and their standard errors, NaN where there are none. */
static void fill_suprema(const cas_study_run *r, cas_weak_times *w) {
  double of_levels[2][3];
  for (int l = 0; l < w->levels; l++) {
    double *now = of_levels[l % 2];
    now[0] = 0;
    for (int k = 0; k < w->times; k++)
      now[0] = fmax(now[0], fabs(w->error.value[l * w->times + k]));
    w->supremum.value[l] = now[0];
    interval_of(w, l, 0.95, &w->supremum.low[l], &w->supremum.high[l]);
    interval_of(w, l, 0.975, &now[1], &now[2]);
    if (l > 0)
      cas_span_put_order(r, l - 1, of_levels[(l - 1) % 2], now, &w->local_order);
  }
}

static cas_status take_times(const cas_study_run *r, const times_options *o, times_study *v,
                             cas_error *err) {
  const cas_span *s = &o->convergence.span;
  const cas_time_span span = {.step = s->coarsest_step, .steps = s->coarsest_steps};
  CAS_REFUSE(r->config, o->times.n == 0, "study.times", "found an empty list, must have a time");
  v->times = o->times.n;
  v->at = calloc((size_t)v->times + 1, sizeof *v->at);
  CAS_NEED(v->at);
  for (int k = 0; k < v->times; k++) {
    CAS_CALL(cas_time_span_step(r, "study.times", &span, o->times.value[k], &v->at[k], err));
    CAS_REFUSE(r->config, v->at[k] <= (k > 0 ? v->at[k - 1] / r->plan.ratio[0] : 0), "study.times",
               "found %.10g, must ascend from 0 on", o->times.value[k]);
    v->at[k] *= r->plan.ratio[0];
  }
  v->at[v->times] = r->plan.steps;
  return CAS_OK;
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  times_options *o = r->options;
  times_study *v = r->prepared;
  CAS_CALL(cas_convergence_plan(r, &o->convergence, err));
  CAS_CALL(cas_functionals_find(r->config, "study.functionals", &o->convergence.functionals,
                                &r->problem, &v->functionals, err));
  CAS_REFUSE(r->config, v->functionals.n == 0, "study.functionals", "is empty");
  CAS_CALL(take_times(r, o, v, err));
  r->plan.observed = v->at;
  return CAS_OK;
}

static void release(cas_study_run *r) { free(((const times_study *)r->prepared)->at); }

static void sizes(const cas_study_run *r, size_t *doubles, int *quantities) {
  const times_study *v = r->prepared;
  *quantities = v->functionals.n * v->times * r->plan.levels;
  *doubles = (size_t)*quantities * (size_t)r->problem.W;
}

/* Where values of functional i at time k on a level begin in value[functionals][times][L+1][W]. */
static size_t place_of(const cas_study_run *r, int i, int k, int level) {
  const times_study *v = r->prepared;
  const size_t levels = (size_t)r->plan.levels,
               at = ((size_t)i * (size_t)v->times + (size_t)k) * levels;
  return (at + (size_t)level) * (size_t)r->problem.W;
}

static void observe(const cas_study_run *r, cas_pass *s, int64_t observation, double *value) {
  const times_study *v = r->prepared;
  const int k = (int)observation - 1;
  for (int i = 0; k >= 0 && k < v->times && i < v->functionals.n; i++)
    for (int l = 0; l < r->plan.levels; l++)
      cas_observable_evaluate(&v->functionals.observable[i], s, l, value + place_of(r, i, k, l));
}

static void collect(const cas_study_run *r, const double *value, int lane, double *q) {
  const times_study *v = r->prepared;
  const int L = r->plan.levels - 1;
  for (int i = 0; i < v->functionals.n; i++)
    for (int k = 0; k < v->times; k++) {
      double reference = value[place_of(r, i, k, L) + (size_t)lane];
      *q++ = reference;
      for (int l = 0; l < L; l++)
        *q++ = value[place_of(r, i, k, l) + (size_t)lane] - reference;
    }
}

/* A mean and its standard error; 0 where all paths are equal. */
static void estimate(const cas_study_run *r, int q, double *mean, double *standard_error) {
  *mean = cas_sums_mean(r, q);
  *standard_error =
      !isnan(*mean) && cas_problem_is_exact(&r->problem) ? 0 : cas_sums_standard_error(r, q);
}

static void fill_table(const cas_study_run *r, int i, cas_weak_times *w) {
  const times_study *v = r->prepared;
  for (int k = 0; k < w->times; k++) {
    int first = (i * w->times + k) * (w->levels + 1);
    w->time[k] = (double)(v->at[k] / r->plan.ratio[0]) * r->plan.h[0];
    estimate(r, first, &w->mean.value[k], &w->mean.standard_error[k]);
    cas_span_probability_interval(r, &v->functionals.observable[i], w->mean.value[k],
                                  (double)w->counted, &w->mean.low[k], &w->mean.high[k]);
    for (int l = 0; l < w->levels; l++)
      estimate(r, first + 1 + l, &w->error.value[l * w->times + k],
               &w->error.standard_error[l * w->times + k]);
  }
  fill_suprema(r, w);
}

static cas_status conclude(const cas_study_run *r, cas_results *out, cas_error *err) {
  const times_study *v = r->prepared;
  const cas_weak_times like = {
      .levels = r->plan.levels - 1, .times = v->times, .counted = cas_sums_paths(r)};
  for (int i = 0; i < v->functionals.n; i++) {
    const cas_observable *phi = &v->functionals.observable[i];
    cas_weak_times *w =
        cas_table_create(out, &cas_table_weak_times, phi->name, phi->unit, &like, err);
    CAS_NEED(w);
    fill_table(r, i, w);
  }
  return CAS_OK;
}

const cas_study cas_study_weak_times = {
    .name = "weak_times",
    .summary = "weak errors at several times and their supremum, against a fine reference",
    .options = {options, sizeof(times_options), sizeof(times_study)},
    .prepare = prepare,
    .sums = {.sizes = sizes, .observe = observe, .collect = collect, .conclude = conclude},
    .release = release,
};
