/* A block in progress that a resumed run has taken up but not begun, because its rank waits for the
   bins of the histograms, stays in the checkpoint as the earlier run left it. */
/* ranks: 3 */
#include "files/checkpoint.h"
#include "study_fixture.h"

#include <time.h>
#include <unistd.h>

enum { BLOCKS = 9, STEPS = 100000 };

static const char study[] =
    "system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.1}}\n"
    "random: {generator: threefry}\n"
    "study: {kind: ensemble, step: 2^-10, steps: %d, every: %d, paths: %d, observables: [x1]}\n"
    "output: {checkpoint_every: 0.01s}\n"; /* ranks talk four times as often */

RANK_AND_RANKS

/* ---- signals ---- */

typedef struct {
  double seconds; /* that rank 0 hesitates */
  bool told;
} request;

static unsigned leave(void *context) {
  request *w = context;
  if (w->told || rank > 0)
    return 0;
  w->told = true;
  nanosleep(&(struct timespec){(time_t)w->seconds, 0}, NULL);
  return CAS_SIGNAL_LEAVE;
}

static cas_status run(MPI_Comm comm, const char *output, request *w, cas_results *out) {
  cas_error err = {0};
  return cas_run(
      configuration(study, STEPS, STEPS, BLOCKS * 64),
      &(cas_run_request){
          .output = output, .resume = true, .signals = w ? leave : NULL, .signals_context = w},
      comm, out, &err);
}

/* ---- what is in the checkpoint ---- */

/* Bytes of the section of this block, which begins with its number; none: size 0. */
static cas_section find_block(const cas_sections *s, int64_t block) {
  cas_section found;
  for (size_t at = 0; cas_sections_next(s, "block", &at, &found);)
    if (found.size >= sizeof block && memcmp(found.bytes, &block, sizeof block) == 0)
      return found;
  return (cas_section){0};
}

static cas_sections read_checkpoint(const char *file) {
  cas_sections s = {0};
  char *warning = NULL;
  int found = 0;
  MUST(cas_checkpoint_read(file, &s, &found, &warning, &err));
  ck_assert(found && !warning);
  return s;
}

/* A checkpoint with other sections in front, of which the first of a name counts, is refused; rank 0
   has them. */
static void is_refused_behind(const cas_sections *odd, const cas_sections *s) {
  cas_results r;
  cas_error err = {0};
  if (rank == 0) {
    cas_sections both = {0};
    ck_assert(!cas_sections_append(&both, odd->bytes, odd->size, &err));
    ck_assert(!cas_sections_append(&both, s->bytes, s->size, &err));
    ck_assert(!cas_checkpoint_write("odd.h5.checkpoint", &both, true, &err));
    cas_sections_free(&both);
  }
  cas_meet(MPI_COMM_WORLD);
  ck_assert_int_eq(run(MPI_COMM_WORLD, "odd.h5", NULL, &r), CAS_FILE_ERROR);
  cas_meet(MPI_COMM_WORLD);
  if (rank == 0)
    cas_checkpoint_remove("odd.h5.checkpoint");
  cas_meet(MPI_COMM_WORLD);
}

/* Values of finished paths: those of rank 1, with a byte less, and fewer than all paths share. */
static void refuse_odd_values(const cas_sections *s) {
  cas_section values;
  cas_error err;
  ck_assert(cas_sections_find(s, "values", &values) && values.size >= 64 * sizeof(double));
  for (int few = 0; few < 2; few++) {
    cas_sections odd = {0};
    ck_assert(!cas_sections_put(&odd, "values", values.bytes, few ? 1 : values.size - 1, &err));
    is_refused_behind(&odd, s);
    cas_sections_free(&odd);
  }
}

/* On three ranks blocks 0, 1 and 2 are begun. On two, rank 1 does 1 and has no room for the values
   of 2 while rank 0, whose block 0 decides on the bins, has not finished that. */
TEST(a_block_taken_up_and_not_begun_is_kept) {
  request at_once = {0, false}, late = {0, false};
  cas_results whole, r;
  MPI_Comm two;
  double begun = MPI_Wtime();
  ck_assert(!run(MPI_COMM_WORLD, "whole.h5", NULL, &whole));
  late.seconds = 2 + 3 * (MPI_Wtime() - begun); /* time for a block, however slow the machine */
  ck_assert_int_eq(run(MPI_COMM_WORLD, "pieces.h5", &at_once, &r), CAS_INTERRUPTED);
  cas_sections before = read_checkpoint("pieces.h5.checkpoint");
  cas_section left = find_block(&before, 2);
  ck_assert(left.size > 0);
  cas_meet(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank, &two);
  if (two != MPI_COMM_NULL) {
    ck_assert_int_eq(run(two, "pieces.h5", &late, &r), CAS_INTERRUPTED);
    MPI_Comm_free(&two);
  }
  cas_meet(MPI_COMM_WORLD);
  cas_sections after = read_checkpoint("pieces.h5.checkpoint");
  cas_section kept = find_block(&after, 2);
  ck_assert(kept.size == left.size && memcmp(kept.bytes, left.bytes, left.size) == 0);
  refuse_odd_values(&after);
  cas_sections_free(&before);
  cas_sections_free(&after);
  cas_meet(MPI_COMM_WORLD);
  ck_assert(!run(MPI_COMM_WORLD, "pieces.h5", NULL, &r));
  if (rank == 0) {
    const cas_ensemble_observable *a = cas_results_ensemble(&whole)->observable,
                                  *b = cas_results_ensemble(&r)->observable;
    ck_assert(memcmp(a->mean.value, b->mean.value, 2 * sizeof *a->mean.value) == 0);
    ck_assert(memcmp(a->variance.value, b->variance.value, 2 * sizeof *a->variance.value) == 0);
    ck_assert(memcmp(a->quantile.value, b->quantile.value, 10 * sizeof *a->quantile.value) == 0);
  }
  cas_results_free(&whole);
  cas_results_free(&r);
}

/* Steps and observations of a block in progress that no run can have: behind the head of the block,
   which tells the size of the rest. Without a look at them a run would skip numbers for years, or
   read beyond its list of records. */
TEST_OVER(counters_that_cannot_be_are_refused, 4) {
  static const int64_t wrong[][2] = {{INT64_C(1) << 60, 0}, {-1, 0}, {64, 1000000}, {64, -7}};
  const size_t head = 5 * sizeof(int64_t);
  request at_once = {0, false};
  cas_results r;
  ck_assert_int_eq(run(MPI_COMM_WORLD, "odd.h5", &at_once, &r), CAS_INTERRUPTED);
  if (rank == 0) {
    cas_sections s = read_checkpoint("odd.h5.checkpoint");
    for (int64_t block = 0; block < 3; block++) {
      cas_section b = find_block(&s, block);
      ck_assert(b.size > head + sizeof wrong[_i]);
      memcpy(s.bytes + ((const char *)b.bytes - s.bytes) + head, wrong[_i], sizeof wrong[_i]);
    }
    MUST(cas_checkpoint_write("odd.h5.checkpoint", &s, true, &err));
    cas_sections_free(&s);
  }
  cas_meet(MPI_COMM_WORLD);
  ck_assert_int_eq(run(MPI_COMM_WORLD, "odd.h5", NULL, &r), CAS_FILE_ERROR);
  cas_meet(MPI_COMM_WORLD);
  if (rank == 0)
    cas_checkpoint_remove("odd.h5.checkpoint");
  cas_meet(MPI_COMM_WORLD);
}

RUN_TESTS_WITH_MPI
