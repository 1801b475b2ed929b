#!/bin/sh
# A run knows what it has read from files: under another initial state or other normals it neither goes on nor is finished,
# and its results hold the state that they began from, so that they alone repeat it.
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
read_from one.h5
read_from other.h5 --set "system.initial=[0.8,0.6,0.0000001]"
again='belongs to a run with another system.initial \(x0.h5 has changed since\)'

# ---- an initial state ----
cp one.h5 x0.h5
runs run.yaml
runs run.yaml --output whole.h5 --set study.paths=128
expect 0 'finished already' run.yaml --resume
cp other.h5 x0.h5
refused 2 "out.h5 $again" run.yaml --resume
refused 2 "out.h5 $again" run.yaml --resume --set study.paths=128
cp one.h5 x0.h5
expect 0 'going on from out.h5' run.yaml --resume --set study.paths=128
alike whole.h5 out.h5 "more paths"

# the same state from elsewhere in a changed file is the same
read_from x0.h5 --set study.steps=3
expect 0 'finished already' run.yaml --resume --set study.paths=128

# an unfinished run
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

# ---- normals: more paths of the same may follow ----
rm -f out.h5*
set -- run.yaml --set "system.initial=[0.8,0.6,0]" --set 'random={generator: replay, file: normals.h5, dataset: /trajectory/state}'
again='belongs to a run with another random.file \(normals.h5 has changed since\)'
read_from normals.h5
runs "$@"
read_from normals.h5 --set study.steps=255
runs "$@" --output whole.h5 --set study.paths=128
expect 0 'finished already' "$@" --resume
read_from normals.h5 --set study.steps=255 --set random.seed=2
refused 2 "out.h5 $again" "$@" --resume
refused 2 "out.h5 $again" "$@" --resume --set study.paths=128
read_from normals.h5 --set study.steps=255
expect 0 'going on from out.h5' "$@" --resume --set study.paths=128
alike whole.h5 out.h5 "more paths of normals"

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
