"""Trajectories over time, and against each other: invariants, observables, planes."""

import math

import numpy as np

from ..data import TIME
from ..engine import Observable
from ..errors import Refused
from ..source import Series, find_series, thinned
from .common import nothing

FITS = {"conservation": lambda source: _quantities(source),
        "observables": lambda source: "/trajectory/time" in source.datasets and _panels(source),
        "plane": lambda source: "," in (source.show or "") and "/trajectory/time" in source.datasets}

# ---- what users name: an observable, one number of it as "axes[2]", or a component of the state ----

def _axes_of(source, name):
    """The axes of the real series of this name, None where there is none. A vector of a single path comes first."""
    return next((axes for axes in (1, 0, 2) if find_series(source, name, axes) is not None), None)


def _recorded(source):
    """Name, axes and dataset of every real series but the state."""
    of = {full.removeprefix("/trajectory/"): d for full, d in source.datasets.items() if full.startswith("/trajectory/")}
    found = [(name, _axes_of(source, name), d) for name, d in of.items() if name not in ("time", "path", "state")]
    return [series for series in found if series[1] is not None]


def component(source, name):
    """The place of a name among the components of the state, None where it is none."""
    names = source.components("/trajectory/state")
    return names.index(name) if name in names and _axes_of(source, "state") == 1 else None


class Observed:
    """What has this name: a series, of which some or all numbers are meant."""

    def __init__(self, source, name):
        series, index = name, None
        if _axes_of(source, name) is None:
            series, index = "state", component(source, name)
        if index is None and series == "state" != name:
            series, _, number = name.removesuffix("]").partition("[")
            index = int(number) - 1 if name.endswith("]") and number.isdigit() else -1
        axes = _axes_of(source, series) if index is None or index >= 0 else None
        if axes is None:
            states = source.components("/trajectory/state") if _axes_of(source, "state") == 1 else []
            others = [of + (f"[1] .. [{d.shape[-1]}]" if n == 1 else "") for of, n, d in _recorded(source)]
            names = [" ".join(states)] * bool(states) + others
            raise Refused(f"{source.file}: has neither an observable nor a component of the state '{name}' over time; it has: "
                          f"{', '.join(names) or 'none'}")
        self.name, self.series = name, Series(source, series, axes)
        self.first, self.numbers = (0, self.series.numbers) if index is None else (index, 1)
        if self.first >= self.series.numbers:
            raise Refused(f"{source.file}: '{series}' has {self.series.numbers} numbers only")

    def value(self, path, number=0):
        return self.series.value[:, path, self.first + number]


# ---- conservation ----

QUANTITIES = {"casimir_departure": "casimir departure", "enstrophy": "enstrophy", "hamiltonian": "energy H"}
MOST_PANELS, MOST_PATHS = 6, 6
OF_MOMENTA = ("sliding_disk", "rigid_bodies", "pendulum_chain")  # they have momentum maps in the place of Casimirs


def _quantities(source):
    wanted = {name: name for name in source.show.split(",")[:MOST_PANELS]} if source.show else QUANTITIES
    found = {name: title for name, title in wanted.items() if find_series(source, name, 0) is not None}
    return found if not source.show or len(found) == len(wanted) else {}


def conservation(data, request, source):
    found = {name: (title, Series(source, name, 0)) for name, title in _quantities(source).items()}
    paths = next(iter(found.values()))[1].paths
    drawn = min(paths, MOST_PATHS)
    number = source.column("/trajectory/path", paths) if paths > 1 and "/trajectory/path" in source.datasets else np.arange(paths)
    data["paths_recorded"], data["paths"] = paths, drawn
    data["path"] = [int(p) for p in number[:drawn]]
    data["panels"] = len(found)
    for i, (name, (title, s)) in enumerate(found.items(), 1):
        value, departure = s.value[:, :, 0], name == "casimir_departure"
        relative = departure or bool((value[0] != 0).all())
        value = np.abs(value) if departure else (value - value[0]) / (np.abs(value[0]) if relative else 1)
        title = "momentum map departure" if departure and source.system in OF_MOMENTA else title
        data.add(quantity=title, departure=int(departure), relative=int(relative), units=s.units,
                 start=float(s.time[0]), end=float(s.time[-1]), records=s.records)
        for k in range(drawn):
            data.write(f"series_{i}_{k + 1}", [("time", TIME), (name, "1" if relative else s.units)], thinned(s.time, value[:, k]))


# ---- observables, and observables against each other ----

MOST_CURVES, MOST_DRAWN = 21, 7  # in a panel, and paths of a file


