/* The numerical folders are compiled once for every instruction set; names that leave a file carry
 * its suffix. */
#ifndef CAS_ISA_H
#define CAS_ISA_H

#define CAS_ISA_PASTE_(a, b) a##b
#define CAS_ISA_PASTE(a, b) CAS_ISA_PASTE_(a, b)
#define CAS_ISA(name) CAS_ISA_PASTE(name, CAS_ISA_SUFFIX)

#endif
