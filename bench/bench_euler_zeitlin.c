/* Milliseconds a step of Euler-Zeitlin, without noise (tolerance 1e-13), with the noise of [EJLL]
   (43), and with 100 fields of transport noise (tolerance 1e-15 for both), h = 1.6e-3, and what
   bounds it: an iteration is one and a half complex products, and one more product ends the step.
   bench_euler_zeitlin [-t THREADS] [-q] [NORM [N ..]]      default: norm 100, N = 12 .. 512
   -q: without noise alone.
   Processor time of one thread, or the time that passes with several. Small N go across the lanes:
   16 paths a block, and milliseconds are those of one path. Above N = 512 there is no noise. */
#include "math/blas/blas.h"
#include "math/blas/threads.h"
#include "paths/pass.h"

#include <casimir/casimir.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int threads = 1;
static bool is_quiet;

/* processor time in seconds, so that neighbours disturb little, where there is one thread */
static double now(void) {
  struct timespec t;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  double step, iterations; /* milliseconds; mean */
} measured;

/* When the first step ended, and the last one: what a path begins with is no part of a step. */
typedef struct {
  double first, last;
} ends;

static void note(void *context, cas_pass *s CAS_UNUSED, int level CAS_UNUSED) {
  ends *e = context;
  e->last = now();
  e->first = e->first > 0 ? e->first : e->last;
}

static cas_status measure(cas_problem *p, measured *m, cas_error *err) {
  const int N = p->geometry.n, steps = N <= 128 ? 21 : N <= 512 ? 5 : 3, runs = N <= 512 ? 5 : 1;
  const cas_pass_plan plan = {
      .levels = 1, .h = {1.6e-3}, .ratio = {1}, .steps = steps, .grid = 1 << 30};
  cas_pass s;
  cas_status st = cas_pass_create(p, &plan, &s, err);
  m->step = 1e300;
  for (int i = 0; !st && i < runs; i++) {
    ends e = {0, 0};
    s.stepped = note;
    s.stepped_context = &e;
    st = cas_pass_run(&s, i, NULL, NULL, err);
    m->step = fmin(m->step, (e.last - e.first) * 1e3 / (steps - 1) / p->W);
    m->iterations = s.level[0].tally.iterations[0] / steps;
  }
  cas_pass_free(&s);
  return st;
}

/* N, and what else stands in the section of the system. */
static cas_status measure_with(int N, double norm, const char *noise, double tolerance, int *W,
                               double *memory, measured *m, cas_error *err) {
  char text[5000];
  cas_config *c;
  cas_problem p;
  snprintf(text, sizeof text,
           "system: {name: euler_zeitlin, N: %d, noise: {%s}, initial: {random: {seed: 1, norm: "
           "%g, lmax: %d}}}\nintegrator: {tolerance: %g}\nrandom: {generator: threefry}\n",
           N, noise, norm, N > 10 ? 10 : N - 1, tolerance);
  cas_status st = cas_config_parse(text, strlen(text), "bench", &c, err);
  if (st)
    return st;
  st = cas_problem_create(c, false, MPI_COMM_SELF, &p, err);
  cas_config_free(c);
  if (st)
    return st;
  st = measure(&p, m, err);
  *W = p.W;
  *memory =
      p.system->parameters.bytes ? (double)p.system->parameters.bytes(p.parameters.all) / 1e6 : 0;
  cas_problem_free(&p);
  return st;
}

/* Fields of one mode each, from low degrees on. */
static void write_fields(int fields, char *text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "kind: transport, amplitude: 0.01, fields: [");
  for (int k = 1, l = 1, m = -1; k <= fields; k++) {
    used +=
        (size_t)snprintf(text + used, size - used, "%s[%d, %d, %d, 1]", k > 1 ? ", " : "", k, l, m);
    if (m++ == l)
      m = -++l;
  }
  snprintf(text + used, size - used, "]");
}

void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);

/* one complex product of the same size, ms */
static double product(int N) {
  const double one[2] = {1, 0}, zero[2] = {0, 0};
  size_t n = 2 * (size_t)N * (size_t)N;
  double *a = calloc(3 * n, sizeof *a), best = 1e300;
  for (size_t i = 0; i < 2 * n; i++)
    a[i] = sin((double)i);
  const int together = 1 + 10000 / (N * N);
  for (int r = 0; r < 10; r++) {
    double before = now();
    for (int i = 0; i < together; i++)
      zgemm_("N", "N", &N, &N, &N, one, a, &N, a + n, &N, zero, a + 2 * n, &N, 1, 1);
    best = fmin(best, (now() - before) * 1e3 / together);
  }
  free(a);
  return best;
}

static double ratio(const measured *m, double zgemm) {
  return m->step / ((1.5 * m->iterations + 1) * zgemm);
}

static cas_status report(int N, double norm, cas_error *err) {
  measured quiet, noisy, moved;
  char fields[4000];
  int W;
  double memory, of_quiet;
  cas_status st = measure_with(N, norm, "amplitude: 0", 1e-13, &W, &of_quiet, &quiet, err);
  const double zgemm = product(N);
  if (st)
    return st;
  printf("%4d %5d %10.4f %9.4f %5.1f %6.2f", N, W, zgemm, quiet.step, quiet.iterations,
         ratio(&quiet, zgemm));
  fflush(stdout);
  if (N > 512 || N < 12 || is_quiet) {
    printf("%48.1f\n", of_quiet);
    return CAS_OK;
  }
  write_fields(100, fields, sizeof fields);
  st = measure_with(N, norm, fields, 1e-15, &W, &memory, &moved, err);
  if (!st)
    st = measure_with(N, norm, "amplitude: 0.1", 1e-15, &W, &memory, &noisy, err);
  if (st)
    return st;
  printf(" %10.4f %5.1f %6.2f %9.4f %5.1f %6.2f %9.1f\n", noisy.step, noisy.iterations,
         ratio(&noisy, zgemm), moved.step, moved.iterations, ratio(&moved, zgemm), memory);
  fflush(stdout);
  return CAS_OK;
}

int main(int argc, char **argv) {
  static const int usual[] = {12, 24, 32, 64, 128, 256, 512};
  cas_error err = {0};
  cas_status st = CAS_OK;
  cas_blas_choose(argv);
  MPI_Init(&argc, &argv);
  cas_blas_use_threads(1);
  if (argc > 2 && strcmp(argv[1], "-t") == 0) {
    threads = atoi(argv[2]);
    argc -= 2, argv += 2;
  }
  if (argc > 1 && strcmp(argv[1], "-q") == 0) {
    is_quiet = true;
    argc--, argv++;
  }
  cas_threads_use(threads);
  const int n = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
  const double norm = argc > 1 ? atof(argv[1]) : 100;
  printf("             complex   ----- no noise -----   ----- noise (43) -----   ----- 100 fields "
         "----     basis\n"
         "   N paths   product     step    it  ratio       step    it  ratio      step    it  "
         "ratio        MB\n");
  for (int i = 0; !st && i < n; i++)
    st = report(argc > 2 ? atoi(argv[2 + i]) : usual[i], norm, &err);
  if (st)
    fprintf(stderr, "bench_euler_zeitlin: %s\n", err.text);
  MPI_Finalize();
  return cas_exit_status(st);
}
