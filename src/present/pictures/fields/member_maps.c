/* Maps of members of an ensemble at one time or at several. Files hold the states of members; what
   maps show of them is computed here by the observable of the system. */
#include "config/uncertain.h"
#include "kernels/kernels.h"
#include "present/pictures/fields/maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP "/ensemble"
#define MEMBERS GROUP "/members"
#define TIME GROUP "/time"
#define FAILED GROUP "/member_failed"

enum { MOST = 8 /* maps of a figure */, MOST_MEMBERS = 4 };

/* An observable of a system with the parameters of a file. */
typedef struct {
  cas_config *config;
  const cas_system *system;
  const cas_functional *observable;
  void *parameters;
  int components; /* of a state */
  cas_grid grid;
} viewer;

typedef struct {
  viewer viewer;
  int64_t records, members, doubles; /* doubles: of a state in the file */
  double *time;
  int64_t shown[MOST_MEMBERS]; /* members that did not fail, the first of them */
  int n;
} member_set;

/* ---- what can be drawn ---- */

static const char *wanted(const cas_source *s) { return s->map ? s->map : "vorticity"; }

/* The map of this name that a system has. */
static const cas_functional *find_map(const cas_system *system, const char *name) {
  void *zeroed = calloc(1, system->parameters_size);
  const cas_functional *found = NULL;
  cas_axis axis[2];
  for (const cas_functional *f = system->observables; zeroed && f->name; f++)
    if (strcmp(f->name, name) == 0 && f->axes && f->axes(zeroed, axis) == 2)
      found = f;
  free(zeroed);
  return found;
}

static const cas_system *find_system(const cas_source *s) {
  const char *name = s->results.provenance.system;
  for (const cas_system *const *i = cas_kernels_get()->systems; name && *i; i++)
    if (strcmp((*i)->name, name) == 0)
      return *i;
  return NULL;
}

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
  const cas_system *system = find(s) ? find_system(s) : NULL;
  return system && find_map(system, wanted(s));
}

/* ---- the system of the file ---- */

/* Coordinates of the rows, or of the columns, of maps. */
static double *coordinates_of(const viewer *v, const cas_axis *axis) {
  double *at = calloc((size_t)axis->length, sizeof *at);
  if (at && axis->coordinates)
    axis->coordinates(v->parameters, at);
  return at;
}

static cas_status open_grid(viewer *v, cas_error *err) {
  cas_axis axis[2];
  v->observable->axes(v->parameters, axis);
  v->grid = (cas_grid){.torus = strcmp(axis[0].name, "x2") == 0,
                       .rows = axis[0].length,
                       .columns = axis[1].length,
                       .row = coordinates_of(v, &axis[0]),
                       .column = coordinates_of(v, &axis[1])};
  return v->grid.row && v->grid.column ? CAS_OK : cas_no_memory(err);
}

/* A map is one of a state with the parameters of the configuration, which here every path has
   drawn. */
static cas_status refuse_uncertain(const cas_source *s, const viewer *v, cas_error *err) {
  cas_uncertain u;
  cas_status st = cas_uncertain_find(v->config, "system", v->system->options, &u, err);
  if (!st && u.values)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s: %s differs from path to path, and maps of members need parameters that all "
                  "of them have",
                  s->file, u.value[0].path);
  cas_uncertain_free(&u);
  return st;
}

/* Noise is no part of what a state shows, and may be in files that are gone. */
static cas_status read_parameters(const cas_source *s, viewer *v, cas_error *err) {
  static const char *const also[] = {"name", "initial", "file", "file_hash", NULL};
  const char *text = s->results.provenance.configuration;
  if (!text)
    return cas_fail(err, CAS_BAD_INPUT, "%s: has no configuration", s->file);
  CAS_CALL(cas_config_parse(text, strlen(text), s->file, &v->config, err));
  if (cas_config_has(v->config, "system.noise"))
    CAS_CALL(cas_config_set(v->config, "system.noise=null", err));
  CAS_CALL(refuse_uncertain(s, v, err));
  CAS_CALL(cas_options_read(v->config, "system", v->system->options, also, v->parameters, err));
  return v->system->check ? v->system->check(v->config, v->parameters, err) : CAS_OK;
}

static int count_components(const viewer *v) {
  const cas_body *body = v->system->body(v->parameters);
  int n, factors;
  v->system->geometry(v->parameters, &n, &factors);
  for (const cas_algebra *const *a = cas_kernels_get()->algebras; *a; a++)
    if (strcmp((*a)->name, body->algebra) == 0)
      return factors * (*a)->dimension(n);
  return 0;
}

static cas_status open_viewer(const cas_source *s, viewer *v, cas_error *err) {
  v->system = find_system(s);
  v->observable = find_map(v->system, wanted(s));
  v->parameters = calloc(1, v->system->parameters_size);
  if (!v->parameters)
    return cas_no_memory(err);
  CAS_CALL(read_parameters(s, v, err));
  const char *why = v->observable->undefined ? v->observable->undefined(v->parameters) : NULL;
  if (why)
    return cas_fail(err, CAS_BAD_INPUT, "%s: there is no %s: %s", s->file, v->observable->name,
                    why);
  v->components = count_components(v);
  return open_grid(v, err);
}

static void close_viewer(viewer *v) {
  if (v->parameters && v->system->release)
    v->system->release(v->parameters);
  if (v->parameters)
    cas_options_free(v->system->options, v->parameters);
  free(v->parameters);
  cas_config_free(v->config);
  cas_grid_free(&v->grid);
}

/* The map of a state as files hold it; the caller frees *map, also after a failure. */
static cas_status map_of(const viewer *v, const char *file, const double *state, double **map,
                         cas_error *err) {
  double *x = calloc((size_t)v->components + 8, sizeof *x);
  *map = calloc((size_t)(v->grid.rows * v->grid.columns), sizeof **map);
  const char *wrong = x && *map ? v->system->pack(v->parameters, state, x) : "out of memory";
  if (!wrong)
    v->observable->value(v->parameters, 1, x, *map);
  free(x);
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
  return open_viewer(s, &m->viewer, err);
}

static void close_members(member_set *m) {
  close_viewer(&m->viewer);
  free(m->time);
}

/* maps[m->n] of the members that are shown, from all states of one time */
static cas_status find_maps(const member_set *m, const char *file, const double *states,
                            double **maps, cas_error *err) {
  cas_status st = CAS_OK;
  for (int i = 0; i < m->n && !st; i++)
    st = map_of(&m->viewer, file, states + m->shown[i] * m->doubles, &maps[i], err);
  return st;
}

/* ---- the figure ---- */

static cas_status write_panels(cas_figure *g, const cas_source *s, const member_set *m,
                               const cas_snapshots *at, int n, double *const *map, cas_error *err) {
  const viewer *v = &m->viewer;
  double greatest = cas_maps_greatest(&v->grid, n, map);
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
  CAS_CALL(cas_maps_write(g, &v->grid, err));
  return cas_maps_data(g, &v->grid, "map", n, map, v->observable->unit, err);
}

static cas_status draw_member_maps(cas_figure *g, const cas_source *s, int files, cas_error *err) {
  member_set m = {0};
  cas_snapshots at = {0};
  double *map[CAS_PLOT_MOST_TIMES * MOST_MEMBERS] = {0};
  int n = 0;
  (void)files;
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
    *greatest = fmax(*greatest, cas_maps_greatest(&m->viewer.grid, m->n, map));
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
