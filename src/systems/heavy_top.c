/* The stochastic heavy top on se(3)*, [LECG] section 5 and [GBW] section 8: a state is (Pi, Gamma),
   the angular momentum and the vertical, both seen from the body.

       H0 = 1/2 Pi.I^-1 Pi + mga.Gamma,  H_k = pi_k.Pi + gamma_k.Gamma + square_k |Pi|^2 */
#include "systems/heavy_top.h"

#include "math/algebra/se3.h"
#include "systems/attitude.h"
#include "systems/components.h"
#include "systems/dissipation.h"

enum { LANES = 64, V = CAS_GROUP_VECTORS };

typedef cas_heavy_top parameters;

/* ---- keys ---- */

static const cas_option noise_options[] = {
    CAS_OPTION(parameters, VECTORS, pi, .fallback = "",
               .help = "a vector pi_k of R^3 for each Brownian motion, H_k = pi_k.Pi + "
                       "gamma_k.Gamma + square_k |Pi|^2; of the three lists those that are given "
                       "have one length, the others are zero"),
    CAS_OPTION(parameters, VECTORS, gamma, .fallback = "",
               .help = "a vector gamma_k of R^3 for each Brownian motion"),
    CAS_OPTION(parameters, REALS, square, .fallback = "",
               .help = "a number square_k for each Brownian motion; if all three lists are zero "
                       "there is no noise"),
    {0}};

static const cas_option options[] = {
    CAS_OPTION(parameters, REALS, inertia, .open_low = true, .high = INFINITY,
               .help = "three principal moments of inertia, which need not fulfil the triangle "
                       "inequality; .inf: no drift about that axis"),
    CAS_OPTION(parameters, REALS, mga,
               .help = "weight times the vector from the support to the centre of mass, seen from "
                       "the body: three numbers; zeros: no gravity"),
    CAS_SECTION_OPTION("noise", 0, noise_options, "Hamiltonians of the noise"),
    CAS_DISSIPATION_SECTION(parameters),
    CAS_DAMPING_SECTION(parameters),
    CAS_OPTION(parameters, BOOL, attitude, .fallback = "false", .help = CAS_ATTITUDE_HELP),
    {0}};

