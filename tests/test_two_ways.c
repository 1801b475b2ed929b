/* Systems that can be stated in two ways have one path, by every scheme that takes both. */
/* ranks: 1 */
#include "array_fixture.h"
#include "pass_fixture.h"

#include <complex.h>

/* ---- the table ---- */

/* A system, and numbers of it that are compared, separated by ";"; NULL: its state. */
typedef struct {
  const char *system, *numbers;
} way;

typedef struct {
  way one, other;
  int noises, steps; /* noises below 0: the other way has them in reverse order */
  double within;
  int schemes; /* that take both, at least */
} row;

#define PLANE "[0.36, 0.48, 0.8]"
#define BODY_OF_THREE(inertia, same)                                                          \
  {"rigid_body, inertia: " inertia ", noise: {kind: quadratic, sigma: 0.4}, initial: " PLANE, \
   "x1; x2; x3; hamiltonian; sqrt(x1^2 + x2^2 + x3^2); sqrt(x1^2 + x2^2 + x3^2)"},            \
  {                                                                                           \
    "manakov, n: 3, " same "noise: {sigma: 0.4}, initial: [-0.8, 0.48, -0.36]",               \
        "-x23; x13; -x12; hamiltonian; norm; eigenvalue_max"                                  \
  }
#define BRACKETS \
  "algebra: brackets, components: [x1, x2, x3], brackets: {x1 x2: -x3, x2 x3: -x1, x1 x3: x2}"
#define CONSTANTS \
  "algebra: {structure_constants: [[1, 2, 3, -1], [2, 3, 1, -1], [1, 3, 2, 1], [3, 1, 2, -1]]}"
#define OF_SO3(algebra, keys)                                                                   \
  {"lie_poisson, " keys ", initial: " PLANE, NULL}, {                                           \
    "lie_poisson, " algebra ", casimirs: [x1^2 + x2^2 + x3^2], " keys ", initial: " PLANE, NULL \
  }
#define SINE "hamiltonian: x1^2/4 + x2^2/2 + x3^2 + 0.3*sin(x1), noise: [0.2*x1*x2, 0.3*x3]"
#define CUBIC "hamiltonian: x1^2 + 0.5*x1*x2*x3, noise: [0.2*x1^2, 0.3*x3^2 - 0.1*x2^2]"
#define QUADRATIC                                                                          \
  "hamiltonian: x1^2/4 + 0.3*x1*x2 - 0.2*x2*x3 + 0.1*x1*x3 + 0.2*x2, noise: [0.2*x2*x3 + " \
  "0.1*x3^2, 0.3*x1*x3 - 0.1*x1*x2]"
#define WAVES(N, noise) \
  "sine_euler, N: " N ", noise: {" noise "}, initial: {random: {seed: 1, norm: 1}}"
#define MODES "amplitude: 0.3, modes: [[1, -1], [0, 2], [-1, 1]]"
#define FIELDS "fields: [[1, 1, -1, 0.3], [3, -1, 1, 0.3], [2, 0, 2, 0.3]]"
#define SPHERE \
  "euler_zeitlin, N: 6, rotation: 1, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}"
#define BODY "rigid_body, inertia: [1, 2, 3], noise: {kind: quadratic, sigma: 0.2}"
#define TOP "heavy_top, inertia: [2, 1.5, 1], mga: [0, 0, 1], noise: {pi: [[0.1, 0, 0.2]]}"
#define OF_TOP "Pi1; Pi2; Pi3; Gamma1; Gamma2; Gamma3"
#define CHAIN "friction: 0.2, initial: [0.6, 0, -0.8, 0.6, 0.6, -1.6, 0.4, 0.5, 0.3, 0.1, 0.9, 0.6]"

