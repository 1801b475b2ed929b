/* Configurations: what is written reads back bitwise, and no bytes at all bring the reader down. */
#include "config_fixture.h"

#include <time.h>

/* ---- round trips ---- */

static char *written(const cas_option *table, const void *v) {
  PRINTED(text, cas_options_write(f, 0, table, v));
  return text;
}

/* What is written of `text` is read again as the same values. */
static char *written_twice(const char *text) {
  char *once = written(options, read_good(text)), *twice = written(options, read_good(once));
  ck_assert_str_eq(once, twice);
  return once;
}

/* Values that are written as given, to the last digit; keys stand in the order of the table. */
static const char *const kept[] = {
    "count: 9223372036854775807\nany: -9223372036854775808\nsigma: .inf\nfraction: 0\n"
    "positive: 1e-300\nreal: -0\nstep: 2^-16\ntime: 0\nflag: false\nname: \"true\"\n"
    "kind: quadratic\nlist: [2, 1, 0.6666666666666666, .inf]\n"
    "moments: [1, 1.0000000000000002, .inf]\n"
    "chi: [[0.02, -0, 1], [1e-17, 0.1, 0.30000000000000004]]\nfunctionals: []\n"
    "initial: {file: \"a b.h5\", dataset: /deep/x, index: 3}\n"
    "noise:\n  depth: 0\n  width: 0.5\n  names: []\n  label: \"x y\"\n",
    "any: 9007199254740993\nsigma: 0\nfraction: 1\npositive: 1.7976931348623157e+308\n"
    "real: 0.6666666666666666\nstep: 0.01\ntime: 0.25\n",
    "any: -3\nsigma: 0.1\nfraction: 1\npositive: 2\nreal: 123456789.12345679\nstep: 2^-1074\n",
    "real: 2.225073858507201e-308\nstep: 0.3\n",
    "name: \"\\x1b\\x85\\u2028\\ufeff\xf0\x9f\x98\x80 gr\xc3\xb6\xc3\x9f"
    "e.h5\"\n",
    "functionals: [\"\", null_, \"~\", \"- a\", \"a: b\", \"#\", \"tab\\x09here\", \"1e5\", "
    "\".inf\", \"no\", \"q\\\"\\\\\"]\n",
    "moments: {sums: [-2, -0, 1e-17]}\n",
    "initial: [0.8912073600614354, 0, 0.4535961214255773, -0]\n",
    "initial: {file: a, dataset: x, index: [9007199254740993, 0]}\n",
    "initial: {random: {seed: 7, norm: 0.1, lmin: 2, lmax: 9}}\n",
    "initial: {random: {seed: 7, norm: 0.1, lmax: 9}}\n",
    "initial: {coefficients: [[1, 0, 0.1], [3, -2, -1e-17]]}\n",
    "initial: {coefficients: [[1, 0, 0.1]], norm: 0.30000000000000004}\n",
};

TEST_OVER(what_is_written_reads_back, sizeof kept / sizeof *kept) {
  const char *all = written_twice(kept[_i]);
  ck_assert_msg(strstr(all, kept[_i]), "%s\ngave\n%s", kept[_i], all);
}

/* Other forms of values, and how they are written; NULL: not at all. */
static const struct {
  const char *key, *value, *given[5];
} forms[] = {
    {"any", NULL, {"0", "-0", "0e99", "0e1"}},
    {"list", NULL, {"[]"}},
    {"chi", NULL, {"[]"}},
    {"moments", NULL, {"[]"}},
    {"any", "5", {"+5", "5.0", "5000e-3", "0.5e1"}},
    {"any", "10000000", {"1e7"}},
    {"any", "1500", {"1.5e3"}},
    {"any", "9223372036854775807", {"9.223372036854775807e18"}},
    {"sigma", ".inf", {"+.INF"}},
    {"sigma", "0", {"0e999999999999"}},
    {"real", "0.5", {".5", "5e-1"}},
    {"real", "5", {"5."}},
    {"real", "-0.001", {"-1.e-3"}},
    {"real", "100", {"1E+2"}},
    {"real", "0.0078125", {"2^-7"}},
    {"step", "2^-7", {"1/128", "'2^-7'", "0.0078125"}},
    {"step", "0.3333333333333333", {"1/3"}},
    {"step", "1", {"2^0"}},
    {"time", "600", {"10min", "10m"}},
    {"time", "45", {"45s"}},
    {"time", "13800", {"3h50m"}},
    {"time", "5400", {"1.5h"}},
    {"time", "86401", {"1d1s"}},
    {"flag", "false", {"no", "No"}},
    {"name", "\"true\"", {"'true'"}},
    {"name", "\"2024\"", {"2024"}},
    {"name", "\"\\x1b\\x85\"", {"\"\\e\\N\""}},
    {"initial", "[0.8, 0, 0.4, -0]", {"[[0.8, 0], [0.4, -0.0]]"}},
    {"initial", "[1, 2, 3, 4, 5, 6, 7, 8]", {"[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]"}},
    {"initial", "{file: a, dataset: x}", {"{file: a}", "{file: a, index: []}"}},
};

