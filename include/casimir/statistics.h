/** Estimates from ensembles of paths with their errors: error curves and orders of convergence,
    differences of levels, multilevel Monte Carlo, and the verdicts on them. No function here
    communicates or keeps state. */
#ifndef CASIMIR_STATISTICS_H
#define CASIMIR_STATISTICS_H

#include <casimir/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verdicts ---- */

/** All findings of verdicts, gravest first, with their names in files and their sentences: first
   findings that make all others doubtful, then answers to the question that the study asks, then
   reasons and remarks. docs/files.md has the rules. */
#define CAS_FINDING_LIST(X)                                                                 \
  X(CAS_ALL_PATHS_FAILED, "all_paths_failed",                                               \
    "all paths failed and are left out, so that nothing is estimated")                      \
  X(CAS_NOT_VALID, "not_valid", "not valid: paths failed and are left out")                 \
  X(CAS_TARGET_MISSED, "target_missed", "what was asked for is NOT REACHED")                \
  X(CAS_PATHS_FAILED, "paths_failed",                                                       \
    "paths failed: bias_bound, if known, is the most that they change")                     \
  X(CAS_SUM_BROKEN, "telescoping_sum_broken",                                               \
    "WARNING: the telescoping sum does not hold, by chance if another random.seed does "    \
    "not repeat it, by paths that failed on some levels, or by a defect")                   \
  X(CAS_OUTLIERS, "outliers",                                                               \
    "WARNING: a few paths dominate (kurtosis above 100), and standard errors are "          \
    "unreliable; if normals were clipped, raise integrator.truncation")                     \
  X(CAS_TARGET_REACHED, "target_reached", "what was asked for is reached")                  \
  X(CAS_ALL_ROUNDING, "all_rounding",                                                       \
    "not resolved: all errors are rounding, or no path has another value at another level") \
  X(CAS_TOO_FEW_PATHS, "too_few_paths",                                                     \
    "not resolved: too few paths for a standard error, or for a law and its covariance")    \
  X(CAS_TOO_FEW_LEVELS, "too_few_levels", "not resolved: too few levels for an order")      \
  X(CAS_LAW_REJECTED, "law_rejected",                                                       \
    "pre-asymptotic or inadequate: no law describes the errors; begin with a smaller "      \
    "step, or a larger N")                                                                  \
  X(CAS_DIFFERS, "differs", "NOT consistent with the order of theory")                      \
  X(CAS_NOT_RESOLVED, "not_resolved", "the order is not resolved")                          \
  X(CAS_NO_LEADING_TERM, "no_leading_term",                                                 \
    "the term of the order of theory is within 3 standard errors of 0")                     \
  X(CAS_CONSISTENT, "consistent", "consistent with the order of theory")                    \
  X(CAS_NO_THEORY, "no_theory", "no order of theory is known")                              \
  X(CAS_LEVEL_FAILED, "level_failed",                                                       \
    "a level has fewer than two valid paths, and more were not tried")                      \
  X(CAS_WITHIN_ROUNDING, "within_rounding",                                                 \
    "a difference is within rounding, which more paths do not reduce: let a functional "    \
    "decide that is not constant")                                                          \
  X(CAS_LEVEL_LIMIT, "level_limit",                                                         \
    "the bias has more than its share on all levels: raise study.max_levels, begin with a " \
    "smaller study.coarsest_step, or give study.refine, if that tells levels apart, a "     \
    "larger size")                                                                          \
  X(CAS_PATH_LIMIT, "path_limit",                                                           \
    "a level has all the paths that study.max_paths allows: raise it")                      \
  X(CAS_ROUND_LIMIT, "round_limit", "no more rounds of paths are tried")                    \
  X(CAS_BUDGET_LIMIT, "budget_limit",                                                       \
    "the work exceeds study.budget: raise it, or lower study.pilot_paths or "               \
    "study.min_levels")                                                                     \
  X(CAS_BIAS_FROM_NOISE, "bias_from_noise",                                                 \
    "the bias is extrapolated from a last difference within its sampling error")            \
  X(CAS_NOT_ANTITHETIC, "not_antithetic",                                                   \
    "WARNING: variances do not fall like h^2, so the coupling is not antithetic here: "     \
    "outliers from clipped normals, a functional that is not smooth, or errors of the "     \
    "integrator that do not change sign with the Levy area")                                \
  X(CAS_NOISES_COMMUTE, "noises_commute",                                                   \
    "the noises commute: there is no Levy area for antithetic paths to cancel, and "        \
    "coupling: adjacent costs less")                                                        \
  X(CAS_COST_OUTGROWS_VARIANCE, "cost_outgrows_variance",                                   \
    "WARNING: the work of a path grows faster than variances fall: most of it is on the "   \
    "finest level, and levels gain little")

