# The body of every batch script: sourced with $study naming a configuration in jobs/, after $jobs was found.
#   CASIMIR          the program (default: build/casimir of this tree, else casimir on the PATH)
#   CASIMIR_LAUNCH   how to start it in parallel (default: see setup.sh), such as "srun --mpi=pmi2"
# Arguments go to `casimir run`: sbatch jobs/rigid-body-weak.sbatch --set study.paths=1000000
#
# The run starts, or goes on from its checkpoint. When SLURM preempts it or its time is over, or a signal asks it to leave,
# it writes a checkpoint and the job goes back into the queue, until the run has finished. Any other end is the end of the
# job; so is scancel, after which the same script goes on when it is submitted again.
# A task of a job array has its own seed and its own file, seed 3 into NAME-3.h5, unless --output is among the arguments.
# When all tasks have ended, a last job makes one file of them:
#   sbatch --dependency=afterok:JOB --wrap 'casimir merge NAME-*.h5 --output NAME.h5'
# shellcheck shell=sh disable=SC2034,SC2154
set -u
root=$(cd "$jobs/.." && pwd) || exit 1
. "$jobs/setup.sh"

find_casimir

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  named=
  for argument; do
    case $argument in -o* | --output | --output=*) named=yes ;; esac
  done
  [ -n "$named" ] || set -- --output "$study-$SLURM_ARRAY_TASK_ID.h5" "$@"
  set -- --set "random.seed=$SLURM_ARRAY_TASK_ID" "$@"
fi

# After SIGTERM mpirun leaves its ranks a second, after SIGUSR2 as long as they need.
leave() {
  say "$study: asked to leave by $1; writing a checkpoint"
  kill -USR2 "$child" 2>/dev/null
}

launch "$casimir" run "$jobs/$study.yaml" --resume "$@" &
child=$!
trap 'leave SIGUSR2' USR2
trap 'leave SIGTERM' TERM
trap 'leave SIGINT' INT
trap 'kill -USR1 "$child" 2>/dev/null' USR1
# a signal ends a wait before the study has ended
while wait "$child"; status=$?; [ "$status" -gt 128 ] && kill -0 "$child" 2>/dev/null; do :; done

# A task of an array by its own name: the number of the last one is that of the whole array, too.
job=${SLURM_JOB_ID:-}
[ -z "${SLURM_ARRAY_JOB_ID:-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID

# What SLURM is doing to this job: "running" where it was only sent a signal, "requeued" where it will start again by
# itself, "limit" at its time limit or where preemption ends jobs for good, else "cancelled".
intention() {
  facts=$(scontrol show job "$job" -o) || facts=
  case $facts in '' | *JobState=RUNNING* | *JobState=SUSPENDED*) echo running && return ;; esac
  restarts=${facts##* Restarts=}
  if [ "${restarts%% *}" -gt "${SLURM_RESTART_COUNT:-0}" ] 2>/dev/null; then
    echo requeued
    return
  fi
  case $facts in
  *' Reason=TimeLimit '* | *' PreemptTime='[0-9]*) echo limit ;;
  *) echo cancelled ;;
  esac
}

interrupted=75
if [ "$status" -eq "$interrupted" ] && [ -n "$job" ]; then
  trap '' TERM
  case $(intention) in
  requeued) say "$study: SLURM has put it back into the queue (start ${SLURM_RESTART_COUNT:-0} so far)" ;;
  cancelled) say "$study: cancelled, not put back into the queue; submit the same script again to go on" ;;
  *)
    say "$study: back into the queue (start ${SLURM_RESTART_COUNT:-0} so far)"
    scontrol requeue "$job" || say "$study: not requeued; submit the same script again to go on"
    ;;
  esac
elif [ "$status" -eq "$interrupted" ]; then
  say "$study: start the same script again to go on"
fi
exit "$status"
