#!/bin/sh
# Ensembles of maps and spectra without histograms: on any number of ranks and cut at any place the bits of an
# undisturbed run, in no more memory than a dry run states. Sums of more than 4 MiB are not gathered but streamed.
. "$SOURCE_DIR/tests/checks.sh"

cat >small.yaml <<'END'
system: {name: euler_zeitlin, N: 16, noise: {amplitude: 0.5, lmin: 8}, initial: {random: {seed: 1, norm: 20, lmin: 1, lmax: 5}}}
integrator: {tolerance: 1e-14}
random: {generator: threefry}
study: {kind: ensemble, step: 2^-6, steps: 12, every: 4, paths: 40, observables: [hamiltonian, vorticity, energy_spectrum], members: 2, bins: 0}
output: {checkpoint_every: 0.04s}
END
sed 's/N: 16/N: 32/; s/steps: 12, every: 4/steps: 60, every: 2/; s/paths: 40/paths: 9/' small.yaml >large.yaml
transport='noise: {kind: transport, amplitude: 0.2, modes: {lmin: 2, lmax: 3}}, rotation: 1'
sed "s/noise: {[^}]*}/$transport, damping: {friction: 0.1}, forcing: {white: {lmin: 4, lmax: 5, rate: 0.5}}/" small.yaml >forced.yaml
sed "s/noise: {[^}]*}/$transport, lamb: 20, topography: [[3, 2, 0.5]]/" small.yaml >geostrophic.yaml

most=2
! thorough || most=4
for study in small:2:0.05 large:3:0.02 forced:2:0.05 geostrophic:3:0.05; do
  tick=${study##*:} several=${study#*:} several=${several%:*} study=${study%%:*}
  ! thorough || several='2 3'
  runs $study.yaml --output $study-1.h5
  for ranks in $several; do
    ends 0 '' "$MPIEXEC" -n $ranks "$CASIMIR" run $study.yaml --quiet --output several.h5
    alike $study-1.h5 several.h5 "$study on $ranks ranks"
  done
  "$python" -c 'import sys, h5py; print(h5py.File(sys.argv[1]).attrs["configuration"])' $study-1.h5 >stored.yaml
  runs stored.yaml --output stored.h5 # what a file says of its run, runs
  alike $study-1.h5 stored.h5 "$study, from its own configuration"
  in_pieces $most '1 3 2' "$tick" 0.3 cut.h5 $study.yaml
  alike $study-1.h5 cut.h5 "$study in pieces"
  rm -f cut.h5
done

# more paths, where sums are kept with the results; members are not
runs small.yaml --set study.members=0 --set study.paths=48 --output whole.h5
runs small.yaml --set study.members=0 --set study.paths=16 --output more.h5
ends 0 '' "$MPIEXEC" -n 2 "$CASIMIR" run small.yaml --quiet --set study.members=0 --set study.paths=48 --output more.h5 --resume
alike whole.h5 more.h5
expect 2 'none can be added' large.yaml --set study.paths=12 --output large-1.h5 --resume

# several threads have the bits of one, on any ranks, and go on with its runs
for threads in 1 2 4; do
  ends 0 '' "$MPIEXEC" -n $((1 + (threads == 2))) "$CASIMIR" run large.yaml --quiet --set threads=$threads --set study.paths=2 \
    --set study.members=0 --output threads-$threads.h5
  alike threads-1.h5 threads-$threads.h5
done
expect 2 'threads: found 2, must be 1: a block is 16 paths' small.yaml --set threads=2 --output none.h5

# a run whose first paths all fail says so, what may help, and prints no tables
expect 1 'All of the first 16 paths have failed: path 0 .* smaller study.step or system.noise.amplitude may help' small.yaml \
  --set system.noise.amplitude=1e200 --output wild.h5
grep -q '^  No statistics: all 40 paths failed and are left out' message || fail "$(cat message)"
ends 0 '^No statistics: all 40 paths failed' "$CASIMIR" report --long wild.h5
! grep 'energy_spectrum' message || fail "tables of no path"
# what the report says comes from the file
ends 0 '^  paths_counted *9 ' "$CASIMIR" report --long large-1.h5
grep -q '^  members *2 ' message && grep -q '^  2 of 2048, where mean is smallest and where it is largest' message ||
  fail "report: $(cat message)"

# Memory beyond that of a run of next to nothing is what is stated: /usr/bin/time has the peak of a rank in kB.
# ASan keeps what was freed.
! nm "$CASIMIR" | grep -q __asan_init || exit 0
sed 's/paths: 9/paths: 3/; s/every: 2/every: 1/; s/members: 2/members: 0/' large.yaml >memory.yaml
peak() { /usr/bin/time -f %M -o peak "$CASIMIR" run memory.yaml --quiet --output memory.h5 "$@" && cat peak; }
few=$(peak --set study.every=60 --set 'study.observables=[hamiltonian]')
much=$(peak --set system.latitudes=96)
"$CASIMIR" run memory.yaml --dry-run --output none.h5 --set system.latitudes=96 | sed -n 's/^  memory *\([0-9.]*\) \(.\)B on.*/\1 \2/p' |
  awk -v few="$few" -v much="$much" '
  { stated = $1 * ($2 == "M" ? 1e3 : 1); used = (much - few) * 1.024
    printf "stated %d kB, used %d kB\n", stated, used
    exit !(used < 1.1 * stated + 8000 && used > 0.7 * stated) }' || fail "another memory than stated"