/** A finding of a verdict. */
typedef enum {
#define CAS_FINDING_ENUM(name, text, sentence) name,
  CAS_FINDING_LIST(CAS_FINDING_ENUM)
#undef CAS_FINDING_ENUM
      CAS_FINDINGS_END /* the number of findings; in place of one: none */
} cas_finding;

/** A set of findings: bit 1 << f for each cas_finding f. */
typedef uint32_t cas_findings;

/** The names of findings in files; "none" for CAS_FINDINGS_END. */
extern const char *const cas_finding_names[];

/** The set of this finding alone. */
static inline cas_findings cas_finding_set(cas_finding f) { return (cas_findings)1 << f; }
/** Whether a set has this finding. */
static inline int cas_findings_have(cas_findings set, cas_finding f) {
  return (set & cas_finding_set(f)) != 0;
}
/** All names, gravest first and space-separated. */
void cas_findings_format(cas_findings set, char *text, size_t size);
enum {
  /** Characters of the sentences of all findings, the zero at the end included. */
  CAS_FINDINGS_TEXT = 2560
};
/** Writes the verdict: the sentences of all findings of a set, gravest first. */
void cas_findings_say(cas_findings set, char text[CAS_FINDINGS_TEXT]);
/** The findings of a set that say why a target is missed. */
cas_findings cas_findings_limits(cas_findings set);
/** The set of findings with these space-separated names; unknown names are left out. */
cas_findings cas_findings_parse(const char *text);

/* ---- arrays of estimates ---- */

/** Estimates and their standard errors. */
typedef struct {
  double *value, *standard_error; /* as long as each other */
} cas_estimates;

/** Means and their standard errors; where they are probabilities, their 95% intervals by Clopper
    and Pearson, else NaN or none. */
typedef struct {
  double *value, *standard_error, *low, *high; /* as long as each other */
} cas_means;

/** Estimates and the ends of their 95% intervals. */
typedef struct {
  double *value, *low, *high; /* as long as each other */
} cas_intervals;

/* ---- error curves ---- */

/** What an error curve shows. */
typedef enum {
  CAS_WEAK,  /* error_j = mean of phi(X_j) - phi(X_ref), signed */
  CAS_STRONG /* error_j = (mean of |X_j - X_ref|^2)^(1/2) */
} cas_error_kind;

/** A fitted exponent with its 95% confidence interval. NaN if not fitted. */
typedef struct {
  double order, low, high; /* the exponent, and the ends of its interval */
  double constant;         /* C in C h^order */
} cas_fit;

/** A fitted law of errors against the step size h. Weak errors, and strong errors where nothing is
    random, follow c_1 h^q + c_2 h^(q+1) + c_3 h^(q+2), mean squares of strong errors c_1 h^(2p) +
    c_2 h^(2p+1); a power law has the first term only. An error relative to a finer step is the
    difference of the law at the two steps. Laws are fitted by generalised least squares with the
    covariance of all levels. All members are NaN if the law is not fitted. */
typedef struct {
  /* q or p and its 95% interval if the errors follow this law. An end that the data do not bound is
     infinite. If theory fixes the order, or nothing is random, low = high = order. */
  double order, low, high;
  /* c_1, c_2, c_3, standard errors; NaN for terms that the law does not have */
  double coefficient[3], coefficient_error[3];
  double offset[2];                /* exponents of the second and third term less the first's */
  double chi2, degrees_of_freedom; /* of the test of fit */
  /* probability of a chi2 as large if the law holds; NaN without degrees of freedom */
  double p_value;
  double leading_share; /* |first term| / (sum of all |terms|) at the finest step */
  int points;           /* number of values fitted */
} cas_law;

