# For shell tests, to be sourced.
# shellcheck shell=sh

# same FILE FILE [ATTRIBUTE]: no difference but in the root attributes that say how the run was done, and in this one
same() {
  test -s "$1" && test -s "$2"
  h5diff "$1" "$2" >difference || [ $? -eq 1 ] || exit 1
  if grep -v 'differences found$' difference |
    grep -vE '^attribute: <(ranks|started|(elapsed|integrate|reduce|core)_seconds(_mean|_predicted|_plain|_budget)?|work_per_core_second) of </>>' | grep -vF "attribute: <${3:-/} of "; then
    echo "$1 and $2 differ" >&2
    exit 1
  fi
}

# nothing_left FILE: a run that is done leaves its results alone
nothing_left() {
  for rest in "$1".?*; do
    [ ! -e "$rest" ] || { echo "$rest is left" >&2; exit 1; }
  done
}
