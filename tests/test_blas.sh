#!/bin/sh
# The program starts again with code for the processor where OpenBLAS does not know it and would compute with that of a
# processor of 2004; a core that the user asks for is left alone.
# lane: fast
. "$SOURCE_DIR/tests/checks.sh"

case $(uname -m) in
x86_64) ;;
*)
  echo "not x86-64: nothing to choose"
  exit 0
  ;;
esac

"$CASIMIR" --version | grep -q '^BLAS  *OpenBLAS ' || {
  echo "built with another BLAS than OpenBLAS"
  exit 77
}

# core VARIABLE=VALUE ..: the core that --version names
core() {
  env LD_PRELOAD="$FAULTS" "$@" "$CASIMIR" --version | sed -n 's/^BLAS .*, core \([^ ]*\)$/\1/p'
}

best=Prescott
grep -q ' avx2 ' /proc/cpuinfo && best=Haswell
grep -q ' avx512vl ' /proc/cpuinfo && best=SkylakeX

found=$(core FAULT_CORE=Prescott)
[ "$found" = $best ] || fail "core $found where OpenBLAS does not know the processor, must be $best"
found=$(core FAULT_CORE=Zen)
[ "$found" = Zen ] || fail "core $found where OpenBLAS has code for Zen"
found=$(core FAULT_CORE=Prescott OPENBLAS_CORETYPE=Nehalem)
[ "$found" = Nehalem ] || fail "core $found, and not the one that was asked for"