/** The fitted laws: of one, two and three terms, each with a free order and that of theory. */
typedef enum {
  CAS_LAW_POWER,             /* c1 h^q */
  CAS_LAW_POWER_THEORY,      /* the same, q by theory */
  CAS_LAW_TWO_TERM,          /* the power law and a second term */
  CAS_LAW_TWO_TERM_THEORY,   /* the same, q by theory */
  CAS_LAW_THREE_TERM,        /* the two-term law and a third term */
  CAS_LAW_THREE_TERM_THEORY, /* the same, q by theory */
  CAS_LAWS                   /* the number of laws; as a headline: no law */
} cas_law_name;

/** Names of laws in files: "power", "power_theory", "two_term" and so on; "none" for CAS_LAWS. */
extern const char *const cas_law_names[];

/** What a study says of one of its results, in the words of files ("/result" in docs/files.md). */
typedef enum {
  CAS_SUPPORTED,    /* the order of theory is seen */
  CAS_CONTRADICTED, /* the order of theory is refuted */
  CAS_UNRESOLVED,   /* neither */
  CAS_ESTIMATED,    /* a number with its interval, that nothing is compared with */
  CAS_INVALID,      /* failed paths may have changed it by more than its interval is wide */
  CAS_JUDGEMENTS    /* their number */
} cas_judgement;

/** "supported" and so on. */
extern const char *const cas_judgement_names[];

/** What a sequence of errors shows of the order q of theory, where errors are a sum of whole powers
    c_1 h^q + c_2 h^(q+1) + .. (mean squares: c_1 h^(2q) + c_2 h^(2q+1) + ..). The law is the first
    of two and three terms for all values, for all but the coarsest, and so on, with p > 0.05. Its
    companions are the same terms without the coarsest of its values, and one term more.
    Supported: c_1 differs from 0 by 4 standard errors in the law and by 3, with the same sign, in
    each companion; the interval of the free exponent has q, and excludes q - 1/2 and q + 1/2 from
    more values than parameters; and laws of as many terms that begin with these powers have p <=
    0.05. Contradicted: theory_p_value <= 0.01, or the order q - 1 (q/2 for q < 2) is supported;
    for mean squares 2q stands for q everywhere. Not resolved: neither, or both. */
typedef struct {
  cas_judgement judgement;       /* supported, contradicted or not resolved */
  double coefficient, low, high; /* c_1, and the hull of its 95% intervals in the three laws */
  /* The order of the first term if that is free and all other powers are those of the law; the hull
     with its interval without the coarsest value. Infinite where the data do not bound it. */
  double order, order_low, order_high;
  double p_value; /* of the law */
  /* standard errors between c_1 and 0: the least of all in the law and 4/3 of those in the
     companions, so that more than 4 are asked for; negative if signs differ */
  double seen;
  int terms, left_out; /* of the law, 0 if none holds; number of coarsest values left out */
  /* 1 for weak errors, whose verdict this is; strong errors are judged by the order's interval */
  int decides;
} cas_conclusion;

/** Sets everything to what is said where nothing is known. */
void cas_conclusion_clear(cas_conclusion *c);

/** All laws of one sequence of errors, and the conclusion on the order from the law of the
    headline: three terms for weak errors, which takes four values, two for mean squares and where
    nothing is random (the power law of two values there). If that is rejected (p <= 0.01), the
    coarsest values are left out one by one until it is not, as long as four remain; all laws are
    then fitted to the values that remain. */
typedef struct {
  cas_law law[CAS_LAWS]; /* by cas_law_name */
  int headline;          /* a cas_law_name */
  int points;            /* number of values, those left out included */
  int left_out;          /* number of coarsest values left out of the fits */
  int least;             /* number of values that an order takes at least, 2 to 4 */
  int united;            /* 1 if the interval is united with that without the coarsest value */
  /* The 95% interval of the order in the law of the headline; for weak errors it also covers the
     interval of that law without the coarsest value. Infinite where the data do not bound it. */
  double low, high;
  /* The order that is reported, with its 95% interval: where the conclusion decides, its free
     exponent, else the order in the law of the headline. NaN where an end is infinite, and where
     there is no law. */
  double order, order_low, order_high;
  double rate, rate_error; /* the local order between the finest two values, its standard error */
  /* p-value of the headline's law with the order of theory, the larger one of both sets of values;
     NaN where there are fewer than two values more than terms */
  double theory_p_value;
  cas_law fewer;             /* the law of extrapolation without the coarsest value; in no file */
  cas_conclusion conclusion; /* on the order of theory */
} cas_laws;

