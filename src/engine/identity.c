#include "engine/identity.h"
#include "base/build.h"
#include "base/hash.h"
#include "blas/blas.h"
#include "engine/failures.h"
#include "paths/initial.h"
#include "statistics/summary.h"
#include "version.h"

#include <stdlib.h>
#include <string.h>

/* Names of sections. */
static const char policy_name[] = "on_failure", initial_name[] = "initial_hash",
                  noise_name[] = "noise_hash", blas_name[] = "blas", layout_name[] = "layout",
                  streams_name[] = "streams", build_name[] = "build";

/* The layout of sums, by the size of what is counted of paths, and by what the study adds up:
   another casimir may count more, or add up more. */
static int64_t layout_of(const cas_run_state *r) {
  return (int64_t)sizeof(cas_path_health) + ((int64_t)r->study->sums_version << 32);
}

/* Takes the line that begins with `key` out of a section. */
static void remove_line(char *text, const char *section, const char *key) {
  char *line = text ? strstr(text, section) : NULL;
  line = line ? strstr(line, key) : NULL;
  char *end = line ? strchr(line + 1, '\n') : NULL;
  if (line)
    memmove(line, end ? end : line + strlen(line), end ? strlen(end) + 1 : 1);
}

/* The text behind a key of a section, and its length; NULL: it has no such key. */
static const char *value_of(const char *text, const char *section, const char *key,
                            size_t *length) {
  const char *line = strstr(text, section);
  line = line ? strstr(line, key) : NULL;
  *length = line ? strcspn(line + strlen(key), "\n") : 0;
  return line ? line + strlen(key) : NULL;
}

static const char study_section[] = "\nstudy:\n", noise_section[] = "\nrandom:\n";

/* A study that lists its chunks gets its number of paths from its configuration. */
static bool chunks_are_listed(const cas_run_state *r) { return r->blocks_per_chunk == 0; }

/* The part of an effective configuration that paths depend on, to be freed. What becomes of failed
   paths is no part of it, nor is the number of paths, unless chunks depend on that. */
static char *identity(const cas_run_state *r, const char *effective) {
  char *text = strdup(effective);
  remove_line(text, study_section, "\n  on_failure: ");
  /* earlier versions of casimir had no such keys */
  remove_line(text, study_section, "\n  first_path: 0\n");
  remove_line(text, study_section, "\n  refinement: 2\n");
  remove_line(text, study_section, "\n  ends: "); /* is of the file, not of the paths */
  if (!chunks_are_listed(r))
    remove_line(text, study_section, "\n  paths: ");
  return text;
}

/* Sections around a line of an effective configuration. */
static size_t indent(const char *line) { return strspn(line, " ") / 2; }

/* Configurations of one thread do not say so. */
static int threads_of(const char *configuration) {
  static const char key[] = "\nthreads: ";
  const char *line = strstr(configuration, key);
  return line ? atoi(line + sizeof key - 1) : 1;
}

/* The key at the line that differs, behind the keys of its sections: "random.seed". */
static void name_difference(const char *mine, const char *other, char *key, size_t size) {
  enum { DEPTH = 32 }; /* of a configuration, at most */
  const char *line = mine, *open[DEPTH + 1] = {0};
  char *to = key;
  if (threads_of(mine) != threads_of(other)) {
    snprintf(key, size, "threads");
    return;
  }
  for (const char *a = mine, *b = other; *a && *a == *b; a++, b++)
    if (*a == '\n')
      line = a + 1;
  for (const char *l = mine; l && l <= line; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
    open[indent(l)] = l;
  for (size_t depth = 0; depth <= indent(line) && open[depth]; depth++) {
    const char *name = open[depth] + 2 * depth;
    to += snprintf(to, size - (size_t)(to - key), "%s%.*s", depth ? "." : "",
                   (int)strcspn(name, ":\n"), name);
    if ((size_t)(to - key) >= size)
      return;
  }
}

static const char steps_key[] = "\n  steps: ", times_key[] = "\n  times: ";

/* Whether the list of times of `longer` begins with the list of `shorter`; true where neither has
   one. */
static bool times_go_on(const char *longer, const char *shorter) {
  size_t mine, theirs;
  const char *a = value_of(longer, study_section, times_key, &mine),
             *b = value_of(shorter, study_section, times_key, &theirs);
  if (!a || !b || theirs < 2)
    return a == b;
  bool same = mine == theirs && strncmp(a, b, mine) == 0;
  return same || (mine > theirs && strncmp(a, b, theirs - 1) == 0 && a[theirs - 1] == ',');
}

/* Whether a run of this identity takes more steps of one that a study of one step size has
   taken. */
static bool goes_on(const cas_run_state *r, const char *theirs, int64_t steps) {
  char *mine = identity(r, r->effective), *other = strdup(theirs);
  bool same = mine && other && r->plan.levels == 1 && steps > 0 && steps < r->plan.steps &&
              times_go_on(mine, other);
  for (int i = 0; same && i < 2; i++) {
    remove_line(mine, study_section, i ? times_key : steps_key);
    remove_line(other, study_section, i ? times_key : steps_key);
  }
  same = same && strcmp(mine, other) == 0;
  free(mine);
  free(other);
  return same;
}

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
  size_t n = strlen(key), length = strlen(ending);
  if (n < length || strcmp(key + n - length, ending) != 0)
    return false;
  strcpy(key + n - length, of_file);
  return true;
}

