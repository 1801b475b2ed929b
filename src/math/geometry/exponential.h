/* The exponential function of vectors, for arguments up to 700. */
#ifndef CAS_EXPONENTIAL_H
#define CAS_EXPONENTIAL_H

#include "base/lanes.h"

/* exp(x) = 2^n exp(r) with |r| <= log(2)/2, where 14 terms of the series are exact to rounding.
   Below -708, where powers of 2 end, it is that of -708; a NaN stays one. */
CAS_INLINE cas_vec cas_exponential(cas_vec x_) {
  const double to_integer = 0x1.8p52, log2_high = 0x1.62e42fefa3800p-1,
               log2_low = 0x1.ef35793c76730p-45;
  cas_vec x = cas_vec_max(cas_vec_splat(-708), x_), shifted = x * 0x1.71547652b82fep0 + to_integer,
          n = shifted - to_integer, r = (x - n * log2_high) - n * log2_low, sum = cas_vec_splat(1);
  for (int j = 13; j > 0; j--)
    sum = 1.0 + sum * r * (1.0 / j);
  cas_ivec exponent = (cas_ivec)(n + (to_integer + 1023)) << 52;
  return sum * (cas_vec)exponent;
}

#endif
