#include "paths/observables.h"
#include "base/name_list.h"
#include "base/owned.h"
#include "paths/follower.h"

/* ---- observables of every system ---- */

/* (H - H(0)) / |H(0)|, figures 4, 6, 8 and 10 of [EJLL] */
static void hamiltonian_departure(cas_pass *s, int level, double *out) {
  const cas_problem *p = s->level[level].problem;
  cas_parameters_value(p, &p->system->observables[0], 1, s->level[level].x, out);
  for (int l = 0; l < p->W; l++) {
    const double before = s->level[level].hamiltonian0[l],
                 scale = before == 0 ? 1 : 1 / fabs(before);
    out[l] = (out[l] - before) * scale;
  }
}

const cas_common_observable cas_common_observables[] = {
    {.name = "casimir_departure",
     .summary = "largest departure of a Casimir from its initial value, relative to the largest "
                "Casimir; of positions and momenta, of a constant momentum map, and 0 if there is "
                "none",
     .evaluate = cas_pass_departure},
    {.name = "hamiltonian_departure",
     .summary = "(H0 - its initial value) / |its initial value|; the difference itself where that "
                "is 0",
     .evaluate = hamiltonian_departure},
    {0}};

/* ---- by name ---- */

const cas_functional *cas_observables_in(const cas_functional *list, const char *name) {
  for (; list->name; list++)
    if (strcmp(list->name, name) == 0)
      return list;
  return NULL;
}

static bool find_known(const cas_problem *p, const char *name, cas_observable *o) {
  const cas_functional *f = cas_observables_in(p->system->observables, name);
  if (!f)
    f = cas_observables_in(p->system->functionals, name);
  if (f)
    *o = (cas_observable){.name = f->name, .summary = f->summary, .unit = f->unit, .functional = f};
  for (const cas_common_observable *c = cas_common_observables; !f && c->name; c++)
    if (strcmp(name, c->name) == 0)
      *o = (cas_observable){.name = c->name, .summary = c->summary, .unit = "1", .common = c};
  return o->name;
}

/* An expression that the system names, or a number of the state or of its part or a Casimir. */
static bool find_expression(const cas_vocabulary *s, const char *name, cas_observable *o) {
  const char *text = cas_vocabulary_expression(s->problem, name);
  const cas_variable_source *number = text ? NULL : cas_vocabulary_number(s, name);
  const cas_functional *f = number ? number->functional : NULL;
  if (text || number)
    *o = (cas_observable){.name = name,
                          .summary = text ? text
                                     : f  ? f->summary
                                          : "number of the state, or Casimir",
                          .unit = f ? f->unit : "expression_unit",
                          .expression = text ? text : name};
  return text || number;
}

/* Adds what exists for these parameters; a name may be a functional and an observable. */
static void list_names(const cas_problem *p, const cas_functional *f, cas_name_list *names) {
  for (; f->name; f++)
    if (!(f->undefined && f->undefined(p->parameters.all)))
      cas_name_list_add_once(names, f->name);
}

static cas_status unknown(const cas_config *c, const char *key, const char *name,
                          const cas_vocabulary *s, cas_error *err) {
  const cas_problem *p = s->problem;
  const cas_formulas *f = cas_vocabulary_formulas(p);
  CAS_OWNED_BY(cas_name_list_free) cas_name_list known = {0};
  for (const cas_common_observable *o = cas_common_observables; o->name; o++)
    cas_name_list_add(&known, o->name);
  list_names(p, p->system->observables, &known);
  list_names(p, p->system->functionals, &known);
  for (int i = 0; i < f->n; i++)
    cas_name_list_add_once(&known, f->name[i]);
  for (int i = 0; i < s->numbers; i++)
    cas_name_list_add_once(&known, s->variables.name[i]);
  CAS_CALL(cas_name_list_check(&known, err));
  return cas_config_unknown(c, err, key, name, known.name);
}

static cas_status find_axes(const void *parameters, cas_observable *o, cas_error *err) {
  o->numbers = 1;
  if (o->functional && o->functional->axes)
    o->axes = o->functional->axes(parameters, o->axis);
  for (int i = 0; i < o->axes; i++) {
    const cas_axis *a = &o->axis[i];
    o->numbers *= a->length;
    if (a->labels)
      continue;
    double *coordinates = o->coordinates[i] = malloc((size_t)a->length * sizeof *coordinates);
    CAS_NEED(coordinates);
    for (int k = 0; k < a->length; k++)
      coordinates[k] = k + 1;
    if (a->coordinates)
      a->coordinates(parameters, coordinates);
  }
  return CAS_OK;
}

