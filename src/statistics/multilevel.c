/* Differences between neighbouring levels: weak order, decay of variances, growth of cost. If the
   weak error is c h^q, differences of neighbours are a power law too, E Y = c (1 - r^-q) h^q,
   with r the ratio of their step sizes. */
#include "base/scratch.h"
#include "statistics/columns.h"
#include "statistics/fit_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- straight lines ---- */

typedef struct {
  int n;
  double x[CAS_COLUMNS_MOST_LEVELS], y[CAS_COLUMNS_MOST_LEVELS],
      weight[CAS_COLUMNS_MOST_LEVELS]; /* weight: 1 / variance of y */
} line;

typedef struct {
  double slope, intercept, error; /* standard error of the slope */
} line_fit;

/* The error follows from the weights, and is larger where points scatter more than their weights
   say. */
static line_fit fit_line(const line *l) {
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, misfit = 0;
  for (int i = 0; i < l->n; i++)
    s += l->weight[i], sx += l->weight[i] * l->x[i], sy += l->weight[i] * l->y[i];
  for (int i = 0; i < l->n; i++) {
    double d = l->x[i] - sx / s;
    sxx += l->weight[i] * d * d;
    sxy += l->weight[i] * d * l->y[i];
  }
  line_fit f = {.slope = sxy / sxx, .error = 1 / sqrt(sxx)};
  f.intercept = (sy - f.slope * sx) / s;
  for (int i = 0; i < l->n; i++) {
    double r = l->y[i] - f.intercept - f.slope * l->x[i];
    misfit += l->weight[i] * r * r;
  }
  if (l->n > 2)
    f.error *= sqrt(fmax(1, misfit / (l->n - 2)));
  return f;
}

static double rounding_of(const cas_multilevel *m, const cas_differences *d, int l) {
  return cas_fit_rounding(m->steps[l], hypot(d->fine_mean[l], sqrt(d->single_variance[l])));
}

/* Whether the variance of the difference is more than rounding. */
static bool varies(const cas_multilevel *m, const cas_differences *d, int l) {
  return d->variance[l] > 0 && sqrt(d->variance[l]) > rounding_of(m, d, l);
}

static double p_value_of(const cas_multilevel *m, const cas_differences *d, int l) {
  return cas_fit_p_value(d->difference[l], d->standard_error[l], (double)m->paths[l],
                         rounding_of(m, d, l));
}

/* ---- laws ---- */

/* Memory for the points of a fit. */
typedef struct {
  double covariance[CAS_COLUMNS_MOST_LEVELS * CAS_COLUMNS_MOST_LEVELS];
} workspace;

/* The points of a fit: the differences of all levels, which are independent of each other; where
   nothing is random, all differences above rounding. The level with the fewest paths determines the
   degrees of freedom. */
static cas_law_points points_of(const cas_multilevel *m, const cas_differences *d,
                                const double *step, bool exact, workspace *w) {
  double fewest = INFINITY;
  int n = 0;
  while (n < m->levels && (!exact || fabs(d->difference[n]) > rounding_of(m, d, n)))
    n++;
  memset(w, 0, sizeof *w);
  for (int l = 0; l < n; l++) {
    w->covariance[l * n + l] = d->standard_error[l] * d->standard_error[l];
    fewest = fmin(fewest, (double)m->paths[l]);
  }
  return (cas_law_points){.n = n,
                          .step = step,
                          .finer = step + 1,
                          .value = d->difference,
                          .covariance = w->covariance,
                          .scale = 1,
                          .degrees = fewest - 1,
                          .independent = true,
                          .exact = exact,
                          .rounding = n ? rounding_of(m, d, n - 1) : 0,
                          .third = true,
                          .leading = exact};
}

/* E phi at the finest step: the average, weighted by paths, of each level's mean plus the
   differences of all finer levels. The errors of the differences are added, because the levels'
   estimates share them. */
static double finest_mean(const cas_multilevel *m, const cas_differences *d, double *error) {
  double beyond = 0, noise = 0, variance = 0, weights = 0, sum = 0;
  for (int l = m->levels - 1; l >= 0; l--) {
    double weight = (double)m->paths[l], se = weight * d->fine_standard_error[l];
    sum += weight * (d->fine_mean[l] - beyond);
    variance += se * se;
    weights += weight;
    if (l > 0)
      beyond += d->difference[l], noise += d->standard_error[l];
  }
  *error = sqrt(variance) / weights + noise;
  return sum / weights;
}