/** The headline's law, with the order and interval that are reported; all NaN if there is none. */
cas_law cas_laws_headline(const cas_laws *l);
/** Sets all laws to NaN, and no headline. */
void cas_laws_clear(cas_laws *l);
/** The value of a law at `step` minus that at `finer`; finer 0: the value at `step` itself. scale:
    2 for a law of mean squares, otherwise 1. */
double cas_law_value(const cas_law *law, double scale, double step, double finer);

/** E phi at h = 0, extrapolated by the two-term law with the order of theory (by the power law, if
    there is only one value). NaN if that law is not fitted, or is rejected (p <= 0.01). */
typedef struct {
  double value;          /* E phi at h = 0 */
  double standard_error; /* sampling error */
  double law_error; /* the size of the law's last term at the finest step; not included above */
} cas_extrapolation;

/** Of coupled levels, which are independent of each other, arrays [L] of differences Y on paths of
    their own: Y = phi(X_h) - phi(X_h/r) with h = step[l]. Of multilevel Monte Carlo Y_0 = P_0 and
    Y_l = P_l - P_(l-1), with P_l = phi(X) at step[l], which is the finer value here; what has no
    coarser one is NaN for l = 0. */
typedef struct {
  double *variance, *kurtosis; /* of Y; kurtosis NaN where rounding dominates it */
  struct {
    double *mean, *variance; /* of such differences */
  } pair;                    /* of Y with one fine path instead of antithetic ones */
  double *coarse_variance;   /* of the coarser value, whose mean is that of the curve */
  struct {
    double *mean, *standard_error, *variance; /* over its paths */
  } fine;                                     /* of the finer value */
  double *local_decay;    /* [L-1] order of the variance between neighbouring levels */
  cas_fit variance_decay; /* beta in Var Y = constant h^beta */
} cas_coupled;

/** Of multilevel Monte Carlo. */
typedef struct {
  /* [L] of the telescoping sum, |difference| of two means that must agree, over three times their
     standard errors; above 1 they do not. NaN for l = 0 */
  double *consistency;
  double value, standard_error; /* of E phi(X): the sum of the means of Y_l */
  /* |E phi at the finest step - E phi at h = 0|, extrapolated from the last three levels */
  double bias;
  double total_error; /* root of the sum of both squares: the root-mean-square error */
  struct {
    double mean, standard_error, variance; /* of phi(X) */
  } plain;                                 /* from paths of the finest step alone */
} cas_multilevel_estimate;

/** What a study knows of one quantity on its L levels, coarsest level first: errors against the
    reference, and differences of neighbouring levels, index l for levels l and l + 1. Arrays
    that a study does not have are NULL; numbers of other studies are not set. */
typedef struct {
  cas_error_kind kind;   /* strong or weak */
  char name[64];         /* "error", "error_sup", "error_increments", or that of a functional phi */
  char unit[64];         /* of the errors; "1" by default */
  int levels;            /* L */
  double expected_order; /* by theory for this system and integrator; NaN if none is known */
  cas_estimates error;   /* [L] against the reference */
  /* [L] 1 where the error, or else the difference of coupled levels, exceeds rounding and differs
     from 0 significantly, by Holm's test of all levels and functionals at 4.55% */
  int *resolved;
  /* [L-1] between neighbouring errors; NaN if either is unresolved or their signs differ */
  cas_estimates local_order;
  /* [L-1] (E |X_h - X_h/r|^2)^(1/2), or E phi(X_h) - E phi(X_h/r), which no reference biases; [L]
     of coupled levels. Of multilevel Monte Carlo [L] the mean of Y_l, as in cas_coupled */
  cas_estimates difference;
  /* One value fewer, between neighbouring differences; of coupled levels NaN if either is
     unresolved or their signs differ */
  cas_estimates difference_order;
  cas_estimates next_order; /* two fewer: the second term of the law is removed */
  /* [L+1] E phi, reference last; [L] of coupled levels. Means of finer paths, which may be pairs,
     are no probabilities */
  cas_means mean;
  /* [L+1] mean - exact_mean, whose error is that of the mean; NaN: no exact mean is given */
  double *bias;
  /* of weak errors, or of errors if nothing is random; of E |X_h - X_h/r|^2 for strong curves */
  cas_laws laws;
  double rounding;                /* size of rounding errors; in no file */
  cas_fit raw;                    /* one power C h^p through the errors */
  cas_extrapolation extrapolated; /* E phi at h = 0, of functionals only */
  /* an upper bound on what failed paths can have changed in any of the errors, the differences, or
     the estimate; 0 if none failed, NaN if no bound is known */
  double bias_bound;
  cas_findings findings; /* of the verdict */
  /* of the study invariant, in which phi is an average over times: 1 against the reference, 2
     against an exact mean; else 0 */
  int averaged;
  double average_from, exact_mean;  /* the beginning of these times, and that mean; else 0 */
  cas_coupled coupled;              /* of coupled levels */
  cas_multilevel_estimate estimate; /* of multilevel Monte Carlo */
} cas_curve;

