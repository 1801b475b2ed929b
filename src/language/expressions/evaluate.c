/* Runs programs, compiled for every instruction set. */
#include "base/elementary.h"
#include "language/expressions/program.h"

#define cas_vec_fabs cas_vec_abs
static cas_vec cas_vec_less(cas_vec a, cas_vec b) {
  return cas_vec_select((cas_ivec)(a != a) | (cas_ivec)(b != b), a + b,
                        cas_vec_one_if_greater(b, a));
}
/* b where a condition holds, else 0; a condition that is no number gives none. */
static cas_vec cas_vec_choice(cas_vec a, cas_ivec holds, cas_vec b) {
  const cas_vec zero = {0};
  return cas_vec_select((cas_ivec)(a == a), cas_vec_select(holds, b, zero), a);
}
static cas_vec cas_vec_where(cas_vec a, cas_vec b) {
  const cas_vec zero = {0};
  return cas_vec_choice(a, (cas_ivec)(a != zero), b);
}
static cas_vec cas_vec_unless(cas_vec a, cas_vec b) {
  const cas_vec zero = {0};
  return cas_vec_choice(a, (cas_ivec)(a == zero), b);
}
static cas_vec cas_vec_least(cas_vec a, cas_vec b) {
  return cas_vec_select((cas_ivec)(a < b) | (cas_ivec)(a != a), a, b);
}
static cas_vec cas_vec_most(cas_vec a, cas_vec b) {
  return cas_vec_select((cas_ivec)(a > b) | (cas_ivec)(a != a), a, b);
}
#define OF(f) cas_vec_##f

/* The places of operands are found where an operation needs them: none is looked up in vain. */
void CAS_ISA(cas_program_run)(const cas_program *p, const void *first, const void *second_,
                              void *result) {
  _Alignas(64) double workspace[CAS_PROGRAM_WORKSPACE * CAS_PROGRAM_NUMBER_LANES];
  const double *const array[CAS_PROGRAM_ARRAYS] = {p->number, workspace, result, first, second_};
  const cas_instruction *last = p->instruction + p->instructions;
  for (const cas_instruction *i = p->instruction; i < last; i++) {
#define PLACE(k) (array[i->array[k]] + i->at[k])
    double *to = (double *)PLACE(0);
    const double *from = PLACE(1);
    int times = i->times;
    switch (i->operator_) {
#define CAS_OPERATION(name, operands, formula, ...)              \
  case CAS_OPERATOR_##name: {                                    \
    const double *second = operands > 1 ? PLACE(2) : from;       \
    const double *third = operands > 2 ? PLACE(3) : from;        \
    for (;;) {                                                   \
      for (int u = 0; u < CAS_GROUP_LANES; u += CAS_VL) {        \
        cas_vec a = cas_vec_load(from + u);                      \
        cas_vec b = operands > 1 ? cas_vec_load(second + u) : a; \
        cas_vec c = operands > 2 ? cas_vec_load(third + u) : a;  \
        (void)b, (void)c;                                        \
        cas_vec_store(to + u, formula);                          \
      }                                                          \
      if (--times == 0)                                          \
        break;                                                   \
      to += i->step[0];                                          \
      from += i->step[1];                                        \
      second += i->step[2];                                      \
      third += i->step[3];                                       \
    }                                                            \
    break;                                                       \
  }
#include "language/expressions/operations.def"
#undef CAS_OPERATION
    }
#undef PLACE
  }
}

void CAS_ISA(cas_program_rows)(const cas_program *p, int lanes, const double *first,
                               double *result) {
  _Alignas(64) double aligned[CAS_PROGRAM_BLOCK_RESULTS * CAS_PROGRAM_BLOCK_LANES];
  for (int l = 0; l < lanes; l += CAS_GROUP_LANES)
    CAS_ISA(cas_program_run)(p, first + l, NULL, aligned + l);
  memcpy(result, aligned, (size_t)(p->results * lanes) * sizeof *result);
}
