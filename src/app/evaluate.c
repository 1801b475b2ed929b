/* `casimir evaluate`: observables of states, by the system of a results file and its parameters. */
#include "app/app.h"
#include "app/arguments.h"
#include "paths/observables.h"
#include "paths/problem/initial.h"
#include "paths/problem/sections.h"

/* One observable of the system of a file, and a state as the system has it. */
typedef struct {
  cas_results results;
  cas_config *config;
  cas_problem problem; /* of one path, without noise, scheme and initial state */
  cas_observables observables;
  double *x;
} viewer;

static const cas_observable *observable_of(const viewer *v) { return v->observables.observable; }

/* ---- the observable ---- */

/* Noise is no part of what a state shows, and may be in files that are gone. */
static cas_status read_parameters(viewer *v, const char *file, cas_error *err) {
  static const char *const also[] = {"name", "initial", "file", "file_hash", NULL};
  const char *text = v->results.provenance.configuration, *name = v->results.provenance.system;
  cas_problem *p = &v->problem;
  p->kernels = cas_kernels_get();
  p->system = name ? cas_system_find(name) : NULL;
  CAS_FAIL_IF(!p->system, CAS_BAD_INPUT, "%s: its system is not known", file);
  CAS_FAIL_IF(!text, CAS_BAD_INPUT, "%s: has no configuration", file);
  CAS_NEED((p->parameters.all = calloc(1, p->system->parameters.size)));
  CAS_CALL(cas_config_parse(text, strlen(text), file, &v->config, err));
  if (cas_config_has(v->config, "system.noise"))
    CAS_CALL(cas_config_set(v->config, "system.noise=null", err));
  /* Parameters that each path draws for itself are in no configuration. */
  CAS_OWNED_BY(cas_uncertain_free) cas_uncertain u;
  CAS_CALL(cas_uncertain_find(v->config, "system", p->system->parameters.options, &u, err));
  CAS_FAIL_IF(u.values, CAS_BAD_INPUT,
              "%s: %s differs from path to path, and an observable of a state alone needs "
              "parameters that all of them have",
              file, u.value[0].path);
  CAS_CALL(cas_options_read(v->config, "system", p->system->parameters.options, also,
                            p->parameters.all, err));
  return cas_section_check(v->config, p->system, MPI_COMM_SELF, p->parameters.all, NULL, err);
}

/* Whether a state alone has it: it needs neither the time nor a path. */
static bool is_of_state(const cas_observable *o) {
  bool is = o->functional || o->expression;
  for (int i = 0; i < o->formula.variables; i++) {
    const cas_variable_kind kind = o->formula.variable[i].kind;
    is &= kind <= CAS_VOCABULARY_FROM_CASIMIRS || kind == CAS_VOCABULARY_FROM_FUNCTIONAL ||
          kind == CAS_VOCABULARY_FROM_INDICES;
  }
  return is;
}

/* States are those of the algebra alone. */
static cas_status find_observable(viewer *v, const char *name, cas_error *err) {
  cas_problem *p = &v->problem;
  const cas_formulas names = {.n = 1, .name = (char **)&name};
  p->config = v->config;
  cas_section_geometry(p);
  p->part = NULL;
  p->components = p->geometry.components;
  p->W = 1;
  CAS_CALL(cas_section_names(p, err));
  cas_error why = {0};
  cas_status st = cas_observables_find(v->config, "system", &names, p, &v->observables, &why);
  if (!st && !is_of_state(observable_of(v)))
    st = cas_fail(&why, CAS_BAD_INPUT, "it is no function of a state alone that the system has");
  return st ? cas_fail(err, st, "the system %s has no observable '%.40s': %s", p->system->name,
                       name, why.text)
            : CAS_OK;
}

