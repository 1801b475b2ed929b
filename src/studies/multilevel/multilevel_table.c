/* Tables of level differences and of multilevel Monte Carlo, in files and the report. */
#include "files/results/table.h"
#include "statistics/fit_impl.h"

/* ---- one functional ---- */

#define COLUMN(called, member, longer, meaning, ...) \
  CAS_FIELD_COLUMN(cas_curve, REAL, called, member, longer, meaning, __VA_ARGS__)
#define ESTIMATE(called, member, error_called, longer, meaning, unit) \
  CAS_FIELD_ESTIMATE(cas_curve, called, member, error_called, longer, meaning, unit)
#define MEAN(called, member, meaning, ...) \
  COLUMN(called, member, 0, meaning, NULL, .cell_methods = "realization: mean", __VA_ARGS__)
#define VARIANCE(called, member, meaning) \
  COLUMN(called, member, 0, meaning, "^2", .cell_methods = "realization: variance")
#define VALUE(called, member, meaning, ...) \
  CAS_TABLE_VALUE(cas_curve, REAL, called, member, meaning, __VA_ARGS__)
#define DECAY                                                        \
  CAS_TABLE_FIT(cas_curve, "variance_decay", coupled.variance_decay, \
                "exponent of a power law of the variances", "variance_constant")

static const cas_field difference_columns[] = {
    ESTIMATE("difference", difference, "standard_error", 0,
             "E phi(X_h) - E phi(X_h/r), h/r the next step", NULL),
    CAS_FIELD_COLUMN(cas_curve, INT, "resolved", resolved, 0,
                     "1 where the difference is none of sampling, by Holm's test of all levels and "
                     "functionals at 4.55%, and none of rounding",
                     "1"),
    VARIANCE("variance", coupled.variance, "variance of the difference on a path"),
    COLUMN("kurtosis", coupled.kurtosis, 0,
           "kurtosis of the difference on a path, 3 for a normal one", "1"),
    VARIANCE("pair_variance", coupled.pair.variance,
             "variance of phi(X_h) - phi(X_h/r) with one fine path, which adjacent coupling has"),
    VARIANCE("single_variance", coupled.fine.variance, "variance of phi(X_h/r) on a path"),
    CAS_FIELD_MEAN(cas_curve, "coarse_mean", mean, "coarse_standard_error", coarse, 0, "E phi(X_h)",
                   0),
    MEAN("fine_mean", coupled.fine.mean, "E phi(X_h/r) from the same paths",
         .error = "fine_standard_error"),
    COLUMN("fine_standard_error", coupled.fine.standard_error, 0, "standard error of E phi(X_h/r)",
           NULL),
    ESTIMATE("local_order", difference_order, "local_order_standard_error", -1,
             "weak order between neighbouring differences", "1"),
    ESTIMATE("next_order", next_order, "next_order_standard_error", -2,
             "local_order with the next term of the law removed", "1"),
    COLUMN("local_decay", coupled.local_decay, -1,
           "order of the variance between neighbouring levels", "1"),
    {0}};

static const cas_field difference_values[] = {CAS_TABLE_ORDER(cas_curve),
                                              CAS_TABLE_EXTRAPOLATION(cas_curve, extrapolated),
                                              DECAY,
                                              CAS_TABLE_EXPECTED(cas_curve),
                                              {0}};

static const cas_field estimate_columns[] = {
    MEAN("level_mean", coupled.fine.mean, "mean of P_l = phi(X) at step h_l", .error = NULL),
    VARIANCE("level_variance", coupled.fine.variance, "variance of P_l"),
    MEAN("coarse_mean", mean.value, "mean of P_(l-1) on the paths of level l", .error = NULL),
    VARIANCE("coarse_variance", coupled.coarse_variance,
             "variance of P_(l-1) on the paths of level l"),
    MEAN("mean", difference.value,
         "mean of Y_l = P_l - P_(l-1), Y_0 = P_0; the estimate is their sum",
         .error = "standard_error"),
    COLUMN("standard_error", difference.standard_error, 0, "standard error of the mean of Y_l",
           NULL),
    VARIANCE("variance", coupled.variance, "variance of Y_l on a path"),
    COLUMN("kurtosis", coupled.kurtosis, 0, "kurtosis of Y_l, 3 for a normal one", "1"),
    MEAN("pair_mean", coupled.pair.mean, "mean of Y_l without the swapped path", .error = NULL),
    VARIANCE("pair_variance", coupled.pair.variance,
             "variance of Y_l without the swapped path, which adjacent coupling has"),
    COLUMN("consistency", estimate.consistency, 0,
           "distance of two means that the telescoping sum takes for one, over three times "
           "their standard errors: wrong above 1",
           "1"),
    {0}};

