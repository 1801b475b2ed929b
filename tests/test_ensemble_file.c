/* Statistics of ensembles in files: bit for bit, readable by others, refused when damaged. */
#include "files/results/results_file.h"
#include "results_fixture.h"
#include "suite.h"

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

static cas_results make_ensemble(void) {
  cas_results r = make_results(0);
  cas_error err = {0};
  cas_ensemble *e;
  assert_ok(cas_ensemble_create(&r, RECORDS, QUANTILES, BINS, 3, &e, &err), err);
  e->path_groups = PATH_GROUPS;
  for (int i = 0; i < 3; i++)
    e->observable[i].probability = true;
  assert_ok(cas_ensemble_observe(e, 0, "hamiltonian", "hamiltonian", "1", 0, NULL, &err), err);
  assert_ok(cas_ensemble_observe(e, 1, "moment", "moment of x", "m^2/s", 1, &direction, &err), err);
  assert_ok(cas_ensemble_observe(e, 2, "vorticity", "vorticity", "1/s", 2, map, &err), err);
  for (int i = 0; i < 3; i++) {
    const cas_table part = cas_table_part(&r.table[0], i);
    fill_columns(&part, true);
    e->observable[i].variance[0] = NAN;
  }
  fill_reals(e->time, RECORDS, 1);
  fill_reals(e->probability, QUANTILES, 0.5);
  e->counted = 9999999998;
  e->exact = 1;
  return r;
}

TEST(bits_survive) {
  cas_results r = make_ensemble(), back;
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  assert_ok(cas_results_read("results.h5", &back, &err), err);
  assert_same_results(&r, &back);
  ck_assert(cas_tables_equal(&r, &back));
  ck_assert_str_eq(cas_results_ensemble(&back)->observable[1].axis[0].labels, "x y z");
  ck_assert(cas_results_ensemble(&back)->observable[2].axis[1].coordinates[2] == 240);
  cas_results_free(&back);
  cas_results_free(&r);
}

/* Every single value counts in the comparison that guards written files. */
TEST(any_difference_is_seen) {
  cas_results r = make_ensemble(), s = make_ensemble();
  ck_assert(cas_tables_equal(&r, &s));
  for (int i = 0; i < 3; i++) {
    const cas_table t = cas_table_part(&s.table[0], i);
    for (const cas_field *f = t.kind->columns; f->name; f++) {
      char *last = cas_field_array(f, t.object);
      last += cas_table_count(&t, f) * cas_field_size(f->type) - 1;
      *last ^= 1;
      ck_assert_msg(!cas_tables_equal(&r, &s), "%s", f->name);
      *last ^= 1;
    }
  }
  cas_results_ensemble(&s)->time[RECORDS - 1]++;
  ck_assert(!cas_tables_equal(&r, &s));
  cas_results_ensemble(&s)->time[RECORDS - 1] = cas_results_ensemble(&r)->time[RECORDS - 1];
  cas_results_ensemble(&s)->counted--;
  ck_assert(!cas_tables_equal(&r, &s));
  ck_assert(!cas_tables_equal(&r, &(cas_results){0}));
  cas_results_free(&r);
  cas_results_free(&s);
}

TEST(without_quantiles) {
  cas_results r = make_results(0), back;
  cas_ensemble *e;
  cas_error err = {0};
  assert_ok(cas_ensemble_create(&r, 1, 0, 1, 1, &e, &err), err);
  assert_ok(cas_ensemble_observe(e, 0, "x", "x", "1", 0, NULL, &err), err);
  const cas_table part = cas_table_part(&r.table[0], 0);
  fill_columns(&part, true);
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  assert_ok(cas_results_read("results.h5", &back, &err), err);
  ck_assert(cas_tables_equal(&r, &back));
  cas_results_free(&back);
  cas_results_free(&r);
}

