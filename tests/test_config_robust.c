/* Configurations: what is written reads back bitwise, and no bytes at all bring the reader down. */
#include "config_fixture.h"
#include "suite.h"

#include <stdint.h>
#include <time.h>

/* ---- round trips ---- */

static char *written(const cas_option *table, const void *v) {
  PRINTED(text, cas_options_write(f, 0, table, v));
  return text;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool same_reals(int n, const double *a, const double *b) {
  return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool same_ints(const cas_ints *a, const cas_ints *b) {
  return a->n == b->n &&
         (a->n == 0 || memcmp(a->value, b->value, (size_t)a->n * sizeof *a->value) == 0);
}

static bool same_strings(const cas_strings *a, const cas_strings *b) {
  bool same = a->n == b->n;
  for (int i = 0; same && i < a->n; i++)
    same = same_text(a->value[i], b->value[i]);
  return same;
}

static bool same_state(const cas_state_source *a, const cas_state_source *b) {
  return a->kind == b->kind && a->values.n == b->values.n &&
         same_reals(a->values.n, a->values.value, b->values.value) && same_text(a->file, b->file) &&
         same_text(a->dataset, b->dataset) && same_ints(&a->index, &b->index) &&
         a->seed == b->seed && same_bits(a->norm, b->norm) && a->lmin == b->lmin &&
         a->lmax == b->lmax && a->coefficients.rows == b->coefficients.rows &&
         same_reals(a->coefficients.rows * a->coefficients.columns, a->coefficients.value,
                    b->coefficients.value);
}

static void assert_same(const values *a, const values *b) {
  ck_assert(a->count == b->count && a->any == b->any && a->flag == b->flag && a->kind == b->kind);
  ck_assert(same_bits(a->sigma, b->sigma) && same_bits(a->fraction, b->fraction));
  ck_assert(same_bits(a->positive, b->positive) && same_bits(a->real, b->real));
  ck_assert(same_bits(a->step, b->step) && same_bits(a->time, b->time));
  ck_assert(same_text(a->name, b->name));
  ck_assert(a->list.n == b->list.n && same_reals(a->list.n, a->list.value, b->list.value));
  ck_assert(a->chi.rows == b->chi.rows && a->chi.columns == b->chi.columns);
  ck_assert(same_reals(a->chi.rows * a->chi.columns, a->chi.value, b->chi.value));
  ck_assert(same_strings(&a->functionals, &b->functionals) && same_state(&a->initial, &b->initial));
  ck_assert(a->noise.depth == b->noise.depth && same_bits(a->noise.width, b->noise.width));
  ck_assert(same_strings(&a->noise.names, &b->noise.names) &&
            same_text(a->noise.label, b->noise.label));
}

static void assert_round_trip(const values *v) {
  char *text = written(options, v);
  values again = read_good(text);
  assert_same(v, &again);
  cas_options_free(options, &again);
}

static const char *const texts[] = {
    "{}",
    "any: -9223372036854775808\ncount: 9223372036854775807\nreal: -0.0\nsigma: .inf\nflag: false",
    "real: 0.6666666666666666\nstep: 2^-13\ntime: 3h50m\nkind: quadratic\nfraction: 0",
    "real: 5e-324\npositive: 1.7976931348623157e308\nstep: 0.3\ntime: 0.1",
    "step: 2^0\nreal: 123456789.12345679",
    "step: 2^-1074\nreal: 2.2250738585072011e-308",
    "name: 'true'\nfunctionals: []",
    "name: ''\nfunctionals: ['', null_, '~', '- a', 'a: b', '#', \"tab\\there\", '1e5', '.inf', "
    "'no', \"q\\\"\\\\\"]",
    "name: \"\\e\\x85\\u2028\\ufeff\\U0001F600 gr\xc3\xb6\xc3\x9f"
    "e.h5 \\N\"",
    "list: [2, 1, 0.6666666666666666, .inf]\nchi: [[0.02, -0, 1], [1e-17, 0.1, "
    "0.30000000000000004]]",
    "list: []\nchi: []",
    "moments: [1, 1.0000000000000002, .inf]",
    "moments: []",
    "moments: {sums: [-2, -0.0, 1e-17]}",
    "initial: [[0.8912073600614354, 0], [0.4535961214255773, -0.0]]",
    "initial: {file: 'a b.h5', dataset: /deep/x, index: 3}",
    "initial: {file: a, index: [9007199254740993, 0]}",
    "initial: {file: a, index: []}",
    "initial: {random: {seed: 7, norm: 0.1}}",
    "initial: {random: {seed: 7, norm: 0.1, lmin: 2, lmax: 9}}",
    "initial: {random: {seed: 7, norm: 0.1, lmax: 9}}",
    "initial: {coefficients: [[1, 0, 0.1], [3, -2, -1e-17]]}",
    "initial: {coefficients: [[1, 0, 0.1]], norm: 0.30000000000000004}",
    "noise: {depth: 0}",
    "noise: {depth: 0, width: 0.5}",
    "noise: {depth: 5, names: [], label: 'x y'}",
};

TEST_OVER(what_is_written_reads_back, sizeof texts / sizeof *texts) {
  values v = read_good(texts[_i]);
  assert_round_trip(&v);
  cas_options_free(options, &v);
}

static uint64_t next_random(uint64_t *state) {
  *state += 0x9E3779B97F4A7C15u; /* SplitMix64 */
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static double random_double(uint64_t *state) {
  for (;;) {
    uint64_t bits = next_random(state);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
      return value;
  }
}

TEST(any_double_reads_back) {
  uint64_t state = 1;
  for (int i = 0; i < 2000; i++) {
    double x = random_double(&state), positive = fabs(x) > 0 ? fabs(x) : 1;
    char text[400];
    snprintf(text, sizeof text,
             "{positive: %.17g, real: %.17g, sigma: %.17g, step: %.17g, time: %.17g, list: [%.17g, "
             ".inf], "
             "initial: [%.17g]}",
             positive, x, fabs(x), 0.5 + fmod(positive, 0.5), positive, positive, x);
    values v = read_good(text);
    ck_assert(same_bits(v.real, x) && same_bits(v.list.value[0], positive));
    assert_round_trip(&v);
    cas_options_free(options, &v);
  }
}

TEST(writing_is_readable) {
  values v =
      read_good("{step: 1/128, real: 0.1, name: plain.h5, list: [1, 0.5], chi: [[1, 0], [0, 1]],\n"
                " noise: {depth: 2, label: 'two words'}, initial: {random: {seed: 7, norm: 12}}}");
  char *text = written(options, &v);
  ck_assert_str_eq(
      text, "count: 7\nsigma: 0.1\nfraction: 1\npositive: 2\nreal: 0.1\nstep: 2^-7\ntime: 600\n"
            "flag: true\nname: plain.h5\nkind: none\nlist: [1, 0.5]\nchi: [[1, 0], [0, 1]]\n"
            "functionals: [sin2pi]\ninitial: {random: {seed: 7, norm: 12}}\nnoise:\n  depth: 2\n"
            "  width: 0.25\n  names: [a, b]\n  label: \"two words\"\n");
  cas_options_free(options, &v);
}

TEST(absent_sections_stay_absent) {
  values v = read_good("any: 1");
  char *text = written(options, &v);
  ck_assert_ptr_null(strstr(text, "noise"));
  ck_assert_ptr_null(strstr(text, "depth"));
  cas_options_free(options, &v);
}

TEST(sections_without_content) {
  static const cas_option empty[] = {{.key = "file", .type = CAS_STRING, .fallback = ""}, {0}};
  static const cas_option outer[] = {{.key = "output", .type = CAS_SECTION, .section = empty}, {0}};
  char *file = NULL, *text = written(outer, &file);
  ck_assert_str_eq(text, "output: {}\n");
  cas_config *c = parse(text);
  cas_error err = {0};
  ck_assert_int_eq(cas_options_read(c, "", outer, NULL, &file, &err), CAS_OK);
  ck_assert_ptr_null(file);
  cas_config_free(c);
}

TEST(tables_describe_themselves) {
  static const cas_option table[] = {
      {.key = "sigma",
       .type = CAS_REAL,
       .fallback = "0.1",
       .high = INFINITY,
       .help = "noise amplitude"},
      {.key = "kind", .type = CAS_CHOICE, .choices = kinds, .help = "kind of noise"},
      {.key = "x",
       .type = CAS_REALS,
       .fallback = "",
       .open_low = true,
       .high = 1,
       .help = "weights"},
      {.key = "noise",
       .type = CAS_SECTION,
       .fallback = "",
       .section = inner_options,
       .help = "more of it"},
      {0}};
  PRINTED(text, cas_options_describe(f, 2, table));
  ck_assert_str_eq(text, "  sigma    real >= 0, default 0.1                      noise amplitude\n"
                         "  kind     one of quadratic | linear | none, required  kind of noise\n"
                         "  x        list of reals in (0, 1], optional           weights\n"
                         "  noise    section, optional                           more of it\n"
                         "    depth  integer, required                           how deep\n"
                         "    width  real, default 0.25\n"
                         "    names  list of texts, default [a, b]\n"
                         "    label  text, default plain\n");
}

/* ---- large and deep ---- */

enum { MEGABYTE = 1 << 20 };

/* `unit` over and over, to a megabyte, between `before` and `after`. */
static char *megabyte(const char *before, const char *unit, const char *after) {
  size_t n = strlen(unit), length = strlen(before);
  char *text = malloc(MEGABYTE + length + strlen(after) + 1);
  ck_assert_ptr_nonnull(text);
  memcpy(text, before, length);
  for (size_t i = 0; i + n <= MEGABYTE; i += n, length += n)
    memcpy(text + length, unit, n);
  memcpy(text + length, after, strlen(after) + 1);
  return text;
}

static const struct {
  const char *before, *unit, *after;
} lines[] = {
    {"any: ", "x", ""},
    {"any: ", "1", ""},
    {"real: 0.", "0", "1e1000000"},
    {"", "x", ": 1"},
    {"\"", "x", "\": 1"},
    {"any: '", "x", ""},
    {"any: [", "1, ", "]"},
    {"any: [", "[", ""},
    {"any: ", "{", ""},
    {"", "[a, ", ""},
    {"", "- ", ""},
    {"", "? ", ""},
    {"any: ", " ", ""},
    {"any: ", "\t", "x"},
    {"#", "x", ""},
    {"any: &", "a", " 1"},
    {"any: *", "a", ""},
    {"any: !", "a", " 1"},
    {"%", "a", ""},
    {"", "\xff", ""},
    {"any: \"", "\\x01", "\""},
    {"any: ", "\xf0\x9f\x98\x80", ""},
    {"", "{}, ", ""},
    {"any: ", "a: ", "1"},
    {"any: |", "x", ""},
    {"any: >\n ", "x ", ""},
    {"", "\n", ""},
    {"chi: [", "[1], ", "[2]]"},
    {"kind: ", "linear", ""},
    {"time: ", "1h", ""},
    {"initial: [", "[1, 2], ", "[1]]"},
    {"", ":", ""},
};

TEST_OVER(a_line_of_a_megabyte_is_refused_at_once, sizeof lines / sizeof *lines) {
  char *text = megabyte(lines[_i].before, lines[_i].unit, lines[_i].after);
  values v;
  cas_error err = {0};
  clock_t start = clock();
  cas_status st = read_all(text, strlen(text), &v, &err);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  ck_assert_msg(st == CAS_BAD_INPUT, "case %d was accepted", _i);
  ck_assert_msg(strncmp(err.text, "run.yaml:", 9) == 0 && strlen(err.text) < 900, "%s", err.text);
  ck_assert_msg(seconds < 5, "case %d took %g s", _i, seconds);
  free(text);
}

TEST(many_keys_are_compared_quickly) {
  PRINTED(text, {
    fputs("any: {", f);
    for (int i = 0; i < 100000; i++)
      fprintf(f, "k%d: 1, ", i);
    fputs("k5: 2}", f);
  });
  clock_t start = clock();
  assert_refused(text, text_size,
                 "run.yaml:1: any.k5: given twice, on lines 1 and 1; must be given once");
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  ck_assert_msg(seconds < 5, "%g s", seconds);
}

static cas_status parse_nested(int depth, cas_error *err) {
  char text[2000] = "a: ";
  for (int i = 1; i < depth; i++)
    strcat(text, "[");
  for (int i = 1; i < depth; i++)
    strcat(text, "]");
  cas_config *c;
  cas_status st = cas_config_parse(text, strlen(text), "run.yaml", &c, err);
  cas_config_free(c);
  return st;
}

TEST(depth_is_limited) {
  cas_error err = {0};
  ck_assert_int_eq(parse_nested(32, &err), CAS_OK);
  ck_assert_int_eq(parse_nested(33, &err), CAS_BAD_INPUT);
  ck_assert_ptr_nonnull(strstr(err.text, ": nested deeper than 32 levels"));
  ck_assert_int_eq(strncmp(err.text, "run.yaml:1: a[0][0]", 19), 0);
  ck_assert_int_eq(parse_nested(900, &err), CAS_BAD_INPUT);
}

TEST(depth_of_set_is_limited) {
  cas_config *c = parse("a: 1");
  cas_error err = {0};
  char text[200] = "a";
  for (int i = 1; i < 32; i++)
    strcat(text, ".a");
  strcat(text, "=1");
  ck_assert_int_eq(cas_config_set(c, text, &err), CAS_OK);
  strcpy(text + strlen(text) - 1, "[]");
  ck_assert_int_eq(cas_config_set(c, text, &err), CAS_BAD_INPUT);
  err = (cas_error){0};
  strcpy(text + strlen(text) - 3, ".a=1");
  ck_assert_int_eq(cas_config_set(c, text, &err), CAS_BAD_INPUT);
  cas_config_free(c);
}

/* ---- mutations of a valid text ---- */

static const char valid[] =
    "any: 5\nsigma: .inf\nstep: 2^-7 # comment\ntime: 3h50m\nflag: yes\nname: 'it''s'\n"
    "kind: linear\nlist: [2, 1, 0.6666666666666666]\nmoments: {sums: [1]}\nchi:\n  - [1, 0]\n  - "
    "[0, 1]\n"
    "functionals: [sin2pi, \"x\\x41\\u00e4\"]\ninitial: {random: {seed: 7, norm: 12}}\n"
    "noise:\n  depth: 1\n  label: |\n    two\n    lines\n";

static size_t below(uint64_t *state, size_t n) { return (size_t)(next_random(state) % n); }

/* Replaces, removes or repeats up to five pieces; the characters of YAML more often than others. */
static size_t mutate(char *text, size_t length, size_t capacity, uint64_t *state) {
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

/* Either values that can be written and read again, or a message of one line that begins with file
   and line. */
static bool survives(const char *text, size_t length) {
  values v;
  cas_error err = {0};
  cas_status st = read_all(text, length, &v, &err);
  if (!st) {
    assert_round_trip(&v);
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
  uint64_t state = 2024;
  int accepted = 0, rounds = 5000;
  for (int i = 0; i < rounds; i++) {
    /* the exact size on the heap, so that a sanitizer sees a read past the end */
    char changed[2 * sizeof valid];
    memcpy(changed, valid, sizeof valid);
    size_t length = mutate(changed, sizeof valid - 1, sizeof changed, &state);
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
  uint64_t state = 7;
  for (int i = 0; i < 2000; i++) {
    char text[2 * sizeof assignment + 1];
    memcpy(text, assignment, sizeof assignment);
    text[mutate(text, sizeof assignment - 1, 2 * sizeof assignment, &state)] = '\0';
    cas_config *c = parse("noise: {depth: 1}");
    cas_error err = {0};
    values v;
    cas_status st = cas_config_set(c, text, &err);
    if (!st)
      st = cas_options_read(c, "", options, NULL, &v, &err);
    if (!st)
      cas_options_free(options, &v);
    ck_assert(!st || (strncmp(err.text, "--set ", 6) == 0 && is_text(err.text)));
    cas_config_free(c);
  }
}

RUN_TESTS
