#include "base/text.h"
#include "blas/lapack.h"
#include "config/keys.h"
#include "paths/initial.h"

#include <casimir/results.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const cas_option cas_random_option_table[] = {
    CAS_OPTION(cas_random_options, INT, seed, .fallback = "1", .low = 0, .high = 0x7fffffff,
               .identity = CAS_OF_PART,
               .help = "seed of all random streams; studies with the same seed and generator use "
                       "the same streams and are not independent samples"),
    CAS_OPTION(cas_random_options, STRING, stream, .fallback = "",
               .help =
                   "continue: where system.initial is a record of a run of the same seed, go on "
                   "with the noise that follows it; begin, the default: from the beginning"),
    {0}};

const cas_option cas_replay_option_table[] = {
    CAS_OPTION(cas_random_options, STRING, file,
               .help = "HDF5 file with the standard normals to replay"),
    CAS_OPTION(cas_random_options, STRING, dataset, .fallback = "zeta",
               .help = "steps x noises or paths x steps x noises"),
    {0}};

const cas_option cas_initial_option_table[] = {
    CAS_OPTION(
        cas_problem, STATE, initial, .fallback = "",
        .help =
            "one of these; without it, the system's own state, if it has one:\n"
            "[x1, x2, ..]                             the numbers themselves\n"
            "{file: F, dataset: D, index: I}          a state of an HDF5 file\n"
            "{file: F, index: [RECORD, PATH]}         of a stack of records and paths\n"
            "{random: {seed: S, norm: R}}             normal components, scaled to this norm\n"
            "{random: {seed: S, law: L}}              by a law of the system\n"
            "{random: {.., lmin: A, lmax: B}}         of these degrees of harmonics, or shells\n"
            "{coefficients: [[l, m, value], ..], norm: R}\n"
            "                                         of harmonics; others are 0. These are real\n"
            "                                         and orthonormal, without (-1)^m: m > 0 has\n"
            "                                         sin(m phi), m < 0 cos(m phi)\n"
            "{coefficients: {file: F, dataset: D, index: I}}\n"
            "                                         all of them from a file\n"
            "{map: {file: F, dataset: D, index: I}}   the vorticity on a grid\n"
            "With `each: path` beside file, random or map, or coefficients of a file, every path "
            "has its own."),
    {0}};

/* The name of an entry, with which the entries of every registry begin. */
static const char *entry_name(const void *entry) { return *(const char *const *)entry; }

const void *cas_problem_registry_find(const cas_config *c, const char *path, const char *fallback,
                                      const void *const *list, cas_error *err) {
  const char *name = cas_config_has(c, path) ? cas_config_text(c, path) : fallback;
  cas_name_list known = {0};
  for (int n = 0; list[n]; n++) {
    if (name && strcmp(entry_name(list[n]), name) == 0) {
      cas_name_list_free(&known);
      return list[n];
    }
    cas_name_list_add(&known, entry_name(list[n]));
  }
  if (!cas_name_list_check(&known, err))
    cas_config_unknown(c, err, path, NULL, known.name);
  cas_name_list_free(&known);
  return NULL;
}

/* ---- the sections ---- */

/* Every system has the key `initial` besides the keys of its own table, which were checked
   before. */
static cas_status read_initial_source(const cas_config *c, cas_problem *p, cas_error *err) {
  cas_name_list also = {0};
  cas_name_list_add(&also, "name");
  cas_option_keys(p->system->options, &also);
  if (p->own_system.file)
    cas_option_keys(cas_own_file_options, &also);
  cas_status st = cas_name_list_check(&also, err);
  if (!st)
    st = cas_options_read(c, "system", cas_initial_option_table, also.name, p, err);
  cas_name_list_free(&also);
  return st;
}

/* Lets the system check what was read; it keeps what it needs of arrays. */
static cas_status check_system(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  const cas_system *s = p->system;
  cas_status st = cas_input_read(c, "system", s->options, p->parameters, comm, err);
  memcpy(p->configured, p->parameters, s->parameters_size);
  if (!st && s->check)
    st = s->check(c, p->parameters, err);
  cas_input_free(s->options, p->parameters);
  return st;
}

/* Keys of the section beside those of the system's own table. */
static const char *const *other_keys(const cas_problem *p) {
  static const char *const also[] = {"name", "initial", NULL}, *const also_own[] = {
                                                                   "name", "initial", "file",
                                                                   "file_hash", NULL};
  return p->own_system.file ? also_own : also;
}

