#include "engine/resume/store.h"
#include "engine/resume/identity.h"
#include "files/results/results_file.h"
#include "files/safe_file.h"
#include "files/trajectories/checkpoint.h"

#include <casimir/results.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- summation trees ---- */

/* The name of trees in checkpoints and results files, which keep it. */
static const char tree_section[] = "forest";
static const char chunk_section[] = "chunk", partial_section[] = "part";

cas_status cas_store_tree(cas_sections *s, const cas_sum_tree *t, cas_error *err) {
  size_t size = cas_sum_tree_packed_size(t);
  if (t->nodes == 0)
    return CAS_OK;
  void *packed = malloc(size);
  if (!packed)
    return cas_no_memory(err);
  cas_sum_tree_pack(t, packed);
  cas_status st = cas_sections_put(s, tree_section, packed, size, err);
  free(packed);
  return st;
}

int64_t cas_store_chunks(const cas_sections *s) {
  cas_section found;
  int64_t chunks = 0;
  for (size_t at = 0; cas_sections_next(s, tree_section, &at, &found);)
    chunks += cas_sum_tree_packed_chunks(found.bytes, found.size);
  return chunks;
}

static cas_status unusable(const cas_run_state *r, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "--resume: what %s holds does not fit together; remove it to begin anew.",
                  r->checkpoint);
}

/* Refuses another study.on_failure where paths have failed: they were left out of sums or were
   counted, and neither can be undone. */
static cas_status check_policy(cas_run_state *r, cas_summary_shape shape, cas_error *err) {
  int64_t failed = 0;
  cas_summary *s = malloc(cas_summary_size(shape));
  if (!s)
    return cas_no_memory(err);
  cas_sum_tree_total(&r->earlier_tree, s);
  failed += cas_summary_paths(s)->failed_paths;
  if (cas_store_get_partial(r, shape, s))
    failed += cas_summary_paths(s)->failed_paths;
  free(s);
  return cas_identity_check_policy(r, failed, err);
}

/* A chunk by itself: its number, then its summary. */
static cas_status add_chunk(cas_sum_tree *t, const cas_section *s, cas_error *err) {
  int64_t chunk;
  if (s->size != sizeof chunk + cas_summary_size(t->shape))
    return cas_fail(err, CAS_FILE_ERROR, "the sums are damaged");
  memcpy(&chunk, s->bytes, sizeof chunk);
  return cas_sum_tree_add(t, chunk, (const void *)((const char *)s->bytes + sizeof chunk), err);
}

cas_status cas_store_load_tree(cas_run_state *r, cas_summary_shape shape, cas_error *err) {
  cas_section found;
  cas_sum_tree *t = &r->earlier_tree;
  cas_error why = {0};
  cas_status st = CAS_OK;
  cas_sum_tree_free(t);
  t->shape = shape;
  for (size_t at = 0; !st && cas_sections_next(&r->earlier, tree_section, &at, &found);)
    st = cas_sum_tree_unpack(t, found.bytes, found.size, &why);
  for (size_t at = 0; !st && cas_sections_next(&r->earlier, chunk_section, &at, &found);)
    st = add_chunk(t, &found, &why);
  if (st)
    return st == CAS_FILE_ERROR ? unusable(r, err) : cas_fail(err, st, "%s", why.text);
  const cas_sum_node *last = t->nodes ? t->node[t->nodes - 1] : NULL;
  if (last && !r->merged && last->first + last->chunks > cas_study_full_chunks(r))
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s has more paths already than study.paths asks for (%lld).",
                    r->checkpoint, (long long)r->run.paths);
  return check_policy(r, shape, err);
}

cas_status cas_store_get_ends(const cas_run_state *r, cas_sections *ends, cas_error *err) {
  bool sound;
  CAS_CALL(cas_blocks_copy_ends(&r->earlier, ends, &sound, err));
  return sound ? CAS_OK : unusable(r, err);
}

/* ---- the last chunk, if paths do not fill it: their number, then its summary ---- */

