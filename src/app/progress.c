#include "app/app.h"
#include "base/count.h"

static void format_time(char *text, size_t size, double s) {
  int64_t whole = cas_count_clamped(s, INT64_MAX);
  if (s < 60)
    snprintf(text, size, "%.0f s", s);
  else if (s < 3600)
    snprintf(text, size, "%d min %02d s", (int)(whole / 60), (int)(whole % 60));
  else if (s < 1e12)
    snprintf(text, size, "%lld h %02d min", (long long)(whole / 3600), (int)(whole / 60 % 60));
  else
    snprintf(text, size, "%.2g years", s / (365.25 * 86400));
}

typedef struct {
  char spent[32], left[32], rate[48];
} texts;

static void bar(cas_progress *p, double share, double seconds, const texts *t) {
  enum { WIDTH = 30 };
  char text[WIDTH + 1];
  if (seconds - p->shown_at < 0.2 && share < 1)
    return;
  p->shown_at = seconds;
  for (int i = 0; i < WIDTH; i++)
    text[i] = i < share * WIDTH ? '#' : '.';
  text[WIDTH] = '\0';
  fprintf(stderr, "\r[%s] %5.1f%%  %s, %s left, %s\033[K%s", text, 100 * share, t->spent, t->left,
          t->rate, share >= 1 ? "\n" : "");
  fflush(stderr);
}

static void line(cas_progress *p, double share, double seconds, const texts *t) {
  int tenths = (int)(share * 10 + 1e-9);
  if (tenths <= p->tenths || seconds < 1)
    return;
  p->tenths = tenths;
  fprintf(stderr, "casimir: %3d%% after %s, %s left, %s\n", tenths * 10, t->spent, t->left,
          t->rate);
}

void cas_progress_show(void *progress, double share, int64_t paths, double seconds) {
  cas_progress *p = progress;
  texts t;
  if (ferror(stderr)) /* nobody reads it any more */
    return;
  format_time(t.spent, sizeof t.spent, seconds);
  format_time(t.left, sizeof t.left, seconds * (1 - share) / share);
  snprintf(t.rate, sizeof t.rate, "%.3g paths/s on all ranks", share * (double)paths / seconds);
  (p->terminal ? bar : line)(p, share, seconds, &t);
}
