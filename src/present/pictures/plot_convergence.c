/* Errors against step size: points with error bars, fitted laws, reference slopes, noise floor. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <string.h>

#define FIT_POINTS 65
#define SLOPES 2
#define GREY "#808080"
#define FLOOR_LINE "dashtype (2,4) linewidth 1.5"

static bool matches(const cas_source *s) { return s->results.curves > 0 && s->results.levels > 0; }

/* A panel holds all curves of one kind. */
typedef struct {
  const cas_results *results;
  cas_error_kind kind;
  int curves, key_lines;
  bool unresolved, noise;       /* any point below the floor; any floor */
  bool fitted, differences;     /* any law; any differences of neighbouring levels */
  double low, high;             /* of the vertical axis */
  double first_low, first_high; /* errors on the coarsest level */
  double order;                 /* of the first curve, NaN if it has none */
} cas_panel;

static bool drawable(const cas_curve *c, int j) {
  return isfinite(c->error[j]) && c->error[j] != 0;
}

/* Two standard errors; 0, no bar and no floor, if there is none. */
static double noise(const cas_curve *c, int j) {
  return isfinite(c->standard_error[j]) ? 2 * c->standard_error[j] : 0;
}

static bool has_points(const cas_curve *c) {
  for (int j = 0; j < c->levels; j++)
    if (drawable(c, j))
      return true;
  return false;
}

static bool has_noise(const cas_curve *c) {
  for (int j = 0; j < c->levels; j++)
    if (drawable(c, j) && noise(c, j) > 0)
      return true;
  return false;
}

/* Laws of strong errors are those of the differences of neighbouring levels, which are drawn too; where
   nothing is random, those of the errors themselves. */
static bool has_differences(const cas_curve *c) {
  return c->kind == CAS_STRONG && c->levels > 1 && c->difference_error[0] > 0;
}

static void extend_to_differences(cas_panel *p, const cas_curve *c) {
  for (int j = 0; has_differences(c) && j + 1 < c->levels; j++)
    if (c->difference[j] > 0) {
      p->low = fmin(p->low, c->difference[j]);
      p->high = fmax(p->high, c->difference[j] + 2 * c->difference_error[j]);
    }
}

static void extend_range(cas_panel *p, const cas_curve *c) {
  extend_to_differences(p, c);
  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]);

    if (!drawable(c, j))
      continue;
    p->low = fmin(p->low, c->resolved[j] ? e : fmax(e, noise(c, j) / 10));
    p->high = fmax(p->high, e + noise(c, j));
    p->unresolved |= !c->resolved[j];
    if (isnan(p->first_low) || j == 0) {
      p->first_low = fmin(p->first_low, e);
      p->first_high = fmax(p->first_high, e);
    }
  }
}

static void extend_to_noise(cas_panel *p, const cas_curve *c, double lowest) {
  for (int j = 0; j < c->levels; j++)
    if (drawable(c, j) && noise(c, j) > 0)
      p->low = fmin(p->low, fmax(noise(c, j), lowest));
}

/* The fitted order; where none is fitted, the slope from the first error to the last; NaN if there
   are no two. */
static double order_of(const cas_results *r, const cas_curve *c) {
  int first = 0, last = c->levels - 1;

  cas_law fit = cas_laws_headline(&c->laws);
  if (isfinite(fit.order))
    return fit.order;
  while (first < last && !drawable(c, first))
    first++;
  while (last > first && !drawable(c, last))
    last--;
  return log(fabs(c->error[first] / c->error[last])) / log(r->step[first] / r->step[last]);
}

static cas_panel panel_of(const cas_results *r, cas_error_kind kind) {
  cas_panel p = {.results = r, .kind = kind, .low = INFINITY, .order = NAN};
  double lowest;

  p.first_low = p.first_high = NAN;
  for (int i = 0; i < r->curves; i++) {
    const cas_curve *c = &r->curve[i];

    if (c->kind != kind || !has_points(c))
      continue;
    p.curves++;
    extend_range(&p, c);
    p.noise |= has_noise(c);
    p.fitted |= isfinite(cas_laws_headline(&c->laws).order);
    p.differences |= has_differences(c);
    if (isnan(p.order))
      p.order = order_of(r, c);
  }
  lowest = p.low / 100; /* room below for the noise floor, but no more than two decades */
  for (int i = 0; i < r->curves; i++)
    if (r->curve[i].kind == kind && has_points(&r->curve[i]))
      extend_to_noise(&p, &r->curve[i], lowest);
  p.key_lines = p.curves + p.noise + p.unresolved + p.fitted + p.differences;
  p.low /= 1.6, p.high *= 2.2;
  return p;
}

