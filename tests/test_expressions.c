/* Expressions: what they mean, their derivatives, the accuracy of the functions that vectors have,
   on every instruction set that runs here, and what is refused. */
#include "language/expressions/hamiltonian.h"
#include "math/kernels/kernels.h"
#include "suite.h"

#include <string.h>

enum { LANES = 64 };

static const char *const variables[] = {"x", "y", "z", NULL}, *const constants[] = {"a", NULL};
static const double values[] = {1.5};
static const cas_scope scope = {.variable = variables, .constant = constants, .value = values};

static bool make_program(const cas_operations *l, int results, const int *result, cas_program *p) {
  const int stride[CAS_PROGRAM_ARRAYS] = {CAS_PROGRAM_NUMBER_LANES, CAS_PROGRAM_NUMBER_LANES, LANES,
                                          LANES, LANES};
  cas_program_source *source = calloc((size_t)l->n, sizeof *source);
  for (int i = 0; i < l->n; i++)
    if (l->operation[i].operator_ == CAS_OPERATOR_VARIABLE)
      source[i] = (cas_program_source){CAS_PROGRAM_IN_FIRST, l->operation[i].a};
  const bool made = cas_program_make(l, results, result, source, stride, p);
  free(source);
  return made;
}

/* out[results][LANES] of operations at x[3][LANES] */
static void run(const cas_kernels *k, const cas_operations *l, int results, const int *result,
                const double *x, double *out) {
  cas_program p;
  ck_assert(make_program(l, results, result, &p));
  k->run(&p, LANES, x, out);
  cas_program_free(&p);
}

static void forget(void *l) {
  cas_operations_free(l);
  free(l);
}

/* A list without operations, which belongs to the suite until the test ends. */
static cas_operations *new_list(void) {
  cas_operations *l = calloc(1, sizeof *l);
  suite_keep(l, forget);
  return l;
}

static int read_well(const char *text, cas_operations *l) {
  cas_complaint e;
  int root;
  ck_assert_msg(cas_expression_read(text, &scope, l, &root, &e), "%s: %s", text, e.text);
  return root;
}

/* In all lanes, on every instruction set. */
static void assert_value(const char *text, double x, double y, double z, double wanted,
                         double tolerance) {
  _Alignas(64) double at[3 * LANES], out[LANES];
  const double point[3] = {x, y, z};
  cas_operations *l = new_list();
  const int root = read_well(text, l);
  for (int i = 0; i < 3 * LANES; i++)
    at[i] = point[i / LANES];
  for (int i = 0; cas_kernels_list(i); i++) {
    run(cas_kernels_list(i), l, 1, &root, at, out);
    for (int k = 1; k < LANES; k++)
      ck_assert(memcmp(&out[k], &out[0], sizeof out[0]) == 0);
    ck_assert_msg(
        isnan(wanted) ? isnan(out[0]) : out[0] == wanted || fabs(out[0] - wanted) <= tolerance,
        "%s: %s at x = %g is %.17g, not %.17g", cas_kernels_list(i)->name, text, x, out[0], wanted);
  }
}

