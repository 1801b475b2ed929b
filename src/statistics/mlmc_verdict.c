/* Verdicts of multilevel Monte Carlo: whether the error that was asked for is reached, or the
   budget kept for the best error, Giles's checks, and the comparison with plain Monte Carlo. */
#include "base/text.h"
#include "statistics/fit_impl.h"

#include <math.h>
#include <string.h>

enum { VERDICT_SIZE = sizeof((cas_mlmc_functional *)0)->verdict };

/* Whether fewer paths count than were run. */
static bool has_failed_paths(const cas_mlmc *m) {
  for (int l = 0; m->rounds > 0 && l < m->levels; l++)
    if (m->paths[l] < m->round[(m->rounds - 1) * m->levels + l])
      return true;
  return false;
}

/* ---- whether the error that was asked for is reached ---- */

static int noisiest(const cas_mlmc *m) {
  int worst = 0;
  for (int l = 1; l < m->levels; l++)
    if (m->functional[0].standard_error[l] > m->functional[0].standard_error[worst])
      worst = l;
  return worst;
}

static void append_why_missed(const cas_mlmc *m, const cas_mlmc_aim *aim, cas_mlmc_decision last,
                              char *text) {
  const cas_mlmc_functional *f = &m->functional[0];
  double bias = sqrt(m->theta) * m->epsilon, error = sqrt(1 - m->theta) * m->epsilon;
  int l = noisiest(m);
  cas_append(text, VERDICT_SIZE, "epsilon = %.3g NOT REACHED: ", m->epsilon);
  if (last == CAS_MLMC_FAILED)
    cas_append(text, VERDICT_SIZE, "a level has fewer than two valid paths");
  else if (last == CAS_MLMC_LEVELS)
    cas_append(
        text, VERDICT_SIZE,
        "the bias, %.2e, exceeds %.2e after %d levels; raise study.max_levels, or begin with a "
        "smaller study.coarsest_step",
        f->bias, bias, m->levels);
  else if (last == CAS_MLMC_PATHS)
    cas_append(
        text, VERDICT_SIZE,
        "the standard error, %.2e, exceeds %.2e, and level %d alone has all the %lld paths that "
        "study.max_paths allows; raise it",
        f->estimate_error, error, l, (long long)aim->max_paths);
  else
    cas_append(text, VERDICT_SIZE,
               "the standard error, %.2e, still exceeds %.2e after %d rounds of paths",
               f->estimate_error, error, m->rounds);
}

/* What the work was, and what keeps the error from being the best within the budget. */
static void append_budget(const cas_mlmc *m, const cas_mlmc_aim *aim, cas_mlmc_decision last,
                          char *text) {
  const cas_mlmc_functional *f = &m->functional[0];
  cas_append(text, VERDICT_SIZE, "budget = %.4g %s: ", m->budget,
             last == CAS_MLMC_OVERSPENT ? "NOT KEPT"
             : m->reached               ? "kept"
                                        : "kept, but NOT FOR THE BEST ERROR");
  if (last == CAS_MLMC_FAILED)
    cas_append(text, VERDICT_SIZE, "a level has fewer than two valid paths; ");
  else if (last == CAS_MLMC_LEVELS)
    cas_append(text, VERDICT_SIZE,
               "the bias, %.2e, has more than its share after %d levels; raise study.max_levels, "
               "or begin with a smaller study.coarsest_step; ",
               f->bias, m->levels);
  else if (last == CAS_MLMC_PATHS)
    cas_append(text, VERDICT_SIZE,
               "a level has all the %lld paths that study.max_paths allows; raise it; ",
               (long long)aim->max_paths);
  else if (last == CAS_MLMC_ROUNDS)
    cas_append(text, VERDICT_SIZE, "there are no more than %d rounds of paths; ", m->rounds);
  else if (last == CAS_MLMC_OVERSPENT && m->rounds == 1)
    cas_append(text, VERDICT_SIZE,
               "the pilot alone takes more; raise study.budget, or lower study.pilot_paths or "
               "study.min_levels; ");
  cas_append(text, VERDICT_SIZE,
             "work of %.4g, root-mean-square error %.2e, of standard error %.2e and bias %.1e",
             m->total_work, f->total_error, f->estimate_error, f->bias);
}

/* The reason why the error that was asked for is not reached. */
static cas_findings limit_of(cas_mlmc_decision last) {
  return cas_finding_set(last == CAS_MLMC_FAILED      ? CAS_LEVEL_FAILED
                         : last == CAS_MLMC_OVERSPENT ? CAS_BUDGET_LIMIT
                         : last == CAS_MLMC_LEVELS    ? CAS_LEVEL_LIMIT
                         : last == CAS_MLMC_PATHS     ? CAS_PATH_LIMIT
                                                      : CAS_ROUND_LIMIT);
}

static void append_errors(const cas_mlmc *m, const cas_mlmc_functional *f, char *text) {
  const cas_mlmc_functional *first = &m->functional[0];
  if (f == first)
    cas_append(
        text, VERDICT_SIZE,
        "epsilon = %.3g reached: root-mean-square error %.2e, of standard error %.2e (of %.2e) "
        "and bias %.1e (of %.1e)",
        m->epsilon, f->total_error, f->estimate_error, sqrt(1 - m->theta) * m->epsilon, f->bias,
        sqrt(m->theta) * m->epsilon);
  else
    cas_append(
        text, VERDICT_SIZE,
        "root-mean-square error %.2e, of standard error %.2e and bias %.1e, with the paths that %s "
        "needed",
        f->total_error, f->estimate_error, f->bias, first->name);
}

/* ---- checks ---- */

