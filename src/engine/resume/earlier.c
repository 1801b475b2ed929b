/* What an earlier run has left for this one: its checkpoint, or its results file. */
#include "base/owned.h"
#include "base/text.h"
#include "engine/resume/identity.h"
#include "engine/resume/store.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"

typedef struct {
  cas_results results;
  int64_t steps;         /* as cas_identity_check_results says */
  cas_status read, fits; /* whether it can be read, and is of this run or goes on to it */
  cas_error unread, unfit;
} results_file;

static void free_results(results_file *f) { cas_results_free(&f->results); }

/* In a run of more steps the blocks of a finished one are in progress, at the ends that it kept. */
static cas_status begin_from_ends(cas_run_state *r, cas_error *err) {
  CAS_OWNED_BY(cas_sections_free) cas_sections ended = r->earlier.sections;
  const double share = (double)r->earlier.steps / (double)r->run.plan.steps;
  r->earlier.sections = (cas_sections){0};
  CAS_CALL(cas_blocks_copy_ends(r, &ended, share, &r->earlier.sections, err));
  CAS_FAIL_IF(!cas_blocks_have_all_ends(&r->run, &ended), CAS_BAD_INPUT,
              "--resume: %s is a finished run of %lld steps, which did not keep where its paths "
              "end. A run with study.ends: true does, and takes more steps.",
              r->file, (long long)r->earlier.steps);
  return CAS_OK;
}

/* Goes on from the results file of the same run with fewer paths, or with fewer steps. */
static cas_status resume_from_results(cas_run_state *r, const results_file *old, cas_error *err) {
  cas_earlier_run *e = &r->earlier;
  const cas_seed_range *seeds;
  CAS_CALL(cas_results_restart_read(r->file, &e->sections, err));
  CAS_FAIL_IF(cas_store_seeds(&e->sections, &seeds) > 0, CAS_BAD_INPUT,
              "--resume: %s is merged from runs with several random.seed, to which no paths "
              "can be added but by casimir merge. Give another --output.",
              r->file);
  CAS_FAIL_IF(old->fits, old->fits, "%s", old->unfit.text);
  e->steps = old->steps;
  CAS_FAIL_IF(!e->steps && (e->sections.size == 0 || !cas_identity_is_extendable(&e->sections)),
              CAS_BAD_INPUT,
              "--resume: %s is a finished run of %lld paths, to which none can be added: "
              "records of trajectories and blocks that are not full cannot be extended. Give "
              "another --output.",
              r->file, (long long)old->results.provenance.paths);
  if (e->sections.size > 0)
    CAS_CALL(cas_identity_check(r, r->file, &e->sections, err));
  e->from_results = true;
  return e->steps ? begin_from_ends(r, err) : CAS_OK;
}

static const char *file_of(const cas_run_state *r, int found) {
  return found == CAS_CHECKPOINT_PREVIOUS ? r->previous : r->checkpoint;
}

/* *found and *warning: as in cas_checkpoint_read */
static cas_status read_checkpoint(const cas_run_state *r, cas_sections *s, int *found,
                                  char **warning, cas_error *err) {
  CAS_CALL(cas_checkpoint_read(r->checkpoint, s, found, warning, err));
  if (*found)
    CAS_CALL(cas_identity_check(r, file_of(r, *found), s, err));
  return CAS_OK;
}

/* Says what this run goes on from. A chunk that was not full has more paths in a run of more. */
static void notice_earlier(const cas_run_state *r, const char *file) {
  const cas_sections *s = &r->earlier.sections;
  const int64_t chunk = r->blocks_per_chunk * r->run.problem.W, paths = cas_identity_paths(s);
  const bool cut = cas_store_chunks(s, INT64_MAX) > cas_store_chunks(s, CAS_STUDY_UNFILLED);
  char again[120] = "";
  if (cut && paths != r->run.paths)
    cas_append(again, sizeof again, ": its last %lld paths fill no chunk of %lld and are run again",
               (long long)(paths % chunk), (long long)chunk);
  cas_study_notice(r, "going on from %s, %.1f%% of the run%s", file, 100 * cas_store_share(r, s),
                   again);
}

