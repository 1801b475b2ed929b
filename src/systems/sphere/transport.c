/* Transport noise of Euler-Zeitlin, Holm's stochastic advection by Lie transport (SALT): H_k =
   <xi_k, X> with stream functions xi_k that do not depend on the state, sums of a T_lm. So dX has
   [xi_k^*, X] o dW_k, and the noise adds the same to psi in all iterations of a step. */
#include "systems/sphere/euler_zeitlin.h"

#include "algebra/su_n.h"
#include "expressions/expression.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cas_euler_zeitlin parameters;

enum { PATH_SIZE = 80, MOST_FIELDS = 64 };

static const cas_option band_options[] = {
    CAS_OPTION(cas_sphere_bands, INT, lmin, .low = 1, .high = INFINITY, .help = "lowest degree"),
    CAS_OPTION(cas_sphere_bands, INT, lmax, .low = 1, .high = INFINITY, .help = "highest degree"),
    CAS_OPTION(cas_sphere_bands, STRING, spectrum, .fallback = "1",
               .help = "amplitude of each mode, an expression of its degree l, such as l^-2"),
    {0}};

const cas_option CAS_ISA(cas_sphere_transport_options)[] = {
    {.key = "fields",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, source),
     .fallback = "",
     .section = cas_array_options,
     .alone = "rows",
     .help =
         "of transport: rows [k, l, m, a], H_k = amplitude sum of a <T_lm, X>, k counted from "
         "1; or a file of such rows, or of maps of the xi_k, K x latitudes x longitudes as those "
         "of the vorticity"},
    {.key = "modes",
     .type = CAS_SECTION,
     .offset = offsetof(parameters, bands),
     .fallback = "",
     .section = band_options,
     .help = "of transport, instead of fields: one field for each (l, m) of degrees lmin .. lmax"},
    {0}};

/* ---- rows ---- */

static cas_status bad_row(const cas_config *c, int row, const char *what, double found,
                          const char *right, cas_error *err) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "system.noise.fields[%d]", row);
  return cas_config_fail(c, err, path, "%s is %g, must be %s", what, found, right);
}

static bool is_whole(double a, double low, double high) {
  return a >= low && a <= high && a == nearbyint(a);
}

static cas_status check_row(const cas_config *c, int N, int rows, int i, const double *row,
                            cas_error *err) {
  char right[80];
  if (!is_whole(row[0], 1, rows)) {
    snprintf(right, sizeof right, "the number of a field, counted from 1, at most %d here", rows);
    return bad_row(c, i, "k", row[0], right, err);
  }
  if (!is_whole(row[1], 1, N - 1)) {
    snprintf(right, sizeof right, "an integer from 1 to N - 1 = %d", N - 1);
    return bad_row(c, i, "l", row[1], right, err);
  }
  if (!is_whole(row[2], -row[1], row[1])) {
    snprintf(right, sizeof right, "an integer from -l to l = %g", row[1]);
    return bad_row(c, i, "m", row[2], right, err);
  }
  return isfinite(row[3]) ? CAS_OK : bad_row(c, i, "a", row[3], "finite", err);
}

static cas_status allocate(cas_sphere_fields *f, int fields, int terms, cas_error *err) {
  f->n = fields;
  f->begin = calloc((size_t)fields + 1, sizeof *f->begin);
  f->mode = calloc((size_t)terms, sizeof *f->mode);
  f->value = calloc((size_t)terms, sizeof *f->value);
  return f->begin && f->mode && f->value ? CAS_OK : cas_no_memory(err);
}

/* Sorts rows by their fields; rows of one field keep their order. */
static void sort_rows(const cas_vectors *rows, cas_sphere_fields *f) {
  for (int i = 0; i < rows->rows; i++)
    f->begin[(int)rows->value[4 * i]]++;
  for (int k = 0; k < f->n; k++)
    f->begin[k + 1] += f->begin[k];
  for (int i = rows->rows - 1; i >= 0; i--) {
    const double *row = rows->value + 4 * i;
    int at = --f->begin[(int)row[0]];
    f->mode[at] = cas_hoppe_yau_mode((int)row[1], (int)row[2]);
    f->value[at] = row[3];
  }
  for (int k = 0; k < f->n; k++)
    f->begin[k] = f->begin[k + 1];
  f->begin[f->n] = rows->rows;
}

