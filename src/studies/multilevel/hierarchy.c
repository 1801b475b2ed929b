#include "studies/multilevel/hierarchy.h"

#include <math.h>

/* ---- configuration ---- */

enum { ANTITHETIC, ADJACENT };

/* The twins of levels 1, 2, .. of a pair: of one scheme by itself the fine level with its normals
   in reverse order; of weak order 2, whose steps have areas of their own, both levels with all
   signs. */
typedef struct {
  int levels;
  bool coarse[CAS_HIERARCHY_PAIRED_LEVELS - 2];
  unsigned char twin[CAS_HIERARCHY_PAIRED_LEVELS - 2];
} twins;

static const twins no_twins = {0}, reversed = {.levels = 1, .twin = {CAS_PASS_TWIN_REVERSED}},
                   all_signs = {
                       .levels = 6, .coarse = {true, true, true}, .twin = {1, 2, 3, 1, 2, 3}};

static const char *const couplings[] = {[ANTITHETIC] = "antithetic", [ADJACENT] = "adjacent", NULL};

const cas_option cas_hierarchy_coupling_options[] = {
    CAS_OPTION(cas_hierarchy_options, CHOICE, coupling, .fallback = "antithetic",
               .choices = couplings,
               .help = "antithetic: to a coarse path two fine ones, the second with the fine "
                       "increments of each "
                       "coarse step in reverse order; adjacent: one"),
    {0}};

static bool is_antithetic(const cas_study_run *r) {
  return ((const cas_hierarchy_options *)r->options)->coupling == ANTITHETIC;
}

const char *cas_hierarchy_coupling(const cas_study_run *r) {
  return couplings[((const cas_hierarchy_options *)r->options)->coupling];
}

cas_status cas_hierarchy_check(cas_study_run *r, int step_sizes, const char *finest,
                               cas_hierarchy *h, cas_error *err) {
  cas_hierarchy_options *o = r->options;
  const bool asked = o->coupling == ANTITHETIC && cas_config_has(r->config, "study.coupling"),
             areas = r->problem.scheme.options.areas, one_step = o->span.refinement == 1;
  /* Steps with areas have errors of their own, which no swapped increments cancel. */
  CAS_REFUSE(r->config, areas && asked, "study.coupling",
             "found antithetic beside integrator.areas: increments in reverse order have "
             "opposite areas, which both step sizes have already; must be adjacent");
  CAS_REFUSE(r->config, one_step && asked, "study.coupling",
             "found antithetic, but levels of one step size have no increments in "
             "reverse order; must be adjacent");
  if (areas || one_step)
    o->coupling = ADJACENT;
  CAS_CALL(cas_span_check(r, &o->span, step_sizes - 1, finest, err));
  CAS_CALL(cas_functionals_find(r->config, "study.functionals", &o->functionals, &r->problem,
                                &h->functionals, err));
  CAS_REFUSE(r->config, h->functionals.n == 0, "study.functionals", "is empty: name at least one");
  h->steps = cas_span_plan(&o->span, step_sizes - 1, step_sizes - 1);
  return CAS_OK;
}

/* ---- planning ---- */

int64_t cas_hierarchy_round_up(const cas_study_run *r, int64_t paths) {
  int64_t W = r->problem.W;
  return (paths + W - 1) / W * W;
}

static const twins *twins_of(const cas_study_run *r) {
  if (!is_antithetic(r))
    return &no_twins;
  return r->problem.scheme.options.weak_order == 2 ? &all_signs : &reversed;
}

/* A level of two step sizes, or of one alone where coarse == fine. */
static void plan_level(const cas_study_run *r, const cas_pass_plan *steps, int coarse, int fine,
                       cas_hierarchy_level *l) {
  bool coupled = coarse < fine;
  const twins *t = coupled ? twins_of(r) : &no_twins;
  const bool parted = steps->ratio[coarse] > steps->ratio[fine];
  cas_pass_plan *p = &l->plan;
  *p = (cas_pass_plan){.levels = coupled ? 2 + t->levels : 1,
                       .steps = steps->steps / steps->ratio[fine],
                       .grid = steps->ratio[0] / steps->ratio[fine],
                       .purpose = p->purpose,
                       .stream = p->stream,
                       .stride = p->stride,
                       .paired = parted && (t->levels || r->problem.normals.areas),
                       .first_level = coarse};
  for (int i = 0; i < p->levels; i++) {
    const bool is_coarse = coupled && (i == 0 || (i > 1 && t->coarse[i - 2]));
    p->h[i] = steps->h[is_coarse ? coarse : fine];
    p->size[i] = steps->size[is_coarse ? coarse : fine];
    p->ratio[i] = is_coarse ? steps->ratio[coarse] / steps->ratio[fine] : 1;
    p->twin[i] = i > 1 ? t->twin[i - 2] : 0;
  }
}

static void set_stream(cas_hierarchy *h, int k, int purpose, const cas_problem *p, int level) {
  cas_level_streams s = cas_noise_level_streams(p->noise.generator, level, h->levels);
  cas_pass_plan *plan = &h->level[k].plan;
  plan->purpose = purpose;
  plan->stream = s.first;
  plan->stride = s.stride;
}

