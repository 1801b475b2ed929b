#include "studies/multilevel/hierarchy.h"

#include <math.h>
#include <stdlib.h>

/* ---- configuration ---- */

enum { ANTITHETIC, ADJACENT };

static const char *const couplings[] = {[ANTITHETIC] = "antithetic", [ADJACENT] = "adjacent", NULL};

const cas_option cas_coupling_options[] = {
    {.key = "coupling",
     .type = CAS_CHOICE,
     .offset = offsetof(cas_hierarchy_options, coupling),
     .fallback = "antithetic",
     .choices = couplings,
     .help =
         "antithetic: to a coarse path two fine ones, the second with the halves of each coarse "
         "step swapped; adjacent: one"},
    {0}};

bool cas_is_antithetic(const cas_run_state *r) {
  return ((const cas_hierarchy_options *)r->options)->coupling == ANTITHETIC;
}

const char *cas_coupling(const cas_run_state *r) {
  return couplings[((const cas_hierarchy_options *)r->options)->coupling];
}

cas_status cas_hierarchy_check(cas_run_state *r, int64_t halvings, const char *finest,
                               cas_hierarchy *l, cas_error *err) {
  cas_hierarchy_options *o = r->options;
  cas_status st = cas_span_check(r, &o->span, halvings, finest, err);
  if (!st)
    st = cas_functionals_find(r, &o->functionals, &l->functional, err);
  if (!st && o->functionals.n == 0)
    st = cas_config_fail(r->config, err, "study.functionals", "is empty: name at least one");
  l->functionals = o->functionals.n;
  return st;
}

/* ---- planning ---- */

void cas_hierarchy_step_sizes(const cas_span *s, int levels, cas_sweep_plan *plan) {
  int L = levels - 1;
  *plan =
      (cas_sweep_plan){.levels = levels, .grid = INT64_C(1) << L, .steps = s->coarsest_steps << L};
  for (int j = 0; j <= L; j++) {
    plan->h[j] = ldexp(s->coarsest_step, -j);
    plan->ratio[j] = INT64_C(1) << (L - j);
  }
}

int64_t cas_round_up_to_blocks(const cas_run_state *r, int64_t paths) {
  int64_t W = r->problem.W;
  return (paths + W - 1) / W * W;
}

/* coarse == fine: that step size alone */
static void plan_level(const cas_sweep_plan *steps, int coarse, int fine, bool antithetic,
                       cas_hierarchy_level *g) {
  bool coupled = coarse < fine;
  cas_sweep_plan *p = &g->plan;
  *p = (cas_sweep_plan){.levels = coupled ? 2 + antithetic : 1,
                        .steps = steps->steps / steps->ratio[fine],
                        .grid = steps->ratio[0] / steps->ratio[fine],
                        .purpose = p->purpose,
                        .stream = p->stream,
                        .stride = p->stride,
                        .antithetic = coupled && antithetic,
                        .first_level = coarse};
  for (int i = 0; i < p->levels; i++) {
    p->h[i] = steps->h[i == 0 ? coarse : fine];
    p->ratio[i] = coupled && i == 0 ? 2 : 1;
  }
}

static void set_stream(cas_hierarchy *l, int k, int purpose, const cas_problem *p, int level) {
  cas_level_streams s = cas_noise_level_streams(p->noise.generator, level, l->levels);
  cas_sweep_plan *plan = &l->level[k].plan;
  plan->purpose = purpose;
  plan->stream = s.first;
  plan->stride = s.stride;
}

double cas_hierarchy_level_steps(const cas_hierarchy_level *g) {
  double steps = 0;
  for (int i = 0; i < g->plan.levels; i++)
    steps += (double)(g->plan.steps / g->plan.ratio[i]);
  return steps;
}

static const double enough = 1 << 18; /* lane steps that make a chunk worth merging */

/* Those of the other levels cost as much as one of the finest. */
static void size_chunks_alike(cas_hierarchy *l, int W) {
  double most = cas_hierarchy_level_steps(&l->level[l->levels - 1]) * W, wanted = most;
  while (wanted < enough && wanted < 64 * most)
    wanted *= 2;
  for (int k = 0; k < l->levels; k++)
    l->level[k].blocks = (int64_t)(wanted / (cas_hierarchy_level_steps(&l->level[k]) * W) + 0.5);
}

static void size_chunk(cas_hierarchy_level *g, int W) {
  double most = cas_hierarchy_level_steps(g) * W;
  g->blocks = 1;
  while (g->blocks < 64 && 2 * (double)g->blocks * most <= enough)
    g->blocks *= 2;
}

