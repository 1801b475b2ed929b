"""Maps on longitude and latitude, on the torus, or on the sphere seen from afar."""

import math

import numpy as np

from ..engine import Observable, has_observable
from ..errors import Refused
from ..source import Series, find_series, nearest, snapshots
from .common import nothing, view_from
from .spheres import failed_members, member_states

MOST_ROWS, MOST_COLUMNS, DISC = 256, 512, 256  # pixels: finer data would be finer than the paper
EAST = "a row from west to east for each pixel "


# ---- grids and pixels ----


class Grid:
    """Where the values of a map are: latitude and longitude in degrees, on the torus x2 and x1."""

    def __init__(self, row, column, torus):
        self.row, self.column, self.torus = row, column, torus

    @staticmethod
    def read(source, group, rows, columns):
        torus = f"{group}/x1" in source.datasets
        return Grid(source.column(f"{group}/{'x2' if torus else 'latitude'}", rows),
                    source.column(f"{group}/{'x1' if torus else 'longitude'}", columns), torus)


def _extent(at, around, most):
    """Pixels, the two ends, and the circle's length or 0: half a cell more at both ends, or once around, where a pixel is
    half of a cell so that the first cell can be at both ends."""
    n, low, high = len(at), min(at[0], at[-1]), max(at[0], at[-1])
    cell = (high - low) / (n - 1) if n > 1 else 1.0
    if n > 1 and around and abs(n * cell - around) < 0.01 * cell:
        return min(2 * n, most), low, low + around, around
    return min(n, most), low - cell / 2, high + cell / 2, 0


def _indices(at, extent):
    """Each pixel takes the value nearest to it, whatever the grid: an image needs equal ones."""
    pixels, low, high, around = extent
    centre = low + (high - low) * (np.arange(pixels) + 0.5) / pixels
    apart = np.abs(at[None, :] - centre[:, None])
    return np.argmin(np.minimum(apart, np.abs(apart - around)) if around else apart, axis=1)


def _disc(grid, view):
    """The index of the value at each pixel of the disc, -1 outside of it."""
    x = (2 * np.arange(DISC) + 1.0) / DISC - 1
    right, up = np.meshgrid(x, x)
    square = 1 - right**2 - up**2
    point = np.stack([right, up, np.sqrt(np.maximum(square, 0))], axis=-1).reshape(-1, 3) @ np.array(view_from(*view))
    latitude = np.degrees(np.arcsin(np.clip(point[:, 2], -1, 1)))
    longitude = np.degrees(np.arctan2(point[:, 1], point[:, 0]))
    row = np.argmin(np.abs(grid.row[:, None] - latitude[None, :]), axis=0)
    apart = np.abs(np.remainder(grid.column[:, None] - longitude[None, :] + 180, 360) - 180)
    return np.where(square.ravel() < 0, -1, row * len(grid.column) + np.argmin(apart, axis=0)).reshape(DISC, DISC)


class Pixels:
    """How maps of a grid become images, flat or as discs; `image(map)`. Times upwards go around nothing."""

    def __init__(self, grid, view=None, over_time=False):
        self.view, self.torus = view, grid.torus
        if view and grid.torus:
            raise Refused("--view: a torus is not seen from one side")
        around = 2 * math.pi if grid.torus else 360
        self.across = (DISC, -1.0, 1.0, 0) if view else _extent(grid.column, around, MOST_COLUMNS)
        self.up = self.across if view else _extent(grid.row, around if grid.torus and not over_time else 0, MOST_ROWS)
        if view:
            self.place = _disc(grid, view)
        else:
            self.rows, self.columns = _indices(grid.row, self.up), _indices(grid.column, self.across)

    def image(self, value):
        if self.view:
            return np.where(self.place < 0, math.nan, value.ravel()[np.maximum(self.place, 0)])
        return value[self.rows[:, None], self.columns[None, :]]

    def describe(self, data):
        if self.view:
            data["azimuth"], data["elevation"] = self.view
        data["torus"], data["orthographic"] = int(self.torus), int(bool(self.view))
        data["west"], data["east"], data["south"], data["north"] = (float(v) for v in (*self.across[1:3], *self.up[1:3]))
        data["columns"], data["rows"] = self.across[0], self.up[0]

    def write(self, data, name, values, units, upwards="from south to north"):
        heading = "a row from left to right for each pixel of the disc from below" if self.view else EAST + upwards
        for i, value in enumerate(values, 1):
            data.matrix(f"{name}_{i}", heading, units, self.image(value))


# ---- maps of files ----


def _greatest(values):
    """The largest |value| of maps, 0 where none is a number."""
    return float(max((np.abs(v[np.isfinite(v)]).max() for v in values if np.isfinite(v).any()), default=0))


def _scale(request, name, values):
    """What colours reach: the largest |value|, or that of all frames of a film; 1 for a map of zeros."""
    return (request.frame[name] if request.frame else _greatest(values)) or 1.0


def _is_map(source, group, d):
    scales = [[source.datasets.get(f"{group}/{axis}") for axis in axes] for axes in (("latitude", "longitude"), ("x2", "x1"))]
    return d.dtype.kind != "c" and d.ndim >= 3 and any(None not in pair and (*pair[0].shape, *pair[1].shape) == d.shape[-2:]
                                                       for pair in scales)


def find_map(source, group, behind=""):
    """The map that is drawn, and its name: that of --map, else the vorticity, else the first there is; (None, None)."""
    name = source.map or "vorticity"
    d = source.datasets.get(f"{group}/{name}{behind}")
    if d is not None and d.dtype.kind != "c" and d.ndim >= 3:
        return d, name
    for full, d in source.datasets.items() if not source.map else ():
        own = full[len(group) + 1: len(full) - len(behind)]
        if full == f"{group}/{own}{behind}" and own and "/" not in own and _is_map(source, group, d):
            return d, own
    return None, None


