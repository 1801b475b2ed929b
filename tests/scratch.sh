# scratch.sh DIRECTORY COMMAND ..: runs a test in a directory that is empty at its start
rm -rf "$1" && mkdir -p "$1" && cd "$1" || exit 99
shift
exec "$@"
