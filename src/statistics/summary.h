/* What is known about a set of paths: moments of every quantity by group (of a jackknife, or all
   paths in one), in detail if asked for, and health. Two summaries merge into one; a summary
   is a plain block of bytes, so that it can be reduced by MPI and stored. */
#ifndef CAS_SUMMARY_H
#define CAS_SUMMARY_H

#include <casimir/results.h>

#include <stddef.h>
#include <stdint.h>

/* groups of a jackknife; path p belongs to group p mod CAS_GROUPS: nearly equal groups from any
   number of paths */
enum { CAS_GROUPS = 64 };

typedef struct {
  int32_t quantities; /* m: what is averaged over paths */
  int32_t levels;     /* of health, reference included */
  int32_t groups;     /* at least 1 */
  int32_t detailed;   /* 1: higher moments and extremes of every quantity too; 0: none */
} cas_summary_shape;

/* counters of one level */
typedef struct {
  int64_t steps, not_converged, nan, clipped, iterations, iterations_max;
} cas_level_health;

typedef struct {
  double drift; /* largest relative departure of a Casimir, and where: -1 if none was seen */
  int64_t drift_path, drift_level;
  int64_t failed_paths, first_failed_path, first_failed_level; /* -1: none */
  int64_t first_failed_cause;                                  /* a cas_failure */
  int64_t left_out_paths; /* failed ones that are in no group */
  int64_t
      failed_numbers[CAS_FAILED_NAMED]; /* of the first, cas_failed_named(failed_paths); then 0 */
} cas_path_health;

/* layout: cas_path_health, cas_level_health[levels], then for each group: count, mean[m], m2[m], and
   if detailed m3[m], m4[m], minimum[m], maximum[m], of which the last two are +inf and -inf while the
   count is 0. mk is the sum of the k-th powers of deviations from the mean. */
typedef struct cas_summary cas_summary;

size_t cas_summary_size(cas_summary_shape shape);
void cas_summary_clear(cas_summary_shape shape, cas_summary *s);
cas_path_health *cas_summary_paths(cas_summary *s);
cas_level_health *cas_summary_level(cas_summary *s, int level);
/* count, mean[m], m2[m] (, m3[m], m4[m], minimum[m], maximum[m]) of one group */
double *cas_summary_group(cas_summary_shape shape, cas_summary *s, int group);
/* One more path's quantities, by Welford's update. */
void cas_summary_add(cas_summary_shape shape, cas_summary *s, int group, const double *quantity);
/* s += other, by the pairwise update of Chan, Golub and LeVeque, third and fourth powers by that of
   Pebay (Sandia report SAND2008-6212, 2008); s holds the lower paths. */
void cas_summary_merge(cas_summary_shape shape, cas_summary *s, const cas_summary *other);
/* count, mean and m2 of (n, mean, m2) += those of `other`; m quantities each */
void cas_moments_merge(int m, double *into, const double *other);

#endif
