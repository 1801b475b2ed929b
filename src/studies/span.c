#include "studies/span.h"
#include "base/count.h"
#include "statistics/fit_impl.h"

#include <math.h>

const cas_option cas_span_options[] = {
    CAS_OPTION(cas_span, STEP, coarsest_step, .high = 1e300, .open_low = true,
               .help = "step size of level 0, the coarsest; level l has this / refinement^l"),
    CAS_OPTION(cas_span, INT, coarsest_steps, .fallback = "", .low = 1, .high = 1e15,
               .help = "steps of level 0; horizon = coarsest_step times this"),
    CAS_OPTION(cas_span, REAL, horizon, .fallback = "", .open_low = true, .high = 1e300,
               .help = "instead of coarsest_steps: final time, a multiple of the coarsest step"),
    CAS_OPTION(
        cas_span, INT, refinement, .fallback = "2", .low = 1, .high = 1e6,
        .help = "steps of a level in one of the next coarser level; beside refine the default is "
                "1: all levels have one step size"),
    {0}};

static const cas_option size_options[] = {
    {.key = "N",
     .type = CAS_INTS,
     .offset = offsetof(cas_span, sizes),
     .low = 1,
     .high = 1 << 20,
     .help = "of every level, ascending; the last is system.N"},
    {0}};

const cas_option cas_span_size_options[] = {
    {.key = "refine",
     .type = CAS_SECTION,
     .fallback = "",
     .section = size_options,
     .help = "levels of several sizes of a fluid on the same path: errors and orders in N^-2, or, "
             "with smaller steps at larger N, in the step"},
    {0}};

const cas_option cas_time_span_options[] = {
    CAS_OPTION(cas_time_span, STEP, step, .help = "step size"),
    CAS_OPTION(cas_time_span, INT, steps, .fallback = "", .low = 1, .high = 1e15,
               .identity = CAS_MORE_STEPS, .help = "number of steps; horizon = step times this"),
    CAS_OPTION(cas_time_span, REAL, horizon, .fallback = "", .open_low = true, .high = 1e300,
               .help = "instead of steps: final time, a multiple of the step"),
    {0}};

/* A horizon and the steps to it, and what the configuration calls those. */
typedef struct {
  double step;
  int64_t *steps;
  double *horizon;
  const char *step_key, *steps_key, *horizon_key;
} to_horizon;

/* The most steps that the options allow. */
static const int64_t most_steps = INT64_C(1000000000000000);

static cas_status count_steps(const cas_study_run *r, const to_horizon *s, cas_error *err) {
  const char *steps = s->steps_key + strlen("study.");
  CAS_REFUSE(r->config, *s->steps > 0 && *s->horizon > 0, "study",
             "found both %s and horizon (--set %s=null takes it away), must have one", steps,
             s->steps_key);
  if (*s->steps > 0)
    return CAS_OK;
  CAS_REFUSE(r->config, !(*s->horizon > 0), "study", "found neither %s nor horizon, must have one",
             steps);
  const double n = *s->horizon / s->step, whole = nearbyint(n), most = (double)most_steps;
  char step[64];
  cas_step_format(s->step, step, sizeof step);
  CAS_REFUSE(r->config, !(n <= most), s->horizon_key,
             "found %.10g, which is %.3g steps of %s; must be at most %.10g, as no "
             "more than %g steps are taken, or %s larger",
             *s->horizon, n, step, s->step * most, most, s->step_key);
  const double below = fmax(floor(n), 1), above = fmax(ceil(n), below + 1);
  CAS_REFUSE(r->config,
             whole < 1 || fabs(n - whole) > 1e-9 * n ||
                 !cas_count_whole(whole, most_steps, s->steps),
             s->horizon_key,
             "found %.10g, which is no whole number of steps of %s; the nearest that "
             "are: %.10g (%g steps) and %.10g (%g steps)",
             *s->horizon, step, below * s->step, below, above * s->step, above);
  *s->horizon = 0; /* the effective configuration states one of the two */
  return CAS_OK;
}

cas_status cas_time_span_check(const cas_study_run *r, cas_time_span *s, cas_error *err) {
  const to_horizon h = {s->step,      &s->steps,     &s->horizon,
                        "study.step", "study.steps", "study.horizon"};
  CAS_CALL(cas_problem_check_step(r->config, &r->problem, "study.step", s->step, 1, err));
  return count_steps(r, &h, err);
}

cas_pass_plan cas_time_span_plan(const cas_time_span *s, int64_t grid) {
  return (cas_pass_plan){
      .levels = 1, .h = {s->step}, .ratio = {1}, .steps = s->steps, .grid = grid};
}

