/* Adaptive multilevel Monte Carlo (Giles, Multilevel Monte Carlo methods, Acta Numerica 24, 2015,
   section 3): paths and levels that an RMS error needs, or that a budget of work buys. */
#include "statistics/fit_impl.h"

#include <math.h>
#include <string.h>

static double clamp(double x, double low, double high, double otherwise) {
  return isfinite(x) ? fmin(fmax(x, low), high) : otherwise;
}

/* ---- assessing ---- */

/* |a - b| relative to the sum of their standard errors times the quantile of Student's distribution
   that for many paths is 3; 0 if the two agree to rounding. */
static double disagreement(double a, double b, double error_a, double error_b, double paths,
                           double scale) {
  const double rounding = 1e-12, three_deviations = 0.997300203936740;
  double d = fabs(a - b);
  return d <= rounding * scale
             ? 0
             : d / (cas_student_quantile(three_deviations, paths - 1) * (error_a + error_b));
}

/* The consistency of level l: the means of P_(l-1) on level l - 1 and on level l must agree, and so
   must the means of Y_l with the swapped path and without it. */
static void check_sum(const cas_multilevel *m, cas_curve *f, int l) {
  double n = (double)m->paths[l], below = (double)m->paths[l - 1], scale = fabs(f->mean.value[l]);
  double level = disagreement(f->coupled.fine.mean[l - 1], f->mean.value[l],
                              sqrt(f->coupled.fine.variance[l - 1] / below),
                              sqrt(f->coupled.coarse_variance[l] / n), fmin(n, below), scale),
         swapped = disagreement(f->difference.value[l], f->coupled.pair.mean[l],
                                f->difference.standard_error[l],
                                sqrt(f->coupled.pair.variance[l] / n), n, scale);
  f->estimate.consistency[l] = isnan(level + swapped) ? NAN : fmax(level, swapped);
}

/* Fits the levels l > 0 as differences of neighbouring levels. */
static void fit_differences(cas_multilevel *m, cas_curve *f, const cas_mlmc_aim *aim) {
  cas_curve d = *f;
  cas_multilevel differences = *m;
  d.difference.value++, d.difference.standard_error++, d.coupled.variance++, d.coupled.kurtosis++;
  d.coupled.fine.mean++, d.coupled.fine.variance++;
  differences.functionals = 1, differences.functional = &d;
  differences.levels--;
  differences.paths++, differences.steps++, differences.work++;
  cas_multilevel_fit_laws(&differences, aim->step, aim->commuting, aim->exact);
  f->laws = d.laws;
  f->coupled.variance_decay = d.coupled.variance_decay;
  f->findings = d.findings;
  m->cost_growth = differences.cost_growth;
}

/* The order of theory, or the fitted one if its interval is below that. A fitted order above theory
   is not used, as coarse steps often show one. */
static double order_of(const cas_curve *f) {
  double theory = isfinite(f->expected_order) ? f->expected_order : 1;
  cas_law law = cas_laws_headline(&f->laws);
  return law.high < theory
             ? clamp(f->laws.law[f->laws.headline].order, 0.5, fmax(theory, 0.5), theory)
             : theory;
}

/* r^e, with r the ratio of the step sizes of neighbouring levels. */
static double refined(const cas_mlmc_aim *aim, double e) {
  return exp2(e * log2(aim->step[0] / aim->step[1]));
}

/* The bias beyond the last level: if differences decrease like h^q, all further ones together are
   1 / (r^q - 1) of the last. The largest estimate of the last three levels counts. */
static double extrapolate(const cas_mlmc_aim *aim, const double *mean, int levels, double q) {
  double most = 0;
  for (int k = 0; k < 3 && levels - 1 - k > 0; k++)
    most = fmax(most, fabs(mean[levels - 1 - k]) * refined(aim, -q * k));
  return most / (refined(aim, q) - 1);
}

static void assess(cas_multilevel *m, cas_curve *f, const cas_mlmc_aim *aim) {
  double variance = 0;
  f->estimate.value = 0;
  for (int l = 0; l < m->levels; l++) {
    double square = f->coupled.variance[l] > 0 ? f->coupled.variance[l] / (double)m->paths[l]
                                               : f->coupled.variance[l];
    f->difference.standard_error[l] = sqrt(square);
    f->estimate.value += f->difference.value[l];
    variance += square;
  }
  f->estimate.consistency[0] = NAN;
  for (int l = 1; l < m->levels; l++)
    check_sum(m, f, l);
  fit_differences(m, f, aim);
  f->extrapolated =
      cas_fit_extrapolate(&f->laws, aim->step[m->levels - 1], f->estimate.value, sqrt(variance));
  f->estimate.standard_error = sqrt(variance);
  f->estimate.bias = extrapolate(aim, f->difference.value, m->levels, order_of(f));
  f->estimate.total_error = hypot(f->estimate.standard_error, f->estimate.bias);
}

