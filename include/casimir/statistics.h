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

/* ---- verdicts ---- */

/* What a verdict can find: name, the name in files. Gravest first: findings that make all others
   doubtful, then the answer to the question that the study asks, then remarks. docs/files.md has the
   meaning of each. */
#define CAS_FINDING_LIST(X)                                                                     \
  X(CAS_ALL_PATHS_FAILED, "all_paths_failed") /* nothing is estimated */                        \
  X(CAS_TARGET_MISSED, "target_missed")       /* the error that was asked for is not reached */ \
  X(CAS_PATHS_FAILED, "paths_failed")         /* some; bias_bound tells what they may change */ \
  X(CAS_SUM_BROKEN, "telescoping_sum_broken") /* two means that must agree do not */            \
  X(CAS_OUTLIERS, "outliers")                 /* kurtosis above 100 */                          \
  X(CAS_TARGET_REACHED, "target_reached")     /* the error that was asked for is reached */     \
  X(CAS_ALL_ROUNDING, "all_rounding")         /* no error exceeds rounding */                   \
  X(CAS_TOO_FEW_PATHS, "too_few_paths")       /* for a standard error, or a covariance */       \
  X(CAS_TOO_FEW_LEVELS, "too_few_levels")     /* for a law */                                   \
  X(CAS_LAW_REJECTED, "law_rejected")         /* no law describes the errors */                 \
  X(CAS_DIFFERS, "differs")                   /* the interval excludes the order of theory */   \
  X(CAS_NOT_RESOLVED, "not_resolved")         /* the interval is open, or wider than 0.6 */     \
  X(CAS_NO_LEADING_TERM, "no_leading_term")   /* the second term may be the larger one */       \
  X(CAS_CONSISTENT, "consistent")             /* the interval contains the order of theory */   \
  X(CAS_NO_THEORY, "no_theory")               /* an order, and none known to compare with */    \
  X(CAS_LEVEL_FAILED, "level_failed")         /* fewer than two paths of a level count */       \
  X(CAS_WITHIN_ROUNDING, "within_rounding")   /* a difference that no paths resolve */          \
  X(CAS_LEVEL_LIMIT, "level_limit")           /* study.max_levels keeps from the target */      \
  X(CAS_PATH_LIMIT, "path_limit")             /* study.max_paths does */                        \
  X(CAS_ROUND_LIMIT, "round_limit")           /* the number of rounds of paths does */          \
  X(CAS_BIAS_FROM_NOISE, "bias_from_noise")   /* extrapolated from an unresolved difference */  \
  X(CAS_NOT_ANTITHETIC, "not_antithetic")     /* variances do not fall like h^2 */              \
  X(CAS_NOISES_COMMUTE, "noises_commute")     /* coupling: adjacent costs less */               \
  X(CAS_COST_OUTGROWS_VARIANCE, "cost_outgrows_variance") /* levels gain little */

typedef enum {
#define CAS_FINDING_ENUM(name, text) name,
  CAS_FINDING_LIST(CAS_FINDING_ENUM)
#undef CAS_FINDING_ENUM
      CAS_FINDINGS_END /* how many there are; as a verdict's code: none */
} cas_finding;

/** A set of findings: bit 1 << f for each cas_finding f. */
typedef uint32_t cas_findings;

/** The names in files; that of CAS_FINDINGS_END is "none". */
extern const char *const cas_finding_names[];

static inline cas_findings cas_finding_set(cas_finding f) { return (cas_findings)1 << f; }
static inline int cas_findings_have(cas_findings set, cas_finding f) {
  return (set & cas_finding_set(f)) != 0;
}
/** The code of a verdict: the gravest of its findings, CAS_FINDINGS_END if there are none. */
cas_finding cas_verdict_code(cas_findings set);
/** All names, gravest first and space-separated. */
void cas_findings_format(cas_findings set, char *text, size_t size);
/** The set whose names these are; unknown ones are left out. */
cas_findings cas_findings_parse(const char *text);

/* ---- error curves ---- */

typedef enum {
  CAS_STRONG, /* error_j = sqrt(mean of |X_j - X_ref|^2) */
  CAS_WEAK    /* error_j = mean of phi(X_j) - phi(X_ref), signed */
} cas_error_kind;

/** A fitted exponent with its 95% confidence interval. NaN if not fitted. */
typedef struct {
  double order, low, high;
  double constant; /* C in C h^order */
} cas_fit;

/** One law of errors against the step size. Weak errors, and strong ones where nothing is random, follow
    c_1 h^q + c_2 h^(q+1), mean squares of strong errors c_1 h^(2p) + c_2 h^(2p+1); a power law has the
    first term alone. What is an error against a finer step is the difference of the law between the two.
    Fitted by generalised least squares with the covariance of all levels. NaN if not fitted. */
