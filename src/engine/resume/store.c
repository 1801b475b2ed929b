#include "engine/resume/store.h"
#include "base/owned.h"
#include "engine/resume/identity.h"
#include "files/trajectories/checkpoint.h"

#include <casimir/results.h>

#include <unistd.h>

/* ---- summation trees ---- */

/* The name of trees in checkpoints and results files, which keep it. */
static const char tree_section[] = "forest";
static const char chunk_section[] = "chunk", partial_section[] = "part";

cas_status cas_store_tree(cas_sections *s, const cas_sum_tree *t, cas_error *err) {
  if (t->nodes == 0)
    return CAS_OK;
  void *packed = cas_sections_add(s, tree_section, cas_sum_tree_packed_size(t), err);
  if (packed)
    cas_sum_tree_pack(t, packed);
  return packed ? CAS_OK : CAS_NO_MEMORY;
}

int64_t cas_store_chunks(const cas_sections *s) {
  cas_section found;
  int64_t chunks = 0;
  for (size_t at = 0; cas_sections_next(s, tree_section, &at, &found);)
    chunks += cas_sum_tree_packed_chunks(found.bytes, found.size);
  return chunks;
}

cas_status cas_store_unusable(const cas_run_state *r, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "--resume: what %s holds does not fit together; remove it to begin anew.",
                  r->checkpoint);
}

/* Refuses another study.on_failure where paths have failed: they were left out of sums or were
   counted, and neither can be undone. */
static cas_status check_policy(cas_run_state *r, cas_summary_shape shape, cas_error *err) {
  int64_t failed = 0;
  CAS_OWNED cas_summary *s = malloc(cas_summary_size(shape));
  CAS_NEED(s);
  cas_sum_tree_total(&r->earlier_tree, s);
  failed += cas_summary_paths(s)->failed_paths;
  if (cas_store_get_partial(r, &r->earlier, shape, s))
    failed += cas_summary_paths(s)->failed_paths;
  return cas_identity_check_policy(r, failed, err);
}

/* A chunk by itself: its number, then its summary. */
static cas_status add_chunk(cas_sum_tree *t, const cas_section *s, cas_error *err) {
  int64_t chunk;
  CAS_FAIL_IF(s->size != sizeof chunk + cas_summary_size(t->shape), CAS_FILE_ERROR,
              "the sums are damaged");
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
    return st == CAS_FILE_ERROR ? cas_store_unusable(r, err) : cas_fail(err, st, "%s", why.text);
  const cas_sum_node *last = t->nodes ? t->node[t->nodes - 1] : NULL;
  CAS_FAIL_IF(last && !r->merged && last->first + last->chunks > cas_study_full_chunks(r),
              CAS_BAD_INPUT,
              "--resume: %s has more paths already than study.paths asks for (%lld).",
              r->checkpoint, (long long)r->run.paths);
  return check_policy(r, shape, err);
}

/* ---- the last chunk, if paths do not fill it: their number, then its summary ---- */

static cas_status put_numbered(const char *section, int64_t number, const void *summary,
                               size_t size, cas_sections *s, cas_error *err) {
  char *bytes = cas_sections_add(s, section, sizeof number + size, err);
  if (!bytes)
    return CAS_NO_MEMORY;
  memcpy(bytes, &number, sizeof number);
  memcpy(bytes + sizeof number, summary, size);
  return CAS_OK;
}

cas_status cas_store_partial(const cas_run_state *r, cas_summary_shape shape,
                             const cas_summary *partial, cas_sections *s, cas_error *err) {
  return put_numbered(partial_section, r->run.paths, partial, cas_summary_size(shape), s, err);
}

/* Finds one of this number of paths. */
static bool is_partial(const cas_run_state *r, const cas_sections *s, cas_section *found) {
  return cas_sections_find(s, partial_section, found) && found->size >= sizeof r->run.paths &&
         memcmp(found->bytes, &r->run.paths, sizeof r->run.paths) == 0;
}

bool cas_store_get_partial(const cas_run_state *r, const cas_sections *s, cas_summary_shape shape,
                           cas_summary *partial) {
  cas_section found;
  const size_t size = cas_summary_size(shape);
  if (!is_partial(r, s, &found) || found.size != sizeof r->run.paths + size)
    return false;
  memcpy(partial, (const char *)found.bytes + sizeof r->run.paths, size);
  return true;
}

cas_status cas_store_take_over(const cas_run_state *r, cas_summary_shape shape, cas_sections *own,
                               bool *last, cas_error *err) {
  cas_section found;
  bool sound;
  CAS_CALL(cas_blocks_copy_ends(&r->earlier, 0, own, &sound, err));
  CAS_CALL(sound ? CAS_OK : cas_store_unusable(r, err));
  *last = r->run.chunks > cas_study_full_chunks(r) && is_partial(r, &r->earlier, &found) &&
          found.size == sizeof r->run.paths + cas_summary_size(shape);
  return *last ? cas_sections_put(own, partial_section, found.bytes, found.size, err) : CAS_OK;
}

