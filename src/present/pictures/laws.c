/* What pictures of errors and of laws share. */
#include "present/pictures/picture.h"
#include <math.h>
#include <string.h>

void cas_range_include(cas_range *r, double value) {
  if (!(value > 0) || !isfinite(value))
    return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

const char *cas_unit_join(const char *found, const char *unit) {
  return !found || strcmp(found, unit) == 0 ? unit : "each_in_its_own_unit";
}

void cas_unit_square(const char *unit, char text[100]) {
  bool product = strcmp(unit, "1") != 0 && strncmp(unit, "each_", 5) != 0;

  snprintf(text, 100, product ? "(%s)^2" : "%s", unit);
}

void cas_order_of(cas_figure *g, int i, int n, double order, double low, double high) {
  cas_real_of(g, "order", i, n, order);
  cas_real_of(g, "order_low", i, n, low);
  cas_real_of(g, "order_high", i, n, high);
}

void cas_law_block(cas_figure *g, const char *name, const cas_laws *laws, const double *step,
                   cas_law_at at, double reference, const char *unit) {
  enum { POINTS = 65 };
  cas_law law = laws->law[laws->headline], leading = law;
  double fine = step[laws->points - 1], coarse = step[laws->left_out];

  leading.coefficient[1] = NAN;
  CAS_BLOCK(g, name, {"h", CAS_TIME_UNIT}, {"law", unit}, {"leading_term", unit});
  for (int k = 0; k < POINTS; k++) {
    double h = fine * pow(coarse / fine, k / (POINTS - 1.0));

    CAS_ROW(g, h, at(&law, h, reference), at(&leading, h, reference));
  }
  cas_block_end(g);
}

void cas_slope_row(cas_figure *g, double slope, double fine, double coarse, double y, double low) {
  double end = fmax(fine, coarse * pow(low / y, 1 / slope));

  if (isfinite(y) && end < coarse)
    CAS_ROW(g, end, y * pow(end / coarse, slope), coarse, y, slope);
}
