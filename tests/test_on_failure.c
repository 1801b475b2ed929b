/* What becomes of paths that fail: left out, counted as they are, or the end of the run; and what
   is said about it. */
/* ranks: 1 3 */
/* needs: sprng */
/* lane: slow */
#include "engine/study/study.h"
#include "files/results/table.h"
#include "math/kernels/kernels.h"
#include "paths/problem/problem.h"
#include "study_fixture.h"

#include <math.h>
#include <unistd.h>

/* Some steps need more iterations than these, all converge with the default, and iterates of this
   scheme that have not converged are near the solution. */
#define SCHEME "name: implicit_midpoint"
#define ENOUGH "integrator: {" SCHEME "}\n"
#define FEW "integrator: {" SCHEME ", max_iterations: 19, casimir_tolerance: 1}\n"

static const cas_run_request anew = {.output = "results.h5"},
                             resumed = {.output = "results.h5", .resume = true};

static void clear(void) {
  cas_meet(MPI_COMM_WORLD);
  if (is_root()) {
    unlink("results.h5");
    unlink("results.h5.tmp");
    unlink("results.h5.checkpoint");
    unlink("results.h5.checkpoint.previous");
  }
  cas_meet(MPI_COMM_WORLD);
}

static bool is_there(const char *file) {
  cas_meet(MPI_COMM_WORLD);
  return access(file, F_OK) == 0;
}

static bool says(const cas_error *err, const char *words) { return strstr(err->text, words); }

/* ---- every study with statistics ---- */

static const char *const studies[] = {
    "kind: strong, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, paths: 3000",
    "kind: weak, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, paths: 3000, "
    "functionals: [x1, sin2pi]",
    "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 4, levels: 3, paths: 20000, "
    "functionals: [x1]",
    /* of so large an epsilon that the pilot is all */
    "kind: mlmc, epsilon: 10, coarsest_step: 2^-4, coarsest_steps: 8, pilot_paths: 20000, "
    "functionals: [x1, sin2pi]",
    "kind: ensemble, step: 2^-4, steps: 8, every: 4, paths: 1000, observables: [x1, hamiltonian]",
};
enum { STUDIES = sizeof studies / sizeof *studies };

static cas_status run_study(const cas_run_request *q, const char *study, const char *integrator,
                            const char *policy, cas_results *r, cas_error *err) {
  return run_request(MPI_COMM_WORLD, q, r, err, STUDY_BODY "%sstudy: {%s, on_failure: %s}\n",
                     integrator, study, policy);
}

/* all that a study has estimated, one after another */
static int numbers_of(const cas_results *r, double *out) {
  int n = 0;
  for (int i = 0; i < cas_results_curves(r); i++)
    for (int j = 0; j < cas_results_curve(r, i)->levels; j++) {
      out[n++] = cas_results_curve(r, i)->error[j];
      out[n++] = cas_results_curve(r, i)->standard_error[j];
    }
  for (int i = 0; cas_results_mlmc(r) && i < cas_results_mlmc(r)->functionals; i++)
    for (int l = 0; l < cas_results_mlmc(r)->levels; l++) {
      out[n++] = cas_results_mlmc(r)->functional[i].mean[l];
      out[n++] = cas_results_mlmc(r)->functional[i].level_mean[l];
    }
  for (int i = 0; cas_results_ensemble(r) && i < cas_results_ensemble(r)->observables; i++)
    for (int t = 0; t < cas_results_ensemble(r)->records; t++) {
      out[n++] = cas_results_ensemble(r)->observable[i].mean[t];
      out[n++] = cas_results_ensemble(r)->observable[i].variance[t];
      out[n++] = cas_results_ensemble(r)->observable[i].quantile[t];
    }
  return n;
}

static void assert_same_numbers(const cas_results *a, const cas_results *b) {
  double x[200], y[200];
  int n = numbers_of(a, x);
  ck_assert(n > 0 && n == numbers_of(b, y));
  ck_assert(memcmp(x, y, (size_t)n * sizeof *x) == 0);
  ck_assert_int_eq(a->health.failed_paths, b->health.failed_paths);
  ck_assert_int_eq(a->health.left_out_paths, b->health.left_out_paths);
}

