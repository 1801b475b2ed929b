#!/bin/sh
# Multilevel Monte Carlo as a run: cut into pieces on changing numbers of ranks, in the pilot, in later rounds and in the
# plain paths, it ends with the bits of one that nobody disturbed; its paths; its statuses; the jobs.
# needs: sprng
set -eu
. "$SOURCE_DIR/tests/compare.sh"

cat >mlmc.yaml <<'END'
system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}
study: {kind: mlmc, epsilon: 5e-4, coarsest_step: 1/16, horizon: 0.5, functionals: [x1, x3], plain_paths: 40000}
output: {checkpoint_every: 0.1s}
END

fail() {
  echo "$*" >&2
  exit 1
}

# ---- in pieces, where time goes by looks at the clock ----

LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 "$CASIMIR" run mlmc.yaml --output whole.h5 --set output.checkpoint_every=0 2>progress
# progress is told of each long round from its beginning
for told in 'round 2,  10%' 'round 2, 100%' 'round [3-9],  10%' 'round [3-9], 100%'; do
  grep -q "^casimir: $told after" progress || fail "no $told: $(cat progress)"
done
pieces=0 rounds=
while :; do
  for ranks in 1 3 2; do
    found=0 limit=$((pieces % 2)).$((3 + pieces % 5))
    [ $pieces -lt 12 ] || limit=1h
    LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n $ranks "$CASIMIR" run mlmc.yaml --quiet --resume \
      --max-walltime $limit --output pieces.h5 2>messages || found=$?
    case $found in
    0) break 2 ;;
    75) pieces=$((pieces + 1)) ;;
    *) cat messages >&2 && fail "status $found" ;;
    esac
    rounds="$rounds $(sed -n 's/.*interrupted; \([0-9.]*\)%.*/\1/p' messages)"
  done
done
nothing_left pieces.h5
same whole.h5 pieces.h5
[ $pieces -ge 8 ] || fail "only $pieces interruptions: nothing was tested"
echo "interrupted $pieces times, at$rounds%"

# killed, without a word, after a checkpoint of its own
touch slow
for times in 1 2 3; do
  rm -f messages # a look at what the last one said would end the wait
  # ranks of the launcher that was killed before this one may still be there
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$MPIEXEC" -n 2 "$CASIMIR" run mlmc.yaml --quiet --resume \
    --wait 10min --output killed.h5 2>messages &
  launcher=$!
  until grep -q 'is saved in' messages || ! kill -0 $launcher 2>/dev/null; do
    sleep 0.05
  done
  grep -q 'is saved in' messages || fail "ended before it was killed: $(cat messages)"
  left=$(ps -o pid= --ppid $launcher || true)
  kill -9 $launcher
  wait $launcher 2>/dev/null || true
  # ranks that do not notice at once would end the run themselves
  # shellcheck disable=SC2086 # a list of numbers
  (sleep 1 && kill -9 $left 2>/dev/null) &
done
wait
[ -s killed.h5.checkpoint ] && [ ! -e killed.h5 ] || fail "killed $times times: $(ls killed*)"
rm slow
"$CASIMIR" run mlmc.yaml --quiet --resume --wait 10min --output killed.h5 2>messages || fail "$(cat messages)"
same whole.h5 killed.h5

# ---- a budget, in work and in time ----

"$CASIMIR" run mlmc.yaml --set study.epsilon=null --set study.plain_paths=0 --dry-run --output none.h5 2>messages &&
  fail "neither epsilon nor budget: status 0"
sed 's/epsilon: 5e-4/budget: 1s/; s/plain_paths: 40000/plain_paths: 0/' mlmc.yaml >budget.yaml
timed=0 found=75
while [ $found -eq 75 ]; do
  found=0
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n $((1 + timed % 3)) "$CASIMIR" run budget.yaml --quiet --resume \
    --max-walltime 0.$((3 + timed % 5)) --output timed.h5 2>messages || found=$?
  timed=$((timed + 1))
done
[ $found -eq 0 ] || fail "status $found: $(cat messages)"
[ $timed -ge 5 ] || fail "only $timed pieces: nothing was tested"
work=$(h5dump -a /mlmc/budget timed.h5 | sed -n 's/.*(0): //p')
for ranks in 1 2 7; do
  rm -f stated.h5
  "$MPIEXEC" --oversubscribe -n $ranks "$CASIMIR" run budget.yaml --quiet --set "study.budget=$work" --output stated.h5
  same timed.h5 stated.h5 configuration
