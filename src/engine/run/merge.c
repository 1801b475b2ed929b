/* Results of several runs, or the paths that one has done, as a run that has nothing left to do. */
#include "base/owned.h"
#include "base/text.h"
#include "engine/resume/identity.h"
#include "engine/resume/store.h"
#include "engine/run/run.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"
#include "language/config/keys.h"

#include <math.h>

/* Paths of one seed of one of the results files, and the run that they are of. */
typedef struct {
  const char *file;
  cas_config *config;
  cas_run_state state;
  cas_sections sums;
} part;

/* All of them, and the times of all files. */
typedef struct {
  cas_run_request request; /* of every run */
  part *part;              /* owned */
  int n;
  cas_run_seconds seconds; /* of their paths */
} part_list;

static void free_part(part *p) {
  cas_run_release(&p->state);
  cas_sections_free(&p->sums);
  cas_config_free(p->config);
}

static void free_parts(part_list *l) {
  while (l->n > 0)
    free_part(&l->part[--l->n]);
  free(l->part);
}

/* A study of its own making has sums that merge only where it merges what it adds to them. */
static bool merges(const cas_study *s) { return !s->run || s->merge; }

const char *cas_run_merged_kinds(char text[CAS_RUN_MERGED_KINDS]) {
  int left = 0;
  text[0] = '\0';
  for (const cas_study *const *s = cas_studies; *s; s++)
    left += merges(*s);
  for (const cas_study *const *s = cas_studies; *s; s++)
    if (merges(*s))
      cas_append(text, CAS_RUN_MERGED_KINDS, "%s%s", (*s)->name,
                 --left > 1 ? ", "
                 : left     ? " and "
                            : "");
  return text;
}

/* Sums are checked as if one were to go on from them. */
static cas_status check_sums(const part *p, cas_error *err) {
  cas_error why = {0};
  const cas_study *study = p->state.run.study;
  char kinds[CAS_RUN_MERGED_KINDS];
  CAS_FAIL_IF(!merges(study), CAS_BAD_INPUT,
              "%s: found a study %s, must be of %s, whose runs can be merged", p->file, study->name,
              cas_run_merged_kinds(kinds));
  CAS_FAIL_IF(p->sums.size == 0, CAS_BAD_INPUT,
              "%s: holds no sums that could be merged: runs of very large sums, and ensembles "
              "without study.ends whose paths are no multiple of their block (here %lld) "
              "leave none",
              p->file, (long long)p->state.run.problem.W);
  cas_status st = cas_identity_check(&p->state, p->file, &p->sums, &why);
  const char *text = cas_text_behind(why.text, "--resume: ");
  return st ? cas_fail(err, st, "%s", text ? text : why.text) : CAS_OK;
}

static cas_status set_number(cas_config *c, const char *key, int64_t value, cas_error *err) {
  char set[64];
  snprintf(set, sizeof set, "%s=%lld", key, (long long)value);
  return cas_config_set(c, set, err);
}

/* Starts the run of a configuration, or of these paths of one seed alone. */
static cas_status start_part(part *p, const cas_run_request *q, const char *configuration,
                             const cas_seed_range *only, cas_error *err) {
  CAS_CALL(cas_config_parse(configuration, strlen(configuration), p->file, &p->config, err));
  if (only) {
    CAS_CALL(set_number(p->config, "random.seed", only->seed, err));
    CAS_CALL(set_number(p->config, "study.first_path", only->first_path, err));
    CAS_CALL(set_number(p->config, "study.paths", only->paths, err));
  }
  return cas_run_start(&p->state, p->config, q, MPI_COMM_SELF, err);
}

static cas_status append(part_list *l, part *p, cas_error *err) {
  CAS_NEED(cas_owned_resize(&l->part, l->n + 1, sizeof *p));
  l->part[l->n++] = *p;
  *p = (part){0};
  return CAS_OK;
}

