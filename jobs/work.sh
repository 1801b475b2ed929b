#!/bin/sh
# Which scheme is worth its work: a study of errors with every scheme that fits the system of a configuration, all
# measured against one reference on the same Brownian paths, and the picture of their errors against work:
#   sh jobs/work.sh CONFIG.yaml [OPTION ..] [OPTIONS OF casimir run ..]
#   --study "KEYS"    study of errors in flow style, without kind and reference (default: coarsest_step: 2^-3,
#                     coarsest_steps: 16, levels: 7, paths: 400)
#   --kind KIND       strong, weak or convergence (default: strong); for weak ones --study has functionals: [..], too
#   --level N         reference step, coarsest_step * 2^-N (default: 11)
#   --reference NAME  scheme of the reference (default: munthe_kaas)
#   --schemes "A B"   instead of all that fit
#   --output NAME     NAME-SCHEME.h5 and NAME.svg (default: work)
#   CASIMIR           the program, as for the other scripts, see setup.sh; it runs as one process
set -u
jobs=${CASIMIR_JOBS:-$(dirname "$0")}
root=$(cd "$jobs/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"

usage() {
  sed -n '2,13s/^# \{0,1\}//p' "$jobs/work.sh" >&2
  exit 2
}

if [ $# -lt 1 ] || [ ! -r "$1" ]; then usage; fi
config=$1
shift
study='coarsest_step: 2^-3, coarsest_steps: 16, levels: 7, paths: 400' kind=strong level=11 reference=munthe_kaas
schemes='' output=work
while [ $# -ge 2 ]; do
  case $1 in
  --study) study=$2 ;;
  --kind) kind=$2 ;;
  --level) level=$2 ;;
  --reference) reference=$2 ;;
  --schemes) schemes=$2 ;;
  --output) output=$2 ;;
  *) break ;;
  esac
  shift 2
done

find_casimir

study="{kind: $kind, $study, reference: {level: $level, integrator: $reference}, path_cost: true}"
# run SCHEME COMMAND ..: the configuration with that scheme; its own options of a scheme do not hold for others
run() {
  scheme=$1
  shift
  "$casimir" run "$config" --set "integrator={name: $scheme}" --set "study=$study" --output "$output-$scheme.h5" "$@"
}

given=$schemes files=''
[ -n "$given" ] || schemes=$("$casimir" describe integrators | sed -n 's/^\([a-z_]*\): .*/\1/p')
for scheme in $schemes; do
  if [ -z "$given" ] && run "$scheme" "$@" --dry-run 2>&1 | grep -q "integrator.name: .* does not fit system"; then
    say "$scheme does not fit"
    continue
  fi
  run "$scheme" "$@" --quiet >"$output-$scheme.txt"
  status=$?
  [ "$status" -le 1 ] || exit "$status" # 1: some paths failed, which the report says
  files="$files $output-$scheme.h5"
done
# shellcheck disable=SC2086 # a list of files
"$casimir" plot $files --picture work --output "$output.svg" && say "$output.svg"
