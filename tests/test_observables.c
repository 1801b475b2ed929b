/* Observables against definitions, symmetries, what is constant; their list, and refusals. */
/* ranks: 1 */
/* needs: sprng */
#include "study_fixture.h"

/* ---- runs ---- */

static void record(const char *system, const char *study) {
  run_well(NULL, "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 64, %s}\n", system,
           study);
}

static series read_series(const char *name) {
  series s = recorded_series(name);
  ck_assert_int_eq(s.records, 65);
  return s;
}

/* largest departure from the first record */
static double departure(const series *a) {
  double most = 0;
  for (int64_t i = 0; i < a->records * a->numbers; i++) {
    const double d = fabs(a->value[i] - a->value[i % a->numbers]);
    most = d <= most ? most : d;
  }
  return most;
}

static void assert_small(double x, double bound) {
  ck_assert_msg(isfinite(x) && x <= bound, "found %g, must be at most %g", x, bound);
}

/* ---- the rigid body ---- */

static const char body[] = "name: rigid_body, inertia: [2, 1, .inf], noise: {kind: quadratic, "
                           "sigma: 0.3}, initial: [0.36, 0.48, 0.8]";

TEST(rigid_body) {
  record(body,
         "observables: [hamiltonian, kinetic_energy, norm, angular_momentum, angular_velocity]");
  series x = read_series("state"), m = read_series("angular_momentum"),
         w = read_series("angular_velocity"), h = read_series("hamiltonian"),
         t = read_series("kinetic_energy"), n = read_series("norm");
  ck_assert(same_series(&x, &m));
  ck_assert(departure(&m) > 0.01 && h.numbers == 1 && t.numbers == 1 && n.numbers == 1);
  for (int64_t r = 0; r < x.records; r++) {
    const double *a = x.value + 3 * r, *b = w.value + 3 * r;
    ck_assert(b[0] == a[0] / 2 && b[1] == a[1] && b[2] == 0);
    assert_small(fabs(a[0] * b[0] + a[1] * b[1] - h.value[r]), 1e-15);
    ck_assert(t.value[r] == h.value[r] / 2);
    assert_small(fabs(n.value[r] - 1), 1e-14);
  }
}

/* ---- Manakov ---- */

/* n = 4: mu_1^2 + mu_2^2 = sum of x_ij^2, mu_1 mu_2 = |Pfaffian| */
TEST(manakov) {
  record("name: manakov, n: 4, noise: {sigma: 0.3}, initial: [0.1, -0.7, 0.4, 0.9, 0.2, -0.5]",
         "observables: [eigenvalues, eigenvalue_max]");
  series x = read_series("state"), mu = read_series("eigenvalues"),
         most = read_series("eigenvalue_max");
  ck_assert_int_eq(mu.numbers, 2);
  ck_assert(departure(&x) > 0.01);
  for (int64_t r = 0; r < x.records; r++) {
    const double *a = x.value + 6 * r, *m = mu.value + 2 * r;
    double square = 0, pfaffian = a[0] * a[5] - a[1] * a[4] + a[2] * a[3];
    for (int k = 0; k < 6; k++)
      square += a[k] * a[k];
    ck_assert(m[0] == most.value[r] && m[0] > m[1] && m[1] > 0);
    assert_small(fabs(m[0] * m[0] + m[1] * m[1] - square), 1e-14);
    assert_small(fabs(m[0] * m[1] - fabs(pfaffian)), 1e-14);
  }
  assert_small(departure(&mu), 1e-14);
}

/* ---- point vortices ---- */

