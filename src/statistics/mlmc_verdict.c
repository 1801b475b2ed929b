/* What multilevel Monte Carlo finds: whether the error that was asked for is reached, or the budget
   kept for the best error, Giles's checks, and the comparison with plain Monte Carlo. */
#include "statistics/fit_impl.h"

#include <math.h>

/* The reason why the error that was asked for is not reached. */
static cas_finding limit_of(cas_mlmc_decision last) {
  return last == CAS_MLMC_FAILED      ? CAS_LEVEL_FAILED
         : last == CAS_MLMC_OVERSPENT ? CAS_BUDGET_LIMIT
         : last == CAS_MLMC_LEVELS    ? CAS_LEVEL_LIMIT
         : last == CAS_MLMC_PATHS     ? CAS_PATH_LIMIT
                                      : CAS_ROUND_LIMIT;
}

/* Adds to the findings of the fits. */
static void judge(const cas_mlmc *m, cas_mlmc_functional *f, const cas_mlmc_aim *aim,
                  cas_mlmc_decision last) {
  const int l = m->levels - 1;
  if (f == &m->functional[0])
    f->findings |= m->reached
                       ? cas_finding_set(CAS_TARGET_REACHED)
                       : cas_finding_set(CAS_TARGET_MISSED) | cas_finding_set(limit_of(last));
  if (l > 0 && fabs(f->mean[l]) < 2 * f->standard_error[l])
    f->findings |= cas_finding_set(CAS_BIAS_FROM_NOISE);
  if (aim->exact)
    return;
  if (cas_fit_exceeds(f->kurtosis, m->levels, CAS_FIT_MOST_KURTOSIS))
    f->findings |= cas_finding_set(CAS_OUTLIERS);
  if (cas_fit_exceeds(f->consistency + 1, l, 1))
    f->findings |= cas_finding_set(CAS_SUM_BROKEN);
  if (f->variance_decay.order < m->cost_growth)
    f->findings |= cas_finding_set(CAS_COST_OUTGROWS_VARIANCE);
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
  m->reached = last == CAS_MLMC_DONE;
  if (aim->budget > 0 && m->functionals > 0) {
    const cas_mlmc_functional *f = &m->functional[0];
    m->budget = aim->budget;
    m->epsilon = fmax(f->estimate_error / sqrt(1 - m->theta), f->bias / sqrt(m->theta));
  }
  for (int i = 0; i < m->functionals; i++)
    judge(m, &m->functional[i], aim, last);
  compare_with_plain(m);
}
