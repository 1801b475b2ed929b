/* What is left when memory ends: every study with its n-th allocation failing, and all from it on,
   ends with a status, says so, and frees what it had; where it does without, its results are the
   same. CASIMIR_ALLOCATIONS: how many places of each study fail, spread over all. */
/* ranks: 1 */
/* lane: slow */
#include "study_fixture.h"

#include <execinfo.h>
#include <limits.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* ---- the allocations of the library, which the linker leads here (-Wl,--wrap) ---- */

#define WRAPPED(type, name, parameters) \
  type __real_##name parameters;        \
  type __wrap_##name parameters;
WRAPPED(void *, malloc, (size_t size))
WRAPPED(void *, calloc, (size_t n, size_t size))
WRAPPED(void *, realloc, (void *block, size_t size))
WRAPPED(void *, aligned_alloc, (size_t alignment, size_t size))
WRAPPED(char *, strdup, (const char *text))
WRAPPED(char *, strndup, (const char *text, size_t n))
WRAPPED(void, free, (void *block))

enum { SLOTS = 1 << 17, FRAMES = 8 };

static struct {
  uintptr_t block; /* 0: empty, 1: it was freed */
  long number;
  void *from[FRAMES];
} live[SLOTS];
static bool counts, fails_after;
static long seen, fails_at, blocks;

static size_t slot_of(uintptr_t block) {
  return (size_t)((uint64_t)block * UINT64_C(0x9e3779b97f4a7c15) >> 47);
}

static void *add(void *block) {
  size_t i = slot_of((uintptr_t)block);
  if (!block || !counts)
    return block;
  while (live[i].block > 1)
    i = (i + 1) % SLOTS;
  live[i].block = (uintptr_t)block;
  live[i].number = seen;
  memset(live[i].from, 0, sizeof live[i].from);
  backtrace(live[i].from, FRAMES);
  if (++blocks > SLOTS / 2)
    abort(); /* an assertion would allocate */
  return block;
}

static void take(const void *block) {
  size_t i = slot_of((uintptr_t)block);
  while (live[i].block && live[i].block != (uintptr_t)block)
    i = (i + 1) % SLOTS;
  if (!block || !live[i].block)
    return;
  live[i].block = 1;
  blocks--;
}

static bool fails(void) {
  if (!counts || ++seen < fails_at || (seen > fails_at && !fails_after))
    return false;
  errno = ENOMEM;
  return true;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : add(__real_malloc(size)); }

void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : add(__real_calloc(n, size)); }

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : add(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text) { return fails() ? NULL : add(__real_strdup(text)); }

char *__wrap_strndup(const char *text, size_t n) {
  return fails() ? NULL : add(__real_strndup(text, n));
}

void *__wrap_realloc(void *block, size_t size) {
  if (fails())
    return NULL;
  take(block);
  return add(__real_realloc(block, size));
}

void __wrap_free(void *block) {
  take(block);
  __real_free(block);
}

/* ---- studies ---- */

#define BODY                                                                                \
  "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, " \
  "initial: {random: {norm: 1}, each: path}}\nrandom: {generator: threefry}\n"
#define WRITTEN                                                                          \
  "system: {name: lie_poisson, hamiltonian: \"x1^2 + sin(x2)\", noise: [\"0.1*x3^2\", "  \
  "\"0.2*x1\"], initial: [0.3, 0.4, 0.5], observables: {a: x1*x2}}\nintegrator: {name: " \
  "heun}\nrandom: {generator: threefry}\n"
#define STEPS "coarsest_step: 2^-4, coarsest_steps: 2, "
#define FLUID(more)                                                                                \
  "system: {name: euler_zeitlin, N: 5, latitudes: 4, initial: {random: {seed: 1, norm: 1}}, " more \
  "}\n"                                                                                            \
  "random: {generator: threefry}\n"

