#!/bin/sh
# Figures of fluid ensembles (spectra with bands, maps of mean and variance), members among statistics, and spheres seen
# from where one wants.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"
python=${PYTHON:-/usr/bin/python3}

cat >ensemble.yaml <<'EOS'
system: {name: euler_zeitlin, N: 6, latitudes: 12, noise: {amplitude: 0.2, lmin: 2}, initial: {random: {seed: 7, norm: 4, lmin: 1, lmax: 3}}}
study: {kind: ensemble, step: 2^-4, steps: 32, every: 4, paths: 70, bins: 16, observables: [energy_spectrum, enstrophy_spectrum, vorticity]}
EOS
"$CASIMIR" run ensemble.yaml --quiet --output ensemble.h5 >/dev/null || fail "ensemble"

# edit FROM TO STATEMENTS: with its file as f, and its /ensemble as e
edit() {
  cp "$1" "$2"
  "$python" -c "
import sys, h5py
import numpy as np
with h5py.File(sys.argv[1], 'r+') as f:
    e = f['ensemble']
    exec(sys.argv[2])" "$2" "$3" || fail "edit $2"
}

# same PICTURE FILE [OPTIONS]: what is drawn, block by block, is what the file holds; the statements on standard input
# have f (the file) and b (arrays of the blocks by their names)
same() {
  picture=$1 file=$2
  shift 2
  expect 0 '' "$CASIMIR" plot "$file" --picture "$picture" --unsealed --data data.txt "$@"
  cat >same.py
  "$python" - "$file" <<'END' || fail "$picture of $file shows other numbers"
import io, re, sys, h5py
import numpy as np
parts = open("data.txt").read().split("\n\n\n")[1:]
b = {re.match(r"# block \d+: (\S+)", p)[1]: np.loadtxt(io.StringIO(p), ndmin=2).T for p in parts}
with h5py.File(sys.argv[1]) as f:
    exec(open("same.py").read())
END
}

# ---- spectra ----
draws spectra ensemble.h5 --picture ensemble_spectrum
says spectra.svg 'degree l' 'energy spectrum' 'enstrophy spectrum' '5–95 % of the paths' 't = 0<' 't = 2<'
same ensemble_spectrum ensemble.h5 --at 0.5,2 <<'EOS'
p = list(f["ensemble/probability"][:])
for k, name in enumerate(["energy_spectrum", "enstrophy_spectrum"]):
    for i, record in enumerate([2, 8]):
        s = {n: f["ensemble"][name][n][record] for n in ("mean", "standard_error", "quantile")}
        expected = [f["ensemble/degree"][:], s["mean"], 2 * s["standard_error"], s["quantile"][:, p.index(0.05)], s["quantile"][:, p.index(0.95)]]
        assert np.array_equal(b[f"spectrum_{k + 1}_{i + 1}"], expected), (name, record)
EOS
edit ensemble.h5 known.h5 "
for name in 'energy_spectrum', 'enstrophy_spectrum':
    g = e[name]
    g['mean'][:] = np.arange(5, 0, -1)
    g['standard_error'][:] = 0.1
    g['quantile'][:] = g['mean'][:][..., None] * (0.5 + e['probability'][:])"
expect 0 '' "$CASIMIR" plot known.h5 --unsealed --picture ensemble_spectrum
counts known.svg 6 '$7 == 1'            # bands: two panels at three times
counts known.svg 6 '$5 == 5 && $4 == 5' # means
counts known.svg 6 '$5 == 0 && $3 == 5 && $4 == 10'
# without a pair of quantiles bands are two standard errors of the mean
"$CASIMIR" run ensemble.yaml --quiet --output bare.h5 --set 'study.quantiles=[0.5]' >/dev/null || fail "bare"
expect 0 '' "$CASIMIR" plot bare.h5 --picture ensemble_spectrum
says bare.svg '>two standard errors<'
same ensemble_spectrum bare.h5 <<'EOS'
_, mean, bar, low, high = b["spectrum_2_3"]
assert np.array_equal(mean, f["ensemble/enstrophy_spectrum/mean"][8]) and np.array_equal([low, high], [mean - bar, mean + bar])
EOS
edit known.h5 dead.h5 "
for name in 'energy_spectrum', 'enstrophy_spectrum': e[name]['mean'][:] = 0"
expect 2 'no mean of a spectrum is positive' "$CASIMIR" plot dead.h5 --unsealed --picture ensemble_spectrum --output wrong.svg

