# scratch.sh DIRECTORY COMMAND ..: runs a test in a directory that is empty at its start, and that no other run of the tests
# has at the same time, and writes the processor time of its commands into DIRECTORY.times
[ "$1" != --locked ] || {
  shift
  rm -rf "$1" && mkdir -p "$1" && cd "$1" || exit 99
  shift
  exec "$@"
}
mkdir -p "$1" || exit 99

# What a user's shell or a module of a cluster has set for other programs is no part of a test: numbers of threads, kernels of
# the BLAS and of casimir, parameters of MPI, HDF5, Python, gnuplot and make, an allocation of SLURM, languages and formats.
# What tests/CMakeLists.txt sets stays, TEST_SETS, and so does where programs and libraries are (PATH, LD_LIBRARY_PATH, CPATH ..).
for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
  case " $TEST_SETS " in *" $name "*) continue ;; esac
  case $name in
  OPENBLAS_* | GOTO_* | MKL_* | BLIS_* | OMP_* | GOMP_* | KMP_* | CASIMIR_KERNELS) unset "$name" ;;
  OMPI_MCA_* | PMIX_MCA_* | PRTE_MCA_* | HDF5_USE_* | HDF5_DISABLE_* | HDF5_DRIVER* | HDF5_PLUGIN_* | SLURM_*) unset "$name" ;;
  PYTHON* | MPL* | GNUPLOT* | GNUTERM | XDG_CACHE_HOME | MAKEFLAGS | DESTDIR | CMAKE_BUILD_* | NINJA_STATUS) unset "$name" ;;
  LC_* | LANG | LANGUAGE | TZ | COLUMNS | LINES | NO_COLOR | CLICOLOR* | GREP_* | ARGP_* | POSIXLY_CORRECT | CDPATH) unset "$name" ;;
  esac
done

flock --nonblock --close --conflict-exit-code 98 "$1.lock" sh "$0" --locked "$@"
status=$?
times >"$1.times"
[ $status -ne 98 ] || echo "$1: another run of the tests is in this directory. A build directory is for one run at a time" >&2
exit $status
