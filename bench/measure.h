/* What all benchmarks share: samples of a time, and their report as text and as JSON that
   bench/compare reads. */
#ifndef CAS_MEASURE_H
#define CAS_MEASURE_H

#include <stdio.h>

/* One measured thing. Times are nanoseconds an operation; the best of the samples is the least
   disturbed one, the quartiles say how disturbed the machine was. */
typedef struct {
  char name[80]; /* "avx2/normals": unique in a report */
  const char *operation;
  double flops; /* of one operation; 0: not counted */
  double peak;  /* GFLOP/s of the instruction set; 0: not known */
  double best, low, median, high;
  int samples;
} cas_measured;

typedef struct {
  const char *benchmark;
  FILE *json; /* NULL: text only */
  int entries;
} cas_report;

/** Seconds that the processor gave to this thread: other processes disturb them least. */
double cas_seconds(void);

/** Times run(context, count), which does `operations` operations, until the samples are enough:
    each of at least a few milliseconds. Fills the times of *m. */
void cas_measure(void (*run)(void *context, int count), void *context, double operations,
                 cas_measured *m);
/** The order statistics of n samples, which are sorted. */
void cas_measured_from(double *samples, int n, cas_measured *m);

/** `json`: a file to write, or NULL. Ends the program if it cannot be written. */
cas_report cas_report_open(const char *benchmark, const char *json);
void cas_report_heading(const char *heading);
void cas_report_add(cas_report *r, const cas_measured *m);
void cas_report_close(cas_report *r);

/** GFLOP/s of fused multiply-adds in registers with that instruction set (multiplications and
   additions for "generic"), the best of several runs; 0 if it is not known here. */
double cas_peak(const char *instruction_set);

#endif
