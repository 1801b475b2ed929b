/* Averages over time: means of batches, their running mean, the average with its interval; and how
   long observables are correlated. */
#include "studies/laws/time_average.h"
#include "present/pictures/drawn.h"
#include <math.h>

static bool matches_time_average(const cas_source *s) {
  return cas_drawn_table(s, "time_average", 0);
}

/* The running mean of all batches up to one stands at the end of this batch. */
static bool write_batches(cas_figure *g, const cas_time_average *a, int i) {
  double begin = a->from, sum = 0;
  bool any = false;
  CAS_FIGURE_DATA(g, cas_figure_name(g, "batches_%d", i + 1), {"middle", CAS_FIGURE_TIME_UNIT},
                  {"mean", a->unit}, {"two_standard_errors", a->unit},
                  {"end", CAS_FIGURE_TIME_UNIT}, {"running_mean", a->unit});
  for (int k = 0; k < a->batches; k++) {
    sum += a->batch_mean[k];
    CAS_FIGURE_ROW(g, (begin + a->end[k]) / 2, a->batch_mean[k], 2 * a->batch_standard_error[k],
                   a->end[k], sum / (k + 1));
    any |= isfinite(a->batch_mean[k]);
    begin = a->end[k];
  }
  cas_figure_data_end(g);
  return any;
}

/* Observable i of n. */
static bool write_observable(cas_figure *g, const cas_time_average *a, int i, int n) {
  const cas_time_mean *m = &a->average;
  cas_figure_text_of(g, "name", i, n, CAS_FIGURE_AS_IT_IS, a->name);
  cas_figure_text_of(g, "units", i, n, CAS_FIGURE_UNITS, a->unit);
  cas_picture_interval_of(g, "average", i, n, m->mean, m->low, m->high);
  cas_picture_interval_of(g, "autocorrelation", i, n, m->autocorrelation_time,
                          m->autocorrelation_low, m->autocorrelation_high);
  cas_figure_count_of(g, "short_batches", i, n, m->short_batches);
  return write_batches(g, a, i);
}

static cas_status draw_time_average(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                    cas_error *err) {
  const cas_time_average *first = cas_drawn_table(s, "time_average", 0)->object;
  bool any = false;
  int observables = cas_drawn_tables(g, s, "time_average");
  cas_figure_count(g, "observables", observables);
  cas_figure_count(g, "paths", first->counted);
  cas_figure_count(g, "batches", first->batches);
  cas_figure_real(g, "start", first->from);
  cas_figure_real(g, "end", first->to);
  for (int i = 0; i < observables; i++)
    any |= write_observable(g, cas_drawn_table(s, "time_average", i)->object, i, observables);
  return any ? CAS_OK : cas_figure_nothing(s->file, "mean of a batch", err);
}

const cas_picture cas_picture_time_average = {
    .name = "time_average",
    .summary = "means of batches over time, the average, and autocorrelation times",
    .needs = "the averages of a time_average study",
    .files = 1,
    .matches = matches_time_average,
    .draw = draw_time_average,
};
