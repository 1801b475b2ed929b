"""The weak study of the rigid body in Numba: one path after another, every level on the same Brownian path. The second
yardstick of bench/peers/run.py."""
import numpy as np
from numba import njit


@njit(inline="always")
def step(x, h_inertia, sigma, dw, tolerance):
    """One step of one path, in place: Q = -(h/I + sigma dW)/2 x; returns the iterations."""
    c0 = -0.5 * (h_inertia[0] + sigma * dw[0])
    c1 = -0.5 * (h_inertia[1] + sigma * dw[1])
    c2 = -0.5 * (h_inertia[2] + sigma * dw[2])
    x0, x1, x2 = x[0], x[1], x[2]
    m0, m1, m2 = x0, x1, x2
    iterations = 0
    for _ in range(100):
        q0, q1, q2 = c0 * m0, c1 * m1, c2 * m2
        d = q0 * m0 + q1 * m1 + q2 * m2
        n0 = x0 + (q1 * m2 - q2 * m1) - d * q0
        n1 = x1 + (q2 * m0 - q0 * m2) - d * q1
        n2 = x2 + (q0 * m1 - q1 * m0) - d * q2
        change = max(abs(n0 - m0), abs(n1 - m1), abs(n2 - m2))
        m0, m1, m2 = n0, n1, n2
        iterations += 1
        if change <= tolerance:
            break
    q0, q1, q2 = c0 * m0, c1 * m1, c2 * m2
    x[0] = x0 + 2 * (q1 * m2 - q2 * m1)
    x[1] = x1 + 2 * (q2 * m0 - q0 * m2)
    x[2] = x2 + 2 * (q0 * m1 - q1 * m0)
    return iterations


@njit(inline="always")
def clip(a, bound):
    return max(-bound, min(a, bound))


@njit
def sweep(x0, h, ratio, bound, inertia, sigma, paths, steps, tolerance):
    """States [level][path][component] after `steps` finest steps, and the mean iterations of the reference."""
    levels = len(h)
    finest = levels - 1
    out = np.empty((levels, paths, 3))
    h_inertia = np.empty((levels, 3))
    for j in range(levels):
        for k in range(3):
            h_inertia[j, k] = h[j] / inertia[k]
    scale = np.sqrt(h[finest])
    iterations = 0
    sums, dw, z = np.empty((finest, 3)), np.empty(3), np.empty(3)
    for path in range(paths):
        x = out[:, path, :]
        x[:, :] = x0
        sums[:, :] = 0
        for n in range(1, steps + 1):
            for k in range(3):
                z[k] = np.random.standard_normal()
                dw[k] = scale * clip(z[k], bound[finest])
            iterations += step(x[finest], h_inertia[finest], sigma, dw, tolerance)
            for j in range(finest - 1, -1, -1):
                for k in range(3):
                    sums[j, k] += z[k] if j == finest - 1 else sums[j + 1, k]
                    if j < finest - 1:
                        sums[j + 1, k] = 0
                if n % ratio[j]:
                    break
                for k in range(3):
                    dw[k] = scale * clip(sums[j, k], bound[j])
                step(x[j], h_inertia[j], sigma, dw, tolerance)
                if j == 0:
                    sums[0, :] = 0
    return out, iterations / (paths * steps)


@njit
def replay(x0, zeta, h, inertia, sigma, bound, tolerance):
    x, dw = x0.copy(), np.empty(3)
    out = np.empty((len(zeta) + 1, 3))
    out[0] = x
    for n in range(len(zeta)):
        for k in range(3):
            dw[k] = np.sqrt(h) * clip(zeta[n, k], bound)
        step(x, h / inertia, sigma, dw, tolerance)
        out[n + 1] = x
    return out
