#!/bin/sh
# More steps of a finished trajectory or ensemble, or more paths of an ensemble with members, end with the bits of one
# run that was asked for all at once: on any ranks, interrupted on the way, one after another.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"
noise='noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}'

cat >track.yaml <<END
system: {name: rigid_body, inertia: [1, 2, 3], $noise}
study: {kind: trajectory, step: 0.01, steps: 300, every: 3, paths: 150, observables: [hamiltonian, casimir_departure]}
END
cat >times.yaml <<END
system: {name: heavy_top, inertia: [4, 2, 1], mga: [0.3, -0.2, 1], attitude: true, noise: {pi: [[0.1, 0, 0.1], [0, 0.2, 0]]}}
random: {generator: sprng_lfg}
study: {kind: trajectory, step: 0.01, horizon: 3, times: [0, 0.5, 3], observables: [hamiltonian]}
END
cat >matrix.yaml <<END
system: {name: euler_zeitlin, N: 27, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 5}}}
study: {kind: trajectory, step: 2^-7, steps: 8, every: 4, paths: 2, observables: [energy_spectrum]}
END
cat >spread.yaml <<END
system: {name: rigid_body, inertia: [1, 2, 3], $noise}
random: {generator: threefry}
study: {kind: ensemble, step: 0.01, steps: 300, times: [0, 1, 3], paths: 640, path_groups: 9, members: 70, observables: [x1, hamiltonian], ends: true}
END

# longer NAME RANKS ARGUMENT ..: the finished run of NAME.yaml goes on to be that with these arguments, which `whole` is too
longer() {
  name=$1 ranks=$2
  shift 2
  "$CASIMIR" run "$name.yaml" --quiet --output "$name.h5" 2>message || fail "$name: $(cat message)"
  "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$name.yaml" --quiet --resume --output "$name.h5" "$@" 2>message ||
    fail "$name $*: $(cat message)"
  "$CASIMIR" run "$name.yaml" --quiet --output whole.h5 "$@" 2>message || fail "$name $*: $(cat message)"
  (same whole.h5 "$name.h5" && nothing_left "$name.h5") || fail "$name $*: not the same"
}

longer track 2 --set study.steps=900
longer times 1 --set study.horizon=6 --set 'study.times=[0, 0.5, 3, 4, 6]'
longer matrix 3 --set study.steps=20
longer spread 3 --set study.steps=900 --set 'study.times=[0, 1, 3, 5, 9]'
longer spread 2 --set study.paths=1280
# blocks that are not full take more steps too; and few paths, whose quantiles are of all values
sed 's/paths: 640/paths: 133/' spread.yaml >partial.yaml
sed 's/paths: 640, members: 70/paths: 20/' spread.yaml >few.yaml
longer partial 2 --set study.steps=301 --set 'study.times=[0, 1, 3, 3.01]'
longer few 2 --set study.steps=400 --set 'study.times=[0, 1, 3, 4]'

# a run that was begun without ends has not those of all paths, and takes no more steps
sed 's/times: \[0, 1, 3\]/every: 3/; s/paths: 640/paths: 6400/' spread.yaml >counted.yaml
sed 's/paths: 150/paths: 6400/' track.yaml >many.yaml
for name in counted many; do
  rm -f part.h5*
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' $name.yaml --output part.h5 --max-walltime 5 \
    --set study.ends=false --set study.steps=6000 --set study.every=3000
  expect 0 'does not keep where its paths end' $name.yaml --output part.h5 --resume \
    --set study.ends=true --set study.steps=6000 --set study.every=3000
  expect 2 'did not keep where its paths end' $name.yaml --output part.h5 --resume \
    --set study.ends=true --set study.steps=9000 --set study.every=3000
done

