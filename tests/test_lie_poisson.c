/* Systems that are written as expressions: the paths of the built-in ones, brackets of one's own,
   and what is refused. */
/* ranks: 1 */
/* needs: sprng */
#include "language/expressions/checks.h"
#include "pass_fixture.h"

#include <complex.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>

enum { STEPS = 48 };

/* Blocks of other sizes have other streams, so that normals come from a file. */
static void write_normals(int noises) {
  _Alignas(64) double u[2 * 1024], *z = u + 1024;
  hsize_t dims[2] = {STEPS, (hsize_t)noises};
  cas_kernels_list(0)->threefry(11, 0, 0, 0, 1024, u);
  cas_kernels_list(0)->normals(1024, u, z);
  ck_assert(STEPS * noises <= 1024);
  hid_t file = H5Fcreate("zeta.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(H5LTmake_dataset_double(file, "zeta", 2, dims, z) >= 0);
  ck_assert(H5Fclose(file) >= 0);
}

/* the state over time; of complex modes of sine_euler the real parts and imaginary parts */
static double *path_of(const char *system, const char *scheme, int64_t *n) {
  run_well(NULL,
           "system: %s\nintegrator: {name: %s}\nrandom: {generator: replay, file: zeta.h5}\n"
           "study: {kind: trajectory, step: 2^-5, steps: %d}\n",
           system, scheme, STEPS);
  return recorded("/trajectory/state", n);
}

/* ---- systems that are built in ---- */

static const struct {
  const char *built_in, *written;
  int noises;
  unsigned without; /* features that are known of the built-in system alone */
} pairs[] = {
    {"{name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.3}, initial: "
     "[0.36, 0.48, 0.8]}",
     "{name: lie_poisson, algebra: so3, parameters: {I1: 2, I2: 1, I3: 3/5, s: 0.3}, hamiltonian: "
     "x1^2/(2*I1) + x2^2/(2*I2) + x3^2/(2*I3), noise: [s*x1^2/2, s*x2^2/2, s*x3*x3/2], initial: "
     "[0.36, 0.48, 0.8]}",
     3, 0},
    {"{name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: linear, chi: [[0.3, -0.4, 0.5], [0.1, "
     "0.2, 0]]}, initial: [0.36, 0.48, 0.8]}",
     "{name: lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: [0.3*x1 - 0.4*x2 + "
     "0.5*x3, "
     "0.1*x1 + 0.2*x2], initial: [0.36, 0.48, 0.8]}",
     2, 0},
    {"{name: heavy_top, inertia: [4, 2, 1], mga: [0.2, 0, 1], noise: {pi: [[0.1, -0.2, 0.15], [0, "
     "0, 0.1]], gamma: [[0, 0, 0.2], [0.1, 0, 0]]}, initial: [0.3, 0.1, 0.5, 0, 0.6, 0.8]}",
     "{name: lie_poisson, algebra: se3, hamiltonian: Pi1^2/8 + Pi2^2/4 + Pi3^2/2 + 0.2*Gamma1 + "
     "Gamma3, noise: [0.1*Pi1 - 0.2*Pi2 + 0.15*Pi3 + 0.2*Gamma3, 0.1*Pi3 + 0.1*Gamma1], initial: "
     "[0.3, 0.1, 0.5, 0, 0.6, 0.8]}",
     2, CAS_FLOWS},
    {"{name: manakov, n: 4, noise: {sigma: 0.2}, initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]}",
     "{name: lie_poisson, algebra: so_n, n: 4, hamiltonian: (x12^2 + x13^2/2 + x14^2/3 + x23^2/4 + "
     "x24^2/5 + x34^2/6)/2, noise: [0.1*x12^2, 0.1*x13^2, 0.1*x14^2, 0.1*x23^2, 0.1*x24^2, "
     "0.1*x34^2], initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]}",
     6, CAS_FLOWS},
};

static bool both_have(const char *system, unsigned without, const cas_integrator *i) {
  const cas_system *s = cas_system_find(system);
  void *zeros = calloc(1, s->parameters.size);
  bool fits = !(i->needs & without) && cas_scheme_find_step(s->blocks.body(zeros), i) != NULL;
  free(zeros);
  return fits;
}

static void compare(const char *built_in, const char *written, const char *scheme) {
  int64_t n, m;
  double *a = path_of(built_in, scheme, &n), *b = path_of(written, scheme, &m);
  ck_assert_int_eq(n, m);
  for (int64_t i = 0; i < n; i++)
    ck_assert_msg(fabs(a[i] - b[i]) <= 1e-12, "%s: number %lld is %.17g, not %.17g\n%s", scheme,
                  (long long)i, b[i], a[i], written);
  ck_assert(fabs(a[n - 1] - a[n / (STEPS + 1) - 1]) > 1e-3);
}

TEST_OVER(written_systems_follow_the_built_in_ones, sizeof pairs / sizeof *pairs) {
  char name[40];
  sscanf(pairs[_i].built_in, "{name: %39[a-z_]", name);
  write_normals(pairs[_i].noises);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if (both_have(name, pairs[_i].without, *i))
      compare(pairs[_i].built_in, pairs[_i].written, (*i)->name);
}

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
           "{name: lie_poisson, algebra: su_n, N: 3, parameters: {s: \"3^1.5/(4*pi)\"}, "
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
  cas_append(text, size, "]}");
}

