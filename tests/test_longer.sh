#!/bin/sh
# More steps of a finished trajectory or ensemble, or more paths of an ensemble with members, end with the bits of one
# run that was asked for all at once: on any ranks, interrupted on the way, one after another.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

turning='{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}}'
ensemble='ensemble, step: 0.01, steps: 300, path_groups: 9, observables: [x1, hamiltonian], ends: true'
# Blocks of partial are not full; quantiles of few paths are of all values.
configurations <<END
track | $turning | trajectory, step: 0.01, steps: 300, every: 3, paths: 150, observables: [hamiltonian, casimir_departure]
many | $turning | trajectory, step: 0.01, steps: 300, every: 3, paths: 6400, observables: [hamiltonian, casimir_departure]
times | {name: heavy_top, inertia: [4, 2, 1], mga: [0.3, -0.2, 1], attitude: true, noise: {pi: [[0.1, 0, 0.1], [0, 0.2, 0]]}} | trajectory, step: 0.01, horizon: 3, times: [0, 0.5, 3], observables: [hamiltonian] | random: {generator: sprng_lfg}
matrix | {name: euler_zeitlin, N: 27, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 5}}} | trajectory, step: 2^-7, steps: 8, every: 4, paths: 2, observables: [energy_spectrum]
spread | $turning | $ensemble, times: [0, 1, 3], paths: 640, members: 70 | random: {generator: threefry}
counted | $turning | $ensemble, every: 3, paths: 6400, members: 70 | random: {generator: threefry}
partial | $turning | $ensemble, times: [0, 1, 3], paths: 133, members: 70 | random: {generator: threefry}
fail | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.0}, initial: [0.8, 0.6, 0]} | ensemble, step: 0.125, steps: 16, times: [0, 2], paths: 1000, members: 300, observables: [x1], ends: true | integrator: {max_iterations: 12, truncation: 0}
few | $turning | $ensemble, times: [0, 1, 3], paths: 20 | random: {generator: threefry}
END

# longer NAME RANKS ARGUMENT ..: the finished run of NAME.yaml goes on to be that with these arguments, which `whole` is too
longer() {
  name=$1 on=$2
  shift 2
  runs "$name.yaml" --output "$name.h5"
  ends 0 '' "$MPIEXEC" -n "$on" "$CASIMIR" run "$name.yaml" --quiet --resume --output "$name.h5" "$@"
  runs "$name.yaml" --output whole.h5 "$@"
  alike whole.h5 "$name.h5" "$name $*"
}
longer track 2 --set study.steps=900
longer times 1 --set study.horizon=6 --set 'study.times=[0, 0.5, 3, 4, 6]'
longer matrix 3 --set study.steps=20
longer spread 3 --set study.steps=900 --set 'study.times=[0, 1, 3, 5, 9]'
longer spread 2 --set study.paths=1280
longer partial 2 --set study.steps=301 --set 'study.times=[0, 1, 3, 3.01]'
longer few 2 --set study.steps=400 --set 'study.times=[0, 1, 3, 4]'

# a run that was begun without ends has not those of all paths, and takes no more steps
for name in counted many; do
  rm -f part.h5*
  interrupted $name.yaml --output part.h5 --max-walltime 5 --set study.ends=false --set study.steps=6000 --set study.every=3000
  expect 0 'does not keep where its paths end' $name.yaml --output part.h5 --resume \
    --set study.ends=true --set study.steps=6000 --set study.every=3000
  expect 2 'did not keep where its paths end' $name.yaml --output part.h5 --resume \
    --set study.ends=true --set study.steps=9000 --set study.every=3000
done

# paths that fail, some later, are left out of all times
expect 1 'paths failed' fail.yaml --output fail.h5
early=$(grep -o "[0-9]* of 1000 paths failed" message)
expect 1 'paths failed' fail.yaml --output fail.h5 --resume --set study.steps=32 --set 'study.times=[0, 2, 4]'
[ "$early" != "$(grep -o "[0-9]* of 1000 paths failed" message)" ] || fail "no path failed later"
expect 1 'paths failed' fail.yaml --output whole.h5 --set study.steps=32 --set 'study.times=[0, 2, 4]'
alike whole.h5 fail.h5 "where paths fail"

# again and again, and back to the beginning: what is longer stays
runs track.yaml --output track.h5
for steps in 360 600 900; do
  runs track.yaml --resume --output track.h5 --set study.steps=$steps
done
runs track.yaml --output whole.h5 --set study.steps=900
alike whole.h5 track.h5 "longer three times"
refused 2 'belongs to a run with another study.steps' track.yaml --resume --output track.h5
expect 0 'is finished already' track.yaml --resume --output track.h5 --set study.steps=900

# interrupted on the way; a run that was interrupted itself, the ends of whose blocks checkpoints have kept
rm -f track.h5
in_pieces 2 '3 2 1' 0.001 0.3 track.h5 track.yaml --set study.steps=12000 --set study.every=60
in_pieces 2 '3 2 1' 0.001 0.3 track.h5 track.yaml --set study.steps=36000 --set study.every=60
runs track.yaml --output whole.h5 --set study.steps=36000 --set study.every=60
alike whole.h5 track.h5 "a trajectory in pieces"
runs spread.yaml --output spread.h5
in_pieces 2 '3 2 1' 0.001 0.3 spread.h5 spread.yaml --set study.paths=6400
runs spread.yaml --output whole.h5 --set study.paths=6400
alike whole.h5 spread.h5 "an ensemble in pieces"

# what cannot go on, or is not the same run, is refused
rm -f ./*.h5*
runs times.yaml --output times.h5
runs track.yaml --output plain.h5 --set study.ends=false
runs times.yaml --output early.h5 --set study.horizon=4
each refused 2 <<'END'
did not keep where its paths end\. A run with study.ends: true does | track.yaml --resume --output plain.h5 --set study.steps=900
another random.seed | track.yaml --resume --output plain.h5 --set study.steps=900 --set random.seed=2
another study.[st] | times.yaml --resume --output times.h5 --set study.horizon=6 --set 'study.times=[0, 1, 3, 6]'
more paths or more steps, not both | times.yaml --resume --output times.h5 --set study.horizon=6 --set study.paths=2 --set 'study.times=[0, 0.5, 3, 6]'
study.times: the finished run has 400 steps, and its last time is before that | times.yaml --resume --output early.h5 --set study.horizon=6 --set 'study.times=[0, 0.5, 3, 6]'
END