typedef struct {
  double order, low,
      high; /* q or p with its 95% interval, infinite at an end that data leave open; all
                              three the order of theory in a law that fixes it, and all three the
                              order where nothing is random */
  double coefficient[2], coefficient_error[2]; /* c_1, c_2 and their standard errors; of a power law
                                                  the second is NaN */
  double chi2, degrees_of_freedom;
  double p_value;       /* of a misfit as large by chance; NaN without degrees of freedom */
  double leading_share; /* |first term| / (|first| + |second|) at the finest step */
  int points;           /* values that it was fitted to */
} cas_law;

typedef enum {
  CAS_LAW_POWER,           /* one term, any order */
  CAS_LAW_POWER_THEORY,    /* one term, the order of theory */
  CAS_LAW_TWO_TERM,        /* two terms, any order */
  CAS_LAW_TWO_TERM_THEORY, /* two terms, the order of theory */
  CAS_LAWS                 /* how many there are; as a headline: none */
} cas_law_name;

/** "power", "power_theory", "two_term", "two_term_theory", "none": what files call them. */
extern const char *const cas_law_names[];

/** All laws of one sequence of errors, and the one whose order is the headline: the two-term law of three
    values or more (where nothing is random, the power law of two), unless its misfit is rejected (p <=
    0.01). Where it is, the coarsest values are left out until it is not, as long as four remain; all laws
    are then those of the values that remain. */
typedef struct {
  cas_law law[CAS_LAWS];
  int headline; /* a cas_law_name */
  int points;   /* values that there were */
  int left_out; /* coarsest ones that the laws do not have */
} cas_laws;

/** The law of the headline, all NaN if there is none; its order is NaN too where an end of the
    interval is open. */
cas_law cas_laws_headline(const cas_laws *l);
/** Forgets all laws. */
void cas_laws_clear(cas_laws *l);
/** What a law gives for the difference between `step` and a finer one; finer 0: for h^.. alone. scale:
    2 for mean squares, otherwise 1. */
double cas_law_value(const cas_law *law, double scale, double step, double finer);

/** E phi at h = 0 by the two-term law with the order of theory (by the power law where there is but one
    value). NaN where there is none, or its misfit is rejected (p <= 0.01). */
typedef struct {
  double value;
  double standard_error; /* of sampling */
  double law_error; /* what the term beyond the leading one changes: an error that sampling does
                            not show */
} cas_extrapolation;

/** One error curve: an error for each level, coarsest level first; and the differences of neighbouring
    levels, index l for the difference between levels l and l + 1. */
typedef struct {
  cas_error_kind kind;
  char name[64];          /* "error", "error_sup", or the functional's name */
  char unit[64];          /* of the errors; "1" unless set */
  int levels;             /* L */
  double expected_order;  /* by theory for this system and integrator; NaN if none is known */
  double *error;          /* [L] against the reference */
  double *standard_error; /* [L] */
  int *
      resolved; /* [L] 1 where the error is none of sampling, by Holm's test over the whole family of
                    levels and functionals at 4.55%, and none of rounding */
  double *local_order,
      *local_order_error; /* [L-1] between neighbouring errors, and its standard error;
                                              NaN if either is unresolved or signs differ */
  double *difference,
      *difference_error; /* [L-1] strong: (E |X_h - X_h/2|^2)^1/2, weak: E phi(X_h) -
                                              E phi(X_h/2), which no finite reference biases */
  double *difference_order, *difference_order_error; /* [L-2] between neighbouring differences */
  double *next_order, *next_order_error; /* [L-3] the same with the next term of the law removed */
  double *mean,
      *mean_standard_error; /* [L+1] E phi itself, reference last; NULL for strong curves */
  cas_laws laws; /* strong: of the squared differences, E |X_h - X_h/2|^2 (of the errors against
                               the reference if nothing is random); weak: of the errors */
  cas_fit raw;   /* C h^p through the errors as they are */
  cas_extrapolation extrapolated; /* weak curves alone */
  /* most that failed paths can have changed any of the errors; 0 if none failed, NaN if nobody
     knows */
  double bias_bound;
  cas_findings findings; /* of the verdict */
  char verdict[1024];    /* in words */
} cas_curve;

/** Moments of `n` quantities of a path by jackknife group: arrays [G][n]. */
typedef struct {
  int n;
  const double *mean; /* of each group */
  const double *m2;   /* sum of squared deviations from that group's mean */
} cas_moments;

