#include "present/pictures/fields/maps.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of a map; finer data would be finer than the paper. */
enum { MOST_ROWS = 256, MOST_COLUMNS = 512, DISC = 256 /* on the diameter of a sphere */ };

#define DEGREE (M_PI / 180)

/* ---- reading ---- */

static cas_status read_axis(const cas_source *s, const char *group, const char *name, int64_t n,
                            double **value, cas_error *err) {
  char full[200];
  snprintf(full, sizeof full, "%s/%s", group, name);
  return cas_series_column_read(s, full, n, value, err);
}

cas_status cas_grid_read(const cas_source *s, const char *group, int64_t rows, int64_t columns,
                         cas_grid *out, cas_error *err) {
  char first[200];
  cas_status st;
  snprintf(first, sizeof first, "%s/x1", group);
  *out = (cas_grid){.rows = rows, .columns = columns};
  out->torus = cas_contents_find(&s->contents, first) != NULL;
  st = read_axis(s, group, out->torus ? "x2" : "latitude", rows, &out->row, err);
  return st ? st : read_axis(s, group, out->torus ? "x1" : "longitude", columns, &out->column, err);
}

/* ---- which map ---- */

static bool is_length(const cas_source *s, const char *group, const char *axis, int64_t n) {
  char full[200];
  snprintf(full, sizeof full, "%s/%s", group, axis);
  const cas_dataset *d = cas_contents_find(&s->contents, full);
  return d && d->rank == 1 && d->dims[0] == n && n > 0;
}

static bool is_map(const cas_source *s, const char *group, const cas_dataset *d) {
  if (!d || d->is_complex || d->rank < 3)
    return false;
  const int64_t rows = d->dims[d->rank - 2], columns = d->dims[d->rank - 1];
  return (is_length(s, group, "latitude", rows) && is_length(s, group, "longitude", columns)) ||
         (is_length(s, group, "x2", rows) && is_length(s, group, "x1", columns));
}

/* The observable that a dataset GROUP/NAMEbehind is of; false: it has another place. */
static bool observable_of(const char *dataset, const char *group, const char *behind,
                          char name[CAS_MAP_NAME]) {
  const size_t first = strlen(group) + 1, n = strlen(dataset), end = n - strlen(behind);
  if (n <= first + strlen(behind) || strncmp(dataset, group, first - 1) != 0 ||
      dataset[first - 1] != '/' || strcmp(dataset + end, behind) != 0 ||
      end - first >= CAS_MAP_NAME || memchr(dataset + first, '/', end - first))
    return false;
  snprintf(name, CAS_MAP_NAME, "%.*s", (int)(end - first), dataset + first);
  return true;
}

const cas_dataset *cas_map_find(const cas_source *s, const char *group, const char *behind,
                                char name[CAS_MAP_NAME]) {
  char full[300];
  snprintf(name, CAS_MAP_NAME, "%s", s->map ? s->map : "vorticity");
  snprintf(full, sizeof full, "%s/%s%s", group, name, behind);
  const cas_dataset *d = cas_contents_find(&s->contents, full);
  if (d && !d->is_complex && d->rank >= 3)
    return d;
  for (int i = 0; !s->map && i < s->contents.n; i++)
    if (is_map(s, group, d = &s->contents.dataset[i]) &&
        observable_of(d->name, group, behind, name))
      return d;
  return NULL;
}

void cas_grid_free(cas_grid *grid) {
  free(grid->row);
  free(grid->column);
  *grid = (cas_grid){0};
}

double cas_maps_greatest(const cas_grid *grid, int n, double *const *value) {
  double greatest = -1;
  for (int i = 0; i < n; i++)
    for (int64_t k = 0; k < grid->rows * grid->columns; k++)
      if (isfinite(value[i][k]))
        greatest = fmax(greatest, fabs(value[i][k]));
  return greatest;
}

cas_status cas_maps_greatest_of_all(const cas_source *s, const char *dataset, int64_t records,
                                    const cas_grid *grid, double *greatest, cas_error *err) {
  cas_status st = CAS_OK;
  *greatest = 0;
  for (int64_t i = 0; i < records && !st; i++) {
    int rank;
    int64_t dims[4];
    bool is_complex;
    double *map = NULL;
    st = cas_dataset_read_records(s->file, dataset, i, 1, &rank, dims, &is_complex, &map, err);
    if (!st)
      *greatest = fmax(*greatest, cas_maps_greatest(grid, 1, &map));
    free(map);
  }
  return st;
}