static cas_status from_rows(const cas_config *c, parameters *p, const cas_vectors *rows,
                            cas_error *err) {
  cas_sphere_fields *f = &p->fields;
  int fields = 0;
  if (rows->columns != 4)
    return cas_config_fail(c, err, "system.noise.fields",
                           "found rows of %d numbers, must be rows [k, l, m, a]", rows->columns);
  for (int i = 0; i < rows->rows; i++) {
    const double *row = rows->value + 4 * i;
    CAS_CALL(check_row(c, (int)p->N, rows->rows, i, row, err));
    fields = row[0] > fields ? (int)row[0] : fields;
    f->lmax = row[1] > f->lmax ? (int)row[1] : f->lmax;
  }
  CAS_CALL(allocate(f, fields, rows->rows, err));
  sort_rows(rows, f);
  for (int k = 0; k < fields; k++)
    if (f->begin[k] == f->begin[k + 1])
      return cas_config_fail(c, err, "system.noise.fields",
                             "field %d has no row, but field %d has; fields are counted from 1",
                             k + 1, fields);
  return CAS_OK;
}

/* ---- maps ---- */

/* A constant is no part of a stream function, and so none of what is lost. */
static cas_status from_maps(const cas_config *c, parameters *p, int fields, const double *map,
                            cas_error *err) {
  const int modes = (int)(p->N * p->N - 1), points = (int)(2 * p->latitudes * p->latitudes);
  cas_sphere_fields *f = &p->fields;
  double lost, all[2] = {0};
  if (fields > INT_MAX / modes)
    return cas_config_fail(c, err, "system.noise.fields",
                           "found %d maps, must be at most %d for this N", fields, INT_MAX / modes);
  CAS_CALL(allocate(f, fields, fields * modes, err));
  f->lmax = (int)p->N - 1;
  for (int k = 0; k < fields; k++) {
    double *value = f->value + (size_t)k * (size_t)modes, square = 0;
    CAS_CALL(CAS_ISA(cas_euler_zeitlin_map_read)(p, map + (size_t)k * (size_t)points, false, value,
                                                 &lost, err));
    f->begin[k + 1] = (k + 1) * modes;
    for (int i = 0; i < modes; i++) {
      f->mode[f->begin[k] + i] = i;
      square += value[i] * value[i];
    }
    if (lost > f->lost_most) {
      f->lost_most = lost;
      f->worst = k + 1;
    }
    /* lost^2 = rest/(rest + square) */
    all[0] += lost < 1 ? square * lost * lost / (1 - lost * lost) : 0;
    all[1] += square;
  }
  f->lost = all[0] > 0 ? sqrt(all[0] / (all[0] + all[1])) : f->lost_most;
  return CAS_OK;
}

void CAS_ISA(cas_sphere_fields_remark)(const void *parameters_, char *out, size_t size) {
  const parameters *p = parameters_;
  const cas_sphere_fields *f = &p->fields;
  const double least = 1e-8; /* below it there is rounding, of files in single precision too */
  *out = '\0';
  if (f->lost_most > least)
    snprintf(out, size,
             "system.noise.fields: %.2g%% of the norm of %s of %s is left out: fields have degrees "
             "l = 1 .. N - 1. It is %.2g%% of field %d.",
             100 * f->lost, p->source.dataset, p->source.file, 100 * f->lost_most, f->worst);
}

/* ---- a dataset: rows, or maps ---- */

