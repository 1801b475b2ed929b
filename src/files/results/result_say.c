/* Headlines: of studies of orders, and of studies of values. */
#include "files/results/result.h"

#include <inttypes.h>
#include <math.h>

static void append_order(char *text, size_t size, double order) {
  const double twice = 2 * order;
  if (twice == floor(twice) && fmod(twice, 2) != 0)
    cas_append(text, size, "%.0f/2", twice);
  else
    cas_append(text, size, "%.4g", order);
}

/* ---- why an order is not resolved ---- */

/* What the values lack, whatever the order of theory is; false where it is nothing of that. */
static bool append_lack(char *text, size_t size, const cas_remark *m) {
  const cas_laws *l = &m->curve->laws;
  if (m->alike && m->errors > 0)
    cas_append(text, size, "no path has another value at another %s", m->sized ? "N" : "step");
  else if (cas_findings_have(m->curve->findings, CAS_ALL_ROUNDING))
    cas_append(text, size, "all errors are rounding");
  else if (cas_findings_have(m->curve->findings, CAS_TOO_FEW_PATHS))
    cas_append(text, size, "too few paths");
  else if (cas_findings_have(m->curve->findings, CAS_TOO_FEW_LEVELS))
    cas_append(text, size, "too few %s, an order takes %d more", m->sized ? "N" : "step sizes",
               l->least - l->points);
  else if (m->lawless)
    cas_append(text, size, "no law describes the errors; begin with a %s",
               m->sized ? "larger N" : "smaller step");
  else if (cas_findings_have(m->curve->findings, CAS_OUTLIERS))
    cas_append(text, size, "a few paths dominate the errors");
  else
    return false;
  return true;
}

/* A strong order is judged by its interval and by a test of the law with the order of theory. */
static void append_why_strong(char *text, size_t size, const cas_remark *m) {
  const double theory = m->row.theory;
  const cas_law h = cas_laws_headline(&m->curve->laws);
  if (append_lack(text, size, m))
    return;
  if (isfinite(theory) && (theory < h.low || theory > h.high)) {
    cas_append(text, size, "order ");
    append_order(text, size, theory);
    cas_append(text, size, " is outside the interval, ");
    if (isfinite(m->curve->laws.theory_p_value))
      cas_append(text, size, "but not refuted at 1%% (p = %.2g)", m->curve->laws.theory_p_value);
    else
      cas_append(text, size, "and too few step sizes test it");
    return;
  }
  if (cas_findings_have(m->curve->findings, CAS_NO_LEADING_TERM))
    cas_append(text, size, "the leading term is within 3 standard errors of 0");
  else
    cas_append(text, size,
               isfinite(h.high - h.low) ? "the interval is wider than 0.6"
                                        : "the interval is open");
  if (isfinite(theory)) {
    cas_append(text, size, "; order ");
    append_order(text, size, theory);
    cas_append(text, size, " not excluded");
  }
}

/* A weak order is judged by the coefficient of its leading term, and by its exponent if that is
   free. True where it remains to be said that the order of theory is not excluded. */
static bool append_why_weak(char *text, size_t size, const cas_remark *m) {
  const double theory = m->row.theory;
  const cas_conclusion *c = &m->curve->laws.conclusion;
  const cas_law law = cas_laws_headline(&m->curve->laws);
  if (append_lack(text, size, m))
    return false;
  if (isnan(theory) && isfinite(law.low) && isfinite(law.high)) {
    cas_append(text, size, "order ");
    cas_frame_append(text, size, law.order, NAN, law.low, law.high, CAS_FRAME_ORDER);
    return false;
  }
  if (m->resolved < m->errors || isnan(m->seen))
    cas_append(text, size, "%d of %d errors exceed%s the noise", m->resolved, m->errors,
               m->resolved == 1 ? "s" : "");
  else if (m->seen < 0)
    cas_append(text, size, "the leading term has no certain sign");
  else if (m->seen <= 4)
    cas_append(text, size, "the leading term is %.1f standard errors from 0, of the 4 it takes",
               m->seen);
  else if (theory < c->order_low || theory > c->order_high) {
    cas_append(text, size, "order ");
    append_order(text, size, theory);
    cas_append(text, size, " is outside the interval of the exponent, but not refuted");
    return false;
  } else if (m->curve->laws.points - c->left_out <= c->terms + 1)
    cas_append(text, size, "too few step sizes for an exponent");
  else
    cas_append(text, size, "a law of half powers fits too");
  return isfinite(theory);
}

