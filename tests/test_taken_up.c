/* What a resumed run takes up of a checkpoint: a block in progress that it has not begun, because
   its rank waits for the bins of the histograms, stays as the earlier run left it; and what no run
   can have written, or only one with other streams, is refused. */
/* ranks: 3 */
#include "files/checkpoint.h"
#include "files/results/table.h"
#include "paths/noise/noise.h"
#include "study_fixture.h"

#include <time.h>

static const char study[] =
    "system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.1}}\n"
    "random: {generator: %s}\nstudy: {%s}\n"
    "output: {checkpoint_every: 0.01s}\n"; /* ranks talk four times as often */
/* of 9 blocks, each of which takes some time */
static const char *long_paths(void) {
  return formatted("kind: ensemble, step: 2^-10, steps: %d, every: %d, paths: 576, observables: "
                   "[x1]",
                   all_or(100000, 20000), all_or(100000, 20000));
}

static const char levels[] = "kind: weak_multilevel, coarsest_step: 1/64, coarsest_steps: 64, "
                             "levels: 2, functionals: [x1], paths: 10000";

RANK_AND_RANKS

/* ---- runs and their checkpoints ---- */

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

/* Goes on to pieces.h5, until it is told to leave (w NULL: to the end); every rank has the status.
   Collective. */
static cas_status go_on(MPI_Comm comm, request *w, const char *generator, const char *of,
                        cas_results *out) {
  const cas_run_request asked = {
      .output = "pieces.h5", .resume = true, .signals = w ? leave : NULL, .signals_context = w};
  return run_request(comm, &asked, out, &last_said, study, generator, of);
}

static const char checkpoint[] = "pieces.h5.checkpoint";

/* The checkpoint as every rank reads it, until the test ends. Collective. */
static cas_sections read_checkpoint(void) {
  cas_sections s = {0};
  char *warning = NULL;
  int found = 0;
  cas_meet(MPI_COMM_WORLD);
  const cas_status st = cas_checkpoint_read(checkpoint, &s, &found, &warning, &last_said);
  suite_keep(s.bytes, free);
  ck_assert_msg(on_all(!st && found && !warning), "%s", last_said.text);
  return s;
}

/* Rank 0 writes another one. Collective. */
static void write_checkpoint(const cas_sections *s) {
  const bool written = rank > 0 || !cas_checkpoint_write(checkpoint, s, true, &last_said);
  ck_assert_msg(on_all(written), "%s", last_said.text);
}

/* The run that would go on with these sections is refused. Collective. */
static void is_no_checkpoint(const cas_sections *s) {
  cas_results r;
  write_checkpoint(s);
  ck_assert_int_eq(go_on(MPI_COMM_WORLD, NULL, "threefry", long_paths(), &r), CAS_FILE_ERROR);
}

static void begin_anew(void) {
  cas_meet(MPI_COMM_WORLD);
  if (rank == 0) {
    cas_checkpoint_remove(checkpoint);
    remove("pieces.h5");
  }
  cas_meet(MPI_COMM_WORLD);
}

/* Bytes of the section of this block, which begins with its number; none: size 0. */
static cas_section find_block(const cas_sections *s, int64_t block) {
  cas_section found;
  for (size_t at = 0; cas_sections_next(s, "block", &at, &found);)
    if (found.size >= sizeof block && memcmp(found.bytes, &block, sizeof block) == 0)
      return found;
  return (cas_section){0};
}

/* ---- what stays, and what cannot be ---- */

/* Values of finished paths: those of rank 1, with a byte less, and fewer than all paths share. They
   are in front, and the first section of a name counts. */
