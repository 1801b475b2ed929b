/* Configurations: --set, the messages that other folders ask for, and the way errors travel. */
#include "config_fixture.h"
#include "language/config/keys.h"
#include "suite.h"

/* ---- --set ---- */

static void set(cas_config *c, const char *assignment) {
  cas_error err = {0};
  ck_assert_msg(!cas_config_set(c, assignment, &err), "%s", err.text);
}

TEST(set_reaches_entries_of_lists) {
  cas_config *c = parse("list: [1, 2, 3]\nchi: [[0.1, 0.2], [0.3, 0.4]]\nfunctionals: [a, b]\n");
  set(c, "list[2]=7");
  set(c, "list[0]=5");
  set(c, "chi[1][0]=0.5");
  set(c, "chi[0]=[0, 1]");
  set(c, "functionals[1]=null");
  values v;
  cas_error err = {0};
  ck_assert_msg(!cas_options_read(c, "", options, (const char *[]){NULL}, &v, &err), "%s",
                err.text);
  ck_assert(v.list.value[0] == 5 && v.list.value[1] == 2 && v.list.value[2] == 7);
  ck_assert(v.chi.value[0] == 0 && v.chi.value[1] == 1 && v.chi.value[2] == 0.5 &&
            v.chi.value[3] == 0.4);
  ck_assert_int_eq(v.functionals.n, 1);
  cas_options_free(options, &v);
  ck_assert(cas_config_set(c, "list[3]=1", &err) == CAS_BAD_INPUT);
  ck_assert_str_eq(err.text,
                   "--set list[3]=1: there is no entry [3]: the list has 3, counted from [0]");
  set(c, "functionals[0].x=1");
  ck_assert(cas_config_has(c, "functionals[0].x"));
  cas_config_free(c);
}

TEST(set_adds_and_replaces) {
  cas_config *c = parse("any: 1\nnoise: {depth: 1}\nreal: 2\n");
  set(c, "any=5");
  set(c, "real= 2.5");
  set(c, " noise.depth =9");
  set(c, "noise.names=[p, q]");
  set(c, "initial.random={seed: 3, norm: 2}");
  set(c, "name=a=b");
  values v;
  cas_error err = {0};
  ck_assert_msg(!cas_options_read(c, "", options, NULL, &v, &err), "%s", err.text);
  ck_assert(v.any == 5 && v.real == 2.5 && v.noise.depth == 9 && v.noise.names.n == 2 &&
            v.initial.seed == 3);
  ck_assert_str_eq(v.name, "a=b");
  cas_options_free(options, &v);
  cas_config_free(c);
}

TEST(set_replaces_what_is_no_mapping) {
  cas_config *c = parse("a: 1\nb: [1, 2]\nc:\n  d: 1\n");
  set(c, "a.x.y=1");
  set(c, "b.x=2");
  set(c, "c=3");
  ck_assert_str_eq(cas_config_text(c, "a.x.y"), "1");
  ck_assert_str_eq(cas_config_text(c, "b.x"), "2");
  ck_assert_str_eq(cas_config_text(c, "c"), "3");
  ck_assert(!cas_config_has(c, "c.d"));
  cas_config_free(c);
}

TEST(null_takes_away) {
  cas_config *c = parse("study: {horizon: 1, steps: 2, levels: 3}\nlast: 1\n");
  set(c, "study.steps=null");
  ck_assert(!cas_config_has(c, "study.steps") && cas_config_has(c, "study.levels"));
  set(c, "study.levels=~");
  set(c, "study.paths=7");
  set(c, "study.horizon=null");
  ck_assert(!cas_config_has(c, "study.levels") && !cas_config_has(c, "study.horizon"));
  ck_assert_str_eq(cas_config_text(c, "study.paths"), "7");
  set(c, "study.paths=null");
  set(c, "study.steps=5");
  ck_assert_str_eq(cas_config_text(c, "study.steps"), "5");
  set(c, "study=null");
  set(c, "last=null");
  ck_assert(!cas_config_has(c, "study") && !cas_config_has(c, "last"));
  cas_config_free(c);
}

#define FORM "; the form is --set KEY=VALUE, such as --set study.paths=1000"
#define NO_KEY ": needs a key, or keys joined by single dots, before '='" FORM

