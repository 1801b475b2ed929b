/* Results files: written and read bit for bit, and what becomes of damaged files. */
#include "files/results/results_file.h"
#include "results_fixture.h"
#include "suite.h"
#include <errno.h>
#include <fcntl.h>
#include <hdf5_hl.h>

/* ---- round trips ---- */

static void assert_round_trip(const cas_results *r, const char *path) {
  cas_error err = {0};
  cas_results back;
  assert_ok(cas_results_write(r, path, &err), err);
  assert_ok(cas_results_read(path, &back, &err), err);
  assert_same_results(r, &back);
  cas_results_free(&back);
  ck_assert_int_eq(cas_results_curves(&back), 0);
  cas_results_free(&back);
}

static const int study_levels[] = {0, 1, 2, 7, 40};

TEST_OVER(bits_survive, sizeof study_levels / sizeof *study_levels) {
  cas_results r = make_results(study_levels[_i]);
  assert_round_trip(&r, "results.h5");
  ck_assert(!exists("results.h5.tmp"));
  cas_results_free(&r);
}

TEST(long_configurations_survive) {
  cas_results r = make_results(3);
  size_t n = 1 << 20;
  free(r.provenance.configuration);
  r.provenance.configuration = malloc(n);
  memset(r.provenance.configuration, 'x', n - 1);
  r.provenance.configuration[n - 1] = '\0';
  assert_round_trip(&r, "results.h5");
  cas_results_free(&r);
}

TEST(health_begins_without_failures) {
  cas_health h;
  cas_error err = {0};
  assert_ok(cas_health_init(&h, 3, &err), err);
  ck_assert_int_eq(h.levels, 3);
  ck_assert_int_eq(h.first_failed_path, -1);
  ck_assert_int_eq(h.steps_taken[2] + h.nan[2] + h.clipped[2] + h.iterations[2], 0);
  cas_health_free(&h);
  ck_assert_ptr_null(h.nan);
}

/* Results with another last byte of an array are no longer equal. */
static void change_last(const cas_results *r, cas_results *s, const char *name, void *array,
                        size_t bytes) {
  char *last = (char *)array + bytes - 1;
  *last ^= 1;
  ck_assert_msg(!cas_results_equal(r, s), "%s", name);
  *last ^= 1;
}

/* Every single number counts in the comparison that guards written files, and these tests. */
TEST(any_difference_is_seen) {
  cas_results r = make_results(5), s = make_results(5);
  for (int i = 0; i < s.tables; i++)
    for (const cas_field *f = s.table[i].kind->columns; f->name; f++)
      change_last(&r, &s, f->name, cas_field_array(f, s.table[i].object),
                  cas_table_count(&s.table[i], f) * cas_field_size(f->type));
  for (const cas_field *f = cas_health_columns; f->name; f++)
    change_last(&r, &s, f->name, cas_field_array(f, &s.health), 6 * sizeof(int64_t));
  for (const cas_field *f = cas_health_numbers; f->name; f++)
    change_last(&r, &s, f->name, (char *)&s.health + f->offset, cas_field_size(f->type));
  for (const cas_field *f = cas_provenance_fields; f->name; f++)
    if (f->type != CAS_FIELD_TEXT)
      change_last(&r, &s, f->name, (char *)&s.provenance + f->offset, cas_field_size(f->type));
  change_last(&r, &s, "configuration", s.provenance.configuration, 3);
  change_last(&r, &s, "step", s.step, 6 * sizeof *s.step);
  change_last(&r, &s, "steps", s.steps, 6 * sizeof *s.steps);
  ck_assert(cas_results_equal(&r, &s));
  cas_results_free(&r);
  cas_results_free(&s);
}

/* ---- the layout that others read ---- */

TEST(layout_is_as_documented) {
  static const char *const path[][2] = {{"levels/steps", "levels/step"},
                                        {"strong/error", "strong/step"},
                                        {"strong/standard_error", "strong/step"},
                                        {"strong/resolved", "strong/step"},
                                        {"strong/error_sup", "strong/step"},
                                        {"strong/standard_error_sup", "strong/step"},
                                        {"strong/local_order", "strong/step_between"},
                                        {"strong/difference_order_sup", "strong/step_of_three"},
                                        {"weak/energy/next_order", "weak/energy/step_of_four"},
                                        {"weak/sin2pi/error", "weak/sin2pi/step"},
                                        {"weak/energy/resolved", "weak/energy/step"},
                                        {"weak/energy/mean", "weak/energy/step_with_reference"},
                                        {"health/nan", "health/step_with_reference"}};
  cas_results r = make_results(5);
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  hid_t file = H5Fopen("results.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    hid_t dataset = H5Dopen2(file, path[i][0], H5P_DEFAULT),
          scale = H5Dopen2(file, path[i][1], H5P_DEFAULT);
    ck_assert_int_gt(H5DSis_scale(scale), 0);
    ck_assert_msg(H5DSis_attached(dataset, scale, 0) > 0, "%s", path[i][0]);
    H5Dclose(dataset);
    H5Dclose(scale);
  }
  H5Fclose(file);
  /* levels, strong and weak errors with the values of each table, health, result, fits, orders */
  assert_all_described("results.h5",
                       2 + (2 * (11 + 8) + 4) + 2 * (13 + 14 + 5) + (7 + 9 + 1) + 11 + 18 + 23);
  cas_results_free(&r);
}

