#!/bin/sh
# Peak memory of a rank is below 60 MB and does not grow with the number of paths. A run that a limit of address space does not
# suffice for ends with status 4, before its paths are computed or with a checkpoint, and never waits; what needs no products of
# large matrices does not need the memory of a BLAS. CASIMIR_PATHS: how many paths are many.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -v
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
paths=${CASIMIR_PATHS:-1000000}

study='convergence, coarsest_step: 2^-5, coarsest_steps: 1, levels: 3, reference: 4, paths: 16, functionals: [energy]'
configurations 'output: {file: out.h5}' <<END
levels | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 1, levels: 2, reference: 2, paths: 10000, functionals: [sin2pi, x1, x2, x3, energy]
times | quadratic | ensemble, step: 2^-7, steps: 8, every: 1, paths: 10000, observables: [x1, x2, x3, hamiltonian, casimir_departure], members: 10
source | body | trajectory, step: 2^-7, steps: 99999, paths: 16, observables: [hamiltonian]
run | {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: linear, chi: [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]]}} | ensemble, step: 2^-7, steps: 16, every: 8, paths: 10, observables: [x1]
body | quadratic | $study
rotations | {name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}} | $study
matrices | {name: euler_zeitlin, N: 9, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}} | $study
blocks | blocks | $study
END

# largest RANKS CONFIGURATION ARGUMENT ..: kilobytes of the largest rank
largest() {
  ranks=$1
  shift
  rm -f peaks out.h5
  "$MPIEXEC" -n "$ranks" /usr/bin/time -a -f %M -o peaks "$CASIMIR" run "$@" --quiet --output out.h5
  sort -n peaks | tail -n 1
}
# less A B WHAT: numbers of kilobytes
less() { [ "$1" -lt "$2" ] || fail "$3: $1 kB, must be less than $2 kB"; }

# SPRNG itself leaks 128 bytes a stream, 144 with what malloc adds, and a stream serves 64 paths. Statistics over time: the tree
# over chunks is as high as the logarithm of their number.
for study in levels:threefry levels:sprng_mlfg times:threefry; do
  few=$(largest 1 ${study%:*}.yaml --set random.generator=threefry)
  many=$(largest 1 ${study%:*}.yaml --set random.generator=${study#*:} --set study.paths="$paths")
  echo "peak memory of $study: $few kB at 10^4 paths, $many kB at $paths"
  leaked=0
  case $study in *sprng*) leaked=$((paths / 64 * 144 / 1000)) ;; esac
  less "$few" 60000 "$study"
  less "$many" 60000 "$study, many paths"
  less "$many" $((few * 105 / 100 + leaked)) "$study, many paths"
done

# input files: one state of many, and the normals of the paths that run, not all that the file has; on one rank and on three
runs source.yaml --output source.h5
replay='random={generator: replay, file: source.h5, dataset: /trajectory/state}'
for ranks in 1 3; do
  none=$(largest $ranks run.yaml)
  state=$(largest $ranks run.yaml --set 'system.initial={file: source.h5, dataset: /trajectory/state, index: [90000, 3]}')
  normals=$(largest $ranks run.yaml --set "$replay")
  all=$(largest $ranks run.yaml --set "$replay" --set study.paths=100000)
  echo "peak memory on $ranks ranks: $none kB without a file of 51 MB, $state kB with a state of it, $normals kB with normals of 10 paths, $all kB with those of all"
  for peak in "$state" "$normals" "$all"; do less $((peak - none)) 10000 "an input on $ranks ranks"; done
done

# ---- limits of address space: AddressSanitizer needs more than any of them leaves ----
! nm "$CASIMIR" | grep -q __asan_init || exit 0

# Threads of MPI reserve 128 MB each for their own memory, where 128 MB are left: what is enough then depends on chance.
export MALLOC_ARENA_MAX=1

# limited SECONDS MB ARGUMENT ..: `casimir run` in MB of address space, for SECONDS at most
limited() {
  seconds=$1 megabytes=$2
  shift 2
  (ulimit -v $((megabytes * 1024)) && exec timeout -k 5 "$seconds" "$CASIMIR" run "$@") >log 2>&1
}

# What a program needs that only says what it would do, in MB: below that the loader or MPI ends it, or waits. MPI gets by
# with less where some of its parts find no room to be loaded, and not with a little more: three limits in a row suffice.
least=40
until limited 20 $least body.yaml --dry-run --output none.h5 && limited 20 $((least + 10)) body.yaml --dry-run --output none.h5 &&
  limited 20 $((least + 30)) body.yaml --dry-run --output none.h5; do
  least=$((least + 20))
  [ $least -lt 2000 ] || { fail "no limit is enough for a dry run: $(cat log)"; exit 1; }
done
echo "a dry run needs $least MB"
# A run takes less than a second: one that has not ended after two minutes, loaded as a machine may be, waits for memory
# that never comes, and the others need not be waited for.
for system in body rotations matrices blocks; do
  passed=
  for more in 0 40 100 180 260; do
    limited 120 $((least + more)) $system.yaml --quiet --output $system.h5
    ended=$?
    case $ended in
    0) passed="$passed $more" ;;
    4) { grep -q 'memory' log && [ ! -e $system.h5 ]; } || fail "$system with $((least + more)) MB: $(cat log)" ;;
    124 | 137) fail "$system waits with $((least + more)) MB: $(cat log)"; exit 1 ;;
    *) fail "$system with $((least + more)) MB: status $ended, $(cat log)" ;;
    esac
    rm -f $system.h5*
  done
  case $system:$passed in
  body:*\ 40* | rotations:*\ 40* | matrices:*\ 260 | blocks:*\ 260) ;;
  *) fail "$system runs with these MB beyond $least only:$passed" ;;
  esac
done
