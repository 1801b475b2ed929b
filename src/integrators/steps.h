/* Makes a step of every scheme that fits one body of a system: text that a system's file includes
   once for each body, with these names defined, which are undefined afterwards; names that stand
   for a statement are defined as 1 where it is true:

       SYS              prefix of the body's functions
       SYS_ALGEBRA      prefix of its algebra's functions: cas_so3
       SYS_COMPONENTS   numbers of a state, where that is a constant
       SYS_VECTORS      vectors of lanes that are under way together, where not CAS_GROUP_VECTORS
       SYS_LANES        lanes of a block
       SYS_ONE_PATH     instead of SYS_VECTORS and SYS_LANES: a block is one path
       SYS_PSI_BRACKET  SYS_psi_bracket exists
       SYS_ITO          SYS_ito exists
       SYS_FIELDS       SYS_fields and SYS_field exist
       SYS_FLOWS        SYS_flow exists, for SYS_PARTS(s) parts
       SYS_ATTITUDE     states have an attitude behind their components, a unit quaternion:
                        SYS_flow_turn exists, if SYS_flow does, and schemes that cannot turn it have
                        no step
       SYS_GRADIENT     name of a function like SYS_psi, without noise, from which SYS_psi is made:
                        with dissipation and its noise (cas_dissipation in extend.h)
       SYS_AFFINE       psi is affine in the state; all of it but the angular velocity is constant

   and these functions, V being SYS_VECTORS:

       void SYS_psi(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi);
           xi = h grad H0 + sum_k dW_k grad H_k from coefficients c, the scheme's scale included
       void SYS_psi_bracket(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *bracket);
           [xi, x] in fewer operations than psi and bracket take
       void SYS_ito(const cas_stepper *s, const cas_vec *x, cas_vec *out);
           sum_k (D g_k) g_k with g_k = ad*_{grad H_k(x)} x, of which half is the Ito drift; with
           SYS_FIELDS only of noises that are no fields
       int SYS_fields(const cas_stepper *s);
       void SYS_field(const cas_stepper *s, int k, cas_vec *xi);
           number of noises whose gradient does not depend on the state, and the gradient of one
       void SYS_flow(const cas_stepper *s, cas_lanes c, int part, double scale, cas_vec *x,
                     cas_vec *d);
           moves x along the exact flow of `scale` times one part of h H0 + sum_k dW_k H_k, of which
           the sum of all parts has the gradient psi, and adds to d what it added to x
       void SYS_flow_turn(const cas_stepper *s, cas_lanes c, int part, double scale,
                          const cas_vec *x, cas_vec *xi);
           the vector of R^3 by whose exponential this flow turns the body

   A system of positions and momenta has the prefix of a geometry instead, cas_vector_space,
   cas_rigid_motions, cas_rods or cas_constrained_space, and these functions in place of all above;
   z is a state, v and m are velocities and momenta as the geometry has them:

       const double *SYS_metric(const cas_stepper *s);
           its masses
       void SYS_kick(const cas_stepper *s, cas_lanes c, double h, bool noise, const cas_vec *z,
                     cas_vec *m);
           adds to m what the potential does during h, and where `noise` says so what the noises do
       void SYS_drag(const cas_stepper *s, double h, const cas_vec *z, const cas_vec *v,
                     cas_vec *m);
           adds to m what friction does during h at the velocity v and the positions of z
       void SYS_thermostat(const cas_stepper *s, cas_lanes c, double h, const cas_vec *z,
                           cas_vec *v, cas_vec *m);
           moves m along friction and noises during h at fixed positions, exactly; v is workspace.
           Where positions are constrained m need not be tangent: place() projects it, which has to
           leave the Gibbs law as it is

   It leaves `SYS_body`, a cas_body. What all bodies of a file have in common may be defined once
   before them, as BODIES_ALGEBRA, BODIES_COMPONENTS and BODIES_LANES. */
#include "integrators/continuation.h"
#include "integrators/features.h"
#include "integrators/step.h"

#ifdef BODIES_ALGEBRA
#define SYS_ALGEBRA BODIES_ALGEBRA
#endif
#ifdef BODIES_COMPONENTS
#define SYS_COMPONENTS BODIES_COMPONENTS
#endif
#ifdef BODIES_LANES
#define SYS_LANES BODIES_LANES
#endif

