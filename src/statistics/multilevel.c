/* Differences between neighbouring levels: weak order, decay of variances, growth of cost. If the weak
   error is c h^q, differences of neighbours are a power law too, E Y = c (1 - 2^-q) h^q. */
#include "fit_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* as in fit.c: below this a relative standard error is rounding */
#define ROUNDING 1e-12

/* ---- straight lines ---- */

typedef struct {
  int n;
  double x[64], y[64], weight[64]; /* weight: 1 / variance of y */
} line;

typedef struct {
  double slope, intercept, error; /* standard error of the slope */
} line_fit;

/* The error is that of the weights, or larger if the points scatter more than they say. */
static line_fit fit_line(const line *l) {
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, misfit = 0;
  for (int i = 0; i < l->n; i++)
    s += l->weight[i], sx += l->weight[i] * l->x[i], sy += l->weight[i] * l->y[i];
  for (int i = 0; i < l->n; i++) {
    double d = l->x[i] - sx / s;
    sxx += l->weight[i] * d * d;
    sxy += l->weight[i] * d * l->y[i];
  }
  line_fit f = {.slope = sxy / sxx, .error = 1 / sqrt(sxx)};
  f.intercept = (sy - f.slope * sx) / s;
  for (int i = 0; i < l->n; i++) {
    double r = l->y[i] - f.intercept - f.slope * l->x[i];
    misfit += l->weight[i] * r * r;
  }
  if (l->n > 2)
    f.error *= sqrt(fmax(1, misfit / (l->n - 2)));
  return f;
}

/* Student's quantile by the fewest paths of a point, or where the scatter of n points has been taken
   for the error. */
static double width(int n, double misfit, double paths) {
  double sampling = cas_student_quantile(0.95, paths - 1);
  return misfit > n - 2 && n > 2
             ? fmax(sampling, cas_student_quantile(0.95, n - 2) * sqrt(misfit / (n - 2)))
             : sampling;
}

/* ---- one functional ---- */

/* *paths: the fewest of any of them */
static bool take_points(const cas_multilevel *m, const cas_differences *d, const double *step,
                        cas_points *p, double *sign, double *paths) {
  *paths = INFINITY;
  for (int l = 0; l < m->levels; l++) {
    if (!d->resolved[l])
      continue;
    *paths = fmin(*paths, (double)m->paths[l]);
    if (p->n == 0)
      *sign = copysign(1, d->difference[l]);
    if (*sign * d->difference[l] < 0)
      return false;
    p->step[p->n] = step[l];
    p->error[p->n] = fabs(d->difference[l]);
    p->sigma[p->n] = fmax(d->standard_error[l], ROUNDING * fabs(d->difference[l]));
    p->n++;
  }
  return p->n >= 2;
}

/* Half the interval of q, from the Gauss-Newton matrix of residuals (Y - a h^q) / sigma. */
static double half_width(const cas_points *p, double paths, double a, double q) {
  double s = 0, sx = 0, sxx = 0, misfit = 0;
  for (int i = 0; i < p->n; i++) {
    double m = a * pow(p->step[i], q), w = m / p->sigma[i] * (m / p->sigma[i]),
           r = (p->error[i] - m) / p->sigma[i], x = log(p->step[i]);
    s += w, sx += w * x, sxx += w * x * x;
    misfit += r * r;
  }
  return width(p->n, misfit, paths) * sqrt(s / (s * sxx - sx * sx));
}

static void fit_order(const cas_multilevel *m, cas_differences *d, const double *step, bool exact) {
  double room[3][64], sign = 1, a, paths;
  cas_points p = {0, room[0], room[1], room[2]};
  const cas_law law = {CAS_WEAK, 0};
  cas_fit *f = &d->order;
  *f = (cas_fit){NAN, NAN, NAN, NAN};
  if (!take_points(m, d, step, &p, &sign, &paths) || !cas_law_fit(&law, &p, &f->order, &a))
    return;
  double half = exact ? 0 : half_width(&p, paths, a, f->order);
  f->low = f->order - half;
  f->high = f->order + half;
  f->constant = sign * a / -expm1(-f->order * M_LN2);
}

