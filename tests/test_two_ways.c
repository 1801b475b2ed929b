/* Systems that can be stated in two ways have one path, by every scheme that takes both. */
/* ranks: 1 */
#include "array_fixture.h"
#include "files/seal.h"
#include "pass_fixture.h"

/* ---- the table ---- */

/* Two systems, and numbers of each that are compared, separated by ";"; NULL: its state. */
typedef struct {
  int noises, steps;          /* noises below 0: the other system has them in reverse order */
  double step, ratio, within; /* the other step is the ratio times one */
  int schemes;                /* that take both, at least */
  const char *one, *of_one, *other, *of_other;
} row;

#define PLANE "[0.36, 0.48, 0.8]"
#define BODY_OF_THREE(inertia, same)                                                         \
  "rigid_body, inertia: " inertia ", noise: {kind: quadratic, sigma: 0.4}, initial: " PLANE, \
      "x1; x2; x3; hamiltonian; sqrt(x1^2 + x2^2 + x3^2); sqrt(x1^2 + x2^2 + x3^2)",         \
      "manakov, n: 3, " same "noise: {sigma: 0.4}, initial: [-0.8, 0.48, -0.36]",            \
      "-x23; x13; -x12; hamiltonian; norm; eigenvalue_max"
#define BRACKETS \
  "algebra: brackets, components: [x1, x2, x3], brackets: {x1 x2: -x3, x2 x3: -x1, x1 x3: x2}"
#define CONSTANTS \
  "algebra: {structure_constants: [[1, 2, 3, -1], [2, 3, 1, -1], [1, 3, 2, 1], [3, 1, 2, -1]]}"
#define OF_SO3(algebra, keys)                     \
  "lie_poisson, " keys ", initial: " PLANE, NULL, \
      "lie_poisson, " algebra ", casimirs: [x1^2 + x2^2 + x3^2], " keys ", initial: " PLANE, NULL
#define SINE "hamiltonian: x1^2/4 + x2^2/2 + x3^2 + 0.3*sin(x1), noise: [0.2*x1*x2, 0.3*x3]"
#define CUBIC "hamiltonian: x1^2 + 0.5*x1*x2*x3, noise: [0.2*x1^2, 0.3*x3^2 - 0.1*x2^2]"
#define QUADRATIC                                                                          \
  "hamiltonian: x1^2/4 + 0.3*x1*x2 - 0.2*x2*x3 + 0.1*x1*x3 + 0.2*x2, noise: [0.2*x2*x3 + " \
  "0.1*x3^2, 0.3*x1*x3 - 0.1*x1*x2]"
#define WAVES(N, noise) \
  "sine_euler, N: " N ", noise: {" noise "}, initial: {random: {seed: 1, norm: 1}}"
#define MODES "amplitude: 0.3, modes: [[1, -1], [0, 2], [-1, 1]]"
#define FIELDS "fields: [[1, 1, -1, 0.3], [3, -1, 1, 0.3], [2, 0, 2, 0.3]]"
#define SPHERE \
  "euler_zeitlin, N: 6, rotation: 1, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}"
#define BODY "rigid_body, inertia: [1, 2, 3], noise: {kind: quadratic, sigma: 0.2}"
#define TOP "heavy_top, inertia: [2, 1.5, 1], mga: [0, 0, 1], noise: {pi: [[0.1, 0, 0.2]]}"
#define OF_TOP "Pi1; Pi2; Pi3; Gamma1; Gamma2; Gamma3"
/* Sums of numbers of su(3) that are omega_n, X = i/sqrt(3) sum of omega_n J_n. */
#define RE01 "(im12 + im23 + im13)/sqrt(3)"
#define IM01 "(re13 - re12 - re23)/sqrt(3)"
#define RE1_1 "((im23 - (im12 + im13)/2)/sqrt(3) + (re12 + re13)/2)"
#define IM1_1 "(((re13 - re12)/2 + re23)/sqrt(3) + (im13 - im12)/2)"
#define RE10 "(d1 - (d2 + d3)/2)/sqrt(3)"
#define IM10 "(d2 - d3)/2"
#define RE11 "((im23 - (im12 + im13)/2)/sqrt(3) - (re12 + re13)/2)"
#define IM11 "(((re12 - re13)/2 - re23)/sqrt(3) + (im13 - im12)/2)"
#define SQUARE(n, over) "((" RE##n ")^2 + (" IM##n ")^2)" over
#define UNIT_OF_MASS_BODIES(of)                                                                \
  "rigid_bodies, mass: [1" of ", 2" of "], inertia: [[0.4" of ", 0.5" of ", 0.6" of "], [1" of \
  ", 1.2" of ", 0.7" of "]], trap: 1" of ", field: [0, 0, 0.5" of "], epsilon: 1" of           \
  ", friction: {force: 0.5" of ", torque: 0.2" of "}, temperature: 1" of
