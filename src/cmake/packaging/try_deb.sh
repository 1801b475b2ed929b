#!/bin/sh
# As root, by hand: makes the Debian package of a build directory, installs it with all it depends on into an empty
# Debian, and lets somebody who is not root use it there. Needs debootstrap and Debian's archive.
#   sh src/cmake/packaging/try_deb.sh build
set -eu
build=$(cd "$1" && pwd)
clean=$(mktemp -d)
chmod 755 "$clean"
trap 'umount "$clean/proc" "$clean/dev" 2>/dev/null; rm -rf --one-file-system "$clean"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$clean/package"
debootstrap --variant=minbase bookworm "$clean"
mount -t proc proc "$clean/proc"
mount --bind /dev "$clean/dev"
run() { chroot "$clean" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
run sh -c 'apt-get update -qq && apt-get install -qq --no-install-recommends /package/casimir_*.deb && useradd -m user'
run su user -c 'cd && casimir --version && casimir run /usr/share/casimir/jobs/rigid-body-weak-multilevel.yaml --output run.h5'

# what the package only recommends
packages=$(run dpkg-query -W -f '${Recommends}' casimir | tr -d ,)
# shellcheck disable=SC2086 # a list of words
run apt-get install -qq --no-install-recommends $packages
run su user -c 'cd && casimir plot run.h5 --output run.svg && grep -q "</svg>" run.svg'
run su user -c 'cd && casimir build --template system >top.c && casimir build top.c && sed -n "s/^ *\(\(system\|study\|output\): {.*\)/\1/p" top.c >top.yaml && mpiexec --oversubscribe -n 2 casimir run top.yaml'
for file in doc/casimir/LICENSE doc/casimir/README.md doc/casimir/docs/files.md casimir/python/__main__.py man/man1/casimir.1 \
  bash-completion/completions/casimir zsh/site-functions/_casimir; do
  run ls "/usr/share/$file"
done
echo "the package works"
