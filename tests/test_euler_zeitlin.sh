#!/bin/sh
# What Euler-Zeitlin refuses, and that its states come back from a results file as they went in.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/checks.sh"

cat >run.yaml <<'END'
system: {name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}}
study: {kind: trajectory, step: 2^-7, steps: 8}
output: {file: run.h5}
END

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

refused 'dataset trajectory/state of run.h5 is 9 x 6 x 6 complex, must be a state of 7 x 7 complex' \
  --set system.N=7 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
refused 'index: found 9, .*holds 9 states; index must be a number below 9' \
  --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 9}'
refused 'index: found none, but dataset trajectory/state of run.h5 \(9 x 6 x 6 complex\) holds 9 states' \
  --set 'system.initial={file: run.h5, dataset: trajectory/state}'

# of several paths, a state is a record and a path; none is taken unless it is named
"$CASIMIR" run run.yaml --quiet --set study.paths=3 --output three.h5 || fail "three paths do not run"
for index in '' ', index: 2' ', index: [2]' ', index: [1, 0, 0]' ', index: [9, 0]' ', index: [0, 3]'; do
  refused 'index: found .*\(9 x 3 x 6 x 6 complex\) holds 9 x 3 states; index must be \[record, path\] below \[9, 3\]' \
    --set "system.initial={file: three.h5, dataset: trajectory/state$index}"
done
refused 'initial.index\[1\]: found -1, must be at least 0' --set 'system.initial={file: three.h5, index: [1, -1]}'
refused 'dataset trajectory/time of three.h5 is 9, must be a state of 6 x 6 complex' \
  --set 'system.initial={file: three.h5, dataset: trajectory/time, index: 0}'
taken='system.initial={file: three.h5, dataset: trajectory/state, index: [4, 2]}'
"$CASIMIR" run run.yaml --dry-run --set "$taken" >dry || fail "--dry-run from a state of a stack: $(cat dry)"
for line in 'initial: {.* index: \[4, 2\]}' 'initial *\[4, 2\] of trajectory/state, 9 x 3 x 6 x 6 complex, in three.h5'; do
  grep -q "$line" dry || fail "--dry-run does not say which state: $(cat dry)"
done
"$CASIMIR" run run.yaml --quiet --output taken.h5 --set "$taken" || fail "a state of a stack does not serve"
/usr/bin/python3 - <<'END' || fail "another state was taken than was named"
import h5py, numpy as np
stack, taken = h5py.File("three.h5")["trajectory/state"], h5py.File("taken.h5")
assert np.array_equal(taken["trajectory/state"][0], stack[4, 2]) and not np.array_equal(stack[4, 2], stack[4, 1])
assert "index: [4, 2]" in taken.attrs["configuration"]
# one state needs no index, whatever axes it has; flat numbers are states too
with h5py.File("one.h5", "w") as f:
    f["x"], f["row"], f["flat"] = [0.6, 0, 0.8], [[0.6, 0, 0.8]], np.arange(12).reshape(2, 6) + 1.0
END
cat >body.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], initial: {file: one.h5}}
study: {kind: trajectory, step: 0.01, steps: 1}
END
for source in '{file: one.h5}' '{file: one.h5, index: 0}' '{file: one.h5, dataset: row}' '{file: one.h5, dataset: row, index: [0]}'; do
  "$CASIMIR" run body.yaml --quiet --output body.h5 --set "system.initial=$source" || fail "$source does not serve"
done
"$CASIMIR" run body.yaml --output none.h5 --set 'system.initial={file: one.h5, index: 1}' 2>message
grep -q 'found 1, but .* holds 1 state; index is not needed' message || fail "$(cat message)"
vortices='{name: point_vortices, gamma: [1, 2], initial: {file: one.h5, dataset: flat, index: 1}}'
"$CASIMIR" run body.yaml --output none.h5 --set "system=$vortices" 2>message
grep -q 'unit sphere' message || fail "a flat state is not taken: $(cat message)"
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
"$CASIMIR" run run.yaml --dry-run --set "$large" | grep -q 'block of 1 path.* and .* for tables of the system' ||
  fail "a dry run says nothing of the basis"
"$CASIMIR" run run.yaml --set "$large" --only-path 0 >alone || fail "one path alone does not run for N = 30"
# and so does a state that is printed
for size in 30 4; do
  "$CASIMIR" run run.yaml --set system.N=$size --only-path 0 | sed -n 's/^  state //p' >state
  "$CASIMIR" run run.yaml --quiet --set system.N=$size --output printed.h5 --set "system.initial=[$(tr ' ' ',' <state)]" ||
    fail "the state that --only-path prints does not serve as initial state for N = $size"
done

[ $failures -eq 0 ]
