#include "files/results/rows.h"

#include <math.h>

typedef struct {
  const char *const *file;
  const cas_comparison *comparison;
  bool last;
  void (*visit)(void *context, const cas_sensitivity *s);
  void *context;
} pairs;

/* ---- neighbours ---- */

/* The only key in which two files differ, -1 where there are none or several. */
static int find_key(const cas_comparison *c, int i, int j) {
  int found = -1;
  for (int k = 0; k < c->keys; k++)
    if (!cas_field_same_text(c->key[k].value[i], c->key[k].value[j])) {
      if (found >= 0)
        return -1;
      found = k;
    }
  return found;
}

/* Whether the run of file j is the next one after that of file i, by the number of one key. */
static bool is_next(const pairs *p, int i, int j, int *key) {
  static const char section[] = "system.";
  const cas_comparison *c = p->comparison;
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

/* Values of one observable in both files, [records][values], each a mean over a group. */
typedef struct {
  const char *name;     /* of the dataset, as of those below; borrowed */
  char observable[200]; /* "x1" */
  char paths[256];      /* counted paths of each value; empty: one each */
  char time[256];       /* of the records, or of the ends of parts of one */
  bool single;          /* values have no time: they are from the whole run */
} measured;

/* The numbers of a dataset of one dimension, or of one of its records; *n is 0 for other shapes. */
static cas_status read_numbers(const char *file, const char *dataset, int64_t record, int64_t *n,
                               double **value, cas_error *err) {
  int rank = 0;
  int64_t dims[4] = {0};
  bool is_complex;
  CAS_CALL(cas_dataset_read(file, dataset, record, record < 0 ? -1 : 1, &rank, dims, &is_complex,
                            value, err));
  *n = rank != (record < 0 ? 1 : 2) ? 0 : dims[rank - 1];
  return CAS_OK;
}

/* Values of both runs, one of each path, or means over groups of paths. */
typedef struct {
  int64_t n;
  double *value[2], *paths[2]; /* [n]; paths NULL: one each */
} compared;

static double weight_of(const compared *c, int64_t i) { return c->paths[0] ? c->paths[0][i] : 1; }

/* Whether value i counts: it is finite, and of as many paths in both runs. */
static bool is_paired(const compared *c, int64_t i) {
  return isfinite(c->value[1][i] - c->value[0][i]) &&
         !(c->paths[0] && c->paths[1][i] != c->paths[0][i]);
}

/* Whether a mean over `paths` paths may be a share of them. */
static bool is_share(double mean, double paths) {
  const double rounding = 1e-9, count = mean * paths;
  return count > -0.5 && count < paths + 0.5 && fabs(count - round(count)) <= rounding * paths;
}

/* Counts the paths that have an event in one run alone, where every value is 0 or 1, or a share of
   such paths; false: they are no events, or may be others, as all are 0 or all are 1. Flips of both
   kinds in one group cancel and are not counted. */
static bool count_flips(const compared *c, int64_t *up, int64_t *down) {
  double least = 1, most = 0;
  *up = *down = 0;
  for (int64_t i = 0; i < c->n; i++) {
    const double w = weight_of(c, i), before = c->value[0][i], after = c->value[1][i];
    if (!is_paired(c, i))
      continue;
    if (!is_share(before, w) || !is_share(after, w))
      return false;
    const int64_t more = llround((after - before) * w);
    *up += more > 0 ? more : 0;
    *down -= more < 0 ? more : 0;
    least = fmin(least, fmin(before, after));
    most = fmax(most, fmax(before, after));
  }
  return least < 1 && most > 0;
}

/* Student's interval holds where many values differ, that of the counts where few paths flip. Of
   single paths the counts are exact; of groups both are taken together, as flips in one group can
   cancel. */
static void bound(const compared *c, double half_width, cas_sensitivity *s) {
  int64_t up, down;
  /* where under 20 values and less than half differ, their spread says too little of the mean */
  const bool scarce = s->differing < 20 && 2 * s->differing < s->values,
             events = count_flips(c, &up, &down);
  s->low = scarce ? NAN : s->difference - half_width;
  s->high = scarce ? NAN : s->difference + half_width;
  if (scarce)
    s->standard_error = NAN;
  if (!events || s->paths < 1)
    return;
  double low, high;
  cas_flips_interval(up, down, s->paths, 0.95, &low, &high);
  s->low = c->paths[0] ? fmin(low, isnan(s->low) ? low : s->low) : low;
  s->high = c->paths[0] ? fmax(high, isnan(s->high) ? high : s->high) : high;
}

/* The mean of all differences, weighted by paths, and its errors, from their spread about it. */
static void measure(const compared *c, cas_sensitivity *s) {
  double mean = 0, m2 = 0, all = 0;
  s->values = s->differing = 0;
  for (int64_t i = 0; i < c->n; i++) {
    const double d = c->value[1][i] - c->value[0][i], off = d - mean, weight = weight_of(c, i);
    if (!is_paired(c, i))
      continue;
    s->values++;
    s->differing += d < 0 || d > 0;
    all += weight;
    mean += off * (weight / all);
    m2 += weight * off * (d - mean);
  }
  const double degrees = (double)s->values - 1;
  s->paths = (int64_t)all;
  s->difference = all > 0 ? mean : NAN;
  s->standard_error = degrees > 0 ? sqrt(m2 / degrees / all) : NAN;
  bound(c, degrees > 0 ? cas_student_quantile(0.95, degrees) * s->standard_error : NAN, s);
}

static void free_compared(const compared *c) {
  for (int k = 0; k < 2; k++) {
    free(c->value[k]);
    free(c->paths[k]);
  }
}

static cas_status compare_record(const pairs *p, const int file[2], const measured *m,
                                 int64_t record, cas_sensitivity *s, cas_error *err) {
  CAS_OWNED_BY(free_compared) compared c = {0};
  int64_t n[2], groups[2];
  for (int k = 0; k < 2; k++) {
    const char *name = p->file[file[k]];
    CAS_CALL(read_numbers(name, m->name, m->single ? -1 : record, &n[k], &c.value[k], err));
    groups[k] = n[k];
    if (*m->paths)
      CAS_CALL(read_numbers(name, m->paths, -1, &groups[k], &c.paths[k], err));
  }
  c.n = n[0];
  if (n[0] == n[1] && groups[0] == n[0] && groups[1] == n[1]) {
    measure(&c, s);
    p->visit(p->context, s);
  }
  return CAS_OK;
}

static cas_status compare_observable(const pairs *p, const int file[2], const measured *m,
                                     cas_sensitivity *s, cas_error *err) {
  CAS_OWNED double *time = NULL;
  int64_t times;
  CAS_CALL(read_numbers(p->file[file[0]], m->time, -1, &times, &time, err));
  s->observable = m->observable;
  for (int64_t n = p->last || m->single ? times - 1 : 0; n >= 0 && n < times; n++) {
    s->time = time[n];
    CAS_CALL(compare_record(p, file, m, n, s, err));
  }
  return CAS_OK;
}

/* ---- what files hold ---- */

/* Where studies have the values of an observable, counts of paths behind them, and times. */
static const struct {
  const char *values, *paths, *time;
  int rank;
} kinds[] = {{"/trajectory/%199[^/]%n", "", "/trajectory/time", 2},
             {"/ensemble/%199[^/]/group_mean%n", "/ensemble/%s/group_paths", "/ensemble/time", 2},
             {"/time_average/%199[^/]/group_mean%n", "/time_average/%s/group_paths",
              "/time_average/%s/batch_end", 1}};

/* Whether a dataset has the values of an observable that is a single number. */
static bool is_measured(const cas_dataset *d, measured *m) {
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    int end = 0;
    *m = (measured){.name = d->name, .single = d->rank == 1};
    if (sscanf(d->name, kinds[k].values, m->observable, &end) < 1 || end == 0 || d->name[end] ||
        d->rank != kinds[k].rank || d->is_complex)
      continue;
    snprintf(m->paths, sizeof m->paths, kinds[k].paths, m->observable);
    snprintf(m->time, sizeof m->time, kinds[k].time, m->observable);
    return true;
  }
  return false;
}

