/* Results as tables for people. */
#include "base/grid.h"
#include "base/text.h"
#include "files/results/result.h"
#include "paths/problem/problem.h"
#include <inttypes.h>
#include <limits.h>

static const char *known(const char *text) { return text && *text ? text : "?"; }

/* ---- header ---- */

/* Whether the finest step is a reference, and no level like others. */
static bool has_reference(const cas_results *r) {
  for (int i = 0; i < r->tables; i++)
    if (r->table[i].kind->more_levels)
      return false;
  return true;
}

/* What a level is: "h = 2^-7", or "N = 32". */
static const char *level_text(const cas_results *r, int level, char text[40]) {
  text[0] = '\0';
  cas_table_append_level(text, 40, r->time_step ? "N = " : "h = ", r, level);
  return text;
}

static void print_horizon(FILE *f, const cas_results *r) {
  const double coarsest = r->time_step ? r->time_step[0] : r->step[0];
  const char *scheme = r->provenance.reference_integrator;
  char step[32], finest[40] = "";
  cas_step_format(coarsest, step, sizeof step);
  fprintf(f, "%-12s%.10g = %" PRId64 " steps of %s", "horizon", coarsest * (double)r->steps[0],
          r->steps[0], step);
  cas_table_append_level(finest, sizeof finest, r->time_step ? "N = " : "", r, r->levels);
  if (!has_reference(r))
    fprintf(f, "; %d levels to %s", r->levels + 1, finest);
  else if (r->levels > 0)
    fprintf(f, "; %d level%s, reference %s%s%s", r->levels, r->levels > 1 ? "s" : "", finest,
            scheme ? " by " : "", scheme ? scheme : "");
  fputc('\n', f);
  if (has_reference(r) && r->levels > 0 && !scheme && !r->time_step)
    fprintf(f, "%-12san error of its own, %.2g%% of that of the finest step at order 1\n",
            "reference", 100 * r->step[r->levels] / r->step[r->levels - 1]);
  if (r->time_step)
    fprintf(f, "%-12sdiffer in N%s\n", "levels",
            r->step[0] == r->time_step[0] ? " and step" : "; h stands for N^-2 in laws and orders");
}

/* Prints what a study on many ranks spends beside its paths, and what paths cost. */
static void print_timing(FILE *f, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  double steps = 0;
  for (int j = 0; j < r->health.levels; j++)
    steps += (double)r->health.steps_taken[j];
  if (!(p->seconds.integrate > 0))
    return;
  fprintf(f, "%-12s%.4g s; paths %.4g s (slowest rank), %.4g s (mean); reduction %.3g s\n", "time",
          p->seconds.elapsed, p->seconds.integrate, p->seconds.integrate_mean, p->seconds.reduce);
  if (steps > 0 && p->seconds.integrate_mean > 0)
    fprintf(f, "%-12s%.3g steps a second and rank; %.3g s of core time\n", "cost",
            steps / p->seconds.integrate_mean / p->ranks, p->seconds.elapsed * p->ranks);
}

static void print_header(FILE *f, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  fprintf(f, "%s of %s\n", known(p->study), known(p->system));
  fprintf(f, "%-12s%s\n", "integrator", known(p->integrator));
  fprintf(f, "%-12s%s, seed %" PRId64 "\n", "generator", known(p->generator), p->seed);
  fprintf(f, "%-12s%" PRId64, p->alone ? "path" : "paths", p->alone ? p->path : p->paths);
  if (p->alone && p->path < p->paths) /* else of a study that decides how many there are */
    fprintf(f, " of %" PRId64, p->paths);
  fprintf(f, ", %d a block\n", p->lanes);
  if (r->step && r->steps)
    print_horizon(f, r);
  if (p->ranks > 0) {
    fprintf(f, "%-12s%d rank%s", "computed on", p->ranks, p->ranks == 1 ? "" : "s");
    char elapsed[32];
    cas_text_duration(elapsed, sizeof elapsed, p->seconds.elapsed);
    if (p->seconds.elapsed >= 60 || !(p->seconds.integrate > 0)) /* else print_timing has it */
      fprintf(f, ", %s", elapsed);
    if (p->started && *p->started)
      fprintf(f, ", started %s", p->started);
    fputc('\n', f);
    print_timing(f, r);
  }
  if (p->kernels && *p->kernels)
    fprintf(f, "%-12s%s\n", "kernels", p->kernels);
  fprintf(f, "%-12s%s", "casimir", known(p->casimir.version));
  if (p->casimir.commit && *p->casimir.commit)
    fprintf(f, " (%s)", p->casimir.commit);
  fputc('\n', f);
}

