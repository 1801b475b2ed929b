#include "files/results/frame.h"
#include "base/grid.h"
#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cas_frame_begin(cas_frame *f, const cas_field *columns, const char *kind) {
  *f = (cas_frame){.columns = columns, .judgement = CAS_UNRESOLVED};
  snprintf(f->kind, sizeof f->kind, "%s", kind ? kind : "");
}

static int find(const cas_frame *f, const char *name) {
  int c = 0;
  while (f->columns[c].name && strcmp(f->columns[c].name, name) != 0)
    c++;
  return c;
}

static bool is_words(const cas_field *c) { return !c->units; }

int cas_frame_add(cas_frame *f) {
  const size_t n = (size_t)f->rows + 1;
  for (int c = 0; f->columns[c].name; c++) {
    const size_t size = is_words(&f->columns[c]) ? sizeof(char *) : sizeof(double);
    void *more = realloc(f->data[c], n * size);
    if (!more)
      return -1;
    f->data[c] = more;
    if (is_words(&f->columns[c]))
      ((char **)more)[n - 1] = NULL;
    else
      ((double *)more)[n - 1] = NAN;
  }
  return f->rows++;
}

double *cas_frame_numbers(const cas_frame *f, const char *name) { return f->data[find(f, name)]; }

const char *cas_frame_word(const cas_frame *f, const char *name, int row) {
  const char *word = ((char **)f->data[find(f, name)])[row];
  return word ? word : "";
}

bool cas_frame_set_word(cas_frame *f, const char *name, int row, const char *word) {
  char **at = &((char **)f->data[find(f, name)])[row];
  free(*at);
  *at = strdup(word);
  return *at != NULL;
}

void cas_frame_free(cas_frame *f) {
  for (int c = 0; f->columns && f->columns[c].name; c++) {
    for (int i = 0; is_words(&f->columns[c]) && f->data[c] && i < f->rows; i++)
      free(((char **)f->data[c])[i]);
    free(f->data[c]);
  }
  *f = (cas_frame){0};
}

/* ---- structs ---- */

static void *member(const cas_field *c, const void *base) { return (char *)base + c->offset; }

void cas_frame_take(const cas_frame *f, int row, const void *from) {
  for (int c = 0; f->columns[c].name; c++)
    if (!is_words(&f->columns[c]))
      ((double *)f->data[c])[row] = f->columns[c].type == CAS_FIELD_INT
                                        ? *(int *)member(&f->columns[c], from)
                                        : *(double *)member(&f->columns[c], from);
}

void cas_frame_give(const cas_frame *f, int row, void *to) {
  for (int c = 0; f->columns[c].name; c++)
    if (is_words(&f->columns[c]))
      continue;
    else if (f->columns[c].type == CAS_FIELD_INT)
      *(int *)member(&f->columns[c], to) = (int)((double *)f->data[c])[row];
    else
      *(double *)member(&f->columns[c], to) = ((double *)f->data[c])[row];
}

/* ---- files ---- */

static void put_columns(cas_h5 *h, hid_t group, const cas_frame *f) {
  hid_t type = cas_h5_text_type(h);
  hid_t scale = cas_h5_put_scale(h, group, f->columns[0].name, type, type, f->rows, f->data[0]);
  cas_h5_describe_scale(h, scale, f->columns[0].name, f->columns[0].long_name, "1");
  for (int c = 1; f->columns[c].name; c++) {
    cas_field column = f->columns[c];
    column.type = is_words(&column) ? CAS_FIELD_TEXT : CAS_FIELD_REAL;
    column.units = is_words(&column) ? "1" : column.units;
    cas_h5_put_column(h, group, &column, f->rows, f->data[c], scale);
  }
  cas_h5_close(h, scale);
  cas_h5_close(h, type);
}

