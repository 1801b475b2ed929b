#!/bin/sh
# Figures of maps, spectra and ensembles, from files whose numbers were replaced by known ones.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

cat >trajectory.yaml <<'EOF'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666]}
study: {kind: trajectory, step: 2^-7, steps: 2}
EOF
"$CASIMIR" run trajectory.yaml --quiet --output template.h5 >/dev/null || fail "template"

# make FILE STATEMENTS: a results file with provenance and health of a real one; h5py adds no seal
make() {
  rm -f "$1"
  /usr/bin/python3 -c "
import sys, h5py
import numpy as np
with h5py.File('template.h5') as template, h5py.File(sys.argv[1], 'w') as f:
    for name, value in template.attrs.items():
        f.attrs[name] = value
    template.copy('health', f)
    exec(sys.argv[2])" "$1" "$2" || fail "make $1"
}

# 33 records of t = 0, 1, .., 32; vorticity grows with time, positive in the north and more so in the east
trajectory='
t = f.create_group("trajectory")
t["time"] = np.arange(33.0)
latitude, longitude = np.arange(-87.5, 90, 5), np.arange(0, 360, 5.0)
t["latitude"], t["longitude"] = latitude, longitude
field = np.sin(np.radians(latitude))[:, None] * (1 + longitude[None, :] / 360)
t["vorticity"] = (1 + t["time"][:])[:, None, None] * field
t["vorticity"].attrs["units"] = "time_unit^-1"
t["degree"] = np.arange(1, 32)
t["energy_spectrum"] = (1 + t["time"][:])[:, None] * t["degree"][:].astype(float)[None, :] ** -3
'

# ---- vorticity ----
make field.h5 "$trajectory"
draws vorticity field.h5 --unsealed --picture vorticity
grep -q 'drew vorticity; --picture also offers: spectrum' out || fail "no word on the spectrum: $(cat out)"
says vorticity.svg 'longitude' 'latitude' 'vorticity' 'time unit' '90°' '360°' 't = 0<' 't = 2<' 't = 8<' 't = 32<'
counts vorticity.svg 4 '$6 == 1'
/usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --images vorticity.svg >images
# every map: 36 rows of 72 cells, two pixels each, so that they go from 0 to 360 degrees; north red and south blue, east more than west; and each stronger than the one before
awk '$1 == 36 && $2 == 144 && $3 > 0 && $5 < 0 && $4 > $3 && $6 < $5 && $4 > last { last = $4; n++ } END { exit n != 4 }' images ||
  fail "maps: $(cat images)"
expect 0 'nothing is recorded at t = 1000; t = 32 is drawn' "$CASIMIR" plot field.h5 --unsealed --picture vorticity --at 31.6,3,3,1000 --output at.svg
grep -q 'nothing is recorded at t = 31.6; t = 32 is drawn' out && ! grep -q 'recorded at t = 3;' out || fail "words of --at: $(cat out)"
says at.svg 't = 3<' 't = 32<'
counts at.svg 2 '$6 == 1'

# one circle of latitude over time: 33 records upward, 72 cells of two pixels; the later the stronger, negative in the south
draws hovmoeller field.h5 --unsealed --picture hovmoeller
says hovmoeller.svg 'longitude' 'time' 'vorticity' 'latitude 42.5°' '360°'
draws hovmoeller field.h5 --unsealed --picture hovmoeller --view 0,-60
says hovmoeller.svg 'latitude -62.5°'
/usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --images hovmoeller.svg >images
awk '$1 == 33 && $2 == 144 && $3 < 0 && $4 < 0 { n++ } END { exit n != 1 }' images || fail "hovmoeller: $(cat images)"

