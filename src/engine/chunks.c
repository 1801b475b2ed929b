#include "engine/chunks.h"
#include "engine/consensus.h"
#include "engine/failures.h"
#include "engine/store.h"
#include "statistics/reduce.h"

#include <stdlib.h>

/* A chunk that is one block is stored while it is in progress. */
static bool chunk_is_block(const cas_run_state *r) { return r->blocks_per_chunk == 1; }

/* ---- one rank's work ---- */

/* The work of a rank on its range of chunks. */
typedef struct {
  cas_run_state *run;
  const cas_block_work *work;
  cas_consensus consensus;
  cas_action action; /* the last that was not CAS_ACTION_CONTINUE */

  cas_sweep sweep;        /* for chunks that the study does not list */
  cas_blocks blocks;      /* of the current chunk */
  bool in_progress;       /* there is a current chunk */
  int64_t path;           /* first path of the current block */
  int active;             /* lanes of it that count */
  cas_failed_path failed; /* the path that ends the run */

  cas_sum_tree *tree;   /* of the chunks of the range that are done */
  int next_earlier;     /* index of the next of run->earlier_tree that the tree will reach */
  int64_t next;         /* end of the range */
  cas_summary *chunk;   /* of the current chunk */
  cas_summary *partial; /* of the last chunk, if paths do not fill it: no tree holds it */
  bool has_partial;     /* the partial chunk is this rank's; later: it is on rank 0 */
  bool partial_done;

  int64_t done, mine; /* chunks that this rank has done, and has to do */
  double shown;       /* time when progress was last shown */
  double seconds;     /* time that its own work took */
} worker;

static bool has_earlier(const worker *w) {
  return w->next_earlier < w->run->earlier_trees &&
         w->run->earlier_tree[w->next_earlier]->first < w->next;
}

/* All that this rank has: its tree, its block in progress, and what an earlier run has done of the
   chunks that it has not come to yet. */
static cas_status put_progress(const worker *w, cas_sections *s, cas_error *err) {
  const cas_run_state *r = w->run;
  cas_status st = w->work->settle ? w->work->settle(w->work->context, err) : CAS_OK;
  if (!st)
    st = cas_store_tree(s, w->tree, err);
  for (int i = w->next_earlier; !st && i < r->earlier_trees && r->earlier_tree[i]->first < w->next;
       i++)
    st = cas_store_tree(s, r->earlier_tree[i], err);
  if (!st && w->partial_done)
    st = cas_store_partial(r, w->tree->shape, w->partial, s, err);
  if (st || !chunk_is_block(r))
    return st;
  if (w->in_progress && w->blocks.sweep->done > 0)
    st = cas_store_block(r, w->tree->next, w->blocks.sweep, w->work, s, err);
  /* A resumed block whose first step is still to come stays as the earlier run has stored it. */
  bool begun = w->in_progress && !w->blocks.sweep->resume;
  return st ? st
            : cas_store_later_blocks(r, w->tree->next + begun,
                                     w->partial_done ? cas_full_chunks(r) : w->next, s, err);
}

static cas_status save(worker *w, cas_error *err) {
  cas_sections own = {0};
  cas_run_state *r = w->run;
  double begun = MPI_Wtime();
  cas_status st = cas_agree(put_progress(w, &own, err), r->comm, err);
  if (!st)
    st = cas_store_save(r, &own, w->work, err);
  cas_sections_free(&own);
  cas_consensus_saved(&w->consensus, begun);
  return st;
}

/* Writes a checkpoint with all other ranks, and returns why the run ends. */
static cas_status save_and_leave(worker *w, cas_error *err) {
  cas_error failure = {0};
  cas_status st = save(w, &failure);
  cas_failed_agree(&w->failed, w->run->comm);
  if (w->failed.path < INT64_MAX)
    return cas_failed_stop(w->run, &w->failed, st ? failure.text : NULL, err);
  return st ? cas_fail(err, st, "%s", failure.text) : cas_store_interrupted(w->run, err);
}