TEST(tables_are_found_by_their_places) {
  static const char *const absent[] = {"", "weak", "strong", "weak/sin2", "weak/sin2pi/x", "mlmc"};
  cas_results r = make_results(5);
  ck_assert_ptr_eq(cas_results_find(&r, "strong/error_sup"), cas_results_curve(&r, 1));
  ck_assert_ptr_eq(cas_results_find(&r, "weak/sin2pi"), cas_results_curve(&r, 2));
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    ck_assert_msg(!cas_results_find(&r, absent[i]), "%s", absent[i]);
  cas_results_free(&r);
}

TEST(equal_results_give_equal_bytes) {
  cas_results r = make_results(5);
  cas_error err = {0};
  size_t n, m;
  assert_ok(cas_results_write(&r, "a.h5", &err), err);
  sleep(1); /* object times have a resolution of a second */
  assert_ok(cas_results_write(&r, "b.h5", &err), err);
  char *a = read_bytes("a.h5", &n), *b = read_bytes("b.h5", &m);
  ck_assert(n == m && !memcmp(a, b, n));
  free(a);
  free(b);
  cas_results_free(&r);
}

/* Of the root h5diff compares the attributes as well, some of which tell of the run. */
static bool h5diff_agrees(void) {
  return !system("for group in levels strong weak health fits orders; do"
                 " h5diff -v a.h5 b.h5 /$group >>h5diff.txt || exit 1; done");
}

TEST(h5diff_sees_no_rank) {
  cas_results r = make_results(5);
  cas_error err = {0};
  if (system("h5diff --version >/dev/null 2>&1")) {
    printf("h5diff is not there: not tried\n");
    cas_results_free(&r);
    return;
  }
  assert_ok(cas_results_write(&r, "a.h5", &err), err);
  r.provenance.ranks = 7;
  r.provenance.elapsed_seconds = 99;
  strcpy(r.provenance.started, "2025-01-01T00:00:00Z");
  assert_ok(cas_results_write(&r, "b.h5", &err), err);
  ck_assert(h5diff_agrees());
  cas_results_curve(&r, 2)->mean[5] = nextafter(cas_results_curve(&r, 2)->mean[5], 9);
  assert_ok(cas_results_write(&r, "b.h5", &err), err);
  ck_assert(!h5diff_agrees());
  cas_results_free(&r);
}

TEST(h5py_reads_it) {
  cas_results r = make_results(5);
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  run_h5py("import h5py; f = h5py.File('results.h5', 'r'); "
           "assert f.attrs['generator'] == 'sprng_mlfg' and f.attrs['complete'] == 1; "
           "assert f.attrs['configuration'].endswith(chr(181) + chr(10)); "
           "assert f['strong/error'].dims[0][0].name == '/strong/step'; "
           "rows = list(zip(f['fits/table'].asstr(), f['fits/law'].asstr(), f['fits/exponent'])); "
           "assert f['weak/energy/mean'].shape == (6,) and len(rows) == 24; "
           "assert ('strong/error_sup', 'two_term', 2.51) in rows; "
           "assert '; consistent with the order of theory' in f['strong/verdict_sup'].asstr()[()]; "
           "assert f['strong/findings_sup'].asstr()[()].split() == ['outliers', 'consistent']; "
           "assert sum(len(o.attrs) for o in [f] + [f[g] for g in f]) < 60; "
           "assert f['health/casimir_drift_path'][()] == 9999999999");
  cas_results_free(&r);
}

/* ---- damage ---- */

/* An error, or what was written. */
static bool reads_error_or_equal(const cas_results *r, const char *path) {
  cas_error err = {0};
  cas_results back;
  cas_status st = cas_results_read(path, &back, &err);
  if (st) {
    ck_assert_int_eq(st, CAS_FILE_ERROR);
    ck_assert(strstr(err.text, path) == err.text);
    return false;
  }
  assert_same_results(r, &back);
  cas_results_free(&back);
  return true;
}