cas_status cas_time_span_step(const cas_study_run *r, const char *key, const cas_time_span *s,
                              double time, int64_t *at, cas_error *err) {
  double n = time / s->step, whole = nearbyint(n);
  char step[40];
  cas_step_format(s->step, step, sizeof step);
  CAS_REFUSE(r->config, whole > (double)s->steps, key,
             "found %.10g, must be at most %.10g = %lld steps", time, s->step * (double)s->steps,
             (long long)s->steps);
  CAS_REFUSE(r->config, fabs(n - whole) > 1e-9 * fmax(n, 1), key,
             "found %.10g, which is no whole number of steps of %s; the nearest "
             "that are: %.10g (%.0f steps) and %.10g (%.0f steps)",
             time, step, floor(n) * s->step, floor(n), ceil(n) * s->step, ceil(n));
  return cas_count_whole(whole, s->steps, at)
             ? CAS_OK
             : cas_config_fail(r->config, err, key, "found %.10g, must be a time", time);
}

cas_status cas_time_span_times(const cas_study_run *r, const cas_time_span *s,
                               const cas_reals *times, int64_t *at, cas_error *err) {
  for (int i = 0; i < times->n; i++) {
    CAS_CALL(cas_time_span_step(r, "study.times", s, times->value[i], &at[i], err));
    CAS_REFUSE(r->config, i > 0 && at[i] <= at[i - 1], "study.times",
               "found %.10g after %.10g, must ascend", times->value[i], times->value[i - 1]);
  }
  return CAS_OK;
}

/* refinement^refinements, exact where it can be counted. */
static double parts_of(const cas_span *s, int64_t refinements) {
  double parts = 1;
  for (int64_t i = 0; i < refinements; i++)
    parts *= (double)s->refinement;
  return parts;
}

/* The most steps of the finest level, which leaves room for sums over several levels. */
static const int64_t most_finest_steps = INT64_MAX >> 16;

cas_status cas_time_span_goes_on(const cas_run_state *r, int64_t records, const int64_t *at,
                                 cas_error *err) {
  for (int64_t i = 0; i < records; i++)
    if (at[i] == r->earlier.steps)
      return CAS_OK;
  return cas_config_fail(r->run.config, err, "study.times",
                         "the finished run has %lld steps, and its last time is before that: only "
                         "one that ends with a record takes more steps. Give another --output",
                         (long long)r->earlier.steps);
}

/* The power of the step size that N^-2 is if `refinement` steps are one of the level before. */
static double power_of_step(const int64_t *sizes, double refinement) {
  return 2 * log((double)sizes[1] / (double)sizes[0]) / log(refinement);
}

cas_status cas_span_sizes(cas_study_run *r, cas_span *s, const char *key, int more, int64_t *levels,
                          cas_error *err) {
  static const char sizes_key[] = "study.refine.N";
  const bool sized = s->sizes.n > 0;
  if (sized && !cas_config_has(r->config, "study.refinement"))
    s->refinement = 1;
  CAS_REFUSE(r->config, s->refinement == 1 && !sized, "study.refinement",
             "found 1, must be at least 2: levels differ by their step size");
  if (!sized)
    return *levels ? CAS_OK
                   : cas_config_fail(r->config, err, "study", "'%s' is missing",
                                     key + strlen("study."));
  CAS_REFUSE(r->config, !r->problem.system->sized, sizes_key,
             "system %s has one size: leave out study.refine", r->problem.system->name);
  if (!*levels)
    *levels = s->sizes.n - more;
  CAS_REFUSE(r->config, *levels != s->sizes.n - more, key,
             "found %lld, must be absent or %d: levels are those of %s", (long long)*levels,
             s->sizes.n - more, sizes_key);
  CAS_CALL(cas_sizes_create(r->config, sizes_key, &s->sizes, r->study->defaults.compensated,
                            r->comm, &r->problem, err));
  const double q = (double)s->sizes.value[1] / (double)s->sizes.value[0],
               power = power_of_step(s->sizes.value, (double)s->refinement);
  CAS_REFUSE(r->config, s->refinement > 1 && !(power > 0.9 && fabs(power - nearbyint(power)) < 0.1),
             "study.refinement",
             "found %lld, must be 1, %.0f or %.0f: N^-2 is then a whole power of the "
             "step size",
             (long long)s->refinement, q, q * q);
  return CAS_OK;
}

double cas_span_order_of(const cas_study_run *r, double order) {
  const cas_sizes *s = r->problem.sizes;
  if (!s || isnan(order))
    return order;
  const double of_size = r->problem.system->sized->order, steps = r->plan.h[0] / r->plan.h[1];
  return steps == 1 ? of_size : fmin(order, of_size * nearbyint(power_of_step(s->size, steps)));
}

const double *cas_span_resolution(const cas_study_run *r) {
  return r->problem.sizes ? r->plan.resolution : r->plan.h;
}

