#include "files/lock.h"
#include "base/clock.h"
#include "files/safe_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

/* The file may have been removed between its opening and its locking. */
static bool is_current(int fd, const char *path) {
  struct stat mine, there;
  return !fstat(fd, &mine) && !lstat(path, &there) && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

static void sign(int fd) {
  char text[300], host[128] = "?";
  const char *job = getenv("SLURM_JOB_ID");
  gethostname(host, sizeof host - 1);
  int n = snprintf(text, sizeof text, "process %ld on %s%s%s\n", (long)getpid(), host,
                   job ? ", SLURM job " : "", job ? job : "");
  if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
    return; /* the name of the holder is a courtesy */
}

enum { TAKEN, CHANGED, HELD, FAILED }; /* what came of trying */

static int take_once(const char *path, cas_lock *lock, cas_error *err) {
  lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (lock->fd < 0) {
    int reason = errno;
    if (!cas_leftover_check(lock->path, CAS_LEFTOVER_LOCK, err)) {
      errno = reason;
      (void)cas_file_fail(err, lock->path, "cannot be created");
    }
    return FAILED;
  }
  if (cas_leftover_check_open(lock->fd, lock->path, CAS_LEFTOVER_LOCK, err))
    return FAILED;
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(lock->fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES)) {
    char who[200] = "";
    (void)!pread(lock->fd, who, sizeof who - 1, 0);
    who[strcspn(who, "\n")] = '\0';
    (void)cas_fail(err, CAS_FILE_ERROR, "%s: another run is writing it (%s)", path,
                   who[0] ? who : "unknown");
    return HELD;
  } /* anything else: a file system without locks */
  if (!is_current(lock->fd, lock->path))
    return CHANGED;
  sign(lock->fd);
  return TAKEN;
}

/* Tries again where the file was removed meanwhile, and, for some time, where it is locked. */
cas_status cas_lock_take(const char *path, double seconds,
                         void (*waits)(void *context, const char *text), void *context,
                         cas_lock *lock, cas_error *err) {
  const struct timespec pause = {.tv_nsec = 20000000};
  const double until = cas_clock_seconds() + seconds;
  cas_error why = {0};
  char text[400];
  int result = CHANGED;
  *lock = (cas_lock){-1, cas_file_beside(path, ".lock")};
  CAS_NEED(lock->path);
  for (int i = 0; i < 100 && (result == CHANGED || result == HELD);) {
    if (lock->fd >= 0)
      close(lock->fd);
    why = (cas_error){0};
    result = take_once(path, lock, &why);
    if (result == HELD && cas_clock_seconds() >= until)
      break;
    if (result == HELD && waits) {
      snprintf(text, sizeof text, "%.300s: waiting for its end, up to %.3g s", why.text, seconds);
      waits(context, text);
      waits = NULL; /* is told once */
    }
    if (result == HELD)
      nanosleep(&pause, NULL);
    else
      i++;
  }
  if (result == TAKEN)
    return CAS_OK;
  if (lock->fd >= 0)
    close(lock->fd);
  lock->fd = -1; /* not ours to remove */
  cas_lock_release(lock);
  return cas_fail(err, CAS_FILE_ERROR, "%s%s", why.text,
                  result == HELD ? ". Wait for its end, or choose another output." : "");
}

void cas_lock_release(cas_lock *lock) {
  if (lock->fd >= 0) {
    if (is_current(lock->fd, lock->path))
      unlink(lock->path);
    close(lock->fd);
  }
  free(lock->path);
  *lock = CAS_LOCK_NONE;
}
