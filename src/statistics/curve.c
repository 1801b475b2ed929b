/* Error curves: their memory, and how a step size is written. */
#include <casimir/statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *filled(int n, double value) {
  double *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);

  for (int i = 0; x && i < n; i++)
    x[i] = value;
  return x;
}

/* The columns of a curve, of levels + extra numbers. */
#define COLUMN(member, longer, only_weak) \
  { offsetof(cas_curve, member), longer, only_weak }

static const struct {
  size_t offset;
  int extra;
  bool weak;
} columns[] = {
    COLUMN(error, 0, false),
    COLUMN(standard_error, 0, false),
    COLUMN(local_order, -1, false),
    COLUMN(local_order_error, -1, false),
    COLUMN(difference, -1, false),
    COLUMN(difference_error, -1, false),
    COLUMN(difference_order, -2, false),
    COLUMN(difference_order_error, -2, false),
    COLUMN(next_order, -3, false),
    COLUMN(next_order_error, -3, false),
    COLUMN(mean, 1, true),
    COLUMN(mean_standard_error, 1, true),
};

static double **column_of(cas_curve *c, size_t i) {
  return (double **)((char *)c + columns[i].offset);
}

cas_status cas_curve_init(cas_curve *c, cas_error_kind kind, const char *name, int levels,
                          cas_error *err) {
  memset(c, 0, sizeof *c);
  if (levels < 1)
    return cas_fail(err, CAS_INTERNAL, "an error curve of %d levels", levels);
  c->kind = kind;
  c->levels = levels;
  c->expected_order = NAN;
  c->raw = (cas_fit){NAN, NAN, NAN, NAN};
  c->extrapolated = (cas_extrapolation){NAN, NAN, NAN};
  cas_laws_clear(&c->laws);
  snprintf(c->name, sizeof c->name, "%s", name);
  snprintf(c->unit, sizeof c->unit, "1");
  c->resolved = calloc((size_t)levels, sizeof *c->resolved);
  bool all = c->resolved != NULL;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    double **column = column_of(c, i);
    if (kind == CAS_WEAK || !columns[i].weak)
      all &= (*column = filled(levels + columns[i].extra, NAN)) != NULL;
  }
  if (all)
    return CAS_OK;
  cas_curve_free(c);
  return cas_fail(err, CAS_NO_MEMORY, "no memory for an error curve of %d levels", levels);
}

void cas_curve_free(cas_curve *c) {
  if (!c)
    return;
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    free(*column_of(c, i));
  free(c->resolved);
  memset(c, 0, sizeof *c);
}

void cas_step_format(double step, char *text, size_t size) {
  int exponent = 0;

  if (isfinite(step) && frexp(step, &exponent) == 0.5)
    snprintf(text, size, "2^%d", exponent - 1);
  else
    snprintf(text, size, "%.6g", step);
}
