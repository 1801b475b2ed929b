/* Distances of laws: their intervals over samples of known laws, the level of their test, and the
   study on a body whose law is uniform on the sphere, at once or in the end. */
/* ranks: 1 */
/* needs: sprng */
#include "files/results/table.h"
#include "studies/laws/distribution.h"
#include "study_fixture.h"

/* ---- intervals ---- */

enum { EDGES = 33, PATHS = 640 };

static double law(double x) { return erfc(-x / sqrt(2)) / 2; }

/* F - G of the edges, F of samples of N(shift, 1), G of them unshifted (`coupled`) or known. */
static void sample(double shift, bool coupled, unsigned short state[3], double *edge, double *count,
                   double *difference) {
  for (int k = 0; k < EDGES; k++)
    edge[k] = -4 + 8.0 * k / (EDGES - 1);
  for (int i = 0; i < CAS_SUMMARY_GROUPS * EDGES; i++)
    difference[i] = 0;
  for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
    count[g] = (double)PATHS / CAS_SUMMARY_GROUPS;
  for (int p = 0; p < PATHS; p++) {
    double x = normal(state), *to = difference + (p % CAS_SUMMARY_GROUPS) * EDGES;
    for (int k = 0; k < EDGES; k++)
      to[k] += ((x + shift < edge[k]) - (coupled ? x < edge[k] : law(edge[k]))) /
               count[p % CAS_SUMMARY_GROUPS];
  }
}

/* The distances that the edges show of the laws themselves. */
static void truth(double shift, const double *edge, double *smirnov, double *wasserstein) {
  double before = 0;
  *smirnov = *wasserstein = 0;
  for (int k = 0; k < EDGES; k++) {
    double now = fabs(law(edge[k] - shift) - law(edge[k]));
    *smirnov = fmax(*smirnov, now);
    if (k > 0)
      *wasserstein += (edge[k] - edge[k - 1]) * (now + before) / 2;
    before = now;
  }
}

/* Intervals of 95% cover distances of any size: of equal laws, of laws as far apart as the noise is
   large, and farther, of independent and of coupled samples. Of equal laws 5% of p-values are below
   0.05. */
TEST_OF_MANY_PATHS_OVER(intervals_cover, 5) {
  static const double shifts[] = {0, 0.05, 0.5, 0.05, 0.5};
  const double shift = shifts[_i];
  const bool coupled = _i > 2;
  double edge[EDGES], count[CAS_SUMMARY_GROUPS], difference[CAS_SUMMARY_GROUPS * EDGES];
  unsigned short state[3] = {7, coupled, (unsigned short)(coupled ? _i - 2 : _i)};
  int covered[2] = {0}, rejected = 0, ordered = 0;
  const int n = repetitions(200);
  for (int r = 0; r < n; r++) {
    cas_distance s, w;
    double true_s, true_w;
    sample(shift, coupled, state, edge, count, difference);
    truth(shift, edge, &true_s, &true_w);
    const cas_distribution_difference d = {EDGES, edge, count, difference};
    MUST(cas_distribution_distances(&d, &s, &w, &err));
    covered[0] += s.low <= true_s && true_s <= s.high;
    covered[1] += w.low <= true_w && true_w <= w.high;
    rejected += s.p_value < 0.05;
    ordered += s.low_975 <= s.low && s.high <= s.high_975 && w.low_975 <= w.low;
  }
  printf("law, shift %g, %s: %d and %d cover, %d rejected of %d\n", shift,
         coupled ? "coupled" : "known", covered[0], covered[1], rejected, n);
  ck_assert(covered[0] >= 0.90 * n && covered[1] >= 0.90 * n && ordered == n);
  ck_assert(shift > 0 || (rejected > 0.005 * n && rejected < 0.11 * n));
  ck_assert(shift < 0.5 || rejected == n);
}

/* Where a sample often has no path that differs, intervals still cover what all paths do. */
TEST_OVER(rare_differences_are_covered, 5) {
  static const double expected[] = {0.1, 0.5, 1, 2, 2.9}; /* paths of the sample that differ */
  unsigned short state[3] = {9, 9, (unsigned short)_i};
  const double edge[2] = {0, 4}, share = expected[_i] / PATHS;
  const int n = looks_for_accesses() ? 1 : repetitions(100);
  int covered[2] = {0};
  for (int r = 0; r < n; r++) {
    double count[CAS_SUMMARY_GROUPS], difference[CAS_SUMMARY_GROUPS * 2] = {0};
    cas_distance s, w;
    for (int g = 0; g < CAS_SUMMARY_GROUPS; g++)
      count[g] = (double)PATHS / CAS_SUMMARY_GROUPS;
    for (int p = 0; p < PATHS; p++)
      difference[2 * (p % CAS_SUMMARY_GROUPS)] +=
          (erand48(state) < share) / count[p % CAS_SUMMARY_GROUPS];
    const cas_distribution_difference d = {2, edge, count, difference};
    MUST(cas_distribution_distances(&d, &s, &w, &err));
    covered[0] += s.low <= share && share <= s.high && s.high_975 >= s.high;
    covered[1] += w.low <= 2 * share && 2 * share <= w.high && w.high_975 >= w.high;
  }
  printf("law, %g paths differ: %d and %d cover of %d\n", expected[_i], covered[0], covered[1], n);
  ck_assert(covered[0] >= 0.90 * n && covered[1] >= 0.90 * n);
}

