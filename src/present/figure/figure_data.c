/* Values and blocks, as commands of gnuplot or as text. */
#include "present/figure/figure.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

/* "# name = " in text, "name = " in commands; where n > 0 of element i. */
static FILE *begin_value(cas_figure *g, const char *name, int i, int n) {
  if (g->as_text)
    fputs("# ", g->values);
  else if (n > 0 && i == 0)
    fprintf(g->values, "array %s[%d]\n", name, n);
  if (n > 0)
    fprintf(g->values, "%s[%d] = ", name, i + 1);
  else
    fprintf(g->values, "%s = ", name);
  return g->values;
}

void cas_figure_text_of(cas_figure *g, const char *name, int i, int n, cas_figure_text_kind kind,
                        const char *text) {
  FILE *f = begin_value(g, name, i, n);
  if (g->as_text)
    cas_figure_plain(f, text ? text : "");
  else {
    fputc('\'', f);
    cas_figure_kind(f, kind, text);
    fputc('\'', f);
  }
  fputc('\n', f);
}

/* The shortest of two that is read back as the same number. */
static void put_number(FILE *f, double value) {
  char text[40];
  if (!isfinite(value)) {
    fputs("NaN", f);
    return;
  }
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) != value)
    snprintf(text, sizeof text, "%.17g", value);
  fputs(text, f);
}

/* A factor of 1.0 makes whole numbers reals to gnuplot, for which 1/2 is 0. */
void cas_figure_real_of(cas_figure *g, const char *name, int i, int n, double value) {
  FILE *f = begin_value(g, name, i, n);
  put_number(f, value);
  fputs(!g->as_text && isfinite(value) ? "*1.0\n" : "\n", f);
}

void cas_figure_text(cas_figure *g, const char *name, cas_figure_text_kind kind, const char *text) {
  cas_figure_text_of(g, name, 0, 0, kind, text);
}

void cas_figure_real(cas_figure *g, const char *name, double value) {
  cas_figure_real_of(g, name, 0, 0, value);
}

void cas_figure_count_of(cas_figure *g, const char *name, int i, int n, int64_t value) {
  fprintf(begin_value(g, name, i, n), "%lld\n", (long long)value);
}

void cas_figure_count(cas_figure *g, const char *name, int64_t value) {
  cas_figure_count_of(g, name, 0, 0, value);
}

/* ---- blocks ---- */

const char *cas_figure_name(cas_figure *g, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(g->name, sizeof g->name, format, arguments);
  va_end(arguments);
  return g->name;
}

static void put_heading(cas_figure *g, int n, const cas_figure_column *column) {
  for (int i = 0; i < n; i++) {
    fprintf(g->blocks, "%s%s", i ? ", " : "# ", column[i].name);
    if (g->as_text && column[i].units) {
      fputs(" [", g->blocks);
      cas_figure_plain(g->blocks, column[i].units);
      fputc(']', g->blocks);
    }
  }
  fputc('\n', g->blocks);
}

static void begin_block(cas_figure *g, const char *name, int columns) {
  if (g->as_text)
    fprintf(g->blocks, "\n\n# block %d: %s\n", g->blocks_begun, name);
  else
    fprintf(g->blocks, "$%s << EOD\n", name);
  g->blocks_begun++;
  g->columns = columns;
  g->block_is_empty = true;
}

void cas_figure_data_begin(cas_figure *g, const char *name, int columns,
                           const cas_figure_column *column) {
  begin_block(g, name, columns);
  put_heading(g, columns, column);
}

void cas_figure_matrix_begin(cas_figure *g, const char *name, int columns, cas_figure_column of) {
  begin_block(g, name, columns);
  put_heading(g, 1, &of);
}

void cas_figure_data_row(cas_figure *g, const double *row) {
  for (int i = 0; i < g->columns; i++) {
    fputs(i ? " " : "", g->blocks);
    put_number(g->blocks, row ? row[i] : NAN);
  }
  fputc('\n', g->blocks);
  g->block_is_empty = false;
}

void cas_figure_data_end(cas_figure *g) {
  if (g->block_is_empty)
    cas_figure_data_row(g, NULL);
  if (!g->as_text)
    fputs("EOD\n", g->blocks);
}
