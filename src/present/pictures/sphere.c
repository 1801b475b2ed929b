/* The sphere as it is seen, its graticule and axes. */
#include "present/pictures/sphere.h"
#include <math.h>
#include <stdlib.h>

enum { ARC = 72 }; /* vertices of a circle of the graticule */
#define PI 3.14159265358979323846

cas_view cas_view_from(double azimuth, double elevation) {
  double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);

  return (cas_view){
      .right = {-sa, ca, 0}, .up = {-se * ca, -se * sa, ce}, .toward = {ce * ca, ce * sa, se}};
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

cas_seen cas_view_see(const cas_view *v, const double x[3]) {
  return (cas_seen){dot(v->right, x), dot(v->up, x), dot(v->toward, x)};
}

/* Of some thousand of n vectors, how many are clearly on the near side. */
static int64_t near_points(const cas_view *v, const double *x, int64_t n) {
  int64_t stride = n / 5000 + 1, found = 0;

  for (int64_t i = 0; i < n; i += stride)
    found += dot(v->toward, x + 3 * i) > 0.1 * sqrt(dot(x + 3 * i, x + 3 * i));
  return found;
}

cas_view cas_view_choose(int sets, const double *const *x, int64_t n) {
  cas_view best = cas_view_from(0, 0);
  double most = -1;

  for (int k = 0; k < 48; k++) {
    bool below = k >= 24;
    cas_view v = cas_view_from((15 * k + 40) * PI / 180, (below ? -22 : 22) * PI / 180);
    double found = 0;

    for (int i = 0; i < sets; i++)
      found += (double)near_points(&v, x[i], n) * (below ? 0.85 : 1);
    if (found > most) {
      most = found;
      best = v;
    }
  }
  return best;
}

/* ---- curves ---- */

bool cas_polyline_add(cas_polyline *p, const double x[3]) {
  if (p->n == p->allocated) {
    size_t allocated = p->allocated ? 2 * p->allocated : 256;
    double(*more)[3] = realloc(p->x, allocated * sizeof *more);

    if (!more)
      return false;
    p->x = more;
    p->allocated = allocated;
  }
  for (int i = 0; i < 3; i++)
    p->x[p->n][i] = x[i];
  p->n++;
  return true;
}

void cas_polyline_free(cas_polyline *p) {
  free(p->x);
  *p = (cas_polyline){0};
}

static void write_vertex(cas_figure *g, cas_seen s) { CAS_ROW(g, s.u, s.v); }

/* Where the line from a to b meets the rim. */
static cas_seen rim(cas_seen a, cas_seen b) {
  double share = a.depth / (a.depth - b.depth);
  double u = a.u + share * (b.u - a.u), v = a.v + share * (b.v - a.v), r = hypot(u, v);

  return (cas_seen){u / r, v / r, 0};
}

void cas_polyline_write(cas_figure *g, const cas_view *v, const cas_polyline *p, bool near_side,
                        const char *name) {
  double side = near_side ? 1 : -1;
  bool drawing = false; /* the last vertex was written */
  cas_seen last = {0};

  CAS_BLOCK(g, name, {"right", "1"}, {"up", "1"});
  for (size_t i = 0; i < p->n; i++) {
    cas_seen s = cas_view_see(v, p->x[i]);
    bool gap = !isfinite(s.depth), on = side * s.depth >= 0;

    if (!gap && i > 0 && isfinite(last.depth) && on != drawing)
      write_vertex(g, rim(last, s));
    if (!gap && on)
      write_vertex(g, s);
    if (drawing && (gap || !on))
      CAS_ROW(g, NAN, NAN);
    drawing = !gap && on;
    last = s;
  }
  cas_block_end(g);
}

/* ---- the sphere ---- */

static bool add_angles(cas_polyline *p, double longitude, double latitude) {
  return cas_polyline_add(p, (double[3]){cos(latitude) * cos(longitude),
                                         cos(latitude) * sin(longitude), sin(latitude)});
}

static void add_gap(cas_polyline *p) { (void)cas_polyline_add(p, (double[3]){NAN, NAN, NAN}); }

/* Every 30 degrees. A line that found no memory is missing, no more. */
static void make_graticule(cas_polyline *p) {
  for (int k = -2; k <= 2; k++) {
    for (int i = 0; i <= ARC; i++)
      (void)add_angles(p, 2 * PI * i / ARC, k * PI / 6);
    add_gap(p);
  }
  for (int k = 0; k < 12; k++) {
    for (int i = 0; i <= ARC / 2; i++)
      (void)add_angles(p, k * PI / 6, PI * (2.0 * i / ARC - 0.5));
    add_gap(p);
  }
}

/* Axis i from the surface outward; of one on the far side what the ball does not hide, false if
   that is nothing. */
static bool axis_line(const cas_view *v, int i, cas_seen *from, cas_seen *to) {
  double x[3] = {0}, reach, start = 1, end = 1.15;
  cas_seen s;

  x[i] = 1;
  s = cas_view_see(v, x);
  reach = hypot(s.u, s.v);
  if (s.depth < 0)
    start = 1 / reach;
  *from = (cas_seen){start * s.u, start * s.v, s.depth};
  *to = (cas_seen){end * s.u, end * s.v, s.depth};
  return start < end;
}

/* Its line, and behind its end the place of its name. */
static void write_axes(cas_figure *g, const cas_view *v) {
  cas_seen from, to;

  CAS_BLOCK(g, "axes", {"right", "1"}, {"up", "1"}, {"end_right", "1"}, {"end_up", "1"},
            {"name_right", "1"}, {"name_up", "1"}, {"axis", "1"});
  for (int i = 0; i < 3; i++)
    if (axis_line(v, i, &from, &to)) {
      double beyond = 1 + 0.07 / hypot(to.u, to.v);

      CAS_ROW(g, from.u, from.v, to.u, to.v, beyond * to.u, beyond * to.v, i + 1);
    }
  cas_block_end(g);
}

void cas_sphere_write(cas_figure *g, const cas_view *v) {
  cas_polyline graticule = {0};

  make_graticule(&graticule);
  cas_polyline_write(g, v, &graticule, true, "near_graticule");
  cas_polyline_write(g, v, &graticule, false, "far_graticule");
  cas_polyline_free(&graticule);
  write_axes(g, v);
}
