#include "studies/observables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cas_casimir_departure_name[] = "casimir_departure";
const char cas_casimir_departure_summary[] =
    "largest departure of a Casimir from its initial value, relative to the largest Casimir";

/* ---- by name ---- */

static const cas_functional *find_in(const cas_functional *list, const char *name) {
  for (; list->name; list++)
    if (strcmp(list->name, name) == 0)
      return list;
  return NULL;
}

static bool find(const cas_system *s, const char *name, cas_observable *o) {
  const cas_functional *f = find_in(s->observables, name);
  if (!f)
    f = find_in(s->functionals, name);
  if (f)
    *o = (cas_observable){.name = f->name, .summary = f->summary, .unit = f->unit, .functional = f};
  else if (strcmp(name, cas_casimir_departure_name) == 0)
    *o = (cas_observable){
        .name = cas_casimir_departure_name, .summary = cas_casimir_departure_summary, .unit = "1"};
  return o->name;
}

static int list_names(const cas_functional *f, const char **names, int n) {
  for (; f->name && n < 62; f++)
    if (n == 0 || !find_in(f + 1, f->name))
      names[n++] = f->name;
  return n;
}

static cas_status unknown(const cas_config *c, const char *key, const char *name,
                          const cas_system *s, cas_error *err) {
  const char *known[64] = {cas_casimir_departure_name};
  int n = list_names(s->observables, known, 1);
  list_names(s->functionals, known, n);
  return cas_config_unknown(c, err, key, name, known);
}

/* ---- axes ---- */

static cas_status find_coordinates(const void *parameters, const cas_axis *a, double **coordinates,
                                   cas_error *err) {
  if (a->labels)
    return CAS_OK;
  *coordinates = malloc((size_t)a->length * sizeof **coordinates);
  if (!*coordinates)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int i = 0; i < a->length; i++)
    (*coordinates)[i] = i;
  if (a->coordinates)
    a->coordinates(parameters, *coordinates);
  return CAS_OK;
}

static cas_status find_axes(const void *parameters, cas_observable *o, cas_error *err) {
  cas_status st = CAS_OK;
  o->numbers = 1;
  if (o->functional && o->functional->axes)
    o->axes = o->functional->axes(parameters, o->axis);
  for (int i = 0; !st && i < o->axes; i++) {
    o->numbers *= o->axis[i].length;
    st = find_coordinates(parameters, &o->axis[i], &o->coordinates[i], err);
  }
  return st;
}

static void spell_out(cas_observable *o) {
  snprintf(o->long_name, sizeof o->long_name, "%s", o->name);
  for (char *p = o->long_name; *p; p++)
    *p = *p == '_' ? ' ' : *p;
}

cas_status cas_observables_find(const cas_config *c, const char *key, const cas_strings *names,
                                const cas_problem *p, cas_observables *o, cas_error *err) {
  *o = (cas_observables){.observable = calloc((size_t)names->n + 1, sizeof *o->observable)};
  if (!o->observable)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int i = 0; i < names->n; i++) {
    cas_observable *a = &o->observable[o->n];
    if (!find(p->system, names->value[i], a))
      return unknown(c, key, names->value[i], p->system, err);
    for (int j = 0; j < i; j++)
      if (strcmp(a->name, o->observable[j].name) == 0)
        return cas_config_fail(c, err, key, "names '%s' twice", a->name);
    o->n++;
    cas_status st = find_axes(p->parameters, a, err);
    if (st)
      return st;
    spell_out(a);
    o->numbers += a->numbers;
  }
  return CAS_OK;
}

void cas_observables_free(cas_observables *o) {
  for (int i = 0; i < o->n; i++)
    for (int k = 0; k < 2; k++)
      free(o->observable[i].coordinates[k]);
  free(o->observable);
  *o = (cas_observables){0};
}

/* ---- use ---- */

void cas_observable_evaluate(const cas_observable *o, cas_sweep *s, int level, double *out) {
  if (o->functional)
    o->functional->value(s->problem->parameters, s->problem->W, s->level[level].x, out);
  else
    cas_sweep_departure(s, level, out);
}

void cas_observable_dataset(const cas_observable *o, cas_file_dataset *d) {
  *d = (cas_file_dataset){
      .name = o->name, .long_name = o->long_name, .unit = o->unit, .axes = o->axes};
  for (int i = 0; i < o->axes; i++)
    d->axis[i] = (cas_file_axis){.name = o->axis[i].name,
                                 .long_name = o->axis[i].summary,
                                 .unit = o->axis[i].unit,
                                 .length = o->axis[i].length,
                                 .labels = o->axis[i].labels,
                                 .coordinates = o->coordinates[i]};
}