#ifdef SYS_ONE_PATH
#define SYS_VECTORS 1
#define CAS_K(s) cas_step_path_vectors(s)
#define CAS_STRIDE(s) CAS_VL
#define CAS_END(s) CAS_VL
#define CAS_LANES 1
#else
#ifndef SYS_VECTORS
#define SYS_VECTORS CAS_GROUP_VECTORS
#endif
#ifdef SYS_COMPONENTS
#define CAS_K(s) ((void)(s), SYS_COMPONENTS)
#else
#define CAS_K(s) ((s)->geometry.components)
#endif
#define CAS_STRIDE(s) SYS_LANES
#define CAS_END(s) SYS_LANES
#define CAS_LANES (SYS_VECTORS * CAS_VL)
#endif
#define CAS_V SYS_VECTORS
#define CAS_SIZE(s) (CAS_K(s) * CAS_V)
#define CAS_NEXT(s) ((s)->lanes ? (s)->first + (s)->lanes : CAS_END(s))
#define CAS_GROUPS(from, s) \
  for (int from = (s)->first, cas_next_ = CAS_NEXT(s); from < cas_next_; from += CAS_V * CAS_VL)

#if defined SYS_COMPONENTS && SYS_COMPONENTS + 0 <= 16
#define CAS_WORKSPACE(arrays, s, work)                \
  cas_vec workspace[(arrays)*SYS_COMPONENTS * CAS_V]; \
  (void)(work)
#else
#define CAS_WORKSPACE(arrays, s, work) cas_vec *workspace = (cas_vec *)(void *)(work)
#endif

/* The largest element of a vector of one path, in all elements; lanes stay as they are. */
CAS_INLINE cas_vec CAS_FN(across)(cas_vec a) {
#ifdef SYS_ONE_PATH
  double most = a[0];
  for (int i = 1; i < CAS_VL; i++)
    most = a[i] > most ? a[i] : most;
  a = cas_vec_splat(most);
#endif
  return a;
}

/* size = the largest component of x, by lane or of one path, where that is larger */
CAS_INLINE void CAS_FN(widen)(const cas_stepper *s, const cas_vec *x, cas_vec *size) {
  const int n = CAS_K(s);
  for (int u = 0; u < CAS_V; u++) {
    cas_vec most = size[u];
    for (int k = 0; k < n; k++)
      most = cas_vec_max(cas_vec_abs(x[k * CAS_V + u]), most);
    size[u] = CAS_FN(across)(most);
  }
}

/* Changes of a step are relative to the size of x, or of the initial states if that is larger. */
CAS_INLINE void CAS_FN(size)(const cas_stepper *s, const cas_vec *x, cas_vec *size) {
  for (int u = 0; u < CAS_V; u++)
    size[u] = cas_vec_splat(s->magnitude);
  CAS_FN(widen)(s, x, size);
}

CAS_INLINE bool CAS_FN(within)(const cas_vec *change, double bound) {
  int greater = 0;
  for (int u = 0; u < CAS_V; u++)
    greater |= cas_vec_any_greater(change[u], cas_vec_splat(bound));
  return !greater;
}

/* Closes lanes that have settled: their change is within the tolerance of the initial states, which
   a larger state may not reach, or at rounding of a state of this size and no longer falls; a
   tolerance above rounding is one of this size. least: the smallest change so far, INFINITY at
   first; in `open` 1 becomes 0. Returns whether no lane is open. */
CAS_INLINE bool CAS_FN(settled)(const cas_stepper *s, const cas_vec *size, const cas_vec *change,
                                cas_vec *least, cas_vec *open) {
  const bool coarse = s->relative > CAS_STEP_ROUNDING;
  const double reach = coarse ? s->relative : CAS_STEP_ROUNDING;
  int any = 0;
  for (int u = 0; u < CAS_V; u++) {
    const cas_vec now = CAS_FN(across)(change[u]);
    cas_ivec reached = (cas_ivec)(now <= reach * size[u]);
    if (!coarse)
      reached &= (cas_ivec)(now >= least[u]);
    reached |= (cas_ivec)(now <= cas_vec_splat(s->tolerance));
    open[u] = cas_vec_select(reached, cas_vec_splat(0), open[u]);
    least[u] = cas_vec_min(now, least[u]);
    any |= cas_vec_any_greater(open[u], cas_vec_splat(0));
  }
  return !any;
}

