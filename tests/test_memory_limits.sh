#!/bin/sh
# Limits of address space: a run that memory does not suffice for ends with status 4, before its paths are computed or with
# a checkpoint, and never waits; what needs no products of large matrices does not need the memory of a BLAS.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -v
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
nm "$CASIMIR" | grep -q __asan_init && { echo "AddressSanitizer needs more address space than any limit leaves"; exit 77; }

study='convergence, coarsest_step: 2^-5, coarsest_steps: 1, levels: 3, reference: 4, paths: 16, functionals: [energy]'
configurations <<END
body | quadratic | $study
rotations | {name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}} | $study
matrices | {name: euler_zeitlin, N: 9, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}} | $study
blocks | blocks | $study
END

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
