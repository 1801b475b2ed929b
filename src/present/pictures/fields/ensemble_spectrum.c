/* Spectra of energy and enstrophy over an ensemble at a few times: means with two standard errors,
   and bands between the outermost quantiles. */
#include "present/pictures/picture.h"
#include <math.h>
#include <stdlib.h>

#define GROUP "/ensemble"
#define TIME GROUP "/time"

enum { SNAPSHOTS = 3, SPECTRA = 2 };

static const char *const spectra[SPECTRA] = {"energy_spectrum", "enstrophy_spectrum"};

/* One spectrum at the times that are shown. */
typedef struct {
  const char *name, *units;
  int64_t degrees;
  cas_snapshots mean, standard_error; /* [degrees] */
  cas_snapshots quantile;             /* [degrees][probabilities]; n = 0: there are none */
} statistics;

/* What spectra of one file share. */
typedef struct {
  bool torus;
  int64_t records, degrees, probabilities;
  double *time, *degree, *probability;
  int low, high; /* quantiles at the edges of the band; -1: there are none */
} frame;

static const cas_dataset *find(const cas_source *s, const char *spectrum, const char *statistic) {
  const cas_dataset *d, *time = cas_contents_find(&s->contents, TIME);
  char name[200];
  snprintf(name, sizeof name, GROUP "/%s/%s", spectrum, statistic);
  d = cas_contents_find(&s->contents, name);
  return d && time && !d->is_complex && d->rank >= 2 && time->rank == 1 && d->dims[0] > 0 &&
                 d->dims[1] > 0 && d->dims[0] == time->dims[0]
             ? d
             : NULL;
}

static bool has(const cas_source *s, const char *spectrum) {
  const cas_dataset *mean = find(s, spectrum, "mean");
  return mean && mean->rank == 2 && find(s, spectrum, "standard_error");
}

static bool matches_ensemble_spectrum(const cas_source *s) {
  return has(s, spectra[0]) || has(s, spectra[1]);
}

/* ---- reading ---- */

/* The outermost two probabilities that add to 1. */
static void choose_band(frame *f) {
  f->low = f->high = -1;
  for (int i = 0; i < f->probabilities; i++)
    for (int j = i + 1; j < f->probabilities; j++)
      if (fabs(f->probability[i] + f->probability[j] - 1) < 1e-9 &&
          (f->low < 0 || f->probability[i] < f->probability[f->low]))
        f->low = i, f->high = j;
}

static cas_status read_frame(const cas_source *s, const char *spectrum, frame *f, cas_error *err) {
  const cas_dataset *mean = find(s, spectrum, "mean"),
                    *probability = cas_contents_find(&s->contents, GROUP "/probability");
  f->records = mean->dims[0];
  f->degrees = mean->dims[1];
  f->torus = cas_contents_find(&s->contents, GROUP "/wavenumber") != NULL;
  f->low = f->high = -1;
  CAS_CALL(cas_series_column_read(s, TIME, f->records, &f->time, err));
  CAS_CALL(cas_series_column_read(s, f->torus ? GROUP "/wavenumber" : GROUP "/degree", f->degrees,
                                  &f->degree, err));
  if (!probability || probability->rank != 1 || probability->is_complex)
    return CAS_OK;
  f->probabilities = probability->dims[0];
  CAS_CALL(cas_series_column_read(s, GROUP "/probability", f->probabilities, &f->probability, err));
  choose_band(f);
  return CAS_OK;
}

static cas_status also(const cas_source *s, const char *spectrum, const char *statistic,
                       const cas_snapshots *of, cas_snapshots *out, cas_error *err) {
  char name[200];
  snprintf(name, sizeof name, GROUP "/%s/%s", spectrum, statistic);
  return cas_snapshots_also(s, name, of, out, err);
}

static cas_status read_statistics(const cas_figure *g, const cas_source *s, const frame *f,
                                  const cas_snapshots *first, statistics *t, cas_error *err) {
  const cas_dataset *quantile = find(s, t->name, "quantile");
  char name[200];
  snprintf(name, sizeof name, GROUP "/%s/mean", t->name);
  t->units = find(s, t->name, "mean")->units;
  CAS_CALL(first ? cas_snapshots_also(s, name, first, &t->mean, err)
                 : cas_snapshots_read(g, s, name, f->time, f->records, SNAPSHOTS, &t->mean, err));
  CAS_CALL(also(s, t->name, "standard_error", &t->mean, &t->standard_error, err));
  if (f->low >= 0 && quantile && quantile->rank == 3 && quantile->dims[2] == f->probabilities)
    return also(s, t->name, "quantile", &t->mean, &t->quantile, err);
  return CAS_OK;
}

