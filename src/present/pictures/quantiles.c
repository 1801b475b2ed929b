/* Quantiles of strong errors over paths against the step size. */
#include "present/pictures/picture.h"
#include "studies/strong_quantiles.h"
#include <math.h>

static bool matches_quantiles(const cas_source *s) {
  return cas_results_strong_quantiles(&s->results);
}

/* Quantile k; true if there is any to draw. */
static bool write_quantile(cas_figure *g, const cas_results *r, const cas_strong_quantiles *q,
                           int k) {
  bool any = false;
  CAS_FIGURE_DATA(g, cas_figure_name(g, "quantile_%d", k + 1), {"h", CAS_FIGURE_TIME_UNIT},
                  {"error", q->unit}, {"error_low", q->unit}, {"error_high", q->unit});
  for (int l = 0; l < q->levels; l++) {
    int i = l * q->probabilities + k;
    if (!(q->quantile[i] > 0 && isfinite(q->quantile[i])))
      continue;
    CAS_FIGURE_ROW(g, r->step[l], q->quantile[i], q->quantile_low[i], q->quantile_high[i]);
    any = true;
  }
  cas_figure_data_end(g);
  return any;
}

static cas_status draw_quantiles(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  const cas_strong_quantiles *q = cas_results_strong_quantiles(&s->results);
  bool any = false;
  (void)n;
  cas_figure_count(g, "quantiles", q->probabilities);
  cas_figure_count(g, "paths", q->counted);
  cas_figure_real(g, "fine", s->results.step[q->levels - 1]);
  cas_figure_real(g, "coarse", s->results.step[0]);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, q->unit);
  for (int k = 0; k < q->probabilities; k++) {
    int last = (q->levels - 2) * q->probabilities + k;
    cas_figure_real_of(g, "probability", k, q->probabilities, q->probability[k]);
    cas_picture_interval_of(g, "order", k, q->probabilities,
                            q->levels > 1 ? q->local_order[last] : NAN,
                            q->levels > 1 ? q->local_order_low[last] : NAN,
                            q->levels > 1 ? q->local_order_high[last] : NAN);
    any |= write_quantile(g, &s->results, q, k);
  }
  return any ? CAS_OK : cas_figure_nothing(s->file, "quantile", err);
}

const cas_picture cas_picture_quantiles = {
    .name = "quantiles",
    .summary = "quantiles of strong errors over paths against the step size",
    .needs = "the quantiles of a strong_quantiles study",
    .files = 1,
    .matches = matches_quantiles,
    .draw = draw_quantiles,
};