void cas_mlmc_assess(cas_multilevel *m, const cas_mlmc_aim *aim) {
  m->total_work = 0;
  for (int l = 0; l < m->levels; l++)
    m->total_work += (double)m->paths[l] * m->work[l];
  for (int i = 0; i < m->functionals; i++)
    assess(m, &m->functional[i], aim);
}

/* ---- deciding ---- */

/* Mean, variance and work of Y_l on the levels that were measured, and extrapolated beyond them. */
typedef struct {
  int levels;
  double mean[CAS_FIT_MOST_LEVELS], variance[CAS_FIT_MOST_LEVELS], work[CAS_FIT_MOST_LEVELS];
  double q, beta, gamma;
} model;

/* Each variance is at least half of what the decay predicts: few paths can give far too little. */
static model model_of(const cas_multilevel *m, const cas_mlmc_aim *aim) {
  const cas_curve *f = &m->functional[0];
  model x = {.levels = m->levels,
             .q = order_of(f),
             .beta = clamp(f->coupled.variance_decay.order, 0.5, 4, 1),
             .gamma = clamp(m->cost_growth, 0.25, aim->sized ? 4 : 1.5, 1)};
  for (int l = 0; l < m->levels; l++) {
    x.mean[l] = f->difference.value[l];
    x.variance[l] = f->coupled.variance[l];
    x.work[l] = m->work[l];
    double least = l > 1 ? 0.5 * x.variance[l - 1] * refined(aim, -x.beta) : 0;
    if (x.variance[l] < least) /* false for a NaN, which is_known finds */
      x.variance[l] = least;
  }
  return x;
}

static bool is_known(const model *x) {
  for (int l = 0; l < x->levels; l++)
    if (!isfinite(x->mean[l]) || !isfinite(x->variance[l]) || !(x->work[l] > 0))
      return false;
  return true;
}

static void extend(model *x, const cas_mlmc_aim *aim) {
  int l = x->levels++;
  x->mean[l] = x->mean[l - 1] * refined(aim, -x->q);
  x->variance[l] = x->variance[l - 1] * refined(aim, -x->beta);
  x->work[l] = x->work[l - 1] * refined(aim, x->gamma);
}

/* The least number of 7 binary digits that is not smaller. Moments and work differ by rounding
   between processors; numbers of paths, which are made of them, then do not. */
static double round_up(double n) {
  const double unit = exp2(floor(log2(fmax(n, 1))) - 6);
  return unit > 1 ? unit * ceil(n / unit) : ceil(n);
}

/* The paths that level l needs in all for sum V_l / N_l = variance with the least work, N_l =
   (V_l / C_l)^1/2 sum (V_k C_k)^1/2 / variance, with 1% to spare, so that small changes of the
   estimates do not cause further rounds. */
static int64_t paths_for(const model *x, const cas_mlmc_aim *aim, int l, int64_t has) {
  const double variance = (1 - aim->theta) * aim->epsilon * aim->epsilon, spare = 0.99;
  double sum = 0;
  for (int k = 0; k < x->levels; k++)
    sum += sqrt(x->variance[k] * x->work[k]);
  const double n = round_up(sqrt(x->variance[l] / x->work[l]) * sum / (spare * variance)),
               all = fmin(n, (double)aim->max_paths);
  return all > (double)has ? (int64_t)all : has;
}

static double variance_of(const model *x, const int64_t *paths) {
  double sum = 0;
  for (int l = 0; l < x->levels; l++)
    sum += x->variance[l] > 0 ? x->variance[l] / (double)paths[l] : 0;
  return sum;
}

/* The epsilon of which the bias has its whole share. */
static double epsilon_of_bias(const model *x, const cas_mlmc_aim *aim) {
  return extrapolate(aim, x->mean, x->levels, x->q) / sqrt(aim->theta);
}

static bool bias_is_small(const model *x, const cas_mlmc_aim *aim) {
  return epsilon_of_bias(x, aim) <= aim->epsilon;
}

