# The body of every batch script: sourced with $study naming a configuration in jobs/, after $jobs was found.
#   CASIMIR          the program (default: build/casimir of this tree, else casimir on the PATH)
#   CASIMIR_LAUNCH   how to start it in parallel (default: see setup.sh), such as "srun --mpi=pmi2"
# Arguments go to `casimir run`: sbatch jobs/rigid-body-weak.sbatch --set study.paths=1000000
# shellcheck shell=sh disable=SC2154
set -u
root=$(cd "$jobs/.." && pwd) || exit 1
. "$jobs/setup.sh"

casimir=${CASIMIR:-$root/build/casimir}
[ -n "${CASIMIR:-}" ] || [ -x "$casimir" ] || casimir=casimir
if ! command -v "$casimir" >/dev/null; then
  say "There is no program '$casimir'. Build casimir (sh jobs/quickstart.sh does), or name the program in CASIMIR."
  exit 2
fi

launch "$casimir" run "$jobs/$study.yaml" "$@" &
child=$!
# SLURM signals this script some time before the limit: a study that needs longer has to be asked for fewer paths
trap 'say "$study: the time limit is near"' USR2
trap 'kill -TERM "$child" 2>/dev/null' TERM INT
# a signal ends a wait before the study has ended
while wait "$child"; status=$?; [ "$status" -gt 128 ] && kill -0 "$child" 2>/dev/null; do :; done
exit "$status"
