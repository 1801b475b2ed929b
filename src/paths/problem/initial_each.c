/* Initial states of single paths, drawn at random or read from a stack in a file, and their
   parameters. */
#include "base/hash.h"
#include "base/owned.h"
#include "paths/problem/dissipation.h"
#include "paths/problem/exchange.h"
#include "paths/problem/initial.h"
#include "paths/problem/parameters.h"
#include "paths/problem/sections.h"

#include <math.h>

/* ---- states of a stack, as files hold them ---- */

static cas_status read_states(const cas_config *c, const cas_problem *p, int64_t first, int64_t n,
                              double *state, cas_error *err) {
  const cas_initial_stack *s = &p->initial.stack;
  const int64_t before = s->axes == 2 ? s->record * s->source.shape.dims[1] : 0;
  return cas_initial_read_states(c, &s->source, s->axes, before + first, n, state, err);
}

static int64_t states_of(const cas_problem *p) {
  const cas_initial_stack *s = &p->initial.stack;
  return s->source.source ? s->source.shape.dims[s->axes - 1] : INT64_MAX - p->W;
}

cas_status cas_initial_check_paths(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                   cas_error *err) {
  CAS_REFUSE(c, p->initial.source.keep && (listed || !p->initial.source.each),
             "system.initial.keep", "found true, but %s: there is no list of states to keep",
             listed ? "every level of this study has independent paths"
                    : "all paths start from one state");
  if (!p->initial.stack.source.source)
    return CAS_OK;
  CAS_REFUSE(c, listed, "system.initial.each",
             "found path, but every level of this study has independent paths, for "
             "which a dataset has no states: give a random state");
  CAS_REFUSE(c, p->initial.stack.paths < paths, "system.initial",
             "dataset %s of %s has states of %lld paths, the study needs %lld",
             p->initial.source.dataset, p->initial.source.file, (long long)p->initial.stack.paths,
             (long long)paths);
  p->initial.stack.paths = paths;
  return CAS_OK;
}

/* ---- blocks ---- */

/* The states of a block that the stack has, also those behind the last path: lanes of a group end
   their iterations together, so that a path depends on the lanes beside it to the last bits. */
static cas_status read_block(const cas_problem *p, int64_t block, double **state, int *lanes,
                             cas_error *err) {
  int64_t first = block * p->W, left = states_of(p) - first;
  *lanes = left < p->W ? (int)left : p->W;
  CAS_FAIL_IF(left <= 0, CAS_INTERNAL, "a stack of %lld states has no block %lld",
              (long long)states_of(p), (long long)block);
  *state = malloc((size_t)*lanes * cas_initial_doubles(p) * sizeof **state);
  return *state ? read_states(p->config, p, first, *lanes, *state, err) : cas_no_memory(err);
}

/* Reads the state of one path alone; lanes behind the last state have that one. */
static cas_status read_alone(const cas_problem *one, int64_t path, double *x, cas_error *err) {
  const int64_t last = states_of(one) - 1;
  double lost;
  CAS_OWNED double *state = malloc(cas_initial_doubles(one) * sizeof *state);
  CAS_CALL(state ? read_states(one->config, one, path < last ? path : last, 1, state, err)
                 : cas_no_memory(err));
  return cas_initial_pack(one->config, one, state, x, &lost, err);
}

/* The state of a lane: of `state`, which has those of a block, or found for itself. Lanes behind
   the last state of a block begin at the first. */
static cas_status find_lane(const cas_problem *p, int64_t block, int64_t stream,
                            const double *state, int lanes, int lane, double *x, cas_error *err) {
  const size_t at = lane < lanes ? (size_t)lane : 0;
  double lost;
  if (state)
    return cas_initial_pack(p->config, p, state + at * cas_initial_doubles(p), x, &lost, err);
  if (!p->initial.source.each)
    return cas_initial_again(p, x, err);
  if (p->initial.stack.source.source)
    return read_alone(p, block * p->W + lane, x, err);
  return cas_initial_random(p->config, p, CAS_PURPOSE_INITIAL_PATHS, stream * p->W + lane, x, err);
}

/* A lane behind the last path of a stack takes the state of the first lane where no path can begin
   from its own. */
