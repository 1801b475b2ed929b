/* Outputs of single commands: complete or not there, in the place of what such a command made. */
#ifndef CAS_REPLACE_H
#define CAS_REPLACE_H

#include "files/leftover.h"
#include "files/lock.h"

/** An output that is being written. */
typedef struct {
  char *target;    /* the file, of a symbolic link what it points to; owned */
  char *temporary; /* the name to write under; owned */
  cas_lock lock;
  cas_leftover kind;
} cas_replacement;

/** Refuses an output before anything is computed for it: a place where no file can be written, and
    the name of a file that is neither empty nor of this kind. Then nothing is at r->temporary, and
    until the end no other process writes this output: one that does is waited for, some seconds. */
cas_status cas_replacement_begin(const char *output, cas_leftover kind, cas_replacement *r,
                                 cas_error *err) CAS_MUST_CHECK;
/** Puts what was written in its place; with a status other than CAS_OK, which is returned, and
    after a failure removes it. Frees *r, which may be zeroed. */
cas_status cas_replacement_end(cas_replacement *r, cas_status st, cas_error *err) CAS_MUST_CHECK;

#endif
