#!/bin/sh
# Limits of address space: a run that memory does not suffice for ends with status 4, before its paths are computed or with
# a checkpoint, and never waits; what needs no products of large matrices does not need the memory of a BLAS.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -v
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"

study='study: {kind: convergence, coarsest_step: 2^-5, coarsest_steps: 1, levels: 3, reference: 4, paths: 16, functionals: [energy]}'
while read -r name system; do
  printf 'system: %s\n%s\n' "$system" "$study" >"$name.yaml"
done <<'END'
body {name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.1}}
rotations {name: manakov, n: 5, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}
matrices {name: euler_zeitlin, N: 9, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}
blocks {name: euler_zeitlin, N: 27, noise: {amplitude: 2}, initial: {random: {seed: 7, norm: 12}}}
END

# what a program needs that only says its version, in MB: below that the loader or MPI ends it
least=40
until (ulimit -v $((least * 1024)) && exec "$CASIMIR" run body.yaml --dry-run --output none.h5) >log 2>&1; do
  least=$((least + 20))
  [ $least -lt 2000 ] || { fail "no limit is enough for a dry run"; break; }
done
for system in body rotations matrices blocks; do
  passed=
  for more in 0 40 100 180 260; do
    (ulimit -v $(((least + more) * 1024)) && exec timeout 600 "$CASIMIR" run $system.yaml --quiet --output $system.h5) >log 2>&1
    case $? in
    0) passed="$passed $more" ;;
    4) { grep -q 'memory' log && [ ! -e $system.h5 ]; } || fail "$system with $((least + more)) MB: $(cat log)" ;;
    *) fail "$system with $((least + more)) MB: status $?, $(cat log)" ;;
    esac
    rm -f $system.h5*
  done
  case $system:$passed in
  body:*\ 40* | rotations:*\ 40* | matrices:*\ 260 | blocks:*\ 260) ;;
  *) fail "$system runs with these MB beyond $least only:$passed" ;;
  esac
done

[ "$failures" -eq 0 ]