static cas_status take_lane(const cas_problem *p, int64_t block, int64_t stream,
                            const double *state, int lanes, int lane, double *x, cas_error *err) {
  const bool is_behind =
      p->initial.stack.source.source && block * p->W + lane >= p->initial.stack.paths;
  cas_status st = find_lane(p, block, stream, state, lanes, lane, x, err);
  if (!st)
    st = cas_initial_check(p->config, p, x, err);
  return st && lane > 0 && is_behind ? take_lane(p, block, stream, state, lanes, 0, x, err) : st;
}

cas_status cas_initial_lane(const cas_problem *one, int64_t block, int64_t stream, int lane,
                            double *x, cas_error *err) {
  return take_lane(one, block, stream, NULL, 0, lane, x, err);
}

cas_status cas_initial_block(const cas_problem *p, int64_t block, int64_t stream, double *x,
                             cas_error *err) {
  size_t n = (size_t)p->components, W = (size_t)p->W;
  CAS_OWNED double *state = NULL, *one = malloc(n * sizeof *one);
  int lanes = 0;
  CAS_CALL(one ? CAS_OK : cas_no_memory(err));
  if (p->initial.stack.source.source)
    CAS_CALL(read_block(p, block, &state, &lanes, err));
  for (size_t lane = 0; lane < W; lane++) {
    cas_error found = {0};
    cas_status st = take_lane(p, block, stream, state, lanes, (int)lane, one, &found);
    CAS_FAIL_IF(st, st, "the initial state of path %lld: %s",
                (long long)(block * p->W) + (long long)lane, found.text);
    for (size_t k = 0; k < n; k++)
      x[k * W + lane] = one[k];
  }
  return CAS_OK;
}

/* ---- the parameters of one path ---- */

/* What a pass is laid out by, which must be the same for all paths of a problem. */
static const char *find_difference(const cas_problem *p, const cas_problem *one) {
  const cas_system *s = p->system;
  const void *a = p->parameters.all, *b = one->parameters.all;
  if (one->geometry.components != p->geometry.components || one->part != p->part)
    return "the size of states";
  if (s->noises(a) + cas_dissipation_noises(p) != s->noises(b) + cas_dissipation_noises(one))
    return "the number of noises";
  if (p->one_path ? cas_dissipation_acts(s, a) != cas_dissipation_acts(s, b)
                  : s->body(a) != s->body(b))
    return "how gradients are computed";
  if (s->one_path && s->one_path(a) != s->one_path(b))
    return "how many paths a block has";
  if (cas_system_coefficients(s, a) != cas_system_coefficients(s, b))
    return "the number of coefficients of a step";
  if (p->scheme.options.areas && s->areas(a) != s->areas(b))
    return "the brackets of the noises";
  if (s->momenta && s->momenta(a) != s->momenta(b))
    return "the number of momentum maps";
  if (cas_exchange_acts(p) != cas_exchange_acts(one) ||
      cas_exchange_kicks(p) != cas_exchange_kicks(one))
    return "damping or forcing";
  if (cas_problem_changes_casimirs(p) != cas_problem_changes_casimirs(one))
    return "whether Casimirs change";
  return NULL;
}

static cas_status check_difference(const cas_problem *p, const cas_problem *one, cas_error *err) {
  const char *what = find_difference(p, one);
  if (!what)
    return CAS_OK;
  return cas_config_fail(p->config, err, p->parameters.uncertain->found.value[0].path,
                         "%s must be the same for all paths, and is another than that of path 0",
                         what);
}

