#include "harmonics/sphere.h"
#include "harmonics/hoppe_yau.h"

#include <casimir/extend.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

double cas_sphere_latitude(int rows, int i) { return -90 + (i + 0.5) * 180 / rows; }
double cas_sphere_longitude(int columns, int j) { return j * 360.0 / columns; }

double cas_sphere_legendre_start(int m, double sin_theta, double before) {
  return m == 0 ? sqrt(1 / (4 * pi)) : sqrt((2.0 * m + 1) / (2.0 * m)) * sin_theta * before;
}

void cas_sphere_legendre(int N, int m, double cos_theta, double start, double *out) {
  double mm = (double)m * m, before = 0, now = start, a_before = 0;
  for (int l = m; l < N; l++) {
    out[l - m] = now;
    double ll = (l + 1.0) * (l + 1.0), a = sqrt((4 * ll - 1) / (ll - mm));
    double next = a * (cos_theta * now - (l > m ? before / a_before : 0));
    before = now, now = next, a_before = a;
  }
}

/* cosine[m], sine[m]: amplitudes of cos(m phi) and sin(m phi) on the circle of latitude */
static void circle(int N, const double *omega, double latitude, double *cosine, double *sine) {
  double theta = (90 - latitude) * pi / 180, start = 0, legendre[CAS_HOPPE_YAU_MOST];
  for (int m = 0; m < N; m++) {
    start = cas_sphere_legendre_start(m, sin(theta), start);
    cas_sphere_legendre(N, m, cos(theta), start, legendre);
    cosine[m] = sine[m] = 0;
    for (int l = m ? m : 1; l < N; l++) {
      cosine[m] += omega[cas_hoppe_yau_mode(l, -m)] * legendre[l - m];
      sine[m] += omega[cas_hoppe_yau_mode(l, m)] * legendre[l - m];
    }
    cosine[m] *= m ? sqrt(2) : 1;
    sine[m] *= m ? sqrt(2) : 0;
  }
}

void cas_sphere_synthesise(int N, const double *omega, int rows, int columns, int stride,
                           double *map) {
  double cosine[CAS_HOPPE_YAU_MOST], sine[CAS_HOPPE_YAU_MOST];
  for (int i = 0; i < rows && !cas_cancelled(); i++) {
    circle(N, omega, cas_sphere_latitude(rows, i), cosine, sine);
    for (int j = 0; j < columns; j++) {
      /* exp(i m phi) by turning: errors grow like m times rounding only */
      double phi = cas_sphere_longitude(columns, j) * pi / 180, c = cos(phi), s = sin(phi), re = 1,
             im = 0, sum = 0;
      for (int m = 0; m < N; m++) {
        sum += cosine[m] * re + sine[m] * im;
        double turned = re * c - im * s;
        im = re * s + im * c;
        re = turned;
      }
      map[(size_t)(i * columns + j) * (size_t)stride] = sum;
    }
  }
}
