/* Messages: of --set, of other folders, the way that errors travel, and what people are
   shown of the text of others. */
#include "base/text.h"
#include "config_fixture.h"
#include "files/results/frame.h"
#include "language/config/keys.h"

/* ---- --set ---- */

static char *listed(const cas_config *c) {
  PRINTED(text, cas_config_list(f, c));
  return text;
}

/* What assignments make of a configuration. */
static const struct {
  const char *text, *set[7], *listed;
} sets[] = {
    {"list: [1, 2, 3]\nchi: [[0.1, 0.2], [0.3, 0.4]]",
     {"list[2]=7", "list[0]=5", "chi[1][0]=0.5", "chi[0]=[0, 1]"},
     "list[0]: 5\nlist[1]: 2\nlist[2]: 7\nchi[0][0]: 0\nchi[0][1]: 1\nchi[1][0]: 0.5\n"
     "chi[1][1]: 0.4\n"},
    {"functionals: [a, b]", {"functionals[1]=null"}, "functionals[0]: a\n"},
    {"functionals: [a]", {"functionals[0].x=1"}, "functionals[0].x: 1\n"},
    {"any: 1\nnoise: {depth: 1}\nreal: 2",
     {"any=5", "real= 2.5", " noise.depth =9", "noise.names=[p, q]", "name=a=b"},
     "any: 5\nnoise.depth: 9\nnoise.names[0]: p\nnoise.names[1]: q\nreal: 2.5\nname: a=b\n"},
    {"any: 1", {"initial.random={seed: 3}"}, "any: 1\ninitial.random.seed: 3\n"},
    {"a: 1\nb: [1, 2]\nc:\n  d: 1\n", {"a.x.y=1", "b.x=2", "c=3"}, "a.x.y: 1\nb.x: 2\nc: 3\n"},
    {"study: {horizon: 1, steps: 2, levels: 3}",
     {"study.steps=null", "study.levels=~", "study.paths=7", "study.horizon=null"},
     "study.paths: 7\n"},
    {"study: {paths: 7}\na: 1", {"study.paths=null", "study.steps=5"}, "study.steps: 5\na: 1\n"},
    {"study: {paths: 7}\na: 1\nlast: 1", {"study=null", "last=null"}, "a: 1\n"},
};

TEST_OVER(set_changes_what_it_names, sizeof sets / sizeof *sets) {
  cas_config *c = parse(sets[_i].text);
  for (const char *const *assignment = sets[_i].set; *assignment; assignment++)
    MUST(cas_config_set(c, *assignment, &err));
  ck_assert_str_eq(listed(c), sets[_i].listed);
}

#define FORM "; the form is --set KEY=VALUE, such as --set study.paths=1000"
#define NO_KEY "needs a key, or keys joined by single dots, before '='" FORM
#define WHOLE "give the whole list, such as KEY=[1, 2, 3]"

/* Messages about assignments that are refused, or whose values are; they name them in front. */
static const struct {
  const char *message, *assignments[8];
} bad_sets[] = {
    {"has no '='" FORM, {"paths", ""}},
    {NO_KEY, {"=3", "a..b=3", ".a=3", "a.=3", "l[-1]=3", "l[1=3", "[1]=3"}},
    {"there is no 'b' to take away", {"any.b=~"}},
    {"there is no 'an' to take away; did you mean 'any'? (known: any, list)", {"an=null"}},
    {"there is no entry [0] of 1: " WHOLE, {"any[0]=3"}},
    {"there is no entry [0] of nothing: " WHOLE, {"x[0]=3"}},
    {"there is no entry [3]: the list has 3, counted from [0]", {"list[3]=1"}},
    {"not valid YAML: did not find expected ',' or ']' while parsing a flow sequence" FORM,
     {"any=[1"}},
    {"any.b.c: given twice; must be given once" FORM, {"any.b={c: 1, c: 2}"}},
    {"any: found '*x'; anchors, aliases and tags are not used here, write the value itself" FORM,
     {"any=*x"}},
    {"not text: control characters are not allowed (0x02, byte 0); must be UTF-8 without control "
     "characters" FORM,
     {"any=\x02"}},
    {"count: found 0, must be at least 1", {"count=0"}},
    {"count: found nothing, must be an integer", {"count="}},
    {"noise: 'depth' is missing (how deep)", {"noise.width=1"}},
    {"noise.dept: unknown key; did you mean 'depth'? (known: depth, width, names, label)",
     {"noise.dept=1"}},
    {"list[1]: found -1, must be greater than 0", {"list=[1, -1]"}},
};

