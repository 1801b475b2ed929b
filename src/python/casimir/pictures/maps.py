"""Maps on longitude and latitude, on the torus, or on the sphere seen from afar."""

import functools
import math
import re
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from ..engine import Observable, has_observable
from ..errors import Refused
from ..source import Series, nearest, snapshots, units
from .common import nothing, view_from
from .motion import failed_members, member_states

MOST_ROWS, MOST_COLUMNS, DISC = 256, 512, 256  # pixels: finer data would be finer than the paper


class Grid(NamedTuple):
    """Where the values of a map are: latitude and longitude in degrees, on the torus x2 and x1."""

    row: np.ndarray
    column: np.ndarray
    torus: bool

    @staticmethod
    def read(source, group, rows, columns):
        torus = f"{group}/x1" in source.datasets
        names = ("x2", "x1") if torus else ("latitude", "longitude")
        return Grid(*(source.column(f"{group}/{name}", n) for name, n in zip(names, (rows, columns))), torus)


def _pixels(at, around, most):
    """Both ends of an axis, and the index of the value nearest to each pixel, whatever the grid: an image needs equal ones. The
    ends are half a cell beyond the grid, or once around a circle of the length `around`, where a pixel is half of a cell so that
    the first cell can be at both ends."""
    n, low, high = len(at), min(at[0], at[-1]), max(at[0], at[-1])
    cell = (high - low) / (n - 1) if n > 1 else 1.0
    if n > 1 and around and abs(n * cell - around) < 0.01 * cell:
        pixels, high = min(2 * n, most), low + around
    else:
        pixels, low, high, around = min(n, most), low - cell / 2, high + cell / 2, 0
    centre = low + (high - low) * (np.arange(pixels) + 0.5) / pixels
    apart = np.abs(at[None, :] - centre[:, None])
    return low, high, np.argmin(np.minimum(apart, np.abs(apart - around)) if around else apart, axis=1)


class Pixels:
    """How maps of a grid become images, flat or as discs. Times upwards go around nothing."""

    def __init__(self, data, grid, view=None, over_time=False):
        if view and grid.torus:
            raise Refused("--view: a torus is not seen from one side")
        around = 2 * math.pi if grid.torus else 360
        if view:
            # the index of the value at each pixel of the disc, -1 outside of it
            right, up = np.meshgrid(*[(2 * np.arange(DISC) + 1.0) / DISC - 1] * 2)
            square = 1 - right**2 - up**2
            point = np.stack([right, up, np.sqrt(np.maximum(square, 0))], axis=-1).reshape(-1, 3) @ np.array(view_from(*view))
            latitude = np.degrees(np.arcsin(np.clip(point[:, 2], -1, 1)))
            longitude = np.degrees(np.arctan2(point[:, 1], point[:, 0]))
            row = np.argmin(np.abs(grid.row[:, None] - latitude), axis=0)
            apart = np.abs(np.remainder(grid.column[:, None] - longitude + 180, 360) - 180)
            place = np.where(square.ravel() < 0, -1, row * len(grid.column) + np.argmin(apart, axis=0))
            ends, self.place = (-1, 1, -1, 1), place.reshape(DISC, DISC)
        else:
            west, east, columns = _pixels(grid.column, around, MOST_COLUMNS)
            south, north, rows = _pixels(grid.row, around if grid.torus and not over_time else 0, MOST_ROWS)
            ends, self.place = (west, east, south, north), rows[:, None] * len(grid.column) + columns
        data.update(zip(("azimuth", "elevation"), view or ()), torus=int(grid.torus), orthographic=int(bool(view)))
        data.update(zip(("west", "east", "south", "north"), map(float, ends)))
        self.heading = "a row from left to right for each pixel of the disc from below" if view else \
            f"a row from west to east for each pixel {'of time' if over_time else 'from south to north'}"

    def write(self, data, name, values, units):
        for i, value in enumerate(values, 1):
            image = np.where(self.place < 0, math.nan, value.ravel()[np.maximum(self.place, 0)])
            data.write(f"{name}_{i}", [(self.heading, units)], image)


def _greatest(values):
    """The largest |value| of maps, 0 where none is a number."""
    return float(max((np.abs(v[np.isfinite(v)]).max() for v in values if np.isfinite(v).any()), default=0))


def _scale(request, name, values):
    """What colours reach: the largest |value|, or that of all frames of a film; 1 for a map of zeros."""
    return (request.frame[name] if request.frame else _greatest(values)) or 1.0


def find_map(source, group, behind=""):
    """The map that is drawn, and its name: that of --map, else the vorticity, else the first there is; (None, None)."""
    axes = [[source.datasets.get(f"{group}/{axis}") for axis in pair] for pair in (("latitude", "longitude"), ("x2", "x1"))]
    shapes = [(*pair[0].shape, *pair[1].shape) for pair in axes if None not in pair]
    others = [name for full, d in source.datasets.items() for name in re.findall(f"^{group}/([^/]*){behind}$", full)
              if d.shape[-2:] in shapes]
    for name in [source.map] if source.map else ["vorticity", *others]:
        d = source.datasets.get(f"{group}/{name}{behind}")
        if d is not None and d.dtype.kind != "c" and d.ndim >= 3:
            return d, name
    return None, None