static cas_status another_run(const cas_run_state *r, const char *file, const char *mine,
                              const char *other, cas_error *err) {
  char key[200] = "";
  name_difference(mine, other, key, sizeof key);
  if (is_hash(key, "_hash", ""))
    return another_input(file, key, cas_config_text(r->config, key), mine, err);
  if (is_hash(key, ".hash", ".file")) {
    const char *input = cas_config_text(r->config, key);
    key[strlen(key) - strlen(".file")] = '\0';
    return another_input(file, key, input, mine, err);
  }
  bool written = !key[0] || cas_config_has(r->config, key);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another %s%s. Give the configuration that it "
                  "was begun with, or another --output.",
                  file, key[0] ? key : "configuration",
                  written ? "" : ", which here is a default or follows from other keys");
}

/* The part that runs must have in common whose sums are merged. */
static char *common_identity(const cas_run_state *r) {
  char *text = strdup(r->effective);
  remove_line(text, study_section, "\n  paths: ");
  remove_line(text, study_section, "\n  first_path: ");
  remove_line(text, study_section, "\n  ends: ");
  remove_line(text, noise_section, "\n  seed: ");
  return text;
}

cas_status cas_identity_check_part(const cas_run_state *r, const char *file,
                                   const cas_run_state *part, const char *part_file,
                                   cas_error *err) {
  char *mine = common_identity(r), *theirs = common_identity(part), key[200] = "";
  cas_status st = mine && theirs ? CAS_OK : cas_no_memory(err);
  if (!st && strcmp(mine, theirs) != 0) {
    name_difference(mine, theirs, key, sizeof key);
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s and %s differ in %s; what is merged may differ in random.seed, "
                  "study.first_path and study.paths only",
                  file, part_file, key[0] ? key : "their configuration");
  }
  if (!st && strcmp(cas_identity_initial(r).text, cas_identity_initial(part).text) != 0)
    st = cas_fail(err, CAS_BAD_INPUT, "%s and %s begin with different states of system.initial",
                  file, part_file);
  free(mine);
  free(theirs);
  return st;
}

/* ---- what is read from files ---- */

static cas_input_hash hash_of(bool any, uint64_t hash) {
  cas_input_hash h = {""};
  if (any)
    snprintf(h.text, sizeof h.text, "%016llx", (unsigned long long)hash);
  return h;
}

cas_input_hash cas_identity_initial(const cas_run_state *r) {
  const cas_problem *p = &r->problem;
  return hash_of(p->initial.kind == CAS_STATE_FILE, p->initial_hash);
}

cas_input_hash cas_identity_noise(const cas_run_state *r) {
  return hash_of(r->problem.noise.generator->replayed, r->noise_hash);
}

/* The same for the initial states of `paths` paths. */
static cas_status initial_of(const cas_run_state *r, int64_t paths, cas_input_hash *out,
                             cas_error *err) {
  const cas_problem *p = &r->problem;
  uint64_t hash;
  *out = cas_identity_initial(r);
  if (!p->stack.source.source || paths == r->paths)
    return CAS_OK;
  CAS_CALL(cas_initial_hash(r->config, p, paths, &hash, err));
  *out = hash_of(true, hash);
  return CAS_OK;
}