static cas_status check_lengths(const cas_config *c, const parameters *p, cas_error *err) {
  const struct {
    const char *name;
    int length;
  } list[] = {{"pi", p->pi.rows}, {"gamma", p->gamma.rows}, {"square", p->square.n}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      CAS_REFUSE(c, list[i].length && list[j].length && list[i].length != list[j].length,
                 "system.noise",
                 "found %d of %s and %d of %s, must be as many, one for each Brownian motion; fill "
                 "the shorter list up with zeros",
                 list[j].length, list[j].name, list[i].length, list[i].name);
  return CAS_OK;
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  parameters *p = parameters_;
  CAS_CALL(
      cas_components_check_three(c, "system.inertia", &p->inertia, " moments of inertia", err));
  CAS_CALL(cas_components_check_three(
      c, "system.mga", &p->mga,
      ": weight times the vector to the centre of mass, such as [0, 0, 1]", err));
  CAS_CALL(cas_components_check_vectors(c, "system.noise.pi", &p->pi, err));
  CAS_CALL(cas_components_check_vectors(c, "system.noise.gamma", &p->gamma, err));
  CAS_REFUSE(c, p->damping.rate > 0 && p->attitude, "system.damping.rate",
             "found %g, but Gamma falls with it, and would no longer be R^T e_3: leave out "
             "'attitude' or 'damping'",
             p->damping.rate);
  return check_lengths(c, p, err);
}

CAS_COMPONENTS_GIVES(const cas_part *, part, p->attitude ? &CAS_ISA(cas_attitude) : NULL)

/* ---- noise ---- */

static int largest(int a, int b) { return a > b ? a : b; }

static int listed(const parameters *p) {
  return largest(p->pi.rows, largest(p->gamma.rows, p->square.n));
}

/* H_k; lists that were not given are zero */
typedef struct {
  const double *pi, *gamma;
  double square;
} hamiltonian_k;

static hamiltonian_k noise(const parameters *p, int k) {
  static const double zero[3] = {0};
  return (hamiltonian_k){p->pi.rows ? p->pi.value + 3 * k : zero,
                         p->gamma.rows ? p->gamma.value + 3 * k : zero,
                         p->square.n ? p->square.value[k] : 0};
}

static bool is_zero(const double *a) { return a[0] == 0 && a[1] == 0 && a[2] == 0; }

/* A zero vector among others keeps its Brownian motion, so that the others keep theirs. */
static int noises(const void *parameters_) {
  const parameters *p = parameters_;
  for (int k = 0; k < listed(p); k++) {
    hamiltonian_k h = noise(p, k);
    if (!is_zero(h.pi) || !is_zero(h.gamma) || h.square != 0)
      return listed(p);
  }
  return 0;
}

/* {H_i, H_j} = -Pi.(pi_i x pi_j) - Gamma.(pi_i x gamma_j - pi_j x gamma_i)
   - 2 Gamma.(Pi x (square_i gamma_j - square_j gamma_i)), which is 0 if all three are. */
static bool commute(hamiltonian_k a, hamiltonian_k b) {
  double left[3], right[3];
  if (!cas_components_parallel(a.pi, b.pi))
    return false;
  cas_components_cross(a.pi, b.gamma, left);
  cas_components_cross(b.pi, a.gamma, right);
  if (!cas_components_equal(left, right,
                            cas_components_length(a.pi) * cas_components_length(b.gamma) +
                                cas_components_length(b.pi) * cas_components_length(a.gamma)))
    return false;
  for (int k = 0; k < 3; k++) {
    left[k] = a.square * b.gamma[k];
    right[k] = b.square * a.gamma[k];
  }
  return cas_components_equal(left, right,
                              cas_components_length(left) + cas_components_length(right));
}

static bool commuting(const void *parameters_) {
  const parameters *p = parameters_;
  for (int i = 0; i < listed(p); i++)
    for (int j = 0; j < i; j++)
      if (!commute(noise(p, i), noise(p, j)))
        return false;
  return true;
}

/* ---- states ---- */

static void initial(const void *parameters_, double *x) {
  static const double state[6] = {0.8, -0.6, 1.5, 0.36, 0.48, 0.8};
  memcpy(x, state, sizeof state);
  if (part(parameters_))
    CAS_ISA(cas_attitude_upright)(x + 3, x + 6);
}

/* R^T e_3 */
static void vertical(const double *q, double *gamma) {
  static const double up[3] = {0, 0, 1};
  CAS_ISA(cas_attitude_turn)(1, -1, q, up, gamma);
}

/* Pi uniform on the sphere of radius norm, Gamma on the unit sphere, by a uniform R if carried. */
static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(3, norm, x);
  cas_components_scale_to_norm(3, 1, x + 3);
  if (part(parameters_)) {
    CAS_ISA(cas_attitude_normalise)(x + 6);
    vertical(x + 6, x + 3);
  }
}

static cas_status check_attitude(const cas_config *c, const double *x, cas_error *err) {
  double gamma[3], most = 0;
  vertical(x + 6, gamma);
  for (int k = 0; k < 3; k++)
    most = fmax(most, fabs(gamma[k] - x[3 + k]));
  if (most <= 1e-10)
    return CAS_OK;
  return cas_config_fail(
      c, err, "system.initial",
      "found Gamma = (%.12g, %.12g, %.12g), must be the vertical seen from the body, R^T e_3 = "
      "(%.12g, %.12g, %.12g), to 1e-10; numbers 7 to 15 are R row by row, which is 1 without them",
      x[3], x[4], x[5], gamma[0], gamma[1], gamma[2]);
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  if (!is_zero(x + 3))
    return part(parameters_) ? check_attitude(c, x, err) : CAS_OK;
  return cas_config_fail(c, err, "system.initial",
                         "Gamma, the last three numbers, is 0, must be the vertical seen from the "
                         "body, such as 0, 0, 1; without gravity set mga to zeros");
}

/* ---- the step ---- */

/* psi = ((a + q) Pi + b, c) with a_k = h/I_k, q = 2 sum_j square_j dW_j, b = sum_j pi_j dW_j and c
   = h mga + sum_j gamma_j dW_j: where they begin among the coefficients. Areas add brackets to b
   and c, and where |Pi|^2 is beside Gamma, e.(Gamma x Pi) to the Hamiltonian. */
