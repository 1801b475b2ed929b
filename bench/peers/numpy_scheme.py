"""The isospectral stochastic midpoint of [EJLL] (26) in NumPy, vectorised over paths, with the coupled levels of a
convergence study. What a user of NumPy would write and tune; the yardstick of bench/peers/run.py, not a part of casimir.

With Q = Psi/2:  Xt = X_n + [Q, Xt] + Q Xt Q  (fixed point),  X_{n+1} = X_n + 2 [Q, Xt].
A system has `noises`, `start(paths)`, `prepare(h, dw)` once a step, and `products(c, x)` -> [Q, X], Q X Q."""
import numpy as np


def step(system, x, h, dw, tolerance, most=100):
    """One step of all paths; returns the new states and the iterations of the slowest path. A system with a scheme of
    its own has it as `step`."""
    if hasattr(system, "step"):
        return system.step(x, h, dw, tolerance, most)
    c = system.prepare(h, dw)
    middle = x
    for iterations in range(1, most + 1):
        bracket, sandwich = system.products(c, middle)
        bracket += sandwich
        bracket += x
        change = np.abs(bracket - middle).max()
        middle = bracket
        if change <= tolerance:
            break
    return x + 2 * system.bracket(c, middle), iterations


class Levels:
    """Step sizes coarsest 2^-j for j < levels, and the reference coarsest 2^-reference."""

    def __init__(self, coarsest, levels, reference, truncation=2):
        halvings = list(range(levels)) + [reference]
        self.h = [coarsest * 2.0**-j for j in halvings]
        self.ratio = [2 ** (reference - j) for j in halvings]
        # clipped is the sum of `ratio` normals: A_h sqrt(ratio), A_h = sqrt(2 l |ln h|)
        self.bound = [np.sqrt(2 * truncation * abs(np.log(h)) * r) for h, r in zip(self.h, self.ratio)]
        self.scale = np.sqrt(self.h[-1])

    def increments(self, level, sums):
        return self.scale * np.clip(sums, -self.bound[level], self.bound[level])


def sweep(system, levels, paths, steps, tolerance, rng):
    """`steps` finest steps of all levels on the same Brownian paths; returns the states of every level and the mean
    iterations of the reference."""
    finest = len(levels.h) - 1
    x = [system.start(paths) for _ in levels.h]
    sums = [np.zeros(system.noise_shape(paths)) for _ in range(finest)]
    iterations = 0
    for n in range(1, steps + 1):
        z = rng.standard_normal(system.noise_shape(paths))
        x[finest], i = step(system, x[finest], levels.h[finest], levels.increments(finest, z), tolerance)
        iterations += i
        finer = z
        for j in range(finest - 1, -1, -1):
            sums[j] += finer
            if finer is not z:
                finer[...] = 0
            if n % levels.ratio[j]:
                break
            x[j], _ = step(system, x[j], levels.h[j], levels.increments(j, sums[j]), tolerance)
            finer = sums[j]
        else:
            finer[...] = 0
    return x, iterations / steps


def replay(system, zeta, h, tolerance, truncation=2):
    """States of one path after 0, 1, .. steps from given standard normals."""
    bound = np.sqrt(2 * truncation * abs(np.log(h)))
    x = system.start(1)
    out = [system.pack(x)]
    for z in zeta:
        dw = np.sqrt(h) * np.clip(z, -bound, bound).reshape(system.noise_shape(1))
        x, _ = step(system, x, h, dw, tolerance)
        out.append(system.pack(x))
    return np.array(out)


def cross(a, b):
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


class RigidBody:
    """so(3) in R^3, components x paths; Q = -(h/I + sigma dW)/2 x."""

    noises = 3

    def __init__(self, x0, inertia=(2, 1, 2 / 3), sigma=0.1):
        self.x0, self.inertia, self.sigma = np.asarray(x0, float), np.array(inertia, float), sigma

    def noise_shape(self, paths):
        return (3, paths)

    def start(self, paths):
        return np.repeat(self.x0[:, None], paths, axis=1)

    def pack(self, x):
        return x[:, 0]

    def prepare(self, h, dw):
        return -0.5 * (h / self.inertia[:, None] + self.sigma * dw)

    def bracket(self, c, x):
        return cross(c * x, x)

    def products(self, c, x):
        q = c * x
        return cross(q, x), -(q * x).sum(axis=0) * q


