#!/bin/sh
# What the pages show is true: their C code compiles, whole files of it become part of a casimir that runs them, and
# the commands of the README run.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

# ---- lists ----

for group in $(sed -n 's/^    \.group = "\(.*\)",$/\1/p' "$SOURCE_DIR"/src/studies/*.c "$SOURCE_DIR"/src/studies/*/*.c); do
  grep -q "\`/${group}[/\`]" "$SOURCE_DIR/docs/files.md" || fail "docs/files.md names no group /$group"
done
for list in algebras systems integrators generators studies tables; do
  grep -q "[( ]\`src/.*/$list\.def\`" "$SOURCE_DIR/docs/architecture.md" || fail "docs/architecture.md has no $list.def"
done

# ---- figures ----

sh "$SOURCE_DIR/bench/figures.sh" --check || fail "figures that were drawn by other code than today's"

# ---- C code ----

mkdir tree blocks
cp -R "$SOURCE_DIR/src" "$SOURCE_DIR/include" "$SOURCE_DIR/CMakeLists.txt" "$SOURCE_DIR/LICENSE" tree
cat "$SOURCE_DIR/README.md" "$SOURCE_DIR"/docs/*.md "$SOURCE_DIR"/docs/systems/*.md >pages
awk '/^ *```c$/ { file = "blocks/" ++n ".c"; next } /^ *```/ { file = "" } file { print > file }' pages

# The block that defines a study is a whole file, whose name and lines in registries are in the text; other blocks are
# excerpts, which are compiled by themselves; programs are test_install.sh's.
excerpts=0 study=displacement
for block in blocks/*.c; do
  ! grep -q '^int main' "$block" || continue
  if grep -q "^const cas_study cas_study_$study = {\$" "$block"; then
    { grep -qF "src/studies/$study.c" pages && grep -qF "CAS_STUDY($study)" pages && grep -qF "CAS_TABLE($study)" pages; } ||
      fail "$study: the pages name no file or no line in a registry"
    cp "$block" "tree/src/studies/$study.c"
    echo "CAS_STUDY($study)" >>tree/src/studies/studies.def
    echo "CAS_TABLE($study)" >>tree/src/studies/tables.def
    continue
  fi
  excerpts=$((excerpts + 1))
  {
    echo '#include "math/kernels/kernels.h"'
    echo '#include "base/lanes.h"'
    echo '#include <string.h>'
    echo '#pragma GCC diagnostic ignored "-Wunused-function"'
    echo '#pragma GCC diagnostic ignored "-Wunused-const-variable"'
    cat "$block"
  } >"tree/src/systems/excerpt_$excerpts.c"
done
{ [ -f "tree/src/studies/$study.c" ] && [ "$excerpts" -ge 1 ]; } || fail "no study, or no excerpts in the pages"

# The templates of casimir build become parts of it as the page says.
"$CASIMIR" build --template system >system.c
"$CASIMIR" build --template scheme >tree/src/integrators/my_midpoint.h
sed '/^CAS_PLUGIN_SYSTEM/d; s|math/kernels/plugin.h|math/kernels/kernels.h|' system.c >tree/src/systems/my_top.c
for line in 'CAS_SYSTEM(my_top)' '#include "integrators/my_midpoint.h"'; do
  tr '\n' ' ' <pages | grep -qF "$line" || fail "the pages have no line $line"
done
echo 'CAS_SYSTEM(my_top)' >>tree/src/systems/systems.def
echo '#include "integrators/my_midpoint.h"' >>tree/src/integrators/integrators.def

# What no registry leads to is this build's, and so are all systems but the one that the scheme is tried on.
[ ! -e "$BUILD_DIR/libcasimir.a" ] || {
  cp "$BUILD_DIR/libcasimir.a" rest.a
  find tree/src -name '*.c' ! -path '*/src/app/*' ! -path "*/$study.c" ! -name my_top.c ! -name 'excerpt_*' >library
  { xargs grep -lE '"(systems/systems|integrators/integrators|studies/(studies|tables)).def"' <library; grep -E '/(rigid_body|dispatch).c$' library; } >anew
  grep -vxFf anew library | xargs rm
  objects=$(sed 's|.*/||; s/$/.o/' anew)
  while ar t rest.a | grep -qxF "$objects"; do ar d rest.a $objects; done # one of each name at a time
  echo "target_link_libraries(casimir_program PRIVATE -Wl,--start-group,\$<TARGET_FILE:casimir>,$PWD/rest.a,--end-group)" >>tree/CMakeLists.txt
}
{ "$CMAKE_COMMAND" -S tree -B build -G "$CMAKE_GENERATOR" -D CMAKE_C_COMPILER="$CC" -D CMAKE_BUILD_TYPE=Debug \
  -D CMAKE_C_FLAGS_DEBUG=-O0 -D BUILD_TESTING=OFF -D CASIMIR_WERROR=ON -D CASIMIR_INSTRUCTION_SETS= &&
  "$CMAKE_COMMAND" --build build --target casimir_program --parallel 2; } >build.log 2>&1 ||
  { tail -n 50 build.log >&2; fail "what the pages show does not compile"; exit 1; }

