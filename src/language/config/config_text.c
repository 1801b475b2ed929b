#include "base/text.h"
#include "language/config/config_impl.h"

#include <ctype.h>

/* No controls, line breaks of YAML, marks that reorder text, or what no YAML reader accepts raw. */
static bool is_printable(uint32_t code) {
  return code >= 0x20 && !(code >= 0x7F && code < 0xA0) && !(code >= 0x2028 && code <= 0x202E) &&
         !(code >= 0x2066 && code <= 0x2069) && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF;
}

/* Leaves in `shown` what stands for a character; returns its bytes, at least one. */
static size_t show_character(const char *text, char shown[12]) {
  uint32_t code;
  size_t length = cas_text_decode(text, &code);
  if (length > 0 && is_printable(code)) {
    memcpy(shown, text, length);
    shown[length] = '\0';
    return length;
  }
  if (length == 0)
    code = (unsigned char)*text;
  snprintf(shown, 12, code <= 0xFF ? "\\x%02x" : "\\u%04x", (unsigned)code);
  return length > 0 ? length : 1;
}

void cas_config_put(FILE *f, const char *text, const char *quoted) {
  char shown[12];
  while (*text) {
    if (strchr(quoted, *text))
      fputc('\\', f);
    text += show_character(text, shown);
    fputs(shown, f);
  }
}

void cas_config_clip(char *out, size_t size, size_t limit, const char *text) {
  static const char cut[] = "...";
  size_t used = 0;
  for (size_t count = 0; *text; count++) {
    char shown[12];
    text += show_character(text, shown);
    size_t length = strlen(shown);
    if (count == limit || used + length + sizeof cut > size) {
      used += (size_t)snprintf(out + used, size - used, "%s", cut);
      break;
    }
    memcpy(out + used, shown, length);
    used += length;
  }
  out[used] = '\0';
}

enum { LONGEST = 64 };

static int smaller(int a, int b) { return a < b ? a : b; }

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Damerau-Levenshtein distance in its restricted form (optimal string alignment), ignoring case. */
static int distance(const char *a, int m, const char *b, int n) {
  int d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= m; i++)
    d[i][0] = i;
  for (int j = 0; j <= n; j++)
    d[0][j] = j;
  for (int i = 1; i <= m; i++) {
    for (int j = 1; j <= n; j++) {
      int best = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
      best = smaller(best, smaller(d[i - 1][j], d[i][j - 1]) + 1);
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        best = smaller(best, d[i - 2][j - 2] + 1);
      d[i][j] = best;
    }
  }
  return d[m][n];
}

const char *cas_nearest(const char *found, const char *const *names) {
  size_t m = strnlen(found, LONGEST + 1);
  if (m == 0 || m > LONGEST)
    return NULL;
  int allowed = m < 6 ? 1 : (int)m / 3;
  int best =
      smaller(allowed, (int)m - 1) + 1; /* a name with no letter in common is no suggestion */
  const char *nearest = NULL;
  for (int i = 0; names[i]; i++) {
    size_t n = strnlen(names[i], LONGEST + 1);
    if (n > LONGEST)
      continue;
    int d = distance(found, (int)m, names[i], (int)n);
    if (d < best) {
      best = d;
      nearest = names[i];
    }
  }
  return nearest;
}

void cas_config_suggestion(char *out, size_t size, const char *found, const char *const *names) {
  const char *nearest = cas_nearest(found, names);
  out[0] = '\0';
  if (nearest)
    cas_append(out, size, "; did you mean '%s'?", nearest);
  if (names[0])
    cas_append(out, size, " (known: ");
  for (int i = 0; names[i]; i++)
    cas_append(out, size, "%s%s", names[i], names[i + 1] ? ", " : ")");
}
