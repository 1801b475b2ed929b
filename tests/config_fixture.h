/* One option of every type and kind of range, and readers of it, for tests of configurations. */
#ifndef CASIMIR_CONFIG_FIXTURE_H
#define CASIMIR_CONFIG_FIXTURE_H

#include <casimir/config.h>
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t depth;
  double width;
  cas_strings names;
  char *label;
} inner;

typedef struct {
  int64_t count, any;
  double sigma, fraction, positive, real, step, time;
  bool flag;
  char *name;
  int kind;
  cas_reals list;
  cas_reals_or_key moments;
  cas_vectors chi;
  cas_strings functionals;
  cas_state_source initial;
  inner noise;
} values;

#define AT(member) offsetof(values, member)

static const char *const kinds[] = {"quadratic", "linear", "none", NULL};

static const cas_option inner_options[] = {
    {.key = "depth", .type = CAS_INT, .offset = offsetof(inner, depth), .help = "how deep"},
    {.key = "width", .type = CAS_REAL, .offset = offsetof(inner, width), .fallback = "0.25"},
    {.key = "names", .type = CAS_STRINGS, .offset = offsetof(inner, names), .fallback = "[a, b]"},
    {.key = "label", .type = CAS_STRING, .offset = offsetof(inner, label), .fallback = "plain"},
    {0}};

static const cas_option sum_options[] = {
    {.key = "sums", .type = CAS_REALS, .low = -2, .high = 2, .help = "terms of the sums"}, {0}};

static const cas_option options[] = {
    {.key = "count",
     .type = CAS_INT,
     .offset = AT(count),
     .fallback = "7",
     .low = 1,
     .high = INFINITY},
    {.key = "any", .type = CAS_INT, .offset = AT(any), .fallback = ""},
    {.key = "sigma",
     .type = CAS_REAL,
     .offset = AT(sigma),
     .fallback = "0.1",
     .high = INFINITY,
     .help = "noise amplitude"},
    {.key = "fraction", .type = CAS_REAL, .offset = AT(fraction), .fallback = "1", .high = 1},
    {.key = "positive",
     .type = CAS_REAL,
     .offset = AT(positive),
     .fallback = "2",
     .open_low = true,
     .high = DBL_MAX},
    {.key = "real", .type = CAS_REAL, .offset = AT(real), .fallback = ""},
    {.key = "step",
     .type = CAS_STEP,
     .offset = AT(step),
     .fallback = "2^-7",
     .high = 1,
     .help = "time step"},
    {.key = "time", .type = CAS_DURATION, .offset = AT(time), .fallback = "10min"},
    {.key = "flag", .type = CAS_BOOL, .offset = AT(flag), .fallback = "true"},
    {.key = "name", .type = CAS_STRING, .offset = AT(name), .fallback = ""},
    {.key = "kind",
     .type = CAS_CHOICE,
     .offset = AT(kind),
     .fallback = "none",
     .choices = kinds,
     .help = "kind of noise"},
    {.key = "list",
     .type = CAS_REALS,
     .offset = AT(list),
     .fallback = "",
     .open_low = true,
     .high = INFINITY},
    {.key = "moments",
     .type = CAS_REALS_OR_KEY,
     .offset = AT(moments),
     .fallback = "",
     .low = 1,
     .high = INFINITY,
     .section = sum_options},
    {.key = "chi", .type = CAS_VECTORS, .offset = AT(chi), .fallback = "", .low = -1, .high = 1},
    {.key = "functionals", .type = CAS_STRINGS, .offset = AT(functionals), .fallback = "[sin2pi]"},
    {.key = "initial", .type = CAS_STATE, .offset = AT(initial), .fallback = ""},
    {.key = "noise",
     .type = CAS_SECTION,
     .offset = AT(noise),
     .fallback = "",
     .section = inner_options},
    {0}};

static inline cas_config *parse(const char *text) {
  cas_config *c;
  cas_error err = {0};
  cas_status st = cas_config_parse(text, strlen(text), "run.yaml", &c, &err);
  ck_assert_msg(st == CAS_OK, "%s", err.text);
  return c;
}

static inline cas_status read_all(const char *text, size_t length, values *v, cas_error *err) {
  cas_config *c;
  cas_status st = cas_config_parse(text, length, "run.yaml", &c, err);
  if (!st)
    st = cas_options_read(c, "", options, NULL, v, err);
  cas_config_free(c);
  return st;
}

static inline values read_good(const char *text) {
  values v;
  cas_error err = {0};
  memset(&v, 0xA5, sizeof v);
  ck_assert_msg(!read_all(text, strlen(text), &v, &err), "%s: %s", text, err.text);
  return v;
}

static inline bool all_zero(const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (((const char *)bytes)[i])
      return false;
  return true;
}

static inline void assert_refused(const char *text, size_t length, const char *message) {
  values v;
  cas_error err = {0};
  memset(&v, 0, sizeof v);
  ck_assert_msg(read_all(text, length, &v, &err) == CAS_BAD_INPUT, "accepted: %.60s", text);
  ck_assert_int_eq(err.status, CAS_BAD_INPUT);
  ck_assert_str_eq(err.text, message);
  ck_assert(all_zero(&v, sizeof v));
}

static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

#endif
