#!/bin/sh
# A system and a scheme of a user: compiled from the template by an installed casimir whose source tree is not used, by a user who is
# not root, they give what casimir's own of that equation give. Another file, or one of another version, is refused.
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"

place=$(mktemp -d /tmp/casimir-test-XXXXXX) || exit 1
at_end() { rm -rf "$place"; }
ends 0 '' "$CMAKE_COMMAND" --install "$BUILD_DIR" --prefix "$place/first"
mv "$place/first" "$place/prefix"
mkdir "$place/home"
chmod 755 "$place"
chmod 777 "$place/home"
cd "$place/home" || exit 1
as_user() { "$@"; }
[ "$(id -u)" -ne 0 ] || as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$place/home" TMPDIR="$place/home" "$@"; }
casimir=$place/prefix/bin/casimir
LD_LIBRARY_PATH=$(dirname "$(find "$place/prefix" -name pkgconfig)")
export LD_LIBRARY_PATH

# the compiler, and what it is asked to do; not optimized where only the texts and tables of a file count
install -m 755 "$SOURCE_DIR/tests/compiler.sh" logged
export COMPILER="$CC" COMPILER_LOG="$place/commands" CC="$place/home/logged"

: >../commands && chmod 666 ../commands
as_user "$casimir" build --template system >top.c 2>message || fail "$(cat message)"
ends 0 '^top.so: system my_top for generic' as_user "$casimir" build top.c
[ -e top.so ] || exit
! grep -F -e "$SOURCE_DIR" -e "$BUILD_DIR" ../commands || fail "the commands above name the build tree or the source tree"
sets=$(grep -c -- '-DCAS_ISA_SUFFIX=_' ../commands)
[ "$sets" -ge 2 ] || fail "compiled $sets times"
[ "$(stat -c %u top.so)" -ne 0 ] || [ "$(id -u)" -ne 0 ] || fail "built by root"
nothing_behind() {
  rest=$(find . -name '*.tmp*')
  [ -z "$rest" ] || fail "left behind: $rest"
}
nothing_behind

# the configuration that the template itself shows, and the same equation as casimir has it
sed -n 's/^       \(system\|study\|output\): /\1: /p' top.c | sed 's/paths: 2000/paths: 200/' >top.yaml
sed 's/^system: .*/system: {name: rigid_body, inertia: [0.5, 0.5, 0.25], noise: {kind: linear, chi: [[0, 0, 0.4]]}, initial: [0.6, 0, 0.8]}/' \
  top.yaml >body.yaml
for scheme in isospectral_midpoint munthe_kaas heun; do
  ends 0 '' as_user "$casimir" run top.yaml --set "integrator={name: $scheme}" --output "$scheme.h5"
  ends 0 '' as_user "$casimir" run body.yaml --set "integrator={name: $scheme}" --output body.h5
  ends 0 '' h5diff -p 1e-9 "$scheme.h5" body.h5 /strong/error
  rm -f body.h5
done
ends 2 'splitting does not fit system my_top' as_user "$casimir" run top.yaml --set integrator.name=splitting --output no.h5
ends 0 '' as_user "$MPIEXEC" -n 2 "$casimir" run top.yaml --output ranks.h5
ends 0 '' h5diff isospectral_midpoint.h5 ranks.h5 /strong/error
CASIMIR_KERNELS=generic ends 0 '' as_user "$casimir" run top.yaml --output generic.h5
ends 0 '' h5diff -p 1e-6 isospectral_midpoint.h5 generic.h5 /strong/error
ends 0 '' "$casimir" report generic.h5

ends 0 '' "$casimir" describe ./top.so
has 'amplitude of the noise' '^  compiled by .*logged' 'file_hash '

# refused WORDS ARGUMENT ..: the run is, with these words
refused() {
  words=$1
  shift
  "$casimir" run "$@" --output refused.h5 >message 2>&1 && fail "not refused: $words"
  grep -qF "$words" message || fail "found '$(cat message)', must have '$words'"
}

