#!/bin/sh
# What Euler-Zeitlin refuses, and that its states come back from a results file as they went in.
set -u
failures=0

cat >run.yaml <<'END'
system: {name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}}
study: {kind: trajectory, step: 2^-7, steps: 8}
output: {file: run.h5}
END

fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

# refused PATTERN ARGUMENT ..
refused() {
  pattern=$1
  shift
  rm -f out.h5
  "$CASIMIR" run run.yaml --output out.h5 "$@" 2>message
  [ $? -eq 2 ] || fail "$*: status is not 2"
  grep -qE -e "$pattern" message || fail "$*: found '$(cat message)', must match '$pattern'"
  [ ! -e out.h5 ] || fail "$*: wrote a file"
}

"$CASIMIR" run run.yaml --quiet || fail "the good configuration does not run"
"$CASIMIR" run run.yaml --quiet --output again.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 4}' ||
  fail "a state of a trajectory does not serve as initial state"
h5diff run.h5 again.h5 /trajectory/state /trajectory/state >/dev/null && fail "another initial state gave the same path"

refused 'system.N: found 1, must be between 2 and 512' --set system.N=1
refused 'system.N: found 600, must be between 2 and 512' --set system.N=600
refused 'dataset trajectory/state of run.h5 is 9 x 6 x 6 complex, must be a state of 7 x 7 complex' \
  --set system.N=7 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
refused 'index: found 9, .*holds 9 states' --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 9}'
refused 'lmin: found 6, must be at most' --set system.noise.lmin=6
refused 'is not skew-Hermitian' --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[1, 0], [0, -1]]]'
refused 'has a trace' --set system.N=2 --set 'system.initial=[[[0, 1], [0, 0]], [[0, 0], [0, 1]]]'
refused 'not finite|number' --set system.N=2 --set 'system.initial=[[[0, .nan], [0, 0]], [[0, 0], [0, 1]]]'
refused 'found 3 numbers, must be 72' --set 'system.initial=[1, 2, 3]'
"$CASIMIR" run run.yaml --quiet --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[-1, 0], [0, -1]]]' ||
  fail "a skew-Hermitian matrix is refused"

# one path a block: the basis counts, and a state comes back as it went in
large=system.N=30
"$CASIMIR" run run.yaml --quiet --set "$large" --output large.h5 || fail "N = 30 does not run"
"$CASIMIR" run run.yaml --quiet --set "$large" --output begun.h5 --set 'system.initial={file: large.h5, dataset: trajectory/state, index: 8}' ||
  fail "a state of a trajectory does not serve as initial state for N = 30"
"$CASIMIR" run run.yaml --dry-run --set "$large" | grep -q 'block of 1 path and .* for tables of the system' ||
  fail "a dry run says nothing of the basis"
"$CASIMIR" run run.yaml --set "$large" --only-path 0 >alone || fail "one path alone does not run for N = 30"

# angular momentum is the integral of (x, y, z) times the vorticity over the sphere, which the maps give too
"$CASIMIR" run run.yaml --quiet --output maps.h5 --set 'system.initial={random: {seed: 3, norm: 2, lmax: 5}}' \
  --set 'study.observables=[angular_momentum, vorticity]' --set system.latitudes=180 || fail "no maps"
/usr/bin/python3 - <<'END' || fail "angular momentum is not that of the maps"
import h5py, numpy as np
t = h5py.File("maps.h5")["trajectory"]
lat, lon = np.radians(t["latitude"][:])[:, None], np.radians(t["longitude"][:])[None, :]
area = np.cos(lat) * np.radians(t["latitude"][1] - t["latitude"][0]) * 2 * np.pi / lon.size
map_, given = t["vorticity"][-1], t["angular_momentum"][-1]
axes = np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat) + 0 * lon
found = np.array([np.sum(map_ * a * area) for a in axes])
assert np.all(np.abs(found - given) < 1e-3 * np.linalg.norm(given)) and np.all(np.abs(given) > 0.02), (found, given)
END

[ $failures -eq 0 ]
