#!/bin/sh
# An installed casimir serves another project through find_package and through pkg-config, from any prefix; the programs of
# docs/library.md in C, C++ and Python agree with each other and with `casimir run`; recipes of packages can be read, and all that
# names a version names the same.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
packaging=$SOURCE_DIR/src/cmake/packaging

ends 0 '' "$CMAKE_COMMAND" --install "$BUILD_DIR" --prefix "$PWD/first"
# installed files may be moved as a whole, and to a place with a space
mv first 'the prefix'
ln -s 'the prefix' prefix
pc=$(find 'the prefix' -name casimir.pc)
lib=$PWD/$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="$lib/pkgconfig"
! grep -rlF -e "$BUILD_DIR" -e "$SOURCE_DIR" -e "$PWD/first" 'the prefix' --include='*.cmake' --include='*.pc' --include='*.h' ||
  fail "the files above name the build tree or the source tree"
version=$(pkg-config --modversion casimir)
ends 0 "$version" prefix/bin/casimir --version

# its figures have their Python package, which came along
echo 'track | {name: rigid_body, inertia: [1, 2, 3]} | trajectory, step: 2^-5, steps: 8' | configurations
ends 0 '' prefix/bin/casimir run track.yaml --quiet --output track.h5
ends 0 '' prefix/bin/casimir plot track.h5 --output track.svg
grep -q 'change of the energy' track.svg || fail "an empty figure"
mv prefix/share/casimir aside
ends 3 'cmake --install' prefix/bin/casimir plot track.h5 --output track.svg
mv aside prefix/share/casimir

# its quick start and its jobs use the installed program, and leave nothing where they are; without mpiexec they say so
# elsewhere COMMAND ..: as a user who has no casimir on the PATH
elsewhere() { (cd elsewhere && env -u CASIMIR "$@"); }
find 'the prefix' | sort >before
mkdir elsewhere bin
ends 0 '' elsewhere env CASIMIR_RANKS=2 sh ../prefix/share/casimir/jobs/quickstart.sh --set study.paths=64
[ "$(find elsewhere/casimir-quickstart -name '*.h5' | wc -l)" -eq 3 ] || fail "quickstart: $(ls elsewhere/*)"
for tool in sh basename dirname sed grep nproc id mkdir cat; do ln -s "$(command -v $tool)" bin; done
for script in "study.sbatch ../prefix/share/casimir/jobs/rigid-body-weak.yaml" quickstart.sh; do
  ends 2 '^There is no mpiexec. Load the MPI that casimir was built with' \
    elsewhere env PATH="$PWD/bin" sh ../prefix/share/casimir/jobs/$script --set study.paths=64
done
find 'the prefix' | sort | cmp before - || fail "a job has left files in the prefix"

# ---- other projects: by find_package, and by pkg-config, whose flags are words, to be read by the shell ----
ends 0 '' "$CMAKE_COMMAND" -S "$SOURCE_DIR/tests/install" -B package -D CMAKE_PREFIX_PATH="$PWD/the prefix"
ends 0 '' "$CMAKE_COMMAND" --build package
cflags=$(pkg-config --cflags casimir) libs=$(pkg-config --libs casimir)
eval "$CC -std=c17 -DVERSION='\"$version\"' $cflags -o user $SOURCE_DIR/tests/install/user.c $libs" || fail "a user in C"
eval "c++ $cflags -o user_cpp $SOURCE_DIR/tests/install/user.cpp $libs" || fail "a user in C++"
# a shared libcasimir is found by its run path
for user in package/user_c package/user_cpp ./user ./user_cpp; do
  $user | grep -qF "casimir $version: " || fail "$user"
done

# ---- the programs of the page; without a shared libcasimir one is made of the static one ----
mkdir programs run
export LD_LIBRARY_PATH="$lib"
for language in c python; do
  sed -n "/^\`\`\`$language\$/,/^\`\`\`\$/p" "$SOURCE_DIR/docs/library.md" | sed '/^```/d' >"programs/order.$language"
  lines=$(grep -c . "programs/order.$language")
  { [ "$lines" -gt 5 ] && [ "$lines" -lt 20 ]; } || fail "the program in $language has $lines lines"
done
if [ ! -e "$lib/libcasimir.so" ]; then
  mkdir shared
  eval "$CC -shared -o shared/libcasimir.so -Wl,--whole-archive '$lib/libcasimir.a' -Wl,--no-whole-archive $(echo "$libs" | sed 's/-lcasimir//')" ||
    fail "no shared library of the static one"
  LD_LIBRARY_PATH=$PWD/shared:$LD_LIBRARY_PATH
