/* Steps of systems that are written as expressions: gradients and second derivatives are programs,
   or, for second degree on so3 and se3, matrices whose entries a step computes once. */
#include "math/algebra/se3.h"
#include "math/algebra/so3.h"
#include "math/algebra/so_n.h"
#include "math/algebra/su2.h"
#include "math/algebra/su_n.h"
#include "math/kernels/kernels.h"
#include "systems/axes.h"
#include "systems/dissipation.h"
#include "systems/written/expressions.h"
#include "systems/written/lie_poisson.h"

enum { LANES = CAS_PROGRAM_BLOCK_LANES, V = CAS_GROUP_VECTORS };

/* Factor i of each path, or of all. */
CAS_INLINE cas_vec factor(const cas_step_sums *s, const double *number, int i, int u) {
  return number ? cas_vec_load(number + i * LANES + u * CAS_VL) : cas_vec_splat(s->factor[i]);
}

CAS_INLINE void prepare(const cas_step_sums *s, const double *number, double h, const double *dw,
                        double *coef) {
  for (int r = 0; r < s->rows; r++) {
    int i = s->first[r];
    const bool drifts = i < s->first[r + 1] && s->column[i] == 0;
    cas_vec sum[LANES / CAS_VL];
    for (int u = 0; u < LANES / CAS_VL; u++)
      sum[u] = drifts ? factor(s, number, i, u) * h : cas_vec_splat(0);
    for (i += drifts; i < s->first[r + 1]; i++)
      for (int u = 0; u < LANES / CAS_VL; u++)
        sum[u] +=
            factor(s, number, i, u) * cas_vec_load(dw + (s->column[i] - 1) * LANES + u * CAS_VL);
    for (int u = 0; u < LANES / CAS_VL; u++)
      cas_vec_store(coef + r * LANES + u * CAS_VL, sum[u]);
  }
}

static const cas_step_sums *sums_of(const void *parameters) {
  return &((const cas_lie_poisson *)parameters)->program.once;
}

void CAS_ISA(cas_lie_poisson_prepare)(const void *parameters, int W CAS_UNUSED, double h,
                                      const double *dw, double *coef) {
  prepare(sums_of(parameters), NULL, h, dw, coef);
}

static void prepare_each(const void *parameters, const double *number, int W CAS_UNUSED, double h,
                         const double *dw, double *coef) {
  prepare(sums_of(parameters), number, h, dw, coef);
}

static int numbers(const void *parameters) {
  const cas_step_sums *s = sums_of(parameters);
  return s->first[s->rows];
}

static void pack_numbers(const void *parameters, int W, double *number) {
  for (int i = 0; i < numbers(parameters); i++)
    number[i * W] = sums_of(parameters)->factor[i];
}

static bool same_terms(const cas_step_sums *s, const cas_step_sums *t) {
  const int n = s->first[s->rows];
  return s->rows == t->rows &&
         memcmp(s->first, t->first, ((size_t)s->rows + 1) * sizeof *s->first) == 0 &&
         memcmp(s->column, t->column, (size_t)n * sizeof *s->column) == 0;
}

static bool same_steps(const void *a_, const void *b_) {
  const cas_lie_poisson *a = a_, *b = b_;
  const bool known =
      a->known.form == CAS_LIE_POISSON_AFFINE || a->known.form == CAS_LIE_POISSON_AXES;
  return a->known.form == b->known.form && a->known.has_linear == b->known.has_linear &&
         same_terms(&a->program.once, &b->program.once) &&
         (known || cas_program_equal(&a->program.psi, &b->program.psi)) &&
         cas_program_equal(&a->table.action, &b->table.action);
}

const cas_by_coefficients CAS_ISA(cas_lie_poisson_by_coefficients) = {
    .same_steps = same_steps, .numbers = numbers, .pack = pack_numbers, .prepare = prepare_each};

CAS_INLINE void run_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  const cas_lie_poisson *p = s->parameters;
  CAS_ISA(cas_program_run)(&p->program.psi, x, c.base, xi);
}

CAS_INLINE void run_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out) {
  const cas_lie_poisson *p = s->parameters;
  CAS_ISA(cas_program_run)(&p->program.ito, x, NULL, out);
}

/* ---- gradients that are known ---- */

CAS_INLINE int axes_flows(const cas_stepper *s) {
  return 3 + ((const cas_lie_poisson *)s->parameters)->known.has_linear;
}

