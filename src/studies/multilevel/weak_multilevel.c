/* Weak errors from neighbouring levels coupled with each other alone: mathematics.md, and Giles and
   Szpruch (2014) for the antithetic coupling. */
#include "studies/multilevel/weak_multilevel.h"
#include "base/count.h"
#include "studies/convergence.h"
#include "studies/path_cost.h"

#include <math.h>

/* Paths of a level that decide how many follow. */
enum { PILOT_PATHS = 512 };

/* The options, as configured. */
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
            cas_hierarchy_level_steps(&h->level[k]), (long long)h->level[k].first_path);
  }
  if (o->relative_error > 0)
    fprintf(f, "  these are the pilot; it decides how many paths follow\n");
  cas_hierarchy_warn(f, r);
}

/* ---- as many paths as an error needs ---- */

static cas_multilevel_aim aim_of(const cas_study_run *r) {
  const multilevel_options *o = r->options;
  return (cas_multilevel_aim){.relative_error = o->relative_error,
                              .max_paths = o->max_paths,
                              .exact = cas_problem_is_exact(&r->problem)};
}

/* The pilot is the first round. */
static cas_status decide(cas_multilevel_run *c, cas_multilevel_decision *d,
                         cas_error *err CAS_UNUSED) {
  const cas_multilevel_aim aim = aim_of(c->run);
  d->more = aim.relative_error > 0 && cas_multilevel_choose(c, &aim, c->total, d->paths);
  return CAS_OK;
}

static cas_status conclude(cas_multilevel_run *c, cas_results *out, cas_error *err) {
  const cas_multilevel_aim aim = aim_of(c->run);
  return cas_multilevel_results(c, &aim, c->total, out, err);
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

static bool grows(const cas_study_run *r) {
  return ((const multilevel_options *)r->options)->relative_error > 0;
}

static const cas_study_costs costs = {.block_bytes = cas_hierarchy_block_bytes,
                                      .path_steps = cas_hierarchy_path_steps,
                                      .open_seconds = cas_hierarchy_open_seconds,
                                      .grows = grows,
                                      .describe = describe,
                                      .locate = cas_hierarchy_locate};

extern const cas_study cas_study_weak_multilevel;
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
    .release = cas_hierarchy_release,
    .costs = &costs,
};
