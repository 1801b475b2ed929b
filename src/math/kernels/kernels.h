/* The registries of one instruction set, and the kernels that belong to no system. */
#ifndef CAS_KERNELS_H
#define CAS_KERNELS_H

#include "base/isa.h"
#include <casimir/extend.h>

typedef struct cas_program cas_program;

typedef struct {
  const char *name;                   /* "generic", "avx2", "avx512" */
  int vector_lanes;                   /* doubles in a vector */
  const char *elementary;             /* where log, cos and sin of vectors come from */
  const cas_algebra *const *algebras; /* NULL ends each list */
  const cas_system *const *systems;
  const cas_integrator *const *integrators;
  /** z[0..n) standard normals from the uniforms u[0..n) by Box and Muller; n a multiple of 16. */
  void (*normals)(int n, const double *u, double *z);
  /** u[0..n) uniforms of (0, 1): Threefry4x64-13 under the key (seed, purpose), counters (i, step,
      block). */
  void (*threefry)(int seed, int purpose, int64_t block, int64_t step, int n, double *u);
  /** dw = scale * min(max(sum, -bound), bound), rows x W, W = 1 or a multiple of 16; clipped[lane]
      counts what was cut. */
  void (*truncate)(int rows, int W, const double *sum, double bound, double scale, double *dw,
                   double *clipped);
  /** sum[i] += z[i], n a multiple of 16. */
  void (*accumulate)(int n, const double *z, double *sum);
  /** Runs a program on rows of `lanes`, a multiple of 16; see language/expressions/program.h. */
  void (*run)(const cas_program *p, int lanes, const double *first, double *result);
} cas_kernels;

/** The best that this processor runs, or the one that CASIMIR_KERNELS names. */
const cas_kernels *cas_kernels_get(void);
/** The i-th one that this processor runs, slowest first; NULL past the end. */
const cas_kernels *cas_kernels_list(int i);

/** What a system has as a member or, where it depends on the parameters, as a function. */
static inline void cas_system_geometry(const cas_system *s, const void *parameters, int *n,
                                       int *factors) {
  *n = s->space.n;
  *factors = 1;
  if (s->space.geometry)
    s->space.geometry(parameters, n, factors);
}

static inline bool cas_system_commutes(const cas_system *s, const void *parameters) {
  return s->noise.always_commuting || s->noise.commuting(parameters);
}

static inline const char *cas_system_names(const cas_system *s, const void *parameters) {
  return s->state.components ? s->state.components(parameters) : s->state.names;
}

static inline int cas_system_coefficients(const cas_system *s, const void *parameters) {
  return s->psi.coefficients ? s->psi.coefficients(parameters) : s->psi.doubles;
}

/* Normals, their sums and their truncation, compiled for every instruction set. */
void CAS_ISA(cas_kernels_normals)(int n, const double *u, double *z);
void CAS_ISA(cas_kernels_threefry)(int seed, int purpose, int64_t block, int64_t step, int n,
                                   double *u);
void CAS_ISA(cas_kernels_truncate)(int rows, int W, const double *sum, double bound, double scale,
                                   double *dw, double *clipped);
void CAS_ISA(cas_kernels_accumulate)(int n, const double *z, double *sum);

/** The entry of this name, or NULL, of a NULL-terminated list of pointers to structs that begin
    with their name. */
const void *cas_kernels_find(const void *registry, const char *name);
const cas_algebra *cas_algebra_find(const char *name);
const cas_system *cas_system_find(const char *name);
const cas_integrator *cas_integrator_find(const char *name);

#endif