/* ---- health ---- */

/* Normals are cut at A_h = sqrt(2 l |ln h|), which falls to 0 as h rises to 1. */
static void print_clipping(FILE *f, const cas_results *r) {
  const double enough = 0.01;
  const cas_health *h = &r->health;
  bool any = false;
  for (int j = 0; j < h->levels; j++) {
    double normals = (double)h->steps_taken[j] * (double)h->noises;
    double share = normals > 0 ? (double)h->clipped[j] / normals : 0;
    char text[40];
    if (share <= enough)
      continue;
    fprintf(f, "%s %.3g%% at %s", any ? "," : "  CLIPPED: of the normals", 100 * share,
            level_text(r, j, text));
    any = true;
  }
  if (any)
    fprintf(f,
            "\n  More than %g%% change the noise: begin with a smaller step, or raise "
            "integrator.truncation.\n",
            100 * enough);
}

static void print_place(FILE *f, const cas_results *r, int64_t path, int level) {
  char text[40];
  fprintf(f, "path %" PRId64, path);
  if (level >= 0 && level < r->health.levels)
    fprintf(f, ", %s", level_text(r, level, text));
}

static void print_drift(FILE *f, const cas_results *r) {
  const cas_health *h = &r->health;
  const cas_provenance *p = &r->provenance;
  if (h->drift_path < 0 || h->casimir_drift_max == 0) /* as where nothing is watched */
    return;
  const cas_system *s = cas_system_find(known(p->system));
  const bool of_momenta = s && s->momenta.number;
  fprintf(f, "  Largest relative drift of a %s: %.2e (", of_momenta ? "momentum map" : "Casimir",
          h->casimir_drift_max);
  print_place(f, r, h->drift_path, h->drift_level);
  const bool of_reference = h->drift_level == r->levels && p->reference_integrator;
  const char *scheme = of_reference ? p->reference_integrator : known(p->integrator);
  const bool drifts = cas_scheme_lets_casimirs_drift(known(p->system), scheme);
  fprintf(f, ")%s%s\n", p->casimirs ? ": " : "",
          p->casimirs ? p->casimirs
          : drifts    ? " (this scheme does not keep them)"
                      : "");
}

static void print_failures(FILE *f, const cas_results *r) {
  const cas_health *h = &r->health;
  if (h->failed_paths == 0) {
    fprintf(f, "  Failed paths: none\n");
    return;
  }
  fprintf(f, "  FAILED PATHS: %" PRId64 " of %" PRId64 " (%.3g%%)", h->failed_paths,
          r->provenance.paths, 100 * (double)h->failed_paths / (double)r->provenance.paths);
  if (r->tables == 0)
    fprintf(f, ", recorded as they are");
  else if (h->left_out_paths == h->failed_paths)
    fprintf(f, ", left out of every statistic");
  else if (h->left_out_paths == 0)
    fprintf(f, ", taken as they are");
  else
    fprintf(f, "; %" PRId64 " taken as they are, %" PRId64 " left out of every statistic",
            h->failed_paths - h->left_out_paths, h->left_out_paths);
  fprintf(f, "; first: ");
  print_place(f, r, h->first_failed_path, h->first_failed_level);
  char why[CAS_FAILED_QUANTITY + 80];
  fprintf(f, "\n  There %s.",
          cas_failure_describe((cas_failure)h->first_failed_cause, h->first_failed_quantity,
                               h->first_failed_time, why, sizeof why));
  if (h->first_failed_cause != CAS_FAILURE_VALUE) /* of a path alone nothing else is computed */
    fprintf(f, " See it alone: casimir run ... --only-path %" PRId64, h->first_failed_path);
  fputc('\n', f);
}

