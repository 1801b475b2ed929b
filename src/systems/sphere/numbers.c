/* Numbers of a state of Euler-Zeitlin that expressions know by two indices. */
#include "systems/sphere/euler_zeitlin.h"

#include "math/algebra/su_n.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

/* ---- entries ---- */

static bool is_entry(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  snprintf(right, size, "rows i and columns j are from 1 to N = %d", N);
  return index[0] >= 1 && index[0] <= N && index[1] >= 1 && index[1] <= N;
}

/* Entries below the diagonal are minus the conjugates of those above it. */
static void real_entry(const void *parameters_, const double index[2], int W, const double *x,
                       double *out) {
  const int N = (int)((const parameters *)parameters_)->fluid.N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  const double *entry = x + W * (i == j ? 0 : cas_su_n_re(N, i < j ? i : j, i < j ? j : i)),
               sign = (i < j) - (i > j);
  for (int l = 0; l < W; l++)
    out[l] = sign * entry[l];
}

static void imaginary_entry(const void *parameters_, const double index[2], int W, const double *x,
                            double *out) {
  const int N = (int)((const parameters *)parameters_)->fluid.N, i = (int)index[0] - 1,
            j = (int)index[1] - 1;
  memcpy(out, x + W * (i == j ? i : cas_su_n_im(N, i < j ? i : j, i < j ? j : i)),
         (size_t)W * sizeof *out);
}

/* ---- coefficients ---- */

static bool is_harmonic(const void *parameters_, const double index[2], char *right, size_t size) {
  const int N = (int)((const parameters *)parameters_)->fluid.N;
  snprintf(right, size, "degrees l are from 1 to N - 1 = %d, orders m from -l to l", N - 1);
  return index[0] >= 1 && index[0] < N && index[1] >= -index[0] && index[1] <= index[0];
}

static void coefficient(const void *parameters_, const double index[2], int W, const double *x,
                        double *out) {
  const parameters *p = parameters_;
  const double rest =
      p->fluid.rest ? p->fluid.rest[cas_hoppe_yau_mode((int)index[0], (int)index[1])] : 0;
  for (int l = 0; l < W; l++)
    out[l] =
        cas_hoppe_yau_coefficient(&p->harmonics, W, x + l, (int)index[0], (int)index[1]) - rest;
}

/* ---- points ---- */

static bool is_point(const void *parameters_ CAS_UNUSED, const double index[2], char *right,
                     size_t size) {
  snprintf(right, size,
           "latitudes are from -90 to 90 degrees north, longitudes from -360 to 360 east");
  return fabs(index[0]) <= 90 && fabs(index[1]) <= 360;
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
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_energy_of)},
    {.name = "enstrophy_of(l1,l2)",
     .summary = "sum of omega_lm^2 over the degrees l1 .. l2, of X - F",
     .exists = CAS_ISA(cas_fluid_is_band),
     .value = CAS_ISA(cas_fluid_enstrophy_of)},
    {.name = "vorticity_at(latitude,longitude)",
     .summary = "vorticity X - F at a point, in degrees north and degrees east, also fractions",
     .fractional = true,
     .exists = is_point,
     .value = CAS_ISA(cas_fluid_vorticity_at)},
    {0}};
