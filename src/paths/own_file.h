/* Systems and schemes that come from files which `casimir build` has made. */
#ifndef CAS_OWN_FILE_H
#define CAS_OWN_FILE_H

#include "kernels/kernels.h"
#include "kernels/plugin.h"

#include <casimir/parallel.h>

/** The keys `file` and `file_hash`; zeroed: the system or the scheme is one of casimir's. */
typedef struct {
  char *file, *hash;
} cas_own_file;

extern const cas_option cas_own_file_options[];

/** Reads these keys of the section `system` and loads the file, if they name one: the system that has
    the name at "system.name" of these kernels. All ranks must have the same file, and one of
    file_hash where that is given; without it, it becomes that of the file. *out is NULL without a
    file. Collective; the caller frees own by cas_options_free after failures too. */
cas_status cas_own_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                          cas_own_file *own, const cas_system **out, cas_error *err) CAS_MUST_CHECK;
/** The same of the section `integrator`: the scheme of its name, and the schemes of its file. */
cas_status cas_own_scheme(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                          cas_own_file *own, const cas_integrator **out,
                          const cas_plugin_schemes **schemes, cas_error *err) CAS_MUST_CHECK;

#endif
