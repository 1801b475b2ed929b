#include "engine/resume/blocks.h"
#include "base/owned.h"
#include "files/io.h"

#include <errno.h>
#include <fcntl.h>

/* How a block is stored. Blocks in progress come first. */
enum { IN_MEMORY, IN_FILE, BEGUN, ENDED = BEGUN };

static const char *const section_name[] = {
    [IN_MEMORY] = "block", [IN_FILE] = "@block", [ENDED] = "end"};

/* The beginning of a block's section; the state of its pass and the memory of its study follow. */
typedef struct {
  int64_t block, active; /* number, and its paths */
  double share;          /* of the block that is done */
  uint64_t pass, memory; /* bytes */
} block_head;

static int64_t active_lanes(const cas_run_state *r, int64_t block) {
  int64_t remaining = cas_study_path_end(&r->run) - block * r->run.problem.W;
  return remaining < r->run.problem.W ? remaining : r->run.problem.W;
}

/* Reads the head of a section of `size` bytes; false: the section is no block. */
static bool read_head(const void *bytes, uint64_t size, block_head *out) {
  if (size < sizeof *out)
    return false;
  memcpy(out, bytes, sizeof *out);
  return out->pass <= size && out->memory <= size && size == sizeof *out + out->pass + out->memory;
}

cas_status cas_blocks_unusable(const cas_run_state *r, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "--resume: what %s holds does not fit together; remove it to begin anew.",
                  r->checkpoint);
}

