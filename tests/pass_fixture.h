/* Steps of a problem, for tests that look at blocks of paths themselves. */
#ifndef PASS_FIXTURE_H
#define PASS_FIXTURE_H

#include "numbers.h"
#include "paths/pass.h"
#include "study_fixture.h"

/* A pass of one level, and what it is made of. */
typedef struct {
  cas_problem problem;
  cas_pass_plan plan;
  cas_pass pass;
} one_pass;

static inline void release_pass(void *pass) {
  one_pass *o = pass;
  cas_pass_free(&o->pass);
  cas_problem_free(&o->problem);
  free(o);
}

/* A pass of steps of length h for the problem that the formatted YAML text states, which belongs to
   the suite until the test ends; NULL where that is refused. err NULL: it must not be. */
__attribute__((format(printf, 4, 5))) static inline one_pass *
find_pass(double h, int steps, cas_error *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cas_config *config = configuration_of(format, args);
  va_end(args);
  one_pass *o = calloc(1, sizeof *o);
  cas_error e = {0};
  ck_assert_ptr_nonnull(o);
  o->plan = (cas_pass_plan){.levels = 1, .h = {h}, .ratio = {1}, .steps = steps, .grid = steps};
  cas_status st = cas_problem_create(config, false, MPI_COMM_SELF, &o->problem, &e);
  if (!st)
    st = cas_pass_create(&o->problem, &o->plan, &o->pass, &e);
  suite_keep(o, st ? free : release_pass);
  ck_assert_msg(!st || err, "%s", e.text);
  if (err)
    *err = e;
  if (!st) /* as a run begins: paths by themselves are padded with zeros */
    memset(o->pass.memory, 0, cas_pass_bytes(&o->problem, &o->plan));
  return st ? NULL : o;
}

#define pass_of(h, steps, ...) find_pass(h, steps, NULL, __VA_ARGS__)

/* A pass for the example of a system with its noise, by a scheme with options (", key: value"). */
static inline one_pass *example_pass(const cas_system *s, const cas_integrator *i,
                                     const char *options, double h, int steps) {
  return pass_of(h, steps,
                 "{system: {name: %s, %s, %s}, integrator: {name: %s%s}, random: {generator: "
                 "threefry}}",
                 s->name, s->example.keys, s->example.noise, i->name, options);
}

/* Whatever is found by name from now on is of this instruction set; NULL: of the best one. */
static inline void use_kernels(const cas_kernels *k) {
  if (k)
    setenv("CASIMIR_KERNELS", k->name, 1);
  else
    unsetenv("CASIMIR_KERNELS");
}

/* Calls `check` for all systems and schemes that fit, of one instruction set or of every one. */
static inline void each_pair(bool of_every_set,
                             void (*check)(const cas_system *s, const cas_integrator *i)) {
  int found = 0;
  for (int set = 0; set == 0 || (of_every_set && cas_kernels_list(set)); set++) {
    use_kernels(of_every_set ? cas_kernels_list(set) : NULL);
    const cas_kernels *k = cas_kernels_get();
    for (const cas_system *const *s = k->systems; *s; s++)
      for (const cas_integrator *const *i = k->integrators; *i; i++) {
        const bool fit = fits(*s, *i);
        ck_assert_msg(fit == (cas_scheme_find_step(body_of(*s), *i) != NULL), "%s, %s", (*s)->name,
                      (*i)->name);
        if (fit)
          check(*s, *i);
        found += fit;
        suite_forget();
      }
  }
  ck_assert_int_gt(found, 30);
  use_kernels(NULL);
}

/* Numbers of all lanes of a block. */
static inline size_t block_size(const one_pass *o) {
  return (size_t)(o->problem.components * o->problem.W);
}

/* A block with every path at the initial state of the problem. */
static inline double *initial_block(const one_pass *o) {
  double *x = doubles(block_size(o));
  for (size_t i = 0; i < block_size(o); i++)
    x[i] = o->problem.initial.x0[i / (size_t)o->problem.W];
  return x;
}

/* Runs block 0, and returns the states at the end. */
static inline const double *run_block(one_pass *o) {
  MUST(cas_pass_run(&o->pass, 0, NULL, NULL, &err));
  return o->pass.level[0].x;
}

/* One step of h H0 + sum_k rows_k H_k, with rows of areas behind, of all lanes of x; the level's
   tally counts it. rows NULL: no increments. */
static inline void step_block(one_pass *o, double h, const double *rows, double *x) {
  const cas_problem *p = &o->problem;
  const cas_level *l = &o->pass.level[0];
  const int n = (p->normals.noises + p->normals.areas) * p->W;
  double *dw = o->pass.space.dw;
  for (int i = 0; i < n; i++)
    dw[i] = rows ? l->scheme_scale * rows[i / p->W] : 0;
  p->system->psi.prepare(p->parameters.all, p->W, l->scheme_scale * h, dw, l->coef);
  p->scheme.step(&l->stepper, x, l->carry, l->coef, l->work, (cas_tally *)&l->tally);
}

/* The largest difference of two blocks; infinity if a number is none. */
static inline double farthest(const one_pass *o, const double *x, const double *y) {
  double most = 0;
  for (size_t i = 0; i < block_size(o); i++)
    most = isfinite(x[i] - y[i]) ? fmax(most, fabs(x[i] - y[i])) : INFINITY;
  return most;
}

/* A functional of a list that has it. */
static inline const cas_functional *named(const cas_functional *list, const char *name) {
  while (strcmp(list->name, name) != 0)
    list++;
  return list;
}

#endif
