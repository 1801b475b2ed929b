/* What joining the statistics of all ranks costs, and by its measured parts what it would cost on
   more ranks than there are: mpirun -n P bench_reduce [--json FILE]

   Along a binary tree of ranks: log2 P stages, each a message of one tree and one join. A stage's
   message is measured between ranks 0 and 1. */
#include "measure.h"
#include "statistics/reduce.h"

#include <casimir/casimir.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_A_RANK = 100, RANKS_MAX = 100000 };

/* the weak study of the rigid body with one functional, and a strong one with six levels */
static const struct {
  const char *name;
  cas_summary_shape shape;
} studies[] = {
    {"weak, 7 levels, 1 functional", {.quantities = 15, .levels = 8, .groups = CAS_SUMMARY_GROUPS}},
    {"strong, 6 levels", {.quantities = 12, .levels = 7, .groups = CAS_SUMMARY_GROUPS}}};

typedef struct {
  cas_sum_tree full, other;
  char *message;
  size_t size;
  int rank, ranks;
} reduce_bench;

static cas_sum_tree fill(cas_summary_shape shape, int64_t first) {
  double quantity[64];
  cas_error err;
  cas_sum_tree t = {.shape = shape};
  cas_summary *s = malloc(cas_summary_size(shape));
  for (int64_t c = first; s && c < first + CHUNKS_A_RANK; c++) {
    cas_summary_clear(shape, s);
    for (int i = 0; i < 64; i++)
      quantity[i] = cos((double)(c + i));
    for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
      cas_summary_add(shape, s, g, quantity);
    if (cas_sum_tree_add(&t, c, s, &err))
      MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(s);
  return t;
}

/* a copy, and all of another rank's tree into it */
static void join(void *context, int count) {
  reduce_bench *b = context;
  cas_error err;
  for (int i = 0; i < count; i++) {
    cas_sum_tree t = {.shape = b->full.shape};
    if (cas_sum_tree_join(&t, &b->full, &err) || cas_sum_tree_join(&t, &b->other, &err))
      MPI_Abort(MPI_COMM_WORLD, 1);
    cas_sum_tree_free(&t);
  }
}

static void reduce(void *context, int count) {
  reduce_bench *b = context;
  cas_error err;
  for (int i = 0; i < count; i++) {
    cas_sum_tree t = {.shape = b->full.shape};
    if (cas_sum_tree_join(&t, &b->full, &err) ||
        cas_sum_tree_reduce(&t, (int64_t)CHUNKS_A_RANK * b->ranks, MPI_COMM_WORLD, &err))
      MPI_Abort(MPI_COMM_WORLD, 1);
    cas_sum_tree_free(&t);
  }
}

/* there and back: twice a message */
static void ping(void *context, int count) {
  reduce_bench *b = context;
  for (int i = 0; i < count; i++)
    for (int turn = 0; turn < 2; turn++)
      if (b->rank == turn)
        MPI_Send(b->message, (int)b->size, MPI_BYTE, 1 - turn, 0, MPI_COMM_WORLD);
      else if (b->rank == 1 - turn)
        MPI_Recv(b->message, (int)b->size, MPI_BYTE, turn, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks wait for each other, so that only the wall clock counts, and the number of runs is
   fixed. */
static double wall(void (*run)(void *context, int count), reduce_bench *b) {
  double best = INFINITY;
  for (int r = 0; r < 50; r++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double before = MPI_Wtime();
    run(b, 10);
    best = fmin(best, (MPI_Wtime() - before) / 10);
  }
  MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return best;
}

static void report_study(cas_report *report, const char *name, reduce_bench *b) {
  cas_measured m = {.operation = "join"};
  double all = b->ranks > 1 ? wall(reduce, b) : 0, message = b->ranks > 1 ? wall(ping, b) / 2 : 0;
  if (b->rank != 0)
    return;
  snprintf(m.name, sizeof m.name, "%s/join", name);
  cas_measure(join, b, 1, &m);
  cas_report_add(report, &m);
  printf("%46s %zu bytes a tree (%d nodes)\n", "", b->size, b->full.nodes);
  if (b->ranks < 2)
    return;
  double stage = m.best * 1e-9 + message;
  printf("%46s measured on %d ranks: %.1f us; a message between ranks 0 and 1: %.1f us\n", "",
         b->ranks, 1e6 * all, 1e6 * message);
  for (int ranks = 100; ranks <= RANKS_MAX; ranks *= 10)
    printf("%46s %6d ranks: %2.0f stages of %.1f us = %.2f ms\n", "", ranks, ceil(log2(ranks)),
           1e6 * stage, 1e3 * stage * ceil(log2(ranks)));
}

static void bench(cas_report *report, size_t i) {
  const cas_summary_shape shape = studies[i].shape;
  reduce_bench b = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b.ranks);
  b.full = fill(shape, b.rank * CHUNKS_A_RANK);
  b.other = fill(shape, (b.rank + 1) * CHUNKS_A_RANK);
  b.size = cas_sum_tree_packed_size(&b.full);
  MPI_Allreduce(MPI_IN_PLACE, &b.size, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  b.message = calloc(1, b.size);
  if (!b.message)
    MPI_Abort(MPI_COMM_WORLD, 1);
  report_study(report, studies[i].name, &b);
  free(b.message);
  cas_sum_tree_free(&b.other);
  cas_sum_tree_free(&b.full);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *json = argc == 3 && strcmp(argv[1], "--json") == 0 && rank == 0 ? argv[2] : NULL;
  cas_report report = cas_report_open("reduce", json);
  if (rank == 0)
    cas_report_heading("joining the statistics of two ranks");
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++)
    bench(&report, i);
  cas_report_close(&report);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
