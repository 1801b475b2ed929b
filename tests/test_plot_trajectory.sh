#!/bin/sh
# Figures of trajectories, from real runs: conservation, and paths on the sphere.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

cat >trajectory.yaml <<'EOF'
system:
  name: rigid_body
  inertia: [2, 1, 0.6666666666666666]
  noise: {kind: quadratic, sigma: 0.1}
study:
  kind: trajectory
  step: 2^-7
  steps: 3000
  paths: 8
EOF

cat >vortices.yaml <<'EOF'
system:
  name: point_vortices
  gamma: [1, 1, 1, 1]
  noise: {sigma: 0.1}
  initial: {random: {seed: 2, norm: 1}}
study: {kind: trajectory, step: 2^-7, steps: 640, every: 2}
EOF

cat >top.yaml <<'EOF'
system:
  name: heavy_top
  inertia: [4, 2, 1]
  mga: [0, 0, 1]
  noise: {pi: [[0.1, -0.2, 0.15]]}
integrator: {name: munthe_kaas}
study: {kind: trajectory, step: 0.01, steps: 1000, observables: [gamma]}
EOF

# run CONFIGURATION RESULTS [KEY=VALUE ..]
run() {
  configuration=$1 results=$2
  shift 2
  for pair in "$@"; do
    set -- "$@" --set "$pair"
    shift
  done
  "$CASIMIR" run "$configuration" --quiet --output "$results" "$@" >/dev/null || fail "$results"
}

# edit FILE STATEMENT: with its /trajectory as t; h5py drops the seal
edit() {
  /usr/bin/python3 -c "
import sys, h5py
import numpy as np
with h5py.File(sys.argv[1], 'r+') as f:
    t = f['trajectory']
    exec(sys.argv[2])" "$1" "$2" || fail "edit $1"
}

run trajectory.yaml eight.h5
run trajectory.yaml one.h5 study.paths=1
run trajectory.yaml quiet.h5 study.paths=1 system.noise.sigma=0
run trajectory.yaml energy.h5 study.paths=1 'study.observables=[hamiltonian]'
run trajectory.yaml state.h5 study.paths=1 'study.observables=[]'
run trajectory.yaml ends.h5 study.paths=1 study.every=3000
run vortices.yaml vortices.h5
run vortices.yaml quiet-vortices.h5 system.noise.sigma=0
run vortices.yaml two.h5 'system.gamma=[1,1]'
run top.yaml top.h5
run top.yaml bare-top.h5 'study.observables=[hamiltonian]'
run top.yaml lost.h5 'integrator={name: heun}'

# ---- conservation ----
draws conservation eight.h5
grep -q 'drew conservation; --picture also offers: paths' out || fail "no word on paths: $(cat out)"
says conservation.svg 'Casimir departure' 'relative change of the energy' 'greatest so far' '6 of 8 paths' 'time t \[time unit\]' '>path 0<' '>path 5<'
counts conservation.svg 6 '$1 == "a" && $5 > 1000' # recorded
counts conservation.svg 6 '$1 == "a" && $4 > 2'    # greatest so far, beside its sample in the key
counts conservation.svg 6 '$1 == "b" && $4 > 1000 && $3 == 1'
cat >disk.yaml <<'END'
system: {name: sliding_disk, amplitude: 1, s: 0.5, friction: 0.1, temperature: 1, initial: [0, 0, 0, 0]}
integrator: {name: variational_euler}
study: {kind: trajectory, step: 0.2, steps: 50}
END
"$CASIMIR" run disk.yaml --quiet --output disk.h5 >/dev/null || fail "disk"
expect 0 '' "$CASIMIR" plot disk.h5 --picture conservation
says disk.svg 'momentum map departure'
! grep -q 'Casimir departure' disk.svg || fail "disk.svg: Casimirs, where there are none"
colours=$(grep -o "rgb([ 0-9,]*)" conservation.svg | sort -u | wc -l)
[ "$colours" -ge 12 ] || fail "conservation.svg: $colours colours; what is recorded and its maximum should differ"

expect 0 '' "$CASIMIR" plot energy.h5 # the panels that there are
counts energy.svg 1 '$4 > 1000'
! grep -q '>path' energy.svg || fail "energy.svg names its only path"
! grep -q 'Casimir' energy.svg || fail "energy.svg speaks of Casimirs"
cp one.h5 enstrophy.h5
edit enstrophy.h5 "t['enstrophy'] = 2 + 1e-12 * np.sin(t['time'][:])"
expect 0 '' "$CASIMIR" plot enstrophy.h5 --unsealed
says enstrophy.svg 'change of the enstrophy' 'change of the energy' '>-13<'
counts enstrophy.svg 3 '$4 > 900'

expect 0 '' "$CASIMIR" plot ends.h5 # two records are two marks
counts ends.svg 1 '$1 == "a" && $5 == 3'
counts ends.svg 1 '$1 == "b" && $5 == 2'

