/* Which errors are resolved, and the verdicts on orders: their sentences and their findings. */
#include "statistics/fit_impl.h"
#include <math.h>
#include <stdlib.h>

#define RESOLVED_HALF_WIDTH \
  0.3 /* half-width of an interval up to which an order counts as resolved */
#define WANTED_HALF_WIDTH 0.1 /* half-width for which the verdict says how many paths are needed */
#define LEADING \
  0.501 /* a leading share up to this one means that the first term was forced to lead */
#define NO_SAMPLING_ERROR 1e-9 /* half-width up to which an interval is a point, as without noise */
#define EXACT_TOLERANCE \
  0.05 /* difference from theory that higher-order terms explain where there is no sampling error */

/* ---- numbers ---- */

static void append_path_count(char *text, size_t size, double paths) {
  int exponent = (int)floor(log10(paths));
  double unit = pow(10, exponent - 1), rounded = ceil(paths / unit * (1 - 1e-9)) * unit;
  if (paths < 1e6)
    cas_append(text, size, "%.0f", paths < 10 ? ceil(paths) : rounded);
  else
    cas_append(text, size, "%.1fe%d", rounded / pow(10, exponent), exponent);
}

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

static void append_rejection(char *text, size_t size, const cas_laws *l, const char *of) {
  cas_append(
      text, size,
      "pre-asymptotic or inadequate: the two-term law does not describe the %d %s (misfit p = "
      "%.1g); begin with a smaller study.coarsest_step",
      l->points, of, l->law[CAS_LAW_TWO_TERM].p_value);
}

static cas_finding append_why_no_order(char *text, size_t size, const cas_laws *l, const char *of) {
  if (l->points < 3) {
    cas_append(text, size, "not resolved: an order needs at least three %s, and there %s %d", of,
               l->points == 1 ? "is" : "are", l->points);
    return CAS_TOO_FEW_LEVELS;
  }
  if (!isfinite(l->law[CAS_LAW_POWER].order)) {
    cas_append(text, size, "not resolved: too few paths for a law of %d %s and its covariance",
               l->points, of);
    return CAS_TOO_FEW_PATHS;
  }
  append_rejection(text, size, l, of);
  return CAS_LAW_REJECTED;
}

/* Says what an interval shows of which one end is open, or both. */
static cas_finding append_open_interval(char *text, size_t size, const cas_law *h) {
  cas_append(text, size, "not resolved: ");
  if (isfinite(h->low))
    cas_append(text, size, "any order above %.2f fits", h->low);
  else if (isfinite(h->high))
    cas_append(text, size, "any order below %.2f fits", h->high);
  else
    cas_append(text, size, "any order fits");
  return CAS_NOT_RESOLVED;
}

static void append_comparison(char *text, size_t size, bool inside, double expected) {
  cas_append(text, size, ": %sconsistent with ", inside ? "" : "NOT ");
  append_expected_order(text, size, expected);
}

static void append_paths_needed(char *text, size_t size, double half_width, double paths) {
  if (!(paths > 0))
    return;
  cas_append(text, size, "; about ");
  append_path_count(text, size,
                    paths * (half_width / WANTED_HALF_WIDTH) * (half_width / WANTED_HALF_WIDTH));
  cas_append(text, size, " paths would be needed for +-%g", WANTED_HALF_WIDTH);
}

static cas_findings append_interval(char *text, size_t size, const cas_law *h, double expected,
                                    double paths) {
  double half_width = (h->high - h->low) / 2;
  bool exact = half_width <= NO_SAMPLING_ERROR, known = isfinite(expected);
  bool inside = exact ? fabs(h->order - expected) < EXACT_TOLERANCE
                      : h->low <= expected && expected <= h->high;
  bool leads = exact || h->leading_share > LEADING,
       wide = leads && half_width > RESOLVED_HALF_WIDTH;
  cas_findings found = cas_finding_set(!known   ? CAS_NO_THEORY
                                       : inside ? CAS_CONSISTENT
                                                : CAS_DIFFERS);
  int d = decimals(half_width);
  if (leads)
    cas_append(text, size, "order %.*f", d, h->order);
  else
    cas_append(text, size, "order within");
  if (exact)
    cas_append(text, size, ", all paths alike");
  else
    cas_append(text, size, " [%.*f, %.*f]", d, h->low, d, h->high);
  if (known)
    append_comparison(text, size, inside, expected);
  if (!leads)
    cas_append(text, size, ", but no leading term is resolved");
  else if (wide)
    cas_append(text, size, "%s not resolved", known && inside ? ", but" : ",");
  if (leads && !wide && half_width > WANTED_HALF_WIDTH)
    append_paths_needed(text, size, half_width, paths);
  return found | (leads ? 0 : cas_finding_set(CAS_NO_LEADING_TERM)) |
         (wide ? cas_finding_set(CAS_NOT_RESOLVED) : 0);
}

