#include "files/results/result.h"
#include "base/text.h"
#include "files/results/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN(called, meaning, in, title, characters) \
  { .name = called, .long_name = meaning, .unit = in, .heading = title, .width = characters }

static const cas_column orders[] = {
    COLUMN("name", "what converges", NULL, "error of", 19),
    COLUMN("order",
           "order of convergence; of weak errors the exponent of the leading term if it is free",
           "1", "order", 22),
    COLUMN("order_low", "lower end of its 95% interval, NaN where it does not have two ends", "1",
           NULL, 0),
    COLUMN("order_high", "upper end of its 95% interval, NaN where it does not have two ends", "1",
           NULL, 0),
    COLUMN("theory", "order of theory, NaN where none is known", "1", "theory", 10),
    COLUMN("coefficient",
           "coefficient c of the leading term c h^theory; of strong errors, between neighbouring "
           "levels",
           "1", "leading coefficient", 34),
    COLUMN("coefficient_low", "lower end of its 95% interval", "1", NULL, 0),
    COLUMN("coefficient_high", "upper end of its 95% interval", "1", NULL, 0),
    COLUMN("p_value", "probability of a misfit as large if the law holds", "1", "p", 8),
    COLUMN("verdict", "supported, contradicted, not_resolved or not_valid", NULL, "verdict", 0),
    {0}};

static const cas_column values[] = {
    COLUMN("name", "what is estimated", NULL, "estimate of", 24),
    COLUMN("value", "its value", "1", "value +- standard error [95%]", 44),
    COLUMN("standard_error", "standard error of the value", "1", NULL, 0),
    COLUMN("low", "lower end of the 95% interval of the value", "1", NULL, 0),
    COLUMN("high", "upper end of the 95% interval of the value", "1", NULL, 0),
    COLUMN("time", "time, NaN where it has none", "1", "time", 10),
    COLUMN("step", "step size, NaN where it has none", "1", "step", 0),
    COLUMN("verdict", "estimate or not_valid", NULL, NULL, 0),
    {0}};

const cas_column *const cas_result_columns[] = {orders, values, NULL};

static double or_nan(double x) { return isfinite(x) ? x : NAN; }

/* ---- rows of orders ---- */

/* What a row of orders says, beside the numbers of the row. */
typedef struct {
  cas_judgement judgement;
  double seen; /* standard errors; NaN: no weak order by its leading term */
  int resolved, errors;
} remark;

typedef struct {
  cas_frame *frame;
  int rows, strong; /* the first of them are strong */
  remark *remark;
} answers;

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

static bool add_order(answers *a, const char *name, const cas_laws *l, double theory, bool strong,
                      cas_findings found) {
  cas_frame *f = a->frame;
  const cas_conclusion *c = &l->conclusion;
  const bool two_ended = isfinite(c->order_low) && isfinite(c->order_high);
  const cas_law law = cas_laws_headline(l);
  const int i = cas_frame_add(f);
  remark *more = i < 0 ? NULL : realloc(a->remark, (size_t)f->rows * sizeof *more);
  if (!more)
    return false;
  a->remark = more;
  more[i] = (remark){.judgement = judge(l, found), .seen = c->decides ? c->seen : NAN};
  const bool bounded = isfinite(law.low) && isfinite(law.high);
  const double x[] = {c->decides && !strong ? (two_ended ? c->order : NAN) : law.order,
                      c->decides && !strong ? (two_ended ? c->order_low : NAN)
                      : bounded             ? law.low
                                            : NAN,
                      c->decides && !strong ? (two_ended ? c->order_high : NAN)
                      : bounded             ? law.high
                                            : NAN,
                      theory,
                      strong ? sqrt(c->coefficient) : c->coefficient,
                      strong ? sqrt(fmax(c->low, 0)) : c->low,
                      strong ? sqrt(c->high) : c->high,
                      c->decides ? c->p_value : law.p_value};
  for (int k = 0; k < 8; k++)
    ((double *)f->data[k + 1])[i] = or_nan(x[k]);
  a->rows++;
  a->strong += strong;
  return cas_frame_set_word(f, "name", i, name) &&
         cas_frame_set_word(f, "verdict", i, cas_judgement_names[more[i].judgement]);
}

static bool add_curve(answers *a, const cas_curve *c) {
  const bool strong = c->kind == CAS_STRONG;
  char name[80];
  snprintf(name, sizeof name, "%s", c->name);
  if (strong) /* "error_sup" */
    snprintf(name, sizeof name, "strong%s", c->name + strlen("error"));
  if (!add_order(a, name, &c->laws, c->expected_order, strong, c->findings))
    return false;
  remark *last = &a->remark[a->rows - 1];
  last->errors = c->levels;
  for (int l = 0; l < c->levels; l++)
    last->resolved += c->resolved[l];
  return true;
}

