#include "engine/run/points.h"
#include "base/owned.h"
#include "base/text.h"
#include "language/config/number.h"

typedef struct {
  cas_strings set;
  bool zip;
} options;

const cas_option cas_points_options[] = {
    CAS_OPTION(options, STRINGS, set, .fallback = "",
               .help =
                   "assignments such as \"system.noise.sigma=0.05,0.1,0.2\", as --set has them"),
    CAS_OPTION(options, BOOL, zip, .fallback = "false",
               .help = "combine the first values of all keys, then the second ones, .., instead of "
                       "all combinations"),
    {0}};

/* The comma at which a value ends: one that is in no brackets and no quotation marks. */
static size_t length_of_value(const char *text) {
  size_t n = 0;
  char quote = '\0';
  for (int depth = 0; text[n] && (text[n] != ',' || depth > 0 || quote); n++)
    if (quote)
      quote = text[n] == quote ? '\0' : quote;
    else if (text[n] == '"' || text[n] == '\'')
      quote = text[n];
    else if (strchr("[{(", text[n]))
      depth++;
    else if (strchr("]})", text[n]))
      depth--;
  return n;
}

static void free_key(cas_points_key *k) {
  for (int i = 0; i < k->values; i++)
    free(k->value[i]);
  free(k->value);
  free(k->key);
}

static cas_status read_values(cas_points_key *k, const char *text, cas_error *err) {
  for (;;) {
    size_t n = length_of_value(text);
    CAS_FAIL_IF(n == 0, CAS_BAD_INPUT,
                "--set: found '%s=', then an empty value; values have commas between them", k->key);
    CAS_NEED(cas_owned_resize(&k->value, k->values + 1, sizeof *k->value));
    k->value[k->values] = strndup(text, n);
    CAS_CALL(k->value[k->values++] ? CAS_OK : cas_no_memory(err));
    if (!text[n])
      return CAS_OK;
    text += n + 1;
  }
}

static cas_status add(cas_points *p, const char *assignment, bool replace, cas_error *err) {
  const char *equals = strchr(assignment, '=');
  CAS_FAIL_IF(!equals || equals == assignment, CAS_BAD_INPUT,
              "--set: found '%.60s', must be KEY=VALUE,VALUE,..", assignment);
  const size_t length = (size_t)(equals - assignment);
  cas_points_key *k = NULL;
  for (int i = 0; i < p->keys; i++)
    if (strlen(p->key[i].key) == length && strncmp(p->key[i].key, assignment, length) == 0)
      k = &p->key[i];
  CAS_FAIL_IF(k && !replace, CAS_BAD_INPUT, "sweep: %s is given twice", k->key);
  if (k) {
    free_key(k);
  } else {
    CAS_NEED(cas_owned_resize(&p->key, p->keys + 1, sizeof *k));
    k = &p->key[p->keys++];
  }
  *k = (cas_points_key){.key = strndup(assignment, length)};
  CAS_NEED(k->key);
  return read_values(k, equals + 1, err);
}

static bool is_number(const char *text, double *value) {
  return !cas_number_parse_step(text, value) || !cas_number_parse_real(text, value);
}

/* Whether two values of a key are one number, as 0.125 and 2^-3 are, or one text. */
static bool same_values(const cas_points_key *k, int i, int j) {
  double x, y;
  return k->values == 1 || strcmp(k->value[i], k->value[j]) == 0 ||
         (is_number(k->value[i], &x) && is_number(k->value[j], &y) && x == y);
}

/* Of keys side by side only a point as a whole counts: one of them may have a value twice. */
static cas_status refuse_same(const cas_points *p, const cas_points_key *key, int keys, int values,
                              cas_error *err) {
  for (int j = 1; j < values; j++)
    for (int i = 0; i < j; i++) {
      int same = 0;
      while (same < keys && same_values(&key[same], i, j))
        same++;
      if (same < keys)
        continue;
      while (key->values == 1)
        key++;
      return cas_fail(err, CAS_BAD_INPUT,
                      "sweep: %s has the value '%.60s' twice, as its values %d and %d%s, so that "
                      "runs would be the same. Other paths come by other values of random.seed.",
                      key->key, key->value[j], i + 1, j + 1,
                      p->zip ? ", and no other key differs there" : "");
    }
  return CAS_OK;
}

