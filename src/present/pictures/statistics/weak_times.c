/* Weak errors at several times, and their supremum against the step size. */
#include "studies/laws/weak_times.h"
#include "present/pictures/statistics/statistics.h"
#include <math.h>

static bool matches_weak_times(const cas_source *s) {
  return cas_statistics_subject(s, "weak_times", 0);
}

/* Errors of level l over time; hollow within two standard errors of 0. */
static bool write_level(cas_figure *g, const cas_weak_times *w, int i, int l) {
  const double *error = w->error + l * w->times, *deviation = w->standard_error + l * w->times;
  bool any = false;
  CAS_FIGURE_DATA(g, cas_figure_name(g, "error_%d_%d", i + 1, l + 1),
                  {"time", CAS_FIGURE_TIME_UNIT}, {"error", w->unit},
                  {"two_standard_errors", w->unit}, {"resolved", "1"});
  for (int k = 0; k < w->times; k++)
    if (isfinite(error[k]) && error[k] != 0) {
      CAS_FIGURE_ROW(g, w->time[k], fabs(error[k]), 2 * deviation[k],
                     fabs(error[k]) > 2 * deviation[k]);
      any = true;
    }
  cas_figure_data_end(g);
  return any;
}

static void write_suprema(cas_figure *g, const cas_results *r, const cas_weak_times *w, int i) {
  CAS_FIGURE_DATA(g, cas_figure_name(g, "supremum_%d", i + 1), {"h", CAS_FIGURE_TIME_UNIT},
                  {"supremum", w->unit}, {"low", w->unit}, {"high", w->unit});
  for (int l = 0; l < w->levels; l++)
    if (w->supremum[l] > 0 && isfinite(w->supremum[l]))
      CAS_FIGURE_ROW(g, r->step[l], w->supremum[l], w->supremum_low[l], w->supremum_high[l]);
  cas_figure_data_end(g);
}

/* Functional i of n. */
static bool write_functional(cas_figure *g, const cas_results *r, const cas_weak_times *w, int i,
                             int n) {
  bool any = false;
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, w->name);
  cas_figure_text_of(g, "units", i, n, CAS_FIGURE_UNITS, w->unit);
  cas_statistics_finest_order(g, i, n, w->levels - 1, w->local_order, w->local_order_low,
                              w->local_order_high);
  for (int l = 0; l < w->levels; l++)
    any |= write_level(g, w, i, l);
  write_suprema(g, r, w, i);
  return any;
}

static cas_status draw_weak_times(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_weak_times *first = cas_statistics_subject(s, "weak_times", 0);
  const char *unit = NULL;
  bool any = false;
  int functionals = cas_statistics_subjects(g, s, "weak_times");
  (void)n;
  cas_figure_count(g, "functionals", functionals);
  cas_figure_count(g, "levels", first->levels);
  cas_figure_real(g, "start", first->time[0]);
  cas_figure_real(g, "end", first->time[first->times - 1]);
  for (int l = 0; l < first->levels; l++)
    cas_figure_real_of(g, "step", l, first->levels, s->results.step[l]);
  for (int i = 0; i < functionals; i++) {
    const cas_weak_times *w = cas_statistics_subject(s, "weak_times", i);
    unit = cas_picture_unit_join(unit, w->unit);
    any |= write_functional(g, &s->results, w, i, functionals);
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
