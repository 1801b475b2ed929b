/* Systems that are written as expressions: pairs of noises, orders, and what is refused;
   test_two_ways.c has the paths of built-in ones. */
/* ranks: 1 */
/* needs: sprng */
#include "language/expressions/checks.h"
#include "study_fixture.h"

#include <math.h>

/* Pairs of noises are looked at one after another, and what one needs is not kept for the next. */
TEST(pairs_of_noises_leave_no_operations) {
  enum { NOISES = 20 };
  static const char *const variable[] = {"x1", "x2", "x3", NULL};
  static const char *const entry[] = {"0", "x3", "-x2", "-x3", "0", "x1", "x2", "-x1", "0"};
  const cas_scope scope = {.variable = variable};
  int hamiltonian[NOISES + 1], bracket[9];
  char text[100];
  bool commuting;
  cas_hamiltonians h = {.components = 3, .noises = NOISES};
  cas_complaint e;
  cas_check_finding f;
  for (int i = 0; i < 9; i++)
    ck_assert(cas_expression_read(entry[i], &scope, &h.list, &bracket[i], &e));
  for (int k = 0; k <= NOISES; k++) {
    snprintf(text, sizeof text, "sin(%d*(x1^2 + x2^2 + x3^2))*x3%s", k, k < NOISES ? "" : " + x1");
    ck_assert(cas_expression_read(text, &scope, &h.list, &hamiltonian[k], &e));
  }
  h.hamiltonian = hamiltonian;
  h.bracket.entry = bracket;
  ck_assert(cas_hamiltonians_derive(&h));
  const int before = h.list.n;
  for (h.noises = NOISES - 1; h.noises <= NOISES; h.noises++) {
    ck_assert(cas_check_commuting(&h, (double[]){0.6, 0.2, 0.8}, &commuting, &f));
    ck_assert(!f.not_evaluated && commuting == (h.noises < NOISES));
    ck_assert_int_eq(h.list.n, before);
  }
  free(h.gradient);
  cas_operations_free(&h.list);
}

/* dx = x (y - z), .. with {x, y} = x y, .. and H = x + y + z; x y z is its Casimir */
static const char lotka_volterra[] =
    "algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: z*x}, casimirs: "
    "[x*y*z], hamiltonian: x + y + z, initial: [0.5, 0.6, 0.9]";