# paths that fail, some later, are left out of all times
cat >fail.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 1.0}, initial: [0.8, 0.6, 0]}
integrator: {max_iterations: 12, truncation: 0}
study: {kind: ensemble, step: 0.125, steps: 16, times: [0, 2], paths: 1000, members: 300, observables: [x1], ends: true}
END
expect 1 'paths failed' fail.yaml --output fail.h5
early=$(grep -o "[0-9]* of 1000 paths failed" message)
expect 1 'paths failed' fail.yaml --output fail.h5 --resume --set study.steps=32 --set 'study.times=[0, 2, 4]'
[ "$early" != "$(grep -o "[0-9]* of 1000 paths failed" message)" ] || fail "no path failed later"
expect 1 'paths failed' fail.yaml --output whole.h5 --set study.steps=32 --set 'study.times=[0, 2, 4]'
(same whole.h5 fail.h5) || fail "where paths fail: not the same"

# again and again, and back to the beginning: what is longer stays
"$CASIMIR" run track.yaml --quiet --output track.h5
for steps in 360 600 900; do
  "$CASIMIR" run track.yaml --quiet --resume --output track.h5 --set study.steps=$steps 2>message || fail "$steps: $(cat message)"
done
"$CASIMIR" run track.yaml --quiet --output whole.h5 --set study.steps=900
(same whole.h5 track.h5) || fail "twice as long: not the same"
expect 2 'belongs to a run with another study.steps' track.yaml --quiet --resume --output track.h5
expect 0 'is finished already' track.yaml --resume --output track.h5 --set study.steps=900

# in_pieces NAME ARGUMENT ..: goes on, interrupted
in_pieces() {
  name=$1 pieces=0 found=75
  shift
  while [ $found -eq 75 ]; do
    limit=0.3
    [ $pieces -lt 2 ] || limit=1h
    LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n $((3 - pieces)) "$CASIMIR" run "$name.yaml" --quiet --resume \
      --max-walltime $limit --output "$name.h5" "$@" 2>message
    found=$?
    [ $found -ne 75 ] || pieces=$((pieces + 1))
  done
  [ $found -eq 0 ] || fail "$name $*: status $found: $(cat message)"
  [ $pieces -gt 0 ] || fail "$name $*: was not interrupted: nothing was tested"
}

# of a run that was interrupted itself, the ends of whose blocks checkpoints have kept
for study in 'track:study.steps=12000:study.steps=36000:study.every=60' 'spread:study.paths=640:study.paths=6400:study.steps=300'; do
  name=${study%%:*} more=$(echo "$study" | cut -d: -f3) also=${study##*:}
  rm -f "$name".h5*
  [ "$name" = spread ] || in_pieces "$name" --set "$(echo "$study" | cut -d: -f2)" --set "$also"
  [ "$name" = track ] || "$CASIMIR" run "$name.yaml" --quiet --output "$name.h5"
  in_pieces "$name" --set "$more" --set "$also"
  "$CASIMIR" run "$name.yaml" --quiet --output whole.h5 --set "$more" --set "$also" 2>message || fail "$name: $(cat message)"
  (same whole.h5 "$name.h5" && nothing_left "$name.h5") || fail "$name: pieces are not the same"
done

# what cannot go on, or is not the same run, is refused, and the file stays
rm -f ./*.h5*
"$CASIMIR" run times.yaml --quiet --output times.h5
"$CASIMIR" run track.yaml --quiet --output plain.h5 --set study.ends=false
"$CASIMIR" run times.yaml --quiet --output early.h5 --set study.horizon=4
before=$(cat ./*.h5 | cksum)
expect 2 'did not keep where its paths end\. A run with study.ends: true does' track.yaml --resume --output plain.h5 --set study.steps=900
expect 2 'another random.seed' track.yaml --resume --output plain.h5 --set study.steps=900 --set random.seed=2
expect 2 'another study.(steps|times)' times.yaml --resume --output times.h5 --set study.horizon=6 --set 'study.times=[0, 1, 3, 6]'
expect 2 'more paths or more steps, not both' times.yaml --resume --output times.h5 --set study.horizon=6 --set study.paths=2 --set 'study.times=[0, 0.5, 3, 6]'
expect 2 'study.times: the finished run has 400 steps, and its last time is before that' times.yaml --resume --output early.h5 \
  --set study.horizon=6 --set 'study.times=[0, 0.5, 3, 6]'
[ "$before" = "$(cat ./*.h5 | cksum)" ] || fail "a refused run changed a file"
[ "$failures" -eq 0 ]
