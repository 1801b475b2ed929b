/* Results of several runs become those of one, whose earlier run has done everything. */
#include "base/text.h"
#include "engine/identity.h"
#include "engine/store.h"
#include "files/safe_file.h"
#include "results/results_file.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* One of the results files, and the run that it is of. */
typedef struct {
  const char *file;
  cas_config *config;
  cas_run_request request;
  cas_run_state run;
  cas_results results;
  cas_sections sums;
} part;

static void free_part(part *p) {
  cas_run_release(&p->run);
  cas_results_free(&p->results);
  cas_sections_free(&p->sums);
  cas_config_free(p->config);
}

/* Sums are checked as if one were to go on from them. */
static cas_status check_sums(const part *p, cas_error *err) {
  static const char option[] = "--resume: ";
  cas_error why = {0};
  if (p->sums.size == 0)
    return cas_fail(
        err, CAS_BAD_INPUT,
        "%s: holds no sums that could be merged: trajectories, runs of very large sums, "
        "and ensembles without study.ends whose paths are no multiple of their block "
        "(here %lld) leave none",
        p->file, (long long)p->run.problem.W);
  cas_status st = cas_identity_check(&p->run, p->file, &p->sums, &why);
  const char *text = why.text;
  if (strncmp(text, option, strlen(option)) == 0)
    text += strlen(option);
  return st ? cas_fail(err, st, "%s", text) : CAS_OK;
}

static cas_status read_part(const char *file, const char *output, part *p, cas_error *err) {
  *p = (part){.file = file, .request = {.only_path = -1, .output = output}};
  if (cas_file_is_same(file, output))
    return cas_fail(err, CAS_BAD_INPUT, "%s: is to be merged, and would be replaced by the output",
                    file);
  CAS_CALL(cas_results_read(file, &p->results, err));
  CAS_CALL(cas_results_check(file, err));
  CAS_CALL(cas_results_restart_read(file, &p->sums, err));
  const char *text = p->results.provenance.configuration;
  if (!text)
    return cas_fail(err, CAS_BAD_INPUT, "%s: holds no configuration", file);
  CAS_CALL(cas_config_parse(text, strlen(text), file, &p->config, err));
  CAS_CALL(cas_run_start(&p->run, p->config, &p->request, MPI_COMM_SELF, err));
  return check_sums(p, err);
}

static int by_paths(const void *a, const void *b) {
  const part *x = a, *y = b;
  const uint64_t seed[] = {x->run.problem.noise.seed, y->run.problem.noise.seed};
  if (seed[0] != seed[1])
    return seed[0] < seed[1] ? -1 : 1;
  return (x->run.first_path > y->run.first_path) - (x->run.first_path < y->run.first_path);
}

static bool same_seed(const part *a, const part *b) {
  return a->run.problem.noise.seed == b->run.problem.noise.seed;
}

static int64_t end_of_both(const part *a, const part *b) {
  int64_t x = cas_study_path_end(&a->run), y = cas_study_path_end(&b->run);
  return x < y ? x : y;
}

/* Of one seed, `next` must go on where the part before it ends. */
static cas_status check_neighbours(const part *p, const part *next, cas_error *err) {
  int64_t end = cas_study_path_end(&p->run), first = next->run.first_path;
  if (!same_seed(p, next))
    return CAS_OK;
  if (first < end)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s and %s both have paths %lld to %lld of random.seed %llu", p->file,
                    next->file, (long long)first, (long long)end_of_both(p, next) - 1,
                    (unsigned long long)p->run.problem.noise.seed);
  if (first > end)
    return cas_fail(err, CAS_BAD_INPUT,
                    "no file has paths %lld to %lld, between those of %s and %s", (long long)end,
                    (long long)first - 1, p->file, next->file);
  return CAS_OK;
}

/* Paths that begin at one state are no independent samples, though their noise has other seeds. */
static cas_status check_states(const part *p, const part *other, cas_error *err) {
  const cas_state_source *i = &p->run.problem.initial;
  const int64_t first[] = {p->run.first_path, other->run.first_path},
                from = first[0] > first[1] ? first[0] : first[1], end = end_of_both(p, other);
  char source[40] = "system.initial.file";
  if (same_seed(p, other) || !i->each || from >= end || (i->kind == CAS_STATE_RANDOM && !i->seeded))
    return CAS_OK;
  if (i->kind == CAS_STATE_RANDOM)
    snprintf(source, sizeof source, "system.initial.random.seed");
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s and %s begin at the same states: those of paths %lld to %lld are of the same "
                  "%s. They are not independent samples, and standard errors of both together "
                  "would be too small. %s",
                  p->file, other->file, (long long)from, (long long)end - 1, source,
                  i->kind == CAS_STATE_RANDOM
                      ? "Leave that seed out of the configuration of such runs: states then depend "
                        "on random.seed"
                      : "Only one of them can be used");
}

