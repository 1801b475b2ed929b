#!/bin/sh
# The checkpoint of a run that was killed has tables: to the last digit those of a run of as many paths, marked as partial, and
# nothing is stored. Of every kind of study; studies that cannot say why.
. "$SOURCE_DIR/tests/checks.sh"

system='{name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, initial: [0.36, 0.48, 0.8]}'
steps='coarsest_step: 2^-5, coarsest_steps: 32' many='paths: 100000000'
levels="$steps, levels: 2, reference: 3, $many"
# runs that take minutes
configurations 'random: {generator: threefry}' <<END
strong | $system | strong, $levels
strong_quantiles | $system | strong_quantiles, $levels
weak | $system | weak, $levels, functionals: [x1]
convergence | $system | convergence, $levels, functionals: [x1]
weak_times | $system | weak_times, $levels, times: [0.5, 1], functionals: [x1]
law | $system | law, $levels, range: [-1, 1], functionals: [x1]
invariant | $system | invariant, $steps, levels: 2, from: 0, functionals: [x1], $many
time_average | $system | time_average, step: 2^-8, steps: 256, batches: 4, observables: [x1], $many
ensemble | $system | ensemble, step: 2^-8, steps: 256, times: [0.5, 1], observables: [x1, {up: "x1 > 0.5"}], members: 2, $many
weak_multilevel | $system | weak_multilevel, $steps, levels: 3, functionals: [x1], $many
mlmc | $system | mlmc, epsilon: 1e-7, $steps, functionals: [x1]
trajectory | $system | trajectory, step: 2^-8, steps: 100000000, every: 10000, observables: [x1], paths: 64
END

# has_sums: the checkpoint has tables, or never will
has_sums() { "$CASIMIR" report out.h5.checkpoint >/dev/null 2>message || grep -q 'has no partial report' message; }

# kill_run KIND: a run of it, when it has two checkpoints, and sums in the last one
kill_run() {
  rm -rf out.h5*
  "$CASIMIR" run "$1.yaml" --output out.h5 --quiet --set output.checkpoint_every=0.05 2>/dev/null &
  process=$!
  await [ -s out.h5.checkpoint.previous ]
  await has_sums
  kill -KILL $process
  wait $process 2>/dev/null
}

# of the run that is not finished neither a time nor an advice is known
speaks_of_itself() { grep -qE ' s on [0-9]+ rank|^computed |^time |^cost |^ *try|results in' "$1"; }
tables() { grep -vE '^(time |cost |computed |PARTIAL|$)' "$1"; }

for kind in $("$CASIMIR" describe studies | sed -n 's/^\([a-z_]*\): .*/\1/p'); do
  [ -e "$kind.yaml" ] || { fail "no run of a study $kind in this test"; continue; }
  kill_run "$kind"
  case $kind in
  trajectory | mlmc | weak_multilevel)
    unchanged 2 "is of a study $kind, which has no partial report: [iw]" "$CASIMIR" report --long out.h5.checkpoint
    continue
    ;;
  esac
  unchanged 0 '' "$CASIMIR" report --long out.h5.checkpoint
  cp message partial
  paths=$(sed -n '1s/^PARTIAL: \([0-9]*\) of 100000000 paths.*/\1/p' partial)
  [ "${paths:-0}" -gt 0 ] && tail -n 1 partial | grep -q "^PARTIAL: $paths of 100000000 paths, .*no result$" || fail "$kind: $(cat partial)"
  unchanged 0 "^PARTIAL: $paths of 100000000 paths, [0-9.e-]*%" "$CASIMIR" report out.h5.checkpoint
  ! speaks_of_itself message && ! speaks_of_itself partial || fail "$kind: $(cat message partial)"
  "$CASIMIR" run "$kind.yaml" --set study.paths="${paths:-1}" --output whole.h5 --long >whole 2>message || fail "$kind: $(cat message)"
  rm -f whole.h5
  tables whole >expected
  tables partial | cmp -s - expected || fail "$kind: $(tables partial | diff - expected)"
  unchanged 0 "\"partial\": \"$paths of 100000000 paths\"" "$CASIMIR" report out.h5.checkpoint --format json
  unchanged 2 '' "$CASIMIR" report out.h5.checkpoint --format csv
done
