/* Damping and forcing of Euler-Zeitlin. A coefficient w_lm of the vorticity X - F has

       dw = (-lambda_l w + f_lm) dt + s_l dB_lm,   lambda_l = nu (l(l+1) - 2)^p + mu,

   steady forcing f_lm and white forcing of the modes lmin <= l <= lmax, which gain the same energy
   in the mean, s_l^2 = 2 l(l+1) rate / modes. Viscosity leaves the angular momentum, l = 1,
   alone. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"

#include <stdio.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

const cas_option CAS_ISA(cas_sphere_exchange_options)[] = {
    {.key = "damping",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, damping),
     .fallback = "",
     .section = CAS_ISA(cas_fluid_damping_options),
     .help =
         "half a step before and after each step of the scheme; acts on the vorticity that is seen "
         "from the sphere"},
    {.key = "forcing",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, forcing),
     .fallback = "",
     .section = CAS_ISA(cas_fluid_forcing_options),
     .help = "forcing of the vorticity, in the same half steps"},
    {0}};

/* ---- checks ---- */

cas_status CAS_ISA(cas_sphere_exchange_check)(const cas_config *c, const cas_euler_zeitlin *p,
                                              cas_error *err) {
  const cas_vectors *rows = &p->forcing.steady;
  char path[64];
  CAS_CALL(CAS_ISA(cas_fluid_check)(c, &p->forcing, p->N - 1, "N - 1", err));
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    snprintf(path, sizeof path, "system.forcing.steady[%d]", i);
    if (!cas_fluid_is_whole(row[0], 1, (double)(p->N - 1)) ||
        !cas_fluid_is_whole(row[1], -row[0], row[0]))
      return cas_config_fail(
          c, err, path,
          "found l = %g, m = %g, must be integers with 1 <= l <= N - 1 = %lld and "
          "-l <= m <= l",
          row[0], row[1], (long long)p->N - 1);
  }
  return CAS_OK;
}

/* ---- what acts ---- */

static bool acts(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_fluid_acts(&p->damping, &p->forcing);
}

static bool is_friction_alone(const parameters *p) {
  return p->rotation == 0 && cas_fluid_is_friction_alone(&p->damping, &p->forcing);
}

static double decay(const void *parameters_) {
  const parameters *p = parameters_;
  return is_friction_alone(p) ? p->damping.friction : NAN;
}

static int kicks(const void *parameters_) { return cas_sphere_kicks(parameters_); }

static void rates(const void *parameters_, double *rate) {
  const parameters *p = parameters_;
  const cas_fluid_white *w = &p->forcing.white;
  for (int l = (int)w->lmin, i = 0; l <= w->lmax; l++)
    for (int m = -l; m <= l; m++)
      rate[i++] = cas_sphere_rate(p, l);
}

/* ---- the exact flow ---- */

/* change[mode * W + lane] of w where it does not depend on w: forcing, and damping towards F
   instead of 0 */
static void find_gain(const parameters *p, int W, double h, const double *kick, double *gain) {
  const cas_vectors *rows = &p->forcing.steady;
  const cas_fluid_white *white = &p->forcing.white;
  memset(gain, 0, (size_t)((p->N * p->N - 1) * W) * sizeof *gain);
  for (int lane = 0; lane < W; lane++)
    gain[cas_hoppe_yau_mode(1, 0) * W + lane] =
        -expm1(-cas_sphere_rate(p, 1) * h) * cas_euler_zeitlin_coriolis(p);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i,
                 time = cas_fluid_time(cas_sphere_rate(p, (int)row[0]), h);
    for (int lane = 0; lane < W; lane++)
      gain[cas_hoppe_yau_mode((int)row[0], (int)row[1]) * W + lane] += row[2] * time;
  }
  for (int l = (int)white->lmin, i = 0; white->rate > 0 && l <= white->lmax; l++) {
    const double strength = cas_fluid_strength(l * (l + 1.0), white, kicks(p));
    for (int m = -l; m <= l; m++, i++)
      for (int lane = 0; lane < W; lane++)
        gain[cas_hoppe_yau_mode(l, m) * W + lane] += strength * kick[i * W + lane];
  }
}

static size_t workspace_size(const void *parameters_, int W) {
  const parameters *p = parameters_;
  const size_t modes = (size_t)(p->N * p->N + 7) / 8 * 8;
  if (is_friction_alone(p))
    return 0;
  return W == 1 ? CAS_ISA(cas_euler_zeitlin_path_change_size)(p) + 2 * modes
                : modes * (2 * (size_t)W + 2 * CAS_GROUP_LANES);
}

/* The groups of lanes of a block. */
static void change_across(const parameters *p, int W, double h, double *gain, double *x,
                          double *scale, double *groups) {
  const int n = (int)(p->N * p->N);
  double *from = groups, *change = groups + n * CAS_GROUP_LANES;
  for (int l = 1; l < p->N; l++)
    for (int i = cas_hoppe_yau_mode(l, -l) * W; i < (cas_hoppe_yau_mode(l, l) + 1) * W; i++)
      scale[i] = expm1(-cas_sphere_rate(p, l) * h);
  for (int first = 0; first < W; first += CAS_GROUP_LANES) {
    for (int k = 0; k < n; k++)
      memcpy(from + k * CAS_GROUP_LANES, x + k * W + first, CAS_GROUP_LANES * sizeof *x);
    CAS_ISA(cas_euler_zeitlin_transform)
    (p, (cas_lanes){scale + first, W}, (cas_lanes){gain + first, W}, from, change);
    for (int k = 0; k < n; k++)
      for (int lane = 0; lane < CAS_GROUP_LANES; lane++)
        x[k * W + first + lane] += change[k * CAS_GROUP_LANES + lane];
  }
}

static void change_alone(const parameters *p, double h, const double *gain, double *x,
                         double *workspace) {
  const int n = (int)(p->N * p->N);
  double scale[CAS_HOPPE_YAU_MOST], *change = workspace + (n + 7) / 8 * 8;
  scale[0] = 0;
  for (int l = 1; l < p->N; l++)
    scale[l] = expm1(-cas_sphere_rate(p, l) * h);
  CAS_ISA(cas_euler_zeitlin_path_change)(p, scale, gain, x, change + (n + 7) / 8 * 8, change);
  for (int k = 0; k < n; k++)
    x[k] += change[k];
}

static void flow(const void *parameters_, int W, double h, const double *kick, double *x,
                 double *workspace) {
  const parameters *p = parameters_;
  const int n = (int)(p->N * p->N), modes = (n + 7) / 8 * 8;
  const double kept = exp(-p->damping.friction * h);
  if (is_friction_alone(p)) {
    for (int i = 0; i < n * W; i++)
      x[i] *= kept;
    return;
  }
  find_gain(p, W, h, kick, workspace);
  if (W == 1)
    change_alone(p, h, workspace, x, workspace);
  else
    change_across(p, W, h, workspace, x, workspace + modes * W, workspace + 2 * modes * W);
}

const cas_exchange CAS_ISA(cas_sphere_exchange) = {.acts = acts,
                                                   .decay = decay,
                                                   .kicks = kicks,
                                                   .rates = rates,
                                                   .workspace = workspace_size,
                                                   .flow = flow};
