#!/bin/sh
# What is wrong with a configuration is found before anything runs: status 2 or 3 after little work, one message that names the
# place and the remedy, nothing written; on one rank and on three.
# needs: sprng
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

# wrong STATUS PATTERN COMMAND-LINE-ARGUMENT ..: refused by one message, on 1 and 3 ranks; where not every case is tried everywhere,
# on 3 what files have to do with, which ranks open for themselves, and of texts, which one rank reads for all, every fourth
wrong() {
  several=1
  if [ "$1" -ne 2 ] || in_turn 4; then several='1 3'; fi
  right=$1 text=$2
  shift 2
  for on in $several; do
    # shellcheck disable=SC2046,SC3045 # words; every shell that this is for has ulimit -t: seconds of a processor for each rank
    unchanged "$right" "$text" sh -c 'ulimit -t 10 && exec "$@"' sh $([ "$on" -eq 1 ] || echo "$MPIEXEC -n $on") "$CASIMIR" run "$@"
    # the launcher adds lines of its own about the status
    [ "$(grep -c '^casimir' message)" -eq 1 ] || fail "$*: not one message on $on ranks: $(cat message)"
  done
}

# edited PATTERN SED-SCRIPT: good.yaml with that edit is refused by a message about bad.yaml
edited() {
  sed -e "$2" good.yaml >bad.yaml
  wrong 2 "^casimir: bad.yaml:$1" bad.yaml
}

runs good.yaml
runs good.yaml --set study.coarsest_steps=null --set study.horizon=0.0078125
[ -s out.h5 ] || fail "the good configuration leaves no file"
cp out.h5 results.h5

# What a table of options refuses is for test_config: these are rules of studies, systems, generators and files.
each edited <<'END'
11: .*pahts.*paths | 's/paths: 10/pahts: 10/'
2: system.name: found .rigid_bod.; did you mean .rigid_body. | 's/rigid_body/rigid_bod/'
4: system.noise.1: numbers have a decimal point, as in 0.5, no comma | 's/sigma: 0.1/sigma: 0,1/'
7: study.coarsest_step: found '0,25', must be .*; numbers have a decimal point | 's/2^-7/0,25/'
3: system.inertia\[1\] | 's/2, 1,/2, 0,/'
3: system.inertia: found 2 numbers | 's/2, 1,/2,/'
7: study.coarsest_step: .*less than 1 | 's/2^-7/1/'
7: study.coarsest_step:  | 's/2^-7/-1/'
10: study.reference: found 1, must be at least 2 | 's/reference: 3/reference: 1/'
11: study.times: study strong has no key 'times', which belongs to: .*weak_times | 's/  reference: 3/&\n  times: [0.1]/'
8: study.horizon: found 0.1, which is no whole number of steps.*0.09375 .*0.1015625 | 's/coarsest_steps: 1/horizon: 0.1/'
8: study.horizon: found 1e\+300, which is 1.28e\+302 steps of 2\^-7; must be at most 7.8125e\+12 | 's/coarsest_steps: 1/horizon: 1e300/'
8: study.horizon: found 128000000000000 steps .*too many steps of the reference; must be at most 17592186044415$ | 's/coarsest_steps: 1/horizon: 1e12/'
7: study.coarsest_step: found [0-9.]*e-[0-9]*, must be at least 2\^-1019 = 1.8e-307:  | 's/2^-7/5e-324/'
7: study.coarsest_step: found [0-9.]*e-[0-9]*, must be at least 2\^-1019 = 1.8e-307:  | 's/2^-7/2^-1020/'
7: study.coarsest_step: found .*, too small for double precision; must be a number greater than 0 | 's/2^-7/2^-1100/'
7: study.coarsest_step: found .*, too small for double precision; must be a number greater than 0 | 's/2^-7/1e-400/'
5: study: asks for 5.5e.18 steps of all 500000000000000 paths; must be at most 2\^57 | 's/paths: 10/paths: 5e14/;s/coarsest_steps: 1$/coarsest_steps: 1000/;$a\random: {generator: threefry}'
[0-9]*: study | 's/coarsest_steps: 1/horizon: 0.1015625\n  coarsest_steps: 13/'
6: study.kind: found .strnog.; did you mean .strong. | 's/kind: strong/kind: strnog/'
14: .*given twice | '$a\  file: other.h5'
14: levels: unknown key | '$a\levels: 3'
[0-9]*: random.generator: .*sprng_mlfg | '$a\random: {generator: sprng_mlgf}'
[0-9]*: random | '$a\random: {generator: replay}'
[0-9]*: random.seed | '$a\random: {seed: 2147483648}'
[0-9]*: study.paths: .*sprng_lcg | 's/paths: 10/paths: 100000000/;$a\random: {generator: sprng_lcg}'
[0-9]*: integrator.tolerance | '$a\integrator: {tolerance: 0}'
4: system.initial: found 2 numbers | 's/  noise: .*/  initial: [1, 0]/'
4: system.initial | 's/  noise: .*/  initial: [1, 0, .nan]/'
4: system.initial: the state is too large | 's/  noise: .*/  initial: [1e300, 0, 0]/'
4: system.initial.file:  | 's/  noise: .*/  initial: {file: none.h5}/'
[0-9] | '2,$d;1s/.*/system: {name: rigid_body/'
END

