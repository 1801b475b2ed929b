/* Generalised least squares for laws with one nonlinear parameter, the exponent, which is found by
   profiling chi2(e) over a range. The interval of the order consists of all exponents whose law the
   data do not reject.

   A covariance estimated with nu degrees of freedom makes chi2 a Hotelling T^2. With r = n -
   parameters, T^2 (nu - r + 1) / (nu r) has Fisher's F distribution with r and nu - r + 1 degrees,
   and the difference of T^2 between a given exponent and the best one, over (1 + T^2/nu) nu/(nu -
   r), has the F distribution with 1 and nu - r degrees: least squares with an estimated covariance
   is an analysis of covariance (C. R. Rao, Biometrika 54, 1967). */
#include "statistics/law.h"

#include <math.h>

#define REJECTED 0.01 /* p-value at which a law is rejected */

/* ---- the exponent ---- */

static double part(const cas_law_scan *s, int i) {
  return s->from + (s->to - s->from) * (i + 0.5) / s->n;
}

/* The exponent of the least chi2 between two, by golden sections. */
static double minimise(const cas_law_scan *s, double low, double high) {
  const double golden = 0.6180339887498949, close = 1e-9;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double fa = s->chi2(s->law, a), fb = s->chi2(s->law, b);
  while (high - low > close)
    if (fa < fb) {
      high = b, b = a, fb = fa;
      a = high - golden * (high - low), fa = s->chi2(s->law, a);
    } else {
      low = a, a = b, fa = fb;
      b = low + golden * (high - low), fb = s->chi2(s->law, b);
    }
  return (low + high) / 2;
}

void cas_law_scan_fill(cas_law_scan *s) {
  s->minima = s->best = 0;
  for (int i = 0; i < s->n; i++)
    s->profile[i] = s->chi2(s->law, part(s, i));
  for (int i = 0; i < s->n; i++) {
    bool first = i == 0, last = i == s->n - 1;
    if (isnan(s->profile[i]) || (!first && s->profile[i - 1] < s->profile[i]) ||
        (!last && s->profile[i + 1] <= s->profile[i]))
      continue;
    double e = minimise(s, first ? s->from : part(s, i - 1), last ? s->to : part(s, i + 1));
    s->at[s->minima] = e;
    s->least[s->minima] = s->chi2(s->law, e);
    if (s->least[s->minima] < s->least[s->best])
      s->best = s->minima;
    s->minima++;
  }
}

/* The exponent at which chi2 reaches `most`, between one inside the interval and one outside. */
static double crossing(const cas_law_scan *s, double inside, double outside, double most) {
  const double close = 1e-6; /* below what is printed of an order */
  while (fabs(outside - inside) > close) {
    double middle = (inside + outside) / 2;
    if (s->chi2(s->law, middle) <= most)
      inside = middle;
    else
      outside = middle;
  }
  return outside;
}

void cas_law_scan_interval(const cas_law_scan *s, double most, double *low, double *high) {
  double least = INFINITY, largest = -INFINITY, below = NAN, above = NAN;
  for (int i = 0; i < s->n; i++)
    if (s->profile[i] <= most)
      least = fmin(least, part(s, i)), largest = fmax(largest, part(s, i));
  for (int i = 0; i < s->minima; i++)
    if (s->least[i] <= most)
      least = fmin(least, s->at[i]), largest = fmax(largest, s->at[i]);
  for (int i = 0; i < s->n; i++) { /* the exponents of the profile that are next outside */
    if (part(s, i) < least)
      below = part(s, i);
    if (part(s, s->n - 1 - i) > largest)
      above = part(s, s->n - 1 - i);
  }
  *low = isnan(below) ? -INFINITY : crossing(s, least, below, most);
  *high = isnan(above) ? INFINITY : crossing(s, largest, above, most);
}

typedef struct {
  const cas_window *w;
  int terms;
} profiled;

static double chi2_at(const void *law, double e) {
  const profiled *l = law;
  return cas_window_solve(l->w, l->terms, e).chi2;
}

/* ---- one law ---- */

double cas_law_inflation(const cas_law_points *p, double residual, double chi2) {
  return p->independent ? 1
                        : (1 + chi2 / p->degrees) * p->degrees / fmax(p->degrees - residual, 0.5);
}

bool cas_law_has_weights(const cas_window *w) {
  const cas_law_points *p = w->p;
  return p->exact || p->degrees >= (p->independent ? 1 : w->n);
}

