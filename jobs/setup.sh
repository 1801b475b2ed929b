# Set-up shared by the scripts of this tree: packages, the build, and how to start a parallel program.
# To be sourced, with $root naming the top of the tree.
# shellcheck shell=sh disable=SC2034,SC2154

# Programs that will do from wherever they come, as PROGRAM:PACKAGE, and libraries, as Debian packages.
build_packages="gcc:gcc cmake:cmake ninja:ninja-build pkg-config:pkg-config mpiexec:openmpi-bin gnuplot:gnuplot-nox
  git:git libc6-dev libopenmpi-dev libopenblas-dev libsprng2-dev libhdf5-openmpi-dev
  librandom123-dev libyaml-dev"
test_packages="c++:g++ python3:python3 h5diff:hdf5-tools /usr/bin/time:time check python3-h5py python3-xarray python3-h5netcdf
  python3-netcdf4 chromium:chromium python3-matplotlib python3-pandas python3-yaml python3-nbclient python3-ipykernel
  doxygen:doxygen mkdocs:mkdocs mkdocs-material libjs-katex python3-vtk9
  mpicc.mpich:libmpich-dev mpiexec.mpich:mpich libhdf5-mpich-dev"
slurm_packages="slurmctld slurmd slurm-client munge" # root alone can start them
check_packages="clang:clang clang-format:clang-format shellcheck:shellcheck libclang-rt-14-dev"

# nproc obeys OMP_NUM_THREADS, which launch sets
cores=$(unset OMP_NUM_THREADS OMP_THREAD_LIMIT && nproc)

say() { printf '%s\n' "$*" >&2; }

# missing_packages PACKAGE|PROGRAM:PACKAGE ..
missing_packages() {
  for item in "$@"; do
    package=${item#*:}
    case $item in
    *:*) command -v "${item%%:*}" >/dev/null || printf '%s ' "$package" ;;
    *) dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -q '^installed$' ||
      printf '%s ' "$package" ;;
    esac
  done
}

# need_packages LIST: installs what is missing, as root; else says how and stops.
# Away from Debian, CMake names what it does not find.
need_packages() {
  command -v dpkg-query >/dev/null || return 0
  # shellcheck disable=SC2086 # a list of words
  missing=$(missing_packages $1)
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    say "Some packages are missing. Install them as root, then start this script again:"
    say "  apt-get install --no-install-recommends $missing"
    exit 1
  fi
  say "installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || apt-get update -q >&2
  # shellcheck disable=SC2086
  install_packages $missing || { apt-get update -q >&2 && install_packages $missing; } ||
    { say "apt-get could not install $missing"; exit 1; }
}

install_packages() { apt-get install -q -y --no-install-recommends "$@" </dev/null >&2; }

# find_casimir: sets $casimir to the program of CASIMIR, of this tree, or installed; without one it stops
find_casimir() {
  casimir=${CASIMIR:-$root/build/casimir}
  [ -n "${CASIMIR:-}" ] || [ -x "$casimir" ] || casimir=casimir
  command -v "$casimir" >/dev/null || {
    say "There is no program '$casimir'. Build casimir (sh jobs/quickstart.sh does), or name the program in CASIMIR."
    exit 2
  }
}

# build_tree DIRECTORY CMAKE-OPTION ..
build_tree() {
  build=$1
  shift
  mkdir -p "$build"
  if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then
    set -- -G Ninja "$@"
  fi
  cmake -S "$root" -B "$build" "$@" >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 1; }
  grep -A3 'CMake Warning' "$build/configure.log" >&2
  cmake --build "$build" --parallel "$cores" >"$build/build.log" 2>&1 || { cat "$build/build.log" >&2; exit 1; }
}

# launch COMMAND ..: one rank a core, or as many as the batch system gave. CASIMIR_RANKS and CASIMIR_LAUNCH
# (such as "srun --mpi=pmi2") have the last word. It replaces the shell, so that signals reach the launcher:
# to be called in a subshell or in the background.
launch() {
  export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  if [ -n "${CASIMIR_LAUNCH:-}" ]; then
    # shellcheck disable=SC2086 # a command and its options
    exec $CASIMIR_LAUNCH "$@"
  elif [ -z "${SLURM_JOB_ID:-}" ]; then
    # Open MPI counts cores, we count hardware threads
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    exec mpiexec -n "${CASIMIR_RANKS:-$cores}" "$@"
  elif srun --mpi=list 2>&1 | grep -q pmix; then
    exec srun --mpi=pmix ${CASIMIR_RANKS:+-n "$CASIMIR_RANKS"} "$@"
  else
    exec mpiexec ${CASIMIR_RANKS:+-n "$CASIMIR_RANKS"} "$@"
  fi
}