# of other studies
for kind in weak_multilevel mlmc; do
  sed -e "s/strong/$kind/;s/^  reference.*/  functionals: [sin2pi]/;s/coarsest_steps: 1/horizon: 1e300/" good.yaml >bad.yaml
  [ $kind = weak_multilevel ] || sed -i -e '/levels:/d;s/paths: 10/epsilon: 0.1/' bad.yaml
  wrong 2 'bad.yaml:[0-9]*: study.horizon: found 1e.300, which is' bad.yaml
done
sed -e 's/strong/trajectory/;s/coarsest_step: 2^-7/step: 5e-324/;s/coarsest_steps: 1/steps: 1/;/levels:/d;/reference:/d' good.yaml >bad.yaml
{ cat good.yaml; echo 'integrator: {tolerance: 1e-12}'; } >implicit.yaml
configurations 'output: {file: out.h5}' <<'END'
good-ensemble | {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}} | ensemble, step: 0.01, steps: 100, times: [0, 0.5, 1], paths: 100, members: 3
path | {name: rigid_body, inertia: [2, 1, 0.5]} | trajectory, step: 2^-7, steps: 1000, every: 10
END
mkdir directory
each 'wrong 2' <<'END'
^casimir: results.h5:1: not text: .*; results are for casimir report | results.h5
^casimir run: the configuration is missing$
bad.yaml:7: study.step: found 4.9407e-324, must be at least 2\^-1022 = 2.2e-308 | bad.yaml
bad.yaml:[0-9]*: study: asks for 1000 steps of 1e.306, and their end is no number | bad.yaml --set integrator.truncation=0 --set study.step=1e306 --set study.steps=1000
missing.yaml | missing.yaml
study.paths | good.yaml --set study.paths=-1
--set | good.yaml --set nonsense
both coarsest_steps and horizon | good.yaml --set study.horizon=0.0078125
study: 'paths' is missing | good.yaml --set study.paths=null
only-path.*10 | good.yaml --only-path 10
output: found '--', must be the name of a file | good.yaml --output --
output: found '--dry-run', must be the name of a file | good.yaml --output --dry-run
system.initial.file: 'none.h5' cannot be opened: No such file or directory; looked for in /.*$ | good.yaml --set 'system.initial={file: none.h5}'
random.file: '/no/normals.h5' cannot be opened: No such file or directory$ | good.yaml --set 'random={generator: replay, file: /no/normals.h5}'
implicit.yaml:14: integrator.tolerance: heun is an explicit scheme.*--set integrator.tolerance=null takes it away | implicit.yaml --set integrator.name=heun
only-path.*100 | good-ensemble.yaml --only-path 100
study.every: found 1, which makes 1000000000000001 records of 1000000000000 paths | path.yaml --set study.steps=1000000000000000 --set study.every=1 --set study.paths=1000000000000
END
# files, and trajectories too large for any disk, also by a dry run
each 'wrong 3' <<'END'
the directory 'nowhere': No such file or directory | good.yaml --output nowhere/out.h5
'good.yaml' is not a directory | good.yaml --output good.yaml/out.h5
directory: is a directory | good.yaml --output directory
random: good.yaml: is not an HDF5 file | good.yaml --set 'random={generator: replay, file: good.yaml}'
nowhere | good-ensemble.yaml --output nowhere/out.h5
out.h5: needs [0-9]+ bytes .* free; record less often | path.yaml --output big-out.h5 --set study.steps=100000000000000
out.h5: needs [0-9]+ bytes .* free; record less often | path.yaml --output big-out.h5 --dry-run --set study.steps=100000000000000
END
each refused 3 <<'END'
The name of the output file is empty | good.yaml --set "output={file: ''}"
Not a directory | good.yaml --output good.yaml/more/out.h5
directory/: is a directory | good.yaml --output directory/
no regular file | good.yaml --output /dev/null
cannot be written | good.yaml --output /proc/out.h5
File name too long | good.yaml --output "$(printf %0400d 0)"
END
refused 0 'ns a path' good.yaml --dry-run # a file that is there, and results.h5, stay
CASIMIR_KERNELS=sse9 wrong 2 'CASIMIR_KERNELS: found .sse9.' good.yaml
CASIMIR_KERNELS=generic runs good.yaml
runs implicit.yaml --set integrator.name=heun --set integrator.tolerance=null
expect 0 'paths_counted *1 ' good.yaml --long --set study.kind=strong_quantiles --set study.paths=1