def _label(sources, source, *parts):
    """What tells a curve from the others: the file where there are several, and the parts that are not empty."""
    return ", ".join(filter(None, [source.name() if len(sources) > 1 else "", *parts]))


def _panels(source):
    if source.show:
        return source.show.split(",")
    names = sorted(name for name, axes, d in _recorded(source) if axes == 0 or axes == 1 and d.shape[-1] <= 3)
    return names or (["state"] if find_series(source, "state", 1) is not None else [])


def observables(data, request, sources):
    names, left_out, labels, times = _panels(sources[0]), 0, [], []
    data["panels"] = len(names[:MOST_PANELS])
    for p, name in enumerate(names[:MOST_PANELS], 1):
        drawn = 0
        for source in sources:
            o = Observed(source, name)
            s, paths = o.series, min(o.series.paths, MOST_DRAWN)
            if source is sources[0]:
                data.add(name=name, units=s.units)
            times += [s.time[0], s.time[-1]]
            every = [(k, j) for k in range(paths) for j in range(o.numbers)][: MOST_CURVES - drawn]
            left_out += s.paths * o.numbers - len(every)
            for drawn, (k, j) in enumerate(every, drawn + 1):
                labels.append(_label(sources, source, f"path {k}" if s.paths > 1 else "", f"number {j + 1}" if o.numbers > 1 else ""))
                data.write(f"curve_{p}_{drawn}", [("time", TIME), (name, s.units)], thinned(s.time, o.value(k, j)))
        data.add(curves=drawn)
    data["label"], data["start"], data["end"] = labels, float(min(times)), float(max(times))
    request.first(MOST_PANELS, len(names), "observables are drawn; --show chooses")
    request.count(left_out, "further curve{s} {are} not drawn")


def _passes(third, level, points):
    """Where straight lines between records pass the level upwards."""
    a, b = third[:-1] - level, third[1:] - level
    at = np.flatnonzero((a < 0) & (b >= 0))
    t = (a[at] / (a[at] - b[at]))[:, None]
    return (1 - t) * points[at] + t * points[at + 1]


def plane(data, request, sources):
    (section, level), names = request.section or ("", 0.0), sources[0].show.split(",")
    curves, first = [], None  # label, both observables, rows
    for source in sources:
        for name in names[1:]:
            across, up = pair = Observed(source, names[0]), Observed(source, name)
            third = Observed(source, section) if section else across
            if max(o.numbers for o in (across, up, third)) > 1:
                raise Refused(f"{source.file}: a plane is of observables of one number; NAME[2] is one of several")
            first, paths = first or pair, across.series.paths
            for k in range(min(paths, MOST_DRAWN, MOST_CURVES - len(curves))):
                rows = np.column_stack([across.value(k), up.value(k)])
                rows = _passes(third.value(k), level, rows) if section else rows
                rows[~np.isfinite(rows).all(axis=1)] = math.nan
                label = _label(sources, source, name if len(names) > 2 else "", f"path {k}" if paths > 1 else "")
                curves.append((label, [(o.name, o.series.units) for o in pair], rows))
            request.first(MOST_DRAWN, paths, "paths are drawn", f"{source.file}: ")
    points = np.concatenate([rows for _, _, rows in curves])
    if not np.isfinite(points).any():
        raise nothing(sources[0], "point of this section" if section else "point")
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    for i, o in enumerate(first):
        margin = 0 if high[i] > low[i] else 1
        data.add(name="" if i and len(names) > 2 else o.name, units=o.series.units, lowest=float(low[i] - margin),
                 highest=float(high[i] + margin))
    data["curves"], data["label"] = len(curves), [label for label, _, _ in curves]
    data["section"], data["level"], data["contours_of"] = section, level, request.contours or ""
    for i, (_, columns, rows) in enumerate(curves, 1):
        data.write(f"curve_{i}", columns, rows)
    if request.contours:
        # over the ranges of the points; all other components are those of the first record
        place, source, grid = [component(sources[0], o.name) for o in first], sources[0], 121
        if None in place:
            raise Refused(f"--contours: {source.file}: contours are over the plane of two components of the state")
        of = contours_of(source, request)
        states = np.tile(Series(source, "state", 1, read=False).record(0)[0], (grid, grid, 1))
        states[:, :, place[0]], states[:, :, place[1]] = np.meshgrid(*(np.linspace(low[i], high[i], grid) for i in (0, 1)))
        data.write("contours", [(of.name, of.unit)], of(states.reshape(grid * grid, -1)).reshape(grid, grid))


def contours_of(source, request):
    try:
        return Observable(source.file, request.contours)
    except Refused as reason:
        raise Refused(f"--contours: {reason}") from None
