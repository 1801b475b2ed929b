"""Trajectories over time, against each other, and on spheres, where members of ensembles are drawn too."""

import math

import numpy as np

from ..data import TIME
from ..engine import Observable
from ..errors import Refused
from ..source import Series, snapshots, thinned
from .common import nothing, on_sphere, view_from

QUANTITIES = {"casimir_departure": "casimir departure", "enstrophy": "enstrophy", "hamiltonian": "energy H"}
MOST_PANELS, MOST_PATHS = 6, 6
OF_MOMENTA = ("sliding_disk", "rigid_bodies", "pendulum_chain")  # they have momentum maps in the place of Casimirs
MOST_CURVES, MOST_DRAWN = 21, 7  # in a panel, and paths of a file
MOST_POINTS = 7
TOLERANCE, FINEST, SAG, TOO_FAR, VERTICES, TANGLE = 1e-6, 0.004, 0.03, 0.5, 25000.0, 250.0
XYZ = [("x1", "1"), ("x2", "1"), ("x3", "1")]
# name, axes besides time and paths, title, whether it is seen in space, with the nutation beside it
SPHERICAL = [("state", 1, "", False), ("state", 2, "", False), ("axes", 2, "axes of the body, ", True),
             ("tip", 1, "third axis of the body, ", True), ("gamma", 1, "the vertical seen from the body, ", False)]
FITS = {"conservation": lambda source: _quantities(source),
        "observables": lambda source: "/trajectory/time" in source.datasets and _panels(source),
        "plane": lambda source: "," in (source.show or "") and "/trajectory/time" in source.datasets,
        "paths": lambda source: _spherical(source) is not None,
        "members": lambda source: (d := member_states(source)) is not None and d.dtype.kind != "c" and d.shape[-1] == 3
        and d.ndim <= 4}


class Observed(Series):
    """What users name: an observable, one number of it as "axes[2]", or a component of the state."""

    def __init__(self, source, name):
        state = source.components("/trajectory/state") if len(source.series.get("state", ())) == 1 else []
        of, _, number = name.removesuffix("]").partition("[")
        self.place = int(number) - 1 if name.endswith("]") and number.isdigit() else -1
        if name in source.series:
            of, self.place = name, None
        elif name in state:
            of, self.place = "state", state.index(name)
        elif of not in source.series or self.place == -1:
            names = [" ".join(state), *(other + (f"[1] .. [{dims[0]}]" if len(dims) == 1 else "")
                                        for other, dims in source.series.items() if other != "state"),
                     *(table.name for table in source.groups("ensemble"))]
            raise Refused(f"{source.file}: has neither an observable nor a component of the state '{name}' over time; it has: "
                          f"{', '.join(filter(None, names)) or 'none'}")
        super().__init__(source, of)
        self.of, self.name = of, name
        if self.place is not None:
            if self.place >= self.numbers:
                raise Refused(f"{source.file}: '{of}' has {self.numbers} numbers only")
            self.value, self.numbers = self.value[:, :, [self.place]], 1


def _quantities(source):
    wanted = {name: name for name in source.show.split(",")[:MOST_PANELS]} if source.show else QUANTITIES
    found = {name: title for name, title in wanted.items() if source.series.get(name) == ()}
    return found if not source.show or len(found) == len(wanted) else {}


def conservation(data, request, source):
    found = {name: (title, Series(source, name)) for name, title in _quantities(source).items()}
    paths = next(iter(found.values()))[1].paths
    drawn = min(paths, MOST_PATHS)
    number = source.column("/trajectory/path", paths) if paths > 1 and "/trajectory/path" in source.datasets else np.arange(paths)
    data.update(paths_recorded=paths, paths=drawn, path=[int(p) for p in number[:drawn]], panels=len(found))
    for i, (name, (title, s)) in enumerate(found.items(), 1):
        value, departure = s.value[:, :, 0], name == "casimir_departure"
        relative = departure or bool((value[0] != 0).all())
        value = np.abs(value) if departure else (value - value[0]) / (np.abs(value[0]) if relative else 1)
        title = "momentum map departure" if departure and source.system in OF_MOMENTA else title
        data.add(quantity=title, departure=departure, relative=relative, units=s.units, start=s.time[0], end=s.time[-1],
                 records=s.records)
        for k in range(drawn):
            data.write(f"series_{i}_{k + 1}", [("time", TIME), (name, "1" if relative else s.units)], thinned(s.time, value[:, k]))


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
    data.update(label=labels, start=float(min(times)), end=float(max(times)))
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
    for i, (o, margin) in enumerate(zip(first, high <= low)):
        data.add(name="" if i and len(names) > 2 else o.name, units=o.units)
        data.add(lowest=low[i] - margin, highest=high[i] + margin)
    data.update(curves=len(curves), label=[label for label, _, _ in curves], section=section, level=level,
                contours_of=request.contours or "")
    for i, (_, columns, rows) in enumerate(curves, 1):
        data.write(f"curve_{i}", columns, rows)
    if request.contours:
        # over the ranges of the points; all other components are those of the first record
        source, grid, state = sources[0], 121, sources[0].components("/trajectory/state")
        # components may be recorded as observables too
        place = [o.place if o.of == "state" else state.index(o.name) if o.name in state else None for o in first]
        if None in place:
            raise Refused(f"--contours: {source.file}: contours are over the plane of two components of the state")
        of = Observable(source.file, request.contours)
        states = np.tile(Series(source, "state").record(0)[0], (grid, grid, 1))
        states[:, :, place[0]], states[:, :, place[1]] = np.meshgrid(*(np.linspace(low[i], high[i], grid) for i in (0, 1)))
        data.write("contours", [(of.name, of.unit)], of(states.reshape(grid * grid, -1)).reshape(grid, grid))