class Recorded:
    """Maps of a trajectory, or of its first path."""

    times = 4

    def __init__(self, source):
        d, self.name = find_map(source, "/trajectory")
        self.fits = d is not None and find_series(source, self.name, 2) is not None
        if self.fits:
            self.series = Series(source, self.name, 2, read=False)
            self.time, self.unit = self.series.time, self.series.units
            self.grid = Grid.read(source, "/trajectory", *self.series.dims)

    def maps(self, i):
        return [self.series.record(i)[0]]

    def labels(self, i):
        return [f"t = {self.time[i]:g}"]

    def remarks(self):
        return f"path 0 of {self.series.paths} is drawn" if self.series.paths > 1 else ""


class Members:
    """Up to four members that did not fail, and the observable that makes maps of their states."""

    def __init__(self, source):
        self.states = member_states(source)
        self.time = source.column("/ensemble/time", self.states.shape[0])
        self.shown = [int(i) for i in np.flatnonzero(~failed_members(source, self.states.shape[1]))[:4]]
        if not self.shown:
            raise Refused(f"{source.file}: all members failed")
        self.observable = of = Observable(source.file, source.map or "vorticity", 2)
        self.name, self.unit, self.grid = of.name, of.unit, Grid(*of.axes.values(), "x2" in of.axes)
        self.times = 8 // len(self.shown)

    def maps(self, i):
        return list(self.observable(np.stack([self.states[i, m] for m in self.shown])))

    def labels(self, i):
        return [f"member {k}, t = {self.time[i]:g}" for k in self.shown]

    def remarks(self):
        n = self.states.shape[1]
        return f"{len(self.shown)} of {n} members are drawn" if len(self.shown) < n else ""


def has_vorticity(source):
    return Recorded(source).fits


def has_member_maps(source):
    return member_states(source) is not None and has_observable(source.file, source.map or "vorticity", 2)


def _draw(data, request, source, of):
    shown = snapshots(request, source, of.time, of.times)
    values = [value for i in shown for value in of.maps(i)]
    pixels = Pixels(of.grid, request.view)
    data["panels"], data["when"], data["quantity"] = len(values), [float(of.time[i]) for i in shown], of.name
    data["label"] = [label for i in shown for label in of.labels(i)]
    data["units"], data["greatest"] = of.unit, _scale(request, "greatest", values)
    pixels.describe(data)
    pixels.write(data, "map", values, of.unit)
    if of.remarks():
        request.remark(of.remarks())


def vorticity(data, request, source):
    _draw(data, request, source, Recorded(source))


def member_maps(data, request, source):
    _draw(data, request, source, Members(source))


def has_hovmoeller(source):
    of = Recorded(source)
    return of.fits and of.series.dataset.shape[0] > 1


def hovmoeller(data, request, source):
    of = Recorded(source)
    s, grid = of.series, of.grid
    if grid.torus and request.view:
        raise Refused("--view: a torus has no circles of latitude")
    row = nearest(grid.row, request.view[1] if request.view else math.pi if grid.torus else 45)
    value = s.dataset[(slice(0, s.records), 0, row)[:: 1 if s.dataset.ndim == 4 else 2]].astype(float)
    data["torus"], data["at"], data["greatest"] = int(grid.torus), float(grid.row[row]), _greatest([value]) or 1.0
    data["quantity"], data["units"] = of.name, of.unit
    pixels = Pixels(Grid(s.time, grid.column, grid.torus), over_time=True)
    pixels.describe(data)
    pixels.write(data, "strip", [value], s.units, "of time")
    if of.remarks():
        request.remark(of.remarks())


# ---- moments of ensembles ----


class Moments:
    """Maps of mean and variance."""

    def __init__(self, source):
        self.mean, name = find_map(source, "/ensemble", "/mean")
        self.variance, time = source.datasets.get(f"/ensemble/{name}/variance"), source.find("/ensemble/time")
        self.fits = None not in (self.mean, self.variance, time) and self.mean.ndim == 3 and self.mean.shape == self.variance.shape \
            and all(self.mean.shape) and self.mean.shape[0] == time.shape[0]
        if self.fits:
            self.time = source.column("/ensemble/time", self.mean.shape[0])


def has_ensemble_maps(source):
    return Moments(source).fits


def ensemble_maps(data, request, source):
    of = Moments(source)
    pixels = Pixels(Grid.read(source, "/ensemble", *of.mean.shape[1:]), request.view)
    shown = snapshots(request, source, of.time, 3)
    data["snapshots"], data["when"] = len(shown), [float(of.time[i]) for i in shown]
    pixels.describe(data)
    for name, d, scale in (("mean", of.mean, "greatest"), ("variance", of.variance, "greatest_variance")):
        values = [d[i].astype(float) for i in shown]
        data[f"{name}_units"], data[f"greatest_{name}"] = source.units(d), _scale(request, scale, values)
        pixels.write(data, name, values, source.units(d))


# ---- films: times of the frames, and the scales of colours that all share ----


def _film(source, time, **maps):
    """maps: for each scale a function that reads the maps of a record."""
    scales = {name: max(_greatest(read(i)) for i in range(len(time))) for name, read in maps.items()}
    if not scales["greatest"] > 0:
        raise nothing(source, "value but 0")
    return time, scales


def vorticity_film(source, request):
    of = Recorded(source)
    return _film(source, of.time, greatest=of.maps)


def member_maps_film(source, request):
    of = Members(source)
    return _film(source, of.time, greatest=of.maps)


def ensemble_maps_film(source, request):
    of = Moments(source)
    return _film(source, of.time, greatest=lambda i: [of.mean[i]], greatest_variance=lambda i: [of.variance[i]])