TEST_OVER(values_have_one_form, sizeof forms / sizeof *forms) {
  for (const char *const *given = forms[_i].given; *given; given++) {
    const char *value = forms[_i].value;
    char text[400], line[400];
    snprintf(text, sizeof text, "%s: %s", forms[_i].key, *given);
    snprintf(line, sizeof line, "\n%s: %s", forms[_i].key, value ? value : "");
    const char *all = written_twice(text);
    ck_assert_msg(!strstr(all, line) == !value, "%s\ngave\n%s", text, all);
  }
}

static uint64_t next_random(unsigned short state[3]) {
  const uint64_t high = (uint32_t)jrand48(state);
  return high << 32 | (uint32_t)jrand48(state);
}

TEST(any_double_reads_back) {
  unsigned short state[3] = {1};
  for (int i = 0; i < 2000; i++) {
    double x;
    do
      memcpy(&x, &(uint64_t){next_random(state)}, sizeof x);
    while (!isfinite(x));
    const double positive = fabs(x) > 0 ? fabs(x) : 1, step = 0.5 + fmod(positive, 0.5);
    char text[400];
    snprintf(text, sizeof text,
             "{positive: %.17g, real: %.17g, sigma: %.17g, step: %.17g, time: %.17g, list: [%.17g, "
             ".inf], initial: [%.17g]}",
             positive, x, fabs(x), step, positive, positive, x);
    values *v = read_good(written_twice(text));
    ck_assert(same_bits(v->real, x) && same_bits(v->list.value[0], positive));
    ck_assert(same_bits(v->positive, positive) && same_bits(v->sigma, fabs(x)));
    ck_assert(same_bits(v->step, step) && same_bits(v->time, positive));
    ck_assert(same_bits(v->initial.values.value[0], x));
  }
}

TEST(writing_is_readable) {
  values *v =
      read_good("{step: 1/128, real: 0.1, name: plain.h5, list: [1, 0.5], chi: [[1, 0], [0, 1]],\n"
                " noise: {depth: 2, label: 'two words'}, initial: {random: {seed: 7, norm: 12}}}");
  char *text = written(options, v);
  ck_assert_str_eq(
      text, "count: 7\nsigma: 0.1\nfraction: 1\npositive: 2\nreal: 0.1\nstep: 2^-7\ntime: 600\n"
            "flag: true\nname: plain.h5\nkind: none\nlist: [1, 0.5]\nchi: [[1, 0], [0, 1]]\n"
            "functionals: [sin2pi]\ninitial: {random: {seed: 7, norm: 12}}\nnoise:\n  depth: 2\n"
            "  width: 0.25\n  names: [a, b]\n  label: \"two words\"\n");
  ck_assert_ptr_null(strstr(written(options, read_good("any: 1")), "noise"));
}

TEST(sections_without_content) {
  static const cas_option empty[] = {{.key = "file", .type = CAS_STRING, .fallback = ""}, {0}};
  static const cas_option outer[] = {{.key = "output", .type = CAS_SECTION, .section = empty}, {0}};
  char *file = NULL, *text = written(outer, &file);
  ck_assert_str_eq(text, "output: {}\n");
  MUST(cas_options_read(parse(text), "", outer, NULL, &file, &err));
  ck_assert_ptr_null(file);
}

