/* For tests that run studies through the public interface. */
#ifndef STUDY_FIXTURE_H
#define STUDY_FIXTURE_H

#include "engine/study/study.h"
#include "language/config/keys.h"
#include "math/kernels/kernels.h"
#include "on_all.h"
#include "paths/problem/problem.h"
#include "suite_mpi.h"

#include <casimir/casimir.h>
#include <casimir/parallel.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A formatted text, which belongs to the suite until the test ends. */
__attribute__((format(printf, 1, 0))) static inline char *text_of(const char *format,
                                                                  va_list args) {
  char *text = NULL;
  ck_assert_int_ge(vasprintf(&text, format, args), 0);
  suite_keep(text, free);
  return text;
}

__attribute__((format(printf, 1, 2))) static inline char *formatted(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = text_of(format, args);
  va_end(args);
  return text;
}

/* The text with `by` in the place of what stands from `from` to the end of `to`. */
static inline const char *replaced(const char *text, const char *from, const char *to,
                                   const char *by) {
  const char *at = strstr(text, from), *end = at ? strstr(at, to) : NULL;
  ck_assert_msg(end, "%s", text);
  return formatted("%.*s%s%s", (int)(at - text), text, by, end + strlen(to));
}

static inline double normal(unsigned short state[3]) {
  double u = 1 - erand48(state), v = erand48(state);
  return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* Standard error of the variance by the jackknife as it is defined. */
static inline double left_one_out(const double *x, int64_t n, long double mean,
                                  long double squares) {
  long double sum = 0, all = squares / (n - 1);
  for (int64_t k = 0; k < n; k++) {
    long double d = x[k] - mean, without = (squares - d * d * n / (n - 1)) / (n - 2);
    sum += (without - all) * (without - all);
  }
  return (double)sqrtl(sum * (n - 1) / n);
}

static inline void release_config(void *c) { cas_config_free(c); }

static inline cas_config *parsed(const char *text) {
  cas_config *c;
  MUST(cas_config_parse(text, strlen(text), "test.yaml", &c, &err));
  suite_keep(c, release_config);
  return c;
}

/* The configuration of a formatted YAML text, which belongs to the suite until the test ends. */
#define configuration(...) parsed(formatted(__VA_ARGS__))

__attribute__((format(printf, 1, 0))) static inline cas_config *configuration_of(const char *format,
                                                                                 va_list args) {
  return parsed(text_of(format, args));
}

static inline void release_results(void *r) {
  cas_results_free(r);
  free(r);
}

/* Results belong to the suite until the test ends, with all that they point to. */
static inline void keep_results(const cas_results *r) {
  cas_results *kept = malloc(sizeof *kept);
  ck_assert_ptr_nonnull(kept);
  *kept = *r;
  suite_keep(kept, release_results);
}

static inline cas_results read_results(const char *file) {
  cas_results r;
  MUST(cas_results_read(file, &r, &err));
  keep_results(&r);
  return r;
}

/* Runs a study on all ranks or some, or with MPI_COMM_SELF on rank 0 by itself, so that all know
   its results and all assert the same: rank 0 has what cas_run fills, the others read what it has
   written; the suite frees them after the test. An assertion of rank 0 alone would leave the others
   waiting for it. One path (only_path) leaves no file, so that rank 0 alone knows its results.
   Collective. */
static inline cas_status run_shared(const cas_config *config, const cas_run_request *request,
                                    MPI_Comm comm, cas_results *out, cas_error *err) {
  cas_error unreadable = {0};
  cas_status st = CAS_OK, read = CAS_OK;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (comm != MPI_COMM_NULL && (comm != MPI_COMM_SELF || rank == 0))
    st = cas_run(config, request, comm, out, err);
  cas_bcast(&st, sizeof st, MPI_BYTE, 0, MPI_COMM_WORLD);
  cas_bcast(err, sizeof *err, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank > 0 && !request->only_path && (st == CAS_OK || st == CAS_CHECK_FAILED))
    read = cas_results_read(request->output, out, &unreadable);
  ck_assert_msg(!cas_agree(read, MPI_COMM_WORLD, &unreadable), "%s", unreadable.text);
  if ((st == CAS_OK || st == CAS_CHECK_FAILED) && (rank == 0 || !request->only_path))
    keep_results(out);
  return st;
}

/* Renames the last results, once every rank has read what it wants. Collective. */
static inline void keep_as(const char *name) {
  cas_meet(MPI_COMM_WORLD);
  ck_assert_msg(on_all(!is_root() || !rename("results.h5", name)), "results.h5 cannot be renamed");
}

static inline cas_status request_text(MPI_Comm comm, const cas_run_request *request,
                                      cas_results *out, cas_error *err, const char *text) {
  cas_config *config;
  *err = (cas_error){0};
  cas_status st = cas_config_parse(text, strlen(text), "test.yaml", &config, err);
  if (st)
    return st;
  st = run_shared(config, request, comm, out, err);
  cas_config_free(config);
  return st;
}

/* Runs the study that the formatted YAML text states, as it is requested. */
#define run_request(comm, request, out, err, ...) \
  request_text(comm, request, out, err, formatted(__VA_ARGS__))

/* Runs such a study with all results in the file "results.h5". */
#define run_text(comm, out, err, ...) \
  run_request(comm, &(cas_run_request){.output = "results.h5"}, out, err, __VA_ARGS__)

/* Whether the message has these words; those on lines of their own may have others between them. */
static inline bool has_words(const char *message, const char *words) {
  char wanted[1000], *rest;
  bool has = true;
  ck_assert_int_lt(snprintf(wanted, sizeof wanted, "%s", words), (int)sizeof wanted);
  for (char *w = strtok_r(wanted, "\n", &rest); w; w = strtok_r(NULL, "\n", &rest))
    has &= strstr(message, w) != NULL;
  return has;
}

static cas_error last_said; /* by the last run of run_as */

/* Runs it on all ranks, to this status and words (has_words). The suite owns the results. */
__attribute__((format(printf, 4, 5))) static inline cas_results *
run_as(const cas_run_request *request, cas_status wanted, const char *words, const char *format,
       ...) {
  cas_results *r = calloc(1, sizeof *r);
  suite_keep(r, free);
  va_list args;
  va_start(args, format);
  const char *text = text_of(format, args);
  va_end(args);
  const cas_status st = request_text(MPI_COMM_WORLD, request, r, &last_said, text);
  ck_assert_msg(st == wanted && has_words(last_said.text, words),
                "%s\nstatus %d: '%s', must be %d: '%s'", text, st, last_said.text, wanted, words);
  return r;
}

/* Its results are in the file "results.h5". */
#define run_to(status, words, ...) \
  run_as(&(cas_run_request){.output = "results.h5"}, status, words, __VA_ARGS__)

/* Such a run must end well. */
#define results_of(...) run_to(CAS_OK, "", __VA_ARGS__)
#define ensemble_of(...) cas_results_ensemble(results_of(__VA_ARGS__))
#define mlmc_of(...) cas_results_mlmc(results_of(__VA_ARGS__))
#define multilevel_of(...) cas_results_multilevel(results_of(__VA_ARGS__))

static inline void copy_results(cas_results *out, const cas_results *r) {
  if (out)
    *out = *r;
}

/* Whose results are also stored in *out; NULL: nobody needs them. */
#define run_well(out, ...) copy_results(out, results_of(__VA_ARGS__))

/* A dataset: [records][numbers], complex numbers as pairs; the suite frees it after the test. */
typedef struct {
  int64_t records, numbers;
  double *value;
} series;

static inline series series_of(const char *file, const char *dataset) {
  int rank;
  int64_t dims[4];
  bool is_complex;
  series s = {.numbers = 1};
  MUST(cas_dataset_read(file, dataset, 0, -1, &rank, dims, &is_complex, &s.value, &err));
  suite_keep(s.value, free);
  s.records = dims[0];
  for (int i = 1; i < rank; i++)
    s.numbers *= dims[i];
  s.numbers *= is_complex ? 2 : 1;
  return s;
}

static inline series stored_series(const char *dataset) { return series_of("results.h5", dataset); }

/* The series of a dataset below /trajectory, or of one with its whole name. */
static inline series recorded_series(const char *name) {
  char dataset[200];
  snprintf(dataset, sizeof dataset, "%s%s", *name == '/' ? "" : "/trajectory/", name);
  return stored_series(dataset);
}

static inline bool same_series(const series *a, const series *b) {
  return a->records == b->records && a->numbers == b->numbers &&
         memcmp(a->value, b->value, (size_t)(a->records * a->numbers) * sizeof *a->value) == 0;
}

/* All numbers of a dataset, and how many they are. */
static inline double *recorded(const char *name, int64_t *n) {
  const series s = recorded_series(name);
  *n = s.records * s.numbers;
  for (int64_t i = 0; i < *n; i++)
    ck_assert(isfinite(s.value[i]));
  return s.value;
}

/* Number i of the last record of an observable. */
static inline double last_of(const char *name, int64_t i) {
  const series s = recorded_series(name);
  ck_assert(i < s.numbers);
  return s.value[(s.records - 1) * s.numbers + i];
}

static inline void assert_near(double found, double wanted, double error, const char *what) {
  ck_assert_msg(fabs(found - wanted) <= error, "%s: %.17g, must be %.17g", what, found, wanted);
}

/* The errors of this name; NULL: there are none. */
static inline const cas_curve *curve_named(const cas_results *r, const char *name) {
  for (int i = 0; i < cas_results_curves(r); i++)
    if (strcmp(cas_results_curve(r, i)->name, name) == 0)
      return cas_results_curve(r, i);
  return NULL;
}

/* The body of a system whose options are all zero. */
static inline const cas_body *body_of(const cas_system *s) {
  void *parameters = calloc(1, s->parameters.size);
  ck_assert_ptr_nonnull(parameters);
  suite_keep(parameters, free);
  return s->blocks.body(parameters);
}

/* Keys of the example of a system, with its noise. */
static inline const char *example_of(const cas_system *s) {
  return formatted("name: %s, %s, %s", s->name, s->example.keys, s->example.noise);
}

/* Whether the scheme can step the system. */
static inline bool fits(const cas_system *s, const cas_integrator *i) {
  return cas_scheme_misfit(body_of(s), i) == NULL;
}

static inline bool has_option(const cas_system *s, const char *key) {
  return cas_option_find(s->parameters.options, key) != NULL;
}

/* The scheme that others are compared with: Munthe-Kaas, or the default of the system. */
static inline const char *reference_of(const cas_system *s) {
  const cas_integrator *const *i = cas_kernels_get()->integrators;
  if (fits(s, cas_integrator_find("munthe_kaas")))
    return "munthe_kaas";
  while (!fits(s, *i))
    i++;
  return (*i)->name;
}

/* Positions and momenta: no Casimirs, but momentum maps, or nothing that is kept.
   test_cotangent.c knows them. */
static inline bool is_cotangent(const cas_system *s) {
  return body_of(s)->features & CAS_COTANGENT;
}

/* A system with noise, as a configuration (NULL: its example), and multilevel studies of it. */
typedef struct {
  const char *name, *system, *study;
  const char *epsilon; /* an error of the first functional that a second suffices for */
} study_case;

static inline const study_case *study_case_of(const char *system) {
  static const study_case cases[] = {
      {"rigid_body", NULL,
       "functionals: [sin2pi, x1, energy], coarsest_step: 2^-8, coarsest_steps: 24", "2e-3"},
      {"heavy_top", NULL, "functionals: [sin2pi], coarsest_step: 2^-9, coarsest_steps: 16", "5e-3"},
      {"manakov",
       "{name: manakov, n: 10, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}",
       "functionals: [sin2pi], coarsest_step: 2^-5, coarsest_steps: 4", "5e-3"},
      {"point_vortices", NULL, "functionals: [sin2pi], coarsest_step: 2^-6, coarsest_steps: 8",
       "5e-3"},
      {"euler_zeitlin",
       "{name: euler_zeitlin, N: 12, noise: {amplitude: 2, lmin: 6}, initial: {random: {seed: 7, "
       "norm: 12}}}",
       "functionals: [zonal1_squared], coarsest_step: 2^-6, coarsest_steps: 8", "5e-2"},
      {"sine_euler",
       "{name: sine_euler, N: 3, noise: {amplitude: 0.15, modes: [[1, -1], [1, 1]]}, initial: "
       "{random: {seed: 4, norm: 3}}}",
       "functionals: [zonal_squared], coarsest_step: 2^-10, coarsest_steps: 32", "1e-3"},
      {"lie_poisson",
       "{name: lie_poisson, algebra: so3, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: "
       "[0.3*x1^2, 0.3*x2*x3], initial: [0.36, 0.48, 0.8]}",
       "functionals: [x1], coarsest_step: 2^-8, coarsest_steps: 32", "5e-3"},
  };
  static study_case found;
  const cas_system *s = cas_system_find(system);
  found = (study_case){.name = system, .epsilon = "5e-3"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].name, system) == 0)
      found = cases[i];
  if (!found.system)
    found.system = formatted("{%s}", example_of(s));
  if (!found.study)
    found.study = formatted("functionals: [%s], coarsest_step: 2^-6, coarsest_steps: 8",
                            s->functionals[0].name);
  return &found;
}

