/* At most one run for each output: a lock on "<path>.lock" as long as the process lives. */
#ifndef CAS_LOCK_H
#define CAS_LOCK_H

#include <casimir/status.h>

typedef struct {
  int fd;
  char *path;
} cas_lock;

#define CAS_LOCK_NONE ((cas_lock){-1, NULL})

/** Takes the lock; CAS_FILE_ERROR with who has it. The system frees it when its holder ends,
    however that happens, so a file without a holder means nothing. Where the file system has no
    locks, none is taken. */
cas_status cas_lock_take(const char *path, cas_lock *lock, cas_error *err) CAS_MUST_CHECK;
/** Takes the lock, and waits up to `seconds` for whoever has it. */
cas_status cas_lock_wait(const char *path, double seconds, cas_lock *lock,
                         cas_error *err) CAS_MUST_CHECK;
void cas_lock_release(cas_lock *lock);

#endif
