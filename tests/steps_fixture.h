/* A block of any system of the registry under the steps of any scheme that fits, for tests. */
#ifndef STEPS_FIXTURE_H
#define STEPS_FIXTURE_H

#include "math/kernels/kernels.h"
#include "numbers.h"
#include "paths/problem/problem.h"
#include "suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const cas_kernels *kernels;
  const cas_system *system;
  const cas_integrator *scheme;
  void *parameters;
  const cas_body *body;
  cas_geometry geometry;
  cas_stepper stepper;
  double *x, *carry, *dw, *coef, *work, *scratch, *tallies;
  cas_tally tally;
} bench;

/* the system's own initial state, else a random one */
static inline double *initial_state(const cas_system *s, const void *parameters, int components) {
  int n = 64; /* enough for the systems of the registry's examples */
  ck_assert_int_le(components, n);
  double *u = numbers((size_t)n), *x = numbers((size_t)n);
  cas_kernels_list(0)->threefry(3, 0, 0, 0, n, u);
  cas_kernels_list(0)->normals(n, u, x);
  if (s->initial)
    s->initial(parameters, x);
  else
    s->random(parameters, 1, x);
  free(u);
  return x;
}

static inline void bench_close(bench *b) {
  if (b->system->release)
    b->system->release(b->parameters);
  cas_options_free(b->system->options, b->parameters);
  free(b->parameters);
  free(b->x);
  free(b->carry);
  free(b->dw);
  free(b->coef);
  free(b->work);
  free(b->scratch);
  free(b->tallies);
}

/* whether the two fit; if not, nothing is open */
static inline bool bench_open(bench *b, const cas_kernels *k, int system, int scheme, double h,
                              bool compensated) {
  static const char *const also[] = {"name", "initial", NULL};
  const cas_system *s = k->systems[system];
  char text[600];
  cas_config *c;
  cas_error err = {0};
  *b = (bench){.kernels = k,
               .system = s,
               .scheme = k->integrators[scheme],
               .parameters = calloc(1, s->parameters_size)};
  snprintf(text, sizeof text, "system: {%s, %s}", s->example.keys, s->example.noise);
  MUST(cas_config_parse(text, strlen(text), "test", &c, &err));
  MUST(cas_options_read(c, "system", s->options, also, b->parameters, &err));
  ck_assert_msg(!s->check || !s->check(c, b->parameters, &err), "%s", err.text);
  cas_config_free(c);
  b->body = s->body(b->parameters);
  cas_geometry_find(k, s, b->body, b->parameters, &b->geometry);
  ck_assert_ptr_nonnull(b->geometry.algebra);
  ck_assert((cas_scheme_misfit(b->body, b->scheme) == NULL) ==
            (cas_scheme_find_step(b->body, b->scheme) != NULL));
  if (cas_scheme_misfit(b->body, b->scheme)) {
    bench_close(b);
    return false;
  }
  b->stepper = (cas_stepper){.system = s,
                             .parameters = b->parameters,
                             .geometry = b->geometry,
                             .W = s->lanes,
                             .h = h,
                             .relative = 1e-15,
                             .tolerance = 1e-15,
                             .magnitude = 1,
                             .max_iterations = 100,
                             .compensated = compensated};
  size_t lanes = (size_t)s->lanes, state = lanes * (size_t)b->geometry.components;
  b->x = numbers(state);
  b->carry = numbers(state);
  b->dw = numbers(lanes * (size_t)s->noises(b->parameters));
  b->coef = numbers(lanes * (size_t)cas_system_coefficients(s, b->parameters));
  b->work = numbers(cas_scheme_work(b->body, b->scheme, &b->geometry));
  b->scratch = numbers(65536);
  b->stepper.geometry.scratch = b->scratch;
  b->tallies = numbers(5 * lanes);
  b->tally = (cas_tally){b->tallies, b->tallies + lanes, b->tallies + 2 * lanes,
                         b->tallies + 3 * lanes, b->tallies + 4 * lanes};
  double *x0 = initial_state(s, b->parameters, b->geometry.components);
  for (int c0 = 0; c0 < b->geometry.components; c0++)
    for (int l = 0; l < s->lanes; l++)
      b->x[c0 * s->lanes + l] = x0[c0];
  free(x0);
  return true;
}

static inline void bench_run_with(bench *b, int steps, double bound) {
  cas_step_function *step = cas_scheme_find_step(b->body, b->scheme);
  double scale = b->scheme->scale;
  int draws = b->system->noises(b->parameters) * b->system->lanes;
  double *u = numbers(2 * (size_t)draws), *z = u + draws;
  for (int n = 0; n < steps; n++) {
    cas_kernels_list(0)->threefry(7, 0, 0, n, draws, u);
    cas_kernels_list(0)->normals(draws, u, z);
    b->kernels->truncate(b->system->noises(b->parameters), b->system->lanes, z, bound,
                         scale * sqrt(b->stepper.h), b->dw, b->tally.clipped);
    b->system->prepare(b->parameters, b->system->lanes, scale * b->stepper.h, b->dw, b->coef);
    step(&b->stepper, b->x, b->stepper.compensated ? b->carry : NULL, b->coef, b->work, &b->tally);
  }
  free(u);
}

#endif
