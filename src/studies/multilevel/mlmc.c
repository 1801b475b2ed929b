/* Multilevel Monte Carlo: E phi(X_T) to a stated root-mean-square error, or the best one within a
   budget, with levels and paths chosen on the way (Giles, Operations Research 56, 2008; Acta
   Numerica 24, 2015). What to do next depends on sums and counts only, which are bitwise the same
   on any number of ranks, never on a clock; but a budget in seconds becomes work once. */
#include "base/text.h"
#include "engine/outcome.h"
#include "engine/study/failures.h"
#include "studies/multilevel/multilevel_run.h"

#include <math.h>

/* Least paths of a pilot: fewer often have such small variances that the error seems reached. */
enum { PILOT_LEAST = 16 };

typedef struct {
  cas_hierarchy_options hierarchy;
  double epsilon, theta;
  char *budget;
  int64_t min_levels, max_levels, pilot_paths, max_paths, plain_paths;
} mlmc_options;

static const cas_option options[] = {
    CAS_OPTION(
        mlmc_options, REAL, epsilon, .fallback = "", .open_low = true, .high = 1e300,
        .help =
            "root-mean-square error that the estimate of the first functional shall have, in its "
            "unit: (variance + bias^2)^1/2"),
    CAS_OPTION(mlmc_options, STRING, budget, .fallback = "",
               .help =
                   "instead of epsilon: the work of all levels, in fixed-point iterations (1e9), "
                   "or the time of all cores (2h), which becomes work by a measurement; the "
                   "error shall be the best that it buys"),
    CAS_OPTION(cas_hierarchy_options, FORMULAS, functionals,
               .help =
                   "test functions of the system: the first decides on levels and paths, all are "
                   "estimated"),
    {.type = CAS_INCLUDE, .section = cas_span_options},
    {.type = CAS_INCLUDE, .section = cas_span_size_options},
    CAS_OPTION(mlmc_options, INT, min_levels, .fallback = "3", .low = 2,
               .high = CAS_PLAN_LEVELS_MAX - 1,
               .help = "number of levels at the start, including level 0"),
    CAS_OPTION(mlmc_options, INT, max_levels, .fallback = "", .low = 2,
               .high = CAS_PLAN_LEVELS_MAX - 1,
               .help = "largest number of levels; default 12, or all that refine lists"),
    CAS_OPTION(mlmc_options, INT, pilot_paths, .fallback = "512", .low = PILOT_LEAST, .high = 1e15,
               .help = "number of paths of every level at the start (in whole blocks)"),
    CAS_OPTION(mlmc_options, INT, max_paths, .fallback = "", .low = PILOT_LEAST, .high = 1e15,
               .help = "largest number of paths of a level (in whole blocks); default 1000000000, "
                       "or the number for which the generator has streams"),
    CAS_OPTION(mlmc_options, REAL, theta, .fallback = "0.25", .open_low = true, .high = 0.99,
               .help =
                   "share of epsilon^2 that the squared bias may have; the variance has the rest"),
    {.type = CAS_INCLUDE, .section = cas_hierarchy_coupling_options},
    CAS_OPTION(
        mlmc_options, INT, plain_paths, .fallback = "0", .high = 1e15,
        .help =
            "in the end, paths of the finest step alone, on streams of their own, to measure what "
            "plain Monte Carlo costs; 0: it is predicted from the levels"),
    {0}};

/* What a pilot has foreseen of an epsilon, and a checkpoint keeps. Zeroed: nothing yet. */
typedef struct {
  double work, seconds; /* of all cores; NaN if not measured */
  int64_t levels;       /* 0: nothing is foreseen */
  /* Of a budget in seconds: the work that rounds may do, and the work a second by which it was
     found; 0: not yet, rounds are for measuring it */
  double budget, speed;
} forecast;

typedef struct {
  cas_hierarchy hierarchy;
  cas_mlmc_aim aim;
  double seconds; /* of the budget; 0: it is given in work, or not at all */
  forecast forecast;
  cas_multilevel *estimate; /* owned: of the rounds so far; rank 0 */
  cas_finding last;
} mlmc_study;

/* ---- checking ---- */