/* The option of a user's system that is called like another key of the section would never be
   read. */
static cas_status check_own_options(const cas_config *c, const cas_problem *p, cas_error *err) {
  for (const char *const *taken = other_keys(p); *taken; taken++)
    for (cas_walk w = cas_walk_begin(p->system->options); w.option; cas_walk_next(&w))
      if (strcmp(w.option->key, *taken) == 0)
        return cas_config_fail(c, err, "system.file",
                               "%s: its option '%s' has the name of a key of all systems",
                               p->own_system.file, *taken);
  return CAS_OK;
}

/* The parameters of path 0, and once more as the configuration has them. */
static cas_status read_drawn(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  const cas_option *table = p->system->options;
  const char *const *others = other_keys(p);
  void *written = p->uncertain->written;
  CAS_CALL(cas_options_read(c, "system", table, others, p->parameters, err));
  CAS_CALL(check_system(c, p, comm, err));
  CAS_CALL(cas_options_read(c, "system", table, others, written, err));
  cas_status st = cas_input_read(c, "system", table, written, comm, err);
  cas_input_free(table, written);
  return st;
}

/* Numbers at the centres of their laws that are refused in the same words are refused for something
   else, such as how many they are, for which to draw others is no advice. */
static cas_status explain_drawn(const cas_config *c, const cas_problem *p, MPI_Comm comm,
                                cas_status st, const cas_error *found, cas_error *err) {
  cas_problem centre = *p;
  cas_error why = {0}, plain = {0};
  st = cas_parameters_explain(p, 0, true, st, found, err);
  (void)cas_parameters_explain(p, 0, false, st, found, &plain);
  centre.parameters = calloc(1, p->system->parameters_size);
  cas_status refused = centre.parameters ? cas_parameters_centre(p, &why) : cas_no_memory(&why);
  if (!refused)
    refused =
        cas_options_read(c, "system", p->system->options, other_keys(p), centre.parameters, &why);
  if (!refused)
    refused = check_system(c, &centre, comm, &why);
  if (centre.parameters && p->system->release)
    p->system->release(centre.parameters);
  if (centre.parameters)
    cas_options_free(p->system->options, centre.parameters);
  free(centre.parameters);
  if (refused == st && strcmp(why.text, found->text) == 0)
    *err = plain;
  return st;
}

/* The seed of the noise, which is read later, but by which path 0 draws its parameters. */
static cas_status read_seed(const cas_config *c, int *seed, cas_error *err) {
  static const char *const also[] = {"generator", "file", "dataset", NULL};
  cas_random_options random;
  CAS_CALL(cas_options_read(c, "random", cas_random_option_table, also, &random, err));
  *seed = (int)random.seed;
  cas_options_free(cas_random_option_table, &random);
  return CAS_OK;
}

static cas_status read_system(const cas_config **c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  cas_error found = {0};
  if (p->own_system.file)
    CAS_CALL(check_own_options(*c, p, err));
  else
    p->system = cas_problem_registry_find(*c, "system.name", NULL,
                                          (const void *const *)p->kernels->systems, err);
  if (!p->system)
    return CAS_BAD_INPUT;
  p->parameters = calloc(1, p->system->parameters_size);
  p->configured = calloc(1, p->system->parameters_size);
  if (!p->parameters || !p->configured)
    return cas_no_memory(err);
  int seed;
  CAS_CALL(read_seed(*c, &seed, err));
  CAS_CALL(cas_parameters_find(c, p, seed, comm, err));
  if (p->uncertain) {
    CAS_CALL(read_initial_source(*c, p, err));
    cas_status st = read_drawn(*c, p, comm, &found);
    return st ? explain_drawn(*c, p, comm, st, &found, err) : CAS_OK;
  }
  CAS_CALL(cas_options_read(*c, "system", p->system->options, other_keys(p), p->parameters, err));
  CAS_CALL(read_initial_source(*c, p, err));
  return check_system(*c, p, comm, err);
}

void cas_geometry_find(const cas_kernels *k, const cas_system *s, const cas_body *b,
                       const void *parameters, cas_geometry *g) {
  *g = (cas_geometry){0};
  for (const cas_algebra *const *a = k->algebras; *a; a++)
    if (strcmp((*a)->name, b->algebra) == 0)
      g->algebra = *a;
  cas_system_geometry(s, parameters, &g->n, &g->factors);
  g->components = g->factors * g->algebra->dimension(g->n);
  g->table = s->table ? s->table(parameters) : NULL;
}

