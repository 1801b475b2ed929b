/* Paths on the sphere ([EJLL] figure 1): states of three components, or of n points of three
   components each, whose lengths stay what they are; of heavy tops the vertical seen from the body
   ([LECG] figures 1 to 3); of attitudes the axes of the body or the tip of the third one seen from
   space, beside them the nutation over time if it was recorded ([GBW] figures 4 to 8). A second
   file is drawn in black. */
#include "present/figure/sphere.h"
#include "present/pictures/picture.h"
#include "present/pictures/viewer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-6  /* a length that departs by more has left the sphere */
#define FINEST 0.004    /* radians between vertices that are drawn */
#define SAG 0.03        /* radians: longer steps are bent along the sphere */
#define TOO_FAR 0.5     /* radians: records so far apart are not joined */
#define VERTICES 25000. /* of all paths of a file, about */
#define ANGLES 4000     /* records of the nutation that are drawn, about */
#define TAIL 3.         /* radians of a path that a frame of a film shows */
#define TANGLE 250.     /* radians of a path that can hardly be followed */

enum {
  MOST_PATHS = 6, /* without black, which is the second file's */
  FILES = 2
};

/* A dataset of points on a sphere: its name, its axes besides time and paths, and the title. */
typedef struct {
  const char *name;
  int axes;
  const char *title;
  bool in_space; /* with the nutation beside it */
} spherical;

static const spherical sphericals[] = {{"state", 1, "", false},
                                       {"state", 2, "", false},
                                       {"axes", 2, "axes of the body, ", true},
                                       {"tip", 1, "third axis of the body, ", true},
                                       {"gamma", 1, "the vertical seen from the body, ", false},
                                       {0}};

/* The curves of one file: curve k is point k of the first path, or path k where a state is one
   point. */
typedef struct {
  const cas_source *source;
  const spherical *what;
  cas_series series;
  int64_t points; /* of a state */
  int curves;
  bool joined;    /* otherwise drawn as dots */
  double spacing; /* radians between drawn vertices */
  double way;     /* radians, the mean over curves */
  double radius;  /* of the sphere, by the first curve */
  bool any;       /* record that is drawn */
} curve_set;

/* NULL: nothing is */
static const spherical *find(const cas_source *s) {
  for (const spherical *what = sphericals; what->name; what++) {
    const cas_dataset *d = cas_series_find(s, what->name, what->axes);
    if (d && d->dims[d->rank - 1] == 3)
      return what;
  }
  return NULL;
}

static bool matches_paths(const cas_source *s) { return find(s) != NULL; }

static double *point(const curve_set *b, int curve, int64_t record) {
  int64_t path = b->points > 1 ? 0 : curve, k = b->points > 1 ? curve : 0;
  return b->series.value + 3 * ((record * b->series.paths + path) * b->points + k);
}

static double length(const double x[3]) { return hypot(hypot(x[0], x[1]), x[2]); }

