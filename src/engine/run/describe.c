/* Descriptions of the program, and of what the registries hold, from the tables that check
   configurations. */
#include "base/build.h"
#include "base/name_list.h"
#include "base/owned.h"
#include "base/text.h"
#include "engine/resume/identity.h"
#include "engine/run/points.h"
#include "engine/study/failures.h"
#include "files/results/table.h"
#include "language/config/keys.h"
#include "language/config/uncertain.h"
#include "math/blas/blas.h"
#include "math/kernels/plugin.h"
#include "version.h"

extern const cas_option cas_output_option_table[];

enum { LAST = 100 /* column of lines */, WIDTH = 28 /* of names in the index */ };

static void describe_named(FILE *f, int indent, int width, const char *name, const char *text) {
  int column = fprintf(f, "%*s%-*s ", indent, "", width, name);
  cas_text_wrap(f, text, column, LAST);
}

static void describe_keys(FILE *f, const char *title, const cas_option *table) {
  fprintf(f, "%s\n", title);
  cas_options_describe(f, 4, table);
}

/* A line such as "hamiltonian  H0 = x . I^-1 x [inertia_unit time_unit^-2]", and one per axis. */
static void describe_functional(FILE *f, const cas_functional *l, const void *parameters) {
  cas_axis axis[2];
  int axes = l->axes && parameters ? l->axes(parameters, axis) : 0;
  char text[600];
  snprintf(text, sizeof text, "%s [%s]", l->summary, l->unit);
  describe_named(f, 4, 21, l->name, text);
  for (int i = 0; i < axes; i++) {
    snprintf(text, sizeof text, "by %s: %s [%s]", axis[i].name, axis[i].summary, axis[i].unit);
    describe_named(f, 4, 23, "", text);
  }
}

/* Scripts find names before the colons of such lines. */
static void describe_heading(FILE *f, const char *name, const char *summary, const char *source) {
  fprintf(f, "%s: %s\n", name, summary);
  describe_named(f, 2, 7, "source:", source);
}

static void describe_functionals(FILE *f, const char *title, const cas_system *s,
                                 const cas_functional *list) {
  CAS_OWNED void *parameters = calloc(1, s->parameters.size);
  fprintf(f, "  %s\n", title);
  for (; list->name; list++)
    describe_functional(f, list, parameters);
}

static void describe_common(FILE *f) {
  for (const cas_common_observable *c = cas_common_observables; c->name; c++) {
    char text[600];
    snprintf(text, sizeof text, "%s [1]", c->summary);
    describe_named(f, 4, 21, c->name, text);
  }
}

static void describe_indexed(FILE *f, const cas_indexed *i) {
  if (i)
    fprintf(f, "  numbers of the state in expressions, {name: expression}\n");
  for (; i && i->name; i++)
    describe_named(f, 4, 21, i->name, i->summary);
}

static void describe_laws(FILE *f, const cas_initial_distribution *l) {
  if (l)
    fprintf(f, "  laws of random states, initial: {random: {seed: S, law: NAME}}\n");
  for (; l && l->name; l++) {
    char text[600];
    snprintf(text, sizeof text, "%s; %s", l->summary, l->source);
    describe_named(f, 4, 21, l->name, text);
  }
}

static void describe_fits(FILE *f, const cas_system *s, const void *parameters) {
  const cas_body *body = s->blocks.body(parameters);
  fprintf(f, "  integrators\n");
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
    const char *why = cas_scheme_misfit(body, *i);
    char own[400] = "";
    if (why && s->misfit)
      s->misfit(parameters, (*i)->needs & ~body->features, own, sizeof own);
    describe_named(f, 4, 29, (*i)->name, own[0] ? own : why ? why : "fits");
  }
}

static void describe_uncertain(FILE *f, const cas_option *options) {
  char *keys = NULL;
  size_t size;
  FILE *list = open_memstream(&keys, &size);
  if (!list)
    return;
  cas_uncertain_list_keys(list, options);
  if (!fclose(list) && size > 0) {
    fprintf(f,
            "  keys whose numbers, or some of them, may differ from path to path,\n"
            "  {normal: [mean, deviation], each: path}, {uniform: [least, greatest], each: path},\n"
            "  {file: F, dataset: D, row: own | drawn, each: path}\n    ");
    cas_text_wrap(f, keys, 4, LAST);
  }
  free(keys);
}