static cas_status from_dataset(const cas_config *c, parameters *p, cas_error *err) {
  const cas_array_source *a = &p->source;
  const int64_t *dims = a->dims, rows = p->latitudes;
  const int leading = a->rank - 2; /* axes before those of a map */
  char found[100] = "";
  for (int i = 0; i < a->rank; i++)
    cas_append(found, sizeof found, "%s%lld", i ? " x " : "", (long long)dims[i]);
  if (a->rank == 2 && dims[1] == 4 && dims[0] <= INT_MAX / 4)
    return from_rows(c, p, &(cas_vectors){.rows = (int)dims[0], .columns = 4, .value = a->value},
                     err);
  if ((leading == 0 || leading == 1) && dims[leading] == rows && dims[leading + 1] == 2 * rows)
    return from_maps(c, p, leading ? (int)dims[0] : 1, a->value, err);
  return cas_config_fail(
      c, err, "system.noise.fields",
      "dataset %s of %s is %s, must be rows x 4, with the numbers k, l, m, a, or "
      "fields x %lld x %lld, maps on the grid of system.latitudes",
      a->dataset, a->file, found, (long long)rows, 2 * (long long)rows);
}

/* ---- a field for each mode ---- */

static cas_status read_spectrum(const cas_config *c, const cas_sphere_bands *b, double *amplitude,
                                cas_error *err) {
  static const char *const variables[] = {"l", NULL};
  const cas_scope scope = {.variable = variables};
  cas_operations list = {0};
  cas_complaint wrong = {0};
  int root;
  cas_status st = CAS_OK;
  if (!cas_expression_read(b->spectrum, &scope, &list, &root, &wrong))
    st = wrong.no_memory ? cas_no_memory(err)
                         : cas_config_fail(c, err, "system.noise.modes.spectrum", "%s", wrong.text);
  double *value = st ? NULL : malloc((size_t)list.n * sizeof *value);
  if (!st && (!value || list.failed))
    st = cas_no_memory(err);
  for (int l = (int)b->lmin; !st && l <= b->lmax; l++) {
    const double degree = l;
    cas_operations_evaluate(&list, 0, &degree, value);
    amplitude[l] = value[root];
    if (!isfinite(amplitude[l]))
      st = cas_config_fail(c, err, "system.noise.modes.spectrum",
                           "is %g for l = %d, must be finite", amplitude[l], l);
  }
  free(value);
  cas_operations_free(&list);
  return st;
}

static cas_status from_bands(const cas_config *c, parameters *p, cas_error *err) {
  const cas_sphere_bands *b = &p->bands;
  cas_sphere_fields *f = &p->fields;
  double amplitude[CAS_HOPPE_YAU_MOST];
  if (b->lmax > p->N - 1 || b->lmin > b->lmax)
    return cas_config_fail(c, err, "system.noise.modes",
                           "found degrees %lld .. %lld, must be ascending and at most N - 1 = %lld",
                           (long long)b->lmin, (long long)b->lmax, (long long)p->N - 1);
  CAS_CALL(read_spectrum(c, b, amplitude, err));
  int n = (int)((b->lmax + 1) * (b->lmax + 1) - b->lmin * b->lmin), k = 0;
  CAS_CALL(allocate(f, n, n, err));
  f->lmax = (int)b->lmax;
  for (int l = (int)b->lmin; l <= b->lmax; l++)
    for (int m = -l; m <= l; m++, k++) {
      f->begin[k + 1] = k + 1;
      f->mode[k] = cas_hoppe_yau_mode(l, m);
      f->value[k] = amplitude[l];
    }
  return CAS_OK;
}

cas_status CAS_ISA(cas_sphere_fields_read)(const cas_config *c, cas_euler_zeitlin *p,
                                           cas_error *err) {
  const bool by_rows = p->source.rows.rows > 0 || p->source.file,
             by_modes = p->bands.spectrum && p->bands.lmin > 0;
  if (p->kind != CAS_EULER_ZEITLIN_NOISE_TRANSPORT && (by_rows || by_modes))
    return cas_config_fail(c, err, by_rows ? "system.noise.fields" : "system.noise.modes",
                           "belongs to noise of kind transport; add kind: transport");
  if (p->kind != CAS_EULER_ZEITLIN_NOISE_TRANSPORT)
    return CAS_OK;
  if (by_rows == by_modes)
    return cas_config_fail(c, err, "system.noise",
                           "%s 'fields' (rows [k, l, m, a], or {file: F, dataset: D}) %s 'modes' "
                           "({lmin: A, lmax: B, spectrum: "
                           "expression of l})",
                           by_rows ? "found both" : "kind: transport needs",
                           by_rows ? "and" : "or");
  if (cas_config_has(c, "system.noise.lmin"))
    return cas_config_fail(c, err, "system.noise.lmin",
                           "belongs to noise of kind modal; of transport give modes: {lmin: A, "
                           "lmax: B}");
  if (!cas_config_has(c, "system.noise.amplitude"))
    p->amplitude = 1;
  if (p->amplitude == 0)
    return CAS_OK;
  if (by_rows)
    return p->source.file ? from_dataset(c, p, err) : from_rows(c, p, &p->source.rows, err);
  return from_bands(c, p, err);
}

