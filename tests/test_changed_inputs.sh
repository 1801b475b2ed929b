#!/bin/sh
# States and normals of files: which one is read, and what is refused. A run knows what it has read: under another initial state
# or other normals it neither goes on nor is finished, and its results hold the state that they began from, so that they alone
# repeat it; states of matrices come back from a results file as they went in.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# Records of source are states for the one purpose, and for the other paths x steps x 3 normals.
configurations 'output: {file: out.h5}' <<'END'
run | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}, initial: {file: x0.h5, dataset: /initial/state}} | ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]
source | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}, initial: [0.8, 0.6, 0]} | trajectory, step: 2^-5, steps: 127, paths: 64
END
# read_from NAME ARGUMENT ..: what source gives with these
read_from() {
  input=$1
  shift
  runs source.yaml --output "$input" "$@"
}

# ---- a state, a state for each path, and normals: more paths of the same may follow, from a file with more in it ----
# follow FILE KEY FEW MORE OTHER ARGUMENT ..: runs of what `source` gives with FEW, with MORE besides, and with OTHER, which is another
follow() {
  input=$1 again="belongs to a run with another $2 \\($1 has changed since\\)" few=$3 more=$4 other=$5
  shift 5
  rm -f out.h5*
  read_from "$input" --set "$few"
  runs "$@"
  read_from "$input" --set "$few" --set "$more"
  runs "$@" --output whole.h5 --set study.paths=128
  expect 0 'finished already' "$@" --resume
  read_from "$input" --set "$few" --set "$more" --set "$other"
  refused 2 "out.h5 $again" "$@" --resume
  refused 2 "out.h5 $again" "$@" --resume --set study.paths=128
  read_from "$input" --set "$few" --set "$more"
  expect 0 'going on from out.h5' "$@" --resume --set study.paths=128
  alike whole.h5 out.h5 "more paths of $input"
}
follow x0.h5 system.initial study.paths=64 study.steps=3 'system.initial=[0.8,0.6,0.0000001]' run.yaml
follow normals.h5 random.file study.paths=64 study.steps=255 random.seed=2 run.yaml --set "system.initial=[0.8,0.6,0]" --set 'random={generator: replay, file: normals.h5, dataset: /trajectory/state}'
follow states.h5 system.initial 'system.initial={random: {seed: 1, norm: 1}, each: path, keep: true}' study.paths=128 system.initial.random.seed=2 \
  run.yaml --set 'system.initial={file: states.h5, dataset: /initial/state, each: path}'

# ---- an unfinished run ----
read_from one.h5
read_from other.h5 --set "system.initial=[0.8,0.6,0.0000001]"
again='belongs to a run with another system.initial \(x0.h5 has changed since\)'
set -- run.yaml --set study.steps=64000 --set study.every=32000 --set study.paths=6400
cp one.h5 x0.h5
rm -f out.h5*
interrupted "$@" --max-walltime 5
cp other.h5 x0.h5
refused 2 "out.h5.checkpoint $again" "$@" --resume

# the same states, in a file that has lost where the paths of that run ended
rm -f out.h5*
set -- "$@" --set random.stream=continue --set 'system.initial={file: x0.h5, dataset: trajectory/state, index: [127, 0]}'
cp one.h5 x0.h5
interrupted "$@" --max-walltime 5
read_from x0.h5 --set study.ends=false
refused 2 "out.h5.checkpoint $again" "$@" --resume
cp one.h5 x0.h5
refused 0 'going on from out.h5.checkpoint' "$@" --resume --dry-run

# ---- results hold what they began from: the configuration with the state from its own results gives the same results ----
while IFS='|' read -r system study scales; do
  printf 'system: %s\nstudy: %s\n' "$(system_of "${system% }")" "$study" >repeat.yaml
  runs repeat.yaml --output first.h5
  cp first.h5 state.h5
  runs repeat.yaml --output second.h5 --set 'system.initial={file: state.h5, dataset: /initial/state}'
  # seconds and the way to the state apart, which /restart has too
  h5diff --exclude-path /restart first.h5 second.h5 >difference
  grep -vE 'differences found$|^attribute: <(configuration|started|[a-z_]*seconds[a-z_]*) of </>>' difference && fail "$system is not repeated"
  h5ls -r first.h5 >scales
  for scale in state $scales; do
    grep -q "^/initial/$scale " scales || fail "$system: no /initial/$scale"
  done
