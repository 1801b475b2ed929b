/* Transport noise, rotation, damping and forcing of Euler-Zeitlin, in cases that are solved
   exactly. States are so small where it matters that the drift is below rounding. */
/* ranks: 1 */
/* needs: sprng */
#include "fluid_fixture.h"
#include "math/algebra/su_n.h"
#include "math/harmonics/hoppe_yau.h"
#include "systems/sphere/euler_zeitlin.h"

static const double pi = 3.14159265358979323846;

static void run_sphere(const char *system, const char *rest) {
  run_well(NULL, "system: {name: euler_zeitlin, %s}\n%s\n", system, rest);
}

/* omega[record * N^2 + mode] = <T_lm, X> of the records of the last run, of one path; the caller
   frees */
static double *coefficients(int N, int64_t *records) {
  series s = recorded_series("state");
  double *omega = calloc((size_t)(s.records * N * N), sizeof *omega),
         *x = calloc((size_t)(N * N), sizeof *x);
  cas_hoppe_yau b;
  cas_error err;
  ck_assert(!cas_hoppe_yau_create(N, 0, N, &b, &err));
  for (int64_t r = 0; r < s.records; r++) {
    const double *state = s.value + r * s.numbers;
    for (int i = 0; i < N; i++) {
      x[i] = state[2 * (i * N + i) + 1];
      for (int j = i + 1; j < N; j++) {
        x[cas_su_n_re(N, i, j)] = state[2 * (i * N + j)];
        x[cas_su_n_im(N, i, j)] = state[2 * (i * N + j) + 1];
      }
    }
    cas_hoppe_yau_coefficients(&b, 1, x, omega + r * N * N);
  }
  cas_hoppe_yau_free(&b);
  *records = s.records;
  free(s.value);
  free(x);
  return omega;
}

/* The numbers c and sqrt c: [T_1a, T_1b] = +-sqrt c T_1c for the three of degree 1, which stand for
   i J/|J|, and so sum over m of [T_1m, [T_1m, T_l]] is -c l(l+1) T_l. */
static double structure_constant(int N) { return 12 / (N * (N * (double)N - 1)); }

/* ---- transport noise ---- */

static const int sizes[] = {5, 26};

/* A field a T_10 turns the sphere about its axis by a sqrt c W_t: with exponentials, exactly. */
TEST_OVER(one_field_of_degree_1_turns_the_sphere, 2) {
  const int N = sizes[_i];
  const double a = 0.4;
  char system[300];
  int64_t records;
  snprintf(system, sizeof system,
           "N: %d, noise: {kind: transport, amplitude: 0.5, fields: [[1, 1, 0, %g]]}, initial: "
           "{random: {seed: 3, norm: 1e-14, lmax: 4}}",
           N, 2 * a * sqrt(1 / structure_constant(N)));
  run_sphere(system, "integrator: {name: munthe_kaas, tolerance: 1e-16}\nrandom: {seed: 4, "
                     "generator: threefry}\nstudy: {kind: trajectory, step: 2^-6, steps: 32}");
  double *omega = coefficients(N, &records), most = 0;
  for (int64_t r = 1; r < records; r++) {
    const double *now = omega + r * N * N;
    double angle = atan2(omega[cas_hoppe_yau_mode(1, 1)], omega[cas_hoppe_yau_mode(1, -1)]) -
                   atan2(now[cas_hoppe_yau_mode(1, 1)], now[cas_hoppe_yau_mode(1, -1)]);
    most = fmax(most, fabs(remainder(angle, 2 * pi)));
    for (int l = 1; l <= 4; l++)
      for (int m = 0; m <= l; m++) {
        double x = omega[cas_hoppe_yau_mode(l, -m)], y = m ? omega[cas_hoppe_yau_mode(l, m)] : 0;
        double c = cos(m * angle), s = sin(m * angle);
        ck_assert_msg(
            fabs(now[cas_hoppe_yau_mode(l, -m)] - (c * x + s * y)) <= 1e-26 &&
                (m == 0 || fabs(now[cas_hoppe_yau_mode(l, m)] - (c * y - s * x)) <= 1e-26),
            "N = %d, record %d: mode (%d, %d) is not turned by %g", N, (int)r, l, m, angle);
      }
  }
  ck_assert(most > 0.05 && most < 10 * a);
  free(omega);
}

