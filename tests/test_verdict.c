/* What fits are said to mean, what studies of orders say first, and Student quantiles. */
#include "files/results/result.h"
#include "fit_fixture.h"
#include "results_fixture.h"

#include "statistics/fit_impl.h"

/* ---- verdicts ---- */

/* What a law of `terms` terms concludes from six values. */
typedef struct {
  int terms;
  double order, low, high;
  double misfit, theory; /* p-values */
  double seen;           /* the first coefficient of the law of theory over its error */
  double share, rate_error;
} conclusion;

static cas_laws laws(const conclusion *c) {
  cas_laws l;
  cas_laws_clear(&l);
  l.headline = 2 * (c->terms - 1);
  l.points = 6;
  l.least = c->terms + 1;
  l.low = c->low;
  l.high = c->high;
  l.rate = 1.987;
  l.rate_error = c->rate_error;
  l.theory_p_value = c->theory;
  l.united = c->terms == 3;
  l.law[CAS_LAW_POWER].order = 1.7;
  l.law[l.headline] = (cas_law){.order = c->order,
                                .low = c->low,
                                .high = c->high,
                                .chi2 = 3,
                                .degrees_of_freedom = 3,
                                .p_value = c->misfit,
                                .leading_share = c->share,
                                .points = 6};
  l.law[l.headline + 1] = (cas_law){.order = 1,
                                    .coefficient = {2e-5 * c->seen},
                                    .coefficient_error = {2e-5},
                                    .leading_share = c->share};
  return l;
}

static cas_findings both(cas_finding a, cas_finding b) {
  return cas_finding_set(a) | cas_finding_set(b);
}

static const struct {
  conclusion c;
  double expected;
  cas_finding code, further;
} verdicts[] = {
    {{2, 0.5, 0.48, 0.52, 0.4, 0.5, 99, 0.9, NAN}, 0.5, CAS_CONSISTENT, CAS_CONSISTENT},
    {{2, 1, 0.995, 1.004, 0.4, 0.5, 99, 0.9, NAN}, 1, CAS_CONSISTENT, CAS_CONSISTENT},
    {{2, 1, 0.9, 1.1, NAN, NAN, 99, 0.9, NAN}, NAN, CAS_NO_THEORY, CAS_NO_THEORY},
    {{2, 0.8, 0.75, 0.85, 0.4, 2e-5, 99, 0.9, NAN}, 0.5, CAS_DIFFERS, CAS_DIFFERS},
    /* outside at 5%, but not at 1% */
    {{2, 0.8, 0.75, 0.85, 0.4, 0.02, 99, 0.6, NAN}, 0.5, CAS_NOT_RESOLVED, CAS_NOT_RESOLVED},
    {{2, 1, 0.8, 1.2, 0.4, 0.5, 99, 0.9, NAN}, 1, CAS_CONSISTENT, CAS_CONSISTENT},
    {{2, 1, 0.5, 1.5, 0.4, 0.5, 99, 0.9, NAN}, 1, CAS_NOT_RESOLVED, CAS_CONSISTENT},
    {{2, 3, 2.5, 3.5, 0.4, 1e-9, 99, 0.9, NAN}, 1, CAS_DIFFERS, CAS_NOT_RESOLVED},
    {{3, 1, 0.5, 1.5, 0.4, 0.5, 99, 0.9, 0.05}, 1, CAS_CONSISTENT, CAS_CONSISTENT},
    {{3, 1, -INFINITY, 1.2, 0.4, 0.5, 99, 0.9, NAN}, 1, CAS_CONSISTENT, CAS_CONSISTENT},
    {{3, 1, -INFINITY, 2.1, 0.4, 0.5, 1, 0.07, 0.01}, 1, CAS_NOT_RESOLVED, CAS_NO_LEADING_TERM},
    {{3, 1, 0.5, INFINITY, 0.4, 0.5, 99, 0.9, NAN}, 1, CAS_NOT_RESOLVED, CAS_CONSISTENT},
    {{3, 1, -INFINITY, INFINITY, 0.4, 0.5, 1, 0.9, 0.2}, 1, CAS_NOT_RESOLVED, CAS_NO_LEADING_TERM},
    {{3, 1, -INFINITY, 1.2, 0.4, NAN, 99, 0.9, NAN}, NAN, CAS_NOT_RESOLVED, CAS_NO_THEORY},
};

