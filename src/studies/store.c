#include "studies/store.h"
#include "version.h"

#include <casimir/results.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cas_store_notice(const cas_run_state *r, const char *format, ...) {
  char text[2300];
  va_list arguments;
  if (r->rank != 0 || !r->request->notice)
    return;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  r->request->notice(r->request->notice_context, text);
}

/* ---- whose checkpoint ---- */

/* All that a path depends on. How many paths there are is not among it, unless chunks depend on it.
 */
static char *identity(const cas_run_state *r, const char *effective) {
  char *text = strdup(effective), *line = text ? strstr(text, "\nstudy:\n") : NULL;
  line = line && !r->study->own_chunks ? strstr(line, "\n  paths: ") : NULL;
  if (line) {
    char *end = strchr(line + 1, '\n');
    memmove(line, end ? end : line + strlen(line), end ? strlen(end) + 1 : 1);
  }
  return text;
}

/* The key at the line that differs, with those of the sections around it: "random.seed". */
static void name_difference(const char *mine, const char *other, char *key, size_t size) {
  const char *line = mine, *open[8] = {0};
  char *to = key;
  for (const char *a = mine, *b = other; *a && *a == *b; a++, b++)
    if (*a == '\n')
      line = a + 1;
  for (const char *l = mine; l && l <= line; l = strchr(l, '\n') ? strchr(l, '\n') + 1 : NULL)
    open[strspn(l, " ") / 2 % 8] = l;
  for (size_t depth = 0; depth <= strspn(line, " ") / 2 % 8 && open[depth]; depth++) {
    const char *name = open[depth] + 2 * depth;
    to += snprintf(to, size - (size_t)(to - key), "%s%.*s", depth ? "." : "",
                   (int)strcspn(name, ":\n"), name);
    if ((size_t)(to - key) >= size)
      return;
  }
}

static cas_status another_run(const char *file, const char *mine, const char *other,
                              cas_error *err) {
  char key[200] = "";
  name_difference(mine, other, key, sizeof key);
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another %s. Give the configuration that it "
                  "was begun with, or another --output.",
                  file, key[0] ? key : "configuration");
}

static const char *text_of(const cas_sections *s, const char *name) {
  size_t at = 0;
  cas_section found;
  return cas_sections_next(s, name, &at, &found) && found.size > 0 &&
                 ((const char *)found.bytes)[found.size - 1] == '\0'
             ? found.bytes
             : "";
}

/* how many paths there are, and whether that may change */
typedef struct {
  int64_t paths, fixed;
} paths_head;

static cas_status check_paths(const cas_run_state *r, const char *file, const cas_sections *s,
                              cas_error *err) {
  cas_section found;
  size_t at = 0;
  paths_head head;
  if (!cas_sections_next(s, "paths", &at, &found) || found.size != sizeof head)
    return cas_fail(err, CAS_FILE_ERROR, "--resume: %s does not say how many paths it is of.",
                    file);
  memcpy(&head, found.bytes, sizeof head);
  /* chunks that the study lists go with its configuration, which was compared */
  if (r->study->own_chunks)
    return CAS_OK;
  if (!head.fixed && head.paths > r->paths)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--resume: %s belongs to a run of %lld paths, more than study.paths asks for "
                    "(%lld).",
                    file, (long long)head.paths, (long long)r->paths);
  if (!head.fixed || head.paths == r->paths)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s belongs to a run with another study.paths, %lld, and what it has "
                  "recorded fits no other number. Finish it with that, or give another --output.",
                  file, (long long)head.paths);
}