cas_status cas_blocks_put(const cas_run_state *r, bool ended, int64_t block, const cas_pass *pass,
                          const cas_block_work *work, cas_sections *s, double *share,
                          cas_error *err) {
  const block_head head = {block, active_lanes(r, block),
                           (double)pass->done / (double)r->run.plan.steps,
                           cas_pass_state_size(&r->run.problem, pass->plan), work->memory_size};
  const size_t state = sizeof head + head.pass;
  size_t size = head.memory;
  char *bytes = cas_sections_add(s,
                                 section_name[ended          ? ENDED
                                              : work->stream ? IN_FILE
                                                             : IN_MEMORY],
                                 state + size, err);
  if (!bytes)
    return CAS_NO_MEMORY;
  *share = head.share;
  memcpy(bytes, &head, sizeof head);
  cas_pass_state(pass, bytes + sizeof head);
  if (work->rows > head.active) /* lanes behind the last path have no rows */
    size = size / (size_t)work->rows * (size_t)head.active;
  if (size)
    memcpy(bytes + state, work->memory, size);
  return CAS_OK;
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

/* Whether no rank has begun this block again, and the sums do not have it. */
static bool is_waiting(const cas_run_state *r, const int64_t *begun, const cas_sum_tree *done,
                       int64_t block) {
  for (int k = 0; k < r->run.ranks; k++)
    if (begun[k] == block)
      return false;
  return !cas_sum_tree_has(done, cas_study_chunk_in_sums(r, block));
}

enum { PART = 1 << 24 }; /* bytes that are copied at a time */

bool cas_blocks_read(const cas_run_state *r, const char *bytes, uint64_t at, void *to,
                     size_t size) {
  if (bytes && size)
    memcpy(to, bytes + at, size);
  return bytes || cas_io_read_at(r->earlier.file, to, size, at);
}

/* Copies a block of an earlier run as it is stored. */
static cas_status copy_block(const cas_run_state *r, const begun_block *b, void *buffer,
                             cas_checkpoint_writer *w, cas_error *err) {
  cas_status st =
      cas_checkpoint_section(w, section_name[b->bytes ? IN_MEMORY : IN_FILE], b->size, err);
  for (uint64_t at = 0; !st && at < b->size; at += PART) {
    size_t n = b->size - at < PART ? (size_t)(b->size - at) : PART;
    st = cas_blocks_read(r, b->bytes, b->offset + at, buffer, n)
             ? cas_checkpoint_put(w, buffer, n, err)
             : cas_file_fail(err, r->checkpoint, "cannot be read");
  }
  return st;
}

cas_status cas_blocks_put_waiting(const cas_run_state *r, const int64_t *begun,
                                  const cas_sum_tree *done, cas_checkpoint_writer *w, double *share,
                                  cas_error *err) {
  CAS_OWNED void *buffer = malloc(PART);
  begun_block b;
  CAS_NEED(buffer);
  for (place p = {0}; next_begun(&r->earlier.sections, &p, &b);)
    if (is_waiting(r, begun, done, b.head.block)) {
      *share += b.head.share;
      CAS_CALL(copy_block(r, &b, buffer, w, err));
    }
  return CAS_OK;
}

/* ---- resuming a block ---- */

/* Whether the pass can resume this block from there. A row of memory of a shorter run is the
   beginning of the row of this run. */
static bool resumes(const cas_run_state *r, const begun_block *b, int64_t block,
                    const cas_pass *pass, const cas_block_work *work) {
  const block_head *h = &b->head;
  return h->block == block && h->active == active_lanes(r, block) &&
         h->pass == cas_pass_state_size(&r->run.problem, pass->plan) &&
         (h->memory == work->memory_size || (work->rows > 0 && h->memory < work->memory_size &&
                                             h->memory % (uint64_t)work->rows == 0));
}

static cas_status restore(cas_run_state *r, const begun_block *b, const cas_block_work *work,
                          cas_error *err) {
  const size_t rows = work->rows > 0 ? (size_t)work->rows : 1,
               of_block = (size_t)b->head.memory / rows, row = work->memory_size / rows;
  const uint64_t pass = b->offset + sizeof b->head, memory = pass + b->head.pass;
  free(r->earlier.pass);
  r->earlier.pass = malloc(b->head.pass + 1);
  CAS_NEED(r->earlier.pass);
  bool read = cas_blocks_read(r, b->bytes, pass, r->earlier.pass, b->head.pass);
  memset(work->memory, 0, work->memory_size);
  for (size_t i = 0; read && i < rows && of_block; i++)
    read = cas_blocks_read(r, b->bytes, memory + i * of_block, (char *)work->memory + i * row,
                           of_block);
  return read ? CAS_OK : cas_file_fail(err, r->checkpoint, "cannot be read");
}

cas_status cas_blocks_resume(cas_run_state *r, int64_t block, cas_pass *pass,
                             const cas_block_work *work, cas_error *err) {
  begun_block b;
  for (place p = {0}; next_begun(&r->earlier.sections, &p, &b);)
    if (resumes(r, &b, block, pass, work)) {
      CAS_CALL(restore(r, &b, work, err));
      pass->resume = r->earlier.pass;
      return CAS_OK;
    }
  return CAS_OK;
}

cas_status cas_blocks_open_earlier(cas_run_state *r, cas_error *err) {
  cas_earlier_run *e = &r->earlier;
  cas_status st = CAS_OK;
  cas_bcast(&e->from_previous, sizeof e->from_previous, MPI_BYTE, 0, r->run.comm);
  if (!cas_sections_stay(&e->sections))
    return CAS_OK;
  const char *file = e->from_previous ? r->previous : r->checkpoint;
  int fd = open(file, O_RDONLY | O_CLOEXEC), above = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3),
      why = errno;
  if (fd >= 0)
    close(fd);
  if (above >= 0)
    e->file = above;
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

cas_status cas_blocks_copy_ends(const cas_run_state *r, const cas_sections *from, double share,
                                cas_sections *to, cas_error *err) {
  cas_section found;
  block_head head;
  for (size_t at = 0; cas_sections_next(from, section_name[ENDED], &at, &found);) {
    char *bytes =
        cas_sections_add(to, section_name[share != 0 ? IN_MEMORY : ENDED], found.size, err);
    if (!bytes)
      return CAS_NO_MEMORY;
    memcpy(bytes, found.bytes, found.size);
    if (!read_head(bytes, found.size, &head))
      return cas_blocks_unusable(r, err);
    head.share = share != 0 ? share : head.share;
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
