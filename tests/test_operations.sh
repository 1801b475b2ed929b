#!/bin/sh
# What an operator does to a run: signals, time limits, starting it twice, asking for more; and what he is told. A run that
# has to be met on its way is slow until it was.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

# a fifth of a second of one core; chunks are small, so that there is always one to save
cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 6000, functionals: [sin2pi]}
output: {file: out.h5, checkpoint_every: 0}
END
cat >tracks.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: trajectory, step: 0.01, steps: 20000, every: 100, paths: 70}
output: {file: out.h5}
END
cat >spread.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
random: {generator: threefry}
study: {kind: ensemble, step: 0.01, steps: 20, every: 10, paths: 640, observables: [hamiltonian]}
output: {file: out.h5}
END

# says PATTERN: waits until the run in the background has said it
says() {
  await grep -qE -e "$1" messages || cat messages >&2
}

# slowly RANKS CONFIGURATION ARGUMENT ..: in the background
slowly() {
  ranks=$1
  shift
  rm -f messages
  touch slow
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$@" --quiet 2>messages &
  launcher=$!
}

# started RANKS CONFIGURATION ARGUMENT ..: in the background, until a first checkpoint is there
started() {
  slowly "$@" --set output.checkpoint_every=0.05s
  says 'is saved in'
}

