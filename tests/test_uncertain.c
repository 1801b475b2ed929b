/* Parameters that every path draws: of every real option of every system the path that a run with
   those numbers has, functions of seed and path alone, and means over both kinds of noise. */
/* ranks: 1 2 3 */
#include "array_fixture.h"
#include "paths/problem/parameters.h"
#include "study_fixture.h"

#include <math.h>

enum { TEXT = 4000, MOST = 200, PATHS = 6 };

/* ---- the real options of a system ---- */

/* An option of an effective configuration, whose value is one line. */
typedef struct {
  char key[100]; /* "system.noise.sigma" */
  char value[1000];
} given;

static bool is_number(const char *text) {
  char *end;
  const double x = strtod(text, &end);
  return *text && !*end && isfinite(x);
}

/* The lines below "system:" of the effective configuration of the last run that may be uncertain. */
static int list_given(const cas_system *s, const char *configuration, given *out) {
  char *keys, section[100] = "";
  size_t size;
  FILE *list = open_memstream(&keys, &size);
  cas_uncertain_list_keys(list, s->options);
  ck_assert(!fclose(list));
  char *text = strdup(configuration), *rest;
  int n = 0;
  bool inside = false;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char key[100], *colon = strchr(line, ':');
    const int indent = (int)strspn(line, " ");
    ck_assert_ptr_nonnull(colon);
    if (indent == 0)
      inside = strcmp(line, "system:") == 0;
    *colon = '\0';
    if (inside && indent == 2 && !colon[1])
      snprintf(section, sizeof section, "%s.", line + 2);
    if (indent == 2 && colon[1])
      section[0] = '\0';
    if (!inside || indent == 0 || !colon[1])
      continue;
    snprintf(key, sizeof key, "%.40s%.50s", section, line + indent);
    const char *at = strstr(keys, key);
    if (!at || (at > keys && at[-1] != ' ') || (at[strlen(key)] && at[strlen(key)] != ','))
      continue;
    ck_assert_int_lt(n, MOST);
    snprintf(out[n].key, sizeof out[n].key, "system.%.90s", key);
    snprintf(out[n++].value, sizeof out->value, "%s", colon + 2);
  }
  free(text);
  free(keys);
  return n;
}

/* {normal: [value, deviation], each: path} of a number or of lists of numbers; of a mapping of
   names to numbers, one for each. Every deviation is `part` of its number, and of 0 it is 0. False:
   there is no finite number. */
static bool make_uncertain(const char *value, double part, char *out) {
  char deviation[TEXT] = "", number[100], inner[TEXT];
  bool any = false;
  size_t used = 0;
  if (value[0] == '{') {
    for (const char *c = value; *c && *c != '}';) {
      char name[100], entry[1000] = "";
      int length = 0;
      c += strspn(c, "{, ");
      ck_assert(sscanf(c, "%99[^:]: %n", name, &length) == 1);
      c += length;
      length = (int)(*c == '[' ? strcspn(c, "]") + 1 : strcspn(c, ",}"));
      snprintf(entry, sizeof entry, "%.*s", length - 2 * (*c == '"'), c + (*c == '"'));
      c += length;
      if (!make_uncertain(entry, part, inner))
        return false;
      used += (size_t)snprintf(out + used, TEXT - used, "%s%s: %s", any ? ", " : "{", name, inner);
      any = true;
    }
    snprintf(out + used, TEXT - used, "}");
    return any;
  }
  for (const char *c = value; *c;) {
    const size_t length = strcspn(c, "[], ");
    snprintf(number, sizeof number, "%.*s", (int)length, c);
    if (length && !is_number(number))
      return false;
    any |= length > 0;
    used += (size_t)(length ? snprintf(deviation + used, TEXT - used, "%.17g",
                                       part * fabs(strtod(number, NULL)))
                            : snprintf(deviation + used, TEXT - used, "%c", *c));
    c += length ? length : 1;
  }
  snprintf(out, TEXT, "{normal: [%.999s, %.2000s], each: path}", value, deviation);
  return any;
}

/* ---- runs ---- */

