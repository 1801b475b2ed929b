#!/bin/sh
# Ranks that die, disks that fill up, calls that fail, directories that vanish: nothing is lost or counted twice, nothing
# wrong looks right, and what happened is said. CASIMIR_KILLS: how many ranks are killed; CASIMIR_STORMS: how many runs
# have checkpoints as fast as they can be written. No run waits for the disk, which others may write to as well; where a run
# has to be at a certain place, time goes by looks at the clock. A study takes a third of a second, with some fifty
# checkpoints in it. What is left is gone on with on one rank, without mpiexec, where nothing is left to share.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"
kills=${CASIMIR_KILLS:-4}
storms=${CASIMIR_STORMS:-2}

cat >convergence.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 2900, functionals: [sin2pi]}
output: {checkpoint_every: 0.02s}
END
cat >trajectory.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: trajectory, step: 0.01, steps: 8000, every: 50, paths: 333}
output: {checkpoint_every: 0.02s}
END
cat >ensemble.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: ensemble, step: 0.01, steps: 8000, times: [0, 5, 40, 80], paths: 333, members: 100, observables: [x1]}
output: {checkpoint_every: 0.02s}
END
cat >mlmc.yaml <<'END'
system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}
study: {kind: mlmc, epsilon: 2e-3, coarsest_step: 1/16, horizon: 0.5, functionals: [x1]}
output: {checkpoint_every: 0.1s}
END

# run RANKS STUDY ARGUMENT ..
run() {
  ranks=$1 study=$2
  shift 2
  LD_PRELOAD=$FAULTS "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$study.yaml" --quiet --output out.h5 "$@" 2>messages
}
alone() { LD_PRELOAD=$FAULTS "$CASIMIR" run "$1.yaml" --quiet --output out.h5 --resume 2>messages; }

# as_before STUDY: out.h5 is what the undisturbed run wrote, and nothing else is there
as_before() { (same "$1-whole.h5" out.h5 && nothing_left out.h5) || fail "$what: not the same"; }

# whatever ended a run, it was neither a crash nor a success
ended_with() {
  [ "$2" -eq "$1" ] || fail "$what: status $2, must be $1: $(cat messages)"
  grep -qE 'signal 11|Segmentation|Aborted|sanitizer' messages && fail "$what crashed: $(cat messages)"
}

for study in convergence trajectory ensemble mlmc; do
  "$CASIMIR" run $study.yaml --quiet --output $study-whole.h5 2>messages || fail "$study.yaml does not run"
done

# ---- any rank killed at any time ----
random=${CASIMIR_SEED:-1}
done_kills=0 study=convergence
rm -f out.h5*
while again $done_kills 4 "$kills"; do
  what="$study after $done_kills kills"
  random=$(((random * 1103515245 + 12345) % 2147483648))
  ranks=$((2 + random / 65536 % 3)) victim=$((random / 262144 % ranks + 1)) hundredths=$((random / 1048576 % 24))
  rm -f messages
  LD_PRELOAD=$FAULTS "$MPIEXEC" -n $ranks "$CASIMIR" run $study.yaml --quiet --output out.h5 --resume 2>messages &
  launcher=$!
  # Open MPI 4.1's mpiexec itself may wait for ever if a rank dies within MPI_Init
  until [ -s messages ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.02; done
  sleep $((hundredths / 100)).$((hundredths / 10 % 10))$((hundredths % 10))
  children_of $launcher
  pid=$(echo "$children" | cut -d" " -f$victim)
  if [ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null; then done_kills=$((done_kills + 1)); fi
  wait_for $launcher
  status=$?
  if [ $status -eq 0 ]; then
    as_before $study
    rm -f out.h5*
    case $study in convergence) study=trajectory ;; trajectory) study=ensemble ;; *) study=convergence ;; esac
  fi
done
what="$study at last"
run 2 $study --resume || fail "$what: $(cat messages)"
as_before $study
echo "$done_kills ranks killed"

# ---- the calls that write a checkpoint ----
# faulty KIND NUMBER PATTERN RANKS STUDY ARGUMENT ..: on rank 0
faulty() {
  kind=$1 number=$2 pattern=$3
  shift 3
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 FAULT_RANK=0 FAULT_KIND=$kind FAULT_AT=$number FAULT_MATCH=$pattern run "$@"
}

for number in 3 17 24 31; do
  kind="kill"
  [ $number -ne 17 ] && [ $number -ne 31 ] || kind="half"
  what="$kind at call $number"
  rm -f out.h5*
  faulty $kind $number out.h5.checkpoint 2 trajectory && fail "$what: not killed"
  run 3 trajectory --resume || fail "$what: $(cat messages)"
  as_before trajectory
done

