#!/bin/sh
# Figures in every format and tables from a file; what is wrong is said, and no half-written figure is left.
set -u
failures=0

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
  paths: 2000
  functionals: [sin2pi, x1]
EOF

cat >trajectory.yaml <<'EOF'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: trajectory
  step: 2^-7
  steps: 5000
  paths: 8
EOF

fail() {
  echo "$*" >&2
  failures=$((failures + 1))
}

# expect STATUS PATTERN COMMAND ..
expect() {
  status=$1 pattern=$2
  shift 2
  "$@" >out 2>&1
  found=$?
  [ "$found" -eq "$status" ] || fail "$*: status $found, not $status: $(cat out)"
  [ -z "$pattern" ] || grep -q -e "$pattern" out || fail "$*: does not say '$pattern': $(cat out)"
}

# begins FILE BYTES: what files of a format begin with
begins() {
  case $(head -c 200 "$1" | tr -d '\000') in
  *"$2"*) ;;
  *) fail "$1 is no $2" ;;
  esac
}

"$CASIMIR" run study.yaml --output study.h5 >tables 2>progress || fail "study"
"$CASIMIR" run trajectory.yaml --quiet --output trajectory.h5 >/dev/null || fail "trajectory"
"$CASIMIR" run trajectory.yaml --quiet --output bare.h5 --set study.observables='[hamiltonian]' >/dev/null || fail "bare"

# ---- every picture in every format; by default an SVG beside the file ----
for name in study trajectory; do
  for format in pdf png; do
    expect 0 '' "$CASIMIR" plot $name.h5 --output $name.$format
  done
  expect 0 '' "$CASIMIR" plot $name.h5
  begins $name.svg '<svg'
  begins $name.pdf '%PDF'
  begins $name.png 'PNG'
done
expect 0 '' "$CASIMIR" plot study.h5 --output "it's a \$(figure).SVG"
begins "it's a \$(figure).SVG" '<svg'

# words of the figure are in the SVG as text
for word in 'step size h' 'root-mean-square error' 'weak error' 'at the horizon: order 0\.' 'supremum: order' 'sin2pi' \
  'noise floor' '1/2'; do
  grep -q "$word" study.svg || fail "study.svg does not say '$word'"
done
grep -q 'Casimir departure' trajectory.svg || fail "trajectory.svg has no Casimir departure"
grep -q '6 of 8 paths' trajectory.svg || fail "trajectory.svg hides how many paths there are"

# ---- tables again, the same and not too wide ----
"$CASIMIR" report study.h5 >again || fail "report"
cmp tables again || fail "report differs from what the run printed"
for word in 'Strong error' 'Weak error of sin2pi' 'corrected' '=> order' 'Health' 'Failed paths: none'; do
  grep -q "$word" again || fail "the report does not say '$word'"
done
[ "$(wc -L <again)" -le 100 ] || fail "the report is $(wc -L <again) columns wide"
expect 0 'trajectory of rigid_body' "$CASIMIR" report trajectory.h5

# ---- what is wrong ----
expect 2 '\.svg, \.pdf or \.png' "$CASIMIR" plot study.h5 --output study.jpg
expect 2 '\.svg, \.pdf or \.png' "$CASIMIR" plot study.h5 --output study
expect 3 'nowhere' "$CASIMIR" plot nowhere.h5
expect 3 'no-such-directory' "$CASIMIR" plot study.h5 --output no-such-directory/a.svg
expect 3 'casimir_departure' "$CASIMIR" plot bare.h5 --output bare.svg
[ ! -e bare.svg ] || fail "a figure of a file without what it needs"

mkdir -p empty broken
expect 5 'gnuplot was not found' env PATH="$PWD/empty" "$CASIMIR" plot study.h5 --output missing.svg
printf '#!/bin/sh\necho "no such terminal" >&2\nexit 3\n' >broken/gnuplot
chmod +x broken/gnuplot
expect 5 'exit status 3: no such terminal' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5 --output missing.svg
printf '#!/bin/sh\nexit 0\n' >broken/gnuplot
expect 3 'did not write' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5 --output missing.svg
cp study.svg before.svg
expect 3 'did not write' env PATH="$PWD/broken:$PATH" "$CASIMIR" plot study.h5
cmp study.svg before.svg || fail "a failed plot changed the figure that was there"
[ ! -e missing.svg ] || fail "a figure without gnuplot"
for left in *.tmp; do
  [ ! -e "$left" ] || fail "left behind: $left"
done
[ "$failures" -eq 0 ]
