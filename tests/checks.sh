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

# await COMMAND ..: until it succeeds; ten minutes, as a loaded machine is no failure
await() {
  tries=0
  until "$@" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 12000 ] || { fail "never came: $*"; return 1; }
    sleep 0.05
  done
}
