/* Laws of errors as two tables of a file: "/fits" has a row for each law that was fitted, "/orders"
   one for each table that has laws, with how its order was found. */
#include "files/results/frame.h"
#include "files/results/table.h"
#include <math.h>
#include <string.h>

#define NUMBER(owner, kind, called, member, meaning) \
  CAS_TABLE_VALUE(owner, kind, called, member, meaning, "1")

enum { FIT_WORDS = 2, ORDER_WORDS = 3 }; /* which come first */

const cas_field cas_laws_fits[] = {
    {.name = "table", .long_name = "what the law is of"},
    {.name = "law", .long_name = "its terms, and whether the order is free or that of theory"},
    NUMBER(cas_law, REAL, "exponent", order, "order of convergence, half of it for mean squares"),
    NUMBER(cas_law, REAL, "low", low, "lower end of its 95% interval if the law holds"),
    NUMBER(cas_law, REAL, "high", high, "upper end of its 95% interval if the law holds"),
    NUMBER(cas_law, REAL, "coefficient", coefficient[0], "coefficient of the first term"),
    NUMBER(cas_law, REAL, "coefficient_standard_error", coefficient_error[0], "its standard error"),
    NUMBER(cas_law, REAL, "coefficient_next", coefficient[1], "coefficient of the second term"),
    NUMBER(cas_law, REAL, "coefficient_next_standard_error", coefficient_error[1],
           "its standard error"),
    NUMBER(cas_law, REAL, "coefficient_third", coefficient[2], "coefficient of the third term"),
    NUMBER(cas_law, REAL, "coefficient_third_standard_error", coefficient_error[2],
           "its standard error"),
    NUMBER(cas_law, REAL, "exponent_next", offset[0],
           "exponent of the second term less the first's"),
    NUMBER(cas_law, REAL, "exponent_third", offset[1],
           "exponent of the third term less the first's"),
    NUMBER(cas_law, REAL, "chi2", chi2, "of the test of fit"),
    NUMBER(cas_law, REAL, "dof", degrees_of_freedom, "degrees of freedom of the test of fit"),
    NUMBER(cas_law, REAL, "p", p_value, "probability of a chi2 as large if the law holds"),
    NUMBER(cas_law, REAL, "leading_share", leading_share,
           "share of the first term in the sum of all at the finest step"),
    NUMBER(cas_law, INT, "points", points, "number of values in the fit"),
    {0}};

const cas_field cas_laws_orders[] = {
    {.name = "table", .long_name = "what converges"},
    {.name = "law", .long_name = "law of the order"},
    {.name = "conclusion", .long_name = "whether the order is that of theory, by the leading term"},
    NUMBER(cas_laws, INT, "values", points, "number of values, those left out included"),
    NUMBER(cas_laws, INT, "left_out", left_out, "number of coarsest values left out"),
    NUMBER(cas_laws, INT, "values_needed", least, "number of values that an order takes at least"),
    NUMBER(cas_laws, INT, "interval_united", united,
           "1 if the interval is united with that without the coarsest value"),
    NUMBER(cas_laws, REAL, "law_low", low, "lower end of the interval of the order in the law"),
    NUMBER(cas_laws, REAL, "law_high", high, "upper end of the interval of the order in the law"),
    NUMBER(cas_laws, REAL, "rate", rate, "order between the finest two values"),
    NUMBER(cas_laws, REAL, "rate_standard_error", rate_error, "standard error of the rate"),
    NUMBER(cas_laws, REAL, "theory_p_value", theory_p_value,
           "p of the law with the order of theory, the larger one of all values and all but one"),
    NUMBER(cas_laws, REAL, "conclusion_coefficient", conclusion.coefficient,
           "coefficient of the leading term with the order of theory"),
    NUMBER(cas_laws, REAL, "conclusion_coefficient_low", conclusion.low,
           "lower end of its 95% interval"),
    NUMBER(cas_laws, REAL, "conclusion_coefficient_high", conclusion.high,
           "upper end of its 95% interval"),
    NUMBER(cas_laws, REAL, "conclusion_order", conclusion.order,
           "exponent of the leading term if it is free"),
    NUMBER(cas_laws, REAL, "conclusion_order_low", conclusion.order_low,
           "lower end of its 95% interval"),
    NUMBER(cas_laws, REAL, "conclusion_order_high", conclusion.order_high,
           "upper end of its 95% interval"),
    NUMBER(cas_laws, REAL, "conclusion_p_value", conclusion.p_value,
           "p of the law of the conclusion"),
    NUMBER(cas_laws, REAL, "conclusion_standard_errors", conclusion.seen,
           "standard errors between the coefficient and 0"),
    NUMBER(cas_laws, INT, "conclusion_terms", conclusion.terms,
           "terms of its law, 0 if none holds"),
    NUMBER(cas_laws, INT, "conclusion_left_out", conclusion.left_out,
           "number of coarsest values without which it is found"),
    NUMBER(cas_laws, INT, "conclusion_decides", conclusion.decides,
           "1 where the verdict on the order is this conclusion"),
    {0}};

