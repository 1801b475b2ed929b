/* Differences of neighbouring levels, to HDF5 and back. */
#include "hdf5/hdf5_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN(type, member) offsetof(type, member)

/* units NULL: those of the functional; "^2": their square */
static const cas_field columns[] = {
    {"difference", CAS_FIELD_REAL, IN(cas_differences, difference), 0, "E phi(X_h) - E phi(X_h/2)",
     NULL},
    {"standard_error", CAS_FIELD_REAL, IN(cas_differences, standard_error), 0,
     "standard error of the difference", NULL},
    {"resolved", CAS_FIELD_INT, IN(cas_differences, resolved), 0,
     "1 where the difference is none of sampling, by Holm's test of all levels and functionals at "
     "4.55%, and none of rounding",
     "1"},
    {"variance", CAS_FIELD_REAL, IN(cas_differences, variance), 0,
     "variance of the difference on a path", "^2"},
    {"kurtosis", CAS_FIELD_REAL, IN(cas_differences, kurtosis), 0,
     "kurtosis of the difference on a path, 3 for a normal one", "1"},
    {"pair_variance", CAS_FIELD_REAL, IN(cas_differences, pair_variance), 0,
     "variance of phi(X_h) - phi(X_h/2) with one fine path, which adjacent coupling has", "^2"},
    {"single_variance", CAS_FIELD_REAL, IN(cas_differences, single_variance), 0,
     "variance of phi(X_h/2) on a path", "^2"},
    {"coarse_mean", CAS_FIELD_REAL, IN(cas_differences, coarse_mean), 0, "E phi(X_h)", NULL},
    {"coarse_standard_error", CAS_FIELD_REAL, IN(cas_differences, coarse_standard_error), 0,
     "standard error of E phi(X_h)", NULL},
    {"fine_mean", CAS_FIELD_REAL, IN(cas_differences, fine_mean), 0,
     "E phi(X_h/2) from the same paths", NULL},
    {"fine_standard_error", CAS_FIELD_REAL, IN(cas_differences, fine_standard_error), 0,
     "standard error of E phi(X_h/2)", NULL},
    {"local_order", CAS_FIELD_REAL, IN(cas_differences, local_order), -1,
     "weak order between neighbouring differences", "1"},
    {"local_order_standard_error", CAS_FIELD_REAL, IN(cas_differences, local_order_error), -1,
     "standard error of local_order", "1"},
    {"next_order", CAS_FIELD_REAL, IN(cas_differences, next_order), -2,
     "local_order with the next term of the law removed", "1"},
    {"next_order_standard_error", CAS_FIELD_REAL, IN(cas_differences, next_order_error), -2,
     "standard error of next_order", "1"},
    {"local_decay", CAS_FIELD_REAL, IN(cas_differences, local_decay), -1,
     "log2 of the ratio of neighbouring variances", "1"},
    {0}};

static const cas_field numbers[] = {
    {"variance_decay", CAS_FIELD_REAL, IN(cas_differences, variance_decay.order), 0, NULL, NULL},
    {"variance_decay_low", CAS_FIELD_REAL, IN(cas_differences, variance_decay.low), 0, NULL, NULL},
    {"variance_decay_high", CAS_FIELD_REAL, IN(cas_differences, variance_decay.high), 0, NULL,
     NULL},
    {"variance_constant", CAS_FIELD_REAL, IN(cas_differences, variance_decay.constant), 0, NULL,
     NULL},
    {"expected_order", CAS_FIELD_REAL, IN(cas_differences, expected_order), 0, NULL, NULL},
    {0}};

static const cas_field level_columns[] = {
    {"paths", CAS_FIELD_INT64, IN(cas_multilevel, paths), 0, "paths behind every mean", "1"},
    {"steps_per_path", CAS_FIELD_REAL, IN(cas_multilevel, steps), 0,
     "steps of a path on all that is coupled", "1"},
    {"iterations_per_path", CAS_FIELD_REAL, IN(cas_multilevel, iterations), 0,
     "mean fixed-point iterations of a path on all that is coupled", "1"},
    {0}};

static const cas_field level_numbers[] = {
    {"cost_growth", CAS_FIELD_REAL, IN(cas_multilevel, cost_growth), 0, NULL, NULL}, {0}};

/* where a relative error was asked for */
static const cas_field aim_numbers[] = {
    {"relative_error", CAS_FIELD_REAL, IN(cas_multilevel, relative_error), 0, NULL, NULL},
    {"max_paths", CAS_FIELD_INT64, IN(cas_multilevel, max_paths), 0, NULL, NULL},
    {"reached", CAS_FIELD_INT, IN(cas_multilevel, reached), 0, NULL, NULL},
    {0}};

/* ---- writing ---- */

static void put_columns(cas_h5 *h, hid_t group, const cas_results *r, const cas_field *table,
                        int extra, const char *unit, const void *base) {
  hid_t scale = cas_h5_step_scale(h, group, r, extra);
  cas_h5_put_columns(h, group, table, extra, r->levels, unit, base, scale);
  cas_h5_close(h, scale);
}

