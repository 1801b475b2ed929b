#include "base/name_list.h"
#include "language/config/config_impl.h"

#include <ctype.h>
#include <inttypes.h>

/* ---- numbers ---- */

/* Text without quotes that is not empty: what a number or a bool must be. */
static bool is_bare(const cas_node *n) {
  return n->kind == CAS_NODE_TEXT && n->plain && !cas_node_is_null(n);
}

static bool is_text(const cas_node *n) { return n->kind == CAS_NODE_TEXT && !cas_node_is_null(n); }

static cas_status check_value(const cas_option *o, const cas_node *n, const char *complaint,
                              double value, cas_error *err) {
  char out_of_range[160];
  if (!complaint)
    complaint = cas_option_check_range(o, value, out_of_range, sizeof out_of_range);
  return complaint ? cas_node_refuse(err, n, complaint) : CAS_OK;
}

/* 010 is eight to many readers of YAML, and ten to others. */
static const char *doubtful(const cas_node *n) {
  const char *digits = n->text + (*n->text == '-' || *n->text == '+');
  double value;
  return digits[0] == '0' && isdigit((unsigned char)digits[1]) &&
                 !cas_number_parse_real(n->text, &value)
             ? "must not begin with 0, which to some means base eight"
             : NULL;
}

/* 100.000 is a hundred to some and a hundred thousand to others. */
static const char *ambiguous(const cas_node *n, char *out, size_t size) {
  const char *digits = n->text + (*n->text == '-' || *n->text == '+');
  const int whole = (int)strspn(digits, "0123456789"), all = (int)(digits - n->text) + whole;
  if (*digits == '0' || whole < 1 || whole > 3 || strcmp(digits + whole, ".000") != 0)
    return NULL;
  snprintf(out, size, "must be written as %.*s or as %.*s000", all, n->text, all, n->text);
  return out;
}

static cas_status read_int(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  int64_t value = 0;
  char readings[80];
  const char *complaint = is_bare(n) ? cas_number_parse_int(n->text, &value) : "must be an integer";
  complaint = complaint ? complaint : doubtful(n);
  complaint = complaint ? complaint : ambiguous(n, readings, sizeof readings);
  CAS_CALL(check_value(o, n, complaint, (double)value, err));
  *(int64_t *)out = value;
  return CAS_OK;
}

/* A number, or one in the forms of steps. */
static cas_status read_real(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  double value = 0;
  const char *complaint = is_bare(n) ? cas_number_parse_real(n->text, &value) : "must be a number";
  if (is_bare(n) && complaint && !cas_number_parse_step(n->text, &value))
    complaint = NULL;
  complaint = complaint ? complaint : doubtful(n);
  CAS_CALL(check_value(o, n, complaint, value, err));
  *(double *)out = value;
  return CAS_OK;
}

/* Steps and durations may stand in quotes: to YAML, 2^-7 and 10min are text anyway. */
static cas_status read_written(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  double value = 0;
  const char *complaint = (o->type == CAS_STEP ? cas_number_parse_step : cas_parse_duration)(
      is_text(n) ? n->text : "", &value);
  complaint = complaint || !is_bare(n) ? complaint : doubtful(n);
  CAS_CALL(check_value(o, n, complaint, value, err));
  *(double *)out = value;
  return CAS_OK;
}

void cas_type_write_real(FILE *f, double value) {
  char text[CAS_NUMBER_SIZE];
  cas_number_text(value, text);
  fputs(text, f);
}

static void write_int(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  fprintf(f, "%" PRId64, *(const int64_t *)value);
}

static void write_real(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  cas_type_write_real(f, *(const double *)value);
}

static void write_step(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  double step = *(const double *)value;
  int exponent;
  if (step < 1 && frexp(step, &exponent) == 0.5)
    fprintf(f, "2^%d", exponent - 1);
  else
    cas_type_write_real(f, step);
}

CAS_CONFIG_TYPE(int, int64_t, int64_t, "integer", read_int, write_int, .release = NULL)
CAS_CONFIG_TYPE(real, double, double, "real", read_real, write_real, .release = NULL)
CAS_CONFIG_TYPE(step, double, double, "step (0.01, 2^-7 or 1/128)", read_written, write_step,
                .release = NULL)
CAS_CONFIG_TYPE(duration, double, double, "duration (90, 10min, 3h50m)", read_written, write_real,
                .release = NULL)

/* ---- bool ---- */

static cas_status read_bool(const cas_option *o CAS_UNUSED, const cas_node *n, void *out,
                            cas_error *err) {
  static const char *const words[] = {"false", "true", "no", "yes"};
  for (int i = 0; is_bare(n) && i < 4; i++)
    if (strcasecmp(n->text, words[i]) == 0) {
      *(bool *)out = i % 2;
      return CAS_OK;
    }
  return cas_node_refuse(err, n, "must be true or false (or yes, no)");
}

static void write_bool(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  fputs(*(const bool *)value ? "true" : "false", f);
}

CAS_CONFIG_TYPE(bool, bool, bool, "true or false", read_bool, write_bool, .release = NULL)

/* ---- text ---- */

static cas_status read_string(const cas_option *o CAS_UNUSED, const cas_node *n, void *out,
                              cas_error *err) {
  if (!is_text(n))
    return cas_node_refuse(err, n, "must be text");
  char *copy = strdup(n->text);
  CAS_NEED(copy);
  *(char **)out = copy;
  return CAS_OK;
}

/* Letters, digits and _ . / - after a letter, _ or /, and no word that has a meaning in YAML. */
static bool is_plain(const char *text) {
  static const char *const taken[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_/";
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (strcasecmp(text, taken[i]) == 0)
      return false;
  size_t first = strspn(text, letters), rest = first;
  for (size_t step = 1; step; rest += step)
    step = strspn(text + rest, letters) + strspn(text + rest, "0123456789.-");
  return first > 0 && text[rest] == '\0';
}

void cas_type_write_text(FILE *f, const char *text) {
  if (is_plain(text)) {
    fputs(text, f);
    return;
  }
  fputc('"', f);
  cas_config_put(f, text, "\"\\");
  fputc('"', f);
}

static void write_string(FILE *f, const cas_option *o CAS_UNUSED, const void *value) {
  cas_type_write_text(f, *(char *const *)value);
}

static void release_string(void *value) {
  char **text = value;
  free(*text);
  *text = NULL;
}

CAS_CONFIG_TYPE(string, char *, char *, "text", read_string, write_string,
                .release = release_string)

/* ---- choice ---- */

static cas_status read_choice(const cas_option *o, const cas_node *n, void *out, cas_error *err) {
  char found[CAS_CONFIG_CLIP_SIZE + 16], known[CAS_CONFIG_KNOWN_SIZE];
  const char *text = is_text(n) ? n->text : "";
  const int choice = cas_name_list_find(o->choices, text);
  if (choice >= 0) {
    *(int *)out = choice;
    return CAS_OK;
  }
  cas_node_found(n, found, sizeof found);
  cas_config_suggestion(known, sizeof known, text, o->choices);
  return cas_node_fail(err, n, "found %s%s", found, known);
}

static void write_choice(FILE *f, const cas_option *o, const void *value) {
  cas_type_write_text(f, o->choices[*(const int *)value]);
}

CAS_CONFIG_TYPE(choice, int, int, "one of", read_choice, write_choice, .release = NULL)
