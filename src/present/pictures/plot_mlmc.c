/* The four panels that multilevel Monte Carlo is usually shown by: variances and means by level, paths by
   level and epsilon, work by epsilon. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* inches */
#define PANEL_WIDTH 3.3
#define PANEL_HEIGHT 2.5
#define LEFT 1.08
#define BOTTOM 0.6
#define RIGHT 0.2
#define TOP 0.1
#define KEY_LINE 0.185

#define ROOM 2.5 /* on both ends of logarithmic axes */

enum { MOST_FILES = 8, LEAST_KEYS = 3 };

static bool matches(const cas_source *s) {
  return s->results.mlmc && s->results.mlmc->functionals > 0;
}

/* of an axis, both > 0 */
typedef struct {
  double low, high;
} range;

static range nothing(void) { return (range){INFINITY, 0}; }

static void include(range *r, double value) {
  if (!(value > 0) || !isfinite(value))
    return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static bool is_empty(const range *r) { return !(r->high > 0); }

/* largest epsilon first */
static int by_epsilon(const void *a, const void *b) {
  const cas_results *const *x = a, *const *y = b;
  double e = (*x)->mlmc->epsilon, f = (*y)->mlmc->epsilon;
  return (e < f) - (e > f);
}

static double plain_work(const cas_mlmc *m) {
  return isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work;
}

static range means_of(const cas_mlmc *m) {
  const cas_mlmc_functional *f = &m->functional[0];
  range v = nothing();
  for (int l = 0; l < m->levels; l++) {
    include(&v, fabs(f->level_mean[l]));
    include(&v, l ? fabs(f->mean[l]) : NAN);
  }
  include(&v, sqrt(m->theta) * m->epsilon);
  return v;
}

/* ---- data ---- */

/* level, variance of P and Y, Y with one fine path, |mean| of P and Y, its bar from and to */
static void write_levels(cas_figure *g, const cas_mlmc *m) {
  const cas_mlmc_functional *f = &m->functional[0];
  double bottom = means_of(m).low / ROOM;
  fputs("$levels << EOD\n", g->script);
  for (int l = 0; l < m->levels; l++) {
    double y = fabs(f->mean[l]), bar = 2 * f->standard_error[l];
    fprintf(g->script, "%d %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", l, f->level_variance[l],
            l ? f->variance[l] : NAN, l ? f->pair_variance[l] : NAN, fabs(f->level_mean[l]),
            l ? y : NAN, l ? fmax(y - bar, bottom) : NAN, y + bar);
  }
  fputs("EOD\n", g->script);
}

static void write_paths(cas_figure *g, const cas_mlmc *m, int i) {
  fprintf(g->script, "$paths%d << EOD\n", i);
  for (int l = 0; l < m->levels; l++)
    fprintf(g->script, "%d %lld\n", l, (long long)m->paths[l]);
  fputs("EOD\n", g->script);
}

/* epsilon, epsilon^2 work, the same of plain Monte Carlo, whether that was measured */
static void write_work(cas_figure *g, const cas_results *const *r, int n) {
  fputs("$work << EOD\n", g->script);
  for (int i = 0; i < n; i++) {
    const cas_mlmc *m = r[i]->mlmc;
    double e2 = m->epsilon * m->epsilon;
    fprintf(g->script, "%.17g %.17g %.17g %d\n", m->epsilon, e2 * m->total_work, e2 * plain_work(m),
            isfinite(m->plain_work_measured));
  }
  fputs("EOD\n", g->script);
}

/* ---- axes ---- */

static void write_key(cas_figure *g) {
  fputs("set key at graph 0,1.02 left bottom Left reverse\n", g->script);
}

static void write_level_axis(cas_figure *g, int levels) {
  fprintf(g->script,
          "unset label\nunset logscale x\nset format x '%%g'\nset xtics 1\nunset mxtics\n"
          "set xrange [-0.3:%.17g]\nset xlabel 'level l'\n",
          levels - 0.7);
  write_key(g);
}

static void write_value_axis(cas_figure *g, const range *r, const char *label, const char *units) {
  cas_axis_log(g, 'y', r->low / ROOM, r->high * ROOM);
  cas_axis_label_y(g, label, units);
}

/* ---- panels ---- */

static void plot_lines(cas_figure *g, const char *data, const char *columns, int colour, int shape,
                       const char *style) {
  fprintf(g->script,
          "%s using %s with linespoints pointtype %d pointsize 0.7 linewidth 1.3 %s linecolor '%s'",
          data, columns, shape, style, cas_figure_colour(colour));
}

static void square_of(const char *unit, char text[100]) {
  snprintf(text, 100, strcmp(unit, "1") ? "(%s)^2" : "%s", unit);
}

static void draw_variances(cas_figure *g, const cas_results *r) {
  const cas_mlmc *m = r->mlmc;
  const cas_mlmc_functional *f = &m->functional[0];
  bool antithetic = strcmp(m->coupling, "antithetic") == 0;
  char units[100];
  range v = nothing();
  for (int l = 0; l < m->levels; l++) {
    include(&v, f->level_variance[l]);
    include(&v, l ? f->variance[l] : NAN);
    include(&v, antithetic && l ? f->pair_variance[l] : NAN);
  }
  if (is_empty(&v)) /* nothing is random */
    v = (range){1e-3, 1};
  square_of(f->unit, units);
  write_level_axis(g, m->levels);
  write_value_axis(g, &v, "variance", units);
  fputs("plot ", g->script);
  plot_lines(g, "$levels", "1:2", 0, cas_mark_shape(0), "");
  fputs(" title 'P_l = ", g->script);
  cas_figure_text(g, f->name);
  fputs(" at step h_l', \\\n     ", g->script);
  plot_lines(g, "$levels", "1:3", 1, cas_mark_shape(1), "");
  fputs(" title 'P_l − P_{l−1}", g->script);
  if (isfinite(f->variance_decay.order))
    fprintf(g->script, ": β = %.2f [%.2f, %.2f]", f->variance_decay.order, f->variance_decay.low,
            f->variance_decay.high);
  fputc('\'', g->script);
  if (antithetic) {
    fputs(", \\\n     ", g->script);
    plot_lines(g, "$levels", "1:4", 1, cas_mark_shape(1) - 1, "dashtype (2,4)");
    fputs(" title 'with one fine path'", g->script);
  }
  fputc('\n', g->script);
}

static void draw_means(cas_figure *g, const cas_results *r) {
  const cas_mlmc *m = r->mlmc;
  const cas_mlmc_functional *f = &m->functional[0];
  range v = means_of(m);
  write_level_axis(g, m->levels);
  write_value_axis(g, &v, "|mean|", f->unit);
  fputs("plot ", g->script);
  plot_lines(g, "$levels", "1:5", 0, cas_mark_shape(0), "");
  fputs(" title 'P_l', \\\n     ", g->script);
  cas_plot_bars(g, "$levels", 7, cas_figure_colour(1));
  fputs(", \\\n     ", g->script);
  plot_lines(g, "$levels", "1:6", 1, cas_mark_shape(1), "");
  fputs(" title 'P_l − P_{l−1}", g->script);
  const cas_law order = cas_laws_headline(&f->laws);
  if (isfinite(order.high - order.low))
    fprintf(g->script, ": q = %.2f [%.2f, %.2f]", order.order, order.low, order.high);
  else
    fputs(": q not resolved", g->script);
  fprintf(g->script,
          "', \\\n     %.17g with lines dashtype (10,7) linewidth 1.1 linecolor '#808080' title "
          "'bias that ε = %g allows'\n",
          sqrt(m->theta) * m->epsilon, m->epsilon);
}

static void draw_paths(cas_figure *g, const cas_results *const *r, int n) {
  int levels = 0;
  range v = nothing();
  for (int i = 0; i < n; i++) {
    const cas_mlmc *m = r[i]->mlmc;
    levels = m->levels > levels ? m->levels : levels;
    for (int l = 0; l < m->levels; l++)
      include(&v, (double)m->paths[l]);
  }
  write_level_axis(g, levels);
  write_value_axis(g, &v, "paths", NULL);
  for (int i = 0; i < n; i++) {
    char data[32];
    fputs(i ? ", \\\n     " : "plot ", g->script);
    snprintf(data, sizeof data, "$paths%d", i);
    plot_lines(g, data, "1:2", i, cas_mark_shape(i), "");
    fprintf(g->script, " title 'ε = %g%s'", r[i]->mlmc->epsilon,
            r[i]->mlmc->reached ? "" : ", NOT REACHED");
  }
  fputc('\n', g->script);
}

static void draw_work(cas_figure *g, const cas_results *const *r, int n) {
  const cas_mlmc_functional *f = &r[0]->mlmc->functional[0];
  char units[100];
  bool measured = false;
  range e = nothing(), v = nothing();
  for (int i = 0; i < n; i++) {
    const cas_mlmc *m = r[i]->mlmc;
    measured |= isfinite(m->plain_work_measured);
    include(&e, m->epsilon);
    include(&v, m->epsilon * m->epsilon * m->total_work);
    include(&v, m->epsilon * m->epsilon * plain_work(m));
  }
  fputs("unset label\n", g->script);
  cas_axis_log(g, 'x', e.low / ROOM, e.high * ROOM);
  cas_axis_label_x(g, "rms error ε", f->unit);
  square_of(f->unit, units);
  write_value_axis(g, &v, "ε² · work in iterations", units);
  write_key(g);
  fputs("plot ", g->script);
  plot_lines(g, "$work", "1:2", 1, cas_mark_shape(1), "");
  fputs(" title 'multilevel', \\\n     ", g->script);
  plot_lines(g, "$work", "1:3", 0, cas_mark_shape(0) - 1, "");
  fputs(" title 'plain Monte Carlo, predicted'", g->script);
  if (measured)
    fprintf(g->script,
            ", \\\n     $work using 1:(($4)==1?($3):NaN) with points pointtype %d pointsize 0.7 "
            "linecolor '%s' title '  with variance and work measured'",
            cas_mark_shape(0), cas_figure_colour(0));
  fputc('\n', g->script);
}

/* ---- the figure ---- */

static bool has_means(const cas_mlmc *m) {
  for (int l = 0; l < m->levels; l++)
    if (isfinite(m->functional[0].level_mean[l]))
      return true;
  return false;
}

static cas_status check(const cas_source *s, int n, cas_error *err) {
  const char *name = s[0].results.mlmc->functional[0].name;
  for (int i = 0; i < n; i++) {
    if (!has_means(s[i].results.mlmc))
      return cas_figure_nothing(s[i].file, "mean of any level", err);
    if (strcmp(name, s[i].results.mlmc->functional[0].name) != 0)
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s: its paths were chosen for %s, those of %s for %s; give files of one "
                      "functional and several epsilon",
                      s[i].file, s[i].results.mlmc->functional[0].name, s[0].file, name);
  }
  return CAS_OK;
}

