/* The generalised rigid body on so(n) with a noise for each pair i < j, [EJLL] section 6.2:
   H0 = sum x_ij^2 / I_ij, grad H_ij = sigma x_ij on the entries ij and ji. With I_ij = a_i + a_j it
   is the free rigid body in R^n, for which Manakov found the integrals (Functional Analysis and Its
   Applications 10, 1976). */
#include "math/algebra/so_n_constant.h"
#include "math/kernels/kernels.h"
#include "systems/components.h"
#include "systems/dissipation.h"

enum {
  MOST = CAS_SO_N_MAX * (CAS_SO_N_MAX - 1) / 2, /* components */
  NAMES_SIZE = 12288,
  INTEGRALS_SIZE = 8192,
  LANES = 16 /* n = 10 has 45 components, and its matrices stay in the first-level cache */
};

typedef struct {
  int64_t n;
  cas_reals_or_key inertia;
  double moment[MOST]; /* I_ij */
  double sigma;
  cas_dissipation dissipation;
  cas_damping damping;
  bool areas; /* steps have Levy's areas */
  char names[NAMES_SIZE], integrals[INTEGRALS_SIZE];
} parameters;

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, REAL, sigma, .fallback = "0", .high = DBL_MAX,
               .help = "amplitude: grad H_ij = sigma x_ij on the entries ij and ji, one noise for "
                       "each i < j; 0: no noise"),
    {0}};

static const cas_option masses_options[] = {
    {.key = "manakov",
     .type = CAS_REALS,
     .help = "a_1 .. a_n of the free rigid body in R^n, I_ij = a_i + a_j > 0: Manakov's integrals "
             "exist"},
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, INT, n, .low = 2, .high = CAS_SO_N_MAX,
               .help = "size of the matrices: so(n)"),
    CAS_OPTION(parameters, REALS_OR_KEY, inertia, .fallback = "", .open_low = true,
               .high = INFINITY, .section = masses_options,
               .help =
                   "moments of inertia I_12 I_13 .. I_1n I_23 ..; default 1, 2, .., n(n-1)/2, for "
                   "which Manakov's integrals do not exist if n > 4; .inf: no drift in that plane"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "Hamiltonians of the noise"),
    CAS_DISSIPATION_SECTION(parameters),
    CAS_DAMPING_SECTION(parameters),
    {0}};

extern const cas_algebra CAS_ISA(cas_algebra_so_n);

static int dimension(const parameters *p) { return (int)(p->n * (p->n - 1) / 2); }

/* Names have i < j, which leaves no doubt where i ends. */
static void write_names(parameters *p) {
  for (int i = 1; i <= p->n; i++)
    for (int j = i + 1; j <= p->n; j++)
      cas_append(p->names, sizeof p->names, "%sx%d%d", *p->names ? " " : "", i, j);
}

/* Coefficients of lambda^m in Tr (X + lambda J^2)^k that are neither constant nor Casimirs: m > 0,
   and k - m > 0 is even, as X is skew. */
static int first_power(int k) { return k % 2 ? 1 : 2; }

static cas_status sum_masses(const cas_config *c, parameters *p, cas_error *err) {
  const cas_reals *a = &p->inertia.values;
  double *moment = p->moment;
  CAS_REFUSE(c, a->n != p->n, "system.inertia.manakov",
             "found %d numbers, must be %d: a_1 .. a_n with I_ij = a_i + a_j", a->n, (int)p->n);
  for (int i = 0; i < a->n; i++)
    for (int j = i + 1; j < a->n; j++, moment++) {
      *moment = a->value[i] + a->value[j];
      CAS_REFUSE(c, !(*moment > 0 && isfinite(*moment)), "system.inertia.manakov",
                 "a_%d + a_%d is %.10g, must be positive and finite, as a moment of inertia", i + 1,
                 j + 1, *moment);
    }
  for (int k = 3; k <= p->n; k++)
    for (int m = first_power(k); m < k; m += 2)
      cas_append(p->integrals, sizeof p->integrals, "%sk%dm%d", *p->integrals ? " " : "", k, m);
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  const cas_reals *given = &p->inertia.values;
  write_names(p);
  if (p->inertia.by_key)
    return sum_masses(c, p, err);
  if (given->n == 0) { /* [EJLL] (36) */
    p->inertia.values = (cas_reals){dimension(p), malloc((size_t)dimension(p) * sizeof(double))};
    CAS_NEED(given->value);
    for (int k = 0; k < given->n; k++)
      given->value[k] = k + 1;
  }
  CAS_REFUSE(c, given->n != dimension(p), "system.inertia",
             "found %d numbers, must be %d: one for each pair i < j of n = %d, row by row; or "
             "{manakov: [a_1, .., a_n]}",
             given->n, dimension(p), (int)p->n);
  memcpy(p->moment, given->value, (size_t)given->n * sizeof *p->moment);
  return CAS_OK;
}

