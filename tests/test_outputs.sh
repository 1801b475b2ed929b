#!/bin/sh
# Every command and option that names an output, from the help texts: what is there is replaced if it is a file that such a
# command makes, and no other file is touched. Two commands with one output at once both succeed.
# needs: sprng
set -u
# shellcheck source=tests/checks.sh
. "$SOURCE_DIR/tests/checks.sh"
# What a plug-in computes is of no account here.
export COMPILER="$CC" CC="sh $SOURCE_DIR/tests/compiler.sh" optimization=-O0 CASIMIR_KERNELS=generic

cat >run.yaml <<'END'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}}
study: {kind: trajectory, step: 2^-5, steps: 8, every: 4, paths: 2}
END
sed 's/^study: .*/study: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 3, reference: 5, paths: 64}/' run.yaml >strong.yaml
"$CASIMIR" run run.yaml --quiet --output tracks.h5 || fail "no trajectory"
"$CASIMIR" run strong.yaml --quiet --output strong.h5 || fail "no convergence"
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
LD_PRELOAD=$FAULTS FAULT_CLOCK=0.01 "$CASIMIR" run run.yaml --quiet --set study.steps=6400 --set study.every=64 \
  --output begun.h5 --max-walltime 0.3 2>log
cp begun.h5.checkpoint victims/checkpoint || fail "no checkpoint: $(cat log)"
rm -f begun.h5*

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

snapshot() { find . -type f ! -path ./log ! -path ./before ! -path ./after -exec cksum {} + | sort; }

# try COMMAND FILE ARGUMENT ..: with each victim in the place of FILE, and then twice with nothing there
try() {
  command=$1 file=$2
  shift 2
  mkdir -p "$(dirname "$file")"
  for victim in victims/*; do
    case $command:$victim in run:*results | sweep:*results | merge:*results) continue ;; esac
    cp "$victim" "$file"
    [ "$command" != sweep ] || cp "$victim" out-2.h5
    snapshot >before
    "$CASIMIR" "$command" "$@" >log 2>&1 && fail "casimir $command $* replaces $victim"
    snapshot >after
    cmp -s before after || fail "casimir $command $*, with $victim there: $(diff before after)"
    { grep -q 'remove it' log && grep -q 'another' log; } || fail "casimir $command $*: $(cat log)"
    rm -f "$file" out-2.h5
  done
  for time in first second; do
    "$CASIMIR" "$command" "$@" >log 2>&1 || fail "casimir $command $*, the $time time: $(cat log)"
  done
  [ -s "$file" ] || fail "casimir $command $* leaves no $file"
  : >"$file" # an empty file is as good as none
  "$CASIMIR" "$command" "$@" >log 2>&1 || fail "casimir $command $*, over an empty file: $(cat log)"
  # at once, by commands that take no output for a run that goes on
  case $command:$file in
  *:film.mp4) ;; # takes its time, after which another is refused
  plot:* | export:* | report:*)
    for i in 1 2 3; do
      { "$CASIMIR" "$command" "$@" >log-$i 2>&1; echo $? >status-$i; } &
    done
    wait
    [ "$(cat status-1 status-2 status-3 | tr -d '\n')" = 000 ] || fail "casimir $command $*, three at once: $(cat log-1 log-2 log-3)"
    ;;
  esac
  rm -rf "$file" out*.h5 frames
  rest=$(find . -name '*.tmp' -o -name '*.lock' -o -name '*.probe')
  [ -z "$rest" ] || fail "casimir $command $* leaves $rest"
}

while read -r command option file rest; do
  case $option:$file in --film:tracks.h5) continue ;; esac
  # shellcheck disable=SC2086 # several words
  try "$command" "$file" $rest
done <options

# ---- names that are one and the same, and inputs ----
cp strong.h5 same.h5
"$CASIMIR" report same.h5 --html same.h5 >log 2>&1 && fail "a page replaces its results"
"$CASIMIR" plot strong.h5 --script same.h5 >log 2>&1 && fail "a script replaces results"
ln -s same.h5 link.txt
"$CASIMIR" plot strong.h5 --data link.txt >log 2>&1 && fail "data replace results behind a link"
cmp -s strong.h5 same.h5 || fail "results were changed"

# ---- pipes and devices are no outputs and no inputs that are waited for ----
mkfifo pipe.h5 pipe.so pipe.c
for words in 'report pipe.h5' 'plot pipe.h5' 'merge pipe.h5 --output out.h5' 'export pipe.h5' 'build pipe.c' 'describe ./pipe.so' \
  'plot strong.h5 --data pipe.h5' 'run run.yaml --output out.h5 --set system={name:,file:./pipe.so}' 'report /dev/zero' 'describe /dev/zero.so' \
  'run run.yaml --output out.h5 --set system.initial={file:,pipe.h5}' 'run run.yaml --output out.h5 --set random={file:,pipe.h5}'; do
  # shellcheck disable=SC2046 # several words
  timeout 20 "$CASIMIR" $(echo "$words" | sed 's/:,/:\x01/g') </dev/null >log 2>&1
  case $? in 0 | 124) fail "casimir $words: $(cat log)" ;; esac
done

[ "$failures" -eq 0 ]
