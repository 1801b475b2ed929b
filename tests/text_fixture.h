/* What holds of any text that goes to gnuplot, for the test and the fuzzer. */
#ifndef TEXT_FIXTURE_H
#define TEXT_FIXTURE_H

#include "base/text.h"
#include "present/figure/plot_impl.h"
#include <stdlib.h>
#include <string.h>

/* As gnuplot reads it: NULL where it is not one string without markup. Caller frees. */
static inline char *text_read_back(const char *script) {
  char *text = malloc(strlen(script) + 1), *out = text;
  while (*script) {
    const unsigned char c = (unsigned char)*script;
    if (c == '\\' && strspn(script + 1, "01234567") >= 3) {
      *out++ = (char)strtol((char[]){script[1], script[2], script[3], '\0'}, NULL, 8);
      script += 4;
      if (out[-1] == '\\' && strncmp(script, "{}", 2) == 0)
        script += 2;
      else if (out[-1] == '\\')
        break;
    } else if (c < ' ' || c == 0x7F || strchr("'\"`\\_^{}@&~", c))
      break;
    else
      *out++ = *script++;
  }
  *out = '\0';
  if (!*script)
    return text;
  free(text);
  return NULL;
}

/* Whether it is, and says what people are shown. */
static inline bool text_stays_text(const char *text) {
  char *script = NULL, *read, *shown = malloc(8 * strlen(text) + 1);
  size_t size;
  cas_figure g = {.script = open_memstream(&script, &size)};
  cas_figure_text(&g, text);
  fclose(g.script);
  read = text_read_back(script);
  bool whole = cas_text_show(shown, 8 * strlen(text) + 1, text);
  bool same = whole && read && strlen(script) == size && strcmp(read, shown) == 0;
  free(read);
  free(shown);
  free(script);
  return same;
}

#endif
