#!/bin/sh
# Numbers that pages print are those that the program prints. A page marks them by
#   <!-- test: output COMMAND -->
# and each line of the indented block that follows, but "..", is a line of the command's output, apart from blanks; or by
#   <!-- test: prints "TEXT" as "TEXT OF THE PAGE" COMMAND -->
# where `as ".."` may be left out if the page has the very text; `prints on avx512` where last digits belong to it.
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
ln -s "$SOURCE_DIR/jobs" jobs
mkdir bin outputs
ln -s "$CASIMIR" bin/casimir
PATH=$PWD/bin:$PATH
kernels=$(casimir --version | sed -n 's/^kernels *\([a-z0-9]*\).*/\1/p')

# configurations that pages show: <!-- test: NAME.yaml --> and a block
awk '/^<!-- test: .*\.yaml -->$/ { file = $3 } /^```$/ { file = ""; inside = 0 } inside { print > file }
  /^```yaml$/ && file { inside = 1 }' "$SOURCE_DIR"/docs/*.md

plain() { sed 's/^ *//; s/ *$//; s/  */ /g'; }

# output_of COMMAND: the file with what it prints; each runs once, into a results file of its own
output_of() {
  output=outputs/$(printf '%s' "$1" | cksum | tr -d ' ')
  [ -e "$output" ] && return
  eval "$1 --output $output.h5" </dev/null 2>log | plain >"$output" || fail "$1: $(cat log)"
}

blocks=0 numbers=0
for page in "$SOURCE_DIR"/README.md "$SOURCE_DIR"/docs/*.md; do
  grep -n '^<!-- test: output .* -->$' "$page" >marks
  while IFS=: read -r line mark; do
    blocks=$((blocks + 1))
    command=${mark#*<!-- test: output }
    command=${command%% -->*}
    output_of "$command"
    tail -n +"$((line + 1))" "$page" | awk '/^    / { seen = 1; print; next } seen { exit }' | plain | grep -vxF .. >printed
    [ -s printed ] || fail "$page:$line: no block"
    while IFS= read -r text; do
      grep -qxF -e "$text" "$output" || fail "$page:$line: '$command' does not print '$text'"
    done <printed
  done <marks

  grep -v '^<!-- test:' "$page" | tr '\n' ' ' | tr -s ' ' >text
  sed -n 's/^<!-- test: prints \(.*\) -->$/\1/p' "$page" >marks
  while IFS= read -r mark; do
    numbers=$((numbers + 1))
    if [ "${mark#on avx512 }" != "$mark" ]; then
      [ "$kernels" = avx512 ] || continue
      mark=${mark#on avx512 }
    fi
    said=${mark#\"}
    command=${said#*\" }
    said=${said%%\"*}
    shown=$said
    if [ "${command#as }" != "$command" ]; then
      shown=${command#as \"}
      command=${shown#*\" }
      shown=${shown%%\"*}
    fi
    output_of "$command"
    tr '\n' ' ' <"$output" | grep -qF -e "$said" || fail "$page: '$command' does not print '$said'"
    grep -qF -e "$shown" text || fail "$page: marks '$shown' and does not have it"
  done <marks
done
{ [ "$blocks" -ge 2 ] && [ "$numbers" -ge 30 ]; } || fail "$blocks blocks and $numbers numbers are marked"
[ "$failures" -eq 0 ]
