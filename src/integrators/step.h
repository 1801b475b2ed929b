/* What the text of a scheme is made of (docs/extending.md). Inside a step, arrays hold a group of
   lanes or a part of one path, a[k * CAS_V + u] with k < CAS_K(s) and u < CAS_V, so that
   elementwise loops are the same for both:

       CAS_FN(name)              a name of this body's own
       CAS_K(s), CAS_V           as above; CAS_SIZE(s) = CAS_K(s) * CAS_V
       CAS_STRIDE(s)             from one k to the next in blocks: x, carry and coefficients
       CAS_GROUPS(first, s)      a loop over the groups of a block, each from lane `first` on
       CAS_WORKSPACE(arrays, s, work) declares workspace, so many arrays of CAS_SIZE(s)
       CAS_FN(load)              an array from a block
       CAS_FN(advance)           adds an array to a block
       CAS_FN(count)             keeps the tally
       CAS_FN(turn_by_exp), ..   turns the attitude in a block, where CAS_HAS(ATTITUDE)
       CAS_FN(psi)               the system's psi, times the scheme's scale
       CAS_FN(psi_of_set)        a part of psi that the scheme asks for: s->sets.drift, ..
       CAS_FN(begin), CAS_FN(metric), kick, drag, thermostat  of positions and momenta
       CAS_FN(exponential)       Ad*_exp(xi) mu - mu, of a series so many terms
       CAS_ALG(coadjoint), ..    operations of the algebra */
#ifndef CAS_STEP_H
#define CAS_STEP_H

#include "base/isa.h"
#include "base/lanes.h"

#define CAS_ALG(name) CAS_ISA_PASTE(SYS_ALGEBRA, CAS_ISA_PASTE(_, name))
#define CAS_FN(name) CAS_ISA_PASTE(SYS, CAS_ISA_PASTE(_, name))

/* body_body: the steps of the body `of`, of an algebra of any name, without some of their
   features */
#define CAS_BODY_WITHOUT(body, of, algebra_name, without)         \
  static const cas_body body##_body = {                           \
      .algebra = algebra_name,                                    \
      .features = (unsigned)of##_features & ~(unsigned)(without), \
      .steps = of##_steps,                                        \
      .psi = of##_psi_of_group,                                   \
      .lanes = CAS_GROUP_LANES,                                   \
  };

/* vectors that hold one path; states are padded with zeros to whole cache lines */
CAS_INLINE int cas_step_path_vectors(const cas_stepper *s) {
  return (s->geometry.components + 7) / 8 * (8 / CAS_VL);
}

/* what fixed_point.h works on */
enum { CAS_FIXED_POINT_ARRAYS = 8 };

/* arrays of a group; `first` is of the scheme's own, and so is `workspace`, of two arrays */
typedef struct {
  const cas_stepper *s;
  cas_lanes coef;
  cas_vec *xn, *d, *next, *point, *xi, *first, *workspace;
  int iterations;
} cas_fixed_point;

#endif
