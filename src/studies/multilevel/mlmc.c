/* Multilevel Monte Carlo: E phi(X_T) to a stated root-mean-square error, with levels and paths chosen on
   the way (Giles, Operations Research 56, 2008; Acta Numerica 24, 2015). What to do next depends on
   sums and counts only, which are bitwise the same on any number of ranks, never on a clock. */
#include "studies/multilevel/mlmc.h"
#include "engine/failures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Variances of fewer are too often so small that the error seems to be there after the pilot. */
enum { PILOT_LEAST = 16 };

/* as configured */
typedef struct {
  cas_hierarchy_options hierarchy;
  double epsilon, theta;
  int64_t min_levels, max_levels, pilot_paths, max_paths, plain_paths;
} mlmc_options;

static const cas_option options[] = {
    {.key = "epsilon",
     .type = CAS_REAL,
     .offset = offsetof(mlmc_options, epsilon),
     .open_low = true,
     .high = 1e300,
     .help = "root-mean-square error that the estimate of the first functional shall have, in its "
             "unit: (variance + bias^2)^1/2"},
    {.key = "functionals",
     .type = CAS_STRINGS,
     .offset = offsetof(cas_hierarchy_options, functionals),
     .help = "test functions of the system: the first decides on levels and paths, all are "
             "estimated"},
    {.type = CAS_INCLUDE, .section = cas_span_options},
    {.key = "min_levels",
     .type = CAS_INT,
     .offset = offsetof(mlmc_options, min_levels),
     .fallback = "3",
     .low = 2,
     .high = CAS_LEVELS_MAX - 1,
     .help = "levels to begin with, level 0 among them"},
    {.key = "max_levels",
     .type = CAS_INT,
     .offset = offsetof(mlmc_options, max_levels),
     .fallback = "12",
     .low = 2,
     .high = CAS_LEVELS_MAX - 1,
     .help = "levels at most"},
    {.key = "pilot_paths",
     .type = CAS_INT,
     .offset = offsetof(mlmc_options, pilot_paths),
     .fallback = "512",
     .low = PILOT_LEAST,
     .high = 1e15,
     .help = "paths that every level begins with (in whole blocks)"},
    {.key = "max_paths",
     .type = CAS_INT,
     .offset = offsetof(mlmc_options, max_paths),
     .fallback = "",
     .low = PILOT_LEAST,
     .high = 1e15,
     .help = "most paths of a level (in whole blocks); otherwise 1000000000, or as many as the "
             "generator has streams for"},
    {.key = "theta",
     .type = CAS_REAL,
     .offset = offsetof(mlmc_options, theta),
     .fallback = "0.25",
     .open_low = true,
     .high = 0.99,
     .help = "share of epsilon^2 that the squared bias may have; the variance has the rest"},
    {.type = CAS_INCLUDE, .section = cas_coupling_options},
    {.key = "plain_paths",
     .type = CAS_INT,
     .offset = offsetof(mlmc_options, plain_paths),
     .fallback = "0",
     .high = 1e15,
     .help = "in the end, paths of the finest step alone, on streams of their own, to measure what "
             "plain Monte Carlo costs; 0: it is predicted from the levels"},
    {0}};

/* as checked */
typedef struct {
  cas_hierarchy hierarchy;
  cas_sweep_plan steps; /* of max_levels */
  cas_mlmc_aim aim;
  cas_mlmc_forecast forecast;
} mlmc_study;

/* ---- checking ---- */

static cas_status check_levels(cas_run_state *r, cas_hierarchy *l, cas_error *err) {
  const mlmc_options *o = r->options;
  char finest[40];
  snprintf(finest, sizeof finest, "finest of %lld levels", (long long)o->max_levels);
  CAS_CALL(cas_hierarchy_check(r, o->max_levels - 1, finest, l, err));
  if (o->max_levels < o->min_levels)
    return cas_config_fail(r->config, err, "study.max_levels",
                           "found %lld, must be at least min_levels, %lld",
                           (long long)o->max_levels, (long long)o->min_levels);
  return CAS_OK;
}

static cas_status too_many(const cas_run_state *r, const char *key, int64_t n, int64_t streams,
                           cas_error *err) {
  return cas_config_fail(r->config, err, key,
                         "found %lld, but generator %s has streams for %lld paths a level only; "
                         "threefry has more",
                         (long long)n, r->problem.noise.generator->name, (long long)streams);
}

