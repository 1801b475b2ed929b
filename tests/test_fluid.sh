#!/bin/sh
# Ensembles of maps and spectra without histograms: on any number of ranks and cut at any place the bits of an
# undisturbed run, in no more memory than a dry run states. Sums of more than 4 MiB are not gathered but streamed.
set -eu
. "$SOURCE_DIR/tests/compare.sh"
. "$SOURCE_DIR/tests/checks.sh"

cat >small.yaml <<'END'
system: {name: euler_zeitlin, N: 16, noise: {amplitude: 0.5, lmin: 8}, initial: {random: {seed: 1, norm: 20, lmin: 1, lmax: 5}}}
integrator: {tolerance: 1e-14}
random: {generator: threefry}
study: {kind: ensemble, step: 2^-6, steps: 12, every: 4, paths: 40, observables: [hamiltonian, vorticity, energy_spectrum], members: 2, bins: 0}
output: {checkpoint_every: 0.04s}
END
sed 's/N: 16/N: 32/; s/steps: 12, every: 4/steps: 60, every: 2/; s/paths: 40/paths: 9/' small.yaml >large.yaml

sed 's/noise: {[^}]*}/noise: {kind: transport, amplitude: 0.2, modes: {lmin: 2, lmax: 3}}, rotation: 1, damping: {friction: 0.1}, forcing: {white: {lmin: 4, lmax: 5, rate: 0.5}}/' small.yaml >forced.yaml
grep -q forcing forced.yaml

sed 's/noise: {[^}]*}/noise: {kind: transport, amplitude: 0.2, modes: {lmin: 2, lmax: 3}}, rotation: 1, lamb: 20, topography: [[3, 2, 0.5]]/' small.yaml >geostrophic.yaml
grep -q lamb geostrophic.yaml

# cut_up FILE CONFIG: until it is done, in pieces of some looks at the clock, on several numbers of ranks
cut_up() {
  pieces=0 tick=0.02 most=2
  ! thorough || most=4
  [ "$2" = large.yaml ] || tick=0.05
  while :; do
    for ranks in 1 3 2; do
      found=0 limit=0.3
      [ $pieces -lt $most ] || limit=1h
      LD_PRELOAD=$FAULTS FAULT_CLOCK=$tick "$MPIEXEC" -n $ranks "$CASIMIR" run "$2" --quiet --resume --max-walltime $limit \
        --output "$1" 2>messages || found=$?
      case $found in
      0) return ;;
      75) pieces=$((pieces + 1)) ;;
      *) cat messages >&2; echo "$2: status $found" >&2; exit 1 ;;
      esac
    done
  done
}

for pair in small:2 large:3 forced:2 geostrophic:3; do
  study=${pair%:*} several=${pair#*:}
  ! thorough || several='2 3'
  "$CASIMIR" run $study.yaml --quiet --output $study-1.h5
  for ranks in $several; do
    "$MPIEXEC" -n $ranks "$CASIMIR" run $study.yaml --quiet --output $study-$ranks.h5
    same $study-1.h5 $study-$ranks.h5
  done
  /usr/bin/python3 -c 'import sys, h5py; print(h5py.File(sys.argv[1]).attrs["configuration"])' $study-1.h5 >stored.yaml
  "$CASIMIR" run stored.yaml --quiet --output stored.h5 # what a file says of its run, runs
  same $study-1.h5 stored.h5
  cut_up $study-cut.h5 $study.yaml
  [ $pieces -gt 0 ] || { echo "$study: interrupted $pieces times" >&2; exit 1; }
  same $study-1.h5 $study-cut.h5
  nothing_left $study-cut.h5
done

# more paths, where sums are kept with the results; members are not
"$CASIMIR" run small.yaml --quiet --set study.members=0 --set study.paths=48 --output whole.h5
"$CASIMIR" run small.yaml --quiet --set study.members=0 --set study.paths=16 --output more.h5
"$MPIEXEC" -n 2 "$CASIMIR" run small.yaml --quiet --set study.members=0 --set study.paths=48 --output more.h5 --resume
same whole.h5 more.h5
found=0
"$CASIMIR" run large.yaml --quiet --set study.paths=12 --output large-1.h5 --resume 2>messages || found=$?
[ $found -eq 2 ] && grep -q 'none can be added' messages

# several threads have the bits of one, on any ranks, and go on with its runs
threaded() { "$MPIEXEC" -n "$1" "$CASIMIR" run large.yaml --quiet --set threads="$2" --set study.paths=2 --set study.members=0 --output "$3" 2>messages; }
threaded 1 1 threads-1.h5
threaded 2 2 threads-2.h5
threaded 1 4 threads-4.h5
same threads-1.h5 threads-2.h5
same threads-1.h5 threads-4.h5
found=0
"$CASIMIR" run small.yaml --quiet --set threads=2 --output none.h5 2>messages || found=$?
[ $found -eq 2 ] && grep -q 'threads: found 2, must be 1: a block is 16 paths' messages || { cat messages >&2; exit 1; }

# a run whose first paths all fail says so, what may help, and prints no tables
found=0
"$CASIMIR" run small.yaml --set system.noise.amplitude=1e200 --long --output wild.h5 >report 2>messages || found=$?
[ $found -eq 1 ] && grep -q 'All of the first 16 paths have failed: path 0 .* smaller study.step or system.noise.amplitude may help' messages
grep -q '^No statistics: all 40 paths failed and are left out' report
! grep -q 'energy_spectrum' report

# what the report says comes from the file
"$CASIMIR" report --long large-1.h5 >report
grep -q '^  paths_counted *9 ' report
grep -q '^  members *2 ' report
grep -q '^  at time .*, of 2048 numbers where mean is smallest and where it is largest' report

# Memory beyond that of a run of next to nothing is what is stated: /usr/bin/time has the peak of a rank in kB.
# ASan keeps what was freed.
! nm "$CASIMIR" | grep -q __asan_init || exit 0
sed 's/paths: 9/paths: 3/; s/every: 2/every: 1/; s/members: 2/members: 0/' large.yaml >memory.yaml
peak() { /usr/bin/time -f %M -o peak "$CASIMIR" run memory.yaml --quiet --output memory.h5 "$@" && cat peak; }
stated() { "$CASIMIR" run memory.yaml --dry-run --output none.h5 "$@" | sed -n 's/^  memory *\([0-9.]*\) \(.\)B on.*/\1 \2/p'; }
few=$(peak --set study.every=60 --set 'study.observables=[hamiltonian]')
much=$(peak --set system.latitudes=96)
stated --set system.latitudes=96 | awk -v few="$few" -v much="$much" '
  { stated = $1 * ($2 == "M" ? 1e3 : 1); used = (much - few) * 1.024
    printf "stated %d kB, used %d kB\n", stated, used
    exit !(used < 1.1 * stated + 8000 && used > 0.7 * stated) }'
