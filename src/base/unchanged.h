/* Whether somebody wrote to a file that is in use. */
#ifndef CAS_UNCHANGED_H
#define CAS_UNCHANGED_H

#include <stdbool.h>
#include <sys/stat.h>

static inline bool cas_unchanged_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/** Whether two looks (stat, fstat) show one file that nobody wrote to between them. The time of the
    last change of its status (st_ctime) is compared as well, because it cannot be set back: `cp
    -p` and `rsync --inplace --times` write new bytes and put the old time of the data (st_mtime)
    back. A file that has lost its last name after the first look has a new time of its status with
    the old bytes; it passes. */
static inline bool cas_unchanged(const struct stat *before, const struct stat *now) {
  const bool removed = before->st_nlink > 0 && now->st_nlink == 0;
  return before->st_dev == now->st_dev && before->st_ino == now->st_ino &&
         before->st_size == now->st_size && cas_unchanged_time(before->st_mtim, now->st_mtim) &&
         (removed || cas_unchanged_time(before->st_ctim, now->st_ctim));
}

#endif
