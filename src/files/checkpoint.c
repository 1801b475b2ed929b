#include "files/checkpoint.h"
#include "files/safe_file.h"
#include "files/seal.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const char magic[8] = CAS_CHECKPOINT_MAGIC;

enum { NAME = 16 };

/* The head that stands before each section's bytes. */
typedef struct {
  char name[NAME];
  uint64_t size;
} section_head;

/* ---- in memory ---- */

static size_t padded(size_t size) { return (size + 7) / 8 * 8; }

static cas_status reserve(cas_sections *s, size_t more, cas_error *err) {
  if (s->capacity - s->size >= more)
    return CAS_OK;
  size_t capacity = 2 * s->capacity > s->size + more ? 2 * s->capacity : s->size + more;
  CAS_FAIL_IF(!cas_owned_resize(&s->bytes, 1, capacity), CAS_NO_MEMORY,
              "out of memory: a checkpoint of %zu bytes", capacity);
  s->capacity = capacity;
  return CAS_OK;
}

void *cas_sections_add(cas_sections *s, const char *name, size_t size, cas_error *err) {
  section_head head = {.size = size};
  if (reserve(s, sizeof head + padded(size), err))
    return NULL;
  snprintf(head.name, NAME, "%s", name);
  char *bytes = memcpy(s->bytes + s->size, &head, sizeof head);
  s->size += sizeof head + padded(size);
  return memset(bytes + sizeof head, 0, padded(size));
}

cas_status cas_sections_put(cas_sections *s, const char *name, const void *bytes, size_t size,
                            cas_error *err) {
  void *to = cas_sections_add(s, name, size, err);
  if (to && size)
    memcpy(to, bytes, size);
  return to ? CAS_OK : CAS_NO_MEMORY;
}

cas_status cas_sections_append(cas_sections *s, const void *sections, size_t size, cas_error *err) {
  CAS_CALL(reserve(s, size, err));
  if (size)
    memcpy(s->bytes + s->size, sections, size);
  s->size += size;
  return CAS_OK;
}

/* 0 at the end, and where a length does not fit */
static int section_at(const cas_sections *s, size_t *at, cas_section *out) {
  section_head head;
  if (s->size - *at < sizeof head)
    return 0;
  memcpy(&head, s->bytes + *at, sizeof head);
  size_t left = s->size - *at - sizeof head;
  if (head.size > left || padded(head.size) > left || head.name[NAME - 1])
    return 0;
  *out = (cas_section){
      .name = s->bytes + *at, .bytes = s->bytes + *at + sizeof head, .size = (size_t)head.size};
  *at += sizeof head + padded((size_t)head.size);
  return 1;
}

int cas_sections_next(const cas_sections *s, const char *name, size_t *at, cas_section *out) {
  while (section_at(s, at, out))
    if (strcmp(out->name, name) == 0)
      return 1;
  return 0;
}

bool cas_sections_find(const cas_sections *s, const char *name, cas_section *out) {
  size_t at = 0;
  return cas_sections_next(s, name, &at, out);
}

bool cas_sections_get(const cas_sections *s, const char *name, void *out, size_t size) {
  cas_section found;
  bool fits = cas_sections_find(s, name, &found) && found.size == size;
  if (fits)
    memcpy(out, found.bytes, size);
  return fits;
}

bool cas_sections_stay(const cas_sections *s) {
  cas_section found;
  for (size_t at = 0; section_at(s, &at, &found);)
    if (found.name[0] == CAS_SECTION_STAYS)
      return true;
  return false;
}

void cas_sections_free(cas_sections *s) {
  free(s->bytes);
  *s = (cas_sections){0};
}

/* ---- names beside the results ---- */

typedef struct {
  char *temporary, *previous;
} names;

static void free_names(names *n) {
  free(n->temporary);
  free(n->previous);
}

static cas_status make_names(const char *path, names *n, cas_error *err) {
  n->temporary = cas_file_temporary_name(path);
  n->previous = cas_file_beside(path, ".previous");
  return n->temporary && n->previous ? CAS_OK : cas_no_memory(err);
}

/* ---- writing ---- */

struct cas_checkpoint_writer {
  char *path;
  names n;
  int fd;           /* of the temporary file; -1: it is not open */
  size_t size;      /* of all that was written */
  size_t left, pad; /* bytes of the section that are to come, and zeros behind it */
};

static void free_writer(cas_checkpoint_writer *w) {
  if (w->fd >= 0)
    close(w->fd);
  free_names(&w->n);
  free(w->path);
  free(w);
}