static cas_status check_parts(part *p, int parts, cas_error *err) {
  for (int i = 1; i < parts; i++)
    CAS_CALL(cas_identity_check_part(&p[0].run, p[0].file, &p[i].run, p[i].file, err));
  qsort(p, (size_t)parts, sizeof *p, by_paths);
  for (int i = 0; i + 1 < parts; i++)
    CAS_CALL(check_neighbours(&p[i], &p[i + 1], err));
  for (int i = 0; i < parts; i++)
    for (int j = i + 1; j < parts; j++)
      CAS_CALL(check_states(&p[i], &p[j], err));
  return CAS_OK;
}

/* ---- the run of all ---- */

typedef struct {
  int seeds;
  int64_t paths;
} extent;

static extent extent_of(const part *p, int parts) {
  extent e = {1, 0};
  for (int i = 0; i < parts; i++) {
    e.paths += p[i].run.paths;
    e.seeds += i > 0 && !same_seed(&p[i - 1], &p[i]);
  }
  return e;
}

static cas_status put_sums(const part *p, int parts, extent e, cas_sections *all, cas_error *err) {
  const cas_study *s = p->run.study;
  int seed = 0;
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < parts; i++) {
    seed += i > 0 && !same_seed(&p[i - 1], &p[i]);
    st = cas_store_add_part(&p[i].run, &p[i].sums, seed, e.seeds > 1 ? 0 : e.paths, all, err);
    if (!st && s->merge)
      st = s->merge(all, &p[i].sums, p[i].file, err);
  }
  return st;
}

/* A configuration has one seed: what the others were follows it as a comment. */
static cas_status name_seeds(cas_run_state *r, const part *p, int parts, cas_error *err) {
  size_t size;
  char *text = NULL;
  FILE *f = open_memstream(&text, &size);
  if (!f)
    return cas_no_memory(err);
  fprintf(f, "%s# merged from runs with these random.seed:", r->effective);
  for (int i = 0; i < parts; i++)
    if (i == 0 || !same_seed(&p[i - 1], &p[i]))
      fprintf(f, " %llu", (unsigned long long)p[i].run.problem.noise.seed);
  fprintf(f, "\n");
  if (fclose(f))
    return cas_no_memory(err);
  free(r->effective);
  r->effective = text;
  return CAS_OK;
}

/* Paths are numbered from those of the first part on. */
static cas_status start(cas_config *config, const cas_run_request *q, const part *p, int parts,
                        cas_run_state *r, cas_error *err) {
  const extent e = extent_of(p, parts);
  char set[64];
  snprintf(set, sizeof set, "study.paths=%lld", (long long)e.paths);
  if (e.seeds > 1 && p->run.problem.initial.keep)
    return cas_fail(err, CAS_BAD_INPUT,
                    "%s: keeps the initial states of its paths (system.initial.keep), which are "
                    "other ones with another random.seed",
                    p->file);
  CAS_CALL(cas_config_set(config, set, err));
  CAS_CALL(cas_run_start(r, config, q, MPI_COMM_SELF, err));
  r->merged = e.seeds;
  for (int i = 0; i < parts; i++) {
    r->timing.integrate_most += p[i].results.provenance.integrate_seconds;
    r->timing.integrate_mean += p[i].results.provenance.integrate_seconds_mean;
  }
  CAS_CALL(put_sums(p, parts, e, &r->earlier, err));
  return e.seeds > 1 ? name_seeds(r, p, parts, err) : CAS_OK;
}

static cas_status merge(const part *p, int parts, const char *output, cas_results *out,
                        cas_error *err) {
  const cas_run_request request = {.only_path = -1, .output = output};
  const char *text = p->results.provenance.configuration;
  cas_config *config = NULL;
  cas_run_state r = {0};
  cas_status st = cas_config_parse(text, strlen(text), p->file, &config, err);
  if (!st)
    st = start(config, &request, p, parts, &r, err);
  if (!st)
    st = cas_run_compute(&r, out, err);
  cas_run_release(&r);
  cas_config_free(config);
  return st;
}

cas_status cas_merge(const char *const *file, int files, const char *output, cas_results *out,
                     cas_error *err) {
  part *p = calloc((size_t)files + 1, sizeof *p);
  int parts = 0;
  cas_status st = p ? CAS_OK : cas_no_memory(err);
  *out = (cas_results){0};
  while (!st && parts < files) {
    st = read_part(file[parts], output, &p[parts], err);
    parts++;
  }
  if (!st)
    st = check_parts(p, parts, err);
  if (!st)
    st = merge(p, parts, output, out, err);
  while (parts > 0)
    free_part(&p[--parts]);
  free(p);
  if (st && st != CAS_CHECK_FAILED)
    cas_results_free(out);
  return st;
}
