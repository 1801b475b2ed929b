#!/bin/sh
# Tests of damage, limits and mistakes, class by class, in the long variants of those that the suite runs for seconds:
# sh bench/hardening.sh [MINUTES] [FUZZ_SECONDS], from a built tree. MINUTES (60) say how much each does, and no class begins
# after them; classes that were left out are named. With FUZZ_SECONDS the fuzzers of bench/fuzz.sh come last, each for so long.
# Prints what each found, into build/hardening.log, too; its status is 0 if all passed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CASIMIR_BUILD:-$root/build}
minutes=${1:-60} fuzz=${2:-0}
begun=$(date +%s)
share() { echo $((1 + $1 * minutes / 60)); } # of what an hour does
CASIMIR_KILLS=$(share 50) CASIMIR_STORMS=$(share 20) CASIMIR_PIECES=$(share 1000) CASIMIR_FLIPS=$(share 1000)
CASIMIR_CALLS=$(share 1000) CASIMIR_ALLOCATIONS=$(share 600) CASIMIR_PATHS=$(share 10000000) CASIMIR_TIME_LIMIT=yes
export CASIMIR_KILLS CASIMIR_STORMS CASIMIR_PIECES CASIMIR_FLIPS CASIMIR_CALLS CASIMIR_ALLOCATIONS CASIMIR_PATHS CASIMIR_TIME_LIMIT

# class: its tests, those first that take longest
classes='
verdicts in other units: units|lie_poisson
samples that are not independent, and merges of merges: merge|sweep|swept|initial_paths|taken_up|longer
outputs in place of other files: outputs|foreign_files|replaced|export|unfinished
names with two meanings: names|formulas|input
constants, derivatives and shared operations: expressions|integers|numbers
full disks and calls that fail: disk_space|faults
plug-ins that are cut short, wrong or exit: build
memory that ends: allocations|memory_limits|memory
signals, also before the first path: resume|signals_end|signals|slurm
locales with a decimal comma: locale
damaged results and checkpoints: damaged_data|results|checkpoint|read_curves
formulas in tables, line breaks and escape sequences: plot_names|text|page
few open files, several commands at once: outputs|operations|ranks_differ
'

: >"$build/hardening.log"
say() { echo "$*" | tee -a "$build/hardening.log"; }
failed=0
echo "$classes" >"$build/hardening.classes"
while IFS=: read -r class tests; do
  [ -n "$class" ] || continue
  if [ $(($(date +%s) - begun)) -ge $((60 * minutes)) ]; then
    say "left out: $class"
    continue
  fi
  say "== $class"
  tests=$(echo "$tests" | tr -d ' ')
  ctest --test-dir "$build" --verbose --timeout 7200 -R "^test_($tests)(_n[0-9]+)?\$" >"$build/hardening.one" 2>&1 </dev/null ||
    { failed=$((failed + 1)); say "FOUND in $class"; }
  sed -n -e 's/^[0-9]*: \([a-z].*\)/\1/p' -e '/ Test .*#/p' -e '/tests passed/p' "$build/hardening.one" |
    grep -v '^Test \|timeout computed' | tee -a "$build/hardening.log"
done <"$build/hardening.classes"
if [ "$fuzz" -gt 0 ]; then
  say "== fuzzers"
  sh "$root/bench/fuzz.sh" "$fuzz" >"$build/hardening.one" 2>&1 || failed=$((failed + 1))
  tee -a "$build/hardening.log" <"$build/hardening.one"
fi
say "$((($(date +%s) - begun) / 60)) minutes, classes in which something was found: $failed"
[ "$failed" -eq 0 ]
