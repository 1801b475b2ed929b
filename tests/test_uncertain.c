/* Parameters that every path draws, of every real option of every system: the path is that of a run
   with these numbers, which depend on seed and path alone. */
/* ranks: 1 2 3 */
/* lane: slow */
#include "paths/problem/initial.h"
#include "study_fixture.h"

enum { MOST = 200, PATHS = 6 };

/* An option of an effective configuration. */
typedef struct {
  const char *key, *value; /* "system.noise.sigma" */
} given;

static bool is_number(const char *text) {
  char *end;
  const double x = strtod(text, &end);
  return *text && !*end && isfinite(x);
}

/* The value of a key of section system, or of a section in it; NULL: it has none. */
static const char *find_value(const char *configuration, const char *key) {
  const char *at = strstr(configuration, "system:\n"), *dot;
  int depth = 3;
  for (; (dot = strchr(key, '.')); key = dot + 1, depth += 2)
    at = at ? strstr(at, formatted("\n%*s%.*s:\n", depth - 1, "", (int)(dot - key), key)) : NULL;
  const char *indent = formatted("\n%*s", depth - 1, "");
  for (at = at ? strchr(at + 1, '\n') : NULL; at && strncmp(at, indent, strlen(indent)) == 0;
       at = strchr(at + 1, '\n')) {
    const char *line = at + strlen(indent);
    if (strncmp(line, key, strlen(key)) == 0 && strncmp(line + strlen(key), ": ", 2) == 0)
      return formatted("%.*s", (int)strcspn(line + strlen(key) + 2, "\n"), line + strlen(key) + 2);
  }
  return NULL;
}

/* The keys of the effective configuration of the last run that may be uncertain. */
static int list_given(const cas_system *s, const char *configuration, given *out) {
  PRINTED(keys, cas_uncertain_list_keys(f, s->parameters.options));
  int n = 0;
  char *rest;
  for (char *key = strtok_r(keys, ", ", &rest); key; key = strtok_r(NULL, ", ", &rest)) {
    const char *value = find_value(configuration, key);
    ck_assert_int_lt(n, MOST);
    if (value)
      out[n++] = (given){formatted("system.%s", key), value};
  }
  return n;
}

/* Takes a number, a word or a mark off a value; false: it has ended. */
static bool next_token(const char **value, char token[100]) {
  const size_t length = strcspn(*value, "[]{}:, \"");
  snprintf(token, 100, "%.*s", (int)(length ? length : 1), *value);
  *value += strlen(token);
  return *token;
}

static bool is_mark(const char *token) { return strchr("[]{}:, \"", *token) != NULL; }

/* The numbers of a value; returns how many, 0 where it has words. */
static int read_numbers(const char *value, double number[MOST]) {
  char token[100];
  int n = 0;
  while (next_token(&value, token)) {
    if (!is_number(token) && !is_mark(token))
      return 0;
    if (is_number(token))
      number[n++] = strtod(token, NULL);
  }
  return n;
}

/* `value` with these numbers in the places of its own. */
static const char *put_numbers(const char *value, const double *number) {
  char token[100];
  PRINTED(
      text, while (next_token(&value, token)) {
        if (is_number(token))
          fprintf(f, "%.17g", *number++);
        else
          fputs(token, f);
      });
  return text;
}

/* {normal: [value, deviation], each: path} of a number or of lists of numbers; of a mapping of
   names to numbers, one for each. Every deviation is `part` of its number, and of 0 it is 0. NULL:
   there is no finite number. */
static const char *make_uncertain(const char *value, double part) {
  double number[MOST];
  if (*value == '{') {
    const char *all = "";
    for (const char *c = value + 1; *c && *c != '}'; c += strspn(c, ", ")) {
      const size_t name = strcspn(c, ":") + 2, quote = c[name] == '"',
                   length = c[name] == '[' ? strcspn(c + name, "]") + 1 : strcspn(c + name, ",}");
      const char *entry =
          make_uncertain(formatted("%.*s", (int)(length - 2 * quote), c + name + quote), part);
      if (!entry)
        return NULL;
      all = formatted("%s%s%.*s%s", all, *all ? ", " : "", (int)name, c, entry);
      c += name + length;
    }
    return *all ? formatted("{%s}", all) : NULL;
  }
  const int n = read_numbers(value, number);
  for (int i = 0; i < n; i++)
    number[i] = part * fabs(number[i]);
  return n ? formatted("{normal: [%s, %s], each: path}", value, put_numbers(value, number)) : NULL;
}

#define STUDY                                                                                \
  "random: {generator: threefry, seed: 5}\nstudy: {kind: trajectory, step: 2^-8, steps: 3, " \
  "paths: 6, observables: [hamiltonian, casimir_departure]}\n"

