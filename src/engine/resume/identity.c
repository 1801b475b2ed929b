#include "engine/resume/identity.h"
#include "base/build.h"
#include "base/hash.h"
#include "base/owned.h"
#include "base/text.h"
#include "engine/study/failures.h"
#include "language/config/keys.h"
#include "math/blas/blas.h"
#include "paths/problem/initial.h"
#include "version.h"

/* Names of sections. */
static const char configuration_name[] = "configuration", initial_name[] = "initial_hash",
                  noise_name[] = "noise_hash", blas_name[] = "blas", layout_name[] = "layout",
                  streams_name[] = "streams", build_name[] = "build",
                  continued_name[] = "continued_hash";
/* Of earlier versions, which have a last chunk that paths do not fill, and the policy for failed
   paths, in sections of their own. */
static const char earlier_last_name[] = "part", earlier_policy_name[] = "on_failure";

/* The layout of sums, by the size of what is counted of paths, by what the study adds up and in
   which parts, and that of random states and normals: another casimir may count more, add up more,
   or draw in another order. */
static int64_t layout_of(const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  const bool by_cost = r->run.study->defaults.blocks_per_chunk == 0 &&
                       cas_sizes_step_cost(p, p->sizes ? p->sizes->n - 1 : 0) > 1;
  return (int64_t)(sizeof(cas_path_health) + sizeof(cas_level_health)) +
         ((int64_t)p->noise.by_path << 24) + ((int64_t)r->run.study->defaults.sums_version << 32) +
         ((int64_t)by_cost << 48);
}

/* A study that lists its chunks gets its number of paths from its configuration. */
static bool chunks_are_listed(const cas_run_state *r) { return r->blocks_per_chunk == 0; }

/* ---- configurations ---- */

enum { KEY_SIZE = 200 };

/* Options that do not change a path. The policy for failed paths and the number of paths are
   compared by themselves. */
static const unsigned of_others = CAS_OF_FILE | CAS_OF_FAILED | CAS_MORE_PATHS;

const cas_option cas_identity_run_options[] = {
    {.key = "threads",
     .type = CAS_INT,
     .fallback = "1",
     .low = 1,
     .high = 1024,
     .help = "threads per rank that share the work on one large path (su(N) from N = 23 on, on "
             "the torus from 19); "
             "results do not depend on it"},
    {0}};

cas_status cas_identity_write(cas_run_state *r, cas_error *err) {
  const int policy = r->run.problem.study.on_failure;
  size_t size;
  FILE *f = open_memstream(&r->effective, &size);
  CAS_NEED(f);
  cas_problem_write(f, &r->run.problem);
  fprintf(f, "study:\n  kind: %s\n", r->run.study->name);
  cas_options_write(f, 2, r->run.study->options.table, r->run.options);
  cas_options_write(f, 2, cas_on_failure_options(r->run.study), &policy);
  CAS_CALL(fclose(f) ? cas_no_memory(err) : CAS_OK);
  return cas_config_parse(r->effective, strlen(r->effective), "effective configuration",
                          &r->written, err);
}

/* The configuration that a file holds, to be freed; NULL: it holds none. */
static cas_config *parse(const char *text) {
  cas_config *c = NULL;
  cas_error err = {0};
  return cas_config_parse(text, strlen(text), "", &c, &err) ? NULL : c;
}

bool cas_identity_agrees(const cas_run_state *r, const cas_config *theirs, unsigned ignored,
                         unsigned grown, char *key, size_t size) {
  cas_section_table table[CAS_PROBLEM_TABLES + 4] = {{"", cas_identity_run_options, NULL}};
  int n = 1 + cas_problem_tables(&r->run.problem, table + 1);
  table[n++] = (cas_section_table){"study", r->run.study->options.table, NULL};
  table[n++] = (cas_section_table){"study", cas_on_failure_options(r->run.study), NULL};
  table[n] = (cas_section_table){0};
  return cas_config_agrees(r->written, theirs, &(cas_config_rule){table, ignored, grown}, key,
                           size);
}

/* Whether all that paths depend on is the same, or goes on from theirs in options with the flags
   `grown`; if not, `key` is the first that differs. */
