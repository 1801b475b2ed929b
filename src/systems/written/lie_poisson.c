/* A Lie-Poisson or Poisson system whose Hamiltonians the configuration gives as expressions of the
   components of the state: dX = J(X) (grad H_0 dt + sum_k grad H_k o dW_k) with J_ij = {x_i, x_j}.
   On a built-in algebra J X is its coadjoint action; other brackets are expressions as well. Lists
   of operations are differentiated for gradients and second derivatives
   (expressions/hamiltonian.h). */
#include "systems/written/lie_poisson.h"
#include "algebra/se3.h"
#include "algebra/so3.h"
#include "algebra/so_n.h"
#include "algebra/su2.h"
#include "algebra/su_n.h"
#include "config/place.h"
#include "expressions/checks.h"
#include "kernels/kernels.h"
#include "systems/components.h"
#include "systems/dissipation.h"
#include "systems/written/parameters.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  LANES = CAS_PROGRAM_BLOCK_LANES,
  V = CAS_GROUP_VECTORS,
  MOST = 32,
  MOST_CASIMIRS = 32,
  PATH_SIZE = 160
};

static const char *const algebras[] = {
    "so3", "se3", "so_n", "su_n", "su2", "brackets", "structure_constants", NULL};

static const cas_option algebra_options[] = {
    {.key = "name",
     .type = CAS_CHOICE,
     .offset = offsetof(cas_lie_poisson, algebra),
     .fallback = "so3",
     .choices = algebras,
     .help = "Lie algebra of the system; brackets: that of the key `brackets`"},
    CAS_OPTION(cas_lie_poisson, VECTORS, structure_constants, .fallback = "",
               .help =
                   "instead of a name: rows [i, j, k, c], {x_i, x_j} = sum of c x_k, components "
                   "counted from 1; {x_j, x_i} need not be given"),
    {0}};

static const cas_option options[] = {
    {.key = "algebra",
     .type = CAS_SECTION,
     .fallback = "",
     .section = algebra_options,
     .alone = "name",
     .help = "a name, or {structure_constants: rows}"},
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
    CAS_OPTION(cas_lie_poisson, FORMULAS, observables, .fallback = "",
               .help = "{name: expression, ..} that studies can use by name"),
    {0}};

/* ---- components ---- */

/* Brackets or structure constants of one's own. */
static bool is_own(const cas_lie_poisson *p) { return p->algebra >= CAS_LIE_POISSON_BRACKETS; }

/* as many as there are names, or as the structure constants need */
static int own_components(const cas_lie_poisson *p) {
  const cas_vectors *c = &p->structure_constants;
  double most = 0;
  for (int i = 0; p->components.n == 0 && i < 4 * c->rows; i++)
    most = i % 4 < 3 ? fmax(most, c->value[i]) : most;
  return p->components.n ? p->components.n : (int)fmin(most, MOST + 1);
}

static int dimension(const cas_lie_poisson *p) {
  switch (p->algebra) {
  case CAS_LIE_POISSON_SE3:
    return 6;
  case CAS_LIE_POISSON_SO_N:
    return (int)(p->n * (p->n - 1) / 2);
  case CAS_LIE_POISSON_SU_N:
    return (int)(p->N * p->N);
  case CAS_LIE_POISSON_SU2:
    return (int)(3 * p->factors);
  case CAS_LIE_POISSON_BRACKETS:
  case CAS_LIE_POISSON_CONSTANTS:
    return own_components(p);
  default:
    return 3;
  }
}

/* Names of the entries i < j of a matrix. */
static void write_pairs(FILE *f, const char *prefix, int64_t n) {
  for (int64_t i = 1; i <= n; i++)
    for (int64_t j = i + 1; j <= n; j++)
      fprintf(f, "%s%d%d ", prefix, (int)i, (int)j);
}

static void write_names(FILE *f, const cas_lie_poisson *p) {
  if (p->algebra == CAS_LIE_POISSON_SO3)
    fputs("x1 x2 x3 ", f);
  if (p->algebra == CAS_LIE_POISSON_SE3)
    fputs("Pi1 Pi2 Pi3 Gamma1 Gamma2 Gamma3 ", f);
  if (p->algebra == CAS_LIE_POISSON_SO_N)
    write_pairs(f, "x", p->n);
  for (int i = 1; p->algebra == CAS_LIE_POISSON_SU_N && i <= p->N; i++)
    fprintf(f, "d%d ", i);
  if (p->algebra == CAS_LIE_POISSON_SU_N) {
    write_pairs(f, "re", p->N);
    write_pairs(f, "im", p->N);
  }
  for (int i = 1; p->algebra == CAS_LIE_POISSON_SU2 && i <= p->factors; i++)
    fprintf(f, "x%d_1 x%d_2 x%d_3 ", i, i, i);
  for (int i = 0; is_own(p) && i < dimension(p); i++)
    if (p->components.n)
      fprintf(f, "%s ", p->components.value[i]);
    else
      fprintf(f, "x%d ", i + 1);
}

