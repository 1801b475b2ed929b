#include "files/results/frame.h"
#include "base/grid.h"

#include <math.h>

void cas_frame_begin(cas_frame *f, const cas_field *columns, size_t size, const char *kind) {
  *f = (cas_frame){.columns = columns, .size = size, .judgement = CAS_UNRESOLVED};
  snprintf(f->kind, sizeof f->kind, "%s", kind);
}

static bool is_text(const cas_field *column) { return column->type == CAS_FIELD_TEXT; }

static void *member(const cas_frame *f, const cas_field *column, int row) {
  return f->row + (size_t)row * f->size + column->offset;
}

bool cas_frame_add(cas_frame *f, const void *row) {
  bool all = cas_owned_resize(&f->row, f->rows + 1, f->size);
  if (!all)
    return false;
  memcpy(f->row + (size_t)f->rows++ * f->size, row, f->size);
  for (const cas_field *c = f->columns; c->name; c++)
    if (is_text(c)) {
      char **text = member(f, c, f->rows - 1);
      *text = strdup(*text);
      all &= *text != NULL;
    }
  return all;
}

double cas_frame_number(const cas_frame *f, const cas_field *column, int row) {
  if (!column)
    return NAN;
  const void *at = member(f, column, row);
  return column->type == CAS_FIELD_INT ? *(const int *)at : *(const double *)at;
}

const char *cas_frame_word(const cas_frame *f, const cas_field *column, int row) {
  return *(char **)member(f, column, row);
}

void cas_frame_free(cas_frame *f) {
  for (const cas_field *c = f->columns; c && c->name; c++)
    for (int i = 0; is_text(c) && i < f->rows; i++)
      free(*(char **)member(f, c, i));
  free(f->row);
  *f = (cas_frame){0};
}

/* ---- files ---- */

/* An array of these is a column of numbers or of texts. */
typedef union {
  double number;
  char *text;
} cell;

static cell *new_column(cas_h5 *h, int rows) {
  cell *column = calloc((size_t)rows + 1, sizeof *column);
  if (!column)
    cas_h5_no_memory(h);
  return column;
}

static void put_columns(cas_h5 *h, hid_t group, const cas_frame *f) {
  CAS_OWNED cell *all = new_column(h, f->rows);
  hid_t scale = H5I_INVALID_HID, type = cas_h5_text_type(h);
  for (const cas_field *c = f->columns; all && c->name; c++) {
    cas_field column = *c;
    column.type = is_text(c) ? CAS_FIELD_TEXT : CAS_FIELD_REAL;
    for (int i = 0; i < f->rows; i++)
      if (is_text(c))
        all[i].text = *(char **)member(f, c, i);
      else
        all[i].number = cas_frame_number(f, c, i);
    if (c > f->columns) {
      cas_h5_put_column(h, group, &column, f->rows, all, scale);
      continue;
    }
    scale = cas_h5_put_scale(h, group, c->name, c->long_name, c->units, type, type, f->rows, all);
  }
  cas_h5_close(h, scale);
  cas_h5_close(h, type);
}

void cas_frame_put(cas_h5 *h, hid_t file, const char *name, const cas_frame *f) {
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_create(h, file, name);
  if (f->headline[0]) {
    cas_h5_put_text(h, group, "headline", f->headline);
    cas_h5_put_text(h, group, "verdict", cas_judgement_names[f->judgement]);
    cas_h5_put_text(h, group, "kind", f->kind);
  }
  if (f->advice[0])
    cas_h5_put_text(h, group, "advice", f->advice);
  if (f->rows > 0)
    put_columns(h, group, f);
}

static bool has_columns(cas_h5 *h, hid_t group, const cas_field *columns) {
  for (int c = 0; columns[c].name; c++)
    if (!cas_h5_has_dataset(h, group, columns[c].name))
      return false;
  return true;
}

/* Texts of HDF5 are copied: it has an allocator of its own. */
static void get_column(cas_h5 *h, hid_t group, const cas_field *c, cell *all, cas_frame *f) {
  const hsize_t dims[1] = {(hsize_t)f->rows};
  cas_h5_get_array(h, group, c->name, is_text(c) ? CAS_FIELD_TEXT : CAS_FIELD_REAL, 1, dims, all);
  for (int i = 0; i < f->rows; i++)
    if (is_text(c)) {
      char *stored = h->status ? NULL : all[i].text;
      if (!(*(char **)member(f, c, i) = strdup(stored ? stored : "")))
        cas_h5_no_memory(h);
      H5free_memory(stored);
    } else if (c->type == CAS_FIELD_INT)
      *(int *)member(f, c, i) = (int)all[i].number;
    else
      *(double *)member(f, c, i) = all[i].number;
}

