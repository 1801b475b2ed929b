#!/bin/sh
# Results take the place of results alone: never of a run's own input, of anything else that is there, or of a link to it.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

mkdir here && cd here || exit 1
cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}}
study: {kind: ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]}
output: {file: out.h5}
END
cat >tracks.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 127, paths: 64}
END

sums() { find . -type f ! -name message -exec cksum {} + | sort; }

# refused FILE PATTERN ARGUMENT ..: to write there, or to say that it would; nothing changes
refused() {
  file=$1 pattern=$2
  shift 2
  sums >../before
  expect 2 "$pattern" "$@" --output "$file"
  expect 2 "$pattern" "$@" --output "$file" --resume
  expect 2 "$pattern" "$@" --output "$file" --dry-run
  sums | cmp -s - ../before || fail "$file: something changed"
}

"$CASIMIR" run run.yaml --quiet || fail "run.yaml does not run"
"$CASIMIR" run tracks.yaml --quiet --output tracks.h5 || fail "tracks.yaml does not run"

# ---- inputs, under whatever name ----
mkdir inner
ln run.yaml inner/hard.yaml
ln -s ../run.yaml inner/link.yaml
for name in run.yaml ./run.yaml "$PWD/run.yaml" inner/hard.yaml inner/link.yaml; do
  refused "$name" "is the configuration of this run, which would replace it; choose another output" run.yaml
done
"$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --output run.yaml 2>message
[ $? -eq 2 ] || fail "on two ranks: $(cat message)"
[ "$(grep -c '^casimir: ' message)" -eq 1 ] || fail "on two ranks: $(cat message)"
for name in out.h5.tmp out.h5.lock out.h5.checkpoint out.h5.checkpoint.previous; do
  cp run.yaml $name
  refused out.h5 "$name: is the configuration of this run" $name
  rm $name
done
refused tracks.h5 'tracks.h5: is the initial state of this run' run.yaml --set 'system.initial={file: tracks.h5, dataset: /initial/state}'
refused tracks.h5 'tracks.h5: is the file of normals of this run' run.yaml \
  --set 'random={generator: replay, file: tracks.h5, dataset: /trajectory/state}'
"$CASIMIR" run run.yaml --only-path 3 --output path.h5 >message || fail "one path does not run"
expect 2 'path.h5: is the initial state' run.yaml --only-path 3 --output path.h5 --set 'system.initial={file: path.h5, dataset: /initial/state}'

# ---- what is not casimir's, and names that a run needs for itself ----
echo 'my notes' >notes.txt
refused notes.txt 'notes.txt: is not an HDF5 file. Only results of casimir are replaced: remove it, or choose' run.yaml
head -c 3000 tracks.h5 >half.h5
refused half.h5 'half.h5: .*Only results of casimir are replaced' run.yaml
"${PYTHON:-/usr/bin/python3}" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1.0]' 2>/dev/null &&
  refused other.h5 "other.h5: is not one of casimir's results. Only" run.yaml
for ending in tmp lock checkpoint checkpoint.previous; do
  refused new.h5.$ending "names that end in .*$ending are for what runs keep" run.yaml
done

# ---- results of any kind, and an empty file, are ----
for old in tracks.h5 path.h5 /dev/null; do
  cp "$old" old.h5
  expect 0 '' run.yaml --output old.h5
  (same out.h5 old.h5 && nothing_left old.h5) || fail "$old is not replaced"
done

# ---- a link stays, and what it leads to is what is written, locked and gone on with ----
mkdir -p store
ln -s "$PWD/store/far.h5" far.h5
ln -s store near-by && ln -s near-by/near.h5 near.h5 && ln -s near.h5 nearer.h5
for link in far.h5:store/far.h5 near.h5:store/near.h5 nearer.h5:store/near.h5; do
  target=${link#*:} link=${link%:*}
  rm -f store/*
  for there in no yes; do
    expect 0 '' run.yaml --output "$link"
    (same out.h5 "$target" && nothing_left "$link" && nothing_left "$target") || fail "$link, there: $there: not written to $target"
    [ -L "$link" ] || fail "$link is no link any more"
  done
  expect 0 'far.h5 is finished already|near.h5 is finished already' run.yaml --output "$link" --resume
  rm "$target"
  LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 "is saved in .*${target#store/}.checkpoint" run.yaml --set study.steps=6400 \
    --set study.every=3200 --set study.paths=640 --output "$link" --max-walltime 3
  [ -s "$target.checkpoint" ] || fail "$link: there is no checkpoint beside $target"
  [ ! -e "$link.checkpoint" ] || fail "$link: a checkpoint is beside the link"
  expect 0 'going on from' run.yaml --set study.steps=6400 --set study.every=3200 --set study.paths=640 --output "$target" --resume
done
# two names, one lock
rm -f store/*
touch slow
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 FAULT_SLOW=$PWD/slow "$CASIMIR" run run.yaml --quiet --output far.h5 --set study.paths=64000 &
await test -s store/far.h5.lock
expect 3 'far.h5: another run is writing it' run.yaml --output store/far.h5 --wait 0s
rm slow
wait $! || fail "the run behind a link failed"
ln -s loop.h5 loop.h5
expect 3 'loop.h5: cannot be looked for: Too many levels' run.yaml --output loop.h5

[ $failures -eq 0 ]