/* Of every study: where paths are left out, its text, its file, its verdicts and its message say
   first that it is not valid; where they count as was asked for, none does. */
static void check_validity(const cas_results *r, const cas_error *err, const char *name) {
  char not_valid[200], start[100], *text = NULL;
  cas_results file;
  cas_error unread;
  size_t size;
  const bool valid = r->health.left_out_paths == 0;
  snprintf(start, sizeof start, "not valid: %lld of %lld paths failed",
           (long long)r->health.left_out_paths, (long long)r->provenance.paths);
  ck_assert_msg(!cas_results_read("results.h5", &file, &unread), "%s", unread.text);
  ck_assert(cas_health_not_valid(&file.health, file.provenance.paths, not_valid,
                                 sizeof not_valid) != valid);
  ck_assert_msg(valid || strncmp(not_valid, start, strlen(start)) == 0, "%s", not_valid);
  for (int brief = 0; brief < 2; brief++) {
    FILE *f = open_memstream(&text, &size);
    if (brief)
      cas_results_print_brief(f, &file, NULL, NULL);
    else
      cas_results_print(f, &file);
    fclose(f);
    const char *printed = strstr(text, start + 1);
    ck_assert_msg(valid ? !strstr(text, "ot valid: ") : printed && printed[-1] == 'N', "%s: %s",
                  name, text);
    free(text);
  }
  for (int i = 0; i < file.tables; i++) {
    const cas_findings found = cas_table_findings(&file.table[i]);
    ck_assert_msg(found == 0 || (cas_verdict_code(found) == CAS_NOT_VALID) != valid, "%s", name);
    for (int k = 0; k < cas_table_parts(&file.table[i]); k++) {
      const cas_table part = cas_table_part(&file.table[i], k);
      const cas_findings of_part = cas_table_findings(&part);
      ck_assert_msg(!part.kind->findings || (cas_verdict_code(of_part) == CAS_NOT_VALID) != valid,
                    "%s", name);
      ck_assert(!cas_findings_have(of_part, CAS_TARGET_REACHED) || valid);
    }
  }
  ck_assert_msg((strncmp(err->text, "not valid: ", 11) == 0) != valid, "%s", err->text);
  cas_results_free(&file);
}

/* What would have come out had every path converged lies within the bound, which is a share of the
   range. */
static void assert_bounds(const cas_results *r, const cas_results *whole, bool kept) {
  double share = (double)r->health.failed_paths / (double)r->provenance.paths;
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *c = cas_results_curve(r, i);
    ck_assert(c->bias_bound > share && c->bias_bound < 10);
    ck_assert_msg(strstr(c->verdict, " paths failed ") && strstr(c->verdict, "in the worst case"),
                  "%s", c->verdict);
    ck_assert(strlen(c->verdict) < sizeof c->verdict - 1);
    ck_assert_int_eq(cas_verdict_code(c->findings), kept ? CAS_PATHS_FAILED : CAS_NOT_VALID);
    ck_assert(cas_results_curve(whole, i)->bias_bound == 0 &&
              !cas_findings_have(cas_results_curve(whole, i)->findings, CAS_PATHS_FAILED));
    for (int j = 0; j < c->levels; j++) {
      double d = fabs(c->error[j] - cas_results_curve(whole, i)->error[j]);
      ck_assert_msg(isfinite(d) && d <= c->bias_bound, "%s: %g, bound %g", c->name, d,
                    c->bias_bound);
    }
  }
  for (int i = 0; cas_results_mlmc(r) && i < cas_results_mlmc(r)->functionals; i++) {
    const cas_mlmc_functional *f = &cas_results_mlmc(r)->functional[i],
                              *g = &cas_results_mlmc(whole)->functional[i];
    ck_assert_msg(f->bias_bound > 2 * share && f->bias_bound < 10 && g->bias_bound == 0,
                  "%s: %g, share %g; %g", f->name, f->bias_bound, share, g->bias_bound);
    ck_assert_msg(strstr(f->verdict, "can have changed the estimate by up to"), "%s", f->verdict);
    ck_assert(cas_findings_have(f->findings, CAS_PATHS_FAILED));
    ck_assert(fabs(f->estimate - g->estimate) <= f->bias_bound);
  }
  for (int i = 0; cas_results_ensemble(r) && i < cas_results_ensemble(r)->observables; i++) {
    const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[i];
    double width = i ? 2 * 0.9999 - 0.5 : 2; /* |x| = 1 */
    ck_assert(o->bias_bound > share * width * 0.99 && o->bias_bound < share * width * 1.01);
    for (int t = 0; t < cas_results_ensemble(r)->records; t++)
      ck_assert(fabs(o->mean[t] - cas_results_ensemble(whole)->observable[i].mean[t]) <=
                o->bias_bound);
  }
}

