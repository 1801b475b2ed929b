/* Statistics from what all ranks have collected. */
#include "base/owned.h"
#include "engine/outcome.h"
#include "engine/study/failures.h"
#include "statistics/reduce.h"
#include "studies/ensemble.h"

#include <float.h>
#include <tgmath.h>

/* ---- one quantity ---- */

static const double *sorted(const cas_sample *all, int q) {
  for (int64_t p = 0; p < all->paths; p++)
    all->one[p] = all->row[p][q];
  cas_histogram_sort(all->one, (size_t)all->paths);
  return all->one;
}

typedef struct {
  const cas_collector *g;
  const double *moments; /* of the total: count, mean, m2, m3, m4, minimum, maximum */
  cas_summary *total;
  const cas_sample *all;
  const cas_ensemble *e;
  int64_t *low, *high; /* [quantiles] ranks between which the quantile lies */
} source;

#define REAL double
#define PUT_NUMBER put_number
#include "studies/ensemble_number.h"

#define REAL long double
#define PUT_NUMBER put_long_number
#include "studies/ensemble_number.h"

/* A sum of fourth powers that is too small for a normal double is taken as not known. */
static void put_moments(const source *s, int q, cas_ensemble_observable *o, size_t i) {
  const size_t m = (size_t)s->g->study->quantities;
  const double *x = s->moments + 1 + q, m4 = x[m] > 0 && x[3 * m] < DBL_MIN ? NAN : x[3 * m];
  put_number(o, i, &(cas_central_moments){s->moments[0], x[0], x[4 * m], x[5 * m], x[m], m4, 0});
}

static void put_path_groups(const source *s, int q, cas_ensemble_observable *o, size_t i) {
  const int groups = s->e->path_groups;
  for (int k = 0; k < groups; k++) {
    const double *of = cas_summary_mean(s->g->shape, s->total, k);
    o->group_paths[k] = (int64_t)of[0];
    o->group_mean[i * (size_t)groups + (size_t)k] = of[0] > 0 ? of[1 + q] : NAN;
  }
}

static void put_histogram(const cas_histogram *h, int q, cas_ensemble_observable *o, size_t i) {
  size_t B = (size_t)h->bins;
  o->histogram.low[i] = h->low[q];
  o->histogram.width[i] = h->width[q];
  o->histogram.below[i] = h->below[q];
  o->histogram.above[i] = h->above[q];
  memcpy(o->histogram.paths + i * B, h->count + (size_t)q * B, B * sizeof *h->count);
}

/* A number that the value of this rank does not lie below (side 0) or above (side 1): that value
   where all are kept, or where `zeros` numbers are 0 and the others 1, else the outer edge of the
   bin that holds it. A place inside the bin would suppose that values are evenly spread there, and
   where they are not the interval of a quantile would miss it. */
static double bound_of(const source *s, const double *values, int64_t zeros, int q,
                       const cas_ensemble_observable *o, size_t i, int64_t rank, int side) {
  int64_t n = s->e->counted;
  double bounds[2];
  if (n == 0)
    return NAN;
  if (o->probability)
    return rank > zeros;
  if (rank < 1 || rank > n)
    return rank < 1 ? -INFINITY : INFINITY;
  if (values)
    return values[rank - 1];
  cas_histogram_bounds(&s->g->histogram, q, rank, o->minimum[i], o->maximum[i], bounds);
  return bounds[side];
}

/* Quantiles of numbers that are 0 or 1 follow from their mean: the least of both that a share p of
   the paths does not exceed. Bins would place them within a bin's width of that. */
static void put_quantiles(const source *s, int q, cas_ensemble_observable *o, size_t i) {
  const int Q = s->e->quantiles;
  const double n = (double)s->e->counted;
  const int64_t zeros = o->probability && n > 0 ? (int64_t)n - llround(o->mean.value[i] * n) : 0;
  size_t at = i * (size_t)Q;
  const double *values = s->e->exact && !o->probability && Q > 0 ? sorted(s->all, q) : NULL;
  for (int k = 0; k < Q; k++, at++) {
    const double p = s->e->probability[k];
    if (o->probability)
      o->quantile.value[at] = n > 0 ? fmax(ceil(p * n), 1) > (double)zeros : NAN;
    else if (values)
      o->quantile.value[at] = cas_histogram_sample_quantile(values, s->all->paths, p);
    else
      o->quantile.value[at] =
          cas_histogram_quantile(&s->g->histogram, q, p, o->minimum[i], o->maximum[i]);
    o->quantile.low[at] = bound_of(s, values, zeros, q, o, i, s->low[k], 0);
    o->quantile.high[at] = bound_of(s, values, zeros, q, o, i, s->high[k], 1);
  }
}

/* ---- all of them ---- */

