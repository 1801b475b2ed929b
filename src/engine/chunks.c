#include "engine/chunks.h"
#include "base/owned.h"
#include "engine/consensus.h"
#include "engine/resume/store.h"
#include "engine/shares.h"
#include "engine/study/failures.h"
#include "statistics/reduce.h"

/* A chunk that is one block is stored while it is in progress. */
static bool chunk_is_block(const cas_run_state *r) { return r->blocks_per_chunk == 1; }

/* ---- one rank's work ---- */

typedef struct {
  cas_run_state *run;
  const cas_block_work *work;
  cas_consensus consensus;
  cas_action action; /* the last that was not CAS_ACTION_CONTINUE */

  cas_pass pass;          /* for chunks that the study does not list */
  cas_blocks blocks;      /* of the current chunk */
  int64_t current;        /* the current chunk */
  bool in_progress;       /* there is one */
  int64_t path;           /* first path of the current block */
  int active;             /* lanes of it that count */
  cas_failed_path failed; /* the path that ends the run */
  bool first_is_done;     /* this rank's first block, or all its paths have failed */
  bool broken;            /* this rank has failed, and waits for the others to know it */

  cas_shares shares;  /* of the chunks to be done, in their order */
  int64_t pilot;      /* chunks integrated first, without being counted */
  int64_t chunks;     /* how many these are, on all ranks */
  cas_share share;    /* the part of them that this rank is at, */
  int64_t at;         /* and the one of them that is the current chunk */
  cas_sum_tree tree;  /* of chunks that are done; those of all ranks make the whole */
  cas_summary *chunk; /* of the current chunk */
  cas_sections own;   /* what no tree holds: ends of blocks */

  double shown;   /* time when progress was last shown */
  double seconds; /* time that its own work took */
} worker;

static void free_worker(worker *w) {
  cas_pass_free(&w->pass);
  cas_sum_tree_free(&w->tree);
  cas_sections_free(&w->own);
  free(w->chunk);
}

static cas_status save(worker *w, cas_error *err) {
  cas_run_state *r = w->run;
  const double time = MPI_Wtime();
  /* a resumed block whose first step is still to come is not in progress */
  const bool begun = chunk_is_block(r) && w->in_progress && w->blocks.pass->done > 0;
  cas_status st = CAS_OK;
  /* A rank that has failed within a block has written records of it, and has lost the block. */
  if (w->broken)
    st = cas_fail(err, CAS_INTERRUPTED, "a rank failed before a checkpoint");
  else if (w->work->settle)
    st = w->work->settle(w->work->context, err);
  st = cas_agree(st, r->run.comm, err);
  if (!st)
    st = cas_sum_tree_reduce(&w->tree, r->run.chunks, r->run.comm, err);
  if (!st)
    st = cas_store_save(r, &w->tree, &w->own, w->current, begun ? w->blocks.pass : NULL, w->work,
                        err);
  cas_consensus_saved(&w->consensus, time);
  return st;
}

/* Writes a checkpoint with all other ranks, and returns why the run ends. */
static cas_status save_and_leave(worker *w, cas_error *err) {
  cas_error failure = {0};
  cas_status st = save(w, &failure);
  cas_failed_path_agree(&w->failed, w->run->run.comm);
  if (w->failed.path < INT64_MAX)
    return cas_failed_path_stop(w->run, &w->failed, st ? failure.text : NULL, err);
  return st ? cas_fail(err, st, "%s", failure.text) : cas_store_interrupted(w->run, err);
}

/* Does what ranks have agreed on. A checkpoint that fails ends the run only if it was to leave. */
static cas_status act(worker *w, cas_action s, cas_error *err) {
  cas_error failure = {0};
  if (s == CAS_ACTION_CONTINUE)
    return CAS_OK;
  w->action = s;
  if (s == CAS_ACTION_SAVE && save(w, &failure) && failure.status != CAS_INTERRUPTED)
    cas_study_notice(w->run, "%s The run goes on.", failure.text);
  if (s != CAS_ACTION_LEAVE)
    return s == CAS_ACTION_FAILED ? CAS_INTERRUPTED : CAS_OK;
  return save_and_leave(w, err);
}

/* Tells as soon as all paths of this rank's first block have failed. */
static void notice_failures(worker *w) {
  const cas_pass *s = w->blocks.pass;
  if (!w->first_is_done && w->in_progress && s->done > 0 && !s->resume && w->active > 0)
    cas_failures_notice_all(w->run, s, w->path, w->active, &w->first_is_done);
}

/* A failed path ends the run on all ranks as soon as it is seen, within a block that has begun or
   at its end, before anything of the block is counted. */
