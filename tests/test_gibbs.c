/* Averages over long times are those of the Gibbs law: of systems with double-bracket dissipation,
   and of positions and momenta under constraints. */
/* ranks: 1 */
#include "files/results/table.h"
#include "studies/laws/time_average.h"
#include "study_fixture.h"

#include <math.h>

typedef struct {
  const char *system, *phi, *integrator;
  double exact;
  int power, from, horizon, every; /* of the step 2^-power */
} law_case;

#define BODY \
  "rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8], dissipation: {theta: 1, kT: 0.2}"
#define TOP                                                                                     \
  "heavy_top, inertia: [2, 2, 2], mga: [0, 0, 1], initial: [0.3, -0.4, 0.6, 0.36, 0.48, 0.8], " \
  "dissipation: {theta: 1, kT: 0.5}"
#define SU3(hamiltonian, kT)                                      \
  "lie_poisson, algebra: su_n, N: 3, hamiltonian: \"" hamiltonian \
  "\", initial: [1, 0.2, -1.2, 0, 0, 0, 0, 0, 0], dissipation: {theta: 1, kT: " kT "}"
/* v^*(-i X)v of the unit vector v = (1, 1, i)/sqrt(3) */
#define ENTRY "((d1 + d2 + d3)/3 + 2/3*(im12 + re13 + re23))"
#define ON_SPHERE(friction)                                                              \
  "langevin, positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 2*z, " \
  "friction: " friction ", temperature: 1, initial: [0.6, 0, 0.8, 0, 0, 0]"
#define ON_ELLIPSE                                                                            \
  "langevin, positions: [x, y], mass: [1, 2], constraints: [x^2/4 + y^2 - 1], potential: x, " \
  "friction: 1, temperature: 0.8, initial: [2, 0, 0, 0]"

static const law_case cases[] = {
    /* over the unit sphere with the density exp(-x.I^-1 x/(2 kT)) */
    {BODY, "energy", "isospectral_midpoint", 0.868983546, 6, 4, 16, 8},
    {BODY, "x3^2", "munthe_kaas", 0.141435978, 6, 4, 16, 8},
    {BODY, "energy", "implicit_midpoint", 0.868983546, 6, 4, 16, 8},
    /* Two vortices of intensities 1 and 2: u = 1 - x_1.x_2 has the density u^a, a = 2/(4 pi kT). */
    {"point_vortices, gamma: [1, 2], initial: [[1, 0, 0], [0, 0.6, 0.8]], dissipation: {theta: 4, "
     "kT: 0.08}",
     "energy", "isospectral_midpoint", -0.0570786937, 6, 4, 16, 8},
    /* 1/2 - coth 2 of a component, and with (Pi.Gamma)^2/4 + kT of the energy of a top */
    {TOP, "Gamma3", "munthe_kaas", -0.537314721, 6, 4, 16, 8},
    {TOP, "energy", "munthe_kaas", 0.00188927927, 6, 8, 24, 8},
    {"lie_poisson, algebra: su2, hamiltonian: x1_3, initial: [0.6, 0, 0.8], dissipation: {theta: "
     "1, kT: 0.5}",
     "energy", "isospectral_midpoint", -0.537314721, 6, 4, 16, 8},
    /* -d/dbeta of the logarithm of the determinant of exp(-beta c_i y_j) over beta^3, c = (1, 0,
       -1/2) and y = (1, 0.2, -1.2): Harish-Chandra */
    {SU3("d1 - d3/2", "0.5"), "energy", "isospectral_midpoint", -0.675615615, 6, 4, 16, 8},
    /* By a law of Haar the entry is the sum of y_k p_k with p uniform on the simplex. */
    {SU3("2*" ENTRY "^2 + 0.5*" ENTRY, "0.25"), "energy", "isospectral_midpoint", 0.0796495262, 6,
     4, 16, 8},
    {ON_SPHERE("1 + x^2"), "z", "variational_euler", -0.537314721, 7, 8, 24, 16},
    {ON_SPHERE("1 + x^2"), "z", "geodesic_baoab", -0.537314721, 7, 8, 24, 16},
    {ON_SPHERE("1"), "kinetic_temperature", "variational_euler", 1, 7, 8, 24, 16},
    {ON_SPHERE("1"), "kinetic_temperature", "geodesic_baoab", 1, 7, 8, 24, 16},
    /* the density exp(-x/kT) by the length that the masses measure */
    {ON_ELLIPSE, "x^2", "variational_euler", 2.63858506, 7, 8, 24, 16},
    {ON_ELLIPSE, "x^2", "geodesic_baoab", 2.63858506, 7, 8, 24, 16}};