/* A function of one component turns the state about its axis, by an angle that this turn keeps. */
CAS_INLINE void separate_flow(const cas_stepper *s, cas_lanes c, int part, double scale, cas_vec *x,
                              cas_vec *d) {
  const int i = (part + 1) % 3 * V, j = (part + 2) % 3 * V;
  cas_vec xi[3 * V];
  run_psi(s, c, x, xi);
  for (int u = 0; u < V; u++)
    cas_turn_plane(cas_turn_by(scale * xi[part * V + u]), x + i + u, x + j + u, d + i + u,
                   d + j + u);
}

/* xi = A x + b on R^3 from rows A_11 A_12 A_13 A_22 A_23 A_33 b_1 b_2 b_3 */
CAS_INLINE void symmetric_psi(cas_lanes c, const cas_vec *x, cas_vec *xi) {
  static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  for (int u = 0; u < V; u++)
    for (int i = 0; i < 3; i++) {
      cas_vec sum = cas_lanes_load(c, 6 + i, u);
      for (int j = 0; j < 3; j++)
        sum += cas_lanes_load(c, row[i][j], u) * x[j * V + u];
      xi[i * V + u] = sum;
    }
}

CAS_INLINE void affine_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                           cas_vec *xi) {
  symmetric_psi(c, x, xi);
}

/* (Pi, Gamma), with three rows more for the constant derivatives with respect to Gamma */
CAS_INLINE void affine_top_psi(const cas_stepper *s CAS_UNUSED, cas_lanes c, const cas_vec *x,
                               cas_vec *xi) {
  symmetric_psi(c, x, xi);
  for (int i = 3; i < 6; i++)
    for (int u = 0; u < V; u++)
      xi[i * V + u] = cas_lanes_load(c, 6 + i, u);
}

/* ---- matrices of any size, whose products are functions of their algebra ---- */

#define matrices_NAME "matrices"
#define matrices_SANDWICH 1
#define matrices_EXPONENTIAL 0

CAS_INLINE void matrices_coadjoint(const cas_geometry *g, int V_ CAS_UNUSED, const cas_vec *xi,
                                   const cas_vec *mu, cas_vec *out) {
  g->algebra->coadjoint(g, (const double *)xi, (const double *)mu, (double *)out);
}

CAS_INLINE void matrices_both(const cas_geometry *g, int V_ CAS_UNUSED, const cas_vec *q,
                              const cas_vec *x, cas_vec *bracket, cas_vec *sandwich) {
  g->algebra->both(g, (const double *)q, (const double *)x, (double *)bracket, (double *)sandwich);
}

CAS_INLINE void matrices_cayley(const cas_geometry *g, int V_ CAS_UNUSED, const cas_vec *q,
                                const cas_vec *x, cas_vec *out) {
  g->algebra->cayley(g, (const double *)q, (const double *)x, (double *)out);
}

CAS_INLINE void matrices_bracket(const cas_geometry *g, int V_, const cas_vec *q, const cas_vec *x,
                                 cas_vec *bracket) {
  matrices_coadjoint(g, V_, x, q, bracket);
}

/* ---- bodies ---- */

#define BODIES_LANES LANES

#define BODIES_ALGEBRA cas_so3
#define BODIES_COMPONENTS 3

#define separate_psi run_psi
#define separate_ito run_ito
#define SYS separate
#define SYS_ITO 1
#define SYS_FLOWS 1
#define SYS_PARTS(s) 3
#include "integrators/steps.h"
CAS_BODY_WITHOUT(on_so3, separate, cas_so3_NAME, CAS_FLOWS);

#define axes_psi cas_axes_psi
#define axes_flow cas_axes_flow
#define axes_ito run_ito
#define SYS axes
#define SYS_ITO 1
#define SYS_FLOWS 1
#define SYS_PARTS(s) axes_flows(s)
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define affine_ito run_ito
#define SYS affine
#define SYS_ITO 1
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define SYS damped_so3
#define SYS_GRADIENT run_psi
#include "integrators/steps.h"

#undef BODIES_ALGEBRA
#undef BODIES_COMPONENTS
#define BODIES_ALGEBRA cas_se3
#define BODIES_COMPONENTS 6

#define affine_top_ito run_ito
#define SYS affine_top
#define SYS_ITO 1
#define SYS_AFFINE 1
#include "integrators/steps.h"

