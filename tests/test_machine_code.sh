#!/bin/sh
# Reads what the kernels were compiled to, by every compiler that is here: whole vectors of the instruction set, no scalar
# arithmetic and no calls of elementary functions in the loops that decide how long a study takes. A build that
# silently falls back to scalar code is several times slower and gives the right numbers, so nothing else would see it.
. "$SOURCE_DIR/tests/checks.sh"

case $(uname -m) in
x86_64) ;;
*)
  echo "not x86-64: nothing to read"
  exit 0
  ;;
esac
if ! grep -qE '^CMAKE_BUILD_TYPE:.*=(Release|RelWithDebInfo)$' "$BUILD_DIR/CMakeCache.txt" ||
  ! grep -q '^CASIMIR_SANITIZE:.*=$' "$BUILD_DIR/CMakeCache.txt"; then
  echo "not an optimised build: nothing to read"
  exit 0
fi

complain() { fail "$compiler, $isa: $*"; }

# machine_code SOURCE: object.o, for $isa and by $compiler: the build's own where that is the build's compiler
machine_code() {
  source=$1
  if [ "$compiler" = "$own" ]; then
    cp "$BUILD_DIR/CMakeFiles/kernels_$isa.dir/src/$source.o" object.o
    return
  fi
  options=$(sed -n "s|^ *\"command\": \"[^ ]* \(.*\) -o CMakeFiles/kernels_$isa.dir/src/$source.o \(.*\)\",\{0,1\}\$|\1 \2|p" \
    "$BUILD_DIR/compile_commands.json" | sed 's/\\"/"/g')
  [ -n "$options" ] || complain "compile_commands.json has no src/$source"
  (cd "$BUILD_DIR" && eval "$compiler $options -o '$here/object.o'") || complain "$source is not compiled"
}

arithmetic='v?(fn?m(add|sub)[0-9]*|add|sub|mul|div|sqrt|max|min)'

# function NAME: its instructions, and the symbols it refers to; FILE: all functions, for functions that a compiler clones
function_code() {
  if [ "$1" = FILE ]; then
    objdump -d --no-show-raw-insn object.o >code
    return
  fi
  objdump --disassemble="$1" --no-show-raw-insn -r object.o >code
  grep -q "<$1>:" code || complain "$source has no function $1"
}

# vectors NAME LEAST: at least LEAST packed arithmetic instructions on whole registers, and hardly a scalar one (some
# are left where failures to converge are counted)
vectors() {
  function_code "$1"
  packed=$(grep -cE "[[:space:]]${arithmetic}pd[[:space:]].*%$register" code)
  scalar=$(grep -cE "[[:space:]]${arithmetic}s[ds][[:space:]]" code)
  [ "$packed" -ge "$2" ] || complain "$source, $1: $packed packed instructions on $register, at least $2 expected"
  [ $((10 * scalar)) -le "$packed" ] || complain "$source, $1: $scalar scalar instructions, $packed packed"
}

# integers NAME LEAST
integers() {
  function_code "$1"
  packed=$(grep -cE "[[:space:]]v?p(add|xor|rol|sll|srl)[a-z]*[[:space:]].*%$register" code)
  [ "$packed" -ge "$2" ] || complain "$source, $1: $packed packed instructions on $register, at least $2 expected"
}

# no_calls NAME: but of what solves the few steps that the loop did not
no_calls() {
  function_code "$1"
  if grep -E '[[:space:]]callq?[[:space:]]' code | grep -v '_second_method' >&2; then
    complain "$source, $1 calls"
  fi
}

here=$PWD
own=gcc
"$CC" --version | grep -q clang && own=clang
for compiler in gcc clang; do
  [ $compiler = $own ] || command -v $compiler >/dev/null || continue
  for isa in generic $(sed -n 's/^CASIMIR_INSTRUCTION_SETS:STRING=//p' "$BUILD_DIR/CMakeCache.txt" | tr ';' ' '); do
    case $isa in generic) register=xmm ;; avx2) register=ymm ;; avx512) register=zmm ;; esac
    machine_code math/kernels/noise_normals.c
    vectors cas_kernels_normals_$isa 60
    no_calls cas_kernels_normals_$isa
    machine_code math/kernels/noise_threefry.c
    integers cas_kernels_threefry_$isa 40
    no_calls cas_kernels_threefry_$isa
    machine_code math/kernels/noise_cascade.c
    vectors cas_kernels_truncate_$isa 2
    vectors cas_kernels_accumulate_$isa 1
    machine_code math/algebra/so_n.c
    vectors multiply 40
    vectors cas_so_n_products_$isa 1
    machine_code systems/point_vortices.c
    vectors vortices_isospectral_midpoint 60
    [ $compiler = $own ] || continue # of files that take long to compile, those of this build
    machine_code systems/rigid_body.c
    for noise in quadratic linear; do
      vectors ${noise}_isospectral_midpoint 60
      no_calls ${noise}_isospectral_midpoint
    done
    machine_code systems/manakov.c
    [ $isa = generic ] || vectors FILE 1900
  done
done

# the reading can fail: scalar code must be seen
compiler=$CC isa=generic register=xmm source=math/kernels/noise_normals.c
cat >scalar.c <<'END_OF_SOURCE'
#include <math.h>
void cas_kernels_normals_generic(int n, const double *u, double *z) {
  for (int i = 0; i < n; i++)
    z[i] = sqrt(-2 * log(u[i]));
}
END_OF_SOURCE
"$CC" -O3 -c scalar.c -o object.o
! (
  vectors cas_kernels_normals_generic 60
  no_calls cas_kernels_normals_generic
  [ $failures -eq 0 ]
) >/dev/null 2>&1 || fail "scalar code was not seen"
