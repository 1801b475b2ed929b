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
/** Adds what recorded paths of a file, if any, say to the rows and headline of an empty result. */
void cas_result_take_recorded(cas_h5 *h, hid_t file, int64_t paths, cas_frame *f);
/** " --output run-more.h5": a name of results that are to stand beside those in `file`. */
void cas_result_other_output(FILE *f, const char *file);
/** The result that was read with r, or else concluded in *own; NULL after a failure. The caller
    frees *own by cas_frame_free in any case. */
const cas_frame *cas_result_of(const cas_results *r, cas_frame *own, cas_error *err);

/* ---- rows of a study of orders, of which sentences and an advice are made ---- */

enum { CAS_RESULT_SAID = 3 }; /* results, or reasons, that fit a headline */

/** What a row says beside its numbers. */
typedef struct {
  cas_result_row row; /* its texts are the frame's */
  cas_judgement judgement;
  const cas_curve *curve;
  double seen; /* standard errors; NaN: no weak order by its leading term */
  int resolved, errors;
  bool random;  /* errors have standard errors */
  bool alike;   /* all errors are 0: no path differs from one step to another */
  bool lawless; /* no law describes the errors */
  bool sized;   /* levels differ in N alone */
} cas_remark;

typedef struct {
  int rows, strong;   /* the first of them are strong */
  cas_remark *remark; /* [rows] */
  int levels;         /* of each */
  bool sized;         /* levels differ in N alone, and orders are in N^-2 */
} cas_answers;

/** Whether the study's judgement counts this row: the first strong one, and all weak ones. */
static inline bool cas_answers_count(const cas_answers *a, int row) {
  return row == 0 || row >= a->strong;
}

void cas_answers_say(const cas_results *r, const cas_answers *a, cas_frame *f);
/** Options that resolve what is not, where there are such. */
void cas_answers_advise(const cas_results *r, const cas_answers *a, cas_frame *f);

/** The headline of a study of values. */
void cas_result_say_values(const cas_results *r, cas_frame *f);

#endif