static void fit_laws(const cas_multilevel *m, cas_differences *d, const double *step, bool exact) {
  workspace w;
  cas_law_points p = points_of(m, d, step, exact, &w);
  double error, mean = finest_mean(m, d, &error);
  for (int l = 0; l + 1 < m->levels; l++) {
    bool pair = l + 1 < p.n && d->resolved[l] && d->resolved[l + 1];
    d->local_order_error[l] = NAN;
    d->local_order[l] = pair ? cas_law_local_order(&p, l, &d->local_order_error[l]) : NAN;
  }
  for (int l = 0; l + 2 < m->levels; l++) {
    bool three = l + 2 < p.n;
    d->next_order_error[l] = NAN;
    d->next_order[l] =
        three ? cas_law_local_order_next(&p, d->expected_order, l, &d->next_order_error[l]) : NAN;
  }
  if (!cas_laws_fit(&p, d->expected_order, &d->laws))
    cas_laws_clear(&d->laws);
  d->extrapolated = cas_fit_extrapolate(&d->laws, step[m->levels], mean, error);
}

/* log2 of a sample variance of n values has the variance (kurtosis - 1) / n / ln(2)^2. */
static double weight_of(const cas_multilevel *m, const cas_differences *d, int l) {
  double kurtosis = d->kurtosis[l] > 1.5 ? d->kurtosis[l] : 3;
  return (double)m->paths[l] / (kurtosis - 1) * M_LN2 * M_LN2;
}

/* The smaller number of paths of the finest two levels. */
static double fewest_paths(const cas_multilevel *m) {
  return fmin((double)m->paths[m->levels - 1], (double)m->paths[m->levels - 2]);
}

/* The decay between the variances of the finest two levels that vary: on coarser ones it is none of
   one power. */
static void fit_decay(const cas_multilevel *m, cas_differences *d, const double *step) {
  line l = {0};
  d->variance_decay = (cas_fit){NAN, NAN, NAN, NAN};
  for (int i = m->levels - 1; i >= 0 && l.n < 2; i--) {
    if (!varies(m, d, i) || m->paths[i] < 2)
      continue;
    l.x[l.n] = log2(step[i]);
    l.y[l.n] = log2(d->variance[i]);
    l.weight[l.n++] = weight_of(m, d, i);
  }
  if (l.n < 2)
    return;
  line_fit f = fit_line(&l);
  double half = f.error * cas_student_quantile(0.95, fewest_paths(m) - 1);
  d->variance_decay = (cas_fit){f.slope, f.slope - half, f.slope + half, exp2(f.intercept)};
}

static void fit_cost(cas_multilevel *m, const double *step) {
  line l = {0};
  m->cost_growth = NAN;
  for (int i = 0; i < m->levels; i++)
    if (m->iterations[i] > 0) {
      l.x[l.n] = -log2(step[i]);
      l.y[l.n] = log2(m->iterations[i]);
      l.weight[l.n++] = 1;
    }
  if (l.n > 1)
    m->cost_growth = fit_line(&l).slope;
}

/* ---- verdicts ---- */

static bool all_rounding(const cas_multilevel *m, const cas_differences *d) {
  int within = 0;
  for (int l = 0; l < m->levels; l++)
    within += fmax(fabs(d->difference[l]), d->standard_error[l]) <= rounding_of(m, d, l);
  return within == m->levels;
}

/* The upper end of the 95% interval of the decay between the variances of the finest two levels. */
static double highest_decay(const cas_multilevel *m, const cas_differences *d, const double *step) {
  int l = m->levels - 2;
  double error =
      sqrt(1 / weight_of(m, d, l) + 1 / weight_of(m, d, l + 1)); /* of log2 of the ratio */
  return d->local_decay[l] +
         cas_student_quantile(0.95, fewest_paths(m) - 1) * error / log2(step[l] / step[l + 1]);
}

/* What the decay of the variances says of the coupling. */
static cas_findings judge_decay(const cas_multilevel *m, const cas_differences *d,
                                const double *step, bool commuting) {
  if (!isfinite(d->variance_decay.order) || strcmp(m->coupling, "antithetic") != 0)
    return 0;
  if (commuting)
    return cas_finding_set(CAS_NOISES_COMMUTE);
  return highest_decay(m, d, step) < 1.5 ? cas_finding_set(CAS_NOT_ANTITHETIC) : 0;
}

/* ---- fitting ---- */