/* Paths that the iterations suffice for are the same; of the others drop knows nothing, keep has
   nearly what they would have been. */
TEST_OVER(kept_paths_count_and_dropped_ones_do_not, STUDIES) {
  cas_results dropped, kept, whole;
  cas_error err;
  clear();
  ck_assert_int_eq(run_study(&anew, studies[_i], FEW, "drop", &dropped, &err), CAS_CHECK_FAILED);
  ck_assert_msg(says(&err, " paths failed and are left out of every statistic; the first is path "),
                "%s", err.text);
  check_validity(&dropped, &err, studies[_i]);
  ck_assert_int_eq(run_study(&anew, studies[_i], FEW, "keep", &kept, &err), CAS_CHECK_FAILED);
  ck_assert_msg(says(&err, " of them did not converge and count as they are, 0 are left out"), "%s",
                err.text);
  check_validity(&kept, &err, studies[_i]);
  ck_assert_msg(!run_study(&anew, studies[_i], ENOUGH, "keep", &whole, &err), "%s", err.text);
  double d[200], k[200], w[200];
  int n = numbers_of(&dropped, d), nearer = 0;
  ck_assert(numbers_of(&kept, k) == n && numbers_of(&whole, w) == n);
  ck_assert(dropped.health.failed_paths > 10 && whole.health.failed_paths == 0);
  ck_assert_int_eq(dropped.health.left_out_paths, dropped.health.failed_paths);
  ck_assert_int_eq(kept.health.failed_paths, dropped.health.failed_paths);
  ck_assert_int_eq(kept.health.left_out_paths, 0);
  for (int i = 0; i < n; i++) {
    ck_assert(isfinite(d[i]) && isfinite(k[i]));
    nearer += fabs(k[i] - w[i]) <= fabs(d[i] - w[i]);
  }
  ck_assert_msg(nearer > 3 * n / 4, "%d of %d", nearer, n);
  assert_bounds(&dropped, &whole, false);
  assert_bounds(&kept, &whole, true);
  cas_results_free(&dropped);
  cas_results_free(&kept);
  cas_results_free(&whole);
}

/* A NaN is never kept; where states that count have left their orbit nothing bounds them. */
TEST(a_nan_is_left_out) {
  static const char wild[] =
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.5}, "
      "initial: [0.36, 0.48, 0.8]}\nintegrator: {name: implicit_trapezoid, max_iterations: 10}\n"
      "study: {kind: weak, coarsest_step: 2^-1, coarsest_steps: 2, levels: 2, reference: 4, paths: "
      "200, functionals: [energy], on_failure: keep}\n";
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err, "%s", wild), CAS_CHECK_FAILED);
  int64_t left_out = r.health.left_out_paths;
  ck_assert(left_out >= r.health.nan[0] && left_out < r.health.failed_paths);
  ck_assert(r.health.nan[0] > 0 && isfinite(cas_results_curve(&r, 0)->error[0]));
  ck_assert(isnan(cas_results_curve(&r, 0)->bias_bound));
  ck_assert(strstr(cas_results_curve(&r, 0)->verdict, "to an unknown extent"));
  cas_results_free(&r);
  ck_assert(!cas_results_read("results.h5", &r, &err));
  ck_assert(r.health.left_out_paths == left_out && r.health.on_failure == CAS_ON_FAILURE_KEEP);
  ck_assert(isnan(cas_results_curve(&r, 0)->bias_bound));
  cas_results_free(&r);
}

