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

/* Runs a study from this initial state (NULL: the one in `system`); `notices` gets what the run
   says of noise. */
static cas_status run_system(const char *system, const char *integrator, const char *initial,
                             const char *random, const char *study, cas_error *err) {
  char text[300];
  cas_results out = {0};
  cas_config *config =
      configuration("system: {%s}\nintegrator: {%s}\nrandom: {%s}\nstudy: {kind: trajectory, %s}\n",
                    system, integrator, random, study);
  *err = (cas_error){0};
  notices[0] = '\0';
  snprintf(text, sizeof text, "system.initial=%s", initial ? initial : "");
  ck_assert_msg(!initial || !cas_config_set(config, text, err), "%s", err->text);
  cas_status st =
      run_shared(config, &(cas_run_request){.output = "results.h5", .notice = take_notice},
                 MPI_COMM_WORLD, &out, err);
  cas_bcast(notices, sizeof notices, MPI_BYTE, 0, MPI_COMM_WORLD); /* rank 0 gets them */
  return st;
}

static cas_status run(const char *initial, const char *random, const char *study, cas_error *err) {
  return run_system(RIGID_BODY, "compensated: false", initial, random, study, err);
}

static void must_run(const char *initial, const char *random, const char *study) {
  MUST(run(initial, random, study, &err));
}

static const char *const generators[] = {"threefry", "sprng_lcg64", "sprng_mlfg"};

/* 40 steps, 30 more and 30 more are 100 at once, bit for bit, of one path and of 70 that each begin
   where they were. */
TEST_OVER(steps_go_on_where_they_ended, sizeof generators / sizeof *generators) {
  static const char *const record[] = {"40", "40, each: path"};
  static const int paths[] = {1, 70};
  char study[200], random[100], from[200];
  for (int i = 0; i < 2; i++) {
    series all = {0}, rest = {0};
    snprintf(random, sizeof random, "generator: %s, seed: 7", generators[_i]);
    snprintf(study, sizeof study, "step: 2^-5, steps: 100, paths: %d", paths[i]);
    must_run("[0.6, 0, 0.8]", random, study);
    all = recorded_series("state");
    snprintf(study, sizeof study, "step: 2^-5, steps: 40, paths: %d", paths[i]);
    must_run("[0.6, 0, 0.8]", random, study);
    keep_as("begun.h5");
    snprintf(from, sizeof from, "{file: begun.h5, dataset: trajectory/state, index: %s}",
             record[i]);
    strcat(random, ", stream: continue");
    for (int part = 0; part < 2; part++) { /* the second goes on with the first */
      snprintf(study, sizeof study, "step: 2^-5, steps: 30, paths: %d", paths[i]);
      must_run(from, random, study);
      ck_assert_str_eq(notices, "");
      rest = recorded_series("state");
      ck_assert_int_eq(rest.records, 31);
      ck_assert(memcmp(rest.value, all.value + (40 + 30 * part) * all.numbers,
                       (size_t)(31 * all.numbers) * sizeof(double)) == 0);
      keep_as("gone_on.h5");
      snprintf(from, sizeof from, "{file: gone_on.h5, dataset: trajectory/state, index: 30%s}",
               record[i] + 2);
    }
  }
}

/* ---- with all that a path consists of ---- */

/* Asserts that 8 steps and 12 more are 20 at once; false: the system does not go with the scheme,
   or no path can begin where the scheme has left the orbit. */
static bool goes_on(const char *system, const char *integrator, int paths) {
  char study[200], from[200];
  cas_error err;
  bool each = paths > 1;
  snprintf(study, sizeof study, "step: 2^-6, steps: 20, paths: %d, observables: []", paths);
  if (run_system(system, integrator, NULL, "seed: 7", study, &err) == CAS_BAD_INPUT)
    return false;
  ck_assert_msg(!err.status, "%s, %s: %s", system, integrator, err.text);
  series all = recorded_series("state");
  snprintf(study, sizeof study, "step: 2^-6, steps: 8, paths: %d, observables: []", paths);
  MUST(run_system(system, integrator, NULL, "seed: 7", study, &err));
  keep_as("begun.h5");
  snprintf(from, sizeof from, "{file: begun.h5, dataset: trajectory/state, index: 8%s}",
           each ? ", each: path" : "");
  snprintf(study, sizeof study, "step: 2^-6, steps: 12, paths: %d, observables: []", paths);
  cas_status st = run_system(system, integrator, from, "seed: 7, stream: continue", study, &err);
  if (st == CAS_BAD_INPUT && strstr(err.text, "must lie on"))
    return false;
  ck_assert_msg(!st, "%s, %s: %s", system, integrator, err.text);
  ck_assert_msg(notices[0] == '\0', "%s, %s: %s", system, integrator, notices);
  series rest = recorded_series("state");
  ck_assert_int_eq(rest.records, 13);
  ck_assert_msg(memcmp(rest.value, all.value + 8 * all.numbers,
                       (size_t)(13 * all.numbers) * sizeof(double)) == 0,
                "%s, {%s}, %d paths", system, integrator, paths);
  return true;
}

