/* Parameters of systems that are written as expressions: {name: number, or expression of those
   before it}. */
#ifndef CAS_PARAMETERS_H
#define CAS_PARAMETERS_H

#include "base/isa.h"
#include "expressions/expression.h"

#include <casimir/extend.h>

/** Fills the names and values of *out, which the caller frees by cas_parameters_free, after
    failures too; names are borrowed. component: names that are taken, ending with NULL. */
cas_status CAS_ISA(cas_parameters_read)(const cas_config *c, const cas_formulas *given,
                                        const char *const *component, cas_constants *out,
                                        cas_error *err);
void CAS_ISA(cas_parameters_free)(cas_constants *p);

#endif
