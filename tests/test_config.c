/* Configurations and option tables: what is accepted, what is refused and in which words. */
#include "base/name_list.h"
#include "config_fixture.h"
#include "suite.h"

/* ---- what is accepted ---- */

TEST(defaults_fill_what_is_absent) {
  values v = read_good("{}");
  ck_assert_int_eq(v.count, 7);
  ck_assert_int_eq(v.any, 0);
  ck_assert(same_bits(v.sigma, 0.1) && same_bits(v.step, 0x1p-7) && same_bits(v.time, 600));
  ck_assert(v.flag && !v.name && v.kind == 2 && v.list.n == 0 && v.chi.rows == 0);
  ck_assert_int_eq(v.functionals.n, 1);
  ck_assert_str_eq(v.functionals.value[0], "sin2pi");
  ck_assert_int_eq(v.initial.kind, CAS_STATE_DEFAULT);
  ck_assert_int_eq(v.noise.depth, 0);
  ck_assert(same_bits(v.noise.width, 0.25));
  ck_assert_int_eq(v.noise.names.n, 2);
  ck_assert_str_eq(v.noise.label, "plain");
  cas_options_free(options, &v);
  ck_assert_ptr_null(v.noise.label);
}

static const struct {
  const char *text;
  int64_t value;
} integers[] = {{"1000", 1000},
                {"+5", 5},
                {"-3", -3},
                {"1e7", 10000000},
                {"1.5e3", 1500},
                {"-0", 0},
                {"0e99", 0},
                {"2000e-3", 2},
                {"7.0", 7},
                {"9007199254740993", 9007199254740993},
                {"0e1", 0},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"9.223372036854775807e18", INT64_MAX}};

TEST_OVER(integers_are_exact, sizeof integers / sizeof *integers) {
  char text[80];
  snprintf(text, sizeof text, "any: %s", integers[_i].text);
  values v = read_good(text);
  ck_assert_int_eq(v.any, integers[_i].value);
  cas_options_free(options, &v);
}

static const struct {
  const char *text;
  double value;
} reals[] = {{"sigma: .inf", INFINITY},
             {"sigma: +.INF", INFINITY},
             {"sigma: 0", 0},
             {"real: -0.0", -0.0},
             {"real: .5", 0.5},
             {"real: 5.", 5},
             {"real: -1.e-3", -1e-3},
             {"real: 1E+2", 100},
             {"real: 2^-7", 0x1p-7},
             {"real: 0.6666666666666666", 0.6666666666666666},
             {"real: 5e-324", 5e-324},
             {"real: 0e999999999999", 0},
             {"real: 1.7976931348623157e308", DBL_MAX},
             {"fraction: 0", 0},
             {"fraction: 1", 1},
             {"positive: 1e-300", 1e-300},
             {"step: 2^-16", 0x1p-16},
             {"step: 1/128", 0x1p-7},
             {"step: 1/3", 1. / 3},
             {"step: 0.01", 0.01},
             {"step: '2^-7'", 0x1p-7},
             {"step: 2^0", 1},
             {"step: 2^-1074", 0x1p-1074},
             {"time: 90", 90},
             {"time: 45s", 45},
             {"time: 10min", 600},
             {"time: 10m", 600},
             {"time: 3h50m", 13800},
             {"time: 1.5h", 5400},
             {"time: 1d1s", 86401},
             {"time: 0", 0},
             {"time: 0.25", 0.25}};

TEST_OVER(reals_steps_and_durations, sizeof reals / sizeof *reals) {
  values v = read_good(reals[_i].text);
  const char *t = reals[_i].text;
  double found = t[0] == 'r'   ? v.real
                 : t[0] == 'f' ? v.fraction
                 : t[0] == 'p' ? v.positive
                 : t[0] == 't' ? v.time
                 : t[1] == 't' ? v.step
                               : v.sigma;
  ck_assert_msg(same_bits(found, reals[_i].value), "%s gave %.17g", t, found);
  cas_options_free(options, &v);
}

