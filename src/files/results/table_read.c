/* Tables from HDF5. */
#include "base/text.h"
#include "files/results/table.h"

enum { NAME = 64 };

const cas_table_kind *const cas_table_kinds[] = {
#define CAS_TABLE(name) &cas_table_##name,
#include "studies/tables.def"
#undef CAS_TABLE
    NULL};

static void get_column(cas_h5 *h, hid_t group, const char *suffix, const cas_table *t,
                       const cas_field *f) {
  cas_file_axis axis[CAS_TABLE_AXES];
  hsize_t dims[CAS_TABLE_AXES];
  char name[160];
  void *array = cas_field_array(f, t->object);
  const int rank = cas_table_axes(t, f, axis);
  const int64_t count = (int64_t)cas_table_count(t, f);
  if (count == 0)
    return;
  for (int i = 0; i < rank; i++)
    dims[i] = (hsize_t)axis[i].length;
  snprintf(name, sizeof name, "%s%s", f->name, suffix);
  if (!f->optional || cas_h5_has_dataset(h, group, name))
    cas_h5_get_array(h, group, name, f->type, rank, dims, array);
}

static void get_value(cas_h5 *h, hid_t group, const char *suffix, const cas_field *f, void *value) {
  char name[160], *text = NULL;
  snprintf(name, sizeof name, "%s%s", f->name, suffix);
  if (f->attribute) {
    cas_h5_get_attribute(h, group, name, f->type, value);
    return;
  }
  if (!cas_h5_has_dataset(h, group, name) && f->optional)
    return;
  if (!cas_h5_has_dataset(h, group, name))
    cas_h5_refuse(
        h, "has no '%s', which an earlier casimir stored in another way; run the study again",
        name);
  if (!h->status && f->type == CAS_FIELD_WORDS) {
    cas_h5_get_column(h, group, name, CAS_FIELD_TEXT, 0, &text);
    cas_text_show(value, (size_t)f->extra, text ? text : "");
    H5free_memory(text);
  } else if (!h->status)
    cas_h5_get_column(h, group, name, f->type, 0, value);
}

/* In a name line breaks are shown, too, as it stands in the lines of reports. */
static void put_name(cas_h5 *h, const cas_table *t, const char *name) {
  if (strlen(name) >= NAME)
    cas_h5_refuse(h, "'%.100s' has a name too long for any table", name);
  else
    cas_text_show(cas_table_member(t, t->kind->name), NAME, name);
}

static void get_table(cas_h5 *h, hid_t group, const char *suffix, cas_table *t);

static void get_parts(cas_h5 *h, hid_t group, cas_table *t) {
  const cas_table_kind *k = t->kind;
  int n, parts = 0;
  char **name = cas_h5_names(h, group, &n), *part = calloc((size_t)n + 1, k->parts.kind->size);
  memcpy(cas_table_member(t, k->parts.array), &part, sizeof part);
  if (!part)
    cas_h5_no_memory(h);
  for (int i = 0; i < n && !h->status; i++) {
    if (!cas_h5_is_group(h, group, name[i]))
      continue;
    cas_table one = cas_table_part(t, parts++);
    *(int *)cas_table_member(t, k->parts.number) = parts;
    CAS_OWNED_BY(cas_h5_release) hid_t own = cas_h5_group_open(h, group, name[i]);
    put_name(h, &one, name[i]);
    get_table(h, own, "", &one);
  }
  cas_h5_names_free(name, n);
}