# how much a study of one summary takes to know
types=$(grep -oE '\bcas_[a-z_]+ \*?[a-z]' tree/src/studies/displacement.c | cut -d' ' -f1 | sort -u | wc -l)
{ [ "$types" -le 9 ] && [ "$(wc -l <tree/src/studies/displacement.c)" -lt 150 ]; } || fail "displacement: $types types"

# the system with the configuration in its first comment, the scheme on the rigid body, whose Casimir it does not keep
sed -n '/^ *system: {file/,/^$/p' system.c | sed 's/^ *//; s|file: ./top.so, ||' >top.yaml
ends 0 '' build/casimir run top.yaml --set study.paths=128
ends 0 'shaken about its axis' build/casimir describe my_top
# the study: a body that turns by angles of order 1 in a time of order 1, and more paths of it
sed -n '/^    study: {kind: displacement/{x;p;x;p;n;p;};h' pages | sed 's/^    //' >displacement.yaml
ends 0 '^ *mean_square  *0\.[0-9]* \+- 0\.0' build/casimir run displacement.yaml
ends 0 '' build/casimir run displacement.yaml --resume --set study.paths=1100
echo 'scheme | quadratic | strong, coarsest_step: 2^-5, coarsest_steps: 4, levels: 3, reference: 4, paths: 64' | configurations 'integrator: {name: my_midpoint}' 'output: {file: scheme.h5}'
ends 0 '' build/casimir run scheme.yaml
ends 1 'Casimirs drifted' build/casimir run scheme.yaml --output drift.h5 --set integrator.casimir_tolerance=1e-10

# ---- the commands of the README and of the page on studies ----

sed -n '/^```yaml$/,/^```$/p' "$SOURCE_DIR/README.md" | sed '/^```/d' >rigid-body.yaml
expect 0 '' "$SOURCE_DIR/jobs/rigid-body-paths.yaml" --output run.h5 --set study.steps=64
ln -s "$SOURCE_DIR/jobs" jobs
# with fewer paths, as nothing depends on their number, and what is compiled is not run, so not optimized
mkdir bin
cat >bin/casimir <<'END'
#!/bin/sh
case $1 in run | sweep) set -- "$@" --set study.paths=256 ;; esac
CC=$PWD/bin/cc exec "$CASIMIR" "$@"
END
printf '#!/bin/sh\nexec "%s" "$@" -O0\n' "$CC" >bin/cc
chmod +x bin/*
PATH=$PWD/bin:$PATH
mpirun() { "$MPIEXEC" "$@"; }

draws= # whether a Python is there that draws
/usr/bin/python3 -c 'import h5py, matplotlib' 2>/dev/null && draws=yes && draws_together
# all_of FILE LEAST: runs the commands of the file
all_of() {
  commands=0
  while IFS= read -r command; do
    case $command in
    *'casimir plot'*) [ -n "$draws" ] || continue ;;
    *--resume*) rm -f rigid-body.h5 ;; # of another configuration
    esac
    commands=$((commands + 1))
    eval "$command" </dev/null >message 2>&1 || fail "$command: $(cat message)"
  done <"$1"
  [ "$commands" -ge "$2" ] || fail "$commands commands in $1"
}
grep -hE '^    (mpirun -n [0-9]+ )?casimir [a-z]' "$SOURCE_DIR/README.md" >list
sed -n '/^    casimir run rigid-body.yaml --dry-run/,/^$/s/^    /&/p' "$SOURCE_DIR/docs/studies.md" >>list
all_of list 20

# ---- the tutorial: its configurations, and its commands one after another ----

awk '/^<!-- test: .*\.yaml -->$/ { file = $3 } /^```$/ { file = ""; inside = 0 } inside { print > file }
  /^```yaml$/ && file { inside = 1 }
  /^<!-- test: run -->$/ { run = 1; next } run && /^    / { print > "tutorial"; seen = 1; next } seen { run = seen = 0 }' \
  "$SOURCE_DIR/docs/tutorial.md"
all_of tutorial 12