TEST(truncated_files_are_refused) {
  cas_results r = make_results(5);
  cas_error err = {0};
  size_t n, few = (size_t)repetitions(100), stride = 610000 / (few * few);
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  char *bytes = read_bytes("results.h5", &n);
  int accepted[2] = {0};
  for (int unsealed = 0; unsealed < 2; unsealed++) {
    cas_unsealed_accept(unsealed);
    write_bytes("cut.h5", bytes, n);
    for (size_t length = n; length-- > 0;) {
      if (length >= 100 && length < n - 64 && length % stride)
        continue;
      ck_assert(!truncate("cut.h5", (off_t)length));
      accepted[unsealed] += reads_error_or_equal(&r, "cut.h5");
    }
  }
  cas_unsealed_accept(false);
  ck_assert_int_eq(accepted[false], 0);
  ck_assert_int_eq(accepted[true], 32); /* only the seal is cut */
  free(bytes);
  cas_results_free(&r);
}

TEST(changed_bytes_are_refused) {
  cas_results r = make_results(2);
  cas_error err = {0};
  size_t n, few = (size_t)repetitions(100), stride = 30000 / (few * few);
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  char *bytes = read_bytes("results.h5", &n);
  int fd = open("results.h5", O_RDWR), accepted = 0;
  for (size_t i = 0; i < n; i += i < 100 || i > n - 100 ? 1 : stride) {
    char changed = (char)(bytes[i] ^ (1 << i % 8));
    ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)i), 1);
    accepted += reads_error_or_equal(&r, "results.h5");
    ck_assert_int_eq(pwrite(fd, &bytes[i], 1, (off_t)i), 1);
  }
  close(fd);
  ck_assert_int_eq(accepted, 0);
  free(bytes);
  cas_results_free(&r);
}

static void assert_unreadable(const char *path, const char *words) {
  cas_error err = {0};
  cas_results r;
  ck_assert_int_eq(cas_results_read(path, &r, &err), CAS_FILE_ERROR);
  assert_says(err, path);
  assert_says(err, words);
  ck_assert_int_eq(r.levels + cas_results_curves(&r), 0);
}

