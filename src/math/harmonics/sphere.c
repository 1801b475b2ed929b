#include "math/harmonics/sphere.h"
#include "base/owned.h"
#include "math/harmonics/hoppe_yau.h"

#include <casimir/extend.h>

double cas_sphere_latitude(int rows, int i) { return -90 + (i + 0.5) * 180 / rows; }
double cas_sphere_longitude(int columns, int j) { return j * 360.0 / columns; }

/* Numbers below `least` are kept 2^960 times larger, and are not while they are above. */
static const double least = 0x1p-480, unit = 0x1p-960;

cas_sphere_scaled cas_sphere_legendre_start(int m, double sin_theta, cas_sphere_scaled before) {
  if (m == 0)
    return (cas_sphere_scaled){sqrt(1 / (4 * M_PI)), 0};
  const double value = sqrt((2.0 * m + 1) / (2.0 * m)) * sin_theta * before.value;
  const bool is_small = value != 0 && fabs(value) < least;
  return (cas_sphere_scaled){is_small ? value / unit : value, before.small + is_small};
}

/* The rounding error of `cosine`: near a pole much of its distance from 1 or -1, which is 2 sin^2
   of half the angle. */
static double rest_of_cosine(double theta, double cosine) {
  const double half = sin(cosine > 0 ? theta / 2 : (M_PI - theta) / 2), versine = 2 * half * half;
  return fabs(cosine) < 0.5 ? 0 : cosine > 0 ? 1 - cosine - versine : versine - (1 + cosine);
}

void cas_sphere_legendre(int N, int m, double theta, cas_sphere_scaled start, double *out) {
  const double cosine = cos(theta), rest = rest_of_cosine(theta, cosine);
  double mm = (double)m * m, before = 0, now = start.value, a_before = 0;
  int small = start.small;
  for (int l = m; l < N; l++) {
    if (small && fabs(now) > 1 / least) {
      now *= unit, before *= unit;
      small--;
    }
    out[l - m] = small == 0 ? now : small == 1 ? now * unit : 0;
    double ll = (l + 1.0) * (l + 1.0), a = sqrt((4 * ll - 1) / (ll - mm));
    double next = a * (cosine * now + (rest * now - (l > m ? before / a_before : 0)));
    before = now, now = next, a_before = a;
  }
}

/* cosine[m], sine[m]: amplitudes of cos(m phi) and sin(m phi) on the circle of latitude */
static void circle(int N, int stride, const double *omega, double latitude, double *cosine,
                   double *sine) {
  double theta = (90 - latitude) * M_PI / 180, legendre[CAS_HOPPE_YAU_MOST];
  cas_sphere_scaled start = {0};
  for (int m = 0; m < N; m++) {
    start = cas_sphere_legendre_start(m, sin(theta), start);
    cas_sphere_legendre(N, m, theta, start, legendre);
    cosine[m] = sine[m] = 0;
    for (int l = m ? m : 1; l < N; l++) {
      cosine[m] += omega[cas_hoppe_yau_mode(l, -m) * stride] * legendre[l - m];
      sine[m] += omega[cas_hoppe_yau_mode(l, m) * stride] * legendre[l - m];
    }
    cosine[m] *= m ? sqrt(2) : 1;
    sine[m] *= m ? sqrt(2) : 0;
  }
}

void cas_sphere_synthesise(int N, const double *omega, int rows, int columns, int stride,
                           double *map) {
  enum { TOGETHER = 64 }; /* longitudes, so that processors have independent sums */
  double cosine[CAS_HOPPE_YAU_MOST], sine[CAS_HOPPE_YAU_MOST];
  for (int i = 0; i < rows && !cas_cancelled(); i++) {
    circle(N, stride, omega, cas_sphere_latitude(rows, i), cosine, sine);
    for (int first = 0; first < columns; first += TOGETHER) {
      const int n = columns - first < TOGETHER ? columns - first : TOGETHER;
      /* exp(i m phi) by turning: errors grow like m times rounding only */
      double c[TOGETHER], s[TOGETHER], re[TOGETHER], im[TOGETHER], sum[TOGETHER];
      for (int j = 0; j < n; j++) {
        double phi = cas_sphere_longitude(columns, first + j) * M_PI / 180;
        c[j] = cos(phi), s[j] = sin(phi), re[j] = 1, im[j] = sum[j] = 0;
      }
      for (int m = 0; m < N; m++)
        for (int j = 0; j < n; j++) {
          sum[j] += cosine[m] * re[j] + sine[m] * im[j];
          double turned = re[j] * c[j] - im[j] * s[j];
          im[j] = re[j] * s[j] + im[j] * c[j];
          re[j] = turned;
        }
      for (int j = 0; j < n; j++)
        map[(size_t)(i * columns + first + j) * (size_t)stride] = sum[j];
    }
  }
}

