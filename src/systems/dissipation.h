/* Keys of double-bracket dissipation and of linear damping: cas_dissipation and cas_damping. */
#ifndef CAS_DISSIPATION_H
#define CAS_DISSIPATION_H

#include "math/kernels/kernels.h"

static const cas_option cas_dissipation_options[] = {
    CAS_OPTION(cas_dissipation, REAL, theta, .fallback = "", .high = DBL_MAX,
               .help = "factor of the dissipation theta ad*_{grad H} X; 0: none"),
    CAS_OPTION(cas_dissipation, REAL, kT, .fallback = "", .high = DBL_MAX,
               .help = "temperature of the noises sigma e_k, sigma^2 = 2 theta kT, one for each "
                       "e_k of an orthonormal basis of the algebra; 0: no noise"),
    {0}};

static const cas_option cas_damping_options[] = {
    CAS_OPTION(cas_damping, REAL, rate, .fallback = "", .high = DBL_MAX,
               .help = "of -rate x beside the bracket; 0: none"),
    {0}};

#define CAS_DISSIPATION_SECTION(object)                                                           \
  CAS_SECTION_OPTION("dissipation", offsetof(object, dissipation), cas_dissipation_options,       \
                     "double-bracket dissipation with noise of its own, which keep Casimirs and " \
                     "lead to the density exp(-H/kT) on the orbit; instead of other noise")

/* The section `damping`, and the slot of a system that has it. */
#define CAS_DAMPING_SECTION(object)                                                                \
  CAS_SECTION_OPTION("damping", offsetof(object, damping), cas_damping_options,                    \
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
