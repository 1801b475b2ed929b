#include "base/field.h"
#include "base/owned.h"

void *cas_field_array(const cas_field *f, const void *base) {
  void *array;
  memcpy(&array, (const char *)base + f->offset, sizeof array);
  return array;
}

size_t cas_field_size(cas_field_type type) {
  static const size_t of[] = {[CAS_FIELD_REAL] = sizeof(double),
                              [CAS_FIELD_INT64] = sizeof(int64_t),
                              [CAS_FIELD_INT] = sizeof(int),
                              [CAS_FIELD_TEXT] = sizeof(char *),
                              [CAS_FIELD_WORDS] = sizeof(char *)};
  return of[type];
}

const cas_field *cas_field_find(const cas_field *list, const char *name) {
  while (name && list && list->name && strcmp(list->name, name) != 0)
    list++;
  return name && list && list->name ? list : NULL;
}

bool cas_field_is_uncertainty(const cas_field *list, const cas_field *f) {
  for (; list->name; list++)
    if (cas_field_same_text(list->error, f->name) || cas_field_same_text(list->low, f->name) ||
        cas_field_same_text(list->high, f->name))
      return true;
  return false;
}

void cas_field_columns_free(const cas_field *columns, void *base) {
  for (const cas_field *f = columns; f && f->name; f++)
    free(cas_field_array(f, base));
}

void cas_field_values_free(const cas_field *values, void *base) {
  for (const cas_field *f = values; f && f->name; f++)
    if (f->type == CAS_FIELD_TEXT)
      free(cas_field_array(f, base));
}

bool cas_field_same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

bool cas_field_same_array(const void *a, const void *b, size_t bytes) {
  return a && b ? !memcmp(a, b, bytes) : a == b;
}

static bool same_value(const cas_field *f, const void *a, const void *b) {
  const char *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
  if (f->type == CAS_FIELD_TEXT)
    return cas_field_same_text(cas_field_array(f, a), cas_field_array(f, b));
  return f->type == CAS_FIELD_WORDS ? !strcmp(x, y) : !memcmp(x, y, cas_field_size(f->type));
}

bool cas_field_same_values(const cas_field *values, const void *a, const void *b) {
  for (const cas_field *f = values; f && f->name; f++)
    if (!same_value(f, a, b))
      return false;
  return true;
}

bool cas_field_same_columns(const cas_field *columns, int levels, const void *a, const void *b) {
  for (const cas_field *f = columns; f && f->name; f++) {
    int n = levels + f->extra;
    size_t bytes = n > 0 ? (size_t)n * cas_field_size(f->type) : 0;
    if (bytes && !cas_field_same_array(cas_field_array(f, a), cas_field_array(f, b), bytes))
      return false;
  }
  return true;
}