static cas_status check_paths(const cas_run_state *r, mlmc_options *o, cas_error *err) {
  const int64_t usual = 1000000000;
  const cas_generator *g = r->problem.noise.generator;
  int64_t W = r->problem.W,
          blocks = cas_noise_level_streams(g, 0, (int)o->max_levels + 1).blocks, /* and plain */
      streams = blocks > usual ? INT64_MAX : blocks * W;
  if (r->problem.noise.noises == 0)
    streams = INT64_MAX;
  if (o->max_paths > streams)
    return too_many(r, "study.max_paths", o->max_paths, streams, err);
  if (o->plain_paths > streams)
    return too_many(r, "study.plain_paths", o->plain_paths, streams, err);
  if (o->max_paths == 0)
    o->max_paths = streams < usual ? streams : usual;
  if (o->pilot_paths > o->max_paths)
    return cas_config_fail(r->config, err, "study.pilot_paths",
                           "found %lld, must be at most max_paths, %lld", (long long)o->pilot_paths,
                           (long long)o->max_paths);
  return CAS_OK;
}

/* ---- planning ---- */

static cas_status add_pilot(cas_run_state *r, const mlmc_options *o, cas_hierarchy *l,
                            cas_error *err) {
  int64_t paths[CAS_LEVELS_MAX] = {0};
  for (int k = 0; k < o->min_levels; k++)
    paths[k] = cas_round_up_to_blocks(r, o->pilot_paths);
  return cas_hierarchy_extend(r, l, paths, "study.pilot_paths", err);
}

static cas_status prepare(cas_run_state *r, cas_error *err) {
  mlmc_options *o = r->options;
  mlmc_study *v = r->prepared = calloc(1, sizeof *v);
  if (!v)
    return cas_no_memory(err);
  cas_status st = check_levels(r, &v->hierarchy, err);
  if (!st)
    st = check_paths(r, o, err);
  if (st)
    return st;
  cas_hierarchy_step_sizes(&o->hierarchy.span, (int)o->max_levels, &v->steps);
  cas_hierarchy_step_sizes(&o->hierarchy.span, (int)o->min_levels, &r->plan);
  v->aim = (cas_mlmc_aim){.epsilon = o->epsilon,
                          .theta = o->theta,
                          .max_levels = (int)o->max_levels,
                          .pilot = o->pilot_paths,
                          .max_paths = o->max_paths,
                          .step = v->steps.h,
                          .commuting = r->problem.system->commuting(r->problem.parameters),
                          .exact = r->problem.noise.noises == 0};
  v->hierarchy.path_stride = cas_hierarchy_path_stride(
      cas_round_up_to_blocks(r, o->max_paths > o->plain_paths ? o->max_paths : o->plain_paths));
  cas_hierarchy_plan_rounds(&v->steps, cas_is_antithetic(r), &r->problem, &v->hierarchy);
  return add_pilot(r, o, &v->hierarchy, err);
}

/* ---- for people ---- */

/* Paths of the finest step alone are numbered behind those of all levels. */
static cas_status locate(const cas_run_state *r, int64_t path, cas_sweep_plan *plan, int64_t *block,
                         int *lane, cas_error *err) {
  const mlmc_study *v = r->prepared;
  cas_hierarchy l = v->hierarchy;
  int64_t fine = path / l.path_stride - v->steps.levels;
  if (fine >= 0 && fine < v->steps.levels)
    cas_hierarchy_plan_plain(&v->steps, (int)fine, &l);
  return cas_hierarchy_locate(&l, r->problem.W, path, plan, block, lane, err);
}

static void describe(FILE *f, const cas_run_state *r) {
  const mlmc_study *v = r->prepared;
  const cas_hierarchy *l = &v->hierarchy;
  for (int k = 0; k < cas_mlmc_levels(l); k++) {
    char step[64];
    cas_step_format(v->steps.h[k], step, sizeof step);
    fprintf(f, "  level %d, h = %s: %lld paths of %.0f steps; path p is --only-path %lld + p\n", k,
            step, (long long)l->level[k].paths, cas_hierarchy_level_steps(&l->level[k]),
            (long long)l->level[k].first_path);
  }
  fprintf(f,
          "  this is the pilot, and so is the time below; %s then decides how many paths and "
          "levels follow\n",
          l->functional[0]->name);
  cas_hierarchy_warn(f, r);
}

/* ---- rounds ---- */

static cas_status store(void *study, cas_sections *s, cas_error *err) {
  const mlmc_study *v = study;
  return cas_sections_put(s, "forecast", &v->forecast, sizeof v->forecast, err);
}

static void load_forecast(const cas_run_state *r, mlmc_study *v) {
  cas_section found;
  size_t at = 0;
  if (cas_sections_next(&r->earlier, "forecast", &at, &found) && found.size == sizeof v->forecast)
    memcpy(&v->forecast, found.bytes, sizeof v->forecast);
}

/* what every rank has to know of a decision */
typedef struct {
  cas_mlmc_decision last;
  int64_t paths[CAS_LEVELS_MAX];
} decision;

/* From paths that are wanted to those that are integrated: failed ones are made up for, and blocks are
   whole. */