static bool add_differences(answers *a, const cas_multilevel *m) {
  bool there = true;
  for (int i = 0; there && i < m->functionals; i++) {
    const cas_differences *d = &m->functional[i];
    there = add_order(a, d->name, &d->laws, d->expected_order, false, d->findings);
    for (int l = 0; there && l < m->levels; l++)
      a->remark[i].resolved += d->resolved[l], a->remark[i].errors++;
  }
  return there;
}

/* The i-th error curve; NULL behind the last. */
static const cas_curve *curve_of(const cas_results *r, int i) {
  for (int k = 0; k < r->tables; k++) {
    const char *group = r->table[k].kind->group;
    if ((strcmp(group, "strong") == 0 || strcmp(group, "weak") == 0) && i-- == 0)
      return r->table[k].object;
  }
  return NULL;
}

/* Strong orders by increments come first: they need the fewest paths. */
static bool add_curves(answers *a, const cas_results *r) {
  bool there = true;
  const cas_curve *first = cas_results_find(r, "strong/error_increments");
  if (first)
    there = add_curve(a, first);
  for (int i = 0; there && curve_of(r, i); i++)
    if (curve_of(r, i) != first)
      there = add_curve(a, curve_of(r, i));
  return there;
}

/* ---- sentences on orders ---- */

static double number(const answers *a, const char *column, int row) {
  return cas_frame_numbers(a->frame, column)[row];
}

static void append_order(char *text, size_t size, double order) {
  const double twice = 2 * order;
  if (twice == floor(twice) && fmod(twice, 2) != 0)
    cas_append(text, size, "%.0f/2", twice);
  else
    cas_append(text, size, "%.4g", order);
}

/* " 0.48 [0.45, 0.51]", or nothing where it has no interval. */
static void append_interval(char *text, size_t size, const answers *a, int row) {
  const double low = number(a, "order_low", row), high = number(a, "order_high", row);
  char x[3][32];
  const double known = fmin(cas_frame_known(low, high), 0.5);
  cas_frame_format(number(a, "order", row), known, x[0]);
  cas_frame_format(low, known, x[1]);
  cas_frame_format(high, known, x[2]);
  if (low == high)
    cas_append(text, size, " %.2f", low);
  else if (isfinite(number(a, "order", row)) && isfinite(low))
    cas_append(text, size, " %s [%s, %s]", x[0], x[1], x[2]);
}

static void say_strong(char *text, size_t size, const answers *a) {
  const double theory = number(a, "theory", 0);
  const cas_judgement j = a->remark[0].judgement;
  cas_append(text, size, "strong order");
  append_interval(text, size, a, 0);
  if (j == CAS_INVALID)
    return;
  if (isnan(theory) && isfinite(number(a, "order_low", 0)))
    cas_append(text, size, "; no order of theory is known");
  else if (j == CAS_SUPPORTED || j == CAS_CONTRADICTED) {
    cas_append(text, size, "; theory ");
    append_order(text, size, theory);
    cas_append(text, size, j == CAS_SUPPORTED ? ": consistent" : ": NOT consistent");
  } else {
    cas_append(text, size, " NOT RESOLVED");
    if (isfinite(theory)) {
      cas_append(text, size, "; order ");
      append_order(text, size, theory);
      cas_append(text, size, " not excluded");
    }
  }
}

/* Names of the rows with a judgement; how many there are. */
static int list_rows(const answers *a, cas_judgement j, char *names, size_t size) {
  int n = 0;
  names[0] = '\0';
  for (int i = a->strong; i < a->rows; i++)
    if (a->remark[i].judgement == j)
      cas_append(names, size, "%s%s", n++ ? ", " : "", cas_frame_word(a->frame, "name", i));
  return n;
}

static void say_supported(char *text, size_t size, const answers *a, int n, const char *names) {
  double least = INFINITY, theory = NAN;
  for (int i = a->strong; i < a->rows; i++)
    if (a->remark[i].judgement == CAS_SUPPORTED) {
      theory = number(a, "theory", i);
      least = fmin(least, a->remark[i].seen);
    }
  cas_append(text, size, "weak order ");
  append_order(text, size, theory);
  if (n > 1)
    cas_append(text, size, " for %d of %d functionals", n, a->rows - a->strong);
  else
    cas_append(text, size, " of %s", names);
  if (isfinite(least))
    cas_append(text, size,
               ": the leading term is at least %.0f standard errors from 0 (assumes whole powers "
               "of h)",
               floor(least));
}

