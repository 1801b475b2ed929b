/* The rows of a study of orders, for the files that make sentences and an advice of them. */
#ifndef CAS_RESULT_IMPL_H
#define CAS_RESULT_IMPL_H

#include "files/results/result.h"

enum { CAS_RESULT_SAID = 3 }; /* results, or reasons, that fit a headline */

/** What a row says beside its numbers. */
typedef struct {
  cas_result_row row; /* its texts are the frame's */
  cas_judgement judgement;
  cas_findings findings;
  const cas_laws *laws;
  const cas_curve *curve; /* NULL: differences of levels */
  double seen;            /* standard errors; NaN: no weak order by its leading term */
  int resolved, errors;
  bool random;  /* errors have standard errors */
  bool alike;   /* all errors are 0: no path differs from one step to another */
  bool lawless; /* no law describes the errors */
  bool sized;   /* levels differ in N alone */
} cas_remark;

typedef struct {
  int rows, strong;   /* the first of them are strong */
  cas_remark *remark; /* [rows] */
  bool sized;         /* levels differ in N alone, and orders are in N^-2 */
} cas_answers;

/** Whether the judgement of the study takes this row into account: the first strong one, and all
    weak ones. */
static inline bool cas_answers_count(const cas_answers *a, int row) {
  return row == 0 || row >= a->strong;
}

/** The headline. */
void cas_answers_say(const cas_results *r, const cas_answers *a, cas_frame *f);
/** Options that resolve what is not, where there are such. */
void cas_answers_advise(const cas_results *r, const cas_answers *a, cas_frame *f);

/** The headline of a study of values. */
void cas_result_say_values(const cas_results *r, cas_frame *f);

#endif
