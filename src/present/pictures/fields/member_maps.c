/* Maps of members of an ensemble at one time or at several. Files hold the states of members; what
   maps show of them is computed here by the observable of the system. */
#include "present/pictures/fields/maps.h"
#include "present/pictures/viewer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP "/ensemble"
#define MEMBERS GROUP "/members"
#define TIME GROUP "/time"
#define FAILED GROUP "/member_failed"

enum { MOST = 8 /* maps of a figure */, MOST_MEMBERS = 4 };

typedef struct {
  cas_viewer viewer;
  cas_grid grid;
  int64_t records, members, doubles; /* doubles: of a state in the file */
  double *time;
  int64_t shown[MOST_MEMBERS]; /* members that did not fail, the first of them */
  int n;
} member_set;

/* ---- what can be drawn ---- */

static const char *wanted(const cas_source *s) { return s->map ? s->map : "vorticity"; }

/* States of members, times x members x .. */
static const cas_dataset *find(const cas_source *s) {
  const cas_dataset *d = cas_contents_find(&s->contents, MEMBERS),
                    *time = cas_contents_find(&s->contents, TIME);
  bool fits = d && time && !time->is_complex && time->rank == 1 && d->rank >= 3 &&
              d->dims[0] == time->dims[0];
  for (int i = 0; fits && i < d->rank; i++)
    fits = d->dims[i] > 0;
  return fits ? d : NULL;
}

static bool matches_member_maps(const cas_source *s) {
  const cas_system *system = find(s) ? cas_viewer_system(s) : NULL;
  return system && cas_viewer_observable(system, wanted(s), 2);
}

/* ---- the system of the file ---- */

/* Coordinates of the rows, or of the columns, of maps. */
static double *coordinates_of(const cas_viewer *v, const cas_axis *axis) {
  double *at = calloc((size_t)axis->length, sizeof *at);
  if (at && axis->coordinates)
    axis->coordinates(v->parameters, at);
  return at;
}

static cas_status open_grid(member_set *m, cas_error *err) {
  const cas_viewer *v = &m->viewer;
  cas_axis axis[2];
  v->observable->axes(v->parameters, axis);
  m->grid = (cas_grid){.torus = strcmp(axis[0].name, "x2") == 0,
                       .rows = axis[0].length,
                       .columns = axis[1].length,
                       .row = coordinates_of(v, &axis[0]),
                       .column = coordinates_of(v, &axis[1])};
  return m->grid.row && m->grid.column ? CAS_OK : cas_no_memory(err);
}

/* The map of a state as files hold it; the caller frees *map, also after a failure. */
static cas_status map_of(const member_set *m, const char *file, const double *state, double **map,
                         cas_error *err) {
  *map = calloc((size_t)(m->grid.rows * m->grid.columns), sizeof **map);
  const char *wrong = *map ? cas_viewer_look(&m->viewer, state, *map) : "out of memory";
  return wrong ? cas_fail(err, CAS_BAD_INPUT, "%s: a member %s", file, wrong) : CAS_OK;
}

/* ---- members ---- */

static cas_status choose_members(const cas_source *s, member_set *m, cas_error *err) {
  const cas_dataset *d = cas_contents_find(&s->contents, FAILED);
  double *failed = NULL;
  cas_status st = CAS_OK;
  if (d && d->rank == 1 && !d->is_complex && d->dims[0] == m->members)
    st = cas_series_column_read(s, FAILED, m->members, &failed, err);
  for (int64_t i = 0; !st && i < m->members && m->n < MOST_MEMBERS; i++)
    if (!failed || failed[i] == 0)
      m->shown[m->n++] = i;
  free(failed);
  return st || m->n ? st : cas_fail(err, CAS_BAD_INPUT, "%s: all members failed", s->file);
}

static cas_status open_members(const cas_source *s, member_set *m, cas_error *err) {
  const cas_dataset *d = find(s);
  m->records = d->dims[0];
  m->members = d->dims[1];
  m->doubles = d->is_complex ? 2 : 1;
  for (int i = 2; i < d->rank; i++)
    m->doubles *= d->dims[i];
  CAS_CALL(cas_series_column_read(s, TIME, m->records, &m->time, err));
  CAS_CALL(choose_members(s, m, err));
  CAS_CALL(cas_viewer_open(s, cas_viewer_observable(cas_viewer_system(s), wanted(s), 2), &m->viewer,
                           err));
  return open_grid(m, err);
}

