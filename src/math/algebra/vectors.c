/* The tables of algebras whose elements are vectors of R^3, or are given by brackets. */
#include "math/algebra/brackets.h"
#include "math/algebra/euclidean.h"
#include "math/algebra/se3.h"
#include "math/algebra/so3.h"
#include "math/algebra/su2.h"
#include "math/kernels/kernels.h"

#define ALGEBRA cas_so3
#include "math/algebra/operations.h"
#define ALGEBRA cas_su2
#include "math/algebra/operations.h"
#define ALGEBRA cas_se3
#include "math/algebra/operations.h"
#define ALGEBRA cas_brackets
#include "math/algebra/operations.h"

static int three(int n CAS_UNUSED) { return 3; }

static int six(int n CAS_UNUSED) { return 6; }

static int any(int n) { return n; }

static int factors(const cas_geometry *g) { return g->factors; }

static int two(const cas_geometry *g CAS_UNUSED) { return 2; }

/* |x_i|^2 of each factor: the eigenvalues of hat x are 0 and +-i|x|, in su(2) they are +-i|x|/2 */
static void squares(const cas_geometry *g, int W, const double *x, double *out) {
  for (int i = 0; i < g->factors; i++, x += 3 * W, out += W)
    for (int l = 0; l < W; l++)
      out[l] = x[l] * x[l] + x[W + l] * x[W + l] + x[2 * W + l] * x[2 * W + l];
}

/* |Gamma|^2 and Pi.Gamma */
static void of_top(const cas_geometry *g CAS_UNUSED, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    const double *pi = x + l, *gamma = pi + 3 * W;
    out[l] = gamma[0] * gamma[0] + gamma[W] * gamma[W] + gamma[2 * W] * gamma[2 * W];
    out[W + l] = pi[0] * gamma[0] + pi[W] * gamma[W] + pi[2 * W] * gamma[2 * W];
  }
}

static int listed(const cas_geometry *g) { return ((const cas_brackets *)g->table)->casimirs; }

/* W is the number of lanes that the program is for. */
static void of_brackets(const cas_geometry *g, int W, const double *x, double *out) {
  const cas_brackets *b = g->table;
  if (b->casimirs > 0)
    CAS_ISA(cas_program_rows)(&b->casimir, W, x, out);
}

const cas_algebra CAS_ISA(cas_algebra_so3) = {
    .name = "so3",
    .summary = "so(3) in R^3 by the hat map",
    .properties = CAS_COMPACT | CAS_QUADRATIC_CASIMIRS,
    .dimension = three,
    CAS_OPERATIONS(cas_so3),
    .casimirs = factors,
    .casimir = squares,
    .distance2 = cas_euclidean_distance2,
};

const cas_algebra CAS_ISA(cas_algebra_su2) = {
    .name = "su2",
    .summary = "products of su(2), each factor in R^3 by the Pauli matrices",
    .properties = CAS_COMPACT | CAS_QUADRATIC_CASIMIRS,
    .dimension = three,
    CAS_OPERATIONS(cas_su2),
    .casimirs = factors,
    .casimir = squares,
    .distance2 = cas_euclidean_distance2,
};

const cas_algebra CAS_ISA(cas_algebra_se3) = {
    .name = "se3",
    .summary = "se(3) in R^3 x R^3, the semidirect product of so(3) and R^3",
    .properties = CAS_QUADRATIC_CASIMIRS,
    .dimension = six,
    .coadjoint = cas_se3_coadjoint_of_group,
    .casimirs = two,
    .casimir = of_top,
    .distance2 = cas_euclidean_distance2,
};

const cas_algebra CAS_ISA(cas_algebra_brackets) = {
    .name = "brackets",
    .summary = "brackets of components as expressions of the state",
    .dimension = any,
    .coadjoint = cas_brackets_coadjoint_of_group,
    .casimirs = listed,
    .casimir = of_brackets,
    .distance2 = cas_euclidean_distance2,
};
