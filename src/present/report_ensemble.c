/* Statistics over time as tables for people: of a single number at a few times, of several numbers
   at the last time. The file has all of them. */
#include "present/report_impl.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_TIMES = 10, MOST_NUMBERS = 16, COLUMNS = 3 };

/* Row i of `rows` that stand for n, the first and the last among them. */
static int spread(int i, int rows, int n) {
  return rows < 2 ? n - 1 : (int)((int64_t)i * (n - 1) / (rows - 1));
}

/* ---- columns ---- */

/* the quantiles shown: the lowest, the one nearest to the median, the highest */
static int choose_quantiles(const cas_ensemble *e, int column[COLUMNS]) {
  int middle = 0, n = 0;
  for (int k = 0; k < e->quantiles; k++)
    if (fabs(e->probability[k] - 0.5) < fabs(e->probability[middle] - 0.5))
      middle = k;
  if (middle > 0)
    column[n++] = 0;
  if (e->quantiles > 0)
    column[n++] = middle;
  if (middle < e->quantiles - 1)
    column[n++] = e->quantiles - 1;
  return n;
}

/* what the first column holds; returns its width */
static int name_places(const cas_ensemble_observable *o, char *text, size_t size) {
  if (o->axes == 0)
    snprintf(text, size, "time");
  else
    snprintf(text, size, "%.25s%s%.25s", o->axis[0].name ? o->axis[0].name : "number",
             o->axes > 1 ? " " : "", o->axes > 1 && o->axis[1].name ? o->axis[1].name : "");
  return strlen(text) > 10 ? (int)strlen(text) : 10;
}

static void print_heading(FILE *f, const cas_ensemble *e, const cas_ensemble_observable *o) {
  int column[COLUMNS], columns = choose_quantiles(e, column);
  char where[64];
  int width = name_places(o, where, sizeof where);
  fprintf(f, "  %-*s%13s%9s%10s", width, where, "mean", "+-", "deviation");
  for (int k = 0; k < columns; k++) {
    char title[32] = "median";
    if (e->probability[column[k]] != 0.5)
      snprintf(title, sizeof title, "%.4g%%", 100 * e->probability[column[k]]);
    fprintf(f, "%12s", title);
  }
  fprintf(f, "%12s%12s\n", "minimum", "maximum");
}

/* ---- rows ---- */

static void print_coordinate(char *text, size_t size, const cas_file_axis *a, int i) {
  const char *label = a->labels;
  for (int k = 0; label && k < i; k++) {
    label += strcspn(label, " ");
    label += strspn(label, " ");
  }
  if (label)
    snprintf(text, size, "%.*s", (int)strcspn(label, " "), label);
  else
    snprintf(text, size, "%.4g", a->coordinates ? a->coordinates[i] : (double)i);
}

static void print_place(FILE *f, const cas_ensemble *e, const cas_ensemble_observable *o, int t,
                        int number) {
  char text[80], second[32] = "", where[64];
  if (o->axes == 0) {
    snprintf(text, sizeof text, "%.8g", e->time[t]);
  } else if (o->axes == 1) {
    print_coordinate(text, 32, &o->axis[0], number);
  } else {
    print_coordinate(text, 32, &o->axis[0], number / o->axis[1].length);
    print_coordinate(second, sizeof second, &o->axis[1], number % o->axis[1].length);
    strcat(strcat(text, " "), second);
  }
  fprintf(f, "  %-*s", name_places(o, where, sizeof where), text);
}

static void print_row(FILE *f, const cas_ensemble *e, const cas_ensemble_observable *o, int t,
                      int number) {
  int column[COLUMNS], columns = choose_quantiles(e, column);
  size_t i = (size_t)t * (size_t)o->numbers + (size_t)number;
  print_place(f, e, o, t, number);
  cas_print_real(f, "%.7g", 13, o->mean[i]);
  cas_print_real(f, "%.1e", 9, o->standard_error[i]);
  cas_print_real(f, "%.3g", 10, sqrt(o->variance[i]));
  for (int k = 0; k < columns; k++)
    cas_print_real(f, "%.5g", 12, o->quantile[i * (size_t)e->quantiles + (size_t)column[k]]);
  cas_print_real(f, "%.5g", 12, o->minimum[i]);
  cas_print_real(f, "%.5g", 12, o->maximum[i]);
  fputc('\n', f);
}

static void print_observable(FILE *f, const cas_ensemble *e, const cas_ensemble_observable *o) {
  int last = e->records - 1, n = o->axes ? o->numbers : e->records,
      most = o->axes ? MOST_NUMBERS : MOST_TIMES, rows = n < most ? n : most;
  fprintf(f, "\n%s", o->name);
  if (o->unit && strcmp(o->unit, "1") != 0)
    fprintf(f, " (%s)", o->unit);
  if (o->axes)
    fprintf(f, " at time %.8g", e->time[last]);
  if (rows < n)
    fprintf(f, ", %d of %d %s", rows, n, o->axes ? "numbers" : "times");
  fputc('\n', f);
  print_heading(f, e, o);
  for (int i = 0; i < rows; i++) {
    int at = spread(i, rows, n);
    print_row(f, e, o, o->axes ? last : at, o->axes ? at : 0);
  }
}

void cas_print_ensemble(FILE *f, const cas_ensemble *e) {
  fprintf(f, "%-12s%" PRId64 " path%s at %d time%s", "statistics", e->counted,
          e->counted == 1 ? "" : "s", e->records, e->records == 1 ? "" : "s");
  if (e->members)
    fprintf(f, "; %" PRId64 " member%s", e->members, e->members == 1 ? "" : "s");
  if (e->exact)
    fprintf(f, "; quantiles of all values\n");
  else
    fprintf(f, "; quantiles from %d bin%s, to a bin's width\n", e->bins, e->bins == 1 ? "" : "s");
  for (int i = 0; i < e->observables; i++)
    print_observable(f, e, &e->observable[i]);
}
