#!/bin/sh
# The picture of docs/architecture.md from the includes and symbols of a built tree: sh bench/architecture.sh
# Folders stand above the folders that they use; an arrow that follows from others is left out. Needs graphviz.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${CASIMIR_BUILD:-$root/build}
graph=$(mktemp)
trap 'rm -f "$graph"' EXIT
/usr/bin/python3 "$root/tests/folders.py" "$root" "$build" --graph "$graph" >"$build/folders.txt"
grep -v include/casimir "$graph" | tred |
  dot -Tsvg -Grankdir=TB -Gnodesep=0.25 -Granksep=0.35 -Nshape=box -Nstyle=rounded -Nfontname=Helvetica \
    -Nfontsize=12 -Nheight=0.3 -Ecolor='#707070' -Earrowsize=0.6 >"$root/docs/figures/architecture.svg"
