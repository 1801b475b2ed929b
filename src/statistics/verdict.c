/* What a fit means, in plain words. */
#include "fit_impl.h"
#include <math.h>

#define WIDE 0.1   /* half-width of an interval beyond which an order counts as not resolved */
#define NEAR 0.05  /* a miss so small that higher-order terms are the likely cause */
#define EXACT 1e-9 /* a half-width that is rounding: all paths alike, no sampling error */
#define WANTED_LEVELS 3
#define WANTED_RATIO 4 /* |error| / standard error on them */

static void say_count(cas_curve *c, const char *before, double paths, const char *after) {
  int exponent = (int)floor(log10(paths));
  double unit = pow(10, exponent - 1), rounded = ceil(paths / unit * (1 - 1e-9)) * unit;

  if (paths < 1e6)
    cas_append(c->verdict, sizeof c->verdict, "%s%.0f%s", before,
               paths < 10 ? ceil(paths) : rounded, after);
  else
    cas_append(c->verdict, sizeof c->verdict, "%s%.1fe%d%s", before, rounded / pow(10, exponent),
               exponent, after);
}

static void say_expected(cas_curve *c) {
  double twice = 2 * c->expected_order;

  if (twice == floor(twice) && fmod(twice, 2) != 0)
    cas_append(c->verdict, sizeof c->verdict, "%.0f/2", twice);
  else
    cas_append(c->verdict, sizeof c->verdict, "%.4g", c->expected_order);
}

/* As many decimals as make the interval visible, at least two. */
static int decimals(double half_width) {
  double wanted = half_width > 1e-6 ? ceil(-log10(half_width)) : half_width > EXACT ? 6 : 2;

  return wanted > 2 ? (int)wanted : 2;
}

/* ---- too few resolved levels ---- */

static double ratio(const cas_curve *c, int level) {
  double r = fabs(c->error[level]) / c->standard_error[level];

  return isfinite(r) ? r : 0;
}

/* c of the expected law c g(h): through the best resolved level, or if there is none the largest
   one that no level excludes by more than two standard errors. */
static double largest_constant(const cas_samples *s, const cas_curve *c, const cas_fit *law,
                               int best) {
  double constant = INFINITY;

  for (int j = 0; j < c->levels; j++) {
    double g = cas_fit_value(law, cas_curve_law(c), s->reference_step, s->step[j]);

    if (c->resolved[best] && j == best)
      return fabs(c->error[j]) / g;
    if (!c->resolved[best] && isfinite(c->error[j]))
      constant = fmin(constant, (fabs(c->error[j]) + 2 * c->standard_error[j]) / g);
  }
  return constant;
}

/* Paths for |error| > WANTED_RATIO standard errors on the coarsest levels, if errors follow the
   expected law and standard errors fall like paths^-1/2. */
static double paths_to_resolve(const cas_samples *s, const cas_curve *c, double paths, int best) {
  int wanted = c->levels < WANTED_LEVELS ? c->levels : WANTED_LEVELS;
  cas_fit law = {.order = c->expected_order, .constant = 1};
  double worst = 0;

  law.constant = largest_constant(s, c, &law, best);
  for (int j = 0; j < wanted; j++) {
    double e = cas_fit_value(&law, cas_curve_law(c), s->reference_step, s->step[j]);

    worst = fmax(worst, WANTED_RATIO * c->standard_error[j] / e);
  }
  return paths * worst * worst;
}

static void say_unresolved(const cas_samples *s, cas_curve *c, double paths) {
  int resolved = 0, best = 0, lost = 0;
  double needed;

  for (int j = 0; j < c->levels; j++) {
    resolved += c->resolved[j];
    lost += fmax(fabs(c->error[j]), c->standard_error[j]) <= s->rounding;
    if (ratio(c, j) > ratio(c, best))
      best = j;
  }
  if (c->levels == 1) {
    cas_append(c->verdict, sizeof c->verdict, "not resolved: one level gives no order");
    return;
  }
  if (lost == c->levels) {
    cas_append(c->verdict, sizeof c->verdict, "not resolved: all errors are rounding");
    return;
  }
  cas_append(c->verdict, sizeof c->verdict,
             "not resolved: %d of %d levels %s above the noise floor", resolved, c->levels,
             resolved == 1 ? "is" : "are");
  needed = paths_to_resolve(s, c, paths, best);
  if (paths < 2)
    cas_append(c->verdict, sizeof c->verdict, "; too few paths for a standard error");
  else if (isfinite(needed) && needed > paths)
    say_count(c, resolved ? "; about " : "; more than ", needed,
              " paths would be needed to resolve the coarsest ones");
}

