"""Milliseconds a step of Euler-Zeitlin by quflow (github.com/klasmodin/quflow) on one core, of what
bench/bench_euler_zeitlin measures: the isospectral midpoint without noise, h = 1.6e-3 in the paper's unit of
time, tolerance 1e-13, a random state of norm 100 in the degrees 1 .. 10.

    git clone https://github.com/klasmodin/quflow        # needs numpy, scipy, numba, h5py
    PYTHONPATH=quflow OPENBLAS_NUM_THREADS=1 taskset -c 0 python3 bench/peers/quflow_step.py [N ..]
"""

import sys
import time

import numpy as np
import quflow

H, TOLERANCE, NORM, LMAX = 1.6e-3, 1e-13, 100, 10


def state(n):
    omega = np.zeros(n * n)
    top = min(LMAX, n - 1)
    omega[1 : (top + 1) ** 2] = np.random.default_rng(1).standard_normal((top + 1) ** 2 - 1)
    w = quflow.shr2mat(omega, N=n)
    return NORM * w / np.linalg.norm(w)


def measure(n):
    steps, best, count = (200 if n <= 32 else 20 if n <= 128 else 4), 1e300, {}
    dt = H * quflow.geometry.hbar(n)
    w = quflow.isomp_fixedpoint(state(n), dt, steps=2, tol=TOLERANCE, maxit=50)
    for _ in range(7):
        count = {"iterations": 0.0}
        before = time.process_time()
        w = quflow.isomp_fixedpoint(w, dt, steps=steps, tol=TOLERANCE, maxit=50, stats=count)
        best = min(best, (time.process_time() - before) * 1e3 / steps)
    return best, count["iterations"]


for n in [int(a) for a in sys.argv[1:]] or [12, 64, 128, 256]:
    print("%4d %10.4f ms a step, %4.1f iterations" % ((n,) + measure(n)), flush=True)
