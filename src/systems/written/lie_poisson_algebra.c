/* The algebras and brackets of lie_poisson: components of states, and J_ij = {x_i, x_j}. On a
   built-in algebra J X is its coadjoint action; other brackets are expressions as well. */
#include "math/kernels/kernels.h"
#include "systems/written/expressions.h"
#include "systems/written/lie_poisson.h"

enum { MOST = 32, MOST_CASIMIRS = 32, PATH_SIZE = 160 };

const char *const CAS_ISA(cas_lie_poisson_algebras)[] = {
    "so3", "se3", "so_n", "su_n", "su2", "brackets", "structure_constants", NULL};

/* ---- components ---- */

static int own_components(const cas_lie_poisson *p) {
  const cas_vectors *c = &p->structure_constants;
  double most = 0;
  for (int i = 0; p->components.n == 0 && i < 4 * c->rows; i++)
    most = i % 4 < 3 ? fmax(most, c->value[i]) : most;
  return p->components.n ? p->components.n : (int)fmin(most, MOST + 1);
}

extern const cas_algebra CAS_ISA(cas_algebra_so3), CAS_ISA(cas_algebra_se3),
    CAS_ISA(cas_algebra_so_n), CAS_ISA(cas_algebra_su_n), CAS_ISA(cas_algebra_su2),
    CAS_ISA(cas_algebra_brackets);

static const cas_algebra *algebra_of(const cas_lie_poisson *p) {
  static const cas_algebra *const of[] = {[CAS_LIE_POISSON_SO3] = &CAS_ISA(cas_algebra_so3),
                                          [CAS_LIE_POISSON_SE3] = &CAS_ISA(cas_algebra_se3),
                                          [CAS_LIE_POISSON_SO_N] = &CAS_ISA(cas_algebra_so_n),
                                          [CAS_LIE_POISSON_SU_N] = &CAS_ISA(cas_algebra_su_n),
                                          [CAS_LIE_POISSON_SU2] = &CAS_ISA(cas_algebra_su2)};
  return cas_lie_poisson_is_own(p) ? &CAS_ISA(cas_algebra_brackets) : of[p->algebra];
}

void CAS_ISA(cas_lie_poisson_geometry)(const void *parameters_, int *n, int *factors) {
  const cas_lie_poisson *p = parameters_;
  *n = p->algebra == CAS_LIE_POISSON_SO_N   ? (int)p->n
       : p->algebra == CAS_LIE_POISSON_SU_N ? (int)p->N
       : cas_lie_poisson_is_own(p)          ? own_components(p)
                                            : 3;
  *factors = p->algebra == CAS_LIE_POISSON_SU2 ? (int)p->factors : 1;
}

int CAS_ISA(cas_lie_poisson_dimension)(const cas_lie_poisson *p) {
  int n, factors;
  CAS_ISA(cas_lie_poisson_geometry)(p, &n, &factors);
  return factors * algebra_of(p)->dimension(n);
}

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
  for (int i = 0; cas_lie_poisson_is_own(p) && i < CAS_ISA(cas_lie_poisson_dimension)(p); i++)
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
  CAS_NEED(f);
  write_names(f, p);
  if (fclose(f) || size == 0)
    return cas_no_memory(err);
  p->names[size - 1] = '\0';
  p->copy = strdup(p->names);
  p->component = calloc((size_t)CAS_ISA(cas_lie_poisson_dimension)(p) + 1, sizeof *p->component);
  CAS_NEED(p->copy && p->component);
  for (char *name = strtok_r(p->copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    p->component[n++] = name;
  return CAS_OK;
}

static cas_status check_components(const cas_config *c, const cas_lie_poisson *p, cas_error *err) {
  const int n = own_components(p);
  CAS_REFUSE(c, n > MOST && p->components.n == 0, "system.algebra.structure_constants",
             "numbers of components go up to %d and beyond, must be at most %d", n, MOST);
  CAS_REFUSE(c, n < 2 || n > MOST, "system.components",
             "found %d names, must be from 2 to %d, such as [x, y, z]", n, MOST);
  return CAS_ISA(cas_written_check_names)(c, "system.components", &p->components, err);
}

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
    CAS_REFUSE(c,
               keys[i].given && cas_config_has(c, keys[i].key) && p->algebra != keys[i].algebra &&
                   p->algebra != keys[i].also,
               keys[i].key, "belongs to 'algebra: %s', not to 'algebra: %s'",
               CAS_ISA(cas_lie_poisson_algebras)[keys[i].algebra],
               CAS_ISA(cas_lie_poisson_algebras)[p->algebra]);
  return CAS_OK;
}

