/* Systems and schemes in files of their own, made by `casimir build`: what such a file exports. */
#ifndef CAS_PLUGIN_H
#define CAS_PLUGIN_H

#include "base/isa.h"
#include <casimir/extend.h>

enum { CAS_PLUGIN_SETS = 4 }; /* instruction sets, at most; a zeroed one ends them */

/** Schemes, and their steps of any system with groups of two vectors or with blocks of one path. */
typedef struct {
  const cas_integrator *const *integrators; /* NULL ends the list */
  const cas_body *group, *one_path;
} cas_plugin_schemes;

/** Of one instruction set: "generic", "avx2", "avx512". Members that it has not are NULL. */
typedef struct {
  const char *kernels;
  const cas_system *system;
  const cas_plugin_schemes *schemes;
} cas_plugin_set;

/** What `const cas_plugin *casimir_plugin(void)`, the only symbol of such a file, returns. */
typedef struct {
  const char *abi; /* CAS_ABI of the casimir that built it; the first member in every version */
  const char *source, *compiler;
  cas_plugin_set set[CAS_PLUGIN_SETS];
} cas_plugin;

/** The last line of the file of a system: the one that it exports. */
#define CAS_PLUGIN_SYSTEM(name) \
  const cas_system *const CAS_ISA(cas_plugin_system) = &CAS_ISA(cas_system_##name);

/** Loads a copy of such a file until the process ends: the file may change from now on. Equal bytes
    are loaded once. Refuses files for other versions of casimir. hash: of the bytes. Not
    collective. */
cas_status cas_plugin_load(const char *file, const cas_plugin **out, char hash[17],
                           cas_error *err) CAS_MUST_CHECK;
/** The loaded file with this address of code; of NULL any. NULL: none. For signal handlers. */
const char *cas_plugin_file_of(const void *address);
/** The names of all files that are loaded, for messages. */
void cas_plugin_files(char *text, size_t size);
/** Remembers the process as it is before functions of users' files are called. */
void cas_plugin_guard_begin(void);
/** Refuses what functions of users' files have changed of the process: its current directory and
    the mode of its arithmetic, which are put back; and a fork, of which the child has ended. Ends
    the program where descriptors are closed that others need. Not collective. */
cas_status cas_plugin_guard(cas_error *err) CAS_MUST_CHECK;
/** Tells cas_plugin_guard of another mode of arithmetic that was seen and is now undone. */
void cas_plugin_guard_other_mode(void);
/** Appends the seal by which cas_plugin_load knows that a file is complete. */
cas_status cas_plugin_sign(const char *file, cas_error *err) CAS_MUST_CHECK;
/** Refuses tables that lack what systems and schemes must have. */
cas_status cas_plugin_check(const char *file, const cas_plugin *p, cas_error *err) CAS_MUST_CHECK;
/** Refuses numbers that a system gives for parameters and that cannot be: before anything is
    computed with it. The message names the function. */
cas_status cas_plugin_check_system(const cas_system *s, const void *parameters,
                                   cas_error *err) CAS_MUST_CHECK;
/** What it has for these kernels. */
cas_plugin_set cas_plugin_for(const cas_plugin *p, const char *kernels);
/** The names of the kernels that it has, for messages. */
void cas_plugin_kernels(const cas_plugin *p, char *text, size_t size);

#endif
