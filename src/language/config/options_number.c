#include "base/text.h"
#include "language/config/config_impl.h"

#include <ctype.h>
#include <float.h>

/* ---- decimal literals: [-+] digits [. digits] [e [-+] digits] ---- */

static const char numerals[] = "0123456789";

/* Huge exponents saturate: they overflow or vanish in any case. */
static bool scan_exponent(const char *s, int64_t *exponent) {
  const long most = 1000000000;
  char *end;
  const bool begins = isdigit((unsigned char)s[*s == '-' || *s == '+']);
  const long e = strtol(s, &end, 10);
  *exponent = e > most ? most : e < -most ? -most : e;
  return begins && !*end;
}

static bool is_decimal(const char *s) {
  int64_t exponent;
  s += *s == '-' || *s == '+';
  const size_t whole = strspn(s, numerals);
  s += whole + (s[whole] == '.');
  const size_t fraction = strspn(s, numerals);
  s += fraction;
  return whole + fraction > 0 &&
         (!*s || ((*s == 'e' || *s == 'E') && scan_exponent(s + 1, &exponent)));
}

/* Whether a number that was read as 0 is written with other digits than 0. */
static bool vanishes(const char *text) { return strcspn(text, "123456789") < strcspn(text, "eE"); }

/* ---- parsers ---- */

const char *cas_number_parse_real(const char *text, double *value) {
  CAS_LOCALE_OF_C;
  const char *s = text + (*text == '-' || *text == '+');
  char *end;
  if (strcmp(s, ".inf") == 0 || strcmp(s, ".Inf") == 0 || strcmp(s, ".INF") == 0) {
    *value = *text == '-' ? -INFINITY : INFINITY;
    return NULL;
  }
  if (!is_decimal(text))
    return "must be a number";
  *value = strtod(text, &end);
  if (*end)
    return "which could not be read for want of memory";
  if (isinf(*value))
    return "too large for double precision; must be below 1.8e308";
  if (*value == 0 && vanishes(text))
    return "too small for double precision; must be 0 or at least 4.9e-324 in size";
  return NULL;
}

/* By way of a long double, of 64 bits at least: a double would change 2^53 + 1. */
const char *cas_number_parse_int(const char *text, int64_t *value) {
  CAS_LOCALE_OF_C;
  _Static_assert(LDBL_MANT_DIG >= 64, "a long double has all integers below 2^63");
  char *end = NULL;
  const long double v = is_decimal(text) ? strtold(text, &end) : 0.5L;
  if (v != rintl(v) || (v == 0 && vanishes(text)))
    return "must be an integer";
  if (*end)
    return "which could not be read for want of memory";
  if (!(v >= -0x1p63L && v < 0x1p63L))
    return "must be an integer below 2^63";
  *value = (int64_t)v;
  return NULL;
}

static bool power_of_two(const char *text, double *value) {
  int64_t exponent;
  if (strncmp(text, "2^", 2) != 0 || !scan_exponent(text + 2, &exponent))
    return false;
  *value = ldexp(1, (int)exponent);
  return true;
}

/* Numerator and denominator of at most 15 digits are exact: the quotient is rounded once. */
static bool quotient(const char *text, double *value) {
  const char *slash = strchr(text, '/');
  if (!slash)
    return false;
  const size_t p = strspn(text, numerals), q = strspn(slash + 1, numerals);
  if (p == 0 || q == 0 || p > 15 || q > 15 || text + p != slash || slash[1 + q] != '\0')
    return false;
  *value = (double)strtoll(text, NULL, 10) / (double)strtoll(slash + 1, NULL, 10);
  return true;
}

const char *cas_number_parse_step(const char *text, double *value) {
#define FORM "must be a number greater than 0, written like 0.01, 2^-7 or 1/128"
  *value = -1; /* of what is no number at all */
  bool power = power_of_two(text, value), read = power || quotient(text, value);
  const char *complaint = read ? NULL : cas_number_parse_real(text, value);
  if (power || complaint) {
    if (*value == 0)
      return "too small for double precision; " FORM;
    if (isinf(*value))
      return "too large for double precision; " FORM;
  }
  return !complaint && *value > 0 && isfinite(*value) ? NULL : FORM;
#undef FORM
}

