/** For authors of systems, integrators, algebras and generators: the tables of operations that the
   registries hold. Users of finished studies need only casimir.h.

    Layout everywhere: a block of W paths ("lanes") in structure-of-arrays form, x[component * W +
   lane], aligned to 64 bytes. Kernels take whole blocks, allocate nothing, know no MPI and keep no
   state. */
#ifndef CASIMIR_EXTEND_H
#define CASIMIR_EXTEND_H

#include <casimir/algebra.h>
#include <casimir/config.h>
#include <casimir/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- systems ---- */

/** One axis of an observable that has several numbers. */
typedef struct {
  const char *name;           /* "degree": of its dimension scale in files */
  const char *summary, *unit; /* of its coordinates */
  int length;                 /* number of coordinates */
  const char *labels;         /* space separated, `length` of them; NULL: coordinates are numbers */
  /** out[length]. optional: 1, 2, .. */
  void (*coordinates)(const void *parameters, double *out);
} cas_axis;

/** A function of the state, used as weak test function or recorded along trajectories. Units are
   words, because systems have no dimensions: products of "1", "time_unit" and units of the system
   such as "inertia_unit", with powers: "time_unit^-1". */
typedef struct {
  const char *name, *summary, *unit; /* name NULL ends a list */
  /** out[i * W + lane] = number i of phi(x[., lane]), one number unless `axes` says otherwise */
  void (*value)(const void *parameters, int W, const double *x, double *out);
  /** Fills the axes of an observable of several numbers, which come row by row, and returns how
     many, at most 2; their names, summaries and units are the same for all parameters, zeroed ones
     included, by which they are listed. optional: a single number. Functionals are single
     numbers. */
  int (*axes)(const void *parameters, cas_axis axis[2]);
  /** The reason why it has no value for these parameters ("the intensities sum to 0"), or NULL.
      optional */
  const char *(*undefined)(const void *parameters);
  /** Least and greatest value of its numbers on the orbit of x0, [components], from which the bias
      bound of failed paths follows. optional: unbounded, or not known */
  void (*range)(const void *parameters, const double *x0, double range[2]);
  /** Its distribution function where the state is uniform on the orbit of x0, [components]: by
      Liouville the invariant law, and where the noise leads everywhere on the orbit the only one,
      to which laws of paths are compared. optional: not known */
  double (*uniform_distribution)(const void *parameters, const double *x0, double value);
} cas_functional;

/** A row of a list of functionals, or of observables: its name, its function and its unit, then its
    summary, and behind that what else it has: CAS_FUNCTIONAL(energy, hamiltonian, "1", "H0", .range
    = range_of_energy). */
