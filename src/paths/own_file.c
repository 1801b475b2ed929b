#include "paths/own_file.h"
#include "base/text.h"
#include "kernels/plugin.h"

#include <stdlib.h>
#include <string.h>

const cas_option cas_own_file_options[] = {
    CAS_OPTION(cas_own_file, STRING, file, .fallback = "",
               .help = "file of `casimir build` that the system is in; it is code, and is run"),
    {.key = "file_hash",
     .type = CAS_STRING,
     .offset = offsetof(cas_own_file, hash),
     .fallback = "",
     .help = "the file's, by which a run is known to be the same; another file is refused"},
    {0}};

/* The entries that own_file leaves to others, of a section whose keys are not known yet. */
static cas_status read_keys(const cas_config *c, cas_own_file *own, cas_error *err) {
  bool failed = false;
  const char *file = cas_config_text(c, "system.file"),
             *hash = cas_config_text(c, "system.file_hash");
  if (!file)
    return cas_config_fail(c, err, "system.file", "found no name of a file");
  own->file = cas_text_copy(file, &failed);
  own->hash = hash ? cas_text_copy(hash, &failed) : NULL;
  return failed ? cas_no_memory(err) : CAS_OK;
}

static cas_status check_hash(const cas_config *c, cas_own_file *own, const char *hash,
                             cas_error *err) {
  bool failed = false;
  if (own->hash && strcmp(own->hash, hash) != 0)
    return cas_config_fail(c, err, "system.file_hash",
                           "found '%.40s', and %s has %s: it is another file, or has changed",
                           own->hash, own->file, hash);
  if (!own->hash)
    own->hash = cas_text_copy(hash, &failed);
  return failed ? cas_no_memory(err) : CAS_OK;
}

static cas_status take_system(const cas_config *c, const cas_kernels *k, const cas_own_file *own,
                              const cas_plugin *p, const cas_system **out, cas_error *err) {
  const char *name = cas_config_text(c, "system.name");
  char sets[80];
  cas_plugin_kernels(p, sets, sizeof sets);
  *out = cas_plugin_system(p, k->name);
  if (!*out)
    return cas_config_fail(c, err, "system.file",
                           "%s was built for %s, and these kernels are %s: build it again, or set "
                           "CASIMIR_KERNELS",
                           own->file, sets, k->name);
  if (name && strcmp(name, (*out)->name) == 0)
    return CAS_OK;
  return cas_config_fail(c, err, "system.name", "found '%.40s', and %s holds '%s'",
                         name ? name : "nothing", own->file, (*out)->name);
}

static cas_status load(const cas_config *c, const cas_kernels *k, cas_own_file *own,
                       const cas_system **out, cas_error *err) {
  const cas_plugin *p;
  char hash[17];
  cas_error why = {0};
  CAS_CALL(read_keys(c, own, err));
  if (cas_plugin_load(own->file, &p, hash, &why))
    return cas_config_fail(c, err, "system.file", "%s", why.text);
  CAS_CALL(check_hash(c, own, hash, err));
  return take_system(c, k, own, p, out, err);
}

cas_status cas_own_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                          cas_own_file *own, const cas_system **out, cas_error *err) {
  char mine[80];
  *own = (cas_own_file){0};
  *out = NULL;
  if (!cas_config_has(c, "system.file"))
    return CAS_OK;
  CAS_CALL(cas_agree(load(c, k, own, out, err), comm, err));
  snprintf(mine, sizeof mine, "the hash of system.file: %s\n", own->hash);
  return cas_compare_ranks(mine, "Give all ranks the same file.", comm, err);
}
