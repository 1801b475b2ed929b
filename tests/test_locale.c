/* In a program whose locale has a decimal comma every function reads and writes the same as in the
   locale of C, and the program keeps its comma. */
/* ranks: 1 */
/* needs: sprng */
#include "base/text.h"
#include "config_fixture.h"
#include "fast_clock.h"
#include "study_fixture.h"

#include <unistd.h>

/* Of every test here: what functions say, in one text. */
typedef void write_all(FILE *f, int which);

/* Whether a line has what is measured, which is another number each time. */
static bool changes(const char *line) {
  static const char *const measured[] = {" ns a path", "time ", "started",
                                         "second",     "free",  "resident"};
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
    if (strstr(line, measured[i]))
      return true;
  return false;
}

static char *said(const char *locale, write_all *write, int which) {
  char own[8];
  ck_assert_ptr_nonnull(setlocale(LC_ALL, locale));
  PRINTED(text, write(f, which));
  snprintf(own, sizeof own, "%g", 0.5);
  ck_assert_str_eq(own, strcmp(locale, "C") ? "0,5" : "0.5");
  setlocale(LC_ALL, "C");
  return text;
}

static void check_same(write_all *write, int which) {
  char *point = said("C", write, which), *comma = said("comma", write, which), *rest[2];
  ck_assert_ptr_nonnull(strchr(point, '.'));
  char *a = strtok_r(point, "\n", &rest[0]), *b = strtok_r(comma, "\n", &rest[1]);
  while (a && b) {
    ck_assert_msg(strcmp(a, b) == 0 || changes(a), "'%s' became '%s'", a, b);
    a = strtok_r(NULL, "\n", &rest[0]);
    b = strtok_r(NULL, "\n", &rest[1]);
  }
  ck_assert(!a && !b);
}

/* ---- configurations ---- */

static void refusal(FILE *f, const char *text) {
  values v;
  cas_error err = {0};
  ck_assert_int_eq(read_all(text, strlen(text), &v, &err), CAS_BAD_INPUT);
  fprintf(f, "%s\n", err.text);
}

static void write_configuration(FILE *f, int which CAS_UNUSED) {
  values *v = read_good("{real: 1.5e-3, sigma: 2.5, fraction: .5, step: 0.125, time: 1.5h, "
                        "list: [1/3, 2.5], moments: {sums: [0.5]}, chi: [[0.5, -.25]], "
                        "initial: [0.6, 0.8], noise: {depth: 1, width: 0.75}}");
  cas_config *c = parse("{sigma: 2.5, list: [0.1, 2.5]}");
  cas_error err = {0}, other = {0};
  double seconds = 0;
  char text[80] = "";
  cas_options_write(f, 0, options, v);
  cas_options_describe(f, 0, options);
  ck_assert_int_eq(cas_config_set(c, "fraction=0.5", &err), CAS_OK);
  cas_config_list(f, c);
  ck_assert_ptr_null(cas_parse_duration("1.5min", &seconds));
  ck_assert(seconds == 90);
  cas_config_fail(c, &err, "sigma", "found %g", 2.5);
  cas_fail(&other, CAS_BAD_INPUT, "found %.3f", 0.125);
  cas_append(text, sizeof text, "%g", 0.75);
  fprintf(f, "%s\n%s\n%s\n", err.text, other.text, text);
  cas_step_format(0.3, text, sizeof text);
  fprintf(f, "%s\n", text);
  refusal(f, "fraction: 1.5");
  refusal(f, "real: 1,5");
  refusal(f, "chi: [[1.5]]");
}

TEST(configurations_have_points) { check_same(write_configuration, 0); }

static void write_descriptions(FILE *f, int which CAS_UNUSED) {
  cas_error err = {0};
  ck_assert_int_eq(cas_describe(f, "all", &err), CAS_OK);
}

TEST(descriptions_have_points) { check_same(write_descriptions, 0); }

/* ---- studies ---- */

/* What the file says of its numbers, which are printed as they are read from it. */
static void write_file(FILE *f) {
  cas_error err = {0};
  cas_contents contents;
  ck_assert_msg(!cas_contents_read("results.h5", &contents, &err), "%s", err.text);
  for (int i = 0; i < contents.n; i++) {
    const cas_dataset *d = &contents.dataset[i];
    fprintf(f, "%s %s %s %s\n", d->name, d->long_name ? d->long_name : "", d->units ? d->units : "",
            d->components ? d->components : "");
  }
  cas_contents_free(&contents);
}