static cas_status put_numbered(const char *section, int64_t number, const void *summary,
                               size_t size, cas_sections *s, cas_error *err) {
  char *bytes = malloc(sizeof number + size);
  if (!bytes)
    return cas_no_memory(err);
  memcpy(bytes, &number, sizeof number);
  memcpy(bytes + sizeof number, summary, size);
  cas_status st = cas_sections_put(s, section, bytes, sizeof number + size, err);
  free(bytes);
  return st;
}

cas_status cas_store_partial(const cas_run_state *r, cas_summary_shape shape,
                             const cas_summary *partial, cas_sections *s, cas_error *err) {
  return put_numbered(partial_section, r->run.paths, partial, cas_summary_size(shape), s, err);
}

static bool has_partial(const cas_sections *s) {
  cas_section found;
  return cas_sections_find(s, partial_section, &found);
}

/* Finds one of this number of paths. */
static bool is_partial(const cas_run_state *r, const cas_sections *s, cas_section *found) {
  return cas_sections_find(s, partial_section, found) && found->size >= sizeof r->run.paths &&
         memcmp(found->bytes, &r->run.paths, sizeof r->run.paths) == 0;
}

bool cas_store_get_partial(const cas_run_state *r, cas_summary_shape shape, cas_summary *partial) {
  cas_section found;
  size_t size = cas_summary_size(shape);
  if (!is_partial(r, &r->earlier, &found) || found.size != sizeof r->run.paths + size)
    return false;
  memcpy(partial, (const char *)found.bytes + sizeof r->run.paths, size);
  return true;
}

/* ---- merging ---- */

/* Every seed has chunks of its own: more than it can have, and a power of two, so that trees are
   moved as a whole. */
static const int64_t seed_chunks = INT64_C(1) << 44;
static const char seeds_section[] = "seeds";

static cas_status put_moved_tree(const cas_section *tree, int64_t offset, cas_sections *all,
                                 cas_error *err) {
  void *packed = malloc(tree->size);
  if (!packed)
    return cas_no_memory(err);
  memcpy(packed, tree->bytes, tree->size);
  cas_sum_tree_packed_move(packed, tree->size, offset);
  cas_status st = cas_sections_put(all, tree_section, packed, tree->size, err);
  free(packed);
  return st;
}

cas_status cas_store_add_part(const cas_run_state *part, const cas_sections *sums, int seed,
                              int64_t paths, cas_sections *all, cas_error *err) {
  const int64_t offset = seed * seed_chunks;
  cas_section found;
  cas_status st = CAS_OK;
  for (size_t at = 0; !st && cas_sections_next(sums, tree_section, &at, &found);)
    st = put_moved_tree(&found, offset, all, err);
  if (st || !cas_sections_find(sums, partial_section, &found) || found.size < sizeof offset)
    return st;
  /* The number that a last chunk begins with, where paths do not fill it, takes another meaning. */
  return put_numbered(
      paths ? partial_section : chunk_section, paths ? paths : cas_study_full_chunks(part) + offset,
      (const char *)found.bytes + sizeof offset, found.size - sizeof offset, all, err);
}

int cas_store_seeds(const cas_sections *s, const cas_seed_range **seeds) {
  cas_section found;
  if (!cas_sections_find(s, seeds_section, &found) || found.size / sizeof **seeds > INT16_MAX)
    return 0;
  *seeds = found.bytes;
  return (int)(found.size / sizeof **seeds);
}

cas_status cas_store_take_seed(const cas_sections *sums, int seed, cas_sections *out,
                               cas_error *err) {
  const int64_t first = seed * seed_chunks;
  cas_section found;
  if (!cas_sections_find(sums, tree_section, &found))
    return CAS_OK;
  void *part = malloc(found.size);
  if (!part)
    return cas_no_memory(err);
  size_t size = cas_sum_tree_packed_part(found.bytes, found.size, first, first + seed_chunks, part);
  cas_sum_tree_packed_move(part, size, -first);
  cas_status st = size ? cas_sections_put(out, tree_section, part, size, err) : CAS_OK;
  free(part);
  return st;
}

/* ---- saving ---- */

enum { TAG = 2, MESSAGE = 1 << 30 };

static void send_sections(const cas_sections *s, MPI_Comm comm) {
  uint64_t size = s->size;
  MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG, comm);
  for (uint64_t at = 0; at < size; at += MESSAGE)
    MPI_Send(s->bytes + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE, 0, TAG,
             comm);
}