static void find_geometry(cas_problem *p) {
  p->one_path = p->system->one_path && p->system->one_path(p->parameters);
  p->body = !p->one_path                                     ? p->system->body(p->parameters)
            : cas_dissipation_acts(p->system, p->parameters) ? p->system->dissipated->path_body
                                                             : p->system->path_body;
  cas_geometry_find(p->kernels, p->system, p->body, p->parameters, &p->geometry);
  p->part = p->system->part ? p->system->part(p->parameters) : NULL;
  p->components = p->geometry.components + (p->part ? p->part->numbers : 0);
  p->W = p->one_path ? 1 : p->system->lanes;
}

/* The names of the system's components, and of its part behind them. */
static cas_status find_names(cas_problem *p, cas_error *err) {
  const char *own = cas_system_names(p->system, p->parameters);
  const size_t size = strlen(own) + (p->part ? strlen(p->part->names) : 0) + 2;
  p->names = malloc(size);
  if (!p->names)
    return cas_no_memory(err);
  snprintf(p->names, size, "%s%s%s", own, p->part ? " " : "", p->part ? p->part->names : "");
  return CAS_OK;
}

size_t cas_scheme_work(const cas_body *b, const cas_integrator *i, const cas_geometry *g) {
  size_t components = (size_t)g->components, lanes = (size_t)b->lanes;
  return (size_t)i->arrays * (lanes == 1 ? (components + 7) / 8 * 8 : components * lanes);
}

cas_step_function *cas_scheme_find_step(const cas_body *b, const cas_integrator *i) {
  const cas_scheme_step *s = b->steps;
  if (i->needs & ~b->features)
    return NULL;
  while (s->integrator && strcmp(s->integrator, i->name) != 0)
    s++;
  return s->step;
}

/* Why a system without a feature has no step of a scheme that needs it. */
static const struct {
  unsigned feature;
  const char *why;
} missing[] = {
#define CAS_FEATURE(name, why) {CAS_##name, why},
#include "integrators/features.def"
#undef CAS_FEATURE
};

const char *cas_scheme_misfit(const cas_body *b, const cas_integrator *i) {
  if (!(b->features & CAS_COADJOINT) &&
      i->needs & ~(unsigned)(CAS_COTANGENT | CAS_DRIFT | CAS_CONSTRAINED | CAS_ITO))
    return "it needs a Lie-Poisson equation, and this system has positions and momenta with forces "
           "on them";
  if (b->features & CAS_CONSTRAINED && i->needs & CAS_ITO)
    return "it takes no account of constraints";
  if (b->features & CAS_ATTITUDE && i->needs & (CAS_ADDITION | CAS_ITO))
    return "its increments are added to the momentum and turn nothing, so that it cannot carry the "
           "attitude along";
  for (size_t k = 0; k < sizeof missing / sizeof *missing; k++)
    if (i->needs & ~b->features & missing[k].feature)
      return missing[k].why;
  return NULL;
}

/* The names of the schemes that fit, with commas between them. */
static void list_fitting(const cas_problem *p, char *out, size_t size) {
  *out = 0;
  for (const cas_integrator *const *i = p->kernels->integrators; *i; i++)
    if (!cas_scheme_misfit(p->body, *i))
      cas_append(out, size, "%s%s", *out ? ", " : "", (*i)->name);
}

static cas_status check_fit(const cas_config *c, const char *path, const cas_problem *p,
                            const cas_integrator *i, cas_error *err) {
  char fitting[512], own[400] = "";
  const char *why = cas_scheme_misfit(p->body, i);
  if (!why)
    return CAS_OK;
  if (p->dissipation.drag)
    why = cas_dissipation_misfit(i->needs & ~p->body->features, why);
  else if (p->system->misfit)
    p->system->misfit(p->parameters, i->needs & ~p->body->features, own, sizeof own);
  list_fitting(p, fitting, sizeof fitting);
  return cas_config_fail(c, err, path, "%s does not fit system %s: %s (those that fit: %s)",
                         i->name, p->system->name, own[0] ? own : why, fitting);
}

/* The scheme of a configuration that names none: the first that fits. */
static const char *default_scheme(const cas_problem *p) {
  const cas_integrator *const *i = p->kernels->integrators;
  while (cas_scheme_misfit(p->body, *i))
    i++;
  return (*i)->name;
}