/* Noise, damping and the like, with which every option of every system has a value somewhere. */
#define FORCED(row)                                                                             \
  "forcing: {steady: [[" row "]], white: {lmin: 1, lmax: 1, rate: 0.1}}, damping: {viscosity: " \
  "0.05, power: 1.5, friction: 0.1}"
/* A system, what it has in the place of noise, and other keys than those of its example. */
static const char *const others[][3] = {
    {NULL, "dissipation: {theta: 0.3, kT: 0.2}"}, /* of all that have it */
    {"rigid_body",
     "noise: {kind: linear, chi: [[0.3, -0.4, 0.5], [0.1, 0.2, 0]]}, damping: {rate: 0.2}"},
    {"rigid_body", "noise: {kind: square, sigma: 0.3}, attitude: true"},
    {"heavy_top", "damping: {rate: 0.2}"},
    {"manakov", "noise: {sigma: 0.2}, damping: {rate: 0.2}"},
    {"lie_poisson", "damping: {rate: 0.2}, observables: {k: 1.5}"},
    {"euler_zeitlin",
     FORCED("2, 1, 0.3") ", rotation: 1.5, topography: [[2, 0, 0.3]], noise: "
                         "{kind: transport, fields: [[1, 1, 0, 0.3], [2, 2, -1, 0.2]]}"},
    {"euler_zeitlin", "lamb: 0.5"},
    {"sine_euler", FORCED("1, 0, 0.3") ", noise: {fields: [[1, 1, 0, 0.3], [2, 1, -1, 0.2]]}"},
    {"lie_poisson", "noise: [0.4*x1]",
     "algebra: {structure_constants: [[1, 2, 3, 1], [2, 3, 1, 1], [3, 1, 2, -1]]}, hamiltonian: "
     "x1^2/4 + x2^2, initial: [0.36, 0.48, 0.8]"},
    {"lie_poisson", "noise: [0.4*q]",
     "algebra: brackets, components: [q, p], brackets: {q p: 1.5}, hamiltonian: q^2/2 + p^2, "
     "initial: [0.6, 0.8]"},
    {"langevin", "temperature: 0.5",
     "positions: [x], mass: [1], potential: a*x^2, parameters: {a: 2}, friction: 0.1, initial: "
     "[0.5, 0.3]"},
    {"pendulum_chain", "noise: {sigma: 0.3}"},
    {"sliding_disk", "noise: {sigma: 0.3}"},
    {"rigid_bodies",
     "friction: {force: 0.5, torque: 0.2}, noise: {sigma_force: 0.3, sigma_torque: 0.2}"},
};

static const char *keys, *with; /* of the system that is looked at */

/* Runs a system's example with one key (NULL: none) set otherwise, and another assignment. */
static cas_status run_with(MPI_Comm comm, const cas_system *s, const char *key, const char *value,
                           const char *also, cas_error *err) {
  cas_config *c = configuration("system: {name: %s, %s, %s}\n" STUDY, s->name, keys, with);
  cas_results r = {0};
  *err = (cas_error){0};
  if (key)
    MUST(cas_config_set(c, formatted("%s=%s", key, value), &err));
  if (also)
    MUST(cas_config_set(c, also, &err));
  return run_shared(c, &(cas_run_request){.output = "results.h5"}, comm, &r, err);
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

/* Each path is that of a run whose constant is what the path has drawn; other lanes of its group
   may make other iterations of implicit schemes. */
static void check_drawn(const cas_system *s, const given *o, const char *value,
                        const series *constant) {
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
    series one = run_states(MPI_COMM_WORLD, s, o->key,
                            put_numbers(o->value, drawn.value + path * drawn.numbers), NULL);
    for (int64_t t = 0; t < one.records; t++)
      for (int64_t i = 0; i < n; i++) {
        const int64_t at = t * one.numbers + path * n + i;
        ck_assert_msg(fabs(one.value[at] - states.value[at]) <= 1e-13 * most,
                      "%s: %s: path %d, record %d: %.17g, not %.17g", s->name, o->key, path, (int)t,
                      states.value[at], one.value[at]);
      }
  }
}

/* Whether the page on uncertain parameters says that such paths make their steps together. */
static bool should_step_together(const cas_system *s, const given *o) {
  static const char *const systems[] = {"rigid_body",     "heavy_top",  "manakov",
                                        "point_vortices", "sine_euler", "euler_zeitlin"};
  bool listed = false;
  for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
    listed |= strcmp(s->name, systems[i]) == 0;
  return listed && !strstr(o->key, "theta");
}

static int together, lists; /* found */

