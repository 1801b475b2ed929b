#!/bin/sh
# Interrupted again and again and gone on with on other numbers of ranks, every study ends with the bits of a run that
# nobody disturbed. Time goes by looks at the clock, so that the runs are cut at the same places on every machine.
# needs: sprng
set -eu
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"
most=${CASIMIR_PIECES:-2}

cat >convergence.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 1700, functionals: [sin2pi, energy, {most: "path_max(x1 - x2)"}]}
output: {checkpoint_every: 0.04s}
END
cat >trajectory.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: trajectory, step: 0.01, steps: 12000, every: 60, paths: 333, observables: [hamiltonian, casimir_departure]}
output: {checkpoint_every: 0.04s}
END
cat >ensemble.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: ensemble, step: 0.01, steps: 12000, times: [0, 5, 12.34, 120], paths: 300, path_groups: 7, members: 100, observables: [x1, hamiltonian, {most: path_max(x1)}, {mean: integral(x2)/(t + 1)}]}
output: {checkpoint_every: 0.04s}
END
# with uniform numbers of paths beside their states
cat >passages.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]}}
study: {kind: ensemble, step: 0.01, steps: 6000, times: [0, 5, 12.34, 60], paths: 100, observables: [x1, {in: "passed(x1, x2)"}, {tau: "first_passage(x1, 0.9)"}, {up: "time_above(x1, 0)"}]}
output: {checkpoint_every: 0.04s}
END
# chunks of several blocks, and histograms
cat >vortices.yaml <<'END'
system: {name: point_vortices, gamma: [1, 1, -1], noise: {sigma: 0.1}, initial: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}
study: {kind: ensemble, step: 2^-10, steps: 500, every: 50, paths: 7000, path_groups: 64, observables: [hamiltonian]}
output: {checkpoint_every: 0.04s}
END
cat >matrices.yaml <<'END'
system: {name: euler_zeitlin, N: 12, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 5}}}
study: {kind: strong, coarsest_step: 2^-7, coarsest_steps: 2, levels: 3, reference: 7, paths: 240}
output: {checkpoint_every: 0.04s}
END
cat >sizes.yaml <<'END'
system: {name: euler_zeitlin, N: 24, time_unit: physical, noise: {kind: transport, amplitude: 0.1, modes: {lmin: 2, lmax: 3}}, initial: {random: {seed: 1, norm: 5, lmax: 3}}}
random: {generator: threefry}
study: {kind: convergence, refine: {N: [6, 12, 24]}, coarsest_step: 2^-7, coarsest_steps: 128, paths: 60, functionals: [energy]}
output: {checkpoint_every: 0.04s}
END
cat >multilevel.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 6, functionals: [sin2pi], paths_by_level: [12000, 10000, 8000, 6000, 4000, 2000]}
output: {checkpoint_every: 0.04s}
END

cat >pilot.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 16, levels: 4, functionals: [sin2pi], relative_error: 0.03}
output: {checkpoint_every: 0.04s}
END

# in_pieces STUDY FILE ARGUMENT ..: runs of some hundred looks until it is done, or the last one as long as it takes. One
# rank is certain to be interrupted; of several the others may do all the work before one has looked so often.
in_pieces() {
  study=$1 file=$2 pieces=0 tick=0.001 pieces_at_most=$most
  case $study in matrices | sizes) tick=0.01 ;; esac
  shift 2
  thorough || [ $# -eq 0 ] || pieces_at_most=1 # of a study with other keys
  while :; do
    for ranks in 1 3 2 4; do
      found=0 limit=0.3
      again $pieces 2 "$pieces_at_most" || limit=1h
      [ $ranks -eq 1 ] && launcher= || launcher="$MPIEXEC -n $ranks"
      # shellcheck disable=SC2086 # words
      LD_PRELOAD=$FAULTS FAULT_CLOCK=$tick $launcher "$CASIMIR" run "$study.yaml" --quiet --resume \
        --max-walltime $limit --output "$file" "$@" 2>messages || found=$?
      case $found in
      0) break 2 ;;
      75) pieces=$((pieces + 1)) ;;
      *) cat messages >&2; echo "$study $*: status $found" >&2; exit 1 ;;
      esac
      grep -q "interrupted; [0-9.]*% of the run is saved in $file.checkpoint" messages
    done
  done
  nothing_left "$file"
}

check() {
  study=$1
  shift
  "$CASIMIR" run "$study.yaml" --quiet --output whole.h5 "$@" 2>messages
  in_pieces "$study" pieces.h5 "$@"
  same whole.h5 pieces.h5
  echo "$study $*: interrupted $pieces times"
  [ $pieces -ge 1 ] || { echo "only $pieces interruptions: nothing was tested" >&2; exit 1; }
  rm whole.h5 pieces.h5
}

for generator in sprng_mlfg sprng_lfg sprng_lcg sprng_lcg64 sprng_cmrg threefry; do
  check convergence --set random.generator=$generator
done
for generator in sprng_mlfg threefry; do
  for study in trajectory ensemble; do
    check $study --set random.generator=$generator
  done
done
# whose Casimirs are compared with those of what is left of the initial states
check trajectory --set system.damping.rate=0.02
check convergence --set system.damping.rate=0.5 --set random.generator=threefry
check passages
check vortices
check multilevel
# whose streams take the longer to open the higher their number
check multilevel --set random.generator=sprng_lcg64 --set study.paths_by_level=[6000,5000,4000,3000,2000,1000]
check pilot
check matrices
check sizes
check ensemble --set study.paths=133