#define STUDY                                                                                \
  "random: {generator: threefry, seed: 5}\nstudy: {kind: trajectory, step: 2^-8, steps: 3, " \
  "paths: 6, observables: [hamiltonian, casimir_departure]}\n"

/* Runs the example of a system with one key set otherwise; key NULL: as it is. also: another
   assignment, or NULL. */
static cas_status run_with(MPI_Comm comm, const cas_system *s, const char *key, const char *value,
                           const char *also, cas_error *err) {
  char text[TEXT], assignment[TEXT + 200];
  cas_config *c;
  cas_results r = {0};
  snprintf(text, sizeof text, "system: {name: %s, %s, %s}\n" STUDY, s->name, s->example.keys,
           s->example.noise);
  *err = (cas_error){0};
  ck_assert_msg(!cas_config_parse(text, strlen(text), "test.yaml", &c, err), "%s", err->text);
  if (key) {
    snprintf(assignment, sizeof assignment, "%.99s=%.3990s", key, value);
    ck_assert_msg(!cas_config_set(c, assignment, err), "%s", err->text);
  }
  if (also)
    ck_assert_msg(!cas_config_set(c, also, err), "%s", err->text);
  cas_status st = run_shared(c, &(cas_run_request){.output = "results.h5"}, comm, &r, err);
  cas_config_free(c);
  cas_results_free(&r);
  return st;
}

static series run_states(MPI_Comm comm, const cas_system *s, const char *key, const char *value,
                         const char *also) {
  cas_error err;
  cas_status st = run_with(comm, s, key, value, also, &err);
  ck_assert_msg(!st, "%s, %s: %s: %s", s->name, key ? key : "", value ? value : "", err.text);
  series states = recorded_series("state");
  cas_meet(MPI_COMM_WORLD);
  return states;
}

static bool same(const series *a, const series *b) {
  return a->records == b->records && a->numbers == b->numbers &&
         memcmp(a->value, b->value, (size_t)(a->records * a->numbers) * sizeof *a->value) == 0;
}

/* Without a deviation all paths are those of the constant, to the last bit. */
static void check_constant(const cas_system *s, const given *o, const series *constant) {
  char value[TEXT];
  ck_assert(make_uncertain(o->value, 0, value));
  series states = run_states(MPI_COMM_WORLD, s, o->key, value, NULL);
  ck_assert_msg(same(&states, constant), "%s: %s: %s", s->name, o->key, value);
  free(states.value);
}

/* `value`, in which the numbers are replaced by those of `drawn`. */
static void put_numbers(const char *value, const double *drawn, char *out) {
  char token[100];
  size_t used = 0;
  for (const char *c = value; *c;) {
    const size_t length = strcspn(c, "[]{}:, \"");
    snprintf(token, sizeof token, "%.*s", (int)(length ? length : 1), c);
    used += (size_t)(is_number(token) ? snprintf(out + used, TEXT - used, "%.17g", *drawn++)
                                      : snprintf(out + used, TEXT - used, "%s", token));
    c += length ? length : 1;
  }
}

/* Each path is that of a run whose constant is what the path has drawn; other lanes of its group
   may make other iterations of implicit schemes. */
static void check_drawn(const cas_system *s, const given *o, const char *value,
                        const series *constant) {
  char numbers[TEXT];
  cas_error err;
  if (run_with(MPI_COMM_WORLD, s, o->key, value, NULL,
               &err)) { /* what is impossible says which option, and of which path */
    ck_assert_msg(err.status == CAS_BAD_INPUT && strstr(err.text, o->key) &&
                      strstr(err.text, "path"),
                  "%s: %s", s->name, err.text);
    return;
  }
  series states = recorded_series("state"), drawn = stored_series("/parameters/value");
  cas_meet(MPI_COMM_WORLD);
  ck_assert_int_eq(drawn.records, PATHS);
  const int64_t n = states.numbers / PATHS;
  double most = 0;
  for (int64_t i = 0; i < states.records * states.numbers; i++)
    most = fmax(most, fabs(constant->value[i]));
  for (int path = 0; path < PATHS; path += 5) {
    put_numbers(o->value, drawn.value + path * drawn.numbers, numbers);
    series one = run_states(MPI_COMM_WORLD, s, o->key, numbers, NULL);
    for (int64_t t = 0; t < one.records; t++)
      for (int64_t i = 0; i < n; i++) {
        const int64_t at = t * one.numbers + path * n + i;
        ck_assert_msg(fabs(one.value[at] - states.value[at]) <= 1e-13 * most,
                      "%s: %s: path %d, record %d: %.17g, not %.17g", s->name, o->key, path, (int)t,
                      states.value[at], one.value[at]);
      }
    free(one.value);
  }
  free(states.value);
  free(drawn.value);
}

