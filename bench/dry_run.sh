#!/bin/sh
# How far dry runs are from runs: sh bench/dry_run.sh [KEY=VALUE ..], for every configuration in jobs/ with fewer paths.
# Prints what each dry run measured, in time of the processor, by what the run beside it took of that (user and system, less
# those of an empty run), and the range that it said.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
casimir=${CASIMIR:-$root/build/casimir}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sets=
for set; do sets="$sets --set $set"; done

# seconds FILE ARGUMENT ..: of the processor
seconds() { /usr/bin/time -f '%U %S' -o time "$casimir" run "$@" --quiet --output run.h5 >/dev/null 2>&1 || true; awk '{print $1 + $2}' time; }

cat >empty.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, reference: 2, paths: 64, functionals: [x1]}
END
start=$(seconds empty.yaml)

# fewer than in the configuration, for some seconds
fewer() {
  case $1 in
  body-in-a-wave) echo study.paths=1600 ;;
  euler-zeitlin-long) echo study.steps=100 study.every=20 ;;
  euler-zeitlin-strong) echo study.paths=16 ;;
  euler-zeitlin-weak-multilevel) echo 'study.paths_by_level=[200,150,100,50]' ;;
  fluid-ensemble) echo study.paths=1 study.members=0 study.steps=40 study.every=20 ;;
  manakov-long) echo study.steps=51200 study.every=1024 ;;
  manakov-weak-multilevel) echo 'study.paths_by_level=[400,400,400,400]' ;;
  rigid-body-weak) echo study.paths=6400 ;;
  esac
}

for file in "$root"/jobs/*.yaml; do
  name=$(basename "$file" .yaml)
  more=$sets
  for set in $(fewer "$name"); do more="$more --set $set"; done
  rm -f run.h5*
  # shellcheck disable=SC2086 # a list of words
  said=$("$casimir" run "$file" --dry-run --output run.h5 $more 2>/dev/null | sed -n 's/^  time *\([^(]*\) (.*/\1/p')
  # shellcheck disable=SC2086
  took=$(seconds "$file" $more)
  echo "$name|$said|$took"
done | awk -F'|' -v start="$start" '
  function in_seconds(value, unit) { return value * (unit == "s" ? 1 : unit == "min" ? 60 : 3600) }
  { n = split($2, word, " ")
    took = $3 - start
    measured = 1.25 * in_seconds(word[n - 4], word[n - 3]) # the range begins a quarter below
    printf "%-32s %6.2f  processor %.2f s, said %s\n", $1, (took > 0 ? measured / took : 0), took, $2 }'
