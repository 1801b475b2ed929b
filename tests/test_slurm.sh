#!/bin/sh
# The batch script jobs/study.sbatch under a SLURM of this test's own, on this machine: preempted, requeued, out of time, in arrays and
# chains, by srun and by mpirun, the results are those of a run that nobody disturbed.
# CASIMIR_TIME_LIMIT=yes: wait for a real time limit too, which takes two minutes more.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
daemons=
scratch=$PWD
cores=$(unset OMP_NUM_THREADS && nproc)
host=$(hostname -s)
PATH=$PATH:/usr/sbin:/sbin

for program in munged slurmctld slurmd sbatch srun; do
  command -v $program >/dev/null || { echo "no $program: SLURM was not tested (Debian: slurm-wlm munge)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "not root: SLURM was not tested"; exit 77; }

# ---- daemons: ours, by their process numbers, on ports that nobody else listens on ----
# daemon NAME COMMAND ..
daemon() {
  log=$1.log
  shift
  "$@" >"$log" 2>&1 &
  daemons="$! $daemons"
  # shellcheck disable=SC2034 # await looks at it
  watched=$daemons
}

# comes COMMAND ..: what the daemons do at their start; a kernel that does not give them control groups is no failure
comes() {
  (await "$@") && return
  tail -n 20 munged.log slurmctld.log slurmd.log 2>/dev/null
  missing=$(grep -hi 'cgroup' slurmctld.log slurmd.log 2>/dev/null | head -n 1)
  [ -z "$missing" ] || { echo "SLURM was not tested, as its daemons do not start here: $missing"; exit 77; }
  echo "SLURM does not start" >&2
  exit 1
}

# the last that was started is the first to go; munged is needed by the others to the end
at_end() {
  for pid in $daemons; do
    kill "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
  done
  rm -rf "${daemon_dir:-}"
}
trap 'exit 1' INT TERM HUP

# a port is free if the kernel knows no socket with it
free_port() {
  port=$1
  while cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qi ":$(printf %04X "$port") "; do port=$((port + 1)); done
  echo "$port"
}

# the socket's path has to be short, and its directory closed to others' writes
daemon_dir=$(mktemp -d /tmp/casimir-slurm.XXXXXX) || exit 1
chmod 755 "$daemon_dir"
mkdir "$daemon_dir/state" "$daemon_dir/spool"
head -c 128 /dev/urandom >"$daemon_dir/key" && chmod 600 "$daemon_dir/key"
control_port=$(free_port 26817)
node_port=$(free_port $((control_port + 1)))
cat >slurm.conf <<END
ClusterName=casimir
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$daemon_dir/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$daemon_dir/state
SlurmdSpoolDir=$daemon_dir/spool
SlurmctldPidFile=$daemon_dir/slurmctld.pid
SlurmdPidFile=$daemon_dir/slurmd.pid
SlurmctldPort=$control_port
SlurmdPort=$node_port
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=0
ReturnToService=2
MpiDefault=none
KillWait=60
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE OverSubscribe=FORCE:4 State=UP
PartitionName=patient Nodes=$host MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=expendable Nodes=$host MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=CANCEL
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=9
END
export SLURM_CONF="$scratch/slurm.conf"
daemon munged munged --foreground --force --socket="$daemon_dir/munge.socket" --key-file="$daemon_dir/key" \
  --pid-file="$daemon_dir/munged.pid" --log-file="$daemon_dir/munged.log" --seed-file="$daemon_dir/munged.seed"
comes test -S "$daemon_dir/munge.socket"
daemon slurmctld slurmctld -D
daemon slurmd slurmd -D
node_is_idle() { [ "$(sinfo -h -o %t)" = idle ]; }
comes node_is_idle

# ---- the weak study, small ----
ranks=2
[ "$cores" -ge 2 ] || ranks=1
set_small="--set study.paths=1500 --set study.levels=4 --set random.generator=threefry --set output.checkpoint_every=0.1s"

# a job that has to be met on its way has a clock that goes by looks, and is slow until it was met
export FAULT_SLOW="$scratch/slow" FAULT_CLOCK=0.01

# submit NAME SBATCH-OPTIONS -- ARGUMENTS: prints the job's number
submit() {
  name=$1 options=
  shift
  while [ "$1" != -- ]; do options="$options $1"; shift; done
  shift
  (cd "$SOURCE_DIR" && sbatch --parsable --chdir="$scratch" --ntasks=$ranks --open-mode=append --output="$scratch/$name.out" \
    $options jobs/study.sbatch jobs/rigid-body-weak.yaml $set_small "$@")
}

state() { scontrol show job "$1" -o | sed -n '1s/.*JobState=\([A-Z_]*\).*/\1/p'; }
has_ended() { case $(state "$1") in COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL) ;; *) return 1 ;; esac; }
has_settled() { is_pending "$1" || has_ended "$1"; }
is_pending() { [ "$(state "$1")" = PENDING ]; }
has_saved() { grep -q "is saved in ${2:-}" "$1.out"; }

