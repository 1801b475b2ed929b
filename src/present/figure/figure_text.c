/* Text within a script of gnuplot, whoever has written it: it stays text. */
#include "base/text.h"
#include "present/figure/plot_impl.h"
#include <string.h>

/* What ends a string, is run, or is markup: gnuplot draws their octal codes as the characters. Doubled
   quotes would not do, of which gnuplot 5.4 takes two in a row for the end. */
static const char special[] = "'\"`\\_^{}@&~";

/* An empty group parts a backslash from U+0041 behind it, which would become that character. */
void cas_figure_piece(cas_figure *g, const char *text, size_t size) {
  const char *end = text + size;
  char shown[CAS_TEXT_SHOWN];

  for (size_t n; text < end && (n = cas_text_next(text, shown)) > 0; text += n)
    for (const char *c = shown; *c; c++)
      if (strchr(special, *c))
        fprintf(g->script, "\\%03o%s", (unsigned)*c, *c == '\\' ? "{}" : "");
      else
        fputc(*c, g->script);
}

void cas_figure_text(cas_figure *g, const char *text) { cas_figure_piece(g, text, strlen(text)); }
