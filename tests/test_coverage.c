/* Do the intervals that studies print cover what is known exactly? Every kind of interval over many
   seeds: as many as CASIMIR_COVERAGE_SEEDS says (bench/coverage.sh has 200 and judges by 90 to
   99%), otherwise few, with a bound that intervals of 93% miss in one of 10^6 runs. */
/* ranks: 1 */
/* lane: slow */
#include "statistics/fit_impl.h"
#include "studies/laws/distribution.h"
#include "study_fixture.h"

enum { MOST = 8 };

/* What of a study covers, interval by interval. */
typedef struct {
  void (*check)(const cas_results *r, bool *covered);
  const char *interval[MOST]; /* names, then NULL */
  /* Bits of the intervals that cover more than 95% by intent: ones that end at edges of bins, and
     weak orders, which unite the intervals of several laws. */
  unsigned wide;
} intervals;

enum { FIRST = 1, ALL = (1 << MOST) - 1 };

static bool inside(double low, double x, double high) { return low <= x && x <= high; }

static bool within(double estimate, double error, double exact, double paths) {
  return fabs(estimate - exact) <= cas_student_quantile(0.95, paths - 1) * error;
}

static bool order_covers(const cas_laws *l, double theory) {
  cas_law law = cas_laws_headline(l);
  return inside(law.low, theory, law.high);
}

/* ---- orders ---- */

static void strong_orders(const cas_results *r, bool *covered) {
  for (int i = 0; i < 3; i++)
    covered[i] =
        order_covers(&cas_results_curve(r, i)->laws, cas_results_curve(r, i)->expected_order);
}

/* Nor is theory contradicted. */
static void small_noise_orders(const cas_results *r, bool *covered) {
  strong_orders(r, covered);
  for (int i = 0; i < 3; i++)
    covered[i] &= !cas_findings_have(cas_results_curve(r, i)->findings, CAS_DIFFERS);
}

#define STRONG_CURVES \
  { "horizon", "supremum", "increments" }
static const intervals strong = {strong_orders, STRONG_CURVES, 0},
                       small_noise = {small_noise_orders, STRONG_CURVES, ALL};

/* E x1 = exp(-sigma^2 t) 0.6 */
static double exact_mean(double t) { return 0.6 * exp(-0.64 * t); }

/* Against a reference, or of differences, of which no mean is on a reference. */
static void weak_order(const cas_results *r, bool *covered) {
  const cas_multilevel *m = cas_results_multilevel(r);
  const cas_curve *c = m ? &m->functional[0] : cas_results_curve(r, 0);
  const double exact = exact_mean(0.5);
  covered[0] = order_covers(&c->laws, 1);
  covered[1] = within(c->extrapolated.value, c->extrapolated.standard_error, exact, m ? 1000 : 500);
  covered[2] =
      !m && within(c->mean.value[c->levels], c->mean.standard_error[c->levels], exact, 500);
}

static const intervals weak = {
    weak_order, {"order", "mean extrapolated to h = 0", "mean on the reference"}, FIRST};
static const intervals differences = {weak_order, {"order", "mean extrapolated to h = 0"}, FIRST};

static void paper_weak_order(const cas_results *r, bool *covered) {
  for (int i = 0; i < 3; i++)
    covered[i] = order_covers(&cas_results_multilevel(r)->functional[i].laws, 1);
}

static const intervals paper = {paper_weak_order, {"sin2pi", "x1", "energy"}, ALL};

static void multilevel_monte_carlo(const cas_results *r, bool *covered) {
  const cas_curve *f = &cas_results_mlmc(r)->functional[0];
  covered[0] = fabs(f->estimate.value - exact_mean(0.5)) <= 1.96 * f->estimate.total_error;
}

static const intervals mlmc = {multilevel_monte_carlo, {"1.96 total errors"}, 0};

/* ---- no error at all ---- */

/* E x1 and E x2 of (0, 0, 1) are 0 by symmetry, with any step. */
static void no_error(const cas_results *r, bool *covered) {
  covered[0] = true;
  for (int i = 0; i < cas_results_curves(r); i++)
    for (int j = 0; j < r->levels; j++)
      covered[0] &= !cas_results_curve(r, i)->resolved[j];
}

static const intervals resolved = {no_error, {"12 levels"}, 0};

/* ---- distributions ---- */

/* x1 has come to be uniform on [-1, 1]. */
static void spread(const cas_results *r, bool *covered) {
  const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[0];
  covered[0] = within(*o->variance.value, *o->variance.standard_error, 1 / 3.0, 500);
  covered[1] = within(*o->mean.value, *o->mean.standard_error, 0, 500);
  for (int k = 0; k < 3; k++)
    covered[2 + k] = inside(o->quantile.low[k], 2 * cas_results_ensemble(r)->probability[k] - 1,
                            o->quantile.high[k]);
}

static const intervals ensemble = {
    spread, {"variance", "mean", "quantile 0.05", "median", "quantile 0.8"}, 0};

/* x1 = cos(theta), theta normal of variance 1/4: its density is infinite at 1, and bins are wide
   there beside the sampling error of a quantile. */