TEST(without_paths_nothing_is_bounded) {
  cas_results r;
  cas_error err;
  clear();
  for (int i = 0; i < STUDIES - 1; i++) {
    cas_status st =
        run_study(&anew, studies[i], "integrator: {max_iterations: 1}\n", "drop", &r, &err);
    ck_assert_int_eq(st, CAS_CHECK_FAILED);
    for (int j = 0; j < cas_results_curves(&r); j++)
      ck_assert(
          isnan(cas_results_curve(&r, j)->bias_bound) &&
          isnan(cas_results_curve(&r, j)->error[0]) &&
          strstr(cas_results_curve(&r, j)->verdict, "are left out, so that nothing is estimated"));
    for (int j = 0; j < cas_results_curves(&r); j++)
      ck_assert_int_eq(cas_verdict_code(cas_results_curve(&r, j)->findings), CAS_ALL_PATHS_FAILED);
    for (int j = 0; cas_results_ensemble(&r) && j < cas_results_ensemble(&r)->observables; j++)
      ck_assert(isnan(cas_results_ensemble(&r)->observable[j].bias_bound));
    for (int j = 0; cas_results_mlmc(&r) && j < cas_results_mlmc(&r)->functionals; j++)
      ck_assert(isnan(cas_results_mlmc(&r)->functional[j].bias_bound));
    ck_assert(r.health.left_out_paths == r.provenance.paths);
    cas_results_free(&r);
  }
}

/* ---- stopping ---- */

/* The run stops at a path that fails; what was done before counts, under either policy. */
static void check_stop(const char *study, const char *policy) {
  cas_results r, whole;
  cas_error err;
  long long path = -1;
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, policy, &whole, &err), CAS_CHECK_FAILED);
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert_msg(sscanf(err.text, "path %lld failed at step size 2^-", &path) == 1, "%s", err.text);
  ck_assert(says(&err, "the fixed point did not converge") && says(&err, "--only-path"));
  ck_assert(says(&err, "is saved in results.h5.checkpoint") && says(&err, "on_failure=drop"));
  ck_assert(is_there("results.h5.checkpoint") && !is_there("results.h5"));
  if (on_one_rank(1))
    ck_assert_int_eq(path, whole.health.first_failed_path);
  ck_assert_int_eq(
      run_study(&(cas_run_request){.only_path = &(int64_t){path}}, study, FEW, "stop", &r, &err),
      CAS_CHECK_FAILED);
  ck_assert_int_eq(run_study(&resumed, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert_int_eq(run_study(&resumed, study, FEW, policy, &r, &err), CAS_CHECK_FAILED);
  assert_same_numbers(&whole, &r);
  ck_assert(!is_there("results.h5.checkpoint"));
  cas_results_free(&r);
  cas_results_free(&whole);
}

TEST_OVER(stopped_runs_go_on, 2 * STUDIES) {
  check_stop(studies[_i / 2], _i % 2 ? "keep" : "drop");
}

/* Paths so long that only a look into them can end the run. */
TEST_OVER(a_long_path_stops_soon, 4) {
  static const char *const long_studies[] = {
      "kind: trajectory, step: 2^-3, steps: 4000000000, every: 4000000000",
      "kind: ensemble, step: 2^-3, steps: 4000000000, every: 4000000000, paths: 3, observables: "
      "[moment_x]",
      "kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 4000000000, levels: 2, paths: "
      "3, functionals: [sin2pi]",
      "kind: mlmc, coarsest_step: 2^-3, coarsest_steps: 4000000000, epsilon: 1, functionals: "
      "[sin2pi]"};
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err,
                               "system: {name: point_vortices, gamma: [1, 1], initial: [[1, 0, 0], "
                               "[0.9999995, 0.001, 0]]}\nintegrator: {max_iterations: 10}\n"
                               "study: {%s, on_failure: stop}\n",
                               long_studies[_i]),
                   CAS_STOPPED);
  ck_assert_msg(says(&err, "path ") && says(&err, " failed at step size 2^-"), "%s", err.text);
  ck_assert(is_there("results.h5.checkpoint"));
}

