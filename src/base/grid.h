/* Texts in rows and columns, each column as wide as its widest text. */
#ifndef CAS_GRID_H
#define CAS_GRID_H

#include "base/owned.h"

typedef struct {
  int rows, columns;
  struct cas_grid_column *column;
  bool failed; /* there was no memory for a text */
} cas_grid;

/** Adds an empty column, and returns its number. */
int cas_grid_add(cas_grid *g, const char *heading);
/** Copies a text into a row, which is added where it is the next. */
void cas_grid_put(cas_grid *g, int column, int row, const char *text);
/** Prints columns that have a text in any row beside each other, up to column `last` of a line, and
    the others below, behind the first one again. Rows without a text are left out, and a dash
    stands where others have one. `indent` blanks begin each line. */
void cas_grid_print(FILE *f, const cas_grid *g, int indent, int last);
void cas_grid_free(cas_grid *g);

#endif