/* With Levy's areas the body is another, for which not every scheme has a step. */
static cas_status find_area_step(const cas_config *c, const char *path, const cas_problem *p,
                                 const cas_integrator *i, cas_step_function **step,
                                 cas_error *err) {
  char fitting[512];
  list_fitting(p, fitting, sizeof fitting);
  *step = cas_scheme_find_step(p->body, i);
  return *step ? CAS_OK
               : cas_config_fail(c, err, path,
                                 "%s does not fit system %s with areas, as brackets of the noises' "
                                 "Hamiltonians are of higher degree: %s (those that fit: %s)",
                                 i->name, p->system->name, cas_scheme_misfit(p->body, i), fitting);
}

static cas_status take_areas(const cas_config *c, cas_problem *p, cas_error *err) {
  if (p->options.areas == 0)
    return CAS_OK;
  if (p->dissipation.drag)
    return cas_config_fail(c, err, "integrator.areas",
                           "found %lld, but the noise of system.dissipation has none",
                           (long long)p->options.areas);
  if (!p->system->take_areas)
    return cas_config_fail(
        c, err, "integrator.areas",
        "found %lld, but system %s gives no brackets of its noises' Hamiltonians%s",
        (long long)p->options.areas, p->system->name,
        p->body->features & CAS_COTANGENT
            ? ": they depend on positions alone, so that the noises commute, and "
              "strong order 1 needs no areas"
            : "");
  CAS_CALL(p->system->take_areas(c, p->parameters, err));
  find_geometry(p);
  if ((p->integrator->asks & (CAS_ASKS_HALVES | CAS_ASKS_PARTS)) == CAS_ASKS_HALVES)
    return cas_config_fail(c, err, "integrator.areas",
                           "found %lld, but %s asks for the halves of a step, which have no areas; "
                           "those of the step are s->sets.areas with CAS_ASKS_PARTS",
                           (long long)p->options.areas, p->integrator->name);
  if (p->own_scheme.file)
    return CAS_OK;
  return find_area_step(c, "integrator.areas", p, p->integrator, &p->step, err);
}

/* The step of a scheme from a file, which takes bracket and gradient from the tables of the
   system. */
static cas_status find_own_step(const cas_config *c, cas_problem *p,
                                const cas_plugin_schemes *schemes, cas_error *err) {
  const cas_body *own = p->one_path ? schemes->one_path : schemes->group;
  if (p->part)
    return cas_config_fail(c, err, "integrator.file",
                           "system %s has an %s with these parameters, which schemes from files do "
                           "not carry along",
                           p->system->name, p->part->name);
  if (own->lanes != p->body->lanes)
    return cas_config_fail(c, err, "integrator.file",
                           "system %s steps groups of %d paths with these parameters, and schemes "
                           "from files step groups of %d",
                           p->system->name, p->body->lanes, own->lanes);
  p->step = cas_scheme_find_step(own, p->integrator);
  if (!p->step)
    return cas_config_fail(
        c, err, "integrator.file",
        "%s needs what schemes from files cannot have: ADDITION, COADJOINT, EXPONENTIAL or "
        "SANDWICH alone",
        p->integrator->name);
  return CAS_OK;
}

bool cas_problem_changes_casimirs(const cas_problem *p) {
  return cas_exchange_acts(p) && isnan(p->system->exchange->decay(p->parameters));
}

static cas_status read_integrator(const cas_config *c, MPI_Comm comm, cas_problem *p,
                                  bool compensated, cas_error *err) {
  const cas_plugin_schemes *schemes;
  CAS_CALL(cas_own_file_scheme(c, p->kernels, comm, &p->own_scheme, &p->integrator, &schemes, err));
  if (!schemes)
    p->integrator = cas_problem_registry_find(c, "integrator.name", default_scheme(p),
                                              (const void *const *)p->kernels->integrators, err);
  if (!p->integrator)
    return CAS_BAD_INPUT;
  CAS_CALL(check_fit(c, "integrator.name", p, p->integrator, err));
  p->step = cas_scheme_find_step(p->body, p->integrator);
  CAS_CALL(schemes ? find_own_step(c, p, schemes, err) : CAS_OK);
  CAS_CALL(cas_scheme_read(c, p->integrator, &p->options, err));
  CAS_CALL(take_areas(c, p, err));
  p->declared = cas_scheme_declared(p->integrator, &p->options);
  p->integrator = &p->declared;
  if (!cas_config_has(c, "integrator.compensated"))
    p->options.compensated = compensated;
  p->keeps_casimirs = cas_scheme_keeps_casimirs(p->integrator, p->geometry.algebra) &&
                      !cas_problem_changes_casimirs(p);
  if (!cas_config_has(c, "integrator.casimir_tolerance"))
    p->options.casimir_tolerance = p->keeps_casimirs ? 1e-10 : INFINITY;
  return CAS_OK;
}

