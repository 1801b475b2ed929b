#!/bin/sh
# What an operator does to a run: signals, time limits, starting it twice, asking for more; and what he is told.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# a fifth of a second of one core; chunks are small, so that there is always one to save
configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
run | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 6000, functionals: [sin2pi] | random: {generator: threefry}
tracks | shaken | trajectory, step: 0.01, steps: 20000, every: 100, paths: 70
spread | shaken | ensemble, step: 0.01, steps: 20, every: 10, paths: 640, observables: [hamiltonian] | random: {generator: threefry}
END

# started RANKS CONFIGURATION: in the background, until a first checkpoint is there
started() {
  rm -f out.h5*
  launcher="$MPIEXEC -n $1"
  [ "$1" -gt 1 ] || launcher='env --default-signal=INT --default-signal=HUP'
  slowly $launcher "$CASIMIR" run "$2" --quiet --set output.checkpoint_every=0.05s
  says 'is saved in'
}

# goes_on WHOLE ARGUMENT ..: what was interrupted ends with the bits of WHOLE
goes_on() {
  whole=$1
  shift
  expect 0 'going on from out.h5.checkpoint' "$@" --resume
  alike "$whole" out.h5 "$*, gone on with"
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

runs run.yaml --output whole.h5
runs tracks.yaml --output tracks-whole.h5

# ---- signals: to the launcher, to one of three ranks, to a run without a launcher, as by Ctrl-C and a terminal that is closed ----
# After TERM Open MPI's launcher has a status of its own and leaves its ranks a second; if that is too short the last
# checkpoint counts.
for asked in USR2-launcher TERM-launcher USR2-rank TERM-rank INT-alone HUP-alone; do
  case $asked in
  *-alone) started 1 run.yaml && kill -"${asked%-*}" $process ;;
  *-launcher) started 3 run.yaml && kill -"${asked%-*}" $process ;;
  *)
    started 3 run.yaml
    children_of $process
    set -- $children
    kill -"${asked%-*}" "$3"
    ;;
  esac
  [ -s out.h5.checkpoint ] && [ ! -e out.h5 ] || fail "$asked left: $(ls out.h5*)"
  case $asked in
  TERM-launcher) # its launcher decides, and the run stays slow, or it could be over before the signal has reached its ranks
    wait $process
    found=$?
    [ $found -eq 1 ] || [ $found -eq 143 ] || fail "$asked: status $found: $(cat messages)"
    ;;
  *)
    rm slow
    ended 75 "$asked"
    [ ! -e out.h5.lock ] || fail "$asked left: $(ls out.h5*)"
    grep -q '^casimir: interrupted; [0-9.]*% of the run is saved in out.h5.checkpoint. .*--resume' messages ||
      fail "$asked: $(cat messages)"
    ;;
  esac
  cp out.h5.checkpoint stale
  goes_on whole.h5 run.yaml
done

# TERM to a script that does as the page says: it hands it on as USR2, and has the status of the run
rm -f out.h5*
sed -n '/^```sh$/,/^```$/p' "$SOURCE_DIR/docs/cluster.md" | sed '/^```/d; s|mpirun|"$MPIEXEC"|; s|casimir run rigid-body.yaml|"$CASIMIR" run run.yaml --quiet --set output.checkpoint_every=0.05s|' >script
grep -q -- '-USR2' script || fail "there is no script in the page: $(cat script)"
slowly sh script
says 'is saved in'
kill -TERM $process
rm slow
ended 75 "TERM to a script"
grep -q 'interrupted; [0-9.]*% of the run is saved in out.h5.checkpoint' messages || fail "TERM to a script: $(cat messages)"
goes_on whole.h5 run.yaml

