#!/bin/sh
# From a bare machine to results: sh jobs/quickstart.sh [OPTIONS OF casimir run ..]
# Installs what is missing, builds, and measures the weak order (from differences of neighbouring levels in a second,
# and from 250 000 paths beside a reference) and the strong order of the isospectral midpoint for the stochastic rigid
# body on all cores, in less than two minutes after the build. Of an installed casimir it installs and builds nothing.
#   CASIMIR_BUILD         where to build (default: build)
#   CASIMIR_CMAKE_FLAGS   further options of cmake, such as -DCASIMIR_SPRNG=OFF
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
# shellcheck source=jobs/setup.sh
. "$root/jobs/setup.sh"

if [ -e "$root/CMakeLists.txt" ]; then
  build=${CASIMIR_BUILD:-$root/build}
  need_packages "$build_packages $figure_packages"
  say "building in $build"
  # shellcheck disable=SC2086 # a list of words
  build_tree "$build" all -DBUILD_TESTING=OFF ${CASIMIR_CMAKE_FLAGS:-}
  casimir=$build/casimir results=$build/quickstart
else
  find_casimir
  results=$PWD/casimir-quickstart
  say "of the installed $casimir"
fi
mkdir -p "$results" || exit 1
if "$casimir" describe generators | grep -q '^sprng_mlfg: .*not in this build'; then
  say "This casimir has no SPRNG: numbers are of threefry, which are others, with the same law."
  set -- --set random.generator=threefry "$@"
fi

# study NAME OPTION ..
study() {
  name=$1
  shift
  say "== $name"
  (launch "$casimir" run "$root/jobs/$name.yaml" --output "$results/$name.h5" "$@") || return
  files="$files  $results/$name.h5
"
  [ -z "$no_figures" ] || return 0
  if "$casimir" plot "$results/$name.h5" --output "$results/$name.svg"; then
    files="$files  $results/$name.svg
"
  else
    no_figures=yes # casimir has said which module of Python is missing
  fi
}

status=0 files='' no_figures=''
study rigid-body-weak-multilevel "$@" && study rigid-body-strong "$@" &&
  study rigid-body-weak --set study.paths=250000 "$@" || status=$?
if [ "$status" -ne 0 ]; then
  say "A study failed (exit status $status); the messages above say why."
  exit "$status"
fi
[ -z "$no_figures" ] || say "Without matplotlib and h5py for Python (Debian: python3-matplotlib python3-h5py) no figure was drawn."

echo
echo "Results and figures:"
printf '%s' "$files"
