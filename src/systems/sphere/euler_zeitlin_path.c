/* psi of Euler-Zeitlin for one path by itself, or for a group of lanes, a[k * lanes + lane]: the
   drift by tridiagonal solves on all diagonals at once, the noise by real products with the
   eigenvectors of l >= lmin. And the sphere as fluids know it (fluid.h). */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"
#include "base/scratch.h"
#include "math/algebra/su_n.h"
#include "math/blas/threads.h"
#include "math/harmonics/sphere.h"

enum { L = CAS_GROUP_LANES, V = CAS_GROUP_VECTORS };

static int least(int a, int b) { return a < b ? a : b; }

/* ---- drift: q = scale * (-Lap + lamb z^2)^-1 x ---- */

#define NUMBER double
#define WIDE 1
#define SOLVE(name) CAS_ISA_PASTE(path_, name)
#include "systems/sphere/euler_zeitlin_solve.h"

#define NUMBER cas_vec
#define WIDE V
#define SOLVE(name) CAS_ISA_PASTE(group_, name)
#include "systems/sphere/euler_zeitlin_solve.h"

/* ---- noise: q += sum over l >= lmin of coef (T_lm, x) T_lm ---- */

enum { ROWS = 4 }; /* eigenvectors at a time */

/* folded real and imaginary parts of a diagonal: even ones and odd ones under reversal */
typedef struct {
  double *from[2][2], *to[2][2]; /* [odd][imaginary] */
} folds;

/* `rows` eigenvectors, `stride` apart: products with from, scaled by coef[2 r], added to `to` */
CAS_INLINE void transform(int rows, int length, int stride, const double *basis,
                          double *const from[2], double *const to[2], const double *const coef[2]) {
  cas_vec w[ROWS][2] = {{{0}}};
  for (int k = 0; k < length; k += CAS_VL) {
    cas_vec re = cas_vec_load(from[0] + k), im = cas_vec_load(from[1] + k);
    for (int r = 0; r < rows; r++) {
      cas_vec b = cas_vec_load(basis + r * stride + k);
      w[r][0] += b * re;
      w[r][1] += b * im;
    }
  }
  for (int r = 0; r < rows; r++)
    for (int part = 0; part < 2; part++)
      w[r][part] = coef[part][2 * r] * cas_vec_sum(w[r][part]);
  for (int k = 0; k < length; k += CAS_VL) {
    cas_vec re = cas_vec_load(to[0] + k), im = cas_vec_load(to[1] + k);
    for (int r = 0; r < rows; r++) {
      cas_vec b = cas_vec_load(basis + r * stride + k);
      re += b * w[r][0];
      im += b * w[r][1];
    }
    cas_vec_store(to[0] + k, re);
    cas_vec_store(to[1] + k, im);
  }
}

/* Eigenvectors of one parity: first, first + 2, .. below n. */
static void transform_parity(int first, int n, int length, const double *basis,
                             double *const from[2], double *const to[2],
                             const double *const coef[2]) {
  int i = first;
  for (; i + 2 * (ROWS - 1) < n; i += 2 * ROWS) {
    const double *const c[2] = {coef[0] + i, coef[1] + i};
    transform(ROWS, length, 2 * length, basis + i * length, from, to, c);
  }
  for (; i < n; i += 2) {
    const double *const c[2] = {coef[0] + i, coef[1] + i};
    transform(1, length, 2 * length, basis + i * length, from, to, c);
  }
}

/* x: packed parts above the diagonal, or, for m = 0, the diagonal */
static void fold(int N, int m, const double *x, double *even, double *odd) {
  int n = N - m, length = cas_hoppe_yau_row(N, m);
  for (int k = 0; k < n / 2; k++) {
    double near = x[cas_hoppe_yau_place(N, k, m)], far = x[cas_hoppe_yau_place(N, n - 1 - k, m)];
    even[k] = near + far;
    odd[k] = near - far;
  }
  if (n % 2) {
    even[n / 2] = x[cas_hoppe_yau_place(N, n / 2, m)];
    odd[n / 2] = 0;
  }
  for (int k = (n + 1) / 2; k < length; k++)
    even[k] = odd[k] = 0;
}