/* Whether the page on uncertain parameters says that paths with such numbers make their steps
   together. */
static bool should_step_together(const cas_system *s, const given *o) {
  static const char *const systems[] = {"rigid_body",     "heavy_top",  "manakov",
                                        "point_vortices", "sine_euler", "euler_zeitlin"};
  bool listed = false;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    listed |= strcmp(s->name, systems[i]) == 0;
  return listed && !strstr(o->key, "theta");
}

static int together;

static void check_steps(const cas_system *s, const given *o, const char *value) {
  char text[2 * TEXT];
  cas_error err = {0};
  cas_config *c;
  cas_problem p;
  cas_lane_parameters lanes = {0};
  if (strcmp(s->name, "lie_poisson") == 0)
    return;
  snprintf(text, sizeof text, "system: {name: %s, %s, %s}\n", s->name, s->example.keys,
           s->example.noise);
  ck_assert(!cas_config_parse(text, strlen(text), "test.yaml", &c, &err));
  snprintf(text, sizeof text, "%.99s=%.3990s", o->key, value);
  ck_assert_msg(!cas_config_set(c, text, &err), "%s", err.text);
  if (!cas_problem_create(c, false, MPI_COMM_SELF, &p, &err)) {
    if (!cas_parameters_open(&p, 0, 0, NULL, &lanes, &err)) {
      ck_assert_msg(lanes.by_coefficients == should_step_together(s, o), "%s: %s", s->name, o->key);
      together += lanes.by_coefficients;
    }
    cas_parameters_close(&p, &lanes);
    cas_problem_free(&p);
  }
  cas_config_free(c);
}

/* Names of the entries of a list in expressions, as a list of observables {e0: inertia1}, ..;
   returns how many. */
static int name_entries(const given *o, char *out) {
  const char *key = strrchr(o->key, '.') ? strrchr(o->key, '.') + 1 : o->key;
  const bool rows = o->value[1] == '[';
  int n = 0, row = 0, column = 0;
  size_t used = (size_t)snprintf(out, TEXT, "[");
  for (const char *c = o->value; *c;) {
    const size_t length = strcspn(c, "[], ");
    char index[40];
    if (length == 0 && *c == '[') {
      row++;
      column = 0;
    }
    if (length) {
      column++;
      if (rows)
        snprintf(index, sizeof index, "%d_%d", row - 1, column);
      else
        snprintf(index, sizeof index, "%d", column);
      used +=
          (size_t)snprintf(out + used, TEXT - used, "%s{e%d: %s%s}", n ? ", " : "", n, key, index);
      n++;
    }
    c += length ? length : 1;
  }
  snprintf(out + used, TEXT - used, "]");
  return n;
}

static int lists;