/* Behind every study of the body, with keys of their own. */
static const char *const texts[] = {
    BODY "study: {kind: convergence, " STEPS
         "levels: 3, reference: 4, paths: 64, functionals: [x1, {a: x1*x2}], path_cost: true}",
    BODY "study: {kind: ensemble, step: 2^-4, steps: 4, every: 2, paths: 128, members: 2, "
         "observables: [x1, angular_velocity]}",
    BODY "study: {kind: trajectory, step: 2^-4, steps: 4, paths: 2, observables: [x1]}",
    WRITTEN "study: {kind: weak, " STEPS "levels: 2, reference: 3, paths: 64, functionals: [a]}",
    BODY "study: {kind: mlmc, " STEPS "epsilon: 0.1, pilot_paths: 64, functionals: [x1]}",
    FLUID("noise: {kind: transport, fields: [[1, 2, 1, 0.3], [2, 3, 0, 0.2]]}, damping: "
          "{viscosity: 0.01}, forcing: {steady: [[2, 1, 0.1]], white: {lmin: 2, lmax: 3, rate: "
          "0.1}}") "study: {kind: ensemble, step: 2^-5, steps: 2, every: 2, paths: 16, "
                   "observables: [energy_balance, vorticity, eigenvalues]}",
    FLUID("noise: {amplitude: 0.5}") "integrator: {name: isospectral_midpoint, weak_order: 2}\n"
                                     "study: {kind: weak, " STEPS
                                     "levels: 2, reference: 3, paths: 16, functionals: [{a: "
                                     "\"coefficient(2,1)^2\"}]}",
};
#define TEXTS (EVERY_STUDY + (int)(sizeof texts / sizeof *texts))

static cas_status run_here(const char *text, cas_results *r, cas_error *err) {
  cas_config *config = NULL;
  const cas_run_request request = {.output = "results.h5"};
  *r = (cas_results){0};
  cas_status st = cas_config_parse(text, strlen(text), "test.yaml", &config, err);
  if (!st)
    st = cas_run(config, &request, MPI_COMM_SELF, r, err);
  cas_config_free(config);
  return st;
}

/* Runs with an allocation failing, and has to end as it should. */
static void run_failing(const char *text, long at, bool after) {
  cas_results r;
  cas_error err = {0};
  const long before = blocks;
  remove("results.h5");
  remove("results.h5.checkpoint");
  remove("results.h5.tmp");
  seen = 0, fails_at = at, fails_after = after, counts = true;
  cas_status st = run_here(text, &r, &err);
  fails_at = LONG_MAX;
  cas_results_free(&r);
  counts = false;
  ck_assert_msg(st == CAS_OK || st == CAS_NO_MEMORY, "allocation %ld%s: status %d, %s\n%s", at,
                after ? " and all after it" : "", st, err.text, text);
  ck_assert_msg(!st || err.text[0], "allocation %ld: nothing is said\n%s", at, text);
  for (size_t i = 0; blocks > before && i < SLOTS; i++) {
    if (live[i].block > 1)
      backtrace_symbols_fd(live[i].from, FRAMES, STDERR_FILENO);
    ck_assert_msg(live[i].block <= 1, "allocation %ld%s fails (status %d): number %ld is left\n%s",
                  at, after ? " and all after it" : "", st, live[i].number, text);
  }
}

/* Long variants end at the time CASIMIR_UNTIL; each study has its share of what is left. */
TEST_OVER(studies_without_memory_end_and_free, TEXTS) {
  const char *wanted = getenv("CASIMIR_ALLOCATIONS"), *until = getenv("CASIMIR_UNTIL"),
             *text = _i < EVERY_STUDY ? formatted(BODY "study: {%s}", study_here(_i))
                                      : texts[_i - EVERY_STUDY];
  const long places = wanted ? atol(wanted) : 40;
  const time_t now = time(NULL),
               end = until ? now + (atol(until) - now) / (TEXTS - _i) : now + 86400;
  for (int warm = 0; warm < 2; warm++) /* what libraries keep for good comes first */
    run_failing(text, LONG_MAX, false);
  const long all = seen;
  ck_assert_int_gt(all, 100);
  for (long k = 0; k < places && k < all && (k < 40 || time(NULL) < end); k++) {
    const long place = k * 7919 % places; /* a prime number: all of them, early ones spread too */
    const long at = places < all ? 1 + place * (all - 1) / (places - 1) : 1 + k;
    run_failing(text, at, false);
    run_failing(text, at, true);
  }
}

RUN_TESTS_WITH_MPI
