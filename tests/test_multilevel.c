/* Differences of levels against exact laws, a prototype, and each other. */
/* ranks: 1 */
/* needs: sprng */
/* lane: slow */
#include "paths/noise/noise.h"
#include "studies/curve.h"
#include "studies/multilevel/multilevel_run.h"
#include "study_fixture.h"

/* ---- the generator's streams ---- */

/* Of 5 levels no two have a stream in common, and all are among those of the purpose. Where opening
   takes longer the higher the number, blocks 0 .. b-1 of all levels have the numbers below 5 b. */
TEST(levels_have_streams_of_their_own) {
  enum { LEVELS = 5, BLOCKS = 40 };
  for (const cas_generator *const *g = cas_generator_list(); *g; g++) {
    int64_t number[LEVELS * BLOCKS];
    for (int l = 0; l < LEVELS; l++) {
      cas_level_streams s =
          cas_noise_level_streams(*g, l == LEVELS - 1 ? CAS_STREAM_LEVELS - 1 : l, LEVELS);
      ck_assert_msg((*g)->replayed || s.blocks >= 1000, "%s", (*g)->name);
      ck_assert((*g)->replayed || s.first + (s.blocks - 1) * s.stride < (*g)->blocks);
      for (int b = 0; b < BLOCKS; b++) {
        number[l * BLOCKS + b] = s.first + b * s.stride;
        ck_assert(!(*g)->ascending || number[l * BLOCKS + b] < LEVELS * (b + 1));
      }
      ck_assert((*g)->ascending || (*g)->replayed || s.first >= l * s.blocks);
    }
    for (int i = 0; i < LEVELS * BLOCKS && !(*g)->replayed; i++)
      for (int j = 0; j < i; j++)
        ck_assert_msg(number[i] != number[j], "%s", (*g)->name);
  }
}

/* ---- lists of chunks ---- */

/* Every block of every round belongs to one chunk, blocks of a level come in their order, and
   stretches of a striped list have their part of every level. */
TEST_OVER(chunks_cover_rounds, 2) {
  enum { LEVELS = 3, W = 16, ROUNDS = 3 };
  const int64_t paths[ROUNDS][CAS_PLAN_LEVELS_MAX] = {
      {16 * 100, 16 * 10, 0}, {16 * 5000, 16 * 10, 16 * 7}, {16 * 5001 + 3, 16 * 900, 16 * 7 + 1}};
  cas_hierarchy *l = calloc(1, sizeof *l);
  ck_assert_ptr_nonnull(l);
  l->levels = LEVELS;
  l->stripes = _i ? 64 : 1;
  int64_t next_block[LEVELS] = {0}, chunk = 0, middle = 0;
  for (int k = 0; k < LEVELS; k++)
    l->level[k].blocks = 4 >> k;
  for (int i = 0; i < ROUNDS; i++) {
    MUST(cas_hierarchy_add_round(l, W, paths[i], &err));
    for (; chunk < l->chunks; chunk++) {
      int64_t first, next;
      int k = cas_hierarchy_chunk(l, chunk, &first, &next);
      ck_assert(first == next_block[k] && next > first && next - first <= l->level[k].blocks);
      next_block[k] = next;
      if (i == 2 && chunk == (l->round[2].first_chunk + l->chunks) / 2)
        middle = next_block[1];
    }
    for (int k = 0; k < LEVELS; k++)
      ck_assert_int_eq(next_block[k], (paths[i][k] + W - 1) / W);
  }
  ck_assert(_i == 0 || llabs(middle - 455) < 20);
  ck_assert_int_eq(cas_hierarchy_paths(l), 16 * 5001 + 3 + 16 * 900 + 16 * 7 + 1);
  free(l);
}

/* ---- the rigid body of the paper ---- */

static const cas_multilevel *run_levels(const char *study) {
  return multilevel_of(
      "system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666],\n  noise: {kind: quadratic, "
      "sigma: 0.1}, initial: [0.8912073600614354, 0, 0.4535961214255773]}\nintegrator: "
      "{truncation: 4}\nstudy: {kind: weak_multilevel, functionals: [sin2pi, x1], %s}\n",
      study);
}

static void expect_differences(const cas_curve *d, int levels, const double *wanted,
                               const double *error) {
  for (int l = 0; l < levels; l++) {
    double joint = sqrt(error[l] * error[l] +
                        d->difference.standard_error[l] * d->difference.standard_error[l]),
           off = fabs(d->difference.value[l] - wanted[l]) / joint;
    ck_assert_msg(isfinite(off) && off < 3, "level %d: %g instead of %g, %.1f standard errors", l,
                  d->difference.value[l], wanted[l], off);
  }
}