static void edge(const cas_results *r, bool *covered) {
  /* of |theta| over its deviation, at the quantiles of the cosine */
  static const double theta[3] = {1.959963984540054, 0.674489750196082, 0.062706777943214};
  const cas_ensemble_observable *o = &cas_results_ensemble(r)->observable[0];
  for (int k = 0; k < 3; k++) {
    ck_assert(o->quantile.low[k] == 1 && o->quantile.high[k] == 1); /* all paths start alike */
    covered[k] = inside(o->quantile.low[3 + k], cos(0.5 * theta[k]), o->quantile.high[3 + k]);
  }
}

static const intervals by_bins = {
    edge, {"quantile 0.05", "median", "quantile 0.95, at the edge"}, ALL};

/* ---- distances of laws ---- */

/* The law of x after Euler-Maruyama steps of dx = p dt, dp = -x dt - s dW, a normal one. */
static void law_of(double h, int64_t steps, double *mean, double *deviation) {
  const double s = 0.5;
  double x = 1, p = 0, xx = 0, xp = 0, pp = 0; /* means and covariances */
  for (int64_t n = 0; n < steps; n++) {
    double next = x + h * p, next_xx = xx + 2 * h * xp + h * h * pp,
           next_xp = xp + h * (pp - xx) - h * h * xp;
    p -= h * x;
    pp += s * s * h - 2 * h * xp + h * h * xx;
    x = next, xx = next_xx, xp = next_xp;
  }
  *mean = x;
  *deviation = sqrt(xx);
}

/* The distances from the law of the reference that edges of bins show. */
static void distances_of(const cas_results *r, const cas_distribution_table *t, int level,
                         double *smirnov, double *wasserstein) {
  double mean[2], deviation[2], before = 0;
  for (int k = 0; k < 2; k++)
    law_of(r->step[k ? t->levels : level], r->steps[k ? t->levels : level], &mean[k],
           &deviation[k]);
  *smirnov = *wasserstein = 0;
  for (int b = 0; b <= t->bins; b++) {
    double edge = t->low + (t->high - t->low) * b / t->bins,
           now = fabs(erfc((mean[0] - edge) / deviation[0] / sqrt(2)) -
                      erfc((mean[1] - edge) / deviation[1] / sqrt(2))) /
                 2;
    *smirnov = fmax(*smirnov, now);
    *wasserstein += b > 0 ? (t->high - t->low) / t->bins * (now + before) / 2 : 0;
    before = now;
  }
}

static void distances(const cas_results *r, bool *covered) {
  const cas_distribution_table *t = cas_results_find(r, "law/x");
  double smirnov[3], wasserstein[3];
  for (int l = 0; l < 3; l++)
    distances_of(r, t, l, &smirnov[l], &wasserstein[l]);
  for (int l = 0; l < 2; l++) {
    double order = cas_fit_order_against(wasserstein[l] / wasserstein[l + 1], r->step[l],
                                         r->step[l + 1], r->step[t->levels], NULL);
    covered[l] = inside(t->smirnov.low[l], smirnov[l], t->smirnov.high[l]);
    covered[2 + l] = inside(t->wasserstein.low[l], wasserstein[l], t->wasserstein.high[l]);
    covered[4 + l] = isfinite(t->local_order.low[l] + t->local_order.high[l]) &&
                     inside(t->local_order.low[l], order, t->local_order.high[l]);
  }
}

static const intervals laws = {distances,
                               {"Smirnov", "Smirnov, next level", "Wasserstein",
                                "Wasserstein, next level", "order of Wasserstein's",
                                "order of Wasserstein's, next level"},
                               ALL};

/* ---- studies ---- */

/* Without inertia so(3) turns by its noises alone. */
#define FREE "rigid_body, inertia: [.inf, .inf, .inf], initial: [0.6, 0, 0.8], noise: "
#define ISOTROPIC FREE "{kind: linear, sigma: 0.8}"
#define OSCILLATOR                                                                             \
  "lie_poisson, algebra: brackets, components: [x, p, c], brackets: {x p: c}, casimirs: [c], " \
  "hamiltonian: (x^2 + p^2)/2, noise: [0.5*x], initial: [1, 0, 1]"
#define DISTANCES                                                                                  \
  "law, functionals: [x], range: [-2.5, 3.5], bins: 256, coarsest_step: 2^-3, coarsest_steps: 8, " \
  "levels: 3, "                                                                                    \
  "paths: 2000, "

