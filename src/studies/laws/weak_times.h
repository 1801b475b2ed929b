/* Weak errors at several times, as tables. */
#ifndef CAS_WEAK_TIMES_H
#define CAS_WEAK_TIMES_H

#include <casimir/results.h>

/** E phi(X_h(t)) - E phi(X_ref(t)) of a functional for L step sizes at T times, "weak_times/NAME",
    and the largest of their absolute values over the times. Its interval holds with at least 95%:
    Student's intervals of all times hold together with that (Bonferroni), and of those of the
    absolute values both ends have their maxima. */
typedef struct {
  char name[64], unit[64];
  int levels, times;      /* L, T */
  int64_t counted;        /* paths */
  double *time;           /* [T] */
  cas_means mean;         /* [T] of the reference */
  cas_estimates error;    /* [L][T] */
  cas_intervals supremum; /* [L] */
  /* [L-1] of neighbouring suprema; its interval, of at least 95%, is between the ends of their two
     97.5% intervals */
  cas_intervals local_order;
} cas_weak_times;

#endif