TEST(point_vortices) {
  static const double gamma[3] = {1, 2, -0.5};
  static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  record("name: point_vortices, gamma: [1, 2, -0.5], initial: [[1, 0, 0], [0, 1, 0], [0, 0.6, "
         "0.8]]",
         "observables: [hamiltonian, moment, moment_norm, moment_x, moment_y, moment_z, "
         "centre_of_vorticity, distance]");
  const series x = read_series("state"), m = read_series("moment"), n = read_series("moment_norm"),
               centre = read_series("centre_of_vorticity"), distance = read_series("distance"),
               single[3] = {read_series("moment_x"), read_series("moment_y"),
                            read_series("moment_z")};
  ck_assert(departure(&x) > 0.1 && m.numbers == 3 && centre.numbers == 3 && distance.numbers == 3);
  assert_small(departure(&m), 1e-14);
  for (int64_t r = 0; r < x.records; r++) {
    const double *a = x.value + 9 * r, *moment = m.value + 3 * r;
    for (int k = 0; k < 3; k++) {
      const double *b = a + 3 * pair[k][0], *c = a + 3 * pair[k][1];
      const double sum = gamma[0] * a[k] + gamma[1] * a[3 + k] + gamma[2] * a[6 + k];
      ck_assert(single[k].value[r] == moment[k]);
      assert_small(fabs(moment[k] - sum), 1e-15);
      assert_small(fabs(centre.value[3 * r + k] - sum / 2.5), 1e-15);
      assert_small(
          fabs(distance.value[3 * r + k] - sqrt(2 - 2 * (b[0] * c[0] + b[1] * c[1] + b[2] * c[2]))),
          1e-14);
    }
    assert_small(fabs(n.value[r] - hypot(hypot(moment[0], moment[1]), moment[2])), 1e-15);
  }
}

/* ---- the departure of the energy, which every system has ---- */

static const char *const systems[] = {
    body,
    "name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}",
    /* H0 = ln 1 = 0 */
    "name: point_vortices, gamma: [1, 1], noise: {sigma: 0.8}, initial: [[1, 0, 0], [0, 1, 0]]"};

TEST_OVER(energies_depart_relatively, sizeof systems / sizeof *systems) {
  record(systems[_i], "observables: [hamiltonian_departure, hamiltonian]");
  series h = read_series("hamiltonian"), d = read_series("hamiltonian_departure");
  double h0 = h.value[0], scale = _i == 2 ? 1 : fabs(h0);
  ck_assert((h0 == 0) == (_i == 2) && d.value[0] == 0 && d.numbers == 1);
  for (int64_t r = 0; r < h.records; r++)
    assert_small(fabs(d.value[r] - (h.value[r] - h0) / scale), 4e-16);
  ck_assert(_i == 2 || departure(&d) > 1e-6);
}

/* ---- names ---- */

TEST(units_and_axes_are_listed) {
  static const char *const listed[] = {"x, seen from the body [inertia_unit time_unit^-1]",
                                       "by principal_axis: principal axis of the body [1]",
                                       "by eigenvalue: ",
                                       "by direction: ",
                                       "by pair: ",
                                       "hamiltonian_departure",
                                       "casimir_departure"};
  PRINTED(text, MUST(cas_describe(f, "observables", &err)));
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
    ck_assert_msg(strstr(text, listed[i]), "'%s' is missing from: %s", listed[i], text);
}

/* Numbers of systems without dimensions have the unit "1", or units of their own to some power. */
TEST(every_system_has_units) {
  for (const cas_system *const *s = cas_kernels_get()->systems; *s; s++) {
    const cas_functional state[] = {{.name = "state", .unit = (*s)->state.unit}, {0}},
                         *const lists[] = {state, (*s)->functionals, (*s)->observables};
    for (int i = 0; i < 3; i++)
      for (const cas_functional *f = lists[i]; f->name; f++)
        ck_assert_msg(f->unit && (strcmp(f->unit, "1") == 0 || strstr(f->unit, "_unit")),
                      "%s: %s in '%s'", (*s)->name, f->name, f->unit ? f->unit : "no unit");
    ck_assert_str_eq((*s)->observables[0].name, "hamiltonian");
  }
}

static const struct {
  const char *system, *names, *words;
} refused[] = {
    {"name: point_vortices, gamma: [0.1, 0.2, -0.3], initial: {random: {seed: 2, norm: 1}}",
     "centre_of_vorticity",
     "study.observables: 'centre_of_vorticity' does not exist here: the intensities gamma sum to "
     "0"},
    {"name: manakov, n: 5, initial: {random: {seed: 1, norm: 1}}", "manakov_integrals",
     "study.observables: 'manakov_integrals' does not exist here: system.inertia is not given in "
     "Manakov's form, {manakov: [a_1, .., a_n]}"},
    {"name: manakov, n: 2, inertia: {manakov: [1, 1]}, initial: [1]", "manakov_integrals",
     "does not exist here: n = 2 has none"},
};

TEST_OVER(what_is_refused, sizeof refused / sizeof *refused) {
  is_refused(
      3, refused[_i].words,
      "system: {%s}\nstudy: {kind: trajectory, step: 2^-6, steps: 1,\n  observables: [%s]}\n",
      refused[_i].system, refused[_i].names);
}

RUN_TESTS_WITH_MPI
