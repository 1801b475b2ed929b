#!/bin/sh
# What is wrong with a configuration is found before anything runs: status 2 or 3 after little work, one message that names the
# place and the remedy, nothing written; on one rank and on three.
# needs: sprng
set -u
. "$SOURCE_DIR/tests/checks.sh"

cat >good.yaml <<'END'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: strong
  coarsest_step: 2^-7
  coarsest_steps: 1
  levels: 2
  reference: 3
  paths: 10
output:
  file: out.h5
END

# expect STATUS PATTERN COMMAND-LINE-ARGUMENT ..: on 1 and 3 ranks; where not every case is tried everywhere, on 3 what files have
# to do with, which ranks open for themselves, and of texts, which one rank reads for all, every fourth
expectations=0
expect() {
  status=$1 pattern=$2 several=1
  shift 2
  expectations=$((expectations + 1))
  if thorough || [ "$status" -ne 2 ] || [ $((expectations % 4)) -eq 0 ]; then several='1 3'; fi
  for ranks in $several; do
    if [ $ranks -eq 1 ]; then launcher=; else launcher="$MPIEXEC -n $ranks"; fi
    rm -rf out.h5*
    # shellcheck disable=SC2086,SC3045 # words; every shell that this is for has ulimit -t
    (ulimit -t 10 && $launcher "$CASIMIR" run "$@" >stdout 2>stderr) # seconds of a processor for each rank
    found=$?
    # the launcher adds lines of its own about the status
    grep '^casimir' stderr >message
    [ $found -eq "$status" ] || fail "$*: status $found on $ranks ranks, must be $status"
    [ "$(wc -l <message)" -eq 1 ] || fail "$*: $(wc -l <message) messages on $ranks ranks: $(cat stderr)"
    grep -qE -e "$pattern" message || fail "$*: found '$(cat message)', must match '$pattern'"
    [ -z "$(ls out.h5* 2>/dev/null)" ] || fail "$*: left $(ls out.h5*)"
  done
}

# edited PATTERN SED-SCRIPT: good.yaml with that edit is refused by a message about bad.yaml
edited() {
  sed -e "$2" good.yaml >bad.yaml
  expect 2 "^casimir: bad.yaml:$1" bad.yaml
}

"$CASIMIR" run good.yaml --quiet || fail "the good configuration does not run"
"$CASIMIR" run good.yaml --quiet --set study.coarsest_steps=null --set study.horizon=0.0078125 ||
  fail "a horizon does not take the place of coarsest_steps"
[ -s out.h5 ] || fail "the good configuration leaves no file"

cp out.h5 results.h5
expect 2 '^casimir: results.h5:1: not text: .*; results are for casimir report' results.h5
edited '11: .*pahts.*paths' 's/paths: 10/pahts: 10/'
edited '2: system.name: found .rigid_bod.; did you mean .rigid_body.' 's/rigid_body/rigid_bod/'
edited '11: study.paths: found .ten., must be' 's/paths: 10/paths: ten/'
edited '11: study.paths: found 0, must be between 1 and' 's/paths: 10/paths: 0/'
edited '11: study.paths: ' 's/paths: 10/paths: 9223372036854775808/'
edited '4: system.noise.sigma: found -0.1, must be at least 0' 's/sigma: 0.1/sigma: -0.1/'
edited '4: system.noise.sigma: ' 's/sigma: 0.1/sigma: .nan/'
edited '4: system.noise: .sigma. is missing' 's/, sigma: 0.1//'
edited '4: system.noise.1: numbers have a decimal point, as in 0.5, no comma' 's/sigma: 0.1/sigma: 0,1/'
edited "11: study.paths: found '1,5', must be .*; numbers have a decimal point" 's/paths: 10/paths: 1,5/'
edited "7: study.coarsest_step: found '0,25', must be .*; numbers have a decimal point" 's/2^-7/0,25/'
edited "3: system.inertia: found '0,5', must be .*; numbers have a decimal point" 's/\[2, 1, 0.6*\]/0,5/'
edited '3: system.inertia\[1\]' 's/2, 1,/2, 0,/'
edited '3: system.inertia: found 2 numbers' 's/2, 1,/2,/'
edited '7: study.coarsest_step: .*less than 1' 's/2^-7/1/'
edited '7: study.coarsest_step: ' 's/2^-7/-1/'
edited '10: study.reference: found 1, must be at least 2' 's/reference: 3/reference: 1/'
edited "11: study.times: study strong has no key 'times', which belongs to: .*weak_times" 's/  reference: 3/&\n  times: [0.1]/'
edited '8: study.horizon: found 0.1, which is no whole number of steps.*0.09375 .*0.1015625' 's/coarsest_steps: 1/horizon: 0.1/'
edited '8: study.horizon: found 1e\+300, which is 1.28e\+302 steps of 2\^-7; must be at most 7.8125e\+12' 's/coarsest_steps: 1/horizon: 1e300/'
edited '8: study.horizon: found 128000000000000 steps .*too many steps of the reference; must be at most 17592186044415$' \
  's/coarsest_steps: 1/horizon: 1e12/'
