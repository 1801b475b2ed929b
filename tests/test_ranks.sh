#!/bin/sh
# Every dataset is the same on any number of ranks, and a path does not depend on how many were asked for.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# Blocks of large matrices are one path, on OpenBLAS; the pilot has rounds of them.
configurations <<'END'
run | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 5000, functionals: [sin2pi, x1, energy, {tilt: "sin(x3)/sqrt(x1^2 + x2^2 + x3^2) + hamiltonian"}]
path | shaken | trajectory, step: 0.01, steps: 300, every: 3, paths: 333, observables: [hamiltonian, casimir_departure, x1]
ensemble | shaken | ensemble, step: 0.01, steps: 5000, times: [0, 5, 12.34, 50], paths: 777, path_groups: 10, observables: [hamiltonian, casimir_departure, x1], members: 100
zeitlin | blocks | convergence, coarsest_step: 2^-7, coarsest_steps: 2, levels: 2, reference: 2, paths: 700, functionals: [energy]
maps | {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12, lmax: 4}}} | trajectory, step: 2^-7, steps: 6, every: 3, paths: 5, observables: [hamiltonian, energy_spectrum, vorticity]
multilevel | quadratic | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 3, levels: 5, functionals: [sin2pi, x1], paths: 5000
mlmc | body | mlmc, epsilon: 1e-3, coarsest_step: 2^-5, coarsest_steps: 4, functionals: [x1, sin2pi], plain_paths: 500
pilot | blocks | weak_multilevel, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, functionals: [energy], relative_error: 0.5
END

# Many chunks, or there would be nothing to join. Steps of large systems make smaller ones, which ranks can share, and so do
# steps at a large N.
expect 0 '700 in 11 chunks' zeitlin.yaml --dry-run --output none.h5
expect 0 '5000 in 40 chunks' run.yaml --dry-run --output none.h5
expect 0 '700 in 700 chunks' zeitlin.yaml --dry-run --output none.h5 --set system.N=64 --set study.coarsest_steps=64
expect 0 '6564 in 167 chunks' "$SOURCE_DIR/jobs/fluid-sizes.yaml" --dry-run --output none.h5

# on one rank without mpiexec, and on these ranks; where every case is tried, on the last ones, and the cases with none otherwise
while read -r study generator on all; do
  ! thorough || on=$all
  [ "$on" != - ] || continue
  one=$study-$generator-1.h5
  runs "$study.yaml" --set "random.generator=$generator" --output "$one"
  for ranks in $(echo "$on" | tr , ' '); do
    ends 0 '' "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$study.yaml" --quiet --set "random.generator=$generator" --output several.h5
    alike "$one" several.h5 "$study, $generator, $ranks ranks"
  done
done <<'END'
run sprng_mlfg 3 2,3,4,7
run threefry 7 2,3,4,7
path sprng_mlfg - 2,3,4,7
path threefry 4 2,3,4,7
ensemble sprng_mlfg 2 2,3,4,7
ensemble threefry - 2,3,4,7
multilevel sprng_mlfg - 2,3,4,7
multilevel threefry 7 2,3,4,7
mlmc sprng_mlfg 3 2,3,4,7
mlmc threefry - 2,3,4,7
zeitlin sprng_mlfg 3 2,3
maps sprng_mlfg 2 2,3
pilot sprng_mlfg 3 2,3
END

# a path of another level, alone
expect 0 'finest, swapped' multilevel.yaml --only-path 5001
grep -q '^2^-6: ' message || fail "path 5001: $(cat message)"

# the comparison can fail
! same run-threefry-1.h5 run-sprng_mlfg-1.h5 >message 2>&1 || fail "two generators gave the same results"

# one rank by a launcher, unbound and with threads that OpenBLAS would like to use
OPENBLAS_NUM_THREADS=8 ends 0 '' "$MPIEXEC" --bind-to none -n 1 "$CASIMIR" run run.yaml --quiet --output alone.h5
alike run-sprng_mlfg-1.h5 alone.h5

# path 17 alone, of 20 paths and of 5000
expect 0 'x1 0\.8' run.yaml --only-path 17 --set study.paths=20
cp message among-20
expect 0 '' run.yaml --only-path 17
cmp message among-20 || fail "a path depends on their number"

# the effective configuration of a results file repeats the run; what is to be changed next is said of more keys
"$python" -c 'import h5py; print(h5py.File("run-threefry-1.h5").attrs["configuration"])' >effective.yaml
runs effective.yaml --output again.h5
same run-threefry-1.h5 again.h5 advice || fail "a configuration does not repeat its run"