/* ---- strong ---- */

/* " 0.48 [0.45, 0.51]", with digits that show on which side of an end theory is; false: none. */
static bool append_interval(char *text, size_t size, const cas_result_row *r) {
  const double outside = fmax(r->order_low - r->theory, r->theory - r->order_high);
  if (!isfinite(r->order) || !isfinite(r->order_low))
    return false;
  cas_append(text, size, " ");
  if (r->order_low == r->order_high)
    cas_append(text, size, "%.2f", r->order);
  else
    cas_frame_append(text, size, r->order, NAN, r->order_low, r->order_high,
                     outside > 0 ? fmin(15 * outside, CAS_FRAME_ORDER) : CAS_FRAME_ORDER);
  return true;
}

/* The order between the finest two values, which needs no degree of freedom. */
static bool append_rate(char *text, size_t size, const cas_laws *l) {
  if (!isfinite(l->rate) || !(l->rate_error > 0) || l->points < 2)
    return false;
  cas_append(text, size, " ");
  cas_frame_append(text, size, l->rate, l->rate_error, NAN, NAN, INFINITY);
  cas_append(text, size, " between the finest two levels");
  return true;
}

static void say_strong(char *text, size_t size, const cas_answers *a) {
  const cas_remark *m = a->remark;
  const double theory = m->row.theory;
  cas_append(text, size, "strong order");
  const bool by_interval = append_interval(text, size, &m->row),
             by_rate = !by_interval && append_rate(text, size, &m->curve->laws),
             any = by_interval || by_rate;
  if (m->judgement == CAS_INVALID)
    return;
  if (m->judgement == CAS_SUPPORTED || m->judgement == CAS_CONTRADICTED) {
    cas_append(text, size, "%s theory ", any ? ";" : " without an interval;");
    append_order(text, size, theory);
    cas_append(text, size, m->judgement == CAS_SUPPORTED ? ": consistent" : ": NOT consistent");
  } else if (isnan(theory) && by_interval &&
             !cas_findings_have(m->curve->findings, CAS_NOT_RESOLVED))
    cas_append(text, size, "; no order of theory is known");
  else {
    cas_append(text, size, by_rate ? ", NOT RESOLVED: " : " NOT RESOLVED: ");
    append_why_strong(text, size, m);
  }
}

/* ---- weak ---- */

typedef void append_item(char *text, size_t size, const cas_remark *m);

/* Appends what is said of each weak row with a judgement; how many there are. */
static int list_rows(char *text, size_t size, const cas_answers *a, cas_judgement j,
                     append_item *append) {
  int n = 0;
  for (int i = a->strong; i < a->rows; i++)
    if (a->remark[i].judgement == j) {
      cas_append(text, size, "%s", n++ ? ", " : "");
      append(text, size, &a->remark[i]);
    }
  return n;
}

static void append_name(char *text, size_t size, const cas_remark *m) {
  cas_append(text, size, "%s", m->row.name);
}

/* "2 of energy" */
static void append_order_of(char *text, size_t size, const cas_remark *m) {
  append_order(text, size, m->row.theory);
  cas_append(text, size, " of %s", m->row.name);
}

/* "energy (all errors are rounding)" */
static void append_reason(char *text, size_t size, const cas_remark *m) {
  cas_append(text, size, "%s (", m->row.name);
  append_why_weak(text, size, m);
  cas_append(text, size, isnan(m->row.theory) ? "; no order of theory is known)" : ")");
}

/* "weak order 1 for 3 of 4 functionals", or "weak order 1 of x1, 2 of energy". */
static void say_supported(char *text, size_t size, const cas_answers *a, int n) {
  double least = INFINITY, common = NAN;
  bool differ = n == 1;
  for (int i = a->strong; i < a->rows; i++) {
    const cas_remark *m = &a->remark[i];
    if (m->judgement != CAS_SUPPORTED)
      continue;
    least = fmin(least, m->seen);
    differ |= isfinite(common) && m->row.theory != common;
    common = m->row.theory;
  }
  cas_append(text, size, "weak order ");
  if (differ || !isfinite(common))
    (void)list_rows(text, size, a, CAS_SUPPORTED, append_order_of);
  else {
    append_order(text, size, common);
    cas_append(text, size, " for %d of %d functionals", n, a->rows - a->strong);
  }
  if (isfinite(least))
    cas_append(text, size,
               ": the leading term is at least %.0f standard errors from 0 (assumes whole powers "
               "of %s)",
               floor(least), a->sized ? "N^-2" : "h");
}