static cas_status compare(const pairs *p, int i, int j, int key, cas_error *err) {
  const cas_comparison *c = p->comparison;
  CAS_OWNED_BY(cas_contents_free) cas_contents contents;
  measured m;
  cas_sensitivity s = {.key = c->key[key].name,
                       .from = cas_comparison_number(c, i, key),
                       .to = cas_comparison_number(c, j, key)};
  CAS_CALL(cas_contents_read(p->file[i], &contents, err));
  for (int k = 0; k < contents.n; k++)
    if (is_measured(&contents.dataset[k], &m))
      CAS_CALL(compare_observable(p, (const int[]){i, j}, &m, &s, err));
  return CAS_OK;
}

cas_status cas_sensitivity_visit(const char *const *file, int files, bool last,
                                 void (*visit)(void *context, const cas_sensitivity *s),
                                 void *context, cas_error *err) {
  CAS_OWNED_BY(cas_comparison_free) cas_comparison c;
  CAS_CALL(cas_comparison_read(file, files, &c, err));
  const pairs p = {file, &c, last, visit, context};
  for (int i = 0, key = 0; i < files; i++)
    for (int j = 0; j < files; j++)
      if (i != j && is_next(&p, i, j, &key))
        CAS_CALL(compare(&p, i, j, key, err));
  return CAS_OK;
}

