#include "engine/resume/store.h"
#include "base/owned.h"
#include "engine/resume/identity.h"
#include "files/trajectories/checkpoint.h"

/* ---- summation trees ---- */

/* The name of trees in checkpoints and results files, which keep it. */
static const char tree_section[] = "forest";

cas_status cas_store_tree(cas_sections *s, const cas_sum_tree *t, cas_error *err) {
  if (t->nodes == 0)
    return CAS_OK;
  void *packed = cas_sections_add(s, tree_section, cas_sum_tree_packed_size(t), err);
  if (packed)
    cas_sum_tree_pack(t, packed);
  return packed ? CAS_OK : CAS_NO_MEMORY;
}

int64_t cas_store_chunks(const cas_sections *s, int64_t next) {
  cas_section found;
  int64_t chunks = 0;
  for (size_t at = 0; cas_sections_next(s, tree_section, &at, &found);)
    chunks += cas_sum_tree_packed_chunks(found.bytes, found.size, next);
  return chunks;
}

/* A last chunk that paths do not fill is that of runs with as many paths alone. */
static bool has_own_last(const cas_run_state *r, const cas_sections *s) {
  const int64_t paths = cas_identity_paths(s);
  return r->earlier.seeds ||
         (r->run.chunks > cas_study_full_chunks(r) && (!paths || paths == r->run.paths));
}

cas_status cas_store_load_tree(cas_run_state *r, cas_summary_shape shape, cas_error *err) {
  cas_section found;
  cas_sum_tree *t = &r->earlier.tree;
  cas_error why = {0};
  cas_status st = CAS_OK;
  cas_sum_tree_free(t);
  t->shape = shape;
  for (size_t at = 0; !st && cas_sections_next(&r->earlier.sections, tree_section, &at, &found);)
    st = cas_sum_tree_unpack(t, found.bytes, found.size, &why);
  if (st)
    return st == CAS_FILE_ERROR ? cas_blocks_unusable(r, err) : cas_fail(err, st, "%s", why.text);
  if (!has_own_last(r, &r->earlier.sections))
    cas_sum_tree_cut(t, CAS_STUDY_UNFILLED);
  CAS_FAIL_IF(!r->earlier.merged && cas_study_remaining_chunks(r) < 0, CAS_BAD_INPUT,
              "--resume: %s has more paths already than study.paths asks for (%lld).",
              r->checkpoint, (long long)r->run.paths);
  CAS_OWNED cas_summary *s = malloc(cas_summary_size(shape));
  CAS_NEED(s);
  cas_sum_tree_total(t, s);
  return cas_identity_check_policy(r, cas_summary_paths(s)->failed_paths, err);
}

/* ---- merging ---- */

/* Chunks of each seed: more than it can have, and a power of two, so that trees move as a whole. */
static const int64_t seed_chunks = INT64_C(1) << 44;
static const char seeds_section[] = "seeds";

/* Appends the sums of one seed's chunks, from `first` on, with their numbers moved by `offset`. */
static cas_status put_chunks(const cas_section *tree, int64_t first, int64_t offset,
                             cas_sections *to, cas_error *err) {
  CAS_OWNED_BY(cas_sum_tree_free) cas_sum_tree t = {0};
  CAS_CALL(cas_sum_tree_unpack_part(&t, tree->bytes, tree->size, first, first + seed_chunks, offset,
                                    err));
  return cas_store_tree(to, &t, err);
}

cas_status cas_store_add_part(const cas_sections *sums, int seed, cas_sections *all,
                              cas_error *err) {
  cas_section tree;
  for (size_t at = 0; cas_sections_next(sums, tree_section, &at, &tree);)
    CAS_CALL(put_chunks(&tree, 0, seed * seed_chunks, all, err));
  return CAS_OK;
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
  return cas_sections_find(sums, tree_section, &found) ? put_chunks(&found, first, -first, out, err)
                                                       : CAS_OK;
}

/* ---- saving ---- */

enum { TAG = 2, MESSAGE = 1 << 24 };

static cas_status put(cas_sections *s, cas_checkpoint_writer *w, const void *bytes, size_t size,
                      cas_error *err) {
  return w ? cas_checkpoint_append(w, bytes, size, err) : cas_sections_append(s, bytes, size, err);
}

/* Takes the sections of all ranks one after another, so that no rank holds what others have, on
   rank 0 into *all, or, where there is a checkpoint w, into that; messages are received after a
   failure too, so that no rank waits for ever. Collective. */
static cas_status take_all(const cas_run_state *r, const cas_sections *own, cas_sections *all,
                           cas_checkpoint_writer *w, cas_error *err) {
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
    st = put(all, w, own->bytes, own->size, err);
  }
  for (int k = 1; r->run.rank == 0 && k < r->run.ranks; k++) {
    MPI_Recv(&size, 1, MPI_UINT64_T, k, TAG, comm, MPI_STATUS_IGNORE);
    for (uint64_t at = 0; at < size; at += MESSAGE) {
      const int n = size - at < MESSAGE ? (int)(size - at) : MESSAGE;
      MPI_Recv(buffer, n, MPI_BYTE, k, TAG, comm, MPI_STATUS_IGNORE);
      if (!st)
        st = put(all, w, buffer, (size_t)n, err);
    }
  }
  return cas_agree(st, comm, err);
}

