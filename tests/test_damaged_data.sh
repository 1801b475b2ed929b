#!/bin/sh
# Numbers of trajectories and members are checked as everything else is: what an unfinished run has written before another
# goes on with it, and what a finished one holds before anybody reads it. CASIMIR_FLIPS: how often a bit is flipped.
# needs: sprng
flips=${CASIMIR_FLIPS:-12}
. "$SOURCE_DIR/tests/checks.sh"

configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
trajectory | body | trajectory, step: 2^-5, steps: 6400, every: 16, paths: 200
ensemble | body | ensemble, step: 2^-5, steps: 6400, every: 64, paths: 1000, members: 900, observables: [x1]
END

# flip FILE SEED NUMBER DATASET ..: one bit each of NUMBER bytes of the data of the datasets, in bytes of which some are not 0
cat >flip.py <<'END'
import json, os, random, sys
name, seed, number, *datasets = sys.argv[1:]
# copies have their datasets in the same places, and h5py takes ten times as long as all else
places = f"places-{os.path.getsize(name)}-{'-'.join(datasets)}".replace("/", ".")
if not os.path.exists(places):
    import h5py
    with h5py.File(name, "r", locking=False) as f, open(places, "w") as file:
        json.dump([(f[d].id.get_offset(), f[d].id.get_storage_size()) for d in datasets], file)
