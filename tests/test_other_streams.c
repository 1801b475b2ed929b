/* A checkpoint of a build that numbered the streams of levels otherwise is refused by name, where a
   generator's numbers have changed, and nowhere else. */
/* ranks: 1 */
/* needs: sprng */
/* lane: slow */
#include "files/checkpoint.h"
#include "study_fixture.h"

static const char study[] =
    "system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.1}}\n"
    "random: {generator: %s}\n"
    "study: {kind: weak_multilevel, coarsest_step: 1/64, coarsest_steps: 64, levels: 2,\n"
    "  functionals: [x1], paths: 10000}\n"
    "output: {checkpoint_every: 0.01s}\n"; /* ranks talk four times as often */

static unsigned leave(void *told_) {
  bool *told = told_, before = *told;
  *told = true;
  return before ? 0 : CAS_SIGNAL_LEAVE;
}

static cas_status run(const char *generator, bool told, cas_error *err) {
  cas_results r;
  *err = (cas_error){0};
  cas_status st = cas_run(
      configuration(study, generator),
      &(cas_run_request){
          .output = "streams.h5", .resume = true, .signals = leave, .signals_context = &told},
      MPI_COMM_WORLD, &r, err);
  cas_results_free(&r);
  return st;
}

/* As a build wrote it that did not know of other numbers: the section has a name that nobody asks
   for. */
static void forget_streams(void) {
  const char *file = "streams.h5.checkpoint";
  cas_sections all = {0};
  cas_section found;
  cas_error err = {0};
  char *warning = NULL;
  int any = 0;
  size_t at = 0;
  ck_assert(!cas_checkpoint_read(file, &all, &any, &warning, &err) && any && !warning);
  ck_assert(cas_sections_next(&all, "streams", &at, &found));
  all.bytes[found.name - all.bytes] = 'x';
  MUST(cas_checkpoint_write(file, &all, true, &err));
  cas_sections_free(&all);
}

static const struct {
  const char *generator;
  bool changed;
} cases[] = {{"sprng_lcg", true},
             {"sprng_lcg64", true},
             {"sprng_cmrg", true},
             {"sprng_mlfg", false},
             {"threefry", false}};

TEST_OVER(other_streams_are_refused, sizeof cases / sizeof *cases) {
  cas_error err;
  cas_status begun = run(cases[_i].generator, false, &err);
  ck_assert_msg(begun == CAS_INTERRUPTED, "%s", err.text);
  forget_streams();
  cas_status st = run(cases[_i].generator, true, &err);
  ck_assert_msg(st == (cases[_i].changed ? CAS_BAD_INPUT : CAS_OK), "%s: %d %s",
                cases[_i].generator, st, err.text);
  ck_assert(!cases[_i].changed || strstr(err.text, "other streams of random.generator: sprng_"));
  cas_checkpoint_remove("streams.h5.checkpoint");
  remove("streams.h5");
}

RUN_TESTS_WITH_MPI