/* Three fields a T_1m: every coefficient of degree l decays in the mean as exp(-a^2 c l(l+1)
   t/2). */
TEST_OF_MANY_PATHS(isotropic_fields_of_degree_1_decorrelate) {
  enum { N = 4, PATHS = 4000 };
  const double decay = 0.8; /* a^2 c t */
  const char *const names[] = {"w1", "w2", "w3"};
  char system[300], study[500];
  cas_results r;
  cas_error err;
  snprintf(
      system, sizeof system,
      "N: %d, noise: {kind: transport, fields: [[1, 1, -1, %.17g], [2, 1, 0, %.17g], [3, 1, 1, "
      "%.17g]]}, initial: {coefficients: [[1, 0, 1e-9], [2, 1, 1e-9], [3, -2, 1e-9]]}",
      N, sqrt(decay / structure_constant(N)), sqrt(decay / structure_constant(N)),
      sqrt(decay / structure_constant(N)));
  snprintf(study, sizeof study,
           "study: {kind: ensemble, step: 2^-8, steps: 256, every: 256, paths: %d, bins: 0, "
           "observables: [{w1: \"1e9*coefficient(1,0)\"}, {w2: \"1e9*coefficient(2,1)\"}, {w3: "
           "\"1e9*coefficient(3,-2)\"}]}",
           PATHS);
  run_well(&r, "system: {name: euler_zeitlin, %s}\n%s\n", system, study);
  cas_results_free(&r);
  for (int l = 1; l <= 3; l++) {
    double *mean, *variance, exact = exp(-decay * l * (l + 1) / 2);
    int rank;
    int64_t dims[4];
    bool is_complex;
    char name[80];
    snprintf(name, sizeof name, "/ensemble/%s/mean", names[l - 1]);
    ck_assert(!cas_dataset_read("results.h5", name, &rank, dims, &is_complex, &mean, &err));
    int64_t last = dims[0] - 1;
    snprintf(name, sizeof name, "/ensemble/%s/variance", names[l - 1]);
    ck_assert(!cas_dataset_read("results.h5", name, &rank, dims, &is_complex, &variance, &err));
    double error = 4 * sqrt(variance[last] / PATHS) + 0.01; /* of the step */
    ck_assert_msg(fabs(mean[last] - exact) <= error && error < 0.1, "degree %d: %g, must be %g", l,
                  mean[last], exact);
    free(mean);
    free(variance);
  }
}

/* The Ito drift of fields that do not commute: by Euler-Maruyama and by Heun's scheme, which needs
   none, a path ends at the same state, up to errors of order 1/2. Without the drift they differ by
   0.5. */
TEST_OVER(ito_drift_of_transport_noise, 2) {
  static const char *const schemes[] = {"heun", "euler_maruyama"};
  const int N = sizes[_i];
  char system[300], rest[300];
  double *w[2], distance = 0, moved = 0;
  int64_t records;
  snprintf(
      system, sizeof system,
      "N: %d, noise: {kind: transport, amplitude: %g, fields: [[1, 2, -1, 1], [2, 1, 0, 1], [2, "
      "2, 2, -1]]}, initial: {coefficients: [[1, 0, 1e-9], [2, 1, 1e-9], [3, -2, 1e-9]]}",
      N, 0.3 / sqrt(structure_constant(N)));
  for (int k = 0; k < 2; k++) {
    snprintf(rest, sizeof rest,
             "integrator: {name: %s}\nrandom: {generator: threefry}\nstudy: {kind: trajectory, "
             "step: 2^-11, steps: 2048, every: 2048}",
             schemes[k]);
    run_sphere(system, rest);
    w[k] = coefficients(N, &records);
  }
  for (int i = 0; i < N * N - 1; i++) {
    distance += pow(w[0][N * N + i] - w[1][N * N + i], 2);
    moved += pow(w[0][N * N + i] - w[0][i], 2);
  }
  ck_assert_msg(sqrt(distance) <= 1.5e-10 && sqrt(moved) >= 5e-10, "distance %g, moved %g",
                sqrt(distance), sqrt(moved));
  free(w[0]);
  free(w[1]);
}

