#include "paths/step.h"
#include "paths/increments.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/parameters.h"

/* ---- what a level steps by ---- */

int cas_step_sets(const cas_problem *p, cas_coefficient_sets *sets) {
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
    n += p->normals.noises;
  }
  return n;
}

cas_scheme cas_pass_scheme(const cas_problem *p, const cas_pass_plan *plan, int level) {
  return plan->reference && level == plan->levels - 1 && p->reference.integrator ? p->reference
                                                                                 : p->scheme;
}

void cas_level_set(const cas_problem *p, const cas_pass_plan *plan, int i, const cas_step_space *w,
                   cas_level *l) {
  const double h = plan->h[i], ratio = (double)(plan->ratio[i] * p->normals.parts),
               part = plan->h[plan->levels - 1] / (double)p->normals.parts;
  const cas_scheme scheme = cas_pass_scheme(p, plan, i);
  const cas_integrator_options *o = &scheme.options;
  l->problem = p;
  l->stepper = (cas_stepper){.system = p->system,
                             .parameters = p->parameters.all,
                             .geometry = p->geometry,
                             .W = p->W,
                             .h = h,
                             .relative = o->tolerance,
                             .tolerance = o->tolerance * p->initial.magnitude,
                             .magnitude = p->initial.magnitude,
                             .retraction = o->retraction,
                             .variant = o->variant,
                             .max_iterations = (int)o->max_iterations,
                             .compensated = p->scheme.options.compensated,
                             .noises = p->normals.noises,
                             .dissipation = {.noise = cas_dissipation_behind(p),
                                             .drag = p->dissipation.drag,
                                             .workspace = w->dissipation},
                             .normals = p->declared.normals ? w->normals : NULL};
  l->stepper.geometry.scratch = w->scratch;
  (void)cas_step_sets(p, &l->stepper.sets);
  l->step = scheme.step;
  l->composed = o->weak_order == 2;
  l->has_ito = scheme.integrator->needs & CAS_ITO;
  l->scheme_scale = scheme.integrator->scale;
  l->kept.step = scheme.integrator->discrete_momentum ? h : 0;
  if (!p->scheme.options.compensated)
    l->carry = NULL;
  l->bound = scheme.options.truncation > 0
                 ? sqrt(2 * scheme.options.truncation * fabs(log(h)) * ratio)
                 : INFINITY;
  /* One scale for all levels makes coarse increments sums of fine ones. */
  l->variance = ratio;
  l->scale = l->scheme_scale * sqrt(part);
  l->area_scale = l->scheme_scale * part;
}

const char *cas_plan_level_text(const cas_problem *p, const cas_pass_plan *plan, int level,
                                char text[64]) {
  cas_step_format(plan->h[level], text, 64);
  if (p->sizes)
    cas_append(text, 64, ", N = %d", cas_plan_problem(p, plan, level)->geometry.n);
  return text;
}

void cas_level_distance2(const cas_level *coarse, const cas_level *fine, const double *x,
                         const double *y, double *cut, double *out) {
  const cas_problem *p = coarse->problem, *of = fine->problem;
  if (p != of)
    p->system->sized->cut(of->parameters.all, y, p->parameters.all, cut);
  p->geometry.algebra->distance2(&p->geometry, p->W, x, p != of ? cut : y, out);
}

double cas_level_time(const cas_level *l) { return (double)l->steps * l->stepper.h; }

/* ---- what a scheme asks for besides psi ---- */

/* Coefficients of h H0 and of the rows first .. next-1 of increments and areas, dw. */
static void prepare_rows(const cas_problem *p, cas_step_space *w, double h, const double *dw,
                         int first, int next, double *coef) {
  const size_t W = (size_t)p->W;
  memset(w->asked, 0, (size_t)(p->normals.noises + p->normals.areas) * W * sizeof *dw);
  memcpy(w->asked + (size_t)first * W, dw + (size_t)first * W,
         (size_t)(next - first) * W * sizeof *dw);
  cas_dissipation_prepare(p, h, w->asked, coef);
}

/* Coefficients of half of h H0 and of the increments of one half of the step. The increments of
   both halves add up to dw, the truncated increments of the step, so that each half lacks half of
   what the truncation takes. */
