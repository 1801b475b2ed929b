#include "expressions/forms.h"

#include <math.h>
#include <stdlib.h>

void cas_quadratics_free(cas_quadratics *q) {
  free(q->matrix);
  free(q->vector);
  *q = (cas_quadratics){0};
}

/* value[list.n] of all operations where all variables are 0 */
static double *values_at_zero(const cas_hamiltonians *h) {
  double *x = calloc((size_t)cas_variable_xi(h, h->components), sizeof *x),
         *value = calloc((size_t)h->list.n + 1, sizeof *value);
  if (x && value) {
    cas_evaluate(&h->list, x, value);
  } else {
    free(value);
    value = NULL;
  }
  free(x);
  return value;
}

/* second[(k n + i) n + j]: the operation d2 H_k / dx_i dx_j */
static bool derive_twice(cas_hamiltonians *h, int *second) {
  const int n = h->components;
  bool done = true;
  for (int row = 0; row < (1 + h->noises) * n && done; row++)
    done = cas_gradient(&h->list, h->gradient[row], n, second + row * n);
  return done;
}

static bool fill(const cas_hamiltonians *h, int first, const int *second, cas_quadratics *q,
                 cas_place *place) {
  const int n = h->components, rows = (1 + h->noises) * n;
  bool *uses = calloc((size_t)h->list.n + 1, sizeof *uses);
  double *value = values_at_zero(h);
  bool done = uses && value;
  if (done)
    cas_dependence(&h->list, 0, n, uses);
  for (int i = first * n * n; done && i < rows * n && place->k < 0; i++) {
    q->matrix[i] = value[second[i]];
    if (uses[second[i]] || !isfinite(q->matrix[i]))
      *place = (cas_place){i / n / n, i / n % n, i % n};
  }
  for (int i = first * n; done && i < rows && place->k < 0; i++) {
    q->vector[i] = value[h->gradient[i]];
    if (!isfinite(q->vector[i]))
      *place = (cas_place){i / n, i % n, i % n};
  }
  free(uses);
  free(value);
  return done;
}

bool cas_find_quadratics(cas_hamiltonians *h, int first, cas_quadratics *q, cas_place *place) {
  const size_t n = (size_t)h->components, rows = (size_t)(1 + h->noises) * n;
  int *second = calloc(rows * n, sizeof *second);
  *place = (cas_place){-1, 0, 0};
  *q = (cas_quadratics){h->components, calloc(rows * n, sizeof *q->matrix),
                        calloc(rows, sizeof *q->vector)};
  bool done = second && q->matrix && q->vector && derive_twice(h, second) &&
              fill(h, first, second, q, place);
  free(second);
  return done;
}

bool cas_find_coupling(const cas_hamiltonians *h, cas_place *place) {
  const int n = h->components;
  bool *uses = calloc((size_t)h->list.n + 1, sizeof *uses);
  *place = (cas_place){-1, 0, 0};
  for (int j = 0; uses && j < n && place->k < 0; j++) {
    cas_dependence(&h->list, j, j + 1, uses);
    for (int row = 0; row < (1 + h->noises) * n && place->k < 0; row++)
      if (row % n != j && uses[h->gradient[row]])
        *place = (cas_place){row / n, row % n, j};
  }
  bool done = uses;
  free(uses);
  return done;
}