# an ensemble: described, reported
rm out.h5
expect 0 'times *3, from 0 to 1' good-ensemble.yaml --dry-run
has 'statistics of 2 numbers at each, 256 bins: .* MB a rank' 'members *3'
expect 0 'without bins: .* MB a rank' good-ensemble.yaml --dry-run --set study.bins=0
[ ! -e out.h5 ] || fail "--dry-run of an ensemble wrote a file"
expect 0 '^  paths_counted *100 ' good-ensemble.yaml --long
has '^  members *3 ' '^time  *[0-9.e-]* s; paths' '^computed on 1 rank, started'
cp message first
ends 0 '' "$CASIMIR" report --long out.h5
cmp first message || fail "report of an ensemble differs from run"
expect 0 '^  paths_counted *1 ' good-ensemble.yaml --long --set study.paths=1 --set study.members=1
expect 1 '^No statistics: all 100 paths failed and are left out' good-ensemble.yaml --set integrator.max_iterations=1 --set integrator.tolerance=1e-15 --long
has '^  FAILED PATHS: 100 of 100 \(100%\), left out of every statistic; first: path 0, h = '
! grep -qE 'can have changed|paths_counted' message || fail "report without paths: $(cat message)"
expect 0 '^path 17 .* at time 1$' good-ensemble.yaml --only-path 17
ends 0 quantiles "$CASIMIR" describe ensemble
# a key has no page of its own; the message names pages that have it
ends 2 "'sigma' is a key .* of rigid_body, .*: casimir describe rigid_body" "$CASIMIR" describe sigma
# a component that is a functional, too, is listed once
expect 2 'did you mean .x1.' good.yaml --dry-run --set study.kind=weak --set 'study.functionals=[y1]'
[ "$(grep -o 'x1' message | wc -l)" -le 2 ] || fail "$(cat message)"
# dry runs tell the size of trajectories
expect 0 'records    101 of 5 numbers a path' path.yaml --dry-run
has 'file       about [0-9]+ bytes'

# the command line
each 'unchanged 2' <<'END'
casimir | "$CASIMIR"
did you mean 'run' | "$CASIMIR" rnu good.yaml
configuration is missing | "$CASIMIR" run
nonsense | "$CASIMIR" run good.yaml --nonsense
--output is given twice | "$CASIMIR" run good.yaml --output a.h5 --output a.h5
--max-walltime is given twice | "$CASIMIR" run good.yaml --max-walltime 1h --max-walltime 1h
--only-path is given twice | "$CASIMIR" run good.yaml --only-path 1 --only-path 1
a page of one results file, without --format | "$CASIMIR" report a.h5 b.h5 --html a.html
prints text, or with --format csv rows, and nothing else | "$CASIMIR" report a.h5 --differences --format json
no --output, no --template | "$CASIMIR" plot a.h5 --data - --output a.svg
a file in C, or --template, must be named | "$CASIMIR" build
nothing is called 'rigid_bdy'; did you mean 'rigid_body' | "$CASIMIR" describe rigid_bdy
END
for command in run describe plot report; do
  ends 0 "Usage: casimir $command" "$CASIMIR" $command --help
