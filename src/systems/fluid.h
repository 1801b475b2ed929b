/* Damping and forcing that fluids have in common. The vorticity has real, orthonormal modes, of
   which -Lap has the eigenvalue `laplacian`; the coefficient w of a mode has

       dw = (-lambda w + f) dt + s dB,   lambda = nu e^p + mu,   s^2 = 2 laplacian rate/kicks,

   with steady forcing f, and white forcing, which gives `kicks` modes the same energy. The e of
   viscosity is the laplacian, on the sphere less that of the angular momentum. */
#ifndef CAS_FLUID_H
#define CAS_FLUID_H

#include "kernels/kernels.h"

#include <math.h>

typedef struct {
  double viscosity, power, friction;
} cas_fluid_damping;

/* White noise in time that forces the modes of these degrees, or shells. */
typedef struct {
  int64_t lmin, lmax;
  double rate; /* of energy */
} cas_fluid_white;

typedef struct {
  cas_vectors steady; /* rows of two indices and a value */
  cas_fluid_white white;
} cas_fluid_forcing;

/* What damping and forcing change the energy and the enstrophy by: forcing, viscosity, friction. */
enum { CAS_FLUID_TERMS = 3 };

extern const cas_option CAS_ISA(cas_fluid_damping_options)[], CAS_ISA(cas_fluid_forcing_options)[];

/* Checks rows of forcing for their length alone, and the degrees of white forcing, at most `most`;
   `right` says what that is: "N - 1". */
cas_status CAS_ISA(cas_fluid_check)(const cas_config *c, const cas_fluid_forcing *f, int64_t most,
                                    const char *right, cas_error *err);

static inline bool cas_fluid_acts(const cas_fluid_damping *d, const cas_fluid_forcing *f) {
  return d->viscosity > 0 || d->friction > 0 || f->steady.rows > 0 || f->white.rate > 0;
}

/* The axis of a balance, and the reason why there is none. */
static inline int cas_fluid_along_balance(const void *parameters_ CAS_UNUSED, cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "term",
                       .summary = "what changes it: forcing, viscosity, friction",
                       .unit = "1",
                       .length = CAS_FLUID_TERMS,
                       .labels = "input viscosity friction"};
  return 1;
}

static inline const char *cas_fluid_no_balance(const cas_fluid_damping *d,
                                               const cas_fluid_forcing *f) {
  return cas_fluid_acts(d, f) ? NULL : "there is no damping or forcing";
}

/* Whether all modes have the same decay and nothing else. */
static inline bool cas_fluid_is_friction_alone(const cas_fluid_damping *d,
                                               const cas_fluid_forcing *f) {
  return d->viscosity == 0 && f->steady.rows == 0 && f->white.rate == 0;
}

static inline double cas_fluid_rate(const cas_fluid_damping *d, double e) {
  const double viscous = e > 0 ? pow(e, d->power) : 0;
  return d->viscosity * viscous + d->friction;
}

/* The integral of exp(-rate t) over the time h. */
static inline double cas_fluid_time(double rate, double h) {
  return rate > 0 ? -expm1(-rate * h) / rate : h;
}

static inline double cas_fluid_strength(double laplacian, const cas_fluid_white *w, int kicks) {
  return sqrt(2 * laplacian * w->rate / kicks);
}

/* Traces of powers of the matrix of a vorticity: of k = 2 .. 10, at most N. */
static inline int cas_fluid_traces(int N) { return N < 10 ? N - 1 : 9; }
void CAS_ISA(cas_fluid_powers)(int N, double *out);
/* out[k - 2], with the stride W, is the sum of eigenvalue^k. */
void CAS_ISA(cas_fluid_traces_find)(int N, int W, const double *eigenvalue, double *out);
static inline cas_axis cas_fluid_power_axis(int N, void (*powers)(const void *, double *)) {
  return (cas_axis){.name = "power",
                    .summary = "power k",
                    .unit = "1",
                    .length = N ? cas_fluid_traces(N) : 0,
                    .coordinates = powers};
}

static inline cas_axis cas_fluid_eigenvalue_axis(int N) {
  return (cas_axis){.name = "eigenvalue",
                    .summary = "number of the eigenvalue, in ascending order",
                    .unit = "1",
                    .length = N};
}

static inline bool cas_fluid_is_whole(double a, double low, double high) {
  return a >= low && a <= high && a == nearbyint(a);
}

#endif
