/* What the text of a scheme is made of (docs/extending.md). Inside a step, arrays hold a group of
   lanes or a part of one path, a[k * CAS_V + u] with k < CAS_K(s) and u < CAS_V, so that
   elementwise loops are the same for both:

       CAS_FN(name)              a name of this body's own
       CAS_K(s), CAS_V           as above; CAS_SIZE(s) = CAS_K(s) * CAS_V
       CAS_STRIDE(s)             from one k to the next in blocks: x, carry and coefficients
       CAS_GROUPS(first, s)      a loop over the groups of a block, each from lane `first` on
       CAS_WORKSPACE(arrays, s, work) declares workspace, `arrays` arrays of CAS_SIZE(s)
       CAS_FN(load)              an array from a block
       CAS_FN(advance)           adds an array to a block
       CAS_FN(size), CAS_FN(settled)  by what an iteration ends
       CAS_FN(count)             keeps the tally
       CAS_FN(turn_by_exp), ..   turns the attitude in a block, where CAS_HAS(ATTITUDE)
       CAS_FN(psi)               the system's psi, times the scheme's scale
       CAS_FN(psi_of_set)        a part of psi that the scheme asks for: s->sets.drift, ..
       CAS_FN(begin), CAS_FN(metric), kick, drag, thermostat  of positions and momenta
       CAS_FN(exponential)       Ad*_exp(xi) mu - mu, by terms of a series
       CAS_ALG(coadjoint), ..    operations of the algebra */
#ifndef CAS_STEP_H
#define CAS_STEP_H

#include "base/isa.h"
#include "base/lanes.h"

#define CAS_ALG(name) CAS_ISA_PASTE(SYS_ALGEBRA, CAS_ISA_PASTE(_, name))
#define CAS_FN(name) CAS_ISA_PASTE(SYS, CAS_ISA_PASTE(_, name))

/* body_body: the steps of the body `of`, of an algebra of any name, without some features */
#define CAS_BODY_WITHOUT(body, of, algebra_name, without)         \
  static const cas_body body##_body = {                           \
      .algebra = algebra_name,                                    \
      .features = (unsigned)of##_features & ~(unsigned)(without), \
      .steps = of##_steps,                                        \
      .psi = of##_psi_of_group,                                   \
      .lanes = CAS_GROUP_LANES,                                   \
  }

/* vectors that hold one path; states are padded with zeros to whole cache lines */
CAS_INLINE int cas_step_path_vectors(const cas_stepper *s) {
  return (s->geometry.components + 7) / 8 * (8 / CAS_VL);
}

/* Rounding of an iterate, relative to the largest component of a state: a few hundred units in its
   last place, because equations with a solution far from where a step begins make rounding errors
   larger. A change that still falls is never compared with this. */
#define CAS_STEP_ROUNDING 0x1p-44

enum { CAS_STEP_QUICK = 8 }; /* iterations that end most steps without a look at rounding */

/* ---- anderson.h ---- */

enum {
  CAS_ANDERSON_DEPTH =
      8, /* differences that are kept, of as many numbers: stiff forces need many */
  CAS_ANDERSON_ARRAYS = 5 + 2 * CAS_ANDERSON_DEPTH, /* of a group of lanes, or of one path */
  /* iterations, and as many again, one for each number of x, which a linear equation may take */
  CAS_ANDERSON_PATIENCE = 32
};

/* Rounding in units of CAS_STEP_ROUNDING, where images change more than x does. */
#define CAS_ANDERSON_STEEP 0x1p-6
/* The square of the part of a difference that has to be left by the newer ones. */
#define CAS_ANDERSON_INDEPENDENT 1e-12

typedef struct {
  const cas_stepper *s;
  int n, depth;               /* numbers of x, n * CAS_V vectors, and differences that are kept */
  cas_vec *x, *image, *start; /* the last is x at the beginning */
  cas_vec *residual, *next;   /* the last is workspace */
  /* differences of residuals and of images; the place of the oldest holds the last of either */
  cas_vec *residuals[CAS_ANDERSON_DEPTH], *images[CAS_ANDERSON_DEPTH];
  /* by vector: size of states, last and smallest change, and 1 in lanes not solved, else 0 */
  cas_vec size[CAS_GROUP_VECTORS], change[CAS_GROUP_VECTORS], steep[CAS_GROUP_VECTORS],
      least[CAS_GROUP_VECTORS], open[CAS_GROUP_VECTORS];
  int iterations, known; /* of the step, and differences since it began */
} cas_anderson;

/* ---- what fixed_point.h works on ---- */

enum {
  CAS_FIXED_POINT_ARRAYS = 6 + CAS_ANDERSON_ARRAYS,
  CAS_FIXED_POINT_LATE = 1000 /* the iteration from which on maps have to be exact */
};

/* Arrays of a group; `first` and `workspace`, of two arrays, are the scheme's own. */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef;
  cas_vec *xn, *d, *next, *point, *xi, *first, *workspace;
  int iterations;
} cas_fixed_point;

#endif