TEST(text_lists_and_choices) {
  values v = read_good(
      "flag: No\nname: 2024\nkind: linear\nlist: [2, 1, .inf]\nchi: [[0, 1], [-1, 0.5], [1, 1]]\n"
      "functionals: [x1, 'true', \"a b\"]\n");
  ck_assert(!v.flag && v.kind == 1);
  ck_assert_str_eq(v.name, "2024");
  ck_assert(v.list.n == 3 && v.list.value[0] == 2 && isinf(v.list.value[2]));
  ck_assert(v.chi.rows == 3 && v.chi.columns == 2 && v.chi.value[3] == 0.5 && v.chi.value[2] == -1);
  ck_assert_int_eq(v.functionals.n, 3);
  ck_assert_str_eq(v.functionals.value[1], "true");
  ck_assert_str_eq(v.functionals.value[2], "a b");
  cas_options_free(options, &v);
}

TEST(reals_may_stand_below_a_key) {
  values v = read_good("moments: [2, .inf]");
  ck_assert(!v.moments.by_key && v.moments.values.n == 2 && v.moments.values.value[0] == 2);
  cas_options_free(options, &v);
  v = read_good("moments: {sums: [-1, 0.5, 2]}");
  ck_assert(v.moments.by_key && v.moments.values.n == 3 && v.moments.values.value[0] == -1);
  cas_options_free(options, &v);
  ck_assert(!v.moments.by_key && !v.moments.values.value);
  v = read_good("{}");
  ck_assert(!v.moments.by_key && v.moments.values.n == 0);
  cas_options_free(options, &v);
}

TEST(states_come_from_four_places) {
  values v = read_good("initial: [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]");
  ck_assert(v.initial.kind == CAS_STATE_VALUES && v.initial.values.n == 8);
  for (int i = 0; i < 8; i++)
    ck_assert(v.initial.values.value[i] == i + 1);
  cas_options_free(options, &v);
  v = read_good("initial: {file: golden.h5}");
  ck_assert(v.initial.kind == CAS_STATE_FILE && v.initial.index.n == 0);
  ck_assert_str_eq(v.initial.file, "golden.h5");
  ck_assert_str_eq(v.initial.dataset, "x");
  cas_options_free(options, &v);
  v = read_good("initial: {random: {seed: 7, norm: 12}}");
  ck_assert(v.initial.kind == CAS_STATE_RANDOM && v.initial.seed == 7 && v.initial.norm == 12);
  ck_assert(v.initial.lmin == 0 && v.initial.lmax == 0);
  cas_options_free(options, &v);
  v = read_good("initial: {random: {seed: 7, norm: 12, lmin: 2, lmax: 5}}");
  ck_assert(v.initial.lmin == 2 && v.initial.lmax == 5);
  cas_options_free(options, &v);
  v = read_good("initial: {coefficients: [[1, 0, 2], [3, -2, 0.5]]}");
  ck_assert(v.initial.kind == CAS_STATE_COEFFICIENTS && v.initial.norm == 0);
  ck_assert(v.initial.coefficients.rows == 2 && v.initial.coefficients.columns == 3);
  ck_assert(v.initial.coefficients.value[4] == -2 && v.initial.coefficients.value[5] == 0.5);
  cas_options_free(options, &v);
  v = read_good("initial: {coefficients: [[1, 0, 2]], norm: 3}");
  ck_assert(v.initial.norm == 3);
  cas_options_free(options, &v);
}

TEST(sections_nest) {
  static const char text[] = "noise:\n  depth: 3\n  names: []\n";
  values v = read_good(text);
  ck_assert(v.noise.depth == 3 && v.noise.names.n == 0 && same_bits(v.noise.width, 0.25));
  cas_options_free(options, &v);
  cas_config *c = parse(text);
  inner section;
  cas_error err = {0};
  ck_assert_int_eq(cas_options_read(c, "noise", inner_options, NULL, &section, &err), CAS_OK);
  ck_assert_int_eq(section.depth, 3);
  cas_options_free(inner_options, &section);
  cas_config_free(c);
}

/* ---- tables within tables ---- */

typedef struct {
  int64_t before;
  inner middle;
  int64_t after;
} outer;

static const cas_option nested_options[] = {
    {.type = CAS_INCLUDE, .offset = offsetof(outer, middle), .section = inner_options}, {0}};