# SLURM lets a requeued job rest for two minutes: slurmd knows a credential by its second, and takes one that was made in
# the second in which the job was ended, or before, for the one that was withdrawn
hurry() {
  sleep 2
  scontrol update jobid="$1" StartTime=now
}

# ended NAME JOB: it completed, and its results are those of the undisturbed run
ended() {
  await has_ended "$2" || fail "$1: job $2 does not end: $(scontrol show job "$2") $(cat "$1.out")"
  [ "$(state "$2")" = COMPLETED ] || fail "$1: $(state "$2"): $(cat "$1.out")"
  alike undisturbed.h5 "$1.h5"
}

# met NAME SBATCH-OPTIONS -- ARGUMENTS: a job that has saved what it did, and goes on slowly; its number is in `job`
met() {
  touch slow
  name=$1
  job=$(LD_PRELOAD=$FAULTS submit "$@" --output "$name.h5")
  await has_saved "$name" || fail "$name: $(cat "$name.out")"
}

# comes_back NAME: what was met is in the queue again, and ends with the results of the undisturbed run
comes_back() {
  await is_pending "$job" || fail "$1: $(state "$job"): $(cat "$1.out")"
  rm slow
  [ ! -e "$1.h5" ] || fail "$1: it had ended before"
  hurry "$job"
  ended "$1" "$job"
  grep -q "going on from $1.h5.checkpoint" "$1.out" || fail "$1: began anew: $(cat "$1.out")"
}

# from a folder that has no jobs/, as of an installed casimir: the script finds what it needs beside its original
job=$(sbatch --parsable --ntasks=$ranks --output=undisturbed.out "$SOURCE_DIR/jobs/study.sbatch" \
  "$SOURCE_DIR/jobs/rigid-body-weak.yaml" $set_small --output undisturbed.h5) || fail "sbatch"
ended undisturbed "$job"

# asked NAME COMMAND ..: a job that was met, and is then asked by this command to leave, comes back
asked() {
  asked_name=$1
  shift
  met "$asked_name" --
  "$@" "$job"
  comes_back "$asked_name"
}
# preempted: SLURM ends the job and puts it back into the queue. Warned: the batch script alone gets SIGUSR2, and requeues itself,
# with mpirun instead of srun. Asked by a signal to the tasks alone, which the script does not hear of
asked requeued scontrol requeue
CASIMIR_LAUNCH="mpiexec -n $ranks" asked warned scancel --batch --signal=USR2
grep -q 'casimir: interrupted; .*is saved in warned.h5.checkpoint' warned.out || fail "warned: $(cat warned.out)"
for wish in USR2 TERM; do asked asked-$wish scancel --signal=$wish; done

# cancelled: saved, and it stays away, by srun and by mpirun; submitted again, it goes on
for launcher in '' "mpiexec -n $ranks"; do
  rm -f cancelled.h5* cancelled.out
  CASIMIR_LAUNCH=$launcher met cancelled --
  scancel "$job"
  await has_ended "$job" || fail "cancelled, started by '$launcher': $(state "$job"): $(cat cancelled.out)"
  rm slow
  sleep 2
  scontrol show job "$job" -o | grep -q 'JobState=CANCELLED .*Restarts=0 ' || fail "cancelled: $(scontrol show job "$job")"
  grep -q 'back into the queue (' cancelled.out && fail "cancelled, and put back: $(cat cancelled.out)"
  [ -n "$launcher" ] || grep -q 'cancelled, not put back into the queue' cancelled.out || fail "cancelled: $(cat cancelled.out)"
  job=$(submit cancelled -- --output cancelled.h5)
  ended cancelled "$job"
  grep -q 'going on from cancelled.h5.checkpoint' cancelled.out || fail "cancelled: began anew: $(cat cancelled.out)"
done

# a job that may not wait takes the place of one that may: that comes back, by SLURM or, where preempted jobs end, by itself
for partition in patient expendable; do
  met $partition --partition=$partition --
  urgent=$(sbatch --parsable --partition=urgent --exclusive --output=/dev/null --wrap 'sleep 1')
  await is_pending "$job" || fail "preempted, $partition: $(state "$job"): $(cat $partition.out)"
  await has_ended "$urgent" || fail "preempted, $partition: the other job does not end"
  comes_back $partition
done

