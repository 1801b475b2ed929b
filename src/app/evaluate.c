/* `casimir evaluate`: observables of states, computed by the system of a results file with its
   parameters. */
#include "app/app.h"
#include "app/arguments.h"
#include "base/owned.h"
#include "base/text.h"
#include "language/config/uncertain.h"
#include "math/kernels/kernels.h"
#include "paths/problem/sections.h"

#include <math.h>

/* The system of a file, one observable of it, and a state as the system has it. */
typedef struct {
  cas_results results;
  cas_config *config;
  const cas_system *system;
  const cas_functional *observable;
  void *parameters;
  int components, numbers; /* numbers: of the observable */
  long needed;             /* doubles of a state in files */
  double *x;
  cas_axis axis[2];
  int axes;
} viewer;

/* ---- the observable ---- */

static const cas_functional *find(const cas_functional *list, const char *name) {
  for (const cas_functional *f = list; f && f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

static void list_names(const cas_functional *list, char *text, size_t size) {
  for (const cas_functional *f = list; f && f->name; f++)
    cas_append(text, size, "%s%s", text[0] ? ", " : "", f->name);
}

static cas_status find_observable(viewer *v, const char *file, const char *name, cas_error *err) {
  const char *system = v->results.provenance.system;
  v->system = system ? cas_system_find(system) : NULL;
  CAS_FAIL_IF(!v->system, CAS_BAD_INPUT, "%s: its system is not known", file);
  v->observable = find(v->system->observables, name);
  if (!v->observable)
    v->observable = find(v->system->functionals, name);
  if (v->observable)
    return CAS_OK;
  char names[700] = "";
  list_names(v->system->observables, names, sizeof names);
  list_names(v->system->functionals, names, sizeof names);
  return cas_fail(err, CAS_BAD_INPUT, "the system %s has no observable '%.40s'; it has: %s",
                  v->system->name, name, names[0] ? names : "none");
}

/* Noise is no part of what a state shows, and may be in files that are gone. */
static cas_status read_parameters(viewer *v, const char *file, cas_error *err) {
  static const char *const also[] = {"name", "initial", "file", "file_hash", NULL};
  const char *text = v->results.provenance.configuration;
  CAS_FAIL_IF(!text, CAS_BAD_INPUT, "%s: has no configuration", file);
  CAS_CALL(cas_config_parse(text, strlen(text), file, &v->config, err));
  if (cas_config_has(v->config, "system.noise"))
    CAS_CALL(cas_config_set(v->config, "system.noise=null", err));
  /* What is shown is of a state with the parameters of the configuration, which here every path has
     drawn. */
  CAS_OWNED_BY(cas_uncertain_free) cas_uncertain u;
  CAS_CALL(cas_uncertain_find(v->config, "system", v->system->options, &u, err));
  CAS_FAIL_IF(u.values, CAS_BAD_INPUT,
              "%s: %s differs from path to path, and an observable of a state alone needs "
              "parameters that "
              "all of them have",
              file, u.value[0].path);
  CAS_CALL(cas_options_read(v->config, "system", v->system->options, also, v->parameters, err));
  return cas_section_check(v->config, v->system, MPI_COMM_SELF, v->parameters, NULL, err);
}

static void measure(viewer *v) {
  int64_t dims[3] = {0};
  bool is_complex = false;
  const int rank = v->system->shape ? v->system->shape(v->parameters, dims, &is_complex) : 0;
  cas_geometry g;
  cas_geometry_find(cas_kernels_get(), v->system, v->system->body(v->parameters), v->parameters,
                    &g);
  v->components = g.components;
  v->needed = is_complex ? 2 : 1;
  for (int i = 0; i < rank; i++)
    v->needed *= dims[i];
  if (rank == 0)
    v->needed = v->components;
  v->axes = v->observable->axes ? v->observable->axes(v->parameters, v->axis) : 0;
  v->numbers = 1;
  for (int i = 0; i < v->axes; i++)
    v->numbers *= (int)v->axis[i].length;
}

static cas_status open_viewer(viewer *v, const cas_arguments *a, cas_error *err) {
  CAS_CALL(cas_results_read(a->name[0], &v->results, err));
  CAS_CALL(find_observable(v, a->name[0], a->name[1], err));
  v->parameters = calloc(1, v->system->parameters_size);
  CAS_NEED(v->parameters);
  CAS_CALL(read_parameters(v, a->name[0], err));
  const char *why = v->observable->undefined ? v->observable->undefined(v->parameters) : NULL;
  CAS_FAIL_IF(why, CAS_BAD_INPUT, "%s: there is no %s: %s", a->name[0], v->observable->name, why);
  measure(v);
  CAS_FAIL_IF(a->size && a->size < v->needed, CAS_BAD_INPUT,
              "--size: found %lld, must be at least %ld, the numbers of a state of %s",
              (long long)a->size, v->needed, v->system->name);
  v->x = calloc((size_t)v->components + 8, sizeof *v->x);
  return v->x ? CAS_OK : cas_no_memory(err);
}

static void close_viewer(viewer *v) {
  cas_section_release(v->system, v->parameters);
  free(v->x);
  cas_config_free(v->config);
  cas_results_free(&v->results);
}

/* ---- what is written ---- */

static cas_status print_head(const viewer *v, cas_error *err) {
  printf("{\"name\": \"%s\", \"unit\": \"%s\", \"shape\": [", v->observable->name,
         v->observable->unit);
  for (int i = 0; i < v->axes; i++)
    printf("%s%lld", i ? ", " : "", (long long)v->axis[i].length);
  printf("], \"axes\": [");
  for (int i = 0; i < v->axes; i++) {
    double *at = calloc((size_t)v->axis[i].length, sizeof *at);
    CAS_NEED(at);
    for (int64_t k = 0; k < v->axis[i].length; k++)
      at[k] = (double)(k + 1);
    if (v->axis[i].coordinates)
      v->axis[i].coordinates(v->parameters, at);
    printf("%s{\"name\": \"%s\", \"coordinates\": [", i ? ", " : "", v->axis[i].name);
    for (int64_t k = 0; k < v->axis[i].length; k++)
      printf("%s%.17g", k ? ", " : "", at[k]);
    printf("]}");
    free(at);
  }
  printf("]}\n");
  return CAS_OK;
}

/* NaN where the numbers are no state of the system. */
static void look(const viewer *v, const double *state, double *out) {
  const char *wrong = v->system->pack ? v->system->pack(v->parameters, state, v->x) : NULL;
  if (!v->system->pack)
    memcpy(v->x, state, (size_t)v->components * sizeof *v->x);
  for (int i = 0; i < v->numbers; i++)
    out[i] = NAN;
  if (!wrong)
    v->observable->value(v->parameters, 1, v->x, out);
}

static cas_status look_at_all(const viewer *v, size_t size, cas_error *err) {
  CAS_OWNED double *state = calloc(size, sizeof *state),
                   *out = calloc((size_t)v->numbers, sizeof *out);
  CAS_CALL(state && out ? print_head(v, err) : cas_no_memory(err));
  size_t n = 0;
  while ((n = fread(state, sizeof *state, size, stdin)) == size) {
    look(v, state, out);
    fwrite(out, sizeof *out, (size_t)v->numbers, stdout);
  }
  CAS_FAIL_IF(n > 0, CAS_BAD_INPUT, "the states end within one: found %zu of its %zu numbers", n,
              size);
  CAS_FAIL_IF(fflush(stdout) || ferror(stdout), CAS_FILE_ERROR,
              "standard output could not be written");
  return CAS_OK;
}

/* ---- the command ---- */

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
    st = look_at_all(&v, (size_t)(a.size ? a.size : v.needed), &err);
  return st ? cas_app_error(&err) : EXIT_SUCCESS;
}
