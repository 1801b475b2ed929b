/* Quantiles of |X_h - X_ref| at the horizon over paths, a few of which may dominate the mean square
   of the study `strong`. Quantities of a path are 1 for the bin of each error and 0 for all others,
   so that means times paths are counts, which are exact on any number of ranks. */
#include "studies/strong_quantiles.h"
#include "engine/sums.h"
#include "files/results/table.h"
#include "statistics/histogram.h"
#include "studies/convergence.h"

#include <math.h>

/* Bins of log2 of an error over the norm of the initial state, from rounding to far off the orbit,
   and two open ends. */
enum { PER_OCTAVE = 32, LOWEST = -54, HIGHEST = 6 };
enum { BINS = (HIGHEST - LOWEST) * PER_OCTAVE, PLACES = BINS + 2 };

typedef struct {
  cas_convergence_options convergence;
  cas_reals probabilities;
} study_options;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_convergence_level_options},
    {.type = CAS_INCLUDE,
     .offset = offsetof(study_options, probabilities),
     .section = cas_span_probability_options},
    {0}};

/* The orders of the middle and the last quantile, which the figure has above it, in few words. */
static void say(const cas_results *r, const cas_table *t, char *text, size_t size) {
  const cas_strong_quantiles *q = t->object;
  const int n = q->probabilities, middle = n / 2, last = n - 1;
  char order[2][160] = {"", ""};
  for (int i = 0; i < 2; i++) {
    const int k = i ? last : middle;
    cas_append(order[i], sizeof order[i], "quantile %.4g", q->probability[k]);
    cas_table_append_pair_order(order[i], sizeof order[i], r, t, k);
  }
  char *between = strstr(order[0], " between ");
  const char *same = strstr(order[1], " between ");
  if (last > middle && between && same && strcmp(between, same) == 0)
    *between = '\0'; /* it is said once */
  cas_append(text, size, "strong errors of paths: %s", order[0]);
  if (last > middle)
    cas_append(text, size, "; %s", order[1]);
}

const cas_table_kind cas_table_strong_quantiles = {
    .group = "strong_quantiles",
    .place = CAS_TABLE_ALONE,
    .size = sizeof(cas_strong_quantiles),
    .columns = CAS_FIELDS(CAS_FIELD_INTERVAL(cas_strong_quantiles, quantile, 0,
                                             "quantile of |X_h - X_ref| over paths", NULL),
                          CAS_FIELD_INTERVAL(cas_strong_quantiles, local_order, -1,
                                             "order between neighbouring levels", "1")),
    .values = CAS_FIELDS(CAS_TABLE_VALUE(cas_strong_quantiles, INT64, "paths_counted", counted,
                                         "counted paths", "1")),
    .unit = offsetof(cas_strong_quantiles, unit),
    .levels = offsetof(cas_strong_quantiles, levels),
    .axis = {"probability", CAS_SPAN_PROBABILITY_AXIS, "1",
             offsetof(cas_strong_quantiles, probabilities),
             offsetof(cas_strong_quantiles, probability)},
    .say = say,
};

/* What paths were counted in the bins of log2 of the errors of each level. */
typedef struct {
  double scale; /* that errors are relative to */
  cas_histogram bins;
  int64_t total;
  /* failed paths that are not among them, and that are, whose errors may be any */
  int64_t left_out, kept;
} distribution;

static int place_of(double error, double scale) {
  double at = (log2(error / scale) - LOWEST) * PER_OCTAVE;
  if (!(at >= 0))
    return 0;
  return at < BINS ? 1 + (int)at : PLACES - 1;
}

/* The end of the bin of the value of this rank, 1 .. total: the lower one (0) or the upper (1). */
static double end_of_rank(const distribution *d, int level, int64_t rank, int end) {
  double bounds[2];
  cas_histogram_bounds(&d->bins, level, rank, -INFINITY, INFINITY, bounds);
  return d->scale * exp2(bounds[end]);
}

/* Failed paths may lie on either side of the quantile. */
static void interval_of(const distribution *d, int level, double p, double confidence, double *low,
                        double *high) {
  int64_t first, last, unused;
  const double counted = (double)d->total, wanted = p * (double)(d->total + d->left_out),
               lowest = (wanted - (double)(d->left_out + d->kept)) / counted,
               highest = (wanted + (double)d->kept) / counted;
  *low = 0;
  *high = INFINITY;
  if (lowest > 0)
    cas_quantile_ranks(d->total, lowest, confidence, &first, &unused);
  if (lowest > 0 && first >= 1)
    *low = end_of_rank(d, level, first, 0);
  if (highest < 1)
    cas_quantile_ranks(d->total, highest, confidence, &unused, &last);
  if (highest < 1 && last <= d->total)
    *high = end_of_rank(d, level, last, 1);
}

static void fill_level(const distribution *d, cas_strong_quantiles *q, int level) {
  for (int k = 0; k < q->probabilities; k++) {
    int i = level * q->probabilities + k;
    const double p = q->probability[k];
    q->quantile.value[i] = q->quantile.low[i] = q->quantile.high[i] = NAN;
    if (d->total == 0)
      continue;
    q->quantile.value[i] =
        d->scale * exp2(cas_histogram_quantile(&d->bins, level, p, -INFINITY, INFINITY));
    interval_of(d, level, p, 0.95, &q->quantile.low[i], &q->quantile.high[i]);
  }
}

