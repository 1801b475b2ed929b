/* Differences of neighbouring levels and their variances against step size, with reference slopes.
   */
#include "present/pictures/picture.h"
#include <math.h>
#include <string.h>

static bool matches(const cas_source *s) {
  return cas_results_multilevel(&s->results) &&
         cas_results_multilevel(&s->results)->functionals > 0;
}

/* ---- ranges ---- */

static cas_range range_of(const cas_multilevel *m, bool variances) {
  cas_range r = CAS_RANGE_EMPTY;

  for (int i = 0; i < m->functionals; i++) {
    const cas_differences *d = &m->functional[i];

    for (int l = 0; l < m->levels; l++) {
      double y = fabs(d->difference[l]);

      cas_range_include(&r, variances ? d->variance[l] : y);
      cas_range_include(&r, variances ? d->pair_variance[l] : y + 2 * d->standard_error[l]);
    }
  }
  r.low /= 3, r.high *= 3;
  return r;
}

/* The least of all functionals' first values, on the coarsest level that has one. */
static double least_first(const cas_multilevel *m, bool variances) {
  double least = INFINITY;

  for (int i = 0; i < m->functionals; i++) {
    const double *y = variances ? m->functional[i].variance : m->functional[i].difference;
    int l = 0;

    while (l < m->levels && !(fabs(y[l]) > 0))
      l++;
    if (l < m->levels)
      least = fmin(least, fabs(y[l]));
  }
  return least;
}

/* ---- what is drawn ---- */

static void write_levels(cas_figure *g, const cas_results *r, const cas_differences *d, int number,
                         double bottom) {
  char squared[100];

  cas_unit_square(d->unit, squared);
  CAS_BLOCK(g, cas_name(g, "levels_%d", number), {"h", CAS_TIME_UNIT}, {"difference", d->unit},
            {"bar_low", d->unit}, {"bar_high", d->unit}, {"resolved", "1"}, {"variance", squared},
            {"variance_with_one_fine_path", squared});
  for (int l = 0; l < cas_results_multilevel(r)->levels; l++) {
    double y = fabs(d->difference[l]), bar = 2 * d->standard_error[l];

    CAS_ROW(g, r->step[l], y, fmax(y - bar, bottom), y + bar, d->resolved[l], d->variance[l],
            d->pair_variance[l]);
  }
  cas_block_end(g);
}

static double difference_law(const cas_law *law, double step, double reference) {
  (void)reference;
  return fabs(cas_law_value(law, 1, step, step / 2));
}

/* Functional i of n. */
static void write_functional(cas_figure *g, const cas_results *r, const cas_differences *d, int i,
                             int n, double bottom) {
  cas_law law = cas_laws_headline(&d->laws);

  cas_text_of(g, "name", i, n, CAS_AS_IT_IS, d->name);
  cas_order_of(g, i, n, law.order, law.low, law.high);
  cas_real_of(g, "decay", i, n, d->variance_decay.order);
  cas_real_of(g, "decay_low", i, n, d->variance_decay.low);
  cas_real_of(g, "decay_high", i, n, d->variance_decay.high);
  write_levels(g, r, d, i + 1, bottom);
  if (isfinite(law.order))
    cas_law_block(g, cas_name(g, "law_%d", i + 1), &d->laws, r->step, difference_law, 0, d->unit);
}

/* Lines below the data: of differences and of variances. */
static void write_slopes(cas_figure *g, const cas_results *r, const cas_range *v, bool variances) {
  double fine = r->step[cas_results_multilevel(r)->levels - 1],
         first = least_first(cas_results_multilevel(r), variances);

  CAS_BLOCK(g, cas_name(g, "slopes_%d", variances + 1), {"h", CAS_TIME_UNIT}, {"y", NULL},
            {"h", CAS_TIME_UNIT}, {"y", NULL}, {"slope", "1"});
  cas_slope_row(g, 1, fine, r->step[0], first * (variances ? 60 : 1.7), 1.6 * v->low);
  cas_slope_row(g, 2, fine, r->step[0], first * 0.5, 1.6 * v->low);
  cas_block_end(g);
}

static void write_panel(cas_figure *g, const cas_results *r, int i, int n, const cas_range *v) {
  cas_real_of(g, "from", i, n, v->low);
  cas_real_of(g, "to", i, n, v->high);
  write_slopes(g, r, v, i == 1);
}

static void write_units(cas_figure *g, const cas_multilevel *m) {
  const char *units = NULL;
  char squared[100];

  for (int i = 0; i < m->functionals; i++)
    units = cas_unit_join(units, m->functional[i].unit);
  cas_unit_square(units, squared);
  cas_text(g, "units", CAS_UNITS, units);
  cas_text(g, "units_squared", CAS_UNITS, squared);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_results *r = &s->results;
  const cas_multilevel *m = cas_results_multilevel(r);
  cas_range range[2] = {range_of(m, false), range_of(m, true)};
  int panels = 1 + (range[1].high > 0);

  (void)n;
  if (!(range[0].high > 0))
    return cas_fail(err, CAS_BAD_INPUT, "%s: no difference is there to draw", s->file);
  cas_count(g, "panels", panels);
  cas_count(g, "functionals", m->functionals);
  cas_count(g, "antithetic", strcmp(m->coupling, "antithetic") == 0);
  cas_real(g, "fine", r->step[m->levels - 1]);
  cas_real(g, "coarse", r->step[0]);
  write_units(g, m);
  for (int i = 0; i < panels; i++)
    write_panel(g, r, i, panels, &range[i]);
  for (int i = 0; i < m->functionals; i++)
    write_functional(g, r, &m->functional[i], i, m->functionals, range[0].low);
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
