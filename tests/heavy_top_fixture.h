/* For tests that run paths of the heavy top. */
#ifndef HEAVY_TOP_FIXTURE_H
#define HEAVY_TOP_FIXTURE_H

#include "study_fixture.h"

#include <math.h>

/* `study` has what follows its kind, which is that of a trajectory */
static inline void run_path(const char *scheme, const char *system, const char *normals,
                            const char *study) {
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                           "system: {name: heavy_top, %s}\n"
                           "integrator: {name: %s, truncation: 0}\n"
                           "random: {%s}\n"
                           "study: {kind: trajectory, %s}\n",
                           system, scheme, normals, study);
  ck_assert_msg(!st, "%s, %s: %s", scheme, system, err.text);
  cas_results_free(&r);
}

/* what a trajectory recorded; the caller frees it */
static inline double *recorded(const char *name, int64_t *numbers) {
  char dataset[80];
  int rank;
  int64_t dims[4];
  bool is_complex;
  double *x;
  cas_error err = {0};
  snprintf(dataset, sizeof dataset, "/trajectory/%s", name);
  ck_assert_msg(!cas_dataset_read("results.h5", dataset, &rank, dims, &is_complex, &x, &err), "%s",
                err.text);
  *numbers = 1;
  for (int i = 0; i < rank; i++)
    *numbers *= dims[i];
  for (int64_t i = 0; i < *numbers; i++)
    ck_assert(isfinite(x[i]));
  return x;
}

#endif