# ---- maps ----
draws maps ensemble.h5 --picture ensemble_maps
says maps.svg 'mean, t = 0<' 'variance, t = 2<' 'mean \[time unit' 'variance \[10<.*(time unit' 'longitude' 'latitude'
counts maps.svg 6 '$6 == 1'
same ensemble_maps ensemble.h5 --at 0,2 <<'EOS'
v = f["ensemble/vorticity"]
for name in "mean", "variance":
    for i, record in enumerate([0, 8]):
        shown = b[f"{name}_{i + 1}"].T
        # two pixels for a cell of longitude, of which the first belongs to the first cell
        assert np.array_equal(shown[:, 0], v[name][record][:, 0]), name
        assert np.array_equal(np.unique(shown), np.unique(v[name][record])), name
EOS
edit ensemble.h5 blank.h5 "e['vorticity/mean'][:] = np.nan"
expect 2 'no mean vorticity at these times is a number' "$CASIMIR" plot blank.h5 --unsealed --picture ensemble_maps --output wrong.svg

# ---- maps of members: those of their states, of which files have no maps ----
sed 's/observables: .*/observables: [hamiltonian, stream_function], members: 6}/' ensemble.yaml >members.yaml
"$CASIMIR" run members.yaml --quiet --set 'system.noise={kind: transport, fields: {file: eof.h5, dataset: eof}}' --output none.h5 \
  2>/dev/null && fail "fields of no file"
"$python" -c "
import h5py
with h5py.File('eof.h5', 'w') as f: f['eof'] = [[1, 2, 1, 0.3], [2, 3, 0, 0.2]]"
"$CASIMIR" run members.yaml --quiet --set 'system.noise={kind: transport, fields: {file: eof.h5, dataset: eof}}' \
  --set system.rotation=0.5 --output members.h5 >/dev/null || fail "members"
rm eof.h5
expect 0 '4 of 6 members are drawn' "$CASIMIR" plot members.h5 --picture member_maps --at 0.5,2 --output members.svg
says members.svg 'member 0, t = 0\.5<' 'member 3, t = 2<' 'vorticity \[' 'longitude'
counts members.svg 8 '$6 == 1'
same member_maps members.h5 --at 0.5,2 <<'EOS'
sphere = {}
exec(open(f"{__import__('os').environ['SOURCE_DIR']}/src/python/casimir/sphere.py").read(), sphere)
state = f["ensemble/members"][:]
state = state["r"] + 1j * state["i"] if state.dtype.names else state
for panel in range(8):
    omega = sphere["coefficients"](state[2 if panel < 4 else 8, panel % 4])
    omega[1] -= 2 * 0.5 * np.sqrt(4 * np.pi / 3)
    assert abs(b[f"map_{panel + 1}"].T[:, ::2] - sphere["to_map"](omega, 12)).max() < 1e-12, panel
EOS
"$CASIMIR" plot members.h5 --map stream_function --picture member_maps --at 2 --data stream.txt && grep -q '^# quantity = stream_function$' stream.txt ||
  fail "stream functions of members"
expect 2 "there is no vorticity_lowpass: system.lowpass" \
  "$CASIMIR" plot members.h5 --map vorticity_lowpass --picture member_maps --output wrong.svg
expect 0 '' "$CASIMIR" plot members.h5 --picture member_maps --frames frames --width 84
[ "$(find frames -name 'frame-0000[1-9].png' | wc -l)" -eq 9 ] || fail "nine times are nine frames: $(ls frames)"
expect 0 '' "$CASIMIR" plot members.h5 --map stream_function --picture ensemble_maps --output means.svg

# ---- from above a point: the middle of the disc is what is there, right is east, up is north ----
for view in 40,22 200,-60 0,90; do
  same ensemble_maps ensemble.h5 --at 2 --view "$view" <<EOS