void cas_hierarchy_plan(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                        cas_hierarchy *l) {
  l->levels = steps->levels - 1;
  l->stripes = 1;
  for (int k = 0; k < l->levels; k++) {
    set_stream(l, k, CAS_PURPOSE_MULTILEVEL, p, k);
    plan_level(steps, k, k + 1, antithetic, &l->level[k]);
    l->level[k].first_path = k * l->path_stride;
  }
  size_chunks_alike(l, p->W);
}

void cas_hierarchy_plan_rounds(const cas_sweep_plan *steps, bool antithetic, const cas_problem *p,
                               cas_hierarchy *l) {
  l->levels = steps->levels + 1;
  l->stripes = 4096;
  for (int k = 0; k < steps->levels; k++) {
    set_stream(l, k, CAS_PURPOSE_MLMC, p, k);
    plan_level(steps, k ? k - 1 : 0, k, antithetic, &l->level[k]);
    size_chunk(&l->level[k], p->W);
    l->level[k].first_path = k * l->path_stride;
  }
  /* the same numbers, however many levels there are */
  set_stream(l, steps->levels, CAS_PURPOSE_MLMC, p, CAS_STREAM_LEVELS - 1);
  l->level[steps->levels].blocks = 1;
  l->level[steps->levels].first_path = steps->levels * l->path_stride;
}

void cas_hierarchy_plan_plain(const cas_sweep_plan *steps, int fine, cas_hierarchy *l) {
  cas_hierarchy_level *g = &l->level[l->levels - 1];
  plan_level(steps, fine, fine, false, g);
  g->first_path = (l->levels - 1 + fine) * l->path_stride;
}

/* ---- lists of chunks and of paths ---- */

int64_t cas_hierarchy_path_stride(int64_t most) {
  int64_t n = 1000;
  while (n < most)
    n *= 10;
  return n;
}

static void number_paths(cas_hierarchy *l) {
  int64_t path = 0;
  for (int k = 0; k < l->levels; k++) {
    l->level[k].first_path = path;
    path += l->level[k].paths;
  }
}

static int64_t level_chunks(const cas_hierarchy *l, const cas_round *r, int k) {
  int64_t size = l->level[k].blocks;
  return (r->to[k] - r->from[k] + size - 1) / size;
}

cas_status cas_hierarchy_add_round(cas_hierarchy *l, int W, const int64_t *paths, cas_error *err) {
  if (l->rounds == CAS_ROUNDS_MAX)
    return cas_fail(err, CAS_INTERNAL, "more than %d rounds of paths", CAS_ROUNDS_MAX);
  cas_round *r = &l->round[l->rounds++];
  *r = (cas_round){.first_chunk = l->chunks};
  for (int k = 0; k < l->levels; k++) {
    cas_hierarchy_level *g = &l->level[k];
    r->from[k] = g->paths / W;
    g->paths = r->paths[k] = paths[k] > g->paths ? paths[k] : g->paths;
    r->to[k] = (g->paths + W - 1) / W;
    l->chunks += level_chunks(l, r, k);
  }
  if (!l->path_stride)
    number_paths(l);
  return CAS_OK;
}

/* Chunks of level k before stripe s. */
static int64_t before_stripe(const cas_hierarchy *l, const cas_round *r, int k, int64_t s) {
  int64_t n = level_chunks(l, r, k), whole = n / l->stripes, rest = n % l->stripes;
  return whole * s + rest * s / l->stripes;
}

static int64_t stripe_begin(const cas_hierarchy *l, const cas_round *r, int64_t s) {
  int64_t n = 0;
  for (int k = 0; k < l->levels; k++)
    n += before_stripe(l, r, k, s);
  return n;
}