void cas_frame_put(cas_h5 *h, hid_t file, const char *name, const cas_frame *f) {
  hid_t group = cas_h5_group_create(h, file, name);
  if (f->headline[0]) {
    cas_h5_put_text(h, group, "headline", f->headline);
    cas_h5_put_text(h, group, "verdict", cas_judgement_names[f->judgement]);
    cas_h5_put_text(h, group, "kind", f->kind);
  }
  if (f->advice[0])
    cas_h5_put_text(h, group, "advice", f->advice);
  if (f->rows > 0)
    put_columns(h, group, f);
  cas_h5_close(h, group);
}

static bool has_columns(cas_h5 *h, hid_t group, const cas_field *columns) {
  for (int c = 0; columns[c].name; c++)
    if (!cas_h5_has_dataset(h, group, columns[c].name))
      return false;
  return true;
}

static void get_columns(cas_h5 *h, hid_t group, int rows, cas_frame *f) {
  const hsize_t dims[1] = {(hsize_t)rows};
  for (int i = 0; i < rows && !h->status; i++)
    if (cas_frame_add(f) < 0)
      cas_h5_no_memory(h);
  for (int c = 0; f->columns[c].name && !h->status; c++)
    if (!is_words(&f->columns[c]))
      cas_h5_get_array(h, group, f->columns[c].name, CAS_FIELD_REAL, 1, dims, f->data[c]);
    else {
      char **word = calloc((size_t)rows + 1, sizeof *word);
      if (word)
        cas_h5_get_array(h, group, f->columns[c].name, CAS_FIELD_TEXT, 1, dims, word);
      for (int i = 0; word && i < rows; i++) {
        if (!h->status && !cas_frame_set_word(f, f->columns[c].name, i, word[i] ? word[i] : ""))
          cas_h5_no_memory(h);
        H5free_memory(word[i]);
      }
      if (!word)
        cas_h5_no_memory(h);
      free(word);
    }
}

bool cas_frame_get(cas_h5 *h, hid_t file, const char *name, const cas_field *const *lists,
                   cas_frame *f) {
  hid_t group = h->status ? H5I_INVALID_HID : cas_h5_group_open(h, file, name);
  char judgement[32] = "";
  if (group < 0)
    return false;
  cas_frame_begin(f, *lists, "");
  const int rows = cas_h5_has_dataset(h, group, f->columns[0].name)
                       ? cas_h5_length(h, group, f->columns[0].name)
                       : 0;
  while (rows > 0 && *lists && !has_columns(h, group, *lists))
    lists++;
  if (rows > 0 && *lists) {
    f->columns = *lists;
    get_columns(h, group, rows, f);
  }
  cas_h5_get_words(h, group, "headline", f->headline, sizeof f->headline);
  cas_h5_get_words(h, group, "advice", f->advice, sizeof f->advice);
  cas_h5_get_words(h, group, "kind", f->kind, sizeof f->kind);
  cas_h5_get_words(h, group, "verdict", judgement, sizeof judgement);
  for (int j = 0; j < CAS_JUDGEMENTS; j++)
    if (strcmp(judgement, cas_judgement_names[j]) == 0)
      f->judgement = (cas_judgement)j;
  cas_h5_close(h, group);
  return true;
}

/* ---- text ---- */

/* size: of the largest number beside it, whose form it has. */
static void format(double x, double uncertainty, double size, char text[32]) {
  if (!isfinite(x))
    snprintf(text, 32, "%s", isnan(x) ? "-" : x > 0 ? "inf" : "-inf");
  else if (!(uncertainty > 0) || !isfinite(uncertainty))
    snprintf(text, 32, "%.4g", x + 0.0);
  else {
    const int digit = (int)floor(log10(uncertainty)) - 1; /* the last one that is shown */
    if (fmax(size, uncertainty) < 1e-3 || size >= 1e6) {
      int first = (int)floor(log10(fmax(fabs(x), uncertainty)));
      snprintf(text, 32, x == 0 ? "0" : "%.*e",
               first - digit < 0    ? 0
               : first - digit > 12 ? 12
                                    : first - digit,
               x);
    } else
      snprintf(text, 32, "%.*f", digit >= 0 ? 0 : digit < -12 ? 12 : -digit, x);
  }
  if (text[0] == '-' && !isnan(x) && strtod(text, NULL) == 0) /* "-0.00" */
    memmove(text, text + 1, strlen(text));
}

