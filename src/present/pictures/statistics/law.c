/* Distances of laws between step sizes, and from the law of states that are uniform on the
   orbit. */
#include "present/pictures/statistics/statistics.h"
#include "studies/laws/distribution.h"
#include <math.h>

static bool matches_law(const cas_source *s) { return cas_statistics_subject(s, "law", 0); }

static bool has_uniform(const cas_distribution_table *t) { return !isnan(t->uniform_smirnov[0]); }

/* Distances of n steps; true if any is there to draw. A logarithmic axis has no place for 0. */
static bool write_distances(cas_figure *g, const char *name, const cas_figure_column *of, int n,
                            const double *step, const double *value, const double *low,
                            const double *high, const double *p_value) {
  bool any = false;
  CAS_FIGURE_DATA(g, name, {"h", CAS_FIGURE_TIME_UNIT}, {of->name, of->units}, {"low", of->units},
                  {"high", of->units}, {"p_value", "1"});
  for (int l = 0; l < n; l++)
    if (value[l] > 0 && isfinite(value[l])) {
      CAS_FIGURE_ROW(g, step[l], value[l], low[l], high[l], p_value[l]);
      any = true;
    }
  cas_figure_data_end(g);
  return any;
}

static bool write_from_reference(cas_figure *g, const cas_results *r,
                                 const cas_distribution_table *t, int i) {
  const cas_figure_column smirnov = {"smirnov", "1"}, wasserstein = {"wasserstein", t->unit};
  bool any = write_distances(g, cas_figure_name(g, "distance_1_%d", i + 1), &smirnov, t->levels,
                             r->step, t->smirnov, t->smirnov_low, t->smirnov_high, t->p_value);
  return write_distances(g, cas_figure_name(g, "distance_2_%d", i + 1), &wasserstein, t->levels,
                         r->step, t->wasserstein, t->wasserstein_low, t->wasserstein_high,
                         t->p_value) ||
         any;
}

static bool write_from_uniform(cas_figure *g, const cas_results *r, const cas_distribution_table *t,
                               int i) {
  const cas_figure_column smirnov = {"uniform_smirnov", "1"},
                          wasserstein = {"uniform_wasserstein", t->unit};
  int n = t->levels + 1;
  bool any = write_distances(g, cas_figure_name(g, "distance_3_%d", i + 1), &smirnov, n, r->step,
                             t->uniform_smirnov, t->uniform_smirnov_low, t->uniform_smirnov_high,
                             t->uniform_p_value);
  return write_distances(g, cas_figure_name(g, "distance_4_%d", i + 1), &wasserstein, n, r->step,
                         t->uniform_wasserstein, t->uniform_wasserstein_low,
                         t->uniform_wasserstein_high, t->uniform_p_value) ||
         any;
}

/* Functional i of n. */
static bool write_functional(cas_figure *g, const cas_results *r, const cas_distribution_table *t,
                             int i, int n, bool uniform) {
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, t->name);
  cas_statistics_finest_order(g, i, n, t->levels - 1, t->local_order, t->local_order_low,
                              t->local_order_high);
  bool any = write_from_reference(g, r, t, i);
  return (uniform && write_from_uniform(g, r, t, i)) || any;
}

static cas_status draw_law(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_distribution_table *first = cas_statistics_subject(s, "law", 0);
  const char *unit = NULL;
  bool any = false, uniform = has_uniform(first);
  int functionals = cas_statistics_subjects(g, s, "law");
  (void)n;
  cas_figure_count(g, "functionals", functionals);
  cas_figure_count(g, "panels", uniform ? 4 : 2);
  cas_figure_real(g, "fine", s->results.step[first->levels - 1]);
  cas_figure_real(g, "coarse", s->results.step[0]);
  cas_figure_real(g, "reference", s->results.step[first->levels]);
  for (int i = 0; i < functionals; i++) {
    const cas_distribution_table *t = cas_statistics_subject(s, "law", i);
    unit = cas_picture_unit_join(unit, t->unit);
    any |= write_functional(g, &s->results, t, i, functionals, uniform);
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