static void put_differences(cas_h5 *h, hid_t at, const cas_results *r, const cas_differences *d) {
  hid_t group = cas_h5_group_create(h, at, d->name);
  cas_h5_put_text(h, group, "units", d->unit);
  put_columns(h, group, r, columns, 0, d->unit, d);
  put_columns(h, group, r, columns, -1, d->unit, d); /* between two levels */
  put_columns(h, group, r, columns, -2, d->unit, d);
  cas_h5_put_laws(h, group, "", &d->laws);
  cas_h5_put_extrapolation(h, group, &d->extrapolated);
  cas_h5_put_fields(h, group, "", numbers, d);
  cas_h5_put_bound(h, group, "", d->bias_bound);
  cas_h5_put_verdict(h, group, "", d->findings, d->verdict);
  cas_h5_close(h, group);
}

static void put_aim(cas_h5 *h, hid_t group, const cas_multilevel *m) {
  if (m->relative_error == 0 || m->functionals == 0)
    return;
  cas_h5_put_fields(h, group, "", aim_numbers, m);
  cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
  cas_h5_put_verdict(h, group, "", m->findings, m->verdict);
}

void cas_h5_put_multilevel(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_multilevel *m = r->multilevel;
  if (m->levels != r->levels)
    cas_h5_refuse(h, "there are differences of %d levels, the study has %d", m->levels, r->levels);
  hid_t group = cas_h5_group_create(h, file, "weak_multilevel");
  cas_h5_put_text(h, group, "coupling", m->coupling);
  put_columns(h, group, r, level_columns, 0, "1", m);
  cas_h5_put_fields(h, group, "", level_numbers, m);
  put_aim(h, group, m);
  for (int i = 0; i < m->functionals; i++)
    put_differences(h, group, r, &m->functional[i]);
  cas_h5_close(h, group);
}

/* ---- reading ---- */

static void get_differences(cas_h5 *h, hid_t at, int levels, const char *name, cas_differences *d) {
  hid_t group = cas_h5_group_open(h, at, name);
  snprintf(d->name, sizeof d->name, "%s", name);
  cas_h5_get_words(h, group, "units", d->unit, sizeof d->unit);
  cas_h5_get_laws(h, group, "", &d->laws);
  cas_h5_get_extrapolation(h, group, &d->extrapolated);
  cas_h5_get_columns(h, group, "", columns, levels, d);
  cas_h5_get_fields(h, group, "", numbers, d);
  cas_h5_get_bound(h, group, "", &d->bias_bound);
  cas_h5_get_verdict(h, group, "", &d->findings, d->verdict, sizeof d->verdict);
  cas_h5_close(h, group);
}

static void get_levels(cas_h5 *h, hid_t group, cas_multilevel *m) {
  cas_h5_get_words(h, group, "coupling", m->coupling, sizeof m->coupling);
  cas_h5_get_columns(h, group, "", level_columns, m->levels, m);
  cas_h5_get_fields(h, group, "", level_numbers, m);
  if (!cas_h5_has_attribute(h, group, "relative_error"))
    return;
  cas_h5_get_fields(h, group, "", aim_numbers, m);
  cas_h5_get_verdict(h, group, "", &m->findings, m->verdict, sizeof m->verdict);
}

cas_multilevel *cas_h5_get_multilevel(cas_h5 *h, hid_t file, int levels) {
  int functionals = 0;
  cas_multilevel *m = NULL;
  hid_t group = cas_h5_group_open(h, file, "weak_multilevel");
  if (h->status || group < 0)
    return NULL;
  char **name = cas_h5_group_names(h, group, &functionals);
  if (!h->status && levels < 1)
    cas_h5_refuse(h, "'weak_multilevel' has no levels");
  if (!h->status)
    h->status = cas_multilevel_create(levels, functionals, &m, h->err);
  if (!h->status)
    get_levels(h, group, m);
  for (int i = 0; i < functionals && !h->status; i++)
    get_differences(h, group, levels, name[i], &m->functional[i]);
  cas_names_free(name, functionals);
  cas_h5_close(h, group);
  return m;
}

/* ---- comparing ---- */

static bool same_differences(const cas_differences *a, const cas_differences *b, int levels) {
  return !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) && a->findings == b->findings &&
         !strcmp(a->verdict, b->verdict) && cas_same_columns(columns, levels, a, b) &&
         cas_same_array(&a->bias_bound, &b->bias_bound, sizeof a->bias_bound) &&
         cas_same_values(numbers, a, b) && cas_laws_equal(&a->laws, &b->laws) &&
         cas_extrapolation_equal(&a->extrapolated, &b->extrapolated);
}

bool cas_multilevel_equal(const cas_multilevel *a, const cas_multilevel *b) {
  if (!a || !b)
    return a == b;
  if (a->levels != b->levels || a->functionals != b->functionals ||
      strcmp(a->coupling, b->coupling) != 0 || a->findings != b->findings ||
      strcmp(a->verdict, b->verdict) != 0)
    return false;
  for (int i = 0; i < a->functionals; i++)
    if (!same_differences(&a->functional[i], &b->functional[i], a->levels))
      return false;
  return cas_same_columns(level_columns, a->levels, a, b) && cas_same_values(level_numbers, a, b) &&
         cas_same_values(aim_numbers, a, b);
}
