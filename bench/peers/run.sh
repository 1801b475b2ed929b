#!/bin/sh
# casimir and the reference programs of this directory in turns on one core: sh bench/peers/run.sh [OPTION ..]
#   --check            compare the reference programs with tests/data, and measure nothing
#   --rounds N  --seconds S  --only NAME  --json FILE
#   --only matrices    large matrices of Euler-Zeitlin alone, against quflow and GLIFS (matrices.py)
#   CASIMIR_BUILD      a build with the benchmarks (default: build)
#   PYTHON             a Python with numpy, h5py and numba (Debian: python3-numpy python3-h5py python3-numba)
#   CORE               the core to run on (default: 0)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${CASIMIR_BUILD:-$here/../../build}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

python=${PYTHON:-/usr/bin/python3}
case "$*" in
*"--only matrices"*) needs=numpy ;;
*) needs='numpy, h5py, numba' ;;
esac
"$python" -c "import $needs" || {
  echo "PYTHON=$python lacks one of $needs (Debian: apt-get install python3-numpy python3-h5py python3-numba)" >&2
  exit 2
}
pin=
command -v taskset >/dev/null && pin="taskset -c ${CORE:-0}"
case "$*" in
*"--only matrices"*)
  # the others take what OpenBLAS chooses; casimir chooses anew for processors that OpenBLAS does not know
  [ -n "${OPENBLAS_CORETYPE:-}" ] || { grep -q avx512dq /proc/cpuinfo && OPENBLAS_CORETYPE=SkylakeX; } ||
    { grep -q avx2 /proc/cpuinfo && OPENBLAS_CORETYPE=Haswell; } || :
  [ -z "${OPENBLAS_CORETYPE:-}" ] || export OPENBLAS_CORETYPE
  # shellcheck disable=SC2086 # several words
  exec $pin "$python" "$here/matrices.py" --casimir "$build/bench/bench_euler_zeitlin" "$@"
  ;;
esac
# shellcheck disable=SC2086 # several words
exec $pin "$python" "$here/run.py" --program "$build/bench/bench_study" --directory "$build/peers" "$@"