/** The samples behind one curve, by jackknife group: all that cas_curve_fit needs. */
typedef struct {
  cas_error_kind kind;
  int levels, groups;
  const double *step; /* [L] step sizes, coarsest first */
  double reference_step;
  const double *count;     /* [G] paths in each group (may be 0) */
  cas_moments errors;      /* L: |X_j - X_ref|^2, or phi(X_j) - phi(X_ref) */
  cas_moments differences; /* L - 1: |X_j - X_j+1|^2, or phi(X_j) - phi(X_j+1) */
  bool exact;              /* nothing is random: one path tells all, with standard error 0 */
  double rounding;         /* errors up to this one are of rounding */
} cas_samples;

/** Fills errors, differences, orders and laws of *curve, whose kind, name, levels and expected_order are
    set, whose means are filled, and whose arrays are allocated (cas_curve_init). What is resolved, and
    the words, come from cas_curves_conclude. */
cas_status cas_curve_fit(const cas_samples *s, cas_curve *curve, cas_error *err) CAS_MUST_CHECK;

/** Decides what is resolved in a family of curves with the same paths, takes local orders away where
    something is not, and fills verdicts. rounding: [n] errors up to which each curve's are rounding. */
void cas_curves_conclude(cas_curve *curve, int n, const double *rounding, double paths);

cas_status cas_curve_init(cas_curve *c, cas_error_kind kind, const char *name, int levels,
                          cas_error *err) CAS_MUST_CHECK;
void cas_curve_free(cas_curve *c);

/** One functional on levels that are coupled with their neighbours alone: level l is the difference
    Y = phi(X_h) - phi(X_h/2) for h = step[l], whose mean is E phi(X_h) - E phi(X_h/2). Levels are
    independent of each other. Arrays [L] unless they say otherwise. */
typedef struct {
  char name[64], unit[64];
  double *difference, *standard_error; /* of the mean of Y */
  int *resolved;                       /* as in cas_curve, with all functionals as the family */
  double *variance, *kurtosis;         /* of Y; kurtosis 3 is normal, NaN where it is lost */
  double *pair_variance;               /* of phi(X_h) - phi(X_h/2), both of the same path */
  double *single_variance;             /* of phi(X_h/2) of one path */
  double *coarse_mean, *coarse_standard_error, *fine_mean, *fine_standard_error; /* E phi */
  double *local_order, *local_order_error; /* [L-1] between neighbours, and its standard error; NaN
                                              where either is not resolved or signs differ */
  double *next_order, *next_order_error; /* [L-2] the same with the next term of the law removed */
  double *local_decay;                   /* [L-1] log2 of the ratio of neighbouring variances */
  cas_laws laws; /* of the error, whose difference between two steps E Y is */
  cas_extrapolation extrapolated;
  cas_fit variance_decay; /* beta in Var Y = constant h^beta */
  double expected_order;  /* as in cas_curve */
  double bias_bound;      /* as in cas_curve, of the differences */
  cas_findings findings;
  char verdict[1024];
} cas_differences;

