#include "paths/pass.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/denormals.h"
#include "base/scratch.h"
#include "kernels/plugin.h"
#include "paths/follower.h"
#include "paths/increments.h"
#include "paths/initial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory: one block, laid out twice, first to count its bytes ---- */

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

static void lay_out_level(arena *a, const cas_problem *p, cas_level *l) {
  size_t W = (size_t)p->W, state = W * (size_t)p->components, noise = cas_increments_size(p);
  l->x = take(a, state);
  l->carry = take(a, p->options.compensated ? state : 0);
  l->followed = take(a, W * (size_t)p->followers.rows);
  l->sum = take(a, noise);
  l->kick = take(a, 2 * W * (size_t)cas_exchange_kicks(p));
  l->drift = take(a, W);
  l->tally = take_tally(a, W);
}

/* The workspace that steps need besides states. */
static void lay_out_workspace(arena *a, const cas_problem *p, cas_pass *s) {
  const cas_algebra *algebra = p->geometry.algebra;
  size_t work = cas_scheme_work(p->body, p->integrator, &p->geometry),
         of_reference = p->reference.integrator
                            ? cas_scheme_work(p->body, p->reference.integrator, &p->geometry)
                            : 0;
  s->work = take(a, work > of_reference ? work : of_reference);
  s->scratch = take(a, algebra->scratch ? algebra->scratch(&p->geometry) : 0);
  s->dissipation = take(a, cas_dissipation_workspace(p));
}

/* The workspace that compositions of steps and further normals need. */
static void lay_out_composition(arena *a, const cas_problem *p, cas_pass *s) {
  size_t W = p->options.weak_order == 2 ? (size_t)p->W : 0;
  s->normals = take(a, (size_t)p->further * (size_t)p->W);
  s->scaled = take(a, W * (size_t)p->noises);
  s->part = take_tally(a, W);
}

static void lay_out_exchange(arena *a, const cas_problem *p, const cas_pass_plan *plan,
                             cas_exchange_state *e) {
  const size_t kicks = (size_t)cas_exchange_kicks(p),
               steps = plan->paired ? (size_t)plan->ratio[0] : 1;
  e->noise = cas_exchange_noise(p);
  const size_t draws = (size_t)cas_noise_draws(&e->noise);
  e->u = take(a, draws);
  e->z = take(a, draws * steps);
  e->keep = take(a, kicks * (size_t)p->W);
  e->spread = take(a, kicks * (size_t)p->W);
  e->workspace =
      take(a, cas_exchange_acts(p) ? p->system->exchange->workspace(p->parameters, p->W) : 0);
}

/* Workspace for steps of single lanes. */
static void lay_out_lanes(arena *a, const cas_problem *p, cas_pass *s) {
  const size_t W = p->uncertain ? (size_t)p->W : 0, state = W * (size_t)p->components;
  s->lane_x = take(a, state);
  s->lane_carry = take(a, state);
  s->next_x = take(a, state);
  s->next_carry = take(a, state);
  s->lane_tally = take_tally(a, W);
}

static void lay_out_probe(arena *a, const cas_problem *p, cas_probe *b) {
  const size_t W = cas_followers_know_noise(p) ? (size_t)p->W : 0,
               state = W * (size_t)p->components, noise = W ? cas_increments_size(p) : 0;
  b->x = take(a, state);
  b->carry = take(a, state);
  b->dw = take(a, noise);
  b->none = take(a, noise);
  b->before = take(a, state);
  b->other = take(a, W);
  b->variance = take(a, W * (size_t)p->followers.passages);
  b->tally = take_tally(a, W);
}

/* How many numbers are watched: the Casimirs of the algebra, or the momentum maps of the system. */
static int count_invariants(const cas_problem *p) {
  const cas_algebra *a = p->geometry.algebra;
  return p->system->momenta ? p->system->momenta(p->parameters)
         : a->casimirs      ? a->casimirs(&p->geometry)
                            : 0;
}

/* Places sets that the scheme asks for behind psi, and returns the number of all. */
static int coefficient_sets(const cas_problem *p, cas_coefficient_sets *sets) {
  const unsigned asks = p->declared.asks;
  const int size = (int)cas_dissipation_coefficients(p);
  int n = 1;
  if (asks & CAS_ASKS_PARTS) {
    sets->drift = size * n++;
    sets->noises = size * n++;
    sets->areas = size * n++;
  }
  for (int half = 0; asks & CAS_ASKS_HALVES && half < 2; half++)
    sets->half[half] = size * n++;
  if (asks & CAS_ASKS_NOISES) {
    sets->noise = size * n;
    sets->next = size;
    n += p->noises;
  }
  return n;
}

