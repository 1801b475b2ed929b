/* Invariants along a trajectory ([EJLL] figures 4, 6, 8, 10): departure of the Casimirs, and relative
   change of what should stay or change little. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

enum {
  MOST_PATHS = 6, /* drawn, so that lines can be told apart */
  BINS = 1000,    /* of a long trajectory; each shows its least and its greatest value */
  FEW = 60        /* records, so few that each is a mark of its own */
};

static int drawn_paths(const cas_series *s) {
  return s->paths < MOST_PATHS ? (int)s->paths : MOST_PATHS;
}

static double at(const cas_series *s, int64_t record, int path) {
  return s->value[record * s->paths + path];
}

/* A mark is smaller where there are more. */
static double mark_size(const cas_series *s) {
  return s->records <= FEW ? 0.6 : s->records <= 5 * FEW ? 0.35 : 0.2;
}

static bool has_numbers(const cas_series *s) {
  for (int64_t i = 0; i < s->records * s->paths; i++)
    if (isfinite(s->value[i]))
      return true;
  return false;
}

/* ---- blocks ---- */

/* The least and the greatest value of [first, next), in order of time. */
static void write_bin(cas_figure *g, const cas_series *s, int64_t first, int64_t next, int path) {
  int64_t low = first, high = first;

  for (int64_t i = first + 1; i < next; i++) {
    if (!(at(s, i, path) >= at(s, low, path)))
      low = i;
    if (!(at(s, i, path) <= at(s, high, path)))
      high = i;
  }
  if (low > high) {
    int64_t other = low;

    low = high, high = other;
  }
  CAS_ROW(g, s->time[low], at(s, low, path));
  if (low != high)
    CAS_ROW(g, s->time[high], at(s, high, path));
}

static int64_t bins_of(const cas_series *s) { return s->records > 2 * BINS ? BINS : s->records; }

static void write_path(cas_figure *g, const cas_series *s, int panel, int path, const char *name,
                       const char *units) {
  int64_t bins = bins_of(s);

  CAS_BLOCK(g, cas_name(g, "series_%d_%d", panel, path + 1), {"time", CAS_TIME_UNIT},
            {name, units});
  for (int64_t b = 0; b < bins; b++)
    write_bin(g, s, b * s->records / bins, (b + 1) * s->records / bins, path);
  cas_block_end(g);
}

/* The greatest value so far, once a bin, from the first above `lowest` on. */
static void write_maximum(cas_figure *g, const cas_series *s, int path, double lowest) {
  int64_t bins = bins_of(s), i = 0;
  double greatest = -INFINITY;

  CAS_BLOCK(g, cas_name(g, "maximum_%d", path + 1), {"time", CAS_TIME_UNIT}, {"greatest", "1"});
  for (int64_t b = 0; b < bins; b++) {
    for (; i < (b + 1) * s->records / bins; i++)
      greatest = fmax(greatest, at(s, i, path));
    if (isfinite(greatest) && greatest > lowest)
      CAS_ROW(g, s->time[i - 1], greatest);
  }
  cas_block_end(g);
}

/* ---- panels ---- */

typedef struct {
  const char *name, *title;
} quantity;

static const quantity quantities[] = {{"casimir_departure", "casimir departure"},
                                      {"enstrophy", "enstrophy"},
                                      {"hamiltonian", "energy H"}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities, CASIMIR = 0 };

/* What a panel says besides its series. */
typedef struct {
  bool relative, zeros;
  double low, high; /* of the vertical axis */
} axis;

/* Magnitudes on an axis of whole decades; departures of exactly zero, common where a scheme keeps a
   Casimir to rounding, go to its lower edge. */
static axis departures(cas_series *s) {
  int64_t n = s->records * s->paths, zeros = 0;
  cas_range r = CAS_RANGE_EMPTY;
  axis a = {.relative = true};

  for (int64_t i = 0; i < n; i++)
    cas_range_include(&r, s->value[i] = fabs(s->value[i]));
  if (r.low > r.high)
    r = (cas_range){1e-16, 1e-16}; /* all zero, or nothing finite */
  a.low = pow(10, floor(log10(r.low / 1.5)));
  a.high = pow(10, ceil(log10(r.high * 1.5)));
  for (int64_t i = 0; i < n; i++)
    if (s->value[i] == 0) {
      s->value[i] = a.low;
      zeros += i >= s->paths; /* the first record is zero by definition */
    }
  a.zeros = zeros > 0;
  return a;
}