static void say_unresolved(char *text, size_t size, const answers *a, int n, const char *names,
                           bool first) {
  int i = a->strong;
  while (a->remark[i].judgement != CAS_UNRESOLVED)
    i++;
  if (first)
    cas_append(text, size, "weak order of %s NOT RESOLVED", names);
  else
    cas_append(text, size, "; NOT RESOLVED for %s", names);
  if (n > 1)
    return;
  cas_append(text, size, ": %d of %d errors exceed%s the noise", a->remark[i].resolved,
             a->remark[i].errors, a->remark[i].resolved == 1 ? "s" : "");
  if (isfinite(number(a, "theory", i))) {
    cas_append(text, size, "; order ");
    append_order(text, size, number(a, "theory", i));
    cas_append(text, size, " not excluded");
  } else
    cas_append(text, size, "; no order of theory is known");
}

/* Of averages over time, whose bias is more often below the noise than not: what it is at most. */
static void say_bias(char *text, size_t size, const answers *a, const cas_results *r) {
  for (int i = 0; i < a->rows; i++) {
    const cas_curve *c = curve_of(r, i);
    double most = 0;
    for (int l = 0; l < c->levels; l++)
      most = fmax(most, fabs(c->error[l]) + 1.96 * c->standard_error[l]);
    cas_append(text, size, "%sbias of the mean of %s: ", i ? "; " : "", c->name);
    if (a->remark[i].resolved == 0)
      cas_append(text, size, "none seen, ");
    else
      cas_append(text, size, "seen at %d of %d steps, ", a->remark[i].resolved, c->levels);
    cas_append(text, size, "below %.2g at every step (95%% each); order ", most);
    if (a->remark[i].judgement == CAS_SUPPORTED)
      append_order(text, size, number(a, "theory", i));
    cas_append(text, size,
               a->remark[i].judgement == CAS_SUPPORTED      ? " supported"
               : a->remark[i].judgement == CAS_CONTRADICTED ? "NOT that of theory"
                                                            : "not resolved");
  }
}

static void say_weak(char *text, size_t size, const answers *a) {
  char names[512];
  bool said = text[0] != '\0';
  int n = list_rows(a, CAS_SUPPORTED, names, sizeof names);
  if (said)
    cas_append(text, size, "; ");
  bool first = true;
  if (n > 0) {
    say_supported(text, size, a, n, names);
    first = false;
  }
  if (list_rows(a, CAS_INVALID, names, sizeof names) > 0) {
    cas_append(text, size, "weak errors of %s", names);
    return;
  }
  if (list_rows(a, CAS_CONTRADICTED, names, sizeof names) > 0) {
    cas_append(text, size, first ? "weak order of %s: NOT that of theory" : "; NOT for %s", names);
    first = false;
  }
  if ((n = list_rows(a, CAS_UNRESOLVED, names, sizeof names)) > 0)
    say_unresolved(text, size, a, n, names, first);
}

/* That of a study is the gravest of its rows. */
static cas_judgement gravest(const answers *a) {
  static const cas_judgement order[] = {CAS_INVALID, CAS_CONTRADICTED, CAS_UNRESOLVED};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (int i = 0; i < a->rows; i++)
      if (a->remark[i].judgement == order[k] && (i == 0 || i >= a->strong))
        return order[k];
  return CAS_SUPPORTED;
}

/* The number behind a key of the effective configuration, 0 if there is none. */
static double configured(const cas_results *r, const char *key) {
  const char *text = r->provenance.configuration, *at = text ? strstr(text, key) : NULL;
  return at ? strtod(at + strlen(key), NULL) : 0;
}

/* Options that resolve what is not: another study where errors against a reference are noise, less
   clipping where that makes outliers, or more paths. */
