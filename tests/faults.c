/* A shared object that stands before the C library. A program that it is preloaded into is armed by
   its environment:
     FAULT_MATCH  part of the path of the files that count
     FAULT_AT     number of the call, from 1 on
     FAULT_KIND   kill, half, fail or full (faults.h); none: only count
     FAULT_RANK   the MPI rank that is meant (default: all)
     FAULT_LOG    file that the calls are listed in
   The calls themselves go to the kernel directly.

   It can also give MPI a clock that goes by looks at it, so that what is cut by the clock is cut at
   the same place on every machine, and can be had slow, so that there is time to meet a run:
     FAULT_CLOCK  seconds from one look to the next
     FAULT_SLOW   a file: while it exists every look takes 10 ms
   The cheap clock that says when it is time for such a look then stands still, or goes by looks,
   too:
     FAULT_LAPSE  seconds from one look at CLOCK_BOOTTIME to the next

   It can be an OpenBLAS that does not know the processor:
     FAULT_CORE   the core it says it has code for, unless it was told one by OPENBLAS_CORETYPE

   And it can be a library that does not let a program end:
     FAULT_END    its destructor never returns */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *wanted, *log_file;
static long fault_at, seen;
static fault_kind kind;

void faults_arm(const char *match, long at, fault_kind k) {
  wanted = match;
  fault_at = at;
  kind = k;
  seen = 0;
}

long faults_seen(void) { return seen; }

static fault_kind kind_named(const char *name) {
  static const char *const names[] = {"none", "kill", "half", "fail", "full"};
  for (int i = 0; name && i < 5; i++)
    if (strcmp(name, names[i]) == 0)
      return (fault_kind)i;
  return FAULT_NONE;
}

__attribute__((constructor)) static void arm_by_environment(void) {
  const char *rank = getenv("FAULT_RANK"), *mine = getenv("OMPI_COMM_WORLD_RANK"),
             *at = getenv("FAULT_AT");
  if (!getenv("FAULT_MATCH") || (rank && (!mine || strcmp(rank, mine) != 0)))
    return;
  log_file = getenv("FAULT_LOG");
  faults_arm(getenv("FAULT_MATCH"), at ? atol(at) : 0, kind_named(getenv("FAULT_KIND")));
}

__attribute__((destructor)) static void never_return(void) {
  while (getenv("FAULT_END"))
    pause();
}

static void note(const char *call, const char *path) {
  char line[4300];
  int fd = log_file ? open(log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
  if (fd < 0)
    return;
  int n = snprintf(line, sizeof line, "%ld %s %s\n", seen, call, path);
  (void)!syscall(SYS_write, fd, line, n);
  syscall(SYS_close, fd);
}

/* ---- what is to happen to a call ---- */

typedef enum { GO_ON, GO_HALF_AND_DIE, GO_HALF_AND_FAIL, FAIL } fate;

static fate fate_of(const char *call, const char *path) {
  if (!wanted || !strstr(path, wanted))
    return GO_ON;
  seen++;
  note(call, path);
  if (kind == FAULT_NONE || seen < fault_at || (seen > fault_at && kind != FAULT_FULL))
    return GO_ON;
  if (kind == FAULT_KILL)
    raise(SIGKILL);
  errno = kind == FAULT_FULL ? ENOSPC : EIO;
  if (kind == FAULT_HALF)
    return GO_HALF_AND_DIE;
  return kind == FAULT_FULL && seen == fault_at ? GO_HALF_AND_FAIL : FAIL;
}

static fate fate_of_file(const char *call, int fd) {
  char link[64], path[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = wanted ? readlink(link, path, sizeof path - 1) : -1;
  if (n < 0)
    return GO_ON;
  path[n] = '\0';
  return fate_of(call, path);
}

static long after(fate f, long result) {
  if (f == GO_HALF_AND_DIE)
    raise(SIGKILL);
  return result;
}

/* A disk that fills up takes some bytes of a write and refuses the next. */
static size_t allowed(fate f, size_t size) { return f == GO_ON ? size : size / 2; }

/* ---- the calls ---- */

ssize_t write(int fd, const void *bytes, size_t size) {
  fate f = fate_of_file("write", fd);
  return f == FAIL ? -1 : after(f, syscall(SYS_write, fd, bytes, allowed(f, size)));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  fate f = fate_of_file("pwrite", fd);
  return f == FAIL ? -1 : after(f, syscall(SYS_pwrite64, fd, bytes, allowed(f, size), at));
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at) {
  fate f = fate_of_file("pwritev", fd);
  return f == FAIL ? -1
                   : after(f, syscall(SYS_pwritev, fd, v, f == GO_ON ? n : (n + 1) / 2, at, 0));
}

/* Calls without bytes have no half: FULL lets them fail at once. */
#define CALL(f, number, ...) \
  ((f) >= GO_HALF_AND_FAIL ? -1 : (int)after(f, syscall(number, __VA_ARGS__)))

/* The machine does not crash here, only processes do: no need to wait for the disk. */
int fsync(int fd) {
  fate f = fate_of_file("fsync", fd);
  return f >= GO_HALF_AND_FAIL ? -1 : (int)after(f, 0);
}

int ftruncate(int fd, off_t size) {
  fate f = fate_of_file("ftruncate", fd);
  return CALL(f, SYS_ftruncate, fd, size);
}

int fallocate(int fd, int mode, off_t at, off_t size) {
  fate f = fate_of_file("fallocate", fd);
  return CALL(f, SYS_fallocate, fd, mode, at, size);
}

/* A close that fails has closed all the same. */
int close(int fd) {
  fate f = fate_of_file("close", fd);
  long result = after(f, syscall(SYS_close, fd));
  return f >= GO_HALF_AND_FAIL ? -1 : (int)result;
}

int rename(const char *from, const char *to) {
  fate f = fate_of("rename", to);
  return CALL(f, SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* ---- the clock ---- */

double MPI_Wtime(void);

double MPI_Wtime(void) {
  static double looked = 1;
  const char *tick = getenv("FAULT_CLOCK"), *slow = getenv("FAULT_SLOW");
  struct timespec t;
  if (slow && access(slow, F_OK) == 0)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  if (tick)
    return looked += atof(tick);
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The environment is not looked at for other clocks: MPI's own thread asks for them while the first
   thread may be changing it. */
int clock_gettime(clockid_t id, struct timespec *t) {
  static double looked = 1;
  const char *lapse = id == CLOCK_BOOTTIME ? getenv("FAULT_LAPSE") : NULL;
  if (id != CLOCK_BOOTTIME || !getenv("FAULT_CLOCK"))
    return (int)syscall(SYS_clock_gettime, id, t);
  looked += lapse ? atof(lapse) : 0;
  *t = (struct timespec){(time_t)looked, (long)(1e9 * (looked - (double)(time_t)looked))};
  return 0;
}

/* ---- OpenBLAS ---- */

char *openblas_get_corename(void);

char *openblas_get_corename(void) {
  char *unknown = getenv("FAULT_CORE"), *told = getenv("OPENBLAS_CORETYPE");
  char *(*real)(void);
  if (unknown)
    return told ? told : unknown;
  *(void **)&real = dlsym(RTLD_NEXT, "openblas_get_corename");
  return real ? real() : NULL;
}
