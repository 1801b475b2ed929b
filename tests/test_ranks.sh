#!/bin/sh
# Every dataset is the same on any number of ranks, and a path does not depend on how many were asked for.
# needs: sprng
set -eu

cat >run.yaml <<'END'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: convergence
  coarsest_step: 2^-7
  coarsest_steps: 13
  levels: 3
  reference: 8
  paths: 5000
  functionals: [sin2pi, x1, energy, {tilt: "sin(x3)/sqrt(x1^2 + x2^2 + x3^2) + hamiltonian"}]
END

cat >path.yaml <<'END'
system:
  name: rigid_body
  inertia: [1, 2, 3]
  noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}
study:
  kind: trajectory
  step: 0.01
  steps: 300
  every: 3
  paths: 333
  observables: [hamiltonian, casimir_departure, x1]
END

cat >ensemble.yaml <<'END'
system:
  name: rigid_body
  inertia: [1, 2, 3]
  noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}
study:
  kind: ensemble
  step: 0.01
  steps: 5000
  times: [0, 5, 12.34, 50]
  paths: 777
  path_groups: 10
  observables: [hamiltonian, casimir_departure, x1]
  members: 100
END

# large matrices are one path a block, on OpenBLAS
cat >zeitlin.yaml <<'END'
system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 2, levels: 2, reference: 2, paths: 700, functionals: [energy]}
END

cat >maps.yaml <<'END'
system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12, lmax: 4}}}
study: {kind: trajectory, step: 2^-7, steps: 6, every: 3, paths: 5, observables: [hamiltonian, energy_spectrum, vorticity]}
END

cat >multilevel.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 3, levels: 5, functionals: [sin2pi, x1], paths: 5000}
END

cat >mlmc.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.3}}
study: {kind: mlmc, epsilon: 1e-3, coarsest_step: 2^-5, coarsest_steps: 4, functionals: [x1, sin2pi], plain_paths: 500}
END

# by a pilot and rounds, with one path a block
cat >pilot.yaml <<'END'
system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}
study: {kind: weak_multilevel, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, functionals: [energy], relative_error: 0.5}
END

. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

# chunks FILE TEXT [ARGUMENT ..]: as this test needs them
chunks() {
  file=$1 text=$2
  shift 2
  "$CASIMIR" run "$file" --dry-run --output none.h5 "$@" >out
  grep -q "$text" out || { echo "$file: not $text: $(cat out)" >&2; exit 1; }
}

# many chunks, or there would be nothing to join
chunks zeitlin.yaml '700 in 11 chunks'
chunks run.yaml '5000 in 40 chunks'
# steps of large systems make smaller chunks, which ranks can share, and so do steps at a large N
chunks zeitlin.yaml '700 in 700 chunks' --set system.N=64 --set study.coarsest_steps=64
chunks "$SOURCE_DIR/jobs/fluid-sizes.yaml" '6564 in 167 chunks'

# tried STUDY GENERATOR RANKS ALL: on one rank without mpiexec, and on these ranks; on ALL of them where every case is tried
tried() {
  study=$1 generator=$2 on=$3
  ! thorough || on=$4
  "$CASIMIR" run "$study.yaml" --quiet --set "random.generator=$generator" --output "$study-$generator-1.h5"
  for ranks in $on; do
    "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$study.yaml" --quiet --set "random.generator=$generator" --output "$study-$generator-$ranks.h5"
    same "$study-$generator-1.h5" "$study-$generator-$ranks.h5"
  done
}
for pair in run:7 path:4 ensemble:2 multilevel:7 mlmc:4; do
  tried ${pair%:*} sprng_mlfg 3 '2 3 4 7'
  tried ${pair%:*} threefry ${pair#*:} '2 3 4 7'
done
for pair in zeitlin:3 maps:2 pilot:3; do
  tried ${pair%:*} sprng_mlfg ${pair#*:} '2 3'
done

# a path of another level, alone
"$CASIMIR" run multilevel.yaml --only-path 5001 >lane-1-of-the-second
grep -q 'finest, swapped' lane-1-of-the-second && grep -q '^2^-6: ' lane-1-of-the-second

# the comparison can fail
if (same run-threefry-1.h5 run-sprng_mlfg-1.h5) >/dev/null 2>&1 || (same path-threefry-1.h5 path-sprng_mlfg-1.h5) >/dev/null 2>&1; then
  echo "two generators gave the same results" >&2
  exit 1
fi

# one rank by a launcher, unbound and with threads that OpenBLAS would like to use
OPENBLAS_NUM_THREADS=8 "$MPIEXEC" -n 1 "$CASIMIR" run run.yaml --quiet --output alone.h5
same run-sprng_mlfg-1.h5 alone.h5

# path 17 alone, of 20 paths and of 5000
"$CASIMIR" run run.yaml --only-path 17 >among-5000
"$CASIMIR" run run.yaml --only-path 17 --set study.paths=20 >among-20
cmp among-5000 among-20
grep -q 'x1 0\.8' among-20

# the effective configuration of a results file repeats the run; what is to be changed next is said of more keys
h5dump -a /configuration -y -w 0 run-threefry-1.h5 | sed -n '/^ *"/,/"$/p' | sed -e 's/^ *"//' -e 's/"$//' -e 's/^           //' >effective.yaml
"$CASIMIR" run effective.yaml --quiet --output again.h5
same run-threefry-1.h5 again.h5 advice
