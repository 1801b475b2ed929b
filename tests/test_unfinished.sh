#!/bin/sh
# The checkpoint of an unfinished run is never lost by looking at it, whoever looks: with --resume or without, from this run
# or another, whether it can be read or not.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 64000, every: 640, paths: 2}
output: {file: out.h5, checkpoint_every: 0}
END

# looks PATTERN STATUS ARGUMENT ..: refused, and no file has changed
looks() {
  pattern=$1 status=$2
  shift 2
  ls -d out.h5* >names
  cksum out.h5.tmp out.h5.checkpoint* >before 2>/dev/null
  expect "$status" "$pattern" run.yaml "$@"
  ls -d out.h5* | cmp -s - names || fail "$*: files are now $(ls -d out.h5*)"
  cksum out.h5.tmp out.h5.checkpoint* 2>/dev/null | cmp -s - before || fail "$*: files changed"
}

# interrupted TIMES: TIMES checkpoints are left
interrupted() {
  rm -rf out.h5*
  for _ in $(seq "$1"); do
    LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' run.yaml --resume --max-walltime 3
  done
  mkdir -p kept && rm -f kept/* && cp out.h5* kept
}

# as_left: the files as they were when it was interrupted
as_left() { rm -rf out.h5* && cp kept/* .; }

"$CASIMIR" run run.yaml --quiet --output whole.h5 || fail "run.yaml does not run"
interrupted 2
[ -s out.h5.checkpoint ] && [ -s out.h5.checkpoint.previous ] && [ -s out.h5.tmp ] || fail "interrupted twice: $(ls out.h5*)"

# ---- another configuration, without --resume: not "go on with --resume", which would be refused ----
looks '^casimir: out.h5.checkpoint belongs to a run with another random.seed\. Give the configuration .*, or another --output\. Or remove it' 2 \
  --set random.seed=2
looks '^casimir: out.h5.checkpoint holds an unfinished run \([0-9]' 2

# ---- damaged: the one before, by name, and neither is touched by who is refused ----
truncate -s -1 out.h5.checkpoint
looks 'out.h5.checkpoint.previous belongs to a run with another random.seed' 2 --resume --set random.seed=2
looks 'out.h5.checkpoint.previous belongs to a run with another random.seed' 2 --set random.seed=2
looks 'out.h5.checkpoint.previous holds an unfinished run' 2
# interrupted again at once: the new one has the place of the damaged one, and the previous one stays
cksum <out.h5.checkpoint.previous >before
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'going on from out.h5.checkpoint.previous, [0-9.]*% of the run' run.yaml --resume --max-walltime 3
cksum <out.h5.checkpoint.previous | cmp -s - before || fail "the previous checkpoint was not kept"
expect 0 'going on from out.h5.checkpoint, ' run.yaml --resume
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after a damaged checkpoint"

# missing, and the run fails before it writes another: the records stay
as_left
rm out.h5.checkpoint
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_MATCH=out.h5.checkpoint.tmp FAULT_AT=1 FAULT_KIND=full \
  expect 3 'out.h5.checkpoint.tmp: cannot be written: No space' run.yaml --resume --max-walltime 3
[ -s out.h5.tmp ] || fail "the records of the previous checkpoint are gone"
expect 0 'going on from out.h5.checkpoint.previous' run.yaml --resume
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same from the previous checkpoint"

# ---- it cannot be read: that says nothing of what is in it ----
as_left
for again in '' --resume; do
  # shellcheck disable=SC2086 # none or one word
  LD_PRELOAD=$FAULTS FAULT_MATCH=out.h5.checkpoint FAULT_AT=2 FAULT_KIND=fail \
    looks 'out.h5.checkpoint: .*Input/output error. It is not known to be damaged, so out.h5.checkpoint.previous is not used' 3 $again
done
expect 0 'going on from out.h5.checkpoint, ' run.yaml --resume
(same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after an error of reading"

# ---- nothing of it is whole, or it is something else: a new run does not take its place unasked ----
as_left
rm out.h5.checkpoint.previous
truncate -s 100 out.h5.checkpoint
for again in '' --resume; do
  # shellcheck disable=SC2086 # none or one word
  looks 'out.h5.checkpoint: is damaged.*There is no out.h5.checkpoint.previous. Remove the former' 3 $again
done
looks 'Or choose another --output' 3
echo 'my notes' >out.h5.checkpoint
looks 'out.h5.checkpoint: is damaged' 3

# ---- Ctrl-C, and a terminal that is closed ----
for signal in INT HUP; do
  rm -f out.h5*
  touch slow
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow env --default-signal=INT --default-signal=HUP \
    "$CASIMIR" run run.yaml --quiet 2>message &
  await test -s out.h5.lock
  kill -$signal $!
  wait $!
  found=$?
  [ $found -eq 75 ] || fail "SIG$signal: status $found, must be 75: $(cat message)"
  [ -s out.h5.checkpoint ] || fail "SIG$signal leaves no checkpoint"
  [ ! -e out.h5.lock ] || fail "SIG$signal leaves its lock"
  rm slow
  expect 0 'going on from' run.yaml --resume
  (same whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after SIG$signal"
done

# ---- the bits of a large fluid are those of one kind of processor; others do not care ----
rm -f out.h5*
cat >fluid.yaml <<'END'
system: {name: euler_zeitlin, N: 32, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 20, lmin: 2, lmax: 6}}}
study: {kind: trajectory, step: 2^-8, steps: 6400, every: 640}
output: {file: out.h5, checkpoint_every: 0}
END
if OPENBLAS_CORETYPE=Nehalem "$CASIMIR" --version | grep -q 'core Nehalem' &&
  OPENBLAS_CORETYPE=Prescott "$CASIMIR" --version | grep -q 'core Prescott'; then
  for core in Nehalem:Prescott Prescott:Nehalem; do
    begun=${core%:*} other=${core#*:}
    rm -f out.h5*
    OPENBLAS_CORETYPE=$begun LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' fluid.yaml --max-walltime 0.5
    OPENBLAS_CORETYPE=$other expect 2 "out.h5.checkpoint was computed with the BLAS '.*, core $begun', .*set OPENBLAS_CORETYPE=$begun" fluid.yaml --resume
    OPENBLAS_CORETYPE=$begun expect 0 'going on from out.h5.checkpoint' fluid.yaml --resume
    OPENBLAS_CORETYPE=$other expect 0 'finished already' fluid.yaml --resume
  done
  rm -f out.h5*
  "$MPIEXEC" -n 1 env OPENBLAS_CORETYPE=Nehalem "$CASIMIR" run fluid.yaml --quiet : \
    -n 1 env OPENBLAS_CORETYPE=Prescott "$CASIMIR" run fluid.yaml --quiet 2>message
  [ $? -eq 2 ] || fail "ranks with two BLAS: $(cat message)"
  grep -q "rank 0 has the BLAS '.*Nehalem' and rank 1 '.*Prescott'" message || fail "ranks with two BLAS: $(cat message)"
  OPENBLAS_CORETYPE=Nehalem LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' run.yaml --max-walltime 3
  OPENBLAS_CORETYPE=Prescott expect 0 'going on from' run.yaml --resume
  # where a longer run goes on has the name of the BLAS, too
  h5diff --exclude-path /restart whole.h5 out.h5 | grep '^dataset' && fail "a rigid body depends on the BLAS"
fi

# ---- a dry run says what --resume would find, and changes nothing ----
rm -f out.h5*
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' run.yaml --max-walltime 3
looks 'going on from out.h5.checkpoint, [0-9]' 0 --resume --dry-run
looks 'another random.seed' 2 --resume --dry-run --set random.seed=2
cp out.h5.checkpoint stale
expect 0 'going on from' run.yaml --resume
cp stale out.h5.checkpoint # as if it had ended before that was removed
looks '' 0 --resume --dry-run
for ranks in 1 2; do
  "$MPIEXEC" -n $ranks "$CASIMIR" run run.yaml --resume --dry-run >dry || fail "--dry-run --resume on $ranks ranks"
  [ "$(cat dry)" = 'out.h5 is finished already: nothing would be computed.' ] || fail "--dry-run --resume: $(cat dry)"
done

# ---- a finished run that is asked for again leaves the checkpoint of one with more paths ----
rm -f out.h5*
cat >more.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: strong, coarsest_step: 2^-7, coarsest_steps: 13, levels: 2, reference: 8, paths: 64}
output: {file: out.h5, checkpoint_every: 0}
END
"$CASIMIR" run more.yaml --quiet || fail "more.yaml does not run"
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' more.yaml --resume --max-walltime 3 --set study.paths=6400
expect 0 'finished already' more.yaml --resume

# ---- damaged results are in nobody's way where a checkpoint of them is whole ----
printf damage | dd of=out.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 2 'out.h5: is damaged.*remove it, or choose another output' more.yaml --set study.paths=6400
expect 0 'going on from out.h5.checkpoint' more.yaml --resume --set study.paths=6400

[ $failures -eq 0 ]
