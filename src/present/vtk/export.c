#include "present/vtk/export.h"
#include "files/replace.h"
#include "files/safe_file.h"
#include "present/pictures/fields/maps.h"
#include "present/vtk/vtkhdf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEGREE (M_PI / 180)

enum { ARRAYS = 2 };

/* What can be exported: cells of maps, or vertices. */
typedef struct {
  const char *dataset[ARRAYS]; /* of values of cells, or of the places of vertices */
  const char *name[ARRAYS];    /* of the arrays of cells; none: vertices */
  const char *group;
  const char *outer; /* of vertices: the number that each path or member has */
} kind;

static const kind kinds[] = {{{"/trajectory/vorticity"}, {"vorticity"}, "/trajectory", NULL},
                             {{"/ensemble/vorticity/mean", "/ensemble/vorticity/variance"},
                              {"mean", "variance"},
                              "/ensemble",
                              NULL},
                             {{"/ensemble/members"}, {0}, "/ensemble", "member"},
                             {{"/trajectory/state"}, {0}, "/trajectory", "path"}};

/* ---- which of them ---- */

static const cas_dataset *find_dataset(const cas_source *s, const kind *k, int i) {
  char name[200];
  snprintf(name, sizeof name, "%s/time", k->group);
  const cas_dataset *d = cas_contents_find(&s->contents, k->dataset[i]),
                    *time = cas_contents_find(&s->contents, name);
  bool fits = d && time && !d->is_complex && !time->is_complex && time->rank == 1 && d->rank >= 2 &&
              d->dims[0] == time->dims[0];
  for (int a = 0; fits && a < d->rank; a++)
    fits = d->dims[a] > 0;
  return fits ? d : NULL;
}

static bool fits(const cas_source *s, const kind *k) {
  for (int i = 0; i < ARRAYS && k->dataset[i]; i++) {
    const cas_dataset *d = find_dataset(s, k, i);
    if (!d || (k->name[0] ? d->rank < 3 : d->dims[d->rank - 1] != 3))
      return false;
  }
  return true;
}

static const kind *find(const cas_source *s) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (fits(s, &kinds[i]))
      return &kinds[i];
  return NULL;
}

/* ---- meshes ---- */

/* What is written, and its memory. */
typedef struct {
  const cas_source *source;
  const cas_export_request *request;
  const kind *kind;
  const cas_dataset *first;
  cas_vtk_grid grid;
  int64_t *joint;
  double *place, *time, *constant[2]; /* of vertices: path or member, and point of a state */
} work;

static bool allocate(work *w, int64_t points) {
  w->place = calloc((size_t)points * 3, sizeof *w->place);
  w->joint = calloc((size_t)(w->grid.cells * w->grid.corners), sizeof *w->joint);
  w->grid.points = points;
  w->grid.joint = w->joint;
  return w->place && w->joint;
}

/* Edge k of n cells around their coordinates: half way between two, and `low` and `high` at the
   ends. */
static double edge(const double *at, int64_t n, int64_t k, double low, double high) {
  bool ascending = at[n - 1] >= at[0];
  if (k == 0)
    return ascending ? low : high;
  return k == n ? (ascending ? high : low) : (at[k - 1] + at[k]) / 2;
}

static void put_on_sphere(double *x, double latitude, double longitude) {
  x[0] = cos(latitude * DEGREE) * cos(longitude * DEGREE);
  x[1] = cos(latitude * DEGREE) * sin(longitude * DEGREE);
  x[2] = sin(latitude * DEGREE);
}

/* A corner of the cells: row 0 .. rows, column 0 .. columns. */
static void put_corner(const cas_grid *m, int64_t row, int64_t column, double *x) {
  const double around = m->torus ? 2 * M_PI : 360, half = around / 2 / (double)m->columns,
               *across = m->column, *up = m->row;
  double low = fmin(across[0], across[m->columns - 1]),
         to_the_right = edge(across, m->columns, column, low - half, low - half + around),
         first = fmin(up[0], up[m->rows - 1]), half_up = M_PI / (double)m->rows,
         upward = m->torus ? edge(up, m->rows, row, first - half_up, first - half_up + 2 * M_PI)
                           : edge(up, m->rows, row, -90, 90);
  if (m->torus)
    x[0] = to_the_right, x[1] = upward, x[2] = 0;
  else
    put_on_sphere(x, upward, to_the_right);
}

/* Every cell has the part of the sphere around its value, so that no place is without. */
static bool make_cells(work *w, const cas_grid *m) {
  const int64_t across = m->columns + 1;
  w->grid = (cas_vtk_grid){.cells = m->rows * m->columns, .corners = 4};
  if (!allocate(w, (m->rows + 1) * across))
    return false;
  for (int64_t i = 0; i <= m->rows; i++)
    for (int64_t j = 0; j < across; j++)
      put_corner(m, i, j, w->place + 3 * (i * across + j));
  for (int64_t c = 0; c < w->grid.cells; c++) {
    int64_t corner = c / m->columns * across + c % m->columns;
    memcpy(w->joint + 4 * c,
           (const int64_t[]){corner, corner + 1, corner + across + 1, corner + across},
           4 * sizeof *w->joint);
  }
  w->grid.place = w->place;
  return true;
}

static cas_status make_map(work *w, cas_error *err) {
  const cas_dataset *d = w->first;
  cas_grid m = {0};
  cas_status st =
      cas_grid_read(w->source, w->kind->group, d->dims[d->rank - 2], d->dims[d->rank - 1], &m, err);
  if (!st && !make_cells(w, &m))
    st = cas_no_memory(err);
  cas_grid_free(&m);
  return st;
}

