/* Differences of neighbouring levels and their variances against step size. */
#include "present/pictures/drawn.h"
#include <math.h>
#include <string.h>

static bool matches_multilevel(const cas_source *s) {
  return cas_results_multilevel(&s->results) &&
         cas_results_multilevel(&s->results)->functionals > 0;
}

static const cas_drawn_block differences[] = {
    {"levels_%d",
     CAS_DRAWN_NOT_ZERO,
     {CAS_DRAWN_ERRORS("difference", "difference", "standard_error", "resolved")}},
    {0}};
static const cas_drawn_block variances[] = {
    {"variances_%d",
     CAS_DRAWN_ALL,
     {CAS_DRAWN_STEP, CAS_DRAWN_COPY("variance", "variance"),
      CAS_DRAWN_COPY("variance_with_one_fine_path", "pair_variance")}},
    {0}};

static double difference_law(const cas_law *law, double step, double reference CAS_UNUSED) {
  return fabs(cas_law_value(law, 1, step, step / 2));
}

/* Functional i of n; true if it has a difference to draw. */
static bool write_functional(cas_figure *g, const cas_results *r, const cas_table *t, int i,
                             int n) {
  const cas_differences *d = t->object;
  cas_law law = cas_laws_headline(&d->laws);
  bool any;
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, d->name);
  cas_picture_interval_of(g, "order", i, n, law.order, law.low, law.high);
  cas_picture_interval_of(g, "decay", i, n, d->variance_decay.order, d->variance_decay.low,
                          d->variance_decay.high);
  any = cas_drawn_blocks_write(g, r, t, i + 1, differences);
  cas_drawn_blocks_write(g, r, t, i + 1, variances);
  cas_law_draw(g, cas_figure_name(g, "law_%d", i + 1), &d->laws, r->step, difference_law, 0,
               d->unit);
  return any;
}

static cas_status draw_multilevel(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                  cas_error *err) {
  const cas_results *r = &s->results;
  const cas_multilevel *m = cas_results_multilevel(r);
  bool any = false;
  cas_figure_count(g, "functionals", m->functionals);
  cas_figure_count(g, "antithetic", strcmp(m->coupling, "antithetic") == 0);
  cas_figure_real(g, "fine", r->step[m->levels - 1]);
  cas_figure_real(g, "coarse", r->step[0]);
  cas_figure_count(g, "refinement", cas_results_refinement(r));
  const char *units = NULL;
  char squared[100];
  for (int i = 0; i < m->functionals; i++)
    units = cas_picture_unit_join(units, m->functional[i].unit);
  cas_picture_unit_square(units, squared);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, units);
  cas_figure_text(g, "units_squared", CAS_FIGURE_UNITS, squared);
  for (int i = 0; i < m->functionals; i++) {
    const cas_table part = cas_table_part(cas_drawn_table(s, "weak_multilevel", 0), i);
    any |= write_functional(g, r, &part, i, m->functionals);
  }
  return any ? CAS_OK : cas_fail(err, CAS_BAD_INPUT, "%s: no difference is there to draw", s->file);
}

const cas_picture cas_picture_multilevel = {
    .name = "multilevel",
    .summary = "differences of neighbouring levels and their variances against the step size",
    .needs = "the differences of a weak_multilevel study",
    .files = 1,
    .matches = matches_multilevel,
    .draw = draw_multilevel,
};