#define ROW_OF_BODY(k, in)                                                                   \
  "x1_" k "; x2_" k "; x3_" k "; p1_" k in "; p2_" k in "; p3_" k in "; R11_" k "; R12_" k   \
  "; R13_" k "; R21_" k "; R22_" k "; R23_" k "; R31_" k "; R32_" k "; R33_" k "; pi1_" k in \
  "; pi2_" k in "; pi3_" k in
#define BODIES_IN(of, in) UNIT_OF_MASS_BODIES(of), ROW_OF_BODY("1", in) ";" ROW_OF_BODY("2", in)
#define BEAD(k, in) "q1_" k "; q2_" k "; q3_" k "; p1_" k in "; p2_" k in "; p3_" k in
#define CHAIN_IN(of, in)                                                           \
  "pendulum_chain, N: 3, mass: 1" of ", friction: 0.5" of ", temperature: 0.2" of, \
      BEAD("1", in) ";" BEAD("2", in) ";" BEAD("3", in)
#define UNIT_OF_TIME(N, unit, amplitude)                                        \
  "euler_zeitlin, N: " N ", time_unit: " unit ", noise: {amplitude: " amplitude \
  "}, initial: {random: {seed: 3, norm: 5}}"
#define CHAIN "friction: 0.2, initial: [0.6, 0, -0.8, 0.6, 0.6, -1.6, 0.4, 0.5, 0.3, 0.1, 0.9, 0.6]"