/* What a block keeps from step to step comes first, *kept bytes, then workspace. */
static size_t lay_out(double *base, const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                      size_t *kept) {
  arena a = {base, 0};
  size_t W = (size_t)p->W, noise = cas_increments_size(p);
  size_t casimirs = (size_t)count_invariants(p),
         invariants = p->part ? (size_t)p->part->invariants : 0;
  for (int i = 0; i < plan->levels; i++)
    lay_out_level(&a, p, &s->level[i]);
  for (int i = 0; i < plan->levels; i++)
    s->level[i].casimir0 =
        i == 0 || p->system->momenta ? take(&a, W * casimirs) : s->level[0].casimir0;
  s->casimir_scale = take(&a, W);
  s->hamiltonian0 = take(&a, W);
  s->casimirs = (int)casimirs;
  s->invariant0 = take(&a, W * invariants);
  s->invariant_scale = take(&a, invariants ? W : 0);
  s->uniform = take(
      &a, p->followers.passages ? (W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW : 0);
  s->unfinite = take(&a, 3 * W);
  *kept = a.used * sizeof(double);
  s->u = take(&a, noise);
  s->z = take(&a, noise);
  s->drawn = take(&a, p->areas || p->parts > 1 ? noise : 0);
  s->later = take(&a, plan->paired ? noise * (size_t)(plan->ratio[0] - 1) : 0);
  s->changed = take(&a, plan->paired ? noise : 0);
  lay_out_composition(&a, p, s);
  lay_out_exchange(&a, p, plan, &s->exchange);
  lay_out_probe(&a, p, &s->probe);
  lay_out_lanes(&a, p, s);
  s->left = take(&a, W);
  s->refused = take(&a, W);
  s->dw = take(&a, noise);
  s->asked = take(&a, p->declared.asks ? noise : 0);
  s->coef = take(&a, cas_dissipation_coefficients(p) *
                         (size_t)coefficient_sets(p, &(cas_coefficient_sets){0}));
  lay_out_workspace(&a, p, s);
  s->casimir = take(&a, W * casimirs);
  s->invariant = take(&a, W * invariants);
  return a.used * sizeof(double);
}

size_t cas_pass_bytes(const cas_problem *p, const cas_pass_plan *plan) {
  cas_pass s;
  size_t kept;
  return lay_out(NULL, p, plan, &s, &kept);
}

cas_scheme cas_pass_scheme(const cas_problem *p, const cas_pass_plan *plan, int level) {
  const cas_scheme all = {p->integrator, p->options, p->step};
  return plan->reference && level == plan->levels - 1 && p->reference.integrator ? p->reference
                                                                                 : all;
}

static void set_level(const cas_problem *p, const cas_pass_plan *plan, int i, cas_level *l) {
  double h = plan->h[i], ratio = (double)(plan->ratio[i] * p->parts);
  const cas_scheme scheme = cas_pass_scheme(p, plan, i);
  l->step = scheme.step;
  l->composed = scheme.options.weak_order == 2;
  l->scheme_scale = scheme.integrator->scale;
  l->momentum_step = scheme.integrator->discrete_momentum ? h : 0;
  l->stepper = (cas_stepper){
      .system = p->system,
      .parameters = p->parameters,
      .geometry = p->geometry,
      .W = p->W,
      .h = h,
      .relative = scheme.options.tolerance,
      .tolerance = scheme.options.tolerance * p->magnitude,
      .magnitude = p->magnitude,
      .retraction = scheme.options.retraction,
      .variant = scheme.options.variant,
      .max_iterations = (int)scheme.options.max_iterations,
      .compensated = p->options.compensated,
      .noises = p->noises,
      .dissipation = {.noise = cas_dissipation_behind(p), .drag = p->dissipation.drag}};
  (void)coefficient_sets(p, &l->stepper.sets);
  if (!p->options.compensated)
    l->carry = NULL;
  l->bound = scheme.options.truncation > 0
                 ? sqrt(2 * scheme.options.truncation * fabs(log(h)) * ratio)
                 : INFINITY;
  /* One scale for all levels makes increments of a coarse step the sums of increments of fine
     steps. */
  l->variance = ratio;
  l->scale = l->scheme_scale * sqrt(plan->h[plan->levels - 1] / (double)p->parts);
  l->area_scale = l->scheme_scale * (plan->h[plan->levels - 1] / (double)p->parts);
}

cas_status cas_pass_create(const cas_problem *p, const cas_pass_plan *plan, cas_pass *s,
                           cas_error *err) {
  size_t bytes = cas_pass_bytes(p, plan), kept;
  *s = (cas_pass){
      .problem = p, .plan = plan, .memory = aligned_alloc(64, bytes), .steps_per_check = 1};
  if (!s->memory)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory: a block of paths needs %zu bytes", bytes);
  memset(s->memory, 0, bytes);
  lay_out(s->memory, p, plan, s, &kept);
  for (int i = 0; i < plan->levels; i++) {
    set_level(p, plan, i, &s->level[i]);
    s->level[i].stepper.geometry.scratch = s->scratch;
    s->level[i].stepper.dissipation.workspace = s->dissipation;
  }
  if (!p->uncertain)
    return CAS_OK;
  s->own = malloc(sizeof *s->own);
  s->lanes = calloc(1, sizeof *s->lanes);
  if (!s->own || !s->lanes)
    return cas_no_memory(err);
  *s->own = *p;
  s->own->lanes = s->lanes;
  s->problem = s->own;
  return CAS_OK;
}

void cas_pass_free(cas_pass *s) {
  if (s->lanes)
    cas_parameters_close(s->problem, s->lanes);
  free(s->lanes);
  free(s->own);
  s->lanes = NULL;
  s->own = NULL;
  free(s->memory);
  s->memory = NULL;
}

/* ---- polling ---- */

/* A pass polls after POLL_STEPS finest steps, beside which a poll costs little, or after
   poll_seconds, where steps take long. */
enum { POLL_STEPS = 64 };
static const double poll_seconds = 0.05;

static cas_status poll(cas_pass *s, cas_error *err) {
  CAS_CALL(cas_plugin_guard(err)); /* before a checkpoint is written */
  cas_status st = s->poll(s->poll_context, err);
  s->last_poll = cas_clock_seconds();
  return st;
}

/* Whether to poll: after POLL_STEPS steps, or when poll_seconds are over. The clock is read after
   every step at first, and ever less often as long as that is often enough. */
static bool poll_is_due(cas_pass *s) {
  if (s->done % POLL_STEPS == 0)
    return true;
  if (s->done % s->steps_per_check)
    return false;
  double spent = cas_clock_seconds() - s->last_poll;
  if (spent < poll_seconds / 4 && s->steps_per_check < POLL_STEPS)
    s->steps_per_check *= 2;
  else if (spent > poll_seconds && s->steps_per_check > 1)
    s->steps_per_check /= 2;
  return spent > poll_seconds;
}

static bool check_cancelled(void *pass) {
  cas_pass *s = pass;
  if (!s->abandoned && s->cancelled && cas_clock_seconds() - s->last_poll > poll_seconds) {
    s->abandoned = s->cancelled(s->poll_context);
    s->last_poll = cas_clock_seconds();
  }
  return s->abandoned;
}

/* ---- invariants ---- */

typedef struct {
  double step;
  const double *x;
} state_at;

static void find_momenta(const cas_problem *one, const void *context, double *out) {
  const state_at *at = context;
  one->system->momentum(one->parameters, at->step, one->W, at->x, out);
}

static void find_invariants(const cas_pass *s, int level, double *out) {
  const cas_problem *p = s->problem;
  const cas_level *l = &s->level[level];
  if (s->casimirs == 0)
    return;
  if (p->system->momenta)
    cas_parameters_each(p, (size_t)s->casimirs, find_momenta, &(state_at){l->momentum_step, l->x},
                        out);
  else
    cas_parameters_casimirs(p, s->casimirs, l->x, out);
}

/* ---- running ---- */

static int64_t stream_of(const cas_pass_plan *plan, int64_t block) {
  return plan->stream + block * (plan->stride ? plan->stride : 1);
}

/* Departures of Casimirs are relative to the largest of their path. */
static void scale_casimirs(cas_pass *s) {
  const int W = s->problem->W;
  for (int lane = 0; lane < W; lane++) {
    double most = 0;
    for (int c = 0; c < s->casimirs; c++)
      most = fmax(most, fabs(s->level[0].casimir0[c * W + lane]));
    s->casimir_scale[lane] = most > 0 ? 1 / most : 1;
  }
}

/* Departures of what the part keeps are relative to its length. */
static void begin_part(cas_pass *s, const double *x) {
  const cas_problem *p = s->problem;
  p->part->invariant(&p->geometry, p->W, x, s->invariant0);
  for (int lane = 0; lane < p->W; lane++) {
    double square = 0;
    for (int c = 0; c < p->part->invariants; c++)
      square += pow(s->invariant0[c * p->W + lane], 2);
    s->invariant_scale[lane] = square > 0 ? 1 / sqrt(square) : 1;
  }
}

/* ---- functionals of whole paths ---- */

double cas_pass_time(const cas_pass *s, int level) {
  return (double)s->level[level].steps * s->plan->h[level];
}

static cas_formula_place place_of(const cas_pass *s, int level) {
  const cas_level *l = &s->level[level];
  return (cas_formula_place){.time = cas_pass_time(s, level), .x = l->x, .followed = l->followed};
}

static int passage_purpose(int purpose) {
  return purpose == CAS_PURPOSE_MULTILEVEL ? CAS_PURPOSE_PASSAGES_MULTILEVEL
         : purpose == CAS_PURPOSE_MLMC     ? CAS_PURPOSE_PASSAGES_MLMC
                                           : CAS_PURPOSE_PASSAGES;
}

/* All levels of a path have one uniform for its first passages, from Threefry, whatever the
   generator of the noise. */
static void begin_following(cas_pass *s, int64_t block) {
  const cas_problem *p = s->problem;
  const int draws = (p->W + CAS_NOISE_DRAW - 1) / CAS_NOISE_DRAW * CAS_NOISE_DRAW;
  if (p->followers.passages)
    p->kernels->threefry((int)p->random.seed, passage_purpose(s->plan->purpose),
                         stream_of(s->plan, block), p->noise_begin, draws, s->uniform);
  for (int i = 0; i < s->plan->levels; i++) {
    const cas_formula_place at = place_of(s, i);
    cas_followers_begin(p, &at, s->level[i].followed);
  }
}

/* All levels begin at the same states. */
static cas_status start(cas_pass *s, int64_t block, cas_error *err) {
  const cas_problem *p = s->problem;
  double *x = s->level[0].x;
  size_t n = (size_t)p->components * (size_t)p->W;
  const bool drawn = p->initial.each || p->uncertain;
  memset(s->memory, 0, cas_pass_bytes(p, s->plan));
  if (p->uncertain)
    CAS_CALL(cas_parameters_open(p, block, stream_of(s->plan, block), x, s->lanes, err));
  cas_exchange_begin(p, s->plan->h[s->plan->levels - 1], &s->exchange);
  s->done = s->observations = 0;
  if (p->ends.lanes)
    cas_initial_end(p, block, x, s->level[0].carry);
  else if (p->initial.each && !p->uncertain)
    CAS_CALL(cas_initial_block(p, block, stream_of(s->plan, block), x, err));
  for (size_t i = 0; !p->ends.lanes && !drawn && i < n; i++)
    x[i] = p->x0[i / (size_t)p->W];
  for (int i = 0; i < s->plan->levels; i++)
    s->level[i].steps = 0;
  for (int i = 1; i < s->plan->levels; i++)
    memcpy(s->level[i].x, x, n * sizeof *x);
  for (int i = 0; i < (p->system->momenta ? s->plan->levels : 1); i++)
    find_invariants(s, i, s->level[i].casimir0);
  scale_casimirs(s);
  if (p->part)
    begin_part(s, x);
  cas_parameters_value(p, &p->system->observables[0], 1, x, s->hamiltonian0);
  begin_following(s, block);
  return CAS_OK;
}

/* Coefficients of h H0 and of the rows first .. next-1 of increments and areas, dw. */
static void prepare_rows(cas_pass *s, const cas_problem *p, double h, const double *dw, int first,
                         int next, double *coef) {
  const size_t W = (size_t)p->W;
  memset(s->asked, 0, (size_t)(p->noises + p->areas) * W * sizeof *dw);
  memcpy(s->asked + (size_t)first * W, dw + (size_t)first * W,
         (size_t)(next - first) * W * sizeof *dw);
  cas_dissipation_prepare(p, h, s->asked, coef);
}

/* Coefficients of half of h H0 and of the increments of one half of the step. The increments of
   both halves add up to dw, the truncated increments of the step, so that each half lacks half of
   what the truncation takes. */
static void prepare_half(cas_pass *s, const cas_problem *p, const cas_level *l, double h,
                         const double *dw, const double *increments, int half) {
  const double *first = cas_increments_half(p, increments), sign = half ? -1 : 1;
  const int n = p->noises * p->W;
  for (int i = 0; i < n; i++)
    s->asked[i] = 0.5 * dw[i] + sign * l->scale * (first[i] - 0.5 * increments[i]);
  for (int i = n; i < n + p->areas * p->W; i++)
    s->asked[i] = 0;
  cas_dissipation_prepare(p, h / 2, s->asked, s->coef + l->stepper.sets.half[half]);
}

/* Coefficients of all that a scheme asks for besides psi. */
static void prepare_asked(cas_pass *s, const cas_problem *p, const cas_level *l, double h,
                          const double *dw, const double *increments) {
  const cas_coefficient_sets *sets = &l->stepper.sets;
  const int M = p->noises;
  if (sets->drift) {
    prepare_rows(s, p, h, dw, 0, 0, s->coef + sets->drift);
    prepare_rows(s, p, 0, dw, 0, M + p->areas, s->coef + sets->noises);
    prepare_rows(s, p, 0, dw, M, M + p->areas, s->coef + sets->areas);
  }
  for (int half = 0; sets->half[0] && half < 2; half++)
    prepare_half(s, p, l, h, dw, increments, half);
  for (int k = 0; sets->noise && k < M; k++)
    prepare_rows(s, p, 0, dw, k, k + 1, s->coef + sets->noise + k * sets->next);
}

/* The further normals of a step, of variance 1. */
static void set_normals(cas_pass *s, cas_level *l, const double *increments) {
  const cas_problem *p = s->problem;
  const double *further = cas_increments_further(p, increments), scale = 1 / sqrt(l->variance);
  for (int i = 0; i < p->further * p->W; i++)
    s->normals[i] = scale * further[i];
  l->stepper.normals = s->normals;
}

/* The time-1 map of h H0 + sum_k dW_k H_k by one step of the scheme, which multiplies both. */
static void step_all(cas_pass *s, const cas_problem *p, const cas_stepper *stepper, cas_level *l,
                     double h, const double *dw, const double *increments, double *x, double *carry,
                     cas_tally *tally) {
  cas_dissipation_prepare(p, h, dw, s->coef);
  if (p->declared.asks && l->step == p->step)
    prepare_asked(s, p, l, h, dw, increments);
  l->step(stepper, x, carry, s->coef, s->work, tally);
}

static void take_lane(int rows, int W, int lane, const double *from, double *to) {
  for (int k = 0; k < rows; k++)
    to[k * W + lane] = from[k * W + lane];
}

/* Rows of n lanes of blocks of W: two at a time, as calls of memcpy for so few numbers would take
   longer than the step. */
static void copy_lanes(int rows, int W, int n, const double *from, double *to) {
  for (int k = 0; k < rows; k++, from += W, to += W) {
    for (int l = 0; l + 2 <= n; l += 2)
      memcpy(to + l, from + l, 2 * sizeof *to);
    if (n % 2)
      to[n - 1] = from[n - 1];
  }
}

static void add_lane(int lane, const cas_tally *of, cas_tally *t) {
  t->iterations[lane] += of->iterations[lane];
  t->iterations_max[lane] = fmax(t->iterations_max[lane], of->iterations_max[lane]);
  t->not_converged[lane] += of->not_converged[lane];
  t->second_method[lane] += of->second_method[lane];
}

/* The group of one lane makes the step with the parameters of that lane, which alone is kept: so a
   path takes the step that it would take if all had its parameters, to the last bit. */
static void step_lane(cas_pass *s, int lane, cas_level *l, double h, const double *dw,
                      const double *increments, cas_tally *tally) {
  const cas_problem *one = &s->lanes->lane[lane];
  const int W = one->W, n = one->components, group = one->one_path ? 0 : one->body->lanes;
  const int first = group ? lane / group * group : 0, lanes = group ? group : W;
  double *carry = l->carry ? s->lane_carry : NULL;
  cas_stepper stepper = l->stepper;
  stepper.parameters = one->parameters;
  stepper.dissipation.drag = one->dissipation.drag;
  stepper.geometry = one->geometry;
  stepper.geometry.scratch = s->scratch;
  stepper.first = first;
  stepper.lanes = group;
  copy_lanes(n, W, lanes, l->x + first, s->lane_x + first);
  if (carry)
    copy_lanes(n, W, lanes, l->carry + first, carry + first);
  s->lane_tally.iterations[lane] = 0;
  s->lane_tally.iterations_max[lane] = 0;
  s->lane_tally.not_converged[lane] = 0;
  s->lane_tally.second_method[lane] = 0;
  step_all(s, one, &stepper, l, h, dw, increments, s->lane_x, carry, &s->lane_tally);
  take_lane(n, W, lane, s->lane_x, s->next_x);
  if (carry)
    take_lane(n, W, lane, s->lane_carry, s->next_carry);
  add_lane(lane, &s->lane_tally, tally);
}

static void step_once(cas_pass *s, cas_level *l, double h, const double *dw,
                      const double *increments, cas_tally *tally) {
  const cas_problem *p = s->problem;
  const size_t state = (size_t)p->components * (size_t)p->W * sizeof(double);
  if (!p->lanes) {
    step_all(s, p, &l->stepper, l, h, dw, increments, l->x, l->carry, tally);
    return;
  }
  for (int lane = 0; lane < p->W; lane++)
    step_lane(s, lane, l, h, dw, increments, tally);
  memcpy(l->x, s->next_x, state);
  if (l->carry)
    memcpy(l->carry, s->next_carry, state);
}

/* Adds the tally of the parts of a step, whose equations count as one. */
static void add_parts(int W, const cas_tally *part, cas_tally *t) {
  for (int lane = 0; lane < W; lane++) {
    t->iterations[lane] += part->iterations[lane];
    t->iterations_max[lane] = fmax(t->iterations_max[lane], part->iterations[lane]);
    t->not_converged[lane] += part->not_converged[lane] > 0;
    t->second_method[lane] += part->second_method[lane] > 0;
  }
}

/* A step of weak order 2: the time-1 maps of h/2 H0 + S1.H and of h/2 H0 + S2.H, each of them three
   steps of a symmetric scheme whose composition is of fourth order. */
static void step_composed(cas_pass *s, cas_level *l, const double *increments) {
  const double outer = 1 / (2 - cbrt(2)), factor[] = {outer, 1 - 2 * outer, outer};
  const cas_problem *p = s->problem;
  const int n = p->noises * p->W;
  const size_t row = (size_t)p->W * sizeof(double);
  memset(s->part.iterations, 0, row);
  memset(s->part.not_converged, 0, row);
  memset(s->part.second_method, 0, row);
  for (int e = 0; e < 2; e++) {
    cas_increments_of_exponential(p, e, increments, s->normals);
    if (n)
      p->kernels->truncate(p->noises, p->W, s->normals, sqrt(0.75) * l->bound, l->scale, s->dw,
                           l->tally.clipped);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < n; i++)
        s->scaled[i] = factor[k] * s->dw[i];
      step_once(s, l, factor[k] * l->scheme_scale * l->stepper.h / 2, s->scaled, increments,
                &s->part);
    }
  }
  add_parts(p->W, &s->part, &l->tally);
}

