/** Algebras, and features that pair schemes with them and with systems; extend.h includes it. */
#ifndef CASIMIR_ALGEBRA_H
#define CASIMIR_ALGEBRA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Features by which schemes and systems are paired. A scheme names one feature that it needs. A
    system has the features of its algebra and further ones of its own. */
enum {
  CAS_COADJOINT = 1u << 0, /* ad*_xi mu: every algebra */
  CAS_SANDWICH = 1u << 1,  /* [Q, X] and Q X Q of a J-quadratic algebra, [EJLL] section 2 */
  CAS_ITO = 1u << 2,       /* the Ito drift, from second derivatives of the noise's Hamiltonians, or
                              because it is 0: noise that depends on positions and moves momenta */
  CAS_FLOWS = 1u << 3,     /* exact flows of parts that the Hamiltonians are the sum of */
  CAS_AFFINE = 1u << 4, /* the dual of so(3) or se(3), with Hamiltonians of at most second degree in
                              the momentum and linear in the vector beside it */
  CAS_COTANGENT = 1u << 5, /* positions and momenta instead of a bracket, with forces, friction and
                              noise that move momenta, [BRO] section 5 */
  CAS_DRIFT = 1u << 6,     /* such without constraints, whose free motion is known */
  CAS_CONSTRAINED = 1u << 7, /* such with constraints of the positions */
  CAS_EXPONENTIAL = 1u << 8, /* Ad*_exp(xi) mu: every Lie algebra */
  CAS_ADDITION = 1u << 9,    /* a Lie-Poisson state is a vector, to which increments are added */
  CAS_ATTITUDE = 1u << 10    /* a state has an attitude as well, which steps turn */
};

/** Maps from so(3) to the rotations, [GBW] section 3. */
enum {
  CAS_RETRACTION_CAYLEY, /* (1 - hat x/2)^-1 (1 + hat x/2) */
  CAS_RETRACTION_EXP     /* the exponential map */
};
/** Forms of the variational midpoint. */
enum {
  CAS_VARIANT_SYMPLECTIC,     /* the scheme as defined, a Poisson map */
  CAS_VARIANT_ENERGY_MOMENTUM /* keeps the energy of a free body instead of the bracket */
};

/** What a scheme keeps to rounding, whatever the noise: it is tested to keep that. */
enum {
  CAS_KEEPS_CASIMIRS = 1u << 0,  /* all of them: it stays on coadjoint orbits */
  CAS_KEEPS_QUADRATIC = 1u << 1, /* Casimirs that are quadratic in the state */
  CAS_KEEPS_POISSON = 1u << 2,   /* the bracket: every step is a Poisson map */
  CAS_KEEPS_MOMENTA = 1u << 3    /* the momentum maps of a cotangent bundle */
};

/** What a step asks for besides psi, of schemes that say so: coefficients of further gradients,
    each of them times the scale of the scheme (integrators/step.h). */
enum {
  CAS_ASKS_PARTS = 1u << 0,  /* psi_drift = h grad H0, psi_noises = all else, psi_areas of it */
  CAS_ASKS_NOISES = 1u << 1, /* psi_noise of each k: dW_k grad H_k */
  CAS_ASKS_HALVES = 1u << 2  /* psi_half of both halves of the step: h/2 and their own increments */
};

enum {
  CAS_COMPACT = 1u << 0,            /* the norm of distance2 is constant on orbits */
  CAS_QUADRATIC_CASIMIRS = 1u << 1, /* every Casimir is quadratic in the state */
  CAS_FLAT = 1u << 2                /* a cotangent bundle on which momenta are masses times
                                       velocities, in the steps of all schemes */
};

/** A column of lanes inside a block: component k of lane l is base[k * stride + l]. */
typedef struct {
  const double *base; /* component 0 of the first lane */
  int stride;         /* doubles from one component to the next */
} cas_lanes;

typedef struct cas_geometry cas_geometry;

/** An algebra. Steps call the operations directly, as inline functions of the algebra's header; the
    pointers here are for tests and for schemes that are loaded at run time. They take a group of
    lanes, a[component * lanes + lane] with as many lanes as two vectors of this instruction set
    hold; or one path, a[component], if one_path says so. All arrays are aligned to 64 bytes. */
typedef struct cas_algebra {
  const char *name;    /* required, "so3" */
  const char *summary; /* required */
  unsigned properties; /* CAS_COMPACT | .. */
  bool one_path;       /* the operations take one path */
  /** Real components of a packed state of one factor with parameter n. required */
  int (*dimension)(int n);
  /** out = ad*_xi mu, which is [X, xi] for matrices. required for CAS_COADJOINT */
  void (*coadjoint)(const cas_geometry *g, const double *xi, const double *mu, double *out);
  /** bracket = [Q, X] and sandwich = Q X Q. required for CAS_SANDWICH */
  void (*both)(const cas_geometry *g, const double *q, const double *x, double *bracket,
               double *sandwich);
  /** out = (1 - Q)^-1 X (1 + Q)^-1. required for CAS_SANDWICH */
  void (*cayley)(const cas_geometry *g, const double *q, const double *x, double *out);
  /** Doubles of g->scratch that the operations need. optional: none */
  size_t (*scratch)(const cas_geometry *g);
  /** The number of independent Casimirs. optional: there are none */
  int (*casimirs)(const cas_geometry *g);
  /** out[k * W + lane]: the Casimirs of a block of W paths. required if there are any */
  void (*casimir)(const cas_geometry *g, int W, const double *x, double *out);
  /** out[lane] = |x - y|^2 in the norm that errors are stated in. required */
  void (*distance2)(const cas_geometry *g, int W, const double *x, const double *y, double *out);
} cas_algebra;

/** `factors` copies of algebra(n); the state is their components one after another. */
struct cas_geometry {
  const cas_algebra *algebra; /* of each factor */
  int n, factors;             /* parameter of the algebra, and number of factors */
  int components;             /* of the state, factors * dimension(n) */
  double *scratch; /* workspace for the algebra's products, of whoever steps; aligned to 64 bytes */
  const void *table; /* of an algebra whose bracket the system gives */
};

#ifdef __cplusplus
}
#endif
#endif
