/* What users name of a trajectory: a recorded observable, one number of it, "axes[2]", or a
   component of the state by its name. */
#ifndef CAS_OBSERVED_H
#define CAS_OBSERVED_H

#include "present/pictures/picture.h"

enum { CAS_OBSERVED_NAME = 80 };

typedef struct {
  char name[CAS_OBSERVED_NAME];
  cas_series series;
  int64_t first, numbers; /* those of the series that are meant */
} cas_observed;

/** The next name of a list "x1,hamiltonian", which is moved behind it; false at its end. */
bool cas_observed_next(const char **list, char name[CAS_OBSERVED_NAME]);
/** Whether a trajectory is recorded over time; which names it has shows cas_observed_read. */
bool cas_observed_over_time(const cas_source *s);
/** Whether a dataset of the trajectory is one of coordinates or states instead of an observable. */
bool cas_observed_is_other(const char *name);
/** The place of a name among the components of the state; -1: it is none. */
int cas_observed_component(const cas_source *s, const char *name);
/** Reads what has this name; a name that there is not is refused with those that there are. Caller
    frees by cas_observed_free, also after a failure. */
cas_status cas_observed_read(const cas_source *s, const char *name, cas_observed *o,
                             cas_error *err) CAS_MUST_CHECK;
void cas_observed_free(cas_observed *o);
/** Number i of a path at a record. */
static inline double cas_observed_at(const cas_observed *o, int64_t record, int64_t path,
                                     int64_t i) {
  return o->series.value[(record * o->series.paths + path) * o->series.numbers + o->first + i];
}

#endif
