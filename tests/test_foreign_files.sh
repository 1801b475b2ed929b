#!/bin/sh
# Results take the place of results alone: never of a run's own input, of anything else that is there, or of a link to it. Files
# of others beside an output: what a run would need their names for is refused before it begins, and no link is followed to what
# it leads to. What runs have left there is taken away, and permissions stay. CASIMIR_CALLS: at how many of the calls that make a
# file a run is killed.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

mkdir here && cd here || exit 1
configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
run | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}} | ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]
tracks | body | trajectory, step: 2^-5, steps: 6400, every: 64, paths: 2
END
runs run.yaml --output whole.h5
runs tracks.yaml --output tracks-whole.h5
runs tracks.yaml --output input.h5 --set study.steps=127 --set study.every=1 --set study.paths=64
expect 0 '' run.yaml --only-path 3 --output path.h5
"$python" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1.0]'
echo 'process of my own' >victim
: >empty
head -c 3000 input.h5 >half.h5

# kept STATUS PATTERN FILE ARGUMENT ..: no run writes there, from the beginning or going on, and no dry run says that it would;
# where not every case is tried everywhere, by these in turn
turn=0
kept() {
  kept_status=$1 what=$2 file=$3 options='--quiet --resume --dry-run'
  shift 3
  turn=$((turn % 3 + 1))
  thorough || options=$(echo $options | cut -d' ' -f$turn)
  for option in $options; do refused "$kept_status" "$what" "$@" --output "$file" $option; done
}

# ---- inputs, under whatever name; what is not casimir's, and names that a run needs for itself ----
mkdir inner
ln run.yaml inner/hard.yaml
ln -s ../run.yaml inner/link.yaml
for name in run.yaml ./run.yaml "$PWD/run.yaml" inner/hard.yaml inner/link.yaml; do
  kept 2 "is the configuration of this run, which would replace it; choose another output" "$name" run.yaml
done
unchanged 2 '' "$MPIEXEC" -n 2 "$CASIMIR" run run.yaml --output run.yaml
[ "$(grep -c '^casimir: ' message)" -eq 1 ] || fail "on two ranks: $(cat message)"
for name in out.h5.tmp out.h5.lock out.h5.checkpoint out.h5.checkpoint.previous; do
  cp run.yaml $name
  kept 2 "$name: is the configuration of this run" out.h5 $name
  rm $name
done
each kept 2 <<'END'
input.h5: is the initial state of this run | input.h5 run.yaml --set 'system.initial={file: input.h5, dataset: /initial/state}'
input.h5: is the file of normals of this run | input.h5 run.yaml --set 'random={generator: replay, file: input.h5, dataset: /trajectory/state}'
path.h5: is the initial state | path.h5 run.yaml --only-path 3 --set 'system.initial={file: path.h5, dataset: /initial/state}'
victim: is not an HDF5 file. Only results of casimir are replaced: remove it, or choose | victim run.yaml
half.h5: .*Only results of casimir are replaced | half.h5 run.yaml
other.h5: is not one of casimir's results. Only | other.h5 run.yaml
names that end in .*tmp are for what runs keep | new.h5.tmp run.yaml
names that end in .*lock are for what runs keep | new.h5.lock run.yaml
names that end in .*checkpoint are for what runs keep | new.h5.checkpoint run.yaml
names that end in .*checkpoint.previous are for what runs keep | new.h5.checkpoint.previous run.yaml
END

# ---- results of any kind, and an empty file, are ----
for old in input.h5 path.h5 /dev/null; do
  cp "$old" old.h5
  runs run.yaml --output old.h5
  alike whole.h5 old.h5 "in the place of $old"
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
    alike whole.h5 "$target" "$link, there: $there"
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
rm loop.h5

# ---- of others: files, links to files and to nothing, directories ----
for ending in tmp lock probe checkpoint.tmp checkpoint.previous; do
  case $ending in tmp | lock) output=proj ;; *) output=out.h5 ;; esac
  name=$output.$ending
  for other in victim other.h5 whole.h5 link:victim link:empty link:nowhere link:whole.h5 directory pipe; do
    case $ending:$other in
    tmp:whole.h5) continue ;;
    *:link:*) ln -s "${other#*:}" "$name" && what='a symbolic link' ;;
    *:directory) mkdir "$name" && what='a directory' ;;
    *:pipe) mkfifo "$name" && what='no regular file' ;;
    *) cp "$other" "$name" && what='not of casimir' ;;
    esac
    kept 3 "$name: is $what, and a run needs this name for itself. Move it away, or choose another output" $output run.yaml
    rm -d "$name"
  done
done
echo 'my notes' >out.h5.tmp
for ranks in 2 3; do
  ends 3 '' "$MPIEXEC" -n $ranks "$CASIMIR" run run.yaml
  [ "$(grep -c '^casimir: ' message)" -eq 1 ] || fail "on $ranks ranks: $(cat message)"
