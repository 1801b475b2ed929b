/* Laws of errors as two tables of a file: "/fits" has a row for each law that was fitted, "/orders"
   one for each table that has laws, with how its order was found. */
#include "base/text.h"
#include "files/results/frame.h"
#include "files/results/table.h"
#include <math.h>

#define NUMBER(owner, kind, called, member, meaning) \
  CAS_TABLE_VALUE(owner, kind, called, numbers.member, meaning, "1")
#define SHOWN(called, member, meaning, ...) \
  CAS_TABLE_VALUE(fit, REAL, called, numbers.member, meaning, "1", .heading = __VA_ARGS__)
#define TEXT(owner, member, meaning) CAS_TABLE_VALUE(owner, TEXT, #member, member, meaning, "1")

typedef struct {
  const char *table, *law;
  cas_law numbers;
} fit;

typedef struct {
  const char *table, *law, *conclusion;
  cas_laws numbers;
} order;

const cas_field cas_laws_fits[] = {
    TEXT(fit, table, "what the law is of"),
    CAS_TABLE_VALUE(fit, TEXT, "law", law,
                    "its terms, and whether the order is free or that of theory", "1",
                    .heading = "law"),
    SHOWN("exponent", order, "order of convergence, half of it for mean squares", "exponent",
          .low = "low", .high = "high"),
    NUMBER(fit, REAL, "low", low, "lower end of its 95% interval if the law holds"),
    NUMBER(fit, REAL, "high", high, "upper end of its 95% interval if the law holds"),
    SHOWN("chi2", chi2, "of the test of fit", "chi2"),
    SHOWN("dof", degrees_of_freedom, "degrees of freedom of the test of fit", "dof"),
    SHOWN("p", p_value, "probability of a chi2 as large if the law holds", "p"),
    SHOWN("coefficient", coefficient[0], "coefficient of the first term", "c1",
          .error = "coefficient_standard_error"),
    NUMBER(fit, REAL, "coefficient_standard_error", coefficient_error[0], "its standard error"),
    SHOWN("coefficient_next", coefficient[1], "coefficient of the second term", "c2",
          .error = "coefficient_next_standard_error"),
    NUMBER(fit, REAL, "coefficient_next_standard_error", coefficient_error[1],
           "its standard error"),
    NUMBER(fit, REAL, "coefficient_third", coefficient[2], "coefficient of the third term"),
    NUMBER(fit, REAL, "coefficient_third_standard_error", coefficient_error[2],
           "its standard error"),
    NUMBER(fit, REAL, "exponent_next", offset[0], "exponent of the second term less the first's"),
    NUMBER(fit, REAL, "exponent_third", offset[1], "exponent of the third term less the first's"),
    NUMBER(fit, REAL, "leading_share", leading_share,
           "share of the first term in the sum of all at the finest step"),
    NUMBER(fit, INT, "points", points, "number of values in the fit"),
    {0}};

