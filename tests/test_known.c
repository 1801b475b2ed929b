/* What is known exactly of single systems: every row is a run and the numbers known of it. */
/* ranks: 1 */
#include "study_fixture.h"

enum { MOST = 24 };

/* What is known stands in sentences "EXPRESSION is X to E", separated by ";". An expression, or an
   observable of any length, X and E numbers:
   - is X to E: at all records of all paths;
   - stays to E: it is what it was at first;
   - moves X to E: it departs from that by more than X and at most E;
   - falls X to E: it departs from that X times as far as with half the step;
   - has mean X to E: over paths in the end, within 4.5 standard errors, which are at most E. */
typedef struct {
  const char *system, *schemes; /* separated by ";"; NULL: all that fit, but those after "!" */
  double h;
  int steps, every, paths;
  const char *known;
} row;

typedef struct {
  char what[1200], kind; /* its first letter */
  double wanted, within;
} sentence;

/* Reads what is known, and returns how many sentences it has. */
static int read_known(const row *r, sentence out[MOST]) {
  static const char *const kinds[] = {" is ", " stays", " moves ", " falls ", " has mean "};
  char text[6000], *rest;
  int n = 0;
  snprintf(text, sizeof text, "%s", r->known);
  for (char *t = strtok_r(text, ";", &rest); t; t = strtok_r(NULL, ";", &rest), n++) {
    sentence *q = &out[n];
    char *at = NULL;
    ck_assert_int_lt(n, MOST);
    for (int k = 0; !at; k++) {
      ck_assert_msg(k < 5, "'%s' says nothing", t);
      if ((at = strstr(t, kinds[k]))) {
        *q = (sentence){.kind = kinds[k][1]};
        snprintf(q->what, sizeof q->what, "%.*s", (int)(at - t), t + strspn(t, " "));
        q->what[at - t - (ptrdiff_t)strspn(t, " ")] = '\0';
        at += strlen(kinds[k]);
      }
    }
    ck_assert_msg(q->kind == 's' ? sscanf(at, " to %lf", &q->within) == 1
                                 : sscanf(at, "%lf to %lf", &q->wanted, &q->within) == 2,
                  "'%s' needs numbers", t);
  }
  return n;
}

/* ---- the runs ---- */

static bool is_name(const char *what) {
  return what[strspn(what, "abcdefghijklmnopqrstuvwxyz_")] == '\0';
}

/* Expression k as a list of observables has it. */
static const char *observable(int k, const char *what) {
  static char text[1300];
  if (is_name(what))
    return what;
  snprintf(text, sizeof text, "{q%d: \"%s\"}", k, what);
  return text;
}

/* A row says from few steps what it says from many, unless something moves, falls or has a mean. */
static int steps_of(const row *r) {
  const char *k = r->known;
  return strstr(k, " falls ") || strstr(k, " moves ") || strstr(k, " mean ") ? r->steps
                                                                             : all_or(r->steps, 64);
}

static int paths_of(const row *r) { return all_or(r->paths, 256); }

static void run_row(const row *r, const char *scheme, int halvings, int n, const sentence *known,
                    series *out) {
  char list[8000] = "", name[20];
  for (int k = 0; k < n; k++) {
    bool recorded =
        strcmp(known[k].what, "state") == 0; /* without being listed, or listed already */
    for (int j = 0; j < k; j++)
      recorded |= is_name(known[k].what) && strcmp(known[j].what, known[k].what) == 0;
    if (!recorded)
      cas_append(list, sizeof list, "%s%s", *list ? ", " : "", observable(k, known[k].what));
  }
  run_well(NULL,
           "system: {name: %s}\nintegrator: {%s%s}\nrandom: {generator: threefry, seed: 3}\nstudy: "
           "{kind: trajectory, step: %.17g, steps: %d, every: %d, paths: %d%s%s%s}\n",
           r->system, *scheme ? "name: " : "", scheme, ldexp(r->h, -halvings),
           steps_of(r) << halvings, (r->every < steps_of(r) ? r->every : steps_of(r)) << halvings,
           paths_of(r), *list ? ", observables: [" : "", list, *list ? "]" : "");
  for (int k = 0; k < n; k++) {
    snprintf(name, sizeof name, "q%d", k);
    out[k] = recorded_series(is_name(known[k].what) ? known[k].what : name);
  }
}

/* The largest distance of number i of all records from `from`, or from what it is at first. */
static double departure(const series *s, int64_t i, double from) {
  double most = 0;
  for (int64_t r = 0; r < s->records; r++) {
    const double d = fabs(s->value[r * s->numbers + i] - (isnan(from) ? s->value[i] : from));
    ck_assert_msg(isfinite(d), "number %d of record %d", (int)i, (int)r);
    most = fmax(most, d);
  }
  return most;
}

/* ---- what is known ---- */

