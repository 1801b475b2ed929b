/* Multilevel Monte Carlo as tables: what files and the report call them. */
#include "files/results/table.h"
#include "statistics/columns.h"
#include "studies/multilevel/multilevel_run.h"

#include <inttypes.h>
#include <math.h>
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
    CAS_TABLE_VERDICT(cas_mlmc_functional),
    {0}};

/* Seconds, which the machine decides: attributes of the root, where all are that differ between two
   runs. */
static const cas_field second_values[] = {
    CAS_FIELD_VALUE(cas_mlmc, REAL, "core_seconds", seconds),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "core_seconds_predicted", predicted_seconds),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "core_seconds_plain", plain_seconds),
    {0}};

static const cas_field attributes[] = {
    CAS_FIELD_CHARACTERS(cas_mlmc, "coupling", coupling),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "epsilon", epsilon),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "theta", theta),
    CAS_FIELD_VALUE(cas_mlmc, INT, "reached", reached),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "cost_growth", cost_growth),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "work", total_work),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "work_predicted", predicted_work),
    CAS_FIELD_VALUE(cas_mlmc, INT, "levels_predicted", predicted_levels),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "plain_paths_needed", plain_paths_needed),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "plain_work", plain_work),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "plain_work_measured", plain_work_measured),
    CAS_FIELD_VALUE(cas_mlmc, INT64, "plain_paths", plain_paths),
    CAS_FIELD_VALUE(cas_mlmc, REAL, "plain_work_per_path", plain_path_work),
    {0}};

static int axes(const cas_table *t, const cas_field *column, const cas_step_axes *steps,
                cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_mlmc *m = t->object;
  int n = 0;
  if (column == cas_mlmc_columns) /* by round and level */
    axis[n++] = (cas_file_axis){
        .name = "round", .long_name = "round of paths", .unit = "1", .length = m->rounds};
  axis[n++] = steps->by[3];
  return n;
}

static void put(cas_h5 *h, hid_t group, const cas_table *t) {
  const cas_mlmc *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  cas_h5_put_fields(h, root, "", second_values, m);
  cas_h5_put_text(h, group, "work_units", "fixed-point iterations");
  if (m->functionals > 0)
    cas_h5_put_text(h, group, "decided_by", m->functional[0].name);
  cas_h5_close(h, root);
}

static void get(cas_h5 *h, hid_t group, cas_table *t) {
  cas_mlmc *m = t->object;
  hid_t root = cas_h5_group_open(h, group, "/");
  m->rounds = cas_h5_length(h, group, "round");
  cas_h5_get_fields(h, root, "", second_values, m);
  cas_h5_close(h, root);
}

/* ---- for people ---- */

static double work(const cas_table *t, int l) {
  const cas_mlmc *m = t->object;
  return m->work[l] * (double)m->paths[l];
}

static const cas_shown estimates[] =
    {{"step h", 10, NULL, "step", NULL},         {"paths", 13, NULL, "paths", NULL},
     {"E P_l", 15, "%#.7g", "level_mean", NULL}, {"E P_l-P_l-1", 12, "%.3e", "mean", NULL},
     {"+-", 9, "%.1e", "standard_error", NULL},  {"Var P_l", 10, "%.2e", "level_variance", NULL},
     {"Var Y_l", 10, "%.2e", "variance", NULL},  {"kurtosis", 9, "%.3g", "kurtosis", NULL},
     {"check", 7, "%.2f", "consistency", NULL},  {0}},
                       cost[] = {{"step h", 10, NULL, "step", NULL},
                                 {"paths", 13, NULL, "paths", NULL},
                                 {"steps a path", 14, "%.0f", "steps_per_path", NULL},
                                 {"work a path", 14, "%.1f", "work_per_path", NULL},
                                 {"work", 12, "%.3e", "work_per_path", work},
                                 {0}};

static void print_estimate(FILE *f, const cas_results *r, const cas_table *t, bool first) {
  const cas_mlmc_functional *p = t->object;
  fprintf(f, "\nMultilevel estimate of E %s%s\n", p->name,
          first ? ", which decided on levels and paths" : "");
  cas_table_print_columns(f, r, t, estimates);
  fprintf(f, "  estimate %.10g, standard error %.2e, bias %.2e, total error %.2e", p->estimate,
          p->estimate_error, p->bias, p->total_error);
  if (strcmp(p->unit, "1") != 0)
    fprintf(f, "\n  in units of %s", p->unit);
  fputc('\n', f);
  cas_laws_print(f, &p->laws, 1, "differences");
  cas_extrapolation_print(f, &p->extrapolated);
  cas_table_print_sentence(f, p->verdict);
}

static void print_sum(FILE *f, const char *what, double work, double seconds) {
  if (!isfinite(work))
    return;
  fprintf(f, "  %-38s%.4g", what, work);
  if (isfinite(seconds))
    fprintf(f, " in %.3g core seconds", seconds);
  fputc('\n', f);
}

static void print(FILE *f, const cas_results *r, const cas_table *t) {
  int n = cas_table_parts(t);
  for (int i = 0; i < n; i++) {
    cas_table part = cas_table_part(t, i);
    print_estimate(f, r, &part, i == 0);
  }
  if (n > 0) {
    const cas_mlmc *m = t->object;
    fprintf(f,
            "\nWork, in fixed-point iterations; %s coupling; epsilon^2 is %.4g%% bias^2 and "
            "%.4g%% variance\n",
            m->coupling, 100 * m->theta, 100 * (1 - m->theta));
    cas_table_print_columns(f, r, t, cost);
    print_sum(f, "predicted by the pilot", m->predicted_work, m->predicted_seconds);
    print_sum(f, "measured", m->total_work, m->seconds);
    fprintf(f, "  rounds %d, levels %d, predicted %d\n", m->rounds, m->levels, m->predicted_levels);
    double plain = isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work;
    fprintf(f, "  plain Monte Carlo of the same error needs %.4g paths of the finest step\n",
            m->plain_paths_needed);
    print_sum(f, "  by the variance on that level", m->plain_work, NAN);
    print_sum(f, "  by paths of that step alone", m->plain_work_measured, m->plain_seconds);
    fprintf(f, "  gain over plain Monte Carlo           %.3g%s\n", plain / m->total_work,
            m->plain_paths ? "" : ", predicted; study.plain_paths measures it");
    for (int i = 0; m->plain_paths && i < m->functionals; i++)
      fprintf(f, "  E %s of the finest step alone, %" PRId64 " paths: %.7g +- %.1e\n",
              m->functional[i].name, m->plain_paths, m->functional[i].plain_mean,
              m->functional[i].plain_standard_error);
  }
}

static const cas_table_kind table_estimate = {
    .size = sizeof(cas_mlmc_functional),
    .columns = cas_mlmc_functional_columns,
    .values = estimate_values,
    .name = offsetof(cas_mlmc_functional, name),
    .unit = offsetof(cas_mlmc_functional, unit),
    .laws = offsetof(cas_mlmc_functional, laws),
    .findings = offsetof(cas_mlmc_functional, findings),
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
    .print = print,
};