cp one.h5 nan.h5
edit nan.h5 "t['hamiltonian'][1000:1100] = np.nan; t['casimir_departure'][1000:] = np.nan"
expect 0 '' "$CASIMIR" plot nan.h5 --unsealed
counts nan.svg 1 '$1 == "b" && $3 == 2 && $4 > 1000' # a gap
cp one.h5 nothing.h5
edit nothing.h5 "t['hamiltonian'][:] = np.nan; t['casimir_departure'][:] = np.nan; t['state'][:] = np.nan"
expect 2 'nothing.h5: no record of these invariants is a number: nothing is there to draw' "$CASIMIR" plot nothing.h5 --unsealed --output wrong.svg
expect 2 'no recorded state is a number' "$CASIMIR" plot nothing.h5 --unsealed --picture paths --output wrong.svg
cp one.h5 short.h5
edit short.h5 "h = t['hamiltonian'][:-5]; del t['hamiltonian']; t['hamiltonian'] = h"
expect 2 "'/trajectory/time' should be 2996 real numbers" "$CASIMIR" plot short.h5 --unsealed --output wrong.svg

# ---- paths ----
expect 0 '' "$CASIMIR" plot one.h5 --picture paths --output paths.svg
says paths.svg 'start' 'end' 't = 0 to 23.4375' '>x<'
counts paths.svg 1 '$4 > 500'
draws pair one.h5 quiet.h5 # more than one file: the picture that takes them
says pair.svg '>one<' '>quiet<'
counts pair.svg 1 '$4 > 500 && $NF == "rgb(0,0,0)"'
counts pair.svg 1 '$4 > 500 && $NF == "rgb(0,114,178)"'
draws vortices vortices.h5 --picture paths
for colour in '0,114,178' '213,94,0' '0,158,115' '204,121,167'; do
  tint=$(echo "$colour" | awk -F, '{ printf "%d,%d,%d", 255.5 - 0.4 * (255 - $1), 255.5 - 0.4 * (255 - $2), 255.5 - 0.4 * (255 - $3) }')
  n=$(drawn vortices.svg | awk -v a="rgb($colour)" -v b="rgb($tint)" '$NF == a || $NF == b { n += $4 } END { print n + 0 }')
  [ "$n" -gt 100 ] || fail "vortices.svg: $n vertices in rgb($colour) and rgb($tint)"
done
n=$(drawn vortices.svg | awk '$4 > 50 && $NF !~ /180,180|210,210/ { print $8, $9 }' | sort -u | wc -l)
[ "$n" -ge 4 ] || fail "vortices.svg: $n different paths"
expect 0 '' "$CASIMIR" plot vortices.h5 quiet-vortices.h5 --output vortex-pair.svg
says vortex-pair.svg 'vortices (coloured)' 'quiet-vortices (black)'
expect 0 'drew paths' "$CASIMIR" plot eight.h5 --picture paths --output eight-paths.svg
says eight-paths.svg '6 of 8 paths'
expect 0 '' "$CASIMIR" plot state.h5 # nothing but a state
says state.svg 'start'

# of a heavy top the vertical, which some schemes do not keep on its sphere
expect 0 '' "$CASIMIR" plot top.h5
says top.svg 'the vertical seen from the body, t = 0 to 10'
counts top.svg 1 '$4 > 300 && $NF == "rgb(0,114,178)"'
expect 2 'needs a /trajectory/state of 3 or n x 3 real components, or an observable axes, tip or gamma' \
  "$CASIMIR" plot bare-top.h5 --picture paths --output wrong.svg
expect 2 'the gamma is not on a sphere: the length of point 1 is 1 at first' "$CASIMIR" plot lost.h5 --output wrong.svg

# a full circle about the third axis: seen from above the equator, half of it is on the near side; its ends meet
cp one.h5 circle.h5
edit circle.h5 "
a = np.linspace(0, 2 * np.pi, 361)
for name in list(t): del t[name]
t['time'] = a
t['state'] = 2 * np.stack([np.cos(a), np.sin(a), 0 * a], 1)"
expect 0 '' "$CASIMIR" plot circle.h5 --unsealed
drawn circle.svg | awk '$NF == "rgb(0,114,178)" && $4 > 50 { near = $4 } $NF == "rgb(153,199,224)" { far = $4 }
  END { exit !(near >= 175 && near <= 190 && far >= 175 && far <= 190) }' || fail "circle: $(drawn circle.svg)"
