/* What becomes of paths that fail, left out or counted as they are, and what is said about it.
   test_stopped.c has the runs that end there. */
/* ranks: 1 3 */
/* needs: sprng */
/* lane: slow */
#include "engine/study/study.h"
#include "files/results/table.h"
#include "on_failure_fixture.h"

/* ---- every study with statistics ---- */

/* Of every study: where paths are left out, its text, its file, its verdicts and its message say
   first that it is not valid; where they count as was asked for, none does. */
static void check_validity(const cas_results *r, const char *name) {
  char not_valid[200];
  const bool valid = r->health.left_out_paths == 0;
  const char *start =
      formatted("not valid: %lld of %lld paths failed", (long long)r->health.left_out_paths,
                (long long)r->provenance.paths);
  const cas_results file = read_results("results.h5");
  ck_assert(cas_health_not_valid(&file.health, file.provenance.paths, not_valid,
                                 sizeof not_valid) != valid);
  ck_assert_msg(valid || strncmp(not_valid, start, strlen(start)) == 0, "%s", not_valid);
  for (int brief = 0; brief < 2; brief++) {
    PRINTED(text,
            brief ? cas_results_print_brief(f, &file, NULL, NULL) : cas_results_print(f, &file));
    const char *printed = strstr(text, start + 1);
    ck_assert_msg(valid ? !strstr(text, "ot valid: ") : printed && printed[-1] == 'N', "%s: %s",
                  name, text);
  }
  for (int i = 0; i < file.tables; i++) {
    const cas_findings found = cas_table_findings(&file.table[i]);
    ck_assert_msg(found == 0 || (code_of(found) == CAS_NOT_VALID) != valid, "%s", name);
    for (int k = 0; k < cas_table_parts(&file.table[i]); k++) {
      const cas_table part = cas_table_part(&file.table[i], k);
      const cas_findings of_part = cas_table_findings(&part);
      ck_assert_msg(!part.kind->findings || (code_of(of_part) == CAS_NOT_VALID) != valid, "%s",
                    name);
      ck_assert(!cas_findings_have(of_part, CAS_TARGET_REACHED) || valid);
    }
  }
  ck_assert_msg((strncmp(last_said.text, "not valid: ", 11) == 0) != valid, "%s", last_said.text);
}

/* Had every path converged, results would lie within the bound, which is a share of the range. */
static void assert_bounds(const cas_results *r, const cas_results *whole, bool kept) {
  const cas_multilevel *m = cas_results_mlmc(r);
  const cas_ensemble *e = cas_results_ensemble(r), *all = cas_results_ensemble(whole);
  double share = (double)r->health.failed_paths / (double)r->provenance.paths;
  for (int i = 0; i < cas_results_curves(r); i++) {
    const cas_curve *c = cas_results_curve(r, i), *w = cas_results_curve(whole, i);
    ck_assert(c->bias_bound > share && c->bias_bound < 10);
    ck_assert_int_eq(code_of(c->findings), kept ? CAS_PATHS_FAILED : CAS_NOT_VALID);
    ck_assert(w->bias_bound == 0 && !cas_findings_have(w->findings, CAS_PATHS_FAILED));
    for (int j = 0; j < c->levels; j++) {
      double d = fabs(c->error.value[j] - w->error.value[j]);
      ck_assert_msg(isfinite(d) && d <= c->bias_bound, "%s: %g, bound %g", c->name, d,
                    c->bias_bound);
    }
  }
  for (int i = 0; m && i < m->functionals; i++) {
    const cas_curve *f = &m->functional[i], *g = &cas_results_mlmc(whole)->functional[i];
    ck_assert_msg(f->bias_bound > 2 * share && f->bias_bound < 10 && g->bias_bound == 0,
                  "%s: %g, share %g; %g", f->name, f->bias_bound, share, g->bias_bound);
    ck_assert(cas_findings_have(f->findings, CAS_PATHS_FAILED));
    ck_assert(fabs(f->estimate.value - g->estimate.value) <= f->bias_bound);
  }
  for (int i = 0; e && i < e->observables; i++) {
    const cas_ensemble_observable *o = &e->observable[i];
    double width = i ? 2 * 0.9999 - 0.5 : 2; /* |x| = 1 */
    ck_assert(o->bias_bound > share * width * 0.99 && o->bias_bound < share * width * 1.01);
    for (int t = 0; t < e->records; t++)
      ck_assert(fabs(o->mean.value[t] - all->observable[i].mean.value[t]) <= o->bias_bound);
  }
}

