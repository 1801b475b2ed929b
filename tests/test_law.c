/* Laws of values with a given covariance: what is recovered, rejected and left open; and what is
   concluded from them, compared with tests/data/conclusions.txt, which tests/conclusions.py has
   made by other means, to the accuracy of the grid and the quadrature there. test_fit.c and
   test_orders.c have how often intervals cover. */
#include "fit_fixture.h"

#include "statistics/law.h"

enum { MOST = 8 };

/* n values of steps 2^-3, 2^-4, ..; differences to the next step unless they are squares */
typedef struct {
  cas_law_points p;
  double step[MOST + 1], value[MOST], covariance[MOST * MOST];
} point_set;

static double law(const cas_law_points *p, int i, double e, double c1, double c2) {
  double h = p->step[i], f = p->finer ? p->finer[i] : 0;
  return c1 * (pow(h, e) - (p->finer ? pow(f, e) : 0)) +
         c2 * (pow(h, e + 1) - (p->finer ? pow(f, e + 1) : 0));
}

/* relative standard errors `noise`, and correlations that fall with the distance of levels */
static void make_points(point_set *t, int n, bool squares, double order, double c1, double c2,
                        double noise, double correlation) {
  memset(t, 0, sizeof *t);
  for (int i = 0; i <= MOST; i++)
    t->step[i] = ldexp(1, -3 - i);
  t->p = (cas_law_points){.n = n,
                          .step = t->step,
                          .finer = squares ? NULL : t->step + 1,
                          .value = t->value,
                          .covariance = t->covariance,
                          .scale = squares ? 2 : 1,
                          .degrees = 1e9,
                          .independent = correlation == 0};
  for (int i = 0; i < n; i++)
    t->value[i] = law(&t->p, i, order * t->p.scale, c1, c2);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      t->covariance[i * n + j] =
          noise * noise * fabs(t->value[i] * t->value[j]) * pow(correlation, abs(i - j));
}

static cas_laws laws_of(const point_set *t, double order) {
  cas_laws l;
  ck_assert(cas_laws_fit(&t->p, order, &l));
  return l;
}

static const double orders[] = {0.5, 1, 1.5, 2, 2.5};
#define ORDERS ((int)(sizeof orders / sizeof *orders))

TEST_OVER(one_power_is_recovered, 2 * ORDERS) {
  double order = orders[_i / 2];
  point_set t;
  make_points(&t, 6, _i % 2, order, -3, 0, 1e-4, 0);
  cas_laws l = laws_of(&t, order); /* the power may be that of the second term, too */
  if (order * t.p.scale > 1)
    ck_assert((l.law[CAS_LAW_TWO_TERM].low - order) * t.p.scale < -0.99);
  t.p.leading = true;
  l = laws_of(&t, order);
  assert_close(l.law[CAS_LAW_POWER].order, order, 1e-6);
  assert_close(l.law[CAS_LAW_POWER].coefficient[0], -3, 1e-3);
  ck_assert(l.law[CAS_LAW_TWO_TERM].low <= order && order <= l.law[CAS_LAW_TWO_TERM].high);
  ck_assert(l.law[CAS_LAW_TWO_TERM].high - l.law[CAS_LAW_TWO_TERM].low < 0.1);
  for (int i = 0; i + 1 < 6; i++) {
    double error;
    assert_close(cas_law_local_order(&t.p, i, &error), order, 1e-9);
    assert_close(error, 1e-4 * sqrt(2) / log(2) / t.p.scale, 1e-9);
    if (i + 2 < 6) { /* without a second term, whose removal takes more noise in */
      assert_close(cas_law_local_order_next(&t.p, order, i, &error), order, 1e-9);
      assert_close(error, 1e-4 * sqrt(14) / log(2) / t.p.scale, 1e-9);
    }
  }
}

/* A third term that the data see: rejected with the coarse values, and not without them. */
TEST_OVER(coarse_values_are_left_out_until_a_law_holds, 2) {
  point_set t;
  make_points(&t, 8, false, 1, 1, 1, 1e-3, 0);
  for (int i = 0; i < 3; i++)
    t.value[i] *= 1 + pow(t.step[i] / t.step[2], 2) * (_i ? 1 : 0.1);
  for (int i = 0; _i && i < 8; i++)
    t.value[i] *= i % 2 ? 1.05 : 0.95;
  cas_laws l = laws_of(&t, 1);
  if (_i) { /* nothing describes values that go up and down */
    ck_assert(l.headline == CAS_LAWS && isnan(cas_laws_headline(&l).order));
    ck_assert(l.left_out == 0 && l.points == 8);
  } else {
    ck_assert(l.headline == CAS_LAW_TWO_TERM && l.left_out == 3 && l.points == 8);
    ck_assert(l.law[l.headline].points == 5 && l.law[l.headline].p_value > 0.01);
  }
}