/* ---- rotation ---- */

/* A wave of degree l beside the Coriolis parameter drifts at the rate -2 Omega/(l(l+1)) on the unit
   sphere, at any N and any amplitude. Returns the largest of the errors of all coefficients. */
static double error_of_drift(int N, int steps) {
  const int l = 3, m = 2;
  const double omega = 2.5, horizon = 0.25, drift = -2 * omega / (l * (l + 1)) * horizon;
  char system[300], study[300];
  int64_t records;
  snprintf(system, sizeof system,
           "N: %d, time_unit: physical, rotation: %g, initial: {coefficients: [[%d, %d, 1.5]]}", N,
           omega, l, -m);
  snprintf(study, sizeof study,
           "integrator: {tolerance: 1e-15}\nstudy: {kind: trajectory, step: %.17g, steps: %d, "
           "every: %d}",
           horizon / steps, steps, steps);
  run_sphere(system, study);
  double *w = coefficients(N, &records), *now = w + (records - 1) * N * N, most = 0;
  for (int i = 0; i < N * N - 1; i++) {
    /* cos(m (phi - drift)) = cos(m drift) cos(m phi) + sin(m drift) sin(m phi) */
    double wanted = i == cas_hoppe_yau_mode(1, 0)    ? 2 * omega * sqrt(4 * pi / 3)
                    : i == cas_hoppe_yau_mode(l, -m) ? 1.5 * cos(m * drift)
                    : i == cas_hoppe_yau_mode(l, m)  ? 1.5 * sin(m * drift)
                                                     : 0;
    most = fmax(most, fabs(now[i] - wanted));
  }
  ck_assert(fabs(w[cas_hoppe_yau_mode(1, 0)] - 2 * omega * sqrt(4 * pi / 3)) <= 1e-13);
  free(w);
  return most;
}

/* The Coriolis parameter alone, and zonal flows beside it, stay where they are. */
TEST_OVER(zonal_flows_on_a_rotating_sphere_are_steady, 2) {
  static const char *const zonal[] = {"[[1, 0, 0]]", "[[1, 0, 0.4], [3, 0, 1.5]]"};
  const int N = sizes[_i];
  for (int k = 0; k < 2; k++) {
    char system[300];
    int64_t records;
    snprintf(system, sizeof system,
             "N: %d, time_unit: physical, rotation: 2.5, initial: {coefficients: %s}", N, zonal[k]);
    run_sphere(system, "study: {kind: trajectory, step: 2^-4, steps: 16}");
    double *w = coefficients(N, &records);
    ck_assert(fabs(w[cas_hoppe_yau_mode(1, 0)]) > 5);
    for (int64_t r = 0; r < records; r++)
      for (int i = 0; i < N * N - 1; i++)
        ck_assert_msg(fabs(w[r * N * N + i] - w[i]) <= 1e-13, "mode %d: %g, must be %g", i,
                      w[r * N * N + i], w[i]);
    free(w);
  }
}

/* Errors are those of the step alone, and so of second order. */
TEST_OVER(waves_on_a_rotating_sphere_drift_westward, 2) {
  double coarse = error_of_drift(sizes[_i], 256), fine = error_of_drift(sizes[_i], 512);
  ck_assert_msg(fine <= 1e-6 && fabs(log2(coarse / fine) - 2) < 0.05, "errors %g, %g", coarse,
                fine);
}

/* ---- damping and forcing ---- */

TEST_OVER(friction_scales_casimirs, 2) {
  assert_friction_scales_casimirs("euler_zeitlin", sizes[_i],
                                  "noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}",
                                  1e-13);
}

/* Forcing changes Casimirs in a way that is not known: they are not checked, which the results
   say. */
