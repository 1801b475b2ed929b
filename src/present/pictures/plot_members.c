/* Members of an ensemble on the sphere at a few times: states of three components, or of n points of
   three components each. */
#include "present/pictures/plot_sphere.h"
#include <math.h>
#include <stdlib.h>

#define NAME "/ensemble/members"
#define TIME "/ensemble/time"
#define FAILED "/ensemble/member_failed"

/* inches */
#define SIZE 2.5
#define TOP 0.36
#define BOTTOM 0.1
#define MARGIN 0.12

enum { SPHERES = 5, IN_A_ROW = 5 };

typedef struct {
  const cas_source *source;
  const cas_dataset *dataset;
  double *time;
  int64_t members, points; /* points: of a state */
  int spheres;
  int64_t record[CAS_PLOT_MOST_TIMES];
  double *failed; /* [members] 1 or 0; NULL: nobody says */
  int64_t left_out;
  double *value[CAS_PLOT_MOST_TIMES]; /* [members][points][3], of length 1 or NaN */
  bool any;                           /* that is not NaN */
} cloud;

/* times x members x 3, or times x members x n x 3 */
static const cas_dataset *find(const cas_source *s) {
  const cas_dataset *d = cas_contents_find(&s->contents, NAME),
                    *time = cas_contents_find(&s->contents, TIME);
  bool fits = d && time && !d->is_complex && !time->is_complex && time->rank == 1 && d->rank >= 3 &&
              d->dims[0] == time->dims[0] && d->dims[d->rank - 1] == 3;

  for (int i = 0; fits && i < d->rank; i++)
    fits = d->dims[i] > 0;
  return fits ? d : NULL;
}

static bool matches(const cas_source *s) { return find(s) != NULL; }

static double *point(const cloud *c, int sphere, int64_t member, int64_t k) {
  return c->value[sphere] + 3 * (member * c->points + k);
}

static void normalise(cloud *c, int sphere) {
  for (int64_t i = 0; i < c->members * c->points; i++) {
    double *x = c->value[sphere] + 3 * i, length = hypot(hypot(x[0], x[1]), x[2]);
    bool drawn = length > 0 && isfinite(length) && !(c->failed && c->failed[i / c->points] != 0);

    for (int j = 0; j < 3; j++)
      x[j] = drawn ? x[j] / length : NAN;
    c->any |= isfinite(x[0]);
  }
}

/* files of earlier versions do not say it */
static cas_status read_failed(const cas_source *s, cloud *c, cas_error *err) {
  const cas_dataset *d = cas_contents_find(&s->contents, FAILED);
  cas_status st = CAS_OK;

  if (d && d->rank == 1 && d->dims[0] == c->members && !d->is_complex)
    st = cas_column_read(s, FAILED, c->members, &c->failed, err);
  for (int64_t i = 0; !st && c->failed && i < c->members; i++)
    c->left_out += c->failed[i] != 0;
  return st;
}

static cas_status read_cloud(const cas_figure *g, const cas_source *s, cloud *c, cas_error *err) {
  int rank;
  int64_t dims[4];
  bool is_complex;
  cas_status st;

  c->source = s;
  c->dataset = find(s);
  c->members = c->dataset->dims[1];
  c->points = c->dataset->rank == 4 ? c->dataset->dims[2] : 1;
  st = cas_column_read(s, TIME, c->dataset->dims[0], &c->time, err);
  if (!st)
    st = read_failed(s, c, err);
  if (st)
    return st;
  c->spheres = cas_snapshots(g, c->time, c->dataset->dims[0], SPHERES, c->record);
  for (int i = 0; i < c->spheres && !st; i++) {
    st = cas_dataset_read_records(s->file, NAME, c->record[i], 1, &rank, dims, &is_complex,
                                  &c->value[i], err);
    if (!st)
      normalise(c, i);
  }
  return st || c->any ? st : cas_figure_nothing(s->file, "member at these times", err);
}

/* One point of all members, of one sphere and one side. */
static void write_points(cas_figure *g, const cloud *c, const cas_view *v, int sphere, int k,
                         bool near_side) {
  fprintf(g->script, "$points%d_%d << EOD\nNaN NaN\n", near_side, k);
  for (int64_t m = 0; m < c->members; m++) {
    cas_seen s = cas_view_see(v, point(c, sphere, m, k));

    if (isfinite(s.depth) && near_side == (s.depth >= 0))
      fprintf(g->script, "%.4f %.4f\n", s.u, s.v);
  }
  fputs("EOD\n", g->script);
}

static void plot_points(cas_figure *g, const cloud *c, int k, bool near_side) {
  double size = c->members <= 200 ? 0.6 : c->members <= 2000 ? 0.35 : 0.2;
  char tint[8];

  cas_figure_tint(cas_figure_colour(k), near_side ? 1 : 0.4, tint);
  fprintf(g->script,
          ", \\\n     $points%d_%d using 1:2 with points pointtype 7 pointsize %g linecolor '%s'",
          near_side, k, size, tint);
}

static void draw_sphere(cas_figure *g, const cloud *c, const cas_view *v, int sphere) {
  int n = c->points < CAS_COLOURS ? (int)c->points : CAS_COLOURS;

  cas_sphere_prepare(g, v);
  fprintf(g->script, "set label 't = %g' at graph 0.5,1.05 center\n", c->time[c->record[sphere]]);
  for (int k = 0; k < n; k++)
    for (int near_side = 0; near_side < 2; near_side++)
      write_points(g, c, v, sphere, k, near_side);
  cas_sphere_plot_ball(g);
  for (int k = 0; k < n; k++)
    plot_points(g, c, k, false);
  cas_sphere_plot_graticule(g);
  for (int k = 0; k < n; k++)
    plot_points(g, c, k, true);
  fputc('\n', g->script);
}

static void draw_spheres(cas_figure *g, const cloud *c) {
  cas_view view =
      cas_view_choose(c->spheres, (const double *const *)c->value, c->members * c->points);
  int columns = c->spheres < IN_A_ROW ? c->spheres : IN_A_ROW;
  int rows = (c->spheres + IN_A_ROW - 1) / IN_A_ROW;
  cas_frame f = {.width = SIZE, .height = SIZE, .figure_width = columns * SIZE + 2 * MARGIN};

  f.figure_height = rows * (SIZE + TOP) + BOTTOM;
  cas_figure_size(g, f.figure_width, f.figure_height);
  fputs("set multiplot\n", g->script);
  for (int i = 0; i < c->spheres; i++) {
    f.left = MARGIN + i % columns * SIZE;
    f.bottom = BOTTOM + (rows - 1 - i / columns) * (SIZE + TOP);
    cas_figure_frame(g, &f);
    draw_sphere(g, c, &view, i);
  }
  fputs("unset multiplot\n", g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  cloud c = {0};
  cas_status st = read_cloud(g, s, &c, err);

  (void)n;
  if (!st)
    draw_spheres(g, &c);
  if (!st && c.left_out)
    cas_figure_remark(g, "%lld of %lld members failed and are not drawn", (long long)c.left_out,
                      (long long)c.members);
  for (int i = 0; i < c.spheres; i++)
    free(c.value[i]);
  free(c.failed);
  free(c.time);
  return st;
}

const cas_picture cas_picture_members = {
    .name = "members",
    .summary = "members of an ensemble on the sphere at a few times",
    .needs = "/ensemble/members of 3 or n x 3 real components",
    .files = 1,
    .at = true,
    .matches = matches,
    .draw = draw,
};
