"""Milliseconds a step of Euler-Zeitlin by quflow (github.com/klasmodin/quflow) on one core, of what
bench/bench_euler_zeitlin measures: the isospectral midpoint without noise, h = 1.6e-3 in the paper's unit of
time, tolerance 1e-13, a random state of norm 100 in the degrees 1 .. 10. Denormal numbers count as zero for both.

    git clone https://github.com/klasmodin/quflow        # needs numpy, scipy, numba, h5py
    PYTHONPATH=quflow sh bench/peers/run.sh --only quflow [--rounds R] [N ..]

runs both in turns, R times, and prints the least times of each.
"""

import argparse
import ctypes
import platform
import subprocess
import time

import numpy as np
import quflow

H, TOLERANCE, NORM, LMAX = 1.6e-3, 1e-13, 100, 10


def flush_denormals():
    """The bits "flush to zero" and "denormals are zero" of MXCSR, by the environment of C's fenv.h."""
    if platform.machine() != "x86_64":
        return
    libm, place = ctypes.CDLL("libm.so.6"), ctypes.create_string_buffer(32)
    libm.fegetenv(place)
    mode = int.from_bytes(place.raw[28:32], "little") | 0x8040
    libm.fesetenv(ctypes.create_string_buffer(place.raw[:28] + mode.to_bytes(4, "little"), 32))


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


def measure_casimir(program, n):
    """Of one path: small N are computed 16 paths at once."""
    out = subprocess.run([program, "-q", str(NORM), str(n)], check=True, capture_output=True, text=True).stdout
    _, paths, _, step, iterations = out.splitlines()[-1].split()[:5]
    return float(step) * int(paths), float(iterations)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--casimir", required=True, help="the program bench_euler_zeitlin")
    p.add_argument("--only", help="for run.sh")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("n", type=int, nargs="*", default=[12, 64, 128, 256, 512])
    a = p.parse_args()
    flush_denormals()
    print("   N    casimir     quflow  ratio  iterations of each")
    for n in a.n:
        times = [measure_casimir(a.casimir, n) + measure(n) for _ in range(a.rounds)]
        ours, theirs = min(t[0] for t in times), min(t[2] for t in times)
        print("%4d %10.4f %10.4f %6.2f  %.1f, %.1f" % (n, ours, theirs, theirs / ours, times[0][1], times[0][3]), flush=True)


main()
