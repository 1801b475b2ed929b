/* What damping and forcing do to fluids alike, of each in a size whose paths fill lanes and in one
   whose blocks are single paths. States are so small where it matters that the drift is below
   rounding. */
/* ranks: 1 */
/* needs: sprng */
#include "study_fixture.h"

#include <math.h>

static const struct {
  const char *system, *noise;
  const char *balanced;  /* damping and steady forcing, and rotation of one */
  int lmin, lmax, parts; /* of white forcing: its shells, and the parts of their modes */
} fluids[] = {
    {"name: euler_zeitlin, N: 9", "noise: {amplitude: 1}",
     "rotation: 0.4, damping: {viscosity: 0.02, power: 1.5, friction: 0.3}, forcing: {steady: [[2, "
     "1, 0.5], [3, -3, 1]]}",
     2, 4, 21},
    {"name: euler_zeitlin, N: 26", "noise: {amplitude: 1}",
     "damping: {viscosity: 5e-4, power: 1.5, friction: 0.3}, forcing: {steady: [[2, 1, 0.5], [3, "
     "-3, 1]]}",
     2, 4, 21},
    {"name: sine_euler, N: 5", "noise: {amplitude: 0.1, modes: [[1, 0], [0, 1]]}",
     "damping: {viscosity: 0.01, power: 1.5, friction: 0.3}, forcing: {steady: [[2, 1, 0.5], [-1, "
     "1, 1]]}",
     1, 2, 20},
    {"name: sine_euler, N: 25", "noise: {amplitude: 0.1, modes: [[1, 0], [0, 1]]}",
     "damping: {viscosity: 0.01, power: 1.5, friction: 0.3}, forcing: {steady: [[2, 1, 0.5], [-1, "
     "1, 1]]}",
     1, 2, 20},
};
enum { FLUIDS = sizeof fluids / sizeof *fluids };

/* Friction alone scales every Casimir: the drift is that from what Casimirs should be. */
TEST_OVER(friction_scales_casimirs, FLUIDS) {
  const double friction = 0.3;
  const cas_results *r = results_of(
      "system: {%s, damping: {friction: %g}, %s, initial: {random: {seed: 1, norm: 1}}}\nstudy: "
      "{kind: trajectory, step: 2^-6, steps: 64, observables: [casimir_departure]}\n",
      fluids[_i].system, friction, fluids[_i].noise);
  ck_assert_msg(r->health.casimir_drift_max <= 1e-12, "drift %g", r->health.casimir_drift_max);
  ck_assert(!r->provenance.casimirs);
  assert_near(last_of("casimir_departure", 0), 1 - exp(-friction), 1e-12, "departure");
}

static void run_white(cas_results *r, const char *damping, double rate, const char *norm, int i,
                      int paths, const char *study) {
  cas_error err;
  cas_status st =
      run_text(MPI_COMM_WORLD, r, &err,
               "system: {%s, %sforcing: {white: {lmin: %d, lmax: %d, rate: %g}}, initial: {random: "
               "{seed: 1, norm: %s}}}\nrandom: {generator: threefry}\nstudy: {%s, paths: %d}\n",
               fluids[i].system, damping, fluids[i].lmin, fluids[i].lmax, rate, norm, study, paths);
  ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s", err.text);
}

/* Levels of one path have the same forcing: of small states their errors are rounding. */
TEST_OVER(levels_share_forcing, FLUIDS) {
  cas_results r;
  bool any = false;
  run_white(&r, "damping: {viscosity: 0.05, friction: 0.5}, ", 1e-24, "1e-12", _i, all_or(64, 16),
            "kind: convergence, functionals: [energy], coarsest_step: 2^-2, coarsest_steps: 4, "
            "levels: 2, reference: 3");
  for (int i = 0; i < cas_results_curves(&r); i++) {
    const cas_curve *c = cas_results_curve(&r, i);
    for (int j = 0; !c->mean.value && j < c->levels; j++, any = true)
      ck_assert_msg(c->error.value[j] <= 1e-23, "level %d: %g", j, c->error.value[j]);
  }
  ck_assert(any);
}

/* Pairs of levels with paths of their own share it, too, and so do swapped halves where nothing is
   damped: differences of small states are those of the drift. */
TEST_OVER(pairs_of_levels_share_forcing, FLUIDS) {
  cas_results r;
  run_white(&r, "", 1e-20, "1e-12", _i, repetitions(64),
            "kind: weak_multilevel, coarsest_step: 2^-2, coarsest_steps: 4, levels: 3, "
            "functionals: [energy]");
  const cas_curve *d = &cas_results_multilevel(&r)->functional[0];
  for (int l = 0; l < 3; l++)
    ck_assert_msg(fabs(d->difference.value[l]) <= 1e-28 && d->difference.standard_error[l] <= 1e-28,
                  "level %d: %g +- %g", l, d->difference.value[l], d->difference.standard_error[l]);
}

/* White forcing brings the energy rate t chi^2/n, of n degrees of freedom: the parts of modes. */
TEST_OVER(white_forcing_brings_its_rate, FLUIDS) {
  const int paths = repetitions(800);
  cas_results r;
  run_white(&r, "", 1e-24, "1e-18", _i, paths,
            "kind: ensemble, step: 2^-3, steps: 8, every: 8, bins: 0, observables: [hamiltonian]");
  assert_near(last_of("/ensemble/hamiltonian/mean", 0) / 1e-24, 1,
              4 * sqrt(2.0 / fluids[_i].parts / paths), "energy");
}

/* What the integrated terms of a balance leave of the change of the sum of a spectrum. */
static double left_over(const char *spectrum, const char *balance, double h) {
  series s = recorded_series(spectrum), b = recorded_series(balance);
  const int64_t last = s.records - 1;
  double rest = 0;
  for (int64_t i = 0; i < s.numbers; i++)
    rest += s.value[last * s.numbers + i] - s.value[i];
  ck_assert_int_eq(b.numbers, 3);
  for (int64_t r = 0; r < s.records; r++)
    for (int i = 0; i < 3; i++) {
      double rate = b.value[r * 3 + i];
      ck_assert_msg(rate != 0, "%s, term %d of record %d is 0", balance, i, (int)r);
      rest -= (r == 0 || r == last ? 0.5 : 1) * h * rate;
    }
  return fabs(rest);
}

TEST_OVER(balances_close_to_second_order, FLUIDS) {
  double energy[2], enstrophy[2];
  for (int k = 0; k < 2; k++) {
    const double h = ldexp(1, -6 - k);
    const cas_results *r = results_of(
        "system: {%s, %s, initial: {random: {seed: 1, norm: 2, lmax: 3}}}\nintegrator: "
        "{tolerance: 1e-14}\nstudy: {kind: trajectory, step: %g, steps: %d, observables: "
        "[energy_spectrum, energy_balance, enstrophy_spectrum, enstrophy_balance]}\n",
        fluids[_i].system, fluids[_i].balanced, h, 16 << k);
    ck_assert(r->provenance.casimirs &&
              r->health.casimir_drift_max > 1e-3); /* which nobody checks */
    energy[k] = left_over("energy_spectrum", "energy_balance", h);
    enstrophy[k] = left_over("enstrophy_spectrum", "enstrophy_balance", h);
  }
  assert_near(log2(energy[0] / energy[1]), 2, 0.1, "order of what the energy leaves");
  assert_near(log2(enstrophy[0] / enstrophy[1]), 2, 0.1, "order of what the enstrophy leaves");
}

RUN_TESTS_WITH_MPI