/* The bits of a path are those of the kernels; those of another build may differ. */
static cas_status check_identity(const cas_run_state *r, const char *file, const cas_sections *s,
                                 cas_error *err) {
  char *mine = identity(r, r->effective);
  cas_status st = CAS_OK;
  if (!mine)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  if (strcmp(mine, text_of(s, "configuration")) != 0)
    st = another_run(file, mine, text_of(s, "configuration"), err);
  else if (strcmp(r->problem.kernels->name, text_of(s, "kernels")) != 0)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s was computed with the kernels '%s', and these are '%s', whose "
                  "results differ in the last bits: set CASIMIR_KERNELS=%s.",
                  file, text_of(s, "kernels"), r->problem.kernels->name, text_of(s, "kernels"));
  else if (strcmp(CAS_COMMIT, text_of(s, "commit")) != 0)
    cas_store_notice(r, "%s was begun by commit %s of casimir, this is %s: bits may differ.", file,
                     text_of(s, "commit"), CAS_COMMIT);
  free(mine);
  return st ? st : check_paths(r, file, s, err);
}

static cas_status put_identity(const cas_run_state *r, bool extendable, cas_sections *s,
                               cas_error *err) {
  const char *kernels = r->problem.kernels->name;
  const paths_head paths = {r->paths, !extendable};
  char *text = identity(r, r->effective);
  if (!text)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = cas_sections_put(s, "configuration", text, strlen(text) + 1, err);
  if (!st)
    st = cas_sections_put(s, "kernels", kernels, strlen(kernels) + 1, err);
  if (!st)
    st = cas_sections_put(s, "commit", CAS_COMMIT, sizeof CAS_COMMIT, err);
  if (!st)
    st = cas_sections_put(s, "paths", &paths, sizeof paths, err);
  if (!st && r->study->own_chunks)
    st = cas_sections_put(s, "chunks", &r->chunks, sizeof r->chunks, err);
  free(text);
  return st;
}

/* ---- forests ---- */

cas_status cas_store_forest(cas_sections *s, const cas_forest *f, cas_error *err) {
  return f->nodes ? cas_sections_put(s, "forest", f, cas_forest_used(f), err) : CAS_OK;
}

static int by_first(const void *a, const void *b) {
  const cas_forest *const *x = a, *const *y = b;
  return ((*x)->first > (*y)->first) - ((*x)->first < (*y)->first);
}

static cas_status unusable(const cas_run_state *r, cas_error *err) {
  return cas_fail(err, CAS_FILE_ERROR,
                  "--resume: what %s holds does not fit together; remove it to begin anew.",
                  r->checkpoint);
}

cas_status cas_store_pieces(cas_run_state *r, cas_summary_shape shape, cas_error *err) {
  cas_section found;
  int64_t most = cas_whole_chunks(r), end = 0;
  int n = 0;
  for (size_t at = 0; cas_sections_next(&r->earlier, "forest", &at, &found);)
    n++;
  r->piece = calloc((size_t)n + 1, sizeof *r->piece);
  if (!r->piece)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (size_t at = 0; cas_sections_next(&r->earlier, "forest", &at, &found);) {
    r->piece[r->pieces] = cas_forest_stored(found.bytes, found.size, shape);
    if (!r->piece[r->pieces++])
      return unusable(r, err);
  }
  qsort(r->piece, (size_t)n, sizeof *r->piece, by_first);
  for (int i = 0; i < n; i++) {
    if (r->piece[i]->next > most)
      return cas_fail(err, CAS_BAD_INPUT,
                      "--resume: %s has more paths already than study.paths asks for (%lld).",
                      r->checkpoint, (long long)r->paths);
    if (r->piece[i]->first < end)
      return unusable(r, err);
    end = r->piece[i]->next;
  }
  return CAS_OK;
}

/* ---- a block in progress: this, the sweep's state, the study's memory ---- */

typedef struct {
  int64_t block, active;
  double share;           /* of the block that is done */
  uint64_t sweep, memory; /* bytes */
} block_head;

static int64_t active_lanes(const cas_run_state *r, int64_t block) {
  int64_t left = r->paths - block * r->problem.W;
  return left < r->problem.W ? left : r->problem.W;
}

