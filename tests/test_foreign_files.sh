#!/bin/sh
# Files of others beside an output: what a run would need their names for is refused before it begins, and no link is
# followed to what it leads to. What runs have left there is taken away, and permissions stay. CASIMIR_CALLS: at how many of
# the calls that make a file a run is killed.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"
python=${PYTHON:-/usr/bin/python3}

mkdir here && cd here || exit 1
cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: ensemble, step: 2^-5, steps: 64, every: 32, paths: 64, observables: [x1]}
output: {file: out.h5}
END
cat >tracks.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 6400, every: 64, paths: 2}
output: {file: out.h5, checkpoint_every: 0}
END
"$CASIMIR" run run.yaml --quiet --output whole.h5 || fail "run.yaml does not run"
"$CASIMIR" run tracks.yaml --quiet --output tracks-whole.h5 || fail "tracks.yaml does not run"
"$python" -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1.0]' 2>/dev/null
echo 'process of my own' >victim
: >empty

all() { find . ! -name message -exec stat -c '%n %a %F %s' {} + | sort; find . -type f ! -name message -exec cksum {} + | sort; }

# refused FILE PATTERN: by a run from the beginning, by one that goes on, and by a dry run; where not every case is tried
# everywhere, by these in turn
turn=0
refused() {
  all >../before
  turn=$((turn % 3 + 1)) options='--quiet --resume --dry-run'
  thorough || options=$(echo $options | cut -d' ' -f$turn)
  for option in $options; do
    expect 3 "$2" run.yaml --output "$1" $option
  done
  all | cmp -s - ../before || fail "$1: something changed: $(all | diff - ../before)"
}

# ---- of others: files, links to files and to nothing, directories ----
for ending in tmp lock probe checkpoint.tmp checkpoint.previous; do
  case $ending in tmp | lock) output=proj ;; *) output=out.h5 ;; esac
  name=$output.$ending
  remedy='and a run needs this name for itself. Move it away, or choose another output'
  for other in victim other.h5 whole.h5; do
    [ $ending:$other != tmp:whole.h5 ] || continue
    [ -e $other ] || continue
    cp $other "$name"
    refused $output "$name: is not of casimir, $remedy"
    rm "$name"
  done
  for other in victim empty nowhere whole.h5; do
    ln -s $other "$name"
    refused $output "$name: is a symbolic link, $remedy"
    rm "$name"
  done
  mkdir "$name"
  refused $output "$name: is a directory, $remedy"
  rmdir "$name"
  mkfifo "$name"
  refused $output "$name: is no regular file, $remedy"
  rm "$name"
done
echo 'my notes' >out.h5.tmp
for ranks in 1 2 3; do
  "$MPIEXEC" -n $ranks "$CASIMIR" run run.yaml 2>message
  [ $? -eq 3 ] && [ "$(grep -c '^casimir: ' message)" -eq 1 ] || fail "on $ranks ranks: $(cat message)"
done
rm out.h5.tmp
# an unfinished run is no reason to write into them
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' tracks.yaml --max-walltime 0.3
mv out.h5.tmp kept
ln -s kept out.h5.tmp
all >../before
expect 3 'out.h5.tmp: is a symbolic link' tracks.yaml --resume
all | cmp -s - ../before || fail "a link to records: something changed"
rm out.h5.tmp && mv kept out.h5.tmp
expect 0 'going on from' tracks.yaml --resume
(same tracks-whole.h5 out.h5 && nothing_left out.h5) || fail "not the same after a link was refused"

# of figures
for file in victim:'is not of casimir' link:'is a symbolic link'; do
  case $file in victim*) cp victim whole.svg.tmp ;; *) ln -s victim whole.svg.tmp ;; esac
  all >../before
  "$CASIMIR" plot whole.h5 2>message
  [ $? -eq 3 ] && grep -q "whole.svg.tmp: ${file#*:}" message || fail "a figure beside $file: $(cat message)"
  all | cmp -s - ../before || fail "a figure beside $file: something changed"
  rm whole.svg.tmp
done
mkdir far && ln -s far/figure.svg near.svg
echo '<?xml half a figure' >far/figure.svg.tmp
"$CASIMIR" plot whole.h5 --output near.svg 2>message || fail "a figure through a link: $(cat message)"
[ -L near.svg ] && grep -q '</svg>' far/figure.svg && [ "$(ls far)" = figure.svg ] || fail "a figure through a link: $(ls -l far)"

# ---- of runs ----
# taken CONFIGURATION WHOLE: the same as without what was left
taken() {
  expect 0 '' "$1" --quiet
  (same "$2" out.h5 && nothing_left out.h5) || fail "what a run has left is in the way: $what"
  [ ! -e out.h5.probe ] || fail "a probe is left: $what"
}
rm -f out.h5*
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' tracks.yaml --max-walltime 0.3
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
for mode in 600 640 400; do
  cp whole.h5 out.h5 && chmod $mode out.h5
  (umask 022 && LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 expect 75 'interrupted' tracks.yaml --max-walltime 0.3)
  [ $mode = 400 ] || [ "$(stat -c %a out.h5.tmp)" = $mode ] || fail "out.h5.tmp of a file of mode $mode: $(stat -c %a out.h5.tmp)"
  (umask 022 && expect 0 '' tracks.yaml --quiet --resume)
  [ "$(stat -c %a out.h5)" = $mode ] || fail "a trajectory in the place of a file of mode $mode: $(stat -c %a out.h5)"
  (umask 022 && expect 0 '' run.yaml --quiet)
  [ "$(stat -c %a out.h5)" = $mode ] || fail "results in the place of a file of mode $mode: $(stat -c %a out.h5)"
  chmod $mode far/figure.svg
  (umask 022 && "$CASIMIR" plot whole.h5 --output far/figure.svg 2>message)
  [ "$(stat -c %a far/figure.svg)" = $mode ] || fail "a figure in the place of one of mode $mode"
done
rm -f out.h5
(umask 027 && expect 0 '' run.yaml --quiet)
[ "$(stat -c %a out.h5)" = 640 ] || fail "new results under umask 027: $(stat -c %a out.h5)"

# ---- an empty file is as good as none ----
for option in --quiet --resume '--only-path 3'; do
  rm -f out.h5* && : >out.h5
  # shellcheck disable=SC2086 # an option may have a value
  expect 0 '' run.yaml $option --output out.h5
  [ -s out.h5 ] || fail "an empty file stays, $option"
done

[ $failures -eq 0 ]