/* ---- data ---- */

static void write_points(cas_figure *g, const cas_panel *p, const cas_curve *c, int i) {
  fprintf(g->script, "$points%d << EOD\n", i);
  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]), two_se = noise(c, j);

    if (!drawable(c, j))
      continue;
    fprintf(g->script, "%.17g %.17g %.17g %.17g %.17g %d\n", p->results->step[j], e,
            fmax(e - two_se, p->low), e + two_se, fmax(two_se, p->low * 1e-3), c->resolved[j]);
  }
  fputs("EOD\n", g->script);
}

static void write_differences(cas_figure *g, const cas_results *r, const cas_curve *c, int i) {
  fprintf(g->script, "$differences%d << EOD\n", i);
  for (int j = 0; has_differences(c) && j + 1 < c->levels; j++)
    if (c->difference[j] > 0)
      fprintf(g->script, "%.17g %.17g %.17g %.17g\n", r->step[j], c->difference[j],
              fmax(c->difference[j] - 2 * c->difference_error[j], c->difference[j] / 1e3),
              c->difference[j] + 2 * c->difference_error[j]);
  fputs("EOD\n", g->script);
}

/* The law of the headline and its leading term, over the steps of the values that it describes. */
static void write_fit(cas_figure *g, const cas_results *r, const cas_curve *c, int i) {
  cas_law law = c->laws.law[c->laws.headline], leading = law;
  int first = c->laws.left_out, last = c->laws.points - 1;
  double fine = r->step[last], coarse = r->step[first], reference = r->step[r->levels];

  leading.coefficient[1] = NAN;
  fprintf(g->script, "$fit%d << EOD\n", i);
  for (int k = 0; k < FIT_POINTS; k++) {
    double h = fine * pow(coarse / fine, k / (FIT_POINTS - 1.0));
    if (has_differences(c))
      fprintf(g->script, "%.17g %.17g %.17g\n", h, sqrt(fmax(cas_law_value(&law, 2, h, 0), 0)),
              sqrt(fmax(cas_law_value(&leading, 2, h, 0), 0)));
    else
      fprintf(g->script, "%.17g %.17g %.17g\n", h, fabs(cas_law_value(&law, 1, h, reference)),
              fabs(cas_law_value(&leading, 1, h, reference)));
  }
  fputs("EOD\n", g->script);
}

/* ---- reference slopes ---- */

static const struct {
  double slope;
  const char *label;
} references[] = {{0.5, "1/2"}, {1, "1"}, {2, "2"}};
#define REFERENCES ((int)(sizeof references / sizeof *references))

/* The two nearest to the fitted order; 1/2 and 1, what schemes with noise have, if none is fitted. */
static int first_slope(const cas_panel *p) {
  double order = isfinite(p->order) ? p->order : 0;
  int i = 0;

  while (i + SLOPES < REFERENCES &&
         fabs(references[i + SLOPES].slope - order) < fabs(references[i].slope - order))
    i++;
  return i;
}

/* A slope at least the fitted one starts below the errors at the coarsest step, a smaller one
   above: going to finer steps, neither crosses them. */
static double slope_anchor(const cas_panel *p, double slope) {
  bool below = !isfinite(p->order) || slope > p->order - 0.15;

  return below ? p->first_low / 1.9 : p->first_high * 1.7;
}