static double floor_of(const cas_multilevel *m, const cas_differences *d, int l) {
  return cas_rounding(m->steps[l], hypot(d->fine_mean[l], sqrt(d->single_variance[l])));
}

/* that of a value for each path, as of their mean */
static bool varies(const cas_multilevel *m, const cas_differences *d, int l) {
  return d->variance[l] > 0 && sqrt(d->variance[l]) > floor_of(m, d, l);
}

/* between neighbours */
static void local_orders(const cas_multilevel *m, cas_differences *d) {
  for (int l = 0; l + 1 < m->levels; l++) {
    double a = d->difference[l], b = d->difference[l + 1], ra = d->standard_error[l] / a,
           rb = d->standard_error[l + 1] / b;
    bool both = d->resolved[l] && d->resolved[l + 1] && a / b > 0;
    d->local_order[l] = both ? log2(a / b) : NAN;
    d->local_decay[l] =
        varies(m, d, l) && varies(m, d, l + 1) ? log2(d->variance[l] / d->variance[l + 1]) : NAN;
    d->local_order_error[l] = both ? sqrt(ra * ra + rb * rb) / M_LN2 : NAN;
  }
}

/* log2 of a sample variance of n values has the variance (kurtosis - 1) / n / ln(2)^2. */
static double weight_of(const cas_multilevel *m, const cas_differences *d, int l) {
  double kurtosis = d->kurtosis[l] > 1.5 ? d->kurtosis[l] : 3;
  return (double)m->paths[l] / (kurtosis - 1) * M_LN2 * M_LN2;
}

static void fit_decay(const cas_multilevel *m, cas_differences *d, const double *step) {
  line l = {0};
  d->variance_decay = (cas_fit){NAN, NAN, NAN, NAN};
  for (int i = 0; i < m->levels; i++) {
    if (!varies(m, d, i) || m->paths[i] < 2)
      continue;
    l.x[l.n] = log2(step[i]);
    l.y[l.n] = log2(d->variance[i]);
    l.weight[l.n++] = weight_of(m, d, i);
  }
  if (l.n < 2)
    return;
  line_fit f = fit_line(&l);
  double half = f.error * cas_student_quantile(0.95, l.n > 2 ? l.n - 2 : 1e9);
  d->variance_decay = (cas_fit){f.slope, f.slope - half, f.slope + half, exp2(f.intercept)};
}

static void fit_cost(cas_multilevel *m, const double *step) {
  line l = {0};
  m->cost_growth = NAN;
  for (int i = 0; i < m->levels; i++)
    if (m->iterations[i] > 0) {
      l.x[l.n] = -log2(step[i]);
      l.y[l.n] = log2(m->iterations[i]);
      l.weight[l.n++] = 1;
    }
  if (l.n > 1)
    m->cost_growth = fit_line(&l).slope;
}

/* ---- in words ---- */

/* paths of either of the finest two */
static double fewest(const cas_multilevel *m) {
  return fmin((double)m->paths[m->levels - 1], (double)m->paths[m->levels - 2]);
}

static void say_order(const cas_multilevel *m, cas_differences *d) {
  const cas_fit *f = &d->order;
  double last = m->levels > 1 ? d->local_order[m->levels - 2] : NAN;
  int resolved = 0, lost = 0;
  for (int l = 0; l < m->levels; l++) {
    resolved += d->resolved[l];
    lost += fmax(fabs(d->difference[l]), d->standard_error[l]) <= floor_of(m, d, l);
  }
  if (lost == m->levels) {
    cas_append(d->verdict, sizeof d->verdict, "not resolved: all differences are rounding");
    return;
  }
  if (m->levels == 1) {
    cas_append(d->verdict, sizeof d->verdict, "one difference gives no order");
    return;
  }
  if (!isfinite(f->order)) {
    cas_append(d->verdict, sizeof d->verdict,
               resolved < 2 ? "not resolved: %d of %d differences exceed the noise"
                            : "no order fits the %d resolved differences of %d",
               resolved, m->levels);
    return;
  }
  cas_append(d->verdict, sizeof d->verdict, "order %.2f [%.2f, %.2f] of %d differences", f->order,
             f->low, f->high, resolved);
  if (isfinite(last)) {
    double half = cas_student_quantile(0.95, fewest(m) - 1) * d->local_order_error[m->levels - 2];
    cas_append(d->verdict, sizeof d->verdict, ", %.2f [%.2f, %.2f] between the finest two", last,
               last - half, last + half);
  }
  if (isfinite(d->expected_order))
    cas_append(d->verdict, sizeof d->verdict, "; %.4g by theory as h falls", d->expected_order);
}