static cas_status check_failures(worker *w, cas_error *err) {
  const cas_pass *s = w->blocks.pass;
  if (w->run->run.problem.study.on_failure != CAS_ON_FAILURE_STOP || !w->in_progress ||
      s->done == 0 || s->resume)
    return CAS_OK;
  w->failed = cas_failed_path_of_lane(s, w->path, w->active);
  while (w->failed.path < INT64_MAX)
    CAS_CALL(act(w, cas_consensus_leave(&w->consensus), err));
  return CAS_OK;
}

/* What ranks of equal speed have done, which are all at runs of the same length. */
static void show_progress(worker *w) {
  const double often = 0.1; /* seconds */
  double now = MPI_Wtime(), done = (double)(w->at - w->share.first);
  if (w->run->run.rank != 0 || now - w->shown < often)
    return;
  w->shown = now;
  if (w->in_progress && chunk_is_block(w->run))
    done += (double)w->blocks.pass->done / (double)w->run->run.plan.steps;
  done = (double)w->share.before + done * w->run->run.ranks;
  if (done > 0 && done < (double)w->chunks)
    cas_study_show_progress(w->run, done / (double)w->chunks);
}

static cas_status poll(void *context, cas_error *err) {
  worker *w = context;
  const cas_study_run *r = &w->run->run;
  show_progress(w);
  cas_shares_serve(&w->shares);
  if (w->in_progress && w->path == r->first_path)
    CAS_CALL(cas_failures_check_start(r, w->blocks.pass, w->active, err));
  notice_failures(w);
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
  *b = (cas_blocks){&w->pass, first, first + r->blocks_per_chunk, cas_study_path_end(&r->run), 0};
  if (w->work->begin_chunk)
    CAS_CALL(w->work->begin_chunk(w->work->context, chunk, b, err));
  b->pass->done = 0;
  b->pass->poll = poll;
  b->pass->cancelled = cancelled;
  b->pass->poll_context = w;
  if (chunk_is_block(r))
    CAS_CALL(cas_blocks_resume(w->run, chunk, b->pass, w->work, err));
  w->current = chunk;
  w->in_progress = true;
  return CAS_OK;
}

/* Blocks are integrated as a whole, and lanes behind the last path do not count: a path never
   depends on how many were asked for. */
static cas_status run_blocks(worker *w, cas_error *err) {
  const cas_blocks *b = &w->blocks;
  int W = w->run->run.problem.W;
  cas_summary_clear(w->tree.shape, w->chunk);
  for (int64_t i = b->first; i < b->next && i * W < b->paths; i++) {
    int64_t remaining = b->paths - i * W;
    w->path = b->first_path + i * W;
    w->active = remaining < W ? (int)remaining : W;
    cas_status st = w->work->block(w->work->context, b->pass, i, w->active, w->chunk, err);
    notice_failures(w);
    w->first_is_done = true;
    CAS_CALL(st);
    CAS_CALL(check_failures(w, err));
  }
  return CAS_OK;
}

static cas_status run_chunk(worker *w, int64_t chunk, cas_error *err) {
  const bool counts = chunk >= w->run->first_chunk;
  double whole; /* share of a block that is done */
  cas_status st = begin_chunk(w, chunk, err);
  if (!st)
    st = run_blocks(w, err);
  w->in_progress = false;
  if (!st && counts)
    st = cas_sum_tree_add(&w->tree, cas_study_chunk_in_sums(w->run, chunk), w->chunk, err);
  if (!st && counts && w->work->keeps_ends)
    st = cas_blocks_put(w->run, true, chunk, w->blocks.pass, w->work, &w->own, &whole, err);
  return st ? st : poll(w, err);
}

static cas_status work_through(worker *w, cas_error *err) {
  while (cas_shares_next(&w->shares, &w->share))
    for (w->at = w->share.first; w->at < w->share.next; w->at++) {
      const bool pilot = w->at < w->pilot;
      CAS_CALL(
          run_chunk(w, pilot ? w->at : cas_study_remaining_chunk(w->run, w->at - w->pilot), err));
    }
  if (w->work->end)
    w->work->end(w->work->context);
  return CAS_OK;
}

/* A rank that is done, or has failed, does with the others what they agree on until all are. */
static cas_status wait_for_others(worker *w, cas_status st, cas_error *err) {
  bool failed = st && w->action != CAS_ACTION_LEAVE && w->action != CAS_ACTION_FAILED;
  w->broken = failed;
  while (!st || failed) {
    cas_action s = cas_consensus_wait(&w->consensus, st);
    cas_error own = {0};
    cas_status did = act(w, s, failed ? &own : err);
    if (s == CAS_ACTION_DONE)
      cas_study_show_progress(w->run, 1);
    if (s == CAS_ACTION_DONE || s == CAS_ACTION_FAILED)
      break;
    st = failed ? st : did;
    if (s == CAS_ACTION_LEAVE)
      break;
  }
  /* the rank that failed says why */
  return w->action == CAS_ACTION_FAILED && !failed ? CAS_OK : st;
}