void CAS_ISA(cas_sphere_fields_free)(cas_sphere_fields *f) {
  free(f->begin);
  free(f->mode);
  free(f->value);
  *f = (cas_sphere_fields){0};
}

size_t CAS_ISA(cas_sphere_fields_bytes)(const cas_sphere_fields *f) {
  return f->n ? ((size_t)f->n + 1) * sizeof *f->begin +
                    (size_t)f->begin[f->n] * (sizeof *f->mode + sizeof *f->value)
              : 0;
}

static bool is_zonal(int mode) {
  const int l = (int)sqrt(mode + 1.5);
  return mode == cas_hoppe_yau_mode(l, 0);
}

bool CAS_ISA(cas_sphere_fields_commute)(const cas_sphere_fields *f) {
  for (int i = 0; f->n > 1 && i < f->begin[f->n]; i++)
    if (f->value[i] != 0 && !is_zonal(f->mode[i]))
      return false;
  return true;
}

/* ---- brackets of fields ---- */

/* Arrays of one commutator: matrices of both fields and their product, [row * N + column], a packed
   state, and coefficients of modes. */
typedef struct {
  double *re, *im;
} matrix;

typedef struct {
  matrix left, right, product;
  double *x, *omega;
} bracket_workspace;

static bool open_workspace(const parameters *p, bracket_workspace *w) {
  const size_t size = (size_t)(p->N * p->N);
  double *a = calloc(8 * size, sizeof *a);
  *w = (bracket_workspace){{a, a + size},
                           {a + 2 * size, a + 3 * size},
                           {a + 4 * size, a + 5 * size},
                           a + 6 * size,
                           a + 7 * size};
  return a;
}

static void find_matrix(const parameters *p, int field, const bracket_workspace *w, matrix a) {
  const cas_sphere_fields *f = &p->fields;
  const int N = (int)p->N;
  memset(w->omega, 0, (size_t)(N * N) * sizeof *w->omega);
  for (int i = f->begin[field]; i < f->begin[field + 1]; i++)
    w->omega[f->mode[i]] += f->value[i];
  cas_hoppe_yau_state(&p->harmonics, w->omega, w->x);
  for (int i = 0; i < N; i++) {
    a.re[i * N + i] = 0;
    a.im[i * N + i] = w->x[i];
    for (int j = i + 1; j < N; j++) {
      a.re[i * N + j] = w->x[cas_su_n_re(N, i, j)];
      a.re[j * N + i] = -a.re[i * N + j];
      a.im[i * N + j] = a.im[j * N + i] = w->x[cas_su_n_im(N, i, j)];
    }
  }
}

/* omega of the commutator P - P^*, P the product of both. Zeros are skipped, as fields of a few
   modes have a few diagonals. */
static void find_commutator(const parameters *p, const bracket_workspace *w) {
  const int N = (int)p->N;
  const matrix q = w->product;
  memset(q.re, 0, 2 * (size_t)(N * N) * sizeof *q.re);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      const double re = w->left.re[i * N + k], im = w->left.im[i * N + k];
      for (int j = 0; (re != 0 || im != 0) && j < N; j++) {
        q.re[i * N + j] += re * w->right.re[k * N + j] - im * w->right.im[k * N + j];
        q.im[i * N + j] += re * w->right.im[k * N + j] + im * w->right.re[k * N + j];
      }
    }
  for (int i = 0; i < N; i++) {
    w->x[i] = 2 * q.im[i * N + i];
    for (int j = i + 1; j < N; j++) {
      w->x[cas_su_n_re(N, i, j)] = q.re[i * N + j] - q.re[j * N + i];
      w->x[cas_su_n_im(N, i, j)] = q.im[i * N + j] + q.im[j * N + i];
    }
  }
  cas_hoppe_yau_coefficients(&p->harmonics, 1, w->x, w->omega);
}