/* ---- merging ---- */

/* Every seed has chunks of its own: more than it can have, and a power of two, so that trees are
   moved as a whole. */
static const int64_t seed_chunks = INT64_C(1) << 44;
static const char seeds_section[] = "seeds";

static cas_status put_moved_tree(const cas_section *tree, int64_t offset, cas_sections *all,
                                 cas_error *err) {
  void *packed = cas_sections_add(all, tree_section, tree->size, err);
  if (!packed)
    return CAS_NO_MEMORY;
  memcpy(packed, tree->bytes, tree->size);
  cas_sum_tree_packed_move(packed, tree->size, offset);
  return CAS_OK;
}

cas_status cas_store_add_part(const cas_run_state *part, const cas_sections *sums, int seed,
                              int64_t paths, cas_sections *all, cas_error *err) {
  const int64_t offset = seed * seed_chunks;
  cas_section found;
  for (size_t at = 0; cas_sections_next(sums, tree_section, &at, &found);)
    CAS_CALL(put_moved_tree(&found, offset, all, err));
  if (!cas_sections_find(sums, partial_section, &found) || found.size < sizeof offset)
    return CAS_OK;
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
  CAS_OWNED void *part = malloc(found.size);
  CAS_NEED(part);
  size_t size = cas_sum_tree_packed_part(found.bytes, found.size, first, first + seed_chunks, part);
  cas_sum_tree_packed_move(part, size, -first);
  return size ? cas_sections_put(out, tree_section, part, size, err) : CAS_OK;
}

/* ---- saving ---- */

enum { TAG = 2, MESSAGE = 1 << 24 };

/* Takes bytes one after another. */
typedef cas_status sink(void *to, const void *bytes, size_t size, cas_error *err);

static cas_status into_memory(void *to, const void *bytes, size_t size, cas_error *err) {
  return cas_sections_append(to, bytes, size, err);
}

static cas_status into_file(void *to, const void *bytes, size_t size, cas_error *err) {
  return cas_checkpoint_append(to, bytes, size, err);
}

/* Takes the sections of all ranks one after another, so that no rank holds what others have, to a
   sink on rank 0; messages are received after a failure too, so that no rank waits for ever.
   Collective. */
static cas_status take_all(const cas_run_state *r, const cas_sections *own, sink *put, void *to,
                           cas_error *err) {
  const MPI_Comm comm = r->run.comm;
  uint64_t size = own->size;
  CAS_OWNED char *buffer = r->run.rank == 0 ? malloc(MESSAGE) : NULL;
  cas_status st = buffer || r->run.rank > 0 ? CAS_OK : cas_no_memory(err);
  CAS_CALL(cas_agree(st, comm, err));
  if (r->run.rank > 0) {
    MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG, comm);
    for (uint64_t at = 0; at < size; at += MESSAGE)
      MPI_Send(own->bytes + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE, 0, TAG,
               comm);
  } else {
    st = put(to, own->bytes, own->size, err);
  }
  for (int k = 1; r->run.rank == 0 && k < r->run.ranks; k++) {
    MPI_Recv(&size, 1, MPI_UINT64_T, k, TAG, comm, MPI_STATUS_IGNORE);
    for (uint64_t at = 0; at < size; at += MESSAGE) {
      const int n = size - at < MESSAGE ? (int)(size - at) : MESSAGE;
      MPI_Recv(buffer, n, MPI_BYTE, k, TAG, comm, MPI_STATUS_IGNORE);
      if (!st)
        st = put(to, buffer, (size_t)n, err);
    }
  }
  return cas_agree(st, comm, err);
}

cas_status cas_store_gather(const cas_run_state *r, const cas_sections *own, cas_sections *all,
                            cas_error *err) {
  return take_all(r, own, into_memory, all, err);
}

double cas_store_share(const cas_run_state *r, const cas_sections *s) {
  cas_section found;
  int64_t all = r->run.chunks - r->first_chunk;
  (void)cas_sections_get(s, "chunks", &all, sizeof all);
  const double chunks =
      (double)cas_store_chunks(s) + cas_blocks_share(s) + is_partial(r, s, &found);
  return all > 0 ? chunks / (double)all : 0;
}

/* Writes the sections of rank 0, `own` of all ranks, and what work->stream has. *share: adds the
   work in blocks that rank 0 has copied. */