for step in 5e-324 2^-1074 1e-310 2^-1020; do
  edited '7: study.coarsest_step: found [0-9.]*e-[0-9]*, must be at least 2\^-1019 = 1.8e-307: ' "s/2^-7/$step/"
done
for step in 2^-1100 1e-400; do
  edited '7: study.coarsest_step: found .*, too small for double precision; must be a number greater than 0' "s/2^-7/$step/"
done
edited '7: study.coarsest_step: found .1/0., must be a number greater than 0' 's/2^-7/1\/0/'
edited '5: study: asks for 5.5e.18 steps of all 500000000000000 paths; must be at most 2\^57' 's/paths: 10/paths: 5e14/;s/coarsest_steps: 1$/coarsest_steps: 1000/;$a\random: {generator: threefry}'
edited '[0-9]*: study' 's/coarsest_steps: 1/horizon: 0.1015625\n  coarsest_steps: 13/'
edited '6: study.kind: found .strnog.; did you mean .strong.' 's/kind: strong/kind: strnog/'
edited '14: .*given twice' '$a\  file: other.h5'
edited '14: levels: unknown key' '$a\levels: 3'
edited '14: ' '$a\  colour: red'
edited '[0-9]*: random.generator: .*sprng_mlfg' '$a\random: {generator: sprng_mlgf}'
edited '[0-9]*: random' '$a\random: {generator: replay}'
edited '[0-9]*: random.seed' '$a\random: {seed: 2147483648}'
edited '[0-9]*: study.paths: .*sprng_lcg' 's/paths: 10/paths: 100000000/;$a\random: {generator: sprng_lcg}'
edited '[0-9]*: integrator.tolerance' '$a\integrator: {tolerance: 0}'
edited '4: system.initial: found 2 numbers' 's/  noise: .*/  initial: [1, 0]/'
edited '4: system.initial' 's/  noise: .*/  initial: [1, 0, .nan]/'
edited '4: system.initial: the state is too large' 's/  noise: .*/  initial: [1e300, 0, 0]/'

# of other studies
for kind in weak_multilevel mlmc; do
  sed -e "s/strong/$kind/;s/^  reference.*/  functionals: [sin2pi]/;s/coarsest_steps: 1/horizon: 1e300/" good.yaml >bad.yaml
  [ $kind = weak_multilevel ] || sed -i -e '/levels:/d;s/paths: 10/epsilon: 0.1/' bad.yaml
  expect 2 'bad.yaml:[0-9]*: study.horizon: found 1e.300, which is' bad.yaml
done
sed -e 's/strong/trajectory/;s/coarsest_step: 2^-7/step: 5e-324/;s/coarsest_steps: 1/steps: 1/;/levels:/d;/reference:/d' good.yaml >bad.yaml
expect 2 '^casimir run: the configuration is missing$'
expect 2 'bad.yaml:7: study.step: found 4.9407e-324, must be at least 2\^-1022 = 2.2e-308' bad.yaml
expect 2 'bad.yaml:[0-9]*: study: asks for 1000 steps of 1e.306, and their end is no number' bad.yaml --set integrator.truncation=0 \
  --set study.step=1e306 --set study.steps=1000

