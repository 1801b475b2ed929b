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
  static const char *const measured[] = {" ns a path", "time ",    "started", "second",
                                         "free",       "resident", NULL};
  const char *point = said("C", write, which),
             *other = difference_of(point, said("comma", write, which), measured);
  ck_assert_ptr_nonnull(strchr(point, '.'));
  ck_assert_msg(!other, "%s", other);
}

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
  MUST(cas_config_set(c, "fraction=0.5", &err));
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
  MUST(cas_describe(f, "all", &err));
}

TEST(descriptions_have_points) { check_same(write_descriptions, 0); }

/* What the file says of its numbers, which are printed as they are read from it. */
static void write_file(FILE *f) {
  cas_contents contents;
  MUST(cas_contents_read("results.h5", &contents, &err));
  for (int i = 0; i < contents.n; i++) {
    const cas_dataset *d = &contents.dataset[i];
    fprintf(f, "%s %s %s %s\n", d->name, d->long_name ? d->long_name : "", d->units ? d->units : "",
            d->components ? d->components : "");
  }
  cas_contents_free(&contents);
}

static void perform(FILE *f, const char *study, cas_run_request q) {
  q.output = q.only_path ? NULL : "results.h5";
  const cas_results *r = run_as(
      &q, CAS_OK, "", STUDY_BODY "integrator: {casimir_tolerance: 0.5}\nstudy: {%s}\n", study);
  if (q.dry_run || q.only_path)
    return;
  cas_results_print(f, r);
  fprintf(f, "%s", r->provenance.configuration);
  write_file(f);
  const cas_results again = read_results("results.h5");
  cas_results_print(f, &again);
  MUST(cas_results_write(r, "results.h5", &err));
  write_file(f);
  unlink("results.h5");
}

static void write_study(FILE *f, int which) {
  const char *study = study_here(which);
  perform(f, study, (cas_run_request){.dry_run = true, .report = f});
  perform(f, study, (cas_run_request){.only_path = &(int64_t){3}, .report = f});
  perform(f, study, (cas_run_request){0});
  cas_computation *c = cas_compute(STUDY_BODY "study: {kind: strong, step: 0.5}", NULL);
  fprintf(f, "%s\n", cas_computation_message(c));
  cas_computation_free(c);
}

TEST_OVER(studies_have_points, EVERY_STUDY) { check_same(write_study, _i); }

static void write_system(FILE *f, int which) {
  const cas_system *s = cas_kernels_get()->systems[which];
  cas_computation *c = cas_compute(
      formatted("system: %s\nstudy: {kind: ensemble, step: 0.0078125, steps: 2, every: 1, paths: "
                "64, observables: [{own: 'hamiltonian^2/1.5 + 2.5e-1*sin(.5*hamiltonian)'}]}\n",
                study_case_of(s->name)->system),
      NULL);
  ck_assert_msg(!cas_computation_status(c), "%s: %s", s->name, cas_computation_message(c));
  cas_results_print(f, cas_computation_results(c));
  cas_computation_free(c);
  c = cas_compute(formatted("system: {%s, unknown: 1.5}\n", example_of(s)), NULL);
  fprintf(f, "%s\n", cas_computation_message(c));
  cas_computation_free(c);
}

TEST_OVER(systems_have_points, count_systems()) { check_same(write_system, _i); }

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
