/* Datasets of any HDF5 file as doubles. */
#include "results_fixture.h"

#include "files/hdf5/dataset.h"
#include <fcntl.h>
#include <time.h>

static hid_t new_file(void) {
  return H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static void put_as(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims,
                   const void *data, hid_t creation) {
  hid_t space = rank ? H5Screate_simple(rank, dims, NULL) : H5Screate(H5S_SCALAR);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  hid_t dataset = H5Dcreate2(file, name, type, space, links, creation, H5P_DEFAULT);
  ck_assert(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Dclose(dataset);
  H5Pclose(links);
  H5Sclose(space);
}

#define put(...) put_as(__VA_ARGS__, H5P_DEFAULT)

/* Makes a file with one dataset of doubles. */
static void put_alone(const char *path, const char *name, int rank, const hsize_t *dims,
                      const double *data) {
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put(file, name, H5T_NATIVE_DOUBLE, rank, dims, data);
  H5Fclose(file);
}

static hid_t complex_type(const char *real, const char *imaginary) {
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  H5Tinsert(type, real, 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, imaginary, sizeof(double), H5T_NATIVE_DOUBLE);
  return type;
}

typedef struct {
  int rank;
  int64_t dims[4];
  bool is_complex;
  double *value;
} array;

/* `count` records from `first` on; -1: all. */
static cas_status read_records(const char *file, const char *name, int first, int count, array *a,
                               cas_error *err) {
  return cas_dataset_read(file, name, first, count, &a->rank, a->dims, &a->is_complex, &a->value,
                          err);
}

static array read_array(const char *name) {
  array a;
  MUST(read_records("data.h5", name, 0, -1, &a, &err));
  suite_keep(a.value, free);
  return a;
}

static void assert_refused(const char *file, const char *name, const char *words) {
  array a;
  cas_error err = {0};
  ck_assert_int_eq(read_records(file, name, 0, -1, &a, &err),
                   access(file, F_OK) ? CAS_BAD_INPUT : CAS_FILE_ERROR);
  assert_says(err, file);
  assert_says(err, words);
  ck_assert_ptr_null(a.value);
}

static const hsize_t shape[] = {2, 3, 4, 5, 1};

static const double pairs[12] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6};
static double many[120] = {NAN}; /* and others */

static const struct {
  enum { REAL, SINGLE, SHORT, COMPLEX } type;
  int rank;
  hsize_t dims[4];
  const void *data;
  const double *value;
} types[] = {
    {REAL, 0, {0}, many, many},
    {REAL, 1, {2}, many, many},
    {REAL, 2, {2, 3}, many, many},
    {REAL, 3, {2, 3, 4}, many, many},
    {REAL, 4, {2, 3, 4, 5}, many, many},
    {REAL, 2, {0, 3}, many, many},
    {SINGLE, 1, {2}, (float[]){0.1f, -INFINITY}, (double[]){(double)0.1f, -INFINITY}},
    {SHORT, 1, {2}, (int16_t[]){-32768, 7}, (double[]){-32768, 7}},
    {COMPLEX, 2, {2, 3}, pairs, pairs},
};

TEST_OVER(arrays_of_numbers_are_doubles, sizeof types / sizeof *types) {
  const hid_t type[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT16,
                        complex_type("r", "i")};
  size_t n = types[_i].type == COMPLEX ? 2 : 1;
  for (int i = 1; i < 120; i++)
    many[i] = 1.0 / (i + 1);
  hid_t file = new_file();
  put(file, "deep/x", type[types[_i].type], types[_i].rank, types[_i].dims, types[_i].data);
  H5Fclose(file);
  const array a = read_array(_i % 2 ? "deep/x" : "/deep/x");
  ck_assert(a.value && a.rank == types[_i].rank && a.is_complex == (types[_i].type == COMPLEX));
  for (int i = 0; i < a.rank; i++) {
    ck_assert_int_eq(a.dims[i], (int64_t)types[_i].dims[i]);
    n *= types[_i].dims[i];
  }
  ck_assert_mem_eq(a.value, types[_i].value, n * sizeof *a.value);
}

TEST(what_is_no_array_of_numbers_is_refused_and_not_listed) {
  const double data[240] = {0};
  const char text[] = "text";
  cas_contents c;
  cas_error err = {0};
  hid_t file = new_file(), string = H5Tcopy(H5T_C_S1), polar = complex_type("radius", "angle"),
        pair = complex_type("r", "i");
  H5Tset_size(string, sizeof text);
  put(file, "five", H5T_NATIVE_DOUBLE, 5, shape, data);
  put(file, "text", string, 0, NULL, text);
  put(file, "polar", polar, 1, shape, data);
  put(file, "deep/psi", pair, 2, shape, data);
  put(file, "deep/x", H5T_NATIVE_DOUBLE, 3, shape, data);
  hid_t x = H5Dopen2(file, "deep/x", H5P_DEFAULT);
  cas_h5 h = cas_h5_begin("data.h5", NULL);
  cas_h5_describe(&h, x, "a long name", "m");
  ck_assert(!cas_h5_end(&h));
  H5Dclose(x);
  H5Fclose(file);
  assert_refused("data.h5", "five", "has 5 dimensions; at most 4");
  assert_refused("data.h5", "text", "holds text");
  assert_refused("data.h5", "polar", "a compound other than (r, i)");
  assert_refused("data.h5", "y", "has no dataset 'y'; it has deep/psi, deep/x, five, polar, text");
  assert_refused("data.h5", "", "has no dataset ''");
  assert_refused("data.h5", "deep", "has no dataset 'deep'");
  assert_refused("data.h5", "deep/x/y", "has no dataset");
  MUST(cas_contents_read("data.h5", &c, &err));
  ck_assert_int_eq(c.n, 2);
  const cas_dataset *psi = &c.dataset[0], *d = cas_contents_find(&c, "/deep/x");
  ck_assert_str_eq(psi->name, "/deep/psi");
  ck_assert(psi->is_complex && !psi->units);
  ck_assert(d && !d->is_complex && d->rank == 3 && d->dims[0] == 2 && d->dims[2] == 4);
  ck_assert_str_eq(d->units, "m");
  ck_assert_str_eq(d->long_name, "a long name");
  ck_assert(!cas_contents_find(&c, "/five") && !cas_contents_find(&c, "deep/x"));
  cas_contents_free(&c);
  ck_assert_int_eq(cas_contents_read("nowhere.h5", &c, &err), CAS_BAD_INPUT);
  ck_assert_int_eq(c.n, 0);
}

TEST(long_listings_are_cut) {
  char name[100];
  const double data[2] = {0};
  hid_t file = new_file();
  for (int i = 0; i < 200; i++) {
    snprintf(name, sizeof name, "a_dataset_with_a_rather_long_name_%d", i);
    put(file, name, H5T_NATIVE_DOUBLE, 1, shape, data);
  }
  H5Fclose(file);
  assert_refused("data.h5", "x", ", ...");
}

TEST(files_without_datasets_are_refused) {
  assert_refused("missing.h5", "x", "there is no such file");
  write_bytes("text.txt", "hello\n", 6);
  assert_refused("text.txt", "x", "is not an HDF5 file");
  H5Fclose(new_file());
  assert_refused("data.h5", "x", "nor any other");
}

TEST(truncated_data_are_refused) {
  const double data[120] = {0};
  size_t n;
  put_alone("data.h5", "x", 4, shape, data);
  char *bytes = read_bytes("data.h5", &n);
  for (size_t length = 0; length < n; length += 50) {
    write_bytes("cut.h5", bytes, length);
    assert_refused("cut.h5", "x", "cut.h5");
  }
}

TEST(records_are_a_part_of_the_whole) {
  double data[120];
  array a;
  cas_error err = {0};
  for (int i = 0; i < 120; i++)
    data[i] = i == 70 ? NAN : sqrt(i);
  hid_t file = new_file();
  put(file, "x", H5T_NATIVE_DOUBLE, 4, shape, data);
  put(file, "scalar", H5T_NATIVE_DOUBLE, 0, NULL, data);
  H5Fclose(file);
  for (int first = 0; first < 2; first++) {
    MUST(read_records("data.h5", "x", first, 1, &a, &err));
    ck_assert_int_eq(a.rank, 4);
    for (int i = 0; i < 4; i++)
      ck_assert_int_eq(a.dims[i], i ? (int64_t)shape[i] : 1);
    ck_assert_mem_eq(a.value, data + first * 60, 60 * sizeof *data);
    free(a.value);
  }
  const struct {
    const char *name;
    int first, count;
  } wrong[] = {{"x", 2, 1}, {"x", 1, 2}, {"x", -1, 1}, {"scalar", 0, 1}};
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(
        read_records("data.h5", wrong[i].name, wrong[i].first, wrong[i].count, &a, &err),
        CAS_FILE_ERROR);
    assert_says(err, "records");
    ck_assert_ptr_null(a.value);
  }
}

