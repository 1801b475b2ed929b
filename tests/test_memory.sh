#!/bin/sh
# Peak memory of a rank is below 60 MB and does not grow with the number of paths. CASIMIR_PATHS: how many are many.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
paths=${CASIMIR_PATHS:-1000000}

configurations 'output: {file: out.h5}' <<'END'
levels | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, reference: 2, paths: 10000, functionals: [sin2pi, x1, x2, x3, energy]
times | quadratic | ensemble, step: 2^-7, steps: 8, every: 1, paths: 10000, observables: [x1, x2, x3, hamiltonian, casimir_departure], members: 10
source | body | trajectory, step: 2^-7, steps: 99999, paths: 16, observables: [hamiltonian]
run | {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}} | ensemble, step: 2^-7, steps: 16, every: 8, paths: 10, observables: [x1]
END

# largest RANKS CONFIGURATION ARGUMENT ..: kilobytes of the largest rank
largest() {
  ranks=$1
  shift
  rm -f peaks out.h5
  "$MPIEXEC" -n "$ranks" /usr/bin/time -a -f %M -o peaks "$CASIMIR" run "$@" --quiet --output out.h5
  sort -n peaks | tail -n 1
}
# less A B WHAT: numbers of kilobytes
less() { [ "$1" -lt "$2" ] || fail "$3: $1 kB, must be less than $2 kB"; }

# SPRNG itself leaks 128 bytes a stream, 144 with what malloc adds, and a stream serves 64 paths. Statistics over time: the tree
# over chunks is as high as the logarithm of their number.
for study in levels:threefry levels:sprng_mlfg times:threefry; do
  few=$(largest 1 ${study%:*}.yaml --set random.generator=threefry)
  many=$(largest 1 ${study%:*}.yaml --set random.generator=${study#*:} --set study.paths="$paths")
  echo "peak memory of $study: $few kB at 10^4 paths, $many kB at $paths"
  leaked=0
  case $study in *sprng*) leaked=$((paths / 64 * 144 / 1000)) ;; esac
  less "$few" 60000 "$study"
  less "$many" 60000 "$study, many paths"
  less "$many" $((few * 105 / 100 + leaked)) "$study, many paths"
done

# input files: one state of many, and the normals of the paths that run, not all that the file has; on one rank and on three
runs source.yaml --output source.h5
replay='random={generator: replay, file: source.h5, dataset: /trajectory/state}'
for ranks in 1 3; do
  none=$(largest $ranks run.yaml)
  state=$(largest $ranks run.yaml --set 'system.initial={file: source.h5, dataset: /trajectory/state, index: [90000, 3]}')
  normals=$(largest $ranks run.yaml --set "$replay")
  all=$(largest $ranks run.yaml --set "$replay" --set study.paths=100000)
  echo "peak memory on $ranks ranks: $none kB without a file of 51 MB, $state kB with a state of it, $normals kB with normals of 10 paths, $all kB with those of all"
  for peak in "$state" "$normals" "$all"; do less $((peak - none)) 10000 "an input on $ranks ranks"; done
done