/* Whether x is finite in lanes where xn is: an iteration that does not contract may overflow. */
CAS_INLINE bool CAS_FN(are_finite)(const cas_stepper *s, const cas_vec *xn, const cas_vec *x) {
  const int n = CAS_K(s);
  int lost = 0;
  for (int u = 0; u < CAS_V; u++) {
    cas_vec now = {0}, before = {0};
    for (int k = 0; k < n; k++) {
      now += x[k * CAS_V + u];
      before += xn[k * CAS_V + u];
    }
    const cas_ivec kept = (cas_ivec)(0.0 * now == 0) | ~(cas_ivec)(0.0 * before == 0);
    lost |= cas_vec_any_greater(cas_vec_select(kept, cas_vec_splat(0), cas_vec_splat(1)),
                                cas_vec_splat(0));
  }
  return !lost;
}

/* Whether the change of every open lane falls by one half at least, or is at rounding. */
CAS_INLINE bool CAS_FN(falls)(const cas_vec *size, const cas_vec *change, const cas_vec *least,
                              const cas_vec *open) {
  int any = 0;
  for (int u = 0; u < CAS_V; u++)
    any |= cas_vec_any_greater(open[u] * CAS_FN(across)(change[u]),
                               cas_vec_max(0.5 * least[u], CAS_STEP_ROUNDING * size[u]));
  return !any;
}

/* One group, or one path. If an iteration has not converged, `open` is > 0 in lanes that failed. */
CAS_INLINE void CAS_FN(count)(const cas_stepper *s CAS_UNUSED, int first CAS_UNUSED,
                              double iterations, bool converged, const cas_vec *open CAS_UNUSED,
                              cas_tally *t) {
#ifdef SYS_ONE_PATH
  t->iterations[0] += iterations;
  t->iterations_max[0] = iterations > t->iterations_max[0] ? iterations : t->iterations_max[0];
  t->not_converged[0] += !converged;
#else
  for (int u = 0; u < CAS_V; u++) {
    int l = first + u * CAS_VL;
    cas_vec n = cas_vec_splat(iterations);
    cas_vec_store(t->iterations + l, cas_vec_load(t->iterations + l) + n);
    cas_vec_store(t->iterations_max + l, cas_vec_max(n, cas_vec_load(t->iterations_max + l)));
    if (!converged)
      cas_vec_store(t->not_converged + l, cas_vec_load(t->not_converged + l) +
                                              cas_vec_one_if_greater(open[u], cas_vec_splat(0)));
  }
#endif
}

/* One group, or one path, whose step the second method of a scheme makes. */
CAS_INLINE void CAS_FN(count_second)(const cas_stepper *s CAS_UNUSED, int first, cas_tally *t) {
  for (int l = first; l < first + CAS_LANES; l++)
    t->second_method[l]++;
}

CAS_INLINE void CAS_FN(load)(const cas_stepper *s, const double *x, cas_vec *a) {
  const int n = CAS_K(s);
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_V; u++)
      a[k * CAS_V + u] = cas_vec_load(x + k * CAS_STRIDE(s) + u * CAS_VL);
}

#ifdef SYS_GRADIENT
CAS_NOT_INLINE void CAS_FN(psi)(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi) {
  const int n = CAS_K(s);
  const cas_lanes noise = {c.base + s->dissipation.noise, c.stride};
  CAS_WORKSPACE(1, s, s->dissipation.workspace);
  SYS_GRADIENT(s, c, x, xi);
  CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, x, workspace);
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_V; u++) {
#ifdef SYS_ONE_PATH
      const cas_vec drag = cas_vec_load(s->dissipation.drag + k * CAS_VL);
#else
      const cas_vec drag = cas_vec_splat(s->dissipation.drag[k]);
#endif
      xi[k * CAS_V + u] += drag * workspace[k * CAS_V + u] + cas_lanes_load(noise, k, u);
    }
}
#endif

