/** Which build of casimir this is: the bits of a path are those of one build. */
#ifndef CAS_BUILD_H
#define CAS_BUILD_H

#include <casimir/status.h>
#include <mpi.h>

/** Name of this very build, in hexadecimal: the build ID that the linker gave the program, or the
    shared library, that this function is in. It depends on all code and constants, so another compiler
    or other flags of the kernels give another one. "unknown" where the linker gave none. */
const char *cas_build_id(void);
/** Name of the BLAS and of the kind of processor that it has chosen its products for. */
typedef struct {
  char text[256];
} cas_blas_name;

cas_blas_name cas_blas(void);
/** Collective on comm. Refuses ranks of another version, commit or build. */
cas_status cas_build_compare(MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

#endif