static void describe_system(FILE *f, const void *entry) {
  const cas_system *s = entry;
  CAS_OWNED void *parameters = calloc(1, s->parameters.size);
  if (!parameters)
    return;
  const cas_body *body = s->blocks.body(parameters);
  describe_heading(f, s->name, s->summary, s->source);
  fprintf(f, "  algebra: %s; %d paths a block%s\n", body->algebra, s->blocks.lanes,
          s->blocks.one_path ? ", one if states are large" : "");
  describe_keys(f, "  keys below `system:`", s->parameters.options);
  describe_uncertain(f, s->parameters.options);
  describe_laws(f, s->initial.distributions);
  describe_functionals(f, "functionals (weak errors) [unit]", s, s->functionals);
  describe_functionals(f, "observables (trajectories, ensembles; besides the functionals) [unit]",
                       s, s->observables);
  describe_common(f);
  describe_indexed(f, s->state.indexed);
  describe_fits(f, s, parameters);
}

static void describe_initial(FILE *f) {
  describe_keys(f, "  keys below `system:` of every system", cas_initial_option_table);
}

static void describe_invariants(FILE *f, const cas_integrator *i) {
  if (i->needs & (CAS_COTANGENT | CAS_DRIFT | CAS_CONSTRAINED))
    fprintf(f, "  momentum maps: %s\n", i->keeps & CAS_KEEPS_MOMENTA ? "kept" : "not kept");
  else
    fprintf(f, "  Casimirs: %s; %s\n",
            i->keeps & CAS_KEEPS_CASIMIRS    ? "kept"
            : i->keeps & CAS_KEEPS_QUADRATIC ? "quadratic ones kept"
                                             : "not kept",
            i->keeps & CAS_KEEPS_POISSON ? "every step is a Poisson map"
                                         : "steps are no Poisson maps");
}

static void describe_integrator(FILE *f, const void *entry) {
  const cas_integrator *i = entry;
  describe_heading(f, i->name, i->summary, i->source);
  fprintf(f, "  order: strong %g (%g for commuting noises), weak %g, without noise %g\n",
          i->strong_order, i->strong_order_commuting, i->weak_order, i->order);
  fprintf(f, "  errors by Levy areas %s\n",
          i->antithetic ? "change sign with them: coupling may be antithetic"
                        : "need not change sign with them: let coupling be adjacent");
  describe_invariants(f, i);
  const bool composes = cas_scheme_composes(i);
  fprintf(f, "  higher orders: %s%s%s%s\n", composes ? "weak_order" : "",
          composes && i->antithetic ? ", " : "", i->antithetic ? "areas" : "",
          composes || i->antithetic ? "" : "none");
  describe_keys(f, "  keys below `integrator:`", cas_scheme_options(i));
}

static void describe_generator(FILE *f, const void *entry) {
  const cas_generator *g = entry;
  fprintf(f, "%s: %s%s\n", g->name, g->summary, g->missing ? "; not in this build" : "");
  if (g->replayed)
    cas_options_describe(f, 4, cas_replay_option_table);
}

static void describe_study(FILE *f, const void *entry) {
  const cas_study *s = entry;
  fprintf(f, "%s: %s\n  keys below `study:`, besides `kind: %s`\n", s->name, s->summary, s->name);
  cas_options_describe(f, 4, s->options.table);
  cas_options_describe(f, 4, cas_on_failure_options(s));
}

static void describe_own(FILE *f) {
  describe_keys(f,
                "  keys below `system:` or `integrator:` of what is from a file of `casimir build`",
                cas_own_file_options);
}

static void random_keys(FILE *f) {
  describe_keys(f, "  keys below `random:`, besides `generator`", cas_random_option_table);
}

static void observables(FILE *f) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    fprintf(f, "%s\n", (*s)->name);
    describe_functionals(f, "functionals", *s, (*s)->functionals);
    describe_functionals(f, "observables", *s, (*s)->observables);
  }
  fprintf(f, "every system\n  observables\n");
  describe_common(f);
}