/* Entries of lists are numbers of the path in expressions, drawn or not. */
static void check_names(const cas_system *s, const given *o, const char *value) {
  char names[TEXT], also[TEXT + 30], dataset[40];
  if (o->value[0] != '[')
    return;
  const int n = name_entries(o, names);
  snprintf(also, sizeof also, "study.observables=%s", names);
  for (int drawn = 0; drawn < 2; drawn++) {
    cas_error err;
    cas_status st = run_with(MPI_COMM_WORLD, s, o->key, drawn ? value : o->value, also, &err);
    if (st && drawn && strstr(err.text, "draws")) /* such numbers are impossible there */
      return;
    ck_assert_msg(!st, "%s: %s: %s", s->name, names, err.text);
    series all = drawn ? stored_series("/parameters/value") : (series){0};
    const char *number = o->value;
    for (int i = 0; i < n; i++) {
      number += strcspn(number, "+-.0123456789");
      char *end;
      const double written = strtod(number, &end);
      number = end;
      snprintf(dataset, sizeof dataset, "e%d", i);
      series e = recorded_series(dataset);
      for (int64_t p = 0; p < e.numbers; p++) {
        const double right = drawn ? all.value[p * all.numbers + i] : written;
        ck_assert_msg(e.value[p] == right, "%s: %s: entry %d of path %d is %.17g, not %.17g",
                      s->name, o->key, i, (int)p, e.value[p], right);
      }
      free(e.value);
    }
    free(all.value);
    lists++;
  }
}

/* One rank computes what all of them do, of enough paths for each of them. */
static void check_ranks(const cas_system *s, const given *o, const char *value) {
  static const char more[] = "study.paths=200";
  cas_error err;
  if (run_with(MPI_COMM_WORLD, s, o->key, value, more, &err))
    return;
  series all = recorded_series("state");
  cas_meet(MPI_COMM_WORLD);
  series alone = run_states(MPI_COMM_SELF, s, o->key, value, more);
  ck_assert_msg(same(&all, &alone), "%s: %s", s->name, o->key);
  free(all.value);
  free(alone.value);
}

/* On several ranks every third option: what a path draws is the same code for all. */
TEST(every_option_may_be_uncertain) {
  static given options[MOST];
  const bool is_alone = on_one_rank(1);
  int all = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    cas_results r;
    cas_error unread;
    char value[TEXT];
    series constant = run_states(MPI_COMM_WORLD, *s, NULL, NULL, NULL);
    ck_assert_msg(!cas_results_read("results.h5", &r, &unread), "%s", unread.text);
    cas_meet(MPI_COMM_WORLD);
    const int n = list_given(*s, r.provenance.configuration, options);
    ck_assert_msg(n > 0, "%s", (*s)->name);
    for (int i = 0; i < n; i += is_alone ? 1 : 3) {
      if (!make_uncertain(options[i].value, 1e-3, value))
        continue;
      if (!is_alone) {
        check_ranks(*s, &options[i], value);
        continue;
      }
      check_constant(*s, &options[i], &constant);
      check_drawn(*s, &options[i], value, &constant);
      check_steps(*s, &options[i], value);
      check_names(*s, &options[i], value);
    }
    all += n;
    cas_results_free(&r);
    free(constant.value);
  }
  ck_assert_int_ge(all, 30);
  ck_assert(!is_alone || (together >= 12 && lists >= 10));
}

/* ---- means over both kinds of noise ---- */

/* H = a x3 dt + 0.3 x3 dW on so(3)* turns x = (1, 0, 0) by a t + 0.3 W(t), exactly in every step: x1
   = cos(a t + 0.3 W). */
#define TURNING                                                                                  \
  "system: {name: lie_poisson, parameters: {a: %s, s: 0.3}, hamiltonian: a*x3, noise: [s*x3], "  \
  "initial: [1, 0, 0]}\nintegrator: {name: munthe_kaas}\n"                                       \
  "random: {generator: threefry, seed: %d}\n"                                                    \
  "study: {kind: ensemble, step: 2^-3, steps: 8, times: [1], paths: %d, observables: [x1, {a1: " \
  "a}, "                                                                                         \
  "{a2: a^2}]}\n"

/* Runs of several seeds: their means have the exact values within 1.96 standard errors as often as
   they should, and all together within 4.5. */
