/* Text of foreign origin, such as names and contents of files, made safe to be shown; and the
   locale in which numbers become text. */
#ifndef CAS_TEXT_H
#define CAS_TEXT_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** A copy of a text, NULL of NULL; sets *failed without memory. */
char *cas_text_copy(const char *text, bool *failed);
/** Closes a stream of open_memstream and returns its *text, to be freed; NULL without memory. */
char *cas_text_close(FILE *f, char **text);
/** The length of a text without this ending; its whole length where it has another, or no more. */
size_t cas_text_stem(const char *text, const char *ending);
/** What follows `start` in a text; NULL where that begins otherwise, or is NULL. */
const char *cas_text_behind(const char *text, const char *start);
/** Bytes of the character that begins here, 0 where that is no UTF-8, as RFC 3629 has it. */
size_t cas_text_decode(const char *text, uint32_t *code);
/** Copies UTF-8 text into out[size], with escapes such as \n and \x1b for what steers a terminal
    (control characters, marks of direction) and for bytes that are no UTF-8; false if cut, between
    characters. */
bool cas_text_show(char *out, size_t size, const char *text);
/** Prints the whole text, escaped in the same way but for its line breaks. */
void cas_text_print(FILE *f, const char *text);
/** Prints the whole text, escaped with its line breaks, so that it is a part of a line. */
void cas_text_put(FILE *f, const char *text);
/** Prints a word as a shell reads it again, in quotes where it needs them. */
void cas_text_shell(FILE *f, const char *word);
/** Prints a text at this column, where the line has come to, as lines of words that end before
    column `last` and all begin at this one; a number stays beside its error or interval. Line
    breaks of the text stay, and one ends it. */
void cas_text_wrap(FILE *f, const char *text, int column, int last);
/** Time for readers: "0.09 s", "42 s", "10 min 02 s", "3 h 05 min". */
void cas_text_duration(char *out, size_t size, double seconds);

typedef struct {
  locale_t c, before;
} cas_locale;

/** Gives the calling thread the locale of C, until cas_locale_leave. */
cas_locale cas_locale_enter(void);
void cas_locale_leave(const cas_locale *l);

/** To the end of the block numbers are read and written with a decimal point, in programs whose own
    locale has a comma, too: for public functions that read or write numbers as text. */
#define CAS_LOCALE_OF_C \
  __attribute__((cleanup(cas_locale_leave), unused)) const cas_locale here = cas_locale_enter()

#endif