void cas_frame_format(double x, double uncertainty, char text[32]) {
  format(x, uncertainty, fabs(x), text);
}

void cas_frame_append(char *text, size_t size, double value, double error, double low, double high,
                      double most) {
  const bool both = isfinite(low) && isfinite(high), one = isinf(low) || isinf(high);
  const double known = error > 0 ? error
                       : both    ? fmin((isfinite(most) ? 3 : 0.5) * (high - low), most)
                       : one     ? fabs(value)
                                 : NAN;
  char x[3][32];
  const double largest = both ? fmax(fabs(value), fmax(fabs(low), fabs(high))) : fabs(value);
  format(value, known, largest, x[0]);
  format(low, known, largest, x[1]);
  format(high, known, largest, x[2]);
  cas_append(text, size, "%s", x[0]);
  if (error > 0)
    cas_append(text, size,
               strchr(x[0], 'e') ? " +- %.1e"
               : error < 10      ? " +- %#.2g"
                                 : " +- %.0f",
               error);
  if (both || (one && !isnan(low) && !isnan(high)))
    cas_append(text, size, " [%s, %s]", x[1], x[2]);
}

/* The column NAME_low and NAME_high, or low and high of a value; NULL: none. */
static const double *beside(const cas_frame *f, const char *name, const char *what) {
  char other[64];
  snprintf(other, sizeof other, strcmp(name, "value") == 0 ? "%.0s%s" : "%s_%s", name, what);
  return f->data[find(f, other)];
}

enum { CELL = 120 };

static void write_number(const cas_frame *f, int c, int row, char text[CELL]) {
  const char *name = f->columns[c].name;
  const double x = ((double *)f->data[c])[row], *low = beside(f, name, "low"),
               *high = beside(f, name, "high"),
               *error = strcmp(name, "value") == 0 ? cas_frame_numbers(f, "standard_error") : NULL;
  char number[32];
  text[0] = '\0';
  if (low && high)
    cas_frame_append(text, CELL, x, error ? error[row] : NAN, low[row], high[row],
                     strcmp(name, "order") == 0 ? CAS_FRAME_ORDER : INFINITY);
  else {
    if (strcmp(name, "step") == 0)
      cas_step_format(x, number, sizeof number);
    else
      cas_frame_format(x, strcmp(name, "p_value") == 0 ? x : NAN, number);
    cas_append(text, CELL, "%s", number);
  }
}

static bool any_finite(const double *x, int rows) {
  int i = 0;
  while (x && i < rows && !isfinite(x[i]))
    i++;
  return x && i < rows;
}

/* The heading of values names what stands beside them: "value +- standard error [95%]". Where
   nothing does, they are no estimates. */
static const char *heading_of(const cas_frame *f, const cas_field *column, char text[CELL]) {
  const bool error = any_finite(cas_frame_numbers(f, "standard_error"), f->rows),
             interval = any_finite(cas_frame_numbers(f, "low"), f->rows);
  if (strcmp(column->name, "name") == 0 && cas_frame_numbers(f, "value") && !error && !interval)
    return "number";
  if (strcmp(column->name, "value") != 0)
    return column->heading;
  snprintf(text, CELL, "value%s%s", error ? " +- standard error" : "", interval ? " [95%]" : "");
  return text;
}

void cas_frame_print(FILE *out, const cas_frame *f) {
  char text[CELL];
  cas_grid g = {0};
  for (int c = 0; f->columns[c].name; c++) {
    const cas_field *column = &f->columns[c];
    const int at = column->heading ? cas_grid_add(&g, heading_of(f, column, text)) : -1;
    for (int row = 0; at >= 0 && row < f->rows; row++)
      if (is_words(column))
        cas_grid_put(&g, at, row, cas_frame_word(f, column->name, row));
      else if (!isnan(((double *)f->data[c])[row])) {
        write_number(f, c, row, text);
        cas_grid_put(&g, at, row, text);
      }
  }
  cas_grid_print(out, &g, 4, INT_MAX);
  cas_grid_free(&g);
}
