/* Errors of several schemes against the step size, and against what a path costs: which scheme is
   worth its work. */
#include "present/pictures/picture.h"
#include "studies/path_cost.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_FILES 8

static bool matches_work(const cas_source *s) {
  return cas_results_curves(&s->results) > 0 && cas_results_path_cost(&s->results);
}

static const cas_curve *curve_named(const cas_results *r, const char *name) {
  for (int i = 0; i < cas_results_curves(r); i++)
    if (strcmp(cas_results_curve(r, i)->name, name) == 0)
      return cas_results_curve(r, i);
  return NULL;
}

/* The first curve of the first file that all have: a strong error, if they have one. */
static cas_status find_curves(const cas_source *s, int n, const cas_curve *of[MOST_FILES],
                              cas_error *err) {
  int found = 0;

  for (int i = 0; i < cas_results_curves(&s[0].results) && found < n; i++)
    for (found = 0; found < n; found++) {
      of[found] = curve_named(&s[found].results, cas_results_curve(&s[0].results, i)->name);
      if (!of[found])
        break;
    }
  return found < n
             ? cas_fail(err, CAS_BAD_INPUT, "%s: has no error that all files have", s[found].file)
             : CAS_OK;
}

/* Steps of less than four times the reference step, up to rounding, are left out: the error of the
   reference is more than a quarter of theirs. */
static const double least_ratio = 3.9;

/* Study i of n; true if it has an error to draw. */
static bool write_study(cas_figure *g, const cas_source *s, const cas_curve *c, int i, int n) {
  const cas_results *r = &s->results;
  const cas_path_cost *cost = cas_results_path_cost(r);
  char name[CAS_SOURCE_NAME], scheme[100];
  bool any = false;

  cas_source_name(s, name);
  /* The scheme, and which of its steps of higher order a run has. */
  const char *text = r->provenance.configuration ? r->provenance.configuration : "";
  snprintf(scheme, sizeof scheme, "%s%s%s",
           r->provenance.integrator ? r->provenance.integrator : "",
           strstr(text, "\n  weak_order: 2") ? ", weak order 2" : "",
           strstr(text, "\n  areas: ") ? ", areas" : "");
  cas_figure_text_of(g, "integrator", i, n, CAS_FIGURE_WORDS, scheme);
  cas_figure_text_of(g, "file", i, n, CAS_FIGURE_AS_IT_IS, name);
  CAS_FIGURE_DATA(g, cas_figure_name(g, "study_%d", i + 1), {"h", CAS_FIGURE_TIME_UNIT},
                  {"error", c->unit}, {"two_standard_errors", c->unit}, {"resolved", NULL},
                  {"evaluations", "1"}, {"seconds", "s"}, {"seconds_low", "s"},
                  {"seconds_high", "s"});
  for (int j = 0; j < c->levels; j++) {
    double error = fabs(c->error[j]);

    if (!(error > 0 && isfinite(error)) || r->step[j] < least_ratio * r->step[c->levels])
      continue;
    CAS_FIGURE_ROW(g, r->step[j], error, 2 * c->standard_error[j], c->resolved[j],
                   cost->evaluations[j], cost->seconds[j], cost->seconds_low[j],
                   cost->seconds_high[j]);
    any = true;
  }
  cas_figure_data_end(g);
  return any;
}

static cas_status draw_work(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_curve *of[MOST_FILES];
  bool any = false;

  CAS_CALL(find_curves(s, n, of, err));
  CAS_CALL(cas_sources_compare(s, n, err));
  cas_figure_count(g, "studies", n);
  cas_figure_text(g, "kind", CAS_FIGURE_AS_IT_IS, of[0]->kind == CAS_STRONG ? "strong" : "weak");
  cas_figure_text(g, "name", CAS_FIGURE_AS_IT_IS, of[0]->name);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, of[0]->unit);
  for (int i = 0; i < n; i++)
    any |= write_study(g, &s[i], of[i], i, n);
  return any ? CAS_OK : cas_figure_nothing(s->file, "error", err);
}

const cas_picture cas_picture_work = {
    .name = "work",
    .summary = "errors of several schemes against step size, evaluations and seconds of a path",
    .needs = "the error curves and costs of a study with path_cost: true",
    .labels = true,
    .files = MOST_FILES,
    .matches = matches_work,
    .draw = draw_work,
};