static bool agrees(const cas_run_state *r, const char *theirs, unsigned grown, char key[KEY_SIZE]) {
  CAS_OWNED_BY(cas_config_release) cas_config *other = parse(theirs);
  key[0] = '\0';
  return other && cas_identity_agrees(r, other, of_others, grown, key, KEY_SIZE);
}

/* Whether this run, of one step size, is that of `theirs` with more steps than `steps`. */
static bool goes_on(const cas_run_state *r, const char *theirs, int64_t steps) {
  char key[KEY_SIZE];
  return r->run.plan.levels == 1 && steps > 0 && steps < r->run.plan.steps &&
         agrees(r, theirs, CAS_MORE_STEPS, key);
}

/* ---- what is refused ---- */

static cas_status another_input(const char *file, const char *key, const char *input,
                                const char *theirs, cas_error *err) {
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another %s (%s %s). Give it the file as it "
                  "was, or give another --output.",
                  file, key, input,
                  theirs && theirs[0] ? "has changed since" : "was not looked into then");
}

/* Whether a key is that of the hash of a file, and if so makes it the key of that file. */
static bool is_hash(char *key, const char *ending, const char *of_file) {
  char *end = key + cas_text_stem(key, ending);
  const bool is = *end;
  if (is)
    strcpy(end, of_file);
  return is;
}

/* `key` is the first that differs; it becomes the key of a file where a hash differs. */
static cas_status another_run(const cas_run_state *r, const char *file, char key[KEY_SIZE],
                              cas_error *err) {
  const cas_config *c = r->run.config;
  if (is_hash(key, "_hash", ""))
    return another_input(file, key, cas_config_text(c, key), "changed", err);
  if (is_hash(key, ".hash", ".file")) {
    const char *input = cas_config_text(c, key);
    key[strlen(key) - strlen(".file")] = '\0';
    return another_input(file, key, input, "changed", err);
  }
  bool written = !key[0] || cas_config_has(c, key);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another %s%s. Give the configuration that it "
                  "was begun with, or another --output.",
                  file, key[0] ? key : "configuration",
                  written ? "" : ", which here is a default or follows from other keys");
}

cas_status cas_identity_check_part(const cas_run_state *r, const char *file,
                                   const cas_run_state *part, const char *part_file,
                                   cas_error *err) {
  const unsigned ignored = CAS_OF_FILE | CAS_MORE_PATHS | CAS_OF_PART;
  char key[KEY_SIZE];
  CAS_FAIL_IF(!cas_identity_agrees(r, part->written, ignored, 0, key, sizeof key), CAS_BAD_INPUT,
              "%s and %s differ in %s; what is merged may differ in random.seed, "
              "study.first_path and study.paths only",
              file, part_file, key);
  CAS_FAIL_IF(strcmp(cas_identity_initial(r).text, cas_identity_initial(part).text) != 0,
              CAS_BAD_INPUT, "%s and %s begin with different states of system.initial", file,
              part_file);
  return CAS_OK;
}

/* ---- what is read from files ---- */

static cas_input_hash hash_of(bool any, uint64_t hash) {
  cas_input_hash h = {""};
  if (any)
    snprintf(h.text, sizeof h.text, "%016llx", (unsigned long long)hash);
  return h;
}

cas_input_hash cas_identity_initial(const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  return hash_of(p->initial.source.kind == CAS_STATE_FILE, p->initial.hash);
}

cas_input_hash cas_identity_noise(const cas_run_state *r) {
  return hash_of(r->run.problem.noise.generator->replayed, r->noise_hash);
}

/* Where a run goes on in the streams of an earlier one, and with what its states had lost: the same
   states may be in a file that has neither. */
static cas_input_hash continued_of(const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  uint64_t hash = cas_hash(CAS_HASH_START, &p->normals.begin, sizeof p->normals.begin);
  hash = cas_hash(hash, &p->initial.magnitude, sizeof p->initial.magnitude);
  if (p->initial.ends.lanes)
    hash = cas_hash(hash, p->initial.ends.values,
                    2 * (size_t)p->components * (size_t)p->initial.ends.lanes *
                        sizeof *p->initial.ends.values);
  return hash_of(p->normals.begin > 0, hash);
}

static bool same_hash(cas_input_hash mine, const char *theirs) {
  return strcmp(mine.text, theirs ? theirs : "") == 0;
}

/* Compares contents of input files, which configurations name. paths, steps: of the earlier run;
   where it has other ones, files are read again. */