/* Paths with enough iterations are the same; drop knows no others, keep has nearly those too. */
TEST_OVER(kept_paths_count_and_dropped_ones_do_not, STUDIES) {
  const char *study = studies[_i];
  clear();
  const cas_results *dropped = run_study(
      &anew, CAS_CHECK_FAILED,
      " paths failed and are left out of every statistic; the first is path ", study, FEW, "drop");
  check_validity(dropped, study);
  const cas_results *kept = run_study(
      &anew, CAS_CHECK_FAILED, " of them did not converge and count as they are, 0 are left out",
      study, FEW, "keep");
  check_validity(kept, study);
  const cas_results *whole = run_study(&anew, CAS_OK, "", study, ENOUGH, "keep");
  double d[200], k[200], w[200];
  int n = numbers_of(dropped, d), nearer = 0;
  ck_assert(numbers_of(kept, k) == n && numbers_of(whole, w) == n);
  ck_assert(dropped->health.failed_paths > 10 && whole->health.failed_paths == 0);
  ck_assert_int_eq(dropped->health.left_out_paths, dropped->health.failed_paths);
  ck_assert_int_eq(kept->health.failed_paths, dropped->health.failed_paths);
  ck_assert_int_eq(kept->health.left_out_paths, 0);
  for (int i = 0; i < n; i++) {
    ck_assert(isfinite(d[i]) && isfinite(k[i]));
    nearer += fabs(k[i] - w[i]) <= fabs(d[i] - w[i]);
  }
  ck_assert_msg(nearer > 3 * n / 4, "%d of %d", nearer, n);
  assert_bounds(dropped, whole, false);
  assert_bounds(kept, whole, true);
}

/* A NaN is never kept; where states that count have left their orbit nothing bounds them. */
TEST(a_nan_is_left_out) {
  clear();
  run_as(&anew, CAS_CHECK_FAILED, "",
         "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.5}, "
         "initial: [0.36, 0.48, 0.8]}\nintegrator: {name: implicit_trapezoid, max_iterations: 10}\n"
         "study: {kind: weak, coarsest_step: 2^-1, coarsest_steps: 2, levels: 2, reference: 4, "
         "paths: 200, functionals: [energy], on_failure: keep}\n");
  const cas_results file = read_results("results.h5");
  const cas_health *h = &file.health;
  ck_assert(h->left_out_paths >= h->nan[0] && h->left_out_paths < h->failed_paths);
  ck_assert(h->nan[0] > 0 && isfinite(cas_results_curve(&file, 0)->error.value[0]));
  ck_assert(h->on_failure == CAS_ON_FAILURE_KEEP);
  ck_assert(isnan(cas_results_curve(&file, 0)->bias_bound));
}

TEST(without_paths_nothing_is_bounded) {
  clear();
  for (int i = 0; i < STUDIES - 1; i++) {
    const cas_results *r = run_study(&anew, CAS_CHECK_FAILED, "", studies[i],
                                     "integrator: {max_iterations: 1}\n", "drop");
    const cas_multilevel *m = cas_results_mlmc(r);
    for (int j = 0; j < cas_results_curves(r); j++) {
      const cas_curve *c = cas_results_curve(r, j);
      ck_assert(isnan(c->bias_bound) && isnan(c->error.value[0]));
      ck_assert_int_eq(code_of(c->findings), CAS_ALL_PATHS_FAILED);
    }
    for (int j = 0; m && j < m->functionals; j++)
      ck_assert(isnan(m->functional[j].bias_bound));
    ck_assert(r->health.left_out_paths == r->provenance.paths);
  }
}

/* A study with this value in its list of expressions, as a configuration; one without a list, with
   few iterations. */
static const char *study_of(const char *study, const char *value, const char *more) {
  const char *list = strstr(study, "functionals: [")   ? "functionals: ["
                     : strstr(study, "observables: [") ? "observables: ["
                                                       : NULL;
  return list
             ? formatted(STUDY_BODY "integrator: {casimir_tolerance: 1}\nstudy: {%s%s}\n",
                         replaced(study, list, "]", formatted("%sx1, {gap: \"%s\"}]", list, value)),
                         more)
             : formatted(STUDY_BODY "integrator: {name: implicit_midpoint, max_iterations: 16, "
                                    "casimir_tolerance: 1}\nstudy: {%s%s}\n",
                         study, more);
}