static void enlarge(const cas_run_state *r, const mlmc_study *v, const cas_mlmc *m, decision *d) {
  bool more = false;
  for (int l = 0; l < v->aim.max_levels; l++) {
    int64_t has = v->hierarchy.level[l].paths, most = cas_round_up_to_blocks(r, v->aim.max_paths),
            failed = l < m->levels ? has - m->paths[l] : 0,
            n = d->paths[l] > 0 ? cas_round_up_to_blocks(r, d->paths[l] + failed) : 0;
    d->paths[l] = n < most ? n : most;
    more |= d->paths[l] > has;
  }
  if (!more)
    d->last = CAS_MLMC_PATHS;
  else if (v->hierarchy.rounds >= CAS_ROUNDS_MAX - 1) /* the last is for plain paths */
    d->last = CAS_MLMC_ROUNDS;
}

/* Rank 0. */
static void decide(const cas_run_state *r, const mlmc_study *v, const cas_mlmc *m, decision *d) {
  d->last = cas_mlmc_decide(m, &v->aim, d->paths);
  if (d->last == CAS_MLMC_MORE)
    enlarge(r, v, m, d);
}

/* One round, and what it leads to: the same on every rank. *m and *total on rank 0. */
static cas_status advance(cas_multilevel_run *c, mlmc_study *v, cas_summary **total, cas_mlmc **m,
                          decision *d, cas_error *err) {
  double seconds[CAS_LEVELS_MAX];
  cas_status st = cas_multilevel_round(c, total, err);
  if (st)
    return st;
  cas_multilevel_seconds(c, seconds);
  *d = (decision){0};
  if (c->run->rank == 0) {
    st = cas_mlmc_measure(c, &v->aim, *total, m, err);
    if (!st && v->hierarchy.rounds == 1)
      v->forecast = cas_mlmc_foresee(c, &v->aim, *m, seconds);
    if (!st)
      decide(c->run, v, *m, d);
  }
  st = cas_agree(st, c->run->comm, err);
  MPI_Bcast(d, sizeof *d, MPI_BYTE, 0, c->run->comm);
  return st;
}

static void free_round(cas_summary **total, cas_mlmc **m) {
  free(*total);
  cas_mlmc_free(*m);
  *total = NULL;
  *m = NULL;
}

/* Rounds of levels until there is nothing more to do, and then the paths of the finest step alone. */
static cas_status run_rounds(cas_multilevel_run *c, mlmc_study *v, cas_summary **total,
                             cas_mlmc **m, cas_mlmc_decision *last, cas_error *err) {
  const mlmc_options *o = c->run->options;
  cas_hierarchy *l = &v->hierarchy;
  int plain = l->levels - 1;
  for (;;) {
    decision d;
    cas_hierarchy_plan_plain(&v->steps, cas_mlmc_levels(l) - 1, l);
    cas_status st = advance(c, v, total, m, &d, err);
    *last = d.last;
    if (st || (d.last != CAS_MLMC_MORE && l->level[plain].paths >= o->plain_paths))
      return st;
    if (d.last != CAS_MLMC_MORE)
      d.paths[plain] = o->plain_paths;
    free_round(total, m);
    st = cas_hierarchy_extend(c->run, l, d.paths, "study.max_paths", err);
    if (st)
      return st;
  }
}

static cas_status finish(const cas_multilevel_run *c, const mlmc_study *v, cas_summary *total,
                         cas_mlmc *m, cas_mlmc_decision last, const double *seconds,
                         cas_results *out, cas_error *err) {
  cas_status st = cas_mlmc_results(c, total, seconds, &v->forecast, m, out, err);
  if (st)
    return st;
  cas_mlmc_conclude(m, &v->aim, last);
  cas_failures_bound(c->run, out);
  return cas_results_write(out, c->run->file, err);
}

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  mlmc_study *v = r->prepared;
  cas_summary *total = NULL;
  cas_mlmc *m = NULL;
  cas_mlmc_decision last;
  cas_multilevel_run multilevel;
  double seconds[CAS_LEVELS_MAX];
  r->plan = v->steps;
  cas_status st = cas_multilevel_begin(r, &v->hierarchy, &multilevel, err);
  multilevel.store = store;
  multilevel.context = v;
  load_forecast(r, v);
  if (!st)
    st = run_rounds(&multilevel, v, &total, &m, &last, err);
  if (!st)
    cas_multilevel_seconds(&multilevel, seconds);
  if (!st && r->rank == 0)
    st = finish(&multilevel, v, total, m, last, seconds, out, err);
  else
    cas_mlmc_free(m);
  free(total);
  cas_multilevel_end(&multilevel);
  return cas_agree(st, r->comm, err);
}

extern const cas_study cas_study_mlmc;
const cas_study cas_study_mlmc = {
    .name = "mlmc",
    .summary = "multilevel Monte Carlo: an expectation to a stated root-mean-square error, with as "
               "many levels and paths as that needs",
    .options = options,
    .options_size = sizeof(mlmc_options),
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
