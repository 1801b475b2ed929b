#!/bin/sh
# Numbers of pages are printed by the program. A page marks them by
#   <!-- test: output COMMAND -->
# and each line of the indented block that follows, but "..", is a line of the command's output, or of the report of its
# file, apart from blanks; or by
#   <!-- test: prints "TEXT" as "TEXT OF THE PAGE" COMMAND -->
# where `as ".."` may be left out if the page has the very text; `prints on avx512` where last digits belong to it; or by
#   <!-- test: percents of EXACT "CELL" QUANTITY COMMAND -->
# for a cell of a table with the deviations of an average over time from EXACT, in percent, at the steps 0.4, 0.2 and 0.1,
# "-" where the study fails. Other instruction sets have other paths: a deviation may differ by four standard errors of a
# difference of two independent averages, and by half of its last digit. A quarter of the time is averaged over where
# CASIMIR_REPETITIONS asks for less, with the larger error that this has.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
ln -s "$SOURCE_DIR/jobs" jobs
mkdir bin outputs
ln -s "$CASIMIR" bin/casimir
PATH=$PWD/bin:$PATH
kernels=$(casimir --version | sed -n 's/^kernels *\([a-z0-9]*\).*/\1/p')

# configurations that pages show: <!-- test: NAME.yaml --> and a block
awk '/^<!-- test: .*\.yaml -->$/ { file = $3 } /^```$/ { file = ""; inside = 0 } inside { print > file }
  /^```yaml$/ && file { inside = 1 }' "$SOURCE_DIR"/docs/*.md "$SOURCE_DIR"/docs/systems/*.md

plain() { sed 's/^ *//; s/ *$//; s/  */ /g'; }

# output_of COMMAND: the file with what it prints; each study runs once, and its results file prints the other tables
output_of() {
  output=outputs/$(printf '%s' "$1" | cksum | tr -d ' ')
  [ -e "$output" ] && return
  study=${1% --long} results=outputs/$(printf '%s' "${1% --long}" | cksum | tr -d ' ').h5
  its="$1 --output $results"
  [ ! -e "$results" ] || its="casimir report $results${1#"$study"}"
  eval "$its" </dev/null 2>log | plain >"$output" || fail "$1: $(cat log)"
}

share=1
thorough || share=0.25
# shorter CELL: that quarter, from 20 to 70 rather than 220, or an eighth of the paths, all of which fail in the end
shorter() {
  case $share:$1 in
  1:*) ;;
  *:-) echo --set study.paths=500 ;;
  *) echo --set study.horizon=70 ;;
  esac
}

# percents EXACT CELL QUANTITY COMMAND
percents() {
  set -- "$1" "$(printf '%s' "$2" | tr -d ,)" "$3" "$4"
  cells=$2
  for step in 0.4 0.2 0.1; do
    output_of "$4 --set study.step=$step $(shorter "${cells%% *}") --long || :"
    cells=${cells#* }
    awk -v quantity="$3" '$1 == "time_average/" quantity { seen = 1 } seen && $1 == "mean" { mean = $2 " " $4 + 0; exit }
      END { print mean ? mean : "-" }' "$output"
  done | awk -v exact="$1" -v cell="$2" -v share=$share '
    BEGIN { split(cell, shown, " ") }
    { found = 100 * ($1 / exact - 1); digit = shown[NR] ~ /\./ ? 0.05 : 0.5
      bound = 4 * sqrt(1 + share) * 100 * $2 / exact + digit
      well = shown[NR] == "-" ? $1 !~ /^[0-9.]+$/ : $1 ~ /^[0-9.]+$/ && (found - shown[NR]) ^ 2 <= bound ^ 2
      if (!well) { printf "%s where %s is printed\n", found, shown[NR]; bad = 1 } }
    END { exit bad || NR != 3 }' >log || fail "$3 of '$4': $(cat log)"
}

blocks=0 numbers=0
for page in "$SOURCE_DIR"/README.md "$SOURCE_DIR"/docs/*.md "$SOURCE_DIR"/docs/systems/*.md; do
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

page=$SOURCE_DIR/docs/reproduction.md
sed -n 's/^<!-- test: percents of \(.*\) -->$/\1/p' "$page" >marks
while IFS= read -r mark; do
  numbers=$((numbers + 1))
  exact=${mark%% *} cell=${mark#*\"} command=${mark##*\" }
  cell=${cell%%\"*}
  percents "$exact" "$cell" "${command%% *}" "${command#* }"
  grep -qF -e "| $cell |" "$page" || fail "$page: marks '$cell' and does not have it"
done <marks
{ [ "$blocks" -ge 2 ] && [ "$numbers" -ge 30 ]; } || fail "$blocks blocks and $numbers numbers are marked"