spans = json.load(open(places))
random.seed(int(seed))
with open(name, "r+b") as f:
    for _ in range(int(number)):
        start, size = random.choice(spans)
        while True:
            at = start + 8 * random.randrange(size // 8)
            f.seek(at)
            word = bytearray(f.read(8))
            if any(word):  # written already
                break
        word[random.randrange(8)] ^= 1 << random.randrange(8)
        f.seek(at)
        f.write(word)
END
flip() { "$python" flip.py "$@" || fail "flip $*"; }

# leaves RANKS SECONDS CONFIGURATION ARGUMENT ..: a run that is interrupted. Every rank sleeps at every look at its clock, so that
# rank 0, whose clock it is, has had its looks before the others have done all the work, however busy the machine is.
: >slow
leaves() {
  on=$1 seconds=$2
  shift 2
  FAULT_SLOW=$PWD/slow by_looks 0.01 ends 75 '' "$MPIEXEC" -n "$on" "$CASIMIR" run "$@" --max-walltime "$seconds"
}

# left CONFIGURATION ARGUMENT ..: on two ranks; the records so far and the checkpoint are in kept
left() {
  rm -rf out.h5* kept
  leaves 2 1 "$@"
  mkdir kept && cp out.h5* kept
}

# damaged RANKS CONFIGURATION PATTERN: as it was left, but for what was done to out.h5.tmp
damage='is damaged, or of another run: its records are not those that it had when the checkpoint was written'
damaged() {
  unchanged 3 "out.h5.tmp: $3" "$MPIEXEC" -n "$1" "$CASIMIR" run "$2" --resume
  [ "$(grep -c '^casimir: out.h5.tmp' message)" -eq 1 ] || fail "$2: more than one message: $(cat message)"
}

# unfinished CONFIGURATION DATASET ..
unfinished() {
  configuration=$1
  shift
  left "$configuration" --set random.seed=2 && mv out.h5.tmp other.tmp
  runs "$configuration" --output whole.h5
  left "$configuration"
  for ranks in 1 3; do
    seed=0
    while again $seed 2 $((flips / 12 + 1)); do
      seed=$((seed + 1)) number=1
      [ $seed -gt 1 ] || number=200
      cp kept/* . && flip out.h5.tmp "$ranks$seed" $number "$@"
      damaged $ranks "$configuration" "$damage"
    done
    # another run's records, with its mark and without
    cp kept/* . && cp other.tmp out.h5.tmp
    damaged $ranks "$configuration" 'belongs to another run than the checkpoint'
    truncate -s -16 out.h5.tmp
    damaged $ranks "$configuration" "$damage"
  done
  # as they were, on other ranks, through another interruption, and with all else in it overwritten but the signature
  # that tells HDF5 files from those of others
  cp kept/* .
  leaves 3 0.5 "$configuration" --resume
  cp out.h5.tmp again.tmp
  flip out.h5.tmp 5 1 "$@"
  damaged 2 "$configuration" "$damage"
  cp again.tmp out.h5.tmp
  dd if=/dev/zero of=out.h5.tmp bs=8 seek=1 count=63 conv=notrunc 2>/dev/null
  ends 0 'going on from' "$MPIEXEC" -n 2 "$CASIMIR" run "$configuration" --resume
  alike whole.h5 out.h5 "$configuration, with all but its records overwritten"
}
unfinished trajectory.yaml trajectory/state trajectory/hamiltonian
cp out.h5 trajectory.h5
unfinished ensemble.yaml ensemble/members
cp out.h5 members.h5

# ---- finished ones; those who read everything see every one, and the others what they read ----
seen() { ends 3 'is damaged: its bytes are not those that casimir wrote' "$@"; }
# replay ARGUMENT ..: that takes its normals from members; begin: its initial state
short="--set study.steps=64 --set study.paths=64"
replay() {
  set -- "$@" $short --set system.noise='{kind: linear, chi: [[0.2,0,0],[0,0.2,0],[0,0,0.1]]}'
  "$MPIEXEC" -n "$ranks" "$CASIMIR" run trajectory.yaml --output new.h5 --set 'random={generator: replay, file: bad.h5, dataset: /ensemble/members}' "$@"
}
begin() {
  "$MPIEXEC" -n "$ranks" "$CASIMIR" run trajectory.yaml --output new.h5 --set 'system.initial={file: bad.h5, dataset: /ensemble/members, index: [40, 800]}' $short "$@"
}
done_flips=0
while again $done_flips 12 "$flips"; do
  done_flips=$((done_flips + 1))
  cp trajectory.h5 bad.h5 && flip bad.h5 "$done_flips" 1 trajectory/state trajectory/hamiltonian trajectory/casimir_departure
  seen "$CASIMIR" report bad.h5
  cp members.h5 bad.h5 && flip bad.h5 "$done_flips" 1 ensemble/members
  seen "$CASIMIR" report bad.h5
done
cp trajectory.h5 bad.h5 && flip bad.h5 1 40 trajectory/state
seen "$CASIMIR" plot bad.h5 --picture paths --output bad.svg
cp members.h5 bad.h5 && flip bad.h5 1 400 ensemble/members
for ranks in 1 2; do
  seen begin
  seen replay
done

# ---- whole ones; results of casimir without their seal are read by those who ask for it ----
missing='was written by casimir, and its seal is missing'
# unsealed COMMAND ..: refused once, and not with --unsealed
unsealed() {
  rm -f new.h5
  ends 3 "$missing" "$@"
  [ "$(grep -c "^casimir: .*$missing" message)" -eq 1 ] || fail "$*: $(cat message)"
  ends 0 '' "$@" --unsealed
}
for whole in trajectory members; do
  ends 0 '' "$CASIMIR" report $whole.h5
  cp $whole.h5 bad.h5 && truncate -s -1 bad.h5
  unsealed "$CASIMIR" report bad.h5
  unsealed "$CASIMIR" plot bad.h5 --output bad.svg
done
for ranks in 1 2; do
  unsealed begin
  unsealed replay
done
cp bad.h5 out.h5
expect 2 "out.h5: $missing.*Only results of casimir are replaced" ensemble.yaml --resume
expect 0 'finished already' ensemble.yaml --resume --unsealed

# ---- what other programs have not written is no input ----
"$python" - <<'END'
import h5py, numpy as np
with h5py.File("other.h5", "w") as f:
    f.create_dataset("unwritten", (100, 64, 3), "f8")
    f.create_dataset("some", (100, 64, 3), "f8", chunks=(10, 64, 3), compression="gzip")[:50] = 1
    f.create_dataset("none", (100, 64, 3), "f8", chunks=(10, 64, 3))
    f.create_dataset("all", (100, 64, 3), "f8", chunks=(10, 64, 3), compression="gzip")[:] = np.arange(19200).reshape(100, 64, 3) / 2e4
    v = h5py.VirtualLayout((100, 64, 3), "f8")
    v[:] = h5py.VirtualSource("nowhere.h5", "x", shape=(100, 64, 3))
    f.create_virtual_dataset("virtual", v)
    f.create_dataset("external", (100, 64, 3), "f8", external=[("nowhere.raw", 0, h5py.h5f.UNLIMITED)])
END
while read -r name fault; do
  refused 3 "^casimir: --set .*random.*: other.h5: .*'$name' $fault" trajectory.yaml --output none.h5 \
    --set "random={generator: replay, file: other.h5, dataset: $name}"
  refused 3 "^casimir: --set .*system.initial: other.h5: .*'$name' $fault" trajectory.yaml --output none.h5 \
    --set "system.initial={file: other.h5, dataset: $name, index: [99, 0]}"
done <<'END'
unwritten was never written
none 10 of 10 chunks were never written
some 5 of 10 chunks were never written
virtual is virtual: its numbers are in other files
external is stored externally
END
expect 0 '' trajectory.yaml --output new.h5 --set study.steps=64 --set study.paths=64 \
  --set 'system.initial={file: other.h5, dataset: all, index: [99, 63]}'
h5dump -y -d /initial/state new.h5 | grep -q '0.95985, 0.9599, 0.95995' || fail "another state than index says: $(h5dump -y -d /initial/state new.h5)"

echo "flipped bits in at most $((flips / 12 + 1)) unfinished files of each kind on 1 and on 3 ranks, and in $done_flips finished ones: $failures failures"