cas_status cas_problem_reference_scheme(const cas_config *c, const char *path, cas_problem *p,
                                        cas_error *err) {
  cas_scheme *s = &p->reference;
  s->integrator =
      cas_problem_registry_find(c, path, NULL, (const void *const *)p->kernels->integrators, err);
  if (!s->integrator)
    return CAS_BAD_INPUT;
  CAS_CALL(check_fit(c, path, p, s->integrator, err));
  /* A configuration has no section of that name, so that every option takes its default. */
  CAS_CALL(
      cas_options_read(c, "defaults", cas_scheme_options(s->integrator), NULL, &s->options, err));
  s->options.compensated = p->options.compensated;
  CAS_CALL(find_area_step(c, path, p, s->integrator, &s->step, err));
  if (!cas_scheme_keeps_casimirs(s->integrator, p->geometry.algebra)) {
    p->keeps_casimirs = false;
    if (!cas_config_has(c, "integrator.casimir_tolerance"))
      p->options.casimir_tolerance = INFINITY;
  }
  return CAS_OK;
}

/* Every rank reads its own paths; what is wrong with the file is found by the first of them. */
static cas_status open_replay(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  const cas_random_options *r = &p->random;
  cas_open_dataset *source = &p->replay.source;
  int me;
  MPI_Comm_rank(comm, &me);
  cas_status st = me == 0 ? cas_input_open(c, "random", r->file, r->dataset, source, err) : CAS_OK;
  st = cas_agree(st, comm, err);
  if (!st && me > 0)
    st = cas_input_open(c, "random", r->file, r->dataset, source, err);
  return cas_agree(st, comm, err);
}

static cas_status read_replay(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  static const char *const also[] = {"generator", "seed", "stream", NULL};
  cas_random_options *r = &p->random;
  char text[128];
  cas_status st = cas_options_read(c, "random", cas_replay_option_table, also, r, err);
  if (!st)
    st = open_replay(c, p, comm, err);
  if (st)
    return st;
  const cas_open_dataset *d = &p->replay.source;
  cas_array s = {.rank = d->rank, .is_complex = d->is_complex};
  memcpy(s.dims, d->dims, sizeof s.dims);
  cas_array_describe(&s, text, sizeof text);
  if (s.is_complex || s.rank < 2 || s.rank > 3)
    return cas_config_fail(
        c, err, "random.dataset",
        "dataset %s of %s is %s, must be steps x noises or paths x steps x noises", r->dataset,
        r->file, text);
  p->replay.paths = s.rank == 3 ? s.dims[0] : 1;
  p->replay.steps = s.dims[s.rank - 2];
  if (p->noise.noises > 0 && s.dims[s.rank - 1] != p->noise.noises) /* without noise none is read */
    return cas_config_fail(c, err, "random.dataset",
                           "dataset %s of %s is %s, but system %s has %d noises here%s", r->dataset,
                           r->file, text, p->system->name, p->noises,
                           p->further ? ", and there must be as many further normals behind as the "
                                        "steps take: for weak_order 2 one of each noise"
                                      : "");
  p->replay.noises = p->noise.noises;
  return CAS_OK;
}

cas_status cas_problem_noise_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                                  int64_t steps, uint64_t *hash, cas_error *err) {
  int64_t bad = -1;
  CAS_CALL(cas_replay_hash(&p->replay, paths, steps * p->parts, hash, &bad, err));
  if (bad >= 0)
    return cas_config_fail(c, err, "random.dataset",
                           "dataset %s of %s: number %lld, counted from 0, is not finite",
                           p->random.dataset, p->random.file, (long long)bad);
  return CAS_OK;
}

