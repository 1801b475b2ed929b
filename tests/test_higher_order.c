/* Steps of weak order 2 and with Levy's areas: what makes their orders, exactly and for every
   registered system and scheme. tests/test_golden.c has paths of an independent implementation. */
/* ranks: 1 */
#include "pass_fixture.h"
#include "paths/increments.h"

#include <math.h>

typedef one_pass bench;

static cas_status open_bench_of(bench *b, const cas_system *s, const char *keys, const char *noise,
                                const char *more, double h, cas_error *err) {
  return open_pass(
      b, h, 1, err,
      "{system: {name: %s, %s, %s%s}, integrator: {%s, truncation: 0}, random: {generator: "
      "threefry}}",
      s->name, keys, noise,
      strstr(keys, "initial") ? "" : ", initial: {random: {seed: 5, norm: 1}}", more);
}

static cas_status open_bench(bench *b, const cas_system *s, const char *noise, const char *more,
                             cas_error *err) {
  return open_bench_of(b, s, s->example.keys, noise, more, 1, err);
}

/* One step of h H0 + sum_k rows_k H_k, with rows of areas behind, of all lanes of x. */
static void step(bench *b, double h, const double *rows, double *x) {
  const cas_problem *p = &b->problem;
  const cas_level *l = &b->pass.level[0];
  const int n = (p->normals.noises + p->normals.areas) * p->W;
  const size_t row = (size_t)(p->W + 7) / 8 * 8;
  double *dw = numbers((size_t)n + 16), *tally = numbers(5 * row);
  cas_tally t = {tally, tally + row, tally + 2 * row, tally + 3 * row, tally + 4 * row};
  for (int i = 0; i < n; i++)
    dw[i] = l->scheme_scale * rows[i / p->W];
  p->system->prepare(p->parameters.all, p->W, l->scheme_scale * h, dw, b->pass.level[0].coef);
  p->scheme.step(&l->stepper, x, NULL, b->pass.level[0].coef, b->pass.level[0].work, &t);
  for (int lane = 0; lane < p->W; lane++)
    ck_assert_msg(t.not_converged[lane] == 0, "%s, %s", p->system->name,
                  p->scheme.integrator->name);
  free(dw);
  free(tally);
}

static double farthest(const cas_problem *p, const double *x, const double *y) {
  double most = 0;
  for (int i = 0; i < p->components * p->W; i++)
    most = isfinite(x[i]) ? fmax(most, fabs(x[i] - y[i])) : INFINITY;
  return most;
}

/* ---- symmetric schemes ---- */

static const cas_integrator *const *schemes(void) { return cas_kernels_get()->integrators; }

/* How far from its beginning a step and the one of -h and -dW end, relative to how far the first
   went. */
static double return_of(const cas_system *s, const cas_integrator *i) {
  char text[200];
  bench b;
  snprintf(text, sizeof text, "name: %s", i->name);
  MUST(open_bench(&b, s, s->example.noise, text, &err));
  const cas_problem *p = &b.problem;
  double *x = numbers((size_t)(p->components * p->W)), *y = numbers((size_t)(p->components * p->W)),
         rows[64] = {0};
  ck_assert_int_le(p->normals.noises, 64);
  initial_block(p, x);
  initial_block(p, y);
  for (int k = 0; k < p->normals.noises; k++)
    rows[k] = 0.3 * cos(1.0 + k);
  step(&b, 0x1p-4, rows, x);
  const double far = farthest(p, x, y);
  for (int k = 0; k < p->normals.noises; k++)
    rows[k] *= -1;
  step(&b, -0x1p-4, rows, x);
  const double back = farthest(p, x, y) / far;
  ck_assert(far > 1e-4);
  free(x);
  free(y);
  close_pass(&b);
  return back;
}

TEST(steps_of_symmetric_schemes_are_undone) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int i = 0; schemes()[i]; i++)
      if (fits(*s, schemes()[i]) && !is_cotangent(*s)) {
        double back = return_of(*s, schemes()[i]);
        ck_assert_msg(schemes()[i]->symmetric ? back < 1e-10 : back > 1e-8, "%s, %s: %g",
                      (*s)->name, schemes()[i]->name, back);
      }
}