static const row rows[] = {
    /* I_12, I_13, I_23 are the moments about the axes 3, 2, 1. */
    {-3, 200, 0x1p-5, 1, 1e-14, 4, BODY_OF_THREE("[3, 2, 1]", "")},
    {-3, 200, 0x1p-5, 1, 1e-14, 4, BODY_OF_THREE("[3, 2, 1]", "inertia: [1, 2, 3], ")},
    {-3, 200, 0x1p-5, 1, 1e-14, 4, BODY_OF_THREE("[3, 2, 1]", "inertia: {manakov: [0, 1, 2]}, ")},
    {-3, 200, 0x1p-5, 1, 1e-14, 4,
     BODY_OF_THREE("[2, 1.75, 0.75]", "inertia: {manakov: [0.25, 0.5, 1.5]}, ")},
    {-3, 200, 0x1p-5, 1, 1e-14, 4,
     BODY_OF_THREE("[4, 0.75, 0.25]", "inertia: {manakov: [-1.5, 1.75, 2.25]}, ")},
    /* a top without gravity */
    {2, 64, 0x1p-5, 1, 1e-13, 6,
     "rigid_body, inertia: [4, 2, 1], noise: {kind: linear, chi: [[0.1, 0.4, 0], [0, 0.2, -0.3]]}, "
     "initial: [0.8, -0.6, 1.5]",
     "x1; x2; x3",
     "heavy_top, inertia: [4, 2, 1], mga: [0, 0, 0], noise: {pi: [[0.1, 0.4, 0], [0, 0.2, -0.3]]}",
     "Pi1; Pi2; Pi3"},
    /* systems that are built in, and written as expressions */
    {3, 48, 0x1p-5, 1, 1e-12, 7,
     "rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.3}, initial: " PLANE,
     NULL,
     "lie_poisson, algebra: so3, parameters: {I1: 2, I2: 1, I3: 3/5, s: 0.3}, hamiltonian: "
     "x1^2/(2*I1) + x2^2/(2*I2) + x3^2/(2*I3), noise: [s*x1^2/2, s*x2^2/2, s*x3*x3/2], "
     "initial: " PLANE,
     NULL},
    {2, 48, 0x1p-5, 1, 1e-12, 7,
     "rigid_body, inertia: [2, 1, 0.6], noise: {kind: linear, chi: [[0.3, -0.4, 0.5], [0.1, 0.2, "
     "0]]}, initial: " PLANE,
     NULL,
     "lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2, noise: [0.3*x1 - 0.4*x2 + 0.5*x3, "
     "0.1*x1 + 0.2*x2], initial: " PLANE,
     NULL},
    {2, 48, 0x1p-5, 1, 1e-12, 6,
     "heavy_top, inertia: [4, 2, 1], mga: [0.2, 0, 1], noise: {pi: [[0.1, -0.2, 0.15], [0, 0, "
     "0.1]], gamma: [[0, 0, 0.2], [0.1, 0, 0]]}, initial: [0.3, 0.1, 0.5, 0, 0.6, 0.8]",
     NULL,
     "lie_poisson, algebra: se3, hamiltonian: Pi1^2/8 + Pi2^2/4 + Pi3^2/2 + 0.2*Gamma1 + Gamma3, "
     "noise: [0.1*Pi1 - 0.2*Pi2 + 0.15*Pi3 + 0.2*Gamma3, 0.1*Pi3 + 0.1*Gamma1], initial: [0.3, "
     "0.1, 0.5, 0, 0.6, 0.8]",
     NULL},
    {6, 48, 0x1p-5, 1, 1e-12, 5,
     "manakov, n: 4, noise: {sigma: 0.2}, initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]", NULL,
     "lie_poisson, algebra: so_n, n: 4, hamiltonian: (x12^2 + x13^2/2 + x14^2/3 + x23^2/4 + "
     "x24^2/5 + x34^2/6)/2, noise: [0.1*x12^2, 0.1*x13^2, 0.1*x14^2, 0.1*x23^2, 0.1*x24^2, "
     "0.1*x34^2], initial: [0.5, 0.1, -0.3, 0.4, 0.2, 0.6]",
     NULL},
    /* a body that is turned by 53 degrees */
    {2, 48, 0x1p-5, 1, 1e-12, 6,
     "lie_poisson, hamiltonian: x1^2/4 + x2^2/2 + x3^2/1.2 + 0.2*x1, noise: [0.15*x1^2, 0.15*x2^2 "
     "+ 0.1*x3], initial: " PLANE,
     "x1; x2; x3",
     "lie_poisson, hamiltonian: \"(0.6*x1 + 0.8*x2)^2/4 + (0.6*x2 - 0.8*x1)^2/2 + x3^2/1.2 + "
     "0.2*(0.6*x1 + 0.8*x2)\", noise: [\"0.15*(0.6*x1 + 0.8*x2)^2\", \"0.15*(0.6*x2 - 0.8*x1)^2 + "
     "0.1*x3\"], initial: [-0.168, 0.576, 0.8]",
     "0.6*x1 + 0.8*x2; 0.6*x2 - 0.8*x1; x3"},
    /* brackets of one's own */
    {2, 48, 0x1p-5, 1, 1e-12, 4, OF_SO3(BRACKETS, SINE)},
    {2, 48, 0x1p-5, 1, 1e-12, 4, OF_SO3(BRACKETS, CUBIC)},
    {2, 48, 0x1p-5, 1, 1e-12, 4, OF_SO3(BRACKETS, QUADRATIC)},
    {2, 48, 0x1p-5, 1, 1e-12, 5, OF_SO3(CONSTANTS, SINE)},
    {2, 48, 0x1p-5, 1, 1e-12, 5, OF_SO3(CONSTANTS, CUBIC)},
    {2, 48, 0x1p-5, 1, 1e-12, 5, OF_SO3(CONSTANTS, QUADRATIC)},
    /* A field of one wave is the noise of its mode; keys that say nothing change no bit. */
    {3, 16, 0x1p-5, 1, 0, 6, WAVES("5", MODES), NULL, WAVES("5", FIELDS), NULL},
    {3, 16, 0x1p-5, 1, 0, 6, WAVES("25", MODES), NULL, WAVES("25", FIELDS), NULL},
    {27, 40, 0x1p-5, 1, 0, 6, SPHERE, NULL, SPHERE ", lamb: 0, topography: [[3, 2, 0]]", NULL},
    {3, 320, 0x1p-5, 1, 0, 7, BODY, NULL, BODY ", damping: {rate: 0}", NULL},
    /* The components do not depend on the attitude. */
    {3, 500, 0x1p-5, 1, 1e-13, 4, BODY, "x1; x2; x3", BODY ", attitude: true", "x1; x2; x3"},
    {1, 500, 0x1p-5, 1, 1e-13, 3, TOP, OF_TOP, TOP ", attitude: true", OF_TOP},
    /* the sine-Euler equations on su(3): H_0 = -s sum |omega_n|^2/|n|^2 and H_k = -2 s amplitude Re
       omega_m, s = N^(3/2)/(4 pi) */
    {2, 48, 0x1p-5, 1, 1e-12, 5,
     "sine_euler, N: 3, noise: {amplitude: 0.3, modes: [[1, -1], [1, 1]]}, initial: [[0.3, -0.1], "
     "[0.2, 0.4], [-0.25, 0.1], [0.15, 0.35]]",
     "re_omega(0,1); im_omega(0,1); re_omega(1,-1); im_omega(1,-1); re_omega(1,0); im_omega(1,0); "
     "re_omega(1,1); im_omega(1,1)",
     "lie_poisson, algebra: su_n, N: 3, parameters: {s: \"3^1.5/(4*pi)\"}, hamiltonian: "
     "\"-s*(" SQUARE(01, "") " + " SQUARE(1_1, "/2") " + " SQUARE(10, "") " + " SQUARE(
         11,
         "/2") ")\", noise: [\"-0.6*s*" RE1_1 "\", \"-0.6*s*" RE11
               "\"], initial: [-0.28867513459481287, 0.24433756729740644, 0.044337567297406399, "
               "0.068301270189221927, -0.01830127018922191, 0.086602540378443865, "
               "-0.30283121635129673, 0.44716878364870327, 0.37527767497325676]",
     RE01 ";" IM01 ";" RE1_1 ";" IM1_1 ";" RE10 ";" IM10 ";" RE11 ";" IM11},
    /* A unit of mass changes momenta by that and nothing else: places and attitudes, which are as
       large as ever, must not make small momenta count as solved. */
    {24, 20, 0.2, 1, 1e-13, 1, BODIES_IN("", ""), BODIES_IN("e-9", "*1e9")},
    {24, 20, 0.2, 1, 1e-13, 1, BODIES_IN("", ""), BODIES_IN("e9", "*1e-9")},
    {9, 20, 0.05, 1, 1e-13, 1, CHAIN_IN("", ""), CHAIN_IN("e-9", "*1e9")},
    {9, 20, 0.05, 1, 1e-13, 1, CHAIN_IN("", ""), CHAIN_IN("e9", "*1e-9")},
    /* A step h of physical time is kappa h of the paper's, kappa^2 = N (N^2 - 1)/(16 pi), and noise
       of amplitude c then sqrt(kappa) c. A band of all degrees is none. */
    {65, 40, 0x1p-9, 3.7846987830302403, 1e-13, 6, UNIT_OF_TIME("9", "physical", "0.3"), NULL,
     UNIT_OF_TIME("9", "paper", "0.5836290692492292"), NULL},
    {507, 40, 0x1p-9, 18.685453069375797, 1e-13, 6, UNIT_OF_TIME("26", "physical", "0.3"), NULL,
     UNIT_OF_TIME("26", "paper", "1.2968002067565465"), NULL},
    {0, 8, 0x1p-5, 1, 1e-14, 6, "euler_zeitlin, N: 6, initial: {random: {seed: 9, norm: 3}}", NULL,
     "euler_zeitlin, N: 6, initial: {random: {seed: 9, norm: 3, lmin: 1}}", NULL},
    /* a chain, whose geometry is written for its rods */
    {0, 64, 0x1p-5, 1, 1e-12, 3, "pendulum_chain, N: 2, " CHAIN, NULL,
     "langevin, positions: [x1, y1, z1, x2, y2, z2], constraints: [\"x1^2 + y1^2 + z1^2 - 1\", "
     "\"(x2 - x1)^2 + (y2 - y1)^2 + (z2 - z1)^2 - 1\"], potential: z1 + z2, " CHAIN,
     NULL},
};

