/* The numerical folders are compiled once for every instruction set; names that leave a file carry
   its suffix. They all see what nearly every one of their files needs of the C library. */
#ifndef CAS_ISA_H
#define CAS_ISA_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAS_ISA_PASTE_(a, b) a##b
#define CAS_ISA_PASTE(a, b) CAS_ISA_PASTE_(a, b)
#define CAS_ISA(name) CAS_ISA_PASTE(name, CAS_ISA_SUFFIX)

#endif