static const cas_option outer_options[] = {
    {.key = "before", .type = CAS_INT, .offset = offsetof(outer, before), .fallback = "1"},
    {.type = CAS_INCLUDE, .section = nested_options},
    {.key = "after", .type = CAS_INT, .offset = offsetof(outer, after), .fallback = "2"},
    {0}};

static cas_status read_outer(const char *text, outer *o, cas_error *err) {
  cas_config *c;
  ck_assert(!cas_config_parse(text, strlen(text), "run.yaml", &c, err));
  cas_status st = cas_options_read(c, "", outer_options, NULL, o, err);
  cas_config_free(c);
  return st;
}

/* The keys of an included table stand among the others, when they are read, written, described and
   listed. */
TEST(tables_include_tables) {
  outer o;
  cas_error err = {0};
  ck_assert_msg(!read_outer("{depth: 3, after: 5, label: x}", &o, &err), "%s", err.text);
  ck_assert(o.before == 1 && o.after == 5 && o.middle.depth == 3);
  ck_assert(same_bits(o.middle.width, 0.25) && o.middle.names.n == 2);
  PRINTED(text, {
    cas_options_write(f, 0, outer_options, &o);
    cas_options_describe(f, 0, outer_options);
  });
  ck_assert_ptr_nonnull(strstr(text, "before: 1\ndepth: 3\nwidth: 0.25\nnames: [a, b]\nlabel: x\n"
                                     "after: 5\nbefore  "));
  ck_assert_ptr_nonnull(strstr(text, "how deep"));
  cas_options_free(outer_options, &o);
  ck_assert_ptr_null(o.middle.label);
  ck_assert_int_eq(read_outer("{}", &o, &err), CAS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(err.text, "'depth' is missing (how deep)"));
  err = (cas_error){0};
  ck_assert_int_eq(read_outer("{depth: 1, afterr: 1}", &o, &err), CAS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(err.text, "(known: before, depth, width, names, label, after)"));
}

TEST(lists_of_names_grow) {
  enum { MANY = 1000 };
  cas_name_list l = {0};
  cas_error err = {0};
  for (int i = 0; i < MANY; i++)
    cas_name_list_add(&l, i % 2 ? "odd" : "even");
  ck_assert(!cas_name_list_check(&l, &err));
  ck_assert(l.n == MANY && !l.name[MANY]);
  for (int i = 0; i < MANY; i++)
    ck_assert_str_eq(l.name[i], i % 2 ? "odd" : "even");
  cas_name_list_free(&l);
}

TEST(text_and_presence_by_path) {
  cas_config *c = parse("system: {name: rigid_body, noise: {sigma: 1}}\nempty:\n");
  ck_assert_str_eq(cas_config_text(c, "system.name"), "rigid_body");
  ck_assert_ptr_null(cas_config_text(c, "system"));
  ck_assert_ptr_null(cas_config_text(c, "empty"));
  ck_assert_ptr_null(cas_config_text(c, "system.name.deeper"));
  ck_assert(cas_config_has(c, "system.noise.sigma") && cas_config_has(c, "empty"));
  ck_assert(!cas_config_has(c, "system.noise.chi") && !cas_config_has(c, "sys"));
  cas_config_free(c);
}

/* ---- what is refused, in these words ---- */

#define STEP_FORM "must be a number greater than 0, written like 0.01, 2^-7 or 1/128"
#define TIME_FORM "must be a duration such as 90 (seconds), 45s, 10min or 3h50m"
#define BELOW_2_63 "must be an integer below 2^63"
#define STATE_FORM                                                                                 \
  "must be a list of numbers, {file: .., dataset: .., index: ..}, {random: {seed: .., norm: ..}}," \
  " {coefficients: [[l, m, value], ..]} or {map: {file: .., dataset: ..}}"
#define KNOWN                                                                                  \
  " (known: count, any, sigma, fraction, positive, real, step, time, flag, name, kind, list, " \
  "moments, chi, functionals, "                                                                \
  "initial, noise)"

#define EIGHT "must not begin with 0, which to some means base eight"
#define KEYS "; the keys of a level need the same indentation, and a blank behind their ':'"
#define BLANK "not valid YAML: there must be a blank behind the ':' of a key, as in 'paths: 10'"