static void advise(const cas_results *r, const answers *a, cas_frame *f) {
  double seen = INFINITY;
  const cas_multilevel *m = cas_results_multilevel(r);
  const bool against_reference =
      strcmp(f->kind, "weak") == 0 && !r->provenance.reference_integrator;
  for (int i = 0; i < a->rows; i++)
    if (a->remark[i].judgement == CAS_UNRESOLVED && (i == 0 || i >= a->strong))
      seen = fmin(seen, isfinite(a->remark[i].seen) ? fmax(a->remark[i].seen, 0.5) : 1);
  const double truncation = configured(r, " truncation: ");
  const bool clips = truncation > 0 && truncation < 4;
  bool outliers = false;
  for (int i = 0; m && i < m->functionals; i++)
    outliers |= cas_findings_have(m->functional[i].findings, CAS_OUTLIERS);
  if (f->judgement != CAS_UNRESOLVED)
    return;
  if (against_reference)
    snprintf(f->advice, sizeof f->advice, "--set study.kind=weak_multilevel%s",
             clips ? " --set integrator.truncation=4" : "");
  else if (clips && outliers)
    snprintf(f->advice, sizeof f->advice, "--set integrator.truncation=4");
  else {
    const double factor = fmin(fmax(ceil(25 / (seen * seen)), 4), 100);
    snprintf(f->advice, sizeof f->advice, "--set study.paths=%.0f",
             factor * (double)r->provenance.paths);
  }
}

static bool conclude_orders(const cas_results *r, cas_frame *f) {
  answers a = {.frame = f};
  const cas_multilevel *m = cas_results_multilevel(r);
  const bool there = m ? add_differences(&a, m) : add_curves(&a, r);
  if (there && a.strong)
    say_strong(f->headline, sizeof f->headline, &a);
  const bool averaged = strcmp(f->kind, "invariant") == 0;
  if (there && averaged)
    say_bias(f->headline, sizeof f->headline, &a, r);
  else if (there && a.rows > a.strong)
    say_weak(f->headline, sizeof f->headline, &a);
  f->judgement = there ? gravest(&a) : CAS_UNRESOLVED;
  if (there && !averaged)
    advise(r, &a, f);
  free(a.remark);
  return there;
}

/* ---- rows of values ---- */

typedef struct {
  cas_frame *frame;
  bool invalid, failed;
  double last; /* time */
} collector;

/* Numbers over axes other than time and step are left to their tables. */
static bool is_plain(const cas_row *row) {
  int places = 0, axes = 0;
  for (int k = 0; k < CAS_ROW_AXES; k++)
    places += !isnan(row->place[k]);
  for (const char *p = row->at; (p = strchr(p, '=')); p++)
    axes++;
  return axes == places;
}

static void take_value(void *context, const cas_row *row) {
  collector *c = context;
  if (!row->headline || strcmp(row->quantity, "order") == 0 || !is_plain(row) ||
      strcmp(row->functional, "casimir_departure") == 0) /* that is health */
    return;
  const int i = cas_frame_add(c->frame);
  if (i < 0) {
    c->failed = true;
    return;
  }
  const bool named = row->functional[0] != '\0';
  c->failed |= !cas_frame_set_word(c->frame, "name", i, named ? row->functional : row->quantity) ||
               !cas_frame_set_word(c->frame, "verdict", i,
                                   cas_judgement_names[c->invalid ? CAS_INVALID : CAS_ESTIMATED]);
  cas_frame_numbers(c->frame, "value")[i] = row->value;
  cas_frame_numbers(c->frame, "standard_error")[i] = row->standard_error;
  cas_frame_numbers(c->frame, "low")[i] = row->low;
  cas_frame_numbers(c->frame, "high")[i] = row->high;
  for (int k = 0; k < CAS_ROW_AXES; k++)
    if (strcmp(cas_row_axes[k], "time") == 0 || strcmp(cas_row_axes[k], "step") == 0)
      cas_frame_numbers(c->frame, cas_row_axes[k])[i] = row->place[k];
}

/* "x1 = -0.394 +- 0.006, x2 = ..", of the first few. */
static void append_values(char *text, size_t size, const cas_frame *f, int most) {
  for (int i = 0; i < f->rows && i < most; i++) {
    const double error = cas_frame_numbers(f, "standard_error")[i],
                 low = cas_frame_numbers(f, "low")[i], high = cas_frame_numbers(f, "high")[i];
    char x[3][32];
    cas_frame_format(cas_frame_numbers(f, "value")[i],
                     error > 0 ? error : cas_frame_known(low, high), x[0]);
    cas_append(text, size, "%s%s = %s", i ? ", " : "", cas_frame_word(f, "name", i), x[0]);
    if (error > 0)
      cas_append(text, size, " +- %.2g", error);
    else if (isfinite(low) && isfinite(high)) {
      cas_frame_format(low, cas_frame_known(low, high), x[1]);
      cas_frame_format(high, cas_frame_known(low, high), x[2]);
      cas_append(text, size, " [%s, %s]", x[1], x[2]);
    }
  }
  if (f->rows > most)
    cas_append(text, size, ", ..");
}