static cas_status check_inputs(const cas_run_state *r, const char *file, int64_t paths,
                               int64_t steps, const char *initial, const char *noise,
                               cas_error *err) {
  const cas_problem *p = &r->run.problem;
  const bool replayed = p->noise.generator->replayed;
  uint64_t states = p->initial.hash, normals = r->noise_hash;
  if (p->initial.stack.source.source && paths != r->run.paths)
    CAS_CALL(cas_initial_hash(r->run.config, p, paths, &states, err));
  if (!same_hash(hash_of(p->initial.source.kind == CAS_STATE_FILE, states), initial))
    return another_input(file, "system.initial", p->initial.source.file, initial, err);
  if (replayed && (paths != r->run.paths || steps != r->run.plan.steps))
    CAS_CALL(cas_problem_noise_hash(r->run.config, p, paths, steps, &normals, err));
  if (!same_hash(hash_of(replayed, normals), noise))
    return another_input(file, "random.file", p->random.file, noise, err);
  return CAS_OK;
}

static const char *text_of(const cas_sections *s, const char *name) {
  cas_section found;
  return cas_sections_find(s, name, &found) && found.size > 0 &&
                 ((const char *)found.bytes)[found.size - 1] == '\0'
             ? found.bytes
             : "";
}

static cas_status check_blas(const cas_run_state *r, const char *file, const char *theirs,
                             cas_error *err) {
  const cas_blas_name mine = cas_blas();
  static const char core_name[] = ", core ";
  const char *core = cas_blas_is_openblas() ? strstr(theirs, core_name) : NULL;
  if (r->run.problem.W > 1 || strcmp(mine.text, theirs) == 0)
    return CAS_OK;
  CAS_FAIL_IF(!theirs[0], CAS_BAD_INPUT,
              "--resume: %s does not say with which BLAS it was computed, and their products "
              "differ in the last bits. Give another --output.",
              file);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was computed with the BLAS '%s', and this is '%s', whose products "
                  "differ in the last bits: go on where it was begun%s%s%s.",
                  file, theirs, mine.text, core ? ", or set OPENBLAS_CORETYPE=" : "",
                  core ? core + strlen(core_name) : "", core ? " if this processor runs that" : "");
}

static cas_status other_casimir(const char *file, const cas_sections *s, const char *what,
                                const char *of, cas_error *err) {
  return cas_fail(
      err, CAS_BAD_INPUT,
      "--resume: %s was begun by commit %s of casimir, which %s%s. Go on with that one, "
      "or give another --output.",
      file, text_of(s, "commit"), what, of);
}

/* How streams are numbered: 1 where levels share the low numbers of a generator, else 0. */
static int64_t streams_of(const cas_run_state *r) {
  return chunks_are_listed(r) && r->run.problem.noise.generator->ascending;
}

/* Another commit, or other flags of the compiler, may change bits, and need not. */
static void notice_build(const cas_run_state *r, const char *file, const cas_sections *s) {
  const char *commit = text_of(s, "commit"), *build = text_of(s, build_name);
  if (strcmp(CAS_COMMIT, commit) != 0)
    cas_study_notice(r, "%s was begun by commit %s of casimir, this is %s: bits may differ.", file,
                     commit, CAS_COMMIT);
  else if (build[0] && strcmp(cas_build_id(), build) != 0)
    cas_study_notice(r,
                     "%s was begun by build %s of casimir, this is %s of the same commit: bits may "
                     "differ.",
                     file, build, cas_build_id());
}

/* A section: the number of paths, and whether a later run has to have the same. */
typedef struct {
  int64_t paths, fixed;
} paths_head;

static cas_status check_paths(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) {
  paths_head head;
  CAS_FAIL_IF(!cas_sections_get(s, "paths", &head, sizeof head), CAS_FILE_ERROR,
              "--resume: %s does not say how many paths it is of.", file);
  /* where the study lists its chunks, comparing configurations has compared the number of paths */
  if (chunks_are_listed(r))
    return CAS_OK;
  CAS_FAIL_IF(!head.fixed && head.paths > r->run.paths, CAS_BAD_INPUT,
              "--resume: %s belongs to a run of %lld paths, more than study.paths asks for "
              "(%lld). Give another --output.",
              file, (long long)head.paths, (long long)r->run.paths);
  CAS_FAIL_IF(head.fixed && head.paths != r->run.paths, CAS_BAD_INPUT,
              "--resume: %s belongs to a run with another study.paths, %lld, and what it has "
              "recorded fits no other number. Finish it with that, or give another --output.",
              file, (long long)head.paths);
  return CAS_OK;
}