/* ---- pixels ---- */

/* From the first to the last of n coordinates, in whichever order, with half a cell more. */
typedef struct {
  int pixels;
  double low, high;
  double around; /* length of the circle; 0: there is none */
} extent;

static extent extent_of(const double *at, int64_t n, int most) {
  extent e = {.pixels = n < most ? (int)n : most};
  double low = fmin(at[0], at[n - 1]), high = fmax(at[0], at[n - 1]);
  double half = n > 1 ? (high - low) / (double)(n - 1) / 2 : 0.5;
  e.low = low - half;
  e.high = high + half;
  return e;
}

/* Once around: from the least of n equally distant coordinates on. A pixel is half of a cell, so
   that the first cell can be at both ends. */
static extent extent_around(const double *at, int64_t n, double around, int most) {
  extent e = {.pixels = 2 * n < most ? (int)(2 * n) : most, .around = around};
  e.low = fmin(at[0], at[n - 1]);
  e.high = e.low + around;
  return e;
}

/* Whether n coordinates are equally spaced on a circle. */
static bool goes_around(const double *at, int64_t n, double around) {
  double cell = n > 1 ? fabs(at[n - 1] - at[0]) / (double)(n - 1) : 0;
  return n > 1 && fabs((double)n * cell - around) < 0.01 * cell;
}

static extent extent_on(const double *at, int64_t n, double around, int most) {
  return goes_around(at, n, around) ? extent_around(at, n, around, most) : extent_of(at, n, most);
}

static double centre(const extent *e, int i) {
  return e->low + (e->high - e->low) * (i + 0.5) / e->pixels;
}

/* On a circle also from the other side. */
static int64_t nearest(const double *at, int64_t n, const extent *e, double wanted) {
  int64_t k = cas_series_nearest(at, n, wanted),
          other = cas_series_nearest(at, n, wanted - e->around);
  return fabs(wanted - e->around - at[other]) < fabs(wanted - at[k]) ? other : k;
}

/* Each pixel takes the value nearest to it, whatever the grid: an image needs equal ones. */
static int64_t *nearest_of_all(const double *at, int64_t n, const extent *e) {
  int64_t *found = calloc((size_t)e->pixels, sizeof *found);
  for (int i = 0; found && i < e->pixels; i++)
    found[i] = nearest(at, n, e, centre(e, i));
  return found;
}

static extent extent_across(const cas_grid *grid) {
  return extent_on(grid->column, grid->columns, grid->torus ? 2 * M_PI : 360, MOST_COLUMNS);
}

static extent extent_up(const cas_grid *grid) {
  return extent_on(grid->row, grid->rows, grid->torus ? 2 * M_PI : 0, MOST_ROWS);
}

static void write_flat(cas_figure *g, const cas_grid *grid, const extent *across, const extent *up,
                       const int64_t *column, const double *value, double *pixel) {
  for (int y = 0; y < up->pixels; y++) {
    int64_t row = nearest(grid->row, grid->rows, up, centre(up, y));
    for (int x = 0; x < across->pixels; x++)
      pixel[x] = value[row * grid->columns + column[x]];
    cas_figure_data_row(g, pixel);
  }
}

/* ---- the sphere seen from afar ---- */

/* The nearest of n ascending or descending coordinates. */
static int64_t bisect(const double *at, int64_t n, double wanted) {
  int64_t low = 0, high = n - 1;
  bool ascending = at[n - 1] >= at[0];
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    *((at[middle] <= wanted) == ascending ? &low : &high) = middle;
  }
  return fabs(at[low] - wanted) <= fabs(at[high] - wanted) ? low : high;
}

static double distance_around(double a, double b) { return fabs(remainder(a - b, 360)); }

/* The index of the value at a place of the disc, to the right and up; -1 outside of it. */
static int64_t place_on_disc(const cas_grid *grid, const double view[2], double right, double up) {
  double a = view[0] * DEGREE, e = view[1] * DEGREE, near = 1 - right * right - up * up;
  if (near < 0)
    return -1;
  near = sqrt(near);
  double x = -sin(a) * right - sin(e) * cos(a) * up + cos(e) * cos(a) * near,
         y = cos(a) * right - sin(e) * sin(a) * up + cos(e) * sin(a) * near,
         z = cos(e) * up + sin(e) * near, longitude = fmod(atan2(y, x) / DEGREE + 360, 360);
  int64_t row = bisect(grid->row, grid->rows, asin(fmax(-1, fmin(1, z))) / DEGREE),
          column = bisect(grid->column, grid->columns, longitude),
          other = bisect(grid->column, grid->columns, longitude - 360);
  if (distance_around(grid->column[other], longitude) <
      distance_around(grid->column[column], longitude))
    column = other;
  for (int64_t end = 0; end<grid->columns; end += grid->columns> 1 ? grid->columns - 1 : 1)
    if (distance_around(grid->column[end], longitude) <
        distance_around(grid->column[column], longitude))
      column = end;
  return row * grid->columns + column;
}

