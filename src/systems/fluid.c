#include "systems/fluid.h"

#include "base/scratch.h"
#include "math/algebra/su_n.h"

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

cas_status CAS_ISA(cas_fluid_check_forcing)(const cas_config *c, const cas_fluid *f,
                                            cas_error *err) {
  const cas_fluid_white *w = &f->forcing.white;
  const cas_vectors *rows = &f->forcing.steady;
  char path[64], wrong[120];
  CAS_REFUSE(c, rows->rows && rows->columns != 3, "system.forcing.steady",
             "found rows of %d numbers, must be rows of two indices and a value", rows->columns);
  CAS_REFUSE(c, w->rate > 0 && (w->lmin > w->lmax || w->lmax > f->bands), "system.forcing.white",
             "found %lld .. %lld, must be ascending and at most %s = %d", (long long)w->lmin,
             (long long)w->lmax, f->surface->highest, f->bands);
  for (int i = 0; i < rows->rows; i++) {
    snprintf(path, sizeof path, "system.forcing.steady[%d]", i);
    CAS_REFUSE(c, !f->surface->is_mode(f, "n = ", rows->value + 3 * i, wrong, sizeof wrong), path,
               "%s", wrong);
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
  f->rest = NULL;
  f->level = NULL;
  f->wave = NULL;
}

size_t CAS_ISA(cas_fluid_bytes)(const cas_fluid *f) {
  return (size_t)f->levels * sizeof *f->level + (size_t)f->waves * sizeof *f->wave +
         (f->rest ? (size_t)(f->N * f->N) * sizeof *f->rest : 0);
}

void CAS_ISA(cas_fluid_geometry)(const void *fluid, int *n, int *factors) {
  *n = (int)((const cas_fluid *)fluid)->N;
  *factors = 1;
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