CAS_COMPONENTS_GEOMETRY(p->n, 1)
CAS_COMPONENTS_GIVES(int, noises, p->sigma > 0 ? dimension(p) : 0)
CAS_COMPONENTS_GIVES(bool, commuting, p->sigma == 0 || p->n == 2)
CAS_COMPONENTS_GIVES(const char *, components, p->names)

/* The state is uniform on the sphere where the packed entries have this Euclidean norm. */
static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(dimension(parameters_), norm, x);
}

/* ---- areas: V_i H_j of the noises ij, ik and jk is sigma^2 x_ij x_ik x_jk or minus that ---- */

static int triangles(int n) { return n * (n - 1) * (n - 2) / 6; }

CAS_COMPONENTS_TAKE_AREAS

CAS_COMPONENTS_GIVES(int, areas, noises(p) ? triangles((int)p->n) : 0)

/* A_ij,jk - A_ij,ik - A_ik,jk for every i < j < k */
static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  const int n = (int)((const parameters *)parameters_)->n;
  if (!noises(parameters_))
    return;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++, area += W) {
        const int a = cas_so_n_entry(n, i, j) * W, b = cas_so_n_entry(n, i, k) * W,
                  c = cas_so_n_entry(n, j, k) * W;
        for (int l = 0; l < W; l++)
          area[l] += 0.5 * ((v[a + l] * w[c + l] - v[c + l] * w[a + l]) -
                            (v[a + l] * w[b + l] - v[b + l] * w[a + l]) -
                            (v[b + l] * w[c + l] - v[c + l] * w[b + l]));
      }
}

CAS_COMPONENTS_GIVES(int, coefficients, dimension(p) + (p->areas ? triangles((int)p->n) : 0))

/* psi_ij = x_ij (h/I_ij + sigma dW_ij); factors of areas stand behind the factors of x_ij */
CAS_INLINE void prepare_manakov_of(const parameters *p, const double *number, int W, double h,
                                   const double *dw, double *coef) {
  const int n = dimension(p), rows = coefficients(p);
  const bool noisy = p->sigma > 0;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < W; l++) {
      const double drift = h / cas_components_number(number, 1 + k, W, l, p->moment[k]);
      coef[k * W + l] =
          noisy ? drift + cas_components_number(number, 0, W, l, p->sigma) * dw[k * W + l] : drift;
    }
  for (int k = n; k < rows; k++)
    for (int l = 0; l < W; l++) {
      const double sigma = cas_components_number(number, 0, W, l, p->sigma);
      coef[k * W + l] = noisy ? sigma * sigma * dw[k * W + l] : 0;
    }
}

CAS_COMPONENTS_PREPARE(prepare_manakov)

CAS_COMPONENTS_GIVES(int, numbers, 1 + dimension(p))

static void pack_numbers(const void *parameters_, int W, double *number) {
  const parameters *p = parameters_;
  number[0] = p->sigma;
  for (int k = 0; k < dimension(p); k++)
    number[(1 + k) * W] = p->moment[k];
}

/* -sigma^2 x_ij times the sum of squares of the entries that share one of i and j with it */
CAS_INLINE void ito(int n, double sigma, int V, const cas_vec *x, cas_vec *out) {
  for (int u = 0; u < V; u++) {
    cas_vec row[CAS_SO_N_MAX];
    for (int i = 0; i < n; i++)
      row[i] = cas_vec_splat(0);
    for (int i = 0, k = u; i < n; i++)
      for (int j = i + 1; j < n; j++, k += V) {
        row[i] += x[k] * x[k];
        row[j] += x[k] * x[k];
      }
    for (int i = 0, k = u; i < n; i++)
      for (int j = i + 1; j < n; j++, k += V)
        out[k] = -(sigma * sigma) * x[k] * (row[i] + row[j] - 2.0 * x[k] * x[k]);
  }
}