static void unfold_add(int N, int m, const double *even, const double *odd, double *q) {
  int n = N - m;
  for (int k = 0; k < n / 2; k++) {
    q[cas_hoppe_yau_place(N, k, m)] += even[k] + odd[k];
    q[cas_hoppe_yau_place(N, n - 1 - k, m)] += even[k] - odd[k];
  }
  if (n % 2)
    q[cas_hoppe_yau_place(N, n / 2, m)] += even[n / 2];
}

static folds folds_in(double *workspace, int length) {
  folds f;
  for (int odd = 0; odd < 2; odd++)
    for (int part = 0; part < 2; part++, workspace += 2 * length) {
      f.from[odd][part] = workspace;
      f.to[odd][part] = workspace + length;
    }
  return f;
}

static int greater(int a, int b) { return a > b ? a : b; }

/* the lowest degree on diagonal m that has the noise (43) */
static int lowest(const cas_euler_zeitlin *p, int m) { return greater((int)p->lmin, m); }

/* the rows of m, of degrees first + m on */
static const double *rows_of(const cas_euler_zeitlin *p, int m, int first) {
  return p->harmonics.half + p->harmonics.first[m] +
         (first + m - cas_hoppe_yau_lowest(&p->harmonics, m)) *
             cas_hoppe_yau_row((int)p->fluid.N, m);
}

/* Noises of degrees from lmin on, for each m of T_lm, then of T_l,-m; m = part, part + parts, .. */
static void add_modes(const cas_euler_zeitlin *p, int part, int parts, int lmin, const double *coef,
                      const double *x, double *workspace, double *q) {
  int N = (int)p->fluid.N, above = N * (N - 1) / 2;
  for (int m = 0; m < N; m++) {
    const int first = greater(lmin, m) - m, n = N - m - first, length = cas_hoppe_yau_row(N, m),
              imaginary = m ? N + above : 0;
    const double *const of_l[2] = {coef, coef + n};
    coef += 2 * n;
    if (m % parts != part)
      continue;
    folds f = folds_in(workspace, length);
    memset(workspace, 0, 8 * (size_t)length * sizeof *workspace);
    if (m) /* of which 0 has no real parts */
      fold(N, m, x + N, f.from[0][0], f.from[1][0]);
    fold(N, m, x + imaginary, f.from[0][1], f.from[1][1]);
    for (int odd = 0; odd < 2; odd++)
      transform_parity((first + odd) % 2, n, length, rows_of(p, m, first), f.from[odd], f.to[odd],
                       of_l);
    if (m)
      unfold_add(N, m, f.to[0][0], f.to[1][0], q + N);
    unfold_add(N, m, f.to[0][1], f.to[1][1], q + imaginary);
  }
}

/* Adds modes of a group of lanes, and gain[mode] of degrees up to `lmax`, which does not depend on
   the state, on the diagonal m > 0 of real parts, or m <= 0 of imaginary ones. */
