#!/bin/sh
# Functions of a user's file that end the program, in the middle of a run: the file is named, the status is no
# success, and the last checkpoint is gone on from.
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

# The Hamiltonian of the template, which from its 3000th value on does what the environment says.
"$CASIMIR" build --template system |
  sed '/^static void hamiltonian/i \
#include <stdlib.h>\
static void fail_late(void) {\
  static int calls;\
  const char *fault = calls++ < 3000 ? NULL : getenv("FAULT");\
  volatile char room[4096] = {0};\
  if (!fault)\
    return;\
  if (*fault == 0x72) /* r: no end */\
    fail_late();\
  if (*fault == 0x73) /* s: no such address */\
    ((volatile char *)fault)[-(1L << 45)] = room[0];\
  if (*fault == 0x69) /* i: no such instruction */\
    __builtin_trap();\
  if (*fault == 0x61)\
    abort();\
  exit(atoi(fault));\
}' | sed '/^static void hamiltonian/,/^}/ s/  const parameters \*q = p;/&\n  fail_late();/' >top.c
CFLAGS=-O1 "$CASIMIR" build top.c >log 2>&1 || { fail "$(cat log)"; exit 1; }

cat >top.yaml <<'END'
system: {file: ./top.so, name: my_top, c: 0.5, sigma: 0.4}
random: {generator: threefry}
study: {kind: trajectory, step: 2^-5, steps: 40000, every: 10, paths: 1, observables: [hamiltonian]}
output: {checkpoint_every: 0.01s}
END
"$CASIMIR" run top.yaml --quiet --output whole.h5 2>log || fail "$(cat log)"

prlimit --pid $$ --core=0
for fault in r s i a 0 1; do
  FAULT=$fault "$CASIMIR" run top.yaml --quiet --output "$fault.h5" >log 2>&1
  found=$?
  case $fault in [01]) right=5 ;; *) right=$((found > 128 ? found : 129)) ;; esac
  [ $found -eq $right ] || fail "$fault: status $found, must be $right"
  [ "$(grep -c 'ended the program, in a function of ./top.so' log)" -eq 1 ] || fail "$fault: $(cat log)"
  [ -f "$fault.h5.checkpoint" ] || fail "$fault: no checkpoint"
  "$CASIMIR" run top.yaml --quiet --output "$fault.h5" --resume >log 2>&1 || fail "$fault: $(cat log)"
  (same whole.h5 "$fault.h5" && nothing_left "$fault.h5") || fail "$fault: not the same"
done

# one of two ranks, and a file of which only one function is bad
FAULT=0 "$MPIEXEC" -n 2 "$CASIMIR" run top.yaml --quiet --set study.paths=128 --output two.h5 >log 2>&1
found=$?
[ $found -eq 5 ] || fail "two ranks: status $found $(cat log)"
grep -q 'in a function of ./top.so' log || fail "two ranks: $(cat log)"

# what ends by itself says nothing of this
for what in "describe ./top.so" "run top.yaml --dry-run" "run --help" "run none.yaml"; do
  # shellcheck disable=SC2086 # words
  "$CASIMIR" $what >log 2>&1
  ! grep -q 'ended the program' log || fail "$what: $(cat log)"
done

[ $failures -eq 0 ]