/* Whether no path is left for the statistics, which are then no numbers. */
static bool has_no_path(const cas_results *r) {
  return r->tables > 0 && r->health.failed_paths > 0 &&
         r->health.left_out_paths >= r->provenance.paths;
}

/* Paths that did not converge are among the failed ones, and have their own line. */
static void print_health(FILE *f, const cas_results *r) {
  const cas_health *h = &r->health;
  if (h->levels == 0 || !r->step)
    return;
  cas_grid g = {0};
  const char *const headings[] = {r->time_step ? "N" : "step",
                                  "steps",
                                  "iterations",
                                  "max",
                                  "not converged",
                                  "NaN paths",
                                  "clipped normals",
                                  "second method"};
  enum { COLUMNS = sizeof headings / sizeof *headings };
  for (int k = 0; k < COLUMNS; k++)
    (void)cas_grid_add(&g, headings[k]);
  for (int j = 0; j < h->levels; j++) {
    const double steps = (double)h->steps_taken[j];
    char text[COLUMNS][32] = {""};
    cas_table_append_level(text[0], sizeof text[0], "", r, j);
    snprintf(text[1], sizeof text[1], "%" PRId64, h->steps_taken[j]);
    snprintf(text[2], sizeof text[2], steps > 0 ? "%.2f" : "-", (double)h->iterations[j] / steps);
    snprintf(text[3], sizeof text[3], "%" PRId64, h->iterations_max[j]);
    snprintf(text[4], sizeof text[4], "%" PRId64, h->not_converged[j]);
    snprintf(text[5], sizeof text[5], "%" PRId64, h->nan[j]);
    snprintf(text[6], sizeof text[6], "%" PRId64, h->clipped[j]);
    if (h->second_method[j] > 0) /* steps that took longer than others */
      snprintf(text[7], sizeof text[7], "%" PRId64, h->second_method[j]);
    for (int k = 0; k < COLUMNS; k++)
      cas_grid_put(&g, k, j, text[k]);
  }
  fprintf(f, "\nHealth\n");
  cas_grid_print(f, &g, 2, INT_MAX);
  cas_grid_free(&g);
  print_clipping(f, r);
  print_drift(f, r);
  print_failures(f, r);
}

void cas_results_print(FILE *f, const cas_results *r) {
  CAS_LOCALE_OF_C;
  const int64_t paths = r->provenance.paths;
  char not_valid[200];
  cas_error err;
  cas_frame own = {0};
  const cas_frame *result = r->provenance.alone ? NULL : cas_result_of(r, &own, &err);
  if (result) {
    cas_text_wrap(f, result->headline, 0, 96);
    fputc('\n', f);
  }
  cas_frame_free(&own);
  print_header(f, r);
  if (has_no_path(r)) {
    fprintf(f, "\nNo statistics: all %" PRId64 " paths failed and are left out.\n", paths);
  } else {
    if (cas_health_not_valid(&r->health, paths, not_valid, sizeof not_valid))
      fprintf(f, "\nN%s of every statistic\n", not_valid + 1);
    cas_tables_print(f, r);
  }
  print_health(f, r);
}

/* ---- what fits a screen ---- */

/* What makes paths dearer than they need be, in percent, where it is much: steps that a second
   method had to solve, and ranks that wait for the slowest. */
static void append_costs(char *text, size_t size, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  double steps = 0, second = 0;
  for (int j = 0; j < r->health.levels; j++) {
    steps += (double)r->health.steps_taken[j];
    second += (double)r->health.second_method[j];
  }
  if (second > 0.01 * steps)
    cas_append(text, size, "; %.0f%% of steps by the second method", 100 * second / steps);
  if (p->seconds.integrate > 1 && p->seconds.integrate_mean < 0.9 * p->seconds.integrate)
    cas_append(text, size, "; ranks wait %.0f%% for the slowest",
               100 - 100 * p->seconds.integrate_mean / p->seconds.integrate);
}

