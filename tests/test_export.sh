#!/bin/sh
# Files for ParaView: what VTK reads is what the results file holds, at every time; whole or not there.
# lane: figures
# needs: sprng
. "$SOURCE_DIR/tests/plot_checks.sh"

results zonal torus fluid ensemble vortices quantiles
"$CASIMIR" run vortices.yaml --quiet --output vortices.h5 --set study.paths=3 --set study.every=64 >/dev/null || fail "vortices"
for name in zonal torus fluid ensemble vortices; do ends 0 '' "$CASIMIR" export $name.h5; done

# Reads a step as VTK's documents say of version 2.0, from the parts of the arrays that the step has; and the first step by
# VTK's own reader, where that is.
"$python" - 2>read.errors <<'EOS' || fail "what is exported: $(tail -5 read.errors)"
import h5py
import numpy as np
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = print("skipped: reading by VTK, which python3-vtk9 has")


def first(name):
    """By a reader that knows no steps"""
    reader = vtk.vtkHDFReader()
    reader.SetFileName(name)
    reader.Update()
    grid = reader.GetOutput()
    cells, points = grid.GetCellData(), vtk_to_numpy(grid.GetPoints().GetData())
    corners = points[vtk_to_numpy(grid.GetCells().GetConnectivityArray())].reshape(grid.GetNumberOfCells(), -1, 3)
    return corners, {cells.GetArrayName(i): vtk_to_numpy(cells.GetArray(i)) for i in range(cells.GetNumberOfArrays())}


def steps(name):
    """(time, corners of all cells, arrays) of every step"""
    with h5py.File(name) as f:
        g, s = f["VTKHDF"], f["VTKHDF/Steps"]
        assert list(g.attrs["Version"]) == [2, 0] and g.attrs["Type"] == b"UnstructuredGrid"
        n = s.attrs["NSteps"]
        assert all(len(s[k]) == n for k in ("Values", "PartOffsets", "NumberOfParts", "PointOffsets"))
        assert s["CellOffsets"].shape == s["ConnectivityIdOffsets"].shape == (n, 1) and set(s["NumberOfParts"]) == {1}
        for t in range(n):
            points, cells, ids = (g["NumberOf" + k][s["PartOffsets"][t]] for k in ("Points", "Cells", "ConnectivityIds"))
            p, c, i = s["PointOffsets"][t], s["CellOffsets"][t, 0], s["ConnectivityIdOffsets"][t, 0]
            places, joint = g["Points"][p:p + points], g["Connectivity"][i:i + ids]
            offsets, types = g["Offsets"][c:c + cells + 1], g["Types"][c:c + cells]
            at = {array: s["CellDataOffsets/" + array][t] for array in g["CellData"]}
            assert set(types) <= {1, 9} and offsets[-1] == ids and joint.max() < points
            yield s["Values"][t], places[joint].reshape(cells, -1, 3), {a: g["CellData"][a][o:o + cells] for a, o in at.items()}


def area(corners):
    """Of each quadrilateral on the unit sphere, by the solid angles of two triangles"""
    def angle(a, b, c):
        triple = np.einsum("ij,ij->i", a, np.cross(b, c))
        return 2 * np.arctan2(triple, 1 + sum(np.einsum("ij,ij->i", x, y) for x, y in ((a, b), (b, c), (c, a))))
    a, b, c, d = corners.transpose(1, 0, 2)
    return angle(a, b, c) + angle(a, c, d)


def check_place(name, at, corners):
    """Cells around the points of a grid: all of the surface and nothing twice, seen from outside"""
    middle = corners.mean(1)
    if name == "torus":
        middle = middle.reshape(8, 8, 3)
        assert np.allclose(middle[..., 0], at["x1"][:][None]) and np.allclose(middle[..., 1], at["x2"][:][:, None])
        assert np.ptp(corners[..., 0]) == np.ptp(corners[..., 1]) and abs(np.ptp(corners[..., 0]) - 2 * np.pi) < 1e-12
        return
    up, across = np.meshgrid(np.radians(at["latitude"]), np.radians(at["longitude"]), indexing="ij")
    toward = np.stack([np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)], -1).reshape(-1, 3)
    assert np.allclose(np.linalg.norm(corners, axis=-1), 1)
    assert np.arccos(np.clip((middle * toward).sum(-1) / np.linalg.norm(middle, axis=-1), -1, 1)).max() < np.pi / 16 / 2
    # the area of bands of chords is a little less than 4 pi
    assert (area(corners) > 0).all() and abs(area(corners).sum() - 4 * np.pi) < 0.02, area(corners).sum()


maps = {"zonal": ("trajectory", {"vorticity": "vorticity"}), "torus": ("trajectory", {"vorticity": "vorticity"}),
        "fluid": ("ensemble", {"mean": "vorticity/mean", "variance": "vorticity/variance"})}
states = {"ensemble": ("ensemble", "members", "member", 30, 1), "vortices": ("trajectory", "state", "path", 3, 4)}
for name in [*maps, *states]:
    with h5py.File(name + ".h5") as f:
        at, found = f[(maps.get(name) or states[name])[0]], list(steps(name + ".vtkhdf"))
        assert [time for time, _, _ in found] == list(at["time"]) and len(found) > 2
        for k, (_, corners, data) in enumerate(found):
            if name in maps:
                for array, dataset in maps[name][1].items():
                    assert np.array_equal(data[array], at[dataset][k].ravel()[:len(corners)])  # of the first path
                check_place(name, at, corners)
            else:
                _, dataset, outer, n, each = states[name]
                assert np.array_equal(corners[:, 0], at[dataset][k].reshape(-1, 3))
                assert np.array_equal(data[outer], np.repeat(range(n), each)) and np.array_equal(data["point"], [*range(each)] * n)
    if vtk:
        (seen, arrays), (_, corners, data) = first(name + ".vtkhdf"), found[0]
        assert np.allclose(seen, corners, atol=1e-6), name
        assert arrays.keys() == data.keys() and all(np.array_equal(arrays[k], data[k]) for k in data), name
EOS

# a place of one's own; what cannot be exported; what was there stays
ends 0 '' "$CASIMIR" export vortices.h5 --output other.vtkhdf
cmp vortices.vtkhdf other.vtkhdf || fail "equal contents are not equal bytes"
ends 2 'holds nothing to export: neither vorticity' "$CASIMIR" export quantiles.h5 --output other.vtkhdf
ends 2 'must end in .vtkhdf' "$CASIMIR" export vortices.h5 --output other.vtk
ends 2 'one results file only' "$CASIMIR" export vortices.h5 ensemble.h5
ends 2 'the results file is missing' "$CASIMIR" export
cp vortices.h5 same.vtkhdf
ends 2 'is what is exported; give another --output' "$CASIMIR" export same.vtkhdf
cmp vortices.vtkhdf other.vtkhdf && cmp same.vtkhdf vortices.h5 && [ ! -e other.vtkhdf.tmp ] || fail "a failure leaves $(ls other*)"
