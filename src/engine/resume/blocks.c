#include "engine/resume/blocks.h"
#include "base/owned.h"
#include "files/io.h"

#include <casimir/parallel.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* How a block is stored. Blocks in progress come first. */
enum { IN_MEMORY, IN_FILE, BEGUN, ENDED = BEGUN };

static const char *const section_name[] = {
    [IN_MEMORY] = "block", [IN_FILE] = "@block", [ENDED] = "end"};

/* The beginning of a block's section; the state of its pass follows, then the memory of its
   study. */
typedef struct {
  int64_t block, active; /* number, and its paths */
  double share;          /* of the block that is done */
  uint64_t pass, memory; /* bytes */
} block_head;

static int64_t active_lanes(const cas_run_state *r, int64_t block) {
  int64_t remaining = cas_study_path_end(&r->run) - block * r->run.problem.W;
  return remaining < r->run.problem.W ? remaining : r->run.problem.W;
}

static block_head head_of(const cas_run_state *r, int64_t block, const cas_pass *pass,
                          const cas_block_work *work) {
  return (block_head){block, active_lanes(r, block), (double)pass->done / (double)r->run.plan.steps,
                      cas_pass_state_size(&r->run.problem, pass->plan), work->memory_size};
}

/* Reads the head of a section of `size` bytes; false: the section is no block. */
static bool read_head(const void *bytes, uint64_t size, block_head *out) {
  if (size < sizeof *out)
    return false;
  memcpy(out, bytes, sizeof *out);
  return out->pass <= size && out->memory <= size && size == sizeof *out + out->pass + out->memory;
}

/* The head and the state of the pass. */
static void pack(const block_head *head, const cas_pass *pass, char *to) {
  memcpy(to, head, sizeof *head);
  cas_pass_state(pass, to + sizeof *head);
}

/* ---- blocks in progress of a checkpoint ---- */

typedef struct {
  block_head head;
  const char *bytes; /* of the section; NULL: it is in the file, at `offset` */
  uint64_t offset, size;
} begun_block;

/* A place among the sections of one way to store blocks; zeroed: before the first. */
typedef struct {
  int stored;
  size_t at;
} place;

static bool take_section(int stored, const cas_section *s, begun_block *b) {
  cas_stored_section in_file;
  *b = (begun_block){.bytes = s->bytes, .size = s->size};
  if (stored == IN_MEMORY)
    return read_head(s->bytes, s->size, &b->head);
  if (s->size != sizeof in_file)
    return false;
  memcpy(&in_file, s->bytes, sizeof in_file);
  *b = (begun_block){.offset = in_file.offset, .size = in_file.size};
  return read_head(in_file.head, in_file.size, &b->head);
}

static bool next_begun(const cas_sections *s, place *p, begun_block *b) {
  cas_section found;
  for (; p->stored < BEGUN; *p = (place){.stored = p->stored + 1})
    while (cas_sections_next(s, section_name[p->stored], &p->at, &found))
      if (take_section(p->stored, &found, b))
        return true;
  return false;
}

double cas_blocks_share(const cas_sections *s) {
  begun_block b;
  double share = 0;
  for (place p = {0}; next_begun(s, &p, &b);)
    share += b.head.share;
  return share;
}

/* Whether the sums have this block; the last chunk, if paths do not fill it, is not in their
   tree. */
static bool has_sums(const cas_run_state *r, const cas_saved_sums *sums, int64_t block) {
  for (int i = 0; i < sums->tree->nodes; i++) {
    const cas_sum_node *node = sums->tree->node[i];
    if (block >= node->first && block < node->first + node->chunks)
      return true;
  }
  return sums->partial && block >= cas_study_full_chunks(r);
}

/* ---- one after another into a file ---- */

enum { TAG = 4, MESSAGE = 1 << 24 };

static const char *name_for(const cas_block_work *work) {
  return section_name[work->stream ? IN_FILE : IN_MEMORY];
}

