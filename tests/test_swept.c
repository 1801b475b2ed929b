/* Sweeps by programs that use the library: points are the runs that each would be by itself. */
/* ranks: 1 2 */
#include "files/results/table.h"
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

static cas_sweep_request request_of(const char *const *set, const char *output, told *t) {
  return (cas_sweep_request){.text = text,
                             .size = sizeof text - 1,
                             .run = {.configuration = "sweep.yaml", .output = output},
                             .set = set,
                             .sets = 1,
                             .done = hear,
                             .done_context = t};
}

TEST(points_are_runs) {
  static const char *const seeds[] = {"random.seed=1,2"};
  static const int paths[] = {64, 64, 100, 100};
  cas_swept s;
  told t = {0};
  const cas_sweep_request q = request_of(seeds, "swept.h5", &t);
  MUST(cas_sweep(&q, MPI_COMM_WORLD, &s, &err));
  ck_assert_int_eq(s.points, 4);
  ck_assert_str_eq(s.point[1].name, "point 2 of 4: study.paths=64 random.seed=2");
  ck_assert_str_eq(s.point[1].file, "swept-2.h5");
  MPI_Allreduce(MPI_IN_PLACE, &t.points, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  ck_assert_int_eq(t.points, 4);
  for (int i = 0; i < 4; i++) {
    const cas_results *alone = results_of(
        STUDY_BODY "random: {generator: threefry, seed: %d}\nstudy: {kind: strong, coarsest_step: "
                   "2^-4, coarsest_steps: 4, levels: 2, reference: 3, paths: %d}\n",
        1 + i % 2, paths[i]);
    const cas_results point = read_results(s.point[i].file);
    ck_assert(s.point[i].begun && s.point[i].status == CAS_OK);
    ck_assert(cas_tables_equal(&point, alone));
  }
  cas_swept_free(&s);
}

/* A point that fails takes no others along, and is named. */
TEST(points_fail_by_themselves) {
  static const char *const levels[] = {"study.levels=2,9"};
  cas_error err = {0};
  cas_swept s;
  told t = {0};
  cas_sweep_request q = request_of(levels, "failed.h5", &t);
  q.groups = 1;
  ck_assert_int_eq(cas_sweep(&q, MPI_COMM_WORLD, &s, &err), CAS_BAD_INPUT);
  ck_assert_msg(strstr(err.text, "2 of 4 points are not done"), "%s", err.text);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(s.point[i].status, i % 2 ? CAS_BAD_INPUT : CAS_OK);
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