/* States are numbers throughout, also their squares, and energies overflow: that is known when a
   block is done, and no path counts twice. */
TEST_OVER(values_that_are_no_numbers_stop_too, 4) {
  static const char *const wild[] = {
      "kind: weak, coarsest_step: 2^-990, coarsest_steps: 4, levels: 2, reference: 3, paths: 100, "
      "functionals: [energy]",
      "kind: weak_multilevel, coarsest_step: 2^-990, coarsest_steps: 4, levels: 2, paths: 100, "
      "functionals: [energy]",
      "kind: mlmc, epsilon: 1, coarsest_step: 2^-990, coarsest_steps: 4, pilot_paths: 100, "
      "functionals: [energy]",
      "kind: ensemble, step: 1e-300, steps: 8, times: [8e-300], paths: 100, observables: "
      "[hamiltonian]"};
  static const char text[] =
      "system: {name: rigid_body, inertia: [0.5, 0.5, 0.5], noise: {kind: linear, sigma: 0.1}, "
      "initial: [1e154, 0, 0]}\nstudy: {%s, on_failure: %s}\n";
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, wild[_i], "stop"),
                   CAS_STOPPED);
  ck_assert_msg(says(&err, "path ") && says(&err, " is NaN or infinite at t = "), "%s", err.text);
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &resumed, &r, &err, text, wild[_i], "drop"),
                   CAS_CHECK_FAILED);
  ck_assert((r.health.failed_paths == r.provenance.paths &&
             r.health.left_out_paths == r.provenance.paths));
  cas_results_free(&r);
}

/* Of every study that takes expressions: a value that is no number has its path fail, whether it is
   averaged or recorded, and whether the path has values again later. */
static const struct {
  const char *name, *keys; /* NULL: a study that takes none */
} of_values[] = {
    {"strong", NULL},
    {"strong_quantiles", NULL},
    {"weak", "coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, reference: 3, functionals"},
    {"convergence", "coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, reference: 3, functionals"},
    {"weak_times", "coarsest_step: 2^-2, coarsest_steps: 4, times: [0.5, 1], levels: 2, reference: "
                   "3, functionals"},
    {"law", "coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, reference: 3, range: [0, 1], "
            "functionals"},
    {"weak_multilevel", "coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, functionals"},
    {"mlmc", "epsilon: 10, coarsest_step: 2^-3, coarsest_steps: 8, functionals"},
    {"trajectory", "step: 2^-4, steps: 16, every: 4, observables"},
    {"ensemble", "step: 2^-4, steps: 16, every: 4, observables"},
    {"time_average", "step: 2^-4, steps: 16, batches: 4, observables"},
    {"invariant", "coarsest_step: 2^-2, coarsest_steps: 4, from: 0, levels: 2, functionals"},
};

static const char *keys_of_values(const cas_study *s) {
  for (size_t i = 0; i < sizeof of_values / sizeof *of_values; i++)
    if (strcmp(of_values[i].name, s->name) == 0)
      return of_values[i].keys;
  ck_abort_msg("no keys for study %s in this test", s->name);
  return NULL;
}

static int count_studies(void) {
  int n = 0;
  while (cas_studies[n])
    n++;
  return n;
}