static void check_means(const char *a, int seeds, int paths, const double exact[3]) {
  int covered[3] = {0};
  double sum[3] = {0}, variance[3] = {0};
  for (int seed = 1; seed <= seeds; seed++) {
    cas_results r;
    run_well(&r, TURNING, a, seed, paths);
    for (int i = 0; i < 3; i++) {
      const cas_ensemble_observable *o = &cas_results_ensemble(&r)->observable[i];
      covered[i] += fabs(o->mean[0] - exact[i]) <= 1.96 * o->standard_error[0];
      sum[i] += o->mean[0] - exact[i];
      variance[i] += o->standard_error[0] * o->standard_error[0];
    }
    cas_results_free(&r);
  }
  /* of 60 runs, 51 to 60 with a probability of 99.9% each */
  for (int i = 0; i < 3; i++) {
    ck_assert_msg(60 * covered[i] >= 51 * seeds, "%s: %d of %d runs cover mean %d", a, covered[i],
                  seeds, i);
    ck_assert_msg(fabs(sum[i]) <= 4.5 * sqrt(variance[i]), "%s: mean %d is off by %g +- %g", a, i,
                  sum[i] / seeds, sqrt(variance[i]) / seeds);
  }
}

/* a normal: E x1 = cos(m) exp(-(d^2 + s^2)/2) at t = 1 */
TEST_OF_MANY_PATHS_OVER(normal_parameters_have_exact_means, on_one_rank(1)) {
  const double m = 1.2, d = 0.5, s = 0.3;
  const double exact[] = {cos(m) * exp(-(d * d + s * s) / 2), m, m * m + d * d};
  check_means("{normal: [1.2, 0.5], each: path}", repetitions(60), 256, exact);
}

/* a uniform on [p, q]: E cos(a) = (sin q - sin p) / (q - p) */
TEST_OF_MANY_PATHS_OVER(uniform_parameters_have_exact_means, on_one_rank(1)) {
  const double p = 0.5, q = 2, s = 0.3;
  const double exact[] = {(sin(q) - sin(p)) / (q - p) * exp(-s * s / 2), (p + q) / 2,
                          (p * p + p * q + q * q) / 3};
  check_means("{uniform: [0.5, 2], each: path}", repetitions(60), 256, exact);
}

/* ---- files ---- */

enum { ROWS = 40 };

static double row_value(int row, int column) { return 1 + 0.4 * sin(1.3 * row + column); }

/* Rows of three numbers. */
static void write_rows(void) {
  const hsize_t dims[] = {ROWS, 3};
  double value[ROWS][3];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < 3; k++)
      value[i][k] = row_value(i, k);
  write_array("rows.h5", "rows", 2, dims, *value);
}

#define BODY                                                                               \
  "system: {name: rigid_body, inertia: %s, noise: {kind: quadratic, sigma: 0.2}}\n"        \
  "random: {generator: threefry, seed: %d}\nstudy: {kind: trajectory, step: 2^-6, steps: " \
  "4, paths: %d, observables: [energy]}\n"

TEST(rows_of_a_file_are_those_of_paths) {
  write_rows();
  run_well(NULL, BODY, "{file: rows.h5, dataset: rows, each: path}", 1, ROWS);
  series drawn = stored_series("/parameters/value");
  for (int i = 0; i < ROWS * 3; i++)
    ck_assert(drawn.value[i] == row_value(i / 3, i % 3));
  free(drawn.value);
  cas_meet(MPI_COMM_WORLD);
  is_refused(0, "row: drawn", BODY, "{file: rows.h5, dataset: rows, each: path}", 1, ROWS + 1);
}

/* Every row is drawn about equally often, whole, and another seed draws others. */
TEST(rows_of_a_file_are_drawn) {
  enum { MANY = 4000 };
  int count[ROWS] = {0};
  double chi2 = 0;
  write_rows();
  series drawn[2];
  for (int seed = 0; seed < 2; seed++) {
    run_well(NULL, BODY, "{file: rows.h5, dataset: rows, row: drawn, each: path}", seed, MANY);
    drawn[seed] = stored_series("/parameters/value");
    cas_meet(MPI_COMM_WORLD);
  }
  ck_assert(!same(&drawn[0], &drawn[1]));
  for (int i = 0; i < MANY; i++) {
    int row = 0;
    while (row < ROWS && drawn[0].value[3 * i] != row_value(row, 0))
      row++;
    ck_assert_int_lt(row, ROWS);
    ck_assert(drawn[0].value[3 * i + 2] == row_value(row, 2));
    count[row]++;
  }
  for (int i = 0; i < ROWS; i++)
    chi2 += pow(count[i] - (double)MANY / ROWS, 2) * ROWS / MANY;
  ck_assert_msg(chi2 > 15 && chi2 < 75, "%g", chi2); /* 39 degrees of freedom */
  free(drawn[0].value);
  free(drawn[1].value);
}

