/* The four panels that multilevel Monte Carlo is usually shown by: variances and means by level,
   paths by level and epsilon, work by epsilon. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 8 };

static bool matches_mlmc(const cas_source *s) {
  return cas_results_mlmc(&s->results) && cas_results_mlmc(&s->results)->functionals > 0;
}

/* The largest epsilon is first. */
static int by_epsilon(const void *a, const void *b) {
  const cas_mlmc *const *x = a, *const *y = b;
  double e = (*x)->epsilon, f = (*y)->epsilon;
  return (e < f) - (e > f);
}

static double plain_work(const cas_mlmc *m) {
  return isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work;
}

/* ---- data ---- */

static void write_levels(cas_figure *g, const cas_mlmc *m) {
  const cas_mlmc_functional *f = &m->functional[0];
  char squared[100];
  cas_picture_unit_square(f->unit, squared);
  CAS_FIGURE_DATA(g, "levels", {"level", "1"}, {"variance_of_P", squared},
                  {"variance_of_difference", squared}, {"variance_with_one_fine_path", squared},
                  {"mean_of_P", f->unit}, {"mean_of_difference", f->unit},
                  {"two_standard_errors", f->unit});
  for (int l = 0; l < m->levels; l++)
    CAS_FIGURE_ROW(g, l, f->level_variance[l], l ? f->variance[l] : NAN,
                   l ? f->pair_variance[l] : NAN, fabs(f->level_mean[l]),
                   l ? fabs(f->mean[l]) : NAN, 2 * f->standard_error[l]);
  cas_figure_data_end(g);
}

static void write_paths(cas_figure *g, const cas_mlmc *m, int i, int n) {
  cas_figure_real_of(g, "epsilon", i, n, m->epsilon);
  cas_figure_count_of(g, "reached", i, n, m->reached != 0);
  CAS_FIGURE_DATA(g, cas_figure_name(g, "paths_%d", i + 1), {"level", "1"}, {"paths", "1"});
  for (int l = 0; l < m->levels; l++)
    CAS_FIGURE_ROW(g, l, (double)m->paths[l]);
  cas_figure_data_end(g);
}

/* Writes the first functional, as the run for the smallest epsilon found it. */
static void write_functional(cas_figure *g, const cas_mlmc *m) {
  const cas_mlmc_functional *f = &m->functional[0];
  cas_law law = cas_laws_headline(&f->laws);
  char squared[100];
  cas_picture_unit_square(f->unit, squared);
  cas_figure_text(g, "name", CAS_FIGURE_AS_IT_IS, f->name);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, f->unit);
  cas_figure_text(g, "units_squared", CAS_FIGURE_UNITS, squared);
  cas_figure_count(g, "antithetic", strcmp(m->coupling, "antithetic") == 0);
  cas_figure_real(g, "bias", sqrt(m->theta) * m->epsilon);
  cas_picture_interval_of(g, "decay", 0, 1, f->variance_decay.order, f->variance_decay.low,
                          f->variance_decay.high);
  cas_picture_interval_of(g, "order", 0, 1, law.order, law.low, law.high);
  write_levels(g, m);
}

/* ---- the figure ---- */

static bool has_means(const cas_mlmc *m) {
  for (int l = 0; l < m->levels; l++)
    if (isfinite(m->functional[0].level_mean[l]))
      return true;
  return false;
}

static cas_status check(const cas_source *s, int n, cas_error *err) {
  const char *name = cas_results_mlmc(&s[0].results)->functional[0].name;
  for (int i = 0; i < n; i++) {
    if (!has_means(cas_results_mlmc(&s[i].results)))
      return cas_figure_nothing(s[i].file, "mean of any level", err);
    if (strcmp(name, cas_results_mlmc(&s[i].results)->functional[0].name) != 0)
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s: its paths were chosen for %s, those of %s for %s; give files of one "
                      "functional and several epsilon",
                      s[i].file, cas_results_mlmc(&s[i].results)->functional[0].name, s[0].file,
                      name);
  }
  return CAS_OK;
}

static cas_status draw_mlmc(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_mlmc *m[MOST_FILES];
  cas_status st = check(s, n, err);
  int levels = 0;
  if (st)
    return st;
  for (int i = 0; i < n; i++) {
    m[i] = cas_results_mlmc(&s[i].results);
    levels = m[i]->levels > levels ? m[i]->levels : levels;
  }
  qsort(m, (size_t)n, sizeof *m, by_epsilon);
  cas_figure_count(g, "files", n);
  cas_figure_count(g, "levels", m[n - 1]->levels);
  cas_figure_count(g, "most_levels", levels);
  write_functional(g, m[n - 1]);
  for (int i = 0; i < n; i++)
    write_paths(g, m[i], i, n);
  const char *unit = m[0]->functional[0].unit;
  bool measured = false;
  char squared[100];
  cas_picture_unit_square(unit, squared);
  CAS_FIGURE_DATA(g, "work", {"epsilon", unit}, {"multilevel", squared}, {"plain", squared},
                  {"plain_is_measured", "1"});
  for (int i = 0; i < n; i++) {
    double e = m[i]->epsilon;
    measured |= isfinite(m[i]->plain_work_measured);
    CAS_FIGURE_ROW(g, e, e * e * m[i]->total_work, e * e * plain_work(m[i]),
                   isfinite(m[i]->plain_work_measured));
  }
  cas_figure_data_end(g);
  cas_figure_count(g, "measured", measured);
  return CAS_OK;
}

const cas_picture cas_picture_mlmc = {
    .name = "mlmc",
    .summary = "variances, means and paths by level and work by epsilon, of one or several epsilon",
    .needs = "the levels of an mlmc study",
    .files = MOST_FILES,
    .matches = matches_mlmc,
    .draw = draw_mlmc,
};