class HeavyTop:
    """se(3)*, components (Pi, Gamma) x paths, by trapezoidal Munthe-Kaas with one linear noise chi.Pi; only Pi is iterated,
    because the gradient does not depend on Gamma."""

    noises = 1

    def __init__(self, x0, inertia=(4, 2, 1), mga=(0, 0, 1), chi=(0.1, -0.2, 0.15)):
        self.x0 = np.asarray(x0, float)
        self.inertia, self.mga, self.chi = (np.array(a, float)[:, None] for a in (inertia, mga, chi))

    def noise_shape(self, paths):
        return (1, paths)

    def start(self, paths):
        return np.repeat(self.x0[:, None], paths, axis=1)

    def pack(self, x):
        return x[:, 0]

    @staticmethod
    def series(t, first, terms=6):
        """The sum of (-t)^j first!/(first + 2 j)!; six terms are exact to rounding up to an angle of 1/8."""
        s = 1.0
        for j in range(terms - 1, 0, -1):
            s = 1 - s * t / ((first + 2 * j - 1) * (first + 2 * j))
        return s

    def step(self, x, h, dw, tolerance, most):
        pi, gamma, v = x[:3], x[3:], h * self.mga
        noise, drift, end = self.chi * dw, h / self.inertia, x[:3]
        for iterations in range(1, most + 1):
            w = noise + drift * (0.5 * (pi + end))
            t = (w * w).sum(axis=0)
            a, b, c = self.series(t, 1), 0.5 * self.series(t, 2), self.series(t, 3) / 6
            wv = cross(w, v)
            y = pi - cross(v + b * wv + c * cross(w, wv), gamma)
            wy = cross(w, y)
            new = y - a * wy + b * cross(w, wy)
            change = np.abs(new - end).max()
            end = new
            if change <= tolerance:
                break
        wg = cross(w, gamma)
        return np.concatenate((end, gamma - a * wg + b * cross(w, wg))), iterations


class RigidBodies:
    """Three bodies of `potential` noise by variational Euler; arrays are components x bodies x paths, attitudes rows x
    columns x bodies x paths."""

    noises = 36

    def __init__(self, x0):
        self.x0 = np.asarray(x0, float)
        self.mass = np.array([1, 2, 0.5])[:, None]
        self.inertia = np.array([[0.4, 0.5, 0.6], [1, 1.2, 0.7], [0.3, 0.3, 0.5]]).T[:, :, None]
        self.trap, self.field, self.epsilon = 1.0, 0.5, 1.0
        self.drag, self.turn_drag = 0.5, 0.2
        self.force, self.torque = np.sqrt(2 * 0.5), np.sqrt(0.2)  # the second over sqrt 2

    def noise_shape(self, paths):
        return (36, paths)

    def start(self, paths):
        rows = np.repeat(self.x0.reshape(3, 18).T[:, :, None], paths, axis=2)
        return rows[:3], rows[3:6], rows[6:15].reshape(3, 3, 3, paths), rows[15:]

    def pack(self, x):
        return np.concatenate((x[0], x[1], x[2].reshape(9, 3, -1), x[3]))[:, :, 0].T.ravel()

    def pairs(self, h, x, n, f, t):
        for i, j in ((0, 1), (0, 2), (1, 2)):
            d = x[:, i] - x[:, j]
            w = h * self.epsilon * np.exp(-0.5 * (d * d).sum(axis=0))
            g = w * (n[:, i] * n[:, j]).sum(axis=0) * d
            f[:, i] -= g
            f[:, j] += g
            c = w * cross(n[:, i], n[:, j])
            t[:, i] += c
            t[:, j] -= c

    def step(self, state, h, dw, tolerance, most):
        x, p, r, pi = state
        inertia = self.inertia
        b = dw.reshape(3, 12, -1).transpose(1, 0, 2)
        n = r[:, 2]
        f = self.force * b[:3] - (h * self.trap) * x - (h * self.drag / self.mass) * p
        t = np.stack((h * self.field * n[1], -h * self.field * n[0], np.zeros_like(n[0])))
        z = self.torque * b[3:].reshape(3, 3, 3, -1)
        for k in range(3):
            t += cross(r[:, k], z[:, k])
        self.pairs(h, x, n, f, t)
        seen = r[0] * pi[0] + r[1] * pi[1] + r[2] * pi[2]
        w = seen / inertia
        m = seen - (h / 2) * cross(w, seen) + (h * h / 4) * (w * seen).sum(axis=0) * w - (h * self.turn_drag) * w
        m += r[0] * t[0] + r[1] * t[1] + r[2] * t[2]
        w = m / inertia
        for iterations in range(1, most + 1):  # Newton's method, with the columns a, b, c of the derivative
            q = inertia * w
            along = (h * h / 4) * (w * q).sum(axis=0)
            left = q + (h / 2) * cross(w, q) + along * w - m
            qw = (h * h / 2) * q
            skew = (h / 2) * (inertia[:, None] * w[None] - q[None])  # column i: I_i w - q, crossed with e_i
            a0, a1, a2 = inertia[0] + along + qw[0] * w[0], skew[0, 2] + qw[0] * w[1], qw[0] * w[2] - skew[0, 1]
            b0, b1, b2 = qw[1] * w[0] - skew[1, 2], inertia[1] + along + qw[1] * w[1], skew[1, 0] + qw[1] * w[2]
            c0, c1, c2 = skew[2, 1] + qw[2] * w[0], qw[2] * w[1] - skew[2, 0], inertia[2] + along + qw[2] * w[2]
            a, b_, c = (a0, a1, a2), (b0, b1, b2), (c0, c1, c2)
            bc, ca, ab = cross(b_, c), cross(c, a), cross(a, b_)
            scale = 1 / (a0 * bc[0] + a1 * bc[1] + a2 * bc[2])
            by = np.stack([(left * u).sum(axis=0) * scale for u in (bc, ca, ab)])
            w = w - by
            if h * np.abs(by).max() * np.abs(inertia * by).max() <= tolerance:
                break
        p = p + f
        x = x + h / self.mass * p
        y = h * w
        scale = 1 / (1 + 0.25 * (y * y).sum(axis=0))
        r = r.copy()
        for i in range(3):
            once = cross(r[i], y)
            r[i] += scale * (once + 0.5 * cross(once, y))
        e = np.empty_like(r)
        for i in range(3):
            for j in range(i, 3):
                e[i, j] = e[j, i] = (i == j) * 0.5 - 0.5 * (r[0, i] * r[0, j] + r[1, i] * r[1, j] + r[2, i] * r[2, j])
        for i in range(3):
            r[i] += r[i, 0] * e[0] + r[i, 1] * e[1] + r[i, 2] * e[2]
        q = inertia * w
        return (x, p, r, r[:, 0] * q[0] + r[:, 1] * q[1] + r[:, 2] * q[2]), iterations