# ended STATUS [STATUS]: how the run in the background ended. Where two are right, its launcher decides: the run stays slow,
# or it could be over before a signal to the launcher has reached its ranks.
ended() {
  [ $# -eq 2 ] || rm slow
  wait $launcher
  found=$?
  rm -f slow
  [ $found -eq "$1" ] || [ $found -eq "${2:-$1}" ] || fail "the run in the background ended with $found, must be $1: $(cat messages)"
}

rank_pids() {
  children_of $launcher
  echo "$children" | tr " " "\n"
}

# programs that know nothing of each other start and end beside each other, again and again
starts=15
! thorough || starts=50
beside() {
  for i in $(seq $starts); do
    "$CASIMIR" run run.yaml --only-path 0 >"beside.$1" 2>&1 || { echo "$i: $(cat "beside.$1")" >"failed.$1"; return; }
  done
}
for i in 1 2 3 4; do beside $i & done
wait
for i in 1 2 3 4; do [ ! -e failed.$i ] || fail "one of four programs: $(cat failed.$i)"; done

"$CASIMIR" run run.yaml --quiet --output whole.h5 || fail "run.yaml does not run"
"$CASIMIR" run tracks.yaml --quiet --output tracks-whole.h5 || fail "tracks.yaml does not run"

# ---- signals ----
# USR2 and TERM to the launcher or to a single rank: checkpoint, 75; gone on with, the same bits. After TERM Open MPI's
# launcher has a status of its own and leaves its ranks a second; if that is too short the last checkpoint counts.
for asked in USR2-launcher TERM-launcher USR2-rank TERM-rank; do
  rm -f out.h5*
  started 3 run.yaml
  case $asked in
  *-launcher) kill -"${asked%-*}" $launcher ;;
  *) kill -"${asked%-*}" "$(rank_pids | tail -n 1)" ;;
  esac
  [ -s out.h5.checkpoint ] && [ ! -e out.h5 ] || fail "$asked left: $(ls out.h5*)"
  case $asked in
  TERM-launcher) ended 1 143 ;;
  *)
    ended 75
    [ ! -e out.h5.lock ] || fail "$asked left: $(ls out.h5*)"
    grep -q '^casimir: interrupted; [0-9.]*% of the run is saved in out.h5.checkpoint. .*--resume' messages ||
      fail "$asked: $(cat messages)"
    ;;
  esac
  cp out.h5.checkpoint stale
  "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --quiet --resume 2>message || fail "--resume after $asked: $(cat message)"
  grep -q 'going on from out.h5.checkpoint' message || fail "--resume after $asked says: $(cat message)"
  (same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after $asked"
done

# TERM to a script that does as the page says: it hands it on as USR2, and has the status of the run
rm -f out.h5*
sed -n '/^```sh$/,/^```$/p' "$SOURCE_DIR/docs/cluster.md" | sed '/^```/d; s|mpirun|"$MPIEXEC"|; s|casimir run rigid-body.yaml|"$CASIMIR" run run.yaml --quiet --set output.checkpoint_every=0.05s|' >script
grep -q -- '-USR2' script || fail "there is no script in the page: $(cat script)"
rm -f messages
touch slow
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow CASIMIR=$CASIMIR MPIEXEC=$MPIEXEC sh script 2>messages &
launcher=$!
says 'is saved in'
kill -TERM $launcher
ended 75
grep -q 'interrupted; [0-9.]*% of the run is saved in out.h5.checkpoint' messages || fail "TERM to a script: $(cat messages)"
"$CASIMIR" run run.yaml --quiet --resume 2>message || fail "--resume after TERM to a script: $(cat message)"
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after TERM to a script"

# USR1: a checkpoint, and on; also where none is asked for by the clock
rm -f out.h5* messages
slowly 2 run.yaml
await test -e out.h5.lock
kill -USR1 $launcher
says 'is saved in out.h5.checkpoint'
ended 0
[ "$(grep -c 'is saved in' messages)" -eq 1 ] || fail "USR1: $(cat messages)"
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after SIGUSR1"

# ---- finished ----
before=$(stat -c '%Y %y %s %i' out.h5; cksum <out.h5)
expect 0 'out.h5 is finished already; nothing was computed' run.yaml --resume
[ "$before" = "$(stat -c '%Y %y %s %i' out.h5; cksum <out.h5)" ] || fail "a finished run changed its file"
(nothing_left out.h5) || fail "a finished run leaves files"
"$CASIMIR" run run.yaml --resume 2>/dev/null >again; "$CASIMIR" report out.h5 >tables
sed -i 's/^  try: casimir run run.yaml /  try the same with /' again # a file does not know its configuration's name
cmp -s again tables || fail "a finished run reports something else"
cp stale out.h5.checkpoint # as if it had ended before the checkpoint was removed
expect 0 'out.h5 is finished already; nothing was computed' run.yaml --resume
(nothing_left out.h5) || fail "a finished run leaves its checkpoint"

# ---- more, fewer, another ----
"$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --quiet --resume --set study.paths=6667 2>message || fail "more paths: $(cat message)"
grep -q 'going on from out.h5, [0-9]*\.[0-9]% of the run' message || fail "more paths: $(cat message)"
"$CASIMIR" run run.yaml --quiet --set study.paths=6667 --output longer.h5
(same longer.h5 out.h5 && nothing_left out.h5) || fail "more paths differ from one longer run"
expect 2 'out.h5 has 6667 paths already, more than study.paths asks for \(6000\)' run.yaml --resume
expect 2 'out.h5 belongs to a run with another random.seed\.' run.yaml --resume --set random.seed=2
expect 2 'out.h5 belongs to a run with another system.name' tracks.yaml --resume --set 'system={name: manakov, n: 4, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}'
set -- run.yaml --output body.h5 --set 'system.noise={kind: linear, sigma: 0.1}' --set study.paths=64
"$CASIMIR" run "$@" --quiet
expect 2 'body.h5 belongs to a run with another system.noise.chi, which here is a default or follows from other keys\.' \
  "$@" --resume --set system.noise.sigma=0.2
cmp -s longer.h5 out.h5 && fail "the file was replaced"
(same longer.h5 out.h5) || fail "a refused run changed the file"
CASIMIR_KERNELS=generic expect 0 'finished already' run.yaml --resume --set study.paths=6667
(POSIXLY_CORRECT=1 exec "$CASIMIR" run run.yaml --resume --set study.paths=6667) >message 2>&1 || fail "options behind the configuration: $(cat message)"
if "$CASIMIR" --version | grep -q 'avx'; then
  CASIMIR_KERNELS=generic expect 2 "computed with the kernels 'avx[0-9]*'.*set CASIMIR_KERNELS=avx" run.yaml --resume --set study.paths=8000
fi

# an ensemble too, where whole blocks are done
rm -f out.h5*
"$CASIMIR" run spread.yaml --quiet && "$MPIEXEC" -n 3 "$CASIMIR" run spread.yaml --quiet --resume --set study.paths=1000 2>message ||
  fail "more paths of an ensemble: $(cat message)"
"$CASIMIR" run spread.yaml --quiet --set study.paths=1000 --output longer.h5
(same longer.h5 out.h5) || fail "more paths of an ensemble differ from one longer run"

# where records, or a block that is not full, stay as they are there is nothing to add to
for study in tracks.yaml:study.steps=1000:70 spread.yaml:study.bins=9:100; do
  rm -f out.h5*
  set -- "${study%%:*}" --set "$(echo "$study" | cut -d: -f2)"
  paths=${study##*:}
  "$CASIMIR" run "$@" --quiet --set "study.paths=$paths" || fail "$study does not run"
  before=$(cksum <out.h5)
  expect 2 "out.h5 is a finished run of $paths paths, to which none can be added" "$@" --resume --set study.paths=$((paths + 100))
  [ "$before" = "$(cksum <out.h5)" ] || fail "$study: a refused run changed its file"
done

# a checkpoint as well
rm -f out.h5*
started 2 run.yaml
kill -USR2 $launcher
ended 75
expect 2 'out.h5.checkpoint belongs to a run of 6000 paths, more than study.paths asks for \(4000\)' run.yaml --resume --set study.paths=4000

# ---- a checkpoint: another run is refused, a new one too; a trajectory goes with its number of paths ----
rm -f out.h5*
started 2 tracks.yaml
kill -USR2 $launcher
ended 75
[ -s out.h5.tmp ] || fail "the records so far are not kept"
cksum out.h5.checkpoint out.h5.tmp >before
expect 2 'out.h5.checkpoint holds an unfinished run \([0-9.]*% .*--resume, or remove it' tracks.yaml
expect 2 'out.h5.checkpoint belongs to a run with another random.seed' tracks.yaml --resume --set random.seed=2
expect 2 'out.h5.checkpoint belongs to a run with another study.step\.' tracks.yaml --resume --set study.step=0.02
expect 2 'out.h5.checkpoint belongs to a run with another study.kind' run.yaml --resume --set 'system.inertia=[1, 2, 3]' \
  --set 'system.noise={kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}' --set random.generator=sprng_mlfg --set integrator.compensated=true
expect 2 'out.h5.checkpoint belongs to a run with another study.paths, 70' tracks.yaml --resume --set study.paths=71
cksum out.h5.checkpoint out.h5.tmp | cmp -s - before || fail "a refused run changed the checkpoint"
cp out.h5.tmp kept.tmp
rm out.h5.tmp
expect 3 'out.h5.tmp: holds the records so far and cannot be opened: No such file.*Remove .*checkpoint' tracks.yaml --resume
truncate -s 5000 out.h5.tmp
expect 3 'out.h5.tmp: is shorter than when the checkpoint was written' tracks.yaml --resume
cp kept.tmp out.h5.tmp
expect 0 'going on from out.h5.checkpoint' tracks.yaml --resume
(same tracks-whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after what was refused"

# ---- two runs, one output; the lock of a dead run ----
rm -f out.h5*
started 2 run.yaml
held=$(rank_pids)
# shellcheck disable=SC2086 # a list of words
kill -STOP $held
for again in '' --resume; do
  # shellcheck disable=SC2086 # none or one word
  expect 3 "out.h5: another run is writing it \\(process [0-9]* on .*Wait for its end, or choose another output" run.yaml --wait 0.1s $again
  grep -q "waiting for its end, up to 0.1 s" message || fail "says nothing of a wait: $(cat message)"
done
kill -KILL "${held%%[!0-9]*}"
# shellcheck disable=SC2086
kill -CONT $held 2>/dev/null
rm slow
wait_for $launcher
[ -e out.h5.lock ] || fail "the lock file is gone"
expect 0 'going on from out.h5.checkpoint' run.yaml --resume
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after a killed rank"

# ranks of a job that was killed end some time later: whoever goes on waits for them, and leaves when asked to
rm -f out.h5* messages
touch slow
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$CASIMIR" run run.yaml --quiet --set output.checkpoint_every=0.05s 2>messages &
held=$!
says 'is saved in'
kill -STOP $held
rm slow
for asked in leave wait; do
  rm -f waits
  "$CASIMIR" run run.yaml --resume --quiet >waits 2>&1 &
  waits=$!
  await grep -q 'out.h5: another run is writing it .*: waiting for its end, up to 30 s' waits
  right=75
  if [ $asked = leave ]; then
    kill -TERM $waits
  else
    right=0 && kill -KILL $held
  fi
  wait $waits
  found=$?
  [ $found -eq $right ] || fail "behind a killed run: status $found, must be $right: $(cat waits)"
done
grep -q 'going on from out.h5.checkpoint' waits || fail "behind a killed run: $(cat waits)"
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same behind a killed run"

# ---- a configuration that one rank alone sees ----
mkdir -p seen unseen && cp run.yaml seen/
for first in seen unseen; do
  second=seen
  [ $first = unseen ] || second=unseen
  timeout 300 "$MPIEXEC" -n 1 -wdir "$PWD/$first" "$CASIMIR" run run.yaml --quiet --set study.paths=10 : \
    -n 2 -wdir "$PWD/$second" "$CASIMIR" run run.yaml --quiet --set study.paths=10 2>message
  found=$?
  case $first in
  seen) [ $found -eq 0 ] || fail "rank 0 has the configuration: $(cat message)" ;;
  *) [ $found -eq 2 ] && [ "$(grep -c '^casimir' message)" -eq 1 ] || fail "rank 0 has no configuration: $found $(cat message)" ;;
  esac
done

# ---- the time limit ----
expect 2 'max-walltime: found .soon.' run.yaml --max-walltime soon
expect 2 'max-walltime: found .0.' run.yaml --max-walltime 0
rm -f out.h5*
loops=0
while LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --quiet --resume --max-walltime 1 \
  2>message; [ $? -eq 75 ]; do
  loops=$((loops + 1))
  [ $loops -lt 60 ] || { fail "--max-walltime makes no progress: $(cat message)"; break; }
done
[ $loops -ge 2 ] || fail "only $loops time limits: $(cat message)"
(same whole.h5 out.h5) || fail "not the same after $loops time limits"

# ---- a launcher that does not match MPI ----
SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 expect 2 'SLURM started 4 tasks, but MPI sees one process.*srun --mpi=pmix' run.yaml --output p.h5
[ ! -e p.h5 ] || fail "a launcher that does not match: wrote a file"

# ---- unbound ranks, with threads that OpenBLAS would like to use ----
OPENBLAS_NUM_THREADS=8 "$MPIEXEC" --bind-to none -n 2 "$CASIMIR" run run.yaml --quiet --output threads.h5
(same whole.h5 threads.h5) || fail "not the same without binding"

# ---- a task of an array writes where it is told to ----
env -u SLURM_JOB_ID SLURM_ARRAY_TASK_ID=3 CASIMIR_RANKS=2 sh "$SOURCE_DIR/jobs/study.sbatch" \
  "$SOURCE_DIR/jobs/rigid-body-strong.yaml" --quiet \
  --set study.paths=64 --output told.h5 >message 2>&1 || fail "a task with an --output: $(cat message)"
h5dump -a seed told.h5 | grep -q '(0): 3' || fail "a task with an --output of its own: another seed"
expect_script() { # STATUS MESSAGE ARGUMENTS ..: of the batch script
  wanted=$1 text=$2
  shift 2
  sh "$SOURCE_DIR/jobs/study.sbatch" "$@" >message 2>&1
  [ $? -eq "$wanted" ] && grep -q "$text" message || fail "study.sbatch $*: $(cat message)"
}
expect_script 2 'needs a configuration'
expect_script 2 'nowhere.yaml' nowhere.yaml

[ $failures -eq 0 ]
