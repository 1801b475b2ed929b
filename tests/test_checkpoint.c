/* Checkpoint files: at any moment a whole one is there, and nothing else is taken for one. */
#include "faults.h"
#include "files/checkpoint.h"
#include "files/lock.h"
#include "results_fixture.h"

#include <fcntl.h>
#include <sys/wait.h>

static const char path[] = "run.checkpoint", previous[] = "run.checkpoint.previous",
                  temporary[] = "run.checkpoint.tmp";

enum { NUMBERS = 40 };

/* Two sections that differ from one version to the next in every word. */
static cas_sections content(int version) {
  cas_sections s = {0};
  double number[NUMBERS];
  for (int i = 0; i < NUMBERS; i++)
    number[i] = version + i / 64.0;
  MUST(cas_sections_put(&s, "text", "seven b", 8, &err));
  MUST(cas_sections_put(&s, "numbers", number, sizeof number, &err));
  return s;
}

/* In the place of what is there, or with that as the previous one. */
static cas_status write_version(int version, bool in_its_place, cas_error *err) {
  cas_sections s = content(version);
  *err = (cas_error){0};
  cas_status st = cas_checkpoint_write(path, &s, !in_its_place, err);
  cas_sections_free(&s);
  return st;
}

static void save(int version) { MUST(write_version(version, false, &err)); }

/* the version that loads; 0: none found; -1: an error that names a file; -2: something else */
static int loaded(void) {
  cas_sections s = {0};
  cas_error err = {0};
  char *warning = NULL;
  int found, version = -2;
  cas_status st = cas_checkpoint_read(path, &s, &found, &warning, &err);
  if (st)
    version = st == CAS_FILE_ERROR && strstr(err.text, path) ? -1 : -2;
  else if (!found)
    version = 0;
  for (int v = 1; v < 9 && !st && found; v++) {
    cas_sections want = content(v);
    if (s.size == want.size && memcmp(s.bytes, want.bytes, want.size) == 0)
      version = v;
    cas_sections_free(&want);
  }
  free(warning);
  cas_sections_free(&s);
  return version;
}

static void clean(void) {
  unlink(path);
  unlink(previous);
  unlink(temporary);
}

/* Versions 1 and 2 are there before 3 is written; or `path` is damaged, and version 2 is the
   previous one, where it stays. */
static void prepare_for_three(bool in_its_place) {
  faults_arm(NULL, 0, FAULT_NONE);
  clean();
  save(in_its_place ? 2 : 1);
  save(in_its_place ? 8 : 2);
  if (in_its_place)
    ck_assert_int_eq(truncate(path, 10), 0);
}

static long calls_of_a_write(bool in_its_place) {
  prepare_for_three(in_its_place);
  faults_arm("run.checkpoint", 0, FAULT_NONE);
  MUST(write_version(3, in_its_place, &err));
  long n = faults_seen();
  faults_arm(NULL, 0, FAULT_NONE);
  ck_assert_int_eq(loaded(), 3);
  ck_assert_int_eq(truncate(path, 10), 0);
  ck_assert_int_eq(loaded(), 2);
  return n;
}