static const struct {
  const char *assignment, *message;
} bad_sets[] = {
    {"paths", "--set paths: has no '='" FORM},
    {"", "--set : has no '='" FORM},
    {"=3", "--set =3" NO_KEY},
    {"a..b=3", "--set a..b=3" NO_KEY},
    {".a=3", "--set .a=3" NO_KEY},
    {"a.=3", "--set a.=3" NO_KEY},
    {"ab=null", "--set ab=null: there is no 'ab' to take away; did you mean 'a'? (known: a)"},
    {"a.b=~", "--set a.b=~: there is no 'b' to take away"},
    {"a[0]=3", "--set a[0]=3: there is no entry [0] of 1: give the whole list, such as "
               "KEY=[1, 2, 3]"},
    {"x[0]=3", "--set x[0]=3: there is no entry [0] of nothing: give the whole list, such as "
               "KEY=[1, 2, 3]"},
    {"l[-1]=3", "--set l[-1]=3" NO_KEY},
    {"l[1=3", "--set l[1=3" NO_KEY},
    {"[1]=3", "--set [1]=3" NO_KEY},
    {"a=[1", "--set a=[1: not valid YAML: did not find expected ',' or ']' while parsing a flow "
             "sequence" FORM},
    {"a.b={c: 1, c: 2}", "--set a.b={c: 1, c: 2}: a.b.c: given twice; must be given once" FORM},
    {"a=*x", "--set a=*x: a: found '*x'; anchors, aliases and tags are not used here, write the "
             "value itself" FORM},
    {"a=\x02", "--set a=\\x02: not text: control characters are not allowed (0x02, byte 0); must "
               "be UTF-8 without control "
               "characters" FORM},
};

TEST_OVER(bad_sets_change_nothing, sizeof bad_sets / sizeof *bad_sets) {
  cas_config *c = parse("a: 1");
  cas_error err = {0};
  ck_assert_int_eq(cas_config_set(c, bad_sets[_i].assignment, &err), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, bad_sets[_i].message);
  ck_assert_str_eq(cas_config_text(c, "a"), "1");
  cas_config_free(c);
}

static const struct {
  const char *assignment, *message;
} wrong_sets[] = {
    {"count=0", "--set count=0: count: found 0, must be at least 1"},
    {"count=", "--set count=: count: found nothing, must be an integer"},
    {"noise.width=1", "--set noise.width=1: noise: 'depth' is missing (how deep)"},
    {"noise.dept=1",
     "--set noise.dept=1: noise.dept: unknown key; did you mean 'depth'? (known: depth, width, "
     "names, label)"},
    {"list=[1, -1]", "--set list=[1, -1]: list[1]: found -1, must be greater than 0"},
};

TEST_OVER(values_from_set_are_named, sizeof wrong_sets / sizeof *wrong_sets) {
  cas_config *c = parse("any: 1");
  cas_error err = {0};
  values v;
  set(c, wrong_sets[_i].assignment);
  ck_assert_int_eq(cas_options_read(c, "", options, NULL, &v, &err), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, wrong_sets[_i].message);
  cas_config_free(c);
}

/* ---- messages that others ask for ---- */

static void assert_failure(const cas_config *c, const char *path, const char *message) {
  cas_error err = {0};
  ck_assert_int_eq(cas_config_fail(c, &err, path, "found %d", 3), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, message);
}

TEST(failures_name_the_nearest_line) {
  cas_config *c = parse("\nsystem:\n  name: x\n  noise:\n    chi:\n      [1]\n");
  assert_failure(c, "system.noise.chi", "run.yaml:5: system.noise.chi: found 3");
  assert_failure(c, "system.noise.sigma.deep", "run.yaml:4: system.noise.sigma.deep: found 3");
  assert_failure(c, "system.noise.chi[0]", "run.yaml:6: system.noise.chi[0]: found 3");
  assert_failure(c, "system.noise.chi[1]", "run.yaml:5: system.noise.chi[1]: found 3");
  assert_failure(c, "system.name[0]", "run.yaml:3: system.name[0]: found 3");
  assert_failure(c, "study", "run.yaml:2: study: found 3");
  assert_failure(c, "", "run.yaml:2: found 3");
  set(c, "system.noise.sigma=0");
  assert_failure(c, "system.noise.sigma",
                 "--set system.noise.sigma=0: system.noise.sigma: found 3");
  cas_config_free(c);
}

TEST(names_of_registries) {
  static const char *const names[] = {"manakov", "rigid_body", NULL};
  cas_config *c = parse("system: {name: rigid_bdy}\nstudy: {kind: [a]}\n");
  cas_error err = {0};
  ck_assert_int_eq(cas_config_unknown(c, &err, "system.name", NULL, names), CAS_BAD_INPUT);
  ck_assert_str_eq(
      err.text,
      "run.yaml:1: system.name: found 'rigid_bdy'; did you mean 'rigid_body'? (known: manakov, "
      "rigid_body)");
  err = (cas_error){0};
  ck_assert_int_eq(cas_config_unknown(c, &err, "study.kind", NULL, names), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "run.yaml:2: study.kind: found a list (known: manakov, rigid_body)");
  err = (cas_error){0};
  ck_assert_int_eq(cas_config_unknown(c, &err, "study.name", NULL, names), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "run.yaml:2: study.name: found nothing (known: manakov, rigid_body)");
  set(c, "study=3");
  err = (cas_error){0};
  ck_assert_int_eq(cas_config_unknown(c, &err, "study.kind", NULL, names), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "--set study=3: study: found 3, must be a mapping of keys to values");
  cas_config_free(c);
}

