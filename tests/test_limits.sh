#!/bin/sh
# Limits of open files and of the size of files, on every command: it does what it was asked for, or ends with status 3 and says
# why; what was there stays as it was, and nothing half is left.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -n
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
# What a plug-in computes is of no account here.
export COMPILER="$CC" CC="sh $SOURCE_DIR/tests/compiler.sh" optimization=-O0 CASIMIR_KERNELS=generic

cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.6], noise: {kind: quadratic, sigma: 0.1}}
random: {generator: threefry}
study: {kind: convergence, coarsest_step: 2^-5, coarsest_steps: 4, levels: 3, reference: 4, paths: 64, functionals: [energy]}
END
cat >fluid.yaml <<'END'
system: {name: euler_zeitlin, N: 9, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}, latitudes: 18}
random: {generator: threefry}
study: {kind: trajectory, step: 0.01, steps: 2, observables: [hamiltonian, vorticity]}
END
mkdir inputs
"$CASIMIR" run run.yaml --quiet --output inputs/a.h5 && "$CASIMIR" run run.yaml --quiet --output inputs/b.h5 --set random.seed=2 &&
  "$CASIMIR" run fluid.yaml --quiet --output inputs/f.h5 || fail "no inputs"
"$CASIMIR" build --template system >top.c || fail "no template"
before=$(cat inputs/* | cksum)

# limited LIMIT ARGUMENT ..: in an empty directory beside the inputs; 0 KB leave no place for a message
limited() {
  limit=$1
  shift
  rm -rf made && mkdir made
  # shellcheck disable=SC2086 # two words
  (cd made && ulimit $limit && exec timeout 300 "$CASIMIR" "$@") >out 2>log
  status=$?
  case $status in
  0) ;;
  3)
    [ -s log ] || [ "$limit" = '-f 0' ] || fail "$limit, $*: nothing is said"
    case $limit in -n*) grep -q 'open files' log || fail "$limit, $*: $(cat log)" ;; esac
    ;;
  5) grep -q 'python3' log || fail "$limit, $*: $(cat log)" ;; # which draws and has limits of its own
  *) [ "$status:$1" = 2:build ] || fail "$limit, $*: status $status, $(cat log)" ;;
  esac
  case $limit:$status in
  -n\ 32:3 | -n\ 40:3) fail "$limit, $*: so many are enough" ;;
  esac
  left=$(ls made)
  case $status:$left in
  0:*.tmp* | 0:*.lock* | 0:*.checkpoint*) fail "$limit, $*: left $left" ;;
  0:*) ;;
  *:*.tmp* | *:*.lock* | *:*.h5 | *:*.svg | *:*.gp | *:*.so | *:*.html | *:*.vtkhdf) fail "$limit, $*: left $left" ;;
  esac
  [ "$before" = "$(cat inputs/* | cksum)" ] || fail "$limit, $*: inputs are others"
}
for limit in '-n 8' '-n 10' '-n 12' '-n 14' '-n 16' '-n 20' '-n 24' '-n 31' '-n 32' '-n 40' \
  '-f 0' '-f 1' '-f 2' '-f 4' '-f 8' '-f 64' '-f 100'; do
  for output in run:made.h5 sweep:made.h5; do
    limited "$limit" "${output%%:*}" ../run.yaml --quiet --output "${output#*:}" --set random.seed=3
  done
  limited "$limit" run ../fluid.yaml --quiet --output made.h5
  limited "$limit" run ../run.yaml --only-path 1 --output made.h5
  limited "$limit" merge ../inputs/a.h5 ../inputs/b.h5 --quiet --output made.h5
  limited "$limit" report ../inputs/a.h5 --html made.html
  limited "$limit" report ../inputs/a.h5 ../inputs/b.h5 --format csv
  limited "$limit" export ../inputs/f.h5 --output made.vtkhdf
  limited "$limit" plot ../inputs/a.h5 --output made.svg
  limited "$limit" plot ../inputs/a.h5 --script made.gp
  limited "$limit" build ../top.c --output made.so
  limited "$limit" describe systems
done

# A stack that is too small for MPI and BLAS is one that casimir may make larger, or it says so.
for limit in '-s 64:4' '-s 192:4' '-S -s 64:0' '-s 256:0'; do
  # shellcheck disable=SC2086 # words
  (ulimit ${limit%:*} && exec "$CASIMIR" run run.yaml --quiet --output stack.h5) >out 2>log
  found=$?
  [ $found -eq "${limit#*:}" ] || fail "ulimit ${limit%:*}: status $found, $(cat log)"
  [ $found -eq 0 ] || grep -q 'the stack is limited to' log || fail "ulimit ${limit%:*}: $(cat log)"
done
[ "$failures" -eq 0 ]