static cas_status check_levels(cas_study_run *r, cas_hierarchy *h, cas_error *err) {
  mlmc_options *o = r->options;
  char finest[40];
  if (!o->max_levels && !o->hierarchy.span.sizes.n)
    o->max_levels = 12;
  CAS_CALL(cas_span_sizes(r, &o->hierarchy.span, "study.max_levels", 0, &o->max_levels, err));
  if (r->problem.sizes && !cas_config_has(r->config, "study.min_levels") &&
      o->min_levels > o->max_levels)
    o->min_levels = o->max_levels;
  snprintf(finest, sizeof finest, "finest of %lld levels", (long long)o->max_levels);
  CAS_CALL(cas_hierarchy_check(r, (int)o->max_levels, finest, h, err));
  const bool too_few = o->max_levels < o->min_levels;
  CAS_REFUSE(r->config, too_few && cas_config_has(r->config, "study.max_levels"),
             "study.max_levels", "found %lld, must be at least min_levels, %lld",
             (long long)o->max_levels, (long long)o->min_levels);
  CAS_REFUSE(r->config, too_few, "study.min_levels",
             "found %lld, must be at most the number of levels, %lld", (long long)o->min_levels,
             (long long)o->max_levels);
  return CAS_OK;
}

/* One of an epsilon and a budget, which is a number, or a duration with a unit. */
static cas_status check_budget(const cas_study_run *r, mlmc_study *v, cas_error *err) {
  const mlmc_options *o = r->options;
  double value = 0;
  CAS_REFUSE(r->config, (o->epsilon > 0) == (o->budget != NULL), "study",
             o->budget ? "found both epsilon and budget (--set study.epsilon=null "
                         "takes it away), must have one"
                       : "found neither epsilon nor budget, must have one: an error "
                         "to reach, or work or core time to spend");
  if (!o->budget)
    return CAS_OK;
  CAS_REFUSE(r->config, cas_parse_duration(o->budget, &value) || !(value > 0), "study.budget",
             "found '%s', must be a number greater than 0 of fixed-point iterations, "
             "such as 1e9, or a time of cores with its unit, such as 90s or 3h50m",
             o->budget);
  *(strpbrk(o->budget, "dhms") ? &v->seconds : &v->aim.budget) = value;
  return CAS_OK;
}

static cas_status too_many(const cas_study_run *r, const char *key, int64_t n, int64_t streams,
                           cas_error *err) {
  return cas_config_fail(r->config, err, key,
                         "found %lld, but generator %s has streams for %lld paths a level only; "
                         "threefry has more",
                         (long long)n, r->problem.noise.generator->name, (long long)streams);
}

static cas_status check_paths(const cas_study_run *r, mlmc_options *o, cas_error *err) {
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
  CAS_REFUSE(r->config, o->pilot_paths > o->max_paths, "study.pilot_paths",
             "found %lld, must be at most max_paths, %lld", (long long)o->pilot_paths,
             (long long)o->max_paths);
  return CAS_OK;
}

/* ---- planning ---- */

static cas_status prepare(cas_study_run *r, cas_error *err) {
  mlmc_options *o = r->options;
  mlmc_study *v = r->prepared;
  CAS_CALL(check_levels(r, &v->hierarchy, err));
  CAS_CALL(check_paths(r, o, err));
  /* The plan of a dry run, the same as of the pilot: the first min_levels step sizes. */
  const int levels = (int)o->min_levels;
  r->plan = v->hierarchy.steps;
  r->plan.levels = levels;
  for (int j = 0; j < levels; j++)
    r->plan.ratio[j] /= v->hierarchy.steps.ratio[levels - 1];
  r->plan.grid = r->plan.ratio[0];
  r->plan.steps /= v->hierarchy.steps.ratio[levels - 1];
  v->aim = (cas_mlmc_aim){
      .epsilon = o->epsilon,
      .theta = o->theta,
      .lanes = r->problem.W,
      .max_levels = (int)o->max_levels,
      .pilot = o->pilot_paths,
      .max_paths = o->max_paths,
      .step = r->problem.sizes ? v->hierarchy.steps.resolution : v->hierarchy.steps.h,
      .commuting = o->hierarchy.span.refinement == 1 || cas_problem_commuting(&r->problem),
      .sized = r->problem.sizes,
      .exact = cas_problem_is_exact(&r->problem)};
  CAS_CALL(check_budget(r, v, err));
  v->hierarchy.path_stride = cas_hierarchy_path_stride(
      cas_hierarchy_round_up(r, o->max_paths > o->plain_paths ? o->max_paths : o->plain_paths));
  cas_hierarchy_plan_rounds(r, &v->hierarchy);
  int64_t paths[CAS_PLAN_LEVELS_MAX] = {0};
  for (int k = 0; k < o->min_levels; k++)
    paths[k] = cas_hierarchy_round_up(r, o->pilot_paths);
  CAS_CALL(cas_hierarchy_extend(r, &v->hierarchy, paths, "study.pilot_paths", err));
  const double steps = cas_hierarchy_path_steps(r);
  CAS_REFUSE(r->config, v->seconds <= 0 && v->aim.budget > 0 && steps > v->aim.budget,
             "study.budget",
             "found %s, but the pilot takes work of %.4g at least, an iteration a "
             "step; raise it, or lower study.pilot_paths or study.min_levels",
             o->budget, steps);
  return CAS_OK;
}

