#!/bin/sh
# What a checkpoint costs: runs with many of them against runs with none, and the share of a run at the default of one
# in ten minutes. sh bench/checkpoints.sh [ranks], from a built tree.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
casimir=${CASIMIR:-$root/build/casimir}
ranks=${1:-2}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# seconds EVERY CONFIGURATION ARGUMENT ..: of a run with a checkpoint so often; its messages are kept
seconds() {
  every=$1
  shift
  begin=$(date +%s.%N)
  mpiexec -n "$ranks" --oversubscribe "$casimir" run "$@" --output out.h5 --quiet --set output.checkpoint_every="$every" 2>messages
  echo "$begin $(date +%s.%N)" | awk '{print $2 - $1}'
}

# measure NAME CONFIGURATION ARGUMENT ..: the least of three
measure() {
  name=$1 none=1e9 many=1e9
  shift
  for _ in 1 2 3; do
    t=$(seconds 0 "$@") none=$(echo "$t $none" | awk '{print $1 < $2 ? $1 : $2}')
    t=$(seconds 0.1s "$@") many=$(echo "$t $many" | awk '{print $1 < $2 ? $1 : $2}')
  done
  count=$(grep -c 'is saved in' messages)
  echo "$name $none $many $count" | awk '{c = ($3 - $2) / $4; if (c < 0) c = 0
    printf "%-22s %6.2f s without, %6.2f s with %3d checkpoints: %6.2f ms each, %.5f%% of ten minutes\n",
      $1, $2, $3, $4, 1e3 * c, 100 * c / 600}'
}

echo "$ranks ranks"
measure weak "$root/jobs/rigid-body-weak.yaml" --set study.paths=60000
measure ensemble "$root/jobs/rigid-body-ensemble.yaml" --set study.paths=20000
measure trajectory "$root/jobs/rigid-body-long.yaml" --set study.paths=256 --set study.steps=102400
measure euler-zeitlin "$root/jobs/euler-zeitlin-strong.yaml" --set study.paths=40
