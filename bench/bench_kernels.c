/* Nanoseconds a path of each kernel of one fine step of the rigid body, for every instruction set
 * that runs here. */
#include "kernels.h"
#include "noise/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { W = 64, NOISES = 3, N = NOISES * W };

static const double step_size = 0x1p-16;

typedef struct {
  const cas_kernels *k;
  const cas_system *system;
  void *parameters;
  cas_stepper stepper;
  double *u, *z, *sum, *dw, *coef, *x, *carry, *work;
  cas_tally tally;
} state;

static void threefry(state *s, int i) { s->k->threefry(1, 0, 5, i, N, s->u); }
static void normals(state *s, int i) { (void)i, s->k->normals(N, s->u, s->z); }
static void truncate_normals(state *s, int i) {
  (void)i;
  s->k->truncate(NOISES, W, s->z, sqrt(4 * fabs(log(step_size))), sqrt(step_size), s->dw,
                 s->tally.clipped);
}
static void accumulate(state *s, int i) { (void)i, s->k->accumulate(N, s->z, s->sum); }
static void prepare(state *s, int i) {
  (void)i, s->system->prepare(s->parameters, W, step_size, s->dw, s->coef);
}
static void step_fused(state *s, int i) {
  (void)i, s->system->fused[0].step(&s->stepper, s->x, NULL, s->coef, s->work, &s->tally);
}
static void step_compensated(state *s, int i) {
  (void)i, s->system->fused[0].step(&s->stepper, s->x, s->carry, s->coef, s->work, &s->tally);
}
static void step_tables(state *s, int i) {
  (void)i, s->k->integrators[0]->step(&s->stepper, s->x, NULL, s->coef, s->work, &s->tally);
}

static const struct {
  const char *name;
  void (*run)(state *s, int i);
} kernels[] = {{"threefry uniforms", threefry},
               {"normals", normals},
               {"truncate", truncate_normals},
               {"accumulate", accumulate},
               {"prepare", prepare},
               {"step, fused", step_fused},
               {"step, compensated", step_compensated},
               {"step, through tables", step_tables}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* the best of several runs */
static double nanoseconds(state *s, void (*run)(state *s, int i)) {
  enum { REPEATS = 15, STEPS = 2000 };
  double best = 1e300;
  for (int r = 0; r < REPEATS; r++) {
    double before = now();
    for (int i = 0; i < STEPS; i++)
      run(s, i);
    best = fmin(best, (now() - before) * 1e9 / STEPS / W);
  }
  return best;
}

static void setup(state *s, const cas_kernels *k) {
  static const char text[] =
      "system: {inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}";
  cas_config *c;
  cas_error err;
  double *m = aligned_alloc(64, 65536 * sizeof *m), x0[3];
  *s = (state){
      .k = k, .system = k->systems[0], .parameters = calloc(1, k->systems[0]->parameters_size)};
  if (!m || !s->parameters || cas_config_parse(text, strlen(text), "bench", &c, &err) ||
      cas_options_read(c, "system", s->system->options, NULL, s->parameters, &err))
    abort();
  cas_config_free(c);
  memset(m, 0, 65536 * sizeof *m);
  s->u = m, s->z = m + N, s->sum = m + 2 * N, s->dw = m + 3 * N, s->coef = m + 4 * N,
  s->x = m + 6 * N, s->carry = m + 7 * N;
  s->tally = (cas_tally){m + 8 * N, m + 8 * N + W, m + 8 * N + 2 * W, m + 9 * N};
  s->work = m + 10 * N;
  s->stepper =
      (cas_stepper){.system = s->system,
                    .parameters = s->parameters,
                    .geometry = {.algebra = k->algebras[0], .n = 3, .factors = 1, .components = 3},
                    .W = W,
                    .h = step_size,
                    .tolerance = 1e-15,
                    .max_iterations = 100};
  s->system->initial(s->parameters, x0);
  for (int i = 0; i < 3 * W; i++)
    s->x[i] = x0[i / W];
}

int main(void) {
  printf("%-22s", "ns a path");
  for (int i = 0; cas_kernels_list(i); i++)
    printf(" %9s", cas_kernels_list(i)->name);
  printf("\n");
  for (size_t j = 0; j < sizeof kernels / sizeof *kernels; j++) {
    printf("%-22s", kernels[j].name);
    for (int i = 0; cas_kernels_list(i); i++) {
      state s;
      setup(&s, cas_kernels_list(i));
      for (size_t before = 0; before < j; before++)
        kernels[before].run(&s, 1);
      printf(" %9.2f", nanoseconds(&s, kernels[j].run));
      cas_options_free(s.system->options, s.parameters);
      free(s.parameters);
      free(s.u);
    }
    printf("\n");
  }
  return 0;
}
