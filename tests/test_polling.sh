#!/bin/sh
# Signals and time limits are looked at as often as steps and records take long: after every step, and in the midst of a
# map. Time goes by looks: each of the cheap clock is a second to it, so that every step and every row of a map is long.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >steps.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 1000, every: 500, paths: 2}
output: {file: out.h5, checkpoint_every: 0}
END
cat >levels.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: convergence, coarsest_step: 2^-5, coarsest_steps: 10, levels: 2, reference: 5, paths: 100}
output: {file: out.h5, checkpoint_every: 0}
END
cat >rungs.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 32, levels: 2, functionals: [x1], paths: 100}
output: {file: out.h5, checkpoint_every: 0}
END
# 16 paths of a block have 32 rows each: 512 looks a record
cat >maps.yaml <<'END'
system: {name: euler_zeitlin, N: 8, latitudes: 32, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}}
study: {kind: trajectory, step: 2^-8, steps: 4, every: 2, paths: 40, observables: [vorticity, hamiltonian]}
output: {file: out.h5, checkpoint_every: 0}
END
cat >spread.yaml <<'END'
system: {name: euler_zeitlin, N: 8, latitudes: 32, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}}
study: {kind: ensemble, step: 2^-8, steps: 4, times: [0, 0.0078125, 0.015625], paths: 40, observables: [energy_spectrum, vorticity], bins: 2}
output: {file: out.h5, checkpoint_every: 0}
END

# looked LIMIT RANKS STUDY ARGUMENT ..: with these seconds of time
looked() {
  limit=$1 ranks=$2 study=$3 launcher=
  shift 3
  [ "$ranks" -eq 1 ] || launcher="$MPIEXEC -n $ranks"
  # shellcheck disable=SC2086 # words
  LD_PRELOAD=$FAULTS FAULT_CLOCK=1 FAULT_LAPSE=1 $launcher "$CASIMIR" run "$study.yaml" --quiet --resume \
    --max-walltime "$limit" "$@" 2>message
  found=$?
}

# fewer steps than there are between looks where they take no time; less than a record
for one in steps:40 levels:40 rungs:30 maps:200 spread:200; do
  rm -f out.h5*
  looked "${one#*:}" 1 "${one%:*}"
  [ $found -eq 75 ] || fail "$one: status $found, must be 75: $(cat message)"
done

# With time for a step or a record at most, again and again, also with checkpoints on the way, a run ends with the bits of
# one that was left alone. One rank comes first and twice: several may do all steps before a reduction that they wait for
# has gone through, and while it is under way the clock is not looked at.
for one in steps:100 maps:900 spread:900; do
  name=${one%:*}
  "$CASIMIR" run "$name.yaml" --quiet --output whole.h5 || fail "$name does not run"
  for every in 0 70s; do
    rm -f out.h5*
    pieces=0
    for ranks in 1 1 3 2 1 2 3 1 1 1 1 1 1 1 1 1 1 1 1 1; do
      limit=$((${one#*:} * (1 + pieces) / 2))
      looked $limit $ranks "$name" --set output.checkpoint_every=$every
      [ $found -eq 75 ] || break
      pieces=$((pieces + 1))
    done
    [ $found -eq 0 ] || fail "$name, checkpoints every $every: status $found after $pieces pieces: $(cat message)"
    [ $pieces -ge 2 ] || fail "$name, checkpoints every $every: only $pieces interruptions"
    (same whole.h5 out.h5 && nothing_left out.h5) || fail "$name, checkpoints every $every: not the same"
    echo "$name, checkpoints every $every: interrupted $pieces times"
  done
  rm whole.h5
done

[ $failures -eq 0 ]