TEST(others_refuse_weak_order_2) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int i = 0; schemes()[i]; i++) {
      char text[200];
      bench b;
      cas_error err;
      if (!fits(*s, schemes()[i]))
        continue;
      snprintf(text, sizeof text, "name: %s, weak_order: 2", schemes()[i]->name);
      cas_status st = open_bench(&b, *s, (*s)->example.noise, text, &err);
      ck_assert_msg(!st == schemes()[i]->symmetric, "%s, %s: %s", (*s)->name, schemes()[i]->name,
                    err.text);
      if (!st)
        close_pass(&b);
      else
        ck_assert_msg(strstr(err.text, "is not symmetric"), "%s", err.text);
    }
}

/* ---- increments ---- */

/* Increments of a coarse step from those of `parts` fine ones whose normals are all 0 but one,
   which is 1: one column of a linear map. */
static void column(const cas_problem *p, int parts, int of, double out[2]) {
  double *fine = numbers(cas_increments_size(p)), *coarse = numbers(cas_increments_size(p));
  const int size = p->normals.noises * p->W;
  for (int k = 0; k < parts; k++) {
    fine[0] = of == k;
    fine[size] = of == parts + k;
    cas_increments_add(p, k, parts, fine, coarse);
  }
  cas_increments_end(p, parts, coarse);
  out[0] = coarse[0];
  out[1] = coarse[size];
  free(fine);
  free(coarse);
}

/* Normals of a coarse step of weak order 2 are a rotation of those of fine steps. */
TEST(normals_of_coarse_steps_are_independent) {
  const cas_system *s = cas_system_find("rigid_body");
  bench b;
  MUST(open_bench(&b, s, s->example.noise, "name: isospectral_midpoint, weak_order: 2", &err));
  for (int parts = 1; parts <= 5; parts++) {
    double gram[3] = {0};
    for (int of = 0; of < 2 * parts; of++) {
      double v[2];
      column(&b.problem, parts, of, v);
      gram[0] += v[0] * v[0];
      gram[1] += v[0] * v[1];
      gram[2] += v[1] * v[1];
    }
    ck_assert_msg(fabs(gram[0] - parts) < 1e-14 && fabs(gram[1]) < 1e-14 &&
                      fabs(gram[2] - parts) < 1e-14 * parts,
                  "%d: %g %g %g", parts, gram[0], gram[1], gram[2]);
  }
  close_pass(&b);
}

static void fill(double *a, size_t n, int first) {
  for (size_t i = 0; i < n; i++)
    a[i] = sin(1.7 * (double)(i + 1) + first);
}

/* Chen's relation: a step joined from two has the areas of the parts of both, one after another,
   and a sum of all normals in opposite order and sign has the opposite areas. */
static void areas_add_up(const cas_problem *p) {
  enum { PARTS = 6 };
  const size_t size = cas_increments_size(p), n = (size_t)(p->normals.noises * p->W),
               a = (size_t)(p->normals.areas * p->W);
  double *normals = numbers(n + 16), *whole = numbers(size), *half = numbers(size),
         *joined = numbers(size), *back = numbers(size);
  for (int k = 0; k < PARTS; k++) {
    fill(normals, n, k);
    p->system->add_areas(p->parameters.all, p->W, whole, normals, whole + n);
    p->system->add_areas(p->parameters.all, p->W, half, normals, half + n);
    for (size_t i = 0; i < n; i++) {
      whole[i] += normals[i];
      half[i] += normals[i];
    }
    if (k == 1 || k == PARTS - 1) {
      cas_increments_add(p, k > 1, 2, half, joined);
      memset(half, 0, size * sizeof *half);
    }
  }
  for (int k = PARTS - 1; k >= 0; k--) {
    fill(normals, n, k);
    p->system->add_areas(p->parameters.all, p->W, back, normals, back + n);
    for (size_t i = 0; i < n; i++)
      back[i] += normals[i];
  }
  double most = 0;
  for (size_t i = n; i < n + a; i++) {
    most = fmax(most, fabs(whole[i]));
    ck_assert(fabs(whole[i] - joined[i]) < 1e-12 && fabs(whole[i] + back[i]) < 1e-12);
  }
  ck_assert(most > 1e-3);
  free(normals);
  free(whole);
  free(half);
  free(joined);
  free(back);
}

/* Parts e_i, e_j, -e_i, -e_j of size `small` move a state by small^2 [V_i, V_j] and third order,
   and so does one step without increments whose area is theirs. Returns how far both end from each
   other, and *moved. */
