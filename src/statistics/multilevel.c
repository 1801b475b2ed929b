/* Differences between neighbouring levels: weak order, decay of variances, growth of cost. If the
   weak error is c h^q, differences of neighbours are a power law too, E Y = c (1 - r^-q) h^q,
   with r the ratio of their step sizes. */
#include "base/scratch.h"
#include "statistics/fit_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double rounding_of(const cas_multilevel *m, const cas_curve *d, int l) {
  return cas_fit_rounding(m->steps[l],
                          hypot(d->coupled.fine.mean[l], sqrt(d->coupled.fine.variance[l])));
}

static bool varies(const cas_multilevel *m, const cas_curve *d, int l) {
  return d->coupled.variance[l] > 0 && sqrt(d->coupled.variance[l]) > rounding_of(m, d, l);
}

static double p_value_of(const cas_multilevel *m, const cas_curve *d, int l) {
  return cas_fit_p_value(d->difference.value[l], d->difference.standard_error[l],
                         (double)m->paths[l], rounding_of(m, d, l));
}

/* ---- laws ---- */

typedef struct {
  double value[CAS_FIT_MOST_LEVELS], covariance[CAS_FIT_MOST_LEVELS * CAS_FIT_MOST_LEVELS];
} workspace;

/* The points of a fit: the differences of all levels, which are independent, or where nothing is
   random those above rounding. The fewest paths determine the degrees of freedom. Multilevel Monte
   Carlo, which has rounds, takes the coarser value from the finer one. */
static cas_law_points points_of(const cas_multilevel *m, const cas_curve *d, const double *step,
                                bool exact, workspace *w) {
  double fewest = INFINITY;
  int n = 0;
  while (n < m->levels && (!exact || fabs(d->difference.value[n]) > rounding_of(m, d, n)))
    n++;
  memset(w, 0, sizeof *w);
  for (int l = 0; l < n; l++) {
    w->value[l] = m->rounds ? -d->difference.value[l] : d->difference.value[l];
    w->covariance[l * n + l] = d->difference.standard_error[l] * d->difference.standard_error[l];
    fewest = fmin(fewest, (double)m->paths[l]);
  }
  return (cas_law_points){.n = n,
                          .step = step,
                          .finer = step + 1,
                          .value = w->value,
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
static double finest_mean(const cas_multilevel *m, const cas_curve *d, double *error) {
  double beyond = 0, noise = 0, variance = 0, weights = 0, sum = 0;
  for (int l = m->levels - 1; l >= 0; l--) {
    double weight = (double)m->paths[l], se = weight * d->coupled.fine.standard_error[l];
    sum += weight * (d->coupled.fine.mean[l] - beyond);
    variance += se * se;
    weights += weight;
    if (l > 0)
      beyond += d->difference.value[l], noise += d->difference.standard_error[l];
  }
  *error = sqrt(variance) / weights + noise;
  return sum / weights;
}

static void fit_laws(const cas_multilevel *m, cas_curve *d, const double *step, bool exact) {
  workspace w;
  cas_law_points p = points_of(m, d, step, exact, &w);
  for (int l = 0; d->difference_order.value && l + 1 < m->levels; l++) {
    const bool pair = l + 1 < p.n && d->resolved[l] && d->resolved[l + 1];
    double *error = &d->difference_order.standard_error[l];
    *error = NAN;
    d->difference_order.value[l] = pair ? cas_law_local_order(&p, l, error) : NAN;
  }
  for (int l = 0; d->next_order.value && l + 2 < m->levels; l++) {
    double *error = &d->next_order.standard_error[l];
    *error = NAN;
    d->next_order.value[l] =
        l + 2 < p.n ? cas_law_local_order_next(&p, d->expected_order, l, error) : NAN;
  }
  if (!cas_laws_fit(&p, d->expected_order, &d->laws))
    cas_laws_clear(&d->laws);
}

/* log2 of a sample variance of n values has the variance (kurtosis - 1) / n / ln(2)^2. */
static double square_error_of(const cas_multilevel *m, const cas_curve *d, int l) {
  double kurtosis = d->coupled.kurtosis[l] > 1.5 ? d->coupled.kurtosis[l] : 3;
  return (kurtosis - 1) / (double)m->paths[l] / (M_LN2 * M_LN2);
}

/* Half the 95% interval of log2 of a ratio of variances, by the fewer paths of the finest two. */
static double decay_error(const cas_multilevel *m, const cas_curve *d, int l, int other) {
  const double paths = fmin((double)m->paths[m->levels - 1], (double)m->paths[m->levels - 2]);
  return cas_student_quantile(0.95, paths - 1) *
         sqrt(square_error_of(m, d, l) + square_error_of(m, d, other));
}

/* Decay of variances between the finest two levels that vary; coarser ones follow no power law. */
static void fit_decay(const cas_multilevel *m, cas_curve *d, const double *step) {
  int fine = -1;
  d->coupled.variance_decay = (cas_fit){NAN, NAN, NAN, NAN};
  for (int l = m->levels - 1; l >= 0; l--) {
    if (!varies(m, d, l) || m->paths[l] < 2)
      continue;
    if (fine >= 0) {
      const double ratio = log2(step[l] / step[fine]),
                   order = log2(d->coupled.variance[l] / d->coupled.variance[fine]) / ratio,
                   half = decay_error(m, d, l, fine) / ratio;
      d->coupled.variance_decay = (cas_fit){order, order - half, order + half,
                                            d->coupled.variance[l] * exp2(-order * log2(step[l]))};
      return;
    }
    fine = l;
  }
}

/* The slope of the least squares of log2 of the work over -log2 h. */
static void fit_cost(cas_multilevel *m, const double *step) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int l = 0; l < m->levels; l++)
    if (m->work[l] > 0) {
      const double finer = -log2(step[l]), work = log2(m->work[l]), more = finer - x;
      n++;
      x += more / n;
      y += (work - y) / n;
      xx += more * (finer - x);
      xy += more * (work - y);
    }
  m->cost_growth = n > 1 ? xy / xx : NAN;
}