static void fill_observables(const source *s) {
  const cas_ensemble_study *study = s->g->study;
  int offset = 0;
  for (int i = 0; i < s->e->observables; i++) {
    cas_ensemble_observable *o = &s->e->observable[i];
    for (int t = 0; t < s->e->records; t++)
      for (int k = 0; k < o->numbers; k++) {
        int q = t * study->observables.numbers + offset + k;
        size_t at = (size_t)t * (size_t)o->numbers + (size_t)k;
        put_moments(s, q, o, at);
        put_path_groups(s, q, o, at);
        put_histogram(&s->g->histogram, q, o, at);
        put_quantiles(s, q, o, at);
      }
    offset += o->numbers;
  }
}

/* Whether every path of the moments is in a bin or beside the bins, and among the values held. */
static bool is_counted(const cas_collector *g, const cas_sample *all, int64_t paths) {
  const cas_histogram *h = &g->histogram;
  for (int q = 0; q < h->quantities; q++) {
    int64_t n = h->below[q] + h->above[q];
    for (int b = 0; b < h->bins; b++)
      n += h->count[(size_t)q * (size_t)h->bins + (size_t)b];
    if (n != paths)
      return false;
  }
  return !g->study->exact || all->paths == paths;
}

static bool is_probability(const cas_study_run *r, int observable) {
  const cas_ensemble_study *study = r->prepared;
  return study->bins > 0 && study->observables.observable[observable].formula.is_event &&
         !cas_problem_is_exact(&r->problem);
}

/* Bytes are those of the table of each observable, which is given one axis of all its numbers. */
size_t cas_ensemble_result_bytes(const cas_study_run *r) {
  const cas_ensemble_study *study = r->prepared;
  const cas_ensemble_options *options = r->options;
  cas_ensemble e = {.records = study->records,
                    .bins = study->bins,
                    .quantiles = study->bins ? options->quantiles.n : 0,
                    .path_groups = r->path_groups};
  const cas_table whole = {&cas_table_ensemble, &e, NULL};
  size_t bytes = 0;
  for (int i = 0; i < study->observables.n; i++) {
    cas_ensemble_observable o = {.axes = 1, .probability = is_probability(r, i)};
    const cas_table t = {cas_table_ensemble.parts.kind, &o, &whole};
    o.axis[0].length = study->observables.observable[i].numbers;
    for (const cas_field *f = t.kind->columns; f->name; f++)
      bytes += cas_table_count(&t, f) * cas_field_size(f->type);
  }
  return bytes;
}

static cas_status create_results(const cas_collector *g, cas_results *results, cas_ensemble **out,
                                 cas_error *err) {
  const cas_study_run *r = g->run;
  const cas_ensemble_options *o = r->options;
  const cas_ensemble_study *study = g->study;
  CAS_CALL(cas_ensemble_create(results, study->records, study->bins ? o->quantiles.n : 0,
                               study->bins, study->observables.n, out, err));
  cas_ensemble *e = *out;
  e->apart = study->bins == 0 && g->file;
  e->path_groups = r->path_groups;
  for (int i = 0; i < study->observables.n; i++) {
    cas_file_dataset d;
    cas_observable_dataset(&study->observables.observable[i], &d);
    e->observable[i].probability = is_probability(r, i);
    CAS_CALL(cas_ensemble_observe(e, i, d.name, d.long_name, d.unit, d.axes, d.axis, err));
  }
  e->members = study->members;
  e->exact = study->exact;
  for (int t = 0; t < e->records; t++)
    e->time[t] = (double)study->at[t] * r->plan.h[0];
  for (int k = 0; k < e->quantiles; k++)
    e->probability[k] = o->quantiles.value[k];
  return CAS_OK;
}

static cas_status fill_results(cas_collector *g, cas_summary *total, const cas_sample *all,
                               cas_results *out, cas_error *err) {
  const double *moments = cas_summary_group(g->shape, total, 0);
  cas_ensemble *e = NULL;
  CAS_CALL(cas_outcome_fill(g->state, g->shape, total, out, err));
  CAS_FAIL_IF(g->study->bins && !is_counted(g, all, (int64_t)moments[0]), CAS_INTERNAL,
              "the histograms do not hold %.0f paths: a defect of casimir", moments[0]);
  CAS_CALL(create_results(g, out, &e, err));
  e->counted = (int64_t)moments[0];
  const double share = cas_failures_share(g->run, &out->health);
  for (int i = 0; out->health.failed_paths > 0 && i < e->observables; i++) {
    cas_ensemble_observable *o = &e->observable[i];
    o->bias_bound = e->counted ? cas_failures_mean_bound(g->run, share, o->name) : NAN;
  }
  if (g->study->bins == 0)
    return CAS_OK;
  CAS_OWNED int64_t *ranks = malloc(2 * ((size_t)e->quantiles + 1) * sizeof *ranks);
  CAS_NEED(ranks);
  const source s = {g, moments, total, all, e, ranks, ranks + e->quantiles};
  for (int k = 0; k < e->quantiles; k++)
    cas_quantile_ranks(e->counted, e->probability[k], 0.95, &s.low[k], &s.high[k]);
  fill_observables(&s);
  return CAS_OK;
}

