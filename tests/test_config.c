/* Configurations and option tables: what is refused and in which words, and tables within tables.
   What is accepted is for test_config_robust.c. */
#include "config_fixture.h"

typedef struct {
  int64_t before;
  inner middle;
  int64_t after;
} outer;

static const cas_option nested_options[] = {
    {.type = CAS_INCLUDE, .offset = offsetof(outer, middle), .section = inner_options}, {0}};
static const cas_option outer_options[] = {CAS_OPTION(outer, INT, before, .fallback = "1"),
                                           {.type = CAS_INCLUDE, .section = nested_options},
                                           CAS_OPTION(outer, INT, after, .fallback = "2"),
                                           {0}};

static cas_status read_outer(const char *text, outer *o, cas_error *err) {
  return cas_options_read(parse(text), "", outer_options, NULL, o, err);
}

/* Keys of an included table stand among the others: read, written, described and listed. */
TEST(tables_include_tables) {
  outer o;
  cas_error err = {0};
  ck_assert_msg(!read_outer("{depth: 3, after: 5}", &o, &err), "%s", err.text);
  ck_assert(o.before == 1 && o.after == 5 && o.middle.depth == 3);
  PRINTED(text, {
    cas_options_write(f, 0, outer_options, &o);
    cas_options_describe(f, 0, outer_options);
  });
  ck_assert_ptr_nonnull(strstr(text,
                               "before: 1\ndepth: 3\nwidth: 0.25\nnames: [a, b]\nlabel: plain\n"
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

TEST(text_and_presence_by_path) {
  cas_config *c = parse("system: {name: rigid_body, noise: {sigma: 1}}\nempty:\n");
  ck_assert_str_eq(cas_config_text(c, "system.name"), "rigid_body");
  ck_assert_ptr_null(cas_config_text(c, "system"));
  ck_assert_ptr_null(cas_config_text(c, "empty"));
  ck_assert_ptr_null(cas_config_text(c, "system.name.deeper"));
  ck_assert(cas_config_has(c, "system.noise.sigma") && cas_config_has(c, "empty"));
  ck_assert(!cas_config_has(c, "system.noise.chi") && !cas_config_has(c, "sys"));
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

#define KINDS " (known: quadratic, linear, none)"
#define NO_TAGS "; anchors, aliases and tags are not used here, write the value itself"
#define PLAIN "; must be UTF-8 without control characters"
#define EIGHT "must not begin with 0, which to some means base eight"
#define KEYS "; the keys of a level need the same indentation, and a blank behind their ':'"
#define BLANK "not valid YAML: there must be a blank behind the ':' of a key, as in 'paths: 10'"

/* Values of a key, as the message shows them: numbers as they are, and all else in quotes. */
static const struct {
  const char *key, *complaint, *found[12];
} wrong[] = {
    {"any", "must be an integer", {"1.5", "1e-1", "'10_000'", "'0x10'", ".inf", ".nan"}},
    {"any", BELOW_2_63, {"9223372036854775808", "-9223372036854775809", "1e19"}},
    {"any", "must be written as 100 or as 100000", {"100.000"}},
    {"any", "must be written as -1 or as -1000", {"-1.000"}},
    {"any", EIGHT, {"010", "-007"}},
    {"step", EIGHT, {"01"}},
    {"time", EIGHT, {"060"}},
    {"count", "must be at least 1", {"0"}},
    {"sigma", "must be at least 0", {"-1", "-.inf"}},
    {"sigma",
     "must be a number",
     {"'1/0'", "'abc'", ".nan", ".NaN", "'nan'", "'inf'", "'0x1p3'", "'1.0.0'", "'1 2'", "'1e'",
      "'.'"}},
    {"sigma", "too large for double precision; must be below 1.8e308", {"'1e400'"}},
    {"sigma",
     "too small for double precision; must be 0 or at least 4.9e-324 in size",
     {"'1e-400'"}},
    {"fraction", "must be between 0 and 1", {"1.5", ".inf"}},
    {"positive", "must be greater than 0", {"0"}},
    {"positive", "must be greater than 0 and finite", {".inf"}},
    {"real", "must be a finite number", {".inf"}},
    {"real", "must be a number; numbers have a decimal point, as in 0.5, no comma", {"'1,5'"}},
    {"step", STEP_FORM, {"0", "-0.1", "'2^-7x'", "'2^'", "'1/0'", "'1/-3'", ".inf"}},
    {"step", "too small for double precision; " STEP_FORM, {"'2^-1075'"}},
    {"step", "must be between 0 and 1", {"'2^1'"}},
    {"time", TIME_FORM, {"-1", "'10 parsecs'", "'50m3h'", "'3h50'", "'h'"}},
    {"flag", "must be true or false (or yes, no)", {"1"}},
    {"list", "must be a list of numbers such as [1, 0.5]", {"3"}},
    {"moments", "must be a list of numbers such as [1, 0.5], or {sums: [1, 0.5]}", {"3"}},
    {"chi", "must be a list of lists such as [[1, 0], [0, 1]]", {"1"}},
    {"functionals", "must be a list of texts such as [energy, x1]", {"'sin2pi'"}},
    {"initial", STATE_FORM, {"5"}},
    {"noise", "must be a mapping of keys to values", {"3"}},
};

TEST_OVER(values_are_refused_in_these_words, sizeof wrong / sizeof *wrong) {
  for (const char *const *found = wrong[_i].found; *found; found++) {
    char text[80], message[400];
    const bool quoted = **found == '\'';
    snprintf(text, sizeof text, "%s: %.*s", wrong[_i].key, (int)strlen(*found) - 2 * quoted,
             *found + quoted);
    snprintf(message, sizeof message, "1: %s: found %s, %s", wrong[_i].key, *found,
             wrong[_i].complaint);
    assert_refused(text, strlen(text), message);
  }
}

static const struct {
  const char *text, *message;
} refused[] = {
    {"any: 1\ncount: -5", "2: count: found -5, must be at least 1"},
    {"list: [1,\n 01.5]", "2: list[1]: found 01.5, " EIGHT},
    {"any: '5'", "1: any: found '5' in quotes, must be an integer"},
    {"any:", "1: any: found nothing, must be an integer"},
    {"any:\n  - 1", "1: any: found a list, must be an integer"},
    {"any: {a: 1}", "1: any: found a mapping, must be an integer"},
    {"sigma: ~", "1: sigma: found nothing, must be a number"},
    {"step: [1]", "1: step: found a list, " STEP_FORM},
    {"time: ''", "1: time: found '' in quotes, " TIME_FORM},
    {"name: [a]", "1: name: found a list, must be text"},
    {"name: null", "1: name: found nothing, must be text"},
    {"kind: quadratc", "1: kind: found 'quadratc'; did you mean 'quadratic'?" KINDS},
    {"kind: cubic", "1: kind: found 'cubic'" KINDS},
    {"kind: [linear]", "1: kind: found a list" KINDS},
    {"list:\n  - 1\n  - 0", "3: list[1]: found 0, must be greater than 0"},
    {"list: [1, x]", "1: list[1]: found 'x', must be a number"},
    {"list: [1, .nan]", "1: list[1]: found .nan, must be a number"},
    {"moments: [0]", "1: moments[0]: found 0, must be at least 1"},
    {"moments:\n  sums: [1, 3]", "2: moments.sums[1]: found 3, must be between -2 and 2"},
    {"moments: {sums: [1, .nan]}", "1: moments.sums[1]: found .nan, must be a number"},
    {"moments: {sums: []}",
     "1: moments.sums: found a list, without numbers; must be a list such as [1, 0.5]"},
    {"moments: {}", "1: moments: 'sums' is missing (terms of the sums)"},
    {"moments: {sum: [1]}", "1: moments.sum: unknown key; did you mean 'sums'? (known: sums)"},
    {"moments: {sums: [1], more: 2}", "1: moments.more: unknown key (known: sums)"},
    {"chi: [1, 2]", "1: chi[0]: found 1, must be a list of numbers such as [1, 0, 0]"},
    {"chi: [[]]", "1: chi[0]: found a list, without numbers; must be a list such as [1, 0, 0]"},
    {"chi: [[1, 0], [1]]", "1: chi[1]: found 1 entries, must be 2 as in the first list"},
    {"chi: [[1, 0],\n [1, 2]]", "2: chi[1][1]: found 2, must be between -1 and 1"},
    {"functionals: [a, [b]]", "1: functionals[1]: found a list, must be text"},
    {"initial: {}", "1: initial: found a mapping, " STATE_FORM},
    {"initial: []", "1: initial: found a list, without numbers; must be a list such as [1, 0, 0]"},
    {"initial: [[[[1]]]]", "1: initial[0][0][0]: lists nested deeper than 3"},
    {"initial: [[1, 2], [3]]", "1: initial[1]: found 1 entries, must be 2 as in the first list"},
    {"initial: [1, [2]]", "1: initial[1]: found a list, must be a number like those before it"},
    {"initial: [[1], 2]", "1: initial[1]: found 2, must be a list of numbers such as [1, 0, 0]"},
    {"initial: [1, .inf]", "1: initial[1]: found .inf, must be a finite number"},
    {"initial: {fil: a}",
     "1: initial.fil: unknown key; did you mean 'file'? (known: file, dataset, index, each, keep)"},
    {"initial: {dataset: a}", "1: initial: 'file' is missing (HDF5 file with states)"},
    {"initial: {file: a, index: -1}", "1: initial.index: found -1, must be at least 0"},
    {"initial: {random: {seed: 1, norm: 0}}",
     "1: initial.random.norm: found 0, must be greater than 0"},
    {"initial: {random: {seed: 1, size: 1}}",
     "1: initial.random.size: unknown key (known: seed, norm, law, lmin, lmax)"},
    {"initial: {random: {seed: 1, norm: 1, lmin: 0}}",
     "1: initial.random.lmin: found 0, must be at least 1"},
    {"initial: {coefficients: [[1, 0, 2], [1, 1]]}",
     "1: initial.coefficients[1]: found 2 entries, must be 3 as in the first list"},
    {"initial: {coefficients: [[1, 0, 2]], norm: 0}",
     "1: initial.norm: found 0, must be greater than 0"},
    {"initial: {coefficients: [[1, 0, 2]], seed: 0}",
     "1: initial.seed: unknown key (known: coefficients, norm)"},
    {"initial: {random: {}, file: a}", "1: initial.file: unknown key (known: random, each, keep)"},
    {"any: 1\nnoise:\n  width: 1", "2: noise: 'depth' is missing (how deep)"},
    {"noise:", "1: noise: 'depth' is missing (how deep)"},
    {"noise:\n  depth: 1\n  widht: 1",
     "3: noise.widht: unknown key; did you mean 'width'? (known: depth, width, names, label)"},
    {"any: 1\nsgima: 1", "2: sgima: unknown key; did you mean 'sigma'?" KNOWN},
    {"zeta: 1", "1: zeta: unknown key" KNOWN},
    /* refused by the reader of YAML */
    {"any: 1\nreal: 2\nany: 3", "3: any: given twice, on lines 1 and 3; must be given once"},
    {"noise: {depth: 1,\n depth: 1}",
     "2: noise.depth: given twice, on lines 1 and 2; must be given once"},
    {"any: &a 1", "1: any: found '&a'" NO_TAGS},
    {"list: [1,\n  *b]", "2: list[1]: found '*b'" NO_TAGS},
    {"any: !!int 1", "1: any: found 'tag:yaml.org,2002:int'" NO_TAGS},
    {"any: 1\n---\nany: 2", "2: a second document begins here; must be one document"},
    {"", "1: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"# only a comment\n", "1: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"---\n", "2: empty; must be a mapping such as 'study: {kind: weak}'"},
    {"\n[1, 2]", "2: found a list, must be a mapping such as 'study: {kind: weak}'"},
    {"hello", "1: found 'hello', must be a mapping such as 'study: {kind: weak}'"},
    {"? [a]\n: 1", "1: found a list as a key, must be a name"},
    {"'': 1", "1: found nothing as a key, must be a name"},
    {"name: \"a\\0b\"", "1: name: found a NUL byte; text must have none"},
    {"any: 1\nlist: [1, 2\n", "3: not valid YAML: did not find expected ',' or ']' while parsing a "
                              "flow sequence that begins on line 2"},
    {"noise:\n  depth:1\n\n  # comment\n  width: 1", "2: " BLANK},
    {"noise:\n  width: 1\n  depth:1\n  label: a", "3: " BLANK},
    {"noise:\n  width: 1\n  depth:1\n", "3: " BLANK},
    {"noise:\n  depth: 1\n   width: 1",
     "3: not valid YAML: mapping values are not allowed in this context" KEYS},
    {"noise:\n   depth: 1\n  width: 1", "3: not valid YAML: did not find expected key while "
                                        "parsing a block mapping that begins on line 1" KEYS},
    {"noise:\n\tdepth: 1", "2: not valid YAML: found character that cannot start any token while "
                           "scanning for the next token; must be indented by spaces, not tabs"},
    {"any: 1\nname: \xff", "2: not text: invalid leading UTF-8 octet (0xFF, byte 13)" PLAIN},
    {"any: 1\r\nname: \x01",
     "2: not text: control characters are not allowed (0x01, byte 14)" PLAIN},
    {"\xef\xbb\xbf" /* editors for Windows begin a file with it */
     "any: 1\nname: \xff",
     "2: not text: invalid leading UTF-8 octet (0xFF, byte 16)" PLAIN},
    {"\xef\xbb\xbf", "1: empty; must be a mapping such as 'study: {kind: weak}'"},
    /* quotes are clipped and escaped */
    {"kind: \"\\e[31m\\u202e\xc3\xa4 and a good deal more than forty characters\"",
     "1: kind: found '\\x1b[31m\\u202e\xc3\xa4 and a good deal more than forty ...' in "
     "quotes" KINDS},
};

TEST_OVER(refusals_name_line_and_remedy, sizeof refused / sizeof *refused) {
  assert_refused(refused[_i].text, strlen(refused[_i].text), refused[_i].message);
}

TEST(nul_bytes_are_refused) {
  assert_refused("any: 1\nname: a\0b\n", 17,
                 "2: not text: control characters are not allowed (0x00, byte 14)" PLAIN);
}

RUN_TESTS