CAS_INLINE void any_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  const int n = s->geometry.components, V = CAS_GROUP_VECTORS;
  for (int k = 0; k < n; k++)
    for (int u = 0; u < V; u++)
      xi[k * V + u] = cas_lanes_load(c, k, u) * x[k * V + u];
}

/* Adds the gradient of sum c_ijk x_ij x_ik x_jk, i < j < k; the c_ijk are rows from `row` on. */
CAS_INLINE void add_triangles(int n, int V, cas_lanes c, int row, const cas_vec *x, cas_vec *xi) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++, row++) {
        const int ij = cas_so_n_entry(n, i, j) * V, ik = cas_so_n_entry(n, i, k) * V,
                  jk = cas_so_n_entry(n, j, k) * V;
        for (int u = 0; u < V; u++) {
          const cas_vec f = cas_lanes_load(c, row, u);
          xi[ij + u] += f * (x[ik + u] * x[jk + u]);
          xi[ik + u] += f * (x[ij + u] * x[jk + u]);
          xi[jk + u] += f * (x[ij + u] * x[ik + u]);
        }
      }
}

CAS_INLINE void any_areas_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  any_psi(s, c, x, xi);
  add_triangles(s->geometry.n, CAS_GROUP_VECTORS, c, s->geometry.components, x, xi);
}

CAS_INLINE void any_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  ito(s->geometry.n, ((const parameters *)s->parameters)->sigma, CAS_GROUP_VECTORS, x, out);
}

/* under its own flow x_ij and so the angular velocity in that plane are constant */
CAS_INLINE void plane_flow(int n, int V, cas_lanes c, int part, double scale, cas_vec *x,
                           cas_vec *d) {
  int i = 0, j = part + 1;
  while (j >= n)
    i++, j += i + 1 - n;
  for (int u = 0; u < V; u++)
    cas_so_n_turn(n, V, i, j, -scale * cas_lanes_load(c, part, u) * x[part * V + u], x + u, d + u);
}

CAS_INLINE void any_flow(const cas_stepper *s, cas_lanes c, int part, double scale, cas_vec *x,
                         cas_vec *d) {
  plane_flow(s->geometry.n, CAS_GROUP_VECTORS, c, part, scale, x, d);
}

#define BODIES_LANES LANES

#define SYS any
#define SYS_FLOWS 1
#define SYS_PARTS(s) ((s)->geometry.components)
#define SYS_ALGEBRA cas_so_n
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS any_areas
#define SYS_ALGEBRA cas_so_n
#include "integrators/steps.h"

#if CAS_VL > 2 /* where there is cas_so_n_10 */

CAS_INLINE void ten_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                        cas_vec *xi) {
  for (int k = 0; k < 45; k++)
    xi[k] = cas_lanes_load(c, k, 0) * x[k];
}

/* One copy of a function that takes longer than its call is enough. */
static __attribute__((noinline)) void add_triangles_of_ten(cas_lanes c, const cas_vec *x,
                                                           cas_vec *xi) {
  add_triangles(10, 1, c, 45, x, xi);
}

CAS_INLINE void ten_areas_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  ten_psi(s, c, x, xi);
  add_triangles_of_ten(c, x, xi);
}

CAS_INLINE void ten_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  ito(10, ((const parameters *)s->parameters)->sigma, 1, x, out);
}

CAS_INLINE void ten_flow(const cas_stepper *s CAS_UNUSED, cas_lanes c, int part, double scale,
                         cas_vec *x, cas_vec *d) {
  plane_flow(10, 1, c, part, scale, x, d);
}

