/* Manakov's integrals of the free rigid body in R^n, for I_ij = a_i + a_j. */
#include "systems/manakov.h"

#include <stdio.h>
#include <string.h>

typedef cas_manakov parameters;

/* the coefficients of lambda^m in Tr (X + lambda J^2)^k that move with X and are no Casimirs: m >
   0, and k - m even, as X is skew, and not 0 */
static int first_power(int k) { return k % 2 ? 1 : 2; }

void CAS_ISA(cas_manakov_write_integrals)(cas_manakov *p) {
  int used = 0;
  for (int k = 3; k <= p->n; k++)
    for (int m = first_power(k); m < k; m += 2)
      used += snprintf(p->integrals + used, sizeof p->integrals - (size_t)used, "%sk%dm%d",
                       used ? " " : "", k, m);
}

/* lanes that go together: their vectors stay in the second-level cache */
enum { TOGETHER = 8 };

/* w = X v, vectors of R^n with one column a lane */
static void times_state(int n, int W, const double *x, const double *v, double *w) {
  memset(w, 0, (size_t)n * TOGETHER * sizeof *w);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, x += W)
      for (int l = 0; l < TOGETHER; l++) {
        w[i * TOGETHER + l] += x[l] * v[j * TOGETHER + l];
        w[j * TOGETHER + l] -= x[l] * v[i * TOGETHER + l];
      }
}

/* v[0 .. k] from v[0 .. k - 1]: the coefficients of (X + lambda J^2)^k e_i, highest first, as each
   needs the one before it */
static void next_power(const parameters *p, int k, int W, const double *x, double *v) {
  int n = (int)p->n, size = n * TOGETHER;
  double w[CAS_SO_N_MAX * TOGETHER];
  for (int m = k; m >= 0; m--) {
    if (m < k)
      times_state(n, W, x, v + m * size, w);
    else
      memset(w, 0, (size_t)size * sizeof *w);
    for (int r = 0; m > 0 && r < n; r++)
      for (int l = 0; l < TOGETHER; l++)
        w[r * TOGETHER + l] += p->inertia.values.value[r] * p->inertia.values.value[r] *
                               v[(m - 1) * size + r * TOGETHER + l];
    memcpy(v + m * size, w, (size_t)size * sizeof *w);
  }
}

/* Row i of the powers of X + lambda J^2, and its share of their traces. */
static void add_row(const parameters *p, int i, int W, const double *x, double *out) {
  double v[(CAS_SO_N_MAX + 1) * CAS_SO_N_MAX * TOGETHER];
  int n = (int)p->n, size = n * TOGETHER;
  memset(v, 0, (size_t)size * sizeof *v);
  for (int l = 0; l < TOGETHER; l++)
    v[i * TOGETHER + l] = 1;
  for (int k = 1; k <= n; k++) {
    next_power(p, k, W, x, v);
    for (int m = first_power(k); m < k; m += 2, out += W)
      for (int l = 0; l < TOGETHER; l++)
        out[l] += v[m * size + i * TOGETHER + l];
  }
}

static int integrals(const parameters *p) { return (int)((p->n - 1) * (p->n - 1) / 4); }

void CAS_ISA(cas_manakov_integrals)(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  memset(out, 0, (size_t)integrals(p) * (size_t)W * sizeof *out);
  for (int l = 0; l < W; l += TOGETHER)
    for (int i = 0; i < p->n; i++)
      add_row(p, i, W, x + l, out + l);
}

const char *CAS_ISA(cas_manakov_without_integrals)(const void *parameters_) {
  const parameters *p = parameters_;
  if (p->n == 2)
    return "n = 2 has none, they begin with n = 3";
  return p->inertia.by_key ? NULL
                           : "system.inertia is not given in Manakov's form, {manakov: [a_1, .., "
                             "a_n]} for I_ij = a_i + a_j";
}

int CAS_ISA(cas_manakov_integral_axis)(const void *parameters_, cas_axis axis[2]) {
  const parameters *p = parameters_;
  axis[0] = (cas_axis){
      .name = "integral",
      .summary = "kKmM: power K = 3 .. n, coefficient M = K-2, K-4, .. > 0, in ascending order",
      .unit = "1",
      .length = integrals(p),
      .labels = p->integrals};
  return 1;
}
