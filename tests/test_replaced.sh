#!/bin/sh
# Results take the place of results alone: never of a run's own input, of anything else that is there, or of a link to it.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

mkdir here && cd here || exit 1
configurations 'output: {file: out.h5}' <<'END'
run | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}} | ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]
tracks | body | trajectory, step: 2^-5, steps: 127, paths: 64
END
runs run.yaml
runs tracks.yaml --output tracks.h5

# kept PATTERN FILE ARGUMENT ..: no run writes there, and none says that it would
kept() {
  what=$1 file=$2
  shift 2
  for option in --quiet --resume --dry-run; do refused 2 "$what" "$@" --output "$file" $option; done
}

# ---- inputs, under whatever name ----
mkdir inner
ln run.yaml inner/hard.yaml
ln -s ../run.yaml inner/link.yaml
for name in run.yaml ./run.yaml "$PWD/run.yaml" inner/hard.yaml inner/link.yaml; do
  kept "is the configuration of this run, which would replace it; choose another output" "$name" run.yaml
done
unchanged 2 '' "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --output run.yaml
[ "$(grep -c '^casimir: ' message)" -eq 1 ] || fail "on two ranks: $(cat message)"
for name in out.h5.tmp out.h5.lock out.h5.checkpoint out.h5.checkpoint.previous; do
  cp run.yaml $name
  kept "$name: is the configuration of this run" out.h5 $name
  rm $name
done
expect 0 '' run.yaml --only-path 3 --output path.h5
echo 'my notes' >notes.txt
head -c 3000 tracks.h5 >half.h5
"$python" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1.0]'
# inputs, what is not casimir's, and names that a run needs for itself
each kept <<'END'
tracks.h5: is the initial state of this run | tracks.h5 run.yaml --set 'system.initial={file: tracks.h5, dataset: /initial/state}'
tracks.h5: is the file of normals of this run | tracks.h5 run.yaml --set 'random={generator: replay, file: tracks.h5, dataset: /trajectory/state}'
path.h5: is the initial state | path.h5 run.yaml --only-path 3 --set 'system.initial={file: path.h5, dataset: /initial/state}'
notes.txt: is not an HDF5 file. Only results of casimir are replaced: remove it, or choose | notes.txt run.yaml
half.h5: .*Only results of casimir are replaced | half.h5 run.yaml
other.h5: is not one of casimir's results. Only | other.h5 run.yaml
names that end in .*tmp are for what runs keep | new.h5.tmp run.yaml
names that end in .*lock are for what runs keep | new.h5.lock run.yaml
names that end in .*checkpoint are for what runs keep | new.h5.checkpoint run.yaml
names that end in .*checkpoint.previous are for what runs keep | new.h5.checkpoint.previous run.yaml
END

# ---- results of any kind, and an empty file, are ----
for old in tracks.h5 path.h5 /dev/null; do
  cp "$old" old.h5
  runs run.yaml --output old.h5
  alike out.h5 old.h5 "in the place of $old"
done

# ---- a link stays, and what it leads to is what is written, locked and gone on with ----
mkdir -p store
ln -s "$PWD/store/far.h5" far.h5
ln -s store near-by && ln -s near-by/near.h5 near.h5 && ln -s near.h5 nearer.h5
for link in far.h5:store/far.h5 near.h5:store/near.h5 nearer.h5:store/near.h5; do
  target=${link#*:} link=${link%:*}
  rm -f store/*
  for there in no yes; do
    runs run.yaml --output "$link"
    alike out.h5 "$target" "$link, there: $there"
    [ -L "$link" ] && [ ! -e "$link.lock" ] || fail "$link is no link any more: $(ls)"
  done
  expect 0 'far.h5 is finished already|near.h5 is finished already' run.yaml --output "$link" --resume
  rm "$target"
  set -- run.yaml --set study.steps=6400 --set study.every=3200 --set study.paths=640
  interrupted "$@" --output "$link" --max-walltime 3
  has "is saved in .*${target#store/}.checkpoint"
  [ -s "$target.checkpoint" ] || fail "$link: there is no checkpoint beside $target"
  [ ! -e "$link.checkpoint" ] || fail "$link: a checkpoint is beside the link"
  expect 0 'going on from' "$@" --output "$target" --resume
done
# two names, one lock
rm -f store/*
slowly "$CASIMIR" run run.yaml --quiet --output far.h5 --set study.paths=64000
await test -s store/far.h5.lock
expect 3 'far.h5: another run is writing it' run.yaml --output store/far.h5 --wait 0s
rm slow
wait $process || fail "the run behind a link failed"
ln -s loop.h5 loop.h5
expect 3 'loop.h5: cannot be looked for: Too many levels' run.yaml --output loop.h5
