/* What differs between the configurations of several files. */
#include "files/results/rows.h"
#include "language/config/keys.h"
#include "language/config/number.h"

#include <math.h>

/* The key of this name, which is added if there is none; NULL without memory. */
static cas_compared_key *key_of(cas_comparison *c, const char *name) {
  for (int k = 0; k < c->keys; k++)
    if (strcmp(c->key[k].name, name) == 0)
      return &c->key[k];
  if (!cas_owned_resize(&c->key, c->keys + 1, sizeof *c->key))
    return NULL;
  cas_compared_key *key = &c->key[c->keys++];
  *key = (cas_compared_key){strdup(name), calloc((size_t)c->files, sizeof(char *))};
  return key->name && key->value ? key : NULL;
}

/* Adds the values that the configuration of a file gives. */
static cas_status add_file(cas_comparison *c, int file, cas_error *err) {
  const char *given = c->results[file]->provenance.configuration, *text = given ? given : "";
  CAS_OWNED_BY(cas_config_release) cas_config *config = NULL;
  CAS_OWNED char *list = NULL;
  char *rest;
  size_t size;
  CAS_CALL(cas_config_parse(text, strlen(text), "configuration", &config, err));
  FILE *f = open_memstream(&list, &size);
  CAS_NEED(f);
  cas_config_list(f, config); /* lines "key: value" */
  CAS_NEED(fclose(f) == 0);
  for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char *colon = strstr(line, ": ");
    if (!colon)
      continue;
    *colon = '\0';
    cas_compared_key *k = key_of(c, line);
    CAS_NEED(k && (k->value[file] || (k->value[file] = strdup(colon + 2))));
  }
  return CAS_OK;
}

static void free_key(const cas_comparison *c, cas_compared_key *k) {
  for (int i = 0; k->value && i < c->files; i++)
    free(k->value[i]);
  free(k->value);
  free(k->name);
}

static int changes(const cas_comparison *c, const cas_compared_key *k) {
  int n = 0;
  for (int i = 1; i < c->files; i++)
    n += !cas_field_same_text(k->value[i - 1], k->value[i]);
  return n;
}

/* Where a key stands among others: behind all that every file has, if one does not have it. */
static int rank_of(const cas_comparison *c, const cas_compared_key *k) {
  int i = 0;
  while (i < c->files && k->value[i])
    i++;
  return changes(c, k) + (i < c->files ? c->files : 0);
}

/* By cas_comparison's order, keys of a sweep stand as in --set, whose last one changes fastest. */
static void sort_keys(cas_comparison *c) {
  const int all = c->keys;
  c->keys = 0;
  for (int i = 0; i < all; i++) {
    cas_compared_key key = c->key[i];
    int j = c->keys, n = rank_of(c, &key);
    if (changes(c, &key) == 0) {
      free_key(c, &key);
      continue;
    }
    for (; j > 0 && rank_of(c, &c->key[j - 1]) > n; j--)
      c->key[j] = c->key[j - 1];
    c->key[j] = key;
    c->keys++;
    c->common += n < c->files;
  }
}

cas_status cas_comparison_read(const char *const *file, int n, cas_comparison *c, cas_error *err) {
  *c = (cas_comparison){.files = n,
                        .owned = calloc((size_t)n + 1, sizeof *c->owned),
                        .results = calloc((size_t)n + 1, sizeof *c->results)};
  CAS_NEED(c->owned && c->results);
  for (int i = 0; i < n; i++) {
    CAS_CALL(cas_results_read(file[i], &c->owned[i], err));
    c->results[i] = &c->owned[i];
  }
  for (int i = 0; i < n; i++)
    CAS_CALL(add_file(c, i, err));
  sort_keys(c);
  return CAS_OK;
}

void cas_comparison_free(cas_comparison *c) {
  for (int k = 0; k < c->keys; k++)
    free_key(c, &c->key[k]);
  for (int i = 0; c->owned && i < c->files; i++)
    cas_results_free(&c->owned[i]);
  free(c->owned);
  free(c->results);
  free(c->key);
}

double cas_comparison_number(const cas_comparison *c, int file, int key) {
  const char *value = c->key[key].value[file];
  size_t size = value ? strlen(value) : 0;
  char text[64];
  double x;
  if (size > 1 && value[0] == '\'' && value[size - 1] == '\'') { /* of an expression */
    value++;
    size -= 2;
  }
  if (size == 0 || size >= sizeof text)
    return NAN;
  snprintf(text, sizeof text, "%.*s", (int)size, value);
  return cas_number_parse_step(text, &x) && cas_number_parse_real(text, &x) ? NAN : x;
}