# one wrong name is one error, of one instruction set; a function that does not exist is an error too
sed 's/xi\[2 \* V + u\] += /wrong[2 * V + u] += wrong[0] + /' top.c >wrong.c
sed 's/xi\[2 \* V + u\] += /xi[2 * V + u] += cas_no_function(x) + /' top.c >missing.c
for mistake in wrong missing; do
  ! cmp -s top.c $mistake.c || fail "$mistake.c has no mistake"
  optimization=-O0 ends 2 '' "$casimir" build $mistake.c
  [ "$(grep -c 'error: ' message)" -eq 1 ] || fail "$mistake.c: $(cat message)"
done

unchanged 2 'top.c: is no file of `casimir build`' "$casimir" build top.c --output top.c

sed 's/= 0\.6;/= 0.61;/' top.c >changed.c
optimization=-O0 ends 0 '' "$casimir" build changed.c
ends 0 '' "$casimir" run top.yaml --quiet --output refused.h5
mv top.so kept.so
cp changed.so top.so
refused 'another system.file (./top.so has changed since)' top.yaml --resume --set study.paths=400
refused 'it is another file, or has changed' top.yaml --set "system.file_hash=$(sed -n 's/.*file_hash //p' message)x"
mkdir one two
cp kept.so one/top.so
cp changed.so two/top.so
ends 2 'the hash of system.file' "$MPIEXEC" -n 1 sh -c "cd one && exec $casimir run ../top.yaml --output ../two.h5" : \
  -n 1 sh -c "cd two && exec $casimir run ../top.yaml --output ../two.h5"
mv kept.so top.so
ends 0 '' "$casimir" run top.yaml --quiet --resume --set study.paths=400 --output refused.h5
rm -f refused.h5

# sealed BYTES FILE: what `casimir build` would have written of these bytes
sealed() {
  "${PYTHON:-/usr/bin/python3}" - "$1" "$2" <<'END'
import sys
bytes, hash = open(sys.argv[1], "rb").read(), 0xcbf29ce484222325
end = bytes.rfind(b"casimir_plugin_seal ")
bytes = bytes[:end] if end == len(bytes) - 54 else bytes
for b in bytes:
    hash = (hash ^ b) * 0x100000001b3 & (1 << 64) - 1
open(sys.argv[2], "wb").write(bytes + b"casimir_plugin_seal %016x %016x\n" % (len(bytes), hash))
END
}
LC_ALL=C sed 's/[0-9.]* (headers [0-9a-f]/9.9.9 (headers x/' top.so >old
sealed old old.so
refused 'was built for casimir 9.9.9 (headers x' top.yaml --set system.file=old.so
refused "found 'my_tip', and ./top.so holds 'my_top'" top.yaml --set system.name=my_tip
refused 'system.file: none.so: No such file' top.yaml --set system.file=none.so
refused 'top.c: is no compiled file' top.yaml --set system.file=top.c
refused 'was not made by `casimir build`' top.yaml --set "system.file=$(ldd "$casimir" | sed -n 's/.* => \(.*libyaml[^ ]*\).*/\1/p')"
refused 'unknown key' top.yaml --set system.none=1
refused "system.name: found 'my_top'" top.yaml --set system.file=null

# ---- files that were cut short or changed, at any place ----
size=$(stat -c %s top.so)
for part in 0 1 3 17 33 50 67 83 97 99; do
  head -c $((size * part / 100)) top.so >cut.so
  refused 'cut.so: ' top.yaml --set system.file=cut.so
  has 'no compiled file|cut short'
  cp top.so cut.so
  printf '\377\001' | dd of=cut.so bs=1 seek=$((size * part / 100)) conv=notrunc 2>dd.message
  cmp -s top.so cut.so && fail "not changed at $part%"
  refused 'cut.so: is ' top.yaml --set system.file=cut.so
done
head -c $((size - 1)) top.so >cut.so
for command in "describe ./cut.so" "run top.yaml --dry-run --output no.h5 --set system.file=./cut.so"; do
  ends 2 'it was cut short or changed' "$casimir" $command
done