TEST(written_sine_euler_follows_the_built_in_one) {
  static const double omega[8] = {0.3, -0.1, 0.2, 0.4, -0.25, 0.1, 0.15, 0.35};
  static const char built_in[] =
      "{name: sine_euler, N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [1, 1]]}, initial: [[0.3, "
      "-0.1], [0.2, 0.4], [-0.25, 0.1], [0.15, 0.35]]}";
  double packed[9], worst = 0;
  char written[12000];
  const cas_problem *p = &pass_of(1, 1, "system: %s", built_in)->problem; /* packs modes */
  write_normals(2);
  ck_assert_ptr_null(p->system->state.pack(p->parameters.all, omega, packed));
  write_sine_euler(written, sizeof written, packed);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    int64_t n, m;
    if (!both_have("sine_euler", CAS_FLOWS, *i))
      continue;
    double *a = path_of(built_in, (*i)->name, &n), *b = path_of(written, (*i)->name, &m);
    ck_assert_int_eq(n / 8, m / 9);
    for (int64_t r = 0; r < n / 8; r++) {
      double x[9];
      ck_assert_ptr_null(p->system->state.pack(p->parameters.all, a + 8 * r, x));
      for (int k = 0; k < 9; k++) {
        double off = fabs(x[k] - b[9 * r + k]);
        worst = off <= worst ? worst : off;
      }
    }
    ck_assert_msg(worst <= 1e-12, "%s: off by %g", (*i)->name, worst);
  }
}

/* Pairs of noises are looked at one after another, and what one needs is not kept for the next. */
TEST(pairs_of_noises_leave_no_operations) {
  enum { NOISES = 20 };
  static const char *const variable[] = {"x1", "x2", "x3", NULL};
  static const char *const entry[] = {"0", "x3", "-x2", "-x3", "0", "x1", "x2", "-x1", "0"};
  const cas_scope scope = {.variable = variable};
  int hamiltonian[NOISES + 1], bracket[9];
  char text[100];
  bool commuting;
  cas_hamiltonians h = {.components = 3, .noises = NOISES};
  cas_complaint e;
  cas_check_finding f;
  for (int i = 0; i < 9; i++)
    ck_assert(cas_expression_read(entry[i], &scope, &h.list, &bracket[i], &e));
  for (int k = 0; k <= NOISES; k++) {
    snprintf(text, sizeof text, "sin(%d*(x1^2 + x2^2 + x3^2))*x3%s", k, k < NOISES ? "" : " + x1");
    ck_assert(cas_expression_read(text, &scope, &h.list, &hamiltonian[k], &e));
  }
  h.hamiltonian = hamiltonian;
  h.bracket.entry = bracket;
  ck_assert(cas_hamiltonians_derive(&h));
  const int before = h.list.n;
  for (h.noises = NOISES - 1; h.noises <= NOISES; h.noises++) {
    ck_assert(cas_check_commuting(&h, (double[]){0.6, 0.2, 0.8}, &commuting, &f));
    ck_assert(!f.not_evaluated && commuting == (h.noises < NOISES));
    ck_assert_int_eq(h.list.n, before);
  }
  free(h.gradient);
  cas_operations_free(&h.list);
}

/* ---- Hamiltonians on so3 of which more is known ---- */

