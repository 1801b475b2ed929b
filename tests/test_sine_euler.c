/* The sine-bracket Euler equations on the torus: observables against their definitions, noises that
   commute, and what is refused. */
/* ranks: 1 */
/* needs: sprng */
#include "matrices.h"
#include "pass_fixture.h"

enum { MOST = 5 }; /* N */

static const double pi = 3.14159265358979323846;

static void run_scheme(const char *system, const char *scheme, const char *study) {
  run_well(NULL,
           "system: {name: sine_euler, %s}\nintegrator: {name: %s}\n"
           "random: {generator: threefry}\nstudy: {%s}\n",
           system, scheme, study);
}

/* ---- by definition ---- */

static bool held(int n1, int n2) { return n1 > 0 || (n1 == 0 && n2 > 0); }

/* omega_n from a state as files hold it */
static entry mode_of(int N, const double *state, int n1, int n2) {
  int r = N / 2, sign = held(n1, n2) ? 1 : -1;
  for (int a = 0; a <= r; a++)
    for (int b = a ? -r : 1; b <= r; b++, state += 2)
      if (a == sign * n1 && b == sign * n2)
        return state[0] + sign * i_unit * state[1];
  ck_abort_msg("no mode (%d, %d)", n1, n2);
}

/* sum += factor J_n */
static void add_basis(int N, int n1, int n2, entry factor, entry *sum) {
  for (int j = 0; j < N; j++)
    sum[j * N + ((j + n2) % N + N) % N] +=
        factor * cexp(2 * pi * i_unit * (n1 * n2 + 2 * n1 * j) / N);
}

/* Tr V^power / N of V = sum of omega_n J_n */
static double trace_of_power(int N, const double *state, int power) {
  entry *v = matrix(N), *p = matrix(N), *next = matrix(N), trace = 0;
  for (int n1 = -N / 2; n1 <= N / 2; n1++)
    for (int n2 = -N / 2; n2 <= N / 2; n2++)
      if (n1 || n2)
        add_basis(N, n1, n2, mode_of(N, state, n1, n2), v);
  memcpy(p, v, (size_t)(N * N) * sizeof *p);
  for (int k = 1; k < power; k++) {
    multiply(N, p, v, next);
    memcpy(p, next, (size_t)(N * N) * sizeof *p);
  }
  for (int i = 0; i < N; i++)
    trace += p[i * N + i];
  ck_assert(fabs(cimag(trace)) < 1e-12);
  return creal(trace) / N;
}

static void close_to(const char *what, double found, double wanted) {
  ck_assert_msg(isfinite(found) && fabs(found - wanted) <= 1e-13 * fmax(1, fabs(wanted)),
                "%s is %.17g, must be %.17g", what, found, wanted);
}

