/* Every kernel of every instruction set that runs here: nanoseconds an operation, and GFLOP/s
   against the measured peak. bench_kernels [--json FILE]

   Operations counted in flops are those of the formulas (an addition, multiplication, division,
   root or maximum is one), not of the machine code. */
#include "measure.h"
#include "paths/pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- noise ---- */

enum { W = 64, NOISES = 3, N = NOISES * W };

typedef struct {
  double u[N], z[N], sum[N], dw[N], clipped[W]; /* whole cache lines */
  const cas_kernels *k;
} noise_arrays;

static noise_arrays arrays __attribute__((aligned(64)));

static void threefry(void *context, int count) {
  noise_arrays *a = context;
  for (int i = 0; i < count; i++)
    a->k->threefry(1, 0, 5, i, N, a->u);
}

static void normals(void *context, int count) {
  noise_arrays *a = context;
  for (int i = 0; i < count; i++)
    a->k->normals(N, a->u, a->z);
}

static void truncate_normals(void *context, int count) {
  noise_arrays *a = context;
  for (int i = 0; i < count; i++)
    a->k->truncate(NOISES, W, a->z, 6.66, 0x1p-8, a->dw, a->clipped);
}

static void accumulate(void *context, int count) {
  noise_arrays *a = context;
  for (int i = 0; i < count; i++)
    a->k->accumulate(N, a->z, a->sum);
}

/* Box and Muller for a pair: 31 for the radius, 35 for cosine and sine, 2 products */
static const struct {
  const char *name, *operation;
  double flops;
  void (*run)(void *context, int count);
} noise_kernels[] = {{"threefry", "uniform", 0, threefry},
                     {"normals", "normal", 34, normals},
                     {"truncate", "increment", 5, truncate_normals},
                     {"accumulate", "normal", 1, accumulate}};

static void bench_noise(cas_report *report, const cas_kernels *k, double peak) {
  arrays.k = k;
  for (size_t i = 0; i < sizeof noise_kernels / sizeof *noise_kernels; i++) {
    cas_measured m = {
        .operation = noise_kernels[i].operation, .flops = noise_kernels[i].flops, .peak = peak};
    snprintf(m.name, sizeof m.name, "%s/%s", k->name, noise_kernels[i].name);
    cas_measure(noise_kernels[i].run, &arrays, N, &m);
    cas_report_add(report, &m);
  }
}

/* ---- steps ---- */

/* flops of an iteration without Q X Q, of one with it (the differences that stop it included), of a
   bracket alone, and of the update at the end */
typedef struct {
  double half, whole, bracket, update;
} step_flops;

static step_flops flops_rigid_body(const cas_geometry *g CAS_UNUSED) {
  return (step_flops){6 + 3, 3 + 6 + 8 + 6 + 3, 6, 3 + 6};
}

static step_flops flops_manakov(const cas_geometry *g) {
  double n = g->n, c = n * (n - 1) / 2, bracket = 2 * n * (n - 1) * (n - 2),
         sandwich = 2 * n * (n - 1) + 2 * c * (n - 1);
  return (step_flops){c + bracket + c, c + bracket + sandwich + 3 * c, bracket, 2 * c};
}

static step_flops flops_point_vortices(const cas_geometry *g) {
  double n = g->factors, pairs = n * (n - 1) / 2, half_psi = 3 * n + pairs * 21;
  return (step_flops){half_psi + 12 * n, half_psi + (9 + 21 + 9) * n, 9 * n, 6 * n};
}

static step_flops flops_euler_zeitlin(const cas_geometry *g) {
  double N_ = g->n, product = 8 * N_ * N_ * N_, c = N_ * N_;
  double half_psi = 8 * N_ * (N_ + 1) * (2 * N_ + 1) / 6; /* each diagonal there and back */
  return (step_flops){half_psi + product + 2 * c, half_psi + 1.5 * product + 4 * c, product, 2 * c};
}

/* Every second iteration is a half one, and so is the fifth if it is the last; at the step of these
   workloads a bracket follows only where the addition is compensated. */
static double flops_of_step(step_flops f, double iterations, bool compensated) {
  double halves = ceil(iterations / 2);
  return halves * f.half + (iterations - halves) * f.whole + compensated * f.bracket + f.update;
}

static const struct {
  const char *system, *keys;
  step_flops (*flops)(const cas_geometry *g);
} workloads[] = {
    {"rigid_body", "inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}",
     flops_rigid_body},
    {"manakov", "n: 10, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}", flops_manakov},
    {"point_vortices",
     "gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}",
     flops_point_vortices},
    {"euler_zeitlin", "N: 12, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}",
     flops_euler_zeitlin}};

typedef struct {
  cas_problem problem;
  cas_pass_plan plan;
  cas_pass pass;
} step_bench;

static void prepare(void *context, int count) {
  step_bench *b = context;
  const cas_problem *p = &b->problem;
  for (int i = 0; i < count; i++)
    p->system->psi.prepare(p->parameters.all, p->W, p->scheme.integrator->scale * b->plan.h[0],
                           b->pass.space.dw, b->pass.level[0].coef);
}

static void step(void *context, int count) {
  step_bench *b = context;
  cas_level *l = &b->pass.level[0];
  for (int i = 0; i < count; i++)
    b->problem.scheme.step(&l->stepper, l->x, l->carry, b->pass.level[0].coef,
                           b->pass.level[0].work, &l->tally);
}

static double iterations(step_bench *b) {
  cas_level *l = &b->pass.level[0];
  int W_ = b->problem.W;
  memset(l->tally.iterations, 0, (size_t)W_ * sizeof(double));
  step(b, 20);
  double sum = 0;
  for (int lane = 0; lane < W_; lane++)
    sum += l->tally.iterations[lane];
  return sum / W_ / 20;
}

