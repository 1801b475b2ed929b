/* The sphere of Euler-Zeitlin, as fluids know it (fluid.h). */
#include "base/lanes.h"
#include "base/scratch.h"
#include "math/algebra/su_n.h"
#include "math/harmonics/sphere.h"
#include "systems/sphere/euler_zeitlin.h"

typedef cas_euler_zeitlin parameters;

static const parameters *parameters_of(const cas_fluid *f) { return (const void *)f; }

static bool is_mode(const cas_fluid *f, const char *name CAS_UNUSED, const double *index,
                    char *wrong, size_t size) {
  const int N = (int)f->N;
  if (!cas_fluid_is_whole(index[0], 1, N - 1)) {
    snprintf(wrong, size, "l is %g, must be an integer from 1 to N - 1 = %d", index[0], N - 1);
    return false;
  }
  snprintf(wrong, size, "m is %g, must be an integer from -l to l = %g", index[1], index[0]);
  return cas_fluid_is_whole(index[1], -index[0], index[0]);
}

static cas_fluid_place find(int N CAS_UNUSED, const double *index) {
  return (cas_fluid_place){cas_hoppe_yau_mode((int)index[0], (int)index[1]), 1,
                           index[0] * (index[0] + 1)};
}

static cas_fluid_wave wave(int N CAS_UNUSED, int noise, int i, double value) {
  const int l = (int)sqrt(i + 1.5);
  return (cas_fluid_wave){noise, l, i - cas_hoppe_yau_mode(l, 0), value};
}

static void field(const cas_fluid *f, int k, double *x) {
  const parameters *p = parameters_of(f);
  const int N = (int)f->N;
  double b[CAS_HOPPE_YAU_MOST];
  for (const cas_fluid_wave *w = f->wave; w < f->wave + f->waves; w++) {
    const int m = w->j, d = abs(m);
    const double a = p->bracket * f->amplitude * w->value * (m ? sqrt(0.5) : 1);
    if (w->noise != k)
      continue;
    cas_hoppe_yau_unfold(&p->harmonics, w->i, d, b);
    for (int j = 0; j + d < N; j++)
      x[m > 0 ? cas_su_n_re(N, j, j + d) : m < 0 ? cas_su_n_im(N, j, j + d) : j] += a * b[j];
  }
}

static void coefficients(const cas_fluid *f, int W, const double *x, double *omega) {
  for (int lane = 0; lane < W && !cas_cancelled(); lane++)
    cas_hoppe_yau_coefficients(&parameters_of(f)->harmonics, W, x + lane, omega + lane);
}

static void state(const cas_fluid *f, const double *omega, double *x) {
  cas_hoppe_yau_state(&parameters_of(f)->harmonics, omega, x);
}

/* omega is of one path, as states with this operator do not go across lanes. */
static void invert(const cas_fluid *f, int W CAS_UNUSED, const double *omega, double *psi) {
  const int64_t n = f->N * f->N;
  CAS_OWNED double *x = cas_scratch_for(2 * n, cas_fluid_coefficients(f), psi);
  if (!x)
    return;
  state(f, omega, x);
  CAS_ISA(cas_euler_zeitlin_path_invert)(parameters_of(f), 1, x, x + n);
  coefficients(f, 1, x + n, psi);
}

static void map(const cas_fluid *f, int W, const double *omega, double *out) {
  for (int lane = 0; lane < W && !cas_cancelled(); lane++)
    cas_sphere_synthesise((int)f->N, omega + lane, f->map[0], f->map[1], W, out + lane);
}

static void value(const cas_fluid *f, const double index[2], int W, const double *omega,
                  double *out) {
  for (int lane = 0; lane < W && !cas_cancelled(); lane++)
    out[lane] = cas_sphere_value((int)f->N, W, omega + lane, index[0], index[1]);
}

static cas_status read_map(const cas_fluid *f, const double *map, bool has_mean, double *omega,
                           double *lost, cas_error *err) {
  const int rows = f->map[0], columns = f->map[1], n = rows * columns;
  CAS_OWNED double *rest = malloc(2 * (size_t)n * sizeof *rest);
  double mean;
  CAS_NEED(rest);
  CAS_CALL(cas_sphere_analyse((int)f->N, map, rows, columns, omega, &mean, err));
  cas_sphere_synthesise((int)f->N, omega, rows, columns, 1, rest);
  double *relative = rest + n;
  for (int i = 0; i < n; i++) {
    relative[i] = map[i] - (has_mean ? 0 : mean);
    rest[i] = relative[i] - rest[i];
  }
  const double square = cas_sphere_square(relative, rows, columns);
  *lost = square > 0 ? sqrt(cas_sphere_square(rest, rows, columns) / square) : 0;
  return CAS_OK;
}

static size_t change_size(const cas_fluid *f, int W) {
  return CAS_ISA(cas_euler_zeitlin_change_size)(parameters_of(f), W == 1 ? 1 : CAS_GROUP_LANES);
}

static void change(const cas_fluid *f, int W, const double *scale, const double *gain, double *x,
                   double *workspace) {
  CAS_ISA(cas_euler_zeitlin_change)(parameters_of(f), W, scale, gain, x, workspace);
}

const cas_fluid_surface CAS_ISA(cas_sphere) = {
    .highest = "N - 1",
    .most = "N - 1 = %d",
    .row = "k, l, m, a",
    .grid = "system.latitudes",
    .place = "degrees l = 1 .. N - 1",
    .norm = 1,
    .still = 2, /* of the angular momentum, l = 1 */
    .stream = -1,
    .is_mode = is_mode,
    .find = find,
    .wave = wave,
    .field = field,
    .coefficients = coefficients,
    .state = state,
    .map = map,
    .value = value,
    .invert = invert,
    .read_map = read_map,
    .change = change,
    .change_size = change_size,
};
