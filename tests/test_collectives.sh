#!/bin/sh
# All ranks call collective functions of MPI in one order on every communicator: to the end, interrupted and resumed,
# stopped by a failed path, and refused.
. "$SOURCE_DIR/tests/checks.sh"

configurations 'random: {generator: threefry}' 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
bins | body | ensemble, step: 2^-5, steps: 6400, every: 640, paths: 5000, observables: [x1], bins: 20
moments | body | ensemble, step: 2^-5, steps: 6400, every: 640, paths: 1000, members: 100, bins: 0, observables: [x1]
trajectory | body | trajectory, step: 2^-5, steps: 6400, every: 160, paths: 200
strong | body | strong, coarsest_step: 2^-4, coarsest_steps: 64, levels: 3, reference: 4, paths: 3000
END

# ranks_agree STATUS ARGUMENT ..: on three ranks, with a clock that goes by looks at it
ranks_agree() {
  wanted=$1
  shift
  rm -rf calls && mkdir calls
  ends "$wanted" '' env COLLECTIVES="$PWD/calls" LD_PRELOAD="$COLLECTIVES_LIBRARY $FAULTS" FAULT_CLOCK=0.01 "$MPIEXEC" -n 3 "$CASIMIR" run "$@"
  [ -s calls/world.0 ] || fail "$*: no call was seen"
  for first in calls/*.0; do
    for rank in 1 2; do
      diff "$first" "${first%0}$rank" >difference || fail "$*: ranks 0 and $rank differ in ${first#calls/}: $(cat difference)"
    done
  done
}
for study in bins moments trajectory strong; do
  rm -f out.h5*
  ranks_agree 75 $study.yaml --max-walltime 0.3
  ranks_agree 75 $study.yaml --resume --max-walltime 0.6
  ranks_agree 0 $study.yaml --resume
  ranks_agree 0 $study.yaml --resume
  ranks_agree 2 $study.yaml --set study.nonsense=1
done
