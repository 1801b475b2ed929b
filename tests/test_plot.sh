#!/bin/sh
# Figures of convergence in every format and tables from a file; what is wrong is said, and no half-written figure is left.
# lane: figures
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

cat >study.yaml <<'EOF'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.5}
random: {generator: threefry}
study:
  kind: convergence
  coarsest_step: 2^-3
  coarsest_steps: 2
  levels: 4
  reference: 7
  paths: 40000
  functionals: [sin2pi, x1]
EOF

"$CASIMIR" run study.yaml --output study.h5 >tables 2>progress || fail "study"

# ---- the picture in every format; by default an SVG beside the file ----
draws study study.h5
cp study.svg by-name.svg
rm study.svg
expect 0 '' "$CASIMIR" plot study.h5
cmp study.svg by-name.svg || fail "the default figure is another one"
expect 0 '' "$CASIMIR" plot study.h5 --output "it's a \$(figure).SVG"
begins "it's a \$(figure).SVG" '<svg'
[ ! -s out ] || fail "a file of one picture is said to have others: $(cat out)"

# words of the figure are in the SVG as text
says study.svg 'step size h' 'root-mean-square error' 'weak error' 'at the horizon: order 0\.' 'supremum: order' 'sin2pi' \
  'noise floor' '>1/2<' '>1<' 'step size h \[time unit\]' 'each in its own unit' '\[inertia unit'
counts study.svg 10 '$3 >= 1 && $4 > 50' # the law and its leading term of five curves
# levels that are not resolved, and these alone, have white in their marks, in the shape of their curve
sed -n '/^Weak error/,/^Health/p' tables >weak-tables
[ "$(grep -c ' NO ' weak-tables)" -gt 1 ] && [ "$(grep -c ' yes ' weak-tables)" -gt 1 ] || fail "study: $(cat weak-tables)"
n=$(grep -c "<use.*color='rgb(255, 255, 255)'" study.svg)
[ "$n" -eq "$(grep -c ' NO ' weak-tables)" ] || fail "study.svg: $n hollow marks: $(cat weak-tables)"
n=$(sed -n "s/.*<use xlink:href='#\\(gpPt[0-9]*\\)'.*scale.*/\\1/p" study.svg | sort -u | wc -l)
[ "$n" -ge 3 ] || fail "study.svg: $n shapes of two functionals and of what is not resolved in the key"
! grep -q "<use xlink:href='#gpDot'" study.svg || fail "study.svg: hollow marks have a dot inside"

# without noise the order is 2, and so is the slope beside it; less than a decade of errors has labels all the same
cat >quiet.yaml <<'EOF'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666]}
random: {generator: threefry}
study: {kind: strong, coarsest_step: 2^-4, coarsest_steps: 4, levels: 2, reference: 9, paths: 8}
EOF
"$CASIMIR" run quiet.yaml --quiet --output quiet.h5 >/dev/null || fail "quiet"
"$CASIMIR" run study.yaml --quiet --output lonely.h5 --set study.paths=1 >/dev/null # no interval: no order is fitted
expect 0 '' "$CASIMIR" plot quiet.h5
says quiet.svg 'order 1\.9' '2·10' '5·10' '>1<' '>2<'
! grep -q '>1/2<' quiet.svg || fail "quiet.svg: a slope of 1/2 beside errors of order 2"
expect 0 '' "$CASIMIR" plot lonely.h5
says lonely.svg 'order not resolved' '>1<'

# ---- tables again, the same and not too wide ----
"$CASIMIR" report study.h5 >again || fail "report"
cmp tables again || fail "report differs from what the run printed"
for word in 'Strong error' 'Weak error of sin2pi' 'Laws of' '=> order' 'Health' 'Failed paths: none'; do
  grep -q "$word" again || fail "the report does not say '$word'"
done
[ "$(wc -L <again)" -le 100 ] || fail "the report is $(wc -L <again) columns wide"

# ---- what is wrong ----
expect 2 '\.svg, \.pdf, \.eps or \.png' "$CASIMIR" plot study.h5 --output study.jpg
expect 2 '\.svg, \.pdf, \.eps or \.png' "$CASIMIR" plot study.h5 --output study
expect 3 'nowhere' "$CASIMIR" plot nowhere.h5
expect 3 'no-such-directory' "$CASIMIR" plot study.h5 --output no-such-directory/a.svg
expect 2 'results file is missing' "$CASIMIR" plot
expect 2 "output: found '--', must be the name of a file" "$CASIMIR" plot study.h5 --output --
cp study.h5 study-too.svg
expect 2 'study-too.svg is what is drawn; give the figure another --output' "$CASIMIR" plot study-too.svg
cmp -s study.h5 study-too.svg || fail "a figure has taken the place of what it shows"
expect 2 "no picture 'convergense'; did you mean 'convergence'?.*offers: convergence" "$CASIMIR" plot study.h5 --picture convergense
expect 2 "cannot be drawn as 'vorticity', which needs /trajectory/vorticity.*offers: convergence" \
  "$CASIMIR" plot study.h5 --picture vorticity --output wrong.svg
expect 2 'study.h5 and quiet.h5 are of other parameters of the system .*: not to be compared' \
  "$CASIMIR" plot study.h5 quiet.h5 --output wrong.svg
expect 2 "'convergence' is a picture of at most 1 file; found 2" \
  "$CASIMIR" plot study.h5 quiet.h5 --picture convergence --output wrong.svg
for times in '' 1,x 1,,2 nan '1,' 1,2,3,4,5,6,7,8,9; do
  expect 2 'up to 8 times' "$CASIMIR" plot study.h5 --at "$times" --output wrong.svg
done
[ ! -e wrong.svg ] || fail "a figure of what was refused"
for picture in convergence conservation ensemble members paths vorticity spectrum; do
  expect 0 "^  $picture  *[a-z]" "$CASIMIR" plot --help
done

mkdir -p empty broken
expect 5 'gnuplot was not found' env PATH="$PWD/empty" "$CASIMIR" plot study.h5 --output missing.svg
printf '#!/bin/sh\necho "no such terminal" >&2\nexit 3\n' >broken/gnuplot
chmod +x broken/gnuplot
expect 5 'exit status 3: no such terminal' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5 --output missing.svg
printf '#!/bin/sh\nexit 0\n' >broken/gnuplot
expect 3 'did not draw all' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5 --output missing.svg
# half a figure is none, and what was there stays
printf '#!/bin/sh\n"%s" "$@" | head -c 9000\n' "$(command -v gnuplot)" >broken/gnuplot
for format in svg pdf eps png; do
  [ -e "study.$format" ] || cp study.svg "study.$format" # whatever it is
  cp "study.$format" before
  expect 3 'did not draw all' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5 --output "study.$format"
  cmp "study.$format" before || fail "a failed plot changed the figure that was there"
done
if unshare -m true 2>/dev/null; then
  mkdir -p disk
  expect 0 "study.svg.tmp: .*No space left on device" unshare -m sh -c 'mount -t tmpfs -o size=16k none disk &&
    cd disk && echo "<svg/>" >study.svg && ! "$CASIMIR" plot ../study.h5 --output study.svg &&
    [ "$(ls)" = study.svg ] && [ "$(cat study.svg)" = "<svg/>" ]'
else
  echo "no right to mount: a full disk was not tried"
fi
[ ! -e missing.svg ] || fail "a figure without gnuplot"
for left in *.tmp; do
  [ ! -e "$left" ] || fail "left behind: $left"
done
[ "$failures" -eq 0 ]