/* A group alone says nothing of its error. */
TEST(too_few_paths_have_no_distance) {
  double edge[2] = {0, 1}, count[CAS_SUMMARY_GROUPS] = {1},
         difference[CAS_SUMMARY_GROUPS * 2] = {0.5};
  const cas_distribution_difference d = {2, edge, count, difference};
  cas_distance s, w;
  MUST(cas_distribution_distances(&d, &s, &w, &err));
  ck_assert(isnan(s.value) && isnan(w.high) && isnan(s.p_value));
}

/* ---- the study ---- */

static const char body[] =
    "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 1}, initial: "
    "%s}\nrandom: {generator: threefry}\nintegrator: {name: splitting}\n"
    "study: {kind: law, coarsest_step: 2^-3, coarsest_steps: %d, levels: 2, reference: 3, paths: "
    "%d, functionals: [x1, x3], range: [-1, 1]%s, uniform: true}\n";

/* Uniform states stay so, and all become so: p-values are not small, but soon after one state. */
TEST_OVER(linear_noise_leads_to_the_uniform_law, looks_for_accesses() ? 1 : 3) {
  static const char *const initial[] = {"{random: {seed: 5, norm: 1}, each: path}", "[0.6, 0, 0.8]",
                                        "[0.6, 0, 0.8]"};
  static const int steps[] = {4, 80, 1};
  static const char *const names[] = {"law/x1", "law/x3"};
  const bool few = _i || looks_for_accesses(); /* else as many bins as is the default */
  const cas_results *r = results_of(body, initial[_i], steps[_i], 2000, few ? ", bins: 64" : "");
  for (int k = 0; k < 2; k++) {
    const cas_distribution_table *t = cas_results_find(r, names[k]);
    ck_assert_ptr_nonnull(t);
    ck_assert(t->counted == 2000 && t->bins == (few ? 64 : 1024));
    for (int l = 0; l < 3; l++) {
      if (_i < 2)
        ck_assert_msg(t->uniform_p_value[l] > 0.001, "p = %g", t->uniform_p_value[l]);
      else
        ck_assert(t->uniform_p_value[l] < 0.001 && t->uniform_smirnov.low[l] > 0.1);
      ck_assert(_i == 2 || t->uniform_smirnov.low[l] == 0);
    }
    ck_assert(t->smirnov.value[0] >= t->smirnov.low[0] && t->wasserstein.value[1] < 0.1);
  }
}

/* A law that takes a small part of its range: the bins that are the default miss little of the
   largest difference, which is that of thinner bins over this part. */
TEST_OF_MANY_PATHS(bins_miss_little_of_narrow_laws) {
  static const char *const bins[] = {"", ", range: [-0.1, 0.9], bins: 4096"};
  double distance[2];
  for (int i = 0; i < 2; i++) {
    const cas_results *r = results_of(
        "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}, "
        "initial: [0.36, 0.48, 0.8]}\nrandom: {generator: threefry}\nstudy: {kind: law, "
        "coarsest_step: 1/4, coarsest_steps: 4, levels: 1, reference: 4, paths: 2000, functionals: "
        "[x1]%s}\n",
        bins[i]);
    const cas_distribution_table *t = cas_results_find(r, "law/x1");
    ck_assert(t && t->outside < 0.002);
    distance[i] = t->smirnov.value[0];
  }
  ck_assert_msg(distance[0] >= 0.95 * distance[1], "%g of %g", distance[0], distance[1]);
}

/* What the bins do not hold is told: all, half by symmetry, and nothing. */
TEST(values_outside_the_bins_are_told) {
  static const char *const range[] = {"[5, 6]", "[0, 1]", "[-1, 1]"};
  static const double least[] = {1, 0.4, 0}, most[] = {1, 0.6, 0};
  for (int i = 0; i < 3; i++) {
    const cas_results *r =
        results_of("system: {name: rigid_body, inertia: [.inf, .inf, .inf], initial: [0, 0, 1], "
                   "noise: {kind: linear, sigma: 0.8}}\nstudy: {kind: law, "
                   "coarsest_step: 1/8, coarsest_steps: 8, levels: 1, reference: 1, paths: 500, "
                   "functionals: [x1], bins: 64, range: %s}\n",
                   range[i]);
    const cas_distribution_table *t = cas_results_find(r, "law/x1");
    ck_assert_msg(t->outside >= least[i] && t->outside <= most[i], "%s: %g", range[i], t->outside);
    char said[1000] = "";
    r->table[0].kind->say(r, &r->table[0], said, sizeof said);
    ck_assert_msg(!strstr(said, "outside study.range") == (t->outside == 0), "%s", said);
  }
}

TEST(laws_without_bins_are_refused) {
  static const char *const wrong[][2] = {
      {"functionals: [x1], range: [1, 1]", "must ascend"},
      {"functionals: [x1], range: [1]", "study.range"},
      {"functionals: [energy], uniform: true", "the law of energy on the orbit is not known"},
      {"functionals: []", "study.functionals"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    is_refused(
        0, wrong[i][1],
        "system: {name: rigid_body, inertia: [2, 1, 0.5]}\nstudy: {kind: law, coarsest_step: "
        "1/8, coarsest_steps: 1, levels: 1, reference: 1, paths: 2, %s}\n",
        wrong[i][0]);
}

RUN_TESTS_WITH_MPI