/* The hash of the normals of `paths` paths and `steps` steps, which are read again if the run has
   another number of paths or fewer steps. */
static cas_status noise_of(const cas_run_state *r, int64_t paths, int64_t steps,
                           cas_input_hash *out, cas_error *err) {
  uint64_t hash = r->noise_hash;
  cas_status st = CAS_OK;
  if (r->problem.noise.generator->replayed && (paths != r->paths || steps != r->plan.steps))
    st = cas_problem_noise_hash(r->config, &r->problem, paths, steps, &hash, err);
  *out = hash_of(r->problem.noise.generator->replayed, hash);
  return st;
}

static bool same_hash(cas_input_hash mine, const char *theirs) {
  return strcmp(mine.text, theirs ? theirs : "") == 0;
}

/* Compares the contents of input files, whose names alone are in the configuration. paths, steps:
   of the earlier run. */
static cas_status check_inputs(const cas_run_state *r, const char *file, int64_t paths,
                               int64_t steps, const char *initial, const char *noise,
                               cas_error *err) {
  cas_input_hash mine;
  CAS_CALL(initial_of(r, paths, &mine, err));
  if (!same_hash(mine, initial))
    return another_input(file, "system.initial", r->problem.initial.file, initial, err);
  CAS_CALL(noise_of(r, paths, steps, &mine, err));
  if (!same_hash(mine, noise))
    return another_input(file, "random.file", r->problem.random.file, noise, err);
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
  if (!r->problem.one_path || strcmp(mine.text, theirs) == 0)
    return CAS_OK;
  if (!theirs[0])
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s does not say with which BLAS it was computed, and their products "
                    "differ in the last bits. Give another --output.",
                    file);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was computed with the BLAS '%s', and this is '%s', whose products "
                  "differ in the last bits: go on where it was begun%s%s%s.",
                  file, theirs, mine.text, core ? ", or set OPENBLAS_CORETYPE=" : "",
                  core ? core + strlen(core_name) : "", core ? " if this processor runs that" : "");
}

static cas_status check_layout(const cas_run_state *r, const char *file, const cas_sections *s,
                               cas_error *err) {
  int64_t theirs;
  if (cas_sections_get(s, layout_name, &theirs, sizeof theirs) && theirs == layout_of(r))
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was begun by commit %s of casimir, which adds up other numbers of "
                  "a path. Go on with that one, or give another --output.",
                  file, text_of(s, "commit"));
}

/* How streams are numbered: 1 where levels share the low numbers of a generator, else 0. */
static int64_t streams_of(const cas_run_state *r) {
  return chunks_are_listed(r) && r->problem.noise.generator->ascending;
}

static cas_status check_streams(const cas_run_state *r, const char *file, const cas_sections *s,
                                cas_error *err) {
  int64_t theirs = 0;
  (void)cas_sections_get(s, streams_name, &theirs, sizeof theirs);
  if (theirs == streams_of(r))
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was begun by commit %s of casimir, which gives the levels of "
                  "this study other streams of random.generator: %s. Go on with that one, or give "
                  "another --output.",
                  file, text_of(s, "commit"), r->problem.noise.generator->name);
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
                              int64_t *paths, cas_error *err) {
  paths_head head;
  if (!cas_sections_get(s, "paths", &head, sizeof head))
    return cas_fail(err, CAS_FILE_ERROR, "--resume: %s does not say how many paths it is of.",
                    file);
  *paths = head.paths;
  /* where the study lists its chunks, comparing configurations has compared the number of paths */
  if (chunks_are_listed(r))
    return CAS_OK;
  if (!head.fixed && head.paths > r->paths)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s belongs to a run of %lld paths, more than study.paths asks for "
                    "(%lld). Give another --output.",
                    file, (long long)head.paths, (long long)r->paths);
  if (!head.fixed || head.paths == r->paths)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another study.paths, %lld, and what it has "
                  "recorded fits no other number. Finish it with that, or give another --output.",
                  file, (long long)head.paths);
}

