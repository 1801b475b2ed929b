/* Files that casimir writes, told by their content from files of others. */
#ifndef CAS_LEFTOVER_H
#define CAS_LEFTOVER_H

#include <casimir/status.h>

typedef enum {
  CAS_LEFTOVER_RESULTS,    /* results in the making */
  CAS_LEFTOVER_CHECKPOINT, /* a checkpoint, whole or not */
  CAS_LEFTOVER_FIGURE,     /* svg, pdf, eps or png, of any program */
  CAS_LEFTOVER_TEXT,       /* data or script of a figure */
  CAS_LEFTOVER_PAGE,       /* a report */
  CAS_LEFTOVER_FILM,       /* mp4, of any program */
  CAS_LEFTOVER_EXPORT,     /* a file of VTKHDF */
  CAS_LEFTOVER_COMPILED,   /* a system or a scheme of a user */
  CAS_LEFTOVER_LOCK,
  CAS_LEFTOVER_RESERVATION /* that was tried or reserved: zeros */
} cas_leftover;

/** Refuses a name at which there is something else than an interrupted run leaves: another file, a
    symbolic link, a directory. CAS_FILE_ERROR says what would help. */
cas_status cas_leftover_check(const char *path, cas_leftover kind, cas_error *err) CAS_MUST_CHECK;
/** Refuses in the same way an open file; `path` is its name. */
cas_status cas_leftover_check_open(int fd, const char *path, cas_leftover kind,
                                   cas_error *err) CAS_MUST_CHECK;
/** Refuses such a name, or removes what is there. */
cas_status cas_leftover_remove(const char *path, cas_leftover kind, cas_error *err) CAS_MUST_CHECK;
/** Refuses the name of an output at which there is a file that is neither empty nor of this kind,
    so that a command replaces what it made alone: CAS_BAD_INPUT. Links are followed. Of results,
    cas_results_replaceable looks at more. */
cas_status cas_leftover_check_output(const char *path, cas_leftover kind,
                                     cas_error *err) CAS_MUST_CHECK;

#endif
