/* Random initial states: normal numbers of a norm, parts of them in a band of harmonics, and the
   laws that systems offer. Uniforms come from Threefry, whatever the generator of the noise. */
#include "base/name_list.h"
#include "base/owned.h"
#include "paths/problem/initial.h"

/* ---- the numbers of one state ---- */

struct cas_draws {
  _Alignas(64) double uniform[CAS_NOISE_DRAW];
  _Alignas(64) double normal[CAS_NOISE_DRAW];
  _Alignas(64) double source[CAS_NOISE_DRAW]; /* uniforms that normals are made of */
  const cas_kernels *kernels;
  int seed, purpose;
  int64_t number, taken; /* the state, and how many times CAS_NOISE_DRAW uniforms are taken of it */
  int uniforms, normals; /* left in the arrays */
};

static void refill(cas_draws *d, double *u) {
  d->kernels->threefry(d->seed, d->purpose, d->number, d->taken++, CAS_NOISE_DRAW, u);
}

double cas_draw_uniform(cas_draws *d) {
  if (d->uniforms == 0) {
    refill(d, d->uniform);
    d->uniforms = CAS_NOISE_DRAW;
  }
  return d->uniform[--d->uniforms];
}

double cas_draw_normal(cas_draws *d) {
  if (d->normals == 0) {
    refill(d, d->source);
    d->kernels->normals(CAS_NOISE_DRAW, d->source, d->normal);
    d->normals = CAS_NOISE_DRAW;
  }
  return d->normal[--d->normals];
}

/* ---- laws ---- */

#define NUMBERS_OR_FILE "numbers, or {file: F, dataset: D, index: I}"

cas_status cas_initial_distribution_find(const cas_config *c, cas_problem *p, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  CAS_REFUSE(c, !i->law && !p->system->initial.random, "system.initial",
             "system %s offers no random states%s", p->system->name,
             p->system->initial.distributions
                 ? " but those of its laws: give 'law' instead of 'norm'"
                 : ": give " NUMBERS_OR_FILE);
  CAS_REFUSE(c, !i->law && !(i->norm > 0), "system.initial.random",
             "'norm' is missing (norm of the random state)");
  if (!i->law)
    return CAS_OK;
  for (const cas_initial_distribution *l = p->system->initial.distributions; l && l->name; l++)
    if (strcmp(l->name, i->law) == 0)
      p->initial.law = l;
  if (!p->initial.law) {
    CAS_OWNED_BY(cas_name_list_free) cas_name_list known = {0};
    CAS_REFUSE(c, !p->system->initial.distributions, "system.initial.random.law",
               "system %s offers no laws of random states: give %s", p->system->name,
               p->system->initial.random ? "a norm" : NUMBERS_OR_FILE);
    for (const cas_initial_distribution *l = p->system->initial.distributions; l->name; l++)
      cas_name_list_add(&known, l->name);
    CAS_CALL(cas_name_list_check(&known, err));
    return cas_config_unknown(c, err, "system.initial.random.law", NULL, known.name);
  }
  CAS_REFUSE(c, i->norm > 0 || i->lmin || i->lmax, "system.initial.random",
             "found a law and %s beside it, which means nothing with one",
             i->norm > 0 ? "norm" : "a band of harmonics");
  return CAS_OK;
}

/* ---- normal numbers ---- */

/* The numbers of a system of several sizes come in chunks, so that they are those of every size. */
static cas_status by_norm(const cas_problem *p, int purpose, int64_t number, double *x,
                          cas_error *err) {
  int n = (p->components + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
  const int chunk = p->system->sized ? CAS_NOISE_DRAW : n;
  CAS_OWNED double *u = aligned_alloc(64, (size_t)n * 2 * sizeof(double));
  CAS_NEED(u);
  for (int i = 0; i < n; i += chunk) {
    p->kernels->threefry((int)p->initial.source.seed, purpose, number, i / chunk, chunk, u + i);
    p->kernels->normals(chunk, u + i, u + n + i);
  }
  memcpy(x, u + n, (size_t)p->components * sizeof(double));
  p->system->initial.random(p->parameters.all, p->initial.source.norm, x);
  return CAS_OK;
}

cas_status cas_initial_random(const cas_config *c, const cas_problem *p, int purpose,
                              int64_t number, double *x, cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  if (p->initial.law) {
    cas_draws draws = {
        .kernels = p->kernels, .seed = (int)i->seed, .purpose = purpose, .number = number};
    const char *wrong = p->initial.law->draw(p->parameters.all, &draws, x);
    return wrong ? cas_config_fail(c, err, "system.initial.random.law", "%s: %s",
                                   p->initial.law->name, wrong)
                 : CAS_OK;
  }
  CAS_CALL(by_norm(p, purpose, number, x, err));
  if (i->lmin || i->lmax) {
    CAS_REFUSE(c, !p->system->initial.band, "system.initial.random",
               "system %s has no harmonics: lmin and lmax mean nothing for it", p->system->name);
    CAS_REFUSE(c, i->lmax && i->lmax < i->lmin, "system.initial.random.lmax",
               "found %lld, must be at least lmin = %lld", (long long)i->lmax, (long long)i->lmin);
    CAS_CALL(p->system->initial.band(c, p->parameters.all, i->lmin, i->lmax, x, err));
    CAS_CALL(cas_initial_scale(c, p, i->norm, x, err));
  }
  if (p->system->initial.rest)
    p->system->initial.rest(p->parameters.all, x);
  return CAS_OK;
}
