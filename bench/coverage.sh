#!/bin/sh
# Do the printed intervals cover? Every kind of interval against exact answers, over many seeds (tests/test_coverage.c);
# and three orders of theory with the widths of their intervals.
# sh bench/coverage.sh [seeds], from a tree built with tests. Status 1 unless each covers in 90 to 99% of 200 seeds or
# more (the wide ones of binned quantiles, of laws and of weak orders: in 90 to 100%), and each strong order in 26 of 30
# with half-widths below 0.3, that of strong order 1/2 from increments in 27 with a median of half-widths of 0.05 at most.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CASIMIR_BUILD:-$root/build}
seeds=${1:-200}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
status=0

CASIMIR_COVERAGE_SEEDS=$seeds "$build/tests/test_coverage" >table || status=1
grep ' of ' table
awk '/ of [0-9]+ \+-/ {match($0, /[0-9]+ of [0-9]+ \+-/); split(substr($0, RSTART), n, " ")
       share = n[1] / n[3]; if (share < 0.9 || (share > 0.99 && !/at least/)) {print "OUTSIDE 90 to 99%: " $0; bad = 1}}
     END {exit bad}' table || status=1

# orders NAME GROUP[:SUFFIX] THEORY CONFIGURATION [LEAST [MEDIAN]]: datasets GROUP/order_..SUFFIX of 30 seeds, of which LEAST cover,
# with a median of half-widths of MEDIAN at most; or, for MEDIAN "upper", with upper ends that are less than 1/2 too high
orders() {
  suffix=$(printf '%s' "$2:" | cut -d : -f 2)
  for seed in $(seq 30); do
    "$build/casimir" run "$4" --quiet --set random.seed="$seed" --set random.generator=threefry --output out.h5
    h5dump -a "${2%%:*}/order_low$suffix" -a "${2%%:*}/order_high$suffix" -m %.17g out.h5 | awk '/^ *\(0\)/ {printf "%s ", $2} END {print ""}'
  done | awk '{print ($2 - $1) / 2, $0}' | sort -g | awk -v name="$1" -v theory="$3" -v least="${5:-26}" -v most="${6:-0.3}" '
    {if (($2 ~ /inf/ || $2 <= theory) && theory <= $3) covered++
     w[NR] = $1; if ($1 < 0.3) narrow++; if ($3 < theory + 0.5) upper++}
    END {median = (w[int((NR + 1) / 2)] + w[int(NR / 2) + 1]) / 2
         if (most == "upper") printf "%-50s %4d of %d cover, %d with an upper end below %.1f\n", name, covered, NR, upper, theory + 0.5
         else printf "%-50s %4d of %d cover, %d with a half-width below 0.3, median %.3f\n", name, covered, NR, narrow, median
         exit !(covered >= least && (most == "upper" ? upper >= 26 : narrow >= 26 && median <= most))}' || status=1
}

cat >one.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0, 0, 0.5]]}, initial: [0.6, 0, 0.8]}
integrator: {truncation: 4}
study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 16, levels: 6, reference: 7, paths: 1000}
END
orders "weak order of the rigid body" /weak_multilevel/sin2pi 1 "$root/jobs/rigid-body-weak-multilevel.yaml" 26 upper
orders "strong order 1 of one noise, finest 4 h_ref" /strong 1 one.yaml
orders "the same, increments" /strong:_increments 1 one.yaml 27
orders "strong order 1/2 of three noises" /strong 0.5 "$root/jobs/rigid-body-strong.yaml"
orders "the same, increments" /strong:_increments 0.5 "$root/jobs/rigid-body-strong.yaml" 27 0.05

