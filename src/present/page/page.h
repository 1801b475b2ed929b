/* A results file as one page of HTML that needs nothing else: verdicts, figures, tables,
   configuration, and how to repeat it. */
#ifndef CAS_PAGE_H
#define CAS_PAGE_H

#include <casimir/results.h>

/** Writes the page of results that were read from `file`; "-" is standard output. All that the file
    says goes through an escape: it is text of the page and never markup. Figures need gnuplot; one
    that cannot be drawn is named with the reason. The page is complete or not there. */
cas_status cas_page_write(const char *file, const cas_results *r, const char *output,
                          cas_error *err) CAS_MUST_CHECK;

#endif
