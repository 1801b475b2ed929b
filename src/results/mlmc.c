/* Multilevel Monte Carlo, to HDF5 and back. */
#include "hdf5/hdf5_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN(type, member) offsetof(type, member)

/* units NULL: those of the functional; "^2": their square */
static const cas_field columns[] = {
    {"level_mean", CAS_FIELD_REAL, IN(cas_mlmc_functional, level_mean), 0,
     "mean of P_l = phi(X) at step h_l", NULL},
    {"level_variance", CAS_FIELD_REAL, IN(cas_mlmc_functional, level_variance), 0,
     "variance of P_l", "^2"},
    {"coarse_mean", CAS_FIELD_REAL, IN(cas_mlmc_functional, coarse_mean), 0,
     "mean of P_(l-1) on the paths of level l", NULL},
    {"coarse_variance", CAS_FIELD_REAL, IN(cas_mlmc_functional, coarse_variance), 0,
     "variance of P_(l-1) on the paths of level l", "^2"},
    {"mean", CAS_FIELD_REAL, IN(cas_mlmc_functional, mean), 0,
     "mean of Y_l = P_l - P_(l-1), Y_0 = P_0; the estimate is their sum", NULL},
    {"standard_error", CAS_FIELD_REAL, IN(cas_mlmc_functional, standard_error), 0,
     "standard error of the mean of Y_l", NULL},
    {"variance", CAS_FIELD_REAL, IN(cas_mlmc_functional, variance), 0, "variance of Y_l on a path",
     "^2"},
    {"kurtosis", CAS_FIELD_REAL, IN(cas_mlmc_functional, kurtosis), 0,
     "kurtosis of Y_l, 3 for a normal one", "1"},
    {"pair_mean", CAS_FIELD_REAL, IN(cas_mlmc_functional, pair_mean), 0,
     "mean of Y_l without the swapped path", NULL},
    {"pair_variance", CAS_FIELD_REAL, IN(cas_mlmc_functional, pair_variance), 0,
     "variance of Y_l without the swapped path, which adjacent coupling has", "^2"},
    {"consistency", CAS_FIELD_REAL, IN(cas_mlmc_functional, consistency), 0,
     "distance of two means that the telescoping sum takes for one, over three times their "
     "standard "
     "errors: wrong above 1",
     "1"},
    {0}};

static const cas_field numbers[] = {
    {"estimate", CAS_FIELD_REAL, IN(cas_mlmc_functional, estimate), 0, NULL, NULL},
    {"standard_error", CAS_FIELD_REAL, IN(cas_mlmc_functional, estimate_error), 0, NULL, NULL},
    {"bias", CAS_FIELD_REAL, IN(cas_mlmc_functional, bias), 0, NULL, NULL},
    {"total_error", CAS_FIELD_REAL, IN(cas_mlmc_functional, total_error), 0, NULL, NULL},
    {"variance_decay", CAS_FIELD_REAL, IN(cas_mlmc_functional, variance_decay.order), 0, NULL,
     NULL},
    {"variance_decay_low", CAS_FIELD_REAL, IN(cas_mlmc_functional, variance_decay.low), 0, NULL,
     NULL},
    {"variance_decay_high", CAS_FIELD_REAL, IN(cas_mlmc_functional, variance_decay.high), 0, NULL,
     NULL},
    {"variance_constant", CAS_FIELD_REAL, IN(cas_mlmc_functional, variance_decay.constant), 0, NULL,
     NULL},
    {"expected_order", CAS_FIELD_REAL, IN(cas_mlmc_functional, expected_order), 0, NULL, NULL},
    {"plain_mean", CAS_FIELD_REAL, IN(cas_mlmc_functional, plain_mean), 0, NULL, NULL},
    {"plain_standard_error", CAS_FIELD_REAL, IN(cas_mlmc_functional, plain_standard_error), 0, NULL,
     NULL},
    {"plain_variance", CAS_FIELD_REAL, IN(cas_mlmc_functional, plain_variance), 0, NULL, NULL},
    {0}};

static const cas_field level_columns[] = {
    {"paths", CAS_FIELD_INT64, IN(cas_mlmc, paths), 0, "paths behind every mean", "1"},
    {"steps_per_path", CAS_FIELD_REAL, IN(cas_mlmc, steps), 0,
     "steps of a path on all that is coupled", "1"},
    {"work_per_path", CAS_FIELD_REAL, IN(cas_mlmc, work), 0,
     "mean fixed-point iterations of a path on all that is coupled", "1"},
    {"fine_work_per_path", CAS_FIELD_REAL, IN(cas_mlmc, fine_work), 0,
     "mean fixed-point iterations of one path of that step size alone", "1"},
    {0}};

