"""Trajectories over time, and against each other: invariants, observables, planes."""

import math

import numpy as np

from ..data import TIME
from ..engine import Observable
from ..errors import Refused
from ..source import Series, thinned
from .common import nothing

FITS = {"conservation": lambda source: _quantities(source),
        "observables": lambda source: "/trajectory/time" in source.datasets and _panels(source),
        "plane": lambda source: "," in (source.show or "") and "/trajectory/time" in source.datasets}

# ---- what users name: an observable, one number of it as "axes[2]", or a component of the state ----


def component(source, name):
    """The place of a name among the components of the state, None where it is none."""
    names = source.components("/trajectory/state")
    return names.index(name) if name in names and len(source.series.get("state", ())) == 1 else None


class Observed(Series):
    """What has this name: a series, of which `value` has some or all numbers."""

    def __init__(self, source, name):
        of, index = name, None
        if name not in source.series:
            of, index = "state", component(source, name)
        if index is None and of != name:
            of, _, number = name.removesuffix("]").partition("[")
            index = int(number) - 1 if name.endswith("]") and number.isdigit() else -1
        if of not in source.series or index == -1:
            names = [" ".join(source.components("/trajectory/state"))] * (len(source.series.get("state", ())) == 1)
            names += [other + (f"[1] .. [{dims[0]}]" if len(dims) == 1 else "") for other, dims in source.series.items() if other != "state"]
            raise Refused(f"{source.file}: has neither an observable nor a component of the state '{name}' over time; it has: "
                          f"{', '.join(filter(None, names)) or 'none'}")
        super().__init__(source, of)
        self.name = name
        if index is not None and index >= self.numbers:
            raise Refused(f"{source.file}: '{of}' has {self.numbers} numbers only")
        if index is not None:
            self.value, self.numbers = self.value[:, :, index:index + 1], 1


# ---- conservation ----

QUANTITIES = {"casimir_departure": "casimir departure", "enstrophy": "enstrophy", "hamiltonian": "energy H"}
MOST_PANELS, MOST_PATHS = 6, 6
OF_MOMENTA = ("sliding_disk", "rigid_bodies", "pendulum_chain")  # they have momentum maps in the place of Casimirs


def _quantities(source):
    wanted = {name: name for name in source.show.split(",")[:MOST_PANELS]} if source.show else QUANTITIES
    found = {name: title for name, title in wanted.items() if source.series.get(name) == ()}
    return found if not source.show or len(found) == len(wanted) else {}


def conservation(data, request, source):
    found = {name: (title, Series(source, name)) for name, title in _quantities(source).items()}
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
    names = sorted(name for name, dims in source.series.items() if name != "state" and (dims == () or len(dims) == 1 and dims[0] <= 3))
    return names or ["state"] * (len(source.series.get("state", ())) == 1)


def observables(data, request, sources):
    names, left_out, labels, times = _panels(sources[0]), 0, [], []
    data["panels"] = len(names[:MOST_PANELS])
    for p, name in enumerate(names[:MOST_PANELS], 1):
        drawn = 0
        for source in sources:
            s = Observed(source, name)
            paths = min(s.paths, MOST_DRAWN)
            if source is sources[0]:
                data.add(name=name, units=s.units)
            times += [s.time[0], s.time[-1]]
            every = [(k, j) for k in range(paths) for j in range(s.numbers)][: MOST_CURVES - drawn]
            left_out += s.paths * s.numbers - len(every)
            for drawn, (k, j) in enumerate(every, drawn + 1):
                labels.append(_label(sources, source, f"path {k}" if s.paths > 1 else "", f"number {j + 1}" if s.numbers > 1 else ""))
                data.write(f"curve_{p}_{drawn}", [("time", TIME), (name, s.units)], thinned(s.time, s.value[:, k, j]))
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
            first, paths = first or pair, across.paths
            for k in range(min(paths, MOST_DRAWN, MOST_CURVES - len(curves))):
                rows = np.column_stack([across.value[:, k, 0], up.value[:, k, 0]])
                rows = _passes(third.value[:, k, 0], level, rows) if section else rows
                rows[~np.isfinite(rows).all(axis=1)] = math.nan
                label = _label(sources, source, name if len(names) > 2 else "", f"path {k}" if paths > 1 else "")
                curves.append((label, [(o.name, o.units) for o in pair], rows))
            request.first(MOST_DRAWN, paths, "paths are drawn", f"{source.file}: ")
    points = np.concatenate([rows for _, _, rows in curves])
    if not np.isfinite(points).any():
        raise nothing(sources[0], "point of this section" if section else "point")
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    for i, o in enumerate(first):
        margin = 0 if high[i] > low[i] else 1
        data.add(name="" if i and len(names) > 2 else o.name, units=o.units, lowest=float(low[i] - margin),
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
        states = np.tile(Series(source, "state").record(0)[0], (grid, grid, 1))
        states[:, :, place[0]], states[:, :, place[1]] = np.meshgrid(*(np.linspace(low[i], high[i], grid) for i in (0, 1)))
        data.write("contours", [(of.name, of.unit)], of(states.reshape(grid * grid, -1)).reshape(grid, grid))


def contours_of(source, request):
    try:
        return Observable(source.file, request.contours)
    except Refused as reason:
        raise Refused(f"--contours: {reason}") from None
