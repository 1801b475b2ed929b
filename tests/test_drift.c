/* Casimirs over many steps: for every registered system their drift is rounding whatever the unit
   of the state, and a walk whose sign averages, not a sum of what the fixed point leaves. */
/* ranks: 1 */
#include "pass_fixture.h"
#include "repetitions.h"

#include <float.h>
#include <math.h>

static one_pass *open_run(const char *system, const char *integrator, double h, int steps) {
  return pass_of(h, steps, "{system: %s, integrator: {%s}, random: {generator: threefry}}", system,
                 integrator);
}

static void run(one_pass *o, int block) {
  MUST(cas_pass_run(&o->pass, block, NULL, NULL, &err));
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(o->pass.level[0].tally.not_converged[lane] == 0, "%s, %s: not converged",
                  o->problem.kernels->name, o->problem.system->name);
}

/* ---- scales ---- */

enum { SCALED_STEPS = 300 };

/* States of the norm `scale` with inertia or time in proportion, so that Psi is what it is for 1:
   <number power> is the number times this power of the scale. */
static const struct {
  double h, power; /* the step is h times this power of the scale */
  const char *text;
} scaled[] = {
    {0x1p-5, 0,
     "rigid_body, inertia: [<2 1>, <1 1>, <0.6666666666666666 1>], noise: {kind: quadratic, sigma: "
     "<0.5 -1>}, initial: [<0.8 1>, 0, <0.6 1>]"},
    {0x1p-5, 0,
     "manakov, n: 5, inertia: [<1 1>, <2 1>, <3 1>, <4 1>, <5 1>, <6 1>, <7 1>, <8 1>, <9 1>, <10 "
     "1>], noise: {sigma: <0.5 -1>}, initial: {random: {seed: 1, norm: <1 1>}}"},
    {0x1p-5, -1,
     "euler_zeitlin, N: 6, noise: {amplitude: <2 -0.5>}, initial: {random: {seed: 7, norm: <1 "
     "1>}}"},
    {0x1p-5, 0,
     "heavy_top, inertia: [<6 1>, <3 1>, <2 1>], mga: [0.3, -0.2, 0.5], noise: {pi: [[0.2, 0, 0], "
     "[0, 0.3, 0]], gamma: [[0, 0, 0.2], [0, 0, 0]], square: [0, <0.03 -1>]}, initial: [<1.2 1>, "
     "0, <2.4 1>, 0, <0.6 1>, <0.8 1>]"},
    {0x1p-5, -1,
     "sine_euler, N: 5, noise: {amplitude: <0.1 0.5>, modes: [[1, 2], [-1, 1]]}, initial: {random: "
     "{seed: 7, norm: <1 1>}}"},
    {0x1p-6, 0,
     "lie_poisson, algebra: so3, parameters: {s: <1 1>}, hamiltonian: (x1^2/2 + x2^2 + "
     "1.5*x3^2)/(2*s), noise: [0.25/s*x1^2, 0.25/s*x2^2, 0.25/s*x3^2], initial: [<0.8 1>, 0, <0.6 "
     "1>]"}};
enum { SCALED = sizeof scaled / sizeof *scaled };

static void scaled_drift(int row, double scale, const char *compensated) {
  char text[1000] = "";
  double departure[64], number, power;
  for (const char *c = scaled[row].text; *c;) {
    int length = 1;
    if (sscanf(c, "<%lf %lf>%n", &number, &power, &length) == 2)
      cas_append(text, sizeof text, "%.17g", number * pow(scale, power));
    else
      cas_append(text, sizeof text, "%c", *c);
    c += length;
  }
  one_pass *o = open_run(formatted("{name: %s}", text),
                         formatted("compensated: %s, truncation: 0", compensated),
                         scaled[row].h * pow(scale, scaled[row].power), SCALED_STEPS);
  run(o, 0);
  ck_assert_int_le(o->problem.W, 64);
  cas_pass_departure(&o->pass, 0, departure);
  for (int lane = 0; lane < o->problem.W; lane++)
    ck_assert_msg(departure[lane] <= DBL_EPSILON * sqrt(SCALED_STEPS),
                  "%s, %s, a state of %g, compensated %s: Casimirs drift by %g", scaled[row].text,
                  o->problem.kernels->name, scale, compensated, departure[lane]);
}

TEST_OVER(small_and_large_states_are_solved, 3) {
  static const double scales[] = {1e-6, 1e-3, 1, 1e3};
  const cas_kernels *k = cas_kernels_list(_i);
  use_kernels(k);
  for (int row = 0; k && row < SCALED; row++)
    for (size_t j = 0; j < sizeof scales / sizeof *scales; j++) {
      scaled_drift(row, scales[j], "false");
      scaled_drift(row, scales[j], "true");
    }
}

/* Momenta whose components change places keep their norm, but not the momentum in space. */
TEST(momenta_in_space_depart) {
  double departure[64];
  one_pass *o =
      open_run("{name: rigid_body, attitude: true, inertia: [2, 1, 0.5], initial: [0.8, 0, 0.6]}",
               "name: isospectral_midpoint", 0x1p-10, 1);
  run(o, 0);
  const int W = o->problem.W;
  double *x = o->pass.level[0].x;
  for (int lane = 0; lane < W; lane++) {
    const double first = x[lane];
    x[lane] = x[2 * W + lane];
    x[2 * W + lane] = first;
  }
  cas_pass_departure(&o->pass, 0, departure);
  for (int lane = 0; lane < W; lane++)
    ck_assert_msg(departure[lane] > 0.1 && departure[lane] < 0.3, "%g", departure[lane]);
}