#define CAS_FUNCTIONAL(called, function, of, ...) \
  { .name = #called, .value = function, .unit = of, .summary = __VA_ARGS__ }

/** Numbers of a state that expressions know by a name and two indices: entries of matrices, modes,
    coefficients, values of a field at a point. */
typedef struct {
  const char *name;    /* "re(i,j)", which stands for re(2,3) and others; NULL ends a list */
  const char *summary; /* what these numbers are, for descriptions; required */
  bool fractional; /* indices may be fractions, as coordinates of a point; else they are whole */
  /** Whether there is one with these indices, at most 1e6 in magnitude; if not, `right` says which
      there are ("i and j from 1 to 8"), [size] characters. required */
  bool (*exists)(const void *parameters, const double index[2], char *right, size_t size);
  /** out[lane] = that number of x[., lane]. required */
  void (*value)(const void *parameters, const double index[2], int W, const double *x, double *out);
} cas_indexed;

/** To be called every few milliseconds by functions of observables that take longer: it checks
    signals and time limits, so that a run can end while a large map is computed. If true, the run
    ends, and the function may return without filling `out`. */
bool cas_cancelled(void);

typedef struct cas_stepper cas_stepper;
typedef struct cas_tally cas_tally;

/** Advances all lanes of a block by one step. x: state, in and out. carry: running compensation of
   x, same shape, NULL unless stepper->compensated. coef: what the system's prepare() made for this
   step. */
typedef void cas_step_function(const cas_stepper *s, double *x, double *carry, const double *coef,
                               double *work, cas_tally *tally);

/** A step compiled for one pair of system and integrator, everything inlined. */
typedef struct {
  const char *integrator;  /* its name; NULL ends a list */
  cas_step_function *step; /* one step of a block */
} cas_scheme_step;

/** The steps of all schemes that fit a system, which integrators/steps.h makes of the text of the
    schemes and the inline functions of system and algebra. A system has several bodies where its
    gradient is computed in several ways. */
typedef struct {
  const char *algebra; /* its name */
  unsigned features;   /* CAS_COADJOINT | .. */
  /** Lanes of a group; 1: a block is one path, in arrays that zeros fill up to whole cache lines */
  int lanes;
  const cas_scheme_step *steps; /* of the schemes whose need is met */
  /** xi = what the system's psi computes, of a group of lanes or of one path, as operations of
      algebras have them; coef as steps have it. For tests; NULL without CAS_COADJOINT */
  void (*psi)(const cas_stepper *s, const double *coef, const double *x, double *xi);
} cas_body;

/** Configurations of a small system for tests and benchmarks, as keys in flow style: `keys` without
    noise, "inertia: [2, 1, 0.5], initial: [0.6, 0, 0.8]"; `noise` for noises that do not commute,
    "noise: {kind: quadratic, sigma: 0.1}", with errors of strong order 1/2 at steps of 1/128;
    `commuting` for noises that commute, with errors of order 1 there. */
typedef struct {
  const char *keys;      /* of a small system */
  const char *noise;     /* of noises that do not commute */
  const char *commuting; /* of noises that commute; NULL: there are none */
} cas_example;

/** The random numbers of one initial state: a stream of its own, which the seed of the initial
    state and the number of the path determine. */
typedef struct cas_draws cas_draws;
/** The next uniform of the open interval (0, 1). Any number of calls is allowed, as rejection
    needs. */
double cas_draw_uniform(cas_draws *d);
/** The next standard normal. */
double cas_draw_normal(cas_draws *d);

/** A law of random initial states: `initial: {random: {seed: S, law: NAME}}`, and with `each: path`
    one for every path. */
typedef struct {
  const char *name, *summary, *source; /* name NULL ends a list; source: paper and equation */
  /** x[components] = a state of the law with these parameters, from `draws` alone. Returns what is
      wrong with the parameters ("the temperature is 0"), or NULL. */
  const char *(*draw)(const void *parameters, cas_draws *draws, double *x);
} cas_initial_distribution;

/** A form in which files may hold states besides that of records: `initial: {NAME: {file: F,
    dataset: D, index: I}}`. */
typedef struct {
  const char *name, *noun; /* the key, and what it means, "map"; name NULL ends a list */
  /** dims of a state in this form, which has real numbers, and its rank, at least 1 */
  int (*shape)(const void *parameters, int64_t dims[3]);
  /** x[components] of the numbers, relative to the state at rest. Returns what is wrong with them,
      or NULL; *lost is the part of their norm that states have no place for */
  const char *(*pack)(const void *parameters, const double *numbers, double *x, double *lost);
  const char *place; /* what states do have: "degrees 1 .. N - 1" */
} cas_state_form;

/** Numbers by name. */
typedef struct {
  int n;         /* their number */
  char **name;   /* [n] */
  double *value; /* [n] */
} cas_constants;

/** Numbers of a state behind the components of its algebra, with errors of their own. */
typedef struct {
  const char *name, *summary, *unit; /* "attitude" */
  int numbers;                       /* in blocks */
  int stored;                        /* numbers in files */
  const char *names;                 /* of the numbers in files, space separated */
  /** From numbers in files to numbers in blocks; what is wrong with them, or NULL. required */
  const char *(*pack)(const double *stored, double *numbers);
  /** From numbers in blocks to numbers in files. required */
  void (*unpack)(const double *numbers, double *stored);
  double norm, diameter2; /* of all values, in the norm of distance2 */
  /** out[lane] = |x - y|^2 of these numbers, [number * W + lane]. required */
  void (*distance2)(int W, const double *x, const double *y, double *out);
  int invariants; /* components of a vector that every path keeps besides the Casimirs */
  /** out[k * W + lane]: that vector, of constant length, of whole states. required */
  void (*invariant)(const cas_geometry *g, int W, const double *x, double *out);
  /** The value that a state has for which a configuration gives the components alone. required */
  void (*fill)(double *numbers);
  /** Functions of these numbers, of which `value` gets them alone, [number * W + lane], and no
      parameters; single numbers. optional: none */
  const cas_functional *functionals;
} cas_part;

/** Damping and forcing beside the bracket, dx = (-L (x - F) + f) dt + sum_i s_i dB_i with a linear
    L and its eigenvectors s_i, L s_i = rate_i s_i. Half a step, solved exactly, goes before and
    after each step of the scheme. */
typedef struct {
  /** Whether these parameters have it. */
  bool (*acts)(const void *parameters);
  /** The rate c if all Casimirs of a path decay as exp(-c t), NAN if their change is not known. */
  double (*decay)(const void *parameters);
  int (*kicks)(const void *parameters); /* number of the B_i */
  /** rate[kicks] */
  void (*rates)(const void *parameters, double *rate);
  /** Doubles of workspace that a block of W paths needs. */
  size_t (*workspace)(const void *parameters, int W);
  /** Moves a block of W paths for the time h. kick[i * W + lane] is the integral of exp(-rate_i (h
      - t)) dB_i over that time. */
  void (*flow)(const void *parameters, int W, double h, const double *kick, double *x,
               double *workspace);
} cas_exchange;

/** Linear damping of a Lie-Poisson state, dx = ad*_xi x - rate x dt, the components of a part left
    alone [arXiv 2503.01540]. Half a step of it, solved exactly, goes before and after each step of
    the scheme. As brackets are linear, states stay on the orbit of exp(-rate t) x0, so that a
    Casimir of degree k falls by exp(-k rate t). */
typedef struct {
  double rate; /* >= 0 */
} cas_damping;

/** Double-bracket dissipation with noise of its own, [Arnaudon, De Castro and Holm, 2018]:

        dX = ad*_xi X,  xi = (grad H0 + theta ad*_{grad H0} X) dt + sigma sum_k e_k o dB_k,

    where the e_k are a basis of the algebra and sigma^2 = 2 theta kT. Casimirs are kept, and theta
    alone lowers H0. The density exp(-H0/kT) is invariant on every orbit. */
typedef struct {
  double theta; /* how fast H0 falls, >= 0 */
  double kT;    /* the temperature in units of H0, >= 0 */
} cas_dissipation;

/** What a system says of its dissipation. */
typedef struct {
  size_t offset; /* of its cas_dissipation in the parameters */
  /** For each component of a state, the factor of theta, which multiplies psi, and that of sigma,
      with which the e_k are orthonormal in the product that grad H0 is of. Where the bracket of the
      equation is c times that of the algebra, psi has the factor c, and both of these have it, too.
      [components] each, filled with 1 before. optional: they are 1 */
  void (*weights)(const void *parameters, double *drag, double *noise);
  const cas_body *path_body; /* the body with dissipation for blocks of one path. optional */
} cas_dissipated;

/** What a system says of real numbers among its parameters where they enter psi, its flows and the
    algebra by coefficients alone: paths with different numbers then make their steps together. */
typedef struct {
  /** Whether that is so for the parameters of two paths. optional: for all */
  bool (*same_steps)(const void *a, const void *b);
  /** How many numbers prepare() takes. */
  int (*numbers)(const void *parameters);
  /** Writes the numbers of one path to number[i * W]. */
  void (*pack)(const void *parameters, int W, double *number);
  /** Fills coef as the system's prepare() does, with number[i * W + lane] of each path and all else
      from the parameters of one. optional, as the two above: prepare() is called for each path */
  void (*prepare)(const void *parameters, const double *number, int W, double h, const double *dw,
                  double *coef);
} cas_by_coefficients;

/** How systems of several sizes are one system in a limit. */
typedef struct {
  const char *key; /* the option below `system:` that is the size */
  double order;    /* of errors in size^-2, by theory */
  /** The number of the first noise among those of the system at any size, so that noises are the
      same at every size, and paths whatever W. */
  int (*first_noise)(const void *parameters);
  /** out: what a state x of the size `from` has of the coefficients that states of the smaller size
      `to` have. */
  void (*cut)(const void *from, const double *x, const void *to, double *out);
} cas_sized;

/** A system: its options, Hamiltonians, noises, states and observables. */
typedef struct cas_system {
  const char *name, *summary, *source; /* required; source: paper and equation */
  cas_example example;                 /* required */
  /** The options of a system, and the struct that they fill: its parameters. */
  struct {
    const cas_option *options; /* keys below `system:`; required */
    size_t size;               /* of the struct; required */
    /** Checks what ranges cannot; reports by cas_config_fail(c, err, "system.KEY", ..). optional */
    cas_status (*check)(const cas_config *c, void *parameters, cas_error *err);
    void (*release)(void *parameters);       /* frees what check() allocated. optional */
    size_t (*bytes)(const void *parameters); /* that check() allocated. optional */
    /** What to say of arrays of files after check(): out[size], "system.KEY: ..". optional */
    void (*remark)(const void *parameters, char *out, size_t size);
  } parameters;
  /** Blocks of paths, and the steps that are compiled for them. */
  struct {
    int lanes; /* W, a multiple of 16; but see one_path. required */
    /** The body for these parameters; zeroed ones included, whose body is the one that `describe`
        speaks of. required */
    const cas_body *(*body)(const void *parameters);
    /** Whether blocks are of one path, W = 1, with these parameters. optional: never */
    bool (*one_path)(const void *parameters);
    const cas_body *path_body; /* the body for blocks of one path; required with one_path */
  } blocks;
  /** The space of states. */
  struct {
    int n; /* of the algebra, of one factor; required, or: */
    /** The algebra's n and the number of factors. optional: n above, and one factor */
    void (*geometry)(const void *parameters, int *n, int *factors);
    const void *(*table)(const void *parameters);    /* of the geometry. optional: NULL */
    const cas_part *(*part)(const void *parameters); /* behind the components. optional: none */
  } space;
  /** States in files and in expressions. */
  struct {
    /** Names, space separated: of the numbers of a state as files hold it, if those are a list of
        real numbers, and then expressions know them; otherwise what a state is. A part has names
        of its own. required, or: */
    const char *names;
    const char *(*components)(const void *parameters); /* that depend on the parameters */
    const char *unit;                                  /* of the numbers of a state; required */
    const cas_indexed *indexed; /* numbers of a state by indices, for expressions. optional: none */
    /** The shape of a state in files, row by row, and its rank; complex entries are pairs (re, im).
        optional: a vector of the components, with the numbers of its part as files hold them behind
        them. pack and unpack convert where the numbers differ too */
    int (*shape)(const void *parameters, int64_t dims[3], bool *is_complex);
    /** Describes the axes of a state in files, at most 2; without it a vector has components, a
        matrix rows and columns. optional */
    int (*axes)(const void *parameters, cas_axis axis[2]);
    /** From a state in a file to components; what is wrong ("is not skew-Hermitian"), or NULL */
    const char *(*pack)(const void *parameters, const double *state, double *x);
    /** From components to a state in a file */
    void (*unpack)(const void *parameters, const double *x, double *state);
    const cas_state_form *forms; /* of states in files, besides. optional: none */
  } state;
  /** Initial states. All are optional. */
  struct {
    /** The state used when the configuration has no `initial`; without it one must be given. */
    void (*state)(const void *parameters, double *x);
    /** Adds to x the state at rest, to which random states and coefficients are relative: the
        Coriolis parameter. Without it that state is 0. */
    void (*rest)(const void *parameters, double *x);
    /** A random state of norm `norm` from standard normals, one each, in and out. */
    void (*random)(const void *parameters, double norm, double *x);
    const cas_initial_distribution *distributions; /* of random states besides */
    /** The state with the coefficients of harmonics of degree l and order m in rows (l, m, value).
        Errors are reported by cas_config_fail(c, err, "system.initial.coefficients", ..). */
    cas_status (*harmonics)(const cas_config *c, const void *parameters, const cas_vectors *rows,
                            double *x, cas_error *err);
    /** The part of a state with degrees, or shells of modes, lmin .. lmax (0: the lowest and the
        highest there are; lmin <= lmax). Errors are of "system.initial.random.lmax". */
    cas_status (*band)(const cas_config *c, const void *parameters, int64_t lmin, int64_t lmax,
                       double *x, cas_error *err);
    /** Checks an initial state, which has the right shape and is finite; reports through
       cas_config_fail(c, err, "system.initial", ..). */
    cas_status (*check)(const cas_config *c, const void *parameters, const double *x,
                        cas_error *err);
    /** Checks that need to know how large states are, at one initial state: of all paths, or of the
        first; afterwards commuting() is asked. Errors as above. */
    cas_status (*check_at)(const cas_config *c, void *parameters, const double *x, cas_error *err);
  } initial;
  /** The noises, and Levy's areas of them. */
  struct {
    int (*number)(const void *parameters); /* M; required */
    bool always_commuting;                 /* what commuting() would always return */
    /** Noises commute (or M < 2): strong order 1. required, unless they always do */
    bool (*commuting)(const void *parameters);
    /** Makes steps with Levy's areas from now on: body() returns the body of such steps, and
        prepare() finds the rows of add_areas(), times the `scale` of the scheme, behind dw. These
        rows multiply the brackets V_i H_j of the noises' Hamiltonians; V_i is the derivative along
        noise i. Refuses parameters whose brackets are not known, by cas_config_fail(c, err,
        "integrator.areas", ..). optional: there are none */
    cas_status (*take_areas)(const cas_config *c, void *parameters, cas_error *err);
    int (*areas)(const void *parameters); /* rows of add_areas() after take_areas() */
    /** area[row * W + lane] += sums of 1/2 (v_i w_j - v_j w_i), i < j, as brackets need them. */
    void (*add_areas)(const void *parameters, int W, const double *v, const double *w,
                      double *area);
  } noise;
  /** What psi = h grad H0 + sum_k dW_k grad H_k needs of a step, once a step. */
  struct {
    int doubles; /* a lane that prepare() fills, at least 1; required, or: */
    int (*coefficients)(const void *parameters); /* doubles that depend on the parameters */
    /** coef[k * W + lane]. h and dw[noise * W + lane], the clipped normals times the root of the
        step, come multiplied by the `scale` of the scheme. required */
    void (*prepare)(const void *parameters, int W, double h, const double *dw, double *coef);
    /** How parameters that differ by path enter; without it such paths step one by one. optional */
    const cas_by_coefficients *by_coefficients;
  } psi;
  /** Momentum maps that stay constant, in place of Casimirs where the algebra has none. */
  struct {
    int (*number)(const void *parameters); /* with these parameters. optional: there are none */
    /** out[k * W + lane]: these momentum maps. h: of the steps whose discrete momentum is meant,
        [BRO] section 4; 0: the momentum itself */
    void (*value)(const void *parameters, double h, int W, const double *x, double *out);
  } momenta;
  const cas_sized *sized;                    /* optional: the system has one size */
  const cas_exchange *exchange;              /* optional: the bracket is all there is */
  double (*damping)(const void *parameters); /* rate, >= 0; not beside an exchange. optional: 0 */
  const cas_dissipated *dissipated;  /* body() is that with dissipation where it acts. optional */
  const cas_functional *functionals; /* required */
  const cas_functional *observables; /* required; the first is the Hamiltonian */
  const cas_formulas *(*formulas)(
      const void *parameters); /* observables as texts. optional: none */
  const cas_constants *(*constants)(const void *parameters); /* of expressions. optional: options */
  /** Why these parameters leave the system without the features `missing`, as the reason for which
      a scheme does not fit: "it needs ..", or of zeroed parameters what it does fit: "fits ..". out
      stays empty where there is nothing to add. optional */
  void (*misfit)(const void *parameters, unsigned missing, char *out, size_t size);
} cas_system;

/* ---- integrators ---- */

/** The declaration of a scheme; its code follows it in the same header (docs/extending.md). */
typedef struct cas_integrator {
  const char *name, *summary, *source;                     /* required */
  unsigned needs;                                          /* the feature that it needs */
  unsigned keeps;                                          /* CAS_KEEPS_CASIMIRS | .. */
  double scale;                                            /* of h and dW in psi; required */
  double strong_order, strong_order_commuting, weak_order; /* by theory, tested */
  double order;                                            /* without noise */
  /** The leading strong error of a step is of Levy's areas, and changes sign with them; tested */
  bool antithetic;
  /** A step solves no equation, and takes increments of any size. */
  bool is_explicit;
  /** A step with -h and -dW undoes a step, so that compositions have even orders; tested */
  bool symmetric;
  /** The scheme has the options retraction and variant. */
  bool retracts;
  /** The equation of a step has a solution for increments of any size. */
  bool is_solvable;
  /** The scheme keeps discrete momentum maps, of its own steps, instead of the momentum itself. Its
      equation is for the momentum alone, and linear where the algebra is CAS_FLAT. */
  bool discrete_momentum;
  /** Evaluations of all gradients, or as much work, in a step and in each of its iterations */
  struct {
    double step, iteration; /* their numbers */
  } evaluations;
  /** Arrays of the size of a state that a step of a group of lanes needs as work space */
  int arrays;
  unsigned asks; /* CAS_ASKS_PARTS | .. */
  /** Standard normals beside the increments that a step takes of every noise: stepper->normals */
  int normals;
} cas_integrator;

/** What steps with dissipation have beside theirs. */
typedef struct {
  int noise;          /* doubles from the coefficients of psi to those of the noise */
  const double *drag; /* [components]: theta times the weight of each */
  double *workspace;  /* as large as an array of a group */
} cas_step_dissipation;

/** Offsets, in doubles from the coefficients of psi, of the coefficients of further gradients that
    a scheme asks for. */
typedef struct {
  int drift, noises, areas; /* CAS_ASKS_PARTS */
  int half[2];              /* CAS_ASKS_HALVES */
  int noise, next;          /* CAS_ASKS_NOISES: of noise 0, and from each to the next */
} cas_coefficient_sets;

/** What a step needs to know; the same for all blocks of a level. */
struct cas_stepper {
  const cas_system *system;  /* that is stepped */
  const void *parameters;    /* of the system */
  cas_geometry geometry;     /* of the state, with a workspace of this rank */
  int W;                     /* paths of a block */
  int first, lanes;          /* those of them that a step advances, whole groups; lanes 0: all */
  double h;                  /* step size */
  double relative;           /* tolerance of an iteration, relative to the size of a state */
  double tolerance;          /* the same of a state of the initial size, absolute, maximum norm */
  double magnitude;          /* the initial size: the largest component of the first states */
  int retraction, variant;   /* of schemes that have them: CAS_RETRACTION_CAYLEY, .. */
  int max_iterations;        /* of implicit schemes; more count as not converged */
  bool compensated;          /* states are added to by Kahan's addition */
  int noises;                /* Brownian motions */
  cas_coefficient_sets sets; /* parts of psi that a scheme asks for beside psi of the whole step */
  cas_step_dissipation dissipation; /* of the block, for bodies that have it */
  /* [i * noises + noise][W]: standard normals of the step, independent of its increments, of a
     scheme that asks for `normals` > i of them */
  const double *normals;
};

/** Counters by lane, all arrays [W]. */
struct cas_tally {
  double *iterations, *iterations_max; /* sum over steps, and the most of a step */
  double *not_converged;               /* steps that missed the tolerance */
  double *clipped;                     /* normals that were truncated */
  double *second_method;               /* steps whose equation a first method did not solve */
};

/* ---- generators of normals ---- */

typedef struct cas_stream cas_stream;

/** A family of streams. A stream serves one block; normals come in steps of M W. */
typedef struct cas_generator {
  const char *name, *summary; /* required */
  const char *missing;        /* optional: why this build does not have it, and what would help; a
                          configuration that asks for it is refused with that */
  int variant;        /* optional: what `open` may need to know, such as its library's name */
  int64_t blocks;     /* how many blocks it can serve */
  bool counter_based; /* uniforms depend on `step` alone, not on earlier calls */
  bool replayed;      /* reads normals from a file; open and uniforms are then absent */
  /* a stream takes longer to open the higher its block: levels of a study share low numbers, block
     b of level l being b * levels + l, instead of having a range each */
  bool ascending;
  cas_status (*open)(cas_stream *s, cas_error *err); /* required */
  /** u[0..n): the next n uniforms in the open interval (0, 1); n a multiple of 16. `step` counts
      the calls. required */
  void (*uniforms)(cas_stream *s, int64_t step, int n, double *u);
  void (*close)(cas_stream *s); /* called only if `open` has set `handle`. optional */
} cas_generator;

/** An open stream of random numbers. */
struct cas_stream {
  const cas_generator *generator; /* its family */
  int seed;                       /* 0 .. 2^31 - 1 */
  int purpose;                    /* src/paths/noise/purposes.def */
  int64_t block;                  /* that it serves */
  void *handle;                   /* the family's own, NULL before `open` */
};

#ifdef __cplusplus
}
#endif
#endif