/* The bits of a path depend on the kernels, which may be others in another build. */
cas_status cas_identity_check(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) {
  const cas_problem *p = &r->run.problem;
  const char *theirs = text_of(s, configuration_name), *kernels = text_of(s, "kernels"),
             *mine = p->kernels->name,
             *continued = text_of(s, continued_name); /* "" in those of earlier versions */
  char key[KEY_SIZE];
  int64_t layout, streams = 0;
  cas_section found;
  if (!agrees(r, theirs, 0, key) && !goes_on(r, theirs, r->earlier.steps))
    return another_run(r, file, key, err);
  CAS_FAIL_IF(strcmp(mine, kernels) != 0, CAS_BAD_INPUT,
              "--resume: %s was computed with the kernels '%s', and these are '%s', whose "
              "results differ in the last bits: set CASIMIR_KERNELS=%s.",
              file, kernels, mine, kernels);
  if (!cas_sections_get(s, layout_name, &layout, sizeof layout) || layout != layout_of(r) ||
      cas_sections_find(s, earlier_last_name, &found) ||
      cas_sections_find(s, earlier_policy_name, &found))
    return other_casimir(file, s, "adds up other numbers of a path, or in other parts", "", err);
  notice_build(r, file, s);
  (void)cas_sections_get(s, streams_name, &streams, sizeof streams);
  if (streams != streams_of(r))
    return other_casimir(file, s,
                         "gives the levels of this study other streams of random.generator: ",
                         p->noise.generator->name, err);
  CAS_CALL(check_blas(r, file, text_of(s, blas_name), err));
  if (continued[0] && !same_hash(continued_of(r), continued))
    return another_input(file, "system.initial", p->initial.source.file, continued, err);
  CAS_CALL(check_paths(r, file, s, err));
  return check_inputs(r, file, cas_identity_paths(s),
                      r->earlier.steps ? r->earlier.steps : r->run.plan.steps,
                      text_of(s, initial_name), text_of(s, noise_name), err);
}

uint64_t cas_identity_hash(const cas_run_state *r) {
  const cas_problem *p = &r->run.problem;
  const uint64_t inputs[] = {p->initial.hash, r->noise_hash, (uint64_t)r->run.paths};
  const uint64_t hash =
      cas_hash(cas_hash(CAS_HASH_START, inputs, sizeof inputs), r->effective, strlen(r->effective));
  return hash ? hash : 1;
}

static cas_status put_text(cas_sections *s, const char *name, const char *text, cas_error *err) {
  return cas_sections_put(s, name, text, strlen(text) + 1, err);
}

cas_status cas_identity_put(const cas_run_state *r, bool extendable, cas_sections *s,
                            cas_error *err) {
  const paths_head paths = {r->run.paths, !extendable};
  const int64_t streams = streams_of(r), layout = layout_of(r);
  const cas_input_hash initial = cas_identity_initial(r), noise = cas_identity_noise(r),
                       continued = continued_of(r);
  CAS_CALL(put_text(s, configuration_name, r->effective, err));
  CAS_CALL(put_text(s, "kernels", r->run.problem.kernels->name, err));
  CAS_CALL(cas_sections_put(s, layout_name, &layout, sizeof layout, err));
  CAS_CALL(cas_sections_put(s, streams_name, &streams, sizeof streams, err));
  CAS_CALL(put_text(s, "commit", CAS_COMMIT, err));
  CAS_CALL(put_text(s, build_name, cas_build_id(), err));
  CAS_CALL(put_text(s, blas_name, cas_blas().text, err));
  CAS_CALL(cas_sections_put(s, initial_name, initial.text, sizeof initial.text, err));
  CAS_CALL(cas_sections_put(s, noise_name, noise.text, sizeof noise.text, err));
  CAS_CALL(cas_sections_put(s, continued_name, continued.text, sizeof continued.text, err));
  CAS_CALL(cas_sections_put(s, "paths", &paths, sizeof paths, err));
  return chunks_are_listed(r)
             ? cas_sections_put(s, "chunks", &r->run.chunks, sizeof r->run.chunks, err)
             : CAS_OK;
}