def find_view(sets):
    """Azimuth and elevation, in degrees, of a view in which most of these points are on the near side: from a little above
    the equator, or below it if that shows much more."""
    points = np.concatenate([s.reshape(-1, 3)[:: s.size // 15000 + 1] for s in sets])
    least = 0.1 * np.linalg.norm(points, axis=1)
    views = [(azimuth, elevation, share) for elevation, share in ((22.0, 1), (-22.0, 0.85)) for azimuth in range(40, 400, 15)]
    azimuth, elevation, _ = max(views, key=lambda v: v[2] * int((points @ view_from(*v[:2])[2] > least).sum()))
    return float(azimuth % 360), elevation


def _spherical(source):
    found = [(what, source.series.get(what[0], ())) for what in SPHERICAL]
    return next((what for what, dims in found if len(dims) == what[1] and dims[-1] == 3), None)


class Curves:
    """The curves of one file: curve k is point k of the first path, or path k where a state is one point; [records, k, 3]."""

    def __init__(self, source):
        self.source, self.what = source, _spherical(source)
        self.series = s = Series(source, self.what[0])
        self.points, self.paths = (s.dims[0] if self.what[1] == 2 else 1), s.paths
        self.all = s.value.reshape(s.records, -1, 3).copy()  # decides the view
        self.curves = min(MOST_PATHS, self.points if self.points > 1 else self.paths)
        self.value = self._on_unit_sphere(self.all[:, : self.curves])
        self.all[:, : self.curves] = self.value
        step = 2 * np.arcsin(np.minimum(1, np.linalg.norm(np.diff(self.value, axis=0), axis=2) / 2))
        step = step[np.isfinite(step)]
        way = float(step.sum())
        self.way, self.spacing = way / self.curves, max(FINEST, way / VERTICES)
        self.joined = len(step) > 0 and way / len(step) <= TOO_FAR

    def _on_unit_sphere(self, x):
        """Points over their length at first, which all of a curve have; what is not finite becomes a gap."""
        now = np.hypot(np.hypot(x[..., 0], x[..., 1]), x[..., 2])
        there = np.isfinite(now)
        if not there.any():
            raise nothing(self.source, "recorded state")
        radius = np.where(there.any(axis=0), now[there.argmax(axis=0), np.arange(self.curves)], math.nan)
        off = there & ~((np.abs(now - radius) <= TOLERANCE * radius) & (radius > 0))
        for k, i in np.argwhere(off.T)[:1]:
            raise Refused(f"{self.source.file}: the {self.what[0]} is not on a sphere: the length of point {k + 1} is {radius[k]:.9g} "
                          f"at first and {now[i, k]:.9g} at t = {self.series.time[i]:g}")
        self.radius = radius[0]
        return np.where(there[..., None], x / now[..., None], math.nan)

    def vertices(self, k):
        """Along great circles, no closer than `spacing`; the last record is one in any case."""
        x, rows, last = self.value[:, k], [], None
        for i, now in enumerate(x):
            moved = math.nan if last is None or now[0] != now[0] else 2 * math.asin(min(1, math.dist(last, now) / 2))
            if moved < self.spacing and i < len(x) - 1:
                continue
            if self.joined and moved > SAG:
                t = np.arange(1, math.ceil(moved / SAG))[:, None] / math.ceil(moved / SAG)
                rows.append((np.sin((1 - t) * moved) * last + np.sin(t * moved) * now) / math.sin(moved))
            rows.append(now[None])
            last = now if math.isfinite(now[0]) else None
        return np.concatenate(rows)

    def ends(self, k):
        there = np.flatnonzero(np.isfinite(self.value[:, k, 0]))
        return self.value[[there[0], there[-1]], k] if len(there) else np.full((2, 3), math.nan)


def paths(data, request, sources):
    of = [Curves(s) for s in sources]
    a, z = of[0], of[-1]
    together = "paths of one system only can be drawn together"
    if a.source.system != z.source.system:
        raise Refused(f"{a.source.file} holds a {a.source.system} and {z.source.file} a {z.source.system}; {together}")
    if a.points != z.points:
        raise Refused(f"a state has {a.points} points in {a.source.file} and {z.points} in {z.source.file}; {together}")
    if request.frame:  # the tail of a film
        first = min(int(np.searchsorted(a.series.time, request.frame["from"])), a.series.records - 1)
        a.series.time, a.value, a.all = a.series.time[first:], a.value[first:], a.all[first:]
    # over time, of what is seen in space, where they were recorded
    angles = [Series(c.source, "nutation") if c.what[3] and c.source.series.get("nutation") == () else None for c in of]
    data["files"] = len(of)
    for c in of:
        data.add(file=c.source.name(), curves=c.curves, joined=int(c.joined), crowded=int(c.spacing > 2 * FINEST))
    data.update(what=a.what[2], angles=angles[0] is not None, contours_of=request.contours or "", points=a.points,
                paths=a.paths, start=a.series.time[0], end=a.series.time[-1])
    data["azimuth"], data["elevation"] = request.view or find_view([a.all])
    for f, c in enumerate(of, 1):
        for k in range(c.curves):
            data.write(f"path_{f}_{k + 1}", XYZ, c.vertices(k))
            data.write(f"ends_{f}_{k + 1}", XYZ, c.ends(k))
    for f, (c, n) in enumerate(zip(of, angles), 1):
        for k in range(0 if None in (n, angles[0]) else 1 if c.points > 1 else c.curves):
            data.write(f"nutation_{f}_{k + 1}", [("t", TIME), ("angle", "1")],
                       np.column_stack([n.time, n.value[:, k, 0]])[:: n.records // 4000 + 1])
    if request.contours:
        # on the sphere of the first record, every two degrees from the south and from the first axis on
        if a.points > 1 or a.what[0] != "state":
            raise Refused(f"--contours: {a.source.file}: contours are on the sphere of states of three components")
        observable = Observable(a.source.file, request.contours)
        across, up = np.meshgrid(np.radians(2.0 * np.arange(181)), np.radians(2.0 * np.arange(-45, 46)))
        values = observable(a.radius * on_sphere(across, up).reshape(-1, 3)).reshape(up.shape)
        if np.isnan(values).all():
            raise Refused(f"{a.source.file}: no state on the sphere has a {observable.name}")
        data.write("contours", [(observable.name, observable.unit)], values)
    if a.way > TANGLE and not request.frame:
        request.remark(f"a path goes round the sphere {a.way / 6.283:.0f} times; --until T draws its beginning")


def member_states(source):
    """The states of members, [records, members, ..]; None where there are none."""
    return source.find("/ensemble/members", 3) if source.find("/ensemble/time") is not None else None


def failed_members(source, n):
    d = source.datasets.get("/ensemble/member_failed")
    return d[()] != 0 if d is not None and d.shape == (n,) else np.zeros(n, bool)


def members(data, request, source):
    d = member_states(source)
    n, points = d.shape[1], d.shape[2] if d.ndim == 4 else 1
    time, failed = source.column("/ensemble/time", d.shape[0]), failed_members(source, n)
    shown, states = snapshots(data, request, time, 5, "panels"), []
    for i in shown:
        x = d[i].astype(float).reshape(n, points, 3)
        length = np.where(failed[:, None], math.nan, np.sqrt((x * x).sum(axis=2)))
        states.append(np.where(((length > 0) & np.isfinite(length))[..., None], x / length[..., None], math.nan))
    drawn = min(points, MOST_POINTS)
    data.update(members=n, points=drawn)
    data["azimuth"], data["elevation"] = request.view or find_view(states)
    for i, x in enumerate(states, 1):
        for k in range(drawn):
            data.write(f"points_{i}_{k + 1}", XYZ, x[:, k])
    if failed.any():
        request.remark(f"{int(failed.sum())} of {n} members failed and are not drawn")
    if drawn < points:
        request.remark(f"{drawn} of the {points} points of a state are drawn")


def film(picture, source):
    """The times of the frames, and what all frames share."""
    if picture == "members":
        return source.column("/ensemble/time", member_states(source).shape[0]), {"view": (40.0, 22.0)}
    of = Curves(source)
    time = of.series.time
    return time, {"tail": (time[-1] - time[0]) * min(1, 3.0 / max(of.way, 3.0)), "view": find_view([of.all])}
