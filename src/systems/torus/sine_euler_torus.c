/* The torus of the sine-bracket Euler equations, as fluids know it (fluid.h): coefficients are the
   real and imaginary parts of the omega_n that files hold, and maps have points of one grid, a row
   of x1 for every x2. */
#include "base/scratch.h"
#include "systems/torus/sine_euler.h"

typedef cas_sine_euler parameters;

/* ---- the map ---- */

void CAS_ISA(cas_sine_euler_roots)(int n, double *root) {
  for (int k = 0; k < n; k++) {
    root[2 * k] = cos(2 * M_PI * k / n);
    root[2 * k + 1] = sin(2 * M_PI * k / n);
  }
}

/* a += factor exp(2 pi i k/points) b for complex numbers */
static void add_turned(const double *turn, int points, int k, const double b[2], double a[2]) {
  const double *t = turn + 2 * ((k % points + points) % points);
  a[0] += t[0] * b[0] - t[1] * b[1];
  a[1] += t[0] * b[1] + t[1] * b[0];
}

/* row: amplitudes of exp(i n1 x1), n1 = 0 .. r, at x2 = 2 pi i/points */
static void find_row(const parameters *p, const double *turn, int i, int lane, int W,
                     const double *omega, double *row) {
  int r = (int)(p->fluid.N / 2);
  memset(row, 0, 2 * (size_t)(r + 1) * sizeof *row);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W)
      add_turned(turn, p->fluid.map[0], n2 * i, (const double[2]){omega[lane], omega[W + lane]},
                 row + 2 * n1);
}

static void map_lane(const parameters *p, const double *turn, int lane, int W, const double *omega,
                     double *row, double *out) {
  int r = (int)(p->fluid.N / 2), points = p->fluid.map[0];
  for (int i = 0; i < points && !cas_cancelled(); i++) {
    find_row(p, turn, i, lane, W, omega, row);
    for (int j = 0; j < points; j++) {
      double sum[2] = {0};
      for (int n1 = 0; n1 <= r; n1++)
        add_turned(turn, points, n1 * j, row + 2 * n1, sum);
      out[(i * points + j) * W + lane] = 2 * sum[0];
    }
  }
}

static const parameters *parameters_of(const cas_fluid *f) { return (const void *)f; }

static void map(const cas_fluid *f, int W, const double *omega, double *out) {
  const parameters *p = parameters_of(f);
  int points = p->fluid.map[0];
  CAS_OWNED double *turn = cas_scratch_for(2 * (points + p->fluid.N), points * points * W, out);
  if (turn)
    CAS_ISA(cas_sine_euler_roots)(points, turn);
  for (int l = 0; turn && l < W; l++)
    map_lane(p, turn, l, W, omega, turn + 2 * points, out);
}

/* ---- modes of a map ---- */

/* Numbers that the sums over a map need. */
typedef struct {
  int points;
  double *turn;  /* cas_sine_euler_roots */
  double *along; /* of each row of x1, the amplitude of exp(i n1 x1) */
} sums;

/* out += the sum of a[j] exp(-2 pi i n j/points), a being real, or complex with `parts` 2 */
static void add_up(const sums *s, int n, int parts, const double *a, double out[2]) {
  for (int j = 0; j < s->points; j++) {
    const double *t = s->turn + 2 * (((int64_t)n * j % s->points + s->points) % s->points),
                 re = a[parts * j], im = parts > 1 ? a[parts * j + 1] : 0;
    out[0] += t[0] * re + t[1] * im;
    out[1] += t[0] * im - t[1] * re;
  }
}

/* Coefficients of the trigonometric polynomial through the values. A mode of half the number of
   points cannot be told from its opposite; it is 0, as are higher ones. */
static void find_modes(const parameters *p, const sums *s, const double *map, double *omega) {
  const int r = (int)(p->fluid.N / 2), points = s->points;
  for (int n1 = 0; n1 <= r; n1++) {
    memset(s->along, 0, 2 * (size_t)points * sizeof *s->along);
    for (int i = 0; i < points; i++)
      add_up(s, n1, 1, map + (size_t)i * (size_t)points, s->along + 2 * i);
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2) {
      omega[0] = omega[1] = 0;
      if (2 * n1 >= points || 2 * abs(n2) >= points)
        continue;
      add_up(s, n2, 2, s->along, omega);
      for (int part = 0; part < 2; part++)
        omega[part] /= (double)points * points;
    }
  }
}

/* By Parseval: the part of the norm of the map that is in no mode. */
static double left_out(const parameters *p, const double *map, bool has_mean, const double *omega) {
  const int64_t points = (int64_t)p->fluid.map[0] * p->fluid.map[1];
  double all = 0, kept = 0, mean = 0;
  for (int64_t i = 0; i < points && !has_mean; i++)
    mean += map[i] / (double)points;
  for (int64_t i = 0; i < points; i++)
    all += (map[i] - mean) * (map[i] - mean) / (double)points;
  for (int i = 0; i < 2 * cas_sine_euler_modes(p); i++)
    kept += 2 * omega[i] * omega[i];
  const double lost = 1 - kept / all;
  return all > 0 && lost > 1e-13 ? sqrt(lost) : 0; /* less is rounding of the difference */
}

