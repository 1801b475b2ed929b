"""casimir against the programs of this directory, in turns, each on the same core: bench/peers/run.sh starts it.

Every row is one study (levels, truncation, tolerance, initial state); times are nanoseconds of processor time a path and
finest step with all levels included, the best of a round; ratios are taken within a round, and their least, median and largest printed."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

import numpy_scheme as scheme

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "tests", "data")


# ---- the studies ----


def golden(name):
    with h5py.File(os.path.join(DATA, name + ".h5")) as f:
        return f["x"][...], f["zeta"][...], float(f.attrs["h"])


def smooth_state(N, norm):
    """Skew-Hermitian, every mode (l, m) a normal number over l^2: eddies of all sizes, most of them large."""
    rng = np.random.default_rng(1)
    x = np.zeros((N, N), complex)
    for m in range(N):
        vectors, k = scheme.hoppe_yau(N, m), np.arange(N - m)
        l = np.arange(m, N)
        weight = np.where(l > 0, 1 / np.maximum(l, 1) ** 2, 0)
        d = vectors @ (weight * (rng.standard_normal(N - m) + 1j * rng.standard_normal(N - m)))
        x[k, k + m] = d if m else 1j * d.imag
        if m:
            x[k + m, k] = -d.conj()
    return x * (norm / np.linalg.norm(x))


class Study:
    """`system`: YAML of casimir's system but for the initial state. `paths`: at a time, the fastest number for the peer.
    `peers`: name -> (class, paths, finest steps)."""

    def __init__(self, name, system, x0, coarsest, levels, reference, tolerance, peers, noise=True,
                 scheme="isospectral_midpoint"):
        self.name, self.system, self.x0, self.peers = name, system, x0, peers
        self.coarsest, self.levels, self.reference = coarsest, levels, reference
        self.tolerance, self.noise, self.scheme = tolerance, noise, scheme

    def casimir(self, directory):
        """Writes the configuration and returns its name."""
        state = os.path.join(directory, self.name + ".h5")
        with h5py.File(state, "w") as f:
            f["x"] = self.x0
        file = os.path.join(directory, self.name + ".yaml")
        with open(file, "w") as f:
            f.write(
                f"system: {{{self.system}, initial: {{file: {state}}}}}\n"
                f"integrator: {{name: {self.scheme}, tolerance: {self.tolerance}}}\nrandom: {{generator: threefry}}\n"
                f"study: {{kind: strong, coarsest_step: {self.coarsest!r}, coarsest_steps: 1, levels: {self.levels}, "
                f"reference: {self.reference}, paths: 1}}\n"
            )
        return file

    def grid(self):
        return scheme.Levels(self.coarsest, self.levels, self.reference)

    def absolute_tolerance(self):
        """As casimir has it: relative to the largest component."""
        parts = self.x0.view(float) if np.iscomplexobj(self.x0) else self.x0
        return self.tolerance * np.abs(parts).max()


def studies():
    rigid = golden("rigid-body")[0][0]
    weak = ("rigid-body", "name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}")
    strong = 2.0**-7, 6, 9, 1e-15
    return [
        Study(*weak, rigid, 2.0**-7, 7, 9, 1e-15,
              {"NumPy": (scheme.RigidBody, 4096, 256), "NumPy, rows": (scheme.RigidBodyRows, 4096, 256),
               "Numba": (None, 64, 512)}),
        Study("heavy-top", "name: heavy_top, inertia: [4, 2, 1], mga: [0, 0, 1], noise: {pi: [[0.1, -0.2, 0.15]]}",
              golden("heavy-top-421")[0][0], *strong, {"NumPy": (scheme.HeavyTop, 2048, 128)}, scheme="munthe_kaas"),
        Study("manakov-10", "name: manakov, n: 10, noise: {sigma: 0.1}", golden("manakov-10")[0][0], *strong,
              {"NumPy": (scheme.Manakov, 64, 256)}),
        Study("point-vortices-4", "name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}",
              golden("point-vortices-4")[0][0], *strong, {"NumPy": (scheme.PointVortices, 2048, 128)}),
        Study("rigid-bodies-3", "name: rigid_bodies, mass: [1, 2, 0.5], inertia: [[0.4, 0.5, 0.6], [1, 1.2, 0.7], [0.3, "
              "0.3, 0.5]], trap: 1, field: [0, 0, 0.5], epsilon: 1, friction: {force: 0.5, torque: 0.2}, temperature: 1",
              golden("langevin-rigid-bodies")[0][0], *strong, {"NumPy": (scheme.RigidBodies, 2048, 64)},
              scheme="variational_euler, truncation: 2"),
        Study("euler-zeitlin-12", "name: euler_zeitlin, N: 12, noise: {amplitude: 2}",
              golden("euler-zeitlin-12")[0][0], *strong, {"NumPy": (scheme.EulerZeitlin, 64, 128)}),
        Study("euler-zeitlin-128", "name: euler_zeitlin, N: 128", smooth_state(128, 12), 2.0**-4, 1, 1, 1e-13,
              {"NumPy": (scheme.EulerZeitlinLarge, 1, 8)}, noise=False),
    ]  # fmt: skip


# ---- measuring ----


def run_casimir(program, configuration, seconds, json_file):
    subprocess.run(
        [program, "--json", json_file, "--seconds", str(seconds), configuration], check=True, stdout=subprocess.DEVNULL
    )
    with open(json_file) as f:
        return json.load(f)["entries"][0]["best"]


def numba_arguments(study):
    import numba_scheme

    g = study.grid()
    levels = [np.array(a) for a in (g.h, g.ratio, g.bound)]
    return numba_scheme, (study.x0, *levels, np.array([2, 1, 2 / 3]), 0.1)


def peer_function(study, peer):
    """A function without arguments that integrates `paths * steps` once; and that product."""
    kind, paths, steps = study.peers[peer]
    tolerance = study.absolute_tolerance()
    if kind is None:
        module, a = numba_arguments(study)
        return (lambda: module.sweep(*a, paths, steps, tolerance)), paths * steps
    system, grid, rng = kind(study.x0), study.grid(), np.random.default_rng(1)
    return (lambda: scheme.sweep(system, grid, paths, steps, tolerance, rng)), paths * steps


def best_of(function, work, seconds):
    best, clock = float("inf"), time.perf_counter()
    while time.perf_counter() - clock < seconds:
        before = time.thread_time()
        function()
        best = min(best, (time.thread_time() - before) * 1e9 / work)
    return best


def measure(study, program, rounds, seconds, directory):
    """{"casimir": [ns of each round], peer: [..]}"""
    configuration = study.casimir(directory)
    peers = {peer: peer_function(study, peer) for peer in study.peers}
    for function, _ in peers.values():
        function()  # compiles, allocates
    times = {name: [] for name in ("casimir", *peers)}
    for _ in range(rounds):
        times["casimir"].append(run_casimir(program, configuration, seconds, os.path.join(directory, "study.json")))
        for peer, (function, work) in peers.items():
            times[peer].append(best_of(function, work, seconds))
    return times


# ---- reporting ----


def report(study, times):
    rows = []
    for peer in study.peers:
        ratios = [p / c for p, c in zip(times[peer], times["casimir"])]
        row = {"study": study.name, "peer": peer, "casimir_ns": min(times["casimir"]), "peer_ns": min(times[peer]),
               "ratio_min": min(ratios), "ratio_median": statistics.median(ratios), "ratio_max": max(ratios)}  # fmt: skip
        rows.append(row)
        print(f"{study.name:<18} {peer:<12} {row['casimir_ns']:>11.2f} {row['peer_ns']:>13.2f}"
              f" {row['ratio_min']:>8.2f} {row['ratio_median']:>8.2f} {row['ratio_max']:>8.2f}", flush=True)  # fmt: skip
    return rows


def check():
    """The peers against paths in 80-bit arithmetic, from given normals."""
    worst = 0
    cases = [("rigid-body", scheme.RigidBody), ("rigid-body", scheme.RigidBodyRows), ("heavy-top-421", scheme.HeavyTop), ("langevin-rigid-bodies", scheme.RigidBodies),
             ("manakov-10", scheme.Manakov),
             ("point-vortices-4", scheme.PointVortices), ("euler-zeitlin-12", scheme.EulerZeitlin)]  # fmt: skip
    for name, kind in cases:
        x, zeta, h = golden(name)
        error = np.abs(scheme.replay(kind(x[0]), zeta, h, 1e-15) - x).max()
        worst = max(worst, error)
        print(f"{name:<18} {kind.__name__:<18} {error:.2g}")
    import numba_scheme

    x, zeta, h = golden("rigid-body")
    bound = np.sqrt(4 * abs(np.log(h)))
    error = np.abs(numba_scheme.replay(x[0], zeta, h, np.array([2, 1, 2 / 3]), 0.1, bound, 1e-15) - x).max()
    print(f"{'rigid-body':<18} {'Numba':<18} {error:.2g}")
    # no golden file is without noise: the large matrices' gradient against the basis of the small ones
    x = golden("euler-zeitlin-12")[0][0]
    small, large = scheme.EulerZeitlin(x, amplitude=0), scheme.EulerZeitlinLarge(x)
    q = small.half_psi(small.prepare(0.1, np.zeros((1, small.noises))), x[None])[0]
    gradient = np.abs(q - large.half_psi(large.prepare(0.1, None), x)).max()
    print(f"{'euler-zeitlin-12':<18} {'EulerZeitlinLarge':<18} {gradient:.2g}")
    worst = max(worst, error, gradient)
    return 0 if worst <= 1e-12 else 1


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--check", action="store_true", help="compare the peers with tests/data and leave")
    p.add_argument("--program", help="bench_study of a build of casimir")
    p.add_argument("--directory", help="where to put configurations and states")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=1.0, help="a program and round")
    p.add_argument("--only", help="a part of the names of studies")
    p.add_argument("--json", help="write the table to this file")
    a = p.parse_args()
    if a.check:
        return check()
    os.makedirs(a.directory, exist_ok=True)
    print(f"{'study':<18} {'peer':<12} {'casimir ns':>11} {'peer ns':>13} {'least':>8} {'median':>8} {'most':>8}  ratio")
    rows = []
    for study in studies():
        if not a.only or a.only in study.name:
            rows += report(study, measure(study, a.program, a.rounds, a.seconds, a.directory))
    if a.json:
        with open(a.json, "w") as f:
            json.dump({"benchmark": "peers", "unit": "ns", "rows": rows}, f, indent=1)
    return 0


sys.exit(main())
