/* Whether two runs are the same: files of earlier versions, and what each option is part of. */
/* ranks: 1 */
#include "engine/resume/identity.h"
#include "engine/run/run.h"
#include "engine/study/failures.h"
#include "language/config/keys.h"
#include "study_fixture.h"

static const unsigned all_but_paths = CAS_OF_FILE | CAS_OF_FAILED | CAS_MORE_PATHS;

static char key[200];

/* ---- files of earlier versions: tests/data/configurations, one of each study ---- */

/* A run of the configuration that a file of this study has, which the suite ends after the test. */
typedef struct {
  char *text;
  cas_run_request request;
  cas_run_state run;
} file_run;

static void finish(void *run) {
  file_run *f = run;
  cas_run_release(&f->run);
  free(f);
}

static file_run *start(const char *study) {
  file_run *f = calloc(1, sizeof *f);
  f->text = example_study(study);
  f->request = (cas_run_request){.output = "results.h5"};
  cas_error err = {0};
  cas_status st =
      cas_run_start(&f->run, configuration("%s", f->text), &f->request, MPI_COMM_WORLD, &err);
  ck_assert_msg(!st, "%s: %s", study, err.text);
  suite_keep(f, finish);
  return f;
}

static bool agrees(const file_run *f, const char *text, unsigned ignored, unsigned grown) {
  return cas_identity_agrees(&f->run, configuration("%s", text), ignored, grown, key, sizeof key);
}

/* Takes the line of a key away, if there is one. */
static void remove_line(char *text, const char *line) {
  char *from = strstr(text, line), *to = from ? strchr(from + 1, '\n') : NULL;
  if (to)
    memmove(from, to, strlen(to) + 1);
}

/* Every line of `text` is one of `effective`, in that order: what is between is of younger keys. */
static void check_lines(const char *study, const char *text, const char *effective) {
  for (const char *line = text; *line;) {
    const size_t n = strcspn(line, "\n") + 1;
    while (*effective && strncmp(effective, line, n) != 0)
      effective += strcspn(effective, "\n") + 1;
    ck_assert_msg(*effective, "%s: its configuration of today has not, or not there: %.*s", study,
                  (int)n, line);
    effective += n;
    line += n;
  }
}

/* Files of any version are of the run of today; what they lack has its default. A new key needs no
   change of tests/data/configurations. */
TEST(files_of_earlier_versions_are_the_same_run) {
  static const char *const younger[] = {"\n  attitude: false\n", "\n  refinement: 2\n",
                                        "\n  first_path: 0\n",   "\n  path_cost: false\n",
                                        "\n  on_failure: ",      "\n  ends: ",
                                        "\n  uniform: false\n",  "\n  members: 0\n"};
  for (const cas_study *const *s = cas_studies; *s; s++) {
    file_run *f = start((*s)->name);
    ck_assert_msg(agrees(f, f->text, 0, 0), "%s: %s", (*s)->name, key);
    check_lines((*s)->name, f->text, f->run.effective);
    for (size_t i = 0; i < sizeof younger / sizeof *younger; i++)
      remove_line(f->text, younger[i]);
    ck_assert_msg(agrees(f, f->text, all_but_paths, 0), "%s: %s", (*s)->name, key);
  }
}

typedef struct {
  const char *study, *line, *instead; /* a line, and what another file has in its place */
  unsigned ignored, grown;
  const char *key; /* the difference; NULL: there is none */
} change;

static const change changes[] = {
    {"strong", "\n    sigma: 0.1", "\n    sigma: 0.2", all_but_paths, 0, "system.noise.sigma"},
    {"strong", "\n  name: rigid_body", "\n  name: heavy_top", all_but_paths, 0, "system.name"},
    {"strong", "\n  refinement: 2", "\n  refinement: 3", all_but_paths, 0, "study.refinement"},
    {"strong", "\n  first_path: 0", "\n  first_path: 64", all_but_paths, 0, "study.first_path"},
    {"strong", "\n  truncation: 2", "", all_but_paths, 0, NULL},
    {"strong", "\n  tolerance: 1e-15", "\n  tolerance: 1.0e-15", all_but_paths, 0, NULL},
    {"strong", "\nstudy:", "\nthreads: 2\nstudy:", all_but_paths, 0, "threads"},
    {"strong", "\n  path_cost: false", "\n  from_the_future: 1", all_but_paths, 0,
     "study.from_the_future"},
    {"strong", "\n  seed: 7", "\n  seed: 8", CAS_OF_PART, 0, NULL},
    {"strong", "\n  first_path: 0", "\n  first_path: 64", CAS_OF_PART, 0, NULL},
    {"strong", "\n  paths: 300", "\n  paths: 32", all_but_paths, 0, NULL},
    {"strong", "\n  paths: 300", "\n  paths: 32", 0, 0, "study.paths"},
    {"weak_multilevel", "\n  paths: 300", "\n  paths: 32", all_but_paths, 0, "study.paths"},
    {"law", "\n  on_failure: stop", "", all_but_paths, 0, NULL},
    {"law", "\n  on_failure: stop", "", CAS_OF_FILE | CAS_OF_PART, 0, "study.on_failure"},
    {"ensemble", "\n  steps: 8", "\n  steps: 4", all_but_paths, 0, "study.steps"},
    {"ensemble", "\n  steps: 8", "\n  steps: 4", all_but_paths, CAS_MORE_STEPS, NULL},
    {"ensemble", "\n  steps: 8", "\n  steps: 12", all_but_paths, CAS_MORE_STEPS, "study.steps"},
    {"ensemble", "times: [0, 0.125, 0.25]", "times: [0, 0.125]", all_but_paths, CAS_MORE_STEPS,
     NULL},
    {"ensemble", "times: [0, 0.125, 0.25]", "times: [0, 0.25]", all_but_paths, CAS_MORE_STEPS,
     "study.times"},
    {"weak_times", "times: [0.0625, 0.125]", "times: [0.0625]", all_but_paths, CAS_MORE_STEPS,
     "study.times"},
    {"ensemble", "\n  ends: true", "\n  ends: false", all_but_paths, 0, NULL},
    {"trajectory", "initial: [1, 0, 0", "initial: [0, 1, 0", all_but_paths, 0, "system.initial"},
};