static const cas_field level_numbers[] = {
    {"epsilon", CAS_FIELD_REAL, IN(cas_mlmc, epsilon), 0, NULL, NULL},
    {"theta", CAS_FIELD_REAL, IN(cas_mlmc, theta), 0, NULL, NULL},
    {"reached", CAS_FIELD_INT, IN(cas_mlmc, reached), 0, NULL, NULL},
    {"cost_growth", CAS_FIELD_REAL, IN(cas_mlmc, cost_growth), 0, NULL, NULL},
    {"work", CAS_FIELD_REAL, IN(cas_mlmc, total_work), 0, NULL, NULL},
    {"work_predicted", CAS_FIELD_REAL, IN(cas_mlmc, predicted_work), 0, NULL, NULL},
    {"levels_predicted", CAS_FIELD_INT, IN(cas_mlmc, predicted_levels), 0, NULL, NULL},
    {"plain_paths_needed", CAS_FIELD_REAL, IN(cas_mlmc, plain_paths_needed), 0, NULL, NULL},
    {"plain_work", CAS_FIELD_REAL, IN(cas_mlmc, plain_work), 0, NULL, NULL},
    {"plain_work_measured", CAS_FIELD_REAL, IN(cas_mlmc, plain_work_measured), 0, NULL, NULL},
    {"plain_paths", CAS_FIELD_INT64, IN(cas_mlmc, plain_paths), 0, NULL, NULL},
    {"plain_work_per_path", CAS_FIELD_REAL, IN(cas_mlmc, plain_path_work), 0, NULL, NULL},
    {0}};

/* of the machine: attributes of the root, where all are that differ between two runs */
static const cas_field seconds[] = {
    {"core_seconds", CAS_FIELD_REAL, IN(cas_mlmc, seconds), 0, NULL, NULL},
    {"core_seconds_predicted", CAS_FIELD_REAL, IN(cas_mlmc, predicted_seconds), 0, NULL, NULL},
    {"core_seconds_plain", CAS_FIELD_REAL, IN(cas_mlmc, plain_seconds), 0, NULL, NULL},
    {0}};

/* ---- writing ---- */

static void put_functional(cas_h5 *h, hid_t at, const cas_mlmc *m, const cas_mlmc_functional *f,
                           hid_t scale) {
  hid_t group = cas_h5_group_create(h, at, f->name);
  cas_h5_put_text(h, group, "units", f->unit);
  cas_h5_put_columns(h, group, columns, 0, m->levels, f->unit, f, scale);
  cas_h5_put_laws(h, group, "", &f->laws);
  cas_h5_put_extrapolation(h, group, &f->extrapolated);
  cas_h5_put_fields(h, group, "", numbers, f);
  cas_h5_put_bound(h, group, "", f->bias_bound);
  cas_h5_put_verdict(h, group, "", f->findings, f->verdict);
  cas_h5_close(h, group);
}

static void put_rounds(cas_h5 *h, hid_t group, const cas_mlmc *m, hid_t step) {
  const hsize_t dims[2] = {(hsize_t)m->rounds, (hsize_t)m->levels};
  const cas_file_axis axis = {
      .name = "round", .long_name = "round of paths", .unit = "1", .length = m->rounds};
  hid_t round = cas_h5_axis_scale(h, group, &axis),
        dataset = cas_h5_dataset_create(h, group, "paths_by_round",
                                        cas_h5_file_type(CAS_FIELD_INT64), 2, dims, H5P_DEFAULT);
  if (!h->status && H5Dwrite(dataset, cas_h5_memory_type(CAS_FIELD_INT64), H5S_ALL, H5S_ALL,
                             H5P_DEFAULT, m->round) < 0)
    cas_h5_fail(h, "cannot write the dataset 'paths_by_round'");
  cas_h5_describe(h, dataset, "paths asked for by the end of each round", "1");
  cas_h5_attach(h, dataset, "paths_by_round", 0, round);
  cas_h5_attach(h, dataset, "paths_by_round", 1, step);
  cas_h5_close(h, dataset);
  cas_h5_close(h, round);
}

