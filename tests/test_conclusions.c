/* What is concluded on orders, compared with tests/data/conclusions.txt, which tests/conclusions.py
   has made by other means, to the accuracy of the grid and the quadrature there. */
#include "fit_fixture.h"
#include "suite.h"

#include "statistics/law.h"

enum { MOST = 8 };

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
