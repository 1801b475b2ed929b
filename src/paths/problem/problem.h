/* A configuration made ready to run: everything but the study. */
#ifndef CAS_PROBLEM_H
#define CAS_PROBLEM_H

#include "files/input/input.h"
#include "language/config/keys.h"
#include "math/kernels/plugin.h"
#include "paths/noise/noise.h"

#include <casimir/results.h>

/** The keys `file` and `file_hash`; zeroed: the system or the scheme is one of casimir's. */
typedef struct {
  char *file, *hash;
} cas_own_file;

/* Steps of a scheme that a step of weak order 2 is composed of. */
enum { CAS_SCHEME_COMPOSED_STEPS = 6 };

typedef struct {
  double tolerance;
  int64_t max_iterations;
  double truncation;
  bool compensated;
  double casimir_tolerance;
  int retraction, variant;
  int64_t weak_order; /* 2: a step is a composition of steps; 0: it is the scheme's own */
  int64_t areas;      /* parts of a finest step for Levy's areas; 0: steps have no areas */
} cas_integrator_options;

typedef struct {
  int64_t seed;
  char *stream; /* NULL, "begin" or "continue" */
  char *file, *dataset;
} cas_random_options;

/* A scheme, with its own options, for one level. */
typedef struct {
  const cas_integrator *integrator;
  cas_integrator_options options;
  cas_step_function *step;
} cas_scheme;

/* Initial states in a file. Where paths have states or parameters of their own, every rank reads
   its part when it needs it. */
typedef struct {
  cas_open_dataset source; /* closed where no path needs it */
  int axes;                /* number of axes in front of the axes of a state */
  int64_t first, states; /* place of the state of path 0, and how many there are: 1 of all paths */
  size_t doubles;        /* of a state */
} cas_initial_stack;

/* The states in which paths of an earlier run ended, as its passes held them: records of them may
   have lost rounding. values[lanes][2][components]: the state of each lane, its compensation. */
typedef struct {
  int64_t lanes; /* 0: none; 1: all paths begin there; more: all lanes of blocks, because the last
                    bits of a path depend on all lanes of its block */
  double *values;
} cas_initial_ends;

/* Functionals of whole paths that passes follow, paths/follower.h. */
typedef struct {
  int n, rows;                    /* and the rows that they have at each level */
  int passages;                   /* followers of first passages */
  struct cas_follower **follower; /* such as others use come first; borrowed */
} cas_followers;

typedef struct {
  void *all; /* of all paths, or of path 0 */
  /* Their bytes as they were read, of which numbers alone are used: the system's check may keep one
     in another form, such as an amplitude in vectors, and leave 0 in its place. */
  void *configured;
  struct cas_parameters *uncertain; /* NULL: all paths have the same */
  /* Of the block that a pass computes; NULL where there is none. */
  const struct cas_lane_parameters *lanes;
} cas_problem_parameters;

typedef struct {
  cas_state_source source;
  const cas_initial_distribution *law; /* of random states; NULL: normal numbers of a norm */
  double *x0;                          /* [components] of all paths, or of path 0 */
  double lost;       /* part of the norm of the first of them that x0 has no place for */
  cas_array x0_from; /* shape of the dataset that x0 is from; of rank 0 without */
  cas_initial_stack stack;
  int64_t paths; /* of the study, which no invalid states or parameters may have; INT64_MAX: not
                    known */
  cas_initial_ends ends;      /* take the place of x0 and of the stack */
  const cas_state_form *form; /* of states in the file; NULL: as records have them */
  uint64_t hash;              /* of the numbers that initial.file holds; 0 without a file */
  double magnitude; /* of the largest component of x0, or of the first states where every path has
                       its own; tolerances are relative to it */
} cas_problem_initial;

typedef struct {
  int noises;    /* Brownian motions of the system; cas_noise.noises: normals of a part of a step */
  int areas;     /* rows of Levy's areas that steps have */
  int further;   /* rows of further normals: M of weak order 2, or as the scheme asks */
  bool halves;   /* The scheme asks for the increments of both halves of a step. */
  int64_t parts; /* of a finest step, each with normals of its own */
  int64_t begin; /* the step of every stream that step 0 takes; of one level alone */
} cas_problem_normals;

typedef struct cas_problem {
  const cas_kernels *kernels;
  const cas_system *system;
  /* The files that a system and its scheme are from, where they are not of casimir. */
  struct {
    cas_own_file system, scheme;
  } own;
  cas_problem_parameters parameters;
  /* names of components and part as files hold them; what a state is, where they have none */
  char *names;
  cas_problem_initial initial;
  const cas_body *body;
  cas_scheme scheme;       /* its integrator NULL: none yet; else &declared */
  cas_integrator declared; /* what the scheme declares of the steps that are taken */
  bool keeps_casimirs;     /* to rounding, by what the schemes declare */
  cas_scheme reference;    /* of the last level of coupled steps; integrator NULL: as all */
  cas_random_options random;
  cas_replay replay;
  cas_problem_normals normals;
  cas_noise noise; /* noise.replay points into this struct: do not copy it */
  struct {
    double *drag;  /* [components], of steps; NULL: there is no dissipation */
    double *noise; /* [components]: the amplitude of each */
  } dissipation;
  cas_geometry geometry;
  const cas_part *part; /* what states have behind the components of the algebra; NULL: nothing */
  int components;       /* of both together */
  /* Paths of a block. 1 where a block is one path, as of su(N): states then come from products of
     BLAS, whose last bits depend on the kind of processor. */
  int W;
  struct cas_sizes *sizes;  /* owned, sizes.h: levels differ in size; NULL: they do not */
  const cas_config *config; /* borrowed, for messages about states of single paths */
  /* What the study asks of passes; not read here. */
  struct {
    cas_on_failure on_failure;
    cas_followers followers;                   /* of its functionals; empty at first */
    const struct cas_observables *observables; /* borrowed; NULL at first */
  } study;
} cas_problem;

