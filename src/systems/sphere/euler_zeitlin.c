/* Euler-Zeitlin: the two-dimensional Euler equations on the sphere, quantised on su(N), [EJLL]
   section 6.4, (40)-(44). T_lm: orthonormal skew-Hermitian eigenbasis of the Hoppe-Yau Laplacian
   with eigenvalue -l(l+1), l = 1..N-1, m = -l..l. dX = [Lap^-1 X, X] dt + sum_{l >= lmin, m} [grad
   H_lm(X)^*, X] o dW^lm,  grad H_lm(X) = c_l <T_lm, X> T_lm with c_l = amplitude / (l(l+1)). With B
   the real unit eigenvector on the m-th upper diagonal, T_lm is (B - B^T)/sqrt 2 for m > 0, T_l,-m
   is i(B + B^T)/sqrt 2, and T_l0 is iB, so real and imaginary parts of each diagonal are
   transformed alone and psi scales the coefficient (l, m) by h/(l(l+1)) + c_l dW_lm. */
#include "systems/sphere/euler_zeitlin.h"

#include "base/lanes.h"
#include "math/algebra/su_n.h"
#include "math/algebra/su_n_path.h"
#include "systems/components.h"
#include "systems/dissipation.h"

/* up to MOST_ACROSS paths go across the lanes of a block, larger matrices fill vectors alone */
enum { LANES = 16, MOST_ACROSS = 22, MOST_N = CAS_HOPPE_YAU_MOST };

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

/* ---- basis ---- */

/* The degrees begin .. end - 1 whose eigenvectors steps need. */
static void find_degrees(const parameters *p, int *begin, int *end) {
  const bool all = cas_fluid_acts(&p->fluid);
  *begin = *end = 0;
  if (cas_euler_zeitlin_affine(p))
    *end = 1 + (p->noise_lmax > p->rest_lmax ? p->noise_lmax : p->rest_lmax);
  if (cas_euler_zeitlin_modal(p)) {
    *begin = *end ? 0 : (int)p->lmin;
    *end = (int)p->fluid.N;
  }
  if (all) {
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

static bool one_path(const void *parameters_) {
  const parameters *p = parameters_;
  return p->fluid.N > MOST_ACROSS || p->fluid.sized || p->lamb > 0;
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
  p->fluid.mean = 1;
  p->fluid.map[0] = p->latitudes ? (int)p->latitudes : N < 32 ? 32 : N;
  p->fluid.map[1] = 2 * p->fluid.map[0];
  p->fluid.inverted = p->lamb > 0;
  CAS_CALL(CAS_ISA(cas_sphere_find_rest)(c, p, err));
  CAS_CALL(find_levels(&p->fluid, err));
  p->bracket = p->time_unit == PHYSICAL ? cas_hoppe_yau_physical_bracket(N) : 1;
  if (!one_path(p) && !(p->basis = calloc(cas_euler_zeitlin_basis(N, N), sizeof *p->basis)))
    return cas_no_memory(err);
  CAS_CALL(CAS_ISA(cas_sphere_fields_read)(c, p, err));
  CAS_CALL(CAS_ISA(cas_fluid_check_forcing)(c, &p->fluid, err));
  CAS_REFUSE(c, p->lamb > 0 && cas_fluid_acts(&p->fluid), "system.lamb",
             "found %g, with which damping and forcing of the potential vorticity are not "
             "available: leave out 'damping' and 'forcing', or 'lamb'",
             p->lamb);
  int begin, end;
  find_degrees(p, &begin, &end);
  CAS_CALL(cas_hoppe_yau_create(N, begin, end, &p->harmonics, err));
  double *vector = p->basis;
  for (int m = 0; vector && m < N; m++)
    for (int l = m; l < N; l++, vector += N - m)
      cas_hoppe_yau_unfold(&p->harmonics, l, m, vector);
  if (p->lamb > 0)
    cas_hoppe_yau_add_lamb(p->lamb, &p->harmonics);
  return p->lamb > 0 ? CAS_ISA(cas_sphere_invert_rest)(p, err) : CAS_OK;
}

static void release(void *parameters_) {
  parameters *p = parameters_;
  CAS_ISA(cas_fluid_free)(&p->fluid);
  cas_hoppe_yau_free(&p->harmonics);
  free(p->pair_wave);
  free(p->basis);
  free(p->rest_stream);
  p->pair_wave = NULL;
  p->basis = p->rest_stream = NULL;
}

static size_t bytes(const void *parameters_) {
  const parameters *p = parameters_;
  int N = (int)p->fluid.N;
  return CAS_ISA(cas_fluid_bytes)(&p->fluid) + cas_hoppe_yau_bytes(&p->harmonics) +
         (size_t)p->pair_waves * sizeof *p->pair_wave +
         (p->basis ? cas_euler_zeitlin_basis(N, N) * sizeof(double) : 0) +
         (p->rest_stream ? (size_t)(N * N) * sizeof(double) : 0);
}

/* Modal noises are numbered as the coefficients, and so are those of `modes`; rows number theirs
   themselves. */
static int first_noise(const void *parameters_) {
  const parameters *p = parameters_;
  const int lmin = (int)(cas_euler_zeitlin_modal(p) ? p->lmin : p->bands.lmin);
  return lmin > 0 ? cas_hoppe_yau_mode(lmin, -lmin) : 0;
}

static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  return cas_euler_zeitlin_noises(p) < 2 || (p->kind == CAS_EULER_ZEITLIN_NOISE_TRANSPORT &&
                                             CAS_ISA(cas_sphere_fields_commute)(&p->fluid));
}

/* ---- areas ---- */

static cas_status take_areas(const cas_config *c, void *parameters_, cas_error *err) {
  return CAS_ISA(cas_sphere_brackets_find)(c, parameters_, err);
}

static int areas(const void *parameters_) { return ((const parameters *)parameters_)->pairs; }

static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  cas_components_add_areas_of_pairs(((const parameters *)parameters_)->fluid.noises, W, v, w, area);
}

