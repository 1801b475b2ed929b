/* The heavy top: solutions that are known exactly, and what schemes keep of it. */
/* ranks: 1 */
/* needs: sprng */
#include "heavy_top_fixture.h"
#include "math/kernels/kernels.h"

#include <hdf5.h>
#include <hdf5_hl.h>

static const char *const z0_text = "[0.8, -0.6, 1.5, 0.36, 0.48, 0.8]";
static const double z0[6] = {0.8, -0.6, 1.5, 0.36, 0.48, 0.8};

/* ---- runs ---- */

/* the largest departure of an observable of one number from its first value */
static double departure(const char *name) {
  int64_t n;
  double *x = recorded(name, &n), most = 0;
  for (int64_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i] - x[0]));
  return most;
}

static void write_normals(const char *file, int64_t paths, int64_t steps, int64_t noises,
                          const double *zeta) {
  hsize_t dims[3] = {(hsize_t)paths, (hsize_t)steps, (hsize_t)noises};
  hid_t f = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(H5LTmake_dataset_double(f, "zeta", 3, dims, zeta) >= 0);
  ck_assert(H5Fclose(f) >= 0);
}

/* ---- the exact solution of linear noises that commute ---- */

typedef long double six[6];

static void cross(const long double *a, const long double *b, long double *out) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void coadjoint(const six xi, const six z, six out) {
  long double lift[3];
  cross(z, xi, out);
  cross(z + 3, xi + 3, lift);
  for (int k = 0; k < 3; k++)
    out[k] += lift[k];
  cross(z + 3, xi, out + 3);
}

/* z <- Ad*_exp(xi) z, from the series of ad*_xi in parts of 1/64 */
static void flow(const six xi, six z) {
  six part;
  for (int k = 0; k < 6; k++)
    part[k] = xi[k] / 64;
  for (int i = 0; i < 64; i++) {
    six term, next;
    memcpy(term, z, sizeof term);
    for (int j = 1; j < 25; j++) {
      coadjoint(part, term, next);
      for (int k = 0; k < 6; k++) {
        term[k] = next[k] / j;
        z[k] += term[k];
      }
    }
  }
}

enum { STEPS = 40, MOST_NOISES = 2 };

/* Systems without drift whose noises commute: xi = sum_k W_k element_k moves z0. */
static const struct {
  const char *noise;
  int noises;
  double element[MOST_NOISES][6];
} exact[] = {
    {"pi: [[0.3, -0.4, 0.5]], gamma: [[0.2, 0.6, -0.7]]", 1, {{0.3, -0.4, 0.5, 0.2, 0.6, -0.7}}},
    {"pi: [[0.3, -0.4, 0.5], [-0.6, 0.8, -1]]", 2, {{0.3, -0.4, 0.5}, {-0.6, 0.8, -1}}},
    {"gamma: [[0.2, 0.6, -0.7], [0.5, 0, 0.1]]",
     2,
     {{0, 0, 0, 0.2, 0.6, -0.7}, {0, 0, 0, 0.5, 0, 0.1}}},
    {"square: [0.25]", 1, {{0.4, -0.3, 0.75}}}, /* twice a quarter of Pi, which is constant */
};

static double error_of(int which, const char *scheme) {
  char system[300];
  double zeta[STEPS * MOST_NOISES], most = 0;
  int64_t n;
  int noises = exact[which].noises;
  six xi = {0};
  for (int i = 0; i < STEPS * noises; i++)
    zeta[i] = 2 * sin(3 + 5.0 * i); /* angles per step of up to 1.4 */
  zeta[7] = 6;                      /* and one of 3 */
  write_normals("zeta.h5", 1, STEPS, noises, zeta);
  snprintf(system, sizeof system,
           "inertia: [.inf, .inf, .inf], mga: [0, 0, 0], noise: {%s}, initial: %s",
           exact[which].noise, z0_text);
  run_path(scheme, system, "generator: replay, file: zeta.h5", "step: 1, steps: 40");
  double *x = recorded("state", &n);
  ck_assert_int_eq(n, 6 * (STEPS + 1));
  for (int s = 0; s < STEPS; s++) {
    six z = {z0[0], z0[1], z0[2], z0[3], z0[4], z0[5]};
    for (int k = 0; k < 6; k++)
      for (int j = 0; j < noises; j++)
        xi[k] += (long double)zeta[s * noises + j] * (long double)exact[which].element[j][k];
    flow(xi, z);
    for (int k = 0; k < 6; k++)
      most = fmax(most, fabs(x[6 * (s + 1) + k] - (double)z[k]));
  }
  return most;
}

TEST_OVER(commuting_linear_noises_are_exact, sizeof exact / sizeof *exact) {
  static const char *const name[] = {"munthe_kaas", "splitting"};
  const cas_kernels *k;
  for (int i = 0; (k = cas_kernels_list(i)) != NULL; i++) {
    setenv("CASIMIR_KERNELS", k->name, 1);
    for (int j = 0; j < 2; j++) {
      double error = error_of(_i, name[j]);
      ck_assert_msg(error < 5e-14, "%s, %s, %s: off by %g", k->name, name[j], exact[_i].noise,
                    error);
    }
  }
  unsetenv("CASIMIR_KERNELS");
}

