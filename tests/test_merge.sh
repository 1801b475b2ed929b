#!/bin/sh
# Runs of ranges of paths, merged, are bit for bit one run of all paths; runs of other seeds are merged as sums, in any order
# and in several steps; what does not fit together is refused, and the message names it.
# needs: sprng
set -eu
. "$SOURCE_DIR/tests/compare.sh"

# with chunks of 64 paths
cat >convergence.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-7, coarsest_steps: 26, levels: 3, reference: 8, paths: 500, functionals: [sin2pi]}
END
cat >strong_quantiles.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: strong_quantiles, coarsest_step: 2^-7, coarsest_steps: 26, levels: 3, reference: 8, paths: 500}
END
cat >ensemble.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3], noise: {kind: linear, sigma: 0.2}}
study: {kind: ensemble, step: 0.01, steps: 200, every: 100, paths: 512, observables: [x1, hamiltonian]}
END
# a block is one path, and the pilot 64
cat >matrices.yaml <<'END'
system: {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}
study: {kind: ensemble, step: 2^-5, steps: 1, every: 1, paths: 200, path_groups: 16, observables: [hamiltonian]}
END
sed 's/path_groups: 16/bins: 0/' matrices.yaml >moments.yaml

# range STUDY FIRST PATHS [LAUNCHER ..]: into STUDY-FIRST.h5
range() {
  ranged=$1 first=$2 paths=$3
  shift 3
  "$@" "$CASIMIR" run "$ranged.yaml" --quiet --set study.first_path="$first" --set study.paths="$paths" --output "$ranged-$first.h5"
}

# refused WORDS FILE ..
refused() {
  words=$1
  shift
  if "$CASIMIR" merge "$@" --output refused.h5 2>messages; then
    echo "merged, and should not be: $*" >&2
    exit 1
  fi
  grep -q "$words" messages || { echo "'$words' is not in: $(cat messages)" >&2; exit 1; }
  [ ! -e refused.h5 ]
}

"$CASIMIR" run convergence.yaml --dry-run --output none.h5 | grep -q '500 in 8 chunks of 64'
for study in convergence strong_quantiles ensemble matrices moments; do
  whole=500
  case $study in ensemble) whole=512 ;; matrices | moments) whole=200 ;; esac
  "$CASIMIR" run $study.yaml --quiet --set study.paths=$whole --output $study-whole.h5
  range $study 0 128
  range $study 128 64
  range $study 192 $((whole - 192)) "$MPIEXEC" -n 2
  "$CASIMIR" merge $study-192.h5 $study-0.h5 $study-128.h5 --quiet --output merged.h5
  same $study-whole.h5 merged.h5
  # in two steps, on several processes
  "$CASIMIR" merge $study-192.h5 $study-128.h5 --quiet --output end.h5
  "$MPIEXEC" -n 2 "$CASIMIR" merge $study-0.h5 end.h5 --quiet --output again.h5
  same $study-whole.h5 again.h5
  rm merged.h5 end.h5 again.h5
done

# a range that was interrupted
long="--quiet --set study.steps=12000 --set study.every=12000"
part="$long --set study.first_path=128 --set study.paths=384 --output cut.h5"
# shellcheck disable=SC2086 # several words
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.001 "$MPIEXEC" -n 2 "$CASIMIR" run ensemble.yaml $part --max-walltime 0.3 2>messages && exit 1
grep -q interrupted messages
# shellcheck disable=SC2086
"$CASIMIR" run ensemble.yaml $part --resume
# shellcheck disable=SC2086
"$CASIMIR" run ensemble.yaml $long --set study.paths=128 --output first.h5
# shellcheck disable=SC2086
"$CASIMIR" run ensemble.yaml $long --output long.h5
"$CASIMIR" merge first.h5 cut.h5 --quiet --output merged.h5
same long.h5 merged.h5

# one of more paths goes on from what was merged
"$CASIMIR" merge convergence-0.h5 convergence-128.h5 --quiet --output more.h5
"$CASIMIR" run convergence.yaml --quiet --resume --output more.h5
same convergence-whole.h5 more.h5