static const row rows[] = {
    /* I_12, I_13, I_23 are the moments about the axes 3, 2, 1. */
    {BODY_OF_THREE("[3, 2, 1]", ""), -3, 200, 1e-14, 4},
    {BODY_OF_THREE("[3, 2, 1]", "inertia: [1, 2, 3], "), -3, 200, 1e-14, 4},
    {BODY_OF_THREE("[3, 2, 1]", "inertia: {manakov: [0, 1, 2]}, "), -3, 200, 1e-14, 4},
    {BODY_OF_THREE("[2, 1.75, 0.75]", "inertia: {manakov: [0.25, 0.5, 1.5]}, "), -3, 200, 1e-14, 4},
    {BODY_OF_THREE("[4, 0.75, 0.25]", "inertia: {manakov: [-1.5, 1.75, 2.25]}, "), -3, 200, 1e-14,
     4},
    /* a top without gravity */
    {{"rigid_body, inertia: [4, 2, 1], noise: {kind: linear, chi: [[0.1, 0.4, 0], [0, 0.2, "
      "-0.3]]}, initial: [0.8, -0.6, 1.5]",
      "x1; x2; x3"},
     {"heavy_top, inertia: [4, 2, 1], mga: [0, 0, 0], noise: {pi: [[0.1, 0.4, 0], [0, 0.2, -0.3]]}",
      "Pi1; Pi2; Pi3"},
     2,
     64,
     1e-13,
     6},
    /* systems that are built in, and written as expressions */
    {{"rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.3}, initial: " PLANE,
      NULL},
     {"lie_poisson, algebra: so3, parameters: {I1: 2, I2: 1, I3: 3/5, s: 0.3}, hamiltonian: "
      "x1^2/(2*I1) + x2^2/(2*I2) + x3^2/(2*I3), noise: [s*x1^2/2, s*x2^2/2, s*x3*x3/2], "
      "initial: " PLANE,
      NULL},
     3,
     48,
     1e-12,
     7},
    {{"rigid_body, inertia: [2, 1, 0.6], noise: {kind: linear, chi: [[0.3, -0.4, 0.5], [0.1, 0.2, "
      "0]]}, initial: " PLANE,
      NULL},
     {"lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: [0.3*x1 - 0.4*x2 + 0.5*x3, "
      "0.1*x1 + 0.2*x2], initial: " PLANE,
      NULL},
     2,
     48,
     1e-12,
     7},
    {{"heavy_top, inertia: [4, 2, 1], mga: [0.2, 0, 1], noise: {pi: [[0.1, -0.2, 0.15], [0, 0, "
      "0.1]], gamma: [[0, 0, 0.2], [0.1, 0, 0]]}, initial: [0.3, 0.1, 0.5, 0, 0.6, 0.8]",
      NULL},
     {"lie_poisson, algebra: se3, hamiltonian: Pi1^2/8 + Pi2^2/4 + Pi3^2/2 + 0.2*Gamma1 + Gamma3, "
      "noise: [0.1*Pi1 - 0.2*Pi2 + 0.15*Pi3 + 0.2*Gamma3, 0.1*Pi3 + 0.1*Gamma1], initial: [0.3, "
      "0.1, 0.5, 0, 0.6, 0.8]",
      NULL},
     2,
     48,
     1e-12,
     6},
    {{"manakov, n: 4, noise: {sigma: 0.2}, initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]", NULL},
     {"lie_poisson, algebra: so_n, n: 4, hamiltonian: (x12^2 + x13^2/2 + x14^2/3 + x23^2/4 + "
      "x24^2/5 + x34^2/6)/2, noise: [0.1*x12^2, 0.1*x13^2, 0.1*x14^2, 0.1*x23^2, 0.1*x24^2, "
      "0.1*x34^2], initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]",
      NULL},
     6,
     48,
     1e-12,
     5},
    /* a body that is turned by 53 degrees */
    {{"lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2 + 0.2*x1, noise: [0.15*x1^2, 0.15*x2^2 "
      "+ 0.1*x3], initial: " PLANE,
      "x1; x2; x3"},
     {"lie_poisson, hamiltonian: \"(0.6*x1 + 0.8*x2)^2/4 + (0.6*x2 - 0.8*x1)^2/2 + x3^2/1.2 + "
      "0.2*(0.6*x1 + 0.8*x2)\", noise: [\"0.15*(0.6*x1 + 0.8*x2)^2\", \"0.15*(0.6*x2 - 0.8*x1)^2 + "
      "0.1*x3\"], initial: [-0.168, 0.576, 0.8]",
      "0.6*x1 + 0.8*x2; 0.6*x2 - 0.8*x1; x3"},
     2,
     48,
     1e-12,
     6},
    /* brackets of one's own */
    {OF_SO3(BRACKETS, SINE), 2, 48, 1e-12, 4},
    {OF_SO3(BRACKETS, CUBIC), 2, 48, 1e-12, 4},
    {OF_SO3(BRACKETS, QUADRATIC), 2, 48, 1e-12, 4},
    {OF_SO3(CONSTANTS, SINE), 2, 48, 1e-12, 5},
    {OF_SO3(CONSTANTS, CUBIC), 2, 48, 1e-12, 5},
    {OF_SO3(CONSTANTS, QUADRATIC), 2, 48, 1e-12, 5},
    /* A field of one wave is the noise of its mode; keys that say nothing change no bit. */
    {{WAVES("5", MODES), NULL}, {WAVES("5", FIELDS), NULL}, 3, 16, 0, 6},
    {{WAVES("25", MODES), NULL}, {WAVES("25", FIELDS), NULL}, 3, 16, 0, 6},
    {{SPHERE, NULL}, {SPHERE ", lamb: 0, topography: [[3, 2, 0]]", NULL}, 27, 40, 0, 6},
    {{BODY, NULL}, {BODY ", damping: {rate: 0}", NULL}, 3, 320, 0, 7},
    /* The components do not depend on the attitude. */
    {{BODY, "x1; x2; x3"}, {BODY ", attitude: true", "x1; x2; x3"}, 3, 500, 1e-13, 4},
    {{TOP, OF_TOP}, {TOP ", attitude: true", OF_TOP}, 1, 500, 1e-13, 3},
    /* a chain, whose geometry is written for its rods */
    {{"pendulum_chain, N: 2, " CHAIN, NULL},
     {"langevin, positions: [x1, y1, z1, x2, y2, z2], constraints: [\"x1^2 + y1^2 + z1^2 - 1\", "
      "\"(x2 - x1)^2 + (y2 - y1)^2 + (z2 - z1)^2 - 1\"], potential: z1 + z2, " CHAIN,
      NULL},
     0,
     64,
     1e-12,
     3},
};