/* ---- what is drawn ---- */

/* Spectrum k at time i; true if a mean is positive. */
static bool write_spectrum(cas_figure *g, const frame *f, const statistics *t, int k, int i) {
  const double *mean = t->mean.value[i], *error = t->standard_error.value[i],
               *quantile = t->quantile.n ? t->quantile.value[i] : NULL;
  bool any = false;
  CAS_FIGURE_DATA(g, cas_figure_name(g, "spectrum_%d_%d", k + 1, i + 1),
                  {f->torus ? "wavenumber" : "degree", "1"}, {"mean", t->units},
                  {"two_standard_errors", t->units}, {"low", t->units}, {"high", t->units});
  for (int64_t l = 0; l < f->degrees; l++) {
    const double *q = quantile ? quantile + l * f->probabilities : NULL;
    CAS_FIGURE_ROW(g, f->degree[l], mean[l], 2 * error[l], q ? q[f->low] : mean[l] - 2 * error[l],
                   q ? q[f->high] : mean[l] + 2 * error[l]);
    any |= mean[l] > 0 && isfinite(mean[l]);
  }
  cas_figure_data_end(g);
  return any;
}

static void write_values(cas_figure *g, const frame *f, const statistics *t, int n) {
  cas_snapshots_write(g, "snapshots", &t[0].mean);
  cas_figure_count(g, "panels", n);
  cas_figure_count(g, "torus", f->torus);
  cas_figure_count(g, "degrees", f->degrees);
  cas_figure_real(g, "first", f->degree[0]);
  cas_figure_real(g, "last", f->degree[f->degrees - 1]);
  cas_figure_real(g, "band_low", t[0].quantile.n ? f->probability[f->low] : NAN);
  cas_figure_real(g, "band_high", t[0].quantile.n ? f->probability[f->high] : NAN);
}

static void free_statistics(statistics *t) {
  cas_snapshots_free(&t->mean);
  cas_snapshots_free(&t->standard_error);
  cas_snapshots_free(&t->quantile);
}

static cas_status draw_all(cas_figure *g, const cas_source *s, frame *f, statistics *t, int n,
                           cas_error *err) {
  bool any = false;
  CAS_CALL(read_frame(s, t[0].name, f, err));
  for (int k = 0; k < n; k++)
    CAS_CALL(read_statistics(g, s, f, k ? &t[0].mean : NULL, &t[k], err));
  write_values(g, f, t, n);
  for (int k = 0; k < n; k++) {
    cas_figure_text_of(g, "quantity", k, n, CAS_FIGURE_WORDS, t[k].name);
    cas_figure_text_of(g, "units", k, n, CAS_FIGURE_UNITS, t[k].units);
    for (int i = 0; i < t[k].mean.n; i++)
      any |= write_spectrum(g, f, &t[k], k, i);
  }
  return any ? CAS_OK
             : cas_fail(err, CAS_BAD_INPUT, "%s: no mean of a spectrum is positive", s->file);
}

static cas_status draw_ensemble_spectrum(cas_figure *g, const cas_source *s, int files CAS_UNUSED,
                                         cas_error *err) {
  statistics t[SPECTRA] = {0};
  frame f = {0};
  int n = 0;
  for (int i = 0; i < SPECTRA; i++)
    if (has(s, spectra[i]))
      t[n++].name = spectra[i];
  cas_status st = draw_all(g, s, &f, t, n, err);
  for (int k = 0; k < n; k++)
    free_statistics(&t[k]);
  free(f.time);
  free(f.degree);
  free(f.probability);
  return st;
}

const cas_picture cas_picture_ensemble_spectrum = {
    .name = "ensemble_spectrum",
    .summary = "energy and enstrophy by degree over an ensemble, with bands, at a few times",
    .needs = "mean and standard error of /ensemble/energy_spectrum or enstrophy_spectrum",
    .files = 1,
    .at = true,
    .matches = matches_ensemble_spectrum,
    .draw = draw_ensemble_spectrum,
};
