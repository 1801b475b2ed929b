#!/bin/sh
# Tests of casimir, from a bare machine on: sh tests/run.sh [--all | LANE ..] [arguments of ctest, such as -R pattern]
# Installs what the tests need, as root, builds, and runs one or more lanes of tests/CMakeLists.txt: fast (the
# default), slow, system, figures; --all is every one.
#   CASIMIR_BUILD         where to build (default: build)
#   CASIMIR_CMAKE_FLAGS   further options of cmake, such as -DCASIMIR_WERROR=ON
#   CC                    the compiler, for a fresh build directory
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"
build=${CASIMIR_BUILD:-$root/build}

all="fast slow system figures" lanes=
while [ $# -gt 0 ]; do
  case $1 in
  --all) lanes=$all ;;
  fast | slow | system | figures) lanes=$lanes${lanes:+ }$1 ;;
  *) break ;;
  esac
  shift
done
lanes=${lanes:-fast}

packages=$build_packages targets=
for lane in $lanes; do
  eval "packages=\"\$packages \$${lane}_packages\""
  targets="$targets tests_$lane"
done
[ "$lanes" != "$all" ] || targets=all # with the benchmarks
need_packages "$packages"
build_tree "$build" "$targets" -DBUILD_TESTING=ON ${CASIMIR_CMAKE_FLAGS:-}
[ -z "$missing" ] || say "Not installed, which some tests are skipped without: $missing"

# In the fast lane statistics are of fewer seeds.
[ "$lanes" != fast ] || export CASIMIR_REPETITIONS="${CASIMIR_REPETITIONS:-25}" \
  CASIMIR_COVERAGE_SEEDS="${CASIMIR_COVERAGE_SEEDS:-10}"

# Many tests wait more than they compute. A limit of time is for what hangs, and given here, as a property of the tests
# would hold for their long variants too.
labels="^($(printf %s "$lanes" | tr ' ' '|'))\$"
began=$(date +%s)
rm -f "$build"/tests/scratch/*.times
times >"$build/times"
CLICOLOR_FORCE=0 ctest --test-dir "$build" -L "$labels" --output-on-failure --timeout 3600 --parallel $((2 * cores)) "$@" 2>&1 | tee "$build/tests.log"
times >>"$build/times"
# of the shell and of its children, before and after: 1m2.3s of the user, and of the system
say "$(tr ms '  ' <"$build/times" | awk -v clock=$(($(date +%s) - began)) '{ t[NR] = 60 * ($1 + $3) + $2 + $4 }
  END { printf "These tests took %.0f s of processor time, %d s by the clock. Most of it in", t[4] - t[2], clock }')"
for test in "$build"/tests/scratch/*.times; do
  name=${test##*/}
  tr ms '  ' <"$test" | awk -v name="${name%.times}" 'NR == 2 { printf "  %6.1f s  %s\n", 60 * ($1 + $3) + $2 + $4, name }'
done | sort -rn | head

# from ctest's summary, "97% tests passed, 1 tests failed out of 32"; what did not run counts as failed
failed=$(sed -n 's/.* tests passed, \([0-9]*\) tests failed out of .*/\1/p' "$build/tests.log")
run=$(sed -n 's/.* tests failed out of \([0-9]*\).*/\1/p' "$build/tests.log")
if [ -z "$run" ] || [ "$run" -eq 0 ]; then
  say "No test of these lanes was run: $lanes. All lanes: sh tests/run.sh --all"
  exit 1
fi
status=$((failed > 0))

# why tests were skipped: the last lines of their own output in ctest's log, which those of mpiexec follow, between dashes
skipped=$(sed -n 's/.* Test *#[0-9]*: \([^ ]*\) .*\*\*\*Skipped.*/\1/p' "$build/tests.log")
skips=0
for name in $skipped; do
  skips=$((skips + 1))
  awk -v name="$name" '$2 == "Testing:" { begun = 0; inside = $3 == name }
    inside && begun && (/^-+$/ || $0 == "<end of output>") { print "skipped: " name ": " before; inside = 0 }
    { before = $0 }
    $0 == "Output:" { getline; begun = 1 }' "$build/Testing/Temporary/LastTest.log"
done

# Each script counts once, each program once for every number of ranks in its `/* ranks: 1 2 3 */` line.
if [ $# -eq 0 ] && [ "$lanes" = "$all" ]; then
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

echo "$((run - failed - skips)) passed, $failed failed"
exit $status
