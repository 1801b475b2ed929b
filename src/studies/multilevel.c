/* Weak errors from neighbouring levels coupled with each other alone: mathematics.md, and Giles and
   Szpruch (2014) for the antithetic coupling. */
#include "studies/multilevel.h"
#include "studies/convergence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ANTITHETIC, ADJACENT, PILOT_PATHS = 512 };

static const char *const couplings[] = {"antithetic", "adjacent", NULL};

/* as configured */
typedef struct {
  double coarsest_step, horizon, relative_error;
  int64_t coarsest_steps, levels, paths, max_paths;
  cas_reals paths_by_level;
  int coupling;
  cas_strings functionals;
} multilevel_options;

static const cas_option options[] = {
    {.key = "coarsest_step",
     .type = CAS_STEP,
     .offset = offsetof(multilevel_options, coarsest_step),
     .high = 1e300,
     .open_low = true,
     .help = "step size of the coarsest level"},
    {.key = "coarsest_steps",
     .type = CAS_INT,
     .offset = offsetof(multilevel_options, coarsest_steps),
     .fallback = "",
     .low = 1,
     .high = 1e15,
     .help = "steps of the coarsest level; horizon = coarsest_step times this"},
    {.key = "horizon",
     .type = CAS_REAL,
     .offset = offsetof(multilevel_options, horizon),
     .fallback = "",
     .open_low = true,
     .high = 1e300,
     .help = "instead of coarsest_steps: final time, a whole number of coarsest steps"},
    {.key = "levels",
     .type = CAS_INT,
     .offset = offsetof(multilevel_options, levels),
     .low = 1,
     .high = CAS_LEVELS_MAX - 1,
     .help = "differences h, h/2: of the coarsest step and so many in all"},
    {.key = "coupling",
     .type = CAS_CHOICE,
     .offset = offsetof(multilevel_options, coupling),
     .fallback = "antithetic",
     .choices = couplings,
     .help =
         "antithetic: to a coarse path two fine ones, the second with the halves of each coarse "
         "step swapped; adjacent: one"},
    {.key = "functionals",
     .type = CAS_STRINGS,
     .offset = offsetof(multilevel_options, functionals),
     .help = "test functions of the system"},
    {.key = "paths",
     .type = CAS_INT,
     .offset = offsetof(multilevel_options, paths),
     .fallback = "",
     .low = 2,
     .high = 1e15,
     .help = "number of paths of every level"},
    {.key = "paths_by_level",
     .type = CAS_REALS,
     .offset = offsetof(multilevel_options, paths_by_level),
     .fallback = "",
     .low = 2,
     .high = 1e15,
     .help = "instead of paths: numbers for each level, coarsest first"},
    {.key = "relative_error",
     .type = CAS_REAL,
     .offset = offsetof(multilevel_options, relative_error),
     .fallback = "",
     .open_low = true,
     .high = 1,
     .help = "instead of paths: as many as give every difference of the first functional this "
             "standard error, by a pilot of 512 paths a level"},
    {.key = "max_paths",
     .type = CAS_INT,
     .offset = offsetof(multilevel_options, max_paths),
     .fallback = "1000000",
     .low = PILOT_PATHS,
     .high = 1e15,
     .help = "most paths of a level that relative_error may ask for"},
    {0}};

/* as checked */
typedef struct {
  cas_ladder ladder;
  const cas_functional **functional;
} multilevel_study;

/* ---- checking ---- */

static cas_status check_paths(cas_run_state *r, const multilevel_options *o, cas_ladder *l,
                              cas_error *err) {
  int given = (o->paths > 0) + (o->paths_by_level.n > 0) + (o->relative_error > 0);
  if (given != 1)
    return cas_config_fail(r->config, err, "study",
                           "found %s of paths, paths_by_level and relative_error, must have one",
                           given ? "several" : "none");
  if (o->paths_by_level.n > 0 && o->paths_by_level.n != l->rungs)
    return cas_config_fail(r->config, err, "study.paths_by_level",
                           "has %d numbers, must have one for each of %d levels",
                           o->paths_by_level.n, l->rungs);
  int64_t W = r->problem.W, wanted[CAS_LEVELS_MAX] = {0};
  for (int k = 0; k < l->rungs; k++) {
    double n = o->paths_by_level.n ? o->paths_by_level.value[k] : (double)o->paths;
    if (n != floor(n))
      return cas_config_fail(r->config, err, "study.paths_by_level",
                             "found %g, must be whole numbers", n);
    wanted[k] = o->relative_error > 0 ? (PILOT_PATHS + W - 1) / W * W : (int64_t)n;
  }
  cas_status st = cas_ladder_add_round(l, r->problem.W, wanted, err);
  return st ? st : cas_ladder_check_noise(r, l, o->paths ? "study.paths" : "study", err);
}

static void make_plan(cas_run_state *r, const multilevel_options *o) {
  int L = (int)o->levels;
  r->plan =
      (cas_sweep_plan){.levels = L + 1, .grid = INT64_C(1) << L, .steps = o->coarsest_steps << L};
  for (int j = 0; j <= L; j++) {
    r->plan.h[j] = ldexp(o->coarsest_step, -j);
    r->plan.ratio[j] = INT64_C(1) << (L - j);
  }
}

static cas_status check_steps(cas_run_state *r, multilevel_options *o, cas_error *err) {
  cas_status st = cas_horizon_check(r, o->coarsest_step, &o->coarsest_steps, &o->horizon, err);
  if (!st)
    st = cas_problem_check_step(r->config, &r->problem, "study.coarsest_step", o->coarsest_step,
                                err);
  if (!st && o->coarsest_steps > INT64_MAX >> (o->levels + 16))
    st = cas_config_fail(r->config, err, "study.coarsest_steps",
                         "found %lld, too many steps of the finest level",
                         (long long)o->coarsest_steps);
  return st;
}

