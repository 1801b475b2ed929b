/* Linear noise chi_k = sigma e_k without drift: E x(t) = exp(-sigma^2 t) x0, with 10^6 paths of
   every generator family. The scheme turns by 2 arctan(|v|/2), v = sigma dW, so its mean is too
   large by 3/4 sigma^4 h t (relatively): a sixth of the standard error at h = 2^-10, where the mean
   is taken. mpirun -n 2 bench_exact_law [PATHS] Ends with status 1 if a mean is off by 4 standard
   errors or more. */
#include "paths/noise/noise.h"

#include <casimir/casimir.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double sigma = 0.8, horizon = 0.5, x0[3] = {0.6, 0, 0.8};

static cas_status run(const char *generator, long long paths, cas_results *r, cas_error *err) {
  char text[1000];
  cas_config *c;
  snprintf(text, sizeof text,
           "system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: "
           "%g}, initial: [%g, %g, %g]}\n"
           "random: {generator: %s}\n"
           "study: {kind: weak, coarsest_step: 1/64, horizon: %g, levels: 1, reference: 4, paths: "
           "%lld, functionals: [x1, x2, x3]}\n",
           sigma, x0[0], x0[1], x0[2], generator, horizon, paths);
  cas_status st = cas_config_parse(text, strlen(text), "exact law", &c, err);
  if (st)
    return st;
  st = cas_run(c, &(cas_run_request){.output = "exact-law.h5"}, MPI_COMM_WORLD, r, err);
  cas_config_free(c);
  return st;
}

/* largest deviation of a component, in standard errors */
static double report(const char *generator, const cas_results *r) {
  double worst = 0;
  printf("%-12s %9lld paths", generator, (long long)r->provenance.paths);
  for (int k = 0; k < 3; k++) {
    const cas_curve *c = cas_results_curve(r, k);
    double d =
        (c->mean.value[1] - exp(-sigma * sigma * horizon) * x0[k]) / c->mean.standard_error[1];
    printf("   x%d %9.6f %+5.2f standard errors", k + 1, c->mean.value[1], d);
    worst = d != d ? INFINITY : fmax(worst, fabs(d));
  }
  printf("   %.1f s\n", r->provenance.seconds.elapsed);
  fflush(stdout);
  return worst;
}

int main(int argc, char **argv) {
  cas_error err = {0};
  cas_status st = CAS_OK;
  double worst = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long long paths = argc > 1 ? atoll(argv[1]) : 1000000;
  for (const cas_generator *const *g = cas_generator_list(); !st && *g; g++) {
    cas_results r;
    if ((*g)->replayed)
      continue;
    st = run((*g)->name, paths, &r, &err);
    if (!st && rank == 0)
      worst = fmax(worst, report((*g)->name, &r));
    cas_results_free(&r);
  }
  if (st && rank == 0)
    fprintf(stderr, "bench_exact_law: %s\n", err.text);
  MPI_Bcast(&worst, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return st ? cas_exit_status(st) : worst < 4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