# a chain: the second does what the first has left, the third finds nothing to do
first=$(LD_PRELOAD=$FAULTS submit chain -- --output chain.h5 --max-walltime 0.5)
second=$(submit chain "--dependency=afterany:$first" -- --output chain.h5)
third=$(submit chain "--dependency=afterany:$second" -- --output chain.h5)
await is_pending "$first" || fail "chain: $(state "$first"): $(cat chain.out)"
scancel "$first"
ended chain "$second"
ended chain "$third"
grep -q 'chain.h5 is finished already; nothing was computed' chain.out || fail "chain: $(cat chain.out)"

# an array: a seed and a file for each task
job=$(submit array --array=1,3 -- --set study.paths=2000)
await test -s rigid-body-weak-3.h5 && await test -s rigid-body-weak-1.h5 || fail "array: $(cat array.out)"
for seed in 1 3; do
  runs "$SOURCE_DIR/jobs/rigid-body-weak.yaml" $set_small --set study.paths=2000 --set random.seed=$seed --output alone-$seed.h5
  alike alone-$seed.h5 rigid-body-weak-$seed.h5 array
done

# a sweep, a point a task; a last one finds them done, and has the table
echo 'sweep | quadratic | strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 2, reference: 4, paths: 100 | sweep: {zip: true, set: ["system.noise.sigma=0.1,0.2,0.3", "random.seed=1,2,3"]}' | configurations 'random: {generator: threefry}'
command='"$CASIMIR" sweep sweep.yaml --resume --output sigma.h5'
sbatch --parsable --array=1-3 --output=sweep-%a.out --wrap "$command --point \$SLURM_ARRAY_TASK_ID" >job || fail "sbatch"
for i in 1 2 3; do
  await has_ended "$(cat job)_$i" || fail "sweep: $(state "$(cat job)_$i"): $(cat sweep-$i.out)"
  grep -q "point $i of 3: system.noise.sigma=0.$i random.seed=$i: done in " sweep-$i.out || fail "sweep: $(cat sweep-$i.out)"
done
sh -c "$command" >table 2>messages || fail "sweep: $(cat messages)"
[ "$(grep -c 'was done before' messages)" -eq 3 ] && [ "$(grep -c 'strong/error order' table)" -eq 3 ] || fail "sweep: $(cat messages table)"

# of an array, a task goes back into the queue alone, also the last one, whose number is that of the array
job=$(LD_PRELOAD=$FAULTS submit tasks --array=11,12%1 --)
scontrol hold "${job}_12"
await has_ended "${job}_11" || fail "tasks: $(state "${job}_11"): $(cat tasks.out)"
touch slow
scontrol release "${job}_12"
await has_saved tasks rigid-body-weak-12 || fail "tasks: $(cat tasks.out)"
scancel --batch --signal=USR2 "${job}_12"
await is_pending "${job}_12" || fail "tasks: $(state "${job}_12"): $(cat tasks.out)"
rm slow
[ "$(state "${job}_11")" = COMPLETED ] || fail "tasks: the first is $(state "${job}_11") again"
scancel "${job}_12"

# what is wrong ends the job, and is not tried again
job=$(submit wrong -- --output nowhere/wrong.h5)
await has_ended "$job" || fail "wrong: does not end"
scontrol show job "$job" | grep -q 'JobState=FAILED.*' && scontrol show job "$job" | grep -q 'Restarts=0.*ExitCode=3:0' ||
  fail "wrong: $(scontrol show job "$job")"

# processes that do not know of each other do not write one file, whether MPI sees it or casimir
srun --mpi=none -n 2 --overcommit "$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-weak.yaml" --output alone.h5 >message 2>&1 &&
  fail "srun without MPI: status 0"
has 'SLURM started 2 tasks, but MPI sees one process|MPI_Init'
[ ! -e alone.h5 ] || fail "srun without MPI wrote a file"

# the time limit itself: a minute is the shortest, and SLURM looks every half minute; with a warning, and without
if [ "${CASIMIR_TIME_LIMIT:-no}" = yes ]; then
  met unwarned --time=1 --signal=USR2@0 --
  comes_back unwarned
  grep -q 'DUE TO TIME LIMIT' unwarned.out || fail "unwarned: $(cat unwarned.out)"
  many="--set study.paths=400000"
  job=$(submit limit --time=1 --signal=B:USR2@45 -- $many --output limit.h5)
  while await has_settled "$job" && is_pending "$job"; do hurry "$job"; sleep 2; done
  has_ended "$job" && [ "$(state "$job")" = COMPLETED ] || fail "limit: $(state "$job") $(tail -n 5 limit.out)"
  echo "the time limit came $(grep -c 'asked to leave by SIGUSR2' limit.out) times"
  "$MPIEXEC" -n 2 "$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-weak.yaml" --quiet $set_small $many --output long.h5 2>/dev/null
  alike long.h5 limit.h5
fi
