#include "studies/study.h"

#include <stdlib.h>

static int64_t chunk_paths(const cas_run_state *r) { return r->blocks_per_chunk * r->problem.W; }

int64_t cas_chunks(const cas_run_state *r) {
  return (r->paths + chunk_paths(r) - 1) / chunk_paths(r);
}

void cas_chunk_range(const cas_run_state *r, int rank, int64_t *first, int64_t *next) {
  int64_t n = cas_chunks(r), each = n / r->ranks, more = n % r->ranks;
  *first = rank * each + (rank < more ? rank : more);
  *next = *first + each + (rank < more);
}

/* Whole blocks are integrated, and lanes beyond the last path left out: a path never depends on how
 * many were asked for. */
static cas_status run_chunk(cas_run_state *r, cas_sweep *s, int64_t chunk,
                            cas_block_function *block, void *context, cas_summary *summary,
                            cas_error *err) {
  int W = r->problem.W;
  for (int64_t b = chunk * r->blocks_per_chunk; b < (chunk + 1) * r->blocks_per_chunk; b++) {
    int64_t left = r->paths - b * W;
    if (left <= 0)
      break;
    cas_status st = block(context, s, b, left < W ? (int)left : W, summary, err);
    if (st)
      return st;
  }
  return CAS_OK;
}

void cas_show_progress(const cas_run_state *r, int64_t done, int64_t mine) {
  const cas_run_request *q = r->request;
  if (r->rank == 0 && q->progress)
    q->progress(q->progress_context, (double)done / (double)mine, r->paths, MPI_Wtime() - r->clock);
}

static cas_status run_range(cas_run_state *r, cas_forest *forest, cas_block_function *block,
                            void *context, cas_error *err) {
  cas_sweep sweep;
  int64_t first, next;
  cas_summary *chunk = malloc(cas_summary_size(forest->shape));
  if (!chunk)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = cas_sweep_create(&r->problem, &r->plan, &sweep, err);
  if (st) {
    free(chunk);
    return st;
  }
  cas_chunk_range(r, r->rank, &first, &next);
  for (int64_t c = first; !st && c < next; c++) {
    cas_summary_clear(forest->shape, chunk);
    st = run_chunk(r, &sweep, c, block, context, chunk, err);
    if (!st)
      cas_forest_push(forest, chunk);
    cas_show_progress(r, c + 1 - first, next - first);
  }
  cas_sweep_free(&sweep);
  free(chunk);
  return st;
}

static cas_status total_on_root(const cas_run_state *r, const cas_forest *forest,
                                cas_summary **total, cas_error *err) {
  if (r->rank != 0)
    return CAS_OK;
  *total = malloc(cas_summary_size(forest->shape));
  if (!*total)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_forest_total(forest, *total);
  return CAS_OK;
}

void cas_timing_gather(cas_run_state *r) {
  const double mine[2] = {r->integrate, r->reduce};
  double most[2] = {0}, sum = 0;
  MPI_Reduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, 0, r->comm);
  MPI_Reduce(mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, r->comm);
  r->timing = (cas_timing){most[0], sum / r->ranks, most[1]};
}

/* One after the other, so that waiting for the slowest rank counts as neither. */
static cas_status integrate_and_reduce(cas_run_state *r, cas_forest *forest,
                                       cas_block_function *block, void *context, cas_error *err) {
  double clock = MPI_Wtime();
  cas_status st = run_range(r, forest, block, context, err);
  r->integrate = MPI_Wtime() - clock;
  st = cas_agree(st, r->comm, err);
  if (st)
    return st;
  clock = MPI_Wtime();
  st = cas_forest_reduce(forest, r->comm, err);
  r->reduce = MPI_Wtime() - clock;
  st = cas_agree(st, r->comm, err);
  cas_timing_gather(r);
  return st;
}

cas_status cas_deal_chunks(cas_run_state *r, cas_summary_shape shape, cas_block_function *block,
                           void *context, cas_summary **total, cas_error *err) {
  int64_t first, next;
  cas_status st = CAS_OK;
  *total = NULL;
  cas_chunk_range(r, r->rank, &first, &next);
  cas_forest *forest = cas_forest_new(shape, first, cas_chunks(r));
  if (!forest)
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory");
  st = cas_agree(st, r->comm, err);
  if (!st)
    st = integrate_and_reduce(r, forest, block, context, err);
  if (!st)
    st = cas_agree(total_on_root(r, forest, total, err), r->comm, err);
  free(forest);
  return st;
}
