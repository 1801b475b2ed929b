#include "results/sensitivity.h"

#include <casimir/dataset.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char group[] = "/trajectory/";

typedef struct {
  const char *const *file;
  cas_results *result; /* [files] */
  cas_comparison comparison;
  bool last;
  void (*visit)(void *context, const cas_sensitivity *s);
  void *context;
} pairs;

/* ---- neighbours ---- */

static bool same_value(const cas_comparison *c, int i, int j, int key) {
  size_t m, n;
  const char *a = cas_comparison_value(c, i, key, &m), *b = cas_comparison_value(c, j, key, &n);
  return a && b ? m == n && memcmp(a, b, m) == 0 : a == b;
}

/* The only key in which two files differ, -1 where there are none or several. */
static int find_key(const cas_comparison *c, int i, int j) {
  int found = -1;
  for (int k = 0; k < c->keys; k++)
    if (!same_value(c, i, j, k)) {
      if (found >= 0)
        return -1;
      found = k;
    }
  return found;
}

/* Whether the run of file j is the next one after that of file i, by the number of one key. */
static bool is_next(const pairs *p, int i, int j, int *key) {
  static const char section[] = "system.";
  const cas_comparison *c = &p->comparison;
  const int k = find_key(c, i, j);
  if (k < 0 || strncmp(c->key[k].name, section, strlen(section)) != 0)
    return false;
  const double a = cas_comparison_number(c, i, k), b = cas_comparison_number(c, j, k);
  if (!(a < b))
    return false;
  for (int m = 0; m < c->files; m++) {
    const double x = cas_comparison_number(c, m, k);
    if (find_key(c, i, m) == k && x > a && x < b)
      return false;
  }
  *key = k;
  return true;
}

/* ---- differences ---- */

/* [records][paths] of one file; the caller frees *value. */
static cas_status read_records(const char *file, const char *name, int64_t first, int64_t count,
                               int64_t *paths, double **value, cas_error *err) {
  int rank;
  int64_t dims[4];
  bool is_complex;
  *value = NULL;
  CAS_CALL(
      cas_dataset_read_records(file, name, first, count, &rank, dims, &is_complex, value, err));
  *paths = rank == 2 ? dims[1] : 1;
  return CAS_OK;
}

/* The mean of the differences of each path, and its standard error. */
static void measure(int64_t paths, const double *a, const double *b, cas_sensitivity *s) {
  double mean = 0, m2 = 0;
  s->paths = 0;
  for (int64_t i = 0; i < paths; i++) {
    const double d = b[i] - a[i], off = d - mean;
    if (!isfinite(d))
      continue;
    mean += off / (double)++s->paths;
    m2 += off * (d - mean);
  }
  const double n = (double)s->paths;
  s->difference = n > 0 ? mean : NAN;
  s->standard_error = n > 1 ? sqrt(m2 / (n - 1) / n) : NAN;
}

static cas_status compare_record(const pairs *p, int i, int j, const char *name, int64_t record,
                                 cas_sensitivity *s, cas_error *err) {
  double *a = NULL, *b = NULL;
  int64_t paths = 0, others = 0;
  cas_status st = read_records(p->file[i], name, record, 1, &paths, &a, err);
  if (!st)
    st = read_records(p->file[j], name, record, 1, &others, &b, err);
  if (!st && paths == others) {
    measure(paths, a, b, s);
    p->visit(p->context, s);
  }
  free(a);
  free(b);
  return st;
}

static cas_status compare_observable(const pairs *p, int i, int j, const cas_dataset *d,
                                     cas_sensitivity *s, cas_error *err) {
  double *time = NULL;
  int rank;
  int64_t dims[4];
  bool is_complex;
  const int64_t records = d->dims[0];
  CAS_CALL(cas_dataset_read(p->file[i], "/trajectory/time", &rank, dims, &is_complex, &time, err));
  cas_status st = CAS_OK;
  s->observable = d->name + strlen(group);
  for (int64_t n = p->last ? records - 1 : 0; !st && n < records && n < dims[0]; n++) {
    s->time = time[n];
    st = compare_record(p, i, j, d->name, n, s, err);
  }
  free(time);
  return st;
}