/* The bits of a path depend on the kernels, which may be others in another build. */
cas_status cas_identity_check(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) {
  char *mine = identity(r, r->effective);
  cas_status st = CAS_OK;
  int64_t paths = 0;
  if (!mine)
    return cas_no_memory(err);
  const char *theirs = text_of(s, "configuration");
  if (strcmp(mine, theirs) != 0 && !goes_on(r, theirs, r->earlier_steps))
    st = another_run(r, file, mine, text_of(s, "configuration"), err);
  else if (strcmp(r->problem.kernels->name, text_of(s, "kernels")) != 0)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was computed with the kernels '%s', and these are '%s', whose "
                  "results differ in the last bits: set CASIMIR_KERNELS=%s.",
                  file, text_of(s, "kernels"), r->problem.kernels->name, text_of(s, "kernels"));
  else if (!(st = check_layout(r, file, s, err)))
    notice_build(r, file, s);
  free(mine);
  if (!st)
    st = check_streams(r, file, s, err);
  if (!st)
    st = check_blas(r, file, text_of(s, blas_name), err);
  if (!st)
    st = check_paths(r, file, s, &paths, err);
  return st ? st
            : check_inputs(r, file, paths, r->earlier_steps ? r->earlier_steps : r->plan.steps,
                           text_of(s, initial_name), text_of(s, noise_name), err);
}

uint64_t cas_identity_hash(const cas_run_state *r) {
  const cas_problem *p = &r->problem;
  const uint64_t inputs[] = {p->initial_hash, r->noise_hash, (uint64_t)r->paths};
  char *text = identity(r, r->effective);
  uint64_t hash = cas_hash(CAS_HASH_START, inputs, sizeof inputs);
  if (text)
    hash = cas_hash(hash, text, strlen(text));
  free(text);
  return hash ? hash : 1;
}

static cas_status put_text(cas_sections *s, const char *name, const char *text, cas_error *err) {
  return cas_sections_put(s, name, text, strlen(text) + 1, err);
}

static cas_status put_all(const cas_run_state *r, const char *configuration, bool extendable,
                          cas_sections *s, cas_error *err) {
  const paths_head paths = {r->paths, !extendable};
  const int64_t streams = streams_of(r), layout = layout_of(r);
  const cas_input_hash initial = cas_identity_initial(r), noise = cas_identity_noise(r);
  CAS_CALL(put_text(s, "configuration", configuration, err));
  CAS_CALL(put_text(s, "kernels", r->problem.kernels->name, err));
  CAS_CALL(cas_sections_put(s, layout_name, &layout, sizeof layout, err));
  CAS_CALL(cas_sections_put(s, streams_name, &streams, sizeof streams, err));
  CAS_CALL(put_text(s, "commit", CAS_COMMIT, err));
  CAS_CALL(put_text(s, build_name, cas_build_id(), err));
  CAS_CALL(put_text(s, blas_name, cas_blas().text, err));
  CAS_CALL(cas_sections_put(s, initial_name, initial.text, sizeof initial.text, err));
  CAS_CALL(cas_sections_put(s, noise_name, noise.text, sizeof noise.text, err));
  CAS_CALL(cas_sections_put(s, "paths", &paths, sizeof paths, err));
  CAS_CALL(put_text(s, policy_name, cas_on_failure_names[r->problem.on_failure], err));
  return chunks_are_listed(r) ? cas_sections_put(s, "chunks", &r->chunks, sizeof r->chunks, err)
                              : CAS_OK;
}

cas_status cas_identity_put(const cas_run_state *r, bool extendable, cas_sections *s,
                            cas_error *err) {
  char *text = identity(r, r->effective);
  cas_status st = text ? put_all(r, text, extendable, s, err) : cas_no_memory(err);
  free(text);
  return st;
}

/* ---- what becomes of failed paths ---- */

/* What was computed depends on study.on_failure as soon as a path has failed. */
cas_status cas_identity_check_policy(const cas_run_state *r, int64_t failed, cas_error *err) {
  const char *mine = cas_on_failure_names[r->problem.on_failure],
             *theirs = text_of(&r->earlier, policy_name);
  if (failed == 0 || !theirs[0] || strcmp(mine, theirs) == 0)
    return CAS_OK;
  return cas_fail(
      err, CAS_BAD_INPUT,
      "--resume: %s belongs to a run with another study.on_failure, %s, and %lld of its "
      "paths have failed already. Go on with that, or begin anew with another --output.",
      r->checkpoint, theirs, (long long)failed);
}

/* ---- results files ---- */

