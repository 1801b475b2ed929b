/* Weak errors of one functional by several studies, and how far they are apart. */
#include "present/figure/plot_impl.h"
#include <math.h>
#include <string.h>

#define MOST_FILES 5
#define AGREEMENT 3 /* joint standard errors */
#define SHIFT 0.14  /* of a halving, between the bars of two studies at one step */

static bool is_weak(const cas_curve *c) { return c->kind == CAS_WEAK; }

static bool matches(const cas_source *s) {
  for (int i = 0; i < s->results.curves; i++)
    if (is_weak(&s->results.curve[i]))
      return true;
  return false;
}

/* ---- what is compared ---- */

typedef struct {
  const cas_source *source;
  const cas_curve *curve;
} study;

static const cas_curve *weak_curve(const cas_results *r, const char *name) {
  for (int i = 0; i < r->curves; i++)
    if (is_weak(&r->curve[i]) && strcmp(r->curve[i].name, name) == 0)
      return &r->curve[i];
  return NULL;
}

/* The first functional of the first study that all have. */
static cas_status find_curves(const cas_source *s, int n, study *of, cas_error *err) {
  const cas_results *first = &s[0].results;
  int found = 0;

  for (int i = 0; i < first->curves && found < n; i++) {
    if (!is_weak(&first->curve[i]))
      continue;
    for (found = 0; found < n; found++) {
      of[found] = (study){&s[found], weak_curve(&s[found].results, first->curve[i].name)};
      if (!of[found].curve)
        break;
    }
  }
  if (found < n)
    return cas_fail(err, CAS_BAD_INPUT, "%s: has no weak error of a functional that all files have",
                    s[found].file);
  return CAS_OK;
}

static double horizon(const cas_results *r) {
  return r->step[r->levels] * (double)r->steps[r->levels];
}

static bool differ(double a, double b) { return !(fabs(a - b) <= 1e-12 * fabs(a)); }

/* Errors against another reference, or of another problem, are other numbers. */
static cas_status check_same(const study *of, int n, cas_error *err) {
  const cas_results *a = &of[0].source->results;

  for (int i = 1; i < n; i++) {
    const cas_results *b = &of[i].source->results;

    if (strcmp(a->provenance.system, b->provenance.system) != 0)
      return cas_fail(err, CAS_BAD_INPUT, "%s is of the system %s and %s of %s: not to be compared",
                      of[0].source->file, a->provenance.system, of[i].source->file,
                      b->provenance.system);
    if (differ(horizon(a), horizon(b)))
      return cas_fail(err, CAS_BAD_INPUT, "%s ends at time %g and %s at %g: not to be compared",
                      of[0].source->file, horizon(a), of[i].source->file, horizon(b));
    if (differ(a->step[a->levels], b->step[b->levels]))
      return cas_fail(
          err, CAS_BAD_INPUT,
          "%s has errors against a reference step of %g and %s of %g: not to be compared",
          of[0].source->file, a->step[a->levels], of[i].source->file, b->step[b->levels]);
  }
  return CAS_OK;
}

static int level_of(const cas_results *r, double step) {
  for (int j = 0; j < r->levels; j++)
    if (!differ(r->step[j], step))
      return j;
  return -1;
}

/* Difference from the first study at level j of this one, in joint standard errors; NaN if the first
   has no such step. */
static double distance(const study *first, const study *b, int j) {
  int k = level_of(&first->source->results, b->source->results.step[j]);

  if (k < 0)
    return NAN;
  return (b->curve->error[j] - first->curve->error[k]) /
         hypot(b->curve->standard_error[j], first->curve->standard_error[k]);
}

/* ---- data ---- */

typedef struct {
  double fine, coarse, low, high, far; /* far: largest distance */
} range;

static range range_of(const study *of, int n) {
  range v = {INFINITY, 0, INFINITY, 0, 0};

  for (int i = 0; i < n; i++)
    for (int j = 0; j < of[i].curve->levels; j++) {
      double e = fabs(of[i].curve->error[j]), bar = 2 * of[i].curve->standard_error[j],
             h = of[i].source->results.step[j];

      if (!isfinite(e) || !(e > 0))
        continue;
      v.fine = fmin(v.fine, h);
      v.coarse = fmax(v.coarse, h);
      v.low = fmin(v.low, of[i].curve->resolved[j] ? e : fmax(e, bar / 10));
      v.high = fmax(v.high, isfinite(bar) ? e + bar : e);
      v.far = fmax(v.far, fabs(distance(&of[0], &of[i], j)));
    }
  v.low /= 2, v.high *= 2;
  return v;
}

