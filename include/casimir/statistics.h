/** What is estimated from an ensemble, and with which error. All functions are pure; no MPI. */
#ifndef CASIMIR_STATISTICS_H
#define CASIMIR_STATISTICS_H

#include <casimir/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CAS_STRONG, /* error_j = sqrt(mean of |X_j - X_ref|^2) */
  CAS_WEAK    /* error_j = mean of phi(X_j) - phi(X_ref), signed */
} cas_error_kind;

/** A fitted order with its 95% confidence interval (delete-a-group jackknife, Student t). NaN if
 * not fitted. */
typedef struct {
  double order, low, high;
  double constant; /* C in error = C h^p, or C (h^2p - h_ref^2p)^1/2, c (h^q - h_ref^q) when
                      corrected */
} cas_fit;

/** One error curve: an error for each level, coarsest level first. */
typedef struct {
  cas_error_kind kind;
  char name[64];          /* "error", "error_sup", or the functional's name */
  char unit[64];          /* of the errors; "1" unless set */
  int levels;             /* L */
  double expected_order;  /* by theory for this system and integrator; NaN if none is known */
  double *error;          /* [L] */
  double *standard_error; /* [L] */
  int *resolved;          /* [L] 1 where |error| > 2 standard errors; only these enter fits */
  double *local_order;    /* [L-1] between neighbouring levels, raw: log2(error_j / error_j+1) per
                             halving; NaN if either is unresolved */
  double *local_order_corrected; /* [L-1] solved from the corrected law on two levels */
  double *mean,
      *mean_standard_error; /* [L+1] E phi itself, reference last; NULL for strong curves */
  cas_fit raw, corrected;
  /* most that failed paths can have changed any of the errors; 0 if none failed, NaN if nobody
     knows */
  double bias_bound;
  char verdict[512]; /* plain words */
} cas_curve;

/** The samples behind one curve, by jackknife group: all that cas_curve_fit needs. */
typedef struct {
  cas_error_kind kind;
  int levels, groups;
  const double *step; /* [L] step sizes, coarsest first */
  double reference_step;
  const double *count; /* [G] paths in each group (may be 0) */
  const double *mean;  /* [G][L] mean of |X_j - X_ref|^2, or of phi(X_j) - phi(X_ref) */
  const double *m2;    /* [G][L] sum of squared deviations from that group's mean */
  bool exact;          /* nothing is random: one path tells all, with standard error 0 */
} cas_samples;

/** Fills error, standard_error, resolved, local orders, fits and verdict of *curve, whose kind,
   name, levels and expected_order are set and whose arrays are allocated (cas_curve_init). */
cas_status cas_curve_fit(const cas_samples *s, cas_curve *curve, cas_error *err) CAS_MUST_CHECK;

cas_status cas_curve_init(cas_curve *c, cas_error_kind kind, const char *name, int levels,
                          cas_error *err) CAS_MUST_CHECK;
void cas_curve_free(cas_curve *c);

/** One functional on levels that are coupled with their neighbours alone: level l is the difference
    Y = phi(X_h) - phi(X_h/2) for h = step[l], whose mean is E phi(X_h) - E phi(X_h/2). Levels are
    independent of each other. Arrays [L] unless they say otherwise. */
typedef struct {
  char name[64], unit[64];
  double *difference, *standard_error; /* of the mean of Y */
  int *resolved;                       /* 1 where |difference| > 2 standard errors */
  double *variance, *kurtosis;         /* of Y; kurtosis 3 is normal, NaN where it is lost */
  double *pair_variance;               /* of phi(X_h) - phi(X_h/2), both of the same path */
  double *single_variance;             /* of phi(X_h/2) of one path */
  double *coarse_mean, *coarse_standard_error, *fine_mean, *fine_standard_error; /* E phi */
  double *local_order, *local_order_error; /* [L-1] between neighbours, and its standard error; NaN
                                              where either is not resolved or signs differ */
  double *local_decay;                     /* [L-1] log2 of the ratio of neighbouring variances */
  cas_fit order;                           /* q and c of the error c h^q: E Y = c (1 - 2^-q) h^q */
  cas_fit variance_decay;                  /* beta in Var Y = constant h^beta */
  double expected_order;                   /* as in cas_curve */
  double bias_bound;                       /* as in cas_curve, of the differences */
  char verdict[768];
} cas_differences;

typedef struct {
  int levels;                 /* L */
  char coupling[32];          /* "antithetic" or "adjacent" */
  int64_t *paths;             /* [L] that count */
  double *steps, *iterations; /* [L] a path takes on all that is coupled on a level; iterations are
                                 measured */
  double cost_growth;         /* gamma: iterations a path grow like h^-gamma */
  int functionals;
  cas_differences *functional;
} cas_multilevel;

cas_status cas_multilevel_create(int levels, int functionals, cas_multilevel **out,
                                 cas_error *err) CAS_MUST_CHECK;
void cas_multilevel_free(cas_multilevel *m);
/** Fills resolved, local orders, fits, cost growth and verdicts from all else. step: [L+1].
    commuting: noises commute, so that there are no Levy areas; exact: nothing is random. */
void cas_multilevel_fit(cas_multilevel *m, const double *step, bool commuting, bool exact);
/** Weak errors of the L levels against the finest of L+1 steps, by telescoping sums; curve from
    cas_curve_init(CAS_WEAK, .., L). */
void cas_multilevel_curve(const cas_multilevel *m, int functional, const double *step,
                          cas_curve *curve);

/** The error at `step` by a fitted law: strong C (h^2p - h_ref^2p)^1/2, weak c (h^q - h_ref^q); a
    reference_step of 0 gives the raw law C h^p. NaN if nothing was fitted. */
double cas_fit_value(const cas_fit *fit, cas_error_kind kind, double reference_step, double step);

/** Writes a step size for people: "2^-7" if it is a power of two, otherwise six significant digits.
 */
void cas_step_format(double step, char *text, size_t size);

/** Two-sided Student quantile: P(|T_dof| < t) = confidence. */
double cas_student_quantile(double confidence, double dof);

#ifdef __cplusplus
}
#endif
#endif
