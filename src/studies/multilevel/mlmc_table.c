/* Multilevel Monte Carlo as tables: what files and the report call them. */
#include "files/results/table.h"
#include "statistics/columns.h"
#include "studies/multilevel/multilevel_run.h"

#include <string.h>

#define VALUE(called, member, meaning, ...) \
  CAS_TABLE_VALUE(cas_mlmc_functional, REAL, called, member, meaning, __VA_ARGS__)

static const cas_field estimate_values[] = {
    CAS_TABLE_ORDER(cas_mlmc_functional),
    CAS_TABLE_EXTRAPOLATION(cas_mlmc_functional, extrapolated),
    VALUE("estimate", estimate, "of the mean of the functional", NULL,
          .error = "estimate_standard_error", .headline = true),
    VALUE("estimate_standard_error", estimate_error, "its standard error", NULL),
    VALUE("bias", bias, "difference of the means at the finest step and at h = 0", NULL),
    VALUE("total_error", total_error, "root-mean-square of both errors", NULL),
    CAS_TABLE_FIT(cas_mlmc_functional, "variance_decay", variance_decay,
                  "exponent of a power law of the variances", "variance_constant"),
    VALUE("plain_mean", plain_mean, "mean over paths of the finest step alone", NULL,
          .error = "plain_standard_error"),
    VALUE("plain_standard_error", plain_standard_error, "its standard error", NULL),
    VALUE("plain_variance", plain_variance, "variance over these paths", "^2"),
    CAS_TABLE_EXPECTED(cas_mlmc_functional),
    {0}};

/* Seconds, which the machine decides: attributes of the root, where all are that differ between two
   runs. */
#define OF_ALL(kind, called, member, meaning, unit) \
  CAS_TABLE_VALUE(cas_mlmc, kind, called, member, meaning, unit)

static const cas_field second_values[] = {
    OF_ALL(REAL, "core_seconds", seconds, "processor time of all ranks, of the root group", "s"),
    OF_ALL(REAL, "core_seconds_predicted", predicted_seconds, "what the pilot predicted", "s"),
    OF_ALL(REAL, "core_seconds_plain", plain_seconds, "that of plain Monte Carlo", "s"),
    OF_ALL(REAL, "core_seconds_budget", budget_seconds, "of a budget in time; NaN without", "s"),
    OF_ALL(REAL, "work_per_core_second", speed, "measured, by which it became work", "s^-1"),
    {0}};

static const cas_field attributes[] = {
    CAS_TABLE_TEXT(cas_mlmc, coupling, "of neighbouring levels"),
    OF_ALL(REAL, "epsilon", epsilon, "root-mean-square error asked for, or bought", "1"),
    OF_ALL(REAL, "theta", theta, "share of the bias in the square of epsilon", "1"),
    OF_ALL(REAL, "budget", budget, "work allowed; NaN: as much as epsilon takes", "1"),
    OF_ALL(INT, "reached", reached, "1 if epsilon is reached, within the budget the best", "1"),
    OF_ALL(REAL, "cost_growth", cost_growth, "a path costs h to this power, negative", "1"),
    OF_ALL(REAL, "work", total_work, "fixed-point iterations of all paths", "1"),
    OF_ALL(REAL, "work_predicted", predicted_work, "what the pilot predicted of epsilon", "1"),
    OF_ALL(INT, "levels_predicted", predicted_levels, "levels that the pilot predicted", "1"),
    OF_ALL(REAL, "plain_paths_needed", plain_paths_needed,
           "paths of the finest step with the same standard error", "1"),
    OF_ALL(REAL, "plain_work", plain_work, "their work, by the variance on that level", "1"),
    OF_ALL(REAL, "plain_work_measured", plain_work_measured,
           "their work, by paths of that step alone", "1"),
    OF_ALL(INT64, "plain_paths", plain_paths, "number of these paths", "1"),
    OF_ALL(REAL, "plain_work_per_path", plain_path_work, "work of one of them", "1"),
    {0}};

static int axes(const cas_table *t, const cas_field *column, cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_mlmc *m = t->object;
  int n = 0;
  if (column == cas_mlmc_columns) /* by round and level */
    axis[n++] = (cas_file_axis){
        .name = "round", .long_name = "round of paths", .unit = "1", .length = m->rounds};
  axis[n++] = cas_table_step_axis(m->levels, 0);
  return n;
}

static void put(cas_h5 *h, hid_t group, const cas_table *t) {
  const cas_mlmc *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  cas_h5_put_fields(h, root, second_values, m);
  cas_h5_put_text(h, group, "work_units", "fixed-point iterations");
  if (m->functionals > 0)
    cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
  cas_h5_close(h, root);
}

static void get(cas_h5 *h, hid_t group, cas_table *t) {
  cas_mlmc *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  m->rounds = cas_h5_length(h, group, "round");
  cas_h5_get_fields(h, root, second_values, m);
  cas_h5_close(h, root);
}

static const char *fitted(const cas_results *r CAS_UNUSED, const cas_table *t CAS_UNUSED) {
  return "differences";
}

static const cas_shown estimates[] = {{.column = "level_mean", .heading = "E P_l"},
                                      {.column = "mean", .heading = "E P_l-P_l-1"},
                                      {.column = "level_variance", .heading = "Var P_l"},
                                      {.column = "variance", .heading = "Var P_l-P_l-1"},
                                      {.column = "kurtosis"},
                                      {.column = "consistency"},
                                      {0}},
                       cost[] = {{.column = "paths"},
                                 {.column = "steps_per_path", .heading = "steps a path"},
                                 {.column = "work_per_path", .heading = "work a path"},
                                 {0}};

static const cas_table_kind table_estimate = {
    .size = sizeof(cas_mlmc_functional),
    .columns = cas_mlmc_functional_columns,
    .values = estimate_values,
    .name = offsetof(cas_mlmc_functional, name),
    .unit = offsetof(cas_mlmc_functional, unit),
    .laws = offsetof(cas_mlmc_functional, laws),
    .findings = offsetof(cas_mlmc_functional, findings),
    .title = "Multilevel estimate of E %s",
    .shown = estimates,
    .fitted = fitted,
};

const cas_table_kind cas_table_mlmc = {
    .group = "mlmc",
    .place = CAS_TABLE_ALONE,
    .size = sizeof(cas_mlmc),
    .columns = cas_mlmc_columns,
    .attributes = attributes,
    .apart = second_values,
    .levels = offsetof(cas_mlmc, levels),
    .more_levels = 1,
    .most_levels = CAS_COLUMNS_MOST_LEVELS,
    .part = &table_estimate,
    .parts = offsetof(cas_mlmc, functional),
    .part_count = offsetof(cas_mlmc, functionals),
    .scales_above = true,
    .axes = axes,
    .put = put,
    .get = get,
    .title = "Work, in fixed-point iterations",
    .shown = cost,
};
