/** The build of casimir and of BLAS, on which the bits of a path depend. */
#ifndef CAS_BUILD_H
#define CAS_BUILD_H

#include <casimir/status.h>
#include <mpi.h>

/** The build ID, in hexadecimal, that the linker gave the program or shared library that this
    function is in. It depends on all code and constants, so another compiler or other flags give
    another one. "unknown" where the linker gave none. */
const char *cas_build_id(void);
/** Name of the BLAS and of the kind of processor that it has chosen its products for. */
typedef struct {
  char text[256];
} cas_blas_name;

cas_blas_name cas_blas(void);
/** The first thing in main: OpenBLAS takes its oldest products for x86 processors that it does not know,
    at a third of the speed on new ones. The program is then started again with those that the
    instructions of the processor allow, unless OPENBLAS_CORETYPE says which. Does not return then. */
void cas_blas_choose(char **argv);
/** Refuses ranks of another version, commit or build. Collective on comm. */
cas_status cas_build_compare(MPI_Comm comm, cas_error *err) CAS_MUST_CHECK;

#endif
