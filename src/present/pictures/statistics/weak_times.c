/* Weak errors at several times, and their supremum against the step size. */
#include "studies/laws/weak_times.h"
#include "present/pictures/drawn.h"

static bool matches_weak_times(const cas_source *s) { return cas_drawn_table(s, "weak_times", 0); }

static const cas_drawn_block errors[] = {
    {"error_%d_%d",
     CAS_DRAWN_NOT_ZERO,
     {CAS_DRAWN_COPY("time", "time"),
      {"error", "error", CAS_DRAWN_MAGNITUDE},
      {"two_standard_errors", "standard_error", CAS_DRAWN_TWICE},
      {"resolved", "standard_error", CAS_DRAWN_RESOLVED}}},
    {0}};
static const cas_drawn_block suprema[] = {
    {"supremum_%d",
     CAS_DRAWN_POSITIVE,
     {CAS_DRAWN_INTERVAL("supremum", "low", "high", "supremum")}},
    {0}};

/* Functional i of n. */
static bool write_functional(cas_figure *g, const cas_source *s, int i, int n) {
  const cas_table *table = cas_drawn_table(s, "weak_times", i);
  const cas_weak_times *w = table->object;
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, w->name);
  cas_figure_text_of(g, "units", i, n, CAS_FIGURE_UNITS, w->unit);
  cas_drawn_finest_order(g, i, n, w->levels - 1, w->local_order, w->local_order_low,
                         w->local_order_high);
  const bool any = cas_drawn_blocks_write(g, &s->results, table, i + 1, errors);
  cas_drawn_blocks_write(g, &s->results, table, i + 1, suprema);
  return any;
}

static cas_status draw_weak_times(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                  cas_error *err) {
  const cas_weak_times *first = cas_drawn_table(s, "weak_times", 0)->object;
  const int functionals = cas_drawn_tables(g, s, "weak_times");
  const char *unit = NULL;
  bool any = false;
  cas_figure_count(g, "functionals", functionals);
  cas_figure_count(g, "levels", first->levels);
  cas_figure_real(g, "start", first->time[0]);
  cas_figure_real(g, "end", first->time[first->times - 1]);
  for (int l = 0; l < first->levels; l++)
    cas_figure_real_of(g, "step", l, first->levels, s->results.step[l]);
  for (int i = 0; i < functionals; i++) {
    unit = cas_picture_unit_join(unit, cas_table_unit(cas_drawn_table(s, "weak_times", i)));
    any |= write_functional(g, s, i, functionals);
  }
  cas_figure_text(g, "supremum_units", CAS_FIGURE_UNITS, unit);
  return any ? CAS_OK : cas_figure_nothing(s->file, "weak error that is not 0", err);
}

const cas_picture cas_picture_weak_times = {
    .name = "weak_times",
    .summary = "weak errors at several times, and their supremum against the step size",
    .needs = "the errors of a weak_times study",
    .files = 1,
    .matches = matches_weak_times,
    .draw = draw_weak_times,
};