"$COMPILER" -x c -c -o ../empty.o /dev/null || fail "no empty object"
export optimization=-O0 CASIMIR_KERNELS=generic EMPTY_OBJECT="$place/empty.o"
schemes=$place/prefix/share/casimir/own/integrators/integrators.def
cp "$schemes" ../schemes
sed -i '/isospectral_midpoint/!d' "$schemes" # one is compiled for what follows, none of which is about schemes
# ---- tables that are wrong: each member that must be there, and numbers out of range ----
# table WORDS EXPRESSION: a system of the template changed by sed is refused before anything is computed
table() {
  sed "$2" top.c >wrong.c
  cmp -s top.c wrong.c && fail "$2 changes nothing"
  rm -f wrong.so
  if "$casimir" build wrong.c >message 2>&1; then
    ends 2 '' "$casimir" run top.yaml --set system.file=./wrong.so --output refused.h5
    "$casimir" describe ./wrong.so >described 2>&1
    [ $? -le 2 ] || fail "$2: describe: $(cat described)"
  fi
  grep -qF "$1" message || fail "$2: found '$(cat message)', must have '$1'"
  [ ! -e refused.h5 ] || fail "$2: results"
}
for member in summary source parameters.options blocks.body space.n noise.number noise.always_commuting state.names state.unit psi.doubles psi.prepare functionals observables; do
  ! in_turn 3 || table "has no $member" "/^const cas_system/,\$s/^    \.$member = .*//"
done
table 'has no parameters.size' '/^    .parameters.size/d'
table 'has no name' 's/^    \.name = "my_top",//'
for lanes in 0 7 8 -16 100000; do
  ! in_turn 2 || table "has $lanes lanes" "s/^    .blocks.lanes = 64/    .blocks.lanes = $lanes/"
done
table 'has no name, summary, unit or value' 's/CAS_FUNCTIONAL(hamiltonian, hamiltonian, .*),$/{.name = "hamiltonian", .summary = "H0"},/'
for number in -5 2000000000; do
  table "psi.prepare() is to fill $number doubles" "s/^    \.psi.doubles = 2,/    .psi.doubles = $number,/"
