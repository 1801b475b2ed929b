/* Damping and forcing of the sine-bracket Euler equations (fluid.h). The orthonormal modes of the
   vorticity are sqrt 2 times the real and the imaginary parts of the omega_n that files hold. */
#include "systems/sine_euler.h"

#include <stdio.h>
#include <string.h>

typedef cas_sine_euler parameters;

const cas_option CAS_ISA(cas_sine_euler_exchange_options)[] = {
    {.key = "damping",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, damping),
     .fallback = "",
     .section = CAS_ISA(cas_fluid_damping_options),
     .help = "half a step before and after each step of the scheme"},
    {.key = "forcing",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, forcing),
     .fallback = "",
     .section = CAS_ISA(cas_fluid_forcing_options),
     .help =
         "forcing of the vorticity, in the same half steps; a row [n1, n2, value] by value times 2 "
         "cos(n.x) where n1 > 0, or n1 = 0 and n2 > 0, else 2 sin(-n.x)"},
    {0}};

cas_status CAS_ISA(cas_sine_euler_exchange_check)(const cas_config *c, const cas_sine_euler *p,
                                                  cas_error *err) {
  const cas_vectors *rows = &p->forcing.steady;
  const int r = (int)(p->N / 2);
  char path[64], right[100];
  CAS_CALL(CAS_ISA(cas_fluid_check)(c, &p->forcing, cas_sine_euler_shell(r, r),
                                    "the highest shell |n|", err));
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    snprintf(path, sizeof path, "system.forcing.steady[%d]", i);
    if (!CAS_ISA(cas_sine_euler_is_mode)(p, row, right, sizeof right))
      return cas_config_fail(c, err, path, "found n = [%g, %g], must be %s", row[0], row[1], right);
  }
  return CAS_OK;
}

/* ---- what acts ---- */

static bool acts(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_fluid_acts(&p->damping, &p->forcing);
}

static double decay(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_fluid_is_friction_alone(&p->damping, &p->forcing) ? p->damping.friction : NAN;
}

static bool is_white(const parameters *p, int n1, int n2) {
  const cas_fluid_white *w = &p->forcing.white;
  const int shell = cas_sine_euler_shell(n1, n2);
  return w->rate > 0 && shell >= w->lmin && shell <= w->lmax;
}

/* Two kicks for each mode of these shells, in the order of files. */
int CAS_ISA(cas_sine_euler_kicks)(const cas_sine_euler *p) {
  const int r = (int)(p->N / 2);
  int kicks = 0;
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++)
      kicks += is_white(p, n1, n2) ? 2 : 0;
  return kicks;
}

static int kicks(const void *parameters_) { return CAS_ISA(cas_sine_euler_kicks)(parameters_); }

static void rates(const void *parameters_, double *rate) {
  const parameters *p = parameters_;
  const int r = (int)(p->N / 2);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++)
      for (int part = 0; is_white(p, n1, n2) && part < 2; part++)
        *rate++ = cas_fluid_rate(&p->damping, n1 * n1 + n2 * n2);
}

/* ---- the exact flow ---- */

static size_t workspace_size(const void *parameters_, int W) {
  const parameters *p = parameters_;
  return decay(p) >= 0 ? 0 : 2 * (size_t)(p->N * p->N * W + 8);
}

/* omega becomes its change without forcing, and by white forcing. */
static void change_modes(const parameters *p, int W, double h, const double *kick, double *omega) {
  const int r = (int)(p->N / 2), n = CAS_ISA(cas_sine_euler_kicks)(p);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++) {
      const double laplacian = n1 * n1 + n2 * n2,
                   scale = expm1(-cas_fluid_rate(&p->damping, laplacian) * h),
                   strength = n ? cas_fluid_strength(laplacian, &p->forcing.white, n) : 0;
      const bool white = is_white(p, n1, n2);
      for (int i = 0; i < 2 * W; i++)
        omega[i] = scale * omega[i] + (white ? sqrt(0.5) * strength * kick[i] : 0);
      omega += 2 * W;
      kick += white ? 2 * W : 0;
    }
}

static void add_steady(const parameters *p, int W, double h, double *omega) {
  const cas_vectors *rows = &p->forcing.steady;
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    const int n1 = (int)row[0], n2 = (int)row[1];
    const double rate = cas_fluid_rate(&p->damping, n1 * n1 + n2 * n2);
    double sign, *to;
    /* 2 sin(q.x) is -i exp(i q.x) and its conjugate */
    to = omega + 2 * W * cas_sine_euler_find((int)p->N, n1, n2, &sign) + (sign < 0 ? W : 0);
    for (int lane = 0; lane < W; lane++)
      to[lane] += sign * row[2] * cas_fluid_time(rate, h);
  }
}

static void flow(const void *parameters_, int W, double h, const double *kick, double *x,
                 double *workspace) {
  const parameters *p = parameters_;
  const int n = (int)(p->N * p->N) * W;
  double *omega = workspace, *change = workspace + (n + 7) / 8 * 8;
  const double kept = exp(-p->damping.friction * h);
  if (decay(p) >= 0) {
    for (int i = 0; i < n; i++)
      x[i] *= kept;
    return;
  }
  CAS_ISA(cas_sine_euler_modes_of)(p, W, x, omega);
  change_modes(p, W, h, kick, omega);
  add_steady(p, W, h, omega);
  CAS_ISA(cas_sine_euler_state_of)(p, W, omega, change);
  for (int i = 0; i < n; i++)
    x[i] += change[i];
}

const cas_exchange CAS_ISA(cas_sine_euler_exchange) = {.acts = acts,
                                                       .decay = decay,
                                                       .kicks = kicks,
                                                       .rates = rates,
                                                       .workspace = workspace_size,
                                                       .flow = flow};
