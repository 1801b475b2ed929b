#!/bin/sh
# Ranks that were given something else, or are another build, leave together: status 2, within seconds, one message that names
# what differs and on which ranks, nothing written.
. "$SOURCE_DIR/tests/checks.sh"

echo 'run | quadratic | convergence, coarsest_step: 2^-7, coarsest_steps: 13, levels: 3, reference: 8, paths: 500, functionals: [sin2pi] | random: {generator: threefry}' | configurations 'output: {file: out.h5}'
cp run.yaml other.yaml
other='Give all ranks the same command line'

# together COMMAND-LINE ..: rank 0 by the first words, others behind ":"
together() {
  rm -f out.h5* other.h5*
  timeout -k 5 600 "$MPIEXEC" -n 1 "$@" >stdout 2>message
  found=$?
}

# refused PATTERN COMMAND-LINE ..
refused() {
  pattern=$1
  shift
  rm -f stdout
  kept=$(files_here)
  together "$@"
  [ $found -eq 2 ] || fail "$*: status $found, must be 2: $(cat message)"
  [ "$(grep -c '^casimir' message)" -eq 1 ] || fail "$*: $(grep -c '^casimir' message) messages: $(cat message)"
  has "^casimir: $pattern"
  [ ! -s stdout ] && rm stdout && [ "$kept" = "$(files_here)" ] || fail "$*: says or leaves something"
}

# differs NAME WITHOUT WITH ARGUMENT ..: those arguments on ranks 1 and 2 alone, and then on rank 0 alone
differs() {
  name=$1 without=$2 with=$3
  shift 3
  refused "ranks differ: $name is $without on rank 0 and $with on ranks 1, 2\\. $other" \
    "$CASIMIR" run run.yaml : -n 2 "$CASIMIR" run run.yaml "$@"
  refused "ranks differ: $name is $with on rank 0 and $without on rank 1\\. $other" \
    "$CASIMIR" run run.yaml "$@" : -n 1 "$CASIMIR" run run.yaml
}

differs system.noise.sigma 0.1 0.3 --set system.noise.sigma=0.3
differs random.seed 'not given' 2 --set random.seed=2
differs study.paths 500 501 --set study.paths=501
differs 'study.functionals\[1\]' 'not given' energy --set 'study.functionals=[sin2pi, energy]'
differs output.checkpoint_every 'not given' 0 --set output.checkpoint_every=0
differs --output 'not given' other.h5 --output other.h5
differs --resume 'not given' given --resume
differs --dry-run 'not given' given --dry-run
differs --only-path 'not given' 3 --only-path 3
differs --max-walltime 'not given' '60 s' --max-walltime 1min
differs --help 'not given' given --help

refused "ranks differ: the configuration is run.yaml on rank 0 and other.yaml on rank 1\\. $other" \
  "$CASIMIR" run run.yaml : -n 1 "$CASIMIR" run other.yaml
refused 'ranks differ: random.seed is not given on rank 0 and 3 on ranks 1, 2, 3, 4 and 1 more and 4 on rank 6; system.noise.sigma is 0.1 on rank 0 and 0.2 on rank 6\.' \
  "$CASIMIR" run run.yaml : -n 5 "$CASIMIR" run run.yaml --set random.seed=3 : \
  -n 1 "$CASIMIR" run run.yaml --set random.seed=4 --set system.noise.sigma=0.2
for command in --version --help describe 'report none.h5' ''; do
  refused "ranks differ: the command is run on rank 0 and ${command%% *}.* on rank 1" \
    "$CASIMIR" run run.yaml : -n 1 "$CASIMIR" $command
done
refused "ranks differ: the command is describe on rank 0 and run on rank 1\\. $other" \
  "$CASIMIR" describe : -n 1 "$CASIMIR" run run.yaml
refused "ranks differ: argument 1 is studies on rank 0 and systems on rank 1\\. $other" \
  "$CASIMIR" describe studies : -n 1 "$CASIMIR" describe systems

