#include "base/text.h"
#include "paths/problem/sections.h"

#define OTHER_NAME "found '%.40s', and %.400s holds '%.40s'"

const cas_option cas_own_file_options[] = {
    CAS_OPTION(cas_own_file, STRING, file, .fallback = "",
               .help = "file made by `casimir build`; its code is executed"),
    {.key = "file_hash",
     .type = CAS_STRING,
     .offset = offsetof(cas_own_file, hash),
     .fallback = "",
     .help = "hash of the file; a file with another hash is refused"},
    {0}};

/* Loads the file that a section names; it defines the section's other keys. */
static cas_status load(const cas_config *c, const char *section, cas_own_file *own,
                       const cas_plugin **p, cas_error *err) {
  char at_file[64], at_hash[64], hash[17];
  bool failed = false;
  cas_error why = {0};
  snprintf(at_file, sizeof at_file, "%s.file", section);
  snprintf(at_hash, sizeof at_hash, "%s.file_hash", section);
  CAS_REFUSE(c, !cas_config_text(c, at_file), at_file, "found no name of a file");
  own->file = cas_text_copy(cas_config_text(c, at_file), &failed);
  own->hash = cas_text_copy(cas_config_text(c, at_hash), &failed);
  CAS_NEED(!failed);
  CAS_REFUSE(c, cas_plugin_load(own->file, p, hash, &why), at_file, "%s", why.text);
  CAS_REFUSE(c, own->hash && strcmp(own->hash, hash) != 0, at_hash,
             "found '%.40s', and %.400s has %s: it is another file, or has changed", own->hash,
             own->file, hash);
  own->hash = own->hash ? own->hash : cas_text_copy(hash, &failed);
  return failed ? cas_no_memory(err) : CAS_OK;
}

static cas_status load_on_all(const cas_config *c, const char *section, MPI_Comm comm,
                              cas_own_file *own, const cas_plugin **p, cas_error *err) {
  char mine[80];
  CAS_CALL(cas_agree(load(c, section, own, p, err), comm, err));
  snprintf(mine, sizeof mine, "the hash of %s.file: %s\n", section, own->hash);
  return cas_compare_ranks(mine, "Give all ranks the same file.", comm, err);
}

/* The file has nothing for these kernels, or nothing of this kind. */
static cas_status has_none(const cas_config *c, const char *path, const char *kind,
                           const cas_own_file *own, const cas_plugin *p, const cas_kernels *k,
                           cas_error *err) {
  char sets[80];
  cas_plugin_kernels(p, sets, sizeof sets);
  return cas_config_fail(c, err, path,
                         "%.400s has no %s for the kernels %s: it was built for %s, of %.100s",
                         own->file, kind, k->name, sets, p->source);
}

cas_status cas_own_file_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_system **out, cas_error *err) {
  const cas_plugin *p;
  if (!cas_config_has(c, "system.file"))
    return CAS_OK;
  CAS_CALL(load_on_all(c, "system", comm, own, &p, err));
  const char *name = cas_config_text(c, "system.name");
  *out = cas_plugin_for(p, k->name).system;
  if (!*out)
    return has_none(c, "system.file", "system", own, p, k, err);
  CAS_REFUSE(c, !name || strcmp(name, (*out)->name) != 0, "system.name", OTHER_NAME,
             name ? name : "nothing", own->file, (*out)->name);
  return CAS_OK;
}

cas_status cas_own_file_scheme(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_integrator **out,
                               const cas_plugin_schemes **schemes, cas_error *err) {
  const cas_plugin *p;
  if (!cas_config_has(c, "integrator.file"))
    return CAS_OK;
  CAS_CALL(load_on_all(c, "integrator", comm, own, &p, err));
  const char *name = cas_config_text(c, "integrator.name");
  *schemes = cas_plugin_for(p, k->name).schemes;
  if (!*schemes)
    return has_none(c, "integrator.file", "scheme", own, p, k, err);
  *out = name ? cas_kernels_find((*schemes)->integrators, name) : NULL;
  CAS_REFUSE(c, !*out, "integrator.name", OTHER_NAME, name ? name : "nothing", own->file,
             (*schemes)->integrators[0]->name);
  return CAS_OK;
}
