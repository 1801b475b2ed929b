/* The Hoppe-Yau Laplacian, its eigenbasis T_lm, and the correspondence of T_lm with the real
   spherical harmonics Y_lm. */
#include "base/scratch.h"
#include "math/algebra/su_n.h"
#include "math/harmonics/hoppe_yau.h"
#include "math/harmonics/sphere.h"
#include "matrices.h"
#include "numbers.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static void release_basis(void *b) {
  cas_hoppe_yau_free(b);
  free(b);
}

/* A basis with the rows of these degrees, which the suite frees. */
static const cas_hoppe_yau *basis_with(int N, int first, int next) {
  cas_hoppe_yau *b = malloc(sizeof *b);
  MUST(cas_hoppe_yau_create(N, first, next, b, &err));
  suite_keep(b, release_basis);
  return b;
}

static const cas_hoppe_yau *basis_of(int N) { return basis_with(N, 0, N); }

/* ---- eigenvalues and eigenvectors ---- */

/* Rayleigh quotient and residual in extended precision: whether these vectors are eigenvectors with
   the eigenvalues l(l+1). */
static void check_diagonal(const cas_hoppe_yau *b, int m, double most[2]) {
  const int N = b->N, n = N - m, step = N > 512 ? (looks_for_accesses() ? 101 : 5) : 1;
  double *v = doubles((size_t)n);
  long double s = 0.5L * (N - 1);
  for (int l = m; l < N; l += step) {
    cas_hoppe_yau_unfold(b, l, m, v);
    long double quotient = 0, square = 0, wanted = l * (l + 1.0L), residual = 0;
    for (int k = 0; k < n; k++) {
      long double a = s - k, c = a - m, row = 2 * (s * (s + 1) - a * c) * v[k];
      if (k + 1 < n)
        row -= sqrtl((s * (s + 1) - a * (a - 1)) * (s * (s + 1) - c * (c - 1))) * v[k + 1];
      if (k > 0)
        row -= sqrtl((s * (s + 1) - a * (a + 1)) * (s * (s + 1) - c * (c + 1))) * v[k - 1];
      quotient += v[k] * row;
      square += (long double)v[k] * v[k];
      residual = fmaxl(residual, fabsl(row - wanted * v[k]));
    }
    most[0] = fmax(most[0], (double)fabsl(quotient / square - wanted));
    most[1] = fmax(most[1], (double)residual / (double)N / N);
    ck_assert(isfinite(quotient) && fabsl(square - 1) < 1e-13);
  }
}

TEST_OVER(eigenvalues_are_l_l_plus_1, 8) {
  static const int N[] = {2, 3, 12, 33, 128, 512, 1024, CAS_HOPPE_YAU_MOST};
  const bool few = repetitions(100) < 100;
  const int step = N[_i] > 512   ? 25600 / repetitions(100)
                   : N[_i] > 128 ? 8
                                 : 1,
            each = step > 8 ? 2 : 8;
  /* of large matrices none are kept, which would take gigabytes */
  const cas_hoppe_yau *b = basis_with(N[_i], 0, 0);
  double most[2] = {0};
  for (int m = 0, next; m < N[_i]; m = next) {
    const int dense = N[_i] - each - (few ? 0 : step); /* from here on each is looked at */
    next = m < each || m >= dense ? m + 1 : m + step < dense ? m + step : dense;
    check_diagonal(b, m, most);
  }
  printf("N = %d: Rayleigh quotients off by %.1e, residuals %.1e N^2\n", N[_i], most[0], most[1]);
  ck_assert_msg(most[0] <= 1e-10, "Rayleigh quotients off by %g", most[0]);
  /* errors of a recurrence grow with its length */
  ck_assert_msg(most[1] <= 1e-14 * fmax(1, N[_i] / 512.0), "residuals %g N^2", most[1]);
}

