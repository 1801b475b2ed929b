/* Parameters that differ from path to path. */
#ifndef CAS_PARAMETERS_H
#define CAS_PARAMETERS_H

#include "language/config/uncertain.h"
#include "paths/problem/problem.h"

/* Numbers of the system that every path draws for itself. They come from Threefry, whatever the
   generator of the noise: functions of random.seed, the number of the path and the name of the
   option, so that further uncertain options leave those of others as they are. */
typedef struct cas_parameters {
  cas_uncertain found;
  void *written;  /* parameters of path 0 as the configuration has them, before system->check */
  bool commuting; /* The noises of all paths commute. */
} cas_parameters;

/* The paths of one block. */
typedef struct cas_lane_parameters {
  struct cas_problem *lane; /* [W]: the problem with the parameters of that path */
  double *drawn;            /* [numbers][W] */
  double *number;           /* [numbers][W] of psi.by_coefficients; NULL where it takes none */
  bool by_coefficients;     /* Steps of the lanes differ by coefficients alone. */
} cas_lane_parameters;

/** Finds the uncertain numbers of p->system in the configuration, which paths draw by random.seed,
    reads their files, and gives the configuration *c those of path 0; it then is one that the
    problem owns. Leaves p->parameters.uncertain NULL where there are none. Collective. */
cas_status cas_parameters_find(const cas_config **c, cas_problem *p, MPI_Comm comm,
                               cas_error *err) CAS_MUST_CHECK;
void cas_parameters_free(cas_problem *p);
/** Says of an error that it is about the numbers of a path; by `others` with the advice to draw
    others, which helps where some numbers would do. Returns st. */
cas_status cas_parameters_explain(const cas_problem *p, int64_t path, bool others, cas_status st,
                                  const cas_error *why, cas_error *err);
/** Sets the numbers of the configuration to the centres of their laws, or to row 0 of files. */
cas_status cas_parameters_centre(const cas_problem *p, cas_error *err) CAS_MUST_CHECK;
/** Whether another seed of the noise leaves the parameters of paths as they are. */
bool cas_parameters_are_listed(const cas_problem *p);
/** out[numbers]: what a path draws; `stream`: its number among the streams of random numbers. */
void cas_parameters_draw(const cas_problem *p, int64_t path, int64_t stream, double *out);

/** Draws them, and gives them to the configuration. */
cas_status cas_parameters_set(const cas_problem *p, int64_t path, int64_t stream, double *out,
                              cas_error *err) CAS_MUST_CHECK;

/* ---- functions of a block ---- */

/** The problems with the parameters of each lane of p->parameters.lanes, one after another, or p
    alone without them:

        for (cas_each e = cas_each_begin(p, rows, out); e.one; cas_each_next(&e))
          compute(e.one->parameters.all, W, e.out);

    computes something of the block with each, and keeps in out[rows][W], in and out, the numbers of
    its lane. */
typedef struct {
  const cas_problem *one; /* NULL at the end */
  double *out;
  const cas_problem *all;
  size_t rows;
  double *kept;
  void *memory;
} cas_each;
cas_each cas_each_begin(const cas_problem *p, size_t rows, double *out);
void cas_each_next(cas_each *e);
/** out[numbers][W]: a functional of the system. */
void cas_parameters_value(const cas_problem *p, const cas_functional *f, int numbers,
                          const double *x, double *out);
void cas_parameters_casimirs(const cas_problem *p, int casimirs, const double *x, double *out);

#endif