TEST(expressions_mean_what_they_say) {
  const double x = 0.7, y = -1.3, z = 2.1, a = 1.5, pi = 3.14159265358979323846;
  const struct {
    const char *text;
    double value;
  } cases[] = {
      {"x + y*z", x + y * z},
      {"(x + y)*z", (x + y) * z},
      {"x - y - z", x - y - z},
      {"x/y/z", x / y / z},
      {"x/y*z", x / y * z},
      {"-x^2", -x * x},
      {"2^-3", 0.125},
      {"2^3^2", 512},
      {"x^-2", 1 / (x * x)},
      {"x^3 - x*x*x", 0},
      {"x^0", 1},
      {"0 - x/1 + 0/z", -x},
      {"x^0.5", sqrt(x)},
      {"x^2.5", pow(x, 2.5)},
      {"x^z", pow(x, z)},
      {"pow(z, x)", pow(z, x)},
      {"- - x", x},
      {"1e-3*x + .5 + 2.", 1e-3 * x + 2.5},
      {"a*x", a * x},
      {"sin(2*pi*x) + cos(y)^2", sin(2 * pi * x) + cos(y) * cos(y)},
      {"tan(x)*exp(y)/log(z)", tan(x) * exp(y) / log(z)},
      {"sqrt(x^2 + y^2)", sqrt(x * x + y * y)},
      {"abs(y) - min(x, y) + max(y, z)", fabs(y) - y + z},
      {"x*y + x*y + z - x*y", x * y + z},
      {"z - x*y", z - x * y},
      {"asin(x) - acos(y/2) + atan(z)", asin(x) - acos(y / 2) + atan(z)},
      {"atan2(y, x) - atan2(z, -x)", atan2(y, x) - atan2(z, -x)},
      {"x < y", 0},
      {"x > y", 1},
      {"x <= x + 0*y", 1},
      {"x >= z", 0},
      {"(y < x)*(x < z) + 2*(z < y)", 1},
      {"x + y < z", 1},
      {"if(x > 0, y, z)", y},
      {"if(x*y > 0, y, z)", z},
      {"if(y > 0, sqrt(y), -y)", -y},
      {"if(x, log(x), log(-x))", log(x)},
      {"if(2 > 1, x, 1/0.0001)", x},
      {"max(if(z >= 2, 3, 4), x > 2)", 3},
      {"x", x},
      {"3", 3},
      {" ( ( x ) ) ", x},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    assert_value(cases[c].text, x, y, z, cases[c].value, 4e-15 * fmax(1, fabs(cases[c].value)));
}

/* At the ends of their ranges the functions of the library of C are right. */
TEST(a_nan_stays_one_and_all_is_folded_as_it_is_run) {
  static const char *const of_nan[] = {
      "x + 1",      "min(x, y)",   "min(y, x)",   "max(x, y)",   "max(y, x)",
      "abs(x)",     "sin(x)",      "cos(x)",      "tan(x)",      "exp(x)",
      "log(x)",     "sqrt(x)",     "x^2",         "x^1.5",       "x < y",
      "y <= x",     "x > 2*y",     "x >= 2",      "asin(x)",     "acos(x)",
      "atan(x)",    "atan2(x, y)", "atan2(y, x)", "if(x, 2, y)", "if(x > y, 1, 2)",
      "if(y, x, 1)"};
  for (size_t k = 0; k < sizeof of_nan / sizeof *of_nan; k++)
    assert_value(of_nan[k], NAN, 1, 1, NAN, 0);
  static const double numbers[] = {NAN, -INFINITY, -1.5, 0, 1, 2, 710, INFINITY};
  _Alignas(64) double at[3 * LANES], out[4 * LANES], value[100];
  for (int i = 0; i < 3 * LANES; i++)
    at[i] = numbers[i < LANES ? i / 8 : i % 8];
  for (size_t k = 0; k < sizeof of_nan / sizeof *of_nan; k++) {
    cas_operations *l = new_list();
    int root[4] = {read_well(of_nan[k], l)};
    ck_assert(cas_operations_gradient(l, root[0], 3, root + 1));
    for (int i = 0; cas_kernels_list(i); i++) {
      run(cas_kernels_list(i), l, 4, root, at, out);
      for (int j = 0; j < 4 * LANES; j++) {
        const double *x = &at[j % LANES], *folded = &value[root[j / LANES]];
        cas_operations_evaluate(l, 0, (double[]){x[0], x[LANES], x[LANES]}, value);
        ck_assert_msg(isnan(*folded) ? isnan(out[j])
                                     : out[j] == *folded || fabs(out[j] / *folded - 1) < 4e-15,
                      "%s at %g, %g: %.17g, %.17g", of_nan[k], x[0], x[LANES], out[j], *folded);
      }
    }
  }
}

/* the error in units in the last place of the true value */
static double ulps(double found, long double wanted) {
  int exponent;
  frexpl(wanted, &exponent);
  exponent = exponent < -1021 ? -1021 : exponent;
  return (double)fabsl(((long double)found - wanted) * ldexpl(1, 53 - exponent));
}

static const struct {
  const char *text;
  long double (*wanted)(long double);
  double low, high, ulps;
} accuracy[] = {
    {"sin(x)", sinl, -7, 7, 1},        {"cos(x)", cosl, -7, 7, 1},
    {"sin(x)", sinl, -1e6, 1e6, 1},    {"cos(x)", cosl, -1e6, 1e6, 1},
    {"sin(x)", sinl, -1e9, 1e9, 1},    {"sin(x)", sinl, -1e-8, 1e-8, 1},
    {"tan(x)", tanl, -7, 7, 3},        {"exp(x)", expl, -1, 1, 1},
    {"exp(x)", expl, -708, 709.7, 1},  {"exp(x)", expl, -745, -708, 1},
    {"log(x)", logl, 1e-300, 1, 1},    {"log(x)", logl, 0.5, 2, 1},
    {"log(x)", logl, 1, 1e300, 1},     {"log(x)", logl, 5e-324, 1e-309, 1},
    {"log(x)", logl, 0.999, 1.001, 1},
};

TEST_OVER(functions_are_accurate, sizeof accuracy / sizeof *accuracy) {
  _Alignas(64) double x[3 * LANES], out[LANES];
  cas_operations *l = new_list();
  int root = read_well(accuracy[_i].text, l);
  for (int i = 0; cas_kernels_list(i); i++) {
    double worst = 0;
    for (int n = 0; n < 4000; n++) {
      for (int k = 0; k < 3 * LANES; k++)
        x[k] = accuracy[_i].low + (accuracy[_i].high - accuracy[_i].low) * drand48();
      x[0] = (n - 2000) * 1.57079632679489661923; /* where cosines and sines nearly vanish */
      if (x[0] < accuracy[_i].low || x[0] > accuracy[_i].high)
        x[0] = x[1];
      run(cas_kernels_list(i), l, 1, &root, x, out);
      for (int k = 0; k < LANES; k++) {
        double off = ulps(out[k], accuracy[_i].wanted((long double)x[k]));
        worst = off <= worst ? worst : off;
      }
    }
    ck_assert_msg(worst <= accuracy[_i].ulps, "%s: %s on [%g, %g] is off by %g ulp",
                  cas_kernels_list(i)->name, accuracy[_i].text, accuracy[_i].low, accuracy[_i].high,
                  worst);
  }
}

static const char *const smooth[] = {
    "x^2*y + z",
    "x*y*z/a",
    "sin(x*y)*cos(z)",
    "exp(x/2)*log(z + 3) + tan(y/4)",
    "sqrt(x^2 + y^2 + z^2)",
    "(x + y)^3/(z + 2)^2",
    "abs(x - 2)*max(y, z) + min(x, 5*z + 10)",
    "(z + 2)^(x/3)",
    "x^2.5 + pow(2, y)",
    "-(x - y)*(y - x)",
    "1/(1 + x^2) - x/(2 - y)",
    "asin(x/2)*y + acos(z*y)",
    "atan(x*z) - atan2(y, x*z) + atan2(x, y)",
    "if(x > y, (x*y)^2*z, sqrt(y - x))",
    "if(y > 0, sqrt(y)*z + log(y), x*y^2)*x",
    "if(x^2 < 1, z, 1)^2*sqrt(if(y < 0, y^2, y))",
};

/* gradient and second derivatives along a direction against differences of the values */
TEST_OVER(derivatives_are_those_of_differences, sizeof smooth / sizeof *smooth) {
  const double e = 0x1p-17;
  _Alignas(64) double x[3 * LANES] = {0}, out[7 * LANES];
  const double at[3] = {0.7, -0.4, 0.9}, along[3] = {0.3, 1, -0.6};
  cas_operations *l = new_list();
  int root[7] = {read_well(smooth[_i], l)}, direction[3];
  for (int k = 0; k < 3; k++)
    direction[k] = cas_operations_number(l, along[k]);
  ck_assert(cas_operations_gradient(l, root[0], 3, root + 1));
  ck_assert(cas_operations_tangent(l, 3, root + 1, 3, direction, root + 4));
  /* lane 0: the point; 1 + 2 k and 2 + 2 k: on both sides of it; 7 and 8: along the direction */
  for (int k = 0; k < 3; k++)
    for (int lane = 0; lane < LANES; lane++)
      x[k * LANES + lane] = at[k] + (lane == 1 + 2 * k) * e - (lane == 2 + 2 * k) * e +
                            (lane == 7) * e * along[k] - (lane == 8) * e * along[k];
  for (int i = 0; cas_kernels_list(i); i++) {
    run(cas_kernels_list(i), l, 7, root, x, out);
    for (int k = 0; k < 6; k++) {
      const double *on = k < 3 ? out + 1 + 2 * k : out + (k - 2) * LANES + 7,
                   slope = (on[0] - on[1]) / (2 * e), found = out[(1 + k) * LANES];
      ck_assert_msg(fabs(slope - found) < 1e-8 * fmax(1, fabs(found)),
                    "%s: %s derivative by %s is %g, not %g", smooth[_i], k < 3 ? "first" : "second",
                    variables[k % 3], found, slope);
    }
  }
}

/* Constants are not brought together where their product would leave the range: value and gradient,
   from the list and by all vectors. */
static const struct {
  const char *text;
  double z, value, slope;
} at_the_ends[] = {
    {"1e-200*(1e-200*exp(800*z))", 0.8, 8.88113390e-123, 7.10490712e-120},
    {"1e200*(1e200*exp(-900*z))", 0.8, 2.03223080e87, -1.82900772e90},
    {"exp(800*z)*1e-200*1e-200", 0.8, 8.88113390e-123, 7.10490712e-120},
    {"exp(800*z)", 0.8, 8.88113390e-123, 7.10490712e-120}, /* times 1e-200*1e-200 */
    {"exp(800*z)/1e200/1e200", 0.8, 8.88113390e-123, 7.10490712e-120},
    {"-(1e-200*-(exp(800*z)/1e200))", 0.8, 8.88113390e-123, 7.10490712e-120},
    {"2e-160*(3e-160*(exp(700*z)*4))", 1, 2.43415693e-15, 1.70390985e-12},
    {"(1e-290*(1e-20*exp(690*z)))*(1e10*z)", 1, 4.60460640e-1, 3.18178303e+2},
};

TEST_OVER(constants_stay_in_range, sizeof at_the_ends / sizeof *at_the_ends) {
  _Alignas(64) double x[3 * LANES], out[4 * LANES];
  const double z = at_the_ends[_i].z, wanted[2] = {at_the_ends[_i].value, at_the_ends[_i].slope};
  cas_operations *l = new_list();
  int root[4] = {read_well(at_the_ends[_i].text, l)};
  const int small = cas_operations_number(l, 1e-200);
  if (!strchr(at_the_ends[_i].text, '1'))
    root[0] = cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, root[0],
                                   cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, small, small));
  ck_assert(cas_operations_gradient(l, root[0], 3, root + 1));
  for (int k = 0; k < 3 * LANES; k++)
    x[k] = z;
  for (int i = 0; cas_kernels_list(i); i++) {
    run(cas_kernels_list(i), l, 4, root, x, out);
    for (int k = 0; k < 2; k++)
      ck_assert_msg(fabs(out[3 * k * LANES] - wanted[k]) <= 1e-6 * fabs(wanted[k]),
                    "%s: %g, not %g", at_the_ends[_i].text, out[3 * k * LANES], wanted[k]);
  }
}

