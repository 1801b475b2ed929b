/* Sweeps by programs that use the library: what they are told of points; test_sweep.sh has that
   points are the runs that each would be by itself. */
/* ranks: 1 2 */
#include "study_fixture.h"

static const char text[] =
    STUDY_BODY "random: {generator: threefry}\nsweep: {set: [\"study.paths=64,100\"]}\n"
               "study: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, "
               "reference: 3, paths: 1}\n";

/* What `done` was told, on this rank. */
typedef struct {
  int points, failed;
  char last[200];
} told;

static void hear(void *context, const char *point, cas_status st, const char *message,
                 double seconds) {
  told *t = context;
  t->points++;
  t->failed += st != CAS_OK;
  snprintf(t->last, sizeof t->last, "%s: %s", point, message);
  ck_assert(isnan(seconds) || seconds >= 0);
}

/* A point that fails takes no others along, and is named. */
TEST(points_fail_by_themselves) {
  static const char *const levels[] = {"study.levels=2,9"};
  cas_error err = {0};
  cas_swept s;
  told t = {0};
  cas_sweep_request q = {.text = text,
                         .size = sizeof text - 1,
                         .run = {.configuration = "sweep.yaml", .output = "failed.h5"},
                         .set = levels,
                         .sets = 1,
                         .groups = 1,
                         .done = hear,
                         .done_context = &t};
  ck_assert_int_eq(cas_sweep(&q, MPI_COMM_WORLD, &s, &err), CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "2 of 4 points are not done"), "%s", err.text);
  for (int i = 0; i < 4; i++)
    ck_assert(s.point[i].begun && s.point[i].status == (i % 2 ? CAS_BAD_INPUT : CAS_OK));
  ck_assert_str_eq(s.point[1].name, "point 2 of 4: study.paths=64 study.levels=9");
  ck_assert_str_eq(s.point[1].file, "failed-2.h5");
  if (t.points) { /* the first rank of the group */
    ck_assert(t.points == 4 && t.failed == 2);
    ck_assert_msg(strstr(t.last, "point 4 of 4") && strstr(t.last, "study.reference"), "%s",
                  t.last);
  }
  cas_swept_free(&s);
  q.point = 5;
  ck_assert_int_eq(cas_sweep(&q, MPI_COMM_WORLD, &s, &err), CAS_BAD_INPUT);
  ck_assert_int_eq(s.points, 0);
}

RUN_TESTS_WITH_MPI
