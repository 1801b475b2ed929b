/* Curves that are read from a file: they are concluded as those of the run were, whatever law they
   have or lack, and no file has its headline from a law that is given the order. */
/* ranks: 1 */
#include "study_fixture.h"

#include <casimir/statistics.h>
#include <hdf5.h>

#define STUDY(kind, levels, paths)                                           \
  "{kind: " kind ", coarsest_step: 2^-4, coarsest_steps: 4, levels: " levels \
  ", reference: 8, paths: " paths ", functionals: [x1, energy]}"

static const char *const studies[] = {
    STUDY("convergence", "1", "64"),  STUDY("convergence", "2", "64"),
    STUDY("convergence", "3", "64"),  STUDY("convergence", "4", "64"),
    STUDY("convergence", "7", "200"), STUDY("weak", "5", "1")};

static void run_study(int i, const char *sigma, cas_results *r) {
  run_well(
      r,
      "{system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: %s}}, "
      "random: {generator: threefry}, study: %s}",
      sigma, studies[i]);
}

TEST_OVER(curves_are_concluded_as_they_were, sizeof studies / sizeof *studies) {
  static const char *const sigma[] = {"0", "0.3", "1"};
  for (int k = 0; k < 3; k++) {
    cas_results r, back;
    cas_error err = {0};
    run_study(_i, sigma[k], &r);
    ck_assert_msg(!cas_results_read("results.h5", &back, &err), "%s", err.text);
    for (int c = 0; c < cas_results_curves(&r); c++) {
      cas_curve *first = (cas_curve *)(uintptr_t)cas_results_curve(&r, c),
                *read = (cas_curve *)(uintptr_t)cas_results_curve(&back, c);
      const double rounding = 1e-14, paths = (double)r.provenance.paths;
      cas_curves_conclude(first, 1, &rounding, paths);
      cas_curves_conclude(read, 1, &rounding, paths);
      ck_assert_str_eq(first->verdict, read->verdict);
      ck_assert(first->findings == read->findings);
    }
    cas_results_free(&r);
    cas_results_free(&back);
  }
}

TEST(headlines_are_laws_of_a_free_order) {
  cas_results r;
  cas_error err = {0};
  run_study(4, "0.3", &r);
  cas_results_free(&r);
  hid_t file = H5Fopen("results.h5", H5F_ACC_RDWR, H5P_DEFAULT),
        law = H5Dopen2(file, "orders/law", H5P_DEFAULT), type = H5Dget_type(law),
        space = H5Dget_space(law);
  const char *name[16];
  ck_assert_int_le(H5Sget_simple_extent_npoints(space), 16);
  for (int i = 0; i < 16; i++)
    name[i] = "three_term_theory";
  ck_assert(H5Dwrite(law, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, name) >= 0);
  H5Dclose(law), H5Sclose(space), H5Tclose(type), H5Fclose(file);
  cas_unsealed_accept(true);
  cas_status st = cas_results_read("results.h5", &r, &err);
  ck_assert_msg(st && strstr(err.text, "'three_term_theory'"), "%d: %s", st, err.text);
  cas_results_free(&r);
}

RUN_TESTS_WITH_MPI
