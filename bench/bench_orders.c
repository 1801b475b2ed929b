/* What is concluded on an order, against what is true, over synthetic differences of neighbouring
   levels that follow a law of three terms exactly, with independent normal errors.

     bench_orders [--replicates N] [--values N] [--alternating] [--fourth] [--cells]

   N data sets a cell (500), of so many values (4 to 8). --alternating: the second term has the
   other sign. --fourth: a fourth term, over the third what that is over the second, which no law
   has. --cells: prints every cell. A cell is a true order, a number of values, the first term's
   share of the first two at the finest step, the relative standard error of the values, and the
   third term over the second at the finest step. The order of theory is the true one where that is
   1/2 or 1, and 1 otherwise. Cells that have to be refuted in 80% are printed with the greatest
   power that a test of level 1% has, even one that knows the true law: the power of the test of the
   true law against the nearest law of three terms with the order of theory. "NOT consistent" needs
   such a test of all values and one of the values without the coarsest. */
#include "statistics/fit_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, FEWEST = 4 };

static const double orders[] = {0.5, 0.75, 0.9, 1, 1.25, 1.5, 2},
                    shares[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9},
                    errors[] = {0.002, 0.01, 0.03, 0.1}, thirds[] = {0, 0.03, 0.1, 0.3};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct {
  int values;
  double order, share, error, third, theory;
} cell;

/* Of so many data sets: those concluded NOT consistent with theory, those with an interval, and
   those of which the interval contains the true order. */
typedef struct {
  int sets, refuted, upper, both, covering;
  double width; /* sum of the widths of intervals with two ends */
} count;

static int replicates = 500;
static bool alternating, with_fourth, every_cell;

static double uniform(uint64_t *state) { /* splitmix64, in (0, 1) */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state) {
  double r = sqrt(-2 * log(uniform(state)));
  return r * cos(2 * acos(-1) * uniform(state));
}

/* The term h^e between the step of value i and the next one, over that of the finest value. */
static double term(int i, int n, double e) { return exp2(e * (n - 1 - i)); }

static void add(count *c, const cas_laws *l, const cell *x, cas_findings found) {
  cas_law law = cas_laws_headline(l);
  c->sets++;
  c->refuted += cas_findings_have(found, CAS_DIFFERS);
  c->upper += isfinite(law.low) + isfinite(law.high) == 1;
  if (isfinite(law.low) && isfinite(law.high)) {
    c->both++;
    c->width += law.high - law.low;
  }
  c->covering +=
      (isfinite(law.low) || isfinite(law.high)) && law.low <= x->order && x->order <= law.high;
}

/* The values of a cell, which are exact at first. */
typedef struct {
  double step[MOST + 1], value[MOST], exact[MOST], size[MOST], covariance[MOST * MOST];
} data;

static cas_law_points points_of(const cell *x, data *d) {
  int n = x->values;
  memset(d, 0, sizeof *d);
  for (int i = 0; i <= n; i++)
    d->step[i] = ldexp(1, -3 - i);
  for (int i = 0; i < n; i++) {
    double first = x->share * term(i, n, x->order),
           second = (1 - x->share) * term(i, n, x->order + 1),
           third = x->third * (1 - x->share) * term(i, n, x->order + 2),
           fourth = with_fourth * x->third * x->third * (1 - x->share) * term(i, n, x->order + 3);
    d->exact[i] =
        first + (alternating ? -second : second) + third + (alternating ? -fourth : fourth);
    d->value[i] = d->exact[i];
    d->size[i] = x->error * (first + second + third + fourth);
    d->covariance[i * n + i] = d->size[i] * d->size[i];
  }
  return (cas_law_points){.n = n,
                          .step = d->step,
                          .finer = d->step + 1,
                          .value = d->value,
                          .covariance = d->covariance,
                          .scale = 1,
                          .degrees = 1e9,
                          .independent = true,
                          .third = true};
}

static cas_laws fit(const cas_law_points *p, double theory) {
  cas_laws l;
  if (!cas_laws_fit(p, theory, &l))
    exit(1);
  return l;
}

static count measure(const cell *x) {
  data d;
  const cas_law_points p = points_of(x, &d);
  uint64_t state = 1;
  count c = {0};
  for (int k = 0; k < replicates; k++) {
    char text[1024] = "";
    for (int i = 0; i < p.n; i++)
      d.value[i] = d.exact[i] + d.size[i] * normal(&state);
    const cas_laws l = fit(&p, x->theory);
    add(&c, &l, x, cas_laws_append_verdict(text, sizeof text, &l, x->theory, 0, "differences"));
  }
  return c;
}

/* The greatest power of a test of level 1% against a law of three terms with theory's order. */
static double greatest_power(const cell *x) {
  const double quantile = 2.3263478740408408; /* of the normal distribution, 99% */
  data d;
  const cas_law_points p = points_of(x, &d);
  const double distance = sqrt(fit(&p, x->theory).law[CAS_LAW_THREE_TERM_THEORY].chi2);
  return erfc((quantile - distance) / sqrt(2)) / 2;
}