/* The sections of another rank, which are received even after a failure, so that no rank waits for
   ever. */
static cas_status receive_sections(int rank, MPI_Comm comm, cas_sections *s, cas_error *err) {
  uint64_t size;
  MPI_Recv(&size, 1, MPI_UINT64_T, rank, TAG, comm, MPI_STATUS_IGNORE);
  char *bytes = malloc(size + 1);
  if (!bytes)
    MPI_Abort(comm, cas_exit_status(CAS_NO_MEMORY));
  for (uint64_t at = 0; at < size; at += MESSAGE)
    MPI_Recv(bytes + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE, rank, TAG,
             comm, MPI_STATUS_IGNORE);
  cas_status st = cas_sections_append(s, bytes, size, err);
  free(bytes);
  return st;
}

/* Appends the sections of all ranks on rank 0. */
static cas_status gather(const cas_run_state *r, const cas_sections *own, cas_sections *all,
                         cas_error *err) {
  if (r->run.rank > 0) {
    send_sections(own, r->run.comm);
    return CAS_OK;
  }
  cas_status st = cas_sections_append(all, own->bytes, own->size, err);
  for (int k = 1; k < r->run.ranks; k++) {
    cas_status got = receive_sections(k, r->run.comm, all, err);
    st = st ? st : got;
  }
  return st;
}

/* Blocks that an earlier run has begun and no rank has resumed yet stay as that run has left them.
 */
static cas_status gather_all(const cas_run_state *r, const cas_sum_tree *done,
                             const cas_sections *own, bool extendable, cas_sections *all,
                             cas_error *err) {
  const bool root = r->run.rank == 0;
  cas_status st = root ? cas_identity_put(r, extendable, all, err) : CAS_OK;
  if (!st && root)
    st = cas_store_tree(all, done, err);
  cas_status got = gather(r, own, all, err);
  st = st ? st : got;
  return st || !root
             ? st
             : cas_blocks_put_waiting(r, &(cas_saved_sums){done, has_partial(all)}, all, err);
}

static double share_of(const cas_run_state *r, const cas_sections *s) {
  cas_section found;
  int64_t all = r->run.chunks - r->first_chunk;
  (void)cas_sections_get(s, "chunks", &all, sizeof all);
  const double chunks =
      (double)cas_store_chunks(s) + cas_blocks_share(s) + is_partial(r, s, &found);
  return all > 0 ? chunks / (double)all : 0;
}

static const char *checkpoint_file(const cas_run_state *r) {
  return r->from_previous ? r->previous : r->checkpoint;
}

static cas_status write_checkpoint(cas_run_state *r, const cas_sections *all, cas_error *err) {
  cas_status st = cas_checkpoint_write(r->checkpoint, all, !r->from_previous, err);
  if (!st)
    r->from_previous = false;
  return st;
}

/* Writes large data part by part, so that no rank holds the data of others. *share: the work in
   what this rank has put, in blocks. */
static cas_status stream(cas_run_state *r, const cas_sum_tree *done,
                         const cas_block_in_progress *progress, const cas_block_work *work,
                         const cas_sections *all, double *share, cas_error *err) {
  cas_section found;
  const cas_saved_sums sums = {done, is_partial(r, all, &found)};
  cas_checkpoint_writer *w = NULL;
  cas_status st = r->run.rank == 0 ? cas_checkpoint_begin(r->checkpoint, all, &w, err) : CAS_OK;
  st = cas_agree(st, r->run.comm, err);
  if (!st)
    st = cas_blocks_stream(r, progress, &sums, work, w, share, err);
  if (!st)
    st = cas_agree(work->stream(work->context, w, err), r->run.comm, err);
  if (r->run.rank > 0)
    return st;
  if (st) {
    cas_checkpoint_abandon(w);
    return st;
  }
  st = cas_checkpoint_end(w, !r->from_previous, err);
  if (!st)
    r->from_previous = false;
  return st;
}

static cas_status write_on_root(cas_run_state *r, const cas_sections *all, cas_error *err) {
  return r->run.rank == 0 ? write_checkpoint(r, all, err) : CAS_OK;
}