/* True if the line is drawn: as $slopeI, with its label at the fine end. */
static bool write_slope(cas_figure *g, const cas_panel *p, int i) {
  int k = first_slope(p) + i;
  const double *h = p->results->step;
  double slope = references[k].slope, y = slope_anchor(p, slope), end, end_y;

  /* the finest step, or where the line leaves the panel */
  end = fmax(h[p->results->levels - 1], h[0] * pow(1.3 * p->low / y, 1 / slope));
  if (!isfinite(y) || end >= h[0])
    return false;
  end_y = y * pow(end / h[0], slope);
  fprintf(g->script, "$slope%d << EOD\n%.17g %.17g\n%.17g %.17g\nEOD\n", i, end, end_y, h[0], y);
  fprintf(
      g->script,
      "set label '%s' at first %.8g,%.8g right offset character -0.3,0 front textcolor '#606060'\n",
      references[k].label, end, end_y);
  return true;
}

/* ---- the plot command ---- */

static const char *separator(int *entries) { return (*entries)++ ? ", \\\n     " : "plot "; }

static void write_title(cas_figure *g, const cas_curve *c) {
  const cas_law fit = cas_laws_headline(&c->laws), *f = &fit;
  int decimals = f->high - f->low < 0.02 ? 3 : 2;

  if (c->kind == CAS_WEAK)
    cas_figure_text(g, c->name);
  else
    fputs(strcmp(c->name, "error_sup") == 0 ? "supremum" : "at the horizon", g->script);
  if (!isfinite(f->order) || !isfinite(f->high - f->low))
    fputs(": order not resolved", g->script);
  else
    fprintf(g->script, ": order %.*f", decimals, f->order);
  if (isfinite(f->high - f->low) && f->low < f->high)
    fprintf(g->script, " [%.*f, %.*f]", decimals, f->low, decimals, f->high);
}

/* Shaded if there is one curve only: shades over each other cannot be told apart. */
static void plot_noise(cas_figure *g, const cas_panel *p, int i, int colour, int *entries) {
  if (!has_noise(&p->results->curve[i]))
    return;
  if (p->curves == 1)
    fprintf(g->script,
            "%s$points%d using 1:5 with filledcurves y1=1e-300 fillstyle solid noborder linecolor "
            "'#f0f0f0'",
            separator(entries), i);
  fprintf(g->script, "%s$points%d using 1:5 with lines " FLOOR_LINE " linecolor '%s'",
          separator(entries), i, cas_figure_colour(colour));
}

static void name_points(int i, char text[32]) { snprintf(text, 32, "$points%d", i); }

static void plot_law(cas_figure *g, const cas_curve *c, int i, int mark, int *entries) {
  const char *colour = cas_figure_colour(mark);
  char data[32];

  if (isfinite(cas_laws_headline(&c->laws).order)) {
    fprintf(g->script, "%s$fit%d using 1:3 with lines dashtype (4,3) linewidth 1 linecolor '%s'",
            separator(entries), i, colour);
    fprintf(g->script, "%s$fit%d using 1:2 with lines linewidth 1.3 linecolor '%s'",
            separator(entries), i, colour);
  }
  if (has_differences(c)) {
    snprintf(data, sizeof data, "$differences%d", i);
    fputs(separator(entries), g->script);
    cas_plot_bars(g, data, 3, colour);
    fprintf(g->script, "%s%s using 1:2 with points pointtype %d pointsize 0.6 linecolor '%s'",
            separator(entries), data, cas_mark_shape(mark), colour);
  }
  name_points(i, data);
  fputs(separator(entries), g->script);
  cas_plot_bars(g, data, 3, colour);
}

static void plot_marks(cas_figure *g, const cas_curve *c, int i, int mark, int *entries) {
  char data[32];

  name_points(i, data);
  fputs(separator(entries), g->script);
  cas_plot_marks(g, data, 2, 6, mark);
  fprintf(g->script,
          "%sNaN with linespoints pointtype %d pointsize %g linewidth 1.3 linecolor '%s' title '",
          separator(entries), cas_mark_shape(mark), cas_mark_size(mark), cas_figure_colour(mark));
  write_title(g, c);
  fputc('\'', g->script);
}

static bool belongs(const cas_panel *p, int i) {
  const cas_curve *c = &p->results->curve[i];

  return c->kind == p->kind && has_points(c);
}