static const struct {
  const char *text, *message;
} refused[] = {
    {"any: 1\ncount: -5", "run.yaml:2: count: found -5, must be at least 1"},
    {"count: 0", "run.yaml:1: count: found 0, must be at least 1"},
    {"any: 9223372036854775808", "run.yaml:1: any: found 9223372036854775808, " BELOW_2_63},
    {"any: -9223372036854775809", "run.yaml:1: any: found -9223372036854775809, " BELOW_2_63},
    {"any: 1e19", "run.yaml:1: any: found 1e19, " BELOW_2_63},
    {"any: 1.5", "run.yaml:1: any: found 1.5, must be an integer"},
    {"any: 100.000", "run.yaml:1: any: found 100.000, must be written as 100 or as 100000"},
    {"any: -1.000", "run.yaml:1: any: found -1.000, must be written as -1 or as -1000"},
    {"sigma: 1/0", "run.yaml:1: sigma: found '1/0', must be a number"},
    {"any: 010", "run.yaml:1: any: found 010, " EIGHT},
    {"any: -007", "run.yaml:1: any: found -007, " EIGHT},
    {"list: [1,\n 01.5]", "run.yaml:2: list[1]: found 01.5, " EIGHT},
    {"step: 01", "run.yaml:1: step: found 01, " EIGHT},
    {"time: 060", "run.yaml:1: time: found 060, " EIGHT},
    {"any: 1e-1", "run.yaml:1: any: found 1e-1, must be an integer"},
    {"any: 10_000", "run.yaml:1: any: found '10_000', must be an integer"},
    {"any: 0x10", "run.yaml:1: any: found '0x10', must be an integer"},
    {"any: .inf", "run.yaml:1: any: found .inf, must be an integer"},
    {"any: .nan", "run.yaml:1: any: found .nan, must be an integer"},
    {"any: '5'", "run.yaml:1: any: found '5' in quotes, must be an integer"},
    {"any:", "run.yaml:1: any: found nothing, must be an integer"},
    {"any:\n  - 1", "run.yaml:1: any: found a list, must be an integer"},
    {"any: {a: 1}", "run.yaml:1: any: found a mapping, must be an integer"},
    {"sigma: abc", "run.yaml:1: sigma: found 'abc', must be a number"},
    {"sigma: -1", "run.yaml:1: sigma: found -1, must be at least 0"},
    {"sigma: -.inf", "run.yaml:1: sigma: found -.inf, must be at least 0"},
    {"sigma: .nan", "run.yaml:1: sigma: found .nan, must be a number"},
    {"sigma: .NaN", "run.yaml:1: sigma: found .NaN, must be a number"},
    {"sigma: nan", "run.yaml:1: sigma: found 'nan', must be a number"},
    {"sigma: inf", "run.yaml:1: sigma: found 'inf', must be a number"},
    {"sigma: 1e400",
     "run.yaml:1: sigma: found '1e400', too large for double precision; must be below 1.8e308"},
    {"sigma: 1e-400",
     "run.yaml:1: sigma: found '1e-400', too small for double precision; must be 0 or at least "
     "4.9e-324 in size"},
    {"sigma: 0x1p3", "run.yaml:1: sigma: found '0x1p3', must be a number"},
    {"sigma: 1.0.0", "run.yaml:1: sigma: found '1.0.0', must be a number"},
    {"sigma: 1 2", "run.yaml:1: sigma: found '1 2', must be a number"},
    {"sigma: 1e", "run.yaml:1: sigma: found '1e', must be a number"},
    {"sigma: .", "run.yaml:1: sigma: found '.', must be a number"},
    {"sigma: ~", "run.yaml:1: sigma: found nothing, must be a number"},
    {"fraction: 1.5", "run.yaml:1: fraction: found 1.5, must be between 0 and 1"},
    {"fraction: .inf", "run.yaml:1: fraction: found .inf, must be between 0 and 1"},
    {"positive: 0", "run.yaml:1: positive: found 0, must be greater than 0"},
    {"positive: .inf", "run.yaml:1: positive: found .inf, must be greater than 0 and finite"},
    {"real: .inf", "run.yaml:1: real: found .inf, must be a finite number"},
    {"real: 1,5",
     "run.yaml:1: real: found '1,5', must be a number; numbers have a decimal point, as "
     "in 0.5, no comma"},
    {"step: 0", "run.yaml:1: step: found 0, " STEP_FORM},
    {"step: -0.1", "run.yaml:1: step: found -0.1, " STEP_FORM},
    {"step: 2^-1075",
     "run.yaml:1: step: found '2^-1075', too small for double precision; " STEP_FORM},
    {"step: 2^-7x", "run.yaml:1: step: found '2^-7x', " STEP_FORM},
    {"step: 2^", "run.yaml:1: step: found '2^', " STEP_FORM},
    {"step: 1/0", "run.yaml:1: step: found '1/0', " STEP_FORM},
    {"step: 1/-3", "run.yaml:1: step: found '1/-3', " STEP_FORM},
    {"step: .inf", "run.yaml:1: step: found .inf, " STEP_FORM},
    {"step: [1]", "run.yaml:1: step: found a list, " STEP_FORM},
    {"step: 2^1", "run.yaml:1: step: found '2^1', must be between 0 and 1"},
    {"time: -1", "run.yaml:1: time: found -1, " TIME_FORM},
    {"time: 10 parsecs", "run.yaml:1: time: found '10 parsecs', " TIME_FORM},
    {"time: 50m3h", "run.yaml:1: time: found '50m3h', " TIME_FORM},
    {"time: 3h50", "run.yaml:1: time: found '3h50', " TIME_FORM},
    {"time: h", "run.yaml:1: time: found 'h', " TIME_FORM},
    {"time: ''", "run.yaml:1: time: found '' in quotes, " TIME_FORM},
    {"flag: 1", "run.yaml:1: flag: found 1, must be true or false (or yes, no)"},
    {"name: [a]", "run.yaml:1: name: found a list, must be text"},
    {"name: null", "run.yaml:1: name: found nothing, must be text"},
    {"kind: quadratc", "run.yaml:1: kind: found 'quadratc'; did you mean 'quadratic'? (known: "
                       "quadratic, linear, none)"},
    {"kind: cubic", "run.yaml:1: kind: found 'cubic' (known: quadratic, linear, none)"},
    {"kind: [linear]", "run.yaml:1: kind: found a list (known: quadratic, linear, none)"},
    {"list: 3", "run.yaml:1: list: found 3, must be a list of numbers such as [1, 0.5]"},
    {"list:\n  - 1\n  - 0", "run.yaml:3: list[1]: found 0, must be greater than 0"},
    {"list: [1, x]", "run.yaml:1: list[1]: found 'x', must be a number"},
    {"list: [1, .nan]", "run.yaml:1: list[1]: found .nan, must be a number"},
    {"moments: 3", "run.yaml:1: moments: found 3, must be a list of numbers such as [1, 0.5], or "
                   "{sums: [1, 0.5]}"},
    {"moments: [0]", "run.yaml:1: moments[0]: found 0, must be at least 1"},
    {"moments:\n  sums: [1, 3]", "run.yaml:2: moments.sums[1]: found 3, must be between -2 and 2"},
    {"moments: {sums: [1, .nan]}", "run.yaml:1: moments.sums[1]: found .nan, must be a number"},
    {"moments: {sums: []}",
     "run.yaml:1: moments.sums: found a list, without numbers; must be a list such as [1, 0.5]"},
    {"moments: {}", "run.yaml:1: moments: 'sums' is missing (terms of the sums)"},
    {"moments: {sum: [1]}",
     "run.yaml:1: moments.sum: unknown key; did you mean 'sums'? (known: sums)"},
    {"moments: {sums: [1], more: 2}", "run.yaml:1: moments.more: unknown key (known: sums)"},
    {"chi: [1, 2]", "run.yaml:1: chi[0]: found 1, must be a list of numbers such as [1, 0, 0]"},
    {"chi: [[]]",
     "run.yaml:1: chi[0]: found a list, without numbers; must be a list such as [1, 0, 0]"},
    {"chi: [[1, 0], [1]]", "run.yaml:1: chi[1]: found 1 entries, must be 2 as in the first list"},
    {"chi: [[1, 0],\n [1, 2]]", "run.yaml:2: chi[1][1]: found 2, must be between -1 and 1"},
    {"chi: 1", "run.yaml:1: chi: found 1, must be a list of lists such as [[1, 0], [0, 1]]"},
    {"functionals: sin2pi",
     "run.yaml:1: functionals: found 'sin2pi', must be a list of texts such as [energy, x1]"},
    {"functionals: [a, [b]]", "run.yaml:1: functionals[1]: found a list, must be text"},
    {"initial: 5", "run.yaml:1: initial: found 5, " STATE_FORM},
    {"initial: {}", "run.yaml:1: initial: found a mapping, " STATE_FORM},
    {"initial: []",
     "run.yaml:1: initial: found a list, without numbers; must be a list such as [1, 0, 0]"},
    {"initial: [[[[1]]]]", "run.yaml:1: initial[0][0][0]: lists nested deeper than 3"},
    {"initial: [[1, 2], [3]]",
     "run.yaml:1: initial[1]: found 1 entries, must be 2 as in the first list"},
    {"initial: [1, [2]]",
     "run.yaml:1: initial[1]: found a list, must be a number like those before it"},
    {"initial: [[1], 2]",
     "run.yaml:1: initial[1]: found 2, must be a list of numbers such as [1, 0, 0]"},
    {"initial: [1, .inf]", "run.yaml:1: initial[1]: found .inf, must be a finite number"},
    {"initial: {fil: a}", "run.yaml:1: initial.fil: unknown key; did you mean 'file'? (known: "
                          "file, dataset, index, each, keep)"},
    {"initial: {dataset: a}", "run.yaml:1: initial: 'file' is missing (HDF5 file with states)"},
    {"initial: {file: a, index: -1}", "run.yaml:1: initial.index: found -1, must be at least 0"},
    {"initial: {random: {seed: 1, norm: 0}}",
     "run.yaml:1: initial.random.norm: found 0, must be greater than 0"},
    {"initial: {random: {seed: 1, size: 1}}",
     "run.yaml:1: initial.random.size: unknown key (known: seed, norm, law, lmin, lmax)"},
    {"initial: {random: {seed: 1, norm: 1, lmin: 0}}",
     "run.yaml:1: initial.random.lmin: found 0, must be at least 1"},
    {"initial: {coefficients: [[1, 0, 2], [1, 1]]}",
     "run.yaml:1: initial.coefficients[1]: found 2 entries, must be 3 as in the first list"},
    {"initial: {coefficients: [[1, 0, 2]], norm: 0}",
     "run.yaml:1: initial.norm: found 0, must be greater than 0"},
    {"initial: {coefficients: [[1, 0, 2]], seed: 0}",
     "run.yaml:1: initial.seed: unknown key (known: coefficients, norm)"},
    {"initial: {random: {}, file: a}",
     "run.yaml:1: initial.file: unknown key (known: random, each, keep)"},
    {"noise: 3", "run.yaml:1: noise: found 3, must be a mapping of keys to values"},
    {"any: 1\nnoise:\n  width: 1", "run.yaml:2: noise: 'depth' is missing (how deep)"},
    {"noise:", "run.yaml:1: noise: 'depth' is missing (how deep)"},
    {"noise:\n  depth: 1\n  widht: 1", "run.yaml:3: noise.widht: unknown key; did you mean "
                                       "'width'? (known: depth, width, names, label)"},
    {"any: 1\nsgima: 1", "run.yaml:2: sgima: unknown key; did you mean 'sigma'?" KNOWN},
    {"zeta: 1", "run.yaml:1: zeta: unknown key" KNOWN},
    /* refused by the reader of YAML */
    {"any: 1\nreal: 2\nany: 3",
     "run.yaml:3: any: given twice, on lines 1 and 3; must be given once"},
    {"noise: {depth: 1,\n depth: 1}",
     "run.yaml:2: noise.depth: given twice, on lines 1 and 2; must be given once"},
    {"any: &a 1", "run.yaml:1: any: found '&a'; anchors, aliases and tags are not used here, write "
                  "the value itself"},
    {"list: [1,\n  *b]", "run.yaml:2: list[1]: found '*b'; anchors, aliases and tags are not used "
                         "here, write the value itself"},
    {"any: !!int 1",
     "run.yaml:1: any: found 'tag:yaml.org,2002:int'; anchors, aliases and tags are not used here, "
     "write the value itself"},
    {"any: 1\n---\nany: 2", "run.yaml:2: a second document begins here; must be one document"},
    {"", "run.yaml:1: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"# only a comment\n", "run.yaml:1: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"---\n", "run.yaml:2: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"\n[1, 2]", "run.yaml:2: found a list, must be a mapping such as 'study: {kind: weak}'"},
    {"hello", "run.yaml:1: found 'hello', must be a mapping such as 'study: {kind: weak}'"},
    {"? [a]\n: 1", "run.yaml:1: found a list as a key, must be a name"},
    {"'': 1", "run.yaml:1: found nothing as a key, must be a name"},
    {"name: \"a\\0b\"", "run.yaml:1: name: found a NUL byte; text must have none"},
    {"any: 1\nlist: [1, 2\n",
     "run.yaml:3: not valid YAML: did not find expected ',' or ']' while parsing a flow "
     "sequence that begins on line 2"},
    {"noise:\n  depth:1\n\n  # comment\n  width: 1", "run.yaml:2: " BLANK},
    {"noise:\n  width: 1\n  depth:1\n  label: a", "run.yaml:3: " BLANK},
    {"noise:\n  width: 1\n  depth:1\n", "run.yaml:3: " BLANK},
    {"noise:\n  depth: 1\n   width: 1",
     "run.yaml:3: not valid YAML: mapping values are not allowed in this context" KEYS},
    {"noise:\n   depth: 1\n  width: 1",
     "run.yaml:3: not valid YAML: did not find expected key while parsing a block mapping that "
     "begins on line 1" KEYS},
    {"noise:\n\tdepth: 1",
     "run.yaml:2: not valid YAML: found character that cannot start any token while scanning "
     "for the next token; must be indented by spaces, not tabs"},
    {"any: 1\nname: \xff",
     "run.yaml:2: not text: invalid leading UTF-8 octet (0xFF, byte 13); must be UTF-8 without "
     "control characters"},
    {"any: 1\r\nname: \x01",
     "run.yaml:2: not text: control characters are not allowed (0x01, byte 14); must be "
     "UTF-8 without control characters"},
};

TEST_OVER(refusals_name_line_and_remedy, sizeof refused / sizeof *refused) {
  assert_refused(refused[_i].text, strlen(refused[_i].text), refused[_i].message);
}

/* Editors for Windows begin a file with it. */
TEST(a_byte_order_mark_is_no_text) {
  values v = read_good("\xef\xbb\xbf"
                       "any: 7\r\nname: x\r\n");
  ck_assert(v.any == 7);
  ck_assert_str_eq(v.name, "x");
  cas_options_free(options, &v);
  assert_refused("\xef\xbb\xbf"
                 "any: 1\nname: \xff",
                 17,
                 "run.yaml:2: not text: invalid leading UTF-8 octet (0xFF, byte 16); must be UTF-8 "
                 "without control characters");
  assert_refused("\xef\xbb\xbf", 3,
                 "run.yaml:1: empty; must be a mapping such as 'study: {kind: weak}'");
}

TEST(nul_bytes_are_refused) {
  assert_refused("any: 1\nname: a\0b\n", 17,
                 "run.yaml:2: not text: control characters are not allowed (0x00, byte 14); must "
                 "be UTF-8 without "
                 "control characters");
}

TEST(quotes_are_clipped_and_escaped) {
  static const char text[] =
      "kind: \"\\e[31m\\u202e\xc3\xa4 and a good deal more than forty characters\"";
  assert_refused(text, sizeof text - 1,
                 "run.yaml:1: kind: found '\\x1b[31m\\u202e\xc3\xa4 and a good deal more than "
                 "forty ...' in quotes "
                 "(known: quadratic, linear, none)");
}

RUN_TESTS