TEST(as_many_values_as_unknowns) {
  point_set t;
  make_points(&t, 3, false, 1, 1, 5, 1e-4, 0);
  t.p.leading = true;
  cas_laws l = laws_of(&t, 1);
  ck_assert(l.headline == CAS_LAW_TWO_TERM && isnan(l.law[CAS_LAW_TWO_TERM].p_value));
  assert_close(l.law[CAS_LAW_TWO_TERM].order, 1, 1e-5);
  make_points(&t, 2, false, 1, 1, 0, 1e-4, 0);
  l = laws_of(&t, 1);
  ck_assert(l.headline == CAS_LAWS && isnan(l.law[CAS_LAW_POWER].p_value));
  assert_close(l.law[CAS_LAW_POWER].order, 1, 1e-6);
  ck_assert(isnan(l.law[CAS_LAW_TWO_TERM].order));
  /* coefficients 16 (4 y2 - y1) and 512/3 (y1 - 2 y2) of y1 = 1/16 and y2 = 1/32 */
  const cas_law *both = &l.law[CAS_LAW_TWO_TERM_THEORY];
  assert_close(both->coefficient[0], 1, 1e-6);
  assert_close(both->coefficient[1], 0, 1e-6);
  assert_close(both->coefficient_error[0], 1e-4 * sqrt(5), 1e-9);
  assert_close(both->coefficient_error[1], 512e-4 / 3 / sqrt(128), 1e-8);
  t.value[1] *= 1 + 3e-4; /* by three errors: chi2 of one power is 3^2/2 */
  l = laws_of(&t, 1);
  assert_close(l.law[CAS_LAW_POWER_THEORY].chi2, 4.5, 1e-2);
  assert_close(l.law[CAS_LAW_POWER_THEORY].p_value, erfc(1.5), 1e-3);
  make_points(&t, 1, false, 1, 1, 0, 1e-4, 0);
  l = laws_of(&t, 1);
  ck_assert(l.headline == CAS_LAWS && isnan(l.law[CAS_LAW_POWER].order));
  assert_close(l.law[CAS_LAW_POWER_THEORY].coefficient[0], 1, 1e-6);
}

TEST(noise_leaves_the_order_open) {
  point_set t;
  make_points(&t, 5, false, 1, 1, 0, 3, 0);
  cas_laws l = laws_of(&t, 1);
  cas_law h = cas_laws_headline(&l);
  ck_assert(isinf(h.low) && isinf(h.high) && isnan(h.order));
}

static const double thirds[] = {-0.1, 0.03, 0.3}; /* over the second term at the finest step */

/* A law of more terms describes what one of fewer describes, at least as well, at each order and at
   the best; the law with the order of theory is inside the one with any order. */
TEST_OVER(nested_laws_have_nested_chi2, 4) {
  uint64_t state = 3 + (uint64_t)_i;
  for (int k = 0; k < 40; k++) {
    const double slack = 1e-6;
    point_set t;
    make_points(&t, 4 + k % 5, false, 1, 1, 10, 0.01, 0.3 * (_i % 2));
    t.p.third = true;
    t.p.leading = _i > 1;
    for (int i = 0; i < t.p.n; i++)
      t.value[i] *= 1 + 0.02 * normal(&state);
    cas_laws l = laws_of(&t, 1);
    for (int law = 0; law + 1 < CAS_LAWS; law += 2) {
      ck_assert(!(l.law[law].chi2 > l.law[law + 1].chi2 + slack));
      for (int more = law + 2; !t.p.leading && more + 1 < CAS_LAWS; more += 2) {
        ck_assert(!(l.law[more].chi2 > l.law[law].chi2 + slack));
        ck_assert(!(l.law[more + 1].chi2 > l.law[law + 1].chi2 + slack));
      }
    }
  }
}

