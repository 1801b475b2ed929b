/* At most one run for each output: a lock on "<path>.lock" as long as the process lives. */
#ifndef CAS_LOCK_H
#define CAS_LOCK_H

#include <casimir/status.h>

typedef struct {
  int fd;
  char *path;
} cas_lock;

#define CAS_LOCK_NONE ((cas_lock){-1, NULL})

/* How long is waited where nothing else is asked for: ranks of a launcher that was killed end some
   seconds later. */
enum { CAS_LOCK_SECONDS = 30 };

/** Takes the lock, and waits up to `seconds` for whoever has it: CAS_FILE_ERROR with who that is.
    The system frees it when its holder ends, however that happens, so a file without a holder means
    nothing. Where the file system has no locks, none is taken. waits: is told of a wait,
    at its beginning; NULL: nobody is. */
cas_status cas_lock_take(const char *path, double seconds,
                         void (*waits)(void *context, const char *text), void *context,
                         cas_lock *lock, cas_error *err) CAS_MUST_CHECK;
void cas_lock_release(cas_lock *lock);

#endif