static void close_members(member_set *m) {
  cas_viewer_close(&m->viewer);
  cas_grid_free(&m->grid);
  free(m->time);
}

/* maps[m->n] of the members that are shown, from all states of one time */
static cas_status find_maps(const member_set *m, const char *file, const double *states,
                            double **maps, cas_error *err) {
  cas_status st = CAS_OK;
  for (int i = 0; i < m->n && !st; i++)
    st = map_of(m, file, states + m->shown[i] * m->doubles, &maps[i], err);
  return st;
}

/* ---- the figure ---- */

static cas_status write_panels(cas_figure *g, const cas_source *s, const member_set *m,
                               const cas_snapshots *at, int n, double *const *map, cas_error *err) {
  const cas_viewer *v = &m->viewer;
  double greatest = cas_maps_greatest(&m->grid, n, map);
  if (greatest < 0)
    return cas_figure_nothing(s->file, cas_figure_name(g, "%s of a member", v->observable->name),
                              err);
  if (g->request->frame)
    greatest = g->request->frame->greatest;
  cas_figure_count(g, "panels", n);
  for (int i = 0; i < n; i++)
    cas_figure_text_of(g, "label", i, n, CAS_FIGURE_AS_IT_IS,
                       cas_figure_name(g, "member %lld, t = %g", (long long)m->shown[i % m->n],
                                       at->time[i / m->n]));
  cas_figure_text(g, "quantity", CAS_FIGURE_WORDS, v->observable->name);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, v->observable->unit);
  cas_figure_real(g, "greatest", greatest > 0 ? greatest : 1);
  CAS_CALL(cas_maps_write(g, &m->grid, err));
  return cas_maps_data(g, &m->grid, "map", n, map, v->observable->unit, err);
}

static cas_status draw_member_maps(cas_figure *g, const cas_source *s, int files CAS_UNUSED,
                                   cas_error *err) {
  member_set m = {0};
  cas_snapshots at = {0};
  double *map[CAS_PLOT_MOST_TIMES * MOST_MEMBERS] = {0};
  int n = 0;
  cas_status st = open_members(s, &m, err);
  if (!st)
    st = cas_snapshots_read(g, s, MEMBERS, m.time, m.records, MOST / m.n, &at, err);
  for (int i = 0; i < at.n && !st; i++, n += m.n)
    st = find_maps(&m, s->file, at.value[i], map + n, err);
  if (!st)
    st = write_panels(g, s, &m, &at, n, map, err);
  if (!st && m.n < m.members)
    cas_figure_remark(g, "%d of %lld members are drawn", m.n, (long long)m.members);
  for (int i = 0; i < CAS_PLOT_MOST_TIMES * MOST_MEMBERS; i++)
    free(map[i]);
  cas_snapshots_free(&at);
  close_members(&m);
  return st;
}

/* ---- the film ---- */

static cas_status add_greatest(const cas_source *s, const member_set *m, int64_t record,
                               double *greatest, cas_error *err) {
  int rank;
  int64_t dims[4];
  bool is_complex;
  double *states = NULL, *map[MOST_MEMBERS] = {0};
  cas_status st =
      cas_dataset_read_records(s->file, MEMBERS, record, 1, &rank, dims, &is_complex, &states, err);
  if (!st)
    st = find_maps(m, s->file, states, map, err);
  if (!st)
    *greatest = fmax(*greatest, cas_maps_greatest(&m->grid, m->n, map));
  for (int i = 0; i < MOST_MEMBERS; i++)
    free(map[i]);
  free(states);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  member_set m = {0};
  cas_status st = open_members(s, &m, err);
  for (int64_t i = 0; i < m.records && !st; i++)
    st = add_greatest(s, &m, i, &plan->greatest, err);
  plan->records = m.records;
  plan->time = m.time;
  m.time = NULL;
  close_members(&m);
  return st || plan->greatest > 0 ? st : cas_figure_nothing(s->file, "value but 0", err);
}

const cas_picture cas_picture_member_maps = {
    .name = "member_maps",
    .template = "vorticity",
    .summary = "maps of the vorticity, or of --map, of members of an ensemble at a few times",
    .needs = "/ensemble/members of a fluid (study.members)",
    .files = 1,
    .at = true,
    .map = true,
    .plain = true,
    .view = true,
    .matches = matches_member_maps,
    .draw = draw_member_maps,
    .film = film,
};