/* Laws of three terms with any third one, and with exponents that the study gives. */
TEST_OVER(third_terms_are_recovered, sizeof thirds / sizeof *thirds) {
  static const double offset[CAS_LAW_TERMS] = {0, 1, 3};
  point_set t;
  make_points(&t, 8, false, 1, 1, 10, 1e-5, 0);
  for (int i = 0; i < 8; i++)
    t.value[i] += law(&t.p, i, 3, thirds[_i] * 10 / t.step[7], 0);
  t.p.third = true;
  cas_laws l = laws_of(&t, 1);
  const cas_law *three = &l.law[CAS_LAW_THREE_TERM_THEORY], h = cas_laws_headline(&l);
  ck_assert_int_eq(l.headline, CAS_LAW_THREE_TERM);
  ck_assert(h.low <= 1 && 1 <= h.high);
  ck_assert(l.theory_p_value > 0.01 && three->degrees_of_freedom == 5);
  assert_close(three->coefficient[0], 1, 1e-2);
  assert_close(three->coefficient[2] * t.step[7] / 10, thirds[_i], 1e-3);
  ck_assert(l.law[CAS_LAW_TWO_TERM_THEORY].p_value < 1e-3);
  for (int i = 0; i < 8; i++)
    assert_close(cas_law_value(three, 1, t.step[i], t.step[i + 1]) / t.value[i], 1, 1e-4);
  make_points(&t, 6, true, 0.5, 1, 2, 1e-5, 0);
  for (int i = 0; i < 6; i++)
    t.value[i] += 7 * pow(t.step[i], 4);
  t.p.offset = offset;
  l = laws_of(&t, 0.5);
  three = &l.law[CAS_LAW_THREE_TERM_THEORY];
  assert_close(three->coefficient[2], 7, 0.1);
  for (int i = 0; i < 6; i++)
    assert_close(cas_law_value(three, 2, t.step[i], 0) / t.value[i], 1, 1e-4);
}

TEST(tails_of_f) {
  /* f, degrees, P(F > f): of tables; F(1, n) is the square of Student's t, F(2, 2) has 1/(1 + f) */
  assert_close(cas_law_f_tail(161.4476, 1, 1), 0.05, 1e-6);
  assert_close(cas_law_f_tail(3.325835, 5, 10), 0.05, 1e-6);
  assert_close(cas_law_f_tail(3, 2, 2), 0.25, 1e-12);
  for (int n = 1; n < 50; n++)
    assert_close(cas_law_f_tail(pow(cas_student_quantile(0.95, n), 2), 1, n), 0.05, 1e-10);
  assert_close(cas_law_f_tail(7.814728 / 3, 3, 1e12), 0.05, 1e-6); /* chi2 */
  ck_assert(cas_law_f_tail(INFINITY, 3, 4) == 0 && cas_law_f_tail(0, 3, 4) == 1);
  ck_assert(isnan(cas_law_f_tail(NAN, 3, 4)) && isnan(cas_law_f_tail(1, 0, 4)) &&
            isnan(cas_law_f_tail(1, 3, NAN)));
}

static double no_number(const void *law CAS_UNUSED, double x CAS_UNUSED) { return NAN; }

TEST(what_is_no_number_has_no_minimum) {
  cas_law_scan s = {.chi2 = no_number, .n = 121, .from = 0.02, .to = 2};
  cas_law_scan_fill(&s);
  ck_assert_int_eq(s.minima, 0);
}

/* ---- conclusions ---- */

typedef struct {
  int n, independent;
  double exponent, degrees, step[MOST], finer[MOST], value[MOST], covariance[MOST * MOST];
  char judgement[32];
  double number[6]; /* coefficient, low, high, order_low, order_high, p_value */
  int terms, left_out;
} design;

static void read_numbers(FILE *f, int n, double *x) {
  for (int i = 0; i < n; i++)
    ck_assert_int_eq(fscanf(f, "%lf", &x[i]), 1);
}

static bool read_design(FILE *f, design *d) {
  if (fscanf(f, "%d %lf %lf %d", &d->n, &d->exponent, &d->degrees, &d->independent) != 4)
    return false;
  ck_assert(d->n > 2 && d->n < MOST);
  read_numbers(f, d->n, d->step);
  read_numbers(f, d->n, d->finer);
  read_numbers(f, d->n, d->value);
  read_numbers(f, d->n * d->n, d->covariance);
  ck_assert_int_eq(fscanf(f, "%31s", d->judgement), 1);
  read_numbers(f, 6, d->number);
  ck_assert_int_eq(fscanf(f, "%d %d", &d->terms, &d->left_out), 2);
  return true;
}

