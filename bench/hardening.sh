#!/bin/sh
# The long variants of tests that the suite runs for seconds: sh bench/hardening.sh [kills] [storms], from a built tree.
# Prints what each found; its status is 0 if all passed.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CASIMIR_BUILD:-$root/build}
export CASIMIR_KILLS="${1:-50}" CASIMIR_STORMS="${2:-20}" CASIMIR_PIECES=1000 CASIMIR_TIME_LIMIT=yes CASIMIR_PATHS=10000000
export CASIMIR_FLIPS=1000 CASIMIR_CALLS=1000
# those that take the variables above, and the others of the same classes: units, formulas, limits, signals, locales, texts
long='damaged_data|faults|memory|foreign_files|plot_names|resume|disk_space|slurm|build|merge|outputs|memory_limits'
wide='units|expressions|formulas|lie_poisson|export|integers|locale|signals|signals_end|input|sweep|checks'
ctest --test-dir "$build" --verbose --timeout 7200 \
  -R "^test_($long|$wide)(_n[0-9]+)?\$" |
  sed -n -e 's/^[0-9]*: \([a-z].*\)/\1/p' -e '/ Test .*#/p' -e '/tests passed/p' | grep -v '^Test \|timeout computed' |
  tee "$build/hardening.log"
grep -q '^100% tests passed' "$build/hardening.log"
