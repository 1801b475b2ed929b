#include "language/config/config_impl.h"

#include <ctype.h>
#include <string.h>

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