TEST(observables_are_their_definitions) {
  const int N = MOST, r = N / 2, grid = 7;
  run_scheme("N: 5, grid: 7, noise: {amplitude: 0.3, modes: [[1, 2], [-1, 0]]}, initial: {random: "
             "{seed: 3, norm: 2}}",
             "munthe_kaas",
             "kind: trajectory, step: 2^-4, steps: 16, every: 8, observables: [hamiltonian, modes, "
             "enstrophy, cubic_casimir, eigenvalues, energy_spectrum, enstrophy_spectrum, "
             "vorticity, zonal, zonal_squared]");
  const series state = recorded_series("state"), modes = recorded_series("modes"),
               energy = recorded_series("hamiltonian"), enstrophy = recorded_series("enstrophy"),
               cubic = recorded_series("cubic_casimir"),
               eigenvalues = recorded_series("eigenvalues"),
               shells = recorded_series("energy_spectrum"),
               square_shells = recorded_series("enstrophy_spectrum"),
               vorticity = recorded_series("vorticity"), zonal = recorded_series("zonal"),
               zonal_squared = recorded_series("zonal_squared");
  ck_assert(state.numbers == 24 && modes.numbers == 24 && shells.numbers == 3);
  for (int64_t k = 0; k < state.records; k++) {
    const double *x = state.value + 24 * k, *map = vorticity.value + grid * grid * k;
    double h = 0, square = 0, energies[3] = {0}, enstrophies[3] = {0}, power[5] = {0};
    for (int n1 = -r; n1 <= r; n1++)
      for (int n2 = -r; n2 <= r; n2++)
        if (n1 || n2) {
          double s = pow(cabs(mode_of(N, x, n1, n2)), 2), length = hypot(n1, n2);
          int shell = length < 1.5 ? 0 : length < 2.5 ? 1 : 2;
          h += 0.5 * s / (length * length);
          square += s;
          energies[shell] += 0.5 * s / (length * length);
          enstrophies[shell] += s;
        }
    close_to("hamiltonian", energy.value[k], h);
    close_to("enstrophy", enstrophy.value[k], square);
    close_to("enstrophy by matrices", trace_of_power(N, x, 2), square);
    close_to("cubic_casimir", cubic.value[k], trace_of_power(N, x, 3));
    close_to("zonal", zonal.value[k], x[0]);
    close_to("zonal_squared", zonal_squared.value[k], x[0] * x[0] + x[1] * x[1]);
    for (int i = 0; i < 3; i++) {
      close_to("energy_spectrum", shells.value[3 * k + i], energies[i]);
      close_to("enstrophy_spectrum", square_shells.value[3 * k + i], enstrophies[i]);
    }
    for (int i = 0; i < 24; i++)
      close_to("modes", modes.value[24 * k + i], x[i]);
    for (int p = 1; p < 5; p++)
      for (int i = 0; i < N; i++)
        power[p] += pow(eigenvalues.value[N * k + i], p) / N;
    for (int p = 1; p < 5; p++)
      close_to("powers of eigenvalues", power[p], trace_of_power(N, x, p));
    for (int i = 0; i < grid * grid; i++) {
      entry sum = 0;
      for (int n1 = -r; n1 <= r; n1++)
        for (int n2 = -r; n2 <= r; n2++)
          if (n1 || n2)
            sum += mode_of(N, x, n1, n2) *
                   cexp(2 * pi * i_unit * (n1 * (i % grid) + n2 * (i / grid)) / grid);
      close_to("vorticity", map[i], creal(sum));
    }
  }
}

TEST(bands_and_points) {
  run_scheme("N: 5, grid: 8, initial: {random: {seed: 1, norm: 1}}", "munthe_kaas",
             "kind: trajectory, step: 2^-6, steps: 2, observables: [hamiltonian, vorticity, {all: "
             "\"energy_of(1,3)\"}, {squares: \"enstrophy_of(1,3)\"}, {e: enstrophy}, {here: "
             "\"vorticity_at(90,-45)\"}]");
  series map = recorded_series("vorticity");
  assert_near(last_of("all", 0), last_of("hamiltonian", 0), 1e-15, "all");
  assert_near(last_of("squares", 0), last_of("e", 0), 1e-15, "squares");
  /* x2 = 315 degrees is row 7, x1 = 90 column 2 */
  assert_near(last_of("here", 0), map.value[(map.records - 1) * 64 + 7 * 8 + 2], 1e-14, "here");
}

/* random states are of their norm, and in their shells */
TEST(random_states) {
  run_scheme(
      "N: 7, initial: {random: {seed: 4, norm: 3, lmin: 2, lmax: 3}}", "munthe_kaas",
      "kind: trajectory, step: 2^-4, steps: 1, observables: [enstrophy, enstrophy_spectrum]");
  series square = recorded_series("enstrophy"), shells = recorded_series("enstrophy_spectrum");
  close_to("enstrophy", square.value[0], 9);
  close_to("shells", shells.value[1] + shells.value[2], 9);
  close_to("shell 1", shells.value[0], 0);
  close_to("shell 4", shells.value[3], 0);
  ck_assert(shells.numbers == 4 && shells.value[1] > 0.1 && shells.value[2] > 0.1);
}

/* amplitude (T_m + T_-m), or amplitude (-i T_-m + i T_m) where files hold -m, without factors */
static entry *noise_of(int N, int m1, int m2) {
  const bool cosine = held(m1, m2);
  entry *xi = matrix(N);
  add_basis(N, m1, m2, cosine ? i_unit : -1, xi);
  add_basis(N, -m1, -m2, cosine ? i_unit : 1, xi);
  return xi;
}

static bool declared_commuting(const char *text) {
  const cas_problem *p = &pass_of(1, 1, "%s", text)->problem;
  return cas_system_commutes(p->system, p->parameters.all);
}