/* The number of operations of all derivatives; the bracket and Hamiltonians are the caller's. */
static int derived(cas_hamiltonians *h) {
  cas_hamiltonian_programs p;
  ck_assert(cas_hamiltonians_derive(h));
  ck_assert(cas_hamiltonian_programs_make(h, CAS_PROGRAM_NUMBER_LANES, LANES, &p));
  const int n = h->list.n;
  cas_hamiltonian_programs_free(&p);
  h->bracket.entry = NULL;
  h->hamiltonian = NULL;
  cas_hamiltonians_free(h);
  return n;
}

/* Powers of powers share their operations: 2^30 factors are 30 of them, for every pass. */
TEST(shared_operations_are_visited_once) {
  int zeros[9], hamiltonian[2];
  cas_hamiltonians h = {
      .components = 3, .noises = 1, .bracket = {3, zeros}, .hamiltonian = hamiltonian};
  for (int i = 0; i < 9; i++)
    zeros[i] = cas_operations_number(&h.list, 0);
  hamiltonian[0] = read_well("y*(((((a*x)^64)^64)^64)^64)^64 + z", &h.list);
  hamiltonian[1] = read_well("3*(-((x*2)^64)^64)^64*z^2", &h.list);
  ck_assert_int_lt(derived(&h), 2000);
}

