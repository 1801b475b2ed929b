/* Statistics over time against sums over trajectories of the same paths. */
/* ranks: 1 2 3 7 */
/* needs: sprng */
/* lane: slow from 2 ranks */
#include "files/results/results_file.h"
#include "statistics/histogram.h"
#include "study_fixture.h"

#include <float.h>

/* Of numbers that are 0 or 1 the quantile p is the least that a share p of the paths does not
   exceed, whether all values are kept or bins (100 of them, of 4096 paths). A start where it is 1
   for all, then both values. */
TEST_OVER(quantiles_of_events_are_events, 2) {
  const int paths = _i ? 4096 : 100;
  const cas_ensemble *e = ensemble_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.8}, "
      "initial: [0.6, 0, 0.8]}\nrandom: {generator: threefry}\nstudy: {kind: ensemble, step: 2^-4, "
      "steps: 64, times: [0, 2, 4], bins: 100, paths: %d, observables: [{up: x1 > 0}]}\n",
      paths);
  const cas_ensemble_observable *o = &e->observable[0];
  bool both = false;
  for (int i = 0; i < e->records * e->quantiles; i++) {
    const int t = i / e->quantiles;
    const double p = e->probability[i % e->quantiles], zeros = 1 - o->mean.value[t],
                 q = o->quantile.value[i], low = o->quantile.low[i], high = o->quantile.high[i];
    both |= zeros > 0 && zeros < 1;
    ck_assert_msg(q == !(zeros >= p), "quantile %g of %d paths: %.17g, P(0) = %g", p, paths, q,
                  zeros);
    ck_assert((low == 0 || low == 1) && (high == 0 || high == 1) && low <= q && q <= high);
    if (fabs(zeros - p) >= 5 * sqrt(0.25 / paths)) /* the interval is one point */
      ck_assert(high == q && (low == q || t == 0));
  }
  ck_assert(both);
}

/* ---- against trajectories ---- */

static bool is_field(const cas_functional *f, const void *parameters) {
  cas_axis axis[2] = {{0}};
  return f->axes && f->axes(parameters, axis) == 2;
}

/* Every observable and functional that the system has, as a list in YAML; fields, which have
   thousands of numbers, only if they are asked for. */
static const char *name_all(const cas_system *s, bool fields) {
  char *text = formatted("casimir_departure");
  cas_problem p;
  MUST(cas_problem_create(configuration("{system: {%s}}", example_of(s)), false, MPI_COMM_WORLD, &p,
                          &err));
  for (const cas_functional *f = s->observables; f->name; f++)
    if ((!f->undefined || !f->undefined(p.parameters.all)) &&
        (fields || !is_field(f, p.parameters.all)))
      text = formatted("%s, %s", text, f->name);
  for (const cas_functional *f = s->functionals; f->name; f++) {
    const cas_functional *g = s->observables;
    while (g->name && strcmp(g->name, f->name) != 0)
      g++;
    if (!g->name)
      text = formatted("%s, %s", text, f->name);
  }
  cas_problem_free(&p);
  return text;
}

/* x sorted */
static void check_quantile(const cas_ensemble *e, const cas_ensemble_observable *o, size_t i, int k,
                           const double *x, int64_t n) {
  const size_t at = i * (size_t)e->quantiles + (size_t)k;
  const double p = e->probability[k] * (double)(n - 1), q = o->quantile.value[at],
               end[2] = {o->quantile.low[at], o->quantile.high[at]},
               width = 1.0001 * o->histogram.width[i];
  const int64_t near = (int64_t)p; /* the quantile is between this value and the next: type 7 */
  const double d =
      fabs(q - (near + 1 < n ? x[near] + (p - floor(p)) * (x[near + 1] - x[near]) : x[n - 1]));
  double edge = width + 2 * DBL_EPSILON * fmax(fabs(x[0]), fabs(x[n - 1])); /* which is rounded */
  int64_t rank[2];
  ck_assert(q >= x[0] && q <= x[n - 1] && end[0] <= q && q <= end[1]);
  if (e->exact)
    ck_assert(d == 0);
  else /* from the bins: within a width, or between neighbours that lie further apart */
    ck_assert_msg(isfinite(d) && (d <= width || n < 1000 || near == n - 1),
                  "%s: quantile %g is off by %g, bins of %g", o->name, q, d, o->histogram.width[i]);
  cas_quantile_ranks(n, e->probability[k], 0.95, &rank[0], &rank[1]);
  for (int j = 0; j < 2; j++) {
    bool inside = rank[j] >= 1 && rank[j] <= n;
    double exact = inside ? x[rank[j] - 1]
                   : j    ? INFINITY
                          : -INFINITY,
           beyond = j ? end[j] - exact : exact - end[j];
    const double bin = floor((exact - o->histogram.low[i]) / o->histogram.width[i]);
    if (inside && !e->exact && (j ? bin >= e->bins : bin < 0)) /* the extreme of an open end */
      ck_assert(end[j] == (j ? x[n - 1] : x[0]));
    else
      ck_assert(end[j] == exact || (inside && !e->exact && beyond >= 0 && beyond <= edge));
  }
}

