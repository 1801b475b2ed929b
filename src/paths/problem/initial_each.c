/* What the paths of a block begin with: one state or one each, and parameters of their own. */
#include "base/hash.h"
#include "base/owned.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/initial.h"
#include "paths/problem/parameters.h"
#include "paths/problem/sections.h"

/* ---- the parameters of one path ---- */

/* What a pass is laid out by, which must be the same for all paths of a problem. */
static const char *find_difference(const cas_problem *p, const cas_problem *one) {
  const cas_system *s = p->system;
  const void *a = p->parameters.all, *b = one->parameters.all;
  if (one->geometry.components != p->geometry.components || one->part != p->part)
    return "the size of states";
  if (s->noise.number(a) + cas_dissipation_noises(p) !=
      s->noise.number(b) + cas_dissipation_noises(one))
    return "the number of noises";
  if (p->W == 1 ? cas_dissipation_acts(s, a) != cas_dissipation_acts(s, b)
                : s->blocks.body(a) != s->blocks.body(b))
    return "how gradients are computed";
  if (s->blocks.one_path && s->blocks.one_path(a) != s->blocks.one_path(b))
    return "how many paths a block has";
  if (cas_system_coefficients(s, a) != cas_system_coefficients(s, b))
    return "the number of coefficients of a step";
  if (p->scheme.options.areas && s->noise.areas(a) != s->noise.areas(b))
    return "the brackets of the noises";
  if (s->momenta.number && s->momenta.number(a) != s->momenta.number(b))
    return "the number of momentum maps";
  if (cas_exchange_acts(p) != cas_exchange_acts(one) ||
      cas_exchange_kicks(p) != cas_exchange_kicks(one))
    return "damping or forcing";
  if (cas_problem_changes_casimirs(p) != cas_problem_changes_casimirs(one))
    return "whether Casimirs change";
  return NULL;
}

static void free_parameters(const cas_problem *p, cas_problem *one) {
  cas_section_release(p->system, one->parameters.all);
  free(one->dissipation.drag);
  one->parameters.all = NULL;
  one->dissipation.drag = NULL;
}

/* Gives *one the parameters of a path, which the configuration has by now. */
static cas_status take_parameters(const cas_problem *p, cas_problem *one, cas_error *err) {
  const cas_system *s = p->system;
  const cas_config *c = p->config;
  one->parameters.all = calloc(1, s->parameters.size);
  CAS_NEED(one->parameters.all);
  CAS_CALL(cas_options_read(c, "system", s->parameters.options, cas_keys_of_others,
                            one->parameters.all, err));
  CAS_CALL(cas_section_check(c, s, MPI_COMM_SELF, one->parameters.all, NULL, err));
  if (p->scheme.options.areas)
    CAS_CALL(s->noise.take_areas(c, one->parameters.all, err));
  cas_geometry_find(p->kernels, p->system, p->body, one->parameters.all, &one->geometry);
  one->geometry.scratch = p->geometry.scratch;
  one->part = p->system->space.part ? p->system->space.part(one->parameters.all) : NULL;
  CAS_CALL(cas_dissipation_read(p->config, one, err));
  const char *differs = find_difference(p, one);
  CAS_REFUSE(c, differs, p->parameters.uncertain->found.value[0].path,
             "%s must be the same for all paths, and is another than that of path 0", differs);
  return CAS_OK;
}

/* ---- blocks ---- */

/* A block whose lanes differ. */
typedef struct {
  const cas_problem *problem;
  int64_t block, stream;
  cas_lane_parameters *own; /* NULL: lanes have the same parameters */
  double *drawn;            /* numbers of a lane */
  double *x;                /* state of a lane; NULL: none is asked for */
  double *state;            /* states of the block as a file holds them; NULL without a file */
  int states;
} lanes_of_block;

/* Also the states behind the last path: lanes of a group end their iterations together, so that a
   path depends on the lanes beside it to the last bits. */
static cas_status read_states(lanes_of_block *b, cas_error *err) {
  const cas_problem *p = b->problem;
  const cas_initial_stack *s = &p->initial.stack;
  const int64_t first = p->initial.source.each ? b->block * p->W : 0, left = s->states - first;
  if (p->initial.source.kind != CAS_STATE_FILE)
    return CAS_OK;
  CAS_FAIL_IF(left <= 0, CAS_INTERNAL, "a stack of %lld states has no block %lld",
              (long long)s->states, (long long)b->block);
  b->states = left < p->W ? (int)left : p->W;
  b->state = malloc((size_t)b->states * s->doubles * sizeof *b->state);
  return b->state ? cas_initial_read_states(p->config, p, first, b->states, b->state, err)
                  : cas_no_memory(err);
}