/* ---- the noise of formulas ---- */

/* A step of the level's scheme from x without drift, with one increment of one noise, to
   s->probe.x. Its equations are not counted. */
static void probe_step(cas_pass *s, cas_level *l, const double *x, int noise, double increment) {
  const cas_problem *p = s->problem;
  cas_probe *b = &s->probe;
  double *own[2] = {l->x, l->carry};
  memcpy(b->x, x, (size_t)p->components * (size_t)p->W * sizeof *x);
  memset(b->carry, 0, (size_t)p->components * (size_t)p->W * sizeof *x);
  for (int i = 0; i < (p->noises + p->areas) * p->W; i++)
    b->dw[i] = i / p->W == noise ? increment : 0;
  l->x = b->x;
  l->carry = l->carry ? b->carry : NULL;
  if (p->further && p->declared.normals)
    set_normals(s, l, b->none);
  step_once(s, l, 0, b->dw, b->none, &b->tally);
  l->x = own[0];
  l->carry = own[1];
}

/* The variance of the noise of every formula of first passages per unit of time, the sum over the
   noises of the squares of the derivatives along them, by central differences. */
static void find_variances(cas_pass *s, int level) {
  const cas_problem *p = s->problem;
  cas_level *l = &s->level[level];
  cas_probe *b = &s->probe;
  const double increment = 0x1p-7 * sqrt(l->stepper.h);
  const size_t state = (size_t)p->components * (size_t)p->W;
  memset(b->variance, 0, (size_t)(p->followers.passages * p->W) * sizeof *b->variance);
  for (int k = 0; k < p->noises; k++) {
    cas_formula_place one = place_of(s, level), two = one;
    probe_step(s, l, l->x, k, -l->scheme_scale * increment);
    memcpy(b->before, b->x, state * sizeof *b->x);
    probe_step(s, l, l->x, k, l->scheme_scale * increment);
    one.x = b->x;
    two.x = b->before;
    cas_followers_add_variance(p, &one, &two, 2 * increment, b->other, b->variance);
  }
}