# another map by its name, the only one there is without, and in pictures of maps alone
make maps.h5 "$trajectory
t['stream_function'] = -2 * t['vorticity'][:]"
expect 0 '' "$CASIMIR" plot maps.h5 --unsealed --picture vorticity --data vorticity.txt
expect 0 '' "$CASIMIR" plot maps.h5 --unsealed --map stream_function --data stream.txt
grep -q '^# quantity = stream_function$' stream.txt || fail "stream.txt: $(head -20 stream.txt)"
for text in vorticity stream; do sed -n 's/^# greatest = //p' $text.txt; done >greatest
awk 'NR == 1 { a = $1 } END { exit NR != 2 || $1 != 2 * a }' greatest || fail "greatest: $(cat greatest)"
make only.h5 "$trajectory
t.move('vorticity', 'vorticity_lowpass')"
expect 0 '' "$CASIMIR" plot only.h5 --unsealed --picture vorticity
says only.svg 'vorticity lowpass'
draws strip only.h5 --unsealed --picture hovmoeller
says strip.svg 'vorticity lowpass'
expect 2 "cannot be drawn as 'vorticity'.*or the observable of --map" \
  "$CASIMIR" plot maps.h5 --unsealed --picture vorticity --map vorticity_lowpass --output wrong.svg
expect 2 "\-\-map: 'spectrum' is no picture of maps" \
  "$CASIMIR" plot maps.h5 --unsealed --picture spectrum --map stream_function --output wrong.svg

# from north to south, with bands of unequal height, several paths, NaN
make other.h5 "$trajectory
mixed = np.degrees(np.arcsin(np.linspace(0.99, -0.99, 36)))
t['latitude'][:] = mixed
del t['vorticity']
v = np.repeat(np.sin(np.radians(mixed))[:, None] * np.ones(72)[None, :], 1, 0)
v = np.stack([v, -v])[None] * (1 + t['time'][:])[:, None, None, None]
v[32, 0, 20:, 36:] = np.nan
v[0, 0, 20, 20] = np.inf
t['vorticity'] = v
t['path'] = np.arange(2)"
expect 0 'path 0 of 2 is drawn' "$CASIMIR" plot other.h5 --unsealed --picture vorticity --output other.svg
/usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --images other.svg >images
awk '$3 > 0 && $4 > 0 && $5 < 0 && (NR < 4) == ($6 < $5 / 2) { n++ } END { exit n != 4 }' images || fail "maps: $(cat images)"
# a large map is a small figure
make large.h5 "$trajectory
del t['latitude'], t['longitude'], t['vorticity']
t['latitude'], t['longitude'] = np.arange(512) * 180 / 511 - 90, np.arange(1024) * 360 / 1024
t['vorticity'] = np.random.default_rng(1).normal(size=(2, 512, 1024)).astype('f4')
del t['time'], t['energy_spectrum']
t['time'] = [0.0, 1.0]"
expect 0 '' "$CASIMIR" plot large.h5 --unsealed
[ "$(wc -c <large.svg)" -lt 2000000 ] || fail "large.svg has $(wc -c <large.svg) bytes"
counts large.svg 2 '$6 == 1'
make blank.h5 "$trajectory
t['vorticity'][:] = np.nan"
expect 2 'blank.h5: no vorticity at these times is a number: nothing is there to draw' \
  "$CASIMIR" plot blank.h5 --unsealed --picture vorticity --output wrong.svg
make short.h5 "$trajectory
del t['latitude']
t['latitude'] = [1.0]"
expect 2 "'/trajectory/latitude' should be 36 real numbers" "$CASIMIR" plot short.h5 --unsealed --picture vorticity --output wrong.svg

# ---- the torus ----
# positive above x2 = 0 and below pi, more so to the right
torus='
t = f.create_group("trajectory")
t["time"] = np.arange(3.0)
x = np.arange(24) * 2 * np.pi / 24
t["x1"] = t["x2"] = x
t["vorticity"] = (1 + t["time"][:])[:, None, None] * -np.sin(x - 0.1)[:, None] * (1 + x[None, :])
t["vorticity"].attrs["units"] = "time_unit^-1"
t["wavenumber"] = np.arange(1, 32)
t["energy_spectrum"] = (1 + t["time"][:])[:, None] * t["wavenumber"][:].astype(float)[None, :] ** -3
'
make torus.h5 "$torus"
draws torus torus.h5 --unsealed --picture vorticity
says torus.svg 'vorticity' 'π' '>1<' '>2<' 't = 0<' 't = 2<'
! grep -q 'longitude\|latitude\|°' torus.svg || fail "torus.svg: a sphere"
/usr/bin/python3 "$SOURCE_DIR/tests/svg_plots.py" --images torus.svg >images
awk '$1 == 48 && $2 == 48 && $3 > 0 && $5 < 0 && $4 > $3 && $6 < $5 && $4 > last { last = $4; n++ } END { exit n != 3 }' images ||
  fail "maps of the torus: $(cat images)"