/* The table of the prototype, which went to 3 steps of 2^-5 on the coarse levels and 13 of 2^-7 on
   the others, the whole numbers of steps next to 0.1. */
TEST_OF_MANY_PATHS(differences_of_the_prototype) {
  const double coarse[] = {7.19e-5, 1.95e-5}, coarse_error[] = {4e-7, 1e-7},
               fine[] = {6.08e-6, 1.95e-6, 7.25e-7}, fine_error[] = {4e-8, 2e-8, 9e-9},
               gain[] = {720, 2800, 8800, 23000, 50000};
  const cas_curve *d =
      run_levels("coarsest_step: 2^-5, coarsest_steps: 3, levels: 5, paths: 20000")->functional;
  expect_differences(d, 2, coarse, coarse_error);
  for (int l = 0; l < 5; l++) {
    double measured = d->coupled.pair.variance[l] / d->coupled.variance[l] / gain[l];
    ck_assert_msg(measured > 0.9 && measured < 1.1, "level %d: gain %g of %g", l, measured,
                  gain[l]);
    ck_assert(d->difference.standard_error[l] < 0.02 * fabs(d->difference.value[l]) &&
              d->resolved[l]);
    ck_assert(l == 0 ||
              (d->difference_order.value[l - 1] > 1.3 && d->difference_order.value[l - 1] < 2));
  }
  ck_assert(d->difference_order.value[0] > d->difference_order.value[2] &&
            d->difference_order.value[1] > d->difference_order.value[3]);
  d = run_levels("coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, paths: 20000")->functional;
  expect_differences(d, 3, fine, fine_error);
}

/* Variances fall like h^2, with one fine path like h, which is one of the antithetic ones. */
TEST_OF_MANY_PATHS(variances_fall) {
#define COUPLED "coarsest_step: 2^-9, coarsest_steps: 48, levels: 3, paths: 5000, coupling: "
  const cas_multilevel *two = run_levels(COUPLED "antithetic"),
                       *one = run_levels(COUPLED "adjacent");
  for (int f = 0; f < 2; f++) {
    const cas_curve *a = &two->functional[f], *b = &one->functional[f];
    ck_assert_msg(fabs(a->coupled.variance_decay.order - 2) < 0.2, "antithetic: %g",
                  a->coupled.variance_decay.order);
    ck_assert_msg(fabs(b->coupled.variance_decay.order - 1) < 0.15, "adjacent: %g",
                  b->coupled.variance_decay.order);
    ck_assert(a->coupled.variance_decay.low < a->coupled.variance_decay.order &&
              a->coupled.variance_decay.order < a->coupled.variance_decay.high);
    for (int l = 0; l < 3; l++) {
      ck_assert(a->coupled.pair.variance[l] == b->coupled.variance[l] &&
                a->coupled.variance[l] < 1e-3 * b->coupled.variance[l]);
      ck_assert(a->mean.value[l] == b->mean.value[l] &&
                a->coupled.fine.mean[l] == b->coupled.fine.mean[l]);
    }
  }
  ck_assert(!cas_findings_have(two->functional[0].findings, CAS_NOT_ANTITHETIC));
  ck_assert(!cas_findings_have(two->functional[0].findings, CAS_OUTLIERS));
  ck_assert(fabs(two->steps[2] - 5 * 192) < 0.5 && one->steps[2] == 3 * 192);
  ck_assert(two->cost_growth > 0.7 && two->cost_growth < 1);
}

/* ---- exact laws ---- */

/* Without a Hamiltonian a step turns x by the angle 2 atan(|psi|/2) about psi, and psi is normal of
   variance sigma^2 h in each direction: E x_{n+1} = g E x_n, g = 1/3 + 2/3 E cos(angle). */
static double turn(double sigma, double h) {
  const int n = 20000;
  double sum = 0, weight = 0;
  for (int i = 1; i < n; i++) {
    double s = 12.0 * i / n, w = s * s * exp(-s * s / 2), q2 = sigma * sigma * h * s * s / 4;
    sum += w * (1 - q2) / (1 + q2);
    weight += w;
  }
  return 1.0 / 3 + 2.0 / 3 * sum / weight;
}

