/* Repetitions of long tests, fewer of them where CASIMIR_REPETITIONS says how many percent: a build
   with sanitizers runs the same code as often as they need to see it, and leaves it to others to
   judge statistics closely. */
#ifndef CASIMIR_REPETITIONS_H
#define CASIMIR_REPETITIONS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static inline int repetitions(int all) {
  const char *text = getenv("CASIMIR_REPETITIONS");
  int percent = text ? atoi(text) : 100;
  return (int)(((long long)all * percent + 99) / 100);
}

/* The least count that n trials of probability p fall below with a probability <= `chance`. */
static inline int least_count(int n, double p, double chance) {
  double below = 0;
  for (int k = 0; k <= n; k++) {
    below += exp(lgamma(n + 1.) - lgamma(k + 1.) - lgamma(n - k + 1.) + k * log(p) +
                 (n - k) * log1p(-p));
    if (below > chance)
      return k;
  }
  return n;
}

/* Whether a sum of squares of n standard normals is where chi-square is but for a probability of
   0.0023; it is close to the cube of a normal (Wilson and Hilferty, 1931). */
static inline bool is_chi_square(double sum, int n) {
  const double v = 2. / (9 * n), z = (cbrt(sum / n) - (1 - v)) / sqrt(v);
  return fabs(z) < 3.05;
}

/* Whether so few are asked for that accesses are looked for: one block of paths shows them. */
static inline bool looks_for_accesses(void) { return repetitions(100) < 20; }

/* `all`, of which accesses are looked for in `few`. */
static inline int all_or(int all, int few) { return looks_for_accesses() && few < all ? few : all; }

#endif