/* of all pairs of modes those commute that are said to */
TEST(noises_that_commute) {
  const int N = 5, r = 2;
  int commuting = 0, pairs = 0;
  for (int a = -r; a <= r; a++)
    for (int b = -r; b <= r; b++)
      for (int c = -r; c <= r; c++)
        for (int d = -r; d <= r; d++) {
          entry *bracket = matrix(N);
          double most = 0;
          if ((!a && !b) || (!c && !d) || (a == c && b == d))
            continue;
          commutator(N, noise_of(N, a, b), noise_of(N, c, d), bracket);
          for (int i = 0; i < N * N; i++)
            most = fmax(most, cabs(bracket[i]));
          const char *text =
              formatted("system: {name: sine_euler, N: 5, noise: {amplitude: 1, modes: [[%d, %d], "
                        "[%d, %d]]}, initial: {random: {seed: 1, norm: 1}}}",
                        a, b, c, d);
          bool declared = declared_commuting(text);
          ck_assert_msg(declared ? most < 1e-13 : most > 0.1, "%s: commutator %g", text, most);
          commuting += declared;
          pairs++;
        }
  ck_assert(pairs == 24 * 23 && commuting == 24 * 3);
}

/* ---- what is refused ---- */

#define THREE "N: 3, noise: {amplitude: 0.1, modes: "
#define FIVE "N: 5, initial: {random: {seed: 1, norm: 1}}, "

static const char *const refused[][2] = {
    {"N: 4", "system.N: found 4, must be odd: 3 or 5"},
    {"N: 1", "system.N: found 1, must be between 3 and 511"},
    {"N: 513", "system.N: found 513, must be between 3 and 511"},
    {"N: 3", "'initial' is missing"},
    {"N: 3, initial: [1, 2, 3]",
     "system.initial: found 3 numbers, must be 8 (omega(0,1) omega(1,-1) omega(1,0) omega(1,1))"},
    {"N: 3, noise: {amplitude: 0.1}", "system.noise: 'modes' is missing"},
    {"N: 3, noise: {amplitude: -1, modes: [[1, 0]]}", "system.noise.amplitude: found -1"},
    {THREE "[[1, 0, 1]]}", "system.noise.modes: found rows of 3 numbers, must be rows [m1, m2]"},
    {THREE "[[1, 0], [0, 2]]}",
     "system.noise.modes[1]: found [0, 2], must be integers from -1 to 1 for N = 3"},
    {"N: 5, noise: {amplitude: 0.1, modes: [[0.5, 0]]}",
     "system.noise.modes[0]: found [0.5, 0], must be integers from -2 to 2 for N = 5"},
    {THREE "[[1, 0], [0, 0]]}",
     "system.noise.modes[1]: found [0, 0], must be a mode other than [0, 0]"},
    {THREE "[[1, 0], [-1, 0], [1, 0]]}",
     "system.noise.modes[2]: found [1, 0], must be given once; row [0] has it already"},
    {"N: 7, initial: {random: {seed: 1, norm: 1, lmin: 1, lmax: 5}}",
     "system.initial.random.lmax: found 5, must be at most 4, the highest shell |n| of N = 7"},
    {"N: 7, initial: {random: {seed: 1, norm: 1, lmin: 5}}",
     "system.initial.random.lmin: found 5, must be at most 4"},
    {"N: 7, initial: {coefficients: [[1, 0, 1]]}",
     "system.initial.coefficients: system sine_euler has no harmonics"},
    {"N: 3, grid: 1", "system.grid: found 1, must be between 2 and 4096"},
    {FIVE "noise: {fields: [[1, 3, 0, 1]]}",
     "system.noise.fields[0]: found [3, 0], must be integers from -2 to 2 for N = 5"},
    {FIVE "noise: {fields: [[2, 1, 0, 1], [2, 0, 1, 1]]}",
     "system.noise.fields: field 1 has no row, but field 2 has"},
    {FIVE "noise: {modes: [[1, 0]], fields: [[1, 1, 0, 1]]}",
     "system.noise: found both 'modes' and 'fields'"},
    {FIVE "noise: {fields: [[1, 1, 0]]}", "system.noise.fields: found rows of 3 numbers"},
    {FIVE "forcing: {steady: [[0, 0, 1]]}", "system.forcing.steady[0]: found n = [0, 0]"},
    {FIVE "forcing: {white: {lmin: 1, lmax: 4, rate: 1}}",
     "system.forcing.white: found 1 .. 4, must be ascending and at most the highest shell |n| = 3"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(1, refused[_i][1],
             "system: {name: sine_euler, %s}\nstudy: {kind: trajectory, step: 2^-6, steps: 1}\n",
             refused[_i][0]);
}

RUN_TESTS_WITH_MPI
