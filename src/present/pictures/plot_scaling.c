/* Strong and weak scaling over numbers of ranks: the time of a run and the parallel efficiency, from
   what jobs/scaling.sh has measured. */
#include "present/figure/plot_impl.h"
#include <float.h>
#include <math.h>

/* inches */
#define PANEL_WIDTH 3.2
#define PANEL_HEIGHT 2.6
#define LEFT 0.95
#define BOTTOM 0.62
#define RIGHT 0.25
#define TOP 0.75

enum { STRONG, WEAK, KINDS };
static const char *const kinds[KINDS] = {"strong", "weak"};

typedef struct {
  cas_reals ranks, paths, efficiency, low, high, reduction;
  cas_vectors seconds, slowest, mean, reduce;
} scaling;

#define COLUMN(name, member)                                                       \
  {                                                                                \
    .key = name, .type = CAS_REALS, .offset = offsetof(scaling, member), .low = 0, \
    .high = DBL_MAX, .help = name                                                  \
  }
#define RUNS(name, member)                                                           \
  {                                                                                  \
    .key = name, .type = CAS_VECTORS, .offset = offsetof(scaling, member), .low = 0, \
    .high = DBL_MAX, .help = name " of every run"                                    \
  }
static const cas_option options[] = {COLUMN("ranks", ranks),
                                     COLUMN("paths", paths),
                                     COLUMN("efficiency", efficiency),
                                     COLUMN("efficiency_low", low),
                                     COLUMN("efficiency_high", high),
                                     COLUMN("reduction", reduction),
                                     RUNS("seconds", seconds),
                                     RUNS("slowest", slowest),
                                     RUNS("mean", mean),
                                     RUNS("reduce", reduce),
                                     {0}};

static bool matches(const cas_source *s) { return s->values != NULL; }

/* ---- reading ---- */

static cas_status check(const cas_source *s, const char *kind, const scaling *m, cas_error *err) {
  int n = m->ranks.n;

  if (n < 1 || m->efficiency.n != n || m->low.n != n || m->high.n != n || m->seconds.rows != n ||
      m->seconds.columns < 1)
    return cas_config_fail(s->values, err, kind, "its columns are not of one length");
  for (int i = 0; i < n; i++)
    if (m->ranks.value[i] < 1 || (i && m->ranks.value[i] <= m->ranks.value[i - 1]))
      return cas_config_fail(s->values, err, kind, "ranks must ascend from 1 or more");
  return CAS_OK;
}

static cas_status read_kinds(const cas_source *s, scaling m[KINDS], cas_error *err) {
  cas_status st = CAS_OK;

  for (int k = 0; !st && k < KINDS; k++) {
    st = cas_options_read(s->values, kinds[k], options, NULL, &m[k], err);
    if (!st)
      st = check(s, kinds[k], &m[k], err);
  }
  return st;
}

/* ---- drawing ---- */

static void write_kind(cas_figure *g, const char *kind, const scaling *m) {
  fprintf(g->script, "$%s << EOD\n", kind);
  for (int i = 0; i < m->ranks.n; i++) {
    int runs = m->seconds.columns;
    const double *t = m->seconds.value + i * runs; /* ascending */

    fprintf(g->script, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", m->ranks.value[i],
            (t[(runs - 1) / 2] + t[runs / 2]) / 2, t[0], t[runs - 1], m->efficiency.value[i],
            m->low.value[i], m->high.value[i]);
  }
  fputs("EOD\n", g->script);
}

static void write_axes(cas_figure *g, const scaling *m) {
  double most = m->ranks.value[m->ranks.n - 1];

  fprintf(g->script,
          "set logscale x 2\nset format x '%%g'\nset xrange [%.17g:%.17g]\nset xlabel 'ranks'\n"
          "unset mxtics\n",
          m->ranks.value[0] / 1.25, most * 1.25);
}

static const char *const styles[KINDS] = {"pointtype 7", "pointtype 5"};

static void plot_kinds(cas_figure *g, const char *columns) {
  for (int k = 0; k < KINDS; k++)
    fprintf(g->script,
            "%s$%s using %s with yerrorlines linewidth 1.3 %s pointsize 0.7 linecolor '%s' title "
            "'%s'",
            k ? ", \\\n     " : "plot ", kinds[k], columns, styles[k], cas_figure_colour(k),
            kinds[k]);
}

static void draw_times(cas_figure *g, const scaling *m) {
  const double *t = m[STRONG].seconds.value;
  int runs = m[STRONG].seconds.columns;
  double ideal = (t[(runs - 1) / 2] + t[runs / 2]) / 2 * m[STRONG].ranks.value[0];

  fputs("set logscale y 10\nset format y '%g'\nset yrange [*:*]\n"
        "set ylabel 'time of a run [s]' offset character 0.5,0\nset key at graph 0,1.02 left "
        "bottom Left reverse\n",
        g->script);
  plot_kinds(g, "1:2:3:4");
  fprintf(g->script,
          ", \\\n     %.17g/x with lines dashtype (10,7) linewidth 1.1 linecolor '#808080' title "
          "'ideal, strong'\n",
          ideal);
}

static void draw_efficiencies(cas_figure *g) {
  fputs("unset logscale y\nset format y '%g'\nset yrange [0:*]\n"
        "set ylabel 'parallel efficiency' offset character 0.5,0\nset key at graph 0,1.02 left "
        "bottom Left reverse\n",
        g->script);
  plot_kinds(g, "1:5:6:7");
  fputs(", \\\n     1 with lines dashtype (10,7) linewidth 1.1 linecolor '#808080' title 'ideal'\n",
        g->script);
}

static void draw_panels(cas_figure *g, const scaling *m) {
  cas_frame f = {.left = LEFT, .bottom = BOTTOM, .width = PANEL_WIDTH, .height = PANEL_HEIGHT};

  f.figure_width = 2 * (LEFT + PANEL_WIDTH + RIGHT);
  f.figure_height = BOTTOM + PANEL_HEIGHT + TOP;
  cas_figure_size(g, f.figure_width, f.figure_height);
  for (int k = 0; k < KINDS; k++)
    write_kind(g, kinds[k], &m[k]);
  fputs("set multiplot\n", g->script);
  cas_figure_frame(g, &f);
  write_axes(g, &m[STRONG]);
  draw_times(g, m);
  f.left += LEFT + PANEL_WIDTH + RIGHT;
  cas_figure_frame(g, &f);
  draw_efficiencies(g);
  fputs("unset multiplot\n", g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  scaling m[KINDS] = {0};
  cas_status st = read_kinds(s, m, err);

  (void)n;
  if (!st)
    draw_panels(g, m);
  for (int k = 0; k < KINDS; k++)
    cas_options_free(options, &m[k]);
  return st;
}

const cas_picture cas_picture_scaling = {
    .name = "scaling",
    .summary = "time and parallel efficiency over numbers of ranks, of jobs/scaling.sh",
    .needs = "the JSON of jobs/scaling.sh",
    .files = 1,
    .matches = matches,
    .draw = draw,
};