static void keys(FILE *f) {
  describe_initial(f);
  describe_own(f);
  describe_keys(f, "keys below `output:`", cas_output_option_table);
  describe_keys(f, "keys of no section", cas_identity_run_options);
  describe_keys(f, "keys below `sweep:`, for `casimir sweep`", cas_points_options);
}

/* ---- topics ---- */

/* Entries of every registry begin so. */
typedef struct {
  const char *name, *summary;
} entry_head;

/* The registries come first. */
enum { SYSTEMS, INTEGRATORS, GENERATORS, STUDIES, REGISTRIES };

static const struct {
  const char *name, *what;
  void (*describe_entry)(FILE *f, const void *entry); /* of a registry */
  void (*describe)(FILE *f);                          /* what is told besides entries, or NULL */
} topics[] = {
    [SYSTEMS] = {"systems", "`system: {name: ..}`", describe_system, NULL},
    [INTEGRATORS] = {"integrators", "`integrator: {name: ..}`", describe_integrator, NULL},
    [GENERATORS] = {"generators", "`random: {generator: ..}`", describe_generator, random_keys},
    [STUDIES] = {"studies", "`study: {kind: ..}`", describe_study, NULL},
    {"observables", "functionals and observables of every system", NULL, observables},
    {"keys", "initial states, output, sweep, threads", NULL, keys},
    {"results", "groups and datasets of results files", NULL, cas_tables_describe}};
enum { TOPICS = sizeof topics / sizeof *topics };

/* The entries of a registry, up to NULL. */
static const entry_head *const *entries_of(int topic) {
  static const entry_head *const none[] = {NULL};
  const void *const registries[REGISTRIES] = {cas_kernels_get()->systems,
                                              cas_kernels_get()->integrators, cas_generator_list(),
                                              cas_studies};
  return topic < REGISTRIES ? registries[topic] : none;
}

static void describe_topic(FILE *f, int topic) {
  for (const entry_head *const *e = entries_of(topic); *e; e++)
    topics[topic].describe_entry(f, *e);
  if (topics[topic].describe)
    topics[topic].describe(f);
}

static void index_all(FILE *f) {
  for (int i = 0; i < TOPICS; i++) {
    fprintf(f, "%-12s  %s\n", topics[i].name, topics[i].what);
    for (const entry_head *const *e = entries_of(i); *e; e++)
      describe_named(f, 2, WIDTH, (*e)->name, (*e)->summary);
  }
  fprintf(f, "\n`casimir describe NAME` tells more of any of these names; `casimir describe all` "
             "tells all.\n");
}

static void describe_all(FILE *f) {
  for (int i = 0; i < TOPICS; i++) {
    fprintf(f, "%s%s\n\n", i ? "\n" : "", topics[i].name);
    describe_topic(f, i);
  }
}

static bool describe_entry(FILE *f, const char *what) {
  bool found = false;
  for (int i = 0; i < REGISTRIES; i++)
    for (const entry_head *const *e = entries_of(i); *e; e++)
      if (strcmp((*e)->name, what) == 0) {
        topics[i].describe_entry(f, *e);
        if (i == SYSTEMS)
          describe_initial(f);
        found = true;
      }
  return found;
}

static cas_status describe_own_file(FILE *f, const char *file, cas_error *err) {
  const cas_plugin *p;
  char hash[17], kernels[80];
  CAS_CALL(cas_plugin_load(file, &p, hash, err));
  const cas_plugin_set set = cas_plugin_for(p, cas_kernels_get()->name);
  const cas_system *s = set.system;
  cas_plugin_kernels(p, kernels, sizeof kernels);
  const cas_plugin_schemes *schemes = set.schemes;
  CAS_FAIL_IF(!s && !schemes, CAS_BAD_INPUT, "%s: was built for %s alone", file, kernels);
  fprintf(f, "%s: built of %s for %s, file_hash %s\n  compiled by %s\n", file, p->source, kernels,
          hash, p->compiler);
  for (int i = 0; schemes && schemes->integrators[i]; i++)
    describe_integrator(f, schemes->integrators[i]);
  if (s) {
    describe_system(f, s);
    describe_initial(f);
  }
  describe_own(f);
  return CAS_OK;
}

/* Whether a table, or a section in it, has this key. */
static bool has_key(const cas_option *table, const char *key) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w))
    if (strcmp(w.option->key, key) == 0 || (w.option->section && has_key(w.option->section, key)))
      return true;
  return false;
}

