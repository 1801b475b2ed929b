/* Programs that vectors of lanes run: lists of operations in the order of their computation, with the
   places of operands and results in arrays of lanes. */
#ifndef CAS_PROGRAM_H
#define CAS_PROGRAM_H

#include "base/isa.h"
#include "expressions/expression.h"

#include <stddef.h>

/* Where numbers stand: the program's own, and what whoever runs it has. */
typedef enum {
  CAS_IN_NUMBERS,
  CAS_IN_ROOM,
  CAS_IN_RESULT,
  CAS_IN_FIRST,  /* of the caller's meaning: states, say, */
  CAS_IN_SECOND, /* and coefficients */
  CAS_ARRAYS
} cas_array_of;

enum {
  CAS_NUMBER_LANES = 16, /* lanes that a number of the program fills, the most of a group */
  CAS_PROGRAM_ROOM = 512 /* most results that wait to be used */
};

/* result and operands: an array, and a place in it in doubles */
typedef struct {
  uint8_t operator_, array[4];
  int32_t at[4];
} cas_instruction;

typedef struct {
  int instructions, rows; /* and numbers of a lane that run() needs as room */
  cas_instruction *instruction;
  int numbers;
  double *number; /* [numbers][CAS_NUMBER_LANES], aligned to 64 bytes */
} cas_program;

/* Where the value of an operation comes from; array 0 (CAS_IN_NUMBERS): it is to be computed. */
typedef struct {
  uint8_t array;
  int row;
} cas_source;

/** Makes a program that computes operations result[0 .. results-1] into the rows of the result. source:
    of every operation, NULL for none of them. stride[array]: doubles from one row to the next. False
    if memory ran out or more than CAS_PROGRAM_ROOM results wait. */
bool cas_program_make(const cas_operations *l, int results, const int *result,
                      const cas_source *source, const int stride[CAS_ARRAYS], cas_program *p);
void cas_program_free(cas_program *p);
size_t cas_program_bytes(const cas_program *p);

/** Runs a program on a group of CAS_GROUP_LANES lanes. array[CAS_IN_RESULT] is written to; CAS_IN_NUMBERS
    and CAS_IN_ROOM are the program's own. All are aligned to 64 bytes. */
void CAS_ISA(cas_program_run)(const cas_program *p, const double *const array[CAS_ARRAYS]);
/** The same for rows of more lanes, a multiple of 16, with CAS_IN_FIRST as the only array. */
void CAS_ISA(cas_program_rows)(const cas_program *p, int lanes, const double *first,
                               double *result);

#endif
