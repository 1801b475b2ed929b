/* Nanoseconds a path and finest step of whole studies, all levels included: what decides how long a
   job takes.

     bench_study [--json FILE] [--seconds S] [CONFIG.yaml [KEY=VALUE ..]]

   Default: the weak study of the rigid body, every generator, 3 seconds each. Under mpirun each
   rank works for itself, the rates (of the wall clock) add up, and the times are rank 0's. */
#include "engine/study/study.h"
#include "measure.h"

#include <stdlib.h>
#include <string.h>

static const char paper[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], "
                            "noise: {kind: quadratic, sigma: 0.1}}\n"
                            "study: {kind: weak, coarsest_step: 2^-7, coarsest_steps: 13, levels: "
                            "7, reference: 9, paths: 10000000, functionals: [sin2pi]}\n";

enum { SAMPLES_MAX = 4096 };

static double enough = 3; /* seconds */
static cas_report report;

typedef struct {
  cas_measured time;
  double rate;       /* paths a minute of all ranks */
  double iterations; /* of a step of the reference */
} measured;

static double reference_iterations(const cas_pass *s) {
  const double *n = s->level[s->plan->levels - 1].tally.iterations;
  double sum = 0;
  for (int l = 0; l < s->problem->W; l++)
    sum += n[l];
  return sum / s->problem->W / (double)s->plan->steps;
}

static cas_status measure(cas_problem *p, const cas_pass_plan *plan, measured *m, cas_error *err) {
  double samples[SAMPLES_MAX], spent = 0, rate;
  cas_pass s;
  int n = 0;
  cas_status st = cas_pass_create(p, plan, &s, err);
  if (!st)
    st = cas_pass_run(&s, 0, NULL, NULL, err);
  MPI_Barrier(MPI_COMM_WORLD);
  double clock = MPI_Wtime();
  while (!st && spent < enough && n < SAMPLES_MAX) {
    double before = cas_seconds();
    st = cas_pass_run(&s, 1 + n, NULL, NULL, err);
    samples[n++] = (cas_seconds() - before) * 1e9 / p->W / (double)plan->steps;
    spent = MPI_Wtime() - clock;
  }
  if (!st) {
    cas_measured_from(samples, n, &m->time);
    m->iterations = reference_iterations(&s);
  }
  rate = n * p->W / spent * 60;
  MPI_Allreduce(&rate, &m->rate, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  cas_pass_free(&s);
  return st;
}

/* the levels of a convergence study, without its other options */
static cas_status plan_of(const cas_config *c, cas_pass_plan *plan, cas_error *err) {
  typedef struct {
    double step;
    int64_t steps, levels, reference;
  } levels;
  static const cas_option table[] = {
      {.key = "coarsest_step", .type = CAS_STEP, .offset = offsetof(levels, step)},
      {.key = "coarsest_steps", .type = CAS_INT, .offset = offsetof(levels, steps)},
      {.key = "levels", .type = CAS_INT, .offset = offsetof(levels, levels)},
      {.key = "reference", .type = CAS_INT, .offset = offsetof(levels, reference)},
      {0}};
  static const char *const also[] = {"kind", "paths", "functionals", "strong", NULL};
  levels l;
  cas_status st = cas_options_read(c, "study", table, also, &l, err);
  if (st)
    return st;
  *plan = (cas_pass_plan){.levels = (int)l.levels + 1,
                          .grid = INT64_C(1) << l.reference,
                          .steps = l.steps << l.reference};
  for (int j = 0; j <= l.levels; j++) {
    int halvings = j < l.levels ? j : (int)l.reference;
    plan->h[j] = l.step / (double)(INT64_C(1) << halvings);
    plan->ratio[j] = INT64_C(1) << (l.reference - halvings);
  }
  return CAS_OK;
}

static cas_status bench(const cas_config *c, cas_error *err) {
  cas_problem p;
  cas_pass_plan plan;
  measured m = {.time = {.operation = "path and step"}};
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  cas_status st = plan_of(c, &plan, err);
  if (!st)
    st = cas_problem_create(c, false, MPI_COMM_WORLD, &p, err);
  if (st)
    return st;
  st = measure(&p, &plan, &m, err);
  if (!st && rank == 0) {
    snprintf(m.time.name, sizeof m.time.name, "%s/%s/%s", p.kernels->name, p.system->name,
             p.noise.generator->name);
    cas_report_add(&report, &m.time);
    printf(
        "%46s %d levels, %lld finest steps of %.2f iterations, %.4g paths a minute on %d rank%s\n",
        "", plan.levels - 1, (long long)plan.steps, m.iterations, m.rate, ranks,
        ranks > 1 ? "s" : "");
  }
  cas_problem_free(&p);
  return st;
}

static cas_status load(const char *file, char **text, cas_error *err) {
  FILE *f = fopen(file, "r");
  size_t size = 0;
  if (!f || getdelim(text, &size, '\0', f) < 0)
    return cas_fail(err, CAS_FILE_ERROR, "%s cannot be read", file);
  fclose(f);
  return CAS_OK;
}

/* argv: the configuration, then what to set in it */
static cas_status bench_configured(char **argv, cas_error *err) {
  cas_config *c = NULL;
  char *text = NULL;
  cas_status st = load(argv[0], &text, err);
  if (!st)
    st = cas_config_parse(text, strlen(text), argv[0], &c, err);
  while (!st && *++argv)
    st = cas_config_set(c, *argv, err);
  if (!st)
    st = bench(c, err);
  cas_config_free(c);
  free(text);
  return st;
}

static cas_status bench_paper(cas_error *err) {
  cas_status st = CAS_OK;
  for (const cas_generator *const *g = cas_generator_list(); !st && *g; g++) {
    cas_config *c;
    char set[64];
    if ((*g)->replayed)
      continue;
    snprintf(set, sizeof set, "random.generator=%s", (*g)->name);
    st = cas_config_parse(paper, strlen(paper), "rigid body", &c, err);
    if (!st)
      st = cas_config_set(c, set, err);
    if (!st)
      st = bench(c, err);
    cas_config_free(c);
  }
  return st;
}

int main(int argc, char **argv) {
  cas_error err = {0};
  const char *json = NULL;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (argv++; *argv && strncmp(*argv, "--", 2) == 0 && argv[1]; argv += 2)
    if (strcmp(*argv, "--json") == 0)
      json = argv[1];
    else if (strcmp(*argv, "--seconds") == 0)
      enough = atof(argv[1]);
    else
      break;
  report = cas_report_open("study", rank == 0 ? json : NULL);
  if (rank == 0)
    cas_report_heading("kernels/system/generator");
  cas_status st = *argv ? bench_configured(argv, &err) : bench_paper(&err);
  if (st)
    fprintf(stderr, "bench_study: %s\n", err.text);
  cas_report_close(&report);
  MPI_Finalize();
  return cas_exit_status(st);
}