static double commutator(bench *b, int i, int j, double small, double *moved) {
  const cas_problem *p = &b->problem;
  const int turn[4] = {i, j, i, j};
  const size_t size = cas_increments_size(p);
  double *x = numbers((size_t)(p->components * p->W)), *y = numbers((size_t)(p->components * p->W)),
         *start = numbers((size_t)(p->components * p->W)), *sum = numbers(size),
         *normals = numbers(size), *rows = numbers((size_t)(p->normals.noises + p->normals.areas));
  initial_block(p, x);
  initial_block(p, y);
  initial_block(p, start);
  for (int k = 0; k < 4; k++) {
    const double d = k < 2 ? small : -small;
    memset(rows, 0, (size_t)(p->normals.noises + p->normals.areas) * sizeof *rows);
    rows[turn[k]] = d;
    step(b, 0, rows, x);
    memset(normals, 0, size * sizeof *normals);
    for (int lane = 0; lane < p->W; lane++)
      normals[turn[k] * p->W + lane] = d;
    p->system->add_areas(p->parameters.all, p->W, sum, normals, sum + p->normals.noises * p->W);
    for (int n = 0; n < p->normals.noises * p->W; n++)
      sum[n] += normals[n];
  }
  memset(rows, 0, (size_t)(p->normals.noises + p->normals.areas) * sizeof *rows);
  for (int k = 0; k < p->normals.areas; k++)
    rows[p->normals.noises + k] = sum[(p->normals.noises + k) * p->W];
  step(b, 0, rows, y);
  const double apart = farthest(p, x, y);
  *moved = farthest(p, y, start);
  free(x);
  free(y);
  free(start);
  free(sum);
  free(normals);
  free(rows);
  return apart;
}

static void areas_are_of_commutators(bench *b, double *most) {
  const double small = 1e-3;
  for (int i = 0; i < b->problem.normals.noises && i < 8; i++)
    for (int j = i + 1; j < b->problem.normals.noises && j < 8; j++) {
      double moved, scale = b->problem.magnitude, apart = commutator(b, i, j, small, &moved);
      ck_assert_msg(apart < 0.02 * moved + 30 * small * small * small * scale,
                    "%s, %s: %d %d: %g %g", b->problem.system->name,
                    b->problem.scheme.integrator->name, i, j, apart, moved);
      *most = fmax(*most, moved / (small * small));
    }
}

/* Noises of systems besides those of their examples: strong ones, linear ones, with an attitude, of
   other brackets and in blocks of one path, of which orders take too long. */
static const struct {
  const char *system, *keys, *noise;
  bool has_orders;
} besides[] = {
    {"rigid_body", NULL, "noise: {kind: quadratic, sigma: 0.5}", true},
    {"rigid_body", NULL, "noise: {kind: linear, chi: [[0.3, 0.1, 0], [0, -0.2, 0.4]]}", true},
    {"rigid_body", NULL, "noise: {kind: quadratic, sigma: 0.3}, attitude: true", false},
    {"rigid_body", NULL, "noise: {kind: linear, sigma: 0.3}, attitude: true", false},
    {"heavy_top", "inertia: [4, 2, 1], mga: [0.3, -0.4, 1]",
     "noise: {pi: [[0.3, 0, 0.2], [0, 0.4, 0]], gamma: [[0, 0, 0.2], [0.3, 0, 0]]}", true},
    {"manakov", "n: 4, initial: {random: {seed: 1, norm: 1}}", "noise: {sigma: 0.5}", true},
    {"point_vortices", NULL, "noise: {sigma: 0.5}", true},
    {"lie_poisson", NULL, "noise: [0.5*x1*x2, 0.4*x3 + 0.2*x1^2]", true},
    {"euler_zeitlin",
     "N: 4, time_unit: physical, rotation: 0.5, initial: {random: {seed: 1, norm: 1}}",
     "noise: {kind: transport, amplitude: 0.5, fields: [[1, 1, 0, 0.6], [1, 2, 1, 0.5], [2, 1, -1, "
     "1], [3, 3, 2, 0.4], [3, 2, -2, 0.3]]}",
     true},
    {"euler_zeitlin", "N: 26, initial: {random: {seed: 1, norm: 3, lmax: 3}}",
     "noise: {kind: transport, fields: [[1, 1, 0, 0.6], [1, 2, 1, 0.5], [2, 3, -1, 1]]}", false},
    {"sine_euler", "N: 5, initial: {random: {seed: 7, norm: 1}}",
     "noise: {amplitude: 0.3, modes: [[1, -1], [-1, 0], [2, 2], [-2, 1], [0, -1], [0, 2]]}", true},
    {"sine_euler", "N: 5, initial: {random: {seed: 7, norm: 1}}",
     "noise: {fields: [[2, 1, 1, 0.2], [1, 1, -1, 0.3], [1, 0, 2, 0.2], [3, -1, 0, 0.2]]}", true},
    {"sine_euler", "N: 25, initial: {random: {seed: 5, norm: 1, lmax: 3}}",
     "noise: {amplitude: 0.3, modes: [[1, -1], [-1, 0], [12, 12]]}", false},
};
enum { BESIDES = sizeof besides / sizeof *besides };

