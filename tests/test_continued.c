/* Runs that begin at a record of an earlier run: with random.stream: continue they are that run,
   gone on with; without it they say that noise is repeated. Records at times of one's own. */
/* ranks: 1 2 */
/* lane: slow from 2 ranks */
/* needs: sprng */
#include "study_fixture.h"

static char notices[4000];

static void take_notice(void *context CAS_UNUSED, const char *text) {
  strncat(notices, text, sizeof notices - strlen(notices) - 1);
}

#define RIGID_BODY "name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.4}"
#define START "[0.6, 0, 0.8]"
#define BEGUN(index) "{file: begun.h5, dataset: trajectory/state, index: " index "}"

/* Runs a study from a state (NULL: that of `system`); `notices` gets what is said of noise. */
static cas_status run_system(const char *system, const char *integrator, const char *initial,
                             const char *random, const char *study, cas_error *err) {
  cas_results out = {0};
  cas_config *config =
      configuration("system: {%s}\nintegrator: {%s}\nrandom: {%s}\nstudy: {kind: trajectory, %s}\n",
                    system, integrator, random, study);
  *err = (cas_error){0};
  notices[0] = '\0';
  ck_assert(!initial || !cas_config_set(config, formatted("system.initial=%s", initial), err));
  cas_status st =
      run_shared(config, &(cas_run_request){.output = "results.h5", .notice = take_notice},
                 MPI_COMM_WORLD, &out, err);
  cas_bcast(notices, sizeof notices, MPI_BYTE, 0, MPI_COMM_WORLD); /* rank 0 gets them */
  return st;
}

/* It must end well and say this of noise; "": nothing. */
static void goes_well(const char *system, const char *integrator, const char *initial,
                      const char *random, const char *study, const char *notice) {
  MUST(run_system(system, integrator, initial, random, study, &err));
  ck_assert_msg(*notice ? strstr(notices, notice) != NULL : !*notices, "%s, {%s}, %s: '%s'", system,
                integrator, random, notices);
}

static void must_run(const char *initial, const char *random, const char *study,
                     const char *notice) {
  goes_well(RIGID_BODY, "compensated: false", initial, random, study, notice);
}

static void must_fail(const char *system, const char *initial, const char *random,
                      const char *study, const char *words) {
  cas_error err;
  const cas_status st = run_system(system, "", initial, random, study, &err);
  ck_assert_msg(st == CAS_BAD_INPUT && strstr(err.text, words), "%s: '%s'", words, err.text);
}

/* Whether records of a run are these of the last one, bit for bit. */
static bool records_are(const series *all, int64_t first, int64_t n) {
  const series rest = recorded_series("state");
  return rest.records == n && memcmp(rest.value, all->value + first * all->numbers,
                                     (size_t)(n * all->numbers) * sizeof(double)) == 0;
}

static const char *const generators[] = {"threefry", "sprng_lcg64", "sprng_mlfg"};

/* 40, 30 and 30 steps are 100 at once, bit for bit, of one path and of 70 from their own states. */
TEST_OVER(steps_go_on_where_they_ended, 2 * sizeof generators / sizeof *generators) {
  const bool many = _i % 2;
  const char *random = formatted("generator: %s, seed: 7", generators[_i / 2]),
             *study = many ? "step: 2^-5, paths: 70" : "step: 2^-5, paths: 1";
  must_run(START, random, formatted("%s, steps: 100", study), "");
  const series all = recorded_series("state");
  must_run(START, random, formatted("%s, steps: 40", study), "");
  for (int first = 40; first < 100; first += 30) { /* the second goes on with the first */
    keep_as("begun.h5");
    must_run(formatted(BEGUN("%d%s"), first == 40 ? 40 : 30, many ? ", each: path" : ""),
             formatted("%s, stream: continue", random), formatted("%s, steps: 30", study), "");
    ck_assert_msg(records_are(&all, first, 31), "%s, from step %d", random, first);
  }
}

/* ---- with all that a path consists of ---- */

/* Asserts that 8 steps and 12 more are 20 at once; false: the system does not go with the scheme,
   or no path can begin where the scheme has left the orbit. */
static bool goes_on(const char *system, const char *integrator, int paths) {
  static const char study[] = "step: 2^-6, steps: %d, paths: %d, observables: []";
  cas_error err;
  if (run_system(system, integrator, NULL, "seed: 7", formatted(study, 20, paths), &err) ==
      CAS_BAD_INPUT)
    return false;
  ck_assert_msg(!err.status, "%s, %s: %s", system, integrator, err.text);
  series all = recorded_series("state");
  goes_well(system, integrator, NULL, "seed: 7", formatted(study, 8, paths), "");
  keep_as("begun.h5");
  cas_status st = run_system(system, integrator, paths > 1 ? BEGUN("8, each: path") : BEGUN("8"),
                             "seed: 7, stream: continue", formatted(study, 12, paths), &err);
  if (st == CAS_BAD_INPUT && strstr(err.text, "must lie on"))
    return false;
  ck_assert_msg(!st && !*notices, "%s, %s: %s, %s", system, integrator, err.text, notices);
  ck_assert_msg(records_are(&all, 8, 13), "%s, {%s}, %d paths", system, integrator, paths);
  return true;
}

