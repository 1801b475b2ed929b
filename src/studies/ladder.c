#include "studies/ladder.h"

#include <stdlib.h>
#include <string.h>

/* ---- planning ---- */

static void plan_rung(const cas_sweep_plan *steps, int fine, bool antithetic, cas_rung *g) {
  cas_sweep_plan *p = &g->plan;
  *p = (cas_sweep_plan){.levels = 2 + antithetic,
                        .steps = steps->steps / steps->ratio[fine],
                        .grid = steps->ratio[0] / steps->ratio[fine],
                        .antithetic = antithetic,
                        .first_level = fine - 1};
  for (int i = 0; i < p->levels; i++) {
    p->h[i] = steps->h[i == 0 ? fine - 1 : fine];
    p->ratio[i] = i == 0 ? 2 : 1;
  }
}

double cas_rung_steps(const cas_rung *g) {
  double steps = 0;
  for (int i = 0; i < g->plan.levels; i++)
    steps += (double)(g->plan.steps / g->plan.ratio[i]);
  return steps;
}

/* A chunk of the finest rung is worth merging, and those of the others cost as much. */
static void size_chunks(cas_ladder *l, int W) {
  const double enough = 1 << 18; /* lane steps */
  double most = cas_rung_steps(&l->rung[l->rungs - 1]) * W, wanted = most;
  while (wanted < enough && wanted < 64 * most)
    wanted *= 2;
  for (int k = 0; k < l->rungs; k++)
    l->rung[k].blocks = (int64_t)(wanted / (cas_rung_steps(&l->rung[k]) * W) + 0.5);
}

void cas_ladder_plan(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                     cas_ladder *l) {
  l->rungs = steps->levels - 1;
  for (int k = 0; k < l->rungs; k++) {
    cas_rung *g = &l->rung[k];
    plan_rung(steps, k + 1, antithetic, g);
    g->plan.purpose = CAS_PURPOSE_MULTILEVEL;
    g->plan.stream = cas_noise_level_stream(p->noise.generator, k);
  }
  size_chunks(l, p->W);
}

int64_t cas_ladder_list(cas_ladder *l, int W) {
  int64_t chunk = 0, path = 0;
  for (int k = 0; k < l->rungs; k++) {
    cas_rung *g = &l->rung[k];
    int64_t size = g->blocks * W;
    g->first_chunk = chunk;
    g->first_path = path;
    chunk += (g->paths + size - 1) / size;
    path += g->paths;
  }
  return chunk;
}

int64_t cas_ladder_paths(const cas_ladder *l) {
  int64_t n = 0;
  for (int k = 0; k < l->rungs; k++)
    n += l->rung[k].paths;
  return n;
}

double cas_ladder_steps(const cas_ladder *l) {
  double steps = 0;
  for (int k = 0; k < l->rungs; k++)
    steps += (double)l->rung[k].paths * cas_rung_steps(&l->rung[k]);
  return steps;
}

void cas_ladder_locate(const cas_ladder *l, int W, int64_t path, cas_sweep_plan *plan,
                       int64_t *block, int *lane) {
  int k = l->rungs - 1;
  while (k > 0 && l->rung[k].first_path > path)
    k--;
  path -= l->rung[k].first_path;
  *plan = l->rung[k].plan;
  *block = path / W;
  *lane = (int)(path % W);
}

cas_summary_shape cas_ladder_shape(const cas_ladder *l, int step_sizes) {
  return (cas_summary_shape){1 + CAS_RUNG_QUANTITIES * l->functionals, step_sizes, l->rungs, 0};
}

cas_status cas_ladder_check_noise(const cas_run_state *r, const cas_ladder *l, const char *key,
                                  cas_error *err) {
  const cas_generator *g = r->problem.noise.generator;
  int64_t most = cas_noise_level_blocks(g);
  if (r->problem.noise.noises == 0)
    return CAS_OK;
  if (g->replayed)
    return cas_config_fail(r->config, err, "random.generator",
                           "found %s, but every level of this study needs paths of its own",
                           g->name);
  for (int k = 0; k < l->rungs; k++)
    if (l->rung[k].paths > 0 && (l->rung[k].paths - 1) / r->problem.W >= most)
      return cas_config_fail(r->config, err, key,
                             "asks for %lld paths on level %d, but generator %s has streams for "
                             "%lld paths a level only",
                             (long long)l->rung[k].paths, k, g->name,
                             (long long)(most * r->problem.W));
  return CAS_OK;
}

/* ---- integrating ---- */

cas_status cas_climb_begin(const cas_run_state *r, const cas_ladder *l, cas_climb *c,
                           cas_error *err) {
  size_t W = (size_t)r->problem.W;
  *c = (cas_climb){.run = r, .ladder = l, .shape = cas_ladder_shape(l, r->plan.levels)};
  c->value = calloc(3 * W, sizeof(double));
  c->quantity = calloc((size_t)c->shape.quantities * (W + 1), sizeof(double));
  if (!c->value || !c->quantity)
    return cas_fail(err, CAS_NO_MEMORY, "out of memory");
  cas_status st = CAS_OK;
  for (int k = 0; !st && k < l->rungs; k++)
    st = cas_sweep_create(&r->problem, &l->rung[k].plan, &c->sweep[k], err);
  return st;
}

void cas_climb_end(cas_climb *c) {
  for (int k = 0; c->ladder && k < c->ladder->rungs; k++)
    cas_sweep_free(&c->sweep[k]);
  free(c->value);
  free(c->quantity);
}

