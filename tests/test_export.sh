#!/bin/sh
# Files for ParaView: what VTK reads is what the results file holds, at every time; whole or not there.
# lane: figures
# needs: sprng
set -u
. "$SOURCE_DIR/tests/plot_checks.sh"

# run NAME: a results file of the configuration on standard input, and its export
run() {
  cat >"$1.yaml"
  "$CASIMIR" run "$1.yaml" --quiet --output "$1.h5" >/dev/null || fail "$1"
  expect 0 '' "$CASIMIR" export "$1.h5"
}

run sphere <<'EOS'
system: {name: euler_zeitlin, N: 6, latitudes: 12, noise: {amplitude: 0.2, lmin: 2}, initial: {random: {seed: 7, norm: 4, lmin: 1, lmax: 3}}}
study: {kind: trajectory, step: 2^-4, steps: 32, every: 16, paths: 2, observables: [vorticity]}
EOS
run torus <<'EOS'
system: {name: sine_euler, N: 5, grid: 8, initial: {random: {seed: 7, norm: 2, lmin: 1, lmax: 2}}}
study: {kind: ensemble, step: 2^-4, steps: 4, every: 2, paths: 4, bins: 16, members: 2, observables: [vorticity]}
EOS
run members <<'EOS'
system: {name: rigid_body, inertia: [2, 1, 0.6666666666666666], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: ensemble, step: 2^-2, steps: 20, every: 5, paths: 7, members: 5, observables: [hamiltonian]}
EOS
run vortices <<'EOS'
system: {name: point_vortices, gamma: [1, 1, 1, 1], noise: {sigma: 0.1}, initial: {random: {seed: 2, norm: 1}}}
study: {kind: trajectory, step: 2^-4, steps: 32, every: 8, paths: 3}
EOS

# Reads a step as VTK's documents say of version 2.0, from the parts of the arrays that the step has; and the first step by
# VTK's own reader, where that is.
cat >read.py <<'EOS'
import sys, h5py
import numpy as np
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None


def read(name):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(name)
    reader.Update()
    grid = reader.GetOutput()
    cells = grid.GetCellData()
    arrays = {cells.GetArrayName(i): vtk_to_numpy(cells.GetArray(i)) for i in range(cells.GetNumberOfArrays())}
    corners = [[grid.GetPoint(grid.GetCell(c).GetPointId(k)) for k in range(grid.GetCell(c).GetNumberOfPoints())]
               for c in range(grid.GetNumberOfCells())]
    return np.array(corners), arrays


def steps(name):
    """(time, corners of all cells, arrays) of every step"""
    with h5py.File(name) as f:
        g, s = f["VTKHDF"], f["VTKHDF/Steps"]
        assert list(g.attrs["Version"]) == [2, 0] and g.attrs["Type"] == b"UnstructuredGrid"
        n = s.attrs["NSteps"]
        assert all(len(s[k]) == n for k in ("Values", "PartOffsets", "NumberOfParts", "PointOffsets"))
        assert s["CellOffsets"].shape == s["ConnectivityIdOffsets"].shape == (n, 1) and set(s["NumberOfParts"]) == {1}
        for t in range(n):
            part = s["PartOffsets"][t]
            points, cells, ids = (g["NumberOf" + k][part] for k in ("Points", "Cells", "ConnectivityIds"))
            p, c, i = s["PointOffsets"][t], s["CellOffsets"][t, 0], s["ConnectivityIdOffsets"][t, 0]
            places, joint = g["Points"][p : p + points], g["Connectivity"][i : i + ids]
            offsets, types = g["Offsets"][c : c + cells + 1], g["Types"][c : c + cells]
            data = {}
            for array in g["CellData"]:
                o = s["CellDataOffsets/" + array][t]
                data[array] = g["CellData/" + array][o : o + cells]
            assert set(types) <= {1, 9} and offsets[-1] == ids and joint.max() < points
            corners = places[joint].reshape(cells, -1, 3)
            yield s["Values"][t], corners, data


def area(corners):
    """of each quadrilateral on the unit sphere, by the solid angles of two triangles"""
    def angle(a, b, c):
        triple = np.einsum("ij,ij->i", a, np.cross(b, c))
        return 2 * np.arctan2(triple, 1 + sum(np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a))))
    a, b, c, d = corners.transpose(1, 0, 2)
    return angle(a, b, c) + angle(a, c, d)