const cas_field cas_laws_orders[] = {
    TEXT(order, table, "what converges"),
    TEXT(order, law, "law of the order"),
    TEXT(order, conclusion, "whether the order is that of theory, by the leading term"),
    NUMBER(order, INT, "values", points, "number of values, those left out included"),
    NUMBER(order, INT, "left_out", left_out, "number of coarsest values left out"),
    NUMBER(order, INT, "values_needed", least, "number of values that an order takes at least"),
    NUMBER(order, INT, "interval_united", united,
           "1 if the interval is united with that without the coarsest value"),
    NUMBER(order, REAL, "law_low", low, "lower end of the interval of the order in the law"),
    NUMBER(order, REAL, "law_high", high, "upper end of the interval of the order in the law"),
    NUMBER(order, REAL, "rate", rate, "order between the finest two values"),
    NUMBER(order, REAL, "rate_standard_error", rate_error, "standard error of the rate"),
    NUMBER(order, REAL, "theory_p_value", theory_p_value,
           "p of the law with the order of theory, the larger one of all values and all but one"),
    NUMBER(order, REAL, "conclusion_coefficient", conclusion.coefficient,
           "coefficient of the leading term with the order of theory"),
    NUMBER(order, REAL, "conclusion_coefficient_low", conclusion.low,
           "lower end of its 95% interval"),
    NUMBER(order, REAL, "conclusion_coefficient_high", conclusion.high,
           "upper end of its 95% interval"),
    NUMBER(order, REAL, "conclusion_order", conclusion.order,
           "exponent of the leading term if it is free"),
    NUMBER(order, REAL, "conclusion_order_low", conclusion.order_low,
           "lower end of its 95% interval"),
    NUMBER(order, REAL, "conclusion_order_high", conclusion.order_high,
           "upper end of its 95% interval"),
    NUMBER(order, REAL, "conclusion_p_value", conclusion.p_value, "p of the law of the conclusion"),
    NUMBER(order, REAL, "conclusion_standard_errors", conclusion.seen,
           "standard errors between the coefficient and 0"),
    NUMBER(order, INT, "conclusion_terms", conclusion.terms, "terms of its law, 0 if none holds"),
    NUMBER(order, INT, "conclusion_left_out", conclusion.left_out,
           "number of coarsest values without which it is found"),
    NUMBER(order, INT, "conclusion_decides", conclusion.decides,
           "1 where the verdict on the order is this conclusion"),
    {0}};

/* The index of a name among n; n if none has it. */
static int index_of(const char *const *names, int n, const char *name) {
  int i = 0;
  while (i < n && strcmp(names[i], name) != 0)
    i++;
  return i;
}

static bool add_laws(const char *table, const cas_laws *l, cas_frame *fits) {
  bool there = true;
  for (int i = 0; l && there && i < CAS_LAWS; i++)
    if (isfinite(l->law[i].order))
      there = cas_frame_add(fits, &(fit){table, cas_law_names[i], l->law[i]});
  return there;
}

static bool add_table(const cas_table *t, cas_frame *fits, cas_frame *orders) {
  char table[CAS_TABLE_PATH];
  const cas_laws *l = cas_table_laws(t);
  cas_table_path(t, table);
  bool there = add_laws(table, l, fits);
  if (l && there)
    there = cas_frame_add(orders, &(order){table, cas_law_names[l->headline],
                                           cas_judgement_names[l->conclusion.judgement], *l});
  for (int i = 0; there && i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    there = add_table(&part, fits, orders);
  }
  return there;
}

void cas_laws_put(cas_h5 *h, hid_t file, const cas_results *r) {
  CAS_OWNED_BY(cas_frame_free) cas_frame fits, orders;
  bool there = true;
  cas_frame_begin(&fits, cas_laws_fits, sizeof(fit), "");
  cas_frame_begin(&orders, cas_laws_orders, sizeof(order), "");
  for (int i = 0; there && i < r->tables; i++)
    there = add_table(&r->table[i], &fits, &orders);
  if (!there)
    cas_h5_no_memory(h);
  if (orders.rows > 0) {
    cas_frame_put(h, file, "fits", &fits);
    cas_frame_put(h, file, "orders", &orders);
  }
}

void cas_laws_print(FILE *f, const cas_laws *l, const char *of) {
  CAS_OWNED_BY(cas_frame_free) cas_frame fits;
  char text[300] = "";
  const bool squares = strncmp(of, "squared ", 8) == 0;
  cas_frame_begin(&fits, cas_laws_fits, sizeof(fit), "");
  if (!add_laws("", l, &fits) || fits.rows == 0)
    return;
  fit *row = (void *)fits.row;
  for (int i = 0; i < fits.rows; i++)
    if (row[i].numbers.low == row[i].numbers.high) /* orders of theory */
      row[i].numbers.low = row[i].numbers.high = NAN;
  cas_append(text, sizeof text, "Laws %s of %d %s",
             squares ? "c1 h^2p + c2 h^(2p+1) + .." : "c1 h^q + c2 h^(q+1) + ..",
             l->law[CAS_LAW_POWER].points, of);
  if (l->left_out)
    cas_append(text, sizeof text, ", without the coarsest (%d)", l->left_out);
  if (l->headline < CAS_LAWS && (squares || !l->conclusion.decides))
    cas_append(text, sizeof text, "; the order is that of %s", cas_law_names[l->headline]);
  cas_text_wrap(f, text, fprintf(f, "  "), 98);
  cas_frame_print(f, &fits, 2, 100);
}

