# scratch.sh DIRECTORY COMMAND ..: runs a test in a directory that is empty at its start, and that no other run of the tests
# has at the same time, and writes the processor time of its commands into DIRECTORY.times
[ "$1" != --locked ] || {
  shift
  rm -rf "$1" && mkdir -p "$1" && cd "$1" || exit 99
  shift
  exec "$@"
}
mkdir -p "$1" || exit 99
flock --nonblock --close --conflict-exit-code 98 "$1.lock" sh "$0" --locked "$@"
status=$?
times >"$1.times"
[ $status -ne 98 ] || echo "$1: another run of the tests is in this directory. A build directory is for one run at a time" >&2
exit $status