static void mean_is(const char *what, const sentence *q, const series *s, double within) {
  const double *x = s->value + (s->records - 1) * s->numbers, n = (double)s->numbers;
  double mean = 0, square = 0;
  for (int64_t i = 0; i < s->numbers; i++)
    mean += x[i] / n;
  for (int64_t i = 0; i < s->numbers; i++)
    square += (x[i] - mean) * (x[i] - mean);
  const double error = sqrt(square / n / (n - 1));
  ck_assert_msg(error > 0 && error <= within && fabs(mean - q->wanted) < 4.5 * error,
                "%s: mean %.6g +- %.2g, must be %.6g", what, mean, error, q->wanted);
}

static void check_known(const row *r, const char *scheme, const sentence *q, const series *s,
                        const series *half) {
  char what[2000];
  snprintf(what, sizeof what, "%.500s, %.200s: %.1200s", r->system, scheme, q->what);
  double d = 0;
  for (int64_t i = 0; i < s->numbers; i++)
    d = fmax(d, departure(s, i, q->kind == 'i' ? q->wanted : NAN));
  if (q->kind == 'h')
    mean_is(what, q, s, q->within * sqrt((double)r->paths / paths_of(r)));
  else if (q->kind == 'm')
    ck_assert_msg(d > q->wanted && d <= q->within, "%s moves by %g", what, d);
  else if (q->kind == 'f')
    for (int64_t i = 0; i < s->numbers; i++)
      ck_assert_msg(fabs(departure(s, i, NAN) / departure(half, i, NAN) - q->wanted) <= q->within,
                    "%s departs by %g, then %g", what, departure(s, i, NAN),
                    departure(half, i, NAN));
  else
    ck_assert_msg(d <= q->within, "%s is off by %g", what, d);
}

static void check_row(const row *r, const char *scheme) {
  sentence known[MOST];
  series s[MOST], half[MOST];
  const int n = read_known(r, known);
  run_row(r, scheme, 0, n, known, s);
  if (strstr(r->known, " falls "))
    run_row(r, scheme, 1, n, known, half);
  for (int k = 0; k < n; k++)
    check_known(r, scheme, &known[k], &s[k], &half[k]);
}

/* ---- the table ---- */

#define TRAP "rigid_bodies, mass: [1], inertia: [[1, 1, 1]], trap: 1.5"
#define OSCILLATION(k) "p" #k "_1^2 + 1.5*x" #k "_1*(x" #k "_1 - 0.25*p" #k "_1) stays to 1e-13;"
#define SUM(a, b) "(" a "1_1*" b "1_1 + " a "2_1*" b "2_1 + " a "3_1*" b "3_1)"
#define ALONG(k) "(R1" #k "_1*pi1_1 + R2" #k "_1*pi2_1 + R3" #k "_1*pi3_1)"
#define SEEN(k) ALONG(k) "^2"
#define TURNED_BY(kind)                                                                           \
  "rigid_bodies, mass: [1], inertia: [[0.5, 0.7, 1.1]], noise: {kind: " kind                      \
  ", sigma_force: 0, sigma_torque: 0.6}, initial: [0, 0, 0, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6, 0, " \
  "0, 0, 1, 0.4, 0.3, -0.5]"
#define TWICE_ENERGY "(" SEEN(1) "/0.5 + " SEEN(2) "/0.7 + " SEEN(3) "/1.1)"
#define OMEGA(i) \
  "(R" #i "1_1*" ALONG(1) "/0.5 + R" #i "2_1*" ALONG(2) "/0.7 + R" #i "3_1*" ALONG(3) "/1.1)"
#define MOMENTUM(i, j, k)                                                                  \
  "pi" #i "_1 - 0.125*(" OMEGA(j) "*pi" #k "_1 - " OMEGA(k) "*pi" #j "_1) + " TWICE_ENERGY \
                                                            "*" OMEGA(i) "/64"
#define TORQUES                                                                                 \
  MOMENTUM(1, 2, 3)                                                                             \
  " has mean 0.431689382 to 0.05;" MOMENTUM(2, 3, 1) " has mean 0.283977509 to 0.05;" MOMENTUM( \
      3, 1, 2) " has mean -0.500285744 to 0.05;"                                                \
               "(" SUM("pi", "pi") " + " TWICE_ENERGY "^2/64)*(1 + (" SEEN(1) "/0.25 + " SEEN(  \
                   2) "/0.49 + " SEEN(3) "/1.21)/64) has mean 4.83728477 to 0.1"
#define LAGRANGE \
  "heavy_top, inertia: [2, 2, 1], mga: [0, 0, 1], initial: [0.8, -0.6, 1.5, 0.36, 0.48, 0.8]"
#define CHAPLYGIN "heavy_top, inertia: [4, 4, 1], mga: [0.6, -0.8, 0], initial: "
#define GREAT_CIRCLE "(asin(0.1625/1.5)*t/0.25)"
#define PAIR_OF_MODES "initial: [0, 0, 0.5, -1.5, 0, 0, 0, 0]"
#define WAVES(N)                                                                                   \
  "sine_euler, N: " N                                                                              \
  ", damping: {viscosity: 0.03, power: 2, friction: 0.1}, forcing: {steady: [[1, 0, 2e-12], [-1, " \
  "1, 2e-12]]}, initial: {random: {seed: 3, norm: 1e-12, lmax: 3}}"
