/* What the files of the sine-bracket truncation of the Euler equations share. Modes n lie in the
   box |n_i| <= r = (N-1)/2 without 0, and J_n is the unitary matrix with the entries exp(2 pi i n1
   (2j + n2)/N) at (j, j + n2 mod N). A state is

       X = i/sqrt(N) sum over all modes of omega_n J_n,   |X|^2 = sum over all modes of |omega_n|^2,

   so that modes with n2 = d make up the cyclic diagonal d, the entries (j, j + d mod N). Files hold
   omega_n with n1 > 0, or n1 = 0 and n2 > 0, sorted by (n1, n2); omega_-n = conj omega_n. */
#ifndef CAS_SINE_EULER_H
#define CAS_SINE_EULER_H

#include "math/algebra/su_n.h"
#include "math/kernels/kernels.h"
#include "systems/fluid.h"

enum { CAS_SINE_EULER_LANES = 16 }; /* paths of a block, at most */

typedef struct {
  cas_fluid fluid;
  cas_vectors modes; /* of the noise, one for each, instead of fields */
  int64_t grid;
  double *root; /* cos, sin of 2 pi k/N, k = 0 .. N-1 */
  /* Row d: entries k = 0 .. r of (-Lap)^-1 on its cyclic diagonal d */
  double *circulant;
  double *noise; /* for each wave: real, then imaginary parts of Xi on a cyclic diagonal */
  char *names;
} cas_sine_euler;

/* Entry j of the cyclic diagonal d >= 0 in a packed state, where entries below the main diagonal
   are minus the conjugates. The main diagonal is imaginary: `sign` is 0, and `re` equals `im`. */
typedef struct {
  int re, im;
  double sign; /* of the real part */
} cas_sine_euler_entry;

static inline cas_sine_euler_entry cas_sine_euler_entry_of(int N, int d, int j) {
  int i = j + d < N ? j : j + d - N, k = j + d < N ? j + d : j;
  if (d == 0)
    return (cas_sine_euler_entry){j, j, 0};
  return (cas_sine_euler_entry){cas_su_n_re(N, i, k), cas_su_n_im(N, i, k), i == j ? 1 : -1};
}

/* modes that files hold */
static inline int cas_sine_euler_modes(const cas_sine_euler *p) {
  return cas_fluid_coefficients(&p->fluid) / 2;
}

/* whether omega_n is among the modes that files hold */
static inline bool cas_sine_euler_held(int n1, int n2) { return n1 > 0 || (n1 == 0 && n2 > 0); }

/* the number of a mode that files hold */
static inline int cas_sine_euler_mode(int N, int n1, int n2) { return n1 * N + n2 - 1; }

/* the number of n or -n, whichever files hold, and the sign of Im omega_n there */
static inline int cas_sine_euler_find(int N, int n1, int n2, double *sign) {
  bool held = cas_sine_euler_held(n1, n2);
  *sign = held ? 1 : -1;
  return held ? cas_sine_euler_mode(N, n1, n2) : cas_sine_euler_mode(N, -n1, -n2);
}

/* the shell of a mode: the integer nearest to |n| */
static inline int cas_sine_euler_shell(int n1, int n2) {
  return (int)nearbyint(sqrt(n1 * n1 + n2 * n2));
}

static inline cas_axis cas_sine_euler_mode_axis(const cas_sine_euler *p) {
  return (cas_axis){.name = "mode",
                    .summary = "mode n, n1 > 0 or n1 = 0 and n2 > 0, sorted by (n1, n2)",
                    .unit = "1",
                    .length = cas_sine_euler_modes(p),
                    .labels = p->names};
}

/* root[2 n]: cos and sin of 2 pi k/n, k = 0 .. n - 1 */
void CAS_ISA(cas_sine_euler_roots)(int n, double *root);

/* The torus as fluids know it: coefficients are the real and imaginary parts of the omega_n that
   files hold, and maps have points of one grid, a row of x1 for every x2. */
extern const cas_fluid_surface CAS_ISA(cas_sine_euler_torus);

void CAS_ISA(cas_sine_euler_field)(const cas_fluid *f, int k, double *x);

extern const cas_functional CAS_ISA(cas_sine_euler_functionals)[],
    CAS_ISA(cas_sine_euler_observables)[];
extern const cas_indexed CAS_ISA(cas_sine_euler_indexed)[];

#endif