TEST_OVER(a_value_that_is_no_number_is_a_failure, count_studies()) {
  static const char text[] = STUDY_BODY
      "integrator: {casimir_tolerance: 1}\nstudy: {kind: %s, %s: [{gap: \"%s\"}], %s: 200%s}\n";
  const char *name = cas_studies[_i]->name, *keys = keys_of_values(cas_studies[_i]);
  const char *paths = strcmp(name, "mlmc") == 0 ? "pilot_paths" : "paths";
  cas_results r;
  cas_error err;
  clear();
  if (!keys) { /* states are all that can fail */
    ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &r, &err,
                                 STUDY_BODY FEW
                                 "study: {kind: %s, coarsest_step: 2^-3, coarsest_steps: "
                                 "4, levels: 2, reference: 3, paths: 3000}\n",
                                 name),
                     CAS_CHECK_FAILED);
    check_validity(&r, &err, name);
    cas_results_free(&r);
    return;
  }
  ck_assert_msg(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, name, keys, "x1", paths, "") !=
                    CAS_BAD_INPUT,
                "%s: %s", name, err.text);
  ck_assert_msg(r.health.failed_paths == 0, "%s: %s", name, err.text);
  cas_results_free(&r);
  clear();
  const char gap[] = "if((t > 0.4)*(t < 0.6), sqrt(x1 - 0.36), if(t > 0.9, sqrt(x1 - 0.36), x1))";
  ck_assert_msg(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, name, keys, gap, paths, "") ==
                    CAS_CHECK_FAILED,
                "%s: %s", name, err.text);
  ck_assert_msg(r.health.failed_paths > 0 && r.health.failed_paths < r.provenance.paths, "%s: %s",
                name, err.text);
  ck_assert_int_eq(r.health.first_failed_cause, CAS_FAILURE_VALUE);
  check_validity(&r, &err, name);
  char named[300];
  snprintf(named, sizeof named, "gap = %s", gap);
  ck_assert_msg(strcmp(r.health.first_failed_quantity, named) == 0 && says(&err, named), "%s: %s",
                name, err.text);
  /* Some values are no numbers at 1/2, of averages also before, others at the end. */
  const double time = r.health.first_failed_time;
  const bool recorded = strcmp(name, "trajectory") == 0 || strcmp(name, "ensemble") == 0;
  ck_assert_msg(recorded ? time == 0.5 : time > 0.4 && time <= 1, "%s: t = %g", name, time);
  ck_assert_msg(!says(&err, "smaller") && !says(&err, "max_iterations"), "%s: %s", name, err.text);
  cas_results_free(&r);
  clear();
  ck_assert_msg(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, name, keys, gap, paths,
                            ", on_failure: stop") == CAS_STOPPED &&
                    says(&err, named) && says(&err, " is NaN or infinite at t = "),
                "%s: %s", name, err.text);
  clear();
}

/* Of every study that records at the beginning: what is no number there on every path is refused
   with its place, and the mean over the time, which has a limit there, is not. */
TEST_OVER(no_number_at_the_beginning_is_refused, count_studies()) {
  static const char text[] = STUDY_BODY "study: {kind: %s, %s: [x1, {mean: \"%s\"}], %s: 200}\n";
  const char *name = cas_studies[_i]->name, *keys = keys_of_values(cas_studies[_i]);
  const char *paths = strcmp(name, "mlmc") == 0 ? "pilot_paths" : "paths";
  const bool at_start = strcmp(name, "trajectory") == 0 || strcmp(name, "ensemble") == 0;
  cas_results r;
  cas_error err = {0};
  if (!keys)
    return;
  clear();
  cas_status st =
      run_request(MPI_COMM_WORLD, &anew, &r, &err, text, name, keys, "integral(x1)/t", paths);
  ck_assert_msg((st == CAS_BAD_INPUT) == (at_start || strcmp(name, "invariant") == 0), "%s: %s",
                name, err.text);
  if (at_start)
    ck_assert_msg(
        says(&err, "test.yaml:") &&
            says(&err, "observables[1].mean: mean = integral(x1)/t is NaN or infinite at t = 0") &&
            !is_there("results.h5") && !is_there("results.h5.checkpoint"),
        "%s", err.text);
  if (!st)
    cas_results_free(&r);
  clear();
  if (!at_start)
    return;
  ck_assert_msg(run_request(MPI_COMM_WORLD, &anew, &r, &err, text, name, keys, "path_mean(x1)",
                            paths) == CAS_OK,
                "%s", err.text);
  cas_results_free(&r);
  clear();
}

