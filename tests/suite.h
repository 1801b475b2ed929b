/* Tests that register themselves: TEST(name) { .. } is a test, and TEST_OVER(name, n) { .. _i .. }
   is n tests, in the order in which they stand in the file. Its last line is RUN_TESTS, or
   RUN_TESTS_WITH_MPI of study_fixture.h. */
#ifndef SUITE_H
#define SUITE_H

#include "repetitions.h"

#include <casimir/statistics.h>
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* The sentences of findings, for messages. */
static inline const char *findings_text(cas_findings found) {
  static char text[CAS_FINDINGS_TEXT];
  cas_findings_say(found, text);
  return text;
}

/* The gravest finding of a set, CAS_FINDINGS_END if it is empty. */
static inline cas_finding code_of(cas_findings set) {
  return set ? (cas_finding)__builtin_ctz(set) : CAS_FINDINGS_END;
}

/* The call, which is given &err, the error of this call alone, must end well. */
#define MUST(call)                                                                \
  do {                                                                            \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
        cas_error err = {0};                                                      \
    ck_assert_msg(!(call), "%s: %s", #call, err.text);                            \
    _Pragma("GCC diagnostic pop")                                                 \
  } while (0)

enum { SUITE_MOST = 200 };

static struct {
  const TTest *test;
  int (*count)(void);
} suite_test[SUITE_MOST];
static int suite_tests;
static void (*suite_begins)(void);

static inline void suite_add(const TTest *test, int (*count)(void)) {
  if (suite_tests == SUITE_MOST)
    abort();
  suite_test[suite_tests].test = test;
  suite_test[suite_tests++].count = count;
}

#define TEST_OVER(name, n)                                          \
  static void name(int _i);                                         \
  static int name##_count(void) { return (int)(n); }                \
  __attribute__((constructor)) static void name##_registers(void) { \
    static const TTest test = {#name, name, __FILE__, __LINE__};    \
    suite_add(&test, name##_count);                                 \
  }                                                                 \
  static void name(int _i CK_ATTRIBUTE_UNUSED)
#define TEST(name) TEST_OVER(name, 1)

/* Tests whose verdict takes many paths through code that others run as well: builds that look for
   accesses, of few repetitions, leave them out. */
#define TEST_OF_MANY_PATHS_OVER(name, n) TEST_OVER(name, looks_for_accesses() ? 0 : (n))
#define TEST_OF_MANY_PATHS(name) TEST_OF_MANY_PATHS_OVER(name, 1)

/* What fixtures make for a test and give back after it. */
static struct suite_kept {
  struct suite_kept *before;
  void (*release)(void *);
  void *memory;
} * suite_kept;

static inline void suite_keep(void *memory, void (*release)(void *)) {
  struct suite_kept *k = malloc(sizeof *k);
  if (!k)
    abort();
  *k = (struct suite_kept){suite_kept, release, memory};
  suite_kept = k;
}

static inline void suite_forget(void) {
  for (struct suite_kept *k; (k = suite_kept); free(k)) {
    suite_kept = k->before;
    k->release(k->memory);
  }
}

/* `text` is what the statement prints to the stream f. */
#define PRINTED(text, statement)                 \
  char *text = NULL;                             \
  size_t text##_size;                            \
  FILE *f = open_memstream(&text, &text##_size); \
  ck_assert_ptr_nonnull(f);                      \
  statement;                                     \
  ck_assert_int_eq(fclose(f), 0);                \
  suite_keep(text, free)

/* Calls a function once, before the first test and after MPI_Init. */
#define BEFORE_TESTS(function) \
  __attribute__((constructor)) static void function##_registers(void) { suite_begins = function; }

/* Runs all tests, in processes of their own unless `together`; returns the program's status. */
static inline int suite_run(bool together) {
  Suite *s = suite_create(program_invocation_short_name);
  if (suite_begins)
    suite_begins();
  for (int i = 0; i < suite_tests; i++) { /* each a case, so that CK_RUN_CASE names one of them */
    TCase *t = tcase_create(suite_test[i].test->name);
    tcase_set_timeout(t, 0);
    tcase_add_checked_fixture(t, NULL, suite_forget);
    tcase_add_loop_test(t, suite_test[i].test, 0, suite_test[i].count());
    suite_add_tcase(s, t);
  }
  SRunner *runner = srunner_create(s);
  if (together)
    srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN_TESTS \
  int main(void) { return suite_run(false); }

/* A test of START_TEST would have to be added by hand. */
#undef START_TEST
#define START_TEST(name) _Static_assert(false, "write TEST(" #name ")");

#endif