TEST(others_read_it) {
  cas_results r = make_ensemble();
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "results.h5", &err), err);
  cas_results_free(&r);
  assert_all_described("results.h5", 18 + 3 * (19 + 4) + 6 + 3 + 9); /* scales have second names */
  run_h5py("import h5py, numpy as np\n"
           "f = h5py.File('results.h5', 'r'); e = f['ensemble']\n"
           "def scales(d): return [list(a.keys()) for a in d.dims]\n"
           "assert e.attrs['paths_counted'] == 9999999998 and e.attrs['bins'] == 5\n"
           "assert e.attrs['quantiles_exact'] == 1 and e.attrs['members'] == 0\n"
           "assert e['time'].shape == (3,) and e['probability'].shape == (2,)\n"
           "assert scales(e['hamiltonian/mean']) == [['time']]\n"
           "assert scales(e['hamiltonian/quantile']) == [['time'], ['probability']]\n"
           "assert e['hamiltonian/histogram'].shape == (3, 5)\n"
           "assert scales(e['hamiltonian/histogram']) == [['time'], ['bin']]\n"
           "assert scales(e['moment/variance']) == [['time'], ['direction']]\n"
           "assert list(e['direction'].asstr()) == ['x', 'y', 'z']\n"
           "m = e['moment']\n"
           "assert m['mean'].attrs['units'] == 'm^2/s'\n"
           "assert m['variance'].attrs['units'] == '(m^2/s)^2'\n"
           "assert e['hamiltonian/variance'].attrs['units'] == '1'\n"
           "assert m['variance_standard_error'].attrs['units'] == '(m^2/s)^2'\n"
           "assert scales(m['quantile_high']) == [['time'], ['direction'], ['probability']]\n"
           "assert m['histogram'].attrs['units'] == '1'\n"
           "assert m['mean'].attrs['long_name'] == 'mean of moment'\n"
           "assert m['variance'].attrs['long_name'] == 'variance of moment (divisor paths - 1)'\n"
           "assert m['quantile_low'].attrs['long_name'] == "
           "'lower ends of the 95% intervals of the quantiles of moment'\n"
           "assert m.attrs['long_name'] == 'moment of x'\n"
           "q = e['vorticity/quantile']\n"
           "assert q.shape == (3, 2, 3, 2)\n"
           "assert scales(q) == [['time'], ['latitude'], ['longitude'], ['probability']]\n"
           "assert e['latitude'].attrs['units'] == 'degrees_north'\n"
           "assert (e['longitude'][:] == [0, 120, 240]).all()\n"
           "assert e['vorticity/histogram'].dtype == np.int64\n");
}

/* HDF5 drops the seal of what it changes. */
static void assert_damage_is_seen(const char *remove, const char *words) {
  cas_results r = make_ensemble(), back;
  cas_error err = {0};
  assert_ok(cas_results_write(&r, "damaged.h5", &err), err);
  cas_results_free(&r);
  hid_t file = H5Fopen("damaged.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  ck_assert(H5Ldelete(file, remove, H5P_DEFAULT) >= 0 && H5Fclose(file) >= 0);
  cas_unsealed_accept(true);
  ck_assert_int_eq(cas_results_read("damaged.h5", &back, &err), CAS_FILE_ERROR);
  cas_unsealed_accept(false);
  assert_says(err, words);
}

TEST(damage_is_seen) {
  assert_damage_is_seen("ensemble/time", "'time'");
  assert_damage_is_seen("ensemble/moment/mean", "'mean'");
  assert_damage_is_seen("ensemble/vorticity/histogram", "'histogram'");
  assert_damage_is_seen("ensemble/longitude", "'longitude'");
  assert_damage_is_seen("ensemble/probability", "'probability'");
}

/* A file that another program changed: every shape is checked before anything is read. */
TEST(other_shapes_are_refused) {
  cas_results r = make_ensemble(), back;
  cas_error err = {0};
  const hsize_t dims[2] = {RECORDS, 2};
  assert_ok(cas_results_write(&r, "damaged.h5", &err), err);
  cas_results_free(&r);
  hid_t file = H5Fopen("damaged.h5", H5F_ACC_RDWR, H5P_DEFAULT);
  ck_assert(H5Ldelete(file, "ensemble/moment/maximum", H5P_DEFAULT) >= 0);
  hid_t space = H5Screate_simple(2, dims, NULL),
        dataset = H5Dcreate2(file, "ensemble/moment/maximum", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                             H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(H5Dclose(dataset) >= 0 && H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
  cas_unsealed_accept(true);
  ck_assert_int_eq(cas_results_read("damaged.h5", &back, &err), CAS_FILE_ERROR);
  cas_unsealed_accept(false);
  assert_says(err, "'maximum' has another shape");
}

TEST(tables_have_places) {
  cas_results r = make_ensemble();
  PRINTED(text, cas_results_print(f, &r));
  ck_assert_msg(strstr(text, "moment (m^2/s)\n  at time"), "%s", text);
  ck_assert_ptr_nonnull(strstr(text, "\n  y  "));
  ck_assert_ptr_nonnull(strstr(text, "latitude  longitude"));
  ck_assert_ptr_nonnull(strstr(text, "\n  45        240"));
  ck_assert_ptr_null(strstr(text, "nan"));
  cas_results_free(&r);
}

RUN_TESTS
