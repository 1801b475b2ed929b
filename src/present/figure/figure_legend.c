/* Legends that keep to a width, which gnuplot's own keys do not: entries in rows, placed in inches of
   the figure. */
#include "present/figure/plot_impl.h"
#include <string.h>

#define SAMPLE 0.28     /* width of an entry's mark */
#define CHARACTER 0.077 /* about */
#define GAP 0.18

cas_legend cas_legend_of(int entries, int longest, const cas_frame *figure) {
  double entry = 1.25 * SAMPLE + longest * CHARACTER + GAP;
  int most = (int)(figure->figure_width / entry);
  cas_legend l = {.figure = *figure, .entry = entry};

  if (most < 1)
    most = 1;
  l.in_a_row = entries < most ? entries : most;
  l.rows = (entries + l.in_a_row - 1) / l.in_a_row;
  l.in_a_row = (entries + l.rows - 1) / l.rows;
  return l;
}

double cas_legend_height(const cas_legend *l) { return l->rows * CAS_LEGEND_LINE; }

/* Writes the text of the next entry; its sample goes from x to x + SAMPLE. */
static void next_entry(cas_figure *g, cas_legend *l, const char *title, double *x, double *y) {
  double width = l->in_a_row * l->entry - GAP;

  *x = (l->figure.figure_width - width) / 2 + l->entries % l->in_a_row * l->entry;
  *y = l->bottom + (l->rows - l->entries / l->in_a_row - 0.5) * CAS_LEGEND_LINE;
  l->entries++;
  fputs("set label '", g->script);
  cas_figure_text(g, title);
  fprintf(g->script, "' at screen %.5f,%.5f left\n", (*x + 1.25 * SAMPLE) / l->figure.figure_width,
          *y / l->figure.figure_height);
}

/* "from screen .. to screen .." around the middle of the sample. */
static void write_span(cas_figure *g, const cas_legend *l, double x, double y, double half) {
  double width = l->figure.figure_width, height = l->figure.figure_height;

  fprintf(g->script, " from screen %.5f,%.5f to screen %.5f,%.5f ", x / width, (y - half) / height,
          (x + SAMPLE) / width, (y + half) / height);
}

void cas_legend_area(cas_figure *g, cas_legend *l, const char *title, const char *colour) {
  double x, y;

  next_entry(g, l, title, &x, &y);
  fputs("set object rectangle", g->script);
  write_span(g, l, x, y, CAS_LEGEND_LINE / 4);
  fprintf(g->script, "fillstyle solid noborder fillcolor '%s'\n", colour);
}

void cas_legend_line(cas_figure *g, cas_legend *l, const char *title, const char *style) {
  double x, y;

  next_entry(g, l, title, &x, &y);
  fputs("set arrow", g->script);
  write_span(g, l, x, y, 0);
  fprintf(g->script, "nohead %s\n", style);
}

void cas_legend_point(cas_figure *g, cas_legend *l, const char *title, const char *style) {
  double x, y;

  next_entry(g, l, title, &x, &y);
  fprintf(g->script, "set label '' at screen %.5f,%.5f point %s\n",
          (x + SAMPLE / 2) / l->figure.figure_width, y / l->figure.figure_height, style);
}

void cas_legend_end(cas_figure *g) { fputs("unset label\nunset arrow\nunset object\n", g->script); }