static void follow(cas_pass *s, int level) {
  const cas_problem *p = s->problem;
  const cas_formula_place at = place_of(s, level);
  cas_followers_step(p, &at, s->plan->h[level],
                     cas_followers_know_noise(p) ? s->probe.variance : NULL, s->uniform,
                     s->level[level].followed);
}

static void exchange(cas_pass *s, cas_level *l, int half) {
  if (cas_exchange_acts(s->problem))
    cas_exchange_half(s->problem, &s->exchange, l->stepper.h, half, l->kick, l->x, l->carry);
}

/* One step of level i from the increments since its last step. Denormal numbers count as zero in
   it: the entries of smooth fields fall off below them, and would take most of the time. They are
   back for the observations, whose libraries (LAPACK, HDF5) may need them. */
static void step_level(cas_pass *s, int i, const double *increments) {
  const cas_problem *p = s->problem;
  cas_level *l = &s->level[i];
  const uint64_t denormals = cas_denormals_flush(), mode = cas_denormals_mode();
  if (cas_followers_know_noise(p))
    find_variances(s, i);
  exchange(s, l, 0);
  if (l->composed) {
    step_composed(s, l, increments);
  } else {
    if (p->noises)
      p->kernels->truncate(p->noises, p->W, increments, l->bound, l->scale, s->dw,
                           l->tally.clipped);
    for (int k = p->noises * p->W; k < (p->noises + p->areas) * p->W; k++)
      s->dw[k] = l->area_scale * increments[k];
    if (p->further && p->declared.normals)
      set_normals(s, l, increments);
    step_once(s, l, l->scheme_scale * l->stepper.h, s->dw, increments, &l->tally);
  }
  exchange(s, l, 1);
  if (cas_denormals_mode() != mode)
    cas_plugin_guard_other_mode();
  cas_denormals_restore(denormals);
  l->steps++;
  follow(s, i);
  if (s->stepped)
    s->stepped(s->stepped_context, s, i);
}