/* The Ito drift of a noise goes through what this noise needs, not what those before have added. */
TEST(noises_are_derived_each_by_itself) {
  enum { MOST = 200, OPERATIONS = 60 };
  static const char *const entry[] = {"0", "z", "-y", "-z", "0", "x", "y", "-x", "0"};
  for (int noises = 2; noises <= MOST; noises *= 10) {
    int brackets[9], hamiltonian[1 + MOST];
    char text[60];
    cas_hamiltonians h = {
        .components = 3, .noises = noises, .bracket = {3, brackets}, .hamiltonian = hamiltonian};
    for (int i = 0; i < 9; i++)
      brackets[i] = read_well(entry[i], &h.list);
    for (int k = 0; k <= noises; k++) {
      snprintf(text, sizeof text, "x + 0.%03d*y*z", k);
      hamiltonian[k] = read_well(text, &h.list);
    }
    ck_assert_int_le(derived(&h), OPERATIONS * (1 + noises));
  }
}

/* Derivatives of products keep a condition once, however many factors it chooses. */
TEST(choices_by_one_condition_are_made_once) {
  char text[100 * 20] = "y";
  cas_operations *l = new_list();
  int derivative[3];
  for (int i = 0; i < 80; i++)
    cas_append(text, sizeof text, "*if(x > 0, z + %d, 0)", i);
  ck_assert(cas_operations_gradient(l, read_well(text, l), 3, derivative));
  ck_assert_int_lt(l->n, 1000);
}

