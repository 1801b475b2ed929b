/* What the estimates of errors, of differences and of multilevel Monte Carlo share. */
#ifndef CAS_FIT_IMPL_H
#define CAS_FIT_IMPL_H

#include "statistics/law.h"

/* Below this a mean of something as large as `size` after that many steps, or its error, is
   rounding. */
double cas_rounding(double steps, double size);

/* Probability that sampling of so many paths makes a value of 0 as large as this one, by Student's
   distribution; NaN for what is 0, rounding or no number, and cannot be tested. */
double cas_chance(double value, double standard_error, double paths, double rounding);

/* The largest of n such probabilities that shows an error, -1 if none does: S. Holm's test (Scand. J.
   Stat. 6, 1979), in which a family without any error shows one in 4.55% of all cases. Sorts chance. */
double cas_holm_threshold(double *chance, int n);

/* Appends what laws say of an order: "order 1.00 [0.87, 1.13]: consistent with 1". `of`: what they were
   fitted to. `paths` > 0: those behind it, to say how many would be needed. Returns what it says. */
cas_findings cas_say_laws(char *text, size_t size, const cas_laws *l, double expected, double paths,
                          const char *of);

/* The order of theory with three decimals at most, halves as "1/2". */
void cas_say_theory(char *text, size_t size, double expected);

/* E phi at h = 0 from that at the finest step of the points, by its law with the order of theory. */
cas_extrapolation cas_extrapolate(const cas_laws *l, double finest, double mean,
                                  double standard_error);

/** cas_multilevel_fit without its warning of outliers. */
void cas_multilevel_fit_laws(cas_multilevel *m, const double *step, bool commuting, bool exact);

/* The order by which multilevel Monte Carlo extrapolates the bias. */
double cas_mlmc_order(const cas_mlmc_functional *f);

#endif