/* Does what the ranks have agreed on. A checkpoint that fails ends the run only if it was to leave. */
static cas_status act(worker *w, cas_action s, cas_error *err) {
  cas_error failure = {0};
  if (s == CAS_ACTION_CONTINUE)
    return CAS_OK;
  w->action = s;
  if (s == CAS_ACTION_SAVE && save(w, &failure))
    cas_notice(w->run, "%s The run goes on.", failure.text);
  if (s != CAS_ACTION_LEAVE)
    return s == CAS_ACTION_FAILED ? CAS_INTERRUPTED : CAS_OK;
  return save_and_leave(w, err);
}

/* A failed path ends the run on all ranks, before anything of its block is counted. */
static cas_status stop_at(worker *w, cas_failed_path failed, cas_error *err) {
  cas_status st = CAS_OK;
  w->failed = failed;
  while (!st && failed.path < INT64_MAX)
    st = act(w, cas_consensus_leave(&w->consensus), err);
  return st;
}

/* Failures end the run as soon as they are seen, within a block that has begun or at its end. */
static cas_status check_failures(worker *w, cas_error *err) {
  const cas_sweep *s = w->blocks.sweep;
  if (w->run->problem.on_failure != CAS_ON_FAILURE_STOP || !w->in_progress || s->done == 0 ||
      s->resume)
    return CAS_OK;
  return stop_at(w, cas_failed_lane(s, w->path, w->active), err);
}

static void show_progress(worker *w) {
  const double often = 0.1; /* seconds */
  double now = MPI_Wtime(), done = (double)w->done;
  if (w->run->rank != 0 || now - w->shown < often)
    return;
  w->shown = now;
  if (w->in_progress && chunk_is_block(w->run))
    done += (double)w->blocks.sweep->done / (double)w->run->plan.steps;
  if (done > 0)
    cas_show_progress(w->run, done / (double)w->mine);
}

static cas_status poll(void *context, cas_error *err) {
  worker *w = context;
  show_progress(w);
  CAS_CALL(check_failures(w, err));
  return act(w, cas_consensus_poll(&w->consensus), err);
}

/* Called within an observation: whether to abandon it. */
static bool cancelled(void *context) {
  worker *w = context;
  show_progress(w);
  return cas_consensus_must_stop(&w->consensus);
}

static cas_status begin_chunk(worker *w, int64_t chunk, cas_error *err) {
  const cas_run_state *r = w->run;
  cas_blocks *b = &w->blocks;
  int64_t first = chunk * r->blocks_per_chunk;
  cas_status st = CAS_OK;
  if (w->work->begin_chunk)
    st = w->work->begin_chunk(w->work->context, chunk, b, err);
  else
    *b = (cas_blocks){&w->sweep, first, first + r->blocks_per_chunk, r->paths, 0};
  if (st)
    return st;
  b->sweep->done = 0;
  b->sweep->poll = poll;
  b->sweep->cancelled = cancelled;
  b->sweep->poll_context = w;
  if (chunk_is_block(r))
    cas_store_resume_block(r, chunk, b->sweep, w->work);
  w->in_progress = true;
  return CAS_OK;
}

/* Blocks are integrated as a whole, and lanes behind the last path do not count: a path never depends
   on how many were asked for. */
static cas_status run_blocks(worker *w, cas_summary *summary, cas_error *err) {
  const cas_blocks *b = &w->blocks;
  int W = w->run->problem.W;
  cas_status st = CAS_OK;
  cas_summary_clear(w->tree->shape, summary);
  for (int64_t i = b->first; !st && i < b->next && i * W < b->paths; i++) {
    int64_t remaining = b->paths - i * W;
    w->path = b->first_path + i * W;
    w->active = remaining < W ? (int)remaining : W;
    st = w->work->block(w->work->context, b->sweep, i, w->active, summary, err);
    if (!st)
      st = check_failures(w, err);
  }
  return st;
}

