/* Energy by degree l, or on the torus by wavenumber |n|, at a few times, from light to dark, with
   the slopes of two-dimensional turbulence. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

#define NAME "energy_spectrum"

enum { SNAPSHOTS = 5 };

typedef struct {
  cas_series series;
  bool torus;
  double *degree;       /* or wavenumber */
  cas_snapshots energy; /* [degree], mean over the paths */
} spectra;

static bool matches_spectrum(const cas_source *s) { return cas_series_find(s, NAME, 1) != NULL; }

/* ---- reading ---- */

/* [paths][n] to its mean over the paths that are finite there, in place; NaN where none is. */
static void average(double *value, int64_t paths, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    double sum = 0;
    int64_t found = 0;
    for (int64_t p = 0; p < paths; p++)
      if (isfinite(value[p * n + k])) {
        sum += value[p * n + k];
        found++;
      }
    value[k] = found ? sum / (double)found : NAN;
  }
}

static bool any_positive(const spectra *p) {
  for (int i = 0; i < p->energy.n; i++)
    for (int64_t k = 0; k < p->series.numbers; k++)
      if (p->energy.value[i][k] > 0 && isfinite(p->energy.value[i][k]))
        return true;
  return false;
}

static cas_status read_spectra(cas_figure *g, const cas_source *s, spectra *p, cas_error *err) {
  cas_status st = cas_series_open(s, NAME, 1, &p->series, err);
  p->torus = cas_contents_find(&s->contents, "/trajectory/wavenumber") != NULL;
  if (!st)
    st = cas_series_column_read(s, p->torus ? "/trajectory/wavenumber" : "/trajectory/degree",
                                p->series.numbers, &p->degree, err);
  if (st)
    return st;
  st = cas_snapshots_read(g, s, "/trajectory/" NAME, p->series.time, p->series.records, SNAPSHOTS,
                          &p->energy, err);
  for (int i = 0; i < p->energy.n && !st; i++)
    average(p->energy.value[i], p->series.paths, p->series.numbers);
  if (!st && !any_positive(p))
    st = cas_fail(err, CAS_BAD_INPUT, "%s: no energy of '/trajectory/" NAME "' is positive",
                  s->file);
  return st;
}

/* ---- what is drawn ---- */

static void write_all(cas_figure *g, const spectra *p) {
  cas_snapshots_write(g, "snapshots", &p->energy);
  cas_figure_count(g, "torus", p->torus);
  cas_figure_count(g, "degrees", p->series.numbers);
  cas_figure_real(g, "first", p->degree[0]);
  cas_figure_real(g, "last", p->degree[p->series.numbers - 1]);
  cas_figure_text(g, "units", CAS_FIGURE_UNITS, p->series.units);
  for (int i = 0; i < p->energy.n; i++) {
    CAS_FIGURE_DATA(g, cas_figure_name(g, "spectrum_%d", i + 1),
                    {p->torus ? "wavenumber" : "degree", "1"}, {"energy", p->series.units});
    for (int64_t k = 0; k < p->series.numbers; k++)
      CAS_FIGURE_ROW(g, p->degree[k], p->energy.value[i][k]);
    cas_figure_data_end(g);
  }
}

static cas_status draw_spectrum(cas_figure *g, const cas_source *s, int n CAS_UNUSED,
                                cas_error *err) {
  spectra p = {0};
  cas_status st = read_spectra(g, s, &p, err);
  if (!st) {
    write_all(g, &p);
    if (p.series.paths > 1)
      cas_figure_remark(g, "the mean over %lld paths is drawn", (long long)p.series.paths);
  }
  cas_snapshots_free(&p.energy);
  free(p.degree);
  cas_series_free(&p.series);
  return st;
}

const cas_picture cas_picture_spectrum = {
    .name = "spectrum",
    .summary = "energy by degree l or wavenumber |n| at a few times",
    .needs = "/trajectory/energy_spectrum over degree or wavenumber",
    .files = 1,
    .at = true,
    .until = true,
    .matches = matches_spectrum,
    .draw = draw_spectrum,
};