static cas_status open_viewer(viewer *v, const cas_arguments *a, cas_error *err) {
  CAS_CALL(cas_results_read(a->name[0], &v->results, err));
  CAS_CALL(read_parameters(v, a->name[0], err));
  CAS_CALL(find_observable(v, a->name[1], err));
  const size_t needed = cas_problem_state_doubles(&v->problem);
  CAS_FAIL_IF(a->size && (size_t)a->size < needed, CAS_BAD_INPUT,
              "--size: found %lld, must be at least %zu, the numbers of a state of %s",
              (long long)a->size, needed, v->problem.system->name);
  v->x = calloc((size_t)v->problem.components + 8, sizeof *v->x);
  return v->x ? CAS_OK : cas_no_memory(err);
}

static void close_viewer(viewer *v) {
  cas_observables_free(&v->observables);
  if (v->problem.system)
    cas_problem_free(&v->problem);
  free(v->x);
  cas_config_free(v->config);
  cas_results_free(&v->results);
}

/* ---- what is written ---- */

static void print_head(const cas_observable *o) {
  printf("{\"name\": \"%s\", \"unit\": \"%s\", \"shape\": [", o->name, o->unit);
  for (int i = 0; i < o->axes; i++)
    printf("%s%lld", i ? ", " : "", (long long)o->axis[i].length);
  printf("], \"axes\": [");
  for (int i = 0; i < o->axes; i++) {
    printf("%s{\"name\": \"%s\", \"coordinates\": [", i ? ", " : "", o->axis[i].name);
    for (int k = 0; k < o->axis[i].length; k++)
      printf("%s%.17g", k ? ", " : "", o->coordinates[i] ? o->coordinates[i][k] : k + 1);
    printf("]}");
  }
  printf("]}\n");
}

/* NaN where the numbers are no state of the system. */
static void look(const viewer *v, const double *state, double *out) {
  const cas_observable *o = observable_of(v);
  cas_error none = {0};
  double lost;
  for (int i = 0; i < o->numbers; i++)
    out[i] = NAN;
  if (cas_initial_pack(v->config, &v->problem, state, cas_problem_state_doubles(&v->problem), v->x,
                       &lost, &none))
    return;
  if (o->functional)
    o->functional->value(v->problem.parameters.all, 1, v->x, out);
  else
    cas_formula_evaluate(&o->formula, &v->problem, &(cas_formula_place){.x = v->x}, out);
}

static cas_status look_at_all(const viewer *v, size_t size, cas_error *err) {
  const size_t numbers = (size_t)v->observables.numbers;
  CAS_OWNED double *state = calloc(size, sizeof *state), *out = calloc(numbers, sizeof *out);
  CAS_NEED(state && out);
  print_head(observable_of(v));
  size_t n = 0;
  while ((n = fread(state, sizeof *state, size, stdin)) == size) {
    look(v, state, out);
    fwrite(out, sizeof *out, numbers, stdout);
  }
  CAS_FAIL_IF(n > 0, CAS_BAD_INPUT, "the states end within one: found %zu of its %zu numbers", n,
              size);
  CAS_FAIL_IF(fflush(stdout) || ferror(stdout), CAS_FILE_ERROR,
              "standard output could not be written");
  return CAS_OK;
}

static const cas_app_command evaluate = {
    .command = CAS_APP_EVALUATE,
    .least = 2,
    .most = 2,
    .missing = "the results file or the observable is missing",
    .allowed = "a results file and an observable",
    .names = "RESULTS.h5 OBSERVABLE",
    .doc = "Compute an observable of states, by the system of a results file with its parameters. "
           "Standard input has states as the file holds them, doubles of this machine; standard "
           "output a line of JSON (name, unit, shape, axes) and then the doubles of the "
           "observable, NaN where numbers are no state of the system."};

int cas_app_evaluate(int argc, char **argv) {
  CAS_OWNED_BY(cas_arguments_free) cas_arguments a;
  CAS_OWNED_BY(close_viewer) viewer v = {0};
  cas_error err = {0};
  cas_arguments_parse(&evaluate, argc, argv, 0, &a);
  cas_status st = open_viewer(&v, &a, &err);
  if (!st)
    st = look_at_all(&v, a.size ? (size_t)a.size : cas_problem_state_doubles(&v.problem), &err);
  return st ? cas_app_error(&err) : EXIT_SUCCESS;
}