/* What is no number at the beginning of every path is refused with its place where a study records
   there, and the mean over the time, which has a limit there, is not. Returns the horizon. */
static double refuse_at_the_beginning(const char *study, bool records_first) {
  cas_results r;
  cas_error err;
  cas_status st =
      run_request(MPI_COMM_WORLD, &anew, &r, &err, "%s", study_of(study, "integral(x1)/t", ""));
  ck_assert_msg((st == CAS_BAD_INPUT) == (records_first || strstr(study, "invariant")), "%s: %s",
                study, err.text);
  if (records_first) {
    ck_assert_msg(has_words(err.text, "test.yaml:\nobservables[1].gap: gap = integral(x1)/t is NaN "
                                      "or infinite at t = 0"),
                  "%s", err.text);
    ck_assert(!is_there("results.h5") && !is_there("results.h5.checkpoint"));
    run_as(&anew, CAS_OK, "", "%s", study_of(study, "path_mean(x1)", ""));
  }
  clear();
  st = run_request(MPI_COMM_WORLD, &anew, &r, &err, "%s", study_of(study, "x1", ""));
  ck_assert_msg(st != CAS_BAD_INPUT && r.health.failed_paths == 0, "%s: %s", study, err.text);
  clear();
  return r.step[0] * (double)r.steps[0];
}

/* A value that is no number has its path fail, whether it is averaged or recorded, and whether the
   path has values again later. Of studies without values states are all that can fail. */
TEST_OVER(a_value_that_is_no_number_is_a_failure, ALL_STUDIES) {
  const char *study = study_here(_i);
  const bool of_values = strstr(study, "functionals: [") || strstr(study, "observables: ["),
             is_law = strstr(study, "range: "), /* it has infinite values outside of its bins */
      records_first = strstr(study, "times: [0,") || strstr(study, "trajectory");
  clear();
  const double end = of_values ? refuse_at_the_beginning(study, records_first) : 0;
  const char *gap =
      formatted("if((t > %.17g)*(t < %.17g), sqrt(x1 - 0.36), if(t > %.17g, %s, x1))", 0.4 * end,
                0.6 * end, 0.9 * end, is_law ? "sqrt(x1 - 0.36)" : "log(max(x1 - 0.36, 0))");
  const char *named = formatted("gap = %s", gap);
  const cas_results *failed =
      run_as(&anew, CAS_CHECK_FAILED, of_values ? named : "", "%s", study_of(study, gap, ""));
  check_validity(failed, study);
  if (!of_values)
    return;
  const cas_health *h = &failed->health;
  ck_assert(h->failed_paths > 0 && h->failed_paths < failed->provenance.paths);
  ck_assert_int_eq(h->first_failed_cause, CAS_FAILURE_VALUE);
  ck_assert_str_eq(h->first_failed_quantity, named);
  /* Some values are no numbers half way, of averages also before, others infinite at the end. */
  const double time = h->first_failed_time / end;
  ck_assert_msg(records_first ? time == 0.5 : time > 0.4 && time <= 1, "%s: t = %g", study, time);
  ck_assert(!strstr(last_said.text, "smaller") && !strstr(last_said.text, "max_iterations"));
  clear();
  run_as(&anew, CAS_STOPPED, formatted("%s\n is NaN or infinite at t = ", named), "%s",
         study_of(study, gap, ", on_failure: stop"));
  const cas_results *resumed_run =
      run_as(&resumed, CAS_CHECK_FAILED, named, "%s", study_of(study, gap, ""));
  ck_assert_int_eq(resumed_run->health.failed_paths, h->failed_paths); /* none counts twice */
  clear();
}

/* ---- what is refused ---- */

TEST(policies_are_checked) {
  is_refused(0, "study.on_failure: found\ndid you mean 'drop'",
             STUDY_BODY "study: {%s, on_failure: dorp}\n", studies[0]);
  is_refused(0, "study trajectory has no statistics to leave a path out of",
             STUDY_BODY "study: {kind: trajectory, step: 2^-4, steps: 2, on_failure: drop}\n");
}

RUN_TESTS_WITH_MPI
