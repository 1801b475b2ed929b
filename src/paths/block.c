#include "paths/pass.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/initial.h"

typedef struct {
  double *base;
  size_t used;
} arena;

/* Arrays begin on a cache line each. */
static double *take(arena *a, size_t n) {
  double *p = a->base ? a->base + a->used : NULL;
  a->used += (n + 7) / 8 * 8;
  return p;
}

static cas_tally take_tally(arena *a, size_t W) {
  return (cas_tally){take(a, W), take(a, W), take(a, W), take(a, W), take(a, W)};
}

/* Casimirs of the algebra, or momentum maps of the system. */
static int count_casimirs(const cas_problem *p) {
  const cas_algebra *a = p->geometry.algebra;
  return p->system->momenta.number ? p->system->momenta.number(p->parameters.all)
         : a->casimirs             ? a->casimirs(&p->geometry)
                                   : 0;
}

static size_t count_invariants(const cas_problem *p) {
  return (size_t)(count_casimirs(p) + (p->part ? p->part->invariants : 0));
}

/* What a block keeps from step to step. */
static void lay_out_kept(arena *a, const cas_problem *p, const cas_pass_plan *plan, cas_pass *s) {
  const size_t W = (size_t)p->W, draws = (W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
  for (int i = 0; i < plan->levels; i++) {
    const cas_problem *own = cas_plan_problem(p, plan, i);
    const size_t state = W * (size_t)own->components;
    cas_level *l = &s->level[i];
    l->kept.casimirs = count_casimirs(own);
    l->kept.all = (int)count_invariants(own);
    l->x = take(a, state);
    l->carry = take(a, p->scheme.options.compensated ? state : 0);
    l->followed = take(a, W * (size_t)p->study.followers.rows);
    l->sum = take(a, cas_increments_size(p));
    l->kick = take(a, 2 * W * (size_t)cas_exchange_kicks(p));
    l->drift = take(a, W);
    l->tally = take_tally(a, W);
    l->kept.initial = take(a, W * (size_t)l->kept.all);
    l->kept.scale = take(a, W * (size_t)l->kept.all);
    l->hamiltonian0 = take(a, W);
  }
  s->following.uniform = take(a, p->study.followers.passages ? draws : 0);
  s->watch.unfinite = take(a, 3 * W);
  s->watch.x0 = take(a, cas_exchange_damping(p) > 0 ? W * (size_t)p->components : 0);
}

static size_t work_of(const cas_problem *p) {
  const size_t work = cas_scheme_work(p->body, p->scheme.integrator, &p->geometry),
               reference = p->reference.integrator
                               ? cas_scheme_work(p->body, p->reference.integrator, &p->geometry)
                               : 0;
  return work > reference ? work : reference;
}

static size_t scratch_of(const cas_problem *p) {
  return p->geometry.algebra->scratch ? p->geometry.algebra->scratch(&p->geometry) : 0;
}

/* Coefficients and workspace of steps, of each size. */
static void lay_out_sizes(arena *a, const cas_problem *p, const cas_pass_plan *plan,
                          cas_level *level) {
  for (int i = 0; i < plan->levels; i++) {
    const cas_problem *own = cas_plan_problem(p, plan, i);
    const size_t sets = (size_t)cas_step_sets(own, &(cas_coefficient_sets){0});
    int like = 0;
    while (plan->size[like] != plan->size[i])
      like++;
    level[i].coef = like < i ? level[like].coef : take(a, sets * cas_dissipation_coefficients(own));
    level[i].work = like < i ? level[like].work : take(a, work_of(own));
  }
}

/* What observations and finest steps draw and watch. */
static void lay_out_pass(arena *a, const cas_problem *p, const cas_pass_plan *plan, cas_pass *s) {
  const size_t W = (size_t)p->W, noise = cas_increments_size(p),
               kicks = W * (size_t)cas_exchange_kicks(p),
               steps = plan->paired ? (size_t)plan->ratio[0] : 1,
               invariants = W * cas_plan_most(p, plan, count_invariants);
  cas_increments *d = &s->increments;
  cas_exchange_state *e = &s->exchange;
  cas_watch *watch = &s->watch;
  e->noise = cas_exchange_noise(p);
  const size_t draws = (size_t)cas_noise_draws(&e->noise);
  d->u = take(a, noise);
  d->fine = take(a, noise * steps);
  d->drawn = take(a, p->normals.areas || p->normals.parts > 1 ? noise : 0);
  d->changed = take(a, plan->paired ? noise : 0);
  e->u = take(a, draws);
  e->z = take(a, draws * steps);
  e->keep = take(a, kicks);
  e->spread = take(a, kicks);
  e->workspace = take(a, cas_plan_most(p, plan, cas_exchange_workspace));
  watch->left = take(a, W);
  watch->refused = take(a, W);
  watch->now = take(a, invariants);
  watch->due = take(a, invariants);
  watch->faded = take(a, cas_exchange_damping(p) > 0 ? W * (size_t)p->components : 0);
}

/* What steps need, also to look for the noise of formulas, or by the parameters of one lane. */
static void lay_out_steps(arena *a, const cas_problem *p, const cas_pass_plan *plan, cas_pass *s) {
  const size_t W = (size_t)p->W, noise = cas_increments_size(p),
               composed = p->scheme.options.weak_order == 2 ? W : 0,
               alone = p->parameters.uncertain ? W : 0,
               looking = cas_followers_know_noise(p) ? W : 0, components = (size_t)p->components;
  cas_step_space *w = &s->space;
  cas_following *f = &s->following;
  w->dw = take(a, noise);
  w->asked = take(a, p->declared.asks ? noise : 0);
  w->normals = take(a, (size_t)p->normals.further * W);
  w->scaled = take(a, composed * (size_t)p->normals.noises);
  w->part = take_tally(a, composed);
  w->scratch = take(a, cas_plan_most(p, plan, scratch_of));
  w->dissipation = take(a, cas_dissipation_workspace(p));
  w->alone.x = take(a, alone * components);
  w->alone.carry = take(a, alone * components);
  w->alone.next_x = take(a, alone * components);
  w->alone.next_carry = take(a, alone * components);
  w->alone.tally = take_tally(a, alone);
  f->x = take(a, looking * components);
  f->carry = take(a, looking * components);
  f->before = take(a, looking * components);
  f->dw = take(a, looking ? noise : 0);
  f->none = take(a, looking ? noise : 0);
  f->other = take(a, looking);
  f->variance = take(a, looking * (size_t)p->study.followers.passages);
  f->tally = take_tally(a, looking);
}

size_t cas_block_lay_out(double *base, const cas_problem *p, const cas_pass_plan *plan,
                         cas_pass *s) {
  arena a = {base, 0};
  lay_out_kept(&a, p, plan, s);
  s->kept = a.used * sizeof(double);
  lay_out_pass(&a, p, plan, s);
  lay_out_steps(&a, p, plan, s);
  lay_out_sizes(&a, p, plan, s->level);
  return a.used * sizeof(double);
}

size_t cas_pass_bytes(const cas_problem *p, const cas_pass_plan *plan) {
  cas_pass s;
  return cas_block_lay_out(NULL, p, plan, &s);
}

cas_status cas_block_begin(cas_pass *s, int64_t block, cas_error *err) {
  const cas_problem *p = s->problem;
  const size_t bytes = (size_t)p->components * (size_t)p->W * sizeof(double);
  memset(s->memory, 0, cas_pass_bytes(p, s->plan));
  for (int i = 0; i < (p->sizes ? s->plan->levels : 1); i++) {
    const cas_level *l = &s->level[i];
    CAS_CALL(
        cas_initial_block(l->problem, block, cas_plan_stream(s->plan, block), l->x, s->lanes, err));
    if (l->problem->initial.ends.lanes)
      cas_initial_end(l->problem, block, l->x, l->carry);
  }
  cas_exchange_begin(p, s->plan->h[s->plan->levels - 1], &s->exchange);
  s->done = s->observations = 0;
  for (int i = 0; i < s->plan->levels; i++)
    s->level[i].steps = 0;
  for (int i = 1; !p->sizes && i < s->plan->levels; i++)
    memcpy(s->level[i].x, s->level[0].x, bytes);
  cas_watch_begin(s);
  cas_following_draw(p, s->plan, block, &s->following);
  for (int i = 0; i < s->plan->levels; i++)
    cas_following_begin(p, &s->level[i]);
  return CAS_OK;
}

/* ---- a block in progress as bytes: the two counters, then what it keeps ---- */

size_t cas_pass_state_size(const cas_problem *p, const cas_pass_plan *plan) {
  cas_pass s;
  cas_block_lay_out(NULL, p, plan, &s);
  return 2 * sizeof(int64_t) + s.kept;
}

void cas_pass_state(const cas_pass *s, void *out) {
  const int64_t head[2] = {s->done, s->observations};
  memcpy(out, head, sizeof head);
  memcpy((char *)out + sizeof head, s->memory, s->kept);
}

int64_t cas_pass_state_begin(const cas_problem *p, const cas_pass_plan *plan, const void *state,
                             const double **x, const double **carry) {
  int64_t head[2];
  cas_pass s;
  memcpy(head, state, sizeof head);
  cas_block_lay_out((double *)((const char *)state + sizeof head), p, plan, &s);
  *x = s.level[0].x;
  *carry = p->scheme.options.compensated ? s.level[0].carry : NULL;
  return head[0];
}

/* Whether a block can have `done` steps and these observations: all observations that were due, but
   for one that was abandoned. */
static bool can_be(const cas_pass_plan *plan, int64_t done, int64_t observations) {
  int64_t due = plan->observed ? 0 : done / plan->grid;
  if (done < 0 || done > plan->steps)
    return false;
  if (plan->observed)
    while ((due == 0 || plan->observed[due - 1] < plan->steps) && plan->observed[due] <= done)
      due++;
  return observations == due || (due > 0 && observations == due - 1);
}

cas_status cas_block_resume(cas_pass *s, int64_t block, cas_error *err) {
  const cas_problem *p = s->problem;
  const int64_t stream = cas_plan_stream(s->plan, block);
  int64_t head[2];
  if (s->lanes) /* The initial states are found again where they belong to the parameters. */
    CAS_CALL(cas_initial_block(p, block, stream, s->level[0].x, s->lanes, err));
  memcpy(head, s->resume, sizeof head);
  CAS_FAIL_IF(!can_be(s->plan, head[0], head[1]), CAS_FILE_ERROR,
              "--resume: the state of block %lld is damaged: after %lld of %lld steps and "
              "%lld observations",
              (long long)block, (long long)head[0], (long long)s->plan->steps, (long long)head[1]);
  memcpy(s->memory, (const char *)s->resume + sizeof head, s->kept);
  memset(s->watch.refused, 0, (size_t)p->W * sizeof *s->watch.refused);
  cas_exchange_begin(p, s->plan->h[s->plan->levels - 1], &s->exchange);
  s->done = head[0];
  s->observations = head[1];
  for (int i = 0; i < s->plan->levels; i++)
    s->level[i].steps = s->done / s->plan->ratio[i];
  s->resume = NULL;
  return CAS_OK;
}