TEST_OVER(bad_sets_change_nothing, sizeof bad_sets / sizeof *bad_sets) {
  for (const char *const *assignment = bad_sets[_i].assignments; *assignment; assignment++) {
    cas_config *c = parse("any: 1\nlist: [1, 2, 3]");
    cas_error err = {0};
    values v;
    char message[400];
    if (cas_config_set(c, *assignment, &err))
      ck_assert_str_eq(listed(c), "any: 1\nlist[0]: 1\nlist[1]: 2\nlist[2]: 3\n");
    else
      ck_assert(cas_options_read(c, "", options, NULL, &v, &err));
    ck_assert_int_eq(err.status, CAS_BAD_INPUT);
    snprintf(message, sizeof message, "--set %s: %s",
             strchr(*assignment, '\x02') ? "any=\\x02" : *assignment, bad_sets[_i].message);
    ck_assert_str_eq(err.text, message);
  }
}

/* ---- messages that others ask for ---- */

TEST(failures_name_the_nearest_line) {
  static const char *const cases[][2] = {
      {"system.noise.chi", "run.yaml:5: system.noise.chi: found 3"},
      {"system.noise.sigma.deep", "run.yaml:4: system.noise.sigma.deep: found 3"},
      {"system.noise.chi[0]", "run.yaml:6: system.noise.chi[0]: found 3"},
      {"system.noise.chi[1]", "run.yaml:5: system.noise.chi[1]: found 3"},
      {"system.name[0]", "run.yaml:3: system.name[0]: found 3"},
      {"study", "run.yaml:2: study: found 3"},
      {"", "run.yaml:2: found 3"},
      {"system.noise.sigma", "--set system.noise.sigma=0: system.noise.sigma: found 3"}};
  cas_config *c = parse("\nsystem:\n  name: x\n  noise:\n    chi:\n      [1]\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cas_error err = {0};
    if (strstr(cases[i][1], "--set"))
      MUST(cas_config_set(c, "system.noise.sigma=0", &err));
    ck_assert_int_eq(cas_config_fail(c, &err, cases[i][0], "found %d", 3), CAS_BAD_INPUT);
    ck_assert_str_eq(err.text, cases[i][1]);
  }
}

TEST_OVER(names_of_registries, 4) {
  static const char *const
      names[] = {"manakov", "rigid_body", NULL},
      *const cases[][2] = {
          {"system.name", "run.yaml:1: system.name: found 'rigid_bdy'; did you mean 'rigid_body'? "
                          "(known: manakov, rigid_body)"},
          {"study.kind", "run.yaml:2: study.kind: found a list (known: manakov, rigid_body)"},
          {"study.name", "run.yaml:2: study.name: found nothing (known: manakov, rigid_body)"},
          {"output.kind", "--set output=3: output: found 3, must be a mapping of keys to values"}};
  cas_config *c = parse("system: {name: rigid_bdy}\nstudy: {kind: [a]}\n");
  cas_error err = {0};
  MUST(cas_config_set(c, "output=3", &err));
  ck_assert_int_eq(cas_config_unknown(c, &err, cases[_i][0], NULL, names), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, cases[_i][1]);
}

TEST_OVER(other_keys_are_known_too, 2) {
  static const char
      *const also[] = {"name", NULL},
             *const cases[][2] = {
                 {"system",
                  "run.yaml:4: system.nmae: unknown key; did you mean 'name'? (known: name, depth, "
                  "width, names, label)"},
                 {"study.x", "run.yaml:1: study.x: 'depth' is missing (how deep)"}};
  inner v;
  cas_error err = {0};
  cas_config *c = parse("system:\n  name: x\n  depth: 1\n  nmae: y\n");
  ck_assert(cas_options_read(c, cases[_i][0], inner_options, also, &v, &err) == CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, cases[_i][1]);
}

