/* Expressions as functionals and observables: values, names in files, and what is refused. */
/* ranks: 1 2 */
/* needs: sprng */
#include "study_fixture.h"

#define BODY                                                                                \
  "system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, " \
  "initial: [0.36, 0.48, 0.8]}\nrandom: {generator: threefry}\n"

/* One function, built in and written: means of all levels, and of a constant its value. */
TEST(expressions_are_functionals) {
  static const char *const pairs[][2] = {{"sin2pi", "mine"},
                                         {"energy", "e"},
                                         {"hamiltonian", "e"},
                                         {"x3", "third"},
                                         {"casimir1", "c"}};
  cas_results r;
  run_well(
      &r, "%s",
      BODY
      "study: {kind: weak, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, reference: 4, "
      "paths: 200, functionals: [sin2pi, energy, hamiltonian, x3, casimir1, {mine: "
      "\"sin(2*pi*x1) + sin(2*pi*x2) + sin(2*pi*x3)\", e: x1^2/2 + x2^2 + 2*x3^2}, {third: "
      "x3}, {c: x1^2 + x2^2 + x3^2}, {ratio: hamiltonian/norm + 0*sigma}, {s: sigma}, {late: t}, "
      "{t: \"x1*t\"}, {quarter: x1/4}]}\n");
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const cas_curve *a = curve_named(&r, pairs[i][0]), *b = curve_named(&r, pairs[i][1]);
    ck_assert(a && b);
    for (int l = 0; l <= 2; l++)
      ck_assert_msg(fabs(a->mean.value[l] - b->mean.value[l]) <= 1e-14, "%s: %.17g, not %.17g",
                    pairs[i][1], b->mean.value[l], a->mean.value[l]);
  }
  const cas_curve *e = curve_named(&r, "e"), *ratio = curve_named(&r, "ratio");
  ck_assert(fabs(ratio->mean.value[0] - e->mean.value[0]) <= 1e-13); /* the norm is 1 */
  ck_assert(fabs(curve_named(&r, "s")->mean.value[0] - 0.3) <= 1e-15);
  /* one may be called like the time, which every level has */
  for (int l = 0; l <= 2; l++) {
    ck_assert(curve_named(&r, "late")->mean.value[l] == 0.25);
    ck_assert(curve_named(&r, "t")->mean.value[l] == curve_named(&r, "quarter")->mean.value[l]);
  }
}

/* Entries of R from the angles of both conventions, from the quaternion and from its angle, and the
   angles of the axes; all of these are 0. */
#define OF_QUATERNION(i, j, k)                                                         \
  "R" #i #j " - 2*(quaternion" #i "*quaternion" #j " - quaternion0*quaternion" #k ")", \
      "R" #j #i " - 2*(quaternion" #i "*quaternion" #j " + quaternion0*quaternion" #k ")"

static const char *const vanishing[] = {
    "R11 - cos(euler_yaw)*cos(euler_pitch)",
    "R21 - sin(euler_yaw)*cos(euler_pitch)",
    "R31 + sin(euler_pitch)",
    "R32 - cos(euler_pitch)*sin(euler_roll)",
    "R33 - cos(euler_pitch)*cos(euler_roll)",
    "R12 - cos(euler_yaw)*sin(euler_pitch)*sin(euler_roll) + sin(euler_yaw)*cos(euler_roll)",
    "R13 - sin(euler_precession)*sin(euler_nutation)",
    "R23 + cos(euler_precession)*sin(euler_nutation)",
    "R31 - sin(euler_nutation)*sin(euler_spin)",
    "R32 - sin(euler_nutation)*cos(euler_spin)",
    "R33 - cos(euler_nutation)",
    "R11 - cos(axis1_angle)",
    "R22 - cos(axis2_angle)",
    "R33 - cos(axis3_angle)",
    "R11 + R22 + R33 - 1 - 2*cos(rotation_angle)",
    "min(quaternion0, 0)",
    OF_QUATERNION(1, 2, 3),
    OF_QUATERNION(2, 3, 1),
    OF_QUATERNION(3, 1, 2),
};

