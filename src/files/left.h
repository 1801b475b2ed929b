/* What runs leave beside their outputs, told by its content from files of others. */
#ifndef CAS_LEFT_H
#define CAS_LEFT_H

#include <casimir/status.h>

typedef enum {
  CAS_LEFT_RESULTS,    /* results in the making */
  CAS_LEFT_CHECKPOINT, /* a checkpoint, whole or not */
  CAS_LEFT_FIGURE,     /* a figure, or its data as text, in the making */
  CAS_LEFT_LOCK,
  CAS_LEFT_ROOM /* that was tried or reserved: zeros */
} cas_left;

/** Refuses a name at which there is something else than an interrupted run leaves: another file, a
    symbolic link, a directory. CAS_FILE_ERROR says what would help. Nothing is there, or what a run has
    left: CAS_OK. */
cas_status cas_left_check(const char *path, cas_left kind, cas_error *err) CAS_MUST_CHECK;
/** The same of an open file, which the path is the name of. */
cas_status cas_left_check_open(int fd, const char *path, cas_left kind,
                               cas_error *err) CAS_MUST_CHECK;
/** The same, and the name is free then. */
cas_status cas_left_remove(const char *path, cas_left kind, cas_error *err) CAS_MUST_CHECK;

#endif
