#include "statistics/summary.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(cas_summary_shape) == 4 * sizeof(int32_t), "files hold shapes of this size");

static size_t group_doubles(cas_summary_shape shape) {
  return 1 + (shape.detailed ? 6 : 2) * (size_t)shape.quantities;
}

size_t cas_summary_size(cas_summary_shape shape) {
  return sizeof(cas_path_health) + (size_t)shape.levels * sizeof(cas_level_health) +
         ((size_t)shape.groups * group_doubles(shape) +
          (size_t)shape.means * (1 + (size_t)shape.quantities)) *
             sizeof(double);
}

cas_path_health *cas_summary_paths(cas_summary *s) { return (cas_path_health *)(void *)s; }

cas_level_health *cas_summary_level(cas_summary *s, int level) {
  return (cas_level_health *)(void *)(cas_summary_paths(s) + 1) + level;
}

double *cas_summary_group(cas_summary_shape shape, cas_summary *s, int group) {
  double *moments = (double *)(void *)cas_summary_level(s, shape.levels);
  return moments + (size_t)group * group_doubles(shape);
}

double *cas_summary_mean(cas_summary_shape shape, cas_summary *s, int g) {
  return cas_summary_group(shape, s, shape.groups) + (size_t)g * (1 + (size_t)shape.quantities);
}

static double *extremes(cas_summary_shape shape, double *group) {
  return group + 1 + 4 * (size_t)shape.quantities;
}

void cas_summary_clear(cas_summary_shape shape, cas_summary *s) {
  memset(s, 0, cas_summary_size(shape));
  *cas_summary_paths(s) = (cas_path_health){
      .drift_path = -1, .drift_level = -1, .first_failed_path = -1, .first_failed_level = -1};
  for (int g = 0; shape.detailed && g < shape.groups; g++) {
    double *group = cas_summary_group(shape, s, g);
    double *minimum = extremes(shape, group), *maximum = minimum + shape.quantities;
    for (int i = 0; i < shape.quantities; i++) {
      minimum[i] = INFINITY;
      maximum[i] = -INFINITY;
    }
  }
}

static void merge_extremes(int m, double *extreme, const double *minimum, const double *maximum) {
  for (int i = 0; i < m; i++) {
    extreme[i] = minimum[i] < extreme[i] ? minimum[i] : extreme[i];
    extreme[m + i] = maximum[i] > extreme[m + i] ? maximum[i] : extreme[m + i];
  }
}

/* Adds a value to third and fourth powers, before it is added to the mean and m2. */
static void add_powers(int m, double *group, const double *quantity) {
  double *mean = group + 1, *m2 = mean + m, *m3 = m2 + m, *m4 = m3 + m, n = group[0] + 1;
  for (int i = 0; i < m; i++) {
    double d = quantity[i] - mean[i], e = d / n, d2 = d * e * (n - 1);
    m4[i] += d2 * e * e * (n * n - 3 * n + 3) + 6 * e * e * m2[i] - 4 * e * m3[i];
    m3[i] += d2 * e * (n - 2) - 3 * e * m2[i];
  }
}

void cas_summary_add(cas_summary_shape shape, cas_summary *s, int group, const double *quantity) {
  double *count = cas_summary_group(shape, s, group), *mean = count + 1,
         *m2 = mean + shape.quantities;
  if (shape.detailed)
    add_powers(shape.quantities, count, quantity);
  *count += 1;
  for (int i = 0; i < shape.quantities; i++) {
    double d = quantity[i] - mean[i];
    mean[i] += d / *count;
    m2[i] += d * (quantity[i] - mean[i]);
  }
  if (shape.detailed)
    merge_extremes(shape.quantities, extremes(shape, count), quantity, quantity);
}

void cas_summary_add_mean(cas_summary_shape shape, cas_summary *s, int64_t path,
                          const double *quantity) {
  if (shape.means == 0)
    return;
  double *count = cas_summary_mean(shape, s, (int)(path % shape.means)), *mean = count + 1;
  *count += 1;
  for (int i = 0; i < shape.quantities; i++)
    mean[i] += (quantity[i] - mean[i]) / *count;
}