/* A file that was merged from several seeds is as many parts. */
static cas_status append_seeds(part_list *l, const part *whole, const cas_seed_range *seeds, int n,
                               cas_error *err) {
  for (int i = 0; i < n; i++) {
    CAS_OWNED_BY(free_part) part p = {.file = whole->file};
    CAS_CALL(start_part(&p, &l->request, whole->state.effective, &seeds[i], err));
    CAS_CALL(cas_store_take_seed(&whole->sums, i, &p.sums, err));
    CAS_CALL(append(l, &p, err));
  }
  return CAS_OK;
}

static cas_status read_file(part_list *l, const char *file, cas_error *err) {
  CAS_OWNED_BY(cas_results_free) cas_results r = {0};
  CAS_OWNED_BY(free_part) part whole = {.file = file};
  const cas_seed_range *seeds;
  CAS_FAIL_IF(cas_file_is_same(file, l->request.output), CAS_BAD_INPUT,
              "%s: is to be merged, and would be replaced by the output", file);
  CAS_CALL(cas_results_read(file, &r, err));
  CAS_CALL(cas_results_check(file, err));
  CAS_FAIL_IF(!r.provenance.configuration, CAS_BAD_INPUT, "%s: holds no configuration", file);
  l->seconds.integrate += r.provenance.seconds.integrate;
  l->seconds.integrate_mean += r.provenance.seconds.integrate_mean;
  CAS_CALL(cas_results_restart_read(file, &whole.sums, err));
  CAS_CALL(start_part(&whole, &l->request, r.provenance.configuration, NULL, err));
  CAS_CALL(check_sums(&whole, err));
  const int n = cas_store_seeds(&whole.sums, &seeds);
  return n ? append_seeds(l, &whole, seeds, n, err) : append(l, &whole, err);
}

/* Normals of a file are those of its paths, whatever the seed. */
static uint64_t seed_of(const part *p) {
  const cas_noise *n = &p->state.run.problem.noise;
  return n->generator->replayed ? 0 : n->seed;
}

static int by_paths(const void *a, const void *b) {
  const part *x = a, *y = b;
  if (seed_of(x) != seed_of(y))
    return seed_of(x) < seed_of(y) ? -1 : 1;
  return (x->state.run.first_path > y->state.run.first_path) -
         (x->state.run.first_path < y->state.run.first_path);
}

static bool same_seed(const part *a, const part *b) { return seed_of(a) == seed_of(b); }

static int64_t end_of_both(const part *a, const part *b) {
  int64_t x = cas_study_path_end(&a->state.run), y = cas_study_path_end(&b->state.run);
  return x < y ? x : y;
}

/* Of one seed, `next` must go on where the part before it ends. */
static cas_status check_neighbours(const part *p, const part *next, cas_error *err) {
  int64_t end = cas_study_path_end(&p->state.run), first = next->state.run.first_path;
  char noise[40] = "the normals in random.file";
  if (!same_seed(p, next))
    return CAS_OK;
  if (!p->state.run.problem.noise.generator->replayed)
    snprintf(noise, sizeof noise, "random.seed %llu",
             (unsigned long long)p->state.run.problem.noise.seed);
  CAS_FAIL_IF(first < end, CAS_BAD_INPUT, "%s and %s both have paths %lld to %lld of %s", p->file,
              next->file, (long long)first, (long long)end_of_both(p, next) - 1, noise);
  CAS_FAIL_IF(first > end, CAS_BAD_INPUT,
              "no file has paths %lld to %lld, between those of %s and %s", (long long)end,
              (long long)first - 1, p->file, next->file);
  return CAS_OK;
}

/* Refuses paths of several seeds that begin at the same states, or have the same rows of a file as
   parameters: they are no independent samples, though their noise differs. */
