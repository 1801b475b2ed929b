#include "math/algebra/brackets.h"
#include "math/algebra/euclidean.h"
#include "math/kernels/kernels.h"

#define ALGEBRA cas_brackets
#include "math/algebra/operations.h"

static int dimension(int n) { return n; }

static int casimirs(const cas_geometry *g) { return ((const cas_brackets *)g->table)->casimirs; }

/* W is the number of lanes that the program is for. */
static void casimir(const cas_geometry *g, int W, const double *x, double *out) {
  const cas_brackets *b = g->table;
  if (b->casimirs > 0)
    CAS_ISA(cas_program_rows)(&b->casimir, W, x, out);
}

const cas_algebra CAS_ISA(cas_algebra_brackets) = {
    .name = "brackets",
    .summary = "brackets of components as expressions of the state",
    .dimension = dimension,
    .coadjoint = cas_brackets_coadjoint_of_group,
    .casimirs = casimirs,
    .casimir = casimir,
    .distance2 = cas_euclidean_distance2,
};
