/* Maps of fields on the torus from their modes, and modes from maps on the same grid. */
#include "base/scratch.h"
#include "systems/sine_euler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef cas_sine_euler parameters;

static const double pi = 3.14159265358979323846;

/* ---- the map: a row of x1 for every x2 ---- */

/* a += factor exp(2 pi i k/points) b for complex numbers */
static void add_turned(const double *turn, int points, int k, const double b[2], double a[2]) {
  const double *t = turn + 2 * ((k % points + points) % points);
  a[0] += t[0] * b[0] - t[1] * b[1];
  a[1] += t[0] * b[1] + t[1] * b[0];
}

/* row: amplitudes of exp(i n1 x1), n1 = 0 .. r, at x2 = 2 pi i/points */
static void find_row(const parameters *p, const double *turn, int i, int lane, int W,
                     const double *omega, double *row) {
  int r = (int)(p->N / 2);
  memset(row, 0, 2 * (size_t)(r + 1) * sizeof *row);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++, omega += 2 * W)
      add_turned(turn, (int)p->grid, n2 * i, (const double[2]){omega[lane], omega[W + lane]},
                 row + 2 * n1);
}

static void map_lane(const parameters *p, const double *turn, int lane, int W, const double *omega,
                     double *row, double *out) {
  int r = (int)(p->N / 2), points = (int)p->grid;
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

void CAS_ISA(cas_sine_euler_map_of)(const cas_sine_euler *p, int W, const double *omega,
                                    double *out) {
  int points = (int)p->grid;
  double *turn = cas_scratch(2 * (size_t)(points + p->N) * sizeof *turn);
  for (int k = 0; turn && k < points; k++) {
    turn[2 * k] = cos(2 * pi * k / points);
    turn[2 * k + 1] = sin(2 * pi * k / points);
  }
  for (int l = 0; turn && l < W; l++)
    map_lane(p, turn, l, W, omega, turn + 2 * points, out);
  for (int i = 0; !turn && i < points * points * W; i++)
    out[i] = NAN;
  free(turn);
}

/* ---- modes of a map ---- */

/* Numbers that the sums over a map need. */
typedef struct {
  int points;
  double *turn;  /* cos, sin of 2 pi k/points */
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
  const int r = (int)(p->N / 2), points = s->points;
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
  const int64_t points = p->grid * p->grid;
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

bool CAS_ISA(cas_sine_euler_map_read)(const cas_sine_euler *p, const double *map, bool has_mean,
                                      double *omega, double *lost) {
  const int points = (int)p->grid;
  double *turn = malloc(4 * (size_t)points * sizeof *turn);
  if (!turn)
    return false;
  const sums s = {points, turn, turn + 2 * points};
  for (int k = 0; k < points; k++) {
    turn[2 * k] = cos(2 * pi * k / points);
    turn[2 * k + 1] = sin(2 * pi * k / points);
  }
  find_modes(p, &s, map, omega);
  *lost = left_out(p, map, has_mean, omega);
  free(turn);
  return true;
}
