"""VTKHDF files (version 2.0, with time steps) for ParaView: maps as quadrilaterals, states and members as vertices."""

import contextlib
import io
import math
import signal

import h5py
import numpy as np

from .errors import Interrupted, Refused
from .film import Progress
from .pictures.common import on_sphere
from .pictures.maps import Grid
from .source import Source

VERTEX, QUADRILATERAL = 1, 9  # numbers of VTK's cells

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
    across = _edges(grid.column, left, left + around)
    if grid.torus:
        low = min(grid.row[0], grid.row[-1]) - math.pi / len(grid.row)
        y, x = np.meshgrid(_edges(grid.row, low, low + around), across, indexing="ij")
        corners = np.stack([x, y, np.zeros_like(x)], axis=-1)
    else:
        b, a = np.meshgrid(np.radians(_edges(grid.row, -90, 90)), np.radians(across), indexing="ij")
        corners = on_sphere(a, b)
    n = len(across)
    first = (np.arange(len(grid.row))[:, None] * n + np.arange(len(grid.column))[None, :]).ravel()
    return corners.reshape(-1, 3), np.stack([first, first + 1, first + n + 1, first + n], axis=1)


class Writer:
    def __init__(self, file, time, cells, points, moving):
        """cells: [m, corners] of each; points: those of all steps, or how many with `moving`."""
        self.root = file.create_group("VTKHDF")
        self.root.attrs["Version"] = np.array([2, 0], "i4")
        self.root.attrs.create("Type", b"UnstructuredGrid", dtype=h5py.string_dtype("ascii", 16))
        file.flush()  # what an end that nobody can catch leaves behind is known as such
        self.steps, self.cells, corners = len(time), len(cells), cells.shape[1]
        n = points if moving else len(points)
        for name, value in (("NumberOfPoints", n), ("NumberOfCells", self.cells), ("NumberOfConnectivityIds", cells.size)):
            self.root[name] = np.array([value], "i8")
        self.root["Connectivity"] = cells.ravel().astype("i8")
        self.root["Offsets"] = np.arange(self.cells + 1, dtype="i8") * corners
        self.root["Types"] = np.full(self.cells, VERTEX if corners == 1 else QUADRILATERAL, "u1")
        self.points = self.root.create_dataset("Points", (n * (self.steps if moving else 1), 3), "f8")
        if not moving:
            self.points[...] = points
        steps = self.root.create_group("Steps")
        steps.attrs["NSteps"] = np.int64(self.steps)
        steps["Values"] = time
        zeros = np.zeros(self.steps, "i8")
        steps["PartOffsets"], steps["NumberOfParts"] = zeros, zeros + 1
        steps["PointOffsets"] = np.arange(self.steps, dtype="i8") * (n if moving else 0)
        steps["CellOffsets"], steps["ConnectivityIdOffsets"] = zeros[:, None], zeros[:, None]
        self.data, self.offsets = self.root.create_group("CellData"), steps.create_group("CellDataOffsets")

    def constant(self, name, value):
        self.data[name] = np.asarray(value, "f8")
        self.offsets[name] = np.zeros(self.steps, "i8")

    def array(self, name, units):
        d = self.data.create_dataset(name, (self.cells * self.steps,), "f8")
        d.attrs["units"] = units or "1"
        self.offsets[name] = np.arange(self.steps, dtype="i8") * self.cells
        return d


class Sink(io.FileIO):
    """The file that HDF5 writes. Python ends by a fault where HDF5 cannot write what it has in memory, as on a full disk: what
    cannot be written is kept in `error`, and from there on nothing is written."""

    error = None

    def _try(self, call, *arguments):
        try:
            return call(*arguments) if self.error is None else None
        except OSError as reason:
            self.error = reason

    def write(self, data):
        left = memoryview(data).cast("B")
        while left and self.error is None:
            left = left[self._try(super().write, left) or 0:]
        return len(data)

    def truncate(self, size=None):
        self._try(super().truncate, size)
        return size

    def check(self):
        if self.error is not None:
            raise self.error

    def __exit__(self, *reason):
        super().__exit__(*reason)
        self.check()  # is why HDF5 failed, if it did


@contextlib.contextmanager
def _signals_kept():
    """What asks to end, as a list: an exception in a Sink would be one in HDF5."""
    asked, signals = [], (signal.SIGTERM, signal.SIGINT)
    former = [signal.signal(s, lambda number, frame: asked.append(number)) for s in signals]
    try:
        yield asked
    finally:
        for s, handler in zip(signals, former):
            signal.signal(s, handler)


def write(name, into):
    """What a results file holds, with all its times."""
    from . import __version__

    source = Source(name)
    found, arrays, group, outer = _find(source)
    first = found[0]
    time = source.column(f"{group}/time", first.shape[0])
    progress = Progress("record", len(time))
    with _signals_kept() as asked, Sink(into, "w+") as sink:
        with h5py.File(sink, "w") as file:
            file.attrs["casimir_version"] = __version__
            if arrays:
                points, cells = _mesh(Grid.read(source, group, *first.shape[-2:]))
                w = Writer(file, time, cells, points, False)
                values = [w.array(a, source.units(d)) for a, d in zip(arrays, found)]
            else:
                several = f"{group}/{outer}" in source.datasets
                n = int(np.prod(first.shape[1:-1]))
                each = n // (first.shape[1] if several else 1)
                w = Writer(file, time, np.arange(n)[:, None], n, True)
                w.constant(outer, np.arange(n) // each)
                w.constant("point", np.arange(n) % each)
            for i in range(len(time)):
                sink.check()
                if asked:
                    raise Interrupted(f"interrupted after {i} of {len(time)} records; there is no file for ParaView")
                for d, of in zip(found, values if arrays else [w.points]):
                    value = d[i].astype(float).reshape(-1, *(() if arrays else (3,)))[: w.cells]  # of several paths the first
                    of[i * w.cells:(i + 1) * w.cells] = value
                progress.show(i + 1)