# two seeds: as many paths, the mean of both means
for seed in 1 2; do
  "$CASIMIR" run convergence.yaml --quiet --set random.seed=$seed --output seed-$seed.h5
done
"$CASIMIR" merge seed-2.h5 seed-1.h5 --quiet --output seeds.h5
"$CASIMIR" merge seed-1.h5 seed-2.h5 --quiet --output seeds-again.h5
same seeds.h5 seeds-again.h5
mean() { h5dump -y -w 0 -d /weak/sin2pi/mean -m '%.17g' "$1" | sed '/ATTRIBUTE/,$d' | sed -n '/DATA {/,/}/{/[{}]/d;p}' | tr -d ' \n'; }
printf '%s\n' "$(mean seed-1.h5)" "$(mean seed-2.h5)" "$(mean seeds.h5)" | awk -F, '
  { for (i = 1; i <= NF; i++) m[NR, i] = $i; n = NF }
  END {
    for (i = 1; i <= n; i++) {
      d = (m[1, i] + m[2, i]) / 2 - m[3, i]
      if (!(d < 1e-15 && d > -1e-15) || m[1, i] == m[2, i]) exit 1
    }
    exit n < 4
  }' || { echo "the mean of two seeds is another one" >&2; exit 1; }
h5dump -a /paths seeds.h5 | grep -q '(0): 1000'
h5dump -a /configuration seeds.h5 | grep -q 'merged from runs with these random.seed: 1 2'

# what was merged from several seeds is merged again: bit for bit as all at once, whatever is merged first
for study in convergence strong_quantiles; do
  for seed in 1 2 3; do
    for first in 0 128; do
      "$CASIMIR" run $study.yaml --quiet --set random.seed=$seed --set study.first_path=$first --set study.paths=$((128 + first / 4)) \
        --output s$seed-$first.h5
    done
  done
  "$CASIMIR" merge s?-0.h5 s?-128.h5 --quiet --output all.h5
  "$CASIMIR" merge s2-0.h5 s1-0.h5 --quiet --output pair-0.h5
  "$CASIMIR" merge s3-128.h5 s1-128.h5 --quiet --output pair-128.h5
  "$CASIMIR" merge pair-0.h5 s3-0.h5 pair-128.h5 s2-128.h5 --quiet --output again.h5
  same all.h5 again.h5
  "$CASIMIR" merge again.h5 --quiet --output once.h5
  same all.h5 once.h5
done
refused 'both have paths 0 to 127 of random.seed 1' pair-0.h5 s1-0.h5
refused 'differ in' pair-0.h5 convergence-whole.h5
cp all.h5 before.h5
"$CASIMIR" run $study.yaml --quiet --resume --set study.paths=2000 --output all.h5 2>messages && exit 1
grep -q 'is merged from runs with several random.seed' messages
cmp all.h5 before.h5

# ensembles that keep where their paths end keep it when they are merged, and take more steps
ends="--quiet --set study.ends=true"
# shellcheck disable=SC2086 # several words
for range in '0 128' '128 64' '192 100'; do
  "$CASIMIR" run ensemble.yaml $ends --set study.first_path="${range% *}" --set study.paths="${range#* }" --output "ends-${range% *}.h5"
done
# shellcheck disable=SC2086
"$CASIMIR" run ensemble.yaml $ends --set study.paths=292 --output ends-whole.h5
"$CASIMIR" merge ends-192.h5 ends-0.h5 ends-128.h5 --quiet --output ends.h5
same ends-whole.h5 ends.h5
for file in ends ends-whole; do
  # shellcheck disable=SC2086
  "$CASIMIR" run ensemble.yaml $ends --resume --set study.paths=292 --set study.steps=300 --output $file.h5 2>messages
  grep -q 'going on from' messages
done
same ends-whole.h5 ends.h5
# and where one of them does not, the file says so
"$CASIMIR" run ensemble.yaml --quiet --set study.paths=128 --output without-0.h5
"$CASIMIR" merge without-0.h5 ends-128.h5 --quiet --output ends.h5
h5dump -a /configuration ends.h5 | grep -q 'ends: false'
"$CASIMIR" merge ends-0.h5 ensemble-128.h5 --quiet --output ends.h5
h5dump -a /configuration ends.h5 | grep -q 'ends: false'

