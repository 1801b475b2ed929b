/* Tables for people. */
#include "base/text.h"
#include "files/results/frame.h"
#include "files/results/rows.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

void cas_table_print_real(FILE *f, const char *format, int width, double x) {
  char text[64] = "-";
  if (isfinite(x))
    snprintf(text, sizeof text, format, x + 0.0); /* of -0 too */
  fprintf(f, "%*s", width, text);
}

void cas_table_print_step(FILE *f, double step) {
  char text[32];
  cas_step_format(step, text, sizeof text);
  fprintf(f, "  %-10s", text);
}

void cas_table_print_interval(FILE *f, const char *format, double low, double high) {
  char text[64];
  snprintf(text, sizeof text, format, low, high);
  fprintf(f, "  %-22s", isnan(low) ? "" : text);
}

void cas_table_print_sentence(FILE *f, const char *text) {
  int column = fprintf(f, "  => ");
  cas_text_wrap(f, text, column, 96);
}

void cas_table_append_step(char *text, size_t size, const char *before, double step) {
  char h[32];
  cas_step_format(step, h, sizeof h);
  cas_append(text, size, "%s%s", before, h);
}

void cas_table_append_pair_order(char *text, size_t size, const double *step, int n,
                                 const cas_pair_orders *of) {
  int l = n - 1;
  while (l >= 0 && !isfinite(of->low[l * of->apart] + of->high[l * of->apart]))
    l--;
  if (l < 0) {
    cas_append(text, size, ", order not resolved");
    return;
  }
  cas_append(text, size, ", order ");
  cas_frame_append(text, size, of->order[l * of->apart], NAN, of->low[l * of->apart],
                   of->high[l * of->apart], CAS_FRAME_ORDER);
  cas_table_append_step(text, size, " between ", step[l]);
  cas_table_append_step(text, size, " and ", step[l + 1]);
}

/* ---- columns ---- */

/* The column to show, of this table or of the whole that this table is a part of. */
typedef struct {
  const cas_field *field;
  const void *array;
  int n;
} found;

static found find(const cas_table *t, const char *name) {
  for (; t; t = t->whole)
    for (const cas_field *f = t->kind->columns; f && f->name; f++)
      if (strcmp(f->name, name) == 0) {
        cas_step_axes steps;
        cas_step_axes_of(cas_table_levels(t), &steps);
        return (found){f, cas_field_array(f, t->object), (int)cas_table_count(t, f, &steps)};
      }
  return (found){NULL, NULL, 0};
}

/* Words stand apart, and flush left. */
static bool is_answer(const cas_table *t, const cas_shown *s) {
  return !s->value && find(t, s->column).field->type == CAS_FIELD_INT;
}

static void print_text(FILE *f, const cas_table *t, const cas_shown *s, const char *text) {
  if (is_answer(t, s))
    fprintf(f, "  %-*s", s[1].column ? s->width : 0, text);
  else
    fprintf(f, "%*s", s->width, text);
}

static void print_value(FILE *f, const cas_table *t, const cas_shown *s, int row, int rows) {
  found c = find(t, s->column);
  int i = c.n < rows ? row - (rows - c.n) : row;
  if (i < 0 || i >= c.n)
    print_text(f, t, s, row < rows ? "-" : "");
  else if (s->value)
    cas_table_print_real(f, s->format, s->width, s->value(t, i));
  else if (c.field->type == CAS_FIELD_REAL)
    cas_table_print_real(f, s->format, s->width, ((const double *)c.array)[i]);
  else if (c.field->type == CAS_FIELD_INT64)
    fprintf(f, "%*" PRId64, s->width, ((const int64_t *)c.array)[i]);
  else
    print_text(f, t, s, ((const int *)c.array)[i] ? "yes" : "NO");
}

/* The row behind the last is of the reference: those columns have it that are longer than the
   first. */
void cas_table_print_columns(FILE *f, const cas_results *r, const cas_table *t,
                             const cas_shown *shown) {
  const cas_shown *first = shown + 1;
  int rows = find(t, first->column).n, last = rows;
  fprintf(f, "  %-*s", shown->width, shown->heading);
  for (const cas_shown *s = first; s->column; s++) {
    print_text(f, t, s, s->heading);
    last = find(t, s->column).n > last ? find(t, s->column).n : last;
  }
  for (int row = 0; row < last; row++) {
    char step[32];
    cas_step_format(r->step[row], step, sizeof step);
    fprintf(f, "\n  %-*s", shown->width, step);
    for (const cas_shown *s = first; s->column; s++)
      if (row >= rows && s == first)
        print_text(f, t, s, "reference");
      else
        print_value(f, t, s, row, rows);
  }
  fputc('\n', f);
}

/* ---- laws ---- */

