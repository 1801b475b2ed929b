/* Euler and Maruyama's method with forces, friction and velocities at the end of a step, and noise
   at its beginning, v' being the velocity then:

       q_{n+1} = retract(q_n, v'),  p_{n+1} = p_n + h (F(q_{n+1}) - C v') + noise at q_n */
CAS_SCHEME(implicit_euler_maruyama, DRIFT,
           .summary = "drift-implicit Euler and Maruyama for positions and momenta",
           .source = "Kloeden and Platen, Numerical Solution of Stochastic Differential Equations, "
                     "section 12.2",
           .scale = 1, .strong_order = 1.0, .strong_order_commuting = 1.0, .weak_order = 1.0,
           .order = 1.0, .is_solvable = true, .evaluations = {0, 1},
           .arrays = CAS_FIXED_POINT_ARRAYS)

#if CAS_HAS(DRIFT)

/* next = what a step with the velocity v' of X_n + D adds; `first` keeps what the noise adds. */
CAS_INLINE void CAS_FN(implicit_euler_maruyama_map)(cas_fixed_point *g) {
  const cas_stepper *s = g->s;
  const int n = CAS_SIZE(s);
  const double *metric = CAS_FN(metric)(s);
  cas_vec *z = g->point, *v = g->xi, *m = g->workspace, *w = m + n;
  if (g->iterations == 0) {
    for (int i = 0; i < n; i++) {
      z[i] = g->xn[i];
      g->first[i] = cas_vec_splat(0);
    }
    CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, z, v, m);
    CAS_FN(kick)(s, g->coef, 0, true, z, m);
    CAS_ALG(place)(&s->geometry, CAS_V, m, z, g->first);
  }
  for (int i = 0; i < n; i++)
    z[i] = g->xn[i] + g->d[i];
  CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, z, v, m);
  for (int i = 0; i < n; i++) {
    g->next[i] = g->first[i];
    z[i] = g->xn[i] + g->first[i];
  }
  CAS_ALG(retract)(&s->geometry, CAS_V, s->h, v, z, g->next);
  CAS_ALG(dual)(&s->geometry, CAS_V, metric, 0, z, w, m);
  CAS_FN(kick)(s, g->coef, s->h, false, z, m);
  CAS_FN(drag)(s, s->h, z, v, m);
  CAS_ALG(place)(&s->geometry, CAS_V, m, z, g->next);
}

#define FIXED_POINT implicit_euler_maruyama
#include "integrators/fixed_point.h"

#endif