# initial states of paths: those of one seed are shared by runs of other noise, unless the ranges of paths differ
sed 's/noise:/initial: {random: {seed: 3, norm: 1}, each: path}, noise:/' convergence.yaml >shared.yaml
sed 's/seed: 3, //' shared.yaml >drawn.yaml
sed 's/initial: {random.*path}, noise/initial: {file: states.h5, dataset: initial\/state, each: path}, noise/' shared.yaml >stack.yaml
"$CASIMIR" run drawn.yaml --quiet --output states.h5 --set study='{kind: trajectory, step: 1/8, steps: 1, paths: 128}' \
  --set system.initial='{random: {norm: 1}, each: path, keep: true}'
for states in shared drawn stack; do
  for seed in 1 2; do
    "$CASIMIR" run $states.yaml --quiet --set study.paths=128 --set random.seed=$seed --output $states-$seed.h5 2>$states-$seed
  done
done
"$CASIMIR" run shared.yaml --quiet --set study.paths=128 --set study.first_path=128 --set random.seed=2 --output shared-3.h5 2>messages
refused 'paths 0 to 127 are of the same system.initial.random.seed' shared-2.h5 shared-1.h5
refused 'paths 0 to 127 are of the same system.initial.file' stack-2.h5 stack-1.h5
"$CASIMIR" merge shared-1.h5 shared-3.h5 --quiet --output merged.h5
grep -q 'states that paths begin at are those of system.initial.random.seed 3' shared-2
[ ! -s drawn-2 ]
"$CASIMIR" sweep shared.yaml --dry-run --set random.seed=1,2 --output none.h5 2>messages >/dev/null
[ "$(grep -c 'are not independent samples' messages)" = 1 ]
"$CASIMIR" sweep shared.yaml --dry-run --set random.seed=1 --set system.noise.sigma=0.1,0.2 --output none.h5 2>messages >/dev/null
[ ! -s messages ]
# the states are those of the seed of the noise, and the file says so
"$CASIMIR" merge drawn-1.h5 drawn-2.h5 --quiet --output merged.h5
h5dump -a /configuration merged.h5 | grep -q 'initial: {random: {norm: 1}, each: path}'
"$CASIMIR" run shared.yaml --quiet --set system.initial.random.seed=2 --set random.seed=2 --set study.paths=128 --output shared-2.h5 2>messages
h5diff -q shared-2.h5 drawn-2.h5 /strong /strong
"$CASIMIR" run drawn.yaml --quiet --set system.initial='{random: {norm: 1}}' --output none.h5 2>messages && exit 1
grep -q "'seed' is missing" messages

# normals of a file are the same with every seed
"$CASIMIR" run drawn.yaml --quiet --output states.h5 --set study='{kind: trajectory, step: 1/8, steps: 255, paths: 16}'
replayed() { # SEED FIRST PATHS OUTPUT
  "$CASIMIR" run convergence.yaml --quiet --set random='{generator: replay, file: states.h5, dataset: trajectory/state}' \
    --set study='{kind: strong, coarsest_step: 2^-4, coarsest_steps: 1, levels: 3, reference: 4}' \
    --set random.seed="$1" --set study.first_path="$2" --set study.paths="$3" --output "$4" 2>messages
}
replayed 1 0 128 replayed-1.h5
replayed 2 0 128 replayed-2.h5
grep -q 'random.seed is 2, but the noise is that of the normals in random.file' messages
refused 'both have paths 0 to 127 of the normals in random.file' replayed-1.h5 replayed-2.h5

