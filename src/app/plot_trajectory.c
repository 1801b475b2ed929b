/* Invariants along a trajectory: departure of the Casimirs, and relative change of the Hamiltonian.
 */
#include "plot_impl.h"
#include <math.h>
#include <stdlib.h>

/* inches */
#define PANEL_WIDTH 3.3
#define PANEL_HEIGHT 2.5
#define LEFT 0.95
#define BOTTOM 0.62
#define RIGHT 0.3
#define TOP 0.45

enum {
  MOST_PATHS = 6, /* drawn, so that lines can be told apart */
  BINS = 1000     /* of a long trajectory; each shows its least and its greatest value */
};

static bool matches(const cas_results *r) { return r->curves == 0 && r->levels == 0; }

/* [records][paths] */
typedef struct {
  int64_t records, paths;
  double *time, *value;
} cas_series;

/* Reads one dataset that must have the wanted rank; *values is the caller's. */
static cas_status read_real(const char *file, const char *name, int most_rank, int *rank,
                            int64_t dims[4], double **values, cas_error *err) {
  bool is_complex;
  cas_status st = cas_dataset_read(file, name, rank, dims, &is_complex, values, err);

  if (st)
    return st;
  if (!is_complex && *rank >= 1 && *rank <= most_rank && dims[0] > 0)
    return CAS_OK;
  free(*values);
  *values = NULL;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: the dataset '%s' is not a series over time; it should be real with time as "
                  "its first axis and at most one more for the paths",
                  file, name);
}

static cas_status read_series(const char *file, const char *name, cas_series *s, cas_error *err) {
  int rank;
  int64_t dims[4] = {0};
  cas_status st = read_real(file, "/trajectory/time", 1, &rank, dims, &s->time, err);

  if (st)
    return st;
  s->records = dims[0];
  st = read_real(file, name, 2, &rank, dims, &s->value, err);
  if (st)
    return st;
  s->paths = rank == 2 ? dims[1] : 1;
  if (dims[0] == s->records && s->paths > 0)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT, "%s: '%s' has %lld records, /trajectory/time has %lld", file,
                  name, (long long)dims[0], (long long)s->records);
}

static void series_free(cas_series *s) {
  free(s->time);
  free(s->value);
  *s = (cas_series){0};
}

static int drawn_paths(const cas_series *s) {
  return s->paths < MOST_PATHS ? (int)s->paths : MOST_PATHS;
}

static double at(const cas_series *s, int64_t record, int path) {
  return s->value[record * s->paths + path];
}

/* ---- data ---- */

static void write_record(cas_figure *g, const cas_series *s, int64_t record, int path) {
  double y = at(s, record, path);

  if (isfinite(y))
    fprintf(g->script, "%.17g %.17g\n", s->time[record], y);
  else
    fputc('\n', g->script); /* a gap in the line */
}

/* The least and the greatest value of [first, next), in order of time. */
static void write_bin(cas_figure *g, const cas_series *s, int64_t first, int64_t next, int path) {
  int64_t low = first, high = first;

  for (int64_t i = first + 1; i < next; i++) {
    if (!(at(s, i, path) >= at(s, low, path)))
      low = i;
    if (!(at(s, i, path) <= at(s, high, path)))
      high = i;
  }
  write_record(g, s, low < high ? low : high, path);
  if (low != high)
    write_record(g, s, low < high ? high : low, path);
}

static int64_t bins_of(const cas_series *s) { return s->records > 2 * BINS ? BINS : s->records; }

static void write_path(cas_figure *g, const cas_series *s, const char *block, int path) {
  int64_t bins = bins_of(s);

  fprintf(g->script, "$%s%d << EOD\n", block, path);
  for (int64_t b = 0; b < bins; b++) {
    int64_t first = b * s->records / bins, next = (b + 1) * s->records / bins;

    write_bin(g, s, first, next, path);
  }
  fputs("EOD\n", g->script);
}

/* The greatest value so far, once a bin. */
static void write_maximum(cas_figure *g, const cas_series *s, int path) {
  int64_t bins = bins_of(s), i = 0;
  double greatest = -INFINITY;

  fprintf(g->script, "$maximum%d << EOD\n", path);
  for (int64_t b = 0; b < bins; b++) {
    for (; i < (b + 1) * s->records / bins; i++)
      greatest = fmax(greatest, at(s, i, path));
    if (isfinite(greatest))
      fprintf(g->script, "%.17g %.17g\n", s->time[i - 1], greatest);
  }
  fputs("EOD\n", g->script);
}

/* ---- the two panels ---- */

static void write_time_axis(cas_figure *g, const cas_series *s) {
  double first = s->time[0], last = s->time[s->records - 1];

  fprintf(g->script, "set xlabel 'time t'\nset format x '%%g'\n");
  if (last > first)
    fprintf(g->script, "set xrange [%.17g:%.17g]\n", first, last);
}

/* The range of the logarithmic axis in whole decades; true if there are departures of exactly zero,
   common where a scheme keeps a Casimir to rounding: they go to the lower edge. */
