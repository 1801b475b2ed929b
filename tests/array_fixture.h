/* Files with arrays, as configurations name them. */
#ifndef ARRAY_FIXTURE_H
#define ARRAY_FIXTURE_H

#include "suite_mpi.h"

#include <casimir/parallel.h>
#include <hdf5.h>

/* Makes a file with one dataset of doubles, on rank 0; others wait for it. */
static inline void write_array(const char *file, const char *dataset, int rank, const hsize_t *dims,
                               const double *value) {
  if (is_root()) {
    hid_t f = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          space = H5Screate_simple(rank, dims, NULL),
          d = H5Dcreate2(f, dataset, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT);
    ck_assert(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(d);
    H5Sclose(space);
    H5Fclose(f);
  }
  cas_meet(MPI_COMM_WORLD);
}

#endif
