/* Error curves as tables: what files and the report call them. */
#include "files/results/table.h"
#include "statistics/columns.h"
#include "studies/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VALUES                                                                                 \
  CAS_TABLE_ORDER(cas_curve),                                                                  \
      CAS_TABLE_FIT(cas_curve, "order_raw", raw, "exponent of a power law through the errors", \
                    "constant_raw"),                                                           \
      CAS_TABLE_VERDICT(cas_curve)

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
                                           "mean by the invariant law, as configured", NULL),
                           {0}};

/* ---- files ---- */

static void get_strong(cas_h5 *h CAS_UNUSED, hid_t group CAS_UNUSED, cas_table *t) {
  cas_curve *c = t->object;
  c->kind = CAS_STRONG;
  c->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
}

static void get_weak(cas_h5 *h CAS_UNUSED, hid_t group CAS_UNUSED, cas_table *t) {
  ((cas_curve *)t->object)->kind = CAS_WEAK;
}

const cas_strong_measure cas_strong_measures[CAS_STRONG_MEASURES] = {
    {.name = "error",
     .long_name = "root-mean-square error at the horizon, against the reference",
     .title = "Strong error at the horizon",
     .label = "at the horizon",
     .before = "(E |",
     .after = "|^2)^1/2"},
    {.name = "error_sup",
     .long_name =
         "root-mean-square of the largest error over the coarsest grid, against the reference",
     .title = "Strong error, supremum over the coarsest grid",
     .label = "supremum",
     .before = "(E sup |",
     .after = "|^2)^1/2"},
    {.name = "error_increments",
     .long_name = "square root of the mean sum of squared increments of the error over the "
                  "coarsest steps, against the reference",
     .title = "Strong order by increments over coarsest steps",
     .label = "increments",
     .before = "(E sum |increment|^2)^1/2 of ",
     .after = "",
     .summed = true},
    {.name = "error_attitude",
     .long_name = "root-mean-square error of the attitude at the horizon, in the Frobenius norm, "
                  "against the reference",
     .title = "Strong error of the attitude at the horizon, Frobenius norm",
     .label = "attitude, at the horizon",
     .before = "(E |",
     .after = "|^2)^1/2",
     .of_part = true},
    {.name = "error_attitude_sup",
     .long_name = "root-mean-square of the largest error of the attitude over the coarsest grid, "
                  "in the Frobenius norm, against the reference",
     .title = "Strong error of the attitude, supremum over the coarsest grid, Frobenius norm",
     .label = "attitude, supremum",
     .before = "(E sup |",
     .after = "|^2)^1/2",
     .of_part = true},
};

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

/* ---- for people ---- */

/* Orders between strong errors are left to their differences: what the error of the reference adds
   depends on its correlation with theirs. */
#define SHOWN(heading, width, format, column) \
  { heading, width, format, column, NULL }
#define ERRORS                                                          \
  SHOWN("step", 10, NULL, "step"), SHOWN("error", 12, "%.3e", "error"), \
      SHOWN("+-", 9, "%.1e", "standard_error")
#define ORDERS                                                                                    \
  SHOWN("order", 9, "%.3f", "local_order"), SHOWN("+-", 7, "%.3f", "local_order_standard_error"), \
      SHOWN("resolved", 8, NULL, "resolved")

static const cas_shown strong_errors[] = {ERRORS, {"resolved", 10, NULL, "resolved", NULL}, {0}},
                       weak_errors[] = {ERRORS,
                                        ORDERS,
                                        {"E phi", 16, "%#.7g", "mean", NULL},
                                        {"+-", 9, "%.1e", "mean_standard_error", NULL},
                                        {0}},
                       probabilities[] = {ERRORS,
                                          ORDERS,
                                          {"P", 11, "%.6g", "mean", NULL},
                                          {"95% from", 11, "%.6g", "mean_low", NULL},
                                          {"to", 11, "%.6g", "mean_high", NULL},
                                          {0}},
                       differences[] = {{"step h", 10, NULL, "step", NULL},
                                        {"difference", 12, "%.3e", "difference", NULL},
                                        {"+-", 9, "%.1e", "difference_standard_error", NULL},
                                        {"order", 9, "%.3f", "difference_order", NULL},
                                        {"+-", 7, "%.3f", "difference_order_standard_error", NULL},
                                        {"next removed", 14, "%.3f", "next_order", NULL},
                                        {"+-", 7, "%.3f", "next_order_standard_error", NULL},
                                        {0}};

