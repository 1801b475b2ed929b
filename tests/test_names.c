/* Every name that messages and descriptions offer to expressions, of every system: it is the number
   of the recorded state, or the observable, that it says; and names that would have two meanings
   are refused. */
/* ranks: 1 */
#include "study_fixture.h"

#define FLUID "name: euler_zeitlin, N: 5, initial: {random: {seed: 1, norm: 3}}"
#define BODY "name: rigid_body, inertia: [2, 1, 0.5], "

enum { MOST = 400, NAME = 40, RECORDS = 3 };

typedef struct {
  int n;
  char name[MOST][NAME];
} listed;

static bool has_name(const listed *l, const char *name, size_t length) {
  for (int i = 0; i < l->n; i++)
    if (strlen(l->name[i]) == length && memcmp(l->name[i], name, length) == 0)
      return true;
  return false;
}

static void add(listed *l, const char *name, size_t length) {
  if (has_name(l, name, length))
    return;
  ck_assert(l->n < MOST && length < NAME);
  snprintf(l->name[l->n++], NAME, "%.*s", (int)length, name);
}

/* Names behind "(known: " but patterns such as re(i,j), up to the functions of every system. */
static void add_known(listed *l, const char *message) {
  const char *at = strstr(message, "(known: ");
  ck_assert_msg(at, "%s", message);
  for (at += strlen("(known: "); *at && *at != ')';) {
    size_t n = 0;
    for (int depth = 0; at[n] && (depth > 0 || (at[n] != ',' && at[n] != ')')); n++)
      depth += (at[n] == '(') - (at[n] == ')');
    if (strncmp(at, "sin", n) == 0 && n == 3)
      return;
    if (strncmp(at, "..", n) != 0 && !memchr(at, '(', n))
      add(l, at, n);
    at += n + strspn(at + n, ", ");
  }
}

#define RECORDED                                                                               \
  "system: {%s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-6, steps: " \
  "2, observables: [%s]}\n"

/* A system of the registry; from the state that it has by itself, with its attitude; with a large
   N, as blocks of one path. NULL: it has none. */
static const char *describe_case(const cas_system *s, int variant) {
  if (variant == 1)
    return has_option(s, "attitude")
               ? replaced(example_of(s), ", initial: [", "]", ", attitude: true")
               : NULL;
  if (variant == 2)
    return s->blocks.one_path ? replaced(example_of(s), "N: 3,", ",", "N: 27,") : NULL;
  return example_of(s);
}

typedef struct {
  series state;
  bool is_complex;
  int64_t columns; /* of a matrix */
  char *words;     /* of the file: what the numbers are */
} recorded_state;

static recorded_state read_state(void) {
  recorded_state s = {.state = recorded_series("state")};
  cas_contents c;
  MUST(cas_contents_read("results.h5", &c, &err));
  const cas_dataset *d = cas_contents_find(&c, "/trajectory/state");
  s.is_complex = d->is_complex;
  s.columns = d->dims[d->rank - 1];
  s.words = formatted("%s", d->components);
  cas_contents_free(&c);
  ck_assert_int_eq(s.state.records, RECORDS);
  return s;
}

/* The place of a word in the text, -1 if it is none; *n: how many there are */
static int64_t find_word(const char *text, const char *word, int64_t *n) {
  int64_t found = -1;
  for (*n = 0; *text; ++*n) {
    size_t length = strcspn(text, " ");
    if (strlen(word) == length && memcmp(word, text, length) == 0)
      found = *n;
    text += length + strspn(text + length, " ");
  }
  return found;
}

/* The number of a state that a name with indices is, and its sign; -1: it is no single number. */
static int64_t number_with_indices(const recorded_state *s, const char *name, double *sign) {
  int i, j;
  char mode[NAME];
  int64_t n;
  *sign = 1;
  if (sscanf(name, "re(%d,%d)", &i, &j) == 2 || sscanf(name, "im(%d,%d)", &i, &j) == 2)
    return 2 * ((i - 1) * s->columns + j - 1) + (*name == 'i');
  if (sscanf(name + 1, "e_omega(%d,%d)", &i, &j) != 2 &&
      sscanf(name + 1, "m_omega(%d,%d)", &i, &j) != 2)
    return -1;
  snprintf(mode, sizeof mode, "omega(%d,%d)", i, j);
  int64_t at = find_word(s->words, mode, &n);
  if (at < 0) { /* files hold -n, the conjugate */
    snprintf(mode, sizeof mode, "omega(%d,%d)", -i, -j);
    at = find_word(s->words, mode, &n);
    *sign = *name == 'i' ? -1 : 1;
  }
  ck_assert_msg(at >= 0, "%s", name);
  return 2 * at + (*name == 'i');
}