cas_status cas_store_block(const cas_run_state *r, int64_t block, const cas_sweep *sweep,
                           const cas_block_work *work, cas_sections *s, cas_error *err) {
  const block_head head = {block, active_lanes(r, block),
                           (double)sweep->done / (double)r->plan.steps, cas_sweep_state_size(sweep),
                           work->memory_size};
  size_t size = sizeof head + head.sweep + head.memory;
  char *bytes = malloc(size);
  if (!bytes)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: a block in progress of %zu bytes", size);
  memcpy(bytes, &head, sizeof head);
  cas_sweep_state(sweep, bytes + sizeof head);
  if (head.memory)
    memcpy(bytes + sizeof head + head.sweep, work->memory, head.memory);
  cas_status st = cas_sections_put(s, "block", bytes, size, err);
  free(bytes);
  return st;
}

static bool is_block(const cas_section *s, block_head *head) {
  if (s->size < sizeof *head)
    return false;
  memcpy(head, s->bytes, sizeof *head);
  return head->sweep <= s->size && head->memory <= s->size &&
         s->size == sizeof *head + head->sweep + head->memory;
}

cas_status cas_store_later_blocks(const cas_run_state *r, int64_t from, int64_t to, cas_sections *s,
                                  cas_error *err) {
  cas_section found;
  block_head head;
  cas_status st = CAS_OK;
  for (size_t at = 0; !st && cas_sections_next(&r->earlier, "block", &at, &found);)
    if (is_block(&found, &head) && head.block >= from && head.block < to)
      st = cas_sections_put(s, "block", found.bytes, found.size, err);
  return st;
}

void cas_store_take_up_block(const cas_run_state *r, int64_t block, cas_sweep *sweep,
                             const cas_block_work *work) {
  cas_section found;
  block_head head;
  for (size_t at = 0; cas_sections_next(&r->earlier, "block", &at, &found);) {
    if (!is_block(&found, &head) || head.block != block || head.active != active_lanes(r, block) ||
        head.sweep != cas_sweep_state_size(sweep) || head.memory != work->memory_size)
      continue;
    sweep->resume = (const char *)found.bytes + sizeof head;
    if (head.memory)
      memcpy(work->memory, (const char *)found.bytes + sizeof head + head.sweep, head.memory);
  }
}

/* ---- the last chunk, if paths do not fill it: their number, then its summary ---- */

cas_status cas_store_part(const cas_run_state *r, cas_summary_shape shape, const cas_summary *part,
                          cas_sections *s, cas_error *err) {
  size_t size = cas_summary_size(shape);
  char *bytes = malloc(sizeof r->paths + size);
  if (!bytes)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: a summary of %zu bytes", size);
  memcpy(bytes, &r->paths, sizeof r->paths);
  memcpy(bytes + sizeof r->paths, part, size);
  cas_status st = cas_sections_put(s, "part", bytes, sizeof r->paths + size, err);
  free(bytes);
  return st;
}