static void print_raw(FILE *f, const cas_curve *c) {
  const cas_fit *raw = &c->raw;
  if (!isfinite(raw->order))
    return;
  fprintf(f, "  Power law fitted to these errors, not corrected for the reference: order %.3f\n",
          raw->order);
}

/* Whether the curve is of a multilevel study, whose differences have a table of their own. */
static bool is_differenced(const cas_results *r, const cas_curve *c) {
  char path[100];
  snprintf(path, sizeof path, "weak_multilevel/%s", c->name);
  return c->kind == CAS_WEAK && cas_results_find(r, path);
}

/* (E |X_h - X_ref|^2)^1/2, or with X_h/r in the place of X_ref where `refinement` is r > 0 */
static void print_root(FILE *f, const cas_curve *c, int64_t refinement) {
  const cas_strong_measure *m = cas_strong_measure_of(c);
  char letter = m->of_part ? 'R' : 'X';
  fprintf(f, "%s%c_h - %c_", m->before, letter, letter);
  if (refinement)
    fprintf(f, "h/%lld%s", (long long)refinement, m->after);
  else
    fprintf(f, "ref%s", m->after);
}

static void print_differences(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_curve *c = t->object;
  bool squares = c->kind == CAS_STRONG && c->standard_error[0] != 0;
  if (c->levels > 1) {
    fprintf(f, "  Differences of neighbouring levels, ");
    if (c->kind == CAS_WEAK)
      fprintf(f, "E phi(X_h) - E phi(X_h/%lld)", (long long)cas_results_refinement(r));
    else
      print_root(f, c, cas_results_refinement(r));
    fprintf(f, ", without a reference\n");
    cas_table_print_columns(f, r, t, differences);
  }
  cas_laws_print(f, &c->laws, squares ? 2 : 1,
                 squares ? "squared differences of neighbouring levels" : "errors");
  cas_extrapolation_print(f, &c->extrapolated);
}

static void print_curve(FILE *f, const cas_results *r, const cas_table *t,
                        const cas_shown *errors) {
  const cas_curve *c = t->object;
  cas_table_print_columns(f, r, t, errors);
  if (c->averaged != 2)
    cas_table_print_reference(f, r, c->levels, c->expected_order);
  print_raw(f, c);
  if (!is_differenced(r, c))
    print_differences(f, r, t);
  if (c->verdict[0])
    cas_table_print_sentence(f, c->verdict);
}

static void print_strong(FILE *f, const cas_results *r, const cas_table *t) {
  fprintf(f, "\n%s: ", cas_strong_measure_of(t->object)->title);
  print_root(f, t->object, 0);
  fputc('\n', f);
  print_curve(f, r, t, strong_errors);
}

static void print_weak(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_curve *c = t->object;
  if (c->averaged)
    fprintf(f, "\nBias of the average of %s over the coarsest steps from t = %.6g on: ", c->name,
            c->average_from);
  if (c->averaged == 2)
    fprintf(f, "E phi(X_h) - %.10g\n", c->exact_mean);
  else if (c->averaged)
    fprintf(f, "E phi(X_h) - E phi(X_ref)\n");
  else
    fprintf(f, "\nWeak error of %s: E phi(X_h) - E phi(X_ref)\n", cas_table_name(t));
  print_curve(f, r, t, isfinite(c->mean_low[0]) ? probabilities : weak_errors);
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
    .columns = cas_curve_columns + CAS_COLUMNS_OF_MEANS,
    .values = strong_values,
    .subject = strong_error,
    .get = get_strong,
    .print = print_strong,
};

const cas_table_kind cas_table_weak = {
    .group = "weak",
    .place = CAS_TABLE_EACH,
    CURVE,
    .columns = cas_curve_columns,
    .values = weak_values,
    .subject = weak_error,
    .get = get_weak,
    .print = print_weak,
};

/* ---- in results ---- */

cas_curve *cas_results_curve(const cas_results *r, int i) {
  for (int k = 0; k < r->tables; k++) {
    const cas_table_kind *kind = r->table[k].kind;
    if ((kind == &cas_table_strong || kind == &cas_table_weak) && i-- == 0)
      return r->table[k].object;
  }
  return NULL;
}

int cas_results_curves(const cas_results *r) {
  int n = 0;
  while (cas_results_curve(r, n))
    n++;
  return n;
}

cas_status cas_results_add_curve(cas_results *r, cas_curve *c, cas_error *err) {
  cas_curve *own = malloc(sizeof *own);
  if (own) {
    *own = *c;
    *c = (cas_curve){.kind = c->kind};
  }
  return cas_results_add(r, c->kind == CAS_STRONG ? &cas_table_strong : &cas_table_weak, own, err);
}
