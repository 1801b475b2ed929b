/* Weak errors at several times and their supremum. Quantities of a path, for each functional and
   time: phi of the reference, then phi(X_j) - phi(X_ref) for each level j. */
#include "studies/laws/weak_times.h"
#include "engine/chunks.h"
#include "engine/outcome.h"
#include "paths/observables.h"
#include "results/table.h"
#include "studies/convergence.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  cas_convergence_options convergence;
  cas_formulas names;
  cas_reals times;
} times_options;

/* The study, as checked. */
typedef struct {
  cas_observables functionals;
  int times;
  int64_t *at; /* [times] finest steps, then the last step unless it is one of them */
} times_study;

static const cas_option options[] = {
    {.type = CAS_INCLUDE,
     .offset = offsetof(times_options, convergence),
     .section = cas_convergence_level_options},
    {.key = "functionals",
     .type = CAS_FORMULAS,
     .offset = offsetof(times_options, names),
     .help = "test functions of the system"},
    CAS_OPTION(times_options, REALS, times, .low = 0, .high = 1e300,
               .help = "ascending times after 0, multiples of the coarsest step"),
    {0}};

/* ---- the table ---- */

extern const cas_table_kind cas_table_weak_times;

enum { BY_STEP_AND_TIME = 0, BY_STEP = 2, BY_TIME = 3 };