static double angle(const double a[3], const double b[3]) {
  double chord = length((double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
  return 2 * asin(fmin(1, chord / 2));
}

/* ---- reading ---- */

/* Divides by the first length; what is not finite becomes a gap. */
static cas_status normalise(curve_set *b, int curve, cas_error *err) {
  double radius = NAN;
  for (int64_t i = 0; i < b->series.records; i++) {
    double *x = point(b, curve, i), now = length(x);
    if (isnan(radius) && isfinite(now)) {
      radius = now;
      b->radius = curve == 0 ? now : b->radius;
    }
    if (isfinite(now) && !(fabs(now - radius) <= TOLERANCE * radius && radius > 0))
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s: the %s is not on a sphere: the length of point %d is %.9g at first "
                      "and %.9g at t = %g",
                      b->source->file, b->what->name, curve + 1, radius, now, b->series.time[i]);
    for (int j = 0; j < 3; j++)
      x[j] = isfinite(now) ? x[j] / now : NAN;
    b->any |= isfinite(now);
  }
  return CAS_OK;
}

/* How far the paths go decides how they are drawn. */
static void choose_spacing(curve_set *b) {
  double way = 0;
  int64_t steps = 0;
  for (int k = 0; k < b->curves; k++)
    for (int64_t i = 1; i < b->series.records; i++) {
      double step = angle(point(b, k, i - 1), point(b, k, i));
      if (isfinite(step)) {
        way += step;
        steps++;
      }
    }
  b->way = way / b->curves;
  b->spacing = fmax(FINEST, way / VERTICES);
  b->joined = steps > 0 && way / (double)steps <= TOO_FAR;
}

static cas_status read_curves(const cas_source *s, curve_set *b, cas_error *err) {
  const spherical *what = find(s);
  int64_t curves;
  cas_status st = cas_series_read(s, what->name, what->axes, &b->series, err);
  if (st)
    return st;
  b->source = s;
  b->what = what;
  b->points = what->axes == 2 ? b->series.dims[0] : 1;
  curves = b->points > 1 ? b->points : b->series.paths;
  b->curves = curves > MOST_PATHS ? MOST_PATHS : (int)curves;
  for (int k = 0; k < b->curves && !st; k++)
    st = normalise(b, k, err);
  choose_spacing(b);
  return st || b->any ? st : cas_figure_nothing(s->file, "recorded state", err);
}

/* Leaves the last record, and those before it from a time on. */
static void keep_tail(cas_series *s, double from) {
  const int64_t each = s->paths * s->numbers;
  int64_t first = 0;
  while (first < s->records - 1 && s->time[first] < from)
    first++;
  s->records -= first;
  memmove(s->time, s->time + first, (size_t)s->records * sizeof *s->time);
  memmove(s->value, s->value + first * each, (size_t)(s->records * each) * sizeof *s->value);
}

/* ---- curves ---- */

/* Along the great circle from a to b, b included. */
static void write_arc(cas_figure *g, const double a[3], const double b[3], double between) {
  int pieces = between > SAG ? (int)ceil(between / SAG) : 1;
  for (int i = 1; i < pieces; i++) {
    double t = i / (double)pieces, wa = sin((1 - t) * between) / sin(between),
           wb = sin(t * between) / sin(between);
    CAS_FIGURE_ROW(g, wa * a[0] + wb * b[0], wa * a[1] + wb * b[1], wa * a[2] + wb * b[2]);
  }
  cas_figure_data_row(g, b);
}

static void write_vertices(cas_figure *g, const curve_set *b, int curve) {
  const double *last = NULL;
  for (int64_t i = 0; i < b->series.records; i++) {
    const double *x = point(b, curve, i);
    double moved = last ? angle(last, x) : 0;
    bool end = i == b->series.records - 1;
    if (last && moved < b->spacing && !end)
      continue;
    if (!last || !isfinite(moved) || !b->joined)
      cas_figure_data_row(g, x);
    else
      write_arc(g, last, x, moved);
    last = isfinite(x[0]) ? x : NULL;
  }
}

/* The first record from `from` on, in steps of 1 or -1, that is a point; the last looked at if none
   is. */
static const double *end_point(const curve_set *b, int curve, int64_t from, int step) {
  int64_t i = from, records = b->series.records;
  while (i + step >= 0 && i + step < records && !isfinite(point(b, curve, i)[0]))
    i += step;
  return point(b, curve, i);
}

/* ---- the nutation ---- */

static bool has_nutation(const curve_set *b) {
  return b->what->in_space && cas_series_find(b->source, "nutation", 0);
}

/* Those of the paths that are drawn: nutation_f_k with rows (t, angle). */
static cas_status write_nutation(cas_figure *g, const curve_set *b, int file, cas_error *err) {
  cas_series n = {0};
  cas_status st = cas_series_read(b->source, "nutation", 0, &n, err);
  int64_t stride = n.records / ANGLES + 1;
  for (int k = 0; !st && k < (b->points > 1 ? 1 : b->curves); k++) {
    CAS_FIGURE_DATA(g, cas_figure_name(g, "nutation_%d_%d", file + 1, k + 1),
                    {"t", CAS_FIGURE_TIME_UNIT}, {"angle", "1"});
    for (int64_t i = 0; i < n.records; i += stride)
      CAS_FIGURE_ROW(g, n.time[i], n.value[i * n.paths + k]);
    cas_figure_data_end(g);
  }
  cas_series_free(&n);
  return st;
}

/* ---- values ---- */

static void write_values(cas_figure *g, const curve_set *b, int n) {
  char name[CAS_SOURCE_NAME];
  size_t longest = 0;
  cas_figure_count(g, "files", n);
  for (int i = 0; i < n; i++) {
    cas_source_name(b[i].source, name);
    longest = strlen(name) > longest ? strlen(name) : longest;
    cas_figure_text_of(g, "file", i, n, CAS_FIGURE_AS_IT_IS, name);
    cas_figure_count_of(g, "curves", i, n, b[i].curves);
    cas_figure_count_of(g, "joined", i, n, b[i].joined);
    cas_figure_count_of(g, "crowded", i, n, b[i].spacing > 2 * FINEST);
  }
  cas_figure_count(g, "longest", (int64_t)longest);
  cas_figure_text(g, "what", CAS_FIGURE_AS_IT_IS, b->what->title);
  cas_figure_count(g, "angles", has_nutation(b));
  cas_figure_text(g, "contours_of", CAS_FIGURE_AS_IT_IS, g->request->contours);
  cas_figure_count(g, "points", b->points);
  cas_figure_count(g, "paths", b->series.paths);
  cas_figure_real(g, "start", b->series.time[0]);
  cas_figure_real(g, "end", b->series.time[b->series.records - 1]);
}

/* ---- contours ---- */

/* Values of an observable on the sphere of the first record, every two degrees from the south and
   from the first axis on. */
static cas_status write_contours(cas_figure *g, const curve_set *b, cas_error *err) {
  enum { ROWS = 91, COLUMNS = 181 };
  const cas_functional *f = NULL;
  const double each = acos(-1) / (ROWS - 1);
  const char *wrong = NULL;
  cas_viewer v = {0};
  double row[COLUMNS];
  if (b->points > 1 || strcmp(b->what->name, "state") != 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--contours: %s: contours are on the sphere of states of three components",
                    b->source->file);
  CAS_CALL(cas_viewer_contours(b->source, g->request->contours, &f, err));
  cas_status st = cas_viewer_open(b->source, f, &v, err);
  if (!st)
    cas_figure_matrix_begin(g, "contours", COLUMNS, (cas_figure_column){f->name, f->unit});
  for (int i = 0; !st && i < ROWS; i++) {
    for (int j = 0; j < COLUMNS && !wrong; j++) {
      const double up = b->radius * sin((i - 45) * each), out = b->radius * cos((i - 45) * each);
      wrong =
          cas_viewer_look(&v, (double[]){out * cos(j * each), out * sin(j * each), up}, &row[j]);
    }
    if (wrong)
      st = cas_fail(err, CAS_BAD_INPUT, "%s: a state on the sphere %s", b->source->file, wrong);
    else
      cas_figure_data_row(g, row);
  }
  if (!st)
    cas_figure_data_end(g);
  cas_viewer_close(&v);
  return st;
}

/* ---- the picture ---- */

static cas_status check_pair(const curve_set *b, cas_error *err) {
  const char *first = b[0].source->results.provenance.system,
             *second = b[1].source->results.provenance.system;
  if (first && second && strcmp(first, second) != 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s holds a %s and %s a %s; paths of one system only can be drawn together",
                    b[0].source->file, first, b[1].source->file, second);
  if (b[0].points != b[1].points)
    return cas_fail(err, CAS_BAD_INPUT,
                    "a state has %lld points in %s and %lld in %s; paths of one system only can be "
                    "drawn together",
                    (long long)b[0].points, b[0].source->file, (long long)b[1].points,
                    b[1].source->file);
  return CAS_OK;
}

static void write_all(cas_figure *g, const curve_set *b, int n) {
  const double *states = b[0].series.value;
  write_values(g, b, n);
  cas_sphere_view_choose(g, 1, &states, b[0].series.records * b[0].series.paths * b[0].points);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < b[i].curves; k++) {
      /* Curve k of file i, and where it begins and ends. */
      cas_sphere_begin(g, cas_figure_name(g, "path_%d_%d", i + 1, k + 1));
      write_vertices(g, &b[i], k);
      cas_figure_data_end(g);
      cas_sphere_begin(g, cas_figure_name(g, "ends_%d_%d", i + 1, k + 1));
      cas_figure_data_row(g, end_point(&b[i], k, 0, 1));
      cas_figure_data_row(g, end_point(&b[i], k, b[i].series.records - 1, -1));
      cas_figure_data_end(g);
    }
}

