#!/bin/sh
# Multilevel Monte Carlo as a run: cut into pieces on changing numbers of ranks, in the pilot, in later rounds and in the
# plain paths, it ends with the bits of one that nobody disturbed; its paths; its statuses; the jobs.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

configurations 'output: {checkpoint_every: 0.1s}' <<'END'
mlmc | free | mlmc, epsilon: 5e-4, coarsest_step: 1/16, horizon: 0.5, functionals: [x1, x3], plain_paths: 40000
budget | free | mlmc, budget: 0.5s, coarsest_step: 1/16, horizon: 0.5, functionals: [x1, x3], plain_paths: 0
END

# ---- in pieces, where time goes by looks at the clock; progress is told of each long round from its beginning ----
by_looks 0.01 expect 0 '' mlmc.yaml --output whole.h5 --set output.checkpoint_every=0
has '^casimir: round 2,  10% after' '^casimir: round 2, 100% after' '^casimir: round [3-9],  10% after' '^casimir: round [3-9], 100% after'
interrupted mlmc.yaml --output later.h5 --max-walltime 100
by_looks 0.01 expect 0 '^casimir: round 2, 100% after' mlmc.yaml --resume --output later.h5
! grep -q '^casimir: *[0-9]*% after' message || fail "a run that goes on forgets its round: $(cat message)"
in_pieces 12 '1 3 2' 0.001 0.7 pieces.h5 mlmc.yaml
alike whole.h5 pieces.h5 "$pieces pieces"
[ $pieces -ge 8 ] || fail "only $pieces interruptions: nothing was tested"

# ---- a launcher that is killed after a checkpoint, whose ranks may still be there when the next run begins ----
touch slow
for times in 1 2 3; do
  rm -f messages # a look at what the last one said would end the wait
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$MPIEXEC" -n 2 "$CASIMIR" run mlmc.yaml --quiet --resume \
    --wait 10min --output killed.h5 2>messages &
  launcher=$!
  until grep -q 'is saved in' messages || ! kill -0 $launcher 2>/dev/null; do sleep 0.05; done
  grep -q 'is saved in' messages || fail "ended before it was killed: $(cat messages)"
  left=$(ps -o pid= --ppid $launcher)
  kill -9 $launcher
  wait $launcher 2>/dev/null
  # ranks that do not notice at once would end the run themselves
  (sleep 1 && kill -9 $left 2>/dev/null) &
done
wait
[ -s killed.h5.checkpoint ] && [ ! -e killed.h5 ] || fail "killed $times times: $(ls killed*)"
rm slow
ends 0 '' "$CASIMIR" run mlmc.yaml --quiet --resume --wait 10min --output killed.h5
alike whole.h5 killed.h5 'after three killed launchers'

# ---- a budget, in work and in time ----
expect 2 '' mlmc.yaml --set study.epsilon=null --set study.plain_paths=0 --dry-run --output none.h5
in_pieces 1000 '1 2 3' 0.001 0.5 timed.h5 budget.yaml
[ $pieces -ge 4 ] || fail "only $pieces interruptions: nothing was tested"
work=$(h5dump -a /mlmc/budget timed.h5 | sed -n 's/.*(0): //p')
for ranks in 1 2 7; do
  ends 0 '' "$MPIEXEC" --oversubscribe -n $ranks "$CASIMIR" run budget.yaml --quiet --set "study.budget=$work" --output stated.h5
  same timed.h5 stated.h5 configuration || fail "a budget of work, on $ranks ranks"
done
"$CASIMIR" report stated.h5 | tr '\n' ' ' | grep -qF "budget $work kept)" || fail "the report lacks the budget"
ends 0 work_per_core_second "$CASIMIR" report timed.h5 --long
expect 1 'rms \([0-9.e-]* s of core time, budget 1e-06 s NOT KEPT\)' budget.yaml --output over.h5 \
  --set study.budget=0.000001s --set study.functionals='[x1]'
