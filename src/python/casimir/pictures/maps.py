"""Maps on longitude and latitude, on the torus, or on the sphere seen from afar."""

import math

import numpy as np

from ..engine import Observable, has_observable
from ..errors import Refused
from ..source import Series, find_series, nearest, snapshots
from . import common
from .motion import _member_states, failed_members

MOST_ROWS, MOST_COLUMNS, DISC = 256, 512, 256  # pixels: finer data would be finer than the paper
EAST = "a row from west to east for each pixel "


class Grid:
    """Where the values of a map are: latitude and longitude in degrees, on the torus x2 and x1."""

    def __init__(self, row, column, torus, rows_around=None):
        self.row, self.column, self.torus = row, column, torus
        self.rows_around = 2 * math.pi if torus and rows_around is None else rows_around or 0

    @staticmethod
    def read(source, group, rows, columns):
        torus = f"{group}/x1" in source.datasets
        return Grid(source.column(f"{group}/{'x2' if torus else 'latitude'}", rows),
                    source.column(f"{group}/{'x1' if torus else 'longitude'}", columns), torus)

    def extents(self):
        return (_extent(self.column, 2 * math.pi if self.torus else 360, MOST_COLUMNS),
                _extent(self.row, self.rows_around, MOST_ROWS))


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
    k = np.argmin(np.abs(at[None, :] - centre[:, None]), axis=1)
    other = np.argmin(np.abs(at[None, :] - (centre - around)[:, None]), axis=1)
    return np.where(np.abs(centre - around - at[other]) < np.abs(centre - at[k]), other, k)


def _disc(grid, view):
    """The index of the value at each pixel of the disc, -1 outside of it."""
    a, e = np.radians(view)
    x = (2 * np.arange(DISC) + 1.0) / DISC - 1
    right, up = np.meshgrid(x, x)
    inside = 1 - right**2 - up**2 >= 0
    near = np.sqrt(np.where(inside, 1 - right**2 - up**2, 0))
    px = -np.sin(a) * right - np.sin(e) * np.cos(a) * up + np.cos(e) * np.cos(a) * near
    py = np.cos(a) * right - np.sin(e) * np.sin(a) * up + np.cos(e) * np.sin(a) * near
    latitude = np.degrees(np.arcsin(np.clip(np.cos(e) * up + np.sin(e) * near, -1, 1))).ravel()
    longitude = np.fmod(np.degrees(np.arctan2(py, px)) + 360, 360).ravel()
    row = np.argmin(np.abs(grid.row[:, None] - latitude[None, :]), axis=0)
    apart = np.abs(np.remainder(grid.column[:, None] - longitude[None, :] + 180, 360) - 180)
    column = np.argmin(apart, axis=0)
    return np.where(inside.ravel(), row * len(grid.column) + column, -1).reshape(DISC, DISC)


class Pixels:
    """How maps of a grid become images, flat or as discs; `image(map)`."""

    def __init__(self, grid, view=None):
        self.view = view
        self.across, self.up = grid.extents()
        if view:
            if grid.torus:
                raise Refused("--view: a torus is not seen from one side")
            self.across = self.up = (DISC, -1.0, 1.0, 0)
            self.place = _disc(grid, view)
        else:
            self.rows, self.columns = _indices(grid.row, self.up), _indices(grid.column, self.across)

    def image(self, value):
        if self.view:
            return np.where(self.place < 0, math.nan, value.ravel()[np.maximum(self.place, 0)])
        return value[self.rows[:, None], self.columns[None, :]]

    def describe(self, data, torus):
        if self.view:
            data["azimuth"], data["elevation"] = self.view
        data["torus"], data["orthographic"] = int(torus), int(bool(self.view))
        self.describe_extents(data)

    def describe_extents(self, data):
        data["west"], data["east"], data["south"], data["north"] = (float(v) for v in (*self.across[1:3], *self.up[1:3]))
        data["columns"], data["rows"] = self.across[0], self.up[0]

    def write(self, data, name, values, units, heading=None):
        heading = heading or ("a row from left to right for each pixel of the disc from below" if self.view else
                              EAST + "from south to north")
        for i, value in enumerate(values, 1):
            data.matrix(f"{name}_{i}", heading, units, self.image(value))


