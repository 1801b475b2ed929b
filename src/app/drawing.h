/* What the Python package beside the program draws: figures, films, pages, exports. */
#ifndef CAS_APP_DRAWING_H
#define CAS_APP_DRAWING_H

#include "files/leftover.h"

#include <casimir/status.h>
#include <stdio.h>

enum { CAS_DRAWING_MOST = 1024 /* arguments of one call */ };

/** What the package is asked for: a command and arguments "key=value", which it owns. */
typedef struct {
  char *argument[CAS_DRAWING_MOST + 4];
  int n;
  cas_error err; /* the first failure of cas_drawing_ask */
} cas_drawing;

/** Adds "key=value". */
void cas_drawing_ask(cas_drawing *d, const char *key, const char *value);
/** Has the package perform the command, which writes the file `output`, of this kind, complete
    or not at all; NULL: the package writes no file, or several by itself. "-" is standard
    output. Waits for it, hands signals that ask to leave on, and ends it where it does not obey.
    Returns an exit status; what there is to say of a failure is said. Frees. */
int cas_drawing_make(cas_drawing *d, const char *command, const char *output, cas_leftover kind);
/** Prints what the package says of `what`, such as "pictures"; nothing where it cannot be asked. */
void cas_drawing_list(FILE *f, const char *what);

#endif
