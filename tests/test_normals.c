/* Normals of every instruction set against 80-bit arithmetic: relative to the number itself, also
   where a sine nearly vanishes, and out to the largest that uniforms of 53 bits give. */
#include "math/kernels/kernels.h"
#include "suite.h"

#include <math.h>

enum { N = 1 << 16 };

static double u[N] __attribute__((aligned(64))), z[N] __attribute__((aligned(64)));

/* sin of v turns and `ahead` quarters; quarters come off exactly, as they would not in 2 pi v */
static long double sine_of_turns(double v, int ahead) {
  double quarters = nearbyint(4 * v);
  long double x = 2 * atanl(1) * (4 * v - quarters);
  switch (((int)quarters + ahead) % 4) {
  case 0:
    return sinl(x);
  case 1:
    return cosl(x);
  case 2:
    return -sinl(x);
  default:
    return -cosl(x);
  }
}

static double relative(double found, long double right) {
  return right == 0 ? fabs(found) : (double)fabsl((found - right) / right);
}

static double worst_normal(const cas_kernels *k) {
  double worst = 0;
  k->normals(N, u, z);
  for (int i = 0; i < N / 2; i++) {
    long double r = sqrtl(-2 * (u[i] < 0.5 ? logl(u[i]) : log1pl((long double)u[i] - 1)));
    worst = fmax(worst, relative(z[i], r * sine_of_turns(u[N / 2 + i], 1)));
    worst = fmax(worst, relative(z[N / 2 + i], r * sine_of_turns(u[N / 2 + i], 0)));
    ck_assert(isfinite(z[i]) && isfinite(z[N / 2 + i]));
  }
  return worst;
}

static void check_all(const char *what) {
  for (int k = 0; cas_kernels_list(k); k++) {
    double worst = worst_normal(cas_kernels_list(k));
    ck_assert_msg(isfinite(worst) && worst <= 1e-15, "%s, %s: off by %g (relative)",
                  cas_kernels_list(k)->name, what, worst);
  }
}

TEST(body) {
  cas_kernels_list(0)->threefry(1, 0, 3, 7, N, u);
  check_all("body");
}

/* radii from 8.6 down to 1.5e-8, both ends in steps of a factor */
TEST(tails) {
  cas_kernels_list(0)->threefry(2, 0, 3, 7, N, u);
  for (int i = 0; i < N / 2; i++)
    u[i] = i % 2 ? 1 - ldexp(1 + (i % 64) / 64.0, -53 + i % 52) : ldexp(1 + u[i], -53 + i % 53);
  check_all("tails");
}

/* angles beside multiples of an eighth of a turn, where quarters change and sines vanish */
TEST(turns) {
  cas_kernels_list(0)->threefry(3, 0, 3, 7, N, u);
  for (int i = 0; i < N / 2; i++) {
    double beside = (1 + i % 8) / 8.0, off = ldexp(1, -50 + i / 16 % 48);
    u[N / 2 + i] = i % 16 < 8 || beside == 1 ? beside - off : beside + off;
  }
  check_all("turns");
}

RUN_TESTS
