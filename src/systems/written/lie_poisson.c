/* A Lie-Poisson or Poisson system whose Hamiltonians the configuration gives as expressions of the
   components of the state: dX = J(X) (grad H_0 dt + sum_k grad H_k o dW_k) with J_ij = {x_i, x_j}.
   Lists of operations are differentiated for gradients and second derivatives
   (language/expressions/hamiltonian.h). */
#include "systems/written/lie_poisson.h"
#include "math/kernels/kernels.h"
#include "systems/components.h"
#include "systems/dissipation.h"
#include "systems/written/expressions.h"

#include <errno.h>

enum { LANES = CAS_PROGRAM_BLOCK_LANES, PATH_SIZE = 160 };

typedef cas_lie_poisson parameters;

static const cas_option algebra_options[] = {
    {.key = "name",
     .type = CAS_CHOICE,
     .offset = offsetof(cas_lie_poisson, algebra),
     .fallback = "so3",
     .choices = CAS_ISA(cas_lie_poisson_algebras),
     .help = "Lie algebra of the system; brackets: that of the key `brackets`"},
    CAS_OPTION(cas_lie_poisson, VECTORS, structure_constants, .fallback = "",
               .help =
                   "instead of a name: rows [i, j, k, c], {x_i, x_j} = sum of c x_k, components "
                   "counted from 1; {x_j, x_i} need not be given"),
    {0}};

static const cas_option options[] = {
    CAS_SECTION_OPTION("algebra", 0, algebra_options, "a name, or {structure_constants: rows}",
                       .alone = "name"),
    CAS_OPTION(cas_lie_poisson, INT, n, .fallback = "", .low = 2, .high = 16,
               .help = "of so_n, default 3: components x12, x13, .., the entries i < j row by row"),
    CAS_OPTION(cas_lie_poisson, INT, N, .fallback = "", .low = 2, .high = 12,
               .help = "of su_n, default 2: components d1 .. dN, imaginary parts of the diagonal, "
                       "re12, .., then im12, .., the entries i < j row by row"),
    CAS_OPTION(cas_lie_poisson, INT, factors, .fallback = "", .low = 1, .high = 48,
               .help = "of su2, default 1: components x1_1, x1_2, x1_3, x2_1, .."),
    CAS_OPTION(cas_lie_poisson, STRINGS, components, .fallback = "",
               .help = "with brackets and structure constants: the names of the components, of the "
                       "latter default x1, x2, .."),
    CAS_OPTION(cas_lie_poisson, FORMULAS, brackets, .fallback = "",
               .help = "with brackets: {x y: expression of {x, y}, ..} of every pair that does not "
                       "commute"),
    CAS_OPTION(cas_lie_poisson, STRINGS, casimirs, .fallback = "",
               .help = "with brackets and structure constants: expressions that commute with every "
                       "component"),
    CAS_OPTION(cas_lie_poisson, FORMULAS, parameters, .fallback = "",
               .help = "{name: number, or expression of parameters listed before it, ..}"),
    CAS_OPTION(cas_lie_poisson, STRING, hamiltonian, .help = "expression of H_0; 0: noise only"),
    CAS_OPTION(cas_lie_poisson, STRINGS, noise, .fallback = "",
               .help = "expressions of H_1, H_2, .., one for each Brownian motion"),
    CAS_DISSIPATION_SECTION(cas_lie_poisson),
    CAS_DAMPING_SECTION(cas_lie_poisson),
    CAS_OPTION(cas_lie_poisson, FORMULAS, observables, .fallback = "",
               .help = "{name: expression, ..} that studies can use by name"),
    {0}};