/* Y, its powers, and what it is made of, of one functional for all lanes; values[member][W] */
static void difference(const cas_climb *c, const cas_sweep_plan *plan, int f) {
  int W = c->run->problem.W;
  const double *coarse = c->value, *fine = coarse + W, *last = coarse + (plan->levels - 1) * W;
  double *q = c->quantity + (1 + CAS_RUNG_QUANTITIES * f) * W;
  for (int lane = 0; lane < W; lane++) {
    double y = coarse[lane] - 0.5 * (fine[lane] + last[lane]);
    q[CAS_RUNG_Y * W + lane] = y;
    q[CAS_RUNG_Y2 * W + lane] = y * y;
    q[CAS_RUNG_Y3 * W + lane] = y * y * y;
    q[CAS_RUNG_Y4 * W + lane] = y * y * y * y;
    q[CAS_RUNG_COARSE * W + lane] = coarse[lane];
    q[CAS_RUNG_FINE * W + lane] = fine[lane];
    q[CAS_RUNG_PAIR * W + lane] = coarse[lane] - fine[lane];
  }
}

static void measure(cas_climb *c, const cas_sweep *s) {
  const cas_problem *p = s->problem;
  int W = p->W;
  memset(c->quantity, 0, (size_t)W * sizeof(double));
  for (int i = 0; i < s->plan->levels; i++)
    for (int lane = 0; lane < W; lane++)
      c->quantity[lane] += s->level[i].tally.iterations[lane];
  for (int f = 0; f < c->ladder->functionals; f++) {
    for (int i = 0; i < s->plan->levels; i++)
      c->ladder->functional[f]->value(p->parameters, W, s->level[i].x, c->value + i * W);
    difference(c, s->plan, f);
  }
}

static void add_path(cas_climb *c, int rung, int lane, cas_summary *summary) {
  int W = c->run->problem.W;
  double *one = c->quantity + c->shape.quantities * W;
  for (int q = 0; q < c->shape.quantities; q++)
    one[q] = c->quantity[q * W + lane];
  if (cas_sweep_admits(&c->sweep[rung], lane, c->shape.quantities, one))
    cas_summary_add(c->shape, summary, rung, one);
}

static cas_status climb_block(cas_climb *c, int rung, int64_t block, cas_summary *summary,
                              cas_error *err) {
  const cas_rung *g = &c->ladder->rung[rung];
  cas_sweep *s = &c->sweep[rung];
  int W = c->run->problem.W;
  int64_t left = g->paths - block * W;
  int active = left < W ? (int)left : W;
  cas_status st = cas_sweep_run(s, block, NULL, NULL, err);
  if (st)
    return st;
  measure(c, s);
  for (int lane = 0; lane < active; lane++)
    add_path(c, rung, lane, summary);
  cas_sweep_health(s, g->first_path + block * W, active, summary);
  return CAS_OK;
}

cas_status cas_climb_chunk(void *climb, cas_sweep *s, int64_t chunk, int active,
                           cas_summary *summary, cas_error *err) {
  cas_climb *c = climb;
  int k = c->ladder->rungs - 1;
  cas_status st = CAS_OK;
  (void)active;
  while (k > 0 && c->ladder->rung[k].first_chunk > chunk)
    k--;
  const cas_rung *g = &c->ladder->rung[k];
  if (s) {
    c->sweep[k].pulse = s->pulse;
    c->sweep[k].pulse_context = s->pulse_context;
  }
  int64_t first = (chunk - g->first_chunk) * g->blocks;
  for (int64_t b = first; !st && b < first + g->blocks && b * c->run->problem.W < g->paths; b++)
    st = climb_block(c, k, b, summary, err);
  return st;
}

/* ---- before a study can be planned ---- */

static cas_status climb_share(cas_climb *c, int64_t chunks, cas_forest *forest, cas_error *err) {
  int ranks = c->run->ranks;
  int64_t next = chunks * (c->run->rank + 1) / ranks;
  cas_summary *chunk = malloc(cas_summary_size(c->shape));
  cas_status st = chunk ? CAS_OK : cas_fail(err, CAS_NO_MEMORY, "out of memory");
  for (int64_t i = chunks * c->run->rank / ranks; !st && i < next; i++) {
    cas_summary_clear(c->shape, chunk);
    st = cas_climb_chunk(c, NULL, i, 0, chunk, err);
    if (!st)
      cas_forest_push(forest, chunk);
  }
  free(chunk);
  return st;
}

static cas_status share_total(const cas_climb *c, const cas_forest *forest, cas_summary **total,
                              cas_error *err) {
  size_t size = cas_summary_size(c->shape);
  *total = malloc(size);
  cas_status st =
      cas_agree(*total ? CAS_OK : cas_fail(err, CAS_NO_MEMORY, "out of memory"), c->run->comm, err);
  if (st)
    return st;
  if (c->run->rank == 0)
    cas_forest_total(forest, *total);
  MPI_Bcast(*total, (int)size, MPI_BYTE, 0, c->run->comm);
  return CAS_OK;
}

cas_status cas_climb_all(cas_run_state *r, cas_ladder *l, cas_summary **total, cas_error *err) {
  cas_climb c;
  int64_t chunks = cas_ladder_list(l, r->problem.W);
  cas_forest *forest = NULL;
  cas_status st = cas_climb_begin(r, l, &c, err);
  *total = NULL;
  if (!st && !(forest = cas_forest_new(c.shape, chunks * r->rank / r->ranks, chunks)))
    st = cas_fail(err, CAS_NO_MEMORY, "out of memory");
  st = cas_agree(st, r->comm, err);
  if (!st)
    st = cas_agree(climb_share(&c, chunks, forest, err), r->comm, err);
  if (!st)
    st = cas_agree(cas_forest_reduce(forest, r->comm, err), r->comm, err);
  if (!st)
    st = share_total(&c, forest, total, err);
  free(forest);
  cas_climb_end(&c);
  return st;
}
