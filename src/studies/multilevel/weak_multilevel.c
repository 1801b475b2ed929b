/* Weak errors from neighbouring levels coupled with each other alone: mathematics.md, and Giles and
   Szpruch (2014) for the antithetic coupling. */
#include "base/count.h"
#include "engine/outcome.h"
#include "engine/study/failures.h"
#include "statistics/fit_impl.h"
#include "studies/convergence.h"
#include "studies/curve.h"
#include "studies/multilevel/multilevel_run.h"
#include "studies/path_cost.h"

#include <math.h>

/* Paths of a level that decide how many follow. */
enum { PILOT_PATHS = 512 };

typedef struct {
  cas_hierarchy_options hierarchy;
  int64_t levels, paths, max_paths;
  cas_reals paths_by_level, exact;
  double relative_error;
  bool path_cost;
} multilevel_options;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_span_options},
    {.type = CAS_INCLUDE, .section = cas_span_size_options},
    CAS_OPTION(multilevel_options, INT, levels, .fallback = "", .low = 1,
               .high = CAS_PLAN_LEVELS_MAX - 1,
               .help = "number of differences of neighbouring step sizes, from the coarsest on; "
                       "required, unless refine lists the levels"),
    {.type = CAS_INCLUDE, .section = cas_hierarchy_coupling_options},
    CAS_OPTION(cas_hierarchy_options, FORMULAS, functionals,
               .help = "test functions: names, or {name: expression}"),
    CAS_OPTION(multilevel_options, REALS, exact, .fallback = "",
               .help = CAS_CONVERGENCE_EXACT_HELP),
    CAS_OPTION(multilevel_options, INT, paths, .fallback = "", .low = 2, .high = 1e15,
               .help = "number of paths of every level"),
    CAS_OPTION(multilevel_options, REALS, paths_by_level, .fallback = "", .low = 2, .high = 1e15,
               .help = "instead of paths: numbers of paths for each level, coarsest first"),
    CAS_OPTION(multilevel_options, REAL, relative_error, .fallback = "", .open_low = true,
               .high = 1,
               .help = "instead of paths: prescribed standard error of every difference of the "
                       "first functional, relative to the difference; the number of paths follows "
                       "from a pilot run of 512 paths per level"),
    CAS_OPTION(multilevel_options, INT, max_paths, .fallback = "1000000", .low = PILOT_PATHS,
               .high = 1e15,
               .help = "with relative_error: largest number of paths of a level (in whole blocks)"),
    CAS_OPTION(multilevel_options, BOOL, path_cost, CAS_PATH_COST_OPTION),
    {0}};

/* ---- checking ---- */

static cas_status check_paths(cas_study_run *r, const multilevel_options *o, cas_hierarchy *h,
                              cas_error *err) {
  int given = (o->paths > 0) + (o->paths_by_level.n > 0) + (o->relative_error > 0);
  CAS_REFUSE(r->config, given != 1, "study",
             "found %s of paths, paths_by_level and relative_error, must have one",
             given ? "several" : "none");
  CAS_REFUSE(r->config, o->paths_by_level.n > 0 && o->paths_by_level.n != h->levels,
             "study.paths_by_level", "has %d numbers, must have one for each of %d levels",
             o->paths_by_level.n, h->levels);
  int64_t wanted[CAS_PLAN_LEVELS_MAX] = {0};
  for (int k = 0; k < h->levels; k++) {
    double n = o->paths_by_level.n ? o->paths_by_level.value[k] : (double)o->paths;
    CAS_REFUSE(r->config, n != floor(n) || !cas_count_whole(n, INT64_MAX, &wanted[k]),
               "study.paths_by_level", "found %g, must be whole numbers", n);
    if (o->relative_error > 0)
      wanted[k] = cas_hierarchy_round_up(r, PILOT_PATHS);
  }
  return cas_hierarchy_extend(r, h, wanted, o->paths ? "study.paths" : "study", err);
}

static cas_status prepare(cas_study_run *r, cas_error *err) {
  multilevel_options *o = r->options;
  cas_hierarchy *h = r->prepared;
  CAS_CALL(cas_span_sizes(r, &o->hierarchy.span, "study.levels", 1, &o->levels, err));
  CAS_CALL(cas_hierarchy_check(r, (int)o->levels + 1, "finest level", h, err));
  r->plan = h->steps;
  if (o->relative_error > 0)
    h->path_stride = cas_hierarchy_path_stride(cas_hierarchy_round_up(r, o->max_paths));
  CAS_CALL(cas_convergence_truth(r->config, &o->exact, h->functionals.n, &h->truth, err));
  cas_hierarchy_plan(r, h);
  return check_paths(r, o, h, err);
}