/* x1 = 0.6 y1 + 0.8 y2, x2 = -0.8 y1 + 0.6 y2: a turned body has the turned path. */
TEST(turned_bodies_have_turned_paths) {
  static const char straight[] =
      "{name: lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2 + 0.2*x1, noise: [0.15*x1^2, "
      "0.15*x2^2 + 0.1*x3], initial: [0.36, 0.48, 0.8]}";
  static const char turned[] =
      "{name: lie_poisson, hamiltonian: \"(0.6*x1 + 0.8*x2)^2/4 + (0.6*x2 - 0.8*x1)^2/2 + x3^2/1.2 "
      "+ "
      "0.2*(0.6*x1 + 0.8*x2)\", noise: [\"0.15*(0.6*x1 + 0.8*x2)^2\", \"0.15*(0.6*x2 - 0.8*x1)^2 + "
      "0.1*x3\"], initial: [-0.168, 0.576, 0.8]}";
  write_normals(2);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    int64_t n;
    if (!both_have("rigid_body", CAS_FLOWS, *i))
      continue;
    double *x = path_of(straight, (*i)->name, &n), *y = path_of(turned, (*i)->name, &n);
    for (int64_t r = 0; r < n; r += 3) {
      double x1 = 0.6 * y[r] + 0.8 * y[r + 1], x2 = 0.6 * y[r + 1] - 0.8 * y[r];
      double off = fmax(fmax(fabs(x1 - x[r]), fabs(x2 - x[r + 1])), fabs(y[r + 2] - x[r + 2]));
      ck_assert_msg(off <= 1e-12, "%s: %g at record %lld", (*i)->name, off, (long long)(r / 3));
    }
  }
}

/* ---- brackets of one's own ---- */

static const char *const own_so3[] = {
    "algebra: brackets, components: [x1, x2, x3], brackets: {x1 x2: -x3, x2 x3: -x1, x1 x3: x2}",
    "algebra: {structure_constants: [[1, 2, 3, -1], [2, 3, 1, -1], [1, 3, 2, 1], [3, 1, 2, -1]]}"};

static const char *const on_so3[] = {
    "hamiltonian: x1^2/4 + x2^2/2 + x3^2 + 0.3*sin(x1), noise: [0.2*x1*x2, 0.3*x3]",
    "hamiltonian: x1^2 + 0.5*x1*x2*x3, noise: [0.2*x1^2, 0.3*x3^2 - 0.1*x2^2]",
    ("hamiltonian: x1^2/4 + 0.3*x1*x2 - 0.2*x2*x3 + 0.1*x1*x3 + 0.2*x2, noise: [0.2*x2*x3 + "
     "0.1*x3^2, 0.3*x1*x3 - 0.1*x1*x2]")};

TEST_OVER(brackets_of_so3_are_so3, 2 * sizeof on_so3 / sizeof *on_so3) {
  char built_in[400], own[800];
  const char *keys = on_so3[_i / 2];
  snprintf(built_in, sizeof built_in, "{name: lie_poisson, %s, initial: [0.36, 0.48, 0.8]}", keys);
  snprintf(own, sizeof own,
           "{name: lie_poisson, %s, casimirs: [x1^2 + x2^2 + x3^2], %s, initial: [0.36, 0.48, "
           "0.8]}",
           own_so3[_i % 2], keys);
  write_normals(2);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if ((*i)->needs == CAS_ADDITION || (*i)->needs == CAS_ITO || (*i)->needs == CAS_EXPONENTIAL)
      compare(built_in, own, (*i)->name);
}

/* dx = x (y - z), .. with {x, y} = x y, .. and H = x + y + z; x y z is its Casimir */
static const char lotka_volterra[] =
    "algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: z*x}, casimirs: "
    "[x*y*z], hamiltonian: x + y + z, initial: [0.5, 0.6, 0.9]";