enum { A = 0, B = 3, C = 6, Q = 9, E = 10, COEFFICIENTS = 13 };

/* Whether the noises have brackets of |Pi|^2 and gamma.Gamma. */
static bool is_mixed(const parameters *p) {
  return p->areas && p->square.n && p->gamma.rows && noises(p);
}

CAS_COMPONENTS_TAKE_AREAS

/* rows of brackets, of b and c and of e */
CAS_COMPONENTS_GIVES(int, areas, !noises(p) ? 0 : is_mixed(p) ? 9 : 6)

/* With sums over the noises pi, gamma and square, of v and of w: pi_v x pi_w/2,
   (pi_v x gamma_w - pi_w x gamma_v)/2 and square_v gamma_w - square_w gamma_v */
static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  const parameters *p = parameters_;
  const double *const dw[2] = {v, w};
  double pi[2][3 * LANES], gamma[2][3 * LANES], square[2][LANES] = {{0}};
  for (int i = 0; i < 2; i++) {
    cas_components_combine(p->pi.rows, p->pi.value, W, dw[i], pi[i]);
    cas_components_combine(p->gamma.rows, p->gamma.value, W, dw[i], gamma[i]);
    for (int j = 0; j < p->square.n; j++)
      for (int l = 0; l < W; l++)
        square[i][l] += p->square.value[j] * dw[i][j * W + l];
  }
  cas_components_add_cross(W, 0.5, pi[0], pi[1], area);
  cas_components_add_cross(W, 0.5, pi[0], gamma[1], area + 3 * W);
  cas_components_add_cross(W, -0.5, pi[1], gamma[0], area + 3 * W);
  for (int i = 0; is_mixed(p) && i < 3 * W; i++)
    area[6 * W + i] += square[0][i % W] * gamma[1][i] - square[1][i % W] * gamma[0][i];
}

/* Where numbers begin: moments of inertia, mga, and of each noise pi_k, gamma_k and 2 square_k. */
enum { MGA = 3, NOISES = 6, OF_NOISE = 7 };

/* row += factor dw, with number i of each path in place of the factor */
CAS_INLINE void add_multiple(const double *number, int i, int W, double factor, const double *dw,
                             double *row) {
  if (number || factor != 0)
    for (int l = 0; l < W; l++)
      row[l] += cas_components_number(number, i, W, l, factor) * dw[l];
}

CAS_INLINE void prepare_heavy_top_of(const parameters *p, const double *number, int W, double h,
                                     const double *dw, double *coef) {
  const int n = noises(p);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < W; l++) {
      coef[(A + k) * W + l] = h / cas_components_number(number, k, W, l, p->inertia.value[k]);
      coef[(B + k) * W + l] = 0;
      coef[(C + k) * W + l] = h * cas_components_number(number, MGA + k, W, l, p->mga.value[k]);
    }
  memset(coef + Q * W, 0, (size_t)W * sizeof *coef);
  for (int j = 0, i = NOISES; j < n; j++, i += OF_NOISE, dw += W) {
    hamiltonian_k h_j = noise(p, j);
    add_multiple(number, i + 6, W, 2 * h_j.square, dw, coef + Q * W);
    for (int k = 0; k < 3; k++) {
      add_multiple(number, i + k, W, h_j.pi[k], dw, coef + (B + k) * W);
      add_multiple(number, i + 3 + k, W, h_j.gamma[k], dw, coef + (C + k) * W);
    }
  }
  for (int i = 0; p->areas && n && i < 6 * W; i++)
    coef[B * W + i] += dw[i];
  if (is_mixed(p))
    memcpy(coef + E * W, dw + 6 * W, 3 * (size_t)W * sizeof *coef);
}

CAS_COMPONENTS_PREPARE(prepare_heavy_top)

CAS_COMPONENTS_GIVES(int, numbers, NOISES + OF_NOISE * listed(p))