/* It stays, although no change is smaller than its tolerance of 0. */
TEST(a_state_of_zeros_is_solved) {
  static const char *const systems[] = {
      "{name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 1}, initial: [0, 0, "
      "0]}",
      "{name: manakov, n: 3, noise: {sigma: 1}, initial: [0, 0, 0]}"};
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
    one_pass *o = open_run(systems[i], "", 0x1p-5, 100);
    run(o, 0);
    for (int k = 0; k < 3 * o->problem.W; k++)
      ck_assert(o->pass.level[0].x[k] == 0);
    ck_assert(o->pass.level[0].tally.iterations_max[0] < 10);
  }
}

/* ---- the law of growth ---- */

/* Where the update takes the bracket of the last iteration, the mean drift of these is 5 to 26
   standard errors from 0, and with compensated addition up to 50. */
typedef struct {
  const char *text;
  double h;
  int steps, blocks;
} workload;

static const workload workloads[] = {
    {"{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: "
     "0.1}}",
     0x1p-6, 20000, 4},
    {"{name: heavy_top, inertia: [2, 1, 0.6666666666666666], mga: [0.2, 0.1, 0.5], noise: {pi: "
     "[[0.1, 0, 0], [0, 0.1, 0]]}, initial: [0.4, 0, 0.3, 0, 0.6, 0.8]}",
     0x1p-6, 5000, 8},
    {"{name: lie_poisson, algebra: so3, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: "
     "[0.1*x1*x2, 0.1*x3], initial: [0.36, 0.48, 0.8]}",
     0x1p-6, 5000, 4},
    {"{name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}", 0x1p-5,
     5000, 16},
    {"{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}", 0x1p-5,
     5000, 12},
    {"{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, "
     "norm: 1}}}",
     0x1p-8, 10000, 8},
    {"{name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 3}}}",
     0x1p-3, 2000, 16},
    {"{name: euler_zeitlin, N: 26, noise: {amplitude: 20}, initial: {random: {seed: 7, norm: 12}}}",
     0x1p-5, 500, 12},
    {"{name: sine_euler, N: 3, noise: {amplitude: 0.2, modes: [[1, -1], [1, 1]]}, initial: "
     "{random: {seed: 1, norm: 2}}}",
     0x1p-6, 5000, 12},
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

/* |X|^2 in the algebra's norm, a Casimir of all of them but se(3), of which it is |Gamma|^2, with
   more digits than the state has; compensation included */
static long double square(const one_pass *r, const double *x, const double *carry, int stride) {
  const cas_geometry *g = &r->problem.geometry;
  bool is_su_n = strncmp(g->algebra->name, "su_n", 4) == 0;
  long double sum = 0;
  for (int k = strcmp(g->algebra->name, "se3") == 0 ? 3 : 0; k < g->components; k++) {
    long double a = (long double)x[k * stride] - (carry ? carry[k * stride] : 0);
    sum += (is_su_n && k >= g->n ? 2 : 1) * a * a;
  }
  return sum;
}

/* mean, its standard error and the root mean square of the relative drift at the end */
static void drift(const workload *w, const char *integrator, int steps, double *mean, double *error,
                  double *rms) {
  double sum = 0, squares = 0;
  one_pass *o = open_run(w->text, integrator, w->h, steps);
  const cas_level *l = &o->pass.level[0];
  int W = o->problem.W, blocks = all_or(w->blocks, 2), n = W * blocks;
  long double before = square(o, o->problem.initial.x0, NULL, 1);
  for (int block = 0; block < blocks; block++) {
    run(o, block);
    for (int lane = 0; lane < W; lane++) {
      const double *carry = l->carry ? l->carry + lane : NULL;
      double d = (double)(square(o, l->x + lane, carry, W) / before - 1);
      sum += d;
      squares += d * d;
    }
  }
  *mean = sum / n;
  *rms = sqrt(squares / n);
  *error = sqrt((squares / n - *mean * *mean) / (n - 1));
}

static void drift_walks(const workload *w, const char *integrator) {
  double mean, error, rms;
  int steps = repetitions(w->steps);
  drift(w, integrator, steps, &mean, &error, &rms);
  ck_assert_msg(fabs(mean) <= 4.5 * error,
                "%s, {%s}: the drift of %d steps is %g +- %g, %.1f standard errors from 0", w->text,
                integrator, steps, mean, error, mean / error);
  ck_assert_msg(rms > 0 && rms <= DBL_EPSILON * sqrt(steps),
                "%s, {%s}: the drift of %d steps is %g", w->text, integrator, steps, rms);
}

/* with the kernels of a run alone: all are made of the same source */
TEST_OVER(drift_is_a_walk, WORKLOADS) {
  drift_walks(&workloads[_i], "");
  drift_walks(&workloads[_i], "compensated: true");
}

static bool is_of(const cas_system *s, const char *text) {
  return strncmp(text, s->name, strlen(s->name)) == 0;
}

/* Vortices lie on the unit sphere, so that they have no other scale. */
TEST(every_system_has_a_workload) {
  for (const cas_system *const *s = cas_kernels_list(0)->systems; *s; s++) {
    bool scales = is_of(*s, "point_vortices"), works = false;
    for (int j = 0; j < SCALED; j++)
      scales |= is_of(*s, scaled[j].text);
    for (int j = 0; j < WORKLOADS; j++)
      works |= is_of(*s, workloads[j].text + strlen("{name: "));
    ck_assert_msg(is_cotangent(*s) || (scales && works), "no parameters for system %s in this test",
                  (*s)->name);
  }
}

RUN_TESTS_WITH_MPI
