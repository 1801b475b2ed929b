#include "language/config/keys.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/parameters.h"
#include "paths/problem/sections.h"

cas_status cas_section_check(const cas_config *c, const cas_system *s, MPI_Comm comm,
                             void *parameters, void *configured, cas_error *err) {
  cas_status st = cas_input_read(c, "system", s->parameters.options, parameters, comm, err);
  if (configured)
    memcpy(configured, parameters, s->parameters.size);
  if (!st && s->parameters.check)
    st = s->parameters.check(c, parameters, err);
  cas_input_free(s->parameters.options, parameters);
  return st;
}

void cas_section_release(const cas_system *s, void *parameters) {
  if (parameters && s->parameters.release)
    s->parameters.release(parameters);
  if (parameters)
    cas_options_free(s->parameters.options, parameters);
  free(parameters);
}

/* Keys of the section beside those of the system's own table. */
static const char *const *other_keys(const cas_problem *p) {
  static const char *const also[] = {"name", "initial", NULL};
  static const char *const also_own[] = {"name", "initial", "file", "file_hash", NULL};
  return p->own.system.file ? also_own : also;
}

static cas_status read_generator(const cas_config *c, cas_problem *p, cas_error *err) {
  static const char *const also[] = {"generator", NULL}, *const also_replay[] = {
                                                             "generator", "file", "dataset", NULL};
  const cas_generator *g = p->noise.generator =
      cas_problem_registry_find(c, "random.generator", "sprng_mlfg", cas_generator_list(), err);
  char others[200] = "";
  if (!g)
    return CAS_BAD_INPUT;
  for (const cas_generator *const *o = cas_generator_list(); *o; o++)
    if (!(*o)->missing)
      cas_append(others, sizeof others, "%s%s", others[0] ? ", " : "", (*o)->name);
  CAS_REFUSE(c, g->missing, "random.generator", "%s: %s; there are: %s", g->name, g->missing,
             others);
  return cas_options_read(c, "random", cas_random_option_table, g->replayed ? also_replay : also,
                          &p->random, err);
}

/* The parameters of all paths; or those of path 0, and once more as the configuration has them. */
static cas_status read_parameters(const cas_config *c, cas_problem *p, MPI_Comm comm,
                                  cas_error *err) {
  const cas_option *table = p->system->parameters.options;
  CAS_CALL(cas_options_read(c, "system", table, other_keys(p), p->parameters.all, err));
  CAS_CALL(cas_section_check(c, p->system, comm, p->parameters.all, p->parameters.configured, err));
  if (!p->parameters.uncertain)
    return CAS_OK;
  void *written = p->parameters.uncertain->written;
  CAS_CALL(cas_options_read(c, "system", table, cas_keys_of_others, written, err));
  cas_status st = cas_input_read(c, "system", table, written, comm, err);
  cas_input_free(table, written);
  return st;
}

/* Numbers at the centres of their laws that are refused in the same words are refused for something
   else, such as how many they are, for which to draw others is no advice. */
static cas_status explain_drawn(const cas_config *c, const cas_problem *p, MPI_Comm comm,
                                cas_status st, const cas_error *found, cas_error *err) {
  cas_error why = {0}, plain = {0};
  st = cas_parameters_explain(p, 0, true, st, found, err);
  (void)cas_parameters_explain(p, 0, false, st, found, &plain);
  void *centre = calloc(1, p->system->parameters.size);
  cas_status refused = centre ? cas_parameters_centre(p, &why) : cas_no_memory(&why);
  if (!refused)
    refused =
        cas_options_read(c, "system", p->system->parameters.options, other_keys(p), centre, &why);
  if (!refused)
    refused = cas_section_check(c, p->system, comm, centre, p->parameters.configured, &why);
  cas_section_release(p->system, centre);
  if (refused == st && strcmp(why.text, found->text) == 0)
    *err = plain;
  return st;
}

cas_status cas_section_system(const cas_config **c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  cas_error found = {0};
  /* An option of a user's system with the name of another key of the section would not be read. */
  for (const char *const *taken = other_keys(p); p->own.system.file && *taken; taken++)
    CAS_REFUSE(*c, cas_option_find(p->system->parameters.options, *taken), "system.file",
               "%s: its option '%s' has the name of a key of all systems", p->own.system.file,
               *taken);
  if (!p->own.system.file)
    p->system = cas_problem_registry_find(*c, "system.name", NULL, p->kernels->systems, err);
  if (!p->system)
    return CAS_BAD_INPUT;
  p->parameters.all = calloc(1, p->system->parameters.size);
  p->parameters.configured = calloc(1, p->system->parameters.size);
  CAS_NEED(p->parameters.all && p->parameters.configured);
  CAS_CALL(read_generator(*c, p, err)); /* by whose seed path 0 draws its parameters */
  CAS_CALL(cas_parameters_find(c, p, comm, err));
  CAS_CALL(cas_options_read(*c, "system", cas_initial_option_table, cas_keys_of_others, &p->initial,
                            err));
  const bool drawn = p->parameters.uncertain;
  cas_status st = read_parameters(*c, p, comm, drawn ? &found : err);
  return st && drawn ? explain_drawn(*c, p, comm, st, &found, err) : st;
}

/* ---- states ---- */

void cas_geometry_find(const cas_kernels *k, const cas_system *s, const cas_body *b,
                       const void *parameters, cas_geometry *g) {
  *g = (cas_geometry){.algebra = cas_kernels_find(k->algebras, b->algebra)};
  cas_system_geometry(s, parameters, &g->n, &g->factors);
  g->components = g->factors * g->algebra->dimension(g->n);
  g->table = s->space.table ? s->space.table(parameters) : NULL;
}

void cas_section_geometry(cas_problem *p) {
  const cas_system *s = p->system;
  const void *parameters = p->parameters.all;
  const bool one_path = s->blocks.one_path && s->blocks.one_path(parameters);
  p->W = one_path ? 1 : s->blocks.lanes;
  p->body = !one_path                             ? s->blocks.body(parameters)
            : cas_dissipation_acts(s, parameters) ? s->dissipated->path_body
                                                  : s->blocks.path_body;
  cas_geometry_find(p->kernels, s, p->body, parameters, &p->geometry);
  p->part = s->space.part ? s->space.part(parameters) : NULL;
  p->components = p->geometry.components + (p->part ? p->part->numbers : 0);
}

cas_status cas_section_names(cas_problem *p, cas_error *err) {
  if (asprintf(&p->names, "%s%s%s", cas_system_names(p->system, p->parameters.all),
               p->part ? " " : "", p->part ? p->part->names : "") < 0)
    p->names = NULL;
  return p->names ? CAS_OK : cas_no_memory(err);
}
