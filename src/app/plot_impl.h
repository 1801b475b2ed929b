/* Pictures: each is one entry of the table in plot.c; all draw by writing a gnuplot script. */
#ifndef CAS_PLOT_IMPL_H
#define CAS_PLOT_IMPL_H

#include "plot.h"

/* One figure in the making. A picture first calls cas_figure_size, then writes commands to
 * `script`. */
typedef struct {
  FILE *script;
  const char *output; /* borrowed */
  char *temporary;
  int format;
} cas_figure;

typedef struct {
  bool (*matches)(const cas_results *r);
  cas_status (*draw)(cas_figure *g, const cas_results *r, const char *file, cas_error *err);
} cas_picture;

extern const cas_picture cas_picture_convergence, cas_picture_trajectory;

/* ---- figures (figure.c) ---- */

/** Refuses an extension that is no format and an output that cannot be written. */
cas_status cas_figure_begin(cas_figure *g, const char *output, cas_error *err) CAS_MUST_CHECK;
/** Inches; sets terminal, output and what all pictures share (fonts, borders, colours cas_line 1
 * ..). */
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
/** Text within single quotes of gnuplot, its markup escaped. */
void cas_figure_text(cas_figure *g, const char *text);

/* Colours of Okabe and Ito, which the colour-blind tell apart too; lines cycle through them. */
enum { CAS_COLOURS = 7 };
const char *cas_figure_colour(int i);

#endif