static void say_mlmc(const cas_mlmc *m, cas_frame *f) {
  const double plain = isfinite(m->plain_work_measured) ? m->plain_work_measured : m->plain_work,
               gain = plain / m->total_work;
  for (int i = 0; i < m->functionals && i < 2; i++) {
    char x[32];
    cas_frame_format(m->functional[i].estimate, m->functional[i].total_error, x);
    cas_append(f->headline, sizeof f->headline, "%sE %s = %s within %.2g rms", i ? ", " : "",
               m->functional[i].name, x, m->functional[i].total_error);
  }
  cas_append(f->headline, sizeof f->headline, " (target %.4g %s)", m->epsilon,
             m->reached ? "reached" : "NOT REACHED");
  if (isfinite(gain))
    cas_append(f->headline, sizeof f->headline, ", %.*f times %s than plain Monte Carlo",
               fmax(gain, 1 / gain) < 10 ? 1 : 0, fmax(gain, 1 / gain),
               gain >= 1 ? "cheaper" : "dearer");
}

static void say_values(const cas_results *r, cas_frame *f) {
  const cas_provenance *p = &r->provenance;
  const char *kind = f->kind;
  const double time = f->rows ? cas_frame_numbers(f, "time")[0] : NAN;
  cas_append(f->headline, sizeof f->headline, "%s of %" PRId64 " path%s",
             strcmp(kind, "trajectory") == 0     ? "record"
             : strcmp(kind, "time_average") == 0 ? "averages over time"
             : strcmp(kind, "law") == 0          ? "distances of laws"
             : strcmp(kind, "weak_times") == 0   ? "weak errors at times"
             : strcmp(kind, "path_cost") == 0    ? "cost"
             : kind[0]                           ? kind
                                                 : "results",
             p->alone ? (int64_t)1 : p->paths, !p->alone && p->paths == 1 ? "" : "s");
  if (p->alone)
    f->headline[strlen(f->headline) - 1] = '\0';
  if (isfinite(time))
    cas_append(f->headline, sizeof f->headline, " at t = %.6g", time);
  if (f->rows && cas_frame_numbers(f, "step")[0] > 0) {
    char step[32];
    cas_step_format(cas_frame_numbers(f, "step")[0], step, sizeof step);
    cas_append(f->headline, sizeof f->headline, ", step %s", step);
  }
  if (f->rows) {
    cas_append(f->headline, sizeof f->headline, ": ");
    append_values(f->headline, sizeof f->headline, f, 3);
  }
}

static cas_status conclude_values(const cas_results *r, bool invalid, cas_frame *f,
                                  cas_error *err) {
  collector c = {.frame = f, .invalid = invalid};
  CAS_CALL(cas_rows_visit(r, take_value, &c, err));
  if (c.failed)
    return cas_no_memory(err);
  f->judgement = CAS_ESTIMATED;
  if (cas_results_mlmc(r) && f->rows)
    say_mlmc(cas_results_mlmc(r), f);
  else
    say_values(r, f);
  return CAS_OK;
}

/* ---- all ---- */

static bool is_of_orders(const char *kind) {
  static const char *const kinds[] = {"strong",          "weak",      "convergence",
                                      "weak_multilevel", "invariant", NULL};
  for (int i = 0; kinds[i]; i++)
    if (strcmp(kind, kinds[i]) == 0)
      return true;
  return false;
}

cas_status cas_result_conclude(const cas_results *r, cas_frame *f, cas_error *err) {
  CAS_LOCALE_OF_C;
  const char *kind = r->provenance.study ? r->provenance.study : "";
  char not_valid[200], headline[1024];
  const bool invalid = r->tables > 0 && cas_health_not_valid(&r->health, r->provenance.paths,
                                                             not_valid, sizeof not_valid),
             of_orders = is_of_orders(kind) && (curve_of(r, 0) || cas_results_multilevel(r));
  cas_frame_begin(f, cas_result_columns[!of_orders], kind);
  cas_status st = of_orders ? conclude_orders(r, f) ? CAS_OK : cas_no_memory(err)
                            : conclude_values(r, invalid, f, err);
  if (!st && invalid) {
    f->judgement = CAS_INVALID;
    snprintf(headline, sizeof headline, "N%s. Of the others: %.700s", not_valid + 1, f->headline);
    memcpy(f->headline, headline, sizeof headline);
  }
  return st;
}

const cas_frame *cas_result_of(const cas_results *r, cas_frame *own, cas_error *err) {
  if (r->result)
    return r->result;
  return cas_result_conclude(r, own, err) ? NULL : own;
}