cp circle.h5 gap.h5
edit gap.h5 "t['state'][::90] = np.nan"
expect 0 '' "$CASIMIR" plot gap.h5 --unsealed
pieces=$(drawn gap.svg | awk '$NF == "rgb(0,114,178)" && $4 > 50 || $NF == "rgb(153,199,224)" { n += $3 } END { print n + 0 }')
[ "$pieces" -ge 4 ] || fail "gap.svg: a path with gaps in $pieces pieces"
cp circle.h5 sparse.h5 # records too far apart to be joined are dots
edit sparse.h5 "t['state'][:] = t['state'][:][np.arange(361) * 80 % 361]"
expect 0 '' "$CASIMIR" plot sparse.h5 --unsealed
counts sparse.svg 2 '$5 > 100'

# a beginning
expect 0 '' "$CASIMIR" plot one.h5 quiet.h5 --until 5 --output beginning.svg
says beginning.svg 't = 0 to 5<'
expect 0 '' "$CASIMIR" plot one.h5 --until 5 --output beginning.svg
counts beginning.svg 1 '$1 == "b" && $4 == 641'
cp circle.h5 tangle.h5
edit tangle.h5 "t['state'][:] = t['state'][:][np.arange(361) * 50 % 361]"
expect 0 'round the sphere 50 times; --until T' "$CASIMIR" plot tangle.h5 --unsealed --output tangle.svg

# ---- what is wrong ----
expect 2 'one.h5: nothing is recorded until t = -1; the first time is 0' "$CASIMIR" plot one.h5 --until -1 --output wrong.svg
expect 2 'must be a time' "$CASIMIR" plot one.h5 --until 1,2 --output wrong.svg
expect 2 'one.h5 holds a rigid_body and vortices.h5 a point_vortices; paths of one system only' \
  "$CASIMIR" plot one.h5 vortices.h5 --output wrong.svg
expect 2 'a state has 4 points in vortices.h5 and 2 in two.h5' "$CASIMIR" plot vortices.h5 two.h5 --output wrong.svg
"$CASIMIR" run "$SOURCE_DIR/jobs/rigid-body-strong.yaml" --quiet --output levels.h5 --set study.paths=64 || fail "levels"
expect 2 'no picture shows these 2 files together; one.h5 alone offers: conservation, paths' \
  "$CASIMIR" plot one.h5 levels.h5 --output wrong.svg
expect 2 'one.h5: no two of these files are of the same paths' \
  "$CASIMIR" plot one.h5 one.h5 one.h5 one.h5 one.h5 one.h5 one.h5 one.h5 --output wrong.svg
cp circle.h5 off.h5
edit off.h5 "t['state'][200:] *= 1.001"
expect 2 'not on a sphere: the length of point 1 is 2 at first and 2.002 at t = 3.49' "$CASIMIR" plot off.h5 --unsealed --output wrong.svg
cp one.h5 bare.h5
edit bare.h5 "del t['state'], t['hamiltonian'], t['casimir_departure']"
expect 2 "bare.h5: holds nothing that there is a picture of (its study is of kind 'trajectory'" "$CASIMIR" plot bare.h5 --unsealed --output wrong.svg
[ ! -e wrong.svg ] || fail "a figure of what was refused"
expect 0 'trajectory of rigid_body' "$CASIMIR" report one.h5

# ---- any observables over time, and against each other ----
cat >free.yaml <<'EOF'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: linear, sigma: 0.3}, initial: [0.6, 0.3, 0.7]}
random: {generator: threefry}
study: {kind: trajectory, step: 2^-5, steps: 640, paths: 2, observables: [hamiltonian, angular_velocity]}
EOF
"$CASIMIR" run free.yaml --quiet --output free.h5 >/dev/null || fail "free"
"$CASIMIR" run free.yaml --quiet --output second.h5 --set study.paths=1 --set random.seed=5 >/dev/null || fail "second"
draws over free.h5 second.h5 --picture observables --show 'angular_velocity,x2,angular_velocity[3]' --label first_file --label second
says over.svg '>angular_velocity<' '>x2<' '>first_file, path 1, number 2<' '>second, number 3<' '>second<' 'time t'
counts over.svg 9 '$1 == "a" && $4 > 100'
counts over.svg 3 '$1 == "b" && $4 > 100'
expect 0 '' "$CASIMIR" plot free.h5 --picture plane --show x1,x2,x3 --output three.svg
says three.svg '>x2, path 0<' '>x3, path 1<'
expect 0 '' "$CASIMIR" plot free.h5 --picture conservation --show hamiltonian --output shown.svg
says shown.svg 'change of the hamiltonian'
# contours on the sphere: closed lines on the near side and on the far side
draws contours free.h5 --picture paths --contours hamiltonian
says contours.svg 'contours of hamiltonian'
expect 0 '' "$CASIMIR" plot free.h5 --picture paths --contours hamiltonian --data sphere.txt
expect 0 '' "$CASIMIR" plot free.h5 --picture observables --output all.svg
says all.svg '>hamiltonian<' '>angular_velocity<'
draws plane free.h5 --picture plane --show x1,x2 --contours hamiltonian
says plane.svg '>x1 \[' '>x2<' 'contours of hamiltonian' '>path 1<'
draws section free.h5 --picture plane --show x1,hamiltonian --section x3=0.2
says section.svg 'where x3 passes 0.2 upwards'
expect 0 '' "$CASIMIR" plot free.h5 --data observables.txt --picture observables --show 'angular_velocity,x2,angular_velocity[3]'
expect 0 '' "$CASIMIR" plot free.h5 --data plane.txt --picture plane --show x1,x2 --contours hamiltonian
expect 0 '' "$CASIMIR" plot free.h5 --data section.txt --picture plane --show x1,hamiltonian --section x3=0.2
/usr/bin/python3 - <<'END' || fail "observables, planes or sections show other numbers"
import io, re, h5py
import numpy as np

