#!/bin/sh
# Runs of ranges of paths, merged, are bit for bit one run of all paths; runs of other seeds are merged as sums, in any order
# and in several steps; what does not fit together is refused, and the message names it.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# Chunks are 64 paths; of matrices a block is one path, and the pilot 64.
configurations <<'END'
convergence | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 26, levels: 3, reference: 8, paths: 500, functionals: [sin2pi] | random: {generator: threefry}
strong_quantiles | quadratic | strong_quantiles, coarsest_step: 2^-7, coarsest_steps: 26, levels: 3, reference: 8, paths: 500
ensemble | {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.2}} | ensemble, step: 0.01, steps: 200, every: 100, paths: 512, observables: [x1, hamiltonian]
matrices | blocks | ensemble, step: 2^-5, steps: 1, every: 1, paths: 200, path_groups: 16, observables: [hamiltonian]
moments | blocks | ensemble, step: 2^-5, steps: 1, every: 1, paths: 200, bins: 0, observables: [hamiltonian]
END

# range STUDY FIRST PATHS FILE ARGUMENT ..
range() {
  ranged=$1 first=$2 paths=$3 into=$4
  shift 4
  runs "$ranged.yaml" --set study.first_path="$first" --set study.paths="$paths" --output "$into" "$@"
}
# merged OUTPUT FILE ..
merged() {
  into=$1
  shift
  ends 0 "results in $into " "$CASIMIR" merge "$@" --output "$into"
}
# not_merged WORDS FILE ..
not_merged() {
  wrong=$1
  shift
  unchanged 2 "$wrong" "$CASIMIR" merge "$@" --output refused.h5
}
# configuration_has TEXT FILE
configuration_has() { h5dump -a /configuration "$2" | grep -q "$1" || fail "the configuration of $2 has no $1"; }