#define STUDY_BODY                                                                          \
  "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.5}, " \
  "initial: [0.36, 0.48, 0.8]}\n"

/* A configuration of the study, tests/data/configurations/NAME.yaml. */
static inline char *example_study(const char *study) {
  const char *name = formatted("%s/configurations/%s.yaml", getenv("TEST_DATA"), study);
  char text[4000];
  FILE *f = fopen(name, "r");
  ck_assert_msg(f, "%s: is missing: what casimir run --dry-run prints of a study", name);
  const size_t n = fread(text, 1, sizeof text, f);
  fclose(f);
  ck_assert(n > 0 && n < sizeof text);
  return formatted("%.*s", (int)n, text);
}

/* Its section, as it stands in braces behind STUDY_BODY, without its last key, on_failure. */
static inline const char *section_of(const char *study) {
  static const char head[] = "\nstudy:\n  ", last[] = "\n  on_failure: ";
  const char *text = strstr(example_study(study), head) + strlen(head), *end = strstr(text, last);
  ck_assert_msg(end, "%s", text);
  char *all = formatted("%.*s", (int)(end - text), text);
  for (char *line = all; (line = strchr(line, '\n'));)
    *line = ',';
  return all;
}

/* Of the studies that work in memory, or of the others. */
static inline int number_of_studies(bool recorded) {
  int n = 0;
  for (const cas_study *const *s = cas_studies; *s; s++)
    n += (*s)->defaults.recorded == recorded;
  return n;
}