/* The form of a law, "c h^q" and so on: of weak errors or squares of strong errors, with a free
   order or the order of theory. */
static const char *form_of(int law, double scale) {
  static const char *const weak[] = {"c1 h^q",        "  q by theory",   "c1 h^q + c2 h^(q+1)",
                                     "  q by theory", ".. + c3 h^(q+2)", "  q by theory"};
  static const char *const square[] = {"c1 h^2p",       "  p by theory",    "c1 h^2p + c2 h^(2p+1)",
                                       "  p by theory", ".. + c3 h^(2p+2)", "  p by theory"};
  return (scale == 2 ? square : weak)[law];
}

static void print_coefficient(FILE *f, const cas_law *l, int k) {
  cas_table_print_real(f, "%.2e", 10, l->coefficient[k]);
  cas_table_print_real(f, "%.0e", 6, l->coefficient_error[k]);
}

/* A third coefficient would make the table wider than a screen; it is in files. */
static void print_law(FILE *f, const cas_laws *all, int law, double scale) {
  const cas_law *l = &all->law[law];
  fprintf(f, "%c %-21s", law == all->headline ? '*' : ' ', form_of(law, scale));
  cas_table_print_real(f, "%.3f", 6, l->order);
  char low[32], high[32], text[80] = "";
  snprintf(low, sizeof low, isfinite(l->low) ? "%.3f" : "..", l->low);
  snprintf(high, sizeof high, isfinite(l->high) ? "%.3f" : "..", l->high);
  if (l->low != l->high)
    snprintf(text, sizeof text, "[%s, %s]", low, high);
  fprintf(f, "  %-15s", text);
  print_coefficient(f, l, 0);
  print_coefficient(f, l, 1);
  cas_table_print_real(f, "%.3g", 9, l->chi2);
  cas_table_print_real(f, "%.0f", 4, l->degrees_of_freedom);
  cas_table_print_real(f, "%.2g", 9, l->p_value);
  fputc('\n', f);
}

void cas_laws_print(FILE *f, const cas_laws *l, double scale, const char *of) {
  if (!isfinite(l->law[CAS_LAW_POWER].order))
    return;
  fprintf(f, "  Laws of %d %s", l->law[CAS_LAW_POWER].points, of);
  if (l->left_out)
    fprintf(f, ", without the coarsest (%d)", l->left_out);
  if (l->headline < CAS_LAWS)
    fprintf(f, "; *: reported order");
  fprintf(f, "\n  %-21s%6s  %-15s%10s%6s%10s%6s%9s%4s%9s\n", "law", "order", "95% if it holds",
          "c1", "+-", "c2", "+-", "chi2", "dof", "p");
  for (int law = 0; law < CAS_LAWS; law++)
    if (isfinite(l->law[law].order))
      print_law(f, l, law, scale);
}

void cas_extrapolation_print(FILE *f, const cas_extrapolation *e) {
  if (!isfinite(e->value))
    return;
  fprintf(
      f, "  E phi at h = 0 assuming the order of theory: %#.10g +- %.1e (sampling) +- %.1e (law)\n",
      e->value, e->standard_error, e->law_error);
}

/* ---- all ---- */

void cas_table_print_reference(FILE *f, const cas_results *r, int levels, double order) {
  const double finest = r->step ? r->step[levels - 1] : NAN, q = isnan(order) ? 1 : order,
               share = r->step ? pow(r->step[levels] / finest, q) : NAN;
  if (r->provenance.reference_integrator || !(share > 0))
    return;
  fprintf(
      f, "  The reference has an error of its own, %.2g%% of that of the finest step at order %g\n",
      100 * share, q);
}

static void print_estimate(void *context, const cas_row *row) {
  FILE *f = context;
  const int width = fprintf(f, "  %s%s%s", row->quantity, row->at[0] ? ", " : "", row->at);
  fprintf(f, "%*s%.6g", width < 24 ? 24 - width : 2, "", row->value);
  if (isfinite(row->standard_error))
    fprintf(f, " +- %.2g", row->standard_error);
  if (isfinite(row->low))
    fprintf(f, ", 95%% interval [%.4g, %.4g]", row->low, row->high);
  fputc('\n', f);
}

/* What is shown of a table whose kind has no print(). */
static void print_estimates(FILE *f, const cas_results *r, const cas_table *t) {
  cas_error err;
  fprintf(f, "\n%s\n", cas_table_name(t));
  if (cas_rows_visit_table(r, t, print_estimate, f, &err))
    fprintf(f, "  %s\n", err.text);
}

void cas_tables_print(FILE *f, const cas_results *r) {
  for (int i = 0; i < r->tables; i++) {
    const cas_table_kind *kind = r->table[i].kind;
    (kind->print ? kind->print : print_estimates)(f, r, &r->table[i]);
  }
}