static void add_modes_of_diagonal(const cas_euler_zeitlin *p, int m_, int lmin, int lmax,
                                  cas_lanes coef, cas_lanes gain, const cas_vec *x, cas_vec *q) {
  const int N = (int)p->fluid.N, m = abs(m_), n = N - m, half = (n + 1) / 2;
  const int first = greater(lmin, m) - m, begin = lmax >= m ? m == 0 : first;
  const double off = m ? sqrt(0.5) : 1, *row = rows_of(p, m, begin);
  cas_vec from[2][CAS_EULER_ZEITLIN_ROW * V], to[2][CAS_EULER_ZEITLIN_ROW * V];
  for (int k = 0; k < half; k++)
    for (int u = 0; u < V; u++) {
      const cas_vec near = x[cas_hoppe_yau_place(N, k, m) * V + u],
                    far = x[cas_hoppe_yau_place(N, n - 1 - k, m) * V + u];
      from[0][k * V + u] = k == n - 1 - k ? near : near + far;
      from[1][k * V + u] = near - far;
      to[0][k * V + u] = to[1][k * V + u] = cas_vec_splat(0);
    }
  for (int i = begin; i < n; i++, row += cas_hoppe_yau_row(N, m)) {
    cas_vec w[CAS_GROUP_VECTORS] = {{0}}, *sum = to[i % 2];
    if (i < first && m + i > lmax)
      continue;
    for (int k = 0; i >= first && k < half; k++)
      for (int u = 0; u < V; u++)
        w[u] += row[k] * from[i % 2][k * V + u];
    for (int u = 0; i >= first && u < V; u++)
      w[u] *= cas_lanes_load(coef, i - first, u);
    for (int u = 0; m + i <= lmax && u < V; u++)
      w[u] += off * cas_lanes_load(gain, cas_hoppe_yau_mode(m + i, m_), u);
    for (int k = 0; k < half; k++)
      for (int u = 0; u < V; u++)
        sum[k * V + u] += row[k] * w[u];
  }
  for (int k = 0; k < half; k++)
    for (int u = 0; u < V; u++) {
      q[cas_hoppe_yau_place(N, k, m) * V + u] += to[0][k * V + u] + to[1][k * V + u];
      if (k < n - 1 - k)
        q[cas_hoppe_yau_place(N, n - 1 - k, m) * V + u] += to[0][k * V + u] - to[1][k * V + u];
    }
}

static void add_modes_of_group(const cas_euler_zeitlin *p, int lmin, int lmax, cas_lanes coef,
                               cas_lanes gain, const cas_vec *x, cas_vec *q) {
  const int N = (int)p->fluid.N, above = N * (N - 1) / 2;
  for (int m = 0; m < N; m++)
    for (int part = 0; part < 2; part++) {
      const int at = m ? (N + part * above) * V : 0;
      if (m || part)
        add_modes_of_diagonal(p, part ? -m : m, lmin, lmax, coef, gain, x + at, q + at);
      coef.base += (N - greater(lmin, m)) * coef.stride;
    }
}

/* ---- what does not depend on the state ---- */

/* Where it begins among the coefficients of a step. */
static int behind_noise(const cas_euler_zeitlin *p) {
  int n = 8;
  for (int m = 0; cas_euler_zeitlin_modal(p) && m < p->fluid.N; m++)
    n += 2 * ((int)p->fluid.N - lowest(p, m));
  return (n + 7) / 8 * 8;
}

typedef struct {
  const cas_euler_zeitlin *p;
  const double *coef, *x;
  double *workspace, *q;
} gradient;

/* Where part number `part` of the diagonals begins, counted from m = 1 on: after whole vectors, so
   that each entry is computed by the same instructions for any number of parts. */
static int begin_diagonals(int N, int part, int parts) {
  const double of_all = 1 - sqrt(1 - (double)part / parts);
  return part == parts ? N - 1 : (int)(of_all * (N - 1)) / 16 * 16;
}

static void solve_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int N = (int)g->p->fluid.N;
  path_solve(g->p, part == 0, begin_diagonals(N, part, parts), begin_diagonals(N, part + 1, parts),
             g->coef, g->x, g->q);
}

static void add_modes_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int N = (int)g->p->fluid.N;
  if (part < N)
    add_modes(g->p, part, parts, (int)g->p->lmin, g->coef + 8, g->x,
              g->workspace + 8 * part * cas_hoppe_yau_row(N, 0), g->q);
}

static void add_affine_part(void *gradient_, int part, int parts) {
  const gradient *g = gradient_;
  const int n = (int)(g->p->fluid.N * g->p->fluid.N), from = (int)((int64_t)n * part / parts),
            to = (int)((int64_t)n * (part + 1) / parts);
  const double *restrict add = g->coef + behind_noise(g->p);
  double *restrict q = g->q;
  for (int k = from; k < to; k++)
    q[k] += add[k];
}