double cas_law_p_value(const cas_law_points *p, double residual, double chi2) {
  if (residual < 1)
    return NAN;
  if (p->independent)
    return cas_law_f_tail(chi2 / residual, residual, p->degrees);
  double d = p->degrees - residual + 1;
  return cas_law_f_tail(chi2 * d / (p->degrees * residual), residual, d);
}

double cas_law_student(const cas_law_points *p, double residual) {
  return cas_student_quantile(0.95, p->independent ? p->degrees : fmax(p->degrees - residual, 1));
}

static void conclude_law(const cas_window *w, int terms, double e, double residual, bool fixed,
                         cas_law *law) {
  const cas_law_points *p = w->p;
  cas_solution s = cas_window_solve(w, terms, e);
  double more = p->exact ? 0 : cas_law_inflation(p, residual, s.chi2),
         variance[CAS_LAW_TERMS] = {0};
  law->order = e / p->scale;
  law->points = w->n;
  law->leading_share = s.share;
  for (int k = 0; k < terms; k++)
    law->coefficient[k] =
        s.coefficient[k] * cas_law_points_basis_scale(p, e + cas_law_points_offset(p, k));
  for (int k = 1; k < CAS_LAW_TERMS; k++)
    law->offset[k - 1] = cas_law_points_offset(p, k);
  if (!p->exact)
    cas_window_coefficient_variances(w, terms, e, law->coefficient, fixed, variance);
  for (int k = 0; k < terms; k++)
    law->coefficient_error[k] = sqrt(variance[k] * more);
  if (p->exact)
    return;
  law->degrees_of_freedom = residual;
  law->chi2 = s.chi2;
  law->p_value = cas_law_p_value(p, residual, s.chi2);
}

static void fit_fixed(const cas_window *w, int terms, double theory, cas_law *law) {
  double residual = w->n - terms;
  if (!isfinite(theory) || residual < 0 || !cas_law_has_weights(w))
    return;
  conclude_law(w, terms, theory * w->p->scale, residual, true, law);
  law->low = law->high = law->order;
}