/* A record of the first steps that was no number counts in the health of a run that was continued by
   more steps, whose states are all numbers. */
TEST(a_failed_record_is_remembered) {
  static const char text[] = STUDY_BODY
      "study: {kind: trajectory, step: 2^-4, steps: %d, every: 4, paths: 200, observables: [{gap: "
      "\"if((t > 0.2)*(t < 0.3), sqrt(x1 - 0.36), x1)\"}]}\n";
  cas_results longer, whole;
  cas_error err;
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &whole, &err, text, 16), CAS_CHECK_FAILED);
  clear();
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &anew, &longer, &err, text, 8), CAS_CHECK_FAILED);
  cas_results_free(&longer);
  ck_assert_int_eq(run_request(MPI_COMM_WORLD, &resumed, &longer, &err, text, 16),
                   CAS_CHECK_FAILED);
  ck_assert_int_gt(whole.health.failed_paths, 0);
  ck_assert_int_eq(longer.health.failed_paths, whole.health.failed_paths);
  ck_assert_int_eq(longer.health.first_failed_path, whole.health.first_failed_path);
  ck_assert_int_eq(longer.health.nan[0], whole.health.nan[0]);
  cas_results_free(&longer);
  cas_results_free(&whole);
  clear();
}

/* With a trajectory the records of a stopped run are gone on with. */
TEST(stopped_trajectories_go_on) {
  static const char study[] = "kind: trajectory, step: 2^-4, steps: 200, every: 10, paths: 100";
  cas_results r;
  cas_error err;
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "keep", &r, &err), CAS_CHECK_FAILED);
  ck_assert_msg(says(&err, "; their records are in the file as they are; the first is"), "%s",
                err.text);
  ck_assert(r.health.left_out_paths == 0);
  cas_results_free(&r);
  series whole = recorded_series("state");
  clear();
  ck_assert_int_eq(run_study(&anew, study, FEW, "stop", &r, &err), CAS_STOPPED);
  ck_assert(is_there("results.h5.tmp") && says(&err, "on_failure=keep"));
  ck_assert_int_eq(run_study(&resumed, study, FEW, "keep", &r, &err), CAS_CHECK_FAILED);
  cas_results_free(&r);
  series x = recorded_series("state");
  ck_assert(
      memcmp(whole.value, x.value, (size_t)(whole.records * whole.numbers) * sizeof *x.value) == 0);
  free(whole.value);
  free(x.value);
}

/* ---- what is refused ---- */

TEST(policies_are_checked) {
  is_refused(0, "study.on_failure: found\ndid you mean 'drop'",
             STUDY_BODY "study: {%s, on_failure: dorp}\n", studies[0]);
  is_refused(0, "study trajectory has no statistics to leave a path out of",
             STUDY_BODY "study: {kind: trajectory, step: 2^-4, steps: 2, on_failure: drop}\n");
}

/* More paths under another policy: only where it made no difference so far. */
TEST(a_policy_can_change_while_none_has_failed) {
  static const char study[] =
      "kind: weak, coarsest_step: 2^-3, coarsest_steps: 4, levels: 2, reference: 3, functionals: "
      "[x1], paths: ";
  char some[200], more[200];
  cas_results r;
  cas_error err;
  snprintf(some, sizeof some, "%s5000", study);
  snprintf(more, sizeof more, "%s6000", study);
  clear();
  ck_assert_int_eq(run_study(&anew, some, FEW, "drop", &r, &err), CAS_CHECK_FAILED);
  cas_results_free(&r);
  ck_assert_int_eq(run_study(&resumed, more, FEW, "keep", &r, &err), CAS_BAD_INPUT);
  ck_assert_msg(says(&err, "belongs to a run with another study.on_failure, drop, and"), "%s",
                err.text);
  ck_assert_int_eq(run_study(&resumed, some, FEW, "keep", &r, &err), CAS_BAD_INPUT);
  ck_assert_msg(says(&err, "is finished with study.on_failure: drop, and"), "%s", err.text);
  ck_assert_int_eq(run_study(&resumed, some, FEW, "drop", &r, &err), CAS_CHECK_FAILED);
  cas_results_free(&r);
  ck_assert_int_eq(run_study(&anew, some, ENOUGH, "stop", &r, &err), CAS_OK);
  cas_results_free(&r);
  ck_assert_int_eq(run_study(&resumed, some, ENOUGH, "keep", &r, &err), CAS_OK);
  cas_results_free(&r);
  ck_assert_int_eq(run_study(&resumed, more, ENOUGH, "keep", &r, &err), CAS_OK);
  ck_assert((r.provenance.paths == 6000 && r.health.on_failure == CAS_ON_FAILURE_KEEP));
  cas_results_free(&r);
}

