#!/bin/sh
# Orders and conservation of fluids with transport noise, rotation, damping and forcing: the rows of the table of
# docs/fluids.md, from bench/configurations/sphere.yaml and torus.yaml.
#   sh bench/fluids.sh [PATHS]
# Prints a row for each case: strong order by increments of some paths, with its 95% interval and the p-value of the law;
# the largest relative departure of a Casimir; and, if PATHS are given, the weak order of the energy by as many paths (for
# narrow intervals many: some 10^6). Then what the balance of energy leaves over without noise, with viscosity, friction and
# steady forcing, at the steps 2^-6 and 2^-7, and its order. Results stay in build/fluids and are used again.
# CASIMIR names the program.
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"
paths=${1:-}
find_casimir
mkdir -p "$root/build/fluids" && cd "$root/build/fluids" || exit 1

# number FILE PLACE: the first of a dataset
number() { h5dump -A 0 -d "$2" -m %.17g "$1" 2>/dev/null | sed -n 's/^ *(0): //p' | head -n 1 | cut -d , -f 1; }

# order FILE GROUP SUFFIX: "1.00 [0.98, 1.02], p 0.4"
order() {
  for of in "$2/order$3" "$2/order_low$3" "$2/order_high$3" /result/p_value; do number "$1" "$of"; done | tr '\n' ' ' |
    awk '{ printf "%.2f [%.2f, %.2f], p %.2f", $1, $2, $3, $4 }'
}

# run FILE CONFIG [OPTION ..]: status 1 is an order that differs from theory, which the table shows
run() {
  results=$1 config=$2
  shift 2
  [ -e "$results" ] && return
  "$casimir" run "$config" --output "$results" --quiet "$@" >"${results%.h5}.txt" || [ $? -eq 1 ]
}

# row NAME CONFIG WORDS [OPTION ..]
row() {
  name=$1 page=$root/bench/configurations/$2.yaml words=$3
  shift 3
  run "$name-strong.h5" "$page" "$@" || exit 1
  printf '| %s | %s | %.1e |' "$words" "$(order "$name-strong.h5" /strong _increments)" \
    "$(number "$name-strong.h5" /health/casimir_drift_max)"
  [ -z "$paths" ] || run "$name-weak.h5" "$page" "$@" \
    --set "study={kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 8, levels: 4, paths: $paths, functionals: [energy]}" || exit 1
  [ -z "$paths" ] || printf ' %s |' "$(order "$name-weak.h5" /weak_multilevel/energy '')"
  echo
}

# values FILE OBSERVABLE; left_over FILE: the change of the energy less the integral of its balance, by the trapezoidal rule
values() {
  h5dump -d "/trajectory/$2" -y -w 1 -m %.17g "$1" |
    awk '/DATA \{/ { inside = 1; next } inside && /}/ { exit } inside { gsub(/[ ,]/, ""); print }'
}
left_over() {
  { values "$1" time; echo; values "$1" hamiltonian; echo; values "$1" energy_balance; } | awk '
    NF == 0 { part++; next }
    { v[part + 0, n[part + 0]++] = $1 }
    END {
      last = n[0] - 1; rest = v[1, last] - v[1, 0]
      for (r = 0; r <= last; r++)
        rest -= (r == 0 || r == last ? 0.5 : 1) * v[0, 1] * (v[2, 3 * r] + v[2, 3 * r + 1] + v[2, 3 * r + 2])
      printf "%.3e\n", rest < 0 ? -rest : rest
    }'
}

# balance NAME CONFIG WORDS FORCING: what is left over at two steps, without noise
balance() {
  for step in 6 7; do
    run "$1-balance-$step.h5" "$root/bench/configurations/$2.yaml" --set system.noise=null --set "system.$both" --set "system.forcing=$4" \
      --set "study={kind: trajectory, step: 2^-$step, steps: $((1 << step)), observables: [hamiltonian, energy_balance]}" || exit 1
  done
  coarse=$(left_over "$1-balance-6.h5") fine=$(left_over "$1-balance-7.h5")
  awk -v words="$3" -v a="$coarse" -v b="$fine" 'BEGIN { printf "| %s | %s | %s | %.2f |\n", words, a, b, log(a / b) / log(2) }'
}

one='[[1, 2, 1, 1], [1, 1, 0, 0.5]]'
zonal='[[1, 1, 0, 1], [2, 2, 0, 1], [3, 3, 0, 1]]'
both='damping={viscosity: 0.02, friction: 0.1}'
row sphere sphere 'sphere, three fields'
row sphere-one sphere 'sphere, one field' --set "system.noise.fields=$one"
row sphere-zonal sphere 'sphere, three zonal fields, which commute' --set "system.noise.fields=$zonal"
row sphere-rotating sphere 'sphere, three fields, rotation' --set system.rotation=0.5
row sphere-friction sphere 'sphere, three fields, friction alone' --set 'system.damping={friction: 0.1}'
row sphere-forced sphere 'sphere, three fields, rotation, viscosity, friction, white forcing' --set system.rotation=0.5 --set "system.$both" \
  --set 'system.forcing={white: {lmin: 2, lmax: 3, rate: 0.1}}'
row torus torus 'torus, three sums of waves'
row torus-one torus 'torus, one sum of waves' --set 'system.noise.fields=[[1, 1, -1, 1], [1, 0, 1, 0.5]]'
row torus-forced torus 'torus, three sums of waves, viscosity, friction, white forcing' --set "system.$both" \
  --set 'system.forcing={white: {lmin: 1, lmax: 2, rate: 0.1}}'
balance sphere sphere sphere '{steady: [[2, 1, 0.5], [1, 0, 0.3]]}'
balance torus torus torus '{steady: [[1, 0, 0.5], [-1, 1, 0.3]]}'
