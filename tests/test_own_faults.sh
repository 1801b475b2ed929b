#!/bin/sh
# Functions of a user's file that end the program, in the middle of a run, or never return: the file is named, the
# status is no success, and the last checkpoint is gone on from.
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

# The Hamiltonian of the template, which from its 3000th value on, or from a later one, does what the environment says.
"$CASIMIR" build --template system |
  sed '/^static void hamiltonian/i \
#include <fenv.h>\
#include <pthread.h>\
#include <stdlib.h>\
#include <unistd.h>\
static void fail_late(void) {\
  static int calls;\
  const char *fault = calls++ < (getenv("LATER") ? 4001 : 3000) ? NULL : getenv("FAULT");\
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
  if (*fault == 0x6c) /* l: a loop without end */\
    for ((void)!write(2, "loop\\n", 5);; room[0]++)\
      continue;\
  if (*fault == 0x75) /* u: at once */\
    _exit(atoi(fault + 1));\
  if (*fault == 0x55)\
    _Exit(atoi(fault + 1));\
  if (*fault == 0x71) /* q: by other handlers */\
    quick_exit(atoi(fault + 1));\
  if (*fault == 0x63) /* c */\
    (void)!chdir("elsewhere");\
  if (*fault == 0x6d) /* m */\
    fesetround(FE_UPWARD);\
  if (*fault == 0x6b) /* k: two processes go on */\
    (void)fork();\
  if ((*fault | 0x20) == 0x64) /* d: from a number on */\
    for (int i = atoi(fault + 1); i < 1024; i++)\
      close(i);\
  if (*fault == 0x70) /* p */\
    pthread_exit(NULL);\
  if (*fault > 0x39) /* not by a number */\
    return;\
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

"$CASIMIR" run top.yaml --quiet --set study.paths=128 --output wide.h5 2>log || fail "$(cat log)"

prlimit --pid $$ --core=0
for fault in r s i a 0 1 75 u0 u75 U0 q0; do
  FAULT=$fault "$CASIMIR" run top.yaml --quiet --output "$fault.h5" >log 2>&1
  found=$?
  case $fault in *[0-9]) right=5 ;; *) right=$((found > 128 ? found : 129)) ;; esac
  [ $found -eq $right ] || fail "$fault: status $found, must be $right"
  [ "$(grep -c 'ended the program, in a function of ./top.so' log)" -eq 1 ] || fail "$fault: $(cat log)"
  [ -f "$fault.h5.checkpoint" ] || fail "$fault: no checkpoint"
  case $fault in U0 | q0 | *[1-9]) continue ;; esac # what is saved is the same as before their like
  "$CASIMIR" run top.yaml --quiet --output "$fault.h5" --resume >log 2>&1 || fail "$fault: $(cat log)"
  (same whole.h5 "$fault.h5" && nothing_left "$fault.h5") || fail "$fault: not the same"
done

# a function that goes on after it has changed what a run depends on; the run ends, and its files are as they were
mkdir elsewhere
for fault in c m k d3 D3 d1 p; do
  unset LATER
  case $fault in
  D3) # before the records of a block are written, of which there are 4001 a path
    export LATER=1
    words='has closed descriptors'
    ;;
  c) words='changes the current directory (chdir)' ;;
  m) words='changes the mode of floating-point arithmetic' ;;
  k) words='calls fork()' ;;
  d3) words='has closed descriptors' ;;
  d1) words= ;; # nor can it say so
  p) words='pthread_exit() ended the program, in a function of ./top.so' ;;
  esac
  for ranks in 1 2; do
    rm -f "$fault.h5"*
    FAULT=$fault timeout 60 "$MPIEXEC" -n $ranks "$CASIMIR" run top.yaml --quiet --set study.paths=128 --output "$fault.h5" >log 2>&1
    found=$?
    [ $found -eq 5 ] || fail "$fault, $ranks ranks: status $found, must be 5: $(cat log)"
    [ -z "$words" ] || { grep -qF "$words" log && grep -q './top.so' log; } || fail "$fault, $ranks ranks: $(cat log)"
    ! grep -q 'casimir: .*[^.] [0-9.]*% of the run is saved in .*: when' log || fail "$fault, $ranks ranks, two sentences in one: $(cat log)"
    [ -z "$(ls elsewhere)" ] || fail "$fault, $ranks ranks: results in another directory: $(ls elsewhere)"
    [ ! -e "$fault.h5" ] || fail "$fault, $ranks ranks: there are results"
  done
  "$CASIMIR" run top.yaml --quiet --output "$fault.h5" --set study.paths=128 --resume >log 2>&1 || fail "$fault: $(cat log)"
  (same wide.h5 "$fault.h5" && nothing_left "$fault.h5") || fail "$fault: not the same"
done

# one of two ranks, and a file of which only one function is bad
for fault in 0 u0; do
  FAULT=$fault "$MPIEXEC" -n 2 "$CASIMIR" run top.yaml --quiet --set study.paths=128 --set output.checkpoint_every=0 --output two.h5 >log 2>&1
  found=$?
  [ $found -eq 5 ] || fail "two ranks, $fault: status $found $(cat log)"
  grep -q 'in a function of ./top.so' log || fail "two ranks, $fault: $(cat log)"
  rm -f two.h5*
done

# a function that never returns: asked twice in a moment it is asked once, and after some time it is ended
FAULT=l "$CASIMIR" run top.yaml --quiet --output l.h5 >log 2>&1 &
run=$!
await grep -q '^loop' log
kill -TERM $run
kill -TERM $run
await grep -q 'asked to end 10 s ago, and still in a function of ./top.so. A second signal ends the run' log
kill -TERM $run
wait $run
found=$?
[ $found -eq 75 ] || fail "a loop without end: status $found, must be 75: $(cat log)"
[ "$(grep -c 'a second signal ended the run, in a function of ./top.so' log)" -eq 1 ] || fail "a loop without end: $(cat log)"
"$CASIMIR" run top.yaml --quiet --output l.h5 --resume >log 2>&1 || fail "after a loop without end: $(cat log)"
(same whole.h5 l.h5 && nothing_left l.h5) || fail "after a loop without end: not the same"

# a file that is written to, and then removed, while a run uses it
cp top.so kept.so
"$CASIMIR" run top.yaml --quiet --output over.h5 >log 2>&1 &
run=$!
await test -s over.h5.checkpoint
cp whole.h5 top.so
rm top.so
wait $run || fail "a file that is overwritten: $(cat log)"
(same whole.h5 over.h5 && nothing_left over.h5) || fail "a file that is overwritten: not the same"
mv kept.so top.so

# what ends by itself says nothing of this
for what in "describe ./top.so" "run top.yaml --dry-run" "run --help" "run none.yaml"; do
  # shellcheck disable=SC2086 # words
  "$CASIMIR" $what >log 2>&1
  ! grep -q 'ended the program' log || fail "$what: $(cat log)"
done

[ $failures -eq 0 ]