/** Moments of n quantities of a path, for each jackknife group: arrays [G][n]. */
typedef struct {
  int n;              /* number of quantities */
  int stride;         /* numbers between those of two groups, n or more */
  const double *mean; /* of each group */
  const double *m2;   /* sum of squared deviations from that group's mean */
} cas_moments;

/** The samples of one curve, as moments by jackknife group. */
typedef struct {
  cas_error_kind kind;     /* strong or weak */
  int levels, groups;      /* L, G */
  const double *step;      /* [L] step sizes, coarsest first */
  double reference_step;   /* below all others */
  const double *count;     /* [G] paths in each group (may be 0) */
  cas_moments errors;      /* L: |X_j - X_ref|^2, or phi(X_j) - phi(X_ref) */
  cas_moments differences; /* L - 1: |X_j - X_j+1|^2, or phi(X_j) - phi(X_j+1) */
  bool exact;              /* nothing is random: all paths are equal, and standard errors are 0 */
  double noiseless_order;  /* of the scheme without noise; 0: unknown */
  double rounding;         /* size of rounding errors: smaller errors are not fitted if `exact` */
} cas_samples;

/** Computes errors, differences, orders and laws of *curve from samples. The curve has its arrays,
    expected_order and, for weak curves, values and errors of `mean`. `resolved`, findings and
    verdict come from cas_curves_conclude. CAS_BAD_INPUT if a step is not coarser than the
    reference. */
cas_status cas_curve_fit(const cas_samples *s, cas_curve *curve, cas_error *err) CAS_MUST_CHECK;

/** Sets `resolved`, findings and verdicts of n curves of the same paths, and local orders to NaN
    where an error is not resolved. paths: their number. */
void cas_curves_conclude(cas_curve *const *curve, int n, double paths);

/* ---- coupled levels, and multilevel Monte Carlo (M. B. Giles, Acta Numerica 24, 2015) ---- */

/** All functionals of a study whose levels are coupled. Work is counted in fixed-point iterations
    (steps of explicit schemes), which do not depend on the machine. */
typedef struct {
  char coupling[32];     /* "antithetic" or "adjacent" */
  int levels;            /* L */
  int64_t *paths;        /* [L] that count, failed ones left out */
  double *steps, *work;  /* [L] of one path and those coupled with it; measured means */
  double cost_growth;    /* gamma: the work of a path grows like h^-gamma */
  int functionals;       /* their number */
  cas_curve *functional; /* [functionals] */
  int reached;           /* 1 if what was asked for is reached */
  /* The relative standard error asked for, of every difference of the first functional, and what is
     found on that; NaN: none was asked for */
  double relative_error;
  int64_t max_paths;     /* most paths of a level */
  cas_findings findings; /* on the error that was asked for */

  /* Of multilevel Monte Carlo: */
  double epsilon;    /* root-mean-square error of the first functional asked for, or bought */
  double theta;      /* share of epsilon^2 allowed for bias^2; the rest is for the variance */
  double budget;     /* work allowed; NaN: as much as epsilon takes */
  int rounds;        /* of paths; 0 for other studies */
  int64_t *round;    /* [rounds][L] paths run by the end of each round */
  double *fine_work; /* [L] of a single path of step[l] */
  double total_work; /* of all levels */
  struct {
    double work, seconds; /* of all levels; seconds NaN if not measured */
    int levels;           /* their number */
  } predicted;            /* after the first round */
  /** Plain Monte Carlo with the finest step and the same error. */
  struct {
    double paths_needed, work; /* the paths that it takes and their work, by the variance there */
    double work_measured;      /* by a measurement on `paths` paths (0: not measured) */
    int64_t paths;             /* of the measurement */
    double path_work;          /* of one of these paths */
    double seconds;            /* core seconds; NaN if not measured */
  } plain;
  /* Core seconds measured; NaN if not measured. Then a budget in core seconds and the work a core
     second by which it became work; NaN if it is given in work. Only these members, and other
     seconds, depend on the machine */
  double seconds, budget_seconds, speed;
} cas_multilevel;

