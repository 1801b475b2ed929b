/* What a picture hands to its template: named values, and named blocks of numbers in columns. Both
   become commands of gnuplot, in front of the template, or text for other programs. */
#ifndef CAS_FIGURE_H
#define CAS_FIGURE_H

#include "files/replace.h"
#include "present/figure/plot.h"

typedef struct {
  const cas_plot_request *request; /* borrowed */
  bool as_text;                    /* instead of commands */
  FILE *values, *blocks;
  char *value_text, *block_text;
  size_t value_size, block_size;
  int blocks_begun, columns;
  bool block_is_empty;
  char name[80]; /* of cas_figure_name */
} cas_figure;

/* ---- values (figure_data.c) ---- */

typedef enum {
  CAS_FIGURE_AS_IT_IS,
  CAS_FIGURE_WORDS, /* underscores are spaces */
  CAS_FIGURE_UNITS  /* "time_unit^-2" has a space and a raised -2; none for "1" and NULL */
} cas_figure_text_kind;

/** All text goes through cas_figure_kind. NULL is empty. Text is for enhanced strings of gnuplot,
    which is how it draws all strings here. */
void cas_figure_text(cas_figure *g, const char *name, cas_figure_text_kind kind, const char *text);
/** Not finite: NaN. */
void cas_figure_real(cas_figure *g, const char *name, double value);
void cas_figure_count(cas_figure *g, const char *name, int64_t value);
/** Element i of n > 0 of an array, which is handed over from i = 0 on; gnuplot counts from 1. */
void cas_figure_text_of(cas_figure *g, const char *name, int i, int n, cas_figure_text_kind kind,
                        const char *text);
void cas_figure_real_of(cas_figure *g, const char *name, int i, int n, double value);
void cas_figure_count_of(cas_figure *g, const char *name, int i, int n, int64_t value);

/* ---- blocks (figure_data.c) ---- */

#define CAS_FIGURE_TIME_UNIT "time_unit" /* of times and step sizes in all files */

typedef struct {
  const char *name, *units; /* units: NULL, none known */
} cas_figure_column;

/** A name with numbers in it; it holds until the next one. */
const char *cas_figure_name(cas_figure *g, const char *format, ...) CAS_PRINTF(2, 3);
void cas_figure_data_begin(cas_figure *g, const char *name, int columns,
                           const cas_figure_column *column);
/** Columns of one quantity, which one heading names together. */
void cas_figure_matrix_begin(cas_figure *g, const char *name, int columns, cas_figure_column of);
/** As many numbers as the block has columns; what is not finite is NaN. */
void cas_figure_data_row(cas_figure *g, const double *row);
/** A block without a row gets one of NaN: gnuplot takes no empty ones. */
void cas_figure_data_end(cas_figure *g);
/** CAS_FIGURE_DATA(g, name, {"h", units}, ..) and CAS_FIGURE_ROW(g, number, ..) count for
    themselves. */
#define CAS_FIGURE_DATA(g, name, ...)                                                         \
  cas_figure_data_begin(                                                                      \
      g, name, (int)(sizeof((cas_figure_column[]){__VA_ARGS__}) / sizeof(cas_figure_column)), \
      (cas_figure_column[]){__VA_ARGS__})
#define CAS_FIGURE_ROW(g, ...) cas_figure_data_row(g, (double[]){__VA_ARGS__})

/* ---- text (figure_text.c) ---- */

/** On one line of text that is no command: control characters are shown as escapes. */
void cas_figure_plain(FILE *f, const char *text);
/** Text within single quotes of gnuplot, whatever is in it, with the markup that the kind has and
    no other: it neither ends the string nor is it run; control characters are shown as escapes. All
    that comes from names of files and from what files hold goes this way. */
void cas_figure_kind(FILE *f, cas_figure_text_kind kind, const char *text);

/* ---- from picture to file (figure.c) ---- */

/** Refuses a figure whose extension is no format, and an output that cannot be written. Text goes
    to standard output where that is "-". */
cas_status cas_figure_check(const char *output, cas_leftover kind, cas_error *err) CAS_MUST_CHECK;
/** Writes bytes of this kind into a file, which is complete or not there, or to standard output as
    "-". */
cas_status cas_figure_put(const char *output, cas_leftover kind, const char *text, size_t size,
                          cas_error *err) CAS_MUST_CHECK;
/** False without memory. */
bool cas_figure_begin(cas_figure *g, const cas_plot_request *q);
/** Draws the picture of this name with its template into the output, or writes it as text. */
cas_status cas_figure_finish(cas_figure *g, const char *picture, const char *output,
                             cas_error *err) CAS_MUST_CHECK;
void cas_figure_end(cas_figure *g);
/** Fails with "<file>: no <numbers> is a number: nothing is there to draw". */
cas_status cas_figure_nothing(const char *file, const char *numbers, cas_error *err);
/** A line on what the figure leaves out. */
void cas_figure_remark(const cas_figure *g, const char *format, ...) CAS_PRINTF(2, 3);

/* ---- templates (templates.c) ---- */

/** The installed template of this name, in a directory found from the program's own place, so that
    an installation may be moved. Caller frees *path. */
cas_status cas_template_find(const char *name, char **path, cas_error *err) CAS_MUST_CHECK;
/** A user's own: refused where it cannot be read. Caller frees *path. */
cas_status cas_template_own(const char *file, char **path, cas_error *err) CAS_MUST_CHECK;

/* ---- gnuplot (gnuplot.c) ---- */

/** Runs gnuplot on commands and then on scripts, NULL behind the last, and returns what it has
    drawn; the caller frees *bytes, also after a failure. `blame` is the status where a script is
    wrong. */
cas_status cas_gnuplot_run(FILE *commands, const char *const *scripts, cas_status blame,
                           const char *ending, char **bytes, size_t *size,
                           cas_error *err) CAS_MUST_CHECK;

#endif
