/* Results files, with statistics of ensembles among them: written and read bit for bit, readable by
   other programs, and what becomes of damaged files. */
#include "files/results/rows.h"
#include "results_fixture.h"
#include <fcntl.h>

enum { RECORDS = 3, QUANTILES = 2, BINS = 5, PATH_GROUPS = 4 };

static const double latitude[2] = {-45, 45}, longitude[3] = {0, 120, 240};
static const cas_file_axis direction = {.name = "direction",
                                        .long_name = "direction in space",
                                        .unit = "1",
                                        .length = 3,
                                        .labels = "x y z"},
                           map[2] = {{.name = "latitude",
                                      .long_name = "latitude",
                                      .unit = "degrees_north",
                                      .length = 2,
                                      .coordinates = latitude},
                                     {.name = "longitude",
                                      .long_name = "longitude",
                                      .unit = "degrees_east",
                                      .length = 3,
                                      .coordinates = longitude}};

static cas_results *make_ensemble(void) {
  cas_results *r = make_results(0);
  cas_ensemble *e;
  MUST(cas_ensemble_create(r, RECORDS, QUANTILES, BINS, 3, &e, &err));
  e->path_groups = PATH_GROUPS;
  for (int i = 0; i < 3; i++)
    e->observable[i].probability = true;
  MUST(cas_ensemble_observe(e, 0, "hamiltonian", "hamiltonian", "1", 0, NULL, &err));
  MUST(cas_ensemble_observe(e, 1, "moment", "moment of x", "m^2/s", 1, &direction, &err));
  MUST(cas_ensemble_observe(e, 2, "vorticity", "vorticity", "1/s", 2, map, &err));
  fill_columns(r->table[0], true);
  for (int i = 0; i < 3; i++)
    e->observable[i].variance.value[0] = NAN;
  fill_reals(e->time, RECORDS, 1);
  fill_reals(e->probability, QUANTILES, 0.5);
  e->counted = 9999999998;
  e->exact = 1;
  return r;
}

static cas_results *make_without_quantiles(void) {
  cas_results *r = make_results(0);
  cas_ensemble *e;
  MUST(cas_ensemble_create(r, 1, 0, 1, 1, &e, &err));
  MUST(cas_ensemble_observe(e, 0, "x", "x", "1", 0, NULL, &err));
  fill_columns(r->table[0], true);
  return r;
}

static cas_results *make_long_configuration(void) {
  enum { LENGTH = 1 << 20 };
  cas_results *r = make_results(3);
  char *text = realloc(r->provenance.configuration, LENGTH);
  memset(text, 'x', LENGTH - 1);
  text[LENGTH - 1] = '\0';
  r->provenance.configuration = text;
  return r;
}

static const int levels[] = {0, 1, 2, 7, 40};
static cas_results *(*const others[])(void) = {make_ensemble, make_without_quantiles,
                                               make_long_configuration};
enum { LEVELS = sizeof levels / sizeof *levels, OTHERS = sizeof others / sizeof *others };

TEST_OVER(bits_survive, LEVELS + OTHERS) {
  const cas_results *r = _i < LEVELS ? make_results(levels[_i]) : others[_i - LEVELS]();
  write_results(r, "results.h5");
  ck_assert(!exists("results.h5.tmp"));
  cas_results *back = read_back("results.h5");
  assert_same_results(r, back);
  ck_assert(cas_tables_equal(r, back));
  cas_results_free(back);
  ck_assert_int_eq(cas_results_curves(back), 0);
}

/* Results with another last byte of an array are no longer equal. */
static void change_last(const cas_results *r, cas_results *s, const char *name, void *array,
                        size_t bytes) {
  char *last = (char *)array + bytes - 1;
  *last ^= 1;
  ck_assert_msg(!cas_results_equal(r, s), "%s", name);
  *last ^= 1;
}

static void change_columns(const cas_results *r, cas_results *s, cas_table t) {
  for (const cas_field *f = t.kind->columns; f && f->name; f++)
    change_last(r, s, f->name, cas_field_array(f, t.object),
                cas_table_count(&t, f) * cas_field_size(f->type));
  for (int i = 0; i < cas_table_parts(&t); i++)
    change_columns(r, s, cas_table_part(&t, i));
}

/* The values of a struct, but for its texts. */
static void change_values(const cas_results *r, cas_results *s, const cas_field *f, void *object) {
  for (; f->name; f++)
    if (f->type != CAS_FIELD_TEXT)
      change_last(r, s, f->name, (char *)object + f->offset, cas_field_size(f->type));
}