static cas_status name_components(cas_lie_poisson *p, cas_error *err) {
  size_t size;
  char *rest;
  int n = 0;
  FILE *f = open_memstream(&p->names, &size);
  if (!f)
    return cas_no_memory(err);
  write_names(f, p);
  if (fclose(f) || size == 0)
    return cas_no_memory(err);
  p->names[size - 1] = '\0';
  p->copy = strdup(p->names);
  p->component = calloc((size_t)dimension(p) + 1, sizeof *p->component);
  if (!p->copy || !p->component)
    return cas_no_memory(err);
  for (char *name = strtok_r(p->copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    p->component[n++] = name;
  return CAS_OK;
}

static cas_status check_components(const cas_config *c, const cas_lie_poisson *p, cas_error *err) {
  const int n = own_components(p);
  if (n > MOST && p->components.n == 0)
    return cas_config_fail(c, err, "system.algebra.structure_constants",
                           "numbers of components go up to %d and beyond, must be at most %d", n,
                           MOST);
  if (n < 2 || n > MOST)
    return cas_config_fail(c, err, "system.components",
                           "found %d names, must be from 2 to %d, such as [x, y, z]", n, MOST);
  for (int i = 0; i < p->components.n; i++) {
    const char *name = p->components.value[i], *bad = cas_expression_bad_name(name);
    if (bad)
      return cas_config_fail(c, err, "system.components", "found '%.40s', %s", name, bad);
    for (int j = 0; j < i; j++)
      if (strcmp(name, p->components.value[j]) == 0)
        return cas_config_fail(c, err, "system.components", "names '%s' twice", name);
  }
  return CAS_OK;
}

/* Structure constants stand in place of a name. */
static cas_status name_algebra(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  if (p->structure_constants.rows > 0 && !cas_config_has(c, "system.algebra.name"))
    p->algebra = CAS_LIE_POISSON_CONSTANTS;
  if (p->algebra == CAS_LIE_POISSON_CONSTANTS && p->structure_constants.rows == 0)
    return cas_config_fail(c, err, "system.algebra",
                           "without structure constants; must be {structure_constants: [[1, 2, 3, "
                           "1], ..]} with rows [i, j, k, c], {x_i, x_j} = sum of c x_k");
  return CAS_OK;
}

/* Keys of other algebras than the one that is named. */
static cas_status check_keys(const cas_config *c, const cas_lie_poisson *p, cas_error *err) {
  const struct {
    const char *key;
    int algebra, also;
    bool given;
  } keys[] = {
      {"system.n", CAS_LIE_POISSON_SO_N, CAS_LIE_POISSON_SO_N, true},
      {"system.N", CAS_LIE_POISSON_SU_N, CAS_LIE_POISSON_SU_N, true},
      {"system.factors", CAS_LIE_POISSON_SU2, CAS_LIE_POISSON_SU2, true},
      {"system.components", CAS_LIE_POISSON_BRACKETS, CAS_LIE_POISSON_CONSTANTS, p->components.n},
      {"system.brackets", CAS_LIE_POISSON_BRACKETS, CAS_LIE_POISSON_BRACKETS, p->brackets.n},
      {"system.casimirs", CAS_LIE_POISSON_BRACKETS, CAS_LIE_POISSON_CONSTANTS, p->casimirs.n},
      {"system.algebra.structure_constants", CAS_LIE_POISSON_CONSTANTS, CAS_LIE_POISSON_CONSTANTS,
       p->structure_constants.rows}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (keys[i].given && cas_config_has(c, keys[i].key) && p->algebra != keys[i].algebra &&
        p->algebra != keys[i].also)
      return cas_config_fail(c, err, keys[i].key, "belongs to 'algebra: %s', not to 'algebra: %s'",
                             algebras[keys[i].algebra], algebras[p->algebra]);
  return CAS_OK;
}

/* The size of the algebra that is named; keys of others stay absent, in files too. */
static void fill_size(cas_lie_poisson *p) {
  if (p->algebra == CAS_LIE_POISSON_SO_N && !p->n)
    p->n = 3;
  if (p->algebra == CAS_LIE_POISSON_SU_N && !p->N)
    p->N = 2;
  if (p->algebra == CAS_LIE_POISSON_SU2 && !p->factors)
    p->factors = 1;
}

/* ---- expressions ---- */

/* Lists and programs fail where they are too large, and where memory ends. */
static cas_status too_large(const cas_config *c, cas_error *err) {
  if (errno == ENOMEM)
    return cas_no_memory(err);
  return cas_config_fail(c, err, "system",
                         "the expressions are too large: their derivatives are more than %d "
                         "operations, or more than %d of their results wait at a time",
                         CAS_OPERATIONS_MOST / 2, CAS_PROGRAM_WORKSPACE);
}

static cas_scope scope_of(const cas_lie_poisson *p) {
  return (cas_scope){.variable = p->component,
                     .constant = (const char *const *)p->constants.name,
                     .value = p->constants.value};
}

static cas_status read_expression(const cas_config *c, const char *path, const char *text,
                                  cas_lie_poisson *p, int *root, cas_error *err) {
  const cas_scope scope = scope_of(p);
  cas_complaint e;
  if (!cas_expression_read(text, &scope, &p->h.list, root, &e))
    return e.no_memory ? cas_no_memory(err) : cas_config_fail_at(c, err, path, e.at, "%s", e.text);
  return CAS_OK;
}

/* ---- brackets ---- */

/* coefficient[j * lanes + lane]: component i of the action of the unit vectors j on vector `mu` */
static void act(const cas_lie_poisson *p, const cas_geometry *g, const cas_vec *xi,
                const cas_vec *mu, cas_vec *out) {
  switch (p->algebra) {
  case CAS_LIE_POISSON_SE3:
    cas_se3_coadjoint(g, V, xi, mu, out);
    break;
  case CAS_LIE_POISSON_SO_N:
    cas_so_n_coadjoint(g, V, xi, mu, out);
    break;
  case CAS_LIE_POISSON_SU_N:
    cas_su_n_coadjoint(g, V, xi, mu, out);
    break;
  case CAS_LIE_POISSON_SU2:
    cas_su2_coadjoint(g, V, xi, mu, out);
    break;
  default:
    cas_so3_coadjoint(g, V, xi, mu, out);
  }
}

/* The pairing of su(N) is -Tr X Y, in which components off the diagonal count twice. */
static double weight(const cas_lie_poisson *p, int j) {
  return p->algebra == CAS_LIE_POISSON_SU_N && j >= p->N ? 0.5 : 1;
}

/* {x_i, x_j} from the action of the unit vector j on all unit vectors, a group of lanes at a
   time */
static void add_action(cas_lie_poisson *p, const cas_geometry *g, int j, double *xi, double *mu,
                       double *out) {
  const int n = g->components, L = CAS_GROUP_LANES;
  cas_operations *l = &p->h.list;
  memset(xi, 0, (size_t)(n * L) * sizeof *xi);
  for (int lane = 0; lane < L; lane++)
    xi[j * L + lane] = weight(p, j);
  for (int first = 0; first < n; first += L) {
    memset(mu, 0, (size_t)(n * L) * sizeof *mu);
    for (int lane = 0; lane < L && first + lane < n; lane++)
      mu[(first + lane) * L + lane] = 1;
    act(p, g, (cas_vec *)(void *)xi, (cas_vec *)(void *)mu, (cas_vec *)(void *)out);
    for (int i = 0; i < n; i++)
      for (int lane = 0; lane < L && first + lane < n; lane++) {
        int *entry = &p->h.bracket.entry[i * n + j];
        int x = cas_operations_variable(l, first + lane),
            factor = cas_operations_number(l, out[i * L + lane]);
        *entry = cas_operations_apply(l, CAS_OPERATOR_ADD, *entry,
                                      cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, factor, x));
      }
  }
}

static void geometry(const void *parameters_, int *n, int *factors) {
  const cas_lie_poisson *p = parameters_;
  *n = p->algebra == CAS_LIE_POISSON_SO_N   ? (int)p->n
       : p->algebra == CAS_LIE_POISSON_SU_N ? (int)p->N
       : is_own(p)                          ? dimension(p)
                                            : 3;
  *factors = p->algebra == CAS_LIE_POISSON_SU2 ? (int)p->factors : 1;
}

static cas_status brackets_of_algebra(cas_lie_poisson *p, cas_error *err) {
  cas_geometry g = {.components = dimension(p)};
  size_t size = (size_t)(g.components * CAS_GROUP_LANES), matrices = 8 * size;
  double *memory = aligned_alloc(64, ((3 + 8) * size + 16) / 8 * 64);
  if (!memory)
    return cas_no_memory(err);
  geometry(p, &g.n, &g.factors);
  memset(memory, 0, (3 * size + matrices) * sizeof *memory);
  g.scratch = memory + 3 * size;
  for (int j = 0; j < g.components; j++)
    add_action(p, &g, j, memory, memory + size, memory + 2 * size);
  free(memory);
  return CAS_OK;
}

/* The component that a word of "x y" names, -1 if it is none. */
static int find_component(const cas_lie_poisson *p, const char *word, size_t length) {
  for (int i = 0; p->component[i]; i++)
    if (strlen(p->component[i]) == length && memcmp(p->component[i], word, length) == 0)
      return i;
  return -1;
}

static cas_status read_bracket(const cas_config *c, cas_lie_poisson *p, int k, cas_error *err) {
  const char *pair = p->brackets.name[k];
  const int n = p->h.components;
  char path[PATH_SIZE];
  size_t first = strcspn(pair, " "), blanks = strspn(pair + first, " ");
  const char *second = pair + first + blanks;
  int i = find_component(p, pair, first), j = find_component(p, second, strlen(second)), root;
  int *entry = p->h.bracket.entry;
  snprintf(path, sizeof path, "system.brackets%.80s", p->brackets.place[k]);
  if (i < 0 || j < 0 || i == j)
    return cas_config_fail(c, err, path,
                           "found '%.60s', must be two different components with a blank between "
                           "them, such as '%s %s'",
                           pair, p->component[0], p->component[1]);
  if (!p->brackets.text[k])
    return cas_config_fail(c, err, path, "must be {%s: expression, ..}", pair);
  if (entry[i * n + j] != entry[0])
    return cas_config_fail(c, err, path,
                           "is given twice: {x, y} = -{y, x}, so that one of a pair says it all");
  CAS_CALL(read_expression(c, path, p->brackets.text[k], p, &root, err));
  entry[i * n + j] = root;
  entry[j * n + i] = cas_operations_apply(&p->h.list, CAS_OPERATOR_NEGATE, root, 0);
  return CAS_OK;
}

/* One of the numbers i, j and k of a row. */
static cas_status check_number(const cas_config *c, const cas_lie_poisson *p, const char *path,
                               double value, cas_error *err) {
  const int n = p->h.components;
  if (value >= 1 && value <= n && value == floor(value))
    return CAS_OK;
  return cas_config_fail(c, err, path,
                         "found the component %g, must be a whole number from 1 to %d (%s to %s)",
                         value, n, p->component[0], p->component[n - 1]);
}

/* A row, into constant[(i n + j) n + k], NaN where nothing is known, and what it says of {x_j,
   x_i}. */
static cas_status add_constant(const cas_config *c, const cas_lie_poisson *p, int row,
                               double *constant, cas_error *err) {
  const double *v = p->structure_constants.value + 4 * row;
  const int n = p->h.components;
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "system.algebra.structure_constants[%d]", row);
  for (int i = 0; i < 3; i++)
    CAS_CALL(check_number(c, p, path, v[i], err));
  const int i = (int)v[0] - 1, j = (int)v[1] - 1, k = (int)v[2] - 1;
  double *known = &constant[(i * n + j) * n + k], *other = &constant[(j * n + i) * n + k];
  for (int before = 0; before < row; before++)
    if (memcmp(v, v + 4 * (before - row), 3 * sizeof *v) == 0)
      return cas_config_fail(
          c, err, path, "the components of row %d again: give their sum in one row", before + 1);
  if (i == j && v[3] != 0)
    return cas_config_fail(c, err, path,
                           "{%s, %s} has %g %s, must be 0: brackets are antisymmetric",
                           p->component[i], p->component[j], v[3], p->component[k]);
  if (!isnan(*known) && *known != v[3])
    return cas_config_fail(c, err, path,
                           "{%s, %s} has %g %s, and %g of it by a row before: {x, y} = -{y, x}, so "
                           "that one of a pair says it all",
                           p->component[i], p->component[j], v[3], p->component[k], *known);
  *known = v[3];
  *other = -v[3];
  return CAS_OK;
}

static void set_linear(cas_lie_poisson *p, const double *constant) {
  const int n = p->h.components;
  cas_operations *l = &p->h.list;
  for (int e = 0; e < n * n * n; e++)
    if (!isnan(constant[e]))
      p->h.bracket.entry[e / n] = cas_operations_apply(
          l, CAS_OPERATOR_ADD, p->h.bracket.entry[e / n],
          cas_operations_apply(l, CAS_OPERATOR_MULTIPLY, cas_operations_number(l, constant[e]),
                               cas_operations_variable(l, e % n)));
}

static cas_status read_constants(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  const cas_vectors *rows = &p->structure_constants;
  const size_t n = (size_t)p->h.components, size = n * n * n;
  double *constant = malloc(size * sizeof *constant);
  cas_status st = constant ? CAS_OK : cas_no_memory(err);
  for (size_t i = 0; !st && i < size; i++)
    constant[i] = NAN;
  for (int row = 0; !st && row < rows->rows; row++)
    st = add_constant(c, p, row, constant, err);
  if (!st)
    set_linear(p, constant);
  free(constant);
  return st;
}

static cas_status read_brackets(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  if (p->brackets.n == 0)
    return cas_config_fail(
        c, err, "system",
        "'brackets' is missing: 'algebra: brackets' needs {%s %s: expression, ..}", p->component[0],
        p->component[1]);
  for (int k = 0; k < p->brackets.n; k++)
    CAS_CALL(read_bracket(c, p, k, err));
  return CAS_OK;
}

/* Those of the configuration, which may be none. */
static cas_status read_own(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  CAS_CALL(p->algebra == CAS_LIE_POISSON_CONSTANTS ? read_constants(c, p, err)
                                                   : read_brackets(c, p, err));
  return cas_check_linear(&p->h, &p->is_linear) ? CAS_OK : too_large(c, err);
}

static cas_status find_brackets(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  const size_t n = (size_t)p->h.components;
  p->h.bracket = (cas_bracket){(int)n, calloc(n * n, sizeof(int))};
  if (!p->h.bracket.entry)
    return cas_no_memory(err);
  int zero = cas_operations_number(&p->h.list, 0);
  for (size_t i = 0; i < n * n; i++)
    p->h.bracket.entry[i] = zero;
  p->is_linear = true;
  CAS_CALL(is_own(p) ? read_own(c, p, err) : brackets_of_algebra(p, err));
  return p->h.list.failed ? too_large(c, err) : CAS_OK;
}

/* ---- Casimirs of brackets ---- */

static cas_status read_casimirs(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  const int n = p->casimirs.n;
  int *root = p->casimir = calloc((size_t)n + 1, sizeof *root);
  char path[PATH_SIZE];
  cas_status st = root ? CAS_OK : cas_no_memory(err);
  if (!st && n > MOST_CASIMIRS)
    st = cas_config_fail(c, err, "system.casimirs", "found %d, must be at most %d", n,
                         MOST_CASIMIRS);
  for (int k = 0; k < n && !st; k++) {
    snprintf(path, sizeof path, "system.casimirs[%d]", k);
    st = read_expression(c, path, p->casimirs.value[k], p, &root[k], err);
    if (!st && cas_hamiltonians_is_constant(&p->h, root[k]))
      st = cas_config_fail(c, err, path, "is constant, must depend on the state");
  }
  p->table.lanes = LANES;
  p->table.casimirs = n;
  if (!st && n > 0 && !cas_hamiltonians_state_program(&p->h, n, root, LANES, &p->table.casimir))
    st = too_large(c, err);
  return st;
}

static cas_status make_action(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  int *result = calloc((size_t)p->h.components, sizeof *result);
  bool made = result && cas_bracket_action(&p->h, result) &&
              cas_hamiltonians_state_program(&p->h, p->h.components, result, CAS_GROUP_LANES,
                                             &p->table.action);
  free(result);
  return made ? CAS_OK : too_large(c, err);
}

/* ---- Hamiltonians ---- */

static cas_status read_hamiltonian(const cas_config *c, cas_lie_poisson *p, int k, cas_error *err) {
  char path[PATH_SIZE] = "system.hamiltonian";
  const char *text = k ? p->noise.value[k - 1] : p->hamiltonian;
  double value = 1;
  if (k > 0)
    snprintf(path, sizeof path, "system.noise[%d]", k - 1);
  CAS_CALL(read_expression(c, path, text, p, &p->h.hamiltonian[k], err));
  bool zero = cas_operations_is_number(&p->h.list, p->h.hamiltonian[k], &value) && value == 0;
  if (cas_hamiltonians_is_constant(&p->h, p->h.hamiltonian[k]) &&
      !(zero && k == 0 && p->noise.n > 0))
    return cas_config_fail(c, err, path,
                           "found '%.60s', which is constant: must depend on the state (%s, ..)%s",
                           text, p->component[0], k ? "" : ", or be 0 where there is noise");
  return CAS_OK;
}

static cas_status read_hamiltonians(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  p->h.hamiltonian = calloc((size_t)p->noise.n + 1, sizeof *p->h.hamiltonian);
  if (!p->h.hamiltonian)
    return cas_no_memory(err);
  for (int k = 0; k <= p->noise.n; k++)
    CAS_CALL(read_hamiltonian(c, p, k, err));
  return CAS_OK;
}

/* xi = weight grad H */
static cas_status set_weights(cas_lie_poisson *p, cas_error *err) {
  if (p->algebra != CAS_LIE_POISSON_SU_N)
    return CAS_OK;
  p->h.weight = calloc((size_t)p->h.components, sizeof *p->h.weight);
  if (!p->h.weight)
    return cas_no_memory(err);
  for (int j = 0; j < p->h.components; j++)
    p->h.weight[j] = weight(p, j);
  return CAS_OK;
}

/* ---- forms of Hamiltonians on so3 and se3, for which more is known ---- */

/* The first entry of A_k that is not 0 and not one that the form has: off the diagonal on so3; on
   se3 that of a component of Gamma. */
static cas_form_place find_entry(const cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n;
  for (int e = 0; e < (1 + p->h.noises) * n * n; e++) {
    const int i = e / n % n, j = e % n;
    if (q->matrix[e] != 0 && (n == 3 ? i != j : i > 2 || j > 2))
      return (cas_form_place){e / n / n, i, j};
  }
  return (cas_form_place){-1, 0, 0};
}

/* Coefficients of a step: entries of sum_k c_k A_k, those on the diagonal or the upper half of the
   first three, and of sum_k c_k b_k. */
static bool make_rows(cas_lie_poisson *p, const cas_quadratics *q) {
  const int n = q->n, columns = 1 + p->h.noises;
  double *matrix = calloc((size_t)((6 + n) * columns), sizeof *matrix);
  int rows = 0;
  cas_step_sums_free(&p->program.once);
  for (int i = 0; matrix && i < 3; i++)
    for (int j = i; j < (p->form == CAS_LIE_POISSON_AXES ? i + 1 : 3); j++, rows++)
      for (int k = 0; k < columns; k++)
        matrix[rows * columns + k] = q->matrix[(k * n + i) * n + j];
  for (int i = 0; matrix && i < n; i++, rows++)
    for (int k = 0; k < columns; k++) {
      matrix[rows * columns + k] = q->vector[k * n + i];
      p->has_linear |= q->vector[k * n + i] != 0;
    }
  bool made = matrix && cas_step_sums_make(rows, columns, matrix, &p->program.once);
  free(matrix);
  return made;
}

/* With g = x x Q x, sum_k (D g_k) g_k of diagonal Q_k is x_i sum_j ito_ij x_j^2. */
static bool find_ito(cas_lie_poisson *p) {
  cas_quadratics q;
  cas_form_place place;
  bool done = cas_quadratics_find(&p->h, 1, &q, &place);
  p->squares = done && place.k < 0 && find_entry(p, &q).k < 0;
  for (int k = 1; p->squares && k <= p->h.noises; k++) {
    const double *b = q.vector + 3 * k;
    double a[3];
    for (int i = 0; i < 3; i++)
      a[i] = q.matrix[9 * k + 4 * i];
    p->squares = b[0] == 0 && b[1] == 0 && b[2] == 0;
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      p->ito[i][j] += (a[l] - a[j]) * (a[j] - a[i]);
      p->ito[i][l] += (a[l] - a[j]) * (a[i] - a[l]);
    }
  }
  cas_quadratics_free(&q);
  return done;
}