static bool floor_zeros(cas_series *s, double *low, double *high) {
  int64_t n = s->records * s->paths, zeros = 0;

  *low = INFINITY, *high = 0;
  for (int64_t i = 0; i < n; i++) {
    double y = s->value[i] = fabs(s->value[i]);

    if (y > 0)
      *low = fmin(*low, y);
    if (isfinite(y))
      *high = fmax(*high, y);
  }
  if (!isfinite(*low))
    *low = *high = 1e-16; /* all zero, or nothing finite */
  *low = pow(10, floor(log10(*low / 1.5)));
  *high = pow(10, ceil(log10(*high * 1.5)));
  for (int64_t i = 0; i < n; i++)
    if (s->value[i] == 0) {
      s->value[i] = *low;
      zeros += i >= s->paths; /* the first record is zero by definition */
    }
  return zeros > 0;
}

static void plot_casimir(cas_figure *g, const cas_series *s, bool zeros) {
  int paths = drawn_paths(s);
  const char *recorded = zeros ? "recorded (zeros on the lower edge)" : "recorded";

  for (int k = 0; k < paths; k++) {
    write_path(g, s, "casimir", k);
    write_maximum(g, s, k);
  }
  for (int k = 0; k < paths; k++)
    fprintf(
        g->script,
        "%s$casimir%d using 1:2 with points pointtype 7 pointsize 0.2 linecolor '%s' title "
        "'%s', \\\n     $maximum%d using 1:2 with lines linewidth 1.4 linecolor '%s' title '%s'",
        k ? ", \\\n     " : "plot ", k, cas_figure_colour(k), k ? "" : recorded, k,
        cas_figure_colour(k), k ? "" : "greatest so far");
  fputc('\n', g->script);
}

static cas_status draw_casimir(cas_figure *g, const char *file, cas_error *err) {
  cas_series s = {0};
  double low, high;
  cas_status st = read_series(file, "/trajectory/casimir_departure", &s, err);

  if (!st) {
    bool zeros = floor_zeros(&s, &low, &high);

    write_time_axis(g, &s);
    fprintf(g->script,
            "set logscale y 10\nset format y '10^{%%T}'\nset mytics 10\nset yrange [%.17g:%.17g]\n"
            "set ylabel 'Casimir departure (relative)' offset character 0.5,0\n"
            "set key at graph 0,1.02 left bottom Left reverse\n",
            low, high);
    plot_casimir(g, &s, zeros);
  }
  series_free(&s);
  return st;
}

/* (H - H_0) / |H_0|, or H - H_0 where some path begins with H = 0. */
static bool make_relative(cas_series *s) {
  bool relative = true;

  for (int64_t p = 0; p < s->paths; p++)
    relative &= s->value[p] != 0;
  for (int64_t p = 0; p < s->paths; p++) {
    double start = s->value[p], scale = relative ? fabs(start) : 1;

    for (int64_t i = 0; i < s->records; i++) {
      double *y = &s->value[i * s->paths + p];

      *y = (*y - start) / scale;
    }
  }
  return relative;
}

static void plot_hamiltonian(cas_figure *g, const cas_series *s) {
  int paths = drawn_paths(s);

  for (int k = 0; k < paths; k++)
    write_path(g, s, "hamiltonian", k);
  for (int k = 0; k < paths; k++)
    fprintf(g->script, "%s$hamiltonian%d using 1:2 with lines linewidth 1 linecolor '%s'",
            k ? ", \\\n     " : "plot ", k, cas_figure_colour(k));
  fputc('\n', g->script);
}

static cas_status draw_hamiltonian(cas_figure *g, const char *file, cas_error *err) {
  cas_series s = {0};
  cas_status st = read_series(file, "/trajectory/hamiltonian", &s, err);

  if (!st) {
    bool relative = make_relative(&s);

    write_time_axis(g, &s);
    fprintf(g->script,
            "unset logscale y\nset autoscale y\nset format y '%%g'\nset mytics default\n"
            "set ylabel '%s' offset character 0.5,0\n",
            relative ? "(H \u2212 H_0) / |H_0|" : "H \u2212 H_0");
    if (s.paths > MOST_PATHS)
      fprintf(g->script, "set label '%d of %lld paths' at graph 0,1.06\n", MOST_PATHS,
              (long long)s.paths);
    plot_hamiltonian(g, &s);
  }
  series_free(&s);
  return st;
}

static cas_status draw(cas_figure *g, const cas_results *r, const char *file, cas_error *err) {
  cas_frame f = {.left = LEFT, .bottom = BOTTOM, .width = PANEL_WIDTH, .height = PANEL_HEIGHT};
  cas_status st;

  (void)r;
  f.figure_width = 2 * (LEFT + PANEL_WIDTH + RIGHT);
  f.figure_height = BOTTOM + PANEL_HEIGHT + TOP;
  cas_figure_size(g, f.figure_width, f.figure_height);
  fputs("set multiplot\n", g->script);
  cas_figure_frame(g, &f);
  st = draw_casimir(g, file, err);
  f.left += LEFT + PANEL_WIDTH + RIGHT;
  cas_figure_frame(g, &f);
  if (!st)
    st = draw_hamiltonian(g, file, err);
  fputs("unset multiplot\n", g->script);
  return st;
}

const cas_picture cas_picture_trajectory = {.matches = matches, .draw = draw};