/* The reason that unresolved rows share, with orders not excluded; "" where they have several. */
static void common_reason(const cas_answers *a, char *reason, size_t size) {
  char other[200];
  reason[0] = '\0';
  for (int i = a->strong; i < a->rows; i++) {
    const double theory = a->remark[i].row.theory;
    if (a->remark[i].judgement != CAS_UNRESOLVED)
      continue;
    other[0] = '\0';
    if (append_why_weak(other, sizeof other, &a->remark[i])) {
      cas_append(other, sizeof other, "; order ");
      append_order(other, sizeof other, theory);
      cas_append(other, sizeof other, " not excluded");
    } else if (isnan(theory))
      cas_append(other, sizeof other, "; no order of theory is known");
    if (!reason[0])
      snprintf(reason, size, "%s", other);
    else if (strcmp(reason, other) != 0) {
      reason[0] = '\0';
      return;
    }
  }
}

static void say_unresolved(char *text, size_t size, const cas_answers *a, int n, bool first) {
  char reason[200];
  common_reason(a, reason, sizeof reason);
  cas_append(text, size, first ? "weak order of " : "; NOT RESOLVED for ");
  (void)list_rows(text, size, a, CAS_UNRESOLVED,
                  reason[0] || n > CAS_RESULT_SAID ? append_name : append_reason);
  if (first)
    cas_append(text, size, " NOT RESOLVED");
  if (reason[0])
    cas_append(text, size, ": %s", reason);
}

static void say_weak(char *text, size_t size, const cas_answers *a) {
  char names[CAS_JUDGEMENTS][512] = {""};
  int n[CAS_JUDGEMENTS];
  for (int j = 0; j < CAS_JUDGEMENTS; j++)
    n[j] = list_rows(names[j], sizeof names[j], a, (cas_judgement)j, append_name);
  const bool any = n[CAS_SUPPORTED] > 0, more = any || n[CAS_INVALID] > 0;
  if (text[0])
    cas_append(text, size, "; ");
  if (any)
    say_supported(text, size, a, n[CAS_SUPPORTED]);
  if (n[CAS_INVALID] > 0)
    cas_append(text, size, "%sweak errors of %s", any ? "; " : "", names[CAS_INVALID]);
  if (n[CAS_CONTRADICTED] > 0)
    cas_append(text, size, more ? "; NOT for %s" : "weak order of %s: NOT that of theory",
               names[CAS_CONTRADICTED]);
  if (n[CAS_UNRESOLVED] > 0)
    say_unresolved(text, size, a, n[CAS_UNRESOLVED], !more && n[CAS_CONTRADICTED] == 0);
}

/* Of averages over time, whose bias is more often below the noise than not: what it is at most. */
static void say_bias(char *text, size_t size, const cas_answers *a) {
  for (int i = 0; i < a->rows; i++) {
    const cas_remark *m = &a->remark[i];
    const cas_curve *c = m->curve;
    double most = 0;
    for (int l = 0; l < c->levels; l++)
      most = fmax(most, fabs(c->error.value[l]) + 1.96 * c->error.standard_error[l]);
    cas_append(text, size, "%sbias of the mean of %s: ", i ? "; " : "", c->name);
    if (m->resolved == 0)
      cas_append(text, size, "none seen, ");
    else
      cas_append(text, size, "seen at %d of %d steps, ", m->resolved, c->levels);
    cas_append(text, size, "below %.2g at every step (95%% each); order ", most);
    if (m->judgement == CAS_SUPPORTED)
      append_order(text, size, a->remark[i].row.theory);
    cas_append(text, size,
               m->judgement == CAS_SUPPORTED      ? " supported"
               : m->judgement == CAS_CONTRADICTED ? "NOT that of theory"
                                                  : "not resolved");
  }
}

/* ", bias of x1 against its exact mean 0.0016 +- 0.0019 at step 2^-9", of means that are known. */
static void say_truth(char *text, size_t size, const cas_results *r) {
  for (int i = 0; i < r->tables; i++) {
    if (strcmp(r->table[i].kind->group, "weak") != 0)
      continue;
    const cas_curve *c = r->table[i].object;
    const int l = c->levels - 1;
    if (c->averaged || isnan(c->bias[l]))
      continue;
    cas_append(text, size, "; bias of %s against its exact mean ", c->name);
    cas_frame_append(text, size, c->bias[l], c->mean.standard_error[l], NAN, NAN, INFINITY);
    cas_table_append_level(text, size, r->time_step ? " at N = " : " at step ", r, l);
  }
}