static cas_status resume_from_files(cas_run_state *r, const results_file *old, cas_error *err) {
  int found = 0;
  CAS_OWNED char *warning = NULL;
  CAS_CALL(read_checkpoint(r, &r->earlier.sections, &found, &warning, err));
  if (found && warning)
    cas_study_notice(r, "%s", warning);
  if (found) {
    r->earlier.from_previous = found == CAS_CHECKPOINT_PREVIOUS;
    r->saved_share = cas_store_share(r, &r->earlier.sections);
  } else if (old->read) {
    return cas_fail(err, old->read, "%s", old->unread.text);
  } else if (old->results.complete) {
    CAS_CALL(resume_from_results(r, old, err));
  }
  if (r->earlier.sections.size)
    notice_earlier(r, found ? file_of(r, found) : r->file);
  return CAS_OK;
}

/* Removes the checkpoint of this run, which is finished; one of a run with more paths stays. */
static void remove_own_checkpoint(const cas_run_state *r) {
  CAS_OWNED_BY(cas_sections_free) cas_sections s = {0};
  cas_error ignored = {0};
  int found = 0;
  if (!read_checkpoint(r, &s, &found, NULL, &ignored) && found)
    cas_checkpoint_remove(r->checkpoint);
}

/* Results are looked at before the checkpoint, because a run may end between putting the former in
   place and removing the latter. */
static cas_status find_earlier_run(cas_run_state *r, bool *finished, cas_error *err) {
  CAS_OWNED_BY(free_results) results_file old = {.steps = 0};
  if (cas_file_present(r->file))
    old.read = cas_results_read(r->file, &old.results, &old.unread);
  if (old.results.complete)
    old.fits = cas_identity_check_results(r, &old.results, finished, &old.steps, &old.unfit);
  if (*finished && !r->request->dry_run)
    remove_own_checkpoint(r);
  return *finished ? CAS_OK : resume_from_files(r, &old, err);
}

cas_status cas_store_resume(cas_run_state *r, bool *finished, cas_error *err) {
  const bool root = r->run.rank == 0;
  *finished = false;
  CAS_CALL(cas_agree(root ? find_earlier_run(r, finished, err) : CAS_OK, r->run.comm, err));
  cas_bcast(finished, sizeof *finished, MPI_BYTE, 0, r->run.comm);
  cas_bcast(&r->earlier.from_results, sizeof r->earlier.from_results, MPI_BYTE, 0, r->run.comm);
  cas_bcast(&r->earlier.steps, 1, MPI_INT64_T, 0, r->run.comm);
  void *bytes = r->earlier.sections.bytes;
  cas_status st = cas_broadcast(&bytes, &r->earlier.sections.size, r->run.comm, err);
  r->earlier.sections.bytes = bytes;
  r->earlier.sections.capacity = r->earlier.sections.size;
  return st ? st : cas_blocks_open_earlier(r, err);
}

cas_status cas_store_check_new(const cas_run_state *r, cas_error *err) {
  CAS_OWNED_BY(cas_sections_free) cas_sections s = {0};
  cas_error why = {0};
  int found = 0;
  cas_status st = read_checkpoint(r, &s, &found, NULL, &why);
  double share = found ? cas_store_share(r, &s) : 0;
  /* a damaged newer checkpoint would be refused next */
  const char *both =
      found == CAS_CHECKPOINT_PREVIOUS && access(r->checkpoint, F_OK) == 0 ? r->checkpoint : NULL;
  if (!st && !found)
    return CAS_OK;
  const char *text = cas_text_behind(why.text, "--resume: ");
  CAS_FAIL_IF(st, st, "%s Or %s%s%s.", text ? text : why.text,
              found ? "remove it" : "choose another --output", both ? " and " : "",
              both ? both : "");
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s holds an unfinished run (%.1f%% of this many paths). Go on with --resume, or "
                  "remove it%s%s to begin anew.",
                  file_of(r, found), 100 * share, both ? " and " : "", both ? both : "");
}
