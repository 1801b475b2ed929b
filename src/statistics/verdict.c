/* Which errors are resolved, and the verdicts on orders: their sentences and their findings. */
#include "base/scratch.h"
#include "base/text.h"
#include "statistics/fit_impl.h"
#include <math.h>
#include <stdlib.h>

#define RESOLVED_HALF_WIDTH \
  0.3 /* half-width of an interval up to which an order counts as resolved */
#define WANTED_HALF_WIDTH 0.1  /* half-width for which the verdict says how many paths are needed */
#define NO_SAMPLING_ERROR 1e-9 /* half-width up to which an interval is a point, as without noise */
#define EXACT_TOLERANCE \
  0.05 /* difference from theory that higher-order terms explain where there is no sampling error */

/* ---- numbers ---- */

/* Appends an order of theory with four digits at most, halves as "1/2". */
static void append_expected_order(char *text, size_t size, double expected) {
  double twice = 2 * expected;
  if (twice == floor(twice) && fmod(twice, 2) != 0)
    cas_append(text, size, "%.0f/2", twice);
  else
    cas_append(text, size, "%.4g", expected);
}

/* The number of decimals that shows the width of the interval, at least two. */
static int decimals(double half_width) {
  double wanted = half_width > 1e-6                ? ceil(-log10(half_width))
                  : half_width > NO_SAMPLING_ERROR ? 6
                                                   : 2;
  return wanted > 2 ? (int)wanted : 2;
}

/* ---- laws ---- */

static int terms_of(const cas_laws *l) { return l->headline / 2 + 1; }

static const char *words_of(int terms) {
  static const char *const words[] = {"Power law", "Two-term law", "Three-term law"};
  return words[terms - 1];
}

static cas_finding append_why_no_order(char *text, size_t size, const cas_laws *l, const char *of) {
  static const char *const number[] = {"none", "one", "two", "three", "four"};
  if (l->points < l->least) {
    cas_append(text, size, "not resolved: an order needs at least %s %s, and there %s %d",
               number[l->least], of, l->points == 1 ? "is" : "are", l->points);
    return CAS_TOO_FEW_LEVELS;
  }
  if (!isfinite(l->law[CAS_LAW_POWER].order)) {
    cas_append(text, size, "not resolved: too few paths for a law of %d %s and its covariance",
               l->points, of);
    return CAS_TOO_FEW_PATHS;
  }
  const cas_law *law = &l->law[2 * (l->least - 2)];
  cas_append(text, size,
             "pre-asymptotic or inadequate: no law of %d terms describes the %d %s (misfit p = "
             "%.1g); begin with a smaller study.coarsest_step",
             l->least - 1, l->points, of, law->p_value);
  return CAS_LAW_REJECTED;
}

static void append_paths_needed(char *text, size_t size, double half_width, double paths) {
  const double needed = paths * (half_width / WANTED_HALF_WIDTH) * (half_width / WANTED_HALF_WIDTH);
  if (!(needed > 0) || !isfinite(needed))
    return;
  cas_append(text, size, "; about ");
  int exponent = (int)floor(log10(needed));
  double unit = pow(10, exponent - 1), rounded = ceil(needed / unit * (1 - 1e-9)) * unit;
  if (needed < 1e6)
    cas_append(text, size, "%.0f", needed < 10 ? ceil(needed) : rounded);
  else
    cas_append(text, size, "%.1fe%d", rounded / pow(10, exponent), exponent);
  cas_append(text, size, " paths would be needed for +-%g", WANTED_HALF_WIDTH);
}

/* An interval that may lack an end, or both. One that is wide has no order in its middle: the data
   may fit several orders, one apart. */
static void append_interval(char *text, size_t size, const cas_law *h) {
  double half_width = (h->high - h->low) / 2;
  int d = decimals(half_width);
  if (half_width <= RESOLVED_HALF_WIDTH)
    cas_append(text, size, "order %.*f [%.*f, %.*f]", d, h->order, d, h->low, d, h->high);
  else if (isfinite(half_width))
    cas_append(text, size, "order within [%.2f, %.2f]", h->low, h->high);
  else if (isfinite(h->high))
    cas_append(text, size, "order at most %.2f", h->high);
  else if (isfinite(h->low))
    cas_append(text, size, "order at least %.2f", h->low);
  else
    cas_append(text, size, "not resolved: any order fits");
}