static void assert_same(const char *what, double x, double expected, double tolerance) {
  ck_assert_msg((isinf(x) && x == expected) || (isnan(x) && isnan(expected)) ||
                    fabs(x - expected) <= tolerance,
                "%s %.9g instead of %.9g", what, x, expected);
}

/* The order is of values whose exponent is `scale` times as large. */
static void compare(const design *d, double scale) {
  const cas_law_points p = {.n = d->n,
                            .step = d->step,
                            .finer = d->finer[0] > 0 ? d->finer : NULL,
                            .value = d->value,
                            .covariance = d->covariance,
                            .scale = scale,
                            .degrees = d->degrees,
                            .independent = d->independent != 0};
  cas_conclusion c;
  const double *x = d->number, width = x[2] - x[1];
  ck_assert(cas_law_conclude(&p, d->exponent / scale, NAN, &c));
  ck_assert_msg(
      strcmp(cas_judgement_names[c.judgement], d->judgement) == 0,
      "%s instead of %s: coefficient %g [%g, %g], %g standard errors, order [%g, %g], p %g",
      cas_judgement_names[c.judgement], d->judgement, c.coefficient, c.low, c.high, c.seen,
      c.order_low, c.order_high, c.p_value);
  ck_assert_int_eq(c.terms, d->terms);
  ck_assert_int_eq(c.left_out, d->left_out);
  assert_same("coefficient", c.coefficient, x[0], 1e-4 * width);
  assert_same("low", c.low, x[1], 1e-3 * width);
  assert_same("high", c.high, x[2], 1e-3 * width);
  assert_same("order_low", scale * c.order_low, x[3], 5e-3);
  assert_same("order_high", scale * c.order_high, x[4], 5e-3);
  assert_same("p", c.p_value, x[5], 1e-3);
}

TEST(conclusions_are_those_of_another_program) {
  char path[4096], line[1000];
  int designs = 0, of[CAS_JUDGEMENTS] = {0};
  design d;
  snprintf(path, sizeof path, "%s/tests/data/conclusions.txt", getenv("SOURCE_DIR"));
  FILE *f = fopen(path, "r");
  ck_assert_msg(f != NULL, "%s", path);
  long at = ftell(f);
  while (fgets(line, sizeof line, f) && line[0] == '#')
    at = ftell(f);
  ck_assert(fseek(f, at, SEEK_SET) == 0);
  for (; read_design(f, &d); designs++) {
    compare(&d, 1);
    compare(&d, 2); /* the same as mean squares */
    for (int j = 0; j < CAS_JUDGEMENTS; j++)
      of[j] += strcmp(d.judgement, cas_judgement_names[j]) == 0;
  }
  fclose(f);
  ck_assert_int_ge(designs, 40);
  ck_assert(of[CAS_SUPPORTED] > 3 && of[CAS_CONTRADICTED] > 1 && of[CAS_UNRESOLVED] > 3);
}

/* Without a law, an order of theory, or random errors nothing is concluded. */
TEST(nothing_is_concluded_from_nothing) {
  const double step[] = {0.5, 0.25, 0.125, 0.0625}, wild[] = {1, -50, 3, -200},
               covariance[16] = {1e-6, 0, 0, 0, 0, 1e-6, 0, 0, 0, 0, 1e-6, 0, 0, 0, 0, 1e-6};
  cas_law_points p = {
      .n = 4, .step = step, .value = wild, .covariance = covariance, .scale = 1, .degrees = 1e9};
  cas_conclusion c;
  p.independent = true;
  ck_assert(cas_law_conclude(&p, 1, NAN, &c));
  ck_assert(c.judgement == CAS_UNRESOLVED && c.terms == 0 && isnan(c.coefficient));
  ck_assert(cas_law_conclude(&p, NAN, NAN, &c) && c.terms == 0);
  p.exact = true;
  ck_assert(cas_law_conclude(&p, 1, NAN, &c) && c.terms == 0);
  p.exact = false;
  p.n = 2;
  ck_assert(cas_law_conclude(&p, 1, NAN, &c) && c.terms == 0);
}

RUN_TESTS