static void release(cas_study_run *r) {
  cas_table_delete(&cas_table_mlmc, ((mlmc_study *)r->prepared)->estimate);
}

static void describe(FILE *f, const cas_study_run *r) {
  const cas_hierarchy *h = r->prepared;
  for (int k = 0; k < cas_hierarchy_used_levels(h); k++) {
    char step[64];
    fprintf(f, "  level %d, h = %s: %lld paths of %.0f steps; path p is --only-path %lld + p\n", k,
            cas_plan_level_text(&r->problem, &h->steps, k, step), (long long)h->level[k].paths,
            cas_study_plan_steps(&h->level[k].plan, NULL, NULL), (long long)h->level[k].first_path);
  }
  fprintf(f,
          "  this is the pilot, and so is the time below; %s then decides how many paths and "
          "levels follow\n",
          h->functionals.observable[0].name);
  cas_hierarchy_warn(f, r);
}

/* ---- moments of levels, and what they cost ---- */

static void fill_plain(const cas_multilevel_run *c, int i, cas_multilevel *m) {
  cas_curve *f = &m->functional[i];
  const cas_level_moments r = cas_multilevel_moments(c, c->hierarchy->levels - 1, i);
  m->plain.paths = (int64_t)r.paths;
  if (r.paths < 1)
    return;
  m->plain.path_work = r.iterations;
  f->estimate.plain.mean = r.mean;
  f->estimate.plain.variance = r.variance;
  f->estimate.plain.standard_error = sqrt(r.variance / r.paths);
}

static void fill_functional(const cas_multilevel_run *c, const cas_mlmc_aim *aim, int i,
                            cas_multilevel *m) {
  const cas_observable *phi = &c->hierarchy->functionals.observable[i];
  cas_curve *f = &m->functional[i];
  snprintf(f->name, sizeof f->name, "%s", phi->name);
  snprintf(f->unit, sizeof f->unit, "%s", phi->unit);
  f->expected_order = cas_span_order_of(c->run, cas_observable_order(phi, &c->run->problem));
  for (int l = 0; l < m->levels; l++) {
    const cas_level_moments r = cas_multilevel_moments(c, l, i);
    /* Levels sum the coarser path minus the finer one; Y_l, but for Y_0, has the other sign. */
    double sign = l > 0 ? -1 : 1;
    f->difference.value[l] = sign * r.mean;
    /* Of an event whose paths all agree it is no smaller than if one of them did not: else a
       probability that the pilot does not see would have no error. */
    f->coupled.variance[l] = aim->exact              ? 0
                             : phi->formula.is_event ? fmax(r.variance, 1 / r.paths)
                                                     : r.variance;
    f->coupled.kurtosis[l] = r.kurtosis;
    f->coupled.pair.mean[l] = sign * r.pair_mean;
    f->coupled.pair.variance[l] = aim->exact ? 0 : r.pair_variance;
    f->coupled.fine.mean[l] = r.fine_mean;
    f->coupled.fine.variance[l] = aim->exact ? 0 : r.fine_variance;
    f->mean.value[l] = l > 0 ? r.coarse_mean : NAN;
    f->coupled.coarse_variance[l] = l == 0 ? NAN : aim->exact ? 0 : r.coarse_variance;
    m->paths[l] = (int64_t)r.paths;
    m->work[l] = r.iterations;
    m->fine_work[l] = r.fine_iterations;
  }
  fill_plain(c, i, m);
}