/* Says which steps or paths would show whether the errors have the order of theory. The first term
   is as large as the second where the step is as many times finer as that exceeds it at the
   finest. */
static void append_what_decides(char *text, size_t size, const cas_law *theory) {
  double c = fabs(theory->coefficient[0]), error = theory->coefficient_error[0],
         finer = (1 / theory->leading_share - 1) * c / (c + error);
  cas_append(text, size, " (c1 = %.1e +- %.0e)", theory->coefficient[0], error);
  if (finer > 1.5 && finer < 1e6)
    cas_append(text, size, "; steps about %.0f times finer would decide", exp2(ceil(log2(finer))));
  else
    cas_append(text, size, "; more paths would decide");
}

/* What the law with the order of theory shows: it is rejected, or its first term is seen, or
   neither. */
static cas_findings append_comparison(char *text, size_t size, const cas_laws *l, double expected) {
  const double rejected = 0.01, seen = 3; /* standard errors */
  /* The law of the headline with the order of theory. */
  const cas_law h = cas_laws_headline(l), *theory = &l->law[l->headline + 1];
  bool inside = h.low <= expected && expected <= h.high,
       resolved = fabs(theory->coefficient[0]) > seen * theory->coefficient_error[0];
  if (l->theory_p_value <= rejected) {
    cas_append(text, size, ": NOT consistent with ");
    append_expected_order(text, size, expected);
    cas_append(text, size, " (p = %.1g)%s", l->theory_p_value,
               inside ? ", though the interval spans it" : "");
    return cas_finding_set(CAS_DIFFERS);
  }
  if (inside && resolved) {
    cas_append(text, size, ": consistent with ");
    append_expected_order(text, size, expected);
    return cas_finding_set(CAS_CONSISTENT);
  }
  cas_append(text, size, "; order ");
  append_expected_order(text, size, expected);
  cas_append(text, size, " is not excluded");
  append_what_decides(text, size, theory);
  return cas_finding_set(CAS_NOT_RESOLVED) | (resolved ? 0 : cas_finding_set(CAS_NO_LEADING_TERM));
}

/* Without sampling error: the order is a point, and only its distance from theory is judged. */
static cas_findings append_point(char *text, size_t size, const cas_law *h, double expected) {
  bool near = fabs(h->order - expected) < EXACT_TOLERANCE;
  cas_append(text, size, "order %.2f, all paths alike", h->order);
  if (!isfinite(expected))
    return cas_finding_set(CAS_NO_THEORY);
  cas_append(text, size, ": %sconsistent with ", near ? "" : "NOT ");
  append_expected_order(text, size, expected);
  return cas_finding_set(near ? CAS_CONSISTENT : CAS_DIFFERS);
}

/* Whether the interval says too little: it has no upper end, or it is wide, unless three terms fit
   and the first of the order of theory is seen. */
static bool is_unresolved(const cas_laws *l, const cas_law *h, cas_findings found) {
  bool seen = cas_findings_have(found, CAS_CONSISTENT) && terms_of(l) == 3;
  return isinf(h->high) || (!seen && !(h->high - h->low <= 2 * RESOLVED_HALF_WIDTH));
}

static cas_findings append_order(char *text, size_t size, const cas_laws *l, double expected,
                                 double paths) {
  const cas_law h = cas_laws_headline(l);
  double half_width = (h.high - h.low) / 2;
  if (half_width <= NO_SAMPLING_ERROR)
    return append_point(text, size, &h, expected);
  append_interval(text, size, &h);
  cas_findings found = isfinite(expected) ? append_comparison(text, size, l, expected)
                                          : cas_finding_set(CAS_NO_THEORY);
  if (is_unresolved(l, &h, found)) {
    if (isfinite(half_width) && !cas_findings_have(found, CAS_NOT_RESOLVED))
      cas_append(text, size, "%s not resolved",
                 cas_findings_have(found, CAS_CONSISTENT) ? ", but" : ",");
    return found | cas_finding_set(CAS_NOT_RESOLVED);
  }
  if (half_width > WANTED_HALF_WIDTH && isfinite(half_width))
    append_paths_needed(text, size, half_width, paths);
  return found;
}

