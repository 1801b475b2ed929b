/* For tests that run studies through the public interface. */
#ifndef STUDY_FIXTURE_H
#define STUDY_FIXTURE_H

#include <casimir/casimir.h>

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Runs the study that the formatted YAML text states; the file is "results.h5". */
static inline cas_status run_text(MPI_Comm comm, cas_results *out, cas_error *err,
                                  const char *format, ...) {
  cas_config *config;
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  ck_assert_int_gt(length, 0);
  *err = (cas_error){0};
  cas_status st = cas_config_parse(text, (size_t)length, "test.yaml", &config, err);
  free(text);
  if (st)
    return st;
  st = cas_run(config, &(cas_run_request){.only_path = -1, .output = "results.h5"}, comm, out, err);
  cas_config_free(config);
  return st;
}

/* A suite's main: MPI around Check, without forks because MPI does not survive them. */
static inline int run_suite_with_mpi(Suite *s) {
  MPI_Init(NULL, NULL);
  SRunner *runner = srunner_create(s);
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  MPI_Finalize();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