static void pack_numbers(const void *parameters_, int W, double *number) {
  const parameters *p = parameters_;
  for (int k = 0; k < 3; k++) {
    number[k * W] = p->inertia.value[k];
    number[(MGA + k) * W] = p->mga.value[k];
  }
  for (int j = 0; j < listed(p); j++) {
    const hamiltonian_k h = noise(p, j);
    double *of = number + (NOISES + OF_NOISE * j) * W;
    for (int k = 0; k < 3; k++) {
      of[k * W] = h.pi[k];
      of[(3 + k) * W] = h.gamma[k];
    }
    of[6 * W] = 2 * h.square;
  }
}

CAS_INLINE void top_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                        cas_vec *xi) {
  for (int u = 0; u < V; u++)
    for (int k = 0; k < 3; k++) {
      cas_vec slope = cas_lanes_load(c, A + k, u) + cas_lanes_load(c, Q, u);
      xi[k * V + u] = slope * x[k * V + u] + cas_lanes_load(c, B + k, u);
      xi[(3 + k) * V + u] = cas_lanes_load(c, C + k, u);
    }
}

/* Adds the gradient of e.(Gamma x Pi). */
CAS_INLINE void mixed_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  top_psi(s, c, x, xi);
  for (int u = 0; u < V; u++) {
    cas_vec e[3];
    for (int k = 0; k < 3; k++)
      e[k] = cas_lanes_load(c, E + k, u);
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      xi[k * V + u] += e[i] * x[(3 + j) * V + u] - e[j] * x[(3 + i) * V + u];
      xi[(3 + k) * V + u] += x[i * V + u] * e[j] - x[j * V + u] * e[i];
    }
  }
}

/* With g = ad*_xi x and xi = grad H_k(x): (D g) g = ad*_xi g + ad*_(D xi g) x, added to out */
CAS_INLINE void add_ito(hamiltonian_k h, const cas_vec *x, cas_vec *out) {
  cas_vec xi[6], g[6], first[6], change[6], second[6];
  for (int k = 0; k < 3; k++) {
    xi[k] = h.pi[k] + 2 * h.square * x[k];
    xi[3 + k] = cas_vec_splat(h.gamma[k]);
  }
  cas_se3_coadjoint(NULL, 1, xi, x, g);
  cas_se3_coadjoint(NULL, 1, xi, g, first);
  for (int k = 0; k < 3; k++) {
    change[k] = 2 * h.square * g[k];
    change[3 + k] = cas_vec_splat(0);
  }
  cas_se3_coadjoint(NULL, 1, change, x, second);
  for (int k = 0; k < 6; k++)
    out[k] += first[k] + second[k];
}

CAS_INLINE void top_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  const parameters *p = s->parameters;
  for (int u = 0; u < V; u++) {
    cas_vec at[6], sum[6] = {{0}};
    for (int k = 0; k < 6; k++)
      at[k] = x[k * V + u];
    for (int j = 0; j < listed(p); j++)
      add_ito(noise(p, j), at, sum);
    for (int k = 0; k < 6; k++)
      out[k * V + u] = sum[k];
  }
}

/* The parts: Pi_k^2/2 I_k of each axis; |Pi|^2, if there is such noise; and last, as it takes
   longest and is done once, all that is linear. */
static int flows(const cas_stepper *s) {
  return ((const parameters *)s->parameters)->square.n ? 5 : 4;
}

CAS_INLINE void linear_flow(const cas_stepper *s, cas_lanes c, double scale, cas_vec *x,
                            cas_vec *d) {
  cas_vec xi[6 * V], change[6 * V];
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++) {
      xi[k * V + u] = scale * cas_lanes_load(c, B + k, u);
      xi[(3 + k) * V + u] = scale * cas_lanes_load(c, C + k, u);
    }
  cas_se3_exponential(&s->geometry, V, xi, x, change);
  for (int i = 0; i < 6 * V; i++) {
    x[i] += change[i];
    d[i] += change[i];
  }
}

/* Gamma turns about Pi, which stays. */
CAS_INLINE void square_flow(cas_lanes c, double scale, cas_vec *x, cas_vec *d) {
  for (int u = 0; u < V; u++) {
    cas_vec w[3], t = cas_vec_splat(0);
    for (int k = 0; k < 3; k++) {
      w[k] = scale * cas_lanes_load(c, Q, u) * x[k * V + u];
      t += w[k] * w[k];
    }
    cas_turn_vector(cas_rotation_of(t), V, w, x + 3 * V + u, d + 3 * V + u);
  }
}

