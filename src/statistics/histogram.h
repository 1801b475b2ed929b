/* Histograms of many quantities over paths. Counts are whole numbers, so that they add up to the
   same on any number of ranks; the bins come from a pilot, the first paths, and are the same on all
   ranks. Quantiles are read from the bins, or from all values where these are few. */
#ifndef CAS_HISTOGRAM_H
#define CAS_HISTOGRAM_H

#include <casimir/status.h>
#include <stddef.h>
#include <stdint.h>

/* Bin b of quantity i is [low + b width, low + (b + 1) width); the two ends are open. */
typedef struct {
  int quantities, bins;
  double *low, *width;            /* [quantities] */
  int64_t *count, *below, *above; /* [quantities][bins], [quantities], [quantities] */
} cas_histogram;

/** Bytes that one allocates. */
size_t cas_histogram_bytes(int quantities, int bins);
cas_status cas_histogram_create(int quantities, int bins, cas_histogram *h,
                                cas_error *err) CAS_MUST_CHECK;
void cas_histogram_free(cas_histogram *h);
/** Chooses the bins from the extremes of the pilot (minimum > maximum: nothing was seen), widened
    by half of their difference on each side and to bins that numbers can tell apart. */
void cas_histogram_set_bins(cas_histogram *h, const double *minimum, const double *maximum);
/** Counts n paths, whose quantities are path[0 .. n-1][quantities]; many at once are cheaper. */
void cas_histogram_add(cas_histogram *h, int64_t n, const double *const *path);

/** The value that a share p of quantity i's counts lies below, its values spread evenly within
    bins, and from the extremes to the bins in the open ends. NaN without counts. */
double cas_histogram_quantile(const cas_histogram *h, int i, double p, double minimum,
                              double maximum);
/** Between which numbers the value of this rank, 1 .. the number of counts, of quantity i lies: the
    edges of its bin; in an open end the extreme and the edge of the nearest bin. Never outside
    [minimum, maximum], the extremes of the values counted. */
void cas_histogram_bounds(const cas_histogram *h, int i, int64_t rank, double minimum,
                          double maximum, double bounds[2]);
/** Type 7 of Hyndman and Fan (The American Statistician 50, 1996): sorted[(n - 1) p], linear
    between neighbours. NaN for n = 0. */
double cas_sample_quantile(const double *sorted, int64_t n, double p);

#endif
