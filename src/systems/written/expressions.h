/* Reading of systems that are written as expressions: names, parameters, expressions. */
#ifndef CAS_WRITTEN_EXPRESSIONS_H
#define CAS_WRITTEN_EXPRESSIONS_H

#include "language/expressions/program.h"

#include <casimir/extend.h>

/** Fills the names and values of *out, which the caller frees by cas_written_free_parameters, after
    failures too; names are borrowed. component: names that are taken, ending with NULL. */
cas_status CAS_ISA(cas_written_read_parameters)(const cas_config *c, const cas_formulas *given,
                                                const char *const *component, cas_constants *out,
                                                cas_error *err);
void CAS_ISA(cas_written_free_parameters)(cas_constants *p);
/** Refuses names that expressions cannot have, and those given twice. */
cas_status CAS_ISA(cas_written_check_names)(const cas_config *c, const char *key,
                                            const cas_strings *names, cas_error *err);
/** Appends an expression of these variables to the list. */
cas_status CAS_ISA(cas_written_read)(const cas_config *c, const char *path, const char *text,
                                     const char *const *variable, const cas_constants *constants,
                                     cas_operations *list, int *root, cas_error *err);
/** Fails because expressions are too large or, by errno, memory has run out. */
cas_status CAS_ISA(cas_written_too_large)(const cas_config *c, cas_error *err);

#endif