# what is refused
refused 'both have paths 128 to 191' convergence-0.h5 convergence-128.h5 convergence-128.h5
refused 'no file has paths 128 to 191' convergence-0.h5 convergence-192.h5
"$CASIMIR" run convergence.yaml --quiet --set study.levels=2 --set study.first_path=512 --output other.h5
refused 'differ in study.levels' convergence-whole.h5 other.h5
"$CASIMIR" run convergence.yaml --quiet --set system.noise.sigma=0.2 --set study.first_path=512 --output other.h5
refused 'differ in system.noise.sigma' convergence-whole.h5 other.h5
"$CASIMIR" run ensemble.yaml --quiet --set random.seed=2 --output other.h5
refused 'other bins' ensemble-whole.h5 other.h5
for seed in 1 2; do
  "$CASIMIR" run ensemble.yaml --quiet --set random.seed=$seed --set study.bins=0 --output bare-$seed.h5
done
refused 'ranges of the paths of one seed, by study.first_path' ensemble-whole.h5 other.h5
refused 'ranges of the paths of one seed, by study.first_path' bare-1.h5 bare-2.h5
"$CASIMIR" run ensemble.yaml --quiet --set study.paths=64 --output few.h5
refused 'no histograms' few.h5
"$CASIMIR" merge convergence-0.h5 --output convergence-0.h5 2>messages && exit 1
grep -q 'would be replaced' messages
"$CASIMIR" run convergence.yaml --quiet --set study.first_path=100 --output none.h5 2>messages && exit 1
grep -q 'study.first_path: found 100, must be a multiple of 64, the paths of a chunk' messages
"$CASIMIR" run ensemble.yaml --quiet --set study.first_path=128 --set study.members=3 --output none.h5 2>messages && exit 1
grep -q 'study.members: found 3' messages
"$CASIMIR" run convergence.yaml --only-path 100 --set study.first_path=128 2>messages && exit 1
grep -q 'has paths 128 to 627' messages
"$CASIMIR" run convergence.yaml --only-path 130 --set study.first_path=128 >/dev/null

# Of all kinds of studies, --help names the ones that can be merged.
cat >kinds <<'EOS'
strong coarsest_steps: 1, levels: 2, reference: 3, paths: 128
weak coarsest_steps: 1, levels: 2, reference: 3, paths: 128, functionals: [x1]
convergence coarsest_steps: 1, levels: 2, reference: 3, paths: 128, functionals: [x1]
strong_quantiles coarsest_steps: 1, levels: 2, reference: 3, paths: 128
law coarsest_steps: 1, levels: 2, reference: 3, paths: 128, functionals: [x1]
weak_times coarsest_steps: 2, levels: 2, reference: 3, paths: 128, functionals: [x1], times: [0.125, 0.25]
invariant coarsest_steps: 64, levels: 2, reference: 3, paths: 128, functionals: [x1], from: 4
weak_multilevel coarsest_steps: 1, levels: 2, paths: 128, functionals: [x1]
mlmc coarsest_steps: 1, epsilon: 0.05, functionals: [x1]
trajectory steps: 1
ensemble steps: 1, every: 1, paths: 128, observables: [x1]
time_average steps: 64, every: 1, paths: 128, observables: [x1]
EOS
printf '%s\n' 'system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.2}, initial: [0.36, 0.48, 0.8]}' \
  'random: {generator: threefry}' >kind.yaml
"$CASIMIR" describe studies | sed -n 's/^\([a-z_]*\): .*/\1/p' | sort >all
cut -d ' ' -f 1 kinds | sort | cmp - all
"$CASIMIR" merge --help | tr '\n' ' ' | sed 's/.*Studies \([^;]*\);.*/\1/; s/ and /, /; s/, */\n/g' | sort >named
while read -r kind keys; do
  case $kind in ensemble) other="study.first_path=128" ;; *) other="random.seed=2" ;; esac
  case $keys in coarsest*) step=coarsest_step ;; *) step=step ;; esac
  "$CASIMIR" run kind.yaml --quiet --set study="{kind: $kind, $step: 1/8, $keys}" --output a.h5
  "$CASIMIR" run kind.yaml --quiet --set study="{kind: $kind, $step: 1/8, $keys}" --set "$other" --output b.h5
  if grep -qx "$kind" named; then
    "$CASIMIR" merge a.h5 b.h5 --quiet --output "$kind.h5"
  else
    refused "found a study $kind, must be of .*, whose runs can be merged" a.h5 b.h5
  fi
  rm -f a.h5 b.h5
done <kinds
