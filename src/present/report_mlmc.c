/* Multilevel Monte Carlo as tables for people. */
#include "present/report_impl.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_step(FILE *f, const cas_results *r, int l) {
  char step[32];
  cas_step_format(r->step[l], step, sizeof step);
  fprintf(f, "  %-10s", step);
}

/* ---- one functional ---- */

static void print_level(FILE *f, const cas_results *r, const cas_mlmc_functional *p, int l) {
  print_step(f, r, l);
  fprintf(f, "%13" PRId64, r->mlmc->paths[l]);
  cas_print_real(f, "%#.7g", 15, p->level_mean[l]);
  cas_print_real(f, "%.3e", 12, p->mean[l]);
  cas_print_real(f, "%.1e", 9, p->standard_error[l]);
  cas_print_real(f, "%.2e", 10, p->level_variance[l]);
  cas_print_real(f, "%.2e", 10, p->variance[l]);
  cas_print_real(f, "%.3g", 9, p->kurtosis[l]);
  cas_print_real(f, "%.2f", 7, p->consistency[l]);
  fputc('\n', f);
}

static void print_functional(FILE *f, const cas_results *r, const cas_mlmc_functional *p) {
  bool first = p == &r->mlmc->functional[0];
  fprintf(f, "\nMultilevel estimate of E %s%s\n", p->name,
          first ? ", which decided on levels and paths" : "");
  fprintf(f, "  %-10s%13s%15s%12s%9s%10s%10s%9s%7s\n", "step h", "paths", "E P_l", "E P_l-P_l-1",
          "+-", "Var P_l", "Var Y_l", "kurtosis", "check");
  for (int l = 0; l < r->mlmc->levels; l++)
    print_level(f, r, p, l);
  fprintf(f, "  estimate %.10g, standard error %.2e, bias %.2e, total error %.2e", p->estimate,
          p->estimate_error, p->bias, p->total_error);
  if (strcmp(p->unit, "1") != 0)
    fprintf(f, "\n  in units of %s", p->unit);
  fputc('\n', f);
  cas_print_laws(f, &p->laws, 1, "differences");
  cas_print_extrapolation(f, &p->extrapolated);
  cas_print_sentence(f, p->verdict);
}

/* ---- cost ---- */

static void print_levels_cost(FILE *f, const cas_results *r) {
  const cas_mlmc *m = r->mlmc;
  fprintf(f,
          "\nWork, in fixed-point iterations; %s coupling; epsilon^2 is %.4g%% bias^2 and "
          "%.4g%% variance\n",
          m->coupling, 100 * m->theta, 100 * (1 - m->theta));
  fprintf(f, "  %-10s%13s%14s%14s%12s\n", "step h", "paths", "steps a path", "work a path", "work");
  for (int l = 0; l < m->levels; l++) {
    print_step(f, r, l);
    fprintf(f, "%13" PRId64 "%14.0f%14.1f%12.3e\n", m->paths[l], m->steps[l], m->work[l],
            m->work[l] * (double)m->paths[l]);
  }
}

static void print_sum(FILE *f, const char *what, double work, double seconds) {
  if (!isfinite(work))
    return;
  fprintf(f, "  %-38s%.4g", what, work);
  if (isfinite(seconds))
    fprintf(f, " in %.3g core seconds", seconds);
  fputc('\n', f);
}

static void print_cost(FILE *f, const cas_results *r) {
  const cas_mlmc *m = r->mlmc;
  double plain = isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work;
  print_levels_cost(f, r);
  print_sum(f, "predicted by the pilot", m->predicted_work, m->predicted_seconds);
  print_sum(f, "measured", m->total_work, m->seconds);
  fprintf(f, "  rounds %d, levels %d, predicted %d\n", m->rounds, m->levels, m->predicted_levels);
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

void cas_print_mlmc(FILE *f, const cas_results *r) {
  for (int i = 0; i < r->mlmc->functionals; i++)
    print_functional(f, r, &r->mlmc->functional[i]);
  if (r->mlmc->functionals > 0)
    print_cost(f, r);
}