TEST_OVER(verdicts_follow_from_laws, (int)(sizeof verdicts / sizeof *verdicts)) {
  const cas_laws l = laws(&verdicts[_i].c);
  const cas_findings found = cas_laws_judge(&l, verdicts[_i].expected);
  ck_assert_msg(found == both(verdicts[_i].code, verdicts[_i].further), "%s", findings_text(found));
  ck_assert_int_eq(code_of(found), verdicts[_i].code);
}

#define expect(laws, only) ck_assert_uint_eq(cas_laws_judge(laws, 1), cas_finding_set(only))

TEST(what_has_no_order_says_why) {
  const conclusion c = {3, 1, 0.9, 1.1, 1e-8, 0.5, 99, 0.9, NAN};
  cas_laws l = laws(&c);
  l.headline = CAS_LAWS;
  expect(&l, CAS_LAW_REJECTED);
  l = laws(&c);
  l.left_out = 1;
  expect(&l, CAS_CONSISTENT);
  cas_laws_clear(&l);
  l.points = 1;
  l.least = 4;
  expect(&l, CAS_TOO_FEW_LEVELS);
  l.points = 5;
  expect(&l, CAS_TOO_FEW_PATHS);
}

/* ---- names ---- */

TEST(names_of_findings_are_read_back) {
  cas_findings set = 0;
  char text[CAS_FINDINGS_TEXT];
  ck_assert_str_eq(cas_finding_names[CAS_FINDINGS_END], "none");
  for (int f = CAS_FINDINGS_END - 1; f >= 0; f--) {
    set |= cas_finding_set((cas_finding)f);
    cas_findings_format(set, text, sizeof text);
    ck_assert_uint_lt(strlen(text), sizeof text - 1);
    ck_assert_uint_eq(cas_findings_parse(text), set);
    ck_assert_uint_lt(strlen(findings_text(set)), CAS_FINDINGS_TEXT - 1);
    ck_assert_uint_eq(cas_findings_parse(cas_finding_names[f]), cas_finding_set((cas_finding)f));
  }
  set = both(CAS_CONSISTENT, CAS_PATHS_FAILED);
  cas_findings_format(set, text, sizeof text);
  ck_assert_str_eq(text, "paths_failed consistent");
  cas_findings_say(set, text);
  ck_assert_str_eq(text, "paths failed: bias_bound, if known, is the most that they change; "
                         "consistent with the order of theory");
  ck_assert_uint_eq(cas_findings_parse(" paths_failed  of_tomorrow consisten consistent"), set);
  ck_assert_uint_eq(cas_findings_parse(""), 0);
}

/* docs/files.md has a row for each code, in their order, and no other. */
TEST(every_code_is_documented) {
  char path[4096], row[100];
  size_t n;
  snprintf(path, sizeof path, "%s/docs/files.md", getenv("SOURCE_DIR"));
  char *page = read_bytes(path, &n);
  page[n] = '\0';
  const char *line = strstr(page, "\n| finding |");
  ck_assert(line && (line = strstr(line, "\n|--")));
  for (int f = 0; f < CAS_FINDINGS_END; f++) {
    snprintf(row, sizeof row, "\n| `%s` | ", cas_finding_names[f]);
    line = strchr(line + 1, '\n');
    ck_assert_msg(line && !strncmp(line, row, strlen(row)), "%s is not in '%.40s'", row, line);
  }
  ck_assert(!strncmp(strchr(line + 1, '\n'), "\n\n", 2));
}

/* ---- Student ---- */

TEST(student_quantiles) {
  /* degrees of freedom, two-sided 95% and 99%: of tables, and exactly for 1 and 2 */
  static const double table[][3] = {
      {1, 12.7062047361747, 63.6567411628715},  {2, 4.30265272974946, 9.92484320091807},
      {3, 3.18244630528371, 5.84090930973336},  {4, 2.77644510519779, 4.60409487135000},
      {5, 2.57058183563632, 4.03214298355523},  {7, 2.36462425159278, 3.49948329735049},
      {10, 2.22813885198627, 3.16927267261695}, {20, 2.08596344726586, 2.84533970978611},
      {30, 2.04227245630124, 2.74999565356722}, {60, 2.00029782201426, 2.66028302884877},
      {63, 1.99834054252074, 2.65614536888210}, {100, 1.98397151852355, 2.62589052143802},
      {200, 1.97189622363391, 2.60063443619062}};

  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_close(cas_student_quantile(0.95, table[i][0]), table[i][1], 1e-6);
    assert_close(cas_student_quantile(0.99, table[i][0]), table[i][2], 1e-6);
  }
  for (int dof = 1; dof < 200; dof++)
    ck_assert(cas_student_quantile(0.95, dof) > cas_student_quantile(0.95, dof + 1));
  assert_close(cas_student_quantile(0.5, 1), 1, 1e-12);
  assert_close(cas_student_quantile(0.95, 1e12), 1.95996398454005, 1e-7);
  assert_close(cas_student_quantile(0, 5), 0, 1e-12);
  ck_assert(isnan(cas_student_quantile(0.95, 0)) && isnan(cas_student_quantile(1, 5)));
  ck_assert(isnan(cas_student_quantile(NAN, 5)) && isnan(cas_student_quantile(0.95, NAN)));
}