/* In a process of its own version 3 is written, which meets a fault. Returns its status. */
static int write_with_fault(bool in_its_place, long at, fault_kind kind) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    cas_error err;
    faults_arm("run.checkpoint", at, kind);
    (void)!write_version(3, in_its_place, &err);
    _exit(0);
  }
  ck_assert(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

/* Killed before any call or in its middle, and where a damaged one is replaced, any call fails: one
   of both is there, and the next ones are written as ever. */
TEST_OVER(one_is_whole_whatever_call_ends_it, 6) {
  static const fault_kind kinds[] = {FAULT_KILL, FAULT_HALF, FAULT_FAIL, FAULT_FULL};
  const bool in_its_place = _i < 4, killed = kinds[_i % 4] <= FAULT_HALF;
  const long calls = calls_of_a_write(in_its_place);
  ck_assert_int_ge(calls, in_its_place ? 8 : 10); /* writes, closes, two fsync, two renames */
  for (long at = 1; at <= calls; at++) {
    prepare_for_three(in_its_place);
    const int status = write_with_fault(in_its_place, at, kinds[_i % 4]), version = loaded();
    ck_assert_msg(killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL : status == 0,
                  "call %ld: status %x", at, (unsigned)status);
    ck_assert_msg(version == 2 || version == 3, "call %ld: version %d loads", at, version);
    if (in_its_place)
      continue;
    save(4);
    ck_assert_int_eq(loaded(), 4);
    ck_assert_int_eq(truncate(path, 10), 0);
    ck_assert_int_eq(loaded(), version);
  }
}

TEST_OVER(any_call_that_fails_is_reported, 2) {
  static const char *const cause[] = {"Input/output error", "No space left"};
  const long calls = calls_of_a_write(false);
  for (long at = 1; at <= calls; at++) {
    cas_error err;
    prepare_for_three(false);
    faults_arm("run.checkpoint", at, _i ? FAULT_FULL : FAULT_FAIL);
    cas_status st = write_version(3, false, &err);
    faults_arm(NULL, 0, FAULT_NONE);
    ck_assert_msg(st == CAS_FILE_ERROR, "call %ld failed unseen", at);
    ck_assert_msg(strstr(err.text, path) && strstr(err.text, cause[_i]), "call %ld: %s", at,
                  err.text);
    ck_assert_int_ne(access(temporary, F_OK), 0);
    ck_assert_int_eq(loaded(), 2);
    save(4);
    ck_assert_int_eq(loaded(), 4);
  }
}

/* The previous one is used instead, as it was, and reading does not change the other. */
static void assert_not_taken(const char *bytes, size_t size, const char *what, size_t where) {
  size_t n;
  write_bytes(path, bytes, size);
  const int version = loaded();
  ck_assert_msg(version == 1, "%s %zu: version %d loads", what, where, version);
  char *now = load_bytes(path, &n);
  ck_assert_msg(now && n == size && memcmp(now, bytes, n) == 0, "%s %zu: changed", what, where);
  free(now);
}

/* Flipped bits, and any other length. */
TEST(any_change_is_seen) {
  enum { LONGER = 64 };
  size_t size;
  clean();
  save(1);
  save(2);
  char *bytes = read_bytes(path, &size), *longer = calloc(1, size + LONGER);
  ck_assert_ptr_nonnull(longer);
  memcpy(longer, bytes, size);
  for (size_t i = 0; i < size; i++)
    for (int bit = 0; bit < 8; bit += 7) {
      bytes[i] ^= (char)(1 << bit);
      assert_not_taken(bytes, size, "byte", i);
      bytes[i] ^= (char)(1 << bit);
    }
  write_bytes(path, bytes, size);
  ck_assert_int_eq(loaded(), 2);
  for (size_t n = 0; n <= size + LONGER; n++)
    if (n != size)
      assert_not_taken(longer, n, "length", n);
  free(longer);
}

/* It may be whole: the run would lose what came after the previous one. */
TEST(one_that_cannot_be_read_is_not_passed_over) {
  clean();
  save(1);
  save(2);
  faults_arm(path, 1, FAULT_FAIL);
  ck_assert_int_eq(loaded(), -1);
  faults_arm(NULL, 0, FAULT_NONE);
  ck_assert_int_eq(loaded(), 2);
  size_t size;
  const char *newest = read_bytes(path, &size);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(mkdir(path, 0777), 0); /* can be opened and not read */
  ck_assert_int_eq(loaded(), -1);
  ck_assert_int_eq(rmdir(path), 0);
  ck_assert_int_eq(symlink(path, path), 0); /* cannot even be looked for */
  ck_assert_int_eq(loaded(), -1);
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(loaded(), 1);
  write_bytes(path, newest, size);
  ck_assert_int_eq(loaded(), 2);
}

TEST(nothing_whole_is_an_error) {
  static const char other[] =
      "\211HDF\r\n\032\n and much more that is no checkpoint of ours at all";
  clean();
  ck_assert_int_eq(loaded(), 0);
  save(1);
  ck_assert_int_eq(truncate(path, 100), 0);
  ck_assert_int_eq(loaded(), -1);
  write_bytes(previous, "casckpt1", 8);
  ck_assert_int_eq(loaded(), -1);
  clean();
  write_bytes(path, "", 0);
  ck_assert_int_eq(loaded(), -1);
  write_bytes(path, other, sizeof other);
  ck_assert_int_eq(loaded(), -1);
  MUST(cas_seal_append(path, 0, NULL, NULL, &err)); /* sealed, but of another kind */
  ck_assert_int_eq(loaded(), -1);
}

TEST(lengths_beyond_the_end_are_not_followed) {
  cas_sections s = content(1);
  for (size_t i = 0; i < s.size; i++)
    for (int value = 0; value < 256; value += 51) {
      char old = s.bytes[i];
      cas_section found;
      s.bytes[i] = (char)value;
      for (size_t at = 0; cas_sections_next(&s, "numbers", &at, &found);) {
        const char *begin = found.bytes;
        ck_assert(begin >= s.bytes && begin + found.size <= s.bytes + s.size && at <= s.size);
      }
      s.bytes[i] = old;
    }
  cas_sections_free(&s);
}

/* Sections of any length, whole words or not, stand one behind another. */
TEST(sections_written_in_parts_are_those_put_at_once) {
  static const char bytes[] = "a section of twenty.";
  const cas_sections nothing = {0};
  cas_sections want = {0}, read = {0};
  cas_checkpoint_writer *w;
  int found;
  MUST(cas_checkpoint_begin(path, &nothing, &w, &err));
  for (size_t n = 1; n < sizeof bytes; n++) {
    MUST(cas_sections_put(&want, "part", bytes, n, &err));
    MUST(cas_checkpoint_section(w, "part", n, &err));
    MUST(cas_checkpoint_put(w, bytes, n / 2, &err));
    MUST(cas_checkpoint_put(w, bytes + n / 2, n - n / 2, &err));
  }
  MUST(cas_checkpoint_end(w, true, &err));
  MUST(cas_checkpoint_read(path, &read, &found, NULL, &err));
  ck_assert(found == CAS_CHECKPOINT_NEWEST && read.size == want.size);
  ck_assert_mem_eq(read.bytes, want.bytes, want.size);
  cas_sections_free(&want);
  cas_sections_free(&read);
}

TEST(one_holder_even_in_one_process) {
  cas_lock lock, second;
  cas_error err = {0};
  char who[60];
  MUST(cas_lock_take("run.h5", 0, NULL, NULL, &lock, &err));
  ck_assert(exists("run.h5.lock"));
  ck_assert_int_eq(cas_lock_take("run.h5", 0, NULL, NULL, &second, &err), CAS_FILE_ERROR);
  snprintf(who, sizeof who, "process %ld on ", (long)getpid());
  assert_says(err, "run.h5: ");
  assert_says(err, who);
  cas_lock_release(&lock);
  ck_assert(!exists("run.h5.lock"));
}

RUN_TESTS