/* "0 of 500 paths failed; Casimirs kept to 1.5e-14; 0.09 s on 2 ranks" */
static void print_health_line(FILE *f, const cas_results *r) {
  const cas_provenance *p = &r->provenance;
  const cas_health *h = &r->health;
  const cas_system *s = cas_system_find(known(p->system));
  char text[300] = "";
  if (h->levels > 0 && !p->alone)
    cas_append(text, sizeof text, "; %" PRId64 " of %" PRId64 " path%s failed", h->failed_paths,
               p->paths, p->paths == 1 ? "" : "s");
  if (h->drift_path >= 0 && h->casimir_drift_max != 0)
    cas_append(text, sizeof text, "; %s %s %.1e%s",
               s && s->momenta.number ? "momentum maps" : "Casimirs",
               p->casimirs || cas_scheme_lets_casimirs_drift(known(p->system), known(p->integrator))
                   ? "drift by"
                   : "kept to",
               h->casimir_drift_max, p->casimirs ? " (damping or forcing)" : "");
  char elapsed[32];
  cas_text_duration(elapsed, sizeof elapsed, p->seconds.elapsed);
  if (p->ranks > 0)
    cas_append(text, sizeof text, "; %s on %d rank%s", elapsed, p->ranks, p->ranks == 1 ? "" : "s");
  append_costs(text, sizeof text, r);
  if (text[0])
    fprintf(f, "  %s\n", text + 2);
  print_clipping(f, r);
  if (h->failed_paths > 0)
    print_failures(f, r);
}

/* Findings that make numbers doubtful, by the names of files; --long says what they mean. */
static void print_warnings(FILE *f, const cas_table *t) {
  static const cas_finding grave[] = {CAS_SUM_BROKEN, CAS_OUTLIERS, CAS_NOT_ANTITHETIC};
  for (size_t i = 0; i < sizeof grave / sizeof *grave; i++)
    if (cas_findings_have(cas_table_findings(t), grave[i]))
      fprintf(f, "  WARNING: %s of %s (--long says more)\n", cas_finding_names[grave[i]],
              cas_table_name(t));
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    print_warnings(f, &part);
  }
}

static void print_places(FILE *f, const cas_frame *result, const char *file,
                         const char *resolving) {
  if (result->advice[0] && resolving)
    fprintf(f, "  try: %s\n", resolving);
  else if (result->advice[0]) {
    fprintf(f, "  try the same with %s", result->advice);
    if (file)
      cas_result_other_output(f, file);
    fputc('\n', f);
  }
  if (file)
    fprintf(f, "  results in %s  (casimir report, casimir plot; --long for every table)\n", file);
}

void cas_results_print_brief(FILE *f, const cas_results *r, const char *file,
                             const char *resolving) {
  CAS_LOCALE_OF_C;
  if (r->provenance.alone) { /* one path has nothing to conclude, and its number is in the header */
    cas_results_print(f, r);
    return;
  }
  cas_error err = {0};
  cas_frame own = {0};
  const cas_frame *result = cas_result_of(r, &own, &err);
  if (!result) {
    fprintf(f, "%s\n", err.text);
    return;
  }
  cas_text_wrap(f, result->headline, 0, 96);
  if (has_no_path(r))
    fprintf(f, "  No statistics: all %" PRId64 " paths failed and are left out.\n",
            r->provenance.paths);
  else if (result->rows > 0)
    cas_frame_print(f, result, 4, INT_MAX);
  for (int i = cas_results_multilevel(r) ? cas_results_curves(r) : 0; i < r->tables; i++)
    print_warnings(f, &r->table[i]);
  print_health_line(f, r);
  print_places(f, result, file, resolving);
  cas_frame_free(&own);
}