/* Every '@' of these texts is the same character of the file. */
static const char *const places[][3] = {
    {"a: x1 + @", "a", "run.yaml:1:9: a: bad @"},
    {"\xc3\xa4: {a: 1, b: \"x \xc3\xa4 @\"}", "\xc3\xa4.b", "run.yaml:1:19: \xc3\xa4.b: bad @"},
    {"a:\n  - 'x\n\n     @'", "a[0]", "run.yaml:4:6: a[0]: bad @"},
    {"# no\r\na: x +\r\n   y + @\r\n", "a", "run.yaml:3:8: a: bad @"},
    {"\xef\xbb\xbf"
     "a: >-\n  x\n  + @\n  + y\nb: 2\n",
     "a", "run.yaml:3:5: a: bad @"},
    {"b: 1.5\na: |2-\n   x\n   @\n", "a", "run.yaml:4:4: a: bad @"},
    {"a: \"x\\t+ @\"", "a", "run.yaml:1: a: at character 5: bad @"},
};

TEST_OVER(characters_have_lines_and_columns, sizeof places / sizeof *places) {
  const char *path = places[_i][1];
  cas_config *c = parse(places[_i][0]);
  cas_error err = {0};
  const int at = (int)strcspn(cas_config_text(c, path), "@");
  ck_assert_int_eq(cas_config_fail_at(c, &err, path, at, "bad @"), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, places[_i][2]);
  MUST(cas_config_set(c, "z=x + @", &err));
  err = (cas_error){0};
  ck_assert_int_eq(cas_config_fail_at(c, &err, "z", 4, "bad"), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "--set z=x + @: z: at character 5: bad");
}

TEST(wrong_defaults_are_internal) {
  static const cas_option wrong[] = {{.key = "x", .type = CAS_INT, .fallback = "abc"}, {0}};
  int64_t v;
  cas_error err = {0};
  ck_assert_int_eq(cas_options_read(parse("{}"), "", wrong, NULL, &v, &err), CAS_INTERNAL);
  ck_assert_str_eq(
      err.text, "default: x: found 'abc', must be an integer (a mistake in the table of options)");
}

TEST_OVER(nearest_names, 9) {
  static const char *const names[] = {"name", "noise", "inertia", "initial", "N", NULL},
                           *const cases[][2] = {
                               {"nosie", "noise"},    {"NOISE", "noise"}, {"inertai", "inertia"},
                               {"intial", "initial"}, {"n", "N"},         {"x", NULL},
                               {"nxxse", NULL},       {"", NULL},         {"temperature", NULL}};
  ck_assert_pstr_eq(cas_nearest(cases[_i][0], names), cases[_i][1]);
}

TEST(the_first_error_stays) {
  cas_error err = {0};
  ck_assert_int_eq(cas_fail(&err, CAS_FILE_ERROR, "first %d", 1), CAS_FILE_ERROR);
  ck_assert_int_eq(cas_fail(&err, CAS_BAD_INPUT, "second"), CAS_BAD_INPUT);
  ck_assert_int_eq(cas_fail(NULL, CAS_BAD_INPUT, "nowhere"), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "first 1");
  ck_assert_int_eq(err.status, CAS_FILE_ERROR);
  ck_assert_int_eq(cas_exit_status(CAS_INTERRUPTED), 75);
  ck_assert_int_eq(cas_exit_status((cas_status)99), cas_exit_status(CAS_INTERNAL));
  ck_assert_str_eq(cas_status_text(CAS_NO_MEMORY), "out of memory");
  ck_assert_str_eq(cas_status_text((cas_status)99), "unknown status");
}

/* ---- text of others: what people are shown of it ---- */

