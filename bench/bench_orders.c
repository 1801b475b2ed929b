/* What is concluded on the order of theory, against what is true, over synthetic differences of
   neighbouring levels: a first term h^t, further terms h^(t+1), h^(t+2) and perhaps h^(t+3), and
   random errors.

     bench_orders [--replicates N] [--values N] [--fourth] [--cells]

   N data sets a cell (100), of N values (3 to 7). --fourth: a fourth term, over the third what
   that is over the second. --cells: prints every cell. A cell is a true order t, the order q of
   theory, a number of values, the share of the first term in the first two at the finest step, the
   standard error of the values over the sum of the sizes of their terms, the third term over the
   second at the finest step, the sign of the second term, and how errors come about:

     independent   normal, of known variances
     correlated    0.9 between all levels, with a covariance that is estimated from 64 groups
     heavy         means of 400 values of Student's distribution with 3 degrees of freedom, and
                   standard errors from these values

   A true order above q has the coefficient 0 of h^q where it is a whole number above it; where it
   is not, the errors are no sum of whole powers, and a coefficient is not counted. */
#include "statistics/fit_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 7, FEWEST = 3, GROUPS = 64, SAMPLES = 400 };

typedef enum { INDEPENDENT, CORRELATED, HEAVY, KINDS } error_kind;
static const char *const kinds[] = {"independent", "correlated", "heavy"};

static const double orders[] = {0.5, 1, 1.5, 2, 3}, theories[] = {1, 2},
                    shares[] = {0.05, 0.3, 0.7}, errors[] = {0.002, 0.02, 0.1}, thirds[] = {0, 0.3},
                    signs[] = {1, -1};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct {
  int values;
  error_kind kind;
  double order, theory, share, error, third, sign;
} cell;

/* Of these data sets: how many have each judgement, those whose coefficient is inside its interval
   of all that have one, those whose free exponent has two ends, and of these those with the true
   order inside; sum of their half-widths. */
typedef struct {
  int sets, judged[CAS_JUDGEMENTS], coefficients, covering, two_ended, exponents;
  double half_width;
} count;

static int replicates = 100;
static bool with_fourth, every_cell;

/* ---- random numbers ---- */

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

/* Of Student's distribution with 3 degrees of freedom, over its deviation 3^1/2. */
static double heavy(uint64_t *state) {
  double a = normal(state), b = normal(state), c = normal(state);
  return normal(state) / sqrt(a * a + b * b + c * c);
}

/* ---- data ---- */

typedef struct {
  double step[MOST + 1], value[MOST], exact[MOST], size[MOST], covariance[MOST * MOST], first;
  double noise[GROUPS][MOST];
} data;

/* Values of a cell without errors. */
static void make(const cell *x, data *d) {
  memset(d, 0, sizeof *d);
  for (int i = 0; i <= x->values; i++)
    d->step[i] = ldexp(1, -3 - i);
  const double next = 1 - x->share, c[4] = {x->share, x->sign * next, x->third * next,
                                            with_fourth * x->sign * x->third * x->third * next};
  for (int i = 0; i < x->values; i++)
    for (int k = 0; k < 4; k++) {
      double term = c[k] * exp2((x->order + k) * (x->values - 1 - i));
      d->exact[i] += term;
      d->size[i] += x->error * fabs(term);
    }
  /* of h^q - (h/2)^q, where a term at the finest step is 1 */
  d->first = x->order == x->theory
                 ? x->share * pow(d->step[x->values - 1], -x->order) / (1 - exp2(-x->order))
                 : 0;
}

/* Errors of all values, from groups of equal correlated errors, whose covariance is estimated. */
static void add_correlated(const cell *x, data *d, uint64_t *state) {
  const int n = x->values;
  double mean[MOST] = {0};
  for (int g = 0; g < GROUPS; g++) {
    const double common = sqrt(0.9) * normal(state);
    for (int i = 0; i < n; i++) {
      d->noise[g][i] = d->size[i] * sqrt(GROUPS) * (common + sqrt(0.1) * normal(state));
      mean[i] += d->noise[g][i] / GROUPS;
    }
  }
  for (int i = 0; i < n; i++) {
    d->value[i] = d->exact[i] + mean[i];
    for (int j = 0; j < n; j++) {
      d->covariance[i * n + j] = 0;
      for (int g = 0; g < GROUPS; g++)
        d->covariance[i * n + j] +=
            (d->noise[g][i] - mean[i]) * (d->noise[g][j] - mean[j]) / GROUPS / (GROUPS - 1);
    }
  }
}

static void add_heavy(const cell *x, data *d, int i, uint64_t *state) {
  double sum = 0, squares = 0;
  for (int k = 0; k < SAMPLES; k++) {
    const double y = d->size[i] * sqrt(SAMPLES) * heavy(state);
    sum += y, squares += y * y;
  }
  d->value[i] = d->exact[i] + sum / SAMPLES;
  d->covariance[i * x->values + i] = (squares - sum * sum / SAMPLES) / (SAMPLES - 1) / SAMPLES;
}

static void draw(const cell *x, data *d, uint64_t *state) {
  if (x->kind == CORRELATED)
    add_correlated(x, d, state);
  for (int i = 0; i < x->values && x->kind != CORRELATED; i++)
    if (x->kind == HEAVY)
      add_heavy(x, d, i, state);
    else {
      d->value[i] = d->exact[i] + d->size[i] * normal(state);
      d->covariance[i * x->values + i] = d->size[i] * d->size[i];
    }
}

