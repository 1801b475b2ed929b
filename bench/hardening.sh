#!/bin/sh
# Tests of damage, limits and mistakes, class by class, in long variants of the classes that the suite runs for seconds:
# sh bench/hardening.sh [MINUTES] [FUZZ_SECONDS], from a built tree. MINUTES (60) are for all: what repeats itself ends when the
# share of its class is over, and those classes come last, with what is left. No class begins after the MINUTES; classes that
# were left out are named. With FUZZ_SECONDS the fuzzers of bench/fuzz.sh come at the end, all six together for that time.
# Prints what each found, into build/hardening.log, too; its status is 0 if all passed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CASIMIR_BUILD:-$root/build}
minutes=${1:-60} fuzz=${2:-0}
begun=$(date +%s)
to_build_fuzzers=240 # seconds, of two cores
end=$((begun + 60 * minutes - (fuzz > 0 ? fuzz + to_build_fuzzers : 0)))
# at most, however much time there is
export CASIMIR_KILLS=50 CASIMIR_STORMS=20 CASIMIR_PIECES=1000 CASIMIR_FLIPS=1000 CASIMIR_CALLS=1000 CASIMIR_ALLOCATIONS=600
export CASIMIR_PATHS=$((1000000 + 9000000 * minutes / 60)) CASIMIR_TIME_LIMIT=yes

# class: its tests; last the classes whose tests take all time that is left. No test is in two.
classes='
verdicts in other units: units|lie_poisson|verdict
samples that are not independent: sweep|swept|initial_paths
runs that are merged or made longer: merge|taken_up|longer
names with two meanings: names|formulas|input
constants, derivatives and shared operations: expressions|integers|numbers
locales with a decimal comma: locale
formulas in tables, line breaks and escape sequences: plot_names|text|page
plug-ins that are cut short, wrong or exit: build
few open files, limits, several commands at once: limits|operations|ranks_differ
full disks: disk_space|export|film
outputs in place of other files: outputs|foreign_files|replaced|unfinished
memory that ends: allocations|memory_limits|memory
damaged results and checkpoints: damaged_data|results|checkpoint|read_curves
ranks that are killed, calls that fail: faults
signals, also before the first path: resume|signals_end|signals|slurm
'

: >"$build/hardening.log"
say() { echo "$*" | tee -a "$build/hardening.log"; }
failed=0
echo "$classes" | sed '/^$/d' >"$build/hardening.classes"
left=$(wc -l <"$build/hardening.classes")
while IFS=: read -r class tests; do
  now=$(date +%s)
  if [ $((now - begun)) -ge $((60 * minutes)) ]; then
    say "left out: $class"
    continue
  fi
  export CASIMIR_UNTIL=$((now + (end - now) / left))
  left=$((left - 1))
  tests=$(echo "$tests" | tr -d ' ')
  ctest --test-dir "$build" --verbose --timeout 7200 --parallel 2 -R "^test_($tests)(_n[0-9]+)?\$" >"$build/hardening.one" 2>&1 </dev/null ||
    { failed=$((failed + 1)); say "FOUND in $class"; }
  say "== $class: $(($(date +%s) - now)) s"
  sed -n -e 's/^[0-9]*: \([a-z].*\)/\1/p' -e '/ Test .*#/p' -e '/tests passed/p' "$build/hardening.one" |
    grep -v '^Test \|timeout computed' | tee -a "$build/hardening.log"
done <"$build/hardening.classes"
if [ "$fuzz" -gt 0 ]; then
  say "== fuzzers"
  sh "$root/bench/fuzz.sh" $((fuzz / 6)) >"$build/hardening.one" 2>&1 || failed=$((failed + 1))
  tee -a "$build/hardening.log" <"$build/hardening.one"
fi
say "$((($(date +%s) - begun) / 60)) minutes, classes in which something was found: $failed"
[ "$failed" -eq 0 ]