/* The coarser levels, from fine to coarse, as far as their steps end at finest step n. A level that
   completes a step hands its sum of normals on to the next coarser one and begins again. */
static void cascade(cas_pass *s, int64_t n) {
  const cas_problem *p = s->problem;
  const int64_t *ratio = s->plan->ratio;
  size_t bytes = cas_increments_size(p) * sizeof(double);
  double *finer = s->z;
  for (int i = s->plan->levels - 2; i >= 0; i--) {
    cas_level *l = &s->level[i];
    const int64_t parts = ratio[i] / ratio[i + 1];
    cas_increments_add(p, (n / ratio[i + 1] - 1) % parts, parts, finer, l->sum);
    if (finer != s->z)
      memset(finer, 0, bytes);
    if (n % ratio[i])
      return;
    cas_increments_end(p, parts, l->sum);
    step_level(s, i, l->sum);
    finer = l->sum;
  }
  if (finer != s->z)
    memset(finer, 0, bytes);
}

/* The normals of a block: of the paths and of white forcing. */
typedef struct {
  cas_block_noise paths, forcing;
} block_noise;

/* The kicks of a finest step, to be number `to` of all that are drawn. */
static cas_status draw_kicks(cas_pass *s, block_noise *noise, int64_t step, int64_t to,
                             cas_error *err) {
  cas_exchange_state *e = &s->exchange;
  return cas_block_noise_step(&noise->forcing, step, e->u, e->z + to * cas_noise_draws(&e->noise),
                              err);
}

/* The kicks of finest step number `from` of all that are drawn become part `part` of a step of
   level i; the first part begins anew. */
static void gather(cas_pass *s, int i, int64_t from, int64_t part) {
  const cas_problem *p = s->problem;
  const cas_exchange_state *e = &s->exchange;
  const int kicks = cas_exchange_kicks(p);
  if (kicks == 0)
    return;
  if (part == 0)
    memset(s->level[i].kick, 0, 2 * (size_t)(kicks * p->W) * sizeof(double));
  cas_exchange_gather(p, e, e->z + from * cas_noise_draws(&e->noise), part, s->plan->ratio[i],
                      s->level[i].kick);
}

/* The increments of fine step k of a paired coarse step. */
static double *fine_increments(const cas_pass *s, int64_t k) {
  return k == 0 ? s->z : s->later + (k - 1) * (int64_t)cas_increments_size(s->problem);
}

/* The finest step that a twin takes for its step k. */
static int64_t twin_step(const cas_pass *s, int level, int64_t k) {
  return s->plan->twin[level] & CAS_PASS_TWIN_REVERSED ? s->plan->ratio[0] - 1 - k : k;
}

/* The increments of a twin, where it has others. */
static const double *twin_increments(const cas_pass *s, int level, int64_t k) {
  const int twin = s->plan->twin[level];
  const double *own = fine_increments(s, k), *other = fine_increments(s, twin_step(s, level, k));
  if (s->problem->options.weak_order != 2 || twin == 0)
    return other;
  cas_increments_twin(s->problem, other, own, twin & CAS_PASS_TWIN_NEGATED ? -1 : 1, s->changed);
  return s->changed;
}

/* The coarse step of a level, with increments that are sums of fine ones. */
static void step_coarse(cas_pass *s, int level) {
  const cas_problem *p = s->problem;
  const int64_t parts = s->plan->ratio[0];
  double *sum = s->level[level].sum;
  memset(sum, 0, cas_increments_size(p) * sizeof *sum);
  for (int64_t k = 0; k < parts; k++)
    cas_increments_add(p, k, parts, twin_increments(s, level, k), sum);
  cas_increments_end(p, parts, sum);
  step_level(s, level, sum);
}

