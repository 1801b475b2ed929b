#include "language/expressions/forms.h"

void cas_quadratics_free(cas_quadratics *q) {
  free(q->matrix);
  free(q->vector);
  *q = (cas_quadratics){0};
}

/* d2 H_k / dx_i dx_j as second[(k n + i) n + j], up to the first that depends on the state. */
static bool derive_twice(cas_hamiltonians *h, int *second, cas_form_place *place) {
  const int n = h->components;
  bool done = true;
  for (int row = 0; row < (1 + h->noises) * n && done && place->k < 0; row++) {
    done = cas_operations_gradient(&h->list, h->gradient[row], n, second + row * n);
    for (int j = 0; done && j < n && place->k < 0; j++)
      if (!cas_hamiltonians_is_constant(h, second[row * n + j]))
        *place = (cas_form_place){row / n, row % n, j};
  }
  return done;
}

/* Their numbers, and those of the gradients where the state is 0, which have to be finite. */
static bool fill_quadratics(const cas_hamiltonians *h, const int *second, cas_quadratics *q,
                            cas_form_place *place) {
  const int n = h->components;
  /* value[list.n] of all operations where all variables are 0 */
  CAS_OWNED double *x = calloc((size_t)cas_hamiltonians_xi(h, h->components), sizeof *x);
  CAS_OWNED double *value = calloc((size_t)h->list.n + 1, sizeof *value);
  if (!x || !value)
    return false;
  cas_operations_evaluate(&h->list, 0, x, value);
  for (int row = 0; row < (1 + h->noises) * n; row++) {
    q->vector[row] = value[h->gradient[row]];
    bool finite = isfinite(q->vector[row]);
    for (int j = 0; j < n; j++) {
      q->matrix[row * n + j] = value[second[row * n + j]];
      finite &= isfinite(q->matrix[row * n + j]);
    }
    if (!finite && place->k < 0)
      *place = (cas_form_place){row / n, row % n, row % n};
  }
  return true;
}

bool cas_quadratics_find(cas_hamiltonians *h, cas_quadratics *q, cas_form_place *place) {
  const size_t n = (size_t)h->components, rows = (size_t)(1 + h->noises) * n;
  CAS_OWNED int *second = calloc(rows * n, sizeof *second);
  *place = (cas_form_place){-1, 0, 0};
  *q = (cas_quadratics){h->components, calloc(rows * n, sizeof *q->matrix),
                        calloc(rows, sizeof *q->vector)};
  return second && q->matrix && q->vector && derive_twice(h, second, place) &&
         (place->k >= 0 || fill_quadratics(h, second, q, place));
}

bool cas_forms_find_coupling(const cas_hamiltonians *h, cas_form_place *place) {
  const int n = h->components;
  CAS_OWNED bool *uses = calloc((size_t)h->list.n + 1, sizeof *uses);
  *place = (cas_form_place){-1, 0, 0};
  for (int j = 0; uses && j < n && place->k < 0; j++) {
    cas_operations_dependence(&h->list, j, j + 1, uses);
    for (int row = 0; row < (1 + h->noises) * n && place->k < 0; row++)
      if (row % n != j && uses[h->gradient[row]])
        *place = (cas_form_place){row / n, row % n, j};
  }
  return uses;
}
