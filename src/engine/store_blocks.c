#include "engine/store_blocks.h"
#include "files/io.h"

#include <casimir/parallel.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char in_file[] = "@block";

static int64_t active_lanes(const cas_run_state *r, int64_t block) {
  int64_t remaining = cas_study_path_end(&r->run) - block * r->run.problem.W;
  return remaining < r->run.problem.W ? remaining : r->run.problem.W;
}

cas_block_head cas_block_head_of(const cas_run_state *r, const cas_block_in_progress *p,
                                 const cas_block_work *work) {
  return (cas_block_head){p->block, active_lanes(r, p->block),
                          (double)p->pass->done / (double)r->run.plan.steps,
                          cas_pass_state_size(&r->run.problem, p->pass->plan), work->memory_size};
}

bool cas_block_head_read(const void *head, uint64_t size, cas_block_head *out) {
  if (size < sizeof *out)
    return false;
  memcpy(out, head, sizeof *out);
  return out->pass <= size && out->memory <= size && size == sizeof *out + out->pass + out->memory;
}

bool cas_block_resumes(const cas_run_state *r, const cas_block_head *head, int64_t block,
                       const cas_pass *pass) {
  return head->block == block && head->active == active_lanes(r, block) &&
         head->pass == cas_pass_state_size(&r->run.problem, pass->plan);
}

bool cas_block_is_done(const cas_sum_tree *done, int64_t block) {
  for (int i = 0; i < done->nodes; i++)
    if (block >= done->node[i]->first && block < done->node[i]->first + done->node[i]->chunks)
      return true;
  return false;
}

/* The head and the state of the pass, which the study's memory follows. */
static void *pack(const cas_block_head *head, const cas_pass *pass, cas_error *err) {
  char *bytes = malloc(sizeof *head + head->pass);
  if (!bytes) {
    (void)cas_no_memory(err);
    return NULL;
  }
  memcpy(bytes, head, sizeof *head);
  cas_pass_state(pass, bytes + sizeof *head);
  return bytes;
}

/* ---- of a checkpoint ---- */

/* A block of a checkpoint: its head, and where it is in the file. */
typedef struct {
  cas_block_head head;
  cas_stored_section stored;
} found_block;

static bool is_block(const cas_section *s, found_block *b) {
  if (s->size != sizeof b->stored)
    return false;
  memcpy(&b->stored, s->bytes, sizeof b->stored);
  return cas_block_head_read(b->stored.head, b->stored.size, &b->head);
}

/* The next block from *at on. */
static bool next_block(const cas_sections *s, size_t *at, found_block *b) {
  cas_section found;
  while (cas_sections_next(s, in_file, at, &found))
    if (is_block(&found, b))
      return true;
  return false;
}

double cas_store_streamed_share(const cas_sections *s) {
  found_block b;
  double share = 0;
  for (size_t at = 0; next_block(s, &at, &b);)
    share += b.head.share;
  return share;
}

/* ---- one after another into a file ---- */

enum { TAG = 4, MESSAGE = 1 << 24 };

/* Puts the bytes of a section. */
static cas_status put_own(const cas_block_head *head, const void *state, const cas_block_work *work,
                          cas_checkpoint_writer *w, cas_error *err) {
  size_t size = sizeof *head + head->pass;
  CAS_CALL(cas_checkpoint_section(w, in_file, size + head->memory, err));
  CAS_CALL(cas_checkpoint_put(w, state, size, err));
  return head->memory ? cas_checkpoint_put(w, work->memory, head->memory, err) : CAS_OK;
}

static void send(const void *bytes, uint64_t size, MPI_Comm comm) {
  for (uint64_t at = 0; at < size; at += MESSAGE)
    MPI_Send((const char *)bytes + at, size - at < MESSAGE ? (int)(size - at) : MESSAGE, MPI_BYTE,
             0, TAG, comm);
}

/* Messages are received after a failure too, so that no rank waits for ever. */
static cas_status put_received(int rank, uint64_t size, MPI_Comm comm, void *buffer,
                               cas_checkpoint_writer *w, cas_status st, cas_error *err) {
  for (uint64_t at = 0; at < size; at += MESSAGE) {
    int n = size - at < MESSAGE ? (int)(size - at) : MESSAGE;
    MPI_Recv(buffer, n, MPI_BYTE, rank, TAG, comm, MPI_STATUS_IGNORE);
    if (!st)
      st = cas_checkpoint_put(w, buffer, (size_t)n, err);
  }
  return st;
}

/* Copies a block from the file of an earlier run. */
static cas_status put_waiting(const cas_run_state *r, const found_block *b, void *buffer,
                              cas_checkpoint_writer *w, cas_error *err) {
  cas_status st = cas_checkpoint_section(w, in_file, b->stored.size, err);
  for (uint64_t at = 0; !st && at < b->stored.size; at += MESSAGE) {
    size_t n = b->stored.size - at < MESSAGE ? (size_t)(b->stored.size - at) : MESSAGE;
    if (!cas_io_read_at(r->earlier_file, buffer, n, b->stored.offset + at))
      st = cas_file_fail(err, r->checkpoint, "cannot be read");
    else
      st = cas_checkpoint_put(w, buffer, n, err);
  }
  return st;
}

/* Which block each rank is at, -1 of none, and the bytes of its head and state, and of its
   memory. */
typedef struct {
  int64_t block;
  uint64_t state, memory;
} announcement;