#if CAS_FEATURE_COTANGENT
CAS_INLINE void CAS_FN(begin)(const cas_stepper *s, const double *x, cas_vec *z, cas_vec *d) {
  const int n = CAS_SIZE(s);
  CAS_FN(load)(s, x, z);
  for (int i = 0; i < n; i++)
    d[i] = cas_vec_splat(0);
}
#endif

/* Adds d to a vector of a block; Kahan's compensation, if any, keeps what rounding loses. */
CAS_INLINE void CAS_FN(add_to)(double *x, double *carry, cas_vec d) {
  const cas_vec before = cas_vec_load(x), y = carry ? d - cas_vec_load(carry) : d, sum = before + y;
  if (carry)
    cas_vec_store(carry, (sum - before) - y);
  cas_vec_store(x, sum);
}

/* x += scale d */
CAS_INLINE void CAS_FN(advance)(const cas_stepper *s, double scale, const cas_vec *d, double *x,
                                double *carry) {
  const int n = CAS_K(s);
  for (int k = 0; k < n; k++)
    for (int u = 0; u < CAS_V; u++) {
      const int i = k * CAS_STRIDE(s) + u * CAS_VL;
      CAS_FN(add_to)(x + i, carry ? carry + i : NULL, scale * d[k * CAS_V + u]);
    }
}

#if CAS_FEATURE_COADJOINT
/* psi from coefficients that begin `by` doubles behind those of a step */
CAS_INLINE void CAS_FN(psi_of_set)(const cas_stepper *s, cas_lanes c, int by, const cas_vec *x,
                                   cas_vec *xi) {
  CAS_FN(psi)(s, (cas_lanes){c.base + by, c.stride}, x, xi);
}

/* out = Ad*_exp(xi) mu - mu; workspace: two arrays. Where the algebra has no closed form, the terms
   ad*_xi^j mu / j! of the series until they are below rounding of mu, at most `terms` of them. */
CAS_INLINE void CAS_FN(exponential)(const cas_stepper *s, int terms CAS_UNUSED, const cas_vec *xi,
                                    const cas_vec *mu, cas_vec *workspace CAS_UNUSED,
                                    cas_vec *out) {
#if CAS_FEATURE_IF(CAS_ALG(EXPONENTIAL))
  CAS_ALG(exponential)(&s->geometry, CAS_V, xi, mu, out);
#else
  const int n = CAS_SIZE(s);
  cas_vec *term = workspace, *next = workspace + n, scale = {0};
  for (int i = 0; i < n; i++)
    scale = cas_vec_max(cas_vec_abs(mu[i]), scale);
  CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, mu, term);
  for (int i = 0; i < n; i++)
    out[i] = term[i];
  for (int j = 2, more = 1; more && j <= terms; j++) {
    CAS_ALG(coadjoint)(&s->geometry, CAS_V, xi, term, next);
    cas_vec largest = {0};
    for (int i = 0; i < n; i++) {
      term[i] = next[i] * (1.0 / j);
      out[i] += term[i];
      largest = cas_vec_max(cas_vec_abs(term[i]), largest);
    }
    more = cas_vec_any_greater(largest, 0x1p-57 * scale);
  }
#endif
}
#endif

#if CAS_FEATURE_ATTITUDE
/* Turns the attitude of vector u of a group of lanes: q <- q (1 - versine, v), and a step of
   Newton's method for the length 1. Both as an increment. */
CAS_INLINE void CAS_FN(turn)(const cas_stepper *s, int u, cas_quaternion by, double *x,
                             double *carry) {
  const int stride = CAS_STRIDE(s), at = CAS_K(s) * stride + u * CAS_VL;
  cas_vec q[4], d[4], excess = cas_vec_splat(-1);
  for (int k = 0; k < 4; k++)
    q[k] = cas_vec_load(x + at + k * stride);
  cas_vec3 turned = cas_vec3_cross((cas_vec3){{q[1], q[2], q[3]}}, by.v);
  d[0] = -by.versine * q[0] - (q[1] * by.v.v[0] + q[2] * by.v.v[1] + q[3] * by.v.v[2]);
  for (int k = 0; k < 3; k++)
    d[1 + k] = q[0] * by.v.v[k] + turned.v[k] - by.versine * q[1 + k];
  for (int k = 0; k < 4; k++)
    excess += (q[k] + d[k]) * (q[k] + d[k]);
  for (int k = 0; k < 4; k++) {
    const int i = at + k * stride;
    CAS_FN(add_to)(x + i, carry ? carry + i : NULL, d[k] - 0.5 * excess * (q[k] + d[k]));
  }
}