/* Appends what a commutator has of each mode as field k, but for rounding. */
static cas_status append_field(const parameters *p, int k, const bracket_workspace *w,
                               cas_sphere_fields *b, cas_error *err) {
  const int modes = (int)(p->N * p->N) - 1;
  double largest = 0;
  for (int i = 0; i < modes; i++)
    largest = fmax(largest, fabs(w->omega[i]));
  const size_t most = (size_t)(b->begin[k] + modes);
  int *mode = realloc(b->mode, most * sizeof *mode);
  b->mode = mode ? mode : b->mode;
  double *value = realloc(b->value, most * sizeof *value);
  b->value = value ? value : b->value;
  if (!mode || !value)
    return cas_no_memory(err);
  int n = b->begin[k];
  for (int l = 1, i = 0; l < p->N; l++)
    for (int m = -l; m <= l; m++, i++)
      if (fabs(w->omega[i]) > 1e-13 * largest) {
        mode[n] = i;
        value[n++] = p->bracket * p->amplitude * w->omega[i];
        b->lmax = l > b->lmax ? l : b->lmax;
      }
  b->begin[k + 1] = n;
  return CAS_OK;
}

static cas_status find_brackets(parameters *p, const bracket_workspace *w, cas_error *err) {
  cas_status st = CAS_OK;
  for (int i = 0, k = 0; i < p->fields.n; i++) {
    find_matrix(p, i, w, w->left);
    for (int j = i + 1; !st && j < p->fields.n; j++, k++) {
      find_matrix(p, j, w, w->right);
      find_commutator(p, w);
      st = append_field(p, k, w, &p->brackets, err);
    }
  }
  return st;
}

cas_status CAS_ISA(cas_sphere_brackets_find)(const cas_config *c, cas_euler_zeitlin *p,
                                             cas_error *err) {
  const int n = p->fields.n, modal = cas_euler_zeitlin_modal(p);
  if (modal)
    return cas_config_fail(c, err, "integrator.areas",
                           "found areas beside noise of kind modal, whose Hamiltonians are "
                           "quadratic: brackets of its %d pairs are not at hand; must be absent, "
                           "or the noise of kind transport",
                           modal * (modal - 1) / 2);
  if (n > MOST_FIELDS)
    return cas_config_fail(c, err, "integrator.areas",
                           "found areas beside %d fields of noise, must be %d fields at most: "
                           "each pair has a bracket",
                           n, MOST_FIELDS);
  if (n < 2)
    return CAS_OK;
  CAS_CALL(allocate(&p->brackets, n * (n - 1) / 2, 1, err));
  bracket_workspace w;
  cas_status st = open_workspace(p, &w) ? find_brackets(p, &w, err) : cas_no_memory(err);
  free(w.left.re);
  return st;
}

/* ---- once a step ---- */

/* out[mode] += factor times the fields, times rows of dw */
static void add_fields(const cas_sphere_fields *f, double factor, int W, const double *dw,
                       double *out) {
  for (int k = 0; k < f->n; k++)
    for (int i = f->begin[k]; i < f->begin[k + 1]; i++) {
      double *restrict to = out + f->mode[i] * W;
      for (int lane = 0; lane < W; lane++)
        to[lane] += factor * f->value[i] * dw[k * W + lane];
    }
}

void CAS_ISA(cas_sphere_affine)(const cas_euler_zeitlin *p, int W, double h, const double *dw,
                                double *out) {
  const double factor = p->bracket * p->amplitude;
  memset(out, 0, (size_t)((p->N * p->N - 1) * W) * sizeof *out);
  add_fields(&p->fields, factor, W, dw, out);
  add_fields(&p->brackets, factor, W, dw + p->fields.n * W, out);
  for (int lane = 0; p->rotation != 0 && lane < W; lane++)
    out[cas_hoppe_yau_mode(1, 0) * W + lane] -=
        0.5 * h * p->bracket * cas_euler_zeitlin_coriolis(p);
}
