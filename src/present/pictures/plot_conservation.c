/* Invariants along a trajectory ([EJLL] figures 4, 6, 8, 10): departure of the Casimirs, and relative
   change of what should stay or change little. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <stdlib.h>

/* inches */
#define PANEL_WIDTH 3.3
#define PANEL_HEIGHT 2.5
#define LEFT 1.1
#define BOTTOM 0.62
#define RIGHT 0.3
#define TOP 0.45

enum {
  MOST_PATHS = 6, /* drawn, so that lines can be told apart */
  BINS = 1000,    /* of a long trajectory; each shows its least and its greatest value */
  FEW = 60        /* records, so few that each is a mark of its own */
};

static int drawn_paths(const cas_series *s) {
  return s->paths < MOST_PATHS ? (int)s->paths : MOST_PATHS;
}

static double at(const cas_series *s, int64_t record, int path) {
  return s->value[record * s->paths + path];
}

/* Of a mark: smaller where there are more. */
static double point_size(const cas_series *s) {
  return s->records <= FEW ? 0.6 : s->records <= 5 * FEW ? 0.35 : 0.2;
}

static bool few(const cas_series *s) { return s->records <= FEW; }

static bool has_numbers(const cas_series *s) {
  for (int64_t i = 0; i < s->records * s->paths; i++)
    if (isfinite(s->value[i]))
      return true;
  return false;
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

/* The greatest value so far, once a bin, from the first above `lowest` on. */
static void write_maximum(cas_figure *g, const cas_series *s, int path, double lowest) {
  int64_t bins = bins_of(s), i = 0;
  double greatest = -INFINITY;

  fprintf(g->script, "$maximum%d << EOD\n", path);
  for (int64_t b = 0; b < bins; b++) {
    for (; i < (b + 1) * s->records / bins; i++)
      greatest = fmax(greatest, at(s, i, path));
    if (isfinite(greatest) && greatest > lowest)
      fprintf(g->script, "%.17g %.17g\n", s->time[i - 1], greatest);
  }
  fputs("EOD\n", g->script);
}

/* Marks on the ends of the axis would be cut in half. */
static void write_time_axis(cas_figure *g, const cas_series *s) {
  double first = s->time[0], last = s->time[s->records - 1];
  double room = few(s) ? 0.03 * (last - first) : 0;

  cas_axis_time(g, first - room, last + room);
}

/* ---- the departure of the Casimirs ---- */

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

static void plot_casimir(cas_figure *g, const cas_series *s, double low, bool zeros) {
  int paths = drawn_paths(s);
  const char *recorded = zeros ? "recorded (zeros on the lower edge)" : "recorded";
  char tint[8];

  for (int k = 0; k < paths; k++) {
    write_path(g, s, "casimir", k);
    write_maximum(g, s, k, low);
  }
  for (int k = 0; k < paths; k++) {
    cas_figure_tint(cas_figure_colour(k), 0.45, tint);
    fprintf(g->script,
            "%s$casimir%d using 1:2 with points pointtype 7 pointsize %g linecolor '%s' title '%s'",
            k ? ", \\\n     " : "plot ", k, point_size(s), tint, k ? "" : recorded);
  }
  for (int k = 0; k < paths; k++)
    fprintf(g->script,
            ", \\\n     $maximum%d using 1:2 with steps linewidth 1.4 linecolor '%s' title '%s'", k,
            cas_figure_colour(k), k ? "" : "greatest so far");
  fputc('\n', g->script);
}

static void draw_casimir(cas_figure *g, cas_series *s, const char *label) {
  double low, high;
  bool zeros = floor_zeros(s, &low, &high);

  cas_axis_log(g, 'y', low, high);
  fprintf(g->script,
          "set ylabel '%s' offset character 0.5,0\n"
          "set key at graph 0,1.02 left bottom Left reverse\n",
          label);
  plot_casimir(g, s, low, zeros);
}

/* ---- relative changes ---- */

/* (H - H_0) / |H_0|, or H - H_0 where some path begins with H = 0. */
static bool make_relative(cas_series *s, double *low, double *high) {
  bool relative = true;

  *low = *high = 0;
  for (int64_t p = 0; p < s->paths; p++)
    relative &= s->value[p] != 0;
  for (int64_t p = 0; p < s->paths; p++) {
    double start = s->value[p], scale = relative ? fabs(start) : 1;

    for (int64_t i = 0; i < s->records; i++) {
      double *y = &s->value[i * s->paths + p];

      *y = (*y - start) / scale;
      if (isfinite(*y) && p < MOST_PATHS) {
        *low = fmin(*low, *y);
        *high = fmax(*high, *y);
      }
    }
  }
  return relative;
}

static void draw_change(cas_figure *g, cas_series *s, const char *label) {
  char text[80];
  double low, high;
  bool relative = make_relative(s, &low, &high);
  int paths = drawn_paths(s);

  cas_axis_linear_y(g, low, high);
  snprintf(text, sizeof text, "%s change of the %s", relative ? "relative" : "absolute", label);
  cas_axis_label_y(g, text, relative ? NULL : s->units);
  for (int k = 0; k < paths; k++)
    write_path(g, s, "change", k);
  for (int k = 0; k < paths; k++)
    fprintf(g->script,
            "%s$change%d using 1:2 with %s linewidth 1 pointtype 7 pointsize 0.5 linecolor '%s'",
            k ? ", \\\n     " : "plot ", k, few(s) ? "linespoints" : "lines", cas_figure_colour(k));
  fputc('\n', g->script);
}

/* ---- the legend ---- */

/* What colour each path has; none for a single one. */
typedef struct {
  int paths;
  double number[MOST_PATHS];
  cas_legend legend;
} path_names;

static cas_status name_paths(const cas_source *source, const char *name, path_names *p,
                             cas_error *err) {
  cas_series s = {0};
  double *number = NULL;
  cas_status st = cas_series_open(source, name, 0, &s, err);

  if (!st && s.paths > 1 && cas_contents_find(&source->contents, "/trajectory/path"))
    st = cas_column_read(source, "/trajectory/path", s.paths, &number, err);
  p->paths = st || s.paths == 1 ? 0 : drawn_paths(&s);
  for (int k = 0; k < p->paths; k++)
    p->number[k] = number ? number[k] : k;
  free(number);
  cas_series_free(&s);
  return st;
}

static void write_path_names(cas_figure *g, path_names *p) {
  for (int k = 0; k < p->paths; k++) {
    char title[40], style[60];

    snprintf(title, sizeof title, "path %.0f", p->number[k]);
    snprintf(style, sizeof style, "linewidth 1.6 linecolor '%s'", cas_figure_colour(k));
    cas_legend_line(g, &p->legend, title, style);
  }
}

/* ---- the panels ---- */

static const struct {
  const char *name, *label;
  void (*draw)(cas_figure *g, cas_series *s, const char *label);
} panels[] = {
    {"casimir_departure", "Casimir departure (relative)", draw_casimir},
    {"enstrophy", "enstrophy", draw_change},
    {"hamiltonian", "energy H", draw_change},
};
#define PANELS ((int)(sizeof panels / sizeof *panels))

static int count_panels(const cas_source *s) {
  int n = 0;

  for (int i = 0; i < PANELS; i++)
    n += cas_series_find(s, panels[i].name, 0) != NULL;
  return n;
}

static const char *first_panel(const cas_source *s) {
  int i = 0;

  while (i < PANELS - 1 && !cas_series_find(s, panels[i].name, 0))
    i++;
  return panels[i].name;
}

static bool matches(const cas_source *s) { return count_panels(s) > 0; }

static cas_status draw_panel(cas_figure *g, const cas_source *source, int i, bool last,
                             path_names *names, bool *any, cas_error *err) {
  cas_series s = {0};
  cas_status st = cas_series_read(source, panels[i].name, 0, &s, err);

  if (!st) {
    *any |= has_numbers(&s);
    write_time_axis(g, &s);
    if (names)
      write_path_names(g, names);
    if (last && s.paths > MOST_PATHS)
      fprintf(g->script, "set label '%d of %lld paths' at graph 1,1.06 right\n", MOST_PATHS,
              (long long)s.paths);
    panels[i].draw(g, &s, panels[i].label);
    cas_legend_end(g);
  }
  cas_series_free(&s);
  return st;
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  cas_frame f = {.left = LEFT, .bottom = BOTTOM, .width = PANEL_WIDTH, .height = PANEL_HEIGHT};
  int panel_count = count_panels(s), left = panel_count;
  path_names names = {0};
  bool any = false;
  cas_status st = name_paths(s, first_panel(s), &names, err);

  (void)n;
  f.figure_width = left * (LEFT + PANEL_WIDTH + RIGHT);
  if (names.paths)
    names.legend = cas_legend_of(names.paths, (int)sizeof "path 100000" - 1, &f);
  f.bottom += cas_legend_height(&names.legend);
  f.figure_height = f.bottom + PANEL_HEIGHT + TOP;
  names.legend.figure = f;
  cas_figure_size(g, f.figure_width, f.figure_height);
  fputs("set multiplot\n", g->script);
  for (int i = 0; i < PANELS && !st; i++) {
    if (!cas_series_find(s, panels[i].name, 0))
      continue;
    cas_figure_frame(g, &f);
    st = draw_panel(g, s, i, left == 1, left == panel_count ? &names : NULL, &any, err);
    left--;
    f.left += LEFT + PANEL_WIDTH + RIGHT;
  }
  fputs("unset multiplot\n", g->script);
  return st || any ? st : cas_figure_nothing(s->file, "record of these invariants", err);
}

const cas_picture cas_picture_conservation = {
    .name = "conservation",
    .summary = "departure of the Casimirs, change of energy and enstrophy over time",
    .needs = "/trajectory/casimir_departure, hamiltonian or enstrophy",
    .files = 1,
    .until = true,
    .matches = matches,
    .draw = draw,
};