done
table 'psi.prepare() writes more' 's/^    \.psi.doubles = 2,/    .psi.doubles = 1,/'
table 'noise.number() gives -1' '/^static int noises/,/^}/s/return .*;/return p ? -1 : 0;/'
table 'names 2 components' 's/"x1 x2 x3"/"x1 x2"/'
# option WORDS KEY TYPE OFFSET DEFAULT: in the place of sigma
option() {
  table "$1" "s/CAS_OPTION(parameters, REAL, sigma, .fallback = \"0\", .high = DBL_MAX,/{.key = \"$2\", .type = $3, .offset = $4, .fallback = \"$5\",/
    s/\(.help = \"amplitude of the noise\"\)),/\1},/"
}
option "'sigma' has a type that there is not" sigma 99 8 0
option "'sigma' has a type that there is not" sigma -1 8 0
option "'sigma' has no table in .section" sigma CAS_SECTION 8 ''
option "'sigma' has no .choices" sigma CAS_CHOICE 8 a
option "'sigma' is read into a place beyond the parameters" sigma CAS_REAL '1 << 20' 0
option "'sigma' is read into a place beyond the parameters" sigma CAS_REAL 9 0
option "'sigma' is read into the place of another one" sigma CAS_REAL 4 0
option "found 'abc', must be a number" sigma CAS_REAL 8 abc
option "'a: b' has a key that is not of letters" 'a: b' CAS_REAL 8 0
option "'c' is in the table twice" c CAS_REAL 8 0
option "its option 'initial' has the name of a key of all systems" initial CAS_REAL 8 0
table 'parameters.size is too large' 's/sizeof(parameters),$/(size_t)1 << 62,/'
# names that mean two things, or none
table 'is none that expressions can use' 's|CAS_FUNCTIONAL(energy,|CAS_FUNCTIONAL(en/er,|'
table 'is none that expressions can use' 's|CAS_FUNCTIONAL(energy,|CAS_FUNCTIONAL(sin,|'
table 'two functionals or observables have one name' 's/^ *CAS_FUNCTIONAL(hamiltonian, .*/&\n    CAS_FUNCTIONAL(energy, other, "1", "another"),/
  s/^static const cas_functional functionals/static void other(const void *p, int W, const double *x, double *out) {\n  for (int l = 0; p \&\& l < W; l++) out[l] = x[l];\n}\n&/'
table "names two 'x1'" 's/"x1 x2 x3"/"x1 x2 x1"/'
table "names one '2*y'" 's/"x1 x2 x3"/"x1 x2 2*y"/'
table "names one 'pi'" 's/"x1 x2 x3"/"x1 x2 pi"/'
table "'energy' is a number of the state and an observable" 's/"x1 x2 x3"/"x1 x2 energy"/'
table 'has no state.unit, of one line' 's/^    .state.unit = "/&\\n/'
table 'initial.state() writes more than the 3 components' 's/^  x\[2\] = 0.8;/&\n  x[3] = 1;/'
table 'the state has numbers that are none' 's/^  x\[2\] = 0.8;/  x[2] = 0.0 \/ 0.0;/'
table 'n = -3 and 1 factors of so3' 's/^    \.space.n = 3,/    .space.n = -3,/'
table 'n = 3 and -3 factors of so3' 's/^    \.space.n = 3,/    .space.geometry = copies,/
s/^static int noises/static void copies(const void *p, int *n, int *factors) { *n = p ? 3 : 2; *factors = -3; }\n&/'
table 'blocks.body() gives no steps' 's/return &top_body;/return 0;/'

# ---- code that ends the program ----
left='its code ended the program while it was loaded'
echo 'exit(0):_exit(0):_exit(7):syscall(SYS_exit_group, 0):abort():raise(SIGKILL):*(volatile int *)0 = 1' | tr : '\n' >ends
while IFS= read -r end; do
  in_turn 2 || continue
  { printf '#include <%s.h>\n' signal stdlib sys/syscall unistd && cat top.c &&
    echo "__attribute__((constructor)) static void leave(void) { if (!getenv(\"STAY\")) $end; }"; } >leave.c
  rm -f leave.so
  ends 2 "leave.so.*: $left" "$casimir" build leave.c
  [ ! -e leave.so ] || fail "$end: built"
  STAY=1 ends 0 '' "$casimir" build leave.c
  refused "$left" top.yaml --set system.file=leave.so
  ends 2 '' "$casimir" describe ./leave.so
done <ends
# code that never ends does so with the run that loads it
{ cat top.c && echo '__attribute__((constructor)) static void stay(void) { while (!getenv("STAY")) continue; }'; } |
  sed '1i #include <stdlib.h>' >stay.c
STAY=1 ends 0 '' "$casimir" build stay.c
"$casimir" run top.yaml --set system.file=stay.so --output refused.h5 >message 2>&1 &
process=$!
await pgrep -P $process >trial
kill $process
ended 75 "a run that loads what never ends" $process message
while read -r trial; do
  for _ in 1 2 3 4 5 6 7 8 9; do ! is_running "$trial" || sleep 0.2; done
  ! is_running "$trial" || { fail "code that never ends goes on without the run"; kill -KILL "$trial"; }
done <trial
ends 2 '' "$MPIEXEC" -n 2 "$casimir" run top.yaml --set system.file=leave.so --output refused.h5
cp top.c nothing.c
for compiler in /bin/true "$CC -c" 'touch'; do
  CC=$compiler unchanged 2 'has compiled nothing|reports errors' "$casimir" build nothing.c
done

# ---- schemes ----
cp ../schemes "$schemes"
export optimization=
unset CASIMIR_KERNELS
as_user "$casimir" build --template scheme >midpoint.c || fail "no template of a scheme"
ends 0 '^midpoint.so: scheme my_midpoint for generic' as_user "$casimir" build midpoint.c
! grep -F -e "$SOURCE_DIR" -e "$BUILD_DIR" ../commands || fail "the commands above name the build tree or the source tree"
sed -n 's/^       \(system\|integrator\|study\|output\): /\1: /p' midpoint.c >midpoint.yaml
ends 0 '' as_user "$casimir" run midpoint.yaml
ends 1 'Casimirs drifted' "$casimir" run midpoint.yaml --output drift.h5 --set integrator.casimir_tolerance=1e-10
ends 0 'explicit midpoint rule' "$casimir" describe ./midpoint.so

export CASIMIR_KERNELS=generic
# Drift and noise apart: Casimirs are kept, with areas and without.
as_user "$casimir" build --template splitting >splitting.c || fail "no template of a splitting"
ends 0 '' as_user "$casimir" build splitting.c
sed -n 's/^       \(system\|integrator\|study\|output\): /\1: /p' splitting.c >splitting.yaml
ends 0 '' as_user "$casimir" run splitting.yaml
# numbers CONDITION FILE ..: it holds for datasets d(FILE, NAME)
numbers() {
  "$python" -c 'import sys, h5py, numpy as np
files = [h5py.File(name) for name in sys.argv[2:]]
d = lambda i, name: files[i][name][()]
sys.exit(not eval(sys.argv[1]))' "$@" || fail "not so: $*: $(for file; do [ ! -e "$file" ] || h5dump -y -d /strong/error "$file"; done)"
}
strong='study={kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 4, reference: 8, paths: 400}'
for areas in 0 1; do
  ends 0 '' "$casimir" run splitting.yaml --set 'system.noise.sigma=0.5' --set integrator.areas=$areas --set "$strong" --output areas-$areas.h5
done
# without areas errors fall by 2^(1/2) from step to step, with areas by 2
numbers 'all(len(e) == 4 and (low < e[:-1] / e[1:]).all() and (e[:-1] / e[1:] < high).all()
  for e, low, high in ((d(0, "strong/error"), 1.2, 1.7), (d(1, "strong/error"), 1.8, 2.3)))' areas-0.h5 areas-1.h5