TEST(foreign_files_are_refused) {
  write_bytes("text.h5", "hello\n", 6);
  assert_unreadable("text.h5", "is not an HDF5 file");
  write_bytes("empty.h5", "", 0);
  assert_unreadable("empty.h5", "is not an HDF5 file");
  ck_assert(!mkdir("directory.h5", 0777) || errno == EEXIST);
  assert_unreadable("directory.h5", "is no regular file");
  H5Fclose(H5Fcreate("foreign.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  assert_unreadable("foreign.h5", "not a results file of casimir");
}

static void replace_dataset(hid_t file, const char *name, hid_t type, int rank, hsize_t n) {
  hsize_t dims[5] = {n, 1, 1, 1, 1};
  hid_t space = H5Screate_simple(rank, dims, NULL);
  ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  ck_assert(H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >=
            0);
  H5Sclose(space);
}

/* HDF5 drops the seal of what it changes. Each test has a process of its own. */
static hid_t results_to_change(void) {
  cas_unsealed_accept(true);
  cas_results r = make_results(5);
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  cas_results_free(&r);
  return H5Fopen("results.h5", H5F_ACC_RDWR, H5P_DEFAULT);
}

static hid_t one_int(hid_t file, const char *name, int value) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t a = H5Acreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(H5Awrite(a, H5T_NATIVE_INT, &value) >= 0);
  H5Sclose(space);
  return a;
}

TEST(incomplete_files_are_refused) {
  hid_t file = results_to_change();
  ck_assert(H5Adelete(file, "complete") >= 0);
  H5Fclose(file);
  assert_unreadable("results.h5", "is not complete: the run that wrote it did not finish");
  file = H5Fopen("results.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  H5Aclose(one_int(file, "complete", 0));
  H5Fclose(file);
  assert_unreadable("results.h5", "is not complete");
}

TEST(other_programs_may_add_to_a_file) {
  cas_results r;
  cas_error err = {0};
  hid_t file = results_to_change();
  H5Aclose(one_int(file, "note", 3));
  H5Fclose(file);
  cas_unsealed_accept(false);
  assert_unreadable("results.h5", "was written by casimir, and its seal is missing");
  ck_assert_int_eq(cas_results_replaceable("results.h5", false, &err), CAS_BAD_INPUT);
  assert_says(err, "Only results of casimir are replaced: remove it");
  err = (cas_error){0};
  cas_unsealed_accept(true);
  assert_ok(cas_results_read("results.h5", &r, &err), err);
  cas_results_free(&r);
}

static const struct {
  const char *dataset;
  int rank;
  hsize_t n;
  bool text;
  const char *words;
} wrong[] = {{"health/nan", 1, 5, false, "'nan' has 5 values instead of 6"},
             {"health/nan", 2, 6, false, "2 dimensions instead of 1"},
             {"health/nan", 1, 6, true, "does not hold integers"},
             {"strong/error", 1, 6, false, "'error' has 6 values instead of 5"},
             {"levels/step", 1, 20000, false, "no study has more"},
             {"levels/step", 1, 0, false, "no levels"},
             {"weak/sin2pi", 1, 5, false, "cannot open the group 'sin2pi'"},
             {"strong/local_order_sup", 1, 1, false, "has 1 values instead of 4"}};

TEST_OVER(wrong_shapes_are_refused, sizeof wrong / sizeof *wrong) {
  hid_t file = results_to_change();
  replace_dataset(file, wrong[_i].dataset, wrong[_i].text ? H5T_C_S1 : H5T_NATIVE_INT,
                  wrong[_i].rank, wrong[_i].n);
  H5Fclose(file);
  assert_unreadable("results.h5", wrong[_i].words);
}

TEST(wrong_attributes_are_refused) {
  hid_t file = results_to_change();
  H5Adelete(file, "commit");
  H5Aclose(one_int(file, "commit", 3));
  H5Fclose(file);
  assert_unreadable("results.h5", "'commit' does not hold a single text");
  file = results_to_change();
  H5Adelete(file, "seed");
  H5Fclose(file);
  assert_unreadable("results.h5", "'seed' is missing");
}

TEST(values_and_laws_are_not_left_out) {
  hid_t file = results_to_change();
  ck_assert(H5Ldelete(file, "weak/energy/order_raw", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_unreadable("results.h5", "has no 'order_raw', which an earlier casimir stored in another");
  file = results_to_change();
  ck_assert(H5Ldelete(file, "orders", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_unreadable("results.h5",
                    "has orders that an earlier casimir fitted and stored in another");
}

/* No file has its headline from a law that is given the order. */
TEST(headlines_are_laws_of_a_free_order) {
  hid_t file = results_to_change(), law = H5Dopen2(file, "orders/law", H5P_DEFAULT),
        type = H5Dget_type(law), space = H5Dget_space(law);
  const char *name[16];
  ck_assert_int_le(H5Sget_simple_extent_npoints(space), 16);
  for (int i = 0; i < 16; i++)
    name[i] = "three_term_theory";
  ck_assert(H5Dwrite(law, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0);
  H5Dclose(law), H5Sclose(space), H5Tclose(type), H5Fclose(file);
  assert_unreadable("results.h5", "'three_term_theory'");
}

TEST(names_too_long_are_refused) {
  char name[80] = "weak/";
  hid_t file = results_to_change();
  memset(name + 5, 'x', 70);
  ck_assert(H5Lmove(file, "weak/sin2pi", file, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_unreadable("results.h5", "has a name too long for any table");
}

TEST(too_many_levels_are_refused) {
  cas_unsealed_accept(true);
  static const char *const group[] = {"weak_multilevel", "mlmc"};
  cas_error err = {0};
  for (int i = 0; i < 2; i++) {
    cas_results r = make_results(65);
    assert_ok(cas_results_write(&r, "results.h5", &err), err);
    cas_results_free(&r);
    hid_t file = H5Fopen("results.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert(H5Gclose(H5Gcreate2(file, group[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
    H5Fclose(file);
    assert_unreadable("results.h5", "levels; no study has more than 64");
  }
}

TEST(inconsistent_results_are_not_written) {
  cas_results r = make_results(5);
  cas_error err = {0};
  r.health.levels = 5;
  ck_assert_int_ne(cas_results_write(&r, "inconsistent.h5", &err), CAS_OK);
  assert_says(err, "must be 6");
  r.health.levels = 6;
  strcpy(cas_results_curve(&r, 1)->name, "sup");
  ck_assert_int_ne(cas_results_write(&r, "inconsistent.h5", NULL), CAS_OK);
  ck_assert(!exists("inconsistent.h5") && !exists("inconsistent.h5.tmp"));
  cas_results_free(&r);
}

TEST(error_printing_of_the_caller_stays) {
  H5E_auto2_t before, after;
  void *data;
  cas_results r;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  ck_assert_int_ne(cas_results_read("missing.h5", &r, NULL), CAS_OK);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  ck_assert(before && before == after);
}

RUN_TESTS