/* Compensation, positions and attitudes are no part of a record, or lose rounding in it. */
TEST(every_pair_goes_on_bit_for_bit) {
  int pairs = 0, tried = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      const int paths = 1 + tried % 2; /* one path, or each path of two */
      if (!fits(*s, *i) || (++tried && paths == 1 && !on_one_rank(1)))
        continue;
      const bool gone = goes_on(example_of(*s), formatted("name: %s", (*i)->name), paths);
      ck_assert_msg(gone || !((*i)->keeps & CAS_KEEPS_CASIMIRS), "%s, %s", (*s)->name, (*i)->name);
      pairs += gone;
    }
  ck_assert_int_gt(pairs, on_one_rank(1) ? 40 : 20);
}

TEST_OVER(parts_and_options_go_on_bit_for_bit, 10) {
  static const char *const with[][2] = {
      {"name: rigid_body, attitude: true, inertia: [1, 2, 3], noise: {kind: quadratic, sigma: "
       "0.2}, initial: [0.3, -0.4, 0.5]",
       ""},
      {"name: heavy_top, attitude: true, inertia: [2, 1.5, 1], mga: [0, 0, 1], noise: {pi: [[0.1, "
       "0, 0.2]]}, initial: [0.3, -0.4, 0.5, 0, 0, 1]",
       ""},
      {"name: rigid_body, inertia: [1, 2, 3], noise: {kind: quadratic, sigma: 0.2}, initial: [0.3, "
       "-0.4, 0.5]",
       "weak_order: 2"},
      {"name: sine_euler, N: 5, noise: {amplitude: 0.15, modes: [[1, -1], [1, 1]]}, initial: "
       "{random: {seed: 4, norm: 3}}",
       "compensated: false"},
      {"name: euler_zeitlin, N: 6, rotation: 0.5, damping: {viscosity: 0.05, friction: 0.5}, "
       "forcing: {white: {lmin: 2, lmax: 4, rate: 0.5}}, noise: {amplitude: 2}, initial: {random: "
       "{seed: 1, norm: 3}}",
       ""},
  };
  ck_assert(goes_on(with[_i / 2][0], with[_i / 2][1], 1 + _i % 2 * 69));
}

/* A record before the last one, or one of a run that did not keep its ends, has lost rounding, and
   the run says so; without compensation nothing is lost. */
TEST_OVER(lost_rounding_is_named, 8) {
  const bool last = _i % 2, ends = _i / 2 % 2 == 0, compensated = _i / 4 == 0;
  const char *integrator = compensated ? "compensated: true" : "compensated: false";
  goes_well(RIGID_BODY, integrator, START, "seed: 7",
            formatted("step: 2^-5, steps: 40, ends: %s", ends ? "true" : "false"), "");
  keep_as("begun.h5");
  goes_well(RIGID_BODY, integrator, last ? BEGUN("40") : BEGUN("39"), "seed: 7, stream: continue",
            "step: 2^-5, steps: 3", compensated && !(last && ends) ? "not bit for bit" : "");
}

/* Noise that is repeated is named; other streams and steps are no continuation. */
TEST(what_is_repeated_and_what_is_no_continuation) {
  static const char three[] = "step: 2^-5, steps: 3";
  static const struct {
    const char *initial, *random, *notice;
  } repeated[] = {{BEGUN("40"), "seed: 7", "at time 1.25 of a run with the same"},
                  {BEGUN("40"), "seed: 8", ""},
                  {BEGUN("40"), "seed: 7, generator: threefry", ""},
                  {BEGUN("40"), "seed: 7, stream: begin", ""},
                  {BEGUN("0"), "seed: 7", ""}};
  static const char *const refused[][4] = {
      {START, "stream: continue", three, "is no record"},
      {BEGUN("40"), "seed: 8, stream: continue", three, "is no record"},
      {BEGUN("0"), "seed: 7, stream: continue", three, "is no record"},
      {START, "stream: go", three, "must be one of: begin, continue"},
      {BEGUN("40"), "seed: 7, stream: continue", "step: 2^-4, steps: 3",
       "has no steps of study.step"}};
  must_run(START, "seed: 7", "step: 2^-5, steps: 40", "");
  keep_as("begun.h5");
  for (int i = 0; i < 5; i++) {
    must_run(repeated[i].initial, repeated[i].random, three, repeated[i].notice);
    must_fail(RIGID_BODY, refused[i][0], refused[i][1], refused[i][2], refused[i][3]);
  }
}