/* Puts the bytes of a section. */
static cas_status put_own(const block_head *head, const void *state, const cas_block_work *work,
                          cas_checkpoint_writer *w, cas_error *err) {
  size_t size = sizeof *head + head->pass;
  CAS_CALL(cas_checkpoint_section(w, name_for(work), size + head->memory, err));
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

/* Copies a block of an earlier run as it is stored. */
static cas_status copy_block(const cas_run_state *r, const begun_block *b, void *buffer,
                             cas_checkpoint_writer *w, cas_error *err) {
  cas_status st =
      cas_checkpoint_section(w, section_name[b->bytes ? IN_MEMORY : IN_FILE], b->size, err);
  for (uint64_t at = 0; !st && at < b->size; at += MESSAGE) {
    size_t n = b->size - at < MESSAGE ? (size_t)(b->size - at) : MESSAGE;
    if (!b->bytes && !cas_io_read_at(r->earlier_file, buffer, n, b->offset + at))
      st = cas_file_fail(err, r->checkpoint, "cannot be read");
    else
      st = cas_checkpoint_put(w, b->bytes ? b->bytes + at : buffer, n, err);
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

static cas_status put_all_waiting(const cas_run_state *r, const announcement *of,
                                  const cas_saved_sums *sums, void *buffer,
                                  cas_checkpoint_writer *w, double *share, cas_error *err) {
  begun_block b;
  for (place p = {0}; next_begun(&r->earlier, &p, &b);)
    if (!has_sums(r, sums, b.head.block) && !is_announced(of, r->run.ranks, b.head.block)) {
      *share += b.head.share;
      CAS_CALL(copy_block(r, &b, buffer, w, err));
    }
  return CAS_OK;
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
      st = cas_checkpoint_section(w, name_for(work), of[k].state + of[k].memory, err);
    st = put_received(k, of[k].state, r->run.comm, buffer, w, st, err);
    st = put_received(k, of[k].memory, r->run.comm, buffer, w, st, err);
  }
  return st ? st : put_all_waiting(r, of, sums, buffer, w, share, err);
}

cas_status cas_blocks_write(const cas_run_state *r, const cas_block_in_progress *p,
                            const cas_saved_sums *sums, const cas_block_work *work,
                            cas_checkpoint_writer *w, double *share, cas_error *err) {
  bool root = r->run.rank == 0;
  announcement mine = {.block = -1};
  CAS_OWNED announcement *of = root ? malloc((size_t)r->run.ranks * sizeof *of) : NULL;
  CAS_OWNED char *state = NULL, *buffer = root ? malloc(MESSAGE) : NULL;
  cas_status st = (of && buffer) || !root ? CAS_OK : cas_no_memory(err);
  if (!st && p->pass) {
    const block_head head = head_of(r, p->block, p->pass, work);
    *share = head.share;
    mine = (announcement){p->block, sizeof head + head.pass, head.memory};
    state = malloc(mine.state);
    if (state)
      pack(&head, p->pass, state);
    else
      st = cas_no_memory(err);
  }
  CAS_CALL(cas_agree(st, r->run.comm, err));
  MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, of, (int)sizeof mine, MPI_BYTE, 0, r->run.comm);
  if (root)
    st = put_blocks(r, of, state, sums, work, buffer, w, share, err);
  else {
    send(state, mine.state, r->run.comm);
    send(work->memory, mine.memory, r->run.comm);
  }
  return cas_agree(st, r->run.comm, err);
}

/* ---- coming back ---- */

/* Whether the pass can resume this block from there. A row of memory of a shorter run is the
   beginning of the row of this run. */
static bool resumes(const cas_run_state *r, const begun_block *b, int64_t block,
                    const cas_pass *pass, const cas_block_work *work) {
  const block_head *h = &b->head;
  return h->block == block && h->active == active_lanes(r, block) &&
         h->pass == cas_pass_state_size(&r->run.problem, pass->plan) &&
         (h->memory == work->memory_size ||
          (b->bytes && work->rows > 0 && h->memory < work->memory_size &&
           h->memory % (uint64_t)work->rows == 0));
}

static void restore_memory(const block_head *head, const char *bytes, const cas_block_work *work) {
  size_t rows = work->rows > 0 ? (size_t)work->rows : 1, of_block = (size_t)head->memory / rows,
         row = work->memory_size / rows;
  memset(work->memory, 0, work->memory_size);
  for (size_t i = 0; i < rows && of_block; i++)
    memcpy((char *)work->memory + i * row, bytes + i * of_block, of_block);
}

static cas_status read_from_file(cas_run_state *r, const begun_block *b, const cas_block_work *work,
                                 cas_error *err) {
  const uint64_t at = b->offset + sizeof b->head;
  free(r->earlier_pass);
  r->earlier_pass = malloc(b->head.pass + 1);
  CAS_NEED(r->earlier_pass);
  return cas_io_read_at(r->earlier_file, r->earlier_pass, b->head.pass, at) &&
                 cas_io_read_at(r->earlier_file, work->memory, b->head.memory, at + b->head.pass)
             ? CAS_OK
             : cas_file_fail(err, r->checkpoint, "cannot be read");
}

cas_status cas_blocks_resume(cas_run_state *r, int64_t block, cas_pass *pass,
                             const cas_block_work *work, cas_error *err) {
  begun_block b;
  for (place p = {0}; next_begun(&r->earlier, &p, &b);) {
    if (!resumes(r, &b, block, pass, work))
      continue;
    if (b.bytes)
      restore_memory(&b.head, b.bytes + sizeof b.head + b.head.pass, work);
    else
      CAS_CALL(read_from_file(r, &b, work, err));
    pass->resume = b.bytes ? b.bytes + sizeof b.head : r->earlier_pass;
    return CAS_OK;
  }
  return CAS_OK;
}

cas_status cas_blocks_open_earlier(cas_run_state *r, cas_error *err) {
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

/* ---- ends ---- */

double cas_blocks_ends_bytes(const cas_study_run *r, size_t memory_size) {
  size_t each = sizeof(block_head) + cas_pass_state_size(&r->problem, &r->plan) + memory_size;
  return (double)((r->paths + r->problem.W - 1) / r->problem.W) * (double)each;
}

cas_status cas_blocks_put_end(const cas_run_state *r, int64_t block, const cas_pass *pass,
                              const cas_block_work *work, cas_sections *s, cas_error *err) {
  const block_head head = head_of(r, block, pass, work);
  const size_t state = sizeof head + head.pass;
  size_t size = head.memory;
  char *bytes = cas_sections_add(s, section_name[ENDED], state + size, err);
  if (!bytes)
    return CAS_NO_MEMORY;
  pack(&head, pass, bytes);
  if (work->rows > head.active) /* lanes behind the last path have no rows */
    size = size / (size_t)work->rows * (size_t)head.active;
  if (size)
    memcpy(bytes + state, work->memory, size);
  return CAS_OK;
}

int64_t cas_blocks_ends(const cas_sections *s) {
  cas_section found;
  int64_t n = 0;
  for (size_t at = 0; cas_sections_next(s, section_name[ENDED], &at, &found);)
    n++;
  return n;
}

bool cas_blocks_have_all_ends(const cas_study_run *r, const cas_sections *s) {
  return cas_blocks_ends(s) == (r->paths + r->problem.W - 1) / r->problem.W;
}

cas_status cas_blocks_copy_ends(const cas_sections *from, double share, cas_sections *to,
                                bool *sound, cas_error *err) {
  cas_section found;
  block_head head;
  *sound = true;
  for (size_t at = 0; cas_sections_next(from, section_name[ENDED], &at, &found);) {
    char *bytes =
        cas_sections_add(to, section_name[share != 0 ? IN_MEMORY : ENDED], found.size, err);
    if (!bytes)
      return CAS_NO_MEMORY;
    memcpy(bytes, found.bytes, found.size);
    *sound &= read_head(bytes, found.size, &head);
    head.share = share != 0 ? share : head.share;
    if (*sound)
      memcpy(bytes, &head, sizeof head);
  }
  return CAS_OK;
}

static int by_block(const void *a, const void *b) {
  block_head x, y;
  memcpy(&x, ((const cas_section *)a)->bytes, sizeof x);
  memcpy(&y, ((const cas_section *)b)->bytes, sizeof y);
  return (x.block > y.block) - (x.block < y.block);
}

cas_status cas_blocks_sort_ends(const cas_sections *ends, cas_sections *to, cas_error *err) {
  CAS_OWNED cas_section *sorted = calloc((size_t)cas_blocks_ends(ends) + 1, sizeof *sorted);
  size_t n = 0;
  CAS_NEED(sorted);
  for (size_t at = 0; cas_sections_next(ends, section_name[ENDED], &at, &sorted[n]);)
    n++;
  qsort(sorted, n, sizeof *sorted, by_block);
  for (size_t i = 0; i < n; i++)
    CAS_CALL(cas_sections_put(to, section_name[ENDED], sorted[i].bytes, sorted[i].size, err));
  return CAS_OK;
}

const void *cas_blocks_next_end(const cas_run_state *r, const cas_sections *s, size_t *at) {
  cas_section found;
  block_head head;
  if (!cas_sections_next(s, section_name[ENDED], at, &found) ||
      !read_head(found.bytes, found.size, &head) ||
      head.pass != cas_pass_state_size(&r->run.problem, &r->run.plan))
    return NULL;
  return (const char *)found.bytes + sizeof head;
}
