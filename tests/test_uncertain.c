/* Parameters that every path draws, of every real option of every system: the path is that of a run
   with these numbers, which depend on seed and path alone. */
/* ranks: 1 2 3 */
#include "paths/problem/initial.h"
#include "study_fixture.h"

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
  char section[100] = "";
  PRINTED(keys, cas_uncertain_list_keys(f, s->parameters.options));
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

/* {normal: [value, deviation], each: path} of a number or of lists of numbers; of a mapping of
   names to numbers, one for each. Every deviation is `part` of its number, and of 0 it is 0. False:
   there is no finite number. */
static bool make_uncertain(const char *value, double part, char *out) {
  char deviation[TEXT] = "", token[100], inner[TEXT];
  bool any = false;
  *out = '\0';
  if (value[0] == '{') {
    for (const char *c = value; *c && *c != '}'; any = true) {
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
      cas_append(out, TEXT, "%s%s: %s", any ? ", " : "{", name, inner);
    }
    cas_append(out, TEXT, "}");
    return any;
  }
  for (const char *c = value; next_token(&c, token);) {
    if (is_mark(token)) {
      cas_append(deviation, TEXT, "%s", token);
      continue;
    }
    if (!is_number(token))
      return false;
    any = true;
    cas_append(deviation, TEXT, "%.17g", part * fabs(strtod(token, NULL)));
  }
  snprintf(out, TEXT, "{normal: [%.999s, %.2000s], each: path}", value, deviation);
  return any;
}

/* ---- runs ---- */

#define STUDY                                                                                \
  "random: {generator: threefry, seed: 5}\nstudy: {kind: trajectory, step: 2^-8, steps: 3, " \
  "paths: 6, observables: [hamiltonian, casimir_departure]}\n"

/* Runs a system's example with one key (NULL: none) set otherwise, and another assignment. */
static cas_status run_with(MPI_Comm comm, const cas_system *s, const char *key, const char *value,
                           const char *also, cas_error *err) {
  cas_config *c = configuration("system: {%s}\n" STUDY, example_of(s));
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

/* Without a deviation all paths are those of the constant, to the last bit. */
static void check_constant(const cas_system *s, const given *o, const series *constant) {
  char value[TEXT];
  ck_assert(make_uncertain(o->value, 0, value));
  series states = run_states(MPI_COMM_WORLD, s, o->key, value, NULL);
  ck_assert_msg(same_series(&states, constant), "%s: %s: %s", s->name, o->key, value);
}

/* `value`, in which the numbers are replaced by those of `drawn`. */
static void put_numbers(const char *value, const double *drawn, char *out) {
  char token[100];
  for (*out = '\0'; next_token(&value, token);) {
    if (is_number(token))
      cas_append(out, TEXT, "%.17g", *drawn++);
    else
      cas_append(out, TEXT, "%s", token);
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

static int together;

static void check_steps(const cas_system *s, const given *o, const char *value) {
  cas_error err = {0};
  cas_problem p;
  cas_lane_parameters lanes = {0};
  if (strcmp(s->name, "lie_poisson") == 0)
    return;
  cas_config *c = configuration("system: {%s}\n", example_of(s));
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

/* Entries of a list as a list of observables {e0: inertia1}, ..; returns how many. */
static int name_entries(const given *o, char *out) {
  const char *key = strrchr(o->key, '.') ? strrchr(o->key, '.') + 1 : o->key;
  const bool rows = o->value[1] == '[';
  char token[100];
  int n = 0, row = 0, column = 0;
  snprintf(out, TEXT, "[");
  for (const char *c = o->value; next_token(&c, token);) {
    if (*token == '[') {
      row++;
      column = 0;
    }
    if (is_mark(token))
      continue;
    cas_append(out, TEXT, "%s{e%d: %s", n ? ", " : "", n, key);
    n++;
    column++;
    if (rows)
      cas_append(out, TEXT, "%d_", row - 1);
    cas_append(out, TEXT, "%d}", column);
  }
  cas_append(out, TEXT, "]");
  return n;
}

static int lists;

/* Entries of lists are numbers of the path in expressions, drawn or not. */
static void check_names(const cas_system *s, const given *o, const char *value) {
  char names[TEXT];
  if (o->value[0] != '[')
    return;
  const int n = name_entries(o, names);
  const char *also = formatted("study.observables=%s", names);
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
      series e = recorded_series(formatted("e%d", i));
      for (int64_t p = 0; p < e.numbers; p++) {
        const double right = drawn ? all.value[p * all.numbers + i] : written;
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

/* On several ranks every third option: what a path draws is the same code for all. */
TEST(every_option_may_be_uncertain) {
  static given options[MOST];
  const bool is_alone = on_one_rank(1);
  int all = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    char value[TEXT];
    series constant = run_states(MPI_COMM_WORLD, *s, NULL, NULL, NULL);
    const cas_results r = read_results("results.h5");
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
  }
  ck_assert_int_ge(all, 30);
  ck_assert(!is_alone || (together >= 12 && lists >= 10));
}

RUN_TESTS_WITH_MPI