# constrained NAME SYSTEM STEPS [PATHS]: strong order 1 of variational_euler on a manifold
constrained() {
  printf 'system: {name: langevin, %s}\nstudy: {kind: strong, %s, paths: %s}\n' "$2" "$3" "${4:-1000}" >constrained.yaml
  orders "strong order 1 $1" /strong 1 constrained.yaml
}
sphere='positions: [x, y, z], constraints: [x^2 + y^2 + z^2 - 1], potential: 2*z, initial: [0.6, 0, 0.8, 0.8, 0.3, -0.6]'
ellipse='positions: [x, y], mass: [1, 2], constraints: [x^2/4 + y^2 - 1], potential: x, initial: [2, 0, 0, 0]'
rods='positions: [x1, y1, x2, y2], constraints: [x1^2 + y1^2 - 1, (x2 - x1)^2 + (y2 - y1)^2 - 1], potential: y1 + y2, initial: [1, 0, 1, 1, 0, 0, 0, 0]'
steps='coarsest_step: 2^-4, horizon: 1, levels: 5, reference: 7'
constrained 'on a sphere' "$sphere, friction: 0.5 + 0.2*x^2, temperature: 1" "$steps"
constrained 'on a sphere, hot' "$sphere, friction: 0.5, temperature: 10" "$steps"
constrained 'on a sphere, cold' "$sphere, friction: 0.5 + 0.2*x^2, temperature: 0.01" "$steps"
constrained 'on a sphere, much friction' "$sphere, friction: 8, temperature: 1" "$steps"
constrained 'on a sphere, finest 2 h_ref' "$sphere, friction: 0.5, temperature: 1" 'coarsest_step: 2^-4, horizon: 1, levels: 5, reference: 6'
constrained 'on a sphere, long' "$sphere, friction: 0.5, temperature: 1" 'coarsest_step: 2^-4, horizon: 4, levels: 5, reference: 7' 4000
constrained 'on an ellipse, two masses' "$ellipse, friction: 1, temperature: 0.8" "$steps"
constrained 'of two rods, two constraints' "$rods, friction: 0.5, temperature: 0.5" "$steps"

# What is concluded from laws of known order; then coarse designs of the rigid body: covering orders and wrong verdicts.
"$build/bench/bench_orders" --replicates 100
"$build/bench/bench_orders" --replicates 20 --fourth

# verdicts DESIGN CONFIGURATION FUNCTIONAL..: orders of differences that cover 1, and wrong verdicts, of 50 seeds in the place of SEED
verdicts() {
  design=$1 configuration=$2
  shift 2
  for seed in $(seq 1001 1050); do
    sed "s/SEED/$seed/g" "$configuration" >seeded.yaml
    "$build/casimir" run seeded.yaml --quiet --output out.h5
    for name in "$@"; do
      place=/weak_multilevel/$name
      h5dump -a "$place/order_low" -a "$place/order_high" -d "$place/findings" -m %.17g out.h5 |
        awk -v name="$name" '/^ *\(0\)/ && n++ < 3 {gsub(/"/, "", $2); printf "%s ", $2} END {print name}'
    done
  done | awk -v design="$design" '
    {n[$4]++; low = $1 ~ /inf/ || $1 <= 1; high = $2 ~ /inf/ || 1 <= $2
     covered[$4] += $1 !~ /nan/ && low && high; none[$4] += $1 ~ /nan/; ends[$4] += $2 !~ /inf|nan/; wrong[$4] += $3 == "differs"}
    END {for (f in n) {printf "%s, %s: %d cover, %d without an order, %d with an upper end, %d wrongly NOT consistent, of %d\n",
                              design, f, covered[f], none[f], ends[f], wrong[f], n[f]
                       bad += wrong[f] > 0.05 * n[f] || covered[f] < 0.9 * (n[f] - none[f])}
         exit bad > 0}' || status=1
}

for paths in 1000 5000 20000; do
  cat >coarse.yaml <<END
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {seed: SEED}
study: {kind: weak_multilevel, coarsest_step: 2^-3, coarsest_steps: 8, levels: 4, functionals: [sin2pi, x1, energy], paths: $paths}
END
  verdicts "coarse design, $paths paths" coarse.yaml sin2pi x1 energy
done

# Orders in N of a fluid, of another field and other noise in every seed.
for amplitude in 0.02 0.1; do
  cat >sizes.yaml <<END
system:
  {name: euler_zeitlin, N: 64, time_unit: physical, rotation: 2, noise: {kind: transport, amplitude: $amplitude, modes: {lmin: 3, lmax: 3}},
   initial: {random: {seed: SEED, norm: 10, lmin: 2, lmax: 3}}}
random: {generator: threefry, seed: SEED}
study:
  {kind: weak_multilevel, refine: {N: [4, 8, 16, 32, 64]}, coarsest_step: 2^-12, coarsest_steps: 16, paths_by_level: [1600, 800, 200, 48],
   functionals: [energy, {band: "enstrophy_of(3,3)"}, {here: "vorticity_at(30,45)"}]}
END
  verdicts "sizes of a fluid, amplitude $amplitude" sizes.yaml energy band here
done
exit $status
