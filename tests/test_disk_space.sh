#!/bin/sh
# Disk space for results is checked before anything is computed and kept until they are written; where writing fails all the
# same, what was computed is saved, and no more is said to be than is.
# needs: sprng
# What this test mounts is seen by itself and by what it starts.
case ${mounts:-} in
'') ! unshare -m true 2>/dev/null || mounts=own exec unshare -m sh "$0" ;;
esac
. "$SOURCE_DIR/tests/checks.sh"

configurations 'output: {checkpoint_every: 0}' <<'END'
spread | shaken | ensemble, step: 0.01, steps: 2000, every: 20, paths: 640, bins: 400, observables: [x1, x2, x3]
tracks | shaken | trajectory, step: 0.01, steps: 3000, every: 25, paths: 70
mlmc | free | mlmc, epsilon: 1e-2, coarsest_step: 1/16, horizon: 0.5, functionals: [x1]
weak | quadratic | weak_multilevel, coarsest_step: 1/8, horizon: 0.5, levels: 3, paths: 600, functionals: [x1]
END

# ---- results that cannot be written at last: nothing is lost, though no checkpoint was ever asked for ----
all='(100.0|99.[0-9])% of the run' turn=1
for study in spread spread:study.paths=333 spread:study.members=7 spread:study.paths=333:study.members=300 spread:study.paths=100 \
  tracks mlmc weak; do
  # shellcheck disable=SC2046 # a list of words
  set -- "${study%%:*}.yaml" $(echo "$study" | tr : '\n' | sed -n '2,$s/^/--set /p') --quiet
  runs "$@" --output whole.h5
  turn=$((4 - turn)) several=$turn
  ! thorough || several='1 3'
  for ranks in $several; do
    what="$study on $ranks ranks"
    # the last call that brings the file to disk, of those by rank 0, whose number is not always the same: ranks share
    # the work as they come for it
    for try in 1 2 3 4 5 6 7 8; do
      rm -f out.h5* calls
      FAULT_LOG=calls FAULT_RANK=0 LD_PRELOAD=$FAULTS FAULT_MATCH=out.h5.tmp "$MPIEXEC" -n $ranks "$CASIMIR" run "$@" --output out.h5 2>message
      number=$(sed -n 's/^\([0-9]*\) fsync .*/\1/p' calls | tail -n 1)
      rm -f out.h5*
      FAULT_RANK=0 LD_PRELOAD=$FAULTS FAULT_MATCH=out.h5.tmp FAULT_AT=$number FAULT_KIND=fail \
        "$MPIEXEC" -n $ranks "$CASIMIR" run "$@" --output out.h5 2>message
      found=$?
      [ $ranks -gt 1 ] || break
      { [ $found -ne 3 ] || ! grep -qE " $all is saved in out.h5.checkpoint: when" message; } || break
      echo "$what: not at the last call, try $try"
    done
    [ $found -eq 3 ] || fail "$what: results that cannot be written: $(cat message)"
    has " $all is saved in out.h5.checkpoint: when"
    [ ! -e out.h5.reserved ] && [ ! -e out.h5 ] || fail "$what left $(ls out.h5*)"
    expect 0 "going on from out.h5.checkpoint, $all" "$@" --output out.h5 --resume
    alike whole.h5 out.h5 "$what"
  done
done

# where not even that can be written, it is said
rm -f out.h5*
FAULT_MATCH=out.h5. FAULT_AT=9 FAULT_KIND=full LD_PRELOAD=$FAULTS expect 3 'out.h5.* Nothing of the run is saved\.$' tracks.yaml --output out.h5

# ---- a disk that is too small, or filled by others ----
[ -n "${mounts:-}" ] || { echo "no right to mount: small disks were not tried"; exit 0; }
draws_together
runs spread.yaml --output whole.h5
runs spread.yaml --output members.h5 --set study.members=7
runs tracks.yaml --output whole-tracks.h5
mkdir -p disk
# on_disk SIZE COMMAND ..: on a new disk; what it leaves there is in `listing`
on_disk() {
  mount -t tmpfs -o "size=$1" none disk || fail "no disk of $1"
  shift
  "$@"
  rm -f disk/others
  ls -A disk >listing
  umount disk
}
# fills COMMAND ..: behind others, who leave no space
fills() {
  cat /dev/zero >disk/others 2>/dev/null
  "$@"
}
for options in '' --resume --dry-run '--set study.members=7'; do
  on_disk 1000k expect 3 'out.h5: needs [0-9]* bytes' spread.yaml --quiet --output disk/out.h5 $options
  [ ! -s listing ] || fail "too small a disk '$options': $(cat listing)"