TEST(other_keys_are_known_too) {
  static const char *const also[] = {"name", NULL};
  inner v;
  cas_error err = {0};
  cas_config *c = parse("system:\n  name: x\n  depth: 1\n  nmae: y\n");
  ck_assert_int_eq(cas_options_read(c, "system", inner_options, also, &v, &err), CAS_BAD_INPUT);
  ck_assert_str_eq(
      err.text,
      "run.yaml:4: system.nmae: unknown key; did you mean 'name'? (known: name, depth, width, "
      "names, label)");
  err = (cas_error){0};
  ck_assert_int_eq(cas_options_read(c, "study.x", inner_options, also, &v, &err), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "run.yaml:1: study.x: 'depth' is missing (how deep)");
  cas_config_free(c);
}

/* Every '@' of these texts is the same character of the file. */
static const struct {
  const char *yaml, *path;
  int line, column; /* 0: not known */
} places[] = {
    {"a: x1 + @", "a", 1, 9},
    {"\xc3\xa4: {a: 1, b: \"x \xc3\xa4 @\"}", "\xc3\xa4.b", 1, 19},
    {"a:\n  - 'x\n\n     @'", "a[0]", 4, 6},
    {"# no\r\na: x +\r\n   y + @\r\n", "a", 3, 8},
    {"\xef\xbb\xbf"
     "a: >-\n  x\n  + @\n  + y\nb: 2\n",
     "a", 3, 5},
    {"b: 1.5\na: |2-\n   x\n   @\n", "a", 4, 4},
    {"a: \"x\\t+ @\"", "a", 0, 0},
};

TEST_OVER(characters_have_lines_and_columns, sizeof places / sizeof *places) {
  const char *yaml = places[_i].yaml, *path = places[_i].path;
  char wanted[100];
  cas_config *c;
  cas_error err = {0};
  ck_assert_msg(!cas_config_parse(yaml, strlen(yaml), "run.yaml", &c, &err), "%s", err.text);
  const char *text = cas_config_text(c, path);
  int at = (int)strcspn(text, "@");
  ck_assert(text[at]);
  ck_assert_int_eq(cas_config_fail_at(c, &err, path, at, "bad %c", text[at]), CAS_BAD_INPUT);
  if (places[_i].line)
    snprintf(wanted, sizeof wanted, "run.yaml:%d:%d: %s: bad @", places[_i].line, places[_i].column,
             path);
  else
    snprintf(wanted, sizeof wanted, "run.yaml:1: %s: at character %d: bad @", path, at + 1);
  ck_assert_str_eq(err.text, wanted);
  set(c, "z=x + @");
  err = (cas_error){0};
  ck_assert_int_eq(cas_config_fail_at(c, &err, "z", 4, "bad"), CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, "--set z=x + @: z: at character 5: bad");
  cas_config_free(c);
}

TEST(wrong_defaults_are_internal) {
  static const cas_option wrong[] = {
      {.key = "x", .type = CAS_INT, .fallback = "abc", .help = "never"}, {0}};
  int64_t v;
  cas_error err = {0};
  cas_config *c = parse("{}");
  ck_assert_int_eq(cas_options_read(c, "", wrong, NULL, &v, &err), CAS_INTERNAL);
  ck_assert_str_eq(
      err.text, "default: x: found 'abc', must be an integer (a mistake in the table of options)");
  cas_config_free(c);
}

TEST(nearest_names) {
  static const char *const names[] = {"name", "noise", "inertia", "initial", "N", NULL};
  ck_assert_str_eq(cas_nearest("nosie", names), "noise");
  ck_assert_str_eq(cas_nearest("NOISE", names), "noise");
  ck_assert_str_eq(cas_nearest("inertai", names), "inertia");
  ck_assert_str_eq(cas_nearest("intial", names), "initial");
  ck_assert_str_eq(cas_nearest("n", names), "N");
  ck_assert_ptr_null(cas_nearest("x", names));
  ck_assert_ptr_null(cas_nearest("nxxse", names));
  ck_assert_ptr_null(cas_nearest("", names));
  ck_assert_ptr_null(cas_nearest("temperature", names));
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

TEST(long_errors_end_in_dots) {
  char text[3000] = "";
  for (size_t i = 0; i + 3 < sizeof text; i += 2)
    memcpy(text + i, "\xc3\xa4", 3);
  cas_error err = {0};
  ck_assert_int_eq(cas_fail(&err, CAS_BAD_INPUT, "x%s", text), CAS_BAD_INPUT);
  size_t length = strlen(err.text);
  ck_assert(length < sizeof err.text && length > sizeof err.text - 8);
  ck_assert_str_eq(err.text + length - 5, "\xc3\xa4...");
}

RUN_TESTS
