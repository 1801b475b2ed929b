/* Positions and momenta with friction and noise: what is known of the schemes besides the rows of
   test_known.c, [BRO] sections 5 and 6. */
/* ranks: 1 2 */
/* lane: slow from 2 ranks */
#include "study_fixture.h"

#include <math.h>

#define STUDY \
  "system: {%s}\nintegrator: {name: %s}\nrandom: {generator: threefry, seed: 3}\nstudy: {%s}\n"

/* ---- momentum maps ---- */

/* What symmetries and noise leave constant stays on every path and level with the schemes that say
   so. Chains keep J_3 with vertical noise and no friction. */
TEST_OVER(momentum_maps_stay, 4) {
  static const char *const with[] = {"", ", trap: 0.3", ", field: [0.3, 0, 0.4], trap: 0.2"};
  const bool chain = _i == 3;
  const cas_system *system = cas_system_find(chain ? "pendulum_chain" : "rigid_bodies");
  const char *keys =
      chain ? "name: pendulum_chain, N: 4, noise: {kind: vertical, sigma: 0.3}, initial: [1, 0, 0, "
              "2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0.2, 0.1, 0, 0.3, 0, 0, 0.4, 0, 0, 0.5, 0.2]"
            : formatted("%s%s", example_of(system), with[_i]);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    const bool kept = (*i)->keeps & CAS_KEEPS_MOMENTA;
    if (!fits(system, *i) || (chain && !kept))
      continue;
    const double drift = results_of(STUDY, keys, (*i)->name,
                                    "kind: strong, coarsest_step: 2^-3, coarsest_steps: 40, "
                                    "levels: 2, reference: 3, paths: 64")
                             ->health.casimir_drift_max;
    ck_assert_msg(kept ? drift < 1e-12 && drift > 0 : drift > 1e-6, "%s, %s: %g", keys, (*i)->name,
                  drift);
  }
}

/* A momentum that would turn a rod by more than a right angle has no step: the path fails. */
TEST(steps_without_solution_are_counted) {
  const cas_results *r =
      run_to(CAS_CHECK_FAILED, "", STUDY,
             "name: pendulum_chain, N: 1, gravity: 0, initial: [1, 0, 0, 0, 4.1, 0]",
             "variational_euler", "kind: trajectory, step: 1/4, steps: 1");
  ck_assert(r->health.not_converged[0] == 1);
}

/* ---- orders ---- */

/* Variances of coupled differences have order 2 without antithetic pairs, for every noise. */
TEST_OVER(variances_have_order_two, 3) {
  static const char *const kinds[] = {"potential", "additive", "pair"};
  const char *system = formatted("name: rigid_bodies, mass: [1, 2], inertia: [[0.5, 0.7, 0.9], [1, "
                                 "1.2, 0.7]], epsilon: 1, trap: 1, field: [0, 0, 0.5], friction: "
                                 "{force: 0.5, torque: 0.2}, temperature: 1, noise: {kind: %s}",
                                 kinds[_i]);
  const double order = multilevel_of(STUDY, system, "variational_euler",
                                     "kind: weak_multilevel, coarsest_step: 2^-4, coarsest_steps: "
                                     "8, levels: 4, functionals: [energy], paths: 1000")
                           ->functional[0]
                           .coupled.variance_decay.order;
  ck_assert_msg(fabs(order - 2) < 0.2, "%s: %g", kinds[_i], order);
}

/* ---- what is refused ---- */

#define ONE_BODY "name: rigid_bodies, mass: [1], inertia: [[1, 1, 1]], "
#define ROD "name: pendulum_chain, N: 1, initial: "

static const char *const refused[][2] = {
    {"name: rigid_bodies, mass: [1, 2], inertia: [[1, 1, 1]]",
     "system.inertia: found 1 lists of 3 numbers, must be 2 lists"},
    {ONE_BODY "field: [1]", "system.field: found 1 number, must be three"},
    {ONE_BODY "initial: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0]",
     "system.initial: the attitude of body 1 departs from a rotation by 2"},
    {ONE_BODY "initial: [0, 0, 0, 0, 0, 0, 1, 0.01, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]",
     "system.initial: the attitude of body 1 departs from a rotation by 0.01"},
    {"name: rigid_bodies, mass: [1, -2], inertia: [[1, 1, 1], [1, 1, 1]]", "system.mass[1]"},
    {ONE_BODY "noise: {kind: pairs}", "did you mean 'pair'"},
    {"name: sliding_disk, s: 0", "system.s: found 0"},
    {"name: sliding_disk, initial: {random: {seed: 1, law: gibbs}}",
     "system.initial.random.law: gibbs: the temperature is 0"},
    {ONE_BODY "temperature: 1, initial: {random: {seed: 1, law: gibbs}}",
     "gibbs: without a trap places have no equilibrium"},
    {"name: pendulum_chain, N: 17", "system.N: found 17"},
    {ROD "{random: {seed: 1, law: gibbs}}",
     "offers no laws of random states: give numbers, or {file: F"},
    {ROD "{random: {seed: 1, norm: 1}}", "offers no random states: give numbers, or {file: F"},
    {"name: sliding_disk, initial: {random: {seed: 1, norm: 1}}",
     "offers no random states but those of its laws: give 'law' instead of 'norm'"},
    {ROD "[1, 0, 0.1, 0, 0, 0]",
     "system.initial: rod 1 has length 1.00498756211, must be 1 to 1e-10"},
    {ROD "[1, 0, 0, 0.1, 0, 0]", "system.initial: momenta lengthen rod 1"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i][1],
             "system: {%s}\nintegrator: {name: variational_euler}\nstudy: {kind: trajectory, step: "
             "2^-4, steps: 1}\n",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