/* Verdicts once more, by the functions that programs call by themselves. */
static void write_verdicts(FILE *f, cas_results *r) {
  cas_multilevel *m = cas_results_multilevel(r);
  cas_multilevel *l = cas_results_mlmc(r);
  for (int i = 0; i < cas_results_curves(r); i++) {
    cas_curve *c = cas_results_curve(r, i);
    c->rounding = 1e-16;
    cas_curves_conclude(&c, 1, 300);
    fprintf(f, "%s\n", findings_text(c->findings));
  }
  if (m) {
    cas_multilevel_fit(m, r->step, false, false);
    for (int i = 0; i < m->functionals; i++)
      fprintf(f, "%s\n", findings_text(m->functional[i].findings));
  }
  if (l) {
    const cas_mlmc_aim aim = {.epsilon = 10,
                              .theta = 0.5,
                              .max_levels = l->levels,
                              .pilot = 300,
                              .max_paths = 300,
                              .step = r->step};
    cas_mlmc_conclude(l, &aim, CAS_TARGET_REACHED);
    for (int i = 0; i < l->functionals; i++)
      fprintf(f, "%s\n", findings_text(l->functional[i].findings));
  }
}

static void perform(FILE *f, const char *study, cas_run_request q) {
  cas_results r = {0};
  cas_error err = {0};
  cas_config *c =
      configuration(STUDY_BODY "integrator: {casimir_tolerance: 0.5}\nstudy: {%s}\n", study);
  q.output = !q.only_path ? "results.h5" : NULL;
  ck_assert_msg(!cas_run(c, &q, MPI_COMM_WORLD, &r, &err), "%s", err.text);
  if (!q.dry_run && !q.only_path) {
    cas_results_print(f, &r);
    fprintf(f, "%s", r.provenance.configuration);
    write_file(f);
    const cas_results again = read_results("results.h5");
    cas_results_print(f, &again);
    write_verdicts(f, &r);
    ck_assert_msg(!cas_results_write(&r, "results.h5", &err), "%s", err.text);
    write_file(f);
    unlink("results.h5");
  }
  cas_results_free(&r);
}

static void write_study(FILE *f, int which) {
  const char *study = every_study[which];
  perform(f, study, (cas_run_request){.dry_run = true, .report = f});
  perform(f, study, (cas_run_request){.only_path = &(int64_t){3}, .report = f});
  perform(f, study, (cas_run_request){0});
  cas_computation *c = cas_compute(STUDY_BODY "study: {kind: strong, step: 0.5}", NULL);
  fprintf(f, "%s\n", cas_computation_message(c));
  cas_computation_free(c);
}

TEST_OVER(studies_have_points, EVERY_STUDY) { check_same(write_study, _i); }

/* ---- every system, by its expressions and options ---- */

static void write_system(FILE *f, int which) {
  const cas_system *s = cas_kernels_get()->systems[which];
  cas_error err = {0};
  char text[4000];
  snprintf(text, sizeof text,
           "system: %s\nstudy: {kind: ensemble, step: 0.0078125, steps: 2, every: 1, paths: 64, "
           "observables: [{own: 'hamiltonian^2/1.5 + 2.5e-1*sin(.5*hamiltonian)'}]}\n",
           study_case_of(s->name)->system);
  cas_computation *c = cas_compute(text, NULL);
  ck_assert_msg(!cas_computation_status(c), "%s: %s", s->name, cas_computation_message(c));
  cas_results_print(f, cas_computation_results(c));
  snprintf(text, sizeof text, "system: {name: %s, %s, %s, unknown: 1.5}\n", s->name,
           s->example.keys, s->example.noise);
  cas_computation_free(c);
  c = cas_compute(text, NULL);
  fprintf(f, "%s\n%s\n", err.text, cas_computation_message(c));
  cas_computation_free(c);
}

TEST_OVER(systems_have_points, count_systems()) { check_same(write_system, _i); }

/* ---- the locale ---- */

/* A locale of which nothing but the decimal comma is defined. */
static bool make_locale(void) {
  char here[4000];
  FILE *f = fopen("comma.src", "w");
  if (!f || !getcwd(here, sizeof here))
    return false;
  fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", f);
  fclose(f);
  (void)!system("localedef -c --no-archive -i comma.src ./comma >messages 2>&1");
  setenv("LOCPATH", here, 1);
  bool made = setlocale(LC_ALL, "comma") != NULL;
  setlocale(LC_ALL, "C");
  return made;
}

int main(void) {
  if (make_locale())
    return suite_run_with_mpi();
  puts("localedef makes no locale with a decimal comma here");
  return 77;
}
