#!/bin/sh
# The two commands of the README on a bare Debian 12, with what they install and nothing else:
#   sh bench/bare_debian.sh [fast | --all | --without-root]
# As root and with debootstrap; everything is below a temporary directory, which goes at the end, and packages come
# from the mirror of this machine's apt. `fast` (the default) runs the quick start with few paths and then
# tests/run.sh, `--all` runs the quick start as it is and every test. It says what each command has installed.
# `--without-root` is a login node instead: compiler and CMake, the libraries in a prefix as modules have them (MPICH),
# no SPRNG, no matplotlib, no database of packages, and somebody who is not root.
#   CASIMIR_CMAKE_FLAGS   further options of cmake
#   CC                    the compiler
#   CCACHE_DIR            where ccache has objects of this machine: they serve where compiler and headers are the same
#   CASIMIR_REPETITIONS, CASIMIR_COVERAGE_SEEDS   of statistics, as in tests/run.sh
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1

skip() {
  echo "not tried on a bare Debian: $*"
  exit 77
}

if [ "${CASIMIR_BARE:-}" != inside ]; then
  [ "$(id -u)" -eq 0 ] || skip "not root"
  command -v debootstrap >/dev/null || skip "no debootstrap (Debian: apt-get install debootstrap)"
  unshare --mount --pid true 2>/dev/null || skip "no right to mount"
  clean=$(mktemp -d) || exit 1
  chmod 755 "$clean"
  trap 'rm -rf --one-file-system "$clean"' EXIT
  trap 'exit 1' INT TERM HUP
  # with the namespaces all mounts and processes go
  CASIMIR_BARE=inside unshare --mount --pid --fork --kill-child sh "$0" "$clean" "$@"
  exit $?
fi

clean=$1 lane=${2:-fast}
mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  sed -n 's/^bookworm //p' | head -n 1)
proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy 2>/dev/null)
export http_proxy="${http_proxy:-$proxy}"
debootstrap --variant=minbase bookworm "$clean" "${mirror:-http://deb.debian.org/debian}" >"$clean.log" 2>&1 || {
  tail -n 5 "$clean.log"
  grep -q 'mounted with noexec or nodev\|Operation not permitted' "$clean.log" && rm "$clean.log" && skip "no right to make devices"
  rm "$clean.log"
  exit 1
}
rm "$clean.log"
mount -t proc proc "$clean/proc" && mount -t tmpfs shm "$clean/dev/shm" || exit 1
mkdir "$clean/casimir"
tar -C "$root" --exclude='./build*' -cf - . | tar -C "$clean/casimir" --no-same-owner -xf - || exit 1

# share_objects: ccache of this machine with the libraries that it needs, all of them outside of what packages install
share_objects() {
  objects=
  ccache=$(command -v ccache) && [ -d "${CCACHE_DIR:-}" ] && mkdir -p "$clean/opt/ccache/objects" || return
  ldd "$ccache" | grep -o '/[^ ]*' | xargs cp -t "$clean/opt/ccache/" "$ccache" || return
  mount --bind "$CCACHE_DIR" "$clean/opt/ccache/objects" || return
  set -- "/opt/ccache/$(basename "$(ldd "$ccache" | grep -o '/[^ ]*/ld-[^ ]*')")" --library-path /opt/ccache /opt/ccache/ccache
  chroot "$clean" "$@" --version >/dev/null || return
  objects="HOME=/root CCACHE_DIR=/opt/ccache/objects CCACHE_BASEDIR=/casimir CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=locale
    CMAKE_C_COMPILER_LAUNCHER=$(echo "$*" | tr ' ' ';')"
}

