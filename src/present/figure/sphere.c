#include "present/figure/sphere.h"
#include <math.h>

#define DEGREE (3.14159265358979323846 / 180)

/* How many vectors are clearly on the side of this direction, among some thousand of the n. */
static int64_t near_points(const double toward[3], const double *x, int64_t n) {
  int64_t stride = n / 5000 + 1, found = 0;
  for (int64_t i = 0; i < n; i += stride) {
    const double *y = x + 3 * i;
    double depth = toward[0] * y[0] + toward[1] * y[1] + toward[2] * y[2];
    found += depth > 0.1 * hypot(hypot(y[0], y[1]), y[2]);
  }
  return found;
}

static double score(double azimuth, double elevation, int sets, const double *const *x, int64_t n) {
  double a = azimuth * DEGREE, e = elevation * DEGREE, found = 0;
  double toward[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)};
  for (int i = 0; i < sets; i++)
    found += (double)near_points(toward, x[i], n);
  return found * (elevation < 0 ? 0.85 : 1);
}

void cas_sphere_view_find(int sets, const double *const *x, int64_t n, double best[2]) {
  double most = -1;
  for (int k = 0; k < 48; k++) {
    double azimuth = (15 * k + 40) % 360, elevation = k < 24 ? 22 : -22;
    double found = score(azimuth, elevation, sets, x, n);
    if (found > most) {
      most = found;
      best[0] = azimuth, best[1] = elevation;
    }
  }
}

void cas_sphere_view_choose(cas_figure *g, int sets, const double *const *x, int64_t n) {
  double best[2] = {g->request->view[0], g->request->view[1]};
  if (!g->request->has_view)
    cas_sphere_view_find(sets, x, n, best);
  cas_figure_real(g, "azimuth", best[0]);
  cas_figure_real(g, "elevation", best[1]);
}

void cas_sphere_begin(cas_figure *g, const char *name) {
  CAS_FIGURE_DATA(g, name, {"x1", "1"}, {"x2", "1"}, {"x3", "1"});
}