/* Fills a lane with what lane `from` has. Lanes behind the last state begin at the first. */
static cas_status fill_lane(const lanes_of_block *b, int lane, int from, cas_error *err) {
  const cas_problem *p = b->problem, *one = p;
  const size_t at = from < b->states ? (size_t)from : 0;
  if (b->own) {
    cas_problem *of_lane = &b->own->lane[lane];
    *of_lane = *p;
    of_lane->parameters.lanes = NULL;
    of_lane->parameters.all = NULL;
    of_lane->dissipation.drag = NULL;
    CAS_CALL(cas_parameters_set(p, b->block * p->W + from, b->stream * p->W + from, b->drawn, err));
    CAS_CALL(take_parameters(p, of_lane, err));
    one = of_lane;
  }
  if (!b->x)
    return CAS_OK;
  CAS_CALL(cas_initial_state(p->config, one,
                             b->state ? b->state + at * p->initial.stack.doubles : NULL,
                             b->stream * p->W + from, b->x, err));
  CAS_CALL(cas_initial_check(p->config, one, b->x, err));
  if (b->own && p->system->initial.check_at)
    CAS_CALL(p->system->initial.check_at(p->config, one->parameters.all, b->x, err));
  /* Commuting noises decide the theoretical order. */
  CAS_REFUSE(p->config,
             b->own && p->parameters.uncertain->commuting &&
                 !cas_system_commutes(p->system, one->parameters.all),
             p->parameters.uncertain->found.value[0].path,
             "its noises do not commute, and those of the first paths do");
  return CAS_OK;
}

/* A lane behind the last path takes what the first lane has where its own numbers are invalid. */
static cas_status open_lane(const lanes_of_block *b, int lane, cas_error *err) {
  const cas_problem *p = b->problem;
  const int64_t path = b->block * p->W + lane;
  cas_error found = {0};
  cas_status st;
  for (int from = lane; (st = fill_lane(b, lane, from, &found)); from = 0) {
    if (b->own)
      free_parameters(p, &b->own->lane[lane]);
    if (from == 0 || path < p->initial.paths || st != CAS_BAD_INPUT)
      return b->own ? cas_parameters_explain(p, path, true, st, &found, err)
                    : cas_fail(err, st, "the initial state of path %lld: %s", (long long)path,
                               found.text);
  }
  for (int i = 0; b->own && i < p->parameters.uncertain->found.numbers; i++)
    b->own->drawn[i * p->W + lane] = b->drawn[i];
  return CAS_OK;
}

/* Whether what steps take of the parameters of a lane is in their coefficients, but for what it has
   in common with the problem. */
static bool is_by_coefficients(const cas_problem *p, const cas_problem *one) {
  const cas_by_coefficients *b = p->system->psi.by_coefficients;
  const double *drag = p->dissipation.drag;
  const size_t bytes = (size_t)p->geometry.components * sizeof *drag;
  return b && (!b->same_steps || b->same_steps(p->parameters.all, one->parameters.all)) &&
         (!drag || memcmp(drag, one->dissipation.drag, bytes) == 0);
}

/* Finds what coefficients take of the parameters of all lanes. */
static cas_status find_numbers(const cas_problem *p, cas_lane_parameters *l, cas_error *err) {
  const cas_by_coefficients *b = p->system->psi.by_coefficients;
  const int W = p->W;
  l->by_coefficients = true;
  for (int lane = 0; lane < W; lane++)
    l->by_coefficients = l->by_coefficients && is_by_coefficients(p, &l->lane[lane]);
  if (!l->by_coefficients || !b->numbers)
    return CAS_OK;
  const size_t lines = ((size_t)(b->numbers(p->parameters.all) * W) + 8) / 8;
  l->number = aligned_alloc(64, 64 * lines);
  CAS_NEED(l->number);
  for (int lane = 0; lane < W; lane++)
    b->pack(l->lane[lane].parameters.all, W, l->number + lane);
  return CAS_OK;
}

static cas_status open_lanes(lanes_of_block *b, double *x, cas_error *err) {
  const size_t W = (size_t)b->problem->W, n = (size_t)b->problem->components;
  if (b->x)
    CAS_CALL(read_states(b, err));
  for (size_t lane = 0; lane < W; lane++) {
    CAS_CALL(open_lane(b, (int)lane, err));
    for (size_t k = 0; b->x && k < n; k++)
      x[k * W + lane] = b->x[k];
  }
  return b->own ? find_numbers(b->problem, b->own, err) : CAS_OK;
}

