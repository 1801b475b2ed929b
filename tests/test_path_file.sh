#!/bin/sh
# --only-path with --output: every step of one path on every level, with the very states that the study used.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

body='{name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, initial: [0.36, 0.48, 0.8]}'
configurations <<END
strong | $body | convergence, coarsest_step: 2^-4, coarsest_steps: 8, levels: 2, reference: 4, paths: 2, functionals: [x1, x2, x3]
multilevel | $body | weak_multilevel, coarsest_step: 2^-4, coarsest_steps: 8, levels: 2, paths: 2, functionals: [x1, x2, x3]
flow | {name: euler_zeitlin, N: 30, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}} | trajectory, step: 2^-6, steps: 20, paths: 3, observables: [hamiltonian, casimir_departure]
END
for study in strong multilevel flow; do runs $study.yaml --output $study.h5; done

# paths of the second level of differences are 2 and 3
for path in 0 1; do
  expect 0 "every step of it is in strong-$path.h5" strong.yaml --only-path $path --output strong-$path.h5
  expect 0 "every step of it is in level-$path.h5" multilevel.yaml --only-path $((2 + path)) --output level-$path.h5
done
ends 0 '' "$MPIEXEC" -n 2 "$CASIMIR" run flow.yaml --only-path 2 --output flow-2.h5
ls ./*.tmp ./*.lock 2>/dev/null && fail "files are left"

"$python" - <<'END' || fail "the paths are not those of the studies"
import h5py, numpy as np

def same(what, found, wanted):
    assert np.array_equal(np.asarray(found), np.asarray(wanted)), (what, found, wanted)

def mean(a, b):  # as two paths are joined
    return a + (b - a) * 0.5

assert "Holm's test of all levels" in h5py.File("strong.h5")["strong/resolved"].attrs["long_name"]

# the states at the horizon are those behind E phi of every level
study, paths = h5py.File("strong.h5"), [h5py.File("strong-%d.h5" % i)["path"] for i in range(2)]
assert list(paths[0]) == ["level_0", "level_1", "level_2"]
for level, steps in enumerate([8, 16, 128]):
    group = [p["level_%d" % level] for p in paths]
    for k in range(3):
        same("E x%d" % (k + 1), study["weak/x%d/mean" % (k + 1)][level], mean(*[g["state"][-1, k] for g in group]))
        same("x%d" % (k + 1), group[0]["x%d" % (k + 1)], group[0]["state"][:, k])
    for i, g in enumerate(group):
        assert g.attrs["path"] == i and g["state"].shape == (steps + 1, 3)
        assert g.attrs["role"].startswith("finest" if level == 2 else "coarser")
        same("time", g["time"], np.arange(steps + 1) * g.attrs["step"])
        assert g["state"].dims[0][0].name == g["time"].name and g["state"].dims[1][0].name == g["component"].name
        for name in g:
            assert g[name].attrs["units"] and (name == "time" or "long_name" in g[name].attrs), name
        assert g["norm"].attrs["long_name"].startswith("|x|, length")  # what casimir describe says
        assert g["iterations"][0] == 0 and (g["iterations"][1:] > 0).all() and not g["not_converged"][:].any()
        same("most iterations", h5py.File("strong-%d.h5" % i)["health/iterations_max"][level], g["iterations"][:].max())
        assert np.abs(g["norm"][:] - 1).max() < 1e-14 and np.abs(g["casimir_departure"][:]).max() < 1e-14
        same("initial", g["state"][0], [0.36, 0.48, 0.8])
for name in "iterations", "clipped", "steps_taken":
    same(name, study["health"][name], sum(h5py.File("strong-%d.h5" % i)["health"][name][:] for i in range(2)))
squares = [np.sum((p["level_1/state"][-1] - p["level_2/state"][-1]) ** 2) for p in paths]
assert abs(study["strong/error"][1] / np.sqrt(np.mean(squares)) - 1) < 1e-12

# coarse, fine, and fine with the halves swapped
study, paths = h5py.File("multilevel.h5"), [h5py.File("level-%d.h5" % i)["path"] for i in range(2)]
assert list(paths[0]) == ["level_1", "level_2", "level_2_swapped"]
assert "swapped" in paths[0]["level_2_swapped"].attrs["role"] and paths[0]["level_2"].attrs["role"] == "finest step"
for k in range(3):
    x = [[p[name]["state"][-1, k] for name in p] for p in paths]
    group = study["weak_multilevel/x%d" % (k + 1)]
    def welford(a, b):  # two paths of one chunk
        return a + (b - a) / 2
    same("coarse", group["coarse_mean"][1], welford(x[0][0], x[1][0]))
    same("fine", group["fine_mean"][1], welford(x[0][1], x[1][1]))
    same("difference", group["difference"][1], welford(*[a[0] - 0.5 * (a[1] + a[2]) for a in x]))
assert not np.array_equal(paths[0]["level_2/state"][-1], paths[0]["level_2_swapped/state"][-1])
assert paths[0]["level_2_swapped/state"].shape == (33, 3) and paths[0]["level_1/state"].shape == (17, 3)

# a path of a trajectory, whose states are matrices
study, path = h5py.File("flow.h5")["trajectory"], h5py.File("flow-2.h5")["path/level_0"]
for name in "state", "hamiltonian", "casimir_departure":
    same(name, path[name], study[name][:, 2])
assert path["state"].dtype.kind == "c" and path["state"].shape == (21, 30, 30)
END

# the largest drift is that of all paths and times, and the path that is named has it by itself
set -- strong.yaml --set integrator.name=heun --set 'study={kind: ensemble, step: 2^-4, steps: 8, every: 1, paths: 300, observables: [casimir_departure]}'
runs "$@" --output drifts.h5
drifts=$("$python" -c 'import h5py
f = h5py.File("drifts.h5")
d = f["ensemble/casimir_departure"]
assert f["health/casimir_drift_max"][()] == max(d["maximum"][:].max(), -d["minimum"][:].min())
print(f["health/casimir_drift_path"][()])') || fail "the largest drift"
runs "$@" --only-path "$drifts" --output drifts-alone.h5
ends 0 '' h5diff drifts.h5 drifts-alone.h5 /health/casimir_drift_max

# as text: coarse and swapped steps are as far as they are from the genuine finest one
expect 0 '' multilevel.yaml --only-path 2
"$python" - <<'END' || fail "distances from the finest level: $(cat message)"
import re
import numpy as np
text = open("message").read()
level = re.findall(r"^(2\^-\d+.*): distance from the finest level ([^,]+),.*\n  state (.*)", text, re.M)
assert [name for name, _, _ in level] == ["2^-5", "2^-6 (finest)", "2^-6 (finest, swapped)"], level
x = [np.array(state.split(), dtype=float) for _, _, state in level]
for (name, distance, _), y in zip(level, x):
    assert abs(float(distance) - np.linalg.norm(y - x[1])) <= 1e-6 * np.linalg.norm(y - x[1]), name
assert np.linalg.norm(x[2] - x[1]) > 0
END

# a path alone takes the place of another such file, never of a run's
expect 0 'every step' strong.yaml --only-path 1 --output strong-0.h5
echo 'my notes' >notes
touch unfinished.h5.checkpoint
each refused 2 <<'END'
strong.h5 holds the results of a study; give the path another --output | strong.yaml --only-path 1 --output strong.h5
notes is there already; give the path another --output | strong.yaml --only-path 1 --output notes
holds no run but one path alone | strong.yaml --resume --output strong-0.h5
unfinished.h5 belongs to a run that is not finished | strong.yaml --only-path 1 --output unfinished.h5
only-path: found 2, but the study has paths 0 to 1 | strong.yaml --only-path 2 --output none.h5
holds the results of a study | strong.yaml --dry-run --only-path 1 --output strong.h5
only-path: found 2, but the study has paths 0 to 1 | strong.yaml --dry-run --only-path 2
END
refused 3 'no/where.h5' strong.yaml --only-path 1 --output no/where.h5
refused 0 'path 1 of' strong.yaml --set output.file=strong.h5 --only-path 1
ends 0 '^path of rigid_body' "$CASIMIR" report strong-1.h5
has '^path +1 of 2, '

# what it would do, without doing it
set -- strong.yaml --output none.h5 --set 'system.noise.sigma={uniform: [0.1, 0.4], each: path}' --set 'system.initial={random: {norm: 1}, each: path}'
expect 0 '^system.noise.sigma = 0\.' "$@" --only-path 0
refused 0 "uncertain  1 number of every path, by random.seed; path 0: $(sed -n 's/^\(system.noise.sigma = 0......\).*/\1/p' message)" "$@" --dry-run
has '^  initial    a state for each path, at random$'
refused 0 'This would run path 3 of the following alone' multilevel.yaml --dry-run --only-path 3
has '^  swapped *2\^-6 *32 steps' '^  file *none'
! grep -q '^  paths ' message || fail "--dry-run of a path: $(cat message)"
refused 0 'file       about [0-9]* bytes' strong.yaml --dry-run --only-path 1 --output none.h5

# one that fails, with the step where it did
expect 1 'path 0 failed at step size 2\^-4' strong.yaml --set integrator.max_iterations=11 --only-path 0 --output failed.h5
"$python" - <<'END' || fail "the failure is not in the file"
import h5py
g = h5py.File("failed.h5")["path/level_0"]
assert g["not_converged"][:].max() == 1 and (g["iterations"][:][g["not_converged"][:] == 1] == 11).all()
END
