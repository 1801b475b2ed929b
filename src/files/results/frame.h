/* Tables of named rows, whose columns are described once: from the description come memory, HDF5,
   text, CSV, JSON and LaTeX. "/result" of every file is one (docs/files.md). */
#ifndef CAS_FRAME_H
#define CAS_FRAME_H

#include "files/hdf5/hdf5.h"

#include <casimir/statistics.h>

/** The columns of "/fits" and of "/orders" (laws.c). */
extern const cas_field cas_laws_fits[], cas_laws_orders[];

typedef struct cas_frame {
  /* of a row: texts, and numbers, which files have as reals; the last has no name */
  const cas_field *columns;
  size_t size; /* of the struct that a row is */
  int rows;
  char *row;           /* [rows] structs, whose texts the frame owns, too */
  char headline[1024]; /* what the study says, in a sentence */
  /* options of `casimir run`, beside the configuration and the options of the run, that would
     resolve what is not; "": none */
  char advice[1024];
  cas_judgement judgement; /* of the headline */
  char kind[32];           /* of the study */
} cas_frame;

void cas_frame_begin(cas_frame *f, const cas_field *columns, size_t size, const char *kind);
/** Adds a copy of a row and of its texts; false if there is no memory. */
bool cas_frame_add(cas_frame *f, const void *row);
/** What a column has in a row: a number, NaN where the column is NULL, or a text. */
double cas_frame_number(const cas_frame *f, const cas_field *column, int row);
const char *cas_frame_word(const cas_frame *f, const cas_field *column, int row);
void cas_frame_free(cas_frame *f);

/** The group `name` with a dataset for each column, whose scale is the first, and an attribute for
    each member, where the frame has a headline. */
void cas_frame_put(cas_h5 *h, hid_t file, const char *name, const cas_frame *f);
/** One of these lists of columns, the last NULL, of one struct; false, without a failure, if there
    is no group. */
bool cas_frame_get(cas_h5 *h, hid_t file, const char *name, const cas_field *const *lists,
                   size_t size, cas_frame *f);
/** Prints columns with headings and entries, behind `indent` blanks and up to column `last`. */
void cas_frame_print(FILE *out, const cas_frame *f, int indent, int last);

/** Orders are written with one digit of half their interval, as 0.48 [0.45, 0.51], and with two
    decimals at least: this for `most` of cas_frame_append. */
#define CAS_FRAME_ORDER 0.5

/** Writes a number with two digits of its standard error or half interval; NaN: four digits. */
void cas_frame_format(double x, double uncertainty, char text[32]);
/** Appends "0.4352 +- 0.0009" or "0.477 [0.446, 0.508]", or both: what is NaN is left out. most: of
    orders CAS_FRAME_ORDER or less, otherwise INFINITY. */
void cas_frame_append(char *text, size_t size, double value, double error, double low, double high,
                      double most);

#endif
