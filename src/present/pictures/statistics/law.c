/* Distances of laws between step sizes, and from the law of states that are uniform on the
   orbit. */
#include "present/pictures/drawn.h"
#include "studies/laws/distribution.h"
#include <math.h>

static bool matches_law(const cas_source *s) { return cas_drawn_table(s, "law", 0); }

#define DISTANCES(panel, column, p_value)                                                   \
  {                                                                                         \
    "distance_" #panel "_%d", CAS_DRAWN_POSITIVE, {                                         \
      CAS_DRAWN_INTERVAL(column, "low", "high", column), CAS_DRAWN_COPY("p_value", p_value) \
    }                                                                                       \
  }
static const cas_drawn_block from_reference[] = {
    DISTANCES(1, "smirnov", "p_value"), DISTANCES(2, "wasserstein", "p_value"), {0}};
static const cas_drawn_block from_uniform[] = {
    DISTANCES(3, "uniform_smirnov", "uniform_p_value"),
    DISTANCES(4, "uniform_wasserstein", "uniform_p_value"),
    {0}};

static cas_status draw_law(cas_figure *g, const cas_source *s, int n CAS_UNUSED, cas_error *err) {
  const cas_distribution_table *first = cas_drawn_table(s, "law", 0)->object;
  const int functionals = cas_drawn_tables(g, s, "law");
  const bool uniform = !isnan(first->uniform_smirnov[0]);
  const char *unit = NULL;
  bool any = false;
  cas_figure_count(g, "functionals", functionals);
  cas_figure_count(g, "panels", uniform ? 4 : 2);
  cas_figure_real(g, "fine", s->results.step[first->levels - 1]);
  cas_figure_real(g, "coarse", s->results.step[0]);
  cas_figure_real(g, "reference", s->results.step[first->levels]);
  for (int i = 0; i < functionals; i++) {
    const cas_table *table = cas_drawn_table(s, "law", i);
    const cas_distribution_table *t = table->object;
    unit = cas_picture_unit_join(unit, t->unit);
    cas_figure_text_of(g, "name", i, functionals, CAS_FIGURE_AS_IT_IS, t->name);
    cas_drawn_finest_order(g, i, functionals, t->levels - 1, t->local_order, t->local_order_low,
                           t->local_order_high);
    any |= cas_drawn_blocks_write(g, &s->results, table, i + 1, from_reference);
    any |= uniform && cas_drawn_blocks_write(g, &s->results, table, i + 1, from_uniform);
  }
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, unit);
  return any ? CAS_OK : cas_figure_nothing(s->file, "distance of laws that is above 0", err);
}

const cas_picture cas_picture_law = {
    .name = "law",
    .summary = "distances of laws (Kolmogorov and Smirnov, Wasserstein) against the step size",
    .needs = "the distances of a law study",
    .files = 1,
    .matches = matches_law,
    .draw = draw_law,
};
