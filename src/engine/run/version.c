#include "version.h"
#include "base/build.h"
#include "math/blas/blas.h"
#include "math/kernels/kernels.h"
#include "paths/noise/noise.h"

#include <casimir/casimir.h>

#include <hdf5.h>
#include <mpi.h>
#include <string.h>

const char *cas_version(void) { return CAS_VERSION; }

void cas_print_version(FILE *f) {
  unsigned major, minor, release;
  fprintf(f, "casimir     %s, commit %s\n", CAS_VERSION, CAS_COMMIT);
  fprintf(f, "compiler    %s, %s %s\n", CAS_COMPILER, CAS_BUILD_TYPE, CAS_FLAGS);
  fprintf(f, "build       %s\n", cas_build_id());
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  fprintf(f, "MPI         %s\n", text);
  if (H5get_libversion(&major, &minor, &release) >= 0)
    fprintf(f, "HDF5        %u.%u.%u (built with %s)\n", major, minor, release,
            CAS_BUILT_WITH_HDF5);
  fprintf(f, "BLAS        %s\n", cas_blas().text);
  fprintf(f, "SPRNG       %s\n", cas_sprng_version());
  const cas_kernels *chosen = cas_kernels_get();
  fprintf(f, "kernels     %s, %d doubles a vector, log sin cos from %s (runs here:", chosen->name,
          chosen->vector_lanes, chosen->elementary);
  for (int i = 0; cas_kernels_list(i); i++)
    fprintf(f, " %s", cas_kernels_list(i)->name);
  fprintf(f, ")\n");
}