static void prepare_half(const cas_problem *p, cas_step_space *w, const cas_level *l,
                         const cas_move *m, int half) {
  const double *first = cas_increments_half(p, m->increments), sign = half ? -1 : 1;
  const int n = p->normals.noises * p->W;
  for (int i = 0; i < n; i++)
    w->asked[i] = 0.5 * m->dw[i] + sign * l->scale * (first[i] - 0.5 * m->increments[i]);
  for (int i = n; i < n + p->normals.areas * p->W; i++)
    w->asked[i] = 0;
  cas_dissipation_prepare(p, m->h / 2, w->asked, l->coef + l->stepper.sets.half[half]);
}

static void prepare_asked(const cas_problem *p, cas_step_space *w, const cas_level *l,
                          const cas_move *m) {
  const cas_coefficient_sets *sets = &l->stepper.sets;
  const int M = p->normals.noises;
  if (sets->drift) {
    prepare_rows(p, w, m->h, m->dw, 0, 0, l->coef + sets->drift);
    prepare_rows(p, w, 0, m->dw, 0, M + p->normals.areas, l->coef + sets->noises);
    prepare_rows(p, w, 0, m->dw, M, M + p->normals.areas, l->coef + sets->areas);
  }
  for (int half = 0; sets->half[0] && half < 2; half++)
    prepare_half(p, w, l, m, half);
  for (int k = 0; sets->noise && k < M; k++)
    prepare_rows(p, w, 0, m->dw, k, k + 1, l->coef + sets->noise + k * sets->next);
}

/* ---- a step of a scheme ---- */

/* The time-1 map of h H0 + sum_k dW_k H_k by one step of the scheme. */
static void move_all(const cas_problem *p, cas_step_space *w, const cas_stepper *stepper,
                     const cas_level *l, const cas_move *m) {
  cas_dissipation_prepare(p, m->h, m->dw, l->coef);
  if (p->declared.asks && l->step == p->scheme.step)
    prepare_asked(p, w, l, m);
  l->step(stepper, m->x, m->carry, l->coef, l->work, m->tally);
}

/* Rows of n lanes of blocks of W, two at a time: a memcpy of each would take longer than a step. */
static void copy_lanes(int rows, int W, int n, const double *from, double *to) {
  for (int k = 0; k < rows; k++, from += W, to += W) {
    for (int l = 0; l + 2 <= n; l += 2)
      memcpy(to + l, from + l, 2 * sizeof *to);
    if (n % 2)
      to[n - 1] = from[n - 1];
  }
}

static void clear_lane(int lane, cas_tally *t) {
  t->iterations[lane] = 0;
  t->iterations_max[lane] = 0;
  t->not_converged[lane] = 0;
  t->second_method[lane] = 0;
}

/* The group of one lane makes the step with the parameters of that lane, which alone is kept. */
static void move_lane(const cas_problem *one, cas_step_space *w, const cas_level *l,
                      const cas_move *m, int lane) {
  const int W = one->W, n = one->components, group = one->W == 1 ? 0 : one->body->lanes;
  const int first = group ? lane / group * group : 0, lanes = group ? group : W;
  cas_stepper stepper = l->stepper;
  cas_move alone = *m;
  alone.x = w->alone.x;
  alone.carry = m->carry ? w->alone.carry : NULL;
  alone.tally = &w->alone.tally;
  stepper.parameters = one->parameters.all;
  stepper.dissipation.drag = one->dissipation.drag;
  stepper.geometry = one->geometry;
  stepper.geometry.scratch = w->scratch;
  stepper.first = first;
  stepper.lanes = group;
  copy_lanes(n, W, lanes, m->x + first, alone.x + first);
  if (m->carry)
    copy_lanes(n, W, lanes, m->carry + first, alone.carry + first);
  clear_lane(lane, alone.tally);
  move_all(one, w, &stepper, l, &alone);
  copy_lanes(n, W, 1, alone.x + lane, w->alone.next_x + lane);
  if (m->carry)
    copy_lanes(n, W, 1, alone.carry + lane, w->alone.next_carry + lane);
  m->tally->iterations[lane] += alone.tally->iterations[lane];
  m->tally->iterations_max[lane] =
      fmax(m->tally->iterations_max[lane], alone.tally->iterations_max[lane]);
  m->tally->not_converged[lane] += alone.tally->not_converged[lane];
  m->tally->second_method[lane] += alone.tally->second_method[lane];
}