void cas_answers_say(const cas_results *r, const cas_answers *a, cas_frame *f) {
  const size_t size = sizeof f->headline;
  if (a->strong)
    say_strong(f->headline, size, a);
  if (strcmp(f->kind, "invariant") == 0)
    say_bias(f->headline, size, a);
  else if (a->rows > a->strong)
    say_weak(f->headline, size, a);
  say_truth(f->headline, size, r);
  if (a->sized && !strstr(f->headline, "N^-2"))
    cas_append(f->headline, size, "; orders are in N^-2");
}

/* ---- values ---- */

static void say_mlmc(const cas_results *r, char *text, size_t size) {
  const cas_multilevel *m = cas_results_mlmc(r);
  const int64_t largest = cas_results_size(r, m->levels - 1);
  const double plain = isfinite(m->plain.work_measured) ? m->plain.work_measured : m->plain.work,
               gain = plain / m->total_work;
  for (int i = 0; i < m->functionals && i < 2; i++) {
    char x[32];
    cas_frame_format(m->functional[i].estimate.value, m->functional[i].estimate.total_error, x);
    cas_append(text, size, "%sE %s = %s within %.2g rms", i ? ", " : "", m->functional[i].name, x,
               m->functional[i].estimate.total_error);
  }
  if (isnan(m->budget))
    cas_append(text, size, " (target %.4g %s)", m->epsilon, m->reached ? "reached" : "NOT REACHED");
  else if (m->total_work > m->budget && m->seconds > m->budget_seconds)
    cas_append(text, size, " (%.4g s of core time, budget %.4g s NOT KEPT)", m->seconds,
               m->budget_seconds);
  else
    cas_append(text, size, " (work %.4g, budget %.4g %s)", m->total_work, m->budget,
               m->reached                  ? "kept"
               : m->total_work > m->budget ? "NOT KEPT"
                                           : "kept, NOT the best error");
  if (isfinite(gain))
    cas_append(text, size, ", %.*f times %s than plain Monte Carlo",
               fmax(gain, 1 / gain) < 10 ? 1 : 0, fmax(gain, 1 / gain),
               gain >= 1 ? "cheaper" : "dearer");
  if (isfinite(gain) && largest)
    cas_append(text, size, " at N = %lld", (long long)largest);
}

/* What the kinds of tables say of themselves; false where none does. */
static bool say_tables(const cas_results *r, char *text, size_t size) {
  int n = 0;
  for (int i = 0; i < r->tables; i++) {
    if (!r->table[i].kind->say || n++ > CAS_RESULT_SAID)
      continue;
    cas_append(text, size, "%s", n == 1 ? "" : "; ");
    if (n > CAS_RESULT_SAID)
      cas_append(text, size, "..");
    else
      r->table[i].kind->say(r, &r->table[i], text, size);
  }
  return n > 0;
}

static const char *name_of(const char *kind) {
  return strcmp(kind, "time_average") == 0 ? "averages over time" : kind[0] ? kind : "results";
}

static void say_rows(const cas_results *r, const cas_frame *f, char *text, size_t size) {
  const cas_provenance *p = &r->provenance;
  const double time = f->rows ? cas_result_rows(f)->time : NAN;
  if (p->alone)
    cas_append(text, size, "path %" PRId64 " alone", p->path);
  else
    cas_append(text, size, "%s of %" PRId64 " path%s", name_of(f->kind), p->paths,
               p->paths == 1 ? "" : "s");
  if (isfinite(time))
    cas_append(text, size, " at t = %.6g", time);
  for (int i = 0; i < f->rows && i < CAS_RESULT_SAID; i++) { /* ": x1 = -0.394 +- 0.006, x2 = .." */
    const cas_result_row *row = &cas_result_rows(f)[i];
    const bool by_error = row->standard_error > 0;
    cas_append(text, size, "%s%s = ", i ? ", " : ": ", row->name);
    cas_frame_append(text, size, row->value, row->standard_error, by_error ? NAN : row->low,
                     by_error ? NAN : row->high, INFINITY);
  }
  if (f->rows > CAS_RESULT_SAID)
    cas_append(text, size, ", ..");
}

void cas_result_say_values(const cas_results *r, cas_frame *f) {
  const size_t size = sizeof f->headline;
  if (cas_results_mlmc(r) && f->rows)
    say_mlmc(r, f->headline, size);
  else if (!f->rows || !say_tables(r, f->headline, size))
    say_rows(r, f, f->headline, size);
}
