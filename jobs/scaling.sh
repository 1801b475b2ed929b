#!/bin/sh
# Strong and weak scaling of a study over numbers of ranks:
#   sh jobs/scaling.sh CONFIG.yaml [OPTION ..] [OPTIONS OF casimir run ..]
#   --ranks "1 2 4"   numbers of ranks, ascending (default: powers of 2 up to the number of cores or tasks)
#   --paths N         paths of strong scaling; weak scaling gives each rank N / most ranks (default: study.paths)
#   --repeats R       runs of each kind and number of ranks, in turns (default: 5)
#   --output FILE     every run as JSON, which casimir plot draws (default: scaling.json)
# On a cluster: sbatch --ntasks=32 --time=01:00:00 --wrap 'sh jobs/scaling.sh CONFIG.yaml'
# The table: medians over the repeats of the whole time, the efficiency (with its range: least to greatest time), what
# the slowest rank's paths took more than the mean's (imbalance) and the reduction's share of the time.
#   CASIMIR, CASIMIR_LAUNCH   as for the other scripts, see study.sbatch and setup.sh
set -u
jobs=$(dirname "$0")
root=$(cd "$jobs/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"

usage() {
  sed -n '2,12s/^# \{0,1\}//p' "$jobs/scaling.sh" >&2
  exit 2
}

if [ $# -lt 1 ] || [ ! -r "$1" ]; then usage; fi
config=$1
shift
repeats=5 output=scaling.json ranks='' paths=''
while [ $# -ge 2 ]; do
  case $1 in
  --ranks) ranks=$2 ;;
  --paths) paths=$2 ;;
  --repeats) repeats=$2 ;;
  --output) output=$2 ;;
  *) break ;;
  esac
  shift 2
done

find_casimir

most=${SLURM_NTASKS:-$cores}
if [ -z "$ranks" ]; then
  n=1
  while [ "$n" -lt "$most" ]; do
    ranks="$ranks$n "
    n=$((2 * n))
  done
  ranks="$ranks$most"
fi
for most in $ranks; do :; done

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

# the effective configuration, as casimir reads it
if [ -z "$paths" ]; then
  "$casimir" run "$config" "$@" --dry-run --output "$scratch/none.h5" >"$scratch/plan" || exit $?
  paths=$(sed -n 's/^  *paths: *\([0-9][0-9]*\)$/\1/p' "$scratch/plan" | head -n 1)
  [ -n "$paths" ] || {
    say "The number of paths was not found; give it as --paths N."
    exit 2
  }
fi

# measure KIND RANKS PATHS [OPTION ..]: one line "kind ranks paths seconds slowest mean reduction" more in runs
measure() {
  kind=$1 n=$2 p=$3
  shift 3
  (CASIMIR_RANKS=$n && export CASIMIR_RANKS &&
    launch "$casimir" run "$config" --quiet "$@" --set "study.paths=$p" --output "$scratch/run.h5") >"$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    say "$kind scaling on $n ranks failed."
    exit 1
  }
  times=$("$casimir" report --long "$scratch/run.h5" |
    sed -n 's/^time  *\([^ ]*\) s; paths \([^ ]*\) s (slowest rank), \([^ ]*\) s (mean); reduction \([^ ]*\) s$/\1 \2 \3 \4/p')
  [ -n "$times" ] || {
    say "This study does not say what its ranks spent: scaling is measured for convergence studies and ensembles."
    exit 2
  }
  echo "$kind $n $p $times" >>"$scratch/runs"
}

each=$((paths / most))
say "$config: $paths paths, ranks $ranks, $repeats repeats"
repeat=1
while [ "$repeat" -le "$repeats" ]; do
  for n in $ranks; do
    measure strong "$n" "$paths" "$@"
    measure weak "$n" "$((each * n))" "$@"
  done
  say "repeat $repeat of $repeats"
  repeat=$((repeat + 1))
done

# the median needs sorted times
sort -k1,1 -k2,2n -k4,4g "$scratch/runs" | awk -v config="$config" -v output="$output" '
  function median(a, n) { return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2 }
  function add(name, value) { column[kind, name] = column[kind, name] (column[kind, name] == "" ? "" : ", ") value }
  function write_kind(k, end,   n, name, i) {
    n = split("ranks paths efficiency efficiency_low efficiency_high reduction seconds slowest mean reduce", name)
    printf "  \"%s\": {\n", k > output
    for (i = 1; i <= n; i++) printf "    \"%s\": [%s]%s\n", name[i], column[k, name[i]], i < n ? "," : "" > output
    printf "  }%s\n", end > output
  }
  function row(   t, ideal) {
    t = median(seconds, runs)
    if (!(kind in base)) {
      base[kind] = t * ranks; least[kind] = seconds[1] * ranks; greatest[kind] = seconds[runs] * ranks
      base_paths[kind] = paths
    }
    ideal = (kind == "strong" ? 1 : paths / base_paths[kind]) / ranks
    printf "%-7s %6d %12d %10.4g %10.3f  ", kind, ranks, paths, t, base[kind] * ideal / t
    printf "%.3f-%.3f ", least[kind] * ideal / seconds[runs], greatest[kind] * ideal / seconds[1]
    printf "%10.2f%% %10.4f%%\n", 100 * imbalance / runs, 100 * reduction / runs
    add("ranks", ranks); add("paths", paths)
    add("efficiency", base[kind] * ideal / t)
    add("efficiency_low", least[kind] * ideal / seconds[runs])
    add("efficiency_high", greatest[kind] * ideal / seconds[1])
    add("reduction", reduction / runs)
    add("seconds", "[" list[4] "]"); add("slowest", "[" list[5] "]")
    add("mean", "[" list[6] "]"); add("reduce", "[" list[7] "]")
    runs = imbalance = reduction = 0
    delete list
  }
  BEGIN {
    printf "%-7s %6s %12s %10s %10s  ", "scaling", "ranks", "paths", "seconds", "efficiency"
    printf "%-11s %11s %11s\n", "range", "imbalance", "reduction"
  }
  runs && ($1 != kind || $2 != ranks) { row() }
  {
    kind = $1; ranks = $2; paths = $3; seconds[++runs] = $4
    imbalance += ($5 - $6) / $4; reduction += $7 / $4
    for (i = 4; i <= 7; i++) list[i] = list[i] (list[i] ? ", " : "") $i
  }
  END {
    row()
    printf "{\n  \"benchmark\": \"scaling\",\n  \"configuration\": \"%s\",\n", config > output
    write_kind("strong", ","); write_kind("weak", "")
    print "}" > output
  }'
say "every run: $output; its figure: $casimir plot $output"
