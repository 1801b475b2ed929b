/* Differences of neighbouring levels as tables: what files and the report call them. */
#include "files/results/table.h"
#include "statistics/columns.h"
#include "studies/multilevel/multilevel_run.h"

#include <math.h>

static const cas_field difference_values[] = {
    CAS_TABLE_ORDER(cas_differences),
    CAS_TABLE_EXTRAPOLATION(cas_differences, extrapolated),
    CAS_TABLE_FIT(cas_differences, "variance_decay", variance_decay,
                  "exponent of a power law of the variances", "variance_constant"),
    CAS_TABLE_VERDICT(cas_differences),
    {0}};

/* What is known where a relative error was asked for: findings, which files have in words, and then
   what they have as it is. */
static const cas_field aim_values[] = {
    CAS_FIELD_VALUE(cas_multilevel, INT, "findings", findings),
    CAS_FIELD_VALUE(cas_multilevel, REAL, "relative_error", relative_error),
    CAS_FIELD_VALUE(cas_multilevel, INT64, "max_paths", max_paths),
    CAS_FIELD_VALUE(cas_multilevel, INT, "reached", reached),
    CAS_FIELD_CHARACTERS(cas_multilevel, "verdict", verdict),
    {0}};

static const cas_field attributes[] = {
    CAS_FIELD_CHARACTERS(cas_multilevel, "coupling", coupling),
    CAS_FIELD_VALUE(cas_multilevel, REAL, "cost_growth", cost_growth),
    {0}};

static void put_aim(cas_h5 *h, hid_t group, const cas_table *t) {
  char names[1024];
  const cas_multilevel *m = t->object;
  if (m->relative_error == 0 || m->functionals == 0)
    return;
  cas_h5_put_fields(h, group, "", aim_values + 1, m);
  cas_findings_format(m->findings, names, sizeof names);
  cas_h5_put_text(h, group, "findings", names);
  cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
}

static void get_aim(cas_h5 *h, hid_t group, cas_table *t) {
  char names[1024];
  cas_multilevel *m = t->object;
  if (!cas_h5_has_attribute(h, group, aim_values[1].name))
    return;
  cas_h5_get_fields(h, group, "", aim_values + 1, m);
  cas_h5_get_words(h, group, "findings", names, sizeof names);
  m->findings = cas_findings_parse(names);
}

/* ---- for people ---- */

static double gain(const cas_table *t, int l) {
  const cas_differences *d = t->object;
  return d->pair_variance[l] / d->variance[l];
}

static const cas_shown differences[] = {{"step h", 10, NULL, "step", NULL},
                                        {"difference", 11, "%.3e", "difference", NULL},
                                        {"+-", 8, "%.1e", "standard_error", NULL},
                                        {"order", 7, "%.3f", "local_order", NULL},
                                        {"+-", 6, "%.3f", "local_order_standard_error", NULL},
                                        {"next", 7, "%.3f", "next_order", NULL},
                                        {"+-", 6, "%.3f", "next_order_standard_error", NULL},
                                        {"res.", 4, NULL, "resolved", NULL},
                                        {"variance", 10, "%.2e", "variance", NULL},
                                        {"beta", 7, "%.2f", "local_decay", NULL},
                                        {"gain", 9, "%.3g", "variance", gain},
                                        {"kurtosis", 9, "%.3g", "kurtosis", NULL},
                                        {0}},
                       cost[] = {{"step h", 10, NULL, "step", NULL},
                                 {"paths", 12, NULL, "paths", NULL},
                                 {"steps a path", 14, "%.0f", "steps_per_path", NULL},
                                 {"iterations a path", 18, "%.1f", "iterations_per_path", NULL},
                                 {0}};

static void print_fit(FILE *f, const char *law, const char *symbol, const cas_fit *fit) {
  fprintf(f, "  %s ", law);
  if (!isfinite(fit->order))
    fprintf(f, "not fitted\n");
  else if (fit->low == fit->high)
    fprintf(f, "%s = %.3f, no sampling error\n", symbol, fit->order);
  else
    fprintf(f, "%s = %.3f, 95%% interval [%.3f, %.3f]\n", symbol, fit->order, fit->low, fit->high);
}

static void print_multilevel(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_multilevel *m = t->object;
  for (int i = 0; i < m->functionals; i++) {
    cas_table part = cas_table_part(t, i);
    const cas_differences *d = part.object;
    fprintf(f, "\nDifferences of neighbouring levels, %s: E phi(X_h) - E phi(X_h/%lld)\n", d->name,
            (long long)cas_results_refinement(r));
    cas_table_print_columns(f, r, &part, differences);
    fprintf(f,
            "  next: order with the next term of the law removed; res.: whether the difference is "
            "resolved;\n"
            "  gain: variance with one fine path over variance\n");
    print_fit(f, "variances C h^beta:", "beta", &d->variance_decay);
    cas_laws_print(f, &d->laws, 1, "differences");
    cas_extrapolation_print(f, &d->extrapolated);
    cas_table_print_sentence(f, d->verdict);
  }
  if (m->verdict[0]) {
    fputc('\n', f);
    cas_table_print_sentence(f, m->verdict);
  }
  fprintf(f, "\nCost of a level, %s coupling\n", m->coupling);
  cas_table_print_columns(f, r, t, cost);
  if (isfinite(m->cost_growth))
    fprintf(f, "  iterations a path grow like h^-%.2f\n", m->cost_growth);
}

static const cas_table_kind table_differences = {
    .size = sizeof(cas_differences),
    .columns = cas_difference_columns,
    .values = difference_values,
    .name = offsetof(cas_differences, name),
    .unit = offsetof(cas_differences, unit),
    .laws = offsetof(cas_differences, laws),
    .findings = offsetof(cas_differences, findings),
};

const cas_table_kind cas_table_multilevel = {
    .group = "weak_multilevel",
    .place = CAS_TABLE_ALONE,
    .size = sizeof(cas_multilevel),
    .columns = cas_multilevel_columns,
    .attributes = attributes,
    .apart = aim_values,
    .levels = offsetof(cas_multilevel, levels),
    .most_levels = CAS_COLUMNS_MOST_LEVELS,
    .part = &table_differences,
    .parts = offsetof(cas_multilevel, functional),
    .part_count = offsetof(cas_multilevel, functionals),
    .put = put_aim,
    .get = get_aim,
    .print = print_multilevel,
};
