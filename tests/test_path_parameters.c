/* Components that are parameters of their paths, because their brackets vanish: turning about an
   axis at rates that differ from path to path, whose states are known exactly. */
/* ranks: 1 2 */
#include "array_fixture.h"
#include "study_fixture.h"

enum { PATHS = 2000, NUMBERS = 4 };

#define TURNING                                                                                 \
  "system: {name: lie_poisson, algebra: brackets, components: [x1, x2, x3, a], brackets: {x1 "  \
  "x2: x3, x2 x3: x1, x3 x1: x2}, casimirs: [x1^2 + x2^2 + x3^2, a], hamiltonian: a*x3, %s "    \
  "initial: {file: states.h5, dataset: states, each: path}}\nintegrator: {name: munthe_kaas}\n" \
  "random: {generator: threefry, seed: 11}\n"

/* The rate of a path. */
static double rate(int path) { return 1 + 0.5 * sin(1.7 * path); }

/* x = (1, 0, 0) and a rate for each path. */
static void write_states(void) {
  const hsize_t dims[] = {PATHS, NUMBERS};
  double *state = calloc(PATHS * NUMBERS, sizeof *state);
  for (int p = 0; p < PATHS; p++) {
    state[NUMBERS * p] = 1;
    state[NUMBERS * p + 3] = rate(p);
  }
  write_array("states.h5", "states", 2, dims, state);
  free(state);
}

TEST(each_path_turns_at_its_rate) {
  write_states();
  run_well(NULL,
           TURNING "study: {kind: trajectory, step: 2^-4, steps: 16, every: 16, paths: %d, "
                   "observables: [x1, a]}\n",
           "", PATHS);
  series x = recorded_series("x1"), a = recorded_series("a");
  ck_assert(x.records == 2 && x.numbers == PATHS);
  for (int p = 0; p < PATHS; p++) {
    ck_assert(a.value[PATHS + p] == rate(p));
    ck_assert_msg(fabs(x.value[PATHS + p] - cos(rate(p))) <= 1e-13, "path %d: %.17g, not %.17g", p,
                  x.value[PATHS + p], cos(rate(p)));
  }
  cas_meet(MPI_COMM_WORLD);
}

/* The noise 0.5 x3 turns by 0.5 W besides: E x1 = exp(-1/8) times the mean over the rates. */
TEST(means_are_over_both) {
  double mean = 0;
  write_states();
  for (int p = 0; p < PATHS; p++)
    mean += exp(-0.125) * cos(rate(p)) / PATHS;
  const cas_results *r = results_of(TURNING "study: {kind: ensemble, step: 2^-4, steps: 16, times: "
                                            "[1], paths: %d, observables: [x1, casimir2]}\n",
                                    "noise: [0.5*x3],", PATHS);
  const cas_ensemble_observable *x = &cas_results_ensemble(r)->observable[0];
  ck_assert_msg(fabs(x->mean[0] - mean) <= 4.5 * x->standard_error[0] &&
                    x->standard_error[0] < 0.02,
                "%g +- %g, must be %g", x->mean[0], x->standard_error[0], mean);
}

RUN_TESTS_WITH_MPI