/* h, |error|, its bar from and to, resolved, distance */
static void write_data(cas_figure *g, const study *of, int i, int n, double bottom) {
  const cas_curve *c = of[i].curve;

  fprintf(g->script, "$study%d << EOD\n", i);
  for (int j = 0; j < c->levels; j++) {
    double e = fabs(c->error[j]),
           bar = isfinite(c->standard_error[j]) ? 2 * c->standard_error[j] : 0;

    if (isfinite(e) && e > 0)
      fprintf(g->script, "%.17g %.17g %.17g %.17g %d %.17g\n",
              of[i].source->results.step[j] * exp2(SHIFT * (i - (n - 1) / 2.0)), e,
              fmax(e - bar, bottom), e + bar, c->resolved[j], distance(&of[0], &of[i], j));
  }
  fputs("EOD\n", g->script);
}

static void remark(cas_figure *g, const study *of, int i) {
  const cas_curve *c = of[i].curve;
  double far = -1, at = 0;
  char step[32];

  for (int j = 0; j < c->levels; j++)
    if (fabs(distance(&of[0], &of[i], j)) > far) {
      far = fabs(distance(&of[0], &of[i], j));
      at = of[i].source->results.step[j];
    }
  if (far < 0) {
    cas_figure_remark(g, "%s and %s have no step in common", of[0].source->file,
                      of[i].source->file);
    return;
  }
  cas_step_format(at, step, sizeof step);
  cas_figure_remark(g, "%s: %s and %s are at most %.2f joint standard errors apart, at h = %s",
                    c->name, of[0].source->file, of[i].source->file, far, step);
}

/* ---- panels ---- */

static const char *base_name(const char *file) {
  const char *slash = strrchr(file, '/');

  return slash ? slash + 1 : file;
}

/* "weak.h5: weak, 10000000 paths" */
static void write_title(cas_figure *g, const study *of) {
  const cas_results *r = &of->source->results;
  char text[64];

  cas_figure_text(g, base_name(of->source->file));
  snprintf(text, sizeof text, ": %.20s, %lld paths", r->provenance.study,
           (long long)r->provenance.paths);
  cas_figure_text(g, text);
}

static void draw_errors(cas_figure *g, const study *of, int n, const range *v) {
  char text[100];

  cas_axis_steps(g, v->fine, v->coarse);
  snprintf(text, sizeof text, "|weak error| of %s", of[0].curve->name);
  cas_axis_label_y(g, text, of[0].curve->unit);
  cas_axis_log(g, 'y', v->low, v->high);
  for (int i = 0; i < n; i++) {
    char data[32];

    snprintf(data, sizeof data, "$study%d", i);
    fputs(i ? ", \\\n     " : "plot ", g->script);
    cas_plot_bars(g, data, 3, cas_figure_colour(i));
    fputs(", \\\n     ", g->script);
    cas_plot_marks(g, data, 2, 5, i);
    fprintf(g->script,
            ", \\\n     NaN with points pointtype %d pointsize %g linecolor '%s' title '",
            cas_mark_shape(i), cas_mark_size(i), cas_figure_colour(i));
    write_title(g, &of[i]);
    fputc('\'', g->script);
  }
  fputc('\n', g->script);
}

static void draw_distances(cas_figure *g, int n, const range *v) {
  double most = fmax(1.2 * v->far, 1.5 * AGREEMENT);

  cas_axis_steps(g, v->fine, v->coarse);
  fprintf(g->script,
          "unset logscale y\nset ytics auto\nset mytics default\nset format y '%%g'\n"
          "set yrange [%.17g:%.17g]\n"
          "set ylabel 'joint standard errors from the first' offset character 0.5,0\n"
          "plot %d with filledcurves y1=%d fillstyle solid noborder linecolor '#f0f0f0' title "
          "'within %d', \\\n     0 with lines linewidth 1 linecolor '#808080'",
          -most, most, AGREEMENT, -AGREEMENT, AGREEMENT);
  for (int i = 1; i < n; i++)
    fprintf(g->script,
            ", \\\n     $study%d using 1:6 with points pointtype %d pointsize %g linecolor '%s'", i,
            cas_mark_shape(i), cas_mark_size(i), cas_figure_colour(i));
  fputc('\n', g->script);
}

static cas_status draw(cas_figure *g, const cas_source *s, int n, cas_error *err) {
  study of[MOST_FILES];
  cas_status st = find_curves(s, n, of, err);
  cas_frame f;
  range v;

  if (!st)
    st = check_same(of, n, err);
  if (st)
    return st;
  v = range_of(of, n);
  if (!(v.high > 0))
    return cas_fail(err, CAS_BAD_INPUT, "%s: no error is there to draw", s->file);
  f = cas_panels_begin(g, 2, n);
  for (int i = 0; i < n; i++)
    write_data(g, of, i, n, v.low);
  cas_panels_next(g, &f);
  draw_errors(g, of, n, &v);
  cas_panels_next(g, &f);
  draw_distances(g, n, &v);
  cas_panels_end(g);
  for (int i = 1; i < n; i++)
    remark(g, of, i);
  return CAS_OK;
}

const cas_picture cas_picture_comparison = {
    .name = "comparison",
    .summary = "weak errors of one functional by two to five studies, and their distances",
    .needs = "the weak errors of a study with levels",
    .least = 2,
    .files = MOST_FILES,
    .matches = matches,
    .draw = draw,
};