/* Errors over their standard errors are standard normal over seeds: their squares have the mean 1,
   and about 5% exceed 2. Steps are so short that their bias is a small part of these. */
TEST_OF_MANY_PATHS_OVER(averages_are_those_of_the_gibbs_law, sizeof cases / sizeof *cases) {
  const law_case *c = &cases[_i];
  const int seeds = repetitions(20);
  double squares = 0;
  int outside = 0;
  for (int seed = 1; seed <= seeds; seed++) {
    const cas_results *r = results_of(
        "system: {name: %s}\nintegrator: {name: %s}\nrandom: {generator: threefry, seed: %d}\n"
        "study: {kind: time_average, step: 2^-%d, horizon: %d, from: %d, every: %d, batches: 4, "
        "paths: 64, observables: [{phi: \"%s\"}]}\n",
        c->system, c->integrator, seed, c->power, c->horizon, c->from, c->every, c->phi);
    const cas_time_average *a = cas_results_find(r, "time_average/phi");
    const double z = (a->average.mean - c->exact) / a->average.standard_error;
    squares += z * z;
    outside += !(a->average.low <= c->exact && c->exact <= a->average.high);
    if (seed == 1)
      printf("%s, %s: %.5f +- %.5f, exact %.5f\n", c->system, c->integrator, a->average.mean,
             a->average.standard_error, c->exact);
  }
  printf("  sum of squares %.3g of %d, outside %d\n", squares, seeds, outside);
  ck_assert_msg(is_chi_square(squares, seeds) && seeds - outside >= least_count(seeds, 0.95, 1e-3),
                "%s, %s: %g, %d", c->system, c->phi, squares, outside);
}

/* A step keeps a Gibbs law exactly, of whatever size it is, where there is no potential: free
   motion on a plane, with momenta of several masses, and on a sphere of one. With the friction of
   the former a projection after the flow without constraints would be off by 3 percent. */
TEST_OF_MANY_PATHS_OVER(long_steps_keep_the_law_of_momenta, 2) {
  static const char *const systems[] = {
      "positions: [x, y, z], mass: [0.5, 1, 4], constraints: [x + y + z], potential: 0*x, "
      "friction: 2, temperature: 0.7, initial: [0, 0, 0, 0, 0, 0]",
      "positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 0*x, friction: 1, "
      "temperature: 0.7, initial: [0, 0, 1, 0, 0, 0]"};
  const double h[] = {0.5, 0.25};
  const cas_results *r =
      results_of("system: {name: langevin, %s}\nintegrator: {name: geodesic_baoab}\nrandom: "
                 "{generator: threefry}\nstudy: {kind: time_average, step: %g, horizon: 520, from: "
                 "8, batches: 8, paths: 256, observables: [kinetic_temperature]}\n",
                 systems[_i], h[_i]);
  const cas_time_average *a = cas_results_find(r, "time_average/kinetic_temperature");
  const double z = (a->average.mean - 0.7) / a->average.standard_error;
  printf("kinetic temperature %.5f +- %.5f\n", a->average.mean, a->average.standard_error);
  ck_assert(a->average.standard_error < 0.7 * 0.004);
  ck_assert_msg(fabs(z) < 4, "%s: off by %.1f standard errors", systems[_i], z);
}

RUN_TESTS_WITH_MPI
