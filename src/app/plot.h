/* Figures of results files, drawn by gnuplot. */
#ifndef CAS_PLOT_H
#define CAS_PLOT_H

#include <casimir/results.h>

/** Draws what the file holds: the error curves of a convergence study, or the departure of the
   invariants along a trajectory. The extension of `output` is the format: svg, pdf or png; NULL:
   the results file with .svg. The figure appears complete or not at all. */
cas_status cas_plot(const char *results_file, const char *output, cas_error *err) CAS_MUST_CHECK;

#endif
