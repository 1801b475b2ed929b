/* What runs leave beside their outputs, told by its content from files of others. */
#ifndef CAS_LEFTOVER_H
#define CAS_LEFTOVER_H

#include <casimir/status.h>

typedef enum {
  CAS_LEFTOVER_RESULTS,    /* results in the making */
  CAS_LEFTOVER_CHECKPOINT, /* a checkpoint, whole or not */
  CAS_LEFTOVER_FIGURE,     /* a figure, its data as text, or a page, in the making */
  CAS_LEFTOVER_FILM,       /* in the making */
  CAS_LEFTOVER_LOCK,
  CAS_LEFTOVER_RESERVATION /* that was tried or reserved: zeros */
} cas_leftover;

/** Refuses a name at which there is something else than an interrupted run leaves: another file, a
    symbolic link, a directory. CAS_FILE_ERROR says what would help. Nothing is there, or what a run
    has left: CAS_OK. */
cas_status cas_leftover_check(const char *path, cas_leftover kind, cas_error *err) CAS_MUST_CHECK;
/** The same of an open file, which the path is the name of. */
cas_status cas_leftover_check_open(int fd, const char *path, cas_leftover kind,
                                   cas_error *err) CAS_MUST_CHECK;
/** The same, and the name is free then. */
cas_status cas_leftover_remove(const char *path, cas_leftover kind, cas_error *err) CAS_MUST_CHECK;

#endif
