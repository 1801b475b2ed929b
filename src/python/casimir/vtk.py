"""VTKHDF files (version 2.0, with time steps) for ParaView: maps as quadrilaterals, states and members as vertices."""

import io
import math
import signal

import h5py
import numpy as np

from . import __version__
from .errors import Interrupted, Refused
from .film import Progress
from .pictures.common import on_sphere
from .pictures.maps import Grid
from .source import Source, units

VERTEX, QUADRILATERAL = 1, 9  # numbers of VTK's cells
ENDING = {signal.SIGTERM, signal.SIGINT}  # waits for the end of a record: an exception in a Sink would be one in HDF5

# the datasets, the names of the arrays of cells (none: vertices), the group, and what its second axis counts
KINDS = [(["/trajectory/vorticity"], ["vorticity"], "/trajectory", "path"),
         (["/ensemble/vorticity/mean", "/ensemble/vorticity/variance"], ["mean", "variance"], "/ensemble", "member"),
         (["/ensemble/members"], [], "/ensemble", "member"), (["/trajectory/state"], [], "/trajectory", "path")]


def _find(source):
    for names, arrays, group, outer in KINDS:
        time, found = source.find(f"{group}/time"), [source.find(name, 3 if arrays else 2) for name in names]
        if time is not None and all(d is not None and d.dtype.kind != "c" and d.shape[0] == time.shape[0] for d in found) \
                and (arrays or found[0].shape[-1] == 3):
            return found, arrays, group, outer
    raise Refused(f"{source.file}: holds nothing to export: neither vorticity over latitude and longitude, or over x2 and x1, nor "
                  "states or members of 3 or n x 3 real components")


def _edges(at, low, high):
    """Of cells around coordinates: half way between two, and `low` and `high` at the ends."""
    ends = (low, high) if at[-1] >= at[0] else (high, low)
    return np.concatenate([ends[:1], (at[:-1] + at[1:]) / 2, ends[1:]])


def _mesh(grid):
    """Corners [n, 3] and cells [m, 4]: every cell has the part of the surface around its value."""
    around = 2 * math.pi if grid.torus else 360
    left = min(grid.column[0], grid.column[-1]) - around / 2 / len(grid.column)
    low = min(grid.row[0], grid.row[-1]) - math.pi / len(grid.row) if grid.torus else -90
    across, up = np.meshgrid(_edges(grid.column, left, left + around), _edges(grid.row, low, low + around if grid.torus else 90))
    corners = np.stack([across, up, 0 * up], axis=-1) if grid.torus else on_sphere(np.radians(across), np.radians(up))
    n = len(grid.column) + 1
    first = (np.arange(len(grid.row))[:, None] * n + np.arange(len(grid.column))[None, :]).ravel()
    return corners.reshape(-1, 3), np.stack([first, first + 1, first + n + 1, first + n], axis=1)


class Sink(io.FileIO):
    """The file that HDF5 writes. Python ends by a fault where HDF5 cannot write what it has in memory, as on a full disk: what
    cannot be written is kept in `error`, and from there on nothing is written."""

    error = None

    def write(self, data):
        left = memoryview(data).cast("B")
        try:
            while left and self.error is None:
                left = left[super().write(left):]
        except OSError as reason:
            self.error = reason
        return len(data)

    def truncate(self, size=None):
        try:
            return super().truncate(size)
        except OSError as reason:
            self.error = self.error or reason
            return size

    def __exit__(self, *reason):
        super().__exit__(*reason)
        if self.error is not None:  # is why HDF5 failed, if it did
            raise self.error


def _begin(file, time, points, cells):
    """Writes all but what moves, of one step or of all; the groups of VTKHDF and of its steps."""
    root, n, corners = file.create_group("VTKHDF"), len(points), cells.shape[1]
    root.attrs["Version"] = np.array([2, 0], "i4")
    root.attrs.create("Type", b"UnstructuredGrid", dtype=h5py.string_dtype("ascii", 16))
    file.flush()  # what an end that nobody can catch leaves behind is known as such
    moving, of, zeros = corners == 1, np.arange(len(time)), np.zeros(len(time), int)
    for name, value in {"NumberOfPoints": [n], "NumberOfCells": [len(cells)], "NumberOfConnectivityIds": [cells.size],
                        "Connectivity": cells.ravel(), "Offsets": np.arange(len(cells) + 1) * corners,
                        "Steps/PartOffsets": zeros, "Steps/NumberOfParts": zeros + 1, "Steps/PointOffsets": of * n * moving,
                        "Steps/CellOffsets": zeros[:, None], "Steps/ConnectivityIdOffsets": zeros[:, None]}.items():
        root[name] = np.asarray(value, "i8")
    root["Types"] = np.full(len(cells), VERTEX if moving else QUADRILATERAL, "u1")
    root.create_dataset("Points", (n * (len(time) if moving else 1), 3), "f8")
    if not moving:
        root["Points"][...] = points
    steps = root["Steps"]
    steps.attrs["NSteps"], steps["Values"] = np.int64(len(time)), time
    return root, root.create_group("CellData"), steps.create_group("CellDataOffsets")


def write(name, into):
    """What a results file holds, with all its times."""
    source = Source(name)
    found, arrays, group, outer = _find(source)
    first = found[0]
    time = source.column(f"{group}/time", first.shape[0])
    n = int(np.prod(first.shape[1:-1]))
    points, cells = _mesh(Grid.read(source, group, *first.shape[-2:])) if arrays else (np.zeros((n, 3)), np.arange(n)[:, None])
    progress, m = Progress("record", len(time)), len(cells)
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    with Sink(into, "w+") as sink, h5py.File(sink, "w") as file:
        file.attrs["casimir_version"] = __version__
        root, data, offsets = _begin(file, time, points, cells)
        for array, d in zip(arrays, found):
            data.create_dataset(array, (m * len(time),), "f8").attrs["units"] = units(d) or "1"
            offsets[array] = np.arange(len(time), dtype="i8") * m
        each = n // (first.shape[1] if f"{group}/{outer}" in source.datasets else 1)
        for constant, value in ((outer, np.arange(n) // each), ("point", np.arange(n) % each)) if not arrays else ():
            data[constant], offsets[constant] = value.astype("f8"), np.zeros(len(time), "i8")
        for i in range(len(time)):
            if signal.sigpending() & ENDING:
                raise Interrupted(f"interrupted after {i} of {len(time)} records; there is no file for ParaView")
            if sink.error is not None:
                break
            for d, of in zip(found, map(data.get, arrays) if arrays else [root["Points"]]):
                value = d[i].astype(float).reshape(-1, *(() if arrays else (3,)))[:m]  # of several paths the first
                of[i * m:(i + 1) * m] = value
            progress.show(i + 1)
