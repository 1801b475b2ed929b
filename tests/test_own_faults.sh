#!/bin/sh
# Functions of a user's file that end the program, in the middle of a run, or never return: the file is named, the
# status is no success, and the last checkpoint is gone on from.
. "$SOURCE_DIR/tests/checks.sh"

# The Hamiltonian of the template, which from its 3000th value on, or from a later one, does what the environment says.
cat >late.h <<'END'
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void fail_late(void) {
  static int calls;
  const char *fault = calls++ < (getenv("LATER") ? 4001 : 3000) ? NULL : getenv("FAULT");
  volatile char room[4096] = {0};
  switch (fault ? *fault : 0) {
  case 0: return;
  case 'r': fail_late(); room[0]++; return; /* no end */
  case 's': ((volatile char *)fault)[-(1L << 45)] = room[0]; return; /* no such address */
  case 'i': __builtin_trap(); /* no such instruction */
  case 'a': abort();
  case 'l': for ((void)!write(2, "loop\n", 5);; room[0]++) usleep(10000); /* a loop without end */
  case 'u': _exit(atoi(fault + 1)); /* at once */
  case 'U': _Exit(atoi(fault + 1));
  case 'q': quick_exit(atoi(fault + 1)); /* by other handlers */
  case 'c': (void)!chdir("elsewhere"); return;
  case 'm': fesetround(FE_UPWARD); return;
  case 'k': (void)fork(); return; /* two processes go on */
  case 'd': case 'D': for (int i = atoi(fault + 1); i < 1024; i++) close(i); return; /* from a number on */
  case 'p': pthread_exit(NULL);
  default: exit(atoi(fault));
  }
}
END
"$CASIMIR" build --template system | sed '/^static void hamiltonian/e cat late.h' |
  sed '/^static void hamiltonian/,/^}/ s/  const parameters \*q = p;/&\n  fail_late();/' >top.c
grep -q '  fail_late();$' top.c || fail "another template"
CFLAGS=-O1 ends 0 '' "$CASIMIR" build top.c

echo 'top | {file: ./top.so, name: my_top, c: 0.5, sigma: 0.4} | trajectory, step: 2^-5, steps: 40000, every: 10, paths: 1, observables: [hamiltonian]' | configurations 'random: {generator: threefry}' 'output: {checkpoint_every: 0.01s}'
runs top.yaml --output whole.h5
runs top.yaml --set study.paths=128 --output wide.h5

prlimit --pid $$ --core=0
for fault in r s i a 0 1 75 u0 u75 U0 q0; do
  FAULT=$fault "$CASIMIR" run top.yaml --quiet --output "$fault.h5" >log 2>&1
  found=$?
  case $fault in *[0-9]) right=5 ;; *) right=$((found > 128 ? found : 129)) ;; esac
  [ $found -eq $right ] || fail "$fault: status $found, must be $right"
  [ "$(grep -c 'ended the program, in a function of ./top.so' log)" -eq 1 ] || fail "$fault: $(cat log)"
  [ -f "$fault.h5.checkpoint" ] || fail "$fault: no checkpoint"
  case $fault in U0 | q0 | *[1-9]) continue ;; esac # what is saved is the same as before their like
  runs top.yaml --output "$fault.h5" --resume
  alike whole.h5 "$fault.h5"
done

# a function that goes on after it has changed what a run depends on; the run ends, and its files are as they were
mkdir elsewhere
while read -r fault words; do
  [ "$fault" != D3 ] || export LATER=1 # before the records of a block are written, of which there are 4001 a path
  for ranks in 1 2; do
    rm -f "$fault.h5"*
    FAULT=$fault ends 5 "$words" timeout 60 "$MPIEXEC" -n $ranks "$CASIMIR" run top.yaml --quiet --set study.paths=128 --output "$fault.h5"
    [ "$fault" = d1 ] || has ./top.so # which has nothing to say it with
    ! grep -q 'casimir: .*[^.] [0-9.]*% of the run is saved in .*: when' message || fail "$fault, $ranks ranks, two sentences in one: $(cat message)"
    [ -z "$(ls elsewhere)" ] && [ ! -e "$fault.h5" ] || fail "$fault, $ranks ranks: there are results: $(ls elsewhere)"
  done
  unset LATER
  runs top.yaml --output "$fault.h5" --set study.paths=128 --resume
  alike wide.h5 "$fault.h5"
done <<'END'
c changes the current directory \(chdir\)
m changes the mode of floating-point arithmetic
k calls fork\(\)
d3 has closed descriptors
D3 has closed descriptors
d1
p pthread_exit\(\) ended the program, in a function of ./top.so
END

# one of two ranks, and a file of which only one function is bad
for fault in 0 u0; do
  FAULT=$fault ends 5 'in a function of ./top.so' "$MPIEXEC" -n 2 "$CASIMIR" run top.yaml --quiet --set study.paths=128 \
    --set output.checkpoint_every=0 --output two.h5
  rm -f two.h5*
done

# a function that never returns: asked twice in a moment it is asked once, and after some time it is ended
FAULT=l "$CASIMIR" run top.yaml --quiet --output l.h5 >log 2>&1 &
process=$!
await grep -q '^loop' log
kill -TERM $process
kill -TERM $process
await grep -q 'asked to end 10 s ago, and still in a function of ./top.so. A second signal ends the run' log
kill -TERM $process
ended 75 "a loop without end" $process log
[ "$(grep -c 'a second signal ended the run, in a function of ./top.so' log)" -eq 1 ] || fail "a loop without end: $(cat log)"
runs top.yaml --output l.h5 --resume
alike whole.h5 l.h5 "after a loop without end"

# a file that is written to, and then removed, while a run uses it
cp top.so kept.so
"$CASIMIR" run top.yaml --quiet --output over.h5 >log 2>&1 &
process=$!
await test -s over.h5.checkpoint
cp whole.h5 top.so
rm top.so
ended 0 "a file that is overwritten" $process log
alike whole.h5 over.h5 "a file that is overwritten"
mv kept.so top.so

# what ends by itself says nothing of this
for what in "describe ./top.so" "run top.yaml --dry-run" "run --help" "run none.yaml"; do
  "$CASIMIR" $what >log 2>&1
  ! grep -q 'ended the program' log || fail "$what: $(cat log)"
done
