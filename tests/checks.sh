# For shell tests that count what fails in $failures; to be sourced.
# shellcheck shell=sh
failures=0

fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

# expect STATUS PATTERN ARGUMENT ..: `casimir run` ends so and says that; all it says is in `message`
expect() {
  status=$1 pattern=$2
  shift 2
  "$CASIMIR" run "$@" >message 2>&1
  found=$?
  [ $found -eq "$status" ] || fail "$*: status $found, must be $status: $(cat message)"
  [ -z "$pattern" ] || grep -qE -e "$pattern" message || fail "$*: found '$(cat message)', must match '$pattern'"
}

# thorough: whether every case is tried in every place and on every number of ranks, as by `sh tests/run.sh --all`. Where
# CASIMIR_REPETITIONS asks for less than all repetitions, each case is tried at one of them, and so is each of those.
thorough() { [ "${CASIMIR_REPETITIONS:-100}" -ge 100 ]; }

# again DONE LEAST MOST: whether something that was done so often is to be done once more. Beyond LEAST, which is what the suite
# does, it is so until the time CASIMIR_UNTIL (seconds since 1970): long variants have a time in which they end.
again() { [ "$1" -lt "$3" ] && { [ "$1" -lt "$2" ] || [ "$(date +%s)" -lt "${CASIMIR_UNTIL:-9999999999}" ]; }; }

# is_running PROCESS: it is there, and has not ended without anybody having asked for its status
is_running() {
  read -r process_state 2>/dev/null <"/proc/$1/stat" || return 1
  case ${process_state##*) } in [ZX]*) return 1 ;; esac
}

# children_of PROCESS: in `children`; read rather than looked for among all processes, which pgrep takes long for
children_of() {
  children=
  if [ -e "/proc/$$/task/$$/children" ]; then
    read -r children 2>/dev/null <"/proc/$1/task/$1/children"
  else
    children=$(pgrep -P "$1")
  fi
}

# wait_for PROCESS [SECONDS]: the status of an mpiexec of the background of which a rank was killed. That of Open MPI 4.1 has
# been seen to wait for a lock of its own for ever (PMIx_server_finalize): so long (30) after its last rank it is ended.
wait_for() {
  alone=0
  while is_running "$1"; do
    alone=$((alone + 1))
    children_of "$1"
    for rank in $children; do
      if is_running "$rank"; then alone=0; fi
    done
    [ $alone -lt $((5 * ${2:-30})) ] || kill -KILL "$1"
    sleep 0.2
  done
  wait "$1"
}

# await COMMAND ..: until it succeeds; ten minutes, as a loaded machine is no failure. It comes of processes that
# $watched names, or of the last in the background: where one of them has ended, nobody waits any longer.
await() {
  tries=0
  until "$@" 2>/dev/null; do
    for process in ${watched:-${!:-}}; do
      is_running "$process" || "$@" 2>/dev/null || { fail "never came, as process $process has ended: $*"; return 1; }
    done
    tries=$((tries + 1)) pause=0.05
    [ $tries -lt 3000 ] || { fail "never came: $*"; return 1; }
    [ $tries -lt 20 ] || pause=0.2 # a look is processor time, too
    sleep $pause
  done
}