# USR1: a checkpoint, and on; also where none is asked for by the clock
rm -f out.h5*
slowly "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --quiet
await test -e out.h5.lock
kill -USR1 $process
says 'is saved in out.h5.checkpoint'
rm slow
ended 0 SIGUSR1
[ "$(grep -c 'is saved in' messages)" -eq 1 ] || fail "USR1: $(cat messages)"
alike whole.h5 out.h5 SIGUSR1

# ---- finished ----
unchanged 0 'out.h5 is finished already; nothing was computed' "$CASIMIR" run run.yaml --resume
"$CASIMIR" run run.yaml --resume 2>/dev/null >again; "$CASIMIR" report out.h5 >tables
sed -i 's/^  try: casimir run run.yaml /  try the same with /' again # a file does not know its configuration's name
cmp -s again tables || fail "a finished run reports something else"
cp stale out.h5.checkpoint # as if it had ended before the checkpoint was removed
expect 0 'out.h5 is finished already; nothing was computed' run.yaml --resume
alike whole.h5 out.h5 "a finished run"

# ---- more, fewer, another ----
ends 0 'going on from out.h5, [0-9]*\.[0-9]% of the run: its last [0-9]* paths fill no chunk of [0-9]* and are run again$' "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --quiet --resume --set study.paths=6667
runs run.yaml --set study.paths=6667 --output longer.h5
alike longer.h5 out.h5 "more paths"
runs run.yaml --output body.h5 --set 'system.noise={kind: linear, sigma: 0.1}' --set study.paths=64
each refused 2 <<'END'
out.h5 has 6667 paths already, more than study.paths asks for \(6000\) | run.yaml --resume
out.h5 belongs to a run with another random.seed\. | run.yaml --resume --set random.seed=2
out.h5 belongs to a run with another system.name | tracks.yaml --resume --set 'system={name: manakov, n: 4, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}'
body.h5 belongs to a run with another system.noise.chi, which here is a default or follows from other keys\. | run.yaml --resume --output body.h5 --set 'system.noise={kind: linear, sigma: 0.1}' --set study.paths=64 --set system.noise.sigma=0.2
END
CASIMIR_KERNELS=generic expect 0 'finished already' run.yaml --resume --set study.paths=6667
POSIXLY_CORRECT=1 expect 0 '' run.yaml --resume --set study.paths=6667 # options behind the configuration
if "$CASIMIR" --version | grep -q 'avx'; then
  CASIMIR_KERNELS=generic refused 2 "computed with the kernels 'avx[0-9]*'.*set CASIMIR_KERNELS=avx" run.yaml --resume --set study.paths=8000
fi

# an ensemble too, where whole blocks are done
rm -f out.h5*
runs spread.yaml
ends 0 '' "$MPIEXEC" -n 3 "$CASIMIR" run spread.yaml --quiet --resume --set study.paths=1000
runs spread.yaml --set study.paths=1000 --output longer.h5
alike longer.h5 out.h5 "more paths of an ensemble"