/* ---- names in files ---- */

/* What files of some study have beside the groups and datasets of observables. */
static bool has_meaning_in_files(const char *name) {
  static const char names[] =
      " time path state component row column probability bin member members member_failed "
      "iterations clipped not_converged step paths round paths_by_round work_per_path "
      "fine_work_per_path steps_per_path iterations_per_path ";
  char word[64];
  return snprintf(word, sizeof word, " %s ", name) < (int)sizeof word && strstr(names, word);
}

static bool has_axis(const cas_observable *o, const char *name) {
  int i = 0;
  while (i < o->axes && strcmp(o->axis[i].name, name) != 0)
    i++;
  return i < o->axes;
}

/* An expression, a component too, stands in files under its own name, beside the axes of others. */
static cas_status check_file_names(const cas_config *c, const char *key, const cas_observables *o,
                                   cas_error *err) {
  for (int i = 0; i < o->n; i++) {
    const char *name = o->observable[i].name;
    bool taken = o->observable[i].expression && has_meaning_in_files(name);
    for (int k = 0; o->observable[i].expression && k < o->n; k++)
      taken |= has_axis(&o->observable[k], name);
    CAS_REFUSE(c, taken, key,
               "files have something else of the name '%s'; give the expression "
               "another one, such as {my_%s: ..}",
               name, name);
  }
  return CAS_OK;
}

/* Refuses a name that is unknown or does not exist for these parameters. */
static cas_status look_up(const cas_config *c, const char *key, const char *name,
                          const cas_vocabulary *s, cas_observable *a, cas_error *err) {
  const cas_problem *p = s->problem;
  if (!find_known(p, name, a) && !find_expression(s, name, a))
    return unknown(c, key, name, s, err);
  const char *why = a->functional && a->functional->undefined
                        ? a->functional->undefined(p->parameters.all)
                        : NULL;
  CAS_REFUSE(c, why, key, "'%s' does not exist here: %s", name, why);
  return CAS_OK;
}

/* Refuses a name that is no word, or that something else has. */
static cas_status name_expression(const cas_config *c, const char *path, const char *name,
                                  const char *text, const cas_vocabulary *s, cas_observable *a,
                                  cas_error *err) {
  const char *bad = cas_expression_bad_name(name), *meaning = cas_vocabulary_meaning(s, name);
  CAS_REFUSE(c, bad, path, "found the name '%.40s', %s", name, bad);
  CAS_REFUSE(c, meaning || find_known(s->problem, name, a) || find_expression(s, name, a), path,
             "'%s' is a name of system %s already%s%s; give the expression another one", name,
             s->problem->system->name, meaning ? ", " : "", meaning ? meaning : "");
  *a = (cas_observable){
      .name = name, .summary = text, .unit = "expression_unit", .expression = text};
  return CAS_OK;
}

/* An entry of a list, which is refused if it is given twice. */
static cas_status find_entry(const cas_config *c, const char *key, const cas_formulas *names, int i,
                             const cas_vocabulary *s, cas_observables *o, cas_error *err) {
  const char *name = names->name[i], *text = names->text ? names->text[i] : NULL;
  cas_observable *a = &o->observable[o->n++];
  char path[600];
  snprintf(path, sizeof path, "%s%s", key, text ? names->place[i] : "");
  CAS_CALL(text ? name_expression(c, path, name, text, s, a, err)
                : look_up(c, key, name, s, a, err));
  for (int k = 0; k < i; k++)
    CAS_REFUSE(c, strcmp(a->name, o->observable[k].name) == 0, key, "names '%s' twice", name);
  if (a->expression)
    CAS_CALL(cas_formula_create(c, path, a->expression, s->problem, &a->formula, err));
  CAS_CALL(find_axes(s->problem->parameters.all, a, err));
  o->numbers += a->numbers;
  return CAS_OK;
}