#define FORCED                                                                 \
  "1e12*re_omega(1,0)*exp(0.13*t) - 2*(exp(0.13*t) - 1)/0.13 stays to 1e-11;"  \
  "1e12*im_omega(1,0)*exp(0.13*t) stays to 1e-11;"                             \
  "1e12*re_omega(1,-1)*exp(0.22*t) stays to 1e-11;"                            \
  "1e12*im_omega(1,-1)*exp(0.22*t) + 2*(exp(0.22*t) - 1)/0.22 stays to 1e-11;" \
  "1e12*re_omega(2,1)*exp(0.85*t) stays to 1e-11;"                             \
  "1e12*re_omega(2,1) moves 1e-3 to 1"
#define ZONAL(N)                                                                                   \
  "euler_zeitlin, N: " N ", topography: [[3, 0, 0.9]], damping: {friction: 0.3, viscosity: 0.1}, " \
  "initial: {coefficients: [[1, 0, 0.4], [3, 0, -0.5], [4, 0, 0.6]]}"
#define TO_REST                                                                                \
  "enstrophy_of(1,1) - (0.4*exp(-0.3*t))^2 is 0 to 1e-14;"                                     \
  "enstrophy_of(3,3) - (0.5*exp(-1.3*t))^2 is 0 to 1e-14;"                                     \
  "enstrophy_of(4,4) - (0.6*exp(-2.1*t))^2 is 0 to 1e-14;"                                     \
  "coefficient(3,0) + 0.5*exp(-1.3*t) is 0 to 1e-14;"                                          \
  "enstrophy - (0.4*exp(-0.3*t))^2 - (0.9 - 0.5*exp(-1.3*t))^2 - (0.6*exp(-2.1*t))^2 is 0 to " \
  "1e-13"
#define AT(latitude, longitude)                                                             \
  "vorticity_at(" latitude "," longitude ") - sqrt(3/(4*pi))*(0.7*sin(" latitude            \
  "*pi/180) + cos(" latitude "*pi/180)*(1.1*cos(" longitude "*pi/180) - 0.3*sin(" longitude \
  "*pi/180))) is 0 to 1e-14;"
#define DRIFTING(N)      \
  "euler_zeitlin, N: " N \
  ", time_unit: physical, rotation: 2.5, initial: {coefficients: [[3, -2, 1.5]]}"
#define WESTWARD                                                                                  \
  "coefficient(3,-2) - 1.5*cos(t/1.2) falls 4 to 0.14; coefficient(3,-2) - 1.5*cos(t/1.2) is 0 "  \
  "to 1e-6;"                                                                                      \
  "coefficient(3,2) + 1.5*sin(t/1.2) falls 4 to 0.14; coefficient(3,2) + 1.5*sin(t/1.2) is 0 to " \
  "1e-6;"                                                                                         \
  "enstrophy - 100*pi/3 - coefficient(3,-2)^2 - coefficient(3,2)^2 is 0 to 1e-12"
#define HAURWITZ(N, unit, l, m)                                                                   \
  "euler_zeitlin, N: " N ", time_unit: " unit ", initial: {coefficients: [[1, 0, 3], [" l ", -" m \
  ", 1.5], [" l ", " m ", 0.2]]}"
#define EASTWARD(l, m, rate)                                                            \
  "coefficient(" l ",-" m ") - 1.5*cos(" rate "*t) + 0.2*sin(" rate "*t) is 0 to 3e-6;" \
  "coefficient(" l "," m ") - 1.5*sin(" rate "*t) - 0.2*cos(" rate "*t) is 0 to 3e-6;"  \
  "enstrophy - coefficient(1,0)^2 - coefficient(" l ",-" m ")^2 - coefficient(" l "," m \
  ")^2 is 0 to 1e-11;"
#define FORCED_SPHERE(N)                                                                          \
  "euler_zeitlin, N: " N                                                                          \
  ", damping: {viscosity: 0.02, power: 2, friction: 0.1}, forcing: {steady: [[3, 2, 1e-12], [1, " \
  "-1, 1e-12]]}, initial: {coefficients: [[1, 0, 1e-12], [2, 1, 1e-12], [4, -3, 1e-12]]}"
#define RELAXED                                                                        \
  "1e12*coefficient(3,2) - (1 - exp(-2.1*t))/2.1 is 0 to 1e-11;"                       \
  "1e12*coefficient(1,-1) - (1 - exp(-0.1*t))/0.1 is 0 to 1e-11;"                      \
  "1e12*coefficient(1,0) - exp(-0.1*t) is 0 to 1e-11;"                                 \
  "1e12*coefficient(2,1) - exp(-0.42*t) is 0 to 1e-11;"                                \
  "1e12*coefficient(4,-3) - exp(-6.58*t) is 0 to 1e-11;"                               \
  "1e12*coefficient(1,1) is 0 to 1e-11; 1e12*coefficient(2,-1) is 0 to 1e-11;"         \
  "1e12*coefficient(3,-2) is 0 to 1e-11; 1e12*coefficient(4,3) is 0 to 1e-11;"         \
  "1e24*(enstrophy - coefficient(3,2)^2 - coefficient(1,-1)^2 - coefficient(1,0)^2 - " \
  "coefficient(2,1)^2 - coefficient(4,-3)^2) is 0 to 1e-11"
