/* Damping and forcing beside the bracket: half a step of it, exactly, before and after each step of
   a scheme. White forcing is coupled over levels by exact sums: over two times tau and tau', the
   integral of exp(-rate (tau + tau' - t)) dB is exp(-rate tau') times that over the first plus that
   over the second. */
#include "paths/problem/exchange.h"
#include "paths/problem/parameters.h"

/* The exchange of the system where it acts, else NULL. */
static const cas_exchange *own(const cas_problem *p) {
  const cas_exchange *e = p->system->exchange;
  return e && e->acts(p->parameters.all) ? e : NULL;
}

double cas_exchange_damping(const cas_problem *p) {
  return p->system->damping ? p->system->damping(p->parameters.all) : 0;
}

bool cas_exchange_acts(const cas_problem *p) { return own(p) || cas_exchange_damping(p) > 0; }

double cas_exchange_decay(const cas_problem *p) {
  return own(p) ? own(p)->decay(p->parameters.all) : cas_exchange_damping(p);
}

int cas_exchange_kicks(const cas_problem *p) {
  return own(p) ? own(p)->kicks(p->parameters.all) : 0;
}

size_t cas_exchange_workspace(const cas_problem *p) {
  return own(p) ? own(p)->workspace(p->parameters.all, p->W) : 0;
}

cas_noise cas_exchange_noise(const cas_problem *p) {
  cas_noise n = p->noise;
  n.noises = n.numbered = 2 * cas_exchange_kicks(p);
  n.first = 0;
  return n;
}

cas_step_draws cas_exchange_draws(const cas_problem *p) {
  const cas_noise forcing = cas_exchange_noise(p);
  return (cas_step_draws){.noise = p->normals.parts * cas_noise_draws(&p->noise),
                          .forcing = cas_noise_draws(&forcing)};
}

void cas_exchange_begin(const cas_problem *p, double h, cas_exchange_state *e) {
  const int kicks = cas_exchange_kicks(p);
  if (kicks == 0)
    return;
  for (cas_each of = cas_each_begin(p, (size_t)kicks, e->keep); of.one; cas_each_next(&of)) {
    p->system->exchange->rates(of.one->parameters.all, of.out);
    for (int i = kicks * p->W - 1; i >= 0; i--)
      of.out[i] = of.out[i / p->W];
  }
  for (int i = 0; i < kicks * p->W; i++) {
    const double rate = e->keep[i];
    e->spread[i] = sqrt(rate > 0 ? -expm1(-rate * h) / (2 * rate) : h / 2);
    e->keep[i] = exp(-rate * h / 2);
  }
}

cas_status cas_exchange_draw(cas_exchange_state *e, int64_t step, int64_t k, cas_error *err) {
  return cas_block_noise_step(&e->stream, step, e->u, e->z + k * cas_noise_draws(&e->noise), err);
}

void cas_exchange_gather(const cas_problem *p, const cas_exchange_state *e, int64_t k, int64_t part,
                         int64_t ratio, double *kick) {
  const int kicks = cas_exchange_kicks(p), W = p->W;
  const double *z = e->z + k * cas_noise_draws(&e->noise);
  if (part == 0)
    memset(kick, 0, 2 * (size_t)(kicks * W) * sizeof *kick);
  for (int half = 0; half < 2; half++) {
    double *to = kick + (2 * part + half < ratio ? 0 : kicks * W);
    const double *from = z + half * kicks * W;
    for (int i = 0; i < kicks; i++)
      for (int lane = i * W; lane < (i + 1) * W; lane++)
        to[lane] = e->keep[lane] * to[lane] + e->spread[lane] * from[lane];
  }
}

/* Half a step of size h of one problem. */
static void flow(const cas_problem *p, double h, const double *kick, double *x, double *workspace) {
  const double kept = exp(-cas_exchange_damping(p) * h / 2);
  if (own(p))
    own(p)->flow(p->parameters.all, p->W, h / 2, kick, x, workspace);
  else
    for (int i = 0; i < p->geometry.components * p->W; i++)
      x[i] *= kept;
}

void cas_exchange_half(const cas_problem *p, const cas_exchange_state *e, double h, int half,
                       const double *kick, double *x, double *carry) {
  const double *now = kick ? kick + half * cas_exchange_kicks(p) * p->W : NULL;
  for (cas_each one = cas_each_begin(p, (size_t)p->components, x); one.one; cas_each_next(&one))
    flow(one.one, h, now, one.out, e->workspace);
  if (carry) /* what it compensates is below the rounding of this flow */
    memset(carry, 0, (size_t)p->components * (size_t)p->W * sizeof *carry);
}