/* ---- verdicts ---- */

static bool all_rounding(const cas_multilevel *m, const cas_curve *d) {
  int within = 0;
  for (int l = 0; l < m->levels; l++)
    within +=
        fmax(fabs(d->difference.value[l]), d->difference.standard_error[l]) <= rounding_of(m, d, l);
  return within == m->levels;
}

static cas_findings judge_decay(const cas_multilevel *m, const cas_curve *d, const double *step,
                                bool commuting) {
  if (!isfinite(d->coupled.variance_decay.order) || strcmp(m->coupling, "antithetic") != 0)
    return 0;
  if (commuting)
    return cas_finding_set(CAS_NOISES_COMMUTE);
  /* The upper end of the 95% interval of the decay between the finest two levels. */
  const int l = m->levels - 2;
  const double ratio = log2(step[l] / step[l + 1]),
               highest = log2(d->coupled.variance[l] / d->coupled.variance[l + 1]) +
                         decay_error(m, d, l, l + 1);
  return highest / ratio < 1.5 ? cas_finding_set(CAS_NOT_ANTITHETIC) : 0;
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
  for (int i = 0; i < m->functionals; i++) {
    cas_curve *d = &m->functional[i];
    fit_laws(m, d, step, exact);
    fit_decay(m, d, step);
    d->findings = all_rounding(m, d) ? cas_finding_set(CAS_ALL_ROUNDING)
                                     : cas_laws_judge(&d->laws, d->expected_order);
    if (!exact)
      d->findings |= judge_decay(m, d, step, commuting);
  }
}

