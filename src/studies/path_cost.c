#include "studies/path_cost.h"
#include "base/clock.h"
#include "base/owned.h"
#include "engine/study/study.h"
#include "files/results/table.h"
#include "statistics/histogram.h"

#include <math.h>

enum { SAMPLES = 15, FEWEST = 3 };
/* The least time of a sample, where the path is long enough, and the most of all samples, unless
   three take longer. */
static const double sample_seconds = 2e-3, most_seconds = 0.2;

#define COLUMN(called, member, meaning, ...) \
  CAS_FIELD_COLUMN(cas_path_cost, REAL, called, member, 1, meaning, __VA_ARGS__)

const cas_table_kind cas_table_path_cost = {
    .group = "path_cost",
    .place = CAS_TABLE_ALONE,
    .size = sizeof(cas_path_cost),
    .columns = CAS_FIELDS(
        COLUMN("evaluations", evaluations, "mean evaluations of all gradients on a path", "1"),
        COLUMN("seconds", seconds, "measured time of a path on one core in a full block, median",
               "s", .low = "seconds_low", .high = "seconds_high"),
        COLUMN("seconds_low", seconds_low, "its lower quartile over measurements", "s"),
        COLUMN("seconds_high", seconds_high, "its upper quartile over measurements", "s")),
    .levels = offsetof(cas_path_cost, levels),
};

static cas_status time_steps(cas_pass *s, cas_pass_plan *plan, int64_t steps, double *seconds,
                             cas_error *err) {
  plan->steps = plan->grid = steps;
  double begin = cas_clock_process(); /* others' time is no cost of a path */
  CAS_CALL(cas_pass_run(s, 0, NULL, NULL, err));
  *seconds = cas_clock_process() - begin;
  return CAS_OK;
}

/* Seconds a step and path, ascending: more steps at a time until a sample is long enough. */
static cas_status sample(cas_pass *s, cas_pass_plan *plan, int64_t most_steps,
                         double seconds[SAMPLES], int *samples, cas_error *err) {
  int64_t steps = 1;
  double spent = 0, all = 0;
  CAS_CALL(time_steps(s, plan, steps, &spent, err));
  while (spent < sample_seconds && steps < most_steps) {
    steps = 2 * steps < most_steps ? 2 * steps : most_steps;
    CAS_CALL(time_steps(s, plan, steps, &spent, err));
  }
  for (*samples = 0; *samples < SAMPLES && (*samples < FEWEST || all < most_seconds); ++*samples) {
    CAS_CALL(time_steps(s, plan, steps, &spent, err));
    seconds[*samples] = spent / (double)steps / s->problem->W;
    all += spent;
  }
  cas_histogram_sort(seconds, *samples);
  return CAS_OK;
}

static cas_status measure(const cas_study_run *r, int level, cas_path_cost *c, cas_error *err) {
  const int64_t steps = r->plan.steps / r->plan.ratio[level];
  cas_pass_plan plan =
      (cas_pass_plan){.levels = 1,
                      .h = {r->plan.h[level]},
                      .ratio = {1},
                      .size = {r->plan.size[level]},
                      .reference = r->plan.reference && level == r->plan.levels - 1,
                      .steps = 1,
                      .grid = 1};
  CAS_OWNED_BY(cas_pass_free) cas_pass pass = {0};
  double seconds[SAMPLES];
  int n = 0;
  CAS_CALL(cas_pass_create(&r->problem, &plan, &pass, err));
  CAS_CALL(sample(&pass, &plan, steps, seconds, &n, err));
  c->seconds[level] = (double)steps * seconds[n / 2];
  c->seconds_low[level] = (double)steps * seconds[n / 4];
  c->seconds_high[level] = (double)steps * seconds[n - 1 - n / 4];
  return CAS_OK;
}

static double evaluations(const cas_study_run *r, const cas_health *h, int level) {
  const cas_integrator *i = cas_pass_scheme(&r->problem, &r->plan, level).integrator;
  const double steps = (double)h->steps_taken[level],
               iterations = steps > 0 ? (double)h->iterations[level] / steps : NAN;
  return (i->evaluations.step + i->evaluations.iteration * iterations) *
         (double)(r->plan.steps / r->plan.ratio[level]);
}

cas_status cas_path_cost_add(const cas_study_run *r, cas_results *out, cas_error *err) {
  cas_path_cost *c = cas_table_create(out, &cas_table_path_cost, NULL, NULL,
                                      &(cas_path_cost){.levels = r->plan.levels - 1}, err);
  CAS_NEED(c);
  for (int level = 0; level <= c->levels; level++) {
    c->evaluations[level] = evaluations(r, &out->health, level);
    CAS_CALL(measure(r, level, c, err));
  }
  return CAS_OK;
}