TEST(tables_describe_themselves) {
  static const cas_option table[] = {
      VALUE(REAL, sigma, .fallback = "0.1", .high = INFINITY, .help = "noise amplitude"),
      VALUE(CHOICE, kind, .choices = kinds, .help = "kind of noise"),
      VALUE(REALS, list, .fallback = "", .open_low = true, .high = 1, .help = "weights"),
      CAS_SECTION_OPTION("noise", 0, inner_options, "more of it"),
      {0}};
  PRINTED(text, cas_options_describe(f, 2, table));
  ck_assert_str_eq(text, "  sigma    real >= 0, default 0.1                      noise amplitude\n"
                         "  kind     one of quadratic | linear | none, required  kind of noise\n"
                         "  list     list of reals in (0, 1], optional           weights\n"
                         "  noise    section, optional                           more of it\n"
                         "    depth  integer, required                           how deep\n"
                         "    width  real, default 0.25\n"
                         "    names  list of texts, default [a, b]\n"
                         "    label  text, default plain\n");
}

/* `unit` n times between `before` and `after`. */
static char *repeated(const char *before, const char *unit, size_t n, const char *after) {
  PRINTED(text, {
    fputs(before, f);
    for (size_t i = 0; i < n; i++)
      fputs(unit, f);
    fputs(after, f);
  });
  return text;
}

static const struct {
  const char *before, *after, *units[8];
} lines[] = {
    {"any: ", "", {"x", "1", "{", " ", "\xf0\x9f\x98\x80"}},
    {"", "", {"[a, ", "- ", "? ", "\xff", "{}, ", "\n", ":"}},
    {"real: 0.", "1e1000000", {"0"}},
    {"", ": 1", {"x"}},
    {"\"", "\": 1", {"x"}},
    {"any: '", "", {"x"}},
    {"any: [", "]", {"1, "}},
    {"any: [", "", {"["}},
    {"any: ", "x", {"\t"}},
    {"any: ", "1", {"a: "}},
    {"#", "", {"x"}},
    {"any: &", " 1", {"a"}},
    {"any: *", "", {"a"}},
    {"any: !", " 1", {"a"}},
    {"%", "", {"a"}},
    {"any: \"", "\"", {"\\x01"}},
    {"any: |", "", {"x"}},
    {"any: >\n ", "", {"x "}},
    {"chi: [", "[2]]", {"[1], "}},
    {"kind: ", "", {"linear"}},
    {"time: ", "", {"1h"}},
    {"initial: [", "[1]]", {"[1, 2], "}},
};

/* The message of the refusal, which takes less than five seconds. */
static cas_error refused_at_once(const char *text, const char *what) {
  values v;
  cas_error err = {0};
  const clock_t start = clock();
  ck_assert_msg(read_all(text, strlen(text), &v, &err) == CAS_BAD_INPUT, "%s is accepted", what);
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  ck_assert_msg(seconds < 5, "%s: %g s", what, seconds);
  ck_assert_msg(strncmp(err.text, "run.yaml:", 9) == 0 && strlen(err.text) < 900, "%s", err.text);
  return err;
}

TEST_OVER(a_line_of_a_megabyte_is_refused_at_once, sizeof lines / sizeof *lines) {
  for (const char *const *unit = lines[_i].units; *unit; unit++)
    refused_at_once(repeated(lines[_i].before, *unit, (1 << 20) / strlen(*unit), lines[_i].after),
                    *unit);
}

TEST(many_keys_are_compared_quickly) {
  PRINTED(text, {
    fputs("any: {", f);
    for (int i = 0; i < 100000; i++)
      fprintf(f, "k%d: 1, ", i);
    fputs("k5: 2}", f);
  });
  ck_assert_str_eq(refused_at_once(text, "many keys").text,
                   "run.yaml:1: any.k5: given twice, on lines 1 and 1; must be given once");
}

TEST(depth_is_limited) {
  static const size_t depth[] = {32, 33, 900};
  for (int i = 0; i < 3; i++) {
    const char *text = repeated("a: ", "[", depth[i] - 1, repeated("", "]", depth[i] - 1, ""));
    cas_config *c;
    cas_error err = {0};
    ck_assert_int_eq(cas_config_parse(text, strlen(text), "run.yaml", &c, &err),
                     i ? CAS_BAD_INPUT : CAS_OK);
    if (i)
      ck_assert_ptr_nonnull(strstr(err.text, ": nested deeper than 32 levels"));
    ck_assert_int_eq(strncmp(err.text, "run.yaml:1: a[0][0]", 19) == 0, i > 0);
    cas_config_free(c);
  }
}