static void refuse_odd_values(const cas_sections *s) {
  cas_section values;
  ck_assert(cas_sections_find(s, "values", &values) && values.size >= 64 * sizeof(double));
  for (int few = 0; few < 2; few++) {
    cas_sections odd = {0};
    MUST(cas_sections_put(&odd, "values", values.bytes, few ? 1 : values.size - 1, &err));
    MUST(cas_sections_append(&odd, s->bytes, s->size, &err));
    is_no_checkpoint(&odd);
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
  begin_anew();
  ck_assert(!go_on(MPI_COMM_WORLD, NULL, "threefry", long_paths(), &whole));
  late.seconds = 2 + 3 * (MPI_Wtime() - begun); /* time for a block, however slow the machine */
  begin_anew();
  ck_assert_int_eq(go_on(MPI_COMM_WORLD, &at_once, "threefry", long_paths(), &r), CAS_INTERRUPTED);
  const cas_sections before = read_checkpoint();
  const cas_section left = find_block(&before, 2);
  ck_assert(left.size > 0);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank, &two);
  ck_assert_int_eq(go_on(two, &late, "threefry", long_paths(), &r), CAS_INTERRUPTED);
  if (two != MPI_COMM_NULL)
    MPI_Comm_free(&two);
  const cas_sections after = read_checkpoint();
  const cas_section kept = find_block(&after, 2);
  ck_assert(kept.size == left.size && memcmp(kept.bytes, left.bytes, left.size) == 0);
  refuse_odd_values(&after);
  write_checkpoint(&after);
  ck_assert(!go_on(MPI_COMM_WORLD, NULL, "threefry", long_paths(), &r));
  ck_assert(on_all(cas_tables_equal(&whole, &r)));
}

/* Steps and observations of a block in progress that no run can have: behind the head of the block,
   which tells the size of the rest. Without a look at them a run would skip numbers for years, or
   read beyond its list of records. */
TEST(counters_that_cannot_be_are_refused) {
  static const int64_t wrong[][2] = {{INT64_C(1) << 60, 0}, {-1, 0}, {64, 1000000}, {64, -7}};
  request at_once = {0, false};
  cas_results r;
  begin_anew();
  ck_assert_int_eq(go_on(MPI_COMM_WORLD, &at_once, "threefry", long_paths(), &r), CAS_INTERRUPTED);
  const cas_sections s = read_checkpoint();
  for (int i = 0; i < 4; i++) {
    for (int64_t block = 0; block < 3; block++) {
      const cas_section b = find_block(&s, block);
      const size_t head = 5 * sizeof(int64_t);
      ck_assert(b.size > head + sizeof wrong[i]);
      memcpy(s.bytes + ((const char *)b.bytes - s.bytes) + head, wrong[i], sizeof wrong[i]);
    }
    is_no_checkpoint(&s);
  }
}

/* A build that numbered the streams of levels otherwise is known by a section that it did not
   write: its checkpoints are refused by name where a generator's numbers have changed, because
   higher ones take longer to open, and nowhere else. */
static void refuses_other_streams(const cas_generator *g) {
  const bool changed = strstr("sprng_lcg sprng_lcg64 sprng_cmrg", g->name);
  request at_once = {0, false};
  cas_results r;
  cas_section streams;
  size_t at = 0;
  begin_anew();
  ck_assert_int_eq(go_on(MPI_COMM_WORLD, &at_once, g->name, levels, &r), CAS_INTERRUPTED);
  cas_sections all = read_checkpoint();
  ck_assert(cas_sections_next(&all, "streams", &at, &streams));
  all.bytes[streams.name - all.bytes] = 'x';
  write_checkpoint(&all);
  const cas_status st = go_on(MPI_COMM_WORLD, NULL, g->name, levels, &r);
  ck_assert_msg(st == (changed ? CAS_BAD_INPUT : CAS_OK), "%s: %d %s", g->name, st, last_said.text);
  ck_assert(!st ||
            strstr(last_said.text, formatted("other streams of random.generator: %s", g->name)));
}

TEST(other_streams_are_refused) {
  for (const cas_generator *const *g = cas_generator_list(); *g; g++)
    if (!(*g)->replayed && !(*g)->missing)
      refuses_other_streams(*g);
}

RUN_TESTS_WITH_MPI
