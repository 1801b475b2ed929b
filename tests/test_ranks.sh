#!/bin/sh
# Every study has the bits of a run on one rank that nobody disturbed: on any number of ranks, and interrupted again and again
# and gone on with on other numbers of them; and a path does not depend on how many were asked for. CASIMIR_PIECES: how often
# runs are interrupted at most.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# Blocks of large matrices are one path, on OpenBLAS; pilots have rounds of them. Of passages there are uniform numbers of paths
# beside their states; of vortices chunks of several blocks, and histograms.
configurations 'output: {checkpoint_every: 0.04s}' <<'END'
convergence | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 1700, functionals: [sin2pi, x1, energy, {most: "path_max(x1 - x2)"}, {tilt: "sin(x3)/sqrt(x1^2 + x2^2 + x3^2) + hamiltonian"}]
trajectory | shaken | trajectory, step: 0.01, steps: 12000, every: 60, paths: 333, observables: [hamiltonian, casimir_departure, x1]
ensemble | shaken | ensemble, step: 0.01, steps: 12000, times: [0, 5, 12.34, 120], paths: 777, path_groups: 10, members: 100, observables: [x1, hamiltonian, casimir_departure, {most: path_max(x1)}, {mean: integral(x2)/(t + 1)}]
passages | {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}} | ensemble, step: 0.01, steps: 6000, times: [0, 5, 12.34, 60], paths: 100, observables: [x1, {in: "passed(x1, x2)"}, {tau: "first_passage(x1, 0.9)"}, {up: "time_above(x1, 0)"}]
vortices | {name: point_vortices, gamma: [1, 1, -1], noise: {sigma: 0.1}, initial: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]} | ensemble, step: 2^-10, steps: 500, every: 50, paths: 7000, path_groups: 64, observables: [hamiltonian]
matrices | {name: euler_zeitlin, N: 12, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 5}}} | strong, coarsest_step: 2^-7, coarsest_steps: 2, levels: 3, reference: 7, paths: 240
sizes | {name: euler_zeitlin, N: 24, time_unit: physical, noise: {kind: transport, amplitude: 0.1, modes: {lmin: 2, lmax: 3}}, initial: {random: {seed: 1, norm: 5, lmax: 3}}} | convergence, refine: {N: [6, 12, 24]}, coarsest_step: 2^-7, coarsest_steps: 128, paths: 60, functionals: [energy] | random: {generator: threefry}
waiting | blocks | ensemble, step: 2^-9, steps: 4, every: 4, paths: 800, observables: [hamiltonian]
zeitlin | blocks | convergence, coarsest_step: 2^-7, coarsest_steps: 2, levels: 2, reference: 2, paths: 700, functionals: [energy]
maps | {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12, lmax: 4}}} | trajectory, step: 2^-7, steps: 6, every: 3, paths: 5, observables: [hamiltonian, energy_spectrum, vorticity]
multilevel | quadratic | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 6, functionals: [sin2pi, x1], paths_by_level: [12000, 10000, 8000, 6000, 4000, 2000]
pilot | quadratic | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 4, functionals: [sin2pi], relative_error: 0.03
blocks | blocks | weak_multilevel, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, functionals: [energy], relative_error: 1 | random: {seed: 6}
mlmc | body | mlmc, epsilon: 1e-3, coarsest_step: 2^-5, coarsest_steps: 4, functionals: [x1, sin2pi], plain_paths: 500
END

# Many chunks, or there would be nothing to join. Steps of large systems make smaller ones, which ranks can share, and so do
# steps at a large N.
expect 0 '700 in 11 chunks' zeitlin.yaml --dry-run --output none.h5
expect 0 '5000 in 40 chunks' convergence.yaml --dry-run --output none.h5 --set study.paths=5000
expect 0 '700 in 700 chunks' zeitlin.yaml --dry-run --output none.h5 --set system.N=64 --set study.coarsest_steps=64
expect 0 '6564 in 167 chunks' "$SOURCE_DIR/jobs/fluid-sizes.yaml" --dry-run --output none.h5