/* Everything about a number at a time, from its values; failed paths are NaN. */
static void check_number(const cas_ensemble *e, const cas_ensemble_observable *o, size_t i,
                         const double *all, int paths) {
  double *x = malloc((size_t)paths * sizeof *x);
  int64_t n = 0, below = 0, above = 0, *count = calloc((size_t)e->bins, sizeof *count);
  long double sum = 0, squares = 0;
  for (int p = 0; p < paths; p++)
    if (isfinite(all[p])) {
      double at = floor((all[p] - o->histogram.low[i]) / o->histogram.width[i]);
      x[n++] = all[p];
      sum += all[p];
      below += at < 0;
      above += at >= e->bins;
      if (at >= 0 && at < e->bins)
        count[(int)at]++;
    }
  for (int64_t k = 0; k < n; k++)
    squares += (x[k] - sum / n) * (x[k] - sum / n);
  cas_histogram_sort(x, (size_t)n);
  double size = fmax(fabs(x[0]), fabs(x[n - 1])), variance = (double)(squares / (n - 1));
  ck_assert_int_eq(e->counted, n);
  ck_assert(o->minimum[i] == x[0] && o->maximum[i] == x[n - 1]);
  ck_assert(fabs(o->mean.value[i] - (double)(sum / n)) <= 1e-14 * size);
  /* deviations from running means are as exact as the numbers */
  double rounding = 16 * DBL_EPSILON * size * sqrt(variance);
  ck_assert_msg(fabs(o->variance.value[i] - variance) <=
                    1e-12 * variance + rounding + 1e-30 * size * size,
                "%s: variance %g, not %g, of numbers up to %g", o->name, o->variance.value[i],
                variance, size);
  ck_assert(o->mean.standard_error[i] == sqrt(o->variance.value[i] / (double)n));
  double error = left_one_out(x, n, sum / n, squares);
  ck_assert_msg(fabs(o->variance.standard_error[i] - error) <=
                    1e-9 * variance + (variance > 0 ? 2 * rounding * error / variance : 0) +
                        1e-30 * size * size,
                "%s: %g, not %g", o->name, o->variance.standard_error[i], error);
  ck_assert(o->histogram.below[i] == below && o->histogram.above[i] == above);
  ck_assert_int_eq(memcmp(count, o->histogram.paths + i * (size_t)e->bins, (size_t)e->bins * 8), 0);
  for (int k = 0; k < e->quantiles; k++)
    check_quantile(e, o, i, k, x, n);
  free(count);
  free(x);
}

/* value: [T][P][N] of every `every` steps, of which the ensemble has the records `record` */
static void check_observable(const cas_ensemble *e, const cas_ensemble_observable *o,
                             const double *value, int paths, const int *record) {
  double *x = malloc((size_t)paths * sizeof *x);
  for (int t = 0; t < e->records; t++)
    for (int k = 0; k < o->numbers; k++) {
      for (int p = 0; p < paths; p++)
        x[p] = value[((int64_t)record[t] * paths + p) * o->numbers + k];
      check_number(e, o, (size_t)t * (size_t)o->numbers + (size_t)k, x, paths);
    }
  free(x);
}

static const int all_records[] = {0, 1, 2, 3, 4}, some_records[] = {1, 3};

/* Paths of a few blocks on several ranks (quantiles from bins), and of one block (order
   statistics), at all times and at some; times need not end at the horizon. Numbers of fields are
   treated as others are: one rank looks at them, with few paths. */
static const struct {
  int paths, steps, every;
  const char *when;
  const int *record;
  bool fields;
} cases[] = {{333, 16, 4, "every: 4", all_records, false},
             {100, 4, 4, "every: 4", all_records, true},
             {37, 4, 4, "every: 4", all_records, true},
             {1500, 16, 4, "times: [0.0625, 0.1875]", some_records, false}};
enum { CASES = sizeof cases / sizeof *cases, FEW = 2 };

/* All systems on one rank; on several two, others for each number of ranks, which all do alike. */
static int systems_here(void) { return on_one_rank(1) ? count_systems() : 2; }

static const cas_system *system_here(int i) {
  const int ranks = count_ranks();
  return cas_kernels_get()->systems[ranks == 1 ? i : (ranks + 3 * i) % count_systems()];
}