/* the highest order that the variances of the finest two levels leave open */
static double highest_decay(const cas_multilevel *m, const cas_differences *d) {
  int l = m->levels - 2;
  return d->local_decay[l] + cas_student_quantile(0.95, fewest(m) - 1) *
                                 sqrt(1 / weight_of(m, d, l) + 1 / weight_of(m, d, l + 1));
}

static void say_decay(const cas_multilevel *m, cas_differences *d, bool commuting) {
  const cas_fit *b = &d->variance_decay;
  if (!isfinite(b->order))
    return;
  cas_append(d->verdict, sizeof d->verdict,
             "; variances of differences fall like h^%.2f, h^%.2f at the end", b->order,
             d->local_decay[m->levels - 2]);
  if (strcmp(m->coupling, "antithetic") != 0)
    return;
  if (commuting)
    cas_append(d->verdict, sizeof d->verdict,
               ". The noises commute: there is no Levy area for antithetic paths to cancel, and "
               "coupling: adjacent costs less");
  else if (highest_decay(m, d) < 1.5)
    cas_append(d->verdict, sizeof d->verdict,
               ". WARNING: not like h^2, so the coupling is not antithetic here: outliers from "
               "clipped normals, a functional that is not smooth, or errors of the integrator "
               "that do not change sign with the Levy area");
}

/* A few paths then make up the variance, and standard errors say little. */
static void say_outliers(const cas_multilevel *m, const double *step, cas_differences *d) {
  const double most = 100;
  char h[32];
  for (int l = 0; l < m->levels; l++)
    if (d->kurtosis[l] > most) {
      cas_step_format(step[l], h, sizeof h);
      cas_append(d->verdict, sizeof d->verdict,
                 ". WARNING: kurtosis %.0f at h = %s: a few paths dominate; if normals were "
                 "clipped there, raise integrator.truncation",
                 d->kurtosis[l], h);
      return;
    }
}

/* ---- all of it ---- */

void cas_multilevel_fit_laws(cas_multilevel *m, const double *step, bool commuting, bool exact) {
  fit_cost(m, step);
  for (int i = 0; i < m->functionals; i++) {
    cas_differences *d = &m->functional[i];
    for (int l = 0; l < m->levels; l++)
      d->resolved[l] = cas_is_resolved(d->difference[l], d->standard_error[l], (double)m->paths[l],
                                       floor_of(m, d, l));
    local_orders(m, d);
    fit_order(m, d, step, exact);
    fit_decay(m, d, step);
    d->verdict[0] = '\0';
    say_order(m, d);
    if (!exact)
      say_decay(m, d, commuting);
  }
}

void cas_multilevel_fit(cas_multilevel *m, const double *step, bool commuting, bool exact) {
  cas_multilevel_fit_laws(m, step, commuting, exact);
  for (int i = 0; !exact && i < m->functionals; i++)
    say_outliers(m, step, &m->functional[i]);
}

/* ---- against the finest step ---- */

