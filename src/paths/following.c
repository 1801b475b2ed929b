#include "paths/following.h"
#include "paths/follower.h"
#include "paths/increments.h"

#include <math.h>
#include <string.h>

static cas_formula_place place_of(const cas_level *l) {
  return (cas_formula_place){.time = cas_level_time(l), .x = l->x, .followed = l->followed};
}

/* ---- the beginning ---- */

static int passage_purpose(int purpose) {
  return purpose == CAS_PURPOSE_MULTILEVEL ? CAS_PURPOSE_PASSAGES_MULTILEVEL
         : purpose == CAS_PURPOSE_MLMC     ? CAS_PURPOSE_PASSAGES_MLMC
                                           : CAS_PURPOSE_PASSAGES;
}

/* All levels of a path have one uniform for its first passages, from Threefry, whatever the
   generator of the noise. */
void cas_following_draw(const cas_problem *p, const cas_pass_plan *plan, int64_t block,
                        cas_following *f) {
  const int draws = (p->W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
  if (p->followers.passages)
    p->kernels->threefry((int)p->random.seed, passage_purpose(plan->purpose),
                         cas_plan_stream(plan, block), p->noise_begin, draws, f->uniform);
}

void cas_following_begin(const cas_problem *p, cas_level *l) {
  const cas_formula_place at = place_of(l);
  cas_followers_begin(p, &at, l->followed);
}

/* ---- a step ---- */

/* A step of the level's scheme from x without drift, with one increment of one noise, to f->x. Its
   equations are not counted. */
static void probe(const cas_problem *p, cas_step_space *w, cas_following *f, const cas_level *l,
                  int noise, double increment) {
  const size_t state = (size_t)p->components * (size_t)p->W;
  memcpy(f->x, l->x, state * sizeof *f->x);
  memset(f->carry, 0, state * sizeof *f->carry);
  for (int i = 0; i < (p->noises + p->areas) * p->W; i++)
    f->dw[i] = i / p->W == noise ? increment : 0;
  if (p->declared.normals)
    cas_increments_normals(p, f->none, l->variance, w->normals);
  cas_level_move(p, w, l,
                 &(cas_move){.dw = f->dw,
                             .increments = f->none,
                             .x = f->x,
                             .carry = l->carry ? f->carry : NULL,
                             .tally = &f->tally});
}

/* The variance of the noise of every formula of first passages per unit of time, the sum over the
   noises of the squares of the derivatives along them, by central differences. */
void cas_following_look(const cas_problem *p, cas_step_space *w, cas_following *f,
                        const cas_level *l) {
  const double increment = 0x1p-7 * sqrt(l->stepper.h);
  const size_t state = (size_t)p->components * (size_t)p->W;
  if (!cas_followers_know_noise(p))
    return;
  memset(f->variance, 0, (size_t)(p->followers.passages * p->W) * sizeof *f->variance);
  for (int k = 0; k < p->noises; k++) {
    cas_formula_place one = place_of(l), two = one;
    probe(p, w, f, l, k, -l->scheme_scale * increment);
    memcpy(f->before, f->x, state * sizeof *f->x);
    probe(p, w, f, l, k, l->scheme_scale * increment);
    one.x = f->x;
    two.x = f->before;
    cas_followers_add_variance(p, &one, &two, 2 * increment, f->other, f->variance);
  }
}

void cas_following_step(const cas_problem *p, const cas_following *f, cas_level *l) {
  const cas_formula_place at = place_of(l);
  cas_followers_step(p, &at, l->stepper.h, cas_followers_know_noise(p) ? f->variance : NULL,
                     f->uniform, l->followed);
}