double cas_sphere_value(int N, int stride, const double *omega, double latitude, double longitude) {
  double cosine[CAS_HOPPE_YAU_MOST], sine[CAS_HOPPE_YAU_MOST], sum = 0;
  circle(N, stride, omega, latitude, cosine, sine);
  for (int m = 0; m < N; m++)
    sum += cosine[m] * cos(m * longitude * M_PI / 180) + sine[m] * sin(m * longitude * M_PI / 180);
  return sum;
}

/* ---- coefficients of a map ---- */

/* On circles of longitude, through both poles, amplitudes of even m are even in theta and those of
   odd m odd, which the functions cos(k theta), k < rows, and sin(k theta), 0 < k <= rows, are the
   bases of. */
typedef struct {
  int N, rows, columns;
  /* Values theta = (j + 1/2) pi/points, at which products of two of these can be integrated */
  int points;
  double *weight;   /* [points]: Fejer's first rule, exact below degree `points` in cos(theta) */
  double *legendre; /* [points][N] */
  cas_sphere_scaled *start; /* [points]: P_mm */
  double *to[2]; /* [points][rows]: values there of the function with these values; even, odd */
  double *ring, *value; /* [rows], [points]: of one amplitude */
  double *turn[2];      /* [columns]: cosines and sines of the longitudes */
} analysis;

static double fejer_weight(int n, int j) {
  double sum = 1;
  for (int k = 1; 2 * k < n; k++)
    sum -= 2 * cos(2 * k * (j + 0.5) * M_PI / n) / (4.0 * k * k - 1);
  return 2 * sum / n;
}

/* The sum of cos(k x), 0 < k < n, at x = 2 pi at/period. */
static double sum_of_cosines(int n, int64_t at, int64_t period) {
  at %= period;
  const int64_t far = (2 * n - 1) * at % (2 * period);
  return at ? 0.5 * sin(M_PI * (double)far / (double)period) /
                      sin(M_PI * (double)at / (double)period) -
                  0.5
            : n - 1;
}

/* The Lagrange functions of the rows at the points: from cos x cos y = (cos(x - y) + cos(x + y))/2
   and sin x sin y = (cos(x - y) - cos(x + y))/2. */
static void find_interpolation(analysis *a) {
  const int n = a->rows;
  const int64_t period = 4 * (int64_t)n * a->points;
  for (int j = 0; j < a->points; j++)
    for (int i = 0; i < n; i++) {
      const int64_t x = (2 * j + 1) * (int64_t)n, y = (2 * i + 1) * (int64_t)a->points;
      const double minus = sum_of_cosines(n, x < y ? y - x : x - y, period),
                   plus = sum_of_cosines(n, x + y, period),
                   last = sin((j + 0.5) * M_PI * n / a->points) * (i % 2 ? -1 : 1);
      a->to[0][(size_t)j * (size_t)n + (size_t)i] = (1 + minus + plus) / n;
      a->to[1][(size_t)j * (size_t)n + (size_t)i] = (minus - plus + last) / n;
    }
}

