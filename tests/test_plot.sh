#!/bin/sh
# Figures of convergence in every format, scripts, styles, ranges, and tables from a file; what is wrong is said, and no
# half-written figure is left.
# lane: figures
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

study "$body" 'kind: convergence, coarsest_step: 2^-3, coarsest_steps: 2, levels: 4, reference: 7, paths: 40000,
  functionals: [sin2pi, x1]' 'random: {generator: threefry}' >study.yaml
"$CASIMIR" run --long study.yaml --output study.h5 >tables 2>progress || fail "study"

# ---- the picture in every format; by default an SVG beside the file ----
for format in svg:'<svg' pdf:%PDF eps:%!PS png:PNG; do
  expect 0 '' "$CASIMIR" plot study.h5 --output "study.${format%%:*}"
  begins "study.${format%%:*}" "${format#*:}"
done
cp study.svg by-name.svg
rm study.svg
expect 0 '' "$CASIMIR" plot study.h5
cmp study.svg by-name.svg || fail "the default figure is another one, or the same figure has other bytes"
expect 0 '' "$CASIMIR" plot study.h5 --output "it's a \$(figure).SVG"
begins "it's a \$(figure).SVG" '<svg'
[ ! -s out ] || fail "a file of one picture is said to have others: $(cat out)"

# words of the figure are in the SVG as text
says study.svg 'step size h' 'root-mean-square error' 'weak error' 'at the horizon: order 0\.' 'supremum: order' 'sin2pi' \
  'noise floor' '>1/2<' '>1<' 'step size h \[time unit\]' 'each in its own unit' '\[inertia unit'

# without noise the order is 2, and so is the slope beside it; without an interval no order is said, and no law is drawn
study "{name: rigid_body, inertia: [2, 1, 0.6666666666666666]}" \
  'kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, reference: 9, paths: 8' >quiet.yaml
"$CASIMIR" run quiet.yaml --quiet --output quiet.h5 >/dev/null || fail "quiet"
"$CASIMIR" run study.yaml --quiet --output lonely.h5 --set study.paths=1 >/dev/null # no interval: no order is fitted
expect 0 '' "$CASIMIR" plot quiet.h5
says quiet.svg 'order 1\.9' '>1<' '>2<'
! grep -q '>1/2<' quiet.svg || fail "quiet.svg: a slope of 1/2 beside errors of order 2"
expect 0 '' "$CASIMIR" plot lonely.h5
says lonely.svg 'order not resolved' '>1<'
! grep -q 'leading term' lonely.svg || fail "lonely.svg: a law of an order that is not resolved"

# ---- a script, a style sheet and a template of one's own ----
expect 0 '' "$CASIMIR" plot study.h5 --width 84 --script figure.py
expect 0 '' "$CASIMIR" plot study.h5 --width 84 --output figure.svg
expect 0 '' "$python" figure.py again.svg
cmp figure.svg again.svg || fail "the script draws another figure"
sed 's/curves(axes, points, doubled, filled=3)/&; axes.set_xlabel("edited")/' figure.py >edited.py
expect 0 '' "$CASIMIR" plot study.h5 --template edited.py --output edited.svg
says edited.svg '>edited<'
echo 'axes.labelsize: 9' >large.mplstyle
expect 0 '' "$CASIMIR" plot study.h5 --style large.mplstyle --width 84 --output large.svg
says large.svg 'font: 9px'
echo 'svg.fonttype: path' >outlines.mplstyle
expect 0 '' "$CASIMIR" plot study.h5 --style outlines.mplstyle --output outlines.svg
! grep -q '<text' outlines.svg || fail "outlines.svg has texts, where the style sheet asks for outlines"
echo 'no such key: 1' >wrong.mplstyle
refused 'wrong.mplstyle' study.h5 --style wrong.mplstyle
refused 'no-such.mplstyle cannot be read' study.h5 --style no-such.mplstyle
printf 'def draw(data, figure, request):\n    1 / 0\n' >wrong.py
refused 'the template wrong.py: ZeroDivisionError' study.h5 --template wrong.py
echo 'x = 1' >empty.py
refused 'has no function draw' study.h5 --template empty.py
refused 'no --output, no --data' study.h5 --script -

# ---- ranges, and the title: of a user, or what the file concludes ----
expect 0 '' "$CASIMIR" plot study.h5 --title 'A <title> & $x$' --output titled.svg
says titled.svg 'A &lt;title&gt; &amp;'
refused '^casimir: --yrange: found -1:1, but the axis of panel 1 is logarithmic: both ends must be above 0$' study.h5 --yrange=-1:1
refused '^casimir: --yrange: found 0:1, but the axis of panel 2' study.h5 --yrange :,0:1
refused '^casimir: --xrange: found 0:1, but the axis of panel 1' study.h5 --xrange 0:1
refused 'must be LOW:HIGH with LOW < HIGH' study.h5 --yrange 2:1
refused 'must be LOW:HIGH with LOW < HIGH' study.h5 --xrange 1
refused 'must be from 10 to 2000 mm' study.h5 --width 5

