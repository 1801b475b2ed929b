#include "files/checkpoint.h"
#include "files/safe_file.h"
#include "files/seal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
  char *bytes = realloc(s->bytes, capacity);
  if (!bytes)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: a checkpoint of %zu bytes", capacity);
  s->bytes = bytes;
  s->capacity = capacity;
  return CAS_OK;
}

cas_status cas_sections_put(cas_sections *s, const char *name, const void *bytes, size_t size,
                            cas_error *err) {
  section_head head = {.size = size};
  cas_status st = reserve(s, sizeof head + padded(size), err);
  if (st)
    return st;
  snprintf(head.name, NAME, "%s", name);
  memcpy(s->bytes + s->size, &head, sizeof head);
  s->size += sizeof head;
  memset(s->bytes + s->size, 0, padded(size));
  if (size)
    memcpy(s->bytes + s->size, bytes, size);
  s->size += padded(size);
  return CAS_OK;
}

cas_status cas_sections_append(cas_sections *s, const void *sections, size_t size, cas_error *err) {
  cas_status st = reserve(s, size, err);
  if (st)
    return st;
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
  n->temporary = cas_temporary_name(path);
  if (asprintf(&n->previous, "%s.previous", path) < 0)
    n->previous = NULL;
  return n->temporary && n->previous ? CAS_OK : cas_no_memory(err);
}

/* ---- writing ---- */

static cas_status write_temporary(const char *path, const char *like, const cas_sections *s,
                                  cas_error *err) {
  struct stat st;
  cas_status status = cas_file_write(path, CAS_LEFTOVER_CHECKPOINT, like, magic, sizeof magic, err);
  if (!status)
    status = cas_file_append(path, s->bytes, s->size, err);
  if (!status)
    status = cas_seal_append(path, 0, NULL, NULL, err);
  if (!status)
    status = cas_seal_check(path, false, err);
  if (!status && (stat(path, &st) || (size_t)st.st_size < sizeof magic + s->size))
    status = cas_fail(err, CAS_FILE_ERROR, "%s: is shorter than what was written.", path);
  return status;
}

/* The old one is kept under its second name: a whole file bears one of the two at any time. */
static cas_status keep_previous(const char *path, const names *n, cas_error *err) {
  CAS_CALL(cas_file_sync(n->temporary, err));
  if (rename(path, n->previous) && errno != ENOENT)
    return cas_fail(err, CAS_FILE_ERROR, "%s: cannot be kept as '%s': %s.", path, n->previous,
                    strerror(errno));
  return CAS_OK;
}

cas_status cas_checkpoint_write(const char *path, const cas_sections *s, bool keep,
                                cas_error *err) {
  names n = {0};
  cas_status st = make_names(path, &n, err);
  if (!st)
    st = write_temporary(n.temporary, path, s, err);
  if (!st && keep)
    st = keep_previous(path, &n, err);
  if (!st)
    st = cas_file_commit(n.temporary, path, err);
  if (st && n.temporary)
    (void)!cas_leftover_remove(n.temporary, CAS_LEFTOVER_CHECKPOINT, &(cas_error){0});
  free_names(&n);
  return st;
}

void cas_checkpoint_remove(const char *path) {
  names n = {0};
  cas_error ignored = {0};
  if (!make_names(path, &n, &ignored)) {
    const char *const name[] = {n.temporary, n.previous, path};
    for (int i = 0; i < 3; i++)
      (void)!cas_leftover_remove(name[i], CAS_LEFTOVER_CHECKPOINT, &(cas_error){0});
  }
  free_names(&n);
}

/* ---- reading ---- */

static cas_status not_ours(const char *path, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR, "%s: is no checkpoint of this version of casimir.", path);
}

/* A seal is the last thing written: a file without one is not whole. */
static cas_status load(const char *path, cas_sections *s, bool *damaged, cas_error *err) {
  char *bytes = NULL;
  size_t size = 0;
  cas_status st = cas_seal_require(path, &size, damaged, err);
  if (!st && size < sizeof magic)
    st = not_ours(path, err);
  if (!st)
    st = cas_file_read(path, size, &bytes, err);
  if (!st && memcmp(bytes, magic, sizeof magic) != 0)
    st = not_ours(path, err);
  if (!st) {
    memmove(bytes, bytes + sizeof magic, size - sizeof magic);
    *s = (cas_sections){.bytes = bytes, .size = size - sizeof magic, .capacity = size};
    bytes = NULL;
  }
  free(bytes);
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
  names n = {0};
  cas_error ignored = {0};
  bool newest = true, older = true;
  if (!make_names(path, &n, &ignored) && !look_for(path, &newest, &ignored))
    (void)!look_for(n.previous, &older, &ignored);
  free_names(&n);
  return newest || older;
}

static cas_status refuse_newest(const names *n, bool damaged, bool older, const cas_error *why,
                                cas_error *err) {
  if (older)
    return cas_fail(err, why->status,
                    "%s It is not known to be damaged, so %s is not used instead: mend the cause, "
                    "or remove the former to go on from the latter.",
                    why->text, n->previous);
  return cas_fail(err, why->status, "%s There is no %s. %semove the former to begin anew.",
                  why->text, n->previous, damaged ? "R" : "Mend the cause, or r");
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
  names n = {0};
  cas_error why = {0};
  bool newest, older, damaged = false;
  *found = CAS_CHECKPOINT_NONE;
  if (warning)
    *warning = NULL;
  cas_status st = make_names(path, &n, err);
  if (!st)
    st = look_for(path, &newest, err);
  if (!st)
    st = look_for(n.previous, &older, err);
  if (!st && newest && !load(path, s, &damaged, &why))
    *found = CAS_CHECKPOINT_NEWEST;
  else if (!st && newest && !(damaged && older))
    st = refuse_newest(&n, damaged, older, &why, err);
  else if (!st && older)
    st = read_previous(&n, &why, s, found, warning, err);
  free_names(&n);
  return st;
}
