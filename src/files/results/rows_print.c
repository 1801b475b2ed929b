/* What files say, and their estimates, for other programs: text, CSV, JSON, LaTeX. */
#include "base/grid.h"
#include "base/text.h"
#include "files/results/result.h"
#include "files/results/rows.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  FILE *f;
  cas_rows_format format;
  const cas_comparison *comparison;
  const char *const *name; /* of the files */
  const char *file;        /* the name of this one */
  const char *partial;     /* "192 of 1000 paths"; NULL: it is of all */
  int number;              /* of the file */
  bool any;                /* a row of it is written */
  bool main;               /* a main estimate of any file is */
  bool others;             /* CSV: main estimates are written, and now all others are */
  cas_grid text;
} writer;

/* Whether the whole text is a number, so that a sign at its beginning means no formula. */
static bool is_number(const char *text, size_t size) {
  char copy[64], *end;
  if (size == 0 || size >= sizeof copy)
    return false;
  snprintf(copy, sizeof copy, "%.*s", (int)size, text);
  (void)strtod(copy, &end);
  return *end == '\0' && end == copy + size;
}

/* Spreadsheets compute what begins like a formula; an apostrophe keeps it a text. */
static void put_csv_text(FILE *f, const char *text, size_t size) {
  bool plain = strcspn(text, ",\"\r\n") >= size;
  if (!plain)
    fputc('"', f);
  if (size > 0 && strchr("=+-@\t\r", text[0]) && !is_number(text, size))
    fputc('\'', f);
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '"')
      fputc('"', f);
    fputc(text[i], f);
  }
  if (!plain)
    fputc('"', f);
}

static void put_json_text(FILE *f, const char *text, size_t size) {
  fputc('"', f);
  for (size_t i = 0; i < size; i++)
    if (text[i] == '"' || text[i] == '\\')
      fprintf(f, "\\%c", text[i]);
    else if ((unsigned char)text[i] < 0x20)
      fprintf(f, "\\u%04x", (unsigned)text[i]);
    else
      fputc(text[i], f);
  fputc('"', f);
}

/* Numbers that are none are empty in CSV and null in JSON, which has no others. */
static void put_number(const writer *w, double x) {
  if (isfinite(x))
    fprintf(w->f, "%.17g", x);
  else if (w->format == CAS_ROWS_JSON)
    fputs("null", w->f);
  else if (isinf(x))
    fputs(x > 0 ? "inf" : "-inf", w->f);
}

/* The shortest of the digits that give this number again, as 0.1 for 0.1. */
static void put_exact(const writer *w, double x) {
  char text[40];
  int digits = 15;
  do
    snprintf(text, sizeof text, "%.*g", digits, x);
  while (++digits <= 17 && strtod(text, NULL) != x);
  if (isfinite(x))
    fputs(text, w->f);
  else
    put_number(w, x);
}

/* The file, those of its keys that differ, and what the row is of. */
static void put_csv_place(const writer *w, const char *const texts[3]) {
  const cas_comparison *c = w->comparison;
  size_t size;
  put_csv_text(w->f, w->file, strlen(w->file));
  for (int k = 0; k < c->common; k++) {
    const char *value = cas_comparison_value(c, w->number, k, &size);
    double x = cas_comparison_number(c, w->number, k);
    fputc(',', w->f);
    if (isnan(x))
      put_csv_text(w->f, value ? value : "", size);
    else
      put_exact(w, x);
  }
  for (int i = 0; i < 3; i++) {
    fputc(',', w->f);
    put_csv_text(w->f, texts[i], strlen(texts[i]));
  }
}

static void put_csv_row(const writer *w, const cas_row *row) {
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  if (row->headline == w->others)
    return;
  put_csv_place(w, (const char *const[]){row->table, row->quantity, row->at});
  for (int i = 0; i < 4; i++) {
    fputc(',', w->f);
    put_number(w, numbers[i]);
  }
  fputc(',', w->f);
  put_csv_text(w->f, row->functional, strlen(row->functional));
  for (int a = 0; a < CAS_ROW_AXES; a++) {
    fputc(',', w->f);
    put_exact(w, row->place[a]);
  }
  fputc('\n', w->f);
}

static void put_json_row(const writer *w, const cas_row *row) {
  static const char *const names[] = {"value", "standard_error", "low", "high"},
                           *const of_texts[] = {"table", "quantity", "at", "functional"};
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  const char *const texts[] = {row->table, row->quantity, row->at, row->functional};
  fprintf(w->f, "%s\n    {", w->any ? "," : "");
  for (int i = 0; i < 4; i++) {
    fprintf(w->f, "%s\"%s\": ", i ? ", " : "", of_texts[i]);
    put_json_text(w->f, texts[i], strlen(texts[i]));
  }
  for (int i = 0; i < 4; i++) {
    fprintf(w->f, ", \"%s\": ", names[i]);
    put_number(w, numbers[i]);
  }
  for (int a = 0; a < CAS_ROW_AXES; a++) {
    fprintf(w->f, ", \"%s\": ", cas_row_axes[a]);
    put_exact(w, row->place[a]);
  }
  fprintf(w->f, ", \"headline\": %s}", row->headline ? "true" : "false");
}