TEST_OF_MANY_PATHS(linear_noise_is_exact) {
  enum { L = 4, STEPS = 8 };
  const double sigma = 0.8, x0[] = {0.6, 0.8};
  const cas_results *r =
      results_of("system: {name: rigid_body, inertia: [.inf, .inf, .inf],\n"
                 "  noise: {kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}\n"
                 "study: {kind: weak_multilevel, coarsest_step: 1/16, horizon: 0.5,\n"
                 "  levels: 4, functionals: [x1, x3], paths: 40000,\n"
                 "  exact: [0.4356894222, 0.5809192296]}\n");
  for (int f = 0; f < 2; f++) {
    const cas_curve *curve = cas_results_curve(r, f);
    for (int l = 0; l <= L; l++) { /* the bias of the scheme, turn^n - exp(-sigma^2 t) */
      const double h = 0.0625 / (1 << l),
                   bias = x0[f] * (pow(turn(sigma, h), STEPS << l) - exp(-0.32)),
                   off = fabs(curve->bias[l] - bias) / curve->mean.standard_error[l];
      ck_assert_msg(isfinite(off) && off < 4, "x%d level %d: bias %g instead of %g", 2 * f + 1, l,
                    curve->bias[l], bias);
    }
    const cas_curve *d = &cas_results_multilevel(r)->functional[f];
    for (int l = 0; l < L; l++) {
      double h = 0.0625 / (1 << l), n = STEPS << l,
             exact = x0[f] * (pow(turn(sigma, h), n) - pow(turn(sigma, h / 2), 2 * n)),
             off = fabs(d->difference.value[l] - exact) / d->difference.standard_error[l];
      ck_assert_msg(isfinite(off) && off < 4,
                    "x%d level %d: %g instead of %g, %.1f standard errors", 2 * f + 1, l,
                    d->difference.value[l], exact, off);
      ck_assert(d->resolved[l]);
    }
    const cas_law order = cas_laws_headline(&d->laws), two = d->laws.law[CAS_LAW_TWO_TERM];
    ck_assert_msg(order.low <= 1 && 1 <= order.high && order.high < 2, "%s",
                  findings_text(d->findings));
    ck_assert_msg(two.low <= 1 && 1 <= two.high && two.high < 1.5, "[%g, %g]", two.low, two.high);
    ck_assert_msg(cas_findings_have(d->findings, CAS_CONSISTENT), "%s", findings_text(d->findings));
  }
}

/* ---- all systems ---- */

static void check_antithetic(const cas_integrator *i, const study_case *c) {
  const char *integrator = i->name;
  /* Of 1000 paths the difference of levels is 2.2 standard errors where vortices move implicitly.
     Paths of a fluid are dear. */
  const int paths = strcmp(c->name, "euler_zeitlin") == 0    ? 400
                    : strcmp(c->name, "point_vortices") == 0 ? 4000
                                                             : 1000;
  const cas_results *r = results_of("system: %s\nintegrator: {name: %s}\n"
                                    "study: {kind: weak_multilevel, %s, levels: 3, paths: %d}\n",
                                    c->system, integrator, c->study, paths);
  const cas_curve *d = &cas_results_multilevel(r)->functional[0];
  ck_assert_msg(fabs(d->coupled.variance_decay.order - 2) < 0.3, "%s of %s: %g", integrator,
                c->name, d->coupled.variance_decay.order);
  /* the weak error of an explicit scheme may be that small here */
  ck_assert(d->resolved[0] || i->is_explicit);
  ck_assert(d->coupled.pair.variance[0] > 1000 * d->coupled.variance[0]);
  ck_assert(d->coupled.kurtosis[0] > 2 && d->coupled.kurtosis[0] < 20);
  ck_assert(r->health.failed_paths == 0);
  ck_assert(!(i->keeps & CAS_KEEPS_CASIMIRS) || r->health.casimir_drift_max < 1e-12);
  ck_assert(r->health.steps_taken[1] == 5 * r->health.steps_taken[0] * 6 / 5);
}

/* by all integrators that say so, or some; one at least where Lie-Poisson noises have areas */
TEST_OF_MANY_PATHS_OVER(every_system_is_antithetic, count_systems()) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  const cas_integrator *antithetic[20];
  int n = 0;
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    if ((*i)->antithetic && fits(s, *i))
      antithetic[n++] = *i;
  for (int i = 0; i < repetitions(n); i++)
    check_antithetic(antithetic[(_i + i) % n], study_case_of(s->name));
  ck_assert((n > 0) == fits(s, cas_integrator_find("heun")));
}

/* ---- the fits ---- */

static const double step[] = {0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125};

static void delete_levels(void *m) { cas_table_delete(&cas_table_multilevel, m); }

/* Levels of these paths each, whose variances are `variance` times h^decay, and work 7 / h. */
static cas_multilevel *make_levels(int levels, int64_t paths, double variance, double decay) {
  const cas_multilevel like = {.levels = levels, .functionals = 1};
  cas_multilevel *m = cas_table_new(&cas_table_multilevel, NULL, NULL, &like, NULL);
  ck_assert_ptr_nonnull(m);
  suite_keep(m, delete_levels);
  snprintf(m->coupling, sizeof m->coupling, "antithetic");
  cas_curve *d = &m->functional[0];
  for (int l = 0; l < levels; l++) {
    m->paths[l] = paths;
    m->steps[l] = 1 / step[l];
    m->work[l] = 7 / step[l];
    d->coupled.fine.mean[l] = d->coupled.fine.variance[l] = 1;
    d->coupled.kurtosis[l] = 3;
    d->coupled.variance[l] = variance * pow(step[l], decay);
    d->difference.value[l] = 3 * sqrt(d->coupled.variance[l]);
    d->difference.standard_error[l] = sqrt(d->coupled.variance[l] / (double)paths);
  }
  return m;
}

