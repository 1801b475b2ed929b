/* What the tables for people share. */
#ifndef CASIMIR_REPORT_IMPL_H
#define CASIMIR_REPORT_IMPL_H

#include <casimir/results.h>

/** Width characters: the number, or a dash if there is none. */
void cas_print_real(FILE *f, const char *format, int width, double x);
/** Words, broken before column 96 and indented. */
void cas_print_sentence(FILE *f, const char *text);
void cas_print_multilevel(FILE *f, const cas_results *r);
void cas_print_mlmc(FILE *f, const cas_results *r);
void cas_print_ensemble(FILE *f, const cas_ensemble *e);
/** The table of laws; scale 2: of mean squares, 1: of errors. `of`: what they were fitted to. */
void cas_print_laws(FILE *f, const cas_laws *l, double scale, const char *of);
void cas_print_extrapolation(FILE *f, const cas_extrapolation *e);

/** The table of laws; scale 2: of mean squares, 1: of errors. `of`: what they were fitted to. */
void cas_print_laws(FILE *f, const cas_laws *l, double scale, const char *of);
void cas_print_extrapolation(FILE *f, const cas_extrapolation *e);

#endif