with h5py.File("sphere.h5") as f:
    t = f["trajectory"]
    latitude, longitude = np.radians(t["latitude"][:]), np.radians(t["longitude"][:])
    toward = np.stack([np.outer(np.cos(latitude), np.cos(longitude)), np.outer(np.cos(latitude), np.sin(longitude)),
                       np.outer(np.sin(latitude), np.ones_like(longitude))], -1).reshape(-1, 3)
    found = list(steps("sphere.vtkhdf"))
    assert [time for time, _, _ in found] == list(t["time"]) and len(found) == 3
    for k, (_, corners, data) in enumerate(found):
        assert np.array_equal(data["vorticity"], t["vorticity"][k, 0].ravel())  # of the first path
        assert np.allclose(np.linalg.norm(corners, axis=-1), 1)
        middle = corners.mean(1) / np.linalg.norm(corners.mean(1), axis=-1, keepdims=True)
        assert np.arccos(np.clip((middle * toward).sum(-1), -1, 1)).max() < np.pi / 12 / 2
        # all of the sphere and nothing twice, seen from outside: the area of bands of chords is a little less than 4 pi
        assert (area(corners) > 0).all() and abs(area(corners).sum() - 4 * np.pi) < 0.02, area(corners).sum()
with h5py.File("torus.h5") as f:
    e = f["ensemble"]
    for k, (time, corners, data) in enumerate(steps("torus.vtkhdf")):
        assert time == e["time"][k]
        assert all(np.array_equal(data[name], e["vorticity"][name][k].ravel()) for name in ("mean", "variance"))
        middle = corners.mean(1).reshape(8, 8, 3)
        assert np.allclose(middle[..., 0], e["x1"][:][None]) and np.allclose(middle[..., 1], e["x2"][:][:, None])
        assert np.ptp(corners[..., 0]) == np.ptp(corners[..., 1]) and abs(np.ptp(corners[..., 0]) - 2 * np.pi) < 1e-12
with h5py.File("members.h5") as f:
    for k, (time, corners, data) in enumerate(steps("members.vtkhdf")):
        assert time == f["ensemble/time"][k] and np.array_equal(corners[:, 0], f["ensemble/members"][k])
        assert list(data["member"]) == [0, 1, 2, 3, 4] and not data["point"].any()
    assert k == 4
with h5py.File("vortices.h5") as f:
    for k, (time, corners, data) in enumerate(steps("vortices.vtkhdf")):
        assert time == f["trajectory/time"][k] and np.array_equal(corners[:, 0], f["trajectory/state"][k].reshape(-1, 3))
        assert list(data["path"]) == [0] * 4 + [1] * 4 + [2] * 4 and list(data["point"]) == [0, 1, 2, 3] * 3
if vtk:  # a reader that knows no steps sees the first
    for name in "sphere.vtkhdf", "torus.vtkhdf", "members.vtkhdf", "vortices.vtkhdf":
        (seen, arrays), (_, corners, data) = read(name), next(steps(name))
        assert np.allclose(seen, corners, atol=1e-6), name
        assert arrays.keys() == data.keys() and all(np.array_equal(arrays[k], data[k]) for k in data), name
else:
    print("skipped: reading by VTK, which python3-vtk9 has")
EOS
"$python" read.py 2>read.errors || fail "what is exported: $(tail -5 read.errors)"

# a place of one's own; what cannot be exported; what was there stays
expect 0 '' "$CASIMIR" export vortices.h5 --output other.vtkhdf
cmp vortices.vtkhdf other.vtkhdf || fail "equal contents are not equal bytes"
cp other.vtkhdf before
cat >errors.yaml <<'EOS'
system: {name: rigid_body, inertia: [2, 1, 0.5], noise: {kind: quadratic, sigma: 0.1}}
study: {kind: strong, coarsest_step: 2^-5, coarsest_steps: 2, levels: 2, reference: 3, paths: 8}
EOS
"$CASIMIR" run errors.yaml --quiet --output errors.h5 >/dev/null || fail "errors"
expect 2 'holds nothing to export: neither vorticity' "$CASIMIR" export errors.h5 --output other.vtkhdf
expect 2 'must end in .vtkhdf' "$CASIMIR" export vortices.h5 --output other.vtk
expect 2 'one results file only' "$CASIMIR" export vortices.h5 members.h5
expect 2 'the results file is missing' "$CASIMIR" export
expect 3 'nowhere' "$CASIMIR" export vortices.h5 --output nowhere/other.vtkhdf
cp vortices.h5 same.vtkhdf
expect 2 'is what is exported; give another --output' "$CASIMIR" export same.vtkhdf
cmp same.vtkhdf vortices.h5 || fail "an export in the place of its source"
# cut off in the middle, at a limit of its size
(
  ulimit -f 2
  exec "$CASIMIR" export sphere.h5 --output other.vtkhdf 2>messages
)
status=$?
[ $status -eq 3 ] || fail "status $status at a limit of file sizes: $(cat messages)"
cmp other.vtkhdf before && [ ! -e other.vtkhdf.tmp ] || fail "a failure leaves $(ls other*)"
[ "$failures" -eq 0 ]
