/* Paths of every level, as many as give its difference a stated relative standard error, and
   whether they did. Sums and counts decide, never a clock. */
#include "base/count.h"
#include "statistics/fit_impl.h"
#include "studies/multilevel/weak_multilevel.h"

#include <math.h>

/* Reasons why the error is missed, gravest first; then none. */
typedef enum {
  FAILED,  /* fewer than two paths count */
  ROUNDED, /* no number of paths resolves it */
  LIMITED, /* more paths would reduce it, but max_paths are there */
  MORE,    /* more paths reduce it */
  REACHED
} outcome;

typedef struct {
  outcome outcome;
  cas_level_moments moments;
  double error;  /* the standard error over the mean */
  double needed; /* paths that count */
} judgement;

/* The rounding of a difference, by the paths that are coupled on its level. */
static double rounding_of(const cas_hierarchy_level *g, const cas_level_moments *m) {
  return cas_fit_rounding(cas_hierarchy_level_steps(g),
                          hypot(m->fine_mean, sqrt(m->fine_variance)));
}

static outcome outcome_of(const cas_multilevel_run *c, const cas_multilevel_aim *aim, int k,
                          const judgement *j) {
  const cas_level_moments *m = &j->moments;
  const cas_hierarchy_level *g = &c->hierarchy->level[k];
  if (!isfinite(m->mean) || !(m->paths >= 1))
    return FAILED;
  if (aim->exact)
    return REACHED;
  if (!isfinite(m->variance))
    return FAILED;
  if (fabs(m->mean) <= rounding_of(g, m))
    return ROUNDED;
  if (j->error <= aim->relative_error)
    return REACHED;
  return g->paths < cas_hierarchy_round_up(c->run, aim->max_paths) ? MORE : LIMITED;
}

/* Paths are a little more than is needed, so that means that still change do not ask for ever more
   rounds. */
static judgement judge(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                       cas_summary *total, int k) {
  const double spare = 0.99;
  judgement j;
  cas_level_moments_estimate(c->shape, total, k, 0, &j.moments);
  const cas_level_moments *m = &j.moments;
  double wanted = aim->relative_error * m->mean;
  j.error = sqrt(m->variance / m->paths) / fabs(m->mean);
  j.needed = ceil(m->variance / (spare * wanted * wanted));
  j.outcome = outcome_of(c, aim, k, &j);
  return j;
}

bool cas_multilevel_choose(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                           cas_summary *total, int64_t paths[CAS_PLAN_LEVELS_MAX]) {
  bool more = false;
  for (int k = 0; k < c->hierarchy->levels; k++) {
    judgement j = judge(c, aim, total, k);
    int64_t has = c->hierarchy->level[k].paths;
    double failed = (double)has - j.moments.paths, n = j.needed + failed;
    paths[k] = j.outcome == MORE
                   ? cas_hierarchy_round_up(c->run, cas_count_clamped(n, aim->max_paths))
                   : has;
    more |= paths[k] > has;
  }
  return more && c->hierarchy->rounds < CAS_ROUNDS_MAX;
}

void cas_multilevel_conclude(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                             cas_summary *total, cas_multilevel *m) {
  static const cas_finding found[] = {[FAILED] = CAS_LEVEL_FAILED,
                                      [ROUNDED] = CAS_WITHIN_ROUNDING,
                                      [LIMITED] = CAS_PATH_LIMIT,
                                      [MORE] = CAS_ROUND_LIMIT,
                                      [REACHED] = CAS_TARGET_REACHED};
  if (aim->relative_error == 0)
    return;
  m->relative_error = aim->relative_error;
  m->max_paths = aim->max_paths;
  m->reached = 1;
  for (int k = 0; k < m->levels; k++) {
    const outcome o = judge(c, aim, total, k).outcome;
    m->findings |= cas_finding_set(found[o]);
    m->reached &= o == REACHED;
  }
  if (!m->reached)
    m->findings =
        (m->findings & ~cas_finding_set(CAS_TARGET_REACHED)) | cas_finding_set(CAS_TARGET_MISSED);
}