/* Tests the differences of all levels and functionals as one family. */
static void resolve(cas_multilevel *m) {
  int L = m->levels, n = 0;
  double *p_value = cas_scratch((size_t)(L * m->functionals + 1) * sizeof *p_value);
  for (int i = 0; p_value && i < m->functionals; i++)
    for (int l = 0; l < L; l++)
      p_value[n++] = p_value_of(m, &m->functional[i], l);
  double threshold = p_value ? cas_fit_holm_threshold(p_value, n) : -1;
  for (int i = 0; i < m->functionals; i++)
    for (int l = 0; l < L; l++)
      m->functional[i].resolved[l] = p_value_of(m, &m->functional[i], l) <= threshold;
  free(p_value);
}

void cas_multilevel_fit_laws(cas_multilevel *m, const double *step, bool commuting, bool exact) {
  fit_cost(m, step);
  resolve(m);
  for (int i = 0; i < m->functionals; i++) {
    cas_differences *d = &m->functional[i];
    for (int l = 0; l + 1 < m->levels; l++)
      d->local_decay[l] =
          varies(m, d, l) && varies(m, d, l + 1)
              ? log2(d->variance[l] / d->variance[l + 1]) / log2(step[l] / step[l + 1])
              : NAN;
    fit_laws(m, d, step, exact);
    fit_decay(m, d, step);
    d->findings = all_rounding(m, d) ? cas_finding_set(CAS_ALL_ROUNDING)
                                     : cas_laws_judge(&d->laws, d->expected_order);
    if (!exact)
      d->findings |= judge_decay(m, d, step, commuting);
  }
}

void cas_multilevel_fit(cas_multilevel *m, const double *step, bool commuting, bool exact) {
  cas_multilevel_fit_laws(m, step, commuting, exact);
  for (int i = 0; !exact && i < m->functionals; i++)
    if (cas_fit_exceeds(m->functional[i].kurtosis, m->levels, CAS_FIT_MOST_KURTOSIS))
      m->functional[i].findings |= cas_finding_set(CAS_OUTLIERS);
}

/* ---- against the finest step ---- */

/* The error of a level is the sum of its difference and all finer ones, which are independent. */
static void sum_differences(const cas_multilevel *m, const cas_differences *d, cas_curve *c) {
  int L = m->levels;
  double error = 0, variance = 0;
  for (int j = L - 1; j >= 0; j--) {
    error += d->difference[j];
    variance += d->standard_error[j] * d->standard_error[j];
    c->error[j] = error;
    c->standard_error[j] = sqrt(variance);
    c->mean[j] = d->coarse_mean[j];
    c->mean_low[j] = d->coarse_low[j];
    c->mean_high[j] = d->coarse_high[j];
    c->mean_standard_error[j] = d->coarse_standard_error[j];
    c->rounding = fmax(c->rounding, rounding_of(m, d, j));
  }
  c->mean[L] = d->fine_mean[L - 1];
  c->mean_standard_error[L] = d->fine_standard_error[L - 1];
}

static void copy(int n, const double *from, double *to) {
  for (int j = 0; j < n; j++)
    to[j] = from[j];
}

void cas_multilevel_curve(const cas_multilevel *m, int functional, const double *step,
                          cas_curve *c) {
  const cas_differences *d = &m->functional[functional];
  snprintf(c->unit, sizeof c->unit, "%s", d->unit);
  c->expected_order = d->expected_order;
  sum_differences(m, d, c);
  copy(c->levels - 1, d->difference, c->difference);
  copy(c->levels - 1, d->standard_error, c->difference_error);
  copy(c->levels - 2, d->local_order, c->difference_order);
  copy(c->levels - 2, d->local_order_error, c->difference_order_error);
  copy(c->levels - 3, d->next_order, c->next_order);
  copy(c->levels - 3, d->next_order_error, c->next_order_error);
  /* Local orders of errors: the coarser of two neighbouring errors is the finer one plus an
     independent difference, hence their covariance. */
  for (int j = 0; j + 1 < c->levels; j++) {
    double v = c->standard_error[j + 1] * c->standard_error[j + 1], coarse = c->error[j];
    const double value[2] = {coarse, c->error[j + 1]},
                 covariance[4] = {d->standard_error[j] * d->standard_error[j] + v, v, v, v};
    const cas_law_points p = {
        .n = 2, .step = step + j, .value = value, .covariance = covariance, .scale = 1};
    c->local_order[j] = cas_law_local_order(&p, 0, &c->local_order_error[j]);
    cas_fit_correct_order(step[j], step[j + 1], step[c->levels], &c->local_order[j],
                          &c->local_order_error[j]);
  }
  c->laws = d->laws;
  c->extrapolated = d->extrapolated;
}

void cas_multilevel_curves_conclude(const cas_multilevel *m, cas_curve *curve) {
  double paths = INFINITY;
  for (int l = 0; l < m->levels; l++)
    paths = fmin(paths, (double)m->paths[l]);
  cas_curves_conclude(curve, m->functionals, paths);
  for (int i = 0; i < m->functionals; i++)
    curve[i].findings = m->functional[i].findings;
}