#define SYS ten
#define SYS_FLOWS 1
#define SYS_PARTS(s) 45
#define SYS_ALGEBRA cas_so_n_10
#define SYS_COMPONENTS 45
#define SYS_VECTORS 1
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS ten_areas
#define SYS_ALGEBRA cas_so_n_10
#define SYS_COMPONENTS 45
#define SYS_VECTORS 1
#include "integrators/steps.h"

#endif

#define SYS damped
#define SYS_GRADIENT any_psi
#define SYS_ALGEBRA cas_so_n
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_) {
  const parameters *p = parameters_;
  if (cas_dissipation_given(&p->dissipation))
    return &damped_body;
#if CAS_VL > 2
  if (p->n == 10)
    return p->areas ? &ten_areas_body : &ten_body;
#endif
  return p->areas ? &any_areas_body : &any_body;
}

CAS_COMPONENTS_SINES(sin2pi, dimension(p))
CAS_COMPONENTS_FUNCTION(x12, memcpy(out, x, (size_t)W * sizeof *x))

CAS_COMPONENTS_FUNCTION(hamiltonian, cas_components_energy(dimension(p), 1, p->moment, W, x, out))
CAS_COMPONENTS_FUNCTION(norm_of_state, cas_components_norm(dimension(p), W, x, out))

CAS_COMPONENTS_FUNCTION(
    eigenvalues, CAS_ISA(cas_algebra_so_n).casimir(&(cas_geometry){.n = (int)p->n}, W, x, out))
CAS_COMPONENTS_FUNCTION(eigenvalue_max, double all[CAS_SO_N_MAX / 2 * LANES];
                        eigenvalues(p, W, x, all); memcpy(out, all, (size_t)W * sizeof *out))

/* ---- Manakov's integrals ---- */

/* lanes that go together: their vectors stay in the second-level cache */
enum { TOGETHER = 8 };

/* w = X v, vectors of R^n with one column a lane */
static void times_state(int n, int W, const double *x, const double *v, double *w) {
  memset(w, 0, (size_t)n * TOGETHER * sizeof *w);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, x += W)
      for (int l = 0; l < TOGETHER; l++) {
        w[i * TOGETHER + l] += x[l] * v[j * TOGETHER + l];
        w[j * TOGETHER + l] -= x[l] * v[i * TOGETHER + l];
      }
}

/* v[0 .. k]: coefficients of (X + lambda J^2)^k e_i, highest first: each needs the one below it. */
static void next_power(const parameters *p, int k, int W, const double *x, double *v) {
  int n = (int)p->n, size = n * TOGETHER;
  double w[CAS_SO_N_MAX * TOGETHER];
  for (int m = k; m >= 0; m--) {
    if (m < k)
      times_state(n, W, x, v + m * size, w);
    else
      memset(w, 0, (size_t)size * sizeof *w);
    for (int r = 0; m > 0 && r < n; r++)
      for (int l = 0; l < TOGETHER; l++)
        w[r * TOGETHER + l] += p->inertia.values.value[r] * p->inertia.values.value[r] *
                               v[(m - 1) * size + r * TOGETHER + l];
    memcpy(v + m * size, w, (size_t)size * sizeof *w);
  }
}

/* Adds the share of row i of the powers of X + lambda J^2 in their traces. */
static void add_row(const parameters *p, int i, int W, const double *x, double *out) {
  double v[(CAS_SO_N_MAX + 1) * CAS_SO_N_MAX * TOGETHER];
  int n = (int)p->n, size = n * TOGETHER;
  memset(v, 0, (size_t)size * sizeof *v);
  for (int l = 0; l < TOGETHER; l++)
    v[i * TOGETHER + l] = 1;
  for (int k = 1; k <= n; k++) {
    next_power(p, k, W, x, v);
    for (int m = first_power(k); m < k; m += 2, out += W)
      for (int l = 0; l < TOGETHER; l++)
        out[l] += v[m * size + i * TOGETHER + l];
  }
}

static int integrals(const parameters *p) { return (int)((p->n - 1) * (p->n - 1) / 4); }

static void manakov_integrals(const void *parameters_, int W, const double *x, double *out) {
  const parameters *p = parameters_;
  memset(out, 0, (size_t)integrals(p) * (size_t)W * sizeof *out);
  for (int l = 0; l < W; l += TOGETHER)
    for (int i = 0; i < p->n; i++)
      add_row(p, i, W, x + l, out + l);
}