# The gradients that a scheme may ask for add up to psi, on every level: drift and each noise, drift and noises, with areas in
# `noises` and apart, both halves. Halves take two rows of normals for each step, as areas of two parts do.
parts() { # name, what it asks for, code that adds to xi
  sed -e "s/my_midpoint/$1/g" -e "s/.arrays = 3/.arrays = 4, .asks = $2/" -e 's/CAS_WORKSPACE(3, s, work)/CAS_WORKSPACE(4, s, work)/' \
    -e 's/CAS_FN(psi)(s, c, at, xi);/sum(s, c, at, xi, increment + n);/' midpoint.c |
    awk -v code="$3" '/^static void CAS_FN/ { print "#define sum CAS_FN(my_sum)\nCAS_INLINE void sum(const cas_stepper *s, cas_lanes c, const cas_vec *x, cas_vec *xi, cas_vec *more) {"
      print "  const int n = CAS_SIZE(s);\n  for (int i = 0; i < n; i++) xi[i] = cas_vec_splat(0);\n" code "}\n" } { print }
      /^}$/ { print "#undef sum" }' >"$1.c"
  ends 0 '' "$casimir" build "$1.c"
  for areas in $4; do
    ends 0 '' "$casimir" run midpoint.yaml --set "integrator.areas=$areas" --output midpoint.h5
    ends 0 '' "$casimir" run midpoint.yaml --set "integrator={name: $1, file: $1.so, areas: $areas}" --output "$1.h5"
    ends 0 '' h5diff -p 1e-9 midpoint.h5 "$1.h5" /strong/error
    rm -f midpoint.h5 "$1.h5"
  done
}
add() { echo "CAS_FN(psi_of_set)(s, c, $1, x, more); for (int i = 0; i < n; i++) xi[i] += more[i];"; }
parts by_parts CAS_ASKS_PARTS "$(add s-\>sets.drift) $(add s-\>sets.noises)" '0 4'
each="for (int k = 0; k < s->noises; k++) { $(add 's->sets.noise + k * s->sets.next') }"
parts by_noises 'CAS_ASKS_PARTS | CAS_ASKS_NOISES' "$(add s-\>sets.drift) $each $(add s-\>sets.areas)" '0 4'
parts by_halves 'CAS_ASKS_PARTS | CAS_ASKS_HALVES' "$(add 's->sets.half[0]') $(add 's->sets.half[1]') $(add s-\>sets.areas)" 2

# Halves have their own increments: steps that are two steps of half the size have the errors of these, on every level.
sed -e 's/my_midpoint/my_twice/g' -e 's/.evaluations = {2, 0}/.evaluations = {4, 0}, .asks = CAS_ASKS_HALVES/' \
  -e 's/CAS_FN(psi)(s, c, at, xi)/CAS_FN(psi_of_set)(s, c, s->sets.half[half], at, xi)/' \
  -e 's/^    CAS_FN(load)/    for (int half = 0; half < 2; half++) {\n&/' -e 's/^    CAS_FN(advance).*/&\n    }/' midpoint.c >twice.c
