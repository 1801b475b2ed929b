/* Error curves as tables: what files and the report call them. */
#include "studies/curve.h"

#include <math.h>

#define ESTIMATE(member, longer, meaning, unit) \
  CAS_FIELD_ESTIMATE(cas_curve, #member, member, #member "_standard_error", longer, meaning, unit)

enum { OF_MEANS = 5 }; /* columns of weak curves alone, which come first */

static const cas_field columns[] = {
    CAS_FIELD_MEAN(cas_curve, "mean", mean, "mean_standard_error", mean, 1,
                   "mean of the functional, reference last", 0),
    CAS_FIELD_COLUMN(cas_curve, REAL, "bias", bias, 1,
                     "mean less exact_mean, reference last; its error is that of the mean", NULL,
                     .optional = true, .error = "mean_standard_error"),
    CAS_FIELD_ESTIMATE(cas_curve, "error", error, "standard_error", 0, "%s", NULL),
    CAS_FIELD_COLUMN(cas_curve, INT, "resolved", resolved, 0,
                     "1 where the error is none of sampling, by Holm's test of all levels and "
                     "functionals at 4.55%, and none of rounding",
                     "1"),
    ESTIMATE(
        local_order, -1,
        "order between neighbouring levels; of strong errors biased by the error of the reference",
        "1"),
    ESTIMATE(difference, -1, "difference of neighbouring levels", NULL),
    ESTIMATE(difference_order, -2, "order between neighbouring differences", "1"),
    ESTIMATE(next_order, -3, "difference_order with the next term of the law removed", "1"),
    {0}};

#define VALUES                                                                                 \
  CAS_TABLE_ORDER(cas_curve),                                                                  \
      CAS_TABLE_FIT(cas_curve, "order_raw", raw, "exponent of a power law through the errors", \
                    "constant_raw"),                                                           \
      CAS_TABLE_EXPECTED(cas_curve)

static const cas_field strong_values[] = {VALUES, {0}},
                       weak_values[] = {
                           VALUES,
                           CAS_TABLE_EXTRAPOLATION(cas_curve, extrapolated),
                           CAS_TABLE_VALUE(cas_curve, INT, "averaged", averaged,
                                           "of averages over time, 1: the error is against the "
                                           "reference, 2: against exact_mean; else 0",
                                           "1"),
                           CAS_TABLE_VALUE(cas_curve, REAL, "average_from", average_from,
                                           "time from which on averages are taken", "time_unit"),
                           CAS_TABLE_VALUE(cas_curve, REAL, "exact_mean", exact_mean,
                                           "exact mean, as configured", NULL),
                           {0}};

static void get_strong(cas_h5 *h CAS_UNUSED, hid_t group CAS_UNUSED, cas_table *t) {
  cas_curve *c = t->object;
  c->kind = CAS_STRONG;
  c->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
}

const cas_strong_measure cas_strong_measures[CAS_STRONG_MEASURES] = {
    {.name = "error", .long_name = "root-mean-square error at the horizon, against the reference"},
    {.name = "error_sup",
     .long_name =
         "root-mean-square of the largest error over the coarsest grid, against the reference"},
    {.name = "error_increments",
     .long_name = "square root of the mean sum of squared increments of the error over the "
                  "coarsest steps, against the reference",
     .summed = true},
    {.name = "error_attitude",
     .long_name = "root-mean-square error of the attitude at the horizon, in the Frobenius norm, "
                  "against the reference",
     .of_part = true},
    {.name = "error_attitude_sup",
     .long_name = "root-mean-square of the largest error of the attitude over the coarsest grid, "
                  "in the Frobenius norm, against the reference",
     .of_part = true}};

const cas_strong_measure *cas_strong_measure_of(const cas_curve *c) {
  for (int i = 0; i < CAS_STRONG_MEASURES; i++)
    if (strcmp(cas_strong_measures[i].name, c->name) == 0)
      return &cas_strong_measures[i];
  return &cas_strong_measures[0];
}

static const char *strong_error(const void *curve) {
  return cas_strong_measure_of(curve)->long_name;
}

static const char *weak_error(const void *curve CAS_UNUSED) {
  return "E phi(X_h) - E phi(X_ref) by coupled paths";
}

/* Without noise, and of weak errors, laws are of the errors themselves; those of a multilevel study
   are of its differences, which have a table of their own. */
static const char *fitted(const cas_results *r, const cas_table *t) {
  const cas_curve *c = t->object;
  if (c->kind == CAS_WEAK && cas_results_multilevel(r))
    return NULL;
  return c->kind == CAS_STRONG && c->error.standard_error[0] != 0
             ? "squared differences of neighbouring levels"
             : "errors";
}

/* What tables of strong and of weak errors have alike. */
#define CURVE                                                                                      \
  .size = sizeof(cas_curve), .name = offsetof(cas_curve, name), .unit = offsetof(cas_curve, unit), \
  .levels = offsetof(cas_curve, levels), .laws = offsetof(cas_curve, laws),                        \
  .findings = offsetof(cas_curve, findings)

const cas_table_kind cas_table_strong = {
    .group = "strong",
    .place = CAS_TABLE_SHARED,
    CURVE,
    .columns = columns + OF_MEANS,
    .values = strong_values,
    .subject = strong_error,
    .get = get_strong,
    .fitted = fitted,
};

const cas_table_kind cas_table_weak = {
    .group = "weak",
    .place = CAS_TABLE_EACH,
    CURVE,
    .columns = columns,
    .values = weak_values,
    .subject = weak_error,
    .fitted = fitted,
};