cas_status CAS_ISA(cas_lie_poisson_read_algebra)(const cas_config *c, cas_lie_poisson *p,
                                                 cas_error *err) {
  const int rows = p->structure_constants.rows;
  /* Structure constants may stand in place of the name of an algebra. */
  if (rows > 0 && !cas_config_has(c, "system.algebra.name"))
    p->algebra = CAS_LIE_POISSON_CONSTANTS;
  CAS_REFUSE(c, p->algebra == CAS_LIE_POISSON_CONSTANTS && rows == 0, "system.algebra",
             "without structure constants; must be {structure_constants: [[1, 2, 3, "
             "1], ..]} with rows [i, j, k, c], {x_i, x_j} = sum of c x_k");
  CAS_CALL(check_keys(c, p, err));
  CAS_REFUSE(c, p->algebra == CAS_LIE_POISSON_CONSTANTS && p->structure_constants.columns != 4,
             "system.algebra.structure_constants", "found rows of %d numbers, must be [i, j, k, c]",
             p->structure_constants.columns);
  if (cas_lie_poisson_is_own(p))
    CAS_CALL(check_components(c, p, err));
  /* Keys of algebras that are not named stay absent, in files too. */
  if (p->algebra == CAS_LIE_POISSON_SO_N && !p->n)
    p->n = 3;
  if (p->algebra == CAS_LIE_POISSON_SU_N && !p->N)
    p->N = 2;
  if (p->algebra == CAS_LIE_POISSON_SU2 && !p->factors)
    p->factors = 1;
  CAS_CALL(name_components(p, err));
  p->h.components = CAS_ISA(cas_lie_poisson_dimension)(p);
  return CAS_OK;
}

/* ---- brackets ---- */

/* The pairing of su(N) is -Tr X Y, in which components off the diagonal count twice. */
static double weight(const cas_lie_poisson *p, int j) {
  return p->algebra == CAS_LIE_POISSON_SU_N && j >= p->N ? 0.5 : 1;
}

/* {x_i, x_j} from the action of unit vector j on all unit vectors, a group of lanes at a time. */
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
    algebra_of(p)->coadjoint(g, xi, mu, out);
    for (int i = 0; i < n; i++)
      for (int lane = 0; lane < L && first + lane < n; lane++) {
        int *entry = &p->h.bracket.entry[i * n + j];
        int x = cas_operations_variable(l, first + lane),
            factor = cas_operations_number(l, out[i * L + lane]);
        *entry = cas_operations_add_product(l, *entry, factor, x);
      }
  }
}

static cas_status brackets_of_algebra(cas_lie_poisson *p, cas_error *err) {
  cas_geometry g = {.components = CAS_ISA(cas_lie_poisson_dimension)(p)};
  size_t size = (size_t)(g.components * CAS_GROUP_LANES), matrices = 8 * size;
  CAS_OWNED double *memory = aligned_alloc(64, ((3 + 8) * size + 16) / 8 * 64);
  CAS_NEED(memory);
  CAS_ISA(cas_lie_poisson_geometry)(p, &g.n, &g.factors);
  memset(memory, 0, (3 * size + matrices) * sizeof *memory);
  g.scratch = memory + 3 * size;
  for (int j = 0; j < g.components; j++)
    add_action(p, &g, j, memory, memory + size, memory + 2 * size);
  return CAS_OK;
}

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
  CAS_REFUSE(c, i < 0 || j < 0 || i == j, path,
             "found '%.60s', must be two different components with a blank between "
             "them, such as '%s %s'",
             pair, p->component[0], p->component[1]);
  CAS_REFUSE(c, !p->brackets.text[k], path, "must be {%s: expression, ..}", pair);
  CAS_REFUSE(c, entry[i * n + j] != entry[0], path,
             "is given twice: {x, y} = -{y, x}, so that one of a pair says it all");
  CAS_CALL(CAS_ISA(cas_written_read)(c, path, p->brackets.text[k], p->component, &p->constants,
                                     &p->h.list, &root, err));
  entry[i * n + j] = root;
  entry[j * n + i] = cas_operations_apply(&p->h.list, CAS_OPERATOR_NEGATE, root, 0);
  return CAS_OK;
}

/* Sets constant[(i n + j) n + k], NaN where unknown, by a row, and its negative for {x_j, x_i}. */
static cas_status add_constant(const cas_config *c, const cas_lie_poisson *p, int row,
                               double *constant, cas_error *err) {
  const double *v = p->structure_constants.value + 4 * row;
  const int n = p->h.components;
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "system.algebra.structure_constants[%d]", row);
  for (int i = 0; i < 3; i++)
    CAS_REFUSE(c, !(v[i] >= 1 && v[i] <= n && v[i] == floor(v[i])), path,
               "found the component %g, must be a whole number from 1 to %d (%s to %s)", v[i], n,
               p->component[0], p->component[n - 1]);
  const int i = (int)v[0] - 1, j = (int)v[1] - 1, k = (int)v[2] - 1;
  double *known = &constant[(i * n + j) * n + k], *other = &constant[(j * n + i) * n + k];
  for (int before = 0; before < row; before++)
    CAS_REFUSE(c, memcmp(v, v + 4 * (before - row), 3 * sizeof *v) == 0, path,
               "the components of row %d again: give their sum in one row", before + 1);
  CAS_REFUSE(c, i == j && v[3] != 0, path,
             "{%s, %s} has %g %s, must be 0: brackets are antisymmetric", p->component[i],
             p->component[j], v[3], p->component[k]);
  CAS_REFUSE(c, !isnan(*known) && *known != v[3], path,
             "{%s, %s} has %g %s, and %g of it by a row before: {x, y} = -{y, x}, so "
             "that one of a pair says it all",
             p->component[i], p->component[j], v[3], p->component[k], *known);
  *known = v[3];
  *other = -v[3];
  return CAS_OK;
}

