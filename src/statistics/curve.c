/* Error curves: their memory, and how a step size is written. */
#include <casimir/statistics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cas_fit no_fit = {NAN, NAN, NAN, NAN};

static double *filled(int n, double value) {
  double *x = malloc((size_t)(n > 0 ? n : 1) * sizeof *x);

  for (int i = 0; x && i < n; i++)
    x[i] = value;
  return x;
}

cas_status cas_curve_init(cas_curve *c, cas_error_kind kind, const char *name, int levels,
                          cas_error *err) {
  memset(c, 0, sizeof *c);
  if (levels < 1)
    return cas_fail(err, CAS_INTERNAL, "an error curve of %d levels", levels);
  c->kind = kind;
  c->levels = levels;
  c->expected_order = NAN;
  c->raw = c->corrected = no_fit;
  snprintf(c->name, sizeof c->name, "%s", name);
  snprintf(c->unit, sizeof c->unit, "1");
  c->error = filled(levels, NAN);
  c->standard_error = filled(levels, NAN);
  c->resolved = calloc((size_t)levels, sizeof *c->resolved);
  c->local_order = filled(levels - 1, NAN);
  c->local_order_corrected = filled(levels - 1, NAN);
  if (kind == CAS_WEAK) {
    c->mean = filled(levels + 1, NAN);
    c->mean_standard_error = filled(levels + 1, NAN);
  }
  if (c->error && c->standard_error && c->resolved && c->local_order && c->local_order_corrected &&
      (kind == CAS_STRONG || (c->mean && c->mean_standard_error)))
    return CAS_OK;
  cas_curve_free(c);
  return cas_fail(err, CAS_NO_MEMORY, "no memory for an error curve of %d levels", levels);
}

void cas_curve_free(cas_curve *c) {
  if (!c)
    return;
  free(c->error);
  free(c->standard_error);
  free(c->resolved);
  free(c->local_order);
  free(c->local_order_corrected);
  free(c->mean);
  free(c->mean_standard_error);
  memset(c, 0, sizeof *c);
}

void cas_step_format(double step, char *text, size_t size) {
  int exponent = 0;

  if (isfinite(step) && frexp(step, &exponent) == 0.5)
    snprintf(text, size, "2^%d", exponent - 1);
  else
    snprintf(text, size, "%.6g", step);
}