/* ---- printing ---- */

typedef struct {
  FILE *f;
  cas_rows_format format;
  bool any;
} printer;

/* A standard error or the ends of an interval, or why there are none. */
static void print_errors(FILE *f, const cas_sensitivity *s, double change) {
  if (isnan(s->standard_error))
    fprintf(f, "           -");
  else
    fprintf(f, "  %10.2g", s->standard_error);
  fprintf(f, " %14.7g  ", s->difference / change);
  if (!isnan(s->low))
    fprintf(f, "[%.3g, %.3g]\n", s->low / change, s->high / change);
  else if (s->differing == 0)
    fprintf(f, "none: no value differs\n");
  else
    fprintf(f, "none: %lld of %lld values differ\n", (long long)s->differing, (long long)s->values);
}

static void print_row(void *context, const cas_sensitivity *s) {
  printer *w = context;
  const double change = s->to - s->from, derivative = s->difference / change;
  const bool csv = w->format == CAS_ROWS_CSV;
  if (!w->any)
    fputs(
        csv ? "key,from,to,observable,time,paths,difference,standard_error,derivative,"
              "derivative_standard_error,values,derivative_low,derivative_high,differing\n"
            : "\nDifferences of neighbouring runs, on the same paths, and by the difference of the "
              "keys\n  key                          from          to  observable              time"
              "       difference  std. error     derivative  95%\n",
        w->f);
  w->any = true;
  fprintf(w->f, csv ? "%s,%.17g,%.17g,%s,%.17g," : "  %-22s %10.6g  %10.6g  %-16s %11.6g  ", s->key,
          s->from, s->to, s->observable, s->time);
  if (csv) {
    fprintf(w->f, "%lld,%.17g,%.17g,%.17g,%.17g,%lld,%.17g,%.17g,%lld\n", (long long)s->paths,
            s->difference, s->standard_error, derivative, s->standard_error / change,
            (long long)s->values, s->low / change, s->high / change, (long long)s->differing);
    return;
  }
  fprintf(w->f, "%15.7g", s->difference);
  print_errors(w->f, s, change);
}

cas_status cas_sensitivity_print(FILE *f, cas_rows_format format, const char *const *file,
                                 int files, bool last, bool *any, cas_error *err) {
  printer w = {f, format, false};
  cas_status st = cas_sensitivity_visit(file, files, last, print_row, &w, err);
  *any = w.any;
  return st;
}