static cas_status check_samples(const part *p, const part *other, cas_error *err) {
  static const char dependent[] = "They are not independent samples, and standard errors of both "
                                  "together would be too small";
  const cas_state_source *i = &p->state.run.problem.initial.source;
  const int64_t first[] = {p->state.run.first_path, other->state.run.first_path},
                from = first[0] > first[1] ? first[0] : first[1], end = end_of_both(p, other);
  const bool random = i->kind == CAS_STATE_RANDOM;
  if (same_seed(p, other) || from >= end)
    return CAS_OK;
  CAS_FAIL_IF(
      i->each && (!random || i->seeded), CAS_BAD_INPUT,
      "%s and %s begin at the same states: those of paths %lld to %lld are of the same %s. %s. "
      "%s",
      p->file, other->file, (long long)from, (long long)end - 1,
      random ? "system.initial.random.seed" : "system.initial.file", dependent,
      random ? "Leave that seed out of the configuration of such runs: states then depend on "
               "random.seed"
             : "Only one of them can be used");
  CAS_FAIL_IF(cas_parameters_are_listed(&p->state.run.problem), CAS_BAD_INPUT,
              "%s and %s have the same parameters: those of paths %lld to %lld are the same "
              "rows of a file. %s. Runs with `row: drawn` are independent where their "
              "random.seed differs",
              p->file, other->file, (long long)from, (long long)end - 1, dependent);
  return CAS_OK;
}

static cas_status check_parts(part *p, int parts, cas_error *err) {
  for (int i = 1; i < parts; i++)
    CAS_CALL(cas_identity_check_part(&p[0].state, p[0].file, &p[i].state, p[i].file, err));
  qsort(p, (size_t)parts, sizeof *p, by_paths);
  for (int i = 0; i + 1 < parts; i++)
    CAS_CALL(check_neighbours(&p[i], &p[i + 1], err));
  for (int i = 0; i < parts; i++)
    for (int j = i + 1; j < parts; j++)
      CAS_CALL(check_samples(&p[i], &p[j], err));
  return CAS_OK;
}

/* ---- the run of all ---- */

/* Paths are numbered from those of the first part on; parts are in the order of their seeds. */
static cas_status start(cas_config *config, const part_list *l, cas_run_state *r, cas_error *err) {
  CAS_OWNED cas_seed_range *seeds = calloc((size_t)l->n, sizeof *seeds);
  CAS_NEED(seeds);
  int n = 0; /* seeds */
  int64_t paths = 0;
  bool ends = true;
  for (int i = 0; i < l->n; i++) {
    const part *p = &l->part[i];
    const cas_study_run *of = &p->state.run;
    if (i == 0 || !same_seed(p - 1, p))
      seeds[n++] = (cas_seed_range){of->problem.noise.seed, of->first_path, 0};
    seeds[n - 1].paths += of->paths;
    paths += of->paths;
    ends = ends && cas_blocks_ends(&p->sums) > 0;
  }
  ends = ends && n == 1; /* where paths end is known of all of one seed, or is not kept */
  CAS_FAIL_IF(n > 1 && l->part->state.run.problem.initial.source.keep, CAS_BAD_INPUT,
              "%s: keeps the initial states of its paths (system.initial.keep), which are "
              "other ones with another random.seed",
              l->part->file);
  CAS_CALL(set_number(config, "study.paths", paths, err));
  if (!ends && cas_config_has(config, "study.ends"))
    CAS_CALL(cas_config_set(config, "study.ends=false", err));
  CAS_CALL(cas_run_start(r, config, &l->request, MPI_COMM_SELF, err));
  r->earlier.merged = n;
  if (n > 1) {
    r->earlier.seeds = seeds;
    seeds = NULL;
  }
  r->seconds = l->seconds;
  int seed = 0;
  for (int i = 0; i < l->n; i++) {
    const part *p = &l->part[i];
    seed += i > 0 && !same_seed(p - 1, p);
    CAS_CALL(cas_store_add_part(&p->sums, seed, &r->earlier.sections, err));
    if (r->run.study->merge)
      CAS_CALL(r->run.study->merge(&r->run, &r->earlier.sections, &p->sums, p->file, err));
    if (ends)
      CAS_CALL(cas_blocks_copy_ends(r, &p->sums, 0, &r->earlier.sections, err));
  }
  return CAS_OK;
}