static bool find_form(cas_lie_poisson *p) {
  cas_quadratics q;
  if (p->algebra != CAS_LIE_POISSON_SO3 && p->algebra != CAS_LIE_POISSON_SE3)
    return true;
  bool done = cas_quadratics_find(&p->h, 0, &q, &p->not_affine) &&
              cas_forms_find_coupling(&p->h, &p->not_separate);
  if (done && p->algebra == CAS_LIE_POISSON_SE3 && p->not_affine.k < 0)
    p->not_affine = find_entry(p, &q);
  if (cas_dissipation_given(&p->dissipation)) {
    cas_quadratics_free(&q);
    return done;
  }
  if (done && p->not_affine.k < 0)
    p->form = p->algebra == CAS_LIE_POISSON_SO3 && find_entry(p, &q).k < 0 ? CAS_LIE_POISSON_AXES
                                                                           : CAS_LIE_POISSON_AFFINE;
  else if (done && p->algebra == CAS_LIE_POISSON_SO3 && p->not_separate.k < 0)
    p->form = CAS_LIE_POISSON_SEPARATE;
  if (done && (p->form == CAS_LIE_POISSON_AXES || p->form == CAS_LIE_POISSON_AFFINE))
    done = make_rows(p, &q);
  cas_quadratics_free(&q);
  return done && (p->algebra != CAS_LIE_POISSON_SO3 || find_ito(p));
}