static cas_status read_hamiltonian(const cas_config *c, cas_lie_poisson *p, int k, cas_error *err) {
  char path[PATH_SIZE] = "system.hamiltonian";
  const char *text = k ? p->noise.value[k - 1] : p->hamiltonian;
  double value = 1;
  if (k > 0)
    snprintf(path, sizeof path, "system.noise[%d]", k - 1);
  CAS_CALL(CAS_ISA(cas_written_read)(c, path, text, p->component, &p->constants, &p->h.list,
                                     &p->h.hamiltonian[k], err));
  bool zero = cas_operations_is_number(&p->h.list, p->h.hamiltonian[k], &value) && value == 0;
  CAS_REFUSE(c,
             cas_hamiltonians_is_constant(&p->h, p->h.hamiltonian[k]) &&
                 !(zero && k == 0 && p->noise.n > 0),
             path, "found '%.60s', which is constant: must depend on the state (%s, ..)%s", text,
             p->component[0], k ? "" : ", or be 0 where there is noise");
  return CAS_OK;
}

/* ---- forms on so3 and se3 that have exact flows of parts or constant second derivatives ---- */

/* The first entry of A_k that is not 0 and that the form lacks: on so3 off the diagonal, on se3 of
   a component of Gamma. */
static cas_form_place find_entry(const cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n;
  for (int e = 0; e < (1 + p->h.noises) * n * n; e++) {
    const int i = e / n % n, j = e % n;
    if (q->matrix[e] != 0 && (n == 3 ? i != j : i > 2 || j > 2))
      return (cas_form_place){e / n / n, i, j};
  }
  return (cas_form_place){-1, 0, 0};
}

/* Coefficients of a step: sum_k c_k b_k after the first three rows of sum_k c_k A_k, of these the
   diagonal or the upper half. */
static bool make_rows(cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n, columns = 1 + p->h.noises;
  CAS_OWNED double *matrix = calloc((size_t)((6 + n) * columns), sizeof *matrix);
  int rows = 0;
  cas_step_sums_free(&p->program.once);
  for (int i = 0; matrix && i < 3; i++)
    for (int j = i; j < (p->known.form == CAS_LIE_POISSON_AXES ? i + 1 : 3); j++, rows++)
      for (int k = 0; k < columns; k++)
        matrix[rows * columns + k] = q->matrix[(k * n + i) * n + j];
  for (int i = 0; matrix && i < n; i++, rows++)
    for (int k = 0; k < columns; k++) {
      matrix[rows * columns + k] = q->vector[k * n + i];
      p->known.has_linear |= q->vector[k * n + i] != 0;
    }
  return matrix && cas_step_sums_make(rows, columns, matrix, &p->program.once);
}

static bool find_form(cas_lie_poisson *p) {
  CAS_OWNED_BY(cas_quadratics_free) cas_quadratics q = {0};
  if (p->algebra != CAS_LIE_POISSON_SO3 && p->algebra != CAS_LIE_POISSON_SE3)
    return true;
  bool done = cas_quadratics_find(&p->h, &q, &p->known.not_affine) &&
              cas_check_coupling(&p->h, &p->known.not_separate);
  if (done && p->algebra == CAS_LIE_POISSON_SE3 && p->known.not_affine.k < 0)
    p->known.not_affine = find_entry(p, &q);
  if (cas_dissipation_given(&p->dissipation))
    return done;
  if (done && p->known.not_affine.k < 0)
    p->known.form = p->algebra == CAS_LIE_POISSON_SO3 && find_entry(p, &q).k < 0
                        ? CAS_LIE_POISSON_AXES
                        : CAS_LIE_POISSON_AFFINE;
  else if (done && p->algebra == CAS_LIE_POISSON_SO3 && p->known.not_separate.k < 0)
    p->known.form = CAS_LIE_POISSON_SEPARATE;
  if (done && (p->known.form == CAS_LIE_POISSON_AXES || p->known.form == CAS_LIE_POISSON_AFFINE))
    done = make_rows(p, &q);
  return done;
}

