/* Every instruction set that runs here: elementary functions, streams, algebra and steps against
 * their definitions. */
#include "kernels/kernels.h"
#include "noise/noise.h"

#include <Random123/threefry.h>
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096, W = 64 };

static double *numbers(size_t n) {
  double *p = aligned_alloc(64, (n * sizeof(double) + 63) / 64 * 64);
  ck_assert_ptr_nonnull(p);
  memset(p, 0, n * sizeof(double));
  return p;
}

START_TEST(normals_are_box_and_muller) {
  double *u = numbers(N), *z = numbers(N), worst = 0;
  for (int k = 0; cas_kernels_list(k); k++) {
    cas_kernels_list(k)->threefry(1, 0, 3, 7, N, u);
    u[0] = 0x1p-53; /* the farthest tail */
    u[1] = 1 - 0x1p-53;
    cas_kernels_list(k)->normals(N, u, z);
    for (int i = 0; i < N / 2; i++) {
      long double r = sqrtl(-2 * logl(u[i])), a = 8 * atanl(1) * u[N / 2 + i];
      worst = fmax(worst, fabs((double)(z[i] - r * cosl(a))));
      worst = fmax(worst, fabs((double)(z[N / 2 + i] - r * sinl(a))));
      ck_assert(isfinite(z[i]) && isfinite(z[N / 2 + i]));
    }
  }
  ck_assert_msg(worst < 5e-15, "normals off by %g", worst);
  free(u);
  free(z);
}
END_TEST

START_TEST(uniforms_are_threefry) {
  double *u = numbers(N), *first = numbers(N);
  for (int k = 0; cas_kernels_list(k); k++) {
    cas_kernels_list(k)->threefry(12345, 1, 678, 90, N, u);
    for (int i = 0; i < N / 4; i++) {
      threefry4x64_key_t key = {{12345, 1, 0, 0}};
      threefry4x64_ctr_t counter = {{(uint64_t)i, 90, 678, 0}},
                         word = threefry4x64_R(13, counter, key);
      for (int w = 0; w < 4; w++)
        ck_assert(u[w * (N / 4) + i] == ((double)(word.v[w] >> 12) + 0.5) * 0x1p-52);
    }
    if (k == 0)
      memcpy(first, u, N * sizeof *u);
    ck_assert_int_eq(memcmp(first, u, N * sizeof *u), 0);
  }
  free(u);
  free(first);
}
END_TEST

START_TEST(truncation_cuts_and_counts) {
  double *sum = numbers(3 * W), *dw = numbers(3 * W), *clipped = numbers(W);
  for (int k = 0; cas_kernels_list(k); k++) {
    memset(clipped, 0, W * sizeof *clipped);
    for (int i = 0; i < 3 * W; i++)
      sum[i] = i % 7 - 3;
    cas_kernels_list(k)->truncate(3, W, sum, 2.5, 0.5, dw, clipped);
    double cut = 0, counted = 0;
    for (int i = 0; i < 3 * W; i++) {
      ck_assert(dw[i] == 0.5 * fmax(-2.5, fmin(2.5, sum[i])));
      cut += fabs(sum[i]) > 2.5;
    }
    for (int l = 0; l < W; l++)
      counted += clipped[l];
    ck_assert(cut == counted && cut > 0);
    sum[W + 1] = NAN;
    cas_kernels_list(k)->truncate(3, W, sum, 2.5, 0.5, dw, clipped);
    ck_assert(isnan(dw[W + 1]) && isfinite(dw[W]) && isfinite(dw[W + 2]));
  }
  free(sum);
  free(dw);
  free(clipped);
}
END_TEST

/* ---- steps, over the registries ---- */

