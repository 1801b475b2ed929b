/* Quantiles of strong errors over paths against the step size. */
#include "present/pictures/drawn.h"
#include "studies/strong_quantiles.h"
#include <math.h>

static bool matches_quantiles(const cas_source *s) {
  return cas_results_strong_quantiles(&s->results);
}

static const cas_drawn_block blocks[] = {
    {"quantile_%d",
     CAS_DRAWN_POSITIVE,
     {CAS_DRAWN_INTERVAL("error", "error_low", "error_high", "quantile")}},
    {0}};

static cas_status draw_quantiles(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                 cas_error *err) {
  const cas_strong_quantiles *q = cas_results_strong_quantiles(&s->results);
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
  }
  return cas_drawn_blocks_write(g, &s->results, cas_drawn_table(s, "strong_quantiles", 0), 0,
                                blocks)
             ? CAS_OK
             : cas_figure_nothing(s->file, "quantile", err);
}

const cas_picture cas_picture_quantiles = {
    .name = "quantiles",
    .summary = "quantiles of strong errors over paths against the step size",
    .needs = "the quantiles of a strong_quantiles study",
    .files = 1,
    .matches = matches_quantiles,
    .draw = draw_quantiles,
};