/* Where a step takes fewer numbers, those of the earlier run would be used once more. */
TEST(streams_go_on_where_steps_take_as_many_numbers) {
  static const char with[] =
      "name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [%s[0.2, 0, 0]]}";
  static const char *const chi[] = {"[0, 0.2, 0], ", ""};
  static const char *const order[] = {"weak_order: 2", "compensated: true"};
  cas_error err;
  for (int first = 0; first < 4; first++)
    for (int i = 0; i < 4; i++) {
      goes_well(formatted(with, chi[first / 2]), order[first % 2], START, "seed: 7",
                "step: 2^-5, steps: 40", "");
      keep_as("begun.h5");
      cas_status st = run_system(formatted(with, chi[i / 2]), order[i % 2], BEGUN("40"),
                                 "seed: 7, stream: continue", "step: 2^-5, steps: 3", &err);
      /* two noises, and one with as many further normals, take the same numbers */
      const int numbers[] = {4, 2, 2, 1};
      ck_assert_msg((st == CAS_BAD_INPUT) == (numbers[first] != numbers[i]), "%d, %d: %s", first, i,
                    err.text);
      ck_assert(!st || strstr(err.text, "another number of random numbers"));
    }
}

/* Forcing is noise, too. */
TEST(repeated_forcing_is_named) {
#define FORCED(lmax)                                                                            \
  "name: euler_zeitlin, N: 6, damping: {friction: 0.5}, forcing: {white: {lmin: 2, lmax: " lmax \
  ", rate: 0.5}}, initial: {random: {seed: 1, norm: 3}}"
  static const char study[] = "step: 2^-6, steps: 8, observables: []";
  goes_well(FORCED("4"), "", NULL, "seed: 7", study, "");
  keep_as("begun.h5");
  goes_well(FORCED("4"), "", BEGUN("8"), "seed: 7", study, "of a run with the same");
  goes_well(FORCED("4"), "", BEGUN("8"), "seed: 7, stream: continue", study, "");
  must_fail(FORCED("3"), BEGUN("8"), "seed: 7, stream: continue", study,
            "another number of random numbers");
}

/* The initial state of a run that goes on with another depends on the noise before it. */
TEST(initial_states_of_continued_runs_are_records) {
  static const char study[] = "step: 2^-5, steps: 40",
                    initial[] = "{file: begun.h5, dataset: initial/state}";
  must_run(START, "seed: 7", study, "");
  keep_as("begun.h5");
  must_run(initial, "seed: 7", study, "");
  must_run(BEGUN("40"), "seed: 7, stream: continue", study, "");
  const series rest = recorded_series("state");
  keep_as("begun.h5");
  must_run(initial, "seed: 7", study, "of a run with the same");
  must_run(initial, "seed: 7, stream: continue", study, "");
  const series again = recorded_series("state");
  for (int64_t k = 0; k < 41 * rest.numbers; k++)
    ck_assert(fabs(rest.value[k] - again.value[k]) < 1e-12);
}

/* Path 0 has the noise of path 0, whichever record it begins from. */
TEST(one_path_goes_on_with_its_own_noise) {
  static const char study[] = "step: 2^-5, steps: 3", go_on[] = "seed: 7, stream: continue";
  must_run(START, "seed: 7", "step: 2^-5, steps: 40, paths: 3", "");
  keep_as("begun.h5");
  must_run(BEGUN("[40, 0]"), go_on, study, "");
  must_fail(RIGID_BODY, BEGUN("[40, 1]"), go_on, study, "the record is of path 1");
  for (int path = 0; path < 2; path++) {
    const char *record = path ? BEGUN("[40, 1]") : BEGUN("[40, 0]");
    MUST(run_system(RIGID_BODY, "compensated: false", record, go_on,
                    "step: 2^-5, steps: 3, paths: 2", &err));
    must_run(record, "seed: 8", study, "");
  }
}

/* Records at times are those of a trajectory with all records; the horizon may be later. */
TEST(times_are_records_of_all) {
  static const char *const times[] = {"0, 0.25, 0.625", "0.25, 0.625"};
  const int at[] = {0, 8, 20};
  must_run(START, "seed: 7", "step: 2^-5, horizon: 1, paths: 3", "");
  const series all = recorded_series("state");
  for (int first = 0; first < 2; first++) {
    must_run(START, "seed: 7",
             formatted("step: 2^-5, horizon: 1, paths: 3, times: [%s]", times[first]), "");
    const series some = recorded_series("state"), time = recorded_series("time");
    ck_assert_int_eq(some.records, 3 - first);
    for (int k = 0; k < some.records; k++) {
      ck_assert(time.value[k] == at[k + first] / 32.0);
      ck_assert_mem_eq(some.value + k * some.numbers, all.value + at[k + first] * all.numbers,
                       (size_t)all.numbers * sizeof(double));
    }
  }
  must_fail(RIGID_BODY, START, "seed: 7", "step: 2^-5, steps: 8, every: 2, times: [0]",
            "both times and every");
}

RUN_TESTS_WITH_MPI