/* ---- moments, part by part ---- */

/* Whole records of one observable, and what the ranks need to put them together. */
typedef struct {
  cas_collector *g;
  cas_ensemble *e;               /* where to, on rank 0, if there is no file */
  int64_t counted;               /* paths */
  cas_power_sums *sum;           /* [most numbers of a part] */
  cas_ensemble_observable apart; /* its columns, [most numbers of a part], if there is a file */
  const double **column;         /* [cas_ensemble_columns()] these in their order */
  int observable;
  int64_t record, records, numbers; /* of a record */
  int64_t first;                    /* of the quantities */
} part;

/* Parts go to the ranks in turn, or to rank 0 if there is no file. */
static cas_status put_part(const part *p, int64_t turn, cas_error *err) {
  const cas_collector *g = p->g;
  const int to = g->file ? (int)(turn % g->run->ranks) : 0,
            group = p->observable + (g->study->members > 0);
  const int64_t n = p->records * p->numbers;
  cas_status st = cas_power_sums_reduce(g->sum + p->first, n, to, g->run->comm, p->sum, err);
  if (!st && g->run->rank == to) {
    const cas_ensemble_observable *o = g->file ? &p->apart : &p->e->observable[p->observable];
    const int64_t at = g->file ? 0 : p->record * p->numbers; /* of the part in these columns */
    for (int64_t i = 0; i < n; i++) {
      const cas_central_moments m = cas_power_sums_moments(&p->sum[i], p->counted);
      put_long_number(o, (size_t)(at + i), &m);
    }
    if (g->file)
      st = cas_trajectory_write_group(g->file, group, p->record, p->records, 0, 1, p->column, err);
  }
  return cas_agree(st, g->run->comm, err);
}

static cas_status put_parts(part p, cas_error *err) {
  const cas_ensemble_study *study = p.g->study;
  const int64_t most = cas_ensemble_part_numbers(study);
  int64_t turn = 0;
  for (; p.observable < study->observables.n; p.observable++) {
    p.numbers = study->observables.observable[p.observable].numbers;
    for (p.record = 0; p.record < study->records; p.record += p.records) {
      p.records = cas_count_least(study->records - p.record, most / p.numbers);
      CAS_CALL(put_part(&p, turn++, err));
      p.first += p.records * p.numbers;
    }
  }
  return CAS_OK;
}

/* counted: on rank 0. */
static cas_status put_all_parts(cas_collector *g, int64_t counted, cas_ensemble *e,
                                cas_error *err) {
  const size_t most = (size_t)cas_ensemble_part_numbers(g->study);
  CAS_OWNED cas_power_sums *sum = malloc(most * sizeof *sum);
  const size_t columns = (size_t)cas_ensemble_columns();
  CAS_OWNED double *numbers = malloc(columns * most * sizeof *numbers);
  CAS_OWNED const double **column = malloc(columns * sizeof *column);
  CAS_CALL(cas_agree(sum && numbers && column ? CAS_OK : cas_no_memory(err), g->run->comm, err));
  part p = {.g = g, .e = e, .counted = counted, .sum = sum, .column = column};
  for (size_t k = 0; k < columns; k++) {
    column[k] = numbers + k * most;
    memcpy((char *)&p.apart + cas_ensemble_column((int)k)->offset, &column[k], sizeof *column);
  }
  cas_bcast(&p.counted, 1, MPI_INT64_T, 0, g->run->comm);
  cas_collector_know(g);
  free(g->value);
  g->value = NULL;
  return put_parts(p, err);
}

cas_status cas_ensemble_results(cas_collector *g, cas_summary *total, cas_results *out,
                                cas_error *err) {
  CAS_OWNED_BY(cas_sample_free) cas_sample all = {0};
  MPI_Comm comm = g->run->comm;
  const bool root = g->run->rank == 0;
  if (g->study->bins == 0) {
    CAS_CALL(cas_agree(root ? fill_results(g, total, &all, out, err) : CAS_OK, comm, err));
    cas_ensemble *e = root ? cas_results_ensemble(out) : NULL;
    return put_all_parts(g, e ? e->counted : 0, e, err);
  }
  cas_collector_know(g);
  CAS_CALL(cas_agree(cas_histogram_sum(&g->histogram, g->histogram.count, comm, err), comm, err));
  if (g->study->exact)
    CAS_CALL(cas_sample_collect(g, &all, err));
  return root ? fill_results(g, total, &all, out, err) : CAS_OK;
}