static bool begin_analysis(analysis *a, double **workspace) {
  const size_t points = (size_t)a->points, n = (size_t)a->rows,
               doubles = points * (4 + (size_t)a->N + 2 * n) + n + 2 * (size_t)a->columns;
  a->weight = *workspace = malloc(doubles * sizeof **workspace);
  if (!a->weight)
    return false;
  a->start = (cas_sphere_scaled *)(void *)(a->weight + points);
  a->value = a->weight + 3 * points;
  a->legendre = a->value + points;
  a->to[0] = a->legendre + points * (size_t)a->N;
  a->to[1] = a->to[0] + points * n;
  a->ring = a->to[1] + points * n;
  a->turn[0] = a->ring + n;
  a->turn[1] = a->turn[0] + a->columns;
  for (int j = 0; j < a->points; j++)
    a->weight[j] = fejer_weight(a->points, j);
  for (int j = 0; j < a->columns; j++) {
    a->turn[0][j] = cos(2 * M_PI * j / a->columns);
    a->turn[1][j] = sin(2 * M_PI * j / a->columns);
  }
  find_interpolation(a);
  return true;
}

/* value: the amplitude of cos(m phi), or of sin(m phi), at the points. */
static void find_amplitude(const analysis *a, int m, bool sine, const double *map) {
  const int columns = a->columns;
  const double scale = (m ? 2.0 : 1.0) / columns;
  for (int i = 0; i < a->rows; i++) {
    double sum = 0;
    for (int j = 0; j < columns; j++) /* the first row of a map is the last from the north pole */
      sum += map[(a->rows - 1 - i) * columns + j] * a->turn[sine][(int64_t)m * j % columns];
    a->ring[i] = scale * sum;
  }
  for (int j = 0; j < a->points; j++) {
    const double *to = a->to[m % 2] + (size_t)j * (size_t)a->rows;
    a->value[j] = 0;
    for (int i = 0; i < a->rows; i++)
      a->value[j] += to[i] * a->ring[i];
  }
}

/* Integral over theta of the amplitude times P_lm. */
static double integrate(const analysis *a, int m, int l) {
  double sum = 0;
  for (int j = 0; j < a->points; j++)
    sum += a->weight[j] * a->value[j] * a->legendre[(size_t)j * (size_t)a->N + (size_t)(l - m)];
  return sum;
}

static void analyse(const analysis *a, const double *map, double *omega, double *mean) {
  const int degrees = a->N < a->rows ? a->N : a->rows;
  memset(omega, 0, (size_t)(a->N * a->N - 1) * sizeof *omega);
  for (int m = 0; m < degrees; m++) {
    /* P_lm at all points, from P_mm, which comes from that of m - 1 */
    for (int j = 0; j < a->points; j++) {
      const double theta = (j + 0.5) * M_PI / a->points;
      a->start[j] = cas_sphere_legendre_start(m, sin(theta), a->start[j]);
      cas_sphere_legendre(a->N, m, theta, a->start[j], a->legendre + (size_t)j * (size_t)a->N);
    }
    for (int sine = 0; sine < (m ? 2 : 1); sine++) {
      find_amplitude(a, m, sine, map);
      for (int l = m ? m : 1; l < degrees; l++)
        omega[cas_hoppe_yau_mode(l, sine ? m : -m)] =
            (m ? sqrt(2) * M_PI : 2 * M_PI) * integrate(a, m, l);
      if (m == 0)
        *mean = integrate(a, 0, 0) * sqrt(M_PI); /* P_00 = 1/sqrt(4 pi) */
    }
  }
}

cas_status cas_sphere_analyse(int N, const double *map, int rows, int columns, double *omega,
                              double *mean, cas_error *err) {
  analysis a = {.N = N, .rows = rows, .columns = columns, .points = rows + (rows > N ? rows : N)};
  CAS_OWNED double *workspace = NULL;
  CAS_NEED(begin_analysis(&a, &workspace));
  analyse(&a, map, omega, mean);
  return CAS_OK;
}

double cas_sphere_square(const double *map, int rows, int columns) {
  double sum = 0;
  for (int i = 0; i < rows; i++) {
    double ring = 0;
    for (int j = 0; j < columns; j++)
      ring += map[i * columns + j] * map[i * columns + j];
    sum += 2 * M_PI / columns * fejer_weight(rows, i) * ring;
  }
  return sum;
}
