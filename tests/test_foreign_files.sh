#!/bin/sh
# Files of others beside an output: what a run would need their names for is refused before it begins, and no link is
# followed to what it leads to. What runs have left there is taken away, and permissions stay. CASIMIR_CALLS: at how many of
# the calls that make a file a run is killed.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

mkdir here && cd here || exit 1
configurations 'output: {file: out.h5, checkpoint_every: 0}' <<'END'
run | body | ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]
tracks | body | trajectory, step: 2^-5, steps: 6400, every: 64, paths: 2
END
runs run.yaml --output whole.h5
runs tracks.yaml --output tracks-whole.h5
"$python" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1.0]'
echo 'process of my own' >victim
: >empty

# kept FILE PATTERN: by a run from the beginning, by one that goes on, and by a dry run; where not every case is tried
# everywhere, by these in turn
turn=0
kept() {
  turn=$((turn % 3 + 1)) options='--quiet --resume --dry-run'
  thorough || options=$(echo $options | cut -d' ' -f$turn)
  for option in $options; do refused 3 "$2" run.yaml --output "$1" $option; done
}

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
    kept $output "$name: is $what, and a run needs this name for itself. Move it away, or choose another output"
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
  # shellcheck disable=SC2086 # an option may have a value
  expect 0 '' run.yaml $option --output out.h5
  [ -s out.h5 ] || fail "an empty file stays, $option"
done