void cas_multilevel_fit(cas_multilevel *m, const double *step, bool commuting, bool exact) {
  resolve(m);
  cas_multilevel_fit_laws(m, step, commuting, exact);
  for (int i = 0; i < m->functionals; i++) {
    cas_curve *d = &m->functional[i];
    double error, mean = finest_mean(m, d, &error);
    d->extrapolated = cas_fit_extrapolate(&d->laws, step[m->levels], mean, error);
    for (int l = 0; l + 1 < m->levels; l++)
      d->coupled.local_decay[l] = varies(m, d, l) && varies(m, d, l + 1)
                                      ? log2(d->coupled.variance[l] / d->coupled.variance[l + 1]) /
                                            log2(step[l] / step[l + 1])
                                      : NAN;
    if (!exact && cas_fit_exceeds(d->coupled.kurtosis, m->levels, CAS_FIT_MOST_KURTOSIS))
      d->findings |= cas_finding_set(CAS_OUTLIERS);
  }
}

/* ---- against the finest step ---- */

static void copy_numbers(int n, const double *from, double *to) {
  for (int l = 0; l < n; l++)
    to[l] = from[l];
}

static void copy_estimates(int n, const cas_estimates *from, const cas_estimates *to) {
  copy_numbers(n, from->value, to->value);
  copy_numbers(n, from->standard_error, to->standard_error);
}

void cas_multilevel_curve(const cas_multilevel *m, int functional, const double *step,
                          cas_curve *c) {
  const cas_curve *d = &m->functional[functional];
  const int L = m->levels;
  double error = 0, variance = 0;
  c->expected_order = d->expected_order;
  c->laws = d->laws;
  c->extrapolated = d->extrapolated;
  /* what curves of errors and differences have alike: the first numbers of these arrays */
  copy_numbers(c->levels, d->mean.value, c->mean.value);
  copy_numbers(c->levels, d->mean.standard_error, c->mean.standard_error);
  copy_numbers(c->levels, d->mean.low, c->mean.low);
  copy_numbers(c->levels, d->mean.high, c->mean.high);
  copy_estimates(c->levels - 1, &d->difference, &c->difference);
  copy_estimates(c->levels - 2, &d->difference_order, &c->difference_order);
  copy_estimates(c->levels - 3, &d->next_order, &c->next_order);
  c->mean.value[L] = d->coupled.fine.mean[L - 1];
  c->mean.standard_error[L] = d->coupled.fine.standard_error[L - 1];
  /* The error of a level is the sum of its difference and all finer ones, which are independent. */
  for (int j = L - 1; j >= 0; j--) {
    c->error.value[j] = error += d->difference.value[j];
    variance += d->difference.standard_error[j] * d->difference.standard_error[j];
    c->error.standard_error[j] = sqrt(variance);
    c->rounding = fmax(c->rounding, rounding_of(m, d, j));
  }
  /* Local orders of errors: the coarser of two neighbouring errors is the finer one plus an
     independent difference, hence their covariance. */
  for (int j = 0; j + 1 < c->levels; j++) {
    const double fine = c->error.standard_error[j + 1], between = d->difference.standard_error[j],
                 v = fine * fine, covariance[4] = {between * between + v, v, v, v};
    const cas_law_points p = {.n = 2,
                              .step = step + j,
                              .value = c->error.value + j,
                              .covariance = covariance,
                              .scale = 1};
    c->local_order.value[j] = cas_law_local_order(&p, 0, &c->local_order.standard_error[j]);
    cas_fit_correct_order(step[j], step[j + 1], step[c->levels], &c->local_order, j);
  }
}

void cas_multilevel_curves_conclude(const cas_multilevel *m, cas_curve *const *curve) {
  double paths = INFINITY;
  for (int l = 0; l < m->levels; l++)
    paths = fmin(paths, (double)m->paths[l]);
  cas_curves_conclude(curve, m->functionals, paths);
  for (int i = 0; i < m->functionals; i++)
    curve[i]->findings = m->functional[i].findings;
}
