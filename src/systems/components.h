/* Functions of components x[component * W + lane], and their ranges where |x| is a Casimir. */
#ifndef CAS_COMPONENTS_H
#define CAS_COMPONENTS_H

#include <casimir/extend.h>
#include <math.h>
#include <string.h>

/* The functions `name` and `name`_each of a system, its prepare() and that of by_coefficients, from

       CAS_INLINE void `name`_of(const parameters *p, const double *number, int W, double h,
                                 const double *dw, double *coef);

   which takes its numbers by cas_components_number. */
#define CAS_COMPONENTS_PREPARE(name)                                                              \
  static void name(const void *p, int W, double h, const double *dw, double *coef) {              \
    name##_of(p, NULL, W, h, dw, coef);                                                           \
  }                                                                                               \
  static void name##_each(const void *p, const double *number, int W, double h, const double *dw, \
                          double *coef) {                                                         \
    name##_of(p, number, W, h, dw, coef);                                                         \
  }

/* Number i of the path of a lane; `own` where all paths have the same. */
static inline double cas_components_number(const double *number, int i, int W, int lane,
                                           double own) {
  return number ? number[i * W + lane] : own;
}

static inline void cas_components_norm(int components, int W, const double *x, double *out) {
  for (int l = 0; l < W; l++) {
    double square = 0;
    for (int k = 0; k < components; k++)
      square += x[k * W + l] * x[k * W + l];
    out[l] = sqrt(square);
  }
}

/* Scales one state to that norm: uniform on the sphere if x holds standard normals. */
static inline void cas_components_scale_to_norm(int components, double norm, double *x) {
  double found;
  cas_components_norm(components, 1, x, &found);
  for (int k = 0; k < components; k++)
    x[k] *= norm / found;
}

/* area += (v_0 w_1 - v_1 w_0 + v_1 w_2 - v_2 w_1 - v_0 w_2 + v_2 w_0)/2, the only sum of areas of
   three noises c x_k^2/2 on so(3): V_1 H_2 = V_2 H_3 = -V_1 H_3 = c^2 x_1 x_2 x_3 */
static inline void cas_components_add_area_of_squares(int W, const double *v, const double *w,
                                                      double *area) {
  for (int l = 0; l < W; l++) {
    const double a = v[l], b = v[W + l], c = v[2 * W + l], d = w[l], e = w[W + l], f = w[2 * W + l];
    area[l] += 0.5 * ((a * e - b * d) + (b * f - c * e) - (a * f - c * d));
  }
}

/* area_ij += (v_i w_j - v_j w_i)/2 for all i < j of n noises, row by row */
static inline void cas_components_add_areas_of_pairs(int n, int W, const double *v, const double *w,
                                                     double *area) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++, area += W)
      for (int l = 0; l < W; l++)
        area[l] += 0.5 * (v[i * W + l] * w[j * W + l] - v[j * W + l] * w[i * W + l]);
}

static inline void cas_components_cross(const double *a, const double *b, double *out) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    out[k] = a[i] * b[j] - a[j] * b[i];
  }
}

static inline double cas_components_length(const double *a) {
  return hypot(hypot(a[0], a[1]), a[2]);
}

/* Whether a - b, in R^3, is rounding of terms of this size. */
static inline bool cas_components_equal(const double *a, const double *b, double scale) {
  const double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return cas_components_length(difference) <= 1e-14 * scale;
}

/* Whether a and b, in R^3, are parallel to rounding; a zero vector is parallel to all. */
static inline bool cas_components_parallel(const double *a, const double *b) {
  const double zero[3] = {0};
  double cross[3];
  cas_components_cross(a, b, cross);
  return cas_components_equal(cross, zero, cas_components_length(a) * cas_components_length(b));
}

static inline cas_status cas_components_check_three(const cas_config *c, const char *key,
                                                    const cas_reals *found, const char *what,
                                                    cas_error *err) {
  return found->n == 3 ? CAS_OK
                       : cas_config_fail(c, err, key, "found %d number%s, must be three%s",
                                         found->n, found->n == 1 ? "" : "s", what);
}

static inline cas_status cas_components_check_vectors(const cas_config *c, const char *key,
                                                      const cas_vectors *v, cas_error *err) {
  return v->rows == 0 || v->columns == 3
             ? CAS_OK
             : cas_config_fail(c, err, key, "found vectors of %d number%s, must be vectors of 3",
                               v->columns, v->columns == 1 ? "" : "s");
}

/* area += scale a x b of vectors of R^3, lane by lane */
static inline void cas_components_add_cross(int W, double scale, const double *a, const double *b,
                                            double *area) {
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3 * W, j = (k + 2) % 3 * W;
    for (int l = 0; l < W; l++)
      area[k * W + l] += scale * (a[i + l] * b[j + l] - a[j + l] * b[i + l]);
  }
}

/* sum[k] = sum_j w_j vector_jk for vectors of R^3; vector NULL: 0 */
static inline void cas_components_combine(int n, const double *vector, int W, const double *w,
                                          double *sum) {
  memset(sum, 0, 3 * (size_t)W * sizeof *sum);
  for (int j = 0; vector && j < n; j++)
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < W; l++)
        sum[k * W + l] += vector[3 * j + k] * w[j * W + l];
}

static inline int cas_components_principal_axes(const void *parameters CAS_UNUSED,
                                                cas_axis axis[2]) {
  axis[0] = (cas_axis){.name = "principal_axis",
                       .summary = "principal axis of the body",
                       .unit = "1",
                       .length = 3,
                       .labels = "1 2 3"};
  return 1;
}