/* Appends what the order is based on: the law, its values and its misfit. */
static void append_basis(char *text, size_t size, const cas_laws *l, const char *of) {
  const cas_law *h = &l->law[l->headline];
  cas_append(text, size, ". %s law of %d %s", l->headline == CAS_LAW_POWER ? "Power" : "Two-term",
             h->points, of);
  if (isfinite(h->p_value))
    cas_append(text, size, ", misfit p = %.2g", h->p_value);
  else if (isfinite(h->chi2))
    cas_append(text, size, ": as many values as unknowns, so the fit cannot be tested");
  if (l->left_out)
    cas_append(text, size, "; coarsest ones left out, with which no such law holds: %d",
               l->left_out);
  if (isfinite(h->leading_share) && h->leading_share < 0.75 && l->headline != CAS_LAW_POWER)
    cas_append(text, size, "; its leading term has %.0f%% of the finest one",
               100 * h->leading_share);
}

cas_findings cas_append_law_verdict(char *text, size_t size, const cas_laws *l, double expected,
                                    double paths, const char *of) {
  if (l->headline == CAS_LAWS)
    return cas_finding_set(append_why_no_order(text, size, l, of));
  const cas_law *h = &l->law[l->headline];
  cas_findings found = isfinite(h->low) && isfinite(h->high)
                           ? append_interval(text, size, h, expected, paths)
                           : cas_finding_set(append_open_interval(text, size, h));
  append_basis(text, size, l, of);
  return found;
}

/* ---- curves ---- */

static void mark_resolved(cas_curve *c, double rounding, double paths, double threshold) {
  for (int j = 0; j < c->levels; j++)
    c->resolved[j] = cas_p_value(c->error[j], c->standard_error[j], paths, rounding) <= threshold;
  for (int j = 0; j + 1 < c->levels; j++)
    if (!c->resolved[j] || !c->resolved[j + 1])
      c->local_order[j] = c->local_order_error[j] = NAN;
}

/* Tests all strong errors as one family, or all weak errors of all functionals. */
static void resolve_family(cas_curve *curve, int n, cas_error_kind kind, const double *rounding,
                           double paths) {
  int tests = 0;
  for (int i = 0; i < n; i++)
    tests += curve[i].kind == kind ? curve[i].levels : 0;
  double *p_value = tests ? malloc((size_t)tests * sizeof *p_value) : NULL;
  int k = 0;
  for (int i = 0; p_value && i < n; i++)
    for (int j = 0; curve[i].kind == kind && j < curve[i].levels; j++)
      p_value[k++] = cas_p_value(curve[i].error[j], curve[i].standard_error[j], paths, rounding[i]);
  double threshold = p_value ? cas_holm_threshold(p_value, k) : -1;
  for (int i = 0; i < n; i++)
    if (curve[i].kind == kind)
      mark_resolved(&curve[i], rounding[i], paths, threshold);
  free(p_value);
}

static bool all_rounding(const cas_curve *c, double rounding) {
  for (int j = 0; j < c->levels; j++)
    if (!(fmax(fabs(c->error[j]), c->standard_error[j]) <= rounding))
      return false;
  return true;
}

/* Recommends the multilevel study: weak errors of levels coupled to one reference have a sampling
   error as large as a strong error. */
static void append_advice(cas_curve *c) {
  cas_law law = cas_laws_headline(&c->laws);
  if (c->kind == CAS_WEAK && c->standard_error[0] > 0 &&
      law.high - law.low > 2 * RESOLVED_HALF_WIDTH)
    cas_append(c->verdict, sizeof c->verdict,
               "; study.kind: weak_multilevel resolves weak orders with far fewer paths");
}

static void describe_curve(cas_curve *c, double rounding, double paths) {
  size_t size = sizeof c->verdict;
  bool squares = c->kind == CAS_STRONG && c->standard_error[0] != 0;
  c->verdict[0] = '\0';
  if (all_rounding(c, rounding)) {
    c->findings = cas_finding_set(CAS_ALL_ROUNDING);
    cas_append(c->verdict, size, "not resolved: all errors are rounding");
  } else if (paths < 2 && isnan(c->standard_error[0])) {
    c->findings = cas_finding_set(CAS_TOO_FEW_PATHS);
    cas_append(c->verdict, size, "not resolved: too few paths for a standard error");
  } else {
    c->findings =
        cas_append_law_verdict(c->verdict, size, &c->laws, c->expected_order, paths,
                               squares ? "squared differences of neighbouring levels" : "errors");
    append_advice(c);
  }
}

void cas_curves_conclude(cas_curve *curve, int n, const double *rounding, double paths) {
  resolve_family(curve, n, CAS_STRONG, rounding, paths);
  resolve_family(curve, n, CAS_WEAK, rounding, paths);
  for (int i = 0; i < n; i++)
    describe_curve(&curve[i], rounding[i], paths);
}
