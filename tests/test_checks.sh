#!/bin/sh
# What shell tests wait for comes, or they say at once that nothing is left that could bring it.
# lane: fast
set -u
# shellcheck source=tests/checks.sh
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
[ $(($(date +%s) - began)) -lt 300 ] || fail "an end is seen late"
[ "$failures" -eq 0 ]