static void say_signs(const cas_samples *s, cas_curve *c) {
  char here[32], next[32];
  int last = -1;

  for (int j = 0; j < c->levels; j++) {
    if (!c->resolved[j])
      continue;
    if (last >= 0 && c->error[j] * c->error[last] < 0) {
      cas_step_format(s->step[last], here, sizeof here);
      cas_step_format(s->step[j], next, sizeof next);
      cas_append(c->verdict, sizeof c->verdict,
                 "not fitted: the error changes sign between h = %s and %s", here, next);
      return;
    }
    last = j;
  }
}

/* ---- a fitted order ---- */

static void say_order(cas_curve *c) {
  int d = decimals((c->corrected.high - c->corrected.low) / 2);

  cas_append(c->verdict, sizeof c->verdict, "order %.*f", d, c->corrected.order);
  if (c->corrected.high - c->corrected.low > 2 * EXACT)
    cas_append(c->verdict, sizeof c->verdict, " [%.*f, %.*f]", d, c->corrected.low, d,
               c->corrected.high);
}

static void say_expectation(cas_curve *c, bool inside) {
  double miss = fabs(c->corrected.order - c->expected_order);

  cas_append(c->verdict, sizeof c->verdict, ": %sconsistent with ", inside ? "" : "not ");
  say_expected(c);
  if (inside)
    return;
  cas_append(c->verdict, sizeof c->verdict, " (raw %.2f)", c->raw.order);
  if (miss < NEAR)
    cas_append(c->verdict, sizeof c->verdict, ", though within %g of it", NEAR);
  cas_append(c->verdict, sizeof c->verdict, "; look at the local orders");
}

/* A wide interval excludes nothing with confidence: the levels behind it are few or near the noise,
   and those above it are a selection. */
static void say_wide(cas_curve *c, bool known, bool inside, double paths) {
  if (known && inside)
    say_expectation(c, true);
  say_count(c, known && inside ? ", but not resolved: about " : ": not resolved: about ", paths,
            " paths would be needed for +-0.1");
  if (!known || inside)
    return;
  cas_append(c->verdict, sizeof c->verdict, " (");
  say_expected(c);
  cas_append(c->verdict, sizeof c->verdict, " is outside the interval)");
}

static void say_interval(cas_curve *c, double paths) {
  const cas_fit *f = &c->corrected;
  double p0 = c->expected_order, half_width = (f->high - f->low) / 2, more = half_width / WIDE;
  bool exact = half_width <= EXACT, known = isfinite(p0);
  bool inside = exact ? fabs(f->order - p0) < NEAR : f->low <= p0 && p0 <= f->high;

  say_order(c);
  if (exact)
    cas_append(c->verdict, sizeof c->verdict, ", all paths alike");
  if (half_width > WIDE)
    say_wide(c, known, inside, paths * more * more);
  else if (known)
    say_expectation(c, inside);
}

void cas_verdict(const cas_samples *s, double paths, cas_fit_outcome outcome, cas_curve *c) {
  c->verdict[0] = '\0';
  switch (outcome) {
  case CAS_FIT_DONE:
    say_interval(c, paths);
    break;
  case CAS_FIT_UNRESOLVED:
    say_unresolved(s, c, paths);
    break;
  case CAS_FIT_SIGNS:
    say_signs(s, c);
    break;
  case CAS_FIT_NO_SOLUTION:
    cas_append(c->verdict, sizeof c->verdict,
               "not resolved: the resolved errors do not fall with the step as any power does");
    break;
  case CAS_FIT_NO_INTERVAL:
    say_order(c);
    cas_append(c->verdict, sizeof c->verdict,
               " without an interval: too few paths, at least two groups are needed");
    break;
  case CAS_FIT_FRAGILE:
    say_order(c);
    cas_append(c->verdict, sizeof c->verdict,
               " without an interval: not resolved, leaving out a few paths leaves no order");
    break;
  }
}
