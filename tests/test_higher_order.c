/* Steps of weak order 2 and with Levy's areas: what makes their orders, exactly and for every
   registered system and scheme. tests/test_golden.c has paths of an independent implementation. */
/* ranks: 1 */
#include "pass_fixture.h"
#include "paths/increments.h"

#include <math.h>

/* A pass of one step for a system with these keys and noise by this scheme; NULL: refused. */
static one_pass *open_step(const cas_system *s, const char *keys, const char *noise,
                           const char *scheme, const char *more, double h, cas_error *err) {
  return find_pass(h, 1, err,
                   "{system: {name: %s, %s, %s%s}, integrator: {name: %s%s, truncation: 0}, "
                   "random: {generator: threefry}}",
                   s->name, keys, noise,
                   strstr(keys, "initial") ? "" : ", initial: {random: {seed: 5, norm: 1}}", scheme,
                   more);
}

static one_pass *open_example(const cas_system *s, const cas_integrator *i, const char *more,
                              cas_error *err) {
  return open_step(s, s->example.keys, s->example.noise, i->name, more, 1, err);
}

static void step(one_pass *o, double h, const double *rows, double *x) {
  step_block(o, h, rows, x);
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(o->pass.level[0].tally.not_converged[lane] == 0, "%s, %s",
                  o->problem.system->name, o->problem.scheme.integrator->name);
}

/* ---- symmetric schemes ---- */

/* A step and the one of -h and -dW end where they began. */
static void check_return(const cas_system *s, const cas_integrator *i) {
  if (is_cotangent(s))
    return;
  one_pass *o = open_example(s, i, "", NULL);
  double *x = initial_block(o), rows[64] = {0};
  ck_assert_int_le(o->problem.normals.noises, 64);
  for (int k = 0; k < o->problem.normals.noises; k++)
    rows[k] = 0.3 * cos(1.0 + k);
  step(o, 0x1p-4, rows, x);
  const double far = farthest(o, x, initial_block(o));
  for (int k = 0; k < o->problem.normals.noises; k++)
    rows[k] *= -1;
  step(o, -0x1p-4, rows, x);
  const double back = farthest(o, x, initial_block(o)) / far;
  ck_assert(far > 1e-4);
  ck_assert_msg(i->symmetric ? back < 1e-10 : back > 1e-8, "%s, %s: %g", s->name, i->name, back);
}

TEST(steps_of_symmetric_schemes_are_undone) { each_pair(false, check_return); }

static void check_symmetry(const cas_system *s, const cas_integrator *i) {
  cas_error err;
  const bool open = open_example(s, i, ", weak_order: 2", &err) != NULL;
  ck_assert_msg(open == i->symmetric && (open || strstr(err.text, "is not symmetric")),
                "%s, %s: %s", s->name, i->name, err.text);
  const one_pass *plain = open_example(s, i, ", weak_order: 1", &err); /* as without the key */
  ck_assert_msg(plain && plain->problem.scheme.options.weak_order == 0, "%s", err.text);
}

TEST(others_refuse_weak_order_2) { each_pair(false, check_symmetry); }

/* ---- increments ---- */

/* Increments of a coarse step from those of `parts` fine ones whose normals are all 0 but one,
   which is 1: one column of a linear map. */
static void column(const cas_problem *p, int parts, int of, double out[2]) {
  double *fine = doubles(cas_increments_size(p)), *coarse = doubles(cas_increments_size(p));
  const int size = p->normals.noises * p->W;
  for (int k = 0; k < parts; k++) {
    fine[0] = of == k;
    fine[size] = of == parts + k;
    cas_increments_add(p, k, parts, fine, coarse);
  }
  cas_increments_end(p, parts, coarse);
  out[0] = coarse[0];
  out[1] = coarse[size];
}

/* Normals of a coarse step of weak order 2 are a rotation of those of fine steps. */
TEST(normals_of_coarse_steps_are_independent) {
  const one_pass *o =
      open_example(cas_system_find("rigid_body"), cas_integrator_find("isospectral_midpoint"),
                   ", weak_order: 2", NULL);
  for (int parts = 1; parts <= 5; parts++) {
    double gram[3] = {0};
    for (int of = 0; of < 2 * parts; of++) {
      double v[2];
      column(&o->problem, parts, of, v);
      gram[0] += v[0] * v[0];
      gram[1] += v[0] * v[1];
      gram[2] += v[1] * v[1];
    }
    ck_assert_msg(fabs(gram[0] - parts) < 1e-14 && fabs(gram[1]) < 1e-14 &&
                      fabs(gram[2] - parts) < 1e-14 * parts,
                  "%d: %g %g %g", parts, gram[0], gram[1], gram[2]);
  }
}

/* Parts e_i, e_j, -e_i, -e_j of size `small` move a state by small^2 [V_i, V_j] and third order,
   and so does one step without increments whose area is theirs. Returns how far both end from each
   other, and *moved. */