/* ---- paths ---- */

/* Blocks of other sizes have other streams, so that normals come from a file. */
static void write_normals(int noises, int steps) {
  const int n = abs(noises) > 0 ? abs(noises) : 1, all = (n * steps + 63) / 64 * 64;
  const hsize_t dims[2] = {(hsize_t)steps, (hsize_t)n};
  double *u = doubles((size_t)all), *z = doubles((size_t)all), *reversed = doubles((size_t)all);
  cas_kernels_list(0)->threefry(11, 0, 0, 0, all, u);
  cas_kernels_list(0)->normals(all, u, z);
  for (int i = 0; i < n * steps; i++)
    reversed[i] = noises < 0 ? z[i / n * n + n - 1 - i % n] : z[i];
  write_array("one.h5", "zeta", 2, dims, z);
  write_array("other.h5", "zeta", 2, dims, reversed);
  /* A file without a seal is opened by a process of its own first, again and again. */
  MUST(cas_seal_append("one.h5", 0, NULL, NULL, &err));
  MUST(cas_seal_append("other.h5", 0, NULL, NULL, &err));
}

static int steps_of(const row *r) { return all_or(r->steps, 16); }

/* Records the numbers of a way; returns how many series they are. */
static int follow(const row *r, bool other, const char *scheme, series *out) {
  const double step = r->step * (other ? r->ratio : 1);
  const char *of = other ? r->of_other : r->of_one;
  char list[6000] = "", numbers[6000], *rest, name[20];
  int n = 0;
  snprintf(numbers, sizeof numbers, "%s", of ? of : "");
  for (char *q = strtok_r(numbers, ";", &rest); q; q = strtok_r(NULL, ";", &rest))
    cas_append(list, sizeof list, "%s{q%d: \"%s\"}", n ? ", " : ", observables: [", n, q), n++;
  run_well(NULL,
           "system: {name: %s}\nintegrator: {name: %s, truncation: 0}\nrandom: {generator: replay, "
           "file: %s.h5}\nstudy: {kind: trajectory, step: %.17g, steps: %d%s%s}\n",
           other ? r->other : r->one, scheme, other ? "other" : "one", step, steps_of(r), list,
           n ? "]" : "");
  if (n == 0)
    out[n++] = recorded_series("state");
  else
    for (int k = 0; k < n; k++) {
      snprintf(name, sizeof name, "q%d", k);
      out[k] = recorded_series(name);
    }
  return n;
}