TEST_OVER(depth_of_set_is_limited, 3) {
  static const char *const last[] = {"=1", "=[]", ".a=1"};
  cas_error err = {0};
  ck_assert_int_eq(cas_config_set(parse("a: 1"), repeated("a", ".a", 31, last[_i]), &err),
                   _i ? CAS_BAD_INPUT : CAS_OK);
}

/* ---- mutations of a valid text ---- */

static const char valid[] =
    "any: 5\nsigma: .inf\nstep: 2^-7 # comment\ntime: 3h50m\nflag: yes\nname: 'it''s'\n"
    "kind: linear\nlist: [2, 1, 0.6666666666666666]\nmoments: {sums: [1]}\nchi:\n  - [1, 0]\n  - "
    "[0, 1]\n"
    "functionals: [sin2pi, \"x\\x41\\u00e4\"]\ninitial: {random: {seed: 7, norm: 12}}\n"
    "noise:\n  depth: 1\n  label: |\n    two\n    lines\n";

static size_t below(unsigned short state[3], size_t n) { return (size_t)(next_random(state) % n); }

/* Replaces, removes or repeats up to five pieces; the characters of YAML more often than others. */
static size_t mutate(char *text, size_t length, size_t capacity, unsigned short state[3]) {
  static const char special[] = "{}[]:,-?&*!|>'\"%@`#\n\t ~^/.\0\xff\xc3\\";
  for (size_t changes = 1 + below(state, 5); changes > 0; changes--) {
    size_t at = below(state, length), n = 1 + below(state, 12);
    n = n < length - at ? n : length - at;
    switch (below(state, 4)) {
    case 0:
      text[at] = (char)next_random(state);
      break;
    case 1:
      text[at] = special[below(state, sizeof special)];
      break;
    case 2:
      memmove(text + at, text + at + n, length - at - n);
      length -= length > n ? n : 0;
      break;
    default:
      if (length + n > capacity)
        break;
      memmove(text + at + n, text + at, length - at);
      length += n;
    }
  }
  return length;
}

static bool is_text(const char *s) {
  while (*s && (unsigned char)*s >= 0x20 && *s != 0x7f)
    s++;
  return *s == '\0';
}

/* Either values that can be written and read again, or a line that begins with file and line. */
static bool survives(const char *text, size_t length) {
  values v;
  cas_error err = {0};
  cas_status st = read_all(text, length, &v, &err);
  if (!st) {
    char *text_again = written(options, &v);
    ck_assert_str_eq(text_again, written_twice(text_again));
    cas_options_free(options, &v);
    return true;
  }
  ck_assert_int_eq(st, CAS_BAD_INPUT);
  ck_assert_msg(strncmp(err.text, "run.yaml:", 9) == 0 && strtol(err.text + 9, NULL, 10) > 0, "%s",
                err.text);
  ck_assert_msg(is_text(err.text), "%s", err.text);
  return false;
}

TEST(mutated_bytes_never_crash) {
  unsigned short state[3] = {2024};
  int accepted = 0, rounds = 5000;
  for (int i = 0; i < rounds; i++) {
    /* the exact size on the heap, so that a sanitizer sees a read past the end */
    char changed[2 * sizeof valid];
    memcpy(changed, valid, sizeof valid);
    size_t length = mutate(changed, sizeof valid - 1, sizeof changed, state);
    char *text = malloc(length);
    ck_assert_ptr_nonnull(text);
    memcpy(text, changed, length);
    accepted += survives(text, length);
    free(text);
  }
  ck_assert(accepted > rounds / 100 && accepted < rounds);
}

TEST(mutated_assignments_never_crash) {
  static const char assignment[] = "noise.names=[p, {q: 'r'}, \"s\"]";
  unsigned short state[3] = {7};
  for (int i = 0; i < 2000; i++) {
    char text[2 * sizeof assignment + 1];
    memcpy(text, assignment, sizeof assignment);
    text[mutate(text, sizeof assignment - 1, 2 * sizeof assignment, state)] = '\0';
    cas_config *c = parse("noise: {depth: 1}");
    cas_error err = {0};
    values v;
    cas_status st = cas_config_set(c, text, &err);
    if (!st)
      st = cas_options_read(c, "", options, NULL, &v, &err);
    if (!st)
      cas_options_free(options, &v);
    ck_assert(!st || (strncmp(err.text, "--set ", 6) == 0 && is_text(err.text)));
  }
}

RUN_TESTS