#define ONE_FIELD(N, field)                                                                        \
  "euler_zeitlin, N: " N ", noise: {kind: transport, amplitude: 0.5, fields: [[1, 1, 0, " field    \
  "]]}, initial: {coefficients: [[1, 0, 2e-15], [1, -1, 2e-15], [2, 0, 2e-15], [2, -1, 2e-15], "   \
  "[2, -2, 2e-15], [3, 0, 2e-15], [3, -1, 2e-15], [3, -2, 2e-15], [3, -3, 2e-15], [4, 0, 2e-15], " \
  "[4, -1, 2e-15], [4, -2, 2e-15], [4, -3, 2e-15], [4, -4, 2e-15]]}"
#define ANGLE "atan2(coefficient(1,1), coefficient(1,-1))"
#define TURN(l, m)                                                         \
  "1e15*coefficient(" l ",-" m ") - 2*cos(" m "*" ANGLE ") is 0 to 1e-11;" \
  "1e15*coefficient(" l "," m ") - 2*sin(" m "*" ANGLE ") is 0 to 1e-11;"
#define ALL_TURNED                                                                              \
  ANGLE " moves 0.05 to 4;" TURN("2", "1") TURN("2", "2") TURN("3", "1") TURN("3", "2")         \
      TURN("3", "3") TURN("4", "1") TURN("4", "2") TURN("4", "3") TURN(                         \
          "4", "4") "1e15*coefficient(1,0) is 2 to 1e-11; 1e15*coefficient(2,0) is 2 to 1e-11;" \
                    "1e15*coefficient(3,0) is 2 to 1e-11; 1e15*coefficient(4,0) is 2 to 1e-11"
#define EXACT_SPHERE "isospectral_midpoint, tolerance: 1e-15"
#define KEPT_ON_SPHERE(N)                                                                     \
  {                                                                                           \
    "euler_zeitlin, N: " N ", initial: {random: {seed: 2, norm: 7, lmax: 6}}", EXACT_SPHERE,  \
        0x1p-7, 64, 16, 1,                                                                    \
        "enstrophy is 49 to 5e-12; eigenvalue_max stays to 1e-12; angular_momentum stays to " \
        "1e-12;"                                                                              \
        "hamiltonian stays to 1e-6; energy_of(7,8) moves 1e-12 to 1"                          \
  }
#define FREE_ENERGY(system)                                                                      \
  {system, "munthe_kaas;implicit_midpoint", 0x1p-5, 500, 1, 1, "hamiltonian stays to 2e-13"}, {  \
    system, "!munthe_kaas;implicit_midpoint", 0x1p-5, 500, 1, 1, "hamiltonian moves 1e-8 to 1e3" \
  }
#define QUARTIC(x) "lie_poisson, hamiltonian: " x "^4, initial: [0.36, 0.48, 0.8]"
#define TURNS(x, a, y, b, z, c)                                                                   \
  x " is " a " to 1e-15;" y " - " b "*cos(4*" a "^3*t) - " c "*sin(4*" a "^3*t) is 0 to 1e-14;" z \
    " - " c "*cos(4*" a "^3*t) + " b "*sin(4*" a "^3*t) is 0 to 1e-14"
#define FREE_BODY "rigid_body, inertia: [2, 1, 0.5], initial: [0.36, 0.48, 0.8]"
#define SOLVED "munthe_kaas, truncation: 0;implicit_midpoint, truncation: 0"
#define KEPT "hamiltonian_departure is 0 to 1e-13; casimir_departure is 0 to 1e-13"

