/* Checkpoints: one block of bytes, a sequence of named sections, kept in memory, in a file of its
   own while a study runs, and in the results file when the study is done.

   In files: magic, sections, seal (seal.c). A section: name, length, bytes padded to whole words.
   Numbers have the byte order of the machine, because a run goes on where it began. */
#ifndef CAS_CHECKPOINT_H
#define CAS_CHECKPOINT_H

#include "base/owned.h"

#include <casimir/status.h>

#define CAS_CHECKPOINT_MAGIC "casckpt1" /* what a checkpoint file begins with */

/** Sections in memory. Zeroed: empty. */
typedef struct {
  char *bytes; /* owned */
  size_t size, capacity;
} cas_sections;

typedef struct {
  const char *name;
  const void *bytes; /* aligned for numbers */
  size_t size;
} cas_section;

/** Appends a section of zeros, to be filled before another is appended. NULL without memory. */
void *cas_sections_add(cas_sections *s, const char *name, size_t size, cas_error *err);
cas_status cas_sections_put(cas_sections *s, const char *name, const void *bytes, size_t size,
                            cas_error *err) CAS_MUST_CHECK;
/** Appends sections as they are. */
cas_status cas_sections_append(cas_sections *s, const void *sections, size_t size,
                               cas_error *err) CAS_MUST_CHECK;
/** The next section named `name` from position *at on, 0 at first; *at moves behind it. */
int cas_sections_next(const cas_sections *s, const char *name, size_t *at, cas_section *out);
/** The first section named `name`; false if there is none. */
bool cas_sections_find(const cas_sections *s, const char *name, cas_section *out);
/** Copies the first section named `name`; false, without a copy, unless it has `size` bytes. */
bool cas_sections_get(const cas_sections *s, const char *name, void *out, size_t size);
void cas_sections_free(cas_sections *s);

/** A section whose name begins with CAS_SECTION_STAYS is too large for memory. When a checkpoint is
    read, its bytes stay in the file, and the section in memory consists of this description. */
typedef struct {
  uint64_t offset, size; /* of its bytes in the file */
  char head[48];         /* the first bytes, at most 48 */
} cas_stored_section;

#define CAS_SECTION_STAYS '@'

/** Whether there are such sections. */
bool cas_sections_stay(const cas_sections *s);

/** A checkpoint that is written part by part. */
typedef struct cas_checkpoint_writer cas_checkpoint_writer;

/** Begins a file that is to take the place of `path`, with these sections. */
cas_status cas_checkpoint_begin(const char *path, const cas_sections *s,
                                cas_checkpoint_writer **out, cas_error *err) CAS_MUST_CHECK;
/** Appends bytes of whole sections, or of parts of them that follow each other. */
cas_status cas_checkpoint_append(cas_checkpoint_writer *w, const void *bytes, size_t size,
                                 cas_error *err) CAS_MUST_CHECK;
/** Begins a section, whose bytes are put next. */
cas_status cas_checkpoint_section(cas_checkpoint_writer *w, const char *name, uint64_t size,
                                  cas_error *err) CAS_MUST_CHECK;
cas_status cas_checkpoint_put(cas_checkpoint_writer *w, const void *bytes, size_t size,
                              cas_error *err) CAS_MUST_CHECK;
/** Ends as cas_checkpoint_write does, and frees w in any case. */
cas_status cas_checkpoint_end(cas_checkpoint_writer *w, bool keep, cas_error *err) CAS_MUST_CHECK;
/** Removes what was written; w may be NULL. */
void cas_checkpoint_abandon(cas_checkpoint_writer *w);

/** Writes `path` so that at any time it or "<path>.previous" is whole: temporary, read back, fsync,
    the old one renamed, the new one renamed, fsync of the directory. keep: false where `path` is
    damaged or missing and "<path>.previous" was read instead, which then stays. */
cas_status cas_checkpoint_write(const char *path, const cas_sections *s, bool keep,
                                cas_error *err) CAS_MUST_CHECK;

enum { CAS_CHECKPOINT_NONE, CAS_CHECKPOINT_NEWEST, CAS_CHECKPOINT_PREVIOUS };

/** Reads `path`, or "<path>.previous" where the former is missing or damaged, and changes neither.
   *found: CAS_CHECKPOINT_NONE if there is neither (CAS_OK). Both damaged, or one that cannot be
   read at all: CAS_FILE_ERROR. *warning (freed by the caller; warning may be NULL): what was wrong
   with a file that was passed over, or NULL. */
cas_status cas_checkpoint_read(const char *path, cas_sections *s, int *found, char **warning,
                               cas_error *err) CAS_MUST_CHECK;
/** Whether either is there, or may be. */
bool cas_checkpoint_exists(const char *path);
/** Removes both, and what an interrupted write left. */
void cas_checkpoint_remove(const char *path);

#endif