/* ---- what is configured ---- */

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  cas_lie_poisson *p = parameters_;
  errno = 0;
  CAS_CALL(CAS_ISA(cas_lie_poisson_read_algebra)(c, p, err));
  p->h.noises = p->noise.n;
  CAS_CALL(
      CAS_ISA(cas_written_read_parameters)(c, &p->parameters, p->component, &p->constants, err));
  CAS_CALL(CAS_ISA(cas_lie_poisson_find_brackets)(c, p, err));
  CAS_REFUSE(c, p->damping.rate > 0 && !p->known.is_linear, "system.damping.rate",
             "found %g, but the brackets are not linear in the state, so that damping "
             "would not lead from orbit to orbit: leave out 'damping'",
             p->damping.rate);
  p->h.hamiltonian = calloc((size_t)p->noise.n + 1, sizeof *p->h.hamiltonian);
  CAS_NEED(p->h.hamiltonian);
  for (int k = 0; k <= p->noise.n; k++)
    CAS_CALL(read_hamiltonian(c, p, k, err));
  CAS_CALL(CAS_ISA(cas_lie_poisson_read_casimirs)(c, p, err));
  CAS_CALL(CAS_ISA(cas_lie_poisson_set_weights)(p, err));
  if (!cas_hamiltonians_derive(&p->h) ||
      !cas_hamiltonian_programs_make(&p->h, CAS_GROUP_LANES, LANES, &p->program) || !find_form(p))
    return CAS_ISA(cas_written_too_large)(c, err);
  return cas_lie_poisson_is_own(p) ? CAS_ISA(cas_lie_poisson_make_action)(c, p, err) : CAS_OK;
}

/* Brackets of Hamiltonians of noises are those of further noises, whose increments are areas. */
static cas_status take_areas(const cas_config *c, void *parameters_, cas_error *err) {
  cas_lie_poisson *p = parameters_;
  errno = 0;
  if (!cas_hamiltonians_add_brackets(&p->h))
    return CAS_ISA(cas_written_too_large)(c, err);
  cas_hamiltonian_programs_free(&p->program);
  p->known.form = CAS_LIE_POISSON_GENERAL;
  p->known.has_linear = false;
  if (!cas_hamiltonian_programs_make(&p->h, CAS_GROUP_LANES, LANES, &p->program) || !find_form(p))
    return CAS_ISA(cas_written_too_large)(c, err);
  return CAS_OK;
}

CAS_COMPONENTS_GIVES(int, areas, p->h.noises - p->noise.n)

static void add_areas(const void *parameters_, int W, const double *v, const double *w,
                      double *area) {
  cas_components_add_areas_of_pairs(((const cas_lie_poisson *)parameters_)->noise.n, W, v, w, area);
}

static void release(void *parameters_) {
  cas_lie_poisson *p = parameters_;
  free(p->names);
  free(p->component);
  free(p->copy);
  free(p->casimir);
  CAS_ISA(cas_written_free_parameters)(&p->constants);
  cas_hamiltonians_free(&p->h);
  cas_hamiltonian_programs_free(&p->program);
  cas_program_free(&p->table.action);
  cas_program_free(&p->table.casimir);
}

CAS_COMPONENTS_GIVES(size_t, bytes,
                     cas_program_bytes(&p->program.psi) + cas_program_bytes(&p->program.ito) +
                         (size_t)p->h.list.capacity * (sizeof(cas_operation) + 3 * sizeof(int)))

/* ---- what is checked at points about the initial state ---- */

static cas_status check_jacobi(const cas_config *c, cas_lie_poisson *p, const double *x,
                               cas_error *err) {
  const char *key = p->algebra == CAS_LIE_POISSON_CONSTANTS ? "system.algebra.structure_constants"
                                                            : "system.brackets";
  cas_check_finding f;
  if (!cas_check_jacobi(&p->h, x, &f))
    return CAS_ISA(cas_written_too_large)(c, err);
  const char *const names[] = {p->component[f.i], p->component[f.j], p->component[f.k]};
  CAS_REFUSE(c, f.largest > cas_check_holds, key,
             "the Jacobi identity fails for %s, %s and %s: the cyclic sum of {x, {y, "
             "z}} is %.3g times that of the absolute values of its terms at a point "
             "about the initial state, must be 0",
             names[0], names[1], names[2], f.largest);
  CAS_REFUSE(c, f.not_evaluated, key,
             "the Jacobi identity of %s, %s and %s could be evaluated at no point "
             "about the initial state",
             names[0], names[1], names[2]);
  return CAS_OK;
}

