/* One option of every type and kind of range, and readers of it, for tests of configurations. */
#ifndef CASIMIR_CONFIG_FIXTURE_H
#define CASIMIR_CONFIG_FIXTURE_H

#include "suite.h"

#include <casimir/config.h>
#include <float.h>
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

static const char *const kinds[] = {"quadratic", "linear", "none", NULL};

static const cas_option inner_options[] = {CAS_OPTION(inner, INT, depth, .help = "how deep"),
                                           CAS_OPTION(inner, REAL, width, .fallback = "0.25"),
                                           CAS_OPTION(inner, STRINGS, names, .fallback = "[a, b]"),
                                           CAS_OPTION(inner, STRING, label, .fallback = "plain"),
                                           {0}};

static const cas_option sum_options[] = {
    {.key = "sums", .type = CAS_REALS, .low = -2, .high = 2, .help = "terms of the sums"}, {0}};

#define VALUE(...) CAS_OPTION(values, __VA_ARGS__)
static const cas_option options[] = {
    VALUE(INT, count, .fallback = "7", .low = 1, .high = INFINITY),
    VALUE(INT, any, .fallback = ""),
    VALUE(REAL, sigma, .fallback = "0.1", .high = INFINITY, .help = "noise amplitude"),
    VALUE(REAL, fraction, .fallback = "1", .high = 1),
    VALUE(REAL, positive, .fallback = "2", .open_low = true, .high = DBL_MAX),
    VALUE(REAL, real, .fallback = ""),
    VALUE(STEP, step, .fallback = "2^-7", .high = 1, .help = "time step"),
    VALUE(DURATION, time, .fallback = "10min"),
    VALUE(BOOL, flag, .fallback = "true"),
    VALUE(STRING, name, .fallback = ""),
    VALUE(CHOICE, kind, .fallback = "none", .choices = kinds, .help = "kind of noise"),
    VALUE(REALS, list, .fallback = "", .open_low = true, .high = INFINITY),
    VALUE(REALS_OR_KEY, moments, .fallback = "", .low = 1, .high = INFINITY,
          .section = sum_options),
    VALUE(VECTORS, chi, .fallback = "", .low = -1, .high = 1),
    VALUE(STRINGS, functionals, .fallback = "[sin2pi]"),
    VALUE(STATE, initial, .fallback = ""),
    CAS_SECTION_OPTION("noise", offsetof(values, noise), inner_options, NULL),
    {0}};

static inline void free_config(void *c) { cas_config_free(c); }

/* A configuration for the rest of the test. */
static inline cas_config *parse(const char *text) {
  cas_config *c;
  MUST(cas_config_parse(text, strlen(text), "run.yaml", &c, &err));
  suite_keep(c, free_config);
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

static inline void free_values(void *v) {
  cas_options_free(options, v);
  free(v);
}

/* What a configuration holds, for the rest of the test. */
static inline values *read_good(const char *text) {
  values *v = malloc(sizeof *v);
  ck_assert_ptr_nonnull(v);
  memset(v, 0xA5, sizeof *v);
  MUST(cas_options_read(parse(text), "", options, NULL, v, &err));
  suite_keep(v, free_values);
  return v;
}

/* Refused by a message about a line of the file, and nothing is read. */
static inline void assert_refused(const char *text, size_t length, const char *message) {
  values v, nothing;
  cas_error err = {0};
  memset(&v, 0, sizeof v);
  memset(&nothing, 0, sizeof nothing);
  ck_assert_msg(read_all(text, length, &v, &err) == CAS_BAD_INPUT, "accepted: %.60s", text);
  ck_assert_int_eq(err.status, CAS_BAD_INPUT);
  ck_assert_msg(strncmp(err.text, "run.yaml:", 9) == 0, "%s", err.text);
  ck_assert_str_eq(err.text + 9, message);
  ck_assert(memcmp(&v, &nothing, sizeof v) == 0);
}

static inline bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

#endif
