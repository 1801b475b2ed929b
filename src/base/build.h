/** The build of a program or library, on which the bits of a path depend. */
#ifndef CAS_BUILD_H
#define CAS_BUILD_H

#include <stdint.h>

enum { CAS_BUILD_ID_SIZE = 2 * 32 + 1 };

/** The build ID, in hexadecimal, that the linker gave the program or shared library that this
    function is in. It depends on all code and constants, so another compiler or other flags give
    another one. "unknown" where the linker gave none. */
const char *cas_build_id(void);
/** The build ID of the program or shared library in which a function is. */
void cas_build_id_of(uintptr_t function, char id[CAS_BUILD_ID_SIZE]);

#endif
