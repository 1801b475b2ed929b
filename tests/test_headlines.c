/* What studies of orders say first, of laws and conclusions that are given. */
#include "files/results/result.h"
#include "results_fixture.h"

/* A curve whose law of the headline has this order and interval. */
static void set_order(cas_curve *c, double order, double low, double high) {
  c->laws.law[c->laws.headline].order = c->laws.order = order;
  c->laws.low = c->laws.order_low = low;
  c->laws.high = c->laws.order_high = high;
  c->laws.least = 3;
  c->laws.rate = c->laws.rate_error = NAN;
}

/* A weak curve whose order of theory is seen. */
static void support(cas_curve *c, double theory, double seen) {
  c->expected_order = theory;
  c->findings = cas_finding_set(CAS_CONSISTENT);
  c->laws.conclusion.judgement = CAS_SUPPORTED;
  c->laws.conclusion.decides = 1;
  c->laws.conclusion.terms = 2;
  c->laws.conclusion.seen = seen;
}

static void assert_headline(const cas_results *r, const char *wanted) {
  cas_frame f = {0};
  MUST(cas_result_conclude(r, &f, &err));
  ck_assert_str_eq(f.headline, wanted);
  cas_frame_free(&f);
}

/* The orders of theory of supported functionals are said of each where they differ. */
TEST(each_functional_has_its_order) {
  cas_results *r = make_results(6);
  cas_curve *strong = cas_results_curve(r, 0);
  set_order(strong, 0.4986, 0.4973, 0.4999);
  strong->expected_order = 0.5;
  strong->laws.theory_p_value = 0.03;
  strong->findings = cas_finding_set(CAS_NOT_RESOLVED);
  support(cas_results_curve(r, 2), 1, 9.7);
  support(cas_results_curve(r, 3), 2, 12);
  assert_headline(
      r, "strong order 0.4986 [0.4973, 0.4999] NOT RESOLVED: order 1/2 is outside the interval, "
         "but not refuted at 1% (p = 0.03); weak order 1 of sin2pi, 2 of energy: the leading term "
         "is at least 9 standard errors from 0 (assumes whole powers of h)");
  cas_results_curve(r, 3)->expected_order = 1;
  strong->findings = cas_finding_set(CAS_CONSISTENT);
  assert_headline(r, "strong order 0.4986 [0.4973, 0.4999]; theory 1/2: consistent; weak order 1 "
                     "for 2 of 2 functionals: the leading term is at least 9 standard errors from "
                     "0 (assumes whole powers of h)");
}

/* An order without an interval is that between the finest two levels, with its error. */
TEST(no_order_is_without_a_number) {
  cas_results *r = make_results(4);
  cas_curve *strong = cas_results_curve(r, 0);
  set_order(strong, NAN, -INFINITY, 1.3);
  strong->expected_order = 1;
  strong->findings = cas_finding_set(CAS_CONSISTENT);
  strong->laws.rate = 1.0203;
  strong->laws.rate_error = 0.031;
  for (int i = 2; i < 4; i++)
    support(cas_results_curve(r, i), 1, 5);
  assert_headline(r, "strong order 1.020 +- 0.031 between the finest two levels; theory 1: "
                     "consistent; weak order 1 for 2 of 2 functionals: the leading term is at "
                     "least 5 standard errors from 0 (assumes whole powers of h)");
}

RUN_TESTS