/* Panel 0 .. 3, row by row. */
static cas_frame frame_of(const cas_frame *figure, int panel, double key) {
  double row = BOTTOM + PANEL_HEIGHT + TOP + key;
  cas_frame f = *figure;
  f.left = LEFT + panel % 2 * (LEFT + PANEL_WIDTH + RIGHT);
  f.bottom = BOTTOM + (panel < 2 ? row : 0);
  f.width = PANEL_WIDTH;
  f.height = PANEL_HEIGHT;
  return f;
}

static void draw_panel(cas_figure *g, const cas_results *const *r, int n, int panel) {
  switch (panel) {
  case 0:
    draw_variances(g, r[n - 1]);
    return;
  case 1:
    draw_means(g, r[n - 1]);
    return;
  case 2:
    draw_paths(g, r, n);
    return;
  default:
    draw_work(g, r, n);
  }
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  double key = (n > LEAST_KEYS ? n : LEAST_KEYS) * KEY_LINE;
  cas_frame figure = {.figure_width = 2 * (LEFT + PANEL_WIDTH + RIGHT),
                      .figure_height = 2 * (BOTTOM + PANEL_HEIGHT + TOP + key)};
  const cas_results *r[MOST_FILES];
  cas_status st = check(s, n, err);
  if (st)
    return st;
  for (int i = 0; i < n; i++)
    r[i] = &s[i].results;
  qsort(r, (size_t)n, sizeof *r, by_epsilon);
  cas_figure_size(g, figure.figure_width, figure.figure_height);
  fputs("set multiplot\n", g->script);
  write_levels(g, r[n - 1]->mlmc);
  for (int i = 0; i < n; i++)
    write_paths(g, r[i]->mlmc, i);
  write_work(g, r, n);
  for (int panel = 0; panel < 4; panel++) {
    cas_frame f = frame_of(&figure, panel, key);
    cas_figure_frame(g, &f);
    draw_panel(g, r, n, panel);
  }
  fputs("unset multiplot\n", g->script);
  return CAS_OK;
}

const cas_picture cas_picture_mlmc = {
    .name = "mlmc",
    .summary = "variances, means and paths by level and work by epsilon, of one or several epsilon",
    .needs = "the levels of an mlmc study",
    .files = MOST_FILES,
    .matches = matches,
    .draw = draw,
};
