/* Which errors are resolved, what is found of orders, and the words of all findings. */
#include "base/scratch.h"
#include "statistics/fit_impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESOLVED_HALF_WIDTH \
  0.3 /* half-width of an interval up to which an order counts as resolved */
#define NO_SAMPLING_ERROR 1e-9 /* half-width up to which an interval is a point, as without noise */
#define EXACT_TOLERANCE \
  0.05 /* difference from theory that higher-order terms explain where there is no sampling error */

static cas_finding why_no_order(const cas_laws *l) {
  if (l->points < l->least)
    return CAS_TOO_FEW_LEVELS;
  return isfinite(l->law[CAS_LAW_POWER].order) ? CAS_LAW_REJECTED : CAS_TOO_FEW_PATHS;
}

/* The law with the order of theory is rejected, or its first term is seen, or neither. */
static cas_findings compare(const cas_laws *l, double expected) {
  const double rejected = 0.01, seen = 3; /* standard errors */
  /* The law of the headline with the order of theory. */
  const cas_law h = cas_laws_headline(l), *theory = &l->law[l->headline + 1];
  bool inside = h.low <= expected && expected <= h.high,
       resolved = fabs(theory->coefficient[0]) > seen * theory->coefficient_error[0];
  if (l->theory_p_value <= rejected)
    return cas_finding_set(CAS_DIFFERS);
  if (inside && resolved)
    return cas_finding_set(CAS_CONSISTENT);
  return cas_finding_set(CAS_NOT_RESOLVED) | (resolved ? 0 : cas_finding_set(CAS_NO_LEADING_TERM));
}

/* Whether the interval says too little: it has no upper end, or it is wide, unless three terms fit
   and the first of the order of theory is seen. */
static bool is_unresolved(const cas_laws *l, const cas_law *h, cas_findings found) {
  bool seen = cas_findings_have(found, CAS_CONSISTENT) && l->headline / 2 + 1 == 3;
  return isinf(h->high) || (!seen && !(h->high - h->low <= 2 * RESOLVED_HALF_WIDTH));
}

/* Without sampling error the order is a point, and only its distance from theory is judged. */
static cas_findings judge_order(const cas_laws *l, double expected) {
  const cas_law h = cas_laws_headline(l);
  if (!isfinite(expected) && !is_unresolved(l, &h, 0))
    return cas_finding_set(CAS_NO_THEORY);
  if ((h.high - h.low) / 2 <= NO_SAMPLING_ERROR)
    return cas_finding_set(fabs(h.order - expected) < EXACT_TOLERANCE ? CAS_CONSISTENT
                                                                      : CAS_DIFFERS);
  cas_findings found = isfinite(expected) ? compare(l, expected) : cas_finding_set(CAS_NO_THEORY);
  return is_unresolved(l, &h, found) ? found | cas_finding_set(CAS_NOT_RESOLVED) : found;
}

cas_findings cas_laws_judge(const cas_laws *l, double expected) {
  const double seen = 3; /* standard errors */
  const cas_conclusion *c = &l->conclusion;
  if (c->decides && l->headline < CAS_LAWS && c->terms == 0)
    return cas_finding_set(CAS_NOT_RESOLVED);
  if (c->decides && c->terms > 0 && l->points >= l->least)
    return cas_finding_set(c->judgement == CAS_SUPPORTED      ? CAS_CONSISTENT
                           : c->judgement == CAS_CONTRADICTED ? CAS_DIFFERS
                                                              : CAS_NOT_RESOLVED) |
           (c->seen > seen ? 0 : cas_finding_set(CAS_NO_LEADING_TERM));
  return l->headline == CAS_LAWS ? cas_finding_set(why_no_order(l)) : judge_order(l, expected);
}

static double p_value_of(const cas_curve *c, int level, double paths) {
  return cas_fit_p_value(c->error.value[level], c->error.standard_error[level], paths, c->rounding);
}

