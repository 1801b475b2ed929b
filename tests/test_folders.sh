#!/bin/sh
# The folders of the sources use each other in one direction, and names say where they are from; and the checker sees
# what would break that.
set -e
. "$SOURCE_DIR/tests/checks.sh"

# check TOP: checks the sources below TOP with the objects of this build
check() { /usr/bin/python3 "$SOURCE_DIR/tests/folders.py" "$1" "$BUILD_DIR" --graph graph >folders 2>message; }

check "$SOURCE_DIR" || fail "$(cat message)"
cat folders
grep -q '"studies" -> "engine";' graph || fail "the graph lacks that studies use the engine"

# The picture shows the folders as they are: each of its arrows is there, and all others follow from its.
cat >picture.py <<'EOF'
import re, sys
graph, svg = open(sys.argv[1]).read(), open(sys.argv[2]).read()
real = {e for e in re.findall(r'"([^"]+)" -> "([^"]+)"', graph) if 'include/casimir' not in e}
drawn = set(re.findall(r'<title>([\w/]+)&#45;&gt;([\w/]+)</title>', svg))
reached, more = set(drawn), True
while more:
    new = {(a, d) for a, b in reached for c, d in drawn if b == c} - reached
    reached, more = reached | new, new
for a, b in sorted(drawn - real):
    print(f'docs/figures/architecture.svg: {a} does not use {b}')
for a, b in sorted(real - reached):
    print(f'docs/figures/architecture.svg lacks that {a} uses {b}')
sys.exit(drawn - real or real - reached or not drawn)
EOF
/usr/bin/python3 picture.py graph "$SOURCE_DIR/docs/figures/architecture.svg" >message ||
  fail "$(cat message); sh bench/architecture.sh draws it anew"
sed 's/"studies" -> "engine";/"files" -> "app";/' graph >other
! /usr/bin/python3 picture.py other "$SOURCE_DIR/docs/figures/architecture.svg" >message || fail "another graph passes for the picture"

# broken FILE LINE ..: with these lines at the ends of these files; what is said is in `message`
broken() {
  rm -rf tree
  mkdir tree
  cp -r "$SOURCE_DIR/src" "$SOURCE_DIR/include" tree
  while [ $# -gt 0 ]; do
    mkdir -p "tree/${1%/*}"
    printf '%s\n' "$2" >>"tree/$1"
    shift 2
  done
  if check tree; then fail "not refused"; fi
}

broken src/base/text.h '#include "engine/study/study.h"' src/statistics/law.c '#include <engine/resume/store.h>'
has 'src/base/text.h uses src/engine/study/study.h' 'src/statistics/law.c uses src/engine/resume/store.h'
broken src/language/expressions/checks.h '#include "files/hdf5/hdf5.h"' src/base/count.h '#include "base/hash.h"' \
  src/base/hash.h '#include "base/text.h"' src/base/text.h '#include "base/count.h"'
has 'folders of src in a circle: src/files src/language' 'files in a circle: src/base/count.h src/base/hash.h src/base/text.h$'
# shellcheck disable=SC2046 # words
broken src/fourteenth/one.h '//' src/language/config/config_impl.h '#include <mpi.h>' \
  src/math/harmonics/sphere.h '#include <casimir/parallel.h>' src/paths/noise/noise.h 'int cas_other(void);' \
  src/paths/noise/noise.h 'enum { CAS_NOISE_ONE = 1, CAS_OTHER };' src/paths/noise/noise.h '#define CAS_ANOTHER 1' \
  src/paths/noise/noise.h 'extern const double cas_third[2];' src/paths/noise/noise.h 'typedef struct cas_noise other_t;' \
  src/base/text.h 'struct cas_round { int n; };' src/paths/noise/more.h '#ifndef CAS_TEXT_H' src/paths/noise/more.h '#define CAS_TEXT_H' \
  src/base/text.h "/* $(printf '%096d' 0)*/" src/base/text.h "struct cas_text_wide { int $(seq -s , -f m%.0f 25); };" \
  src/base/text.h "$(seq -f '/* %.0f */' 500)" src/base/text.h '  bool' src/base/text.h '      reference; /* a level */' \
  $(seq -f 'src/paths/noise/more%.0f.h //' 21)
has 'src has 14 folders' 'src/language/config/config.c sees mpi.h' 'src/math/harmonics/sphere.c sees mpi.h' \
  'src/paths/noise/noise.h declares cas_other,' 'src/paths/noise/noise.h declares CAS_OTHER,' \
  'src/paths/noise/noise.h declares CAS_ANOTHER,' 'src/paths/noise/noise.h declares cas_third,' 'noise.h declares other_t,' \
  'the type cas_round is in src/base/text.h and src/studies/multilevel/hierarchy.h' 'has 101 columns' \
  'the include guard CAS_TEXT_H is in src/base/text.h and src/paths/noise/more.h' 'struct of int m1 has more than 24 members' \
  'src/base/text.h has more than 500 lines' 'src/base/text.h: bool reference; is torn' 'src/paths/noise holds '
