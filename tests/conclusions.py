"""Makes tests/data/conclusions.txt: random errors of levels, and what is to be concluded from them,
by a program that shares nothing with src/statistics. The rule is in docs/statistics.md.

    python3 tests/conclusions.py > tests/data/conclusions.txt

Errors y at steps h are c_0 (h^e - f^e) + c_1 (h^(e+1) - f^(e+1)) + .., f being the finer step, or
none; C is their covariance, known from nu degrees of freedom. Needs numpy and scipy.
"""
import numpy as np
from scipy.stats import f, t


class Errors:
    def __init__(self, h, y, C, nu, finer, independent):
        self.h, self.y, self.C, self.finer, self.nu, self.independent = h, y, C, finer, nu, independent
        self.n = len(h)

    def columns(self, first, exponents):
        h, C = self.h[first:], self.C[first:, first:]
        X = np.stack([h**k - (0 if self.finer is None else self.finer[first:] ** k) for k in exponents], 1)
        d = np.sqrt(np.diag(C))
        W = np.linalg.inv(np.linalg.cholesky(C / np.outer(d, d))) / d
        return W @ X, W @ self.y[first:]

    def inflation(self, chi2, dof):
        return 1.0 if self.independent else (1 + chi2 / self.nu) * self.nu / max(self.nu - dof, 0.5)

    def p_value(self, chi2, dof):
        if dof < 1:
            return np.nan
        if self.independent:
            return f.sf(chi2 / dof, dof, self.nu)
        d = self.nu - dof + 1
        return f.sf(chi2 * d / (self.nu * dof), dof, d)

    def quantile(self, dof):
        return t.ppf(0.975, self.nu if self.independent else max(self.nu - dof, 1))

    def fit(self, first, exponents):
        X, z = self.columns(first, exponents)
        scale = np.sqrt((X**2).sum(0))
        U, S, V = np.linalg.svd(X / scale, full_matrices=False)
        c = V.T @ (U.T @ z / S) / scale
        r = z - X @ c
        chi2, dof = float(r @ r), self.n - first - len(exponents)
        se = np.sqrt(((V.T / S) ** 2).sum(1) * self.inflation(chi2, dof)) / scale
        return c[0], se[0], chi2, dof, self.p_value(chi2, dof)

    def free(self, first, e, m):
        def chi2(x):
            return self.fit(first, [x] + [e + k for k in range(1, m)])[2]

        def crossing(inside, outside):
            for _ in range(20):
                middle = (inside + outside) / 2
                inside, outside = (middle, outside) if chi2(middle) <= limit else (inside, middle)
            return outside

        xs = np.linspace(0.02, e + 0.97, 121)
        near = xs[np.argmin([chi2(x) for x in xs])]
        for width in np.diff(xs[:2])[0] / 20.0 ** np.arange(3):
            fine = np.clip(near + width * np.linspace(-1, 1, 41), xs[0], xs[-1])
            near = fine[np.argmin([chi2(x) for x in fine])]
        xs = np.sort(np.append(xs, near))
        least, dof = chi2(near), self.n - first - m - 1
        limit = least + self.quantile(max(dof, 0)) ** 2 * self.inflation(least, max(dof, 0))
        a, b = np.where(np.array([chi2(x) for x in xs]) <= limit)[0][[0, -1]]
        low = -np.inf if a == 0 else crossing(xs[a], xs[a - 1])
        high = np.inf if b == len(xs) - 1 else crossing(xs[b], xs[b + 1])
        return near, low, high, self.p_value(least, dof)


def supported(errors, e):
    """Whether a first term h^e is there; its coefficient, its intervals, p, terms, values left out."""
    n = errors.n
    whole = lambda m, e=e: [e + k for k in range(m)]
    laws = [(first, m) for first in range(n - 2) for m in (2, 3) if n - first > m]
    law = next((x for x in laws if errors.fit(x[0], whole(x[1]))[4] > 0.05), None)
    if law is None:
        return (False,) + (np.nan,) * 3 + (-np.inf, np.inf, np.nan, 0, 0)
    first, m = law
    c, se, _, dof, p = errors.fit(first, whole(m))
    half = errors.quantile(dof) * se
    low, high, sure = c - half, c + half, abs(c) > 4 * se
    for first2, m2 in ((first + 1, m), (first, m + 1)):
        if n - first2 >= m2:
            c2, se2, _, dof2, _ = errors.fit(first2, whole(m2))
            half = errors.quantile(dof2) * se2
            low, high = min(low, c2 - half), max(high, c2 + half)
            sure = sure and np.sign(c) * c2 > 3 * se2
    _, xlow, xhigh, _ = errors.free(first, e, m)
    if n - first - 1 >= m + 1:
        _, low2, high2, p2 = errors.free(first + 1, e, m)
        if not p2 < 0.01:
            xlow, xhigh = min(xlow, low2), max(xhigh, high2)
    sure = sure and n - first >= m + 2 and e - 0.5 < xlow <= e <= xhigh < e + 0.5
    sure = sure and max(errors.fit(first, whole(m, e + s))[4] for s in (-0.5, 0.5)) <= 0.05
    return sure, c, low, high, xlow, xhigh, p, m, first


def conclude(errors, e):
    sure, *numbers = supported(errors, e)
    contrary = supported(errors, e - 1 if e >= 2 else e / 2)[0]
    verdict = "not_resolved" if sure == contrary else "supported" if sure else "contradicted"
    return verdict, *numbers


def designs(rng):
    for k in range(40):
        n, e = int(rng.integers(3, 8)), [1.0, 2.0][k % 2]
        h = 2.0 ** -(np.arange(n) + 3)
        c = rng.choice([-1, 1], 4) * np.array([[0.3, 1, 3][k % 3], 2, 2, 1])
        finer = None if k % 4 == 0 else h / 2 if k % 4 < 3 else np.full(n, h[-1] / 4)
        y = sum(c[i] * (h ** (e + i) - (0 if finer is None else finer ** (e + i))) for i in range(4))
        if k % 6 == 5:  # a term of a lower order
            y = y + 3 * h ** (e - 1 if e >= 2 else e / 2)
        size = [0.002, 0.01, 0.03][k % 3] * abs(y)
        independent, nu = k % 5 < 3, int([5000, 63][k % 5 >= 3])
        L = np.eye(n) if independent else np.linalg.cholesky(0.2 * np.eye(n) + 0.8)
        y = y + size * (L @ rng.standard_normal(n))
        yield Errors(h, y, np.outer(size, size) * (L @ L.T), nu, finer, independent), e


if __name__ == "__main__":
    print("# made by tests/conclusions.py: values, exponent, degrees of freedom, 1 if independent;")
    print("# steps; finer steps, 0: none; errors; their covariance; and then the verdict, coefficient,")
    print("# its interval, that of the free exponent, p, number of terms, values left out")
    for errors, e in designs(np.random.default_rng(7)):
        print(errors.n, e, errors.nu, int(errors.independent))
        for row in (errors.h, errors.h * 0 if errors.finer is None else errors.finer, errors.y, errors.C.ravel()):
            print(*(repr(float(x)) for x in row))
        verdict, *numbers = conclude(errors, e)
        print(verdict, *(f"{x:.9g}" for x in numbers))
