"""Milliseconds a step of Euler-Zeitlin by casimir and by other solvers of large matrices on one core: the isospectral
midpoint without noise, h = 1.6e-3 in the paper's unit of time, a random state of norm 100 in the degrees 1 .. 10,
tolerance 1e-13. bench/bench_euler_zeitlin measures casimir, of which small N are computed 16 paths at once.

    sh bench/peers/run.sh --only matrices [--rounds R] [N ..]

runs all in turns, R times, and prints the least times of each. The others run where they are there:
  quflow  github.com/klasmodin/quflow, a Python package in PYTHONPATH; denormal numbers count as zero, as in casimir
  GLIFS   github.com/cifanip/GLIFS: GLIFS=FILE, its program for Euler's equations, built with ScaLAPACK and the
          BLAS that casimir uses. Its state has the norm 6.7: the step is longer, so that step times norm is as in
          the others, and its tolerance is 1e-13 of that norm. It says the time of a step itself.
"""

import argparse
import ctypes
import math
import os
import platform
import re
import subprocess
import tempfile
import time

import numpy as np

try:
    import quflow
except ImportError:
    quflow = None

H, TOLERANCE, NORM, LMAX = 1.6e-3, 1e-13, 100, 10
GLIFS, GLIFS_NORM = os.environ.get("GLIFS"), 6.7


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


def steps_of(n):
    return 200 if n <= 32 else 20 if n <= 128 else 4


def measure_quflow(n):
    steps, best, count = steps_of(n), math.inf, {}
    dt = H * quflow.geometry.hbar(n)
    w = quflow.isomp_fixedpoint(state(n), dt, steps=2, tol=TOLERANCE, maxit=50)
    for _ in range(7):
        count = {"iterations": 0.0}
        before = time.process_time()
        w = quflow.isomp_fixedpoint(w, dt, steps=steps, tol=TOLERANCE, maxit=50, stats=count)
        best = min(best, (time.process_time() - before) * 1e3 / steps)
    return best, count["iterations"]


def measure_glifs(n):
    """Its physical time is that of the unit sphere: a step dt is N^(3/2)/sqrt(16 pi) dt of the paper's time."""
    dt = H * NORM / GLIFS_NORM * math.sqrt(16 * math.pi) / n**1.5
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "specs"))
        with open(os.path.join(directory, "specs", "input_parameters"), "w") as f:
            f.write(
                "integrator 0\ninitial_conditions 2\nN %d\nnprow 1\nnpcol 1\nTf %.16g\ndt %.16g\ninput_folder 0\n"
                "write_interval -1\ndtout 1e9\ntol %g\nmax_iter 100\nl_min 1\nl_max %d\n"
                % (n, 7 * steps_of(n) * dt, dt, TOLERANCE * GLIFS_NORM, min(LMAX, n - 1))
            )
        out = subprocess.run([GLIFS], cwd=directory, check=True, capture_output=True, text=True).stdout
    iterations = re.findall(r"converged: iter +(\d+)", out)
    # an iteration that finds the state converged counts there from 0
    return min(map(float, re.findall(r"ISO_AMP CPU TIME: *(\S+)", out))) * 1e3, float(iterations[-1]) + 1


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
    peers = {"quflow": quflow and measure_quflow, "GLIFS": GLIFS and measure_glifs}
    for name in [name for name in peers if not peers[name]]:
        print("without %s: see the head of bench/peers/matrices.py" % name)
        del peers[name]
    flush_denormals()
    print("   N    casimir, iterations" + "".join("%11s, ratio, iterations" % name for name in peers))
    for n in a.n:
        rounds = [[measure_casimir(a.casimir, n)] + [peers[name](n) for name in peers] for _ in range(a.rounds)]
        best = [min(times) for times in zip(*rounds)]
        line = "%4d %10.4f  %10.1f" % (n, *best[0])
        for other in best[1:]:
            line += "%11.4f  %5.2f  %10.1f" % (other[0], other[0] / best[0][0], other[1])
        print(line, flush=True)


main()
