/* Laws of errors and findings of verdicts, as attributes of a group: the law of the headline first,
   then every law with its name before. */
#include "results/table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const cas_field law_numbers[] = {
    CAS_FIELD_VALUE(cas_law, REAL, "order", order),
    CAS_FIELD_VALUE(cas_law, REAL, "order_low", low),
    CAS_FIELD_VALUE(cas_law, REAL, "order_high", high),
    CAS_FIELD_VALUE(cas_law, REAL, "coefficient", coefficient[0]),
    CAS_FIELD_VALUE(cas_law, REAL, "coefficient_standard_error", coefficient_error[0]),
    CAS_FIELD_VALUE(cas_law, REAL, "coefficient_next", coefficient[1]),
    CAS_FIELD_VALUE(cas_law, REAL, "coefficient_next_standard_error", coefficient_error[1]),
    CAS_FIELD_LATER(cas_law, REAL, "coefficient_third", coefficient[2]),
    CAS_FIELD_LATER(cas_law, REAL, "coefficient_third_standard_error", coefficient_error[2]),
    CAS_FIELD_LATER(cas_law, REAL, "exponent_next", offset[0]),
    CAS_FIELD_LATER(cas_law, REAL, "exponent_third", offset[1]),
    CAS_FIELD_VALUE(cas_law, REAL, "chi2", chi2),
    CAS_FIELD_VALUE(cas_law, REAL, "degrees_of_freedom", degrees_of_freedom),
    CAS_FIELD_VALUE(cas_law, REAL, "p_value", p_value),
    CAS_FIELD_VALUE(cas_law, REAL, "leading_share", leading_share),
    CAS_FIELD_VALUE(cas_law, INT, "points", points),
    {0}};

static const cas_field laws_numbers[] = {
    CAS_FIELD_VALUE(cas_laws, INT, "values", points),
    CAS_FIELD_VALUE(cas_laws, INT, "left_out", left_out),
    CAS_FIELD_LATER(cas_laws, INT, "interval_united", united),
    CAS_FIELD_LATER(cas_laws, REAL, "rate", rate),
    CAS_FIELD_LATER(cas_laws, REAL, "rate_standard_error", rate_error),
    CAS_FIELD_LATER(cas_laws, REAL, "theory_p_value", theory_p_value),
    {0}};

/* The interval of the headline, which is written with its law. */
static const cas_field interval_numbers[] = {CAS_FIELD_VALUE(cas_laws, REAL, "order_low", low),
                                             CAS_FIELD_VALUE(cas_laws, REAL, "order_high", high),
                                             {0}};

/* What verdicts on curves of a file have to know as well. */
static const cas_field least_number[] = {CAS_FIELD_LATER(cas_laws, INT, "values_needed", least),
                                         {0}};

/* What the errors show of the order of theory, beside its judgement. */
static const cas_field conclusion_numbers[] = {
    CAS_FIELD_VALUE(cas_conclusion, REAL, "coefficient", coefficient),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "coefficient_low", low),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "coefficient_high", high),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "order", order),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "order_low", order_low),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "order_high", order_high),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "p_value", p_value),
    CAS_FIELD_VALUE(cas_conclusion, REAL, "standard_errors", seen),
    CAS_FIELD_VALUE(cas_conclusion, INT, "terms", terms),
    CAS_FIELD_VALUE(cas_conclusion, INT, "left_out", left_out),
    CAS_FIELD_VALUE(cas_conclusion, INT, "decides", decides),
    {0}};

static void prefix_of(const char *prefix, int law, char text[100]) {
  snprintf(text, 100, "%.60s%s_", prefix, cas_law_names[law]);
}

static const char *name_of(const char *prefix, const char *name, char text[100]) {
  snprintf(text, 100, "%.60s%s", prefix, name);
  return text;
}

static void put_conclusion(cas_h5 *h, hid_t at, const char *prefix, const cas_conclusion *c) {
  char text[100];
  cas_h5_put_text(h, at, name_of(prefix, "conclusion", text), cas_judgement_names[c->judgement]);
  cas_h5_put_fields(h, at, name_of(prefix, "conclusion_", text), conclusion_numbers, c);
}