static bool takes(const char *system, const char *scheme) {
  cas_error err;
  return find_pass(0x1p-5, 1, &err,
                   "{system: {name: %s}, integrator: {name: %s, truncation: 0}, random: "
                   "{generator: threefry}}",
                   system, scheme) != NULL;
}

static void compare(const row *r, const char *scheme) {
  series a[36], b[36];
  double moved = 0;
  const int n = follow(r, false, scheme, a);
  ck_assert_int_eq(follow(r, true, scheme, b), n);
  for (int k = 0; k < n; k++) {
    ck_assert(a[k].records == b[k].records && a[k].numbers == b[k].numbers);
    for (int64_t i = 0; i < a[k].records * a[k].numbers; i++) {
      ck_assert_msg(fabs(a[k].value[i] - b[k].value[i]) <= r->within,
                    "%s: number %d of %s is %.17g, of %s %.17g", scheme, (int)i, r->one,
                    a[k].value[i], r->other, b[k].value[i]);
      moved = fmax(moved, fabs(a[k].value[i] - a[k].value[i % a[k].numbers]));
    }
  }
  ck_assert_msg(moved > 1e-3, "%s does not move", r->one);
}

TEST_OVER(paths_are_the_same, sizeof rows / sizeof *rows) {
  const row *r = &rows[_i];
  static const char *const options[] = {"", ", retraction: exp", ", variant: energy_momentum"};
  int schemes = 0;
  write_normals(r->noises, steps_of(r));
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; *i; i++)
    for (int k = 0; k < 3; k++) {
      char scheme[200];
      snprintf(scheme, sizeof scheme, "%s%s", (*i)->name, options[k]);
      if (r->noises < 0 && (*i)->needs & CAS_FLOWS)
        continue; /* The flows of the other way are in reverse order as well. */
      if (takes(r->one, scheme) && takes(r->other, scheme)) {
        compare(r, scheme);
        schemes += k == 0;
      }
    }
  ck_assert_msg(schemes >= r->schemes, "%s and %s: %d schemes", r->one, r->other, schemes);
}

RUN_TESTS_WITH_MPI