TEST_OVER(differences_are_those_of_options, sizeof changes / sizeof *changes) {
  const change *c = &changes[_i];
  file_run *f = start(c->study);
  const char *line = strstr(f->text, c->line);
  ck_assert_msg(line, "%s: no %s", c->study, c->line);
  const char *text =
      formatted("%.*s%s%s", (int)(line - f->text), f->text, c->instead, line + strlen(c->line));
  bool same = agrees(f, text, c->ignored, c->grown);
  ck_assert_msg(same == !c->key, "%s: %s and %s: %s", c->study, c->line, c->instead, key);
  ck_assert_str_eq(key, c->key ? c->key : "");
}

/* Two values of an option; false: nothing to try. */
static bool two_values(const cas_option *o, const char *out[2]) {
  const double middle =
      o->low == 0 && o->high == 0 ? 1 : fmin(o->low + 1, o->high) / 2 + o->low / 2;
  for (int i = 0; i < 2; i++)
    if (o->type == CAS_INT)
      out[i] = formatted("%.0f", o->low + 1 + i);
    else if (o->type == CAS_REAL || o->type == CAS_STEP || o->type == CAS_DURATION)
      out[i] = formatted("%.17g", middle * (1 - i / 8.));
    else if (o->type == CAS_BOOL)
      out[i] = i ? "true" : "false";
    else if (o->type == CAS_CHOICE)
      out[i] = o->choices[i] ? o->choices[i] : o->choices[0];
    else if (o->type == CAS_STRING)
      out[i] = formatted("name%d", i);
    else
      out[i] = i ? "[1, 2]" : "[1]";
  return o->type != CAS_SECTION && strcmp(out[0], out[1]) != 0;
}

static bool agree_of(const cas_option *table, const char *option, const char *mine,
                     const char *theirs, unsigned ignored, unsigned grown) {
  const cas_section_table tables[] = {{"study", table, NULL}, {0}};
  cas_config *c[2];
  for (int i = 0; i < 2; i++) {
    const char *value = i ? theirs : mine;
    c[i] =
        value ? configuration("study:\n  %s: %s\n", option, value) : configuration("study: {}\n");
  }
  return cas_config_agrees(c[0], c[1], &(cas_config_rule){tables, ignored, grown}, key, sizeof key);
}

static void check_option(const cas_option *table, const cas_option *o) {
  const unsigned flags[] = {CAS_OF_FILE, CAS_OF_FAILED, CAS_MORE_PATHS, CAS_MORE_STEPS,
                            CAS_OF_PART};
  const char *value[2];
  if (o->fallback && *o->fallback) {
    ck_assert_msg(agree_of(table, o->key, NULL, o->fallback, 0, 0), "%s", o->key);
    ck_assert_msg(agree_of(table, o->key, o->fallback, NULL, 0, 0), "%s", o->key);
  }
  if (!two_values(o, value))
    return;
  ck_assert(!agree_of(table, o->key, value[0], value[1], 0, 0));
  ck_assert_str_eq(key, formatted("study.%s", o->key));
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    ck_assert_msg(agree_of(table, o->key, value[0], value[1], flags[i], 0) ==
                      ((o->identity & flags[i]) != 0),
                  "%s: flag %x", o->key, flags[i]);
  bool grows = o->identity & CAS_MORE_STEPS;
  ck_assert(agree_of(table, o->key, value[1], value[0], 0, CAS_MORE_STEPS) == grows);
  ck_assert(!agree_of(table, o->key, value[0], value[1], 0, CAS_MORE_STEPS));
  ck_assert_msg(!grows || o->type == CAS_INT || o->type == CAS_REALS,
                "%s: whether a value goes on is known of integers and lists", o->key);
}

static void check_table(const cas_option *table) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    check_option(table, w.option);
    if (w.option->type == CAS_SECTION)
      check_table(w.option->section);
  }
}

TEST(flags_of_options_do_what_they_say) {
  const cas_kernels *k = cas_kernels_get();
  for (const cas_study *const *s = cas_studies; *s; s++) {
    check_table((*s)->options.table);
    check_table(cas_on_failure_options(*s));
  }
  for (const cas_system *const *s = k->systems; *s; s++)
    check_table((*s)->parameters.options);
  for (const cas_integrator *const *i = k->integrators; *i; i++)
    check_table(cas_scheme_options(*i));
  check_table(cas_random_option_table);
  check_table(cas_identity_run_options);
}

/* More paths are added where sums of chunks of paths are kept, and nowhere else. */
TEST(numbers_of_paths_grow_where_chunks_do_not_depend_on_them) {
  for (const cas_study *const *s = cas_studies; *s; s++) {
    file_run *f = start((*s)->name);
    for (cas_walk w = cas_walk_begin((*s)->options.table); w.option; cas_walk_next(&w))
      if (strcmp(w.option->key, "paths") == 0)
        ck_assert_msg((w.option->identity == CAS_MORE_PATHS) == (f->run.blocks_per_chunk > 0), "%s",
                      (*s)->name);
  }
}

RUN_TESTS_WITH_MPI