static const struct {
  const char *what;
  const intervals *of;
  const char *system, *integrator, *study;
} cases[] = {
    {"strong order 1/2, three noises", &strong, ISOTROPIC, "truncation: 4",
     "strong, coarsest_step: 2^-6, coarsest_steps: 4, levels: 6, reference: 8, paths: 1000"},
    {"strong order 1, one noise, finest step 4 h_ref", &strong,
     FREE "{kind: linear, chi: [[0, 0, 0.5]]}", "truncation: 4",
     "strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 6, reference: 7, paths: 1000"},
    {"strong order 1/2, refinement 3", &strong, ISOTROPIC, "truncation: 4",
     "strong, coarsest_step: 2^-6, coarsest_steps: 4, refinement: 3, levels: 4, reference: 5, "
     "paths: 1000"},
    {"strong order 1/2, another scheme's reference", &strong, ISOTROPIC,
     "name: heun, truncation: 4",
     "strong, coarsest_step: 2^-6, coarsest_steps: 4, levels: 5, reference: {level: 8, "
     "integrator: munthe_kaas}, paths: 1000"},
    {"strong order 1, another scheme's reference", &strong,
     "rigid_body, inertia: [2, 1, 0.5], initial: [0.6, 0, 0.8], noise: {kind: linear, chi: "
     "[[0.3, -0.4, 0.5]]}",
     "name: implicit_midpoint, truncation: 4",
     "strong, coarsest_step: 2^-6, coarsest_steps: 4, levels: 5, reference: {level: 8, "
     "integrator: splitting}, paths: 1000"},
    /* h^4 of the squared error without noise is as large as its h at coarse steps */
    {"strong order 1/2, small noise", &small_noise,
     "rigid_body, inertia: [2, 1, 0.5], initial: [0.6, 0, 0.8], noise: {kind: quadratic, sigma: "
     "0.03}",
     "truncation: 4",
     "strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 6, reference: 9, paths: 500"},
    {"weak order 1 against a reference", &weak, ISOTROPIC, "truncation: 4",
     "weak, coarsest_step: 2^-4, coarsest_steps: 8, levels: 5, reference: 6, paths: 500, "
     "functionals: [x1]"},
    {"weak order 1 of differences", &differences, ISOTROPIC, "",
     "weak_multilevel, coarsest_step: 2^-4, coarsest_steps: 8, levels: 5, paths: 1000, "
     "functionals: [x1]"},
    {"weak order 1 of differences, refinement 3", &differences, ISOTROPIC, "",
     "weak_multilevel, coarsest_step: 2^-4, coarsest_steps: 8, refinement: 3, levels: 4, paths: "
     "1000, functionals: [x1]"},
    {"weak order of the rigid body", &paper,
     "rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}", "",
     "weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 3, levels: 5, paths: 5000, "
     "functionals: [sin2pi, x1, energy]"},
    {"multilevel Monte Carlo", &mlmc, ISOTROPIC, "",
     "mlmc, coarsest_step: 2^-4, coarsest_steps: 8, max_levels: 8, epsilon: 2e-3, functionals: "
     "[x1]"},
    {"no error seen where there is none", &resolved,
     "rigid_body, inertia: [.inf, .inf, .inf], initial: [0, 0, 1], noise: {kind: linear, sigma: "
     "0.8}",
     "",
     "weak, coarsest_step: 2^-5, coarsest_steps: 4, levels: 6, reference: 7, paths: 500, "
     "functionals: [x1, x2]"},
    {"ensemble", &ensemble, FREE "{kind: linear, sigma: 1}", "",
     "ensemble, step: 2^-5, steps: 256, times: [8], paths: 500, observables: [x1], quantiles: "
     "[0.05, 0.5, 0.8]"},
    {"cosine by bins", &by_bins,
     "rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, chi: [[0, 0, 0.5]]}, "
     "initial: [1, 0, 0]",
     "",
     "ensemble, step: 2^-4, steps: 16, every: 16, paths: 2000, observables: [x1], quantiles: "
     "[0.05, 0.5, 0.95]"},
    {"distance of laws", &laws, OSCILLATOR, "name: euler_maruyama", DISTANCES "reference: 6"},
    {"distance of laws, refinement 3", &laws, OSCILLATOR, "name: euler_maruyama",
     DISTANCES "refinement: 3, reference: 4"},
};

/* Where accesses are looked for, the second seed would show no other. */
static int seeds(void) {
  const char *text = getenv("CASIMIR_COVERAGE_SEEDS");
  int n = text ? atoi(text) : 0;
  return looks_for_accesses() ? 1 : n > 0 ? n : 40;
}

TEST_OVER(intervals_cover, sizeof cases / sizeof *cases) {
  const intervals *of = cases[_i].of;
  int n = seeds(), count[MOST] = {0};
  for (int seed = 1; seed <= n; seed++) {
    bool covered[MOST] = {false};
    of->check(results_of("system: {name: %s}\nrandom: {generator: threefry, seed: %d}\n"
                         "integrator: {%s}\nstudy: {kind: %s}\n",
                         cases[_i].system, seed, cases[_i].integrator, cases[_i].study),
              covered);
    for (int k = 0; of->interval[k]; k++)
      count[k] += covered[k];
  }
  for (int k = 0; of->interval[k]; k++)
    printf("%-55s %4d of %d +- %.0f%s\n", formatted("%s: %s", cases[_i].what, of->interval[k]),
           count[k], n, sqrt(n * 0.95 * 0.05), of->wide & 1u << k ? ", at least 95%" : "");
  fflush(stdout);
  for (int k = 0; of->interval[k]; k++)
    ck_assert_msg(count[k] >= least_count(n, 0.93, 1e-6), "%s: %s: %d of %d intervals cover",
                  cases[_i].what, of->interval[k], count[k], n);
}

RUN_TESTS_WITH_MPI
