#!/bin/sh
# All ranks call collective functions of MPI in one order on every communicator: to the end, interrupted and resumed,
# stopped by a failed path, and refused.
set -u
. "$SOURCE_DIR/tests/checks.sh"

# ranks_agree STATUS ARGUMENT ..: on three ranks, with a clock that goes by looks at it
ranks_agree() {
  status=$1
  shift
  rm -rf calls && mkdir calls
  COLLECTIVES=$PWD/calls LD_PRELOAD="$COLLECTIVES_LIBRARY $FAULTS" FAULT_CLOCK=0.01 \
    "$MPIEXEC" -n 3 "$CASIMIR" run "$@" >message 2>&1
  found=$?
  [ $found -eq "$status" ] || fail "$*: status $found, must be $status: $(cat message)"
  [ -s calls/world.0 ] || fail "$*: no call was seen"
  for first in calls/*.0; do
    for rank in 1 2; do
      diff "$first" "${first%0}$rank" >difference || fail "$*: ranks 0 and $rank differ in ${first#calls/}: $(cat difference)"
    done
  done
  runs=$((runs + 1))
}
runs=0

body='system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
random: {generator: threefry}
output: {file: out.h5, checkpoint_every: 0}'
cat >bins.yaml <<END
$body
study: {kind: ensemble, step: 2^-5, steps: 6400, every: 640, paths: 5000, observables: [x1], bins: 20}
END
cat >moments.yaml <<END
$body
study: {kind: ensemble, step: 2^-5, steps: 6400, every: 640, paths: 1000, members: 100, bins: 0, observables: [x1]}
END
cat >trajectory.yaml <<END
$body
study: {kind: trajectory, step: 2^-5, steps: 6400, every: 160, paths: 200}
END
cat >strong.yaml <<END
$body
study: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 64, levels: 3, reference: 4, paths: 3000}
END
for study in bins moments trajectory strong; do
  rm -f out.h5*
  ranks_agree 75 $study.yaml --max-walltime 0.3
  ranks_agree 75 $study.yaml --resume --max-walltime 0.6
  ranks_agree 0 $study.yaml --resume
  ranks_agree 0 $study.yaml --resume
  ranks_agree 2 $study.yaml --set study.nonsense=1
done
echo "$runs runs on 3 ranks: $failures failures"
[ $failures -eq 0 ]