static const cas_field estimate_values[] = {
    CAS_TABLE_ORDER(cas_curve),
    CAS_TABLE_EXTRAPOLATION(cas_curve, extrapolated),
    VALUE("estimate", estimate.value, "of the mean of the functional", NULL,
          .error = "estimate_standard_error", .headline = true),
    VALUE("estimate_standard_error", estimate.standard_error, "its standard error", NULL),
    VALUE("bias", estimate.bias, "difference of the means at the finest step and at h = 0", NULL),
    VALUE("total_error", estimate.total_error, "root-mean-square of both errors", NULL),
    DECAY,
    VALUE("plain_mean", estimate.plain.mean, "mean over paths of the finest step alone", NULL,
          .error = "plain_standard_error"),
    VALUE("plain_standard_error", estimate.plain.standard_error, "its standard error", NULL),
    VALUE("plain_variance", estimate.plain.variance, "variance over these paths", "^2"),
    CAS_TABLE_EXPECTED(cas_curve),
    {0}};

/* ---- the whole ---- */

#define OF_ALL(kind, called, member, meaning, unit) \
  CAS_TABLE_VALUE(cas_multilevel, kind, called, member, meaning, unit)
#define OF_LEVELS(kind, called, member, meaning) \
  CAS_FIELD_COLUMN(cas_multilevel, kind, called, member, 0, meaning, "1")
#define PATHS                                                  \
  OF_LEVELS(INT64, "paths", paths, "paths behind every mean"), \
      OF_LEVELS(REAL, "steps_per_path", steps, "steps of a path on all that is coupled")

static const cas_field differences_columns[] = {
    PATHS,
    OF_LEVELS(REAL, "iterations_per_path", work,
              "mean fixed-point iterations of a path on all that is coupled"),
    {0}};

static const cas_field mlmc_columns[] = {
    OF_LEVELS(INT64, "paths_by_round", round, "paths asked for by the end of each round"),
    PATHS,
    OF_LEVELS(REAL, "work_per_path", work,
              "mean fixed-point iterations of a path on all that is coupled"),
    OF_LEVELS(REAL, "fine_work_per_path", fine_work,
              "mean fixed-point iterations of one path of that step size alone"),
    {0}};

/* What is known where a relative error was asked for: findings, which files have in words and in
   sentences, and then what they have as it is. */
static const cas_field aim_values[] = {
    OF_ALL(INT, "findings", findings, "what the verdict found, gravest first", "1"),
    {.name = "verdict", .type = CAS_FIELD_WORDS, .long_name = "what is concluded", .units = "1"},
    OF_ALL(REAL, "relative_error", relative_error, "relative error asked for", "1"),
    OF_ALL(INT64, "max_paths", max_paths, "most paths of a level", "1"),
    OF_ALL(INT, "reached", reached, "1 if the relative error is reached", "1"),
    {0}};

/* Seconds, attributes of the root, where everything is that differs between two equal runs. */
static const cas_field second_values[] = {
    OF_ALL(REAL, "core_seconds", seconds, "processor time of all ranks, of the root group", "s"),
    OF_ALL(REAL, "core_seconds_predicted", predicted.seconds, "what the pilot predicted", "s"),
    OF_ALL(REAL, "core_seconds_plain", plain.seconds, "that of plain Monte Carlo", "s"),
    OF_ALL(REAL, "core_seconds_budget", budget_seconds, "of a budget in time; NaN without", "s"),
    OF_ALL(REAL, "work_per_core_second", speed, "measured, by which it became work", "s^-1"),
    {0}};

#define COUPLING CAS_TABLE_TEXT(cas_multilevel, coupling, "of neighbouring levels")
#define GROWTH \
  OF_ALL(REAL, "cost_growth", cost_growth, "a path costs h to this power, negative", "1")

static const cas_field differences_attributes[] = {COUPLING, GROWTH, {0}};

