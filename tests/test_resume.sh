#!/bin/sh
# Interrupted again and again and gone on with on other numbers of ranks, every study ends with the bits of a run that
# nobody disturbed. CASIMIR_PIECES: how often at most.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# Of passages there are uniform numbers of paths beside their states; of vortices chunks of several blocks, and histograms.
configurations 'output: {checkpoint_every: 0.04s}' <<'END'
convergence | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 1700, functionals: [sin2pi, energy, {most: "path_max(x1 - x2)"}]
trajectory | shaken | trajectory, step: 0.01, steps: 12000, every: 60, paths: 333, observables: [hamiltonian, casimir_departure]
ensemble | shaken | ensemble, step: 0.01, steps: 12000, times: [0, 5, 12.34, 120], paths: 300, path_groups: 7, members: 100, observables: [x1, hamiltonian, {most: path_max(x1)}, {mean: integral(x2)/(t + 1)}]
passages | {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}} | ensemble, step: 0.01, steps: 6000, times: [0, 5, 12.34, 60], paths: 100, observables: [x1, {in: "passed(x1, x2)"}, {tau: "first_passage(x1, 0.9)"}, {up: "time_above(x1, 0)"}]
vortices | {name: point_vortices, gamma: [1, 1, -1], noise: {sigma: 0.1}, initial: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]} | ensemble, step: 2^-10, steps: 500, every: 50, paths: 7000, path_groups: 64, observables: [hamiltonian]
matrices | {name: euler_zeitlin, N: 12, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 5}}} | strong, coarsest_step: 2^-7, coarsest_steps: 2, levels: 3, reference: 7, paths: 240
sizes | {name: euler_zeitlin, N: 24, time_unit: physical, noise: {kind: transport, amplitude: 0.1, modes: {lmin: 2, lmax: 3}}, initial: {random: {seed: 1, norm: 5, lmax: 3}}} | convergence, refine: {N: [6, 12, 24]}, coarsest_step: 2^-7, coarsest_steps: 128, paths: 60, functionals: [energy] | random: {generator: threefry}
waiting | blocks | ensemble, step: 2^-9, steps: 4, every: 4, paths: 1600, observables: [hamiltonian]
multilevel | quadratic | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 6, functionals: [sin2pi], paths_by_level: [12000, 10000, 8000, 6000, 4000, 2000]
pilot | quadratic | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 4, functionals: [sin2pi], relative_error: 0.03
END

# Keys of --set, by commas and a blank. Damping: Casimirs are compared with those of what is left of the initial states.
# Streams of sprng_lcg64 take the longer to open the higher their number.
while read -r study keys; do
  tick=0.001 at_most=${CASIMIR_PIECES:-2}
  case $study in matrices | sizes) tick=0.01 ;; esac
  [ -z "$keys" ] || thorough || at_most=1
  # shellcheck disable=SC2046 # words
  set -- "$study.yaml" $(for key in $keys; do echo --set "$key"; done)
  runs "$@" --output whole.h5
  in_pieces "$at_most" '1 3 2 4' $tick 0.3 pieces.h5 "$@"
  alike whole.h5 pieces.h5 "$*"
  echo "$*: interrupted $pieces times"
  rm -f whole.h5 pieces.h5
done <<'END'
convergence random.generator=sprng_mlfg
convergence random.generator=sprng_lfg
convergence random.generator=sprng_lcg
convergence random.generator=sprng_lcg64
convergence random.generator=sprng_cmrg
convergence random.generator=threefry
trajectory random.generator=sprng_mlfg
ensemble random.generator=sprng_mlfg
trajectory random.generator=threefry
ensemble random.generator=threefry
trajectory system.damping.rate=0.02
convergence system.damping.rate=0.5 random.generator=threefry
passages
vortices
multilevel
multilevel random.generator=sprng_lcg64 study.paths_by_level=[6000,5000,4000,3000,2000,1000]
pilot
matrices
sizes
ensemble study.paths=133
END

# Values wait for the bins until the 64 paths that choose them are done, on three ranks values of more paths.
runs waiting.yaml --output whole.h5
in_pieces 1 '3 2' 0.002 0.3 pieces.h5 waiting.yaml
alike whole.h5 pieces.h5 "values that wait for the bins"