/* ---- ranges ---- */

static const char *const parameters[][2] = {
    {"rigid_body", "inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 2}, initial: [0.3, 0.5, "
                   "-1.7]"},
    {"heavy_top",
     "inertia: [2, 1, 0.5], mga: [1, 0, 0.5], noise: {pi: [[2, 0, 0], [0, 2, 0], [0, 0, "
     "2]]}"},
    {"euler_zeitlin", "N: 4, noise: {amplitude: 9}, initial: {random: {seed: 1, norm: 3}}"},
    {"sine_euler", "N: 3, noise: {amplitude: 2, modes: [[1, 1], [0, 1]]}, initial: {random: {seed: "
                   "1, norm: 3}}"},
    {"manakov", "n: 4, noise: {sigma: 2}, initial: {random: {seed: 1, norm: 2}}"},
    {"point_vortices", "gamma: [1, 2, -1], noise: {sigma: 2}, initial: [[1, 0, 0], [0, 1, 0], [0, "
                       "0, 1]]"},
};

static const char *parameters_of(const cas_system *s) {
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
    if (strcmp(parameters[i][0], s->name) == 0)
      return parameters[i][1];
  ck_abort_msg("no parameters for system %s in this test", s->name);
  return NULL;
}

static void find_range(const char *system, const cas_functional *f, double range[2]) {
  cas_config *config;
  cas_problem p;
  cas_error err = {0};
  ck_assert(!cas_config_parse(system, strlen(system), "test.yaml", &config, &err));
  ck_assert_msg(!cas_problem_create(config, false, MPI_COMM_WORLD, &p, &err), "%s", err.text);
  f->range(p.parameters.all, p.initial.x0, range);
  ck_assert(isfinite(range[0]) && isfinite(range[1]) && range[0] <= range[1]);
  cas_problem_free(&p);
  cas_config_free(config);
}

/* of a thousand paths that noise has driven all over the orbit */
static void check_ranges(const cas_system *s, const cas_functional *list) {
  char system[1000];
  double range[2];
  cas_results r;
  cas_error err;
  for (; list->name; list++) {
    if (!list->range)
      continue;
    snprintf(system, sizeof system, "system: {name: %s, %s}\n", s->name, parameters_of(s));
    find_range(system, list, range);
    cas_status st = run_request(MPI_COMM_WORLD, &anew, &r, &err,
                                "%sstudy: {kind: ensemble, step: 2^-8, steps: 100, times: "
                                "[0.390625], paths: %d, observables: [%s]}\n",
                                system, looks_for_accesses() ? 64 : 1000, list->name);
    ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s: %s", s->name, err.text);
    const cas_ensemble_observable *o = &cas_results_ensemble(&r)->observable[0];
    double slack = 1e-12 * fmax(fabs(range[0]), fabs(range[1]));
    for (int i = 0; i < o->numbers; i++)
      ck_assert_msg(isfinite(o->mean[i]) && o->minimum[i] >= range[0] - slack &&
                        o->maximum[i] <= range[1] + slack,
                    "%s %s: from %g to %g, not within %g to %g", s->name, list->name, o->minimum[i],
                    o->maximum[i], range[0], range[1]);
    cas_results_free(&r);
  }
}

TEST_OVER(values_lie_within_their_ranges, on_one_rank(count_systems())) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  check_ranges(s, s->functionals);
  check_ranges(s, s->observables);
}

RUN_TESTS_WITH_MPI