/* P(B < r), term by term */
static double fewer_than(int64_t r, int64_t n, double p) {
  double sum = 0;
  for (int64_t k = 0; k < r; k++) {
    double n1 = (double)n + 1, k1 = (double)k + 1,
           term = lgamma(n1) - lgamma(k1) - lgamma(n1 - (double)k);
    term += (k ? (double)k * log(p) : 0) + (k < n ? (double)(n - k) * log(1 - p) : 0);
    sum += exp(term);
  }
  return sum;
}

/* The narrowest pair of ranks that leaves no more than 2.5% on either side. */
TEST(ranks_around_quantiles) {
  static const double probability[] = {0, 1e-3, 0.05, 0.25, 0.5, 0.7, 0.95, 1};
  const double tail = 0.025, slack = 1e-9;
  int64_t low, high;

  for (size_t i = 0; i < sizeof probability / sizeof *probability; i++)
    for (int64_t n = 0; n <= 200; n++) {
      double p = probability[i];
      cas_quantile_ranks(n, p, 0.95, &low, &high);
      ck_assert(low >= 0 && low < high && high <= n + 1);
      ck_assert(fewer_than(low, n, p) <= tail + slack);
      ck_assert(low == n || fewer_than(low + 1, n, p) > tail - slack);
      ck_assert(1 - fewer_than(high, n, p) <= tail + slack || high == n + 1);
      ck_assert(high == 1 || 1 - fewer_than(high - 1, n, p) > tail - slack);
    }
  cas_quantile_ranks(10000000, 0.05, 0.95, &low, &high); /* normal: 1.959964 (n p (1-p))^(1/2) */
  ck_assert(llabs(low - (500000 - 1351)) < 3 && llabs(high - (500000 + 1351)) < 3);
}

/* Coverage of every probability and number of trials, from the binomial distribution: at least 95%,
   with at most 2.5% on either side, and not more than that needs: at its own end of an interval the
   probability of as many hits is 2.5%. */
TEST(intervals_of_probabilities) {
  static const int64_t trials[] = {1, 2, 5, 10, 37, 200, 1000};
  double low[1001], high[1001];
  for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
    const int64_t n = trials[i];
    for (int64_t k = 0; k <= n; k++) {
      cas_probability_interval(k, n, 0.95, &low[k], &high[k]);
      ck_assert(low[k] <= (double)k / (double)n && (double)k / (double)n <= high[k]);
      ck_assert(k == 0 ? low[k] == 0 : fabs(1 - fewer_than(k, n, low[k]) - 0.025) < 1e-9);
      ck_assert(k == n ? high[k] == 1 : fabs(fewer_than(k + 1, n, high[k]) - 0.025) < 1e-9);
    }
    for (int s = 0; s <= 500; s++) {
      const double p = s / 500.0;
      int64_t first = 0, next = n + 1; /* hits whose intervals have p */
      while (first <= n && high[first] < p)
        first++;
      while (next > 0 && low[next - 1] > p)
        next--;
      ck_assert_msg(fewer_than(first, n, p) <= 0.025 + 1e-9 &&
                        1 - fewer_than(next, n, p) <= 0.025 + 1e-9,
                    "n = %d, p = %g", (int)n, p);
    }
  }
  cas_probability_interval(500000000, 1000000000, 0.95, low, high); /* normal */
  ck_assert(fabs(*high - 0.5 - 1.959964 * 0.5e-4 / sqrt(10)) < 2e-9);
}

/* ---- what is said first, of laws and conclusions that are given ---- */

/* The strong curve of results, whose headline is a law of order 1/2, and two weak ones whose orders
   of theory are seen by these numbers of standard errors. */