/* What the generator needs is not in this build: the others are named. */
static cas_status refuse_generator(const cas_config *c, const cas_generator *g, cas_error *err) {
  char others[200] = "";
  int length = 0;
  for (const cas_generator *const *o = cas_generator_list(); *o; o++)
    if (!(*o)->missing && length < (int)sizeof others)
      length += snprintf(others + length, sizeof others - (size_t)length, "%s%s",
                         length > 0 ? ", " : "", (*o)->name);
  return cas_config_fail(c, err, "random.generator", "%s: %s; there are: %s", g->name, g->missing,
                         others);
}

static cas_status read_random(const cas_config *c, cas_problem *p, MPI_Comm comm, cas_error *err) {
  static const char *const also[] = {"generator", NULL}, *const also_replay[] = {
                                                             "generator", "file", "dataset", NULL};
  const cas_generator *g = cas_problem_registry_find(
      c, "random.generator", "sprng_mlfg", (const void *const *)cas_generator_list(), err);
  if (!g)
    return CAS_BAD_INPUT;
  if (g->missing)
    return refuse_generator(c, g, err);
  CAS_CALL(cas_options_read(c, "random", cas_random_option_table, g->replayed ? also_replay : also,
                            &p->random, err));
  p->noises = p->system->noises(p->parameters) + cas_dissipation_noises(p);
  p->further = p->noises * (p->options.weak_order == 2 ? 1 : p->declared.normals);
  p->halves = p->declared.asks & CAS_ASKS_HALVES;
  p->parts = p->options.areas ? p->options.areas : 1;
  p->parts *= p->halves && p->parts % 2 ? 2 : 1;
  p->areas = p->options.areas ? p->system->areas(p->parameters) : 0;
  p->noise = (cas_noise){.kernels = p->kernels,
                         .generator = g,
                         .seed = (int)p->random.seed,
                         .noises = p->noises + p->further,
                         .W = p->W,
                         .replay = &p->replay};
  if (g->replayed && cas_exchange_kicks(p) > 0)
    return cas_config_fail(c, err, "random.generator",
                           "replay has no normals for white forcing, which draws its own: choose "
                           "another generator");
  return g->replayed ? read_replay(c, p, comm, err) : CAS_OK;
}

/* Tolerances are relative to the state, whatever its unit. That of a state of zeros is 0, which an
   iteration that changes nothing reaches at once. */
static cas_status set_magnitude(cas_problem *p, cas_error *err) {
  p->magnitude = 0;
  if (p->initial.each)
    return cas_initial_magnitude(p, err);
  for (int k = 0; k < p->geometry.components; k++)
    p->magnitude = fmax(p->magnitude, fabs(p->x0[k]));
  return CAS_OK;
}

bool cas_problem_is_exact(const cas_problem *p) {
  return p->noise.noises == 0 && cas_exchange_kicks(p) == 0 && !p->initial.each && !p->uncertain;
}

/* The functions of a user's system may give wrong numbers; the functions of casimir are tested. */
static cas_status check_own_system(const cas_config *c, const cas_problem *p, cas_error *err) {
  cas_error why = {0};
  cas_status st = cas_plugin_check_system(p->system, p->parameters, &why);
  return st ? cas_config_fail(c, err, "system.file", "%s: %s", p->own_system.file, why.text)
            : CAS_OK;
}

cas_status cas_problem_create(const cas_config *c, bool compensated, MPI_Comm comm, cas_problem *p,
                              cas_error *err) {
  *p = (cas_problem){.kernels = cas_kernels_get(), .config = c};
  cas_status st = cas_own_file_system(c, p->kernels, comm, &p->own_system, &p->system, err);
  if (!st)
    st = read_system(&c, p, comm, err);
  if (!st && p->own_system.file)
    st = check_own_system(c, p, err);
  if (!st) {
    find_geometry(p);
    st = find_names(p, err);
    if (!st && p->geometry.algebra->properties & CAS_BLAS_CALLED)
      st = cas_agree(cas_blas_claim(1, err), comm, err);
  }
  if (!st)
    st = cas_dissipation_read(c, p, err);
  if (!st)
    st = read_integrator(c, comm, p, compensated, err);
  if (!st)
    st = read_random(c, p, comm, err);
  if (!st)
    st = cas_initial_read(c, p, comm, err);
  if (!st)
    st = cas_agree(set_magnitude(p, err), comm, err);
  if (!st && p->uncertain)
    p->uncertain->commuting = cas_system_commutes(p->system, p->parameters);
  if (st)
    cas_problem_free(p);
  return st;
}

