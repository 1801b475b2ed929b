/* What a study says: one headline, and one table with a row for each of its results. */
#ifndef CAS_RESULT_H
#define CAS_RESULT_H

#include "files/results/frame.h"
#include "files/results/table.h"

/** A row of "/result". */
typedef struct {
  const char *name, *verdict;
  /* of studies of orders */
  double order, order_low, order_high, theory, coefficient, coefficient_low, coefficient_high,
      p_value;
  double value, standard_error, low, high, time, step; /* of others */
} cas_result_row;

static inline const cas_result_row *cas_result_rows(const cas_frame *f) {
  return (const cas_result_row *)(const void *)f->row;
}

/** Its columns: of studies of orders, of values, NULL. */
extern const cas_field *const cas_result_columns[];

/** The result of r, from its tables; the caller frees it by cas_frame_free in any case. */
cas_status cas_result_conclude(const cas_results *r, cas_frame *f, cas_error *err) CAS_MUST_CHECK;
/** Adds what the recorded paths of a file say to the rows and the headline of a study that has
    concluded nothing; nothing where it has none. */
void cas_result_take_recorded(cas_h5 *h, hid_t file, int64_t paths, cas_frame *f);
/** " --output run-more.h5": a name of results that are to stand beside those in `file`. */
void cas_result_other_output(FILE *f, const char *file);
/** That of results that were read, or else concluded. */
const cas_frame *cas_result_of(const cas_results *r, cas_frame *own, cas_error *err);

#endif
