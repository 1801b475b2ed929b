/* Damping and forcing of Euler-Zeitlin. A coefficient w_lm of the vorticity X - F has

       dw = (-lambda_l w + f_lm) dt + s_l dB_lm,   lambda_l = nu (l(l+1) - 2)^p + mu,

   steady forcing f_lm and white forcing of the modes lmin <= l <= lmax, each of which gains the
   same energy in the mean, s_l^2 = 2 l(l+1) rate / modes. Viscosity leaves the angular momentum, l
   = 1, alone. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

static const cas_option damping_options[] = {
    CAS_OPTION(cas_sphere_damping, REAL, viscosity, .fallback = "0", .high = DBL_MAX,
               .help = "nu: w_lm is damped at the rate nu (l(l+1) - 2)^power + friction"),
    CAS_OPTION(cas_sphere_damping, REAL, power, .fallback = "1", .open_low = true, .high = 64,
               .help = "p: 1 of viscosity, more of hyperviscosity"),
    CAS_OPTION(cas_sphere_damping, REAL, friction, .fallback = "0", .high = DBL_MAX,
               .help = "mu: rate of damping of all degrees"),
    {0}};

static const cas_option white_options[] = {
    CAS_OPTION(cas_sphere_white, INT, lmin, .low = 1, .high = INFINITY, .help = "lowest degree"),
    CAS_OPTION(cas_sphere_white, INT, lmax, .low = 1, .high = INFINITY, .help = "highest degree"),
    CAS_OPTION(cas_sphere_white, REAL, rate, .open_low = true, .high = DBL_MAX,
               .help = "mean rate at which all of these modes together gain energy"),
    {0}};

static const cas_option forcing_options[] = {
    CAS_OPTION(cas_sphere_forcing, VECTORS, steady, .fallback = "",
               .help = "rows [l, m, value]: steady forcing of w_lm"),
    {.key = "white",
     .type = CAS_SECTION,
     .offset = offsetof(cas_sphere_forcing, white),
     .fallback = "",
     .section = white_options,
     .help = "white noise in time, of the modes of degrees lmin .. lmax"},
    {0}};

const cas_option CAS_ISA(cas_sphere_exchange_options)[] = {
    {.key = "damping",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, damping),
     .fallback = "",
     .section = damping_options,
     .help =
         "half a step before and after each step of the scheme; acts on the vorticity that is seen "
         "from the sphere"},
    {.key = "forcing",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, forcing),
     .fallback = "",
     .section = forcing_options,
     .help = "forcing of the vorticity, in the same half steps"},
    {0}};

/* ---- checks ---- */

static bool is_whole(double a, double low, double high) {
  return a >= low && a <= high && a == nearbyint(a);
}

static cas_status check_steady(const cas_config *c, const parameters *p, cas_error *err) {
  const cas_vectors *rows = &p->forcing.steady;
  char path[64];
  if (rows->rows && rows->columns != 3)
    return cas_config_fail(c, err, "system.forcing.steady",
                           "found rows of %d numbers, must be rows [l, m, value]", rows->columns);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    snprintf(path, sizeof path, "system.forcing.steady[%d]", i);
    if (!is_whole(row[0], 1, (double)(p->N - 1)) || !is_whole(row[1], -row[0], row[0]))
      return cas_config_fail(
          c, err, path,
          "found l = %g, m = %g, must be integers with 1 <= l <= N - 1 = %lld and "
          "-l <= m <= l",
          row[0], row[1], (long long)p->N - 1);
  }
  return CAS_OK;
}

cas_status CAS_ISA(cas_sphere_exchange_check)(const cas_config *c, const cas_euler_zeitlin *p,
                                              cas_error *err) {
  const cas_sphere_white *w = &p->forcing.white;
  CAS_CALL(check_steady(c, p, err));
  if (w->rate > 0 && (w->lmin > w->lmax || w->lmax > p->N - 1))
    return cas_config_fail(c, err, "system.forcing.white",
                           "found degrees %lld .. %lld, must be ascending and at most N - 1 = %lld",
                           (long long)w->lmin, (long long)w->lmax, (long long)p->N - 1);
  return CAS_OK;
}

/* ---- what acts ---- */

static bool acts(const void *parameters_) {
  const parameters *p = parameters_;
  return p->damping.viscosity > 0 || p->damping.friction > 0 || p->forcing.steady.rows > 0 ||
         p->forcing.white.rate > 0;
}

static bool is_friction_alone(const parameters *p) {
  return p->damping.viscosity == 0 && p->forcing.steady.rows == 0 && p->forcing.white.rate == 0 &&
         p->rotation == 0;
}

static double decay(const void *parameters_) {
  const parameters *p = parameters_;
  return is_friction_alone(p) ? p->damping.friction : NAN;
}

static int kicks(const void *parameters_) {
  const cas_sphere_white *w = &((const parameters *)parameters_)->forcing.white;
  return w->rate > 0 ? (int)((w->lmax + 1) * (w->lmax + 1) - w->lmin * w->lmin) : 0;
}

static double rate_of(const parameters *p, int l) {
  const double viscous = l > 1 ? pow(l * (l + 1.0) - 2, p->damping.power) : 0;
  return p->damping.viscosity * viscous + p->damping.friction;
}

static void rates(const void *parameters_, double *rate) {
  const parameters *p = parameters_;
  const cas_sphere_white *w = &p->forcing.white;
  for (int l = (int)w->lmin, i = 0; l <= w->lmax; l++)
    for (int m = -l; m <= l; m++)
      rate[i++] = rate_of(p, l);
}

/* ---- the exact flow ---- */

/* change[mode * W + lane] of w where it does not depend on w: forcing, and damping towards F
   instead of 0 */
static void find_gain(const parameters *p, int W, double h, const double *kick, double *gain) {
  const cas_vectors *rows = &p->forcing.steady;
  const cas_sphere_white *white = &p->forcing.white;
  memset(gain, 0, (size_t)((p->N * p->N - 1) * W) * sizeof *gain);
  for (int lane = 0; lane < W; lane++)
    gain[cas_hoppe_yau_mode(1, 0) * W + lane] =
        -expm1(-rate_of(p, 1) * h) * cas_euler_zeitlin_coriolis(p);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i, rate = rate_of(p, (int)row[0]),
                 time = rate > 0 ? -expm1(-rate * h) / rate : h;
    for (int lane = 0; lane < W; lane++)
      gain[cas_hoppe_yau_mode((int)row[0], (int)row[1]) * W + lane] += row[2] * time;
  }
  for (int l = (int)white->lmin, i = 0; white->rate > 0 && l <= white->lmax; l++) {
    const double strength = sqrt(2 * l * (l + 1.0) * white->rate / kicks(p));
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
      scale[i] = expm1(-rate_of(p, l) * h);
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
    scale[l] = expm1(-rate_of(p, l) * h);
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