/* The largest value of levels l >= first, NaNs left out; *at is its level. */
static double largest(const double *value, int first, int levels, int *at) {
  double most = -INFINITY;
  for (int l = first; l < levels; l++)
    if (value[l] > most) {
      most = value[l];
      *at = l;
    }
  return most;
}

static void append_checks(const cas_mlmc *m, cas_mlmc_functional *f, const cas_mlmc_aim *aim) {
  const double outliers = 100;
  char step[32], *text = f->verdict;
  int l = 0;
  double kurtosis = largest(f->kurtosis, 0, m->levels, &l);
  cas_step_format(aim->step[l], step, sizeof step);
  if (kurtosis > outliers) {
    f->findings |= cas_finding_set(CAS_OUTLIERS);
    cas_append(text, VERDICT_SIZE,
               ". WARNING: kurtosis %.0f at h = %s: a few paths dominate, and standard errors are "
               "unreliable; "
               "if normals were clipped there, raise integrator.truncation",
               kurtosis, step);
  } else if (isfinite(kurtosis)) {
    cas_append(text, VERDICT_SIZE, ". Kurtosis at most %.3g (h = %s)", kurtosis, step);
  }
  double off = largest(f->consistency, 1, m->levels, &l);
  cas_step_format(aim->step[l], step, sizeof step);
  if (off > 1) {
    f->findings |= cas_finding_set(CAS_SUM_BROKEN);
    cas_append(
        text, VERDICT_SIZE,
        ". WARNING: the telescoping sum does not hold at h = %s: two means that must agree are "
        "%.3g times as far apart as 3 standard errors allow, %s",
        step, off,
        has_failed_paths(m)
            ? "as paths that failed on some levels and are left out make them"
            : "by chance, if another random.seed does not repeat it, or by a defect of the "
              "functional, of the scheme or of casimir");
  } else if (isfinite(off)) {
    cas_append(text, VERDICT_SIZE, "; the telescoping sum holds (%.2f of 1 at worst)", off);
  }
}

static void append_bias(const cas_mlmc *m, cas_mlmc_functional *f) {
  int l = m->levels - 1;
  cas_append(f->verdict, VERDICT_SIZE, "; bias extrapolated by order %.2f", cas_mlmc_order(f));
  if (l == 0 || !(fabs(f->mean[l]) < 2 * f->standard_error[l]))
    return;
  f->findings |= cas_finding_set(CAS_BIAS_FROM_NOISE);
  cas_append(f->verdict, VERDICT_SIZE, " from a last difference that is within its sampling error");
}

static void append_cost_growth(const cas_mlmc *m, cas_mlmc_functional *f) {
  if (!isfinite(m->cost_growth))
    return;
  cas_append(f->verdict, VERDICT_SIZE, "; work of a path grows like h^-%.2f", m->cost_growth);
  if (!(f->variance_decay.order < m->cost_growth))
    return;
  f->findings |= cas_finding_set(CAS_COST_OUTGROWS_VARIANCE);
  cas_append(f->verdict, VERDICT_SIZE,
             ". WARNING: faster than variances fall: most of the work is on the finest level, and "
             "levels gain little");
}

/* Completes the verdict, which has the findings of the fits already. */
static void conclude(cas_mlmc *m, cas_mlmc_functional *f, const cas_mlmc_aim *aim,
                     cas_mlmc_decision last) {
  char fits[sizeof f->verdict];
  memcpy(fits, f->verdict, sizeof fits);
  f->verdict[0] = '\0';
  bool decides = f == &m->functional[0];
  if (decides)
    f->findings |= m->reached ? cas_finding_set(CAS_TARGET_REACHED)
                              : cas_finding_set(CAS_TARGET_MISSED) | limit_of(last);
  if (decides && aim->budget > 0)
    append_budget(m, aim, last, f->verdict);
  else if (decides && !m->reached)
    append_why_missed(m, aim, last, f->verdict);
  else
    append_errors(m, f, f->verdict);
  append_bias(m, f);
  if (!aim->exact)
    append_checks(m, f, aim);
  cas_append(f->verdict, VERDICT_SIZE, ". Differences: %s", fits);
  if (!aim->exact)
    append_cost_growth(m, f);
}

/* ---- plain Monte Carlo ---- */

/* The number of paths whose mean has this variance; NaN if either variance is. */
static double paths_for(double variance_of_one, double variance) {
  double n = ceil(variance_of_one / variance);
  return n < 1 ? 1 : n;
}

/* The cost of plain Monte Carlo: paths of the finest step alone, as many as give the same variance,
   with the same bias. */
static void compare_with_plain(cas_mlmc *m) {
  const cas_mlmc_functional *f = &m->functional[0];
  double allowed = (1 - m->theta) * m->epsilon * m->epsilon,
         variance = fmax(allowed, f->estimate_error * f->estimate_error),
         measured = paths_for(f->plain_variance, variance);
  m->plain_paths_needed = paths_for(f->level_variance[m->levels - 1], variance);
  m->plain_work = m->plain_paths_needed * m->fine_work[m->levels - 1];
  m->plain_work_measured = measured * m->plain_path_work;
  m->plain_seconds *= measured / (double)m->plain_paths;
}

void cas_mlmc_conclude(cas_mlmc *m, const cas_mlmc_aim *aim, cas_mlmc_decision last) {
  CAS_LOCALE_OF_C;
  m->reached = last == CAS_MLMC_DONE;
  if (aim->budget > 0 && m->functionals > 0) {
    const cas_mlmc_functional *f = &m->functional[0];
    m->budget = aim->budget;
    m->epsilon = fmax(f->estimate_error / sqrt(1 - m->theta), f->bias / sqrt(m->theta));
  }
  for (int i = 0; i < m->functionals; i++)
    conclude(m, &m->functional[i], aim, last);
  compare_with_plain(m);
}
