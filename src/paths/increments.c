#include "paths/increments.h"
#include "paths/problem/parameters.h"

static size_t numbers(const cas_problem *p) { return (size_t)p->normals.noises * (size_t)p->W; }

/* Where rows begin behind those of areas: of further normals, and of the first half. */
static size_t further_at(const cas_problem *p) {
  return numbers(p) + (size_t)p->normals.areas * (size_t)p->W;
}

static size_t half_at(const cas_problem *p) {
  return further_at(p) + (size_t)p->normals.further * (size_t)p->W;
}

size_t cas_increments_size(const cas_problem *p) {
  const size_t n = half_at(p) + (p->normals.halves ? numbers(p) : 0);
  return (n + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
}

static void add(size_t n, const double *a, double *sum) {
  for (size_t i = 0; i < n; i++)
    sum[i] += a[i];
}

/* Appends normals to a sum. By Chen's relation areas increase by the areas of two increments, the
   sum so far and the normals. */
static void append(const cas_problem *p, const double *normals, double *sum) {
  if (p->normals.areas)
    for (cas_each e = cas_each_begin(p, (size_t)p->normals.areas, sum + numbers(p)); e.one;
         cas_each_next(&e))
      p->system->noise.add_areas(e.one->parameters.all, p->W, sum, normals, e.out);
  add(numbers(p), normals, sum);
}

static void append_part(const cas_problem *p, int64_t k, const double *z, double *sum) {
  if (k == 0) {
    /* The normals of the first part of a step, which has no area. */
    const size_t size = sizeof *z, n = numbers(p),
                 further = (size_t)p->normals.further * (size_t)p->W;
    memcpy(sum, z, n * size);
    memset(sum + numbers(p), 0, (size_t)p->normals.areas * (size_t)p->W * size);
    memcpy(sum + further_at(p), z + n, further * size);
    if (p->normals.halves)
      memcpy(sum + half_at(p), z, n * size);
    return;
  }
  append(p, z, sum);
  add((size_t)p->normals.further * (size_t)p->W, z + numbers(p), sum + further_at(p));
  if (p->normals.halves && k < p->normals.parts / 2)
    add(numbers(p), z, sum + half_at(p));
}

/* The increments of fine step k of all that are drawn together. */
static double *fine_step(const cas_problem *p, const cas_increments *d, int64_t k) {
  return d->fine + (size_t)k * cas_increments_size(p);
}

/* Draws fine step `step` to be number k of all that are drawn together. */
static cas_status draw(const cas_problem *p, cas_increments *d, int64_t step, int64_t k,
                       cas_error *err) {
  double *fine = fine_step(p, d, k);
  if (p->normals.parts == 1 && !p->normals.areas)
    return cas_block_noise_step(&d->stream, step, d->u, fine, err);
  for (int64_t j = 0; j < p->normals.parts; j++) {
    CAS_CALL(cas_block_noise_step(&d->stream, step * p->normals.parts + j, d->u, d->drawn, err));
    append_part(p, j, d->drawn, fine);
  }
  return CAS_OK;
}

/* Draws the parts of fine step k, and as many of the coarse step, each of `ratio` of these. */
static cas_status draw_areas(const cas_problem *p, cas_increments *d, int64_t step, int64_t ratio,
                             int64_t k, double *coarse, cas_error *err) {
  double *part = d->changed;
  for (int64_t j = k * p->normals.parts; j < (k + 1) * p->normals.parts; j++) {
    if (j % ratio == 0)
      memset(part, 0, cas_increments_size(p) * sizeof *part);
    CAS_CALL(cas_block_noise_step(&d->stream, step * p->normals.parts + j, d->u, d->drawn, err));
    append_part(p, j % p->normals.parts, d->drawn, fine_step(p, d, k));
    add((size_t)cas_noise_draws(&p->noise), d->drawn, part);
    if ((j + 1) % ratio == 0)
      append_part(p, j / ratio, part, coarse);
  }
  return CAS_OK;
}

cas_status cas_increments_draw(const cas_problem *p, cas_increments *d, int64_t step, int64_t ratio,
                               double *coarse, cas_error *err) {
  for (int64_t k = 0; k < ratio; k++)
    CAS_CALL(coarse && p->normals.areas ? draw_areas(p, d, step, ratio, k, coarse, err)
                                        : draw(p, d, step + k, k, err));
  return CAS_OK;
}

int64_t cas_increments_twin_step(const cas_pass_plan *plan, int level, int64_t k) {
  return plan->twin[level] & CAS_PASS_TWIN_REVERSED ? plan->ratio[0] - 1 - k : k;
}

const double *cas_increments_of_level(const cas_problem *p, const cas_increments *d,
                                      const cas_pass_plan *plan, int level, int64_t k) {
  const int twin = plan->twin[level];
  const size_t n = numbers(p);
  const double *own = fine_step(p, d, k),
               *other = fine_step(p, d, cas_increments_twin_step(plan, level, k));
  if (p->scheme.options.weak_order != 2 || twin == 0)
    return other;
  for (size_t i = 0; i < n; i++) {
    d->changed[i] = other[i];
    d->changed[n + i] = twin & CAS_PASS_TWIN_NEGATED ? -own[n + i] : own[n + i];
  }
  return d->changed;
}

/* With W_k and E_k the normals of fine steps, r of them, the area of a coarse step has the part V ^
   W with V = 1/(2r) sum_k (r - 1 - 2k) W_k + 1/(2 sqrt(2) r) sum_k E_k, k = 0 .. r-1, and E/(2
   sqrt(2)) in place of V is what the coarse step has: E is a multiple of V, which does not depend
   on W. */
static void add_further(const cas_problem *p, double weight, const double *fine, double *coarse) {
  const size_t n = (size_t)p->normals.further * (size_t)p->W, at = further_at(p);
  if (p->scheme.options.weak_order != 2)
    add(n, fine + at, coarse + at);
  else
    for (size_t i = 0; i < n; i++)
      coarse[at + i] += weight * fine[i] + M_SQRT1_2 * fine[at + i];
}

void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse) {
  if (!p->normals.areas && !p->normals.further && !p->normals.halves) {
    p->kernels->accumulate(cas_noise_draws(&p->noise), fine, coarse);
    return;
  }
  append(p, fine, coarse);
  add((size_t)p->normals.areas * (size_t)p->W, fine + numbers(p), coarse + numbers(p));
  add_further(p, (double)(parts - 1 - 2 * k), fine, coarse);
  if (p->normals.halves && k < parts / 2)
    add(numbers(p), fine, coarse + half_at(p));
  if (p->normals.halves && parts % 2 && k == parts / 2)
    add(numbers(p), fine + half_at(p), coarse + half_at(p));
}

void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse) {
  if (p->scheme.options.weak_order != 2)
    return;
  const size_t n = numbers(p);
  const double r = (double)parts, scale = sqrt(6 / (2 * r * r + 1));
  for (size_t i = n; i < 2 * n; i++)
    coarse[i] *= scale;
}

const double *cas_increments_half(const cas_problem *p, const double *increments) {
  return increments + half_at(p);
}

void cas_increments_normals(const cas_problem *p, const double *increments, double variance,
                            double *normals) {
  const double *further = increments + further_at(p), scale = 1 / sqrt(variance);
  for (int i = 0; i < p->normals.further * p->W; i++)
    normals[i] = scale * further[i];
}

void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals) {
  const size_t n = numbers(p);
  const double sign = exponential == 0 ? M_SQRT1_2 : -M_SQRT1_2;
  for (size_t i = 0; i < n; i++)
    normals[i] = 0.5 * increments[i] + sign * increments[n + i];
}
