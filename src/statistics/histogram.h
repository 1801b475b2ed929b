/* Histograms of many quantities over paths. Counts are whole numbers, whose sums are exact on any
   number of ranks; the bins follow from a pilot, the first paths, and are the same on all ranks. */
#ifndef CAS_HISTOGRAM_H
#define CAS_HISTOGRAM_H

#include <casimir/status.h>
#include <stddef.h>
#include <stdint.h>

/* Bin b of quantity i is [low + b width, low + (b + 1) width); the two ends are open. */
typedef struct {
  int quantities, bins;
  double *low, *width; /* [quantities] */
  /* [quantities][bins], [quantities], [quantities], one after another in one array */
  int64_t *count, *below, *above;
} cas_histogram;

static inline size_t cas_histogram_counts(const cas_histogram *h) {
  return (size_t)h->quantities * ((size_t)h->bins + 2);
}
size_t cas_histogram_bytes(int quantities, int bins);
cas_status cas_histogram_create(int quantities, int bins, cas_histogram *h,
                                cas_error *err) CAS_MUST_CHECK;
void cas_histogram_free(cas_histogram *h);
/** Chooses the bins of quantity i: the range of the pilot (minimum > maximum: no value), extended
    by half of its width on each side, and so wide that the edges of bins differ. */
void cas_histogram_set_bins(cas_histogram *h, int i, double minimum, double maximum);
/** Counts n paths, path[0 .. n-1][quantities]; one call is cheaper than many. */
void cas_histogram_add(cas_histogram *h, int64_t n, const double *const *path);

/** The value below which a share p of quantity i's counts lies, if values are spread evenly within
    each bin, and between the extreme and the nearest bin in an open end. NaN without counts. */
double cas_histogram_quantile(const cas_histogram *h, int i, double p, double minimum,
                              double maximum);
/** The bounds of the order statistic `rank` (1 .. the number of counts) of quantity i: the edges of
    its bin; in an open end the extreme and the edge of the nearest bin. They lie within [minimum,
    maximum], the extremes of the values counted. */
void cas_histogram_bounds(const cas_histogram *h, int i, int64_t rank, double minimum,
                          double maximum, double bounds[2]);
void cas_histogram_sort(double *x, size_t n);
/** The quantile of type 7 of Hyndman and Fan (The American Statistician 50, 1996): sorted[(n - 1)
    p], linear between neighbours. NaN for n = 0. */
double cas_histogram_sample_quantile(const double *sorted, int64_t n, double p);

#endif