class RigidBodyRows:
    """As it is written down first: paths x components, np.cross."""

    noises = 3

    def __init__(self, x0, inertia=(2, 1, 2 / 3), sigma=0.1):
        self.x0, self.inertia, self.sigma = np.asarray(x0, float), np.array(inertia, float), sigma

    def noise_shape(self, paths):
        return (paths, 3)

    def start(self, paths):
        return np.tile(self.x0, (paths, 1))

    def pack(self, x):
        return x[0]

    def prepare(self, h, dw):
        return -0.5 * (h / self.inertia + self.sigma * dw)

    def bracket(self, c, x):
        return np.cross(c * x, x)

    def products(self, c, x):
        q = c * x
        return np.cross(q, x), -np.sum(q * x, axis=1, keepdims=True) * q


class Manakov:
    """so(n), paths x n x n; X Q = (Q X)^T."""

    def __init__(self, x0, n=10, sigma=0.1):
        self.n, self.sigma, self.noises = n, sigma, n * (n - 1) // 2
        self.upper = np.triu_indices(n, 1)
        self.inertia = np.arange(1, self.noises + 1.0)
        self.entry = np.zeros((n, n), int)  # which of the entries i < j a matrix entry is made from
        self.entry[self.upper] = np.arange(self.noises)
        self.entry += self.entry.T
        full = np.zeros((n, n))
        full[self.upper] = x0
        self.x0 = full - full.T

    def noise_shape(self, paths):
        return (paths, self.noises)

    def start(self, paths):
        return np.repeat(self.x0[None], paths, axis=0)

    def pack(self, x):
        return x[0][self.upper]

    def prepare(self, h, dw):
        return np.take(-0.5 * (h / self.inertia + self.sigma * dw), self.entry, axis=1)

    def bracket(self, c, x):
        p = (c * x) @ x
        return p - p.transpose(0, 2, 1)

    def products(self, c, x):
        q = c * x
        p = q @ x
        return p - p.transpose(0, 2, 1), p @ q


class PointVortices:
    """su(2)^n in R^3, 3 x n x paths; Q X Q = |q|^2 x / 4 - (q.x) q / 2."""

    noises = 3

    def __init__(self, x0, sigma=0.1):
        self.x0, self.sigma = np.asarray(x0, float).T, sigma
        n = self.x0.shape[1]
        self.i, self.j = np.triu_indices(n, 1)

    def noise_shape(self, paths):
        return (3, paths)

    def start(self, paths):
        return np.repeat(self.x0[:, :, None], paths, axis=2)

    def pack(self, x):
        return x[:, :, 0].T

    def prepare(self, h, dw):
        return h / (8 * np.pi), 0.5 * self.sigma * dw[:, None, :]

    def half_psi(self, c, x):
        pull, noise = c
        q = noise * x
        for i, j in zip(self.i, self.j):  # all strengths are 1
            weight = pull / (1 - (x[:, i] * x[:, j]).sum(axis=0))
            q[:, i] += weight * x[:, j]
            q[:, j] += weight * x[:, i]
        return q

    def bracket(self, c, x):
        return cross(self.half_psi(c, x), x)

    def products(self, c, x):
        q = self.half_psi(c, x)
        return cross(q, x), 0.25 * (q * q).sum(axis=0) * x - 0.5 * (q * x).sum(axis=0) * q