TEST(parts_are_read_alone) {
  double data[120], part[120];
  const int64_t first[4] = {1, 0, 2, 1}, count[4] = {1, 3, 2, 3};
  cas_open_dataset d;
  cas_error err = {0};
  for (int i = 0; i < 120; i++)
    data[i] = i;
  put_alone("data.h5", "x", 4, shape, data);
  MUST(cas_dataset_open("data.h5", "x", &d, &err));
  ck_assert(d.shape.rank == 4 && !d.shape.is_complex && d.shape.dims[3] == 5);
  MUST(cas_dataset_read_part(&d, first, count, part, &err));
  for (int j = 0, n = 0; j < 3; j++)
    for (int k = 2; k < 4; k++)
      for (int l = 1; l < 4; l++)
        ck_assert(part[n++] == ((1 * 3 + j) * 4 + k) * 5 + l);
  /* between one part and the next somebody else writes */
  struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1}};
  ck_assert(!utimensat(AT_FDCWD, "data.h5", times, 0));
  ck_assert_int_eq(cas_dataset_read_part(&d, first, count, part, &err), CAS_FILE_ERROR);
  assert_says(err, "data.h5: was changed while it was in use");
  cas_dataset_close(&d);
}

/* New bytes in the place of the old ones, with the size and the time of the old ones. */
TEST(bytes_changed_under_their_old_time_are_refused) {
  const double data[6] = {1, 2, 3, 4, 5, 6}, others[6] = {-1, -2, -3, -4, -5, -6};
  const int64_t first[4] = {0}, count[4] = {2, 3};
  const struct timespec tick = {.tv_nsec = 50000000}; /* that of files is a coarse one */
  struct stat s;
  size_t n;
  double part[6];
  cas_open_dataset d;
  cas_error err = {0};
  put_alone("others.h5", "x", 2, shape, others);
  put_alone("data.h5", "x", 2, shape, data);
  MUST(cas_dataset_open("data.h5", "x", &d, &err));
  MUST(cas_dataset_read_part(&d, first, count, part, &err));
  const char *bytes = read_bytes("others.h5", &n);
  int fd = open("data.h5", O_RDWR);
  nanosleep(&tick, NULL);
  ck_assert(!fstat(fd, &s) && (size_t)s.st_size == n && pwrite(fd, bytes, n, 0) == s.st_size);
  ck_assert(!futimens(fd, (struct timespec[2]){s.st_atim, s.st_mtim}) && !close(fd));
  ck_assert_int_eq(cas_dataset_read_part(&d, first, count, part, &err), CAS_FILE_ERROR);
  assert_says(err, "data.h5: was changed while it was in use");
  cas_dataset_close(&d);
  /* one that another file replaces stays as it was for whoever has it open */
  MUST(cas_dataset_open("data.h5", "x", &d, &err));
  put_alone("new.h5", "x", 2, shape, data);
  nanosleep(&tick, NULL);
  ck_assert(!rename("new.h5", "data.h5"));
  MUST(cas_dataset_read_part(&d, first, count, part, &err));
  ck_assert(part[5] == -6);
  cas_dataset_close(&d);
}