static const char *configuration_of(const cas_results *old) {
  return old->provenance.configuration ? old->provenance.configuration : "";
}

/* Whether all that paths depend on is the same: 1 or 0, or -1 without memory. */
static int same_identity(const cas_run_state *r, const cas_results *old) {
  char *mine = identity(r, r->effective), *theirs = identity(r, configuration_of(old));
  int same = mine && theirs ? strcmp(mine, theirs) == 0 : -1;
  free(mine);
  free(theirs);
  return same;
}

static bool of_this_study(const cas_run_state *r, const cas_results *old) {
  return old->provenance.study && strcmp(old->provenance.study, r->study->name) == 0;
}

/* The number of paths is part of the identity already where chunks depend on it. */
static bool same_paths(const cas_run_state *r, const cas_results *old) {
  return chunks_are_listed(r) || old->provenance.paths == r->paths;
}

/* An input that cannot be read counts as changed; cas_identity_check_results has the message. */
static bool same_inputs(const cas_run_state *r, const cas_results *old) {
  cas_input_hash initial, noise;
  cas_error later = {0};
  return !initial_of(r, old->provenance.paths, &initial, &later) &&
         same_hash(initial, old->provenance.initial_hash) &&
         !noise_of(r, old->provenance.paths, r->plan.steps, &noise, &later) &&
         same_hash(noise, old->provenance.noise_hash);
}

bool cas_identity_same_run(const cas_run_state *r, const cas_results *old) {
  bool policy_matters =
      old->health.failed_paths > 0 && old->health.on_failure != (int)r->problem.on_failure;
  return of_this_study(r, old) && same_paths(r, old) && !policy_matters &&
         same_identity(r, old) == 1 && same_inputs(r, old);
}

bool cas_identity_is_extendable(const cas_sections *s) {
  paths_head head;
  return cas_sections_get(s, "paths", &head, sizeof head) && !head.fixed;
}

/* The steps of a run whose effective configuration is `text`; 0 where there are several sizes. */
static int64_t steps_of(const char *text) {
  size_t length;
  const char *value = value_of(text, study_section, steps_key, &length);
  return value ? strtoll(value, NULL, 10) : 0;
}

static cas_status refuse_results(const cas_run_state *r, const cas_results *old, cas_error *err) {
  char *mine = identity(r, r->effective), *theirs = identity(r, configuration_of(old));
  cas_status st;
  if (!mine || !theirs)
    st = cas_no_memory(err);
  else if (goes_on(r, theirs, steps_of(theirs)) && !same_paths(r, old))
    st = cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s has other paths and fewer steps. A run takes more paths or more "
                  "steps, not both: ask for one of them first.",
                  r->file);
  else
    st = another_run(r, r->file, mine, theirs, err);
  free(mine);
  free(theirs);
  return st;
}

static bool is_shorter(const cas_run_state *r, const cas_results *old) {
  char *theirs = identity(r, configuration_of(old));
  bool shorter =
      theirs && of_this_study(r, old) && same_paths(r, old) && goes_on(r, theirs, steps_of(theirs));
  free(theirs);
  return shorter;
}

cas_status cas_identity_check_results(const cas_run_state *r, const cas_results *old,
                                      int64_t *steps, cas_error *err) {
  const cas_provenance *p = &old->provenance;
  *steps = 0;
  if (is_shorter(r, old)) {
    *steps = steps_of(configuration_of(old));
    return CAS_OK; /* cas_identity_check compares the rest */
  }
  if (same_identity(r, old) != 1)
    return refuse_results(r, old, err);
  if (!of_this_study(r, old))
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s holds no run but one path alone. Give another --output.",
                    r->file);
  if (p->paths <= r->paths) {
    cas_status st =
        check_inputs(r, r->file, p->paths, r->plan.steps, p->initial_hash, p->noise_hash, err);
    if (st)
      return st;
  }
  if (same_paths(r, old))
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s is finished with study.on_failure: %s, and %lld of its paths "
                    "have failed. For another policy give another --output.",
                    r->file, cas_on_failure_names[old->health.on_failure],
                    (long long)old->health.failed_paths);
  if (p->paths > r->paths)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s has %lld paths already, more than study.paths asks for (%lld).",
                    r->file, (long long)p->paths, (long long)r->paths);
  return CAS_OK;
}