/* Lanes of a group iterate together, and groups have as many lanes as two vectors of the processor.
   Every lane of the block counts the most iterations of a lane, so that counts, and what is decided
   by them, are those of any processor. Before the step all lanes have the same count. */
static void share_most(int W, int group, double *iterations) {
  double most = iterations[0];
  for (int lane = group; lane < W; lane += group)
    most = iterations[lane] > most ? iterations[lane] : most;
  for (int lane = 0; lane < W; lane++)
    iterations[lane] = most;
}

void cas_level_move(const cas_problem *p, cas_step_space *w, const cas_level *l,
                    const cas_move *m) {
  const size_t state = (size_t)p->components * (size_t)p->W * sizeof *m->x;
  int group = p->body->lanes; /* 0 where a block is one path */
  if (!p->parameters.lanes || (p->parameters.lanes->by_coefficients && !l->has_ito)) {
    move_all(p, w, &l->stepper, l, m);
  } else {
    group = 1;
    for (int lane = 0; lane < p->W; lane++)
      move_lane(&p->parameters.lanes->lane[lane], w, l, m, lane);
    memcpy(m->x, w->alone.next_x, state);
    if (m->carry)
      memcpy(m->carry, w->alone.next_carry, state);
  }
  if (group > 0 && group < p->W) {
    share_most(p->W, group, m->tally->iterations);
    share_most(p->W, group, m->tally->iterations_max);
  }
}

/* ---- a step of a level ---- */

/* Adds the tally of the parts of a step, whose equations count as one. */
static void add_parts(int W, const cas_tally *part, cas_tally *t) {
  for (int lane = 0; lane < W; lane++) {
    t->iterations[lane] += part->iterations[lane];
    t->iterations_max[lane] = fmax(t->iterations_max[lane], part->iterations[lane]);
    t->not_converged[lane] += part->not_converged[lane] > 0;
    t->second_method[lane] += part->second_method[lane] > 0;
  }
}

/* The time-1 map of half of h H0 and of w->dw: symmetric steps composed to fourth order. */
static void compose(const cas_problem *p, cas_step_space *w, const cas_level *l,
                    const double *increments) {
  const double outer = 1 / (2 - cbrt(2)), factor[] = {outer, 1 - 2 * outer, outer};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < p->normals.noises * p->W; i++)
      w->scaled[i] = factor[k] * w->dw[i];
    cas_level_move(p, w, l,
                   &(cas_move){.h = factor[k] * l->scheme_scale * l->stepper.h / 2,
                               .dw = w->scaled,
                               .increments = increments,
                               .x = l->x,
                               .carry = l->carry,
                               .tally = &w->part});
  }
}

/* A step of weak order 2: the time-1 maps of h/2 H0 + S1.H and of h/2 H0 + S2.H. */
static void step_composed(const cas_problem *p, cas_step_space *w, cas_level *l,
                          const double *increments) {
  for (int lane = 0; lane < p->W; lane++)
    clear_lane(lane, &w->part);
  for (int e = 0; e < 2; e++) {
    cas_increments_of_exponential(p, e, increments, w->normals);
    if (p->normals.noises)
      p->kernels->truncate(p->normals.noises, p->W, w->normals, sqrt(0.75) * l->bound, l->scale,
                           w->dw, l->tally.clipped);
    compose(p, w, l, increments);
  }
  add_parts(p->W, &w->part, &l->tally);
}

void cas_level_step(const cas_problem *p, cas_step_space *w, cas_level *l,
                    const double *increments) {
  if (l->composed) {
    step_composed(p, w, l, increments);
    return;
  }
  if (p->normals.noises)
    p->kernels->truncate(p->normals.noises, p->W, increments, l->bound, l->scale, w->dw,
                         l->tally.clipped);
  for (int k = p->normals.noises * p->W; k < (p->normals.noises + p->normals.areas) * p->W; k++)
    w->dw[k] = l->area_scale * increments[k];
  if (p->declared.normals)
    cas_increments_normals(p, increments, l->variance, w->normals);
  cas_level_move(p, w, l,
                 &(cas_move){.h = l->scheme_scale * l->stepper.h,
                             .dw = w->dw,
                             .increments = increments,
                             .x = l->x,
                             .carry = l->carry,
                             .tally = &l->tally});
}