done
ends 0 '^SPRNG' "$CASIMIR" --version
cp message version
ends 0 '' "$CASIMIR" version
cmp message version || fail "version and --version"
ends 0 'Exit status' "$CASIMIR" --help
[ "$(sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' message | tr '\n' ' ')" = '0 1 2 3 4 5 6 75 ' ] || fail "order of exit statuses"
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
for words in 'help run' 'run -h'; do
  COLUMNS=64 "$CASIMIR" $words >help && grep -q '^Usage: casimir run ' help || fail "$words: $(cat help)"
  [ "$(awk '{ print length($0) }' help | sort -n | tail -n 1)" -lt 64 ] || fail "$words is wider than 64 columns"
done
"$CASIMIR" describe integrators >integrators && "$CASIMIR" describe schemes | cmp - integrators || fail "describe schemes"
"$CASIMIR" describe heun | tr -s '\n ' ' ' | grep -q 'casimir_tolerance real > 0, optional .*1e-10 where the scheme keeps them, .inf where' ||
  fail "describe heun: $("$CASIMIR" describe heun)"

# What is recorded counts: a record of 32769 numbers that waits to be written, and a map for each of 16 lanes; and so do the
# observables, beside which the steps of so small a fluid take no time, and the opening of streams, here of 16 000 that take a
# millisecond and more, beside 8 steps.
rm -f out.h5
echo 'maps | {name: euler_zeitlin, N: 8, latitudes: 128, noise: {amplitude: 0.1}, initial: {random: {seed: 5, norm: 3}}} | trajectory, step: 2^-8, steps: 4, every: 2, observables: [vorticity, hamiltonian], state: false' | configurations 'output: {file: maps.h5}'
each 'refused 0' <<'END'
ns a path and finest step | good.yaml --dry-run
batch job  sbatch --ntasks=1 --time=00:10:00 jobs/study.sbatch | good.yaml --dry-run
--ntasks=[0-9]{2,} --time=00:[1-5]0:00 | good.yaml --dry-run --set study.paths=1000000000000 --set random.generator=threefry
memory  *[0-9.]* MB on the first rank: .* 4\.[0-9] MB for what is recorded | maps.yaml --dry-run
time .* of it for observables | maps.yaml --dry-run
and [0-9.]* kB for tables of the system | maps.yaml --dry-run --set 'study.observables=[x1]' --set 'system={name: lie_poisson, algebra: so3, hamiltonian: x1^2, initial: [1, 0, 0]}'
time .* of it to open streams of sprng_cmrg | good.yaml --dry-run --set random.generator=sprng_cmrg --set study.paths=1000000
END
# what steers a terminal is shown in complaints, whatever argument it comes in
escape=$(printf '\033')
steering="a${escape}[31m$(printf '\007')b"
for command in run sweep merge plot export report build describe "$steering"; do
  in_turn 1 # every word with three commands
  for words in "$steering" "--$steering" "-$steering" "good.yaml --output=$steering/x" "good.yaml --set=$steering=1" "good.yaml --set=study.paths=$steering" \
    "good.yaml $steering" "good.yaml --format=$steering" "good.yaml --max-walltime=$steering" "good.yaml --only-path=$steering" "good.yaml --point=$steering" \
    "good.yaml --picture=$steering" "good.yaml --at=$steering" "good.yaml --view=$steering" "--template=$steering" "$steering.h5" "$steering.so" "$steering.c"; do
    in_turn 3 || continue
    "$CASIMIR" "$command" $words >said 2>&1 && fail "accepted: casimir $command $words"
    [ -s said ] && ! grep -q "$escape" said || fail "casimir $command steers the terminal: $(cat -v said)"
  done
done
