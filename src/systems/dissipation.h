/* Keys of double-bracket dissipation, which systems have in common: cas_dissipation. */
#ifndef CAS_DISSIPATION_H
#define CAS_DISSIPATION_H

#include "kernels/kernels.h"

extern const cas_option CAS_ISA(cas_dissipation_options)[];

/* The section `dissipation`, whose values are in the member of that name. */
#define CAS_DISSIPATION_SECTION(object)                                                          \
  {                                                                                              \
    .key = "dissipation", .type = CAS_SECTION, .offset = offsetof(object, dissipation),          \
    .fallback = "", .section = CAS_ISA(cas_dissipation_options),                                 \
    .help = "double-bracket dissipation with noise of its own, which keep Casimirs and lead to " \
            "the density exp(-H/kT) on the orbit; instead of other noise"                        \
  }

static inline bool cas_dissipation_given(const cas_dissipation *d) { return d->theta > 0; }

/* The weights of matrices of su(N): a component off the diagonal is the real or imaginary part of
   two entries. */
static inline void cas_dissipation_su_n(int N, double *noise) {
  for (int k = N; k < N * N; k++)
    noise[k] = 0.70710678118654752440;
}

#endif