static cas_status write_all(cas_run_state *r, const cas_sections *head, const cas_sections *own,
                            const cas_rank_progress *mine, const cas_sum_tree *done,
                            const cas_block_work *work, double *share, cas_error *err) {
  const bool root = r->run.rank == 0;
  cas_checkpoint_writer *w = NULL;
  CAS_OWNED cas_rank_progress *of = root ? malloc((size_t)r->run.ranks * sizeof *of) : NULL;
  cas_status st = of || !root ? CAS_OK : cas_no_memory(err);
  if (!st && root)
    st = cas_checkpoint_begin(r->checkpoint, head, &w, err);
  CAS_CALL(cas_agree(st, r->run.comm, err));
  MPI_Gather(mine, sizeof *mine, MPI_BYTE, of, sizeof *of, MPI_BYTE, 0, r->run.comm);
  st = take_all(r, own, into_file, w, err);
  if (!st && root)
    st = cas_blocks_put_waiting(r, of, done, w, share, err);
  st = cas_agree(st, r->run.comm, err);
  if (!st && work->stream)
    st = cas_agree(work->stream(work->context, w, err), r->run.comm, err);
  if (!root)
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

cas_status cas_store_save(cas_run_state *r, const cas_sum_tree *done, const cas_sections *own,
                          int64_t block, const cas_pass *pass, const cas_block_work *work,
                          cas_error *err) {
  CAS_OWNED_BY(cas_sections_free) cas_sections head = {0}, mine = {0};
  cas_section last;
  double chunks = 0, share = 0;
  if (!r->checkpoint)
    return CAS_OK;
  const cas_rank_progress at = {pass ? block : -1, is_partial(r, own, &last)};
  cas_status st = cas_sections_append(&mine, own->bytes, own->size, err);
  if (!st && pass)
    st = cas_blocks_put(r, false, block, pass, work, &mine, &share, err);
  if (!st && r->run.rank == 0)
    st = cas_identity_put(r, work->extendable, &head, err);
  if (!st && r->run.rank == 0)
    st = cas_store_tree(&head, done, err);
  st = cas_agree(st, r->run.comm, err);
  if (!st && work->store)
    st = cas_agree(work->store(work->context, &head, err), r->run.comm, err);
  if (!st)
    st = write_all(r, &head, &mine, &at, done, work, &share, err);
  share += (double)at.last;
  MPI_Reduce(&share, &chunks, 1, MPI_DOUBLE, MPI_SUM, 0, r->run.comm);
  if (!st && r->run.rank == 0) {
    r->saved_share = cas_store_share(r, &head) + chunks / (double)(r->run.chunks - r->first_chunk);
    cas_study_notice(r, "%.1f%% of the run is saved in %s", 100 * r->saved_share, r->checkpoint);
  }
  return cas_agree(st, r->run.comm, err);
}

static cas_status put_ends(const cas_run_state *r, const cas_sections *own, cas_sections *to,
                           cas_error *err) {
  if (cas_blocks_have_all_ends(&r->run, own))
    return cas_blocks_sort_ends(own, to, err);
  cas_study_notice(r,
                   "%s does not keep where its paths end, as a part of them was computed with "
                   "study.ends: false: it cannot be continued to more steps.",
                   r->file);
  return CAS_OK;
}

/* No run goes on from several seeds: their sums can be merged again. A longer run has a full chunk
   in the place of the partial one, and does not use it. */
static cas_status put_sums(const cas_run_state *r, const cas_sum_tree *f, const cas_sections *own,
                           const cas_block_work *work, cas_sections *to, cas_error *err) {
  cas_section partial;
  CAS_CALL(cas_identity_put(r, work->extendable && !r->seeds, to, err));
  const size_t size = (size_t)r->merged * sizeof *r->seeds;
  if (r->seeds)
    CAS_CALL(cas_sections_put(to, seeds_section, r->seeds, size, err));
  CAS_CALL(cas_store_tree(to, f, err));
  if (is_partial(r, own, &partial))
    CAS_CALL(cas_sections_put(to, partial_section, partial.bytes, partial.size, err));
  return work->keeps_ends ? put_ends(r, own, to, err) : CAS_OK;
}

cas_status cas_store_finished(cas_run_state *r, const cas_sum_tree *f, const cas_sections *own,
                              const cas_block_work *work, cas_error *err) {
  cas_sections *to = work->extendable || work->keeps_ends ? &r->restart : &r->rescue;
  cas_sections_free(to);
  if (work->stream) /* it would be much */
    return CAS_OK;
  CAS_CALL(
      cas_agree(r->run.rank == 0 ? put_sums(r, f, own, work, to, err) : CAS_OK, r->run.comm, err));
  return work->store ? cas_agree(work->store(work->context, to, err), r->run.comm, err) : CAS_OK;
}

/* The sums of all ranks together are a checkpoint of the whole run. */
void cas_store_rescue(cas_run_state *r, const cas_results *out, cas_error *err) {
  cas_sections all = {.bytes = out->restart, .size = out->restart_size};
  cas_error ignored = {0}, told = *err;
  if (!all.size)
    all = r->restart.size ? r->restart : r->rescue;
  if (all.size && !r->seeds &&
      !cas_checkpoint_write(r->checkpoint, &all, !r->from_previous, &ignored)) {
    r->from_previous = false;
    r->saved_share = cas_store_share(r, &all);
  }
  /* the checkpoint may have been renamed for another one that could not be written */
  const char *newest = r->from_previous ? r->previous : r->checkpoint,
             *file = access(newest, F_OK) == 0 ? newest : r->previous;
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
  CAS_FAIL_IF(!r->checkpoint, CAS_INTERRUPTED, "interrupted; a run in memory has no checkpoint.");
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
