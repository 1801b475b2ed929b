/* Errors against step size, with fitted laws: strong ones and weak ones. */
#include "present/pictures/drawn.h"
#include "studies/curve.h"

#include <math.h>

static bool matches_convergence(const cas_source *s) {
  return cas_results_curves(&s->results) > 0 && s->results.levels > 0;
}

static bool has_points(const cas_curve *c) {
  for (int j = 0; j < c->levels; j++)
    if (isfinite(c->error[j]) && c->error[j] != 0)
      return true;
  return false;
}

/* Laws of strong errors are fitted to differences of neighbouring levels, which are drawn too;
   where nothing is random, to the errors themselves. */
static bool has_differences(const cas_curve *c) {
  return c->kind == CAS_STRONG && c->levels > 1 && c->difference_error[0] > 0;
}

static double strong_law(const cas_law *law, double step, double reference CAS_UNUSED) {
  return sqrt(fmax(cas_law_value(law, 2, step, 0), 0));
}

static double error_law(const cas_law *law, double step, double reference) {
  return fabs(cas_law_value(law, 1, step, reference));
}

static const cas_drawn_block points[] = {
    {"points_%d",
     CAS_DRAWN_NOT_ZERO,
     {CAS_DRAWN_ERRORS("error", "error", "standard_error", "resolved")}},
    {0}};
static const cas_drawn_block differences[] = {
    {"differences_%d",
     CAS_DRAWN_NOT_ZERO,
     {CAS_DRAWN_ERRORS("difference", "difference", "difference_standard_error", NULL)}},
    {0}};

/* The label of a curve: the name of its functional, or of the strong measure. */
static const char *name_of(const cas_curve *c) {
  if (c->kind == CAS_WEAK)
    return c->name;
  return cas_strong_measure_of(c)->label;
}

/* Curve i of n that are drawn. */
static void write_curve(cas_figure *g, const cas_results *r, const cas_curve *c, int i, int n) {
  cas_law law = cas_laws_headline(&c->laws);
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, name_of(c));
  cas_picture_interval_of(g, "order", i, n, law.order, law.low, law.high);
  const cas_table *table = cas_drawn_table_of(r, c);
  cas_drawn_blocks_write(g, r, table, i + 1, points);
  if (has_differences(c))
    cas_drawn_blocks_write(g, r, table, i + 1, differences);
  cas_law_draw(g, cas_figure_name(g, "law_%d", i + 1), &c->laws, r->step,
               has_differences(c) ? strong_law : error_law, r->step[r->levels], c->unit);
}

/* ---- panels: all curves of one kind ---- */

typedef struct {
  cas_error_kind kind;
  int first, curves; /* of those that are drawn, which are all in their order */
  bool fitted, differences, unresolved;
  const char *unit;
} panel;

static bool belongs(const panel *p, const cas_curve *c) {
  return c->kind == p->kind && has_points(c);
}

static panel panel_of(const cas_results *r, cas_error_kind kind, int first) {
  panel p = {.kind = kind, .first = first};
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *c = cas_results_curve(r, i);
    if (!belongs(&p, c))
      continue;
    p.curves++;
    p.fitted |= cas_laws_drawn(&c->laws);
    p.differences |= has_differences(c);
    p.unit = cas_picture_unit_join(p.unit, c->unit);
    for (int j = 0; j < c->levels; j++)
      p.unresolved |= c->error[j] != 0 && !c->resolved[j];
  }
  return p;
}

/* Panel i of n. */
static void write_panel(cas_figure *g, const panel *p, int i, int n) {
  cas_figure_text_of(g, "kind", i, n, CAS_FIGURE_AS_IT_IS,
                     p->kind == CAS_STRONG ? "strong" : "weak");
  cas_figure_text_of(g, "units", i, n, CAS_FIGURE_UNITS, p->unit);
  cas_figure_count_of(g, "first", i, n, p->first + 1);
  cas_figure_count_of(g, "last", i, n, p->first + p->curves);
  cas_figure_count_of(g, "unresolved", i, n, p->unresolved);
  cas_figure_count_of(g, "fitted", i, n, p->fitted);
  cas_figure_count_of(g, "differences", i, n, p->differences);
}

static cas_status draw_convergence(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                   cas_error *err) {
  const cas_results *r = &s->results;
  panel all[2] = {panel_of(r, CAS_STRONG, 0)};
  int panels = all[0].curves > 0, curves, drawn = 0;
  all[panels] = panel_of(r, CAS_WEAK, all[0].curves);
  panels += all[panels].curves > 0;
  if (panels == 0)
    return cas_fail(err, CAS_BAD_INPUT, "%s: no level of any curve has an error to draw", s->file);
  curves = all[panels - 1].first + all[panels - 1].curves;
  cas_figure_count(g, "panels", panels);
  cas_figure_real(g, "fine", r->step[r->levels - 1]);
  cas_figure_real(g, "coarse", r->step[0]);
  cas_figure_count(g, "refinement", cas_results_refinement(r));
  for (int p = 0; p < panels; p++) {
    write_panel(g, &all[p], p, panels);
    for (int i = 0; i < cas_results_curves(r); i++)
      if (belongs(&all[p], cas_results_curve(r, i)))
        write_curve(g, r, cas_results_curve(r, i), drawn++, curves);
  }
  return CAS_OK;
}

const cas_picture cas_picture_convergence = {
    .name = "convergence",
    .summary = "strong and weak errors against the step size, with fitted orders",
    .needs = "the error curves of a strong, weak or convergence study",
    .files = 1,
    .matches = matches_convergence,
    .draw = draw_convergence,
};