cas_status cas_store_save(cas_run_state *r, const cas_sum_tree *done, const cas_sections *own,
                          const cas_block_in_progress *progress, const cas_block_work *work,
                          cas_error *err) {
  cas_sections all = {0};
  double blocks = 0, share = 0;
  if (!r->checkpoint)
    return CAS_OK;
  cas_status st =
      cas_agree(gather_all(r, done, own, work->extendable, &all, err), r->run.comm, err);
  if (!st && work->store)
    st = cas_agree(work->store(work->context, &all, err), r->run.comm, err);
  if (!st)
    st = work->stream ? stream(r, done, progress, work, &all, &share, err)
                      : write_on_root(r, &all, err);
  MPI_Reduce(&share, &blocks, 1, MPI_DOUBLE, MPI_SUM, 0, r->run.comm);
  if (!st && r->run.rank == 0) {
    r->saved_share = share_of(r, &all) + blocks / (double)(r->run.chunks - r->first_chunk);
    cas_study_notice(r, "%.1f%% of the run is saved in %s", 100 * r->saved_share, r->checkpoint);
  }
  cas_sections_free(&all);
  return cas_agree(st, r->run.comm, err);
}

static cas_status gather_ends(const cas_run_state *r, const cas_sections *own, cas_sections *to,
                              cas_error *err) {
  cas_sections all = {0};
  cas_status st = gather(r, own, &all, err);
  const bool ready = !st && r->run.rank == 0;
  if (ready && cas_blocks_have_all_ends(&r->run, &all))
    st = cas_blocks_sort_ends(&all, to, err);
  else if (ready)
    cas_study_notice(r,
                     "%s does not keep where its paths end, as a part of them was computed with "
                     "study.ends: false: it cannot be continued to more steps.",
                     r->file);
  cas_sections_free(&all);
  return st;
}

cas_status cas_store_finished(cas_run_state *r, const cas_sum_tree *f, const cas_summary *partial,
                              const cas_sections *ends, const cas_block_work *work,
                              cas_error *err) {
  cas_sections *to = work->extendable || work->keeps_ends ? &r->restart : &r->rescue;
  cas_status st = CAS_OK;
  cas_sections_free(to);
  if (work->stream) /* it would be much */
    return CAS_OK;
  if (r->run.rank == 0) {
    st = cas_identity_put(r, work->extendable && !r->seeds, to, err);
    if (!st && r->seeds) /* no run goes on from several seeds: their sums can be merged again */
      st = cas_sections_put(to, seeds_section, r->seeds, (size_t)r->merged * sizeof *r->seeds, err);
    if (!st)
      st = cas_store_tree(to, f, err);
    if (!st && partial) /* a longer run has a full chunk in its place, and does not use it */
      st = cas_store_partial(r, f->shape, partial, to, err);
  }
  st = cas_agree(st, r->run.comm, err);
  if (!st && work->keeps_ends)
    st = cas_agree(gather_ends(r, ends, to, err), r->run.comm, err);
  return !st && work->store ? cas_agree(work->store(work->context, to, err), r->run.comm, err) : st;
}

/* The sums of all ranks together are a checkpoint of the whole run. */
void cas_store_rescue(cas_run_state *r, const cas_results *out, cas_error *err) {
  cas_sections all = {.bytes = out->restart, .size = out->restart_size};
  cas_error ignored = {0}, told = *err;
  if (!all.size)
    all = r->restart.size ? r->restart : r->rescue;
  if (all.size && !r->seeds && !write_checkpoint(r, &all, &ignored))
    r->saved_share = share_of(r, &all);
  /* the checkpoint may have been renamed for another one that could not be written */
  const char *file = access(checkpoint_file(r), F_OK) == 0 ? checkpoint_file(r) : r->previous;
  const size_t n = strlen(told.text);
  const char *end = n > 0 && told.text[n - 1] == '.' ? "" : "."; /* of the sentence */
  *err = (cas_error){.status = CAS_OK};
  if (r->saved_share > 0 && access(file, F_OK) == 0)
    (void)cas_fail(
        err, told.status,
        "%s%s %.1f%% of the run is saved in %s: when the cause is mended, the same command "
        "with --resume goes on from there.",
        told.text, end, 100 * r->saved_share, file);
  else
    (void)cas_fail(err, told.status, "%s%s Nothing of the run is saved.", told.text, end);
}

