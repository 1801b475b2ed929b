/* Laws of errors as a table for people. */
#include "present/report_impl.h"
#include <math.h>

/* c h^q and so on: of weak errors, of squares of strong ones, each with any order and with that of
   theory. */
static const char *form_of(int law, double scale) {
  static const char *const weak[] = {"c1 h^q", "c1 h^q, q by theory", "c1 h^q + c2 h^(q+1)",
                                     "the same, q by theory"};
  static const char *const square[] = {"c1 h^2p", "c1 h^2p, p by theory", "c1 h^2p + c2 h^(2p+1)",
                                       "the same, p by theory"};
  return (scale == 2 ? square : weak)[law];
}

static void print_interval(FILE *f, const cas_law *l) {
  char low[32], high[32], text[80] = "";
  snprintf(low, sizeof low, isfinite(l->low) ? "%.3f" : "..", l->low);
  snprintf(high, sizeof high, isfinite(l->high) ? "%.3f" : "..", l->high);
  if (l->low != l->high)
    snprintf(text, sizeof text, "[%s, %s]", low, high);
  fprintf(f, "  %-15s", text);
}

static void print_coefficient(FILE *f, const cas_law *l, int k) {
  cas_print_real(f, "%.2e", 10, l->coefficient[k]);
  cas_print_real(f, "%.0e", 6, l->coefficient_error[k]);
}

static void print_law(FILE *f, const cas_laws *all, int law, double scale) {
  const cas_law *l = &all->law[law];
  fprintf(f, "%c %-21s", law == all->headline ? '*' : ' ', form_of(law, scale));
  cas_print_real(f, "%.3f", 6, l->order);
  print_interval(f, l);
  print_coefficient(f, l, 0);
  print_coefficient(f, l, 1);
  cas_print_real(f, "%.3g", 9, l->chi2);
  cas_print_real(f, "%.0f", 4, l->degrees_of_freedom);
  cas_print_real(f, "%.2g", 9, l->p_value);
  fputc('\n', f);
}

void cas_print_laws(FILE *f, const cas_laws *l, double scale, const char *of) {
  if (!isfinite(l->law[CAS_LAW_POWER].order))
    return;
  fprintf(f, "  Laws of %d %s", l->law[CAS_LAW_POWER].points, of);
  if (l->left_out)
    fprintf(f, ", without the coarsest (%d)", l->left_out);
  if (l->headline < CAS_LAWS)
    fprintf(f, "; *: headline");
  fprintf(f, "\n  %-21s%6s  %-15s%10s%6s%10s%6s%9s%4s%9s\n", "law", "order", "95% interval", "c1",
          "+-", "c2", "+-", "chi2", "dof", "p");
  for (int law = 0; law < CAS_LAWS; law++)
    if (isfinite(l->law[law].order))
      print_law(f, l, law, scale);
}

void cas_print_extrapolation(FILE *f, const cas_extrapolation *e) {
  if (!isfinite(e->value))
    return;
  fprintf(f, "  E phi at h = 0 by the order of theory: %#.10g +- %.1e (sampling) +- %.1e (law)\n",
          e->value, e->standard_error, e->law_error);
}
