/* Forms of the Hamiltonians of lie_poisson on so3 and se3 for which more is known: exact flows of
   parts, matrices of second derivatives, the Ito drift. */
#include "systems/dissipation.h"
#include "systems/written/lie_poisson.h"

#include <stdio.h>
#include <stdlib.h>

/* The first entry of A_k that is not 0 and not one that the form has: off the diagonal on so3; on
   se3 that of a component of Gamma. */
static cas_form_place find_entry(const cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n;
  for (int e = 0; e < (1 + p->h.noises) * n * n; e++) {
    const int i = e / n % n, j = e % n;
    if (q->matrix[e] != 0 && (n == 3 ? i != j : i > 2 || j > 2))
      return (cas_form_place){e / n / n, i, j};
  }
  return (cas_form_place){-1, 0, 0};
}

/* Coefficients of a step: entries of sum_k c_k A_k, those on the diagonal or the upper half of the
   first three, and of sum_k c_k b_k. */
static bool make_rows(cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n, columns = 1 + p->h.noises;
  double *matrix = calloc((size_t)((6 + n) * columns), sizeof *matrix);
  int rows = 0;
  cas_step_sums_free(&p->program.once);
  for (int i = 0; matrix && i < 3; i++)
    for (int j = i; j < (p->form == CAS_LIE_POISSON_AXES ? i + 1 : 3); j++, rows++)
      for (int k = 0; k < columns; k++)
        matrix[rows * columns + k] = q->matrix[(k * n + i) * n + j];
  for (int i = 0; matrix && i < n; i++, rows++)
    for (int k = 0; k < columns; k++) {
      matrix[rows * columns + k] = q->vector[k * n + i];
      p->has_linear |= q->vector[k * n + i] != 0;
    }
  bool made = matrix && cas_step_sums_make(rows, columns, matrix, &p->program.once);
  free(matrix);
  return made;
}

/* With g = x x Q x, sum_k (D g_k) g_k of diagonal Q_k is x_i sum_j ito_ij x_j^2. */
static bool find_ito(cas_lie_poisson *p) {
  cas_quadratics q;
  cas_form_place place;
  bool done = cas_quadratics_find(&p->h, 1, &q, &place);
  p->squares = done && place.k < 0 && find_entry(p, &q).k < 0;
  for (int k = 1; p->squares && k <= p->h.noises; k++) {
    const double *b = q.vector + 3 * k;
    double a[3];
    for (int i = 0; i < 3; i++)
      a[i] = q.matrix[9 * k + 4 * i];
    p->squares = b[0] == 0 && b[1] == 0 && b[2] == 0;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      p->ito[i][j] += (a[l] - a[j]) * (a[j] - a[i]);
      p->ito[i][l] += (a[l] - a[j]) * (a[i] - a[l]);
    }
  }
  cas_quadratics_free(&q);
  return done;
}

bool CAS_ISA(cas_lie_poisson_find_form)(cas_lie_poisson *p) {
  cas_quadratics q;
  if (p->algebra != CAS_LIE_POISSON_SO3 && p->algebra != CAS_LIE_POISSON_SE3)
    return true;
  bool done = cas_quadratics_find(&p->h, 0, &q, &p->not_affine) &&
              cas_forms_find_coupling(&p->h, &p->not_separate);
  if (done && p->algebra == CAS_LIE_POISSON_SE3 && p->not_affine.k < 0)
    p->not_affine = find_entry(p, &q);
  if (cas_dissipation_given(&p->dissipation)) {
    cas_quadratics_free(&q);
    return done;
  }
  if (done && p->not_affine.k < 0)
    p->form = p->algebra == CAS_LIE_POISSON_SO3 && find_entry(p, &q).k < 0 ? CAS_LIE_POISSON_AXES
                                                                           : CAS_LIE_POISSON_AFFINE;
  else if (done && p->algebra == CAS_LIE_POISSON_SO3 && p->not_separate.k < 0)
    p->form = CAS_LIE_POISSON_SEPARATE;
  if (done && (p->form == CAS_LIE_POISSON_AXES || p->form == CAS_LIE_POISSON_AFFINE))
    done = make_rows(p, &q);
  cas_quadratics_free(&q);
  return done && (p->algebra != CAS_LIE_POISSON_SO3 || find_ito(p));
}

/* Why there are no exact flows of parts, or no matrix of second derivatives; where nothing is
   configured, where there are. */
void CAS_ISA(cas_lie_poisson_misfit)(const void *parameters_, unsigned missing, char *out,
                                     size_t size) {
  const cas_lie_poisson *p = parameters_;
  const cas_form_place *at = missing & CAS_FLOWS ? &p->not_separate : &p->not_affine;
  if (!p->component && missing & CAS_FLOWS)
    snprintf(out, size, "fits sums of functions of one component each, on so3");
  else if (!p->component && missing & CAS_AFFINE)
    snprintf(out, size,
             "fits Hamiltonians of at most second degree on so3, and on se3 those of at most "
             "second degree in Pi and linear in Gamma");
  else if (missing & CAS_FLOWS && p->algebra != CAS_LIE_POISSON_SO3)
    snprintf(out, size,
             "it needs exact flows of parts of the Hamiltonians, which of expressions are known on "
             "so3 alone, not on %s",
             CAS_ISA(cas_lie_poisson_algebras)[p->algebra]);
  else if (missing & CAS_FLOWS)
    snprintf(
        out, size,
        "it needs exact flows of parts of the Hamiltonians, which are known of functions of one "
        "component each and their sums: the derivative of H_%d with respect to %s depends on %s",
        at->k, p->component[at->i], p->component[at->j]);
  else if (missing & CAS_AFFINE &&
           (p->algebra == CAS_LIE_POISSON_SO3 || p->algebra == CAS_LIE_POISSON_SE3))
    snprintf(out, size,
             "it needs Hamiltonians of at most second degree%s: the second derivative of H_%d with "
             "respect to %s and %s %s",
             p->algebra == CAS_LIE_POISSON_SE3 ? " in Pi, and linear in Gamma" : "", at->k,
             p->component[at->i], p->component[at->j],
             p->algebra == CAS_LIE_POISSON_SE3 && (at->i > 2 || at->j > 2) ? "is not 0"
                                                                           : "is not constant");
}
