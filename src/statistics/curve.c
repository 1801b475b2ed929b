/* Error curves: their memory, and how a step size is written. */
#include "base/text.h"
#include "statistics/columns.h"

#include <casimir/statistics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ESTIMATE(member, longer, meaning, unit)                                             \
  CAS_FIELD_ESTIMATE(cas_curve, #member, member, #member "_standard_error", member##_error, \
                     longer, meaning, unit)

const cas_field cas_curve_columns[] = {
    CAS_FIELD_MEAN(cas_curve, "mean", mean, "mean_standard_error", mean_standard_error, mean, 1,
                   "mean of the functional, reference last", 0),
    CAS_FIELD_COLUMN(cas_curve, REAL, "bias", bias, 1,
                     "mean less exact_mean, reference last; its error is that of the mean", NULL,
                     .optional = true, .error = "mean_standard_error"),
    CAS_FIELD_ESTIMATE(cas_curve, "error", error, "standard_error", standard_error, 0, "%s", NULL),
    CAS_FIELD_COLUMN(cas_curve, INT, "resolved", resolved, 0,
                     "1 where the error is none of sampling, by Holm's test of all levels and "
                     "functionals at 4.55%, and none of rounding",
                     "1"),
    ESTIMATE(local_order, -1, "order between neighbouring levels", "1"),
    ESTIMATE(difference, -1, "difference of neighbouring levels", NULL),
    ESTIMATE(difference_order, -2, "order between neighbouring differences", "1"),
    ESTIMATE(next_order, -3, "difference_order with the next term of the law removed", "1"),
    {0}};

cas_status cas_curve_init(cas_curve *c, cas_error_kind kind, const char *name, int levels,
                          cas_error *err) {
  memset(c, 0, sizeof *c);
  CAS_FAIL_IF(levels < 1, CAS_INTERNAL, "an error curve of %d levels", levels);
  c->kind = kind;
  c->levels = levels;
  c->expected_order = NAN;
  c->raw = (cas_fit){NAN, NAN, NAN, NAN};
  c->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
  cas_laws_clear(&c->laws);
  snprintf(c->name, sizeof c->name, "%s", name);
  snprintf(c->unit, sizeof c->unit, "1");
  if (cas_field_columns_create(cas_curve_columns + (kind == CAS_WEAK ? 0 : CAS_COLUMNS_OF_MEANS),
                               levels, NAN, c))
    return CAS_OK;
  cas_curve_free(c);
  return cas_no_memory(err);
}

void cas_curve_free(cas_curve *c) {
  if (!c)
    return;
  cas_field_columns_free(cas_curve_columns, c);
  memset(c, 0, sizeof *c);
}

void cas_step_format(double step, char *text, size_t size) {
  CAS_LOCALE_OF_C;
  int exponent = 0;
  if (isfinite(step) && frexp(step, &exponent) == 0.5)
    snprintf(text, size, "2^%d", exponent - 1);
  else
    snprintf(text, size, "%.6g", step);
}
