/* Observables of states that files hold, computed by the system of the file with its parameters. */
#ifndef CAS_VIEWER_H
#define CAS_VIEWER_H

#include "kernels/kernels.h"
#include "present/pictures/picture.h"

typedef struct {
  cas_config *config;
  const cas_system *system;
  const cas_functional *observable; /* of the system */
  void *parameters;
  int components;
  double *x; /* one state as the system has it */
} cas_viewer;

/** The system of a file; NULL: it is not known. */
const cas_system *cas_viewer_system(const cas_source *s);
/** The observable or functional of a system that has this name and so many axes; NULL: there is
    none. */
const cas_functional *cas_viewer_observable(const cas_system *system, const char *name, int axes);
/** The observable of one number that --contours names. What is none is refused, with the names of
    those that the system of the file has. */
cas_status cas_viewer_contours(const cas_source *s, const char *name, const cas_functional **f,
                               cas_error *err) CAS_MUST_CHECK;
/** Reads the parameters of the system. Caller closes, also after a failure. */
cas_status cas_viewer_open(const cas_source *s, const cas_functional *observable, cas_viewer *v,
                           cas_error *err) CAS_MUST_CHECK;
void cas_viewer_close(cas_viewer *v);
/** The observable of a state as files hold it, in out[its numbers]. NULL, or what is wrong with the
    state. */
const char *cas_viewer_look(const cas_viewer *v, const double *state, double *out);

#endif
