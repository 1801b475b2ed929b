/* Errors by several studies: weak ones of a functional, and how far they are apart; or strong
   ones. */
#include "present/pictures/drawn.h"
#include <math.h>
#include <string.h>

#define MOST_FILES 5

static bool matches_comparison(const cas_source *s) { return cas_results_curves(&s->results) > 0; }

/* ---- what is compared ---- */

typedef struct {
  const cas_source *source;
  const cas_curve *curve;
} study;

static const cas_curve *curve_like(const cas_results *r, const cas_curve *c) {
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *own = cas_results_curve(r, i);
    if (own->kind == c->kind && strcmp(own->name, c->name) == 0)
      return own;
  }
  return NULL;
}

/* Whether all studies have the curve of this kind and name that the first one has. */
static bool have_curve(const cas_source *s, int n, const cas_curve *c, study *of) {
  for (int i = 0; i < n; i++) {
    of[i] = (study){&s[i], curve_like(&s[i].results, c)};
    if (!of[i].curve)
      return false;
  }
  return true;
}

/* The first curve of the first study that all have: a weak error, or else a strong one. */
static cas_status find_curves(const cas_source *s, int n, study *of, cas_error *err) {
  static const cas_error_kind kinds[] = {CAS_WEAK, CAS_STRONG};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < cas_results_curves(&s[0].results); i++) {
      const cas_curve *c = cas_results_curve(&s[0].results, i);
      if (c->kind == kinds[k] && have_curve(s, n, c, of))
        return CAS_OK;
    }
  return cas_fail(err, CAS_BAD_INPUT, "%s: has no error that all files have", s[0].file);
}

static int level_of(const cas_results *r, double step) {
  for (int j = 0; j < r->levels; j++)
    if (fabs(r->step[j] - step) <= 1e-12 * step)
      return j;
  return -1;
}

/* Difference from the first study at level j of this one, in joint standard errors; NaN if the
   first has no such step. */
static double distance(const study *first, const study *b, int j) {
  int k = level_of(&first->source->results, b->source->results.step[j]);
  if (k < 0)
    return NAN;
  return (b->curve->error[j] - first->curve->error[k]) /
         hypot(b->curve->standard_error[j], first->curve->standard_error[k]);
}

/* ---- data ---- */

static int64_t longest_name(const cas_source *s, int n) {
  char name[CAS_SOURCE_NAME];
  size_t longest = 0;
  for (int i = 0; i < n; i++) {
    cas_source_name(&s[i], name);
    longest = strlen(name) > longest ? strlen(name) : longest;
  }
  return (int64_t)longest;
}

static const cas_drawn_block points[] = {
    {"study_%d",
     CAS_DRAWN_NOT_ZERO,
     {CAS_DRAWN_ERRORS("error", "error", "standard_error", "resolved")}},
    {0}};

/* Study i of n; true if it has an error to draw. */
static bool write_study(cas_figure *g, const study *of, int i, int n) {
  const cas_curve *c = of[i].curve;
  const cas_results *r = &of[i].source->results;
  char name[CAS_SOURCE_NAME];
  bool any;
  cas_source_name(of[i].source, name);
  cas_figure_text_of(g, "file", i, n, CAS_FIGURE_AS_IT_IS, name);
  cas_figure_text_of(g, "kind", i, n, CAS_FIGURE_AS_IT_IS, r->provenance.study);
  cas_figure_text_of(g, "integrator", i, n, CAS_FIGURE_WORDS, r->provenance.integrator);
  cas_figure_count_of(g, "paths", i, n, r->provenance.paths);
  any = cas_drawn_blocks_write(g, r, cas_drawn_table_of(r, c), i + 1, points);
  if (c->kind == CAS_STRONG) /* whose errors differ by scheme, beyond what sampling explains */
    return any;
  CAS_FIGURE_DATA(g, cas_figure_name(g, "distances_%d", i + 1), {"h", CAS_FIGURE_TIME_UNIT},
                  {"distance", "1"});
  for (int j = 0; j < c->levels; j++)
    CAS_FIGURE_ROW(g, r->step[j], distance(&of[0], &of[i], j));
  cas_figure_data_end(g);
  return any;
}

static void remark(cas_figure *g, const study *of, int i) {
  const cas_curve *c = of[i].curve;
  double far = -1, at = 0;
  char step[32];
  for (int j = 0; j < c->levels; j++)
    if (fabs(distance(&of[0], &of[i], j)) > far) {
      far = fabs(distance(&of[0], &of[i], j));
      at = of[i].source->results.step[j];
    }
  if (far < 0) {
    cas_figure_remark(g, "%s and %s have no step in common", of[0].source->file,
                      of[i].source->file);
    return;
  }
  cas_step_format(at, step, sizeof step);
  cas_figure_remark(g, "%s: %s and %s are at most %.2f joint standard errors apart, at h = %s",
                    c->name, of[0].source->file, of[i].source->file, far, step);
}

static cas_status draw_comparison(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  study of[MOST_FILES] = {0};
  cas_status st = find_curves(s, n, of, err);
  bool any = false;
  if (!st)
    st = cas_sources_compare(s, n, err);
  if (st)
    return st;
  cas_figure_count(g, "studies", n);
  cas_figure_text(g, "errors", CAS_FIGURE_AS_IT_IS,
                  of[0].curve->kind == CAS_STRONG ? "strong" : "weak");
  cas_figure_count(g, "longest", longest_name(s, n));
  cas_figure_text(g, "name", CAS_FIGURE_AS_IT_IS, of[0].curve->name);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, of[0].curve->unit);
  for (int i = 0; i < n; i++)
    any |= write_study(g, of, i, n);
  if (!any)
    return cas_fail(err, CAS_BAD_INPUT, "%s: no error is there to draw", s->file);
  for (int i = 1; i < n && of[0].curve->kind == CAS_WEAK; i++)
    remark(g, of, i);
  return CAS_OK;
}

const cas_picture cas_picture_comparison = {
    .name = "comparison",
    .summary = "weak errors of one functional by two to five studies, and their distances; or "
               "strong errors",
    .needs = "the errors of a study with levels",
    .least = 2,
    .labels = true,
    .files = MOST_FILES,
    .matches = matches_comparison,
    .draw = draw_comparison,
};
