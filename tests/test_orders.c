/* What is concluded on orders from laws of three terms, of any share of the first: intervals cover
   the true order, whatever it is, and theory is not refuted wrongly. bench/bench_orders has more
   cells. */
#include "fit_fixture.h"

#include "statistics/fit_impl.h"

enum { MOST = 8, SETS = 12 };

static const double orders[] = {0.5, 0.9, 1, 1.5, 2}, shares[] = {0.05, 0.3, 0.7},
                    errors[] = {0.002, 0.03}, thirds[] = {0, 0.3};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { LEAST = 4 };

typedef struct {
  int sets, wrong, refuted, missed, with_end;
} count;

static void conclude(int n, double order, double share, double error, double third, uint64_t *state,
                     count *c) {
  double step[MOST + 1], value[MOST], covariance[MOST * MOST] = {0}, next = 1 - share;
  cas_laws l;
  for (int i = 0; i <= n; i++)
    step[i] = ldexp(1, -3 - i);
  for (int i = 0; i < n; i++) {
    double h = ldexp(1, n - 1 - i), y = pow(h, order) * (share + next * h * (1 + third * h));
    value[i] = y * (1 + error * normal(state));
    covariance[i * n + i] = error * y * error * y;
  }
  const cas_law_points p = {.n = n,
                            .step = step,
                            .finer = step + 1,
                            .value = value,
                            .covariance = covariance,
                            .scale = 1,
                            .degrees = 1e9,
                            .independent = true,
                            .third = true};
  double theory = order == 0.5 ? 0.5 : 1;
  ck_assert(cas_laws_fit(&p, theory, &l));
  cas_findings found = cas_laws_judge(&l, theory);
  const cas_law law = cas_laws_headline(&l);
  bool differs = cas_findings_have(found, CAS_DIFFERS);
  c->sets++;
  c->refuted += differs || (l.conclusion.decides && l.conclusion.terms == 0);
  c->wrong += differs && theory == order;
  c->with_end += isfinite(law.low) || isfinite(law.high);
  c->missed += !isnan(law.low) && !(law.low <= order && order <= law.high);
}

/* Bounds that chances of 1% and 5% exceed in less than 10^-6 of cells of 12, and of all. */
TEST_OVER(conclusions_are_right, MOST - LEAST + 1) {
  uint64_t state = 17 + (uint64_t)_i;
  int n = LEAST + _i;
  count all = {0};
  for (int o = 0; o < COUNT(orders); o++)
    for (int s = 0; s < COUNT(shares); s++)
      for (int e = 0; e < COUNT(errors); e++)
        for (int t = 0; t < COUNT(thirds); t++) {
          count c = {0};
          if (repetitions(100) < 100 && (o + s + e + t + _i) % 2) /* half of the cells */
            continue;
          for (int k = 0; k < (looks_for_accesses() ? 1 : SETS); k++)
            conclude(n, orders[o], shares[s], errors[e], thirds[t], &state, &c);
          ck_assert_msg(c.wrong <= 3 && c.missed <= 6,
                        "order %g, %d values, share %g, error %g, third %g: of %d, %d are wrongly "
                        "NOT consistent, and %d intervals miss the order",
                        orders[o], n, shares[s], errors[e], thirds[t], SETS, c.wrong, c.missed);
          all.sets += c.sets, all.wrong += c.wrong, all.missed += c.missed;
          all.with_end += c.with_end;
        }
  printf("%d values: of %d, %d wrongly NOT consistent, %d intervals have an end, %d miss\n", n,
         all.sets, all.wrong, all.with_end, all.missed);
  if (looks_for_accesses()) /* so few show no share */
    return;
  ck_assert(all.with_end > 0);
  ck_assert_int_le(all.wrong, all.sets / 50);
  ck_assert_int_le(all.missed, all.sets / 20);
}

/* Of what is far from theory, theory is refuted, or no law with its powers holds. */
TEST(wrong_orders_are_refuted) {
  uint64_t state = 5;
  count c = {0};
  for (int k = 0; k < 4 * SETS; k++)
    conclude(8, 1.5, 0.5, 0.002, 0, &state, &c);
  printf("%d of %d orders 3/2 are refuted\n", c.refuted, c.sets);
  ck_assert_int_ge(c.refuted, c.sets * 9 / 10);
}

RUN_TESTS