/* ---- paths ---- */

/* Blocks of other sizes have other streams, so that normals come from a file. */
static void write_normals(int noises, int steps) {
  const int n = abs(noises) > 0 ? abs(noises) : 1, all = (n * steps + 63) / 64 * 64;
  const hsize_t dims[2] = {(hsize_t)steps, (hsize_t)n};
  double *u = doubles((size_t)all), *z = doubles((size_t)all), *reversed = doubles((size_t)all);
  cas_kernels_list(0)->threefry(11, 0, 0, 0, all, u);
  cas_kernels_list(0)->normals(all, u, z);
  for (int i = 0; i < n * steps; i++)
    reversed[i] = noises < 0 ? z[i / n * n + n - 1 - i % n] : z[i];
  write_array("one.h5", "zeta", 2, dims, z);
  write_array("other.h5", "zeta", 2, dims, reversed);
}

/* Records the numbers of a way; returns how many series they are. */
static int follow(const way *w, const char *scheme, int steps, const char *normals, series *out) {
  char list[6000] = "", numbers[6000], *rest, name[20];
  int n = 0;
  snprintf(numbers, sizeof numbers, "%s", w->numbers ? w->numbers : "");
  for (char *q = strtok_r(numbers, ";", &rest); q; q = strtok_r(NULL, ";", &rest))
    cas_append(list, sizeof list, "%s{q%d: \"%s\"}", n ? ", " : ", observables: [", n, q), n++;
  run_well(NULL,
           "system: {name: %s}\nintegrator: {name: %s, truncation: 0}\nrandom: {generator: replay, "
           "file: %s}\nstudy: {kind: trajectory, step: 2^-5, steps: %d%s%s}\n",
           w->system, scheme, normals, steps, list, n ? "]" : "");
  if (n == 0)
    out[n++] = recorded_series("state");
  else
    for (int k = 0; k < n; k++) {
      snprintf(name, sizeof name, "q%d", k);
      out[k] = recorded_series(name);
    }
  return n;
}

static bool takes(const way *w, const char *scheme) {
  cas_error err;
  return find_pass(
             0x1p-5, 1, &err,
             "{system: {name: %s}, integrator: {name: %s, truncation: 0}, random: {generator: "
             "threefry}}",
             w->system, scheme) != NULL;
}

static void compare(const row *r, const char *scheme) {
  series a[20], b[20];
  double moved = 0;
  const int n = follow(&r->one, scheme, r->steps, "one.h5", a);
  ck_assert_int_eq(follow(&r->other, scheme, r->steps, "other.h5", b), n);
  for (int k = 0; k < n; k++) {
    ck_assert(a[k].records == b[k].records && a[k].numbers == b[k].numbers);
    for (int64_t i = 0; i < a[k].records * a[k].numbers; i++) {
      ck_assert_msg(fabs(a[k].value[i] - b[k].value[i]) <= r->within,
                    "%s: number %d of %s is %.17g, of %s %.17g", scheme, (int)i, r->one.system,
                    a[k].value[i], r->other.system, b[k].value[i]);
      moved = fmax(moved, fabs(a[k].value[i] - a[k].value[i % a[k].numbers]));
    }
  }
  ck_assert_msg(moved > 1e-3, "%s does not move", r->one.system);
}

