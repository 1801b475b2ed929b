#include "paths/increments.h"

#include <math.h>
#include <string.h>

size_t cas_increments_size(const cas_problem *p) {
  const size_t n = (size_t)cas_noise_draws(&p->noise) + (size_t)p->areas * (size_t)p->W;
  return (n + CAS_DRAW - 1) / CAS_DRAW * CAS_DRAW;
}

static size_t numbers(const cas_problem *p) { return (size_t)p->noises * (size_t)p->W; }

/* Appends normals to a sum, by Chen's relation: areas increase by those of the two alone, sum and
   normals. */
static void append(const cas_problem *p, const double *normals, double *sum) {
  const size_t n = numbers(p);
  if (p->areas)
    p->system->add_areas(p->parameters, p->W, sum, normals, sum + n);
  for (size_t i = 0; i < n; i++)
    sum[i] += normals[i];
}

cas_status cas_increments_draw(const cas_problem *p, cas_block_noise *noise, int64_t step,
                               double *u, double *z, double *increments, cas_error *err) {
  if (!p->options.areas)
    return cas_block_noise_step(noise, step, u, increments, err);
  memset(increments, 0, cas_increments_size(p) * sizeof *increments);
  for (int64_t k = 0; k < p->parts; k++) {
    CAS_CALL(cas_block_noise_step(noise, step * p->parts + k, u, z, err));
    append(p, z, increments);
  }
  return CAS_OK;
}

/* With W_k and E_k the normals of fine steps, r of them, the area of a coarse step has the part V ^ W
   with V = 1/(2r) sum_k (r - 1 - 2k) W_k + 1/(2 sqrt(2) r) sum_k E_k, k = 0 .. r-1, and E/(2 sqrt(2))
   in place of V is what the coarse step has: E is a multiple of V, which does not depend on W. */
void cas_increments_add(const cas_problem *p, int64_t k, int64_t parts, const double *fine,
                        double *coarse) {
  const size_t n = numbers(p);
  if (p->options.areas) {
    append(p, fine, coarse);
    for (size_t i = 0; i < (size_t)p->areas * (size_t)p->W; i++)
      coarse[n + i] += fine[n + i];
    return;
  }
  if (p->options.weak_order != 2) {
    p->kernels->accumulate(cas_noise_draws(&p->noise), fine, coarse);
    return;
  }
  const double weight = (double)(parts - 1 - 2 * k);
  for (size_t i = 0; i < n; i++) {
    coarse[i] += fine[i];
    coarse[n + i] += weight * fine[i] + M_SQRT1_2 * fine[n + i];
  }
}

void cas_increments_end(const cas_problem *p, int64_t parts, double *coarse) {
  if (p->options.weak_order != 2)
    return;
  const size_t n = numbers(p);
  const double r = (double)parts, scale = sqrt(6 / (2 * r * r + 1));
  for (size_t i = n; i < 2 * n; i++)
    coarse[i] *= scale;
}

void cas_increments_of_exponential(const cas_problem *p, int exponential, const double *increments,
                                   double *normals) {
  const size_t n = numbers(p);
  const double sign = exponential == 0 ? M_SQRT1_2 : -M_SQRT1_2;
  for (size_t i = 0; i < n; i++)
    normals[i] = 0.5 * increments[i] + sign * increments[n + i];
}