/* With noise the strong order of a scheme is that of its theory; the commuting noise is found. */
TEST(orders_of_quadratic_brackets) {
  static const struct {
    const char *scheme, *noise;
    double order;
  } cases[] = {{"heun", "[0.2*x]", 1},
               {"implicit_midpoint", "[0.2*x, 0.2*y]", 0.5},
               {"euler_maruyama", "[0.3*x]", 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cas_results r;
    run_well(&r,
             "system: {name: lie_poisson, %s, noise: %s}\nintegrator: {name: %s}\n"
             "random: {generator: threefry}\n"
             "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 16, levels: 4, reference: "
             "7, paths: 512}\n",
             lotka_volterra, cases[i].noise, cases[i].scheme);
    const cas_curve *c = cas_results_curve(&r, 0);
    double order = cas_laws_headline(&c->laws).order;
    ck_assert_msg(fabs(order - cases[i].order) < 0.2, "%s, %s: order %g", cases[i].scheme,
                  cases[i].noise, order);
    ck_assert(c->expected_order == cases[i].order);
  }
}

/* ---- what is refused ---- */

#define OWN "algebra: brackets, components: [x, y, z], initial: [1, 1, 1], "

#define CONSTANTS "initial: [1, 1, 1], algebra: {structure_constants: "

static const struct {
  const char *keys, *complaint;
} refused[] = {
    {"hamiltonian: x1^2 + x4, initial: [1, 0, 0]",
     "1:49: system.hamiltonian: there is no 'x4'; did you mean 'x1'?"},
    {"hamiltonian: x1 +, initial: [1, 0, 0]", "1:46: system.hamiltonian: found the end"},
    {"hamiltonian: \"3\", initial: [1, 0, 0]", "which is constant: must depend on the state"},
    {"hamiltonian: \"0\", initial: [1, 0, 0]", "which is constant"},
    {"hamiltonian: x1, noise: [x1, \"2\"], initial: [1, 0, 0]",
     "system.noise[1]: found '2', which"},
    {"hamiltonian: x1, noise: [x1, sin(], initial: [1, 0, 0]", "system.noise[1]: found "},
    {"hamiltonian: sqrt(x2) + x1, initial: [1, 0, 0]",
     "the derivative of H_0 with respect to x2 is inf there, must be finite"},
    {"hamiltonian: x1/sqrt(-x2), initial: [1, 1, 0]",
     "the derivative of H_0 with respect to x1 is nan there, must be finite"},
    {"hamiltonian: x1/0, initial: [1, 0, 0]", "1:45: system.hamiltonian: division by 0"},
    {"hamiltonian: a*x1, parameters: {a: b, b: a}, initial: [1, 0, 0]",
     "system.parameters.a: there is no 'b'"},
    {"hamiltonian: a*x1, parameters: {a: a + 1}, initial: [1, 0, 0]",
     "a parameter may use those above it"},
    {"hamiltonian: x1, parameters: {x1: 2}, initial: [1, 0, 0]", "a component is called 'x1'"},
    {"hamiltonian: x1, parameters: {pi: 3}, initial: [1, 0, 0]", "has a meaning in expressions"},
    {"hamiltonian: x1, observables: {f: x1 + y1}, initial: [1, 0, 0]",
     "system.observables.f: there is no 'y1'"},
    {"hamiltonian: x1, observables: {state: x1}, initial: [1, 0, 0]",
     "system.observables.state: files have something else of the name 'state'"},
    {"hamiltonian: x1, observables: {f: g, g: x1}, initial: [1, 0, 0]",
     "system.observables.f: there is no 'g'"},
    {"hamiltonian: x1, observables: {energy: x1}, initial: [1, 0, 0]",
     "'energy' is a name already"},
    {"hamiltonian: x1, initial: [1, 0]", "3"},
    {"hamiltonian: x1, n: 4, initial: [1, 0, 0]", "system.n: belongs to 'algebra: so_n'"},
    {"hamiltonian: x1, casimirs: [x2], initial: [1, 0, 0]", "belongs to 'algebra: brackets'"},
    {"algebra: so_4, hamiltonian: x1, initial: [1, 0, 0]", "did you mean 'so_n'?"},
    {OWN "hamiltonian: x", "'brackets' is missing"},
    {OWN "brackets: {x w: y}, hamiltonian: x", "must be two different components"},
    {OWN "brackets: {x x: y}, hamiltonian: x", "must be two different components"},
    {OWN "brackets: {x y: z, y x: -z}, hamiltonian: x", "is given twice"},
    {OWN "brackets: {x y: q}, hamiltonian: x", "system.brackets.x y: there is no"},
    {OWN "brackets: {x y: z, y z: x*y, z x: x}, hamiltonian: x", "the Jacobi identity fails for"},
    {OWN "brackets: {x y: z, y z: x, z x: y}, casimirs: [x + y], hamiltonian: x",
     "system.casimirs[0]: is no Casimir: its bracket with"},
    {OWN "brackets: {x y: z, y z: x, z x: y}, casimirs: [\"1\"], hamiltonian: x", "is constant"},
    {"algebra: brackets, components: [x, x], brackets: {x y: x}, hamiltonian: x",
     "names 'x' twice"},
    {CONSTANTS "[[1, 2, 3, 1], [2, 1, 3, 1]]}, hamiltonian: x1",
     "structure_constants[1]: {x2, x1} has 1 x3, and -1 of it by a row before"},
    {CONSTANTS "[[1, 2, 3, 1], [3, 3, 1, 2]]}, hamiltonian: x1", "{x3, x3} has 2 x1, must be 0"},
    {CONSTANTS "[[1, 2, 3, 1], [1, 3, 1, 1]]}, hamiltonian: x1",
     "structure_constants: the Jacobi identity fails for x1, x2 and x3"},
    {CONSTANTS "[[1, 2, 3], [2, 3, 1]]}, hamiltonian: x1", "must be [i, j, k, c]"},
    {CONSTANTS "[[1, 2, 2.5, 1]]}, hamiltonian: x1", "found the component 2.5, must be a whole"},
    {CONSTANTS "[[0, 2, 3, 1]]}, hamiltonian: x1", "found the component 0, must be a whole"},
    {CONSTANTS "[[1, 2, 4e9, 1]]}, hamiltonian: x1",
     "numbers of components go up to 33 and beyond, must be at most 32"},
    {CONSTANTS "[[1, 2, 3, 0.5], [1, 2, 3, 0.5]]}, hamiltonian: x1",
     "structure_constants[1]: the components of row 1 again"},
    {CONSTANTS "[[1, 2, 3, 1]]}, components: [x, y], hamiltonian: x",
     "found the component 3, must be a whole number from 1 to 2 (x to y)"},
    {CONSTANTS "[[1, 2, 3, 1]]}, casimirs: [x1], hamiltonian: x1", "is no Casimir"},
    {CONSTANTS "[[1, 2, 3, 1]]}, brackets: {x1 x2: x3}, hamiltonian: x1",
     "belongs to 'algebra: brackets', not to 'algebra: structure_constants'"},
    {CONSTANTS "[[1, 2, 3, 1]], name: so3}, hamiltonian: x1",
     "belongs to 'algebra: structure_constants', not to 'algebra: so3'"},
    {"algebra: structure_constants, hamiltonian: x1, initial: [1, 1, 1]",
     "without structure constants; must be {structure_constants: [["},
};

TEST_OVER(what_is_wrong_is_said, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i].complaint,
             "system: {name: lie_poisson, %s}\nstudy: {kind: trajectory, step: 2^-5, steps: 4, "
             "observables: [hamiltonian]}\n",
             refused[_i].keys);
}

