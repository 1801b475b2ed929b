/* Where results may go, decided before anything is computed. */
#include "engine/output.h"
#include "hdf5/hdf5_impl.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file that a name stands for ---- */

/* What a symbolic link says, seen from the directory that `name` is seen from; NULL if it is none. */
static char *follow(const char *name) {
  char to[PATH_MAX], *target = NULL;
  ssize_t n = readlink(name, to, sizeof to - 1);
  const char *slash = strrchr(name, '/');
  if (n <= 0)
    return NULL;
  to[n] = '\0';
  if (to[0] == '/' || !slash)
    return strdup(to);
  return asprintf(&target, "%.*s%s", (int)(slash + 1 - name), name, to) < 0 ? NULL : target;
}

char *cas_output_target(const char *name) {
  const int most = 40; /* links, as the system has it */
  char *target = strdup(name), *next;
  for (int i = 0; target && i < most && (next = follow(target)); i++) {
    free(target);
    target = next;
  }
  return target;
}

/* ---- names that are taken ---- */

/* the results, and what is kept beside them */
static const struct {
  const char *ending;
  cas_left kind;
} beside[] = {{".lock", CAS_LEFT_LOCK},
              {".probe", CAS_LEFT_ROOM},
              {".room", CAS_LEFT_ROOM},
              {".checkpoint.previous", CAS_LEFT_CHECKPOINT},
              {".checkpoint.tmp", CAS_LEFT_CHECKPOINT},
              {".checkpoint", CAS_LEFT_CHECKPOINT},
              {".tmp", CAS_LEFT_RESULTS},
              {"", CAS_LEFT_RESULTS}};
enum {
  BESIDE = sizeof beside / sizeof *beside,
  CLAIMED = 5
}; /* the others are looked at elsewhere */

static cas_status check_name(const char *file, cas_error *err) {
  size_t length = strlen(file);
  for (int i = 0; i < BESIDE - 1; i++) {
    const char *ending = beside[i].ending;
    if (length > strlen(ending) && strcmp(file + length - strlen(ending), ending) == 0)
      return cas_fail(
          err, CAS_BAD_INPUT,
          "%s: names that end in %s are for what runs keep beside their results; choose "
          "another output.",
          file, ending);
  }
  return CAS_OK;
}

/* None of them may take the place of this file. */
static cas_status check_input(const char *file, const char *input, const char *what,
                              cas_error *err) {
  char name[PATH_MAX];
  if (!input)
    return CAS_OK;
  for (int i = 0; i < BESIDE; i++)
    if (snprintf(name, sizeof name, "%s%s", file, beside[i].ending) < (int)sizeof name &&
        cas_same_file(name, input))
      return cas_fail(err, CAS_BAD_INPUT,
                      "%s: is %s of this run, which would replace it; choose another output.", name,
                      what);
  return CAS_OK;
}

/* What a run would write there is not to take the place of anything but what a run has left. */
static cas_status check_beside(const char *file, cas_error *err) {
  char name[PATH_MAX];
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < CLAIMED; i++)
    if (snprintf(name, sizeof name, "%s%s", file, beside[i].ending) < (int)sizeof name)
      st = cas_left_check(name, beside[i].kind, err);
  return st;
}

cas_status cas_output_allowed(const cas_run_state *r, cas_error *err) {
  const cas_problem *p = &r->problem;
  cas_status st = check_name(r->file, err);
  if (!st)
    st = check_input(r->file, r->request->configuration, "the configuration", err);
  if (!st && p->initial.kind == CAS_STATE_FILE)
    st = check_input(r->file, p->initial.file, "the initial state", err);
  if (!st && p->noise.generator->replayed)
    st = check_input(r->file, p->random.file, "the file of normals", err);
  if (!st)
    st = cas_output_check(r->file, err);
  if (!st)
    st = check_beside(r->file, err);
  bool again = r->request->resume && cas_checkpoint_exists(r->checkpoint);
  return st ? st : cas_output_replaceable(r->file, again, err);
}

/* ---- room ---- */

static char *room_name(const cas_run_state *r) {
  char *name;
  return asprintf(&name, "%s.room", r->file) < 0 ? NULL : name;
}

cas_status cas_output_reserve(cas_run_state *r, cas_error *err) {
  double bytes = r->study->late_bytes ? r->study->late_bytes(r) : 0;
  if (bytes <= 0)
    return CAS_OK;
  char *name = room_name(r);
  if (!name)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = cas_file_write(name, CAS_LEFT_ROOM, r->file, NULL, 0, err);
  r->reserved = !st;
  if (!st)
    st = cas_file_reserve(name, (int64_t)bytes, err);
  free(name);
  return st;
}

void cas_output_release(cas_run_state *r) {
  char *name = r->reserved ? room_name(r) : NULL;
  if (name)
    unlink(name);
  free(name);
  r->reserved = false;
}