/* Tests all strong errors as one family, or all weak errors of all functionals. */
static void resolve_family(cas_curve *const *curve, int n, cas_error_kind kind, double paths) {
  int tests = 0;
  for (int i = 0; i < n; i++)
    tests += curve[i]->kind == kind ? curve[i]->levels : 0;
  double *p_value = tests ? cas_scratch((size_t)tests * sizeof *p_value) : NULL;
  int k = 0;
  for (int i = 0; p_value && i < n; i++)
    for (int j = 0; curve[i]->kind == kind && j < curve[i]->levels; j++)
      p_value[k++] = p_value_of(curve[i], j, paths);
  double threshold = p_value ? cas_fit_holm_threshold(p_value, k) : -1;
  for (int i = 0; i < n; i++) {
    cas_curve *c = curve[i];
    for (int j = 0; c->kind == kind && j < c->levels; j++)
      c->resolved[j] = p_value_of(c, j, paths) <= threshold;
    for (int j = 0; c->kind == kind && j + 1 < c->levels; j++)
      if (!c->resolved[j] || !c->resolved[j + 1])
        c->local_order.value[j] = c->local_order.standard_error[j] = NAN;
  }
  free(p_value);
}

static bool all_rounding(const cas_curve *c) {
  for (int j = 0; j < c->levels; j++)
    if (!(fmax(fabs(c->error.value[j]), c->error.standard_error[j]) <= c->rounding))
      return false;
  return true;
}

/* The kurtosis E |d|^4 / (E |d|^2)^2 follows from the standard error of the root mean square. */
static bool has_outliers(const cas_curve *c, double paths) {
  for (int j = 0; c->kind == CAS_STRONG && j < c->levels; j++) {
    const double share = c->error.standard_error[j] / c->error.value[j];
    if (1 + 4 * paths * share * share > CAS_FIT_MOST_KURTOSIS)
      return true;
  }
  return false;
}

void cas_curves_conclude(cas_curve *const *curve, int n, double paths) {
  resolve_family(curve, n, CAS_STRONG, paths);
  resolve_family(curve, n, CAS_WEAK, paths);
  for (int i = 0; i < n; i++) {
    cas_curve *c = curve[i];
    if (all_rounding(c))
      c->findings = cas_finding_set(CAS_ALL_ROUNDING);
    else if (paths < 2 && isnan(c->error.standard_error[0]))
      c->findings = cas_finding_set(CAS_TOO_FEW_PATHS);
    else
      c->findings = cas_laws_judge(&c->laws, c->expected_order) |
                    (has_outliers(c, paths) ? cas_finding_set(CAS_OUTLIERS) : 0);
  }
}

const char *const cas_finding_names[] = {
#define FINDING_NAME(name, text, sentence) text,
    CAS_FINDING_LIST(FINDING_NAME)
#undef FINDING_NAME
        "none"};

static const char *const sentences[] = {
#define FINDING_SENTENCE(name, text, sentence) sentence,
    CAS_FINDING_LIST(FINDING_SENTENCE)
#undef FINDING_SENTENCE
};

#define FINDING_LENGTH(name, text, sentence) +sizeof(sentence "; ")
_Static_assert(0 CAS_FINDING_LIST(FINDING_LENGTH) <= CAS_FINDINGS_TEXT,
               "the sentences of all findings are longer than CAS_FINDINGS_TEXT");
#undef FINDING_LENGTH

_Static_assert(CAS_FINDINGS_END <= 8 * sizeof(cas_findings), "a finding has no bit in the set");

static void join(cas_findings set, const char *const *of, const char *between, char *text,
                 size_t size) {
  text[0] = '\0';
  for (int f = 0; f < CAS_FINDINGS_END; f++)
    if (cas_findings_have(set, (cas_finding)f))
      cas_append(text, size, "%s%s", text[0] ? between : "", of[f]);
}

void cas_findings_format(cas_findings set, char *text, size_t size) {
  join(set, cas_finding_names, " ", text, size);
}

void cas_findings_say(cas_findings set, char text[CAS_FINDINGS_TEXT]) {
  join(set, sentences, "; ", text, CAS_FINDINGS_TEXT);
}

cas_findings cas_findings_limits(cas_findings set) {
  return set & ((cas_finding_set(CAS_BUDGET_LIMIT) << 1) - cas_finding_set(CAS_LEVEL_FAILED));
}

cas_findings cas_findings_parse(const char *text) {
  cas_findings set = 0;
  while (*text) {
    size_t length = strcspn(text, " ");
    for (int f = 0; f < CAS_FINDINGS_END; f++)
      if (strlen(cas_finding_names[f]) == length &&
          strncmp(cas_finding_names[f], text, length) == 0)
        set |= cas_finding_set((cas_finding)f);
    text += length + (text[length] != '\0');
  }
  return set;
}
