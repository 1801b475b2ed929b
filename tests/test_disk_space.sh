#!/bin/sh
# Disk space for results is checked before anything is computed and kept until they are written; where writing fails all the
# same, what was computed is saved, and no more is said to be than is.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >spread.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: ensemble, step: 0.01, steps: 2000, every: 20, paths: 640, bins: 400, observables: [x1, x2, x3]}
output: {checkpoint_every: 0}
END
cat >tracks.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, chi: [[0.02, 0, 0], [0, 0.02, 0], [0, 0, 0.02]]}}
study: {kind: trajectory, step: 0.01, steps: 3000, every: 25, paths: 70}
output: {checkpoint_every: 0}
END
cat >mlmc.yaml <<'END'
system: {name: rigid_body, inertia: [.inf, .inf, .inf], noise: {kind: linear, sigma: 0.8}, initial: [0.6, 0, 0.8]}
study: {kind: mlmc, epsilon: 1e-2, coarsest_step: 1/16, horizon: 0.5, functionals: [x1]}
output: {checkpoint_every: 0}
END
cat >weak.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: weak_multilevel, coarsest_step: 1/8, horizon: 0.5, levels: 3, paths: 600, functionals: [x1]}
output: {checkpoint_every: 0}
END

# ---- results that cannot be written at last: nothing is lost, though no checkpoint was ever asked for ----
for study in spread spread:study.paths=333 spread:study.members=7 spread:study.paths=333:study.members=300 spread:study.paths=100 \
  tracks mlmc weak; do
  what=$study
  # shellcheck disable=SC2046 # a list of words
  set -- "${study%%:*}.yaml" $(echo "$study" | tr : '\n' | sed -n '2,$s/^/--set /p') --quiet
  "$CASIMIR" run "$@" --output whole.h5 2>message || fail "$what does not run: $(cat message)"
  for ranks in 1 3; do
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
      { [ $found -ne 3 ] || ! grep -qE ' (100.0|99.[0-9])% of the run is saved in out.h5.checkpoint: when' message; } || break
      echo "$what on $ranks ranks: not at the last call, try $try"
    done
    [ $found -eq 3 ] || fail "$what on $ranks ranks: results that cannot be written: $(cat message)"
    grep -qE ' (100.0|99.[0-9])% of the run is saved in out.h5.checkpoint: when' message || fail "$what on $ranks ranks: $(cat message)"
    [ ! -e out.h5.reserved ] && [ ! -e out.h5 ] || fail "$what on $ranks ranks left $(ls out.h5*)"
    "$CASIMIR" run "$@" --output out.h5 --resume 2>message || fail "$what after $ranks ranks: $(cat message)"
    grep -qE 'going on from out.h5.checkpoint, (100.0|99.[0-9])%' message || fail "$what after $ranks ranks: $(cat message)"
    (same whole.h5 out.h5 && nothing_left out.h5) || fail "$what after $ranks ranks: not the same"
  done
done

# where not even that can be written, it is said
rm -f out.h5*
FAULT_MATCH=out.h5. FAULT_AT=9 FAULT_KIND=full LD_PRELOAD=$FAULTS expect 3 'out.h5.* Nothing of the run is saved\.$' tracks.yaml --output out.h5

# ---- a disk that is too small, or filled by others ----
if ! unshare -m true 2>/dev/null; then
  echo "no right to mount: small disks were not tried"
  [ $failures -eq 0 ]
  exit
fi
"$CASIMIR" run spread.yaml --quiet --output whole.h5 || fail "spread.yaml does not run"
size=$(stat -c %s whole.h5)
mkdir -p disk
for options in '' --resume --dry-run '--set study.members=7'; do
  # shellcheck disable=SC2086 # a list of words
  OPTIONS=$options unshare -m sh -c 'mount -t tmpfs -o size=1000k none disk
    "$CASIMIR" run spread.yaml --quiet --output disk/out.h5 $OPTIONS 2>message
    echo $? >status
    ls disk >listing'
  [ "$(cat status)" = 3 ] && grep -q 'out.h5: needs [0-9]* bytes' message || fail "too small a disk '$options': $(cat status message)"
  [ ! -s listing ] || fail "too small a disk '$options': $(cat listing)"
done
"$CASIMIR" run spread.yaml --dry-run --output new.h5 >message
said=$(sed -n 's/^  file *about \([0-9]*\) bytes.*/\1/p' message)
[ "$said" -ge "$size" ] && [ "$said" -le $((size + size / 4)) ] || fail "$said bytes are said, $size are written"