static void check_steps(const cas_system *s, const given *o, const char *value) {
  cas_error err = {0};
  cas_problem p;
  cas_lane_parameters lanes = {0};
  if (strcmp(s->name, "lie_poisson") == 0)
    return;
  cas_config *c = configuration("system: {name: %s, %s, %s}\n", s->name, keys, with);
  MUST(cas_config_set(c, formatted("%s=%s", o->key, value), &err));
  if (!cas_problem_create(c, false, MPI_COMM_SELF, &p, &err)) {
    if (!cas_initial_block(&p, 0, 0, NULL, &lanes, &err)) {
      ck_assert_msg(lanes.by_coefficients == should_step_together(s, o), "%s: %s", s->name, o->key);
      together += lanes.by_coefficients;
    }
    cas_initial_close(&p, &lanes);
    cas_problem_free(&p);
  }
}

/* Entries of a list as a list of observables {e0: inertia1}, .. */
static const char *name_entries(const given *o) {
  const char *key = strrchr(o->key, '.') + 1, *value = o->value;
  const bool rows = value[1] == '[';
  char token[100];
  int n = 0, row = 0, column = 0;
  PRINTED(
      names, while (next_token(&value, token)) {
        if (*token == '[') {
          row++;
          column = 0;
        } else if (!is_mark(token)) {
          fprintf(f, "%s{e%d: %s", n ? ", " : "", n, key);
          n++;
          if (rows)
            fprintf(f, "%d_", row - 1);
          fprintf(f, "%d}", ++column);
        }
      });
  return names;
}

/* Entries of lists are numbers of the path in expressions, drawn or not. */
static void check_names(const cas_system *s, const given *o, const char *value) {
  double written[MOST];
  if (o->value[0] != '[')
    return;
  const int n = read_numbers(o->value, written);
  const char *also = formatted("study.observables=[%s]", name_entries(o));
  for (int drawn = 0; drawn < 2; drawn++) {
    cas_error err;
    cas_status st = run_with(MPI_COMM_WORLD, s, o->key, drawn ? value : o->value, also, &err);
    if (st && drawn && strstr(err.text, "draws")) /* such numbers are impossible there */
      return;
    ck_assert_msg(!st, "%s: %s: %s", s->name, also, err.text);
    series all = drawn ? stored_series("/parameters/value") : (series){0};
    for (int i = 0; i < n; i++) {
      series e = recorded_series(formatted("e%d", i));
      for (int64_t p = 0; p < e.numbers; p++) {
        const double right = drawn ? all.value[p * all.numbers + i] : written[i];
        ck_assert_msg(e.value[p] == right, "%s: %s: entry %d of path %d is %.17g, not %.17g",
                      s->name, o->key, i, (int)p, e.value[p], right);
      }
    }
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
  ck_assert_msg(same_series(&all, &alone), "%s: %s", s->name, o->key);
}

/* Looks at all options that have a value and are not `done`, and adds them there. On several ranks
   at every third: what a path draws is the same code for all. */
static void check_options(const cas_system *s, const char **done) {
  static given options[MOST];
  const bool is_alone = on_one_rank(1);
  series constant = run_states(MPI_COMM_WORLD, s, NULL, NULL, NULL);
  const cas_results r = read_results("results.h5");
  cas_meet(MPI_COMM_WORLD);
  const int n = list_given(s, r.provenance.configuration, options);
  for (int i = 0; i < n; i++) {
    const char *value = make_uncertain(options[i].value, 1e-3), *key = options[i].key;
    if (!value || strstr(*done, formatted(" %s ", key)))
      continue;
    *done = formatted("%s%s ", *done, key);
    if (!is_alone && i % 3 == 0)
      check_ranks(s, &options[i], value);
    if (!is_alone)
      continue;
    /* without a deviation all paths are those of the constant, to the last bit */
    const char *same = make_uncertain(options[i].value, 0);
    series states = run_states(MPI_COMM_WORLD, s, key, same, NULL);
    ck_assert_msg(same_series(&states, &constant), "%s: %s: %s", s->name, key, same);
    check_drawn(s, &options[i], value, &constant);
    check_steps(s, &options[i], value);
    check_names(s, &options[i], value);
  }
}

TEST(every_option_may_be_uncertain) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    const char *done = " ";
    char *rest;
    keys = (*s)->example.keys;
    with = (*s)->example.noise;
    check_options(*s, &done);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
      if (others[i][0] ? strcmp(others[i][0], (*s)->name) == 0 : has_option(*s, "dissipation")) {
        with = others[i][1];
        keys = others[i][2] ? others[i][2] : (*s)->example.keys;
        check_options(*s, &done);
      }
    PRINTED(all, cas_uncertain_list_keys(f, (*s)->parameters.options));
    for (char *key = strtok_r(all, ", ", &rest); key; key = strtok_r(NULL, ", ", &rest))
      ck_assert_msg(strstr(done, formatted(" system.%s ", key)), "%s: %s is not tested", (*s)->name,
                    key);
  }
  ck_assert(!on_one_rank(1) || (together >= 12 && lists >= 10));
}

RUN_TESTS_WITH_MPI