TEST(others_are_not_exact) {
  static const char *const schemes[] = {"implicit_midpoint", "implicit_trapezoid", "heun",
                                        "euler_maruyama"};
  double zeta[8];
  int64_t n;
  six z = {z0[0], z0[1], z0[2], z0[3], z0[4], z0[5]}, xi = {0};
  for (int s = 0; s < 8; s++) {
    zeta[s] = sin(3 + 5.0 * s);
    for (int k = 0; k < 6; k++)
      xi[k] += (long double)(zeta[s] * 0.25 * exact[0].element[0][k]);
  }
  flow(xi, z);
  write_normals("zeta.h5", 1, 8, 1, zeta);
  for (int i = 0; i < 4; i++) {
    char system[300];
    double most = 0;
    snprintf(system, sizeof system,
             "inertia: [.inf, .inf, .inf], mga: [0, 0, 0], noise: {%s}, initial: %s",
             exact[0].noise, z0_text);
    run_path(schemes[i], system, "generator: replay, file: zeta.h5", "step: 1/16, steps: 8");
    double *x = recorded("state", &n);
    for (int k = 0; k < 6; k++)
      most = fmax(most, fabs(x[n - 6 + k] - (double)z[k]));
    ck_assert_msg(most > 1e-5 && most < 0.1, "%s: off by %g", schemes[i], most);
  }
}

/* ---- without gravity ---- */

enum { SCHEMES = 6 };
static const char *const schemes[SCHEMES] = {"munthe_kaas", "implicit_midpoint",
                                             "splitting",   "implicit_trapezoid",
                                             "heun",        "euler_maruyama"};

TEST_OVER(without_gravity_it_is_the_rigid_body, SCHEMES) {
  double zeta[64 * 2];
  int64_t n, m;
  for (int i = 0; i < 128; i++)
    zeta[i] = 1.5 * sin(1 + 3.0 * i);
  write_normals("zeta.h5", 1, 64, 2, zeta);
  const char *normals = "generator: replay, file: zeta.h5", *study = "step: 2^-5, steps: 64";
  run_well(
      NULL,
      "system: {name: rigid_body, inertia: [4, 2, 1], noise: {kind: linear, chi: [[0.1, 0.4, 0], "
      "[0, 0.2, -0.3]]}, initial: [0.8, -0.6, 1.5]}\n"
      "integrator: {name: %s, truncation: 0}\nrandom: {%s}\nstudy: {kind: trajectory, %s}\n",
      schemes[_i], normals, study);
  double *x = recorded("state", &n), moved = 0;
  run_path(schemes[_i],
           "inertia: [4, 2, 1], mga: [0, 0, 0], noise: {pi: [[0.1, 0.4, 0], [0, 0.2, -0.3]]}",
           normals, study);
  double *z = recorded("state", &m);
  ck_assert_int_eq(2 * n, m);
  for (int64_t i = 0; i < n; i++) {
    double d = fabs(x[i] - z[i / 3 * 6 + i % 3]);
    ck_assert_msg(d <= 1e-13, "%s: states differ by %g", schemes[_i], d);
    moved = fmax(moved, fabs(x[i] - x[i % 3]));
  }
  ck_assert(moved > 0.1);
}

/* ---- a Lagrange top, turned by the noise ---- */

enum { PATHS = 256, FINEST = 128 };

#define LAGRANGE "inertia: [2, 2, 1], mga: [0, 0, 1], initial: [0.8, -0.6, 1.5, 0.36, 0.48, 0.8]"

/* H_1 = 1/2 Pi3: the exact solution is the path without noise, turned about e3 by -W/2. */
static void exact_end(const double *still, double w, double *z) {
  double c = cos(0.5 * w), s = sin(0.5 * w);
  for (int k = 0; k < 6; k += 3) {
    z[k] = c * still[k] + s * still[k + 1];
    z[k + 1] = c * still[k + 1] - s * still[k];
    z[k + 2] = still[k + 2];
  }
}

/* Root mean squares at t = 1 over all paths: of the error, and of the changes of H0 and Pi3. */
typedef struct {
  double error, energy, pi3;
} deviations;

