/* What may be concluded on the order of theory from a sum of whole powers c_1 h^e + c_2 h^(e+1) and
   so on, fitted to the finest values: whether c_1 differs from 0 in the simplest law that holds and
   in two more general ones. One fit alone contains c_1 in 61 to 85% of cases, because the simplest
   law that holds hides the next term; docs/statistics.md has what the three together do. */
#include "statistics/law.h"

#include <math.h>

#define HOLDS 0.05 /* p-value above which a law holds */
#define REJECTED 0.01
#define APART 0.5                  /* of an exponent from others that must be excluded */
enum { SEEN = 4, SEEN_AGAIN = 3 }; /* standard errors, in the law and in the more general ones */

const char *const cas_judgement_names[] = {"supported", "contradicted", "not_resolved", "estimate",
                                           "not_valid"};

void cas_conclusion_clear(cas_conclusion *c) {
  *c = (cas_conclusion){.judgement = CAS_UNRESOLVED,
                        .coefficient = NAN,
                        .low = NAN,
                        .high = NAN,
                        .order = NAN,
                        .order_low = -INFINITY,
                        .order_high = INFINITY,
                        .p_value = NAN,
                        .seen = NAN};
}

/* Fits a law of n powers, of which those behind the first are `theory` + 1 and so on. */
static double fit_powers(const cas_window *w, double first, double theory, int n, double *c,
                         double *variance) {
  double exponent[CAS_LAW_POWERS] = {first};
  for (int k = 1; k < n; k++)
    exponent[k] = theory + k;
  return cas_window_fit(w, n, exponent, c, variance);
}

typedef struct {
  double value, error, low, high, p;
} first_term;

static first_term fit_first(const cas_window *w, double theory, int terms) {
  const cas_law_points *p = w->p;
  double c[CAS_LAW_POWERS], variance[CAS_LAW_POWERS], residual = w->n - terms;
  const double chi2 = fit_powers(w, theory, theory, terms, c, variance);
  first_term f = {.value = c[0],
                  .error = sqrt(variance[0] * cas_law_inflation(p, residual, chi2)),
                  .p = cas_law_p_value(p, residual, chi2)};
  const double half = f.error * cas_law_student(p, residual);
  f.low = c[0] - half;
  f.high = c[0] + half;
  return f;
}

/* The law and the values that it is fitted to, and those without the coarsest of them. */
typedef struct {
  cas_window values, fewer;
  bool has_values, has_fewer; /* enough for their covariance to be inverted */
  int terms;
} chosen;

/* Sets *out by the law and its two companions: the same powers without the coarsest value, and one
   more power. */
static void compare(const chosen *c, double theory, cas_conclusion *out) {
  const first_term law = fit_first(&c->values, theory, c->terms);
  *out = (cas_conclusion){.judgement = CAS_UNRESOLVED,
                          .coefficient = law.value,
                          .low = law.low,
                          .high = law.high,
                          .p_value = law.p,
                          .seen = fabs(law.value) / law.error,
                          .terms = c->terms,
                          .left_out = c->values.first};
  for (int k = 0; k < 2; k++) {
    const cas_window *w = k == 0 ? &c->fewer : &c->values;
    if (w->n < c->terms + k || (k == 0 && !c->has_fewer))
      continue;
    const first_term f = fit_first(w, theory, c->terms + k);
    out->low = fmin(out->low, f.low);
    out->high = fmax(out->high, f.high);
    out->seen = fmin(out->seen, copysign(1, law.value) * f.value / f.error * SEEN / SEEN_AGAIN);
  }
}

/* A law, whose first exponent is free. */
typedef struct {
  const cas_window *w;
  double theory;
  int terms;
} freed;

static double chi2_at(const void *law, double x) {
  const freed *l = law;
  return fit_powers(l->w, x, l->theory, l->terms, NULL, NULL);
}

/* The best exponent and its 95% interval by likelihood ratio, infinite where the data do not bound
   it; the range of exponents ends below the second power. Returns the p-value of the best. All are
   NaN where chi2 is not a number. */