ends 0 '' "$casimir" build twice.c
for refinement in 2 3; do
  ends 0 '' "$casimir" run midpoint.yaml --set 'integrator={name: my_twice, file: twice.so}' --output twice.h5 \
    --set "study={kind: strong, coarsest_step: 2^-4, coarsest_steps: 2, refinement: $refinement, levels: 3, reference: 4, paths: 1000}"
  ends 0 '' "$casimir" run midpoint.yaml --set study.refinement=$refinement --output midpoint.h5
  numbers 'd(0, "strong/error").shape == (3,) and (abs(d(1, "strong/error") / d(0, "strong/error") - 1) < 1e-9).all()' midpoint.h5 twice.h5
  rm -f midpoint.h5 twice.h5
done
refused 'integrator.areas: found 2, but my_twice asks for the halves of a step, which have no areas' midpoint.yaml \
  --set 'integrator={name: my_twice, file: twice.so, areas: 2}'

# Further normals are standard, independent of increments and of each other, and those of coarse steps are the sums of fine ones:
# of a body that nothing else moves, x1 and x2 are then Brownian motions on every level, beside x3, which is that of the noise.
sed -e 's/my_midpoint/my_normals/g' -e 's/.evaluations = {2, 0}/.evaluations = {1, 0}, .normals = 2, .asks = CAS_ASKS_NOISES/' midpoint.c |
  awk '/^    CAS_FN\(psi\)/ && !done { done = 1
      print "    CAS_FN(psi_of_set)(s, c, s->sets.noise, at, increment);"
      print "    for (int u = 0; u < CAS_V; u++)\n      for (int k = 0; k < 2; k++)"
      print "        increment[k * CAS_V + u] = sqrt(s->h) * *(const cas_vec *)(s->normals + k * s->W + first + u * CAS_VL);"; next }
    /^    CAS_ALG/ || /CAS_FN\(psi\)/ || /^    for \(int i/ || /^      at\[i\]/ { next } { print }' |
  sed '1i #include <math.h>' >normals.c
ends 0 '' "$casimir" build normals.c
squares='{a: x1^2}, {b: x2^2}, {c: (x3 - 1)^2}, {d: x1*x2}, {e: x1*(x3 - 1)}, {f: x2*(x3 - 1)}'
ends 0 '' "$casimir" run midpoint.yaml --output normals.h5 --set 'integrator={name: my_normals, file: normals.so, casimir_tolerance: .inf}' \
  --set 'system={name: rigid_body, inertia: [1, 1, 1], noise: {kind: linear, chi: [[0, 0, 1]]}, initial: [0, 0, 1]}' \
  --set "study={kind: convergence, coarsest_step: 2^-3, coarsest_steps: 8, levels: 3, reference: 4, paths: 20000, functionals: [$squares]}"
numbers 'd(0, "strong/error").shape == (3,) and (d(0, "strong/error") < 1e-13).all()' normals.h5
# means of squares are 1 and those of products 0, to five standard errors of 20000 paths
numbers 'all((d(0, f"weak/{f}/mean")[0] - mean) ** 2 < 25 * (1 + mean) / 20000 for f, mean in zip("abcdef", (1, 1, 1, 0, 0, 0)))' normals.h5

# the texts of casimir's own under another name, on a system with groups, on one with blocks of one path, and on the one above
sed "s/^study: .*/study: {kind: strong, coarsest_step: 2^-8, coarsest_steps: 2, levels: 2, reference: 3, paths: 100}/" top.yaml >groups.yaml
sed "s/^system: .*/system: {name: euler_zeitlin, N: 48, noise: {amplitude: 2, lmin: 6}, initial: {random: {seed: 7, norm: 12}}}/" \
  groups.yaml | sed "s/paths: 100/paths: 8/" >blocks.yaml
sed "s/^system: .*/system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}/" groups.yaml >body.yaml
for scheme in implicit_midpoint munthe_kaas; do
  sed "s/$scheme/my_scheme/g" "$place/prefix/share/casimir/own/integrators/$scheme.h" >"$scheme.c"
  ends 0 '' "$casimir" build "$scheme.c"
  for system in groups blocks body; do
    ends 0 '' "$casimir" run $system.yaml --set "integrator={name: $scheme}" --output theirs.h5
    ends 0 '' "$casimir" run $system.yaml --set "integrator={name: my_scheme, file: $scheme.so}" --output mine.h5
    ends 0 '' h5diff -p 1e-9 theirs.h5 mine.h5 /strong/error
    rm -f theirs.h5 mine.h5
  done
  unset CASIMIR_KERNELS # the other one with all instruction sets
done
"$casimir" run midpoint.yaml --quiet --output refused.h5 || fail "a run to be gone on with"
sed -i 's/0\.5 \* increment/0.50001 * increment/' midpoint.c
ends 0 '' "$casimir" build midpoint.c
refused 'another integrator.file (./midpoint.so has changed since)' midpoint.yaml --resume --set study.paths=2000
rm -f refused.h5
refused 'has no system for the kernels' top.yaml --set system.file=midpoint.so
refused 'has no scheme for the kernels' midpoint.yaml --set integrator.file=top.so
refused "found 'my_mid', and ./midpoint.so holds 'my_midpoint'" midpoint.yaml --set integrator.name=my_mid
# so(10) has a bracket of its own, in other groups, where vectors are longer than those of the generic kernels
manakov='system={name: manakov, n: 10, noise: {sigma: 0.1}, initial: {random: {seed: 1, norm: 1}}}'
"$casimir" --version | grep -q '^kernels *generic,' || refused 'system manakov steps groups of' midpoint.yaml --set "$manakov"
CASIMIR_KERNELS=generic ends 0 '' "$casimir" run midpoint.yaml --set "$manakov" --set study.paths=100 --output ten.h5
refused 'has an attitude with these parameters' body.yaml --set system.attitude=true \
  --set 'integrator={name: my_scheme, file: munthe_kaas.so}'
export optimization=-O0 CASIMIR_KERNELS=generic
sed 's/ADDITION/FLOWS/' midpoint.c >flows.c
wrong_scheme=$("$casimir" build flows.c 2>&1) || fail "$wrong_scheme"
refused 'ADDITION, COADJOINT, EXPONENTIAL or SANDWICH alone' midpoint.yaml --set integrator.file=flows.so

# ---- what is wrong with a file in C is said, and no file is left ----
sed '/^CAS_PLUGIN_SYSTEM/d' top.c >none.c
echo 'int x =;' >syntax.c
each 'unchanged 2' <<'END'
its last line is to be CAS_PLUGIN_SYSTEM | "$casimir" build none.c
syntax.c:1:8: .*error | "$casimir" build syntax.c
No such file | "$casimir" build absent.c
ends in .c | "$casimir" build top.yaml
END
unchanged 3 'the C compiler that CC names' env CC=/nonexistent "$casimir" build syntax.c
nothing_behind
# what a build that was killed has left is removed by the next one of this output
mkdir syntax.so.tmp.objects
touch syntax.so.tmp.objects/generic.o syntax.so.tmp.objects/generic.gcno
"$casimir" build syntax.c >message 2>&1
nothing_behind
# another build of an output waits for the one that is under way, and leaves its objects
printf '#!/bin/sh\nwhile [ -e slow ]; do sleep 0.1; done\nexec %s "$@"\n' "$CC" >late
chmod +x late
touch slow
CC=$PWD/late "$casimir" build top.c --output two.so >messages 2>&1 &
first=$!
await test -d two.so.tmp.objects
"$casimir" build top.c --output two.so >message 2>&1 &
process=$!
sleep 1
[ -d two.so.tmp.objects ] || fail "objects of a build that was under way were removed"
rm slow
ended 0 "a build that another waits for" $first
ended 0 "a build that waits" $process message
nothing_behind
# a name that a shell would run
cp top.c '$(touch hit);`touch hit` x.c'
ends 0 '' "$casimir" build '$(touch hit);`touch hit` x.c'
[ ! -e hit ] || fail "a shell has seen the name of the file"