static const double enough = 1 << 18; /* lane steps that make a chunk worth merging */

/* Lane steps of a block of a level, in those of small systems. */
static double block_cost(const cas_problem *p, const cas_hierarchy_level *l) {
  return cas_study_plan_steps(&l->plan, p, cas_sizes_step_cost) * p->W;
}

void cas_hierarchy_plan(const cas_study_run *r, cas_hierarchy *h) {
  h->levels = h->steps.levels - 1;
  h->stripes = 1;
  for (int k = 0; k < h->levels; k++) {
    set_stream(h, k, CAS_PURPOSE_MULTILEVEL, &r->problem, k);
    plan_level(r, &h->steps, k, k + 1, &h->level[k]);
    h->level[k].first_path = k * h->path_stride;
  }
  /* A chunk of any level costs as much as one of the finest level, which is worth merging. */
  double most = block_cost(&r->problem, &h->level[h->levels - 1]), wanted = most;
  while (wanted < enough && wanted < 64 * most)
    wanted *= 2;
  for (int k = 0; k < h->levels; k++)
    h->level[k].blocks = (int64_t)(wanted / block_cost(&r->problem, &h->level[k]) + 0.5);
}

void cas_hierarchy_plan_rounds(const cas_study_run *r, cas_hierarchy *h) {
  int plain = h->steps.levels;
  h->levels = plain + 1;
  h->plain = true;
  h->stripes = 4096;
  for (int k = 0; k < plain; k++) {
    cas_hierarchy_level *l = &h->level[k];
    set_stream(h, k, CAS_PURPOSE_MLMC, &r->problem, k);
    plan_level(r, &h->steps, k ? k - 1 : 0, k, l);
    l->blocks = 1;
    while (l->blocks < 64 && 2 * (double)l->blocks * block_cost(&r->problem, l) <= enough)
      l->blocks *= 2;
    l->first_path = k * h->path_stride;
  }
  /* Streams do not depend on the number of levels. */
  set_stream(h, plain, CAS_PURPOSE_MLMC, &r->problem, CAS_STREAM_LEVELS - 1);
  h->level[plain].blocks = 1;
  h->level[plain].first_path = plain * h->path_stride;
}

void cas_hierarchy_plan_plain(cas_hierarchy *h, int fine) {
  cas_hierarchy_level *l = &h->level[h->levels - 1];
  plan_level(NULL, &h->steps, fine, fine, l);
  l->first_path = (h->levels - 1 + fine) * h->path_stride;
}

/* ---- lists of chunks and of paths ---- */

int64_t cas_hierarchy_path_stride(int64_t most) {
  int64_t n = 1000;
  while (n < most)
    n *= 10;
  return n;
}

static int64_t level_chunks(const cas_hierarchy *h, const cas_round *r, int k) {
  int64_t size = h->level[k].blocks;
  return (r->to[k] - r->from[k] + size - 1) / size;
}

cas_status cas_hierarchy_add_round(cas_hierarchy *h, int W, const int64_t *paths, cas_error *err) {
  CAS_FAIL_IF(h->rounds == CAS_ROUNDS_MAX, CAS_INTERNAL, "more than %d rounds of paths",
              CAS_ROUNDS_MAX);
  cas_round *r = &h->round[h->rounds++];
  *r = (cas_round){.first_chunk = h->chunks};
  for (int k = 0; k < h->levels; k++) {
    cas_hierarchy_level *l = &h->level[k];
    r->from[k] = l->paths / W;
    l->paths = r->paths[k] = paths[k] > l->paths ? paths[k] : l->paths;
    r->to[k] = (l->paths + W - 1) / W;
    h->chunks += level_chunks(h, r, k);
  }
  if (!h->path_stride) {
    int64_t path = 0;
    for (int k = 0; k < h->levels; k++) {
      h->level[k].first_path = path;
      path += h->level[k].paths;
    }
  }
  return CAS_OK;
}

static int64_t before_stripe(const cas_hierarchy *h, const cas_round *r, int k, int64_t s) {
  int64_t n = level_chunks(h, r, k), whole = n / h->stripes, rest = n % h->stripes;
  return whole * s + rest * s / h->stripes;
}

static int64_t stripe_begin(const cas_hierarchy *h, const cas_round *r, int64_t s) {
  int64_t n = 0;
  for (int k = 0; k < h->levels; k++)
    n += before_stripe(h, r, k, s);
  return n;
}