expect 2 'missing.yaml' missing.yaml
expect 2 'study.paths' good.yaml --set study.paths=-1
expect 2 '--set' good.yaml --set nonsense
expect 2 'both coarsest_steps and horizon' good.yaml --set study.horizon=0.0078125
expect 2 "study: 'paths' is missing" good.yaml --set study.paths=null
expect 2 "no 'pahts' to take away; did you mean 'paths'" good.yaml --set study.pahts=null
expect 2 'only-path.*10' good.yaml --only-path 10
expect 3 'nowhere' good.yaml --output nowhere/out.h5
expect 2 "output: found '--', must be the name of a file" good.yaml --output --
expect 2 "output: found '--dry-run', must be the name of a file" good.yaml --output --dry-run
expect 3 'good.yaml/out.h5' good.yaml --output good.yaml/out.h5
mkdir directory
expect 3 'directory' good.yaml --output directory
expect 2 "system.initial.file: 'none.h5' cannot be opened: No such file or directory; looked for in $PWD\$" \
  good.yaml --set 'system.initial={file: none.h5}'
expect 2 "random.file: '/no/normals.h5' cannot be opened: No such file or directory\$" \
  good.yaml --set 'random={generator: replay, file: /no/normals.h5}'
expect 3 'random: good.yaml: is not an HDF5 file' good.yaml --set 'random={generator: replay, file: good.yaml}'
sed -e 's/  noise: .*/  initial: {file: none.h5}/' good.yaml >bad.yaml
expect 2 '^casimir: bad.yaml:4: system.initial.file: ' bad.yaml
printf 'system: {name: rigid_body\n' >bad.yaml
expect 2 'bad.yaml:[0-9]' bad.yaml

CASIMIR_KERNELS=sse9 expect 2 'CASIMIR_KERNELS: found .sse9.' good.yaml
CASIMIR_KERNELS=generic "$CASIMIR" run good.yaml --quiet || fail "CASIMIR_KERNELS=generic"

# a scheme that another one's keys are left for
{ cat good.yaml; echo 'integrator: {tolerance: 1e-12}'; } >implicit.yaml
expect 2 'implicit.yaml:14: integrator.tolerance: heun is an explicit scheme.*--set integrator.tolerance=null takes it away' \
  implicit.yaml --set integrator.name=heun
"$CASIMIR" run implicit.yaml --quiet --set integrator.name=heun --set integrator.tolerance=null || fail "heun without the tolerance"
"$CASIMIR" run good.yaml --long --set study.kind=strong_quantiles --set study.paths=1 | grep -q "paths_counted *1 " ||
  fail "quantiles of one path"

# an ensemble: refused in the same way, described, reported
cat >good-ensemble.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}
study:
  kind: ensemble
  step: 0.01
  steps: 100
  times: [0, 0.5, 1]
  paths: 100
  members: 3
output: {file: out.h5}
END
expect 2 'good-ensemble.yaml:2: study: found both times and every' good-ensemble.yaml --set study.every=10
expect 2 'study.times: found 0.123, which is no whole number of steps.*0.12 .*0.13 ' good-ensemble.yaml --set study.times=[0.123]
expect 2 'study.members: found 101, must be at most the number of paths, 100' good-ensemble.yaml --set study.members=101
expect 2 'only-path.*100' good-ensemble.yaml --only-path 100
expect 3 'nowhere' good-ensemble.yaml --output nowhere/out.h5
"$CASIMIR" run good-ensemble.yaml --dry-run >dry || fail "--dry-run of an ensemble"
for line in 'times *3, from 0 to 1' 'statistics of 2 numbers at each, 256 bins: .* MB a rank' 'members *3'; do
  grep -q "$line" dry || fail "--dry-run of an ensemble: $(cat dry)"
done
"$CASIMIR" run good-ensemble.yaml --dry-run --set study.bins=0 | grep -q 'without bins: .* MB a rank' || fail "--dry-run without bins"
[ ! -e out.h5 ] || fail "--dry-run of an ensemble wrote a file"
"$CASIMIR" run good-ensemble.yaml --long >first && "$CASIMIR" report --long out.h5 >again && cmp first again || fail "report of an ensemble differs from run"
grep -q '^  paths_counted *100 ' first && grep -q '^  members *3 ' first || fail "report of an ensemble: $(cat first)"
grep -q '^time  *[0-9.e-]* s; paths' first && grep -q '^computed on 1 rank, started' first || fail "times of an ensemble: $(cat first)"
"$CASIMIR" run good-ensemble.yaml --long --set study.paths=1 --set study.members=1 >first || fail "one path"
grep -q '^  paths_counted *1 ' first || fail "report of a path: $(cat first)"
"$CASIMIR" run good-ensemble.yaml --set integrator.max_iterations=1 --set integrator.tolerance=1e-15 --long >first 2>/dev/null
grep -q '^No statistics: all 100 paths failed and are left out' first || fail "report without paths: $(cat first)"
! grep -q 'can have changed' first || fail "report without paths: $(cat first)"
"$CASIMIR" run good-ensemble.yaml --only-path 17 | grep -q '^path 17 .* at time 1$' || fail "--only-path of an ensemble"
"$CASIMIR" describe ensemble | grep -q 'quantiles' || fail "describe ensemble"
# a key has no page of its own; the message names pages that have it
"$CASIMIR" describe sigma >described 2>&1
[ $? -eq 2 ] && grep -q "'sigma' is a key .* of rigid_body, .*: casimir describe rigid_body" described || fail "$(cat described)"
# a component that is a functional, too, is listed once
"$CASIMIR" run good.yaml --dry-run --set study.kind=weak --set 'study.functionals=[y1]' >listed 2>&1
[ "$(grep -o 'x1' listed | wc -l)" -le 2 ] || fail "$(cat listed)"