cas_status cas_observables_find(const cas_config *c, const char *key, const cas_formulas *names,
                                cas_problem *p, cas_observables *o, cas_error *err) {
  *o = (cas_observables){.observable = calloc((size_t)names->n + 1, sizeof *o->observable),
                         .key = key,
                         .place = names->place};
  p->study.observables = o;
  CAS_NEED(o->observable);
  CAS_OWNED_BY(cas_vocabulary_free) cas_vocabulary s;
  CAS_CALL(cas_vocabulary_find(p, &s, err));
  for (int i = 0; i < names->n; i++)
    CAS_CALL(find_entry(c, key, names, i, &s, o, err));
  CAS_CALL(check_file_names(c, key, o, err));
  for (int i = 0; i < o->n; i++)
    CAS_CALL(cas_followers_add(p, &o->observable[i].formula, err));
  return CAS_OK;
}

/* An expression may have no name that something else of the system has. */
static cas_status check_formula(const cas_config *c, const cas_formulas *f, int i,
                                const cas_vocabulary *s, cas_error *err) {
  cas_observable a = {0};
  CAS_OWNED_BY(cas_formula_free) cas_formula formula = {0};
  char path[300];
  snprintf(path, sizeof path, "system.observables%.200s", f->place[i]);
  const char *name = f->name[i], *meaning = cas_vocabulary_meaning(s, name),
             *bad = f->text[i] ? cas_expression_bad_name(name) : "must be {name: expression}";
  CAS_REFUSE(c, bad, path, "found '%.40s', %s", name, bad);
  CAS_REFUSE(c, meaning || find_known(s->problem, name, &a), path,
             "'%s' is a name already%s%s; must be another", name, meaning ? ", " : "",
             meaning ? meaning : "");
  CAS_REFUSE(c, has_meaning_in_files(name), path,
             "files have something else of the name '%s'; must be another", name);
  return cas_formula_create(c, path, f->text[i], s->problem, &formula, err);
}

cas_status cas_observables_check(const cas_config *c, const cas_problem *p, cas_error *err) {
  const cas_formulas *f = cas_vocabulary_formulas(p);
  CAS_OWNED_BY(cas_vocabulary_free) cas_vocabulary s;
  CAS_CALL(cas_vocabulary_find(p, &s, err));
  CAS_CALL(cas_vocabulary_check(c, &s, err));
  /* Studies know these by name, expressions do not. */
  for (const cas_common_observable *o = cas_common_observables; o->name; o++) {
    const char *meaning = cas_vocabulary_meaning(&s, o->name);
    if (meaning)
      return cas_vocabulary_refuse(c, o->name, meaning, "an observable", err);
  }
  for (int i = 0; i < f->n; i++)
    CAS_CALL(check_formula(c, f, i, &s, err));
  return CAS_OK;
}

static cas_status find_at_sizes(const char *key, const cas_formulas *names, cas_problem *p,
                                cas_observables *o, cas_error *err) {
  const cas_sizes *s = p->sizes;
  CAS_REFUSE(p->config, p->study.followers.n > 0, key,
             "path_max and other functionals of whole paths have one size; must be "
             "functions of the state beside study.refine");
  o->smaller = calloc((size_t)s->n, sizeof *o->smaller);
  CAS_NEED(o->smaller);
  for (; o->sizes + 1 < s->n; o->sizes++)
    CAS_CALL(cas_observables_find(s->config[o->sizes], key, names, s->problem[o->sizes],
                                  &o->smaller[o->sizes], err));
  return CAS_OK;
}

cas_status cas_functionals_find(const cas_config *c, const char *key, const cas_formulas *names,
                                cas_problem *p, cas_observables *o, cas_error *err) {
  CAS_CALL(cas_observables_find(c, key, names, p, o, err));
  if (p->sizes)
    CAS_CALL(find_at_sizes(key, names, p, o, err));
  for (int i = 0; i < o->n; i++)
    CAS_REFUSE(c, o->observable[i].axes > 0, key,
               "'%s' is %d numbers, by %s; a functional must be a single number",
               o->observable[i].name, o->observable[i].numbers, o->observable[i].axis[0].name);
  return CAS_OK;
}

size_t cas_observables_most(const cas_observables *o) {
  int most = 1;
  for (int i = 0; i < o->n; i++)
    if (o->observable[i].numbers > most)
      most = o->observable[i].numbers;
  return (size_t)most;
}

void cas_observables_free(cas_observables *o) {
  for (int i = 0; o->smaller && i <= o->sizes; i++)
    cas_observables_free(&o->smaller[i]);
  free(o->smaller);
  for (int i = 0; i < o->n; i++) {
    for (int k = 0; k < 2; k++)
      free(o->observable[i].coordinates[k]);
    cas_formula_free(&o->observable[i].formula);
  }
  free(o->observable);
  *o = (cas_observables){0};
}

