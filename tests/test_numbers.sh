#!/bin/sh
# Numbers that pages print are those that the program prints: a page marks them by
#   <!-- test: output COMMAND -->
# and each line of the indented block that follows, but "..", is a line of the command's output, apart from blanks.
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
ln -s "$SOURCE_DIR/jobs" jobs
mkdir bin
ln -s "$CASIMIR" bin/casimir
PATH=$PWD/bin:$PATH

# configurations that pages show: <!-- test: NAME.yaml --> and a block
awk '/^<!-- test: .*\.yaml -->$/ { file = $3 } /^```$/ { file = ""; inside = 0 } inside { print > file }
  /^```yaml$/ && file { inside = 1 }' "$SOURCE_DIR"/docs/*.md

plain() { sed 's/^ *//; s/ *$//; s/  */ /g'; }
blocks=0
for page in "$SOURCE_DIR"/README.md "$SOURCE_DIR"/docs/*.md; do
  grep -n '^<!-- test: output .* -->$' "$page" >marks
  while IFS=: read -r line mark; do
    blocks=$((blocks + 1))
    command=${mark#*<!-- test: output }
    command=${command%% -->*}
    eval "$command" </dev/null 2>log | plain >output || fail "$command: $(cat log)"
    tail -n +"$((line + 1))" "$page" | awk '/^    / { seen = 1; print; next } seen { exit }' | plain | grep -vxF .. >printed
    [ -s printed ] || fail "$page:$line: no block"
    while IFS= read -r text; do
      grep -qxF -e "$text" output || fail "$page:$line: '$command' does not print '$text'"
    done <printed
  done <marks
done
[ "$blocks" -ge 1 ] || fail "no page marks its numbers"
[ "$failures" -eq 0 ]
