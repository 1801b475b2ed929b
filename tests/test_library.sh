#!/bin/sh
# The programs of docs/library.md in C, C++ and Python compile and run against an installed casimir, agree with each
# other and with `casimir run`, and leave no file; without a shared libcasimir one is made of the static one.
# needs: sprng
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"

"$CMAKE_COMMAND" --install "$BUILD_DIR" --prefix "$PWD/prefix" >install.log || fail "$(cat install.log)"
pc=$(find prefix -name casimir.pc)
lib=$PWD/$(dirname "$(dirname "$pc")")
PKG_CONFIG_PATH=$lib/pkgconfig
LD_LIBRARY_PATH=$lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cflags=$(pkg-config --cflags casimir) libs=$(pkg-config --libs casimir)

mkdir programs run
for language in c python; do
  sed -n "/^\`\`\`$language\$/,/^\`\`\`\$/p" "$SOURCE_DIR/docs/library.md" | sed '/^```/d' >"programs/order.$language"
  lines=$(grep -c . "programs/order.$language")
  { [ "$lines" -gt 5 ] && [ "$lines" -lt 20 ]; } || fail "the program in $language has $lines lines"
done
if [ ! -e "$lib/libcasimir.so" ]; then
  # shellcheck disable=SC2046 # words
  "$CC" -shared -o "$lib/libcasimir-whole.so" -Wl,--whole-archive "$lib/libcasimir.a" -Wl,--no-whole-archive \
    $(echo "$libs" | sed 's/-lcasimir//') || fail "no shared library of the static one"
  mkdir shared && mv "$lib/libcasimir-whole.so" shared/libcasimir.so
  LD_LIBRARY_PATH=$PWD/shared:$LD_LIBRARY_PATH
fi
# shellcheck disable=SC2086
"$CC" -std=c17 -Wall -Wextra -Werror $cflags -o programs/c programs/order.c $libs || fail "the program in C"
# shellcheck disable=SC2086
c++ -std=c++11 -Wall -Wextra -Werror $cflags -o programs/cpp -x c++ programs/order.c -x none $libs || fail "the program in C++"

# the same words from the program itself
sed -n "/^study: \|^system: /p" programs/order.python >study.yaml
"$CASIMIR" run study.yaml --long --output study.h5 >log || fail "$(cat log)"
order=$(sed -n 's/^\* c1 h^2p + c2 h^(2p+1)  *\([0-9.]*\) .*/\1/p' log | head -n 1)
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
rounded=$(sed -n 's/^order \([0-9.]*\),.*/\1/p' c.out)
{ [ -n "$order" ] && [ "$(printf '%.3f' "$rounded")" = "$order" ]; } || fail "order '$rounded', casimir run has '$order'"

# on two ranks, of which the first has the results
"$MPIEXEC" -n 2 programs/c >two.out 2>two.err || fail "two ranks: $(cat two.err)"
cmp -s c.out two.out || fail "two ranks say '$(cat two.out)'"

# what is wrong is told, and the process goes on
sed 's/rigid_body/rigid_bod/' programs/order.python >wrong.py
python3 wrong.py >log 2>&1 && fail "no numbers, and status 0"
sed 's/rigid_body/rigid_bod/; s/^error = .*/error = (c_double * 1)()/' programs/order.python >wrong.py
python3 wrong.py >log 2>&1 || fail "$(cat log)"
grep -q "configuration:2: system.name: found 'rigid_bod'; did you mean 'rigid_body'" log || fail "$(cat log)"

[ "$failures" -eq 0 ]
