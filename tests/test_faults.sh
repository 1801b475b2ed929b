#!/bin/sh
# Ranks that die, disks that fill up, calls that fail, directories that vanish: nothing is lost or counted twice, nothing
# wrong looks right, and what happened is said. CASIMIR_KILLS: how many ranks are killed; CASIMIR_STORMS: how many runs
# have checkpoints as fast as they can be written. What fails at the end of a run is for test_disk_space.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
kills=${CASIMIR_KILLS:-4}
storms=${CASIMIR_STORMS:-2}

configurations <<'END'
convergence | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 2900, functionals: [sin2pi] | random: {generator: threefry}
trajectory | shaken | trajectory, step: 0.01, steps: 8000, every: 50, paths: 333
ensemble | shaken | ensemble, step: 0.01, steps: 8000, times: [0, 5, 40, 80], paths: 333, members: 100, observables: [x1]
mlmc | free | mlmc, epsilon: 2e-3, coarsest_step: 1/16, horizon: 0.5, functionals: [x1]
END

# run RANKS STUDY ARGUMENT ..
run() {
  ranks=$1 study=$2
  shift 2
  LD_PRELOAD=$FAULTS "$MPIEXEC" -n "$ranks" "$CASIMIR" run "$study.yaml" --quiet --output out.h5 "$@" >message 2>&1
}

# as_before STUDY: out.h5 is what the undisturbed run wrote, and nothing else is there
as_before() { alike "$1-whole.h5" out.h5 "$what"; }

# gone_on RANKS STUDY: with what was left
gone_on() {
  ends 0 '' on_ranks "$1" "$CASIMIR" run "$2.yaml" --quiet --output out.h5 --resume
  as_before "$2"
}

# ended STATUS FOUND [PATTERN ..]: whatever ended a run, it was no crash, and it says that
ended() {
  [ "$2" -eq "$1" ] || fail "$what: status $2, must be $1: $(cat message)"
  grep -qE 'signal 11|Segmentation|Aborted|sanitizer' message && fail "$what crashed: $(cat message)"
  shift 2
  has "$@"
}

for study in convergence trajectory ensemble mlmc; do
  every=0.02s
  [ $study != mlmc ] || every=0.1s
  echo "output: {checkpoint_every: $every}" >>$study.yaml
  runs $study.yaml --output $study-whole.h5
done

# ---- any rank killed at any time ----
random=${CASIMIR_SEED:-1}
for study in convergence trajectory ensemble mlmc; do
  done_kills=0
  rm -f out.h5*
  while again $done_kills 1 $((kills / 4)); do
    what="$study after $done_kills kills"
    random=$(((random * 1103515245 + 12345) % 2147483648))
    ranks=$((2 + random / 65536 % 3)) victim=$((random / 262144 % ranks + 1)) hundredths=$((random / 1048576 % 24))
    rm -f messages
    LD_PRELOAD=$FAULTS "$MPIEXEC" -n $ranks "$CASIMIR" run $study.yaml --quiet --output out.h5 --resume 2>messages &
    launcher=$!
    # Open MPI 4.1's mpiexec itself may wait for ever if a rank dies within MPI_Init
    until [ -s messages ] || ! kill -0 $launcher 2>/dev/null; do sleep 0.05; done
    sleep 0.$((hundredths / 10 % 10))$((hundredths % 10))
    children_of $launcher
    pid=$(echo "$children" | cut -d" " -f$victim)
    if [ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null; then done_kills=$((done_kills + 1)); fi
    wait_for $launcher && as_before $study && rm -f out.h5*
  done
  what="$study after $done_kills kills, at last"
  gone_on 2 $study
done

# ---- the calls that write a checkpoint ----
# faulty KIND NUMBER PATTERN RANKS STUDY ARGUMENT ..: on rank $rank
rank=0
faulty() {
  kind=$1 number=$2 pattern=$3
  shift 3
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 FAULT_RANK=$rank FAULT_KIND=$kind FAULT_AT=$number FAULT_MATCH=$pattern run "$@"
}

for number in 3 17 24 31; do
  kind="kill"
  [ $number -ne 17 ] && [ $number -ne 31 ] || kind="half"
  what="$kind at call $number"
  rm -f out.h5*
  faulty $kind $number out.h5.checkpoint 2 trajectory && fail "$what: not killed"
  gone_on 3 trajectory
done

# a checkpoint on the way that fails is said, and the run goes on; from a full disk too
for faults in 'fail:convergence:Input/output error' 'full:convergence:No space left on device' 'full:mlmc:No space left on device'; do
  study=${faults#*:} study=${study%:*} what="checkpoints: $faults"
  rm -f out.h5*
  faulty "${faults%%:*}" 12 out.h5.checkpoint 2 "$study"
  ended 0 $? "out.h5.checkpoint.*: ${faults##*:}\. The run goes on"
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
    ended 3 $? 'casimir: out.h5.*: (Input/output error|No space left on device)' 'out.h5.checkpoint.*--resume'
    cmp -s trajectory-whole.h5 out.h5 || fail "$what: the old file changed"
    [ ! -e out.h5.tmp ] || fail "$what: a temporary file is left"
    rm out.h5
    gone_on 1 "$study"
  done
done
# the file of records, at any call from its making to its end: what the checkpoint knows of stays usable
for number in 3 11 19 27 35 43; do
  for study in trajectory:2 ensemble:1; do
    ranks=${study#*:} study=${study%:*} what="records of the $study that fail at call $number"
    rm -f out.h5*
    faulty fail $number out.h5.tmp 2 $study
    status=$?
    if [ $status -ne 0 ] || [ $study = trajectory ]; then
      ended 3 $status 'out.h5.*: Input/output error'
      gone_on "$ranks" $study
    fi
    as_before $study
  done
done

# where the last rank alone cannot write, all say so, and none waits
rank=1 what="members that rank 1 cannot write"
rm -f out.h5*
faulty fail 1 out.h5.tmp 2 ensemble
ended 3 $? 'out.h5.*: Input/output error'
gone_on 1 ensemble

# ---- a directory that vanishes for a while, and for good ----
for back in yes no; do
  what="a directory that vanishes, back: $back"
  rm -rf there away && mkdir there
  slowly "$MPIEXEC" -n 2 "$CASIMIR" run convergence.yaml --quiet --output "$PWD/there/out.h5"
  says 'is saved in'
  mv there away
  says 'out.h5.checkpoint.*: No such file or directory. The run goes on'
  [ $back = no ] || mv away there
  rm slow
  wait $process
  status=$?
  cp messages message
  if [ $back = yes ]; then
    ended 0 $status
    alike convergence-whole.h5 there/out.h5 "$what"
  else
    ended 3 $status 'casimir: .*there/out.h5.*: No such file or directory'
    mv away/* .
    gone_on 1 convergence
  fi
done

# ---- checkpoints as fast as they can be written ----
storm=0
while again $storm 2 "$storms"; do
  for study in convergence trajectory ensemble; do
    what="storm $storm of $study"
    rm -f out.h5*
    run 3 $study --set output.checkpoint_every=0.001s
    ended 0 $?
    as_before $study
  done
  storm=$((storm + 1))
done
echo "$(grep -c 'is saved in' message) checkpoints in the last run"