/* One coarse step and its fine steps, of all twins. */
static cas_status step_paired(cas_pass *s, block_noise *noise, cas_error *err) {
  const cas_problem *p = s->problem;
  const int64_t parts = s->plan->ratio[0];
  const bool areas = p->areas > 0;
  if (areas)
    CAS_CALL(cas_increments_draw_pair(
        p, &noise->paths, s->done, parts,
        &(cas_pair){s->u, s->drawn, s->changed, s->z, s->later, s->level[0].sum}, err));
  for (int64_t k = 0; !areas && k < parts; k++)
    CAS_CALL(cas_increments_draw(p, &noise->paths, s->done + k, s->u, s->drawn,
                                 fine_increments(s, k), err));
  for (int64_t k = 0; k < parts; k++)
    CAS_CALL(draw_kicks(s, noise, s->done + k, k, err));
  for (int i = 0; i < s->plan->levels; i++) {
    for (int64_t k = 0; k < parts; k++) {
      gather(s, i, twin_step(s, i, k), s->plan->ratio[i] == 1 ? 0 : k);
      if (s->plan->ratio[i] == 1)
        step_level(s, i, twin_increments(s, i, k));
    }
    if (s->plan->ratio[i] > 1 && areas)
      step_level(s, i, s->level[i].sum);
    else if (s->plan->ratio[i] > 1)
      step_coarse(s, i);
  }
  s->done += parts;
  return CAS_OK;
}

static cas_status step_coupled(cas_pass *s, block_noise *noise, cas_error *err) {
  const int64_t step = s->problem->noise_begin + s->done;
  CAS_CALL(cas_increments_draw(s->problem, &noise->paths, step, s->u, s->drawn, s->z, err));
  CAS_CALL(draw_kicks(s, noise, step, 0, err));
  for (int i = 0; i < s->plan->levels; i++)
    gather(s, i, 0, s->done % s->plan->ratio[i]);
  step_level(s, s->plan->levels - 1, s->z);
  cascade(s, ++s->done);
  return CAS_OK;
}

/* The largest |now - factor before| of n rows by lane, times a scale of each; one NaN makes a NaN
   of all. */
static void add_departure(int n, int W, const double *now, const double *factor,
                          const double *before, const double *scale, double *out) {
  for (int c = 0; c < n * W; c++) {
    double d = fabs(now[c] - factor[c % W] * before[c]) * scale[c % W], *most = &out[c % W];
    if (!(d <= *most) && !isnan(*most))
      *most = d;
  }
}

static void fill(int W, double value, double *out) {
  for (int lane = 0; lane < W; lane++)
    out[lane] = value;
}

/* The departure from s->left times the initial values. */
static void find_departure(cas_pass *s, int level, double *out) {
  const cas_problem *p = s->problem;
  find_invariants(s, level, s->casimir);
  memset(out, 0, (size_t)p->W * sizeof *out);
  add_departure(s->casimirs, p->W, s->casimir, s->left, s->level[level].casimir0, s->casimir_scale,
                out);
  if (!p->part)
    return;
  p->part->invariant(&p->geometry, p->W, s->level[level].x, s->invariant);
  fill(p->W, 1, s->left);
  add_departure(p->part->invariants, p->W, s->invariant, s->left, s->invariant0, s->invariant_scale,
                out);
}

void cas_pass_departure(cas_pass *s, int level, double *out) {
  fill(s->problem->W, 1, s->left);
  find_departure(s, level, out);
}

/* What is left of Casimirs that damping alone changes, all at one rate. */
static void find_decay(const cas_problem *one, const void *time, double *out) {
  const double rate = cas_exchange_acts(one) ? one->system->exchange->decay(one->parameters) : 0;
  fill(one->W, isnan(rate) ? 1 : exp(-rate * *(const double *)time), out);
}

/* The drift is that from what the Casimirs should be. */
static void update_drift(cas_pass *s) {
  const double time = (double)s->done * s->plan->h[s->plan->levels - 1];
  double *now = s->coef; /* free between steps */
  for (int i = 0; i < s->plan->levels; i++) {
    cas_parameters_each(s->problem, 1, find_decay, &time, s->left);
    find_departure(s, i, now);
    for (int lane = 0; lane < s->problem->W; lane++)
      s->level[i].drift[lane] =
          fmax(s->level[i].drift[lane], isnan(now[lane]) ? INFINITY : now[lane]);
  }
}

static bool is_observed(const cas_pass_plan *plan, int64_t n, int64_t observations) {
  return plan->observed ? plan->observed[observations] == n : n % plan->grid == 0;
}

/* ---- a block in progress as bytes: the two counters, then what it keeps ---- */

static size_t kept_bytes(const cas_problem *p, const cas_pass_plan *plan) {
  cas_pass s;
  size_t kept;
  lay_out(NULL, p, plan, &s, &kept);
  return kept;
}

size_t cas_pass_state_size(const cas_problem *p, const cas_pass_plan *plan) {
  return 2 * sizeof(int64_t) + kept_bytes(p, plan);
}

void cas_pass_state(const cas_pass *s, void *out) {
  const int64_t head[2] = {s->done, s->observations};
  memcpy(out, head, sizeof head);
  memcpy((char *)out + sizeof head, s->memory, kept_bytes(s->problem, s->plan));
}

int64_t cas_pass_state_begin(const cas_problem *p, const cas_pass_plan *plan, const void *state,
                             const double **x, const double **carry) {
  int64_t head[2];
  cas_pass s;
  size_t kept;
  memcpy(head, state, sizeof head);
  lay_out((double *)((const char *)state + sizeof head), p, plan, &s, &kept);
  *x = s.level[0].x;
  *carry = p->options.compensated ? s.level[0].carry : NULL;
  return head[0];
}

/* Whether the observation after the last step is still to be made, because it was abandoned. */
static bool observation_is_missing(const cas_pass_plan *plan, int64_t done, int64_t observations) {
  if (done == 0 || !plan->observed)
    return done / plan->grid > observations;
  return (observations == 0 || plan->observed[observations - 1] < done) &&
         plan->observed[observations] == done;
}

/* Skips the numbers of the steps that are done already, which a stream has to generate one after
   another. */
