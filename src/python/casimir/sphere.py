"""States of Euler-Zeitlin, their coefficients, and maps on the sphere.

    from casimir import sphere
    omega = sphere.coefficients(state)      # omega[l*l - 1 + l + m] = <T_lm, X>, l = 1 .. N-1
    state = sphere.to_state(omega)          # N x N skew-Hermitian
    field = sphere.to_map(omega, rows=64)   # rows x 2 rows, latitudes from south to north, as `vorticity`
    omega = sphere.from_map(field, size=64) # the other way, degrees below size

All take stacks of states, coefficients or maps. An HDF5 file with coefficients [.., N^2 - 1] or maps [.., rows, 2 rows]
serves `system.initial: {coefficients: {file: F, dataset: D, index: I}}` or `{map: ..}`, one with maps of stream
functions `system.noise.fields: {file: F, dataset: D}`.

Harmonics are real and orthonormal on the unit sphere, without the sign (-1)^m; m > 0 has the sine, m < 0 the cosine:
(l, -m) is cilm[0, l, m] and (l, m) is cilm[1, l, m] in the arrays of pyshtools with normalization "ortho", csphase 1.
In the arrays of quflow (l, -m) is omega[l*l + l + m] and (l, m) is -omega[l*l + l - m], and its matrix is
sqrt(N) X[::-1, ::-1]. States of a rotating sphere are absolute vorticities."""

import math

import numpy as np


def _diagonal(size, m):
    """Unit eigenvectors (columns, l = m .. N-1) of minus the Hoppe-Yau Laplacian on the m-th upper diagonal, by the
    three terms of its rows from the first component on, which is positive, to the middle; the rest mirrors them."""
    count, degree = size - m, np.arange(m, size)
    half, s, k = (count + 1) // 2, (size - 1) / 2, np.arange(count)
    a = s - k
    b = a - m
    main = 2 * (s * (s + 1) - a * b)
    off = -np.sqrt((s * (s + 1) - a * (a - 1)) * (s * (s + 1) - b * (b - 1)))
    vectors = np.zeros((count, count))
    vectors[0] = 1
    for k in range(half - 1):
        before = off[k - 1] * vectors[k - 1] if k else 0
        vectors[k + 1] = ((degree * (degree + 1) - main[k]) * vectors[k] - before) / off[k]
        large = np.abs(vectors[k + 1]) > 2.0**500
        vectors[: k + 2, large] /= 2.0**500
    if count % 2:
        vectors[half - 1, 1::2] = 0
    vectors[half:] = vectors[: count - half][::-1] * (-1.0) ** (degree - m)
    return vectors / np.linalg.norm(vectors, axis=0)


def _size(omega):
    size = int(round(np.sqrt(omega.shape[-1] + 1)))
    if size * size != omega.shape[-1] + 1:
        raise ValueError(f"found {omega.shape[-1]} coefficients, must be N^2 - 1")
    return size


def coefficients(state):
    """<T_lm, X> of states [.., N, N], as [.., N^2 - 1]."""
    state = np.asarray(state)
    size = state.shape[-1]
    omega = np.zeros(state.shape[:-2] + (size * size - 1,))
    for m in range(size):
        degree, at = _places(size, m)
        parts = (np.diagonal(state, m, -2, -1) @ _diagonal(size, m))[..., degree - m] * (np.sqrt(2) if m else 1)
        omega[..., at + m], omega[..., at - m] = parts.real, parts.imag
    return omega


def to_state(omega):
    """States [.., N, N] with the coefficients [.., N^2 - 1]."""
    omega = np.asarray(omega, float)
    size = _size(omega)
    state = np.zeros(omega.shape[:-1] + (size, size), complex)
    for m in range(size):
        parts = np.zeros(omega.shape[:-1] + (size - m,), complex)
        degree, at = _places(size, m)
        parts[..., degree - m] = (omega[..., at + m] + 1j * omega[..., at - m]) / np.sqrt(2) if m else 1j * omega[..., at]
        entries, k = parts @ _diagonal(size, m).T, np.arange(size - m)
        state[..., k + m, k], state[..., k, k + m] = -entries.conj(), entries
    return state


def _legendre(size, m, theta):
    """P_lm(theta) [points, l - m], l = m .. size - 1, without the sign (-1)^m."""
    values, last = np.zeros((len(theta), size - m)), math.inf
    values[:, 0] = np.sqrt(1 / (4 * np.pi))
    for k in range(1, m + 1):
        values[:, 0] *= np.sqrt((2 * k + 1) / (2 * k)) * np.sin(theta)
    for l in range(1, size - m):
        a = np.sqrt((4 * (l + m) ** 2 - 1) / ((l + m) ** 2 - m * m))
        values[:, l] = a * (np.cos(theta) * values[:, l - 1] - values[:, l - 2] / last)  # none before the first
        last = a
    return values


def _places(size, m):
    """Degrees l = m .. size - 1 but 0, and where the coefficients (l, 0) of these are."""
    degree = np.arange(max(m, 1), size)
    return degree, degree * degree - 1 + degree


def to_map(omega, rows, columns=None):
    """Values of sum omega_lm Y_lm at the centres of `rows` equal bands and `columns` (2 rows) longitudes from 0 on."""
    omega = np.asarray(omega, float)
    size, columns = _size(omega), columns or 2 * rows
    theta, phi = np.pi - (np.arange(rows) + 0.5) * np.pi / rows, 2 * np.pi * np.arange(columns) / columns
    field = np.zeros(omega.shape[:-1] + (rows, columns))
    for m in range(size):
        (degree, at), weight = _places(size, m), np.sqrt(2) if m else 1.0
        values = weight * _legendre(size, m, theta)[:, degree - m].T
        for place, wave in ((at - m, np.cos), (at + m, np.sin)):
            field += (omega[..., place] @ values)[..., None] * wave(m * phi)
    return field


def from_map(field, size):
    """Coefficients of degrees 1 .. min(size, rows) - 1 of maps [.., rows, 2 rows], integrals of Y_lm times the
    trigonometric polynomials through their values; those of higher degrees are 0."""
    field = np.asarray(field, float)[..., ::-1, :]  # from the north pole
    rows, columns = field.shape[-2:]
    if columns != 2 * rows:
        raise ValueError(f"found maps of {rows} x {columns}, must be rows x 2 rows")
    points, degrees = rows + max(rows, size), min(rows, size)
    theta = (np.arange(points) + 0.5) * np.pi / points
    k = np.arange(1, points // 2 + points % 2)
    weight = 2 / points * (1 - 2 * np.cos(2 * np.outer(theta, k)) @ (1 / (4.0 * k * k - 1)))
    at, k = (np.arange(rows) + 0.5) * np.pi / rows, np.arange(rows + 1)
    half = np.where((k == 0) | (k == rows), 1, 2) / rows
    through = [(half[:-1] * np.cos(np.outer(theta, k[:-1]))) @ np.cos(np.outer(at, k[:-1])).T,
               (half * np.sin(np.outer(theta, k))) @ np.sin(np.outer(at, k)).T]
    phi = 2 * np.pi * np.arange(columns) / columns
    omega = np.zeros(field.shape[:-2] + (size * size - 1,))
    for m in range(degrees):
        (degree, at), scale = _places(degrees, m), 2 * np.pi * (np.sqrt(2) if m else 1) / columns
        project = (weight[:, None] * _legendre(degrees, m, theta)).T @ through[m % 2]
        for place, wave in ((at + m, np.sin), (at - m, np.cos)):
            omega[..., place] = (scale * (field @ wave(m * phi)) @ project.T)[..., degree - m]
    return omega