done
rm out.h5.tmp
# an unfinished run is no reason to write into them
interrupted tracks.yaml --max-walltime 0.3
mv out.h5.tmp kept
ln -s kept out.h5.tmp
refused 3 'out.h5.tmp: is a symbolic link' tracks.yaml --resume
rm out.h5.tmp && mv kept out.h5.tmp
expect 0 'going on from' tracks.yaml --resume
alike tracks-whole.h5 out.h5 "after a link was refused"

# of figures
draws_together
cp victim whole.svg.tmp
unchanged 3 'whole.svg.tmp: is not of casimir' "$CASIMIR" plot whole.h5
rm whole.svg.tmp && ln -s victim whole.svg.tmp
unchanged 3 'whole.svg.tmp: is a symbolic link' "$CASIMIR" plot whole.h5
rm whole.svg.tmp
mkdir far && ln -s far/figure.svg near.svg
echo '<?xml half a figure' >far/figure.svg.tmp
ends 0 '' "$CASIMIR" plot whole.h5 --output near.svg
[ -L near.svg ] && grep -q '</svg>' far/figure.svg && [ "$(ls far)" = figure.svg ] || fail "a figure through a link: $(ls -l far)"

# ---- of runs ----
# taken CONFIGURATION WHOLE: the same as without what was left
taken() {
  runs "$1"
  alike "$2" out.h5 "what a run has left is in the way: $what"
}
rm -f out.h5*
interrupted tracks.yaml --max-walltime 0.3
mv out.h5.checkpoint checkpoint && mv out.h5.tmp records && rm -f out.h5*
for size in 0 1 7 8 100 20000; do
  what="$size bytes"
  head -c $size checkpoint >out.h5.checkpoint.tmp
  head -c $size whole.h5 >out.h5.tmp
  [ $size -lt 8 ] || [ $size -ge 20000 ] || rm out.h5.tmp # nobody can tell whose it is
  [ $size -gt 4096 ] || head -c $size /dev/zero >out.h5.probe
  echo 'process 1 on nowhere' >out.h5.lock
  [ $size -ne 1 ] || { : >out.h5.tmp && head -c 100000 /dev/zero >out.h5.tmp; }
  [ $size -ne 7 ] || : >out.h5.tmp
  taken run.yaml whole.h5
done
what="records without a checkpoint"
cp records out.h5.tmp
taken run.yaml whole.h5
cp records out.h5.tmp
taken tracks.yaml tracks-whole.h5

# killed at any call that makes them, before there is a checkpoint: before it and in its midst, or at every other call so
for file in out.h5.probe:run out.h5.tmp:run out.h5.tmp:tracks; do
  study=${file#*:} number=0 whole=whole.h5
  [ "$study" = run ] || whole=tracks-whole.h5
  for kind in kill half; do
    [ $kind = kill ] && every_other=1 || every_other=0
    while again $number 40 "${CASIMIR_CALLS:-40}"; do
      number=$((number + 1))
      thorough || [ $((number % 2)) -eq $every_other ] || continue
      what="$kind at call $number of ${file%:*} by $study.yaml"
      rm -f out.h5*
      LD_PRELOAD=$FAULTS FAULT_MATCH=${file%:*} FAULT_AT=$number FAULT_KIND=$kind "$CASIMIR" run "$study.yaml" --quiet 2>message && { number=$((number - 1)); break; }
      taken "$study.yaml" $whole
    done
    echo "$number calls of ${file%:*} by $study.yaml"
    [ $number -ge 2 ] || fail "${file%:*} by $study.yaml: $number calls only"
    number=0
  done
done

# ---- permissions ----
# mode_of FILE MODE WHAT
mode_of() { [ "$(stat -c %a "$1")" = "$2" ] || fail "$3 in the place of a file of mode $2: $(stat -c %a "$1")"; }
umask 022
for mode in 600 640 400; do
  cp whole.h5 out.h5 && chmod $mode out.h5
  interrupted tracks.yaml --max-walltime 0.3
  [ $mode = 400 ] || mode_of out.h5.tmp $mode records
  runs tracks.yaml --resume
  mode_of out.h5 $mode "a trajectory"
  runs run.yaml
  mode_of out.h5 $mode results
  chmod $mode far/figure.svg
  ends 0 '' "$CASIMIR" plot whole.h5 --output far/figure.svg
  mode_of far/figure.svg $mode "a figure"
done
rm -f out.h5
umask 027
runs run.yaml
mode_of out.h5 640 "new results under umask 027"

# ---- an empty file is as good as none ----
for option in --quiet --resume '--only-path 3'; do
  rm -f out.h5* && : >out.h5
  expect 0 '' run.yaml $option --output out.h5
  [ -s out.h5 ] || fail "an empty file stays, $option"
done