bool cas_frame_get(cas_h5 *h, hid_t file, const char *name, const cas_field *const *lists,
                   size_t size, cas_frame *f) {
  CAS_OWNED_BY(cas_h5_release) hid_t group = cas_h5_group_open(h, file, name);
  char judgement[32] = "";
  if (group < 0)
    return false;
  cas_frame_begin(f, *lists, size, "");
  const int rows = cas_h5_has_dataset(h, group, f->columns[0].name)
                       ? cas_h5_length(h, group, f->columns[0].name)
                       : 0;
  while (rows > 0 && *lists && !has_columns(h, group, *lists))
    lists++;
  if (rows > 0 && *lists) {
    CAS_OWNED cell *all = new_column(h, rows);
    f->columns = *lists;
    if (all && !(f->row = calloc((size_t)rows, f->size)))
      cas_h5_no_memory(h);
    f->rows = f->row ? rows : 0;
    for (const cas_field *c = f->columns; c->name && !h->status; c++)
      get_column(h, group, c, all, f);
  }
  cas_h5_get_words(h, group, "headline", f->headline, sizeof f->headline);
  cas_h5_get_words(h, group, "advice", f->advice, sizeof f->advice);
  cas_h5_get_words(h, group, "kind", f->kind, sizeof f->kind);
  cas_h5_get_words(h, group, "verdict", judgement, sizeof judgement);
  for (int j = 0; j < CAS_JUDGEMENTS; j++)
    if (strcmp(judgement, cas_judgement_names[j]) == 0)
      f->judgement = (cas_judgement)j;
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

enum { CELL = 120 };

static double beside(const cas_frame *f, const char *name, int row) {
  return cas_frame_number(f, name ? cas_field_find(f->columns, name) : NULL, row);
}

static void write_number(const cas_frame *f, const cas_field *c, int row, char text[CELL]) {
  const double x = cas_frame_number(f, c, row);
  char number[32];
  text[0] = '\0';
  if (c->low || c->error)
    cas_frame_append(text, CELL, x, beside(f, c->error, row), beside(f, c->low, row),
                     beside(f, c->high, row),
                     strcmp(c->heading, "order") == 0 ? CAS_FRAME_ORDER : INFINITY);
  else {
    if (strcmp(c->name, "step") == 0)
      cas_step_format(x, number, sizeof number);
    else
      cas_frame_format(x, strcmp(c->heading, "p") == 0 ? x : NAN, number);
    cas_append(text, CELL, "%s", number);
  }
}

static bool any_finite(const cas_frame *f, const char *name) {
  const cas_field *column = cas_field_find(f->columns, name);
  int i = 0;
  while (i < f->rows && !isfinite(cas_frame_number(f, column, i)))
    i++;
  return i < f->rows;
}

/* The heading of values names what stands beside them: "value +- standard error [95%]". Where
   nothing does, they are no estimates. */
static const char *heading_of(const cas_frame *f, const cas_field *column, char text[CELL]) {
  const bool error = any_finite(f, "standard_error"), interval = any_finite(f, "low");
  if (strcmp(column->name, "name") == 0 && cas_field_find(f->columns, "value") && !error &&
      !interval)
    return "number";
  if (strcmp(column->name, "value") != 0)
    return column->heading;
  snprintf(text, CELL, "value%s%s", error ? " +- standard error" : "", interval ? " [95%]" : "");
  return text;
}

void cas_frame_print(FILE *out, const cas_frame *f, int indent, int last) {
  char text[CELL];
  cas_grid g = {0};
  for (const cas_field *c = f->columns; c->name; c++) {
    const int at = c->heading ? cas_grid_add(&g, heading_of(f, c, text)) : -1;
    for (int row = 0; at >= 0 && row < f->rows; row++)
      if (is_text(c))
        cas_grid_put(&g, at, row, cas_frame_word(f, c, row));
      else if (!isnan(cas_frame_number(f, c, row))) {
        write_number(f, c, row, text);
        cas_grid_put(&g, at, row, text);
      }
  }
  cas_grid_print(out, &g, indent, last);
  cas_grid_free(&g);
}
