/* Blocks of figures that are copied from tables of results: pictures say as data which columns they
   take, by the names and in the units that files have. */
#ifndef CAS_DRAWN_H
#define CAS_DRAWN_H

#include "present/pictures/picture.h"
#include "results/table.h"

typedef enum {
  CAS_DRAWN_AS_IT_IS,
  CAS_DRAWN_MAGNITUDE,
  CAS_DRAWN_TWICE,   /* two standard errors */
  CAS_DRAWN_RESOLVED /* 1 where the number of the row is above two of these standard errors */
} cas_drawn_change;

typedef struct {
  const char *heading;
  const char *column; /* of the table, or the name of an axis: its coordinates; NULL: 1 */
  cas_drawn_change change;
} cas_drawn_column;

/** Rows that are there, by their second column: logarithmic axes have no place for 0. */
typedef enum { CAS_DRAWN_ALL, CAS_DRAWN_NOT_ZERO, CAS_DRAWN_POSITIVE } cas_drawn_rows;

enum {
  CAS_DRAWN_COLUMNS = 6,
  CAS_DRAWN_MOST_TABLES = 6 /* in one figure, so that colours tell them apart */
};

/** The first column is what rows run over; for each place along another axis there is a block. */
typedef struct {
  const char *name; /* "error_%d_%d": with the numbers of the table, if it has one, and of that
                       place, from 1 on */
  cas_drawn_rows rows;
  cas_drawn_column column[CAS_DRAWN_COLUMNS];
} cas_drawn_block;

#define CAS_DRAWN_COPY(heading, column) \
  { heading, column, CAS_DRAWN_AS_IT_IS }
#define CAS_DRAWN_STEP CAS_DRAWN_COPY("h", "step")
/** Columns of errors of any kind: magnitudes, two standard errors, and what is resolved. */
#define CAS_DRAWN_ERRORS(name, error, standard_error, resolved)   \
  CAS_DRAWN_STEP, {name, error, CAS_DRAWN_MAGNITUDE},             \
      {"two_standard_errors", standard_error, CAS_DRAWN_TWICE}, { \
    "resolved", resolved, CAS_DRAWN_AS_IT_IS                      \
  }
/** Columns of a number and the ends of its interval. */
#define CAS_DRAWN_INTERVAL(name, low, high, column)                                 \
  CAS_DRAWN_STEP, CAS_DRAWN_COPY(name, column), CAS_DRAWN_COPY(low, column "_low"), \
      CAS_DRAWN_COPY(high, column "_high")

/** Table i of a group of the file, such as "law"; NULL behind the last. */
const cas_table *cas_drawn_table(const cas_source *s, const char *group, int i);
/** The table whose struct this is. */
const cas_table *cas_drawn_table_of(const cas_results *r, const void *object);
/** How many of them are drawn; the figure remarks what is left out. */
int cas_drawn_tables(const cas_figure *g, const cas_source *s, const char *group);
/** order[i] of n with its interval, as cas_picture_interval_of: of so many orders between
    neighbouring levels, coarse ones first, the last whose interval is bounded; NaN where none is.
    */
void cas_drawn_finest_order(cas_figure *g, int i, int n, int orders, const double *order,
                            const double *low, const double *high);
/** Writes the blocks, up to one without a name, of a table with this number from 1 on, 0 for none;
    true if any row is there. */
bool cas_drawn_blocks_write(cas_figure *g, const cas_results *r, const cas_table *t, int number,
                            const cas_drawn_block *block);

#endif
