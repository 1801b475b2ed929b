/* The part of a list that some operations need: passes over it take time by its size alone. */
#ifndef CAS_NEEDED_H
#define CAS_NEEDED_H

#include "language/expressions/expression.h"

/** Operations and all that they are computed from, in ascending order. Until the next one is found
    in the same list, place[] of the list says where each is among them. */
typedef struct {
  int n;
  int *operation; /* [n], owned */
  bool *uses;     /* [n], owned: whether it depends on one of the variables that were asked for */
} cas_needed;

/** Finds what operations root[0 .. roots - 1] need, and what of it depends on the variables first
    .. next - 1. False if memory ran out or the list has failed. */
bool cas_needed_find(const cas_operations *l, int roots, const int *root, int first, int next,
                     cas_needed *s);
void cas_needed_free(cas_needed *s);

#endif