static cas_status read_map(const cas_fluid *f, const double *map_, bool has_mean, double *omega,
                           double *lost, cas_error *err) {
  const parameters *p = parameters_of(f);
  const int points = p->fluid.map[0];
  CAS_OWNED double *turn = malloc(4 * (size_t)points * sizeof *turn);
  CAS_NEED(turn);
  const sums s = {points, turn, turn + 2 * points};
  CAS_ISA(cas_sine_euler_roots)(points, turn);
  find_modes(p, &s, map_, omega);
  *lost = left_out(p, map_, has_mean, omega);
  return CAS_OK;
}

static void value(const cas_fluid *f, const double index[2], int W, const double *omega,
                  double *out) {
  const int r = (int)(f->N / 2);
  memset(out, 0, (size_t)W * sizeof *out);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W) {
      const double angle = (n1 * index[0] + n2 * index[1]) * M_PI / 180;
      for (int l = 0; l < W; l++)
        out[l] += 2 * (omega[l] * cos(angle) - omega[W + l] * sin(angle));
    }
}

/* ---- modes ---- */

static bool is_mode(const cas_fluid *f, const char *name, const double *n, char *wrong,
                    size_t size) {
  const int r = (int)(f->N / 2);
  int used = snprintf(wrong, size, "found %s[%g, %g], must be ", name, n[0], n[1]);
  if (!cas_fluid_is_whole(n[0], -r, r) || !cas_fluid_is_whole(n[1], -r, r)) {
    snprintf(wrong + used, size - (size_t)used, "integers from %d to %d for N = %d", -r, r,
             (int)f->N);
    return false;
  }
  snprintf(wrong + used, size - (size_t)used,
           "a mode other than [0, 0], which the vorticity does not have");
  return n[0] != 0 || n[1] != 0;
}

/* Of the wave of n, 2 cos(n.x) or 2 sin(-n.x), which is that of the imaginary part of omega_-n with
   the sign changed. */
static cas_fluid_place find(int N, const double *n) {
  double sign;
  const int mode = cas_sine_euler_find(N, (int)n[0], (int)n[1], &sign);
  return (cas_fluid_place){2 * mode + (sign < 0), sign, n[0] * n[0] + n[1] * n[1]};
}

/* omega_n exp(i n.x) and its conjugate are Re omega_n 2 cos(n.x) - Im omega_n 2 sin(n.x). */
static cas_fluid_wave wave(int N, int noise, int i, double a) {
  const int r = N / 2, n1 = (i / 2 + 1 + r) / N, n2 = i / 2 + 1 - n1 * N;
  return i % 2 ? (cas_fluid_wave){noise, -n1, -n2, -a} : (cas_fluid_wave){noise, n1, n2, a};
}

static void field(const cas_fluid *f, int k, double *x) {
  const parameters *p = parameters_of(f);
  const double unit = 1;
  for (int i = 0; i < f->waves; i++)
    if (f->wave[i].noise == k)
      CAS_ISA(cas_sine_euler_add_wave)
  ((int)f->N, abs(f->wave[i].j), p->noise + 2 * f->N * i, 1, &unit, x);
}

static void coefficients(const cas_fluid *f, int W, const double *x, double *omega) {
  CAS_ISA(cas_sine_euler_modes_of)(parameters_of(f), W, x, omega);
}

static void state(const cas_fluid *f, const double *omega, double *x) {
  CAS_ISA(cas_sine_euler_state_of)(parameters_of(f), 1, omega, x);
}

static void change(const cas_fluid *f, int W, const double *scale, const double *gain, double *x,
                   double *workspace) {
  const parameters *p = parameters_of(f);
  const int n = (int)(f->N * f->N) * W;
  double *omega = workspace, *by = workspace + n;
  CAS_ISA(cas_sine_euler_modes_of)(p, W, x, omega);
  for (int k = 0; k < f->levels; k++)
    for (int i = f->level[k].begin * W; i < f->level[k].end * W; i++)
      omega[i] = scale[k] * omega[i] + gain[i];
  CAS_ISA(cas_sine_euler_state_of)(p, W, omega, by);
  for (int i = 0; i < n; i++)
    x[i] += by[i];
}

static size_t change_size(const cas_fluid *f, int W) { return 2 * (size_t)(f->N * f->N * W); }

/* Modes by their squares max(|n1|, |n2|), and in each of them by n1 and n2. */
static int number(const cas_fluid *f, int i) {
  const int N = (int)f->N, mode = i / 2, n1 = (mode + 1 + N / 2) / N, n2 = mode + 1 - n1 * N,
            r = n1 > abs(n2) ? n1 : abs(n2), before = 2 * r * (r - 1),
            within = n1 == r   ? 3 * r - 1 + n2
                     : n1 == 0 ? 0
                               : 2 * n1 - (n2 < 0);
  return 2 * (before + within) + i % 2;
}

const cas_fluid_surface CAS_ISA(cas_sine_euler_torus) = {
    .highest = "the highest shell |n|",
    .most = "%d, the highest shell |n| of N = %d",
    .row = "k, m1, m2, a",
    .grid = "system.grid",
    .place = "modes with |n1|, |n2| <= (N-1)/2",
    .norm = 2,
    .stream = 1,
    .least = 1e-14,
    .is_mode = is_mode,
    .find = find,
    .wave = wave,
    .field = field,
    .number = number,
    .coefficients = coefficients,
    .state = state,
    .map = map,
    .value = value,
    .read_map = read_map,
    .change = change,
    .change_size = change_size,
};