static const char *without_integrals(const void *parameters_) {
  const parameters *p = parameters_;
  if (p->n == 2)
    return "n = 2 has none, they begin with n = 3";
  return p->inertia.by_key ? NULL
                           : "system.inertia is not given in Manakov's form, {manakov: [a_1, .., "
                             "a_n]} for I_ij = a_i + a_j";
}

CAS_COMPONENTS_AXIS(
    integral_axis, .name = "integral",
    .summary = "kKmM: power K = 3 .. n, coefficient M = K-2, K-4, .. > 0, in ascending order",
    .unit = "1", .length = integrals(p), .labels = p->integrals)

/* ---- on the sphere that the norm, a Casimir, keeps x on ---- */

CAS_COMPONENTS_RANGE(range_of_sin2pi, cas_components_symmetric_range(dimension(p), range))
CAS_COMPONENTS_RANGE(range_of_component, cas_components_range_on_sphere(dimension(p), x0, range))
CAS_COMPONENTS_RANGE(range_of_energy,
                     cas_components_range_of_energy(dimension(p), 1, p->moment, x0, range))

CAS_COMPONENTS_AXIS(eigenvalue_axis, .name = "eigenvalue",
                    .summary = "number of the eigenvalue, largest modulus first", .unit = "1",
                    .length = (int)p->n / 2)

#define MOMENTUM "inertia_unit time_unit^-1"
#define ENERGY "inertia_unit time_unit^-2"

static const char energy_text[] = "H0 = sum over i < j of x_ij^2 / I_ij";

static const cas_functional functionals[] = {
    CAS_FUNCTIONAL(sin2pi, sin2pi, "1", "sum over i < j of sin(2 pi x_ij)",
                   .range = range_of_sin2pi),
    CAS_FUNCTIONAL(x12, x12, MOMENTUM, "first component of the state", .range = range_of_component),
    CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, energy_text, .range = range_of_energy),
    {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, energy_text, .range = range_of_energy),
    CAS_FUNCTIONAL(norm, norm_of_state, MOMENTUM, "Euclidean norm of the entries i < j; constant"),
    CAS_FUNCTIONAL(eigenvalue_max, eigenvalue_max, MOMENTUM,
                   "largest modulus of an eigenvalue; constant"),
    CAS_FUNCTIONAL(eigenvalues, eigenvalues, MOMENTUM,
                   "mu_k of the eigenvalues +-i mu_k, largest first; constant",
                   .axes = eigenvalue_axis),
    CAS_FUNCTIONAL(manakov_integrals, manakov_integrals, "inertia_unit^(k+m) time_unit^(m-k)",
                   "coefficients of lambda^m in Tr (X + lambda J^2)^k, J = diag(a_1, .., a_n), "
                   "where inertia is {manakov: ..}; constant without noise",
                   .axes = integral_axis, .undefined = without_integrals),
    {0}};

CAS_DAMPING(parameters)

const cas_system CAS_ISA(cas_system_manakov) = {
    .name = "manakov",
    .summary = "generalised rigid body on so(n) with quadratic noise; with inertia {manakov: ..} "
               "the free rigid body in R^n, integrable without noise",
    .source =
        "Ephrati, Jansson, Lang and Luesink, section 6.2; integrals: Manakov 1976, Ratiu 1980",
    .example = {.keys = "n: 5, inertia: {manakov: [-0.5, 1.5, 2.5, 3.5, 4.5]}, initial: {random: "
                        "{seed: 1, norm: 1}}",
                .noise = "noise: {sigma: 0.1}"},
    CAS_COMPONENTS_SLOTS,
    .space.geometry = geometry,
    .noise.commuting = commuting,
    .state.components = components,
    .state.unit = MOMENTUM,
    .initial.random = random_state,
    .psi.coefficients = coefficients,
    CAS_COMPONENTS_BY_NUMBERS(prepare_manakov),
    CAS_COMPONENTS_AREAS,
    .damping = damping_rate,
    .dissipated = &(const cas_dissipated){.offset = offsetof(parameters, dissipation)},
    .functionals = functionals,
    .observables = observables,
};
