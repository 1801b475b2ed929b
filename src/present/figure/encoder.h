/* Films: pictures one after another, encoded by ffmpeg while they are drawn. */
#ifndef CAS_ENCODER_H
#define CAS_ENCODER_H

#include "files/replace.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/** A film in the making. Zeroed: there is none. */
typedef struct {
  cas_replacement film;
  FILE *messages; /* of ffmpeg */
  pid_t pid;
  int to; /* a pipe to its standard input */
} cas_encoder;

/** Refuses names that do not end in .mp4, and places where no file can be. */
cas_status cas_encoder_check(const char *output, cas_error *err) CAS_MUST_CHECK;
/** Starts ffmpeg for a film of so many pictures a second. *missing: there is no ffmpeg, which is
    the failure. Caller ends it, also after a failure. SIGPIPE must be ignored. */
cas_status cas_encoder_begin(cas_encoder *e, const char *output, int rate, bool *missing,
                             cas_error *err) CAS_MUST_CHECK;
/** The next picture, of PNG. */
cas_status cas_encoder_add(cas_encoder *e, const char *png, size_t size,
                           cas_error *err) CAS_MUST_CHECK;
/** Puts the film in place where all went well before; else ends ffmpeg, leaves nothing behind and
    returns st. Frees what *e holds. */
cas_status cas_encoder_end(cas_encoder *e, cas_status st, cas_error *err) CAS_MUST_CHECK;

#endif