/* ---- runs that go on, and single paths ---- */

#define UNCERTAIN "[2, {normal: [1, 0.05], each: path}, 0.5]"

static unsigned leave_soon(void *left) {
  int *n = left;
  return --*n <= 0 ? CAS_SIGNAL_LEAVE : 0;
}

#define SLOW                                                                                \
  "system: {name: rigid_body, inertia: " UNCERTAIN ", noise: {kind: quadratic, sigma: "     \
  "{uniform: [0.1, 0.3], each: path}}}\nrandom: {generator: threefry, seed: 3}\n"           \
  "study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 3, reference: 8, " \
  "paths: %d}\noutput: {checkpoint_every: 0.01s}\n" /* ranks talk four times as often */

/* Every study runs with an uncertain number, and with a deviation of 0 gives what the constant
   gives. */
TEST_OVER(every_study_has_them, EVERY_STUDY) {
  static const char *const inertia[] = {"[2, {normal: [1, 0], each: path}, 0.5]", "[2, 1, 0.5]"};
  cas_results r[2];
  cas_error err;
  for (int i = 0; i < 2; i++) {
    cas_status st =
        run_text(MPI_COMM_WORLD, &r[i], &err,
                 "system: {name: rigid_body, inertia: %s, noise: {kind: quadratic, sigma: 0.1}}\n"
                 "random: {generator: threefry, seed: 3}\nstudy: {%s}\n",
                 inertia[i], every_study[_i]);
    ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s: %s", every_study[_i], err.text);
  }
  ck_assert_int_eq(cas_results_curves(&r[0]), cas_results_curves(&r[1]));
  for (int k = 0; k < cas_results_curves(&r[0]); k++) {
    const cas_curve *a = cas_results_curve(&r[0], k), *b = cas_results_curve(&r[1], k);
    for (int j = 0; a->error && b->error && j < 2; j++)
      ck_assert_msg(memcmp(&a->error[j], &b->error[j], sizeof(double)) == 0, "%s: %g, not %g",
                    every_study[_i], a->error[j], b->error[j]);
  }
  cas_results_free(&r[0]);
  cas_results_free(&r[1]);
}

static void run_slow(cas_run_request q, int paths, cas_status wanted, cas_results *r) {
  cas_error err;
  ck_assert_msg(run_request(MPI_COMM_WORLD, &q, r, &err, SLOW, paths) == wanted, "%s", err.text);
}

/* A run that was interrupted, and one that takes more paths, end as one that did neither. */
TEST(interruptions_change_nothing) {
  cas_results r, whole;
  int left = 1;
  run_slow((cas_run_request){.output = "whole.h5"}, 2400, CAS_OK, &whole);
  run_slow((cas_run_request){.output = "begun.h5", .signals = leave_soon, .signals_context = &left},
           2400, CAS_INTERRUPTED, &r);
  run_slow((cas_run_request){.output = "more.h5"}, 100, CAS_OK, &r);
  cas_results_free(&r);
  const cas_curve *a = cas_results_find(&whole, "strong/error");
  ck_assert_msg(a->error[2] < a->error[0] && a->error[0] < 0.05, "%g", a->error[0]);
  for (int i = 0; i < 2; i++) {
    run_slow((cas_run_request){.output = i ? "more.h5" : "begun.h5", .resume = true}, 2400, CAS_OK,
             &r);
    const cas_curve *b = cas_results_find(&r, "strong/error");
    ck_assert(a->error[0] == b->error[0] && a->error[2] == b->error[2]);
    cas_results_free(&r);
  }
  cas_results_free(&whole);
}