static double fit_exponent(const freed *l, double *best, double *low, double *high) {
  const cas_window *w = l->w;
  const double residual = w->n - l->terms - 1, t = cas_law_student(w->p, fmax(residual, 0));
  cas_law_scan s = {.chi2 = chi2_at, .law = l, .n = 121, .from = 0.02, .to = l->theory + 0.97};
  *best = *low = *high = NAN;
  cas_law_scan_fill(&s);
  if (s.minima == 0)
    return NAN;
  const double least = s.least[s.best];
  *best = s.at[s.best];
  cas_law_scan_interval(&s, least + t * t * cas_law_inflation(w->p, fmax(residual, 0), least), low,
                        high);
  return cas_law_p_value(w->p, residual, least);
}

static void free_exponent(const chosen *c, double theory, cas_conclusion *out) {
  const freed law = {&c->values, theory, c->terms}, fewer = {&c->fewer, theory, c->terms};
  double scale = c->values.p->scale, best, low, high, other, least, most;
  fit_exponent(&law, &best, &low, &high);
  if (c->has_fewer && c->fewer.n > c->terms &&
      !(fit_exponent(&fewer, &other, &least, &most) < REJECTED)) {
    low = fmin(low, least);
    high = fmax(high, most);
  }
  out->order = best / scale;
  out->order_low = low / scale;
  out->order_high = high / scale;
}

static void close_windows(chosen *c) {
  cas_window_close(&c->values);
  cas_window_close(&c->fewer);
}

static bool open_windows(const cas_law_points *p, int first, chosen *c) {
  bool there = cas_window_open(&c->values, p, first, &c->has_values) &&
               cas_window_open(&c->fewer, p, first + 1, &c->has_fewer);
  c->has_values = there && c->has_values && cas_law_has_weights(&c->values);
  c->has_fewer = there && c->has_fewer && cas_law_has_weights(&c->fewer);
  return there;
}

/* The simplest law that holds for all values, or for all but the coarsest; terms 0: none. */
static bool choose(const cas_law_points *p, double theory, chosen *c) {
  enum { MOST = 3 };
  for (int first = 0; p->n - first > 2; first++) {
    if (!open_windows(p, first, c))
      return false;
    for (int terms = 2; c->has_values && terms <= MOST && p->n - first > terms; terms++)
      if (fit_first(&c->values, theory, terms).p > HOLDS) {
        c->terms = terms;
        return true;
      }
    close_windows(c);
    *c = (chosen){.terms = 0};
  }
  return true;
}

/* Whether a law of as many terms, all half a power away, holds too. */
static bool has_rival(const chosen *c, double theory) {
  return fit_first(&c->values, theory - APART, c->terms).p > HOLDS ||
         fit_first(&c->values, theory + APART, c->terms).p > HOLDS;
}

/* Whether the exponent of the first power is that of theory, and not one half a power away: that
   takes a value more than the law with a free exponent has parameters. */
static bool is_exponent(const chosen *c, double theory, const cas_conclusion *out) {
  const double scale = c->values.p->scale, low = scale * out->order_low,
               high = scale * out->order_high;
  return c->values.n > c->terms + 1 && low > theory - APART && low <= theory && theory <= high &&
         high < theory + APART && !has_rival(c, theory);
}

static bool conclude_on(const cas_law_points *p, double theory, cas_conclusion *out) {
  chosen c = {.terms = 0};
  cas_conclusion_clear(out);
  bool there = choose(p, theory, &c);
  if (there && c.terms > 0) {
    compare(&c, theory, out);
    free_exponent(&c, theory, out);
    if (out->seen > SEEN && is_exponent(&c, theory, out))
      out->judgement = CAS_SUPPORTED;
  }
  close_windows(&c);
  return there;
}

bool cas_law_conclude(const cas_law_points *p, double theory, double theory_p_value,
                      cas_conclusion *out) {
  const double exponent = theory * p->scale, below = exponent >= 2 ? exponent - 1 : exponent / 2;
  cas_conclusion contrary;
  cas_conclusion_clear(out);
  if (!isfinite(theory) || p->exact)
    return true;
  if (!conclude_on(p, exponent, out) || !conclude_on(p, below, &contrary))
    return false;
  out->decides = p->third;
  const bool refuted = contrary.judgement == CAS_SUPPORTED || theory_p_value <= REJECTED;
  if (refuted)
    out->judgement = out->judgement == CAS_SUPPORTED ? CAS_UNRESOLVED : CAS_CONTRADICTED;
  return true;
}