static void check_row(const row *r) {
  static const char *const options[] = {"", ", retraction: exp", ", variant: energy_momentum"};
  int schemes = 0;
  write_normals(r->noises, r->steps);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    for (int k = 0; k < 3; k++) {
      char scheme[200];
      snprintf(scheme, sizeof scheme, "%s%s", (*i)->name, options[k]);
      if (r->noises < 0 && (*i)->needs & CAS_FLOWS)
        continue; /* The flows of the other way are in reverse order as well. */
      if (takes(&r->one, scheme) && takes(&r->other, scheme)) {
        compare(r, scheme);
        schemes += k == 0;
      }
    }
  ck_assert_msg(schemes >= r->schemes, "%s and %s: %d schemes", r->one.system, r->other.system,
                schemes);
}

TEST_OVER(paths_are_the_same, sizeof rows / sizeof *rows) { check_row(&rows[_i]); }

/* ---- the sine-Euler equations on su(3), whose Hamiltonians are sums over modes ---- */

static const int modes[4][2] = {{0, 1}, {1, -1}, {1, 0}, {1, 1}}; /* as files hold them */

/* Real (part 0) or imaginary part of omega_n as a sum of components of the state, with
   X = i/sqrt(N) sum of omega_n J_n (src/systems/torus/sine_euler.h). */
static void append_mode(char *text, size_t size, const int *mode, int part) {
  const int n1 = mode[0], n2 = (mode[1] + 3) % 3;
  const double pi = 3.14159265358979323846;
  cas_append(text, size, "(0");
  for (int j = 0; j < 3; j++) {
    int k = (j + n2) % 3;
    double complex c = cexp(-2 * pi * _Complex_I * n1 * (2 * j + mode[1]) / 3) / sqrt(3);
    /* omega_n = sum of c (-i) X_jk: the diagonal is i d, the entries above it re + i im, those
       below it -re + i im */
    double complex of_re = -_Complex_I * c * (j < k ? 1 : -1), of_im = c;
    double re = part ? cimag(of_re) : creal(of_re), im = part ? cimag(of_im) : creal(of_im);
    if (j == k)
      cas_append(text, size, " + %.17g*d%d", im, j + 1);
    else
      cas_append(text, size, " + %.17g*re%d%d + %.17g*im%d%d", re, (j < k ? j : k) + 1,
                 (j < k ? k : j) + 1, im, (j < k ? j : k) + 1, (j < k ? k : j) + 1);
  }
  cas_append(text, size, ")");
}

/* H_0 = -s sum |omega_n|^2/|n|^2 and H_k = -2 s amplitude Re omega_m, s = N^(3/2)/(4 pi) */
static void write_sine_euler(char *text, size_t size, const double *x) {
  snprintf(text, size,
           "lie_poisson, algebra: su_n, N: 3, parameters: {s: \"3^1.5/(4*pi)\"}, "
           "hamiltonian: \"-s*(0");
  for (int i = 0; i < 4; i++)
    for (int part = 0; part < 2; part++) {
      cas_append(text, size, " + ");
      append_mode(text, size, modes[i], part);
      cas_append(text, size, "^2/%d", modes[i][0] * modes[i][0] + modes[i][1] * modes[i][1]);
    }
  cas_append(text, size, ")\", noise: [\"-2*s*0.3*");
  append_mode(text, size, modes[1], 0);
  cas_append(text, size, "\", \"-2*s*0.3*");
  append_mode(text, size, modes[3], 0);
  cas_append(text, size, "\"], initial: [");
  for (int i = 0; i < 9; i++)
    cas_append(text, size, "%s%.17g", i ? ", " : "", x[i]);
  cas_append(text, size, "]");
}

TEST(written_sine_euler_follows_the_built_in_one) {
  static const double omega[8] = {0.3, -0.1, 0.2, 0.4, -0.25, 0.1, 0.15, 0.35};
  static const char built_in[] =
      "sine_euler, N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [1, 1]]}, initial: [[0.3, -0.1], "
      "[0.2, 0.4], [-0.25, 0.1], [0.15, 0.35]]";
  double packed[9];
  char written[12000], names[400] = "", sums[6000] = "";
  const cas_problem *p = &pass_of(1, 1, "system: {name: %s}", built_in)->problem;
  ck_assert_ptr_null(p->system->state.pack(p->parameters.all, omega, packed));
  write_sine_euler(written, sizeof written, packed);
  for (int i = 0; i < 8; i++) {
    cas_append(names, sizeof names, "%s%s_omega(%d,%d)", i ? ";" : "", i % 2 ? "im" : "re",
               modes[i / 2][0], modes[i / 2][1]);
    cas_append(sums, sizeof sums, i ? ";" : "");
    append_mode(sums, sizeof sums, modes[i / 2], i % 2);
  }
  check_row(&(row){{built_in, names}, {written, sums}, 2, 48, 1e-12, 5});
}

RUN_TESTS_WITH_MPI
