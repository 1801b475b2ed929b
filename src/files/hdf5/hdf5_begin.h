#ifndef CAS_HDF5_BEGIN_H
#define CAS_HDF5_BEGIN_H

/** For a program, before MPI_Init: HDF5 does not clean up by itself when MPI or the process ends.
    After a write that failed it would crash there, and the exit status and the message be lost. */
void cas_hdf5_begin(void);

#endif