/* (H - H_0) / |H_0|, or H - H_0 where some path begins with H = 0. */
static axis changes(cas_series *s) {
  axis a = {.relative = true};

  for (int64_t p = 0; p < s->paths; p++)
    a.relative &= s->value[p] != 0;
  for (int64_t p = 0; p < s->paths; p++) {
    double start = s->value[p], scale = a.relative ? fabs(start) : 1;

    for (int64_t i = 0; i < s->records; i++) {
      double *y = &s->value[i * s->paths + p];

      *y = (*y - start) / scale;
      if (isfinite(*y) && p < MOST_PATHS) {
        a.low = fmin(a.low, *y);
        a.high = fmax(a.high, *y);
      }
    }
  }
  return a;
}

/* Panel i of n. */
static void write_panel(cas_figure *g, cas_series *s, const quantity *q, int i, int n) {
  axis a = q == &quantities[CASIMIR] ? departures(s) : changes(s);

  cas_text_of(g, "quantity", i, n, CAS_AS_IT_IS, q->title);
  cas_count_of(g, "relative", i, n, a.relative);
  cas_text_of(g, "units", i, n, CAS_UNITS, s->units);
  cas_real_of(g, "from", i, n, a.low);
  cas_real_of(g, "to", i, n, a.high);
  cas_real_of(g, "start", i, n, s->time[0]);
  cas_real_of(g, "end", i, n, s->time[s->records - 1]);
  cas_count_of(g, "few", i, n, s->records <= FEW);
  cas_real_of(g, "mark_size", i, n, mark_size(s));
  cas_count_of(g, "zeros", i, n, a.zeros);
  for (int k = 0; k < drawn_paths(s); k++)
    write_path(g, s, i + 1, k, q->name, a.relative ? "1" : s->units);
  for (int k = 0; q == &quantities[CASIMIR] && k < drawn_paths(s); k++)
    write_maximum(g, s, k, a.low);
}

/* How many paths there are, and the numbers of those that are drawn. */
static cas_status write_paths(cas_figure *g, const cas_source *source, const quantity *q,
                              cas_error *err) {
  cas_series s = {0};
  double *number = NULL;
  cas_status st = cas_series_open(source, q->name, 0, &s, err);

  if (!st && s.paths > 1 && cas_contents_find(&source->contents, "/trajectory/path"))
    st = cas_column_read(source, "/trajectory/path", s.paths, &number, err);
  if (!st) {
    cas_count(g, "paths_recorded", s.paths);
    cas_count(g, "paths", drawn_paths(&s));
  }
  for (int k = 0; !st && k < drawn_paths(&s); k++)
    cas_count_of(g, "path", k, drawn_paths(&s), number ? (int64_t)number[k] : k);
  free(number);
  cas_series_free(&s);
  return st;
}

/* ---- the figure ---- */

/* Those that the file has; returns how many. */
static int find(const cas_source *s, const quantity *found[QUANTITIES]) {
  int n = 0;

  for (int i = 0; i < QUANTITIES; i++)
    if (cas_series_find(s, quantities[i].name, 0))
      found[n++] = &quantities[i];
  return n;
}

static bool matches(const cas_source *s) { return find(s, (const quantity *[QUANTITIES]){0}) > 0; }

static cas_status draw(cas_figure *g, const cas_source *source, int n, cas_error *err) {
  const quantity *found[QUANTITIES];
  int panels = find(source, found);
  bool any = false;
  cas_status st = write_paths(g, source, found[0], err);

  (void)n;
  cas_count(g, "panels", panels);
  for (int i = 0; i < panels && !st; i++) {
    cas_series s = {0};

    st = cas_series_read(source, found[i]->name, 0, &s, err);
    if (!st) {
      any |= has_numbers(&s);
      write_panel(g, &s, found[i], i, panels);
    }
    cas_series_free(&s);
  }
  return st || any ? st : cas_figure_nothing(source->file, "record of these invariants", err);
}

const cas_picture cas_picture_conservation = {
    .name = "conservation",
    .summary = "departure of the Casimirs, change of energy and enstrophy over time",
    .needs = "/trajectory/casimir_departure, hamiltonian or enstrophy",
    .files = 1,
    .until = true,
    .matches = matches,
    .draw = draw,
};
