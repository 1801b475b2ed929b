/* Values of functionals and observables lie within the ranges that they declare, by which paths
   that fail are bounded. */
/* ranks: 1 */
/* needs: sprng */
/* lane: slow */
#include "pass_fixture.h"

static const char *const parameters[][2] = {
    {"rigid_body", "inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 2}, initial: [0.3, 0.5, "
                   "-1.7]"},
    {"heavy_top",
     "inertia: [2, 1, 0.5], mga: [1, 0, 0.5], noise: {pi: [[2, 0, 0], [0, 2, 0], [0, 0, "
     "2]]}"},
    {"euler_zeitlin", "N: 4, noise: {amplitude: 9}, initial: {random: {seed: 1, norm: 3}}"},
    {"sine_euler", "N: 3, noise: {amplitude: 2, modes: [[1, 1], [0, 1]]}, initial: {random: {seed: "
                   "1, norm: 3}}"},
    {"manakov", "n: 4, noise: {sigma: 2}, initial: {random: {seed: 1, norm: 2}}"},
    {"point_vortices", "gamma: [1, 2, -1], noise: {sigma: 2}, initial: [[1, 0, 0], [0, 1, 0], [0, "
                       "0, 1]]"},
};

/* A thousand paths that noise has driven all over the orbit. */
static void check_ranges(const cas_system *s, const char *more, const cas_functional *list) {
  for (; list->name; list++) {
    if (!list->range)
      continue;
    double range[2];
    cas_results r;
    cas_error err;
    size_t row = 0;
    while (row < sizeof parameters / sizeof *parameters && strcmp(parameters[row][0], s->name) != 0)
      row++;
    ck_assert_msg(row < sizeof parameters / sizeof *parameters, "%s is not in this test", s->name);
    const char *system = formatted("system: {name: %s, %s%s}\n", s->name, parameters[row][1], more);
    const cas_problem *p = &pass_of(1, 1, "%s", system)->problem;
    list->range(p->parameters.all, p->initial.x0, range);
    const cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                                   "%sstudy: {kind: ensemble, step: 2^-8, steps: 100, times: "
                                   "[0.390625], paths: %d, observables: [%s]}\n",
                                   system, looks_for_accesses() ? 64 : 1000, list->name);
    ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s: %s", s->name, err.text);
    const cas_ensemble_observable *o = &cas_results_ensemble(&r)->observable[0];
    const double slack = 1e-12 * fmax(fabs(range[0]), fabs(range[1]));
    for (int i = 0; i < o->numbers; i++)
      ck_assert_msg(isfinite(slack) && isfinite(o->mean.value[i]) &&
                        o->minimum[i] >= range[0] - slack && o->maximum[i] <= range[1] + slack,
                    "%s %s: from %g to %g, not within %g to %g", s->name, list->name, o->minimum[i],
                    o->maximum[i], range[0], range[1]);
  }
}

TEST_OVER(values_lie_within_their_ranges, count_systems() + 1) {
  const bool turns = _i == count_systems();
  const cas_system *s = turns ? cas_system_find("euler_zeitlin") : cas_kernels_get()->systems[_i];
  check_ranges(s, turns ? ", rotation: 0.7" : "", s->functionals);
  check_ranges(s, turns ? ", rotation: 0.7" : "", s->observables);
}

RUN_TESTS_WITH_MPI