static cas_status prepare_worker(worker *w, cas_error *err) {
  cas_run_state *r = w->run;
  w->chunk = malloc(cas_summary_size(w->tree.shape));
  CAS_NEED(w->chunk);
  if (r->run.rank == 0) { /* has what an earlier run has done */
    CAS_CALL(cas_blocks_copy_ends(r, &r->earlier.sections, 0, &w->own, err));
    CAS_CALL(cas_sum_tree_join(&w->tree, &r->earlier.tree, err));
  }
  if (!w->work->begin_chunk)
    CAS_CALL(cas_pass_create(&r->run.problem, &r->run.plan, &w->pass, err));
  return w->work->begin ? w->work->begin(w->work->context, err) : CAS_OK;
}

static cas_status run_all(worker *w, cas_error *err) {
  const MPI_Comm comm = w->run->run.comm;
  CAS_CALL(cas_agree(prepare_worker(w, err), comm, err));
  w->chunks = cas_study_remaining_chunks(w->run);
  if (w->chunks > 0 && w->run->first_chunk > 0)
    w->pilot = w->work->pilot;
  w->chunks += w->pilot;
  CAS_CALL(cas_agree(cas_consensus_begin(w->run, &w->consensus, err), comm, err));
  CAS_CALL(cas_shares_begin(&w->shares, w->chunks, comm, err));
  double begun = MPI_Wtime();
  cas_status st = work_through(w, err);
  w->seconds = MPI_Wtime() - begun; /* waiting for the slowest rank is no work */
  st = cas_agree(wait_for_others(w, st, err), comm, err);
  cas_shares_end(&w->shares);
  cas_consensus_end(&w->consensus);
  cas_pass_free(&w->pass); /* reductions need memory, too */
  return st;
}

/* ---- all ranks together ---- */

/* What this round has done counts as an earlier run in the next round, on every rank. */
static cas_status keep_for_next_round(cas_run_state *r, const cas_sum_tree *all, cas_error *err) {
  cas_sections done = {0};
  cas_status st = r->run.rank == 0 ? cas_store_tree(&done, all, err) : CAS_OK;
  st = cas_agree(st, r->run.comm, err);
  void *bytes = done.bytes;
  if (!st)
    st = cas_broadcast(&bytes, &done.size, r->run.comm, err);
  cas_sections_free(&r->earlier.sections);
  r->earlier.sections = (cas_sections){bytes, done.size, done.size};
  return st;
}

static cas_status join_ranks(worker *w, cas_summary **total, cas_error *err) {
  MPI_Comm comm = w->run->run.comm;
  const bool root = w->run->run.rank == 0;
  cas_run_seconds *all = &w->run->seconds;
  CAS_OWNED_BY(cas_sections_free) cas_sections own = {0};
  double begun = MPI_Wtime(), most[2] = {0}, sum = 0;
  cas_status st = cas_sum_tree_reduce(&w->tree, w->run->run.chunks, comm, err);
  const double seconds[] = {w->seconds, MPI_Wtime() - begun};
  MPI_Reduce(seconds, most, 2, MPI_DOUBLE, MPI_MAX, 0, comm);
  MPI_Reduce(seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
  all->integrate += most[0];
  all->integrate_mean += sum / w->run->run.ranks;
  all->reduce += most[1];
  CAS_CALL(st);
  CAS_CALL(cas_store_gather(w->run, &w->own, &own, err));
  CAS_CALL(cas_store_finished(w->run, &w->tree, &own, w->work, err));
  *total = root ? malloc(cas_summary_size(w->tree.shape)) : NULL;
  CAS_CALL(cas_agree(*total || !root ? CAS_OK : cas_no_memory(err), comm, err));
  if (root)
    cas_sum_tree_total(&w->tree, *total);
  return w->work->rounds ? keep_for_next_round(w->run, &w->tree, err) : CAS_OK;
}

cas_status cas_chunks_run(cas_run_state *r, cas_summary_shape shape, const cas_block_work *work,
                          cas_summary **total, cas_error *err) {
  CAS_OWNED_BY(free_worker)
  worker w = {.run = r, .work = work, .failed = cas_failed_path_none, .tree = {.shape = shape}};
  *total = NULL;
  r->round_begun = MPI_Wtime();
  CAS_CALL(cas_agree(cas_store_load_tree(r, shape, err), r->run.comm, err));
  CAS_CALL(run_all(&w, err));
  return join_ranks(&w, total, err);
}
