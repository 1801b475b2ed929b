/* Weak errors from neighbouring levels coupled with each other alone: mathematics.md, and Giles and
   Szpruch (2014) for the antithetic coupling. */
#include "studies/multilevel/multilevel.h"
#include "base/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PILOT_PATHS = 512 };

/* as configured */
typedef struct {
  cas_hierarchy_options hierarchy;
  int64_t levels, paths, max_paths;
  cas_reals paths_by_level;
  double relative_error;
} multilevel_options;

static const cas_option options[] = {
    {.type = CAS_INCLUDE, .section = cas_span_options},
    {.key = "levels",
     .type = CAS_INT,
     .offset = offsetof(multilevel_options, levels),
     .low = 1,
     .high = CAS_LEVELS_MAX - 1,
     .help = "differences h, h/2: of the coarsest step and so many in all"},
    {.type = CAS_INCLUDE, .section = cas_coupling_options},
    {.key = "functionals",
     .type = CAS_STRINGS,
     .offset = offsetof(cas_hierarchy_options, functionals),
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
     .help = "most paths of a level (in whole blocks) that relative_error may ask for"},
    {0}};

/* ---- checking ---- */

static cas_status check_paths(cas_run_state *r, const multilevel_options *o, cas_hierarchy *l,
                              cas_error *err) {
  int given = (o->paths > 0) + (o->paths_by_level.n > 0) + (o->relative_error > 0);
  if (given != 1)
    return cas_config_fail(r->config, err, "study",
                           "found %s of paths, paths_by_level and relative_error, must have one",
                           given ? "several" : "none");
  if (o->paths_by_level.n > 0 && o->paths_by_level.n != l->levels)
    return cas_config_fail(r->config, err, "study.paths_by_level",
                           "has %d numbers, must have one for each of %d levels",
                           o->paths_by_level.n, l->levels);
  int64_t wanted[CAS_LEVELS_MAX] = {0};
  for (int k = 0; k < l->levels; k++) {
    double n = o->paths_by_level.n ? o->paths_by_level.value[k] : (double)o->paths;
    if (n != floor(n) || !cas_to_count(n, INT64_MAX, &wanted[k]))
      return cas_config_fail(r->config, err, "study.paths_by_level",
                             "found %g, must be whole numbers", n);
    if (o->relative_error > 0)
      wanted[k] = cas_round_up_to_blocks(r, PILOT_PATHS);
  }
  return cas_hierarchy_extend(r, l, wanted, o->paths ? "study.paths" : "study", err);
}

static cas_status prepare(cas_run_state *r, cas_error *err) {
  const multilevel_options *o = r->options;
  cas_hierarchy *l = r->prepared = calloc(1, sizeof *l);
  if (!l)
    return cas_no_memory(err);
  cas_status st = cas_hierarchy_check(r, o->levels, "finest level", l, err);
  if (st)
    return st;
  cas_hierarchy_step_sizes(&o->hierarchy.span, (int)o->levels + 1, &r->plan);
  l->path_stride = o->relative_error > 0
                       ? cas_hierarchy_path_stride(cas_round_up_to_blocks(r, o->max_paths))
                       : 0;
  cas_hierarchy_plan(&r->plan, cas_is_antithetic(r), &r->problem, l);
  return check_paths(r, o, l, err);
}

static cas_status locate(const cas_run_state *r, int64_t path, cas_sweep_plan *plan, int64_t *block,
                         int *lane, cas_error *err) {
  return cas_hierarchy_locate(r->prepared, r->problem.W, path, plan, block, lane, err);
}

static void describe(FILE *f, const cas_run_state *r) {
  const multilevel_options *o = r->options;
  const cas_hierarchy *l = r->prepared;
  for (int k = 0; k < l->levels; k++) {
    char coarse[64], fine[64];
    cas_step_format(r->plan.h[k], coarse, sizeof coarse);
    cas_step_format(r->plan.h[k + 1], fine, sizeof fine);
    fprintf(f, "  difference %s - %s: %lld paths of %.0f steps, from path %lld on\n", coarse, fine,
            (long long)l->level[k].paths, cas_hierarchy_level_steps(&l->level[k]),
            (long long)l->level[k].first_path);
  }
  if (o->relative_error > 0)
    fprintf(f, "  these are the pilot; it decides how many paths follow\n");
  cas_hierarchy_warn(f, r);
}

/* ---- as many paths as an error needs ---- */

static cas_multilevel_aim aim_of(const cas_run_state *r) {
  const multilevel_options *o = r->options;
  return (cas_multilevel_aim){.relative_error = o->relative_error,
                              .max_paths = o->max_paths,
                              .exact = r->problem.noise.noises == 0};
}

/* what every rank has to know of a decision */
typedef struct {
  bool more;
  int64_t paths[CAS_LEVELS_MAX];
} decision;

/* The pilot is the first round, and the paths of a round are the first ones of the next. */
static cas_status run_rounds(cas_run_state *r, cas_multilevel_run *c, cas_summary **total,
                             cas_error *err) {
  const cas_multilevel_aim aim = aim_of(r);
  for (;;) {
    decision d = {0};
    cas_status st = cas_multilevel_round(c, total, err);
    if (st || aim.relative_error == 0)
      return st;
    if (r->rank == 0)
      d.more = cas_multilevel_choose(c, &aim, *total, d.paths);
    MPI_Bcast(&d, sizeof d, MPI_BYTE, 0, r->comm);
    if (!d.more)
      return CAS_OK;
    free(*total);
    *total = NULL;
    st = cas_hierarchy_extend(r, c->hierarchy, d.paths, "study.relative_error", err);
    if (st)
      return st;
  }
}

/* ---- the whole study ---- */

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  cas_summary *total = NULL;
  cas_multilevel_run multilevel;
  const cas_multilevel_aim aim = aim_of(r);
  cas_status st = cas_multilevel_begin(r, r->prepared, &multilevel, err);
  if (!st)
    st = run_rounds(r, &multilevel, &total, err);
  if (!st && r->rank == 0)
    st = cas_multilevel_results(&multilevel, &aim, total, out, err);
  if (!st && r->rank == 0)
    st = cas_results_write(out, r->file, err);
  free(total);
  cas_multilevel_end(&multilevel);
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
    .prepare = prepare,
    .run = run,
    .release = cas_hierarchy_release,
    .describe = describe,
    .locate = locate,
    .path_steps = cas_hierarchy_path_steps,
    .block_bytes = cas_hierarchy_block_bytes,
    .open_seconds = cas_hierarchy_open_seconds,
};
