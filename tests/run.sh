#!/bin/sh
# Every test of casimir, from a bare machine on: sh tests/run.sh [arguments of ctest, such as -R pattern]
#   CASIMIR_BUILD         where to build (default: build)
#   CASIMIR_CMAKE_FLAGS   further options of cmake, such as -DCASIMIR_WERROR=ON
#   CC                    the compiler, for a fresh build directory
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
. "$root/jobs/setup.sh"
build=${CASIMIR_BUILD:-$root/build}

[ "$(id -u)" -ne 0 ] || test_packages="$test_packages $slurm_packages"
need_packages "$build_packages $test_packages"
# shellcheck disable=SC2086 # a list of words
build_tree "$build" -DBUILD_TESTING=ON ${CASIMIR_CMAKE_FLAGS:-}

# Many tests wait more than they compute. A limit of time is for what hangs, and given here, as a property of the tests would
# hold for their long variants too.
ctest --test-dir "$build" --output-on-failure --timeout 3600 --parallel $((2 * cores)) "$@" 2>&1 | tee "$build/tests.log"

# from ctest's summary, "97% tests passed, 1 tests failed out of 32"; what did not run counts as failed
failed=$(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$build/tests.log")
run=$(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$build/tests.log")
if [ -z "$run" ] || [ "$run" -eq 0 ]; then
  say "No test was run."
  exit 1
fi
status=$((failed > 0))

# Each script counts once, each program once for every number of ranks in its `/* ranks: 1 2 3 */` line.
if [ $# -eq 0 ]; then
  registered=$(find "$root/tests" -maxdepth 1 -name 'test_*.sh' | wc -l)
  for source in "$root"/tests/test_*.c; do
    ranks=$(sed -n 's|^/\* ranks: \([0-9 ]*\) \*/$|\1|p' "$source" | wc -w)
    registered=$((registered + (ranks > 0 ? ranks : 1)))
  done
  if [ "$run" -ne "$registered" ]; then
    say "$run tests were run, but tests/ holds $registered."
    status=1
  fi
fi

echo "$((run - failed)) passed, $failed failed"
exit $status
