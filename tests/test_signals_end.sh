#!/bin/sh
# How a run ends whose reader is gone, whose time or memory is limited, and whose libraries do not let it end.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -S, -t and -v
. "$SOURCE_DIR/tests/checks.sh"

echo 'run | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 6000, functionals: [sin2pi] | random: {generator: threefry}' | configurations 'output: {file: out.h5, checkpoint_every: 0}'
runs run.yaml --output whole.h5

# to_nobody ARGUMENT ..: a run whose output nobody reads; its process in `pid`, its status in `status`
to_nobody() {
  rm -f out.h5* pid status
  (
    sh -c 'echo $$ >pid; exec env LD_PRELOAD="$FAULTS" FAULT_CLOCK=0.01 FAULT_SLOW="$PWD/slow" "$CASIMIR" run run.yaml "$@"' \
      to_nobody --set output.checkpoint_every=0.5s "$@"
    echo $? >status
  ) 2>&1 | true
}

# had STATUS WHAT: what nobody reads has ended so
had() {
  await test -s status
  [ "$(cat status)" -eq "$1" ] || fail "$2: status $(cat status), must be $1"
}

# ---- a reader that is gone: the run goes on, and only what it could not say is an error ----
to_nobody
had 3 "tables for nobody"
alike whole.h5 out.h5 "tables for nobody"
to_nobody --quiet
had 0 "nothing for nobody"
alike whole.h5 out.h5 "nothing for nobody"

# a full disk; a stream that is closed is no place for text either, nor is a file that gets its number
for words in 'run run.yaml --output unread.h5' --version --help describe 'run --help' 'build --template scheme' 'report whole.h5' 'run run.yaml --dry-run'; do
  ends 3 'casimir: standard output could not be written' sh -c "exec \"\$CASIMIR\" $words >/dev/full"
  ends 3 '' sh -c "exec \"\$CASIMIR\" $words <&- >&- 2>&-"
  case $words in *--output*) alike whole.h5 unread.h5 "$words" ;; esac
done

# asked to leave, it saves and says so by its status, as ever; what a shell starts behind & does not hear SIGINT
for asked in USR2:75 INT:3; do
  touch slow
  to_nobody &
  await test -s out.h5.checkpoint
  kill -"${asked%:*}" "$(cat pid)"
  rm slow
  had "${asked#*:}" "$asked, and nobody reads"
  [ ! -e out.h5.lock ] || fail "$asked, and nobody reads: the lock is left"
  runs run.yaml --resume
  alike whole.h5 out.h5 "$asked, and nobody reads"
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
  ended 75 "$asked before the first path, $*" $process message
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
runs run.yaml --output long.h5 "$@"
(ulimit -t 2 && "$CASIMIR" run run.yaml --quiet "$@" 2>message)
[ $? -eq 75 ] || fail "a limit of processor time that comes without a warning: $(cat message)"
loops=0
while (ulimit -S -t 1 && "$CASIMIR" run run.yaml --quiet --resume "$@" 2>message); [ $? -eq 75 ]; do
  loops=$((loops + 1))
  has 'casimir: interrupted; .*is saved in out.h5.checkpoint'
  [ $loops -lt 100 ] || { fail "ulimit -t makes no progress: $(cat message)"; break; }
done
[ $loops -ge 1 ] || fail "ulimit -t did not interrupt: $(cat message)"
alike long.h5 out.h5 "$loops limits of processor time"

# ---- one thread and all processors, whatever the environment says ----
for threads in 1 8; do
  rm -f out.h5*
  touch slow
  OPENBLAS_NUM_THREADS=$threads to_nobody --quiet &
  await test -s out.h5.checkpoint
  grep -E '^(Threads|Cpus_allowed_list):' "/proc/$(cat pid)/status" >"started-$threads"
  kill -TERM "$(cat pid)"
  rm slow
  had 75 "$threads threads"
done
cmp -s started-1 started-8 || fail "OPENBLAS_NUM_THREADS=8: $(cat started-8), with 1: $(cat started-1)"
grep -qxF "$(grep '^Cpus_allowed_list:' /proc/self/status)" started-8 || fail "processors: $(cat started-8)"

# ---- little memory: an end, whatever it is ----
memory=64
while [ $memory -le 400 ]; do
  for command in --version 'run run.yaml --quiet --only-path 0'; do
    (ulimit -v $((memory * 1024)) && unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS && exec timeout -k 1 600 "$CASIMIR" $command >stdout 2>message)
    case $? in 124 | 137) fail "$memory MB: casimir $command does not end: $(cat stdout message)" ;; esac
  done
  memory=$((memory + 16))
done

# ---- a library that does not let the program end ----
ends 0 '^kernels' timeout -k 1 600 env LD_PRELOAD="$FAULTS" FAULT_END=yes "$CASIMIR" --version
ends 2 '' timeout -k 1 600 env LD_PRELOAD="$FAULTS" FAULT_END=yes "$CASIMIR" run run.yaml --set study.paths=-1
