# shellcheck shell=sh
# Checks shared by the tests of figures; sourced. Counts failures in $failures.
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"

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

# apart FILE.svg: no text runs into another one or into the frame of a panel
apart() {
  /usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --overlaps "$1" >overlaps || fail "$1: no boxes of texts"
  [ ! -s overlaps ] || fail "$1: texts run into each other: $(cat overlaps)"
}

# draws NAME FILES .. [OPTIONS]: NAME.svg, and NAME.pdf, NAME.eps and NAME.png or, where not every case is tried everywhere, one
# of these in turn
drawings=0
draws() {
  name=$1
  shift
  drawings=$((drawings % 3 + 1)) others='pdf eps png'
  thorough || others=$(echo $others | cut -d' ' -f$drawings)
  for format in svg $others; do
    expect 0 '' "$CASIMIR" plot "$@" --output "$name.$format"
    case $format in svg) begin='<svg' ;; pdf) begin='%PDF' ;; eps) begin='%!PS' ;; png) begin=PNG ;; esac
    begins "$name.$format" "$begin"
  done
  apart "$name.svg"
}

# says FILE.svg WORD ..: words of a figure are text in it
says() {
  file=$1
  shift
  for word in "$@"; do
    grep -q -e "$word" "$file" || fail "$file does not say '$word'"
  done
}

# drawn FILE.svg: a line for everything plotted: panel (a, b, ..; - if there is one plot only), its number there, pieces
# and vertices of its lines, marks, images, areas, upper and lower end, colour
drawn() {
  /usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" "$1"
}

# counts FILE.svg NUMBER CONDITION: how many of the lines of `drawn` fulfil a condition of awk
counts() {
  n=$(drawn "$1" | awk "$3 { n++ } END { print n + 0 }")
  [ "$n" -eq "$2" ] || fail "$1: $n plots with $3, not $2: $(drawn "$1")"
}