TEST(one_path_alone_has_its_numbers) {
  cas_results r = {0};
  cas_error err;
  const int64_t path = 70;
  run_well(NULL, BODY, UNCERTAIN, 4, 80);
  series states = recorded_series("state"), drawn = stored_series("/parameters/value");
  cas_status st =
      run_request(MPI_COMM_WORLD, &(cas_run_request){.output = "path.h5", .only_path = &path}, &r,
                  &err, BODY, UNCERTAIN, 4, 80);
  ck_assert_msg(!st, "%s", err.text);
  cas_meet(MPI_COMM_WORLD);
  series one = series_of("path.h5", "/parameters/value"),
         alone = series_of("path.h5", "/path/level_0/state");
  ck_assert(one.records == 1 && one.numbers == 1 && one.value[0] == drawn.value[path]);
  for (int k = 0; k < 3; k++)
    ck_assert(alone.value[4 * 3 + k] == states.value[4 * 80 * 3 + path * 3 + k]);
  free(one.value);
  free(alone.value);
  free(states.value);
  free(drawn.value);
  cas_results_free(&r);
}

/* ---- what is refused ---- */

TEST(invalid_numbers_name_path_and_option) {
  static const char *const cases[][2] = {
      {"[2, {normal: [0.3, 0.15], each: path}, 0.5]",
       "system.inertia[1]\nmust be greater than 0\npath\nsmaller deviation"},
      {"{normal: [[2, 1], 0.1], each: path}", "found 2 numbers\nthree moments\npath 0 draws"},
      {"[2, {normal: [1, 0.1]}, 0.5]", "'each' is missing\nsystem.inertia[1]"},
      {"{normal: [[2, 1, 1], [0.1, 0.1]], each: path}", "as many\nsystem.inertia"},
      {"[2, {normal: [1, -0.1], each: path}, 0.5]", "at least 0\nsystem.inertia[1]"},
      {"[2, {uniform: [1, 0.5], each: path}, 0.5]", "at least as large\ninertia[1]"},
      {"[2, {uniform: [-1e308, 1e308], each: path}, 0.5]", "must be nearer\ninertia[1]"},
      {"[2, {gauss: [1, 0.1], each: path}, 0.5]", "'gauss'\n{normal: [mean, deviation]"},
      {"{each: path}", "no law\n{normal: [mean, deviation]"},
      {"[2, {normal: [-1, 0.1], each: path}, 0.5]",
       "must be greater than 0\npath 0 draws\nmust not be drawn"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i][1], BODY, cases[i][0], 1, 500);
  /* Other numbers are no remedy where all are refused, such as two where three are to be. */
  cas_results r;
  cas_error err;
  ck_assert(run_text(MPI_COMM_WORLD, &r, &err, BODY, cases[1][0], 1, 500) == CAS_BAD_INPUT);
  ck_assert_msg(!strstr(err.text, "must not be drawn"), "%s", err.text);
}

TEST(numbers_of_expressions_have_names) {
  static const char *const cases[][2] = {
      {"{normal: [1, 0.1], each: path}", "system.friction\nin 'parameters'"},
      {"x - 1", "system.friction\n-0.5 at the initial state"},
      {"c", "path 0 draws\nmust not be negative"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    is_refused(0, cases[i][1],
               "system: {name: langevin, positions: [x], potential: x^2, parameters: {c: {normal: "
               "[-1, 0.1], each: path}}, friction: %s, temperature: 1, initial: [0.5, 0]}\n"
               "random: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-4, steps: 4, "
               "paths: 4}\n",
               cases[i][0]);
}

/* Two names of one file would draw two rows of it. */
TEST(a_file_has_one_name) {
  write_array("one.h5", "one", 1, (hsize_t[]){3}, (double[]){0.8, 1, 1.2});
  is_refused(0, "./one.h5\nthe same name", BODY,
             "[{file: one.h5, dataset: one, row: drawn, each: path}, {file: ./one.h5, dataset: "
             "one, row: drawn, each: path}, 0.5]",
             1, 8);
}

RUN_TESTS_WITH_MPI