#define COLUMN(member, by, meaning, unit) \
  CAS_FIELD_COLUMN(cas_weak_times, REAL, #member, member, by, meaning, unit)

static const cas_field columns[] = {
    COLUMN(error, BY_STEP_AND_TIME, "E phi(X_h) - E phi(X_ref)", NULL),
    COLUMN(standard_error, BY_STEP_AND_TIME, "its standard error", NULL),
    COLUMN(supremum, BY_STEP, "largest absolute value of the error over the times", NULL),
    COLUMN(supremum_low, BY_STEP, "lower end of its 95% interval", NULL),
    COLUMN(supremum_high, BY_STEP, "upper end of its 95% interval", NULL),
    COLUMN(local_order, -1, "order of the supremum between neighbouring levels", "1"),
    COLUMN(local_order_low, -1, "lower end of its 95% interval", "1"),
    COLUMN(local_order_high, -1, "upper end of its 95% interval", "1"),
    CAS_FIELD_STATISTIC(cas_weak_times, "mean", mean, BY_TIME, "E phi(X_ref)", NULL,
                        "realization: mean"),
    COLUMN(mean_standard_error, BY_TIME, "its standard error", NULL),
    {0}};

static const cas_field values[] = {CAS_FIELD_VALUE(cas_weak_times, INT64, "paths_counted", counted),
                                   CAS_FIELD_CHARACTERS(cas_weak_times, "units", unit),
                                   {0}};

static int axes(const cas_table *t, const cas_field *column, const cas_step_axes *steps,
                cas_file_axis axis[CAS_TABLE_AXES]) {
  const cas_weak_times *w = t->object;
  int n = 0;
  if (column->extra < 0)
    axis[n++] = steps->by[column->extra + 3];
  else if (column->extra != BY_TIME)
    axis[n++] = steps->by[3];
  if (column->extra == BY_TIME || column->extra == BY_STEP_AND_TIME)
    axis[n++] = (cas_file_axis){.name = "time",
                                .long_name = "time",
                                .unit = "time_unit",
                                .length = w->times,
                                .coordinates = w->time};
  return n;
}

static void get(cas_h5 *h, hid_t group, cas_table *t) {
  cas_weak_times *w = t->object;
  w->times = cas_h5_length(h, group, "time");
  if (!h->status && w->times < 1)
    cas_h5_refuse(h, "'weak_times' has no times");
  if (!h->status && !(w->time = calloc((size_t)w->times, sizeof *w->time)))
    cas_h5_no_memory(h);
  if (!h->status)
    cas_h5_get_column(h, group, "time", CAS_FIELD_REAL, w->times, w->time);
}

static void release_table(void *object) { free(((cas_weak_times *)object)->time); }

static void print_interval(FILE *f, const char *format, double low, double high) {
  char text[64];
  snprintf(text, sizeof text, format, low, high);
  fprintf(f, "  %-22s", isnan(low) ? "" : text);
}

static void print_step(FILE *f, double step) {
  char text[32];
  cas_step_format(step, text, sizeof text);
  fprintf(f, "  %-10s", text);
}

/* The place of the time whose error is the supremum. */
static double time_of_supremum(const cas_weak_times *w, int level) {
  for (int k = 0; k < w->times; k++)
    if (fabs(w->error[level * w->times + k]) == w->supremum[level])
      return w->time[k];
  return NAN;
}

static void print(FILE *f, const cas_results *r, const cas_table *t) {
  const cas_weak_times *w = t->object;
  fprintf(f, "\nWeak error of %s at %d time%s over %" PRId64 " path%s: supremum over the times\n",
          w->name, w->times, w->times == 1 ? "" : "s", w->counted, w->counted == 1 ? "" : "s");
  fprintf(f, "  %-10s%11s  %-22s%10s%7s  %s\n", "step h", "supremum", "95% interval", "at time",
          "order", "95% interval");
  for (int l = 0; l < w->levels; l++) {
    print_step(f, r->step[l]);
    cas_table_print_real(f, "%.3e", 11, w->supremum[l]);
    print_interval(f, "[%.2e, %.2e]", w->supremum_low[l], w->supremum_high[l]);
    cas_table_print_real(f, "%.5g", 10, time_of_supremum(w, l));
    cas_table_print_real(f, "%.3f", 7, l > 0 ? w->local_order[l - 1] : NAN);
    if (l > 0)
      print_interval(f, "[%.2f, %.2f]", w->local_order_low[l - 1], w->local_order_high[l - 1]);
    fputc('\n', f);
  }
  cas_table_print_reference(f, r, w->levels, NAN);
}

const cas_table_kind cas_table_weak_times = {
    .group = "weak_times",
    .place = CAS_TABLE_EACH,
    .size = sizeof(cas_weak_times),
    .columns = columns,
    .values = values,
    .name = offsetof(cas_weak_times, name),
    .unit = offsetof(cas_weak_times, unit),
    .levels = offsetof(cas_weak_times, levels),
    .axes = axes,
    .get = get,
    .release = release_table,
    .print = print,
};

/* ---- suprema ---- */

/* The interval of the supremum of one level; NaN where one of its errors has none. */
static void interval_of(const cas_weak_times *w, int level, double confidence, double *low,
                        double *high) {
  const double *error = w->error + level * w->times,
               *deviation = w->standard_error + level * w->times;
  double t = cas_student_quantile(1 - (1 - confidence) / w->times, (double)w->counted - 1);
  *low = *high = 0;
  for (int k = 0; k < w->times; k++) {
    double width = t * deviation[k];
    *low = isnan(width) ? NAN : fmax(*low, fabs(error[k]) - width);
    *high = isnan(width) ? NAN : fmax(*high, fabs(error[k]) + width);
  }
}

/* Fills suprema and orders from errors and their standard errors, NaN where there are none. */
static void conclude(const cas_run_state *r, cas_weak_times *w) {
  double low[2] = {0}, high[2] = {0};
  for (int l = 0; l < w->levels; l++) {
    w->supremum[l] = 0;
    for (int k = 0; k < w->times; k++)
      w->supremum[l] = fmax(w->supremum[l], fabs(w->error[l * w->times + k]));
    interval_of(w, l, 0.95, &w->supremum_low[l], &w->supremum_high[l]);
    interval_of(w, l, 0.975, &low[1], &high[1]);
    if (l > 0) {
      bool none = !(w->supremum[l - 1] > 0 && w->supremum[l] > 0);
      w->local_order[l - 1] =
          none ? NAN : cas_span_reference_order(r, l - 1, w->supremum[l - 1], w->supremum[l]);
      w->local_order_low[l - 1] = none ? NAN : cas_span_reference_order(r, l - 1, low[0], high[1]);
      w->local_order_high[l - 1] = none ? NAN : cas_span_reference_order(r, l - 1, high[0], low[1]);
    }
    low[0] = low[1];
    high[0] = high[1];
  }
}

/* ---- checking ---- */

static cas_status take_times(const cas_run_state *r, const times_options *o, times_study *v,
                             cas_error *err) {
  const cas_span *s = &o->convergence.span;
  const cas_time_span span = {.step = s->coarsest_step, .steps = s->coarsest_steps};
  v->times = o->times.n;
  v->at = calloc((size_t)v->times + 1, sizeof *v->at);
  if (!v->at)
    return cas_no_memory(err);
  for (int k = 0; k < v->times; k++) {
    CAS_CALL(cas_time_span_step(r, "study.times", &span, o->times.value[k], &v->at[k], err));
    if (v->at[k] <= (k > 0 ? v->at[k - 1] / r->plan.ratio[0] : 0))
      return cas_config_fail(r->config, err, "study.times", "found %.10g, must ascend from 0 on",
                             o->times.value[k]);
    v->at[k] *= r->plan.ratio[0];
  }
  v->at[v->times] = r->plan.steps;
  return v->times ? CAS_OK
                  : cas_config_fail(r->config, err, "study.times",
                                    "found an empty list, must have a time");
}

static cas_status prepare(cas_run_state *r, cas_error *err) {
  times_options *o = r->options;
  times_study *v = r->prepared;
  CAS_CALL(cas_convergence_plan(r, &o->convergence, err));
  CAS_CALL(cas_functionals_find(r->config, "study.functionals", &o->names, &r->problem,
                                &v->functionals, err));
  if (v->functionals.n == 0)
    return cas_config_fail(r->config, err, "study.functionals", "is empty");
  CAS_CALL(take_times(r, o, v, err));
  r->plan.observed = v->at;
  return CAS_OK;
}

static void release(cas_run_state *r) {
  times_study *v = r->prepared;
  cas_observables_free(&v->functionals);
  free(v->at);
}

/* ---- one block ---- */

typedef struct {
  const times_study *study;
  cas_summary_shape shape;
  double *value;    /* [functionals][times][L+1][W] */
  double *quantity; /* of one path */
} block_context;

static double *value_of(const block_context *b, int levels, int W, int i, int k, int level) {
  const size_t at = ((size_t)i * (size_t)b->study->times + (size_t)k) * (size_t)levels;
  return b->value + (at + (size_t)level) * (size_t)W;
}

static cas_status observe(void *context, cas_pass *s, int64_t observation, cas_error *err) {
  block_context *b = context;
  const times_study *v = b->study;
  const int W = s->problem->W, levels = s->plan->levels, k = (int)observation - 1;
  (void)err;
  for (int i = 0; k >= 0 && k < v->times && i < v->functionals.n; i++)
    for (int l = 0; l < levels; l++)
      cas_observable_evaluate(&v->functionals.observable[i], s, l, value_of(b, levels, W, i, k, l));
  return CAS_OK;
}

static void collect(const block_context *b, int levels, int W, int lane) {
  double *q = b->quantity;
  for (int i = 0; i < b->study->functionals.n; i++)
    for (int k = 0; k < b->study->times; k++) {
      double reference = value_of(b, levels, W, i, k, levels - 1)[lane];
      *q++ = reference;
      for (int l = 0; l + 1 < levels; l++)
        *q++ = value_of(b, levels, W, i, k, l)[lane] - reference;
    }
}

static cas_status run_block(void *context, cas_pass *s, int64_t block, int active,
                            cas_summary *chunk, cas_error *err) {
  block_context *b = context;
  const int W = s->problem->W;
  CAS_CALL(cas_pass_run(s, block, observe, b, err));
  for (int lane = 0; lane < active; lane++) {
    collect(b, s->plan->levels, W, lane);
    if (cas_pass_admits(s, lane, b->shape.quantities, b->quantity))
      cas_summary_add(b->shape, chunk, 0, b->quantity);
  }
  cas_pass_health(s, block * W, active, chunk);
  return CAS_OK;
}

/* ---- the whole study ---- */

static cas_status create_table(const cas_run_state *r, int i, cas_results *out, cas_weak_times **w,
                               cas_error *err) {
  const times_study *v = r->prepared;
  *w = calloc(1, sizeof **w);
  CAS_CALL(cas_results_add(out, &cas_table_weak_times, *w, err));
  snprintf((*w)->name, sizeof(*w)->name, "%s", v->functionals.observable[i].name);
  snprintf((*w)->unit, sizeof(*w)->unit, "%s", v->functionals.observable[i].unit);
  (*w)->levels = r->plan.levels - 1;
  (*w)->times = v->times;
  (*w)->time = calloc((size_t)v->times, sizeof *(*w)->time);
  if (!(*w)->time)
    return cas_no_memory(err);
  for (int k = 0; k < v->times; k++)
    (*w)->time[k] = (double)(v->at[k] / r->plan.ratio[0]) * r->plan.h[0];
  return cas_table_create_columns(&(cas_table){&cas_table_weak_times, *w, NULL}, err);
}

/* A mean and its standard error; 0 where all paths are equal. */
static void estimate(const cas_run_state *r, const double *moments, int quantities, int q,
                     double *mean, double *standard_error) {
  const double n = moments[0];
  *mean = n > 0 ? moments[1 + q] : NAN;
  *standard_error = n > 1 ? sqrt(moments[1 + quantities + q] / (n - 1) / n) : NAN;
  if (n > 0 && cas_problem_is_exact(&r->problem))
    *standard_error = 0;
}

static void fill_table(const cas_run_state *r, const double *moments, int quantities, int i,
                       cas_weak_times *w) {
  w->counted = (int64_t)moments[0];
  for (int k = 0; k < w->times; k++) {
    int first = (i * w->times + k) * (w->levels + 1);
    estimate(r, moments, quantities, first, &w->mean[k], &w->mean_standard_error[k]);
    for (int l = 0; l < w->levels; l++)
      estimate(r, moments, quantities, first + 1 + l, &w->error[l * w->times + k],
               &w->standard_error[l * w->times + k]);
  }
  conclude(r, w);
}

static cas_status fill(cas_run_state *r, cas_summary *total, cas_summary_shape shape,
                       cas_results *out, cas_error *err) {
  const times_study *v = r->prepared;
  CAS_CALL(cas_outcome_fill(r, shape, total, out, err));
  for (int i = 0; i < v->functionals.n; i++) {
    cas_weak_times *w;
    CAS_CALL(create_table(r, i, out, &w, err));
    fill_table(r, cas_summary_group(shape, total, 0), shape.quantities, i, w);
  }
  return CAS_OK;
}

static cas_status run(cas_run_state *r, cas_results *out, cas_error *err) {
  const times_study *v = r->prepared;
  size_t quantities = (size_t)v->functionals.n * (size_t)v->times * (size_t)r->plan.levels,
         size = quantities * ((size_t)r->problem.W + 1) * sizeof(double);
  double *memory = calloc(1, size);
  cas_status st = cas_agree(memory ? CAS_OK : cas_no_memory(err), r->comm, err);
  if (!st) {
    block_context b = {.study = v,
                       .shape = {(int)quantities, r->plan.levels, 1, 0},
                       .value = memory,
                       .quantity = memory + quantities * (size_t)r->problem.W};
    cas_block_work work = {.block = run_block,
                           .context = &b,
                           .memory = memory,
                           .memory_size = size,
                           .extendable = true};
    st = cas_chunks_run_to_results(r, b.shape, &work, fill, out, err);
  }
  free(memory);
  return st;
}

extern const cas_study cas_study_weak_times;
const cas_study cas_study_weak_times = {
    .name = "weak_times",
    .summary = "weak errors at several times and their supremum, against a fine reference",
    .options = options,
    .options_size = sizeof(times_options),
    .prepared_size = sizeof(times_study),
    .prepare = prepare,
    .run = run,
    .release = release,
};
