/* ranks: 1 2 3 */
/* lane: slow from 2 ranks */
/* Trajectory files: the same bytes whatever the ranks, one error on all ranks whatever fails. */
#include "on_all.h"
#include "results_fixture.h"
#include "suite_mpi.h"
#include <signal.h>
#include <sys/resource.h>

enum { COMPONENTS = 3, OBSERVABLES = 2, SLAB = 300, MOST_PATHS = 5 };

RANK_AND_RANKS

#define assert_on_all(condition, err) \
  ck_assert_msg(on_all(condition), "rank %d: %s", rank, (err).text)

/* Number c of a record of dataset k: of the state, or an observable. */
static double value_of(int k, int64_t t, int64_t p, int c) {
  return k == 0 ? sin((double)(100 * t + 10 * p + c)) : k + cos((double)(100 * t + 10 * p));
}

static const char *const names[] = {"state", "hamiltonian", "casimir_departure"};

typedef struct {
  int64_t records, paths;
  const char *component_names;
} shape;

static cas_status create(const char *path, shape s, MPI_Comm comm, cas_trajectory_file **f,
                         cas_error *err) {
  double *time = malloc((size_t)s.records * sizeof *time);
  for (int64_t t = 0; t < s.records; t++)
    time[t] = (double)t / 3;
  const char *labels = s.component_names ? s.component_names : "x1 x2 x3";
  const cas_file_dataset dataset[1 + OBSERVABLES] = {
      {.name = "state",
       .long_name = "state",
       .unit = "1",
       .axes = 1,
       .axis = {{.name = "component",
                 .long_name = "component of the state",
                 .unit = "1",
                 .length = COMPONENTS,
                 .labels = labels}},
       .components = labels},
      {.name = names[1], .long_name = "hamiltonian", .unit = "1"},
      {.name = names[2], .long_name = "casimir departure", .unit = "1"}};
  cas_trajectory_layout layout = {.records = s.records,
                                  .time = time,
                                  .paths = s.paths,
                                  .datasets = 1 + OBSERVABLES,
                                  .dataset = dataset};
  cas_status st = cas_trajectory_create_groups(path, 1, &layout, comm, f, err);
  free(time);
  return st;
}

static cas_status write_slab(cas_trajectory_file *f, int64_t t0, int64_t nt, int64_t p0, int64_t np,
                             cas_error *err) {
  static double value[1 + OBSERVABLES][SLAB * MOST_PATHS * COMPONENTS];
  for (int k = 0; k <= OBSERVABLES; k++)
    for (int64_t t = 0, i = 0; t < nt; t++)
      for (int64_t p = 0; p < np; p++)
        for (int c = 0; c < (k ? 1 : COMPONENTS); c++)
          value[k][i++] = value_of(k, t0 + t, p0 + p, c);
  const double *const values[1 + OBSERVABLES] = {value[0], value[1], value[2]};
  return cas_trajectory_write(f, t0, nt, p0, np, values, err);
}

/* This rank of `of` writes its share of the paths, the first `until` records. */
static cas_status write_share(cas_trajectory_file *f, int64_t until, int64_t paths, int part,
                              int of, cas_error *err) {
  int64_t p0 = paths * part / of, np = paths * (part + 1) / of - p0;
  cas_status st = CAS_OK;
  for (int64_t t = 0; t < until && !st; t += SLAB)
    st = write_slab(f, t, until - t < SLAB ? until - t : SLAB, p0, np, err);
  return st;
}

static cas_status write_whole(const char *path, shape s, MPI_Comm comm, const cas_results *r,
                              cas_error *err) {
  int part, of;
  cas_trajectory_file *f;
  MPI_Comm_rank(comm, &part);
  MPI_Comm_size(comm, &of);
  cas_status st = create(path, s, comm, &f, err);
  if (st)
    return st;
  st = write_share(f, s.records, s.paths, part, of, err);
  cas_status closed = cas_trajectory_close(f, part == 0 ? r : NULL, err);
  return st ? st : closed;
}

static const shape shapes[] = {
    {1000, 1, NULL}, {1000, 5, NULL}, {1, 1, NULL}, {1, 2, NULL}, {301, 2, NULL}};

TEST_OVER(same_bytes_for_any_ranks, sizeof shapes / sizeof *shapes) {
  shape s = shapes[_i];
  cas_error err = {0};
  cas_results *r = make_results(0);
  cas_status st = write_whole("many.h5", s, MPI_COMM_WORLD, r, &err);
  assert_on_all(st == CAS_OK, err);
  if (rank == 0)
    st = write_whole("one.h5", s, MPI_COMM_SELF, r, &err);
  assert_on_all(st == CAS_OK, err);
  assert_on_all(!exists("many.h5.tmp"), err);
  if (rank == 0) {
    size_t n, m;
    const char *many = read_bytes("many.h5", &n), *one = read_bytes("one.h5", &m);
    ck_assert(n == m && !memcmp(many, one, n));
    assert_same_results(r, read_back("many.h5"));
    assert_all_described("many.h5", r, 18 + 5 + 8 + (s.paths > 1)); /* health, paths, result */
  }
}