static cas_status draw_paths(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  curve_set b[FILES] = {0};
  cas_status st = CAS_OK;
  for (int i = 0; i < n && !st; i++)
    st = read_curves(&s[i], &b[i], err);
  if (!st && n > 1)
    st = check_pair(b, err);
  if (!st && g->request->frame)
    keep_tail(&b[0].series, g->request->frame->from);
  if (!st)
    write_all(g, b, n);
  for (int i = 0; i < n && !st && has_nutation(b); i++)
    if (has_nutation(&b[i]))
      st = write_nutation(g, &b[i], i, err);
  if (!st && g->request->contours)
    st = write_contours(g, &b[0], err);
  if (!st && b[0].way > TANGLE && !g->request->frame)
    cas_figure_remark(g, "a path goes round the sphere %.0f times; --until T draws its beginning",
                      b[0].way / 6.283);
  for (int i = 0; i < n; i++)
    cas_series_free(&b[i].series);
  return st;
}

static cas_status film(const cas_source *s, cas_film_plan *plan, cas_error *err) {
  curve_set b = {0};
  cas_status st = read_curves(s, &b, err);
  if (!st) {
    const double *states = b.series.value,
                 span = b.series.time[b.series.records - 1] - b.series.time[0];
    plan->has_view = true;
    cas_sphere_view_find(1, &states, b.series.records * b.series.paths * b.points, plan->view);
    plan->tail = b.way > TAIL ? span * TAIL / b.way : span;
    plan->records = b.series.records;
    plan->time = b.series.time;
    b.series.time = NULL;
  }
  cas_series_free(&b.series);
  return st;
}

const cas_picture cas_picture_paths = {
    .name = "paths",
    .summary = "paths on the sphere, also of two files",
    .needs = "a /trajectory/state of 3 or n x 3 real components, or an observable axes, tip or "
             "gamma",
    .labels = true,
    .files = FILES,
    .until = true,
    .contours = true,
    .plain = true,
    .view = true,
    .matches = matches_paths,
    .draw = draw_paths,
    .film = film,
};