/* Adds for patterns such as re(i,j) all names with small indices. */
static void add_indexed(listed *l, const cas_system *s, const char *system) {
  for (const cas_indexed *x = s->state.indexed; x && x->name; x++)
    for (int i = -1; i <= 2; i++)
      for (int j = -1; j <= 2; j++) {
        cas_results r;
        cas_error err;
        const char *name = formatted("%.*s(%d,%d)", (int)strcspn(x->name, "("), x->name, i, j);
        if (!run_text(MPI_COMM_WORLD, &r, &err, RECORDED, system, formatted("{q: \"%s\"}", name)))
          add(l, name, strlen(name));
        else
          ck_assert_msg(strstr(err.text, "there is no such"), "%s: %s", name, err.text);
      }
}

/* What the two messages list: of expressions, and of observables by name. */
static void find_names(listed *l, const cas_system *s, const char *system) {
  *l = (listed){0};
  is_refused(0, "known: ", RECORDED, system, "{q: nothing_like_it}");
  add_known(l, last_said.text);
  for (const cas_indexed *x = s->state.indexed; x && x->name; x++)
    ck_assert_msg(strstr(last_said.text, x->name), "%s is not listed", x->name);
  run_well(NULL, RECORDED, system, "");
  recorded_state r = read_state();
  char *rest;
  int64_t words;
  find_word(r.words, "", &words);
  if (!r.is_complex && words == r.state.numbers)
    for (char *word = strtok_r(r.words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
      add(l, word, strlen(word));
  add_indexed(l, s, system);
}

/* Records these observables by their names, or as v0, v1 .., which expressions have, and compares
   them with the numbers of the state that they are. */
static void check_names(const listed *l, int first, int next, bool as_listed, const char *system) {
  char text[4000] = "";
  for (int i = first; i < next; i++)
    if (as_listed)
      cas_append(text, sizeof text, "%s%s", i > first ? ", " : "", l->name[i]);
    else
      cas_append(text, sizeof text, "%s{v%d: \"%s\"}", i > first ? ", " : "", i, l->name[i]);
  run_well(NULL, RECORDED, system, text);
  recorded_state s = read_state();
  for (int i = first; i < next; i++) {
    double sign = 1;
    int64_t words, at = find_word(s.words, l->name[i], &words);
    if (strchr(l->name[i], '('))
      at = number_with_indices(&s, l->name[i], &sign);
    else if (s.is_complex || words != s.state.numbers)
      at = -1; /* it is something else than a number of the state */
    series v = recorded_series(as_listed ? l->name[i] : formatted("v%d", i));
    for (int64_t r = 0; at >= 0 && r < RECORDS; r++) {
      double expected = sign * s.state.value[r * s.state.numbers + at];
      double most = as_listed ? 0 : 1e-15 * fmax(1, fabs(expected));
      ck_assert_msg(fabs(v.value[r] - expected) <= most, "%s: %s is %.17g, not %.17g", system,
                    l->name[i], v.value[r], expected);
    }
  }
}

TEST(listed_names_are_what_they_say) {
  int numbers = 0;
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++)
    for (int variant = 0; variant < 3; variant++) {
      static listed l;
      const char *system = describe_case(*s, variant);
      if (!system)
        continue;
      find_names(&l, *s, system);
      for (int first = 0; first < l.n; first += 32)
        check_names(&l, first, first + 32 < l.n ? first + 32 : l.n, false, system);
      numbers += l.n;
    }
  ck_assert_int_gt(numbers, 200);
}

/* Names that the messages about `observables` list are recorded by those names, and are the same
   numbers in expressions, whose message lists them, too. */
TEST_OVER(listed_observables_are_recorded, count_systems()) {
  static listed all, known;
  static double once[MOST][RECORDS];
  static bool alone[MOST];
  const char *system = example_of(cas_kernels_get()->systems[_i]);
  char text[4000] = "";
  all = known = (listed){0};
  is_refused(0, "known: ", RECORDED, system, "nothing_like_it");
  add_known(&all, last_said.text);
  is_refused(0, "known: ", RECORDED, system, "{q: nothing_like_it}");
  add_known(&known, last_said.text);
  check_names(&all, 0, all.n, true, system);
  for (int i = 0; i < known.n; i++) {
    alone[i] = has_name(&all, known.name[i], strlen(known.name[i]));
    if (alone[i]) {
      cas_append(text, sizeof text, "%s{v%d: 2*%s}", *text ? ", " : "", i, known.name[i]);
      memcpy(once[i], recorded_series(known.name[i]).value, sizeof once[i]);
    }
  }
  ck_assert_msg(*text, "%s: no observable is in expressions", system);
  run_well(NULL, RECORDED, system, text);
  for (int i = 0; i < known.n; i++)
    for (int r = 0; alone[i] && r < RECORDS; r++)
      ck_assert_msg(recorded_series(formatted("v%d", i)).value[r] == 2 * once[i][r], "%s: 2*%s",
                    system, known.name[i]);
}

/* Options by their keys, also where a name of the state or a word of its description is alike. */
TEST_OVER(keys_of_options_are_the_options, 5) {
  static const struct {
    const char *system, *name;
    double value;
  } cases[] = {
      {FLUID, "N", 5},
      {"name: sine_euler, N: 5, initial: {random: {seed: 1, norm: 3}}", "N", 5},
      {BODY "attitude: true, noise: {kind: quadratic, sigma: 0.25}", "sigma", 0.25},
      {BODY "noise: {kind: linear, sigma: 0.25}", "sigma", 0.25},
      {"name: lie_poisson, algebra: su_n, N: 3, parameters: {k: 2/3}, hamiltonian: d1^2, initial: "
       "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
       "N + k", 3 + 2 / 3.0},
  };
  run_well(NULL, RECORDED, cases[_i].system, formatted("{q: %s}", cases[_i].name));
  series v = recorded_series("q");
  ck_assert(fabs(v.value[0] - cases[_i].value) <= 1e-15 * cases[_i].value);
}

/* Coefficients by which a state is given, of a matrix across lanes and of one by itself. */
TEST_OVER(coefficients_are_those_of_the_initial_state, 2) {
  const int N = _i ? 27 : 5;
  char system[2000], observables[2000] = "";
  snprintf(system, sizeof system, "name: euler_zeitlin, N: %d, initial: {coefficients: [", N);
  for (int i = 1; i < 25; i++) {
    const int l = (int)sqrt(i), m = i - l * l - l;
    const char *between = i > 1 ? ", " : "";
    cas_append(system, sizeof system, "%s[%d, %d, %g]", between, l, m, 0.2 + 0.01 * i);
    cas_append(observables, sizeof observables, "%s{c%d: \"coefficient(%d, %d)\"}", between, i, l,
               m);
  }
  cas_append(system, sizeof system, "]}");
  run_well(NULL, RECORDED, system, observables);
  for (int i = 1; i < 25; i++)
    assert_near(recorded_series(formatted("c%d", i)).value[0], 0.2 + 0.01 * i, 1e-13,
                formatted("coefficient %d", i));
}

/* The words that describe a matrix are no names, and names have one meaning. */
#define SO3 "name: lie_poisson, hamiltonian: x1^2, initial: [1, 2, 3], "
#define OWN "name: lie_poisson, algebra: brackets, initial: [1, 2, 3], hamiltonian: z, "

static const struct {
  const char *system, *observable, *complaint;
} refused[] = {
    {SO3 "parameters: {energy: 3}", "energy", "system.parameters.energy: 'energy' is a parameter"},
    {SO3 "parameters: {hamiltonian: 3}", "energy", "system.parameters.hamiltonian: 'hamiltonian'"},
    {SO3 "parameters: {norm: 3}", "energy", "system.parameters.norm: 'norm' is a parameter"},
    {SO3 "parameters: {casimir1: 3}", "energy", "and a Casimir"},
    {SO3 "parameters: {casimir_departure: 3}", "casimir_departure",
     "system.parameters.casimir_departure: 'casimir_departure' is a parameter"},
    {OWN "components: [x, hamiltonian_departure, z], brackets: {x z: x}", "energy",
     "system.components: 'hamiltonian_departure' is a number of the state and an observable"},
    {SO3 "parameters: {a: 3}, observables: {a: x1}", "energy", "'a' is a name already"},
    {SO3 "parameters: {a: 3}", "{a: x1}", "'a' is a name of system lie_poisson already"},
    {"name: lie_poisson, algebra: so_n, n: 3, hamiltonian: x12, parameters: {n: 5}, initial: [1, "
     "2, 3]",
     "energy", "system.parameters.n: 'n' is a parameter"},
    {OWN "components: [energy, y, z], brackets: {energy y: z}", "energy",
     "system.components: 'energy' is a number of the state and an observable"},
    {OWN "components: [casimir1, y, z], brackets: {y z: casimir1}, casimirs: [casimir1]", "energy",
     "system.components: 'casimir1' is"},
    {FLUID, "{q: 2*x}", "there is no"},
    {FLUID, "{q: 2*matrix}", "there is no"},
    {FLUID, "{q: 2*skew}", "there is no"},
    {FLUID, "{q: 2*Hermitian}", "there is no"},
    {FLUID, "{q: 2*omega}", "there is no"},
    {FLUID, "{re: energy}", "'re' is a name of system euler_zeitlin already"},
    {FLUID, "{q: \"re(0, 1)\"}",
     "3:68: study.observables[0].q: there is no such re(i,j): rows i and columns j are from 1 to N "
     "= 5"},
    {FLUID, "{q: \"coefficient(1, 2)\"}", "orders m from -l to l"},
    {FLUID, "{q: \"re(1.5, 2)\"}", "must be a whole number"},
    {FLUID, "{q: \"re(energy, 2)\"}", "must be a whole number"},
    {FLUID, "{q: \"re(1)\"}", "must have two indices: re(i,j)"},
    {FLUID, "{q: re}", "must have two indices: re(i,j)"},
};

TEST_OVER(two_meanings_are_refused, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i].complaint, RECORDED, refused[_i].system, refused[_i].observable);
}

RUN_TESTS_WITH_MPI
