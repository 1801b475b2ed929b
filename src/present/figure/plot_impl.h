/* Pictures: each is one file and one line in pictures.def; all draw by writing a gnuplot script. */
#ifndef CAS_PLOT_IMPL_H
#define CAS_PLOT_IMPL_H

#include "present/figure/plot.h"
#include <casimir/config.h>

/* One figure in the making. A picture first calls cas_figure_size, then writes commands to
 * `script`. */
typedef struct {
  FILE *script, *remarks;   /* remarks: NULL, nowhere */
  const char *output;       /* borrowed */
  char *target, *temporary; /* what the output leads to, and beside it what is renamed over that, */
  bool written;             /* once there is something */
  int format;
  const double *at; /* [times] borrowed; see cas_plot_request */
  int times;
} cas_figure;

/* One results file, or one of JSON that measurements of scaling have written. */
typedef struct {
  const char *file;   /* borrowed */
  cas_config *values; /* of JSON; NULL: it is a results file */
  cas_results results;
  cas_contents contents;
  double until; /* see cas_plot_request */
} cas_source;

typedef struct {
  const char *name, *summary;
  const char *needs; /* what a file must hold, to complete "it needs .." */
  int least, files;  /* at least and at most so many are drawn together; least 0 is 1 */
  bool at, until;    /* whether times can be chosen, and an end; see cas_plot_request */
  bool (*matches)(const cas_source *s);
  /* n sources, least <= n <= files, that all match */
  cas_status (*draw)(cas_figure *g, const cas_source *s, int n, cas_error *err);
} cas_picture;

#define CAS_PICTURE(name) extern const cas_picture cas_picture_##name;
#include "present/pictures/pictures.def"
#undef CAS_PICTURE

/* ---- figures (figure.c) ---- */

/** Refuses an extension that is no format and an output that cannot be written. */
cas_status cas_figure_begin(cas_figure *g, const char *output, cas_error *err) CAS_MUST_CHECK;
/** Inches; sets terminal, output and what all pictures share (fonts, borders). */
void cas_figure_size(cas_figure *g, double width, double height);
/** Runs gnuplot on the script and moves the figure to its place. */
cas_status cas_figure_draw(cas_figure *g, cas_error *err) CAS_MUST_CHECK;
/** Frees, and removes what was not finished. */
void cas_figure_end(cas_figure *g);

/** The plot area of the next plot, in inches from the lower left corner of a figure of this size.
 */
typedef struct {
  double figure_width, figure_height;
  double left, bottom, width, height;
} cas_frame;
void cas_figure_frame(cas_figure *g, const cas_frame *f);
/** Text within single quotes of gnuplot (figure_text.c), whatever is in it: it neither ends the string
    nor is it markup or run; control characters are shown as escapes. All that comes from names of
    files and from what files hold goes this way. */
void cas_figure_text(cas_figure *g, const char *text);
/** The same for its first `size` bytes, behind which a character must end. */
void cas_figure_piece(cas_figure *g, const char *text, size_t size);
/** Fails with "<file>: no <numbers> is a number: nothing is there to draw". */
cas_status cas_figure_nothing(const char *file, const char *numbers, cas_error *err);
/** A line on what the figure leaves out. */
void cas_figure_remark(const cas_figure *g, const char *format, ...) CAS_PRINTF(2, 3);

/* Colours of Okabe and Ito, which the colour-blind tell apart too, black last; lines cycle through
   them. */
enum { CAS_COLOURS = 7 };
const char *cas_figure_colour(int i);
/** The same mixed with white: `share` of it is left. Ends up in text. */
void cas_figure_tint(const char *colour, double share, char text[8]);

/* ---- axes (figure_axes.c) ---- */

/** A logarithmic axis ('x' or 'y') from low to high, both > 0: powers of ten where it holds at
   least two of them, otherwise also their multiples. */
void cas_axis_log(cas_figure *g, char axis, double low, double high);
#define CAS_TIME_UNIT "time_unit" /* of times and step sizes in all files */

/** The time axis from first to last, labelled. */
void cas_axis_time(cas_figure *g, double first, double last);
/** The y axis from low to high with some room, whatever the two are. */
void cas_axis_linear_y(cas_figure *g, double low, double high);

/** Units are in brackets, below or behind the text, unless they are "1" or NULL. Underscores are
   spaces. */
void cas_axis_label_x(cas_figure *g, const char *text, const char *units);
void cas_axis_label_y(cas_figure *g, const char *text, const char *units);
/** `where`: gnuplot's place and alignment. */
void cas_figure_label(cas_figure *g, int tag, const char *text, const char *units,
                      const char *where);

/* ---- panels (figure_panels.c) ---- */

/** Sizes the figure for equal panels beside each other, below keys of so many lines. */
cas_frame cas_panels_begin(cas_figure *g, int panels, int key_lines);
/** The next plot is the next panel. */
void cas_panels_next(cas_figure *g, cas_frame *f);
void cas_panels_end(cas_figure *g);
/** The x axis of step sizes, in powers of two, and a key above the panel; removes labels. */
void cas_axis_steps(cas_figure *g, double fine, double coarse);

/** The shape of curve i's marks, filled (less 1: hollow), and their size: curves that coincide are
   all seen. */
int cas_mark_shape(int i);
double cas_mark_size(int i);
/** Part of a plot command: bars at column 1 from column `from` to the next, within the axis. */
void cas_plot_bars(cas_figure *g, const char *data, int from, const char *colour);
/** Part of a plot command: marks at column 1 and `y`, filled where column `filled` is 1. */
void cas_plot_marks(cas_figure *g, const char *data, int y, int filled, int curve);

/* ---- legends (figure_legend.c) ---- */

#define CAS_LEGEND_LINE 0.22 /* inches */

/** Rows of entries, each a mark and its meaning, across the figure. */
typedef struct {
  cas_frame figure; /* its size alone; set when it is known, before the first entry */
  double bottom;    /* inches from the lower edge; set before the first entry */
  double entry;
  int in_a_row, rows, entries; /* entries: so far */
} cas_legend;

/** For so many entries, the longest of so many characters, in a figure as wide as this. */
cas_legend cas_legend_of(int entries, int longest, const cas_frame *figure);
/** Inches. */
double cas_legend_height(const cas_legend *l);
/** Entries are set for the plots that follow, until cas_legend_end. */
void cas_legend_area(cas_figure *g, cas_legend *l, const char *title, const char *colour);
void cas_legend_line(cas_figure *g, cas_legend *l, const char *title, const char *style);
void cas_legend_point(cas_figure *g, cas_legend *l, const char *title, const char *style);
void cas_legend_end(cas_figure *g);

/* ---- numbers over time (plot_series.c) ---- */

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
/** Reads one record, [paths][numbers], of an opened series. Caller frees *value. */
cas_status cas_series_record(const cas_source *s, const char *name, int64_t record, double **value,
                             cas_error *err) CAS_MUST_CHECK;
void cas_series_free(cas_series *s);
/** A real dataset with one axis of n values. Caller frees *value. */
cas_status cas_column_read(const cas_source *s, const char *name, int64_t n, double **value,
                           cas_error *err) CAS_MUST_CHECK;

/** Which records show a development: the first, the last, and between them T/4, T/16, ..; or those
   nearest to the times that were asked for, with a remark where those are others. Returns how many, ascending, at most `wanted` or
   g->times. */
int cas_snapshots(const cas_figure *g, const double *time, int64_t records, int wanted,
                  int64_t record[CAS_PLOT_MOST_TIMES]);

#endif