static const struct {
  const char *keys, *scheme, *why;
} unfit[] = {
    {lotka_volterra, "munthe_kaas", "these brackets are not linear"},
    {lotka_volterra, "isospectral_midpoint", "J-quadratic"},
    {lotka_volterra, "splitting", "known on so3 alone, not on brackets"},
    {"hamiltonian: x1^2 + x2*x3, initial: [1, 0, 0]", "splitting",
     "of one component each and their sums: the derivative of H_0 with respect to x3 depends on "
     "x2"},
    {"hamiltonian: x1^2, noise: [x2, x1*x2 + x3], initial: [1, 0, 0]", "splitting",
     "the derivative of H_2 with respect to x2 depends on x1"},
    {"hamiltonian: x1^2 + x3^3, initial: [1, 0, 0]", "variational_midpoint",
     "of at most second degree: the second derivative of H_0 with respect to x3 and x3 is not "
     "constant"},
    {"algebra: se3, hamiltonian: Pi1^2 + Gamma3^2, initial: [1, 0, 0, 0, 0, 1]",
     "variational_midpoint",
     "in Pi, and linear in Gamma: the second derivative of H_0 with respect to Gamma3 and Gamma3 "
     "is "
     "not 0"},
    {"algebra: se3, hamiltonian: Pi1^2 + Gamma3, initial: [1, 0, 0, 0, 0, 1]", "splitting",
     "known on so3 alone, not on se3"},
};

TEST_OVER(schemes_that_do_not_fit_say_why, sizeof unfit / sizeof *unfit) {
  is_refused(0, unfit[_i].why,
             "system: {name: lie_poisson, %s}\nintegrator: {name: %s}\n"
             "study: {kind: trajectory, step: 2^-5, steps: 4}\n",
             unfit[_i].keys, unfit[_i].scheme);
}

RUN_TESTS_WITH_MPI