/* ---- the gradient ---- */

static int coefficients(const void *parameters_) {
  const parameters *p = parameters_;
  return one_path(p) ? CAS_ISA(cas_euler_zeitlin_path_coefficients)(p)
                     : (int)(p->fluid.N * p->fluid.N - 1) * (cas_euler_zeitlin_affine(p) ? 2 : 1);
}

static void prepare_euler_zeitlin(const void *parameters_, int W, double h, const double *dw,
                                  double *coef) {
  const parameters *p = parameters_;
  int noisy = cas_euler_zeitlin_modal(p), first = (int)(p->lmin * p->lmin);
  if (W == 1) {
    CAS_ISA(cas_euler_zeitlin_path_prepare)(p, h, dw, coef);
    return;
  }
  for (int l = 1; l < p->fluid.N; l++)
    for (int m = -l; m <= l; m++) {
      int i = cas_hoppe_yau_mode(l, m), k = l * l + l + m - first;
      double scale = p->bracket / (l * (l + 1.0));
      for (int lane = 0; lane < W; lane++)
        coef[i * W + lane] =
            scale * (h + (noisy && l >= p->lmin ? p->fluid.amplitude * dw[k * W + lane] : 0));
    }
  if (cas_euler_zeitlin_affine(p))
    CAS_ISA(cas_sphere_affine)(p, W, h, dw, coef + (p->fluid.N * p->fluid.N - 1) * W);
}

/* One diagonal of real or imaginary parts: to the eigenvectors, scaled, and back. added: the part
   of psi that does not depend on the state, base NULL: none. A coefficient off the diagonal is sqrt
   2 times the product with an eigenvector. */
static void transform(int n, const double *basis, const cas_group *const *x, cas_group *const *q,
                      int m, int sign, cas_lanes coef, cas_lanes added) {
  const double off = m ? sqrt(0.5) : 1;
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_GROUP_VECTORS; u++)
      q[k]->v[u] = cas_vec_splat(0);
  for (int i = m == 0; i < n; i++) {
    const double *b = basis + i * n;
    for (int u = 0; u < CAS_GROUP_VECTORS; u++) {
      cas_vec w = {0};
      for (int k = 0; k < n; k++)
        w += b[k] * x[k]->v[u];
      w *= cas_lanes_load(coef, cas_hoppe_yau_mode(m + i, sign * m), u);
      if (added.base)
        w += off * cas_lanes_load(added, cas_hoppe_yau_mode(m + i, sign * m), u);
      for (int k = 0; k < n; k++)
        q[k]->v[u] += b[k] * w;
    }
  }
}

