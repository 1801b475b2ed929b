/* Errors against step size: points with error bars, fitted laws, reference slopes, noise floor. */
#include "present/pictures/picture.h"
#include <math.h>
#include <string.h>

static bool matches(const cas_source *s) {
  return cas_results_curves(&s->results) > 0 && s->results.levels > 0;
}

/* A panel holds all curves of one kind. */
typedef struct {
  cas_error_kind kind;
  int first, curves;            /* of those that are drawn, which are all in their order */
  bool unresolved, noise;       /* any point that is not resolved; any floor */
  bool fitted, differences;     /* any law; any differences of neighbouring levels */
  cas_range range;              /* of the vertical axis */
  double first_low, first_high; /* errors on the coarsest level */
  double order;                 /* of the first curve, NaN if it has none */
  const char *unit;
} panel;

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

static bool is_fitted(const cas_curve *c) { return isfinite(cas_laws_headline(&c->laws).order); }

/* Laws of strong errors are those of the differences of neighbouring levels, which are drawn too;
   where nothing is random, those of the errors themselves. */
static bool has_differences(const cas_curve *c) {
  return c->kind == CAS_STRONG && c->levels > 1 && c->difference_error[0] > 0;
}

/* ---- what a panel shows ---- */

static void include_differences(panel *p, const cas_curve *c) {
  for (int j = 0; has_differences(c) && j + 1 < c->levels; j++)
    if (c->difference[j] > 0) {
      cas_range_include(&p->range, c->difference[j]);
      cas_range_include(&p->range, c->difference[j] + 2 * c->difference_error[j]);
    }
}

static void include_points(panel *p, const cas_curve *c) {
  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]);

    if (!drawable(c, j))
      continue;
    cas_range_include(&p->range, c->resolved[j] ? e : fmax(e, noise(c, j) / 10));
    cas_range_include(&p->range, e + noise(c, j));
    p->unresolved |= !c->resolved[j];
    p->noise |= noise(c, j) > 0;
    if (isnan(p->first_low) || j == 0) {
      p->first_low = fmin(p->first_low, e);
      p->first_high = fmax(p->first_high, e);
    }
  }
}

/* There is room below for the noise floor, but no more than two decades. */
static void include_noise(panel *p, const cas_curve *c, double lowest) {
  for (int j = 0; j < c->levels; j++)
    if (drawable(c, j) && noise(c, j) > 0)
      cas_range_include(&p->range, fmax(noise(c, j), lowest));
}

/* The fitted order; where none is fitted, the slope from the first error to the last; NaN if there
   are no two. */
static double order_of(const cas_results *r, const cas_curve *c) {
  int first = 0, last = c->levels - 1;

  if (is_fitted(c))
    return cas_laws_headline(&c->laws).order;
  while (first < last && !drawable(c, first))
    first++;
  while (last > first && !drawable(c, last))
    last--;
  return log(fabs(c->error[first] / c->error[last])) / log(r->step[first] / r->step[last]);
}

static bool belongs(const panel *p, const cas_curve *c) {
  return c->kind == p->kind && has_points(c);
}

static void include_curve(panel *p, const cas_results *r, const cas_curve *c) {
  include_differences(p, c);
  include_points(p, c);
  p->curves++;
  p->fitted |= is_fitted(c);
  p->differences |= has_differences(c);
  p->unit = cas_unit_join(p->unit, c->unit);
  if (isnan(p->order))
    p->order = order_of(r, c);
}

static panel panel_of(const cas_results *r, cas_error_kind kind, int first) {
  panel p = {.kind = kind, .first = first, .range = CAS_RANGE_EMPTY, .order = NAN};
  double lowest;

  p.first_low = p.first_high = NAN;
  for (int i = 0; i < cas_results_curves(r); i++)
    if (belongs(&p, cas_results_curve(r, i)))
      include_curve(&p, r, cas_results_curve(r, i));
  lowest = p.range.low / 100;
  for (int i = 0; i < cas_results_curves(r); i++)
    if (belongs(&p, cas_results_curve(r, i)))
      include_noise(&p, cas_results_curve(r, i), lowest);
  p.range.low /= 1.6, p.range.high *= 2.2;
  return p;
}

/* ---- reference slopes ---- */

enum { REFERENCES = 3, SLOPES = 2 };
static const double references[REFERENCES] = {0.5, 1, 2};

/* The two nearest to the fitted order; 1/2 and 1, what schemes with noise have, if none is fitted.
   */
static int first_slope(const panel *p) {
  double order = isfinite(p->order) ? p->order : 0;
  int i = 0;

  while (i + SLOPES < REFERENCES &&
         fabs(references[i + SLOPES] - order) < fabs(references[i] - order))
    i++;
  return i;
}

/* A slope at least the fitted one starts below the errors at the coarsest step, a smaller one
   above: going to finer steps, neither crosses them. */
static double slope_anchor(const panel *p, double slope) {
  bool below = !isfinite(p->order) || slope > p->order - 0.15;

  return below ? p->first_low / 1.9 : p->first_high * 1.7;
}