static int64_t whole_blocks(int64_t paths, const cas_mlmc_aim *aim) {
  return (paths + aim->lanes - 1) / aim->lanes * aim->lanes;
}

/* Paths of all levels for the variance of aim->epsilon; returns their work in whole blocks. */
static double allocate(const model *x, const cas_multilevel *m, const cas_mlmc_aim *aim,
                       int64_t *paths) {
  double work = 0;
  for (int l = 0; l < x->levels; l++) {
    paths[l] = paths_for(x, aim, l, l < m->levels ? m->paths[l] : aim->pilot);
    work += (double)whole_blocks(paths[l], aim) * x->work[l];
  }
  return work;
}

/* ---- within a budget ---- */

/* The least epsilon whose variance these levels have within the budget, by bisection of its
   logarithm; infinite if even the paths that they must have exceed it. */
static double epsilon_of_variance(const model *x, const cas_multilevel *m, cas_mlmc_aim aim,
                                  int64_t *paths) {
  double low = -500, high = 500;
  aim.epsilon = exp2(high);
  if (allocate(x, m, &aim, paths) > aim.budget)
    return INFINITY;
  for (int i = 0; i < 64; i++) {
    double middle = 0.5 * (low + high);
    aim.epsilon = exp2(middle);
    *(allocate(x, m, &aim, paths) > aim.budget ? &low : &high) = middle;
  }
  aim.epsilon = exp2(high);
  allocate(x, m, &aim, paths);
  return aim.epsilon;
}

/* Levels and paths of the least epsilon within the budget, the larger of those of the variance and
   of the bias. Returns the levels; *x ends with all that were tried. */
static int plan_budget(model *x, const cas_multilevel *m, const cas_mlmc_aim *aim, int64_t *paths) {
  double least = INFINITY;
  int64_t tried[CAS_FIT_MOST_LEVELS];
  int best = m->levels;
  memcpy(paths, m->paths, (size_t)best * sizeof *paths);
  for (;; extend(x, aim)) {
    double variance = epsilon_of_variance(x, m, *aim, tried),
           epsilon = fmax(variance, epsilon_of_bias(x, aim));
    if (epsilon < least) {
      least = epsilon;
      best = x->levels;
      memcpy(paths, tried, (size_t)best * sizeof *paths);
    }
    if (isinf(variance) || x->levels >= aim->max_levels)
      return best;
  }
}

/* A round within the budget: at most four times the work so far, as the pilot may mislead, and at
   most one new level, while the share of further ones is kept. False: no more paths. */
static bool spend(const cas_multilevel *m, const cas_mlmc_aim *aim, double budget, int64_t *paths) {
  const double spare = 0.99; /* for work of a path that is larger than it was */
  model x = model_of(m, aim);
  cas_mlmc_aim round = *aim;
  round.budget = spare * budget;
  memset(paths, 0, (size_t)aim->max_levels * sizeof *paths);
  bool more = plan_budget(&x, m, &round, paths) > m->levels;
  for (int l = m->levels + 1; l < aim->max_levels; l++)
    paths[l] = 0;
  for (int l = 0; l < m->levels; l++)
    more |= paths[l] > m->paths[l];
  return more;
}

static cas_finding decide_within_budget(const cas_multilevel *m, const cas_mlmc_aim *aim,
                                        const model *x, int64_t *paths) {
  const double used_up = 31. / 32, next = fmin(aim->budget, 4 * m->total_work);
  if (m->total_work > aim->budget)
    return CAS_BUDGET_LIMIT;
  if (m->total_work < used_up * aim->budget &&
      (spend(m, aim, next, paths) || spend(m, aim, aim->budget, paths)))
    return CAS_FINDINGS_END;
  /* what keeps the error from being the best that the budget buys, if anything does */
  for (int l = 0; l < m->levels; l++)
    if (m->paths[l] >= aim->max_paths)
      return CAS_PATH_LIMIT;
  return m->levels >= aim->max_levels &&
                 epsilon_of_bias(x, aim) > sqrt(variance_of(x, m->paths) / (1 - aim->theta))
             ? CAS_LEVEL_LIMIT
             : CAS_TARGET_REACHED;
}

/* ---- to an error ---- */

