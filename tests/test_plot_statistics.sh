#!/bin/sh
# Figures of distances of laws, of weak errors at several times and of averages over time.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"
python=${PYTHON:-/usr/bin/python3}

# study NAME: a results file of the study on standard input
study() {
  { echo 'system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.5}}' && cat; } >"$1.yaml"
  "$CASIMIR" run "$1.yaml" --quiet --output "$1.h5" >/dev/null || fail "$1"
}

# edit FROM TO STATEMENTS: with its file as f
edit() {
  cp "$1" "$2"
  "$python" -c "
import sys, h5py
import numpy as np
with h5py.File(sys.argv[1], 'r+') as f:
    exec(sys.argv[2])" "$2" "$3" || fail "edit $2"
}

# same PICTURE FILE: what is drawn, block by block, is what the file holds; the statements on standard input have
# f (the file) and b (arrays of the blocks by their names)
same() {
  expect 0 '' "$CASIMIR" plot "$2" --picture "$1" --unsealed --data data.txt
  cat >same.py
  "$python" - "$2" <<'END' || fail "$1 of $2 shows other numbers"
import io, re, sys, h5py
import numpy as np
parts = open("data.txt").read().split("\n\n\n")[1:]
b = {re.match(r"# block \d+: (\S+)", p)[1]: np.loadtxt(io.StringIO(p), ndmin=2).T for p in parts}
with h5py.File(sys.argv[1]) as f:
    exec(open("same.py").read())
END
}

# ---- laws ----
study law <<'EOS'
study: {kind: law, coarsest_step: 2^-2, coarsest_steps: 4, levels: 3, reference: 5, paths: 2000, functionals: [x1, x3], uniform: true}
EOS
draws law law.h5
says law.svg '>x1' '>x3' 'Smirnov distance from the reference' 'Wasserstein distance from the uniform law' 'inertia unit' \
  'equal laws are not rejected' 'step size h'
same law law.h5 <<'EOS'
for i, name in enumerate(["x1", "x3"]):
    t = f["law/" + name]
    for panel, column in (1, "smirnov"), (2, "wasserstein"), (3, "uniform_smirnov"), (4, "uniform_wasserstein"):
        shown = b[f"distance_{panel}_{i + 1}"]
        p = t["p_value" if panel < 3 else "uniform_p_value"][:]
        assert np.array_equal(shown[1:], [t[column + end][:] for end in ("", "_low", "_high")] + [p]), (name, column)
    assert np.array_equal(b["distance_1_1"][0], 0.25 / 2.0 ** np.arange(3))
    assert np.array_equal(b["distance_3_1"][0], [0.25, 0.125, 0.0625, 2.0**-7])
EOS
# p-values decide what is hollow, a distance of 0 has no place on the axis; a mark and a white one inside for those
edit law.h5 edited.h5 "
for name in 'x1', 'x3':
    t = f['law/' + name]
    t['p_value'][:] = [0.001, 0.2, 0.3]
    t['uniform_p_value'][:] = 0.001
    for column in 'smirnov', 'wasserstein':
        for end, value in ('', 0.1), ('_low', 0.05), ('_high', 0.2): t[column + end][:] = value
f['law/x3/smirnov'][1] = 0
f['law/x1/local_order'][:], f['law/x1/local_order_low'][:], f['law/x1/local_order_high'][:] = [1.25, 2], [1, -np.inf], [1.5, 3]"
expect 0 '' "$CASIMIR" plot edited.h5 --unsealed
says edited.svg '>x1: finest order 1.25 \[1.00, 1.50\]<'
marks() { drawn "$1" | awk -v p="$2" '$1 == p { n += $5 } END { print n + 0 }'; }
[ "$(marks edited.svg a) $(marks edited.svg b) $(marks edited.svg c)" = '8 10 8' ] || fail "marks of laws: $(drawn edited.svg)"
counts edited.svg 1 '$1 == "a" && $3 == 3 && $4 == 6 && $5 == 0 && $NF == "rgb(0,114,178)"' # bars of x1
study near <<'EOS'
study: {kind: law, coarsest_step: 2^-2, coarsest_steps: 4, levels: 2, reference: 5, paths: 200, functionals: [x1]}
EOS
expect 0 '' "$CASIMIR" plot near.h5
! grep -q 'uniform' near.svg || fail "near.svg: a law that was not asked for"
edit near.h5 nothing.h5 "f['law/x1/smirnov'][:], f['law/x1/wasserstein'][:] = 0, np.nan"
expect 2 'no distance of laws that is above 0 is a number' "$CASIMIR" plot nothing.h5 --unsealed --output wrong.svg