static void describe(FILE *f, const cas_study_run *r) {
  const multilevel_options *o = r->options;
  const cas_hierarchy *h = r->prepared;
  for (int k = 0; k < h->levels; k++) {
    char coarse[64], fine[64];
    fprintf(f, "  difference %s - %s: %lld paths of %.0f steps, from path %lld on\n",
            cas_plan_level_text(&r->problem, &r->plan, k, coarse),
            cas_plan_level_text(&r->problem, &r->plan, k + 1, fine), (long long)h->level[k].paths,
            cas_study_plan_steps(&h->level[k].plan, NULL, NULL), (long long)h->level[k].first_path);
  }
  if (o->relative_error > 0)
    fprintf(f, "  these are the pilot; it decides how many paths follow\n");
  cas_hierarchy_warn(f, r);
}

/* ---- as many paths as an error needs ---- */

/* Whether the difference of level k has the error, or why not: CAS_ROUND_LIMIT where more paths
   reduce it. *wanted: paths that it should have, with 1% to spare, so that means that still change
   do not ask for ever more rounds. */
static cas_finding judge(const cas_multilevel_run *c, int k, double *wanted) {
  const double spare = 0.99;
  const multilevel_options *o = c->run->options;
  const cas_hierarchy_level *g = &c->hierarchy->level[k];
  const cas_level_moments m = cas_multilevel_moments(c, k, 0);
  const double error = o->relative_error * m.mean,
               rounding = cas_fit_rounding(cas_study_plan_steps(&g->plan, NULL, NULL),
                                           hypot(m.fine_mean, sqrt(m.fine_variance)));
  *wanted = ceil(m.variance / (spare * error * error)) + ((double)g->paths - m.paths);
  if (!isfinite(m.mean) || !(m.paths >= 1))
    return CAS_LEVEL_FAILED;
  if (cas_problem_is_exact(&c->run->problem))
    return CAS_TARGET_REACHED;
  if (!isfinite(m.variance))
    return CAS_LEVEL_FAILED;
  if (fabs(m.mean) <= rounding)
    return CAS_WITHIN_ROUNDING;
  if (sqrt(m.variance / m.paths) / fabs(m.mean) <= o->relative_error)
    return CAS_TARGET_REACHED;
  return g->paths < cas_hierarchy_round_up(c->run, o->max_paths) ? CAS_ROUND_LIMIT : CAS_PATH_LIMIT;
}

/* The pilot is the first round. A level that no number of paths helps keeps those it has. */
static cas_status decide(cas_multilevel_run *c, cas_multilevel_decision *d,
                         cas_error *err CAS_UNUSED) {
  const multilevel_options *o = c->run->options;
  for (int k = 0; o->relative_error > 0 && k < c->hierarchy->levels; k++) {
    const int64_t has = c->hierarchy->level[k].paths;
    double wanted;
    d->paths[k] = has;
    if (judge(c, k, &wanted) == CAS_ROUND_LIMIT)
      d->paths[k] = cas_hierarchy_round_up(c->run, cas_count_clamped(wanted, o->max_paths));
    d->more |= d->paths[k] > has;
  }
  d->more &= c->hierarchy->rounds < CAS_ROUNDS_MAX;
  return CAS_OK;
}

static void assess(const cas_multilevel_run *c, cas_multilevel *m) {
  const multilevel_options *o = c->run->options;
  double wanted;
  if (o->relative_error == 0)
    return;
  m->relative_error = o->relative_error;
  m->max_paths = o->max_paths;
  m->reached = 1;
  for (int k = 0; k < m->levels; k++) {
    const cas_finding found = judge(c, k, &wanted);
    m->findings |= cas_finding_set(found);
    m->reached &= found == CAS_TARGET_REACHED;
  }
  if (!m->reached)
    m->findings =
        (m->findings & ~cas_finding_set(CAS_TARGET_REACHED)) | cas_finding_set(CAS_TARGET_MISSED);
}

/* ---- results ---- */

static double error_of(double variance, double paths, bool exact) {
  return exact ? 0 : sqrt(variance / paths);
}

static void fill_levels(const cas_multilevel_run *c, cas_multilevel *m) {
  const cas_study_run *r = c->run;
  const cas_hierarchy *l = c->hierarchy;
  bool exact = cas_problem_is_exact(&r->problem);
  for (int f = 0; f < m->functionals; f++) {
    cas_curve *d = &m->functional[f];
    snprintf(d->name, sizeof d->name, "%s", l->functionals.observable[f].name);
    snprintf(d->unit, sizeof d->unit, "%s", l->functionals.observable[f].unit);
    d->expected_order =
        cas_span_order_of(r, cas_observable_law_order(&l->functionals.observable[f], &r->problem));
    for (int k = 0; k < m->levels; k++) {
      const cas_level_moments moments = cas_multilevel_moments(c, k, f);
      d->difference.value[k] = moments.mean;
      d->coupled.variance[k] = exact ? 0 : moments.variance;
      d->coupled.kurtosis[k] = moments.kurtosis;
      d->coupled.fine.variance[k] = exact ? 0 : moments.fine_variance;
      d->coupled.pair.variance[k] = exact ? 0 : moments.pair_variance;
      d->difference.standard_error[k] = error_of(moments.variance, moments.paths, exact);
      d->mean.value[k] = moments.coarse_mean;
      d->mean.standard_error[k] = error_of(moments.coarse_variance, moments.paths, exact);
      d->coupled.fine.mean[k] = moments.fine_mean;
      d->coupled.fine.standard_error[k] = error_of(moments.fine_variance, moments.paths, exact);
      cas_span_probability_interval(r, &l->functionals.observable[f], moments.coarse_mean,
                                    moments.paths, &d->mean.low[k], &d->mean.high[k]);
      m->paths[k] = (int64_t)moments.paths;
      m->work[k] = moments.iterations;
    }
  }
  for (int k = 0; k < m->levels; k++)
    m->steps[k] = cas_study_plan_steps(&l->level[k].plan, NULL, NULL);
  cas_multilevel_fit(m, cas_span_resolution(r),
                     r->plan.h[0] == r->plan.h[1] || cas_problem_commuting(&r->problem), exact);
}