/* Keys of one value are set to it at every point. */
static cas_status count(cas_points *p, cas_error *err) {
  const int64_t most = 1000000;
  const cas_points_key *first = NULL;
  p->points = 1;
  for (int i = 0; i < p->keys; i++) {
    const cas_points_key *k = &p->key[i];
    CAS_FAIL_IF(p->zip && k->values > 1 && first && k->values != first->values, CAS_BAD_INPUT,
                "sweep: zip takes as many values of %s, %d, as of %s, %d", k->key, k->values,
                first->key, first->values);
    if (!p->zip)
      p->points *= k->values;
    else if (k->values > 1)
      p->points = k->values;
    if (k->values > 1)
      first = k;
    CAS_FAIL_IF(p->points > most, CAS_BAD_INPUT, "sweep: more than %lld points", (long long)most);
  }
  return CAS_OK;
}

static cas_status read_section(cas_config *c, cas_points *p, cas_error *err) {
  options o;
  if (!cas_config_has(c, "sweep"))
    return CAS_OK;
  CAS_CALL(cas_options_read(c, "sweep", cas_points_options, NULL, &o, err));
  cas_status st = CAS_OK;
  for (int i = 0; !st && i < o.set.n; i++)
    st = add(p, o.set.value[i], false, err);
  p->zip = o.zip;
  cas_options_free(cas_points_options, &o);
  return st ? st : cas_config_set(c, "sweep=null", err);
}

cas_status cas_points_create(cas_config *c, const char *const *assignment, int assignments,
                             bool zip, cas_points *p, cas_error *err) {
  *p = (cas_points){0};
  CAS_CALL(read_section(c, p, err));
  p->zip |= zip;
  for (int i = 0; i < assignments; i++)
    CAS_CALL(add(p, assignment[i], true, err));
  CAS_CALL(count(p, err));
  if (p->zip)
    return refuse_same(p, p->key, p->keys, (int)p->points, err);
  for (int i = 0; i < p->keys; i++)
    CAS_CALL(refuse_same(p, &p->key[i], 1, p->key[i].values, err));
  return CAS_OK;
}

void cas_points_free(cas_points *p) {
  for (int i = 0; i < p->keys; i++)
    free_key(&p->key[i]);
  free(p->key);
  *p = (cas_points){0};
}

/* The value of key i; the last key changes fastest. */
static const char *value_at(const cas_points *p, int i, int64_t point) {
  const cas_points_key *k = &p->key[i];
  if (p->zip)
    return k->value[k->values > 1 ? point : 0];
  for (int j = p->keys - 1; j > i; j--)
    point /= p->key[j].values;
  return k->value[point % k->values];
}

cas_status cas_points_set(const cas_points *p, int64_t point, cas_config *c, cas_error *err) {
  for (int i = 0; i < p->keys; i++) {
    CAS_OWNED char *assignment = NULL;
    CAS_NEED(asprintf(&assignment, "%s=%s", p->key[i].key, value_at(p, i, point)) >= 0);
    CAS_CALL(cas_config_set(c, assignment, err));
  }
  return CAS_OK;
}

void cas_points_describe(const cas_points *p, int64_t point, char *text, size_t size) {
  text[0] = '\0';
  for (int i = 0; i < p->keys; i++)
    if (p->key[i].values > 1)
      cas_append(text, size, "%s%s=%s", text[0] ? " " : "", p->key[i].key, value_at(p, i, point));
}

const char *cas_points_message(const cas_points *p, int64_t point, const char *message) {
  int described = 0;
  for (int i = 0; i < p->keys; i++)
    described += p->key[i].values > 1;
  for (int i = 0; i < p->keys; i++) {
    const char *key = p->key[i].key, *set = cas_text_behind(message, "--set "),
               *value = cas_text_behind(cas_text_behind(set, key), "="),
               *rest = cas_text_behind(cas_text_behind(value, value_at(p, i, point)), ": "),
               *plain = cas_text_behind(cas_text_behind(rest, key), ": ");
    if (p->key[i].values > 1 && rest)
      return described == 1 && plain ? plain : rest;
  }
  return message;
}