done
"$CASIMIR" report stated.h5 | tr '\n' ' ' | grep -qF "budget $work kept)" || fail "the report lacks the budget"
"$CASIMIR" report timed.h5 --long | grep -q work_per_core_second || fail "the report lacks the speed"
found=0
"$CASIMIR" run budget.yaml --quiet --resume --set study.budget=2s --output timed.h5 2>messages || found=$?
{ [ $found -eq 2 ] && grep -q 'another study.budget' messages; } || fail "$(cat messages)"
CASIMIR_KERNELS=generic "$CASIMIR" run budget.yaml --quiet --set study.budget=3e7 --output generic.h5
"$CASIMIR" run budget.yaml --quiet --set study.budget=3e7 --output widest.h5
h5diff generic.h5 widest.h5 /mlmc/paths_by_round || fail "numbers of paths within a budget depend on the kernels"
echo "a budget in $timed pieces, $work of work"

# finished is finished; another epsilon is another run
"$CASIMIR" run mlmc.yaml --quiet --resume --output whole.h5 2>messages
grep -q 'is finished already' messages
found=0
"$CASIMIR" run mlmc.yaml --quiet --resume --output whole.h5 --set study.epsilon=1e-4 2>messages || found=$?
{ [ $found -eq 2 ] && grep -q 'another study.epsilon' messages; } || fail "$(cat messages)"

# ---- its paths ----

# path 5 of level 2, whatever epsilon is, and path 5 of plain Monte Carlo with that step
"$CASIMIR" run mlmc.yaml --only-path 2000000005 >one
"$CASIMIR" run mlmc.yaml --only-path 2000000005 --set study.epsilon=1 --set study.min_levels=5 >other
grep -q '^2^-6 (finest, swapped)' one && cmp one other
"$CASIMIR" run mlmc.yaml --only-path 14000000005 >plain
grep -q '^2^-6 (finest)' plain || fail "$(cat plain)"
[ "$(grep -c state plain)" -eq 1 ]
found=0
"$CASIMIR" run mlmc.yaml --only-path 24000000000 2>messages >none || found=$?
{ [ $found -eq 2 ] && grep -q 'has paths 0 to' messages; } || fail "$(cat messages)"

# ---- decisions are those of any width of vectors, although groups of lanes iterate together ----

CASIMIR_KERNELS=generic "$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-mlmc.yaml" --quiet --output generic.h5
"$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-mlmc.yaml" --quiet --output widest.h5
h5diff generic.h5 widest.h5 /mlmc/paths_by_round || fail "numbers of paths depend on the kernels"
h5diff -p 1e-3 generic.h5 widest.h5 /mlmc/work_per_path || fail "work depends on the kernels"

# ---- what it says ----

"$CASIMIR" run mlmc.yaml --dry-run --output none.h5 >dry
grep -q 'level 2, h = 2^-6: 512 paths of 80 steps; path p is --only-path 2000000000 + p' dry || fail "$(cat dry)"
grep -q 'x1 then decides how many paths and levels follow' dry
# numbers of levels do not meet, although 1000 paths are 1024 in whole blocks
"$CASIMIR" run mlmc.yaml --dry-run --output none.h5 --set study.max_paths=1000 --set study.plain_paths=0 >dry
grep -q 'level 1, .* --only-path 10000 + p' dry || fail "$(cat dry)"
# a look at 2^34 steps of a path takes no longer
timeout 600 "$CASIMIR" run mlmc.yaml --dry-run --output none.h5 --set study.min_levels=31 --set study.max_levels=31 >dry ||
  fail "31 levels: $(cat dry)"
"$CASIMIR" describe mlmc >described
grep -q epsilon described && grep -q theta described
found=0
"$CASIMIR" run mlmc.yaml --output missed.h5 --set study.max_levels=3 >table 2>messages || found=$?
{ [ $found -eq 1 ] && grep -q 'NOT REACHED' table && grep -q 'NOT REACHED' messages && test -s missed.h5; } || fail "$(cat messages)"
"$CASIMIR" run mlmc.yaml --output table.h5 --set study.epsilon=2e-3 --long >table 2>/dev/null
for line in 'Multilevel estimate of E x1' total_error 'what was asked for is reached' work_predicted \
  plain_work_measured 'levels to 2^-'; do
  grep -q "$line" table || fail "'$line' is missing"
done

# what failed is said first
"$CASIMIR" run mlmc.yaml --output failed.h5 --set integrator.name=implicit_midpoint --set integrator.max_iterations=28 --set study.epsilon=5e-3 >table 2>/dev/null && fail "failed paths: status 0"
grep -q '^Not valid: [0-9]* of [0-9]* paths failed and are left out' table || fail "$(cat table)"

for job in "$SOURCE_DIR"/jobs/*-mlmc.yaml; do
  "$CASIMIR" run "$job" --quiet --output job.h5 --set study.epsilon=0.02
done
