#!/bin/sh
# Figures of what Euler-Zeitlin and ensembles write: every picture that their files offer.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

# a zonal flow, the harmonic (1, 0), is steady: positive in the north, negative in the south, at all times
cat >zonal.yaml <<'EOF'
system:
  name: euler_zeitlin
  N: 8
  latitudes: 16
  initial: {coefficients: [[1, 0, 1]], norm: 1}
study:
  kind: trajectory
  step: 2^-6
  steps: 64
  every: 4
  state: false
  observables: [hamiltonian, enstrophy, casimir_departure, energy_spectrum, vorticity]
EOF
"$CASIMIR" run zonal.yaml --quiet --output zonal.h5 >/dev/null || fail "zonal"
expect 0 'drew conservation; --picture also offers: vorticity, spectrum' "$CASIMIR" plot zonal.h5
says zonal.svg 'Casimir departure' 'change of the enstrophy' 'change of the energy'
draws vorticity zonal.h5 --picture vorticity
says vorticity.svg 't = 0<' 't = 0.25<' 't = 1<'
/usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --images vorticity.svg >images
awk '$1 == 16 && $2 == 64 && $3 > 50 && $4 == $3 && $5 < -50 && $6 == $5 { n++ } END { exit n != 4 }' images ||
  fail "zonal flow: $(cat images)"
draws spectrum zonal.h5 --picture spectrum

cat >turbulent.yaml <<'EOF'
system:
  name: euler_zeitlin
  N: 12
  noise: {amplitude: 2, lmin: 6}
  initial: {random: {seed: 7, norm: 12}}
study:
  kind: trajectory
  step: 2^-7
  steps: 128
  every: 8
  paths: 2
  state: false
  observables: [energy_spectrum, vorticity]
EOF
"$CASIMIR" run turbulent.yaml --quiet --output turbulent.h5 >/dev/null || fail "turbulent"
expect 0 'path 0 of 2 is drawn' "$CASIMIR" plot turbulent.h5
counts turbulent.svg 4 '$6 == 1'
expect 0 'the mean over 2 paths is drawn' "$CASIMIR" plot turbulent.h5 --picture spectrum --output turbulent-spectrum.svg
counts turbulent-spectrum.svg 5 '$4 >= 11 && $5 >= 11'

cat >ensemble.yaml <<'EOF'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: ensemble
  step: 2^-5
  steps: 320
  every: 16
  paths: 256
  members: 30
  observables: [hamiltonian, x1, angular_velocity]
EOF
"$CASIMIR" run ensemble.yaml --quiet --output ensemble.h5 >/dev/null || fail "ensemble"
draws ensemble ensemble.h5
grep -q 'drew ensemble; --picture also offers: members' out || fail "no word on members: $(cat out)"
says ensemble.svg 'hamiltonian' 'x1' 'angular_velocity 1' 'angular_velocity 3' 'time unit' '5–95 %' '25–75 %' 'median'
# five panels of four lines, two bands and the interval of the mean, and twenty members in that of x1
counts ensemble.svg 40 '$4 >= 20'
counts ensemble.svg 15 '$7 >= 1 && $4 == 0'
draws members ensemble.h5 --picture members
[ "$(drawn members.svg | awk '{ n += $5 } END { print n }')" -eq 150 ] || fail "members: $(drawn members.svg)"
expect 0 '' "$CASIMIR" plot ensemble.h5 --picture members --at 3,7 --output two.svg
says two.svg 't = 3<' 't = 7<'
[ "$(drawn two.svg | awk '{ n += $5 } END { print n }')" -eq 60 ] || fail "members: $(drawn two.svg)"
"$CASIMIR" run ensemble.yaml --quiet --output few.h5 --set study.every=null --set 'study.times=[5, 10]' >/dev/null || fail "few"
expect 0 '' "$CASIMIR" plot few.h5
counts few.svg 10 '$7 == 2'

cat >momentum.yaml <<'EOF'
system: {name: point_vortices, gamma: [1, 2], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}
study: {kind: ensemble, step: 2^-3, steps: 16, every: 1, paths: 40, observables: [moment, hamiltonian]}
EOF
"$CASIMIR" run momentum.yaml --quiet --output momentum.h5 >/dev/null || fail "momentum"
expect 0 '' "$CASIMIR" plot momentum.h5
says momentum.svg '>moment x<' '>moment y<' '>moment z<' '>hamiltonian<'

# options that a picture has no use for
expect 2 "'conservation' is no picture at single times" "$CASIMIR" plot zonal.h5 --at 0.5
[ "$failures" -eq 0 ]
