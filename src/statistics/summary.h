/* Summaries of sets of paths: moments of every quantity in each jackknife group, or of all paths in
   one group, optionally of higher order and with extremes; health; optionally means of path groups.
   A summary is a plain block of bytes, so that MPI can reduce it and files can store it. */
#ifndef CAS_SUMMARY_H
#define CAS_SUMMARY_H

#include <casimir/results.h>

#include <stddef.h>
#include <stdint.h>

/* Jackknife groups, nearly equal ones: path p belongs to group p mod CAS_SUMMARY_GROUPS. */
enum { CAS_SUMMARY_GROUPS = 64 };

typedef struct {
  int32_t quantities; /* m: quantities averaged over paths */
  int32_t levels;     /* levels of health, the reference included */
  int32_t groups;     /* at least 1 */
  int16_t detailed;   /* 1: with third and fourth moments and extremes; 0: without */
  int16_t means;      /* path groups of which means alone are summed; 0: none, as in older files,
                         where `detailed` has 32 bits */
} cas_summary_shape;

typedef struct {
  int64_t steps, not_converged, second_method, nan, clipped, iterations, iterations_max;
} cas_level_health;

typedef struct {
  double drift;                    /* largest relative departure of a Casimir */
  int64_t drift_path, drift_level; /* where it occurred; -1: no path */
  int64_t failed_paths, first_failed_path, first_failed_level; /* -1: none */
  int64_t first_failed_cause;                                  /* a cas_failure */
  /* the observable of CAS_FAILURE_VALUE, by its place in the study plus 1, 0: it is not known */
  int64_t first_failed_quantity;
  double first_failed_time; /* when it was no number; 0 where the observable is not known */
  int64_t left_out_paths;   /* failed paths that are in no group */
  /* path numbers of the first cas_failed_named(failed_paths), then 0 */
  int64_t failed_numbers[CAS_FAILED_NAMED];
} cas_path_health;

/* The layout of a summary: cas_path_health, cas_level_health[levels], then for each group: count,
   mean[m], m2[m], and if detailed m3[m], m4[m], minimum[m], maximum[m]; then for each path group of
   `means`: count, mean[m]. While the count is 0, minima are +inf and maxima -inf. mk is the sum of
   the k-th powers of deviations from the mean. */
typedef struct cas_summary cas_summary;

size_t cas_summary_size(cas_summary_shape shape);
void cas_summary_clear(cas_summary_shape shape, cas_summary *s);
cas_path_health *cas_summary_paths(cas_summary *s);
cas_level_health *cas_summary_level(cas_summary *s, int level);
/* The array count, mean[m], m2[m] (, m3[m], m4[m], minimum[m], maximum[m]) of one group. */
double *cas_summary_group(cas_summary_shape shape, cas_summary *s, int group);
/* Adds the quantities of one path by Welford's update. */
void cas_summary_add(cas_summary_shape shape, cas_summary *s, int group, const double *quantity);
/* The array count, mean[m] of path group g < shape.means: the paths p with p mod means = g. */
double *cas_summary_mean(cas_summary_shape shape, cas_summary *s, int g);
/* Adds the quantities of a path to the mean of its path group; nothing if shape.means is 0. */
void cas_summary_add_mean(cas_summary_shape shape, cas_summary *s, int64_t path,
                          const double *quantity);
/* Merges `other`, whose paths have higher numbers, into s by the pairwise update of Chan, Golub and
   LeVeque, third and fourth powers by Pebay's (Sandia report SAND2008-6212, 2008). */
void cas_summary_merge(cas_summary_shape shape, cas_summary *s, const cas_summary *other);
/* Merges the moments (count, mean[m], m2[m]) in `other` into `into`. */
void cas_moments_merge(int m, double *into, const double *other);

#endif
