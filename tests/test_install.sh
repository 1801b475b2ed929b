#!/bin/sh
# An installed casimir serves another project through find_package and through pkg-config, from any prefix.
# needs: sprng
set -eu

"$CMAKE_COMMAND" --install "$BUILD_DIR" --prefix "$PWD/first" >install.log
# installed files may be moved as a whole, and to a place with a space
mv first 'the prefix'
ln -s 'the prefix' prefix
pc=$(find 'the prefix' -name casimir.pc)
PKG_CONFIG_PATH=$PWD/$(dirname "$pc")
export PKG_CONFIG_PATH
if grep -rlF -e "$BUILD_DIR" -e "$SOURCE_DIR" -e "$PWD/first" 'the prefix' --include='*.cmake' --include='*.pc' --include='*.h'; then
  echo "the files above name the build tree or the source tree" >&2
  exit 1
fi

version=$(pkg-config --modversion casimir)
case $(prefix/bin/casimir --version) in
*"$version"*) ;;
*) echo "the installed program does not say that it is version $version" >&2; exit 1 ;;
esac

# its figures have their Python package, which came along
cat >track.yaml <<'END'
system: {name: rigid_body, inertia: [1, 2, 3]}
study: {kind: trajectory, step: 2^-5, steps: 8}
END
prefix/bin/casimir run track.yaml --quiet --output track.h5
prefix/bin/casimir plot track.h5 --output track.svg
grep -q 'change of the energy' track.svg
mv prefix/share/casimir aside
if prefix/bin/casimir plot track.h5 --output track.svg 2>log; then
  echo "a figure without the package" >&2
  exit 1
fi
grep -q 'cmake --install' log
mv aside prefix/share/casimir

# its quick start and its jobs use the installed program, and leave nothing where they are; without mpiexec they say so
# jobs COMMAND ..: as a user who has no casimir on the PATH, with what it says in `log`
jobs() { (cd elsewhere && env -u CASIMIR -u SLURM_JOB_ID "$@") >log 2>&1; }
find 'the prefix' | sort >before
mkdir elsewhere
jobs env CASIMIR_RANKS=2 sh ../prefix/share/casimir/jobs/quickstart.sh --set study.paths=64 || { cat log >&2; exit 1; }
[ "$(find elsewhere/casimir-quickstart -name '*.h5' | wc -l)" -eq 3 ]
mkdir bin
for tool in sh basename dirname sed grep nproc id mkdir cat; do ln -s "$(command -v $tool)" bin; done
for script in "study.sbatch ../prefix/share/casimir/jobs/rigid-body-weak.yaml" quickstart.sh; do
  status=0
  # shellcheck disable=SC2086 # a script and its configuration
  jobs env PATH="$PWD/bin" sh ../prefix/share/casimir/jobs/$script --set study.paths=64 || status=$?
  [ $status -eq 2 ] && grep -q '^There is no mpiexec. Load the MPI that casimir was built with' log || { cat log >&2; exit 1; }
done
find 'the prefix' | sort >after
cmp before after

"$CMAKE_COMMAND" -S "$SOURCE_DIR/tests/install" -B package -D CMAKE_PREFIX_PATH="$PWD/the prefix" >package.log
"$CMAKE_COMMAND" --build package >>package.log
package/user_c | grep -F "casimir $version: "
package/user_cpp | grep -F "casimir $version: "

# the flags are words, to be read by the shell; a shared libcasimir is found by its run path
eval "$CC -std=c17 -DVERSION='\"$version\"' $(pkg-config --cflags casimir) -o user $SOURCE_DIR/tests/install/user.c \
  $(pkg-config --libs casimir)"
eval "c++ $(pkg-config --cflags casimir) -o user_cpp $SOURCE_DIR/tests/install/user.cpp $(pkg-config --libs casimir)"
./user | grep -F "casimir $version: "
./user_cpp | grep -F "casimir $version: "

# ---- a package for Debian ----
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
  cpack --config "$BUILD_DIR/CPackConfig.cmake" -B "$PWD/deb" >deb.log
  package=$(echo deb/casimir_"$version"_*.deb)
  dpkg-deb --field "$package" Depends | grep -q 'libhdf5.*libyaml'
  dpkg-deb --extract "$package" unpacked
  for file in bin/casimir share/casimir/python/__main__.py share/casimir/jobs/rigid-body-weak.yaml share/doc/casimir/LICENSE \
    share/doc/casimir/docs/files.md include/casimir/casimir.h; do
    [ -e "unpacked/usr/$file" ] || { echo "the package has no $file" >&2; exit 1; }
  done
  unpacked/usr/bin/casimir --version | grep -F "$version"
else
  echo "no dpkg-dev: no package was made"
fi