/** Computes `resolved`, local orders, fits, cost_growth, findings and verdicts of differences from
    all other members. step: [L+1]. commuting: the noises commute, so that there are no Levy areas;
    exact: nothing is random. */
void cas_multilevel_fit(cas_multilevel *m, const double *step, bool commuting, bool exact);
/** Computes the weak errors of the L levels against the finest of L+1 steps by telescoping sums,
    into a weak curve of L levels. */
void cas_multilevel_curve(const cas_multilevel *m, int functional, const double *step,
                          cas_curve *curve);

/** cas_curves_conclude for the curves of all functionals, with the findings of differences. */
void cas_multilevel_curves_conclude(const cas_multilevel *m, cas_curve *const *curve);

/** The request on which all decisions are based. */
typedef struct {
  double epsilon, theta;    /* as in cas_multilevel */
  double budget;            /* work allowed, for the best error within it; 0: for epsilon */
  int lanes;                /* paths of a block */
  int max_levels;           /* most levels */
  int64_t pilot, max_paths; /* first paths of a level, and most */
  const double *step;       /* [max_levels], each the same fraction of the one before */
  bool commuting, exact;    /* as for cas_multilevel_fit */
  bool sized;               /* Levels differ in N: an iteration costs more on each. */
} cas_mlmc_aim;

/** Computes fits, estimates, their errors and the work from the moments of all levels. */
void cas_mlmc_assess(cas_multilevel *m, const cas_mlmc_aim *aim);
/** Decides what to do next: CAS_FINDINGS_END where more paths are needed, and perhaps more levels;
    CAS_TARGET_REACHED where epsilon is reached, or the budget is used up; or what keeps it from
    that. paths: [max_levels] the total number of paths of each level, not rounded to whole blocks;
    0 for levels that are not needed (yet). */
cas_finding cas_mlmc_decide(const cas_multilevel *m, const cas_mlmc_aim *aim, int64_t *paths);
/** Predicts the work of the whole study of an epsilon, which is returned (NaN if moments are
    missing), its levels, and its paths (paths[max_levels], in whole blocks). *limit: CAS_PATH_LIMIT
    or CAS_LEVEL_LIMIT where that keeps it from epsilon, else CAS_FINDINGS_END. */
double cas_mlmc_predict(const cas_multilevel *m, const cas_mlmc_aim *aim, int *levels,
                        int64_t *paths, cas_finding *limit);
/** Sets `reached`, the budget and the epsilon that it has bought, the cost of plain Monte Carlo,
    findings and verdicts, after the last round. On entry plain.seconds is the time of plain.paths
    paths. */
void cas_mlmc_conclude(cas_multilevel *m, const cas_mlmc_aim *aim, cas_finding last);

/** Formats a step size: "2^-7" if it is a power of two, otherwise six significant digits. */
void cas_step_format(double step, char *text, size_t size);

/** Two-sided Student quantile: P(|T_dof| < t) = confidence. */
double cas_student_quantile(double confidence, double dof);

/** The interval of Clopper and Pearson (Biometrika 26, 1934) for a probability of which `hits` of n
    independent trials are counted: it contains the probability with at least this confidence,
    whatever that is, and misses it on either side with half of the rest at most. */
void cas_probability_interval(int64_t hits, int64_t n, double confidence, double *low,
                              double *high);
/** The interval of a difference of two probabilities on the same n independent paths, of which `up`
    have an event in the second run alone and `down` in the first alone: the intervals of Clopper
    and Pearson for both shares, joined by their squares and the correlation of the counts (Zou and
    Donner, Statistics in Medicine 27, 2008). It is never of width 0. */
void cas_flips_interval(int64_t up, int64_t down, int64_t n, double confidence, double *low,
                        double *high);

/** Ranks low in 0..n and high in 1..n+1 of the order statistics of n independent values between
    which the quantile of probability p in [0, 1] lies with at least this confidence, for every
    distribution; rank 0 stands for -inf, n + 1 for +inf. */
void cas_quantile_ranks(int64_t n, double p, double confidence, int64_t *low, int64_t *high);

#ifdef __cplusplus
}
#endif
#endif
