/* Paths of every level, as many as give its difference a stated relative standard error, and in
   words whether they did. Sums and counts decide, never a clock. */
#include "base/count.h"
#include "statistics/fit_impl.h"
#include "studies/multilevel/weak_multilevel.h"

#include <math.h>

/* Reasons why the error is missed, in the order in which the verdict has them; then none. */
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

/* ---- in words ---- */

/* The level with this outcome and the largest error, or else the first; -1: there is none. *others:
   further levels with this outcome. */
static int worst(const judgement *j, int levels, outcome o, int *others) {
  int found = -1;
  *others = -1;
  for (int k = 0; k < levels; k++)
    if (j[k].outcome == o) {
      ++*others;
      if (found < 0 || j[k].error > j[found].error)
        found = k;
    }
  return found;
}

static void append_error(cas_multilevel *m, const judgement *j, const char *then) {
  cas_append(m->verdict, sizeof m->verdict, " the standard error is %.2g of the difference %s",
             j->error, then);
}

static void append_reason(cas_multilevel *m, const cas_multilevel_run *c, const judgement *j,
                          outcome o) {
  const char *name = m->functional[0].name;
  switch (o) {
  case FAILED:
    cas_append(m->verdict, sizeof m->verdict,
               " there are fewer than two valid paths, and more were not tried");
    break;
  case ROUNDED:
    cas_append(
        m->verdict, sizeof m->verdict,
        " the difference, %.1e, is within the rounding of E %s = %.4g, which more paths do not "
        "reduce: let a functional decide that is not constant",
        j->moments.mean, name, j->moments.coarse_mean);
    break;
  case LIMITED:
    append_error(m, j, "with all the paths that study.max_paths allows");
    cas_append(m->verdict, sizeof m->verdict, ", %lld; raise it to %.2g or more",
               (long long)m->max_paths, j->needed);
    break;
  case MORE:
    append_error(m, j, "still");
    cas_append(m->verdict, sizeof m->verdict, " after %d rounds of paths", c->hierarchy->rounds);
    break;
  case REACHED:
    break;
  }
}

static void describe_missed(cas_multilevel *m, const cas_multilevel_run *c, const judgement *j) {
  static const cas_finding found[] = {[FAILED] = CAS_LEVEL_FAILED,
                                      [ROUNDED] = CAS_WITHIN_ROUNDING,
                                      [LIMITED] = CAS_PATH_LIMIT,
                                      [MORE] = CAS_ROUND_LIMIT};
  const char *before = ": ";
  cas_append(m->verdict, sizeof m->verdict, "relative_error = %.3g of %s NOT REACHED",
             m->relative_error, m->functional[0].name);
  for (outcome o = FAILED; o <= MORE; o++) {
    int others, k = worst(j, m->levels, o, &others);
    if (k < 0)
      continue;
    cas_append(m->verdict, sizeof m->verdict, "%s", before);
    m->findings |= cas_finding_set(found[o]);
    char step[64];
    cas_append(m->verdict, sizeof m->verdict, "at h = %s",
               cas_plan_level_text(&c->run->problem, &c->run->plan, k, step));
    if (others > 0)
      cas_append(m->verdict, sizeof m->verdict, " (and %d other%s)", others, others > 1 ? "s" : "");
    append_reason(m, c, &j[k], o);
    before = "; ";
  }
}

void cas_multilevel_conclude(const cas_multilevel_run *c, const cas_multilevel_aim *aim,
                             cas_summary *total, cas_multilevel *m) {
  judgement j[CAS_PLAN_LEVELS_MAX];
  if (aim->relative_error == 0)
    return;
  m->relative_error = aim->relative_error;
  m->max_paths = aim->max_paths;
  m->reached = 1;
  for (int k = 0; k < m->levels; k++) {
    j[k] = judge(c, aim, total, k);
    m->reached &= j[k].outcome == REACHED;
  }
  m->findings = cas_finding_set(m->reached ? CAS_TARGET_REACHED : CAS_TARGET_MISSED);
  m->verdict[0] = '\0';
  if (m->reached) {
    int others, k = worst(j, m->levels, REACHED, &others);
    char step[64];
    (void)cas_plan_level_text(&c->run->problem, &c->run->plan, k, step);
    cas_append(m->verdict, sizeof m->verdict, "relative_error = %.3g of %s reached",
               m->relative_error, m->functional[0].name);
    if (cas_problem_is_exact(&c->run->problem))
      cas_append(m->verdict, sizeof m->verdict,
                 ": nothing is random, and differences have no sampling error");
    else
      cas_append(m->verdict, sizeof m->verdict,
                 ": standard errors are at most %.2g of the difference, at h = %s", j[k].error,
                 step);
  } else
    describe_missed(m, c, j);
}
