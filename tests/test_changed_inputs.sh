#!/bin/sh
# A run knows what it has read from files: under another initial state or other normals it neither goes on nor is finished,
# and its results hold the state that they began from, so that they alone repeat it.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}, initial: {file: x0.h5, dataset: /initial/state}}
study: {kind: ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]}
output: {file: out.h5}
END
# its records are states for the one purpose, and for the other paths x steps x 3 normals
cat >source.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}, initial: [0.8, 0.6, 0]}
study: {kind: trajectory, step: 2^-5, steps: 127, paths: 64}
END

# source FILE ARGUMENT ..
source_file() {
  file=$1
  shift
  "$CASIMIR" run source.yaml --quiet --output "$file" "$@" || fail "$file cannot be made"
}

source_file one.h5
source_file other.h5 --set "system.initial=[0.8,0.6,0.0000001]"
again='belongs to a run with another system.initial \(x0.h5 has changed since\)'

# ---- an initial state ----
cp one.h5 x0.h5
"$CASIMIR" run run.yaml --quiet || fail "run.yaml does not run"
"$CASIMIR" run run.yaml --quiet --output whole.h5 --set study.paths=128
kept=$(cksum <out.h5)
expect 0 'finished already' run.yaml --resume
cp other.h5 x0.h5
expect 2 "out.h5 $again" run.yaml --resume
expect 2 "out.h5 $again" run.yaml --resume --set study.paths=128
[ "$kept" = "$(cksum <out.h5)" ] || fail "a refused run changed its file"
cp one.h5 x0.h5
expect 0 'going on from out.h5' run.yaml --resume --set study.paths=128
(same whole.h5 out.h5) || fail "more paths differ from one longer run"

# the same state from elsewhere in a changed file is the same
source_file x0.h5 --set study.steps=3
expect 0 'finished already' run.yaml --resume --set study.paths=128

# an unfinished run
cp one.h5 x0.h5
rm -f out.h5*
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' run.yaml --max-walltime 5 --set study.steps=64000 --set study.every=32000 --set study.paths=6400
kept=$(cksum <out.h5.checkpoint)
cp other.h5 x0.h5
expect 2 "out.h5.checkpoint $again" run.yaml --resume --set study.steps=64000 --set study.every=32000 --set study.paths=6400
[ "$kept" = "$(cksum <out.h5.checkpoint)" ] || fail "a refused run changed the checkpoint"

# the same states, in a file that has lost where the paths of that run ended
rm -f out.h5*
set -- run.yaml --set study.steps=64000 --set study.every=32000 --set study.paths=6400 --set random.stream=continue \
  --set 'system.initial={file: x0.h5, dataset: trajectory/state, index: [127, 0]}'
cp one.h5 x0.h5
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' "$@" --max-walltime 5
source_file x0.h5 --set study.ends=false
expect 2 "out.h5.checkpoint $again" "$@" --resume
cp one.h5 x0.h5
expect 0 'going on from out.h5.checkpoint' "$@" --resume --dry-run

# ---- normals: more paths of the same may follow ----
rm -f out.h5*
set -- run.yaml --set "system.initial=[0.8,0.6,0]" --set 'random={generator: replay, file: normals.h5, dataset: /trajectory/state}'
source_file normals.h5
"$CASIMIR" run "$@" --quiet || fail "normals are not replayed"
source_file normals.h5 --set study.steps=255
"$CASIMIR" run "$@" --quiet --output whole.h5 --set study.paths=128
expect 0 'finished already' "$@" --resume
source_file normals.h5 --set study.steps=255 --set random.seed=2
expect 2 'out.h5 belongs to a run with another random.file \(normals.h5 has changed since\)' "$@" --resume
expect 2 'out.h5 belongs to a run with another random.file \(normals.h5 has changed since\)' "$@" --resume --set study.paths=128
source_file normals.h5 --set study.steps=255
expect 0 'going on from out.h5' "$@" --resume --set study.paths=128
(same whole.h5 out.h5) || fail "more paths of normals differ from one longer run"

# ---- results hold what they began from ----
# name, system, study: the configuration with the state from its own results gives the same results
repeats() {
  printf 'system: %s\nstudy: %s\n' "$2" "$3" >repeat.yaml
  "$CASIMIR" run repeat.yaml --quiet --output first.h5 || fail "$1 does not run"
  cp first.h5 state.h5
  "$CASIMIR" run repeat.yaml --quiet --output second.h5 --set 'system.initial={file: state.h5, dataset: /initial/state}'
  h5ls -r first.h5 | grep -q '^/initial/state ' || fail "$1 has no /initial/state"
  # seconds and the way to the state apart, which /restart has too
  h5diff --exclude-path /restart first.h5 second.h5 >difference
  grep -vE 'differences found$|^attribute: <(configuration|started|[a-z_]*seconds[a-z_]*) of </>>' difference &&
    fail "$1 is not repeated"
  for scale in $4; do
    h5ls -r first.h5 | grep -q "^/initial/$scale " || fail "$1: no scale $scale"
  done
}
repeats body '{name: rigid_body, inertia: [2, 1, 0.5], initial: [0.6, 0.7, 0.2]}' \
  '{kind: strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 2, reference: 3, paths: 64}' component
repeats manakov '{name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}' \
  '{kind: ensemble, step: 2^-5, steps: 4, every: 2, paths: 10}' component
repeats vortices '{name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}' \
  '{kind: weak, coarsest_step: 2^-5, coarsest_steps: 4, levels: 2, reference: 3, paths: 64, functionals: [sin2pi]}' 'vortex direction'
repeats fluid '{name: euler_zeitlin, N: 12, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}' \
  '{kind: weak_multilevel, coarsest_step: 2^-6, coarsest_steps: 8, levels: 2, paths: 64, functionals: [zonal1_squared]}' 'row column'
repeats large-fluid '{name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}' \
  '{kind: trajectory, step: 2^-6, steps: 8}' 'row column'

[ $failures -eq 0 ]