run() {
  # shellcheck disable=SC2086 # a list of words
  chroot "$clean" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C http_proxy="$http_proxy" $objects ${CC:+CC="$CC"} \
    CASIMIR_CMAKE_FLAGS="${CASIMIR_CMAKE_FLAGS:-}" ${CASIMIR_REPETITIONS:+CASIMIR_REPETITIONS="$CASIMIR_REPETITIONS"} \
    ${CASIMIR_COVERAGE_SEEDS:+CASIMIR_COVERAGE_SEEDS="$CASIMIR_COVERAGE_SEEDS"} "$@"
}
# packages and MB that are installed
installed() { run dpkg-query -W -f '${Installed-Size}\n' | awk '{ kib += $1 } END { printf "%d %.0f\n", NR, kib * 1024 / 1e6 }'; }

failed=0
# try WORD ..: one of the README's; what it says, what it took, what it has installed
try() {
  before=$(installed)
  began=$(date +%s)
  echo "== $*"
  run "$@" || { echo "FAILED on a bare Debian: $*"; failed=1; }
  run apt-get clean
  after=$(installed)
  echo "$*: $(($(date +%s) - began)) s, $((${after% *} - ${before% *})) packages, $((${after#* } - ${before#* })) MB"
}
# the libraries that casimir needs, unpacked below /opt, where only variables of the environment lead to them
make_modules() {
  run apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 gcc libc6-dev cmake make >/dev/null
  run apt-get clean
  run apt-get install -qq -y --no-install-recommends --download-only libmpich-dev mpich libhdf5-mpich-dev libopenblas-dev \
    libyaml-dev librandom123-dev >/dev/null
  run sh -c 'for package in /var/cache/apt/archives/*.deb; do dpkg-deb --extract "$package" /opt || exit; done'
  run sh -c 'cd /opt/usr/bin && ln -s mpicc.mpich mpicc && ln -s mpiexec.hydra mpiexec && sed -i s,/usr,/opt/usr,g mpicc.mpich'
  run useradd --create-home user
  mv "$clean/casimir" "$clean/home/user/"
  run chown -R user /home/user
  rm -rf "$clean/var/lib/dpkg" "$clean/var/cache/apt"
}

# as_user COMMAND: in the home directory of somebody who is not root
as_user() { run su user -c "cd && CASIMIR_CMAKE_FLAGS='$CASIMIR_CMAKE_FLAGS' && export CASIMIR_CMAKE_FLAGS && $1"; }

# modules, as a site would write them
modules='PATH=/opt/usr/bin:$PATH CMAKE_PREFIX_PATH=/opt/usr
  LD_LIBRARY_PATH=/opt/usr/lib/x86_64-linux-gnu:/opt/usr/lib/x86_64-linux-gnu/openblas-pthread
  export PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH'

try_without_root() {
  CASIMIR_CMAKE_FLAGS="${CASIMIR_CMAKE_FLAGS:-} -DCASIMIR_SPRNG=OFF"
  make_modules || exit 1
  echo "== without modules"
  as_user "sh casimir/jobs/quickstart.sh" >"$clean/said" 2>&1 && failed=1
  cat "$clean/said"
  grep -q 'casimir needs libraries that were not found' "$clean/said" && grep -q 'Without root: load modules' "$clean/said" || failed=1
  echo "== with modules"
  as_user "$modules; sh casimir/jobs/quickstart.sh --set study.paths=1000" || failed=1
  as_user "$modules; cd casimir/build && ./casimir --version && cmake --install . --prefix ../../local >/dev/null &&
    cd && sh local/share/casimir/jobs/quickstart.sh --set study.paths=1000 >/dev/null && ls casimir-quickstart" || failed=1
  [ $failed -eq 0 ] || echo "FAILED without root"
}

share_objects
run true || exit 1
case $lane in
--without-root) try_without_root ;;
fast)
  try sh casimir/jobs/quickstart.sh --set study.paths=1000
  try sh casimir/tests/run.sh
  ;;
--all)
  try sh casimir/jobs/quickstart.sh
  try sh casimir/tests/run.sh
  try sh casimir/tests/run.sh --all
  ;;
*) echo "there is no '$lane': fast, --all or --without-root" >&2 && exit 2 ;;
esac
exit $failed