static cas_status next_chunk(worker *w, cas_error *err) {
  bool whole = w->tree->next < cas_full_chunks(w->run);
  cas_status st = begin_chunk(w, w->tree->next, err);
  if (!st)
    st = run_blocks(w, whole ? w->chunk : w->partial, err);
  w->in_progress = false;
  if (!st && whole)
    cas_sum_tree_append(w->tree, w->chunk);
  w->partial_done |= !st && !whole;
  w->done += !st;
  return st ? st : poll(w, err);
}

static cas_status work_through(worker *w, cas_error *err) {
  cas_status st = CAS_OK;
  int64_t whole = cas_full_chunks(w->run);
  while (!st && w->tree->next < w->next && w->tree->next < whole)
    if (has_earlier(w) && w->run->earlier_tree[w->next_earlier]->first == w->tree->next)
      cas_sum_tree_join(w->tree, w->run->earlier_tree[w->next_earlier++]);
    else
      st = next_chunk(w, err);
  return !st && w->has_partial && !w->partial_done ? next_chunk(w, err) : st;
}

/* A rank that is done, or has failed, does with the others what they agree on until all are. */
static cas_status wait_for_others(worker *w, cas_status st, cas_error *err) {
  bool failed = st && w->action != CAS_ACTION_LEAVE && w->action != CAS_ACTION_FAILED;
  while (!st || failed) {
    cas_action s = cas_consensus_wait(&w->consensus, st);
    cas_error own = {0};
    cas_status did = act(w, s, failed ? &own : err);
    if (s == CAS_ACTION_DONE)
      cas_show_progress(w->run, 1);
    if (s == CAS_ACTION_DONE || s == CAS_ACTION_FAILED)
      break;
    st = failed ? st : did;
    if (s == CAS_ACTION_LEAVE)
      break;
  }
  /* the rank that failed says why */
  return w->action == CAS_ACTION_FAILED && !failed ? CAS_OK : st;
}

static cas_status prepare(worker *w, int64_t first, cas_error *err) {
  size_t size = cas_summary_size(w->tree->shape);
  w->chunk = malloc(size);
  w->partial = malloc(size);
  if (!w->chunk || !w->partial)
    return cas_no_memory(err);
  while (w->next_earlier < w->run->earlier_trees &&
         w->run->earlier_tree[w->next_earlier]->first < first)
    w->next_earlier++;
  w->mine = w->next - first;
  for (int i = w->next_earlier;
       i < w->run->earlier_trees && w->run->earlier_tree[i]->first < w->next; i++)
    w->mine -= w->run->earlier_tree[i]->next - w->run->earlier_tree[i]->first;
  w->has_partial = first < w->next && w->next > cas_full_chunks(w->run);
  w->partial_done = w->has_partial && cas_store_get_partial(w->run, w->tree->shape, w->partial);
  w->mine -= w->partial_done;
  cas_status st = CAS_OK;
  if (!w->work->begin_chunk)
    st = cas_sweep_create(&w->run->problem, &w->run->plan, &w->sweep, err);
  if (!st && w->work->begin)
    st = w->work->begin(w->work->context, first, w->next, err);
  return st;
}

static cas_status run_range(worker *w, int64_t first, cas_error *err) {
  cas_status st = cas_agree(prepare(w, first, err), w->run->comm, err);
  if (!st)
    st = cas_agree(cas_consensus_begin(w->run, &w->consensus, err), w->run->comm, err);
  if (!st) {
    double begun = MPI_Wtime();
    st = work_through(w, err);
    w->seconds = MPI_Wtime() - begun; /* waiting for the slowest rank is no work */
    st = wait_for_others(w, st, err);
    st = cas_agree(st, w->run->comm, err);
    cas_consensus_end(&w->consensus);
  }
  cas_sweep_free(&w->sweep);
  return st;
}

/* ---- all ranks together ---- */