static cas_laws fit(const cell *x, const data *d) {
  cas_laws l;
  const cas_law_points p = {.n = x->values,
                            .step = d->step,
                            .finer = d->step + 1,
                            .value = d->value,
                            .covariance = d->covariance,
                            .scale = 1,
                            .degrees = x->kind == INDEPENDENT ? 1e9
                                       : x->kind == HEAVY     ? SAMPLES - 1
                                                              : GROUPS - 1,
                            .independent = x->kind != CORRELATED,
                            .third = true};
  if (!cas_laws_fit(&p, x->theory, &l))
    exit(1);
  return l;
}

/* ---- counting ---- */

static void add(count *c, const cas_conclusion *l, const cell *x, const data *d) {
  const double apart = x->order - x->theory;
  c->sets++;
  c->judged[l->judgement]++;
  if (l->terms > 0 && apart >= 0 && apart == floor(apart)) {
    c->coefficients++;
    c->covering += l->low <= d->first && d->first <= l->high;
  }
  if (apart == 0 && isfinite(l->order_low) && isfinite(l->order_high)) {
    c->two_ended++;
    c->exponents += l->order_low <= x->order && x->order <= l->order_high;
    c->half_width += (l->order_high - l->order_low) / 2;
  }
}

static count measure(const cell *x) {
  data d;
  uint64_t state = 1;
  count c = {0};
  make(x, &d);
  for (int k = 0; k < replicates; k++) {
    draw(x, &d, &state);
    const cas_laws l = fit(x, &d);
    add(&c, &l.conclusion, x, &d);
  }
  return c;
}

static double share_of(int part, int whole) { return whole ? (double)part / whole : NAN; }

static void print_cell(const cell *x) {
  printf("order %g by theory, true %g, share %g, error %g, third %g, sign %+g\n", x->theory,
         x->order, x->share, x->error, x->third, x->sign);
}

/* The share of all data sets, and the worst cell. */
typedef struct {
  int part, whole;
  double worst;
  cell where;
} rate;

static void take(rate *r, const cell *x, int part, int whole, int worse) {
  const double share = share_of(part, whole);
  if (whole == 0)
    return;
  if (r->whole == 0 || worse * share > worse * r->worst)
    r->worst = share, r->where = *x;
  r->part += part;
  r->whole += whole;
}

static void print_rate(const char *what, const rate *r) {
  if (r->whole == 0)
    return;
  printf("  %-32s %6.3f in the mean, %5.3f at ", what, share_of(r->part, r->whole), r->worst);
  print_cell(&r->where);
}

typedef struct {
  rate confirmed, lower, others, doubted, covering, exponents, seen, two_ended;
} row;

static void take_cell(row *r, const cell *x, const count *c) {
  const double apart = x->order - x->theory;
  const bool right = apart == 0, whole = apart == floor(apart);
  take(right                ? &r->seen
       : whole && apart > 0 ? &r->confirmed
       : whole              ? &r->lower
                            : &r->others,
       x, c->judged[CAS_SUPPORTED], c->sets, right ? -1 : 1);
  /* where a law holds at least in half of the sets */
  if (2 * c->coefficients >= c->sets)
    take(&r->covering, x, c->covering, c->coefficients, -1);
  if (right)
    take(&r->doubted, x, c->judged[CAS_CONTRADICTED], c->sets, 1);
  if (right)
    take(&r->two_ended, x, c->two_ended, c->sets, -1);
  take(&r->exponents, x, c->exponents, c->two_ended, -1);
}

static void visit(cell *x, row *r) {
  for (int s = 0; s < COUNT(shares); s++)
    for (int e = 0; e < COUNT(errors); e++)
      for (int t = 0; t < COUNT(thirds); t++)
        for (int k = 0; k < COUNT(signs); k++) {
          x->share = shares[s], x->error = errors[e], x->third = thirds[t], x->sign = signs[k];
          const count c = measure(x);
          take_cell(r, x, &c);
          if (!every_cell)
            continue;
          printf("supported %.2f contradicted %.2f covering %.2f two ends %.2f: ",
                 share_of(c.judged[CAS_SUPPORTED], c.sets),
                 share_of(c.judged[CAS_CONTRADICTED], c.sets), share_of(c.covering, c.coefficients),
                 share_of(c.two_ended, c.sets));
          print_cell(x);
        }
}

static void measure_row(int values, error_kind kind) {
  row r = {0};
  for (int q = 0; q < COUNT(theories); q++)
    for (int o = 0; o < COUNT(orders); o++) {
      cell x = {.values = values, .kind = kind, .order = orders[o], .theory = theories[q]};
      visit(&x, &r);
    }
  printf("%d values, %s errors\n", values, kinds[kind]);
  print_rate("wrongly supported", &r.confirmed);
  print_rate("the same, lower order", &r.lower);
  print_rate("the same, other powers", &r.others);
  print_rate("wrongly contradicted", &r.doubted);
  print_rate("coefficients inside", &r.covering);
  print_rate("free exponents inside", &r.exponents);
  print_rate("of right ones supported", &r.seen);
  print_rate("of right ones two-ended", &r.two_ended);
  fflush(stdout);
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
    else if (strcmp(argv[i], "--cells") == 0)
      every_cell = true;
    else
      return fprintf(stderr, "bench_orders: what is %s?\n", argv[i]), 2;
  for (int values = only ? only : FEWEST; values <= (only ? only : MOST); values++)
    for (error_kind kind = 0; kind < KINDS; kind++)
      measure_row(values, kind);
  return 0;
}