static void write_slopes(cas_figure *g, const cas_results *r, const panel *p, int number) {
  int first = first_slope(p);

  CAS_BLOCK(g, cas_name(g, "slopes_%d", number), {"h", CAS_TIME_UNIT}, {"error", p->unit},
            {"h", CAS_TIME_UNIT}, {"error", p->unit}, {"slope", "1"});
  for (int i = first; i < first + SLOPES; i++)
    cas_slope_row(g, references[i], r->step[r->levels - 1], r->step[0],
                  slope_anchor(p, references[i]), 1.4 * p->range.low);
  cas_block_end(g);
}

/* ---- curves ---- */

static void write_points(cas_figure *g, const double *step, const panel *p, const cas_curve *c,
                         int number) {
  CAS_BLOCK(g, cas_name(g, "points_%d", number), {"h", CAS_TIME_UNIT}, {"error", c->unit},
            {"bar_low", c->unit}, {"bar_high", c->unit}, {"noise_floor", c->unit},
            {"resolved", "1"});
  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]), two_se = noise(c, j);

    if (drawable(c, j))
      CAS_ROW(g, step[j], e, fmax(e - two_se, p->range.low), e + two_se,
              two_se > 0 ? fmax(two_se, p->range.low * 1e-3) : NAN, c->resolved[j]);
  }
  cas_block_end(g);
}

static void write_differences(cas_figure *g, const double *step, const cas_curve *c, int number) {
  if (!has_differences(c))
    return;
  CAS_BLOCK(g, cas_name(g, "differences_%d", number), {"h", CAS_TIME_UNIT}, {"difference", c->unit},
            {"bar_low", c->unit}, {"bar_high", c->unit});
  for (int j = 0; j + 1 < c->levels; j++) {
    double d = c->difference[j], bar = 2 * c->difference_error[j];

    if (d > 0)
      CAS_ROW(g, step[j], d, fmax(d - bar, d / 1e3), d + bar);
  }
  cas_block_end(g);
}

static double strong_law(const cas_law *law, double step, double reference) {
  (void)reference;
  return sqrt(fmax(cas_law_value(law, 2, step, 0), 0));
}

static double error_law(const cas_law *law, double step, double reference) {
  return fabs(cas_law_value(law, 1, step, reference));
}

/* What the curve is called: that of a functional has its name. */
static const char *name_of(const cas_curve *c) {
  if (c->kind == CAS_WEAK)
    return c->name;
  return strcmp(c->name, "error_sup") == 0 ? "supremum" : "at the horizon";
}

/* Curve i of n that are drawn. */
static void write_curve(cas_figure *g, const cas_results *r, const panel *p, const cas_curve *c,
                        int i, int n) {
  cas_law law = cas_laws_headline(&c->laws);

  cas_text_of(g, "name", i, n, CAS_AS_IT_IS, name_of(c));
  cas_order_of(g, i, n, law.order, law.low, law.high);
  write_points(g, r->step, p, c, i + 1);
  write_differences(g, r->step, c, i + 1);
  if (is_fitted(c))
    cas_law_block(g, cas_name(g, "law_%d", i + 1), &c->laws, r->step,
                  has_differences(c) ? strong_law : error_law, r->step[r->levels], c->unit);
}

/* Panel i of n. */
static void write_panel(cas_figure *g, const panel *p, int i, int n) {
  cas_text_of(g, "kind", i, n, CAS_AS_IT_IS, p->kind == CAS_STRONG ? "strong" : "weak");
  cas_text_of(g, "units", i, n, CAS_UNITS, p->unit);
  cas_count_of(g, "first", i, n, p->first + 1);
  cas_count_of(g, "last", i, n, p->first + p->curves);
  cas_real_of(g, "from", i, n, p->range.low);
  cas_real_of(g, "to", i, n, p->range.high);
  cas_count_of(g, "unresolved", i, n, p->unresolved);
  cas_count_of(g, "noise", i, n, p->noise);
  cas_count_of(g, "fitted", i, n, p->fitted);
  cas_count_of(g, "differences", i, n, p->differences);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_results *r = &s->results;
  panel all[2] = {panel_of(r, CAS_STRONG, 0)}, *p;
  int panels = all[0].curves > 0, curves, drawn = 0;

  (void)n;
  all[panels] = panel_of(r, CAS_WEAK, all[0].curves);
  panels += all[panels].curves > 0;
  if (panels == 0)
    return cas_fail(err, CAS_BAD_INPUT, "%s: no level of any curve has an error to draw", s->file);
  curves = all[panels - 1].first + all[panels - 1].curves;
  cas_count(g, "panels", panels);
  cas_real(g, "fine", r->step[r->levels - 1]);
  cas_real(g, "coarse", r->step[0]);
  for (p = all; p < all + panels; p++) {
    write_panel(g, p, (int)(p - all), panels);
    write_slopes(g, r, p, (int)(p - all) + 1);
    for (int i = 0; i < cas_results_curves(r); i++)
      if (belongs(p, cas_results_curve(r, i)))
        write_curve(g, r, p, cas_results_curve(r, i), drawn++, curves);
  }
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