/* ---- use ---- */

const char *cas_observables_title(const cas_problem *p, int64_t number, char *text, size_t size) {
  const cas_observables *all = p->study.observables;
  const cas_observable *o =
      all && number > 0 && number <= all->n ? &all->observable[number - 1] : NULL;
  if (o && o->expression && strcmp(o->name, o->expression) != 0)
    snprintf(text, size, "%s = %s", o->name, o->expression);
  else
    snprintf(text, size, "%s", o ? o->name : "");
  return text;
}

cas_status cas_observables_refuse(const cas_config *c, const cas_problem *p, int number,
                                  const char *what, cas_error *err) {
  const cas_observables *all = p->study.observables;
  char path[600], title[CAS_FAILED_QUANTITY];
  snprintf(path, sizeof path, "%s%s", all->key, all->place ? all->place[number - 1] : "");
  return cas_config_fail(c, err, path, "%s %s",
                         cas_observables_title(p, number, title, sizeof title), what);
}

/* The place of an observable among those of the problem, counted from 1; 0: it is none of them. */
static int place_of(const cas_observable *o, const cas_problem *p) {
  const cas_observables *all = p->study.observables;
  int number = 0;
  while (all && number < all->n && &all->observable[number] != o)
    number++;
  return all && number < all->n ? number + 1 : 0;
}

void cas_observable_evaluate(const cas_observable *o, cas_pass *s, int level, double *out) {
  const cas_problem *p = s->level[level].problem;
  if (cas_cancelled())
    return;
  if (o->functional)
    cas_parameters_value(p, o->functional, o->numbers, s->level[level].x, out);
  else if (o->expression)
    cas_formula_evaluate(
        p->sizes || !s->problem->sizes
            ? &o->formula
            : &p->study.observables->observable[place_of(o, s->problem) - 1].formula,
        p,
        &(cas_formula_place){cas_level_time(&s->level[level]), s->level[level].x,
                             s->level[level].followed},
        out);
  else
    o->common->evaluate(s, level, out);
  for (int i = 0; !s->abandoned && i < o->numbers * p->W; i++)
    if (!isfinite(out[i]))
      cas_pass_note_value(s, level, i % p->W, place_of(o, s->problem));
}

double cas_observable_order(const cas_observable *o, const cas_problem *p) {
  const double of_scheme =
      p->noise.noises == 0 ? p->scheme.integrator->order : p->scheme.integrator->weak_order;
  return fmin(of_scheme, cas_followers_order(p, &o->formula));
}

double cas_observable_law_order(const cas_observable *o, const cas_problem *p) {
  const double order = cas_observable_order(o, p);
  return order < 1 ? NAN : order;
}

static void put_axis(const cas_axis *a, const double *coordinates, cas_file_axis *out) {
  *out = (cas_file_axis){.name = a->name,
                         .long_name = a->summary,
                         .unit = a->unit,
                         .length = a->length,
                         .labels = a->labels,
                         .coordinates = coordinates};
}

void cas_observable_dataset(const cas_observable *o, cas_file_dataset *d) {
  *d = (cas_file_dataset){
      .name = o->name, .long_name = o->summary, .unit = o->unit, .axes = o->axes};
  for (int i = 0; i < o->axes; i++)
    put_axis(&o->axis[i], o->coordinates[i], &d->axis[i]);
}

/* ---- states ---- */

void cas_observables_state_dataset(const cas_problem *p, cas_file_dataset *d) {
  static const cas_axis vector = {.name = "component", .summary = "component of the state"},
                        matrix[2] = {{.name = "row", .summary = "row of the matrix"},
                                     {.name = "column", .summary = "column of the matrix"}};
  cas_axis axis[2];
  cas_array state;
  cas_problem_state_shape(p, &state);
  for (int i = 0; i < 2; i++) {
    axis[i] = state.rank == 1 ? vector : matrix[i];
    axis[i].unit = "1";
    axis[i].length = (int)state.dims[i];
  }
  if (state.rank == 1)
    axis[0].labels = p->names;
  *d = (cas_file_dataset){
      .name = "state",
      .long_name = "state",
      .unit = p->system->state.unit,
      .axes = p->system->state.axes ? p->system->state.axes(p->parameters.all, axis) : state.rank,
      .is_complex = state.is_complex,
      .components = p->names};
  for (int i = 0; i < d->axes; i++)
    put_axis(&axis[i], NULL, &d->axis[i]);
}