cas_status cas_store_interrupted(const cas_run_state *r, cas_error *err) {
  if (!r->checkpoint)
    return cas_fail(err, CAS_INTERRUPTED, "interrupted; a run in memory has no checkpoint.");
  return cas_fail(err, CAS_INTERRUPTED,
                  "interrupted; %.1f%% of the run is saved in %s. The same command with --resume "
                  "goes on from there, on any number of ranks.",
                  100 * r->saved_share, r->checkpoint);
}

void cas_store_suspend_file(const cas_run_state *r, cas_trajectory_file *file) {
  cas_error ignored = {0}; /* what ended the run counts */
  if (!file)
    return;
  int known = r->run.rank == 0 && cas_checkpoint_exists(r->checkpoint);
  cas_bcast(&known, 1, MPI_INT, 0, r->run.comm);
  if (known)
    cas_trajectory_suspend(file);
  else
    (void)!cas_trajectory_close(file, NULL, &ignored);
}

/* ---- coming back ---- */

static cas_status cannot_add_paths(const cas_run_state *r, const cas_results *old, cas_error *err) {
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s is a finished run of %lld paths, to which none can be added: "
                  "records of trajectories and blocks that are not full cannot be extended. Give "
                  "another --output.",
                  r->file, (long long)old->provenance.paths);
}

/* To a run of more steps, the blocks of a finished one are in progress: their ends alone are
   kept. */
static cas_status begin_from_ends(cas_run_state *r, cas_error *err) {
  cas_sections begun = {0};
  bool sound, all = cas_blocks_have_all_ends(&r->run, &r->earlier);
  cas_status st = cas_blocks_begin_from_ends(
      &r->earlier, (double)r->earlier_steps / (double)r->run.plan.steps, &begun, &sound, err);
  if (!st && !sound)
    st = unusable(r, err);
  if (!st && !all)
    st =
        cas_fail(err, CAS_BAD_INPUT,
                 "--resume: %s is a finished run of %lld steps, which did not keep where its paths "
                 "end. A run with study.ends: true does, and takes more steps.",
                 r->file, (long long)r->earlier_steps);
  cas_sections_free(&r->earlier);
  r->earlier = begun;
  return st;
}

/* Goes on from the results file if that is of the same run with fewer paths, or with fewer
   steps. */
static cas_status resume_from_results(cas_run_state *r, const cas_results *old, cas_error *err) {
  const cas_seed_range *seeds;
  CAS_CALL(cas_results_restart_read(r->file, &r->earlier, err));
  if (cas_store_seeds(&r->earlier, &seeds) > 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s is merged from runs with several random.seed, to which no paths "
                    "can be added but by casimir merge. Give another --output.",
                    r->file);
  CAS_CALL(cas_identity_check_results(r, old, &r->earlier_steps, err));
  if (!r->earlier_steps && (r->earlier.size == 0 || !cas_identity_is_extendable(&r->earlier)))
    return cannot_add_paths(r, old, err);
  if (r->earlier.size > 0)
    CAS_CALL(cas_identity_check(r, r->file, &r->earlier, err));
  r->from_results = true;
  return r->earlier_steps ? begin_from_ends(r, err) : CAS_OK;
}

/* *found and *warning: as in cas_checkpoint_read */
static cas_status read_checkpoint(const cas_run_state *r, cas_sections *s, int *found,
                                  char **warning, cas_error *err) {
  CAS_CALL(cas_checkpoint_read(r->checkpoint, s, found, warning, err));
  if (*found)
    CAS_CALL(cas_identity_check(r, *found == CAS_CHECKPOINT_PREVIOUS ? r->previous : r->checkpoint,
                                s, err));
  return CAS_OK;
}

