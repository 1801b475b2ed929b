#include "systems/fluid.h"

#include <float.h>

const cas_option CAS_ISA(cas_fluid_damping_options)[] = {
    CAS_OPTION(
        cas_fluid_damping, REAL, viscosity, .fallback = "0", .high = DBL_MAX,
        .help = "nu: modes are damped at the rate nu e^power + friction; e is |n|^2 on the torus, "
                "l(l+1) - 2 on the sphere"),
    CAS_OPTION(cas_fluid_damping, REAL, power, .fallback = "1", .open_low = true, .high = 64,
               .help = "p: 1 of viscosity, more of hyperviscosity"),
    CAS_OPTION(cas_fluid_damping, REAL, friction, .fallback = "0", .high = DBL_MAX,
               .help = "mu: rate of damping of all modes"),
    {0}};

static const cas_option white_options[] = {
    CAS_OPTION(cas_fluid_white, INT, lmin, .low = 1, .high = INFINITY,
               .help = "lowest degree, or shell"),
    CAS_OPTION(cas_fluid_white, INT, lmax, .low = 1, .high = INFINITY,
               .help = "highest degree, or shell"),
    CAS_OPTION(cas_fluid_white, REAL, rate, .open_low = true, .high = DBL_MAX,
               .help = "mean rate at which all of these modes together gain energy"),
    {0}};

const cas_option CAS_ISA(cas_fluid_forcing_options)[] = {
    CAS_OPTION(cas_fluid_forcing, VECTORS, steady, .fallback = "",
               .help = "rows [l, m, value], or [n1, n2, value]: steady forcing of modes"),
    {.key = "white",
     .type = CAS_SECTION,
     .offset = offsetof(cas_fluid_forcing, white),
     .fallback = "",
     .section = white_options,
     .help = "white noise in time, of the modes of degrees, or shells, lmin .. lmax"},
    {0}};

cas_status CAS_ISA(cas_fluid_check)(const cas_config *c, const cas_fluid_forcing *f, int64_t most,
                                    const char *right, cas_error *err) {
  const cas_fluid_white *w = &f->white;
  if (f->steady.rows && f->steady.columns != 3)
    return cas_config_fail(c, err, "system.forcing.steady",
                           "found rows of %d numbers, must be rows of two indices and a value",
                           f->steady.columns);
  if (w->rate > 0 && (w->lmin > w->lmax || w->lmax > most))
    return cas_config_fail(c, err, "system.forcing.white",
                           "found %lld .. %lld, must be ascending and at most %s = %lld",
                           (long long)w->lmin, (long long)w->lmax, right, (long long)most);
  return CAS_OK;
}

void CAS_ISA(cas_fluid_powers)(int N, double *out) {
  for (int i = 0; i < cas_fluid_traces(N); i++)
    out[i] = i + 2;
}

void CAS_ISA(cas_fluid_traces_find)(int N, int W, const double *eigenvalue, double *out) {
  for (int k = 2; k < cas_fluid_traces(N) + 2; k++) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
      double power = 1;
      for (int j = 0; j < k; j++)
        power *= eigenvalue[i * W];
      sum += power;
    }
    out[(k - 2) * W] = sum;
  }
}
