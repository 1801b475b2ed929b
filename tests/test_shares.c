/* Shares of work cover all of it once, in ascending order on each rank, whichever rank comes for
   them; and a rank that does not come for a while keeps nobody waiting. */
/* ranks: 1 2 3 7 */
#include "engine/shares.h"
#include "study_fixture.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

RANK_AND_RANKS

static bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/* Tickets stand for runs that follow each other, each a node of the tree of sums or cut off at the
   end, no longer than a quarter of what is left for a rank. */
TEST(tickets_cover_the_work) {
  const int of[] = {1, 2, 3, 16, 1000};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++)
    for (int64_t items = 0; items < 100000; items = 3 * items + 1) {
      cas_share s;
      int64_t at = 0, ticket = 0, length = INT64_MAX;
      for (; cas_share_of(items, of[k], ticket, &s); ticket++) {
        int64_t n = s.next - s.first;
        ck_assert_int_eq(s.first, at);
        ck_assert(n > 0 && n <= length && s.before <= s.first && s.first - s.before < of[k] * n);
        ck_assert(n == 1 || 4 * n * of[k] <= items - s.before);
        ck_assert(is_power_of_two(n) && s.first % n == 0);
        at = s.next;
        length = n;
      }
      ck_assert_int_eq(at, items);
      ck_assert(!cas_share_of(items, of[k], ticket + 1, &s));
    }
  cas_share s;
  ck_assert(
      !cas_share_of(INT64_C(10000000), 10000, 40 * 10000, &s)); /* few tickets of 1000 chunks */
}

/* Whether ranks believe to be on nodes of their own, so that a network has their counter. */
static bool apart;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part) {
  return apart ? PMPI_Comm_dup(MPI_COMM_SELF, part)
               : PMPI_Comm_split_type(comm, type, key, info, part);
}

TEST_OVER(ranks_share_the_work, 2) {
  enum { ITEMS = 1000 };
  apart = _i;
  cas_shares s;
  cas_share share;
  int done[ITEMS] = {0}, last = -1;
  MUST(cas_shares_begin(&s, ITEMS, MPI_COMM_WORLD, &err));
  while (cas_shares_next(&s, &share)) {
    ck_assert_int_gt(share.first, last);
    for (int64_t i = share.first; i < share.next; i++)
      done[i]++;
    last = (int)share.next - 1;
  }
  ck_assert(ranks == 1 || apart == !s.shared);
  cas_shares_end(&s);
  apart = false;
  cas_allreduce(MPI_IN_PLACE, done, ITEMS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < ITEMS; i++)
    ck_assert_int_eq(done[i], 1);
}

/* All has been dealt: rank 0 may go on, whenever it went to sleep. */
static void wake(pid_t sleeper) {
  int awake = 0;
  while (!awake) {
    ck_assert(!kill(sleeper, SIGCONT));
    nanosleep(&(struct timespec){0, 10000000}, NULL);
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &awake, MPI_STATUS_IGNORE);
  }
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0, whose counter it is, neither works nor calls MPI until another rank wakes it up: the
   others get all but its first share meanwhile. */
TEST(a_stopped_rank_stops_nobody) {
  enum { ITEMS = 1000 };
  cas_shares s;
  cas_share share = {0}, first = {0};
  int64_t mine = 0, all = 0;
  pid_t sleeper = getpid();
  cas_bcast(&sleeper, sizeof sleeper, MPI_BYTE, 0, MPI_COMM_WORLD);
  MUST(cas_shares_begin(&s, ITEMS, MPI_COMM_WORLD, &err));
  ck_assert(cas_share_of(ITEMS, ranks, 0, &first));
  if (rank == 0 && ranks > 1)
    raise(SIGSTOP);
  while (cas_shares_next(&s, &share))
    mine += share.next - share.first;
  if (rank == 0 && ranks > 1)
    MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1)
    wake(sleeper);
  cas_shares_end(&s);
  MPI_Reduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    ck_assert_int_eq(all, ITEMS);
    ck_assert(ranks == 1 || mine == first.next - first.first);
  }
}

RUN_TESTS_WITH_MPI
