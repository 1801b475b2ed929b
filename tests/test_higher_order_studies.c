/* Whole studies by steps of weak order 2 and with Levy's areas; test_higher_order.c has steps. */
/* ranks: 1 */
#include "studies/laws/weak_times.h"
#include "study_fixture.h"

/* Casimirs, attitudes and momentum maps are kept, and reports hold schemes to that. */
TEST(invariants_are_kept) {
  static const char *const keys[] = {"weak_order: 2", "areas: 3"};
  const cas_integrator *const *schemes = cas_kernels_get()->integrators;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int i = 0; schemes[i]; i++)
      for (int k = 0; k < 2; k++) {
        cas_results r;
        cas_error err;
        if (!fits(*s, schemes[i]) || (k == 0 ? !schemes[i]->symmetric : !(*s)->noise.take_areas))
          continue;
        cas_status st = run_text(
            MPI_COMM_WORLD, &r, &err,
            "system: {%s%s}\nintegrator: {name: %s, %s}\nrandom: {generator: threefry}\n"
            "study: {kind: ensemble, step: 2^-6, steps: %d, every: %d, paths: %d}\n",
            example_of(*s),
            strstr((*s)->example.keys, "initial") ? "" : ", initial: {random: {seed: 5, norm: 1}}",
            schemes[i]->name, keys[k], all_or(64, 16), all_or(64, 16), (*s)->blocks.lanes);
        if (st == CAS_BAD_INPUT && k == 1) {
          ck_assert_msg(strstr(err.text, "areas"), "%s", err.text);
          continue;
        }
        ck_assert_msg(!st, "%s, %s, %s: %s", (*s)->name, schemes[i]->name, keys[k], err.text);
        ck_assert(r.health.not_converged[0] == 0 && r.health.nan[0] == 0);
      }
}

static double variance_of(const char *integrator, const char *study, double *pair) {
  const cas_curve *d =
      multilevel_of("system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: "
                    "quadratic, sigma: 0.3}}\nintegrator: {name: isospectral_midpoint%s}\n"
                    "random: {generator: threefry}\nstudy: {kind: weak_multilevel, functionals: "
                    "[sin2pi], coarsest_step: 2^-4, coarsest_steps: 8, levels: 2, paths: 1024%s}\n",
                    integrator, study)
          ->functional;
  *pair = d->coupled.pair.variance[1];
  return d->coupled.variance[1];
}

/* Areas cancel between twins of weak order 2; a pair has areas wherever its run has them. */
TEST(pairs_of_levels_are_near) {
  double pair, plain = variance_of("", ", coupling: adjacent", &pair),
               twins = variance_of(", weak_order: 2", "", &pair);
  ck_assert_msg(twins < 0.01 * pair && pair < plain, "%g %g %g", twins, pair, plain);
  double areas = variance_of(", areas: 4", "", &pair);
  ck_assert_msg(areas < 0.6 * plain && areas == pair, "%g %g %g", areas, pair, plain);
}

static const cas_results *run_study(const char *key, const char *study) {
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: "
                 "0.4}}\nintegrator: {name: isospectral_midpoint, %s}\n"
                 "random: {generator: threefry, seed: 3}\nstudy: {kind: %s}\n",
                 key, study);
  ck_assert(r->health.failed_paths == 0);
  return r;
}

#define LEVELS                                                                                   \
  ", coarsest_step: 2^-3, coarsest_steps: 8, levels: 2, reference: 3, paths: 256, functionals: " \
  "[x1]"

/* Every study steps by them: weak errors at several times are those of runs to these times.
   test_mlmc.c has expectations to an error. */
TEST_OVER(every_study_takes_these_steps, 2) {
  const char *key = _i ? "areas: 3" : "weak_order: 2";
  run_study(key, "law, bins: 64" LEVELS);
  run_study(key, "time_average, step: 2^-4, steps: 64, paths: 64, observables: [hamiltonian]");
  const cas_curve *c = cas_results_find(run_study(key, "weak" LEVELS), "weak/x1");
  const cas_weak_times *w =
      cas_results_find(run_study(key, "weak_times" LEVELS ", times: [0.5, 1]"), "weak_times/x1");
  for (int l = 0; l < 2; l++)
    ck_assert(c->error.value[l] != 0 &&
              fabs(w->error.value[2 * l + 1] - c->error.value[l]) < 1e-13);
}

RUN_TESTS_WITH_MPI