# others fill it while the run goes on
cat >filled.sh <<'END'
. "$SOURCE_DIR/tests/checks.sh"
mount -t tmpfs -o size=8m none disk
touch slow && rm -f message
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$MPIEXEC" -n 2 "$CASIMIR" run spread.yaml --quiet --output disk/out.h5 $OPTIONS 2>message &
await test -s disk/out.h5.reserved
kill -USR1 $!
await grep -q "is saved in" message
cat /dev/zero >disk/others 2>/dev/null
rm slow
wait $!
echo $? >status
cp disk/out.h5 filled.h5
ls disk >listing
END
"$CASIMIR" run spread.yaml --quiet --output members.h5 --set study.members=7 || fail "members do not run"
for whole in whole.h5 members.h5; do
  rm -f filled.h5
  options=--quiet
  [ $whole = whole.h5 ] || options='--set study.members=7'
  OPTIONS=$options unshare -m sh filled.sh
  [ "$(cat status)" = 0 ] && [ "$(cat listing)" = "$(printf 'others\nout.h5')" ] || fail "a disk that others fill: $(cat status message listing)"
  (same $whole filled.h5) || fail "a disk that others fill: not the same"
done

# and there is no space for checkpoints: the one that is whole counts
cat >shares.sh <<'END'
. "$SOURCE_DIR/tests/checks.sh"
mount -t tmpfs -o size=8m none disk
touch slow && rm -f message
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$CASIMIR" run spread.yaml --quiet --output disk/out.h5 \
  --set output.checkpoint_every=0.1s 2>message &
await grep -q "is saved in" message
cat /dev/zero >disk/others 2>/dev/null
goes_on_thrice() { [ "$(grep -c 'The run goes on' message)" -ge 3 ]; }
await goes_on_thrice
kill -USR2 $!
rm slow
wait $!
echo $? >status
rm disk/others
"$CASIMIR" run spread.yaml --quiet --output disk/out.h5 --resume 2>again || echo "does not go on" >>again
cp disk/out.h5 filled.h5
END
rm -f filled.h5
unshare -m sh shares.sh
said=$(sed -n 's/.* \([0-9.]*\)% of the run is saved in .*: when the cause.*/\1/p' message)
[ "$(cat status)" = 3 ] && [ -n "$said" ] || fail "no space for checkpoints: $(cat status message)"
grep -q "going on from .*, $said% of the run" again || fail "$said% were said to be saved: $(cat again message)"
(same whole.h5 filled.h5) || fail "no space for checkpoints: not the same"

# ---- commands that write one file, on disks that are full or become so ----
"$CASIMIR" run tracks.yaml --quiet --output tracks.h5 || fail "tracks.yaml does not run"
"$CASIMIR" plot whole.h5 --script script.py || fail "no script of whole.h5"
cat >one.sh <<'END'
mount -t tmpfs -o size=$SIZE none disk
[ "$SIZE" != 64k ] || cat /dev/zero >disk/others 2>/dev/null
"$CASIMIR" $WORDS >stdout 2>message
echo $? >status
rm -f disk/others
cmp -s script.py disk/script.py && echo whole >status && rm disk/script.py
ls -A disk >listing
END
for words in 'export tracks.h5 --output disk/out.vtkhdf' 'report whole.h5 --html disk/out.html' 'merge whole.h5 --quiet --output disk/out.h5' \
  'plot whole.h5 --script disk/script.py' 'plot whole.h5 --data disk/out.txt' 'plot whole.h5 --output disk/out.svg'; do
  for size in 4k 8k 12k 16k 64k; do # 64k: filled by others
    SIZE=$size WORDS=$words unshare -m sh one.sh
    case $size:$(cat status) in
    *:3) grep -q 'casimir: .*[Nn]o.* space\|casimir: .*cannot be written\|disk space\|GB free' message || fail "casimir $words on a disk of $size: $(cat message)" ;;
    8k:whole | 12k:whole | 16k:whole) ;; # a script of 4 kB, which these have space for
    *) fail "casimir $words on a disk of $size: $(cat status message)" ;;
    esac
    [ ! -s listing ] || fail "casimir $words on a disk of $size leaves $(cat listing)"
  done
done

[ $failures -eq 0 ]
