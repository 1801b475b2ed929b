#!/bin/sh
# The checkpoint of a run that was killed has tables: to the last digit those of a run of as many paths, marked as partial, and
# nothing is stored. Of every kind of study; studies that cannot say why.
set -u
. "$SOURCE_DIR/tests/checks.sh"

cat >system.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.3}, initial: [0.36, 0.48, 0.8]}
random: {generator: threefry}
END
levels='coarsest_step: 2^-5, coarsest_steps: 32, levels: 2, reference: 3'

# keys_of KIND: in `keys`, of a run that takes minutes
keys_of() {
  case $1 in
  strong | strong_quantiles) keys="$levels" ;;
  weak | convergence) keys="$levels, functionals: [x1]" ;;
  weak_times) keys="$levels, times: [0.5, 1], functionals: [x1]" ;;
  law) keys="$levels, range: [-1, 1], functionals: [x1]" ;;
  invariant) keys="coarsest_step: 2^-5, coarsest_steps: 32, levels: 2, from: 0, functionals: [x1]" ;;
  time_average) keys='step: 2^-8, steps: 256, batches: 4, observables: [x1]' ;;
  ensemble) keys='step: 2^-8, steps: 256, times: [0.5, 1], observables: [x1, {up: "x1 > 0.5"}]' ;;
  weak_multilevel) keys='coarsest_step: 2^-5, coarsest_steps: 32, levels: 3, functionals: [x1]' ;;
  mlmc) keys='epsilon: 1e-7, coarsest_step: 2^-5, coarsest_steps: 32, functionals: [x1]' ;;
  trajectory) keys='step: 2^-8, steps: 100000000, every: 10000, observables: [x1]' ;;
  *) fail "no keys for study $1 in this test" ;;
  esac
  case $1 in
  mlmc) ;;
  trajectory) keys="$keys, paths: 64" ;;
  *) keys="$keys, paths: 100000000" ;;
  esac
}

# has_sums: the checkpoint has tables, or never will
has_sums() { "$CASIMIR" report out.h5.checkpoint >/dev/null 2>message || grep -q 'has no partial report' message; }

# kill_run: a run of study.yaml, when it has two checkpoints, and sums in the last one
kill_run() {
  rm -rf out.h5*
  "$CASIMIR" run study.yaml --output out.h5 --quiet --set output.checkpoint_every=0.2 2>/dev/null &
  running=$!
  await [ -s out.h5.checkpoint.previous ]
  await has_sums
  kill -KILL $running
  wait $running 2>/dev/null
}

# of the run that is not finished neither a time nor an advice is known
speaks_of_itself() { grep -qE ' s on [0-9]+ rank|^computed |^time |^cost |^ *try|results in' "$1"; }

tables() { grep -vE '^(time |cost |computed |PARTIAL|$)' "$1"; }

for kind in $("$CASIMIR" describe studies | sed -n 's/^\([a-z_]*\): .*/\1/p'); do
  keys_of "$kind"
  { cat system.yaml && echo "study: {kind: $kind, $keys}"; } >study.yaml
  kill_run
  ls out.h5* >names
  "$CASIMIR" report --long out.h5.checkpoint >partial 2>message
  status=$?
  case $kind in
  trajectory | mlmc | weak_multilevel)
    [ $status -eq 2 ] && grep -q "is of a study $kind, which has no partial report: [iw]" message ||
      fail "$kind: status $status, $(cat message)"
    continue
    ;;
  esac
  [ $status -eq 0 ] || fail "$kind: status $status, $(cat message)"
  paths=$(sed -n '1s/^PARTIAL: \([0-9]*\) of 100000000 paths.*/\1/p' partial)
  [ "${paths:-0}" -gt 0 ] && tail -n 1 partial | grep -q "^PARTIAL: $paths of 100000000 paths, .*no result$" || fail "$kind: $(cat partial)"
  "$CASIMIR" report out.h5.checkpoint >brief 2>message || fail "$kind: $(cat message)"
  sed 's/%.*/%/' brief | grep -q "^PARTIAL: $paths of 100000000 paths, [0-9.e-]*%$" || fail "$kind: $(cat brief)"
  ! speaks_of_itself brief && ! speaks_of_itself partial || fail "$kind: $(cat brief partial)"
  "$CASIMIR" run study.yaml --set study.paths="${paths:-1}" --output whole.h5 --long >whole 2>message || fail "$kind: $(cat message)"
  rm -f whole.h5
  tables whole >expected
  tables partial | cmp -s - expected || fail "$kind: $(tables partial | diff - expected)"
  "$CASIMIR" report out.h5.checkpoint --format json >json 2>message && grep -q "\"partial\": \"$paths of 100000000 paths\"" json ||
    fail "$kind: $(cat message json)"
  "$CASIMIR" report out.h5.checkpoint --format csv >csv 2>message && fail "$kind: rows without a mark: $(cat csv)"
  ls out.h5* | cmp -s - names || fail "$kind: files are now $(ls out.h5*)"
done

[ $failures -eq 0 ]
