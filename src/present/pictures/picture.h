/* Pictures: each chooses and computes what is drawn in one file, has one line in pictures.def, and
   a template of its name that draws it. */
#ifndef CAS_PICTURE_H
#define CAS_PICTURE_H

#include "present/figure/figure.h"
#include <casimir/config.h>

/* One results file, or one of JSON that measurements of scaling have written. */
typedef struct {
  const char *file;   /* borrowed */
  cas_config *values; /* of JSON; NULL: it is a results file */
  cas_results results;
  cas_contents contents;
  double until;      /* see cas_plot_request */
  const char *map;   /* likewise */
  const char *show;  /* likewise */
  const char *label; /* borrowed; NULL: the name of the file */
} cas_source;

/** What a film is made of. */
typedef struct {
  int64_t records;
  double *time;             /* [records] of the frames; owned */
  double tail;              /* of paths, in time */
  double greatest;          /* |value| of all maps */
  double greatest_variance; /* of all of those of variances */
  bool has_view;            /* one for all frames, unless another was asked for: */
  double view[2];
} cas_film_plan;

typedef struct {
  const char *name, *summary;
  const char *template;   /* NULL: it has the picture's name */
  const char *needs;      /* what a file must hold, to complete "it needs .." */
  int least, files;       /* at least and at most so many are drawn together; least 0 is 1 */
  bool at, until;         /* whether times can be chosen, and an end; see cas_plot_request */
  bool map;               /* whether another observable than the vorticity can be shown */
  bool show;              /* whether observables can be chosen */
  bool contours, section; /* whether it has those; see cas_plot_request */
  bool labels;            /* whether its legend has the names of files */
  bool view;              /* whether a sphere can be seen from where one wants */
  bool plain;             /* spheres and maps, of which all is shown: ranges of axes are refused */
  bool (*matches)(const cas_source *s);
  /* n sources, least <= n <= files, that all match */
  cas_status (*draw)(cas_figure *g, const cas_source *s, int n, cas_error *err);
  /* Frames of a film, which are drawn with the request's `frame`: at one time each, or, of a
     picture without `at`, until then. NULL: there is no film of this picture. */
  cas_status (*film)(const cas_source *s, cas_film_plan *plan, cas_error *err);
} cas_picture;

/** Caller closes, also after a failure. */
cas_status cas_source_open(const char *file, double until, const char *map, cas_source *s,
                           cas_error *err) CAS_MUST_CHECK;
void cas_source_close(cas_source *s);
/** The picture of this name, which must fit, or for NULL the first that fits. film: of those that
    films can be made of. */
cas_status cas_picture_find(const cas_source *s, int n, const char *name, bool film,
                            const cas_picture **picture, cas_error *err) CAS_MUST_CHECK;
cas_status cas_picture_draw(const cas_plot_request *q, const cas_picture *picture,
                            const cas_source *s, const char *output, cas_error *err) CAS_MUST_CHECK;

#define CAS_PICTURE(name) extern const cas_picture cas_picture_##name;
#include "present/pictures/pictures.def"
#undef CAS_PICTURE

enum { CAS_SOURCE_NAME = 44 };
/** Its label, or the file's name without directory and extension; of long ones the first 40 bytes
    or fewer, so that it fits into a legend. */
void cas_source_name(const cas_source *s, char text[CAS_SOURCE_NAME]);

/* ---- errors and laws (laws.c) ---- */

/** The unit that all share, "each_in_its_own_unit" where they differ: adds the next one to what was
    found so far, NULL at first. */
const char *cas_picture_unit_join(const char *found, const char *unit);
/** The square of a unit. */
void cas_picture_unit_square(const char *unit, char text[100]);
/** Element i of n of a value and its interval, as NAME, NAME_low and NAME_high. */
void cas_picture_interval_of(cas_figure *g, const char *name, int i, int n, double value,
                             double low, double high);

/** Refuses studies whose errors are other numbers: of another system, horizon or reference step
    than those of the first. */
cas_status cas_sources_compare(const cas_source *s, int n, cas_error *err) CAS_MUST_CHECK;

/** What a law gives at a step for what is drawn. */
typedef double (*cas_law_at)(const cas_law *law, double step, double reference);
/** Whether a law was fitted that was not rejected: that of the headline, which is drawn even where
    the interval of its order lacks an end. */
bool cas_laws_drawn(const cas_laws *laws);
/** The block of this law and of its leading term over the steps that it describes: h, law, leading;
    no block where there is no law. */
void cas_law_draw(cas_figure *g, const char *name, const cas_laws *laws, const double *step,
                  cas_law_at at, double reference, const char *unit);

/* ---- numbers over time (series.c) ---- */

/** /trajectory/NAME as [records][paths][numbers], up to the time that was asked for. */
typedef struct {
  int64_t records, paths;
  int rank; /* axes of what is recorded: 0 is a number, 2 a map */
  int64_t dims[2];
  int64_t numbers; /* the product of dims */
  double *time, *value;
  const char *units; /* borrowed from the source; NULL: none known */
} cas_series;

/** The dataset /trajectory/NAME if the file has it as a real series with `axes` axes besides time
   and paths; otherwise NULL. */
const cas_dataset *cas_series_find(const cas_source *s, const char *name, int axes);
/** Reads one that cas_series_find has found. Caller frees by cas_series_free, also after a failure.
 */
cas_status cas_series_read(const cas_source *s, const char *name, int axes, cas_series *out,
                           cas_error *err) CAS_MUST_CHECK;
/** Reads its shape and times, and no values. */
cas_status cas_series_open(const cas_source *s, const char *name, int axes, cas_series *out,
                           cas_error *err) CAS_MUST_CHECK;
void cas_series_free(cas_series *s);
/** A real dataset with one axis of n values. Caller frees *value. */
cas_status cas_series_column_read(const cas_source *s, const char *name, int64_t n, double **value,
                                  cas_error *err) CAS_MUST_CHECK;

/** Writes a block NAME (time, value) of one number of a path: all records, or of very many the
    least and the greatest in each of a thousand intervals of time, so that no peak is lost. */
void cas_series_curve_write(cas_figure *g, const char *name, const cas_series *s, int64_t path,
                            int64_t number, const char *heading, const char *units);

/** The index of the number nearest to `wanted`. */
int64_t cas_series_nearest(const double *x, int64_t n, double wanted);

/** Records of a dataset that show its development: the first, the last, and between them T/4, T/16,
    ..; or those nearest to the times that were asked for. */
typedef struct {
  int n; /* at most CAS_PLOT_MOST_TIMES, ascending */
  int64_t record[CAS_PLOT_MOST_TIMES];
  double time[CAS_PLOT_MOST_TIMES];
  double *value[CAS_PLOT_MOST_TIMES]; /* [n] all that the dataset has at this time */
} cas_snapshots;

/** Chooses from `records` times, up to `wanted` where none were asked for, and remarks where those
    that were are others. Caller frees by cas_snapshots_free, also after a failure. */
cas_status cas_snapshots_read(const cas_figure *g, const cas_source *s, const char *dataset,
                              const double *time, int64_t records, int wanted, cas_snapshots *out,
                              cas_error *err) CAS_MUST_CHECK;
/** The same records of another dataset. */
cas_status cas_snapshots_also(const cas_source *s, const char *dataset, const cas_snapshots *of,
                              cas_snapshots *out, cas_error *err) CAS_MUST_CHECK;
void cas_snapshots_free(cas_snapshots *p);
/** The values NAME (how many) and when[i] (time). */
void cas_snapshots_write(cas_figure *g, const char *name, const cas_snapshots *p);

#endif