def blocks(file):
    parts = open(file).read().split("\n\n\n")[1:]
    return {re.match(r"# block \d+: (\S+)", p)[1]: np.loadtxt(io.StringIO(p), ndmin=2) for p in parts}

t = h5py.File("free.h5")["trajectory"]
x, H, w = t["state"][:], t["hamiltonian"][:], t["angular_velocity"][:]
b = blocks("observables.txt")
assert len(b) == 6 + 2 + 2, list(b)
for path in 0, 1:
    for number in 0, 1, 2:
        assert np.array_equal(b[f"curve_1_{3 * path + number + 1}"], np.c_[t["time"][:], w[:, path, number]])
    assert np.array_equal(b[f"curve_2_{path + 1}"][:, 1], x[:, path, 1])
    assert np.array_equal(b[f"curve_3_{path + 1}"][:, 1], w[:, path, 2])
b = blocks("plane.txt")
low, high = x[:, :, :2].min((0, 1)), x[:, :, :2].max((0, 1))
for path in 0, 1:
    assert np.array_equal(b[f"curve_{path + 1}"], x[:, path, :2])
across, up = (np.linspace(low[i], high[i], 121) for i in (0, 1))
expected = across[None, :] ** 2 / 2 + up[:, None] ** 2 + 2 * x[0, 0, 2] ** 2
assert abs(H[0, 0] - (0.6**2 / 2 + 0.3**2 + 2 * 0.7**2)) < 1e-12
assert b["contours"].shape == (121, 121) and np.allclose(b["contours"], expected, rtol=1e-12), "contours"
longitude, latitude = np.radians(np.arange(0, 361, 2)), np.radians(np.arange(-90, 91, 2))[:, None]
r2 = (x[0, 0] ** 2).sum()
expected = r2 * (np.cos(latitude) ** 2 * (np.cos(longitude) ** 2 / 2 + np.sin(longitude) ** 2) + 2 * np.sin(latitude) ** 2)
assert np.allclose(blocks("sphere.txt")["contours"], expected, rtol=1e-12), "contours on the sphere"
b = blocks("section.txt")
for path in 0, 1:
    z = x[:, path, 2] - 0.2
    i = np.flatnonzero((z[:-1] < 0) & (z[1:] >= 0))
    s = z[i] / (z[i] - z[i + 1])
    points = np.c_[(1 - s) * x[i, path, 0] + s * x[i + 1, path, 0], (1 - s) * H[i, path] + s * H[i + 1, path]]
    assert len(i) > 0 and np.allclose(b[f"curve_{path + 1}"], points, rtol=1e-12), (path, len(i))
END
while IFS='|' read -r options message; do
  # shellcheck disable=SC2086 # several words
  expect 2 "$message" "$CASIMIR" plot free.h5 $options --output wrong.svg
done <<'EOF'
--picture observables --show x7|state 'x7' over time; it has: x1 x2 x3, .*angular_velocity\[1\] .. \[3\]
--show x7|state 'x7' over time; it has: x1 x2 x3
--picture plane --show x1,x7|state 'x7' over time; it has: x1 x2 x3
--picture observables --show angular_velocity[4]|'angular_velocity' has 3 numbers only
--picture plane|cannot be drawn as 'plane', which needs .*--show A,B
--picture plane --show x1,angular_velocity|NAME\[2\] is one of several
--picture plane --show x1,x2 --section x3|must be NAME=VALUE
--picture plane --show x1,x2 --section x3=9|no point of this section is a number
--picture plane --show x1,hamiltonian --contours hamiltonian|the plane of two components of the state
--picture plane --show x1,x2 --contours nothing|has no observable 'nothing' of one number; it has: .*hamiltonian
--picture paths --show hamiltonian|'paths' is no picture of observables over time
--picture paths --contours nothing|has no observable 'nothing' of one number; it has: .*hamiltonian
--picture observables --contours hamiltonian|--contours: 'observables' has none
--picture observables --section x1=0|--section: 'observables' has none
EOF
[ "$failures" -eq 0 ]