cas_status cas_initial_block(const cas_problem *p, int64_t block, int64_t stream, double *x,
                             cas_lane_parameters *l, cas_error *err) {
  const size_t W = (size_t)p->W, n = (size_t)p->components;
  size_t numbers = 0;
  if (!p->parameters.uncertain)
    l = NULL;
  if (!l && !p->initial.source.each) {
    for (size_t i = 0; i < n * W; i++)
      x[i] = p->initial.x0[i / W];
    return CAS_OK;
  }
  if (l) {
    numbers = (size_t)p->parameters.uncertain->found.numbers;
    cas_initial_close(p, l);
    l->lane = calloc(W, sizeof *l->lane);
    l->drawn = malloc(numbers * W * sizeof *l->drawn);
    CAS_NEED(l->lane && l->drawn);
  }
  CAS_OWNED double *work = malloc((n + numbers) * sizeof *work);
  CAS_NEED(work);
  lanes_of_block b = {p, block, stream, l, work + n, x ? work : NULL, NULL, 0};
  cas_status st = open_lanes(&b, x, err);
  free(b.state);
  return st;
}

void cas_initial_close(const cas_problem *p, cas_lane_parameters *l) {
  for (int lane = 0; l->lane && lane < p->W; lane++)
    free_parameters(p, &l->lane[lane]);
  free(l->lane);
  free(l->number);
  free(l->drawn);
  *l = (cas_lane_parameters){0};
}

/* ---- the paths of a study ---- */

/* Refuses files with fewer rows than paths, and looks at the first paths. */
static cas_status check_uncertain(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                  cas_error *err) {
  const cas_uncertain *u = &p->parameters.uncertain->found;
  for (int i = 0; i < u->values; i++) {
    const cas_uncertain_value *v = &u->value[i];
    if (v->law != CAS_UNCERTAIN_FILE || v->from.row == CAS_UNCERTAIN_ROW_DRAWN)
      continue;
    CAS_REFUSE(c, listed, v->path,
               "every level of this study has independent paths, for which a dataset "
               "has no rows: add `row: drawn`");
    CAS_REFUSE(c, v->from.source.dims[0] < paths, v->path,
               "dataset %s of %s has rows for %lld paths, the study needs %lld; with "
               "`row: drawn` every path draws one of the rows",
               v->from.source.dataset, v->from.source.file, (long long)v->from.source.dims[0],
               (long long)paths);
  }
  const size_t n = (size_t)p->components * (size_t)p->W;
  cas_lane_parameters first = {0};
  CAS_OWNED double *x = malloc(n * sizeof *x);
  p->parameters.uncertain->commuting = false; /* so that nothing is asked of the first paths */
  cas_status st = x ? cas_initial_block(p, 0, 0, x, &first, err) : cas_no_memory(err);
  p->parameters.uncertain->commuting = true;
  for (int lane = 0; !st && lane < p->W; lane++)
    p->parameters.uncertain->commuting &=
        cas_system_commutes(p->system, first.lane[lane].parameters.all);
  cas_initial_close(p, &first);
  return st;
}

cas_status cas_initial_check_paths(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                   cas_error *err) {
  const cas_state_source *i = &p->initial.source;
  const bool in_file = i->each && i->kind == CAS_STATE_FILE;
  CAS_REFUSE(c, i->keep && (listed || !i->each), "system.initial.keep",
             "found true, but %s: there is no list of states to keep",
             listed ? "every level of this study has independent paths"
                    : "all paths start from one state");
  CAS_REFUSE(c, in_file && listed, "system.initial.each",
             "found path, but every level of this study has independent paths, for "
             "which a dataset has no states: give a random state");
  CAS_REFUSE(c, in_file && p->initial.stack.states < paths, "system.initial",
             "dataset %s of %s has states of %lld paths, the study needs %lld", i->dataset, i->file,
             (long long)p->initial.stack.states, (long long)paths);
  p->initial.paths = listed ? INT64_MAX : paths;
  return p->parameters.uncertain ? check_uncertain(c, p, paths, listed, err) : CAS_OK;
}

/* ---- where an earlier run ended ---- */