/* Rank 0 gets the partial chunk, if there is one, from the rank that has done it. */
static cas_status send_partial_to_root(worker *w, cas_error *err) {
  enum { TAG = 1 };
  const cas_run_state *r = w->run;
  size_t size = cas_summary_size(w->tree->shape);
  int owner = w->partial_done ? r->rank : -1;
  w->has_partial = false;
  MPI_Allreduce(MPI_IN_PLACE, &owner, 1, MPI_INT, MPI_MAX, r->comm);
  if (owner < 0)
    return CAS_OK;
  if (size > INT32_MAX)
    return cas_fail(err, CAS_INTERNAL, "a summary of %zu bytes is too large for one MPI message",
                    size);
  if (r->rank == owner && owner > 0)
    MPI_Send(w->partial, (int)size, MPI_BYTE, 0, TAG, r->comm);
  if (r->rank == 0 && owner > 0)
    MPI_Recv(w->partial, (int)size, MPI_BYTE, owner, TAG, r->comm, MPI_STATUS_IGNORE);
  w->has_partial = true;
  return CAS_OK;
}

static cas_status total_on_root(worker *w, cas_summary **total, cas_error *err) {
  if (w->run->rank != 0)
    return CAS_OK;
  *total = malloc(cas_summary_size(w->tree->shape));
  if (!*total)
    return cas_no_memory(err);
  cas_sum_tree_total(w->tree, *total);
  return CAS_OK;
}

static void gather_timing(cas_run_state *r, const double seconds[2]) {
  double most[2] = {0}, sum = 0;
  MPI_Reduce(seconds, most, 2, MPI_DOUBLE, MPI_MAX, 0, r->comm);
  MPI_Reduce(seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, r->comm);
  r->timing.integrate_most += most[0];
  r->timing.integrate_mean += sum / r->ranks;
  r->timing.reduce_most += most[1];
}

/* What this round has done counts as an earlier run in the next round, on every rank. */
static cas_status keep_for_next_round(worker *w, cas_error *err) {
  cas_run_state *r = w->run;
  cas_sections done = {0};
  cas_status st = r->rank == 0 ? cas_store_tree(&done, w->tree, err) : CAS_OK;
  st = cas_agree(st, r->comm, err);
  void *bytes = done.bytes;
  if (!st)
    st = cas_broadcast(&bytes, &done.size, r->comm, err);
  cas_sections_free(&r->earlier);
  free(r->earlier_tree);
  r->earlier_tree = NULL;
  r->earlier_trees = 0;
  r->earlier = (cas_sections){bytes, done.size, done.size};
  return st;
}

static cas_status join_ranks(worker *w, cas_summary **total, cas_error *err) {
  MPI_Comm comm = w->run->comm;
  double begun = MPI_Wtime();
  cas_status st = cas_sum_tree_reduce(w->tree, comm, err);
  gather_timing(w->run, (double[]){w->seconds, MPI_Wtime() - begun});
  st = cas_agree(st, comm, err);
  if (!st)
    st = cas_agree(send_partial_to_root(w, err), comm, err);
  if (!st)
    st = cas_store_finished(w->run, w->tree, w->has_partial ? w->partial : NULL, w->work, err);
  if (!st && w->run->rank == 0 && w->has_partial)
    cas_sum_tree_append(w->tree, w->partial);
  if (!st)
    st = cas_agree(total_on_root(w, total, err), comm, err);
  return !st && w->work->rounds ? keep_for_next_round(w, err) : st;
}

cas_status cas_run_chunks(cas_run_state *r, cas_summary_shape shape, const cas_block_work *work,
                          cas_summary **total, cas_error *err) {
  int64_t first;
  worker w = {.run = r, .work = work, .failed = cas_no_failed_path};
  *total = NULL;
  r->round_begun = MPI_Wtime();
  cas_status st = cas_agree(cas_store_load_trees(r, shape, err), r->comm, err);
  if (st)
    return st;
  cas_chunk_range(r, r->rank, &first, &w.next);
  w.tree = cas_sum_tree_create(shape, first, r->chunks);
  if (!w.tree)
    st = cas_no_memory(err);
  st = cas_agree(st, r->comm, err);
  if (!st)
    st = run_range(&w, first, err);
  if (!st)
    st = join_ranks(&w, total, err);
  free(w.tree);
  free(w.chunk);
  free(w.partial);
  return st;
}