TEST_OVER(casimirs_are_not_checked_under_forcing, 2) {
  char system[300];
  cas_results r;
  snprintf(
      system, sizeof system,
      "N: %d, damping: {viscosity: 0.05, power: 2}, forcing: {steady: [[2, 1, 1.5]]}, initial: "
      "{random: {seed: 1, norm: 3}}",
      sizes[_i]);
  run_well(&r,
           "system: {name: euler_zeitlin, %s}\nstudy: {kind: trajectory, step: "
           "2^-6, steps: 16, observables: [casimir_departure]}\n",
           system);
  ck_assert(r.provenance.casimirs && r.health.casimir_drift_max > 1e-3);
  cas_results_free(&r);
}

/* Small states have the solution of dw = (-lambda w + f) dt, whatever the step. */
TEST_OVER(damping_and_steady_forcing_are_exact, 2) {
  const int N = sizes[_i];
  const double nu = 0.02, mu = 0.1, f = 1e-12, w0 = 1e-12, t = 1;
  char system[400];
  int64_t records;
  snprintf(
      system, sizeof system,
      "N: %d, damping: {viscosity: %g, power: 2, friction: %g}, forcing: {steady: [[3, 2, %g], "
      "[1, -1, %g]]}, initial: {coefficients: [[1, 0, %g], [2, 1, %g], [4, -3, %g]]}",
      N, nu, mu, f, f, w0, w0, w0);
  run_sphere(system,
             "integrator: {tolerance: 1e-16}\nstudy: {kind: trajectory, step: 2^-3, steps: 8}");
  double *w = coefficients(N, &records), *now = w + (records - 1) * N * N;
  for (int l = 1; l < N; l++)
    for (int m = -l; m <= l; m++) {
      const double rate = nu * pow(l * (l + 1) - 2, 2) + mu;
      const bool forced = (l == 3 && m == 2) || (l == 1 && m == -1);
      double wanted = w[cas_hoppe_yau_mode(l, m)] * exp(-rate * t) +
                      (forced ? f * (1 - exp(-rate * t)) / rate : 0);
      ck_assert_msg(fabs(now[cas_hoppe_yau_mode(l, m)] - wanted) <= 1e-23,
                    "(%d, %d): %g, must be %g", l, m, now[cas_hoppe_yau_mode(l, m)], wanted);
    }
  free(w);
}

/* One path and lanes of a block have the same flow. */
TEST(flows_of_one_path_and_of_lanes_agree) {
  enum { N = 9, W = 16, MODES = N * N };
  static const char text[] =
      "system: {N: 9, rotation: 0.5, damping: {viscosity: 0.01, friction: 0.2}, forcing: {steady: "
      "[[2, 0, 1]], white: {lmin: 3, lmax: 4, rate: 0.5}}}";
  for (int k = 0; cas_kernels_list(k); k++) {
    cas_config *c;
    cas_error err;
    const cas_system *s = NULL;
    for (const cas_system *const *i = cas_kernels_list(k)->systems; *i; i++)
      if (strcmp((*i)->name, "euler_zeitlin") == 0)
        s = *i;
    void *parameters = calloc(1, s->parameters_size);
    ck_assert(!cas_config_parse(text, strlen(text), "test", &c, &err));
    ck_assert(!cas_options_read(c, "system", s->options, NULL, parameters, &err));
    ck_assert(!s->check(c, parameters, &err));
    const cas_exchange *e = s->exchange;
    const int kicks = e->kicks(parameters);
    ck_assert(e->acts(parameters) && kicks == 16 && isnan(e->decay(parameters)));
    double *x = aligned_alloc(64, MODES * W * 8), *alone = aligned_alloc(64, (MODES + 15) / 8 * 64),
           *kick = calloc((size_t)kicks * W, 8), *one = calloc((size_t)kicks, 8),
           *work = aligned_alloc(64, (e->workspace(parameters, W) + 8) / 8 * 64),
           *work_alone = aligned_alloc(64, (e->workspace(parameters, 1) + 8) / 8 * 64);
    for (int i = 0; i < MODES * W; i++)
      x[i] = sin(i);
    for (int i = 0; i < kicks * W; i++)
      kick[i] = cos(i);
    for (int i = 0; i < MODES; i++)
      alone[i] = x[i * W + 3];
    for (int i = 0; i < kicks; i++)
      one[i] = kick[i * W + 3];
    e->flow(parameters, W, 0.25, kick, x, work);
    e->flow(parameters, 1, 0.25, one, alone, work_alone);
    for (int i = 0; i < MODES; i++)
      ck_assert_msg(fabs(alone[i] - x[i * W + 3]) <= 1e-14, "%s, component %d: %g, must be %g",
                    cas_kernels_list(k)->name, i, alone[i], x[i * W + 3]);
    double *all[] = {x, alone, kick, one, work, work_alone};
    for (int i = 0; i < 6; i++)
      free(all[i]);
    s->release(parameters);
    cas_options_free(s->options, parameters);
    free(parameters);
    cas_config_free(c);
  }
}