cas_finding cas_mlmc_decide(const cas_multilevel *m, const cas_mlmc_aim *aim, int64_t *paths) {
  model x = model_of(m, aim);
  memset(paths, 0, (size_t)aim->max_levels * sizeof *paths);
  if (!is_known(&x))
    return CAS_LEVEL_FAILED;
  if (aim->budget > 0)
    return decide_within_budget(m, aim, &x, paths);
  if (variance_of(&x, m->paths) <= (1 - aim->theta) * aim->epsilon * aim->epsilon) {
    if (bias_is_small(&x, aim))
      return CAS_TARGET_REACHED;
    if (m->levels >= aim->max_levels)
      return CAS_LEVEL_LIMIT;
    extend(&x, aim);
  }
  allocate(&x, m, aim, paths);
  return CAS_FINDINGS_END;
}

double cas_mlmc_predict(const cas_multilevel *m, const cas_mlmc_aim *aim, int *levels,
                        int64_t *paths, cas_finding *limit) {
  model x = model_of(m, aim);
  memset(paths, 0, (size_t)aim->max_levels * sizeof *paths);
  *levels = m->levels;
  *limit = CAS_FINDINGS_END;
  if (!is_known(&x))
    return NAN;
  while (!bias_is_small(&x, aim) && x.levels < aim->max_levels)
    extend(&x, aim);
  *levels = x.levels;
  const double work = allocate(&x, m, aim, paths);
  for (int l = 0; l < x.levels; l++)
    paths[l] = whole_blocks(paths[l], aim);
  const double rounding = 1 + 1e-9;
  if (variance_of(&x, paths) > rounding * (1 - aim->theta) * aim->epsilon * aim->epsilon)
    *limit = CAS_PATH_LIMIT;
  else if (!bias_is_small(&x, aim))
    *limit = CAS_LEVEL_LIMIT;
  return work;
}

/* ---- conclusion ---- */

/* Adds whether the error, or the best one of the budget, is reached, and Giles's checks. */
static void judge(const cas_multilevel *m, cas_curve *f, const cas_mlmc_aim *aim,
                  cas_finding last) {
  const int l = m->levels - 1;
  if (f == &m->functional[0])
    f->findings |= m->reached ? cas_finding_set(CAS_TARGET_REACHED)
                              : cas_finding_set(CAS_TARGET_MISSED) | cas_finding_set(last);
  if (l > 0 && fabs(f->difference.value[l]) < 2 * f->difference.standard_error[l])
    f->findings |= cas_finding_set(CAS_BIAS_FROM_NOISE);
  if (aim->exact)
    return;
  if (cas_fit_exceeds(f->coupled.kurtosis, m->levels, CAS_FIT_MOST_KURTOSIS))
    f->findings |= cas_finding_set(CAS_OUTLIERS);
  if (cas_fit_exceeds(f->estimate.consistency + 1, l, 1))
    f->findings |= cas_finding_set(CAS_SUM_BROKEN);
  if (f->coupled.variance_decay.order < m->cost_growth)
    f->findings |= cas_finding_set(CAS_COST_OUTGROWS_VARIANCE);
}

/* The number of paths whose mean has this variance; NaN if either variance is. */
static double plain_paths(double variance_of_one, double variance) {
  double n = ceil(variance_of_one / variance);
  return n < 1 ? 1 : n;
}

/* The cost of plain Monte Carlo: paths of the finest step alone that give the same variance. */
static void compare_with_plain(cas_multilevel *m) {
  const cas_curve *f = &m->functional[0];
  double allowed = (1 - m->theta) * m->epsilon * m->epsilon,
         variance = fmax(allowed, f->estimate.standard_error * f->estimate.standard_error),
         measured = plain_paths(f->estimate.plain.variance, variance);
  m->plain.paths_needed = plain_paths(f->coupled.fine.variance[m->levels - 1], variance);
  m->plain.work = m->plain.paths_needed * m->fine_work[m->levels - 1];
  m->plain.work_measured = measured * m->plain.path_work;
  m->plain.seconds *= measured / (double)m->plain.paths;
}

void cas_mlmc_conclude(cas_multilevel *m, const cas_mlmc_aim *aim, cas_finding last) {
  m->reached = last == CAS_TARGET_REACHED;
  if (aim->budget > 0 && m->functionals > 0) {
    const cas_curve *f = &m->functional[0];
    m->budget = aim->budget;
    m->epsilon =
        fmax(f->estimate.standard_error / sqrt(1 - m->theta), f->estimate.bias / sqrt(m->theta));
  }
  for (int i = 0; i < m->functionals; i++)
    judge(m, &m->functional[i], aim, last);
  compare_with_plain(m);
}