void CAS_ISA(cas_euler_zeitlin_path_psi)(const cas_stepper *s, cas_lanes c, const cas_vec *x,
                                         cas_vec *xi) {
  gradient g = {s->parameters, c.base, (const double *)x, s->geometry.scratch, (double *)xi};
  cas_threads_run(solve_part, &g, 1);
  if (cas_euler_zeitlin_modal(g.p))
    cas_threads_run(add_modes_part, &g, 1);
  if (cas_euler_zeitlin_affine(g.p))
    cas_threads_run(add_affine_part, &g, 1);
}

void CAS_ISA(cas_euler_zeitlin_path_invert)(const cas_euler_zeitlin *p, double scale,
                                            const double *x, double *q) {
  path_solve(p, true, 0, (int)p->fluid.N - 1, &scale, x, q);
}

void CAS_ISA(cas_euler_zeitlin_group_psi)(const cas_stepper *s, cas_lanes c, const cas_vec *x,
                                          cas_vec *xi) {
  const cas_euler_zeitlin *p = s->parameters;
  const int N = (int)p->fluid.N;
  cas_vec scale[V];
  const cas_lanes noise = {c.base + 8 * c.stride, c.stride},
                  add = {c.base + behind_noise(p) * c.stride, c.stride};
  for (int u = 0; u < V; u++)
    scale[u] = cas_lanes_load(c, 0, u);
  group_solve(p, true, 0, N - 1, scale, x, xi);
  if (cas_euler_zeitlin_modal(p) || cas_euler_zeitlin_affine(p))
    add_modes_of_group(p, cas_euler_zeitlin_modal(p) ? (int)p->lmin : N,
                       cas_euler_zeitlin_affine(p) ? greater(p->rest_lmax, p->noise_lmax) : -1,
                       noise, add, x, xi);
}

/* ---- once a step ---- */

int CAS_ISA(cas_euler_zeitlin_coefficients)(const void *parameters) {
  const cas_euler_zeitlin *p = parameters;
  return behind_noise(p) + (cas_euler_zeitlin_affine(p) ? 2 * (int)(p->fluid.N * p->fluid.N) : 0);
}

/* out[mode * W + lane]: the part of psi that does not depend on the state. */
static void find_affine(const cas_euler_zeitlin *p, int W, double h, const double *dw,
                        double *out) {
  const cas_fluid *f = &p->fluid;
  const double factor = f->bracket * f->amplitude;
  memset(out, 0, (size_t)(cas_fluid_coefficients(f) * W) * sizeof *out);
  for (const cas_fluid_wave *w = f->wave; w < f->wave + f->waves + f->pair_waves; w++) {
    double *restrict to = out + cas_hoppe_yau_mode(w->i, w->j) * W;
    for (int lane = 0; lane < W; lane++)
      to[lane] += factor * w->value * dw[w->noise * W + lane];
  }
  for (int l = 1; f->rest && !p->rest_stream && l <= p->rest_lmax; l++)
    for (int i = cas_hoppe_yau_mode(l, -l); i <= cas_hoppe_yau_mode(l, l); i++)
      for (int lane = 0; lane < W; lane++)
        out[i * W + lane] -= h * f->bracket * f->rest[i] / (l * (l + 1.0));
}

