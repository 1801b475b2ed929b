#!/bin/sh
# Figures in every format, scripts, styles, ranges; names are drawn and said, and nothing else; what is wrong is said, and no
# half-written figure is left.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/plot_checks.sh"

echo "study | $body | convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 4, reference: 7, paths: 40000, functionals: [sin2pi, x1] | random: {generator: threefry}" | configurations
"$CASIMIR" run --long study.yaml --output study.h5 >tables 2>progress || fail "study"
results tracks

# ---- pictures in every format; by default an SVG beside the file, with its words as text ----
drawn study.h5 --output study.eps
begins study.eps '%!PS'
for format in pdf:%PDF png:PNG; do
  drawn tracks.h5 --picture observables --show x1 --output "tracks.${format%%:*}"
  begins "tracks.${format%%:*}" "${format#*:}"
done
drawn study.h5 --output by-name.svg
begins by-name.svg '<svg'
ends 0 '' draws_alone "$CASIMIR" plot study.h5
cmp study.svg by-name.svg || fail "the default figure is another one, or equal figures have other bytes"
[ ! -s message ] || fail "a file of one picture is said to have others: $(cat message)"
shows study.svg 'step size h' 'root-mean-square error' 'weak error' 'at the horizon: order 0\.' 'supremum: order' 'sin2pi' \
  'noise floor' '>1/2<' '>1<' 'step size h \[time unit\]' 'each in its own unit' '\[inertia unit'

# without noise the order is 2, and so is the slope beside it; without an interval no order is said, and no law is drawn
"$CASIMIR" run study.yaml --quiet --output quiet.h5 >/dev/null --set system.noise.sigma=0 \
  --set 'study={kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, reference: 9, paths: 8}' || fail "quiet"
"$CASIMIR" run study.yaml --quiet --output lonely.h5 --set study.paths=1 >/dev/null # no interval: no order is fitted
drawn quiet.h5
shows quiet.svg 'order 1\.9' '>1<' '>2<'
drawn lonely.h5
shows lonely.svg 'order not resolved' '>1<'
! grep -q '>1/2<' quiet.svg && ! grep -q 'leading term' lonely.svg || fail "slopes of other orders, or laws that are not resolved"

# ---- a script, a style sheet and a template of one's own; the title of a user, or what the file concludes ----
drawn study.h5 --width 84 --unsealed --script figure.py
drawn study.h5 --width 84 --output figure.svg
ends 0 '' "$python" figure.py again.svg
cmp figure.svg again.svg || fail "the script draws another figure"
sed 's/_errors(axes, points)/&; axes.set_xlabel("edited")/' figure.py >edited.py
printf 'axes.labelsize: 9\nsvg.fonttype: none' >large.mplstyle
drawn study.h5 --template edited.py --style large.mplstyle --title 'A <title> & $x$' --output edited.svg
shows edited.svg '>edited<' 'font: 9px' 'A &lt;title&gt; &amp;'
echo 'svg.fonttype: path' >outlines.mplstyle
drawn study.h5 --style outlines.mplstyle --output outlines.svg
! grep -q '<text' outlines.svg || fail "outlines.svg has texts, where the style sheet asks for outlines"

# ---- what is refused ----
echo 'no such key: 1' >wrong.mplstyle
printf 'def draw(data, figure, request):\n    1 / 0\n' >wrong.py
echo 'x = 1' >empty.py
cp study.h5 same.svg
each not_drawn <<'END'
wrong.mplstyle | study.h5 --style wrong.mplstyle
no-such.mplstyle cannot be read | study.h5 --style no-such.mplstyle
the template wrong.py: ZeroDivisionError | study.h5 --template wrong.py
has no function draw | study.h5 --template empty.py
no --output, no --data | study.h5 --script -
^casimir: --yrange: found -1:1, but the axis of panel 1 is logarithmic: both ends must be above 0$ | study.h5 --yrange=-1:1
^casimir: --yrange: found 0:1, but the axis of panel 2 | study.h5 --yrange :,0:1
^casimir: --xrange: found 0:1, but the axis of panel 1 | study.h5 --xrange 0:1
must be LOW:HIGH with LOW < HIGH | study.h5 --yrange 2:1
must be LOW:HIGH with LOW < HIGH | study.h5 --xrange 1
must be from 10 to 2000 mm | study.h5 --width 5
up to 8 times | study.h5 --at 1,x
up to 8 times | study.h5 --at nan
up to 8 times | study.h5 --at 1,2,3,4,5,6,7,8,9
nowhere | nowhere.h5
results file is missing | 
no picture 'convergense'; did you mean 'convergence'\?.*offers: convergence | study.h5 --picture convergense
cannot be drawn as 'vorticity', which needs /trajectory/vorticity.*offers: convergence | study.h5 --picture vorticity
study.h5 and quiet.h5 are of other parameters of the system .*: not to be compared | study.h5 quiet.h5
'convergence' is a picture of at most 1 file; found 2 | study.h5 quiet.h5 --picture convergence
END
ends 2 '\.svg, \.pdf, \.eps or \.png' "$CASIMIR" plot study.h5 --output study.jpg
ends 3 'no-such-directory' "$CASIMIR" plot study.h5 --output no-such-directory/a.svg
ends 2 "output: found '--', must be the name of a file" "$CASIMIR" plot study.h5 --output --
ends 2 'same.svg is what is drawn; give another --output' "$CASIMIR" plot same.svg
"$CASIMIR" report --long study.h5 | cmp - tables || fail "report differs from what the run printed"
[ "$(wc -L <tables)" -le 100 ] || fail "the report is $(wc -L <tables) columns wide"