/* From the state that the system has by itself, where a rigid body has R = 1. */
TEST_OVER(attitudes_have_angles, count_systems()) {
  const cas_system *s = cas_kernels_get()->systems[_i];
  const int n = sizeof vanishing / sizeof *vanishing;
  if (!has_option(s, "attitude"))
    return;
  char list[3000] = "", *system = formatted("%s", example_of(s)),
       *initial = strstr(system, ", initial: [");
  memmove(initial, strchr(initial, ']') + 1, strlen(strchr(initial, ']')));
  for (int i = 0; i < n; i++)
    cas_append(list, sizeof list, "%s{zero%d: \"%s\"}", i ? ", " : "", i, vanishing[i]);
  run_well(
      NULL,
      "system: {%s, attitude: true}\nstudy: {kind: trajectory, step: 2^-4, steps: 96, "
      "observables: [euler_yaw, rotation_angle, quaternion1, {clock: t}, {upright: R33}, %s]}\n",
      system, list);
  for (int i = 0; i < n; i++) {
    const series zero = recorded_series(formatted("zero%d", i));
    for (int k = 0; k < zero.records; k++)
      ck_assert_msg(fabs(zero.value[k]) <= 1e-13, "%s: %s is %.3g at record %d", s->name,
                    vanishing[i], zero.value[k], k);
  }
  series clock = recorded_series("clock"), angle = recorded_series("rotation_angle"),
         upright = recorded_series("upright");
  ck_assert_msg(clock.records == 97 && (angle.value[0] == 0) == (upright.value[0] == 1) &&
                    (angle.value[0] == 0) == (strcmp(s->name, "rigid_body") == 0) &&
                    angle.value[96] > angle.value[0] + 0.01,
                "%s: turned from %g to %g", s->name, angle.value[0], angle.value[96]);
  for (int k = 0; k < 97; k++)
    ck_assert(clock.value[k] == k / 16.0);
  cas_meet(MPI_COMM_WORLD);
}

static const struct {
  const char *functionals, *complaint;
} refused[] = {
    {"[{tilt: x3/sqrt(x1^2 + x4^2)}]",
     "3:133: study.functionals[0].tilt: there is no 'x4'; did you mean 'x1'?"},
    {"[sin2pi, {tilt: x3/(x1}]", "3:132: study.functionals[1].tilt: found the end"},
    {"{a: x1, b: x1 x2}", "3:124: study.functionals.b: found 'x', must be an operator"},
    {"[{energy: x1}]", "'energy' is a name of system rigid_body already"},
    {"[{x1: x2}]", "'x1' is a name of system rigid_body already"},
    {"[{sin: x2}]", "has a meaning in expressions"},
    {"[{pi: x2}]", "has a meaning in expressions"},
    {"[{\"a b\": x2}]", "must be a name of letters, digits and _"},
    {"[{a_b__c: x2}, {_a__b: x2}]",
     "functionals[1]._a__b: found the name '_a__b', must be a name of letters"},
    {"[{1x: x2}]", "must be a name of letters, digits and _"},
    {"[{a: x2}, {a: x3}]", "names 'a' twice"},
    {"[{a: [x2]}]", "study.functionals[0].a: found a list, must be an expression"},
    {"[[x1]]", "must be a name, or {name: expression}"},
    {"energy", "must be a list of names and expressions"},
    {"[sin2pj]", "did you mean 'sin2pi'?"},
    {"[x11]", "did you mean 'x1'?"},
    {"[casimr1]", "did you mean 'casimir1'?"},
    {"[angular_velocity]", "'angular_velocity' is 3 numbers, by principal_axis"},
    {"[{a: angular_velocity}]", "there is no 'angular_velocity'"},
    {"[{a: x1/0}]", "division by 0"},
    {"[{time: x1}]", "files have something else of the name 'time'"},
    {"[x1, {paths: x1}]", "files have something else of the name 'paths'"},
};

TEST_OVER(what_is_wrong_is_said, sizeof refused / sizeof *refused) {
  is_refused(0, refused[_i].complaint,
             BODY "study: {kind: weak, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, "
                  "reference: 4, paths: 20, functionals: %s}\n",
             refused[_i].functionals);
}

RUN_TESTS_WITH_MPI
