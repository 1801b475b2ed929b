/* Differences of neighbouring levels and their variances against step size, with reference slopes. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <string.h>

static bool matches(const cas_source *s) {
  return s->results.multilevel && s->results.multilevel->functionals > 0;
}

/* What a panel shows of a functional: points with bars, and the first of them on the coarsest level. */
typedef struct {
  double low, high; /* of the vertical axis */
  double first;     /* the least value on the coarsest level that has one */
} range;

static void include(range *r, double value) {
  if (!(value > 0) || !isfinite(value))
    return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static void include_first(range *r, const double *value, int levels) {
  for (int l = 0; l < levels; l++)
    if (fabs(value[l]) > 0) {
      r->first = fmin(r->first, fabs(value[l]));
      return;
    }
}

static range range_of(const cas_multilevel *m, bool variances) {
  range r = {INFINITY, 0, INFINITY};
  for (int i = 0; i < m->functionals; i++) {
    const cas_differences *d = &m->functional[i];
    for (int l = 0; l < m->levels; l++) {
      include(&r, variances ? d->variance[l] : fabs(d->difference[l]));
      include(&r,
              variances ? d->pair_variance[l] : fabs(d->difference[l]) + 2 * d->standard_error[l]);
    }
    include_first(&r, variances ? d->variance : d->difference, m->levels);
  }
  r.low /= 3, r.high *= 3;
  return r;
}

/* ---- data ---- */

/* h, difference, its bar from and to, resolved, variance, variance with one fine path */
static void write_data(cas_figure *g, const cas_results *r, const cas_differences *d, int i,
                       double bottom) {
  fprintf(g->script, "$levels%d << EOD\n", i);
  for (int l = 0; l < r->multilevel->levels; l++) {
    double y = fabs(d->difference[l]), bar = 2 * d->standard_error[l];
    fprintf(g->script, "%.17g %.17g %.17g %.17g %d %.17g %.17g\n", r->step[l], y,
            fmax(y - bar, bottom), y + bar, d->resolved[l], d->variance[l], d->pair_variance[l]);
  }
  fputs("EOD\n", g->script);
}

/* The law of the headline and its leading term, as differences between h and h/2. */
static void write_law(cas_figure *g, const cas_results *r, const cas_differences *d, int i) {
  enum { POINTS = 65 };
  cas_law law = d->laws.law[d->laws.headline], leading = law;
  double fine = r->step[d->laws.points - 1], coarse = r->step[d->laws.left_out];
  leading.coefficient[1] = NAN;
  fprintf(g->script, "$law%d << EOD\n", i);
  for (int k = 0; k < POINTS; k++) {
    double h = fine * pow(coarse / fine, k / (POINTS - 1.0));
    fprintf(g->script, "%.17g %.17g %.17g\n", h, fabs(cas_law_value(&law, 1, h, h / 2)),
            fabs(cas_law_value(&leading, 1, h, h / 2)));
  }
  fputs("EOD\n", g->script);
}

/* A line C h^slope below the data, labelled at its fine end. */
static void write_slope(cas_figure *g, const cas_results *r, const range *v, int name, double slope,
                        double above) {
  int L = r->multilevel->levels;
  double coarse = r->step[0], y = v->first * above,
         fine = fmax(r->step[L - 1], coarse * pow(1.3 * v->low / y, 1 / slope)),
         end = y * pow(fine / coarse, slope);
  fprintf(g->script, "$slope%d << EOD\n%.17g %.17g\n%.17g %.17g\nEOD\n", name, fine, end, coarse,
          y);
  fprintf(g->script,
          "set label '%g' at first %.8g,%.8g right offset character -0.3,0 textcolor '#606060'\n",
          slope, fine, end);
}

/* ---- panels ---- */

static const char *units_of(const cas_multilevel *m) {
  for (int i = 1; i < m->functionals; i++)
    if (strcmp(m->functional[i].unit, m->functional[0].unit) != 0)
      return NULL;
  return m->functional[0].unit;
}

static void write_axes(cas_figure *g, const cas_results *r, const range *v, bool variances) {
  const char *units = units_of(r->multilevel);
  char squared[100] = "each_in_its_own_unit";
  if (units)
    snprintf(squared, sizeof squared, variances && strcmp(units, "1") ? "(%s)^2" : "%s", units);
  cas_axis_steps(g, r->step[r->multilevel->levels - 1], r->step[0]);
  cas_axis_label_y(g, variances ? "variance of a difference" : "|E φ(X(h)) − E φ(X(h/2))|",
                   squared);
  cas_axis_log(g, 'y', v->low, v->high);
}

static void plot_slopes(cas_figure *g, int first, int n) {
  for (int i = first; i < first + n; i++)
    fprintf(g->script,
            "%s$slope%d using 1:2 with lines dashtype (10,7) linewidth 1.1 linecolor '#808080'",
            i == first ? "plot " : ", \\\n     ", i);
}

static void write_order(cas_figure *g, double order, double low, double high, const char *symbol) {
  if (!isfinite(high - low))
    fprintf(g->script, ": %s not resolved", symbol);
  else
    fprintf(g->script, ": %s = %.2f [%.2f, %.2f]", symbol, order, low, high);
}

static void plot_differences(cas_figure *g, const cas_differences *d, int i) {
  const char *colour = cas_figure_colour(i);
  const cas_law order = cas_laws_headline(&d->laws);
  char data[32];
  snprintf(data, sizeof data, "$levels%d", i);
  if (isfinite(cas_laws_headline(&d->laws).order))
    fprintf(g->script,
            ", \\\n     $law%d using 1:3 with lines dashtype (4,3) linewidth 1 linecolor '%s'"
            ", \\\n     $law%d using 1:2 with lines linewidth 1.3 linecolor '%s'",
            i, colour, i, colour);
  fputs(", \\\n     ", g->script);
  cas_plot_bars(g, data, 3, colour);
  fputs(", \\\n     ", g->script);
  cas_plot_marks(g, data, 2, 5, i);
  fprintf(g->script, ", \\\n     NaN with points pointtype %d pointsize %g linecolor '%s' title '",
          cas_mark_shape(i), cas_mark_size(i), colour);
  cas_figure_text(g, d->name);
  write_order(g, order.order, order.low, order.high, "q");
  fputc('\'', g->script);
}

static void plot_variances(cas_figure *g, const cas_multilevel *m, const cas_differences *d,
                           int i) {
  const char *colour = cas_figure_colour(i);
  int shape = cas_mark_shape(i);
  fprintf(
      g->script,
      ", \\\n     $levels%d using 1:6 with linespoints pointtype %d pointsize 0.7 linewidth 1.3 "
      "linecolor '%s' title '",
      i, shape, colour);
  cas_figure_text(g, d->name);
  write_order(g, d->variance_decay.order, d->variance_decay.low, d->variance_decay.high, "β");
  fputc('\'', g->script);
  if (strcmp(m->coupling, "antithetic") == 0)
    fprintf(g->script,
            ", \\\n     $levels%d using 1:7 with linespoints pointtype %d pointsize 0.6 dashtype "
            "(2,4) linecolor '%s'",
            i, shape - 1, colour);
}

static void draw_panel(cas_figure *g, const cas_results *r, bool variances) {
  const cas_multilevel *m = r->multilevel;
  range v = range_of(m, variances);
  write_axes(g, r, &v, variances);
  write_slope(g, r, &v, 0, 1, variances ? 60 : 1.7);
  write_slope(g, r, &v, 1, 2, 0.5);
  plot_slopes(g, 0, 2);
  for (int i = 0; i < m->functionals; i++)
    if (variances)
      plot_variances(g, m, &m->functional[i], i);
    else
      plot_differences(g, &m->functional[i], i);
  if (!variances)
    fputs(", \\\n     NaN with lines dashtype (4,3) linewidth 1 linecolor '#808080' title 'leading "
          "term of "
          "the law'",
          g->script);
  if (variances && strcmp(m->coupling, "antithetic") == 0)
    fputs(", \\\n     NaN with linespoints pointtype 6 pointsize 0.6 dashtype (2,4) linecolor "
          "'#808080' title 'with one fine path'",
          g->script);
  fputc('\n', g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_results *r = &s->results;
  const cas_multilevel *m = r->multilevel;
  range differences = range_of(m, false);
  cas_frame f;
  (void)n;
  if (!(differences.high > 0) || !isfinite(differences.low))
    return cas_fail(err, CAS_BAD_INPUT, "%s: no difference is there to draw", s->file);
  bool noisy = range_of(m, true).high > 0;
  f = cas_panels_begin(g, 1 + noisy, m->functionals + 1);
  for (int i = 0; i < m->functionals; i++)
    write_data(g, r, &m->functional[i], i, differences.low);
  for (int i = 0; i < m->functionals; i++)
    if (isfinite(cas_laws_headline(&m->functional[i].laws).order))
      write_law(g, r, &m->functional[i], i);
  for (int panel = 0; panel < 1 + noisy; panel++) {
    cas_panels_next(g, &f);
    draw_panel(g, r, panel == 1);
  }
  cas_panels_end(g);
  return CAS_OK;
}

const cas_picture cas_picture_multilevel = {
    .name = "multilevel",
    .summary = "differences of neighbouring levels and their variances against the step size",
    .needs = "the differences of a weak_multilevel study",
    .files = 1,
    .matches = matches,
    .draw = draw,
};
