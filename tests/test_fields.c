/* Fields of all tables of results name the fields that are their errors and intervals. */
#include "files/results/table.h"
#include "suite.h"

#include <string.h>

static const cas_table_kind *const kinds[] = {
#define CAS_TABLE(name) &cas_table_##name,
#include "studies/tables.def"
#undef CAS_TABLE
};

/* The field of the list of this name, which the other one names, is a real one that runs over the
   same numbers, and has no error itself. Ends of intervals that some files lack say so in the place
   of what columns run over besides the axes. */
static void check_one(const cas_field *list, const cas_field *of, const char *name, bool end) {
  const cas_field *f = list;
  if (!name)
    return;
  while (f->name && strcmp(f->name, name) != 0)
    f++;
  ck_assert_msg(f->name && f->type == CAS_FIELD_REAL && of->type == CAS_FIELD_REAL &&
                    (f->extra == of->extra || (end && of->extra == 0)) && f->over == of->over &&
                    !f->error && !f->low,
                "%s names %s", of->name, name);
}

/* Returns how many fields of the list have an error or an interval. Texts need no words. */
static int check_list(const cas_field *list) {
  int found = 0, headlines = 0;
  for (const cas_field *f = list; f && f->name; f++) {
    check_one(list, f, f->error, false);
    check_one(list, f, f->low, true);
    check_one(list, f, f->high, true);
    ck_assert_msg((f->long_name || f->type == CAS_FIELD_TEXT) && !f->low == !f->high,
                  "%s has one end, or no words", f->name);
    ck_assert_msg(!f->headline || f->error, "%s has no error", f->name);
    found += f->error || f->low;
    headlines += f->headline;
  }
  ck_assert_int_le(headlines, 1);
  return found;
}

static bool is(const char *name, const char *other) { return name && strcmp(name, other) == 0; }

/* What ends like an error or an interval is one of a field of its list. */
static void check_names(const cas_field *list) {
  static const char *const endings[] = {"standard_error", "_low", "_high"};
  for (const cas_field *f = list; f && f->name; f++)
    for (int i = 0; i < 3; i++) {
      const size_t n = strlen(f->name), m = strlen(endings[i]);
      /* histogram_low is where the first bin begins */
      bool named = n < m || !is(f->name + n - m, endings[i]) || is(f->name, "histogram_low");
      for (const cas_field *of = list; !named && of->name; of++)
        named = is(of->error, f->name) || is(of->low, f->name) || is(of->high, f->name);
      ck_assert_msg(named, "nothing names %s", f->name);
    }
}

TEST_OVER(errors_are_named, sizeof kinds / sizeof *kinds) {
  int found = 0;
  for (const cas_table_kind *k = kinds[_i]; k; k = k->parts.kind) {
    found += check_list(k->columns) + check_list(k->values) + check_list(k->attributes) +
             check_list(k->apart);
    check_names(k->columns);
    check_names(k->values);
  }
  ck_assert_int_gt(found, 0);
}

RUN_TESTS