# where records, or a block that is not full, stay as they are there is nothing to add to
for study in tracks.yaml:study.steps=1000:70 spread.yaml:study.bins=9:100; do
  rm -f out.h5*
  paths=${study##*:} study=${study%:*}
  runs "${study%:*}" --set "${study#*:}" --set "study.paths=$paths"
  refused 2 "out.h5 is a finished run of $paths paths, to which none can be added" "${study%:*}" --set "${study#*:}" \
    --resume --set study.paths=$((paths + 100))
done

# a checkpoint as well
started 2 run.yaml
kill -USR2 $process
rm slow
ended 75 "asked to leave"
refused 2 'out.h5.checkpoint belongs to a run of 6000 paths, more than study.paths asks for \(4000\)' run.yaml \
  --resume --set study.paths=4000

# ---- a checkpoint: another run is refused, a new one too; a trajectory goes with its number of paths ----
started 2 tracks.yaml
kill -USR2 $process
rm slow
ended 75 "asked to leave"
[ -s out.h5.tmp ] || fail "the records so far are not kept"
each refused 2 <<'END'
out.h5.checkpoint holds an unfinished run \([0-9.]*% .*--resume, or remove it | tracks.yaml
out.h5.checkpoint belongs to a run with another random.seed | tracks.yaml --resume --set random.seed=2
out.h5.checkpoint belongs to a run with another study.step\. | tracks.yaml --resume --set study.step=0.02
out.h5.checkpoint belongs to a run with another study.kind | run.yaml --resume --set 'system.inertia=[1, 2, 3]' --set 'system.noise={kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}' --set random.generator=sprng_mlfg --set integrator.compensated=true
out.h5.checkpoint belongs to a run with another study.paths, 70 | tracks.yaml --resume --set study.paths=71
END
mv out.h5.tmp kept.tmp
expect 3 'out.h5.tmp: holds the records so far and cannot be opened: No such file.*Remove .*checkpoint' tracks.yaml --resume
head -c 5000 kept.tmp >out.h5.tmp
expect 3 'out.h5.tmp: is shorter than when the checkpoint was written' tracks.yaml --resume
mv kept.tmp out.h5.tmp
goes_on tracks-whole.h5 tracks.yaml

# ---- two runs, one output; the lock of a dead run ----
started 2 run.yaml
children_of $process
held=$children
kill -STOP $held
for again in --quiet --resume; do
  expect 3 "out.h5: another run is writing it \\(process [0-9]* on .*Wait for its end, or choose another output" run.yaml --wait 0.1s $again
  has "waiting for its end, up to 0.1 s"
done
kill -KILL "${held%%[!0-9]*}"
kill -CONT $held 2>/dev/null
rm slow
wait_for $process
[ -e out.h5.lock ] || fail "the lock file is gone"
goes_on whole.h5 run.yaml

# ranks of a job that was killed end some time later: whoever goes on waits for them, and leaves when asked to
started 1 run.yaml
held=$process
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
  ended $right "behind a killed run" $waits waits
done
grep -q 'going on from out.h5.checkpoint' waits || fail "behind a killed run: $(cat waits)"
alike whole.h5 out.h5 "behind a killed run"

# ---- a configuration that one rank alone sees ----
mkdir -p seen unseen && cp run.yaml seen/
ends 0 '' timeout 300 "$MPIEXEC" -n 1 -wdir "$PWD/seen" "$CASIMIR" run run.yaml --quiet --set study.paths=10 : \
  -n 2 -wdir "$PWD/unseen" "$CASIMIR" run run.yaml --quiet --set study.paths=10
ends 2 '' timeout 300 "$MPIEXEC" -n 1 -wdir "$PWD/unseen" "$CASIMIR" run run.yaml --quiet : -n 2 -wdir "$PWD/seen" "$CASIMIR" run run.yaml --quiet
[ "$(grep -c '^casimir' message)" -eq 1 ] || fail "rank 0 has no configuration: $(cat message)"

# ---- what is no time limit, and a launcher that does not match MPI ----
expect 2 'max-walltime: found .soon.' run.yaml --max-walltime soon
expect 2 'max-walltime: found .0.' run.yaml --max-walltime 0
SLURM_NTASKS=4 SLURM_STEP_NUM_TASKS=4 refused 2 'SLURM started 4 tasks, but MPI sees one process.*srun --mpi=pmix' run.yaml --output p.h5

# ---- a task of an array writes where it is told to ----
export CASIMIR_RANKS=2
job=$SOURCE_DIR/jobs/study.sbatch
SLURM_ARRAY_TASK_ID=3 ends 0 '' sh "$job" "$SOURCE_DIR/jobs/rigid-body-strong.yaml" --quiet --set study.paths=64 --output told.h5
h5dump -a seed told.h5 | grep -q '(0): 3' || fail "a task with an --output of its own: another seed"
ends 2 'needs a configuration' sh "$job"
ends 2 'nowhere.yaml' sh "$job" nowhere.yaml
