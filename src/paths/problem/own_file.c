#include "paths/problem/own_file.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const cas_option cas_own_file_options[] = {
    CAS_OPTION(cas_own_file, STRING, file, .fallback = "",
               .help = "file made by `casimir build`; its code is executed"),
    {.key = "file_hash",
     .type = CAS_STRING,
     .offset = offsetof(cas_own_file, hash),
     .fallback = "",
     .help = "hash of the file; a file with another hash is refused"},
    {0}};

CAS_PRINTF(5, 6)
static cas_status fail(const cas_config *c, cas_error *err, const char *section, const char *key,
                       const char *format, ...) {
  char path[64], text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  snprintf(path, sizeof path, "%s.%s", section, key);
  return cas_config_fail(c, err, path, "%s", text);
}

static const char *text_of(const cas_config *c, const char *section, const char *key) {
  char path[64];
  snprintf(path, sizeof path, "%s.%s", section, key);
  return cas_config_text(c, path);
}

/* Before the other keys of the section, which the file says. */
static cas_status read_keys(const cas_config *c, const char *section, cas_own_file *own,
                            cas_error *err) {
  bool failed = false;
  const char *file = text_of(c, section, "file"), *hash = text_of(c, section, "file_hash");
  if (!file)
    return fail(c, err, section, "file", "found no name of a file");
  own->file = cas_text_copy(file, &failed);
  own->hash = hash ? cas_text_copy(hash, &failed) : NULL;
  return failed ? cas_no_memory(err) : CAS_OK;
}

static cas_status load(const cas_config *c, const char *section, cas_own_file *own,
                       const cas_plugin **p, cas_error *err) {
  char hash[17];
  cas_error why = {0};
  CAS_CALL(read_keys(c, section, own, err));
  if (cas_plugin_load(own->file, p, hash, &why))
    return fail(c, err, section, "file", "%s", why.text);
  bool failed = false;
  if (own->hash && strcmp(own->hash, hash) != 0)
    return fail(c, err, section, "file_hash",
                "found '%.40s', and %.400s has %s: it is another file, or has changed", own->hash,
                own->file, hash);
  if (!own->hash)
    own->hash = cas_text_copy(hash, &failed);
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
static cas_status has_none(const cas_config *c, const char *section, const char *kind,
                           const cas_own_file *own, const cas_plugin *p, const cas_kernels *k,
                           cas_error *err) {
  char sets[80];
  cas_plugin_kernels(p, sets, sizeof sets);
  return fail(c, err, section, "file",
              "%.400s has no %s for the kernels %s: it was built for %s, of %.100s", own->file,
              kind, k->name, sets, p->source);
}

static cas_status other_name(const cas_config *c, const char *section, const cas_own_file *own,
                             const char *there, cas_error *err) {
  const char *name = text_of(c, section, "name");
  return fail(c, err, section, "name", "found '%.40s', and %.400s holds '%.40s'",
              name ? name : "nothing", own->file, there);
}

cas_status cas_own_file_system(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_system **out, cas_error *err) {
  const cas_plugin *p;
  *own = (cas_own_file){0};
  *out = NULL;
  if (!cas_config_has(c, "system.file"))
    return CAS_OK;
  CAS_CALL(load_on_all(c, "system", comm, own, &p, err));
  const char *name = cas_config_text(c, "system.name");
  *out = cas_plugin_system(p, k->name);
  if (!*out)
    return has_none(c, "system", "system", own, p, k, err);
  return name && strcmp(name, (*out)->name) == 0 ? CAS_OK
                                                 : other_name(c, "system", own, (*out)->name, err);
}

cas_status cas_own_file_scheme(const cas_config *c, const cas_kernels *k, MPI_Comm comm,
                               cas_own_file *own, const cas_integrator **out,
                               const cas_plugin_schemes **schemes, cas_error *err) {
  const cas_plugin *p;
  *own = (cas_own_file){0};
  *out = NULL;
  *schemes = NULL;
  if (!cas_config_has(c, "integrator.file"))
    return CAS_OK;
  CAS_CALL(load_on_all(c, "integrator", comm, own, &p, err));
  const char *name = cas_config_text(c, "integrator.name");
  *schemes = cas_plugin_schemes_of(p, k->name);
  if (!*schemes)
    return has_none(c, "integrator", "scheme", own, p, k, err);
  for (const cas_integrator *const *i = (*schemes)->integrators; *i && !*out; i++)
    if (name && strcmp((*i)->name, name) == 0)
      *out = *i;
  return *out ? CAS_OK : other_name(c, "integrator", own, (*schemes)->integrators[0]->name, err);
}
