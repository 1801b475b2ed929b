#!/bin/sh
# Every command and option that names an output, from the help texts: what is there is replaced if it is a file that such a
# command makes, and no other file is touched. Two commands with one output at once succeed, and three. Limits of open files and of the
# size of files: it does what it was asked for, or ends with status 3 and says why, and nothing half is left.
# shellcheck disable=SC3045 # every shell that this is for has ulimit -n
# needs: sprng
. "$SOURCE_DIR/tests/checks.sh"
# What a plug-in computes is of no account here, and its objects are compiled once.
export COMPILER="$CC" CC="sh $PWD/compiler" compiler="$SOURCE_DIR/tests/compiler.sh" optimization=-O0 CASIMIR_KERNELS=generic
mkdir objects
cat >compiler <<'END'
case $* in *' -c -o '*) object=${*#* -o } && object=${object%% *} ;; *) exec sh "$compiler" "$@" ;; esac
[ ! -e "objects/${object##*/}" ] || exec cp "objects/${object##*/}" "$object"
sh "$compiler" "$@" && cp "$object" objects
END

configurations <<'END'
run | body | trajectory, step: 2^-5, steps: 4, every: 4, paths: 2
strong | body | strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 3, reference: 5, paths: 64
fluid | {name: euler_zeitlin, N: 9, noise: {amplitude: 1}, initial: {random: {seed: 1, norm: 3}}, latitudes: 18} | trajectory, step: 0.01, steps: 2, observables: [hamiltonian, vorticity]
END
runs run.yaml --output tracks.h5
runs strong.yaml --output strong.h5
"$CASIMIR" build --template system >top.c || fail "no template"

# ---- files that no command but the one that made them may replace ----
mkdir victims
cp strong.h5 victims/results
cp run.yaml victims/configuration
cp top.c victims/source
cp /bin/true victims/program
printf 'casimir_plugin is no name in this text\n' >victims/notes
printf '<!DOCTYPE html>\n<title>a page of mine</title>\n' >victims/page
printf '# a comment\n1 2 3\n' >victims/data
interrupted run.yaml --set study.steps=6400 --set study.every=64 --output begun.h5 --max-walltime 0.3
cp begun.h5.checkpoint victims/checkpoint
rm -f begun.h5*

draws_together
# ---- a line for each option: the command, the option, the file, the rest of the command line ----
film=film.mp4
command -v ffmpeg >/dev/null || film=
cat >options <<END
run --output out.h5 run.yaml --quiet --output out.h5
sweep --output out-1.h5 run.yaml --quiet --set random.seed=1,2 --output out.h5
merge --output out.h5 strong.h5 --quiet --output out.h5
plot --output figure.svg strong.h5 --output figure.svg
plot --output figure.png strong.h5 --output figure.png
plot --data figure.txt strong.h5 --data figure.txt
plot --script figure.gp strong.h5 --script figure.gp
plot --film $film tracks.h5 --film film.mp4
plot --frames frames/frame-00001.png tracks.h5 --frames frames
export --output out.vtkhdf tracks.h5 --output out.vtkhdf
report --html page.html strong.h5 --html page.html
build --output top.so top.c --output top.so
END

for command in run sweep merge plot export report build describe; do
  "$CASIMIR" $command --help | grep -oE -e '--[a-z-]+=(FILE|FIGURE|PAGE|TEXT|FILM|DIRECTORY)' | sed "s/=.*//; s/^/$command /"
done | grep -v -e '^plot --template$' -e '^plot --style$' -e '^plot --label$' >named
[ "$(wc -l <named)" -ge 10 ] || fail "the help texts name only: $(cat named)"
while read -r command option; do
  grep -q "^$command $option " options || fail "$command $option is not tested"
done <named

# try COMMAND FILE ARGUMENT ..: with victims in the place of FILE, each of them in that of several, and then twice with nothing there
try() {
  command=$1 file=$2
  shift 2
  mkdir -p "$(dirname "$file")"
  for victim in victims/*; do
    case $command:$victim in run:*results | sweep:*results | merge:*results) continue ;; esac
    in_turn 3 || continue
    cp "$victim" "$file"
    [ "$command" != sweep ] || cp "$victim" out-2.h5
    unchanged 2 'remove it' "$CASIMIR" "$command" "$@"
    has another
    rm -f "$file" out-2.h5
  done
  ends 0 '' "$CASIMIR" "$command" "$@"
  ends 0 '' "$CASIMIR" "$command" "$@"
  [ -s "$file" ] || fail "casimir $command $* leaves no $file"
  : >"$file" # an empty file is as good as none
  ends 0 '' "$CASIMIR" "$command" "$@"
  # at once, by commands that take no output for a run that goes on
  case $command:$file in
  *:film.mp4) ;; # takes its time, after which another is refused
  plot:* | export:* | report:*)
    "$CASIMIR" "$command" "$@" >log 2>&1 &
    process=$!
    [ "$command" != report ] || "$CASIMIR" "$command" "$@" >log-3 2>&1 &
    third=$!
    ends 0 '' "$CASIMIR" "$command" "$@"
    ended 0 "casimir $command $*, beside another" $process log
    ended 0 "casimir $command $*, beside two others" $third log-3
    ;;
  esac
  rm -rf "$file" out*.h5 frames
  rest=$(find . -name '*.tmp' -o -name '*.lock' -o -name '*.probe')
  [ -z "$rest" ] || fail "casimir $command $* leaves $rest"
}

while read -r command option file rest; do
  case $option:$file in --film:tracks.h5) continue ;; esac
  try "$command" "$file" $rest
done <options

# ---- names that are one and the same, and inputs ----
cp strong.h5 same.h5
ln -s same.h5 link.txt
unchanged 2 'same.h5 is what is reported' "$CASIMIR" report same.h5 --html same.h5
unchanged 2 'same.h5' "$CASIMIR" plot strong.h5 --script same.h5
unchanged 2 'same.h5' "$CASIMIR" plot strong.h5 --data link.txt

# ---- pipes and devices are no outputs and no inputs that are waited for ----
mkfifo pipe.h5 pipe.so pipe.c
for words in 'report pipe.h5' 'plot pipe.h5' 'merge pipe.h5 --output out.h5' 'export pipe.h5' 'build pipe.c' 'describe ./pipe.so' \
  'plot strong.h5 --data pipe.h5' 'run run.yaml --output out.h5 --set system={name:,file:./pipe.so}' 'report /dev/zero' 'describe /dev/zero.so' \
  'run run.yaml --output out.h5 --set system.initial={file:,pipe.h5}' 'run run.yaml --output out.h5 --set random={file:,pipe.h5}'; do
  # shellcheck disable=SC2046 # several words
  timeout 20 "$CASIMIR" $(echo "$words" | sed 's/:,/:\x01/g') </dev/null >log 2>&1
  case $? in 0 | 124) fail "casimir $words: $(cat log)" ;; esac
done

# ---- limits; of commands that draw, of some ----
rm pipe.*
cat >limited <<'END'
run --output out.h5 fluid.yaml --quiet --output out.h5
run --output out.h5 strong.yaml --only-path 1 --output out.h5
report --format out.h5 strong.h5 tracks.h5 --format csv
describe systems out.h5 systems
END
grep -vE -e '--film|--frames|--data|png' options >>limited
inputs=$(cat ./*.h5 ./*.yaml top.c | cksum)
limits='n:8 n:12 n:20 n:31 n:32 f:0 f:2 f:8 f:100'
! thorough || limits="$limits n:10 n:14 n:16 n:24 n:40 f:1 f:4 f:64"
for limit in $limits; do
  limit="-${limit%:*} ${limit#*:}"
  while read -r command option file rest; do
    there=$(ls -A)
    (
      [ "$file" != figure.svg ] || unset CASIMIR_PYTHON # one whose modules come under this limit, too
      ulimit $limit && exec timeout 300 "$CASIMIR" "$command" $rest
    ) </dev/null >message 2>&1
    found=$?
    case $found:$limit:$command in
    0:*) rm -f "$file" out-2.h5 ;;
    3:-n\ 32:* | 3:-n\ 40:*) fail "$limit, $command $rest: so many are enough: $(cat message)" ;;
    3:-n*) has 'open files' ;;
    3:-f\ 0:*) ;; # no place for a message
    3:*) has . ;;
    5:*) has 'python3|drawer' ;; # which draws and has limits of its own
    2:*:build) ;;
    *) fail "$limit, $command $rest: status $found, $(cat message)" ;;
    esac
    [ $found -eq 0 ] || rm -f out*.checkpoint # what was computed is saved
    [ "$there" = "$(ls -A)" ] || fail "$limit, $command $rest: status $found, left $(ls -A | tr '\n' ' ')"
    [ "$inputs" = "$(cat ./*.h5 ./*.yaml top.c | cksum)" ] || fail "$limit, $command $rest: inputs are others"
  done <limited
done

# A stack that is too small for MPI and BLAS is one that casimir may make larger, or it says so.
for limit in '-s 64:4' '-s 192:4' '-S -s 64:0' '-s 256:0'; do
  (ulimit ${limit%:*} && exec "$CASIMIR" run run.yaml --quiet --output stack.h5) >out 2>log
  found=$?
  [ $found -eq "${limit#*:}" ] || fail "ulimit ${limit%:*}: status $found, $(cat log)"
  [ $found -eq 0 ] || grep -q 'the stack is limited to' log || fail "ulimit ${limit%:*}: $(cat log)"
done