/* Studies that work in memory, the last one an ensemble without bins, then the others. */
#define EVERY_STUDY (number_of_studies(false) + 1)
#define ALL_STUDIES (EVERY_STUDY + number_of_studies(true))
static inline const char *study_here(int i) {
  int n = 0;
  for (int recorded = 0; recorded < 2; recorded++) {
    for (const cas_study *const *s = cas_studies; *s; s++)
      if ((*s)->defaults.recorded == recorded && n++ == i)
        return section_of((*s)->name);
    if (!recorded && n++ == i)
      return replaced(replaced(section_of("ensemble"), "bins: ", ",", "bins: 0,"), "ends: ", "true",
                      "ends: false");
  }
  return NULL;
}

/* What two texts say otherwise in the first line that differs and has none of these words of what
   is measured, with a NULL behind them; NULL: they say the same. */
static inline const char *difference_of(const char *a, const char *b, const char *const *measured) {
  char *rest[2], *x = strtok_r(formatted("%s", a), "\n", &rest[0]),
                 *y = strtok_r(formatted("%s", b), "\n", &rest[1]);
  for (; x || y; x = strtok_r(NULL, "\n", &rest[0]), y = strtok_r(NULL, "\n", &rest[1])) {
    bool same = x && y && strcmp(x, y) == 0;
    for (const char *const *word = measured; x && y && *word; word++)
      same |= strstr(x, *word) != NULL;
    if (!same)
      return formatted("'%s' became '%s'", x ? x : "", y ? y : "");
  }
  return NULL;
}

/* The number of systems, for tests of each. */
static inline int count_systems(void) {
  int n = 0;
  while (cas_kernels_get()->systems[n])
    n++;
  return n;
}

static inline void text_is_refused(int line, const char *words, const char *text) {
  run_to(CAS_BAD_INPUT, words, "%s", text);
  ck_assert_msg(line == 0 ||
                    strstr(last_said.text, formatted("test.yaml:%d:", line)) == last_said.text,
                "%s", last_said.text);
}

/* The study is refused as bad input, with words (has_words); line 0: on any line, or on none. */
#define is_refused(line, words, ...) text_is_refused(line, words, formatted(__VA_ARGS__))

#endif