static cas_status check(const cas_config *c, void *parameters_, cas_error *err) {
  cas_lie_poisson *p = parameters_;
  errno = 0;
  CAS_CALL(name_algebra(c, p, err));
  CAS_CALL(check_keys(c, p, err));
  if (p->algebra == CAS_LIE_POISSON_CONSTANTS && p->structure_constants.columns != 4)
    return cas_config_fail(c, err, "system.algebra.structure_constants",
                           "found rows of %d numbers, must be [i, j, k, c]",
                           p->structure_constants.columns);
  if (is_own(p))
    CAS_CALL(check_components(c, p, err));
  fill_size(p);
  CAS_CALL(name_components(p, err));
  p->h.components = dimension(p);
  p->h.noises = p->noise.n;
  CAS_CALL(CAS_ISA(cas_parameters_read)(c, &p->parameters, p->component, &p->constants, err));
  CAS_CALL(find_brackets(c, p, err));
  CAS_CALL(read_hamiltonians(c, p, err));
  CAS_CALL(read_casimirs(c, p, err));
  CAS_CALL(set_weights(p, err));
  if (!cas_hamiltonians_derive(&p->h) ||
      !cas_hamiltonian_programs_make(&p->h, CAS_GROUP_LANES, LANES, &p->program) || !find_form(p))
    return too_large(c, err);
  return is_own(p) ? make_action(c, p, err) : CAS_OK;
}

