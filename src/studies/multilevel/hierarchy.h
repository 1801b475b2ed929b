/* The hierarchy of levels of a multilevel study. A level couples two neighbouring step sizes, on
   paths of its own. With r the refinement, a path of a level gives Y = phi(X_rh) - 1/2 [phi(X_h) +
   phi(X'_h)], where X' has the r normals of every coarse step in reverse order; or Y = phi(X_rh) -
   phi(X_h); or, on a level of one step size alone, Y = phi(X_h). Levels get more paths in rounds;
   every round is a list of chunks. */
#ifndef CAS_HIERARCHY_H
#define CAS_HIERARCHY_H

#include "paths/observables.h"
#include "studies/span.h"

/* The most levels of a pair of step sizes, with their twins. */
enum { CAS_HIERARCHY_PAIRED_LEVELS = 8 };

typedef struct {
  cas_pass_plan plan;
  int64_t paths;      /* of all rounds: 0 .. paths-1 */
  int64_t blocks;     /* in a chunk */
  int64_t first_path; /* number of path 0 among the paths of all levels */
} cas_hierarchy_level;

/* A round: what is integrated before the next decision. */
typedef struct {
  int64_t first_chunk;
  int64_t from[CAS_PLAN_LEVELS_MAX],
      to[CAS_PLAN_LEVELS_MAX];        /* blocks from .. to-1 of each level, */
  int64_t paths[CAS_PLAN_LEVELS_MAX]; /* after which it has this number of paths */
} cas_round;

enum { CAS_ROUNDS_MAX = 64 };

/** The first member of what a multilevel study has prepared. */
typedef struct {
  cas_observables functionals;
  cas_pass_plan steps; /* all step sizes */
  int levels;
  cas_hierarchy_level level[CAS_PLAN_LEVELS_MAX];
  const double *truth; /* [functionals]: exact means; NULL: not given */
  /* Path p of level k has the number k * path_stride + p, whatever the others have; 0: the paths of
     levels follow each other, in a study of one round. To be set before planning. */
  int64_t path_stride;
  bool plain;      /* the last level is that of the finest step size in use alone */
  int64_t stripes; /* equal parts of the list of a round, each with its share of every level */
  int rounds;
  cas_round round[CAS_ROUNDS_MAX];
  int64_t chunks; /* of all rounds */
} cas_hierarchy;

/** The first member of the options of a multilevel study. */
typedef struct {
  cas_span span;
  cas_formulas functionals;
  int coupling;
} cas_hierarchy_options;

/** The key `coupling`, to be included in the options of a study. */
extern const cas_option cas_hierarchy_coupling_options[];

/** The coupling as the configuration names it. */
const char *cas_hierarchy_coupling(const cas_study_run *r);
/** Checks these options, fills functionals and step sizes; `finest` names the last in messages. */
cas_status cas_hierarchy_check(cas_study_run *r, int step_sizes, const char *finest,
                               cas_hierarchy *h, cas_error *err) CAS_MUST_CHECK;

/** The least number of paths in whole blocks that is not less than `paths`. */
int64_t cas_hierarchy_round_up(const cas_study_run *r, int64_t paths);
/** A stride for numbers of paths, of which a level has no more than `most`: a power of ten. */
int64_t cas_hierarchy_path_stride(int64_t most);
/** Levels between the step sizes, in the order of their steps. Chunks of all levels cost the same,
    and those of a round are listed level by level. */
void cas_hierarchy_plan(const cas_study_run *r, cas_hierarchy *h);
/** Levels for decisions on the way: one of the coarsest step alone, those between the step sizes,
    and one of plain paths. Every stripe of the list of a round costs about the same. */
void cas_hierarchy_plan_rounds(const cas_study_run *r, cas_hierarchy *h);
/** Makes the last level step `fine` alone, with paths numbered as of level levels - 1 + fine. */
void cas_hierarchy_plan_plain(cas_hierarchy *h, int fine);

/** Adds a round that goes up to paths[k] of level k; fewer than it has means that it gets none. All
    rounds but the last have whole blocks. */
cas_status cas_hierarchy_add_round(cas_hierarchy *h, int W, const int64_t *paths,
                                   cas_error *err) CAS_MUST_CHECK;
/** Adds a round to a run, whose chunks and paths are then those of all rounds. Refuses, at `key`, a
    generator that has no streams for these paths of a level. */
cas_status cas_hierarchy_extend(cas_study_run *r, cas_hierarchy *h, const int64_t *paths,
                                const char *key, cas_error *err) CAS_MUST_CHECK;
int64_t cas_hierarchy_paths(const cas_hierarchy *h);
/** Levels that have paths, from the coarsest on; that of plain paths is not among them. */
int cas_hierarchy_used_levels(const cas_hierarchy *h);
/** The level of a chunk, and its blocks first .. next-1. */
int cas_hierarchy_chunk(const cas_hierarchy *h, int64_t chunk, int64_t *first, int64_t *next);

/* ---- slots of cas_study, where r->prepared begins with a hierarchy ---- */

cas_status cas_hierarchy_locate(const cas_study_run *r, int64_t path, cas_pass_plan *plan,
                                int64_t *block, int *lane, cas_error *err) CAS_MUST_CHECK;
double cas_hierarchy_path_steps(const cas_study_run *r);
double cas_hierarchy_open_seconds(const cas_study_run *r);
/** Bytes of a block of every level. */
size_t cas_hierarchy_block_bytes(const cas_study_run *r);
bool cas_hierarchy_grows(const cas_study_run *r);
/** All of these, for .costs = &(const cas_study_costs){CAS_HIERARCHY_COSTS, ..}. */
#define CAS_HIERARCHY_COSTS                                                             \
  .locate = cas_hierarchy_locate, .path_steps = cas_hierarchy_path_steps,               \
  .open_seconds = cas_hierarchy_open_seconds, .block_bytes = cas_hierarchy_block_bytes, \
  .grows = cas_hierarchy_grows
/** Warns, in a dry run, where an integrator does not say that antithetic paths gain anything. */
void cas_hierarchy_warn(FILE *f, const cas_study_run *r);

#endif
