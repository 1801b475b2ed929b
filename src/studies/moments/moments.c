#include "studies/moments/moments.h"
#include "base/owned.h"

#include <casimir/parallel.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 1 << 16 }; /* quantities */

/* ---- memory ---- */

size_t cas_path_moments_stored_bytes(int64_t quantities) {
  return (size_t)quantities * (sizeof(double) + sizeof(cas_power_sums));
}

/* MPI needs a buffer of the size of `shift` for its reduction. */
size_t cas_path_moments_bytes(int64_t quantities) {
  return cas_path_moments_stored_bytes(quantities) + (size_t)quantities * sizeof(double);
}

/* Extremes, and sums of this rank and of all. */
size_t cas_path_moments_part_bytes(int64_t quantities) {
  return (size_t)quantities *
         (2 * sizeof(double) + sizeof(cas_power_sums) + 2 * sizeof((cas_power_sums){0}.sum));
}

cas_status cas_path_moments_create(int64_t quantities, MPI_Comm comm, cas_path_moments *m,
                                   cas_error *err) {
  size_t n = (size_t)quantities;
  *m = (cas_path_moments){.quantities = quantities, .sum = malloc((n + 1) * sizeof *m->sum)};
  cas_status st = CAS_OK;
  if (!m->sum)
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory: sums of %zu bytes",
                  cas_path_moments_bytes(quantities));
  for (size_t i = 0; !st && i < n; i++)
    cas_power_sums_clear(&m->sum[i]);
  cas_status known = cas_least_create((int)quantities, comm, &m->shift, err);
  return known ? known : cas_agree(st, comm, err);
}

void cas_path_moments_free(cas_path_moments *m) {
  cas_least_free(&m->shift);
  free(m->sum);
  m->sum = NULL;
}

void cas_path_moments_give(cas_path_moments *m, const double *value) {
  memcpy(m->shift.value, value, (size_t)m->quantities * sizeof *value);
}

void cas_path_moments_add(cas_path_moments *m, const double *value) {
  for (int64_t i = 0; i < m->quantities; i++)
    cas_power_sums_add(&m->sum[i], m->shift.value[i], value[i]);
}

/* ---- over ranks ---- */

enum { DIGITS = CAS_POWER_SUMS_POWERS * CAS_POWER_SUMS_DIGITS };

/* The extremes of all ranks: least, then minus the greatest. */
static bool find_extremes(const cas_path_moments *m, int64_t first, int64_t n, double *extreme) {
  for (int64_t i = 0; i < n; i++) {
    extreme[i] = m->sum[first + i].minimum;
    extreme[n + i] = -m->sum[first + i].maximum;
  }
  return !cas_allreduce(MPI_IN_PLACE, extreme, (int)(2 * n), MPI_DOUBLE, MPI_MIN, m->shift.comm);
}

cas_status cas_path_moments_sum(const cas_path_moments *m, int64_t first, int64_t n, int to,
                                cas_power_sums *sum, cas_error *err) {
  MPI_Comm comm = m->shift.comm;
  int rank;
  MPI_Comm_rank(comm, &rank);
  const bool mine = rank == to;
  const size_t size = ((size_t)n + 1) * DIGITS * sizeof(int64_t);
  CAS_OWNED double *extreme = malloc((2 * (size_t)n + 1) * sizeof *extreme);
  CAS_OWNED int64_t *digits = malloc(size), *total = mine ? malloc(size) : NULL;
  cas_status st = extreme && digits && (total || !mine) ? CAS_OK : cas_no_memory(err);
  CAS_CALL(cas_agree(st, comm, err));
  if (!find_extremes(m, first, n, extreme))
    st = cas_fail(err, CAS_INTERNAL, "MPI_Allreduce of the extremes failed");
  /* Brings the digits of this rank's sums to the places that the sums of all ranks have. */
  for (int64_t i = 0; !st && i < n; i++) {
    cas_power_sums s = m->sum[first + i];
    cas_power_sums_widen(&s, m->shift.value[first + i], extreme[i], -extreme[n + i]);
    memcpy(digits + i * DIGITS, s.sum, sizeof s.sum);
  }
  if (!st && MPI_Reduce(digits, total, (int)(n * DIGITS), MPI_INT64_T, MPI_SUM, to, comm))
    st = cas_fail(err, CAS_INTERNAL, "MPI_Reduce of the moments failed");
  for (int64_t i = 0; !st && mine && i < n; i++) {
    sum[i].minimum = extreme[i];
    sum[i].maximum = -extreme[n + i];
    memcpy(sum[i].sum, total + i * DIGITS, sizeof sum[i].sum);
  }
  return cas_agree(st, comm, err);
}

/* ---- as bytes: parts of PART quantities, each its shifts, then its sums ---- */

static int64_t part_at(int64_t quantities, int64_t first) {
  return quantities - first < PART ? quantities - first : PART;
}

cas_status cas_path_moments_put(const cas_path_moments *m, cas_path_moments_sink *sink,
                                void *context, cas_error *err) {
  int rank;
  MPI_Comm_rank(m->shift.comm, &rank);
  cas_power_sums *sum = rank == 0 ? malloc(PART * sizeof *sum) : NULL;
  cas_status st = cas_agree(sum || rank ? CAS_OK : cas_no_memory(err), m->shift.comm, err);
  for (int64_t first = 0, n; !st && first < m->quantities; first += n) {
    n = part_at(m->quantities, first);
    st = cas_path_moments_sum(m, first, n, 0, sum, err);
    if (!st && rank == 0)
      st = sink(context, m->shift.value + first, (size_t)n * sizeof *m->shift.value, err);
    if (!st && rank == 0)
      st = sink(context, sum, (size_t)n * sizeof *sum, err);
    st = cas_agree(st, m->shift.comm, err);
  }
  free(sum);
  return st;
}

cas_status cas_path_moments_get(cas_path_moments *m, cas_path_moments_source *source, void *context,
                                cas_error *err) {
  cas_status st = CAS_OK;
  for (int64_t first = 0, n; !st && first < m->quantities; first += n) {
    n = part_at(m->quantities, first);
    st = source(context, m->shift.value + first, (size_t)n * sizeof *m->shift.value, err);
    if (!st)
      st = source(context, m->sum + first, (size_t)n * sizeof *m->sum, err);
  }
  return st;
}

bool cas_path_moments_merge(void *all, const void *more, int64_t quantities) {
  char *to = all;
  const char *from = more;
  for (int64_t first = 0, n; first < quantities; first += n) {
    n = part_at(quantities, first);
    size_t shifts = (size_t)n * sizeof(double);
    const double *shift = (const void *)from;
    cas_power_sums *sum = (void *)(to + shifts);
    const cas_power_sums *other = (const void *)(from + shifts);
    if (memcmp(to, from, shifts) != 0)
      return false;
    for (int64_t i = 0; i < n; i++)
      cas_power_sums_merge(&sum[i], shift[i], &other[i]);
    to += cas_path_moments_stored_bytes(n);
    from += cas_path_moments_stored_bytes(n);
  }
  return true;
}