/* ---- tables ---- */

/* The worst cells of a row, and means of the row. */
typedef struct {
  double refuted, covering, power;
  int beyond; /* cells of which more than 5% are wrongly refuted, or fewer than 90% cover */
  cell most_refuted, least_covering, least_power;
  int cells, powers, powerless;
  count all;
} row;

static double share_of(int part, int whole) { return whole ? (double)part / whole : NAN; }

static bool asks_for_power(const cell *x) {
  return x->order == 1.5 && x->share >= 0.5 && x->error <= 0.01 && x->third == 0 && x->values >= 5;
}

static void take(row *r, const cell *x, const count *c) {
  double refuted = share_of(c->refuted, c->sets),
         covering = share_of(c->covering, c->upper + c->both);
  r->cells++;
  r->beyond += (x->theory == x->order && refuted > 0.05) || covering < 0.9;
  if (x->theory == x->order && refuted > r->refuted)
    r->refuted = refuted, r->most_refuted = *x;
  if (covering < r->covering)
    r->covering = covering, r->least_covering = *x;
  if (asks_for_power(x)) {
    r->powers++;
    r->powerless += refuted < 0.8;
    if (refuted < r->power)
      r->power = refuted, r->least_power = *x;
  }
  r->all.sets += c->sets;
  r->all.upper += c->upper;
  r->all.both += c->both;
  r->all.width += c->width;
}

static void print_cell(const cell *x, const count *c) {
  printf("%5.2f %d %4.2f %5.3f %4.2f  refuted %5.3f%s  one end %5.3f  two %5.3f  covering %5.3f of "
         "%d\n",
         x->order, x->values, x->share, x->error, x->third, share_of(c->refuted, c->sets),
         x->theory == x->order ? " wrongly" : "", share_of(c->upper, c->sets),
         share_of(c->both, c->sets), share_of(c->covering, c->upper + c->both), c->upper + c->both);
}

/* The values without the coarsest are those of a cell of one value fewer. */
static void print_bounds(const cell *x) {
  cell fewer = *x;
  fewer.values--;
  printf("           greatest power of a test %5.3f", greatest_power(x));
  if (fewer.values > FEWEST)
    printf(", without the coarsest value %5.3f", greatest_power(&fewer));
  printf("\n");
}

static void print_where(const char *what, double value, const cell *x) {
  if (x->values)
    printf("  %s %.3f at order %g, share %g, error %g, third %g\n", what, value, x->order, x->share,
           x->error, x->third);
}

static void print_row(int values, const row *r) {
  printf("%d values: %d cells; wrongly NOT consistent at most %.3f; intervals cover at least %.3f; "
         "%d cells beyond their bounds; "
         "one end %.0f%%, two %.0f%%",
         values, r->cells, r->refuted, r->covering, r->beyond, 100. * r->all.upper / r->all.sets,
         100. * r->all.both / r->all.sets);
  if (r->all.both)
    printf(" (mean width %.2f)", r->all.width / r->all.both);
  if (r->powers)
    printf("; power below 0.8 in %d of %d", r->powerless, r->powers);
  printf("\n");
  print_where("most NOT consistent", r->refuted, &r->most_refuted);
  print_where("least coverage", r->covering, &r->least_covering);
  print_where("least power", r->power, &r->least_power);
  fflush(stdout);
}

static row measure_row(int values) {
  row r = {.covering = INFINITY, .power = INFINITY};
  for (int o = 0; o < COUNT(orders); o++)
    for (int s = 0; s < COUNT(shares); s++)
      for (int e = 0; e < COUNT(errors); e++)
        for (int t = 0; t < COUNT(thirds); t++) {
          cell x = {values, orders[o], shares[s], errors[e], thirds[t], orders[o] == 0.5 ? 0.5 : 1};
          count c = measure(&x);
          take(&r, &x, &c);
          if (every_cell || asks_for_power(&x))
            print_cell(&x, &c);
          if (asks_for_power(&x))
            print_bounds(&x);
        }
  return r;
}

int main(int argc, char **argv) {
  int only = 0;
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], "--replicates") == 0 && i + 1 < argc)
      replicates = atoi(argv[++i]);
    else if (strcmp(argv[i], "--values") == 0 && i + 1 < argc)
      only = atoi(argv[++i]);
    else if (strcmp(argv[i], "--fourth") == 0)
      with_fourth = true;
    else if (strcmp(argv[i], "--alternating") == 0)
      alternating = true;
    else if (strcmp(argv[i], "--cells") == 0)
      every_cell = true;
    else
      return fprintf(stderr, "bench_orders: what is %s?\n", argv[i]), 2;
  for (int values = only ? only : FEWEST; values <= (only ? only : MOST); values++) {
    row r = measure_row(values);
    print_row(values, &r);
  }
  return 0;
}
