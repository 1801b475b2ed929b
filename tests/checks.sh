# For shell tests, to be sourced: what they have in common. A test goes on after a failure, which its status tells.
# shellcheck shell=sh
set -u
failures=0
# shellcheck disable=SC2034 # tests use it
python=${PYTHON:-/usr/bin/python3}

fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

at_end() { :; } # tests that have something to stop or remove have another one
# what a script ends with counts, too: 77, or a shell that has stopped
drawer=
trap 'ended_with=$?; at_end; [ -z "$drawer" ] || { kill $drawer 2>/dev/null; wait $drawer; }; [ $failures -eq 0 ] || ended_with=1; exit $ended_with' EXIT

# ends STATUS PATTERN COMMAND ..: it ends so and says that; all it says is in `message`. It reads nothing: loops read their cases.
ends() {
  ends_status=$1 ends_pattern=$2
  shift 2
  "$@" </dev/null >message 2>&1
  found=$?
  [ $found -eq "$ends_status" ] || fail "$*: status $found, must be $ends_status: $(cat message)"
  [ -z "$ends_pattern" ] || grep -qE -e "$ends_pattern" message || fail "$*: found '$(cat message)', must match '$ends_pattern'"
}

# expect STATUS PATTERN ARGUMENT ..: `casimir run` does
expect() {
  expect_status=$1 expect_words=$2
  shift 2
  ends "$expect_status" "$expect_words" "$CASIMIR" run "$@"
}

# runs ARGUMENT ..: `casimir run` succeeds, without its tables
runs() { expect 0 '' "$@" --quiet; }

# has PATTERN ..: `message` has each of these
has() {
  for has_pattern in "$@"; do grep -qE -e "$has_pattern" message || fail "'$has_pattern' is not in: $(cat message)"; done
}

# files_here: all files but what commands say, with their places, times and contents
files_here() { find . ! -name 'message*' ! -type d -printf '%p %m %y %s %i %T+\n' -type f -exec cksum {} + | sort; }

# unchanged STATUS PATTERN COMMAND ..: it ends so and says that, and no file changes, comes or goes
unchanged() {
  files_before=$(files_here)
  ends "$@"
  shift 2
  [ "$files_before" = "$(files_here)" ] || { fail "$*: changed files:" && files_here >message && echo "$files_before" | diff - message >&2; }
}

# refused STATUS PATTERN ARGUMENT ..: a `casimir run`, which has changed no file
refused() {
  expect_status=$1 expect_words=$2
  shift 2
  unchanged "$expect_status" "$expect_words" "$CASIMIR" run "$@"
}

# each COMMAND ..: with each line "PATTERN | ARGUMENTS" of the standard input, whose arguments are read as a shell reads them
each() {
  each_cases=0
  # shellcheck disable=SC2034 # it is of what is evaluated
  while IFS='|' read -r each_first each_words; do
    each_cases=$((each_cases + 1))
    eval "$* \"\${each_first% }\" $each_words"
  done
  [ $each_cases -gt 0 ] || fail "no cases of $*"
}

# same FILE FILE [ATTRIBUTE]: no difference but in the root attributes that say how the run was done, and in this one
same() {
  [ -s "$1" ] && [ -s "$2" ] || { echo "$1 or $2 is not there" >&2; return 1; }
  h5diff "$1" "$2" >difference || [ $? -eq 1 ] || return 1
  if grep -v 'differences found$' difference |
    grep -vE '^attribute: <(ranks|started|(elapsed|integrate|reduce|core)_seconds(_mean|_predicted|_plain|_budget)?|work_per_core_second) of </>>' | grep -vF "attribute: <${3:-/} of "; then
    echo "$1 and $2 differ" >&2
    return 1
  fi
}

# alike WHOLE FILE [WHAT]: the run of FILE is done, with the bits of WHOLE, and has left nothing beside it
alike() {
  same "$1" "$2" || fail "${3:-$2}: not the same"
  for alike_rest in "$2".?*; do
    [ ! -e "$alike_rest" ] || fail "${3:-$2}: $alike_rest is left"
  done
}

# system_of NAME: a system that several tests are of
system_of() {
  case $1 in
  body) echo '{name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}' ;;
  quadratic) echo '{name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}' ;;
  shaken) echo '{name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}' ;;
  free) echo '{name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}' ;;
  blocks) echo '{name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}' ;;
  maps) echo '{name: euler_zeitlin, N: 8, latitudes: 32, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}}' ;;
  *) echo "$1" ;;
  esac
}

