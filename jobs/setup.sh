# Set-up shared by the scripts of this tree: packages, the build, and how to start a parallel program.
# To be sourced, with $root naming the top of the tree.
# shellcheck shell=sh disable=SC2034,SC2154

# Programs that will do from wherever they come, as PROGRAM:PACKAGE, and libraries, as Debian packages.
build_packages="gcc:gcc cmake:cmake ninja:ninja-build pkg-config:pkg-config mpiexec:openmpi-bin libc6-dev
  libopenmpi-dev libopenblas-dev libsprng2-dev libhdf5-openmpi-dev librandom123-dev libyaml-dev"
[ ! -e "$root/.git" ] || build_packages="git:git $build_packages" # for the commit that results are marked with
figure_packages="python3:python3 python3-matplotlib python3-h5py"
# of the lanes of tests/CMakeLists.txt
fast_packages="check"
slow_packages=$fast_packages
system_packages="$figure_packages c++:g++ h5diff:hdf5-tools /usr/bin/time:time check
  python3-yaml mpicc.mpich:libmpich-dev mpiexec.mpich:mpich libhdf5-mpich-dev"
figures_packages="$figure_packages h5diff:hdf5-tools check ffmpeg:ffmpeg chromium:chromium doxygen:doxygen
  mkdocs:mkdocs mkdocs-material libjs-katex python3-xarray python3-h5netcdf python3-netcdf4
  python3-pandas python3-yaml python3-nbclient python3-ipykernel python3-vtk9 python3-venv"
[ "$(id -u)" -ne 0 ] || # root alone can start SLURM
  system_packages="$system_packages slurmctld:slurmctld slurmd:slurmd srun:slurm-client munged:munge"
check_packages="ccache:ccache clang:clang clang-format:clang-format shellcheck:shellcheck libclang-rt-14-dev"

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

# need_packages LIST: what is missing on Debian is installed, as root. Anyone else's libraries may have come from
# elsewhere, as modules or into a prefix: CMake looks for them, and $missing is named where it finds too little.
need_packages() {
  missing=
  dpkg-query -W >/dev/null 2>&1 || return 0 # no Debian, or none with a database of packages
  # shellcheck disable=SC2086 # a list of words
  missing=$(missing_packages $1)
  [ -n "$missing" ] && [ "$(id -u)" -eq 0 ] || return 0
  say "installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || apt-get update -qq
  # shellcheck disable=SC2086
  install_packages $missing || { apt-get update -qq && install_packages $missing; } ||
    { say "apt-get could not install $missing"; exit 1; }
  missing=
}

# how_to_get: what to do where the build does not find what it needs
how_to_get() {
  [ -z "$missing" ] || say "Debian has it in packages. As root, then start this script again:
  apt-get install --no-install-recommends $missing"
  say "Without root: load modules or name prefixes, see 'On a cluster, without root' in docs/install.md."
}

install_packages() { apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null; }

# find_casimir: sets $casimir to the program of CASIMIR, of this tree, of the prefix that these scripts are installed
# in, or of the PATH; without one it stops
find_casimir() {
  casimir=${CASIMIR:-$root/build/casimir}
  [ -n "${CASIMIR:-}" ] || [ -x "$casimir" ] || casimir=$root/../../bin/casimir
  [ -n "${CASIMIR:-}" ] || [ -x "$casimir" ] || casimir=casimir
  command -v "$casimir" >/dev/null || {
    say "There is no program '$casimir'. Build casimir (sh jobs/quickstart.sh does), or name the program in CASIMIR."
    exit 2
  }
}

# build_tree DIRECTORY TARGETS CMAKE-OPTION ..
build_tree() {
  build=$1 targets=$2
  shift 2
  command -v cmake >/dev/null || { say "There is no cmake."; how_to_get; exit 1; }
  mkdir -p "$build" || exit 1
  if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then
    set -- -G Ninja "$@"
  fi
  cmake -S "$root" -B "$build" "$@" >"$build/configure.log" 2>&1 ||
    { cat "$build/configure.log" >&2; how_to_get; exit 1; }
  grep -A3 'CMake Warning' "$build/configure.log" >&2
  # shellcheck disable=SC2086 # a list of words
  cmake --build "$build" --parallel "$cores" --target $targets >"$build/build.log" 2>&1 ||
    { cat "$build/build.log" >&2; exit 1; }
}

need_mpiexec() {
  command -v mpiexec >/dev/null || {
    say "There is no mpiexec. Load the MPI that casimir was built with (as a module; on Debian: apt-get install
openmpi-bin, or mpich), or name another launcher: CASIMIR_LAUNCH='srun --mpi=pmi2'."
    exit 2
  }
}

# launch COMMAND ..: one rank a core, or as many as the batch system gave. CASIMIR_RANKS and CASIMIR_LAUNCH
# (such as "srun --mpi=pmi2") have the last word. It replaces the shell, so that signals reach the launcher:
# to be called in a subshell or in the background.
launch() {
  export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  # After SIGTERM, which scancel sends to mpirun too, it kills its ranks after one second: too soon for a large checkpoint.
  export OMPI_MCA_odls_base_sigkill_timeout=25 PRTE_MCA_odls_base_sigkill_timeout=25
  if [ -n "${CASIMIR_LAUNCH:-}" ]; then
    # shellcheck disable=SC2086 # a command and its options
    exec $CASIMIR_LAUNCH "$@"
  elif [ -z "${SLURM_JOB_ID:-}" ]; then
    need_mpiexec
    # Open MPI counts cores, we count hardware threads
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    exec mpiexec -n "${CASIMIR_RANKS:-$cores}" "$@"
  elif srun --mpi=list 2>&1 | grep -q pmix; then
    exec srun --mpi=pmix ${CASIMIR_RANKS:+-n "$CASIMIR_RANKS"} "$@"
  else
    need_mpiexec
    exec mpiexec ${CASIMIR_RANKS:+-n "$CASIMIR_RANKS"} "$@"
  fi
}
