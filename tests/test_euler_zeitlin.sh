#!/bin/sh
# What Euler-Zeitlin refuses, and that its states come back from a results file as they went in.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

configurations 'output: {file: none.h5}' <<'END'
run | {name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}} | trajectory, step: 2^-7, steps: 8
body | {name: rigid_body, inertia: [2, 1, 0.5], initial: {file: one.h5}} | trajectory, step: 0.01, steps: 1
END
runs run.yaml --output run.h5
runs run.yaml --output again.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 4}'
h5diff run.h5 again.h5 /trajectory/state /trajectory/state >/dev/null && fail "another initial state gave the same path"

# of several paths, a state is a record and a path; none is taken unless it is named
runs run.yaml --set study.paths=3 --output three.h5
for index in '' ', index: 2' ', index: [2]' ', index: [1, 0, 0]' ', index: [9, 0]' ', index: [0, 3]'; do
  refused 2 'index: found .*\(9 x 3 x 6 x 6 complex\) holds 9 x 3 states; index must be \[record, path\] below \[9, 3\]' \
    run.yaml --output none.h5 --set "system.initial={file: three.h5, dataset: trajectory/state$index}"
done
taken='system.initial={file: three.h5, dataset: trajectory/state, index: [4, 2]}'
expect 0 'initial: {.* index: \[4, 2\]}' run.yaml --dry-run --set "$taken"
has 'initial *\[4, 2\] of trajectory/state, 9 x 3 x 6 x 6 complex, in three.h5'
runs run.yaml --output taken.h5 --set "$taken"
"$python" - <<'END' || fail "another state was taken than was named"
import h5py, numpy as np
stack, taken = h5py.File("three.h5")["trajectory/state"], h5py.File("taken.h5")
assert np.array_equal(taken["trajectory/state"][0], stack[4, 2]) and not np.array_equal(stack[4, 2], stack[4, 1])
assert "index: [4, 2]" in taken.attrs["configuration"]
# one state needs no index, whatever axes it has; flat numbers are states too
with h5py.File("one.h5", "w") as f:
    f["x"], f["row"], f["flat"] = [0.6, 0, 0.8], [[0.6, 0, 0.8]], np.arange(12).reshape(2, 6) + 1.0
END
for source in '{file: one.h5}' '{file: one.h5, index: 0}' '{file: one.h5, dataset: row}' '{file: one.h5, dataset: row, index: [0]}'; do
  runs body.yaml --output body.h5 --set "system.initial=$source"
done
each refused 2 <<'END'
dataset trajectory/state of run.h5 is 9 x 6 x 6 complex, must be a state of 7 x 7 complex | run.yaml --output none.h5 --set system.N=7 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
index: found 9, .*holds 9 states; index must be a number below 9 | run.yaml --output none.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 9}'
index: found none, but dataset trajectory/state of run.h5 \(9 x 6 x 6 complex\) holds 9 states | run.yaml --output none.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
initial.index\[1\]: found -1, must be at least 0 | run.yaml --output none.h5 --set 'system.initial={file: three.h5, index: [1, -1]}'
dataset trajectory/time of three.h5 is 9, must be a state of 6 x 6 complex | run.yaml --output none.h5 --set 'system.initial={file: three.h5, dataset: trajectory/time, index: 0}'
found 1, but .* holds 1 state; index is not needed | body.yaml --output none.h5 --set 'system.initial={file: one.h5, index: 1}'
unit sphere | body.yaml --output none.h5 --set 'system={name: point_vortices, gamma: [1, 2], initial: {file: one.h5, dataset: flat, index: 1}}'
is not skew-Hermitian | run.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[1, 0], [0, -1]]]'
has a trace | run.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [0, 0]], [[0, 0], [0, 1]]]'
number | run.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, .nan], [0, 0]], [[0, 0], [0, 1]]]'
found 3 numbers, must be 72 | run.yaml --output none.h5 --set 'system.initial=[1, 2, 3]'
END
runs run.yaml --output two.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[-1, 0], [0, -1]]]'

# one path a block: the basis counts, and a state comes back as it went in, also one that is printed
runs run.yaml --set system.N=30 --output large.h5
runs run.yaml --set system.N=30 --output begun.h5 --set 'system.initial={file: large.h5, dataset: trajectory/state, index: 8}'
expect 0 'block of 1 path.* and .* for tables of the system' run.yaml --dry-run --set system.N=30
for size in 30 4; do
  expect 0 '' run.yaml --set system.N=$size --only-path 0
  runs run.yaml --set system.N=$size --output printed.h5 --set "system.initial=[$(sed -n 's/^  state //p' message | tr ' ' ',')]"
done