static cas_status skip(cas_pass *s, block_noise *noise, int64_t done, cas_error *err) {
  const int64_t some = 1024, steps = done * s->problem->parts;
  cas_status st = CAS_OK;
  for (int64_t n = 0; !st && n < steps; n += some) {
    cas_block_noise_skip(&noise->paths, steps - n < some ? steps - n : some, s->u);
    if (s->poll && cas_clock_seconds() - s->last_poll > poll_seconds)
      st = poll(s, err);
  }
  cas_block_noise_skip(&noise->forcing, done, s->exchange.u);
  return st;
}

/* Whether a block can have `done` steps and these observations: all observations that
   were due, but for one that was abandoned. */
static bool can_be(const cas_pass_plan *plan, int64_t done, int64_t observations) {
  int64_t due = plan->observed ? 0 : done / plan->grid;
  if (done < 0 || done > plan->steps)
    return false;
  if (plan->observed)
    while ((due == 0 || plan->observed[due - 1] < plan->steps) && plan->observed[due] <= done)
      due++;
  return observations == due || (due > 0 && observations == due - 1);
}

static cas_status resume_block(cas_pass *s, int64_t block, block_noise *noise, cas_error *err) {
  const cas_problem *p = s->problem;
  int64_t head[2];
  if (p->uncertain) /* The initial states are found again where they belong to the parameters. */
    CAS_CALL(
        cas_parameters_open(p, block, stream_of(s->plan, block), s->level[0].x, s->lanes, err));
  memcpy(head, s->resume, sizeof head);
  if (!can_be(s->plan, head[0], head[1]))
    return cas_fail(err, CAS_FILE_ERROR,
                    "--resume: the state of block %lld is damaged: after %lld of %lld steps and "
                    "%lld observations",
                    (long long)block, (long long)head[0], (long long)s->plan->steps,
                    (long long)head[1]);
  CAS_CALL(skip(s, noise, head[0], err));
  memcpy(s->memory, (const char *)s->resume + sizeof head, kept_bytes(s->problem, s->plan));
  memset(s->refused, 0, (size_t)p->W * sizeof *s->refused);
  cas_exchange_begin(s->problem, s->plan->h[s->plan->levels - 1], &s->exchange);
  s->done = head[0];
  s->observations = head[1];
  for (int i = 0; i < s->plan->levels; i++)
    s->level[i].steps = s->done / s->plan->ratio[i];
  s->resume = NULL;
  return CAS_OK;
}

/* Makes an observation. One that is abandoned is made again, unless the poll that follows ends the
   run. */
static cas_status observe_now(cas_pass *s, int64_t observation, cas_observer *observe,
                              void *context, cas_error *err) {
  cas_cancel_check before = cas_cancel_check_set((cas_cancel_check){check_cancelled, s});
  cas_status st = CAS_OK;
  do {
    s->abandoned = false;
    if (observation > 0)
      update_drift(s);
    if (observe)
      st = observe(context, s, observation, err);
    if (s->abandoned)
      st = poll(s, err);
  } while (!st && s->abandoned);
  cas_cancel_check_set(before);
  if (!st)
    s->observations = observation;
  return st;
}

static cas_status advance_block(cas_pass *s, block_noise *noise, cas_observer *observe,
                                void *context, cas_error *err) {
  const cas_pass_plan *plan = s->plan;
  cas_status st = CAS_OK;
  if (observation_is_missing(plan, s->done, s->observations))
    st = observe_now(s, s->observations + 1, observe, context, err);
  while (!st && s->done < plan->steps) {
    st = plan->paired ? step_paired(s, noise, err) : step_coupled(s, noise, err);
    if (!st && is_observed(plan, s->done, s->observations))
      st = observe_now(s, s->observations + 1, observe, context, err);
    if (!st && s->poll && s->done < plan->steps && poll_is_due(s))
      st = poll(s, err);
  }
  return !st && s->poll ? poll(s, err) : st;
}

static void close_noise(block_noise *noise) {
  cas_block_noise_close(&noise->paths);
  cas_block_noise_close(&noise->forcing);
}

/* To be closed after a failure too. */
static cas_status open_noise(const cas_problem *p, const cas_noise *forcing,
                             const cas_pass_plan *plan, int64_t block, block_noise *noise,
                             cas_error *err) {
  const int64_t stream = stream_of(plan, block);
  *noise = (block_noise){0};
  CAS_CALL(cas_block_noise_open(&p->noise, plan->purpose, stream, &noise->paths, err));
  return cas_block_noise_open(forcing, cas_exchange_purpose(plan->purpose), stream, &noise->forcing,
                              err);
}

double cas_pass_open_seconds(const cas_problem *p, const cas_pass_plan *plan, int64_t first,
                             int64_t next) {
  static const int eighth[] = {7, 3, 5, 1, 6, 2, 4, 0};
  const double enough = 0.3; /* seconds */
  const cas_noise forcing = cas_exchange_noise(p);
  double begun = cas_clock_processor(), spent = 0;
  int n = 0;
  while (first < next && n < 8 && (n < 2 || spent < enough)) {
    block_noise noise;
    cas_error err = {0};
    int64_t block = first + (int64_t)((eighth[n++] + 0.5) / 8 * (double)(next - first));
    (void)!open_noise(p, &forcing, plan, block, &noise, &err);
    close_noise(&noise);
    spent = cas_clock_processor() - begun;
  }
  return n ? spent / n * (double)(next - first) : 0;
}

cas_status cas_pass_run(cas_pass *s, int64_t block, cas_observer *observe, void *context,
                        cas_error *err) {
  block_noise noise;
  cas_status st = open_noise(s->problem, &s->exchange.noise, s->plan, block, &noise, err);
  s->last_poll = cas_clock_seconds();
  if (!st)
    st = skip(s, &noise, s->problem->noise_begin, err);
  if (!st && s->resume) {
    st = resume_block(s, block, &noise, err);
  } else if (!st) {
    st = start(s, block, err);
    if (!st && observe)
      st = observe_now(s, 0, observe, context, err);
  }
  if (!st)
    st = advance_block(s, &noise, observe, context, err);
  close_noise(&noise);
  if (!st)
    st = cas_plugin_guard(err);
  return cas_scratch_is_missing() && !st ? cas_no_memory(err) : st;
}

/* ---- health ---- */

static bool finite_lane(const cas_pass *s, const cas_level *l, int lane) {
  for (int k = 0; k < s->problem->components; k++)
    if (!isfinite(l->x[k * s->problem->W + lane]))
      return false;
  return true;
}