# configurations LINE ..: NAME.yaml for each line "NAME | SYSTEM | STUDY [| MORE]" of the standard input, with LINEs behind
configurations() {
  while IFS='|' read -r its_name its_system its_study its_rest; do
    its_system=${its_system# } its_system=$(system_of "${its_system% }")
    printf '%s\n' "system: $its_system" "study: {kind:$its_study}" "${its_rest# }" "$@" >"${its_name% }.yaml"
  done
}

# by_looks SECONDS COMMAND ..: time goes by looks at the clock, so that what the clock cuts is cut at one place on every machine
by_looks() {
  looks_tick=$1
  shift
  LD_PRELOAD=$FAULTS FAULT_CLOCK=$looks_tick "$@"
}

# interrupted ARGUMENT ..: `casimir run` is, and has saved what it did
interrupted() { by_looks 0.01 expect 75 'casimir: interrupted; .* is saved in' "$@"; }

# slowly COMMAND ..: a program in the background, in `process`, and slow while there is the file `slow`; what it says is in `messages`
slowly() {
  rm -f messages
  : >slow
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$@" >messages 2>&1 &
  process=$!
}

# ended STATUS WHAT [PROCESS [FILE]]: the process in the background has ended so; what it said is in `messages`
ended() {
  wait "${3:-$process}"
  found=$?
  [ $found -eq "$1" ] || fail "$2: status $found, must be $1: $(cat "${4:-messages}")"
}

# says PATTERN: waits until the run in the background has said it
says() { await grep -qE -e "$1" messages || cat messages >&2; }

# draws_together: what `casimir` draws from here on is drawn by one Python, which has its modules already
draws_together() {
  { echo "#!$python -ISB" && cat "$SOURCE_DIR/tests/drawer.py"; } >drawer
  chmod +x drawer
  "$python" -IB drawer serve &
  drawer=$!
  await test -S drawer.socket
  export CASIMIR_PYTHON="$PWD/drawer"
}
draws_alone() { env -u CASIMIR_PYTHON "$@"; }

# on_ranks RANKS COMMAND ..: on one rank without a launcher
on_ranks() {
  launched=$1
  shift
  if [ "$launched" -eq 1 ]; then "$@"; else "$MPIEXEC" -n "$launched" "$@"; fi
}

# in_pieces MOST RANKS TICK LIMIT FILE ARGUMENT ..: runs that a limit of time interrupts, on numbers of ranks in turn, MOST times
# at most, until FILE is done; how often it was is in `pieces`. One rank is certain to be interrupted: others may do all the work
# before one has looked so often.
in_pieces() {
  pieces_most=$1 pieces_ranks=$2 pieces_tick=$3 pieces_limit=$4 pieces_file=$5 pieces=0 found=75
  shift 5
  while [ $found -eq 75 ]; do
    for pieces_turn in $pieces_ranks; do
      again $pieces 2 "$pieces_most" || pieces_limit=1h
      found=0
      by_looks "$pieces_tick" on_ranks "$pieces_turn" "$CASIMIR" run "$@" --quiet --resume --max-walltime "$pieces_limit" --output "$pieces_file" </dev/null >messages 2>&1 || found=$?
      [ $found -eq 75 ] || break 2
      grep -q "interrupted; [0-9.]*% of the run is saved in $pieces_file.checkpoint" messages || fail "$pieces_file: $(cat messages)"
      pieces=$((pieces + 1))
    done
  done
  [ $found -eq 0 ] || fail "$*: status $found after $pieces pieces: $(cat messages)"
  [ $pieces -ge 1 ] || fail "$*: was not interrupted: nothing was tested"
}

# thorough: whether every case is tried in every place and on every number of ranks, as by `sh tests/run.sh --all`. Where
# CASIMIR_REPETITIONS asks for less than all repetitions, each case is tried at one of them, and so is each of those.
thorough() { [ "${CASIMIR_REPETITIONS:-100}" -ge 100 ]; }

# in_turn NUMBER: whether a case is tried: every one is, or one of NUMBER where not every case is tried everywhere
in_turn() {
  turns=$((${turns:-0} + 1))
  thorough || [ $((turns % $1)) -eq 0 ]
}

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
