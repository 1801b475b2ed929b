#include "app/app.h"
#include "base/text.h"

typedef struct {
  char round[24], spent[32], left[32], rate[48];
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
  fprintf(stderr, "\r[%s] %s%5.1f%%  %s, %s left, %s\033[K%s", text, t->round, 100 * share,
          t->spent, t->left, t->rate, share >= 1 ? "\n" : "");
  fflush(stderr);
}

static void line(cas_progress *p, double share, double seconds, const texts *t) {
  int tenths = (int)(share * 10 + 1e-9);
  if (tenths <= p->tenths || seconds < 1)
    return;
  p->tenths = tenths;
  fprintf(stderr, "casimir: %s%3d%% after %s, %s left, %s\n", t->round, tenths * 10, t->spent,
          t->left, t->rate);
}

void cas_progress_show(void *progress, int round, double share, int64_t paths, double seconds) {
  cas_progress *p = progress;
  texts t = {0};
  if (ferror(stderr)) /* nobody reads it any more */
    return;
  if (round != p->round)
    *p = (cas_progress){.terminal = p->terminal, .round = round};
  if (round > 1)
    snprintf(t.round, sizeof t.round, "round %d, ", round);
  cas_text_duration(t.spent, sizeof t.spent, seconds);
  cas_text_duration(t.left, sizeof t.left, seconds * (1 - share) / share);
  snprintf(t.rate, sizeof t.rate, "%.3g paths/s on all ranks", share * (double)paths / seconds);
  (p->terminal ? bar : line)(p, share, seconds, &t);
}