static void put_text_number(writer *w, int column, int row, const char *format, double x) {
  char text[64] = "";
  if (isfinite(x))
    snprintf(text, sizeof text, format, x + 0.0); /* of -0 too */
  cas_grid_put(&w->text, column, row, text);
}

static void put_text_row(writer *w, const cas_row *row) {
  const cas_comparison *c = w->comparison;
  char text[500];
  size_t size;
  if (!row->headline)
    return;
  w->main = true;
  const int n = w->text.rows;
  for (int k = 0; k < c->common; k++) {
    const char *value = cas_comparison_value(c, w->number, k, &size);
    snprintf(text, sizeof text, "%.*s", value ? (int)size : 0, value ? value : "");
    cas_grid_put(&w->text, k, n, text);
  }
  snprintf(text, sizeof text, "%s %s%s%s", row->table, row->quantity, row->at[0] ? " at " : "",
           row->at);
  cas_grid_put(&w->text, c->common, n, text);
  put_text_number(w, c->common + 1, n, "%.6g", row->value);
  put_text_number(w, c->common + 2, n, "%.3g", row->standard_error);
  put_text_number(w, c->common + 3, n, "%.4g", row->low);
  put_text_number(w, c->common + 4, n, "%.4g", row->high);
  cas_grid_put(&w->text, c->common + 5, n, w->file);
}

static void put_text_heading(writer *w) {
  static const char *const headings[] = {"estimate", "value", "standard error",
                                         "low",      "high",  "file"};
  const cas_comparison *c = w->comparison;
  for (int k = 0; k < c->common; k++) {
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)c->key[k].length, c->key[k].name);
    (void)cas_grid_add(&w->text, text);
  }
  for (int i = 0; i < 6; i++)
    (void)cas_grid_add(&w->text, headings[i]);
}

/* ---- LaTeX ---- */

static void put_latex_text(FILE *f, const char *text, size_t size) {
  if (size > 2 && strncmp(text, "2^", 2) == 0) { /* a step */
    fprintf(f, "$2^{%.*s}$", (int)size - 2, text + 2);
    return;
  }
  for (size_t i = 0; i < size; i++)
    if (strchr("_%&#${}", text[i]))
      fprintf(f, "\\%c", text[i]);
    else if (text[i] == '^' || text[i] == '~')
      fprintf(f, "\\%c{}", text[i]);
    else if (text[i] == '\\')
      fputs("\\textbackslash{}", f);
    else
      fputc(text[i], f);
}

/* A number with as many digits behind the point as two digits of its uncertainty have, in powers of
   ten where it is small or large. */
static void put_latex_number(FILE *f, double x, int decimals, int power) {
  if (isfinite(x))
    fprintf(f, "%.*f", decimals, x / pow(10, power) + 0.0);
  else
    fputs(isnan(x) ? "\\text{--}" : x > 0 ? "\\infty" : "-\\infty", f);
}

/* "$0.501 \pm 0.012$", "$0.50\ [0.48, 0.52]$" */
static void put_latex_estimate(FILE *f, const cas_row *row) {
  const bool interval = !(row->standard_error > 0) && isfinite(row->low) && isfinite(row->high);
  const double half = interval ? (row->high - row->low) / 2 : row->standard_error;
  const bool known = isfinite(half) && half > 0;
  const double largest = fmax(fabs(row->value), known ? half : 0);
  int size = largest > 0 && isfinite(largest) ? (int)floor(log10(largest)) : 0,
      power = size < -3 || size > 4 ? size : 0,
      decimals = known ? 1 - (int)floor(log10(half)) + power : 3;
  decimals = decimals < 0 ? 0 : decimals > 12 ? 12 : decimals;
  fputc('$', f);
  if (power)
    fputc('(', f);
  put_latex_number(f, row->value, decimals, power);
  fputs(interval ? "\\ [" : " \\pm ", f);
  put_latex_number(f, interval ? row->low : row->standard_error, decimals, power);
  if (interval) {
    fputs(", ", f);
    put_latex_number(f, row->high, decimals, power);
    fputc(']', f);
  }
  if (power)
    fprintf(f, ") \\cdot 10^{%d}", power);
  fputc('$', f);
}

