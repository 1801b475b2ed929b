/* Euler-Zeitlin: the two-dimensional Euler equations on the sphere, quantised on su(N), [EJLL]
   section 6.4, (40)-(44). T_lm: orthonormal skew-Hermitian eigenbasis of the Hoppe-Yau Laplacian
   with eigenvalue -l(l+1), l = 1..N-1, m = -l..l. dX = [Lap^-1 X, X] dt + sum_{l >= lmin, m} [grad
   H_lm(X)^*, X] o dW^lm,  grad H_lm(X) = c_l <T_lm, X> T_lm with c_l = amplitude / (l(l+1)). With B
   the real unit eigenvector on the m-th upper diagonal, T_lm is (B - B^T)/sqrt 2 for m > 0, T_l,-m
   is i(B + B^T)/sqrt 2, and T_l0 is iB, so real and imaginary parts of each diagonal are
   transformed alone and psi scales the coefficient (l, m) by h/(l(l+1)) + c_l dW_lm. */
#include "systems/sphere/euler_zeitlin.h"

#include "math/algebra/su_n.h"
#include "math/algebra/su_n_path.h"
#include "systems/components.h"
#include "systems/dissipation.h"

#include <limits.h>

enum { LANES = 16, MOST_N = CAS_HOPPE_YAU_MOST };

typedef cas_euler_zeitlin parameters;

enum { PAPER, PHYSICAL };
static const char *const time_units[] = {"paper", "physical", NULL};

static const char *const kinds[] = {"modal", "transport", NULL};

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, CHOICE, kind, .fallback = "", .choices = kinds,
               .help = "modal, the default: grad H_lm = c_l <T_lm, X> T_lm; transport: H_k = "
                       "<xi_k, X> with fields xi_k"),
    CAS_OPTION(cas_fluid, REAL, amplitude, .fallback = "0", .high = DBL_MAX,
               .help = "of modal, c_l = amplitude / (l (l+1)); of transport, default 1, a factor "
                       "of all fields; 0: no noise"),
    CAS_OPTION(parameters, INT, lmin, .fallback = "", .low = 1, .high = MOST_N,
               .help = "of modal: lowest degree l with noise; default N/2"),
    {.type = CAS_INCLUDE, .section = CAS_ISA(cas_sphere_transport_options)},
    {0}};

static const cas_option options[] = {
    CAS_OPTION(cas_fluid, INT, N, .low = 2, .high = MOST_N,
               .help = "size of the matrices; degrees l = 1 .. N-1"),
    CAS_SECTION_OPTION("noise", 0, noise_options,
                       "one noise for each (l, m), l >= lmin, or one for each field"),
    CAS_OPTION(parameters, REAL, rotation, .fallback = "",
               .help = "angular velocity Omega of the sphere; X is then the absolute vorticity, "
                       "that seen from the sphere plus 2 Omega cos(colatitude)"),
    CAS_OPTION(parameters, REAL, lamb, .fallback = "", .high = DBL_MAX,
               .help =
                   "Cressman-Lamb parameter gamma of quasi-geostrophy: the stream function is that "
                   "of (Lap - gamma z^2) psi = X - F - topography, z = cos(colatitude), and X is "
                   "the potential vorticity; 0: the Euler equations. Blocks are of one path"),
    CAS_SECTION_OPTION(
        "topography", offsetof(parameters, topography), cas_array_options,
        "rows [l, m, value] of what X has at rest beside F, as initial.coefficients are given; or "
        "a file of such rows, or of a map, latitudes x longitudes as those of the vorticity",
        .alone = "rows"),
    CAS_DISSIPATION_SECTION(cas_fluid),
    {.type = CAS_INCLUDE, .section = CAS_ISA(cas_fluid_exchange_options)},
    CAS_OPTION(parameters, INT, latitudes, .fallback = "", .low = 2, .high = 4096,
               .help = "number of latitudes of vorticity maps; there are twice as many longitudes; "
                       "default N, at least 32"),
    CAS_OPTION(cas_fluid, INT, lowpass, .fallback = "", .low = 1, .high = MOST_N,
               .help = "highest degree of the map vorticity_lowpass"),
    CAS_OPTION(parameters, CHOICE, time_unit, .fallback = "paper", .choices = time_units,
               .help = "paper: brackets are commutators, as printed; physical: commutators times "
                       "sqrt(N (N^2-1)/(16 pi)), as on the unit sphere"),
    {0}};