expect 0 '' "$CASIMIR" plot torus.h5 --unsealed --picture spectrum --output shells.svg
says shells.svg 'wavenumber |n|'
! grep -q 'degree' shells.svg || fail "shells.svg: degrees"
counts shells.svg 3 '$4 >= 31 && $5 >= 31'

# ---- spectrum ----
draws spectrum field.h5 --unsealed --picture spectrum
says spectrum.svg 'degree l' 'energy' 't = 0<' 't = 0\.5\|t = 1<' 't = 2<' 't = 8<' 't = 32<' '>-5/3<' '>-3<'
counts spectrum.svg 5 '$4 >= 31 && $5 >= 31'
[ "$(drawn spectrum.svg | awk '$4 >= 31 { print $NF }' | sort -u | wc -l)" -eq 5 ] || fail "spectra share colours"
make gaps.h5 "$trajectory
e = t['energy_spectrum']
e[0, 6:] = 0
e[32, 10] = np.nan
e[8, 20:] = 1e-40"
expect 0 '' "$CASIMIR" plot gaps.h5 --unsealed --picture spectrum
counts gaps.svg 1 '$3 == 2 && $4 == 30' # a gap, and one cut off
counts gaps.svg 1 '$3 == 1 && $4 == 20'
# degrees that have no energy at first, but for rounding, do not stretch the axis
make narrow.h5 "$trajectory
e = t['energy_spectrum'][:]
e[0, 6:], e[0, 8], e[0, 9] = 1e-40, 0, 1e-14
t['energy_spectrum'][:] = e"
expect 0 '' "$CASIMIR" plot narrow.h5 --unsealed --picture spectrum
says narrow.svg '>-4<'
! grep -q '>-[6-9]<\|>-1[0-9]<' narrow.svg || fail "narrow.svg: decades without energy"
make paths.h5 "$trajectory
e = t['energy_spectrum'][:]
del t['energy_spectrum']
t['path'] = np.arange(3)
t['energy_spectrum'] = np.stack([e, 2 * e, 3 * e], 1)"
expect 0 'the mean over 3 paths is drawn' "$CASIMIR" plot paths.h5 --unsealed --picture spectrum
make twice.h5 "$trajectory
t['energy_spectrum'][:] *= 2"
expect 0 '' "$CASIMIR" plot twice.h5 --unsealed --picture spectrum
cmp paths.svg twice.svg || fail "the mean of 1, 2 and 3 is not 2"
make dead.h5 "$trajectory
t['energy_spectrum'][:] = 0"
expect 2 'no energy .* is positive' "$CASIMIR" plot dead.h5 --unsealed --picture spectrum --output wrong.svg

# ---- ensemble ----
cat >ensemble.yaml <<'EOF'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: ensemble
  step: 2^-1
  steps: 100
  every: 1
  paths: 64
  members: 50
  observables: [hamiltonian, casimir_departure, angular_momentum]
EOF
# ensemble RESULTS [KEY=VALUE ..]
ensemble() {
  results=$1
  shift
  for pair in "$@"; do
    set -- "$@" --set "$pair"
    shift
  done
  "$CASIMIR" run ensemble.yaml --quiet --output "$results" "$@" >/dev/null || fail "$results"
}

