#include "present/pictures/viewer.h"
#include "base/text.h"
#include "config/uncertain.h"
#include <stdlib.h>
#include <string.h>

const cas_system *cas_viewer_system(const cas_source *s) {
  const char *name = s->results.provenance.system;
  for (const cas_system *const *i = cas_kernels_get()->systems; name && *i; i++)
    if (strcmp((*i)->name, name) == 0)
      return *i;
  return NULL;
}

static const cas_functional *find(const cas_functional *list, const char *name, int axes,
                                  const void *parameters) {
  cas_axis axis[2];
  for (const cas_functional *f = list; f && f->name; f++)
    if (strcmp(f->name, name) == 0 && (f->axes ? f->axes(parameters, axis) : 0) == axes)
      return f;
  return NULL;
}

const cas_functional *cas_viewer_observable(const cas_system *system, const char *name, int axes) {
  void *zeroed = calloc(1, system->parameters_size);
  const cas_functional *found = zeroed ? find(system->observables, name, axes, zeroed) : NULL;
  if (zeroed && !found)
    found = find(system->functionals, name, axes, zeroed);
  free(zeroed);
  return found;
}

static void list_numbers(const cas_functional *list, const void *parameters, char *text,
                         size_t size) {
  cas_axis axis[2];
  for (const cas_functional *f = list; f && f->name; f++)
    if (!f->axes || f->axes(parameters, axis) == 0)
      cas_append(text, size, "%s%s", text[0] ? ", " : "", f->name);
}

cas_status cas_viewer_contours(const cas_source *s, const char *name, const cas_functional **f,
                               cas_error *err) {
  const cas_system *system = cas_viewer_system(s);
  char names[700] = "";
  if (!system)
    return cas_fail(err, CAS_BAD_INPUT, "--contours: %s: its system is not known", s->file);
  *f = cas_viewer_observable(system, name, 0);
  if (*f)
    return CAS_OK;
  void *zeroed = calloc(1, system->parameters_size);
  if (!zeroed)
    return cas_no_memory(err);
  list_numbers(system->observables, zeroed, names, sizeof names);
  list_numbers(system->functionals, zeroed, names, sizeof names);
  free(zeroed);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--contours: the system %s has no observable '%.40s' of one number; it has: %s",
                  system->name, name, names[0] ? names : "none");
}

/* Noise is no part of what a state shows, and may be in files that are gone. */
static cas_status read_parameters(const cas_source *s, cas_viewer *v, cas_error *err) {
  static const char *const also[] = {"name", "initial", "file", "file_hash", NULL};
  const char *text = s->results.provenance.configuration;
  if (!text)
    return cas_fail(err, CAS_BAD_INPUT, "%s: has no configuration", s->file);
  CAS_CALL(cas_config_parse(text, strlen(text), s->file, &v->config, err));
  if (cas_config_has(v->config, "system.noise"))
    CAS_CALL(cas_config_set(v->config, "system.noise=null", err));
  /* What is shown is of a state with the parameters of the configuration, which here every path has
     drawn. */
  cas_uncertain u;
  cas_status st = cas_uncertain_find(v->config, "system", v->system->options, &u, err);
  if (!st && u.values)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s: %s differs from path to path, and this picture needs parameters that all of "
                  "them have",
                  s->file, u.value[0].path);
  cas_uncertain_free(&u);
  CAS_CALL(st);
  CAS_CALL(cas_options_read(v->config, "system", v->system->options, also, v->parameters, err));
  return v->system->check ? v->system->check(v->config, v->parameters, err) : CAS_OK;
}

static int count_components(const cas_viewer *v) {
  const cas_body *body = v->system->body(v->parameters);
  int n, factors;
  cas_system_geometry(v->system, v->parameters, &n, &factors);
  for (const cas_algebra *const *a = cas_kernels_get()->algebras; *a; a++)
    if (strcmp((*a)->name, body->algebra) == 0)
      return factors * (*a)->dimension(n);
  return 0;
}

cas_status cas_viewer_open(const cas_source *s, const cas_functional *observable, cas_viewer *v,
                           cas_error *err) {
  v->system = cas_viewer_system(s);
  v->observable = observable;
  v->parameters = calloc(1, v->system->parameters_size);
  if (!v->parameters)
    return cas_no_memory(err);
  CAS_CALL(read_parameters(s, v, err));
  const char *why = observable->undefined ? observable->undefined(v->parameters) : NULL;
  if (why)
    return cas_fail(err, CAS_BAD_INPUT, "%s: there is no %s: %s", s->file, observable->name, why);
  v->components = count_components(v);
  v->x = calloc((size_t)v->components + 8, sizeof *v->x);
  return v->x ? CAS_OK : cas_no_memory(err);
}

void cas_viewer_close(cas_viewer *v) {
  if (v->parameters && v->system->release)
    v->system->release(v->parameters);
  if (v->parameters)
    cas_options_free(v->system->options, v->parameters);
  free(v->parameters);
  free(v->x);
  cas_config_free(v->config);
}

const char *cas_viewer_look(const cas_viewer *v, const double *state, double *out) {
  const char *wrong = v->system->pack ? v->system->pack(v->parameters, state, v->x) : NULL;
  if (!v->system->pack)
    memcpy(v->x, state, (size_t)v->components * sizeof *v->x);
  if (!wrong)
    v->observable->value(v->parameters, 1, v->x, out);
  return wrong;
}