cas_status cas_store_gather(const cas_run_state *r, const cas_sections *own, cas_sections *all,
                            cas_error *err) {
  return take_all(r, own, all, NULL, err);
}

double cas_store_share(const cas_run_state *r, const cas_sections *s) {
  int64_t all = r->run.chunks - r->first_chunk;
  const int64_t next = has_own_last(r, s) ? INT64_MAX : CAS_STUDY_UNFILLED;
  (void)cas_sections_get(s, "chunks", &all, sizeof all);
  const double chunks = (double)cas_store_chunks(s, next) + cas_blocks_share(s);
  return all > 0 ? chunks / (double)all : 0;
}

/* Writes the sections of rank 0, `own` of all ranks, and what work->stream has. mine: the block of
   this rank, -1: none. *share: adds the work in blocks that rank 0 has copied. */
static cas_status write_all(cas_run_state *r, const cas_sections *head, const cas_sections *own,
                            int64_t mine, const cas_sum_tree *done, const cas_block_work *work,
                            double *share, cas_error *err) {
  const bool root = r->run.rank == 0;
  cas_checkpoint_writer *w = NULL;
  CAS_OWNED int64_t *begun = root ? malloc((size_t)r->run.ranks * sizeof *begun) : NULL;
  cas_status st = begun || !root ? CAS_OK : cas_no_memory(err);
  if (!st && root)
    st = cas_checkpoint_begin(r->checkpoint, head, &w, err);
  CAS_CALL(cas_agree(st, r->run.comm, err));
  MPI_Gather(&mine, 1, MPI_INT64_T, begun, 1, MPI_INT64_T, 0, r->run.comm);
  st = take_all(r, own, NULL, w, err);
  if (!st && root)
    st = cas_blocks_put_waiting(r, begun, done, w, share, err);
  st = cas_agree(st, r->run.comm, err);
  if (!st && work->stream)
    st = cas_agree(work->stream(work->context, w, err), r->run.comm, err);
  if (st && root)
    cas_checkpoint_abandon(w);
  if (st || !root)
    return st;
  CAS_CALL(cas_checkpoint_end(w, !r->earlier.from_previous, err));
  r->earlier.from_previous = false;
  return CAS_OK;
}

cas_status cas_store_save(cas_run_state *r, const cas_sum_tree *done, const cas_sections *own,
                          int64_t block, const cas_pass *pass, const cas_block_work *work,
                          cas_error *err) {
  CAS_OWNED_BY(cas_sections_free) cas_sections head = {0}, mine = {0};
  double chunks = 0, share = 0;
  if (!r->checkpoint)
    return CAS_OK;
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
    st = write_all(r, &head, &mine, pass ? block : -1, done, work, &share, err);
  MPI_Reduce(&share, &chunks, 1, MPI_DOUBLE, MPI_SUM, 0, r->run.comm);
  if (!st && r->run.rank == 0) {
    r->saved_share = cas_store_share(r, &head) + chunks / (double)(r->run.chunks - r->first_chunk);
    cas_study_notice(r, "%.1f%% of the run is saved in %s", 100 * r->saved_share, r->checkpoint);
  }
  return cas_agree(st, r->run.comm, err);
}

/* No run goes on from several seeds: their sums can be merged again. */
static cas_status put_sums(const cas_run_state *r, const cas_sum_tree *f, const cas_sections *own,
                           const cas_block_work *work, cas_sections *to, cas_error *err) {
  CAS_CALL(cas_identity_put(r, work->extendable && !r->earlier.seeds, to, err));
  const size_t size = (size_t)r->earlier.merged * sizeof *r->earlier.seeds;
  if (r->earlier.seeds)
    CAS_CALL(cas_sections_put(to, seeds_section, r->earlier.seeds, size, err));
  CAS_CALL(cas_store_tree(to, f, err));
  if (work->keeps_ends && cas_blocks_have_all_ends(&r->run, own))
    return cas_blocks_sort_ends(own, to, err);
  if (work->keeps_ends)
    cas_study_notice(r,
                     "%s does not keep where its paths end, as a part of them was computed with "
                     "study.ends: false: it cannot be continued to more steps.",
                     r->file);
  return CAS_OK;
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
  if (all.size && !cas_checkpoint_write(r->checkpoint, &all, !r->earlier.from_previous, &ignored)) {
    r->earlier.from_previous = false;
    r->saved_share = cas_store_share(r, &all);
  }
  /* the checkpoint may have been renamed for another one that could not be written */
  const char *newest = r->earlier.from_previous ? r->previous : r->checkpoint,
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