/* The chi2 whose p-value is p_wanted. */
static double chi2_of(const cas_law_points *p, double residual, double p_wanted) {
  double low = 0, high = 1;
  while (cas_law_p_value(p, residual, high) > p_wanted && high < 1e12)
    high *= 2;
  for (int k = 0; k < 60; k++) {
    double middle = (low + high) / 2;
    if (cas_law_p_value(p, residual, middle) > p_wanted)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The largest chi2 of an exponent inside the interval: the likelihood ratio admits the exponent, or
   the law with this exponent is not rejected at 10%. Where data hardly distinguish the terms, chi2
   has several minima, and the likelihood ratio alone covers 89% instead of 95%. */
static double largest_chi2(const cas_law_points *p, int terms, double residual, double least) {
  const double unlikely = 0.1;
  double t = cas_law_student(p, residual);
  double most = least + t * t * cas_law_inflation(p, residual, least);
  return terms == 1 ? most : fmax(most, chi2_of(p, residual + 1, unlikely));
}

static void fit_free(const cas_window *w, int terms, cas_law *law) {
  const cas_law_points *p = w->p;
  double low, high, residual = w->n - terms - 1;
  const profiled l = {w, terms};
  cas_law_scan s = {.chi2 = chi2_at, .law = &l, .n = 80, .from = 0, .to = 8};
  if (residual < 0 || !cas_law_has_weights(w))
    return;
  cas_law_scan_fill(&s);
  if (s.minima == 0)
    return;
  conclude_law(w, terms, s.at[s.best], residual, false, law);
  law->low = law->high = law->order;
  if (p->exact)
    return;
  cas_law_scan_interval(&s, largest_chi2(p, terms, residual, law->chi2), &low, &high);
  law->low = low / p->scale;
  law->high = high / p->scale;
}

/* ---- all laws ---- */

static const cas_law no_law = {.order = NAN,
                               .low = NAN,
                               .high = NAN,
                               .coefficient = {NAN, NAN, NAN},
                               .coefficient_error = {NAN, NAN, NAN},
                               .offset = {1, 2},
                               .chi2 = NAN,
                               .degrees_of_freedom = NAN,
                               .p_value = NAN,
                               .leading_share = NAN};

void cas_laws_clear(cas_laws *l) {
  *l = (cas_laws){.headline = CAS_LAWS,
                  .order = NAN,
                  .low = NAN,
                  .high = NAN,
                  .order_low = NAN,
                  .order_high = NAN,
                  .rate = NAN,
                  .rate_error = NAN,
                  .theory_p_value = NAN,
                  .fewer = no_law};
  cas_conclusion_clear(&l->conclusion);
  for (int i = 0; i < CAS_LAWS; i++)
    l->law[i] = no_law;
}

static bool fit_from(const cas_law_points *p, int first, double theory, cas_laws *out) {
  cas_window w;
  bool usable = false, there = cas_window_open(&w, p, first, &usable);
  for (int terms = 1; usable && w.n > 0 && terms <= CAS_LAW_TERMS; terms++) {
    fit_free(&w, terms, &out->law[2 * (terms - 1)]);
    fit_fixed(&w, terms, theory, &out->law[2 * terms - 1]);
  }
  cas_window_close(&w);
  out->points = p->n;
  out->left_out = first;
  return there;
}

static bool fitted(const cas_law *l) { return isfinite(l->order); }

static bool rejected(const cas_law *l) { return l->p_value <= REJECTED; }

static cas_law_name headline_of(const cas_laws *l, int terms) {
  const cas_law *law = &l->law[2 * (terms - 1)];
  return fitted(law) && !rejected(law) ? (cas_law_name)(2 * (terms - 1)) : CAS_LAWS;
}

/* The values that a law of theory's order must have to be rejected: two more than terms. */
static bool can_reject(const cas_laws *l, int terms) {
  return l->points - l->left_out >= terms + 2;
}

/* Adds what the values without the coarsest of them say: the union of the intervals, the larger
   p-value of the law of theory, and the law of extrapolation. */
static void unite(int terms, const cas_laws *fewer, cas_laws *out) {
  const cas_law *law = &fewer->law[2 * (terms - 1)];
  if (headline_of(fewer, terms) < CAS_LAWS) {
    out->united = 1;
    out->low = fmin(out->low, law->low);
    out->high = fmax(out->high, law->high);
  }
  if (can_reject(fewer, terms))
    out->theory_p_value = fmax(out->theory_p_value, fewer->law[2 * terms - 1].p_value);
}

/* The conclusion from the values that the headline is fitted to. */
static bool conclude(const cas_law_points *p, int terms, double theory, cas_laws *out) {
  const int least = 4; /* values that say something of an order */
  int left = p->n - out->left_out - 1;
  cas_laws fewer;
  out->low = out->law[out->headline].low;
  out->high = out->law[out->headline].high;
  if (p->exact)
    return true;
  if (can_reject(out, terms))
    out->theory_p_value = out->law[2 * terms - 1].p_value;
  if (left < 2)
    return true;
  cas_laws_clear(&fewer);
  if (!fit_from(p, out->left_out + 1, theory, &fewer))
    return false;
  if (p->third && left >= least)
    unite(terms, &fewer, out);
  out->fewer = fewer.law[cas_law_extrapolating(out)];
  return true;
}

/* Leaves coarse values out until the law of the headline holds. */
static bool leave_out(const cas_law_points *p, int terms, double theory, cas_laws *out) {
  const int least = 4; /* values that remain at least */
  for (int first = 1; p->n - first >= least && out->headline == CAS_LAWS; first++) {
    cas_laws fewer;
    cas_laws_clear(&fewer);
    if (!fit_from(p, first, theory, &fewer))
      return false;
    fewer.rate = out->rate, fewer.rate_error = out->rate_error, fewer.least = out->least;
    fewer.headline = headline_of(&fewer, terms);
    if (fewer.headline < CAS_LAWS)
      *out = fewer;
  }
  return true;
}

static bool fit_laws(const cas_law_points *p, double theory, cas_laws *out) {
  /* The number of terms of the law that decides. Two values determine an order, by the power law,
     only if nothing is random. */
  int terms = p->exact && p->n < 3 ? 1 : p->third && !p->exact ? 3 : 2;
  cas_laws_clear(out);
  if (!fit_from(p, 0, theory, out))
    return false;
  if (p->n > 1)
    out->rate = cas_law_local_order(p, p->n - 2, &out->rate_error);
  out->least = p->exact ? 2 : terms + 1;
  if (p->n < out->least)
    return true;
  out->headline = headline_of(out, terms);
  if (rejected(&out->law[2 * (terms - 1)]) && !leave_out(p, terms, theory, out))
    return false;
  return out->headline == CAS_LAWS || conclude(p, terms, theory, out);
}

/* Whether laws of two terms leave values out or contradict theory, and a third one is known. */
static bool third_is_needed(const cas_law_points *p, double theory, const cas_laws *l) {
  return !p->third && !p->exact && p->offset && isfinite(theory) && p->n > CAS_LAW_TERMS &&
         (l->headline == CAS_LAWS || l->left_out > 0 || l->theory_p_value <= REJECTED);
}

bool cas_laws_fit(const cas_law_points *p, double theory, cas_laws *out) {
  cas_law_points all = *p;
  if (!fit_laws(p, theory, out))
    return false;
  if (third_is_needed(p, theory, out)) {
    all.third = true;
    all.leading = false;
    if (!fit_laws(&all, theory, out))
      return false;
  }
  const cas_conclusion *c = &out->conclusion;
  if (!cas_law_conclude(p, theory, out->theory_p_value, &out->conclusion))
    return false;
  const cas_law law = cas_laws_headline(out);
  out->order_low = c->decides ? c->order_low : law.low;
  out->order_high = c->decides ? c->order_high : law.high;
  out->order = !isfinite(out->order_low + out->order_high) ? NAN
               : c->decides                                ? c->order
                                                           : law.order;
  return true;
}

/* ---- local orders ---- */

/* The order by which the values a and b of steps i and i + 1 decrease. variance: of log(a / b). */
static double order_between(const cas_law_points *p, int i, double a, double b, double variance,
                            double *standard_error) {
  const double most = 0.5; /* for two values with relative standard errors of 1/2 */
  double ratio = log(p->step[i] / p->step[i + 1]) * p->scale;
  *standard_error = NAN;
  if (!(a / b > 0) || !isfinite(a / b) || !(variance <= most))
    return NAN;
  *standard_error = sqrt(fmax(variance, 0)) / ratio;
  return log(a / b) / ratio;
}

static double covariance_of(const cas_law_points *p, int i, int j) {
  return p->exact ? 0 : p->covariance[i * p->n + j];
}

double cas_law_local_order(const cas_law_points *p, int i, double *standard_error) {
  double a = p->value[i], b = p->value[i + 1];
  double v = covariance_of(p, i, i) / (a * a) + covariance_of(p, i + 1, i + 1) / (b * b) -
             2 * covariance_of(p, i, i + 1) / (a * b);
  return order_between(p, i, a, b, v, standard_error);
}

double cas_law_local_order_next(const cas_law_points *p, double theory, int i,
                                double *standard_error) {
  double power[2], value[2], gradient[3], v = 0;
  for (int k = 0; k < 2; k++) {
    power[k] = pow(p->step[i + k] / p->step[i + k + 1], theory * p->scale + 1);
    value[k] = power[k] * p->value[i + k + 1] - p->value[i + k];
  }
  /* the gradient of log(value[0] / value[1]) */
  gradient[0] = -1 / value[0];
  gradient[1] = power[0] / value[0] + 1 / value[1];
  gradient[2] = -power[1] / value[1];
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 3; k++)
      v += gradient[j] * gradient[k] * covariance_of(p, i + j, i + k);
  return order_between(p, i, value[0], value[1], v, standard_error);
}

/* ---- what is made of laws ---- */

double cas_law_value(const cas_law *law, double scale, double step, double finer) {
  double sum = 0;
  for (int k = 0; k < CAS_LAW_TERMS; k++) {
    double e = law->order * scale + (k > 0 ? law->offset[k - 1] : 0);
    if (k == 0 || !isnan(law->coefficient[k])) /* a power law has one term */
      sum += law->coefficient[k] * (pow(step, e) - (finer > 0 ? pow(finer, e) : 0));
  }
  return sum;
}

cas_law_name cas_law_extrapolating(const cas_laws *l) {
  const cas_law *two = &l->law[CAS_LAW_TWO_TERM_THEORY];
  if (!fitted(two))
    return CAS_LAW_POWER_THEORY;
  return rejected(two) && fitted(&l->law[CAS_LAW_THREE_TERM_THEORY]) ? CAS_LAW_THREE_TERM_THEORY
                                                                     : CAS_LAW_TWO_TERM_THEORY;
}

const char *const cas_law_names[] = {[CAS_LAW_POWER] = "power",
                                     [CAS_LAW_POWER_THEORY] = "power_theory",
                                     [CAS_LAW_TWO_TERM] = "two_term",
                                     [CAS_LAW_TWO_TERM_THEORY] = "two_term_theory",
                                     [CAS_LAW_THREE_TERM] = "three_term",
                                     [CAS_LAW_THREE_TERM_THEORY] = "three_term_theory",
                                     [CAS_LAWS] = "none"};

cas_law cas_laws_headline(const cas_laws *l) {
  cas_law law = l->headline < CAS_LAWS ? l->law[l->headline] : no_law;
  law.low = l->low;
  law.high = l->high;
  if (isinf(law.low) || isinf(law.high))
    law.order = NAN;
  return law;
}