def hoppe_yau(N, m):
    """Ascending eigenvectors (columns) of minus the Laplacian on the m-th upper diagonal; degrees l = m, .., N-1."""
    s, k = (N - 1) / 2, np.arange(N - m)
    a, b = s - k, s - k - m
    off = -np.sqrt((s * (s + 1) - a[:-1] * (a[:-1] - 1)) * (s * (s + 1) - b[:-1] * (b[:-1] - 1)))
    matrix = np.diag(2 * (s * (s + 1) - a * b)) + np.diag(off, 1) + np.diag(off, -1)
    return np.linalg.eigh(matrix)[1]


class EulerZeitlin:
    """su(N), paths x N x N complex, with noise on the modes l >= N/2: the gradient by one product with the basis of all
    (l, m), on matrices read as vectors of real numbers."""

    def __init__(self, x0, amplitude=2):
        self.x0 = np.asarray(x0, complex)
        N = self.N = self.x0.shape[0]
        modes, basis = [], []
        for m in range(N):
            vectors, k = hoppe_yau(N, m), np.arange(N - m)
            for l in range(max(m, 1), N):
                b = np.zeros((N, N))
                b[k, k + m] = vectors[:, l - m]
                if m == 0:
                    modes.append((l, 0)), basis.append(1j * b)
                else:
                    modes += [(l, m), (l, -m)]
                    basis += [(b - b.T) / np.sqrt(2), 1j * (b + b.T) / np.sqrt(2)]
        order = sorted(range(len(modes)), key=modes.__getitem__)
        l = np.array([modes[i][0] for i in order])
        self.basis = np.array([basis[i] for i in order]).reshape(len(l), N * N).view(float)
        self.scale = -0.5 / (l * (l + 1.0))
        self.noisy = l >= N // 2
        self.noises, self.amplitude = int(self.noisy.sum()), amplitude

    def noise_shape(self, paths):
        return (paths, self.noises)

    def start(self, paths):
        return np.repeat(self.x0[None], paths, axis=0)

    def pack(self, x):
        return x[0]

    def prepare(self, h, dw):
        c = np.full((dw.shape[0], len(self.scale)), h)
        c[:, self.noisy] += self.amplitude * dw
        return c * self.scale

    def half_psi(self, c, x):
        w = x.reshape(len(x), -1).view(float) @ self.basis.T
        w *= c
        return (w @ self.basis).view(complex).reshape(x.shape)

    def bracket(self, c, x):
        p = self.half_psi(c, x) @ x
        return p - p.conj().transpose(0, 2, 1)

    def products(self, c, x):
        q = self.half_psi(c, x)
        p = q @ x
        return p - p.conj().transpose(0, 2, 1), p @ q


class EulerZeitlinLarge:
    """su(N) without noise, one path: the inverse Laplacian diagonal by diagonal, two products of complex matrices."""

    noises = 0

    def __init__(self, x0):
        self.x0 = np.asarray(x0, complex)
        self.N = self.x0.shape[0]
        self.inverse, self.diagonal = [], []
        for m in range(self.N):
            v, l = hoppe_yau(self.N, m), np.arange(m, self.N)
            eigenvalue = np.where(l > 0, -1 / np.maximum(l * (l + 1.0), 1), 0)
            self.inverse.append((v * eigenvalue) @ v.T)
            self.diagonal.append(slice(m, (self.N - m) * self.N, self.N + 1))

    def noise_shape(self, paths):
        return (0,)

    def start(self, paths):
        return self.x0.copy()

    def pack(self, x):
        return x

    def prepare(self, h, dw):
        return 0.5 * h

    def half_psi(self, c, x):
        flat = np.ascontiguousarray(x).ravel()
        q = np.empty_like(flat)
        for m in range(self.N):
            d = np.ascontiguousarray(flat[self.diagonal[m]])
            d = c * (self.inverse[m] @ d.view(float).reshape(-1, 2)).view(complex).ravel()
            q[self.diagonal[m]] = d
            if m:
                q[m * self.N :: self.N + 1] = -d.conj()
        return q.reshape(x.shape)

    def bracket(self, c, x):
        p = self.half_psi(c, x) @ x
        return p - p.conj().T

    def products(self, c, x):
        q = self.half_psi(c, x)
        p = q @ x
        return p - p.conj().T, p @ q
