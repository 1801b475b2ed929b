/* Members of an ensemble on the sphere at a few times: states of three components, or of n points
   of three components each. */
#include "present/figure/sphere.h"
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

#define NAME "/ensemble/members"
#define TIME "/ensemble/time"
#define FAILED "/ensemble/member_failed"

enum { SPHERES = 5, MOST_POINTS = 7 /* of a state, as there are colours */ };

typedef struct {
  const cas_dataset *dataset;
  int64_t members, points; /* points: of a state */
  double *time, *failed;   /* failed: [members] 1 or 0; NULL: nobody says */
  int64_t left_out;
  cas_snapshots shown; /* [members][points][3], of length 1 or NaN */
  bool any;            /* that is not NaN */
} member_set;

/* The dataset of members, if it has the shape times x members x 3, or times x members x n x 3. */
static const cas_dataset *find(const cas_source *s) {
  const cas_dataset *d = cas_contents_find(&s->contents, NAME),
                    *time = cas_contents_find(&s->contents, TIME);
  bool fits = d && time && !d->is_complex && !time->is_complex && time->rank == 1 && d->rank >= 3 &&
              d->dims[0] == time->dims[0] && d->dims[d->rank - 1] == 3;
  for (int i = 0; fits && i < d->rank; i++)
    fits = d->dims[i] > 0;
  return fits ? d : NULL;
}

static bool matches_members(const cas_source *s) { return find(s) != NULL; }

/* All members at one time, in place. */
static void normalise(member_set *c, double *value) {
  for (int64_t i = 0; i < c->members * c->points; i++) {
    double *x = value + 3 * i, length = hypot(hypot(x[0], x[1]), x[2]);
    bool drawn = length > 0 && isfinite(length) && !(c->failed && c->failed[i / c->points] != 0);
    for (int j = 0; j < 3; j++)
      x[j] = drawn ? x[j] / length : NAN;
    c->any |= drawn;
  }
}

/* Files of earlier versions do not say which members failed. */
static cas_status read_failed(const cas_source *s, member_set *c, cas_error *err) {
  const cas_dataset *d = cas_contents_find(&s->contents, FAILED);
  cas_status st = CAS_OK;
  if (d && d->rank == 1 && d->dims[0] == c->members && !d->is_complex)
    st = cas_series_column_read(s, FAILED, c->members, &c->failed, err);
  for (int64_t i = 0; !st && c->failed && i < c->members; i++)
    c->left_out += c->failed[i] != 0;
  return st;
}

static cas_status read_members(const cas_figure *g, const cas_source *s, member_set *c,
                               cas_error *err) {
  int64_t records;
  cas_status st;
  c->dataset = find(s);
  records = c->dataset->dims[0];
  c->members = c->dataset->dims[1];
  c->points = c->dataset->rank == 4 ? c->dataset->dims[2] : 1;
  st = cas_series_column_read(s, TIME, records, &c->time, err);
  if (!st)
    st = read_failed(s, c, err);
  if (!st)
    st = cas_snapshots_read(g, s, NAME, c->time, records, SPHERES, &c->shown, err);
  for (int i = 0; i < c->shown.n && !st; i++)
    normalise(c, c->shown.value[i]);
  return st || c->any ? st : cas_figure_nothing(s->file, "member at these times", err);
}

static int drawn_points(const member_set *c) {
  return c->points < MOST_POINTS ? (int)c->points : MOST_POINTS;
}

/* One point of all members, of one sphere. */
static void write_points(cas_figure *g, const member_set *c, int sphere, int k) {
  cas_sphere_begin(g, cas_figure_name(g, "points_%d_%d", sphere + 1, k + 1));
  for (int64_t m = 0; m < c->members; m++)
    cas_figure_data_row(g, c->shown.value[sphere] + 3 * (m * c->points + k));
  cas_figure_data_end(g);
}

static void write_all(cas_figure *g, const member_set *c) {
  cas_snapshots_write(g, "panels", &c->shown);
  cas_figure_count(g, "members", c->members);
  cas_figure_count(g, "points", drawn_points(c));
  cas_sphere_view_choose(g, c->shown.n, (const double *const *)c->shown.value,
                         c->members * c->points);
  for (int i = 0; i < c->shown.n; i++)
    for (int k = 0; k < drawn_points(c); k++)
      write_points(g, c, i, k);
}

static cas_status draw_members(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                               cas_error *err) {
  member_set c = {0};
  cas_status st = read_members(g, s, &c, err);
  if (!st) {
    write_all(g, &c);
    if (c.left_out)
      cas_figure_remark(g, "%lld of %lld members failed and are not drawn", (long long)c.left_out,
                        (long long)c.members);
    if (drawn_points(&c) < c.points)
      cas_figure_remark(g, "%d of the %lld points of a state are drawn", drawn_points(&c),
                        (long long)c.points);
  }
  cas_snapshots_free(&c.shown);
  free(c.failed);
  free(c.time);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  plan->records = find(s)->dims[0];
  plan->has_view = true;
  plan->view[0] = 40, plan->view[1] = 22;
  return cas_series_column_read(s, TIME, plan->records, &plan->time, err);
}

const cas_picture cas_picture_members = {
    .name = "members",
    .summary = "members of an ensemble on the sphere at a few times",
    .needs = "/ensemble/members of 3 or n x 3 real components",
    .files = 1,
    .at = true,
    .plain = true,
    .view = true,
    .matches = matches_members,
    .draw = draw_members,
    .film = film,
};