# ---- names of files, as they are and as they are shown: nothing in them is markup, a command, or steers a terminal ----
escape=$(printf '\033') line='
'
harmless() {
  ! grep -q -e "$escape" "$@" || fail "$name: raw: $(cat -v "$@")"
  [ ! -e PWNED ] || fail "$name: was run"
}
set -- "x${line}system(\"touch PWNED\")${line}#.h5" "x'.system('touch PWNED').'.h5" '"`touch PWNED`".h5' "red${escape}[31m.h5" \
  '\U+001b %s%n $(touch PWNED).h5' '@a^b_{c}&{d}~e{.6f} $x$.h5' "$(printf 'caf\351 \303\251 \317\206.h5')"
for name; do
  printf '%s' "$name" | sed -e "s/$escape/\\\\x1b/" -e "$(printf 's/\351/\\\\xe9/')" | tr '\n' '\001' | sed 's/\x01/\\n/g; s/\.h5$/\n/'
  cp tracks.h5 "$name"
done >shown
drawn "$@" --picture observables --show x1 --output names.svg
"$python" -c 'import sys, xml.etree.ElementTree as tree
text = "".join(tree.parse("names.svg").getroot().itertext()).replace("\u00a0", " ")
names = open("shown", encoding="utf-8").read().splitlines()
sys.exit(", ".join(name for name in names if name not in text) or len(names) != 7)' || fail "names are not in names.svg"
harmless message names.svg
drawn '@a^b_{c}&{d}~e{.6f} $x$.h5' tracks.h5 --picture paths --output paths.svg
shows paths.svg '\$x\$'
for name; do
  drawn "$name" --picture observables --show x1 # into a figure of that name
  harmless message
  rm -f "$name" "${name%.h5}.svg"
  ends 2 'there is no such file' "$CASIMIR" report "$name"
  harmless message
  ends 3 'cannot be written' "$CASIMIR" run tracks.yaml --output "nowhere/$name"
  harmless message
done
name=$(printf %s "$@")
ends 0 '' "$CASIMIR" run tracks.yaml --dry-run --output "$name"
harmless message

# ---- names and units in files ----
"$python" - <<'EOF' || fail "evil.h5"
import h5py, shutil
shutil.copy("study.h5", "evil.h5")
evil = "u^2\nsystem(\"touch PWNED\")\n#\033[31m`touch PWNED`'"
with h5py.File("evil.h5", "r+") as f:
    f.move("weak/x1", "weak/" + evil.replace("/", ""))
    f["weak/" + evil]["error"].attrs["units"] = f["strong/error"].attrs["units"] = evil
    f["weak/" + evil]["verdict"][()] = "good\033[31m"
    f.attrs["kernels"] = "k\033]0;title\007"
EOF
name=evil
drawn --unsealed evil.h5 --output names.svg
harmless message names.svg
ends 0 '' "$CASIMIR" report --unsealed evil.h5
harmless message
[ "$(wc -l <message)" -eq "$("$CASIMIR" report study.h5 | wc -l)" ] || fail "a name breaks a line: $(cat message)"

# ---- the Python that draws: none, without modules, failing, killed, and one that does not end ----
unset CASIMIR_PYTHON
mkdir -p empty broken
ends 5 'python3 was not found on the PATH.*apt-get install python3-matplotlib python3-h5py' \
  env PATH="$PWD/empty" "$CASIMIR" plot study.h5 --output missing.svg
for module in matplotlib h5py; do
  mkdir -p "modules/$module"
  echo "raise ModuleNotFoundError(\"No module named '$module'\", name='$module')" >"modules/$module/__init__.py"
  ends 5 "has no module '$module'.*apt-get install python3-$module; elsewhere: python3 -m pip install $module" \
    env PYTHONPATH="$PWD/modules" CASIMIR_PYTHON="$python" "$CASIMIR" plot study.h5 --output missing.svg
  rm -r "modules/$module"
done
# fails BODY STATUS PATTERN: a Python of this body; what was there stays
fails() {
  printf '#!/bin/sh\n%s\n' "$1" >broken/python3
  chmod +x broken/python3
  ends "$2" "$3" env CASIMIR_PYTHON="$PWD/broken/python3" "$CASIMIR" plot study.h5
  cmp study.svg by-name.svg || fail "a failed plot changed the figure that was there"
}
fails 'kill -KILL $$' 5 'which draws, was ended by signal 9'
fails 'exit 9' 5 'which draws, ended with status 9'
fails 'echo "casimir: no such thing" >&2; exit 3' 3 'no such thing'
printf '#!/bin/sh\ntrap "" TERM\necho $$ >child\nsleep 600\n' >broken/python3
(CASIMIR_PYTHON=$PWD/broken/python3 exec "$CASIMIR" plot study.h5 2>messages) &
process=$!
await test -s child
kill -TERM $process
ended 75 "a Python that does not end"
grep -q interrupted messages || fail "a Python that does not end: $(cat messages)"
! is_running "$(cat child)" || fail "a Python that does not end goes on"
[ ! -e missing.svg ] && [ -z "$(find . -name '*.tmp')" ] || fail "left behind: $(ls)"