static cas_status read_constants(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  const int n = p->h.components, size = n * n * n;
  cas_operations *l = &p->h.list;
  CAS_OWNED double *constant = malloc((size_t)size * sizeof *constant);
  CAS_NEED(constant);
  for (int e = 0; e < size; e++)
    constant[e] = NAN;
  for (int row = 0; row < p->structure_constants.rows; row++)
    CAS_CALL(add_constant(c, p, row, constant, err));
  for (int e = 0; e < size; e++)
    if (!isnan(constant[e])) {
      int *entry = &p->h.bracket.entry[e / n];
      const int x = cas_operations_variable(l, e % n),
                factor = cas_operations_number(l, constant[e]);
      *entry = cas_operations_add_product(l, *entry, factor, x);
    }
  return CAS_OK;
}

static cas_status read_own(const cas_config *c, cas_lie_poisson *p, cas_error *err) {
  CAS_REFUSE(c, p->algebra == CAS_LIE_POISSON_BRACKETS && p->brackets.n == 0, "system",
             "'brackets' is missing: 'algebra: brackets' needs {%s %s: expression, ..}",
             p->component[0], p->component[1]);
  if (p->algebra == CAS_LIE_POISSON_CONSTANTS)
    CAS_CALL(read_constants(c, p, err));
  for (int k = 0; k < p->brackets.n; k++)
    CAS_CALL(read_bracket(c, p, k, err));
  return cas_check_linear(&p->h, &p->known.is_linear) ? CAS_OK
                                                      : CAS_ISA(cas_written_too_large)(c, err);
}

cas_status CAS_ISA(cas_lie_poisson_find_brackets)(const cas_config *c, cas_lie_poisson *p,
                                                  cas_error *err) {
  const size_t n = (size_t)p->h.components;
  p->h.bracket = (cas_bracket){(int)n, calloc(n * n, sizeof(int))};
  CAS_NEED(p->h.bracket.entry);
  int zero = cas_operations_number(&p->h.list, 0);
  for (size_t i = 0; i < n * n; i++)
    p->h.bracket.entry[i] = zero;
  p->known.is_linear = true;
  CAS_CALL(cas_lie_poisson_is_own(p) ? read_own(c, p, err) : brackets_of_algebra(p, err));
  return p->h.list.failed ? CAS_ISA(cas_written_too_large)(c, err) : CAS_OK;
}

cas_status CAS_ISA(cas_lie_poisson_read_casimirs)(const cas_config *c, cas_lie_poisson *p,
                                                  cas_error *err) {
  const int n = p->casimirs.n;
  int *root = p->casimir = calloc((size_t)n + 1, sizeof *root);
  char path[PATH_SIZE];
  CAS_NEED(root);
  CAS_REFUSE(c, n > MOST_CASIMIRS, "system.casimirs", "found %d, must be at most %d", n,
             MOST_CASIMIRS);
  for (int k = 0; k < n; k++) {
    snprintf(path, sizeof path, "system.casimirs[%d]", k);
    CAS_CALL(CAS_ISA(cas_written_read)(c, path, p->casimirs.value[k], p->component, &p->constants,
                                       &p->h.list, &root[k], err));
    CAS_REFUSE(c, cas_hamiltonians_is_constant(&p->h, root[k]), path,
               "is constant, must depend on the state");
  }
  p->table.casimirs = n;
  if (n > 0 &&
      !cas_hamiltonians_state_program(&p->h, n, root, CAS_PROGRAM_BLOCK_LANES, &p->table.casimir))
    return CAS_ISA(cas_written_too_large)(c, err);
  return CAS_OK;
}

cas_status CAS_ISA(cas_lie_poisson_make_action)(const cas_config *c, cas_lie_poisson *p,
                                                cas_error *err) {
  CAS_OWNED int *result = calloc((size_t)p->h.components, sizeof *result);
  bool made = result && cas_bracket_action(&p->h, result) &&
              cas_hamiltonians_state_program(&p->h, p->h.components, result, CAS_GROUP_LANES,
                                             &p->table.action);
  return made ? CAS_OK : CAS_ISA(cas_written_too_large)(c, err);
}

/* xi = weight grad H */
cas_status CAS_ISA(cas_lie_poisson_set_weights)(cas_lie_poisson *p, cas_error *err) {
  if (p->algebra != CAS_LIE_POISSON_SU_N)
    return CAS_OK;
  p->h.weight = calloc((size_t)p->h.components, sizeof *p->h.weight);
  CAS_NEED(p->h.weight);
  for (int j = 0; j < p->h.components; j++)
    p->h.weight[j] = weight(p, j);
  return CAS_OK;
}
