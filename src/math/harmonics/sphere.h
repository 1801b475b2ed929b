/* Real spherical harmonics on the unit sphere and vorticity maps. With colatitude theta, longitude
   phi, and P_lm = sqrt((2l+1)/(4 pi) (l-m)!/(l+m)!) times the associated Legendre function without
   the sign (-1)^m, so positive near the north pole,

       Y_l0 = P_l0,   Y_lm = sqrt 2 P_lm sin(m phi),   Y_l,-m = sqrt 2 P_lm cos(m phi),   m > 0

   are orthonormal, and T_lm <-> Y_lm: x, y, z = sqrt(4 pi/3) (Y_1,-1, Y_1,1, Y_10). */
#ifndef CAS_SPHERE_H
#define CAS_SPHERE_H

#include <casimir/status.h>

/** Latitudes of a map in degrees north, rows at the centres of equal bands from south to north:
   -90 + (i + 1/2) 180/rows. Longitudes j 360/columns degrees east. */
double cas_sphere_latitude(int rows, int i);
double cas_sphere_longitude(int columns, int j);
/** map[(i * columns + j) * stride] = sum of omega_lm Y_lm, omega[cas_hoppe_yau_mode(l, m) *
    stride], l = 1 .. N-1. */
void cas_sphere_synthesise(int N, const double *omega, int rows, int columns, int stride,
                           double *map);
/** The sum of omega_lm Y_lm at one point, in degrees north and degrees east. */
double cas_sphere_value(int N, int stride, const double *omega, double latitude, double longitude);
/** The inverse of synthesis: omega[cas_hoppe_yau_mode(l, m)] is the integral of f Y_lm for l = 1 ..
    min(N, rows) - 1, and 0 for higher degrees. f has the values map[i * columns + j] at these
    points, columns = 2 rows, and is a trigonometric polynomial of least degree along all circles of
    latitude and of longitude: integrals are exact, and a map that was synthesised from these
    degrees has its coefficients again. mean: the integral of f over 4 pi. */
cas_status cas_sphere_analyse(int N, const double *map, int rows, int columns, double *omega,
                              double *mean, cas_error *err) CAS_MUST_CHECK;
/** The integral of f^2 by the quadrature that is exact for degrees below `rows`. */
double cas_sphere_square(const double *map, int rows, int columns);
/** value 2^(-960 small): P_mm near the poles is below the range of double precision where P_lm of
    higher degrees are not. */
typedef struct {
  double value;
  int small;
} cas_sphere_scaled;

/** out[l - m] = P_lm(theta), l = m .. N-1, from start = P_mm. Forward in l, which is stable. */
void cas_sphere_legendre(int N, int m, double theta, cas_sphere_scaled start, double *out);
/** P_mm from P_m-1,m-1, which is not read for m = 0; P_00 = sqrt(1/(4 pi)). */
cas_sphere_scaled cas_sphere_legendre_start(int m, double sin_theta, cas_sphere_scaled before);

#endif