/* Coefficients and states are the same whichever rows are kept, also of both kinds in a block. */
TEST(transforms_are_the_same_whichever_rows_are_kept) {
  enum { N = CAS_HOPPE_YAU_WHOLE + 9, MODES = N * N - 1 };
  static const int kept[][2] = {{0, 0}, {3, 141}, {0, N}};
  double *omega = doubles(N * N), *x[3], *back[3];
  for (int i = 0; i < MODES; i++)
    omega[i] = sin(1.0 + i);
  for (int k = 0; k < 3; k++) {
    const cas_hoppe_yau *b = basis_with(N, kept[k][0], kept[k][1]);
    ck_assert(kept[k][1] == N || cas_hoppe_yau_bytes(b) < 30000000);
    x[k] = doubles(N * N);
    back[k] = doubles(N * N);
    cas_hoppe_yau_state(b, omega, x[k]);
    cas_hoppe_yau_coefficients(b, 1, x[k], back[k]);
    ck_assert_mem_eq(x[k], x[0], sizeof(double) * N * N);
    ck_assert_mem_eq(back[k], back[0], sizeof(double) * MODES);
  }
  for (int i = 0; i < MODES; i++)
    ck_assert_msg(fabs(back[0][i] - omega[i]) <= 1e-12, "%d: %g", i, back[0][i] - omega[i]);
}

/* Coefficients of a state and the state of coefficients are inverse to each other, and the norm is
   that of the coefficients: the T_lm are orthonormal. Accesses at the largest size are those of the
   test above. */
TEST_OVER(basis_is_orthonormal, all_or(9, 8)) {
  static const int sizes[] = {2, 3, 4, 5, 12, 31, 64, 129, CAS_HOPPE_YAU_WHOLE + 1};
  int N = sizes[_i], modes = N * N - 1;
  const size_t size = (size_t)(N * N);
  double *omega = doubles(size), *x = doubles(size), *back = doubles(size), square[2] = {0},
         trace = 0;
  for (int i = 0; i < modes; i++) {
    omega[i] = sin(1 + 3.0 * i);
    square[0] += omega[i] * omega[i];
  }
  cas_hoppe_yau_state(basis_of(N), omega, x);
  for (int k = 0; k < N * N; k++) {
    square[1] += (k < N ? 1 : 2) * x[k] * x[k];
    trace += k < N ? x[k] : 0;
  }
  cas_hoppe_yau_coefficients(basis_of(N), 1, x, back);
  ck_assert(fabs(square[1] / square[0] - 1) <= 1e-13 && fabs(trace) <= 1e-12);
  for (int i = 0; i < modes; i++)
    ck_assert_msg(fabs(back[i] - omega[i]) <= 2e-13, "coefficient %d: %.17g, must be %.17g", i,
                  back[i], omega[i]);
}

/* ---- spherical harmonics ---- */

static double value_at(int N, const double *omega, double theta, double phi) {
  double legendre[CAS_HOPPE_YAU_MOST], sum = 0;
  cas_sphere_scaled start = {0};
  for (int m = 0; m < N; m++) {
    start = cas_sphere_legendre_start(m, sin(theta), start);
    cas_sphere_legendre(N, m, theta, start, legendre);
    for (int l = m ? m : 1; l < N; l++)
      sum += legendre[l - m] * (m ? sqrt(2) * (omega[cas_hoppe_yau_mode(l, -m)] * cos(m * phi) +
                                               omega[cas_hoppe_yau_mode(l, m)] * sin(m * phi))
                                  : omega[cas_hoppe_yau_mode(l, 0)]);
  }
  return sum;
}

static const int known[][2] = {{1, 0},  {1, 1}, {1, -1}, {2, 0}, {2, 1},
                               {2, -2}, {3, 2}, {3, -3}, {4, 0}};