# ---- tables again, the same and not too wide ----
"$CASIMIR" report --long study.h5 >again || fail "report"
cmp tables again || fail "report differs from what the run printed"
for word in 'Strong error' 'Weak error of sin2pi' 'Laws of' '=> order' 'Health' 'Failed paths: none'; do
  grep -q "$word" again || fail "the report does not say '$word'"
done
[ "$(wc -L <again)" -le 100 ] || fail "the report is $(wc -L <again) columns wide"

# ---- what is wrong ----
expect 2 '\.svg, \.pdf, \.eps or \.png' "$CASIMIR" plot study.h5 --output study.jpg
expect 2 '\.svg, \.pdf, \.eps or \.png' "$CASIMIR" plot study.h5 --output study
expect 2 'nowhere' "$CASIMIR" plot nowhere.h5
expect 3 'no-such-directory' "$CASIMIR" plot study.h5 --output no-such-directory/a.svg
expect 2 'results file is missing' "$CASIMIR" plot
expect 2 "output: found '--', must be the name of a file" "$CASIMIR" plot study.h5 --output --
cp study.h5 study-too.svg
expect 2 'study-too.svg is what is drawn; give another --output' "$CASIMIR" plot study-too.svg
cmp -s study.h5 study-too.svg || fail "a figure has taken the place of what it shows"
expect 2 "no picture 'convergense'; did you mean 'convergence'?.*offers: convergence" "$CASIMIR" plot study.h5 --picture convergense
refused "cannot be drawn as 'vorticity', which needs /trajectory/vorticity.*offers: convergence" study.h5 --picture vorticity
refused 'study.h5 and quiet.h5 are of other parameters of the system .*: not to be compared' study.h5 quiet.h5
refused "'convergence' is a picture of at most 1 file; found 2" study.h5 quiet.h5 --picture convergence
for times in '' 1,x 1,,2 nan '1,' 1,2,3,4,5,6,7,8,9; do
  refused 'up to 8 times' study.h5 --at "$times"
done
for picture in convergence conservation ensemble members paths vorticity spectrum; do
  expect 0 "^  $picture  *[a-z]" "$CASIMIR" plot --help
done

# ---- the Python that draws: none, without modules, failing, killed, and one that does not end ----
mkdir -p empty broken modules/matplotlib
expect 5 'python3 was not found on the PATH.*apt-get install python3-matplotlib python3-h5py' \
  env PATH="$PWD/empty" "$CASIMIR" plot study.h5 --output missing.svg
for module in matplotlib h5py; do
  mkdir -p "modules/$module"
  echo "raise ModuleNotFoundError(\"No module named '$module'\", name='$module')" >"modules/$module/__init__.py"
  expect 5 "has no module '$module'.*apt-get install python3-$module; elsewhere: python3 -m pip install $module" \
    env PYTHONPATH="$PWD/modules" CASIMIR_PYTHON="$python" "$CASIMIR" plot study.h5 --output missing.svg
  rm -r "modules/$module"
done
# fails BODY STATUS PATTERN: a Python of this body; what was there stays
fails() {
  printf '#!/bin/sh\n%s\n' "$1" >broken/python3
  chmod +x broken/python3
  cp study.svg before
  expect "$2" "$3" env CASIMIR_PYTHON="$PWD/broken/python3" "$CASIMIR" plot study.h5 --output study.svg
  cmp study.svg before || fail "a failed plot changed the figure that was there"
}
fails 'kill -KILL $$' 5 'which draws, was ended by signal 9'
fails 'exit 9' 5 'which draws, ended with status 9'
fails 'echo "casimir: no such thing" >&2; exit 3' 3 'no such thing'
printf '#!/bin/sh\ntrap "" TERM\necho $$ >child\nsleep 600\n' >broken/python3
(CASIMIR_PYTHON=$PWD/broken/python3 exec "$CASIMIR" plot study.h5 --output study.svg 2>messages) &
pid=$!
await test -s child
kill -TERM $pid
wait $pid
status=$?
[ $status -eq 75 ] && grep -q interrupted messages || fail "a Python that does not end: status $status, $(cat messages)"
! is_running "$(cat child)" || fail "a Python that does not end goes on"
[ ! -e missing.svg ] || fail "a figure without Python"
for left in *.tmp; do
  [ ! -e "$left" ] || fail "left behind: $left"
done
[ "$failures" -eq 0 ]