static void write_disc(cas_figure *g, const int64_t *place, const double *value, double *pixel) {
  for (int y = 0; y < DISC; y++) {
    for (int x = 0; x < DISC; x++)
      pixel[x] = place[y * DISC + x] < 0 ? NAN : value[place[y * DISC + x]];
    cas_figure_data_row(g, pixel);
  }
}

static cas_status write_discs(cas_figure *g, const cas_grid *grid, const char *name, int n,
                              double *const *value, const char *units, cas_error *err) {
  int64_t *place = calloc(DISC * DISC, sizeof *place);
  double pixel[DISC];
  if (!place)
    return cas_no_memory(err);
  for (int y = 0; y < DISC; y++)
    for (int x = 0; x < DISC; x++)
      place[y * DISC + x] =
          place_on_disc(grid, g->request->view, (2 * x + 1.) / DISC - 1, (2 * y + 1.) / DISC - 1);
  for (int i = 0; i < n; i++) {
    cas_figure_matrix_begin(
        g, cas_figure_name(g, "%s_%d", name, i + 1), DISC,
        (cas_figure_column){"a row from left to right for each pixel of the disc from below",
                            units});
    write_disc(g, place, value[i], pixel);
    cas_figure_data_end(g);
  }
  free(place);
  return CAS_OK;
}

/* ---- rectangles ---- */

static void write_extents(cas_figure *g, const extent *across, const extent *up) {
  cas_figure_real(g, "west", across->low);
  cas_figure_real(g, "east", across->high);
  cas_figure_real(g, "south", up->low);
  cas_figure_real(g, "north", up->high);
  cas_figure_count(g, "columns", across->pixels);
  cas_figure_count(g, "rows", up->pixels);
}

void cas_maps_flat_write(cas_figure *g, const cas_grid *grid) {
  const extent across = extent_across(grid), up = extent_up(grid);
  write_extents(g, &across, &up);
}

cas_status cas_maps_flat_data(cas_figure *g, const cas_grid *grid, const char *name, int n,
                              double *const *value, const cas_figure_column *of, cas_error *err) {
  extent across = extent_across(grid), up = extent_up(grid);
  int64_t *column = nearest_of_all(grid->column, grid->columns, &across);
  double *pixel = calloc((size_t)across.pixels, sizeof *pixel);
  cas_status st = column && pixel ? CAS_OK : cas_no_memory(err);
  for (int i = 0; !st && i < n; i++) {
    cas_figure_matrix_begin(g, cas_figure_name(g, "%s_%d", name, i + 1), across.pixels, *of);
    write_flat(g, grid, &across, &up, column, value[i], pixel);
    cas_figure_data_end(g);
  }
  free(column);
  free(pixel);
  return st;
}

/* ---- maps ---- */

cas_status cas_maps_write(cas_figure *g, const cas_grid *grid, cas_error *err) {
  const cas_plot_request *q = g->request;
  extent across = extent_across(grid), up = extent_up(grid);
  if (q->has_view && grid->torus)
    return cas_fail(err, CAS_BAD_INPUT, "--view: a torus is not seen from one side");
  if (q->has_view) {
    across = up = (extent){.pixels = DISC, .low = -1, .high = 1};
    cas_figure_real(g, "azimuth", q->view[0]);
    cas_figure_real(g, "elevation", q->view[1]);
  }
  cas_figure_count(g, "torus", grid->torus);
  cas_figure_count(g, "orthographic", q->has_view);
  write_extents(g, &across, &up);
  return CAS_OK;
}

cas_status cas_maps_data(cas_figure *g, const cas_grid *grid, const char *name, int n,
                         double *const *value, const char *units, cas_error *err) {
  const cas_figure_column of = {"a row from west to east for each pixel from south to north",
                                units};
  return g->request->has_view ? write_discs(g, grid, name, n, value, units, err)
                              : cas_maps_flat_data(g, grid, name, n, value, &of, err);
}