void cas_checkpoint_abandon(cas_checkpoint_writer *w) {
  if (!w)
    return;
  if (w->n.temporary)
    (void)!cas_leftover_remove(w->n.temporary, CAS_LEFTOVER_CHECKPOINT, &(cas_error){0});
  free_writer(w);
}

cas_status cas_checkpoint_append(cas_checkpoint_writer *w, const void *bytes, size_t size,
                                 cas_error *err) {
  w->size += size;
  return cas_io_write_all(w->fd, bytes, size)
             ? CAS_OK
             : cas_file_fail(err, w->n.temporary, "cannot be written");
}

static cas_status begin(cas_checkpoint_writer *w, const char *path, const cas_sections *s,
                        cas_error *err) {
  w->fd = -1;
  w->path = strdup(path);
  CAS_CALL(w->path ? make_names(path, &w->n, err) : cas_no_memory(err));
  w->size = sizeof magic;
  CAS_CALL(cas_file_write(w->n.temporary, CAS_LEFTOVER_CHECKPOINT, path, magic, sizeof magic, err));
  w->fd = open(w->n.temporary, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  return w->fd < 0 ? cas_file_fail(err, w->n.temporary, "cannot be opened")
                   : cas_checkpoint_append(w, s->bytes, s->size, err);
}

cas_status cas_checkpoint_begin(const char *path, const cas_sections *s,
                                cas_checkpoint_writer **out, cas_error *err) {
  cas_checkpoint_writer *w = *out = calloc(1, sizeof *w);
  cas_status st = w ? begin(w, path, s, err) : cas_no_memory(err);
  if (st) {
    cas_checkpoint_abandon(w);
    *out = NULL;
  }
  return st;
}

cas_status cas_checkpoint_section(cas_checkpoint_writer *w, const char *name, uint64_t size,
                                  cas_error *err) {
  section_head head = {.size = size};
  snprintf(head.name, NAME, "%s", name);
  w->left = size;
  w->pad = padded(size) - size;
  return cas_checkpoint_append(w, &head, sizeof head, err);
}

cas_status cas_checkpoint_put(cas_checkpoint_writer *w, const void *bytes, size_t size,
                              cas_error *err) {
  static const char zeros[8] = {0};
  CAS_CALL(cas_checkpoint_append(w, bytes, size, err));
  w->left -= size;
  return w->left ? CAS_OK : cas_checkpoint_append(w, zeros, w->pad, err);
}

static cas_status put_in_place(cas_checkpoint_writer *w, bool keep, cas_error *err) {
  const char *temporary = w->n.temporary;
  const int fd = w->fd;
  size_t sealed;
  bool damaged;
  w->fd = -1;
  CAS_CALL(cas_file_close(fd, temporary, CAS_OK, err));
  CAS_CALL(cas_seal_append(temporary, 0, NULL, NULL, err));
  CAS_CALL(cas_seal_require(temporary, &sealed, &damaged, err));
  CAS_FAIL_IF(sealed < w->size, CAS_FILE_ERROR, "%s: is shorter than what was written.", temporary);
  if (keep)
    CAS_CALL(cas_file_sync(temporary, err));
  CAS_FAIL_IF(keep && rename(w->path, w->n.previous) && errno != ENOENT, CAS_FILE_ERROR,
              "%s: cannot be kept as '%s': %s.", w->path, w->n.previous, strerror(errno));
  return cas_file_commit(temporary, w->path, err);
}

cas_status cas_checkpoint_end(cas_checkpoint_writer *w, bool keep, cas_error *err) {
  const cas_status st = put_in_place(w, keep, err);
  if (st)
    cas_checkpoint_abandon(w);
  else
    free_writer(w);
  return st;
}

cas_status cas_checkpoint_write(const char *path, const cas_sections *s, bool keep,
                                cas_error *err) {
  cas_checkpoint_writer *w;
  CAS_CALL(cas_checkpoint_begin(path, s, &w, err));
  return cas_checkpoint_end(w, keep, err);
}

void cas_checkpoint_remove(const char *path) {
  CAS_OWNED_BY(free_names) names n = {0};
  cas_error ignored = {0};
  if (!make_names(path, &n, &ignored)) {
    const char *const name[] = {n.temporary, n.previous, path};
    for (int i = 0; i < 3; i++)
      (void)!cas_leftover_remove(name[i], CAS_LEFTOVER_CHECKPOINT, &(cas_error){0});
  }
}

/* ---- reading ---- */

/* A section of the file at *at, which moves behind it. What stays in the file is in memory as its
   place and its first bytes. */
static cas_status load_section(int fd, const char *path, size_t end, size_t *at, cas_sections *s,
                               cas_error *err) {
  section_head head;
  cas_stored_section stored = {.offset = *at + sizeof head};
  CAS_FAIL_IF(end - *at < sizeof head || !cas_io_read_at(fd, &head, sizeof head, *at) ||
                  head.size > end - stored.offset || padded(head.size) > end - stored.offset ||
                  head.name[NAME - 1],
              CAS_FILE_ERROR, "%s: holds no sections of a checkpoint.", path);
  *at = stored.offset + padded(head.size);
  bool stays = head.name[0] == CAS_SECTION_STAYS;
  size_t size = !stays                           ? head.size
                : head.size < sizeof stored.head ? head.size
                                                 : sizeof stored.head;
  stored.size = head.size;
  char *bytes = stays ? stored.head : cas_sections_add(s, head.name, size, err);
  if (!bytes)
    return CAS_NO_MEMORY;
  if (!cas_io_read_at(fd, bytes, size, stored.offset))
    return cas_file_fail(err, path, "cannot be read");
  return stays ? cas_sections_put(s, head.name, &stored, sizeof stored, err) : CAS_OK;
}

/* A seal is the last thing written: a file without one is not whole. */
static cas_status load(const char *path, cas_sections *s, bool *damaged, cas_error *err) {
  char found[sizeof magic];
  size_t size = 0, at = sizeof magic;
  CAS_CALL(cas_seal_require(path, &size, damaged, err));
  CAS_OWNED_BY(cas_owned_descriptor) int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cas_file_fail(err, path, "cannot be opened");
  CAS_FAIL_IF(size < sizeof magic || !cas_io_read_at(fd, found, sizeof magic, 0) ||
                  memcmp(found, magic, sizeof magic) != 0,
              CAS_FILE_ERROR, "%s: is no checkpoint of this version of casimir.", path);
  cas_status st = CAS_OK;
  while (!st && at < size)
    st = load_section(fd, path, size, &at, s, err);
  if (st)
    cas_sections_free(s);
  return st;
}

/* A file that nobody can look for may be there. */
static cas_status look_for(const char *path, bool *there, cas_error *err) {
  struct stat s;
  *there = stat(path, &s) == 0;
  if (*there || errno == ENOENT || errno == ENOTDIR)
    return CAS_OK;
  return cas_file_fail(err, path, "cannot be looked for");
}

bool cas_checkpoint_exists(const char *path) {
  CAS_OWNED_BY(free_names) names n = {0};
  cas_error ignored = {0};
  bool newest = true, older = true;
  if (!make_names(path, &n, &ignored) && !look_for(path, &newest, &ignored))
    (void)!look_for(n.previous, &older, &ignored);
  return newest || older;
}

static cas_status read_previous(const names *n, const cas_error *why, cas_sections *s, int *found,
                                char **warning, cas_error *err) {
  cas_error second = {0};
  bool damaged;
  if (load(n->previous, s, &damaged, &second))
    return why->text[0] ? cas_fail(err, second.status, "%s %s Remove both to begin anew.",
                                   why->text, second.text)
                        : cas_fail(err, second.status, "%s Remove it to begin anew.", second.text);
  *found = CAS_CHECKPOINT_PREVIOUS;
  if (warning && asprintf(warning, "%s%s%s is used instead.", why->text, why->text[0] ? " " : "",
                          n->previous) < 0)
    *warning = NULL;
  return CAS_OK;
}

cas_status cas_checkpoint_read(const char *path, cas_sections *s, int *found, char **warning,
                               cas_error *err) {
  CAS_OWNED_BY(free_names) names n = {0};
  cas_error why = {0};
  bool newest, older, damaged = false;
  *found = CAS_CHECKPOINT_NONE;
  if (warning)
    *warning = NULL;
  CAS_CALL(make_names(path, &n, err));
  CAS_CALL(look_for(path, &newest, err));
  CAS_CALL(look_for(n.previous, &older, err));
  if (newest && !load(path, s, &damaged, &why)) {
    *found = CAS_CHECKPOINT_NEWEST;
    return CAS_OK;
  }
  CAS_FAIL_IF(newest && older && !damaged, why.status,
              "%s It is not known to be damaged, so %s is not used instead: mend the cause, "
              "or remove the former to go on from the latter.",
              why.text, n.previous);
  CAS_FAIL_IF(newest && !older, why.status, "%s There is no %s. %semove the former to begin anew.",
              why.text, n.previous, damaged ? "R" : "Mend the cause, or r");
  return older ? read_previous(&n, &why, s, found, warning, err) : CAS_OK;
}
