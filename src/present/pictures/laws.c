/* What pictures of errors and of laws share. */
#include "present/pictures/picture.h"
#include <math.h>
#include <string.h>

const char *cas_picture_unit_join(const char *found, const char *unit) {
  return !found || strcmp(found, unit) == 0 ? unit : "each_in_its_own_unit";
}

void cas_picture_unit_square(const char *unit, char text[100]) {
  bool product = strcmp(unit, "1") != 0 && strncmp(unit, "each_", 5) != 0;
  snprintf(text, 100, product ? "(%s)^2" : "%s", unit);
}

void cas_picture_interval_of(cas_figure *g, const char *name, int i, int n, double value,
                             double low, double high) {
  char end[80];
  cas_figure_real_of(g, name, i, n, value);
  snprintf(end, sizeof end, "%s_low", name);
  cas_figure_real_of(g, end, i, n, low);
  snprintf(end, sizeof end, "%s_high", name);
  cas_figure_real_of(g, end, i, n, high);
}

bool cas_laws_drawn(const cas_laws *laws) {
  return laws->headline < CAS_LAWS && isfinite(laws->law[laws->headline].order);
}

void cas_law_draw(cas_figure *g, const char *name, const cas_laws *laws, const double *step,
                  cas_law_at at, double reference, const char *unit) {
  enum { POINTS = 65 };
  if (!cas_laws_drawn(laws))
    return;
  cas_law law = laws->law[laws->headline], leading = law;
  double fine = step[laws->points - 1], coarse = step[laws->left_out];
  leading.coefficient[1] = leading.coefficient[2] = NAN;
  CAS_FIGURE_DATA(g, name, {"h", CAS_FIGURE_TIME_UNIT}, {"law", unit}, {"leading_term", unit});
  for (int k = 0; k < POINTS; k++) {
    double h = fine * pow(coarse / fine, k / (POINTS - 1.0));
    CAS_FIGURE_ROW(g, h, at(&law, h, reference), at(&leading, h, reference));
  }
  cas_figure_data_end(g);
}

/* ---- several studies in one picture ---- */

static double horizon(const cas_results *r) {
  return r->step[r->levels] * (double)r->steps[r->levels];
}

static bool differ(double a, double b) { return !(fabs(a - b) <= 1e-12 * fabs(a)); }

/* Whether what the configurations say of the system is the same text, which begins them. */
static bool same_system(const cas_provenance *a, const cas_provenance *b) {
  static const char next[] = "\nintegrator:";
  const char *x = a->configuration, *y = b->configuration, *end = x ? strstr(x, next) : NULL;

  return !end || !y || strncmp(x, y, (size_t)(end - x) + strlen(next)) == 0;
}

static bool same_name(const char *a, const char *b) {
  return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static cas_status compare(const cas_source *a, const cas_source *b, cas_error *err) {
  const cas_results *x = &a->results, *y = &b->results;

  if (strcmp(x->provenance.system, y->provenance.system) != 0)
    return cas_fail(err, CAS_BAD_INPUT, "%s is of the system %s and %s of %s: not to be compared",
                    a->file, x->provenance.system, b->file, y->provenance.system);
  if (!same_system(&x->provenance, &y->provenance))
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s and %s are of other parameters of the system (the attribute configuration "
                    "has them): not to be compared",
                    a->file, b->file);
  if (!same_name(x->provenance.reference_integrator, y->provenance.reference_integrator))
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s and %s have errors against references of different schemes: not to be "
                    "compared",
                    a->file, b->file);
  if (differ(horizon(x), horizon(y)))
    return cas_fail(err, CAS_BAD_INPUT, "%s ends at time %g and %s at %g: not to be compared",
                    a->file, horizon(x), b->file, horizon(y));
  if (differ(x->step[x->levels], y->step[y->levels]))
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s has errors against a reference step of %g and %s of %g: not to be compared",
                    a->file, x->step[x->levels], b->file, y->step[y->levels]);
  return CAS_OK;
}

cas_status cas_sources_compare(const cas_source *s, int n, cas_error *err) {
  for (int i = 1; i < n; i++)
    CAS_CALL(compare(&s[0], &s[i], err));
  return CAS_OK;
}