/* Compensation, positions and attitudes are no part of a record, or lose rounding in it. */
TEST(every_pair_goes_on_bit_for_bit) {
  int pairs = 0, tried = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++) {
      char system[800], integrator[100];
      const int paths = 1 + tried % 2; /* one path, or each path of two */
      if (!fits(*s, *i) || (++tried && paths == 1 && !on_one_rank(1)))
        continue;
      snprintf(system, sizeof system, "name: %s, %s, %s", (*s)->name, (*s)->example.keys,
               (*s)->example.noise);
      snprintf(integrator, sizeof integrator, "name: %s", (*i)->name);
      const bool gone = goes_on(system, integrator, paths);
      ck_assert_msg(gone || !((*i)->keeps & CAS_KEEPS_CASIMIRS), "%s, %s", system, integrator);
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
TEST(lost_rounding_is_named) {
  static const char *const index[] = {"39", "40"}, *const ends[] = {"true", "false"},
                           *const integrator[] = {"compensated: true", "compensated: false"};
  for (int i = 0; i < 8; i++) {
    char from[100], study[100];
    const bool lost = i / 4 == 0 && i % 4 != 1; /* compensated, and not the last of kept ends */
    snprintf(study, sizeof study, "step: 2^-5, steps: 40, ends: %s", ends[i / 2 % 2]);
    MUST(run_system(RIGID_BODY, integrator[i / 4], "[0.6, 0, 0.8]", "seed: 7", study, &err));
    keep_as("begun.h5");
    snprintf(from, sizeof from, "{file: begun.h5, dataset: trajectory/state, index: %s}",
             index[i % 2]);
    MUST(run_system(RIGID_BODY, integrator[i / 4], from, "seed: 7, stream: continue",
                    "step: 2^-5, steps: 3", &err));
    ck_assert_msg((strstr(notices, "not bit for bit") != NULL) == lost, "%d: %s", i, notices);
  }
}

TEST(repeated_noise_is_named) {
  static const char from[] = "{file: begun.h5, dataset: trajectory/state, index: 40}";
  static const char study[] = "step: 2^-5, steps: 3";
  must_run("[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, steps: 40");
  keep_as("begun.h5");
  must_run(from, "seed: 7", study);
  ck_assert_msg(strstr(notices, "at time 1.25 of a run with the same"), "%s", notices);
  must_run(from, "seed: 8", study);
  ck_assert_str_eq(notices, "");
  must_run(from, "seed: 7, generator: threefry", study);
  ck_assert_str_eq(notices, "");
  must_run(from, "seed: 7, stream: begin", study);
  ck_assert_str_eq(notices, "");
  must_run("{file: begun.h5, dataset: trajectory/state, index: 0}", "seed: 7", study);
  ck_assert_str_eq(notices, "");
}

TEST(other_streams_and_steps_are_no_continuation) {
  static const char from[] = "{file: begun.h5, dataset: trajectory/state, index: 40}";
  static const char *const wrong[][3] = {
      {"[0.6, 0, 0.8]", "stream: continue", "is no record"},
      {"{file: begun.h5, dataset: trajectory/state, index: 40}", "seed: 8, stream: continue",
       "is no record"},
      {"{file: begun.h5, dataset: trajectory/state, index: 0}", "seed: 7, stream: continue",
       "is no record"},
      {"[0.6, 0, 0.8]", "stream: go", "must be one of: begin, continue"}};
  cas_error err;
  must_run("[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, steps: 40");
  keep_as("begun.h5");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ck_assert(run(wrong[i][0], wrong[i][1], "step: 2^-5, steps: 3", &err) == CAS_BAD_INPUT);
    ck_assert_msg(strstr(err.text, wrong[i][2]), "%s", err.text);
  }
  ck_assert(run(from, "seed: 7, stream: continue", "step: 2^-4, steps: 3", &err) == CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "has no steps of study.step"), "%s", err.text);
}

/* Where a step takes fewer numbers, those of the earlier run would be used once more. */
TEST(streams_go_on_where_steps_take_as_many_numbers) {
  static const char with[] =
      "name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [%s[0.2, 0, 0]]}";
  static const char from[] = "{file: begun.h5, dataset: trajectory/state, index: 40}";
  static const char *const chi[] = {"[0, 0.2, 0], ", ""};
  static const char *const order[] = {"weak_order: 2", "compensated: true"};
  cas_error err;
  for (int first = 0; first < 4; first++)
    for (int i = 0; i < 4; i++) {
      char system[200];
      snprintf(system, sizeof system, with, chi[first / 2]);
      MUST(run_system(system, order[first % 2], "[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, steps: 40",
                      &err));
      keep_as("begun.h5");
      snprintf(system, sizeof system, with, chi[i / 2]);
      cas_status st = run_system(system, order[i % 2], from, "seed: 7, stream: continue",
                                 "step: 2^-5, steps: 3", &err);
      /* two noises, and one with as many further normals, take the same numbers */
      const int numbers[] = {4, 2, 2, 1};
      ck_assert_msg((st == CAS_BAD_INPUT) == (numbers[first] != numbers[i]), "%d, %d: %s", first, i,
                    err.text);
      ck_assert(!st || strstr(err.text, "another number of random numbers"));
    }
}