# edit FROM TO STATEMENTS: with its /ensemble as e, and values put in the places of those that were computed
edit() {
  cp "$1" "$2"
  /usr/bin/python3 -c "
import sys, h5py
import numpy as np
with h5py.File(sys.argv[1], 'r+') as f:
    e = f['ensemble']
    x = e['time'][:]
    def observable(name, centre):
        o = e[name]
        o['mean'][:], o['standard_error'][:] = centre, 0 * centre + 0.1
        o['minimum'][:], o['maximum'][:] = centre - 3, centre + 3
        o['quantile'][:] = centre[..., None] + 4 * (e['probability'][:] - 0.5)
    exec(sys.argv[2])" "$2" "$3" || fail "edit $2"
}

ensemble base.h5
edit base.h5 ensemble.h5 "
observable('hamiltonian', np.cos(x))
observable('casimir_departure', np.where(x == 25, np.nan, x))
observable('angular_momentum', np.stack([x, -x, np.sin(x)], 1))
e['hamiltonian/mean'].attrs['units'] = 'time_unit^-2'"
draws ensemble ensemble.h5 --unsealed
says ensemble.svg 'hamiltonian' 'casimir_departure' 'angular_momentum' 'time t \[time unit\]' '5–95 %' '25–75 %' 'median' \
  'mean, 95 % confidence' 'least, greatest' 'time unit'
# a panel: two bands and the interval of the mean, least, greatest, median, mean; a gap breaks those of
# the second into two
counts ensemble.svg 20 '$4 >= 100'
counts ensemble.svg 3 '$1 == "b" && $7 == 2 && $4 == 0'
counts ensemble.svg 12 '$1 != "b" && $7 == 1 && $4 == 0'
counts ensemble.svg 4 '$1 == "b" && $3 == 2 && $4 == 100'
# here the median is the mean, in every panel
drawn ensemble.svg | awk '$4 < 100 { next } $1 != panel { panel = $1; n = 0 }
  ++n == 3 { top = $8; bottom = $9 } n == 4 && (top != $8 || bottom != $9) { exit 1 }' || fail "a median is not the mean"

ensemble four.h5 study.every=null 'study.times=[5,20,40,50]' 'study.observables=[hamiltonian]'
edit four.h5 few.h5 "observable('hamiltonian', np.cos(x))"
draws few few.h5 --unsealed
says few.svg 'hamiltonian' 'median' 'mean, 95 % confidence'
counts few.svg 2 '$7 == 4' # boxes
counts few.svg 1 '$5 == 4' # means
counts few.svg 3 '$3 == 4 && $4 == 8 && $NF == "rgb(213,94,0)"' # their intervals and both ends of these
ensemble one.h5 study.every=null 'study.times=[5]' 'study.observables=[hamiltonian]'
edit one.h5 once.h5 "observable('hamiltonian', np.cos(x))"
expect 0 '' "$CASIMIR" plot once.h5 --unsealed
# of one time: bands from 5 to 95 %, 3.6 high, and from 25 to 75 %, 2 high, about the median; 3 from it the extremes
drawn once.svg | awk '
  $1 != "a" { next }
  $7 == 1 { top[++n] = $8; bottom[n] = $9 }
  $4 == 2 && $5 == 0 && $NF != "rgb(213,94,0)" { line[++m] = $8 }
  function near(x, y) { return x - y < 0.1 && y - x < 0.1 }
  END {
    unit = (bottom[1] - top[1]) / 3.6
    exit !(n == 2 && m == 3 && near(bottom[2] - top[2], 2 * unit) && near(line[1] - line[3], 3 * unit) &&
           near(line[3] - line[2], 3 * unit) && near(line[3] - top[1], 1.8 * unit))
  }' || fail "once.svg: $(drawn once.svg)"