# a command line that is wrong on one rank, or on all
for wrong in "unrecognized option '--nonsense':--nonsense" 'only-path. found .x.:--only-path=x' 'one configuration only:more.yaml'; do
  refused "on rank 1: casimir run: .*${wrong%%:*}" "$CASIMIR" run run.yaml : -n 1 "$CASIMIR" run run.yaml "${wrong#*:}"
done
together "$CASIMIR" run run.yaml --nonsense : -n 2 "$CASIMIR" run run.yaml --nonsense
[ $found -eq 2 ] && [ "$(grep -c "^casimir run: unrecognized option '--nonsense'" message)" -eq 1 ] ||
  fail "a wrong option on all ranks: $found $(cat message)"
expect 2 "^casimir run: unrecognized option '--ouput=x.h5'; did you mean '--output'\\?$" run.yaml --ouput=x.h5
refused '--set nonsense' "$CASIMIR" run run.yaml : -n 1 "$CASIMIR" run run.yaml --set nonsense

# another build; of a shared build the library carries the name
id=$("$CASIMIR" --version | sed -n 's/^build  *//p')
mkdir another
cp -P "$CASIMIR" another/casimir
cp -P "$BUILD_DIR"/libcasimir.so* another/ 2>/dev/null
built=another/casimir
[ ! -e another/libcasimir.so ] || built=$(readlink -f another/libcasimir.so)
readelf -n "$built" | grep -q "Build ID: $id" || fail "the build '$id' is not that of $built"
objcopy --dump-section .note.gnu.build-id=note "$built" /dev/null
(head -c -4 note && printf 'four') >note.other
objcopy --update-section .note.gnu.build-id=note.other "$built"
refused "ranks differ: build is $id on rank 0 and ${id%????????}666f7572 on rank 1\\. Start one build of casimir on all ranks" \
  "$CASIMIR" run run.yaml : -x "LD_LIBRARY_PATH=$PWD/another" -n 1 another/casimir run run.yaml

# what another build has begun goes on with a warning
set -- run.yaml --output begun.h5
by_looks 1 expect 75 '' "$@" --max-walltime 20
ends 0 "begun.h5.checkpoint was begun by build $id of casimir, this is ${id%????????}666f7572 of the same commit" \
  env LD_LIBRARY_PATH="$PWD/another" another/casimir run "$@" --resume
rm begun.h5

# other kernels
if "$CASIMIR" --version | grep -q 'avx'; then
  refused 'rank 0 chose the kernels .avx[0-9]*. and rank 1 .generic.' "$CASIMIR" run run.yaml : \
    -x CASIMIR_KERNELS=generic -n 1 "$CASIMIR" run run.yaml
fi

# the same said in another order is the same; what a rank shows is its own matter
together "$CASIMIR" run run.yaml --quiet : -n 2 "$CASIMIR" run run.yaml
[ $found -eq 0 ] || fail "--quiet on one rank: $(cat message)"
mv out.h5 same.h5
together "$CASIMIR" run run.yaml --quiet --set random.seed=1 --set output.checkpoint_every=0 : \
  -n 2 "$CASIMIR" run --set output.checkpoint_every=0 --set random.seed=1 run.yaml --quiet
[ $found -eq 0 ] || fail "another order: $(cat message)"
alike same.h5 out.h5 "another order"

# other commands are done once
for command in --version --help describe 'describe rigid_body' 'report same.h5' 'report none.h5' 'plot same.h5'; do
  "$CASIMIR" $command >alone 2>&1
  expected=$?
  timeout -k 5 600 "$MPIEXEC" -n 3 "$CASIMIR" $command >stdout 2>message
  [ $? -eq $expected ] || fail "$command on three ranks: $(cat message)"
  grep -E '^casimir: ' message >>stdout
  cmp -s alone stdout || fail "$command on three ranks says: $(cat stdout)"
done
