/* Steps of a problem, for tests that look at blocks of paths themselves. */
#ifndef PASS_FIXTURE_H
#define PASS_FIXTURE_H

#include "numbers.h"
#include "paths/pass.h"
#include "study_fixture.h"

/* A pass of one level, and what it is made of. */
typedef struct {
  cas_problem problem;
  cas_pass_plan plan;
  cas_pass pass;
} one_pass;

/* Opens a pass of steps of length h for the problem that the formatted YAML text states; where that
   is refused, nothing is open. */
__attribute__((format(printf, 5, 6))) static inline cas_status
open_pass(one_pass *o, double h, int steps, cas_error *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cas_config *config = configuration_of(format, args);
  va_end(args);
  *err = (cas_error){0};
  *o = (one_pass){.plan = {.levels = 1, .h = {h}, .ratio = {1}, .steps = steps, .grid = steps}};
  cas_status st = cas_problem_create(config, false, MPI_COMM_SELF, &o->problem, err);
  if (!st)
    st = cas_pass_create(&o->problem, &o->plan, &o->pass, err);
  if (!st) /* as a run begins: paths by themselves are padded with zeros */
    memset(o->pass.memory, 0, cas_pass_bytes(&o->problem, &o->plan));
  return st;
}

static inline void close_pass(one_pass *o) {
  cas_pass_free(&o->pass);
  cas_problem_free(&o->problem);
}

/* Every path of the block at the initial state of the problem. */
static inline void initial_block(const cas_problem *p, double *x) {
  for (int i = 0; i < p->components * p->W; i++)
    x[i] = p->initial.x0[i / p->W];
}

#endif