/* Files of earlier versions have none. */
static void get_conclusion(cas_h5 *h, hid_t at, const char *prefix, cas_conclusion *c) {
  enum { MOST_TERMS = 3 };
  char text[100], name[32] = "";
  if (h->status || !cas_h5_has_attribute(h, at, name_of(prefix, "conclusion", text)))
    return;
  cas_h5_get_words(h, at, text, name, sizeof name);
  cas_h5_get_fields(h, at, name_of(prefix, "conclusion_", text), conclusion_numbers, c);
  int i = 0;
  while (i < CAS_JUDGEMENTS && strcmp(name, cas_judgement_names[i]) != 0)
    i++;
  if (!h->status && i == CAS_JUDGEMENTS)
    cas_h5_refuse(h, "concludes '%.30s' on an order, which is no verdict", name);
  else if (!h->status && (c->terms < 0 || c->terms > MOST_TERMS))
    cas_h5_refuse(h, "concludes on an order by %d terms, must be from 0 to %d", c->terms,
                  MOST_TERMS);
  else
    c->judgement = i < CAS_JUDGEMENTS ? (cas_judgement)i : c->judgement;
}

void cas_laws_put(cas_h5 *h, hid_t at, const char *prefix, const cas_laws *l) {
  char text[100];
  const cas_law headline = cas_laws_headline(l);
  cas_h5_put_fields(h, at, prefix, law_numbers, &headline);
  cas_h5_put_text(h, at, name_of(prefix, "law", text), cas_law_names[l->headline]);
  cas_h5_put_fields(h, at, prefix, laws_numbers, l);
  cas_h5_put_fields(h, at, prefix, least_number, l);
  for (int i = 0; i < CAS_LAWS; i++) {
    prefix_of(prefix, i, text);
    cas_h5_put_fields(h, at, text, law_numbers, &l->law[i]);
  }
  put_conclusion(h, at, prefix, &l->conclusion);
}

void cas_laws_get(cas_h5 *h, hid_t at, const char *prefix, cas_laws *l) {
  char text[100], name[32] = "";
  name_of(prefix, "law", text);
  if (!h->status && !cas_h5_has_attribute(h, at, text))
    cas_h5_refuse(h,
                  "has orders that an earlier casimir fitted by other laws; run the study again");
  cas_h5_get_words(h, at, text, name, sizeof name);
  cas_laws_clear(l);
  cas_h5_get_fields(h, at, prefix, laws_numbers, l);
  cas_h5_get_fields(h, at, prefix, interval_numbers, l);
  get_conclusion(h, at, prefix, &l->conclusion);
  /* The law of the headline by its name: one with a free order, or none. */
  int law = 0;
  while (law < CAS_LAWS && strcmp(name, cas_law_names[law]) != 0)
    law++;
  if (law < CAS_LAWS && law % 2 != 0)
    cas_h5_refuse(h, "names '%.30s' as the law of an order, which that law is given", name);
  l->headline = law;
  for (int i = 0; i < CAS_LAWS && !h->status; i++) {
    char order[120];
    prefix_of(prefix, i, text);
    snprintf(order, sizeof order, "%sorder", text);
    if (cas_h5_has_attribute(h, at, order)) /* earlier versions had laws of two terms at most */
      cas_h5_get_fields(h, at, text, law_numbers, &l->law[i]);
  }
  /* How many values an order takes at least. In files that do not say it, or of laws that were not
     fitted, it is one more than the terms of the most general law. */
  const bool third = isfinite(l->law[CAS_LAW_THREE_TERM].coefficient[0]) ||
                     isfinite(l->law[CAS_LAW_THREE_TERM_THEORY].coefficient[0]);
  const int unsaid = third ? 4 : 3;
  l->least = unsaid;
  cas_h5_get_fields(h, at, prefix, least_number, l);
  l->least = l->least ? l->least : unsaid;
  if (!h->status && (l->least < 2 || l->least > 4))
    cas_h5_refuse(h, "has %d as the least number of values of an order, must be from 2 to 4",
                  l->least);
}

bool cas_laws_equal(const cas_laws *a, const cas_laws *b) {
  for (int i = 0; i < CAS_LAWS; i++)
    if (!cas_field_same_values(law_numbers, &a->law[i], &b->law[i]))
      return false;
  return a->headline == b->headline && cas_field_same_values(laws_numbers, a, b) &&
         cas_field_same_values(interval_numbers, a, b) &&
         a->conclusion.judgement == b->conclusion.judgement &&
         cas_field_same_values(conclusion_numbers, &a->conclusion, &b->conclusion);
}

void cas_findings_put(cas_h5 *h, hid_t at, const char *prefix, cas_findings findings) {
  char name[100], names[1024];
  cas_findings_format(findings, names, sizeof names);
  cas_h5_put_text(h, at, name_of(prefix, "verdict_code", name),
                  cas_finding_names[cas_verdict_code(findings)]);
  cas_h5_put_text(h, at, name_of(prefix, "findings", name), names);
}

void cas_findings_get(cas_h5 *h, hid_t at, const char *prefix, cas_findings *findings) {
  char name[100], names[1024] = "";
  cas_h5_get_words(h, at, name_of(prefix, "findings", name), names, sizeof names);
  *findings = cas_findings_parse(names);
}