/** The entry of a NULL-terminated registry (whose entries begin with their name) that the
   configuration names at `path`, or `fallback` where the key is absent; NULL with an error that
   lists what is known. */
const void *cas_problem_registry_find(const cas_config *c, const char *path, const char *fallback,
                                      const void *registry, cas_error *err);

/** Reads all sections but study and output. compensated: the default of integrator.compensated.
    Collective on comm; rank 0 reads the initial state. On failure nothing is left to free. */
cas_status cas_problem_create(const cas_config *c, bool compensated, MPI_Comm comm, cas_problem *p,
                              cas_error *err) CAS_MUST_CHECK;
void cas_problem_free(cas_problem *p);
enum { CAS_PROBLEM_TABLES = 7 }; /* of options of a problem, at most */
/** The options of everything but study and output, with their values; returns how many tables. */
int cas_problem_tables(const cas_problem *p, cas_section_table out[CAS_PROBLEM_TABLES]);
/** Writes the effective configuration of everything but study and output, as YAML. */
void cas_problem_write(FILE *f, const cas_problem *p);
/** Refuses a step size, which the configuration has at `key`, at which normals cannot be truncated,
    and a step size that is too small to be divided into `parts` parts. */
cas_status cas_problem_check_step(const cas_config *c, const cas_problem *p, const char *key,
                                  double step, double parts, cas_error *err) CAS_MUST_CHECK;
/** Refuses a study that needs more normals than the generator has, replayed or not. */
cas_status cas_problem_check_noise(const cas_config *c, const cas_problem *p, int64_t paths,
                                   int64_t steps, cas_error *err) CAS_MUST_CHECK;
/** The hash of the replayed normals of `steps` steps of `paths` paths, which must be finite. Not
    collective. */
cas_status cas_problem_noise_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                                  int64_t steps, uint64_t *hash, cas_error *err) CAS_MUST_CHECK;
/** The shape of a state as files hold it, and its doubles. */
void cas_problem_state_shape(const cas_problem *p, cas_array *a);
size_t cas_problem_state_doubles(const cas_problem *p);
/** Whether files hold other numbers than blocks do. */
bool cas_problem_state_is_converted(const cas_problem *p);
/** Writes the state with the numbers x[components] as files hold it. */
void cas_problem_state_unpack(const cas_problem *p, const double *x, double *state);
/** Writes the state of one lane, at x, as files hold it. packed: workspace [p->components]. */
void cas_problem_state_put(const cas_problem *p, const double *x, double *packed, double *state);
/** Whether all paths are equal: there is no noise, and they start from one state. */
bool cas_problem_is_exact(const cas_problem *p);
/** Whether the noises commute, those of dissipation included. */
bool cas_problem_commuting(const cas_problem *p);
/** Whether damping or forcing changes the Casimirs in a way that is not known. */
bool cas_problem_changes_casimirs(const cas_problem *p);
/** What keeps this system and integrator from going together; NULL if they fit. */
const char *cas_scheme_misfit(const cas_body *b, const cas_integrator *i);
/** The step of a pair, NULL if it does not fit, and the doubles of work space that it needs. */
cas_step_function *cas_scheme_find_step(const cas_body *b, const cas_integrator *i);
size_t cas_scheme_work(const cas_body *b, const cas_integrator *i, const cas_geometry *g);
/** The geometry of a system's states, without scratch. */
void cas_geometry_find(const cas_kernels *k, const cas_system *s, const cas_body *b,
                       const void *parameters, cas_geometry *g);

/** Gives the last level of coupled steps the scheme that the configuration names at `path`, with
    the defaults of its own options but the compensation of all levels. */
cas_status cas_problem_reference_scheme(const cas_config *c, const char *path, cas_problem *p,
                                        cas_error *err) CAS_MUST_CHECK;

extern const cas_option cas_random_option_table[], cas_replay_option_table[],
    cas_initial_option_table[], cas_own_file_options[];

/* ---- schemes ---- */

/** The keys of a scheme below `integrator:`. */
const cas_option *cas_scheme_options(const cas_integrator *i);
/** Reads these keys; keys of an iteration are refused beside an explicit scheme. */
cas_status cas_scheme_read(const cas_config *c, const cas_integrator *i, cas_integrator_options *o,
                           cas_error *err) CAS_MUST_CHECK;
/** Whether steps of the scheme can be composed, as integrator.weak_order: 2 does. */
bool cas_scheme_composes(const cas_integrator *i);
/** The declaration of a scheme's steps with these options: its orders, and what a step costs. */
cas_integrator cas_scheme_declared(const cas_integrator *i, const cas_integrator_options *o);
/** Whether it keeps the Casimirs of an algebra, or the momentum maps where it has none. */
bool cas_scheme_keeps_casimirs(const cas_integrator *i, const cas_algebra *a);
/** Whether a system and a scheme of these names exist and the scheme does not keep its Casimirs. */
bool cas_scheme_lets_casimirs_drift(const char *system, const char *integrator);

#endif