static cas_status take_rows(const cas_config *c, const cas_fluid *f, const char *key,
                            const cas_vectors *rows, double *omega, cas_error *err) {
  CAS_OWNED int *row_of = calloc((size_t)(f->N * f->N), sizeof *row_of); /* counted from 1 */
  char path[64];
  CAS_NEED(row_of);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 3 * i;
    snprintf(path, sizeof path, "%s[%d]", key, i);
    CAS_CALL(CAS_ISA(cas_fluid_check_mode)(c, f, path, "", row, err));
    const int mode = cas_hoppe_yau_mode((int)row[0], (int)row[1]);
    CAS_REFUSE(c, row_of[mode], path,
               "l = %g, m = %g are given twice, in rows [%d] and [%d]; must be given once", row[0],
               row[1], row_of[mode] - 1, i);
    row_of[mode] = i + 1;
    omega[mode] = row[2];
  }
  return CAS_OK;
}

/* ---- what X has at rest ---- */

/* A mean, which no bracket knows, and what is below rounding are left out. */
static cas_status take_map(cas_fluid *f, const double *map, double *omega, cas_error *err) {
  double largest = 0;
  CAS_CALL(f->surface->read_map(f, map, false, omega, &f->rest_lost, err));
  for (int i = 0; i < cas_fluid_coefficients(f); i++)
    largest = fmax(largest, fabs(omega[i]));
  for (int i = 0; i < cas_fluid_coefficients(f); i++)
    omega[i] = fabs(omega[i]) > 1e-13 * largest ? omega[i] : 0;
  return CAS_OK;
}

static cas_status take_topography(const cas_config *c, cas_euler_zeitlin *p, cas_error *err) {
  const char *key = "system.topography";
  cas_fluid *f = &p->fluid;
  const cas_array_source *a = &p->topography;
  const int64_t *dims = a->dims;
  cas_vectors rows = a->rows;
  if (a->file && a->rank == 2 && dims[0] == f->map[0] && dims[1] == f->map[1])
    return take_map(f, a->value, p->fluid.rest, err);
  CAS_REFUSE(c, a->file && (a->rank != 2 || dims[1] != 3 || dims[0] > INT_MAX / 3), key,
             "dataset %s of %s must be rows x 3, with the numbers l, m, value, or %d "
             "x %d, a map on the grid of system.latitudes",
             a->dataset, a->file, f->map[0], f->map[1]);
  if (a->file)
    rows = (cas_vectors){.value = a->value, .rows = (int)dims[0], .columns = 3};
  CAS_REFUSE(c, rows.rows && rows.columns != 3, key,
             "found rows of %d numbers, must be [l, m, value]", rows.columns);
  return take_rows(c, f, key, &rows, p->fluid.rest, err);
}

static cas_status find_rest(const cas_config *c, cas_euler_zeitlin *p, cas_error *err) {
  const int N = (int)p->fluid.N;
  if (p->rotation == 0 && p->topography.rows.rows == 0 && !p->topography.file)
    return CAS_OK;
  CAS_NEED(p->fluid.rest = calloc((size_t)(N * N), sizeof *p->fluid.rest));
  CAS_CALL(take_topography(c, p, err));
  p->fluid.rest[CAS_FLUID_ZONAL] += 2 * p->rotation * sqrt(4 * acos(-1) / 3);
  p->rest_lmax = 1;
  for (int l = 1; l < N && p->lamb == 0; l++) /* beside lamb no step needs its degrees */
    for (int m = -l; m <= l; m++)
      if (p->fluid.rest[cas_hoppe_yau_mode(l, m)] != 0)
        p->rest_lmax = l;
  return CAS_OK;
}

/* The stream function of what X has at rest, where no coefficients give it. */
static cas_status invert_rest(cas_euler_zeitlin *p, cas_error *err) {
  const size_t n = (size_t)(p->fluid.N * p->fluid.N);
  CAS_OWNED double *x = calloc(n, sizeof *x);
  p->rest_stream = calloc(n, sizeof *p->rest_stream);
  CAS_NEED(x && p->rest_stream);
  cas_hoppe_yau_state(&p->harmonics, p->fluid.rest, x);
  CAS_ISA(cas_euler_zeitlin_path_invert)(p, 1, x, p->rest_stream);
  return CAS_OK;
}

/* ---- basis ---- */

/* The degrees begin .. end - 1 whose eigenvectors steps need. */
static void find_degrees(const parameters *p, int *begin, int *end) {
  *begin = *end = 0;
  if (cas_euler_zeitlin_affine(p))
    *end = 1 + (p->noise_lmax > p->rest_lmax ? p->noise_lmax : p->rest_lmax);
  if (cas_euler_zeitlin_modal(p)) {
    *begin = *end ? 0 : (int)p->lmin;
    *end = (int)p->fluid.N;
  }
  if (cas_fluid_acts(&p->fluid)) {
    *begin = 0;
    *end = (int)p->fluid.N;
  }
}