static double commutator(one_pass *o, int i, int j, double small, double *moved) {
  const cas_problem *p = &o->problem;
  const int turn[4] = {i, j, i, j}, all = p->normals.noises + p->normals.areas;
  const size_t size = cas_increments_size(p);
  double *x = initial_block(o), *y = initial_block(o), *sum = doubles(size), *rows;
  for (int k = 0; k < 4; k++) {
    const double d = k < 2 ? small : -small;
    double *normals = doubles(size);
    rows = doubles((size_t)all);
    rows[turn[k]] = d;
    step(o, 0, rows, x);
    for (int lane = 0; lane < p->W; lane++)
      normals[turn[k] * p->W + lane] = d;
    p->system->noise.add_areas(p->parameters.all, p->W, sum, normals,
                               sum + p->normals.noises * p->W);
    for (int n = 0; n < p->normals.noises * p->W; n++)
      sum[n] += normals[n];
  }
  rows = doubles((size_t)all);
  for (int k = p->normals.noises; k < all; k++)
    rows[k] = sum[k * p->W];
  step(o, 0, rows, y);
  *moved = farthest(o, y, initial_block(o));
  return farthest(o, x, y);
}

static void areas_are_of_commutators(one_pass *o) {
  const double small = 1e-3;
  const cas_problem *p = &o->problem;
  double most = 0;
  for (int i = 0; i < p->normals.noises && i < 8; i++)
    for (int j = i + 1; j < p->normals.noises && j < 8; j++) {
      double moved, apart = commutator(o, i, j, small, &moved);
      ck_assert_msg(apart < 0.02 * moved + 30 * small * small * small * p->initial.magnitude,
                    "%s, %s: %d %d: %g %g", p->system->name, p->scheme.integrator->name, i, j,
                    apart, moved);
      most = fmax(most, moved / (small * small));
    }
  ck_assert_msg(most > 1e-3, "%s: %g", p->system->name, most);
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

static int with_areas;

static void check_areas(const cas_system *s, const cas_integrator *i) {
  for (int n = -1; s->noise.take_areas && n < BESIDES; n++) {
    const char *keys, *noise;
    cas_error err;
    if (!noise_of(s, n, &keys, &noise))
      continue;
    one_pass *o = open_step(s, keys, noise, i->name, ", areas: 4", 1, &err);
    if (o && o->problem.normals.areas)
      areas_are_of_commutators(o);
    ck_assert_msg(o || strstr(err.text, "areas") || strstr(err.text, "attitude"), "%s", err.text);
    with_areas += o != NULL;
  }
}

/* what add_areas sums and what psi makes of it, with every scheme that can */
TEST(areas_replace_the_parts_of_a_step) {
  each_pair(false, check_areas);
  ck_assert_int_gt(with_areas, 30);
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
  const cas_integrator *const *schemes = cas_kernels_get()->integrators;
  const bool few = repetitions(100) < 100;
  int tested = 0;
  for (int n = -1; n < BESIDES; n++)
    for (int i = 0; schemes[i]; i++) {
      const char *keys, *noise;
      if (few && (i + n + _i) % 3 != 0) /* each noise with a third of the schemes */
        continue;
      if (s->noise.take_areas && fits(s, schemes[i]) && schemes[i]->antithetic &&
          noise_of(s, n, &keys, &noise) && (n < 0 || besides[n].has_orders))
        tested += has_order_one(s, keys, noise, schemes[i], n < 0 ? 0.2 : 0.1);
    }
  ck_assert_msg(!s->noise.take_areas || tested > !few, "%s has areas, but no noise here has",
                s->name);
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
  cas_error err;
  one_pass *o = open_step(s, keys, noise, scheme, "", h / parts, &err);
  ck_assert_msg(o || strstr(err.text, "attitude"), "%s", err.text);
  if (!o)
    return (states){0};
  const int m = o->problem.normals.noises, n = o->problem.components, W = o->problem.W;
  double *rows = doubles((size_t)m);
  states out = {2 * m, n, doubles((size_t)(2 * m * n))};
  for (int at = 0; at < out.points; at++) {
    double *x = initial_block(o);
    for (int k = 0; k < m; k++)
      rows[k] = increment(m, at, k, h) / parts;
    for (int i = 0; i < parts; i++)
      step(o, h / parts, rows, x);
    for (int i = 0; i < n; i++)
      out.x[at * n + i] = x[i * W];
  }
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
TEST_OVER(steps_are_near_the_flow_of_their_increments, count_systems()) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  for (int n = -1; n < BESIDES; n++) {
    const char *keys, *noise;
    states flow[REFINED];
    for (int i = 0; i < REFINED && noise_of(s, n, &keys, &noise); i++)
      flow[i] = states_at_points(s, keys, noise, reference_of(s), refined[i], 32);
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
      if (noise_of(s, n, &keys, &noise) && fits(s, *i))
        has_local_errors(s, keys, noise, *i, flow);
    suite_forget();
  }
}

RUN_TESTS_WITH_MPI