static cas_status merge(const part_list *l, cas_results *out, cas_error *err) {
  const char *text = l->part->state.effective;
  CAS_OWNED_BY(cas_config_release) cas_config *config = NULL;
  CAS_OWNED_BY(cas_run_release) cas_run_state r = {0};
  CAS_CALL(cas_config_parse(text, strlen(text), l->part->file, &config, err));
  CAS_CALL(start(config, l, &r, err));
  const cas_status st = cas_run_compute(&r, out, err);
  if (st && st != CAS_CHECK_FAILED)
    cas_results_free(out);
  return st;
}

cas_status cas_merge(const char *const *file, int files, const char *output, cas_results *out,
                     cas_error *err) {
  CAS_LOCALE_OF_C;
  CAS_OWNED_BY(free_parts) part_list l = {.request = {.output = output}};
  *out = (cas_results){0};
  for (int i = 0; i < files; i++)
    CAS_CALL(read_file(&l, file[i], err));
  CAS_CALL(check_parts(l.part, l.n, err));
  return merge(&l, out, err);
}

/* ---- the tables of a run that is not finished ---- */

/* Why the sums of a study on the way are no results; NULL: they are. */
static const char *why_not(const cas_study *s) {
  if (s->defaults.recorded)
    return "it records paths one by one and has no tables";
  return merges(s) ? NULL
                   : "what it has added up before its end is not in the form of its tables: it "
                     "chooses levels, paths or bins on the way";
}

/* Starts the run that the sums of a checkpoint are of, with this number of paths; 0: its own. */
static cas_status start_some(part *p, const cas_run_request *q, const cas_sections *sums,
                             int64_t paths, cas_error *err) {
  const char *configuration = cas_identity_configuration(sums);
  CAS_CALL(cas_config_parse(configuration, strlen(configuration), p->file, &p->config, err));
  const char *kind = cas_config_text(p->config, "study.kind");
  for (const cas_study *const *s = cas_studies; kind && *s; s++)
    CAS_FAIL_IF(strcmp((*s)->name, kind) == 0 && why_not(*s), CAS_BAD_INPUT,
                "%s: is of a study %s, which has no partial report: %s.", p->file, kind,
                why_not(*s));
  CAS_CALL(set_number(p->config, "study.paths", paths ? paths : cas_identity_paths(sums), err));
  return cas_run_start(&p->state, p->config, q, MPI_COMM_SELF, err);
}

/* The paths that are done become a run of their own, as if no more had been asked for. */
cas_status cas_partial_read(const char *checkpoint, cas_partial *of, cas_results *out,
                            cas_error *err) {
  CAS_LOCALE_OF_C;
  CAS_OWNED_BY(free_part) part whole = {.file = checkpoint}, done = {.file = checkpoint};
  const part_list l = {.request = {.in_memory = true}, .part = &done, .n = 1};
  int found;
  *of = (cas_partial){0};
  *out = (cas_results){0};
  CAS_CALL(cas_run_initialize(err));
  CAS_CALL(cas_checkpoint_read(checkpoint, &done.sums, &found, NULL, err));
  CAS_FAIL_IF(found == CAS_CHECKPOINT_NONE, CAS_FILE_ERROR, "%s: there is no such file.",
              checkpoint);
  CAS_CALL(start_some(&whole, &l.request, &done.sums, 0, err));
  CAS_CALL(cas_identity_check(&whole.state, checkpoint, &done.sums, err));
  const int64_t together = whole.state.blocks_per_chunk * whole.state.run.problem.W;
  *of = (cas_partial){cas_store_chunks(&done.sums, CAS_STUDY_UNFILLED) * together,
                      whole.state.run.paths};
  CAS_FAIL_IF(of->done == 0, CAS_BAD_INPUT,
              "%s: holds no sums yet: paths are added up %lld at a time, and none of these "
              "is done.",
              checkpoint, (long long)together);
  CAS_CALL(start_some(&done, &l.request, &done.sums, of->done, err));
  const cas_status st = merge(&l, out, err);
  /* of the run that is not finished, and not of this report */
  cas_provenance *p = &out->provenance;
  p->ranks = 0;
  p->seconds.elapsed = NAN;
  p->seconds.integrate = 0;
  return st;
}