# The study; the ranks that it is run on, and on which where every case is tried; on which in pieces, and the tick of the clock;
# keys of --set. "-" is none. Damping: Casimirs are compared with those of what is left of the initial states. Streams of
# sprng_lcg64 take the longer to open the higher their number. Of `waiting` values wait for the bins until the 64 paths that
# choose them are done, on three ranks values of more paths.
while read -r study on all pieced tick keys; do
  at_most=${CASIMIR_PIECES:-2}
  ! thorough || on=$all
  [ -z "$keys" ] || thorough || at_most=1
  [ "$on$pieced" != -- ] || continue
  # shellcheck disable=SC2046 # words
  set -- "$study.yaml" $(for key in $keys; do echo --set "$key"; done)
  runs "$@" --output whole.h5
  for ranks in $(echo "$on" | tr ,- '  '); do
    ends 0 '' "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$@" --quiet --output several.h5
    alike whole.h5 several.h5 "$* on $ranks ranks"
  done
  [ "$pieced" = - ] || {
    in_pieces "$at_most" "$(echo "$pieced" | tr , ' ')" "$tick" 0.3 pieces.h5 "$@"
    alike whole.h5 pieces.h5 "$* in pieces"
    echo "$*: interrupted $pieces times"
  }
  case "$study $keys" in "convergence "*threefry | "convergence "*mlfg) mv whole.h5 "${keys#*=}.h5" ;; esac
  rm -f whole.h5 several.h5 pieces.h5
done <<'END'
convergence 3 2,3,4,7 1,3,2,4 0.001 random.generator=sprng_mlfg
convergence 7 2,3,4,7 1,3,2,4 0.001 random.generator=threefry
convergence - - 1,3,2,4 0.001 random.generator=sprng_lfg
convergence - - 1,3,2,4 0.001 random.generator=sprng_lcg
convergence - - 1,3,2,4 0.001 random.generator=sprng_lcg64
convergence - - 1,3,2,4 0.001 random.generator=sprng_cmrg
convergence - - 1,3,2,4 0.001 system.damping.rate=0.5 random.generator=threefry
trajectory - 2,3,4,7 1,3,2,4 0.001 random.generator=sprng_mlfg
trajectory 4 2,3,4,7 1,3,2,4 0.001 random.generator=threefry
trajectory - - 1,3,2,4 0.001 system.damping.rate=0.02
ensemble 2 2,3,4,7 1,3,2,4 0.001 random.generator=sprng_mlfg
ensemble - 2,3,4,7 1,3,2,4 0.001 random.generator=threefry
ensemble - - 1,3,2,4 0.001 study.paths=133 study.path_groups=7
passages - - 1,3,2,4 0.001
vortices - - 1,3,2,4 0.001
multilevel - 2,3,4,7 1,3,2,4 0.001
multilevel 7 2,3,4,7 - - random.generator=threefry
multilevel - - 1,3,2,4 0.001 random.generator=sprng_lcg64 study.paths_by_level=[6000,5000,4000,3000,2000,1000]
pilot - - 1,3,2,4 0.001
matrices - - 1,3,2,4 0.01
sizes - - 1,3,2,4 0.01
waiting - - 3,2 0.002
zeitlin 3 2,3 - - random.generator=sprng_mlfg
maps 2 2,3 - - random.generator=sprng_mlfg
blocks 3 2,3 - - random.generator=sprng_mlfg
mlmc 3 2,3,4,7 - - random.generator=sprng_mlfg
mlmc - 2,3,4,7 - - random.generator=threefry
END

# a path of another level, alone
expect 0 'finest, swapped' multilevel.yaml --only-path 12001
grep -q '^2^-6: ' message || fail "path 12001: $(cat message)"

# the comparison can fail
! same threefry.h5 sprng_mlfg.h5 >message 2>&1 || fail "two generators gave the same results"

# one rank by a launcher, unbound and with threads that OpenBLAS would like to use
OPENBLAS_NUM_THREADS=8 ends 0 '' "$MPIEXEC" --bind-to none -n 1 "$CASIMIR" run convergence.yaml --quiet --set random.generator=sprng_mlfg --output alone.h5
alike sprng_mlfg.h5 alone.h5

# path 17 alone, of 20 paths and of all
expect 0 'x1 0\.8' convergence.yaml --only-path 17 --set study.paths=20
cp message among-20
expect 0 '' convergence.yaml --only-path 17
cmp message among-20 || fail "a path depends on their number"

# the effective configuration of a results file repeats the run; what is to be changed next is said of more keys
"$python" -c 'import h5py; print(h5py.File("threefry.h5").attrs["configuration"])' >effective.yaml
runs effective.yaml --output again.h5
same threefry.h5 again.h5 advice || fail "a configuration does not repeat its run"
