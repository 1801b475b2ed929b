/* Text within a script of gnuplot, whoever has written it: it stays text. */
#include "base/text.h"
#include "present/figure/figure.h"
#include <string.h>

/* What ends a string or is run: gnuplot draws their octal codes as the characters. Doubled quotes
   would not do: gnuplot 5.4 takes two in a row for the end of a string. */
static const char special[] = "'\"`\\";
/* What is markup: a backslash in front makes it a character, in all formats. */
static const char markup[] = "_^{}@&~";

/* The first `size` bytes of a text, behind which a character must end. An empty group parts a
   backslash from U+0041 behind it, which would become that character. */
static void put_text(FILE *f, const char *text, size_t size) {
  const char *end = text + size;
  char shown[CAS_TEXT_SHOWN];
  for (size_t n; text < end && (n = cas_text_next(text, shown)) > 0; text += n)
    for (const char *c = shown; *c; c++)
      if (strchr(special, *c))
        fprintf(f, "\\%03o%s", (unsigned)*c, *c == '\\' ? "{}" : "");
      else if (strchr(markup, *c))
        fprintf(f, "\\%c", *c);
      else
        fputc(*c, f);
}

void cas_figure_plain(FILE *f, const char *text) {
  char shown[CAS_TEXT_SHOWN];
  for (size_t n; (n = cas_text_next(text, shown)) > 0; text += n)
    fputs(shown, f);
}

static void put_words(FILE *f, const char *text) {
  for (size_t n; *text; text += n + (text[n] == '_')) {
    n = strcspn(text, "_");
    put_text(f, text, n);
    fputs(text[n] ? " " : "", f);
  }
}

/* "time_unit^-2" as "time unit^{-2}", factors apart by dots. */
static void put_units(FILE *f, const char *units) {
  while (*units) {
    size_t n = strcspn(units, "^ _");
    put_text(f, units, n);
    units += n;
    if (*units == '^') {
      n = strspn(++units, "-+0123456789./");
      fprintf(f, "^{%.*s}", (int)n, units);
      units += n;
    } else if (*units)
      fputs(*units++ == ' ' ? " \u00b7 " : " ", f);
  }
}

void cas_figure_kind(FILE *f, cas_figure_text_kind kind, const char *text) {
  if (!text || (kind == CAS_FIGURE_UNITS && strcmp(text, "1") == 0))
    return;
  if (kind == CAS_FIGURE_UNITS)
    put_units(f, text);
  else if (kind == CAS_FIGURE_WORDS)
    put_words(f, text);
  else
    put_text(f, text, strlen(text));
}