void CAS_ISA(cas_euler_zeitlin_transform)(const cas_euler_zeitlin *p, cas_lanes coef,
                                          cas_lanes added, const double *x_, double *out) {
  const cas_group *x = (const cas_group *)(const void *)x_;
  cas_group *q = (cas_group *)(void *)out;
  int N = (int)p->fluid.N;
  const double *basis = p->basis;
  const cas_group *from[MOST_N];
  cas_group *to[MOST_N];
  for (int k = 0; k < N; k++)
    from[k] = x + k, to[k] = q + k;
  transform(N, basis, from, to, 0, 1, coef, added);
  for (int m = 1; m < N; m++) {
    basis += (N - m + 1) * (N - m + 1);
    for (int k = 0; k + m < N; k++)
      from[k] = x + cas_su_n_re(N, k, k + m), to[k] = q + cas_su_n_re(N, k, k + m);
    transform(N - m, basis, from, to, m, 1, coef, added);
    for (int k = 0; k + m < N; k++)
      from[k] = x + cas_su_n_im(N, k, k + m), to[k] = q + cas_su_n_im(N, k, k + m);
    transform(N - m, basis, from, to, m, -1, coef, added);
  }
}

static void across_psi(const cas_stepper *s, cas_lanes coef, const cas_vec *x, cas_vec *xi) {
  const parameters *p = s->parameters;
  const cas_lanes added = {
      cas_euler_zeitlin_affine(p) ? coef.base + (p->fluid.N * p->fluid.N - 1) * coef.stride : NULL,
      coef.stride};
  CAS_ISA(cas_euler_zeitlin_transform)(p, coef, added, (const double *)x, (double *)xi);
}

CAS_INLINE void alone_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  CAS_ISA(cas_euler_zeitlin_path_psi)
  (s->parameters, c.base, (const double *)x, s->geometry.scratch, (double *)xi);
}

CAS_NOT_INLINE void across_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  CAS_ISA(cas_euler_zeitlin_ito)
  (s->parameters, false, (const double *)x, s->geometry.scratch, (double *)out);
}

CAS_NOT_INLINE void alone_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  CAS_ISA(cas_euler_zeitlin_ito)
  (s->parameters, true, (const double *)x, s->geometry.scratch, (double *)out);
}

#define FLUID_ITO 1
#include "systems/fluid_bodies.h"

/* ---- states ---- */

static int shape(const void *parameters_, int64_t dims[3], bool *is_complex) {
  dims[0] = dims[1] = ((const cas_fluid *)parameters_)->N;
  *is_complex = true;
  return 2;
}

static void unpack(const void *parameters_, const double *x, double *state) {
  int N = (int)((const cas_fluid *)parameters_)->N;
  for (int i = 0; i < N; i++) {
    state[2 * (i * N + i)] = 0;
    state[2 * (i * N + i) + 1] = x[i];
    for (int j = i + 1; j < N; j++) {
      state[2 * (i * N + j)] = x[cas_su_n_re(N, i, j)];
      state[2 * (j * N + i)] = -x[cas_su_n_re(N, i, j)];
      state[2 * (i * N + j) + 1] = state[2 * (j * N + i) + 1] = x[cas_su_n_im(N, i, j)];
    }
  }
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
  CAS_CALL(
      CAS_ISA(cas_sphere_take_rows)(c, &p->fluid, "system.initial.coefficients", rows, omega, err));
  cas_hoppe_yau_state(&p->harmonics, omega, x);
  return CAS_OK;
}

/* lamb is in the gradient's solves. */
static bool same_steps(const void *a, const void *b) {
  return ((const parameters *)a)->lamb == ((const parameters *)b)->lamb;
}

static void weights(const void *parameters_, double *drag, double *noise) {
  const parameters *p = parameters_;
  cas_dissipation_su_n((int)p->fluid.N, p->bracket, drag, noise);
}

const cas_system CAS_ISA(cas_system_euler_zeitlin) = {
    .name = "euler_zeitlin",
    .summary = "two-dimensional Euler equations on the sphere, quantised on su(N)",
    .source = "Ephrati, Jansson, Lang and Luesink, section 6.4, (40)-(44)",
    .example = {.keys = "N: 3, initial: {random: {seed: 1, norm: 3}}",
                .noise = "noise: {amplitude: 2, lmin: 2}"},
    CAS_FLUID_SLOTS,
    .noises = cas_euler_zeitlin_noises,
    .commuting = commuting,
    .names = "N x N skew-Hermitian matrix",
    .indexed = CAS_ISA(cas_euler_zeitlin_indexed),
    .rest = rest,
    .harmonics = harmonics,
    .prepare = prepare_euler_zeitlin,
    .by_coefficients = &(const cas_by_coefficients){.same_steps = same_steps},
    .take_areas = take_areas,
    .areas = areas,
    .add_areas = add_areas,
    .functionals = CAS_ISA(cas_euler_zeitlin_functionals),
    .observables = CAS_ISA(cas_euler_zeitlin_observables),
};