static const row rows[] = {
    /* Oscillators: with D = 1 - h c/2 - h^2 kappa/4 variational Euler has E p^2 = kT/D, E q p = h E
       p^2/2, kappa E q^2 = kT (1 - h c/2)/D. Without friction noise adds sigma^2 h a step. */
    {TRAP ", initial: [0.3, 0.5, -1, 0.2, 0, 0.7, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]",
     "variational_euler", 0.25, 1000, 1, 1, OSCILLATION(1) OSCILLATION(2) OSCILLATION(3)},
    {TRAP ", noise: {kind: additive, sigma_force: 0.8}", "variational_euler", 0.25, 40, 40, 8000,
     "(" SUM("p", "p") " + 1.5*" SUM("x", "x") " - 0.375*" SUM("x", "p") ")/3 has mean 6.4 to 0.2"},
    {TRAP ", friction: {force: 0.5}, temperature: 0.8", "variational_euler", 0.4, 240, 240, 8000,
     SUM("p", "p") "/3 has mean 0.952380952 to 0.02;" SUM(
         "x", "p") "/3 has mean 0.190476190 to 0.02;" SUM("x",
                                                          "x") "/2 has mean 0.857142857 to 0.02"},
    {TRAP ", friction: {force: 0.5}, temperature: 0.8", "baoab", 0.4, 240, 240, 8000,
     SUM("p", "p") "/3 has mean 0.752 to 0.02;" SUM("x", "p") "/3 has mean 0 to 0.02;" SUM(
         "x", "x") "/2 has mean 0.8 to 0.02"},
    /* Torques of covariance sigma^2 add 3 sigma^2 h a step to E |m|^2 and leave E m, whatever h and
       inertia are: m = P + x x P/2 + (x.P) x/4 of P = pi and x = -h omega. */
    {TURNED_BY("potential"), "variational_euler", 0.25, 16, 16, 4000, TORQUES},
    {TURNED_BY("additive"), "variational_euler", 0.25, 16, 16, 4000, TORQUES},
    /* A body with equal moments turns by 2 arctan(h |omega|/2) a step, and pi stays. */
    {"rigid_bodies, mass: [1], inertia: [[0.5, 0.5, 0.5]], initial: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, "
     "1, 0, 0, 0, 1, 0.3, -0.2, 0.6]",
     "variational_euler", 0.25, 20, 1, 1,
     "pi1_1 is 0.3 to 1e-14; pi2_1 is -0.2 to 1e-14; pi3_1 is 0.6 to 1e-14;"
     "0.6*R11_1 - 0.4*R12_1 + 1.2*R13_1 is 0.6 to 1e-13;"
     "0.6*R21_1 - 0.4*R22_1 + 1.2*R23_1 is -0.4 to 1e-13;"
     "0.6*R31_1 - 0.4*R32_1 + 1.2*R33_1 is 1.2 to 1e-13;"
     "R11_1 + R22_1 + R33_1 - 2*cos(2*atan(0.25*1.4/2)*t/0.25) is 1 to 1e-13"},
    /* States of the law exp(-H0/kT) have its moments: coth a - 1/a, a = 0.5/0.7, of the alignment,
       and no direction about the axis is preferred. */
    {"rigid_bodies, mass: [2], inertia: [[0.5, 0.7, 1.1]], trap: 1.5, field: [0.3, 0, 0.4], "
     "temperature: 0.7, friction: {force: 1, torque: 1}, initial: {random: {seed: 5, law: gibbs}, "
     "each: path}",
     "baoab", 0x1p-20, 1, 1, 4000,
     "1.5*" SUM("x", "x") " has mean 2.1 to 0.1;" SUM("p", "p") "/2 has mean 2.1 to 0.1;" SEEN(
         1) "/0.5 + " SEEN(2) "/0.7 + " SEEN(3) "/1.1 has mean 2.1 to 0.1;"
                                                "(0.3*R13_1 + 0.4*R33_1)/0.5 has mean 0.230371179 "
                                                "to 0.03;"
                                                "R11_1 + R22_1 has mean 0 to 0.03; p1_1*pi1_1 has "
                                                "mean 0 to 0.03"},
    /* A disk without potential has E (v + w)^2 = kT (1 + 1/s)/(1 - h c (1 + 1/s)/2), and slides on
       by E x^2/t^2 = kT/(1 + s) but for terms of order 1/t^2. */
    {"sliding_disk, amplitude: 0, friction: 0.4, temperature: 0.7, initial: [0, 0, 0.5, -0.25]",
     "variational_euler", 0.25, 100, 100, 4000,
     "p_x - p_theta is 0.75 to 1e-13; (p_x + p_theta/0.5)^2 has mean 2.47058824 to 0.1"},
    {"sliding_disk, amplitude: 0, friction: 0.4, temperature: 0.7, s: 0.5, initial: {random: "
     "{seed: 5, law: gibbs}, each: path}",
     "variational_euler", 0.25, 1600, 1600, 4000, "(x/400)^2 has mean 0.466666667 to 0.02"},
    /* Paths that slide to where rounding of x is more than any tolerance converge. */
    {"sliding_disk, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]",
     "implicit_euler_maruyama", 0.2, 600, 600, 64, "x moves 1 to 1e9"},
    /* A bead without weight keeps to a great circle, by arcsin(h |p|/(m L)) a step. */
    {"pendulum_chain, N: 1, mass: 2, length: 1.5, gravity: 0, initial: [0.9, 0, -1.2, 0, 1.3, 0]",
     "constrained_variational_euler", 0.25, 100, 1, 1,
     "q1_1 - 0.9*cos" GREAT_CIRCLE " is 0 to 1e-12; q2_1 - 1.5*sin" GREAT_CIRCLE " is 0 to 1e-12;"
     "q3_1 + 1.2*cos" GREAT_CIRCLE " is 0 to 1e-12; sqrt" SUM("p", "p") " is 1.3 to 1e-13"},
    {"pendulum_chain, N: 4, friction: 0.5, temperature: 0.5", "variational_euler", 0x1p-6, 500, 1,
     8, "stretch is 0 to 1e-13"},
    /* Tops without noise: Goryachev and Chaplygin's integral is one where Pi.Gamma = 0, an upright
       top is steady, and a sleeping one turns by 4 atan(x/2) a step, x = h p/(2 I3 (1 + x^2/4)). */
    {LAGRANGE, "munthe_kaas", 0x1p-4, 128, 1, 1, "Pi3 moves 1e-6 to 1; Pi3 falls 4 to 0.4"},
    {LAGRANGE, "implicit_midpoint", 0x1p-4, 128, 1, 1, "Pi3 stays to 1e-13"},
    {CHAPLYGIN "[2, -1, 0.5, 0, 0.48, 0.96]", "munthe_kaas", 0x1p-5, 256, 1, 1,
     "goryachev_chaplygin moves 0 to 1e-2; goryachev_chaplygin falls 4 to 0.4"},
    {CHAPLYGIN "[2, -1, 0.5, 0.48, 0.48, 0.96]", "munthe_kaas", 0x1p-6, 512, 1, 1,
     "goryachev_chaplygin moves 0.1 to 1e3"},
    {"heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], initial: [0, 0, 1.5, 0, 0, 1]", NULL, 0x1p-4,
     100, 1, 1, "state stays to 0"},
    {"heavy_top, attitude: true, inertia: [2, 2, 0.5], mga: [0, 0, 1], initial: [0, 0, 2, 0, 0, 1]",
     "variational_midpoint", 0.125, 4, 1, 1,
     "Pi1 is 0 to 0; Pi2 is 0 to 0; Pi3 is 2 to 1e-15; Gamma3 is 1 to 0;"
     "R11 - cos(0.49006552795645464*t/0.125) is 0 to 1e-14;"
     "R21 - sin(0.49006552795645464*t/0.125) is 0 to 1e-14"},
    /* observables by their definitions */
    {"heavy_top, inertia: [4, 2, .inf], mga: [0.3, -0.1, 1], noise: {square: [0.3]}", "munthe_kaas",
     0x1p-4, 20, 1, 1,
     "kinetic_energy - Pi1^2/8 - Pi2^2/4 is 0 to 4e-15;"
     "potential_energy - 0.3*Gamma1 + 0.1*Gamma2 - Gamma3 is 0 to 4e-15;"
     "hamiltonian - kinetic_energy - potential_energy is 0 to 4e-15;"
     "gamma_squared - Gamma1^2 - Gamma2^2 - Gamma3^2 is 0 to 4e-15;"
     "pi_dot_gamma - Pi1*Gamma1 - Pi2*Gamma2 - Pi3*Gamma3 is 0 to 4e-15;"
     "nutation - acos(Gamma3/sqrt(Gamma1^2 + Gamma2^2 + Gamma3^2)) is 0 to 4e-15;"
     "sin2pi - sin(2*pi*Pi1) - sin(2*pi*Pi2) - sin(2*pi*Pi3) - sin(2*pi*Gamma1) - sin(2*pi*Gamma2) "
     "- sin(2*pi*Gamma3) is 0 to 4e-15;"
     "pi2 - Pi2 is 0 to 0; gamma3 - Gamma3 is 0 to 0"},
    /* the free body in R^n */
    {"manakov, n: 5, inertia: {manakov: [0.5, 0.75, 1, 1.25, 2]}, initial: {random: {seed: 3, "
     "norm: 1.5}}",
     "", 0x1p-5, 256, 1, 1,
     "manakov_integrals moves 1e-10 to 1; manakov_integrals falls 4 to 0.2;"
     "hamiltonian moves 1e-10 to 1; hamiltonian falls 4 to 0.2; casimir_departure is 0 to 1e-14"},
    /* A pair of modes n, -n by itself is steady, with noise of modes along n as well: (1, 2) and 2
       (1, 2) = (2, -1) in the box of N = 5. */
    {"sine_euler, N: 3, " PAIR_OF_MODES, NULL, 0x1p-3, 64, 1, 1, "state stays to 1.5e-13"},
    {"sine_euler, N: 3, noise: {amplitude: 0.7, modes: [[1, -1], [-1, 1]]}, " PAIR_OF_MODES, NULL,
     0x1p-3, 64, 1, 1, "state stays to 1.5e-13"},
    {"sine_euler, N: 5, noise: {amplitude: 0.7, modes: [[2, -1], [-1, -2]]}, initial: [0, 0, 0, 0, "
     "0, 0, 0, 0, 0, 0, 0, 0, 1.5, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
     NULL, 0x1p-3, 64, 1, 1, "state stays to 1.5e-13"},
    /* Noise of both waves of mode m makes the mean of a tiny omega_n decay at the rate 2 s^2, s =
       amplitude N/(2 pi) sin(2 pi m x n/N). */
    {"sine_euler, N: 3, noise: {amplitude: 0.5, modes: [[1, -1], [-1, 1]]}, initial: [1e-100, 0, "
     "0, 0, 0, 0, 0, 0]",
     "munthe_kaas, truncation: 0", 0x1p-1, 4, 4, 40000,
     "1e100*zonal has mean 0.842838854 to 0.00786"},
    /* Small waves have dw = (-lambda w + f) dt with lambda = 0.03 n^4 + 0.1, and the wave 2 sin(x2
       - x1) is no part of the real one of n = (1, -1). */
    {WAVES("5"), "", 0x1p-3, 8, 1, 1, FORCED},
    {WAVES("25"), "", 0x1p-3, 8, 1, 1, FORCED},
    /* Zonal flows over zonal topography are steady but for friction and viscosity. */
    {ZONAL("6"), "isospectral_midpoint, tolerance: 1e-15", 0.1, 20, 1, 1, TO_REST},
    {ZONAL("24"), "isospectral_midpoint, tolerance: 1e-15", 0.1, 20, 1, 1, TO_REST},
    /* A field a T_10 turns the sphere about its axis by one angle for all degrees: with
       exponentials, exactly. */
    {ONE_FIELD("5", "2.53"), "munthe_kaas, tolerance: 1e-16", 0x1p-6, 32, 1, 1, ALL_TURNED},
    {ONE_FIELD("26", "30.6"), "munthe_kaas, tolerance: 1e-16", 0x1p-6, 32, 1, 1, ALL_TURNED},
    /* On a rotating sphere a wave of degree l drifts at the rate -2 Omega/(l (l + 1)), at any N and
       any amplitude, with an error of the step alone. */
    {DRIFTING("5"), EXACT_SPHERE, 0x1p-10, 256, 256, 1, WESTWARD},
    {DRIFTING("26"), EXACT_SPHERE, 0x1p-10, 256, 256, 1, WESTWARD},
    /* Solid rotation a Y_10 with a wave of degree l turns at the rate sqrt(3/(4 pi)) a (1/2 - 1/(l
       (l + 1))) in physical time, as the Euler equations on the sphere do, and in the paper's unit
       slower by sqrt(N (N^2 - 1)/(16 pi)). */
    {HAURWITZ("9", "physical", "4", "3"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("4", "3", "1.9788401732068261")},
    {HAURWITZ("9", "physical", "1", "1"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("1", "1", "0") "state stays to 1e-12"},
    {HAURWITZ("9", "paper", "8", "2"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("8", "2", "0.3765400475479433")},
    {HAURWITZ("26", "physical", "4", "3"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("4", "3", "1.9788401732068261")},
    {HAURWITZ("26", "physical", "25", "7"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("25", "7", "5.114540755365335")},
    {HAURWITZ("26", "paper", "2", "1"), EXACT_SPHERE, 0x1p-12, 2048, 2048, 1,
     EASTWARD("2", "1", "0.026148818018424544")},
    /* Small states have the solution of dw = (-lambda w + f) dt, lambda = 0.02 (l (l + 1) - 2)^2 +
       0.1, whatever the step. */
    {FORCED_SPHERE("5"), "isospectral_midpoint, tolerance: 1e-16", 0x1p-3, 8, 1, 1, RELAXED},
    {FORCED_SPHERE("26"), "isospectral_midpoint, tolerance: 1e-16", 0x1p-3, 8, 1, 1, RELAXED},
    KEPT_ON_SPHERE("9"),
    KEPT_ON_SPHERE("26"),
    {"euler_zeitlin, N: 6, initial: {coefficients: [[2, 1, 3], [5, -5, 4]], norm: 10}", "", 0x1p-60,
     1, 1, 1,
     "coefficient(2,1) is 6 to 1e-13; coefficient(5,-5) is 8 to 1e-13; enstrophy is 100 to 1e-12"},
    /* Three fields 2 T_1m make degree l decay in the mean as exp(-0.8 l (l + 1) t/2). */
    {"euler_zeitlin, N: 4, noise: {kind: transport, fields: [[1, 1, -1, 2], [2, 1, 0, 2], [3, 1, "
     "1, 2]]}, initial: {coefficients: [[1, 0, 1e-9], [2, 1, 1e-9], [3, -2, 1e-9]]}",
     "", 0x1p-8, 256, 256, 4000,
     "1e9*coefficient(1,0) has mean 0.449328964 to 0.02;"
     "1e9*coefficient(2,1) has mean 0.0907179533 to 0.02;"
     "1e9*coefficient(3,-2) has mean 0.00822974705 to 0.02"},
    /* a Y_10 + b Y_1,-1 + c Y_11 is sqrt(3/(4 pi)) (a z + b x + c y) between points of a grid. */
    {"euler_zeitlin, N: 6, initial: {coefficients: [[1, 0, 0.7], [1, -1, 1.1], [1, 1, -0.3]]}", "",
     0x1p-6, 1, 1, 1, AT("37.25", "12.5") AT("-89.9", "301.75") AT("0.001", "-180.5")},
    /* Functions of one component are exact flows, which splitting is made of; H = J of the motions
       of a plane is a turn; a solvable algebra has the Casimir x3/x2^a. */
    {QUARTIC("x1"), "splitting", 0x1p-5, 48, 1, 1, TURNS("x1", "0.36", "x2", "0.48", "x3", "0.8")},
    {QUARTIC("x2"), "splitting", 0x1p-5, 48, 1, 1, TURNS("x2", "0.48", "x3", "0.8", "x1", "0.36")},
    {QUARTIC("x3"), "splitting", 0x1p-5, 48, 1, 1, TURNS("x3", "0.8", "x1", "0.36", "x2", "0.48")},
    {"lie_poisson, algebra: {structure_constants: [[1, 2, 3, 1], [1, 3, 2, -1]]}, components: [J, "
     "P1, P2], casimirs: [P1^2 + P2^2], hamiltonian: J, initial: [0.5, 0.6, -0.8]",
     "munthe_kaas", 0x1p-5, 48, 1, 1,
     "J is 0.5 to 1e-15; P1 - 0.6*cos(t) - 0.8*sin(t) is 0 to 1e-14; P2 + 0.8*cos(t) - 0.6*sin(t) "
     "is 0 to 1e-14"},
    {"lie_poisson, algebra: {structure_constants: [[1, 2, 2, 1], [1, 3, 3, 2]]}, casimirs: "
     "[x3/x2^2], hamiltonian: x1^2 + sin(x2)*x3, noise: [0.2*x1*x3, 0.3*x2], initial: [0.5, 0.6, "
     "0.8]",
     "munthe_kaas", 0x1p-6, 64, 1, 1, "casimir1 stays to 1e-13; x2 moves 0.01 to 1e3"},
    /* dx = x (y - z), .., with {x, y} = x y, .. and H = x + y + z, which is linear */
    {"lie_poisson, algebra: brackets, components: [x, y, z], brackets: {x y: x*y, y z: y*z, z x: "
     "z*x}, casimirs: [x*y*z], hamiltonian: x + y + z, initial: [0.5, 0.6, 0.9], observables: "
     "{rate: x*(y - z), both: rate + y}",
     "implicit_midpoint", 0x1p-4, 64, 1, 1,
     "hamiltonian stays to 1e-13; casimir1 moves 1e-7 to 1e-3; casimir1 falls 4 to 0.5;"
     "rate - x*(y - z) is 0 to 1e-15; both - y + 0*rate - rate is 0 to 1e-15"},
    /* With H0 = 0 and chi_k = s e_k a step of Munthe-Kaas has the mean factor (1 + 2 (1 - q)
       exp(-q/2))/3, q = s^2 h = 1, where the solution has exp(-q). */
    {"rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 2}, initial: [0, 0, 1]",
     "munthe_kaas, truncation: 0", 0.25, 1, 1, 40000, "x3 has mean 0.333333333 to 0.0043"},
    /* Two schemes keep energies of at most second degree, and no other one does. */
    FREE_ENERGY(FREE_BODY),
    FREE_ENERGY("heavy_top, inertia: [4, 2, 1], mga: [0.1, 0.2, 1], initial: [0.8, -0.6, 1.5, "
                "0.36, 0.48, 0.8]"),
    FREE_ENERGY("sine_euler, N: 3, initial: [0.3, -0.7, 0.9, 0.4, -0.8, 0.1, 0.5, 0.6]"),
    FREE_ENERGY("sine_euler, N: 5, initial: {random: {seed: 2, norm: 2}}"),
    {FREE_BODY, "variational_midpoint, variant: energy_momentum", 0x1p-5, 500, 1, 1,
     "hamiltonian stays to 1e-13"},
    /* Long steps of a free body keep its energy and Casimir, if their equations are solved. */
    {FREE_BODY, SOLVED, 0.5, 64, 1, 1, KEPT},
    {FREE_BODY, SOLVED, 1, 64, 1, 1, KEPT},
    {FREE_BODY, SOLVED, 2, 64, 1, 1, KEPT},
    {FREE_BODY, SOLVED, 4, 64, 1, 1, KEPT},
};

TEST_OVER(what_is_known, sizeof rows / sizeof *rows) {
  const row *r = &rows[_i];
  const bool is_list = r->schemes && *r->schemes != '!';
  char list[300], name[40], *rest;
  int found = 0;
  snprintf(list, sizeof list, "%s", is_list ? r->schemes : "");
  sscanf(r->system, "%39[a-z_]", name);
  if (is_list && !*list)
    check_row(r, "");
  for (char *s = strtok_r(list, ";", &rest); s; s = strtok_r(NULL, ";", &rest))
    check_row(r, s);
  for (const cas_integrator *const *i = cas_kernels_get()->integrators; !is_list && *i; i++)
    if (fits(cas_system_find(name), *i) && !(r->schemes && strstr(r->schemes, (*i)->name))) {
      check_row(r, (*i)->name);
      found++;
    }
  ck_assert(is_list || found >= (r->schemes ? 3 : 4));
}

RUN_TESTS_WITH_MPI
