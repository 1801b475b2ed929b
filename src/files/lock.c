#include "files/lock.h"
#include "files/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int try_lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &whole);
}

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

static cas_status held(int fd, const char *path, cas_error *err) {
  char who[200] = "";
  ssize_t n = pread(fd, who, sizeof who - 1, 0);
  who[n > 0 ? n : 0] = '\0';
  who[strcspn(who, "\n")] = '\0';
  return cas_fail(err, CAS_FILE_ERROR,
                  "%s: another run is writing it (%s). Wait for its end, or choose another output.",
                  path, who[0] ? who : "unknown");
}

/* 0: taken, 1: try again, -1: failed */
static int take_once(const char *path, cas_lock *lock, cas_error *err) {
  lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  if (lock->fd < 0) {
    int reason = errno;
    if (!cas_leftover_check(lock->path, CAS_LEFTOVER_LOCK, err))
      (void)cas_fail(err, CAS_FILE_ERROR, "%s: cannot be created: %s.", lock->path,
                     strerror(reason));
    return -1;
  }
  if (cas_leftover_check_open(lock->fd, lock->path, CAS_LEFTOVER_LOCK, err))
    return -1;
  if (try_lock(lock->fd) && (errno == EAGAIN || errno == EACCES)) {
    (void)held(lock->fd, path, err);
    return -1;
  } /* anything else: a file system without locks */
  if (is_current(lock->fd, lock->path)) {
    sign(lock->fd);
    return 0;
  }
  close(lock->fd);
  lock->fd = -1;
  return 1;
}

cas_status cas_lock_take(const char *path, cas_lock *lock, cas_error *err) {
  int result = 1;
  *lock = CAS_LOCK_NONE;
  if (asprintf(&lock->path, "%s.lock", path) < 0) {
    lock->path = NULL;
    return cas_no_memory(err);
  }
  for (int i = 0; result > 0 && i < 100; i++)
    result = take_once(path, lock, err);
  if (result == 0)
    return CAS_OK;
  if (lock->fd >= 0)
    close(lock->fd);
  lock->fd = -1; /* not ours to remove */
  free(lock->path);
  lock->path = NULL;
  return CAS_FILE_ERROR;
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