static cas_curve *make_orders(cas_results *r, const double weak[2], const double seen[2]) {
  cas_curve *c = cas_results_curve(r, 0);
  c->laws.law[c->laws.headline].order = c->laws.order = 0.4986;
  c->laws.low = c->laws.order_low = 0.4973;
  c->laws.high = c->laws.order_high = 0.4999;
  c->laws.least = 3;
  c->laws.rate = c->laws.rate_error = NAN;
  c->expected_order = 0.5;
  c->findings = cas_finding_set(CAS_CONSISTENT);
  for (int i = 0; i < 2; i++) {
    cas_curve *w = cas_results_curve(r, 2 + i);
    w->expected_order = weak[i];
    w->findings = cas_finding_set(CAS_CONSISTENT);
    w->laws.conclusion =
        (cas_conclusion){.judgement = CAS_SUPPORTED, .decides = 1, .terms = 2, .seen = seen[i]};
  }
  return c;
}

static cas_frame concluded(const cas_results *r) {
  static cas_frame f;
  cas_frame_free(&f);
  MUST(cas_result_conclude(r, &f, &err));
  return f;
}
#define assert_headline(r, wanted) ck_assert_str_eq(concluded(r).headline, wanted)

/* The orders of theory of supported functionals are said of each where they differ; an order
   without an interval is that between the finest two levels, with its error. */
#define ASSUMED " standard errors from 0 (assumes whole powers of h)"
TEST(every_order_is_said_with_its_number) {
  cas_results *r = make_results(6);
  cas_curve *strong = make_orders(r, (double[]){1, 2}, (double[]){9.7, 12});
  strong->laws.theory_p_value = 0.03;
  strong->findings = cas_finding_set(CAS_NOT_RESOLVED);
  assert_headline(
      r, "strong order 0.4986 [0.4973, 0.4999] NOT RESOLVED: order 1/2 is outside the interval, "
         "but not refuted at 1% (p = 0.03); weak order 1 of sin2pi, 2 of energy: the leading term "
         "is at least 9" ASSUMED);
  strong = make_orders(r, (double[]){1, 1}, (double[]){9.7, 12});
  assert_headline(r, "strong order 0.4986 [0.4973, 0.4999]; theory 1/2: consistent; weak order 1 "
                     "for 2 of 2 functionals: the leading term is at least 9" ASSUMED);
  strong->laws.law[strong->laws.headline].order = strong->laws.order = NAN;
  strong->laws.low = strong->laws.order_low = -INFINITY;
  strong->laws.rate = 0.5203;
  strong->laws.rate_error = 0.031;
  assert_headline(r, "strong order 0.520 +- 0.031 between the finest two levels; theory 1/2: "
                     "consistent; weak order 1 for 2 of 2 functionals: the leading term is at "
                     "least 9" ASSUMED);
}

/* Orders without a leading term or a theory, of large steps, of two signs; biases of averages. */
TEST(what_lacks_is_said) {
  cas_results *r = make_results(6);
  cas_curve *strong = make_orders(r, (double[]){1, 2}, (double[]){-1, 12});
  strong->laws.high = strong->laws.order_high = 0.5123;
  strong->findings = both(CAS_NOT_RESOLVED, CAS_NO_LEADING_TERM);
  for (int k = 0; k < 12; k++) {
    cas_curve *weak = cas_results_curve(r, 2 + k % 2);
    weak->findings = cas_finding_set(CAS_NOT_RESOLVED);
    weak->laws.conclusion.order_low = 2.1;
    weak->resolved[k / 2] = 1;
  }
  assert_headline(r, "strong order 0.499 [0.497, 0.512] NOT RESOLVED: the leading term is within 3 "
                     "standard errors of 0; order 1/2 not excluded; weak order of sin2pi (the "
                     "leading term has no certain sign), energy (order 2 is outside the interval "
                     "of the exponent, but not refuted) NOT RESOLVED");
  strong->findings = both(CAS_NOT_RESOLVED, CAS_LAW_REJECTED);
  strcpy(r->provenance.study, "strong");
  ck_assert_str_eq(concluded(r).advice, ""); /* The steps have more digits than are said. */
  r->step[0] = 0x1p-7, r->steps[1] *= 2;
  ck_assert_str_eq(concluded(r).advice, "--set study.coarsest_step=2^-8");
  strong->expected_order = NAN;
  strong->findings = cas_finding_set(CAS_NO_THEORY);
  ck_assert_ptr_nonnull(strstr(concluded(r).headline, "0.512]; no order of theory is known; weak"));
  strcpy(r->provenance.study, "invariant");
  (void)make_orders(r, (double[]){1, 2}, (double[]){9, 9});
  cas_results_curve(r, 0)->kind = cas_results_curve(r, 1)->kind = CAS_WEAK;
  ck_assert_ptr_nonnull(strstr(concluded(r).headline, " (95% each); order 1 supported; bias of "));
}

RUN_TESTS