static const char *units_of(const cas_panel *p) {
  const char *units = NULL;

  for (int i = 0; i < p->results->curves; i++) {
    if (!belongs(p, i))
      continue;
    if (units && strcmp(units, p->results->curve[i].unit) != 0)
      return "each_in_its_own_unit";
    units = p->results->curve[i].unit;
  }
  return units;
}

static void write_axes(cas_figure *g, const cas_panel *p) {
  const cas_results *r = p->results;
  double fine = r->step[r->levels - 1], coarse = r->step[0];

  cas_axis_steps(g, fine, coarse);
  cas_axis_label_y(g, p->kind == CAS_STRONG ? "root-mean-square error" : "|weak error|",
                   units_of(p));
  cas_axis_log(g, 'y', p->low, p->high);
}

/* What the grey marks mean. */
static void plot_legend(cas_figure *g, const cas_panel *p, int *entries) {
  if (p->unresolved)
    fprintf(g->script,
            "%sNaN with points pointtype 6 pointsize 0.9 linewidth 1.2 linecolor '" GREY
            "' title 'not resolved'",
            separator(entries));
  if (p->fitted)
    fprintf(g->script,
            "%sNaN with lines dashtype (4,3) linewidth 1 linecolor '" GREY
            "' title 'leading term of the law'",
            separator(entries));
  if (p->differences)
    fprintf(g->script,
            "%sNaN with points pointtype 7 pointsize 0.6 linecolor '" GREY
            "' title 'small marks: |X(h) − X(h/2)|, fitted'",
            separator(entries));
  if (p->noise)
    fprintf(g->script,
            "%sNaN with lines " FLOOR_LINE " linecolor '" GREY
            "' title 'noise floor, 2 standard errors'",
            separator(entries));
}

static void draw_panel(cas_figure *g, const cas_panel *p) {
  const cas_results *r = p->results;
  int entries = 0, mark = 0;
  bool slope[SLOPES];

  write_axes(g, p);
  for (int i = 0; i < SLOPES; i++)
    slope[i] = write_slope(g, p, i);
  for (int i = 0; i < r->curves; i++) {
    if (!belongs(p, i))
      continue;
    write_points(g, p, &r->curve[i], i);
    write_differences(g, r, &r->curve[i], i);
    if (isfinite(cas_laws_headline(&r->curve[i].laws).order))
      write_fit(g, r, &r->curve[i], i);
  }
  for (int i = 0; i < r->curves; i++)
    if (belongs(p, i))
      plot_noise(g, p, i, mark++, &entries);
  for (int i = 0; i < SLOPES; i++)
    if (slope[i])
      fprintf(g->script,
              "%s$slope%d using 1:2 with lines dashtype (10,7) linewidth 1.1 linecolor '" GREY "'",
              separator(&entries), i);
  mark = 0;
  for (int i = 0; i < r->curves; i++)
    if (belongs(p, i))
      plot_law(g, &r->curve[i], i, mark++, &entries);
  mark = 0;
  for (int i = 0; i < r->curves; i++)
    if (belongs(p, i))
      plot_marks(g, &r->curve[i], i, mark++, &entries);
  plot_legend(g, p, &entries);
  fputc('\n', g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_results *r = &s->results;
  cas_panel panel[2] = {panel_of(r, CAS_STRONG), panel_of(r, CAS_WEAK)};
  int panels = (panel[0].curves > 0) + (panel[1].curves > 0), lines;
  cas_frame f;

  (void)n;
  if (panels == 0)
    return cas_fail(err, CAS_BAD_INPUT, "%s: no level of any curve has an error to draw", s->file);
  lines = panel[0].key_lines > panel[1].key_lines ? panel[0].key_lines : panel[1].key_lines;
  f = cas_panels_begin(g, panels, lines);
  for (int i = 0; i < 2; i++) {
    if (panel[i].curves == 0)
      continue;
    cas_panels_next(g, &f);
    draw_panel(g, &panel[i]);
  }
  cas_panels_end(g);
  return CAS_OK;
}

const cas_picture cas_picture_convergence = {
    .name = "convergence",
    .summary = "strong and weak errors against the step size, with fitted orders",
    .needs = "the error curves of a strong, weak or convergence study",
    .files = 1,
    .matches = matches,
    .draw = draw,
};
