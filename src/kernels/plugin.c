/* Loading of files made by `casimir build`. */
#include "kernels/plugin.h"
#include "base/hash.h"
#include "kernels/abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cas_status hash_file(const char *file, char hash[17], cas_error *err) {
  char bytes[1 << 14];
  uint64_t h = CAS_HASH_START;
  FILE *f = fopen(file, "rb");
  if (!f)
    return cas_fail(err, CAS_BAD_INPUT, "%s: %s", file, strerror(errno));
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;)
    h = cas_hash(h, bytes, n);
  int failed = ferror(f) ? errno : 0;
  fclose(f);
  snprintf(hash, 17, "%016llx", (unsigned long long)h);
  return failed ? cas_fail(err, CAS_BAD_INPUT, "%s: %s", file, strerror(failed)) : CAS_OK;
}

/* A name without a slash would be looked for among the system's libraries. */
static void *open_library(const char *file) {
  char *path = NULL;
  if (asprintf(&path, "%s%s", strchr(file, '/') ? "" : "./", file) < 0)
    return NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  return library;
}

static cas_status check_abi(const char *file, const cas_plugin *p, cas_error *err) {
  if (strcmp(p->abi, CAS_ABI) == 0)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s: was built for casimir %.80s, and this is casimir %s: build it again, with "
                  "`casimir build`",
                  file, p->abi, CAS_ABI);
}

cas_status cas_plugin_load(const char *file, const cas_plugin **out, char hash[17],
                           cas_error *err) {
  CAS_CALL(hash_file(file, hash, err));
  void *library = open_library(file);
  if (!library)
    return cas_fail(err, CAS_BAD_INPUT, "%s: cannot be loaded: %s", file, dlerror());
  void *symbol = dlsym(library, "casimir_plugin");
  const cas_plugin *(*get)(void);
  memcpy(&get, &symbol, sizeof get);
  if (!symbol)
    return cas_fail(err, CAS_BAD_INPUT, "%s: was not made by `casimir build`", file);
  *out = get();
  return check_abi(file, *out, err);
}

/* The number of the set of these kernels, -1 if there is none. */
static int find_set(const cas_plugin *p, const char *kernels) {
  for (int i = 0; i < CAS_PLUGIN_SETS && p->set[i].kernels; i++)
    if (strcmp(p->set[i].kernels, kernels) == 0)
      return i;
  return -1;
}

const cas_system *cas_plugin_system(const cas_plugin *p, const char *kernels) {
  int i = find_set(p, kernels);
  return i < 0 ? NULL : p->set[i].system;
}

const cas_plugin_schemes *cas_plugin_schemes_of(const cas_plugin *p, const char *kernels) {
  int i = find_set(p, kernels);
  return i < 0 ? NULL : p->set[i].schemes;
}

void cas_plugin_kernels(const cas_plugin *p, char *text, size_t size) {
  *text = '\0';
  for (int i = 0; i < CAS_PLUGIN_SETS && p->set[i].kernels; i++)
    cas_append(text, size, "%s%s", i ? ", " : "", p->set[i].kernels);
}
