/* The reference of results files: every dataset, from the description that writes it. */
#include "base/text.h"
#include "files/results/result.h"

enum { LAST = 100, INDENT = 4, NAMES = 44 };

/* "error, standard_error", and beside it what it runs over, what it is, and its unit. */
static void describe(FILE *f, const char *names, const char *over, const char *long_name,
                     const char *unit) {
  char text[600] = "";
  const int column = fprintf(f, "%*s%s", INDENT, "", names);
  if (column > NAMES)
    fprintf(f, "\n%*s", NAMES + 1, "");
  else
    fprintf(f, "%*s", NAMES + 1 - column, "");
  if (over[0])
    cas_append(text, sizeof text, "(%s) ", over);
  cas_append(text, sizeof text, "%s", long_name ? long_name : "");
  if (!unit)
    cas_append(text, sizeof text, " [unit]");
  else if (strcmp(unit, "1") != 0)
    cas_append(text, sizeof text, " [%s%s]", strcmp(unit, "^2") == 0 ? "unit" : "", unit);
  cas_text_wrap(f, text, NAMES + 1, LAST);
}

static void describe_fields(FILE *f, const cas_table *t, const cas_field *list, bool columns) {
  for (const cas_field *of = list; of && of->name; of++) {
    char names[300] = "", over[200] = "";
    cas_file_axis axis[CAS_TABLE_AXES];
    const char *const parts[] = {of->name, of->error, of->low, of->high};
    const int axes = columns ? cas_table_axes(t, of, axis) : 0;
    if (cas_field_is_uncertainty(list, of))
      continue;
    for (int k = 0; k < 4; k++)
      if (parts[k])
        cas_append(names, sizeof names, "%s%s", k ? ", " : "", parts[k]);
    for (int k = 0; k < axes; k++)
      cas_append(over, sizeof over, "%s%s", k ? ", " : "", axis[k].name ? axis[k].name : "..");
    char meaning[300];
    const bool all = of->long_name && strcmp(of->long_name, "%s") == 0;
    cas_table_long_name(of, all ? "its long_name says what error" : "NAME", meaning,
                        sizeof meaning);
    describe(f, names, over, meaning, of->long_name ? of->units : "1");
  }
}

static void describe_kind(FILE *f, const cas_table_kind *k, const cas_table *whole) {
  void *object = calloc(1, k->size);
  const cas_table t = {k, object, whole};
  if (!object)
    return;
  const char *group = whole ? whole->kind->group : k->group;
  fprintf(f, "  /%s%s\n", group,
          whole || k->place == CAS_TABLE_EACH ? "/NAME"
          : k->place == CAS_TABLE_SHARED ? ", with the ending _sup, _increments, .. of a measure"
                                         : "");
  describe_fields(f, &t, k->columns, true);
  describe_fields(f, &t, k->values, false);
  for (int i = 0; k->findings && i < 2; i++) {
    const cas_field *of = i ? &cas_table_findings_field : &cas_table_verdict_field;
    describe(f, of->name, "", of->long_name, "1");
  }
  describe_fields(f, &t, k->attributes, false);
  describe_fields(f, &t, k->apart, false);
  if (k->parts.kind)
    describe_kind(f, k->parts.kind, &t);
  free(object);
}

static void describe_frame(FILE *f, const char *name, const cas_field *columns) {
  fprintf(f, "  /%s\n", name);
  for (const cas_field *c = columns; c->name; c++)
    describe(f, c->name, "", c->long_name, c->units);
}

void cas_tables_describe(FILE *f) {
  describe_frame(f, "result of studies of orders", cas_result_columns[0]);
  describe_frame(f, "result of other studies", cas_result_columns[1]);
  for (const cas_table_kind *const *k = cas_table_kinds; *k; k++)
    describe_kind(f, *k, NULL);
  describe_frame(f, "fits, a row for each law that was fitted", cas_laws_fits);
  describe_frame(f, "orders, a row for each table with laws", cas_laws_orders);
}
