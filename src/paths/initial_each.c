/* Initial states of single paths: drawn at random, or read from a stack in a file. */
#include "base/hash.h"
#include "paths/initial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- states of a stack, as files hold them ---- */

static cas_status read_states(const cas_config *c, const cas_problem *p, int64_t first, int64_t n,
                              double *state, cas_error *err) {
  const cas_initial_stack *s = &p->stack;
  int64_t from[4] = {0}, count[4];
  cas_error found = {0};
  memcpy(count, s->source.dims, sizeof count);
  if (s->axes == 2) {
    from[0] = s->record;
    count[0] = 1;
  }
  from[s->axes - 1] = first;
  count[s->axes - 1] = n;
  cas_status st = cas_dataset_read_part(&s->source, from, count, state, &found);
  return st ? cas_input_fail(c, "system.initial", st, found.text, err) : CAS_OK;
}

cas_status cas_initial_check_paths(const cas_config *c, cas_problem *p, int64_t paths, bool listed,
                                   cas_error *err) {
  if (p->initial.keep && (listed || !p->initial.each))
    return cas_config_fail(c, err, "system.initial.keep",
                           "found true, but %s: there is no list of states to keep",
                           listed ? "every level of this study has independent paths"
                                  : "all paths start from one state");
  if (!p->stack.source.source)
    return CAS_OK;
  if (listed)
    return cas_config_fail(c, err, "system.initial.each",
                           "found path, but every level of this study has independent paths, for "
                           "which a dataset has no states: give a random state");
  if (p->stack.paths < paths)
    return cas_config_fail(
        c, err, "system.initial", "dataset %s of %s has states of %lld paths, the study needs %lld",
        p->initial.dataset, p->initial.file, (long long)p->stack.paths, (long long)paths);
  p->stack.paths = paths;
  return CAS_OK;
}

/* ---- blocks ---- */

/* The states of the paths of a block that the stack has. */
static cas_status read_block(const cas_problem *p, int64_t block, double **state, int *lanes,
                             cas_error *err) {
  int64_t first = block * p->W, left = p->stack.paths - first;
  *lanes = left < p->W ? (int)left : p->W;
  if (left <= 0)
    return cas_fail(err, CAS_INTERNAL, "a stack of %lld states has no block %lld",
                    (long long)p->stack.paths, (long long)block);
  *state = malloc((size_t)*lanes * cas_initial_doubles(p) * sizeof **state);
  return *state ? read_states(p->config, p, first, *lanes, *state, err) : cas_no_memory(err);
}

/* The state of a lane: of `state`, or at random. Lanes behind the last state begin at the first. */
static cas_status find_lane(const cas_problem *p, int64_t stream, const double *state, int lanes,
                            int lane, double *x, cas_error *err) {
  size_t at = lane < lanes ? (size_t)lane : 0;
  if (!state)
    return cas_initial_random(p->config, p, CAS_PURPOSE_INITIAL_PATHS, stream * p->W + lane, x,
                              err);
  return cas_initial_pack(p->config, p, state + at * cas_initial_doubles(p), x, err);
}

/* A state that no path can begin from is named by the number of its path. */
static cas_status take_lane(const cas_problem *p, int64_t block, int64_t stream,
                            const double *state, int lanes, int lane, double *x, cas_error *err) {
  cas_error found = {0};
  cas_status st = find_lane(p, stream, state, lanes, lane, x, &found);
  if (!st)
    st = cas_initial_check(p->config, p, x, &found);
  return st ? cas_fail(err, st, "the initial state of path %lld: %s",
                       (long long)(block * p->W + lane), found.text)
            : CAS_OK;
}

cas_status cas_initial_block(const cas_problem *p, int64_t block, int64_t stream, double *x,
                             cas_error *err) {
  size_t n = (size_t)p->components, W = (size_t)p->W;
  double *state = NULL, *one = malloc(n * sizeof *one);
  int lanes = 0;
  cas_status st = one ? CAS_OK : cas_no_memory(err);
  if (!st && p->stack.source.source)
    st = read_block(p, block, &state, &lanes, err);
  for (size_t lane = 0; !st && lane < W; lane++) {
    st = take_lane(p, block, stream, state, lanes, (int)lane, one, err);
    for (size_t k = 0; !st && k < n; k++)
      x[k * W + lane] = one[k];
  }
  free(state);
  free(one);
  return st;
}