# trajectories too large for any disk are refused before anything runs, and dry runs tell their size
cat >path.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5]}
study: {kind: trajectory, step: 2^-7, steps: 1000, every: 10}
output: {file: out.h5}
END
"$CASIMIR" run path.yaml --dry-run >dry || fail "--dry-run of a trajectory"
grep -q 'records    101 of 5 numbers a path' dry || fail "--dry-run says nothing of records: $(cat dry)"
grep -qE 'file       about [0-9]+ bytes' dry || fail "--dry-run says nothing of the file: $(cat dry)"
expect 3 'out.h5: needs [0-9]+ bytes .* free; record less often' path.yaml --set study.steps=100000000000000
expect 3 'out.h5: needs [0-9]+ bytes .* free; record less often' path.yaml --dry-run --set study.steps=100000000000000
expect 2 'study.every: found 1, which makes 1000000000000001 records of 1000000000000 paths' path.yaml \
  --set study.steps=1000000000000000 --set study.every=1 --set study.paths=1000000000000

# the command line
"$CASIMIR" >/dev/null 2>&1 && fail "no command: status 0"
"$CASIMIR" rnu good.yaml 2>message
[ $? -eq 2 ] && grep -q "did you mean 'run'" message || fail "rnu: $(cat message)"
"$CASIMIR" run 2>message
[ $? -eq 2 ] && grep -q 'configuration is missing' message || fail "run without a file: $(cat message)"
"$CASIMIR" run good.yaml --nonsense 2>message
[ $? -eq 2 ] || fail "unknown option: status is not 2"
for twice in 'output a.h5' 'max-walltime 1h' 'only-path 1'; do
  # shellcheck disable=SC2086 # an option and its value
  "$CASIMIR" run good.yaml --$twice --$twice 2>message
  [ $? -eq 2 ] || fail "--$twice twice: status is not 2"
  grep -q -e "--${twice% *} is given twice" message || fail "--$twice twice: $(cat message)"
done
for command in run describe plot report; do
  "$CASIMIR" $command --help >help || fail "$command --help fails"
  grep -q "Usage: casimir $command" help || fail "$command --help: $(head -n 1 help)"
done
"$CASIMIR" --help | grep -q 'Exit status' || fail "--help"
"$CASIMIR" --version | grep -q '^SPRNG' || fail "--version"
[ "$("$CASIMIR" --help | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' | tr '\n' ' ')" = '0 1 2 3 4 5 6 75 ' ] || fail "order of exit statuses"
# an index of every name, and what is said of each; nothing is wider than a screen but the headings that scripts read
"$CASIMIR" describe >index || fail "describe"
[ "$(wc -l <index)" -lt 80 ] || fail "describe: an index of $(wc -l <index) lines"
"$CASIMIR" describe all >all || fail "describe all"
names=$(sed -n 's/^\([a-z_0-9]*\): .*/\1/p' all)
[ "$(echo "$names" | wc -l)" -gt 30 ] || fail "describe all: $names"
for name in $names; do
  grep -q "^  $name " index || fail "describe: no $name"
  [ "$("$CASIMIR" describe $name | sed -n 's/^\([a-z_0-9]*\): .*/\1/p;1q')" = "$name" ] || fail "describe $name"