/* Forcing is noise, too. */
TEST(repeated_forcing_is_named) {
  static const char with[] =
      "name: euler_zeitlin, N: 6, damping: {friction: 0.5}, forcing: {white: {lmin: 2, lmax: %d, "
      "rate: 0.5}}, initial: {random: {seed: 1, norm: 3}}";
  static const char from[] = "{file: begun.h5, dataset: trajectory/state, index: 8}";
  static const char study[] = "step: 2^-6, steps: 8, observables: []";
  char system[2][200];
  cas_error err;
  for (int i = 0; i < 2; i++)
    snprintf(system[i], sizeof system[i], with, 4 - i);
  MUST(run_system(system[0], "", NULL, "seed: 7", study, &err));
  keep_as("begun.h5");
  MUST(run_system(system[0], "", from, "seed: 7", study, &err));
  ck_assert_msg(strstr(notices, "of a run with the same"), "%s", notices);
  MUST(run_system(system[0], "", from, "seed: 7, stream: continue", study, &err));
  ck_assert_str_eq(notices, "");
  ck_assert(run_system(system[1], "", from, "seed: 7, stream: continue", study, &err) ==
            CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "another number of random numbers"), "%s", err.text);
}

/* The initial state of a run that goes on with another depends on the noise before it. */
TEST(initial_states_of_continued_runs_are_records) {
  static const char study[] = "step: 2^-5, steps: 40";
  must_run("[0.6, 0, 0.8]", "seed: 7", study);
  keep_as("begun.h5");
  must_run("{file: begun.h5, dataset: initial/state}", "seed: 7", study);
  ck_assert_str_eq(notices, "");
  must_run("{file: begun.h5, dataset: trajectory/state, index: 40}", "seed: 7, stream: continue",
           study);
  series rest = recorded_series("state");
  keep_as("gone_on.h5");
  must_run("{file: gone_on.h5, dataset: initial/state}", "seed: 7", study);
  ck_assert_msg(strstr(notices, "of a run with the same"), "%s", notices);
  must_run("{file: gone_on.h5, dataset: initial/state}", "seed: 7, stream: continue", study);
  series again = recorded_series("state");
  for (int64_t k = 0; k < 41 * rest.numbers; k++)
    ck_assert(fabs(rest.value[k] - again.value[k]) < 1e-12);
}

/* Path 0 has the noise of path 0, whichever record it begins from. */
TEST(one_path_goes_on_with_its_own_noise) {
  static const char study[] = "step: 2^-5, steps: 3",
                    from[] = "{file: begun.h5, dataset: trajectory/state, index: [40, %d]}";
  char record[100];
  cas_error err;
  must_run("[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, steps: 40, paths: 3");
  keep_as("begun.h5");
  for (int path = 0; path < 2; path++) {
    snprintf(record, sizeof record, from, path);
    cas_status st = run(record, "seed: 7, stream: continue", study, &err);
    ck_assert_int_eq(st, path ? CAS_BAD_INPUT : CAS_OK);
    ck_assert(!st || strstr(err.text, "the record is of path 1"));
    must_run(record, "seed: 7, stream: continue", "step: 2^-5, steps: 3, paths: 2");
    must_run(record, "seed: 8", study);
  }
}

/* Records at times are those of a trajectory with all records; the horizon may be later. */
TEST(times_are_records_of_all) {
  series all = {0}, some = {0};
  const int at[] = {0, 8, 20};
  must_run("[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, horizon: 1, paths: 3");
  all = recorded_series("state");
  for (int first = 0; first < 2; first++) {
    must_run("[0.6, 0, 0.8]", "seed: 7",
             first ? "step: 2^-5, horizon: 1, paths: 3, times: [0.25, 0.625]"
                   : "step: 2^-5, horizon: 1, paths: 3, times: [0, 0.25, 0.625]");
    some = recorded_series("state");
    series time = recorded_series("time");
    ck_assert_int_eq(some.records, 3 - first);
    for (int k = 0; k < some.records; k++) {
      ck_assert(time.value[k] == at[k + first] / 32.0);
      ck_assert(memcmp(some.value + k * some.numbers, all.value + at[k + first] * all.numbers,
                       (size_t)all.numbers * sizeof(double)) == 0);
    }
  }
  cas_error err;
  ck_assert(run("[0.6, 0, 0.8]", "seed: 7", "step: 2^-5, steps: 8, every: 2, times: [0]", &err) ==
            CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "both times and every"), "%s", err.text);
}

RUN_TESTS_WITH_MPI