/* Every way to another file: the link itself, a group that is one, and soft links that lead through
   one. What lies in the file itself may be reached by links. */
TEST(links_to_other_files_are_refused) {
  const hsize_t three = 3;
  hid_t other = H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), file = new_file();
  put(other, "/group/x", H5T_NATIVE_DOUBLE, 1, &three, (double[]){1, 2, 3});
  put(file, "/inner/y", H5T_NATIVE_DOUBLE, 1, &three, (double[]){4, 5, 6});
  H5Lcreate_external("other.h5", "/group/x", file, "number", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/group", file, "group", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/group/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("soft", file, "softer", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/inner/y", file, "own", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  H5Fclose(other);
  static const char *const out[] = {"number", "group/x", "soft", "softer"};
  for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
    assert_refused("data.h5", out[i], "of another file, 'other.h5'");
    assert_refused("data.h5", out[i], out[i]);
  }
  array a = read_array("own");
  ck_assert(a.value[2] == 6);
  cas_contents c;
  MUST(cas_contents_read("data.h5", &c, &err));
  ck_assert_int_eq(c.n, 2); /* inner/y and own */
  cas_contents_free(&c);
}

TEST(damaged_files_of_others_do_not_crash) {
  size_t n;
  array a;
  int refused = 0, tried = 0, stride = 1500 / repetitions(100);
  const hsize_t chunk[2] = {1, 2};
  const double data[] = {1, 2, 3, 4, 5, 6};
  hid_t file = new_file(), chunked = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(chunked, 2, chunk);
  H5Pset_deflate(chunked, 1);
  put_as(file, "group", H5T_NATIVE_DOUBLE, 2, shape, data, chunked);
  put(file, "x", H5T_NATIVE_DOUBLE, 2, shape, data);
  H5Pclose(chunked);
  H5Fclose(file);
  char *bytes = read_bytes("data.h5", &n);
  for (size_t i = 8; i < n; i += (size_t)stride)
    for (int bit = 0; bit < 8; bit += 3) {
      bytes[i] ^= (char)(1 << bit);
      write_bytes("bad.h5", bytes, n);
      bytes[i] ^= (char)(1 << bit);
      for (int k = 0; k < 2; k++, tried++)
        if (read_records("bad.h5", k ? "x" : "group", 0, -1, &a, NULL))
          refused++;
        else
          free(a.value);
    }
  ck_assert_msg(refused > 0 && refused < tried, "%d of %d are refused", refused, tried);
}

RUN_TESTS