/* Of states [paths][points][3]; a single path has no axis, and a single point none. */
static cas_status make_vertices(work *w, cas_error *err) {
  const cas_dataset *d = w->first;
  char name[200];
  snprintf(name, sizeof name, "%s/%s", w->kind->group, w->kind->outer);
  bool several = cas_contents_find(&w->source->contents, name) != NULL;
  int64_t outer = several ? d->dims[1] : 1, all = 1;
  for (int i = 1; i < d->rank - 1; i++)
    all *= d->dims[i];
  w->grid = (cas_vtk_grid){.cells = all, .corners = 1};
  w->constant[0] = calloc((size_t)all, sizeof(double));
  w->constant[1] = calloc((size_t)all, sizeof(double));
  if (!allocate(w, all) || !w->constant[0] || !w->constant[1])
    return cas_no_memory(err);
  for (int64_t i = 0; i < all; i++) {
    w->joint[i] = i;
    w->constant[0][i] = (double)(i / (all / outer));
    w->constant[1][i] = (double)(i % (all / outer));
  }
  return CAS_OK;
}

/* ---- writing ---- */

static cas_status write_record(work *w, cas_vtk *v, int64_t record, cas_error *err) {
  for (int i = 0; i < ARRAYS && w->kind->dataset[i]; i++) {
    int rank;
    int64_t dims[4];
    bool is_complex;
    double *value = NULL;
    cas_status st = cas_dataset_read_records(w->source->file, w->kind->dataset[i], record, 1, &rank,
                                             dims, &is_complex, &value, err);
    if (!st && w->kind->name[i])
      cas_vtk_values(v, w->kind->name[i], record, value); /* of several paths the first */
    else if (!st)
      cas_vtk_points(v, record, value);
    free(value);
    CAS_CALL(st ? st : v->h.status);
  }
  return CAS_OK;
}

static cas_status write_records(work *w, cas_vtk *v, cas_error *err) {
  const cas_export_request *q = w->request;
  const int64_t records = w->first->dims[0];
  for (int64_t i = 0; i < records; i++) {
    CAS_CALL(write_record(w, v, i, err));
    if (q->cancelled && q->cancelled(q->context))
      return cas_fail(err, CAS_INTERRUPTED,
                      "interrupted after %lld of %lld records; there is no %s", (long long)i + 1,
                      (long long)records, "file for ParaView");
    if (q->progress)
      q->progress(q->context, i + 1, records);
  }
  return CAS_OK;
}

static cas_status write_file(work *w, const char *temporary, cas_error *err) {
  cas_vtk v;
  cas_status st;
  cas_vtk_begin(&v, temporary, &w->grid, w->time, w->first->dims[0], err);
  if (!w->kind->name[0]) {
    cas_vtk_constant(&v, w->kind->outer, w->constant[0]);
    cas_vtk_constant(&v, "point", w->constant[1]);
  }
  for (int i = 0; i < ARRAYS && w->kind->name[i]; i++)
    cas_vtk_array(&v, w->kind->name[i], find_dataset(w->source, w->kind, i)->units);
  st = write_records(w, &v, err);
  cas_status closed = cas_vtk_end(&v);
  return st ? st : closed;
}

/* ---- the whole ---- */

static cas_status make(work *w, const char *output, cas_error *err) {
  char name[200];
  w->kind = find(w->source);
  if (!w->kind)
    return cas_fail(
        err, CAS_BAD_INPUT,
        "%s: holds nothing to export: neither vorticity over latitude and longitude, or "
        "over x2 and x1, nor states or members of 3 or n x 3 real components",
        w->source->file);
  if (cas_file_is_same(w->source->file, output))
    return cas_fail(err, CAS_BAD_INPUT, "%s is what is exported; give another --output", output);
  w->first = find_dataset(w->source, w->kind, 0);
  snprintf(name, sizeof name, "%s/time", w->kind->group);
  CAS_CALL(cas_series_column_read(w->source, name, w->first->dims[0], &w->time, err));
  CAS_CALL(w->kind->name[0] ? make_map(w, err) : make_vertices(w, err));
  cas_replacement r = {0};
  cas_status st = cas_replacement_begin(output, CAS_LEFTOVER_EXPORT, &r, err);
  if (!st)
    st = write_file(w, r.temporary, err);
  return cas_replacement_end(&r, st, err);
}

/* results.vtkhdf of results.h5 */
static char *default_output(const char *file) {
  const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
  int n = dot && dot > slash && dot != file ? (int)(dot - file) : (int)strlen(file);
  char *name = NULL;
  return asprintf(&name, "%.*s.vtkhdf", n, file) < 0 ? NULL : name;
}

cas_status cas_export(const cas_export_request *q, cas_error *err) {
  cas_source s = {0};
  work w = {.source = &s, .request = q};
  char *own = q->output ? NULL : default_output(q->file);
  const char *output = q->output ? q->output : own;
  cas_status st = output ? cas_source_open(q->file, INFINITY, NULL, &s, err) : cas_no_memory(err);
  if (!st)
    st = make(&w, output, err);
  free(w.joint);
  free(w.place);
  free(w.time);
  free(w.constant[0]);
  free(w.constant[1]);
  cas_source_close(&s);
  free(own);
  return st;
}
