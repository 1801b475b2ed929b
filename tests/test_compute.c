/* Studies in memory: every number and every text that a file of the same run holds is there under
   its name, on any number of ranks, and no file is left. */
/* ranks: 1 2 */
/* lane: slow from 2 ranks */
/* needs: sprng */
#include "engine/study/study.h"
#include "files/results/table.h"
#include "study_fixture.h"

#include <dirent.h>
#include <unistd.h>

/* Whether any rank is in a state that it must not be in. */
static bool anywhere(bool wrong) {
  cas_allreduce(MPI_IN_PLACE, &wrong, 1, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
  return wrong;
}

static cas_computation *compute(const char *text) {
  cas_computation *c = cas_compute(text, NULL);
  ck_assert_ptr_nonnull(c);
  return c;
}

static cas_computation *compute_study(int study) {
  return compute(formatted(STUDY_BODY "random: {seed: 7}\nstudy: {%s}\n", study_here(study)));
}

static int files(void) {
  int n = 0;
  DIR *d = opendir(".");
  for (struct dirent *e; (e = readdir(d));)
    n += e->d_name[0] != '.';
  closedir(d);
  return n;
}

/* ---- the same as in files ---- */

/* Apart from what is measured, not computed. */
static bool same_dataset(const cas_computation *c, const cas_dataset *d) {
  cas_error err = {0};
  int r;
  int64_t dims[4], shape[4];
  bool is_complex;
  double *stored;
  if (cas_dataset_read("results.h5", d->name, 0, -1, &r, dims, &is_complex, &stored, &err))
    return false;
  size_t n = is_complex ? 2 : 1;
  for (int i = 0; i < r; i++)
    n *= (size_t)dims[i];
  double *mine = calloc(n + 1, sizeof *mine);
  bool same = cas_computation_numbers(c, d->name, (int)n, mine) == (int)n &&
              cas_computation_shape(c, d->name, shape) == r &&
              memcmp(shape, dims, (size_t)r * sizeof *dims) == 0 &&
              (strstr(d->name, "seconds") || strstr(d->name, "cost") ||
               strstr(d->name, "/restart") || memcmp(mine, stored, n * sizeof *mine) == 0);
  free(mine);
  free(stored);
  return same;
}

TEST_OVER(memory_holds_what_a_file_holds, EVERY_STUDY) {
  const cas_results *written =
      results_of(STUDY_BODY "random: {seed: 7}\nstudy: {%s}\n", study_here(_i));
  const cas_results read = read_results("results.h5");
  ck_assert(cas_tables_equal(written, &read));
  cas_computation *c = compute_study(_i);
  ck_assert_msg(!anywhere(cas_computation_status(c)), "%s", cas_computation_message(c));
  ck_assert_int_eq(cas_computation_message(c)[0], 0);
  cas_contents contents;
  MUST(cas_contents_read("results.h5", &contents, &err));
  ck_assert_int_gt(contents.n, 10);
  for (int i = 0; i < contents.n && is_root(); i++)
    ck_assert_msg(same_dataset(c, &contents.dataset[i]), "%s differs", contents.dataset[i].name);
  ck_assert(is_root() || cas_computation_numbers(c, "seed", 0, NULL) == -1);
  cas_contents_free(&contents);
  cas_computation_free(c);
  cas_meet(MPI_COMM_WORLD);
  if (is_root())
    unlink("results.h5");
  cas_meet(MPI_COMM_WORLD);
}

static void has_text(const cas_computation *c, const char *name, const char *wanted) {
  char text[2000];
  ck_assert_int_eq(cas_computation_text(c, name, sizeof text, text), (int)strlen(wanted));
  ck_assert_str_eq(text, wanted);
}

static double number(const cas_computation *c, const char *name) {
  double found = 0;
  ck_assert_int_eq(cas_computation_numbers(c, name, 1, &found), 1);
  return found;
}

/* Attributes have names, too; what does not fit is cut, and other names have nothing. */
static void check_names(const cas_computation *c) {
  static const char *const none[] = {"",       "/",           "strong",         "strong/",
                                     "errors", "strong/none", "strong/error/x", "system"};
  const cas_curve *curve = cas_results_find(cas_computation_results(c), "strong/error");
  double value[4] = {-1, -1, -1, -1};
  int64_t dims[4];
  char text[6];
  ck_assert(number(c, "seed") == 7 && number(c, "strong/order_low") == curve->laws.order_low);
  has_text(c, "strong/verdict", findings_text(curve->findings));
  has_text(c, "result/kind", "strong");
  has_text(c, "strong/error/units", curve->unit);
  ck_assert_int_eq(cas_computation_text(c, "system", 6, text), 10);
  ck_assert_str_eq(text, "rigid");
  ck_assert_int_eq(cas_computation_numbers(c, "strong/error", 2, value), 4);
  ck_assert(value[0] > value[1] && value[1] > 0 && value[2] == -1);
  ck_assert_int_eq(cas_computation_numbers(c, "strong/error", 0, NULL), 4);
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    ck_assert_msg(cas_computation_numbers(c, none[i], 4, value) == -1 &&
                      cas_computation_shape(c, none[i], dims) == -1,
                  "'%s'", none[i]);
  ck_assert_int_eq(cas_computation_text(c, "strong/error", 0, NULL), -1);
  ck_assert_int_eq(cas_computation_text(c, "seed", 0, NULL), -1);
}

TEST(numbers_and_texts_have_names) {
  cas_computation *c = compute_study(0);
  if (is_root())
    check_names(c);
  cas_computation_free(c);
}

TEST(another_communicator_will_do) {
  MPI_Comm alone;
  MPI_Comm_split(MPI_COMM_WORLD, rank_here(), 0, &alone);
  cas_computation *c = cas_compute(formatted(STUDY_BODY "random: {seed: %d}\nstudy: {%s}\n",
                                             1 + rank_here(), section_of("strong")),
                                   &alone);
  double seed = 0;
  bool wrong = cas_computation_numbers(c, "seed", 1, &seed) != 1 || seed != 1 + rank_here();
  ck_assert(!anywhere(wrong));
  cas_computation_free(c);
  MPI_Comm_free(&alone);
}

/* ---- nothing is left, and what needs a file is refused ---- */

static void check_refused(const char *message, const char *text) {
  cas_computation *c = compute(text);
  ck_assert_msg(!anywhere(cas_computation_status(c) != CAS_BAD_INPUT ||
                          !strstr(cas_computation_message(c), message)),
                "'%s'", cas_computation_message(c));
  ck_assert_int_eq(cas_computation_numbers(c, "seed", 0, NULL), -1);
  ck_assert_int_eq(cas_computation_results(c)->tables, 0);
  cas_computation_free(c);
}

TEST(what_needs_a_file_is_refused) {
  check_refused("configuration:2: study.kind: found 'trajectory', which records paths in a file",
                STUDY_BODY "study: {kind: trajectory, step: 2^-5, steps: 8}\n");
  check_refused("study.members: found 3",
                STUDY_BODY "study: {kind: ensemble, step: 2^-5, steps: 8, every: 4, paths: 64, "
                           "members: 3, observables: [x1]}\n");
  check_refused("study.kind: found nothing", STUDY_BODY);
  check_refused("configuration:", "]");
}

static cas_status run_in_memory(cas_run_request q, const char *study, cas_error *err) {
  cas_results r;
  *err = (cas_error){0};
  q.in_memory = true;
  cas_status st = cas_run(configuration(STUDY_BODY "output: {file: no.h5}\n%s", study), &q,
                          MPI_COMM_WORLD, &r, err);
  cas_results_free(&r);
  return st;
}

static unsigned leave(void *context CAS_UNUSED) { return CAS_SIGNAL_LEAVE | CAS_SIGNAL_SAVE; }

TEST(a_run_that_ends_early_keeps_nothing) {
  cas_error err;
  int before = files();
  cas_status st = run_in_memory((cas_run_request){.resume = true}, "study: {kind: strong}", &err);
  ck_assert(!anywhere(st != CAS_BAD_INPUT || !strstr(err.text, "nothing that it could resume")));
  st = run_in_memory((cas_run_request){.signals = leave},
                     "study: {kind: strong, coarsest_step: 2^-12, coarsest_steps: 4096, levels: 2, "
                     "reference: 4, paths: 100000}",
                     &err);
  ck_assert(!anywhere(st != CAS_INTERRUPTED || !strstr(err.text, "has no checkpoint")));
  st = run_in_memory((cas_run_request){0},
                     "integrator: {max_iterations: 2}\nstudy: {kind: strong, on_failure: stop, "
                     "coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, paths: 300}",
                     &err);
  ck_assert(!anywhere(st != CAS_STOPPED || !strstr(err.text, "has no checkpoint")));
  ck_assert_int_eq(files(), before);
}

TEST(failed_checks_have_results) {
  cas_computation *c =
      compute(STUDY_BODY "integrator: {max_iterations: 2, casimir_tolerance: 1}\n"
                         "study: {kind: strong, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, "
                         "reference: 3, paths: 300}\n");
  ck_assert(!anywhere(cas_computation_status(c) != CAS_CHECK_FAILED));
  ck_assert(!is_root() || number(c, "health/failed_paths") > 0);
  cas_computation_free(c);
}

/* A zeroed request is the whole study, and no study has a path of a negative number. */
TEST_OVER(negative_paths_are_refused, EVERY_STUDY) {
  run_as(&(cas_run_request){.only_path = &(int64_t){-1}}, CAS_BAD_INPUT, "found -1",
         STUDY_BODY "study: {%s}\n", study_here(_i));
}

RUN_TESTS_WITH_MPI
