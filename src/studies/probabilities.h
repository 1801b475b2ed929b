/* Probabilities of quantiles, as studies are given them and files have them. */
#ifndef CAS_PROBABILITIES_H
#define CAS_PROBABILITIES_H

#include "engine/study.h"

/** The key `quantiles`, to be included in the options of a study at the offset of a cas_reals. */
extern const cas_option cas_probability_options[];
/** Refuses probabilities that do not ascend. */
cas_status cas_probabilities_check(const cas_run_state *r, const cas_reals *p,
                                   cas_error *err) CAS_MUST_CHECK;
/** The axis of n probabilities, which are borrowed. */
cas_file_axis cas_probability_axis(int n, const double *p);

#endif
