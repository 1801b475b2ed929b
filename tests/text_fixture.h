/* What holds of any text that goes to gnuplot, for the test and the fuzzer. */
#ifndef TEXT_FIXTURE_H
#define TEXT_FIXTURE_H

#include "base/text.h"
#include "present/figure/figure.h"
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
    } else if (c == '\\' && script[1] && strchr("_^{}@&~", script[1])) {
      *out++ = script[1];
      script += 2;
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

/* What one of the functions for text writes. Caller frees. */
static inline char *text_written(cas_figure_text_kind kind, const char *text) {
  char *script = NULL;
  size_t size;
  FILE *f = open_memstream(&script, &size);
  cas_figure_kind(f, kind, text);
  fclose(f);
  if (strlen(script) == size)
    return script;
  free(script);
  return NULL;
}

/* A value handed to a template is one command, which sets a string. */
static inline bool value_is_a_string(const char *text) {
  char *wanted = NULL, *inside = text_written(CAS_FIGURE_AS_IT_IS, text);
  cas_figure g = {0};
  g.values = open_memstream(&g.value_text, &g.value_size);
  cas_figure_text_of(&g, "name", 0, 1, CAS_FIGURE_AS_IT_IS, text);
  fclose(g.values);
  bool same = inside && asprintf(&wanted, "array name[1]\nname[1] = '%s'\n", inside) > 0 &&
              strlen(wanted) == g.value_size && strcmp(wanted, g.value_text) == 0;
  free(g.value_text);
  free(inside);
  free(wanted);
  return same;
}

/* As text for other programs a value is one line of comment, without what steers a terminal. */
static inline bool value_is_a_comment(const char *text) {
  char *shown = malloc(8 * strlen(text) + 1), *wanted = NULL;
  cas_figure g = {.as_text = true};
  g.values = open_memstream(&g.value_text, &g.value_size);
  cas_figure_text(&g, "name", CAS_FIGURE_UNITS, text);
  fclose(g.values);
  bool same = cas_text_show(shown, 8 * strlen(text) + 1, text) &&
              asprintf(&wanted, "# name = %s\n", shown) > 0 && strcmp(wanted, g.value_text) == 0 &&
              strchr(g.value_text, '\n') == g.value_text + g.value_size - 1;
  free(g.value_text);
  free(shown);
  free(wanted);
  return same;
}

/* Units may have raised numbers, "^{-2}", and no other markup; words have none. */
static inline bool markup_is_known(cas_figure_text_kind kind, const char *text) {
  char *script = text_written(kind, text), *rest = script, *out = script;
  while (rest && *rest) {
    size_t n = strncmp(rest, "^{", 2) == 0 ? strspn(rest + 2, "-+0123456789./") : 0;
    if (kind == CAS_FIGURE_UNITS && strncmp(rest, "^{", 2) == 0 && rest[2 + n] == '}')
      rest += n + 3;
    else
      *out++ = *rest++;
  }
  if (out)
    *out = '\0';
  char *read = script ? text_read_back(script) : NULL;
  bool known = read != NULL;
  free(read);
  free(script);
  return known;
}

/* Whether it is, and says what people are shown, on all the ways that text takes. */
static inline bool text_stays_text(const char *text) {
  char *script = text_written(CAS_FIGURE_AS_IT_IS, text), *read,
       *shown = malloc(8 * strlen(text) + 1);
  read = script ? text_read_back(script) : NULL;
  bool whole = cas_text_show(shown, 8 * strlen(text) + 1, text);
  bool same = whole && read && strcmp(read, shown) == 0;
  free(read);
  free(shown);
  free(script);
  return same && value_is_a_string(text) && value_is_a_comment(text) &&
         markup_is_known(CAS_FIGURE_UNITS, text) && markup_is_known(CAS_FIGURE_WORDS, text);
}

#endif
