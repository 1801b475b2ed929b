/* Panels beside each other, as studies with levels have them. */
#include "present/figure/plot_impl.h"
#include <math.h>

/* inches */
#define WIDTH 3.3
#define HEIGHT 2.9
#define LEFT 1.08
#define BOTTOM 0.62
#define RIGHT 0.2
#define TOP 0.12
#define KEY_LINE 0.185

cas_frame cas_panels_begin(cas_figure *g, int panels, int key_lines) {
  cas_frame f = {.figure_width = panels * (LEFT + WIDTH + RIGHT),
                 .figure_height = BOTTOM + HEIGHT + TOP + key_lines * KEY_LINE,
                 .left = LEFT,
                 .bottom = BOTTOM,
                 .width = WIDTH,
                 .height = HEIGHT};

  cas_figure_size(g, f.figure_width, f.figure_height);
  fputs("set multiplot\n", g->script);
  return f;
}

void cas_panels_next(cas_figure *g, cas_frame *f) {
  cas_figure_frame(g, f);
  f->left += LEFT + WIDTH + RIGHT;
}

void cas_panels_end(cas_figure *g) { fputs("unset multiplot\n", g->script); }

/* ---- marks ---- */

enum { SHAPES = 5 };
/* gnuplot's filled circle, square, triangles and diamond, as large as shows whether they are filled */
static const struct {
  int shape;
  double size;
} marks[SHAPES] = {{7, 0.95}, {5, 0.62}, {9, 0.92}, {13, 0.6}, {11, 0.7}};

int cas_mark_shape(int i) { return marks[i % SHAPES].shape; }

double cas_mark_size(int i) { return marks[i % SHAPES].size; }

/* gnuplot leaves out error bars whose point is outside, and puts a dot into hollow marks on them. */
void cas_plot_bars(cas_figure *g, const char *data, int from, const char *colour) {
  fprintf(g->script, "%s using 1:%d:(0):($%d-$%d) with vectors nohead linewidth 1 linecolor '%s'",
          data, from, from + 1, from, colour);
}

void cas_plot_marks(cas_figure *g, const char *data, int y, int filled, int curve) {
  double size = cas_mark_size(curve);
  int shape = cas_mark_shape(curve);

  fprintf(g->script,
          "%s using 1:($%d==1?$%d:NaN) with points pointtype %d pointsize %g linecolor '%s'", data,
          filled, y, shape, size, cas_figure_colour(curve));
  for (int inner = 0; inner < 2; inner++)
    fprintf(
        g->script,
        ", \\\n     %s using 1:($%d==1?NaN:$%d) with points pointtype %d pointsize %g linecolor "
        "'%s'",
        data, filled, y, shape, inner ? 0.55 * size : size,
        inner ? "#ffffff" : cas_figure_colour(curve));
}

/* ---- axes ---- */

void cas_axis_steps(cas_figure *g, double fine, double coarse) {
  double margin = fmax(1.4, pow(coarse / fine, 0.16)); /* labels of the slopes fit in */

  fprintf(g->script,
          "unset label\nset logscale x 2\nset format x '2^{%%L}'\nunset mxtics\n"
          "set xrange [%.17g:%.17g]\n"
          "set key at graph 0,1.02 left bottom Left reverse\n",
          fine / margin, coarse * margin);
  cas_axis_label_x(g, "step size h", CAS_TIME_UNIT);
}