/* Whether noise n is one of this system, n = -1 that of its example. */
static bool noise_of(const cas_system *s, int n, const char **keys, const char **noise) {
  const bool own = n < 0 || strcmp(besides[n].system, s->name) == 0;
  *keys = own && n >= 0 && besides[n].keys ? besides[n].keys : s->example.keys;
  *noise = n < 0 ? s->example.noise : besides[n].noise;
  return own;
}

/* what add_areas sums and what psi makes of it, with every scheme that can */
TEST(areas_replace_the_parts_of_a_step) {
  int tested = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int n = -1; n < BESIDES; n++)
      for (int i = 0; schemes()[i]; i++) {
        char text[200];
        const char *keys, *noise;
        bench b;
        cas_error err;
        double most = 0;
        if (!fits(*s, schemes()[i]) || !(*s)->take_areas || !noise_of(*s, n, &keys, &noise))
          continue;
        snprintf(text, sizeof text, "name: %s, areas: 4", schemes()[i]->name);
        if (open_bench_of(&b, *s, keys, noise, text, 1, &err)) {
          ck_assert_msg(strstr(err.text, "areas") || strstr(err.text, "attitude"), "%s", err.text);
          continue;
        }
        if (b.problem.normals.areas) {
          areas_add_up(&b.problem);
          areas_are_of_commutators(&b, &most);
          ck_assert_msg(most > 1e-3, "%s: %g", (*s)->name, most);
        }
        tested++;
        close_pass(&b);
      }
  ck_assert_int_gt(tested, 30);
}

/* Strong order 1 for noises that do not commute, by every scheme that takes areas: what is off in a
   bracket leaves errors of order 1/2. Whether this noise has brackets. */
static bool has_order_one(const cas_system *s, const char *keys, const char *noise,
                          const cas_integrator *scheme, double width) {
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                           "system: {name: %s, %s, %s%s}\n"
                           "integrator: {name: %s, areas: 1, truncation: 4}\n"
                           "random: {generator: threefry, seed: 5}\n"
                           "study: {kind: strong, coarsest_step: 2^-6, coarsest_steps: 8, levels: "
                           "5, reference: 6, paths: 384}\n",
                           s->name, keys, noise,
                           strstr(keys, "initial") ? "" : ", initial: {random: {seed: 5, norm: 1}}",
                           scheme->name);
  if (st == CAS_BAD_INPUT) {
    ck_assert_msg(strstr(err.text, "areas"), "%s", err.text);
    return false;
  }
  ck_assert_msg(!st, "%s", err.text);
  const cas_curve *c = cas_results_find(&r, "strong/error_increments");
  const cas_law law = cas_laws_headline(&c->laws);
  ck_assert(c->expected_order == 1);
  ck_assert_msg(law.low < 1.03 && law.high > 0.97 && fabs(law.order - 1) < width, "%s, %s, %s: %s",
                s->name, noise, scheme->name, findings_text(c->findings));
  return true;
}

TEST_OF_MANY_PATHS_OVER(areas_give_strong_order_one, count_systems()) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  const bool few = repetitions(100) < 100;
  int tested = 0;
  for (int n = -1; n < BESIDES; n++)
    for (int i = 0; schemes()[i]; i++) {
      const char *keys, *noise;
      if (few && (i + n + _i) % 3 != 0) /* each noise with a third of the schemes */
        continue;
      if (s->take_areas && fits(s, schemes()[i]) && schemes()[i]->antithetic &&
          noise_of(s, n, &keys, &noise) && (n < 0 || besides[n].has_orders))
        tested += has_order_one(s, keys, noise, schemes()[i], n < 0 ? 0.2 : 0.1);
    }
  ck_assert_msg(!s->take_areas || tested > !few, "%s has areas, but no noise here has", s->name);
}

/* ---- local errors ---- */

/* Points of equal weights with the moments of increments of variance h up to the third: columns of
   a reflection, forth and back, so that all noises move at each. Increment k of point `at` of
   2 m. */
static double increment(int m, int at, int k, double h) {
  const int d = at / 2;
  double square = 0;
  for (int i = 0; i < m; i++)
    square += (1 + 0.3 * i) * (1 + 0.3 * i);
  const double entry = (d == k) - 2 * (1 + 0.3 * d) * (1 + 0.3 * k) / square;
  return (at % 2 ? -1 : 1) * sqrt(m * h) * entry;
}