/* Every single number counts in the comparison that guards written files, and these tests. */
TEST_OVER(any_difference_is_seen, 2) {
  cas_results *r = _i ? make_ensemble() : make_results(5),
              *s = _i ? make_ensemble() : make_results(5);
  cas_ensemble *e = cas_results_ensemble(s);
  const size_t sizes = (size_t)s->levels + 1;
  for (int i = 0; i < s->tables; i++)
    change_columns(r, s, s->table[i]);
  for (const cas_field *f = cas_health_columns; f->name; f++)
    change_last(r, s, f->name, cas_field_array(f, &s->health), sizes * sizeof(int64_t));
  change_values(r, s, cas_health_numbers, &s->health);
  change_values(r, s, cas_provenance_fields, &s->provenance);
  change_last(r, s, "configuration", s->provenance.configuration, 3);
  change_last(r, s, "step", s->step, sizes * sizeof *s->step);
  change_last(r, s, "steps", s->steps, sizes * sizeof *s->steps);
  if (e) {
    change_last(r, s, "time", e->time, RECORDS * sizeof *e->time);
    change_last(r, s, "counted", &e->counted, sizeof e->counted);
  }
  ck_assert(cas_results_equal(r, s));
  ck_assert(cas_tables_equal(r, s) && !cas_tables_equal(r, &(cas_results){0}));
}

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
                                        {"health/nan", "health/step_with_reference"}},
                           *const absent[] = {"",          "weak",          "strong",
                                              "weak/sin2", "weak/sin2pi/x", "mlmc"};
  cas_results *r = make_results(5);
  ck_assert_ptr_eq(cas_results_find(r, "strong/error_sup"), cas_results_curve(r, 1));
  ck_assert_ptr_eq(cas_results_find(r, "weak/sin2pi"), cas_results_curve(r, 2));
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
    ck_assert_msg(!cas_results_find(r, absent[i]), "%s", absent[i]);
  write_results(r, "results.h5");
  for (size_t i = 0; i < sizeof path / sizeof *path; i++)
    ck_assert_msg(is_attached("results.h5", path[i][0], path[i][1], 0), "%s", path[i][0]);
  /* levels, scales of strong and weak errors, health, result, fits, orders */
  assert_all_described("results.h5", r, 2 + (4 + 2 * 5) + 18 + 10 + 18 + 23);
}

TEST(equal_results_give_equal_bytes) {
  const cas_results *r = make_results(5);
  size_t n, m;
  write_results(r, "a.h5");
  sleep(1); /* object times have a resolution of a second */
  write_results(r, "b.h5");
  const char *a = read_bytes("a.h5", &n), *b = read_bytes("b.h5", &m);
  ck_assert(n == m && !memcmp(a, b, n));
}

TEST(printed_tables_have_places) {
  cas_results *r = make_ensemble();
  write_results(r, "results.h5");
  /* health, result, scales, second names of these for each observable and its own axes */
  assert_all_described("results.h5", r, 18 + 8 + 7 + 3 * 4 + 3);
  r = read_back("results.h5");
  r->health.left_out_paths = 1;
  PRINTED(text, cas_results_print(f, r));
  ck_assert_msg(strstr(text, "moment (m^2/s)\n  at time") && strstr(text, "\n  y  ") &&
                    strstr(text, "latitude  longitude") && strstr(text, "\n  45        240") &&
                    !strstr(text, "nan") &&
                    strstr(text, "; 1 taken as they are, 1 left out of every statistic"),
                "%s", text);
}

/* A key of a file, its row in LaTeX, and the numbers there: the last mean, its error, low, high. */
#define MEAN " & ensemble/hamiltonian & mean at time=0.2 & $"
static const struct {
  const char *key, *row;
  double number[4];
} papers[] = {{"2^-7", "\n$2^{-7}$" MEAN "0.5010 \\pm \\text{--}$ \\\\\n", {0.501, NAN, NAN, NAN}},
              {"2^x_1 <~a|>\\",
               "\n2\\^{}x\\_1 \\textless{}\\~{}a\\textbar{}\\textgreater{}\\textbackslash{}" MEAN
               "(-3.20 \\pm 0.20) \\cdot 10^{-7}$",
               {-3.204e-7, 2e-8, NAN, NAN}},
              {"[]",
               "\n{}[]" MEAN "(1.235\\ [-\\infty, \\infty]) \\cdot 10^{5}$",
               {123456.7, NAN, -INFINITY, INFINITY}},
              {"x", MEAN "0.00\\ [-0.20, 0.20]$", {-0.001, NAN, -0.2, 0.2}}};