/* The moments of all levels from the sums of all rounds, assessed. */
static cas_status measure(const cas_multilevel_run *c, mlmc_study *v, cas_error *err) {
  const cas_hierarchy *l = &v->hierarchy;
  /* The number of rounds of each level; plain paths are no level here. */
  const int levels = cas_hierarchy_used_levels(l),
            rounds = l->rounds - (l->level[l->levels - 1].paths > 0);
  cas_table_delete(&cas_table_mlmc, v->estimate);
  cas_multilevel *m = v->estimate = cas_table_new(
      &cas_table_mlmc, NULL, NULL,
      &(cas_multilevel){.levels = levels, .functionals = l->functionals.n, .rounds = rounds}, err);
  CAS_NEED(m);
  m->epsilon = v->aim.epsilon;
  m->theta = v->aim.theta;
  snprintf(m->coupling, sizeof m->coupling, "%s", cas_hierarchy_coupling(c->run));
  for (int k = 0; k < levels; k++)
    m->steps[k] = cas_study_plan_steps(&l->level[k].plan, NULL, NULL);
  for (int i = 0; i < rounds; i++)
    memcpy(m->round + i * levels, l->round[i].paths, (size_t)levels * sizeof *m->round);
  for (int i = 0; i < l->functionals.n; i++)
    fill_functional(c, &v->aim, i, m);
  cas_mlmc_assess(m, &v->aim);
  return CAS_OK;
}

/* ---- cost ---- */

/* What the pilot foresees of an epsilon. Says so where that is out of reach. */
static void foresee(const cas_multilevel_run *c, mlmc_study *v) {
  const cas_multilevel *m = v->estimate;
  char duration[32];
  cas_finding limit;
  int levels;
  int64_t paths[CAS_PLAN_LEVELS_MAX];
  double path = 0, all = 0, growth = isfinite(m->cost_growth) ? m->cost_growth : 1,
         more = exp2(growth * log2(v->aim.step[0] / v->aim.step[1]));
  v->forecast.work = cas_mlmc_predict(m, &v->aim, &levels, paths, &limit);
  for (int l = 0; l < levels; l++) {
    path = l < m->levels ? c->total_seconds[l] / (double)m->paths[l] : path * more;
    all += (double)paths[l] * path;
  }
  v->forecast.levels = levels;
  v->forecast.seconds = all;
  cas_text_duration(duration, sizeof duration, all);
  if (limit != CAS_FINDINGS_END)
    cas_study_notice(c->state,
                     "by the pilot, study.epsilon = %.4g takes more %s: the run takes about %s of "
                     "core time and will not reach it.",
                     v->aim.epsilon,
                     limit == CAS_PATH_LIMIT ? "paths than study.max_paths of a level"
                                             : "levels than study.max_levels",
                     duration);
}

static double sum_of_levels(const cas_multilevel *m, const double *seconds) {
  double sum = 0;
  for (int l = 0; l < m->levels; l++)
    sum += seconds[l];
  return sum;
}

/* Turns a budget in seconds into work once a sixteenth of it is measured, or `now`; until then the
   budget is what the next round may take. Work has three digits, so that a configuration can state
   it exactly, and is no less than earlier rounds could take, so that it gives the same rounds. */
static void turn_into_work(mlmc_study *v, const double *seconds, bool now) {
  const cas_multilevel *m = v->estimate;
  forecast *f = &v->forecast;
  const double enough = 1. / 16, spent = fmax(sum_of_levels(m, seconds), 1e-9);
  if (f->speed <= 0 && spent < enough * v->seconds && !now) {
    f->budget = 4 * m->total_work;
  } else if (f->speed <= 0) {
    f->speed = m->total_work / spent;
    const double work = fmax(f->speed * v->seconds, f->budget),
                 unit = pow(10, fmax(floor(log10(work)) - 2, 0));
    f->budget = unit * ceil(work / unit);
  }
  v->aim.budget = f->budget;
}

/* ---- rounds ---- */

/* Makes of wanted paths the ones to integrate: failed ones are replaced, and blocks are whole. */
static void enlarge(const cas_study_run *r, mlmc_study *v, cas_multilevel_decision *d) {
  for (int l = 0; l < v->aim.max_levels; l++) {
    int64_t has = v->hierarchy.level[l].paths, most = cas_hierarchy_round_up(r, v->aim.max_paths),
            failed = l < v->estimate->levels ? has - v->estimate->paths[l] : 0,
            n = d->paths[l] > 0 ? cas_hierarchy_round_up(r, d->paths[l] + failed) : 0;
    d->paths[l] = n < most ? n : most;
    d->more |= d->paths[l] > has;
  }
  if (!d->more)
    v->last = CAS_PATH_LIMIT;
  else if (v->hierarchy.rounds >= CAS_ROUNDS_MAX - 1) /* the last is for plain paths */
    v->last = CAS_ROUND_LIMIT;
}