/* flops: of a step of the isospectral midpoint; 0 for other schemes */
static void measure_step(cas_report *report, step_bench *b, const char *what, step_flops flops,
                         double peak) {
  cas_measured m = {.operation = "path", .peak = peak};
  m.flops = flops_of_step(flops, iterations(b), b->problem.scheme.options.compensated);
  snprintf(m.name, sizeof m.name, "%s/%s/%s", b->problem.kernels->name, b->problem.system->name,
           what);
  cas_measure(step, b, b->problem.W, &m);
  cas_report_add(report, &m);
}

static void measure_prepare(cas_report *report, step_bench *b, const char *what) {
  cas_measured m = {.operation = "path"};
  snprintf(m.name, sizeof m.name, "%s/%s/%s", b->problem.kernels->name, b->problem.system->name,
           what);
  cas_measure(prepare, b, b->problem.W, &m);
  cas_report_add(report, &m);
}

static void or_leave(cas_status st, const cas_error *err) {
  if (!st)
    return;
  fprintf(stderr, "bench_kernels: %s\n", err->text);
  exit(cas_exit_status(st));
}

/* The pass runs a few steps, so that state, increments and coefficients are those of a study. Fails
   where the system or the scheme refuses the option, which is a further key of the integrator. */
static cas_status open_bench(step_bench *b, const cas_system *s, const char *keys,
                             const cas_integrator *scheme, const char *option, cas_error *err) {
  char text[1000];
  cas_config *c;
  *b = (step_bench){.plan = {.levels = 1, .h = {0x1p-16}, .ratio = {1}, .steps = 8, .grid = 8}};
  snprintf(text, sizeof text,
           "{system: {name: %s, %s}, integrator: {name: %s, %s}, random: {generator: threefry}}",
           s->name, keys, scheme->name, option);
  or_leave(cas_config_parse(text, strlen(text), s->name, &c, err), err);
  cas_status st = cas_problem_create(c, false, MPI_COMM_WORLD, &b->problem, err);
  if (!st) {
    or_leave(cas_pass_create(&b->problem, &b->plan, &b->pass, err), err);
    or_leave(cas_pass_run(&b->pass, 0, NULL, NULL, err), err);
  }
  cas_config_free(c);
  return st;
}

static void close_bench(step_bench *b) {
  cas_pass_free(&b->pass);
  cas_problem_free(&b->problem);
}

static void bench_pair(cas_report *report, const cas_system *s, const char *keys,
                       const cas_integrator *scheme, step_flops (*flops_of)(const cas_geometry *g),
                       double peak) {
  for (int compensated = 0; compensated < 2; compensated++) {
    step_bench b;
    char what[60];
    cas_error err;
    or_leave(open_bench(&b, s, keys, scheme,
                        compensated ? "compensated: true" : "compensated: false", &err),
             &err);
    step_flops flops =
        flops_of && scheme->needs == CAS_SANDWICH ? flops_of(&b.problem.geometry) : (step_flops){0};
    if (!compensated && scheme->needs == CAS_SANDWICH)
      measure_prepare(report, &b, "prepare");
    snprintf(what, sizeof what, "%s%s", scheme->name, compensated ? ", compensated" : "");
    measure_step(report, &b, what, flops, peak);
    close_bench(&b);
  }
}

/* Steps with Levy's areas, where there are any; flops of their brackets are not counted. */
static void bench_areas(cas_report *report, const cas_system *s, const char *keys,
                        const cas_integrator *scheme, double peak) {
  step_bench b;
  char what[60];
  cas_error err;
  if (open_bench(&b, s, keys, scheme, "areas: 1", &err))
    return;
  if (scheme->needs == CAS_SANDWICH)
    measure_prepare(report, &b, "prepare, areas");
  snprintf(what, sizeof what, "%s, areas", scheme->name);
  measure_step(report, &b, what, (step_flops){0}, peak);
  close_bench(&b);
}

/* Systems without a workload of the papers' size are measured with their example. */
static void bench_systems(cas_report *report, const cas_kernels *k, double peak) {
  for (const cas_system *const *s = k->systems; *s; s++) {
    size_t i = 0, n = sizeof workloads / sizeof *workloads;
    char keys[600];
    void *zeroed = calloc(1, (*s)->parameters.size);
    while (i < n && strcmp(workloads[i].system, (*s)->name) != 0)
      i++;
    snprintf(keys, sizeof keys, "%s, %s", (*s)->example.keys, (*s)->example.noise);
    for (const cas_integrator *const *scheme = k->integrators; *scheme; scheme++)
      if (!cas_scheme_misfit((*s)->blocks.body(zeroed), *scheme)) {
        const char *of = i < n ? workloads[i].keys : keys;
        bench_pair(report, *s, of, *scheme, i < n ? workloads[i].flops : NULL, peak);
        bench_areas(report, *s, of, *scheme, peak);
      }
    free(zeroed);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 1 && !(argc == 3 && strcmp(argv[1], "--json") == 0)) {
    fprintf(stderr, "usage: bench_kernels [--json FILE]\n");
    return EXIT_FAILURE;
  }
  cas_report report = cas_report_open("kernels", argc == 3 ? argv[2] : NULL);
  for (int i = 0; cas_kernels_list(i); i++) {
    const cas_kernels *k = cas_kernels_list(i);
    char heading[64];
    double peak = cas_peak(k->name);
    /* the registries are asked through this variable */
    setenv("CASIMIR_KERNELS", k->name, 1);
    snprintf(heading, sizeof heading, "%s, peak %.1f GFLOP/s", k->name, peak);
    cas_report_heading(heading);
    bench_noise(&report, k, peak);
    bench_systems(&report, k, peak);
    printf("\n");
  }
  cas_report_close(&report);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
