/* Keys of double-bracket dissipation and of linear damping: cas_dissipation and cas_damping. */
#ifndef CAS_DISSIPATION_H
#define CAS_DISSIPATION_H

#include "math/kernels/kernels.h"

extern const cas_option CAS_ISA(cas_dissipation_options)[], CAS_ISA(cas_damping_options)[];

#define CAS_DISSIPATION_SECTION(object)                                                           \
  CAS_SECTION_OPTION("dissipation", offsetof(object, dissipation),                                \
                     CAS_ISA(cas_dissipation_options),                                            \
                     "double-bracket dissipation with noise of its own, which keep Casimirs and " \
                     "lead to the density exp(-H/kT) on the orbit; instead of other noise")

/* The section `damping`, and the slot of a system that has it. */
#define CAS_DAMPING_SECTION(object)                                                                \
  CAS_SECTION_OPTION("damping", offsetof(object, damping), CAS_ISA(cas_damping_options),           \
                     "linear damping of the whole state, by which a Casimir of degree k falls by " \
                     "exp(-k rate t)")
#define CAS_DAMPING(object)                             \
  static double damping_rate(const void *parameters_) { \
    return ((const object *)parameters_)->damping.rate; \
  }

static inline bool cas_dissipation_given(const cas_dissipation *d) { return d->theta > 0; }

/* The weights of matrices of su(N) whose bracket has the factor c: psi has it once, the double
   bracket twice and the brackets with the e_k once, so that a smooth field relaxes alike for all N
   where c makes its drift so. A component off the diagonal is the real or imaginary part of two
   entries. */
static inline void cas_dissipation_su_n(int N, double c, double *drag, double *noise) {
  for (int k = 0; k < N * N; k++) {
    drag[k] = c;
    noise[k] = k < N ? c : 0.70710678118654752440 * c;
  }
}

#endif