CAS_INLINE void top_flow(const cas_stepper *s, cas_lanes c, int part, double scale, cas_vec *x,
                         cas_vec *d) {
  if (part < 3)
    cas_rotation_axis_flow(V, 2, part, c, A + part, scale, x, d);
  else if (part < flows(s) - 1)
    square_flow(c, scale, x, d);
  else
    linear_flow(s, c, scale, x, d);
}

CAS_INLINE void top_flow_turn(const cas_stepper *s, cas_lanes c, int part_, double scale,
                              const cas_vec *x, cas_vec *xi) {
  if (part_ < 3) {
    cas_rotation_axis_turn(V, part_, c, A + part_, scale, x, xi);
    return;
  }
  const bool square = part_ < flows(s) - 1;
  for (int k = 0; k < 3; k++)
    for (int u = 0; u < V; u++)
      xi[k * V + u] =
          scale * (square ? cas_lanes_load(c, Q, u) * x[k * V + u] : cas_lanes_load(c, B + k, u));
}

#define BODIES_ALGEBRA cas_se3
#define BODIES_COMPONENTS 6
#define BODIES_LANES LANES

#define SYS top
#define SYS_ITO 1
#define SYS_FLOWS 1
#define SYS_PARTS(s) flows(s)
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define turning_psi top_psi
#define turning_flow top_flow
#define turning_flow_turn top_flow_turn
#define SYS turning
#define SYS_FLOWS 1
#define SYS_PARTS(s) flows(s)
#define SYS_AFFINE 1
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

#define SYS mixed
#include "integrators/steps.h"

#define mixed_turning_psi mixed_psi
#define SYS mixed_turning
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

#define SYS damped
#define SYS_GRADIENT top_psi
#include "integrators/steps.h"

#define SYS damped_turning
#define SYS_GRADIENT top_psi
#define SYS_ATTITUDE 1
#include "integrators/steps.h"

static const cas_body *body(const void *parameters_) {
  const parameters *p = parameters_;
  if (cas_dissipation_given(&p->dissipation))
    return p->attitude ? &damped_turning_body : &damped_body;
  if (is_mixed(p))
    return p->attitude ? &mixed_turning_body : &mixed_body;
  return p->attitude ? &turning_body : &top_body;
}

CAS_DAMPING(parameters)

const cas_system CAS_ISA(cas_system_heavy_top) = {
    .name = "heavy_top",
    .summary = "heavy top: a rigid body in R^3 under gravity, held at a point, with linear (SALT) "
               "or |Pi|^2 noise",
    .source = "Luesink, Ephrati, Cifani and Geurts, section 5; Gay-Balmaz and Wu, section 8",
    .example =
        {.keys =
             "inertia: [4, 4, 1], mga: [0.3, -0.4, 0], initial: [0.3, -0.4, 0.6, 0.36, 0.48, 0.8]",
         .noise = "noise: {pi: [[0.1, 0, 0.1], [0, 0.2, 0]], gamma: [[0, 0, 0.1], [0.1, 0, 0]], "
                  "square: [0.1, 0]}",
         .commuting = "noise: {pi: [[0.3, -0.4, 0.5]], gamma: [[0.1, 0.2, 0]]}"},
    CAS_COMPONENTS_SLOTS,
    .space.n = 3,
    .noise.commuting = commuting,
    .state.names = "Pi1 Pi2 Pi3 Gamma1 Gamma2 Gamma3",
    .space.part = part,
    .state.unit = "each_in_its_own_unit",
    .initial.state = initial,
    .initial.random = random_state,
    .initial.check = check_initial,
    .psi.doubles = COEFFICIENTS,
    CAS_COMPONENTS_BY_NUMBERS(prepare_heavy_top),
    CAS_COMPONENTS_AREAS,
    .damping = damping_rate,
    .dissipated = &(const cas_dissipated){.offset = offsetof(parameters, dissipation)},
    .functionals = CAS_ISA(cas_heavy_top_functionals),
    .observables = CAS_ISA(cas_heavy_top_observables),
};