static void put_latex_row(writer *w, const cas_row *row) {
  const cas_comparison *c = w->comparison;
  size_t size;
  if (!row->headline || !isfinite(row->value))
    return;
  w->main = true;
  for (int k = 0; k < c->common; k++) {
    const char *value = cas_comparison_value(c, w->number, k, &size);
    put_latex_text(w->f, value ? value : "", size);
    fputs(" & ", w->f);
  }
  put_latex_text(w->f, row->table, strlen(row->table));
  fputs(" & ", w->f);
  put_latex_text(w->f, row->quantity, strlen(row->quantity));
  if (row->at[0]) {
    fputs(" at ", w->f);
    put_latex_text(w->f, row->at, strlen(row->at));
  }
  fputs(" & ", w->f);
  put_latex_estimate(w->f, row);
  fputs(" \\\\\n", w->f);
}

static void begin_latex(const writer *w) {
  const cas_comparison *c = w->comparison;
  fputs("% needs \\usepackage{booktabs, amsmath}; +-: standard error, []: 95% interval\n"
        "\\begin{tabular}{",
        w->f);
  for (int k = 0; k < c->common + 3; k++)
    fputc('l', w->f);
  fputs("}\n\\toprule\n", w->f);
  for (int k = 0; k < c->common; k++) {
    put_latex_text(w->f, c->key[k].name, c->key[k].length);
    fputs(" & ", w->f);
  }
  fputs("table & quantity & estimate \\\\\n\\midrule\n", w->f);
}

/* ---- all ---- */

cas_status cas_comparison_read(const char *const *file, int n, cas_comparison *c, cas_error *err) {
  cas_results *own = calloc((size_t)n + 1, sizeof *own);
  const cas_results **each = calloc((size_t)n + 1, sizeof *each);
  cas_status st = own && each ? CAS_OK : cas_no_memory(err);
  *c = (cas_comparison){.files = n};
  for (int i = 0; !st && i < n; i++) {
    st = cas_results_read(file[i], &own[i], err);
    each[i] = &own[i];
  }
  if (!st)
    st = cas_comparison_create(each, n, c, err);
  c->owned = own;
  free(each);
  return st;
}

static void put_row(void *context, const cas_row *row) {
  writer *w = context;
  if (w->format == CAS_ROWS_CSV)
    put_csv_row(w, row);
  else if (w->format == CAS_ROWS_JSON)
    put_json_row(w, row);
  else if (w->format == CAS_ROWS_LATEX)
    put_latex_row(w, row);
  else
    put_text_row(w, row);
  w->any = true;
}

static void put_csv_heading(const writer *w) {
  const cas_comparison *c = w->comparison;
  fputs("file", w->f);
  for (int k = 0; k < c->common; k++) {
    fputc(',', w->f);
    put_csv_text(w->f, c->key[k].name, c->key[k].length);
  }
  fputs(",table,quantity,at,value,standard_error,low,high,functional", w->f);
  for (int a = 0; a < CAS_ROW_AXES; a++)
    fprintf(w->f, ",%s", cas_row_axes[a]);
  fputc('\n', w->f);
}

/* The rows of "/result". */
static void put_json_result(const writer *w, const cas_frame *f) {
  for (int i = 0; i < f->rows; i++) {
    fprintf(w->f, "%s\n    {", i ? "," : "");
    for (int c = 0; f->columns[c].name; c++) {
      const char *name = f->columns[c].name;
      fprintf(w->f, "%s\"%s\": ", c ? ", " : "", name);
      if (f->columns[c].units)
        put_exact(w, cas_frame_numbers(f, name)[i]);
      else
        put_json_text(w->f, cas_frame_word(f, name, i), strlen(cas_frame_word(f, name, i)));
    }
    fputc('}', w->f);
  }
}

static void begin_json_file(const writer *w, const cas_frame *result) {
  const cas_comparison *c = w->comparison;
  fprintf(w->f, "%s\n  {\"file\": ", w->number ? "," : "");
  put_json_text(w->f, w->file, strlen(w->file));
  if (w->partial) {
    fputs(", \"partial\": ", w->f);
    put_json_text(w->f, w->partial, strlen(w->partial));
  }
  fputs(", \"headline\": ", w->f);
  put_json_text(w->f, result->headline, strlen(result->headline));
  fprintf(w->f, ", \"verdict\": \"%s\", \"parameters\": {", cas_judgement_names[result->judgement]);
  for (int k = 0; k < c->keys; k++) {
    size_t size;
    const char *value = cas_comparison_value(c, w->number, k, &size);
    fputs(k ? ", " : "", w->f);
    put_json_text(w->f, c->key[k].name, c->key[k].length);
    fputs(": ", w->f);
    double x = cas_comparison_number(c, w->number, k);
    if (isfinite(x))
      put_exact(w, x);
    else
      put_json_text(w->f, value ? value : "", size);
  }
  fputs("}, \"result\": [", w->f);
  put_json_result(w, result);
  fputs("], \"estimates\": [", w->f);
}

