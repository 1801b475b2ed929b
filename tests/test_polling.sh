#!/bin/sh
# Signals and time limits are looked at as often as steps and records take long: after every step, and in the midst of a
# map. Time goes by looks: each of the cheap clock is a second to it, so that every step and every row of a map is long.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# 16 paths of a block of maps have 32 rows each: 512 looks a record
configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
steps | body | trajectory, step: 2^-5, steps: 1000, every: 500, paths: 2
levels | body | convergence, coarsest_step: 2^-5, coarsest_steps: 10, levels: 2, reference: 5, paths: 100
rungs | body | weak_multilevel, coarsest_step: 2^-5, coarsest_steps: 32, levels: 2, functionals: [x1], paths: 100
maps | maps | trajectory, step: 2^-8, steps: 4, every: 2, paths: 40, observables: [vorticity, hamiltonian]
spread | maps | ensemble, step: 2^-8, steps: 4, times: [0, 0.0078125, 0.015625], paths: 40, observables: [energy_spectrum, vorticity], bins: 2
END

export FAULT_LAPSE=1
# fewer steps than there are between looks where they take no time; less than a record
for one in steps:40 levels:40 rungs:30 maps:200 spread:200; do
  rm -f out.h5*
  by_looks 1 expect 75 '' "${one%:*}.yaml" --max-walltime "${one#*:}"
done

# With time for a step or a few records, also with checkpoints on the way, a run ends with the bits of one that was left alone.
# One rank comes first and twice: several may do all steps before a reduction that they wait for has gone through, and while it
# is under way the clock is not looked at.
for one in steps:150 maps:1350 spread:1350; do
  name=${one%:*}
  runs "$name.yaml" --output whole.h5
  for every in 0 70s; do
    rm -f out.h5*
    in_pieces 4 '1 1 3 2' 1 "${one#*:}" out.h5 "$name.yaml" --set output.checkpoint_every=$every
    alike whole.h5 out.h5 "$name, checkpoints every $every"
    [ $pieces -ge 2 ] || fail "$name, checkpoints every $every: only $pieces interruptions"
    echo "$name, checkpoints every $every: interrupted $pieces times"
  done
done
