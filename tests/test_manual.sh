#!/bin/sh
# The manual page and the completions name every command, option and picture that the program has.
# lane: fast
. "$SOURCE_DIR/tests/checks.sh"
sh "$SOURCE_DIR/src/cmake/manual.sh" "$CASIMIR" . || fail "manual.sh"
version=$(sed -n 's/^project(casimir VERSION \([0-9.]*\) .*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
grep -qF "\"casimir $version\"" casimir.1 || fail "no version in $(head -n 1 casimir.1)"

sed 's/\\-/-/g' casimir.1 >text
options=0
for command in $("$CASIMIR" --help | sed -n 's/^  casimir \([a-z]*\)  .*/\1/p'); do
  for option in $("$CASIMIR" $command --help | grep -oE '^ +(-., )? *--[a-z-]+' | grep -oE '\-\-[a-z-]+'); do
    options=$((options + 1))
    grep -q -e "^\.B .*$option" text || fail "casimir.1 has no $option"
    grep -q -e "$option" casimir.bash || fail "casimir.bash has no $option"
    grep -q -e "'$option" _casimir || fail "_casimir has no $option"
  done
done
[ "$options" -gt 20 ] || fail "$options options"
for name in $(sed -n 's/^    _p("\([a-z_]*\)".*/\1/p' "$SOURCE_DIR/src/python/casimir/pictures/__init__.py"); do
  for file in text casimir.bash _casimir; do
    grep -q "\b$name\b" $file || fail "$file has no picture $name"
  done
done
# each example is of a command that exists, with options that it has
examples=0
"$CASIMIR" --help | sed -n '/^Examples:$/,/^$/s/^  \(.* \)\{0,1\}casimir \([a-z]*.*\)/\2/p' | sed 's/   .*//' >examples
while read -r command words; do
  examples=$((examples + 1))
  "$CASIMIR" "$command" --help >help 2>&1 || fail "an example of $command"
  for option in $(echo "$words" | grep -oE -e '--[a-z-]+'); do
    grep -q -e "$option\b" help || fail "an example has $command $option"
  done
  grep -qF -e "$command $words" text || fail "casimir.1 has no example $command $words"
done <examples
[ "$examples" -ge 10 ] || fail "$examples examples"
if command -v groff >/dev/null; then
  groff -man -ww -Tutf8 casimir.1 >page 2>warnings || fail "groff"
  [ ! -s warnings ] || fail "casimir.1: $(cat warnings)"
fi

# in bash, as it is used
bash -s <<'END' || fail "completion in bash"
. ./casimir.bash
complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _casimir; echo "${COMPREPLY[*]}"; }
[ "$(complete_words casimir re)" = report ] &&
  [ "$(complete_words casimir plot --pi)" = --picture ] &&
  [ "$(complete_words casimir plot a.h5 --picture conv)" = convergence ] &&
  [ "$(complete_words casimir describe heavy_)" = heavy_top ] &&
  [ "$(complete_words casimir run casimir.b)" = casimir.bash ]
END
if command -v zsh >/dev/null; then zsh -n _casimir || fail "_casimir"; fi
