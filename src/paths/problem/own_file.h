/* Systems and schemes from files of users. */
#ifndef CAS_OWN_FILE_H
#define CAS_OWN_FILE_H

#include "math/kernels/kernels.h"
#include "math/kernels/plugin.h"

#include <casimir/parallel.h>

/** The keys `file` and `file_hash`; zeroed: the system or the scheme is one of casimir's. */
typedef struct {
  char *file, *hash;
} cas_own_file;

extern const cas_option cas_own_file_options[];

/** Reads the keys `file` and `file_hash` of the section `system`, and loads the system named at
    "system.name" from that file, compiled for the instruction set of k. Without a file *out is
    NULL. All ranks must have the same file; its hash must be own->hash if the configuration gives
    one, and becomes own->hash otherwise. Collective; the caller frees own by cas_options_free after
    failures too. */
cas_status cas_own_file_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_system **out,
                               cas_error *err) CAS_MUST_CHECK;
/** Does for the section `integrator` what cas_own_file_system does for `system`: *out is the scheme
    of its name, *schemes all schemes of its file. */
cas_status cas_own_file_scheme(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_integrator **out,
                               const cas_plugin_schemes **schemes, cas_error *err) CAS_MUST_CHECK;

#endif
