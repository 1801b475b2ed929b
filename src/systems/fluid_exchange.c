/* Damping and forcing of fluids, solved exactly. */
#include "systems/fluid.h"

static bool acts(const void *fluid) { return cas_fluid_acts(fluid); }

static bool is_friction_alone(const cas_fluid *f) {
  return !f->rest && f->damping.viscosity == 0 && f->forcing.steady.rows == 0 &&
         f->forcing.white.rate == 0;
}

static double decay(const void *fluid) {
  const cas_fluid *f = fluid;
  return is_friction_alone(f) ? f->damping.friction : NAN;
}

int CAS_ISA(cas_fluid_kicks)(const void *fluid) {
  const cas_fluid *f = fluid;
  int kicks = 0;
  for (int k = 0; k < f->levels; k++)
    kicks += cas_fluid_is_white(f, &f->level[k]) ? f->level[k].end - f->level[k].begin : 0;
  return kicks;
}

static void rates(const void *fluid, double *rate) {
  const cas_fluid *f = fluid;
  for (const cas_fluid_level *v = f->level; v < f->level + f->levels; v++)
    for (int i = v->begin; cas_fluid_is_white(f, v) && i < v->end; i++)
      *rate++ = cas_fluid_rate(f, v->laplacian);
}

/* Integral of exp(-rate t) over the time h. */
static double integral(double rate, double h) { return rate > 0 ? -expm1(-rate * h) / rate : h; }

/* gain[i * W + lane], the change without the state: forcing, and damping towards f->rest, not 0 */
static void find_gain(const cas_fluid *f, int W, double h, const double *kick, double *gain) {
  const cas_vectors *rows = &f->forcing.steady;
  const int kicks = CAS_ISA(cas_fluid_kicks)(f);
  memset(gain, 0, (size_t)(cas_fluid_coefficients(f) * W) * sizeof *gain);
  for (const cas_fluid_level *v = f->level; f->rest && v < f->level + f->levels; v++) {
    const double lost = -expm1(-cas_fluid_rate(f, v->laplacian) * h);
    for (int i = v->begin * W; i < v->end * W; i++)
      gain[i] = lost * f->rest[i / W];
  }
  for (int k = 0; k < rows->rows; k++) {
    const double *row = rows->value + 3 * k;
    const cas_fluid_place to = f->surface->find((int)f->N, row);
    const double time = integral(cas_fluid_rate(f, to.laplacian), h);
    for (int lane = 0; lane < W; lane++)
      gain[to.at * W + lane] += to.sign * row[2] * time;
  }
  for (const cas_fluid_level *v = f->level; kicks && v < f->level + f->levels; v++) {
    const double strength =
        sqrt(1 / f->surface->norm) * sqrt(2 * v->laplacian * f->forcing.white.rate / kicks);
    for (int i = v->begin * W; cas_fluid_is_white(f, v) && i < v->end * W; i++)
      gain[i] += strength * *kick++;
  }
}

/* whole vectors */
static size_t rounded(size_t n) { return (n + 7) / 8 * 8; }

static size_t workspace_size(const void *fluid, int W) {
  const cas_fluid *f = fluid;
  return is_friction_alone(f)
             ? 0
             : rounded((size_t)f->levels) + rounded((size_t)(cas_fluid_coefficients(f) * W)) +
                   f->surface->change_size(f, W);
}

static void flow(const void *fluid, int W, double h, const double *kick, double *x,
                 double *workspace) {
  const cas_fluid *f = fluid;
  const double kept = exp(-f->damping.friction * h);
  double *scale = workspace, *gain = scale + rounded((size_t)f->levels),
         *rest = gain + rounded((size_t)(cas_fluid_coefficients(f) * W));
  if (is_friction_alone(f)) {
    for (int i = 0; i < f->N * f->N * W; i++)
      x[i] *= kept;
    return;
  }
  for (int k = 0; k < f->levels; k++)
    scale[k] = expm1(-cas_fluid_rate(f, f->level[k].laplacian) * h);
  find_gain(f, W, h, kick, gain);
  f->surface->change(f, W, scale, gain, x, rest);
}

const cas_exchange CAS_ISA(cas_fluid_exchange) = {.acts = acts,
                                                  .decay = decay,
                                                  .kicks = CAS_ISA(cas_fluid_kicks),
                                                  .rates = rates,
                                                  .workspace = workspace_size,
                                                  .flow = flow};