void cas_multilevel_curve(const cas_multilevel *m, int functional, const double *step,
                          cas_curve *c) {
  const cas_law raw = {CAS_WEAK, 0}, corrected = {CAS_WEAK, step[m->levels]};
  const cas_differences *d = &m->functional[functional];
  int L = m->levels;
  double error = 0, variance = 0, paths = INFINITY, rounding = 0;
  snprintf(c->unit, sizeof c->unit, "%s", d->unit);
  c->expected_order = d->expected_order;
  for (int j = L - 1; j >= 0; j--) {
    error += d->difference[j];
    variance += d->standard_error[j] * d->standard_error[j];
    c->error[j] = error;
    c->standard_error[j] = sqrt(variance);
    paths = fmin(paths, (double)m->paths[j]);
    rounding = fmax(rounding, floor_of(m, d, j));
    c->resolved[j] = cas_is_resolved(error, c->standard_error[j], paths, rounding);
    c->mean[j] = d->coarse_mean[j];
    c->mean_standard_error[j] = d->coarse_standard_error[j];
  }
  c->mean[L] = d->fine_mean[L - 1];
  c->mean_standard_error[L] = d->fine_standard_error[L - 1];
  for (int j = 0; j + 1 < L; j++) {
    double ratio = c->resolved[j] && c->resolved[j + 1] ? c->error[j] / c->error[j + 1] : NAN;
    c->local_order[j] = cas_law_local_order(&raw, step[j], step[j + 1], ratio);
    c->local_order_corrected[j] = cas_law_local_order(&corrected, step[j], step[j + 1], ratio);
  }
  c->corrected = d->order;
  snprintf(c->verdict, sizeof c->verdict, "%s", "from differences of neighbouring levels, below");
}

/* ---- memory ---- */

static bool make_room(cas_differences *d, size_t L) {
  double **column[] = {&d->difference,       &d->standard_error,      &d->variance,
                       &d->kurtosis,         &d->single_variance,     &d->coarse_mean,
                       &d->pair_variance,    &d->local_decay,         &d->coarse_standard_error,
                       &d->fine_mean,        &d->fine_standard_error, &d->local_order,
                       &d->local_order_error};
  bool all = true;
  for (size_t i = 0; i < sizeof column / sizeof *column; i++)
    all &= (*column[i] = calloc(L, sizeof(double))) != NULL;
  d->resolved = calloc(L, sizeof *d->resolved);
  d->order = d->variance_decay = (cas_fit){NAN, NAN, NAN, NAN};
  d->expected_order = NAN;
  return all && d->resolved;
}

cas_status cas_multilevel_create(int levels, int functionals, cas_multilevel **out,
                                 cas_error *err) {
  size_t L = (size_t)levels;
  cas_multilevel *m = *out = calloc(1, sizeof *m);
  bool all = m != NULL;
  if (levels < 1 || levels > 64)
    return cas_fail(err, CAS_INTERNAL, "differences of %d levels", levels);
  if (m) {
    m->levels = levels;
    m->paths = calloc(L, sizeof *m->paths);
    m->steps = calloc(L, sizeof *m->steps);
    m->iterations = calloc(L, sizeof *m->iterations);
    m->functional = calloc((size_t)functionals + 1, sizeof *m->functional);
    all = m->paths && m->steps && m->iterations && m->functional;
  }
  for (int i = 0; all && i < functionals; i++, m->functionals++)
    all = make_room(&m->functional[i], L);
  return all ? CAS_OK : cas_fail(err, CAS_NO_MEMORY, "no memory for differences of levels");
}

static void free_columns(cas_differences *d) {
  double *column[] = {d->difference,       d->standard_error,      d->variance,
                      d->kurtosis,         d->single_variance,     d->coarse_mean,
                      d->pair_variance,    d->local_decay,         d->coarse_standard_error,
                      d->fine_mean,        d->fine_standard_error, d->local_order,
                      d->local_order_error};
  for (size_t i = 0; i < sizeof column / sizeof *column; i++)
    free(column[i]);
  free(d->resolved);
}

void cas_multilevel_free(cas_multilevel *m) {
  for (int i = 0; m && i < m->functionals; i++)
    free_columns(&m->functional[i]);
  if (m) {
    free(m->paths);
    free(m->steps);
    free(m->iterations);
    free(m->functional);
  }
  free(m);
}