/* The parameters of a path, and its initial state, x[components], if that is asked for. */
static cas_status make_lane(const cas_problem *p, int64_t block, int64_t stream, int lane,
                            double *x, cas_problem *one, cas_error *err) {
  /* Reads parameters from the configuration, which has the numbers of the path. */
  static const char *const also[] = {"name", "initial", "file", "file_hash", NULL};
  const cas_system *s = p->system;
  const cas_config *c = p->config;
  one->parameters.all = calloc(1, s->parameters_size);
  CAS_NEED(one->parameters.all);
  CAS_CALL(cas_options_read(c, "system", s->options, also, one->parameters.all, err));
  CAS_CALL(cas_section_check(c, s, MPI_COMM_SELF, one->parameters.all, NULL, err));
  if (p->scheme.options.areas)
    CAS_CALL(s->take_areas(c, one->parameters.all, err));
  cas_geometry_find(p->kernels, p->system, p->body, one->parameters.all, &one->geometry);
  one->geometry.scratch = p->geometry.scratch;
  one->part = p->system->part ? p->system->part(one->parameters.all) : NULL;
  CAS_CALL(cas_dissipation_read(p->config, one, err));
  CAS_CALL(check_difference(p, one, err));
  if (!x)
    return CAS_OK;
  CAS_CALL(cas_initial_lane(one, block, stream, lane, x, err));
  if (p->system->check_at)
    CAS_CALL(p->system->check_at(p->config, one->parameters.all, x, err));
  /* Whether noises commute decides the order that theory gives. */
  if (!p->parameters.uncertain->commuting || cas_system_commutes(p->system, one->parameters.all))
    return CAS_OK;
  return cas_config_fail(p->config, err, p->parameters.uncertain->found.value[0].path,
                         "its noises do not commute, and those of the first paths do");
}

static void free_parameters(const cas_problem *p, cas_problem *one) {
  cas_section_release(p->system, one->parameters.all);
  free(one->dissipation.drag);
  one->parameters.all = NULL;
  one->dissipation.drag = NULL;
}

/* A lane behind the last path takes the numbers of the first lane where its own are invalid. */
static cas_status open_lane(const cas_problem *p, int64_t block, int64_t stream, int lane,
                            double *x, cas_lane_parameters *l, double *drawn, cas_error *err) {
  const int64_t path = block * p->W + lane;
  cas_error found = {0};
  for (int from = lane;; from = 0) {
    cas_problem *one = &l->lane[lane];
    *one = *p;
    one->parameters.lanes = NULL;
    one->parameters.all = NULL;
    one->dissipation.drag = NULL;
    cas_status st = cas_parameters_set(p, block * p->W + from, stream * p->W + from, drawn, &found);
    if (!st)
      st = make_lane(p, block, stream, lane, x, one, &found);
    if (!st)
      break;
    free_parameters(p, one);
    if (from == 0 || path < p->parameters.uncertain->paths || st != CAS_BAD_INPUT)
      return cas_parameters_explain(p, path, true, st, &found, err);
  }
  for (int i = 0; i < p->parameters.uncertain->found.numbers; i++)
    l->drawn[i * p->W + lane] = drawn[i];
  return CAS_OK;
}

/* Whether what steps take of the parameters of a lane is in their coefficients, but for what it has
   in common with the problem. */
static bool is_by_coefficients(const cas_problem *p, const cas_problem *one) {
  const cas_by_coefficients *b = p->system->by_coefficients;
  const double *drag = p->dissipation.drag;
  const size_t bytes = (size_t)p->geometry.components * sizeof *drag;
  return b && (!b->same_steps || b->same_steps(p->parameters.all, one->parameters.all)) &&
         (!drag || memcmp(drag, one->dissipation.drag, bytes) == 0);
}

