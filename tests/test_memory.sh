#!/bin/sh
# Peak memory of a rank is below 60 MB and does not grow with the number of paths. CASIMIR_PATHS: how many are many.
# needs: sprng
set -eu
paths=${CASIMIR_PATHS:-1000000}

cat >run.yaml <<'END'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
random: {generator: threefry}
study:
  kind: convergence
  coarsest_step: 2^-7
  coarsest_steps: 1
  levels: 2
  reference: 2
  paths: 10000
  functionals: [sin2pi, x1, x2, x3, energy]
END

# peak PATHS GENERATOR: kilobytes of the largest process
peak() {
  /usr/bin/time -f %M -o peak "$CASIMIR" run run.yaml --quiet --output out.h5 --set study.paths="$1" --set random.generator="$2"
  cat peak
}

few=$(peak 10000 threefry)
many=$(peak "$paths" threefry)
sprng=$(peak "$paths" sprng_mlfg)
echo "peak memory: $few kB at 10^4 paths, $many kB at $paths, $sprng kB at $paths with sprng_mlfg"
[ "$few" -lt 60000 ] && [ "$many" -lt 60000 ] && [ "$sprng" -lt 60000 ]
[ $((many * 100)) -le $((few * 105)) ]
# SPRNG itself leaks 128 bytes a stream, 144 with what malloc adds, and a stream serves 64 paths
[ "$sprng" -le $((few * 105 / 100 + paths / 64 * 144 / 1000)) ]

# statistics over time: the tree over chunks is as high as the logarithm of their number
cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: ensemble, step: 2^-7, steps: 8, every: 1, paths: 10000, observables: [x1, x2, x3, hamiltonian, casimir_departure], members: 10}
END
few=$(peak 10000 threefry)
many=$(peak "$paths" threefry)
echo "peak memory of an ensemble: $few kB at 10^4 paths, $many kB at $paths"
[ "$many" -lt 60000 ]
[ $((many * 100)) -le $((few * 105)) ]

# input files: one state of many, and the normals of the paths that run, not all that the file has; on one rank and on three
cat >source.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-7, steps: 99999, paths: 16, observables: [hamiltonian]}
output: {file: source.h5}
END
cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}}
study: {kind: ensemble, step: 2^-7, steps: 16, every: 8, paths: 10, observables: [x1]}
output: {file: out.h5}
END
"$CASIMIR" run source.yaml --quiet

# largest RANKS ARGUMENT ..: kilobytes of the largest rank
largest() {
  ranks=$1
  shift
  rm -f peaks out.h5
  "$MPIEXEC" -n "$ranks" /usr/bin/time -a -f %M -o peaks "$CASIMIR" run run.yaml --quiet "$@"
  sort -n peaks | tail -n 1
}

replay='random={generator: replay, file: source.h5, dataset: /trajectory/state}'
for ranks in 1 3; do
  none=$(largest $ranks)
  state=$(largest $ranks --set 'system.initial={file: source.h5, dataset: /trajectory/state, index: [90000, 3]}')
  normals=$(largest $ranks --set "$replay")
  all=$(largest $ranks --set "$replay" --set study.paths=100000)
  echo "peak memory on $ranks ranks: $none kB without a file of 51 MB, $state kB with a state of it, $normals kB with normals of 10 paths, $all kB with those of all"
  for peak in "$state" "$normals" "$all"; do
    [ $((peak - none)) -lt 10000 ]
  done
done
