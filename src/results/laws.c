/* Laws of errors and verdicts, as attributes of a group: the law of the headline first, then every law
   with its name before. */
#include "hdf5/hdf5_impl.h"
#include <stdio.h>
#include <string.h>

#define IN(type, member) offsetof(type, member)

static const cas_field law_numbers[] = {
    {"order", CAS_FIELD_REAL, IN(cas_law, order), 0, NULL, NULL},
    {"order_low", CAS_FIELD_REAL, IN(cas_law, low), 0, NULL, NULL},
    {"order_high", CAS_FIELD_REAL, IN(cas_law, high), 0, NULL, NULL},
    {"coefficient", CAS_FIELD_REAL, IN(cas_law, coefficient[0]), 0, NULL, NULL},
    {"coefficient_standard_error", CAS_FIELD_REAL, IN(cas_law, coefficient_error[0]), 0, NULL,
     NULL},
    {"coefficient_next", CAS_FIELD_REAL, IN(cas_law, coefficient[1]), 0, NULL, NULL},
    {"coefficient_next_standard_error", CAS_FIELD_REAL, IN(cas_law, coefficient_error[1]), 0, NULL,
     NULL},
    {"chi2", CAS_FIELD_REAL, IN(cas_law, chi2), 0, NULL, NULL},
    {"degrees_of_freedom", CAS_FIELD_REAL, IN(cas_law, degrees_of_freedom), 0, NULL, NULL},
    {"p_value", CAS_FIELD_REAL, IN(cas_law, p_value), 0, NULL, NULL},
    {"leading_share", CAS_FIELD_REAL, IN(cas_law, leading_share), 0, NULL, NULL},
    {"points", CAS_FIELD_INT, IN(cas_law, points), 0, NULL, NULL},
    {0}};

static const cas_field laws_numbers[] = {
    {"values", CAS_FIELD_INT, IN(cas_laws, points), 0, NULL, NULL},
    {"left_out", CAS_FIELD_INT, IN(cas_laws, left_out), 0, NULL, NULL},
    {0}};

static const cas_field extrapolation_numbers[] = {
    {"extrapolated_mean", CAS_FIELD_REAL, IN(cas_extrapolation, value), 0, NULL, NULL},
    {"extrapolated_mean_standard_error", CAS_FIELD_REAL, IN(cas_extrapolation, standard_error), 0,
     NULL, NULL},
    {"extrapolated_mean_law_error", CAS_FIELD_REAL, IN(cas_extrapolation, law_error), 0, NULL,
     NULL},
    {0}};

static void prefix_of(const char *prefix, int law, char text[100]) {
  snprintf(text, 100, "%.60s%s_", prefix, cas_law_names[law]);
}

static const char *name_of(const char *prefix, const char *name, char text[100]) {
  snprintf(text, 100, "%.60s%s", prefix, name);
  return text;
}

void cas_h5_put_laws(cas_h5 *h, hid_t at, const char *prefix, const cas_laws *l) {
  char text[100];
  const cas_law headline = cas_laws_headline(l);
  cas_h5_put_fields(h, at, prefix, law_numbers, &headline);
  cas_h5_put_text(h, at, name_of(prefix, "law", text), cas_law_names[l->headline]);
  cas_h5_put_fields(h, at, prefix, laws_numbers, l);
  for (int i = 0; i < CAS_LAWS; i++) {
    prefix_of(prefix, i, text);
    cas_h5_put_fields(h, at, text, law_numbers, &l->law[i]);
  }
}

void cas_h5_get_laws(cas_h5 *h, hid_t at, const char *prefix, cas_laws *l) {
  char text[100], name[32] = "";
  name_of(prefix, "law", text);
  if (!h->status && !cas_h5_has_attribute(h, at, text))
    cas_h5_refuse(h,
                  "has orders that an earlier casimir fitted by other laws; run the study again");
  cas_h5_get_words(h, at, text, name, sizeof name);
  cas_h5_get_fields(h, at, prefix, laws_numbers, l);
  l->headline = 0;
  while (l->headline < CAS_LAWS && strcmp(name, cas_law_names[l->headline]) != 0)
    l->headline++;
  for (int i = 0; i < CAS_LAWS && !h->status; i++) {
    prefix_of(prefix, i, text);
    cas_h5_get_fields(h, at, text, law_numbers, &l->law[i]);
  }
}

bool cas_laws_equal(const cas_laws *a, const cas_laws *b) {
  for (int i = 0; i < CAS_LAWS; i++)
    if (!cas_same_values(law_numbers, &a->law[i], &b->law[i]))
      return false;
  return a->headline == b->headline && cas_same_values(laws_numbers, a, b);
}

void cas_h5_put_verdict(cas_h5 *h, hid_t at, const char *prefix, cas_findings findings,
                        const char *words) {
  char name[100], names[1024];
  cas_findings_format(findings, names, sizeof names);
  cas_h5_put_text(h, at, name_of(prefix, "verdict", name), words);
  cas_h5_put_text(h, at, name_of(prefix, "verdict_code", name),
                  cas_finding_names[cas_verdict_code(findings)]);
  cas_h5_put_text(h, at, name_of(prefix, "findings", name), names);
}

void cas_h5_get_verdict(cas_h5 *h, hid_t at, const char *prefix, cas_findings *findings,
                        char *words, size_t size) {
  char name[100], names[1024] = "";
  cas_h5_get_words(h, at, name_of(prefix, "verdict", name), words, size);
  cas_h5_get_words(h, at, name_of(prefix, "findings", name), names, sizeof names);
  *findings = cas_findings_parse(names);
}

void cas_h5_put_extrapolation(cas_h5 *h, hid_t at, const cas_extrapolation *e) {
  cas_h5_put_fields(h, at, "", extrapolation_numbers, e);
}

void cas_h5_get_extrapolation(cas_h5 *h, hid_t at, cas_extrapolation *e) {
  cas_h5_get_fields(h, at, "", extrapolation_numbers, e);
}

bool cas_extrapolation_equal(const cas_extrapolation *a, const cas_extrapolation *b) {
  return cas_same_values(extrapolation_numbers, a, b);
}