/* Copies all numbers that files have of an order from its row to the laws. */
static void get_order(cas_h5 *h, const order *row, cas_laws *l) {
  enum { MOST_TERMS = 3 };
  const int judgement = index_of(cas_judgement_names, CAS_JUDGEMENTS, row->conclusion);
  for (const cas_field *f = cas_laws_orders; f->name; f++)
    if (f->type != CAS_FIELD_TEXT)
      memcpy((char *)l + f->offset - offsetof(order, numbers), (const char *)row + f->offset,
             cas_field_size(f->type));
  l->headline = index_of(cas_law_names, CAS_LAWS, row->law);
  if (l->headline < CAS_LAWS && l->headline % 2 != 0)
    cas_h5_refuse(h, "names '%.30s' as the law of an order, which that law is given", row->law);
  else if (judgement == CAS_JUDGEMENTS)
    cas_h5_refuse(h, "concludes '%.30s' on an order, which is no verdict", row->conclusion);
  else if (l->conclusion.terms < 0 || l->conclusion.terms > MOST_TERMS)
    cas_h5_refuse(h, "concludes on an order by %d terms, must be from 0 to %d", l->conclusion.terms,
                  MOST_TERMS);
  else if (l->least != 0 && (l->least < 2 || l->least > 4))
    cas_h5_refuse(h, "has %d as the least number of values of an order, must be from 2 to 4",
                  l->least);
  else
    l->conclusion.judgement = (cas_judgement)judgement;
}

/* The laws of a table and its parts; none where the file has no row of its name. */
static void get_table(cas_h5 *h, const cas_table *t, const cas_frame *fits,
                      const cas_frame *orders) {
  char table[CAS_TABLE_PATH];
  cas_laws *l = cas_table_laws(t);
  const fit *f = (const void *)fits->row;
  const order *o = (const void *)orders->row;
  cas_table_path(t, table);
  for (int i = 0; l && i < orders->rows; i++)
    if (strcmp(o[i].table, table) == 0)
      get_order(h, &o[i], l);
  for (int i = 0; l && i < fits->rows; i++) {
    const int law = index_of(cas_law_names, CAS_LAWS, f[i].law);
    if (law < CAS_LAWS && strcmp(f[i].table, table) == 0)
      l->law[law] = f[i].numbers;
  }
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    get_table(h, &part, fits, orders);
  }
}

void cas_laws_get(cas_h5 *h, hid_t file, const cas_results *r) {
  CAS_OWNED_BY(cas_frame_free) cas_frame fits = {0}, orders = {0};
  bool any = false;
  for (int i = 0; i < r->tables && !h->status; i++) {
    const cas_table_kind *k = r->table[i].kind;
    any |= k->laws > 0 || (k->parts.kind && k->parts.kind->laws > 0);
  }
  if (!any)
    return;
  if (!cas_frame_get(h, file, "fits", (const cas_field *const[]){cas_laws_fits, NULL}, sizeof(fit),
                     &fits) ||
      !cas_frame_get(h, file, "orders", (const cas_field *const[]){cas_laws_orders, NULL},
                     sizeof(order), &orders))
    cas_h5_refuse(h, "has orders that an earlier casimir fitted and stored in another way; run the "
                     "study again");
  for (int i = 0; !h->status && i < r->tables; i++)
    get_table(h, &r->table[i], &fits, &orders);
}

bool cas_laws_equal(const cas_laws *a, const cas_laws *b) {
  for (int i = 0; i < CAS_LAWS; i++)
    if (!cas_field_same_values(cas_laws_fits, &(fit){.numbers = a->law[i]},
                               &(fit){.numbers = b->law[i]}))
      return false;
  return a->headline == b->headline && a->conclusion.judgement == b->conclusion.judgement &&
         cas_field_same_values(cas_laws_orders, &(order){.numbers = *a}, &(order){.numbers = *b});
}
