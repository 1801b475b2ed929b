/* Invariants along a trajectory ([EJLL] figures 4, 6, 8, 10): departure of the Casimirs, and
   relative change of what should stay or change little. */
#include "kernels/kernels.h"
#include "present/pictures/observed/observed.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 6 /* drawn, so that lines can be told apart */ };

static int drawn_paths(const cas_series *s) {
  return s->paths < MOST_PATHS ? (int)s->paths : MOST_PATHS;
}

static bool has_numbers(const cas_series *s) {
  for (int64_t i = 0; i < s->records * s->paths; i++)
    if (isfinite(s->value[i]))
      return true;
  return false;
}

/* ---- panels ---- */

typedef struct {
  char name[CAS_OBSERVED_NAME], title[CAS_OBSERVED_NAME];
} quantity;

/* Those that are drawn where nothing was asked for. */
static const quantity quantities[] = {{"casimir_departure", "casimir departure"},
                                      {"enstrophy", "enstrophy"},
                                      {"hamiltonian", "energy H"}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities, CASIMIR = 0, MOST_PANELS = 6 };

/* (H - H_0) / |H_0|; or, with false, H - H_0 where some path begins with H = 0. */
static bool make_relative(cas_series *s) {
  bool relative = true;
  for (int64_t p = 0; p < s->paths; p++)
    relative &= s->value[p] != 0;
  for (int64_t p = 0; p < s->paths; p++) {
    double start = s->value[p], scale = relative ? fabs(start) : 1;
    for (int64_t i = 0; i < s->records; i++)
      s->value[i * s->paths + p] = (s->value[i * s->paths + p] - start) / scale;
  }
  return relative;
}

static bool make_magnitudes(cas_series *s) {
  for (int64_t i = 0; i < s->records * s->paths; i++)
    s->value[i] = fabs(s->value[i]);
  return true;
}

/* Whether momentum maps are recorded in the place of Casimirs. */
static bool has_momenta(const cas_source *s) {
  const char *name = s->results.provenance.system;
  const cas_system *system = name ? cas_system_find(name) : NULL;
  return system && system->momenta;
}

/* Panel i of n. */
static void write_panel(cas_figure *g, const cas_source *source, cas_series *s, const quantity *q,
                        int i, int n) {
  bool departure = strcmp(q->name, quantities[CASIMIR].name) == 0;
  bool relative = departure ? make_magnitudes(s) : make_relative(s);
  cas_figure_text_of(g, "quantity", i, n, CAS_FIGURE_AS_IT_IS,
                     departure && has_momenta(source) ? "momentum map departure" : q->title);
  cas_figure_count_of(g, "departure", i, n, departure);
  cas_figure_count_of(g, "relative", i, n, relative);
  cas_figure_text_of(g, "units", i, n, CAS_FIGURE_UNITS, s->units);
  cas_figure_real_of(g, "start", i, n, s->time[0]);
  cas_figure_real_of(g, "end", i, n, s->time[s->records - 1]);
  cas_figure_count_of(g, "records", i, n, s->records);
  for (int k = 0; k < drawn_paths(s); k++)
    cas_series_curve_write(g, cas_figure_name(g, "series_%d_%d", i + 1, k + 1), s, k, 0, q->name,
                           relative ? "1" : s->units);
}

/* How many paths there are, and the numbers of those that are drawn. */
static cas_status write_paths(cas_figure *g, const cas_source *source, const quantity *q,
                              cas_error *err) {
  cas_series s = {0};
  double *number = NULL;
  cas_status st = cas_series_open(source, q->name, 0, &s, err);
  if (!st && s.paths > 1 && cas_contents_find(&source->contents, "/trajectory/path"))
    st = cas_series_column_read(source, "/trajectory/path", s.paths, &number, err);
  if (!st) {
    cas_figure_count(g, "paths_recorded", s.paths);
    cas_figure_count(g, "paths", drawn_paths(&s));
  }
  for (int k = 0; !st && k < drawn_paths(&s); k++)
    cas_figure_count_of(g, "path", k, drawn_paths(&s), number ? (int64_t)number[k] : k);
  free(number);
  cas_series_free(&s);
  return st;
}

/* ---- the figure ---- */

/* What was asked for; 0 if the file has not all of it as single numbers. */
static int find_shown(const cas_source *s, quantity found[MOST_PANELS]) {
  const char *list = s->show;
  int n = 0;
  for (; n < MOST_PANELS && cas_observed_next(&list, found[n].name); n++) {
    if (!cas_series_find(s, found[n].name, 0))
      return 0;
    strcpy(found[n].title, found[n].name);
  }
  return n;
}

/* Finds the quantities that are drawn; returns how many. */
static int find(const cas_source *s, quantity found[MOST_PANELS]) {
  int n = 0;
  if (s->show)
    return find_shown(s, found);
  for (int i = 0; i < QUANTITIES; i++)
    if (cas_series_find(s, quantities[i].name, 0))
      found[n++] = quantities[i];
  return n;
}

static bool matches_conservation(const cas_source *s) {
  quantity found[MOST_PANELS];
  return find(s, found) > 0;
}

static cas_status draw_conservation(cas_figure *g, const cas_source *source, int n CAS_UNUSED,
                                    cas_error *err) {
  quantity found[MOST_PANELS];
  int panels = find(source, found);
  bool any = false;
  cas_status st = write_paths(g, source, &found[0], err);
  cas_figure_count(g, "panels", panels);
  for (int i = 0; i < panels && !st; i++) {
    cas_series s = {0};
    st = cas_series_read(source, found[i].name, 0, &s, err);
    if (!st) {
      any |= has_numbers(&s);
      write_panel(g, source, &s, &found[i], i, panels);
    }
    cas_series_free(&s);
  }
  return st || any ? st : cas_figure_nothing(source->file, "record of these invariants", err);
}

const cas_picture cas_picture_conservation = {
    .name = "conservation",
    .summary = "departure of the Casimirs, change of energy and enstrophy over time",
    .needs = "/trajectory/casimir_departure, hamiltonian or enstrophy, or the numbers of --show",
    .files = 1,
    .until = true,
    .show = true,
    .matches = matches_conservation,
    .draw = draw_conservation,
};