/* What tells of a key or an observable. */
static void list_owners(const char *what, cas_name_list *owners) {
  for (const cas_study *const *s = cas_studies; *s; s++)
    if (has_key((*s)->options.table, what))
      cas_name_list_add(owners, (*s)->name);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if (has_key(cas_scheme_options(*i), what))
      cas_name_list_add(owners, (*i)->name);
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    if (has_key((*s)->parameters.options, what) || cas_observables_in((*s)->functionals, what) ||
        cas_observables_in((*s)->observables, what))
      cas_name_list_add(owners, (*s)->name);
  if (has_key(cas_random_option_table, what))
    cas_name_list_add(owners, "generators");
  if (has_key(cas_output_option_table, what) || has_key(cas_identity_run_options, what) ||
      has_key(cas_initial_option_table, what))
    cas_name_list_add(owners, "keys");
}

/* A key or an observable has no page of its own, but is on others. */
static cas_status refuse_name(const char *what, cas_error *err) {
  enum { SHOWN = 4 };
  char list[300] = "";
  CAS_OWNED_BY(cas_name_list_free) cas_name_list names = {0};
  list_owners(what, &names);
  for (int i = 0; i < names.n && i < SHOWN; i++)
    cas_append(list, sizeof list, "%s%s", i ? ", " : "", names.name[i]);
  CAS_FAIL_IF(names.n, CAS_BAD_INPUT,
              "describe: '%.40s' is a key or an observable of %s%s: casimir describe %s tells "
              "of it",
              what, list, names.n > SHOWN ? ", .." : "", names.name[0]);
  for (int i = 0; i < TOPICS; i++)
    cas_name_list_add(&names, topics[i].name);
  for (int i = 0; i < REGISTRIES; i++)
    for (const entry_head *const *e = entries_of(i); *e; e++)
      cas_name_list_add(&names, (*e)->name);
  const char *near = names.name ? cas_nearest(what, names.name) : NULL;
  return cas_fail(
      err, CAS_BAD_INPUT,
      "describe: nothing is called '%.40s'%s%s%s (known: systems, integrators or schemes, "
      "generators, studies, observables, keys, results, all, and each of their names)",
      what, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

cas_status cas_describe(FILE *f, const char *what, cas_error *err) {
  CAS_LOCALE_OF_C;
  if (!what || strcmp(what, "all") == 0) {
    (what ? describe_all : index_all)(f);
    return CAS_OK;
  }
  if (strcmp(what, "schemes") == 0) /* as texts call them */
    what = "integrators";
  for (int i = 0; i < TOPICS; i++)
    if (strcmp(topics[i].name, what) == 0) {
      describe_topic(f, i);
      return CAS_OK;
    }
  if (what[cas_text_stem(what, ".so")])
    return describe_own_file(f, what, err);
  if (describe_entry(f, what))
    return CAS_OK;
  return refuse_name(what, err);
}

const char *cas_version(void) { return CAS_VERSION; }

void cas_print_version(FILE *f) {
  unsigned major, minor, release;
  fprintf(f, "casimir     %s, commit %s\n", CAS_VERSION, CAS_COMMIT);
  fprintf(f, "compiler    %s, %s %s\n", CAS_COMPILER, CAS_BUILD_TYPE, CAS_FLAGS);
  fprintf(f, "build       %s\n", cas_build_id());
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  fprintf(f, "MPI         %s\n", text);
  if (H5get_libversion(&major, &minor, &release) >= 0)
    fprintf(f, "HDF5        %u.%u.%u (built with %s)\n", major, minor, release,
            CAS_BUILT_WITH_HDF5);
  fprintf(f, "BLAS        %s\n", cas_blas().text);
  fprintf(f, "SPRNG       %s\n", cas_sprng_version());
  const cas_kernels *chosen = cas_kernels_get();
  fprintf(f, "kernels     %s, %d doubles a vector, log sin cos from %s (runs here:", chosen->name,
          chosen->vector_lanes, chosen->elementary);
  for (int i = 0; cas_kernels_list(i); i++)
    fprintf(f, " %s", cas_kernels_list(i)->name);
  fprintf(f, ")\n");
}