/* Finds what coefficients take of the parameters of all lanes. */
static cas_status find_numbers(const cas_problem *p, cas_lane_parameters *l, cas_error *err) {
  const cas_by_coefficients *b = p->system->by_coefficients;
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

cas_status cas_parameters_open(const cas_problem *p, int64_t block, int64_t stream, double *x,
                               cas_lane_parameters *l, cas_error *err) {
  const size_t W = (size_t)p->W, n = (size_t)p->components,
               numbers = (size_t)p->parameters.uncertain->found.numbers;
  cas_parameters_close(p, l);
  l->lane = calloc(W, sizeof *l->lane);
  l->drawn = malloc(numbers * W * sizeof *l->drawn);
  CAS_OWNED double *work = malloc((n + numbers) * sizeof *work);
  if (!l->lane || !l->drawn || !work)
    return cas_no_memory(err);
  for (size_t lane = 0; lane < W; lane++) {
    CAS_CALL(open_lane(p, block, stream, (int)lane, x ? work : NULL, l, work + n, err));
    for (size_t k = 0; x && k < n; k++)
      x[k * W + lane] = work[k];
  }
  return find_numbers(p, l, err);
}

void cas_parameters_close(const cas_problem *p, cas_lane_parameters *l) {
  for (int lane = 0; l->lane && lane < p->W; lane++)
    free_parameters(p, &l->lane[lane]);
  free(l->lane);
  free(l->number);
  free(l->drawn);
  *l = (cas_lane_parameters){0};
}

cas_status cas_parameters_check_paths(const cas_config *c, cas_problem *p, int64_t paths,
                                      bool listed, cas_error *err) {
  if (!p->parameters.uncertain)
    return CAS_OK;
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
  p->parameters.uncertain->paths = listed ? INT64_MAX : paths;
  const size_t n = (size_t)p->components * (size_t)p->W;
  cas_lane_parameters first = {0};
  CAS_OWNED double *x = malloc(n * sizeof *x);
  p->parameters.uncertain->commuting = false; /* so that nothing is asked of the first paths */
  cas_status st = x ? cas_parameters_open(p, 0, 0, x, &first, err) : cas_no_memory(err);
  p->parameters.uncertain->commuting = true;
  for (int lane = 0; !st && lane < p->W; lane++)
    p->parameters.uncertain->commuting &=
        cas_system_commutes(p->system, first.lane[lane].parameters.all);
  cas_parameters_close(p, &first);
  return st;
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
  const int64_t paths = p->initial.source.each ? p->initial.stack.paths : 1;
  *are = true;
  for (int64_t path = 0; *are && path < paths; path++) {
    const size_t lane = (size_t)path % W;
    if (p->initial.source.each && lane == 0)
      CAS_CALL(cas_initial_block(p, path / p->W, path / p->W, x, err));
    for (size_t k = 0; k < n; k++)
      one[k] = p->initial.source.each ? x[k * W + lane] : p->initial.x0[k];
    *are = agree(p, one, p->initial.ends.values + 2 * n * (size_t)path, state);
  }
  return CAS_OK;
}

/* ---- the magnitude of states ---- */

/* Blocks of the first few states, or of all states of the file if these are fewer. */
static int64_t first_blocks(const cas_problem *p, int64_t states) {
  const int64_t few = 16, most = (states + p->W - 1) / p->W, blocks = (few + p->W - 1) / p->W;
  return blocks < most ? blocks : most;
}

cas_status cas_initial_magnitude(cas_problem *p, cas_error *err) {
  size_t n = (size_t)p->components * (size_t)p->W;
  CAS_OWNED double *x = malloc(n * sizeof *x);
  CAS_CALL(x ? CAS_OK : cas_no_memory(err));
  for (int64_t b = 0; b < first_blocks(p, states_of(p)); b++) {
    CAS_CALL(cas_initial_block(p, b, b, x, err));
    for (size_t i = 0; i < n; i++)
      p->magnitude = fmax(p->magnitude, fabs(x[i]));
  }
  return CAS_OK;
}

/* ---- the hash of a stack ---- */

/* The states that paths depend on: those of their blocks, and those whose magnitude tolerances are
   relative to. */
static int64_t hashed(const cas_problem *p, int64_t paths) {
  int64_t states = states_of(p), first = first_blocks(p, states) * p->W,
          blocks = (paths + p->W - 1) / p->W * p->W, all = blocks > first ? blocks : first;
  return all < states ? all : states;
}

cas_status cas_initial_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                            uint64_t *hash, cas_error *err) {
  const int64_t doubles = (int64_t)cas_initial_doubles(p), window = 1 << 16,
                together = doubles < window ? window / doubles : 1, all = hashed(p, paths);
  CAS_OWNED double *state = malloc((size_t)(together * doubles) * sizeof *state);
  CAS_CALL(state ? CAS_OK : cas_no_memory(err));
  *hash = CAS_HASH_START;
  for (int64_t first = 0, n; first < all; first += n) {
    n = all - first < together ? all - first : together;
    CAS_CALL(read_states(c, p, first, n, state, err));
    *hash = cas_hash(*hash, state, (size_t)(n * doubles) * sizeof *state);
  }
  return CAS_OK;
}