/* The brackets of the noises' Hamiltonians are Hamiltonians of further noises, whose increments are
   areas. */
static cas_status take_areas(const cas_config *c, void *parameters_, cas_error *err) {
  cas_lie_poisson *p = parameters_;
  errno = 0;
  if (!cas_hamiltonians_add_brackets(&p->h))
    return too_large(c, err);
  cas_hamiltonian_programs_free(&p->program);
  p->form = CAS_LIE_POISSON_GENERAL;
  p->has_linear = false;
  if (!cas_hamiltonian_programs_make(&p->h, CAS_GROUP_LANES, LANES, &p->program) || !find_form(p))
    return too_large(c, err);
  return CAS_OK;
}

static int areas(const void *parameters_) {
  const cas_lie_poisson *p = parameters_;
  return p->h.noises - p->noise.n;
}

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
  CAS_ISA(cas_parameters_free)(&p->constants);
  cas_hamiltonians_free(&p->h);
  cas_hamiltonian_programs_free(&p->program);
  cas_program_free(&p->table.action);
  cas_program_free(&p->table.casimir);
}

static size_t bytes(const void *parameters_) {
  const cas_lie_poisson *p = parameters_;
  return cas_program_bytes(&p->program.psi) + cas_program_bytes(&p->program.ito) +
         (size_t)p->h.list.capacity * (sizeof(cas_operation) + 3 * sizeof(int));
}