static deviations deviations_at(int steps, const double *fine, const double *still) {
  static double zeta[PATHS * FINEST];
  char study[100];
  int64_t n, m;
  int r = FINEST / steps;
  deviations d = {0};
  memset(zeta, 0, sizeof zeta);
  for (int i = 0; i < PATHS * FINEST; i++)
    zeta[i / r] += fine[i] / sqrt(r);
  write_normals("zeta.h5", PATHS, steps, 1, zeta);
  snprintf(study, sizeof study,
           "step: 1/%d, steps: %d, every: %d, paths: %d, observables: [energy]", steps, steps,
           steps, PATHS);
  run_path("munthe_kaas", LAGRANGE ", noise: {pi: [[0, 0, 0.5]]}",
           "generator: replay, file: zeta.h5", study);
  double *x = recorded("state", &n), *h = recorded("energy", &m);
  ck_assert(n == 2 * PATHS * 6 && m == 2 * PATHS);
  for (int p = 0; p < PATHS; p++) {
    double z[6], w = 0;
    for (int i = 0; i < FINEST; i++)
      w += fine[p * FINEST + i] / sqrt(FINEST);
    exact_end(still, w, z);
    for (int k = 0; k < 6; k++)
      d.error += pow(x[(PATHS + p) * 6 + k] - z[k], 2) / PATHS;
    d.energy += pow(h[PATHS + p] - h[p], 2) / PATHS;
    d.pi3 += pow(x[(PATHS + p) * 6 + 2] - z0[2], 2) / PATHS;
  }
  return (deviations){sqrt(d.error), sqrt(d.energy), sqrt(d.pi3)};
}

TEST(lagrange_top_turned_by_the_noise) {
  static double u[PATHS * FINEST] __attribute__((aligned(64))),
      fine[PATHS * FINEST] __attribute__((aligned(64)));
  int64_t n;
  cas_kernels_list(0)->threefry(5, 0, 0, 0, PATHS * FINEST, u);
  cas_kernels_list(0)->normals(PATHS * FINEST, u, fine);
  run_path("munthe_kaas", LAGRANGE, "", "step: 2^-13, steps: 8192, every: 8192");
  double *still = recorded("state", &n);
  ck_assert_int_eq(n, 12);
  deviations a = deviations_at(32, fine, still + 6), b = deviations_at(64, fine, still + 6),
             c = deviations_at(128, fine, still + 6);
  ck_assert_msg(fabs(a.error / b.error - 2) < 0.25 && fabs(b.error / c.error - 2) < 0.25,
                "errors %g, %g, %g", a.error, b.error, c.error);
  ck_assert_msg(fabs(a.energy / b.energy - 2) < 0.25 && fabs(b.energy / c.energy - 2) < 0.25,
                "energy changes by %g, %g, %g", a.energy, b.energy, c.energy);
  ck_assert_msg(fabs(a.pi3 / b.pi3 - 4) < 0.5 && fabs(b.pi3 / c.pi3 - 4) < 0.5,
                "Pi3 changes by %g, %g, %g", a.pi3, b.pi3, c.pi3);
}

/* ---- integrals without noise ---- */

static double departure_without_noise(const char *scheme, const char *system, const char *name,
                                      int halvings) {
  char study[100];
  snprintf(study, sizeof study, "step: 2^-%d, steps: %d, observables: [%s]", halvings,
           8 << halvings, name);
  run_path(scheme, system, "", study);
  return departure(name);
}

TEST(momentum_without_noise) {
  double coarse = departure_without_noise("munthe_kaas", LAGRANGE, "pi3", 4),
         fine = departure_without_noise("munthe_kaas", LAGRANGE, "pi3", 5),
         rule = departure_without_noise("implicit_midpoint", LAGRANGE, "pi3", 4);
  ck_assert_msg(coarse > 1e-6 && fabs(coarse / fine - 4) < 0.4, "Pi3: %g, %g", coarse, fine);
  ck_assert_msg(rule < 1e-13, "Pi3 with the implicit midpoint rule: %g", rule);
}

#define CHAPLYGIN "inertia: [4, 4, 1], mga: [0.6, -0.8, 0], initial: "

TEST(goryachev_and_chaplygin) {
  const char *integral = "goryachev_chaplygin";
  const char *system = CHAPLYGIN "[2, -1, 0.5, 0, 0.48, 0.96]",
             *other = CHAPLYGIN "[2, -1, 0.5, 0.48, 0.48, 0.96]";
  double coarse = departure_without_noise("munthe_kaas", system, integral, 5),
         fine = departure_without_noise("munthe_kaas", system, integral, 6),
         off = departure_without_noise("munthe_kaas", other, integral, 6);
  ck_assert_msg(coarse < 1e-2 && fabs(coarse / fine - 4) < 0.4, "departs by %g and %g", coarse,
                fine);
  ck_assert_msg(off > 0.1, "departs by %g only where Pi.Gamma is not 0", off);
}

TEST(upright_top_is_steady) {
  int64_t n;
  for (int i = 0; i < SCHEMES; i++) {
    run_path(schemes[i], "inertia: [4, 2, 1], mga: [0, 0, 1], initial: [0, 0, 1.5, 0, 0, 1]", "",
             "step: 2^-4, steps: 100");
    double *x = recorded("state", &n);
    for (int64_t k = 0; k < n; k++)
      ck_assert_msg(x[k] == x[k % 6], "%s: number %d is %.17g", schemes[i], (int)k % 6, x[k]);
  }
}

RUN_TESTS_WITH_MPI