v, view = f["ensemble/vorticity/mean"][8], np.radians([$view])
b = b["mean_1"].T
assert b.shape == (256, 256)
latitude, longitude = np.radians(f["ensemble/latitude"][:]), np.radians(f["ensemble/longitude"][:])
cos, sin = np.cos, np.sin
toward = np.array([cos(view[1]) * cos(view[0]), cos(view[1]) * sin(view[0]), sin(view[1])])
east = np.array([-sin(view[0]), cos(view[0]), 0])
north = np.cross(toward, east)
i, j = np.meshgrid(np.arange(256), np.arange(256), indexing="ij")
up, right = (2 * i + 1) / 256 - 1, (2 * j + 1) / 256 - 1
inside = up**2 + right**2 <= 1
assert np.array_equal(np.isnan(b), ~inside)
x = right[..., None] * east + up[..., None] * north + np.sqrt(np.maximum(0, 1 - up**2 - right**2))[..., None] * toward
row = abs(np.arcsin(np.clip(x[..., 2], -1, 1))[..., None] - latitude).argmin(-1)
apart = np.arctan2(x[..., 1], x[..., 0])[..., None] - longitude
column = abs(np.angle(np.exp(1j * apart))).argmin(-1)
wrong = (b != v[row, column]) & inside
assert wrong.sum() < 20, wrong.sum()  # those between two cells
EOS
done
expect 0 '' "$CASIMIR" plot ensemble.h5 --picture ensemble_maps --view 40,22 --output disc.svg
! grep -q 'longitude\|latitude' disc.svg || fail "disc.svg: axes of a flat map"
counts disc.svg 6 '$6 == 1'
counts disc.svg 6 '$6 == 0 && $3 > 10' # lines of longitude and latitude
cat >paths.yaml <<'EOS'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: ensemble, step: 2^-2, steps: 20, every: 1, paths: 70, members: 5, observables: [x1, hamiltonian, x3]}
EOS
"$CASIMIR" run paths.yaml --quiet --output paths.h5 >/dev/null || fail "paths"
expect 0 '' "$CASIMIR" plot paths.h5 --picture members --view 0,90 --output pole.svg
says pole.svg '>x<' # axes of the plane; the third one points to the reader
expect 0 '' "$CASIMIR" plot paths.h5 --picture members --view 0,90 --data data.txt
grep -q '^# azimuth = 0$' data.txt && grep -q '^# elevation = 90$' data.txt || fail "view: $(head -20 data.txt)"
expect 2 "'ensemble' is no picture of a sphere" "$CASIMIR" plot paths.h5 --picture ensemble --view 0,90 --output wrong.svg
expect 2 'must be LONGITUDE,LATITUDE in degrees' "$CASIMIR" plot paths.h5 --view 0,91 --output wrong.svg
expect 2 'must be LONGITUDE,LATITUDE in degrees' "$CASIMIR" plot paths.h5 --view 40 --output wrong.svg
cat >torus.yaml <<'EOS'
system: {name: sine_euler, N: 5, grid: 8, initial: {random: {seed: 7, norm: 2, lmin: 1, lmax: 2}}}
study: {kind: ensemble, step: 2^-4, steps: 4, every: 2, paths: 4, bins: 16, observables: [vorticity, energy_spectrum]}
EOS
"$CASIMIR" run torus.yaml --quiet --output torus.h5 >/dev/null || fail "torus"
expect 0 '' "$CASIMIR" plot torus.h5 --picture ensemble_maps
expect 0 '' "$CASIMIR" plot torus.h5 --picture ensemble_spectrum --output shells.svg
says shells.svg 'wavenumber |n|'
expect 2 'a torus is not seen from one side' "$CASIMIR" plot torus.h5 --picture ensemble_maps --view 0,0 --output wrong.svg

# ---- members among statistics ----
draws members paths.h5 --picture ensemble
says members.svg '>5 members<'
counts members.svg 7 '$1 == "a" && $4 == 21 && $NF == "rgb(96,96,96)"' # and the extremes
counts members.svg 2 '$1 == "b" && $4 == 21 && $NF == "rgb(96,96,96)"'
same ensemble paths.h5 <<'EOS'
states = f["ensemble/members"][:]
for panel, component in (1, 0), (3, 2):
    assert np.array_equal(b[f"members_{panel}"], np.vstack([f["ensemble/time"][:], states[:, :, component].T])), panel
assert "members_2" not in b
EOS
"$CASIMIR" run paths.yaml --quiet --output crowd.h5 --set study.members=30 >/dev/null || fail "crowd"
expect 0 'the first 20 of 30 members are drawn' "$CASIMIR" plot crowd.h5
[ ! -e wrong.svg ] || fail "a figure of what was refused"
[ "$failures" -eq 0 ]