TEST_OVER(rows_are_for_papers_and_programs, sizeof papers / sizeof *papers) {
  static const char *const file[] = {"other.h5", "a\"\\\n.h5"};
  cas_results *r = make_ensemble();
  const cas_means m = cas_results_ensemble(r)->observable[0].mean;
  double *const last[] = {m.value, m.standard_error, m.low, m.high};
  strcpy(r->provenance.configuration, "key: y");
  write_results(r, file[0]);
  snprintf(r->provenance.configuration, 20, "key: %s", papers[_i].key);
  for (int k = 0; k < 4; k++)
    last[k][RECORDS - 1] = papers[_i].number[k];
  write_results(r, file[1]);
  PRINTED(text, MUST(cas_rows_print(f, CAS_ROWS_LATEX, file, 2, &err));
          MUST(cas_rows_print(f, CAS_ROWS_JSON, &file[1], 1, &err)));
  ck_assert_msg(strstr(text, papers[_i].row) && strstr(text, ": \"a\\\"\\\\\\u000a.h5\""), "%.900s",
                text);
}

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

/* Other lengths and changed bytes; where no seal is asked for, 32 lengths cut that alone. */
TEST_OVER(damaged_files_are_refused, 3) {
  const bool is_cut = _i < 2, unsealed = _i == 1;
  const cas_results *r = make_results(is_cut ? 5 : 2);
  const int few = repetitions(100), stride = (is_cut ? 610000 : 30000) / (few * few);
  const size_t edge = (size_t)all_or(100, 40);
  int accepted = 0;
  size_t n;
  write_results(r, "results.h5");
  const char *bytes = read_bytes("results.h5", &n);
  int fd = open("results.h5", O_RDWR);
  cas_unsealed_accept(unsealed);
  for (size_t i = n; i-- > 0;) {
    const char changed = (char)(bytes[i] ^ (1 << i % 8));
    if (i >= edge && i < n - edge && i % (size_t)stride)
      continue;
    ck_assert(is_cut ? !ftruncate(fd, (off_t)i) : pwrite(fd, &changed, 1, (off_t)i) == 1);
    accepted += reads_error_or_equal(r, "results.h5");
    ck_assert(is_cut || pwrite(fd, &bytes[i], 1, (off_t)i) == 1);
  }
  close(fd);
  ck_assert_int_eq(accepted, unsealed ? 32 : 0);
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

/* HDF5 drops the seal of what it changes. Each test has a process of its own. */
static hid_t file_to_change(cas_results *r) {
  cas_unsealed_accept(true);
  write_results(r, "results.h5");
  return H5Fopen("results.h5", H5F_ACC_RDWR, H5P_DEFAULT);
}

/* An attribute 3, or a dataset without values. */
static void make_attribute(hid_t file, const char *name) {
  const int value = 3;
  hid_t space = H5Screate(H5S_SCALAR),
        a = H5Acreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(H5Awrite(a, H5T_NATIVE_INT, &value) >= 0 && H5Aclose(a) >= 0 && H5Sclose(space) >= 0);
}

typedef enum { NOTHING, ONE, LONGER_NAME, GROUP, INTEGERS, REALS, TEXT } replacement;

/* What of a study of 5 levels, or 65 for a group of another study, or an ensemble is damaged, what
   takes its place, the message. */
static const struct {
  const char *name;
  replacement by;
  int rank;
  hsize_t n;
  const char *words;
} damages[] = {
    {"@complete", NOTHING, 0, 0, "is not complete: the run that wrote it did not finish"},
    {"@complete", ONE, 0, 0, "is not complete"},
    {"@commit", ONE, 0, 0, "'commit' does not hold a single text"},
    {"@seed", NOTHING, 0, 0, "'seed' is missing"},
    {"health/nan", INTEGERS, 1, 5, "'nan' has 5 values instead of 6"},
    {"health/nan", INTEGERS, 2, 6, "2 dimensions instead of 1"},
    {"health/nan", TEXT, 1, 6, "does not hold integers"},
    {"strong/error", INTEGERS, 1, 6, "'error' has 6 values instead of 5"},
    {"strong/local_order_sup", INTEGERS, 1, 1, "has 1 values instead of 4"},
    {"levels/step", INTEGERS, 1, 20000, "no study has more"},
    {"levels/step", INTEGERS, 1, 0, "no levels"},
    {"weak/sin2pi", INTEGERS, 1, 5, "cannot open the group 'sin2pi'"},
    {"weak/energy/order_raw", NOTHING, 0, 0,
     "has no 'order_raw', which an earlier casimir stored in another"},
    {"orders", NOTHING, 0, 0, "has orders that an earlier casimir fitted and stored in another"},
    {"weak/sin2pi", LONGER_NAME, 0, 0, "has a name too long for any table"},
    {"weak_multilevel", GROUP, 0, 0, "levels; no study has more than 64"},
    {"mlmc", GROUP, 0, 0, "levels; no study has more than 64"},
    {"ensemble/time", NOTHING, 0, 0, "'time'"},
    {"ensemble/moment/mean", NOTHING, 0, 0, "'mean'"},
    {"ensemble/moment/maximum", REALS, 2, RECORDS, "'maximum' has another shape"},
    {"ensemble/vorticity/histogram", NOTHING, 0, 0, "'histogram'"},
    {"ensemble/longitude", NOTHING, 0, 0, "'longitude'"},
    {"ensemble/probability", NOTHING, 0, 0, "'probability'"},
};

TEST_OVER(damage_is_seen, sizeof damages / sizeof *damages) {
  const char *name = damages[_i].name;
  const replacement by = damages[_i].by;
  const bool of_ensemble = strncmp(name, "ensemble", 8) == 0;
  const hid_t type[] = {
      [INTEGERS] = H5T_NATIVE_INT, [REALS] = H5T_NATIVE_DOUBLE, [TEXT] = H5T_C_S1};
  hid_t file = file_to_change(of_ensemble ? make_ensemble() : make_results(by == GROUP ? 65 : 5));
  char longer[80] = "weak/";
  memset(longer + 5, 'x', 70);
  if (by == GROUP)
    ck_assert(H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) >= 0);
  else if (by == LONGER_NAME)
    ck_assert(H5Lmove(file, name, file, longer, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  else
    ck_assert((*name == '@' ? H5Adelete(file, name + 1) : H5Ldelete(file, name, H5P_DEFAULT)) >= 0);
  if (by == ONE)
    make_attribute(file, name + 1);
  if (by >= INTEGERS) {
    const hsize_t dims[5] = {damages[_i].n, 1, 1, 1, 1};
    hid_t space = H5Screate_simple(damages[_i].rank, dims, NULL),
          d = H5Dcreate2(file, name, type[by], space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(H5Dclose(d) >= 0 && H5Sclose(space) >= 0);
  }
  H5Fclose(file);
  assert_unreadable("results.h5", damages[_i].words);
}

TEST(other_programs_may_add_to_a_file) {
  cas_error err = {0};
  hid_t file = file_to_change(make_results(5));
  make_attribute(file, "note");
  H5Fclose(file);
  cas_unsealed_accept(false);
  assert_unreadable("results.h5", "was written by casimir, and its seal is missing");
  ck_assert_int_eq(cas_results_replaceable("results.h5", false, &err), CAS_BAD_INPUT);
  assert_says(err, "Only results of casimir are replaced: remove it");
  cas_unsealed_accept(true);
  read_back("results.h5");
}

/* No file has its headline from a law that is given the order. */
TEST(headlines_are_laws_of_a_free_order) {
  hid_t file = file_to_change(make_results(5)), law = H5Dopen2(file, "orders/law", H5P_DEFAULT),
        type = H5Dget_type(law), space = H5Dget_space(law);
  const char *name[16];
  ck_assert_int_le(H5Sget_simple_extent_npoints(space), 16);
  for (int i = 0; i < 16; i++)
    name[i] = "three_term_theory";
  ck_assert(H5Dwrite(law, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0);
  H5Dclose(law), H5Sclose(space), H5Tclose(type), H5Fclose(file);
  assert_unreadable("results.h5", "'three_term_theory'");
}

TEST(inconsistent_results_are_not_written) {
  cas_results *r = make_results(5);
  cas_error err = {0};
  r->health.levels = 5;
  ck_assert_int_ne(cas_results_write(r, "inconsistent.h5", &err), CAS_OK);
  assert_says(err, "must be 6");
  r->health.levels = 6;
  strcpy(cas_results_curve(r, 1)->name, "sup");
  ck_assert_int_ne(cas_results_write(r, "inconsistent.h5", NULL), CAS_OK);
  ck_assert(!exists("inconsistent.h5") && !exists("inconsistent.h5.tmp"));
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