static const struct {
  const char *complaint, *texts[4];
} refused[] = {
    {"at character 1: found the end, must be a number, a name or '('", {""}},
    {"at character 4: found the end", {"x +"}},
    {"at character 5: found '*'", {"x + * y"}},
    {"at character 7: found the end, must be an operator or ')'", {"(x + y"}},
    {"at character 6: found ')', must be the end", {"x + y)"}},
    {"at character 2: found 'x', must be an operator, such as * between factors", {"2x"}},
    {"at character 3: found 'y', must be an operator", {"x y"}},
    {"powers are written a^b", {"x**2"}},
    {"there is no 'alpha'", {"alpha"}},
    {"at character 5: there is no 'sinn'; did you mean 'sin'?", {"x + sinn(y)"}},
    {"found the end, must be '(': the name before it is that of a function", {"sin"}},
    {"sin has 2 arguments here, must have 1", {"sin(x, y)"}},
    {"max has 1 argument here, must have 2", {"max(x)"}},
    {"if has 2 arguments here, must have 3", {"if(x > y, 1)"}},
    {"at character 3: division by 0", {"x/0", "x/(a - 1.5)"}},
    {"at character 1: this is infinite for these numbers", {"log(0)*x"}},
    {"this is infinite for these numbers", {"1e200*1e200*x"}},
    {"not defined for these numbers", {"sqrt(-1) + x", "acos(2)*x"}},
    {"found 1e999, too large for double precision", {"1e999"}},
    {"found 1e-400, too small for double precision; must be 0 or at least", {"1e-400"}},
    {"too small for double precision", {"0.0000001e-320*x"}},
    {"at character 7: this is 0 for these numbers, too small for double", {"1e-200*1e-200*x"}},
    {"this is 0 for these numbers, too small", {"x + exp(-800)", "1e-200^2 + x"}},
    {"too large for double precision", {"x*(1/1e309)"}},
    {"too small", {"x*(1e-310/1e10)"}},
    {"found '$'", {"x$"}},
    {"found byte 0x01", {"x\001"}},
    {"at character 3: found U+00D7, not ASCII, must be an operator", {"x \xc3\x97 y"}},
    {"must be an operator", {"0x10", "1.2.3"}},
    {"there is no 'nan'", {"nan"}},
    {"found '=', must be an operator", {"x = 2", "x == y"}},
    {"at character 7: a second comparison; a < b < c is written (a < b)*(b < c)", {"x < y < z"}},
    {"found '<', must be a number, a name or '('", {"x << y"}},
};