done <<'END'
{name: rigid_body, inertia: [2, 1, 0.5], initial: [0.6, 0.7, 0.2]} | {kind: strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 2, reference: 3, paths: 64} | component
{name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}} | {kind: ensemble, step: 2^-5, steps: 4, every: 2, paths: 10} | component
{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}} | {kind: weak, coarsest_step: 2^-5, coarsest_steps: 4, levels: 2, reference: 3, paths: 64, functionals: [sin2pi]} | vortex direction
{name: euler_zeitlin, N: 12, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}} | {kind: weak_multilevel, coarsest_step: 2^-6, coarsest_steps: 8, levels: 2, paths: 64, functionals: [zonal1_squared]} | row column
blocks | {kind: trajectory, step: 2^-6, steps: 8} | row column
END

# ---- which state of a file, and matrices ----
configurations 'output: {file: none.h5}' <<'END'
matrices | {name: euler_zeitlin, N: 6, noise: {amplitude: 2}, initial: {random: {seed: 1, norm: 5}}} | trajectory, step: 2^-7, steps: 8
body | {name: rigid_body, inertia: [2, 1, 0.5], initial: {file: one.h5}} | trajectory, step: 0.01, steps: 1
END
runs matrices.yaml --output run.h5
runs matrices.yaml --output again.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 4}'
h5diff run.h5 again.h5 /trajectory/state /trajectory/state >/dev/null && fail "another initial state gave the same path"

# of several paths, a state is a record and a path; none is taken unless it is named
runs matrices.yaml --set study.paths=3 --output three.h5
for index in '' ', index: 2' ', index: [2]' ', index: [1, 0, 0]' ', index: [9, 0]' ', index: [0, 3]'; do
  refused 2 'index: found .*\(9 x 3 x 6 x 6 complex\) holds 9 x 3 states; index must be \[record, path\] below \[9, 3\]' \
    matrices.yaml --output none.h5 --set "system.initial={file: three.h5, dataset: trajectory/state$index}"
done
taken='system.initial={file: three.h5, dataset: trajectory/state, index: [4, 2]}'
expect 0 'initial: {.* index: \[4, 2\]}' matrices.yaml --dry-run --set "$taken"
has 'initial *\[4, 2\] of trajectory/state, 9 x 3 x 6 x 6 complex, in three.h5'
runs matrices.yaml --output taken.h5 --set "$taken"
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
dataset trajectory/state of run.h5 is 9 x 6 x 6 complex, must be a state of 7 x 7 complex | matrices.yaml --output none.h5 --set system.N=7 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
index: found 9, .*holds 9 states; index must be a number below 9 | matrices.yaml --output none.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state, index: 9}'
index: found none, but dataset trajectory/state of run.h5 \(9 x 6 x 6 complex\) holds 9 states | matrices.yaml --output none.h5 --set 'system.initial={file: run.h5, dataset: trajectory/state}'
initial.index\[1\]: found -1, must be at least 0 | matrices.yaml --output none.h5 --set 'system.initial={file: three.h5, index: [1, -1]}'
dataset trajectory/time of three.h5 is 9, must be a state of 6 x 6 complex | matrices.yaml --output none.h5 --set 'system.initial={file: three.h5, dataset: trajectory/time, index: 0}'
found 1, but .* holds 1 state; index is not needed | body.yaml --output none.h5 --set 'system.initial={file: one.h5, index: 1}'
unit sphere | body.yaml --output none.h5 --set 'system={name: point_vortices, gamma: [1, 2], initial: {file: one.h5, dataset: flat, index: 1}}'
is not skew-Hermitian | matrices.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[1, 0], [0, -1]]]'
has a trace | matrices.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [0, 0]], [[0, 0], [0, 1]]]'
number | matrices.yaml --output none.h5 --set system.N=2 --set 'system.initial=[[[0, .nan], [0, 0]], [[0, 0], [0, 1]]]'
found 3 numbers, must be 72 | matrices.yaml --output none.h5 --set 'system.initial=[1, 2, 3]'
END
runs matrices.yaml --output two.h5 --set system.N=2 --set 'system.initial=[[[0, 1], [1, 0]], [[-1, 0], [0, -1]]]'

# one path a block: the basis counts, and a state comes back as it went in, also one that is printed
runs matrices.yaml --set system.N=30 --output large.h5
runs matrices.yaml --set system.N=30 --output begun.h5 --set 'system.initial={file: large.h5, dataset: trajectory/state, index: 8}'
expect 0 'block of 1 path.* and .* for tables of the system' matrices.yaml --dry-run --set system.N=30
for size in 30 4; do
  expect 0 '' matrices.yaml --set system.N=$size --only-path 0
  runs matrices.yaml --set system.N=$size --output printed.h5 --set "system.initial=[$(sed -n 's/^  state //p' message | tr ' ' ',')]"
done
