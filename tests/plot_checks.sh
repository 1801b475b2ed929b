# shellcheck shell=sh
# Checks shared by the tests of figures; sourced. Counts failures in $failures.
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
# shellcheck disable=SC2034 # tests use it
python=${PYTHON:-/usr/bin/python3}
export CASIMIR_TRACEBACK=1 # a fault of the package says where it was

# expect STATUS PATTERN COMMAND ..: of any command, not of `casimir run` alone
expect() {
  status=$1 pattern=$2
  shift 2
  "$@" >out 2>&1
  found=$?
  [ "$found" -eq "$status" ] || fail "$*: status $found, not $status: $(cat out)"
  [ -z "$pattern" ] || grep -q -e "$pattern" out || fail "$*: does not say '$pattern': $(cat out)"
}

# begins FILE BYTES: what files of a format begin with
begins() {
  case $(head -c 200 "$1" | tr -d '\000') in
  *"$2"*) ;;
  *) fail "$1 is no $2" ;;
  esac
}

# says FILE.svg WORD ..: words of a figure are text in it
says() {
  file=$1
  shift
  for word in "$@"; do
    grep -q -e "$word" "$file" || fail "$file does not say '$word'"
  done
}