#define on_se3_psi run_psi
#define on_se3_ito run_ito
#define SYS on_se3
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS damped_se3
#define SYS_GRADIENT run_psi
#include "integrators/steps.h"

#undef BODIES_ALGEBRA
#undef BODIES_COMPONENTS

#define on_matrices_psi run_psi
#define on_matrices_ito run_ito
#define SYS on_matrices
#define SYS_ALGEBRA matrices
#define SYS_ITO 1
#include "integrators/steps.h"
CAS_BODY_WITHOUT(on_so_n, on_matrices, cas_so_n_NAME, 0);
CAS_BODY_WITHOUT(on_su_n, on_matrices, cas_su_n_NAME, 0);

#define SYS damped_matrices
#define SYS_GRADIENT run_psi
#define SYS_ALGEBRA matrices
#include "integrators/steps.h"
CAS_BODY_WITHOUT(damped_so_n, damped_matrices, cas_so_n_NAME, 0);
CAS_BODY_WITHOUT(damped_su_n, damped_matrices, cas_su_n_NAME, 0);

#define on_su2_psi run_psi
#define on_su2_ito run_ito
#define SYS on_su2
#define SYS_ALGEBRA cas_su2
#define SYS_ITO 1
#include "integrators/steps.h"

#define SYS damped_su2
#define SYS_GRADIENT run_psi
#define SYS_ALGEBRA cas_su2
#include "integrators/steps.h"

#define on_linear_psi run_psi
#define on_linear_ito run_ito
#define SYS on_linear
#define SYS_ALGEBRA cas_brackets
#define SYS_ITO 1
#include "integrators/steps.h"
CAS_BODY_WITHOUT(on_brackets, on_linear, cas_brackets_NAME, CAS_EXPONENTIAL);

#define SYS damped_linear
#define SYS_GRADIENT run_psi
#define SYS_ALGEBRA cas_brackets
#include "integrators/steps.h"
CAS_BODY_WITHOUT(damped_brackets, damped_linear, cas_brackets_NAME, CAS_EXPONENTIAL);

static const cas_body *damped_body(const cas_lie_poisson *p) {
  static const cas_body *const of[] = {[CAS_LIE_POISSON_SO3] = &damped_so3_body,
                                       [CAS_LIE_POISSON_SE3] = &damped_se3_body,
                                       [CAS_LIE_POISSON_SO_N] = &damped_so_n_body,
                                       [CAS_LIE_POISSON_SU_N] = &damped_su_n_body,
                                       [CAS_LIE_POISSON_SU2] = &damped_su2_body,
                                       [CAS_LIE_POISSON_BRACKETS] = &damped_brackets_body,
                                       [CAS_LIE_POISSON_CONSTANTS] = &damped_linear_body};
  const bool is_linear = p->algebra == CAS_LIE_POISSON_BRACKETS && p->known.is_linear;
  return of[is_linear ? CAS_LIE_POISSON_CONSTANTS : p->algebra];
}

const cas_body *CAS_ISA(cas_lie_poisson_body)(const cas_lie_poisson *p) {
  static const cas_body *const of_so3[] = {[CAS_LIE_POISSON_GENERAL] = &on_so3_body,
                                           [CAS_LIE_POISSON_SEPARATE] = &separate_body,
                                           [CAS_LIE_POISSON_AFFINE] = &affine_body,
                                           [CAS_LIE_POISSON_AXES] = &axes_body},
                               *const others[] = {[CAS_LIE_POISSON_SO_N] = &on_so_n_body,
                                                  [CAS_LIE_POISSON_SU_N] = &on_su_n_body,
                                                  [CAS_LIE_POISSON_SU2] = &on_su2_body,
                                                  [CAS_LIE_POISSON_BRACKETS] = &on_brackets_body,
                                                  [CAS_LIE_POISSON_CONSTANTS] = &on_linear_body};
  if (cas_dissipation_given(&p->dissipation))
    return damped_body(p);
  if (p->algebra == CAS_LIE_POISSON_SO3)
    return of_so3[p->known.form];
  if (p->algebra == CAS_LIE_POISSON_SE3)
    return p->known.form == CAS_LIE_POISSON_AFFINE ? &affine_top_body : &on_se3_body;
  return p->algebra == CAS_LIE_POISSON_BRACKETS && p->known.is_linear ? &on_linear_body
                                                                      : others[p->algebra];
}