static bool is_announced(const announcement *of, int ranks, int64_t block) {
  for (int k = 0; k < ranks; k++)
    if (of[k].block == block)
      return true;
  return false;
}

/* Whether the sums have this block; the last chunk, if paths do not fill it, is not in their
   tree. */
static bool has_sums(const cas_run_state *r, const cas_saved_sums *sums, int64_t block) {
  return cas_block_is_done(sums->tree, block) ||
         (sums->partial && block >= cas_study_full_chunks(r));
}

static cas_status put_all_waiting(const cas_run_state *r, const announcement *of,
                                  const cas_saved_sums *sums, void *buffer,
                                  cas_checkpoint_writer *w, double *share, cas_error *err) {
  found_block b;
  cas_status st = CAS_OK;
  for (size_t at = 0; !st && next_block(&r->earlier, &at, &b);)
    if (!has_sums(r, sums, b.head.block) && !is_announced(of, r->run.ranks, b.head.block)) {
      *share += b.head.share;
      st = put_waiting(r, &b, buffer, w, err);
    }
  return st;
}

/* On rank 0: its own block, blocks of other ranks as they come, and waiting blocks. */
static cas_status put_blocks(const cas_run_state *r, const announcement *of, const void *state,
                             const cas_saved_sums *sums, const cas_block_work *work, void *buffer,
                             cas_checkpoint_writer *w, double *share, cas_error *err) {
  cas_status st = state ? put_own(state, state, work, w, err) : CAS_OK;
  for (int k = 1; k < r->run.ranks; k++) {
    if (of[k].block < 0)
      continue;
    if (!st)
      st = cas_checkpoint_section(w, in_file, of[k].state + of[k].memory, err);
    st = put_received(k, of[k].state, r->run.comm, buffer, w, st, err);
    st = put_received(k, of[k].memory, r->run.comm, buffer, w, st, err);
  }
  return st ? st : put_all_waiting(r, of, sums, buffer, w, share, err);
}

cas_status cas_store_stream_blocks(const cas_run_state *r, const cas_block_in_progress *p,
                                   const cas_saved_sums *sums, const cas_block_work *work,
                                   cas_checkpoint_writer *w, double *share, cas_error *err) {
  bool root = r->run.rank == 0;
  announcement mine = {.block = -1}, *of = root ? malloc((size_t)r->run.ranks * sizeof *of) : NULL;
  void *state = NULL, *buffer = root ? malloc(MESSAGE) : NULL;
  cas_status st = (of && buffer) || !root ? CAS_OK : cas_no_memory(err);
  if (!st && p->pass) {
    const cas_block_head head = cas_block_head_of(r, p, work);
    *share = head.share;
    mine = (announcement){p->block, sizeof head + head.pass, head.memory};
    state = pack(&head, p->pass, err);
    st = state ? CAS_OK : CAS_NO_MEMORY;
  }
  st = cas_agree(st, r->run.comm, err);
  if (!st) {
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, of, (int)sizeof mine, MPI_BYTE, 0, r->run.comm);
    if (root)
      st = put_blocks(r, of, state, sums, work, buffer, w, share, err);
    else {
      send(state, mine.state, r->run.comm);
      send(work->memory, mine.memory, r->run.comm);
    }
    st = cas_agree(st, r->run.comm, err);
  }
  free(state);
  free(buffer);
  free(of);
  return st;
}

/* ---- coming back ---- */

static cas_status read_block(cas_run_state *r, const found_block *b, cas_pass *pass,
                             const cas_block_work *work, cas_error *err) {
  uint64_t at = b->stored.offset + sizeof b->head;
  free(r->earlier_pass);
  r->earlier_pass = malloc(b->head.pass + 1);
  if (!r->earlier_pass)
    return cas_no_memory(err);
  if (!cas_io_read_at(r->earlier_file, r->earlier_pass, b->head.pass, at) ||
      !cas_io_read_at(r->earlier_file, work->memory, b->head.memory, at + b->head.pass))
    return cas_file_fail(err, r->checkpoint, "cannot be read");
  pass->resume = r->earlier_pass;
  return CAS_OK;
}

cas_status cas_store_resume_streamed(cas_run_state *r, int64_t block, cas_pass *pass,
                                     const cas_block_work *work, cas_error *err) {
  found_block b;
  for (size_t at = 0; next_block(&r->earlier, &at, &b);)
    if (cas_block_resumes(r, &b.head, block, pass) && b.head.memory == work->memory_size)
      return read_block(r, &b, pass, work, err);
  return CAS_OK;
}

cas_status cas_store_open_earlier(cas_run_state *r, cas_error *err) {
  int previous = r->from_previous;
  cas_status st = CAS_OK;
  cas_bcast(&previous, 1, MPI_INT, 0, r->run.comm);
  if (!cas_sections_stay(&r->earlier))
    return CAS_OK;
  const char *file = previous ? r->previous : r->checkpoint;
  int fd = open(file, O_RDONLY | O_CLOEXEC), above = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3),
      why = errno;
  if (fd >= 0)
    close(fd);
  if (above >= 0)
    r->earlier_file = above;
  else
    st = cas_fail(err, CAS_FILE_ERROR,
                  "%s: read by rank 0, cannot be opened by rank %d: %s. All ranks need the same "
                  "file system.",
                  file, r->run.rank, strerror(why));
  return cas_agree(st, r->run.comm, err);
}