void CAS_ISA(cas_euler_zeitlin_prepare)(const void *parameters, int W, double h, const double *dw,
                                        double *coef) {
  const cas_euler_zeitlin *p = parameters;
  int N = (int)p->fluid.N, before = (int)(p->lmin * p->lmin);
  double *noise = coef + 8 * W, *affine = coef + behind_noise(p) * W;
  for (int lane = 0; lane < W; lane++)
    coef[lane] = p->fluid.bracket * h;
  for (int m = 0; cas_euler_zeitlin_modal(p) && m < N; m++) {
    int first = lowest(p, m), n = (N - first) * W;
    for (int l = first; l < N; l++, noise += W) {
      const double c = p->fluid.bracket * p->fluid.amplitude / (l * (l + 1.0)),
                   *plus = dw + (l * l + l + m - before) * W,
                   *minus = dw + (l * l + l - m - before) * W;
      for (int lane = 0; lane < W; lane++) {
        noise[lane] = m ? c * plus[lane] : 0;
        noise[n + lane] = c * minus[lane];
      }
    }
    noise += n;
  }
  if (!cas_euler_zeitlin_affine(p))
    return;
  find_affine(p, W, h, dw, W == 1 ? affine + N * N : affine);
  if (W == 1)
    cas_hoppe_yau_state(&p->harmonics, affine + N * N, affine);
  for (int k = 0; p->rest_stream && k < N * N; k++)
    affine[k] -= coef[0] * p->rest_stream[k];
}

/* ---- the sphere as fluids know it ---- */

static const cas_euler_zeitlin *parameters_of(const cas_fluid *f) { return (const void *)f; }

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
  const cas_euler_zeitlin *p = parameters_of(f);
  const int N = (int)f->N;
  double b[CAS_HOPPE_YAU_MOST];
  for (const cas_fluid_wave *w = f->wave; w < f->wave + f->waves; w++) {
    const int m = w->j, d = abs(m);
    const double a = p->fluid.bracket * f->amplitude * w->value * (m ? sqrt(0.5) : 1);
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

/* The lanes that x and gain begin with, W apart. */
CAS_INLINE void change_lanes(const cas_euler_zeitlin *p, int lanes, int W, const double *scale,
                             const double *gain, double *x, double *workspace) {
  const int N = (int)p->fluid.N, n = N * N;
  double *coef = workspace + 8 * cas_hoppe_yau_row(N, 0) * lanes,
         *from = coef + N * (N + 1) * lanes, *by = from + n * lanes, *to = coef;
  for (int m = 0; m < N; m++)
    for (int part = 0; part < 2; part++)
      for (int l = greater(1, m); l < N; l++)
        for (int lane = 0; lane < lanes; lane++)
          *to++ = m || part ? scale[l - 1] : 0;
  for (int k = 0; k < n; k++)
    for (int lane = 0; lane < lanes; lane++)
      from[k * lanes + lane] = x[k * W + lane];
  if (lanes == 1) {
    cas_hoppe_yau_state(&p->harmonics, gain, by);
    add_modes(p, 0, 1, 1, coef, from, workspace, by);
  } else {
    memset(by, 0, (size_t)(n * lanes) * sizeof *by);
    add_modes_of_group(p, 1, N - 1, (cas_lanes){coef, lanes}, (cas_lanes){gain, W},
                       (const cas_vec *)(const void *)from, (cas_vec *)(void *)by);
  }
  for (int k = 0; k < n; k++)
    for (int lane = 0; lane < lanes; lane++)
      x[k * W + lane] += by[k * lanes + lane];
}

static size_t change_size(const cas_fluid *f, int W) {
  const size_t N = (size_t)f->N, lanes = W == 1 ? 1 : L;
  return (8 * (size_t)cas_hoppe_yau_row((int)N, 0) + N * (N + 1) + 2 * N * N) * lanes;
}

static void change(const cas_fluid *f, int W, const double *scale, const double *gain, double *x,
                   double *workspace) {
  if (W == 1)
    change_lanes(parameters_of(f), 1, 1, scale, gain, x, workspace);
  for (int first = 0; W > 1 && first < W; first += L)
    change_lanes(parameters_of(f), L, W, scale, gain + first, x + first, workspace);
}

const cas_fluid_surface CAS_ISA(cas_sphere) = {
    .highest = "N - 1",
    .most = "N - 1 = %d",
    .row = "k, l, m, a",
    .grid = "system.latitudes",
    .place = "degrees l = 1 .. N - 1",
    .no_lowpass = "system.lowpass, its highest degree, is not given",
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
