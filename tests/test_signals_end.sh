#!/bin/sh
# How a run ends whose reader is gone, whose time or memory is limited, and whose libraries do not let it end.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -S, -t and -v
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 6000, functionals: [sin2pi]}
output: {file: out.h5, checkpoint_every: 0}
END
"$CASIMIR" run run.yaml --quiet --output whole.h5 || fail "run.yaml does not run"

# to_nobody ARGUMENT ..: a run whose output nobody reads; its process in `pid`, its status in `status`
to_nobody() {
  rm -f out.h5* pid status
  (
    sh -c 'echo $$ >pid; exec env LD_PRELOAD="$FAULTS" FAULT_CLOCK=0.01 FAULT_SLOW="$PWD/slow" "$CASIMIR" run run.yaml "$@"' \
      to_nobody --set output.checkpoint_every=0.5s "$@"
    echo $? >status
  ) 2>&1 | true
}

# ---- a reader that is gone: the run goes on, and only what it could not say is an error ----
to_nobody
await test -s status
[ "$(cat status)" -eq 3 ] || fail "tables for nobody: status $(cat status)"
(same whole.h5 out.h5 && nothing_left out.h5) || fail "tables for nobody: not the same"
to_nobody --quiet
await test -s status
[ "$(cat status)" -eq 0 ] || fail "nothing for nobody: status $(cat status)"
(same whole.h5 out.h5 && nothing_left out.h5) || fail "nothing for nobody: not the same"
"$CASIMIR" run run.yaml --output full.h5 2>message >/dev/full
found=$?
[ $found -eq 3 ] && grep -q 'casimir: standard output could not be written' message || fail "a full disk: $found $(cat message)"
(same whole.h5 full.h5 && nothing_left full.h5) || fail "a full disk: not the same"

# a stream that is closed is no place for text either, nor is a file that gets its number
"$CASIMIR" run run.yaml --output closed.h5 <&- >&- 2>&-
found=$?
[ $found -eq 3 ] || fail "closed streams: status $found"
(same whole.h5 closed.h5 && nothing_left closed.h5) || fail "closed streams: not the same"
for words in --version --help describe 'run --help' 'build --template scheme' 'report whole.h5' 'run run.yaml --dry-run'; do
  # shellcheck disable=SC2086 # several words
  "$CASIMIR" $words 2>message >/dev/full
  found=$?
  [ $found -eq 3 ] && grep -q 'casimir: standard output could not be written' message || fail "$words on a full disk: status $found"
  # shellcheck disable=SC2086
  "$CASIMIR" $words <&- >&- 2>&-
  found=$?
  [ $found -eq 3 ] || fail "$words with closed streams: status $found"
done

# asked to leave, it saves and says so by its status, as ever
for asked in USR2 TERM INT; do
  touch slow
  to_nobody &
  await test -s out.h5.checkpoint
  kill -$asked "$(cat pid)"
  rm slow
  await test -s status
  # what a shell starts behind & does not hear SIGINT, and ends as if none had come
  case $asked in INT) expected=3 ;; *) expected=75 ;; esac
  [ "$(cat status)" -eq $expected ] || fail "$asked, and nobody reads: status $(cat status)"
  [ ! -e out.h5.lock ] || fail "$asked, and nobody reads: the lock is left"
  expect 0 '' run.yaml --resume --quiet
  (same whole.h5 out.h5 && nothing_left out.h5) || fail "$asked, and nobody reads: not the same"
done

# ---- asked to leave before anything is computed: while a configuration comes through a pipe, and in checks ----
mkfifo pipe
exec 3<>pipe
# early COMMAND ..: one that reads `pipe`, into which nobody writes, ends so
early() {
  "$@" 2>message 3>&- &
  process=$!
  await sh -c "ls -l /proc/$process/exe | grep -q casimir$ && ls -l /proc/$process/fd | grep -q '/pipe$'"
  kill -"$asked" $process
  wait $process
  found=$?
  [ $found -eq 75 ] || fail "$asked before the first path, $*: status $found, must be 75: $(cat message)"
  [ "$(grep -c 'casimir: interrupted; there was nothing to save' message)" -eq 1 ] || fail "$asked before the first path: $(cat message)"
}
rm -f out.h5*
for asked in USR2 TERM HUP ALRM; do
  early "$CASIMIR" run pipe --quiet --output early.h5
done
early "$CASIMIR" run pipe --dry-run --output early.h5
early "$CASIMIR" sweep pipe --set random.seed=1,2 --output early
exec 3>&-
ls early* 2>/dev/null && fail "what was not begun left files"

# ---- limits of processor time: of the shell, and by signals ----
set -- --set study.coarsest_steps=39 --set study.paths=25000 # some seconds
rm -f out.h5*
"$CASIMIR" run run.yaml --quiet --output long.h5 "$@" || fail "the long run does not run"
(ulimit -t 2 && "$CASIMIR" run run.yaml --quiet "$@" 2>message)
[ $? -eq 75 ] || fail "a limit of processor time that comes without a warning: $(cat message)"
loops=0
while (ulimit -S -t 1 && "$CASIMIR" run run.yaml --quiet --resume "$@" 2>message); [ $? -eq 75 ]; do
  loops=$((loops + 1))
  grep -q 'casimir: interrupted; .*is saved in out.h5.checkpoint' message || fail "ulimit -t: $(cat message)"
  [ $loops -lt 100 ] || { fail "ulimit -t makes no progress: $(cat message)"; break; }
done
[ $loops -ge 1 ] || fail "ulimit -t did not interrupt: $(cat message)"
(same long.h5 out.h5 && nothing_left out.h5) || fail "not the same after $loops limits of processor time"

# ---- one thread and all processors, whatever the environment says ----
# as_started THREADS: what the kernel says of a run
as_started() {
  rm -f out.h5* pid status
  touch slow
  OPENBLAS_NUM_THREADS=$1 to_nobody --quiet &
  await test -s out.h5.checkpoint
  grep -E '^(Threads|Cpus_allowed_list):' "/proc/$(cat pid)/status" >"started-$1"
  kill -TERM "$(cat pid)"
  rm slow
  await test -s status
}
as_started 1
as_started 8
cmp -s started-1 started-8 || fail "OPENBLAS_NUM_THREADS=8: $(cat started-8), with 1: $(cat started-1)"
grep -qxF "$(grep '^Cpus_allowed_list:' /proc/self/status)" started-8 || fail "processors: $(cat started-8)"

# ---- little memory: an end, whatever it is ----
memory=64
while [ $memory -le 400 ]; do
  for command in --version 'run run.yaml --quiet --only-path 0'; do
    # shellcheck disable=SC2086 # words
    (ulimit -v $((memory * 1024)) && unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS && exec timeout -k 1 600 "$CASIMIR" $command >stdout 2>message)
    case $? in 124 | 137) fail "$memory MB: casimir $command does not end: $(cat stdout message)" ;; esac
  done
  memory=$((memory + 16))
done

# ---- a library that does not let the program end ----
timeout -k 1 600 env LD_PRELOAD="$FAULTS" FAULT_END=yes "$CASIMIR" --version >stdout
found=$?
[ $found -eq 0 ] && grep -q '^kernels' stdout || fail "a destructor that never returns: $found"
timeout -k 1 600 env LD_PRELOAD="$FAULTS" FAULT_END=yes "$CASIMIR" run run.yaml --set study.paths=-1 2>message
found=$?
[ $found -eq 2 ] || fail "a destructor that never returns: $found, must be 2: $(cat message)"

[ $failures -eq 0 ]