/* One "3h" of "3h50m"; *unit, the unit before it, must be larger. Returns what follows, or NULL. */
static const char *one_duration(const char *s, double *unit, double *sum) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"m", 60}, {"s", 1}};
  char number[32];
  double value;
  size_t length = strspn(s, "0123456789."), letters = strspn(s + length, "dhmins");
  if (length == 0 || length >= sizeof number)
    return NULL;
  memcpy(number, s, length);
  number[length] = '\0';
  if (cas_number_parse_real(number, &value))
    return NULL;
  s += length;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == letters && strncmp(s, units[i].name, letters) == 0 &&
        units[i].seconds < *unit) {
      *unit = units[i].seconds;
      *sum += value * *unit;
      return s + letters;
    }
  return NULL;
}

const char *cas_parse_duration(const char *text, double *value) {
  static const char form[] = "must be a duration such as 90 (seconds), 45s, 10min or 3h50m";
  if (!cas_number_parse_real(text, value))
    return *value >= 0 && isfinite(*value) ? NULL : form;
  double unit = INFINITY, sum = 0;
  const char *s = text;
  do
    s = one_duration(s, &unit, &sum);
  while (s && *s);
  if (!s)
    return form;
  *value = sum;
  return NULL;
}

/* ---- shortest text ---- */

void cas_number_text_digits(double value, int digits, char out[CAS_NUMBER_SIZE]) {
  CAS_LOCALE_OF_C;
  if (isfinite(value))
    snprintf(out, CAS_NUMBER_SIZE, "%.*g", digits, value);
  else
    strcpy(out, isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf");
}

void cas_number_text(double value, char out[CAS_NUMBER_SIZE]) {
  CAS_LOCALE_OF_C;
  int digits = 15;
  do
    cas_number_text_digits(value, digits, out);
  while (isfinite(value) && strtod(out, NULL) != value && ++digits <= 17);
}

/* ---- ranges ---- */

typedef struct {
  double low, high;
  bool open_low, has_low, has_high;
} range;

/* Bounds of +-DBL_MAX say "finite" and are not mentioned. */
static range range_of(const cas_option *o) {
  range r = {.low = o->low, .high = o->high, .open_low = o->open_low};
  if (o->low == 0 && o->high == 0) {
    r.low = o->open_low ? 0 : -DBL_MAX;
    r.high = DBL_MAX;
  }
  r.has_low = r.low > -DBL_MAX;
  r.has_high = r.high < DBL_MAX;
  return r;
}

const char *cas_option_check_range(const cas_option *o, double value, char *out, size_t size) {
  range r = range_of(o);
  char low[CAS_NUMBER_SIZE], high[CAS_NUMBER_SIZE];
  if (value <= r.high && (r.open_low ? value > r.low : value >= r.low))
    return NULL;
  cas_number_text(r.low, low);
  cas_number_text(r.high, high);
  if (r.has_low && r.has_high)
    snprintf(out, size,
             r.open_low ? "must be greater than %s and at most %s" : "must be between %s and %s",
             low, high);
  else if (r.has_low)
    snprintf(out, size, "must be %s %s%s", r.open_low ? "greater than" : "at least", low,
             isinf(value) && value > 0 ? " and finite" : "");
  else if (r.has_high)
    snprintf(out, size, "must be at most %s%s", high,
             isinf(value) && value < 0 ? " and finite" : "");
  else
    snprintf(out, size, "must be a finite number");
  return out;
}

void cas_option_range_text(const cas_option *o, char *out, size_t size) {
  range r = range_of(o);
  char low[CAS_NUMBER_SIZE], high[CAS_NUMBER_SIZE];
  cas_number_text(r.low, low);
  cas_number_text(r.high, high);
  if (r.has_low && r.has_high)
    snprintf(out, size, " in %c%s, %s]", r.open_low ? '(' : '[', low, high);
  else if (r.has_low)
    snprintf(out, size, " %s %s", r.open_low ? ">" : ">=", low);
  else if (r.has_high)
    snprintf(out, size, " <= %s", high);
  else
    out[0] = '\0';
}