/* The last stripe that begins at chunk i of the round or before it. */
static int64_t find_stripe(const cas_hierarchy *h, const cas_round *r, int64_t i) {
  int64_t low = 0, high = h->stripes;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if (stripe_begin(h, r, middle) <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int cas_hierarchy_chunk(const cas_hierarchy *h, int64_t chunk, int64_t *first, int64_t *next) {
  int k = 0;
  const cas_round *r = &h->round[h->rounds - 1];
  while (r > h->round && r->first_chunk > chunk)
    r--;
  int64_t i = chunk - r->first_chunk, s = find_stripe(h, r, i);
  i -= stripe_begin(h, r, s);
  for (; k + 1 < h->levels; k++) {
    int64_t here = before_stripe(h, r, k, s + 1) - before_stripe(h, r, k, s);
    if (i < here)
      break;
    i -= here;
  }
  *first = r->from[k] + (before_stripe(h, r, k, s) + i) * h->level[k].blocks;
  *next = *first + h->level[k].blocks < r->to[k] ? *first + h->level[k].blocks : r->to[k];
  return k;
}

int64_t cas_hierarchy_paths(const cas_hierarchy *h) {
  int64_t n = 0;
  for (int k = 0; k < h->levels; k++)
    n += h->level[k].paths;
  return n;
}

int cas_hierarchy_used_levels(const cas_hierarchy *h) {
  int n = 0;
  while (n < h->levels - h->plain && h->level[n].paths > 0)
    n++;
  return n;
}

static cas_status check_noise(const cas_study_run *r, const cas_hierarchy *h, const char *key,
                              cas_error *err) {
  const cas_generator *g = r->problem.noise.generator;
  int64_t most = cas_noise_level_streams(g, 0, h->levels).blocks;
  if (r->problem.noise.noises == 0)
    return CAS_OK;
  CAS_REFUSE(r->config, g->replayed, "random.generator",
             "found %s, but every level of this study needs independent paths", g->name);
  for (int k = 0; k < h->levels; k++)
    CAS_REFUSE(r->config, h->level[k].paths > 0 && (h->level[k].paths - 1) / r->problem.W >= most,
               key,
               "asks for %lld paths on level %d, but generator %s has streams for "
               "%lld paths a level only",
               (long long)h->level[k].paths, k, g->name, (long long)(most * r->problem.W));
  return CAS_OK;
}

cas_status cas_hierarchy_extend(cas_study_run *r, cas_hierarchy *h, const int64_t *paths,
                                const char *key, cas_error *err) {
  CAS_CALL(cas_hierarchy_add_round(h, r->problem.W, paths, err));
  r->chunks = h->chunks;
  r->round = h->path_stride ? h->rounds : 0;
  r->paths = cas_hierarchy_paths(h);
  CAS_CALL(cas_study_steps_check(r, key, err));
  return check_noise(r, h, key, err);
}

/* ---- slots of a study ---- */

cas_status cas_hierarchy_locate(const cas_study_run *r, int64_t path, cas_pass_plan *plan,
                                int64_t *block, int *lane, cas_error *err) {
  cas_hierarchy h = *(const cas_hierarchy *)r->prepared;
  int64_t W = r->problem.W, fine = h.plain ? path / h.path_stride - (h.levels - 1) : -1;
  int k = h.levels - 1;
  if (fine >= 0 && fine < h.steps.levels)
    cas_hierarchy_plan_plain(&h, (int)fine);
  while (k > 0 && h.level[k].first_path > path)
    k--;
  const cas_hierarchy_level *l = &h.level[k];
  int64_t most = l->plan.levels == 0 ? 0 : h.path_stride ? h.path_stride : l->paths;
  CAS_FAIL_IF(path - l->first_path >= most, CAS_BAD_INPUT,
              "--only-path: found %lld, but the study has paths 0 to %lld", (long long)path,
              (long long)(l->first_path + most) - 1);
  *plan = l->plan;
  *block = (path - l->first_path) / W;
  *lane = (int)((path - l->first_path) % W);
  return CAS_OK;
}

double cas_hierarchy_path_steps(const cas_study_run *r) {
  const cas_hierarchy *h = r->prepared;
  double steps = 0;
  for (int k = 0; k < h->levels; k++)
    steps += (double)h->level[k].paths *
             cas_study_plan_steps(&h->level[k].plan, &r->problem, cas_sizes_cost);
  return steps;
}

double cas_hierarchy_open_seconds(const cas_study_run *r) {
  const cas_hierarchy *h = r->prepared;
  double seconds = 0;
  for (int k = 0; k < h->levels; k++)
    seconds += cas_pass_open_seconds(&r->problem, &h->level[k].plan, 0,
                                     cas_hierarchy_round_up(r, h->level[k].paths) / r->problem.W);
  return seconds;
}

size_t cas_hierarchy_block_bytes(const cas_study_run *r) {
  const cas_hierarchy *h = r->prepared;
  size_t bytes = 0;
  for (int k = 0; k < h->levels; k++)
    bytes += cas_pass_bytes(&r->problem, &h->level[k].plan);
  return bytes;
}

bool cas_hierarchy_grows(const cas_study_run *r) {
  return ((const cas_hierarchy *)r->prepared)->path_stride > 0;
}

void cas_hierarchy_warn(FILE *f, const cas_study_run *r) {
  const cas_integrator *i = r->problem.scheme.integrator;
  if (is_antithetic(r) && !i->antithetic)
    fprintf(f,
            "  errors of %s by Levy areas need not change sign with them: if variances do not fall "
            "like h^2, coupling: adjacent costs less\n",
            i->name);
}