typedef struct {
  char coupling[32];          /* "antithetic" or "adjacent" */
  int levels;                 /* L */
  int64_t *paths;             /* [L] that count */
  double *steps, *iterations; /* [L] a path takes on all that is coupled on a level; iterations are
                                 measured */
  double cost_growth;         /* gamma: iterations a path grow like h^-gamma */
  /* what was asked of every difference of the first functional, whether it is there, and in words;
     relative_error 0: nothing was */
  double relative_error;
  int64_t max_paths; /* of a level, at most */
  int reached;
  cas_findings findings;
  char verdict[1024];
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

/** As cas_curves_conclude, for the curves of all functionals. */
void cas_multilevel_curves_conclude(const cas_multilevel *m, cas_curve *curve);

/* ---- multilevel Monte Carlo (M. B. Giles, Multilevel Monte Carlo methods, Acta Numerica 2015) ---- */

/** One functional. P_l is phi(X) at step[l], Y_0 = P_0, and Y_l = P_l - P_(l-1) by coupled paths; levels
    are independent of each other. Arrays [L], coarsest level first. */
typedef struct {
  char name[64], unit[64];
  double *level_mean, *level_variance;                 /* of P_l, from one path of that step each */
  double *coarse_mean, *coarse_variance;               /* of P_(l-1) on level l; NaN for l = 0 */
  double *mean, *standard_error, *variance, *kurtosis; /* of Y_l, the error that of its mean */
  double *pair_mean,
      *pair_variance; /* of Y_l without the swapped path, as coupling: adjacent has it */
  double
      *consistency; /* of the telescoping sum: |difference| of two means that must agree over three
                          times their standard errors; more than 1 is wrong. NaN for l = 0 */
  double estimate;  /* of E phi(X): the sum of the means of Y_l */
  double estimate_error; /* its standard error */
  double bias;           /* |E phi(X_L) - E phi(X)|, extrapolated from the last three levels */
  double total_error;    /* (estimate_error^2 + bias^2)^1/2, the root-mean-square error */
  double bias_bound;     /* as in cas_curve, of the estimate; not in total_error */
  double expected_order;
  cas_laws laws; /* of the levels l > 0, as in cas_differences */
  cas_extrapolation extrapolated;
  cas_fit variance_decay;
  double plain_mean, plain_standard_error, plain_variance; /* of paths of the finest step alone */
  cas_findings findings;
  char verdict[2048];
} cas_mlmc_functional;

/** Work is counted in fixed-point iterations (of an explicit scheme: steps), which do not depend on
    the machine. */
typedef struct {
  char coupling[32];
  int levels;     /* L */
  double epsilon; /* wanted root-mean-square error of the first functional */
  double theta;   /* share of epsilon^2 that bias^2 may have; the variance has the rest */
  int reached;    /* 1: the first functional has them */
  int rounds;
  int64_t *paths; /* [L] that count */
  int64_t *round; /* [rounds][L] paths of each level that were asked for by the end of each round */
  double *steps;  /* [L] that a path takes on all that is coupled */
  double *work;   /* [L] of one path on all that is coupled */
  double *fine_work;  /* [L] of one path of step[l] alone */
  double cost_growth; /* gamma: work of a path grows like h^-gamma */
  double total_work,
      predicted_work; /* of all paths of all levels; as predicted after the first round */
  int predicted_levels;
  /* plain Monte Carlo with the finest step and the same error: paths that it needs and their work,
     by the variance on the finest level; and by that of paths of the finest step alone, if there were
     any (0: none), with their work */
  double plain_paths_needed, plain_work, plain_work_measured;
  int64_t plain_paths;
  double plain_path_work;
  /* of all cores together, the last of plain Monte Carlo with the same error; NaN where nothing was
     measured. Of all members these alone depend on the machine */
  double seconds, predicted_seconds, plain_seconds;
  int functionals;
  cas_mlmc_functional *functional;
} cas_mlmc;

cas_status cas_mlmc_create(int levels, int functionals, int rounds, cas_mlmc **out,
                           cas_error *err) CAS_MUST_CHECK;
void cas_mlmc_free(cas_mlmc *m);

/** What is fixed for all decisions. */
typedef struct {
  double epsilon, theta;
  int max_levels;
  int64_t pilot, max_paths; /* of a level */
  const double *step;       /* [max_levels] */
  bool commuting, exact;    /* as for cas_multilevel_fit */
} cas_mlmc_aim;

typedef enum {
  CAS_MLMC_MORE,   /* more paths, on more levels perhaps */
  CAS_MLMC_DONE,   /* epsilon is reached */
  CAS_MLMC_LEVELS, /* the bias would need more than max_levels */
  CAS_MLMC_PATHS,  /* the variance would need more than max_paths of a level */
  CAS_MLMC_ROUNDS, /* no more rounds are there */
  CAS_MLMC_FAILED  /* a level has no variance: its paths failed */
} cas_mlmc_decision;

/** From the moments of the levels to the fits, the estimate, its errors, and the work. */
void cas_mlmc_assess(cas_mlmc *m, const cas_mlmc_aim *aim);
/** What to do next: paths[l] in all for the max_levels levels, 0 for those that are not needed (yet). The
    numbers are not those of whole blocks. */
cas_mlmc_decision cas_mlmc_decide(const cas_mlmc *m, const cas_mlmc_aim *aim, int64_t *paths);
/** The work of the whole study, as it looks from here, and its levels and paths (paths[max_levels], in
    whole blocks of `lanes`). */
double cas_mlmc_predict(const cas_mlmc *m, const cas_mlmc_aim *aim, int lanes, int *levels,
                        int64_t *paths);
/** Fills `reached`, what plain Monte Carlo needs, and the verdicts, after the last round; before it
    plain_seconds is what plain_paths took. */
void cas_mlmc_conclude(cas_mlmc *m, const cas_mlmc_aim *aim, cas_mlmc_decision last);

/** Writes a step size for people: "2^-7" if it is a power of two, otherwise six significant digits.
 */
void cas_step_format(double step, char *text, size_t size);

/** Two-sided Student quantile: P(|T_dof| < t) = confidence. */
double cas_student_quantile(double confidence, double dof);

/** Ranks low in 0..n and high in 1..n+1 of the order statistics of n independent values between which
    the quantile of probability p in [0, 1] lies with at least this confidence, whatever continuous
    distribution they have; rank 0 stands for -inf, n + 1 for +inf. */
void cas_quantile_ranks(int64_t n, double p, double confidence, int64_t *low, int64_t *high);

#ifdef __cplusplus
}
#endif
#endif
