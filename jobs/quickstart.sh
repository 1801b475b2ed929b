#!/bin/sh
# From a bare machine to results: sh jobs/quickstart.sh
# Installs what is missing, builds, and measures the weak order (from differences of neighbouring levels in a second,
# and from 250 000 paths beside a reference) and the strong order of the isospectral midpoint for the stochastic rigid
# body on all cores, in less than two minutes after the build.
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
. "$root/jobs/setup.sh"
build=${CASIMIR_BUILD:-$root/build}
results=$build/quickstart

need_packages "$build_packages"
say "building in $build"
build_tree "$build" -DBUILD_TESTING=OFF
casimir=$build/casimir
mkdir -p "$results" || exit 1

# study NAME OPTION ..
study() {
  name=$1
  shift
  say "== $name"
  (launch "$casimir" run "$root/jobs/$name.yaml" --output "$results/$name.h5" "$@") &&
    "$casimir" plot "$results/$name.h5" --output "$results/$name.svg"
}

status=0
study rigid-body-weak-multilevel || status=$?
study rigid-body-strong || status=$?
study rigid-body-weak --set study.paths=250000 || status=$?
if [ "$status" -ne 0 ]; then
  say "A study failed (exit status $status); the messages above say why."
  exit "$status"
fi

echo
echo "Results and figures:"
for name in rigid-body-weak-multilevel rigid-body-strong rigid-body-weak; do
  echo "  $results/$name.h5"
  echo "  $results/$name.svg"
done
