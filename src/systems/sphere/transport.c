/* Transport noise of Euler-Zeitlin, Holm's stochastic advection by Lie transport (SALT): H_k =
   <xi_k, X> with stream functions xi_k that do not depend on the state, sums of a T_lm. So dX has
   [xi_k^*, X] o dW_k, and the noise adds the same to psi in all iterations of a step. */
#include "base/owned.h"
#include "systems/sphere/euler_zeitlin.h"

#include "language/expressions/expression.h"
#include "math/algebra/su_n.h"

#include <complex.h>

typedef cas_euler_zeitlin parameters;

enum { MOST_FIELDS = 64 };

static const cas_option band_options[] = {
    CAS_OPTION(cas_sphere_bands, INT, lmin, .low = 1, .high = INFINITY, .help = "lowest degree"),
    CAS_OPTION(cas_sphere_bands, INT, lmax, .low = 1, .high = INFINITY, .help = "highest degree"),
    CAS_OPTION(cas_sphere_bands, STRING, spectrum, .fallback = "1",
               .help = "amplitude of each mode, an expression of its degree l, such as l^-2"),
    {0}};

const cas_option CAS_ISA(cas_sphere_transport_options)[] = {
    CAS_SECTION_OPTION("fields", offsetof(cas_fluid, source), cas_array_options,
                       "of transport: rows [k, l, m, a], H_k = amplitude sum of a <T_lm, X>, k "
                       "counted from 1; or a file of such rows, or of maps of the xi_k, K x "
                       "latitudes x longitudes as those of the vorticity",
                       .alone = "rows"),
    CAS_SECTION_OPTION(
        "modes", offsetof(parameters, bands), band_options,
        "of transport, instead of fields: one field for each (l, m) of degrees lmin .. lmax"),
    {0}};

static cas_status read_spectrum(const cas_config *c, const cas_sphere_bands *b, double *amplitude,
                                cas_error *err) {
  static const char *const variables[] = {"l", NULL};
  const cas_scope scope = {.variable = variables};
  CAS_OWNED_BY(cas_operations_free) cas_operations list = {0};
  cas_complaint wrong = {0};
  int root;
  if (!cas_expression_read(b->spectrum, &scope, &list, &root, &wrong)) {
    CAS_NEED(!wrong.no_memory);
    return cas_config_fail(c, err, "system.noise.modes.spectrum", "%s", wrong.text);
  }
  CAS_OWNED double *value = malloc((size_t)list.n * sizeof *value);
  CAS_NEED(value && !list.failed);
  for (int l = (int)b->lmin; l <= b->lmax; l++) {
    const double degree = l;
    cas_operations_evaluate(&list, 0, &degree, value);
    amplitude[l] = value[root];
    CAS_REFUSE(c, !isfinite(amplitude[l]), "system.noise.modes.spectrum",
               "is %g for l = %d, must be finite", amplitude[l], l);
  }
  return CAS_OK;
}

static cas_status from_bands(const cas_config *c, parameters *p, cas_error *err) {
  const cas_sphere_bands *b = &p->bands;
  double amplitude[CAS_HOPPE_YAU_MOST];
  CAS_REFUSE(c, b->lmax > p->fluid.N - 1 || b->lmin > b->lmax, "system.noise.modes",
             "found degrees %lld .. %lld, must be ascending and at most N - 1 = %lld",
             (long long)b->lmin, (long long)b->lmax, (long long)p->fluid.N - 1);
  CAS_CALL(read_spectrum(c, b, amplitude, err));
  int n = (int)((b->lmax + 1) * (b->lmax + 1) - b->lmin * b->lmin), k = 0;
  CAS_CALL(CAS_ISA(cas_fluid_add_waves)(&p->fluid, n, err));
  p->fluid.noises = n;
  for (int l = (int)b->lmin; l <= b->lmax; l++)
    for (int m = -l; m <= l; m++, k++)
      p->fluid.wave[k] = (cas_fluid_wave){k, l, m, amplitude[l]};
  return CAS_OK;
}

static void find_highest(parameters *p) {
  const cas_fluid *f = &p->fluid;
  for (int i = 0; i < f->waves + f->pair_waves; i++)
    p->noise_lmax = f->wave[i].i > p->noise_lmax ? f->wave[i].i : p->noise_lmax;
}

