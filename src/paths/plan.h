/* What a pass computes: levels of step sizes, when it observes them, and the streams of normals. */
#ifndef CAS_PLAN_H
#define CAS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { CAS_PLAN_LEVELS_MAX = 32 };

/* What a twin changes among the normals of a coarse step. */
enum {
  /* Increments have their normals in reverse order, so that Levy's areas change their sign. */
  CAS_PASS_TWIN_REVERSED = 1,
  /* The further normals of weak order 2 have the other sign. */
  CAS_PASS_TWIN_NEGATED = 2
};

/* Levels coarsest first, the reference (finest) last. */
typedef struct {
  int levels; /* with the reference */
  double h[CAS_PLAN_LEVELS_MAX];
  /* Finest steps in one step of each level; each number divides the one before it. */
  int64_t ratio[CAS_PLAN_LEVELS_MAX];
  /* Of a problem of several sizes, which one each level has, and what orders are in: N^-2 at one
     step, else the step. */
  int size[CAS_PLAN_LEVELS_MAX];
  double resolution[CAS_PLAN_LEVELS_MAX];
  int64_t steps; /* finest steps in all */
  /* Whether the last level is one that others are measured against; it then has its own scheme if
     the problem has one for it. */
  bool reference;
  int64_t grid; /* finest steps between observations; a multiple of ratio[0] that divides steps */
  /* Finest steps after which to observe, ascending up to the last step; NULL: every `grid` steps */
  const int64_t *observed;
  /* The streams of normals: block b has stream number `stream` + b * `stride` of `purpose`, a
     number of purposes.def. A stride of 0 counts as 1. A zeroed plan has the streams of paths. */
  int purpose;
  int64_t stream, stride;
  /* Whether the levels form one pair of step sizes: level 0 makes one step of r h while level 1
     makes r steps of h, and every further level is a twin of one of these two, whose normals are
     changed as `twin` says without a change of their distribution. ratio = r or 1; steps and grid
     are multiples of r. */
  bool paired;
  unsigned char twin[CAS_PLAN_LEVELS_MAX]; /* CAS_PASS_TWIN_REVERSED | .. */
  /* The summary's level for the health of the coarsest level; levels of one step size are one. */
  int first_level;
} cas_pass_plan;

/** The number of a block's stream. */
static inline int64_t cas_plan_stream(const cas_pass_plan *plan, int64_t block) {
  return plan->stream + block * (plan->stride ? plan->stride : 1);
}

/** Whether a level of a pair, or of its twins, is of the coarse ones. */
static inline bool cas_plan_is_coarse(const cas_pass_plan *plan, int level) {
  return plan->levels > 1 &&
         (plan->ratio[level] > plan->ratio[1] || plan->size[level] < plan->size[1]);
}

/** The level of a summary that the health of a level of the pass is counted for. */
static inline int cas_pass_counted_as(const cas_pass_plan *plan, int level) {
  return plan->first_level + (plan->paired ? plan->ratio[level] == 1 : level);
}

#endif
