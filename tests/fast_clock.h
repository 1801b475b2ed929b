/* Clocks that run fast, for programs of tests that make dry runs: these measure until some time is
   over, and what they measure is not what is tested. */
#ifndef FAST_CLOCK_H
#define FAST_CLOCK_H

#include <mpi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FASTER = 50 };

/* In the place of the C library's: time of a thread is faster, all else as it is. */
int clock_gettime(clockid_t clock, struct timespec *t) {
  const int status = (int)syscall(SYS_clock_gettime, clock, t);
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    const long nanoseconds = FASTER * t->tv_nsec;
    t->tv_sec = FASTER * t->tv_sec + nanoseconds / 1000000000;
    t->tv_nsec = nanoseconds % 1000000000;
  }
  return status;
}

double MPI_Wtime(void) { return FASTER * PMPI_Wtime(); }

#endif