/* ---- memory ---- */

#define COLUMN(called, member, longer, meaning, ...) \
  CAS_FIELD_COLUMN(cas_differences, REAL, called, member, longer, meaning, __VA_ARGS__)
#define ESTIMATE(called, member, error_called, error_member, longer, meaning, unit)                \
  CAS_FIELD_ESTIMATE(cas_differences, called, member, error_called, error_member, longer, meaning, \
                     unit)

const cas_field cas_difference_columns[] = {
    ESTIMATE("difference", difference, "standard_error", standard_error, 0,
             "E phi(X_h) - E phi(X_h/r), h/r the next step", NULL),
    CAS_FIELD_COLUMN(cas_differences, INT, "resolved", resolved, 0,
                     "1 where the difference is none of sampling, by Holm's test of all levels and "
                     "functionals at 4.55%, and none of rounding",
                     "1"),
    COLUMN("variance", variance, 0, "variance of the difference on a path", "^2",
           .cell_methods = "realization: variance"),
    COLUMN("kurtosis", kurtosis, 0, "kurtosis of the difference on a path, 3 for a normal one",
           "1"),
    COLUMN("pair_variance", pair_variance, 0,
           "variance of phi(X_h) - phi(X_h/r) with one fine path, which adjacent coupling has",
           "^2", .cell_methods = "realization: variance"),
    COLUMN("single_variance", single_variance, 0, "variance of phi(X_h/r) on a path", "^2",
           .cell_methods = "realization: variance"),
    CAS_FIELD_MEAN(cas_differences, "coarse_mean", coarse_mean, "coarse_standard_error",
                   coarse_standard_error, coarse, 0, "E phi(X_h)", 0),
    COLUMN("fine_mean", fine_mean, 0, "E phi(X_h/r) from the same paths", NULL,
           .cell_methods = "realization: mean", .error = "fine_standard_error"),
    COLUMN("fine_standard_error", fine_standard_error, 0, "standard error of E phi(X_h/r)", NULL),
    ESTIMATE("local_order", local_order, "local_order_standard_error", local_order_error, -1,
             "weak order between neighbouring differences", "1"),
    ESTIMATE("next_order", next_order, "next_order_standard_error", next_order_error, -2,
             "local_order with the next term of the law removed", "1"),
    COLUMN("local_decay", local_decay, -1, "order of the variance between neighbouring levels",
           "1"),
    {0}};

const cas_field cas_multilevel_columns[] = {
    CAS_FIELD_COLUMN(cas_multilevel, INT64, "paths", paths, 0, "paths behind every mean", "1"),
    CAS_FIELD_COLUMN(cas_multilevel, REAL, "steps_per_path", steps, 0,
                     "steps of a path on all that is coupled", "1"),
    CAS_FIELD_COLUMN(cas_multilevel, REAL, "iterations_per_path", iterations, 0,
                     "mean fixed-point iterations of a path on all that is coupled", "1"),
    {0}};

cas_status cas_multilevel_create(int levels, int functionals, cas_multilevel **out,
                                 cas_error *err) {
  CAS_FAIL_IF(levels < 1 || levels > CAS_COLUMNS_MOST_LEVELS, CAS_INTERNAL,
              "differences of %d levels", levels);
  cas_multilevel *m = *out = calloc(1, sizeof *m);
  if (!m || !(m->functional = calloc((size_t)functionals + 1, sizeof *m->functional)))
    return cas_no_memory(err);
  bool all = cas_field_columns_create(cas_multilevel_columns, levels, 0, m);
  m->levels = levels;
  m->functionals = functionals;
  for (int i = 0; i < functionals; i++) {
    cas_differences *d = &m->functional[i];
    all &= cas_field_columns_create(cas_difference_columns, levels, 0, d);
    for (int l = 0; all && l < levels; l++)
      d->coarse_low[l] = d->coarse_high[l] = NAN;
    d->variance_decay = (cas_fit){NAN, NAN, NAN, NAN};
    d->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
    cas_laws_clear(&d->laws);
    d->expected_order = NAN;
  }
  return all ? CAS_OK : cas_no_memory(err);
}

void cas_multilevel_free(cas_multilevel *m) {
  if (!m)
    return;
  for (int i = 0; i < m->functionals; i++)
    cas_field_columns_free(cas_difference_columns, &m->functional[i]);
  cas_field_columns_free(cas_multilevel_columns, m);
  free(m->functional);
  free(m);
}