static const cas_field *const fits_list[] = {cas_laws_fits, NULL}, *const orders_list[] = {
                                                                       cas_laws_orders, NULL};

/* The index of a name among n; n if none has it. */
static int index_of(const char *const *names, int n, const char *name) {
  int i = 0;
  while (i < n && strcmp(names[i], name) != 0)
    i++;
  return i;
}

static bool add_row(cas_frame *f, const char *table, int law, const void *numbers) {
  const int row = cas_frame_add(f);
  if (row < 0)
    return false;
  cas_frame_take(f, row, numbers);
  return cas_frame_set_word(f, "table", row, table) &&
         cas_frame_set_word(f, "law", row, cas_law_names[law]);
}

/* Adds the rows of a table and its parts; false without memory. */
static bool add_table(const cas_table *t, cas_frame *fit, cas_frame *order) {
  char table[CAS_TABLE_PATH];
  const cas_laws *l = cas_table_laws(t);
  bool there = true;
  cas_table_path(t, table);
  for (int i = 0; l && there && i < CAS_LAWS; i++)
    if (isfinite(l->law[i].order))
      there = add_row(fit, table, i, &l->law[i]);
  if (l && there)
    there = add_row(order, table, l->headline, l) &&
            cas_frame_set_word(order, "conclusion", order->rows - 1,
                               cas_judgement_names[l->conclusion.judgement]);
  for (int i = 0; there && i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    there = add_table(&part, fit, order);
  }
  return there;
}

void cas_laws_put(cas_h5 *h, hid_t file, const cas_results *r) {
  cas_frame fit, order;
  bool there = true;
  cas_frame_begin(&fit, cas_laws_fits, "");
  cas_frame_begin(&order, cas_laws_orders, "");
  for (int i = 0; there && i < r->tables; i++)
    there = add_table(&r->table[i], &fit, &order);
  if (!there)
    cas_h5_no_memory(h);
  if (order.rows > 0) {
    cas_frame_put(h, file, "fits", &fit);
    cas_frame_put(h, file, "orders", &order);
  }
  cas_frame_free(&fit);
  cas_frame_free(&order);
}

static void get_order(cas_h5 *h, const cas_frame *order, int row, cas_laws *l) {
  enum { MOST_TERMS = 3 };
  const char *law = cas_frame_word(order, "law", row),
             *conclusion = cas_frame_word(order, "conclusion", row);
  const int judgement = index_of(cas_judgement_names, CAS_JUDGEMENTS, conclusion);
  cas_frame_give(order, row, l);
  l->headline = index_of(cas_law_names, CAS_LAWS, law);
  if (l->headline < CAS_LAWS && l->headline % 2 != 0)
    cas_h5_refuse(h, "names '%.30s' as the law of an order, which that law is given", law);
  else if (judgement == CAS_JUDGEMENTS)
    cas_h5_refuse(h, "concludes '%.30s' on an order, which is no verdict", conclusion);
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
static void get_table(cas_h5 *h, const cas_table *t, const cas_frame *fit, const cas_frame *order) {
  char table[CAS_TABLE_PATH];
  cas_laws *l = cas_table_laws(t);
  cas_table_path(t, table);
  for (int i = 0; l && i < order->rows; i++)
    if (strcmp(cas_frame_word(order, "table", i), table) == 0)
      get_order(h, order, i, l);
  for (int i = 0; l && i < fit->rows; i++) {
    const int law = index_of(cas_law_names, CAS_LAWS, cas_frame_word(fit, "law", i));
    if (law < CAS_LAWS && strcmp(cas_frame_word(fit, "table", i), table) == 0)
      cas_frame_give(fit, i, &l->law[law]);
  }
  for (int i = 0; i < cas_table_parts(t); i++) {
    const cas_table part = cas_table_part(t, i);
    get_table(h, &part, fit, order);
  }
}

static bool has_laws(const cas_results *r) {
  bool any = false;
  for (int i = 0; i < r->tables; i++)
    any |=
        r->table[i].kind->laws > 0 || (r->table[i].kind->part && r->table[i].kind->part->laws > 0);
  return any;
}

void cas_laws_get(cas_h5 *h, hid_t file, const cas_results *r) {
  cas_frame fit = {0}, order = {0};
  if (h->status || !has_laws(r))
    return;
  if (!cas_frame_get(h, file, "fits", fits_list, &fit) ||
      !cas_frame_get(h, file, "orders", orders_list, &order))
    cas_h5_refuse(h, "has orders that an earlier casimir fitted and stored in another way; run the "
                     "study again");
  for (int i = 0; !h->status && i < r->tables; i++)
    get_table(h, &r->table[i], &fit, &order);
  cas_frame_free(&fit);
  cas_frame_free(&order);
}

bool cas_laws_equal(const cas_laws *a, const cas_laws *b) {
  for (int i = 0; i < CAS_LAWS; i++)
    if (!cas_field_same_values(cas_laws_fits + FIT_WORDS, &a->law[i], &b->law[i]))
      return false;
  return a->headline == b->headline && a->conclusion.judgement == b->conclusion.judgement &&
         cas_field_same_values(cas_laws_orders + ORDER_WORDS, a, b);
}
