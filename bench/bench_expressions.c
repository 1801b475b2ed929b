/* What a step costs that runs expressions, beside the built-in system with the same paths; and with
   a term that makes it no quadratic, so that a program runs. */
#include "measure.h"
#include "paths/pass.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *built_in, *written;
} pairs[] = {
    {"so3",
     "name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.1}, initial: "
     "[0.36, "
     "0.48, 0.8]",
     "name: lie_poisson, algebra: so3, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: [0.05*x1^2, "
     "0.05*x2^2, 0.05*x3^2], initial: [0.36, 0.48, 0.8]"},
    {"so3, cubic",
     "name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.1}, initial: "
     "[0.36, "
     "0.48, 0.8]",
     "name: lie_poisson, algebra: so3, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2 + 0.2*x1*x2*x3, "
     "noise: [0.05*x1^2, 0.05*x2^2, 0.05*x3^2], initial: [0.36, 0.48, 0.8]"},
    {"se3",
     "name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}, "
     "initial: [0.3, 0.1, 0.5, 0, 0.6, 0.8]",
     "name: lie_poisson, algebra: se3, hamiltonian: Pi1^2/8 + Pi2^2/4 + Pi3^2/2 + Gamma3, noise: "
     "[0.1*Pi1 - 0.2*Pi2 + 0.15*Pi3], initial: [0.3, 0.1, 0.5, 0, 0.6, 0.8]"}};

enum { PAIRS = sizeof pairs / sizeof *pairs };

typedef struct {
  cas_problem problem;
  cas_pass_plan plan;
  cas_pass pass;
} step_bench;

static void or_leave(cas_status st, const cas_error *err) {
  if (!st)
    return;
  fprintf(stderr, "bench_expressions: %s\n", err->text);
  exit(cas_exit_status(st));
}

static void open_bench(step_bench *b, const char *system, const char *scheme) {
  char text[1000];
  cas_config *c;
  cas_error err;
  *b = (step_bench){.plan = {.levels = 1, .h = {0x1p-16}, .ratio = {1}, .steps = 8, .grid = 8}};
  snprintf(text, sizeof text,
           "{system: {%s}, integrator: {name: %s}, random: {generator: threefry}}", system, scheme);
  or_leave(cas_config_parse(text, strlen(text), system, &c, &err), &err);
  or_leave(cas_problem_create(c, false, MPI_COMM_WORLD, &b->problem, &err), &err);
  or_leave(cas_pass_create(&b->problem, &b->plan, &b->pass, &err), &err);
  or_leave(cas_pass_run(&b->pass, 0, NULL, NULL, &err), &err);
  cas_config_free(c);
}

/* with its coefficients, which expressions compute as well */
static void step(void *context, int count) {
  step_bench *b = context;
  const cas_problem *p = &b->problem;
  cas_level *l = &b->pass.level[0];
  for (int i = 0; i < count; i++) {
    p->system->psi.prepare(p->parameters.all, p->W, p->scheme.integrator->scale * b->plan.h[0],
                           b->pass.space.dw, b->pass.level[0].coef);
    p->scheme.step(&l->stepper, l->x, l->carry, b->pass.level[0].coef, b->pass.level[0].work,
                   &l->tally);
  }
}

static double measure(cas_report *report, const char *what, const char *pair, const char *system,
                      const char *scheme) {
  step_bench b;
  cas_measured m = {.operation = "path"};
  open_bench(&b, system, scheme);
  snprintf(m.name, sizeof m.name, "%s/%s/%s/%s", b.problem.kernels->name, pair, scheme, what);
  cas_measure(step, &b, b.problem.W, &m);
  cas_report_add(report, &m);
  cas_pass_free(&b.pass);
  cas_problem_free(&b.problem);
  return m.best;
}

static void compare(cas_report *report, int pair, const char *scheme) {
  double built_in = measure(report, "built in", pairs[pair].name, pairs[pair].built_in, scheme),
         written = measure(report, "expressions", pairs[pair].name, pairs[pair].written, scheme);
  printf("  %s, %s: %.2f times\n", pairs[pair].name, scheme, written / built_in);
}

int main(int argc, char **argv) {
  static const char *const schemes[] = {"isospectral_midpoint", "munthe_kaas", "implicit_midpoint",
                                        "heun", "euler_maruyama"};
  MPI_Init(&argc, &argv);
  cas_report report = cas_report_open("expressions", argc == 3 ? argv[2] : NULL);
  for (int pair = 0; pair < PAIRS; pair++)
    for (int i = pair == PAIRS - 1; i < 5; i++) /* no isospectral midpoint on se(3) */
      compare(&report, pair, schemes[i]);
  cas_report_close(&report);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
