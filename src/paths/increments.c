#include "paths/increments.h"

#include <math.h>
#include <string.h>

/* Doubles of the rows of all noises. */
static size_t numbers(const cas_problem *p) { return (size_t)p->noises * (size_t)p->W; }

/* Where rows begin: of areas, of further normals, and of the first half. */
static size_t areas_at(const cas_problem *p) { return numbers(p); }

static size_t further_at(const cas_problem *p) {
  return areas_at(p) + (size_t)p->areas * (size_t)p->W;
}

static size_t half_at(const cas_problem *p) {
  return further_at(p) + (size_t)p->further * (size_t)p->W;
}

size_t cas_increments_size(const cas_problem *p) {
  const size_t n = half_at(p) + (p->halves ? numbers(p) : 0);
  return (n + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
}

static void add(size_t n, const double *a, double *sum) {
  for (size_t i = 0; i < n; i++)
    sum[i] += a[i];
}

typedef struct {
  const double *sum, *normals;
} area_of;

static void add_areas(const cas_problem *one, const void *context, double *area) {
  const area_of *a = context;
  one->system->add_areas(one->parameters, one->W, a->sum, a->normals, area);
}

/* Appends normals to a sum. By Chen's relation areas increase by the areas of two increments, the
   sum so far and the normals. */
static void append(const cas_problem *p, const double *normals, double *sum) {
  if (p->areas)
    cas_parameters_each(p, (size_t)p->areas, add_areas, &(area_of){sum, normals},
                        sum + areas_at(p));
  add(numbers(p), normals, sum);
}

/* Appends the normals of part k of a step. */
static void append_part(const cas_problem *p, int64_t k, const double *z, double *sum) {
  if (k == 0) {
    /* The normals of the first part of a step, which has no area. */
    const size_t size = sizeof *z, n = numbers(p), further = (size_t)p->further * (size_t)p->W;
    memcpy(sum, z, n * size);
    memset(sum + areas_at(p), 0, (size_t)p->areas * (size_t)p->W * size);
    memcpy(sum + further_at(p), z + n, further * size);
    if (p->halves)
      memcpy(sum + half_at(p), z, n * size);
    return;
  }
  append(p, z, sum);
  add((size_t)p->further * (size_t)p->W, z + numbers(p), sum + further_at(p));
  if (p->halves && k < p->parts / 2)
    add(numbers(p), z, sum + half_at(p));
}

cas_status cas_increments_draw(const cas_problem *p, cas_block_noise *noise, int64_t step,
                               double *u, double *z, double *increments, cas_error *err) {
  if (p->parts == 1 && !p->areas)
    return cas_block_noise_step(noise, step, u, increments, err);
  for (int64_t k = 0; k < p->parts; k++) {
    CAS_CALL(cas_block_noise_step(noise, step * p->parts + k, u, z, err));
    append_part(p, k, z, increments);
  }
  return CAS_OK;
}

cas_status cas_increments_draw_pair(const cas_problem *p, cas_block_noise *noise, int64_t step,
                                    int64_t ratio, const cas_pair *b, cas_error *err) {
  const size_t size = cas_increments_size(p), bytes = size * sizeof(double);
  memset(b->part, 0, bytes);
  for (int64_t k = 0; k < ratio; k++) {
    double *fine = k == 0 ? b->first : b->later + (size_t)(k - 1) * size;
    for (int64_t j = k * p->parts; j < (k + 1) * p->parts; j++) {
      CAS_CALL(cas_block_noise_step(noise, step * p->parts + j, b->u, b->z, err));
      append_part(p, j % p->parts, b->z, fine);
      add((size_t)cas_noise_draws(&p->noise), b->z, b->part);
      if ((j + 1) % ratio == 0) {
        append_part(p, j / ratio, b->part, b->coarse);
        memset(b->part, 0, bytes);
      }
    }
  }
  return CAS_OK;
}

void cas_increments_twin(const cas_problem *p, const double *increments, const double *further,
                         double sign, double *out) {
  const size_t n = numbers(p);
  for (size_t i = 0; i < n; i++) {
    out[i] = increments[i];
    out[n + i] = sign * further[n + i];
  }
}

/* With W_k and E_k the normals of fine steps, r of them, the area of a coarse step has the part V ^
   W with V = 1/(2r) sum_k (r - 1 - 2k) W_k + 1/(2 sqrt(2) r) sum_k E_k, k = 0 .. r-1, and E/(2
   sqrt(2)) in place of V is what the coarse step has: E is a multiple of V, which does not depend
   on W. */
static void add_further(const cas_problem *p, double weight, const double *fine, double *coarse) {
  const size_t n = (size_t)p->further * (size_t)p->W, at = further_at(p);
  if (p->options.weak_order != 2)
    add(n, fine + at, coarse + at);
  else
    for (size_t i = 0; i < n; i++)
      coarse[at + i] += weight * fine[i] + M_SQRT1_2 * fine[at + i];
}

void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse) {
  if (!p->areas && !p->further && !p->halves) {
    p->kernels->accumulate(cas_noise_draws(&p->noise), fine, coarse);
    return;
  }
  append(p, fine, coarse);
  add((size_t)p->areas * (size_t)p->W, fine + areas_at(p), coarse + areas_at(p));
  add_further(p, (double)(parts - 1 - 2 * k), fine, coarse);
  if (p->halves && k < parts / 2)
    add(numbers(p), fine, coarse + half_at(p));
  if (p->halves && parts % 2 && k == parts / 2)
    add(numbers(p), fine + half_at(p), coarse + half_at(p));
}

void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse) {
  if (p->options.weak_order != 2)
    return;
  const size_t n = numbers(p);
  const double r = (double)parts, scale = sqrt(6 / (2 * r * r + 1));
  for (size_t i = n; i < 2 * n; i++)
    coarse[i] *= scale;
}

const double *cas_increments_further(const cas_problem *p, const double *increments) {
  return increments + further_at(p);
}

const double *cas_increments_half(const cas_problem *p, const double *increments) {
  return increments + half_at(p);
}

void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals) {
  const size_t n = numbers(p);
  const double sign = exponential == 0 ? M_SQRT1_2 : -M_SQRT1_2;
  for (size_t i = 0; i < n; i++)
    normals[i] = 0.5 * increments[i] + sign * increments[n + i];
}