typedef struct {
  int points, components;
  double *x; /* [points][components] */
} states;

/* States after h, in `parts` equal steps of equal increments: many of them are the flow of h H0 +
   sum_k W_k H_k, one is a step of the scheme. Without x where the scheme does not carry an
   attitude. */
static states states_at_points(const cas_system *s, const char *keys, const char *noise,
                               const char *scheme, double h, int parts) {
  char text[200];
  bench b;
  cas_error err;
  snprintf(text, sizeof text, "name: %s", scheme);
  if (open_bench_of(&b, s, keys, noise, text, h / parts, &err)) {
    ck_assert_msg(strstr(err.text, "attitude"), "%s", err.text);
    return (states){0};
  }
  const cas_problem *p = &b.problem;
  const int m = p->normals.noises, n = p->components;
  double *x = numbers((size_t)(n * p->W)), *rows = numbers((size_t)m);
  states out = {2 * m, n, numbers((size_t)(2 * m * n))};
  for (int at = 0; at < out.points; at++) {
    for (int k = 0; k < m; k++)
      rows[k] = increment(m, at, k, h) / parts;
    initial_block(p, x);
    for (int i = 0; i < parts; i++)
      step(&b, h / parts, rows, x);
    for (int i = 0; i < n; i++)
      out.x[at * n + i] = x[i * p->W];
  }
  free(x);
  free(rows);
  close_pass(&b);
  return out;
}

/* How far a step of the scheme ends from the flow: the root of the mean square over the points, and
   the length of the mean. */
static void find_departures(const states *one, const states *flow, double *square, double *mean) {
  *square = *mean = 0;
  for (int i = 0; i < one->components; i++) {
    double sum = 0;
    for (int at = 0; at < one->points; at++) {
      const double d = one->x[at * one->components + i] - flow->x[at * one->components + i];
      *square += d * d / one->points;
      sum += d / one->points;
    }
    *mean += sum * sum;
  }
  *square = sqrt(*square);
  *mean = sqrt(*mean);
}

enum { REFINED = 2 };
static const double refined[REFINED] = {0x1p-10, 0x1p-12};

static void has_local_errors(const cas_system *s, const char *keys, const char *noise,
                             const cas_integrator *scheme, const states flow[REFINED]) {
  double square[REFINED], mean[REFINED], size = 0;
  for (int i = 0; i < REFINED; i++) {
    states one = states_at_points(s, keys, noise, scheme->name, refined[i], 1);
    if (!one.x)
      return;
    find_departures(&one, &flow[i], &square[i], &mean[i]);
    for (int k = 0; k < one.components; k++)
      size = fmax(size, fabs(one.x[k]));
    free(one.x);
  }
  const double rounding = 1e-13 * size, fall = pow(4, scheme->strong_order_commuting + 0.5);
  ck_assert_msg(0.8 * fall * square[1] < square[0] + rounding, "%s, %s, %s: %g, then %g", s->name,
                noise, scheme->name, square[0], square[1]);
  ck_assert_msg(10 * mean[1] < mean[0] + rounding, "%s, %s, %s: means %g, then %g", s->name, noise,
                scheme->name, mean[0], mean[1]);
}

/* Local errors of which theory makes strong and weak orders: a step and the flow of its increments,
   which has these orders, are h^(p + 1/2) apart, p the order for noises that commute, and their
   means h^2, 8 (4 for p = 1/2) and 16 times as far at four times h (Milstein and Tretyakov,
   Stochastic Numerics for Mathematical Physics, theorem 1.1.1). A term that is off by 1e-3 of
   itself shows; tests/test_laws.c measures orders of paths. */
TEST(steps_are_near_the_flow_of_their_increments) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int n = -1; n < BESIDES; n++) {
      const char *keys, *noise;
      if (!noise_of(*s, n, &keys, &noise))
        continue;
      const char *reference = reference_of(*s);
      states flow[REFINED];
      for (int i = 0; i < REFINED; i++)
        flow[i] = states_at_points(*s, keys, noise, reference, refined[i], 32);
      for (int i = 0; schemes()[i]; i++)
        if (fits(*s, schemes()[i]))
          has_local_errors(*s, keys, noise, schemes()[i], flow);
      for (int i = 0; i < REFINED; i++)
        free(flow[i].x);
    }
}

RUN_TESTS_WITH_MPI