static const cas_field mlmc_attributes[] = {
    COUPLING,
    OF_ALL(REAL, "epsilon", epsilon, "root-mean-square error asked for, or bought", "1"),
    OF_ALL(REAL, "theta", theta, "share of the bias in the square of epsilon", "1"),
    OF_ALL(REAL, "budget", budget, "work allowed; NaN: as much as epsilon takes", "1"),
    OF_ALL(INT, "reached", reached, "1 if epsilon is reached, within the budget the best", "1"),
    GROWTH,
    OF_ALL(REAL, "work", total_work, "fixed-point iterations of all paths", "1"),
    OF_ALL(REAL, "work_predicted", predicted.work, "what the pilot predicted of epsilon", "1"),
    OF_ALL(INT, "levels_predicted", predicted.levels, "levels that the pilot predicted", "1"),
    OF_ALL(REAL, "plain_paths_needed", plain.paths_needed,
           "paths of the finest step with the same standard error", "1"),
    OF_ALL(REAL, "plain_work", plain.work, "their work, by the variance on that level", "1"),
    OF_ALL(REAL, "plain_work_measured", plain.work_measured,
           "their work, by paths of that step alone", "1"),
    OF_ALL(INT64, "plain_paths", plain.paths, "number of these paths", "1"),
    OF_ALL(REAL, "plain_work_per_path", plain.path_work, "work of one of them", "1"),
    {0}};

static int mlmc_axes(const cas_table *t, const cas_field *column,
                     cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_multilevel *m = t->object;
  int n = 0;
  if (column == mlmc_columns) /* by round and level */
    axis[n++] = (cas_file_axis){
        .name = "round", .long_name = "round of paths", .unit = "1", .length = m->rounds};
  axis[n++] = cas_table_step_axis(m->levels, 0);
  return n;
}

/* ---- files ---- */

static void put_decided_by(cas_h5 *h, hid_t group, const cas_multilevel *m) {
  if (m->functionals > 0)
    cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
}

static void put_differences(cas_h5 *h, hid_t group, const cas_table *t) {
  char text[CAS_FINDINGS_TEXT];
  const cas_multilevel *m = t->object;
  if (!(m->relative_error > 0) || m->functionals == 0)
    return;
  cas_h5_put_fields(h, group, aim_values + 2, m);
  cas_findings_format(m->findings, text, sizeof text);
  cas_h5_put_text(h, group, "findings", text);
  cas_findings_say(m->findings, text);
  cas_h5_put_text(h, group, "verdict", text);
  put_decided_by(h, group, m);
}

static void get_differences(cas_h5 *h, hid_t group, cas_table *t) {
  char names[1024];
  cas_multilevel *m = t->object;
  if (!cas_h5_has_attribute(h, group, aim_values[2].name))
    return;
  cas_h5_get_fields(h, group, aim_values + 2, m);
  cas_h5_get_words(h, group, "findings", names, sizeof names);
  m->findings = cas_findings_parse(names);
}

static void put_mlmc(cas_h5 *h, hid_t group, const cas_table *t) {
  const cas_multilevel *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  cas_h5_put_fields(h, root, second_values, m);
  cas_h5_put_text(h, group, "work_units", "fixed-point iterations");
  put_decided_by(h, group, m);
  cas_h5_close(h, root);
}

static void get_mlmc(cas_h5 *h, hid_t group, cas_table *t) {
  cas_multilevel *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  m->rounds = cas_h5_length(h, group, "round");
  cas_h5_get_fields(h, root, second_values, m);
  cas_h5_close(h, root);
}

/* ---- for people ---- */

#define FUNCTIONAL                                                                                 \
  .size = sizeof(cas_curve), .name = offsetof(cas_curve, name), .unit = offsetof(cas_curve, unit), \
  .laws = offsetof(cas_curve, laws), .findings = offsetof(cas_curve, findings)
#define WHOLE                                                                     \
  .place = CAS_TABLE_ALONE, .size = sizeof(cas_multilevel),                       \
  .levels = offsetof(cas_multilevel, levels), .most_levels = CAS_FIT_MOST_LEVELS, \
  .parts.array = offsetof(cas_multilevel, functional),                            \
  .parts.number = offsetof(cas_multilevel, functionals)

static const cas_table_kind table_differences = {
    FUNCTIONAL,
    .columns = difference_columns,
    .values = difference_values,
};

const cas_table_kind cas_table_multilevel = {
    WHOLE,
    .group = "weak_multilevel",
    .columns = differences_columns,
    .attributes = differences_attributes,
    .apart = aim_values,
    .parts.kind = &table_differences,
    .put = put_differences,
    .get = get_differences,
};

static const cas_table_kind table_estimate = {
    FUNCTIONAL,
    .columns = estimate_columns,
    .values = estimate_values,
};

const cas_table_kind cas_table_mlmc = {
    WHOLE,
    .group = "mlmc",
    .columns = mlmc_columns,
    .attributes = mlmc_attributes,
    .apart = second_values,
    .more_levels = 1,
    .parts.kind = &table_estimate,
    .parts.scales_above = true,
    .axes = mlmc_axes,
    .put = put_mlmc,
    .get = get_mlmc,
};