/* ---- failures: one status and one message on all ranks, nothing left behind ---- */

static void put_old_file(void) {
  bool stored = rank > 0 || store_bytes("t.h5", "old", 3);
  ck_assert(on_all(stored));
}

static bool old_file_is_intact(void) {
  size_t n = 0;
  char *bytes = load_bytes("t.h5", &n);
  bool intact = bytes && n == 3 && !memcmp(bytes, "old", 3) && !exists("t.h5.tmp");
  free(bytes);
  return on_all(intact);
}

static void assert_failed(cas_status st, cas_status wanted, const cas_error *err,
                          const char *words) {
  cas_error first = *err;
  cas_bcast(first.text, sizeof first.text, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_on_all(st == wanted && err->status == wanted, *err);
  assert_on_all(!strcmp(first.text, err->text) && strstr(err->text, words), *err);
}

TEST(unwritable_paths_fail_everywhere) {
  static const struct {
    const char *path, *names, *words;
  } bad[] = {{"nowhere/t.h5", NULL, "nowhere/t.h5.tmp: cannot be created: No such file"},
             {"t.h5", "x1 x2", "'x1 x2' are not the labels of 3 numbers"},
             {"t.h5", "x1 x2 x3 x4", "are not the labels"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cas_error err = {0};
    cas_trajectory_file *f;
    cas_status st = create(bad[i].path, (shape){9, 2, bad[i].names}, MPI_COMM_WORLD, &f, &err);
    assert_failed(st, CAS_FILE_ERROR, &err, bad[i].words);
    ck_assert_ptr_null(f);
    assert_on_all(!exists("t.h5.tmp"), err);
  }
}

/* Begins a file with records of three paths in the place of an old one. */
static cas_trajectory_file *begin(int64_t records) {
  cas_error err = {0};
  cas_trajectory_file *f;
  put_old_file();
  assert_on_all(create("t.h5", (shape){records, 3, NULL}, MPI_COMM_WORLD, &f, &err) == CAS_OK, err);
  return f;
}

/* Files that are given up, that lack records, and of which one rank writes what has no place. */
TEST_OVER(what_is_not_whole_is_not_kept, 3) {
  cas_error err = {0}, after = {0};
  cas_trajectory_file *f = begin(900);
  assert_on_all(exists("t.h5.tmp"), err);
  if (_i == 1)
    assert_on_all(write_share(f, 899, 3, rank, ranks, &err) == CAS_OK, err);
  if (_i == 2)
    assert_failed(
        cas_agree(write_slab(f, 0, 9, rank == ranks - 1 ? 3 : 0, 1, &err), MPI_COMM_WORLD, &err),
        CAS_INTERNAL, &err, "of 1 paths from 3 do not lie");
  cas_status st = cas_trajectory_close(f, _i ? make_results(0) : NULL, &after);
  if (_i)
    assert_failed(st, CAS_INTERNAL, &after, _i == 1 ? "2697 states were written" : "do not lie");
  assert_on_all(_i || st == CAS_OK, after);
  ck_assert(old_file_is_intact());
}

/* ---- no room: after each of these the process must still end by itself ---- */

static void limit_size(rlim_t bytes) {
  struct rlimit limit = {bytes, RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  cas_meet(MPI_COMM_WORLD);
  if (setrlimit(RLIMIT_FSIZE, &limit))
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A limit that the file exceeds when it is made, by its records or by what follows them. */
TEST_OVER(files_beyond_a_size_limit_fail_everywhere, 3) {
  static const char unwritten[] =
      "cannot write 'trajectory/state': File too large. The file needs ";
  cas_error err = {0}, after = {0};
  struct stat s = {.st_size = _i ? 100000 : 20000};
  const shape all = {_i == 2 ? 1000 : 10000, 3, NULL};
  cas_trajectory_file *f = NULL;
  cas_status st = CAS_OK;
  put_old_file();
  if (_i)
    f = begin(all.records);
  if (_i == 2) {
    assert_on_all(write_share(f, all.records, 3, rank, ranks, &err) == CAS_OK, err);
    assert_on_all(!stat("t.h5.tmp", &s), err);
  }
  limit_size((rlim_t)s.st_size);
  if (_i == 0)
    st = create("t.h5", all, MPI_COMM_WORLD, &f, &err);
  if (_i == 1)
    st = cas_agree(write_share(f, all.records, 3, rank, ranks, &err), MPI_COMM_WORLD, &err);
  const cas_status closed = cas_trajectory_close(f, make_results(0), &after);
  limit_size(RLIM_INFINITY);
  if (_i < 2) {
    assert_failed(st, CAS_FILE_ERROR, &err, "File too large");
    assert_failed(st, CAS_FILE_ERROR, &err, _i ? unwritten : "there is no disk space for its ");
  }
  if (_i)
    assert_failed(closed, CAS_FILE_ERROR, &after, _i == 1 ? unwritten : "File too large");
  ck_assert(old_file_is_intact());
}

RUN_TESTS_WITH_MPI
