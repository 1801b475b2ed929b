/* Any bytes as an expression, for libFuzzer: refused with a message, or read, differentiated twice,
   made into a program and run, on the instruction set of this processor; and as Hamiltonian and
   noise of a system on so(3). */
#include "language/expressions/checks.h"
#include "math/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

enum { LANES = 16 };

static void run(const cas_operations *l, const int *result) {
  static const int stride[CAS_PROGRAM_ARRAYS] = {CAS_PROGRAM_NUMBER_LANES, CAS_PROGRAM_NUMBER_LANES,
                                                 LANES, LANES, LANES};
  _Alignas(64) double x[3 * LANES], out[7 * LANES];
  cas_program_source *source = calloc((size_t)l->n + 1, sizeof *source);
  cas_program p;
  for (int i = 0; i < 3 * LANES; i++)
    x[i] = 0.1 * i;
  for (int i = 0; source && i < l->n; i++)
    if (l->operation[i].operator_ == CAS_OPERATOR_VARIABLE)
      source[i] = (cas_program_source){CAS_PROGRAM_IN_FIRST, l->operation[i].a};
  if (source && cas_program_make(l, 7, result, source, stride, &p)) {
    cas_kernels_get()->run(&p, LANES, x, out);
    cas_program_free(&p);
  }
  free(source);
}

/* Takes over the list. */
static void derive(cas_operations list, int root) {
  static const int component[3][3] = {{-1, 2, 1}, {2, -1, 0}, {1, 0, -1}};
  int entry[9], hamiltonian[2] = {root, root};
  cas_hamiltonians h = {.list = list, .components = 3, .noises = 1, .bracket = {3, entry}};
  cas_hamiltonian_programs programs;
  cas_quadratics q = {0};
  cas_form_place place;
  for (int e = 0; e < 9; e++) {
    int k = component[e / 3][e % 3];
    entry[e] = k < 0 ? cas_operations_number(&h.list, 0) : cas_operations_variable(&h.list, k);
  }
  h.hamiltonian = hamiltonian;
  if (cas_hamiltonians_derive(&h) && cas_hamiltonian_programs_make(&h, LANES, LANES, &programs)) {
    if (cas_quadratics_find(&h, &q, &place) && cas_check_coupling(&h, &place) && place.k > 1)
      abort();
    cas_quadratics_free(&q);
    cas_hamiltonian_programs_free(&programs);
  }
  h.hamiltonian = NULL;
  h.bracket.entry = NULL;
  cas_hamiltonians_free(&h);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  static const char *const variables[] = {"x1", "x2", "x3", NULL}, *const constants[] = {"I1",
                                                                                         NULL};
  static const double values[] = {2};
  const cas_scope scope = {.variable = variables, .constant = constants, .value = values};
  char *text = strndup((const char *)bytes, size);
  cas_operations l = {0};
  cas_complaint e = {0};
  int root[7];
  if (!text)
    return 0;
  if (!cas_expression_read(text, &scope, &l, &root[0], &e)) {
    if (!e.text[0] || e.at < 0 || (size_t)e.at > strlen(text))
      abort();
  } else if (cas_operations_gradient(&l, root[0], 3, root + 1) &&
             cas_operations_tangent(&l, 3, root + 1, 3, root + 1, root + 4)) {
    run(&l, root);
    derive(l, root[0]);
    l = (cas_operations){0};
  }
  cas_operations_free(&l);
  free(text);
  return 0;
}
