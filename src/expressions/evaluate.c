/* Runs programs, compiled for every instruction set. */
#include "base/elementary.h"
#include "expressions/program.h"

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

void CAS_ISA(cas_program_run)(const cas_program *p, const double *const given[CAS_ARRAYS]) {
  _Alignas(64) double room[CAS_PROGRAM_ROOM * CAS_NUMBER_LANES];
  const double *const array[CAS_ARRAYS] = {p->number, room, given[CAS_IN_RESULT],
                                           given[CAS_IN_FIRST], given[CAS_IN_SECOND]};
  const cas_instruction *last = p->instruction + p->instructions;
  for (const cas_instruction *i = p->instruction; i < last; i++) {
    double *out = (double *)array[i->array[0]] + i->at[0];
    const double *first = array[i->array[1]] + i->at[1], *second = array[i->array[2]] + i->at[2],
                 *third = array[i->array[3]] + i->at[3];
    switch (i->operator_) {
#define CAS_OPERATION(name, operands, formula)                                      \
  case CAS_OP_##name:                                                               \
    for (int u = 0; u < CAS_GROUP_LANES; u += CAS_VL) {                             \
      cas_vec a = cas_load(first + u), b = operands > 1 ? cas_load(second + u) : a, \
              c = operands > 2 ? cas_load(third + u) : a;                           \
      (void)b, (void)c;                                                             \
      cas_store(out + u, formula);                                                  \
    }                                                                               \
    break;
#include "expressions/operations.def"
#undef CAS_OPERATION
    }
  }
}

void CAS_ISA(cas_program_rows)(const cas_program *p, int lanes, const double *first,
                               double *result) {
  for (int l = 0; l < lanes; l += CAS_GROUP_LANES) {
    const double *const array[CAS_ARRAYS] = {
        [CAS_IN_RESULT] = result + l, [CAS_IN_FIRST] = first + l};
    CAS_ISA(cas_program_run)(p, array);
  }
}