/* ---- where an earlier run ended ---- */

void cas_initial_end(const cas_problem *p, int64_t block, double *x, double *carry) {
  const size_t n = (size_t)p->components, W = (size_t)p->W;
  for (size_t lane = 0; lane < W; lane++) {
    const size_t path = p->ends.lanes > 1 ? (size_t)block * W + lane : 0;
    const double *end = p->ends.values + 2 * n * path;
    for (size_t k = 0; k < n; k++) {
      x[k * W + lane] = end[k];
      if (carry)
        carry[k * W + lane] = end[n + k];
    }
  }
}

/* A state as files hold it. */
static void unpack(const cas_problem *p, const double *x, double *state) {
  if (p->system->unpack)
    p->system->unpack(p->parameters, x, state);
  else
    memcpy(state, x, (size_t)p->components * sizeof *x);
}

static bool agree(const cas_problem *p, const double *x, const double *end, double *state) {
  const size_t n = (size_t)p->components, numbers = cas_problem_state_doubles(p);
  double most = 0;
  bool same = true;
  unpack(p, x, state);
  unpack(p, end, state + numbers);
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
  double *x = malloc(n * W * sizeof *x), *one = malloc(n * sizeof *one),
         *state = malloc(2 * cas_problem_state_doubles(p) * sizeof *state);
  cas_status st = x && one && state ? CAS_OK : cas_no_memory(err);
  const int64_t paths = p->initial.each ? p->stack.paths : 1;
  *are = true;
  for (int64_t path = 0; !st && *are && path < paths; path++) {
    const size_t lane = (size_t)path % W;
    if (p->initial.each && lane == 0)
      st = cas_initial_block(p, path / p->W, path / p->W, x, err);
    for (size_t k = 0; k < n; k++)
      one[k] = p->initial.each ? x[k * W + lane] : p->x0[k];
    if (!st)
      *are = agree(p, one, p->ends.values + 2 * n * (size_t)path, state);
  }
  free(state);
  free(one);
  free(x);
  return st;
}

/* ---- the magnitude of states ---- */

/* Blocks of the first few states, or of all states of the file if these are fewer. */
static int64_t first_blocks(const cas_problem *p, int64_t states) {
  const int64_t few = 16, most = (states + p->W - 1) / p->W, blocks = (few + p->W - 1) / p->W;
  return blocks < most ? blocks : most;
}

static int64_t states_of(const cas_problem *p) {
  const cas_initial_stack *s = &p->stack;
  return s->source.source ? s->source.dims[s->axes - 1] : INT64_MAX - p->W;
}

cas_status cas_initial_magnitude(cas_problem *p, cas_error *err) {
  size_t n = (size_t)p->components * (size_t)p->W;
  double *x = malloc(n * sizeof *x);
  cas_status st = x ? CAS_OK : cas_no_memory(err);
  for (int64_t b = 0; !st && b < first_blocks(p, states_of(p)); b++) {
    st = cas_initial_block(p, b, b, x, err);
    for (size_t i = 0; !st && i < n; i++)
      p->magnitude = fmax(p->magnitude, fabs(x[i]));
  }
  free(x);
  return st;
}

/* ---- the hash of a stack ---- */

/* The states that paths depend on: their own, and those whose magnitude tolerances are relative
   to. */
static int64_t hashed(const cas_problem *p, int64_t paths) {
  int64_t states = states_of(p), first = first_blocks(p, states) * p->W,
          all = paths > first ? paths : first;
  return all < states ? all : states;
}

cas_status cas_initial_hash(const cas_config *c, const cas_problem *p, int64_t paths,
                            uint64_t *hash, cas_error *err) {
  const int64_t doubles = (int64_t)cas_initial_doubles(p), window = 1 << 16,
                together = doubles < window ? window / doubles : 1, all = hashed(p, paths);
  double *state = malloc((size_t)(together * doubles) * sizeof *state);
  cas_status st = state ? CAS_OK : cas_no_memory(err);
  *hash = CAS_HASH_START;
  for (int64_t first = 0, n; !st && first < all; first += n) {
    n = all - first < together ? all - first : together;
    st = read_states(c, p, first, n, state, err);
    if (!st)
      *hash = cas_hash(*hash, state, (size_t)(n * doubles) * sizeof *state);
  }
  free(state);
  return st;
}
