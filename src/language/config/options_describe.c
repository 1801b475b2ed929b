#include "base/text.h"
#include "language/config/config_impl.h"
#include "language/config/keys.h"

enum { VALUE_SIZE = 400, WIDEST = 48, GAP = 2, LAST = 100 };

typedef struct {
  int key, value; /* widths of the columns; keys count their indentation */
} columns;

/* "real >= 0, default 0.1" */
static void value_text(const cas_option *o, char *out, size_t size) {
  const cas_type *type = cas_type_of(o->type);
  char range[2 * CAS_NUMBER_SIZE + 16] = "";
  cas_option_range_text(o, range, sizeof range);
  snprintf(out, size, "%s%s", type ? type->name : "section", range);
  if (o->type == CAS_SECTION && o->alone)
    cas_append(out, size, ", or its %s", o->alone);
  if (o->type == CAS_CHOICE)
    for (int i = 0; o->choices[i]; i++)
      cas_append(out, size, "%s %s", i ? " |" : "", o->choices[i]);
  if (!o->fallback)
    cas_append(out, size, ", required");
  else if (*o->fallback)
    cas_append(out, size, ", default %s", o->fallback);
  else
    cas_append(out, size, ", optional");
}

static int larger(int a, int b) { return a > b ? a : b; }

static void measure(const cas_option *table, int indent, columns *c) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    char value[VALUE_SIZE];
    value_text(o, value, sizeof value);
    int width = (int)strlen(value);
    c->key = larger(c->key, indent + (int)strlen(o->key));
    if (width <= WIDEST) /* longer ones put their help on a line of its own */
      c->value = larger(c->value, width);
    if (o->section)
      measure(o->section, indent + 2, c);
  }
}

/* The help stands beside the value where it fits in one line, or else below it. */
static void describe(FILE *f, int indent, const cas_option *table, const columns *c) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const cas_option *o = w.option;
    const int values = c->key + GAP, helps = values + c->value + GAP;
    char value[VALUE_SIZE];
    value_text(o, value, sizeof value);
    fprintf(f, "%*s%-*s", indent, "", values - indent, o->key);
    if (!o->help)
      fprintf(f, "%s\n", value);
    else if ((int)strlen(value) <= c->value && helps + (int)strlen(o->help) <= LAST &&
             !strchr(o->help, '\n'))
      fprintf(f, "%-*s%s\n", c->value + GAP, value, o->help);
    else {
      cas_text_wrap(f, value, values, LAST);
      fprintf(f, "%*s", values + GAP, "");
      cas_text_wrap(f, o->help, values + GAP, LAST);
    }
    if (o->section)
      describe(f, indent + 2, o->section, c);
  }
}

void cas_options_describe(FILE *f, int indent, const cas_option *table) {
  CAS_LOCALE_OF_C;
  columns c = {0, 0};
  measure(table, indent, &c);
  describe(f, indent, table, &c);
}