/* Whether it is refused by a complaint with these words. */
static void assert_refused(const char *text, const char *words) {
  cas_complaint e = {0};
  int root;
  ck_assert_msg(!cas_expression_read(text, &scope, new_list(), &root, &e), "%.40s", text);
  char said[1200];
  snprintf(said, sizeof said, "at character %d: %s", e.at + 1, e.text);
  ck_assert_msg(strstr(said, words), "%.40s: %s", text, said);
}

TEST_OVER(what_is_wrong_is_said, sizeof refused / sizeof *refused) {
  for (const char *const *text = refused[_i].texts; *text; text++)
    assert_refused(*text, refused[_i].complaint);
}

/* `n` times the same text, and x */
static const char *repeated(const char *text, size_t n) {
  PRINTED(all, {
    while (n-- > 0)
      fputs(text, f);
    fputc('x', f);
  });
  return all;
}

TEST(depth_and_length_are_bounded) {
  static const char *const deep[] = {"(", "-", "sin(", "2^", "1/(1+"};
  for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
    assert_refused(repeated(deep[i], 2000), "within each other");
  assert_refused(repeated("x + ", 1 << 18), "too long");
  assert_refused(repeated("-", CAS_EXPRESSION_DEPTH + 1), "within each other");
  read_well(repeated("-", CAS_EXPRESSION_DEPTH), new_list());
}

/* sin(2 x) + sin(3 x) + ..; backwards, all sines come before the first sum. */
static int sum_of_sines(cas_operations *l, int terms, bool backwards) {
  int sum = cas_operations_number(l, 0), x = cas_operations_variable(l, 0),
      *sine = calloc((size_t)terms, sizeof *sine);
  suite_keep(sine, free);
  for (int i = 0; i < terms; i++) {
    int turned = cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, x, cas_operations_number(l, 2 + i));
    sine[i] = cas_operations_apply(l, CAS_OPERATOR_SINE, turned, 0);
    if (!backwards)
      sum = cas_operations_apply(l, CAS_OPERATOR_ADD, sum, sine[i]);
  }
  for (int i = terms - 1; backwards && i >= 0; i--)
    sum = cas_operations_apply(l, CAS_OPERATOR_ADD, sum, sine[i]);
  return sum;
}

/* Results that wait for each other take rows of a workspace, whose size is bounded. */
TEST(too_many_results_at_a_time_are_refused) {
  cas_operations *l = new_list();
  cas_program p;
  const int sum = sum_of_sines(l, 2 * CAS_PROGRAM_WORKSPACE, true);
  ck_assert(!make_program(l, 1, &sum, &p));
}

/* All sines come before all sums where their results fit, else each before its sum. */
TEST(long_sums_fit) {
  _Alignas(64) double x[3 * LANES], out[LANES];
  for (int k = 0; k < 3 * LANES; k++)
    x[k] = 0.1;
  for (int terms = 20; terms <= 4 * CAS_PROGRAM_WORKSPACE; terms *= 8) {
    cas_operations *l = new_list();
    const int sum = sum_of_sines(l, terms, false);
    double wanted = 0;
    for (int i = 0; i < terms; i++)
      wanted += sin(0.1 * (2 + i));
    for (int i = 0; cas_kernels_list(i); i++) {
      run(cas_kernels_list(i), l, 1, &sum, x, out);
      for (int k = 0; k < LANES; k++)
        ck_assert_msg(fabs(out[k] - wanted) <= 1e-10, "%d terms: %g, not %g", terms, out[k],
                      wanted);
    }
  }
}

RUN_TESTS