static cas_status check_casimir(const cas_config *c, cas_lie_poisson *p, int k, const double *x,
                                cas_error *err) {
  char path[PATH_SIZE];
  cas_check_finding f;
  snprintf(path, sizeof path, "system.casimirs[%d]", k);
  if (!cas_check_casimir(&p->h, x, p->casimir[k], &f))
    return CAS_ISA(cas_written_too_large)(c, err);
  CAS_REFUSE(c, f.largest > cas_check_holds, path,
             "is no Casimir: its bracket with %s is %.3g times the sum of the "
             "absolute values of its terms at a point about the initial state, must "
             "be 0",
             p->component[f.i], f.largest);
  CAS_REFUSE(c, f.not_evaluated, path,
             "its bracket with %s could be evaluated at no point about the initial "
             "state, so that it cannot be told whether it is a Casimir",
             p->component[f.i]);
  return CAS_OK;
}

static cas_status check_at(const cas_config *c, void *parameters_, const double *x,
                           cas_error *err) {
  cas_lie_poisson *p = parameters_;
  cas_check_finding f;
  errno = 0;
  if (cas_lie_poisson_is_own(p))
    CAS_CALL(check_jacobi(c, p, x, err));
  for (int k = 0; k < p->casimirs.n; k++)
    CAS_CALL(check_casimir(c, p, k, x, err));
  if (!cas_check_commuting(&p->h, x, &p->known.commutes, &f))
    return CAS_ISA(cas_written_too_large)(c, err);
  CAS_REFUSE(c, f.not_evaluated, "system.noise",
             "brackets of the noises %d and %d could be evaluated at no point about "
             "the initial state, so that it cannot be told whether they commute",
             f.i, f.j);
  return CAS_OK;
}

static cas_status check_initial(const cas_config *c, const void *parameters_, const double *x,
                                cas_error *err) {
  const cas_lie_poisson *p = parameters_;
  int component;
  double value;
  int k = cas_hamiltonians_bad_gradient(&p->h, x, &component, &value);
  if (k < 0)
    return CAS_OK;
  return cas_config_fail(c, err, "system.initial",
                         "the derivative of H_%d with respect to %s is %g there, must be finite", k,
                         p->component[component], value);
}

/* ---- what schemes need ---- */

/* Why a scheme's features are missing; without a configuration, what has them. */
static void misfit(const void *parameters_, unsigned missing, char *out, size_t size) {
  const cas_lie_poisson *p = parameters_;
  const cas_form_place *at = missing & CAS_FLOWS ? &p->known.not_separate : &p->known.not_affine;
  if (!p->component && missing & CAS_FLOWS)
    snprintf(out, size, "fits sums of functions of one component each, on so3");
  else if (!p->component && missing & CAS_AFFINE)
    snprintf(out, size,
             "fits Hamiltonians of at most second degree on so3, and on se3 those of at most "
             "second degree in Pi and linear in Gamma");
  else if (missing & CAS_FLOWS && p->algebra != CAS_LIE_POISSON_SO3)
    snprintf(out, size,
             "it needs exact flows of parts of the Hamiltonians, which of expressions are known on "
             "so3 alone, not on %s",
             CAS_ISA(cas_lie_poisson_algebras)[p->algebra]);
  else if (missing & CAS_FLOWS)
    snprintf(
        out, size,
        "it needs exact flows of parts of the Hamiltonians, which are known of functions of one "
        "component each and their sums: the derivative of H_%d with respect to %s depends on %s",
        at->k, p->component[at->i], p->component[at->j]);
  else if (missing & CAS_AFFINE &&
           (p->algebra == CAS_LIE_POISSON_SO3 || p->algebra == CAS_LIE_POISSON_SE3))
    snprintf(out, size,
             "it needs Hamiltonians of at most second degree%s: the second derivative of H_%d with "
             "respect to %s and %s %s",
             p->algebra == CAS_LIE_POISSON_SE3 ? " in Pi, and linear in Gamma" : "", at->k,
             p->component[at->i], p->component[at->j],
             p->algebra == CAS_LIE_POISSON_SE3 && (at->i > 2 || at->j > 2) ? "is not 0"
                                                                           : "is not constant");
}

