#include "systems/fluid.h"

#include "base/scratch.h"
#include "math/algebra/su_n.h"
#include "systems/dissipation.h"

static const cas_option damping_options[] = {
    CAS_OPTION(cas_fluid_damping, REAL, viscosity, .fallback = "0", .high = DBL_MAX,
               .help = "nu: modes are damped at the rate nu e^power + friction; e is |n|^2 on the "
                       "torus, l(l+1) - 2 on the sphere"),
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

static const cas_option forcing_options[] = {
    CAS_OPTION(cas_fluid_forcing, VECTORS, steady, .fallback = "",
               .help = "rows [l, m, value], or [n1, n2, value]: steady forcing of modes"),
    CAS_SECTION_OPTION("white", offsetof(cas_fluid_forcing, white), white_options,
                       "white noise in time, of the modes of degrees, or shells, lmin .. lmax"),
    {0}};

const cas_option CAS_ISA(cas_fluid_exchange_options)[] = {
    CAS_SECTION_OPTION("damping", offsetof(cas_fluid, damping), damping_options,
                       "half a step before and after each step of the scheme; acts on the "
                       "vorticity that is seen from the sphere"),
    CAS_SECTION_OPTION(
        "forcing", offsetof(cas_fluid, forcing), forcing_options,
        "forcing of the vorticity, in the same half steps; on the torus a row [n1, n2, value] by "
        "value times 2 cos(n.x) where n1 > 0, or n1 = 0 and n2 > 0, else 2 sin(-n.x)"),
    {0}};

cas_status CAS_ISA(cas_fluid_check_mode)(const cas_config *c, const cas_fluid *f, const char *path,
                                         const char *name, const double *index, cas_error *err) {
  char wrong[120];
  CAS_REFUSE(c, !f->surface->is_mode(f, name, index, wrong, sizeof wrong), path, "%s", wrong);
  return CAS_OK;
}

cas_status CAS_ISA(cas_fluid_check_forcing)(const cas_config *c, const cas_fluid *f,
                                            cas_error *err) {
  const cas_fluid_white *w = &f->forcing.white;
  const cas_vectors *rows = &f->forcing.steady;
  char path[64];
  CAS_REFUSE(c, rows->rows && rows->columns != 3, "system.forcing.steady",
             "found rows of %d numbers, must be rows of two indices and a value", rows->columns);
  CAS_REFUSE(c, w->rate > 0 && (w->lmin > w->lmax || w->lmax > f->bands), "system.forcing.white",
             "found %lld .. %lld, must be ascending and at most %s = %d", (long long)w->lmin,
             (long long)w->lmax, f->surface->highest, f->bands);
  for (int i = 0; i < rows->rows; i++) {
    snprintf(path, sizeof path, "system.forcing.steady[%d]", i);
    CAS_CALL(CAS_ISA(cas_fluid_check_mode)(c, f, path, "n = ", rows->value + 3 * i, err));
  }
  return CAS_OK;
}

cas_status CAS_ISA(cas_fluid_add_levels)(cas_fluid *f, int levels, cas_error *err) {
  f->levels = levels;
  f->level = malloc((size_t)levels * sizeof *f->level);
  return f->level ? CAS_OK : cas_no_memory(err);
}

void CAS_ISA(cas_fluid_free)(cas_fluid *f) {
  free(f->level);
  free(f->wave);
  free(f->rest);
}

size_t CAS_ISA(cas_fluid_bytes)(const cas_fluid *f) {
  return (size_t)f->levels * sizeof *f->level +
         (size_t)(f->waves + f->pair_waves) * sizeof *f->wave +
         (f->rest ? (size_t)(f->N * f->N) * sizeof *f->rest : 0);
}

void CAS_ISA(cas_fluid_geometry)(const void *fluid, int *n, int *factors) {
  *n = (int)((const cas_fluid *)fluid)->N;
  *factors = 1;
}

void CAS_ISA(cas_fluid_weights)(const void *fluid, double *drag, double *noise) {
  const cas_fluid *f = fluid;
  cas_dissipation_su_n((int)f->N, f->bracket, drag, noise);
}

static int number_of(const cas_fluid *f, int i) {
  return f->surface->number ? f->surface->number(f, i) : i;
}

/* Normals go by numbers of coefficients: states of all N have the same ones, but for the norm. */
void CAS_ISA(cas_fluid_random)(const void *fluid, double norm, double *x) {
  const cas_fluid *f = fluid;
  const int n = cas_fluid_coefficients(f);
  CAS_OWNED double *omega = cas_scratch_for(n, f->N * f->N, x);
  double square = 0;
  if (!omega)
    return;
  for (int i = 0; i < n; i++)
    omega[i] = x[number_of(f, i)];
  f->surface->state(f, omega, x);
  CAS_ISA(cas_su_n_norm2)((int)f->N, 1, x, &square);
  for (int k = 0; k < f->N * f->N; k++)
    x[k] *= norm / sqrt(square);
}

void CAS_ISA(cas_fluid_cut)(const void *from_, const double *x, const void *to_, double *out) {
  const cas_fluid *from = from_, *to = to_;
  const int n = cas_fluid_coefficients(from), kept = cas_fluid_coefficients(to);
  CAS_OWNED double *omega = cas_scratch_for(n + 2 * kept, to->N * to->N, out);
  double *by_number = omega + n, *own = by_number + kept;
  if (!omega)
    return;
  from->surface->coefficients(from, 1, x, omega);
  for (int i = 0; i < n; i++)
    if (number_of(from, i) < kept)
      by_number[number_of(from, i)] = omega[i];
  for (int i = 0; i < kept; i++)
    own[i] = by_number[number_of(to, i)];
  to->surface->state(to, own, out);
}

cas_status CAS_ISA(cas_fluid_keep_bands)(const cas_config *c, const void *fluid, int64_t lmin,
                                         int64_t lmax, double *x, cas_error *err) {
  const cas_fluid *f = fluid;
  const bool high = lmax > f->bands;
  char most[60];
  snprintf(most, sizeof most, f->surface->most, f->bands, (int)f->N);
  CAS_REFUSE(c, lmin > f->bands || high,
             high ? "system.initial.random.lmax" : "system.initial.random.lmin",
             "found %lld, must be at most %s", (long long)(high ? lmax : lmin), most);
  CAS_OWNED double *omega = malloc((size_t)cas_fluid_coefficients(f) * sizeof *omega);
  CAS_NEED(omega);
  f->surface->coefficients(f, 1, x, omega);
  for (const cas_fluid_level *v = f->level; v < f->level + f->levels; v++)
    if (v->band < lmin || (lmax && v->band > lmax))
      memset(omega + v->begin, 0, (size_t)(v->end - v->begin) * sizeof *omega);
  f->surface->state(f, omega, x);
  return CAS_OK;
}

int CAS_ISA(cas_fluid_map_shape)(const void *fluid, int64_t dims[3]) {
  const cas_fluid *f = fluid;
  dims[0] = f->map[0];
  dims[1] = f->map[1];
  return 2;
}

const char *CAS_ISA(cas_fluid_pack_map)(const void *fluid, const double *map, double *x,
                                        double *lost) {
  const cas_fluid *f = fluid;
  CAS_OWNED double *omega = malloc((size_t)cas_fluid_coefficients(f) * sizeof *omega);
  cas_error err;
  if (!omega || f->surface->read_map(f, map, true, omega, lost, &err))
    return "out of memory";
  f->surface->state(f, omega, x);
  return NULL;
}

/* ---- damping and forcing, solved exactly ---- */

static bool acts(const void *fluid) { return cas_fluid_acts(fluid); }

static bool is_friction_alone(const cas_fluid *f) {
  return !f->rest && f->damping.viscosity == 0 && f->forcing.steady.rows == 0 &&
         f->forcing.white.rate == 0;
}

static double decay(const void *fluid) {
  const cas_fluid *f = fluid;
  return is_friction_alone(f) ? f->damping.friction : NAN;
}

int CAS_ISA(cas_fluid_kicks)(const void *fluid) {
  const cas_fluid *f = fluid;
  int kicks = 0;
  for (int k = 0; k < f->levels; k++)
    kicks += cas_fluid_is_white(f, &f->level[k]) ? f->level[k].end - f->level[k].begin : 0;
  return kicks;
}

static void rates(const void *fluid, double *rate) {
  const cas_fluid *f = fluid;
  for (const cas_fluid_level *v = f->level; v < f->level + f->levels; v++)
    for (int i = v->begin; cas_fluid_is_white(f, v) && i < v->end; i++)
      *rate++ = cas_fluid_rate(f, v->laplacian);
}

/* Integral of exp(-rate t) over the time h. */
static double integral(double rate, double h) { return rate > 0 ? -expm1(-rate * h) / rate : h; }

/* gain[i * W + lane], the change without the state: forcing, and damping towards f->rest, not 0 */
static void find_gain(const cas_fluid *f, int W, double h, const double *kick, double *gain) {
  const cas_vectors *rows = &f->forcing.steady;
  const int kicks = CAS_ISA(cas_fluid_kicks)(f);
  memset(gain, 0, (size_t)(cas_fluid_coefficients(f) * W) * sizeof *gain);
  for (const cas_fluid_level *v = f->level; f->rest && v < f->level + f->levels; v++) {
    const double lost = -expm1(-cas_fluid_rate(f, v->laplacian) * h);
    for (int i = v->begin * W; i < v->end * W; i++)
      gain[i] = lost * f->rest[i / W];
  }
  for (int k = 0; k < rows->rows; k++) {
    const double *row = rows->value + 3 * k;
    const cas_fluid_place to = f->surface->find((int)f->N, row);
    const double time = integral(cas_fluid_rate(f, to.laplacian), h);
    for (int lane = 0; lane < W; lane++)
      gain[to.at * W + lane] += to.sign * row[2] * time;
  }
  for (const cas_fluid_level *v = f->level; kicks && v < f->level + f->levels; v++) {
    const double strength =
        sqrt(1 / f->surface->norm) * sqrt(2 * v->laplacian * f->forcing.white.rate / kicks);
    for (int i = v->begin * W; cas_fluid_is_white(f, v) && i < v->end * W; i++)
      gain[i] += strength * *kick++;
  }
}

/* whole vectors */
static size_t rounded(size_t n) { return (n + 7) / 8 * 8; }

static size_t workspace_size(const void *fluid, int W) {
  const cas_fluid *f = fluid;
  return is_friction_alone(f)
             ? 0
             : rounded((size_t)f->levels) + rounded((size_t)(cas_fluid_coefficients(f) * W)) +
                   f->surface->change_size(f, W);
}

static void flow(const void *fluid, int W, double h, const double *kick, double *x,
                 double *workspace) {
  const cas_fluid *f = fluid;
  const double kept = exp(-f->damping.friction * h);
  double *scale = workspace, *gain = scale + rounded((size_t)f->levels),
         *rest = gain + rounded((size_t)(cas_fluid_coefficients(f) * W));
  if (is_friction_alone(f)) {
    for (int i = 0; i < f->N * f->N * W; i++)
      x[i] *= kept;
    return;
  }
  for (int k = 0; k < f->levels; k++)
    scale[k] = expm1(-cas_fluid_rate(f, f->level[k].laplacian) * h);
  find_gain(f, W, h, kick, gain);
  f->surface->change(f, W, scale, gain, x, rest);
}

const cas_exchange CAS_ISA(cas_fluid_exchange) = {.acts = acts,
                                                  .decay = decay,
                                                  .kicks = CAS_ISA(cas_fluid_kicks),
                                                  .rates = rates,
                                                  .workspace = workspace_size,
                                                  .flow = flow};