CAS_INLINE void CAS_FN(turn_by_exp)(const cas_stepper *s, const cas_vec *xi, double *x,
                                    double *carry) {
  for (int u = 0; u < CAS_V; u++) {
    cas_vec3 half = {{0.5 * xi[u], 0.5 * xi[CAS_V + u], 0.5 * xi[2 * CAS_V + u]}};
    cas_vec t = cas_vec3_dot(half, half);
    CAS_FN(turn)(s, u, cas_quaternion_twice(cas_rotation_of(t), t, half), x, carry);
  }
}

CAS_INLINE void CAS_FN(turn_by_cayley)(const cas_stepper *s, double scale, const cas_vec *xi,
                                       double *x, double *carry) {
  for (int u = 0; u < CAS_V; u++) {
    cas_vec3 by = {{scale * xi[u], scale * xi[CAS_V + u], scale * xi[2 * CAS_V + u]}};
    CAS_FN(turn)(s, u, cas_quaternion_cayley(by), x, carry);
  }
}
#endif

#include "integrators/anderson.h"

/* The list of schemes, or a file of a user that `casimir build` compiles. */
#ifndef CAS_SCHEMES
#define CAS_SCHEMES "integrators/integrators.def"
#endif
#define CAS_SCHEME(name, need, ...)
#define CAS_HAS(feature) CAS_FEATURE_##feature
#include CAS_SCHEMES
#undef CAS_SCHEME
#undef CAS_HAS

#define CAS_STEP_1(name) {#name, CAS_FN(name)},
#define CAS_STEP_0(name)
#define CAS_SCHEME(name, need, ...) CAS_ISA_PASTE(CAS_STEP_, CAS_FEATURE_##need)(name)
#define CAS_HAS(feature) 0
static const cas_scheme_step CAS_FN(steps)[] = {
#include CAS_SCHEMES
    {0}};
#undef CAS_SCHEME
#undef CAS_HAS
#undef CAS_STEP_1
#undef CAS_STEP_0

#if CAS_FEATURE_COADJOINT
static void CAS_FN(psi_of_group)(const cas_stepper *s, const double *coef, const double *x,
                                 double *xi) {
  CAS_FN(psi)
  (s, (cas_lanes){coef, CAS_STRIDE(s)}, (const cas_vec *)(const void *)x, (cas_vec *)(void *)xi);
}
#endif

enum {
  CAS_FN(features) =
#define CAS_FEATURE(name, why) CAS_##name *CAS_FEATURE_##name |
#include "integrators/features.def"
#undef CAS_FEATURE
      0
};

static const cas_body CAS_FN(body) = {
    .algebra = CAS_ALG(NAME),
    .features = CAS_FN(features),
    .steps = CAS_FN(steps),
#if CAS_FEATURE_COADJOINT
    .psi = CAS_FN(psi_of_group),
#endif
    .lanes = CAS_LANES,
};

#undef CAS_K
#undef CAS_STRIDE
#undef CAS_END
#undef CAS_LANES
#undef CAS_V
#undef CAS_SIZE
#undef CAS_GROUPS
#undef CAS_NEXT
#undef CAS_WORKSPACE
#undef SYS
#undef SYS_ALGEBRA
#undef SYS_COMPONENTS
#undef SYS_VECTORS
#undef SYS_LANES
#undef SYS_ONE_PATH
#undef SYS_PSI_BRACKET
#undef SYS_ITO
#undef SYS_FIELDS
#undef SYS_FLOWS
#undef SYS_PARTS
#undef SYS_AFFINE
#undef SYS_GRADIENT
#undef SYS_ATTITUDE