void cas_h5_put_mlmc(cas_h5 *h, hid_t file, const cas_results *r) {
  const cas_mlmc *m = r->mlmc;
  if (m->levels != r->levels + 1)
    cas_h5_refuse(h, "multilevel Monte Carlo has %d levels, the study has %d", m->levels,
                  r->levels + 1);
  hid_t group = cas_h5_group_create(h, file, "mlmc");
  const cas_file_axis axis = {.name = "step",
                              .long_name = "step size, coarsest level first",
                              .unit = "time_unit",
                              .length = m->levels,
                              .coordinates = r->step};
  hid_t scale = cas_h5_axis_scale(h, group, &axis);
  cas_h5_put_fields(h, file, "", seconds, m);
  cas_h5_put_text(h, group, "coupling", m->coupling);
  cas_h5_put_text(h, group, "work_units", "fixed-point iterations");
  if (m->functionals > 0)
    cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
  cas_h5_put_fields(h, group, "", level_numbers, m);
  cas_h5_put_columns(h, group, level_columns, 0, m->levels, "1", m, scale);
  if (m->rounds > 0)
    put_rounds(h, group, m, scale);
  for (int i = 0; i < m->functionals; i++)
    put_functional(h, group, m, &m->functional[i], scale);
  cas_h5_close(h, scale);
  cas_h5_close(h, group);
}

/* ---- reading ---- */

static void get_functional(cas_h5 *h, hid_t at, int levels, const char *name,
                           cas_mlmc_functional *f) {
  hid_t group = cas_h5_group_open(h, at, name);
  snprintf(f->name, sizeof f->name, "%s", name);
  cas_h5_get_words(h, group, "units", f->unit, sizeof f->unit);
  cas_h5_get_laws(h, group, "", &f->laws);
  cas_h5_get_extrapolation(h, group, &f->extrapolated);
  cas_h5_get_columns(h, group, "", columns, levels, f);
  cas_h5_get_fields(h, group, "", numbers, f);
  cas_h5_get_bound(h, group, "", &f->bias_bound);
  cas_h5_get_verdict(h, group, "", &f->findings, f->verdict, sizeof f->verdict);
  cas_h5_close(h, group);
}

static void get_levels(cas_h5 *h, hid_t file, hid_t group, cas_mlmc *m) {
  const hsize_t dims[2] = {(hsize_t)m->rounds, (hsize_t)m->levels};
  cas_h5_get_words(h, group, "coupling", m->coupling, sizeof m->coupling);
  cas_h5_get_columns(h, group, "", level_columns, m->levels, m);
  cas_h5_get_fields(h, group, "", level_numbers, m);
  cas_h5_get_fields(h, file, "", seconds, m);
  if (m->rounds > 0)
    cas_h5_get_array(h, group, "paths_by_round", CAS_FIELD_INT64, 2, dims, m->round);
}

cas_mlmc *cas_h5_get_mlmc(cas_h5 *h, hid_t file, int levels) {
  int functionals = 0;
  cas_mlmc *m = NULL;
  hid_t group = cas_h5_group_open(h, file, "mlmc");
  if (h->status || group < 0)
    return NULL;
  char **name = cas_h5_group_names(h, group, &functionals);
  int rounds = cas_h5_length(h, group, "round");
  if (!h->status)
    h->status = cas_mlmc_create(levels, functionals, rounds, &m, h->err);
  if (!h->status)
    get_levels(h, file, group, m);
  for (int i = 0; i < functionals && !h->status; i++)
    get_functional(h, group, levels, name[i], &m->functional[i]);
  cas_names_free(name, functionals);
  cas_h5_close(h, group);
  return m;
}

/* ---- comparing ---- */

static bool same_functional(const cas_mlmc_functional *a, const cas_mlmc_functional *b,
                            int levels) {
  return !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) && a->findings == b->findings &&
         !strcmp(a->verdict, b->verdict) && cas_same_columns(columns, levels, a, b) &&
         cas_same_array(&a->bias_bound, &b->bias_bound, sizeof a->bias_bound) &&
         cas_same_values(numbers, a, b) && cas_laws_equal(&a->laws, &b->laws) &&
         cas_extrapolation_equal(&a->extrapolated, &b->extrapolated);
}

bool cas_mlmc_equal(const cas_mlmc *a, const cas_mlmc *b) {
  if (!a || !b)
    return a == b;
  if (a->levels != b->levels || a->rounds != b->rounds || a->functionals != b->functionals ||
      strcmp(a->coupling, b->coupling) != 0)
    return false;
  for (int i = 0; i < a->functionals; i++)
    if (!same_functional(&a->functional[i], &b->functional[i], a->levels))
      return false;
  size_t numbers_by_round = (size_t)a->rounds * (size_t)a->levels;
  return cas_same_array(a->round, b->round, numbers_by_round * sizeof *a->round) &&
         cas_same_columns(level_columns, a->levels, a, b) && cas_same_values(level_numbers, a, b) &&
         cas_same_values(seconds, a, b);
}