bool cas_store_take_part(const cas_run_state *r, cas_summary_shape shape, cas_summary *part) {
  cas_section found;
  size_t at = 0, size = cas_summary_size(shape);
  if (!cas_sections_next(&r->earlier, "part", &at, &found) ||
      found.size != sizeof r->paths + size || memcmp(found.bytes, &r->paths, sizeof r->paths) != 0)
    return false;
  memcpy(part, (const char *)found.bytes + sizeof r->paths, size);
  return true;
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

/* Received in any case, so that no rank waits for ever. */
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

static cas_status gather(const cas_run_state *r, const cas_sections *own, bool extendable,
                         cas_sections *all, cas_error *err) {
  cas_status st = CAS_OK;
  if (r->rank > 0) {
    send_sections(own, r->comm);
    return CAS_OK;
  }
  st = put_identity(r, extendable, all, err);
  if (!st)
    st = cas_sections_append(all, own->bytes, own->size, err);
  for (int k = 1; k < r->ranks; k++) {
    cas_status got = receive_sections(k, r->comm, all, err);
    st = st ? st : got;
  }
  return st;
}

static double share_of(const cas_run_state *r, const cas_sections *s) {
  cas_section found;
  double chunks = 0;
  int64_t all = cas_chunks(r);
  for (size_t at = 0; cas_sections_next(s, "chunks", &at, &found);)
    if (found.size == sizeof all)
      memcpy(&all, found.bytes, sizeof all);
  for (size_t at = 0; cas_sections_next(s, "forest", &at, &found);) {
    const cas_forest *f = found.bytes;
    chunks += (double)(f->next - f->first);
  }
  for (size_t at = 0; cas_sections_next(s, "block", &at, &found);)
    chunks += found.size < sizeof(block_head) ? 0 : ((const block_head *)found.bytes)->share;
  for (size_t at = 0; cas_sections_next(s, "part", &at, &found);)
    chunks++;
  return all > 0 ? chunks / (double)all : 0;
}

cas_status cas_store_save(cas_run_state *r, const cas_sections *own, const cas_block_work *work,
                          cas_error *err) {
  cas_sections all = {0};
  cas_status st = cas_agree(gather(r, own, work->extendable, &all, err), r->comm, err);
  if (!st && work->store)
    st = cas_agree(work->store(work->context, &all, err), r->comm, err);
  if (!st && r->rank == 0) {
    st = cas_checkpoint_write(r->checkpoint, &all, err);
    r->saved_share = share_of(r, &all);
    if (!st)
      cas_store_notice(r, "%.1f%% of the run is saved in %s", 100 * r->saved_share, r->checkpoint);
  }
  cas_sections_free(&all);
  return cas_agree(st, r->comm, err);
}

cas_status cas_store_finished(cas_run_state *r, const cas_forest *f, const cas_block_work *work,
                              cas_error *err) {
  cas_status st = CAS_OK;
  if (!work->extendable)
    return CAS_OK;
  if (r->rank == 0) {
    st = put_identity(r, true, &r->restart, err);
    if (!st)
      st = cas_store_forest(&r->restart, f, err);
  }
  st = cas_agree(st, r->comm, err);
  return !st && work->store ? cas_agree(work->store(work->context, &r->restart, err), r->comm, err)
                            : st;
}

/* What all ranks have summed up together is a checkpoint of the whole run. */
void cas_store_rescue(cas_run_state *r, const cas_results *out, cas_error *err) {
  cas_sections all = {.bytes = out->restart, .size = out->restart_size};
  cas_error ignored = {0};
  if (!all.size)
    all = r->restart;
  if (all.size && !cas_checkpoint_write(r->checkpoint, &all, &ignored))
    r->saved_share = share_of(r, &all);
  size_t length = strlen(err->text);
  if (r->saved_share > 0 && access(r->checkpoint, F_OK) == 0)
    snprintf(err->text + length, sizeof err->text - length,
             " %.1f%% of the run is saved in %s: when the cause is mended, the same command with "
             "--resume goes on from there.",
             100 * r->saved_share, r->checkpoint);
}

cas_status cas_store_interrupted(const cas_run_state *r, cas_error *err) {
  return cas_fail(err, CAS_INTERRUPTED,
                  "interrupted; %.1f%% of the run is saved in %s. The same command with --resume "
                  "goes on from there, on any number of ranks.",
                  100 * r->saved_share, r->checkpoint);
}

void cas_store_leave_file(const cas_run_state *r, cas_trajectory_file *file) {
  int known = r->rank == 0 && access(r->checkpoint, F_OK) == 0;
  cas_error ignored = {0}; /* what ended the run counts */
  if (!file)
    return;
  MPI_Bcast(&known, 1, MPI_INT, 0, r->comm);
  if (known)
    cas_trajectory_suspend(file);
  else
    (void)!cas_trajectory_close(file, NULL, &ignored);
}

/* ---- coming back ---- */

/* The results file is of a run with fewer paths to go on from, or of another. */
static cas_status look_at_results(cas_run_state *r, cas_error *err) {
  cas_results old = {0};
  cas_status st = cas_results_read(r->file, &old, err);
  if (st)
    return st;
  const char *theirs = old.provenance.configuration ? old.provenance.configuration : "";
  char *mine = identity(r, r->effective), *other = identity(r, theirs);
  if (!mine || !other)
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory");
  else if (strcmp(mine, other) != 0)
    st = another_run(r->file, mine, other, err);
  else if (old.provenance.paths > r->paths)
    st = cas_fail(err, CAS_BAD_INPUT,
                  "--resume: %s has %lld paths already, more than study.paths asks for (%lld).",
                  r->file, (long long)old.provenance.paths, (long long)r->paths);
  else
    st = cas_results_restart_read(r->file, &r->earlier, err);
  free(mine);
  free(other);
  cas_results_free(&old);
  if (!st && r->earlier.size)
    st = check_identity(r, r->file, &r->earlier, err);
  return st;
}

/* A run may end between putting its results in place and removing its checkpoint. */
static bool is_finished(const cas_run_state *r) {
  cas_results old = {0};
  cas_error ignored = {0};
  if (access(r->file, F_OK) != 0 || cas_results_read(r->file, &old, &ignored))
    return false;
  const char *theirs = old.provenance.configuration;
  bool same = theirs && strcmp(r->effective, theirs) == 0;
  cas_results_free(&old);
  return same;
}

static cas_status look(cas_run_state *r, bool *finished, cas_error *err) {
  int found = 0;
  char *warning = NULL;
  *finished = is_finished(r);
  if (*finished) {
    cas_checkpoint_remove(r->checkpoint);
    return CAS_OK;
  }
  cas_status st = cas_checkpoint_read(r->checkpoint, &r->earlier, &found, &warning, err);
  if (warning)
    cas_store_notice(r, "%s", warning);
  free(warning);
  if (!st && found)
    st = check_identity(r, r->checkpoint, &r->earlier, err);
  else if (!st && access(r->file, F_OK) == 0)
    st = look_at_results(r, err);
  if (!st && found)
    r->saved_share = share_of(r, &r->earlier);
  if (!st && r->earlier.size)
    cas_store_notice(r, "going on from %s, %.1f%% of the run", found ? r->checkpoint : r->file,
                     100 * share_of(r, &r->earlier));
  return st;
}

cas_status cas_store_resume(cas_run_state *r, bool *finished, cas_error *err) {
  int done = 0;
  *finished = false;
  cas_status st = cas_agree(r->rank == 0 ? look(r, finished, err) : CAS_OK, r->comm, err);
  if (st)
    return st;
  done = *finished;
  MPI_Bcast(&done, 1, MPI_INT, 0, r->comm);
  *finished = done;
  void *bytes = r->earlier.bytes;
  st = cas_broadcast(&bytes, &r->earlier.size, r->comm, err);
  r->earlier.bytes = bytes;
  r->earlier.room = r->earlier.size;
  return st;
}

cas_status cas_store_check_new(const cas_run_state *r, cas_error *err) {
  cas_sections s = {0};
  int found = 0;
  char *warning = NULL;
  cas_error ignored = {0};
  cas_status st = cas_checkpoint_read(r->checkpoint, &s, &found, &warning, &ignored);
  free(warning);
  double share = found ? share_of(r, &s) : 0;
  cas_sections_free(&s);
  if (st || !found)
    return CAS_OK;
  return cas_fail(err, CAS_BAD_INPUT,
                  "%s holds an unfinished run (%.1f%% of this many paths). Go on with --resume, or "
                  "remove it to begin anew.",
                  r->checkpoint, 100 * share);
}