/* What the errors show of the order of theory by its leading term. */
static cas_findings append_conclusion(char *text, size_t size, const cas_laws *l, double expected,
                                      const char *of) {
  const cas_conclusion *c = &l->conclusion;
  const double seen = 3; /* standard errors */
  cas_findings found = cas_finding_set(c->judgement == CAS_SUPPORTED      ? CAS_CONSISTENT
                                       : c->judgement == CAS_CONTRADICTED ? CAS_DIFFERS
                                                                          : CAS_NOT_RESOLVED);
  cas_append(text, size, "%sorder ",
             c->judgement == CAS_CONTRADICTED ? "NOT consistent with " : "");
  append_expected_order(text, size, expected);
  cas_append(text, size, "%s",
             c->judgement == CAS_SUPPORTED    ? " supported"
             : c->judgement == CAS_UNRESOLVED ? " not resolved, and not excluded"
                                              : "");
  if (c->judgement == CAS_CONTRADICTED && l->theory_p_value < 1)
    cas_append(text, size, " (p = %.1g)", l->theory_p_value);
  cas_append(text, size, ": leading coefficient %.2e [%.2e, %.2e]", c->coefficient, c->low,
             c->high);
  if (c->judgement == CAS_SUPPORTED)
    cas_append(text, size, ", at least %.0f standard errors from 0", floor(c->seen));
  if (isfinite(c->order_low) && isfinite(c->order_high))
    cas_append(text, size, "; exponent if free %.2f [%.2f, %.2f]", c->order, c->order_low,
               c->order_high);
  cas_append(text, size, ". %s of %d %s, misfit p = %.2g", words_of(c->terms),
             l->points - c->left_out, of, c->p_value);
  if (c->left_out)
    cas_append(text, size, "; coarsest ones left out, with which no such law holds: %d",
               c->left_out);
  return c->seen > seen ? found : found | cas_finding_set(CAS_NO_LEADING_TERM);
}

/* Appends what the order is based on: the law, its values and its misfit. */
static void append_basis(char *text, size_t size, const cas_laws *l, const char *of) {
  const cas_law *h = &l->law[l->headline];
  int terms = terms_of(l);
  cas_append(text, size, ". %s of %d %s", words_of(terms), h->points, of);
  if (l->united)
    cas_append(text, size, ", the interval united with that of the finest %d", h->points - 1);
  if (isfinite(h->p_value))
    cas_append(text, size, ", misfit p = %.2g", h->p_value);
  else if (isfinite(h->chi2))
    cas_append(text, size, ": as many values as unknowns, so the fit cannot be tested");
  if (l->left_out)
    cas_append(text, size, "; coarsest ones left out, with which no such law holds: %d",
               l->left_out);
  if (isfinite(h->leading_share) && h->leading_share < 0.75 && terms == 2)
    cas_append(text, size, "; its leading term has %.0f%% of the finest one",
               100 * h->leading_share);
}

cas_findings cas_laws_append_verdict(char *text, size_t size, const cas_laws *l, double expected,
                                     double paths, const char *of) {
  const cas_conclusion *c = &l->conclusion;
  if (c->decides && l->headline < CAS_LAWS && c->terms == 0) {
    cas_append(text, size,
               "order not resolved: no law of whole powers holds (p <= 0.05); begin with a smaller "
               "study.coarsest_step");
    return cas_finding_set(CAS_NOT_RESOLVED);
  }
  if (c->decides && c->terms > 0 && l->points >= l->least)
    return append_conclusion(text, size, l, expected, of);
  bool none = l->headline == CAS_LAWS;
  cas_findings found = none ? cas_finding_set(append_why_no_order(text, size, l, of))
                            : append_order(text, size, l, expected, paths);
  /* Appends how errors fall at the steps of the study, which need not be their order. */
  const double most = 0.3; /* half-width up to which a rate is worth printing */
  double half = 1.96 * l->rate_error;
  if (half > 0 && half < most)
    cas_append(text, size, "; errors fall like h^%.2f +- %.2f between the finest two", l->rate,
               half);
  if (!none)
    append_basis(text, size, l, of);
  return found;
}

/* ---- curves ---- */

