#!/bin/sh
# The readers of configurations, expressions and checkpoints under libFuzzer, with address and undefined behaviour sanitizers:
# sh bench/fuzz.sh [seconds for each of five]. Its status is 0 if nothing was found; else what was found is in the build.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
seconds=${1:-900}
. "$root/jobs/setup.sh"
build=${CASIMIR_BUILD:-$root/build-fuzz}
need_packages "$build_packages $fast_packages $check_packages"
# The readers are the same for all instruction sets.
CC=clang build_tree "$build" "fuzz_config fuzz_expression fuzz_checkpoint" -DCASIMIR_INSTRUCTION_SETS= -DCASIMIR_SANITIZE=fuzzer-no-link,address,undefined -DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
export OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # MPI leaks a little
found=0

# fuzz NAME PROGRAM ARGUMENT ..: in a directory of its own, which keeps what was learnt
fuzz() {
  mkdir -p "$build/fuzz/$1/corpus" && cd "$build/fuzz/$1" || exit 1
  name=$1 program=$build/bench/$2
  shift 2
  if "$program" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4000 "$@" corpus >log 2>&1; then
    echo "$name: $(tail -n 1 log)"
  else
    echo "$name: FOUND $(ls crash-* oom-* timeout-* 2>/dev/null); see $PWD/log"
    found=1
  fi
}

mkdir -p "$build/fuzz/configuration/corpus" && cp "$root"/jobs/*.yaml "$build/fuzz/configuration/corpus"
fuzz configuration fuzz_config -max_len=4096
fuzz expression fuzz_expression -max_len=2000
for study in convergence ensemble trajectory; do
  mkdir -p "$build/fuzz/$study/corpus"
  export FUZZ_STUDY=$study FUZZ_SEED="$build/fuzz/$study/corpus/seed"
  fuzz $study fuzz_checkpoint -runs=0
  fuzz $study fuzz_checkpoint -max_len=65536
done
exit $found