cas_status cas_span_check(const cas_study_run *r, cas_span *s, int64_t refinements,
                          const char *finest, cas_error *err) {
  const double parts = parts_of(s, refinements);
  int64_t whole;
  CAS_REFUSE(r->config, !cas_count_whole(parts, most_finest_steps, &whole), "study.refinement",
             "found %lld: one coarsest step has %lld^%lld steps of the %s, too many to "
             "count; must be a smaller number, or the %s less fine",
             (long long)s->refinement, (long long)s->refinement, (long long)refinements, finest,
             finest);
  /* first of all the step, by which a horizon is divided */
  CAS_CALL(cas_problem_check_step(r->config, &r->problem, "study.coarsest_step", s->coarsest_step,
                                  parts, err));
  const to_horizon h = {s->coarsest_step,      &s->coarsest_steps,     &s->horizon,
                        "study.coarsest_step", "study.coarsest_steps", "study.horizon"};
  CAS_CALL(count_steps(r, &h, err));
  const int64_t most = most_finest_steps / whole;
  const bool given = cas_config_has(r->config, "study.coarsest_steps");
  CAS_REFUSE(r->config, s->coarsest_steps > most, given ? "study.coarsest_steps" : "study.horizon",
             "found %lld%s, too many steps of the %s; must be at most %lld",
             (long long)s->coarsest_steps, given ? "" : " steps of study.coarsest_step", finest,
             (long long)most);
  return CAS_OK;
}

cas_pass_plan cas_span_plan(const cas_span *s, int levels, int refinements) {
  const int64_t all = (int64_t)parts_of(s, refinements);
  cas_pass_plan p = {.levels = levels + 1, .grid = all, .steps = s->coarsest_steps * all};
  for (int j = 0; j <= levels; j++) {
    double parts = parts_of(s, j < levels ? j : refinements);
    p.h[j] = s->coarsest_step / parts;
    p.ratio[j] = all / (int64_t)parts;
    if (s->sizes.n > 0) {
      p.size[j] = j;
      p.resolution[j] = s->refinement > 1 ? p.h[j] : pow((double)s->sizes.value[j], -2);
    }
  }
  return p;
}

void cas_span_put_order(const cas_study_run *r, int level, const double coarse[3],
                        const double fine[3], const cas_intervals *order) {
  const cas_pass_plan *p = &r->plan;
  const double reference = r->problem.reference.integrator ? 0 : p->h[p->levels - 1],
               ratio[] = {coarse[0] / fine[0], coarse[1] / fine[2], coarse[2] / fine[1]};
  double *const to[] = {order->value, order->low, order->high};
  for (int i = 0; i < 3; i++)
    to[i][level] =
        !(coarse[0] > 0 && fine[0] > 0)
            ? NAN
            : cas_fit_order_against(ratio[i], p->h[level], p->h[level + 1], reference, NULL);
}

void cas_span_probability_interval(const cas_study_run *r, const cas_observable *o, double mean,
                                   double paths, double *low, double *high) {
  *low = *high = NAN;
  if (o->formula.is_event && !cas_problem_is_exact(&r->problem) && paths > 0 && isfinite(mean))
    cas_probability_interval(llround(mean * paths), (int64_t)paths, 0.95, low, high);
}

/* ---- groups of paths ---- */

cas_status cas_span_path_groups(cas_study_run *r, int64_t groups, cas_error *err) {
  static const char key[] = "study.path_groups";
  const cas_observables *o = r->problem.study.observables;
  int single = 0; /* observables that are single numbers */
  r->path_groups = (int)groups;
  for (int i = 0; i < o->n; i++)
    single += !o->observable[i].axes;
  CAS_REFUSE(r->config, groups == 1, key,
             "found 1, must be 0 or at least 2: the error of a difference is that "
             "between groups");
  CAS_REFUSE(r->config, groups && !single, key,
             "found %d, must be 0 where no observable is a single number: runs are "
             "compared by those alone",
             r->path_groups);
  return CAS_OK;
}

cas_file_axis cas_span_path_group_axis(int groups) {
  return (cas_file_axis){.name = "path_group",
                         .long_name = "group of the paths p with p modulo the number of groups = "
                                      "path_group - 1",
                         .unit = "1",
                         .length = groups};
}

/* ---- probabilities of quantiles ---- */

const cas_option cas_span_probability_options[] = {{.key = "quantiles",
                                                    .type = CAS_REALS,
                                                    .fallback = "[0.05, 0.25, 0.5, 0.75, 0.95]",
                                                    .low = 0,
                                                    .high = 1,
                                                    .help = "probabilities, ascending"},
                                                   {0}};

cas_status cas_span_probabilities_check(const cas_study_run *r, const cas_reals *p,
                                        cas_error *err) {
  for (int i = 1; i < p->n; i++)
    CAS_REFUSE(r->config, p->value[i] <= p->value[i - 1], "study.quantiles",
               "found %.10g after %.10g, must ascend", p->value[i], p->value[i - 1]);
  return CAS_OK;
}
