/* Numbers of a state of Euler-Zeitlin that expressions know by two indices. */
#include "systems/sphere/euler_zeitlin.h"

#include "algebra/su_n.h"
#include "base/scratch.h"
#include "harmonics/sphere.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

/* ---- entries ---- */

static bool is_entry(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->N;
  snprintf(right, size, "rows i and columns j are from 1 to N = %d", N);
  return index[0] >= 1 && index[0] <= N && index[1] >= 1 && index[1] <= N;
}

/* Entries below the diagonal are minus the conjugates of those above it. */
static void real_entry(const void *parameters_, const double index[2], int W, const double *x,
                       double *out) {
  const int N = (int)((const parameters *)parameters_)->N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  const double *entry = x + W * (i == j ? 0 : cas_su_n_re(N, i < j ? i : j, i < j ? j : i)),
               sign = (i < j) - (i > j);
  for (int l = 0; l < W; l++)
    out[l] = sign * entry[l];
}

static void imaginary_entry(const void *parameters_, const double index[2], int W, const double *x,
                            double *out) {
  const int N = (int)((const parameters *)parameters_)->N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  memcpy(out, x + W * (i == j ? i : cas_su_n_im(N, i < j ? i : j, i < j ? j : i)),
         (size_t)W * sizeof *out);
}

/* ---- coefficients ---- */

static bool is_harmonic(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->N;
  snprintf(right, size, "degrees l are from 1 to N - 1 = %d, orders m from -l to l", N - 1);
  return index[0] >= 1 && index[0] < N && index[1] >= -index[0] && index[1] <= index[0];
}

static void coefficient(const void *parameters_, const double index[2], int W, const double *x,
                        double *out) {
  const parameters *p = parameters_;
  const double rest = index[0] == 1 && index[1] == 0 ? cas_euler_zeitlin_coriolis(p) : 0;
  for (int l = 0; l < W; l++)
    out[l] =
        cas_hoppe_yau_coefficient(&p->harmonics, W, x + l, (int)index[0], (int)index[1]) - rest;
}

/* out[lane] = f of the coefficients of the vorticity that is seen from the sphere */
static void of_lanes(const parameters *p,
                     double (*f)(const parameters *, const double[2], const double *),
                     const double index[2], int W, const double *x, double *out) {
  double *omega = cas_scratch((size_t)(p->N * p->N) * sizeof *omega);
  for (int lane = 0; lane < W && !cas_cancelled(); lane++) {
    if (omega) {
      cas_hoppe_yau_coefficients(&p->harmonics, W, x + lane, omega);
      omega[cas_hoppe_yau_mode(1, 0)] -= cas_euler_zeitlin_coriolis(p);
    }
    out[lane] = omega ? f(p, index, omega) : NAN;
  }
  free(omega);
}

/* ---- bands of degrees ---- */

static bool is_band(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->N;
  snprintf(right, size, "degrees ascend from l1 to l2 and are from 1 to N - 1 = %d", N - 1);
  return index[0] >= 1 && index[0] <= index[1] && index[1] < N;
}

static double enstrophy_of_band(const parameters *p CAS_UNUSED, const double index[2],
                                const double *omega) {
  const int lmin = (int)index[0], lmax = (int)index[1];
  double sum = 0;
  for (int i = cas_hoppe_yau_mode(lmin, -lmin); i <= cas_hoppe_yau_mode(lmax, lmax); i++)
    sum += omega[i] * omega[i];
  return sum;
}

static double energy_of_band(const parameters *p, const double index[2], const double *omega) {
  double sum = 0;
  for (int l = (int)index[0]; l <= index[1]; l++)
    sum += enstrophy_of_band(p, (const double[2]){l, l}, omega) / (2 * l * (l + 1.0));
  return sum;
}

static void energy_of(const void *p, const double index[2], int W, const double *x, double *out) {
  of_lanes(p, energy_of_band, index, W, x, out);
}

static void enstrophy_of(const void *p, const double index[2], int W, const double *x,
                         double *out) {
  of_lanes(p, enstrophy_of_band, index, W, x, out);
}

/* ---- points ---- */

static bool is_point(const void *parameters_ CAS_UNUSED, const double index[2], char *right,
                     size_t size) {
  snprintf(right, size,
           "latitudes are from -90 to 90 degrees north, longitudes from -360 to 360 east");
  return fabs(index[0]) <= 90 && fabs(index[1]) <= 360;
}

static double vorticity_at_point(const parameters *p, const double index[2], const double *omega) {
  return cas_sphere_value((int)p->N, omega, index[0], index[1]);
}

static void vorticity_at(const void *p, const double index[2], int W, const double *x,
                         double *out) {
  of_lanes(p, vorticity_at_point, index, W, x, out);
}

const cas_indexed CAS_ISA(cas_euler_zeitlin_indexed)[] = {
    {.name = "re(i,j)",
     .summary = "real part of the entry in row i and column j, counted from 1",
     .exists = is_entry,
     .value = real_entry},
    {.name = "im(i,j)",
     .summary = "imaginary part of that entry",
     .exists = is_entry,
     .value = imaginary_entry},
    {.name = "coefficient(l,m)",
     .summary =
         "omega_lm = <T_lm, X - F>, degree l and order m of the vorticity seen from the sphere",
     .exists = is_harmonic,
     .value = coefficient},
    {.name = "energy_of(l1,l2)",
     .summary = "part of H0 in the degrees l1 .. l2, of X - F",
     .exists = is_band,
     .value = energy_of},
    {.name = "enstrophy_of(l1,l2)",
     .summary = "sum of omega_lm^2 over the degrees l1 .. l2, of X - F",
     .exists = is_band,
     .value = enstrophy_of},
    {.name = "vorticity_at(latitude,longitude)",
     .summary = "vorticity X - F at a point, in degrees north and degrees east, also fractions",
     .fractional = true,
     .exists = is_point,
     .value = vorticity_at},
    {0}};
