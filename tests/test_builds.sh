#!/bin/sh
# What the build takes and refuses, as far as configuring shows it: presets, two MPIs, a BLAS that is not there, no SPRNG
. "$SOURCE_DIR/tests/checks.sh"
unset CC CFLAGS

# configure OPTION ..: into `tree`, which is new; its messages into `log`
configure() {
  rm -rf tree
  "$CMAKE_COMMAND" "$@" -S "$SOURCE_DIR" -B tree -G "$CMAKE_GENERATOR" >log 2>&1
}
# has NAME VALUE: of the cache
has() { grep -q "^$1:[A-Z]*=$2\$" tree/CMakeCache.txt || fail "$1 is '$(grep "^$1:" tree/CMakeCache.txt)', must be $2"; }
# refuses TEXT OPTION ..: for reasons that it gives, and not as an error of its own
refuses() {
  text=$1
  shift
  if configure "$@"; then fail "taken: $*"; fi
  tr -s ' \n' ' ' <log >line
  grep -q "casimir needs libraries that were not found: .*$text" line || fail "$*: found '$(cat log)', must have '$text'"
}

# ---- presets: each configures, and says what it is for ----
for preset in "$SOURCE_DIR"/src/cmake/presets/*.cmake; do
  case $preset in
  */sanitize.cmake) command -v clang >/dev/null || continue ;;
  esac
  configure -C "$preset" || fail "$preset: $(cat log)"
  case $preset in
  */release.cmake) has CMAKE_BUILD_TYPE Release && has BUILD_TESTING OFF ;;
  */develop.cmake) has CASIMIR_WERROR ON && has CASIMIR_INSTRUCTION_SETS '' ;;
  */debug.cmake) has CMAKE_BUILD_TYPE Debug && has CASIMIR_INSTRUCTION_SETS '' ;;
  */sanitize.cmake) has CASIMIR_SANITIZE address,undefined && has BUILD_SHARED_LIBS ON ;;
  *) fail "no check of $preset" ;;
  esac
done

# ---- BLAS and SPRNG ----
refuses 'BLAS and LAPACK, BLA_VENDOR=SunPerf (Debian: libopenblas-dev)' -D BUILD_TESTING=OFF -D CASIMIR_SPRNG=OFF -D BLA_VENDOR=SunPerf
! grep -q '^CASIMIR_SPRNG_sprng' tree/CMakeCache.txt || fail "SPRNG was looked for"

# ---- HDF5 is of the MPI that was chosen ----
mpich=$(command -v mpicc.mpich)
other=/usr/lib/$("${mpich:-cc}" -dumpmachine 2>/dev/null)/hdf5
if [ -n "$mpich" ] && [ -e "$other/mpich/libhdf5.so" ] && [ -e "$other/openmpi/libhdf5.so" ]; then
  configure -D BUILD_TESTING=OFF -D MPI_C_COMPILER=mpicc.mpich || fail "MPICH: $(cat log)"
  has CASIMIR_HDF5_hdf5 '.*mpich.*'
  has MPIEXEC_EXECUTABLE '.*mpiexec.mpich'
  both='HDF5 for the chosen MPI, which is libmpi[^;]*; .*/libhdf5.so was built for libmpi'
  refuses "${both}[^;]*. Name another HDF5 in HDF5_ROOT" -D BUILD_TESTING=OFF -D MPI_C_COMPILER=mpicc.mpich \
    -D CASIMIR_HDF5_hdf5="$other/openmpi/libhdf5.so"
  refuses "$both" -D BUILD_TESTING=OFF -D MPI_C_COMPILER=mpicc.openmpi -D CASIMIR_HDF5_hdf5="$other/mpich/libhdf5.so"
else
  echo "no two MPIs with HDF5: not tried"
fi