/* Makes file number i the current one. Its result is *own, to be freed, or borrowed; NULL after a
   failure. */
static const cas_frame *begin_file(writer *w, int i, cas_frame *own, cas_error *err) {
  *own = (cas_frame){0};
  w->file = w->name[i];
  w->number = i;
  w->any = false;
  return cas_result_of(w->comparison->results[i], own, err);
}

static cas_status put_files(writer *w, cas_error *err) {
  for (int i = 0; i < w->comparison->files; i++) {
    cas_frame own;
    const cas_frame *result = begin_file(w, i, &own, err);
    if (result && w->format == CAS_ROWS_JSON)
      begin_json_file(w, result);
    cas_frame_free(&own);
    if (!result)
      return err->status;
    CAS_CALL(cas_rows_visit(w->comparison->results[i], put_row, w, err));
    if (w->format == CAS_ROWS_JSON)
      fputs("]}", w->f);
  }
  return CAS_OK;
}

/* A table for people that is empty says why. */
static void put_none(const writer *w) {
  static const char none[] = "none of these files has a resolved main estimate";
  if (w->format == CAS_ROWS_LATEX)
    fprintf(w->f, "\\multicolumn{%d}{l}{%s} \\\\\n", w->comparison->common + 3, none);
  else if (w->format == CAS_ROWS_TEXT)
    fprintf(w->f, "%s; --format csv prints all estimates\n", none);
}

/* The sentence of each file, as a line, or as a row without numbers. */
static cas_status put_headlines(writer *w, const char *before, cas_error *err) {
  for (int i = 0; i < w->comparison->files; i++) {
    cas_frame own;
    const cas_frame *result = begin_file(w, i, &own, err);
    if (result && w->format == CAS_ROWS_CSV) {
      put_csv_place(w, (const char *const[]){"result", "headline", result->headline});
      fprintf(w->f, "%.*s\n", 5 + CAS_ROW_AXES, ",,,,,,,,,,");
    } else if (result) {
      fputs(before, w->f);
      cas_text_put(w->f, w->file);
      fputs(": ", w->f);
      cas_text_put(w->f, result->headline);
      fputc('\n', w->f);
    }
    cas_frame_free(&own);
    if (!result)
      return err->status;
  }
  return CAS_OK;
}

static cas_status put_csv(writer *w, cas_error *err) {
  put_csv_heading(w);
  CAS_CALL(put_headlines(w, "", err));
  CAS_CALL(put_files(w, err));
  w->others = true;
  return put_files(w, err);
}

static cas_status put_json(writer *w, cas_error *err) {
  fputc('[', w->f);
  cas_status st = put_files(w, err);
  fputs("\n]\n", w->f);
  return st;
}

static cas_status put_latex(writer *w, cas_error *err) {
  CAS_CALL(put_headlines(w, "% ", err));
  begin_latex(w);
  CAS_CALL(put_files(w, err));
  if (!w->main)
    put_none(w);
  fputs("\\bottomrule\n\\end{tabular}\n", w->f);
  return CAS_OK;
}

static cas_status put_text(writer *w, cas_error *err) {
  CAS_CALL(put_headlines(w, "", err));
  fputc('\n', w->f);
  put_text_heading(w);
  cas_status st = put_files(w, err);
  if (!st && w->text.failed)
    st = cas_no_memory(err);
  if (!st)
    cas_grid_print(w->f, &w->text, 0, INT_MAX);
  cas_grid_free(&w->text);
  if (!st && !w->main)
    put_none(w);
  return st;
}

cas_status cas_rows_print_partial(FILE *f, const char *file, const char *partial,
                                  const cas_results *r, cas_error *err) {
  cas_comparison c;
  writer w = {.f = f, .format = CAS_ROWS_JSON, .comparison = &c, .name = &file, .partial = partial};
  cas_status st = cas_comparison_create(&r, 1, &c, err);
  if (!st)
    st = put_json(&w, err);
  cas_comparison_free(&c);
  return st;
}

cas_status cas_rows_print(FILE *f, cas_rows_format format, const char *const *file, int files,
                          cas_error *err) {
  static cas_status (*const put[])(writer *, cas_error *) = {[CAS_ROWS_TEXT] = put_text,
                                                             [CAS_ROWS_CSV] = put_csv,
                                                             [CAS_ROWS_JSON] = put_json,
                                                             [CAS_ROWS_LATEX] = put_latex};
  cas_comparison c;
  writer w = {.f = f, .format = format, .comparison = &c, .name = file};
  cas_status st = cas_comparison_read(file, files, &c, err);
  if (!st)
    st = put[format](&w, err);
  cas_comparison_free(&c);
  return st;
}