/* in Cartesian coordinates on the unit sphere */
static double known_value(int i, double x, double y, double z) {
  const double value[] = {sqrt(3 / (4 * pi)) * z,
                          sqrt(3 / (4 * pi)) * y,
                          sqrt(3 / (4 * pi)) * x,
                          sqrt(5 / (16 * pi)) * (3 * z * z - 1),
                          sqrt(15 / (4 * pi)) * y * z,
                          sqrt(15 / (16 * pi)) * (x * x - y * y),
                          sqrt(105 / (16 * pi)) * 2 * x * y * z,
                          sqrt(35 / (32 * pi)) * x * (x * x - 3 * y * y),
                          3 / (16 * sqrt(pi)) * (35 * z * z * z * z - 30 * z * z + 3)};
  return value[i];
}

TEST_OVER(maps_show_known_harmonics, (int)(sizeof known / sizeof *known)) {
  enum { N = 7, ROWS = 18, COLUMNS = 10, LANES = 3 };
  const int mode = cas_hoppe_yau_mode(known[_i][0], known[_i][1]);
  double omega[N * N] = {0}, apart[N * N * LANES] = {0}, map[ROWS * COLUMNS * LANES];
  omega[mode] = apart[mode * LANES] = 2;
  cas_sphere_synthesise(N, apart, ROWS, COLUMNS, LANES, map);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      double theta = (90 - cas_sphere_latitude(ROWS, i)) * pi / 180,
             phi = cas_sphere_longitude(COLUMNS, j) * pi / 180,
             wanted = 2 * known_value(_i, sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)),
             found = map[(i * COLUMNS + j) * LANES];
      ck_assert_msg(fabs(found - wanted) <= 1e-14, "Y_%d,%d at %g, %g: %.17g, must be %.17g",
                    known[_i][0], known[_i][1], theta, phi, found, wanted);
      ck_assert(fabs(value_at(N, omega, theta, phi) - wanted) <= 1e-14);
    }
  ck_assert(cas_sphere_latitude(ROWS, 0) == -85 && cas_sphere_latitude(ROWS, 17) == 85);
  ck_assert(cas_sphere_longitude(COLUMNS, 9) == 324);
}

/* sum over m of Y_lm^2 = (2l+1)/(4 pi) everywhere, up to the highest degrees */
TEST(legendre_functions_obey_the_addition_theorem) {
  enum { N = CAS_HOPPE_YAU_MOST };
  static const double theta[] = {1e-3, 0.2, 0.9, 1.5707963, 2.5, 3.14};
  double *sum = doubles(N), *legendre = doubles(N);
  for (int t = 0; t < 6; t += looks_for_accesses() ? 5 : 1) {
    cas_sphere_scaled start = {0};
    memset(sum, 0, N * sizeof *sum);
    for (int m = 0; m < N; m++) {
      start = cas_sphere_legendre_start(m, sin(theta[t]), start);
      cas_sphere_legendre(N, m, theta[t], start, legendre);
      for (int l = m; l < N; l++)
        sum[l] += (m ? 2 : 1) * legendre[l - m] * legendre[l - m];
    }
    for (int l = 0; l < N; l++)
      ck_assert_msg(fabs(sum[l] / ((2 * l + 1) / (4 * pi)) - 1) <= 1e-10, "l = %d, theta = %g: %g",
                    l, theta[t], sum[l] / ((2 * l + 1) / (4 * pi)) - 1);
  }
}

/* ---- T_lm <-> Y_lm commutes with rotations ---- */

/* u = exp(-i angle J_a), by scaling, a Taylor series and squaring */
static void rotation(int N, int a, double angle, entry *u) {
  entry *j = spin(N, a), *term = matrix(N), *next = matrix(N);
  for (int i = 0; i < N * N; i++)
    u[i] = term[i] = i % (N + 1) == 0;
  for (int n = 1; n < 20; n++) {
    multiply(N, term, j, next);
    for (int i = 0; i < N * N; i++) {
      term[i] = next[i] * -i_unit * angle / 256 / n;
      u[i] += term[i];
    }
  }
  for (int n = 0; n < 8; n++) {
    multiply(N, u, u, next);
    memcpy(u, next, (size_t)(N * N) * sizeof *u);
  }
}