/* The decision on the levels, for which a budget in seconds is turned into work when it is time. */
static void decide_levels(const cas_multilevel_run *c, mlmc_study *v, int64_t *paths) {
  const bool timed = v->seconds > 0;
  for (int end = 0; end <= timed; end++) {
    if (timed)
      turn_into_work(v, c->total_seconds, end);
    v->last = cas_mlmc_decide(v->estimate, &v->aim, paths);
    if (v->last == CAS_FINDINGS_END || v->forecast.speed > 0)
      break;
  }
  if (!v->aim.budget && v->hierarchy.rounds == 1)
    foresee(c, v);
}

/* Rounds of levels until nothing more is to be done, then the paths of the finest step alone. */
static cas_status decide(cas_multilevel_run *c, cas_multilevel_decision *d, cas_error *err) {
  mlmc_study *v = c->run->prepared;
  const mlmc_options *o = c->run->options;
  const int plain = v->hierarchy.levels - 1;
  CAS_CALL(measure(c, v, err));
  decide_levels(c, v, d->paths);
  if (v->last == CAS_FINDINGS_END)
    enlarge(c->run, v, d);
  if (v->last != CAS_FINDINGS_END) {
    d->more = v->hierarchy.level[plain].paths < o->plain_paths;
    d->paths[plain] = o->plain_paths;
  }
  return CAS_OK;
}

static cas_status conclude(cas_multilevel_run *c, cas_results *out, cas_error *err) {
  mlmc_study *v = c->run->prepared;
  const forecast *f = &v->forecast;
  const cas_health *h = &out->health;
  cas_multilevel *m = v->estimate;
  double of_sum;
  v->estimate = NULL;
  CAS_CALL(cas_results_add(out, &cas_table_mlmc, m, err));
  c->run->plan.levels = m->levels;
  if (f->levels > 0) {
    m->predicted.work = f->work;
    m->predicted.levels = (int)f->levels;
    m->predicted.seconds = f->seconds;
  }
  if (f->speed > 0)
    m->speed = f->speed;
  m->seconds = sum_of_levels(m, c->total_seconds);
  if (m->plain.paths > 0)
    m->plain.seconds = c->total_seconds[c->hierarchy->levels - 1];
  CAS_CALL(cas_outcome_fill(c->state, c->shape, c->total, out, err));
  if (v->seconds > 0)
    m->budget_seconds = v->seconds;
  cas_mlmc_conclude(m, &v->aim, v->last);
  cas_failures_level_share(c->run, h, m->levels, m->paths, &of_sum);
  for (int i = 0; i < m->functionals; i++) {
    cas_curve *d = &m->functional[i];
    d->bias_bound = cas_failures_difference_bound(c->run, of_sum, d->name, d->difference.value + 1,
                                                  m->levels - 1);
    d->findings |= cas_failures_find(h, c->run->paths);
    cas_failures_unreach(h, &m->reached, &d->findings);
  }
  return CAS_OK;
}

static const cas_multilevel_study rounds = {
    .key = "study.max_paths",
    .decide = decide,
    .conclude = conclude,
    .kept = {"forecast", offsetof(mlmc_study, forecast), sizeof(forecast)}};

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  return cas_multilevel_compute(r, &rounds, out, err);
}

static cas_status check(const cas_results *out, cas_error *err) {
  const cas_multilevel *m = cas_results_mlmc(out);
  char text[CAS_FINDINGS_TEXT];
  const bool budgeted = !isnan(m->budget),
             timed = m->budget_seconds > 0 &&
                     (m->total_work <= m->budget || m->seconds > m->budget_seconds);
  if (m->reached)
    return CAS_OK;
  cas_findings_say(cas_findings_limits(m->functional[0].findings), text);
  return cas_fail(err, CAS_CHECK_FAILED, "%s = %.4g%s %s: root-mean-square error %.2e; %s.",
                  budgeted ? "budget" : "epsilon",
                  timed      ? m->budget_seconds
                  : budgeted ? m->budget
                             : m->epsilon,
                  timed ? " s of core time" : "",
                  !budgeted                   ? "NOT REACHED"
                  : m->total_work > m->budget ? "NOT KEPT"
                                              : "kept, but NOT FOR THE BEST ERROR",
                  m->functional[0].estimate.total_error, text);
}

const cas_study cas_study_mlmc = {
    .name = "mlmc",
    .summary = "multilevel Monte Carlo: an expectation to a prescribed root-mean-square error, "
               "or the best within a budget, with levels and paths chosen automatically",
    .options = {options, sizeof(mlmc_options), sizeof(mlmc_study)},
    .defaults = {.truncation = 4},
    .prepare = prepare,
    .run = run,
    .check = check,
    .release = release,
    .costs = &(const cas_study_costs){CAS_HIERARCHY_COSTS, .describe = describe},
};
