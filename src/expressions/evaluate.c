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

/* The places of operands are found where an operation needs them, so that none is looked up in vain. */
void CAS_ISA(cas_program_run)(const cas_program *p, const double *const given[CAS_ARRAYS]) {
  _Alignas(64) double workspace[CAS_PROGRAM_WORKSPACE * CAS_NUMBER_LANES];
  const double *const array[CAS_ARRAYS] = {p->number, workspace, given[CAS_IN_RESULT],
                                           given[CAS_IN_FIRST], given[CAS_IN_SECOND]};
  const cas_instruction *last = p->instruction + p->instructions;
  for (const cas_instruction *i = p->instruction; i < last; i++) {
#define PLACE(k) (array[i->array[k]] + i->at[k])
    double *to = (double *)PLACE(0);
    const double *from = PLACE(1);
    int times = i->times;
    switch (i->operator_) {
#define CAS_OPERATION(name, operands, formula)               \
  case CAS_OP_##name: {                                      \
    const double *second = operands > 1 ? PLACE(2) : from;   \
    const double *third = operands > 2 ? PLACE(3) : from;    \
    for (;;) {                                               \
      for (int u = 0; u < CAS_GROUP_LANES; u += CAS_VL) {    \
        cas_vec a = cas_load(from + u);                      \
        cas_vec b = operands > 1 ? cas_load(second + u) : a; \
        cas_vec c = operands > 2 ? cas_load(third + u) : a;  \
        (void)b, (void)c;                                    \
        cas_store(to + u, formula);                          \
      }                                                      \
      if (--times == 0)                                      \
        break;                                               \
      to += i->step[0];                                      \
      from += i->step[1];                                    \
      second += i->step[2];                                  \
      third += i->step[3];                                   \
    }                                                        \
    break;                                                   \
  }
#include "expressions/operations.def"
#undef CAS_OPERATION
    }
#undef PLACE
  }
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
