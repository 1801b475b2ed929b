/* The tables of a run that is not finished: the results of the chunks that its checkpoint has the
   sums of, as if no more paths had been asked for. */
#include "engine/run/partial.h"
#include "base/text.h"
#include "engine/resume/identity.h"
#include "engine/resume/store.h"
#include "engine/run/run.h"

#include <math.h>
#include <string.h>

/* Why the sums of a study on the way are no results; NULL: they are. */
static const char *why_not(const cas_study *s) {
  if (s->defaults.recorded)
    return "it records paths one by one and has no tables";
  if (s->run && !s->merge)
    return "what it has added up before its end is not in the form of its tables: it chooses "
           "levels, "
           "paths or bins on the way";
  return NULL;
}

/* What a checkpoint says of its run. */
typedef struct {
  const char *file, *configuration, *policy;
  int64_t paths;
} begun;

/* Starts the run of `paths` of its paths. */
static cas_status start(const begun *b, int64_t paths, cas_config **config, cas_run_state *r,
                        cas_error *err) {
  static const cas_run_request request = {.in_memory = true};
  char set[64];
  CAS_CALL(cas_config_parse(b->configuration, strlen(b->configuration), b->file, config, err));
  const char *kind = cas_config_text(*config, "study.kind");
  for (const cas_study *const *s = cas_studies; kind && *s; s++)
    if (strcmp((*s)->name, kind) == 0 && why_not(*s))
      return cas_fail(err, CAS_BAD_INPUT, "%s: is of a study %s, which has no partial report: %s.",
                      b->file, kind, why_not(*s));
  snprintf(set, sizeof set, "study.paths=%lld", (long long)paths);
  CAS_CALL(cas_config_set(*config, set, err));
  snprintf(set, sizeof set, "study.on_failure=%.20s", b->policy);
  CAS_CALL(cas_config_set(*config, set, err));
  return cas_run_start(r, *config, &request, MPI_COMM_SELF, err);
}

static cas_status conclude(const begun *b, const cas_sections *sums, cas_partial *of,
                           cas_results *out, cas_error *err) {
  cas_config *config = NULL, *all = NULL;
  cas_run_state whole = {0}, r = {0};
  int64_t together = 0; /* paths of a chunk */
  cas_status st = start(b, b->paths, &all, &whole, err);
  if (!st)
    st = cas_identity_check(&whole, b->file, sums, err);
  if (!st) {
    together = whole.blocks_per_chunk * whole.run.problem.W;
    of->all = b->paths;
    of->done = cas_store_chunks(sums) * together;
  }
  if (!st && of->done == 0)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "%s: holds no sums yet: paths are added up %lld at a time, and none of these is "
                  "done.",
                  b->file, (long long)together);
  if (!st)
    st = start(b, of->done, &config, &r, err);
  if (!st) {
    r.merged = 1; /* nothing is left to be computed, wherever the chunks are */
    st = cas_store_add_part(&whole, sums, 0, of->done, &r.earlier, err);
  }
  if (!st && r.run.study->merge)
    st = r.run.study->merge(&r.earlier, sums, b->file, err);
  if (!st)
    st = cas_run_compute(&r, out, err);
  /* of the run that is not finished, and not of this report */
  cas_provenance *p = &out->provenance;
  p->ranks = 0;
  p->elapsed_seconds = NAN;
  p->integrate_seconds = 0;
  cas_run_release(&whole);
  cas_run_release(&r);
  cas_config_free(all);
  cas_config_free(config);
  return st;
}

cas_status cas_partial_read(const char *checkpoint, cas_partial *of, cas_results *out,
                            cas_error *err) {
  CAS_LOCALE_OF_C;
  cas_sections sums = {0};
  begun b = {.file = checkpoint};
  int found;
  *of = (cas_partial){0};
  *out = (cas_results){0};
  CAS_CALL(cas_run_initialize(err));
  cas_status st = cas_checkpoint_read(checkpoint, &sums, &found, NULL, err);
  if (!st && found == CAS_CHECKPOINT_NONE)
    st = cas_fail(err, CAS_FILE_ERROR, "%s: there is no such file.", checkpoint);
  if (!st) {
    cas_identity_of(&sums, &b.configuration, &b.policy, &b.paths);
    st = conclude(&b, &sums, of, out, err);
  }
  cas_sections_free(&sums);
  if (st && st != CAS_CHECK_FAILED)
    cas_results_free(out);
  return st;
}
