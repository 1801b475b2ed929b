/* Tables to HDF5. */
#include "files/results/table.h"
#include <math.h>

static double mean_step(const double *step, int n) {
  double product = 1;
  if (n == 1)
    return step[0];
  for (int i = 0; i < n; i++)
    product *= step[i] / step[0];
  return n == 2 ? sqrt(step[0] * step[1]) : step[0] * pow(product, 1.0 / n);
}

double *cas_table_step_fill(cas_h5 *h, const cas_results *r, int axes, cas_file_axis *axis) {
  const int known = r->step ? r->levels + 1 : 0;
  int neighbours = 0;
  for (; axes > 0 && !(neighbours = cas_table_step_neighbours(axis)); axis++)
    axes--;
  double *step = neighbours ? malloc(((size_t)axis->length + 1) * sizeof *step) : NULL;
  if (neighbours && !step)
    cas_h5_no_memory(h);
  if (!step)
    return NULL;
  if (axis->length + neighbours - 1 > known)
    axis->name = NULL;
  if (r->time_step && known && r->step[0] != r->time_step[0]) {
    axis->long_name = "N^-2 of levels that differ in N, of neighbours the geometric mean";
    axis->unit = "1";
  }
  for (int k = 0; axis->name && k < axis->length; k++)
    step[k] = mean_step(r->step + k, neighbours);
  axis->coordinates = axis->name ? step : NULL;
  return step;
}

/* What a column is put into, and how it is called there. */
typedef struct {
  hid_t group, scales; /* scales may be in the group above */
  const char *suffix;
} place;

static void describe(cas_h5 *h, hid_t dataset, const cas_table *t, const cas_field *f) {
  char long_name[300], units[100];
  const char *unit = cas_table_unit(t);
  cas_table_long_name(f, t->kind->subject ? t->kind->subject(t->object) : "", long_name,
                      sizeof long_name);
  if (!f->units)
    snprintf(units, sizeof units, "%s", unit);
  else if (strcmp(f->units, "^2") == 0)
    snprintf(units, sizeof units, strcmp(unit, "1") ? "(%s)^2" : "1", unit);
  else
    snprintf(units, sizeof units, "%s", f->units);
  cas_h5_describe(h, dataset, long_name, units);
  if (f->cell_methods)
    cas_h5_put_text(h, dataset, "cell_methods", f->cell_methods);
}

/* Scales above have a second name beside the column, where xarray looks for coordinates. */
static void put_column(cas_h5 *h, const cas_results *r, const place *p, const cas_table *t,
                       const cas_field *f) {
  cas_file_axis axis[CAS_TABLE_AXES];
  hsize_t dims[CAS_TABLE_AXES];
  char name[160];
  int rank = cas_table_axes(t, f, axis);
  const void *array = cas_field_array(f, t->object);
  const int64_t count = (int64_t)cas_table_count(t, f);
  if (h->status || count == 0 || cas_table_is_absent(f, array, (size_t)count))
    return;
  for (int i = 0; i < rank; i++)
    dims[i] = (hsize_t)axis[i].length;
  snprintf(name, sizeof name, "%s%s", f->name, p->suffix);
  hid_t dataset = array ? cas_h5_put_array(h, p->group, name, f->type, rank, dims, array)
                        : cas_h5_dataset_open(h, p->group, name);
  double *steps = cas_table_step_fill(h, r, rank, axis);
  cas_h5_attach_axes(h, dataset, name, 0, p->scales, rank, axis);
  for (int i = 0; p->scales != p->group && i < rank; i++)
    cas_h5_link(h, p->scales, p->group, axis[i].name);
  describe(h, dataset, t, f);
  cas_h5_close(h, dataset);
  free(steps);
}

/* A number or a text of a table, as a dataset without axes or as an attribute. */
static void put_value(cas_h5 *h, const place *p, const cas_table *t, const cas_field *f,
                      const void *value) {
  char name[160];
  if (h->status)
    return;
  snprintf(name, sizeof name, "%s%s", f->name, p->suffix);
  if (f->attribute) {
    cas_h5_put_attribute(h, p->group, name, f->type, value);
    return;
  }
  hid_t dataset =
      cas_h5_put_array(h, p->group, name, f->type == CAS_FIELD_WORDS ? CAS_FIELD_TEXT : f->type, 0,
                       NULL, f->type == CAS_FIELD_WORDS ? (const void *)&value : value);
  describe(h, dataset, t, f);
  cas_h5_close(h, dataset);
}

static void put_table(cas_h5 *h, const cas_results *r, const place *p, const cas_table *t) {
  const cas_table_kind *k = t->kind;
  for (const cas_field *f = k->columns; f && f->name; f++)
    put_column(h, r, p, t, f);
  for (const cas_field *f = k->values; f && f->name; f++)
    put_value(h, p, t, f, cas_table_member(t, f->offset));
  if (k->findings) {
    char text[CAS_FINDINGS_TEXT];
    cas_findings_format(cas_table_findings(t), text, sizeof text);
    put_value(h, p, t, &cas_table_findings_field, text);
    cas_findings_say(cas_table_findings(t), text);
    put_value(h, p, t, &cas_table_verdict_field, text);
  }
  cas_h5_put_fields(h, p->group, k->attributes, t->object);
  if (k->put)
    k->put(h, p->group, t);
  for (int i = 0; i < cas_table_parts(t); i++) {
    cas_table part = cas_table_part(t, i);
    CAS_OWNED_BY(cas_h5_release) hid_t own = cas_h5_group_at(h, p->group, cas_table_name(&part));
    put_table(h, r, &(place){own, k->parts.scales_above ? p->group : own, ""}, &part);
  }
}

/* The suffix of a table that shares its group: its name without the name of the first column. */
static const char *suffix_of(cas_h5 *h, const cas_table *t) {
  const char *name = cas_table_name(t), *stem = t->kind->columns->name;
  size_t n = strlen(stem);
  if (strncmp(name, stem, n) != 0 || (name[n] && (name[n] != '_' || !name[n + 1])))
    cas_h5_refuse(h, "a table of the group '%s' is named '%s', not %s or %s_..", t->kind->group,
                  name, stem, stem);
  return h->status ? "" : name + n;
}

static void put_in_file(cas_h5 *h, hid_t file, const cas_results *r, const cas_table *t) {
  const cas_table_kind *k = t->kind;
  const char *suffix = k->place == CAS_TABLE_SHARED ? suffix_of(h, t) : "";
  const int levels = cas_table_levels(t);
  if (k->levels && levels != r->levels + k->more_levels)
    cas_h5_refuse(h, "'%s' has %d levels, the study has %d", cas_table_name(t), levels,
                  r->levels + k->more_levels);
  CAS_OWNED_BY(cas_h5_release)
  hid_t group = cas_h5_group_at(h, file, k->group), own = H5I_INVALID_HID;
  if (k->place == CAS_TABLE_EACH)
    own = cas_h5_group_at(h, group, cas_table_name(t));
  const hid_t in = k->place == CAS_TABLE_EACH ? own : group;
  put_table(h, r, &(place){in, in, suffix}, t);
}

void cas_tables_put(cas_h5 *h, hid_t file, const cas_results *r) {
  for (int i = 0; i < r->tables && !h->status; i++)
    put_in_file(h, file, r, &r->table[i]);
  if (!h->status)
    cas_laws_put(h, file, r);
}
