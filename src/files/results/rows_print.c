/* What files say, and their estimates, for other programs: text, CSV, JSON, LaTeX. */
#include "base/grid.h"
#include "base/text.h"
#include "files/results/result.h"
#include "files/results/rows.h"

#include <limits.h>
#include <math.h>

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

/* Spreadsheets compute what begins like a formula, and is no number as a whole; an apostrophe keeps
   it a text. */
static void put_csv_text(FILE *f, const char *text) {
  const bool plain = !strpbrk(text, ",\"\r\n");
  char *end;
  (void)strtod(text, &end);
  if (!plain)
    fputc('"', f);
  if (*text && strchr("=+-@\t\r", *text) && *end)
    fputc('\'', f);
  for (; *text; text++)
    fprintf(f, "%s%c", *text == '"' ? "\"" : "", *text);
  if (!plain)
    fputc('"', f);
}

static void put_json_text(FILE *f, const char *text) {
  fputc('"', f);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      fprintf(f, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      fprintf(f, "\\u%04x", (unsigned)*text);
    else
      fputc(*text, f);
  fputc('"', f);
}

/* The value of a key in this file, "" where it has none. */
static const char *value_of(const writer *w, int key) {
  const char *value = w->comparison->key[key].value[w->number];
  return value ? value : "";
}

/* The shortest of the digits that give this number again, as 0.1 for 0.1. Numbers that are none are
   empty in CSV and null in JSON, which has no infinite ones either. */
static void put_number(const writer *w, double x) {
  char text[40];
  int digits = 15;
  do
    snprintf(text, sizeof text, "%.*g", digits, x);
  while (++digits <= 17 && strtod(text, NULL) != x);
  if (isfinite(x) || (isinf(x) && w->format != CAS_ROWS_JSON))
    fputs(text, w->f);
  else if (w->format == CAS_ROWS_JSON)
    fputs("null", w->f);
}

/* The file, those of its keys that differ, and what the row is of. */
static void put_csv_place(const writer *w, const char *const texts[3]) {
  put_csv_text(w->f, w->file);
  for (int k = 0; k < w->comparison->common; k++) {
    double x = cas_comparison_number(w->comparison, w->number, k);
    fputc(',', w->f);
    if (isnan(x))
      put_csv_text(w->f, value_of(w, k));
    else
      put_number(w, x);
  }
  for (int i = 0; i < 3; i++) {
    fputc(',', w->f);
    put_csv_text(w->f, texts[i]);
  }
}

static void put_csv_row(writer *w, const cas_row *row) {
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  if (row->headline == w->others)
    return;
  put_csv_place(w, (const char *const[]){row->table, row->quantity, row->at});
  for (int i = 0; i < 4; i++) {
    fputc(',', w->f);
    put_number(w, numbers[i]);
  }
  fputc(',', w->f);
  put_csv_text(w->f, row->functional);
  for (int a = 0; a < CAS_ROW_AXES; a++) {
    fputc(',', w->f);
    put_number(w, row->place[a]);
  }
  fputc('\n', w->f);
}

static void put_json_row(writer *w, const cas_row *row) {
  static const char *const names[] = {"value", "standard_error", "low", "high"},
                           *const of_texts[] = {"table", "quantity", "at", "functional"};
  const double numbers[] = {row->value, row->standard_error, row->low, row->high};
  const char *const texts[] = {row->table, row->quantity, row->at, row->functional};
  fprintf(w->f, "%s\n    {", w->any ? "," : "");
  for (int i = 0; i < 4; i++) {
    fprintf(w->f, "%s\"%s\": ", i ? ", " : "", of_texts[i]);
    put_json_text(w->f, texts[i]);
  }
  for (int i = 0; i < 4; i++) {
    fprintf(w->f, ", \"%s\": ", names[i]);
    put_number(w, numbers[i]);
  }
  for (int a = 0; a < CAS_ROW_AXES; a++) {
    fprintf(w->f, ", \"%s\": ", cas_row_axes[a]);
    put_number(w, row->place[a]);
  }
  fprintf(w->f, ", \"headline\": %s}", row->headline ? "true" : "false");
}

static void put_text_row(writer *w, const cas_row *row) {
  const cas_comparison *c = w->comparison;
  char text[500];
  if (!row->headline)
    return;
  w->main = true;
  const int n = w->text.rows;
  for (int k = 0; k < c->common; k++)
    cas_grid_put(&w->text, k, n, value_of(w, k));
  snprintf(text, sizeof text, "%s %s%s%s", row->table, row->quantity, row->at[0] ? " at " : "",
           row->at);
  cas_grid_put(&w->text, c->common, n, text);
  text[0] = '\0';
  cas_frame_append(text, sizeof text, row->value, row->standard_error, row->low, row->high,
                   strcmp(row->quantity, "order") == 0 ? CAS_FRAME_ORDER : INFINITY);
  cas_grid_put(&w->text, c->common + 1, n, text);
  cas_grid_put(&w->text, c->common + 2, n, w->file);
}

/* ---- LaTeX ---- */

static void put_latex_text(FILE *f, const char *text) {
  static const char special[] = "\\<>|";
  static const char *const spelled[] = {"\\textbackslash{}", "\\textless{}", "\\textgreater{}",
                                        "\\textbar{}"};
  const char *at;
  if (strncmp(text, "2^", 2) == 0 && text[2] && !text[2 + strspn(text + 2, "-0123456789")]) {
    fprintf(f, "$2^{%s}$", text + 2); /* a step */
    return;
  }
  if (*text == '[') /* which would begin a length behind the end of a row */
    fputs("{}", f);
  for (; *text; text++)
    if (strchr("_%&#${}", *text))
      fprintf(f, "\\%c", *text);
    else if (*text == '^' || *text == '~')
      fprintf(f, "\\%c{}", *text);
    else if ((at = strchr(special, *text)))
      fputs(spelled[at - special], f);
    else
      fputc(*text, f);
}

static void put_latex_number(FILE *f, double x, int decimals, int power) {
  const bool is_zero = fabs(x) < pow(10, power - decimals) / 2; /* which must not be "-0.00" */
  if (isfinite(x))
    fprintf(f, "%.*f", decimals, is_zero ? 0 : x / pow(10, power));
  else
    fputs(isnan(x) ? "\\text{--}" : x > 0 ? "\\infty" : "-\\infty", f);
}

/* "$0.501 \pm 0.012$" or "$0.50\ [0.48, 0.52]$", with two digits of the uncertainty where it
   is known. */
static void put_latex_estimate(FILE *f, const cas_row *row) {
  const bool interval = !(row->standard_error > 0) && !isnan(row->low) && !isnan(row->high);
  const double half = interval ? (row->high - row->low) / 2 : row->standard_error;
  const bool known = isfinite(half) && half > 0;
  const double largest = fmax(fabs(row->value), known ? half : 0);
  int size = largest > 0 && isfinite(largest) ? (int)floor(log10(largest)) : 0,
      power = size < -3 || size > 4 ? size : 0,
      decimals = (known ? 1 - (int)floor(log10(half)) : 3 - size) + power;
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
  if (!row->headline || !isfinite(row->value))
    return;
  w->main = true;
  for (int k = 0; k < w->comparison->common; k++) {
    put_latex_text(w->f, value_of(w, k));
    fputs(" & ", w->f);
  }
  put_latex_text(w->f, row->table);
  fputs(" & ", w->f);
  put_latex_text(w->f, row->quantity);
  if (row->at[0]) {
    fputs(" at ", w->f);
    put_latex_text(w->f, row->at);
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
    put_latex_text(w->f, c->key[k].name);
    fputs(" & ", w->f);
  }
  fputs("table & quantity & estimate \\\\\n\\midrule\n", w->f);
}

static void put_csv_heading(const writer *w) {
  const cas_comparison *c = w->comparison;
  fputs("file", w->f);
  for (int k = 0; k < c->common; k++) {
    fputc(',', w->f);
    put_csv_text(w->f, c->key[k].name);
  }
  fputs(",table,quantity,at,value,standard_error,low,high,functional", w->f);
  for (int a = 0; a < CAS_ROW_AXES; a++)
    fprintf(w->f, ",%s", cas_row_axes[a]);
  fputc('\n', w->f);
}

static void put_json_result(const writer *w, const cas_frame *f) {
  for (int i = 0; i < f->rows; i++) {
    fprintf(w->f, "%s\n    {", i ? "," : "");
    for (const cas_field *c = f->columns; c->name; c++) {
      fprintf(w->f, "%s\"%s\": ", c > f->columns ? ", " : "", c->name);
      if (c->type == CAS_FIELD_TEXT)
        put_json_text(w->f, cas_frame_word(f, c, i));
      else
        put_number(w, cas_frame_number(f, c, i));
    }
    fputc('}', w->f);
  }
}

static void begin_json_file(const writer *w, const cas_frame *result) {
  const cas_comparison *c = w->comparison;
  fprintf(w->f, "%s\n  {\"file\": ", w->number ? "," : "");
  put_json_text(w->f, w->file);
  if (w->partial) {
    fputs(", \"partial\": ", w->f);
    put_json_text(w->f, w->partial);
  }
  fputs(", \"headline\": ", w->f);
  put_json_text(w->f, result->headline);
  fprintf(w->f, ", \"verdict\": \"%s\", \"parameters\": {", cas_judgement_names[result->judgement]);
  for (int k = 0; k < c->keys; k++) {
    const double x = cas_comparison_number(c, w->number, k);
    fputs(k ? ", " : "", w->f);
    put_json_text(w->f, c->key[k].name);
    fputs(": ", w->f);
    if (isfinite(x))
      put_number(w, x);
    else
      put_json_text(w->f, value_of(w, k));
  }
  fputs("}, \"result\": [", w->f);
  put_json_result(w, result);
  fputs("], \"estimates\": [", w->f);
}

/* ---- all formats ---- */

typedef cas_status put_file(writer *w, const cas_frame *result, cas_error *err);

/* Puts something of every file, which knows what it concludes. */
static cas_status put_files(writer *w, put_file *put, cas_error *err) {
  for (w->number = 0; w->number < w->comparison->files; w->number++) {
    CAS_OWNED_BY(cas_frame_free) cas_frame own = {0};
    const cas_frame *result = cas_result_of(w->comparison->results[w->number], &own, err);
    if (!result)
      return err->status;
    w->file = w->name[w->number];
    w->any = false;
    CAS_CALL(put(w, result, err));
  }
  return CAS_OK;
}

static void put_row(void *context, const cas_row *row) {
  static void (*const put[])(writer *, const cas_row *) = {[CAS_ROWS_TEXT] = put_text_row,
                                                           [CAS_ROWS_CSV] = put_csv_row,
                                                           [CAS_ROWS_JSON] = put_json_row,
                                                           [CAS_ROWS_LATEX] = put_latex_row};
  writer *w = context;
  put[w->format](w, row);
  w->any = true;
}

static cas_status put_rows(writer *w, const cas_frame *result, cas_error *err) {
  if (w->format == CAS_ROWS_JSON)
    begin_json_file(w, result);
  CAS_CALL(cas_rows_visit(w->comparison->results[w->number], put_row, w, err));
  if (w->format == CAS_ROWS_JSON)
    fputs("]}", w->f);
  return CAS_OK;
}

/* The sentence of a file, as a line, or as a row without numbers. */
static cas_status put_headline(writer *w, const cas_frame *result, cas_error *err CAS_UNUSED) {
  if (w->format == CAS_ROWS_CSV) {
    put_csv_place(w, (const char *const[]){"result", "headline", result->headline});
    fprintf(w->f, "%.*s\n", 5 + CAS_ROW_AXES, ",,,,,,,,,,");
    return CAS_OK;
  }
  fputs(w->format == CAS_ROWS_LATEX ? "% " : "", w->f);
  cas_text_put(w->f, w->file);
  fputs(": ", w->f);
  cas_text_put(w->f, result->headline);
  fputc('\n', w->f);
  return CAS_OK;
}

static const char none[] = "none of these files has a resolved main estimate";

static cas_status put_csv(writer *w, cas_error *err) {
  put_csv_heading(w);
  CAS_CALL(put_files(w, put_headline, err));
  CAS_CALL(put_files(w, put_rows, err));
  w->others = true;
  return put_files(w, put_rows, err);
}

static cas_status put_json(writer *w, cas_error *err) {
  fputc('[', w->f);
  cas_status st = put_files(w, put_rows, err);
  fputs("\n]\n", w->f);
  return st;
}

static cas_status put_latex(writer *w, cas_error *err) {
  CAS_CALL(put_files(w, put_headline, err));
  begin_latex(w);
  CAS_CALL(put_files(w, put_rows, err));
  if (!w->main)
    fprintf(w->f, "\\multicolumn{%d}{l}{%s} \\\\\n", w->comparison->common + 3, none);
  fputs("\\bottomrule\n\\end{tabular}\n", w->f);
  return CAS_OK;
}

static cas_status put_text(writer *w, cas_error *err) {
  CAS_CALL(put_files(w, put_headline, err));
  fputc('\n', w->f);
  for (int k = 0; k < w->comparison->common; k++)
    (void)cas_grid_add(&w->text, w->comparison->key[k].name);
  (void)cas_grid_add(&w->text, "estimate");
  (void)cas_grid_add(&w->text, "value +- standard error [95%]");
  (void)cas_grid_add(&w->text, "file");
  CAS_CALL(put_files(w, put_rows, err));
  CAS_NEED(!w->text.failed);
  cas_grid_print(w->f, &w->text, 0, INT_MAX);
  if (!w->main)
    fprintf(w->f, "%s; --format csv prints all estimates\n", none);
  return CAS_OK;
}

cas_status cas_rows_print_partial(FILE *f, const char *file, const char *partial,
                                  const cas_results *r, cas_error *err) {
  const cas_comparison alone = {.files = 1, .results = &r};
  writer w = {
      .f = f, .format = CAS_ROWS_JSON, .comparison = &alone, .name = &file, .partial = partial};
  return put_json(&w, err);
}

cas_status cas_rows_print(FILE *f, cas_rows_format format, const char *const *file, int files,
                          cas_error *err) {
  static cas_status (*const put[])(writer *, cas_error *) = {[CAS_ROWS_TEXT] = put_text,
                                                             [CAS_ROWS_CSV] = put_csv,
                                                             [CAS_ROWS_JSON] = put_json,
                                                             [CAS_ROWS_LATEX] = put_latex};
  CAS_OWNED_BY(cas_comparison_free) cas_comparison c;
  writer w = {.f = f, .format = format, .comparison = &c, .name = file};
  CAS_CALL(cas_comparison_read(file, files, &c, err));
  cas_status st = put[format](&w, err);
  cas_grid_free(&w.text);
  return st;
}