void cas_initial_end(const cas_problem *p, int64_t block, double *x, double *carry) {
  const size_t n = (size_t)p->components, W = (size_t)p->W;
  for (size_t lane = 0; lane < W; lane++) {
    const size_t path = p->initial.ends.lanes > 1 ? (size_t)block * W + lane : 0;
    const double *end = p->initial.ends.values + 2 * n * path;
    for (size_t k = 0; k < n; k++) {
      x[k * W + lane] = end[k];
      if (carry)
        carry[k * W + lane] = end[n + k];
    }
  }
}

static bool agree(const cas_problem *p, const double *x, const double *end, double *state) {
  const size_t n = (size_t)p->components, numbers = cas_problem_state_doubles(p);
  double most = 0;
  bool same = true;
  cas_problem_state_unpack(p, x, state);
  cas_problem_state_unpack(p, end, state + numbers);
  for (size_t i = 0; i < numbers; i++)
    most = fmax(most, fabs(state[i]));
  for (size_t i = 0; i < numbers; i++)
    same &= fabs(state[i] - state[numbers + i]) <= 1e-12 * most;
  for (size_t k = 0; k < n; k++)
    same &= isfinite(end[n + k]) != 0;
  return same;
}

cas_status cas_initial_ends_check(const cas_problem *p, bool *are, cas_error *err) {
  const size_t n = (size_t)p->components, W = (size_t)p->W;
  CAS_OWNED double *x = malloc(n * W * sizeof *x), *one = malloc(n * sizeof *one),
                   *state = malloc(2 * cas_problem_state_doubles(p) * sizeof *state);
  CAS_CALL(x && one && state ? CAS_OK : cas_no_memory(err));
  const int64_t paths = p->initial.source.each ? p->initial.paths : 1;
  *are = true;
  for (int64_t path = 0; *are && path < paths; path++) {
    const size_t lane = (size_t)path % W;
    if (lane == 0)
      CAS_CALL(cas_initial_block(p, path / p->W, path / p->W, x, NULL, err));
    for (size_t k = 0; k < n; k++)
      one[k] = x[k * W + lane];
    *are = agree(p, one, p->initial.ends.values + 2 * n * (size_t)path, state);
  }
  return CAS_OK;
}

/* ---- the magnitude of states ---- */

/* States that paths begin at, of which there may be any number at random. */
static int64_t states_of(const cas_problem *p) {
  return !p->initial.source.each                    ? 1
         : p->initial.source.kind == CAS_STATE_FILE ? p->initial.stack.states
                                                    : INT64_MAX - p->W;
}

/* Blocks of the first few states, or of all states if these are fewer. */
static int64_t first_blocks(const cas_problem *p) {
  const int64_t few = 16, most = (states_of(p) + p->W - 1) / p->W, blocks = (few + p->W - 1) / p->W;
  return blocks < most ? blocks : most;
}

cas_status cas_initial_magnitude(cas_problem *p, cas_error *err) {
  const size_t W = (size_t)p->W;
  CAS_OWNED double *x = malloc((size_t)p->components * W * sizeof *x);
  CAS_CALL(x ? CAS_OK : cas_no_memory(err));
  for (int64_t b = 0; b < first_blocks(p); b++) {
    CAS_CALL(cas_initial_block(p, b, b, x, NULL, err));
    for (size_t i = 0; i < (size_t)p->geometry.components * W; i++)
      p->initial.magnitude = fmax(p->initial.magnitude, fabs(x[i]));
  }
  return CAS_OK;
}

/* ---- the hash of a stack ---- */

cas_status cas_initial_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                            uint64_t *hash, cas_error *err) {
  const int64_t doubles = (int64_t)p->initial.stack.doubles, window = 1 << 16,
                together = doubles < window ? window / doubles : 1;
  /* The states that paths depend on: of their blocks, and of the magnitude for tolerances. */
  const int64_t states = states_of(p), first_states = first_blocks(p) * p->W,
                blocks = (paths + p->W - 1) / p->W * p->W,
                most = blocks > first_states ? blocks : first_states,
                all = most < states ? most : states;
  CAS_OWNED double *state = malloc((size_t)(together * doubles) * sizeof *state);
  CAS_CALL(state ? CAS_OK : cas_no_memory(err));
  *hash = CAS_HASH_START;
  for (int64_t first = 0, n; first < all; first += n) {
    n = all - first < together ? all - first : together;
    CAS_CALL(cas_initial_read_states(c, p, first, n, state, err));
    *hash = cas_hash(*hash, state, (size_t)(n * doubles) * sizeof *state);
  }
  return CAS_OK;
}
