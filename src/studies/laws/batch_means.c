#include "studies/laws/batch_means.h"

#include <casimir/statistics.h>

#include <math.h>
#include <stdbool.h>

/* Fewer paths have too few degrees of freedom of their own. */
enum { ENOUGH_PATHS = 32 };

/* The variance of n means of each path about the mean of all. */
static double pooled_variance(const double *mean, const double *m2, int n, int64_t paths,
                              double all) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += m2[i] + (double)paths * (mean[i] - all) * (mean[i] - all);
  return sum / ((double)n * (double)paths - 1);
}

/* The quantile of chi-square over its degrees of freedom, by Wilson and Hilferty (PNAS 17, 1931).
   z: the quantile of the standard normal. */
static double chi_square_ratio(double z, double degrees) {
  double width = 2 / (9 * degrees), root = 1 - width + z * sqrt(width);
  return root > 0 ? root * root * root : 0;
}

static void find_interval(const cas_batch_moments *m, double of_batches, cas_time_mean *e) {
  const double batches = (double)m->batches * (double)m->paths;
  bool by_paths = m->paths >= ENOUGH_PATHS;
  double n = by_paths ? (double)m->paths : batches,
         variance = by_paths ? m->mean_m2 / (n - 1) : of_batches;
  e->standard_error = sqrt(variance / n);
  double width = e->standard_error * cas_student_quantile(0.95, n - 1);
  e->low = e->mean - width;
  e->high = e->mean + width;
}

static void find_autocorrelation(const cas_batch_moments *m, double of_batches, cas_time_mean *e) {
  const double z = 1.959963984540054, degrees = (double)m->batches * (double)m->paths - 1;
  e->autocorrelation_time = m->batch_time * of_batches / e->variance;
  e->autocorrelation_low = e->autocorrelation_time / chi_square_ratio(z, degrees);
  e->autocorrelation_high = e->autocorrelation_time / chi_square_ratio(-z, degrees);
  e->effective_samples = m->batch_time * m->batches * (double)m->paths / e->autocorrelation_time;
}

/* Short batches hide correlations from the variance of their means, so that the autocorrelation
   time is underestimated as well: its upper end is compared, and with few batches more strictly. */
static bool are_short(const cas_batch_moments *m, const cas_time_mean *e) {
  const double batches = (double)m->batches * (double)m->paths, enough = batches < 16 ? 10 : 5;
  return !(m->batch_time >= enough * e->autocorrelation_high) ||
         e->half_correlation > 0.1 + 2 / sqrt(batches);
}

cas_time_mean cas_batch_moments_estimate(const cas_batch_moments *m) {
  cas_time_mean e = {.mean = m->mean, .variance = m->square - pow(m->mean - m->centre, 2)};
  double of_batches = pooled_variance(m->batch, m->batch_m2, m->batches, m->paths, m->mean),
         of_halves = pooled_variance(m->half, m->half_m2, 2 * m->batches, m->paths, m->mean);
  find_interval(m, of_batches, &e);
  find_autocorrelation(m, of_batches, &e);
  e.half_correlation = 2 * of_batches / of_halves - 1;
  e.short_batches = are_short(m, &e);
  return e;
}