/* out = factor sum x_k^2 / I_k */
static inline void cas_components_energy(int components, double factor, const double *inertia,
                                         int W, const double *x, double *out) {
  memset(out, 0, (size_t)W * sizeof *out);
  for (int k = 0; k < components; k++)
    for (int l = 0; l < W; l++)
      out[l] += factor * x[k * W + l] * x[k * W + l] / inertia[k];
}

static inline void cas_components_symmetric_range(double largest, double range[2]) {
  range[0] = -largest;
  range[1] = largest;
}

static inline void cas_components_range_on_sphere(int components, const double *x0,
                                                  double range[2]) {
  double radius;
  cas_components_norm(components, 1, x0, &radius);
  cas_components_symmetric_range(radius, range);
}

/* The range of factor sum x_k^2 / I_k on the sphere through x0. */
static inline void cas_components_range_of_energy(int components, double factor,
                                                  const double *inertia, const double *x0,
                                                  double range[2]) {
  double radius, least = INFINITY, most = 0;
  cas_components_norm(components, 1, x0, &radius);
  for (int k = 0; k < components; k++) {
    least = fmin(least, inertia[k]);
    most = fmax(most, inertia[k]);
  }
  range[0] = factor * (radius * radius / most);
  range[1] = factor * (radius * radius / least);
}

/* A function for CAS_FUNCTIONAL, by one statement that fills out[..][W] from x[..][W] and p. */
#define CAS_COMPONENTS_FUNCTION(name, statement)                                   \
  static void name(const void *parameters_, int W, const double *x, double *out) { \
    const parameters *p CAS_UNUSED = parameters_;                                  \
    statement;                                                                     \
  }

/* Such a function of a single number from numbers CAS_COMPONENTS_X(k) of the state: a formula, and
   a sum of n terms of i added to what the statement `first` fills out[] with. */
#define CAS_COMPONENTS_X(k) x[(k)*W + l]
#define CAS_COMPONENTS_FORMULA(name, formula) \
  CAS_COMPONENTS_FUNCTION(name, for (int l = 0; l < W; l++) out[l] = formula)
#define CAS_COMPONENTS_SUM(name, first, n, term)                                                 \
  CAS_COMPONENTS_FUNCTION(name, first; for (int i = 0; i < (n); i++) for (int l = 0; l < W; l++) \
                                           out[l] += term)
/* The sum over n components of sin(2 pi x), the test function of [EJLL] section 6. */
#define CAS_COMPONENTS_SINES(name, n) \
  CAS_COMPONENTS_SUM(name, CAS_COMPONENTS_ZERO, n, sin(2 * M_PI * CAS_COMPONENTS_X(i)))
#define CAS_COMPONENTS_ZERO memset(out, 0, (size_t)W * sizeof *out)

/* A slot of a system that gives a value of its parameters p. */
#define CAS_COMPONENTS_GIVES(type, name, value)   \
  static type name(const void *parameters_) {     \
    const parameters *p CAS_UNUSED = parameters_; \
    return value;                                 \
  }

/* The algebra's n and the number of factors. */
#define CAS_COMPONENTS_GEOMETRY(size, copies)                           \
  static void geometry(const void *parameters_, int *n, int *factors) { \
    const parameters *p CAS_UNUSED = parameters_;                       \
    *n = (int)(size);                                                   \
    *factors = copies;                                                  \
  }

/* The range of a functional, by one statement that fills range[2] from x0. */
#define CAS_COMPONENTS_RANGE(name, statement)                                               \
  static void name(const void *parameters_, const double *x0 CAS_UNUSED, double range[2]) { \
    const parameters *p CAS_UNUSED = parameters_;                                           \
    statement;                                                                              \
  }

/* The only axis, by members of a cas_axis. */
#define CAS_COMPONENTS_AXIS(name_, ...)                         \
  static int name_(const void *parameters_, cas_axis axis[2]) { \
    const parameters *p CAS_UNUSED = parameters_;               \
    axis[0] = (cas_axis){__VA_ARGS__};                          \
    return 1;                                                   \
  }

/* Slots whose values have these names in the file of a system. */
#define CAS_COMPONENTS_SLOTS                                                                       \
  .parameters.options = options, .parameters.size = sizeof(parameters), .parameters.check = check, \
  .blocks.lanes = LANES, .blocks.body = body, .noise.number = noises

/* Slots of systems with numbers by path (CAS_COMPONENTS_PREPARE), and with areas of noises. */
#define CAS_COMPONENTS_BY_NUMBERS(name)                                      \
  .psi.prepare = name, .psi.by_coefficients = &(const cas_by_coefficients) { \
    .numbers = numbers, .pack = pack_numbers, .prepare = name##_each         \
  }
#define CAS_COMPONENTS_AREAS \
  .noise.take_areas = take_areas, .noise.areas = areas, .noise.add_areas = add_areas

/* The slot of a system that has areas of its noises wherever a scheme asks for them. */
#define CAS_COMPONENTS_TAKE_AREAS                                                 \
  static cas_status take_areas(const cas_config *c CAS_UNUSED, void *parameters_, \
                               cas_error *err CAS_UNUSED) {                       \
    ((parameters *)parameters_)->areas = true;                                    \
    return CAS_OK;                                                                \
  }

#endif