# a checkpoint on the way that fails is said, and the run goes on; from a full disk too
for faults in fail:convergence full:convergence full:mlmc; do
  what="checkpoints: $faults"
  kind=${faults%:*} study=${faults#*:}
  rm -f out.h5*
  faulty "$kind" 12 out.h5.checkpoint 2 "$study"
  ended_with 0 $?
  cause='Input/output error'
  [ $kind = fail ] || cause='No space left on device'
  grep -q "out.h5.checkpoint.*: $cause\. The run goes on" messages || fail "$what: $(cat messages)"
  as_before "$study"
done

# ---- the results themselves ----
for faults in fail:convergence full:convergence full:mlmc; do
  kind=${faults%:*} study=${faults#*:}
  for number in 1 3; do
    what="results: $faults at call $number"
    rm -f out.h5*
    cp trajectory-whole.h5 out.h5
    faulty "$kind" $number out.h5.tmp 2 "$study"
    ended_with 3 $?
    grep -q 'casimir: out.h5.*: \(Input/output error\|No space left on device\)' messages || fail "$what: $(cat messages)"
    grep -q 'out.h5.checkpoint.*--resume' messages || fail "$what: does not say what to do: $(cat messages)"
    cmp -s trajectory-whole.h5 out.h5 || fail "$what: the old file changed"
    [ ! -e out.h5.tmp ] || fail "$what: a temporary file is left"
    rm out.h5
    alone "$study" || fail "$what: $(cat messages)"
    as_before "$study"
  done
done
# the file of records, at any call from its making to its end: what the checkpoint knows of stays usable
for number in 3 11 19 27 35 43; do
  for study in trajectory ensemble; do
    what="records of the $study that fail at call $number"
    rm -f out.h5*
    faulty fail $number out.h5.tmp 2 $study
    status=$?
    if [ $status -ne 0 ] || [ $study = trajectory ]; then
      ended_with 3 $status
      grep -q 'out.h5.*: Input/output error' messages || fail "$what: $(cat messages)"
      if [ $study = trajectory ]; then run 3 $study --resume; else alone $study; fi || fail "$what: $(cat messages)"
    fi
    as_before $study
  done
done

# a trajectory that cannot be completed: its records stay where the checkpoint goes on from. One rank, whose calls are the
# same ones in every run: several share the work as they come for it
what="a completion that fails"
rm -f out.h5* calls
faulty none 0 nothing 2 trajectory --max-walltime 0.3s
ended_with 75 $?
mkdir -p kept && cp out.h5.checkpoint out.h5.tmp kept
FAULT_LOG=calls faulty none 0 out.h5.tmp 1 trajectory --resume --set output.checkpoint_every=0
ended_with 0 $?
number=$(sed -n 's/^\([0-9]*\) fsync .*/\1/p' calls | tail -n 1)
rm -f out.h5* && cp kept/* .
faulty fail "$number" out.h5.tmp 1 trajectory --resume --set output.checkpoint_every=0
ended_with 3 $?
[ -e out.h5.tmp ] || fail "$what: the records are gone"
alone trajectory || fail "$what: $(cat messages)"
as_before trajectory

# ---- a directory that vanishes for a while, and for good ----
for back in yes no; do
  what="a directory that vanishes, back: $back"
  rm -rf there away messages && mkdir there
  touch slow
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 FAULT_SLOW=$PWD/slow "$MPIEXEC" -n 2 "$CASIMIR" run convergence.yaml --quiet \
    --output "$PWD/there/out.h5" 2>messages &
  launcher=$!
  await grep -q 'is saved in' messages
  mv there away
  await grep -q 'The run goes on' messages
  [ $back = no ] || mv away there
  rm slow
  wait $launcher
  status=$?
  grep -q 'out.h5.checkpoint.*: No such file or directory. The run goes on' messages || fail "$what: $(cat messages)"
  if [ $back = yes ]; then
    ended_with 0 $status
    (same convergence-whole.h5 there/out.h5) || fail "$what: not the same"
  else
    ended_with 3 $status
    grep -q 'casimir: .*there/out.h5.*: No such file or directory' messages || fail "$what: $(cat messages)"
    mv away out-dir && mv out-dir/* . && rmdir out-dir
    alone convergence || fail "$what: $(cat messages)"
    as_before convergence
  fi
done

# ---- checkpoints as fast as they can be written ----
storm=0
while again $storm 2 "$storms"; do
  for study in convergence trajectory ensemble; do
    what="storm $storm of $study"
    rm -f out.h5*
    LD_PRELOAD=$FAULTS "$MPIEXEC" -n 3 "$CASIMIR" run $study.yaml --quiet --output out.h5 --set output.checkpoint_every=0.001s 2>messages
    ended_with 0 $?
    as_before $study
  done
  storm=$((storm + 1))
done
echo "$(grep -c 'is saved in' messages) checkpoints in the last run"

[ $failures -eq 0 ]