const char *cas_identity_configuration(const cas_sections *s) {
  return text_of(s, configuration_name);
}

int64_t cas_identity_paths(const cas_sections *s) {
  paths_head head = {0};
  (void)cas_sections_get(s, "paths", &head, sizeof head);
  return head.paths;
}

/* Refuses another study.on_failure as soon as a path has failed: it was left out of sums or was
   counted, and neither can be undone. */
cas_status cas_identity_check_policy(const cas_run_state *r, int64_t failed, cas_error *err) {
  CAS_OWNED_BY(cas_config_release)
  cas_config *c = failed ? parse(cas_identity_configuration(&r->earlier.sections)) : NULL;
  const char *mine = cas_on_failure_names[r->run.problem.study.on_failure],
             *theirs = c ? cas_config_text(c, "study.on_failure") : NULL;
  CAS_FAIL_IF(theirs && strcmp(mine, theirs) != 0, CAS_BAD_INPUT,
              "--resume: %s belongs to a run with another study.on_failure, %s, and %lld of its "
              "paths have failed already. Go on with that, or begin anew with another --output.",
              r->checkpoint, theirs, (long long)failed);
  return CAS_OK;
}

/* ---- results files ---- */

static const char *configuration_of(const cas_results *old) {
  return old->provenance.configuration ? old->provenance.configuration : "";
}

bool cas_identity_is_extendable(const cas_sections *s) {
  paths_head head;
  return cas_sections_get(s, "paths", &head, sizeof head) && !head.fixed;
}

/* The steps of that run, where this one takes more of them and is the same otherwise; else 0. */
static int64_t fewer_steps(const cas_run_state *r, const cas_results *old) {
  const char *theirs = configuration_of(old);
  CAS_OWNED_BY(cas_config_release) cas_config *c = parse(theirs);
  const char *value = c ? cas_config_text(c, "study.steps") : NULL;
  const int64_t steps = value ? strtoll(value, NULL, 10) : 0;
  return goes_on(r, theirs, steps) ? steps : 0;
}

cas_status cas_identity_check_results(const cas_run_state *r, const cas_results *old, bool *same,
                                      int64_t *steps, cas_error *err) {
  const cas_provenance *p = &old->provenance;
  const bool of_this_study = p->study && strcmp(p->study, r->run.study->name) == 0;
  /* The number of paths is part of the identity already where chunks depend on it. */
  const bool same_paths = chunks_are_listed(r) || p->paths == r->run.paths;
  const int64_t fewer = fewer_steps(r, old);
  char key[KEY_SIZE];
  *same = false;
  *steps = of_this_study && same_paths ? fewer : 0;
  if (*steps)
    return CAS_OK; /* cas_identity_check compares the rest */
  CAS_FAIL_IF(fewer && !same_paths, CAS_BAD_INPUT,
              "--resume: %s has other paths and fewer steps. A run takes more paths or more "
              "steps, not both: ask for one of them first.",
              r->file);
  if (!agrees(r, configuration_of(old), 0, key))
    return another_run(r, r->file, key, err);
  CAS_FAIL_IF(!of_this_study, CAS_BAD_INPUT,
              "--resume: %s holds no run but one path alone. Give another --output.", r->file);
  CAS_FAIL_IF(!same_paths && p->paths > r->run.paths, CAS_BAD_INPUT,
              "--resume: %s has %lld paths already, more than study.paths asks for (%lld).",
              r->file, (long long)p->paths, (long long)r->run.paths);
  CAS_CALL(
      check_inputs(r, r->file, p->paths, r->run.plan.steps, p->hash.initial, p->hash.noise, err));
  CAS_FAIL_IF(same_paths && old->health.failed_paths > 0 &&
                  old->health.on_failure != (int)r->run.problem.study.on_failure,
              CAS_BAD_INPUT,
              "--resume: %s is finished with study.on_failure: %s, and %lld of its paths "
              "have failed. For another policy give another --output.",
              r->file, cas_on_failure_names[old->health.on_failure],
              (long long)old->health.failed_paths);
  *same = same_paths;
  return CAS_OK;
}
