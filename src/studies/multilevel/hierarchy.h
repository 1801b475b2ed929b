/* Rungs: neighbouring step sizes coupled with each other alone, each level on paths of its own. A path
   of a level gives Y = phi(X_2h) - 1/2 [phi(X_h) + phi(X'_h)], where X' has the normals of every coarse
   step swapped; or Y = phi(X_2h) - phi(X_h); or, on a level of one step size, Y = phi(X_h). */
#ifndef CAS_HIERARCHY_H
#define CAS_HIERARCHY_H

#include "studies/span.h"

/* Quantities of a path: these, */
enum {
  CAS_LEVEL_ITERATIONS,      /* of all that is coupled */
  CAS_LEVEL_FINE_ITERATIONS, /* of one path of step h */
  CAS_LEVEL_SHARED
};
/* and then these of each functional. Powers, because summaries hold two moments of a quantity. */
enum {
  CAS_LEVEL_Y,
  CAS_LEVEL_Y2,
  CAS_LEVEL_Y3,
  CAS_LEVEL_Y4,
  CAS_LEVEL_COARSE, /* phi(X_2h); 0 without a coarse step */
  CAS_LEVEL_FINE,   /* phi(X_h) of one path */
  CAS_LEVEL_PAIR,   /* the difference of these two */
  CAS_LEVEL_QUANTITIES
};

typedef struct {
  cas_sweep_plan plan;
  int64_t paths;      /* 0 .. paths-1, of all rounds */
  int64_t blocks;     /* in a chunk */
  int64_t first_path; /* its number among the paths of all levels */
} cas_hierarchy_level;

/* What is integrated before the next decision: blocks from .. to-1 of every level, so that there are
   so many paths. */
typedef struct {
  int64_t first_chunk, from[CAS_LEVELS_MAX], to[CAS_LEVELS_MAX], paths[CAS_LEVELS_MAX];
} cas_round;

enum { CAS_ROUNDS_MAX = 64 };

/** The first member of what a study of levels has prepared. */
typedef struct {
  int levels;
  cas_hierarchy_level level[CAS_LEVELS_MAX];
  int functionals;
  const cas_functional **functional; /* owned */
  /* path p of level k has the number k * numbers + p, whatever the others have; 0: levels follow each
     other, for studies of one round. Set before planning */
  int64_t path_stride;
  int64_t
      stripes; /* in which the chunks of a round are listed, each with its part of every level */
  int rounds;
  cas_round round[CAS_ROUNDS_MAX];
  int64_t chunks; /* of all rounds */
} cas_hierarchy;

/* ---- configuration ---- */

/** The first member of the options of a study of levels. */
typedef struct {
  cas_span span;
  cas_strings functionals;
  int coupling;
} cas_hierarchy_options;

/** The key `coupling`, to be included in the options of a study. */
extern const cas_option cas_coupling_options[];

bool cas_is_antithetic(const cas_run_state *r);
/** The same in a word. */
const char *cas_coupling(const cas_run_state *r);
/** Checks these options and gives the hierarchy its functionals; `halvings` and `finest` as in
    cas_span_check. */
cas_status cas_hierarchy_check(cas_run_state *r, int64_t halvings, const char *finest,
                               cas_hierarchy *l, cas_error *err) CAS_MUST_CHECK;

/* ---- planning ---- */

/** The coarsest step, its half, a quarter of it, ..: `levels` step sizes in all. */
void cas_hierarchy_step_sizes(const cas_span *s, int levels, cas_sweep_plan *plan);
/** Paths in whole blocks. */
int64_t cas_round_up_to_blocks(const cas_run_state *r, int64_t paths);
/** Rungs between the step sizes of `steps`, in the order of their steps. Chunks of all levels cost
    the same, and the chunks of a round are listed level by level. */
void cas_hierarchy_plan(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                        cas_hierarchy *l);
/** Rungs for decisions on the way: one of the coarsest of `steps` alone, those between its step
    sizes, and one more, which cas_hierarchy_plan_plain completes. Every part of a round's chunks costs
    about the same. */
void cas_hierarchy_plan_rounds(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                               cas_hierarchy *l);
/** Makes the last level one of step size `fine` alone; its paths are numbered as if it were level
    levels - 1 + fine. */
void cas_hierarchy_plan_plain(const cas_sweep_plan *steps, int fine, cas_hierarchy *l);
/** Numbers that leave room for `most` paths of a level: a power of ten. */
int64_t cas_hierarchy_path_stride(int64_t most);

/* ---- rounds, chunks and paths ---- */

/** Adds a round that goes up to paths[k] of level k, fewer than it has meaning none. What earlier
    rounds had were whole blocks. */
cas_status cas_hierarchy_add_round(cas_hierarchy *l, int W, const int64_t *paths,
                                   cas_error *err) CAS_MUST_CHECK;
/** The same for a run, whose chunks and paths are then those of all rounds. Refuses, at `key`, a
    generator that has no streams for so many paths of a level. */
cas_status cas_hierarchy_extend(cas_run_state *r, cas_hierarchy *l, const int64_t *paths,
                                const char *key, cas_error *err) CAS_MUST_CHECK;
int64_t cas_hierarchy_paths(const cas_hierarchy *l);
/** Steps of one path on all that is coupled on a level. */
double cas_hierarchy_level_steps(const cas_hierarchy_level *g);
/** The level of a chunk, and its blocks first .. next-1. */
int cas_hierarchy_chunk(const cas_hierarchy *l, int64_t chunk, int64_t *first, int64_t *next);
/** Refuses a number that no path has. */
cas_status cas_hierarchy_locate(const cas_hierarchy *l, int W, int64_t path, cas_sweep_plan *plan,
                                int64_t *block, int *lane, cas_error *err) CAS_MUST_CHECK;
/** Group k of a summary is level k. */
cas_summary_shape cas_hierarchy_shape(const cas_hierarchy *l, int step_sizes);

/* ---- of a study, where r->prepared begins with a hierarchy ---- */

/** Frees what was prepared, and its functionals. */
void cas_hierarchy_release(cas_run_state *r);
/** Steps of all paths on all levels. */
double cas_hierarchy_path_steps(const cas_run_state *r);
/** Seconds to open the streams of all paths. */
double cas_hierarchy_open_seconds(const cas_run_state *r);
/** Bytes of a block of every level. */
size_t cas_hierarchy_block_bytes(const cas_run_state *r);
/** Warns, in a preview, where an integrator does not say that antithetic paths gain anything. */
void cas_hierarchy_warn(FILE *f, const cas_run_state *r);

#endif
