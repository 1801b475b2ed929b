/* Differences of neighbouring levels as tables: what files and the report call them. */
#include "files/results/table.h"
#include "statistics/columns.h"
#include "studies/multilevel/multilevel_run.h"

static const cas_field difference_values[] = {
    CAS_TABLE_ORDER(cas_differences),
    CAS_TABLE_EXTRAPOLATION(cas_differences, extrapolated),
    CAS_TABLE_FIT(cas_differences, "variance_decay", variance_decay,
                  "exponent of a power law of the variances", "variance_constant"),
    CAS_TABLE_EXPECTED(cas_differences),
    {0}};

/* What is known where a relative error was asked for: findings, which files have in words and in
   sentences, and then what they have as it is. */
#define OF_ALL(kind, called, member, meaning) \
  CAS_TABLE_VALUE(cas_multilevel, kind, called, member, meaning, "1")

static const cas_field aim_values[] = {
    OF_ALL(INT, "findings", findings, "what the verdict found, gravest first"),
    {.name = "verdict", .type = CAS_FIELD_WORDS, .long_name = "what is concluded", .units = "1"},
    OF_ALL(REAL, "relative_error", relative_error, "relative error asked for"),
    OF_ALL(INT64, "max_paths", max_paths, "most paths of a level"),
    OF_ALL(INT, "reached", reached, "1 if the relative error is reached"),
    {0}};

static const cas_field attributes[] = {
    CAS_TABLE_TEXT(cas_multilevel, coupling, "of neighbouring levels"),
    OF_ALL(REAL, "cost_growth", cost_growth, "a path costs h to this power, negative"),
    {0}};

static void put_aim(cas_h5 *h, hid_t group, const cas_table *t) {
  char text[CAS_FINDINGS_TEXT];
  const cas_multilevel *m = t->object;
  if (m->relative_error == 0 || m->functionals == 0)
    return;
  cas_h5_put_fields(h, group, aim_values + 2, m);
  cas_findings_format(m->findings, text, sizeof text);
  cas_h5_put_text(h, group, "findings", text);
  cas_findings_say(m->findings, text);
  cas_h5_put_text(h, group, "verdict", text);
  cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
}

static void get_aim(cas_h5 *h, hid_t group, cas_table *t) {
  char names[1024];
  cas_multilevel *m = t->object;
  if (!cas_h5_has_attribute(h, group, aim_values[2].name))
    return;
  cas_h5_get_fields(h, group, aim_values + 2, m);
  cas_h5_get_words(h, group, "findings", names, sizeof names);
  m->findings = cas_findings_parse(names);
}

static void note(FILE *f, const cas_results *r CAS_UNUSED, const cas_table *t) {
  cas_table_print_findings(f, ((const cas_multilevel *)t->object)->findings);
}

static const char *fitted(const cas_results *r CAS_UNUSED, const cas_table *t CAS_UNUSED) {
  return "differences";
}

static const cas_shown differences[] = {{.column = "difference"},
                                        {.column = "local_order", .heading = "order"},
                                        {.column = "next_order", .heading = "next removed"},
                                        {.column = "resolved"},
                                        {.column = "variance"},
                                        {.column = "local_decay", .heading = "decay"},
                                        {.column = "pair_variance", .heading = "one fine path"},
                                        {.column = "kurtosis"},
                                        {0}},
                       cost[] = {{.column = "paths"},
                                 {.column = "steps_per_path", .heading = "steps a path"},
                                 {.column = "iterations_per_path", .heading = "iterations a path"},
                                 {0}};

static const cas_table_kind table_differences = {
    .size = sizeof(cas_differences),
    .columns = cas_difference_columns,
    .values = difference_values,
    .name = offsetof(cas_differences, name),
    .unit = offsetof(cas_differences, unit),
    .laws = offsetof(cas_differences, laws),
    .findings = offsetof(cas_differences, findings),
    .title = "Differences of neighbouring levels of %s",
    .shown = differences,
    .fitted = fitted,
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
    .title = "Cost of a level",
    .shown = cost,
    .note = note,
};