def greatest(values):
    """The largest |value| of maps, -1 where none is a number."""
    found = [np.abs(v[np.isfinite(v)]).max() for v in values if np.isfinite(v).any()]
    return float(max(found)) if found else -1.0


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


def _is_map(source, group, d):
    def length(axis):
        scale = source.datasets.get(f"{group}/{axis}")
        return scale.shape if scale is not None else None

    if d.dtype.kind == "c" or d.ndim < 3:
        return False
    return any(length(r) == (d.shape[-2],) and length(c) == (d.shape[-1],) for r, c in (("latitude", "longitude"), ("x2", "x1")))


def _scale(request, name, value):
    """What colours reach: that of all frames of a film."""
    return request.frame[name] if request.frame and value >= 0 else value


# ---- trajectories ----


def _map_series(source):
    d, name = find_map(source, "/trajectory")
    return name if d is not None and find_series(source, name, 2) is not None else None


def has_vorticity(source):
    return _map_series(source) is not None


def vorticity(data, request, sources):
    source, = sources
    name = _map_series(source)
    s = Series(source, name, 2, read=False)
    grid = Grid.read(source, "/trajectory", *s.dims)
    shown = snapshots(request, source, s.time, 4)
    values = [s.record(i)[0] for i in shown]
    most = _scale(request, "greatest", greatest(values))
    if most < 0:
        raise common.nothing(source, f"{name} at these times")
    pixels = Pixels(grid, request.view)
    data["panels"], data["when"], data["quantity"] = len(shown), [float(s.time[i]) for i in shown], name
    data["label"] = [f"t = {s.time[i]:g}" for i in shown]
    data["units"], data["greatest"] = s.units, most if most > 0 else 1.0
    pixels.describe(data, grid.torus)
    pixels.write(data, "map", values, s.units)
    if s.paths > 1:
        request.remark(f"path 0 of {s.paths} is drawn")


def has_hovmoeller(source):
    name = _map_series(source)
    return name is not None and find_series(source, name, 2).shape[0] > 1


def hovmoeller(data, request, sources):
    source, = sources
    name = _map_series(source)
    s = Series(source, name, 2, read=False)
    grid = Grid.read(source, "/trajectory", *s.dims)
    if grid.torus and request.view:
        raise Refused("--view: a torus has no circles of latitude")
    row = nearest(grid.row, request.view[1] if request.view else math.pi if grid.torus else 45)
    at = (slice(0, s.records), 0, row) if s.dataset.ndim == 4 else (slice(0, s.records), row)
    value = s.dataset[at].astype(float)
    most = greatest([value])
    if most < 0:
        raise common.nothing(source, name)
    pixels = Pixels(Grid(s.time, grid.column, False))
    data["torus"], data["at"], data["greatest"] = int(grid.torus), float(grid.row[row]), most if most > 0 else 1.0
    data["quantity"], data["units"] = name, s.units
    pixels.describe_extents(data)
    pixels.write(data, "strip", [value], s.units, EAST + "of time")
    if s.paths > 1:
        request.remark(f"path 0 of {s.paths} is drawn")


# ---- ensembles ----


def _moments(source):
    mean, name = find_map(source, "/ensemble", "/mean")
    variance = source.datasets.get(f"/ensemble/{name}/variance")
    time = source.find("/ensemble/time")
    fits = mean is not None and variance is not None and time is not None and mean.ndim == 3 and mean.shape == variance.shape \
        and all(mean.shape) and mean.shape[0] == time.shape[0]
    return (name, mean, variance) if fits else None