done
grep '^ ' all | awk 'length > 100' >wide
[ ! -s wide ] || fail "describe all: $(cat wide)"
"$CASIMIR" describe rigid_bdy 2>message && fail "describe of an unknown name: status 0"
grep -q "nothing is called 'rigid_bdy'; did you mean 'rigid_body'" message || fail "describe: $(cat message)"
for words in 'help run' 'run -h'; do
  # shellcheck disable=SC2086 # a command and its argument
  COLUMNS=64 "$CASIMIR" $words >help && grep -q '^Usage: casimir run ' help || fail "$words: $(cat help)"
  [ "$(awk '{ print length($0) }' help | sort -n | tail -n 1)" -lt 64 ] || fail "$words is wider than 64 columns"
done
[ "$("$CASIMIR" version)" = "$("$CASIMIR" --version)" ] || fail "version"
"$CASIMIR" describe integrators >integrators && "$CASIMIR" describe schemes | cmp - integrators || fail "describe schemes"
"$CASIMIR" describe heun | tr -s '\n ' ' ' | grep -q 'casimir_tolerance real > 0, optional .*1e-10 where the scheme keeps them, .inf where' ||
  fail "describe heun: $("$CASIMIR" describe heun)"
"$CASIMIR" run good.yaml --dry-run >dry || fail "--dry-run"
grep -q 'ns a path and finest step' dry || fail "--dry-run: $(cat dry)"
grep -q 'batch job  sbatch --ntasks=1 --time=00:10:00 jobs/study.sbatch' dry || fail "--dry-run proposes no job: $(cat dry)"
"$CASIMIR" run good.yaml --dry-run --set study.paths=1000000000000 --set random.generator=threefry | grep -qE -e '--ntasks=[0-9]{2,} --time=00:[1-5]0:00' ||
  fail "--dry-run of 10^12 paths"
# what is recorded counts: a record of 32769 numbers that waits to be written, and a map for each of 16 lanes; and so do
# the observables, beside which the steps of so small a fluid take no time
cat >maps.yaml <<'END'
system: {name: euler_zeitlin, N: 8, latitudes: 128, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}}
study: {kind: trajectory, step: 2^-8, steps: 4, every: 2, observables: [vorticity, hamiltonian], state: false}
output: {file: maps.h5}
END
"$CASIMIR" run maps.yaml --dry-run >dry || fail "--dry-run of maps"
grep -q 'memory  *[0-9.]* MB on the first rank: .* 4\.[0-9] MB for what is recorded' dry || fail "--dry-run of maps: $(cat dry)"
grep -q 'time .* of it for observables' dry || fail "--dry-run of maps: $(cat dry)"
# so does the opening of streams, here of 16 000 that take a millisecond and more, beside 8 steps
"$CASIMIR" run good.yaml --dry-run --set random.generator=sprng_cmrg --set study.paths=1000000 >dry || fail "--dry-run of streams"
grep -q 'time .* of it to open streams of sprng_cmrg' dry || fail "--dry-run of streams: $(cat dry)"
# what steers a terminal is shown in complaints, whatever argument it comes in
escape=$(printf '\033')
steering="a${escape}[31m$(printf '\007')b" turn=0
for command in run sweep merge plot export report build describe "$steering"; do
  turn=$((turn + 1)) # every word with three commands
  for words in "$steering" "--$steering" "-$steering" "good.yaml --output=$steering/x" "good.yaml --set=$steering=1" "good.yaml --set=study.paths=$steering" \
    "good.yaml $steering" "good.yaml --format=$steering" "good.yaml --max-walltime=$steering" "good.yaml --only-path=$steering" "good.yaml --point=$steering" \
    "good.yaml --picture=$steering" "good.yaml --at=$steering" "good.yaml --view=$steering" "--template=$steering" "$steering.h5" "$steering.so" "$steering.c"; do
    turn=$((turn + 1))
    thorough || [ $((turn % 3)) -eq 0 ] || continue
    # shellcheck disable=SC2086 # several words
    "$CASIMIR" "$command" $words >said 2>&1 && fail "accepted: casimir $command $words"
    [ -s said ] && ! grep -q "$escape" said || fail "casimir $command steers the terminal: $(cat -v said)"
  done
done
rm -f out.h5
"$CASIMIR" run good.yaml --dry-run >/dev/null && [ ! -e out.h5 ] || fail "--dry-run wrote a file"
"$CASIMIR" run good.yaml --long >first && "$CASIMIR" report --long out.h5 >again && cmp first again || fail "report differs from run"

[ $failures -eq 0 ]