static cas_status find_levels(cas_fluid *f, cas_error *err) {
  f->bands = (int)f->N - 1;
  CAS_CALL(CAS_ISA(cas_fluid_add_levels)(f, f->bands, err));
  for (int l = 1; l <= f->bands; l++)
    f->level[l - 1] = (cas_fluid_level){cas_hoppe_yau_mode(l, -l), cas_hoppe_yau_mode(l, l) + 1, l,
                                        l * (l + 1.0)};
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  int N = (int)p->fluid.N;
  if (p->kind == CAS_EULER_ZEITLIN_NOISE_MODAL && p->lmin == 0)
    p->lmin = N / 2;
  p->fluid.sized = cas_config_has(c, "study.refine");
  CAS_REFUSE(
      c, p->fluid.sized && p->time_unit != PHYSICAL, "system.time_unit",
      "found paper, whose unit is another one at every N; must be physical beside study.refine");
  CAS_REFUSE(c, p->lmin >= N, "system.noise.lmin", "found %lld, must be at most N - 1 = %d",
             (long long)p->lmin, N - 1);
  p->fluid.surface = &CAS_ISA(cas_sphere);
  p->fluid.map[0] = p->latitudes ? (int)p->latitudes : N < 32 ? 32 : N;
  p->fluid.map[1] = 2 * p->fluid.map[0];
  p->fluid.inverted = p->lamb > 0;
  CAS_CALL(find_rest(c, p, err));
  CAS_CALL(find_levels(&p->fluid, err));
  p->fluid.bracket = p->time_unit == PHYSICAL ? cas_hoppe_yau_physical_bracket(N) : 1;
  CAS_CALL(CAS_ISA(cas_sphere_fields_read)(c, p, err));
  CAS_CALL(CAS_ISA(cas_fluid_check_forcing)(c, &p->fluid, err));
  CAS_REFUSE(c, p->lamb > 0 && cas_fluid_acts(&p->fluid), "system.lamb",
             "found %g, with which damping and forcing of the potential vorticity are not "
             "available: leave out 'damping' and 'forcing', or 'lamb'",
             p->lamb);
  int begin, end;
  find_degrees(p, &begin, &end);
  CAS_CALL(cas_hoppe_yau_create(N, begin, end, &p->harmonics, err));
  if (p->lamb > 0)
    cas_hoppe_yau_add_lamb(p->lamb, &p->harmonics);
  return p->lamb > 0 && p->fluid.rest ? invert_rest(p, err) : CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  CAS_ISA(cas_fluid_free)(&p->fluid);
  cas_hoppe_yau_free(&p->harmonics);
  free(p->rest_stream);
}

CAS_COMPONENTS_GIVES(size_t, bytes,
                     CAS_ISA(cas_fluid_bytes)(&p->fluid) + cas_hoppe_yau_bytes(&p->harmonics) +
                         (p->rest_stream ? (size_t)(p->fluid.N * p->fluid.N) * sizeof(double) : 0))

/* Modal noises and those of `modes` are numbered as the coefficients; rows number theirs. */
static int first_noise(const void *parameters_) {
  const parameters *p = parameters_;
  const int lmin = (int)(cas_euler_zeitlin_modal(p) ? p->lmin : p->bands.lmin);
  return lmin > 0 ? cas_hoppe_yau_mode(lmin, -lmin) : 0;
}

CAS_COMPONENTS_GIVES(int, noises, p->fluid.noises + cas_euler_zeitlin_modal(p))
CAS_COMPONENTS_GIVES(bool, commuting,
                     noises(p) < 2 || (p->kind == CAS_EULER_ZEITLIN_NOISE_TRANSPORT &&
                                       CAS_ISA(cas_sphere_fields_commute)(&p->fluid)))

/* CAS_ISA for names within CAS_FN, of which it is a part */
#define OF_SPHERE__(name, suffix) cas_euler_zeitlin_##name##suffix
#define OF_SPHERE_(name, suffix) OF_SPHERE__(name, suffix)
#define across_psi OF_SPHERE_(group_psi, CAS_ISA_SUFFIX)
#define alone_psi OF_SPHERE_(path_psi, CAS_ISA_SUFFIX)
#define across_ito OF_SPHERE_(ito, CAS_ISA_SUFFIX)
#define alone_ito across_ito
#define FLUID_ITO 1
#include "systems/fluid_bodies.h"

CAS_COMPONENTS_GIVES(bool, one_path,
                     p->fluid.N > CAS_EULER_ZEITLIN_ACROSS || p->fluid.sized || p->lamb > 0)

/* ---- states ---- */

static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = dims[1] = ((const cas_fluid *)parameters_)->N;
  *is_complex = true;
  return 2;
}