static void get_table(cas_h5 *h, hid_t group, const char *suffix, cas_table *t) {
  const cas_table_kind *k = t->kind;
  cas_table_clear(t);
  if (!h->status && k->axis.name) {
    /* An axis of the table's own, of which the file has at least one coordinate. */
    const int n = cas_h5_length(h, group, k->axis.name);
    double *coordinates = h->status || n < 1 ? NULL : calloc((size_t)n, sizeof *coordinates);
    if (!h->status && n < 1)
      cas_h5_refuse(h, "'%s' has no coordinates in '%s'", cas_table_name(t), k->axis.name);
    else if (!h->status && !coordinates)
      cas_h5_no_memory(h);
    *(int *)cas_table_member(t, k->axis.length) = n;
    *(double **)cas_table_member(t, k->axis.coordinates) = coordinates;
    if (!h->status)
      cas_h5_get_column(h, group, k->axis.name, CAS_FIELD_REAL, n, coordinates);
  }
  if (!h->status && k->get)
    k->get(h, group, t);
  if (!h->status)
    h->status = cas_table_create_columns(t, h->err);
  for (const cas_field *f = k->columns; f && f->name && !h->status; f++)
    get_column(h, group, suffix, t, f);
  if (!h->status && k->unit) { /* that of the first column that names none */
    char name[160], *unit = cas_table_member(t, k->unit);
    const cas_field *f = k->columns;
    while (f->units)
      f++;
    snprintf(name, sizeof name, "%s%s", f->name, suffix);
    CAS_OWNED_BY(cas_h5_release) hid_t dataset = cas_h5_dataset_open(h, group, name);
    cas_h5_get_words(h, dataset, "units", unit, NAME);
    if (!unit[0])
      strcpy(unit, "1");
  }
  for (const cas_field *f = k->values; f && f->name && !h->status; f++)
    get_value(h, group, suffix, f, cas_table_member(t, f->offset));
  if (!h->status && k->findings) {
    char names[1024] = "";
    get_value(h, group, suffix, &cas_table_findings_field, names);
    *(cas_findings *)cas_table_member(t, k->findings) = cas_findings_parse(names);
  }
  cas_h5_get_fields(h, group, k->attributes, t->object);
  if (!h->status && k->parts.kind)
    get_parts(h, group, t);
}

/* Adds a table `name`, whose columns are in the group with the suffix. */
static void get_from(cas_h5 *h, hid_t group, cas_results *r, const cas_table_kind *k,
                     const char *name, const char *suffix) {
  int levels = r->levels + k->more_levels;
  void *object = h->status ? NULL : calloc(1, k->size);
  if (h->status)
    return;
  h->status = cas_results_add(r, k, object, h->err);
  if (h->status)
    return;
  cas_table *t = &r->table[r->tables - 1];
  if (k->levels)
    *(int *)cas_table_member(t, k->levels) = levels;
  if (k->levels && levels < 1)
    cas_h5_refuse(h, "'%s' has no levels", name);
  if (k->most_levels && levels > k->most_levels)
    cas_h5_refuse(h, "'%s' has %d levels; no study has more than %d", name, levels, k->most_levels);
  if (!h->status && k->place != CAS_TABLE_ALONE)
    put_name(h, t, name);
  if (!h->status)
    get_table(h, group, suffix, t);
}

/* NULL: no table of the kind has this first column. */
static const char *suffix_of(const cas_table_kind *k, const char *name) {
  size_t n = strlen(k->columns->name);
  return strncmp(name, k->columns->name, n) == 0 && (!name[n] || name[n] == '_') ? name + n : NULL;
}

static void get_kind(cas_h5 *h, hid_t file, cas_results *r, const cas_table_kind *k) {
  int n = 0;
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(h, file, k->group);
  char **name = k->place == CAS_TABLE_ALONE ? NULL : cas_h5_names(h, group, &n);
  if (group >= 0 && k->place == CAS_TABLE_ALONE)
    get_from(h, group, r, k, k->group, "");
  for (int i = 0; i < n && !h->status; i++) {
    if (k->place == CAS_TABLE_EACH) {
      CAS_OWNED_BY(cas_h5_release) hid_t own = cas_h5_group_open(h, group, name[i]);
      get_from(h, own, r, k, name[i], "");
    } else if (suffix_of(k, name[i])) {
      get_from(h, group, r, k, name[i], suffix_of(k, name[i]));
    }
  }
  cas_h5_names_free(name, n);
}

void cas_tables_get(cas_h5 *h, hid_t file, cas_results *r) {
  for (const cas_table_kind *const *k = cas_table_kinds; *k && !h->status; k++)
    get_kind(h, file, r, *k);
  cas_laws_get(h, file, r);
}