def recorded(source):
    """Maps of a trajectory, or of its first path; None where there are none."""
    name = find_map(source, "/trajectory")[1]
    if len(source.series.get(name, ())) != 2:
        return None
    s = Series(source, name)
    maps = lambda i: [s.record(i)[0]]  # noqa: E731
    return SimpleNamespace(
        name=name, series=s, time=s.time, unit=s.units, grid=Grid.read(source, "/trajectory", *s.dims), times=4, maps=maps,
        scales={"greatest": maps}, labels=lambda t: [t], remark=f"path 0 of {s.paths} is drawn" if s.paths > 1 else "")


def of_members(source):
    """Maps of up to four members that did not fail, made of their states by an observable."""
    states = member_states(source)
    records, n = states.shape[:2]
    shown = np.flatnonzero(~failed_members(source, n))[:4].tolist()
    if not shown:
        raise Refused(f"{source.file}: all members failed")
    of = Observable(source.file, source.map or "vorticity", 2)
    maps = lambda i: list(of(states[i, shown]))  # noqa: E731
    return SimpleNamespace(
        name=of.name, time=source.column("/ensemble/time", records), unit=of.unit, grid=Grid(*of.axes.values(), "x2" in of.axes),
        times=8 // len(shown), maps=maps, scales={"greatest": maps}, labels=lambda t: [f"member {k}, {t}" for k in shown],
        remark=f"{len(shown)} of {n} members are drawn" if len(shown) < n else "")


def moments(source):
    """Maps of mean and variance of an ensemble; None where there are none."""
    mean, name = find_map(source, "/ensemble", "/mean")
    variance, time = source.datasets.get(f"/ensemble/{name}/variance"), source.find("/ensemble/time")
    if None in (mean, variance, time) or mean.ndim != 3 or mean.shape != variance.shape:
        return None
    return SimpleNamespace(
        time=source.column("/ensemble/time", mean.shape[0]), grid=Grid.read(source, "/ensemble", *mean.shape[1:]),
        units={"mean": units(mean), "variance": units(variance)},
        scales={"greatest": lambda i: [mean[i]], "greatest_variance": lambda i: [variance[i]]})


FITS = {"vorticity": recorded, "ensemble_maps": moments,
        "member_maps": lambda source: member_states(source) is not None and has_observable(source.file, source.map or "vorticity", 2),
        "hovmoeller": lambda source: (of := recorded(source)) and of.series.dataset.shape[0] > 1}


def _draw(kind, data, request, source):
    of = kind(source)
    shown = snapshots(data, request, of.time, of.times, "panels")
    values = [value for i in shown for value in of.maps(i)]
    labels = [label for i in shown for label in of.labels(f"t = {of.time[i]:g}")]
    data.update(panels=len(values), quantity=of.name, label=labels, units=of.unit)
    data["greatest"] = _scale(request, "greatest", values)
    Pixels(data, of.grid, request.view).write(data, "map", values, of.unit)
    if of.remark:
        request.remark(of.remark)


vorticity, member_maps = functools.partial(_draw, recorded), functools.partial(_draw, of_members)


def ensemble_maps(data, request, source):
    of = moments(source)
    shown = snapshots(data, request, of.time, 3)
    pixels = Pixels(data, of.grid, request.view)
    for (name, unit), (scale, read) in zip(of.units.items(), of.scales.items()):
        values = [read(i)[0] for i in shown]
        data[f"{name}_units"], data[f"greatest_{name}"] = unit, _scale(request, scale, values)
        pixels.write(data, name, values, unit)


def hovmoeller(data, request, source):
    of = recorded(source)
    s, grid = of.series, of.grid
    if grid.torus and request.view:
        raise Refused("--view: a torus has no circles of latitude")
    row = nearest(grid.row, request.view[1] if request.view else math.pi if grid.torus else 45)
    value = s.dataset[(slice(0, s.records), 0, row)[:: 1 if s.dataset.ndim == 4 else 2]].astype(float)
    data.update(torus=grid.torus, at=grid.row[row], greatest=_greatest([value]) or 1.0, quantity=of.name, units=of.unit)
    Pixels(data, Grid(s.time, grid.column, grid.torus), over_time=True).write(data, "strip", [value], s.units)
    if of.remark:
        request.remark(of.remark)


def film(picture, source):
    """The times of the frames, and the scales of colours that all share."""
    of = {"vorticity": recorded, "member_maps": of_members, "ensemble_maps": moments}[picture](source)
    scales = {name: max(_greatest(read(i)) for i in range(len(of.time))) for name, read in of.scales.items()}
    if not scales["greatest"] > 0:
        raise nothing(source, "value but 0")
    return of.time, scales
