/* The Ito drift of the sine-bracket Euler equations, mode by mode. */
#include "systems/torus/sine_euler.h"

#include "base/lanes.h"

#include <string.h>

typedef cas_sine_euler parameters;

static const double pi = 3.14159265358979323846;

/* The real parts of the mode n, reduced to the box, before its imaginary parts, which are to be
   multiplied by the sign; mode 0 is not asked for. */
static const double *reduced_mode(int N, int lanes, int n1, int n2, const double *omega,
                                  double *sign) {
  const int r = N / 2;
  n1 = ((n1 + r) % N + N) % N - r;
  n2 = ((n2 + r) % N + N) % N - r;
  return omega + 2 * lanes * cas_sine_euler_find(N, n1, n2, sign);
}

/* out += factor times the mode n, or i times that */
static void add_mode(int N, int lanes, int n1, int n2, double factor, bool turned,
                     const double *omega, double *out) {
  double sign;
  const double *re = reduced_mode(N, lanes, n1, n2, omega, &sign), *im = re + lanes;
  for (int l = 0; l < lanes && !turned; l++) {
    out[l] += factor * re[l];
    out[lanes + l] += factor * sign * im[l];
  }
  for (int l = 0; l < lanes && turned; l++) {
    out[l] -= factor * sign * im[l];
    out[lanes + l] += factor * re[l];
  }
}

/* With s = amplitude N/(2 pi) sin(2 pi m x n/N) a noise of one wave m contributes to mode n
   s^2 (+-(omega_(n-2m) + omega_(n+2m)) - 2 omega_n), plus for the cosine. */
static void add_ito(const parameters *p, const cas_fluid_wave *m, int lanes, const double *omega,
                    double *sum) {
  const int N = (int)p->fluid.N, r = N / 2, m1 = m->i, m2 = m->j;
  const double sign = cas_sine_euler_held(m1, m2) ? 1 : -1;
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++) {
      int cross = ((m1 * n2 - m2 * n1) % N + N) % N;
      double s = p->fluid.amplitude * N / (2 * pi) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      add_mode(N, lanes, n1, n2, -2 * s * s, false, omega, to);
      add_mode(N, lanes, n1 - 2 * m1, n2 - 2 * m2, sign * s * s, false, omega, to);
      add_mode(N, lanes, n1 + 2 * m1, n2 + 2 * m2, sign * s * s, false, omega, to);
    }
}

/* sum += the derivative of omega along a wave: s (omega_(n-m) - omega_(n+m)) for the cosine, s i
   (omega_(n-m) + omega_(n+m)) for the sine, up to a sign that all waves have in common. */
static void add_derivative(const parameters *p, const cas_fluid_wave *m, int lanes,
                           const double *omega, double *sum) {
  const int N = (int)p->fluid.N, r = N / 2;
  const bool cosine = cas_sine_euler_held(m->i, m->j);
  for (int n1 = 0; n1 <= r; n1++)
    for (int n2 = n1 ? -r : 1; n2 <= r; n2++) {
      const int cross = ((m->i * n2 - m->j * n1) % N + N) % N;
      const double s = p->fluid.amplitude * N / (2 * pi) * p->root[2 * cross + 1] * m->value;
      double *to = sum + 2 * lanes * cas_sine_euler_mode(N, n1, n2);
      if (cross == 0)
        continue;
      add_mode(N, lanes, n1 - m->i, n2 - m->j, s, !cosine, omega, to);
      add_mode(N, lanes, n1 + m->i, n2 + m->j, cosine ? -s : s, !cosine, omega, to);
    }
}

/* sum over all noises of the second derivative along each; `out` serves as space for the first. */
CAS_INLINE void ito(const parameters *p, int lanes, const double *x, double *workspace,
                    double *out) {
  const int numbers = 2 * cas_sine_euler_modes(p) * lanes,
            waves = cas_sine_euler_noises(p) ? p->fluid.waves : 0;
  double *omega = workspace, *sum = workspace + numbers;
  CAS_ISA(cas_sine_euler_modes_of)(p, lanes, x, omega);
  memset(sum, 0, (size_t)numbers * sizeof *sum);
  for (int first = 0, end; first < waves; first = end) {
    const cas_fluid_wave *w = p->fluid.wave;
    for (end = first + 1; end < waves && w[end].noise == w[first].noise; end++)
      continue;
    if (end == first + 1) {
      add_ito(p, &w[first], lanes, omega, sum);
      continue;
    }
    memset(out, 0, (size_t)numbers * sizeof *out);
    for (int k = first; k < end; k++)
      add_derivative(p, &w[k], lanes, omega, out);
    for (int k = first; k < end; k++)
      add_derivative(p, &w[k], lanes, out, sum);
  }
  CAS_ISA(cas_sine_euler_state_of)(p, lanes, sum, out);
}

void CAS_ISA(cas_sine_euler_ito)(const void *parameters_, const double *x, double *workspace,
                                 double *out) {
  ito(parameters_, CAS_GROUP_LANES, x, workspace, out);
}

void CAS_ISA(cas_sine_euler_path_ito)(const void *parameters_, const double *x, double *workspace,
                                      double *out) {
  ito(parameters_, 1, x, workspace, out);
}