cas_status CAS_ISA(cas_sphere_fields_read)(const cas_config *c, cas_euler_zeitlin *p,
                                           cas_error *err) {
  const bool by_rows = cas_fluid_has_fields(&p->fluid),
             by_modes = p->bands.spectrum && p->bands.lmin > 0;
  CAS_REFUSE(c, p->kind != CAS_EULER_ZEITLIN_NOISE_TRANSPORT && (by_rows || by_modes),
             by_rows ? "system.noise.fields" : "system.noise.modes",
             "belongs to noise of kind transport; add kind: transport");
  if (p->kind != CAS_EULER_ZEITLIN_NOISE_TRANSPORT)
    return CAS_OK;
  CAS_REFUSE(c, by_rows == by_modes, "system.noise",
             "%s 'fields' (rows [k, l, m, a], or {file: F, dataset: D}) %s 'modes' ({lmin: A, "
             "lmax: B, spectrum: expression of l})",
             by_rows ? "found both" : "kind: transport needs", by_rows ? "and" : "or");
  CAS_REFUSE(c, cas_config_has(c, "system.noise.lmin"), "system.noise.lmin",
             "belongs to noise of kind modal; of transport give modes: {lmin: A, lmax: B}");
  if (!cas_config_has(c, "system.noise.amplitude"))
    p->fluid.amplitude = 1;
  if (p->fluid.amplitude == 0)
    return CAS_OK;
  CAS_CALL(by_rows ? CAS_ISA(cas_fluid_read_fields)(c, &p->fluid, err) : from_bands(c, p, err));
  find_highest(p);
  return CAS_OK;
}

bool CAS_ISA(cas_sphere_fields_commute)(const cas_fluid *f) {
  for (int i = 0; f->noises > 1 && i < f->waves; i++)
    if (f->wave[i].value != 0 && f->wave[i].j != 0)
      return false;
  return true;
}

/* Matrices of both fields as psi has them and their product, [row * N + column], a packed state,
   and coefficients of modes. */
typedef struct {
  double complex *left, *right, *product;
  double *x, *omega;
} bracket_workspace;

static void find_matrix(const parameters *p, int field, double *x, double complex *a) {
  memset(x, 0, (size_t)(p->fluid.N * p->fluid.N) * sizeof *x);
  p->fluid.surface->field(&p->fluid, field, x);
  CAS_ISA(cas_euler_zeitlin_unpack)(p, x, (double *)a);
}

/* omega of P - P^*, P the product. Zeros are skipped: fields of few modes have few diagonals. */
static void find_commutator(const parameters *p, const bracket_workspace *w) {
  const int N = (int)p->fluid.N;
  double complex *q = w->product;
  memset(q, 0, (size_t)(N * N) * sizeof *q);
  for (int i = 0; i < N * N; i++)
    for (int j = 0; w->left[i] != 0 && j < N; j++)
      q[i / N * N + j] += w->left[i] * w->right[i % N * N + j];
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++) {
      const double complex difference = q[i * N + j] - conj(q[j * N + i]);
      w->x[i == j ? i : cas_su_n_im(N, i, j)] = cimag(difference);
      if (i < j)
        w->x[cas_su_n_re(N, i, j)] = creal(difference);
    }
  cas_hoppe_yau_coefficients(&p->harmonics, 1, w->x, w->omega);
}

/* Appends the modes of the commutator of a pair, but for rounding. */
static cas_status append_bracket(cas_fluid *f, int pair, const double *omega, cas_error *err) {
  const int modes = cas_fluid_coefficients(f), before = f->waves + f->pair_waves;
  double largest = 0;
  for (int i = 0; i < modes; i++)
    largest = fmax(largest, fabs(omega[i]));
  CAS_NEED(cas_owned_resize(&f->wave, before + modes, sizeof *f->wave));
  for (int i = 0; i < modes; i++)
    if (fabs(omega[i]) > 1e-13 * largest)
      f->wave[f->waves + f->pair_waves++] =
          f->surface->wave((int)f->N, f->noises + pair, i, omega[i] / (f->bracket * f->amplitude));
  return CAS_OK;
}

static cas_status find_brackets(parameters *p, const bracket_workspace *w, cas_error *err) {
  for (int i = 0, pair = 0; i < p->fluid.noises; i++) {
    find_matrix(p, i, w->x, w->left);
    for (int j = i + 1; j < p->fluid.noises; j++, pair++) {
      find_matrix(p, j, w->x, w->right);
      find_commutator(p, w);
      CAS_CALL(append_bracket(&p->fluid, pair, w->omega, err));
    }
  }
  find_highest(p);
  return CAS_OK;
}

cas_status CAS_ISA(cas_sphere_brackets_find)(const cas_config *c, void *parameters_,
                                             cas_error *err) {
  parameters *p = parameters_;
  const int n = p->fluid.noises, modal = cas_euler_zeitlin_modal(p);
  CAS_REFUSE(c, modal, "integrator.areas",
             "found areas beside noise of kind modal, whose Hamiltonians are quadratic: brackets "
             "of its %d pairs are not at hand; must be absent, or the noise of kind transport",
             modal * (modal - 1) / 2);
  CAS_REFUSE(
      c, n > MOST_FIELDS, "integrator.areas",
      "found areas beside %d fields of noise, must be %d fields at most: each pair has a bracket",
      n, MOST_FIELDS);
  if (n < 2)
    return CAS_OK;
  const size_t size = (size_t)(p->fluid.N * p->fluid.N);
  CAS_OWNED double *a = calloc(8 * size, sizeof *a);
  CAS_NEED(a);
  double complex *matrix = (double complex *)(void *)a;
  const bracket_workspace w = {matrix, matrix + size, matrix + 2 * size, a + 6 * size,
                               a + 7 * size};
  return find_brackets(p, &w, err);
}