refused 2 'another study.budget' budget.yaml --resume --set study.budget=1s --output timed.h5
# finished is finished; another epsilon is another run
refused 0 'is finished already' mlmc.yaml --resume --output whole.h5
refused 2 'another study.epsilon' mlmc.yaml --resume --output whole.h5 --set study.epsilon=1e-4

# ---- its paths ----
# path 5 of level 2, whatever epsilon is, and path 5 of plain Monte Carlo with that step
expect 0 '^2\^-6 \(finest, swapped\)' mlmc.yaml --only-path 2000000005
cp message one
expect 0 '' mlmc.yaml --only-path 2000000005 --set study.epsilon=1 --set study.min_levels=5
cmp message one || fail "a path depends on epsilon"
expect 0 '^2\^-6 \(finest\)' mlmc.yaml --only-path 14000000005
[ "$(grep -c state message)" -eq 1 ] || fail "a plain path: $(cat message)"
expect 2 'has paths 0 to' mlmc.yaml --only-path 24000000000

# ---- decisions are those of any width of vectors, although groups of lanes iterate together ----
for config in "budget.yaml --set study.budget=3e7" "$SOURCE_DIR/jobs/rigid-body-mlmc.yaml"; do
  CASIMIR_KERNELS=generic runs $config --output generic.h5
  runs $config --output widest.h5
  h5diff generic.h5 widest.h5 /mlmc/paths_by_round || fail "numbers of paths depend on the kernels: $config"
done
h5diff -p 1e-3 generic.h5 widest.h5 /mlmc/work_per_path || fail "work depends on the kernels"

# ---- what it says ----
expect 0 'level 2, h = 2\^-6: 512 paths of 80 steps; path p is --only-path 2000000000 \+ p' mlmc.yaml --dry-run --output none.h5
has 'x1 then decides how many paths and levels follow'
# numbers of levels do not meet, although 1000 paths are 1024 in whole blocks
expect 0 'level 1, .* --only-path 10000 \+ p' mlmc.yaml --dry-run --output none.h5 --set study.max_paths=1000 --set study.plain_paths=0
# a look at 2^34 steps of a path takes no longer
ends 0 '' timeout 600 "$CASIMIR" run mlmc.yaml --dry-run --output none.h5 --set study.min_levels=31 --set study.max_levels=31
ends 0 epsilon "$CASIMIR" describe mlmc
has theta
"$CASIMIR" run mlmc.yaml --output missed.h5 --set study.max_levels=3 >table 2>message
{ [ $? -eq 1 ] && grep -q 'NOT REACHED' table && grep -q 'NOT REACHED' message && [ -s missed.h5 ]; } || fail "missed: $(cat message)"
expect 1 'by the pilot, study.epsilon = 1e-06 takes more paths than study.max_paths of a level: .* core time and will not reach it' \
  mlmc.yaml --output far.h5 --set study.epsilon=1e-6 --set study.max_paths=2048 --set study.plain_paths=0
expect 0 'mlmc/x1' mlmc.yaml --output table.h5 --set study.epsilon=2e-3 --long
has total_error 'what was asked for is reached' work_predicted plain_work_measured 'levels to 2\^-'
# differences have minus the sign of sums that are 0 here
expect 0 'mlmc/' "$SOURCE_DIR/jobs/rigid-body-mlmc.yaml" --output zero.h5 --long --set study.epsilon=1e-2 --set 'system.initial=[0, 0, -1]' --set system.noise.sigma=0
grep -E -- ' -0( |$)' message && fail "a zero has a sign"
# what failed is said first
"$CASIMIR" run mlmc.yaml --output failed.h5 --set integrator.name=implicit_midpoint --set integrator.max_iterations=28 --set study.epsilon=5e-3 >table 2>/dev/null && fail "failed paths: status 0"
grep -q '^Not valid: [0-9]* of [0-9]* paths failed and are left out' table || fail "$(cat table)"
for job in "$SOURCE_DIR"/jobs/*-mlmc.yaml; do
  runs "$job" --output job.h5 --set study.epsilon=0.02
done
