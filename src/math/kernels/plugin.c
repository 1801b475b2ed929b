#include "math/kernels/plugin.h"
#include "base/hash.h"
#include "base/owned.h"
#include "base/unchanged.h"
#include "math/kernels/abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The end of a file: the size of what is before it, and its hash. */
static const char seal_format[] = "casimir_plugin_seal %016llx %016llx\n";
enum { SEAL = 20 + 16 + 1 + 16 + 1 };

static void write_seal(char seal[SEAL + 1], const char *bytes, size_t size) {
  snprintf(seal, SEAL + 1, seal_format, (unsigned long long)size,
           (unsigned long long)cas_hash(CAS_HASH_START, bytes, size));
}

static bool read_all(int fd, char *bytes, size_t size) {
  for (ssize_t n; size > 0; bytes += n, size -= (size_t)n)
    if ((n = read(fd, bytes, size)) <= 0)
      return false;
  return true;
}

/* What is no regular file may never end, or not begin. */
static cas_status read_file(const char *file, char **bytes, size_t *size, cas_error *err) {
  struct stat s, now;
  CAS_OWNED_BY(cas_owned_descriptor) int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  CAS_FAIL_IF(fd < 0 || fstat(fd, &s), CAS_BAD_INPUT, "%s: %s", file, strerror(errno));
  CAS_FAIL_IF(!S_ISREG(s.st_mode), CAS_BAD_INPUT, "%s: is no regular file", file);
  *size = (size_t)s.st_size;
  CAS_NEED(*bytes = malloc(*size + 1));
  CAS_FAIL_IF(!read_all(fd, *bytes, *size), CAS_BAD_INPUT, "%s: cannot be read to its end", file);
  CAS_FAIL_IF(fstat(fd, &now) || !cas_unchanged(&s, &now), CAS_BAD_INPUT,
              "%s: was changed while it was read", file);
  return CAS_OK;
}

/* A file that is cut short, or was changed, would end the program in the dynamic linker. */
static cas_status check_seal(const char *file, const char *bytes, size_t size, cas_error *err) {
  char seal[SEAL + 1];
  static const char magic[] = "\177ELF";
  CAS_FAIL_IF(size < strlen(magic) || memcmp(bytes, magic, strlen(magic)) != 0, CAS_BAD_INPUT,
              "%s: is no compiled file", file);
  if (size >= SEAL) {
    write_seal(seal, bytes, size - SEAL);
    if (memcmp(bytes + size - SEAL, seal, SEAL) == 0)
      return CAS_OK;
  }
  return memmem(bytes, size, "casimir_plugin", strlen("casimir_plugin"))
             ? cas_fail(err, CAS_BAD_INPUT,
                        "%s: is not what `casimir build` has written: it was cut short or changed. "
                        "Build it again",
                        file)
             : cas_fail(err, CAS_BAD_INPUT, "%s: was not made by `casimir build`, or was cut short",
                        file);
}

cas_status cas_plugin_sign(const char *file, cas_error *err) {
  CAS_OWNED char *bytes = NULL;
  char seal[SEAL + 1];
  size_t size = 0;
  CAS_CALL(read_file(file, &bytes, &size, err));
  FILE *f = fopen(file, "ab");
  write_seal(seal, bytes, size);
  bool written = f && fwrite(seal, 1, SEAL, f) == SEAL;
  CAS_FAIL_IF((f && fclose(f)) || !written, CAS_FILE_ERROR, "%s: cannot be written: %s", file,
              strerror(errno));
  return CAS_OK;
}

/* A name without a slash would be looked for among the system's libraries. */
static void *open_path(const char *file) {
  CAS_OWNED char *path = NULL;
  if (asprintf(&path, "%s%s", strchr(file, '/') ? "" : "./", file) < 0)
    path = NULL;
  return path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool write_all(int fd, const char *bytes, size_t size) {
  for (ssize_t n; size > 0; bytes += n, size -= (size_t)n)
    if ((n = write(fd, bytes, size)) <= 0)
      return false;
  return true;
}

/* The checked and hashed bytes run: a file that is written to while a run maps it would change code
   within a path, or end the program. The number of the copy, its name, stays in use, as the dynamic
   linker knows libraries by name. Where there can be no copy, the file itself is opened. */
static void *open_library(const char *file, const char *bytes, size_t size) {
  const char *slash = strrchr(file, '/');
  char path[40];
  void *library = NULL;
  int fd = memfd_create(slash ? slash + 1 : file, MFD_CLOEXEC);
  if (fd >= 0 && write_all(fd, bytes, size)) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!library && fd >= 0)
    close(fd);
  return library ? library : open_path(file);
}

/* ---- code of a file that ends the program ---- */

/* The files that are loaded, by the addresses where they begin, and their hashes. */
enum { LOADED = 16 };
static struct {
  const void *begin;
  const cas_plugin *plugin; /* NULL: not checked yet, or refused */
  char hash[17], file[200];
} loaded[LOADED];

static const void *begin_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static int remember(const char *file, const void *address) {
  const void *begin = begin_of(address);
  int i = 0;
  while (i < LOADED - 1 && loaded[i].begin && loaded[i].begin != begin)
    i++;
  snprintf(loaded[i].file, sizeof loaded[i].file, "%s", file);
  loaded[i].begin = begin;
  loaded[i].plugin = NULL;
  return i;
}