# ---- weak errors at several times ----
study times <<'EOS'
study: {kind: weak_times, coarsest_step: 2^-3, horizon: 1.5, levels: 3, reference: 5, paths: 2000, functionals: [energy, x1], times: [0.5, 1, 1.5]}
EOS
draws times times.h5
says times.svg 'weak error| of energy' 'weak error| of x1' 'supremum over the times' 'h = 2' 'each in its own unit'
same weak_times times.h5 <<'EOS'
for i, name in enumerate(["energy", "x1"]):
    t = f["weak_times/" + name]
    for l in range(3):
        error, deviation = t["error"][l], t["standard_error"][l]
        shown = b[f"error_{i + 1}_{l + 1}"]
        assert np.array_equal(shown, [t["time"][:], abs(error), 2 * deviation, abs(error) > 2 * deviation]), (name, l)
    assert np.array_equal(b[f"supremum_{i + 1}"], [0.125 / 2.0 ** np.arange(3)] + [t["supremum" + end][:] for end in ("", "_low", "_high")])
EOS
edit times.h5 edited.h5 "
for name in 'energy', 'x1':
    t = f['weak_times/' + name]
    t['error'][:], t['standard_error'][:] = [[-1e-3] * 3, [2e-4, 2e-4, 0], [1e-5] * 3], [[1e-4] * 3, [2e-4] * 3, [1e-6] * 3]
    t['supremum'][:], t['supremum_low'][:], t['supremum_high'][:] = 1e-3, 0, 2e-3"
expect 0 '' "$CASIMIR" plot edited.h5 --unsealed
# eight errors of a functional, two of which are hollow; suprema on their lines
[ "$(marks edited.svg a) $(marks edited.svg b) $(marks edited.svg c)" = '10 10 8' ] || fail "marks of times: $(drawn edited.svg)"
edit times.h5 nothing.h5 "
for name in 'energy', 'x1': f['weak_times'][name]['error'][:] = np.nan"
expect 2 'no weak error that is not 0 is a number' "$CASIMIR" plot nothing.h5 --unsealed --output wrong.svg

# ---- averages over time ----
study average <<'EOS'
study: {kind: time_average, step: 2^-3, horizon: 40, from: 8, every: 2, batches: 8, paths: 4, observables: [hamiltonian, x1]}
EOS
draws average average.h5
says average.svg 'average of hamiltonian' 'average of x1' 'autocorrelation time' 'running mean' 'two standard errors' 'batch/20'
same time_average average.h5 <<'EOS'
for i, name in enumerate(["hamiltonian", "x1"]):
    t = f["time_average/" + name]
    mean, end = t["batch_mean"][:], t["batch_end"][:]
    begin = np.append(t.attrs["from"], end[:-1])
    shown = b[f"batches_{i + 1}"]
    assert np.array_equal(shown[:4], [(begin + end) / 2, mean, 2 * t["batch_standard_error"][:], end]), name
    assert np.allclose(shown[4], np.cumsum(mean) / np.arange(1, 9), rtol=1e-13, atol=0), name
    assert abs(shown[4][-1] - t.attrs["mean"]) < 1e-12
EOS
counts average.svg 2 '$5 == 8'            # means of batches
counts average.svg 2 '$3 == 8 && $4 == 16' # their bars
[ "$(marks average.svg c)" -eq 2 ] || fail "autocorrelation times: $(drawn average.svg)"
study alone <<'EOS'
study: {kind: time_average, step: 2^-3, horizon: 40, batches: 8, paths: 1, observables: [hamiltonian]}
EOS
expect 0 '' "$CASIMIR" plot alone.h5 # without errors over paths
counts alone.svg 1 '$5 == 8'
edit average.h5 nothing.h5 "
for name in 'hamiltonian', 'x1': f['time_average'][name]['batch_mean'][:] = np.nan"
expect 2 'no mean of a batch is a number' "$CASIMIR" plot nothing.h5 --unsealed --output wrong.svg

# more functionals than there are colours
study many <<'EOS'
study: {kind: law, coarsest_step: 2^-2, coarsest_steps: 2, levels: 2, reference: 3, paths: 64, range: [-2, 9], functionals: [x1, x2, x3, energy, sin2pi, {product: x1*x2}, {other: x1*x3}]}
EOS
expect 0 'the first 6 of 7 functionals are drawn' "$CASIMIR" plot many.h5
[ ! -e wrong.svg ] || fail "a figure of what was refused"
[ "$failures" -eq 0 ]
