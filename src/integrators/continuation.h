/* A solution of x = F(x) for one path, found without a guess: the last method of implicit schemes,
   for steps that no iteration solves.

   The points with

       H(x, s) = x - s F(x) - (1 - s) a = 0

   are for almost every a smooth curves (S. N. Chow, J. Mallet-Paret and J. A. Yorke, Mathematics of
   Computation 32, 1978). One of them begins at s = 0, x = a, and where F is bounded it has nowhere
   to go but to s = 1, where x = F(x). It may turn back on its way, so it is followed by its length:
   a tangent, a point on it, and Newton's method back to the curve. Derivatives are differences of
   F, and linear equations are solved by GMRES. */
#ifndef CAS_CONTINUATION_H
#define CAS_CONTINUATION_H

#include "base/isa.h"

typedef struct {
  int n, stride; /* numbers of the path, and how far apart they are in x, image and start */
  double *x, *image;
  const double *start;        /* near which a is */
  void (*evaluate)(void *of); /* image = F(x) */
  void *of;
  double size;     /* what changes of x are relative to */
  double rounding; /* a change relative to it that is as good as none */
  double *memory;
  int doubles;          /* of memory: 11 (n + 1) or more; with more, GMRES has more vectors */
  int iterations, most; /* linear equations, counted on */
  double steep;         /* the largest derivative of F along what was tried at the last point */
} cas_continuation;

/* Whether x = F(x) at x; if not, x is as at the start. */
bool CAS_ISA(cas_continuation_run)(cas_continuation *c);

#endif