done
on_disk 1m,ro expect 3 'no file can be created there: Read-only file system' spread.yaml --output disk/out.h5
on_disk 8k fills expect 3 'No space left on device' spread.yaml --output disk/out.h5
[ ! -s listing ] || fail "a full disk: $(cat listing)"
# the records so far are no further need of space
goes_on() {
  interrupted tracks.yaml --output disk/out.h5 --max-walltime 0.3
  expect 0 'going on from' tracks.yaml --output disk/out.h5 --resume
}
on_disk "$(($(stat -c %s whole-tracks.h5) * 7 / 4))" goes_on
expect 0 '' spread.yaml --dry-run --output new.h5
said=$(sed -n 's/^  file *about \([0-9]*\) bytes.*/\1/p' message) size=$(stat -c %s whole.h5)
[ "$said" -ge "$size" ] && [ "$said" -le $((size + size / 4)) ] || fail "$said bytes are said, $size are written"

# Others fill it while the run goes on; and there is no space for checkpoints: the one that is whole counts.
filled() {
  slowly "$MPIEXEC" -n 2 "$CASIMIR" run spread.yaml --quiet --output disk/out.h5 "$@"
  await test -s disk/out.h5.reserved
  kill -USR1 $process
  says "is saved in"
  fills rm slow
  ended 0 "a disk that others fill"
  mv disk/out.h5 filled.h5
}
goes_on_thrice() { [ "$(grep -c 'The run goes on' messages)" -ge 3 ]; }
shares() {
  slowly "$CASIMIR" run spread.yaml --quiet --output disk/out.h5 --set output.checkpoint_every=0.1s
  says "is saved in"
  fills await goes_on_thrice
  kill -USR2 $process
  rm slow
  ended 3 "no space for checkpoints"
  said=$(sed -n 's/.* \([0-9.]*\)% of the run is saved in .*: when the cause.*/\1/p' messages)
  [ -n "$said" ] || fail "no space for checkpoints: $(cat messages)"
  rm disk/others
  expect 0 "going on from .*, $said% of the run" spread.yaml --quiet --output disk/out.h5 --resume
  mv disk/out.h5 filled.h5
}
for case in whole.h5:filled 'members.h5:filled --set study.members=7' whole.h5:shares; do
  on_disk 8m ${case#*:}
  alike "${case%%:*}" filled.h5 "$case"
  [ ! -s listing ] || fail "$case left $(cat listing)"
done

# ---- commands that write one file, on disks that are full or become so ----
ends 0 '' "$CASIMIR" plot whole.h5 --script script.py
# written STATUS PATTERN COMMAND ..: a script that is whole is taken away
written() {
  ends "$@"
  ! cmp -s script.py disk/script.py || rm disk/script.py
}
for words in 'export whole-tracks.h5 --output disk/out.vtkhdf' 'report whole.h5 --html disk/out.html' 'merge whole.h5 --quiet --output disk/out.h5' \
  'plot whole.h5 --script disk/script.py' 'plot whole.h5 --data disk/out.txt' 'plot whole.h5 --output disk/out.svg'; do
  for size in 4k 8k 12k 16k 64k; do
    fill='' right=3 why='casimir: .*[Nn]o.* space|casimir: .*cannot be written|disk space|GB free'
    [ $size != 64k ] || fill=fills
    case $size:$words in 8k:*--script* | 12k:*--script* | 16k:*--script*) right=0 why= ;; esac # 4 kB, which these have space for
    on_disk $size $fill written $right "$why" "$CASIMIR" $words
    [ ! -s listing ] || fail "casimir $words on a disk of $size leaves $(cat listing)"
  done
done