/* the last stripe that begins at chunk i of the round or before it */
static int64_t find_stripe(const cas_hierarchy *l, const cas_round *r, int64_t i) {
  int64_t low = 0, high = l->stripes;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (stripe_begin(l, r, middle) <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int cas_hierarchy_chunk(const cas_hierarchy *l, int64_t chunk, int64_t *first, int64_t *next) {
  int k = 0;
  const cas_round *r = &l->round[l->rounds - 1];
  while (r > l->round && r->first_chunk > chunk)
    r--;
  int64_t i = chunk - r->first_chunk, s = find_stripe(l, r, i);
  i -= stripe_begin(l, r, s);
  for (; k + 1 < l->levels; k++) {
    int64_t here = before_stripe(l, r, k, s + 1) - before_stripe(l, r, k, s);
    if (i < here)
      break;
    i -= here;
  }
  *first = r->from[k] + (before_stripe(l, r, k, s) + i) * l->level[k].blocks;
  *next = *first + l->level[k].blocks < r->to[k] ? *first + l->level[k].blocks : r->to[k];
  return k;
}

int64_t cas_hierarchy_paths(const cas_hierarchy *l) {
  int64_t n = 0;
  for (int k = 0; k < l->levels; k++)
    n += l->level[k].paths;
  return n;
}

cas_status cas_hierarchy_locate(const cas_hierarchy *l, int W, int64_t path, cas_sweep_plan *plan,
                                int64_t *block, int *lane, cas_error *err) {
  int k = l->levels - 1;
  while (k > 0 && l->level[k].first_path > path)
    k--;
  const cas_hierarchy_level *g = &l->level[k];
  int64_t most = l->path_stride ? l->path_stride : g->paths;
  if (path - g->first_path >= most || g->plan.levels == 0)
    return cas_fail(err, CAS_BAD_INPUT,
                    "--only-path: found %lld, but the study has paths 0 to %lld", (long long)path,
                    (long long)(g->first_path + (g->plan.levels ? most : 0)) - 1);
  path -= g->first_path;
  *plan = g->plan;
  *block = path / W;
  *lane = (int)(path % W);
  return CAS_OK;
}

cas_summary_shape cas_hierarchy_shape(const cas_hierarchy *l, int step_sizes) {
  return (cas_summary_shape){CAS_LEVEL_SHARED + CAS_LEVEL_QUANTITIES * l->functionals, step_sizes,
                             l->levels, 0};
}

static cas_status check_noise(const cas_run_state *r, const cas_hierarchy *l, const char *key,
                              cas_error *err) {
  const cas_generator *g = r->problem.noise.generator;
  int64_t most = cas_noise_level_streams(g, 0, l->levels).blocks;
  if (r->problem.noise.noises == 0)
    return CAS_OK;
  if (g->replayed)
    return cas_config_fail(r->config, err, "random.generator",
                           "found %s, but every level of this study needs paths of its own",
                           g->name);
  for (int k = 0; k < l->levels; k++)
    if (l->level[k].paths > 0 && (l->level[k].paths - 1) / r->problem.W >= most)
      return cas_config_fail(r->config, err, key,
                             "asks for %lld paths on level %d, but generator %s has streams for "
                             "%lld paths a level only",
                             (long long)l->level[k].paths, k, g->name,
                             (long long)(most * r->problem.W));
  return CAS_OK;
}

cas_status cas_hierarchy_extend(cas_run_state *r, cas_hierarchy *l, const int64_t *paths,
                                const char *key, cas_error *err) {
  cas_status st = cas_hierarchy_add_round(l, r->problem.W, paths, err);
  r->chunks = l->chunks;
  r->paths = cas_hierarchy_paths(l);
  if (!st)
    st = cas_steps_check(r, key, err);
  return st ? st : check_noise(r, l, key, err);
}

/* ---- of a study ---- */

void cas_hierarchy_release(cas_run_state *r) {
  cas_hierarchy *l = r->prepared;
  if (l)
    free(l->functional);
  free(l);
  r->prepared = NULL;
}

double cas_hierarchy_path_steps(const cas_run_state *r) {
  const cas_hierarchy *l = r->prepared;
  double steps = 0;
  for (int k = 0; k < l->levels; k++)
    steps += (double)l->level[k].paths * cas_hierarchy_level_steps(&l->level[k]);
  return steps;
}

double cas_hierarchy_open_seconds(const cas_run_state *r) {
  const cas_hierarchy *l = r->prepared;
  double seconds = 0;
  for (int k = 0; k < l->levels; k++)
    seconds += cas_sweep_open_seconds(&r->problem, &l->level[k].plan, 0,
                                      cas_round_up_to_blocks(r, l->level[k].paths) / r->problem.W);
  return seconds;
}

size_t cas_hierarchy_block_bytes(const cas_run_state *r) {
  const cas_hierarchy *l = r->prepared;
  size_t bytes = 0;
  for (int k = 0; k < l->levels; k++)
    bytes += cas_sweep_bytes(&r->problem, &l->level[k].plan);
  return bytes;
}

void cas_hierarchy_warn(FILE *f, const cas_run_state *r) {
  const cas_integrator *i = r->problem.integrator;
  if (cas_is_antithetic(r) && !i->antithetic)
    fprintf(f,
            "  errors of %s by Levy areas need not change sign with them: if variances do not fall "
            "like h^2, coupling: adjacent costs less\n",
            i->name);
}
