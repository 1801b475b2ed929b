#include "measure.h"

#include <casimir/casimir.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SAMPLES = 25 };

double cas_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void cas_measured_from(double *samples, int n, cas_measured *m) {
  qsort(samples, (size_t)n, sizeof *samples, ascending);
  m->best = samples[0];
  m->low = samples[n / 4];
  m->median = samples[n / 2];
  m->high = samples[3 * n / 4];
  m->samples = n;
}

void cas_measure(void (*run)(void *context, int count), void *context, double operations,
                 cas_measured *m) {
  const double enough = 4e-3; /* seconds a sample */
  double samples[SAMPLES], spent = 0;
  int count = 1;
  for (; spent < enough; count *= 2) {
    double before = cas_seconds();
    run(context, count);
    spent = cas_seconds() - before;
  }
  count /= 2;
  for (int i = 0; i < SAMPLES; i++) {
    double before = cas_seconds();
    run(context, count);
    samples[i] = (cas_seconds() - before) * 1e9 / count / operations;
  }
  cas_measured_from(samples, SAMPLES, m);
}

cas_report cas_report_open(const char *benchmark, const char *json) {
  cas_report r = {benchmark, NULL, 0};
  if (!json)
    return r;
  r.json = fopen(json, "w");
  if (!r.json) {
    perror(json);
    exit(EXIT_FAILURE);
  }
  fprintf(r.json, "{\"benchmark\": \"%s\", \"version\": \"%s\", \"unit\": \"ns\", \"entries\": [",
          benchmark, cas_version());
  return r;
}

void cas_report_heading(const char *heading) {
  printf("%-46s %9s %9s %9s  %-18s %8s %6s\n", heading, "ns best", "median", "quartiles", "of one",
         "GFLOP/s", "peak");
}

void cas_report_add(cas_report *r, const cas_measured *m) {
  double rate = m->flops > 0 ? m->flops / m->best : NAN;
  printf("%-46s %9.4g %9.4g %8.1f%%  %-18s", m->name, m->best, m->median,
         100 * (m->high - m->low) / m->median, m->operation);
  if (m->flops > 0)
    printf(" %8.2f", rate);
  if (m->flops > 0 && m->peak > 0)
    printf(" %5.0f%%", 100 * rate / m->peak);
  printf("\n");
  fflush(stdout);
  if (!r->json)
    return;
  fprintf(r->json,
          "%s\n {\"name\": \"%s\", \"operation\": \"%s\", \"best\": %.6g, \"low\": %.6g, "
          "\"median\": %.6g, \"high\": %.6g, \"samples\": %d",
          r->entries++ ? "," : "", m->name, m->operation, m->best, m->low, m->median, m->high,
          m->samples);
  if (m->flops > 0)
    fprintf(r->json, ", \"flops\": %.6g, \"gflops\": %.6g", m->flops, rate);
  if (m->peak > 0)
    fprintf(r->json, ", \"peak_gflops\": %.6g", m->peak);
  fprintf(r->json, "}");
}

void cas_report_close(cas_report *r) {
  if (!r->json)
    return;
  int failed = fprintf(r->json, "\n]}\n") < 0;
  failed |= fclose(r->json) != 0;
  if (failed) {
    fprintf(stderr, "%s: the report could not be written\n", r->benchmark);
    exit(EXIT_FAILURE);
  }
}