CAS_COMPONENTS_GIVES(int, noises, p->noise.n)
CAS_COMPONENTS_GIVES(bool, commuting, p->known.commutes)
CAS_COMPONENTS_GIVES(const char *, components, p->names)
CAS_COMPONENTS_GIVES(int, coefficients, p->program.once.rows > 0 ? p->program.once.rows : 1)
CAS_COMPONENTS_GIVES(const cas_body *, body, CAS_ISA(cas_lie_poisson_body)(p))
CAS_COMPONENTS_GIVES(const void *, table, &p->table)

static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(CAS_ISA(cas_lie_poisson_dimension)(parameters_), norm, x);
}

/* ---- observables ---- */

CAS_COMPONENTS_FUNCTION(hamiltonian, CAS_ISA(cas_program_rows)(&p->program.value, W, x, out))
CAS_COMPONENTS_FUNCTION(norm_of_state,
                        cas_components_norm(CAS_ISA(cas_lie_poisson_dimension)(p), W, x, out))
CAS_COMPONENTS_GIVES(const cas_formulas *, formulas, &p->observables)
CAS_COMPONENTS_GIVES(const cas_constants *, constants, &p->constants)

static void weights(const void *parameters_, double *drag, double *noise) {
  const cas_lie_poisson *p = parameters_;
  if (p->algebra == CAS_LIE_POISSON_SU_N)
    cas_dissipation_su_n((int)p->N, 1, drag, noise);
}

#define ENERGY "energy_unit"
#define STATE "state_unit"

static const cas_functional functionals[] = {CAS_FUNCTIONAL(energy, hamiltonian, ENERGY, "H_0"),
                                             {0}};

static const cas_functional observables[] = {
    CAS_FUNCTIONAL(hamiltonian, hamiltonian, ENERGY, "H_0"),
    CAS_FUNCTIONAL(norm, norm_of_state, STATE, "Euclidean norm of the components"),
    {0}};

CAS_DAMPING(cas_lie_poisson)

const cas_system CAS_ISA(cas_system_lie_poisson) = {
    .name = "lie_poisson",
    .summary = "a system of one's own: Hamiltonians, and brackets if need be, as expressions "
               "(docs/own-system.md)",
    .source = "the configuration; Marsden and Ratiu, Introduction to Mechanics and Symmetry, "
              "chapters 10 and 13",
    .example = {.keys = "algebra: so3, parameters: {I1: 2, I3: 0.6}, hamiltonian: \"x1^2/(2*I1) + "
                        "x2^2/2 + x3^2/(2*I3) + 0.2*cos(x1)\", initial: [0.36, 0.48, 0.8]",
                .noise = "noise: [0.4*x1*x2, \"0.3*x3 + 0.1*x1^2\"]",
                .commuting = "noise: [0.4*x1*x2]"},
    CAS_COMPONENTS_SLOTS,
    .parameters.release = release,
    .parameters.bytes = bytes,
    .space.geometry = CAS_ISA(cas_lie_poisson_geometry),
    .space.table = table,
    .noise.commuting = commuting,
    .state.components = components,
    .state.unit = STATE,
    .initial.random = random_state,
    .initial.check = check_initial,
    .initial.check_at = check_at,
    .psi.coefficients = coefficients,
    .psi.prepare = CAS_ISA(cas_lie_poisson_prepare),
    .psi.by_coefficients = &CAS_ISA(cas_lie_poisson_by_coefficients),
    CAS_COMPONENTS_AREAS,
    .damping = damping_rate,
    .dissipated = &(const cas_dissipated){.offset = offsetof(cas_lie_poisson, dissipation),
                                          .weights = weights},
    .functionals = functionals,
    .observables = observables,
    .formulas = formulas,
    .constants = constants,
    .misfit = misfit,
};