static cas_status prepare(cas_run_state *r, cas_error *err) {
  multilevel_options *o = r->options;
  multilevel_study *v = calloc(1, sizeof *v);
  r->prepared = v;
  if (!v)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = check_steps(r, o, err);
  if (!st)
    st = cas_functionals_find(r, &o->functionals, &v->functional, err);
  if (!st && o->functionals.n == 0)
    st = cas_config_fail(r->config, err, "study.functionals", "is empty: name at least one");
  if (st)
    return st;
  make_plan(r, o);
  v->ladder.functionals = o->functionals.n;
  v->ladder.functional = v->functional;
  v->ladder.numbers = o->relative_error > 0 ? cas_ladder_numbers(o->max_paths) : 0;
  cas_ladder_plan(&r->plan, o->coupling == ANTITHETIC, &r->problem, &v->ladder);
  st = check_paths(r, o, &v->ladder, err);
  r->chunks = v->ladder.chunks;
  r->paths = cas_ladder_paths(&v->ladder);
  return st;
}

static void release(cas_run_state *r) {
  multilevel_study *v = r->prepared;
  if (v)
    free(v->functional);
  free(v);
  r->prepared = NULL;
}

static cas_status locate(const cas_run_state *r, int64_t path, cas_sweep_plan *plan, int64_t *block,
                         int *lane, cas_error *err) {
  const multilevel_study *v = r->prepared;
  return cas_ladder_locate(&v->ladder, r->problem.W, path, plan, block, lane, err);
}

static double path_steps(const cas_run_state *r) {
  const multilevel_study *v = r->prepared;
  return cas_ladder_steps(&v->ladder);
}

static void describe(FILE *f, const cas_run_state *r) {
  const multilevel_options *o = r->options;
  const multilevel_study *v = r->prepared;
  const cas_ladder *l = &v->ladder;
  for (int k = 0; k < l->rungs; k++) {
    char coarse[64], fine[64];
    cas_step_format(r->plan.h[k], coarse, sizeof coarse);
    cas_step_format(r->plan.h[k + 1], fine, sizeof fine);
    fprintf(f, "  difference %s - %s: %lld paths of %.0f steps, from path %lld on\n", coarse, fine,
            (long long)l->rung[k].paths, cas_rung_steps(&l->rung[k]),
            (long long)l->rung[k].first_path);
  }
  if (o->relative_error > 0)
    fprintf(f, "  these are the pilot; it decides how many paths follow\n");
  cas_ladder_doubt(f, r, o->coupling == ANTITHETIC);
}

/* ---- as many paths as an error needs ---- */

static void choose_paths(const cas_run_state *r, const cas_climb *c, cas_summary *pilot,
                         int64_t paths[CAS_LEVELS_MAX]) {
  const multilevel_options *o = r->options;
  const double most = (double)o->max_paths;
  for (int k = 0; k < c->ladder->rungs; k++) {
    cas_rung_moments m;
    cas_rung_estimate(c->shape, pilot, k, 0, &m);
    double wanted = o->relative_error * m.mean, n = ceil(m.variance / (wanted * wanted));
    paths[k] = isfinite(n) && n < most ? (int64_t)n : o->max_paths;
  }
}

/* The pilot is the first round, and its paths are the first ones of the second. */
static cas_status run_rounds(cas_run_state *r, cas_climb *c, cas_summary **total, cas_error *err) {
  const multilevel_options *o = r->options;
  int64_t paths[CAS_LEVELS_MAX] = {0};
  cas_status st = cas_climb_round(c, total, err);
  if (st || o->relative_error == 0 || c->ladder->rounds > 1)
    return st;
  if (r->rank == 0)
    choose_paths(r, c, *total, paths);
  free(*total);
  *total = NULL;
  MPI_Bcast(paths, CAS_LEVELS_MAX, MPI_INT64_T, 0, r->comm);
  st = cas_ladder_add_round(c->ladder, r->problem.W, paths, err);
  if (!st)
    st = cas_ladder_check_noise(r, c->ladder, "study.relative_error", err);
  return st ? st : cas_climb_round(c, total, err);
}

/* ---- the whole study ---- */

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const multilevel_options *o = r->options;
  multilevel_study *v = r->prepared;
  cas_summary *total = NULL;
  cas_climb climb;
  cas_status st = cas_climb_begin(r, &v->ladder, &climb, err);
  if (!st)
    st = cas_climb_resume(&climb, err);
  st = cas_agree(st, r->comm, err);
  if (!st)
    st = run_rounds(r, &climb, &total, err);
  if (!st && r->rank == 0)
    st = cas_multilevel_results(&climb, o->coupling == ANTITHETIC, total, out, err);
  if (!st && r->rank == 0)
    st = cas_results_write(out, r->file, err);
  free(total);
  cas_climb_end(&climb);
  return cas_agree(st, r->comm, err);
}

extern const cas_study cas_study_weak_multilevel;
const cas_study cas_study_weak_multilevel = {
    .name = "weak_multilevel",
    .summary =
        "error of expectations from differences of neighbouring step sizes, each on paths of "
        "its own; resolves in seconds what `weak` needs millions of paths for",
    .options = options,
    .options_size = sizeof(multilevel_options),
    .truncation = 4,
    .own_chunks = true,
    .prepare = prepare,
    .run = run,
    .release = release,
    .describe = describe,
    .locate = locate,
    .path_steps = path_steps,
};