/* Says what failed paths can have changed; returns their share of a sum over levels. */
static double bound(const cas_study_run *r, const cas_health *h, cas_multilevel *m) {
  double of_sum, share = cas_failures_level_share(r, h, m->levels, m->paths, &of_sum);
  for (int f = 0; f < m->functionals; f++) {
    cas_curve *d = &m->functional[f];
    d->bias_bound =
        cas_failures_difference_bound(r, share, d->name, d->difference.value, m->levels);
    d->findings |= cas_failures_find(h, r->paths);
  }
  if (m->relative_error > 0) {
    m->findings |= cas_failures_find(h, r->paths);
    cas_failures_unreach(h, &m->reached, &m->findings);
  }
  return of_sum;
}

static cas_status add_curves(const cas_study_run *r, const cas_multilevel *m, double share,
                             cas_results *out, cas_error *err) {
  const double *truth = ((const cas_hierarchy *)r->prepared)->truth;
  const cas_curve like = {.kind = CAS_WEAK, .levels = m->levels};
  CAS_OWNED cas_curve **curve = calloc((size_t)m->functionals + 1, sizeof *curve);
  CAS_NEED(curve);
  for (int n = 0; n < m->functionals; n++) {
    const cas_curve *d = &m->functional[n];
    cas_curve *c = curve[n] = cas_table_create(out, &cas_table_weak, d->name, d->unit, &like, err);
    CAS_NEED(c);
    cas_multilevel_curve(m, n, out->step, c);
    c->average_from = c->exact_mean = 0;
    if (truth)
      cas_curve_compare(c, truth[n]);
  }
  cas_multilevel_curves_conclude(m, curve);
  cas_curves_bound(r, &out->health, share, m->functionals, curve);
  return CAS_OK;
}

static cas_status conclude(cas_multilevel_run *c, cas_results *out, cas_error *err) {
  CAS_CALL(cas_outcome_fill(c->state, c->shape, c->total, out, err));
  cas_multilevel *m = cas_table_new(
      &cas_table_multilevel, NULL, NULL,
      &(cas_multilevel){.levels = c->hierarchy->levels, .functionals = c->hierarchy->functionals.n},
      err);
  CAS_NEED(m);
  snprintf(m->coupling, sizeof m->coupling, "%s", cas_hierarchy_coupling(c->run));
  fill_levels(c, m);
  assess(c, m);
  const double share = bound(c->run, &out->health, m);
  const cas_status st = add_curves(c->run, m, share, out, err),
                   added = cas_results_add(out, &cas_table_multilevel, m, err);
  return st ? st : added;
}

static cas_status extend(const cas_study_run *r, cas_results *out, bool *added, cas_error *err) {
  *added = ((const multilevel_options *)r->options)->path_cost;
  return *added ? cas_path_cost_add(r, out, err) : CAS_OK;
}

static const cas_multilevel_study rounds = {
    .key = "study.relative_error", .decide = decide, .conclude = conclude, .extend = extend};

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  return cas_multilevel_compute(r, &rounds, out, err);
}

static cas_status check(const cas_results *out, cas_error *err) {
  const cas_multilevel *m = cas_results_multilevel(out);
  char text[CAS_FINDINGS_TEXT];
  if (!(m->relative_error > 0) || m->reached)
    return CAS_OK;
  cas_findings_say(cas_findings_limits(m->findings), text);
  return cas_fail(err, CAS_CHECK_FAILED, "relative_error = %.3g of %s NOT REACHED: %s.",
                  m->relative_error, m->functional[0].name, text);
}

const cas_study cas_study_weak_multilevel = {
    .name = "weak_multilevel",
    .summary =
        "error of expectations from differences of neighbouring step sizes, each on paths of "
        "its own; resolves in seconds what `weak` needs millions of paths for",
    .options = {options, sizeof(multilevel_options), sizeof(cas_hierarchy)},
    .defaults = {.truncation = 4},
    .prepare = prepare,
    .run = run,
    .check = check,
    .costs = &(const cas_study_costs){CAS_HIERARCHY_COSTS, .describe = describe},
};