TEST_OVER(statistics_are_those_of_trajectories, CASES *systems_here()) {
  const cas_system *s = system_here(_i / CASES);
  int c = _i % CASES;
  if (looks_for_accesses() && c != FEW && _i / CASES > 1) /* others differ in numbers of paths */
    return;
  if (repetitions(100) < 100 && (_i / CASES + c) % 2) /* each system has half of the cases */
    return;
  const char *names = name_all(s, cases[c].fields && on_one_rank(1)), *system = example_of(s);
  const int paths = cases[c].paths;
  double *value[40] = {0};
  run_well(NULL,
           "system: {%s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, step: 2^-6, "
           "steps: %d, every: %d, paths: %d, observables: [%s]}\n",
           system, cases[c].steps, cases[c].every, paths, names);
  char *rest = formatted("%s", names);
  int observables = 0;
  for (char *name; (name = strsep(&rest, ", ")) != NULL;)
    if (*name)
      value[observables++] = recorded_series(name).value;
  cas_meet(MPI_COMM_WORLD);
  const cas_ensemble *e = ensemble_of(
      "system: {%s}\nrandom: {generator: threefry}\nstudy: {kind: ensemble, step: 2^-6, "
      "steps: %d, %s, paths: %d, observables: [%s], bins: 100}\n",
      system, cases[c].steps, cases[c].when, paths, names);
  ck_assert_int_eq(e->exact, paths < 64);
  ck_assert_int_eq(e->observables, observables);
  for (int i = 0; i < observables; i++)
    check_observable(e, &e->observable[i], value[i], paths, cases[c].record);
}

/* Members are the states of the first paths bit for bit, and statistics do not see them. */
TEST_OVER(members_are_trajectories, systems_here()) {
  enum { PATHS = 200, MEMBERS = 70 };
  const char *system = example_of(system_here(_i));
  static const char ensemble[] = "system: {%s}\nstudy: {kind: ensemble, step: 2^-6, steps: 12, "
                                 "every: 4, paths: %d, members: %d}\n";
  run_well(NULL,
           "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 12, every: 4, paths: %d, "
           "observables: []}\n",
           system, MEMBERS);
  const series x = recorded_series("state");
  cas_meet(MPI_COMM_WORLD);
  const cas_results *without = results_of(ensemble, system, PATHS, 0),
                    *r = results_of(ensemble, system, PATHS, MEMBERS);
  const series members = stored_series("/ensemble/members");
  ck_assert(members.records == 4 && same_series(&x, &members));
  ck_assert(cas_results_ensemble(r)->members == MEMBERS &&
            cas_results_ensemble(without)->members == 0);
  cas_results_ensemble(r)->members = 0;
  ck_assert(cas_tables_equal(r, without));
}

/* ---- failures ---- */

/* A path that fails at any time is left out at all of them, also at first, and of the pilot. */
TEST(failed_paths_are_left_out) {
  enum { PATHS = 300, RECORDS = 5 };
  static const char system[] = "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], "
                               "noise: {kind: quadratic, sigma: 4}}\nrandom: {generator: "
                               "threefry}\nintegrator: {truncation: 0, max_iterations: 17}\n";
  int64_t failed = 0;
  const cas_health t =
      run_to(CAS_CHECK_FAILED, "",
             "%sstudy: {kind: trajectory, step: 2^-4, steps: 4, paths: %d, observables: [x1]}\n",
             system, PATHS)
          ->health;
  double *x = recorded_series("x1").value;
  cas_meet(MPI_COMM_WORLD);
  const cas_results *r = run_to(
      CAS_CHECK_FAILED, "--only-path",
      "%sstudy: {kind: ensemble, step: 2^-4, steps: 4, every: 1, paths: %d, observables: [x1]}\n",
      system, PATHS);
  for (int64_t p = 0; p < PATHS; p++) {
    cas_results alone; /* by the engine itself; a path that did not converge need not be a NaN */
    cas_error err;
    if (run_request(MPI_COMM_SELF, &(cas_run_request){.only_path = &p}, &alone, &err,
                    "%sstudy: {kind: trajectory, step: 2^-4, steps: 4, paths: 1000}\n",
                    system) != CAS_CHECK_FAILED)
      continue;
    failed++;
    for (int n = 0; n < RECORDS; n++)
      x[n * PATHS + p] = NAN;
  }
  ck_assert_int_eq(r->health.failed_paths, t.failed_paths);
  ck_assert_int_eq(r->health.first_failed_path, t.first_failed_path);
  ck_assert(failed > 0 && failed < PATHS && failed == t.failed_paths);
  const cas_ensemble *e = cas_results_ensemble(r);
  check_observable(e, &e->observable[0], x, PATHS, all_records);
}

RUN_TESTS_WITH_MPI
