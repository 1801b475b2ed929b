/* For tests that run paths of the heavy top. */
#ifndef HEAVY_TOP_FIXTURE_H
#define HEAVY_TOP_FIXTURE_H

#include "study_fixture.h"

#include <math.h>

/* `study` has what follows its kind, which is that of a trajectory */
static inline void run_path(const char *scheme, const char *system, const char *normals,
                            const char *study) {
  run_well(NULL,
           "system: {name: heavy_top, %s}\nintegrator: {name: %s, truncation: 0}\nrandom: {%s}\n"
           "study: {kind: trajectory, %s}\n",
           system, scheme, normals, study);
}

#endif
