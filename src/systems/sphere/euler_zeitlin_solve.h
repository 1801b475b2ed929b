/* Solves of Euler-Zeitlin's drift: text that euler_zeitlin_path.c includes for one path and for a
   group of lanes, with these names defined, which are undefined afterwards:

       NUMBER        double, or a vector of lanes
       WIDE          how many of them a component has, side by side
       SOLVE(name)   the name of this text's own

   Row k holds the entries (k, k+m) for all m side by side, so forward elimination and back
   substitution go row by row, each a loop over independent diagonals. */

static void SOLVE(eliminate)(int n, const NUMBER *restrict scale, const double *restrict lower,
                             const NUMBER *restrict x, const NUMBER *restrict before,
                             NUMBER *restrict q) {
  for (int i = 0; i < n; i++)
    for (int u = 0; u < WIDE; u++)
      q[i * WIDE + u] = scale[u] * x[i * WIDE + u] - lower[i] * before[i * WIDE + u];
}

static void SOLVE(substitute)(int n, const double *restrict lower, const double *restrict inverse,
                              const NUMBER *restrict after, NUMBER *restrict q) {
  for (int i = 0; i < n; i++)
    for (int u = 0; u < WIDE; u++)
      q[i * WIDE + u] = q[i * WIDE + u] * inverse[i] - lower[i] * after[i * WIDE + u];
}

/* the real or the imaginary parts on the diagonals m = from + 1 .. to */
static void SOLVE(solve_above)(int N, int from, int to, const NUMBER *scale, const double *lower,
                               const double *inverse, const NUMBER *x, NUMBER *q) {
  for (int i = from; i < to; i++)
    for (int u = 0; u < WIDE; u++)
      q[i * WIDE + u] = scale[u] * x[i * WIDE + u];
  for (int k = 0, row = from; from < N - 2 - k; k++) {
    const int next = row + N - 1 - k;
    SOLVE(eliminate)
    (least(to, N - 2 - k) - from, scale, lower + row, x + next * WIDE, q + row * WIDE,
     q + next * WIDE);
    row = next;
  }
  for (int k = N - 2 - from; k >= 0; k--) {
    const int row = cas_su_n_upper(N, k, k + 1), last = N - 2 - k, n = least(last, to) - from;
    for (int u = 0; last < to && u < WIDE; u++)
      q[(row + last) * WIDE + u] *= inverse[row + last];
    if (n > 0)
      SOLVE(substitute)
    (n, lower + row + from, inverse + row + from, q + (row + last + 1 + from) * WIDE,
     q + (row + from) * WIDE);
  }
}

/* Subtracts the trace of number u of the components. */
static void SOLVE(subtract_mean)(int N, int u, NUMBER *q) {
  NUMBER mean = q[u];
  for (int k = 1; k < N; k++)
    mean += q[k * WIDE + u];
  mean /= N;
  for (int k = 0; k < N; k++)
    q[k * WIDE + u] -= mean;
}

/* Traces are dropped before and after: without lamb the matrix is singular, inverse[N - 1] is 0. */
static void SOLVE(solve_diagonal)(int N, const NUMBER *scale, const double *lower,
                                  const double *inverse, const NUMBER *x, NUMBER *q) {
  memcpy(q, x, (size_t)(N * WIDE) * sizeof *q);
  for (int u = 0; u < WIDE; u++) {
    SOLVE(subtract_mean)(N, u, q);
    q[u] *= scale[u];
    for (int k = 1; k < N; k++)
      q[k * WIDE + u] = scale[u] * q[k * WIDE + u] - lower[k - 1] * q[(k - 1) * WIDE + u];
    q[(N - 1) * WIDE + u] *= inverse[N - 1];
    for (int k = N - 2; k >= 0; k--)
      q[k * WIDE + u] = q[k * WIDE + u] * inverse[k] - lower[k] * q[(k + 1) * WIDE + u];
    SOLVE(subtract_mean)(N, u, q);
  }
}

/* The diagonals m = from + 1 .. to, and the main one. */
static void SOLVE(solve)(const cas_euler_zeitlin *p, bool main, int from, int to,
                         const NUMBER *scale, const NUMBER *x, NUMBER *q) {
  const int N = (int)p->fluid.N, above = N * (N - 1) / 2;
  const double *lower = p->harmonics.lower, *inverse = p->harmonics.inverse;
  if (main)
    SOLVE(solve_diagonal)(N, scale, lower, inverse, x, q);
  for (int at = N; from < to && at <= N + above; at += above)
    SOLVE(solve_above)
  (N, from, to, scale, lower + N, inverse + N, x + at * WIDE, q + at * WIDE);
}

#undef NUMBER
#undef WIDE
#undef SOLVE
