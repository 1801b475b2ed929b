#!/bin/sh
# How often multilevel Monte Carlo keeps what it promises: the linear-noise body, whose E x1 is known, with many seeds.
# sh bench/mlmc_seeds.sh [EPSILON | budget=WORK [seeds [KEY=VALUE ..]]], from a built tree; keys for a scheme, such as
# integrator.weak_order=2. Prints errors in units of epsilon, within a budget of the error that each run tells; status 1 if fewer than 95% are within 3, or if their root mean
# square is above 1 by more than two of its standard errors, 1/(2 seeds)^(1/2). A run whose paths failed is not valid: status 1.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
casimir=${CASIMIR:-$root/build/casimir}
epsilon=${1:-1e-4} seeds=${2:-100}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
sets=
for key; do sets="$sets --set $key"; done
case $epsilon in
budget=*) sets="$sets --set study.epsilon=null --set study.$epsilon" ;;
*) sets="$sets --set study.epsilon=$epsilon" ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

for seed in $(seq "$seeds"); do
  # shellcheck disable=SC2086 # several words
  "$casimir" run "$root/jobs/linear-noise-body-mlmc.yaml" --output out.h5 \
    --set study.plain_paths=0 --set random.seed="$seed" --long $sets 2>message >table || { cat message; exit 1; }
  awk -v seed="$seed" '
    $2 ~ /^[0-9]/ && !($1 in value) {value[$1] = $2}
    END {print seed, value["estimate"], value["total_error"], value["work"], value["budget"] value["work_predicted"]}' table |
    tee -a all
done
awk -v epsilon="$epsilon" 'BEGIN {exact = 0.6 * exp(-0.32)}
  {e = ($2 - exact) / (epsilon ~ /^budget/ ? $3 : epsilon); s += e * e; w = e < 0 ? -e : e; if (w > most) most = w
   if (w < 2) in2++; if (w < 3) in3++
   q = $4 / $5; if (low == "" || q < low) low = q; if (q > high) high = q}
  END {printf "%s: root-mean-square error %.2f units of %d seeds, %d within 2, %d within 3, the worst %.2f\n", epsilon, sqrt(s / NR), NR, in2, in3, most
       printf "work over budget or prediction: %.2f to %.2f\n", low, high
   exit in3 < 0.95 * NR || sqrt(s / NR) > 1 + 2 / sqrt(2 * NR)}' all
