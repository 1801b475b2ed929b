/* dp = -rate p dt + sigma dW during h, exactly: p becomes decay p + noise sigma dW in law, where dW
   is the increment during h, with which the path goes as well, up to order 1. */
#ifndef CAS_ORNSTEIN_UHLENBECK_H
#define CAS_ORNSTEIN_UHLENBECK_H

#include <math.h>

typedef struct {
  double decay, noise;
} cas_ornstein_uhlenbeck;

static inline cas_ornstein_uhlenbeck cas_ornstein_uhlenbeck_of(double rate, double h) {
  double x = rate * h;
  return (cas_ornstein_uhlenbeck){exp(-x), x > 0 ? sqrt(-expm1(-2 * x) / (2 * x)) : 1};
}

/* The given amplitude of noise or, if that is infinite, that of the temperature. */
static inline double cas_ornstein_uhlenbeck_amplitude(double given, double friction,
                                                      double temperature) {
  return isinf(given) ? sqrt(2 * friction * temperature) : given;
}

#endif
