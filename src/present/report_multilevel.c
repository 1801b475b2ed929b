/* Differences of neighbouring levels as tables for people. */
#include "present/report_impl.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_fit(FILE *f, const char *law, const char *symbol, const cas_fit *fit) {
  fprintf(f, "  %s ", law);
  if (!isfinite(fit->order))
    fprintf(f, "not fitted\n");
  else if (fit->low == fit->high)
    fprintf(f, "%s = %.3f, no sampling error\n", symbol, fit->order);
  else
    fprintf(f, "%s = %.3f, 95%% interval [%.3f, %.3f]\n", symbol, fit->order, fit->low, fit->high);
}

static void print_level(FILE *f, const cas_results *r, const cas_differences *d, int l) {
  char step[32];
  cas_step_format(r->step[l], step, sizeof step);
  fprintf(f, "  %-8s", step);
  cas_print_real(f, "%.3e", 11, d->difference[l]);
  cas_print_real(f, "%.1e", 8, d->standard_error[l]);
  cas_print_real(f, "%.3f", 7, l > 0 ? d->local_order[l - 1] : NAN);
  cas_print_real(f, "%.3f", 6, l > 0 ? d->local_order_error[l - 1] : NAN);
  cas_print_real(f, "%.3f", 7, l > 1 ? d->next_order[l - 2] : NAN);
  cas_print_real(f, "%.3f", 6, l > 1 ? d->next_order_error[l - 2] : NAN);
  fprintf(f, "  %-4s", d->resolved[l] ? "yes" : "NO");
  cas_print_real(f, "%.2e", 10, d->variance[l]);
  cas_print_real(f, "%.2f", 7, l > 0 ? d->local_decay[l - 1] : NAN);
  cas_print_real(f, "%.3g", 9, d->pair_variance[l] / d->variance[l]);
  cas_print_real(f, "%.3g", 9, d->kurtosis[l]);
  fputc('\n', f);
}

static void print_differences(FILE *f, const cas_results *r, const cas_differences *d) {
  fprintf(f, "\nDifferences of neighbouring levels, %s: E phi(X_h) - E phi(X_h/2)\n", d->name);
  fprintf(f, "  %-8s%11s%8s%7s%6s%7s%6s  %-4s%10s%7s%9s%9s\n", "step h", "difference", "+-",
          "order", "+-", "next", "+-", "res.", "variance", "beta", "gain", "kurtosis");
  for (int l = 0; l < r->multilevel->levels; l++)
    print_level(f, r, d, l);
  fprintf(f, "  next: order with the next term of the law removed; res.: whether the difference is "
             "resolved;\n"
             "  gain: variance with one fine path over variance\n");
  print_fit(f, "variances C h^beta:", "beta", &d->variance_decay);
  cas_print_laws(f, &d->laws, 1, "differences");
  cas_print_extrapolation(f, &d->extrapolated);
  cas_print_sentence(f, d->verdict);
}

static void print_cost(FILE *f, const cas_results *r) {
  const cas_multilevel *m = r->multilevel;
  fprintf(f, "\nCost of a level, %s coupling\n  %-10s%12s%14s%18s\n", m->coupling, "step h",
          "paths", "steps a path", "iterations a path");
  for (int l = 0; l < m->levels; l++) {
    char step[32];
    cas_step_format(r->step[l], step, sizeof step);
    fprintf(f, "  %-10s%12" PRId64 "%14.0f%18.1f\n", step, m->paths[l], m->steps[l],
            m->iterations[l]);
  }
  if (isfinite(m->cost_growth))
    fprintf(f, "  iterations a path grow like h^-%.2f\n", m->cost_growth);
}

void cas_print_multilevel(FILE *f, const cas_results *r) {
  for (int i = 0; i < r->multilevel->functionals; i++)
    print_differences(f, r, &r->multilevel->functional[i]);
  if (r->multilevel->verdict[0]) {
    fputc('\n', f);
    cas_print_sentence(f, r->multilevel->verdict);
  }
  print_cost(f, r);
}
