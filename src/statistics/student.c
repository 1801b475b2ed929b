/* Student's t distribution through the regularised incomplete beta function. */
#include <casimir/statistics.h>
#include <math.h>

/* The continued fraction of I_x(a, b) by the modified Lentz method; converges fast for
   x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1), value;

  d = 1 / (fabs(d) < tiny ? tiny : d);
  value = d;
  for (int m = 1; m <= 100000; m++) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change;

    d = 1 + even * d, c = 1 + even / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    value *= c * d;
    d = 1 + odd * d, c = 1 + odd / c;
    d = 1 / (fabs(d) < tiny ? tiny : d), c = fabs(c) < tiny ? tiny : c;
    change = c * d;
    value *= change;
    if (fabs(change - 1) < 1e-15)
      break;
  }
  return value;
}

/* P(|T| > t), dof degrees of freedom: I_{dof/(dof+t^2)}(dof/2, 1/2). x and y = 1 - x are formed
   without cancellation. */
static double two_sided_tail(double t, double dof) {
  double a = dof / 2, b = 0.5, x = dof / (dof + t * t), y = t * t / (dof + t * t), front;

  if (y <= 0)
    return 1;
  front = exp(a * log(x) + b * log(y) + lgamma(a + b) - lgamma(a) - lgamma(b));
  if (x < (a + 1) / (a + b + 2))
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, y) / b;
}

double cas_student_quantile(double confidence, double dof) {
  double low = 0, high = 1, tail = 1 - confidence;

  if (!(confidence >= 0 && confidence < 1 && dof > 0))
    return NAN;
  if (dof > 1e8)
    dof = 1e8; /* normal to ten digits */
  while (two_sided_tail(high, dof) > tail) {
    high *= 2;
    if (!isfinite(high))
      return NAN;
  }
  while (high - low > 1e-15 * high) {
    double middle = low + (high - low) / 2;

    if (middle <= low || middle >= high)
      break;
    if (two_sided_tail(middle, dof) > tail)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}