def has_ensemble_maps(source):
    return _moments(source) is not None


def ensemble_maps(data, request, sources):
    source, = sources
    name, mean, variance = _moments(source)
    time = source.column("/ensemble/time", mean.shape[0])
    grid = Grid.read(source, "/ensemble", *mean.shape[1:])
    shown = snapshots(request, source, time, 3)
    means, variances = ([d[i].astype(float) for i in shown] for d in (mean, variance))
    most, most_variance = greatest(means), greatest(variances)
    if most < 0:
        raise common.nothing(source, f"mean {name} at these times")
    most, most_variance = _scale(request, "greatest", most), _scale(request, "greatest_variance", max(most_variance, 0))
    pixels = Pixels(grid, request.view)
    data["snapshots"], data["when"] = len(shown), [float(time[i]) for i in shown]
    data["mean_units"], data["variance_units"] = source.units(mean), source.units(variance)
    data["greatest_mean"] = most if most > 0 else 1.0
    data["greatest_variance"] = most_variance if most_variance > 0 else 1.0
    pixels.describe(data, grid.torus)
    pixels.write(data, "mean", means, data["mean_units"])
    pixels.write(data, "variance", variances, data["variance_units"])


def has_member_maps(source):
    return _member_states(source) is not None and has_observable(source.file, source.map or "vorticity", 2)


class Members:
    """Up to four members that did not fail, and the observable that makes maps of their states."""

    def __init__(self, source):
        self.source, self.states = source, _member_states(source)
        self.time = source.column("/ensemble/time", self.states.shape[0])
        failed = failed_members(source, self.states.shape[1])
        self.shown = [int(i) for i in np.flatnonzero(~failed)[:4]]
        if not self.shown:
            raise Refused(f"{source.file}: all members failed")
        self.observable = Observable(source.file, source.map or "vorticity", 2)
        self.grid = Grid(*self.observable.axes.values(), "x2" in self.observable.axes)

    def maps(self, record):
        return list(self.observable(np.stack([self.states[record, m] for m in self.shown])))


def member_maps(data, request, sources):
    source, = sources
    m = Members(source)
    shown = snapshots(request, source, m.time, 8 // len(m.shown))
    values = [value for i in shown for value in m.maps(i)]
    most = greatest(values)
    if most < 0:
        raise common.nothing(source, f"{m.observable.name} of a member")
    most = _scale(request, "greatest", most)
    pixels = Pixels(m.grid, request.view)
    data["panels"] = len(values)
    data["label"] = [f"member {k}, t = {m.time[i]:g}" for i in shown for k in m.shown]
    data["quantity"], data["units"], data["greatest"] = m.observable.name, m.observable.unit, most if most > 0 else 1.0
    pixels.describe(data, m.grid.torus)
    pixels.write(data, "map", values, m.observable.unit)
    if len(m.shown) < m.states.shape[1]:
        request.remark(f"{len(m.shown)} of {m.states.shape[1]} members are drawn")


# ---- films ----


def _greatest_of_all(records, read):
    return max(greatest([read(i)]) for i in range(records))


def vorticity_film(source, request):
    s = Series(source, _map_series(source), 2, read=False)
    return s.time, _shared(source, greatest=_greatest_of_all(s.records, lambda i: s.record(i)[0]))


def ensemble_maps_film(source, request):
    _, mean, variance = _moments(source)
    n = mean.shape[0]
    return source.column("/ensemble/time", n), _shared(
        source, greatest=_greatest_of_all(n, lambda i: mean[i]),
        greatest_variance=max(0.0, _greatest_of_all(n, lambda i: variance[i])))


def member_maps_film(source, request):
    m = Members(source)
    return m.time, _shared(source, greatest=max(greatest(m.maps(i)) for i in range(len(m.time))))


def _shared(source, **scales):
    if not scales["greatest"] > 0:
        raise common.nothing(source, "value but 0")
    return scales