/* A parameter set for a registered system, as text; a system without one fails the test. */
static const char *text_for(const char *system) {
  static const char *const texts[][2] = {
      {"rigid_body",
       "system: {inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.5}}"},
      {"euler_zeitlin", "system: {N: 6, noise: {amplitude: 2}}"},
      {"manakov", "system: {n: 5, noise: {sigma: 0.5}}"},
      {"point_vortices", "system: {gamma: [1, -0.5, 2, 1.5], noise: {sigma: 0.5}}"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(texts[i][0], system) == 0)
      return texts[i][1];
  ck_abort_msg("no parameters for system %s in this test", system);
}

typedef struct {
  const cas_kernels *kernels;
  const cas_system *system;
  void *parameters;
  cas_geometry geometry;
  cas_stepper stepper;
  double *x, *carry, *dw, *coef, *work, *scratch, *tallies;
  cas_tally tally;
} bench;

/* the system's own initial state, else a random one */
static double *initial_state(const cas_system *s, const void *parameters, int components) {
  int n = W; /* enough for the systems of this test */
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

static void bench_open(bench *b, const cas_kernels *k, const cas_system *s, double h,
                       bool compensated) {
  static const char *const also[] = {"name", "initial", NULL};
  const char *text = text_for(s->name);
  cas_config *c;
  cas_error err = {0};
  *b = (bench){.kernels = k, .system = s, .parameters = calloc(1, s->parameters_size)};
  ck_assert_msg(!cas_config_parse(text, strlen(text), "test", &c, &err), "%s", err.text);
  ck_assert_msg(!cas_options_read(c, "system", s->options, also, b->parameters, &err), "%s",
                err.text);
  ck_assert_msg(!s->check || !s->check(c, b->parameters, &err), "%s", err.text);
  cas_config_free(c);
  for (const cas_algebra *const *a = k->algebras; *a; a++)
    if (strcmp((*a)->name, s->algebra) == 0)
      b->geometry.algebra = *a;
  ck_assert_ptr_nonnull(b->geometry.algebra);
  s->geometry(b->parameters, &b->geometry.n, &b->geometry.factors);
  b->geometry.components = b->geometry.factors * b->geometry.algebra->dimension(b->geometry.n);
  b->stepper = (cas_stepper){s, b->parameters, b->geometry, s->lanes, h, 1e-15, 100, compensated};
  size_t lanes = (size_t)s->lanes, state = lanes * (size_t)b->geometry.components;
  b->x = numbers(state);
  b->carry = numbers(state);
  b->dw = numbers(lanes * (size_t)s->noises(b->parameters));
  b->coef = numbers(lanes * (size_t)s->coefficients(b->parameters));
  b->work = numbers(65536);
  b->scratch = numbers(65536);
  b->stepper.geometry.scratch = b->scratch;
  b->tallies = numbers(4 * lanes);
  b->tally =
      (cas_tally){b->tallies, b->tallies + lanes, b->tallies + 2 * lanes, b->tallies + 3 * lanes};
  double *x0 = initial_state(s, b->parameters, b->geometry.components);
  for (int c0 = 0; c0 < b->geometry.components; c0++)
    for (int l = 0; l < s->lanes; l++)
      b->x[c0 * s->lanes + l] = x0[c0];
  free(x0);
}

static void bench_close(bench *b) {
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

static void bench_run(bench *b, cas_step_function *step, int steps) {
  int draws = b->system->noises(b->parameters) * b->system->lanes;
  double *u = numbers(2 * (size_t)draws), *z = u + draws;
  for (int n = 0; n < steps; n++) {
    cas_kernels_list(0)->threefry(7, 0, 0, n, draws, u);
    cas_kernels_list(0)->normals(draws, u, z);
    b->kernels->truncate(b->system->noises(b->parameters), b->system->lanes, z, 4,
                         sqrt(b->stepper.h), b->dw, b->tally.clipped);
    b->system->prepare(b->parameters, b->system->lanes, b->stepper.h, b->dw, b->coef);
    step(&b->stepper, b->x, b->stepper.compensated ? b->carry : NULL, b->coef, b->work, &b->tally);
  }
  free(u);
}

static double largest_difference(const bench *a, const bench *b) {
  double most = 0;
  for (int i = 0; i < a->geometry.components * a->system->lanes; i++) {
    double d = fabs(a->x[i] - b->x[i]);
    if (!(d <= most))
      most = d;
  }
  return most;
}

/* Every instruction set, fused or through the tables, gives the first one's path to rounding. */
START_TEST(steps_agree) {
  const cas_kernels *plain = cas_kernels_list(0);
  for (int i = 0; plain->systems[i]; i++)
    for (const cas_integrator *const *scheme = plain->integrators; *scheme; scheme++)
      for (int k = 0; cas_kernels_list(k); k++) {
        const cas_kernels *kernels = cas_kernels_list(k);
        const cas_system *s = kernels->systems[i];
        bench reference, b;
        bench_open(&reference, plain, plain->systems[i], 0x1p-6, false);
        bench_run(&reference, (*scheme)->step, 100);
        bench_open(&b, kernels, s, 0x1p-6, false);
        bench_run(&b, kernels->integrators[scheme - plain->integrators]->step, 100);
        double d = largest_difference(&reference, &b);
        ck_assert_msg(isfinite(d) && d < 1e-13, "%s, %s, %s: tables differ by %g", kernels->name,
                      s->name, (*scheme)->name, d);
        bench_close(&b);
        for (const cas_fused_step *f = s->fused; f && f->integrator; f++) {
          if (strcmp(f->integrator, (*scheme)->name) != 0)
            continue;
          bench_open(&b, kernels, s, 0x1p-6, false);
          bench_run(&b, f->step, 100);
          d = largest_difference(&reference, &b);
          ck_assert_msg(isfinite(d) && d < 1e-13, "%s, %s, %s: fused step differs by %g",
                        kernels->name, s->name, (*scheme)->name, d);
          bench_close(&b);
        }
        bench_close(&reference);
      }
}
END_TEST

/* Casimirs stay to rounding on every lane, whatever the noise. */
START_TEST(steps_keep_casimirs) {
  for (int k = 0; cas_kernels_list(k); k++)
    for (const cas_system *const *s = cas_kernels_list(k)->systems; *s; s++)
      for (const cas_integrator *const *scheme = cas_kernels_list(k)->integrators; *scheme;
           scheme++) {
        bench b;
        bench_open(&b, cas_kernels_list(k), *s, 0x1p-5, true);
        const cas_algebra *a = b.geometry.algebra;
        int n = a->casimirs(&b.geometry) * (*s)->lanes;
        double *before = numbers((size_t)n), *after = numbers((size_t)n);
        a->casimir(&b.geometry, (*s)->lanes, b.x, before);
        double largest = 0;
        for (int i = 0; i < n; i++)
          largest = fmax(largest, fabs(before[i]));
        bench_run(&b, (*scheme)->step, 1000);
        a->casimir(&b.geometry, (*s)->lanes, b.x, after);
        for (int i = 0; i < n; i++)
          ck_assert_msg(fabs(after[i] - before[i]) <= 1e-14 * largest,
                        "%s, %s: Casimir from %.17g to %.17g", cas_kernels_list(k)->name,
                        (*s)->name, before[i], after[i]);
        for (int l = 0; l < (*s)->lanes; l++)
          ck_assert(b.tally.not_converged[l] == 0 && b.tally.iterations[l] >= 1000);
        free(before);
        free(after);
        bench_close(&b);
      }
}
END_TEST

/* A NaN in one lane is seen as one, and disturbs no other lane. */
START_TEST(nan_stays_in_its_lane) {
  for (int k = 0; cas_kernels_list(k); k++)
    for (const cas_system *const *s = cas_kernels_list(k)->systems; *s; s++) {
      bench good, bad;
      cas_step_function *step =
          (*s)->fused ? (*s)->fused->step : cas_kernels_list(k)->integrators[0]->step;
      bench_open(&good, cas_kernels_list(k), *s, 0x1p-6, false);
      bench_open(&bad, cas_kernels_list(k), *s, 0x1p-6, false);
      bad.x[3] = NAN;
      bench_run(&good, step, 10);
      bench_run(&bad, step, 10);
      for (int i = 0; i < good.geometry.components * (*s)->lanes; i++)
        if (i % (*s)->lanes == 3)
          ck_assert(!isfinite(bad.x[i]));
        else
          ck_assert_msg(fabs(good.x[i] - bad.x[i]) < 1e-14, "lane %d was disturbed",
                        i % (*s)->lanes);
      ck_assert(bad.tally.iterations_max[0] < 100);
      bench_close(&good);
      bench_close(&bad);
    }
}
END_TEST

/* A lane that does not converge is counted, and it alone: the state 0 needs one iteration, the
 * others more. */
START_TEST(failure_to_converge_is_counted) {
  for (int k = 0; cas_kernels_list(k); k++)
    for (const cas_system *const *s = cas_kernels_list(k)->systems; *s; s++) {
      bench b;
      bench_open(&b, cas_kernels_list(k), *s, 0x1p-6, false);
      b.stepper.max_iterations = 2;
      for (int i = 0; i < b.geometry.components * (*s)->lanes; i++)
        if (i % (*s)->lanes != 5)
          b.x[i] = 0;
      bench_run(&b, (*s)->fused ? (*s)->fused->step : cas_kernels_list(k)->integrators[0]->step, 1);
      for (int l = 0; l < (*s)->lanes; l++)
        ck_assert(b.tally.not_converged[l] == (l == 5));
      bench_close(&b);
    }
}
END_TEST

int main(void) {
  Suite *s = suite_create("kernels");
  TCase *t = tcase_create("kernels");
  tcase_set_timeout(t, 0);
  tcase_add_test(t, normals_are_box_and_muller);
  tcase_add_test(t, uniforms_are_threefry);
  tcase_add_test(t, truncation_cuts_and_counts);
  tcase_add_test(t, steps_agree);
  tcase_add_test(t, steps_keep_casimirs);
  tcase_add_test(t, nan_stays_in_its_lane);
  tcase_add_test(t, failure_to_converge_is_counted);
  suite_add_tcase(s, t);
  SRunner *runner = srunner_create(s);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