/* Exact differences of c h^q give q between levels and weak errors c (h^q - h_ref^q);
   test_mlmc_decisions.c has the laws that are fitted to them. */
TEST(fits_power_laws) {
  enum { L = 5 };
  const double c = -3, q = 1.3;
  double square = 0;
  cas_multilevel *m = make_levels(L, 1000, 5, 2);
  cas_curve *curve =
      cas_table_new(&cas_table_weak, "x", "1", &(cas_curve){.kind = CAS_WEAK, .levels = L}, NULL);
  cas_curve *d = &m->functional[0];
  for (int l = 0; l < L; l++) {
    d->difference.value[l] = c * (pow(step[l], q) - pow(step[l + 1], q));
    d->difference.standard_error[l] = 0.01 * fabs(d->difference.value[l]);
  }
  cas_multilevel_fit(m, step, false, false);
  cas_multilevel_curve(m, 0, step, curve);
  ck_assert(fabs(d->coupled.variance_decay.order - 2) < 1e-9 && fabs(m->cost_growth - 1) < 1e-9);
  ck_assert(fabs(d->coupled.variance_decay.constant - 5) < 1e-8);
  for (int l = L - 1; l >= 0; l--) {
    square += pow(d->difference.standard_error[l], 2);
    ck_assert(fabs(curve->error.value[l] - c * (pow(step[l], q) - pow(step[L], q))) < 1e-12);
    ck_assert(fabs(curve->error.standard_error[l] - sqrt(square)) < 1e-14);
  }
  for (int l = 0; l + 2 < L; l++)
    ck_assert(fabs(curve->difference_order.value[l] - q) < 1e-9);
  for (int l = 0; l + 1 < L; l++) {
    ck_assert(fabs(d->difference_order.value[l] - q) < 1e-9 &&
              fabs(d->coupled.local_decay[l] - 2) < 1e-9);
    ck_assert(fabs(d->difference_order.standard_error[l] - 0.01 * sqrt(2) / log(2)) < 1e-12);
  }
  cas_table_delete(&cas_table_weak, curve);
}

/* Variances of few paths scatter, and a slope that they happen to have is no warning. */
TEST_OVER(few_paths_warn_of_nothing, 2) {
  cas_multilevel *m = make_levels(3, _i ? 2000 : 16, 1, 1.2);
  cas_multilevel_fit(m, step, false, false);
  ck_assert_msg(cas_findings_have(m->functional[0].findings, CAS_NOT_ANTITHETIC) == _i, "%s",
                findings_text(m->functional[0].findings));
}

#define FLUID \
  "euler_zeitlin, N: 4, noise: {amplitude: 0.3, lmin: 1}, initial: {random: {seed: 7, norm: 1}}"

static const struct {
  const char *system, *functional;
  int levels;
  cas_finding code;
} words[] = {{FLUID, "energy", 1, CAS_TOO_FEW_LEVELS},
             {FLUID, "enstrophy", 3, CAS_ALL_ROUNDING},
             {FLUID, "enstrophy", 1, CAS_ALL_ROUNDING},
             {FLUID, "energy", 3, CAS_TOO_FEW_LEVELS},
             {FLUID, "energy", 4, CAS_NOT_RESOLVED},
             /* no Levy area: one fine path has h^2 too */
             {"rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0, 0, 0.5]]}", "x1", 3,
              CAS_NOISES_COMMUTE}};

TEST_OF_MANY_PATHS_OVER(orders_are_said_as_they_are, sizeof words / sizeof *words) {
  const cas_results *r =
      results_of("system: {name: %s}\nstudy: {kind: weak_multilevel, coarsest_step: 2^-3, "
                 "coarsest_steps: 4, levels: %d, functionals: [%s], paths: 2000}\n",
                 words[_i].system, words[_i].levels, words[_i].functional);
  const cas_curve *d = &cas_results_multilevel(r)->functional[0], *c = cas_results_curve(r, 0);
  ck_assert_msg(cas_findings_have(d->findings, words[_i].code), "%s", findings_text(d->findings));
  ck_assert_uint_eq(c->findings, d->findings);
  for (int l = 0; words[_i].code == CAS_ALL_ROUNDING && l < words[_i].levels; l++)
    ck_assert(!d->resolved[l] && !c->resolved[l]);
}

RUN_TESTS_WITH_MPI