expect 0 '500 in 8 chunks of 64' convergence.yaml --dry-run --output none.h5
for study in convergence:500 strong_quantiles:500 ensemble:512 matrices:200 moments:200; do
  whole=${study#*:} study=${study%:*}
  runs $study.yaml --set study.paths="$whole" --output $study-whole.h5
  range $study 0 128 $study-0.h5
  range $study 128 64 $study-128.h5
  "$MPIEXEC" -n 2 "$CASIMIR" run $study.yaml --quiet --set study.first_path=192 --set study.paths=$((whole - 192)) --output $study-192.h5
  merged merged.h5 $study-192.h5 $study-0.h5 $study-128.h5
  alike $study-whole.h5 merged.h5
  # in two steps, on several processes
  merged end.h5 $study-192.h5 $study-128.h5
  ends 0 '' "$MPIEXEC" -n 2 "$CASIMIR" merge $study-0.h5 end.h5 --quiet --output again.h5
  alike $study-whole.h5 again.h5
  rm merged.h5 end.h5 again.h5
done

# a range that was interrupted
set -- --set study.steps=12000 --set study.every=12000
by_looks 0.001 ends 75 interrupted "$MPIEXEC" -n 2 "$CASIMIR" run ensemble.yaml "$@" --set study.first_path=128 --set study.paths=384 \
  --output cut.h5 --max-walltime 0.3
range ensemble 128 384 cut.h5 "$@" --resume
range ensemble 0 128 first.h5 "$@"
range ensemble 0 512 long.h5 "$@"
merged merged.h5 first.h5 cut.h5
alike long.h5 merged.h5 "a range that was interrupted"

# without space for the results there is neither a file nor a checkpoint of them
# shellcheck disable=SC3045 # every shell that this is for has ulimit -f
unchanged 3 'short.h5.tmp: cannot be written: File too large.$' sh -c 'ulimit -f 60; exec "$@"' sh \
  "$CASIMIR" merge convergence-0.h5 convergence-128.h5 --output short.h5

# one of more paths goes on from what was merged
merged more.h5 convergence-0.h5 convergence-128.h5
runs convergence.yaml --resume --output more.h5
alike convergence-whole.h5 more.h5 "more paths"

# two seeds: as many paths, the mean of both means
for seed in 1 2; do range convergence 0 500 seed-$seed.h5 --set random.seed=$seed; done
merged seeds.h5 seed-2.h5 seed-1.h5
merged seeds-again.h5 seed-1.h5 seed-2.h5
alike seeds.h5 seeds-again.h5
"$python" - <<'END' || fail "two seeds"
import h5py, numpy as np
one, two, both = (h5py.File(name + ".h5") for name in ("seed-1", "seed-2", "seeds"))
a, b, mean = (f["weak/sin2pi/mean"][:] for f in (one, two, both))
assert len(a) == 4 and (a != b).all() and abs((a + b) / 2 - mean).max() < 1e-15, (a, b, mean)
assert both.attrs["paths"] == 1000 and "merged from runs with these random.seed: 1 2" in both.attrs["configuration"]
END

# what was merged from several seeds is merged again: bit for bit as all at once, whatever is merged first
for study in convergence strong_quantiles; do
  for seed in 1 2 3; do
    for first in 0 128; do range $study $first $((128 + first / 4)) s$seed-$first.h5 --set random.seed=$seed; done
  done
  merged all.h5 s?-0.h5 s?-128.h5
  merged pair-0.h5 s2-0.h5 s1-0.h5
  merged pair-128.h5 s3-128.h5 s1-128.h5
  merged again.h5 pair-0.h5 s3-0.h5 pair-128.h5 s2-128.h5
  alike all.h5 again.h5
  merged once.h5 again.h5
  alike all.h5 once.h5
done
not_merged 'both have paths 0 to 127 of random.seed 1' pair-0.h5 s1-0.h5
not_merged 'differ in' pair-0.h5 convergence-whole.h5
refused 2 'is merged from runs with several random.seed' strong_quantiles.yaml --resume --set study.paths=2000 --output all.h5

# ensembles that keep where their paths end keep it when they are merged, and take more steps
range ensemble 0 128 ends-0.h5 --set study.ends=true
range ensemble 128 64 ends-128.h5 --set study.ends=true
range ensemble 192 100 ends-192.h5 --set study.ends=true
range ensemble 0 292 ends-whole.h5 --set study.ends=true
merged ends.h5 ends-192.h5 ends-0.h5 ends-128.h5
alike ends-whole.h5 ends.h5
for file in ends ends-whole; do
  expect 0 'going on from' ensemble.yaml --set study.ends=true --resume --set study.paths=292 --set study.steps=300 --output $file.h5
done
alike ends-whole.h5 ends.h5 "more steps of what was merged"
# and where one of them does not, the file says so
range ensemble 0 128 without-0.h5
merged ends.h5 without-0.h5 ends-128.h5
configuration_has 'ends: false' ends.h5
merged ends.h5 ends-0.h5 ensemble-128.h5
configuration_has 'ends: false' ends.h5

# initial states of paths: those of one seed are shared by runs of other noise, unless the ranges of paths differ
sed 's/noise:/initial: {random: {seed: 3, norm: 1}, each: path}, noise:/' convergence.yaml >shared.yaml
sed 's/seed: 3, //' shared.yaml >drawn.yaml
sed 's/initial: {random.*path}, noise/initial: {file: states.h5, dataset: initial\/state, each: path}, noise/' shared.yaml >stack.yaml
runs drawn.yaml --output states.h5 --set study='{kind: trajectory, step: 1/8, steps: 1, paths: 128}' \
  --set system.initial='{random: {norm: 1}, each: path, keep: true}'
for states in shared drawn stack; do
  for seed in 1 2; do
    range $states 0 128 $states-$seed.h5 --set random.seed=$seed
    cp message $states-$seed
  done
done
range shared 128 128 shared-3.h5 --set random.seed=2
not_merged 'paths 0 to 127 are of the same system.initial.random.seed' shared-2.h5 shared-1.h5
not_merged 'paths 0 to 127 are of the same system.initial.file' stack-2.h5 stack-1.h5
merged merged.h5 shared-1.h5 shared-3.h5
grep -q 'states that paths begin at are those of system.initial.random.seed 3' shared-2 || fail "says nothing of shared states: $(cat shared-2)"
[ ! -s drawn-2 ] || fail "states that are not shared: $(cat drawn-2)"
ends 0 'are not independent samples' "$CASIMIR" sweep shared.yaml --dry-run --set random.seed=1,2 --output none.h5
[ "$(grep -c 'are not independent samples' message)" = 1 ] || fail "said of each point: $(cat message)"
ends 0 '' "$CASIMIR" sweep shared.yaml --dry-run --set random.seed=1 --set system.noise.sigma=0.1,0.2 --output none.h5
! grep -q 'independent samples' message || fail "one seed: $(cat message)"
# the states are those of the seed of the noise, and the file says so
merged merged.h5 drawn-1.h5 drawn-2.h5
configuration_has 'initial: {random: {norm: 1}, each: path}' merged.h5
range shared 0 128 shared-2.h5 --set system.initial.random.seed=2 --set random.seed=2
h5diff -q shared-2.h5 drawn-2.h5 /strong /strong || fail "drawn by the seed of the noise, and by its number"
expect 2 "'seed' is missing" drawn.yaml --set system.initial='{random: {norm: 1}}' --output none.h5

# normals of a file are the same with every seed
runs drawn.yaml --output states.h5 --set study='{kind: trajectory, step: 1/8, steps: 255, paths: 16}'
for seed in 1 2; do
  runs convergence.yaml --set random='{generator: replay, file: states.h5, dataset: trajectory/state}' \
    --set study='{kind: strong, coarsest_step: 2^-4, coarsest_steps: 1, levels: 3, reference: 4, paths: 128}' \
    --set random.seed=$seed --output replayed-$seed.h5
done
has 'random.seed is 2, but the noise is that of the normals in random.file'
not_merged 'both have paths 0 to 127 of the normals in random.file' replayed-1.h5 replayed-2.h5

# what is refused
range convergence 512 500 levels.h5 --set study.levels=2
range convergence 512 500 sigma.h5 --set system.noise.sigma=0.2
range ensemble 0 512 other.h5 --set random.seed=2
range ensemble 0 64 few.h5
for seed in 1 2; do range ensemble 0 512 bare-$seed.h5 --set random.seed=$seed --set study.bins=0; done
each not_merged <<'END'
both have paths 128 to 191 | convergence-0.h5 convergence-128.h5 convergence-128.h5
no file has paths 128 to 191 | convergence-0.h5 convergence-192.h5
differ in study.levels | convergence-whole.h5 levels.h5
differ in system.noise.sigma | convergence-whole.h5 sigma.h5
other bins.*ranges of the paths of one seed, by study.first_path | ensemble-whole.h5 other.h5
ranges of the paths of one seed, by study.first_path | bare-1.h5 bare-2.h5
no histograms | few.h5
END
unchanged 2 'would be replaced' "$CASIMIR" merge convergence-0.h5 --output convergence-0.h5
refused 2 'study.first_path: found 100, must be a multiple of 64, the paths of a chunk' convergence.yaml --set study.first_path=100 --output none.h5
refused 2 'study.members: found 3' ensemble.yaml --set study.first_path=128 --set study.members=3 --output none.h5
refused 2 'has paths 128 to 627' convergence.yaml --only-path 100 --set study.first_path=128
expect 0 '' convergence.yaml --only-path 130 --set study.first_path=128

# Of all kinds of studies, --help names the ones that can be merged.
"$CASIMIR" describe studies | sed -n 's/^\([a-z_]*\): .*/\1/p' >all
"$CASIMIR" merge --help | tr '\n' ' ' | sed 's/.*Studies \([^;]*\);.*/\1/; s/ and /, /; s/, */\n/g' >named
while read -r kind; do
  config=$TEST_DATA/configurations/$kind.yaml
  other=random.seed=2 more=study.kind=$kind
  [ "$kind" != ensemble ] || other=study.first_path=128 more=study.paths=128
  runs "$config" --output a.h5 --set "$more"
  runs "$config" --output b.h5 --set "$more" --set "$other"
  if grep -qx "$kind" named; then
    merged "$kind.h5" a.h5 b.h5
  else
    not_merged "found a study $kind, must be of .*, whose runs can be merged" a.h5 b.h5
  fi
  rm -f a.h5 b.h5
done <all
