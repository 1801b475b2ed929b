#include "files/results/result.h"
#include "base/name_list.h"
#include "base/text.h"
#include "files/results/rows.h"

#include <inttypes.h>
#include <math.h>

#define COLUMN(kind, member, meaning, ...) \
  CAS_FIELD_COLUMN(cas_result_row, kind, #member, member, 0, meaning, "1", .heading = __VA_ARGS__)

static const cas_field orders[] = {
    COLUMN(TEXT, name, "what converges", "error of"),
    COLUMN(REAL, order,
           "order of convergence; of weak errors the exponent of the leading term if it is free",
           "order", .low = "order_low", .high = "order_high"),
    COLUMN(REAL, order_low, "lower end of its 95% interval, NaN where it does not have two ends",
           NULL),
    COLUMN(REAL, order_high, "upper end of its 95% interval, NaN where it does not have two ends",
           NULL),
    COLUMN(REAL, theory, "order of theory, NaN where none is known", "theory"),
    COLUMN(REAL, coefficient,
           "coefficient c of the leading term c h^theory; of strong errors, between neighbouring "
           "levels",
           "leading coefficient", .low = "coefficient_low", .high = "coefficient_high"),
    COLUMN(REAL, coefficient_low, "lower end of its 95% interval", NULL),
    COLUMN(REAL, coefficient_high, "upper end of its 95% interval", NULL),
    COLUMN(REAL, p_value, "probability of a misfit as large if the law holds", "p"),
    COLUMN(TEXT, verdict, "supported, contradicted, not_resolved or not_valid", "verdict"),
    {0}};

static const cas_field values[] = {
    COLUMN(TEXT, name, "what is estimated, or recorded at last", "estimate of"),
    COLUMN(REAL, value, "its value", "value", .error = "standard_error", .low = "low",
           .high = "high"),
    COLUMN(REAL, standard_error, "standard error of the value", NULL),
    COLUMN(REAL, low, "lower end of the 95% interval of the value", NULL),
    COLUMN(REAL, high, "upper end of the 95% interval of the value", NULL),
    COLUMN(REAL, time, "time, NaN where it has none", "time"),
    COLUMN(REAL, step, "step size, NaN where it has none", "step"),
    COLUMN(TEXT, verdict, "estimate or not_valid", NULL),
    {0}};

const cas_field *const cas_result_columns[] = {orders, values, NULL};

static double or_nan(double x) { return isfinite(x) ? x : NAN; }

/* ---- rows of orders ---- */

static cas_judgement judge(const cas_laws *l, cas_findings found) {
  const bool order = l->conclusion.decides && l->conclusion.terms > 0;
  if (cas_findings_have(found, CAS_NOT_VALID))
    return CAS_INVALID;
  if (cas_findings_have(found, CAS_DIFFERS))
    return CAS_CONTRADICTED;
  if (cas_findings_have(found, CAS_OUTLIERS) || cas_findings_have(found, CAS_NOT_RESOLVED) ||
      !cas_findings_have(found, CAS_CONSISTENT))
    return CAS_UNRESOLVED;
  return order ? l->conclusion.judgement : CAS_SUPPORTED;
}

static cas_result_row row_of(const cas_curve *c, const char *name, cas_judgement judgement) {
  const cas_laws *l = &c->laws;
  const cas_conclusion *of = &l->conclusion;
  const bool strong = c->kind == CAS_STRONG,
             two_ended = isfinite(l->order_low) && isfinite(l->order_high);
  return (cas_result_row){.name = name,
                          .verdict = cas_judgement_names[judgement],
                          .order = or_nan(l->order),
                          .order_low = two_ended ? l->order_low : NAN,
                          .order_high = two_ended ? l->order_high : NAN,
                          .theory = or_nan(c->expected_order),
                          .coefficient = or_nan(strong ? sqrt(of->coefficient) : of->coefficient),
                          .coefficient_low = or_nan(strong ? sqrt(fmax(of->low, 0)) : of->low),
                          .coefficient_high = or_nan(strong ? sqrt(of->high) : of->high),
                          .p_value =
                              or_nan(of->decides ? of->p_value : cas_laws_headline(l).p_value)};
}

static bool add_curve(cas_frame *f, cas_answers *a, const cas_curve *c) {
  const cas_laws *l = &c->laws;
  const cas_conclusion *of = &l->conclusion;
  const bool strong = c->kind == CAS_STRONG;
  const cas_judgement judgement = judge(l, c->findings);
  const cas_estimates *e = c->error.value ? &c->error : &c->difference;
  char name[80]; /* of strong curves from "error_sup" */
  snprintf(name, sizeof name, "%s%s", strong ? "strong" : "",
           c->name + (strong ? strlen("error") : 0));
  const cas_result_row row = row_of(c, name, judgement);
  if (!cas_frame_add(f, &row) || !cas_owned_resize(&a->remark, f->rows, sizeof *a->remark))
    return false;
  a->strong += strong;
  cas_remark *m = &a->remark[a->rows++];
  *m = (cas_remark){.row = cas_result_rows(f)[f->rows - 1],
                    .judgement = judgement,
                    .curve = c,
                    .seen = of->decides ? of->seen : NAN,
                    .errors = a->levels,
                    .alike = true,
                    .sized = a->sized,
                    .lawless = cas_findings_have(c->findings, CAS_LAW_REJECTED) ||
                               (of->decides && of->terms == 0 && l->points >= l->least)};
  for (int i = 0; i < m->errors; i++) {
    m->resolved += c->resolved[i];
    m->random |= e->standard_error[i] > 0;
    m->alike &= e->value[i] == 0 && e->standard_error[i] == 0;
  }
  return true;
}

/* Differences of a multilevel study stand for its curves. Strong orders by increments come first:
   they need the fewest paths. */
static bool add_curves(cas_frame *f, cas_answers *a, const cas_results *r) {
  bool there = true;
  const cas_multilevel *m = cas_results_multilevel(r);
  const cas_curve *first = cas_results_find(r, "strong/error_increments"), *c;
  for (int i = 0; m && there && i < m->functionals; i++)
    there = add_curve(f, a, &m->functional[i]);
  if (first)
    there = add_curve(f, a, first);
  for (int i = 0; !m && there && (c = cas_results_curve(r, i)); i++)
    if (c != first)
      there = add_curve(f, a, c);
  return there;
}

/* The judgement of a study is the gravest of its rows. */
static cas_judgement gravest(const cas_answers *a) {
  static const cas_judgement order[] = {CAS_INVALID, CAS_CONTRADICTED, CAS_UNRESOLVED};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (int i = 0; i < a->rows; i++)
      if (a->remark[i].judgement == order[k] && cas_answers_count(a, i))
        return order[k];
  return CAS_SUPPORTED;
}

static bool conclude_orders(const cas_results *r, cas_frame *f) {
  cas_answers a = {.sized = r->time_step && r->step[0] != r->time_step[0], .levels = r->levels};
  const bool there = add_curves(f, &a, r);
  if (there) {
    f->judgement = gravest(&a);
    cas_answers_say(r, &a, f);
    cas_answers_advise(r, &a, f);
  }
  free(a.remark);
  return there;
}

/* ---- rows of values ---- */

typedef struct {
  cas_frame *frame;
  bool invalid, failed;
} collector;

/* A functional stands for its mean; of other quantities the name says what they are. */
static void write_name(const cas_row *row, char *name, size_t size) {
  static const char *const means[] = {"mean", "estimate", NULL};
  if (row->functional[0] && cas_name_list_find(means, row->quantity) >= 0)
    snprintf(name, size, "%s", row->functional);
  else
    snprintf(name, size, "%s%s%s", row->quantity, row->functional[0] ? " of " : "",
             row->functional);
  if (!isnan(row->place[CAS_ROW_PROBABILITY]))
    cas_append(name, size, " %.4g", row->place[CAS_ROW_PROBABILITY]);
}

static void take_value(void *context, const cas_row *row) {
  collector *c = context;
  if (!row->headline || strcmp(row->quantity, "order") == 0 ||
      strcmp(row->functional, "casimir_departure") == 0) /* that is health */
    return;
  char name[200];
  write_name(row, name, sizeof name);
  c->failed |= !cas_frame_add(
      c->frame,
      &(cas_result_row){.name = name,
                        .verdict = cas_judgement_names[c->invalid ? CAS_INVALID : CAS_ESTIMATED],
                        .value = row->value,
                        .standard_error = row->standard_error,
                        .low = row->low,
                        .high = row->high,
                        .time = row->place[CAS_ROW_TIME],
                        .step = row->place[CAS_ROW_STEP]});
}

static cas_status conclude_values(const cas_results *r, bool invalid, cas_frame *f,
                                  cas_error *err) {
  collector c = {.frame = f, .invalid = invalid};
  CAS_CALL(cas_rows_visit(r, take_value, &c, err));
  if (c.failed)
    return cas_no_memory(err);
  f->judgement = CAS_ESTIMATED;
  cas_result_say_values(r, f);
  return CAS_OK;
}

/* ---- paths that were recorded: what the first has at the last record ---- */

typedef struct {
  cas_h5 *h;
  hid_t group;
  hsize_t records;
  bool several; /* paths, which have an axis then */
  double last;  /* time */
  cas_frame *frame;
} recorded;

/* Reads the first path's numbers, or numbers without paths, at the first and last record. False if
   the dataset has no real number for each record and path, or is an axis unless it must be one. */
static bool read_ends(const recorded *r, const char *name, bool is_axis, double x[2]) {
  const hsize_t at[2][2] = {{0, 0}, {r->records - 1, 0}};
  const int rank = is_axis ? 1 : 1 + r->several;
  hsize_t dims[4] = {0};
  const bool fits = cas_h5_shape(r->h, r->group, name, dims) == rank && rank <= 2;
  CAS_OWNED_BY(cas_h5_release)
  hid_t dataset = cas_h5_dataset_open(r->h, r->group, name),
        type = dataset < 0 ? H5I_INVALID_HID : H5Dget_type(dataset),
        space = dataset < 0 ? H5I_INVALID_HID : H5Dget_space(dataset), one = H5Screate(H5S_SCALAR);
  const bool is = !r->h->status && fits && H5Tget_class(type) == H5T_FLOAT &&
                  cas_h5_has_attribute(r->h, dataset, "CLASS") == is_axis;
  for (int k = 0; is && k < 2; k++)
    if (H5Sselect_elements(space, H5S_SELECT_SET, 1, at[k]) < 0 ||
        H5Dread(dataset, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &x[k]) < 0)
      cas_h5_fail(r->h, "cannot read the dataset '%s'", name);
  return is && !r->h->status;
}

static void take_number(const recorded *r, const char *dataset, double first, double last) {
  cas_frame *f = r->frame;
  char name[200], *text = f->headline;
  const int i = f->rows;
  const cas_judgement judgement = isfinite(last) ? CAS_ESTIMATED : CAS_INVALID;
  snprintf(name, sizeof name, "%s%s", dataset, r->several ? " of path 0" : "");
  if (!cas_frame_add(f, &(cas_result_row){.name = name,
                                          .verdict = cas_judgement_names[judgement],
                                          .value = last,
                                          .standard_error = NAN,
                                          .low = NAN,
                                          .high = NAN,
                                          .time = r->last,
                                          .step = NAN}))
    cas_h5_no_memory(r->h);
  if (judgement == CAS_INVALID)
    f->judgement = CAS_INVALID;
  if (i > CAS_RESULT_SAID)
    return;
  cas_append(text, sizeof f->headline, i ? ", " : r->several ? "; path 0: " : ": ");
  if (i == CAS_RESULT_SAID) {
    cas_append(text, sizeof f->headline, "..");
    return;
  }
  cas_append(text, sizeof f->headline, "%s = %.4g", dataset, last);
  if (r->records > 1 && first != 0 && isfinite(last - first))
    cas_append(text, sizeof f->headline, last == first ? " (unchanged)" : " (change %.2g)",
               last - first);
}

void cas_result_take_recorded(cas_h5 *h, hid_t file, int64_t paths, cas_frame *f) {
  int n = 0;
  hsize_t dims[4] = {0};
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(h, file, "trajectory");
  if (group < 0)
    return;
  (void)!cas_h5_shape(h, group, "time", dims);
  recorded r = {.h = h, .group = group, .records = dims[0], .several = paths > 1, .frame = f};
  double x[2] = {NAN, NAN};
  (void)!read_ends(&r, "time", true, x);
  r.last = x[1];
  snprintf(f->headline, sizeof f->headline, "%" PRId64 " path%s, %llu record%s%s", paths,
           paths == 1 ? "" : "s", (unsigned long long)r.records, r.records == 1 ? "" : "s",
           paths > 1 ? " each" : "");
  if (r.records > 1)
    cas_append(f->headline, sizeof f->headline, " from t = %.6g to %.6g", x[0], x[1]);
  else
    cas_append(f->headline, sizeof f->headline, " at t = %.6g", x[1]);
  char **name = cas_h5_names(h, group, &n);
  for (int i = 0; i < n && !h->status; i++)
    if (read_ends(&r, name[i], false, x))
      take_number(&r, name[i], x[0], x[1]);
  cas_h5_names_free(name, n);
}

/* ---- any study ---- */

cas_status cas_result_conclude(const cas_results *r, cas_frame *f, cas_error *err) {
  CAS_LOCALE_OF_C;
  static const char *const with_orders[] = {"strong",          "weak",      "convergence",
                                            "weak_multilevel", "invariant", NULL};
  const char *kind = r->provenance.study ? r->provenance.study : "";
  char not_valid[200], headline[1024];
  const bool invalid = r->tables > 0 && cas_health_not_valid(&r->health, r->provenance.paths,
                                                             not_valid, sizeof not_valid),
             of_orders = cas_name_list_find(with_orders, kind) >= 0 &&
                         (cas_results_curve(r, 0) || cas_results_multilevel(r));
  cas_frame_begin(f, cas_result_columns[!of_orders], sizeof(cas_result_row), kind);
  cas_status st = of_orders ? conclude_orders(r, f) ? CAS_OK : cas_no_memory(err)
                            : conclude_values(r, invalid, f, err);
  if (!st && invalid) {
    const bool none = r->health.left_out_paths >= r->provenance.paths;
    f->judgement = CAS_INVALID;
    f->advice[0] = '\0';
    snprintf(headline, sizeof headline, none ? "N%s" : "N%s. Of the others: %.700s", not_valid + 1,
             f->headline);
    memcpy(f->headline, headline, sizeof headline);
  }
  return st;
}

void cas_result_other_output(FILE *f, const char *file) {
  char *name;
  if (asprintf(&name, "%.*s-more.h5", (int)cas_text_stem(file, ".h5"), file) < 0)
    return;
  fputs(" --output ", f);
  cas_text_shell(f, name);
  free(name);
}

const cas_frame *cas_result_of(const cas_results *r, cas_frame *own, cas_error *err) {
  if (r->result)
    return r->result;
  return cas_result_conclude(r, own, err) ? NULL : own;
}