ensemble many.h5 'study.observables=[hamiltonian,casimir_departure,x1,x2,x3,norm,angular_momentum]'
expect 0 '3 further numbers of the observables are not drawn' "$CASIMIR" plot many.h5
ensemble one-more.h5 'study.observables=[hamiltonian,casimir_departure,x1,x2,x3,norm,kinetic_energy]'
expect 0 '1 further number of the observables is not drawn' "$CASIMIR" plot one-more.h5
# what is constant but for rounding has an axis with different numbers, and so has what hardly changes
edit one.h5 constant.h5 "observable('hamiltonian', 0 * x)
for name in 'standard_error', 'quantile', 'mean', 'minimum', 'maximum': e['hamiltonian'][name][:] *= 0
for name in 'quantile', 'mean', 'minimum': e['hamiltonian'][name][:] += 1
e['hamiltonian/maximum'][:] = 1 + 1e-15"
expect 0 '' "$CASIMIR" plot constant.h5 --unsealed
says constant.svg '> *0\.98<' '> *1<' '> *1\.02<'
edit one.h5 steady.h5 "observable('hamiltonian', 0 * x)
for name in 'standard_error', 'quantile', 'mean', 'minimum', 'maximum': e['hamiltonian'][name][:] *= 0
for name in 'quantile', 'mean', 'minimum': e['hamiltonian'][name][:] += 1
e['hamiltonian/maximum'][:] = 1 + 1e-5"
expect 0 '' "$CASIMIR" plot steady.h5 --unsealed
says steady.svg '> *1\.000002<' '> *1\.000008<'
edit base.h5 nothing.h5 "for name in e:
    if name in ('hamiltonian', 'casimir_departure', 'angular_momentum'): observable(name, e[name]['mean'][:] * np.nan)"
expect 2 'nothing.h5: no mean of any observable is a number' "$CASIMIR" plot nothing.h5 --unsealed --output wrong.svg

# ---- members: all of them, on the near or the far side ----
edit four.h5 members.h5 "
v = np.random.default_rng(1).normal(size=(4, 50, 3))
v[0] = [0, -2, 0]
v[1, 7] = np.nan
e['members'][:] = v"
draws members members.h5 --unsealed --picture members
says members.svg 't = 5<' 't = 20<' 't = 50<' '>x<'
drawn members.svg | awk '$5 > 0 { n[$1] += $5; sides[$1]++ }
  END { exit !(n["a"] == 50 && sides["a"] == 1 && n["b"] == 49 && sides["b"] == 2 && n["d"] == 50) }' ||
  fail "members: $(drawn members.svg)"
edit members.h5 failed.h5 "e['member_failed'][3:5] = 1"
expect 0 '2 of 50 members failed and are not drawn' "$CASIMIR" plot failed.h5 --unsealed --picture members
drawn failed.svg | awk '$5 > 0 { n[$1] += $5 } END { exit !(n["a"] == 48 && n["b"] == 47 && n["d"] == 48) }' ||
  fail "failed members: $(drawn failed.svg)"
edit four.h5 gone.h5 "e['members'][:] = np.nan"
expect 2 'no member at these times is a number' "$CASIMIR" plot gone.h5 --unsealed --picture members --output wrong.svg
cat >ensemble.yaml <<'EOF'
system: {name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}
study: {kind: ensemble, step: 2^-3, steps: 8, times: [0, 1], paths: 50, members: 50, observables: [distance]}
EOF
ensemble vortices.h5
expect 0 '' "$CASIMIR" plot vortices.h5
[ "$(drawn vortices.svg | awk '{ n += $5 } END { print n }')" -eq 400 ] || fail "members of four points: $(drawn vortices.svg)"
cat >ensemble.yaml <<'EOF'
system: {name: sine_euler, N: 5, initial: {random: {seed: 2, norm: 1}}}
study: {kind: ensemble, step: 2^-3, steps: 8, times: [0, 1], paths: 4, observables: [modes]}
EOF
ensemble matrices.h5
expect 2 "matrices.h5: holds nothing that there is a picture of (its study is of kind 'ensemble'" \
  "$CASIMIR" plot matrices.h5 --output wrong.svg

# names and units are text to gnuplot, whatever they are
edit base.h5 nasty.h5 "
e.move('hamiltonian', 'a\`touch harm\`')
e['a\`touch harm\`/mean'].attrs['units'] = '\`touch harm\` \" \\\\ \$(touch harm) {^} @x'"
expect 0 '' "$CASIMIR" plot nasty.h5 --unsealed
[ ! -e harm ] || fail "gnuplot ran a command"
[ ! -e wrong.svg ] || fail "a figure of what was refused"
[ "$failures" -eq 0 ]
