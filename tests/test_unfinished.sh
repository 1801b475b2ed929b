#!/bin/sh
# The checkpoint of an unfinished run is never lost by looking at it, whoever looks: with --resume or without, from this run
# or another, whether it can be read or not.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
run | body | trajectory, step: 2^-5, steps: 64000, every: 640, paths: 2
fluid | {name: euler_zeitlin, N: 32, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 20, lmin: 2, lmax: 6}}} | trajectory, step: 2^-8, steps: 6400, every: 640
more | body | strong, coarsest_step: 2^-7, coarsest_steps: 13, levels: 2, reference: 8, paths: 64
END

# as_left: the files as they were when it was interrupted
as_left() { rm -rf out.h5* && cp kept/* .; }

# ends_whole PATTERN: what is there is gone on with
ends_whole() {
  expect 0 "$1" run.yaml --resume
  alike whole.h5 out.h5 "$1"
}

runs run.yaml --output whole.h5
interrupted run.yaml --max-walltime 3
interrupted run.yaml --resume --max-walltime 3
mkdir kept && cp out.h5* kept
[ -s out.h5.checkpoint ] && [ -s out.h5.checkpoint.previous ] && [ -s out.h5.tmp ] || fail "interrupted twice: $(ls out.h5*)"

# ---- another configuration, without --resume: not "go on with --resume", which would be refused ----
refused 2 '^casimir: out.h5.checkpoint belongs to a run with another random.seed\. Give the configuration .*, or another --output\. Or remove it' run.yaml --set random.seed=2
refused 2 '^casimir: out.h5.checkpoint holds an unfinished run \([0-9]' run.yaml

# ---- damaged: the one before, by name, and neither is touched by who is refused ----
truncate -s -1 out.h5.checkpoint
refused 2 'out.h5.checkpoint.previous belongs to a run with another random.seed' run.yaml --resume --set random.seed=2
refused 2 'out.h5.checkpoint.previous belongs to a run with another random.seed' run.yaml --set random.seed=2
refused 2 'out.h5.checkpoint.previous holds an unfinished run' run.yaml
# interrupted again at once: the new one has the place of the damaged one, and the previous one stays
before=$(cksum <out.h5.checkpoint.previous)
interrupted run.yaml --resume --max-walltime 3
has 'going on from out.h5.checkpoint.previous, [0-9.]*% of the run'
[ "$before" = "$(cksum <out.h5.checkpoint.previous)" ] || fail "the previous checkpoint was not kept"
ends_whole 'going on from out.h5.checkpoint, '

# missing, and the run fails before it writes another: the records stay
as_left
rm out.h5.checkpoint
FAULT_MATCH=out.h5.checkpoint.tmp FAULT_AT=1 FAULT_KIND=full \
  by_looks 0.01 expect 3 'out.h5.checkpoint.tmp: cannot be written: No space' run.yaml --resume --max-walltime 3
[ -s out.h5.tmp ] || fail "the records of the previous checkpoint are gone"
ends_whole 'going on from out.h5.checkpoint.previous'

# ---- it cannot be read: that says nothing of what is in it ----
as_left
for again in --quiet --resume; do
  unchanged 3 'out.h5.checkpoint: .*Input/output error. It is not known to be damaged, so out.h5.checkpoint.previous is not used' \
    env LD_PRELOAD="$FAULTS" FAULT_MATCH=out.h5.checkpoint FAULT_AT=2 FAULT_KIND=fail "$CASIMIR" run run.yaml $again
done
ends_whole 'going on from out.h5.checkpoint, '

# ---- nothing of it is whole, or it is something else: a new run does not take its place unasked ----
as_left
rm out.h5.checkpoint.previous
truncate -s 100 out.h5.checkpoint
refused 3 'out.h5.checkpoint: is damaged.*There is no out.h5.checkpoint.previous. Remove the former.*Or choose another --output' run.yaml
refused 3 'out.h5.checkpoint: is damaged.*There is no out.h5.checkpoint.previous. Remove the former' run.yaml --resume
echo 'my notes' >out.h5.checkpoint
refused 3 'out.h5.checkpoint: is damaged' run.yaml

# ---- the bits of a large fluid are those of one kind of processor; others do not care ----
if OPENBLAS_CORETYPE=Nehalem "$CASIMIR" --version | grep -q 'core Nehalem' &&
  OPENBLAS_CORETYPE=Prescott "$CASIMIR" --version | grep -q 'core Prescott'; then
  for core in Nehalem:Prescott Prescott:Nehalem; do
    begun=${core%:*} other=${core#*:}
    rm -f out.h5*
    OPENBLAS_CORETYPE=$begun interrupted fluid.yaml --max-walltime 0.5
    OPENBLAS_CORETYPE=$other refused 2 "out.h5.checkpoint was computed with the BLAS '.*, core $begun', .*set OPENBLAS_CORETYPE=$begun" fluid.yaml --resume
    OPENBLAS_CORETYPE=$begun expect 0 'going on from out.h5.checkpoint' fluid.yaml --resume
    OPENBLAS_CORETYPE=$other refused 0 'finished already' fluid.yaml --resume
  done
  rm -f out.h5*
  ends 2 "rank 0 has the BLAS '.*Nehalem' and rank 1 '.*Prescott'" "$MPIEXEC" -n 1 env OPENBLAS_CORETYPE=Nehalem "$CASIMIR" run fluid.yaml : \
    -n 1 env OPENBLAS_CORETYPE=Prescott "$CASIMIR" run fluid.yaml
  OPENBLAS_CORETYPE=Nehalem interrupted run.yaml --max-walltime 3
  OPENBLAS_CORETYPE=Prescott expect 0 'going on from' run.yaml --resume
  # where a longer run goes on has the name of the BLAS, too
  h5diff --exclude-path /restart whole.h5 out.h5 | grep '^dataset' && fail "a rigid body depends on the BLAS"
fi

# ---- a dry run says what --resume would find, and changes nothing ----
rm -f out.h5*
interrupted run.yaml --max-walltime 3
refused 0 'going on from out.h5.checkpoint, [0-9]' run.yaml --resume --dry-run
refused 2 'another random.seed' run.yaml --resume --dry-run --set random.seed=2
cp out.h5.checkpoint stale
expect 0 'going on from' run.yaml --resume
cp stale out.h5.checkpoint # as if it had ended before that was removed
for ranks in 1 2; do
  unchanged 0 '^out.h5 is finished already: nothing would be computed.$' "$MPIEXEC" -n $ranks "$CASIMIR" run run.yaml --resume --dry-run
  [ "$(wc -l <message)" -eq 1 ] || fail "--dry-run --resume: $(cat message)"
done

# ---- a finished run that is asked for again leaves the checkpoint of one with more paths ----
rm -f out.h5*
runs more.yaml
interrupted more.yaml --resume --max-walltime 3 --set study.paths=6400
refused 0 'finished already' more.yaml --resume

# ---- damaged results are in nobody's way where a checkpoint of them is whole ----
printf damage | dd of=out.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
refused 2 'out.h5: is damaged.*remove it, or choose another output' more.yaml --set study.paths=6400
expect 0 'going on from out.h5.checkpoint' more.yaml --resume --set study.paths=6400