/* Energy that white forcing brings is rate t in the mean, and the levels of one path have the same
   forcing: of small states the errors of all levels are rounding. */
TEST(white_forcing_is_coupled_exactly) {
  enum { PATHS = 800 };
  const double rate = 1e-24;
  static const char system[] =
      "{name: euler_zeitlin, N: 6, damping: {viscosity: 0.05, friction: 0.5}, forcing: {white: "
      "{lmin: 2, lmax: 4, rate: 1e-24}}, initial: {coefficients: [[1, 0, 1e-12]]}}";
  cas_results r;
  cas_error err;
  cas_status st = run_text(MPI_COMM_WORLD, &r, &err,
                           "system: %s\nstudy: {kind: convergence, strong: true, functionals: "
                           "[energy], coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, "
                           "reference: 3, paths: %d}\n",
                           system, PATHS);
  ck_assert_msg(!st || st == CAS_CHECK_FAILED, "%s", err.text);
  bool any = false;
  for (int i = 0; i < cas_results_curves(&r); i++) {
    const cas_curve *c = cas_results_curve(&r, i);
    for (int j = 0; !c->mean && j < c->levels; j++, any = true)
      ck_assert_msg(c->error[j] <= 1e-23, "level %d: %g", j, c->error[j]);
  }
  ck_assert(any);
  cas_results_free(&r);
  run_well(&r,
           "system: {name: euler_zeitlin, N: 6, forcing: {white: {lmin: 2, lmax: 4, rate: "
           "1e-24}}, initial: {coefficients: [[1, 0, 1e-18]]}}\nstudy: {kind: ensemble, "
           "step: 2^-3, steps: 8, every: 8, paths: %d, bins: 0, observables: "
           "[hamiltonian]}\n",
           PATHS);
  cas_results_free(&r);
  const series mean = stored_series("/ensemble/hamiltonian/mean");
  /* energy is rate t chi^2_21/21 */
  const double energy = mean.value[mean.records - 1] / rate;
  ck_assert_msg(fabs(energy - 1) <= 4 * sqrt(2.0 / 21 / PATHS), "%g", energy);
  free(mean.value);
}

/* Order 2 without noise. */
TEST(damped_steps_have_order_2) {
  cas_results r;
  run_well(
      &r, "system: {name: euler_zeitlin, N: 6, rotation: 0.5, damping: {viscosity: 0.02, friction: "
          "0.1}, forcing: {steady: [[2, 1, 0.5]]}, initial: {random: {seed: 1, norm: 3}}}\nstudy: "
          "{kind: strong, coarsest_step: 2^-3, coarsest_steps: 4, levels: 4, reference: 8, paths: "
          "1}\n");
  const cas_curve *c = cas_results_curve(&r, 0);
  for (int j = 0; j + 1 < c->levels; j++)
    ck_assert_msg(fabs(log2(c->error[j] / c->error[j + 1]) - 2) < 0.1, "order %g",
                  log2(c->error[j] / c->error[j + 1]));
  cas_results_free(&r);
}

RUN_TESTS_WITH_MPI