/* ---- what is checked at points about the initial state ---- */

static cas_status check_jacobi(const cas_config *c, cas_lie_poisson *p, const double *x,
                               cas_error *err) {
  const char *key = p->algebra == CAS_LIE_POISSON_CONSTANTS ? "system.algebra.structure_constants"
                                                            : "system.brackets";
  cas_check_finding f;
  if (!cas_check_jacobi(&p->h, x, &f))
    return too_large(c, err);
  const char *const names[] = {p->component[f.i], p->component[f.j], p->component[f.k]};
  if (f.largest > cas_check_holds)
    return cas_config_fail(c, err, key,
                           "the Jacobi identity fails for %s, %s and %s: the cyclic sum of {x, {y, "
                           "z}} is %.3g times that of the absolute values of its terms at a point "
                           "about the initial state, must be 0",
                           names[0], names[1], names[2], f.largest);
  if (f.not_evaluated)
    return cas_config_fail(c, err, key,
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
    return too_large(c, err);
  if (f.largest > cas_check_holds)
    return cas_config_fail(c, err, path,
                           "is no Casimir: its bracket with %s is %.3g times the sum of the "
                           "absolute values of its terms at a point about the initial state, must "
                           "be 0",
                           p->component[f.i], f.largest);
  if (f.not_evaluated)
    return cas_config_fail(c, err, path,
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
  if (is_own(p))
    CAS_CALL(check_jacobi(c, p, x, err));
  for (int k = 0; k < p->casimirs.n; k++)
    CAS_CALL(check_casimir(c, p, k, x, err));
  if (!cas_check_commuting(&p->h, x, &p->commutes, &f))
    return too_large(c, err);
  if (f.not_evaluated)
    return cas_config_fail(c, err, "system.noise",
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

static int noises(const void *parameters_) {
  return ((const cas_lie_poisson *)parameters_)->noise.n;
}

static bool commuting(const void *parameters_) {
  return ((const cas_lie_poisson *)parameters_)->commutes;
}

static const char *components(const void *parameters_) {
  return ((const cas_lie_poisson *)parameters_)->names;
}

static void random_state(const void *parameters_, double norm, double *x) {
  cas_components_scale_to_norm(dimension(parameters_), norm, x);
}

static int coefficients(const void *parameters_) {
  const int n = ((const cas_lie_poisson *)parameters_)->program.once.rows;
  return n > 0 ? n : 1;
}

static const cas_body *body(const void *parameters_) {
  return CAS_ISA(cas_lie_poisson_body)(parameters_);
}

/* Why there are no exact flows of parts, or no matrix of second derivatives; where nothing is
   configured, where there are. */
static void misfit(const void *parameters_, unsigned missing, char *out, size_t size) {
  const cas_lie_poisson *p = parameters_;
  const cas_form_place *at = missing & CAS_FLOWS ? &p->not_separate : &p->not_affine;
  if (!p->component && missing & CAS_FLOWS)
    snprintf(out, size, "fits sums of functions of one component each, on so3");
  else if (!p->component && missing & CAS_AFFINE)
    snprintf(
        out, size,
        "fits Hamiltonians of at most second degree on so3, and on se3 those of at most second "
        "degree in Pi and linear in Gamma");
  else if (missing & CAS_FLOWS && p->algebra != CAS_LIE_POISSON_SO3)
    snprintf(out, size,
             "it needs exact flows of parts of the Hamiltonians, which of expressions are known on "
             "so3 alone, not on %s",
             algebras[p->algebra]);
  else if (missing & CAS_FLOWS)
    snprintf(
        out, size,
        "it needs exact flows of parts of the Hamiltonians, which are known of functions of one "
        "component each and their sums: the derivative of H_%d with respect to %s depends on "
        "%s",
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

static const void *table(const void *parameters_) {
  return &((const cas_lie_poisson *)parameters_)->table;
}

/* ---- observables ---- */

static void hamiltonian(const void *parameters_, int W, const double *x, double *out) {
  CAS_ISA(cas_program_rows)(&((const cas_lie_poisson *)parameters_)->program.value, W, x, out);
}

static void norm_of_state(const void *parameters_, int W, const double *x, double *out) {
  cas_components_norm(dimension(parameters_), W, x, out);
}

static const cas_formulas *formulas(const void *parameters_) {
  return &((const cas_lie_poisson *)parameters_)->observables;
}

static const cas_constants *constants(const void *parameters_) {
  return &((const cas_lie_poisson *)parameters_)->constants;
}

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
    .options = options,
    .parameters_size = sizeof(cas_lie_poisson),
    .lanes = LANES,
    .check = check,
    .release = release,
    .bytes = bytes,
    .body = body,
    .geometry = geometry,
    .table = table,
    .noises = noises,
    .commuting = commuting,
    .components = components,
    .unit = STATE,
    .random = random_state,
    .check_initial = check_initial,
    .check_at = check_at,
    .coefficients = coefficients,
    .prepare = CAS_ISA(cas_lie_poisson_prepare),
    .take_areas = take_areas,
    .areas = areas,
    .add_areas = add_areas,
    .dissipated = &(const cas_dissipated){.offset = offsetof(cas_lie_poisson, dissipation),
                                          .weights = weights},
    .functionals = functionals,
    .observables = observables,
    .formulas = formulas,
    .constants = constants,
    .misfit = misfit,
};