static const char *pack(const void *parameters_, const double *state, double *x) {
  int N = (int)((const cas_fluid *)parameters_)->N;
  double largest = 0, trace = 0;
  for (int i = 0; i < 2 * N * N; i++)
    largest = fmax(largest, fabs(state[i]));
  for (int i = 0; i < N; i++) {
    trace += state[2 * (i * N + i) + 1];
    x[i] = state[2 * (i * N + i) + 1];
    for (int j = i; j < N; j++) {
      const double *a = state + 2 * (i * N + j), *b = state + 2 * (j * N + i);
      if (!(fabs(a[0] + b[0]) <= 1e-12 * largest && fabs(a[1] - b[1]) <= 1e-12 * largest))
        return "is not skew-Hermitian";
      if (i < j) {
        x[cas_su_n_re(N, i, j)] = a[0];
        x[cas_su_n_im(N, i, j)] = a[1];
      }
    }
  }
  return fabs(trace) <= 1e-12 * N * largest ? NULL : "has a trace, which su(N) has not";
}

void CAS_ISA(cas_euler_zeitlin_unpack)(const void *parameters_, const double *x, double *state) {
  const int N = (int)((const cas_fluid *)parameters_)->N;
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) {
      double *above = state + 2 * (i * N + j), *below = state + 2 * (j * N + i);
      const double re = i == j ? 0 : x[cas_su_n_re(N, i, j)];
      below[0] = -re;
      above[0] = re;
      above[1] = below[1] = x[i == j ? i : cas_su_n_im(N, i, j)];
    }
}

static void rest(const void *parameters_, double *x) {
  const parameters *p = parameters_;
  CAS_OWNED double *f = p->fluid.rest ? calloc((size_t)(p->fluid.N * p->fluid.N), sizeof *f) : NULL;
  if (f)
    cas_hoppe_yau_state(&p->harmonics, p->fluid.rest, f);
  for (int k = 0; p->fluid.rest && k < p->fluid.N * p->fluid.N; k++)
    x[k] += f ? f[k] : NAN;
}

/* ---- harmonics ---- */

static int coefficients_shape(const void *parameters_, int64_t dims[3]) {
  dims[0] = cas_fluid_coefficients(parameters_);
  return 1;
}

static const char *pack_coefficients(const void *parameters_, const double *omega, double *x,
                                     double *lost) {
  cas_hoppe_yau_state(&((const parameters *)parameters_)->harmonics, omega, x);
  *lost = 0;
  return NULL;
}

static const char place[] = "degrees l = 1 .. N - 1";

static const cas_state_form forms[] = {
    {.name = "map",
     .noun = "map (system.latitudes x twice as many longitudes)",
     .shape = CAS_ISA(cas_fluid_map_shape),
     .pack = CAS_ISA(cas_fluid_pack_map),
     .place = place},
    {.name = "coefficients",
     .noun = "list of coefficients (l ascending from 1, in each of them m from -l to l)",
     .shape = coefficients_shape,
     .pack = pack_coefficients,
     .place = place},
    {0}};

static cas_status harmonics(const cas_config *c, const void *parameters_, const cas_vectors *rows,
                            double *x, cas_error *err) {
  const parameters *p = parameters_;
  CAS_OWNED double *omega = calloc((size_t)(p->fluid.N * p->fluid.N), sizeof *omega);
  CAS_NEED(omega);
  CAS_CALL(take_rows(c, &p->fluid, "system.initial.coefficients", rows, omega, err));
  cas_hoppe_yau_state(&p->harmonics, omega, x);
  return CAS_OK;
}

/* lamb is in the gradient's solves. */
static bool same_steps(const void *a, const void *b) {
  return ((const parameters *)a)->lamb == ((const parameters *)b)->lamb;
}

const cas_system CAS_ISA(cas_system_euler_zeitlin) = {
    .name = "euler_zeitlin",
    .summary = "two-dimensional Euler equations on the sphere, quantised on su(N)",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.4, (40)-(44)",
    .example = {.keys = "N: 3, initial: {random: {seed: 1, norm: 3}}",
                .noise = "noise: {amplitude: 2, lmin: 2}"},
    CAS_FLUID_SLOTS,
    .noise.take_areas = CAS_ISA(cas_sphere_brackets_find),
    .state.unpack = CAS_ISA(cas_euler_zeitlin_unpack),
    .state.names = "N x N skew-Hermitian matrix",
    .state.indexed = CAS_ISA(cas_euler_zeitlin_indexed),
    .initial.rest = rest,
    .initial.harmonics = harmonics,
    .psi.coefficients = CAS_ISA(cas_euler_zeitlin_coefficients),
    .psi.prepare = CAS_ISA(cas_euler_zeitlin_prepare),
    .psi.by_coefficients = &(const cas_by_coefficients){.same_steps = same_steps},
    .functionals = CAS_ISA(cas_euler_zeitlin_functionals),
    .observables = CAS_ISA(cas_euler_zeitlin_observables),
};
