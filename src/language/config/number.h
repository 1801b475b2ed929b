/* Numbers as configurations and expressions write them. */
#ifndef CAS_NUMBER_H
#define CAS_NUMBER_H

/** Reads a decimal number or .inf, in every locale with a decimal point. Returns NULL, or what
    would have been right ("too small for double precision; must be ..") */
const char *cas_number_parse_real(const char *text, double *value);
/** Reads a step: a positive number, 2^-7 or 1/128. */
const char *cas_number_parse_step(const char *text, double *value);

#endif