/* With noise the strong order of a scheme is that of its theory; the commuting noise is found. */
TEST(orders_of_quadratic_brackets) {
  static const struct {
    const char *scheme, *noise;
    double order;
  } cases[] = {{"heun", "[0.2*x]", 1},
               {"implicit_midpoint", "[0.2*x, 0.2*y]", 0.5},
               {"euler_maruyama", "[0.3*x]", 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cas_results *r = results_of(
        "system: {name: lie_poisson, %s, noise: %s}\nintegrator: {name: %s}\n"
        "random: {generator: threefry}\n"
        "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 16, levels: 4, reference: "
        "7, paths: 512}\n",
        lotka_volterra, cases[i].noise, cases[i].scheme);
    const cas_curve *c = cas_results_curve(r, 0);
    double order = cas_laws_headline(&c->laws).order;
    ck_assert_msg(fabs(order - cases[i].order) < 0.2, "%s, %s: order %g", cases[i].scheme,
                  cases[i].noise, order);
    ck_assert(c->expected_order == cases[i].order);
  }
}

/* ---- what is refused ---- */

#define OWN "algebra: brackets, components: [x, y, z], initial: [1, 1, 1], "

#define CONSTANTS "initial: [1, 1, 1], algebra: {structure_constants: "

static const char *const refused[][2] = {
    {"hamiltonian: x1^2 + x4", "1:49: system.hamiltonian: there is no 'x4'; did you mean 'x1'?"},
    {"hamiltonian: x1 +", "1:46: system.hamiltonian: found the end"},
    {"hamiltonian: \"3\"", "which is constant: must depend on the state"},
    {"hamiltonian: \"0\"", "which is constant"},
    {"hamiltonian: x1, noise: [x1, \"2\"]", "system.noise[1]: found '2', which"},
    {"hamiltonian: x1, noise: [x1, sin(]", "system.noise[1]: found "},
    {"hamiltonian: sqrt(x2) + x1",
     "the derivative of H_0 with respect to x2 is inf there, must be finite"},
    {"hamiltonian: x1/sqrt(-x2), initial: [1, 1, 0]",
     "the derivative of H_0 with respect to x1 is nan there, must be finite"},
    {"hamiltonian: x1/0", "1:45: system.hamiltonian: division by 0"},
    {"hamiltonian: a*x1, parameters: {a: b, b: a}", "system.parameters.a: there is no 'b'"},
    {"hamiltonian: a*x1, parameters: {a: a + 1}", "a parameter may use those above it"},
    {"hamiltonian: x1, parameters: {x1: 2}", "a component is called 'x1'"},
    {"hamiltonian: x1, parameters: {pi: 3}", "has a meaning in expressions"},
    {"hamiltonian: x1, observables: {f: x1 + y1}", "system.observables.f: there is no 'y1'"},
    {"hamiltonian: x1, observables: {state: x1}",
     "system.observables.state: files have something else of the name 'state'"},
    {"hamiltonian: x1, observables: {f: g, g: x1}", "system.observables.f: there is no 'g'"},
    {"hamiltonian: x1, observables: {energy: x1}", "'energy' is a name already"},
    {"hamiltonian: x1, initial: [1, 0]", "3"},
    {"hamiltonian: x1, n: 4", "system.n: belongs to 'algebra: so_n'"},
    {"hamiltonian: x1, casimirs: [x2]", "belongs to 'algebra: brackets'"},
    {"algebra: so_4, hamiltonian: x1", "did you mean 'so_n'?"},
    {OWN "hamiltonian: x", "'brackets' is missing"},
    {OWN "brackets: {x w: y}, hamiltonian: x", "must be two different components"},
    {OWN "brackets: {x x: y}, hamiltonian: x", "must be two different components"},
    {OWN "brackets: {x y: z, y x: -z}, hamiltonian: x", "is given twice"},
    {OWN "brackets: {x y: q}, hamiltonian: x", "system.brackets.x y: there is no"},
    {OWN "brackets: {x y: z, y z: x*y, z x: x}, hamiltonian: x", "the Jacobi identity fails for"},
    {OWN "brackets: {x y: z, y z: x, z x: y}, casimirs: [x + y], hamiltonian: x",
     "system.casimirs[0]: is no Casimir: its bracket with"},
    {OWN "brackets: {x y: z, y z: x, z x: y}, casimirs: [\"1\"], hamiltonian: x", "is constant"},
    {"algebra: brackets, components: [x, x], brackets: {x y: x}, hamiltonian: x",
     "names 'x' twice"},
    {CONSTANTS "[[1, 2, 3, 1], [2, 1, 3, 1]]}, hamiltonian: x1",
     "structure_constants[1]: {x2, x1} has 1 x3, and -1 of it by a row before"},
    {CONSTANTS "[[1, 2, 3, 1], [3, 3, 1, 2]]}, hamiltonian: x1", "{x3, x3} has 2 x1, must be 0"},
    {CONSTANTS "[[1, 2, 3, 1], [1, 3, 1, 1]]}, hamiltonian: x1",
     "structure_constants: the Jacobi identity fails for x1, x2 and x3"},
    {CONSTANTS "[[1, 2, 3], [2, 3, 1]]}, hamiltonian: x1", "must be [i, j, k, c]"},
    {CONSTANTS "[[1, 2, 2.5, 1]]}, hamiltonian: x1", "found the component 2.5, must be a whole"},
    {CONSTANTS "[[0, 2, 3, 1]]}, hamiltonian: x1", "found the component 0, must be a whole"},
    {CONSTANTS "[[1, 2, 4e9, 1]]}, hamiltonian: x1",
     "numbers of components go up to 33 and beyond, must be at most 32"},
    {CONSTANTS "[[1, 2, 3, 0.5], [1, 2, 3, 0.5]]}, hamiltonian: x1",
     "structure_constants[1]: the components of row 1 again"},
    {CONSTANTS "[[1, 2, 3, 1]]}, components: [x, y], hamiltonian: x",
     "found the component 3, must be a whole number from 1 to 2 (x to y)"},
    {CONSTANTS "[[1, 2, 3, 1]]}, casimirs: [x1], hamiltonian: x1", "is no Casimir"},
    {CONSTANTS "[[1, 2, 3, 1]]}, brackets: {x1 x2: x3}, hamiltonian: x1",
     "belongs to 'algebra: brackets', not to 'algebra: structure_constants'"},
    {CONSTANTS "[[1, 2, 3, 1]], name: so3}, hamiltonian: x1",
     "belongs to 'algebra: structure_constants', not to 'algebra: so3'"},
    {"algebra: structure_constants, hamiltonian: x1, initial: [1, 1, 1]",
     "without structure constants; must be {structure_constants: [["},
};

TEST_OVER(what_is_wrong_is_said, sizeof refused / sizeof *refused) {
  const char *keys = refused[_i][0];
  is_refused(0, refused[_i][1],
             "system: {name: lie_poisson, %s%s}\nstudy: {kind: trajectory, step: 2^-5, steps: 4, "
             "observables: [hamiltonian]}\n",
             keys, strstr(keys, "initial: ") ? "" : ", initial: [1, 0, 0]");
}

static const struct {
  const char *keys, *scheme, *why;
} unfit[] = {
    {lotka_volterra, "munthe_kaas", "these brackets are not linear"},
    {lotka_volterra, "isospectral_midpoint", "J-quadratic"},
    {lotka_volterra, "splitting", "known on so3 alone, not on brackets"},
    {"hamiltonian: x1^2 + x2*x3, initial: [1, 0, 0]", "splitting",
     "of one component each and their sums: the derivative of H_0 with respect to x3 depends on "
     "x2"},
    {"hamiltonian: x1^2, noise: [x2, x1*x2 + x3], initial: [1, 0, 0]", "splitting",
     "the derivative of H_2 with respect to x2 depends on x1"},
    {"hamiltonian: x1^2 + x3^3, initial: [1, 0, 0]", "variational_midpoint",
     "of at most second degree: the second derivative of H_0 with respect to x3 and x3 is not "
     "constant"},
    {"algebra: se3, hamiltonian: Pi1^2 + Gamma3^2, initial: [1, 0, 0, 0, 0, 1]",
     "variational_midpoint",
     "in Pi, and linear in Gamma: the second derivative of H_0 with respect to Gamma3 and Gamma3 "
     "is not 0"},
    {"algebra: se3, hamiltonian: Pi1^2 + Gamma3, initial: [1, 0, 0, 0, 0, 1]", "splitting",
     "known on so3 alone, not on se3"},
};

TEST_OVER(schemes_that_do_not_fit_say_why, sizeof unfit / sizeof *unfit) {
  is_refused(0, unfit[_i].why,
             "system: {name: lie_poisson, %s}\nintegrator: {name: %s}\n"
             "study: {kind: trajectory, step: 2^-5, steps: 4}\n",
             unfit[_i].keys, unfit[_i].scheme);
}

RUN_TESTS_WITH_MPI
