/** The BLAS and LAPACK that casimir is linked with: any that has the symbols of Fortran. */
#ifndef CAS_BLAS_H
#define CAS_BLAS_H

#include <stdbool.h>

/** Name of the BLAS and of the kind of processor that it has chosen its products for. */
typedef struct {
  char text[256];
} cas_blas_name;

/** "NAME, core CORE" of OpenBLAS, BLIS and MKL; of others the file, its build ID and the kind of
    processor, on which the bits of their products depend. */
cas_blas_name cas_blas(void);
/** Whether it is OpenBLAS, whose core the variable OPENBLAS_CORETYPE of the environment chooses. */
bool cas_blas_is_openblas(void);
/** Threads of products of matrices, whose bits change with their number. */
void cas_blas_use_threads(int threads);
/** The first thing in main: OpenBLAS takes its oldest products for x86 processors that it does not
    know, at a third of the speed on new ones. It then starts again with kernels that the
    processor's instructions allow, unless OPENBLAS_CORETYPE says which. It does not return then. */
void cas_blas_choose(char **argv);

#endif