static void mark_resolved(cas_curve *c, double paths, double threshold) {
  for (int j = 0; j < c->levels; j++)
    c->resolved[j] =
        cas_fit_p_value(c->error[j], c->standard_error[j], paths, c->rounding) <= threshold;
  for (int j = 0; j + 1 < c->levels; j++)
    if (!c->resolved[j] || !c->resolved[j + 1])
      c->local_order[j] = c->local_order_error[j] = NAN;
}

/* Tests all strong errors as one family, or all weak errors of all functionals. */
static void resolve_family(cas_curve *curve, int n, cas_error_kind kind, double paths) {
  int tests = 0;
  for (int i = 0; i < n; i++)
    tests += curve[i].kind == kind ? curve[i].levels : 0;
  double *p_value = tests ? cas_scratch((size_t)tests * sizeof *p_value) : NULL;
  int k = 0;
  for (int i = 0; p_value && i < n; i++)
    for (int j = 0; curve[i].kind == kind && j < curve[i].levels; j++)
      p_value[k++] =
          cas_fit_p_value(curve[i].error[j], curve[i].standard_error[j], paths, curve[i].rounding);
  double threshold = p_value ? cas_fit_holm_threshold(p_value, k) : -1;
  for (int i = 0; i < n; i++)
    if (curve[i].kind == kind)
      mark_resolved(&curve[i], paths, threshold);
  free(p_value);
}

static bool all_rounding(const cas_curve *c) {
  for (int j = 0; j < c->levels; j++)
    if (!(fmax(fabs(c->error[j]), c->standard_error[j]) <= c->rounding))
      return false;
  return true;
}

/* Recommends the multilevel study: weak errors of levels coupled to one reference have a sampling
   error as large as a strong error. */
static void append_advice(cas_curve *c) {
  cas_law law = cas_laws_headline(&c->laws);
  if (c->kind == CAS_WEAK && !c->averaged && c->standard_error[0] > 0 &&
      law.high - law.low > 2 * RESOLVED_HALF_WIDTH)
    cas_append(c->verdict, sizeof c->verdict,
               "; study.kind: weak_multilevel resolves weak orders with far fewer paths");
}

/* The kurtosis of strong errors, E |d|^4 / (E |d|^2)^2, follows from the standard error of their
   root mean square. If it is large, a few paths dominate, and standard errors are unreliable. */
static void append_outliers(cas_curve *c, double paths) {
  const double most = 100;
  for (int j = 0; j < c->levels; j++) {
    const double share = c->standard_error[j] / c->error[j],
                 kurtosis = 1 + 4 * paths * share * share;
    if (!(kurtosis > most))
      continue;
    c->findings |= cas_finding_set(CAS_OUTLIERS);
    cas_append(
        c->verdict, sizeof c->verdict,
        ". WARNING: kurtosis %.0f of the errors of step %d: a few paths dominate; if normals "
        "were clipped there, raise integrator.truncation",
        kurtosis, j + 1);
    return;
  }
}

static void describe_curve(cas_curve *c, double paths) {
  size_t size = sizeof c->verdict;
  bool squares = c->kind == CAS_STRONG && c->standard_error[0] != 0;
  c->verdict[0] = '\0';
  if (all_rounding(c)) {
    c->findings = cas_finding_set(CAS_ALL_ROUNDING);
    cas_append(c->verdict, size, "not resolved: %s",
               cas_fit_all_alike(c->levels, c->error, c->standard_error)
                   ? "no path has another value at another step"
                   : "all errors are rounding");
  } else if (paths < 2 && isnan(c->standard_error[0])) {
    c->findings = cas_finding_set(CAS_TOO_FEW_PATHS);
    cas_append(c->verdict, size, "not resolved: too few paths for a standard error");
  } else {
    c->findings =
        cas_laws_append_verdict(c->verdict, size, &c->laws, c->expected_order, paths,
                                squares ? "squared differences of neighbouring levels" : "errors");
    append_advice(c);
    if (c->kind == CAS_STRONG)
      append_outliers(c, paths);
  }
}

void cas_curves_conclude(cas_curve *curve, int n, double paths) {
  CAS_LOCALE_OF_C;
  resolve_family(curve, n, CAS_STRONG, paths);
  resolve_family(curve, n, CAS_WEAK, paths);
  for (int i = 0; i < n; i++)
    describe_curve(&curve[i], paths);
}
