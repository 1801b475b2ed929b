#!/bin/sh
# What shell tests wait for comes, or they say at once that nothing is left that could bring it; two runs of a test do not
# disturb each other.
# lane: fast
. "$SOURCE_DIR/tests/checks.sh"

(sleep 1; echo there >there) &
await test -s there || fail "what a process brings"

# a process that brings it and ends, one that ends without, and one of several
began=$(date +%s)
(: >brought) &
await test -e brought || fail "what a process has brought"
for watched in '' several; do
  sleep 600 &
  other=$!
  false &
  [ -z "$watched" ] || watched="$other $!"
  if (await test -e never) 2>message; then fail "what never came, came"; fi
  grep -q "^never came, as process $! has ended: test -e never\$" message || fail "an end is not seen: $(cat message)"
  kill "$other"
done

# one that outlives what it started, one that ends after it
sh -c 'sleep 0.1 & exec sleep 600' &
wait_for $! 1
found=$?
[ $found -eq 137 ] || fail "a launcher that waits for nothing: status $found"
sh -c 'sleep 2; exit 5' &
wait_for $! 1
found=$?
[ $found -eq 5 ] || fail "a launcher whose ranks end: status $found"

# a file that changes, comes, goes or is another one does not pass as unchanged
: >kept
for change in 'echo more >>kept' 'chmod 600 kept' 'touch -d 2000-01-01 kept' ': >new' 'rm new'; do
  (failures=0; unchanged 0 '' sh -c "$change"; [ $failures -eq 1 ]) 2>/dev/null || fail "passes as unchanged: $change"
done

# two runs of the tests at once: the second says that the first is there, and touches nothing
watched=
sh "$SOURCE_DIR/tests/scratch.sh" "$PWD/shared" sh -c 'echo mine >mine; until [ -e ../go ]; do sleep 0.1; done; cat mine' >first &
await test -s shared/mine
sh "$SOURCE_DIR/tests/scratch.sh" "$PWD/shared" true 2>message && fail "two runs of the tests share a directory"
grep -q 'shared: another run of the tests is in this directory' message || fail "$(cat message)"
: >go
wait $!
[ "$(cat first)" = mine ] || fail "another run of the tests took the directory away"
sh "$SOURCE_DIR/tests/scratch.sh" "$PWD/shared" sh -c 'ls; exit 7' >first
found=$?
[ $found -eq 7 ] && [ ! -s first ] || fail "a directory of a test: status $found, $(cat first)"
[ $(($(date +%s) - began)) -lt 300 ] || fail "an end is seen late"
# what the user has set for other programs is not there in a test, and what tests set is
env OPENBLAS_CORETYPE=Haswell OMPI_MCA_pml=other OMPI_MCA_btl_base_verbose=9 LC_ALL=C CASIMIR_KERNELS=none PYTHONPATH=/nowhere \
  TEST_SETS="A OMPI_MCA_pml OMP_NUM_THREADS" OMP_NUM_THREADS=1 GNUTERM=x11 LD_LIBRARY_PATH="$PWD" \
  sh "$SOURCE_DIR/tests/scratch.sh" "$PWD/cleared" env >variables
for name in OPENBLAS_CORETYPE OMPI_MCA_btl_base_verbose LC_ALL CASIMIR_KERNELS PYTHONPATH GNUTERM; do
  ! grep -q "^$name=" variables || fail "$name is set in a test"
done
for name in OMPI_MCA_pml OMP_NUM_THREADS LD_LIBRARY_PATH PATH; do grep -q "^$name=" variables || fail "$name is not set in a test"; done
# a test that has failed has not passed, whatever its last command is; one that is skipped is not one that failed
printf '%s\n' '. "$SOURCE_DIR/tests/checks.sh"' 'fail "not so"' true >failing
ends 1 'not so' sh failing
printf '%s\n' '. "$SOURCE_DIR/tests/checks.sh"' 'echo "needs more"' 'exit 77' >skipped
ends 77 'needs more' sh skipped