static bool is_observable(const cas_dataset *d) {
  return strncmp(d->name, group, strlen(group)) == 0 && d->rank == 2 && !d->is_complex &&
         !strchr(d->name + strlen(group), '/');
}

static cas_status compare(const pairs *p, int i, int j, int key, cas_error *err) {
  const cas_comparison *c = &p->comparison;
  cas_contents contents;
  cas_sensitivity s = {.key = c->key[key].name,
                       .key_length = c->key[key].length,
                       .from = cas_comparison_number(c, i, key),
                       .to = cas_comparison_number(c, j, key)};
  CAS_CALL(cas_contents_read(p->file[i], &contents, err));
  cas_status st = CAS_OK;
  for (int k = 0; !st && k < contents.n; k++)
    if (is_observable(&contents.dataset[k]))
      st = compare_observable(p, i, j, &contents.dataset[k], &s, err);
  cas_contents_free(&contents);
  return st;
}

static cas_status visit_pairs(const pairs *p, int files, cas_error *err) {
  int key = 0;
  for (int i = 0; i < files; i++)
    for (int j = 0; j < files; j++)
      if (i != j && p->result[i].tables == 0 && p->result[j].tables == 0 && is_next(p, i, j, &key))
        CAS_CALL(compare(p, i, j, key, err));
  return CAS_OK;
}

cas_status cas_sensitivity_visit(const char *const *file, int files, bool last,
                                 void (*visit)(void *context, const cas_sensitivity *s),
                                 void *context, cas_error *err) {
  pairs p = {.file = file, .last = last, .visit = visit, .context = context};
  const cas_results **each = calloc((size_t)files + 1, sizeof *each);
  p.result = calloc((size_t)files + 1, sizeof *p.result);
  cas_status st = each && p.result ? CAS_OK : cas_no_memory(err);
  for (int i = 0; !st && i < files; i++) {
    st = cas_results_read(file[i], &p.result[i], err);
    each[i] = &p.result[i];
  }
  if (!st)
    st = cas_comparison_create(each, files, &p.comparison, err);
  if (!st)
    st = visit_pairs(&p, files, err);
  cas_comparison_free(&p.comparison);
  for (int i = 0; p.result && i < files; i++)
    cas_results_free(&p.result[i]);
  free(p.result);
  free(each);
  return st;
}

/* ---- printing ---- */

typedef struct {
  FILE *f;
  cas_rows_format format;
  bool any;
} printer;

static void print_row(void *context, const cas_sensitivity *s) {
  printer *w = context;
  const double change = s->to - s->from;
  const bool csv = w->format == CAS_ROWS_CSV;
  if (!w->any)
    fputs(csv ? "key,from,to,observable,time,paths,difference,standard_error,derivative,"
                "derivative_standard_error\n"
              : "\nDifferences of neighbouring runs, on the same paths\n"
                "  key                          from          to  observable              time  "
                "     difference  std. error     derivative  std. error\n",
          w->f);
  w->any = true;
  fprintf(w->f,
          csv ? "%.*s,%.17g,%.17g,%s,%.17g,%lld,%.17g,%.17g,%.17g,%.17g\n"
              : "  %-22.*s %10.6g  %10.6g  %-16s %11.6g  %.0lld%15.7g  %10.2g %14.7g  %10.2g\n",
          (int)s->key_length, s->key, s->from, s->to, s->observable, s->time,
          (long long)(csv ? s->paths : 0), s->difference, s->standard_error, s->difference / change,
          s->standard_error / change);
}

cas_status cas_sensitivity_print(FILE *f, cas_rows_format format, const char *const *file,
                                 int files, bool *any, cas_error *err) {
  printer w = {f, format, false};
  *any = false;
  if (format != CAS_ROWS_TEXT && format != CAS_ROWS_CSV)
    return CAS_OK;
  cas_status st = cas_sensitivity_visit(file, files, format == CAS_ROWS_TEXT, print_row, &w, err);
  *any = w.any;
  return st;
}