void cas_pass_refuse(cas_pass *s, int lane) { s->refused[lane] = 1; }

/* A count as a whole number, even if a stored state that was resumed holds something else. */
static int64_t whole(double count) {
  int64_t n = 0;
  (void)cas_count_whole(count, INT64_C(1) << 62, &n);
  return n;
}

enum { QUANTITY, LEVEL, TIME };

static double unfinite(const cas_pass *s, int row, int lane) {
  return s->unfinite[row * s->problem->W + lane];
}

void cas_pass_note_value(cas_pass *s, int level, int lane, int observable) {
  const int W = s->problem->W;
  if (unfinite(s, QUANTITY, lane) > 0 || !finite_lane(s, &s->level[level], lane))
    return;
  s->unfinite[QUANTITY * W + lane] = observable;
  s->unfinite[LEVEL * W + lane] = level;
  s->unfinite[TIME * W + lane] = cas_pass_time(s, level);
}

int cas_pass_unfinite_at_start(const cas_pass *s, int active) {
  for (int lane = 0; lane < active; lane++)
    if (unfinite(s, QUANTITY, lane) == 0 || unfinite(s, TIME, lane) > 0)
      return 0;
  return active > 0 ? (int)whole(unfinite(s, QUANTITY, 0)) : 0;
}

/* A value whose observable is not known is one of the finest level. */
static bool is_refused(const cas_pass *s, int level, int lane) {
  const double of =
      unfinite(s, QUANTITY, lane) > 0 ? unfinite(s, LEVEL, lane) : s->plan->levels - 1;
  return s->refused[lane] > 0 && level == of;
}

cas_failure cas_pass_cause(const cas_pass *s, int level, int lane) {
  if (!finite_lane(s, &s->level[level], lane))
    return CAS_FAILURE_NAN;
  if (is_refused(s, level, lane))
    return CAS_FAILURE_VALUE;
  return s->level[level].tally.not_converged[lane] > 0 ? CAS_FAILURE_NOT_CONVERGED
                                                       : CAS_FAILURE_NONE;
}

int cas_pass_failed_level(const cas_pass *s, int lane) {
  for (int i = 0; i < s->plan->levels; i++)
    if (cas_pass_cause(s, i, lane) != CAS_FAILURE_NONE)
      return i;
  return -1;
}

cas_pass_failure cas_pass_failed(const cas_pass *s, int lane) {
  const int level = cas_pass_failed_level(s, lane);
  if (level < 0)
    return (cas_pass_failure){.cause = CAS_FAILURE_NONE, .level = -1};
  cas_pass_failure f = {.cause = cas_pass_cause(s, level, lane),
                        .level = cas_pass_counted_as(s->plan, level)};
  if (f.cause == CAS_FAILURE_VALUE && unfinite(s, QUANTITY, lane) > 0) {
    f.quantity = whole(unfinite(s, QUANTITY, lane));
    f.time = unfinite(s, TIME, lane);
  }
  return f;
}

/* Whether a path counts: one with a NaN never does. */
bool cas_pass_counts(const cas_pass *s, int lane) {
  for (int i = 0; i < s->plan->levels; i++) {
    cas_failure cause = cas_pass_cause(s, i, lane);
    if (cause == CAS_FAILURE_NAN || cause == CAS_FAILURE_VALUE ||
        (cause && s->problem->on_failure != CAS_ON_FAILURE_KEEP))
      return false;
  }
  return true;
}

bool cas_pass_admits(cas_pass *s, int lane, int n, const double *quantity) {
  bool finite = true;
  for (int i = 0; i < n; i++)
    finite &= isfinite(quantity[i]) != 0;
  if (!finite)
    cas_pass_refuse(s, lane);
  return cas_pass_counts(s, lane);
}

int cas_pass_counted_as(const cas_pass_plan *plan, int level) {
  return plan->first_level + (plan->paired ? plan->ratio[level] == 1 : level);
}

/* Adds the health of lanes [from, to) on one level. */
static void level_health(const cas_pass *s, int level, int from, int to, cas_level_health *h) {
  const cas_level *l = &s->level[level];
  const int64_t steps = s->plan->steps / s->plan->ratio[level];
  for (int lane = from; lane < to; lane++) {
    h->steps += steps;
    h->iterations += whole(l->tally.iterations[lane]);
    h->not_converged += whole(l->tally.not_converged[lane]);
    h->clipped += whole(l->tally.clipped[lane]);
    h->second_method += whole(l->tally.second_method[lane]);
    h->nan += !finite_lane(s, l, lane) || is_refused(s, level, lane);
    if (whole(l->tally.iterations_max[lane]) > h->iterations_max)
      h->iterations_max = whole(l->tally.iterations_max[lane]);
  }
}

static void path_health(const cas_pass *s, int64_t path, int lane, cas_path_health *h) {
  const cas_pass_failure failed = cas_pass_failed(s, lane);
  if (failed.cause != CAS_FAILURE_NONE) {
    int named = cas_failed_named(h->failed_paths);
    if (named < CAS_FAILED_NAMED)
      h->failed_numbers[named] = path;
    if (h->failed_paths++ == 0) {
      h->first_failed_path = path;
      h->first_failed_level = failed.level;
      h->first_failed_cause = failed.cause;
      h->first_failed_quantity = failed.quantity;
      h->first_failed_time = failed.time;
    }
    if (!cas_pass_counts(s, lane)) {
      h->left_out_paths++;
      return;
    }
  }
  for (int i = 0; i < s->plan->levels; i++)
    if (h->drift_path < 0 || s->level[i].drift[lane] > h->drift) {
      h->drift = s->level[i].drift[lane];
      h->drift_path = path;
      h->drift_level = cas_pass_counted_as(s->plan, i);
    }
}

static void add_health(const cas_pass *s, int64_t path, int from, int to, cas_summary *summary) {
  for (int i = 0; i < s->plan->levels; i++)
    level_health(s, i, from, to, cas_summary_level(summary, cas_pass_counted_as(s->plan, i)));
  for (int lane = from; lane < to; lane++)
    path_health(s, path + lane - from, lane, cas_summary_paths(summary));
}

void cas_pass_health(const cas_pass *s, int64_t first_path, int active, cas_summary *summary) {
  add_health(s, first_path, 0, active, summary);
}

void cas_pass_health_of_lane(const cas_pass *s, int64_t path, int lane, cas_summary *summary) {
  add_health(s, path, lane, lane + 1, summary);
}