static const cas_plugin *find_loaded(const char *hash) {
  for (int i = 0; i < LOADED; i++)
    if (loaded[i].plugin && strcmp(loaded[i].hash, hash) == 0)
      return loaded[i].plugin;
  return NULL;
}

const char *cas_plugin_file_of(const void *address) {
  const void *begin = address ? begin_of(address) : loaded[0].begin;
  for (int i = 0; begin && i < LOADED; i++)
    if (loaded[i].begin == begin)
      return loaded[i].file;
  return NULL;
}

void cas_plugin_files(char *text, size_t size) {
  *text = '\0';
  for (int i = 0; i < LOADED && loaded[i].begin; i++)
    cas_append(text, size, "%s%s", i ? " or " : "", loaded[i].file);
}

/* Runs the constructors of the file. */
static cas_status open_and_ask(const char *file, const char *bytes, size_t size, int *place,
                               const cas_plugin **out, cas_error *err) {
  void *library = open_library(file, bytes, size);
  CAS_FAIL_IF(!library, CAS_BAD_INPUT, "%s: cannot be loaded: %s", file, dlerror());
  void *symbol = dlsym(library, "casimir_plugin");
  const cas_plugin *(*get)(void);
  memcpy(&get, &symbol, sizeof get);
  CAS_FAIL_IF(!symbol, CAS_BAD_INPUT, "%s: was not made by `casimir build`", file);
  *place = remember(file, symbol);
  *out = get();
  return CAS_OK;
}

/* Handlers of the program at its exit are not for a process that only tries. */
static void end_trial(void) { _exit(EXIT_FAILURE); }

/* In a process of its own: says in `done` that the code of the file has come to its end. Code that
   never does is ended with the program that waits for it. */
static void try(const char *file, const char *bytes, size_t size, int done, pid_t program) {
  const cas_plugin *ignored;
  int place;
  cas_error later = {0}; /* the program itself will have it, too */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != program)
    _exit(EXIT_FAILURE);
  if (atexit(end_trial) == 0)
    (void)!open_and_ask(file, bytes, size, &place, &ignored, &later);
  (void)!write(done, "", 1);
  _exit(EXIT_SUCCESS);
}

static bool has_byte(int fd) {
  char byte;
  ssize_t n;
  while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR)
    continue;
  return n == 1;
}

static cas_status ended(const char *file, int status, cas_error *err) {
  const bool by_signal = WIFSIGNALED(status);
  return cas_fail(err, CAS_BAD_INPUT, "%s: its code ended the program while it was loaded%s%s",
                  file, by_signal ? ": " : "", by_signal ? strsignal(WTERMSIG(status)) : "");
}

/* Code that ends its process would do so without a word: it is tried in another process first, if
   there can be one. */
static cas_status try_alone(const char *file, const char *bytes, size_t size, cas_error *err) {
  int end[2], status = 0;
  if (pipe2(end, O_CLOEXEC))
    return CAS_OK;
  fflush(NULL);
  pid_t program = getpid(), child = fork();
  if (child == 0)
    try(file, bytes, size, end[1], program);
  close(end[1]);
  bool done = child < 0 || has_byte(end[0]);
  close(end[0]);
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return done ? CAS_OK : ended(file, status, err);
}

static cas_status load(const char *file, const char *bytes, size_t size, const char *hash,
                       const cas_plugin **out, cas_error *err) {
  int place;
  CAS_CALL(try_alone(file, bytes, size, err));
  cas_plugin_guard_begin();
  CAS_CALL(open_and_ask(file, bytes, size, &place, out, err));
  CAS_CALL(cas_plugin_guard(err));
  const cas_plugin *p = *out;
  CAS_FAIL_IF(!p || !p->abi || !p->source || !p->compiler, CAS_BAD_INPUT,
              "%s: was not made by `casimir build`", file);
  CAS_FAIL_IF(strcmp(p->abi, CAS_ABI) != 0, CAS_BAD_INPUT,
              "%s: was built for casimir %.80s, and this is casimir %s: build it again, with "
              "`casimir build`",
              file, p->abi, CAS_ABI);
  CAS_CALL(cas_plugin_check(file, p, err));
  snprintf(loaded[place].hash, sizeof loaded[place].hash, "%s", hash);
  loaded[place].plugin = p;
  return CAS_OK;
}

cas_status cas_plugin_load(const char *file, const cas_plugin **out, char hash[17],
                           cas_error *err) {
  CAS_OWNED char *bytes = NULL;
  size_t size = 0;
  CAS_CALL(read_file(file, &bytes, &size, err));
  CAS_CALL(check_seal(file, bytes, size, err));
  snprintf(hash, 17, "%016llx", (unsigned long long)cas_hash(CAS_HASH_START, bytes, size));
  *out = find_loaded(hash);
  return *out ? CAS_OK : load(file, bytes, size, hash, out, err);
}

cas_plugin_set cas_plugin_for(const cas_plugin *p, const char *kernels) {
  for (int i = 0; i < CAS_PLUGIN_SETS && p->set[i].kernels; i++)
    if (strcmp(p->set[i].kernels, kernels) == 0)
      return p->set[i];
  return (cas_plugin_set){0};
}

void cas_plugin_kernels(const cas_plugin *p, char *text, size_t size) {
  *text = '\0';
  for (int i = 0; i < CAS_PLUGIN_SETS && p->set[i].kernels; i++)
    cas_append(text, size, "%s%s", i ? ", " : "", p->set[i].kernels);
}