void cas_problem_free(cas_problem *p) {
  if (p->parameters && p->system->release)
    p->system->release(p->parameters);
  if (p->parameters)
    cas_options_free(p->system->options, p->parameters);
  free(p->parameters);
  free(p->configured);
  cas_parameters_free(p);
  free(p->names);
  cas_options_free(cas_own_file_options, &p->own_system);
  cas_options_free(cas_own_file_options, &p->own_scheme);
  cas_options_free(cas_initial_option_table, p);
  cas_options_free(cas_random_option_table, &p->random);
  cas_options_free(cas_replay_option_table, &p->random);
  cas_dataset_close(&p->replay.source);
  cas_dataset_close(&p->stack.source);
  free(p->x0);
  free(p->ends.values);
  free(p->followers.follower);
  free(p->dissipation.drag);
  *p = (cas_problem){0};
}

int cas_problem_tables(const cas_problem *p, cas_section_table out[CAS_PROBLEM_TABLES]) {
  const cas_section_table tables[CAS_PROBLEM_TABLES] = {
      {"system", cas_own_file_options, &p->own_system},
      {"system", p->system->options, p->uncertain ? p->uncertain->written : p->parameters},
      {"system", cas_initial_option_table, p},
      {"integrator", cas_own_file_options, &p->own_scheme},
      {"integrator", cas_scheme_options(p->integrator), &p->options},
      {"random", cas_random_option_table, &p->random},
      {"random", cas_replay_option_table, &p->random}};
  memcpy(out, tables, sizeof tables);
  return CAS_PROBLEM_TABLES - !p->noise.generator->replayed;
}

void cas_problem_write(FILE *f, const cas_problem *p) {
  cas_section_table table[CAS_PROBLEM_TABLES];
  const struct {
    const char *section, *key, *name;
  } head[] = {{"system", "name", p->system->name},
              {"integrator", "name", p->integrator->name},
              {"random", "generator", p->noise.generator->name}};
  const int tables = cas_problem_tables(p, table);
  for (int i = 0; i < 3; i++) {
    fprintf(f, "%s:\n  %s: %s\n", head[i].section, head[i].key, head[i].name);
    for (int k = 0; k < tables; k++)
      if (strcmp(table[k].section, head[i].section) == 0)
        cas_uncertain_write(f, 2, table[k].section, table[k].table, table[k].values,
                            p->uncertain ? &p->uncertain->found : NULL);
  }
}

cas_status cas_problem_check_step(const cas_config *c, const cas_problem *p, const char *key,
                                  double step, double parts, cas_error *err) {
  const int least = -1022; /* the exponent of what still has all digits of double precision */
  const double smallest = parts * ldexp(1, least);
  char power[40] = "";
  if (!(step / parts >= ldexp(1, least))) {
    cas_step_format(smallest, power, sizeof power);
    return cas_config_fail(c, err, key,
                           "found %.5g, must be at least %s%s%.2g: steps below 2^%d%s have lost "
                           "digits in double precision",
                           step, power[1] == '^' ? power : "", power[1] == '^' ? " = " : "",
                           smallest, least, parts > 1 ? ", here the finest one," : "");
  }
  if (p->options.truncation > 0 && step >= 1)
    return cas_config_fail(
        c, err, key,
        "found %g, must be less than 1: the truncation A_h = sqrt(2 l |ln h|) needs h < 1", step);
  return CAS_OK;
}

cas_status cas_problem_check_noise(const cas_config *c, const cas_problem *p, int64_t paths,
                                   int64_t steps, cas_error *err) {
  const cas_generator *g = p->noise.generator;
  if (p->noise.noises == 0)
    return CAS_OK;
  if (g->replayed && (p->replay.paths < paths || p->replay.steps / p->parts < steps))
    return cas_config_fail(
        c, err, "random.file",
        "%s holds normals for %lld paths of %lld %s, the study needs %lld of %lld%s",
        p->random.file, (long long)p->replay.paths, (long long)p->replay.steps,
        p->parts > 1 ? "rows" : "steps", (long long)paths, (long long)steps,
        p->parts > 1 ? " steps, each of them as many rows as integrator.areas says" : "");
  if ((paths - 1) / p->W >= g->blocks)
    return cas_config_fail(c, err, "study.paths",
                           "found %lld, but generator %s has streams for %lld paths only",
                           (long long)paths, g->name, (long long)(g->blocks * p->W));
  return CAS_OK;
}
