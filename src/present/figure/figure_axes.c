/* Axes that more than one picture needs. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <string.h>

/* Multiples of powers of ten within the axis, as "2·10^{-3}": where an axis holds less than two
   powers of ten, they alone would not tell its scale. */
static void write_multiples(cas_figure *g, char axis, double low, double high) {
  static const int every[] = {1, 2, 3, 5, 7}, some[] = {1, 2, 5}, *multiple;
  int first = (int)floor(log10(low)), last = (int)ceil(log10(high)), n, written = 0;
  bool wide = log10(high / low) > 0.5;

  multiple = wide ? some : every;
  n = wide ? 3 : 5;
  fprintf(g->script, "set %ctics (", axis);
  for (int k = first; k <= last; k++)
    for (int i = 0; i < n; i++) {
      double value = multiple[i] * pow(10, k);

      if (value < low || value > high)
        continue;
      fprintf(g->script, "%s'", written++ ? ", " : "");
      if (multiple[i] > 1)
        fprintf(g->script, "%d\u00b7", multiple[i]);
      fprintf(g->script, "10^{%d}' %.17g", k, value);
    }
  /* narrower than any two multiples: its ends */
  if (written < 2)
    fprintf(g->script, "%s'%.3g' %.17g, '%.3g' %.17g", written ? ", " : "", low, low, high, high);
  fputs(")\n", g->script);
}

void cas_axis_log(cas_figure *g, char axis, double low, double high) {
  double decades = floor(log10(high) + 1e-9) - ceil(log10(low) - 1e-9);

  fprintf(g->script, "set logscale %c 10\nset %crange [%.17g:%.17g]\n", axis, axis, low, high);
  if (decades < 1) {
    fprintf(g->script, "set m%ctics default\n", axis);
    write_multiples(g, axis, low, high);
    return;
  }
  /* without a start gnuplot begins at whole multiples of the increment, such as 20 */
  fprintf(g->script, "set format %c '10^{%%T}'\nset m%ctics 10\nset %ctics %g,%g\n", axis, axis,
          axis, pow(10, ceil(log10(low) - 1e-9)), pow(10, fmax(1, ceil(decades / 8))));
}

void cas_axis_time(cas_figure *g, double first, double last) {
  fprintf(g->script, "unset logscale x\nset xtics autofreq\nset mxtics default\n"
                     "set format x '%%g'\n");
  cas_axis_label_x(g, "time t", CAS_TIME_UNIT);
  if (last > first)
    fprintf(g->script, "set xrange [%.17g:%.17g]\n", first, last);
  else
    fprintf(g->script, "set xrange [%.17g:%.17g]\n", first - 1, first + 1);
}

/* relative: the labels of an axis that resolves less would be all the same, or too long */
#define CONSTANT 1e-6

void cas_axis_linear_y(cas_figure *g, double low, double high) {
  double room, most;
  int digits = 6;

  if (!isfinite(low) || !isfinite(high))
    low = 0, high = 1;
  most = fmax(fabs(low), fabs(high));
  room = high - low > CONSTANT * most ? 0.05 * (high - low) : fmax(0.05 * most, 1e-3);
  if (high - low > CONSTANT * most && high - low < most)
    digits = (int)fmax(digits, 2 - floor(log10((high - low) / most)));
  fprintf(g->script,
          "unset logscale y\nset ytics autofreq\nset mytics default\nset format y '%%.%dh'\n"
          "set yrange [%.17g:%.17g]\n",
          digits, low - room, high + room);
}

/* "time_unit^-2" as "time unit^{-2}", factors apart by dots. */
static void put_units(cas_figure *g, const char *units) {
  while (*units) {
    size_t n = strcspn(units, "^ _");

    cas_figure_piece(g, units, n);
    units += n;
    if (*units == '^') {
      n = strspn(++units, "-+0123456789./");
      fprintf(g->script, "^{%.*s}", (int)n, units);
      units += n;
    } else if (*units)
      fputs(*units++ == ' ' ? " \u00b7 " : " ", g->script);
  }
}

static bool has_units(const char *units) { return units && units[0] && strcmp(units, "1") != 0; }

static void put_label(cas_figure *g, const char *text, bool below, const char *units) {
  fputc('\'', g->script);
  for (size_t n; *text; text += n + (text[n] == '_')) {
    n = strcspn(text, "_");
    cas_figure_piece(g, text, n);
    fputs(text[n] ? " " : "", g->script);
  }
  if (has_units(units)) {
    fputs(below ? "'.\"\\n\".'{/*0.85 [" : " [", g->script);
    put_units(g, units);
    fputs(below ? "]}" : "]", g->script);
  }
  fputc('\'', g->script);
}

void cas_axis_label_x(cas_figure *g, const char *text, const char *units) {
  fputs("set xlabel ", g->script);
  put_label(g, text, false, units);
  fputc('\n', g->script);
}

void cas_axis_label_y(cas_figure *g, const char *text, const char *units) {
  fputs("set ylabel ", g->script);
  put_label(g, text, true, units);
  fprintf(g->script, " offset character %g,0\n", has_units(units) ? -0.7 : 0.5);
}

void cas_figure_label(cas_figure *g, int tag, const char *text, const char *units,
                      const char *where) {
  fprintf(g->script, "set label %d ", tag);
  put_label(g, text, false, units);
  fprintf(g->script, " %s\n", where);
}