void cas_moments_merge(int m, double *into, const double *other) {
  double a = into[0], b = other[0], n = a + b;
  double *mean = into + 1, *m2 = mean + m;
  const double *other_mean = other + 1, *other_m2 = other_mean + m;
  if (b == 0)
    return;
  into[0] = n;
  for (int i = 0; i < m; i++) {
    double d = other_mean[i] - mean[i];
    mean[i] += d * (b / n);
    m2[i] += other_m2[i] + d * d * (a * (b / n));
  }
}

/* Merges third and fourth powers, before the mean and m2 are merged. */
static void merge_powers(int m, double *into, const double *other) {
  double a = into[0], b = other[0], n = a + b;
  double *mean = into + 1, *m2 = mean + m, *m3 = m2 + m, *m4 = m3 + m;
  const double *mean_b = other + 1, *m2_b = mean_b + m, *m3_b = m2_b + m, *m4_b = m3_b + m;
  if (b == 0)
    return;
  double s = a / n, t = b / n; /* shares, so that no square of a count is formed */
  for (int i = 0; i < m; i++) {
    double d = mean_b[i] - mean[i], d2 = d * d;
    m4[i] += m4_b[i] + d2 * d2 * a * t * (s * s - s * t + t * t) +
             6 * d2 * (s * s * m2_b[i] + t * t * m2[i]) + 4 * d * (s * m3_b[i] - t * m3[i]);
    m3[i] += m3_b[i] + d2 * d * a * t * (s - t) + 3 * d * (s * m2_b[i] - t * m2[i]);
  }
}

static void merge_means(int m, double *into, const double *other) {
  const double share = other[0] > 0 ? other[0] / (into[0] + other[0]) : 0;
  into[0] += other[0];
  for (int i = 1; i <= m && share > 0; i++)
    into[i] += (other[i] - into[i]) * share;
}

static void merge_paths(cas_path_health *h, const cas_path_health *o) {
  if (o->drift_path >= 0 && (h->drift_path < 0 || o->drift > h->drift)) {
    h->drift = o->drift;
    h->drift_path = o->drift_path;
    h->drift_level = o->drift_level;
  }
  int named = cas_failed_named(h->failed_paths), others = cas_failed_named(o->failed_paths);
  for (int i = 0; i < others && named < CAS_FAILED_NAMED; i++)
    h->failed_numbers[named++] = o->failed_numbers[i];
  h->failed_paths += o->failed_paths;
  h->left_out_paths += o->left_out_paths;
  if (h->first_failed_path < 0) {
    h->first_failed_path = o->first_failed_path;
    h->first_failed_level = o->first_failed_level;
    h->first_failed_cause = o->first_failed_cause;
    h->first_failed_quantity = o->first_failed_quantity;
    h->first_failed_time = o->first_failed_time;
  }
}

static void merge_level(cas_level_health *h, const cas_level_health *o) {
  h->steps += o->steps;
  h->not_converged += o->not_converged;
  h->second_method += o->second_method;
  h->nan += o->nan;
  h->clipped += o->clipped;
  h->iterations += o->iterations;
  if (o->iterations_max > h->iterations_max)
    h->iterations_max = o->iterations_max;
}

void cas_summary_merge(cas_summary_shape shape, cas_summary *s, const cas_summary *other) {
  cas_summary *o = (cas_summary *)other; /* the accessors take no const; nothing is written */
  merge_paths(cas_summary_paths(s), cas_summary_paths(o));
  for (int l = 0; l < shape.levels; l++)
    merge_level(cas_summary_level(s, l), cas_summary_level(o, l));
  for (int g = 0; g < shape.groups; g++) {
    double *into = cas_summary_group(shape, s, g), *from = cas_summary_group(shape, o, g);
    if (shape.detailed)
      merge_powers(shape.quantities, into, from);
    cas_moments_merge(shape.quantities, into, from);
    if (shape.detailed)
      merge_extremes(shape.quantities, extremes(shape, into), extremes(shape, from),
                     extremes(shape, from) + shape.quantities);
  }
  for (int g = 0; g < shape.means; g++)
    merge_means(shape.quantities, cas_summary_mean(shape, s, g), cas_summary_mean(shape, o, g));
}