/* NaN where neither quantile says anything. */
static double order_of(const cas_span *s, double coarse, double fine) {
  return isinf(coarse) && isinf(fine) ? NAN : log2(coarse / fine) / log2((double)s->refinement);
}

static void fill_orders(const cas_span *s, const distribution *d, cas_strong_quantiles *q,
                        int level) {
  for (int k = 0; k < q->probabilities; k++) {
    int i = level * q->probabilities + k;
    double low[2] = {NAN, NAN}, high[2] = {NAN, NAN};
    for (int l = 0; d->total && l < 2; l++)
      interval_of(d, level + l, q->probability[k], 0.975, &low[l], &high[l]);
    q->local_order.value[i] =
        order_of(s, q->quantile.value[i], q->quantile.value[i + q->probabilities]);
    q->local_order.low[i] = order_of(s, low[0], high[1]);
    q->local_order.high[i] = order_of(s, high[0], low[1]);
  }
}

static double scale_of(const cas_problem *p) {
  double norm = cas_convergence_initial_norm(p);
  return norm > 0 ? norm : 1;
}

static void sizes(const cas_study_run *r, size_t *doubles, int *quantities) {
  const int L = r->plan.levels - 1;
  *doubles = (size_t)L * (size_t)r->problem.W;
  *quantities = L * PLACES;
}

/* value[level][lane]: squared distances from the reference, at the last observation. */
static void observe(const cas_study_run *r, cas_pass *s, int64_t observation CAS_UNUSED,
                    double *value) {
  const cas_problem *p = &r->problem;
  const int L = r->plan.levels - 1;
  for (int l = 0; l < L; l++)
    p->geometry.algebra->distance2(&p->geometry, p->W, s->level[l].x, s->level[L].x,
                                   value + l * p->W);
}

/* A path whose error is no number has failed, and is in no bin. */
static void collect(const cas_study_run *r, const double *value, int lane, double *quantity) {
  const int L = r->plan.levels - 1;
  const double scale = scale_of(&r->problem);
  memset(quantity, 0, (size_t)(L * PLACES) * sizeof(double));
  for (int l = 0; l < L; l++) {
    double error = sqrt(value[l * r->problem.W + lane]), *place = quantity + l * PLACES;
    if (isnan(error))
      place[0] = NAN;
    else
      place[place_of(error, scale)] = 1;
  }
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  study_options *o = r->options;
  CAS_REFUSE(r->config, o->probabilities.n == 0, "study.quantiles", "is empty");
  CAS_REFUSE(r->config,
             o->probabilities.value[0] == 0 || o->probabilities.value[o->probabilities.n - 1] == 1,
             "study.quantiles",
             "found an extreme, of which a sample says nothing: probabilities must lie "
             "between 0 and 1");
  CAS_CALL(cas_span_probabilities_check(r, &o->probabilities, err));
  return cas_convergence_plan(r, &o->convergence, err);
}

static cas_status conclude(const cas_study_run *r, cas_results *out, cas_error *err) {
  const study_options *o = r->options;
  const double *moments = cas_sums_group(r, 0);
  cas_strong_quantiles *q =
      cas_table_create(out, &cas_table_strong_quantiles, NULL, r->problem.system->state.unit,
                       &(cas_strong_quantiles){.levels = r->plan.levels - 1,
                                               .probabilities = o->probabilities.n,
                                               .counted = cas_sums_paths(r)},
                       err);
  CAS_NEED(q);
  distribution d = {.scale = scale_of(&r->problem),
                    .total = q->counted,
                    .left_out = out->health.left_out_paths,
                    .kept = out->health.failed_paths - out->health.left_out_paths};
  CAS_CALL(cas_histogram_create(q->levels, BINS, &d.bins, err));
  memcpy(q->probability, o->probabilities.value, (size_t)q->probabilities * sizeof(double));
  for (int l = 0; l < q->levels; l++) {
    const double *share = moments + 1 + l * PLACES;
    d.bins.low[l] = LOWEST;
    d.bins.width[l] = 1.0 / PER_OCTAVE;
    d.bins.below[l] = llround(moments[0] * share[0]);
    d.bins.above[l] = llround(moments[0] * share[PLACES - 1]);
    for (int b = 0; b < BINS; b++)
      d.bins.count[l * BINS + b] = llround(moments[0] * share[1 + b]);
    fill_level(&d, q, l);
  }
  for (int l = 0; l + 1 < q->levels; l++)
    fill_orders(&o->convergence.span, &d, q, l);
  cas_histogram_free(&d.bins);
  return CAS_OK;
}

const cas_study cas_study_strong_quantiles = {
    .name = "strong_quantiles",
    .summary = "quantiles over paths of the error of each step size against a fine reference",
    .options = {options, sizeof(study_options), 0},
    .prepare = prepare,
    .sums = {.sizes = sizes, .observe = observe, .collect = collect, .conclude = conclude},
};
