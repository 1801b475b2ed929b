#include "statistics/histogram.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

size_t cas_histogram_bytes(int quantities, int bins) {
  return (size_t)quantities * ((size_t)bins + 4) * sizeof(int64_t);
}

cas_status cas_histogram_create(int quantities, int bins, cas_histogram *h, cas_error *err) {
  const size_t m = (size_t)quantities;
  *h = (cas_histogram){.quantities = quantities, .bins = bins};
  h->low = calloc(2 * m, sizeof *h->low);
  h->count = calloc(cas_histogram_counts(h), sizeof *h->count);
  if (h->low && h->count) {
    h->width = h->low + m;
    h->below = h->count + m * (size_t)bins;
    h->above = h->below + m;
    return CAS_OK;
  }
  cas_histogram_free(h);
  return cas_fail(err, CAS_NO_MEMORY, "out of memory: histograms of %zu bytes",
                  cas_histogram_bytes(quantities, bins));
}

void cas_histogram_free(cas_histogram *h) {
  free(h->low);
  free(h->count);
  *h = (cas_histogram){0};
}

/* The width of a range is so large that the edges of bins differ even if values, as of an initial
   state or a Casimir, differ by rounding only or not at all. */
void cas_histogram_set_bins(cas_histogram *h, int i, double minimum, double maximum) {
  double least = minimum <= maximum ? minimum : 0, greatest = minimum <= maximum ? maximum : 0,
         spread = fmax(fmin(greatest - least, DBL_MAX / 4),
                       4 * DBL_EPSILON * h->bins * fmax(fabs(least), fabs(greatest)));
  spread = spread / h->bins >= DBL_MIN ? spread : 1;
  h->low[i] = least / 2 + greatest / 2 - spread;
  h->width[i] = 2 * spread / h->bins;
}

/* Quantities are the outer loop, so that the bins of one stay in the cache. */
void cas_histogram_add(cas_histogram *h, int64_t n, const double *const *path) {
  for (int i = 0; i < h->quantities; i++) {
    int64_t *count = h->count + (size_t)i * (size_t)h->bins;
    for (int64_t p = 0; p < n; p++) {
      double at = floor((path[p][i] - h->low[i]) / h->width[i]);
      if (at < 0)
        h->below[i]++;
      else if (at >= h->bins)
        h->above[i]++;
      else
        count[(size_t)at]++;
    }
  }
}

/* The point between low and high below which `wanted` of n evenly spread values lie. */
static double between(double low, double high, double wanted, int64_t n) {
  return low + (high - low) * (wanted / (double)n);
}

double cas_histogram_quantile(const cas_histogram *h, int i, double p, double minimum,
                              double maximum) {
  const int64_t *count = h->count + (size_t)i * (size_t)h->bins;
  int64_t total = h->below[i] + h->above[i], passed = h->below[i];
  double low = h->low[i], high = low + h->width[i] * h->bins, x = high;
  for (int b = 0; b < h->bins; b++)
    total += count[b];
  if (total == 0)
    return NAN;
  double wanted = p * (double)total;
  if (h->below[i] > 0 && wanted <= (double)passed)
    return fmin(fmax(between(minimum, low, wanted, h->below[i]), minimum), maximum);
  for (int b = 0; b < h->bins; passed += count[b++])
    if (count[b] > 0 && wanted <= (double)(passed + count[b])) {
      double edge = low + b * h->width[i];
      x = between(edge, edge + h->width[i], wanted - (double)passed, count[b]);
      return fmin(fmax(x, minimum), maximum);
    }
  if (h->above[i] > 0)
    x = between(high, maximum, wanted - (double)passed, h->above[i]);
  return fmin(fmax(x, minimum), maximum);
}

/* The lower edge of bin b, moved down (side -1) or up (side 1) by the rounding errors of the bin of
   a value and of the edge, two operations each, so that no value lies outside of the edges of its
   bin. The edge of bin 0 is exact. */
static double edge_of_bin(const cas_histogram *h, int i, int b, int side) {
  double distance = b * h->width[i], edge = h->low[i] + distance;
  return b == 0 ? edge : edge + side * DBL_EPSILON * (2 * distance + fabs(edge));
}

void cas_histogram_bounds(const cas_histogram *h, int i, int64_t rank, double minimum,
                          double maximum, double bounds[2]) {
  const int64_t *count = h->count + (size_t)i * (size_t)h->bins;
  int64_t passed = h->below[i];
  int b = 0;
  bounds[0] = minimum;
  bounds[1] = maximum;
  if (rank <= passed) {
    bounds[1] = fmin(h->low[i], maximum);
    return;
  }
  while (b < h->bins && rank > passed + count[b])
    passed += count[b++];
  bounds[0] = fmax(edge_of_bin(h, i, b, -1), minimum);
  if (b < h->bins)
    bounds[1] = fmin(edge_of_bin(h, i, b + 1, 1), maximum);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void cas_histogram_sort(double *x, size_t n) { qsort(x, n, sizeof *x, ascending); }

double cas_histogram_sample_quantile(const double *sorted, int64_t n, double p) {
  if (n == 0)
    return NAN;
  double at = p * (double)(n - 1), whole = floor(at);
  int64_t k = (int64_t)whole;
  return k + 1 < n ? sorted[k] + (at - whole) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
}