static const struct {
  const char *text, *shown; /* NULL: as it is */
} shows[] = {
    {"", NULL},
    {"a b~\\ 'x'", NULL},
    {"E \xcf\x86 = 1 \xe2\x88\x92 2, \xf0\x9f\x8c\x80", NULL},
    {"tab\tline\nreturn\r", "tab\\tline\\nreturn\\r"},
    /* what steers a terminal */
    {"\033[31mred\007\177", "\\x1b[31mred\\x07\\x7f"},
    {"\xc2\x9b" /* ESC [ in one character */
     "31m",
     "\\xc2\\x9b"
     "31m"},
    {"\xe2\x80\xaetxt", "\\xe2\\x80\\xaetxt"}, /* from right to left */
    /* what is no UTF-8 */
    {"\xe9t\xe9", "\\xe9t\\xe9"}, /* Latin-1 */
    {"\xc3", "\\xc3"},            /* cut */
    {"\xe2\x88", "\\xe2\\x88"},
    {"\xc0\xaf", "\\xc0\\xaf"},                   /* longer than needed */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* a surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last character */
    {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"},          /* no character, which XML refuses */
    {"\x80\xff", "\\x80\\xff"},
};

TEST_OVER(what_is_no_plain_text_is_escaped, sizeof shows / sizeof *shows) {
  const char *text = shows[_i].text, *wanted = shows[_i].shown ? shows[_i].shown : text;
  char shown[200];
  cas_error err = {0};
  ck_assert(cas_text_show(shown, sizeof shown, text));
  ck_assert_str_eq(shown, wanted);
  ck_assert_int_eq(cas_fail(&err, CAS_BAD_INPUT, "%s", text), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, wanted);
}

TEST(long_messages_are_cut_between_characters) {
  char text[3000];
  cas_error err = {0}, again = {0};
  for (int lead = 0; lead < 4; lead++) {
    memset(text, 'x', sizeof text);
    for (size_t i = (size_t)lead; i + 2 < sizeof text; i += 2)
      memcpy(text + i, lead % 2 ? "\xc3\xa9" : "\033\n", 2);
    text[sizeof text - 1] = '\0';
    err = again = (cas_error){0};
    (void)cas_fail(&err, CAS_BAD_INPUT, "%s", text);
    (void)cas_fail(&again, CAS_BAD_INPUT, "%s", err.text);
    ck_assert_str_eq(err.text, again.text); /* nothing is left to be escaped */
    ck_assert_uint_gt(strlen(err.text), sizeof err.text - 20);
    ck_assert_str_eq(err.text + strlen(err.text) - 3, "...");
  }
}

/* A line ends neither between a number and its error or interval, nor within the interval. */
static const char *const wholes[] = {"x1 = -0.39 +- 0.02", "order 0.48 [0.45, 0.51]",
                                     "error of [0.1, 0.2]"};

TEST_OVER(numbers_are_whole_in_lines, sizeof wholes / sizeof *wholes) {
  const char *number = strchr(wholes[_i], '=') ? wholes[_i] : strpbrk(wholes[_i], "0[");
  const int longest = (int)strlen(wholes[_i]);
  for (int last = 1; last <= longest; last++) {
    PRINTED(text, cas_text_wrap(f, wholes[_i], 0, last));
    ck_assert_msg(strstr(text, number), "before column %d: %s", last, text);
  }
}

TEST_OVER(words_are_for_a_shell, 4) {
  static const char *const words[][2] = {{"study.coarsest_step=2^-7", "study.coarsest_step=2^-7"},
                                         {"a b.h5", "'a b.h5'"},
                                         {"phi={it: 'x1'}", "'phi={it: '\\''x1'\\''}'"},
                                         {"", "''"}};
  PRINTED(text, cas_text_shell(f, words[_i][0]));
  ck_assert_str_eq(text, words[_i][1]);
}

static void assert_number(double x, double error, double low, double high, const char *wanted) {
  char text[80] = "";
  cas_frame_append(text, sizeof text, x, error, low, high, INFINITY);
  ck_assert_str_eq(text, wanted);
}

/* Two digits of the standard error, or of half the interval. */
TEST(numbers_have_the_digits_of_their_errors) {
  assert_number(-1.56, NAN, -3.56, 0.436, "-1.6 [-3.6, 0.4]");
  assert_number(0.4986, NAN, 0.4973, 0.4999, "0.4986 [0.4973, 0.4999]");
  assert_number(0.4352, 0.02, NAN, NAN, "0.435 +- 0.020");
  assert_number(-1.34e-4, 1.4e-4, NAN, NAN, "-1.3e-04 +- 1.4e-04");
  assert_number(1.5e-5, NAN, 0, 8.5e-5, "1.5e-05 [0, 8.5e-05]");
  assert_number(-0.001, NAN, -0.1, 0.1, "0.00 [-0.10, 0.10]");
  assert_number(9.5e-4, NAN, 8.7e-4, 0.00112, "0.00095 [0.00087, 0.00112]");
  assert_number(6.7e-4, NAN, 5.3e-4, INFINITY, "6.7e-04 [5.3e-04, inf]");
  assert_number(0.25, NAN, NAN, NAN, "0.25");
}

RUN_TESTS
