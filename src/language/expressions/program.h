/* Programs that vectors of lanes run: lists of operations in the order of their computation, with
   the places of operands and results in arrays of lanes. */
#ifndef CAS_PROGRAM_H
#define CAS_PROGRAM_H

#include "base/owned.h"
#include "language/expressions/expression.h"

/* Where numbers stand: the program's own, and what whoever runs it has. */
typedef enum {
  CAS_PROGRAM_IN_NUMBERS,
  CAS_PROGRAM_IN_WORKSPACE,
  CAS_PROGRAM_IN_RESULT,
  CAS_PROGRAM_IN_FIRST,  /* of the caller's meaning: states, say, */
  CAS_PROGRAM_IN_SECOND, /* and coefficients */
  CAS_PROGRAM_ARRAYS
} cas_array_of;

enum {
  CAS_PROGRAM_NUMBER_LANES = 16, /* lanes that a number of the program fills, the most of a group */
  CAS_PROGRAM_WORKSPACE = 512,   /* most results that wait to be used */
  CAS_PROGRAM_BLOCK_LANES = 64,
  CAS_PROGRAM_BLOCK_RESULTS = 64
};

/* One operation, several times: the result and the operands have an array, a place in it in
   doubles, and a way to the next place. */
typedef struct {
  uint8_t operator_, array[4];
  int times;
  int32_t at[4], step[4];
} cas_instruction;

typedef struct cas_program {
  int instructions, results, rows; /* rows of the workspace that it needs */
  cas_instruction *instruction;
  int numbers;
  double *number; /* [numbers][CAS_PROGRAM_NUMBER_LANES], aligned to 64 bytes */
} cas_program;

/* Where an operation's value comes from; array 0 (CAS_PROGRAM_IN_NUMBERS): it is computed. */
typedef struct {
  uint8_t array;
  int row;
} cas_program_source;

/** Makes a program that computes operations result[0 .. results-1] into the rows of the result.
    source: of every operation, NULL for none of them. stride[array]: doubles from one row to the
    next. False if memory ran out or more than CAS_PROGRAM_WORKSPACE results wait. */
bool cas_program_make(const cas_operations *l, int results, const int *result,
                      const cas_program_source *source, const int stride[CAS_PROGRAM_ARRAYS],
                      cas_program *p);
void cas_program_free(cas_program *p);
size_t cas_program_bytes(const cas_program *p);
/** Whether two programs do the same with the same numbers. */
bool cas_program_equal(const cas_program *p, const cas_program *q);

/** Runs a program on a group of CAS_GROUP_LANES lanes; second: NULL where it has no such array. All
    are numbers or vectors of them, aligned to 64 bytes. */
void CAS_ISA(cas_program_run)(const cas_program *p, const void *first, const void *second,
                              void *result);
/** Runs a program on rows of a multiple of 16 lanes, CAS_PROGRAM_BLOCK_LANES at most, of
    CAS_PROGRAM_IN_FIRST as the only array; the results, CAS_PROGRAM_BLOCK_RESULTS rows at most,
    need not be aligned. */
void CAS_ISA(cas_program_rows)(const cas_program *p, int lanes, const double *first,
                               double *result);

#endif