static void turn(const double p[3], int a, double angle, double out[3]) {
  int b = (a + 1) % 3, c = (a + 2) % 3;
  out[a] = p[a];
  out[b] = cos(angle) * p[b] - sin(angle) * p[c];
  out[c] = sin(angle) * p[b] + cos(angle) * p[c];
}

/* sizes beyond which components at the edge of high degrees are below any threshold */
static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 12, 24, 31, 48, 64, 128};
static int count_sizes(void) { return all_or(sizeof sizes / sizeof *sizes, 12); }

/* X becomes u X u^H. */
static void turn_state(int N, const entry *u, double *x) {
  entry *dagger = matrix(N), *a = matrix(N), *half = matrix(N);
  unpack("su_n", N, 1, x, a);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      dagger[i * N + j] = conj(u[j * N + i]);
  multiply(N, u, a, half);
  multiply(N, half, dagger, a);
  pack("su_n", N, a, x);
}

/* All coefficients at once: the state turned by exp(-i angle J_a) is the map turned by the angle
   about the axis a, so what was at a point is now where the point has gone. */
TEST_OVER(rotated_matrices_are_rotated_maps, 3 * count_sizes()) {
  const int N = sizes[_i % count_sizes()], axis = _i / count_sizes();
  const size_t size = (size_t)(N * N);
  const double angle = 0.7;
  const cas_hoppe_yau *b = basis_of(N);
  double *omega = doubles(size), *turned = doubles(size), *x = doubles(size);
  entry *u = matrix(N);
  rotation(N, axis, angle, u);
  for (int i = 0; i < N * N - 1; i++)
    omega[i] = cos(2 + 5.0 * i);
  cas_hoppe_yau_state(b, omega, x);
  turn_state(N, u, x);
  cas_hoppe_yau_coefficients(b, 1, x, turned);
  for (int k = 0; k < 20; k++) {
    double theta = 0.1 + 0.15 * k, phi = 1.3 * k, q[3],
           p[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    turn(p, axis, angle, q);
    double before = value_at(N, omega, theta, phi),
           after = value_at(N, turned, acos(q[2]), atan2(q[1], q[0]));
    ck_assert_msg(isfinite(after) && fabs(after - before) <= 1e-12 * fmax(1, N * N / 64.0),
                  "N = %d, axis %d: %.15g at a point, %.15g where it has turned", N, axis, before,
                  after);
  }
}

/* What rotations leave open is a sign of each degree: B_ll is J+^l and so positive. */
TEST_OVER(highest_orders_are_positive, count_sizes()) {
  const int N = sizes[_i];
  const cas_hoppe_yau *b = basis_of(N);
  double *omega = doubles((size_t)(N * N)), *x = doubles((size_t)(N * N));
  for (int l = 1; l < N; l++) {
    memset(omega, 0, (size_t)(N * N) * sizeof *omega);
    omega[cas_hoppe_yau_mode(l, -l)] = omega[cas_hoppe_yau_mode(l, l)] = sqrt(2);
    cas_hoppe_yau_state(b, omega, x);
    for (int k = 0; k < N - l; k++) {
      const double im = x[cas_su_n_im(N, k, k + l)], re = x[cas_su_n_re(N, k, k + l)];
      ck_assert_msg(im >= 0 && re == im, "N = %d, l = %d, k = %d: %.17g and %.17g", N, l, k, im,
                    re);
    }
  }
}

/* All eigenvectors of N = 4096 take 92 GB. */
TEST(memory_that_a_machine_does_not_have_is_told_at_once) {
  cas_hoppe_yau b;
  cas_error err = {0};
  if (cas_scratch_of_machine() > 90e9)
    return;
  ck_assert(cas_hoppe_yau_create(CAS_HOPPE_YAU_MOST, 0, CAS_HOPPE_YAU_MOST, &b, &err) ==
            CAS_NO_MEMORY);
  ck_assert_msg(strstr(err.text, "degrees 0 to 4095") && strstr(err.text, "need 92 GB, of "), "%s",
                err.text);
}

RUN_TESTS
