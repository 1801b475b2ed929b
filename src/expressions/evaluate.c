/* Runs programs, compiled for every instruction set. */
#include "base/elementary.h"
#include "expressions/program.h"

#include <string.h>

static cas_vec of_abs(cas_vec a) { return cas_vabs(a); }
static cas_vec of_sign(cas_vec a) { return cas_vsign(a); }
static cas_vec of_less(cas_vec a, cas_vec b) { return cas_one_if_greater(b, a); }
static cas_vec of_least(cas_vec a, cas_vec b) {
  return cas_where((cas_ivec)(a < b) | (cas_ivec)(a != a), a, b);
}
static cas_vec of_most(cas_vec a, cas_vec b) {
  return cas_where((cas_ivec)(a > b) | (cas_ivec)(a != a), a, b);
}
#define of_sqrt cas_vsqrt
#define of_sin cas_vsin
#define of_cos cas_vcos
#define of_tan cas_vtan
#define of_exp cas_vexp
#define of_log cas_vlog
#define of_pow cas_vpow
#define OF(f) of_##f

/* `lanes` is a constant; numbers have fewer of them than a block. */
CAS_INLINE void run(const cas_program *p, int lanes, const double *const given[CAS_ARRAYS],
                    double *workspace) {
  const double *const array[CAS_ARRAYS] = {p->number, workspace, given[CAS_IN_RESULT],
                                           given[CAS_IN_FIRST], given[CAS_IN_SECOND]};
  const cas_instruction *last = p->instruction + p->instructions;
  for (const cas_instruction *i = p->instruction; i < last; i++) {
    const double *at[4];
    int mask[4];
    for (int k = 0; k < 4; k++) {
      at[k] = array[i->array[k]] + i->at[k];
      mask[k] =
          lanes > CAS_NUMBER_LANES && i->array[k] == CAS_IN_NUMBERS ? CAS_NUMBER_LANES - 1 : -1;
    }
#define PLACE(k, u) (at[k] + (lanes > CAS_NUMBER_LANES ? (u)&mask[k] : (u)))
    switch (i->operator_) {
#define CAS_OPERATION(name, operands, formula)                \
  case CAS_OP_##name:                                         \
    for (int n = 0; n < i->times; n++) {                      \
      for (int u = 0; u < lanes; u += CAS_VL) {               \
        cas_vec a = cas_load(PLACE(1, u));                    \
        cas_vec b = operands > 1 ? cas_load(PLACE(2, u)) : a; \
        cas_vec c = operands > 2 ? cas_load(PLACE(3, u)) : a; \
        (void)b, (void)c;                                     \
        cas_store((double *)at[0] + u, formula);              \
      }                                                       \
      for (int k = 0; k <= operands; k++)                     \
        at[k] += i->step[k];                                  \
    }                                                         \
    break;
#include "expressions/operations.def"
#undef CAS_OPERATION
    }
#undef PLACE
  }
}

void CAS_ISA(cas_program_run)(const cas_program *p, const double *const array[CAS_ARRAYS]) {
  _Alignas(64) double workspace[CAS_PROGRAM_WORKSPACE * CAS_NUMBER_LANES];
  run(p, CAS_GROUP_LANES, array, workspace);
}

void CAS_ISA(cas_program_run_block)(const cas_program *p, const double *const array[CAS_ARRAYS]) {
  _Alignas(64) double workspace[CAS_PROGRAM_WORKSPACE * CAS_BLOCK_LANES];
  run(p, CAS_BLOCK_LANES, array, workspace);
}

void CAS_ISA(cas_program_rows)(const cas_program *p, int lanes, const double *first,
                               double *result) {
  _Alignas(64) double aligned[CAS_BLOCK_RESULTS * CAS_BLOCK_LANES];
  for (int l = 0; l < lanes; l += CAS_GROUP_LANES) {
    const double *const array[CAS_ARRAYS] = {
        [CAS_IN_RESULT] = aligned + l, [CAS_IN_FIRST] = first + l};
    CAS_ISA(cas_program_run)(p, array);
  }
  memcpy(result, aligned, (size_t)(p->results * lanes) * sizeof *result);
}
