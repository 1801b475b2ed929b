/* No integer of a configuration is cut: one beyond 32 bits is taken as it is, or refused. */
/* ranks: 1 */
/* needs: sprng */
#include "engine/resume/identity.h"
#include "engine/study/study.h"
#include "fast_clock.h"
#include "study_fixture.h"

#include <inttypes.h>

extern const cas_option cas_output_option_table[];

typedef void visit_option(void *context, const char *path, const cas_option *o);

static void visit_table(const char *prefix, const cas_option *table, visit_option *visit,
                        void *context) {
  for (cas_walk w = cas_walk_begin(table); w.option; cas_walk_next(&w)) {
    const char *path = formatted("%s%s%s", prefix, *prefix ? "." : "", w.option->key);
    if (w.option->type == CAS_SECTION)
      visit_table(path, w.option->section, visit, context);
    else
      visit(context, path, w.option);
  }
}

/* Whether a value of 33 bits is within the bounds of an option. */
static bool is_wide(const cas_option *o) {
  const bool any = o->low == 0 && o->high == 0;
  return (o->type == CAS_INT || o->type == CAS_INTS) && (any || o->high > UINT32_MAX);
}

/* The status of a dry run, and what it says. */
static cas_status describe(const char *system, const char *study, const char *set, int64_t value,
                           char **said) {
  cas_config *c = configuration("%sstudy: {%s}\n", system, study);
  cas_results r;
  cas_error err = {0};
  cas_status st = cas_config_set(c, formatted("%s=%" PRId64, set, value), &err);
  cas_run_request request = {.dry_run = true, .output = "results.h5"};
  PRINTED(text, {
    request.report = f;
    st = st ? st : cas_run(c, &request, MPI_COMM_SELF, &r, &err);
  });
  *said = text;
  return st;
}

typedef struct {
  const char *study;
  int wide;
} base;

/* A small value and the same with another bit, which 32 bits would not hold. */
static void look(void *context, const char *path, const cas_option *o) {
  static const int64_t small[] = {1, 2, 4, 8, 64, 512};
  base *b = context;
  const char *set = formatted("study.%s", path);
  char *one, *other;
  const bool has_aim = strstr(b->study, "kind: mlmc"); /* without one max_paths means nothing */
  if (!is_wide(o) || (!has_aim && strcmp(o->key, "max_paths") == 0))
    return;
  b->wide++;
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    if (describe(STUDY_BODY, b->study, set, small[i], &one))
      continue;
    if (!describe(STUDY_BODY, b->study, set, small[i] + (INT64_C(1) << 32), &other)) {
      const char *const but[] = {formatted(" %s: ", o->key), "time", " ns ", "free", NULL};
      ck_assert_msg(difference_of(one, other, but), "%s: %" PRId64 " is taken as %" PRId64, set,
                    small[i] + (INT64_C(1) << 32), small[i]);
    }
    break;
  }
}

TEST_OVER(studies_take_all_of_an_integer, ALL_STUDIES) {
  const char *study = study_here(_i);
  const cas_study *const *s = cas_studies;
  char kind[80];
  sscanf(study, "kind: %79[a-z_]", kind);
  while (strcmp((*s)->name, kind) != 0)
    s++;
  base b = {study, 0};
  if (strstr(study, "bins: 0")) /* memory in three digits does not tell the number of paths */
    return;
  visit_table("", (*s)->options.table, look, &b);
  ck_assert_int_gt(b.wide, 0);
}

/* Degrees of harmonics are refused above those of the system before they are cut. */
static void count(void *context, const char *path, const cas_option *o) {
  const bool is_degree = strcmp(o->key, "lmin") == 0 || strcmp(o->key, "lmax") == 0;
  if (is_wide(o) && !is_degree)
    ck_abort_msg("%s: %s takes integers above 2^32, and is not tested to do so", (char *)context,
                 path);
}

TEST(other_integers_have_32_bits) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    visit_table((*s)->name, (*s)->parameters.options, count, "system");
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    visit_table((*i)->name, cas_scheme_options(*i), count, "integrator");
  visit_table("", cas_random_option_table, count, "random");
  visit_table("", cas_output_option_table, count, "output");
  visit_table("", cas_identity_run_options, count, "run");
}

/* The state that a random one is: a table of its own, which no registry holds. */
TEST_OVER(random_states_take_all_of_an_integer, 3) {
  static const char *const keys[] = {"seed", "lmin", "lmax"};
  static const char fluid[] = "system: {name: euler_zeitlin, N: 6, noise: {amplitude: 1}, initial: "
                              "{random: {seed: 1, norm: 1, lmin: 1, lmax: 2}}}\n";
  static const char study[] = "kind: ensemble, step: 2^-5, steps: 1, every: 1, paths: 1, bins: 0";
  const char *set = formatted("system.initial.random.%s", keys[_i]);
  char *said;
  ck_assert_int_eq(describe(fluid, study, set, 2, &said), CAS_OK);
  for (int64_t bit = INT64_C(1) << 31; bit < INT64_MAX / 2; bit *= 2)
    ck_assert_int_eq(describe(fluid, study, set, bit + 2, &said), CAS_BAD_INPUT);
}

RUN_TESTS_WITH_MPI