fi
eval "$CC -std=c17 -Wall -Wextra -Werror $cflags -o programs/c programs/order.c $libs" || fail "the program in C"
eval "c++ -std=c++11 -Wall -Wextra -Werror $cflags -o programs/cpp -x c++ programs/order.c -x none $libs" || fail "the program in C++"

# the same words from the program itself
sed -n "/^study: \|^system: /p" programs/order.python >study.yaml
expect 0 '' study.yaml --long --output study.h5
order=$(sed -n 's/^ *two_term  *\([0-9.]*\) .*/\1/p' message | head -n 1)
cd run || exit 1
../programs/c >../c.out 2>../c.err || fail "C: status $?"
../programs/cpp >../cpp.out 2>../cpp.err || fail "C++: status $?"
python3 ../programs/order.python >../python.out 2>../python.err || fail "Python: status $?: $(cat ../python.err)"
cd ..
[ -z "$(ls -A run)" ] || fail "studies in memory left $(ls -A run)"
for language in c cpp python; do
  [ ! -s $language.err ] || fail "$language: $(cat $language.err)"
  sed 's/ *$//' $language.out >$language.words
  cmp -s c.words $language.words || fail "C says '$(cat c.out)', $language '$(cat $language.out)'"
done
digits=${order#*.}
rounded=$(sed -n 's/^order \([0-9.]*\),.*/\1/p' c.out)
{ [ -n "$order" ] && [ "$(printf "%.${#digits}f" "$rounded")" = "$order" ]; } || fail "order '$rounded', casimir run has '$order'"

# on two ranks, of which the first has the results
"$MPIEXEC" -n 2 programs/c >two.out 2>message || fail "two ranks: $(cat message)"
cmp -s c.out two.out || fail "two ranks say '$(cat two.out)'"

# what is wrong is told, and the process goes on
sed 's/rigid_body/rigid_bod/' programs/order.python >wrong.py
ends 1 '' python3 wrong.py
sed -i 's/^error = .*/error = (c_double * 1)()/' wrong.py
ends 0 "configuration:2: system.name: found 'rigid_bod'; did you mean 'rigid_body'" python3 wrong.py

# ---- a package for Debian ----
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
  cpack --config "$BUILD_DIR/CPackConfig.cmake" -B "$PWD/deb" >deb.log
  package=$(echo deb/casimir_"$version"_*.deb)
  ends 0 'libhdf5.*libyaml' dpkg-deb --field "$package" Depends
  dpkg-deb --extract "$package" unpacked
  for file in bin/casimir share/casimir/python/__main__.py share/casimir/jobs/rigid-body-weak.yaml share/doc/casimir/LICENSE \
    share/doc/casimir/docs/files.md include/casimir/casimir.h; do
    [ -e "unpacked/usr/$file" ] || fail "the package has no $file"
  done
  ends 0 "$version" unpacked/usr/bin/casimir --version
else
  echo "no dpkg-dev: no package was made"
fi

# ---- recipes ----
for recipe in "$packaging"/spack/package.py "$packaging"/easybuild/casimir-*.eb; do
  "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" || fail "$recipe"
done
[ -e "$packaging/easybuild/casimir-$version-foss-2023a.eb" ] || fail "EasyBuild's file is of another version"
for line in "spack/package.py:    version(\"$version\", sha256=" "easybuild/casimir-$version-foss-2023a.eb:version = '$version'" \
  "conda-forge/meta.yaml:  version: $version" "apptainer/casimir.def:    version $version" \
  "../../python/pyproject.toml:version = \"$version\"" "../../../docs/CITATION.cff:version: $version" \
  "../../../docs/CHANGELOG.md:## $version"; do
  grep -qF -e "${line#*:}" "$packaging/${line%%:*}" || fail "${line%%:*} has no line '${line#*:}'"
done
"$python" - "$SOURCE_DIR/docs/CITATION.cff" <<'END' || fail "CITATION.cff"
import sys
try:
    import yaml
except ImportError:
    sys.exit(0)
citation = yaml.safe_load(open(sys.argv[1]))
assert citation["cff-version"] == "1.2.0" and citation["license"] == "BSD-3-Clause"
assert all(r.get("title") and r.get("authors") for r in citation["references"])
END
# every option of the build that a recipe sets is one
grep -rhoE '(-D|define\(")[A-Z][A-Z_]+' "$packaging" | sed 's/^-D//;s/^define("//' | sort -u >options
for option in $(cat options); do
  grep -q "^option($option\|^set($option" "$SOURCE_DIR/CMakeLists.txt" || fail "recipes set $option, which is no option"
done