static cas_status resume_from_files(cas_run_state *r, const cas_results *old, cas_status readable,
                                    const cas_error *unreadable, cas_error *err) {
  int found = 0;
  char *warning = NULL;
  cas_status st = read_checkpoint(r, &r->earlier, &found, &warning, err);
  if (!st && found && warning)
    cas_study_notice(r, "%s", warning);
  free(warning);
  if (!st && found) {
    r->from_previous = found == CAS_CHECKPOINT_PREVIOUS;
    r->saved_share = share_of(r, &r->earlier);
  } else if (!st && readable) {
    st = cas_fail(err, readable, "%s", unreadable->text);
  } else if (!st && old->complete) {
    st = resume_from_results(r, old, err);
  }
  if (!st && r->earlier.size)
    cas_study_notice(r, "going on from %s, %.1f%% of the run", found ? checkpoint_file(r) : r->file,
                     100 * share_of(r, &r->earlier));
  return st;
}

/* Removes the checkpoint of this run, which is finished; one of a run with more paths stays. */
static void remove_own_checkpoint(const cas_run_state *r) {
  cas_sections s = {0};
  cas_error ignored = {0};
  int found = 0;
  if (!read_checkpoint(r, &s, &found, NULL, &ignored) && found)
    cas_checkpoint_remove(r->checkpoint);
  cas_sections_free(&s);
}

/* Results are looked at before the checkpoint, because a run may end between putting the former in
   place and removing the latter. */
static cas_status find_earlier_run(cas_run_state *r, bool *finished, cas_error *err) {
  cas_results old = {0};
  cas_error unreadable = {0};
  cas_status readable =
      cas_file_present(r->file) ? cas_results_read(r->file, &old, &unreadable) : CAS_OK;
  cas_status st = CAS_OK;
  *finished = old.complete && cas_identity_same_run(r, &old);
  if (*finished && !r->request->dry_run)
    remove_own_checkpoint(r);
  else if (!*finished)
    st = resume_from_files(r, &old, readable, &unreadable, err);
  cas_results_free(&old);
  return st;
}

cas_status cas_store_resume(cas_run_state *r, bool *finished, cas_error *err) {
  int done = 0;
  *finished = false;
  CAS_CALL(
      cas_agree(r->run.rank == 0 ? find_earlier_run(r, finished, err) : CAS_OK, r->run.comm, err));
  done = *finished;
  cas_bcast(&done, 1, MPI_INT, 0, r->run.comm);
  *finished = done;
  int from_results = r->from_results;
  cas_bcast(&from_results, 1, MPI_INT, 0, r->run.comm);
  r->from_results = from_results;
  cas_bcast(&r->earlier_steps, 1, MPI_INT64_T, 0, r->run.comm);
  void *bytes = r->earlier.bytes;
  cas_status st = cas_broadcast(&bytes, &r->earlier.size, r->run.comm, err);
  r->earlier.bytes = bytes;
  r->earlier.capacity = r->earlier.size;
  if (!st)
    st = cas_agree(cas_identity_take(r, err), r->run.comm, err);
  return st ? st : cas_blocks_open_earlier(r, err);
}

static const char *without_option(const char *text) {
  static const char option[] = "--resume: ";
  return strncmp(text, option, strlen(option)) ? text : text + strlen(option);
}

cas_status cas_store_check_new(const cas_run_state *r, cas_error *err) {
  cas_sections s = {0};
  cas_error why = {0};
  int found = 0;
  cas_status st = read_checkpoint(r, &s, &found, NULL, &why);
  double share = found ? share_of(r, &s) : 0;
  /* a damaged newer checkpoint would be refused next */
  const char *both =
      found == CAS_CHECKPOINT_PREVIOUS && access(r->checkpoint, F_OK) == 0 ? r->checkpoint : NULL;
  cas_sections_free(&s);
  if (!st && !found)
    return CAS_OK;
  if (st)
    return cas_fail(err, st, "%s Or %s%s%s.", without_option(why.text),
                    found ? "remove it" : "choose another --output", both ? " and " : "",
                    both ? both : "");
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s holds an unfinished run (%.1f%% of this many paths). Go on with --resume, or "
                  "remove it%s%s to begin anew.",
                  found == CAS_CHECKPOINT_PREVIOUS ? r->previous : r->checkpoint, 100 * share,
                  both ? " and " : "", both ? both : "");
}
